/* model.h - the shape of a language model: what the preset file, a config.json, a .gguf, a
 * safetensors index or an inline `architecture` map says. All lengths in elements. */
#ifndef GPUWIZ_MODEL_H
#define GPUWIZ_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum attention_kind { ATTENTION_MHA, ATTENTION_GQA, ATTENTION_MQA, ATTENTION_MLA, ATTENTION_HYBRID };
enum linear_kind { LINEAR_NONE, LINEAR_GATED_DELTANET, LINEAR_LIGHTNING };
enum norm_kind { NORM_RMS, NORM_LAYER };
enum qk_norm_kind { QK_NORM_NONE, QK_NORM_HEAD, QK_NORM_FULL };
enum position_kind { POSITION_ROPE, POSITION_LEARNED, POSITION_ALIBI, POSITION_NONE };

struct model {
    const char *id;      /* preset id, or the file name it was read from */
    const char *hf_id, *family, *licence, *released, *source, *note; /* "" when unknown */
    const char *params_source; /* of stated_params */
    bool listed;         /* among the presets shown first */

    int layers, hidden_size, heads, kv_heads, head_dim, ffn_size, vocab_size;
    bool ffn_gated;      /* three matrices (SwiGLU, GeGLU) instead of two */
    bool tied_embeddings;
    int max_context;
    enum position_kind position;
    int extra_positions; /* rows of a learned position table beyond max_context (OPT: 2) */
    enum norm_kind norm;
    int norms_per_layer;
    enum qk_norm_kind qk_norm;
    bool bias_qkv, bias_o, bias_mlp, bias_head, bias_router;

    struct {
        enum attention_kind kind;
        /* MLA (kv_lora_rank > 0) */
        int q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim;
        int index_heads, index_head_dim; /* sparse indexer; 0 = none */
        /* sliding window: `local_layers` of the layers hold at most `window` tokens */
        int window, local_layers;
        int chunk;            /* chunked attention of Llama 4: local layers see one chunk */
        int global_head_dim, global_kv_heads; /* global layers, where they differ; 0 = same */
        bool global_k_eq_v;
        bool sinks;
        /* hybrid: every `full_attention_every`-th layer is full attention, the others linear */
        enum linear_kind linear;
        int full_attention_every;
        int linear_key_heads, linear_value_heads, linear_key_dim, linear_value_dim, linear_conv;
        bool output_gate;
    } attention;

    struct {
        int experts;          /* 0 = dense */
        int top_k, ffn_size;  /* of one routed expert */
        int shared_ffn_size;  /* width of all shared experts together; 0 = none */
        int every;            /* every n-th layer is MoE (1 = all) */
        int first_dense;      /* dense layers in front */
        bool shared_gate, correction_bias, expert_bias;
        bool dense_parallel;  /* Gemma 4: a dense FFN beside the experts in every layer, and a
                                 router with a scale per channel and per expert */
    } moe;

    bool embedding_layernorm; /* BLOOM */

    /* Counted by the stated total but no unique parameter of the language model. */
    struct {
        uint64_t vision;       /* parameters of the vision tower and projector */
        uint64_t mtp;          /* layers that predict further tokens */
        uint64_t masks;        /* causal masks and rotary frequencies stored as tensors */
        uint64_t scales;       /* of quantised weights */
        uint64_t duplicated_head; /* a tied head stored once more */
    } extra;

    const char *native_dtype; /* "bf16", "fp8", ... : a weight-format id */
    uint64_t stated_params;   /* what the named source says; 0 = not stated */
    bool stated_exact;        /* the source's total is exact, not nominal or recalled */
    uint64_t stated_active_params; /* of a mixture, as its card rounds it; 0 = not stated */
    uint64_t published_params;/* exact number of unique parameters of the text model, 0 = unknown */
    uint64_t file_bytes;      /* exact bytes of the weights when read from a file; 0 = not known */
    double nominal_params;    /* only a size was given (params_b): the shape is made up by rule */
};

#endif
