#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "data/catalog.h"
#include "data/model_file.h"
#include "data/model_readers.h"
#include "engine/model.h"

static int new_arena(void **state)
{
    *state = arena_new();
    return 0;
}

static int free_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* ---- config.json ----------------------------------------------------------------------------- */

static bool read_config(struct arena *arena, const char *json, struct model *model,
                        struct error *error)
{
    struct yaml_document document;
    *error = (struct error){0};
    return yaml_parse(arena, "config.json", json, strlen(json), 0, &document, error)
           && hf_config_read(&document, model, error);
}

static void real_configurations_give_the_published_counts(void **state)
{
    static const struct {
        const char *name;
        uint64_t total;
        const char *dtype;
        int kv_heads, head_dim, local_layers, window;
    } files[] = {
        /* totals: Hugging Face model pages, less what data/models.yaml lists as extras */
        {"llama-3.1-70b", 70553706496, "bf16", 8, 128, 0, 0},
        {"mistral-7b-v0.3", 7248023552, "bf16", 8, 128, 0, 0},
        {"mixtral-8x7b", 46702792704, "bf16", 8, 128, 0, 0},
        {"qwen2.5-7b-instruct", 7615616512, "bf16", 4, 128, 0, 0},
        {"qwen3-0.6b", 596049920, "bf16", 8, 128, 0, 0},
        {"qwen3-30b-a3b", 30532122624, "bf16", 4, 128, 0, 0},
        {"qwen3.5-35b-a3b", 34660610688, "bf16", 2, 256, 0, 0},
        {"deepseek-v3", 671026419200, "fp8", 128, 192, 0, 0},
        {"gemma-2-9b-it", 9241705984, "bf16", 8, 256, 21, 4096},
        {"gemma-3-1b-it", 999885952, "bf16", 1, 256, 22, 512},
        {"gemma-3-4b-it", 3880263168, "bf16", 4, 256, 29, 1024},
        {"gemma-4-26b-a4b", 25233141760, "bf16", 8, 256, 25, 1024},
        {"gpt-oss-20b", 20914757184, "mxfp4", 8, 64, 12, 128},
        {"chatglm3-6b", 6243584000, "fp16", 2, 128, 0, 0},
        {"glm-4-9b-chat", 9399951360, "bf16", 2, 128, 0, 0},
        {"falcon-7b-instruct", 6921720704, "bf16", 1, 64, 0, 0},
        {"gpt2", 124439808, "bf16", 12, 64, 0, 0},
        /* by hand: two tables 51200 x 2560 and a bias of 51200; 32 x (4 x 2560^2 + 2 x 2560 x 10240
         * + biases 4 x 2560 + 10240 + 2560 + norm 5120); norm 5120 */
        {"phi-2-msft", 2779683840, "fp16", 32, 80, 0, 0},
        /* by hand: tables 49280 x 2048 and 2048 x 2048; 24 x (q, o 2 x 2048^2; k, v 2 x 2048 x 128;
         * FFN 2 x 2048 x 8192; biases 2048 + 256 + 2048 + 8192 + 2048; norms 8192); norm 4096 */
        {"gpt_bigcode-1b",
         51328ULL * 2048 + 24ULL * (8388608 + 524288 + 33554432 + 14592 + 8192) + 4096, "bf16", 1,
         128, 0, 0},
        /* one layer, by hand: 12 x 2048^2 and 13 x 2048 of biases and norms ... */
        {"bloom-trimmed", 250880ULL * 2048 + 12 * 4194304ULL + 13 * 2048 + 2 * 4096, "bf16", 16,
         128, 0, 0},
        {"opt-1.3b-trimmed", (50272ULL + 2050) * 2048 + 12 * 4194304ULL + 13 * 2048 + 4096, "fp16",
         16, 128, 0, 0},
        /* ... MPT has no biases at all */
        {"mpt-trimmed", 50432ULL * 2048 + 12 * 4194304ULL + 3 * 2048, "bf16", 16, 128, 0, 0},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct model *model;
        struct error error = {0};
        char path[200];
        snprintf(path, sizeof path, "tests/data/hf_configs/%s.json", files[i].name);
        if (!model_read_file(path, *state, &model, &error))
            fail_msg("%s:%d: %s", path, error.line, error.message);
        if (model_count(model).total != files[i].total)
            fail_msg("%s: %llu", path, (unsigned long long)model_count(model).total);
        assert_string_equal(model->native_dtype, files[i].dtype);
        assert_int_equal(model->kv_heads, files[i].kv_heads);
        assert_int_equal(model->head_dim, files[i].head_dim);
        assert_int_equal(model->attention.local_layers, files[i].local_layers);
        assert_int_equal(model->attention.window, files[i].window);
    }
}

/* The sizes of other models' files, cut down to the keys that count; the totals are those of
 * data/models.yaml, where their sources stand. */
static void every_family_gives_the_count_of_one_of_its_models(void **state)
{
    static const struct {
        const char *json;
        uint64_t total;
    } cases[] = {
        /* gpt-j-6b */
        {"{\"model_type\": \"gptj\", \"n_embd\": 4096, \"n_head\": 16, \"n_layer\": 28, "
         "\"n_positions\": 2048, \"n_inner\": null, \"vocab_size\": 50400, "
         "\"tie_word_embeddings\": false}",
         6050882784},
        /* gpt-neox-20b */
        {"{\"model_type\": \"gpt_neox\", \"hidden_size\": 6144, \"num_hidden_layers\": 44, "
         "\"num_attention_heads\": 64, \"vocab_size\": 50432, "
         "\"max_position_embeddings\": 2048, \"intermediate_size\": 24576, "
         "\"tie_word_embeddings\": false}",
         20554567680},
        /* starcoder2-3b */
        {"{\"model_type\": \"starcoder2\", \"hidden_size\": 3072, "
         "\"num_hidden_layers\": 30, \"num_attention_heads\": 24, \"vocab_size\": 49152, "
         "\"max_position_embeddings\": 16384, \"num_key_value_heads\": 2, "
         "\"intermediate_size\": 12288, \"use_bias\": true}",
         3030371328},
        /* baichuan2-7b */
        {"{\"model_type\": \"baichuan\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
         "\"num_attention_heads\": 32, \"vocab_size\": 125696, "
         "\"max_position_embeddings\": 4096, \"intermediate_size\": 11008, "
         "\"tie_word_embeddings\": false}",
         7505973248},
        /* internlm2-7b */
        {"{\"model_type\": \"internlm2\", \"hidden_size\": 4096, \"num_hidden_layers\": 32, "
         "\"num_attention_heads\": 32, \"vocab_size\": 92544, "
         "\"max_position_embeddings\": 32768, \"num_key_value_heads\": 8, "
         "\"intermediate_size\": 14336, \"tie_word_embeddings\": false, \"bias\": false}",
         7737708544},
        /* phi-3-mini-4k */
        {"{\"model_type\": \"phi3\", \"hidden_size\": 3072, \"num_hidden_layers\": 32, "
         "\"num_attention_heads\": 32, \"vocab_size\": 32064, "
         "\"max_position_embeddings\": 4096, \"intermediate_size\": 8192, "
         "\"tie_word_embeddings\": false}",
         3821079552},
        /* falcon-40b */
        {"{\"model_type\": \"falcon\", \"hidden_size\": 8192, \"num_hidden_layers\": 60, "
         "\"num_attention_heads\": 128, \"vocab_size\": 65024, "
         "\"max_position_embeddings\": 2048, \"new_decoder_architecture\": true, "
         "\"multi_query\": true, \"bias\": false, \"num_kv_heads\": 8}",
         41303293952},
        /* llama-4-scout-17b-16e */
        {"{\"model_type\": \"llama4_text\", \"hidden_size\": 5120, "
         "\"num_hidden_layers\": 48, \"num_attention_heads\": 40, \"vocab_size\": 202048, "
         "\"max_position_embeddings\": 10485760, \"num_key_value_heads\": 8, "
         "\"intermediate_size\": 8192, \"num_experts_per_tok\": 1, "
         "\"tie_word_embeddings\": false, \"num_local_experts\": 16, "
         "\"intermediate_size_mlp\": 16384, \"interleave_moe_layer_step\": 1, "
         "\"attention_chunk_size\": 8192}",
         107769861120},
        /* llama-4-maverick-17b-128e */
        {"{\"model_type\": \"llama4_text\", \"hidden_size\": 5120, "
         "\"num_hidden_layers\": 48, \"num_attention_heads\": 40, \"vocab_size\": 202048, "
         "\"max_position_embeddings\": 1048576, \"num_key_value_heads\": 8, "
         "\"intermediate_size\": 8192, \"num_experts_per_tok\": 1, "
         "\"tie_word_embeddings\": false, \"num_local_experts\": 128, "
         "\"intermediate_size_mlp\": 16384, \"interleave_moe_layer_step\": 2, "
         "\"attention_chunk_size\": 8192}",
         400711848960},
        /* qwen3-next-80b-a3b */
        {"{\"model_type\": \"qwen3_next\", \"hidden_size\": 2048, "
         "\"num_hidden_layers\": 48, \"num_attention_heads\": 16, \"vocab_size\": 151936, "
         "\"max_position_embeddings\": 262144, \"num_key_value_heads\": 2, "
         "\"head_dim\": 256, \"intermediate_size\": 5120, \"num_experts\": 512, "
         "\"num_experts_per_tok\": 10, \"moe_intermediate_size\": 512, "
         "\"shared_expert_intermediate_size\": 512, \"linear_num_key_heads\": 16, "
         "\"linear_num_value_heads\": 32, \"linear_key_head_dim\": 128, "
         "\"linear_value_head_dim\": 128, \"linear_conv_kernel_dim\": 4, "
         "\"full_attention_interval\": 4, \"tie_word_embeddings\": false}",
         79674391296},
        /* qwen3.5-27b */
        {"{\"model_type\": \"qwen3_5_text\", \"hidden_size\": 5120, "
         "\"num_hidden_layers\": 64, \"num_attention_heads\": 24, \"vocab_size\": 248320, "
         "\"max_position_embeddings\": 262144, \"num_key_value_heads\": 4, "
         "\"head_dim\": 256, \"intermediate_size\": 17408, \"linear_num_key_heads\": 16, "
         "\"linear_num_value_heads\": 48, \"linear_key_head_dim\": 128, "
         "\"linear_value_head_dim\": 128, \"linear_conv_kernel_dim\": 4, "
         "\"full_attention_interval\": 4, \"tie_word_embeddings\": false}",
         26895998464},
        /* glm-4.5 */
        {"{\"model_type\": \"glm4_moe\", \"hidden_size\": 5120, \"num_hidden_layers\": 92, "
         "\"num_attention_heads\": 96, \"vocab_size\": 151552, "
         "\"max_position_embeddings\": 131072, \"num_key_value_heads\": 8, "
         "\"head_dim\": 128, \"intermediate_size\": 12288, \"num_experts\": 160, "
         "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 1536, "
         "\"n_shared_experts\": 1, \"first_k_dense_replace\": 3, "
         "\"tie_word_embeddings\": false, \"attention_bias\": true, \"use_qk_norm\": true}",
         352797829024},
        /* glm-4.5-air */
        {"{\"model_type\": \"glm4_moe\", \"hidden_size\": 4096, \"num_hidden_layers\": 46, "
         "\"num_attention_heads\": 96, \"vocab_size\": 151552, "
         "\"max_position_embeddings\": 131072, \"num_key_value_heads\": 8, "
         "\"head_dim\": 128, \"intermediate_size\": 10944, \"num_experts\": 128, "
         "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 1408, "
         "\"n_shared_experts\": 1, \"first_k_dense_replace\": 1, "
         "\"tie_word_embeddings\": false, \"attention_bias\": true, \"use_qk_norm\": false}",
         106852251264},
        /* minimax-m2 */
        {"{\"model_type\": \"minimax_m2\", \"hidden_size\": 3072, "
         "\"num_hidden_layers\": 62, \"num_attention_heads\": 48, \"vocab_size\": 200064, "
         "\"max_position_embeddings\": 196608, \"num_key_value_heads\": 8, "
         "\"head_dim\": 128, \"intermediate_size\": 1536, \"num_experts_per_tok\": 8, "
         "\"tie_word_embeddings\": false, \"num_local_experts\": 256, \"use_qk_norm\": true}",
         228689764864},
        /* deepseek-v2-lite */
        {"{\"model_type\": \"deepseek_v2\", \"hidden_size\": 2048, "
         "\"num_hidden_layers\": 27, \"num_attention_heads\": 16, \"vocab_size\": 102400, "
         "\"max_position_embeddings\": 163840, \"q_lora_rank\": null, "
         "\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
         "\"v_head_dim\": 128, \"intermediate_size\": 10944, \"n_routed_experts\": 64, "
         "\"num_experts_per_tok\": 6, \"moe_intermediate_size\": 1408, "
         "\"n_shared_experts\": 2, \"first_k_dense_replace\": 1, "
         "\"tie_word_embeddings\": false}",
         15706484224},
        /* deepseek-v3.2 */
        {"{\"model_type\": \"deepseek_v32\", \"hidden_size\": 7168, "
         "\"num_hidden_layers\": 61, \"num_attention_heads\": 128, \"vocab_size\": 129280, "
         "\"max_position_embeddings\": 163840, \"q_lora_rank\": 1536, "
         "\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
         "\"v_head_dim\": 128, \"index_n_heads\": 64, \"index_head_dim\": 128, "
         "\"intermediate_size\": 18432, \"n_routed_experts\": 256, "
         "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 2048, "
         "\"n_shared_experts\": 1, \"first_k_dense_replace\": 3, "
         "\"tie_word_embeddings\": false}",
         671877944064},
        /* kimi-k2 */
        {"{\"model_type\": \"kimi_k2\", \"hidden_size\": 7168, \"num_hidden_layers\": 61, "
         "\"num_attention_heads\": 64, \"vocab_size\": 163840, "
         "\"max_position_embeddings\": 131072, \"q_lora_rank\": 1536, "
         "\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 128, \"qk_rope_head_dim\": 64, "
         "\"v_head_dim\": 128, \"intermediate_size\": 18432, \"n_routed_experts\": 384, "
         "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 2048, "
         "\"n_shared_experts\": 1, \"first_k_dense_replace\": 1, "
         "\"tie_word_embeddings\": false}",
         1026408232448},
        /* glm-5 */
        {"{\"model_type\": \"glm_moe_dsa\", \"hidden_size\": 6144, "
         "\"num_hidden_layers\": 78, \"num_attention_heads\": 64, \"vocab_size\": 154880, "
         "\"max_position_embeddings\": 202752, \"q_lora_rank\": 2048, "
         "\"kv_lora_rank\": 512, \"qk_nope_head_dim\": 192, \"qk_rope_head_dim\": 64, "
         "\"v_head_dim\": 256, \"index_n_heads\": 32, \"index_head_dim\": 128, "
         "\"intermediate_size\": 12288, \"n_routed_experts\": 256, "
         "\"num_experts_per_tok\": 8, \"moe_intermediate_size\": 2048, "
         "\"n_shared_experts\": 1, \"first_k_dense_replace\": 3, "
         "\"tie_word_embeddings\": false, \"head_dim\": 64}",
         743911218432},
        /* Gemma 7B by hand: 256000 x 3072 + 28 x (4 x 3072 x 4096 + 3 x 3072 x 24576) + 57 x 3072 */
        {"{\"model_type\": \"gemma\", \"hidden_size\": 3072, \"num_hidden_layers\": 28, "
         "\"num_attention_heads\": 16, \"num_key_value_heads\": 16, \"head_dim\": 256, "
         "\"intermediate_size\": 24576, \"vocab_size\": 256000}",
         8537680896},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct error error;
        if (!read_config(*state, cases[i].json, &model, &error))
            fail_msg("%s: %s", cases[i].json, error.message);
        if (model_count(&model).total != cases[i].total)
            fail_msg("%s: counted %llu", cases[i].json,
                     (unsigned long long)model_count(&model).total);
    }
}

static void what_a_configuration_lacks_is_named(void **state)
{
    static const struct {
        const char *name, *part;
        int line;
    } files[] = {
        {"phi-3-mini-4k", "vocab_size", 1},
        {"deepseek-v4-flash", "model_type 'deepseek_v4'", 21},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct model *model;
        struct error error = {0};
        char path[200];
        snprintf(path, sizeof path, "tests/data/hf_configs/%s.json", files[i].name);
        assert_false(model_read_file(path, *state, &model, &error));
        assert_non_null(strstr(error.message, files[i].part));
        assert_int_equal(error.line, files[i].line);
    }
}

#define LLAMA "\"hidden_size\": 64, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, " \
              "\"intermediate_size\": 96, \"vocab_size\": 100"

static void traps_are_errors_that_name_the_key(void **state)
{
    static const struct {
        const char *json, *part;
    } cases[] = {
        {"{" LLAMA "}", "model_type"},
        {"{\"model_type\": \"nemotron-nas\", " LLAMA "}", "nemotron-nas"},
        {"{\"model_type\": \"llama\", \"block_configs\": [{\"a\": 1}], " LLAMA "}",
         "block_configs"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": null, " LLAMA "}",
         "num_key_value_heads"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": [4, 4, 2, 2], " LLAMA "}",
         "num_key_value_heads"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": 3, " LLAMA "}", "multiple"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": 0, " LLAMA "}", "num_key_value_heads"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": -1, " LLAMA "}", "num_key_value_heads"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": 2.5, " LLAMA "}", "whole number"},
        {"{\"model_type\": \"llama\", \"num_local_experts\": 8, " LLAMA "}", "num_local_experts"},
        {"{\"model_type\": \"llama\", \"kv_lora_rank\": 8, " LLAMA "}", "kv_lora_rank"},
        {"{\"model_type\": \"qwen3_moe\", \"num_experts\": 8, \"num_experts_per_tok\": 2, "
         "\"moe_intermediate_size\": 8, \"mlp_only_layers\": [0], " LLAMA "}",
         "mlp_only_layers"},
        {"{\"model_type\": \"mixtral\", \"num_local_experts\": 8, " LLAMA "}",
         "num_experts_per_tok"},
        {"{\"model_type\": \"llama\", \"layer_types\": [\"full_attention\"], " LLAMA "}",
         "layer_types"},
        {"{\"model_type\": \"llama\", \"layer_types\": [\"full_attention\", \"mamba\", \"mamba\", "
         "\"mamba\"], " LLAMA "}",
         "mamba"},
        {"{\"model_type\": \"llama\", \"quantization_config\": {\"quant_method\": \"hqq\"}, " LLAMA
         "}",
         "quantization_config"},
        {"{\"model_type\": \"llama\", \"torch_dtype\": \"float8\", " LLAMA "}", "float8"},
        {"{\"model_type\": \"opt\", \"word_embed_proj_dim\": 32, \"ffn_dim\": 8, "
         "\"max_position_embeddings\": 9, " LLAMA "}",
         "word_embed_proj_dim"},
        {"{\"model_type\": \"llama\", \"num_hidden_layers\": 100000, \"hidden_size\": 64, "
         "\"num_attention_heads\": 4, \"intermediate_size\": 96, \"vocab_size\": 100}",
         "absurd"},
        {"[1]", "map"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct error error;
        if (read_config(*state, cases[i].json, &model, &error))
            fail_msg("%s was read", cases[i].json);
        if (!strstr(error.message, cases[i].part))
            fail_msg("%s: '%s' does not say %s", cases[i].json, error.message, cases[i].part);
        assert_true(error.line > 0);
    }
}

static void a_window_that_is_not_used_is_none(void **state)
{
    struct model model;
    struct error error;
    assert_true(read_config(*state,
                            "{\"model_type\": \"qwen2\", \"sliding_window\": 32, "
                            "\"use_sliding_window\": false, \"max_window_layers\": 2, " LLAMA "}",
                            &model, &error));
    assert_int_equal(model.attention.window, 0);
    assert_int_equal(model.attention.local_layers, 0);
    assert_true(read_config(*state,
                            "{\"model_type\": \"qwen2\", \"sliding_window\": 32, "
                            "\"use_sliding_window\": true, \"max_window_layers\": 3, " LLAMA "}",
                            &model, &error));
    assert_int_equal(model.attention.window, 32);
    assert_int_equal(model.attention.local_layers, 1); /* only layers from max_window_layers on */
}

static void yarn_lengthens_a_context_that_is_still_the_original(void **state)
{
    struct model model;
    struct error error;
    assert_true(read_config(*state,
                            "{\"model_type\": \"qwen2\", \"max_position_embeddings\": 32768, "
                            "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4.0, "
                            "\"original_max_position_embeddings\": 32768}, " LLAMA "}",
                            &model, &error));
    assert_int_equal(model.max_context, 131072);
    assert_true(read_config(*state,
                            "{\"model_type\": \"llama\", \"max_position_embeddings\": 131072, "
                            "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, "
                            "\"original_max_position_embeddings\": 8192}, " LLAMA "}",
                            &model, &error));
    assert_int_equal(model.max_context, 131072); /* already scaled */
}

static void the_stored_form_is_a_weight_format(void **state)
{
    static const struct {
        const char *quantization, *format; /* NULL: refused */
        bool experts;
    } cases[] = {
        {"'quant_method': 'gptq', 'bits': 4, 'group_size': 128", "gptq-int4", false},
        {"'quant_method': 'gptq', 'bits': 4, 'group_size': 32", NULL, false}, /* larger */
        {"'quant_method': 'gptq', 'bits': 8", "gptq-int8", false},
        {"'quant_method': 'gptq', 'bits': 3", NULL, false},
        {"'quant_method': 'awq', 'bits': 4", "awq-int4", false},
        {"'quant_method': 'fp8', 'weight_block_size': [128, 128]", "fp8", false},
        {"'quant_method': 'bitsandbytes', 'load_in_4bit': true", "nf4", false},
        {"'quant_method': 'bitsandbytes', 'load_in_4bit': true, 'bnb_4bit_use_double_quant': true",
         "nf4-dq", false},
        {"'quant_method': 'bitsandbytes', 'load_in_8bit': true", "int8", false},
        {"'quant_method': 'mxfp4'", "mxfp4", true}, /* gpt-oss: the experts alone */
        {"'quant_method': 'mxfp4'", NULL, false},
        {"'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'weights': "
         "{'num_bits': 4, 'type': 'int', 'group_size': 32}}}",
         "int4-g32", true}, /* Kimi-K2.5 */
        {"'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'weights': "
         "{'num_bits': 4, 'type': 'int', 'group_size': 32}}}",
         NULL, false},
        {"'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'weights': "
         "{'num_bits': 4, 'type': 'int', 'group_size': 128}}}",
         "gptq-int4", false},
        {"'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'weights': "
         "{'num_bits': 8, 'type': 'float'}}}",
         "fp8", false},
        {"'quant_method': 'hqq'", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model;
        struct error error;
        char json[700];
        snprintf(json, sizeof json,
                 "{'model_type': '%s', 'torch_dtype': 'float16', 'quantization_config': {%s}, "
                 "'hidden_size': 64, 'num_hidden_layers': 4, 'num_attention_heads': 4, "
                 "'intermediate_size': 96, 'vocab_size': 100%s}",
                 cases[i].experts ? "mixtral" : "llama", cases[i].quantization,
                 cases[i].experts ? ", 'num_local_experts': 8, 'num_experts_per_tok': 2" : "");
        bool good = read_config(*state, json, &model, &error);
        if (good != (cases[i].format != NULL))
            fail_msg("%s: %s", json, error.message);
        if (good)
            assert_string_equal(model.native_dtype, cases[i].format);
        else
            assert_non_null(strstr(error.message, "quantization_config"));
    }
}

/* ---- .gguf, written here byte by byte -------------------------------------------------------- */

struct gguf {
    unsigned char bytes[16384];
    size_t length;
    int version;
};

static void put(struct gguf *file, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        file->bytes[file->length++] = (unsigned char)(value >> 8 * i);
}

static void put_length(struct gguf *file, uint64_t value)
{
    put(file, value, file->version == 1 ? 4 : 8);
}

static void put_text(struct gguf *file, const char *text)
{
    put_length(file, strlen(text));
    memcpy(file->bytes + file->length, text, strlen(text));
    file->length += strlen(text);
}

static void put_u32(struct gguf *file, const char *key, unsigned value)
{
    put_text(file, key);
    put(file, 4, 4); /* type uint32 */
    put(file, value, 4);
}

static void put_string(struct gguf *file, const char *key, const char *value)
{
    put_text(file, key);
    put(file, 8, 4); /* type string */
    put_text(file, value);
}

static void put_tensor(struct gguf *file, const char *name, int dimensions, uint64_t a, uint64_t b,
                       unsigned type)
{
    put_text(file, name);
    put(file, (uint64_t)dimensions, 4);
    put_length(file, a);
    if (dimensions > 1)
        put_length(file, b);
    put(file, type, 4);
    put(file, 0, 8); /* offset */
}

static void start(struct gguf *file, int version, uint64_t tensors, uint64_t pairs)
{
    *file = (struct gguf){.version = version};
    memcpy(file->bytes, "GGUF", 4);
    file->length = 4;
    put(file, (uint64_t)version, 4);
    put_length(file, tensors);
    put_length(file, pairs);
}

/* One layer of a Qwen2: width 256, 4 heads, 2 for K and V, FFN 512, 1000 tokens; Q4_K and F32. */
static void small_qwen(struct gguf *file, int version)
{
    start(file, version, 14, 9);
    put_string(file, "general.architecture", "qwen2");
    put_u32(file, "general.file_type", 15);
    put_u32(file, "qwen2.block_count", 1);
    put_u32(file, "qwen2.embedding_length", 256);
    put_u32(file, "qwen2.feed_forward_length", 512);
    put_u32(file, "qwen2.attention.head_count", 4);
    put_text(file, "qwen2.attention.head_count_kv"); /* one per layer */
    put(file, 9, 4);
    put(file, 5, 4);
    put_length(file, 1);
    put(file, 2, 4);
    put_u32(file, "qwen2.context_length", 4096);
    put_text(file, "tokenizer.ggml.tokens");
    put(file, 9, 4);
    put(file, 8, 4);
    put_length(file, 2);
    put_text(file, "a");
    put_text(file, "bc");
    put_tensor(file, "token_embd.weight", 2, 256, 1000, 12);
    put_tensor(file, "output_norm.weight", 1, 256, 0, 0);
    put_tensor(file, "blk.0.attn_norm.weight", 1, 256, 0, 0);
    put_tensor(file, "blk.0.ffn_norm.weight", 1, 256, 0, 0);
    put_tensor(file, "blk.0.attn_q.weight", 2, 256, 256, 12);
    put_tensor(file, "blk.0.attn_q.bias", 1, 256, 0, 0);
    put_tensor(file, "blk.0.attn_k.weight", 2, 256, 128, 12);
    put_tensor(file, "blk.0.attn_k.bias", 1, 128, 0, 0);
    put_tensor(file, "blk.0.attn_v.weight", 2, 256, 128, 12);
    put_tensor(file, "blk.0.attn_v.bias", 1, 128, 0, 0);
    put_tensor(file, "blk.0.attn_output.weight", 2, 256, 256, 12);
    put_tensor(file, "blk.0.ffn_gate.weight", 2, 256, 512, 12);
    put_tensor(file, "blk.0.ffn_up.weight", 2, 256, 512, 12);
    put_tensor(file, "blk.0.ffn_down.weight", 2, 512, 256, 12);
}

static bool read_gguf(struct arena *arena, const struct gguf *file, size_t length,
                      struct model *model, struct error *error)
{
    /* a block of exactly this size, so that the sanitizer sees every byte read beyond it */
    unsigned char *bytes = malloc(length > 0 ? length : 1);
    assert_non_null(bytes);
    memcpy(bytes, file->bytes, length);
    *error = (struct error){0};
    bool good = gguf_read("x.gguf", bytes, length, arena, model, error);
    free(bytes);
    return good;
}

static void a_gguf_gives_shape_count_and_bytes(void **state)
{
    for (int version = 1; version <= 3; version++) {
        struct gguf file;
        struct model model;
        struct error error;
        small_qwen(&file, version);
        if (!read_gguf(*state, &file, file.length, &model, &error))
            fail_msg("version %d: %s", version, error.message);
        assert_int_equal(model.layers, 1);
        assert_int_equal(model.kv_heads, 2);
        assert_int_equal(model.head_dim, 64);
        assert_int_equal(model.vocab_size, 1000);
        assert_int_equal(model.max_context, 4096);
        assert_true(model.tied_embeddings); /* no output.weight */
        assert_true(model.bias_qkv);
        assert_string_equal(model.native_dtype, "gguf-q4_k_m");
        uint64_t matrices = 256 * 1000 + 2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512;
        uint64_t vectors = 3 * 256 + 256 + 2 * 128;
        assert_int_equal(model.published_params, matrices + vectors);
        assert_int_equal(model_count(&model).total, matrices + vectors);
        assert_int_equal(model.file_bytes,
                         matrices / 256 * 144 + vectors * 4); /* Q4_K: 144 bytes */
    }
}

static void a_gguf_cut_anywhere_is_an_error(void **state)
{
    struct gguf file;
    struct model model;
    struct error error;
    small_qwen(&file, 3);
    for (size_t length = 0; length < file.length; length++) {
        assert_false(read_gguf(*state, &file, length, &model, &error));
        assert_true(error.message[0] != '\0');
    }
}

static void a_hostile_gguf_is_an_error(void **state)
{
    struct gguf file;
    struct model model;
    struct error error;
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 2, 1ULL << 40, 1 << 30};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        start(&file, 3, 1, huge[i]); /* more pairs than bytes */
        assert_false(read_gguf(*state, &file, file.length, &model, &error));
        start(&file, 3, huge[i], 1); /* more tensors than bytes */
        put_string(&file, "general.architecture", "llama");
        assert_false(read_gguf(*state, &file, file.length, &model, &error));
        start(&file, 3, 1, 1); /* a key longer than the file */
        put(&file, huge[i], 8);
        assert_false(read_gguf(*state, &file, file.length, &model, &error));
        start(&file, 3, 1, 1); /* an array longer than the file */
        put_text(&file, "x");
        put(&file, 9, 4);
        put(&file, 10, 4);
        put(&file, huge[i], 8);
        assert_false(read_gguf(*state, &file, file.length, &model, &error));
        start(&file, 3, 1, 1); /* a tensor of more elements than 64 bits count */
        put_string(&file, "general.architecture", "llama");
        put_tensor(&file, "t", 2, huge[i], huge[i], 0);
        assert_false(read_gguf(*state, &file, file.length, &model, &error));
    }
    start(&file, 3, 1, 1); /* arrays in arrays in arrays ... */
    put_text(&file, "x");
    put(&file, 9, 4);
    for (int i = 0; i < 1000; i++) {
        put(&file, 9, 4);
        put(&file, 1, 8);
    }
    assert_false(read_gguf(*state, &file, file.length, &model, &error));
    start(&file, 4, 1, 1);
    assert_false(read_gguf(*state, &file, file.length, &model, &error));
    assert_non_null(strstr(error.message, "versions 1 to 3"));
}

static void an_unknown_gguf_is_named(void **state)
{
    struct gguf file;
    struct model model;
    struct error error;
    start(&file, 3, 1, 1);
    put_string(&file, "general.architecture", "rwkv6");
    put_tensor(&file, "t", 1, 4, 0, 0);
    assert_false(read_gguf(*state, &file, file.length, &model, &error));
    assert_non_null(strstr(error.message, "rwkv6"));
    start(&file, 3, 1, 1);
    put_string(&file, "general.architecture", "llama");
    put_tensor(&file, "t", 1, 4, 0, 0);
    assert_false(read_gguf(*state, &file, file.length, &model, &error));
    assert_non_null(strstr(error.message, "block_count"));
}

static void every_file_type_that_is_read_is_a_format_of_the_catalog(void **state)
{
    struct catalog catalog;
    struct error error = {0};
    int read = 0;
    if (!catalog_load(NULL, &catalog, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    for (unsigned type = 0; type < 64; type++) {
        struct gguf file;
        struct model model;
        small_qwen(&file, 3);
        unsigned char *at = file.bytes; /* general.file_type is the second pair */
        while (memcmp(at, "general.file_type", 17) != 0)
            at++;
        at[17 + 4] = (unsigned char)type;
        if (!read_gguf(*state, &file, file.length, &model, &error))
            continue;
        read++;
        if (!catalog_format(&catalog, model.native_dtype))
            fail_msg("%s is no weight format", model.native_dtype);
    }
    assert_true(read >= 30);
    catalog_clear(&catalog);
}

/* ---- safetensors and folders ----------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const void *bytes, size_t length)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, length, stream), length);
    fclose(stream);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    write_file(folder, name, text, strlen(text));
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"config.json", "model.safetensors.index.json",
                                        "model.safetensors", "x.gguf"};
    char path[300];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void a_safetensors_header_gives_bytes_and_elements(void **state)
{
    static const char header[] =
        "{\"__metadata__\": {\"format\": \"pt\"}, "
        "\"a\": {\"dtype\": \"BF16\", \"shape\": [3, 5], \"data_offsets\": [0, 30]}, "
        "\"b\": {\"dtype\": \"F32\", \"shape\": [7], \"data_offsets\": [30, 58]}, "
        "\"c\": {\"dtype\": \"F8_E4M3\", \"shape\": [], \"data_offsets\": [58, 59]}}";
    unsigned char file[8 + sizeof header];
    struct weights_size size;
    struct error error = {0};
    memset(file, 0, 8);
    file[0] = (unsigned char)(sizeof header - 1);
    file[1] = (unsigned char)((sizeof header - 1) >> 8);
    memcpy(file + 8, header, sizeof header);
    if (!safetensors_read("x", file, sizeof file, *state, &size, &error))
        fail_msg("%s", error.message);
    assert_int_equal(size.elements, 15 + 7 + 1);
    assert_int_equal(size.bytes, 30 + 28 + 1);
    for (size_t length = 0; length < sizeof file - 1; length++) /* cut anywhere */
        assert_false(safetensors_read("x", file, length, *state, &size, &error));
    memset(file, 0xFF, 8); /* a header longer than any file */
    assert_false(safetensors_read("x", file, sizeof file, *state, &size, &error));
}

static void a_folder_is_searched_for_what_it_holds(void **state)
{
    char folder[] = "/tmp/gpuwiz-test-XXXXXX";
    const struct model *model;
    struct error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_false(model_read_file(folder, *state, &model, &error));
    assert_non_null(strstr(error.message, "holds no model"));

    /* an index alone knows the bytes, not the shape */
    write_text(folder, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 15231233024}}");
    assert_false(model_read_file(folder, *state, &model, &error));
    assert_non_null(strstr(error.hint, "config.json"));

    struct gguf file;
    small_qwen(&file, 3);
    write_file(folder, "x.gguf", file.bytes, file.length);
    assert_true(model_read_file(folder, *state, &model, &error));
    assert_int_equal(model->vocab_size, 1000);

    /* a configuration comes first, and the index beside it gives the bytes */
    write_text(folder, "config.json", "{\"model_type\": \"llama\", " LLAMA "}");
    assert_true(model_read_file(folder, *state, &model, &error));
    assert_int_equal(model->vocab_size, 100);
    assert_int_equal(model->file_bytes, 15231233024);
    char path[300];
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
    assert_true(model_read_file(path, *state, &model, &error));
    assert_int_equal(model->layers, 4);
    remove_folder(folder);
}

static void a_missing_file_is_an_error(void **state)
{
    static const char *const paths[] = {"/nonexistent/config.json", "/nonexistent/x.gguf",
                                        "/nonexistent/x.safetensors", "/dev/null"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct model *model;
        struct error error = {0};
        assert_false(model_read_file(paths[i], *state, &model, &error));
        assert_string_equal(error.file, paths[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, new_arena, free_arena)

TEST_MAIN(TEST(real_configurations_give_the_published_counts),
          TEST(every_family_gives_the_count_of_one_of_its_models),
          TEST(what_a_configuration_lacks_is_named), TEST(traps_are_errors_that_name_the_key),
          TEST(a_window_that_is_not_used_is_none),
          TEST(yarn_lengthens_a_context_that_is_still_the_original),
          TEST(the_stored_form_is_a_weight_format), TEST(a_gguf_gives_shape_count_and_bytes),
          TEST(a_gguf_cut_anywhere_is_an_error), TEST(a_hostile_gguf_is_an_error),
          TEST(an_unknown_gguf_is_named),
          TEST(every_file_type_that_is_read_is_a_format_of_the_catalog), TEST(a_safetensors_header_gives_bytes_and_elements),
          TEST(a_folder_is_searched_for_what_it_holds), TEST(a_missing_file_is_an_error))
