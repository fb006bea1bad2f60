/* advice_memory.c - rules about memory: of the card, of the host, of the serving engine. */
#include "engine/advice_internal.h"

#include <math.h>

/* From what share on the copies are the reason why it does not fit. */
#define COPIES_SHARE 0.5
/* Public reports of processes killed while loading ask for two to four times the file
 * (CVI-SZU/Linly#22); below the lower end we warn. */
#define CARELESS_LOADER 2.0
/* An engine that claims so much more than it needs surprises people (vLLM on small models). */
#define POOL_SURPRISE 1.5

RULE(advice_no_fit)
{
    const struct memory *memory = &input->offer->memory;
    return memory->verdict == VERDICT_NO &&
           WHY(tr("It does not fit: %s GiB are needed, %s are usable."),
               FIGURE(gib, memory->need_gib), FIGURE(gib, memory->usable_gib));
}

RULE(advice_tight)
{
    const struct memory *memory = &input->offer->memory;
    return memory->verdict == VERDICT_TIGHT &&
           WHY(tr("Memory is tight: up to %s of %s GiB. A longer sample may run out."),
               FIGURE(gib, memory->high_gib), FIGURE(gib, memory->usable_gib));
}

RULE(advice_copies)
{
    const struct memory *memory = &input->offer->memory;
    return input->offer->hardware.gpus > 1 && memory->verdict != VERDICT_FITS &&
           memory->replicated_total_gib > COPIES_SHARE * memory->need_gib &&
           WHY(tr("Every one of the %d GPUs holds a copy of %s of its %s GiB; only the rest is "
                  "split."),
               input->offer->hardware.gpus, FIGURE(gib, memory->replicated_total_gib),
               FIGURE(gib, memory->need_gib));
}

RULE(advice_host_ram_short)
{
    const struct memory *memory = &input->offer->memory;
    return memory->host_ram_short &&
           WHY(tr("Host memory is short: %s GiB needed, the machine has %s. The process would be "
                  "killed."),
               FIGURE(gib, memory->host_ram_gib), FIGURE(gib, input->offer->hardware.ram_gib));
}

static double stored_gib(const struct job *job)
{
    return memory_weight_bytes(job) / GIB;
}

RULE(advice_host_ram_lean)
{
    double file = stored_gib(input->job), ram = input->offer->hardware.ram_gib;
    return !input->offer->memory.host_ram_short && ram < CARELESS_LOADER * file &&
           WHY(tr("The weights are a file of %s GiB and the machine has %s GiB of host memory."),
               FIGURE(gib, file), FIGURE(gib, ram));
}

RULE(advice_usable_assumed)
{
    return input->offer->hardware.gpu->usable_assumed &&
           WHY(tr("The usable memory of %s follows from a planning rule, not from a measurement."),
               input->offer->hardware.gpu->name);
}

RULE(advice_pool)
{
    const struct memory *memory = &input->offer->memory;
    return input->job->workload == WORKLOAD_INFERENCE &&
           memory->reserved_gib > POOL_SURPRISE * memory->need_gib &&
           WHY(tr("nvidia-smi will show %s GiB: the engine claims them at start. The job needs "
                  "%s."),
               FIGURE(gib, memory->reserved_gib), FIGURE(gib, memory->need_gib));
}

RULE(advice_cache_short)
{
    const struct memory *memory = &input->offer->memory;
    const struct job *job = input->job;
    double wanted = job->concurrency / fmax(1, input->offer->layout.dp);
    return job->workload == WORKLOAD_INFERENCE && !job->saturated &&
           memory->max_concurrency < wanted &&
           WHY(tr("The cache holds %s tokens: %s sequences at the full context of %s, and %s are "
                  "asked for."),
               FIGURE(count, memory->kv_tokens), FIGURE(gib, memory->max_concurrency),
               FIGURE(count, job->context), FIGURE(gib, wanted));
}

RULE(advice_mixture)
{
    const struct param_counts *params = &input->job->params;
    return params->active < params->total &&
           WHY(tr("Memory must hold all %s parameters; one token is computed with %s of them. Size "
                  "by the first, "
                  "expect the speed of the second."),
               FIGURE(count, (double)params->total), FIGURE(count, (double)params->active));
}
