/* activations.h - what the forward pass of training keeps for the backward pass, as bytes on one
 * GPU of a pipeline stage, and the logits at its end. */
#ifndef GPUWIZ_ACTIVATIONS_H
#define GPUWIZ_ACTIVATIONS_H

#include "engine/constants.h"
#include "engine/job.h"

/* Activations of one layer and one token without tensor parallelism, in bytes. `whole` is what
 * every rank of a tensor group holds unless sequence parallelism splits it; `split` is divided by
 * tp. */
struct layer_activations {
    double whole, split;
    double scores; /* attention scores, per token, when they are materialised; divided by tp */
};

/* The average layer of the model: see the table at its definition. `flash` = scores are never kept.
 */
struct layer_activations layer_activations(const struct job *job, const struct constants *constants,
                                           bool flash, double seq_len);

struct activations {
    double saved;          /* kept between forward and backward by all micro-batches in flight */
    double saved_copies;   /* of `saved`: what a tensor group holds more than once */
    double live;           /* of the layer that is being recomputed and differentiated */
    double logits;         /* of one micro-batch; 0 on all but the last stage */
    double logits_longest; /* the same when every sample reaches the cap */
    double head_input;     /* of the head, where a tensor group gathers it beside the logits */

    /* what these are made of */
    double tokens;       /* of one micro-batch on one GPU */
    double layer_tokens; /* tokens x layers x micro-batches in flight whose activations are kept */
    double layer_bytes;  /* of one token and layer while it is worked on, on this GPU */
    double kept_bytes;   /* the part of it that is kept */
    double loss_bytes;   /* of one token and vocabulary entry */
};

struct activations activations(const struct job *job, const struct hardware *hardware,
                               const struct layout *layout, const struct constants *constants,
                               int stage);

/* True when the attention kernel of this layout and card keeps no scores: FlashAttention needs
 * Ampere (Dao-AILab/flash-attention, README). */
bool keeps_no_scores(const struct hardware *hardware, const struct layout *layout);

#endif
