/* job.h - the scenario made definite, the hardware it is tried on, and the way it is laid out. */
#ifndef GPUWIZ_JOB_H
#define GPUWIZ_JOB_H

#include <stdbool.h>
#include "data/scenario.h"
#include "engine/model.h"

/* Everything the answers and the documented defaults settle; what depends on the hardware (layout,
 * micro-batch, recompute, tp, ...) is left to the search. Borrowed pointers: scenario, catalog. */
struct job {
    const struct scenario *scenario; /* pins are read from here */
    const struct catalog *catalog;
    const struct model *model;
    struct param_counts params;
    struct kv_layers kv;
    enum workload workload;
    const struct weight_format *weights; /* stored form: base model under LoRA, served model */

    /* training */
    enum precision precision;
    bool precision_open;         /* not given: a GPU without bf16 takes fp16-mixed (job_for_gpu) */
    enum optimizer optimizer;
    bool optimizer_in_backward, train_embeddings, fused_loss, compile;
    int lora_rank;
    unsigned lora_targets;
    uint64_t trainable_params;   /* adapter (and embeddings) under LoRA, else all */
    enum stack stack;
    double seq_len;              /* tokens */
    double global_batch;         /* sequences an optimizer step; 0 = the search chooses */
    double samples, mean_len, epochs; /* the work in rows; samples 0 = it is given in tokens */
    double train_tokens;         /* to work through; 0 = not asked (a rate is answered, no time) */

    /* inference */
    enum engine engine;
    enum kv_format kv_cache;
    double kv_element_bytes;     /* scales included */
    double input_len, output_len, context; /* tokens */
    double concurrency;          /* sequences in flight; ignored when saturated */
    bool saturated;
    double requests_per_s, ttft_ms, tpot_ms; /* 0 = not asked */
    double max_num_seqs, memory_utilization; /* 0 = the engine's default for the card */

    /* amount of work */
    double deadline_h;           /* 0 = none */
    double hours_per_day, months;/* a service's running time */
};

/* The model asked for: preset, inline shape, file, or the plausible dense shape that `params_b`
 * stands for (made in `arena`; rule and source at model_from_params). NULL when none is given. */
const struct model *job_model(const struct scenario *scenario, const struct catalog *catalog,
                              struct arena *arena);

/* Settles defaults (each named in the man page) and checks contradictions. Unknown model, format
 * or combination: false. The made-up shape of params_b lives in `arena`. */
bool job_resolve(const struct scenario *scenario, const struct catalog *catalog,
                 struct arena *arena, struct job *job, struct error *error);

/* What the defaults above assumed and the user did not say, as "key=value" pairs for the outputs. */
void job_assumptions(const struct job *job, struct strbuf *out);

/* Machines of one type at most when the scenario does not say (max_nodes). */
int job_usual_nodes(enum workload workload);

/* The job as it is run on this GPU: fp16 instead of bf16 where the GPU has no bf16 and the precision
 * was left open. */
struct job job_for_gpu(const struct job *job, const struct gpu *gpu);

struct hardware {
    const struct gpu *gpu;
    double usable_gib;     /* of one GPU or slice */
    int gpus, gpus_per_node, nodes;
    enum link_kind link;   /* inside a machine */
    double link_gbs;       /* per GPU, both directions; 0 = by kind */
    double network_gbps;   /* of one machine, what collectives use (the RDMA figure where there is one) */
    bool rdma;
    double ram_gib;        /* of one machine; NAN = not known */
    int vcpu;              /* of one machine; 0 = not known */
    double gpu_fraction;   /* 1 = whole card */
    bool apart;            /* no model may span machines: each serves a replica of its own */
};

/* `nodes` machines of a type, the scenario's overrides applied. */
struct hardware hardware_of_instance(const struct job *job, const struct instance *instance, int nodes);

/* The hardware pinned by gpu / gpus / nodes / gpus_per_node (or instance) for `estimate`; an
 * unknown card is an error with the nearest names, never a similar one. */
bool hardware_pinned(const struct job *job, struct hardware *hardware, struct error *error);

struct layout {
    int tp, pp, vp, cp, ep, dp;  /* dp: data-parallel ranks, or independent replicas when serving */
    bool sp;
    int zero;
    enum recompute recompute;
    int micro_batch;             /* sequences */
    int micro_batches;           /* micro-batches an optimizer step on each replica, >= 1 */
    enum offload offload;
    bool flash_attention;
    unsigned chosen;             /* bits of enum chosen: what the search decided */
};

enum chosen {
    CHOSEN_TP = 1, CHOSEN_PP = 2, CHOSEN_ZERO = 4, CHOSEN_RECOMPUTE = 8, CHOSEN_MICRO_BATCH = 16,
    CHOSEN_OFFLOAD = 32, CHOSEN_EP = 64, CHOSEN_CP = 128, CHOSEN_SP = 256, CHOSEN_DP = 512,
    CHOSEN_FLASH = 1024
};
extern const char *const chosen_names[]; /* by bit number: scenario keys */

#endif
