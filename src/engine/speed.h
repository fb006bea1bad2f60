/* speed.h - time: training steps and serving latency by layout. Seconds unless the name says so. */
#ifndef GPUWIZ_SPEED_H
#define GPUWIZ_SPEED_H

#include "engine/memory.h"

enum bound { BOUND_COMPUTE, BOUND_BANDWIDTH, BOUND_NETWORK, BOUND_HOST };
extern const char *const bound_names[];

/* What a training step or a decode step is made of; `explain` and the what-if view show them. */
enum speed_term {
    TERM_GEMM, TERM_HEAD, TERM_ATTENTION, TERM_ELEMENTWISE, TERM_DEQUANT, TERM_HOST, TERM_TP,
    TERM_EXPERTS, TERM_BUBBLE, TERM_DATA_PARALLEL, TERM_OPTIMIZER, TERM_LATENCY, TERM_OFFLOAD,
    TERM_READ_WEIGHTS, TERM_READ_KV, TERM_COUNT
};
struct term_info { const char *key, *label; }; /* label: N_() */
extern const struct term_info speed_terms[TERM_COUNT];

struct speed { /* NAN = not modelled */
    double tokens_per_s;          /* all GPUs: trained tokens, or input + output tokens served */
    double tokens_per_s_per_gpu;
    double low_tokens_per_s, high_tokens_per_s;
    double step_s;                /* one optimizer step */
    double mfu;                   /* model FLOPs (6N + 12Lhs convention) over dense peak */
    double tflops_per_gpu;        /* the same, not divided */
    double prefill_tokens_per_s, decode_tokens_per_s, output_tokens_per_s; /* all replicas */
    double ttft_ms, tpot_ms;
    double request_s;             /* one request at the given load */
    double requests_per_s;        /* that can be kept */
    double batch;                 /* sequences a replica decodes together */
    int replicas;                 /* for requests_per_s as asked; 1 otherwise */
    bool meets_latency;           /* ttft_ms / tpot_ms asked for are kept */
    bool measured;                /* basis "measured": constants fitted on this GPU and stack */
    const char *calibrated;       /* date of the user's own run, or NULL */
    enum bound bound_by;
    double terms_s[TERM_COUNT];   /* parts of step_s, or of one decode step */
};

/* Time of one layout on one piece of hardware, the user's own runs (calibrations) applied. Never
 * fails: what cannot be modelled (a card without published rates) is NAN and not `measured`. */
struct speed speed_estimate(const struct job *job, const struct hardware *hardware,
                            const struct layout *layout, const struct memory *memory,
                            const struct constants *constants);
/* The two halves of speed_estimate, in speed_train.c and speed_infer.c. */
struct speed speed_train(const struct job *job, const struct hardware *hardware,
                         const struct layout *layout, const struct constants *constants);
struct speed speed_infer(const struct job *job, const struct hardware *hardware,
                         const struct layout *layout, const struct memory *memory,
                         const struct constants *constants);

/* Dense peak, FLOP/s, of the whole card at a training precision; NAN where it has none or none is
 * published. */
double speed_peak_flops(const struct gpu *gpu, enum precision precision);

/* Share of its 16-bit peak that a card keeps up in large matrix products: what its generation
 * reaches, or what its power limit lets it. */
double speed_gemm_share(const struct gpu *gpu, const struct constants *constants);

/* Whether published training figures of this very kind of card and this stack support the constants. */
bool speed_train_measured(const struct gpu *gpu, enum stack stack, const struct constants *constants);

#endif
