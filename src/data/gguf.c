/* gguf.c - a model's shape and exact size from the head of a .gguf file. Layout: ggml's
 * docs/gguf.md. Every read is checked against the file's end, every count against what is left. */
#include "data/model_readers.h"

#include <limits.h>
#include <string.h>
#include "base/i18n.h"
#include "data/model_family.h"

enum { MAX_PAIRS = 1 << 16, MAX_TENSORS = 1 << 20, MAX_DIMENSIONS = 8, MAX_NESTING = 4 };

enum value_type {
    TYPE_UINT8, TYPE_INT8, TYPE_UINT16, TYPE_INT16, TYPE_UINT32, TYPE_INT32, TYPE_FLOAT32,
    TYPE_BOOL, TYPE_STRING, TYPE_ARRAY, TYPE_UINT64, TYPE_INT64, TYPE_FLOAT64, TYPE_COUNT
};

static const int type_bytes[TYPE_COUNT] = {
    [TYPE_UINT8] = 1, [TYPE_INT8] = 1, [TYPE_UINT16] = 2, [TYPE_INT16] = 2, [TYPE_UINT32] = 4,
    [TYPE_INT32] = 4, [TYPE_FLOAT32] = 4, [TYPE_BOOL] = 1, [TYPE_UINT64] = 8, [TYPE_INT64] = 8,
    [TYPE_FLOAT64] = 8};

struct text { /* not NUL-terminated: it lies in the file */
    const char *start;
    size_t length;
};

struct pair {
    struct text key;
    enum value_type type;
    const unsigned char *value; /* of an array: its element type, count, elements */
};

struct head {
    const char *file;
    const unsigned char *at, *end;
    bool wide;               /* lengths are 64 bits (from version 2 on) */
    const struct pair *pairs;
    size_t pair_count;
    struct text architecture;
    struct error *error;
};

static bool fail(const struct head *head, const char *message)
{
    return error_at(head->error, head->file, 0, 0, "%s", message);
}

static bool fail_end(const struct head *head)
{
    return fail(head, tr("the file ends too early or is damaged"));
}

static bool fail_key(const struct head *head, const char *key, const char *message)
{
    return error_at(head->error, head->file, 0, 0, "%s: %s", key, message);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint64_t little_endian(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static size_t left(const struct head *head)
{
    return (size_t)(head->end - head->at);
}

static bool take(struct head *head, int size, uint64_t *value)
{
    *value = 0;
    if (left(head) < (size_t)size)
        return fail_end(head);
    *value = little_endian(head->at, size);
    head->at += size;
    return true;
}

static bool take_length(struct head *head, uint64_t *value)
{
    return take(head, head->wide ? 8 : 4, value);
}

static bool take_text(struct head *head, struct text *text)
{
    uint64_t length;
    if (!take_length(head, &length))
        return false;
    if (length > left(head))
        return fail_end(head);
    *text = (struct text){(const char *)head->at, (size_t)length};
    head->at += length;
    return true;
}

static bool is(struct text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.start, word, text.length) == 0;
}

/* ---- keys and values ------------------------------------------------------------------------- */

static bool skip_value(struct head *head, uint64_t type, int nesting)
{
    struct text text;
    uint64_t element, count;
    if (type >= TYPE_COUNT || nesting > MAX_NESTING)
        return fail_end(head);
    if (type == TYPE_STRING)
        return take_text(head, &text);
    if (type != TYPE_ARRAY) {
        if (left(head) < (size_t)type_bytes[type])
            return fail_end(head);
        head->at += type_bytes[type];
        return true;
    }
    if (!take(head, 4, &element) || !take_length(head, &count))
        return false;
    if (element >= TYPE_COUNT || count > left(head))
        return fail_end(head);
    if (element != TYPE_STRING && element != TYPE_ARRAY) {
        if (count > left(head) / (size_t)type_bytes[element])
            return fail_end(head);
        head->at += count * (size_t)type_bytes[element];
        return true;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!skip_value(head, element, nesting + 1))
            return false;
    return true;
}

static bool read_pairs(struct head *head, uint64_t count, struct arena *arena)
{
    if (count > MAX_PAIRS || count > left(head))
        return fail_end(head);
    struct pair *pairs = ARENA_ARRAY(arena, struct pair, (size_t)count);
    for (size_t i = 0; i < count; i++) {
        uint64_t type;
        if (!take_text(head, &pairs[i].key) || !take(head, 4, &type))
            return false;
        pairs[i].value = head->at;
        if (!skip_value(head, type, 0))
            return false;
        pairs[i].type = (enum value_type)type;
    }
    head->pairs = pairs;
    head->pair_count = (size_t)count;
    return true;
}

static const struct pair *find_key(const struct head *head, const char *key)
{
    for (size_t i = 0; i < head->pair_count; i++)
        if (is(head->pairs[i].key, key))
            return &head->pairs[i];
    return NULL;
}

/* "<architecture>.<suffix>". */
static const struct pair *find_suffix(const struct head *head, const char *suffix)
{
    size_t prefix = head->architecture.length, length = strlen(suffix);
    for (size_t i = 0; i < head->pair_count; i++) {
        struct text key = head->pairs[i].key;
        if (key.length == prefix + 1 + length && key.start[prefix] == '.'
            && memcmp(key.start, head->architecture.start, prefix) == 0
            && memcmp(key.start + prefix + 1, suffix, length) == 0)
            return &head->pairs[i];
    }
    return NULL;
}

static bool whole_value(enum value_type type, const unsigned char *bytes, int *value)
{
    bool is_signed =
        type == TYPE_INT8 || type == TYPE_INT16 || type == TYPE_INT32 || type == TYPE_INT64;
    if (type == TYPE_FLOAT32 || type == TYPE_FLOAT64 || type == TYPE_STRING || type == TYPE_ARRAY)
        return false;
    uint64_t raw = little_endian(bytes, type_bytes[type]);
    uint64_t sign = UINT64_C(1) << (8 * type_bytes[type] - 1);
    if ((is_signed && (raw & sign)) || raw > INT_MAX)
        return false;
    *value = (int)raw;
    return true;
}

/* A number, or one number per layer that is the same in all. Absent leaves `value`. */
static bool optional(const struct head *head, const char *suffix, int *value)
{
    const struct pair *pair = find_suffix(head, suffix);
    if (!pair)
        return true;
    if (pair->type != TYPE_ARRAY)
        return whole_value(pair->type, pair->value, value)
               || fail_key(head, suffix, tr("a whole number is needed"));
    enum value_type element = (enum value_type)little_endian(pair->value, 4);
    uint64_t count = little_endian(pair->value + 4, head->wide ? 8 : 4);
    const unsigned char *at = pair->value + 4 + (head->wide ? 8 : 4);
    int first = 0, next = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!whole_value(element, at, &next))
            return fail_key(head, suffix, tr("a whole number is needed"));
        if (i == 0)
            first = next;
        else if (next != first)
            return fail_key(head, suffix,
                            tr("differs between layers: this program cannot represent that"));
        at += type_bytes[element];
    }
    if (count > 0)
        *value = first;
    return true;
}

static bool needed(const struct head *head, const char *suffix, int *value)
{
    return find_suffix(head, suffix) ? optional(head, suffix, value)
                                     : fail_key(head, suffix, tr("is missing from the file"));
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Weights and bytes of one block by ggml type: ggml's src/ggml-common.h and
 * gguf-py/gguf/constants.py (GGML_QUANT_SIZES). The index is the number in the file. */
static const struct {
    int weights, bytes;
} ggml_types[] = {
    [0] = {1, 4},      /* F32 */
    [1] = {1, 2},      /* F16 */
    [2] = {32, 18},    /* Q4_0 */
    [3] = {32, 20},    /* Q4_1 */
    [6] = {32, 22},    /* Q5_0 */
    [7] = {32, 24},    /* Q5_1 */
    [8] = {32, 34},    /* Q8_0 */
    [9] = {32, 36},    /* Q8_1 */
    [10] = {256, 84},  /* Q2_K */
    [11] = {256, 110}, /* Q3_K */
    [12] = {256, 144}, /* Q4_K */
    [13] = {256, 176}, /* Q5_K */
    [14] = {256, 210}, /* Q6_K */
    [15] = {256, 292}, /* Q8_K */
    [16] = {256, 66},  /* IQ2_XXS */
    [17] = {256, 74},  /* IQ2_XS */
    [18] = {256, 98},  /* IQ3_XXS */
    [19] = {256, 50},  /* IQ1_S */
    [20] = {32, 18},   /* IQ4_NL */
    [21] = {256, 110}, /* IQ3_S */
    [22] = {256, 82},  /* IQ2_S */
    [23] = {256, 136}, /* IQ4_XS */
    [24] = {1, 1},     /* I8 */
    [25] = {1, 2},     /* I16 */
    [26] = {1, 4},     /* I32 */
    [27] = {1, 8},     /* I64 */
    [28] = {1, 8},     /* F64 */
    [29] = {256, 56},  /* IQ1_M */
    [30] = {1, 2},     /* BF16 */
    [34] = {256, 54},  /* TQ1_0 */
    [35] = {256, 66},  /* TQ2_0 */
    [39] = {32, 17},   /* MXFP4 */
    [40] = {64, 36},   /* NVFP4 */
};

/* What the presence of a tensor says. */
struct seen {
    bool output, output_bias, qkv_bias, o_bias, mlp_bias, norm_bias, second_norm, qk_norm;
    bool shared_gate, correction;
    uint64_t vocab;
};

static const struct {
    const char *name;
    size_t flag;
} telling[] = {
    {"output.weight", offsetof(struct seen, output)},
    {"output.bias", offsetof(struct seen, output_bias)},
    {"blk.0.attn_q.bias", offsetof(struct seen, qkv_bias)},
    {"blk.0.attn_qkv.bias", offsetof(struct seen, qkv_bias)},
    {"blk.0.attn_output.bias", offsetof(struct seen, o_bias)},
    {"blk.0.ffn_up.bias", offsetof(struct seen, mlp_bias)},
    {"blk.0.attn_norm.bias", offsetof(struct seen, norm_bias)},
    {"blk.0.attn_norm_2.weight", offsetof(struct seen, second_norm)},
    {"blk.0.attn_q_norm.weight", offsetof(struct seen, qk_norm)},
};

static bool ends_with(struct text text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.start + text.length - length, end, length) == 0;
}

static void note_tensor(struct text name, const uint64_t *dimensions, uint64_t count,
                        struct seen *seen)
{
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (is(name, telling[i].name))
            *(bool *)((char *)seen + telling[i].flag) = true;
    if (ends_with(name, ".ffn_gate_inp_shexp.weight"))
        seen->shared_gate = true;
    if (ends_with(name, ".exp_probs_b.bias"))
        seen->correction = true;
    if (is(name, "token_embd.weight") && count == 2)
        seen->vocab = dimensions[1];
}

static bool read_tensor(struct head *head, struct model *model, struct seen *seen)
{
    struct text name;
    uint64_t count, type, offset, dimensions[MAX_DIMENSIONS], elements = 1;
    if (!take_text(head, &name) || !take(head, 4, &count))
        return false;
    if (count > MAX_DIMENSIONS)
        return fail_end(head);
    for (uint64_t i = 0; i < count; i++) {
        if (!take_length(head, &dimensions[i]))
            return false;
        if (dimensions[i] == 0 || elements > (UINT64_C(1) << 40) / dimensions[i])
            return fail(head, tr("a tensor has an absurd size"));
        elements *= dimensions[i];
    }
    if (!take(head, 4, &type) || !take(head, 8, &offset))
        return false;
    if (type >= sizeof ggml_types / sizeof *ggml_types || ggml_types[type].weights == 0)
        return error_at(head->error, head->file, 0, 0, tr("tensor type %d is not known here"),
                        (int)type);
    if (elements % (uint64_t)ggml_types[type].weights != 0)
        return fail(head, tr("a tensor has an absurd size"));
    model->file_bytes +=
        elements / (uint64_t)ggml_types[type].weights * (uint64_t)ggml_types[type].bytes;
    if (name.length < 5 || memcmp(name.start, "rope_", 5) != 0) /* frequencies are no parameters */
        model->published_params += elements;
    note_tensor(name, dimensions, count, seen);
    return true;
}

static bool read_tensors(struct head *head, uint64_t count, struct model *model, struct seen *seen)
{
    if (count == 0 || count > MAX_TENSORS || count > left(head))
        return fail_end(head);
    for (uint64_t i = 0; i < count; i++)
        if (!read_tensor(head, model, seen))
            return false;
    return true;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* general.file_type as a weight-format id, by its number in the file (llama.cpp include/llama.h,
 * enum llama_ftype). */
static const char *const file_types[] = {
    [0] = "fp32",          [1] = "fp16",         [2] = "gguf-q4_0",    [3] = "gguf-q4_1",
    [7] = "gguf-q8_0",     [8] = "gguf-q5_0",    [9] = "gguf-q5_1",    [10] = "gguf-q2_k",
    [11] = "gguf-q3_k_s",  [12] = "gguf-q3_k_m", [13] = "gguf-q3_k_l", [14] = "gguf-q4_k_s",
    [15] = "gguf-q4_k_m",  [16] = "gguf-q5_k_s", [17] = "gguf-q5_k_m", [18] = "gguf-q6_k",
    [19] = "gguf-iq2_xxs", [20] = "gguf-iq2_xs", [21] = "gguf-q2_k_s", [22] = "gguf-iq3_xs",
    [23] = "gguf-iq3_xxs", [24] = "gguf-iq1_s",  [25] = "gguf-iq4_nl", [26] = "gguf-iq3_s",
    [27] = "gguf-iq3_m",   [28] = "gguf-iq2_s",  [29] = "gguf-iq2_m",  [30] = "gguf-iq4_xs",
    [31] = "gguf-iq1_m",   [32] = "bf16",        [38] = "mxfp4",
};

static bool read_format(const struct head *head, struct model *model)
{
    const struct pair *pair = find_key(head, "general.file_type");
    int type = 0;
    if (!pair || !whole_value(pair->type, pair->value, &type))
        return fail_key(head, "general.file_type", tr("is missing from the file"));
    if ((size_t)type >= sizeof file_types / sizeof *file_types || !file_types[type])
        return error_at(head->error, head->file, 0, 0,
                        tr("general.file_type %d: this way of quantising is not known here"), type);
    model->native_dtype = file_types[type];
    return true;
}

static bool read_vocab(const struct head *head, const struct seen *seen, struct model *model)
{
    const struct pair *tokens = find_key(head, "tokenizer.ggml.tokens");
    uint64_t count = seen->vocab;
    if (count == 0 && tokens && tokens->type == TYPE_ARRAY)
        count = little_endian(tokens->value + 4, head->wide ? 8 : 4);
    if (count > INT_MAX)
        return fail_end(head);
    model->vocab_size = (int)count;
    return count > 0 || needed(head, "vocab_size", &model->vocab_size);
}

static bool read_latent(const struct head *head, struct model *model)
{
    int key = 0, value = 0, rope = 0;
    if (!needed(head, "attention.kv_lora_rank", &model->attention.kv_lora_rank)
        || !optional(head, "attention.q_lora_rank", &model->attention.q_lora_rank)
        || !needed(head, "rope.dimension_count", &rope)
        || !needed(head, "attention.key_length", &key)
        || !needed(head, "attention.value_length", &value)
        || !optional(head, "attention.key_length_mla", &key) /* newer files: of one head */
        || !optional(head, "attention.value_length_mla", &value))
        return false;
    model->attention.qk_rope_head_dim = rope;
    model->attention.qk_nope_head_dim = key > rope ? key - rope : 0;
    model->attention.v_head_dim = value;
    return true;
}

static bool read_experts(const struct head *head, const struct seen *seen, struct model *model)
{
    int experts = 0, shared = 0;
    if (!optional(head, "expert_count", &experts))
        return false;
    if (experts < 2)
        return true;
    model->moe.experts = experts;
    model->moe.ffn_size = model->ffn_size; /* Mixtral has no length of its own */
    model->moe.shared_gate = seen->shared_gate;
    model->moe.correction_bias = seen->correction;
    if (!needed(head, "expert_used_count", &model->moe.top_k)
        || !optional(head, "expert_feed_forward_length", &model->moe.ffn_size)
        || !optional(head, "leading_dense_block_count", &model->moe.first_dense)
        || !optional(head, "expert_shared_count", &shared))
        return false;
    model->moe.shared_ffn_size =
        shared > 0 && model->moe.ffn_size <= INT_MAX / shared ? shared * model->moe.ffn_size : 0;
    return optional(head, "expert_shared_feed_forward_length", &model->moe.shared_ffn_size);
}

/* How the local layers lie is the architecture's, not the file's. */
static bool read_window(const struct head *head, const struct model_family *family,
                        struct model *model)
{
    if (!optional(head, "attention.sliding_window", &model->attention.window))
        return false;
    int local = model->layers;
    if (family->traits & FAMILY_ALTERNATE)
        local -= model->layers / 2;
    else if (strcmp(family->model_type, "gemma3_text") == 0)
        local -= model->layers / 6;
    model->attention.local_layers = model->attention.window > 0 ? local : 0;
    return true;
}

static bool read_shape(const struct head *head, const struct model_family *family,
                       const struct seen *seen, struct model *model)
{
    int nextn = 0;
    if (!needed(head, "block_count", &model->layers)
        || !needed(head, "embedding_length", &model->hidden_size)
        || !needed(head, "attention.head_count", &model->heads)
        || !optional(head, "attention.head_count_kv", &model->kv_heads)
        || !optional(head, "feed_forward_length", &model->ffn_size)
        || !optional(head, "context_length", &model->max_context)
        || !optional(head, "nextn_predict_layers", &nextn) || !read_vocab(head, seen, model))
        return false;
    model->layers -= nextn; /* they are stored as further blocks */
    if (family->traits & FAMILY_MLA ? !read_latent(head, model)
                                    : !optional(head, "attention.key_length", &model->head_dim))
        return false;
    model->tied_embeddings = !seen->output;
    model->bias_qkv = seen->qkv_bias;
    model->bias_o = seen->o_bias;
    model->bias_mlp = seen->mlp_bias;
    model->bias_head = seen->output_bias;
    model->norm = seen->norm_bias ? NORM_LAYER : NORM_RMS;
    if (strcmp(family->model_type, "falcon") == 0) /* 7B has one, 40B two beside each other */
        model->norms_per_layer = seen->second_norm ? 2 : 1;
    model->qk_norm = seen->qk_norm ? QK_NORM_HEAD : QK_NORM_NONE;
    return read_experts(head, seen, model) && read_window(head, family, model)
           && read_format(head, model);
}

static bool find_family(struct head *head, struct arena *arena, const struct model_family **family)
{
    const struct pair *pair = find_key(head, "general.architecture");
    if (!pair || pair->type != TYPE_STRING)
        return fail_key(head, "general.architecture", tr("is missing from the file"));
    struct head value = *head;
    value.at = pair->value;
    take_text(&value, &head->architecture);
    const char *name = arena_strndup(arena, head->architecture.start, head->architecture.length);
    *family = model_family_of_gguf(name);
    if (*family)
        return true;
    fail_key(head, name, tr("an architecture this program does not know"));
    return error_hint(head->error, tr("describe its shape under `architecture` instead"));
}

bool gguf_read(const char *file, const unsigned char *bytes, size_t length, struct arena *arena,
               struct model *model, struct error *error)
{
    struct head head = {.file = file, .at = bytes, .end = bytes + length, .error = error};
    uint64_t version, tensors, pairs;
    if (length < 4 || memcmp(bytes, "GGUF", 4) != 0)
        return fail(&head, tr("this is not a .gguf file"));
    head.at += 4;
    if (!take(&head, 4, &version))
        return false;
    if (version < 1 || version > 3)
        return fail(&head, tr("only .gguf versions 1 to 3, little-endian, are read"));
    head.wide = version >= 2;
    if (!take_length(&head, &tensors) || !take_length(&head, &pairs)
        || !read_pairs(&head, pairs, arena))
        return false;
    const struct pair *parts = find_key(&head, "split.count");
    int part_count = 0;
    if (parts && whole_value(parts->type, parts->value, &part_count) && part_count > 1) {
        fail(&head, tr("the model is split into several files"));
        return error_hint(error,
                          tr("join them with llama-gguf-split --merge, or give its config.json"));
    }
    const struct model_family *family;
    struct seen seen = {0};
    model_init(model);
    if (!find_family(&head, arena, &family) || !read_tensors(&head, tensors, model, &seen))
        return false;
    model_family_apply(family, model);
    if (!read_shape(&head, family, &seen, model))
        return false;
    const char *problem = model_finish(model);
    return !problem || fail(&head, problem);
}
