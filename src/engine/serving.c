/* serving.c - the time of decode steps and prefills: what is read, multiplied and sent.
 *
 * One decode step (after Pope et al. 2022, arXiv 2211.05102, section 2, with a host part added):
 *     host + max(bytes of weights read / achieved bandwidth, FLOPs / achieved rate)
 *          + bytes of cache read / achieved bandwidth + all-reduces
 * The layers run one after the other, so weights (GEMMs) and cache (attention) add up. */
#include "engine/serving.h"

#include <math.h>
#include <string.h>

/* ---- rates of the hardware ------------------------------------------------------------------ */

/* Multiprocessors times clock, in units of 1e12: the CUDA cores of one do 128 FP32 multiply-adds a
 * clock, or 64 on P100, V100, T4 and A100 (NVIDIA architecture whitepapers). */
static double multiprocessor_clocks(const struct gpu *gpu)
{
    double capability = gpu->compute_capability;
    bool narrow = (capability >= 6.95 && capability < 8.05) || fabs(capability - 6.0) < 0.05;
    return gpu->fp32_tflops / (2 * (narrow ? 64 : 128));
}

/* Reading weights at batch 1 is bound by memory, or by the loads that the multiprocessors can keep
 * in flight: H20 with its 78 multiprocessors reads no faster than an A100, whatever its memory
 * does. */
static double weight_rate(const struct job *job, const struct gpu *gpu,
                          const struct constants *constants)
{
    const struct engine_constants *engine = &constants->engine[job->engine];
    double rate = engine->bandwidth * gpu->bandwidth_gbs * 1e9;
    double issued = engine->sm_bytes * multiprocessor_clocks(gpu) * 1e12;
    rate = issued < rate ? issued : rate; /* an unknown core count does not bind */
    bool packed =
        job->weights->quantised && !job->weights->gguf && job->weights->bits_per_weight < 5;
    if (packed)
        rate *= gpu->compute_capability < 8 ? constants->serving.int4_old : constants->serving.int4;
    return rate;
}

static bool is_fp8(const struct weight_format *format)
{
    return !strncmp(format->id, "fp8", 3);
}

/* Dense peak, FLOP/s: of FP8 or INT8 where format and card both have it, else the weights are
 * brought to 16 bits first. */
static double peak_flops(const struct job *job, const struct gpu *gpu, bool matrices)
{
    double tflops = isnan(gpu->fp16_tflops) ? gpu->fp32_tflops : gpu->fp16_tflops;
    if (matrices && job->weights->compute_bits == 8) {
        double narrow = is_fp8(job->weights) ? (gpu->fp8 ? gpu->fp8_tflops : NAN) : gpu->int8_tops;
        tflops = isnan(narrow) ? tflops : fmax(tflops, narrow);
    }
    return tflops * 1e12;
}

/* Boards that cannot hold their clocks under load (design power below 300 W). */
static bool low_power(const struct gpu *gpu)
{
    return gpu->tdp_w < 300;
}

/* GEMM time and the memory traffic that goes with it add up (an additive roofline): with two
 * constants it gives the 55-70 % of the 16-bit peak seen on A100, 60 % on H100, 77 % on H20 and
 * 45 % of the FP8 peak on H100; Ada's cache is larger for its bandwidth: 46 % on L40S. */
static double seconds_per_flop(const struct job *job, const struct gpu *gpu,
                               const struct serving_constants *shared, double bandwidth,
                               bool matrices)
{
    double share = shared->gemm * (low_power(gpu) ? shared->low_power : 1);
    double traffic = shared->flop_bytes * (gpu->arch == ARCH_ADA ? shared->large_cache : 1);
    return 1 / (share * peak_flops(job, gpu, matrices)) + traffic / bandwidth;
}

static double network_latency_s(const struct hardware *hardware,
                                const struct serving_constants *shared)
{
    return hardware->rdma ? shared->network_latency_s : shared->tcp_latency_s;
}

/* An all-reduce of m bytes moves 2 (n - 1) / n * m through each GPU (ring; Thakur et al. 2005). Two
 * a layer. NVLink counts only where it joins all GPUs of the machine: bridges join pairs. */
static void set_allreduce(struct serving *serving, const struct hardware *hardware)
{
    const struct serving_constants *shared = &serving->constants->serving;
    const struct model *model = serving->job->model;
    double n = serving->layout->tp, latency = shared->pcie_latency_s, rate;
    if (n <= 1)
        return;
    double generation = hardware->gpu->pcie_gen > 0 ? hardware->gpu->pcie_gen : 4;
    rate = shared->pcie_gbs * exp2(generation - 4) * 1e9;
    if (serving_nvlink(hardware)) {
        double gbs =
            hardware->link_gbs > 0 ? hardware->link_gbs : fmax(300, hardware->gpu->nvlink_gbs);
        latency = shared->nvlink_latency_s;
        rate = shared->nvlink * gbs / 2 * 1e9;
    }
    if (n > hardware->gpus_per_node) {
        latency = network_latency_s(hardware, shared);
        rate = fmin(rate, hardware->network_gbps / 8 * 1e9);
    }
    double token_bytes = 2.0 * model->hidden_size; /* one of 16-bit activations */
    serving->allreduce_s = 2 * model->layers * latency;
    serving->allreduce_s_per_token = 2 * model->layers * 2 * (n - 1) / n * token_bytes / rate;
}

/* Weights that kernels unpack as they go take longer to launch: all of GPTQ and AWQ, but for the
 * ExLlama kernels that transformers has for GPTQ in 4 bits. */
static bool launches_slowly(const struct job *job)
{
    const char *id = job->weights->id;
    bool exllama = job->engine == ENGINE_TRANSFORMERS && !strcmp(id, "gptq-int4");
    return (!strncmp(id, "gptq", 4) || !strncmp(id, "awq", 3)) && !exllama;
}

struct serving serving_on(const struct job *job, const struct hardware *hardware,
                          const struct layout *layout, const struct constants *constants)
{
    const struct gpu *gpu = hardware->gpu;
    const struct engine_constants *engine = &constants->engine[job->engine];
    const struct serving_constants *shared = &constants->serving;
    double part = hardware->gpu_fraction > 0 ? hardware->gpu_fraction : 1;
    double bandwidth = gpu->bandwidth_gbs * 1e9 * part;
    struct serving serving = {
        .job = job,
        .layout = layout,
        .constants = constants,
        .weight_rate = weight_rate(job, gpu, constants) * part,
        .kv_rate = engine->kv_bandwidth * bandwidth,
        .sequence_kv_rate = engine->kv_sm_bytes * multiprocessor_clocks(gpu) * 1e12 * part,
        .flop_s = seconds_per_flop(job, gpu, shared, gpu->bandwidth_gbs * 1e9, true) / part,
        .attention_flop_s =
            seconds_per_flop(job, gpu, shared, gpu->bandwidth_gbs * 1e9, false) / part,
        .host_s = engine->step_s + engine->layer_s * job->model->layers +
                  engine->moe_layer_s * model_moe_layers(job->model) +
                  (launches_slowly(job) ? engine->packed_layer_s * job->model->layers : 0),
    };
    double stages_per_node = fmax(1, (double)hardware->gpus_per_node / layout->tp);
    double crossings = fmax(0, ceil(layout->pp / stages_per_node) - 1);
    serving.hop_s = (layout->pp - 1 - crossings) * shared->pcie_latency_s +
                    crossings * network_latency_s(hardware, shared);
    set_allreduce(&serving, hardware);
    serving.known = !isnan(bandwidth) && !isnan(serving.flop_s);
    /* The cases stand on Ampere, Ada and Hopper boards of 300 W and more. */
    serving.measured = gpu->arch >= ARCH_AMPERE && gpu->arch <= ARCH_HOPPER && !low_power(gpu) &&
                       !isnan(gpu->tdp_w) && part >= 1 && job->engine != ENGINE_AUTOAWQ;
    return serving;
}

/* ---- steps and prefills --------------------------------------------------------------------- */

/* transformers concatenates the cache anew at each token and repeats its heads to the number of
 * query heads before it multiplies (modeling_llama.py, DynamicCache and repeat_kv). */
static double cache_read_bytes(const struct serving *serving, double batch, double tokens)
{
    const struct job *job = serving->job;
    double bytes =
        batch * model_kv_bytes(job->model, tokens, job->kv_element_bytes, serving->layout->tp);
    if (job->engine != ENGINE_TRANSFORMERS)
        return bytes;
    double repeats = job->kv.mla ? 1 : (double)job->model->heads / job->model->kv_heads;
    return bytes * (repeats > 1 ? repeats * serving->constants->serving.kv_copies : 3);
}

/* One sequence gives work to few multiprocessors; many together are bound by memory alone. */
double serving_cache_rate(const struct serving *serving, double batch)
{
    double issued = batch * serving->sequence_kv_rate;
    return issued < serving->kv_rate ? issued : serving->kv_rate; /* unknown: not bound */
}

/* NF4 weights are brought to 16 bits in memory, then read again (bitsandbytes functional.py). */
static double dequantise_s(const struct serving *serving)
{
    const struct job *job = serving->job;
    if (strncmp(job->weights->id, "nf4", 3) != 0)
        return 0;
    return serving->constants->serving.nf4_passes * 2 * (double)job->params.quantisable /
           serving->layout->tp / serving->weight_rate;
}

/* All-reduces of a step or a prefill of `tokens`. Kernels of the engines' own keep to the link's
 * rate; NCCL has one protocol for small messages, which sends each byte more than once and waits
 * for it, and one for large ones, which takes longer to start. */
static double sent_s(const struct serving *serving, double tokens)
{
    const struct serving_constants *shared = &serving->constants->serving;
    double sent = serving->allreduce_s_per_token * tokens, more = 0;
    if (serving->job->engine == ENGINE_LMDEPLOY && serving->layout->tp > 1)
        more = fmin((shared->nccl_small - 1) * sent,
                    2 * serving->job->model->layers * shared->nccl_large_s);
    return serving->allreduce_s + sent + more;
}

double serving_step_s(const struct serving *serving, double batch, double tokens,
                      double terms[TERM_COUNT])
{
    const struct job *job = serving->job;
    const struct layout *layout = serving->layout;
    const struct engine_rules *rules = &engine_rules[job->engine];
    /* Stages work on different sequences at once: each step of a stage has its share of the batch.
     */
    double at_once = rules->layer_split ? batch : fmax(1, batch / layout->pp);
    double read = serving_read_bytes(job, at_once) / layout->tp / serving->weight_rate;
    double math = 2 * (double)job->params.matmul_active * at_once / layout->tp * serving->flop_s /
                  serving->constants->serving.batch_gemm;
    double cache =
        cache_read_bytes(serving, at_once, tokens) / serving_cache_rate(serving, at_once);
    double unpack = dequantise_s(serving);
    double sent = sent_s(serving, at_once);
    double gpu = fmax(read, math) + unpack + cache + sent;
    double host = rules->runs_ahead ? fmax(0, serving->host_s - gpu) : serving->host_s;
    if (terms) {
        terms[TERM_READ_WEIGHTS] = read >= math ? read : 0;
        terms[TERM_GEMM] = read >= math ? 0 : math;
        terms[TERM_READ_KV] = cache;
        terms[TERM_DEQUANT] = unpack;
        terms[TERM_TP] = sent;
        terms[TERM_HOST] = host;
        terms[TERM_LATENCY] = serving->hop_s;
    }
    return gpu + host + serving->hop_s;
}

/* Parameters of the experts that one token passes. */
static double active_experts(const struct job *job)
{
    const struct model *model = job->model;
    if (model->moe.experts <= 0)
        return 0;
    return (double)job->params.experts * model->moe.top_k / model->moe.experts;
}

/* 2 FLOPs per weight and token without the head, which only the last token needs, and causal
 * attention of 2 heads * head_dim * s^2 a layer (Narayanan et al. 2021, arXiv 2104.04473, appendix,
 * halved for the mask). Reading the weights, launches and latencies are shared by all prompts that
 * go through together; half of a step's host part hides behind the kernels, longer than in
 * decoding, unless there are so many kernels (experts without CUDA graphs) that launching them
 * takes longer than running them. */
static double prompt_math_s(const struct serving *serving, double tokens)
{
    const struct job *job = serving->job;
    const struct model *model = job->model;
    double table = (double)model->vocab_size * model->hidden_size;
    double experts = active_experts(job);
    double weights = (double)job->params.matmul_active - table - experts +
                     experts / serving->constants->serving.expert_gemm;
    double math = 2 * weights * tokens * serving->flop_s;
    double head_dim = job->kv.mla
                          ? model->attention.qk_nope_head_dim + model->attention.qk_rope_head_dim
                          : model->head_dim;
    double seen = job->kv.full * tokens + job->kv.local * fmin(tokens, 2.0 * job->kv.window);
    double attention = 2 * seen * tokens * model->heads * head_dim * serving->attention_flop_s;
    return (math + attention) / serving->layout->tp;
}

double serving_prefill_s(const struct serving *serving, double tokens)
{
    const struct job *job = serving->job;
    if (job->engine == ENGINE_LLAMA_CPP)
        return NAN;
    double read = serving_read_bytes(job, tokens) / serving->layout->tp / serving->weight_rate;
    const struct engine_constants *engine = &serving->constants->engine[job->engine];
    double math = prompt_math_s(serving, tokens);
    double gpu = fmax(math, read) + engine->prefill_exposed * fmin(math, read);
    double launches = engine->moe_launch_s * model_moe_layers(job->model);
    return fmax(gpu + dequantise_s(serving) + serving->host_s / 2, launches) +
           sent_s(serving, tokens) + serving->hop_s;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* While a sequence decodes its tokens, each of the others in the batch is replaced once, and its
 * prompt goes through with a step (continuous batching with mixed steps; Yu et al. 2022, Orca, and
 * Agrawal et al. 2023, arXiv 2308.16369). Prompts of different requests overlap over pipeline
 * stages. */
struct serving_load serving_at(const struct serving *serving, double batch)
{
    const struct job *job = serving->job;
    struct serving_load load = {.batch = batch};
    load.step_s = serving_step_s(serving, batch, job->input_len + job->output_len / 2, NULL);
    load.prefill_s = serving_prefill_s(serving, job->input_len);
    bool known = !isnan(load.prefill_s);
    double stages = engine_rules[job->engine].layer_split ? 1 : fmin(serving->layout->pp, batch);
    load.prompt_s = known ? prompt_math_s(serving, job->input_len) +
                                serving->allreduce_s_per_token * job->input_len
                          : 0;
    load.tpot_s = load.step_s + (batch - 1) * load.prompt_s / stages / job->output_len;
    load.output_tokens_per_s =
        batch / (load.tpot_s + (known ? load.prefill_s : 0) / job->output_len);
    return load;
}

/* The largest batch whose time per output token keeps to the limit; steps only get longer. */
static double batch_within(const struct serving *serving, double most, double limit_s)
{
    double low = 1, high = most;
    if (serving_at(serving, high).tpot_s <= limit_s)
        return high;
    for (int i = 0; i < 14 && high - low > 0.5; i++) {
        double middle = (low + high) / 2;
        if (serving_at(serving, middle).tpot_s <= limit_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double serving_largest_batch(const struct serving *serving, const struct hardware *hardware,
                             const struct memory *memory)
{
    const struct job *job = serving->job;
    int tp = serving->layout->tp;
    /* A sequence half way holds half of its output; vLLM evicts when that bet is lost. */
    double held =
        job->input_len + (engine_rules[job->engine].keeps_whole ? 1 : 0.55) * job->output_len;
    double room = memory->kv_tokens / serving_context(job) *
                  model_kv_bytes(job->model, serving_context(job), job->kv_element_bytes, tp) /
                  model_kv_bytes(job->model, held, job->kv_element_bytes, tp);
    double most = fmin(serving_slots(job, hardware), isnan(room) ? 1 : floor(room));
    most = fmax(1, most);
    return job->tpot_ms > 0 ? batch_within(serving, most, job->tpot_ms / 1e3) : most;
}

/* Little's law: N = rate * time in the system, which itself grows with N. */
static double batch_at_rate(const struct serving *serving, double requests_per_s, double most)
{
    double batch = 1;
    for (int i = 0; i < 6; i++) {
        struct serving_load load = serving_at(serving, batch);
        double prefill = isnan(load.prefill_s) ? 0 : load.prefill_s;
        double next = requests_per_s * (prefill + serving->job->output_len * load.tpot_s);
        batch = fmin(most, fmax(1, next));
        if (batch >= most)
            break;
    }
    return batch;
}

double serving_load_batch(const struct serving *serving, double most)
{
    const struct job *job = serving->job;
    if (job->saturated)
        return most;
    if (job->requests_per_s > 0)
        return batch_at_rate(serving, job->requests_per_s / fmax(1, serving->layout->dp), most);
    return fmin(most, serving_concurrency(job, serving->layout));
}

/* A batch gives `batch` sequences in output_len * batch / rate seconds; decode steps alone take
 * output_len * step_s of them. */
static double prompt_share(const struct serving *serving, const struct serving_load *load)
{
    double cycle_s = serving->job->output_len * load->batch / load->output_tokens_per_s;
    return isnan(load->prefill_s) ? NAN : 1 - serving->job->output_len * load->step_s / cycle_s;
}

struct serving_rates serving_rates(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct memory *memory,
                                   const struct constants *constants)
{
    struct serving serving = serving_on(job, hardware, layout, constants);
    if (!serving.known)
        return (struct serving_rates){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double most = serving_largest_batch(&serving, hardware, memory);
    double batch = serving_load_batch(&serving, most);
    double per_replica = job->requests_per_s / fmax(1, layout->dp) * job->output_len;
    struct serving_load one = serving_at(&serving, 1), asked = serving_at(&serving, batch),
                        full = serving_at(&serving, most);
    double at_load = asked.output_tokens_per_s;
    if (job->requests_per_s > 0 && !job->saturated)
        at_load = fmin(at_load, per_replica);
    return (struct serving_rates){
        .batch1_output_tokens_per_s = one.output_tokens_per_s,
        .load_output_tokens_per_s = at_load,
        .saturated_output_tokens_per_s = full.output_tokens_per_s,
        .prefill_tokens_per_s = job->input_len / serving_prefill_s(&serving, job->input_len),
        .saturated_batch = most,
        .batch1_prompt_share = prompt_share(&serving, &one),
        .load_prompt_share = prompt_share(&serving, &asked),
        .saturated_prompt_share = prompt_share(&serving, &full),
    };
}
