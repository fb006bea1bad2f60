/* constants.h - the numbers of the engine that were measured or fitted and not derived, by stack,
 * by serving engine and by GPU generation. They live in data/engine.yaml with the cases that
 * support each, so that a user can correct them and `make fit` can refit them. */
#ifndef GPUWIZ_CONSTANTS_H
#define GPUWIZ_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/error.h"
#include "data/catalog.h"
#include "data/scenario.h"

/* Training memory and speed, by enum stack. */
struct stack_constants {
    double slack;             /* allocator slack, share of the allocated peak */
    double logit_bytes;       /* kappa: bytes per token and vocabulary entry without a fused loss */
    double overlap;           /* share of data-parallel traffic hidden behind compute */
    double tp_overlap;        /* share of tensor-parallel traffic hidden */
    double host_s_per_layer;  /* Python and launch floor, one forward + backward of one layer */
    double attention_hopper;  /* attention efficiency on Hopper and newer, of the 16-bit peak */
    double attention_ampere;
};

/* Serving, by enum engine. */
struct engine_constants {
    double step_s, layer_s;   /* fixed part of a decode step, and the part per layer */
    double bandwidth;         /* achieved share of memory bandwidth */
};

/* By GPU generation. */
struct arch_constants {
    double gemm;              /* achieved share of the dense peak, large matrices, fitted or assumed */
    bool measured;
};

struct constants {
    struct stack_constants stack[STACK_COUNT];
    struct engine_constants engine[ENGINE_COUNT];
    struct arch_constants arch[ARCH_COUNT];
};

/* One number of the above as the data file and the fitting tool know it. */
struct constant_info {
    const char *group;        /* "stack", "engine", "arch", "global" */
    const char *key;
    const char *unit;
    size_t offset;            /* into the group's struct (or struct constants for "global") */
    double minimum, maximum;
    const char *help;         /* what it is */
};
extern const struct constant_info constant_table[]; /* ends with key NULL */

/* From `folder`/engine.yaml or the copy in the program, then the user's calibration overlay. */
bool constants_load(const char *folder, struct arena *arena, struct constants *constants,
                    struct error *error);

#endif
