/* serverless.c - GPU functions: seconds of GPU memory times a factor, in monthly tiers. */
#include "engine/billing_internal.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/money.h"

static const struct serverless_rate *rate_of_gpu(const struct catalog *catalog, const char *gpu)
{
    for (size_t i = 0; i < catalog->serverless_count; i++) {
        const struct serverless_rate *rate = &catalog->serverless[i];
        if (rate->gpu && strcmp(rate->gpu, gpu) == 0 && rate->card_gb > 0)
            return rate;
    }
    return NULL;
}

/* A month's units through the tiers, each unit at the price of the tier it falls in. */
static double month_cny(const struct catalog *catalog, double units)
{
    double cny = 0, below = 0;
    for (size_t i = 0; i < catalog->serverless_tier_count; i++) {
        const struct serverless_tier *tier = &catalog->serverless_tiers[i];
        double end = isnan(tier->up_to_cu) ? INFINITY : tier->up_to_cu;
        if (units > below)
            cny += (fmin(units, end) - below) * tier->cny_per_cu;
        below = end;
    }
    return cny;
}

/* A month of all copies: `busy` of the hours at the active rate, the rest at the idle rate. */
struct month { double hours, gb, active, idle; };

static double month_total(const struct catalog *catalog, const struct month *month, double busy,
                          bool warm)
{
    double idle = warm ? (1 - busy) * month->idle : 0;
    return month_cny(catalog, month->hours * 3600 * month->gb * (busy * month->active + idle));
}

/* The busy share at which functions cost what machines do; the total only grows with it. */
static double crossing(const struct catalog *catalog, const struct month *month,
                       double machines_cny, bool warm)
{
    if (isnan(machines_cny) || month_total(catalog, month, 0, warm) > machines_cny)
        return isnan(machines_cny) ? NAN : 0;
    if (month_total(catalog, month, 1, warm) <= machines_cny)
        return 1;
    double low = 0, high = 1;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (month_total(catalog, month, middle, warm) <= machines_cny)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

void serverless_cost(const struct billing_context *context, struct cost *cost)
{
    const struct billing_input *input = context->input;
    const struct catalog *catalog = input->catalog;
    const struct serverless_rate *rate = rate_of_gpu(catalog, input->instance->gpu->id);
    if (!input->service) {
        cost_refuse(cost, N_("functions answer requests; they do not hold a training run"));
        return;
    }
    if (!rate || catalog->serverless_tier_count == 0 || context->other_currency) {
        cost_refuse(cost, N_("no function rate for this GPU"));
        return;
    }
    if (input->instance->gpu_count > 1) {
        cost_refuse(cost, N_("a function has one card; this type has several"));
        return;
    }
    if (!context->sized) {
        cost_refuse(cost, N_("needs the hours of the service"));
        return;
    }
    /* memory is sold in steps of 1 GB */
    double fraction = input->instance->gpu_fraction > 0 ? input->instance->gpu_fraction : 1;
    struct month month = {.hours = context->used_h / input->months,
                          .gb = input->nodes * ceil(rate->card_gb * fraction),
                          .active = rate->active_cu_per_gb_s, .idle = rate->idle_cu_per_gb_s};
    double seconds = context->used_h * 3600, busy = context->busy_share;
    double total = month_total(catalog, &month, busy, true);
    double active_units = seconds * month.gb * busy * month.active;
    double idle_units = seconds * month.gb * (1 - busy) * month.idle;
    double units = active_units + idle_units;
    struct rate per_unit = {.value = total * input->months / units, .basis = context->busy_assumed ? BASIS_ASSUMPTION
                                                           : BASIS_QUOTED,
                            .date = rate->date, .source = rate->source, .why_not = ""};
    cost_add(cost, N_("Function, in use"), active_units, N_("units"), &per_unit);
    if (idle_units > 0)
        cost_add(cost, N_("Function, kept warm"), idle_units, N_("units"), &per_unit);
    cost->machine_hour_cny =
        month_total(catalog, &month, 1, true) / month.hours / input->nodes;
    cost->per_month_cny = total + storage_month_cny(context, true);
    cost->low_cny = month_total(catalog, &month, busy, false) * input->months;
    cost->high_cny = money_cny(cost->total_fen);
    storage_add_lines(context, 0, 0, context->period_h, cost);
    cost->per_hour_cny = money_cny(cost->total_fen) / context->used_h;
    double hourly = input->price ? input->price->payg_hour : NAN;
    double machines_cny = input->nodes * hourly * month.hours;
    cost->break_even_busy_share = crossing(catalog, &month, machines_cny, true);
    cost->break_even_busy_share_cold = crossing(catalog, &month, machines_cny, false);
}
