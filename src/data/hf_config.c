/* hf_config.c - a model's shape from a Hugging Face config.json. Key names differ by model: each
 * reading tries the known ones in order, first in the text model's own map. */
#include "data/model_readers.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "data/model_family.h"

struct reader {
    const struct yaml_document *document;
    const struct yaml_node *text, *outer; /* text: the language model's map, or outer itself */
    const struct model_family *family;
    struct model *model;
    struct error *error;
};

static bool has(const struct reader *reader, unsigned trait)
{
    return (reader->family->traits & trait) != 0;
}

static bool is_type(const struct reader *reader, const char *model_type)
{
    return strcmp(reader->family->model_type, model_type) == 0;
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* The first of the space-separated `keys` that stands in the file, null or not. */
static const struct yaml_node *find(const struct reader *reader, const char *keys)
{
    const struct yaml_node *maps[] = {reader->text, reader->outer};
    for (int m = 0; m < 2; m++) {
        for (const char *key = keys; *key;) {
            size_t length = strcspn(key, " ");
            for (const struct yaml_node *node = maps[m]->first; node; node = node->next)
                if (strlen(node->key) == length && memcmp(node->key, key, length) == 0)
                    return node;
            key += length;
            key += strspn(key, " ");
        }
    }
    return NULL;
}

static bool read_whole(const struct reader *reader, const struct yaml_node *node, int *value)
{
    double number;
    if (!yaml_number(reader->document, node, &number, reader->error))
        return false;
    if (number != floor(number) || number < 0 || number > INT_MAX)
        return yaml_error(reader->document, node, false, reader->error,
                          tr("%s: a whole number is needed"), node->key);
    *value = (int)number;
    return true;
}

/* Absent or null leaves `value`. */
static bool optional(const struct reader *reader, const char *keys, int *value)
{
    const struct yaml_node *node = find(reader, keys);
    return !node || yaml_is_null(node) || read_whole(reader, node, value);
}

static bool optional_bool(const struct reader *reader, const char *keys, bool *value)
{
    const struct yaml_node *node = find(reader, keys);
    return !node || yaml_is_null(node) || yaml_bool(reader->document, node, value, reader->error);
}

/* Absent leaves `value` when that is a family default, else it is an error, as null always is. */
static bool needed(const struct reader *reader, const char *keys, int *value)
{
    const struct yaml_node *node = find(reader, keys);
    if (node && !read_whole(reader, node, value))
        return false;
    if (*value > 0)
        return true;
    if (node)
        return yaml_error(reader->document, node, false, reader->error,
                          tr("%s is out of range: %s"), node->key, node->text);
    return yaml_error(reader->document, reader->text, false, reader->error,
                      tr("the file does not say %.*s"), (int)strcspn(keys, " "), keys);
}

static bool refuse(const struct reader *reader, const struct yaml_node *node)
{
    return yaml_error(reader->document, node, true, reader->error,
                      tr("%s: this program cannot represent such a model"), node->key);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Keys that change the shape in ways struct model has no member for; zero, false, null or an empty
 * list means that they do not. */
static bool refuse_unknown_shapes(const struct reader *reader)
{
    static const char *const keys[] = {
        "block_configs", "num_kv_shared_layers", "hidden_size_per_layer_input", "mlp_only_layers",
        "hybrid_override_pattern", "layers_block_type", "compress_ratios", "linear_attn_config",
        "use_double_wide_mlp", "num_hash_layers", "qk_layernorm", "encoder_layers"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct yaml_node *node = find(reader, keys[i]);
        if (!node || yaml_is_null(node) || (node->kind != YAML_SCALAR && node->count == 0))
            continue;
        if (node->kind != YAML_SCALAR
            || (strcmp(node->text, "0") != 0 && strcmp(node->text, "false") != 0))
            return refuse(reader, node);
    }
    int projected = reader->model->hidden_size;
    if (!optional(reader, "word_embed_proj_dim", &projected))
        return false;
    return projected == reader->model->hidden_size
           || refuse(reader, find(reader, "word_embed_proj_dim"));
}

/* gemma3's published files leave most of the text model out: transformers
 * models/gemma3/configuration_gemma3.py has these. */
static void gemma3_defaults(struct model *model)
{
    model->heads = 8;
    model->kv_heads = 4;
    model->head_dim = 256;
    model->vocab_size = 262208;
    model->max_context = 131072;
}

static bool read_sizes(const struct reader *reader)
{
    struct model *m = reader->model;
    if (!needed(reader, "num_hidden_layers num_layers n_layer n_layers", &m->layers)
        || !needed(reader, "hidden_size n_embd n_embed d_model", &m->hidden_size)
        || !needed(reader, "num_attention_heads n_head n_heads num_heads", &m->heads)
        || !optional(reader, "padded_vocab_size", &m->vocab_size) /* what is allocated */
        || (!find(reader, "padded_vocab_size") && !needed(reader, "vocab_size", &m->vocab_size))
        || !optional(reader, "head_dim kv_channels attention_head_dim", &m->head_dim)
        || !optional(reader,
                     "max_position_embeddings n_positions seq_length max_seq_len n_ctx "
                     "model_max_length max_sequence_length",
                     &m->max_context))
        return false;
    if (m->position == POSITION_LEARNED)
        return needed(reader, "max_position_embeddings n_positions max_seq_len n_ctx",
                      &m->max_context);
    return true;
}

/* An original length equal to the stated one means that the factor is still to be applied
 * (Qwen2.5's YaRN). */
static bool read_context_scaling(const struct reader *reader)
{
    const struct yaml_node *scaling = find(reader, "rope_scaling");
    const struct yaml_node *factor = yaml_get(scaling, "factor");
    const struct yaml_node *original = yaml_get(scaling, "original_max_position_embeddings");
    double times, length;
    if (!factor || !original)
        return true;
    if (!yaml_number(reader->document, factor, &times, reader->error)
        || !yaml_number(reader->document, original, &length, reader->error))
        return false;
    if (length == reader->model->max_context && times > 1 && times * length <= INT_MAX)
        reader->model->max_context = (int)(times * length);
    return true;
}

static bool read_ffn(const struct reader *reader)
{
    struct model *m = reader->model;
    const char *keys = is_type(reader, "llama4_text")
                           ? "intermediate_size_mlp" /* intermediate_size is that of an expert */
                           : "intermediate_size ffn_hidden_size ffn_dim n_inner";
    const struct yaml_node *node = find(reader, keys);
    if (has(reader, FAMILY_FFN_4H) && (!node || yaml_is_null(node))) {
        int ratio = 4;
        bool good = optional(reader, "expansion_ratio", &ratio);
        m->ffn_size = (int)fmin((double)ratio * m->hidden_size, INT_MAX);
        return good;
    }
    if (!node && has(reader, FAMILY_MOE)) /* all layers may be mixtures: model_finish knows */
        return true;
    return needed(reader, keys, &m->ffn_size);
}

/* Who shares keys and values. Falcon writes num_kv_heads 71 beside multi_query: the latter wins. */
static bool read_kv_heads(const struct reader *reader)
{
    struct model *m = reader->model;
    bool multi_query = false, new_falcon = false, grouped = false;
    if (!optional_bool(reader, "multi_query", &multi_query)
        || !optional_bool(reader, "new_decoder_architecture", &new_falcon)
        || !optional_bool(reader, "multi_query_attention", &grouped))
        return false;
    if (is_type(reader, "gpt_bigcode") && !find(reader, "multi_query"))
        multi_query = true; /* the class default */
    if (is_type(reader, "falcon")) {
        bool parallel = true;
        if (!optional_bool(reader, "parallel_attn", &parallel))
            return false;
        m->norms_per_layer = parallel && !new_falcon ? 1 : 2;
        if (!new_falcon) {
            m->kv_heads = multi_query ? 1 : m->heads;
            return true;
        }
    } else if (multi_query) {
        m->kv_heads = 1;
        return true;
    }
    if (grouped)
        return needed(reader, "multi_query_group_num", &m->kv_heads);
    if (find(reader, "num_key_value_heads num_kv_heads"))
        return needed(reader, "num_key_value_heads num_kv_heads", &m->kv_heads);
    return optional(reader, "n_head_kv", &m->kv_heads);
}

static bool read_latent(const struct reader *reader)
{
    struct model *m = reader->model;
    const struct yaml_node *rank = find(reader, "kv_lora_rank");
    if (!has(reader, FAMILY_MLA))
        return !rank || yaml_is_null(rank) || refuse(reader, rank);
    return needed(reader, "kv_lora_rank", &m->attention.kv_lora_rank)
           && optional(reader, "q_lora_rank", &m->attention.q_lora_rank)
           && needed(reader, "qk_nope_head_dim", &m->attention.qk_nope_head_dim)
           && needed(reader, "qk_rope_head_dim", &m->attention.qk_rope_head_dim)
           && needed(reader, "v_head_dim", &m->attention.v_head_dim)
           && optional(reader, "index_n_heads", &m->attention.index_heads)
           && optional(reader, "index_head_dim", &m->attention.index_head_dim);
}

static bool read_biases(const struct reader *reader)
{
    struct model *m = reader->model;
    const struct model_family *family = reader->family;
    bool on = is_type(reader, "starcoder2"); /* its class default */
    if (family->bias_key && !optional_bool(reader, family->bias_key, &on))
        return false;
    if (family->bias_key && on && family->bias_key_traits == 0)
        return refuse(reader, find(reader, family->bias_key));
    if (family->bias_key && on)
        model_family_biases(family->bias_key_traits, m);
    if (is_type(reader, "mpt")) {
        bool none = false;
        if (!optional_bool(reader, "no_bias", &none))
            return false;
        if (none)
            m->norm = NORM_RMS; /* a LayerNorm without bias has as many parameters */
        else
            model_family_biases(FAMILY_BIASES, m);
    }
    if (is_type(reader, "chatglm") && !optional_bool(reader, "add_qkv_bias", &m->bias_qkv))
        return false; /* absent: every published ChatGLM2, 3 and GLM-4 has the bias */
    bool full_bias = false;
    if (is_type(reader, "chatglm") && !optional_bool(reader, "add_bias_linear", &full_bias))
        return false;
    if (full_bias)
        return refuse(reader, find(reader, "add_bias_linear"));
    return optional_bool(reader, "mlp_bias", &m->bias_mlp);
}

static bool read_norms(const struct reader *reader)
{
    struct model *m = reader->model;
    bool qk_norm = false;
    if (!optional_bool(reader, "use_qk_norm", &qk_norm))
        return false;
    if (is_type(reader, "minimax_m2")) /* over the whole width: qk_norm_type per_layer */
        m->qk_norm = qk_norm ? QK_NORM_FULL : QK_NORM_NONE;
    else if (is_type(reader, "glm4_moe"))
        m->qk_norm = qk_norm ? QK_NORM_HEAD : QK_NORM_NONE;
    const struct yaml_node *attention = find(reader, "attn_config");
    if (is_type(reader, "mpt") && attention && attention->kind == YAML_MAP) {
        bool alibi = false, norm = false;
        const struct yaml_node *node = yaml_get(attention, "qk_ln");
        if (node && !yaml_bool(reader->document, node, &norm, reader->error))
            return false;
        if (norm)
            return refuse(reader, node);
        node = yaml_get(attention, "alibi");
        if (node && !yaml_bool(reader->document, node, &alibi, reader->error))
            return false;
        m->position = alibi ? POSITION_ALIBI : POSITION_LEARNED;
        node = yaml_get(attention, "kv_n_heads");
        return !node || yaml_is_null(node) || read_whole(reader, node, &m->kv_heads);
    }
    return true;
}

/* ---- layers that are not full attention ------------------------------------------------------ */

static bool read_linear_sizes(const struct reader *reader)
{
    struct model *m = reader->model;
    m->attention.linear = LINEAR_GATED_DELTANET;
    return needed(reader, "linear_num_key_heads", &m->attention.linear_key_heads)
           && needed(reader, "linear_num_value_heads", &m->attention.linear_value_heads)
           && needed(reader, "linear_key_head_dim", &m->attention.linear_key_dim)
           && needed(reader, "linear_value_head_dim", &m->attention.linear_value_dim)
           && needed(reader, "linear_conv_kernel_dim", &m->attention.linear_conv);
}

/* Counts a layer_types list; the pattern itself does not matter, but for linear layers every n-th
 * must be full. */
static bool read_layer_types(const struct reader *reader, const struct yaml_node *list)
{
    struct model *m = reader->model;
    int local = 0, linear = 0, index = 0, every = 0;
    if (list->kind != YAML_LIST || list->count != m->layers)
        return yaml_error(reader->document, list, true, reader->error,
                          tr("%s: one entry per layer is needed"), list->key);
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        index++;
        if (strcmp(node->text, "sliding_attention") == 0
            || strcmp(node->text, "chunked_attention") == 0)
            local++;
        else if (strcmp(node->text, "linear_attention") == 0)
            linear++;
        else if (strcmp(node->text, "full_attention") != 0)
            return yaml_error(reader->document, node, false, reader->error,
                              tr("layer_types: '%s' is a kind of layer not known here"),
                              node->text);
        else if (every == 0)
            every = index;
    }
    m->attention.local_layers = local;
    if (linear > 0) {
        if (!has(reader, FAMILY_GATED_DELTANET) || every == 0
            || linear != m->layers - m->layers / every)
            return refuse(reader, list);
        m->attention.full_attention_every = every;
    }
    return true;
}

/* Which layers are local when no list says so. */
static bool count_local_layers(const struct reader *reader, int *local)
{
    int layers = reader->model->layers;
    if (has(reader, FAMILY_ALTERNATE))
        *local = layers - layers / 2;
    else if (is_type(reader, "gemma3_text")) {
        int pattern = 6;
        if (!optional(reader, "sliding_window_pattern _sliding_window_pattern", &pattern))
            return false;
        *local = pattern > 0 ? layers - layers / pattern : layers;
    } else if (strncmp(reader->family->model_type, "qwen", 4) == 0) {
        bool used = false; /* a window may be written down and not be used */
        int from = layers;
        if (!optional_bool(reader, "use_sliding_window", &used)
            || !optional(reader, "max_window_layers", &from))
            return false;
        *local = used && from < layers ? layers - from : 0;
    } else {
        *local = layers;
    }
    return true;
}

static bool read_layers(const struct reader *reader)
{
    struct model *m = reader->model;
    const struct yaml_node *types = find(reader, "layer_types");
    if (has(reader, FAMILY_GATED_DELTANET)) {
        m->attention.full_attention_every = 4; /* the class default */
        if (!read_linear_sizes(reader)
            || !optional(reader, "full_attention_interval", &m->attention.full_attention_every))
            return false;
    }
    if (is_type(reader, "llama4_text")) { /* no_rope_layer_interval 4: every fourth is full */
        if (!optional(reader, "attention_chunk_size", &m->attention.chunk))
            return false;
        m->attention.local_layers = m->attention.chunk > 0 ? m->layers - m->layers / 4 : 0;
        return true;
    }
    if (!optional(reader, "sliding_window sliding_window_size", &m->attention.window))
        return false;
    if (types && !yaml_is_null(types)) {
        if (!read_layer_types(reader, types))
            return false;
    } else if (m->attention.window > 0 && !count_local_layers(reader, &m->attention.local_layers)) {
        return false;
    }
    if (m->attention.local_layers == 0)
        m->attention.window = 0;
    if (!is_type(reader, "gemma4_text"))
        return true;
    return optional(reader, "global_head_dim", &m->attention.global_head_dim)
           && optional(reader, "num_global_key_value_heads", &m->attention.global_kv_heads)
           && optional_bool(reader, "attention_k_eq_v", &m->attention.global_k_eq_v);
}

/* ---- mixtures of experts --------------------------------------------------------------------- */

/* How wide the shared experts are together: given as a size, or as a number of experts. */
static bool read_shared_experts(const struct reader *reader)
{
    struct model *m = reader->model;
    int count = is_type(reader, "llama4_text") ? 1 : 0; /* always there, without a key */
    if (!optional(reader, "n_shared_experts num_shared_experts", &count))
        return false;
    m->moe.shared_ffn_size = (int)fmin((double)count * m->moe.ffn_size, INT_MAX);
    return optional(reader,
                    "shared_expert_intermediate_size moe_shared_expert_intermediate_size "
                    "shared_intermediate_size",
                    &m->moe.shared_ffn_size);
}

static bool read_experts(const struct reader *reader)
{
    struct model *m = reader->model;
    const char *keys = "num_experts num_local_experts n_routed_experts moe_num_experts";
    const struct yaml_node *node = find(reader, keys);
    int experts = 0;
    if (!optional(reader, keys, &experts))
        return false;
    if (experts < 2)
        return true;
    if (!has(reader, FAMILY_MOE))
        return refuse(reader, node);
    m->moe.experts = experts;
    m->moe.correction_bias = has(reader, FAMILY_CORRECTION);
    m->moe.shared_gate = has(reader, FAMILY_SHARED_GATE);
    if (is_type(reader, "gemma4_text")) {
        m->moe.dense_parallel = true;
        m->norms_per_layer = 7;
    }
    const struct yaml_node *frequency = find(reader, "moe_layer_freq");
    if (frequency && frequency->kind == YAML_LIST)
        return refuse(reader, frequency);
    return needed(reader,
                  "num_experts_per_tok num_experts_per_token experts_per_token top_k_experts "
                  "moe_top_k moe_topk num_selected_experts",
                  &m->moe.top_k)
           && needed(reader,
                     has(reader, FAMILY_EXPERT_IS_FFN)
                         ? "moe_intermediate_size intermediate_size"
                         : "moe_intermediate_size expert_intermediate_size",
                     &m->moe.ffn_size)
           && optional(reader, "first_k_dense_replace", &m->moe.first_dense)
           && optional(reader, "decoder_sparse_step interleave_moe_layer_step moe_layer_freq",
                       &m->moe.every)
           && read_shared_experts(reader);
}

/* ---- stored form ----------------------------------------------------------------------------- */

static const char *text_of(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *node = yaml_get(map, key);
    return node ? node->text : "";
}

/* The known 4- and 8-bit formats have a scale per 128 weights, which is also what leaving the group
 * out means. */
static bool grouped_by_128(const struct yaml_node *map)
{
    const char *group = text_of(map, "group_size");
    return group[0] == '\0' || strcmp(group, "128") == 0;
}

/* compressed-tensors: the bits stand in the first group. */
static const char *compressed_format(const struct yaml_node *quantization, bool experts)
{
    const struct yaml_node *groups = yaml_get(quantization, "config_groups");
    const struct yaml_node *weights =
        groups && groups->first ? yaml_get(groups->first, "weights") : NULL;
    const char *bits = text_of(weights, "num_bits"), *type = text_of(weights, "type");
    if (strcmp(bits, "8") == 0)
        return strcmp(type, "float") == 0 ? "fp8" : "int8";
    if (strcmp(bits, "4") != 0 || strcmp(type, "int") != 0)
        return NULL;
    if (experts && strcmp(text_of(weights, "group_size"), "32") == 0)
        return "int4-g32"; /* Kimi-K2: the experts alone are quantised */
    return strcmp(text_of(weights, "group_size"), "128") == 0 ? "gptq-int4" : NULL;
}

static const char *quantised_format(const struct yaml_node *quantization, bool experts)
{
    const char *method = text_of(quantization, "quant_method"),
               *bits = text_of(quantization, "bits");
    if (strcmp(method, "fp8") == 0 || strcmp(method, "fbgemm_fp8") == 0)
        return "fp8";
    if (strcmp(method, "mxfp4") == 0)
        return experts ? "mxfp4" : NULL;
    if (strcmp(method, "gptq") == 0 && grouped_by_128(quantization))
        return strcmp(bits, "4") == 0 ? "gptq-int4" : strcmp(bits, "8") == 0 ? "gptq-int8" : NULL;
    if (strcmp(method, "awq") == 0 && grouped_by_128(quantization))
        return strcmp(bits, "4") == 0 ? "awq-int4" : NULL;
    if (strcmp(method, "bitsandbytes") == 0
        && strcmp(text_of(quantization, "load_in_8bit"), "true") == 0)
        return "int8";
    if (strcmp(method, "bitsandbytes") == 0
        && strcmp(text_of(quantization, "load_in_4bit"), "true") == 0)
        return strcmp(text_of(quantization, "bnb_4bit_use_double_quant"), "true") == 0 ? "nf4-dq"
                                                                                       : "nf4";
    return strcmp(method, "compressed-tensors") == 0 ? compressed_format(quantization, experts)
                                                     : NULL;
}

static bool read_dtype(const struct reader *reader)
{
    static const struct {
        const char *torch, *format;
    } types[] = {{"bfloat16", "bf16"}, {"float16", "fp16"}, {"float32", "fp32"}, {"auto", "bf16"}};
    const struct yaml_node *quantization = find(reader, "quantization_config compression_config");
    if (quantization && quantization->kind == YAML_MAP) {
        bool experts = reader->model->moe.experts > 0;
        reader->model->native_dtype = quantised_format(quantization, experts);
        return reader->model->native_dtype
               || yaml_error(reader->document, quantization, true, reader->error,
                             tr("%s: this way of quantising is not known here"), quantization->key);
    }
    const struct yaml_node *dtype = find(reader, "torch_dtype dtype");
    if (!dtype || yaml_is_null(dtype))
        return true; /* stays bf16, as model_init set it */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].torch, dtype->text) == 0) {
            reader->model->native_dtype = types[i].format;
            return true;
        }
    }
    return yaml_error(reader->document, dtype, false, reader->error,
                      tr("%s: '%s' is not known here"), dtype->key, dtype->text);
}

/* ---- the whole file -------------------------------------------------------------------------- */

/* The language model's own map inside a multimodal configuration. */
static const struct yaml_node *text_map(const struct yaml_node *root)
{
    static const char *const wrappers[] = {"text_config", "llm_config", "language_config"};
    const struct yaml_node *thinker = yaml_get(root, "thinker_config");
    if (thinker && thinker->kind == YAML_MAP)
        root = thinker;
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        const struct yaml_node *node = yaml_get(root, wrappers[i]);
        if (node && node->kind == YAML_MAP)
            return node;
    }
    return root;
}

static bool find_family(struct reader *reader)
{
    const struct yaml_node *type = find(reader, "model_type");
    if (!type)
        return yaml_error(reader->document, reader->outer, false, reader->error,
                          tr("no model_type: this is not a model's config.json"));
    reader->family = model_family_of_type(type->text);
    if (reader->family)
        return true;
    yaml_error(reader->document, type, false, reader->error,
               tr("model_type '%s' is an architecture this program does not know"), type->text);
    return error_hint(reader->error, tr("describe its shape under `architecture` instead"));
}

bool hf_config_read(const struct yaml_document *document, struct model *model, struct error *error)
{
    struct reader reader = {.document = document, .outer = document->root,
                            .text = text_map(document->root), .model = model, .error = error};
    if (document->root->kind != YAML_MAP)
        return yaml_error(document, document->root, false, error, tr("a map is needed here"));
    if (!find_family(&reader))
        return false;
    model_init(model);
    model_family_apply(reader.family, model);
    if (is_type(&reader, "gemma3_text"))
        gemma3_defaults(model);
    if (!read_sizes(&reader) || !refuse_unknown_shapes(&reader) || !read_context_scaling(&reader)
        || !read_kv_heads(&reader) || !read_norms(&reader) || !read_latent(&reader)
        || !read_ffn(&reader) || !read_experts(&reader) || !read_layers(&reader)
        || !read_biases(&reader) || !read_dtype(&reader)
        || !optional_bool(&reader, "tie_word_embeddings", &model->tied_embeddings))
        return false;
    const char *problem = model_finish(model);
    return !problem || yaml_error(document, reader.text, false, error, "%s", problem);
}
