/* speed_train.c - how long a training step takes.
 *
 * A closed form: FLOPs and bytes of one micro-batch on one GPU over what kernels, links and
 * networks achieve (data/engine.yaml), times the micro-batches of the pipeline, plus what a step
 * pays once. Every part is kept apart, so that a step can be explained. All times are seconds. */
#include <math.h>
#include <string.h>
#include "engine/activations.h"
#include "engine/comm.h"
#include "engine/train_step.h"

/* Time that work of `other` seconds beside `compute` adds, when the share `overlap` of it can run
 * at the same time. What overlaps still competes for memory and SMs: the two add like the sides of
 * a right angle, between the maximum of a perfect overlap and the sum of none. */
static double exposed_s(double other, double compute, double overlap)
{
    double beside = overlap * other;
    return other - beside + sqrt(compute * compute + beside * beside) - compute;
}

/* ---- one micro-batch ------------------------------------------------------------------------ */

/* Full recomputation repeats the forward pass (Chen et al. 2016). */
static double repeated_share(const struct train_step *step)
{
    switch (step->layout->recompute) {
    case RECOMPUTE_FULL:
        return 1;
    case RECOMPUTE_SELECTIVE:
        return step->stack->selective_gemm;
    default:
        return 0;
    }
}

/* The Megatron papers of 2020 and 2021 predate sequence parallelism; it came with selective
 * recomputation (Korthikanti et al. 2022, section 4.2). */
static bool sequence_parallel(const struct job *job, const struct layout *layout)
{
    bool older = job->stack == STACK_MEGATRON && layout->recompute != RECOMPUTE_SELECTIVE &&
                 !scenario_has(job->scenario, FIELD_SP);
    return layout->sp && layout->tp > 1 && !older;
}

/* torchtitan runs float8 under torch.compile only (its docs/float8.md). */
static bool is_compiled(const struct job *job)
{
    return job->compile ||
           (job->stack == STACK_TORCHTITAN && job->precision == PRECISION_FP8_MIXED);
}

/* Small micro-batches leave the tensor cores waiting: T / (T + half_tokens) of the rate. */
static void set_rates(struct train_step *step)
{
    const struct gpu *gpu = step->hardware->gpu;
    const struct constants *constants = step->constants;
    bool fp8 = step->job->precision == PRECISION_FP8_MIXED;
    double share = step->hardware->gpu_fraction;
    enum precision plain = fp8 ? PRECISION_BF16_MIXED : step->job->precision;
    double filled = step->tokens / (step->tokens + step->global->half_tokens);
    double achieved = speed_gemm_share(gpu, constants) * filled * share;
    step->peak = speed_peak_flops(gpu, plain) * share;
    step->gemm = speed_peak_flops(gpu, plain) * achieved;
    step->layer_gemm =
        fp8 ? speed_peak_flops(gpu, PRECISION_FP8_MIXED) * achieved * step->global->fp8_gemm
            : step->gemm;
    step->memory = gpu->bandwidth_gbs * 1e9 * step->global->achieved_bandwidth * share;
    step->link = comm_group_bytes_per_s(step->hardware, constants, step->layout->tp);
}

struct train_step train_step_begin(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct constants *constants)
{
    struct train_step step = {
        .job = job,
        .hardware = hardware,
        .layout = layout,
        .constants = constants,
        .stack = &constants->stack[job->stack],
        .global = &constants->global,
        .shape = flops_shape(job),
        .tokens = layout->micro_batch * job->seq_len / layout->cp,
        .element_bytes = job->precision == PRECISION_FP32 ? 4 : 2,
        .weight_gradients = job->workload == WORKLOAD_LORA ? 0 : 1,
        .sequence_parallel = sequence_parallel(job, layout),
        .compiled = is_compiled(job),
    };
    step.layers = step.shape.layers / layout->pp;
    step.repeated = repeated_share(&step);
    step.passes = 2 + step.weight_gradients + step.repeated;
    set_rates(&step);
    return step;
}

/* 2 FLOPs per matrix element, token and pass: 6N for a trained model, 8N with full recomputation,
 * 4N and 6N under LoRA, whose frozen matrices need no weight gradient (Narayanan et al. 2021,
 * appendix; Hu et al. 2021). The adapters themselves are trained. */
static double gemm_s(const struct train_step *step)
{
    const struct shape *shape = &step->shape;
    double weights = shape->dense_weights + shape->expert_weights / step->global->moe_gemm;
    double flops = 2 * step->tokens * step->layers / step->layout->tp *
                   (weights * step->passes + shape->adapter_weights * (3 + step->repeated));
    return flops / step->layer_gemm;
}

/* Logits stay 16-bit products, are never recomputed, and without a fused loss are written in fp32
 * and read again several times; a fused loss moves about a third of that. */
static double head_s(const struct train_step *step)
{
    bool trained = step->weight_gradients > 0 || step->job->train_embeddings;
    double traffic = step->global->logit_traffic * (step->job->fused_loss ? 1.0 / 3 : 1);
    double flops = 2 * step->shape.head_weights * (trained ? 3 : 2);
    double bytes = traffic * step->job->model->vocab_size;
    return step->tokens / step->layout->tp * (flops / step->gemm + bytes / step->memory);
}

/* FlashAttention executes 1 forward and 2.5 backward (Dao 2023, section 3.1), once more when the
 * layer is recomputed; LoRA shortens none of it. Without it both triangles are computed and every
 * score passes through memory, and selective recomputation repeats just this part (Korthikanti et
 * al.). */
static double attention_s(const struct train_step *step)
{
    const struct gpu *gpu = step->hardware->gpu;
    const struct layout *layout = step->layout;
    double share = step->layers / step->shape.layers / layout->tp * step->tokens;
    if (!keeps_no_scores(step->hardware, layout)) {
        double again = layout->recompute == RECOMPUTE_NONE ? 0 : 1;
        return share * (2 * step->shape.score_flops * (3 + again) /
                            (step->peak * step->global->eager_attention) +
                        step->global->score_traffic * step->shape.score_elements / step->memory);
    }
    double again = layout->recompute == RECOMPUTE_FULL ? 1 : 0;
    double kernel =
        gpu->arch >= ARCH_HOPPER ? step->stack->attention_hopper : step->stack->attention_ampere;
    double derated = speed_gemm_share(gpu, step->constants) / step->constants->arch[gpu->arch].gemm;
    return share * step->shape.score_flops * (3.5 + again) / (step->peak * kernel * derated);
}

/* Norms, residuals, activation functions, casts: bound by memory. Tensor parallelism splits all of
 * it with sequence parallelism, else about the half that lies inside the split blocks: sqrt(tp). */
static double elementwise_s(const struct train_step *step)
{
    const struct stack_constants *stack = step->stack;
    enum precision precision = step->job->precision;
    bool mixed = precision != PRECISION_BF16 && precision != PRECISION_FP32;
    double bytes = stack->elementwise_bytes * step->element_bytes / 2 *
                   (step->compiled ? step->global->compiled_share : 1);
    if (precision == PRECISION_FP8_MIXED)
        bytes += stack->fp8_bytes;
    if (step->weight_gradients == 0)
        bytes += stack->adapter_bytes + (mixed ? stack->autocast_bytes : 0);
    double split = step->sequence_parallel ? step->layout->tp : sqrt(step->layout->tp);
    double routed = step->global->moe_bytes * step->shape.routed_width / step->layout->tp;
    return (bytes * step->shape.width / split + routed) * step->tokens * step->layers *
           step->passes / 3 / step->memory;
}

/* QLoRA turns the weights back into 16 bits before every product (Dettmers et al. 2023, equation
 * 5). 8-bit weights pass through kernels of the same kind as NF4. */
static double dequant_s(const struct train_step *step)
{
    const struct weight_format *weights = step->job->weights;
    if (step->job->workload != WORKLOAD_LORA || !weights || !weights->quantised)
        return 0;
    bool int4_kernel = strstr(weights->id, "int4") != NULL;
    double bytes = int4_kernel ? step->global->dequant_int4 : step->global->dequant_nf4;
    double matrices = step->shape.dense_weights + step->shape.expert_weights;
    double bandwidth = step->memory / step->global->achieved_bandwidth;
    return (2 + step->repeated) * step->layers * matrices / step->layout->tp * bytes / bandwidth;
}

/* The least time Python and kernel launches take, however small the micro-batch; experts in a
 * Python loop cost theirs one by one. 4 passes is forward, backward (2) and recomputation. */
static double host_s(const struct train_step *step)
{
    double experts = step->shape.moe_layers / step->layout->pp * step->job->model->moe.experts /
                     step->layout->ep * step->stack->host_s_per_expert;
    return (step->stack->host_s_per_layer * step->layers + experts) * step->passes / 4;
}

/* Two all-reduces of the activations forward and two backward in each layer, two more when the
 * forward is repeated (Shoeybi et al. 2019, section 3); with sequence parallelism the same bytes go
 * as gathers and scatters. Plus what context parallelism's ring of K and V does not hide behind
 * attention (Liu et al. 2023). */
static double tensor_parallel_s(const struct train_step *step, double attention)
{
    const struct layout *layout = step->layout;
    double tensor = 0, ring = 0;
    if (layout->tp > 1) {
        double reductions = step->repeated >= 1 ? 6 : 4;
        double bytes =
            2.0 * (layout->tp - 1) / layout->tp * step->tokens * step->job->model->hidden_size *
            step->element_bytes;
        tensor = reductions * step->layers * bytes / step->link * (1 - step->stack->tp_overlap);
    }
    if (layout->cp > 1) {
        double link =
            comm_group_bytes_per_s(step->hardware, step->constants, layout->tp * layout->cp);
        double bytes = step->shape.kv_width * step->element_bytes * step->tokens *
                       (layout->cp - 1) / layout->tp;
        ring = fmax(0, 3 * step->layers * bytes / link - 0.8 * attention);
    }
    return tensor + ring;
}

/* Different machines that top_k experts, spread evenly over `machines`, lie on, without the token's
 * own. */
static double other_machines(double machines, double top_k)
{
    return machines * (1 - pow(1 - 1 / machines, top_k)) * (1 - 1 / machines);
}

/* Each token's hidden vector goes to its experts and back, forward and backward (Lepikhin et al.
 * 2020): to each expert inside a machine, once to each other machine that holds some of them
 * (DeepSeek-V3 report, section 3.2.2). It overlaps with `compute` as data-parallel traffic does. */
static double expert_exchange_s(const struct train_step *step, double compute)
{
    const struct layout *layout = step->layout;
    if (layout->ep <= 1 || step->shape.moe_layers <= 0)
        return 0;
    const struct hardware *hardware = step->hardware;
    double top_k = step->job->model->moe.top_k;
    double machines = fmax(1, floor((double)layout->ep * layout->tp / hardware->gpus_per_node));
    double s_per_byte =
        top_k * (1 - 1.0 / layout->ep) / comm_link_bytes_per_s(hardware, step->constants);
    if (machines > 1)
        s_per_byte += other_machines(machines, top_k) * hardware->gpus_per_node /
                      comm_network_bytes_per_s(hardware, step->constants);
    double exchanges = step->repeated >= 1 ? 6 : 4;
    double bytes =
        step->element_bytes * step->tokens / layout->tp * step->job->model->hidden_size;
    double exchange = exchanges * step->shape.moe_layers / layout->pp * bytes * s_per_byte;
    return exposed_s(exchange, compute, step->stack->overlap);
}

/* ---- the whole step ------------------------------------------------------------------------- */

/* Weights one rank is responsible for: routed experts over ep * pp, the others over tp * pp. */
static double experts_of_rank(const struct train_step *step)
{
    const struct layout *layout = step->layout;
    return (double)step->job->params.experts / (layout->ep > 1 ? layout->ep : layout->tp) /
           layout->pp;
}

static double params_of_rank(const struct train_step *step)
{
    const struct param_counts *params = &step->job->params;
    return (double)(params->total - params->experts) / (step->layout->tp * step->layout->pp) +
           experts_of_rank(step);
}

static double trainable_of_rank(const struct train_step *step)
{
    if (step->weight_gradients > 0)
        return params_of_rank(step);
    return (double)step->job->trainable_params / (step->layout->tp * step->layout->pp);
}

/* Bytes of a frozen or trained weight in a ZeRO-3 gather. DeepSpeed leaves quantised weights whole
 * on every rank; FSDP gathers them as they are stored. */
static double gathered_bytes(const struct train_step *step)
{
    const struct weight_format *weights = step->job->weights;
    if (step->job->workload != WORKLOAD_LORA || !weights || !weights->quantised)
        return step->element_bytes;
    bool replicated = step->job->stack == STACK_HF || step->job->stack == STACK_DEEPSPEED ||
                      step->job->stack == STACK_UNSLOTH;
    return replicated ? 0 : weights->bits_per_weight / 8;
}

/* Payload of the data-parallel collectives of a step, bytes, and how many collectives it takes.
 * ZeRO-3 gathers before forward and backward and reduces in every micro-batch (Rajbhandari et al.
 * 2020, section 7); ZeRO-2 reduces in every micro-batch; ZeRO-1 and plain data parallelism
 * reduce-scatter and gather (or all-reduce) once a step. */
static double data_parallel_bytes(const struct train_step *step, double *collectives)
{
    const struct layout *layout = step->layout;
    double params = params_of_rank(step), trained = trainable_of_rank(step);
    double m = layout->micro_batches, element = step->element_bytes;
    double reduce = fmax(step->stack->reduce_bytes, element);
    if (layout->zero >= 3) {
        *collectives = 3 * step->layers * m;
        return (2 * gathered_bytes(step) * params + reduce * trained) * m;
    }
    *collectives = 2 * step->layers;
    return layout->zero == 2 ? (element + reduce * m) * trained : 2 * element * trained;
}

/* Seconds per byte of those collectives. Under expert parallelism experts are copied on fewer
 * ranks, ep times as far apart: all GPUs of a machine then reduce experts of their own over its
 * network. */
static double ring_s_per_byte(const struct train_step *step, int ranks)
{
    const struct layout *layout = step->layout;
    double common = comm_ring_s_per_byte(step->hardware, step->constants, ranks, layout->tp);
    double experts = experts_of_rank(step);
    if (layout->ep <= 1 || experts <= 0)
        return common;
    int copies = ranks * layout->tp / layout->ep;
    double spread = comm_ring_s_per_byte(step->hardware, step->constants, copies, layout->ep);
    double share = experts / params_of_rank(step);
    return common * (1 - share) + spread * share;
}

/* Traffic of an optimizer step relative to AdamW with fp32 states: what it reads and writes of
 * weights, gradients and states, of 36 bytes. */
static const double optimizer_traffic[] = {
    [OPTIMIZER_ADAMW] = 1,          [OPTIMIZER_ADAMW_BF16] = 0.5, [OPTIMIZER_ADAMW_8BIT] = 0.5,
    [OPTIMIZER_PAGED_ADAMW] = 1,    [OPTIMIZER_ADAFACTOR] = 0.6,  [OPTIMIZER_SGD] = 0.35,
    [OPTIMIZER_SGD_MOMENTUM] = 0.6, [OPTIMIZER_LOMO] = 0.35,      [OPTIMIZER_GALORE] = 0.8,
    [OPTIMIZER_LISA] = 0.2};

static int shards(const struct layout *layout)
{
    return layout->zero >= 1 ? layout->dp * layout->cp : 1;
}

static double optimizer_s(const struct train_step *step)
{
    double params = trainable_of_rank(step) / shards(step->layout);
    double bandwidth = step->memory / step->global->achieved_bandwidth;
    return params *
           (optimizer_traffic[step->job->optimizer] * step->global->optimizer_bytes / bandwidth +
            step->stack->optimizer_s / 1e9);
}

/* ZeRO-Offload (Ren et al. 2021): gradients go to the host, Adam runs on its cores, weights come
 * back. Parameter offload (Rajbhandari et al. 2021) fetches them for forward and backward of each
 * micro-batch besides; activation offload moves what is kept there and back. */
static double offload_s(const struct train_step *step, double compute)
{
    const struct layout *layout = step->layout;
    const struct model *model = step->job->model;
    if (layout->offload == OFFLOAD_NONE)
        return 0;
    double link = comm_host_bytes_per_s(step->hardware, step->constants);
    double m = layout->micro_batches;
    if (layout->offload == OFFLOAD_ACTIVATIONS) {
        double q = (double)model->heads * model->head_dim;
        double kept = layout->recompute == RECOMPUTE_FULL
                          ? 2.0 * model->hidden_size
                          : 8 * (step->shape.width + 0.5 * q) + 2 * step->shape.kv_width;
        double wide = step->element_bytes / 2; /* what is kept was counted in 16 bits */
        double moved = 2 * m * kept * wide * step->tokens * step->layers / layout->tp;
        return exposed_s(moved / link, compute, step->stack->overlap);
    }
    double share = trainable_of_rank(step) / shards(layout);
    double once = share * 2 * step->element_bytes / link +
                  share * step->hardware->gpus_per_node * step->global->cpu_adam_s / 1e9;
    if (layout->offload != OFFLOAD_PARAMS)
        return once;
    double fetched = 2 * m * gathered_bytes(step) * params_of_rank(step) / shards(layout);
    return once + exposed_s(fetched / link, compute, step->stack->overlap);
}

/* Stages pass activations forward and gradients back for each chunk of each micro-batch, half of it
 * hidden; the bubble is (pp - 1) / v micro-batches (Narayanan et al. 2021, section 2.2). */
static double pipeline_s(const struct train_step *step, double micro_batch)
{
    const struct layout *layout = step->layout;
    if (layout->pp <= 1)
        return 0;
    int chunks = layout->vp > 1 ? layout->vp : 1;
    double link = step->hardware->nodes > 1
                      ? comm_network_bytes_per_s(step->hardware, step->constants) /
                            step->hardware->gpus_per_node
                      : comm_link_bytes_per_s(step->hardware, step->constants);
    double bytes = step->element_bytes * step->tokens * step->job->model->hidden_size /
                   (step->sequence_parallel ? layout->tp : 1);
    double transfers = (double)layout->micro_batches * chunks * 2 * bytes / link / 2;
    return micro_batch * (layout->pp - 1) / chunks + transfers;
}

/* The slowest stage sets the pace: the last one has the head on top of its layers, unless the
 * layers do not divide evenly and it got fewer. */
static double head_of_stage_s(const struct train_step *step)
{
    const struct layout *layout = step->layout;
    double head = head_s(step);
    return layout->pp > 1 && step->job->model->layers % layout->pp != 0 ? head / layout->pp : head;
}

static void micro_batch_terms(const struct train_step *step, double terms[TERM_COUNT],
                              struct train_notes *notes)
{
    terms[TERM_GEMM] = gemm_s(step);
    terms[TERM_HEAD] = head_of_stage_s(step);
    terms[TERM_ATTENTION] = attention_s(step);
    terms[TERM_ELEMENTWISE] = elementwise_s(step);
    terms[TERM_TP] = tensor_parallel_s(step, terms[TERM_ATTENTION]);
    /* The host runs ahead of the GPU while it can: a floor, met smoothly (fourth powers add). */
    double device = terms[TERM_GEMM] + terms[TERM_ATTENTION] + terms[TERM_ELEMENTWISE];
    double host = host_s(step), device2 = device * device, host2 = host * host;
    double busy = sqrt(sqrt(device2 * device2 + host2 * host2));
    terms[TERM_HOST] = busy - device;
    terms[TERM_DEQUANT] = exposed_s(dequant_s(step), busy, step->global->dequant_overlap);
    terms[TERM_EXPERTS] = expert_exchange_s(step, busy);
    notes->device_s = device;
    notes->host_s = host;
    notes->busy_s = busy;
    notes->dequant_s = dequant_s(step);
}

static double sum(const double terms[TERM_COUNT])
{
    double total = 0;
    for (int i = 0; i < TERM_COUNT; i++)
        total += terms[i];
    return total;
}

/* What comes once a step, on top of the micro-batches. */
static void step_terms(const struct train_step *step, double terms[TERM_COUNT],
                       struct train_notes *notes)
{
    const struct layout *layout = step->layout;
    const struct hardware *hardware = step->hardware;
    double micro_batch = sum(terms);
    for (int i = 0; i < TERM_COUNT; i++)
        terms[i] *= layout->micro_batches;
    double compute = micro_batch * layout->micro_batches, collectives = 0;
    int ranks = layout->dp * layout->cp;

    notes->micro_batch_s = micro_batch;
    terms[TERM_BUBBLE] = pipeline_s(step, micro_batch);
    if (ranks > 1) {
        double bytes = data_parallel_bytes(step, &collectives);
        double traffic = bytes * ring_s_per_byte(step, ranks);
        if (layout->zero >= 3)
            traffic /= step->stack->zero3;
        notes->sent_bytes = bytes;
        notes->sent_s = traffic;
        terms[TERM_DATA_PARALLEL] = exposed_s(traffic, compute, step->stack->overlap);
        if (comm_spans_machines(hardware, ranks, layout->tp) && bytes > 0)
            terms[TERM_LATENCY] = collectives * ranks * step->global->collective_s;
        notes->collectives = collectives;
    }
    terms[TERM_OFFLOAD] = offload_s(step, compute);
    if (layout->offload != OFFLOAD_OPTIMIZER && layout->offload != OFFLOAD_PARAMS)
        terms[TERM_OPTIMIZER] = optimizer_s(step);
    notes->stepped_params = trainable_of_rank(step) / shards(layout);
    notes->step_bytes = optimizer_traffic[step->job->optimizer] * step->global->optimizer_bytes;
    if (hardware->nodes > 1) {
        double slower = (1 + step->global->straggler * log2(hardware->nodes)) *
                        (hardware->rdma ? 1 : step->stack->tcp_slowdown);
        notes->collectives_s = terms[TERM_LATENCY];
        notes->slower = slower - 1;
        notes->before_s = sum(terms);
        terms[TERM_LATENCY] += notes->before_s * notes->slower;
    }
}

void train_terms(const struct train_step *step, double terms[TERM_COUNT], struct train_notes *notes)
{
    *notes = (struct train_notes){0};
    for (int i = 0; i < TERM_COUNT; i++)
        terms[i] = 0;
    micro_batch_terms(step, terms, notes);
    step_terms(step, terms, notes);
}

/* ---- the answer ----------------------------------------------------------------------------- */

static enum bound bound_of(const double terms[TERM_COUNT])
{
    const double by_bound[] = {
        [BOUND_COMPUTE] =
            terms[TERM_GEMM] + terms[TERM_HEAD] + terms[TERM_ATTENTION] + terms[TERM_BUBBLE],
        [BOUND_BANDWIDTH] = terms[TERM_ELEMENTWISE] + terms[TERM_DEQUANT] + terms[TERM_OPTIMIZER],
        [BOUND_NETWORK] =
            terms[TERM_TP] + terms[TERM_EXPERTS] + terms[TERM_DATA_PARALLEL] + terms[TERM_LATENCY],
        [BOUND_HOST] = terms[TERM_HOST] + terms[TERM_OFFLOAD],
    };
    int largest = 0;
    for (int i = 1; i < (int)(sizeof by_bound / sizeof *by_bound); i++)
        if (by_bound[i] > by_bound[largest])
            largest = i;
    return (enum bound)largest;
}

/* Ratio of high to expected. The band of the stack, from its residuals, grows where the constants
 * were carried over to a card or stack that nobody measured, where the answers leave open what the
 * speed depends on, and by kinds of job whose published figures scatter more than the rest:
 * mixtures of experts, machines joined by TCP, DeepSpeed ZeRO-3 between machines. */
static double band(const struct train_step *step, bool measured)
{
    const struct hardware *hardware = step->hardware;
    const struct scenario *scenario = step->job->scenario;
    enum stack stack = step->job->stack;
    bool deepspeed = stack == STACK_HF || stack == STACK_DEEPSPEED;
    const struct {
        bool applies;
        double factor;
    } wider[] = {
        {!measured, 1 + step->global->unmeasured_band},
        {!scenario_has(scenario, FIELD_RECOMPUTE), 1.04},
        {!scenario_has(scenario, FIELD_GLOBAL_BATCH), 1.04},
        {step->shape.moe_layers > 0, 1.25},
        {hardware->nodes > 1 && !hardware->rdma, 1.2},
        {hardware->nodes > 1 && deepspeed && step->layout->zero >= 3, 1.3},
        {step->layout->offload != OFFLOAD_NONE, 1.3},
    };
    double ratio = 1 + step->stack->speed_band;
    for (size_t i = 0; i < sizeof wider / sizeof *wider; i++)
        if (wider[i].applies)
            ratio *= wider[i].factor;
    return ratio;
}

struct speed speed_train(const struct job *job, const struct hardware *hardware,
                         const struct layout *layout, const struct constants *constants)
{
    const struct train_step step = train_step_begin(job, hardware, layout, constants);
    struct speed speed = {
        .prefill_tokens_per_s = NAN,
        .decode_tokens_per_s = NAN,
        .output_tokens_per_s = NAN,
        .ttft_ms = NAN,
        .tpot_ms = NAN,
        .request_s = NAN,
        .requests_per_s = NAN,
        .batch = NAN,
        .replicas = 1,
        .meets_latency = true,
    };
    struct train_notes notes;
    train_terms(&step, speed.terms_s, &notes);

    double sequences = (double)layout->micro_batches * layout->micro_batch * layout->dp;
    if (job->global_batch > 0 && job->global_batch < sequences)
        sequences = job->global_batch; /* the last micro-batch is not full */
    speed.step_s = sum(speed.terms_s);
    speed.tokens_per_s = sequences * job->seq_len / speed.step_s;
    speed.tokens_per_s_per_gpu = speed.tokens_per_s / hardware->gpus;
    double flops = speed.tokens_per_s_per_gpu * flops_model(job);
    speed.tflops_per_gpu = flops / 1e12;
    speed.mfu = flops / (speed_peak_flops(hardware->gpu, job->precision) * hardware->gpu_fraction);

    bool experts_leave_the_machine = layout->ep > hardware->gpus_per_node; /* nobody published such a split */
    speed.measured = !isnan(speed.step_s) && !experts_leave_the_machine &&
                     speed_train_measured(hardware->gpu, job->stack, constants);
    double ratio = band(&step, speed.measured);
    speed.low_tokens_per_s = speed.tokens_per_s / ratio;
    speed.high_tokens_per_s = speed.tokens_per_s * ratio;
    speed.bound_by = bound_of(speed.terms_s);
    return speed;
}
