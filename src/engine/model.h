/* model.h - parameter counts from shapes (exact integers), adapters, cache bytes per token. */
#ifndef GPUWIZ_ENGINE_MODEL_H
#define GPUWIZ_ENGINE_MODEL_H

#include <stdint.h>
#include "base/arena.h"
#include "data/model.h"

/* Parameters by what happens to them. Each is the total over all layers, in elements. `total` is
 * the sum of the parts: unique parameters, a tied head counted once. */
struct param_counts {
    uint64_t embedding;     /* input table (and learned positions) */
    uint64_t head;          /* 0 when tied */
    uint64_t attention;     /* matrices of attention blocks, linear-attention layers included */
    uint64_t dense_ffn;     /* dense FFN matrices and shared experts */
    uint64_t experts;       /* all routed experts */
    uint64_t router;
    uint64_t norms_biases;  /* everything that is not a matrix */
    uint64_t total;
    uint64_t active;        /* used by one token: top_k of the routed experts; embeddings included */
    uint64_t matmul_active; /* what a token is multiplied with: active less input embedding, norms
                               and biases; the head counted even when tied */
    uint64_t quantisable;   /* block matrices a 4/8-bit format touches (no embedding, head, norm,
                               router) */
};

struct param_counts model_count(const struct model *model);

/* Layers with routed experts, and layers with a dense FFN: some models have both in one layer. */
int model_moe_layers(const struct model *model);
int model_dense_layers(const struct model *model);

/* Trainable parameters of adapters of rank r: sum over layers and targets of r * (in + out). Routed
 * experts get one each when the targets include FFN modules (as PEFT does). Head and
 * embedding get one like any other matrix; trained in full beside adapters they are not counted. */
uint64_t model_lora_params(const struct model *model, unsigned targets, int rank);

/* A dense decoder of about `params_b` billion parameters: published shapes are interpolated by the
 * rule documented at the definition. */
struct model model_from_params(double params_b);

/* Layer classes that differ in what they cache. */
struct kv_layers {
    int full;         /* grow with the context */
    int local;        /* hold at most `window` tokens */
    int linear;       /* fixed state */
    int window;
    double full_elements;  /* cache elements per token of one full layer (K and V, or the latent) */
    double local_elements;
    double linear_state_bytes; /* of one linear layer, one sequence */
    bool mla;         /* the latent is one for all heads: never divided by tp */
    int kv_heads;     /* how far tp can split the full layers' cache; 1 when mla */
};
struct kv_layers model_kv_layers(const struct model *model);

/* Bytes that one sequence of `tokens` holds on one GPU of a tensor-parallel group of `tp`; heads
 * replicate when tp exceeds them. `element_bytes` as the cache format stores them. */
double model_kv_bytes(const struct model *model, double tokens, double element_bytes, int tp);

#endif
