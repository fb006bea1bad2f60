/* memory_parts.h - the parts that figures of memory are put together from, in bytes on one GPU, for
 * who explains them. memory.h has the figures. */
#ifndef GPUWIZ_MEMORY_PARTS_H
#define GPUWIZ_MEMORY_PARTS_H

#include "engine/activations.h"
#include "engine/memory.h"
#include "engine/model_states.h"
#include "engine/serving.h"

/* All that the phases of one pipeline stage of training are made of. */
struct train_stage {
    struct model_states states;
    struct activations activations;
    double gathered; /* layers, embedding and head that ZeRO-3 or an offload has in use */
    double dequantised;
    double bucket, step_bucket;
    double context, slack;
    double host_fixed;           /* RAM of a machine that its processes take, */
    double host_load, host_save; /* and the worse of these on top */
};
struct train_stage train_stage_of(const struct job *job, const struct hardware *hardware,
                                  const struct layout *layout, const struct constants *constants,
                                  int index);

/* Engines start with generous limits. Who is short of memory turns them down: no more sequence
 * slots than sequences, short chunks of prompts, no CUDA graphs, the whole card (vLLM:
 * max_num_seqs, max_num_batched_tokens, enforce_eager, gpu_memory_utilization). */
enum limits { LIMITS_DEFAULT, LIMITS_LOW };

/* What a served model needs, at the limits that it starts with. */
struct serving_parts {
    struct serving_weights weights;
    double kv;       /* of the sequences asked for, at the length they may reach */
    double sequence; /* cache of one sequence of `context`: the least an engine starts with */
    double held;     /* cache planned for each sequence in flight */
    double held_tokens;
    double prefill;  /* live activations of a prefill */
    double sampler;  /* logits and what sampling sorts */
    double graphs;
    double runtime;   /* CUDA context, communicators */
    double slack;     /* blocks the allocator cannot use again */
    double sequences; /* in flight on one replica */
    double prompt_tokens,
        token_elements; /* of `prefill`: tokens at a time, 16-bit elements of each */
    enum limits limits;
    double share;         /* of the card, or of what is free, that the engine takes */
    double pool;          /* left for cache */
    double least, enough; /* total with low limits; of a card on which it starts at its defaults */
};
struct serving_parts serving_parts(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct constants *constants);

/* Takes all components besides model states, and the copies of them, times `ratio`. */
void memory_scale_besides_states(struct memory *memory, double ratio);

#endif
