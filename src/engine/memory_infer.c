/* memory_infer.c - GPU memory of a served model: what it needs, what its engine takes, whether both
 * go on the card. */
#include "engine/memory_parts.h"

#include <math.h>
#include "base/units.h"

/* ---- what a prefill and the sampler keep live ----------------------------------------------- */

/* Elements per prompt token in the widest layer: gate, up and their product, and a few copies of
 * the hidden state. 3 FFN + 3 hidden agrees with the vLLM 0.6 profile of Llama-3.1-8B (vllm issue
 * 10517: 55,399 and 55,598 elements, formula 55,296); transformers keeps one hidden state more (the
 * Qwen2.5 memory table). A token passes top_k experts; engines that sort tokens by expert also copy
 * them. */
static double elements_per_token(const struct job *job)
{
    const struct model *model = job->model;
    bool whole = engine_rules[job->engine].chunk <= 0;
    double width = model->ffn_gated ? 3.0 * model->ffn_size : 2.0 * model->ffn_size;
    if (model->moe.experts > 0) {
        double experts = 3.0 * model->moe.top_k * model->moe.ffn_size +
                         3.0 * model->moe.shared_ffn_size +
                         (whole ? 0 : (double)model->moe.top_k * model->hidden_size);
        width = model->moe.first_dense > 0 ? fmax(width, experts) : experts;
    }
    return width + (whole ? 4.0 : 3.0) * model->hidden_size;
}

/* vLLM up to 0.6 put a prompt of up to 32,768 tokens through in one piece, and the profile at start
 * sets memory for it aside; beyond that, and in later releases, prompts are cut. The larger of the
 * two is counted, so that either release starts. */
static double prefill_tokens(const struct job *job, const struct hardware *hardware,
                             double sequences, enum limits limits)
{
    enum { VLLM_WHOLE_PROMPT = 32768 };
    const struct engine_rules *rules = &engine_rules[job->engine];
    if (rules->chunk <= 0)
        return sequences * job->input_len;
    if (limits == LIMITS_LOW)
        return fmin(rules->chunk, job->context);
    double chunk = serving_chunk(job, hardware);
    if (job->engine == ENGINE_VLLM && job->context <= VLLM_WHOLE_PROMPT)
        chunk = fmax(chunk, job->context);
    return job->engine == ENGINE_VLLM ? chunk : fmin(chunk, fmax(rules->chunk, job->context));
}

/* vLLM samples every slot at start to see the peak: fp32 logits, their sorted copy with indices and
 * two probability arrays, not divided by tensor parallelism. Others hold one fp32 row a sequence;
 * llama.cpp one for each token of a micro-batch. */
static double sampler_bytes(const struct job *job, const struct hardware *hardware,
                            const struct constants *constants, double sequences, enum limits limits)
{
    double vocabulary = job->model->vocab_size;
    double slots = limits == LIMITS_LOW ? sequences : fmax(sequences, serving_slots(job, hardware));
    switch (job->engine) {
    case ENGINE_VLLM:
        return slots * vocabulary * constants->serving.sampler_bytes;
    case ENGINE_TENSORRT_LLM:
        return slots * vocabulary * 4;
    case ENGINE_LLAMA_CPP:
        return engine_rules[job->engine].chunk * vocabulary * 4;
    default:
        return sequences * vocabulary * 6;
    }
}

static double prefill_bytes(const struct job *job, const struct hardware *hardware,
                            const struct layout *layout, double sequences, enum limits limits)
{
    double tokens = prefill_tokens(job, hardware, sequences, limits);
    double bytes = tokens * elements_per_token(job) * 2 / layout->tp;
    if (job->engine != ENGINE_LLAMA_CPP)
        return bytes;
    /* activations in fp32, and the scores of a micro-batch against the whole context unless flash
     * attention is switched on (-fa) */
    bool flash =
        scenario_has(job->scenario, FIELD_FLASH_ATTENTION) && job->scenario->flash_attention;
    double scores = flash ? 0 : tokens * serving_context(job) * job->model->heads * 4;
    return fmax(2 * bytes, scores) + sampler_bytes(job, hardware, NULL, sequences, limits);
}

/* CUDA context and NCCL buffers as start-up logs of vLLM print them ("non-torch"): 0.03-0.35 GiB on
 * one GPU; 0.2 (16 RTX 3090) to 0.45 on several that PCIe joins. Over NVLink NCCL opens many more
 * channels, each with buffers of its own: 2.1 on 8 A100-40 (DeepSeek-Coder-V2-Lite), about 2.5 on 4
 * H100 (what vllm issue 21348 leaves unexplained in both engines), 3.6 in vllm pull request 10511.
 */
static double runtime_bytes(const struct hardware *hardware, const struct layout *layout)
{
    if (layout->tp * layout->pp <= 1)
        return 0.35 * GIB;
    return (layout->tp > 1 && serving_nvlink(hardware) ? 2.5 : 0.5) * GIB;
}

/* transformers allocates the cache anew for each token, a little longer: the allocator ends up with
 * about as much again in blocks that are too short (Qwen-7B, batch 32: 45.4 GiB for 14.4 of weights
 * and 16 of cache). What the prefill used stays with the process too (GLM-4-9B, 128,000
 * tokens: 56.0 GiB on the device for 17.5 of weights, 4.9 of cache and 13.7 of activations) until
 * memory runs short. */
static double slack_bytes(const struct job *job, double kv, double prefill, enum limits limits)
{
    if (job->engine != ENGINE_TRANSFORMERS)
        return 0;
    return limits == LIMITS_LOW ? 0.9 * kv : kv + prefill;
}

/* llama.cpp leaves the input table in host memory: nothing is multiplied with it. */
static double table_left_on_host(const struct job *job, double weights)
{
    if (job->engine != ENGINE_LLAMA_CPP || job->params.head == 0)
        return 0;
    return weights * (double)job->params.embedding / (double)job->params.total;
}

/* Paged engines give out blocks as sequences grow: several of them hold what they were given and
 * wrote, unless the context was asked for. */
static double held_tokens(const struct job *job)
{
    bool asked = scenario_has(job->scenario, FIELD_CONTEXT);
    double used = job->input_len + job->output_len;
    return asked ? serving_context(job) : fmin(serving_context(job), used);
}

static struct serving_parts count_parts(const struct job *job, const struct hardware *hardware,
                                        const struct layout *layout,
                                        const struct constants *constants, enum limits limits)
{
    double stage = ceil(job->model->layers / fmax(1, layout->pp)) / job->model->layers;
    double sequences = job->saturated ? 1 : serving_concurrency(job, layout);
    struct serving_parts parts = {.weights = serving_weights(job, layout), .limits = limits};
    parts.sequences = sequences;
    parts.prompt_tokens = prefill_tokens(job, hardware, sequences, limits);
    parts.token_elements = elements_per_token(job);
    parts.sequence =
        stage * model_kv_bytes(job->model, serving_context(job), job->kv_element_bytes, layout->tp);
    parts.held_tokens = held_tokens(job);
    parts.held =
        stage * model_kv_bytes(job->model, parts.held_tokens, job->kv_element_bytes, layout->tp);
    parts.kv = sequences * parts.held;
    if (parts.kv < parts.sequence) { /* room for one of the longest, whatever comes */
        parts.kv = parts.held = parts.sequence;
        parts.held_tokens = serving_context(job);
    }
    parts.prefill = prefill_bytes(job, hardware, layout, sequences, limits);
    parts.sampler = sampler_bytes(job, hardware, constants, sequences, limits);
    parts.graphs = engine_rules[job->engine].graphs_gib * GIB;
    parts.runtime = runtime_bytes(hardware, layout);
    parts.slack = slack_bytes(job, parts.kv, parts.prefill, limits);
    if (limits == LIMITS_LOW) {
        parts.weights.stored -= table_left_on_host(job, parts.weights.stored);
        parts.graphs = 0;
        parts.runtime /= 2;
    }
    return parts;
}

static double transient(const struct serving_parts *parts)
{
    return fmax(parts->prefill, parts->sampler); /* never live together */
}

static double total(const struct serving_parts *parts)
{
    return parts->weights.stored + parts->kv + transient(parts) + parts->graphs + parts->runtime +
           parts->slack;
}

/* ---- the engine's pool ---------------------------------------------------------------------- */

static double share_taken(const struct job *job, enum limits limits)
{
    if (limits == LIMITS_LOW)
        return 1;
    return job->memory_utilization > 0 ? job->memory_utilization : engine_rules[job->engine].share;
}

/* Bytes left for cache. vLLM: share of the card less weights, profile peak and context; CUDA graphs
 * come on top (vllm issue 17549; inside since 0.21). SGLang: share of what is free once GPUs have
 * met (model_runner.py, profile_max_num_token), less weights alone. TensorRT-LLM and LMDeploy:
 * share of what is free once everything else is loaded. The others claim nothing beforehand. */
static double pool_bytes(const struct job *job, const struct hardware *hardware,
                         const struct serving_parts *parts, enum limits limits)
{
    const struct engine_rules *rules = &engine_rules[job->engine];
    double card = hardware->usable_gib * GIB, share = share_taken(job, limits);
    double weights = parts->weights.stored;
    double pool;
    if (job->engine == ENGINE_SGLANG && limits == LIMITS_DEFAULT)
        pool = share * (card - parts->runtime) - weights;
    else if (rules->paged && !rules->of_free)
        pool = share * card - weights - transient(parts) - parts->runtime;
    else
        pool = share * (card - weights - transient(parts) - parts->runtime - parts->graphs);
    if (job->engine == ENGINE_TRANSFORMERS)
        pool /= 2; /* see slack_bytes */
    return fmax(0, pool);
}

/* Usable memory a card must have for the engine to leave `kv` bytes for the cache at its defaults.
 */
static double card_for(const struct job *job, const struct serving_parts *parts, double kv)
{
    const struct engine_rules *rules = &engine_rules[job->engine];
    double share = share_taken(job, LIMITS_DEFAULT), rest = transient(parts) + parts->runtime;
    double weights = parts->weights.stored;
    if (!rules->paged)
        return total(parts) - parts->kv + kv;
    if (rules->of_free)
        return weights + rest + parts->graphs + kv / share;
    if (job->engine == ENGINE_SGLANG)
        return fmax((weights + kv) / share + parts->runtime, weights + kv + rest + parts->graphs);
    return fmax((weights + kv + rest) / share, weights + kv + rest + parts->graphs);
}

static double reserved_bytes(const struct job *job, const struct hardware *hardware,
                             const struct serving_parts *parts, double need)
{
    const struct engine_rules *rules = &engine_rules[job->engine];
    double card = hardware->usable_gib * GIB;
    if (!rules->paged)
        return need;
    double held =
        parts->weights.stored + parts->pool + transient(parts) + parts->runtime + parts->graphs;
    return fmax(need, fmin(card, held));
}

/* ---- host memory ---------------------------------------------------------------------------- */

/* Safetensors are mapped: each rank's process, one shard of the file in use (5 GB by default,
 * huggingface_hub split_torch_state_dict) and vLLM's swap space (4 GiB a GPU, --swap-space). */
static double host_bytes(const struct job *job, const struct hardware *hardware,
                         const struct serving_parts *parts)
{
    enum { PROCESS_GIB = 3, SWAP_GIB = 4 };
    double ranks = hardware->gpus_per_node;
    double shard = fmin(5 * GB, parts->weights.stored) * ranks;
    double swap = job->engine == ENGINE_VLLM ? SWAP_GIB * GIB * ranks : 0;
    return PROCESS_GIB * GIB * ranks + shard + swap;
}

/* ---- the result ----------------------------------------------------------------------------- */

static void set_components(const struct job *job, const struct layout *layout,
                           const struct serving_parts *parts, double kv, struct memory *memory)
{
    bool sampling = parts->sampler > parts->prefill;
    double *component = memory->components_gib, *copy = memory->replicated_gib;
    component[COMPONENT_WEIGHTS] = parts->weights.stored / GIB;
    component[COMPONENT_ACTIVATIONS] = sampling ? 0 : parts->prefill / GIB;
    component[COMPONENT_LOGITS] = sampling ? parts->sampler / GIB : 0;
    component[COMPONENT_KV_CACHE] = kv / GIB;
    component[COMPONENT_BUFFERS] = parts->graphs / GIB;
    component[COMPONENT_RUNTIME] = (parts->runtime + parts->slack) / GIB;
    copy[COMPONENT_WEIGHTS] = parts->weights.replicated / GIB;
    if (layout->tp > 1) { /* one latent or one KV head serves all query heads: each GPU keeps it */
        copy[COMPONENT_LOGITS] = component[COMPONENT_LOGITS];
        copy[COMPONENT_KV_CACHE] = job->kv.kv_heads == 1 ? component[COMPONENT_KV_CACHE] : 0;
    }
    if (layout->tp * layout->pp * layout->dp > 1)
        copy[COMPONENT_RUNTIME] = parts->runtime / GIB;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        memory->need_gib += component[i];
        memory->replicated_total_gib += copy[i];
    }
}

/* Everything besides the weights, as in training: a user's own run says how much more or less it is
 * there. The band is as wide as it was; downwards no wider than what is left. */
static void calibrate(const struct job *job, const struct hardware *hardware,
                      const struct constants *constants, struct memory *memory)
{
    const struct calibration *own =
        constants_calibration(constants, engine_names[job->engine], hardware->gpu->id);
    if (!own)
        return;
    double weights = memory->model_states_gib, ratio = own->memory_ratio;
    double below = (memory->need_gib - memory->low_gib) * fmin(1, ratio);
    double above = memory->high_gib - memory->need_gib;
    memory_scale_besides_states(memory, ratio);
    memory->peaks_gib[PEAK_LOAD] = weights + (memory->peaks_gib[PEAK_LOAD] - weights) * ratio;
    memory->peaks_gib[PEAK_STEP] = memory->need_gib;
    memory->low_gib = memory->need_gib - below;
    memory->high_gib = memory->need_gib + above;
    memory->calibrated = own->date;
}

/* What a paged engine must hold at least: half of the sequences, while the rest wait their turn. */
static double fewest_kv(const struct job *job, const struct serving_parts *parts)
{
    return engine_rules[job->engine].paged ? fmax(parts->sequence, parts->kv / 2) : parts->kv;
}

/* A paged engine on a card that weights fill to more than four fifths starts with some releases and
 * settings and not with others, and has little cache when it does: Llama-2-70B on two A100-80 runs
 * out of memory in text-generation-inference (issue 734) and "is KV-starved" in TensorRT-LLM's own
 * tables; Qwen2.5-72B needs gpu_memory_utilization 0.98 and no CUDA graphs there (Qwen2.5 speed
 * benchmark). */
static const double comfortable_share = 0.8;

/* The figures are those at the engine's defaults, unless it does not start with these and does with
 * low limits: then they are those of low limits. So `fits` means that it starts as it comes and
 * holds the sequences asked for; `tight` that some of them wait, or that limits must be turned down
 * (as those do who publish such runs); `no` that low limits leave room for less than half of them.
 */
struct serving_parts serving_parts(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct constants *constants)
{
    double card = hardware->usable_gib * GIB, band = constants->serving.memory_band;
    struct serving_parts parts = count_parts(job, hardware, layout, constants, LIMITS_DEFAULT);
    struct serving_parts low = count_parts(job, hardware, layout, constants, LIMITS_LOW);
    double fewest = fewest_kv(job, &parts), least = total(&low) - low.kv + fewest;
    double enough =
        fmax(card_for(job, &parts, parts.kv), job->saturated ? 0 : total(&parts) * (1 + band));
    bool paged = engine_rules[job->engine].paged;
    bool no_pool = paged && pool_bytes(job, hardware, &parts, LIMITS_DEFAULT) <= 0;
    bool cramped = (no_pool || total(&parts) > card) && least <= card;
    if (paged)
        enough = fmax(enough, parts.weights.stored / comfortable_share);
    double first = paged ? parts.sequence : parts.kv;
    if (cramped && card_for(job, &parts, first) > card)
        parts = low;
    if (cramped)
        parts.kv =
            fmin(parts.kv, fmax(parts.sequence, pool_bytes(job, hardware, &parts, parts.limits)));
    parts.least = least;
    parts.enough = enough;
    parts.share = share_taken(job, parts.limits);
    parts.pool = pool_bytes(job, hardware, &parts, parts.limits);
    if (job->saturated)
        parts.kv = fmax(parts.pool, parts.kv);
    return parts;
}

struct memory memory_infer(const struct job *job, const struct hardware *hardware,
                           const struct layout *layout, const struct constants *constants)
{
    enum { BLOCK = 16 }; /* tokens of one cache block, vLLM's default */
    struct memory memory = {.usable_gib = hardware->usable_gib};
    struct serving_parts parts = serving_parts(job, hardware, layout, constants);
    set_components(job, layout, &parts, parts.kv, &memory);
    memory.model_states_gib = memory.components_gib[COMPONENT_WEIGHTS];
    memory.peaks_gib[PEAK_LOAD] = (parts.weights.stored + parts.runtime) / GIB;
    memory.peaks_gib[PEAK_STEP] = memory.need_gib;
    memory.low_gib =
        fmin(memory.need_gib * (1 - constants->serving.memory_band), parts.least / GIB);
    memory.high_gib = fmax(memory.need_gib, parts.enough / GIB);
    calibrate(job, hardware, constants, &memory);
    memory.verdict =
        memory_verdict(memory.low_gib, memory.need_gib, memory.high_gib, memory.usable_gib);
    memory.reserved_gib = reserved_bytes(job, hardware, &parts, memory.need_gib * GIB) / GIB;
    memory.max_concurrency = parts.pool / parts.sequence;
    memory.kv_tokens = floor(memory.max_concurrency * serving_context(job) / BLOCK) * BLOCK;
    memory.host_ram_gib = host_bytes(job, hardware, &parts) / GIB;
    memory.host_ram_short = memory.host_ram_gib > hardware->ram_gib;
    memory.measured_basis = job->engine != ENGINE_AUTOAWQ && job->engine != ENGINE_GPT_FAST;
    return memory;
}
