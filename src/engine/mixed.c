/* mixed.c - base load on a commitment, the rest on demand or spot, split where it costs least.
 *
 * A machine that is needed a share u of the time costs min(commitment, u x hours x hourly price), so
 * it is committed when u exceeds u* = commitment / hourly price: the base load is the (1 - u*)
 * quantile of the load. How often the i-th of n machines is needed follows from the load: with a
 * mean load b, the load exceeds a fraction x of its peak a share 1 - x^(b / (1 - b)) of the
 * running time, the one-parameter curve whose mean is b (b = 1/2: a straight line). The first
 * machine is up whenever the service is. */
#include "engine/billing_internal.h"

#include <math.h>
#include "base/i18n.h"
#include "base/units.h"

static const enum billing_mode commitments[] = {
    MODE_MONTHLY, MODE_YEARLY, MODE_2YEAR, MODE_3YEAR, MODE_5YEAR, MODE_SAVINGS, MODE_RESERVED};
enum { COMMITMENTS = sizeof commitments / sizeof *commitments };
#define SHORTEST_TERM_H HOURS_PER_MONTH

/* Commitment of one machine for one term. */
struct term { enum billing_mode mode; double hours, cny; struct rate rate; };

static struct term term_of(const struct billing_context *context, enum billing_mode mode)
{
    struct term term = {.mode = mode,
                        .hours = billing_modes[mode].term_months * HOURS_PER_MONTH,
                        .rate = rate_of_mode(context, mode)};
    bool by_the_hour = mode == MODE_SAVINGS || mode == MODE_RESERVED;
    term.cny = by_the_hour ? term.rate.value * term.hours : term.rate.value;
    if (by_the_hour) { /* a line of it counts terms, as for subscriptions */
        term.rate.value *= term.hours;
        term.rate.low *= term.hours;
        term.rate.high *= term.hours;
    }
    return term;
}

static double whole_terms(double hours, double term_h)
{
    return fmax(1, ceil(hours / term_h - 1e-9));
}

/* Share of the running time in which machine `i` of `n` (from 0) is needed. */
static double needed(double load_share, int i, int n)
{
    if (i == 0 || load_share >= 1)
        return 1;
    return 1 - pow((double)i / n, load_share / (1 - load_share));
}

struct split {
    struct term term;       /* hours 0 = nothing is committed */
    int committed;          /* machines */
    double terms;           /* of each */
    double on_demand_h, spot_h; /* machine-hours */
    double cny;
};

static void add_line(struct cost *cost, const char *label, double quantity, const char *unit,
                     const struct rate *rate)
{
    if (quantity <= 0)
        return;
    cost_add(cost, label, quantity, unit, rate);
    cost->low_cny += quantity * rate->low;
    cost->high_cny += quantity * rate->high;
}

static void fill(const struct billing_context *context, const struct split *split,
                 const struct rate *hourly, const struct rate *spot, double span_h,
                 struct cost *cost)
{
    cost->commitment = split->committed ? split->term.mode : MODE_COUNT;
    cost->committed_machines = split->committed;
    cost->rest = split->spot_h > 0 ? MODE_SPOT : split->on_demand_h > 0 ? MODE_PAYG : MODE_COUNT;
    cost->may_not_start = split->spot_h > 0;
    cost->committed_h = split->committed ? split->terms * split->term.hours : 0;
    add_line(cost, N_("Committed machines, whole terms"), split->committed * split->terms,
             N_("machine-terms"), &split->term.rate);
    add_line(cost, N_("Machines on demand"), split->on_demand_h, N_("machine-hours"), hourly);
    add_line(cost, N_("Machines on spot"), split->spot_h, N_("machine-hours"), spot);
    storage_add_lines(context, span_h, 0, span_h, cost);
    cost->per_month_cny = (double)cost->total_fen / 100 / (span_h / HOURS_PER_MONTH);
    cost->per_hour_cny = (double)cost->total_fen / 100 / cost->wall_h;
}

/* ---- a service: which machines to commit ---------------------------------------------------- */

/* The machines of a replica come and go together: groups of them are what a load needs more or less of. */
static int together(const struct billing_input *input)
{
    return input->replica_nodes > 1 ? input->replica_nodes : 1;
}

static int groups(const struct billing_input *input)
{
    return (input->nodes + together(input) - 1) / together(input);
}

static struct split split_machines(const struct billing_context *context, const struct term *term,
                                   double hourly_cny, double spot_cny)
{
    const struct billing_input *input = context->input;
    struct split split = {.term = *term};
    if (term->hours > 0)
        split.terms = whole_terms(context->period_h, term->hours);
    bool spot = spot_cny < hourly_cny;
    for (int i = 0; i < input->nodes; i++) {
        int group = i / together(input);
        double hours = context->used_h * needed(context->load_share, group, groups(input));
        bool on_spot = spot && group > 0; /* the base load is not left to the market */
        double by_hour = hours * (on_spot ? spot_cny : hourly_cny);
        double committed = term->hours > 0 ? split.terms * term->cny : INFINITY;
        if (committed < by_hour) {
            split.committed++;
            split.cny += committed;
            continue;
        }
        split.cny += by_hour;
        *(on_spot ? &split.spot_h : &split.on_demand_h) += hours;
    }
    return split;
}

static void mix_service(const struct billing_context *context, const struct rate *hourly,
                        const struct rate *spot, struct cost *cost)
{
    struct term none = {.mode = MODE_COUNT};
    struct split best = split_machines(context, &none, hourly->value, spot->value);
    for (int i = 0; i < COMMITMENTS; i++) {
        struct term term = term_of(context, commitments[i]);
        if (isnan(term.cny))
            continue;
        struct split split = split_machines(context, &term, hourly->value, spot->value);
        if (split.cny < best.cny)
            best = split;
    }
    if (best.committed == 0 && groups(context->input) == 1) {
        cost_refuse(cost, N_("no commitment pays at this use, and one machine cannot be split"));
        return;
    }
    fill(context, &best, hourly, spot, context->period_h, cost);
    if (context->busy_assumed && groups(context->input) > 1)
        cost->basis = BASIS_ASSUMPTION;
}

/* ---- a run: how many whole terms, and the rest by the hour ----------------------------------- */

static void mix_run(const struct billing_context *context, const struct rate *hourly,
                    struct cost *cost)
{
    int nodes = context->input->nodes;
    struct split best = {.cny = INFINITY};
    if (cost->wall_h < SHORTEST_TERM_H) {
        cost_refuse(cost, N_("shorter than the shortest term: nothing to commit"));
        return;
    }
    for (int i = 0; i < COMMITMENTS; i++) {
        struct term term = term_of(context, commitments[i]);
        if (isnan(term.cny))
            continue;
        double whole = floor(cost->wall_h / term.hours + 1e-9);
        double rest_h = fmax(0, cost->wall_h - whole * term.hours);
        bool one_more = rest_h * hourly->value > term.cny;
        struct split split = {.term = term, .terms = whole + one_more,
                              .on_demand_h = one_more ? 0 : nodes * rest_h};
        split.committed = split.terms > 0 ? nodes : 0;
        split.cny = nodes * split.terms * term.cny + split.on_demand_h * hourly->value;
        if (split.cny < best.cny)
            best = split;
    }
    if (isinf(best.cny)) {
        cost_refuse(cost, N_("no commitment has a price"));
        return;
    }
    fill(context, &best, hourly, hourly, cost->wall_h, cost);
}

void mixed_cost(const struct billing_context *context, struct cost *cost)
{
    struct rate hourly = rate_of_mode(context, MODE_PAYG), spot = rate_of_mode(context, MODE_SPOT);
    if (isnan(hourly.value))
        cost_refuse(cost, hourly.why_not);
    else if (!context->sized)
        cost_refuse(cost, N_("needs the length of the job"));
    else if (context->input->service)
        mix_service(context, &hourly, &spot, cost);
    else
        mix_run(context, &hourly, cost);
}
