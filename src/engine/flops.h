/* flops.h - what one token of a model costs to train, in products and in traffic. */
#ifndef GPUWIZ_FLOPS_H
#define GPUWIZ_FLOPS_H

#include "engine/job.h"

/* Layers may differ (dense and expert, full and sliding): these are averages over all of them. */
struct shape {
    double layers;
    double dense_weights;   /* matrix elements of an average layer that every token meets */
    double expert_weights;  /* those of the routed experts a token meets */
    double adapter_weights; /* of LoRA */
    double head_weights;    /* of the output head */
    double width; /* elementwise work: (4 h + 1 or 1.5 f) / 8, so that width = h at f = 4 h */
    double routed_width; /* hidden elements handed to experts: top_k * h on MoE layers */
    double moe_layers;
    double
        score_flops; /* attention forward of a token in all layers, what a causal kernel executes */
    double score_elements; /* attention scores of a token in all layers, heads * s */
    double kv_width;       /* K and V elements of an average layer */
};

struct shape flops_shape(const struct job *job);

/* FLOPs of one trained token in the convention of the literature: 6 per parameter a token is
 * multiplied with (4 under LoRA, whose frozen matrices have no gradient of their own) and
 * 12 * layers * hidden_size * sequence for attention, causal or not. It is what the `mfu` and
 * `tflops_per_gpu` of struct speed count. */
double flops_model(const struct job *job);

#endif
