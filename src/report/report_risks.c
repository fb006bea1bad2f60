/* report_risks.c - what may go wrong with an offer, from the offer's own figures. */
#include "report/report.h"

#include <math.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"

#define FIGURE(write, value) report_figure(report, units_##write, value)
#define RISK(...) report_addf(report, BLOCK_ITEM, __VA_ARGS__)

static void memory_risks(const struct job *job, const struct offer *offer, struct report *report)
{
    const struct memory *memory = &offer->memory;
    if (memory->verdict == VERDICT_TIGHT)
        RISK(tr("Memory is tight: up to %s of %s GiB. A longer sample may run out."),
             FIGURE(gib, memory->high_gib), FIGURE(gib, memory->usable_gib));
    if (memory->verdict == VERDICT_NO)
        RISK(tr("It does not fit: %s GiB are needed, %s are usable."), FIGURE(gib, memory->need_gib),
             FIGURE(gib, memory->usable_gib));
    if (memory->host_ram_short)
        RISK(tr("Host memory is short: %s GiB needed, the machine has %s. The process would be killed."),
             FIGURE(gib, memory->host_ram_gib), FIGURE(gib, offer->hardware.ram_gib));
    if (job->workload != WORKLOAD_INFERENCE && !offer->hardware.gpu->bf16)
        RISK(tr("%s has no bf16: train in fp16 with loss scaling."), offer->hardware.gpu->name);
    if (offer->hardware.gpu->usable_assumed)
        RISK(tr("The usable memory of %s follows from a planning rule, not from a measurement."),
             offer->hardware.gpu->name);
}

static void speed_risks(const struct job *job, const struct offer *offer, struct report *report)
{
    const struct speed *speed = &offer->speed;
    if (isfinite(speed->tokens_per_s) && !speed->measured)
        RISK(tr("No measurement of this stack on this GPU supports the speed: take the band (%s to %s "
                "tokens/s) seriously and run ten steps first."),
             FIGURE(count, speed->low_tokens_per_s), FIGURE(count, speed->high_tokens_per_s));
    if (offer->nodes > 1 && !offer->hardware.rdma)
        RISK(tr("The machines have no RDMA between them: gradients travel over the VPC network."));
    if (offer->layout.tp > 1 && offer->hardware.link != LINK_NVLINK)
        RISK(tr("Tensor parallelism runs over PCIe here; NVLink machines do it faster."));
    if (job->workload == WORKLOAD_INFERENCE && (job->ttft_ms > 0 || job->tpot_ms > 0) &&
        !speed->meets_latency)
        RISK(tr("The latency asked for is not kept at this load."));
}

static void price_risks(const struct report_input *input, const struct offer *offer,
                        struct report *report)
{
    const struct price *price = offer->price;
    if (!price)
        return;
    if (billing_stale(input->catalog, price->date, input->today))
        RISK(tr("The price is %s days old; look it up before you decide."),
             FIGURE(thousands, catalog_age_days(price->date, input->today)));
    if (price->promotion)
        RISK(tr("The price is a promotion, not the list price."));
    if (price->low_confidence)
        RISK(tr("The source of this price is weak."));
}

static void payment_risks(const struct offer *offer, enum billing_mode mode, struct report *report)
{
    const struct cost *cost = offer_cost(offer, mode);
    if (!cost)
        return;
    if (mode == MODE_COUNT)
        mode = offer->cheapest;
    if (*billing_modes[mode].risks)
        RISK("%s: %s", tr(billing_modes[mode].label), tr(billing_modes[mode].risks));
    if (isfinite(cost->goodput) && cost->goodput < 1 && cost->goodput > 0)
        RISK(tr("Expected rework after interruptions: %s %% of the hours paid are useful."),
             FIGURE(thousands, 100 * cost->goodput));
    if (cost->basis != BASIS_QUOTED)
        RISK(tr("This total rests on a rate that is not quoted (%s)."), tr(cost_basis_names[cost->basis]));
    if (cost->misses_deadline)
        RISK(tr("With interruptions the deadline is missed."));
    if (cost->refused_alone)
        RISK(tr("Too often interrupted to be the only plan: keep a pay-as-you-go machine in reserve."));
    if (cost->may_not_start)
        RISK(tr("Stock is not held: the machine may not start when you want it."));
}

void report_risks(const struct report_input *input, const struct job *job,
                  const struct offer *offer, struct report *report)
{
    report_add(report, BLOCK_HEADING, tr("Risks"));
    struct report_block *heading = report->last;
    memory_risks(job, offer, report);
    speed_risks(job, offer, report);
    price_risks(input, offer, report);
    payment_risks(offer, billing_mode_of_choice(input->scenario), report);
    if (offer->instance && offer->instance->status != STATUS_CURRENT)
        RISK(tr("This type is not freely for sale: %s."),
             tr(sale_status_names[offer->instance->status]));
    if (report->last == heading)
        RISK(tr("None that these answers trigger."));
}
