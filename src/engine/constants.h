/* constants.h - the numbers of the engine that were measured or fitted and not derived, by stack,
 * by serving engine and by GPU generation. They live in data/engine.yaml with the source or the
 * cases that support each, so that a user can correct them and `make fit` can refit them.
 *
 * Adding one takes three lines: a member here, a row in constant_table, a record in engine.yaml. */
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
    double slack;             /* allocator slack, share of what is allocated besides model states */
    double context_gib;       /* CUDA context and first communicator of one GPU */
    double logit_bytes;       /* kappa: bytes per token and vocabulary entry without a fused loss */
    double pretrain_logit_bytes; /* the same in pretraining, where some stacks bring their own loss */
    double fused_logit_bytes; /* the same with a fused or chunked loss */
    double length_exponent;   /* how much less than a long cap the longest real sample grows */
    double norm_bytes;        /* extra bytes per token, layer and hidden element (fp32 norms) */
    double adapter_input_bytes; /* per token and input element of an adapted layer (dropout copy) */
    double dequant_saved_bytes; /* per token and element, inputs kept for quantised layers */
    double dequant_copies;    /* 16-bit copies of a head-sized matrix while dequantising */
    double backward_share;    /* of a layer's activations, live while it is recomputed */
    double selective_share;   /* of all activations, kept under selective recomputation */
    double compile_share;     /* of the activations, left by torch.compile */
    double gradient_bytes;    /* per parameter in mixed precision: 2, or 4 where they are fp32 */
    double foreach_share;     /* of the 16-bit weights, copied at the optimizer step */
    double live_units;        /* layers gathered at a time under ZeRO-3 / FSDP */
    double live_params_b;     /* billions of parameters gathered at most; 0 = no limit besides live_units */
    double root_copies;       /* of embedding and head gathered with them */
    double bucket_gib;        /* communication buckets in the backward pass, for models above 1B */
    double step_gib;          /* buckets at the optimizer step */
    double step_bytes;        /* fp32 copy of the gradients there, per parameter of this rank's share */
    bool shards_quantised;    /* ZeRO-3 / FSDP splits quantised weights too */
    double band_low, band_high; /* band around what is needed besides model states, shares of it */
    bool memory_measured;     /* the above were fitted to measurements of this stack */
    double overlap;           /* share of data-parallel traffic hidden behind compute */
    double tp_overlap;        /* share of tensor-parallel traffic hidden */
    double host_s_per_layer;  /* Python and launch floor, one forward + backward of one layer */
    double attention_hopper;  /* attention efficiency on Hopper and newer, of the 16-bit peak */
    double attention_ampere;
    double elementwise_bytes; /* memory traffic per token, layer and unit of width: norms, residuals, activations */
    double fp8_bytes;         /* the same, added where fp8 casts are not fused into other kernels */
    double adapter_bytes;     /* the same, added by LoRA adapters (small matrices, dropout) */
    double autocast_bytes;    /* the same, added to them under mixed precision: casts of their inputs */
    double host_s_per_expert; /* launch floor of one expert, where experts are looped over in Python */
    double selective_gemm;    /* share of the matrix products that selective recomputation repeats */
    double zero3;             /* achieved share of the link or network in ZeRO-3 gathers */
    double reduce_bytes;      /* of a gradient element in ZeRO-2 and 3 reductions */
    double optimizer_s;       /* fixed cost of an optimizer step, per billion parameters on the GPU */
    double tcp_slowdown;      /* step time over that on one machine when machines are joined by TCP */
    bool measured_ampere;     /* published training figures with Ampere and older cards support the above */
    bool measured_hopper;     /* the same for Hopper */
    double speed_band;        /* half width of the band around a measured speed, share */
};

/* Serving, by enum engine. */
struct engine_constants {
    double step_s, layer_s;   /* fixed part of a decode step, and the part per layer */
    double moe_layer_s;       /* what routing adds for each layer with experts */
    double moe_launch_s;      /* host time of such a layer in a prefill, kernel by kernel */
    double packed_layer_s;    /* what kernels of GPTQ and AWQ weights add for each layer */
    double kv_sm_bytes;       /* as sm_bytes, reading the cache of one sequence */
    double prefill_exposed;   /* of the shorter of reading and multiplying weights in a prefill */
    double bandwidth;         /* achieved share of memory bandwidth, reading weights */
    double kv_bandwidth;      /* the same, reading the cache */
    double sm_bytes;          /* bytes one multiprocessor takes in per clock, reading weights */
};

/* Serving, what all engines have in common. */
struct serving_constants {
    double gemm;              /* of the dense peak, prefill GEMMs when memory traffic costs nothing */
    double flop_bytes;        /* memory traffic that comes with each FLOP of prefill */
    double large_cache;       /* share of that traffic on Ada, whose level-2 cache holds the tiles */
    double expert_gemm;       /* of prefill's rate, GEMMs of experts: each sees a part of the tokens */
    double batch_gemm;        /* of prefill's rate, the thinner GEMMs of a decode batch */
    double low_power;         /* of the peak, cards below 300 W */
    double int4, int4_old;    /* of the bandwidth share, 4-bit kernels; before Ampere */
    double nf4_passes;        /* 16-bit copies read or written to dequantise NF4 */
    double kv_copies;         /* passes over the repeated heads' cache in transformers' attention */
    double nvlink;            /* of one direction, all-reduce within a machine */
    double nvlink_latency_s, pcie_latency_s, network_latency_s; /* of one all-reduce */
    double tcp_latency_s;     /* the same between machines without RDMA */
    double pcie_gbs;          /* all-reduce over PCIe 4.0 x16, without NVLink */
    double burst;             /* of the other requests' prefill that a request waits for */
    double first_wave;        /* of a benchmark's requests, those that start all at once */
    double nccl_small;        /* NCCL all-reduces of few tokens: times what large ones cost a byte, */
    double nccl_large_s;      /* at most what the protocol for large ones takes longer to start */
    double sampler_bytes;     /* vLLM, per sequence slot and vocabulary entry */
    double memory_band;       /* half widths, shares: of the memory need, */
    double band, batch_band, estimate_band; /* of the speed: one user, batches, cards not measured */
};

/* By GPU generation, enum gpu_arch. */
struct arch_constants {
    double gemm;              /* achieved share of the dense peak, large matrices, fitted or assumed */
    bool measured;            /* false: gemm is an assumption */
    double tflops_per_watt;   /* what the power limit lets 16-bit matrix products sustain */
};

/* The same for every stack and card: what kernels, links and networks achieve in training. */
struct global_constants {
    double states_band;       /* half width of the band around training's model states, share */
    double communicator_gib;  /* each further group of communicating GPUs (tp, pp, dp, ...) */
    double half_tokens;       /* micro-batch, in tokens, at which matrix products run at half their rate */
    double fp8_gemm;          /* efficiency of fp8 matrix products relative to 16-bit ones */
    double ga10x_tflops_per_watt; /* as tflops_per_watt, for Ampere's GA10x boards (A10, A40, RTX) */
    double achieved_bandwidth;/* share of memory bandwidth in elementwise kernels */
    double logit_traffic;     /* bytes moved per logit by the unfused loss, forward + backward */
    double eager_attention;   /* share of the peak in attention products without FlashAttention */
    double score_traffic;     /* bytes moved per attention score without FlashAttention */
    double compiled_share;    /* of elementwise traffic that is left under torch.compile */
    double moe_gemm;          /* efficiency of grouped expert products relative to dense ones */
    double moe_bytes;         /* traffic per routed token and hidden element: permute, pad, unpermute */
    double dequant_int4;      /* memory traffic equivalent per weight and pass: GPTQ and AWQ kernels */
    double dequant_nf4;       /* the same: bitsandbytes kernels, 4 and 8 bit */
    double dequant_overlap;   /* share of it that hides behind products */
    double optimizer_bytes;   /* memory traffic of AdamW with fp32 states, per parameter */
    double nvlink, pcie, pcie_switch; /* achieved share of one direction's nominal bandwidth */
    double rdma, tcp;         /* achieved share of the network's nominal bandwidth */
    double collective_s;      /* latency of one collective between machines, per rank */
    double straggler;         /* step time added per doubling of the machines */
    double cpu_adam_s;        /* optimizer step on the host's cores, per billion parameters */
    double unmeasured_band;   /* widens the band where the card or the stack was not measured */
};

/* One run of the user's own: how far it was from the estimate on this stack and GPU. */
struct calibration {
    const char *stack;        /* a stack of training or an engine of serving */
    const char *gpu;
    const char *date;         /* YYYY-MM-DD */
    double memory_ratio;      /* measured / estimated, of the need besides model states; 1 = not measured */
    double speed_ratio;       /* measured / estimated tokens per second; 1 = not measured */
};

struct constants {
    struct stack_constants stack[STACK_COUNT];
    struct engine_constants engine[ENGINE_COUNT];
    struct arch_constants arch[ARCH_COUNT];
    struct global_constants global;
    struct serving_constants serving;
    const struct calibration *calibrations; size_t calibration_count; /* newest last */
};

enum constant_group { GROUP_STACK, GROUP_ENGINE, GROUP_ARCH, GROUP_GLOBAL, GROUP_COUNT };

/* One number of the above as the data file and the fitting tool know it. */
struct constant_info {
    enum constant_group group;
    const char *key;
    const char *unit;         /* "share", "GiB", "bytes", "s", "yes/no", ... */
    size_t offset;            /* into the group's struct (or struct constants for GROUP_GLOBAL) */
    bool is_bool;             /* the member is a bool, 0 or 1 in the file */
    double minimum, maximum;  /* what a file may hold and `make fit` may try */
    const char *help;         /* what it is */
};
extern const struct constant_info constant_table[]; /* ends with key NULL */
extern const char *const constant_group_names[]; /* by enum constant_group, NULL-terminated */

/* How many members a group has (1 for GROUP_GLOBAL), and the name of one: "hf", "vllm", "hopper". */
int constant_members(enum constant_group group);
const char *constant_member_name(enum constant_group group, int member);

/* Reads and writes one constant by its row. */
double constant_get(const struct constants *constants, const struct constant_info *info, int member);
void constant_set(struct constants *constants, const struct constant_info *info, int member,
                  double value);

/* Which constants `make fit` may move: the members listed under `fitted` in the file. */
struct constant_fitted { const struct constant_info *info; int member; };
enum { CONSTANT_FITTED_MAX = 200 };

/* From `folder`/engine.yaml (NULL = the look-up order of gpuwiz-data(5), the copy in the program
 * last), then the user's overlays that hold `constants` or `calibrations`. Every constant must be given for
 * every member of its group. */
bool constants_load(const char *folder, struct arena *arena, struct constants *constants,
                    struct error *error);

/* The same from a text; `fitted` (room for CONSTANT_FITTED_MAX, or NULL) receives what may be fitted
 * and `fitted_count` how many. */
bool constants_read(const char *file, const char *text, size_t length, struct arena *arena,
                    struct constants *constants, struct constant_fitted *fitted,
                    size_t *fitted_count, struct error *error);

/* Reads the user's overlay over `constants`: corrected values under `constants`, own runs under
 * `calibrations`. */
bool constants_overlay(const char *file, const char *text, size_t length, struct arena *arena,
                       struct constants *constants, struct error *error);

/* Path of the user's overlay, in the arena; NULL without a home folder. */
const char *constants_overlay_path(struct arena *arena);

/* Files of constants and calibrations, for `gpuwiz check`. */
struct data_kind;
extern const struct data_kind constants_kind;

/* The user's newest run on this stack or engine and GPU; NULL when there is none. */
const struct calibration *constants_calibration(const struct constants *constants,
                                                const char *stack, const char *gpu);

#endif
