#include "data/model_family.h"

#include <string.h>

enum {
    GPT = FAMILY_UNGATED | FAMILY_LAYER_NORM | FAMILY_FFN_4H,
    ATTENTION_BIAS = FAMILY_QKV_BIAS | FAMILY_O_BIAS,
    ROUTED = FAMILY_MOE | FAMILY_CORRECTION,
    NEXT = FAMILY_QK_NORM | FAMILY_GATED_DELTANET
};

/* From the modeling and configuration files of transformers (huggingface/transformers
 * src/transformers/models/), and llama.cpp's gguf-py/gguf/constants.py for the .gguf names (that of
 * Llama also covers Mistral and Mixtral). The rows of vision-language models repeat those of the
 * text models inside them; each other row is checked against a published count or one worked out by
 * hand in tests/test_model_file.c. */
static const struct model_family families[] = {
    {"llama", "llama", 0, 2, "attention_bias", ATTENTION_BIAS},
    {"mistral", NULL, 0, 2, NULL, 0},
    {"mixtral", NULL, FAMILY_MOE | FAMILY_EXPERT_IS_FFN, 2, NULL, 0},
    {"llama4_text", NULL, FAMILY_MOE | FAMILY_EXPERT_IS_FFN, 2, "attention_bias", ATTENTION_BIAS},
    {"qwen2", "qwen2", FAMILY_QKV_BIAS, 2, NULL, 0},
    {"qwen2_vl_text", NULL, FAMILY_QKV_BIAS, 2, NULL, 0},
    {"qwen2_5_vl_text", NULL, FAMILY_QKV_BIAS, 2, NULL, 0},
    {"qwen3", "qwen3", FAMILY_QK_NORM, 2, "attention_bias", ATTENTION_BIAS},
    {"qwen3_vl_text", NULL, FAMILY_QK_NORM, 2, "attention_bias", ATTENTION_BIAS},
    {"qwen3_moe", "qwen3moe", FAMILY_QK_NORM | FAMILY_MOE, 2, "attention_bias", ATTENTION_BIAS},
    {"qwen3_vl_moe_text", NULL, FAMILY_QK_NORM | FAMILY_MOE, 2, "attention_bias", ATTENTION_BIAS},
    {"qwen3_next", NULL, NEXT | FAMILY_MOE | FAMILY_SHARED_GATE, 2, NULL, 0},
    {"qwen3_5_text", NULL, NEXT, 2, NULL, 0},
    {"qwen3_5_moe_text", NULL, NEXT | FAMILY_MOE | FAMILY_SHARED_GATE, 2, NULL, 0},
    {"gemma", "gemma", FAMILY_TIED, 2, "attention_bias", ATTENTION_BIAS},
    {"gemma2", "gemma2", FAMILY_TIED | FAMILY_ALTERNATE, 4, "attention_bias", ATTENTION_BIAS},
    {"gemma3_text", "gemma3", FAMILY_TIED | FAMILY_QK_NORM, 4, "attention_bias", ATTENTION_BIAS},
    {"gemma4_text", NULL, FAMILY_TIED | FAMILY_QK_NORM | FAMILY_MOE, 4, "attention_bias",
     ATTENTION_BIAS},
    {"phi3", "phi3", 0, 2, NULL, 0},
    {"phi", "phi2", GPT | FAMILY_BIASES | FAMILY_HEAD_BIAS, 1, NULL, 0},
    {"phi-msft", NULL, GPT | FAMILY_BIASES | FAMILY_HEAD_BIAS, 1, NULL, 0},
    {"gpt2", "gpt2", GPT | FAMILY_TIED | FAMILY_LEARNED | FAMILY_BIASES, 2, NULL, 0},
    {"gpt_bigcode", "starcoder", GPT | FAMILY_TIED | FAMILY_LEARNED | FAMILY_BIASES, 2, NULL, 0},
    {"gptj", "gptj", GPT | FAMILY_MLP_BIAS | FAMILY_HEAD_BIAS, 1, NULL, 0},
    {"gpt_neox", "gptneox", GPT | FAMILY_BIASES, 2, NULL, 0},
    {"opt", NULL, GPT | FAMILY_TIED | FAMILY_LEARNED | FAMILY_BIASES, 2, NULL, 0},
    {"bloom", "bloom", GPT | FAMILY_TIED | FAMILY_ALIBI | FAMILY_BIASES | FAMILY_EMBEDDING_NORM, 2,
     NULL, 0},
    {"mpt", "mpt", GPT | FAMILY_TIED | FAMILY_ALIBI, 2, NULL, 0},
    {"falcon", "falcon", GPT | FAMILY_TIED, 2, "bias", FAMILY_BIASES},
    {"starcoder2", "starcoder2", GPT | FAMILY_TIED, 2, "use_bias", FAMILY_BIASES},
    {"chatglm", "chatglm", FAMILY_QKV_BIAS, 2, NULL, 0},
    {"glm4_moe", "glm4moe", ROUTED, 2, "attention_bias", FAMILY_QKV_BIAS},
    {"baichuan", "baichuan", 0, 2, NULL, 0},
    {"internlm2", "internlm2", 0, 2, "bias", ATTENTION_BIAS},
    {"deepseek_v2", "deepseek2", FAMILY_MOE | FAMILY_MLA, 2, "attention_bias", 0},
    {"deepseek_v3", NULL, ROUTED | FAMILY_MLA, 2, "attention_bias", 0},
    {"deepseek_v32", NULL, ROUTED | FAMILY_MLA, 2, "attention_bias", 0},
    {"kimi_k2", NULL, ROUTED | FAMILY_MLA, 2, "attention_bias", 0},
    {"glm_moe_dsa", NULL, ROUTED | FAMILY_MLA, 2, "attention_bias", 0},
    {"gpt_oss", "gpt-oss", FAMILY_MOE | FAMILY_EXPERT_IS_FFN | FAMILY_OSS | FAMILY_ALTERNATE, 2,
     "attention_bias", ATTENTION_BIAS},
    {"minimax_m2", NULL, ROUTED | FAMILY_EXPERT_IS_FFN, 2, NULL, 0},
};

static const struct model_family *find(const char *name, bool gguf)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const char *candidate = gguf ? families[i].architecture : families[i].model_type;
        if (candidate && strcmp(candidate, name) == 0)
            return &families[i];
    }
    return NULL;
}

const struct model_family *model_family_of_type(const char *model_type)
{
    return find(model_type, false);
}

const struct model_family *model_family_of_gguf(const char *architecture)
{
    return find(architecture, true);
}

void model_family_biases(unsigned traits, struct model *model)
{
    model->bias_qkv |= (traits & FAMILY_QKV_BIAS) != 0;
    model->bias_o |= (traits & FAMILY_O_BIAS) != 0;
    model->bias_mlp |= (traits & FAMILY_MLP_BIAS) != 0;
    model->bias_head |= (traits & FAMILY_HEAD_BIAS) != 0;
}

void model_family_apply(const struct model_family *family, struct model *model)
{
    unsigned traits = family->traits;
    model->family = family->model_type;
    model->ffn_gated = !(traits & FAMILY_UNGATED);
    model->tied_embeddings = traits & FAMILY_TIED;
    model->norm = traits & FAMILY_LAYER_NORM ? NORM_LAYER : NORM_RMS;
    model->norms_per_layer = family->norms_per_layer;
    model->position = traits & FAMILY_LEARNED ? POSITION_LEARNED
                      : traits & FAMILY_ALIBI ? POSITION_ALIBI
                                              : POSITION_ROPE;
    model->extra_positions = strcmp(family->model_type, "opt") == 0 ? 2 : 0;
    model->qk_norm = traits & FAMILY_QK_NORM ? QK_NORM_HEAD : QK_NORM_NONE;
    model->embedding_layernorm = traits & FAMILY_EMBEDDING_NORM;
    model->attention.output_gate = traits & FAMILY_GATED_DELTANET;
    model->attention.sinks = traits & FAMILY_OSS;
    model->moe.expert_bias = model->bias_router = traits & FAMILY_OSS;
    model_family_biases(traits, model);
}
