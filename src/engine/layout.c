/* layout.c - the search over tensor, pipeline, context, expert and data parallelism, ZeRO stage,
 * recomputation and micro-batch. What the scenario pins is one value; the rest is tried. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/model_states.h"
#include "engine/offers.h"

/* What each training stack can split, and the ZeRO stages tried when it is left open. */
static const struct stack_ability {
    bool model_parallel;  /* tp, pp, ep */
    bool context_parallel, sequence_parallel, selective;
    int zero[3], zero_count;
} abilities[STACK_COUNT] = {
    [STACK_HF] = {.zero = {0, 2, 3}, .zero_count = 3},
    [STACK_DEEPSPEED] = {.zero = {1, 2, 3}, .zero_count = 3},
    [STACK_FSDP] = {.zero = {2, 3}, .zero_count = 2},
    [STACK_TORCHTITAN] = {true, true, true, true, {3}, 1},
    [STACK_MEGATRON] = {true, false, true, true, {1}, 1},
    [STACK_NEMO] = {true, true, true, true, {1}, 1},
    [STACK_UNSLOTH] = {.zero = {0}, .zero_count = 1},
    [STACK_LITGPT] = {.zero = {0, 3}, .zero_count = 2},
    [STACK_TORCHTUNE] = {.zero = {0, 3}, .zero_count = 2},
};

enum { CANDIDATES = 24, LONG_SEQUENCE = 32768 };

struct candidates { int value[CANDIDATES], count; };

struct space { /* what is tried for each dimension */
    struct candidates tp, pp, cp, ep, zero, recompute, micro_batch;
    unsigned chosen; /* dimensions with more than the pinned value */
};

static void add(struct candidates *candidates, int value)
{
    if (candidates->count < CANDIDATES)
        candidates->value[candidates->count++] = value;
}

/* The pinned value alone; true when there was one. */
static bool pinned(const struct job *job, enum field_id id, double value, struct candidates *candidates)
{
    if (!scenario_has(job->scenario, id))
        return false;
    add(candidates, (int)value);
    return true;
}

/* Powers of two up to `limit` that divide `of` (0 = anything). */
static void add_powers(struct candidates *candidates, int limit, int of)
{
    for (int n = 1; n <= limit; n *= 2)
        if (of == 0 || of % n == 0)
            add(candidates, n);
}

static int divisor_of_heads(const struct job *job)
{
    return job->model->nominal_params > 0 ? 0 : job->model->heads;
}

/* ZeRO-2 and 3 with the Megatron stacks means DeepSpeed, whose pipeline engine stops at ZeRO-1; only
 * torchtitan shards and splits at once. */
static bool splits_model(const struct job *job)
{
    bool sharded = scenario_has(job->scenario, FIELD_ZERO) && job->scenario->zero >= 2;
    return abilities[job->stack].model_parallel && (!sharded || job->stack == STACK_TORCHTITAN);
}

/* Who fine-tunes with the tools on top of transformers has checkpointing on without asking for it:
 * LLaMA-Factory (disable_gradient_checkpointing: false), ms-swift (gradient_checkpointing: true), the
 * scripts of Qwen and FastChat, unsloth, and the example configurations of axolotl and torchtune. LitGPT
 * has no such default, and pretraining recipes turn it on where it is needed. */
static bool usually_recomputes(const struct job *job)
{
    return job->workload != WORKLOAD_PRETRAIN &&
           (job->stack == STACK_HF || job->stack == STACK_DEEPSPEED || job->stack == STACK_FSDP ||
            job->stack == STACK_UNSLOTH || job->stack == STACK_TORCHTUNE);
}

static void training_space(const struct job *job, const struct hardware *hardware, struct space *space)
{
    const struct scenario *s = job->scenario;
    const struct stack_ability *can = &abilities[job->stack];
    bool several = hardware->gpus > 1, split = splits_model(job);
    if (!pinned(job, FIELD_TP, s->tp, &space->tp))
        add_powers(&space->tp, split ? hardware->gpus_per_node : 1, divisor_of_heads(job));
    if (!pinned(job, FIELD_PP, s->pp, &space->pp))
        for (int n = 1; n <= (split ? hardware->gpus : 1) && n <= job->model->layers; n++)
            if (job->model->layers % n == 0 && hardware->gpus % n == 0)
                add(&space->pp, n);
    if (!pinned(job, FIELD_CP, s->cp, &space->cp))
        add_powers(&space->cp, can->context_parallel && job->seq_len >= LONG_SEQUENCE ? hardware->gpus : 1, 0);
    if (!pinned(job, FIELD_EP, s->ep, &space->ep))
        add_powers(&space->ep, split && job->model->moe.experts ? hardware->gpus : 1,
                   job->model->moe.experts);
    if (!pinned(job, FIELD_ZERO, s->zero, &space->zero)) {
        for (int i = 0; several && i < can->zero_count; i++)
            add(&space->zero, can->zero[i]);
        if (!several)
            add(&space->zero, 0);
    }
    if (!pinned(job, FIELD_RECOMPUTE, s->recompute, &space->recompute)) {
        if (!usually_recomputes(job))
            add(&space->recompute, RECOMPUTE_NONE);
        if (can->selective)
            add(&space->recompute, RECOMPUTE_SELECTIVE);
        add(&space->recompute, RECOMPUTE_FULL);
    }
    if (!pinned(job, FIELD_MICRO_BATCH, s->micro_batch, &space->micro_batch))
        add_powers(&space->micro_batch, 64, 0);
}

/* SGLang's recipes for models that take several machines split every layer over all GPUs
 * (--tp 16 --nnodes 2 for DeepSeek-V3), whatever the network. */
static bool splits_over_machines(const struct job *job, const struct hardware *hardware)
{
    bool power_of_two = (hardware->gpus & (hardware->gpus - 1)) == 0;
    return job->workload == WORKLOAD_INFERENCE && job->engine == ENGINE_SGLANG &&
           hardware->nodes > 1 && !hardware->apart && power_of_two;
}

static void serving_space(const struct job *job, const struct hardware *hardware, struct space *space)
{
    const struct scenario *s = job->scenario;
    bool layer_split = job->engine == ENGINE_LLAMA_CPP || job->engine == ENGINE_TRANSFORMERS ||
                       job->engine == ENGINE_AUTOAWQ;
    bool over_machines = splits_over_machines(job, hardware);
    int widest = layer_split ? 1 : over_machines ? hardware->gpus : hardware->gpus_per_node;
    bool stages = layer_split || (hardware->nodes > 1 && !over_machines);
    if (!pinned(job, FIELD_TP, s->tp, &space->tp))
        add_powers(&space->tp, widest, divisor_of_heads(job));
    if (!pinned(job, FIELD_PP, s->pp, &space->pp))
        add_powers(&space->pp, stages ? hardware->gpus : 1, 0);
    if (!pinned(job, FIELD_EP, s->ep, &space->ep))
        add(&space->ep, 1);
    add(&space->cp, 1);
    add(&space->zero, 0);
    add(&space->recompute, RECOMPUTE_NONE);
    add(&space->micro_batch, 1);
}

static bool has_flash_attention(const struct gpu *gpu)
{
    return gpu->arch >= ARCH_AMPERE && gpu->arch != ARCH_OTHER;
}

/* Sequences an optimizer step when it is left open: 4 million tokens in pretraining (Llama 2, 3), 131,072
 * in fine-tuning, which is 64 sequences of the usual length. */
static double usual_global_batch(const struct job *job)
{
    double tokens = job->workload == WORKLOAD_PRETRAIN ? 4194304 : 131072;
    return fmax(1, floor(tokens / job->seq_len));
}

/* Virtual stages when they are left open: Megatron-core recipes interleave (its micro-batches must then be
 * a multiple of pp) in chunks of a few layers, which shrinks the bubble; 4 or the next divisor. The papers
 * on Megatron before it interleave three ways where the layers of a stage divide by three (Korthikanti et
 * al. 2022, table 3: 175B and 530B, not 22B and 1T). */
static int usual_chunks(const struct job *job, const struct layout *layout)
{
    int layers = job->model->layers / layout->pp, chunks = 4;
    if (job->stack == STACK_HF || job->stack == STACK_MEGATRON)
        return layout->pp > 1 && job->model->layers % (layout->pp * 3) == 0 ? 3 : 1;
    bool interleaves = job->stack == STACK_NEMO && layout->pp > 1 && job->model->layers % layout->pp == 0
                       && layout->micro_batches % layout->pp == 0;
    if (!interleaves || layers <= chunks)
        return interleaves ? layers : 1;
    while (layers % chunks != 0)
        chunks++;
    return chunks;
}

/* Fills what follows from the splits; false when they do not divide the GPUs or the batch. */
static bool complete(const struct job *job, const struct hardware *hardware, struct layout *layout)
{
    const struct scenario *s = job->scenario;
    int split = layout->tp * layout->pp * layout->cp;
    if (hardware->gpus % split != 0)
        return false;
    layout->dp = hardware->gpus / split;
    if (scenario_has(s, FIELD_DP) && (int)s->dp != layout->dp)
        return false;
    if (layout->ep > 1 && layout->dp * layout->cp * layout->tp % layout->ep != 0)
        return false; /* an expert group lies within the GPUs of one stage */
    if (job->workload == WORKLOAD_INFERENCE)
        return true;
    double at_once = (double)layout->dp * layout->micro_batch;
    if (job->global_batch > 0 && at_once > job->global_batch && !scenario_has(s, FIELD_MICRO_BATCH))
        return false;
    double batch = job->global_batch > 0 ? job->global_batch : fmax(usual_global_batch(job), at_once);
    layout->micro_batches = job->optimizer_in_backward ? 1 : (int)fmax(1, ceil(batch / at_once));
    layout->vp = scenario_has(s, FIELD_VP) ? (int)s->vp : usual_chunks(job, layout);
    return true;
}

const char *layout_reason(const struct job *job, const struct hardware *hardware,
                          const struct layout *layout, char *text, size_t size)
{
    const struct model *model = job->model;
    const struct gpu *gpu = hardware->gpu;
    bool serve = job->workload == WORKLOAD_INFERENCE;
    bool wants_bf16 = serve ? scenario_has(job->scenario, FIELD_WEIGHTS) && strcmp(job->weights->id, "bf16") == 0
                            : job->precision == PRECISION_BF16 || job->precision == PRECISION_BF16_MIXED;
    bool wants_fp8 = serve ? strcmp(job->weights->id, "fp8") == 0 : job->precision == PRECISION_FP8_MIXED;
    /* vLLM and SGLang keep fp8 weights on Ampere too and multiply in 16 bits (Marlin kernels) */
    bool weight_only_fp8 = serve && gpu->arch == ARCH_AMPERE &&
                           (job->engine == ENGINE_VLLM || job->engine == ENGINE_SGLANG);
    int ffn = model->moe.experts ? model->moe.ffn_size : model->ffn_size;
    bool paged = job->engine != ENGINE_LLAMA_CPP && job->engine != ENGINE_TRANSFORMERS && job->engine != ENGINE_AUTOAWQ;

    if (wants_bf16 && !gpu->bf16)
        snprintf(text, size, tr("no bf16 on %s: %s would do"), gpu->name, serve ? "fp16" : "fp16-mixed");
    else if (wants_fp8 && !gpu->fp8 && !weight_only_fp8)
        snprintf(text, size, tr("no FP8 on %s: Ada or Hopper at least"), gpu->name);
    else if (serve && paged && gpu->compute_capability < 7.0)
        snprintf(text, size, tr("%s needs compute capability 7.0, %s has %.1f"), engine_names[job->engine],
                 gpu->name, gpu->compute_capability);
    else if (model->nominal_params <= 0 && model->heads % layout->tp != 0)
        snprintf(text, size, tr("%d attention heads cannot be split over tp = %d"), model->heads, layout->tp);
    else if (layout->pp > model->layers)
        snprintf(text, size, tr("%d layers cannot fill %d pipeline stages"), model->layers, layout->pp);
    else if (model->moe.experts && model->moe.experts % layout->ep != 0)
        snprintf(text, size, tr("%d experts cannot be spread over ep = %d"), model->moe.experts, layout->ep);
    else if (layout->ep > 1 && layout->ep > hardware->gpus / layout->pp)
        snprintf(text, size, tr("ep = %d is more than the %d GPUs of a pipeline stage"), layout->ep,
                 hardware->gpus / layout->pp);
    else if (serve && layout->tp > 1 && job->weights->group > 0 && !job->weights->gguf &&
             !scenario_has(job->scenario, FIELD_TP) && /* pinned: a checkpoint padded to fit */
             fmod((double)ffn / layout->tp, job->weights->group) != 0)
        snprintf(text, size, tr("tp = %d cuts quantisation groups of %g: %d / %d is no multiple"), layout->tp,
                 job->weights->group, ffn, layout->tp);
    else if (layout->tp > hardware->gpus_per_node && !hardware->rdma &&
             !splits_over_machines(job, hardware))
        snprintf(text, size, tr("tp = %d would cross machines without RDMA"), layout->tp);
    else
        return NULL;
    return text;
}

/* The best layout seen so far. */
struct best {
    bool found;          /* something that fits */
    bool any;            /* something at all: the nearest miss */
    struct layout layout;
    struct memory memory;
    struct speed speed;
};

static double worth(const struct job *job, const struct speed *speed)
{
    double rate = job->workload == WORKLOAD_INFERENCE ? speed->output_tokens_per_s : speed->tokens_per_s;
    if (job->workload == WORKLOAD_INFERENCE && !speed->meets_latency)
        rate *= 1e-3;
    return isnan(rate) ? 0 : rate;
}

/* Fitting before tight before not; then the faster one, or the nearer miss. */
static void consider(const struct job *job, const struct hardware *hardware, const struct layout *layout,
                     const struct memory *memory, const struct constants *constants, struct best *best)
{
    if (memory->verdict == VERDICT_NO) {
        if (!best->found && (!best->any || memory->need_gib < best->memory.need_gib)) {
            best->any = true;
            best->layout = *layout;
            best->memory = *memory;
        }
        return;
    }
    if (best->found && memory->verdict > best->memory.verdict)
        return;
    struct speed speed = speed_estimate(job, hardware, layout, memory, constants);
    if (best->found && memory->verdict == best->memory.verdict && worth(job, &speed) <= worth(job, &best->speed))
        return;
    *best = (struct best){true, true, *layout, *memory, speed};
}

/* Micro-batches upwards until one does not fit; a larger one is not always faster (the bubble), so
 * each that fits is considered. True when the whole band of one does. */
static bool try_micro_batches(const struct job *job, const struct hardware *hardware, struct layout layout,
                              const struct candidates *sizes, const struct constants *constants,
                              struct best *best)
{
    bool fitted = false;
    for (int i = 0; i < sizes->count; i++) {
        layout.micro_batch = sizes->value[i];
        if (!complete(job, hardware, &layout))
            continue;
        struct memory memory = memory_estimate(job, hardware, &layout, constants);
        consider(job, hardware, &layout, &memory, constants, best);
        if (memory.verdict == VERDICT_NO)
            break;
        fitted |= memory.verdict == VERDICT_FITS;
    }
    return fitted;
}

/* GiB of the model states alone on the first stage, 0 where the layout cannot be. What is needed is
 * never less, whatever is recomputed. */
static double states_gib(const struct job *job, const struct hardware *hardware, struct layout layout,
                         const struct space *space, const struct constants *constants)
{
    layout.micro_batch = space->micro_batch.value[0];
    if (job->workload == WORKLOAD_INFERENCE || !complete(job, hardware, &layout))
        return 0;
    struct model_states states = model_states(job, &layout, constants, 0);
    return (states.weights + states.adapter + states.gradients + states.optimizer) / GIB;
}

/* Recomputation only where keeping everything does not fit or is tight: at the same micro-batch it
 * never makes a step faster. Where it cannot help, the kind that needs least is looked at, as long as
 * this may be the nearest miss. */
static bool try_recompute(const struct job *job, const struct hardware *hardware, struct layout layout,
                          const struct space *space, const struct constants *constants, struct best *best)
{
    double least = states_gib(job, hardware, layout, space, constants);
    bool hopeless = least > hardware->usable_gib;
    if (hopeless && (best->found || (best->any && least >= best->memory.need_gib)))
        return false;
    for (int i = hopeless ? space->recompute.count - 1 : 0; i < space->recompute.count; i++) {
        layout.recompute = (enum recompute)space->recompute.value[i];
        if (try_micro_batches(job, hardware, layout, &space->micro_batch, constants, best))
            return true;
    }
    return false;
}

static struct layout pinned_layout(const struct job *job, const struct hardware *hardware)
{
    const struct scenario *s = job->scenario;
    struct layout layout = {.micro_batches = 1, .vp = 1};
    layout.flash_attention = scenario_has(s, FIELD_FLASH_ATTENTION) ? s->flash_attention
                                                                    : has_flash_attention(hardware->gpu);
    layout.offload = scenario_has(s, FIELD_OFFLOAD) ? (enum offload)s->offload : OFFLOAD_NONE;
    return layout;
}

static unsigned chosen_bits(const struct job *job)
{
    static const struct { enum field_id id; unsigned bit; } map[] = {
        {FIELD_TP, CHOSEN_TP}, {FIELD_PP, CHOSEN_PP}, {FIELD_ZERO, CHOSEN_ZERO},
        {FIELD_RECOMPUTE, CHOSEN_RECOMPUTE}, {FIELD_MICRO_BATCH, CHOSEN_MICRO_BATCH},
        {FIELD_OFFLOAD, CHOSEN_OFFLOAD}, {FIELD_EP, CHOSEN_EP}, {FIELD_CP, CHOSEN_CP},
        {FIELD_SP, CHOSEN_SP}, {FIELD_DP, CHOSEN_DP}, {FIELD_FLASH_ATTENTION, CHOSEN_FLASH}};
    unsigned bits = 0;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (!scenario_has(job->scenario, map[i].id) && field_applies(map[i].id, job->scenario))
            bits |= map[i].bit;
    return bits;
}

/* Walks the splits. Once a pipeline depth fits, one deeper is tried and no more: depth only costs. */
static void walk(const struct job *job, const struct hardware *hardware, const struct space *space,
                 const struct constants *constants, struct best *best, char *detail, size_t detail_size)
{
    struct layout layout = pinned_layout(job, hardware);
    const struct scenario *s = job->scenario;
    bool can_sp = job->workload != WORKLOAD_INFERENCE && abilities[job->stack].sequence_parallel;
    for (int t = 0; t < space->tp.count; t++) {
        layout.tp = space->tp.value[t];
        layout.sp = scenario_has(s, FIELD_SP) ? s->sp : can_sp && layout.tp > 1;
        for (int c = 0; c < space->cp.count; c++) {
            layout.cp = space->cp.value[c];
            for (int p = 0, fitted = 0; p < space->pp.count && fitted < 2; p++) {
                layout.pp = space->pp.value[p];
                bool fits = false;
                int span = layout.tp * layout.cp * layout.pp;
                if (span > (hardware->apart ? hardware->gpus_per_node : hardware->gpus))
                    break;
                for (int e = 0; e < space->ep.count; e++) {
                    layout.ep = space->ep.value[e];
                    if (layout_reason(job, hardware, &layout, detail, detail_size))
                        continue;
                    for (int z = 0; z < space->zero.count; z++) {
                        layout.zero = space->zero.value[z];
                        fits |= try_recompute(job, hardware, layout, space, constants, best);
                    }
                }
                fitted += fits;
            }
        }
    }
}

bool layout_search(const struct job *open_job, const struct hardware *hardware,
                   const struct constants *constants, struct layout *layout, struct memory *memory,
                   struct speed *speed, enum exclusion *reason, char *detail, size_t detail_size)
{
    struct job on_gpu = job_for_gpu(open_job, hardware->gpu);
    const struct job *job = &on_gpu;
    struct space space = {0};
    struct best best = {0};
    bool serve = job->workload == WORKLOAD_INFERENCE;
    if (serve)
        serving_space(job, hardware, &space);
    else
        training_space(job, hardware, &space);
    detail[0] = '\0';

    struct layout probe = pinned_layout(job, hardware);
    probe.tp = probe.pp = probe.cp = probe.ep = 1;
    if (layout_reason(job, hardware, &probe, detail, detail_size))
        *reason = EXCLUDED_PRECISION;
    else
        *reason = EXCLUDED_LAYOUT;
    walk(job, hardware, &space, constants, &best, detail, detail_size);

    *layout = best.layout;
    layout->chosen = chosen_bits(job);
    *memory = best.memory;
    *speed = best.speed;
    if (best.found)
        return true;
    if (best.any) {
        *reason = EXCLUDED_MEMORY;
        *speed = speed_estimate(job, hardware, &best.layout, &best.memory, constants);
        snprintf(detail, detail_size, tr("needs %.1f GiB of %.1f usable"), best.memory.need_gib,
                 hardware->usable_gib);
    } else if (!detail[0]) {
        snprintf(detail, detail_size, tr("%d GPUs cannot be split as asked"), hardware->gpus);
    }
    return false;
}
