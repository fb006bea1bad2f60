/* memory_train.c - training memory: model states, activations and buffers put together, phase by
 * phase. A step has phases; what counts is the highest, not the sum. */
#include <math.h>

#include "base/units.h"
#include "engine/memory_parts.h"

/* Bytes on the GPU in one phase, by component; runtime is added at the end. */
struct phase {
    double bytes[COMPONENT_COUNT];
    double states; /* of the sum: model states, which need no allocator slack */
};

static double phase_sum(const struct phase *phase)
{
    double sum = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++)
        sum += phase->bytes[i];
    return sum;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* FSDP gathers whole layers: the one in use and the next, their gradients before they are split,
 * and the root unit, embedding and head, which is often as large as five layers. DeepSpeed gathers
 * tensors while fewer than stage3_max_live_parameters are, and reduces each gradient as it is made.
 * In a pipeline torchtitan gathers and reduces once a step (reshard_after_forward: false). */
static double gathered_bytes(const struct job *job, const struct layout *layout,
                             const struct stack_constants *constants, int index)
{
    if (layout->zero < 3 && layout->offload != OFFLOAD_PARAMS)
        return 0;
    struct stage_params params = stage_params(job, layout, index);
    double layers = (double)job->model->layers / layout->pp;
    bool lora = job->workload == WORKLOAD_LORA, packed = lora && job->weights->quantised;
    double wide = job->precision == PRECISION_FP32 ? 4 : 2;
    double unit = (params.total - params.ends) / layers;
    if (packed && layout->zero >= 3 && !constants->shards_quantised)
        return 0; /* held whole anyway */
    double layer = packed ? stored_bytes_per_weight(job->weights) : wide;
    double units = constants->live_units * unit * layer,
           root = constants->root_copies * params.ends * wide;
    double gradients = lora ? 0 : unit * wide;
    if (layout->pp > 1 && job->stack == STACK_TORCHTITAN)
        return params.total * (wide + (lora ? 0 : 4)); /* gradients add up in 32 bits */
    if (constants->live_params_b > 0) {
        double most = largest_tensor(job, layout);
        units = fmin(units + root, (constants->live_params_b * 1e9 + most) * wide);
        root = 0;
        gradients = fmin(gradients, most * wide);
    }
    return units + root + gradients;
}

/* Groups of GPUs that talk to each other; each keeps communicator buffers. The first is part of the
 * context. */
static double communicators(const struct layout *layout)
{
    int groups =
        (layout->tp > 1) + (layout->pp > 1) + (layout->dp * layout->cp > 1) + (layout->ep > 1);
    return fmax(0, groups - 1);
}

/* Gradients of this rank that DeepSpeed updates at a time: all of its share, from stage 3 on a
 * group of 1e9 elements (sub_group_size). */
static double gradient_group(const struct layout *layout, double trainable)
{
    double share = trainable / (layout->zero >= 1 ? (double)layout->dp * layout->cp : 1);
    return layout->zero >= 3 ? fmin(share, 1e9) : share;
}

/* DeepSpeed sets its buckets up in any case, other stacks where ZeRO splits something. */
static bool has_buckets(const struct job *job, const struct layout *layout)
{
    return layout->zero >= 1 || job->stack == STACK_DEEPSPEED;
}

/* ---- host memory --------------------------------------------------------------------------- */

/* Stacks whose checkpoints are stored in parts: a rank reads and writes its own (Megatron-core and
 * torch distributed checkpoints). Pretraining begins without one. */
static bool has_split_checkpoints(const struct job *job)
{
    return job->workload == WORKLOAD_PRETRAIN || job->stack == STACK_TORCHTITAN ||
           job->stack == STACK_MEGATRON || job->stack == STACK_NEMO;
}

/* Bytes that one machine holds of offloaded states: half again as much for pinned buffers
 * (DeepSpeed memory.rst: x 1.5). */
static double offloaded_bytes(const struct job *job, const struct layout *layout,
                              const struct train_stage *stage, double ranks)
{
    double bytes = 1.5 * ranks * (stage->states.host_optimizer + stage->states.host_weights);
    if (layout->offload == OFFLOAD_ACTIVATIONS)
        bytes += ranks * 2.0 * job->seq_len * layout->micro_batch / layout->cp *
                 job->model->hidden_size * job->model->layers / layout->pp;
    return bytes;
}

/* RAM of one machine at the worst of load, offload and save. Elsewhere every rank of a machine
 * reads the whole 16-bit checkpoint (Roblox/FAI-RL 66: 230 GB for each rank of a 30B) unless
 * ZeRO-3 or FSDP splits weights while loading, and the save gathers the whole model on a machine.
 */
static void set_host_bytes(const struct job *job, const struct hardware *hardware,
                           const struct layout *layout, struct train_stage *stage)
{
    enum { SYSTEM_GIB = 8, PROCESS_GIB = 3 };
    const struct model_states *states = &stage->states;
    double ranks = fmin(hardware->gpus_per_node, hardware->gpus);
    double whole = 2 * (double)job->params.total;
    double away = offloaded_bytes(job, layout, stage, ranks);
    stage->host_fixed = (SYSTEM_GIB + PROCESS_GIB * ranks) * GIB;
    if (has_split_checkpoints(job)) {
        stage->host_load = ranks * states->weights;
        stage->host_save = ranks * (states->weights + states->adapter + states->optimizer) + away;
    } else {
        stage->host_load = whole * (layout->zero >= 3 ? 1 : ranks);
        stage->host_save = whole + away;
    }
}

/* 16-bit copies of quantised weights. bitsandbytes makes one of a matrix at a time; what shows of
 * it is an allocator's matter. The kernels of GPTQ (AutoGPTQ, qlinear_cuda.py in training) unpack
 * into 32-bit integers on the way, and autograd keeps the copies of the layer it is in. */
static double dequantised_bytes(const struct job *job, const struct layout *layout,
                                const struct stack_constants *constants, int index)
{
    enum { UNPACKED = 6 }; /* bytes: int32, int8 and the zero points of a matrix being unpacked */
    const struct model *model = job->model;
    double head = (double)model->vocab_size * model->hidden_size / layout->tp;
    double bytes = constants->dequant_copies * 2 * head;
    if (!is_gptq(job->weights))
        return bytes;
    struct stage_params params = stage_params(job, layout, index);
    double layer = (params.total - params.ends) / ((double)model->layers / layout->pp);
    double matrix = (double)model->ffn_size * model->hidden_size / layout->tp;
    return bytes + 2 * layer + UNPACKED * matrix;
}

/* ---- one stage ----------------------------------------------------------------------------- */

struct train_stage train_stage_of(const struct job *job, const struct hardware *hardware,
                                  const struct layout *layout, const struct constants *all,
                                  int index)
{
    const struct stack_constants *constants = &all->stack[job->stack];
    struct train_stage stage = {
        .states = model_states(job, layout, all, index),
        .activations = activations(job, hardware, layout, all, index),
        .gathered = gathered_bytes(job, layout, constants, index),
        .context =
            (constants->context_gib + communicators(layout) * all->global.communicator_gib) * GIB,
        .slack = constants->slack};
    if (job->workload == WORKLOAD_LORA && job->weights->quantised)
        stage.dequantised = dequantised_bytes(job, layout, constants, index);
    if (has_buckets(job, layout)) {
        /* buckets hold whole tensors of what is trained: small models fill them only in part */
        double most = 18 * stage.states.trainable;
        stage.bucket = fmin(constants->bucket_gib * GIB, most);
        stage.step_bucket = fmin(constants->step_gib * GIB, most) +
                            constants->step_bytes * gradient_group(layout, stage.states.trainable);
    }
    set_host_bytes(job, hardware, layout, &stage);
    return stage;
}

/* ---- phases -------------------------------------------------------------------------------- */

/* What is there in every phase; each of the following puts its own on top. */
static struct phase resident(const struct train_stage *stage)
{
    const struct model_states *states = &stage->states;
    struct phase phase = {.bytes = {[COMPONENT_WEIGHTS] = states->weights,
                                    [COMPONENT_ADAPTER] = states->adapter,
                                    [COMPONENT_GRADIENTS] = states->gradients,
                                    [COMPONENT_OPTIMIZER] = states->optimizer}};
    phase.states = phase_sum(&phase);
    return phase;
}

/* Forward and backward on the longest sample: at the loss the logits are there and no layer is
 * being recomputed, in the backward pass it is the other way round. */
static struct phase step_phase(struct phase phase, const struct train_stage *stage, double logits)
{
    phase.bytes[COMPONENT_ACTIVATIONS] = stage->activations.saved;
    phase.bytes[COMPONENT_BUFFERS] =
        stage->gathered + stage->dequantised + stage->bucket + stage->activations.head_input;
    if (logits >= stage->activations.live)
        phase.bytes[COMPONENT_LOGITS] = logits;
    else
        phase.bytes[COMPONENT_BUFFERS] += stage->activations.live;
    return phase;
}

static struct phase optimizer_phase(struct phase phase, const struct train_stage *stage)
{
    phase.bytes[COMPONENT_BUFFERS] = stage->states.step_extra + stage->step_bucket;
    return phase;
}

/* Weights alone, and the gathered layer when they are split: each rank loads or writes its part. */
static struct phase still_phase(struct phase phase, const struct train_stage *stage,
                                bool with_optimizer)
{
    phase.bytes[COMPONENT_GRADIENTS] = 0;
    if (!with_optimizer)
        phase.bytes[COMPONENT_OPTIMIZER] = 0;
    phase.states = phase_sum(&phase);
    phase.bytes[COMPONENT_BUFFERS] = stage->gathered;
    return phase;
}

/* Adds what the runtime takes and returns the whole in bytes. */
static double with_runtime(struct phase *phase, const struct train_stage *stage)
{
    double sum = phase_sum(phase);
    phase->bytes[COMPONENT_RUNTIME] = stage->context + stage->slack * (sum - phase->states);
    return sum + phase->bytes[COMPONENT_RUNTIME];
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Model states are known but for padding; all besides scatters as much as the published figures of
 * the stack do. Upwards the longest sample is one that reaches the cap. */
static void set_band(const struct train_stage *stage, const struct constants *all,
                     const struct stack_constants *constants, struct memory *memory)
{
    struct phase phase = step_phase(resident(stage), stage, stage->activations.logits_longest);
    double longest = fmax(with_runtime(&phase, stage) / GIB, memory->need_gib);
    double besides = memory->need_gib - memory->model_states_gib;
    double unsure = all->global.states_band * memory->model_states_gib;
    memory->low_gib = memory->need_gib - constants->band_low * besides - unsure;
    memory->high_gib = longest + constants->band_high * besides + unsure;
}

/* What every GPU holds a copy of, of the components as they are at the highest phase. */
static void set_copies(const struct train_stage *stage, const struct hardware *hardware,
                       struct memory *memory)
{
    double *copies = memory->replicated_gib;
    for (int i = 0; i < 4; i++)
        copies[COMPONENT_WEIGHTS + i] = stage->states.replicated[i] / GIB;
    copies[COMPONENT_ACTIVATIONS] = stage->activations.saved_copies / GIB;
    copies[COMPONENT_RUNTIME] = hardware->gpus > 1 ? stage->context / GIB : 0;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        copies[i] = fmin(copies[i], memory->components_gib[i]);
        memory->replicated_total_gib += copies[i];
    }
}

/* The need of one stage; everything but the hardware's side of `memory`. */
static struct memory memory_of_stage(const struct job *job, const struct hardware *hardware,
                                     const struct layout *layout, const struct constants *all,
                                     int index)
{
    struct train_stage stage = train_stage_of(job, hardware, layout, all, index);
    const struct model_states *states = &stage.states;
    const struct phase held = resident(&stage);
    struct phase phases[PEAK_COUNT] = {
        [PEAK_LOAD] = still_phase(held, &stage, false),
        [PEAK_STEP] = step_phase(held, &stage, stage.activations.logits),
        [PEAK_OPTIMIZER] = optimizer_phase(held, &stage),
        [PEAK_SAVE] = still_phase(held, &stage, true)};
    struct memory memory = {.worst_stage = index, .kv_tokens = NAN, .max_concurrency = NAN};
    enum peak highest = PEAK_LOAD;
    for (enum peak i = PEAK_LOAD; i < PEAK_COUNT; i++) {
        memory.peaks_gib[i] = with_runtime(&phases[i], &stage) / GIB;
        if (memory.peaks_gib[i] > memory.peaks_gib[highest])
            highest = i;
    }
    for (int i = 0; i < COMPONENT_COUNT; i++)
        memory.components_gib[i] = phases[highest].bytes[i] / GIB;
    memory.need_gib = memory.peaks_gib[highest];
    memory.model_states_gib =
        (states->weights + states->adapter + states->gradients + states->optimizer) / GIB;
    memory.host_ram_gib = (stage.host_fixed + fmax(stage.host_load, stage.host_save)) / GIB;
    set_band(&stage, all, &all->stack[job->stack], &memory);
    set_copies(&stage, hardware, &memory);
    return memory;
}

struct memory memory_train(const struct job *job, const struct hardware *hardware,
                           const struct layout *layout, const struct constants *constants)
{
    /* the first stage holds most micro-batches, the last one the logits */
    struct memory memory = memory_of_stage(job, hardware, layout, constants, 0);
    if (layout->pp > 1) {
        struct memory last = memory_of_stage(job, hardware, layout, constants, layout->pp - 1);
        if (last.need_gib > memory.need_gib)
            memory = last;
    }
    memory.reserved_gib = memory.need_gib;
    memory.usable_gib = hardware->usable_gib;
    memory.verdict =
        memory_verdict(memory.low_gib, memory.need_gib, memory.high_gib, memory.usable_gib);
    memory.host_ram_short = memory.host_ram_gib > hardware->ram_gib;
    memory.measured_basis = constants->stack[job->stack].memory_measured;
    return memory;
}
