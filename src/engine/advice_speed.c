/* advice_speed.c - rules about what the card can compute, the links between cards and machines, and
 * what to run on the rented machine to check them. */
#include "engine/advice_internal.h"

#include <math.h>
#include <string.h>

/* Data loaders of small sizes starve the GPU (facebookresearch/mmf#1166); the field asks for 8. */
enum { LEAST_VCPU = 8 };
/* Lengths from which attention scores that are kept begin to matter. */
#define LONG_TOKENS 2048
/* A share of the step that is worth a sentence. */
#define SHARE_WORTH_SAYING 0.05
/* Images of these generations may come with driver 470 / CUDA 11.4 (the provider's container page).
 */
#define OLD_DRIVER_ARCH ARCH_AMPERE

static bool trains(const struct advice_input *input)
{
    return input->job->workload != WORKLOAD_INFERENCE;
}

RULE(advice_no_bf16)
{
    const struct gpu *gpu = input->offer->hardware.gpu;
    return !gpu->bf16 && WHY(tr("%s has no bf16 (compute capability %s, bf16 starts at 8.0)."),
                             gpu->name, FIGURE(plain, gpu->compute_capability));
}

RULE(advice_no_flash)
{
    const struct gpu *gpu = input->offer->hardware.gpu;
    return trains(input) && gpu->arch < ARCH_AMPERE && input->job->seq_len >= LONG_TOKENS &&
           WHY(tr("%s has no FlashAttention-2: at %s tokens attention scores are kept, and grow "
                  "with the square of "
                  "the length."),
               gpu->name, FIGURE(count, input->job->seq_len));
}

RULE(advice_no_fp8)
{
    const struct gpu *gpu = input->offer->hardware.gpu;
    bool stored = strcmp(input->job->weights->id, "fp8") == 0,
         cached = input->job->kv_cache == KV_FP8;
    return input->job->workload == WORKLOAD_INFERENCE && !gpu->fp8 && (stored || cached) &&
           WHY(tr("%s does not compute in fp8: fp8 values are converted at each use."), gpu->name);
}

RULE(advice_dequantised)
{
    const struct speed *speed = &input->offer->speed;
    double share = speed->terms_s[TERM_DEQUANT] / speed->step_s;
    return trains(input) && share > SHARE_WORTH_SAYING &&
           WHY(tr("Turning quantised weights back into 16 bits takes %s %% of each step."),
               FIGURE(thousands, 100 * share));
}

RULE(advice_not_measured)
{
    const struct speed *speed = &input->offer->speed;
    return isfinite(speed->tokens_per_s) && !speed->measured && !speed->calibrated &&
           WHY(tr("No measurement of this stack on this GPU supports the speed: take the band (%s "
                  "to %s "
                  "tokens/s) seriously."),
               FIGURE(count, speed->low_tokens_per_s), FIGURE(count, speed->high_tokens_per_s));
}

RULE(advice_latency)
{
    const struct job *job = input->job;
    const struct speed *speed = &input->offer->speed;
    return job->workload == WORKLOAD_INFERENCE && (job->ttft_ms > 0 || job->tpot_ms > 0) &&
           !speed->meets_latency &&
           WHY(tr("The latency asked for is not kept at this load: first token after %s ms, then "
                  "one every %s ms."),
               FIGURE(thousands, speed->ttft_ms), FIGURE(gib, speed->tpot_ms));
}

RULE(advice_load)
{
    const struct job *job = input->job;
    const struct speed *speed = &input->offer->speed;
    return job->workload == WORKLOAD_INFERENCE && job->requests_per_s > speed->requests_per_s &&
           WHY(tr("%s requests a second are asked for and %s are kept up with: the queue only "
                  "grows. %d replicas would carry them."),
               FIGURE(gib, job->requests_per_s), FIGURE(gib, speed->requests_per_s),
               speed->replicas);
}

RULE(advice_few_vcpu)
{
    const struct hardware *hardware = &input->offer->hardware;
    double each = (double)hardware->vcpu / hardware->gpus_per_node / hardware->gpu_fraction;
    return trains(input) && hardware->vcpu > 0 && each < LEAST_VCPU &&
           WHY(tr("%s vCPUs feed each GPU; loaders that tokenise or decode on the fly want %d or "
                  "more."),
               FIGURE(gib, each), LEAST_VCPU);
}

/* ---- network -------------------------------------------------------------------------------- */

/* Share of a step in which GPUs wait for other GPUs. */
static double waiting_share(const struct speed *speed)
{
    static const enum speed_term waits[] = {TERM_TP, TERM_EXPERTS, TERM_BUBBLE, TERM_DATA_PARALLEL,
                                            TERM_LATENCY};
    double waiting_s = 0;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        waiting_s += isfinite(speed->terms_s[waits[i]]) ? speed->terms_s[waits[i]] : 0;
    return waiting_s / speed->step_s;
}

/* Tokens a second of one of the machines by itself; NAN where the job does not fit it. */
static double one_machine(const struct advice_input *input)
{
    struct hardware hardware = input->offer->hardware;
    struct layout layout;
    struct memory memory;
    struct speed speed;
    enum exclusion reason;
    char detail[160];
    if (!input->constants)
        return NAN;
    hardware.gpus = hardware.gpus_per_node;
    hardware.nodes = 1;
    return layout_search(input->job, &hardware, input->constants, &layout, &memory, &speed, &reason,
                         detail, sizeof detail)
               ? speed.tokens_per_s
               : NAN;
}

RULE(advice_no_rdma)
{
    const struct offer *offer = input->offer;
    if (offer->nodes < 2 || offer->hardware.rdma)
        return false;
    double share = waiting_share(&offer->speed), alone = one_machine(input);
    const char *network = FIGURE(plain, offer->hardware.network_gbps);
    if (!(share > 0))
        return WHY(tr("The %d machines have no RDMA between them: data travel over the VPC "
                      "network at %s Gbit/s."),
                   offer->nodes, network);
    if (!(alone > 0))
        return WHY(tr("The %d machines have no RDMA between them (%s Gbit/s each): %s %% of each "
                      "step is spent waiting for other GPUs."),
                   offer->nodes, network, FIGURE(thousands, 100 * share));
    return WHY(tr("The %d machines have no RDMA between them (%s Gbit/s each): %s %% of each step "
                  "is spent waiting for other GPUs. Together they do %s tokens/s; one alone does "
                  "%s."),
               offer->nodes, network, FIGURE(thousands, 100 * share),
               FIGURE(count, offer->speed.tokens_per_s), FIGURE(count, alone));
}

RULE(advice_zero_across)
{
    const struct offer *offer = input->offer;
    double waiting = offer->speed.terms_s[TERM_DATA_PARALLEL];
    return trains(input) && offer->nodes > 1 && offer->layout.zero == 3 && !offer->hardware.rdma &&
           WHY(tr("ZeRO-3 gathers all weights over a slow network for every step: %s of %s s."),
               FIGURE(gib, waiting), FIGURE(gib, offer->speed.step_s));
}

RULE(advice_single_card_machines)
{
    const struct hardware *hardware = &input->offer->hardware;
    return hardware->nodes > 1 && hardware->gpus_per_node == 1 &&
           WHY(tr("%d machines of one card talk at %s Gbit/s; cards inside a machine are many "
                  "times faster."),
               hardware->nodes, FIGURE(plain, hardware->network_gbps));
}

RULE(advice_rdma_unused)
{
    const struct hardware *hardware = &input->offer->hardware;
    return hardware->nodes > 1 && hardware->rdma &&
           WHY(tr("The plan counts on RDMA at %s Gbit/s a machine; present is not the same as "
                  "used."),
               FIGURE(plain, hardware->network_gbps));
}

RULE(advice_tp_pcie)
{
    const struct offer *offer = input->offer;
    double share = offer->speed.terms_s[TERM_TP] / offer->speed.step_s;
    if (offer->layout.tp < 2 || offer->hardware.link == LINK_NVLINK)
        return false;
    if (!isfinite(share))
        return WHY(tr("Tensor parallelism over %d cards runs over PCIe."), offer->layout.tp);
    return WHY(tr("Tensor parallelism over %d cards runs over PCIe: %s %% of each step."),
               offer->layout.tp, FIGURE(thousands, 100 * share));
}

RULE(advice_tp_across)
{
    const struct offer *offer = input->offer;
    return offer->nodes > 1 && offer->layout.tp > offer->hardware.gpus_per_node &&
           WHY(tr("Tensor parallelism spans machines: every layer waits for the network."));
}

/* ---- what to run ---------------------------------------------------------------------------- */

RULE(advice_check_links)
{
    const struct hardware *hardware = &input->offer->hardware;
    if (!input->offer->instance || hardware->gpus_per_node < 2)
        return false;
    if (hardware->link == LINK_NVLINK)
        WHAT(tr("nvidia-smi topo -m must show NV links between them, nvidia-smi nvlink --status "
                "every link up."));
    else
        WHAT(tr("nvidia-smi topo -m: PIX and PXB are near, NODE and SYS are far; put tensor groups "
                "on near cards."));
    return WHY(tr("The plan counts on %s between %d cards of a machine."),
               hardware->link == LINK_NVLINK ? "NVLink" : "PCIe", hardware->gpus_per_node);
}

RULE(advice_check_software)
{
    const struct gpu *gpu = input->offer->hardware.gpu;
    if (!input->offer->instance)
        return false;
    if (gpu->arch <= OLD_DRIVER_ARCH)
        return WHY(tr(
            "Default images for cards of this age may bring driver 470 with CUDA 11.4: too old for "
            "present frameworks."));
    return WHY(tr("%s needs a driver and a framework build that know it (compute capability %s)."),
               gpu->name, FIGURE(plain, gpu->compute_capability));
}

RULE(advice_watch_gpu)
{
    const struct speed *speed = &input->offer->speed;
    if (!trains(input) || !isfinite(speed->mfu) || input->offer->hardware.gpus < 2)
        return false;
    return WHY(tr("Expected are %s tokens/s, %s %% of the cards' peak. Under 30 %% busy in "
                  "nvidia-smi the loader or "
                  "the disk is at fault."),
               FIGURE(count, speed->tokens_per_s), FIGURE(thousands, 100 * speed->mfu));
}
