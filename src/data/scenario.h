/* scenario.h - what the user answered: one struct, and the one table of questions that drives the
 * wizard's forms, scenario files, --set, validation, help, the man page and completions.
 *
 * A member counts only when its bit is set in `given`; otherwise it is `auto` and the engine
 * chooses. A scenario is a plain value: copy it to remember it (undo, what-if, baseline). Texts are
 * borrowed from the arena that was passed when they were set. */
#ifndef GPUWIZ_SCENARIO_H
#define GPUWIZ_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "data/catalog.h"

enum workload { WORKLOAD_PRETRAIN, WORKLOAD_FULL, WORKLOAD_LORA, WORKLOAD_INFERENCE };
enum precision { PRECISION_BF16_MIXED, PRECISION_FP16_MIXED, PRECISION_BF16, PRECISION_FP32, PRECISION_FP8_MIXED };
enum optimizer {
    OPTIMIZER_ADAMW, OPTIMIZER_ADAMW_BF16, OPTIMIZER_ADAMW_8BIT, OPTIMIZER_PAGED_ADAMW,
    OPTIMIZER_ADAFACTOR, OPTIMIZER_SGD, OPTIMIZER_SGD_MOMENTUM, OPTIMIZER_LOMO, OPTIMIZER_GALORE,
    OPTIMIZER_LISA
};
enum recompute { RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL };
enum offload { OFFLOAD_NONE, OFFLOAD_OPTIMIZER, OFFLOAD_PARAMS, OFFLOAD_ACTIVATIONS };
enum stack {
    STACK_HF, STACK_DEEPSPEED, STACK_FSDP, STACK_TORCHTITAN, STACK_MEGATRON, STACK_NEMO,
    STACK_UNSLOTH, STACK_LITGPT, STACK_TORCHTUNE, STACK_COUNT
};
enum engine {
    ENGINE_VLLM, ENGINE_SGLANG, ENGINE_TENSORRT_LLM, ENGINE_LMDEPLOY, ENGINE_TRANSFORMERS,
    ENGINE_LLAMA_CPP, ENGINE_GPT_FAST, ENGINE_AUTOAWQ, ENGINE_COUNT
};
enum kv_format { KV_FP16, KV_BF16, KV_FP8, KV_INT8, KV_INT4 };
enum budget_per { PER_TOTAL, PER_MONTH, PER_HOUR };
enum billing {
    BILLING_ANY, BILLING_PAYG, BILLING_MONTHLY, BILLING_YEARLY, BILLING_3YEAR, BILLING_SAVINGS,
    BILLING_RESERVED, BILLING_SPOT, BILLING_MIXED
};
/* Modules a LoRA adapter can sit on, as bits. */
enum lora_module {
    LORA_Q = 1, LORA_K = 2, LORA_V = 4, LORA_O = 8, LORA_GATE = 16, LORA_UP = 32, LORA_DOWN = 64,
    LORA_HEAD = 128, LORA_EMBED = 256,
    LORA_ATTENTION = 15, LORA_ALL_LINEAR = 127
};
enum include { INCLUDE_BY_TICKET = 1, INCLUDE_INVITATION = 2, INCLUDE_NOT_RECOMMENDED = 4, INCLUDE_UNPRICED = 8 };

/* Every question, in the order of the wizard. */
enum field_id {
    FIELD_WORKLOAD,
    FIELD_MODEL, FIELD_ARCHITECTURE, FIELD_PARAMS_B,
    FIELD_PRECISION, FIELD_WEIGHTS, FIELD_OPTIMIZER, FIELD_OPTIMIZER_IN_BACKWARD, FIELD_LORA_RANK,
    FIELD_LORA_TARGETS, FIELD_TRAIN_EMBEDDINGS, FIELD_SEQ_LEN, FIELD_MICRO_BATCH,
    FIELD_GLOBAL_BATCH, FIELD_RECOMPUTE, FIELD_FLASH_ATTENTION, FIELD_FUSED_LOSS, FIELD_ZERO,
    FIELD_COMPILE, FIELD_OFFLOAD, FIELD_TP, FIELD_PP, FIELD_VP, FIELD_CP, FIELD_EP, FIELD_DP,
    FIELD_SP, FIELD_STACK,
    FIELD_ENGINE, FIELD_KV_CACHE, FIELD_INPUT_LEN, FIELD_OUTPUT_LEN, FIELD_CONTEXT,
    FIELD_CONCURRENCY, FIELD_SATURATED, FIELD_REQUESTS_PER_S, FIELD_TTFT_MS, FIELD_TPOT_MS,
    FIELD_MAX_NUM_SEQS, FIELD_MEMORY_UTILIZATION,
    FIELD_TOKENS_B, FIELD_SAMPLES, FIELD_MEAN_LEN, FIELD_EPOCHS, FIELD_DEADLINE_H,
    FIELD_HOURS_PER_DAY, FIELD_MONTHS,
    FIELD_GPU, FIELD_INSTANCE, FIELD_GPUS, FIELD_NODES, FIELD_GPUS_PER_NODE,
    FIELD_NODE_NETWORK_GBPS, FIELD_RDMA, FIELD_MAX_NODES, FIELD_REQUIRE_RDMA, FIELD_REGION,
    FIELD_INCLUDE,
    FIELD_BUDGET, FIELD_BUDGET_PER, FIELD_BILLING, FIELD_SPOT_PRICE_RATIO,
    FIELD_SPOT_HOURS_BETWEEN_LOSSES, FIELD_CHECKPOINT_MINUTES, FIELD_DISK, FIELD_DISK_GIB,
    FIELD_OSS_GB, FIELD_CROSS_REGION_GB, FIELD_SNAPSHOT_GIB, FIELD_PUBLIC_GB, FIELD_SHARED_GIB,
    FIELD_COUNT
};

struct scenario {
    uint64_t given[(FIELD_COUNT + 63) / 64];

    /* choices hold the enum's value; yes/no hold 1/0 */
    int workload, precision, optimizer, recompute, offload, stack, engine, kv_cache, budget_per,
        billing, zero;
    int optimizer_in_backward, train_embeddings, flash_attention, fused_loss, compile, sp,
        saturated, rdma, require_rdma;
    unsigned lora_targets, include; /* bits of enum lora_module, enum include */
    double params_b;                /* billions */
    double lora_rank, seq_len, micro_batch, global_batch, tp, pp, vp, cp, ep, dp;
    double input_len, output_len, context, concurrency, requests_per_s, ttft_ms, tpot_ms,
        max_num_seqs, memory_utilization;
    double tokens_b, samples, mean_len, epochs, deadline_h, hours_per_day, months;
    double gpus, nodes, gpus_per_node, node_network_gbps, max_nodes;
    double budget, spot_price_ratio, spot_hours_between_losses, checkpoint_minutes;
    double disk_gib, oss_gb, cross_region_gb, snapshot_gib, public_gb, shared_gib;
    const char *model, *weights, *gpu, *instance, *region, *disk; /* ids or paths */
    const struct model *architecture; /* inline shape, or the shape read from a file `model` names */
    const char *architecture_text;    /* the inline map as one line of YAML */
};

enum field_kind {
    FIELD_KIND_CHOICE, /* int, one of `choices` */
    FIELD_KIND_BOOL,   /* int 0/1, yes/no */
    FIELD_KIND_INT,    /* double holding a whole number */
    FIELD_KIND_NUMBER, /* double */
    FIELD_KIND_FLAGS,  /* unsigned, a list of `choices`, each standing for `choice_bits` */
    FIELD_KIND_ID,     /* text: an id of the catalog (models, weights, gpus, instances, regions, disks) */
    FIELD_KIND_MAP     /* architecture */
};

enum field_step { STEP_WORKLOAD, STEP_MODEL, STEP_METHOD, STEP_WORK, STEP_BUDGET, STEP_INSTANCES, STEP_SUMMARY, STEP_COUNT };

struct field {
    const char *key;
    const char *label;       /* N_(): short, at most 22 cells in either language */
    const char *unit;        /* N_(), "" when it has none */
    enum field_kind kind;
    enum field_step step;    /* where the wizard asks it */
    bool simple;             /* among the few rows shown before `a` opens all */
    size_t offset;           /* into struct scenario */
    double minimum, maximum; /* numbers */
    const char *const *choices;      /* NULL-terminated keys, as in files */
    const char *const *choice_help;  /* N_(), one for each choice, or NULL */
    const unsigned *choice_bits;     /* flags */
    bool (*applies)(const struct scenario *scenario); /* NULL = always */
    const char *help;        /* N_(): what it is, a rule of thumb; two sentences */
};

extern const struct field fields[FIELD_COUNT]; /* by enum field_id */

/* The field with this key, and the one whose key is spelled much like it; NULL when there is none. */
const struct field *field_find(const char *key);
const struct field *field_nearest(const char *key);
enum field_id field_id(const struct field *field);

bool scenario_has(const struct scenario *scenario, enum field_id id);
/* The number given for a field of kind INT or NUMBER. */
double scenario_number(const struct scenario *scenario, enum field_id id, double otherwise);
bool field_applies(enum field_id id, const struct scenario *scenario);

/* Makes the field `auto` again. */
void scenario_unset(struct scenario *scenario, enum field_id id);

/* Reads `text` as --set and the forms do ("32k", "yes", "qv", "bf16", "auto") and sets the field.
 * Ids are checked against the catalog; `model` may also be a path, which is read. On failure the
 * scenario is unchanged and `error` says what is wrong and the nearest valid value. Setting `model`,
 * `architecture` or `params_b` unsets the other two. */
bool scenario_set(struct scenario *scenario, enum field_id id, const char *text,
                  const struct catalog *catalog, struct arena *arena, struct error *error);

/* As scenario_set from the text "key=value"; an architecture is a map: 'architecture={layers: 2, ...}'. */
bool scenario_set_pair(struct scenario *scenario, const char *pair, const struct catalog *catalog,
                       struct arena *arena, struct error *error);

/* Reads a scenario file (YAML or JSON; "-" = standard input) over `scenario`. */
bool scenario_read(struct scenario *scenario, const char *path, const struct catalog *catalog,
                   struct arena *arena, struct error *error);

struct yaml_document;
struct yaml_node;
/* The same from a map already parsed (the `given` of a published case, the scenario of a lesson). */
bool scenario_read_node(struct scenario *scenario, const struct yaml_document *document,
                        const struct yaml_node *map, const struct catalog *catalog,
                        struct arena *arena, struct error *error);

/* Contradictions between given fields (exactly one of model, architecture, params_b; tokens_b
 * against samples; dp against gpus / (tp * pp); heads against tp; ...). `which`, when not NULL, gets
 * the field at fault, so that the wizard can mark it. The engine calls it before it computes. */
bool scenario_check(const struct scenario *scenario, const struct catalog *catalog,
                    enum field_id *which, struct error *error);

/* The field's value as it would be written in a file ("auto" when not given); appended. */
void scenario_format(const struct scenario *scenario, enum field_id id, struct strbuf *out);

/* Appends a text as a YAML scalar: plain where that is safe, else double-quoted. */
void scenario_add_scalar(struct strbuf *out, const char *text);

/* All given fields as a commented YAML file that scenario_read takes back. */
void scenario_write(const struct scenario *scenario, struct strbuf *out);

/* "--set key=value ..." that repeats the scenario, shell-quoted. */
void scenario_command(const struct scenario *scenario, struct strbuf *out);

extern const char *const workload_names[], *const precision_names[], *const optimizer_names[],
    *const recompute_names[], *const offload_names[], *const stack_names[], *const engine_names[],
    *const kv_format_names[], *const budget_per_names[], *const billing_names[];

#endif
