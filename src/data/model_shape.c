/* model_shape.c - a model's shape as a YAML map, and what makes a shape sound. */
#include "data/model_file.h"

#include <stddef.h>
#include "base/i18n.h"

/* Upper limits, far above any model, keep products within 64 bits: 1000 layers x 4096 experts x 3
 * matrices x 131072 x 1048576 = 1.7e18. */
enum {
    MAX_LAYERS = 1000, MAX_WIDTH = 131072, MAX_HEADS = 4096, MAX_HEAD_DIM = 8192,
    MAX_FFN = 1048576, MAX_VOCAB = 16777216, MAX_EXPERTS = 4096, MAX_TOKENS = 1 << 30
};

/* ---- tables ---------------------------------------------------------------------------------- */

struct map {
    struct model model;
    const struct yaml_node *bias, *attention, *moe, *extra;
};

static const char *const positions[] = {"rope", "learned", "alibi", "none", NULL};
static const char *const norms[] = {"rms", "layer", NULL};
static const char *const qk_norms[] = {"none", "head", "full", NULL};
static const char *const linears[] = {"none", "gated-deltanet", "lightning", NULL};

#define AT(member) offsetof(struct map, model.member)
#define INT(key, member, minimum, maximum) \
    {key, YAML_FIELD_INT, AT(member), false, minimum, maximum, NULL}
#define NEEDED(key, member, maximum) {key, YAML_FIELD_INT, AT(member), true, 1, maximum, NULL}
#define COUNT(key, member) {key, YAML_FIELD_COUNT, AT(member), false, 0, 0, NULL}
#define FLAG(key, member) {key, YAML_FIELD_BOOL, AT(member), false, 0, 0, NULL}
#define TEXT(key, member) {key, YAML_FIELD_TEXT, AT(member), false, 0, 0, NULL}
#define CHOICE(key, member, choices) {key, YAML_FIELD_CHOICE, AT(member), false, 0, 0, choices}
#define NODE(key) {#key, YAML_FIELD_NODE, offsetof(struct map, key), false, 0, 0, NULL}
#define END {NULL, YAML_FIELD_NUMBER, 0, false, 0, 0, NULL}

/* What only a preset has, then the shape. */
enum { PRESET_ONLY = 13 };
static const struct yaml_field model_fields[] = {
    {"id", YAML_FIELD_TEXT, AT(id), true, 0, 0, NULL},
    TEXT("hf_id", hf_id),
    TEXT("family", family),
    FLAG("listed", listed),
    TEXT("licence", licence),
    TEXT("released", released),
    COUNT("stated_params", stated_params),
    FLAG("stated_exact", stated_exact),
    COUNT("published_params", published_params),
    COUNT("stated_active_params", stated_active_params),
    NODE(extra),
    TEXT("params_source", params_source),
    {"source", YAML_FIELD_TEXT, AT(source), true, 0, 0, NULL},

    NEEDED("layers", layers, MAX_LAYERS),
    NEEDED("hidden_size", hidden_size, MAX_WIDTH),
    NEEDED("heads", heads, MAX_HEADS),
    INT("kv_heads", kv_heads, 1, MAX_HEADS),
    INT("head_dim", head_dim, 1, MAX_HEAD_DIM),
    INT("ffn_size", ffn_size, 1, MAX_FFN),
    FLAG("ffn_gated", ffn_gated),
    NEEDED("vocab_size", vocab_size, MAX_VOCAB),
    FLAG("tied_embeddings", tied_embeddings),
    INT("max_context", max_context, 1, MAX_TOKENS),
    CHOICE("position", position, positions),
    INT("extra_positions", extra_positions, 0, 1024),
    CHOICE("norm", norm, norms),
    INT("norms_per_layer", norms_per_layer, 0, 16),
    CHOICE("qk_norm", qk_norm, qk_norms),
    FLAG("embedding_layernorm", embedding_layernorm),
    NODE(bias),
    TEXT("native_dtype", native_dtype),
    NODE(attention),
    NODE(moe),
    TEXT("note", note),
    END,
};

static const struct yaml_field bias_fields[] = {
    FLAG("qkv", bias_qkv),   FLAG("o", bias_o),           FLAG("mlp", bias_mlp),
    FLAG("head", bias_head), FLAG("router", bias_router), END,
};

static const struct yaml_field attention_fields[] = {
    INT("q_lora_rank", attention.q_lora_rank, 0, MAX_WIDTH),
    INT("kv_lora_rank", attention.kv_lora_rank, 0, MAX_WIDTH),
    INT("qk_nope_head_dim", attention.qk_nope_head_dim, 0, MAX_HEAD_DIM),
    INT("qk_rope_head_dim", attention.qk_rope_head_dim, 0, MAX_HEAD_DIM),
    INT("v_head_dim", attention.v_head_dim, 0, MAX_HEAD_DIM),
    INT("index_heads", attention.index_heads, 0, MAX_HEADS),
    INT("index_head_dim", attention.index_head_dim, 0, MAX_HEAD_DIM),
    INT("window", attention.window, 0, MAX_TOKENS),
    INT("local_layers", attention.local_layers, 0, MAX_LAYERS),
    INT("chunk", attention.chunk, 0, MAX_TOKENS),
    INT("global_head_dim", attention.global_head_dim, 0, MAX_HEAD_DIM),
    INT("global_kv_heads", attention.global_kv_heads, 0, MAX_HEADS),
    FLAG("global_k_eq_v", attention.global_k_eq_v),
    FLAG("sinks", attention.sinks),
    FLAG("output_gate", attention.output_gate),
    INT("full_attention_every", attention.full_attention_every, 0, MAX_LAYERS),
    CHOICE("linear", attention.linear, linears),
    INT("linear_key_heads", attention.linear_key_heads, 0, MAX_HEADS),
    INT("linear_value_heads", attention.linear_value_heads, 0, MAX_HEADS),
    INT("linear_key_dim", attention.linear_key_dim, 0, MAX_HEAD_DIM),
    INT("linear_value_dim", attention.linear_value_dim, 0, MAX_HEAD_DIM),
    INT("linear_conv", attention.linear_conv, 0, 64),
    END,
};

static const struct yaml_field moe_fields[] = {
    {"experts", YAML_FIELD_INT, AT(moe.experts), true, 0, MAX_EXPERTS, NULL},
    INT("top_k", moe.top_k, 0, MAX_EXPERTS),
    INT("ffn_size", moe.ffn_size, 0, MAX_FFN),
    INT("shared_ffn_size", moe.shared_ffn_size, 0, MAX_FFN),
    INT("every", moe.every, 1, MAX_LAYERS),
    INT("first_dense", moe.first_dense, 0, MAX_LAYERS),
    FLAG("shared_gate", moe.shared_gate),
    FLAG("correction_bias", moe.correction_bias),
    FLAG("dense_parallel", moe.dense_parallel),
    FLAG("expert_bias", moe.expert_bias),
    END,
};

static const struct yaml_field extra_fields[] = {
    COUNT("vision", extra.vision),
    COUNT("mtp", extra.mtp),
    COUNT("masks", extra.masks),
    COUNT("scales", extra.scales),
    COUNT("duplicated_head", extra.duplicated_head),
    END,
};

/* ---- what makes a shape sound ---------------------------------------------------------------- */

void model_init(struct model *model)
{
    *model = (struct model){
        .id = "", .hf_id = "", .family = "", .licence = "", .released = "", .source = "",
        .note = "", .params_source = "", .native_dtype = "bf16",
        .ffn_gated = true, .norms_per_layer = 2, .moe.every = 1};
}

/* Every member the engine multiplies by, and its limit. */
static const struct {
    size_t offset;
    int minimum, maximum;
} limits[] = {
#define LIMIT(member, minimum, maximum) {offsetof(struct model, member), minimum, maximum}
    LIMIT(layers, 1, MAX_LAYERS), LIMIT(hidden_size, 1, MAX_WIDTH), LIMIT(heads, 1, MAX_HEADS),
    LIMIT(kv_heads, 1, MAX_HEADS), LIMIT(head_dim, 1, MAX_HEAD_DIM), LIMIT(ffn_size, 0, MAX_FFN),
    LIMIT(vocab_size, 1, MAX_VOCAB), LIMIT(max_context, 0, MAX_TOKENS),
    LIMIT(norms_per_layer, 0, 16), LIMIT(extra_positions, 0, 1024),
    LIMIT(attention.q_lora_rank, 0, MAX_WIDTH), LIMIT(attention.kv_lora_rank, 0, MAX_WIDTH),
    LIMIT(attention.qk_nope_head_dim, 0, MAX_HEAD_DIM),
    LIMIT(attention.qk_rope_head_dim, 0, MAX_HEAD_DIM),
    LIMIT(attention.v_head_dim, 0, MAX_HEAD_DIM), LIMIT(attention.index_heads, 0, MAX_HEADS),
    LIMIT(attention.index_head_dim, 0, MAX_HEAD_DIM), LIMIT(attention.window, 0, MAX_TOKENS),
    LIMIT(attention.local_layers, 0, MAX_LAYERS), LIMIT(attention.chunk, 0, MAX_TOKENS),
    LIMIT(attention.global_head_dim, 0, MAX_HEAD_DIM),
    LIMIT(attention.global_kv_heads, 0, MAX_HEADS),
    LIMIT(attention.full_attention_every, 0, MAX_LAYERS),
    LIMIT(attention.linear_key_heads, 0, MAX_HEADS),
    LIMIT(attention.linear_value_heads, 0, MAX_HEADS),
    LIMIT(attention.linear_key_dim, 0, MAX_HEAD_DIM),
    LIMIT(attention.linear_value_dim, 0, MAX_HEAD_DIM), LIMIT(attention.linear_conv, 0, 64),
    LIMIT(moe.experts, 0, MAX_EXPERTS), LIMIT(moe.top_k, 0, MAX_EXPERTS),
    LIMIT(moe.ffn_size, 0, MAX_FFN), LIMIT(moe.shared_ffn_size, 0, MAX_FFN),
    LIMIT(moe.every, 1, MAX_LAYERS), LIMIT(moe.first_dense, 0, MAX_LAYERS),
#undef LIMIT
};

static const char *check_limits(const struct model *model)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        int value = *(const int *)((const char *)model + limits[i].offset);
        if (value < limits[i].minimum || value > limits[i].maximum)
            return tr("a size of the model is missing or absurd");
    }
    return NULL;
}

static const char *check_attention(const struct model *model)
{
    int every = model->attention.full_attention_every;
    bool mla = model->attention.kv_lora_rank > 0, linear = model->attention.linear != LINEAR_NONE;
    int linear_layers = linear && every > 0 ? model->layers - model->layers / every : 0;
    int global_kv_heads = model->attention.global_kv_heads;
    if (model->heads % model->kv_heads != 0
        || (global_kv_heads > 0 && model->heads % global_kv_heads != 0))
        return tr("heads must be a multiple of kv_heads");
    if (mla && (model->attention.qk_nope_head_dim == 0 || model->attention.qk_rope_head_dim == 0
                || model->attention.v_head_dim == 0))
        return tr("latent attention needs qk_nope_head_dim, qk_rope_head_dim and v_head_dim");
    if (model->attention.index_heads > 0
        && (!mla || model->attention.q_lora_rank == 0 || model->attention.index_head_dim == 0))
        return tr("a sparse indexer needs kv_lora_rank, q_lora_rank and index_head_dim");
    if (linear
        && (every == 0 || model->attention.linear_key_heads == 0
            || model->attention.linear_value_heads == 0 || model->attention.linear_key_dim == 0
            || model->attention.linear_value_dim == 0))
        return tr("linear attention needs full_attention_every and the linear_ sizes");
    if (model->attention.local_layers > model->layers - linear_layers)
        return tr("there are more local_layers than layers");
    if (model->attention.local_layers > 0 && model->attention.window == 0
        && model->attention.chunk == 0)
        return tr("local_layers need a window or a chunk");
    if (mla && (linear || model->attention.local_layers > 0))
        return tr("latent attention beside linear or local layers is not known here");
    return NULL;
}

static const char *check_ffn(const struct model *model)
{
    bool moe = model->moe.experts > 0;
    bool all_moe = moe && model->moe.first_dense == 0 && model->moe.every == 1
                   && !model->moe.dense_parallel;
    if (model->ffn_size == 0 && !all_moe)
        return tr("ffn_size is needed");
    if (moe && (model->moe.top_k < 1 || model->moe.top_k > model->moe.experts))
        return tr("top_k must be between 1 and the number of experts");
    if (moe && model->moe.ffn_size == 0)
        return tr("the experts' ffn_size is needed");
    if (model->moe.first_dense > model->layers)
        return tr("there are more first_dense layers than layers");
    return NULL;
}

const char *model_finish(struct model *model)
{
    bool mla = model->attention.kv_lora_rank > 0;
    if (mla) {
        model->kv_heads = model->heads;
        model->head_dim = model->attention.qk_nope_head_dim + model->attention.qk_rope_head_dim;
    }
    if (model->kv_heads == 0)
        model->kv_heads = model->heads;
    if (model->head_dim == 0 && model->heads > 0) {
        if (model->hidden_size % model->heads != 0)
            return tr("hidden_size is no multiple of heads: head_dim is needed");
        model->head_dim = model->hidden_size / model->heads;
    }
    if (model->attention.window > 0 && model->attention.local_layers == 0)
        model->attention.local_layers = model->layers;
    model->attention.kind = mla                                           ? ATTENTION_MLA
                            : model->attention.linear != LINEAR_NONE      ? ATTENTION_HYBRID
                            : model->kv_heads == model->heads             ? ATTENTION_MHA
                            : model->kv_heads == 1                        ? ATTENTION_MQA
                                                                          : ATTENTION_GQA;
    const char *problem = check_limits(model);
    if (!problem)
        problem = check_attention(model);
    return problem ? problem : check_ffn(model);
}

/* ---- reading --------------------------------------------------------------------------------- */

bool model_read_map(const struct yaml_document *document, const struct yaml_node *node,
                    bool preset, struct arena *arena, struct model *model, struct error *error)
{
    (void)arena; /* texts already live in the document's arena */
    struct map map = {0};
    model_init(&map.model);
    if (!yaml_record(document, node, model_fields + (preset ? 0 : PRESET_ONLY), &map, error))
        return false;
    const struct {
        const struct yaml_node *node;
        const struct yaml_field *fields;
    } parts[] = {{map.bias, bias_fields}, {map.attention, attention_fields},
                 {map.moe, moe_fields}, {map.extra, extra_fields}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].node && !yaml_record(document, parts[i].node, parts[i].fields, &map, error))
            return false;
    const char *problem = model_finish(&map.model);
    if (problem)
        return yaml_error(document, node, false, error, "%s", problem);
    *model = map.model;
    return true;
}
