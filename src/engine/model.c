#include "engine/model.h"

#include <math.h>
#include "data/scenario.h"

/* Matrices and the rest (norms, biases, convolutions, sinks) of one block. */
struct block {
    uint64_t matrices, vectors;
};

static uint64_t u(int n)
{
    return n > 0 ? (uint64_t)n : 0;
}

/* ---- layers by class ------------------------------------------------------------------------- */

/* Every n-th layer is full attention, the others linear (Qwen3-Next, MiniMax-Text-01). */
static int linear_layers(const struct model *model)
{
    int every = model->attention.full_attention_every;
    return model->attention.linear != LINEAR_NONE && every > 0
               ? model->layers - model->layers / every
               : 0;
}

static int global_layers(const struct model *model)
{
    return model->layers - linear_layers(model) - model->attention.local_layers;
}

int model_moe_layers(const struct model *model)
{
    int every = model->moe.every > 0 ? model->moe.every : 1;
    return model->moe.experts > 0 ? (model->layers - model->moe.first_dense) / every : 0;
}

int model_dense_layers(const struct model *model)
{
    return model->moe.dense_parallel ? model->layers : model->layers - model_moe_layers(model);
}

static bool is_mla(const struct model *model)
{
    return model->attention.kv_lora_rank > 0;
}

/* Global layers may have another head size and count than local ones (Gemma 4). */
static int global_head_dim(const struct model *model)
{
    return model->attention.global_head_dim > 0 ? model->attention.global_head_dim
                                                : model->head_dim;
}

static int global_kv_heads(const struct model *model)
{
    return model->attention.global_kv_heads > 0 ? model->attention.global_kv_heads
                                                : model->kv_heads;
}

/* ---- parameters of one block ----------------------------------------------------------------- */

static uint64_t norm_params(const struct model *model)
{
    return u(model->hidden_size) * (model->norm == NORM_LAYER ? 2 : 1); /* LayerNorm has a bias */
}

/* Q, K, V and O (Vaswani et al. 2017, section 3.2.2; grouped as in Ainslie et al. 2023). An output
 * gate doubles Q (Qwen3-Next); `shared_kv` layers compute V from K's matrix (Gemma 4). */
static struct block attention_block(const struct model *model, int head_dim, int kv_heads,
                                    bool shared_kv)
{
    uint64_t h = u(model->hidden_size);
    uint64_t heads = u(model->heads) * u(head_dim);
    uint64_t q = heads * (model->attention.output_gate ? 2 : 1);
    uint64_t k = u(kv_heads) * u(head_dim);
    uint64_t qkv = q + k * (shared_kv ? 1 : 2);
    struct block block = {h * qkv + heads * h, 0};
    block.vectors += model->bias_qkv ? qkv : 0;
    block.vectors += model->bias_o ? h : 0;
    block.vectors += model->attention.sinks ? u(model->heads) : 0;
    if (model->qk_norm == QK_NORM_HEAD)
        block.vectors += 2 * u(head_dim);
    else if (model->qk_norm == QK_NORM_FULL)
        block.vectors += heads + k;
    return block;
}

/* Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1), with the lightning
 * indexer of DeepSeek-V3.2 where the model has one (its inference/model.py, class Indexer). */
static struct block mla_block(const struct model *model)
{
    uint64_t h = u(model->hidden_size), heads = u(model->heads);
    uint64_t q_rank = u(model->attention.q_lora_rank), rank = u(model->attention.kv_lora_rank);
    uint64_t nope = u(model->attention.qk_nope_head_dim),
             rope = u(model->attention.qk_rope_head_dim);
    uint64_t v = u(model->attention.v_head_dim);
    uint64_t q = heads * (nope + rope);
    struct block block = {q_rank ? h * q_rank + q_rank * q : h * q, q_rank + rank};
    block.matrices += h * (rank + rope) + rank * heads * (nope + v) + heads * v * h;
    if (model->attention.index_heads > 0) {
        uint64_t index_heads = u(model->attention.index_heads);
        uint64_t index_dim = u(model->attention.index_head_dim);
        block.matrices += q_rank * index_heads * index_dim + h * index_dim + h * index_heads;
        block.vectors += 2 * index_dim; /* a LayerNorm on the index keys */
    }
    return block;
}

/* The layers without a growing cache. Gated DeltaNet: transformers modeling_qwen3_next.py, class
 * Qwen3NextGatedDeltaNet; lightning attention: the MiniMax-01 report, arXiv 2501.08313. */
static struct block linear_block(const struct model *model)
{
    uint64_t h = u(model->hidden_size);
    uint64_t key = u(model->attention.linear_key_heads) * u(model->attention.linear_key_dim);
    uint64_t value_heads = u(model->attention.linear_value_heads);
    uint64_t value = value_heads * u(model->attention.linear_value_dim);
    if (model->attention.linear == LINEAR_LIGHTNING) /* Q, K, V, gate, output; one norm */
        return (struct block){h * (2 * key + 2 * value) + value * h, value};
    return (struct block){
        h * (2 * key + 2 * value) + h * 2 * value_heads + value * h,
        (2 * key + value) * u(model->attention.linear_conv) /* a filter per channel */
            + 2 * value_heads + u(model->attention.linear_value_dim)};
}

static uint64_t ffn_matrices(const struct model *model, int ffn_size)
{
    return (model->ffn_gated ? 3 : 2) * u(model->hidden_size) * u(ffn_size);
}

static uint64_t ffn_biases(const struct model *model, int ffn_size)
{
    return (model->ffn_gated ? 2 : 1) * u(ffn_size) + u(model->hidden_size);
}

/* ---- the whole model ------------------------------------------------------------------------- */

static void add_layers(struct param_counts *counts, struct block block, int layers)
{
    counts->attention += u(layers) * block.matrices;
    counts->norms_biases += u(layers) * block.vectors;
}

static void count_attention(const struct model *model, struct param_counts *counts)
{
    if (is_mla(model))
        add_layers(counts, mla_block(model), model->layers);
    else {
        add_layers(counts, attention_block(model, model->head_dim, model->kv_heads, false),
                   model->attention.local_layers);
        add_layers(counts,
                   attention_block(model, global_head_dim(model), global_kv_heads(model),
                                   model->attention.global_k_eq_v),
                   global_layers(model));
        add_layers(counts, linear_block(model), linear_layers(model));
    }
}

/* Returns the biases that belong to routed experts: a token meets only its share of them. */
static uint64_t count_ffn(const struct model *model, struct param_counts *counts)
{
    uint64_t h = u(model->hidden_size), experts = u(model->moe.experts),
             layers = u(model_moe_layers(model));
    counts->dense_ffn = u(model_dense_layers(model)) * ffn_matrices(model, model->ffn_size)
                        + layers * ffn_matrices(model, model->moe.shared_ffn_size);
    counts->experts = layers * experts * ffn_matrices(model, model->moe.ffn_size);
    counts->router = layers * experts * h;
    if (model->bias_mlp)
        counts->norms_biases += u(model_dense_layers(model)) * ffn_biases(model, model->ffn_size);
    uint64_t expert_biases =
        model->moe.expert_bias ? layers * experts * ffn_biases(model, model->moe.ffn_size) : 0;
    uint64_t per_layer = (model->bias_router ? experts : 0)
                         + (model->moe.correction_bias ? experts : 0)
                         + (model->moe.shared_gate ? h : 0)
                         + (model->moe.dense_parallel ? h + experts : 0);
    counts->norms_biases += expert_biases + layers * per_layer;
    return expert_biases;
}

/* A model known by its size alone: what rounding the shape lost or added goes to the FFN. */
static void meet_nominal(const struct model *model, struct param_counts *counts)
{
    uint64_t rest = counts->total - counts->dense_ffn;
    uint64_t nominal = (uint64_t)llround(model->nominal_params);
    counts->dense_ffn = nominal > rest ? nominal - rest : 0;
    counts->total = rest + counts->dense_ffn;
}

struct param_counts model_count(const struct model *model)
{
    struct param_counts counts = {0};
    uint64_t table = u(model->vocab_size) * u(model->hidden_size);
    counts.embedding = table;
    if (model->position == POSITION_LEARNED)
        counts.embedding +=
            (u(model->max_context) + u(model->extra_positions)) * u(model->hidden_size);
    counts.head = model->tied_embeddings ? 0 : table;
    counts.norms_biases = (u(model->layers) * u(model->norms_per_layer) + 1) * norm_params(model)
                          + (model->embedding_layernorm ? norm_params(model) : 0)
                          + (model->bias_head ? u(model->vocab_size) : 0);
    count_attention(model, &counts);
    uint64_t expert_biases = count_ffn(model, &counts);
    counts.total = counts.embedding + counts.head + counts.attention + counts.dense_ffn
                   + counts.experts + counts.router + counts.norms_biases;
    if (model->nominal_params > 0)
        meet_nominal(model, &counts);

    uint64_t experts = model->moe.experts > 0 ? u(model->moe.experts) : 1,
             top_k = u(model->moe.top_k);
    uint64_t active_experts = counts.experts / experts * top_k;
    counts.active = counts.total - counts.experts - expert_biases + active_experts
                    + expert_biases / experts * top_k;
    counts.matmul_active =
        counts.attention + counts.dense_ffn + active_experts + counts.router + table;
    counts.quantisable = counts.attention + counts.dense_ffn + counts.experts;
    return counts;
}

/* ---- adapters -------------------------------------------------------------------------------- */

/* rank * (in + out), when the module is among the targets. */
static uint64_t adapter(unsigned targets, unsigned module, uint64_t in, uint64_t out)
{
    return targets & module ? in + out : 0;
}

static uint64_t attention_adapters(const struct model *model, unsigned targets, int head_dim,
                                   int kv_heads, bool shared_kv)
{
    uint64_t h = u(model->hidden_size), heads = u(model->heads) * u(head_dim);
    uint64_t k = u(kv_heads) * u(head_dim);
    return adapter(targets, LORA_Q, h, heads * (model->attention.output_gate ? 2 : 1))
           + adapter(targets, LORA_K, h, k) + (shared_kv ? 0 : adapter(targets, LORA_V, h, k))
           + adapter(targets, LORA_O, heads, h);
}

/* Q stands for q_a_proj and q_b_proj (or q_proj), K or V for the joint kv_a_proj and kv_b_proj. */
static uint64_t mla_adapters(const struct model *model, unsigned targets)
{
    uint64_t h = u(model->hidden_size), heads = u(model->heads);
    uint64_t q_rank = u(model->attention.q_lora_rank), rank = u(model->attention.kv_lora_rank);
    uint64_t nope = u(model->attention.qk_nope_head_dim),
             rope = u(model->attention.qk_rope_head_dim);
    uint64_t v = u(model->attention.v_head_dim), q = heads * (nope + rope);
    return (q_rank ? adapter(targets, LORA_Q, h, q_rank) + adapter(targets, LORA_Q, q_rank, q)
                   : adapter(targets, LORA_Q, h, q))
           + adapter(targets, LORA_K | LORA_V, h, rank + rope)
           + adapter(targets, LORA_K | LORA_V, rank, heads * (nope + v))
           + adapter(targets, LORA_O, heads * v, h);
}

/* Linear-attention modules have names of their own (in_proj, out_proj): only "all linear layers"
 * reaches them. */
static uint64_t linear_adapters(const struct model *model, unsigned targets)
{
    if ((targets & LORA_ALL_LINEAR) != LORA_ALL_LINEAR)
        return 0;
    uint64_t h = u(model->hidden_size);
    uint64_t key = u(model->attention.linear_key_heads) * u(model->attention.linear_key_dim);
    uint64_t value_heads = u(model->attention.linear_value_heads);
    uint64_t value = value_heads * u(model->attention.linear_value_dim);
    if (model->attention.linear == LINEAR_LIGHTNING) /* qkv_proj, output_gate, out_proj */
        return h + 2 * key + value + 2 * (h + value);
    return h + 2 * key + 2 * value + h + 2 * value_heads + value + h; /* qkvz, ba, out */
}

static uint64_t ffn_adapters(const struct model *model, unsigned targets, int ffn_size)
{
    uint64_t h = u(model->hidden_size), f = u(ffn_size);
    return f == 0 ? 0
                  : (model->ffn_gated ? adapter(targets, LORA_GATE, h, f) : 0)
                        + adapter(targets, LORA_UP, h, f) + adapter(targets, LORA_DOWN, f, h);
}

uint64_t model_lora_params(const struct model *model, unsigned targets, int rank)
{
    uint64_t sum = 0;
    if (is_mla(model))
        sum += u(model->layers) * mla_adapters(model, targets);
    else
        sum += u(model->attention.local_layers)
                   * attention_adapters(model, targets, model->head_dim, model->kv_heads, false)
               + u(global_layers(model))
                     * attention_adapters(model, targets, global_head_dim(model),
                                          global_kv_heads(model), model->attention.global_k_eq_v)
               + u(linear_layers(model)) * linear_adapters(model, targets);
    sum += u(model_dense_layers(model)) * ffn_adapters(model, targets, model->ffn_size);
    sum += u(model_moe_layers(model))
           * (u(model->moe.experts) * ffn_adapters(model, targets, model->moe.ffn_size)
              + ffn_adapters(model, targets, model->moe.shared_ffn_size));
    uint64_t h = u(model->hidden_size), entries = u(model->vocab_size);
    sum += adapter(targets, LORA_HEAD, h, entries) + adapter(targets, LORA_EMBED, entries, h);
    return u(rank) * sum;
}

/* ---- a shape from a size --------------------------------------------------------------------- */

/* Layers and width of published dense decoders: GPT-2 small, Llama 3.2 1B and 3B, Llama 3.1 8B,
 * Llama 2 13B, Llama 3.1 70B and 405B (their config.json), and the 1T row of Narayanan et al. 2021
 * (arXiv 2104.04473, table 1). */
static const struct {
    double params_b, layers, hidden_size;
} published[] = {
    {0.1244, 12, 768}, {1.2358, 16, 2048}, {3.2127, 28, 3072},   {8.0303, 32, 4096},
    {13.016, 40, 5120}, {70.554, 80, 8192}, {405.85, 126, 16384}, {1008.0, 128, 25600},
};

static double interpolate(double x, double x0, double x1, double y0, double y1)
{
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/* The rule: layers and width are interpolated between the neighbours of `published`, along the
 * logarithm of the size; heads are 128 wide (64 below a width of 2048), eight share keys and values
 * (Llama 3); the vocabulary is Llama 3's 128,256 from 3B on with a head of its own, else Llama 2's
 * 32,000, tied. The FFN takes what is left. The total is the size asked for, exactly. */
struct model model_from_params(double params_b)
{
    size_t last = sizeof published / sizeof *published - 1, i = 1;
    while (i < last && params_b > published[i].params_b)
        i++;
    double x = log(params_b), x0 = log(published[i - 1].params_b), x1 = log(published[i].params_b);
    double width = interpolate(x, x0, x1, published[i - 1].hidden_size, published[i].hidden_size);
    double depth = interpolate(x, x0, x1, published[i - 1].layers, published[i].layers);
    int head_dim = width < 2048 ? 64 : 128;
    int hidden = (int)fmax(1, round(width / (8 * head_dim))) * 8 * head_dim;
    bool small = params_b < 3;
    struct model model = {
        .id = "", .hf_id = "", .family = "", .licence = "", .released = "", .source = "",
        .note = "", .params_source = "", .native_dtype = "bf16",
        .layers = (int)fmax(1, round(depth)), .hidden_size = hidden, .heads = hidden / head_dim,
        .kv_heads = 8, .head_dim = head_dim, .ffn_gated = true, .tied_embeddings = small,
        .max_context = 131072, .norms_per_layer = 2, .attention.kind = ATTENTION_GQA,
        .moe.every = 1};
    double total = round(params_b * 1e9);
    /* a table larger than a quarter of the model is nobody's design */
    model.vocab_size = (int)fmax(1, fmin(small ? 32000 : 128256, total / 4 / hidden));
    double rest = total - (double)model_count(&model).total;
    double per_unit = 3.0 * hidden * model.layers; /* parameters per unit of FFN width */
    model.ffn_size = (int)fmax(64, round(rest / per_unit / 64) * 64);
    model.nominal_params = total;
    return model;
}

/* ---- cache ----------------------------------------------------------------------------------- */

/* Bytes of the state a linear layer keeps for one sequence: a key x value matrix per head in fp32,
 * and the last inputs of the short convolution in 16 bits (transformers modeling_qwen3_next.py). */
static double linear_state_bytes(const struct model *model)
{
    double key_dim = model->attention.linear_key_dim, value_dim = model->attention.linear_value_dim;
    double channels = 2.0 * model->attention.linear_key_heads * key_dim
                      + model->attention.linear_value_heads * value_dim;
    double kept = model->attention.linear_conv > 1 ? model->attention.linear_conv - 1 : 0;
    return 4 * model->attention.linear_value_heads * key_dim * value_dim + 2 * channels * kept;
}

struct kv_layers model_kv_layers(const struct model *model)
{
    struct kv_layers kv = {.local = model->attention.local_layers, .linear = linear_layers(model),
                           .window = model->attention.chunk > 0 ? model->attention.chunk
                                                                : model->attention.window,
                           .mla = is_mla(model)};
    kv.full = model->layers - kv.local - kv.linear;
    kv.kv_heads = kv.mla ? 1 : global_kv_heads(model);
    kv.full_elements =
        kv.mla ? model->attention.kv_lora_rank + model->attention.qk_rope_head_dim
                     + model->attention.index_head_dim
               : 2.0 * global_kv_heads(model) * global_head_dim(model);
    kv.local_elements = kv.local > 0 ? 2.0 * model->kv_heads * model->head_dim : 0;
    kv.linear_state_bytes = kv.linear > 0 ? linear_state_bytes(model) : 0;
    return kv;
}

/* The share one GPU of `tp` holds of what `heads` heads cache: never less than one head. */
static double head_share(int heads, int tp)
{
    return 1.0 / (tp < heads ? tp : heads);
}

double model_kv_bytes(const struct model *model, double tokens, double element_bytes, int tp)
{
    struct kv_layers kv = model_kv_layers(model);
    double full = kv.full * tokens * kv.full_elements * head_share(kv.kv_heads, tp);
    double local = kv.local * fmin(tokens, kv.window) * kv.local_elements
                   * head_share(model->kv_heads, tp);
    double state = kv.linear * kv.linear_state_bytes;
    if (kv.linear > 0)
        state *= head_share(model->attention.linear_value_heads, tp);
    return (full + local) * element_bytes + state;
}
