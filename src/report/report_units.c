/* report_units.c - what one unit costs: a million tokens, a thousand samples or requests, a GiB or a
 * TFLOPS for an hour; and what an amount of money buys. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/unit_price.h"
#include "report/columns.h"

/* ---- per unit of work ------------------------------------------------------------------------ */

static const char *rate_money(const struct report *report, const struct offer *offer, double amount)
{
    bool small = fabs(amount) < 10;
    const char *currency = offer->price ? offer->price->currency : "CNY";
    return isfinite(amount) ? arena_printf(report->arena, "%s %s", currency,
                                           small ? FIGURE(rate, amount) : FIGURE(cny, amount))
                            : "-";
}

static void add_token_prices(struct report *report, const struct offer *offer)
{
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("A million tokens"), TEXT_LEFT);
    table_column(table, NULL, tr("read"), TEXT_RIGHT);
    table_column(table, NULL, tr("written"), TEXT_RIGHT);
    for (int i = 0; i < LOAD_POINTS; i++) {
        table_text(table, tr(load_point_labels[i]));
        table_text(table, rate_money(report, offer, offer->token_prices[i].input));
        table_text(table, rate_money(report, offer, offer->token_prices[i].output));
    }
    report_addf(report, BLOCK_TEXT,
                tr("Paid by: %s. An hour is charged once: divided between prompts and answers by the "
                   "time each takes. At the load asked for, idle time is paid as well."),
                tr(billing_modes[offer->cheapest].label));
}

static void add_serving_units(struct report *report, const struct report_input *input,
                              const struct job *job, const struct offer *offer,
                              const struct cost *cost)
{
    struct billing_input paid = offer_billing_input(input->catalog, job, offer, input->today);
    add_token_prices(report, offer);
    if (job->requests_per_s > 0)
        report_addf(report, BLOCK_ITEM,
                    tr("Load: %s of %s requests a second, %s %%; a request is in flight %s %% of the "
                       "time."),
                    FIGURE(gib, job->requests_per_s), FIGURE(gib, offer->speed.requests_per_s),
                    FIGURE(thousands, 100 * paid.load_share),
                    FIGURE(thousands, 100 * paid.busy_share));
    if (job->requests_per_s > 0 && isfinite(cost->total_cny))
        report_addf(report, BLOCK_ITEM, tr("1,000 requests: %s"),
                    rate_money(report, offer,
                               unit_cny_per_run(cost->total_cny, job->requests_per_s * 3.6 *
                                                                     cost->wall_h)));
}

static void add_training_units(struct report *report, const struct job *job,
                               const struct offer *offer, const struct cost *cost)
{
    report_addf(report, BLOCK_ITEM, tr("This run: %s"), rate_money(report, offer, cost->total_cny));
    if (isfinite(offer->cny_per_mtok))
        report_addf(report, BLOCK_ITEM, tr("A million tokens trained: %s"),
                    rate_money(report, offer, offer->cny_per_mtok));
    if (job->samples > 0)
        report_addf(report, BLOCK_ITEM, tr("1,000 samples, all epochs: %s"),
                    rate_money(report, offer,
                               unit_cny_per_1000_samples(cost->total_cny, job->samples)));
}

/* ---- per unit of hardware -------------------------------------------------------------------- */

enum { CARDS = 12 };

struct card {
    const struct instance *instance;
    const struct price *price;
    double gib_hour, tflops_hour;
};

/* The type of each card that is cheapest by the GiB, priced in the region and currency of the offer;
 * slices aside, they are priced as part of a card. */
static int list_cards(const struct catalog *catalog, const struct price *own,
                      struct card cards[CARDS])
{
    int count = 0;
    for (size_t i = 0; i < catalog->instance_count; i++) {
        const struct instance *instance = &catalog->instances[i];
        const struct price *price = catalog_price(catalog, instance->type, own->region);
        if (!price || isnan(price->payg_hour) || strcmp(price->currency, own->currency) != 0 ||
            instance->gpu_fraction < 1)
            continue;
        struct card card = {instance, price, unit_cny_per_gib_hour(instance, price->payg_hour),
                            unit_cny_per_tflops_hour(instance, price->payg_hour)};
        int at = 0;
        while (at < count && cards[at].instance->gpu != instance->gpu)
            at++;
        if (at == CARDS || (at < count && cards[at].gib_hour <= card.gib_hour))
            continue;
        cards[at] = card;
        count += at == count;
    }
    return count;
}

static void sort_cards(struct card *cards, int count)
{
    for (int i = 1; i < count; i++) {
        struct card card = cards[i];
        int at = i;
        for (; at > 0 && cards[at - 1].gib_hour > card.gib_hour; at--)
            cards[at] = cards[at - 1];
        cards[at] = card;
    }
}

static void add_hardware_units(struct report *report, const struct report_input *input,
                               const struct offer *offer)
{
    struct card cards[CARDS];
    int count = list_cards(input->catalog, offer->price, cards);
    bool stale = false;
    if (count < 2)
        return;
    sort_cards(cards, count);
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Hardware, list price"), TEXT_LEFT);
    table_column(table, NULL, tr("GPU"), TEXT_LEFT);
    table_column(table, NULL, tr("A GiB-hour"), TEXT_RIGHT);
    table_column(table, NULL, tr("A TFLOPS-hour"), TEXT_RIGHT);
    for (int i = 0; i < count; i++) {
        bool old = billing_stale(input->catalog, cards[i].price->date, input->today);
        stale |= old;
        table_text(table, arena_printf(report->arena, "%s%s%s", cards[i].instance->type,
                                       old ? "*" : "", cards[i].price->low_confidence ? "?" : ""));
        table_text(table, cards[i].instance->gpu->id);
        table_text(table, FIGURE(rate, cards[i].gib_hour));
        table_text(table, FIGURE(rate, cards[i].tflops_hour));
    }
    report_addf(report, BLOCK_TEXT,
                tr("%s an hour, by the usable GiB and by the dense 16-bit TFLOPS; the cheapest type "
                   "of each card. An older card may list above a newer one."),
                offer->price->currency);
    if (stale)
        report_addf(report, BLOCK_TEXT,
                    tr("* = a price older than %.0f days; ? = a single unconfirmed report."),
                    billing_stale_days(input->catalog));
}

void report_units(struct report *report, const struct report_input *input, const struct job *job,
                  const struct offer *offer)
{
    const struct cost *cost = offer_cost(offer, offer->cheapest);
    if (!cost)
        return;
    report_add(report, BLOCK_HEADING, tr("What a unit costs"));
    if (job->workload == WORKLOAD_INFERENCE)
        add_serving_units(report, input, job, offer, cost);
    else if (isfinite(cost->total_cny))
        add_training_units(report, job, offer, cost);
    if (offer->price)
        add_hardware_units(report, input, offer);
}

/* ---- what an amount buys --------------------------------------------------------------------- */

enum { BUDGET_OFFERS = 5 };

static double tokens_per_s(const struct job *job, const struct offer *offer)
{
    return job->workload == WORKLOAD_INFERENCE ? offer->speed.output_tokens_per_s
                                               : offer->speed.tokens_per_s;
}

/* The way of paying that buys most of the job; MODE_COUNT when the amount buys nothing. */
enum billing_mode report_budget_mode(const struct report_input *input, const struct job *job,
                                     const struct offer *offer, struct budget_answer *best)
{
    struct billing_input paid = offer_billing_input(input->catalog, job, offer, input->today);
    enum billing_mode found = MODE_COUNT;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        struct budget_answer answer;
        const struct cost *cost = offer_cost(offer, (enum billing_mode)mode);
        if (!cost || cost->refused_alone || !billing_allowed(job->scenario, (enum billing_mode)mode) ||
            !billing_budget(&paid, (enum billing_mode)mode, input->scenario->budget,
                            tokens_per_s(job, offer), &answer))
            continue;
        if (found == MODE_COUNT || answer.useful_h > best->useful_h) {
            *best = answer;
            found = (enum billing_mode)mode;
        }
    }
    return found;
}

static void add_budget_row(const struct report *report, const struct offer *offer,
                           enum billing_mode mode, const struct budget_answer *answer,
                           struct table *table)
{
    table_text(table, report_machines(report, offer));
    table_text(table, tr(billing_modes[mode].label));
    table_text(table, FIGURE(hours, answer->useful_h));
    table_text(table, FIGURE(gib, answer->months));
    table_text(table, FIGURE(count, answer->tokens));
    table_text(table, answer->whole_job ? tr("yes") : tr("no"));
}

bool report_budget_asked(const struct scenario *scenario)
{
    return scenario_has(scenario, FIELD_BUDGET) &&
           (!scenario_has(scenario, FIELD_BUDGET_PER) || scenario->budget_per == PER_TOTAL);
}

/* A budget for each month or hour buys an offer or not: all those of the plan keep it. */
static void add_rate_budget(struct report *report, const struct report_input *input,
                            const struct plan *plan)
{
    bool month = input->scenario->budget_per == PER_MONTH;
    const struct offer *first = plan->offer_count > 0 ? &plan->offers[0] : NULL;
    const struct cost *cost = first ? offer_cost(first, MODE_COUNT) : NULL;
    if (cost)
        report_addf(report, BLOCK_ITEM,
                    month ? tr("Offers within %s a month: %zu; the first takes %s.")
                          : tr("Offers within %s an hour: %zu; the first takes %s."),
                    MONEY(NULL, input->scenario->budget), plan->offer_count,
                    MONEY(first, month ? cost->per_month_cny : cost->per_hour_cny));
}

bool report_beyond_budget(const struct report_input *input, struct scenario *scenario,
                          struct plan *plan)
{
    struct error error;
    if (!report_budget_asked(input->scenario) || !input->plan || input->plan->offer_count > 0 ||
        !input->constants)
        return false;
    *scenario = *input->scenario;
    scenario_unset(scenario, FIELD_BUDGET);
    return plan_compute(input->catalog, input->constants, scenario, input->today, plan, &error);
}

void report_budget(struct report *report, const struct report_input *input, const struct plan *plan)
{
    size_t rows = 0;
    if (scenario_has(input->scenario, FIELD_BUDGET) && !report_budget_asked(input->scenario))
        add_rate_budget(report, input, plan);
    if (!report_budget_asked(input->scenario) || plan->offer_count == 0)
        return;
    report_addf(report, BLOCK_HEADING, tr("What %s buys"),
                MONEY(NULL, input->scenario->budget));
    if (plan != input->plan)
        report_add(report, BLOCK_TEXT,
                   tr("The whole job costs more than that; this much of it can be had:"));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Offer"), TEXT_LEFT);
    table_column(table, NULL, tr("Paid by"), TEXT_LEFT);
    table_column(table, NULL, tr("Useful time"), TEXT_RIGHT);
    table_column(table, NULL, tr("Months"), TEXT_RIGHT);
    table_column(table, NULL, tr("Tokens"), TEXT_RIGHT);
    table_column(table, NULL, tr("Whole job"), TEXT_LEFT);
    for (size_t i = 0; i < plan->offer_count && rows < BUDGET_OFFERS; i++) {
        struct budget_answer answer;
        const struct offer *offer = &plan->offers[i];
        if (!offer->price || strcmp(offer->price->currency, "CNY") != 0)
            continue;
        enum billing_mode mode = report_budget_mode(input, &plan->job, offer, &answer);
        if (mode == MODE_COUNT)
            continue;
        add_budget_row(report, offer, mode, &answer, table);
        rows++;
    }
    if (rows == 0)
        report_add(report, BLOCK_TEXT, tr("Not even the smallest unit of any offer."));
    else
        report_add(report, BLOCK_TEXT,
                   plan->job.workload == WORKLOAD_INFERENCE
                       ? tr("Tokens written at the load asked for. Each offer by the way of paying "
                            "that goes furthest.")
                       : tr("Each offer by the way of paying that goes furthest, expected rework "
                            "taken off."));
}
