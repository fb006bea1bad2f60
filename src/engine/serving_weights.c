/* serving_weights.c - what a serving engine keeps and how much of it a step reads: engine defaults,
 * weights stored, weights read. Total and active parameters never meet in one function. */
#include "engine/serving.h"

#include <math.h>
#include <string.h>

/* vLLM: EngineArgs (gpu_memory_utilization 0.9, as in the published cases; 0.92 since about v0.25,
 * vllm/config/cache.py; max_num_seqs 256, 1024 and max_num_batched_tokens 2048, 8192 by card since
 * V1). SGLang: mem_fraction_static about 0.88, chunked_prefill_size 8192.
 * TensorRT-LLM: kv_cache_free_gpu_mem_fraction 0.9, max_batch_size 2048, scheduler policy
 * GUARANTEED_NO_EVICT. LMDeploy: cache_max_entry_count 0.8 of free memory, max_batch_size 256.
 * llama.cpp: n_ubatch 512. The others put all prompts through at once. */
const struct engine_rules engine_rules[ENGINE_COUNT] = {
    /* clang-format off */
    /*                     paged of_free share slots, large chunk, large graphs keeps split ahead */
    [ENGINE_VLLM]         = {true,  false, 0.90, 256, 1024, 2048, 8192, 0.4, false, false, false},
    [ENGINE_SGLANG]       = {true,  false, 0.88, 256, 1024, 2048, 8192, 0.6, false, false, false},
    [ENGINE_TENSORRT_LLM] = {true,  true,  0.90, 2048, 2048, 8192, 8192, 0.2, true, false, false},
    [ENGINE_LMDEPLOY]     = {true,  true,  0.80, 256,  256, 8192, 8192, 0,   false, false, false},
    [ENGINE_TRANSFORMERS] = {false, false, 1,     64,   64,    0,    0, 0,   true,  true,  true},
    [ENGINE_LLAMA_CPP]    = {false, false, 1,     64,   64,  512,  512, 0,   true,  true,  false},
    [ENGINE_GPT_FAST]     = {false, false, 1,     64,   64,    0,    0, 0,   true,  false, false},
    [ENGINE_AUTOAWQ]      = {false, false, 1,     64,   64,    0,    0, 0,   true,  true,  true},
    /* clang-format on */
};

/* The defaults for large cards are those of 70 GiB and more, A100 left out: large batches of
 * prompts were slower there (vllm pull request 17885, EngineArgs.get_batch_defaults). */
static bool is_large(const struct hardware *hardware)
{
    enum { LARGE_CARD_GIB = 70 };
    return hardware->usable_gib >= LARGE_CARD_GIB && hardware->gpu->arch > ARCH_AMPERE;
}

double serving_slots(const struct job *job, const struct hardware *hardware)
{
    const struct engine_rules *rules = &engine_rules[job->engine];
    if (job->max_num_seqs > 0)
        return job->max_num_seqs;
    return is_large(hardware) ? rules->slots_large : rules->slots;
}

double serving_chunk(const struct job *job, const struct hardware *hardware)
{
    const struct engine_rules *rules = &engine_rules[job->engine];
    return is_large(hardware) ? rules->chunk_large : rules->chunk;
}

bool serving_nvlink(const struct hardware *hardware)
{
    return hardware->link == LINK_NVLINK && (hardware->link_gbs >= 300 || hardware->link_gbs <= 0);
}

double serving_concurrency(const struct job *job, const struct layout *layout)
{
    return fmax(1, ceil(job->concurrency / fmax(1, layout->dp)));
}

double serving_context(const struct job *job)
{
    bool set_aside = engine_rules[job->engine].paged || scenario_has(job->scenario, FIELD_CONTEXT);
    return set_aside ? job->context : job->input_len + job->output_len;
}

/* ---- weights -------------------------------------------------------------------------------- */

/* Bytes of one stored element: of dense matrices, of routed experts, of the rest. */
struct element_bytes {
    double matrices, experts, rest;
};

/* Formats that leave all but the experts in 16 bits do so where there are experts. */
static struct element_bytes element_bytes(const struct job *job)
{
    const struct weight_format *format = job->weights;
    double bytes = format->bits_per_weight / 8;
    double plain = format->quantised ? 2 : bytes;
    bool experts_only = format->experts_only && job->params.experts > 0;
    return (struct element_bytes){experts_only ? plain : bytes, bytes, plain};
}

/* A GGUF mix stores the output matrix (or the tied table) as Q6_K whatever the blocks are, so that
 * the average over the file depends on the vocabulary's share. The averages of the catalog are of
 * Llama-3.1-8B (tools/quantize/README.md of llama.cpp), which has 525,336,576 of 8,030,261,248
 * parameters in that matrix. With this, 70B comes to 2.98, 4.80 and 5.66 bits for Q2_K, Q4_K_M and
 * Q5_K_M; its files have 2.99, 4.82 and 5.66. */
static double gguf_block_bits(const struct weight_format *format)
{
    const double head_bits = 6.5625, head_share = 525336576.0 / 8030261248.0;
    double average =
        isnan(format->bits_whole_file) ? format->bits_per_weight : format->bits_whole_file;
    return average < head_bits ? (average - head_share * head_bits) / (1 - head_share) : average;
}

static double gguf_bytes(const struct job *job, bool without_input_table)
{
    const struct param_counts *params = &job->params;
    double head = (double)(params->head ? params->head : params->embedding);
    double rest = (double)params->total - head;
    if (without_input_table && params->head)
        rest -= (double)params->embedding;
    double bits = gguf_block_bits(job->weights);
    return (rest * bits + head * fmax(bits, 6.5625)) / 8;
}

double memory_weight_bytes(const struct job *job)
{
    const struct param_counts *params = &job->params;
    if (job->weights->gguf)
        return gguf_bytes(job, false);
    struct element_bytes bytes = element_bytes(job);
    double rest = (double)(params->embedding + params->head + params->router + params->norms_biases);
    return (double)params->experts * bytes.experts +
           (double)(params->attention + params->dense_ffn) * bytes.matrices + rest * bytes.rest;
}

/* The down-projections of multi-head latent attention: one output for all heads, so that every GPU
 * of a tensor-parallel group keeps them whole (vLLM and SGLang deepseek_v2.py, ReplicatedLinear).
 */
static double latent_projections(const struct model *model)
{
    if (model->attention.kv_lora_rank <= 0)
        return 0;
    return (double)model->layers * model->hidden_size *
           (model->attention.q_lora_rank + model->attention.kv_lora_rank +
            model->attention.qk_rope_head_dim);
}

/* Engines that multiply the latent directly keep a 16-bit copy of kv_b_proj beside it (vLLM
 * mla/common.py, W_UK_T and W_UV). */
static double absorbed_bytes(const struct job *job)
{
    const struct model *model = job->model;
    if (model->attention.kv_lora_rank <= 0 ||
        (job->engine != ENGINE_VLLM && job->engine != ENGINE_SGLANG))
        return 0;
    return 2.0 * model->layers * model->heads * model->attention.kv_lora_rank *
           (model->attention.qk_nope_head_dim + model->attention.v_head_dim);
}

/* Sines and cosines of every position up to the model's longest, once on each GPU (vLLM and SGLang
 * rotary_embedding.py): what start-up logs show above the size of the file, 14.9888 GiB for
 * Llama-3.1-8B with its 131,072 positions and 14.96 for Llama-3-8B. */
static double rotary_table_bytes(const struct job *job)
{
    const struct model *model = job->model;
    if (job->engine != ENGINE_VLLM && job->engine != ENGINE_SGLANG)
        return 0;
    double dim = job->kv.mla ? model->attention.qk_rope_head_dim : model->head_dim;
    return 2.0 * model->max_context * dim;
}

/* transformers' FP8 checkpoints keep the head apart from a table that it shares otherwise: 1217 MiB
 * for Qwen3-0.6B on the Qwen3 page, 942 without. */
static double untied_head_params(const struct job *job)
{
    bool untied = job->engine == ENGINE_TRANSFORMERS && !strncmp(job->weights->id, "fp8", 3) &&
                  job->params.head == 0;
    return untied ? (double)job->params.embedding : 0;
}

/* vLLM's MXFP4 kernels round the experts' width up to a multiple of 256 (quantization/mxfp4.py):
 * 2880 of gpt-oss becomes 3072, and its 60.8 GiB file takes 64.4 GiB (start-up logs: 64.38, with
 * Marlin 65.97). */
static double expert_padding(const struct job *job)
{
    double width = job->model->moe.ffn_size;
    bool padded = job->engine == ENGINE_VLLM && !strcmp(job->weights->id, "mxfp4") && width > 0;
    return padded ? ceil(width / 256) * 256 / width : 1;
}

/* The fullest pipeline stage: of the first and last, which hold a table and, where layers do not
 * divide evenly, a layer less; and of those between with a layer more. */
static double fullest_stage(double blocks, double tables, double largest_table, int layers,
                            double stages)
{
    if (stages <= 1)
        return blocks + tables;
    double layer = blocks / layers, fewer = floor(layers / stages), more = ceil(layers / stages);
    return fmax(fewer * layer + largest_table, more * layer);
}

struct serving_weights serving_weights(const struct job *job, const struct layout *layout)
{
    const struct param_counts *params = &job->params;
    double tp = fmax(1, layout->tp), pp = fmax(1, layout->pp), spread = fmax(tp, layout->ep);
    int layers = job->model->layers;
    double table_params = (double)(params->embedding + params->head);
    double larger_params =
        (double)(params->embedding > params->head ? params->embedding : params->head);
    if (job->weights->gguf) { /* a mix of formats: only averages are known */
        double file = gguf_bytes(job, false) / tp, of_params = file / (double)params->total;
        double tables = table_params * of_params;
        return (struct serving_weights){
            fullest_stage(file - tables, tables, larger_params * of_params, layers, pp), 0};
    }
    struct element_bytes bytes = element_bytes(job);
    double experts = (double)params->experts * bytes.experts * expert_padding(job) / spread;
    double matrices = (double)(params->attention + params->dense_ffn) * bytes.matrices / tp;
    double latent = latent_projections(job->model) * bytes.matrices;
    double small = (double)(params->router + params->norms_biases) * bytes.rest;
    /* vision towers are loaded with the model and stay in 16 bits */
    table_params += (double)job->model->extra.vision + untied_head_params(job);
    double blocks = experts + matrices + latent * (1 - 1 / tp) + small + absorbed_bytes(job) / tp +
                    rotary_table_bytes(job) * pp;
    struct serving_weights weights = {fullest_stage(blocks, table_params * bytes.rest / tp,
                                                    larger_params * bytes.rest / tp, layers, pp),
                                      tp > 1 ? (latent + small) / pp : 0};
    if (tp <= 1 && pp <= 1 && layout->dp > 1)
        weights.replicated = weights.stored;
    return weights;
}

double serving_read_bytes(const struct job *job, double batch)
{
    const struct param_counts *params = &job->params;
    const struct model *model = job->model;
    double table = (double)model->vocab_size * model->hidden_size; /* the head, tied or not */
    if (job->weights->gguf)
        return gguf_bytes(job, true);
    struct element_bytes bytes = element_bytes(job);
    double experts = (double)params->experts * bytes.experts;
    if (model->moe.experts > 0) /* expected share of experts that `batch` tokens choose at random */
        experts *= 1 - pow(1 - (double)model->moe.top_k / model->moe.experts, batch);
    return experts + (double)(params->attention + params->dense_ffn) * bytes.matrices +
           ((double)params->router + table) * bytes.rest;
}
