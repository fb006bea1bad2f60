/* advice_money.c - rules about prices, ways of paying, stock, and what would do the same for less.
 */
#include "engine/advice_internal.h"

#include <math.h>
#include <string.h>

/* Interruptions that lose less than this are not worth a sentence. */
#define GOODPUT_FINE 0.995
/* A checkpoint interval this far from the optimum is worth one. */
#define INTERVAL_OFF 2.0
/* GPUs from which quotas matter. */
enum { QUOTA_GPUS = 8 };
/* A slice must leave this much room over the need, as the band of the estimate does not know
 * slices. */
#define SLICE_MARGIN 1.2

static bool by_spot(const struct advice_input *input)
{
    enum billing_mode mode = advice_mode(input);
    return mode == MODE_SPOT || mode == MODE_SPOT_UNPROTECTED;
}

/* ---- prices --------------------------------------------------------------------------------- */

RULE(advice_stale_price)
{
    const struct price *price = input->offer->price;
    return price && billing_stale(input->catalog, price->date, input->today) &&
           WHY(tr("The price is %s days old (%s)."),
               FIGURE(thousands, catalog_age_days(price->date, input->today)), price->date);
}

/* A promotion is never counted with; that there is one is worth knowing. */
RULE(advice_promotion)
{
    const struct offer *offer = input->offer;
    if (!offer->instance || !offer->price)
        return false;
    for (size_t i = 0; i < input->catalog->price_count; i++) {
        const struct price *price = &input->catalog->prices[i];
        if (price->promotion && isfinite(price->month) &&
            strcmp(price->type, offer->instance->type) == 0)
            return WHY(tr("A promotion was seen on %s: %s a month. It is not counted with."),
                       price->date, advice_money(input, price->month));
    }
    return false;
}

RULE(advice_weak_price)
{
    if (!input->offer->price || !input->offer->price->low_confidence)
        return false;
    struct strbuf words = {0};
    catalog_source_words(input->offer->price->source, &words);
    bool said = WHY(tr("The source of this price is weak: %s."), strbuf_text(&words));
    strbuf_clear(&words);
    return said;
}

RULE(advice_no_price)
{
    return input->offer->instance && input->plan && !input->offer->price &&
           WHY(tr("No public price of %s is known."), input->offer->instance->type);
}

/* ---- ways of paying ------------------------------------------------------------------------- */

RULE(advice_mode_risk)
{
    enum billing_mode mode = advice_mode(input);
    return advice_cost(input) && *billing_modes[mode].risks &&
           WHY(tr("%s: %s"), tr(billing_modes[mode].label), tr(billing_modes[mode].risks));
}

RULE(advice_rework)
{
    const struct cost *cost = advice_cost(input);
    return cost && cost->goodput > 0 && cost->goodput < GOODPUT_FINE &&
           WHY(tr("Expected rework after interruptions: %s %% of the hours paid are useful."),
               FIGURE(thousands, 100 * cost->goodput));
}

RULE(advice_not_quoted)
{
    const struct cost *cost = advice_cost(input);
    return cost && cost->basis != BASIS_QUOTED && cost->high_cny > cost->low_cny &&
           WHY(tr("This total rests on a rate that is not quoted (%s): %s to %s."),
               tr(cost_basis_names[cost->basis]), advice_money(input, cost->low_cny),
               advice_money(input, cost->high_cny));
}

RULE(advice_deadline)
{
    const struct cost *cost = advice_cost(input);
    return cost && cost->misses_deadline &&
           WHY(tr("With interruptions it takes %s; the deadline is %s."),
               FIGURE(hours, cost->wall_h), FIGURE(hours, input->job->deadline_h));
}

RULE(advice_refused_alone)
{
    const struct cost *cost = advice_cost(input);
    return cost && cost->refused_alone &&
           WHY(tr("Too often interrupted to be the only plan: %s %% of the hours would be useful."),
               FIGURE(thousands, 100 * cost->goodput));
}

RULE(advice_spot_plan)
{
    const struct cost *cost = advice_cost(input);
    if (!cost || !by_spot(input) || input->job->workload == WORKLOAD_INFERENCE)
        return false;
    if (!isfinite(cost->interval_h) || cost->interval_h <= 0)
        return WHY(tr("Spot machines are taken away for stock as well as for price."));
    return WHY(tr("Spot machines are taken away for stock as well as for price. The total counts "
                  "on a checkpoint "
                  "every %s and %s to start again."),
               FIGURE(hours, cost->interval_h), FIGURE(hours, cost->restart_h));
}

RULE(advice_spot_checkpoints)
{
    const struct cost *cost = advice_cost(input);
    if (!cost || !by_spot(input) || !scenario_has(input->scenario, FIELD_CHECKPOINT_MINUTES) ||
        !(cost->checkpoint_h > 0) || !(cost->mtbf_h > 0))
        return false;
    double best_h = billing_checkpoint_interval(cost->checkpoint_h, cost->mtbf_h);
    double given_h = input->scenario->checkpoint_minutes / 60;
    if (given_h < INTERVAL_OFF * best_h)
        return false;
    WHAT(tr("Write one every %s (the optimum for a write of %s)."), FIGURE(hours, best_h),
         FIGURE(hours, cost->checkpoint_h));
    return WHY(tr("With a checkpoint every %s each loss throws away half of that, on average."),
               FIGURE(hours, given_h));
}

RULE(advice_spot_service)
{
    const struct cost *cost = advice_cost(input);
    return cost && by_spot(input) && input->job->workload == WORKLOAD_INFERENCE &&
           WHY(tr("A service on spot alone is away when the machine is: %s %% of the time it is "
                  "up."),
               FIGURE(gib, 100 * cost->goodput));
}

RULE(advice_spot_old)
{
    const struct instance *instance = input->offer->instance;
    return instance && by_spot(input) &&
           (instance->status == STATUS_NOT_RECOMMENDED || instance->gpu->arch < ARCH_AMPERE) &&
           WHY(tr("%s is an old family: spot requests for it often end in no stock."),
               instance->family);
}

RULE(advice_stopped)
{
    return advice_cost(input) && advice_mode(input) == MODE_PAYG_STOP &&
           WHY(tr("Stopped is not free: disks and fixed addresses go on, and a stopped GPU may not "
                  "come back."));
}

/* ---- stock and sale ------------------------------------------------------------------------- */

RULE(advice_stock)
{
    const struct cost *cost = advice_cost(input);
    return cost && cost->may_not_start &&
           WHY(tr("Stock is not held: the machine may not start when you want it."));
}

/* The cheapest offer of another family. */
RULE(advice_fallback)
{
    if (!input->plan || !input->offer->instance)
        return false;
    for (size_t i = 0; i < input->plan->offer_count; i++) {
        const struct offer *other = &input->plan->offers[i];
        if (strcmp(other->instance->family, input->offer->instance->family) == 0)
            continue;
        return WHY(tr("If %s is out of stock, the next family is %d x %s."),
                   input->offer->instance->type, other->nodes, other->instance->type);
    }
    return false;
}

RULE(advice_quota)
{
    const struct offer *offer = input->offer;
    return offer->instance && offer->hardware.gpus >= QUOTA_GPUS &&
           WHY(tr("This takes %d GPUs and a quota of %d vCPUs."), offer->hardware.gpus,
               offer->instance->vcpu * offer->nodes);
}

RULE(advice_not_recommended)
{
    const struct instance *instance = input->offer->instance;
    return instance &&
           (instance->status == STATUS_NOT_RECOMMENDED || instance->status == STATUS_RETIRED) &&
           WHY(tr("The provider no longer recommends %s."), instance->family);
}

RULE(advice_ask_sales)
{
    const struct instance *instance = input->offer->instance;
    return instance && instance->status != STATUS_CURRENT &&
           instance->status != STATUS_NOT_RECOMMENDED && instance->status != STATUS_RETIRED &&
           WHY(tr("This type is not freely for sale: %s."),
               tr(sale_status_labels[instance->status]));
}

/* ---- the same for less ---------------------------------------------------------------------- */

static const struct price *price_here(const struct advice_input *input,
                                      const struct instance *instance)
{
    const struct price *own = input->offer->price;
    const struct price *price = catalog_price(input->catalog, instance->type, own->region);
    return price && isfinite(price->payg_hour) && strcmp(price->currency, own->currency) == 0
               ? price
               : NULL;
}

typedef bool (*instance_test)(const struct instance *other, const struct instance *own);

static bool bigger(const struct instance *other, const struct instance *own)
{
    return other->gpu == own->gpu && other->gpu_count == own->gpu_count &&
           other->gpu_fraction == own->gpu_fraction && other->vcpu >= own->vcpu &&
           other->ram_gib >= own->ram_gib;
}

static bool better_card(const struct instance *other, const struct instance *own)
{
    double rate = own->gpu->bf16 ? own->gpu->bf16_tflops : own->gpu->fp16_tflops;
    return other->gpu->arch > own->gpu->arch && other->gpu_count == own->gpu_count &&
           other->gpu_fraction == 1 && own->gpu_fraction == 1 &&
           other->gpu_usable_gib > own->gpu_usable_gib && other->gpu->bf16_tflops > rate &&
           other->gpu->bandwidth_gbs > own->gpu->bandwidth_gbs;
}

/* The cheapest type that passes and costs less by the hour; NULL when there is none. */
static const struct instance *cheaper(const struct advice_input *input, instance_test passes,
                                      double *hour_cny)
{
    const struct instance *own = input->offer->instance, *best = NULL;
    if (!own || !input->offer->price || !isfinite(input->offer->price->payg_hour))
        return NULL;
    *hour_cny = input->offer->price->payg_hour;
    for (size_t i = 0; i < input->catalog->instance_count; i++) {
        const struct instance *other = &input->catalog->instances[i];
        if (other == own || other->status > STATUS_LIMITED_REGIONS || !passes(other, own))
            continue;
        const struct price *price = price_here(input, other);
        if (price && price->payg_hour < *hour_cny) {
            best = other;
            *hour_cny = price->payg_hour;
        }
    }
    return best;
}

RULE(advice_bigger_for_less)
{
    double hour;
    const struct instance *other = cheaper(input, bigger, &hour);
    return other &&
           WHY(tr("%s has %d vCPUs and %s GiB instead of %d and %s, and costs %s an hour instead "
                  "of %s."),
               other->type, other->vcpu, FIGURE(gib, other->ram_gib), input->offer->instance->vcpu,
               FIGURE(gib, input->offer->instance->ram_gib), advice_money(input, hour),
               advice_money(input, input->offer->price->payg_hour));
}

RULE(advice_better_card)
{
    double hour;
    const struct instance *other = cheaper(input, better_card, &hour);
    return other && WHY(tr("%s has a newer, larger and faster card (%s) and lists at %s an hour; "
                           "this one lists at %s."),
                        other->type, other->gpu->name, advice_money(input, hour),
                        advice_money(input, input->offer->price->payg_hour));
}

static bool wins(const struct advice_input *input, enum billing_mode mode)
{
    const struct cost *own = advice_cost(input);
    const struct cost *other = input->offer->costs ? &input->offer->costs[mode] : NULL;
    return own && other && other->available && advice_mode(input) != mode &&
           other->total_cny < own->total_cny;
}

RULE(advice_serverless)
{
    return wins(input, MODE_SERVERLESS) &&
           WHY(tr("The same as a GPU function would cost %s instead of %s: the machine idles most "
                  "of the time."),
               advice_money(input, input->offer->costs[MODE_SERVERLESS].total_cny),
               advice_money(input, advice_cost(input)->total_cny));
}

RULE(advice_managed)
{
    return wins(input, MODE_MANAGED) &&
           WHY(tr("On the managed platform the same machine would cost %s instead of %s."),
               advice_money(input, input->offer->costs[MODE_MANAGED].total_cny),
               advice_money(input, advice_cost(input)->total_cny));
}

/* The smallest slice of the same card that holds the need. */
RULE(advice_slice)
{
    const struct offer *offer = input->offer;
    const struct instance *best = NULL;
    if (!offer->instance || offer->hardware.gpus != 1 || offer->hardware.gpu_fraction < 1)
        return false;
    for (size_t i = 0; i < input->catalog->instance_count; i++) {
        const struct instance *other = &input->catalog->instances[i];
        if (other->gpu == offer->instance->gpu && other->gpu_fraction < 1 &&
            other->gpu_usable_gib >= SLICE_MARGIN * offer->memory.need_gib &&
            (!best || other->gpu_usable_gib < best->gpu_usable_gib))
            best = other;
    }
    return best &&
           WHY(tr("%s GiB are needed; %s has a slice of %s GiB of the same card."),
               FIGURE(gib, offer->memory.need_gib), best->type, FIGURE(gib, best->gpu_usable_gib));
}

RULE(advice_scaling)
{
    const struct offer *offer = input->offer;
    return input->job->workload == WORKLOAD_INFERENCE && input->job->requests_per_s > 0 &&
           offer->layout.dp > 1 &&
           WHY(tr("%d replicas carry the busy hour; at a tenth of the load one would do."),
               offer->layout.dp);
}
