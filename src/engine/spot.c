/* spot.c - losses of machines and what they cost in time: preemption of spot machines, hardware
 * failures of any machine, checkpoints, restarts. */
#include "engine/billing_internal.h"

#include <math.h>
#include "base/units.h"

/* Optimal time between checkpoints: Daly 2006, "A higher order estimate of the optimum checkpoint
 * interval for restart dumps", eq. 37, whose first term is Young 1974; M itself from delta = 2M on. */
double billing_checkpoint_interval(double checkpoint_h, double mtbf_h)
{
    if (checkpoint_h >= 2 * mtbf_h)
        return mtbf_h;
    if (isinf(mtbf_h))
        return checkpoint_h > 0 ? INFINITY : 0;
    double ratio = checkpoint_h / (2 * mtbf_h);
    return sqrt(2 * checkpoint_h * mtbf_h) * (1 + sqrt(ratio) / 3 + ratio / 9) - checkpoint_h;
}

/* Wall hours of one useful hour at an interval: Daly 2006 eq. 20 with Ts = 1. The limit of no
 * interval at all (free checkpoints, saved all the time) is exp(R / M). */
static double wall_per_hour(double checkpoint_h, double interval_h, double restart_h,
                            double mtbf_h)
{
    if (isinf(mtbf_h))
        return isinf(interval_h) || interval_h <= 0 ? 1 : 1 + checkpoint_h / interval_h;
    if (interval_h <= 0)
        return exp(restart_h / mtbf_h);
    return mtbf_h * exp(restart_h / mtbf_h) * expm1((interval_h + checkpoint_h) / mtbf_h) /
           interval_h;
}

/* A job shorter than the interval is one segment. */
static double segment(double compute_h, double checkpoint_h, double interval_h, double mtbf_h)
{
    if (interval_h <= 0)
        interval_h = billing_checkpoint_interval(checkpoint_h, mtbf_h);
    return !isnan(compute_h) && compute_h < interval_h ? compute_h : interval_h;
}

double billing_wall_hours(double compute_h, double checkpoint_h, double interval_h,
                          double restart_h, double mtbf_h)
{
    interval_h = segment(compute_h, checkpoint_h, interval_h, mtbf_h);
    return compute_h * wall_per_hour(checkpoint_h, interval_h, restart_h, mtbf_h);
}

enum loss_kind losses_of_mode(enum billing_mode mode)
{
    return mode == MODE_SPOT               ? LOSSES_SPOT_PROTECTED
           : mode == MODE_SPOT_UNPROTECTED ? LOSSES_SPOT
                                           : LOSSES_HARDWARE;
}

#define RELEASE_WINDOW_H (30 * 24.0)

bool spot_loss_reported(const struct price *price)
{
    return price && price->spot_released_percent > 0 && price->spot_released_percent < 100;
}

/* Mean hours until one spot machine is taken away: the user's figure, else the provider's share of
 * machines released in 30 days, q, read as an exponential life (1 - q = exp(-720 h / mean)), else
 * the rule. INFINITY: nothing is said. */
static double hours_between_losses(const struct billing_context *context)
{
    const struct scenario *scenario = context->input->scenario;
    const struct price *price = context->input->price;
    if (scenario_has(scenario, FIELD_SPOT_HOURS_BETWEEN_LOSSES))
        return scenario->spot_hours_between_losses;
    if (spot_loss_reported(price))
        return RELEASE_WINDOW_H / -log1p(-price->spot_released_percent / 100);
    return rule_value(context, RULE_SPOT_LOSS_HOURS, INFINITY);
}

/* Losses per hour of one machine. Hardware: 419 unexpected interruptions of 16,384 GPUs in 54 days
 * make 50,000 GPU-hours (the Llama 3 report). Spot: hours_between_losses; during the
 * protected hour nothing is taken, so a machine bought again after each loss lasts that much
 * longer on average. A rule that is missing counts as no losses. */
static double losses_per_hour(const struct billing_context *context, enum loss_kind kind)
{
    double gpus = context->input->instance->gpu_count;
    double rate = gpus / rule_value(context, RULE_FAILURE_GPU_HOURS, INFINITY);
    if (kind == LOSSES_HARDWARE)
        return rate;
    double lasts_h = hours_between_losses(context);
    if (kind == LOSSES_SPOT_PROTECTED)
        lasts_h += rule_value(context, RULE_PROTECTED_HOURS, 0);
    return rate + 1 / lasts_h;
}

/* Share of time one machine of a service is up: mean life over mean life plus restart. */
static double availability(double mtbf_h, double restart_h)
{
    return isinf(mtbf_h) ? 1 : mtbf_h / (mtbf_h + restart_h);
}

static void estimate(const struct billing_context *context, enum loss_kind kind,
                     double checkpoint_h, double restart_h, struct losses *losses)
{
    const struct billing_input *input = context->input;
    double per_hour = losses_per_hour(context, kind);
    *losses = (struct losses){.checkpoint_h = checkpoint_h, .restart_h = restart_h};
    if (input->service) { /* machines serve on their own: one that is lost stops nobody else */
        losses->mtbf_h = per_hour > 0 ? 1 / per_hour : INFINITY;
        losses->goodput = availability(losses->mtbf_h, restart_h);
        return;
    }
    /* any machine lost stops a synchronous job */
    losses->mtbf_h = per_hour > 0 ? 1 / (per_hour * input->nodes) : INFINITY;
    double given_h = scenario_has(input->scenario, FIELD_CHECKPOINT_MINUTES)
                         ? input->scenario->checkpoint_minutes / 60
                         : 0;
    for (int i = 0; i < 3; i++)
        losses->wall_h[i] = billing_wall_hours(input->compute_h[i], checkpoint_h, given_h,
                                               restart_h, losses->mtbf_h);
    losses->interval_h = segment(input->compute_h[1], checkpoint_h, given_h, losses->mtbf_h);
    losses->goodput =
        1 / wall_per_hour(checkpoint_h, losses->interval_h, restart_h, losses->mtbf_h);
}

/* All machines write and read their parts at the same time, each on its own disk. A restart is a new
 * machine, its image and warm-up, then the weights and the last checkpoint read back. */
void losses_estimate(struct billing_context *context)
{
    const struct billing_input *input = context->input;
    double bytes_per_h = context->disk.bytes_per_s * 3600 * input->nodes;
    double checkpoint_h = bytes_per_h > 0 ? input->checkpoint_bytes / bytes_per_h : 0;
    double load_h = bytes_per_h > 0 ? input->load_bytes / bytes_per_h : 0;
    double restart_h = rule_value(context, RULE_RESTART_MINUTES, 0) / 60 + load_h + checkpoint_h;
    for (int kind = 0; kind < LOSSES_COUNT; kind++)
        estimate(context, (enum loss_kind)kind, checkpoint_h, restart_h, &context->losses[kind]);
}
