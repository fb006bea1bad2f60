/* break_even.c - where one way of paying overtakes another. */
#include "engine/billing_internal.h"

#include <math.h>
#include "base/units.h"

#define DAYS_PER_MONTH (HOURS_PER_MONTH / 24)

/* h* = month's price / hour's price; a commitment that is charged by the hour all term long has a
 * month's price of 730 hours. */
static void fill_commitment(const struct billing_context *context, double hour_cny,
                            struct cost *cost)
{
    const struct billing_input *input = context->input;
    cost->break_even_h_per_month = cost->machine_month_cny / hour_cny;
    cost->break_even_h_per_day = cost->break_even_h_per_month / DAYS_PER_MONTH;
    if (!context->sized || cost->line_count == 0)
        return;
    /* months of this use that would have cost the whole term by the hour */
    double used_h = input->service ? context->used_h / input->months : HOURS_PER_MONTH;
    double machines_cny = cost->lines[0].amount_cny / input->nodes;
    cost->amortise_months = machines_cny / (hour_cny * used_h);
}

/* Spot pays while its price ratio is below the share of time it wastes less: ratio x p x T / g_spot
 * = p x T / g_hourly. A service runs by the clock, so only the price counts. */
static void fill_spot(const struct billing_context *context, struct cost *cost)
{
    double by_the_hour = context->losses[LOSSES_HARDWARE].goodput;
    cost->break_even_price_ratio = context->input->service ? 1 : cost->goodput / by_the_hour;
    if (context->sized && !context->input->service)
        cost->break_even_price_ratio = context->losses[LOSSES_HARDWARE].wall_h[1] / cost->wall_h;
}

void break_even_fill(const struct billing_context *context, enum billing_mode mode,
                     struct cost *cost)
{
    double hour_cny = context->input->price ? context->input->price->payg_hour : NAN;
    if (mode == MODE_SPOT || mode == MODE_SPOT_UNPROTECTED)
        fill_spot(context, cost);
    else if (!isnan(cost->machine_month_cny) && mode != MODE_MIXED)
        fill_commitment(context, hour_cny, cost);
}

double billing_break_even_hours(const struct cost costs[MODE_COUNT], enum billing_mode commitment,
                                enum billing_mode on_demand)
{
    const struct cost *fixed = &costs[commitment], *hourly = &costs[on_demand];
    if (!fixed->available || !hourly->available)
        return NAN;
    /* a wall hour on spot does less: the same useful hours take goodput / goodput as many */
    return fixed->machine_month_cny * hourly->goodput /
           (hourly->machine_hour_cny * fixed->goodput);
}
