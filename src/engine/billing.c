/* billing.c - the table of billing modes, and the total of each as a sum of rounded lines. */
#include "engine/billing_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/money.h"

/* A spot plan with less slack than this before the deadline is no plan. */
#define DEADLINE_SLACK 1.5
#define STALE_DAYS 90.0 /* where the data say nothing else */

#define NO_HURRY N_("Nothing: start and stop at will.")

const struct billing_mode_info billing_modes[MODE_COUNT] = {
    [MODE_PAYG] = {"payg", N_("Pay-as-you-go"),
        N_("Every second the machine exists, billed by the hour; a service is left on all day."),
        NO_HURRY,
        N_("Stock is not held. A machine left on by mistake keeps costing."),
        N_("machines x hours x hourly price"), BILLING_PAYG, 0},
    [MODE_PAYG_STOP] = {"payg_stop", N_("PAYG, stopped"),
        N_("Only the hours used: stopped economically while idle. Disks and fixed addresses are "
           "still charged."),
        N_("A virtual private cloud, a type without local disks, and someone or something that "
           "stops and starts it."),
        N_("Stock is not held while stopped: the next start may fail."),
        N_("machines x hours used x hourly price, disks all month"), BILLING_PAYG, 0},
    [MODE_MONTHLY] = {"monthly", N_("Monthly"),
        N_("Whole months in advance, used or not."), N_("Payment at the start of each month."),
        N_("Unused days are lost; renew in time or the machine is released."),
        N_("machines x whole months x monthly price"), BILLING_MONTHLY, 1},
    [MODE_YEARLY] = {"yearly", N_("1 year"),
        N_("A whole year in advance, used or not."), N_("Payment for the year at the start."),
        N_("Hardware and prices move on within the year; refunds lose the discount."),
        N_("machines x whole years x yearly price"), BILLING_YEARLY, 12},
    [MODE_2YEAR] = {"2year", N_("2 years"),
        N_("Two whole years in advance, used or not."), N_("Payment for two years at the start."),
        N_("A newer card may be twice as fast before the term ends."),
        N_("machines x whole terms x price of two years"), BILLING_YEARLY, 24},
    [MODE_3YEAR] = {"3year", N_("3 years"),
        N_("Three whole years in advance, used or not."),
        N_("Payment for three years at the start."),
        N_("A newer card may be twice as fast before the term ends."),
        N_("machines x whole terms x price of three years"), BILLING_3YEAR, 36},
    [MODE_5YEAR] = {"5year", N_("5 years"),
        N_("Five whole years in advance, used or not."), N_("Payment for five years at the start."),
        N_("Longer than a GPU generation lasts."),
        N_("machines x whole terms x price of five years"), BILLING_3YEAR, 60},
    [MODE_SAVINGS] = {"savings", N_("Savings plan"),
        N_("An amount an hour for a whole term, at a discount; use above it is pay-as-you-go."),
        N_("A commitment of 1 or 3 years; all, part or nothing of it upfront."),
        N_("Hours below the commitment are lost; it holds no stock."),
        N_("machines x hours of the term x discounted hourly price"), BILLING_SAVINGS, 12},
    [MODE_RESERVED] = {"reserved", N_("Reserved"),
        N_("The discounted price for every hour of the term, used or not."),
        N_("A term of 1 or 3 years; the zonal kind also holds the stock, the regional does not."),
        N_("Charged whether used or not; bound to a family and size."),
        N_("machines x hours of the term x discounted hourly price"), BILLING_RESERVED, 12},
    [MODE_SPOT] = {"spot", N_("Spot"),
        N_("The market price while it runs; the first hour is not taken away."),
        N_("A job that saves its state and starts again by itself."),
        N_("Released after a notice of minutes when the price passes the bid or stock is short; "
           "all machines at once may not be had."),
        N_("machines x wall hours x hourly price x spot ratio; wall hours = useful hours / goodput"),
        BILLING_SPOT, 0},
    [MODE_SPOT_UNPROTECTED] = {"spot_unprotected", N_("Spot unprotected"),
        N_("About a tenth less than protected spot, without the protected first hour."),
        N_("A job that saves its state and starts again by itself."),
        N_("May be released minutes after it started."),
        N_("machines x wall hours x hourly price x spot ratio; wall hours = useful hours / goodput"),
        BILLING_SPOT, 0},
    [MODE_SERVERLESS] = {"serverless", N_("GPU function"),
        N_("Seconds in use at the active rate, kept-warm seconds at the idle rate."),
        N_("A service on one card per copy, packed as a function."),
        N_("Cold starts load the model again; processors, memory and calls come on top."),
        N_("cards x GB x seconds x (active or idle units) x price of a unit, in monthly tiers"),
        BILLING_ANY, 0},
    [MODE_MANAGED] = {"managed", N_("Managed"),
        N_("The managed platform's hourly price for the same machine."),
        N_("An image and a job or service definition of that platform."),
        N_("Dearer than the bare machine on some types; quotas of its own."),
        N_("machines x hours x platform price"), BILLING_ANY, 0},
    [MODE_MIXED] = {"mixed", N_("Mixed"),
        N_("The base load on a commitment, the rest by the hour."),
        N_("A load that is known, and scaling that adds and removes machines."),
        N_("The committed part is lost when the load falls."),
        N_("sum over machines of min(commitment, hours needed x hourly price)"), BILLING_MIXED, 0},
};

const char *const cost_basis_names[] = {N_("quoted"), N_("rule"), N_("assumption"), NULL};
const char *const upfront_labels[UPFRONT_COUNT] = {
    [UPFRONT_NONE] = N_("nothing upfront"),
    [UPFRONT_PART] = N_("part upfront"),
    [UPFRONT_ALL] = N_("all upfront"),
};

/* ---- lines --------------------------------------------------------------------------------- */

void cost_add(struct cost *cost, const char *label, double quantity, const char *unit,
              const struct rate *rate)
{
    assert(cost->line_count < COST_LINES);
    struct cost_line *line = &cost->lines[cost->line_count++];
    *line = (struct cost_line){.label = label, .quantity = quantity, .unit = unit,
                               .rate_cny = rate->value, .basis = rate->basis, .date = rate->date,
                               .source = rate->source};
    line->amount_fen = money_times(quantity, rate->value);
    line->amount_cny = money_cny(line->amount_fen);
    cost->total_fen += line->amount_fen;
    if (rate->basis > cost->basis)
        cost->basis = rate->basis;
}

void cost_refuse(struct cost *cost, const char *why_not)
{
    cost->available = false;
    cost->why_not = why_not;
    cost->total_cny = cost->per_hour_cny = cost->per_month_cny = NAN;
    cost->low_cny = cost->high_cny = NAN;
    cost->line_count = 0;
    cost->total_fen = 0;
}

static bool older(const char *date, const char *today, double days)
{
    return date && *date && today && catalog_age_days(date, today) > days;
}

double billing_stale_days(const struct catalog *catalog)
{
    const struct billing_rule *rule = catalog ? catalog_rule(catalog, "stale_days") : NULL;
    return rule ? rule->value : STALE_DAYS;
}

bool billing_stale(const struct catalog *catalog, const char *date, const char *today)
{
    return older(date, today, billing_stale_days(catalog));
}

/* ---- one mode ------------------------------------------------------------------------------ */

/* Hours that are charged when `wall_h` hours are worked: a service is charged while it is up, or,
 * when it is never stopped, all the time. */
static double charged_hours(const struct billing_context *context, enum billing_mode mode,
                            double wall_h)
{
    if (!context->input->service)
        return wall_h;
    return mode == MODE_PAYG || mode == MODE_MANAGED ? context->period_h : context->used_h;
}

static double terms(double hours, double term_months)
{
    /* 2190.0000000001 hours are three months, not four */
    return fmax(1, ceil(hours / (HOURS_PER_MONTH * term_months) - 1e-9));
}

static double span_hours(const struct billing_context *context, double wall_h)
{
    return context->input->service ? context->period_h : wall_h;
}

static void price_by_hour(const struct billing_context *context, enum billing_mode mode,
                          const struct rate *rate, const struct losses *losses, struct cost *cost)
{
    const struct billing_input *input = context->input;
    double hours = charged_hours(context, mode, cost->wall_h);
    cost->machine_hour_cny = rate->value;
    double month_h = input->service ? hours / input->months : HOURS_PER_MONTH;
    cost->per_month_cny = input->nodes * rate->value * month_h + storage_month_cny(context, true);
    if (!context->sized)
        return;
    cost_add(cost, N_("Machines, by the hour"), input->nodes * hours, N_("machine-hours"), rate);
    double start_h = input->service ? 0 : rule_value(context, RULE_START_MINUTES, 0) / 60;
    if (start_h > 0)
        cost_add(cost, N_("Boot, load and warm-up"), input->nodes * start_h, N_("machine-hours"), rate);
    double least = input->service ? hours : losses->wall_h[0] + start_h;
    double most = input->service ? hours : losses->wall_h[2] + start_h;
    cost->low_cny = input->nodes * least * rate->low;
    cost->high_cny = input->nodes * most * rate->high;
    storage_add_lines(context, span_hours(context, cost->wall_h), 0,
                      span_hours(context, cost->wall_h), cost);
    cost->per_hour_cny = money_cny(cost->total_fen) / (hours + start_h);
}

static void price_by_term(const struct billing_context *context, enum billing_mode mode,
                          const struct rate *rate, const struct losses *losses, struct cost *cost)
{
    const struct billing_input *input = context->input;
    double term = billing_modes[mode].term_months;
    cost->machine_month_cny = rate->value / term;
    cost->per_month_cny = input->nodes * cost->machine_month_cny + storage_month_cny(context, false);
    if (!context->sized)
        return;
    double span_h = span_hours(context, cost->wall_h), count = terms(span_h, term);
    cost_add(cost, term > 1 ? N_("Machines, whole terms") : N_("Machines, whole months"),
             input->nodes * count, term > 1 ? N_("machine-terms") : N_("machine-months"), rate);
    cost->committed_h = count * term * HOURS_PER_MONTH;
    double least = input->service ? count : terms(losses->wall_h[0], term);
    double most = input->service ? count : terms(losses->wall_h[2], term);
    cost->low_cny = input->nodes * least * rate->low;
    cost->high_cny = input->nodes * most * rate->high;
    storage_add_lines(context, 0, count * term, span_h, cost);
    cost->per_hour_cny = money_cny(cost->total_fen) /
                         (input->service ? cost->committed_h : cost->wall_h);
}

static void fill_upfront(const struct billing_context *context, double total_cny, double months,
                         struct cost *cost)
{
    struct rate part = rate_rule(context, RULE_PART_UPFRONT);
    const double shares[UPFRONT_COUNT] = {0, isnan(part.value) ? 0.5 : part.value, 1};
    for (int i = 0; i < UPFRONT_COUNT; i++) {
        cost->upfront_cny[i] = money_cny(money_fen(shares[i] * total_cny));
        cost->upfront_month_cny[i] = (total_cny - cost->upfront_cny[i]) / months;
    }
}

/* Savings plan and reserved instance: every hour of whole terms, at the discounted price, of one
 * year or of three where that is cheaper for the span. */
static void price_commitment(const struct billing_context *context, enum billing_mode mode,
                             const struct losses *losses, struct cost *cost)
{
    const struct billing_input *input = context->input;
    double span_h = context->sized ? span_hours(context, cost->wall_h) : 0;
    struct rate rate = rate_of_term(context, mode, 12), longer = rate_of_term(context, mode, 36);
    int term = 12;
    double years = 12 * terms(span_h, 12), threes = 36 * terms(span_h, 36);
    if (isnan(rate.value) || threes * longer.value < years * rate.value) {
        rate = longer;
        term = 36;
    }
    cost->machine_month_cny = rate.value * HOURS_PER_MONTH;
    cost->per_month_cny = input->nodes * cost->machine_month_cny + storage_month_cny(context, true);
    if (!context->sized)
        return;
    double count = terms(span_h, term);
    cost->committed_h = count * term * HOURS_PER_MONTH;
    cost_add(cost, N_("Commitment, every hour of the term"), input->nodes * cost->committed_h,
             N_("machine-hours"), &rate);
    fill_upfront(context, money_cny(cost->total_fen), count * term, cost);
    double least = input->service ? count : terms(losses->wall_h[0], term);
    double most = input->service ? count : terms(losses->wall_h[2], term);
    cost->low_cny = input->nodes * least * term * HOURS_PER_MONTH * rate.low;
    cost->high_cny = input->nodes * most * term * HOURS_PER_MONTH * rate.high;
    storage_add_lines(context, span_h, 0, span_h, cost); /* it covers machines only */
    cost->per_hour_cny = money_cny(cost->total_fen) /
                         (input->service ? cost->committed_h : cost->wall_h);
}

static bool spot_chosen(const struct scenario *scenario)
{
    return scenario_has(scenario, FIELD_BILLING) && scenario->billing == BILLING_SPOT;
}

/* The total from the lines, the band around it, and the warnings that hold for every mode. */
static void finish(const struct billing_context *context, enum billing_mode mode,
                   struct cost *cost)
{
    const struct billing_input *input = context->input;
    double storage = 0, stale_days = rule_value(context, RULE_STALE_DAYS, STALE_DAYS);
    for (int i = 0; i < cost->line_count; i++) {
        storage += cost->lines[i].storage ? cost->lines[i].amount_cny : 0;
        cost->stale = cost->stale || older(cost->lines[i].date, input->today, stale_days);
    }
    cost->storage_cny = storage;
    bool spot = mode == MODE_SPOT || mode == MODE_SPOT_UNPROTECTED;
    if (spot && !input->service && !isinf(cost->mtbf_h)) { /* the hours rest on how often it is lost */
        enum cost_basis losses = spot_loss_reported(input->price) ? BASIS_RULE : BASIS_ASSUMPTION;
        cost->basis = losses > cost->basis ? losses : cost->basis;
    }
    if (context->sized) {
        cost->total_cny = money_cny(cost->total_fen);
        cost->low_cny = fmin(cost->low_cny + storage, cost->total_cny);
        cost->high_cny = fmax(cost->high_cny + storage, cost->total_cny);
        cost->misses_deadline = input->deadline_h > 0 && cost->wall_h > input->deadline_h;
        cost->refused_alone = spot && input->deadline_h > 0 && !input->service &&
                              input->deadline_h < DEADLINE_SLACK * cost->wall_h;
        /* users are waiting when the market takes the machine: only on the user's own word */
        if (spot && input->service && !spot_chosen(input->scenario))
            cost->refused_alone = true;
    } else {
        cost->total_cny = cost->low_cny = cost->high_cny = NAN;
        cost->per_hour_cny = cost->per_month_cny / HOURS_PER_MONTH;
    }
    cost->refused_alone = cost->refused_alone ||
                          (spot && !(cost->goodput >= rule_value(context, RULE_LEAST_GOODPUT, 0.5)));
    cost->may_not_start = cost->may_not_start || spot ||
                          input->instance->status == STATUS_BY_TICKET ||
                          input->instance->status == STATUS_INVITATION ||
                          input->instance->status == STATUS_API_ONLY ||
                          input->instance->status == STATUS_LIMITED_REGIONS;
}

static struct cost empty_cost(const struct billing_context *context, const struct losses *losses)
{
    const struct billing_input *input = context->input;
    return (struct cost){
        .available = true, .why_not = "",
        .wall_h = input->service ? context->used_h : losses->wall_h[1],
        .goodput = losses->goodput,
        .break_even_h_per_month = NAN, .break_even_price_ratio = NAN, .break_even_h_per_day = NAN,
        .amortise_months = NAN, .break_even_busy_share = NAN, .break_even_busy_share_cold = NAN,
        .machine_hour_cny = NAN, .machine_month_cny = NAN,
        .checkpoint_h = losses->checkpoint_h, .interval_h = losses->interval_h,
        .restart_h = losses->restart_h, .mtbf_h = losses->mtbf_h,
        .commitment = MODE_COUNT, .rest = MODE_COUNT,
        .low_confidence = input->price && input->price->low_confidence,
        .promotion = input->price && input->price->promotion,
        .currency = input->price ? input->price->currency : "CNY",
    };
}

static void price_mode(const struct billing_context *context, enum billing_mode mode,
                       struct cost *cost)
{
    const struct losses *losses = &context->losses[losses_of_mode(mode)];
    *cost = empty_cost(context, losses);
    if (mode == MODE_PAYG_STOP && !context->input->service) {
        cost_refuse(cost, N_("a run has no idle hours to stop in"));
        return;
    }
    /* help.aliyun.com document_detail/25501 (StopInstance, StopCharging): vCPU, memory and GPU stop
     * being charged, disks do not; not for types with local disks, nor for subscriptions */
    if (mode == MODE_PAYG_STOP && context->input->instance->local_nvme_gib > 0) {
        cost_refuse(cost, N_("types with local disks cannot be stopped economically"));
        return;
    }
    if (mode == MODE_SERVERLESS) {
        serverless_cost(context, cost);
    } else if (mode == MODE_MIXED) {
        mixed_cost(context, cost);
    } else if ((mode == MODE_SAVINGS || mode == MODE_RESERVED) && context->input->price) {
        price_commitment(context, mode, losses, cost);
        if (isnan(cost->machine_month_cny))
            cost_refuse(cost, rate_of_term(context, mode, 12).why_not);
    } else {
        struct rate rate = rate_of_mode(context, mode);
        if (isnan(rate.value))
            cost_refuse(cost, rate.why_not);
        else if (billing_modes[mode].term_months > 0)
            price_by_term(context, mode, &rate, losses, cost);
        else
            price_by_hour(context, mode, &rate, losses, cost);
    }
    if (!cost->available)
        return;
    finish(context, mode, cost);
    break_even_fill(context, mode, cost);
}

/* ---- all modes ----------------------------------------------------------------------------- */

void billing_context_init(struct billing_context *context, const struct billing_input *input)
{
    *context = (struct billing_context){.input = input};
    rates_find_rules(input->catalog, context->rules);
    double hours = input->hours_per_day > 0 ? fmin(input->hours_per_day, 24) : 24;
    context->period_h = input->months * HOURS_PER_MONTH;
    context->used_h = context->period_h * hours / 24;
    context->busy_share = input->busy_share > 0
                              ? fmin(input->busy_share, 1)
                              : rule_value(context, RULE_BUSY_SHARE, 1);
    context->load_share = input->load_share > 0 ? fmin(input->load_share, 1) : context->busy_share;
    context->busy_assumed = !(input->busy_share > 0);
    context->sized = input->service ? input->months > 0 : input->compute_h[1] > 0;
    context->other_currency = input->price && strcmp(input->price->currency, "CNY") != 0;
    context->disk = storage_disk(input);
    losses_estimate(context);
}

void billing_costs(const struct billing_input *input, struct cost costs[MODE_COUNT])
{
    struct billing_context context;
    billing_context_init(&context, input);
    for (int mode = 0; mode < MODE_COUNT; mode++)
        price_mode(&context, (enum billing_mode)mode, &costs[mode]);
}

void billing_cost(const struct billing_input *input, enum billing_mode mode, struct cost *cost)
{
    struct billing_context context;
    billing_context_init(&context, input);
    price_mode(&context, mode, cost);
}

bool billing_allowed(const struct scenario *scenario, enum billing_mode mode)
{
    int answer = scenario_has(scenario, FIELD_BILLING) ? scenario->billing : BILLING_ANY;
    return answer == BILLING_ANY || (int)billing_modes[mode].choice == answer;
}

enum billing_mode billing_cheapest(const struct scenario *scenario,
                                   const struct cost costs[MODE_COUNT])
{
    enum billing_mode best = MODE_COUNT;
    double least = INFINITY;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct cost *cost = &costs[mode];
        if (!cost->available || cost->misses_deadline || cost->refused_alone ||
            !billing_allowed(scenario, (enum billing_mode)mode))
            continue;
        double price = isnan(cost->total_cny) ? cost->per_hour_cny : cost->total_cny;
        if (price < least) {
            least = price;
            best = (enum billing_mode)mode;
        }
    }
    return best;
}
