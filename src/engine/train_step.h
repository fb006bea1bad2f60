/* train_step.h - what the time of a training step is made of, for who explains it; speed.h has the
 * figures. FLOPs, bytes, seconds. */
#ifndef GPUWIZ_TRAIN_STEP_H
#define GPUWIZ_TRAIN_STEP_H

#include "engine/flops.h"
#include "engine/speed.h"

/* Everything the parts below need, worked out once for a layout. */
struct train_step {
    const struct job *job;
    const struct hardware *hardware;
    const struct layout *layout;
    const struct constants *constants;
    const struct stack_constants *stack;
    const struct global_constants *global;
    struct shape shape;
    double tokens;           /* of a micro-batch on one GPU */
    double layers;           /* of a pipeline stage */
    double repeated;         /* share of the matrix products that recomputation repeats */
    double element_bytes;    /* of an activation, a gathered weight or a gradient that is sent */
    double weight_gradients; /* 1, or 0 where the matrices are frozen */
    double passes;           /* forward, activation gradient, weight gradient, recomputation */
    double peak;             /* 16-bit (or fp32) FLOP/s */
    double gemm;             /* FLOP/s achieved in 16-bit matrix products */
    double layer_gemm;       /* the same in the layers, which may run in fp8 */
    double memory;           /* bytes per second achieved in elementwise kernels */
    double link;             /* bytes per second of a tensor-parallel neighbour */
    bool sequence_parallel;
    bool compiled;
};
struct train_step train_step_begin(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct constants *constants);

/* Figures on the way to the terms. */
struct train_notes {
    /* of one micro-batch */
    double device_s;      /* matrix products, attention and elementwise work on the GPU */
    double host_s;        /* Python and launches, were there nothing else */
    double busy_s;        /* the two together */
    double dequant_s;     /* bringing weights back to 16 bits, were nothing hidden */
    double micro_batch_s; /* all of it */
    /* of a step */
    double sent_bytes;                 /* payload of the data-parallel collectives of one GPU */
    double sent_s;                     /* their time, were nothing hidden */
    double collectives, collectives_s; /* how many, and their latency between machines */
    double before_s;                   /* a step before machines wait for each other */
    double slower;                     /* share that waiting adds */
    double stepped_params;             /* that one GPU updates, and bytes moved for each */
    double step_bytes;
};
void train_terms(const struct train_step *step, double terms[TERM_COUNT],
                 struct train_notes *notes);

#endif
