/* job.c - documented defaults, and the hardware a scenario pins. */
#include "engine/job.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

const char *const chosen_names[] = {"tp", "pp", "zero", "recompute", "micro_batch", "offload", "ep",
                                    "cp", "sp", "dp", "flash_attention", NULL};

/* Defaults: what is usual, not what is best. gpuwiz(1) lists them. */
enum {
    DEFAULT_LORA_RANK = 8,          /* PEFT, LLaMA-Factory */
    DEFAULT_TUNING_LENGTH = 2048,
    DEFAULT_PRETRAIN_LENGTH = 4096,
    DEFAULT_CONTEXT = 8192,         /* never the model's maximum */
    DEFAULT_INPUT = 1024,
    DEFAULT_OUTPUT = 512,
    DEFAULT_SAMPLES = 20000, DEFAULT_MEAN_LENGTH = 512, DEFAULT_EPOCHS = 3,
    DEFAULT_PRETRAIN_TOKENS_PER_PARAM = 20 /* Hoffmann et al. 2022 (Chinchilla) */
};

/* The card most published figures are of; taken by `estimate` when no hardware is named. */
static const char *const default_gpu = "a100-80";

const struct model *job_model(const struct scenario *scenario, const struct catalog *catalog,
                              struct arena *arena)
{
    if (scenario->architecture)
        return scenario->architecture;
    if (scenario_has(scenario, FIELD_MODEL))
        return catalog_model(catalog, scenario->model);
    if (!scenario_has(scenario, FIELD_PARAMS_B))
        return NULL;
    struct model *model = ARENA_NEW(arena, struct model);
    char size[UNITS_TEXT];
    *model = model_from_params(scenario->params_b);
    model->id = arena_printf(arena, "%sB", units_plain(scenario->params_b, size));
    return model;
}

static int choice_or(const struct scenario *s, enum field_id id, int value, int otherwise)
{
    return scenario_has(s, id) ? value : otherwise;
}

/* A served model comes as it was published; a trained base is held in 16 bits. */
static const char *default_weights(const struct job *job)
{
    const struct weight_format *native =
        job->model->native_dtype ? catalog_format(job->catalog, job->model->native_dtype) : NULL;
    bool serve = job->workload == WORKLOAD_INFERENCE;
    return serve && native && strcmp(native->id, "fp32") != 0 ? native->id : "bf16";
}

/* Bytes of one cached element. int8 and int4 carry a scale for each head and token (LMDeploy:
 * 4 bytes for 128 elements); llama.cpp stores q8_0 and q4_0 blocks of 32 with a 2-byte scale. */
static double kv_element_bytes(enum kv_format format, enum engine engine)
{
    static const double plain[] = {2, 2, 1, 1 + 4.0 / 128, 0.5 + 4.0 / 128};
    static const double blocks[] = {2, 2, 34.0 / 32, 34.0 / 32, 18.0 / 32};
    return engine == ENGINE_LLAMA_CPP ? blocks[format] : plain[format];
}

static void resolve_training(const struct scenario *s, struct job *job)
{
    bool pretrain = job->workload == WORKLOAD_PRETRAIN, lora = job->workload == WORKLOAD_LORA;
    job->precision = (enum precision)choice_or(s, FIELD_PRECISION, s->precision, PRECISION_BF16_MIXED);
    job->precision_open = !scenario_has(s, FIELD_PRECISION);
    job->optimizer = (enum optimizer)choice_or(s, FIELD_OPTIMIZER, s->optimizer, OPTIMIZER_ADAMW);
    job->optimizer_in_backward = scenario_has(s, FIELD_OPTIMIZER_IN_BACKWARD) && s->optimizer_in_backward;
    job->train_embeddings = lora && scenario_has(s, FIELD_TRAIN_EMBEDDINGS) && s->train_embeddings;
    job->fused_loss = scenario_has(s, FIELD_FUSED_LOSS) && s->fused_loss;
    job->compile = scenario_has(s, FIELD_COMPILE) && s->compile;
    /* who names a ZeRO stage runs DeepSpeed */
    bool zero = scenario_has(s, FIELD_ZERO) && s->zero > 0;
    job->stack = (enum stack)choice_or(s, FIELD_STACK, s->stack,
                                       pretrain ? STACK_NEMO : zero ? STACK_DEEPSPEED : STACK_HF);
    double usual = pretrain ? DEFAULT_PRETRAIN_LENGTH : DEFAULT_TUNING_LENGTH;
    if (job->model->max_context > 0)
        usual = fmin(usual, job->model->max_context);
    job->seq_len = scenario_number(s, FIELD_SEQ_LEN, usual);
    job->global_batch = scenario_number(s, FIELD_GLOBAL_BATCH, 0);

    job->trainable_params = job->params.total;
    if (lora) {
        job->lora_rank = (int)scenario_number(s, FIELD_LORA_RANK, DEFAULT_LORA_RANK);
        job->lora_targets = scenario_has(s, FIELD_LORA_TARGETS) ? s->lora_targets : LORA_ALL_LINEAR;
        if (job->train_embeddings) /* in full: there is nothing to adapt */
            job->lora_targets &= ~(unsigned)(LORA_HEAD | LORA_EMBED);
        job->trainable_params = model_lora_params(job->model, job->lora_targets, job->lora_rank);
        if (job->train_embeddings)
            job->trainable_params += job->params.embedding + job->params.head;
    }
    if (scenario_has(s, FIELD_TOKENS_B)) {
        job->train_tokens = s->tokens_b * 1e9;
    } else if (!pretrain || scenario_has(s, FIELD_SAMPLES)) {
        job->samples = scenario_number(s, FIELD_SAMPLES, DEFAULT_SAMPLES);
        job->mean_len = scenario_number(s, FIELD_MEAN_LEN, fmin(DEFAULT_MEAN_LENGTH, job->seq_len));
        job->epochs = scenario_number(s, FIELD_EPOCHS, DEFAULT_EPOCHS);
        job->train_tokens = job->samples * job->mean_len * job->epochs;
    } else {
        job->train_tokens = DEFAULT_PRETRAIN_TOKENS_PER_PARAM * (double)job->params.total;
    }
    job->deadline_h = scenario_number(s, FIELD_DEADLINE_H, 0);
}

static void resolve_inference(const struct scenario *s, struct job *job)
{
    enum engine usual = job->weights->gguf ? ENGINE_LLAMA_CPP : ENGINE_VLLM;
    job->engine = (enum engine)choice_or(s, FIELD_ENGINE, s->engine, (int)usual);
    job->kv_cache = (enum kv_format)choice_or(s, FIELD_KV_CACHE, s->kv_cache, KV_BF16);
    job->kv_element_bytes = kv_element_bytes(job->kv_cache, job->engine);
    double room = scenario_has(s, FIELD_CONTEXT) ? s->context : INFINITY;
    double left = scenario_has(s, FIELD_INPUT_LEN) ? room - s->input_len : floor(room / 2);
    job->output_len = scenario_number(s, FIELD_OUTPUT_LEN, fmin(DEFAULT_OUTPUT, fmax(1, left)));
    job->input_len = scenario_number(s, FIELD_INPUT_LEN, fmax(1, fmin(DEFAULT_INPUT, room - job->output_len)));
    double usual_context = DEFAULT_CONTEXT;
    if (job->model->max_context > 0)
        usual_context = fmin(usual_context, job->model->max_context);
    job->context = scenario_number(s, FIELD_CONTEXT, fmax(usual_context, job->input_len + job->output_len));
    job->saturated = scenario_has(s, FIELD_SATURATED) && s->saturated;
    job->concurrency = scenario_number(s, FIELD_CONCURRENCY, 1);
    job->requests_per_s = scenario_number(s, FIELD_REQUESTS_PER_S, 0);
    job->ttft_ms = scenario_number(s, FIELD_TTFT_MS, 0);
    job->tpot_ms = scenario_number(s, FIELD_TPOT_MS, 0);
    job->max_num_seqs = scenario_number(s, FIELD_MAX_NUM_SEQS, 0);
    job->memory_utilization = scenario_number(s, FIELD_MEMORY_UTILIZATION, 0);
    job->hours_per_day = scenario_number(s, FIELD_HOURS_PER_DAY, 24);
    job->months = scenario_number(s, FIELD_MONTHS, 1);
}

/* Formats and engines that cannot go together. */
static bool check_format(const struct job *job, struct error *error)
{
    bool inference = job->workload == WORKLOAD_INFERENCE;
    if (!inference && job->weights->gguf) {
        error_set(error, tr("GGUF weights cannot be trained on"));
        return error_hint(error, tr("weights: bf16, or nf4 for QLoRA"));
    }
    if (inference && job->engine == ENGINE_LLAMA_CPP && job->weights->quantised && !job->weights->gguf &&
        strcmp(job->weights->id, "mxfp4") != 0) {
        error_set(error, tr("llama.cpp reads GGUF weights, not %s"), job->weights->id);
        return error_hint(error, tr("weights: gguf-q4_k_m"));
    }
    if (inference && job->engine != ENGINE_LLAMA_CPP && job->weights->gguf) {
        error_set(error, tr("%s does not read GGUF weights"), engine_names[job->engine]);
        return error_hint(error, tr("engine: llama.cpp"));
    }
    return true;
}

bool job_resolve(const struct scenario *scenario, const struct catalog *catalog, struct arena *arena,
                 struct job *job, struct error *error)
{
    *job = (struct job){.scenario = scenario, .catalog = catalog};
    if (!scenario_check(scenario, catalog, NULL, error))
        return false;
    if (!scenario_has(scenario, FIELD_WORKLOAD)) {
        error_set(error, tr("workload is not given"));
        return error_hint(error, tr("one of: %s"), "pretrain, full, lora, inference");
    }
    job->workload = (enum workload)scenario->workload;
    job->model = job_model(scenario, catalog, arena);
    if (!job->model) {
        error_set(error, tr("no model is given"));
        return error_hint(error, tr("exactly one of model, architecture, params_b"));
    }
    job->params = model_count(job->model);
    job->kv = model_kv_layers(job->model);
    const char *weights = scenario_has(scenario, FIELD_WEIGHTS) ? scenario->weights : default_weights(job);
    job->weights = catalog_format(catalog, weights);
    if (!job->weights)
        return catalog_unknown(catalog, "weights", weights, error);
    if (job->workload == WORKLOAD_INFERENCE)
        resolve_inference(scenario, job);
    else
        resolve_training(scenario, job);
    return check_format(job, error);
}

void job_assumptions(const struct job *job, struct strbuf *out)
{
    const struct scenario *s = job->scenario;
    char text[UNITS_TEXT];
    bool inference = job->workload == WORKLOAD_INFERENCE;
    const struct { enum field_id id; bool relevant; double number; const char *word; } assumed[] = {
        {FIELD_PRECISION, !inference, NAN, precision_names[job->precision]},
        {FIELD_WEIGHTS, inference || job->workload == WORKLOAD_LORA, NAN, job->weights->id},
        {FIELD_OPTIMIZER, !inference, NAN, optimizer_names[job->optimizer]},
        {FIELD_STACK, !inference, NAN, stack_names[job->stack]},
        {FIELD_SEQ_LEN, !inference, job->seq_len, NULL},
        {FIELD_LORA_RANK, job->workload == WORKLOAD_LORA, job->lora_rank, NULL},
        {FIELD_LORA_TARGETS, job->workload == WORKLOAD_LORA, NAN, "all-linear"},
        {FIELD_TOKENS_B, !inference && job->samples == 0, job->train_tokens / 1e9, NULL},
        {FIELD_SAMPLES, job->samples > 0, job->samples, NULL},
        {FIELD_MEAN_LEN, job->samples > 0, job->mean_len, NULL},
        {FIELD_EPOCHS, job->samples > 0, job->epochs, NULL},
        {FIELD_ENGINE, inference, NAN, engine_names[job->engine]},
        {FIELD_KV_CACHE, inference, NAN, kv_format_names[job->kv_cache]},
        {FIELD_INPUT_LEN, inference, job->input_len, NULL},
        {FIELD_OUTPUT_LEN, inference, job->output_len, NULL},
        {FIELD_CONTEXT, inference, job->context, NULL},
        {FIELD_CONCURRENCY, inference && !job->saturated, job->concurrency, NULL},
        {FIELD_HOURS_PER_DAY, inference, job->hours_per_day, NULL},
        {FIELD_MONTHS, inference, job->months, NULL},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++) {
        if (!assumed[i].relevant || scenario_has(s, assumed[i].id))
            continue;
        strbuf_printf(out, "%s%s=%s", first ? "" : " ", fields[assumed[i].id].key,
                      assumed[i].word ? assumed[i].word : units_plain(assumed[i].number, text));
        first = false;
    }
}

int job_usual_nodes(enum workload workload)
{
    static const int usual[] = {[WORKLOAD_PRETRAIN] = 128, [WORKLOAD_FULL] = 8, [WORKLOAD_LORA] = 1,
                                [WORKLOAD_INFERENCE] = 4};
    return usual[workload];
}

struct job job_for_gpu(const struct job *job, const struct gpu *gpu)
{
    struct job on_gpu = *job;
    const struct weight_format *fp16 = catalog_format(job->catalog, "fp16");
    if (gpu->bf16)
        return on_gpu;
    if (job->workload != WORKLOAD_INFERENCE && job->precision_open)
        on_gpu.precision = PRECISION_FP16_MIXED;
    if (fp16 && !scenario_has(job->scenario, FIELD_WEIGHTS) && strcmp(job->weights->id, "bf16") == 0)
        on_gpu.weights = fp16;
    if (!scenario_has(job->scenario, FIELD_KV_CACHE) && job->kv_cache == KV_BF16)
        on_gpu.kv_cache = KV_FP16;
    return on_gpu;
}

/* What a machine's network carries when only "RDMA" is said: one 200 Gbit/s port for each GPU up to
 * Ampere and 400 from Hopper on, as in the reference designs; plain TCP otherwise 100 Gbit/s. */
static double usual_network_gbps(const struct gpu *gpu, bool rdma, int gpus_per_node)
{
    if (!rdma)
        return 100;
    return gpus_per_node * (gpu->arch >= ARCH_HOPPER ? 400.0 : gpu->arch == ARCH_AMPERE ? 200.0 : 100.0);
}

static void apply_overrides(const struct scenario *s, struct hardware *hardware)
{
    if (scenario_has(s, FIELD_RDMA))
        hardware->rdma = s->rdma;
    if (scenario_has(s, FIELD_NODE_NETWORK_GBPS))
        hardware->network_gbps = s->node_network_gbps;
}

struct hardware hardware_of_instance(const struct job *job, const struct instance *instance, int nodes)
{
    struct hardware hardware = {
        .gpu = instance->gpu,
        .usable_gib = instance->gpu_usable_gib,
        .gpus = instance->gpu_count * nodes,
        .gpus_per_node = instance->gpu_count,
        .nodes = nodes,
        .link = instance->link,
        .link_gbs = instance->link_gbs,
        .network_gbps = instance->rdma_gbps > 0 ? instance->rdma_gbps : instance->network_gbps,
        .rdma = instance->rdma != RDMA_NO,
        .ram_gib = instance->ram_gib,
        .vcpu = instance->vcpu,
        .gpu_fraction = instance->gpu_fraction,
    };
    apply_overrides(job->scenario, &hardware);
    return hardware;
}

bool hardware_pinned(const struct job *job, struct hardware *hardware, struct error *error)
{
    const struct scenario *s = job->scenario;
    if (scenario_has(s, FIELD_INSTANCE)) {
        const struct instance *instance = catalog_instance(job->catalog, s->instance);
        if (!instance)
            return catalog_unknown(job->catalog, "instance", s->instance, error);
        double nodes = scenario_has(s, FIELD_NODES)  ? s->nodes
                       : scenario_has(s, FIELD_GPUS) ? ceil(s->gpus / instance->gpu_count)
                                                     : 1;
        *hardware = hardware_of_instance(job, instance, (int)nodes);
        return true;
    }
    const char *id = scenario_has(s, FIELD_GPU) ? s->gpu : default_gpu;
    const struct gpu *gpu = catalog_gpu(job->catalog, id);
    if (!gpu)
        return catalog_unknown(job->catalog, "gpu", id, error);
    double split = scenario_number(s, FIELD_TP, 1) * scenario_number(s, FIELD_PP, 1) *
                   scenario_number(s, FIELD_CP, 1) * scenario_number(s, FIELD_DP, 1);
    double nodes = scenario_number(s, FIELD_NODES, 0);
    double gpus = scenario_has(s, FIELD_GPUS) ? s->gpus
                  : nodes > 0 && scenario_has(s, FIELD_GPUS_PER_NODE) ? nodes * s->gpus_per_node
                  : fmax(split, fmax(nodes, 1));
    if (gpus > fields[FIELD_GPUS].maximum) { /* a product of splits */
        char text[UNITS_TEXT], most[UNITS_TEXT];
        error_set(error, tr("%s is out of range: %s"), fields[FIELD_GPUS].key, units_plain(gpus, text));
        return error_hint(error, tr("from %s to %s"), "1", units_plain(fields[FIELD_GPUS].maximum, most));
    }
    double per_node = scenario_has(s, FIELD_GPUS_PER_NODE) ? s->gpus_per_node
                      : nodes > 0                          ? gpus / nodes
                                                           : fmin(gpus, 8);
    *hardware = (struct hardware){
        .gpu = gpu,
        .usable_gib = gpu->usable_gib,
        .gpus = (int)gpus,
        .gpus_per_node = (int)fmin(per_node, gpus),
        .nodes = (int)ceil(gpus / per_node),
        .link = gpus > 1 ? gpu->nvlink_gbs > 0 ? LINK_NVLINK : LINK_PCIE : LINK_NONE,
        .link_gbs = gpu->nvlink_gbs,
        .ram_gib = NAN,
        .gpu_fraction = 1,
    };
    /* nobody runs four and more machines with NVLink over plain TCP: the reference design is taken */
    bool cluster = hardware->nodes >= 4 && hardware->link == LINK_NVLINK &&
                   !scenario_has(s, FIELD_NODE_NETWORK_GBPS);
    hardware->rdma = scenario_has(s, FIELD_RDMA) ? s->rdma : cluster;
    hardware->network_gbps = usual_network_gbps(gpu, hardware->rdma, hardware->gpus_per_node);
    apply_overrides(s, hardware);
    return true;
}
