/* billing_explain.c - how a total comes about, in words, as a formula, and with the user's numbers. */
#include "engine/billing_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static const char *basis_text(enum cost_basis basis)
{
    switch (basis) {
    case BASIS_QUOTED:
        return tr("quoted");
    case BASIS_RULE:
        return tr("by rule, not quoted");
    default:
        return tr("assumption");
    }
}

/* Useful share of the hours paid below which a page tells it. */
#define WORTH_TELLING 0.98

/* Rates keep the digits they were quoted with; amounts have two decimals. */
static const char *amount(double cny, char *text)
{
    snprintf(text, UNITS_TEXT, "%.2f", cny);
    return text;
}

static void explain_line(const struct billing_input *input, const struct cost *cost,
                         const struct cost_line *line, struct strbuf *out)
{
    char quantity[UNITS_TEXT], rate[UNITS_TEXT], total[UNITS_TEXT];
    snprintf(quantity, sizeof quantity, "%.10g", line->quantity);
    snprintf(rate, sizeof rate, "%.6g", line->rate_cny);
    strbuf_printf(out, tr("%s: %s %s x %s = %s %s (%s"), tr(line->label), quantity, tr(line->unit),
                  rate, amount(line->amount_cny, total), cost->currency, basis_text(line->basis));
    if (*line->date)
        strbuf_printf(out, tr(", %s"), line->date);
    if (billing_stale(input->catalog, line->date, input->today))
        strbuf_printf(out, tr(", %s"), tr("stale: look it up again"));
    strbuf_add(out, tr(")\n"));
}

/* ---- rules and assumptions ------------------------------------------------------------------ */

/* The rules of the data that a rate by rule comes from, by mode, and those that lost time comes
 * from. */
enum { RULES_EACH = 4 };
static const char *const rate_rules[MODE_COUNT][RULES_EACH] = {
    [MODE_MONTHLY] = {"month_hours"},
    [MODE_YEARLY] = {"month_hours", "year_ratio"},
    [MODE_2YEAR] = {"month_hours", "year2_ratio"},
    [MODE_3YEAR] = {"month_hours", "year3_ratio"},
    [MODE_5YEAR] = {"month_hours", "year5_ratio"},
    [MODE_SAVINGS] = {"savings_ratio_1y", "savings_ratio_3y"},
    [MODE_RESERVED] = {"reserved_ratio_1y", "reserved_ratio_3y"},
    [MODE_SERVERLESS] = {"busy_share"},
    [MODE_SPOT] = {"spot_price_ratio"},
    [MODE_SPOT_UNPROTECTED] = {"spot_price_ratio", "spot_unprotected_ratio"},
};
static const char *const hardware_rules[RULES_EACH] = {"gpu_hours_between_failures", "restart_min"};
static const char *const spot_rules[RULES_EACH] = {
    "spot_hours_between_losses", "gpu_hours_between_failures", "restart_min"};
static const char *const protected_rules[RULES_EACH] = {
    "spot_hours_between_losses", "spot_protected_h", "gpu_hours_between_failures", "restart_min"};

/* Answers of the user that stand in for a rule. */
static const struct { const char *rule; enum field_id field; } answers[] = {
    {"spot_price_ratio", FIELD_SPOT_PRICE_RATIO},
    {"spot_hours_between_losses", FIELD_SPOT_HOURS_BETWEEN_LOSSES}};

static bool answered(const struct scenario *scenario, const char *rule)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (strcmp(answers[i].rule, rule) == 0)
            return scenario_has(scenario, answers[i].field);
    return false;
}

static void explain_rules(const struct billing_input *input, const char *const ids[RULES_EACH],
                          struct strbuf *out)
{
    for (int i = 0; i < RULES_EACH && ids[i]; i++) {
        const struct billing_rule *rule = catalog_rule(input->catalog, ids[i]);
        if (!rule)
            continue;
        if (answered(input->scenario, rule->id)) {
            strbuf_printf(out, tr("  %s: your own figure\n"), tr(rule->name));
            continue;
        }
        if (strcmp(rule->id, "spot_hours_between_losses") == 0 && spot_loss_reported(input->price)) {
            strbuf_printf(out, tr("  %.2g %% of spot machines released in 30 days, as the provider "
                                  "says: 720 h / -ln(1 - share)\n"),
                          input->price->spot_released_percent);
            continue;
        }
        strbuf_printf(out, tr("  %s: %.6g %s (%s)\n"), tr(rule->name), rule->value, tr(rule->unit),
                      tr(rule->basis));
    }
}

static const char *const *time_rules(enum billing_mode mode)
{
    return mode == MODE_SPOT               ? protected_rules
           : mode == MODE_SPOT_UNPROTECTED ? spot_rules
                                           : hardware_rules;
}

/* The modes whose rates are in a total: a mix is made of a commitment and of what the rest is paid
 * by. Returns how many. */
static int parts_of(const struct cost *cost, enum billing_mode mode, enum billing_mode parts[2])
{
    int count = 0;
    if (mode != MODE_MIXED)
        parts[count++] = mode;
    else if (cost->commitment < MODE_COUNT)
        parts[count++] = cost->commitment;
    if (mode == MODE_MIXED && cost->rest < MODE_COUNT)
        parts[count++] = cost->rest;
    return cost->basis == BASIS_QUOTED ? 0 : count;
}

static bool loses_time(const struct billing_input *input, const struct cost *cost)
{
    return !input->service && !isinf(cost->mtbf_h) && !isnan(cost->wall_h);
}

/* ---- sources, each once ---------------------------------------------------------------------- */

enum { SOURCES = COST_LINES + 3 * RULES_EACH };
struct sources { const char *texts[SOURCES]; int count; };

static void source_add(struct sources *sources, const char *text)
{
    for (int i = 0; i < sources->count; i++)
        if (strcmp(sources->texts[i], text) == 0)
            return;
    if (*text)
        sources->texts[sources->count++] = text;
}

static void sources_of_rules(const struct billing_input *input, const char *const ids[RULES_EACH],
                             struct sources *sources)
{
    for (int i = 0; i < RULES_EACH && ids[i]; i++) {
        const struct billing_rule *rule = catalog_rule(input->catalog, ids[i]);
        if (rule && !answered(input->scenario, rule->id))
            source_add(sources, rule->source);
    }
}

static void explain_sources(const struct billing_input *input, const struct cost *cost,
                            enum billing_mode mode, struct strbuf *out)
{
    struct sources sources = {0};
    for (int i = 0; i < cost->line_count; i++)
        source_add(&sources, cost->lines[i].source);
    enum billing_mode parts[2];
    int part_count = parts_of(cost, mode, parts);
    for (int i = 0; i < part_count; i++)
        sources_of_rules(input, rate_rules[parts[i]], &sources);
    if (loses_time(input, cost))
        sources_of_rules(input, time_rules(mode), &sources);
    for (int i = 0; i < sources.count; i++) {
        struct strbuf words = {0};
        catalog_source_words(sources.texts[i], &words);
        strbuf_printf(out, tr("Source: %s\n"), strbuf_text(&words));
        strbuf_clear(&words);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void explain_time(const struct billing_input *input, const struct cost *cost,
                         enum billing_mode mode, struct strbuf *out)
{
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
    if (!loses_time(input, cost))
        return;
    strbuf_printf(out, tr("Wall time = M e^(R/M) (e^((t+C)/M) - 1) x T/t (Daly 2006, eq. 20): T = %s "
                          "of computing takes %s, goodput %.1f %%.\n"),
                  units_hours(input->compute_h[1], a), units_hours(cost->wall_h, b),
                  cost->goodput * 100);
    strbuf_printf(out, tr("M = %s between losses of any of %d machines; "),
                  units_hours(cost->mtbf_h, a), input->nodes);
    strbuf_printf(out, tr("checkpoint C = %s every t = %s, restart R = %s.\n"),
                  units_hours(cost->checkpoint_h, a), units_hours(cost->interval_h, b),
                  units_hours(cost->restart_h, c));
    explain_rules(input, time_rules(mode), out);
}

static void explain_busy(const struct billing_input *input, const struct cost *cost,
                         struct strbuf *out)
{
    if (isnan(cost->break_even_busy_share))
        return;
    strbuf_printf(out, tr("Cheaper than pay-as-you-go below %.0f %% busy when kept warm, below "
                          "%.0f %% when scaled to zero.\n"),
                  cost->break_even_busy_share * 100, cost->break_even_busy_share_cold * 100);
    if (input->busy_share > 0)
        strbuf_printf(out, tr("This service has a request in flight %.0f %% of the time.\n"),
                      input->busy_share * 100);
}

static void explain_break_even(const struct billing_input *input, const struct cost *cost,
                               struct strbuf *out)
{
    char a[UNITS_TEXT];
    if (!isnan(cost->break_even_h_per_month)) {
        strbuf_printf(out, tr("Cheaper than pay-as-you-go above %.0f hours a month (%.1f a day)"),
                      cost->break_even_h_per_month, cost->break_even_h_per_day);
        if (cost->break_even_h_per_month > HOURS_PER_MONTH)
            strbuf_printf(out, tr(": %s"), tr("never, a month has 730"));
        strbuf_add(out, tr(".\n"));
    }
    if (!isnan(cost->amortise_months))
        strbuf_printf(out, tr("The term is paid back after %s months of this use.\n"),
                      units_gib(cost->amortise_months, a));
    if (!isnan(cost->break_even_price_ratio))
        strbuf_printf(out, tr("Spot stops paying at %.2f of the hourly price; counted is %.2f.\n"),
                      cost->break_even_price_ratio,
                      cost->machine_hour_cny / input->price->payg_hour);
    explain_busy(input, cost, out);
}

struct warning { bool holds; const char *text; };

static void explain_each(const struct warning *warnings, size_t count, struct strbuf *out)
{
    for (size_t i = 0; i < count; i++)
        if (warnings[i].holds)
            strbuf_printf(out, "! %s\n", tr(warnings[i].text));
}

/* Of the plan: whether it can be relied on. */
static void explain_warnings(const struct billing_input *input, const struct cost *cost,
                             struct strbuf *out)
{
    const struct warning warnings[] = {
        {cost->refused_alone && input->service,
         N_("Not to be relied on alone: users wait when the market takes the machine.")},
        {cost->refused_alone && !input->service,
         N_("Not to be relied on alone: too much is lost to rework, or the deadline is nearer than "
            "one and a half times the wall time.")},
        {cost->misses_deadline, N_("Misses the deadline.")},
        {cost->may_not_start,
         N_("May not start when asked: stock, quota or an invitation stands in between.")},
        {cost->storage_left_out,
         N_("Storage or traffic was asked for but has no price; it is not in the total.")},
    };
    explain_each(warnings, sizeof warnings / sizeof *warnings, out);
}

/* Of the quote: what tables show as marks. */
static void explain_quote(const struct billing_input *input, const struct cost *cost,
                          struct strbuf *out)
{
    const struct warning warnings[] = {
        {cost->low_confidence, N_("The quote has no region or date of its own: low confidence.")},
        {cost->promotion, N_("The quote is a promotion, not the list price.")},
    };
    if (cost->stale)
        strbuf_printf(out, tr("! A price is older than %.0f days: import a new one.\n"),
                      billing_stale_days(input->catalog));
    explain_each(warnings, sizeof warnings / sizeof *warnings, out);
}

static void explain_mix(const struct billing_input *input, const struct cost *cost,
                        struct strbuf *out)
{
    if (cost->commitment < MODE_COUNT)
        strbuf_printf(out, tr("%d of %d machines on: %s.\n"), cost->committed_machines,
                      input->nodes, tr(billing_modes[cost->commitment].label));
    if (cost->rest < MODE_COUNT)
        strbuf_printf(out, tr("The rest on: %s.\n"), tr(billing_modes[cost->rest].label));
    if (input->service && input->load_share > 0 && cost->commitment + cost->rest < 2 * MODE_COUNT)
        strbuf_printf(out, tr("The load is %.0f %% of what the machines carry.\n"),
                      input->load_share * 100);
}

static void explain_payment(const struct cost *cost, struct strbuf *out)
{
    char first[UNITS_TEXT], month[UNITS_TEXT];
    if (!(cost->upfront_cny[UPFRONT_ALL] > 0))
        return;
    for (int i = 0; i < UPFRONT_COUNT; i++)
        strbuf_printf(out, tr("Paid %s: %s at once, %s a month.\n"), tr(upfront_labels[i]),
                      amount(cost->upfront_cny[i], first),
                      amount(cost->upfront_month_cny[i], month));
}

void billing_figures(const struct billing_input *input, const struct cost *cost,
                     enum billing_mode mode, struct strbuf *out)
{
    if (!cost->available) {
        strbuf_printf(out, tr("Not available: %s.\n"), tr(cost->why_not));
        return;
    }
    if (loses_time(input, cost) && cost->goodput < WORTH_TELLING)
        strbuf_printf(out, tr("%.0f %% of the hours paid are useful.\n"), cost->goodput * 100);
    if (mode == MODE_MIXED)
        explain_mix(input, cost, out);
    explain_break_even(input, cost, out);
    explain_payment(cost, out);
    explain_warnings(input, cost, out);
}

void billing_explain(const struct billing_input *input, const struct cost *cost,
                     enum billing_mode mode, struct strbuf *out)
{
    const struct billing_mode_info *info = &billing_modes[mode];
    char low[UNITS_TEXT], total[UNITS_TEXT], high[UNITS_TEXT];
    strbuf_printf(out, tr("%s: %s\n"), tr(info->label), tr(info->charges));
    if (!cost->available) {
        strbuf_printf(out, tr("Not available: %s.\n"), tr(cost->why_not));
        return;
    }
    enum billing_mode parts[2];
    int part_count = parts_of(cost, mode, parts);
    strbuf_printf(out, tr("Total = %s.\n"), tr(info->formula));
    for (int i = 0; i < cost->line_count; i++)
        explain_line(input, cost, &cost->lines[i], out);
    for (int i = 0; i < part_count; i++)
        explain_rules(input, rate_rules[parts[i]], out);
    if (!isnan(cost->total_cny))
        strbuf_printf(out, tr("Sum of the lines, each rounded to the fen: %s %s (%s to %s).\n"),
                      amount(cost->total_cny, total), cost->currency, amount(cost->low_cny, low),
                      amount(cost->high_cny, high));
    explain_mix(input, cost, out);
    explain_payment(cost, out);
    explain_time(input, cost, mode, out);
    explain_break_even(input, cost, out);
    explain_warnings(input, cost, out);
    explain_quote(input, cost, out);
    strbuf_printf(out, tr("Needs: %s\n"), tr(info->needs));
    strbuf_printf(out, tr("Risk: %s\n"), tr(info->risks));
    explain_sources(input, cost, mode, out);
}
