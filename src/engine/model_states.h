/* model_states.h - what training keeps for every parameter: weights, adapter, gradients, optimizer
 * states, as bytes on one GPU of one pipeline stage. */
#ifndef GPUWIZ_MODEL_STATES_H
#define GPUWIZ_MODEL_STATES_H

#include "engine/constants.h"
#include "engine/job.h"

/* Parameters that one GPU of a pipeline stage is responsible for before ZeRO splits them further.
 */
struct stage_params {
    double sharded;    /* split over tp: attention and dense FFN matrices, embedding, head */
    double experts;    /* split over the expert group */
    double replicated; /* whole on every rank of a tensor group: norms, biases, router */
    double ends;       /* of `sharded`: embedding and head */
    double total;      /* of all three */
};

/* The stage `stage` of layout->pp: 1/pp of the layers; the first has the embedding, the last the
 * head (a tied head is a second copy there). Megatron-LM, theoretical_memory_usage.py. */
struct stage_params stage_params(const struct job *job, const struct layout *layout, int stage);

/* Over how many ranks routed experts are split: the expert group, or the tensor group without one.
 */
int expert_shards(const struct layout *layout);

struct model_states {
    double weights, adapter, gradients, optimizer; /* bytes on this GPU */
    double
        replicated[4]; /* of each, in that order: what every data-parallel rank holds a copy of */
    double step_extra; /* bytes only the optimizer step needs (a copy of the weights, ...) */
    double host_optimizer; /* bytes of this rank that live in host memory instead */
    double host_weights;
    double trainable; /* parameters trained on this GPU before ZeRO */
};

/* Parameters of the largest tensor of a stage: embedding, head or an FFN matrix. */
double largest_tensor(const struct job *job, const struct layout *layout);

struct model_states model_states(const struct job *job, const struct layout *layout,
                                 const struct constants *constants, int stage);

/* Bytes of one parameter that is trained, by precision and optimizer: the table at its definition.
 */
struct parameter_bytes {
    double weights, gradients, master, states;
};
struct parameter_bytes parameter_bytes(enum precision precision, enum optimizer optimizer,
                                       double gradient_bytes);

/* GPTQ in any width. */
bool is_gptq(const struct weight_format *format);

/* Bytes per parameter of a quantised block matrix, scales included, or of a plain one. */
double stored_bytes_per_weight(const struct weight_format *format);

#endif
