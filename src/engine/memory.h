/* memory.h - GPU memory by component, for all four workloads. Pure functions; all figures are GiB
 * (2^30 bytes) on the most loaded GPU. Sources of the equations stand at their definitions. */
#ifndef GPUWIZ_MEMORY_H
#define GPUWIZ_MEMORY_H

#include "engine/constants.h"
#include "engine/job.h"

enum component {
    COMPONENT_WEIGHTS, COMPONENT_ADAPTER, COMPONENT_GRADIENTS, COMPONENT_OPTIMIZER,
    COMPONENT_ACTIVATIONS, COMPONENT_LOGITS, COMPONENT_KV_CACHE, COMPONENT_BUFFERS,
    COMPONENT_RUNTIME, COMPONENT_COUNT
};

/* The one table of memory components: bars, legends, explanations and reports loop over it. */
struct component_info {
    const char *key;     /* as in the JSON output */
    const char *label;   /* N_(), at most 12 cells in either language */
    const char *help;    /* N_(): what it is, in one sentence */
    char ascii;          /* fill of its bar segment without UTF-8 */
    const char *glyph;   /* the same in UTF-8, one cell */
};
extern const struct component_info components[COMPONENT_COUNT];

enum peak { PEAK_LOAD, PEAK_STEP, PEAK_OPTIMIZER, PEAK_SAVE, PEAK_COUNT };
extern const char *const peak_names[PEAK_COUNT]; /* keys; N_() labels in peak_labels */
extern const char *const peak_labels[PEAK_COUNT];

enum verdict { VERDICT_FITS, VERDICT_TIGHT, VERDICT_NO };
extern const char *const verdict_names[];  /* "fits", "tight", "no" */
extern const char *const verdict_labels[]; /* N_(), at most 8 cells in either language */

struct memory {
    double components_gib[COMPONENT_COUNT]; /* at the phase with the highest peak; sums to need_gib */
    double replicated_gib[COMPONENT_COUNT]; /* the part of each that every GPU holds a copy of */
    double replicated_total_gib;
    double peaks_gib[PEAK_COUNT];
    double model_states_gib;  /* weights + adapter + gradients + optimizer, nothing else */
    double need_gib;          /* peak, runtime and allocator slack included */
    double low_gib, high_gib; /* band of need_gib */
    double reserved_gib;      /* what nvidia-smi shows where an engine pre-allocates; else = need */
    double usable_gib;
    enum verdict verdict;     /* fits: high <= usable; tight: need <= usable < high; no */
    double host_ram_gib;      /* per machine, at the worst of load, offload and save */
    bool host_ram_short;      /* more than the machine has */
    double kv_tokens;         /* inference: tokens the pool of one replica holds; NAN otherwise */
    double max_concurrency;   /* kv_tokens / context */
    int worst_stage;          /* pipeline stage the figures are of, from 0 */
    bool measured_basis;      /* constants of this stack and GPU come from measurements */
    const char *calibrated;   /* date of the user's own run, NULL = not calibrated */
};

/* Memory of one layout on one piece of hardware. Never fails: a layout that makes no sense is not
 * built (see layout_reason). */
struct memory memory_estimate(const struct job *job, const struct hardware *hardware,
                              const struct layout *layout, const struct constants *constants);

/* Sum of components without runtime: what torch calls allocated. */
double memory_allocated_gib(const struct memory *memory);

/* The rule of the three verdicts: fits when the whole band fits, tight when the expected need fits
 * but the band does not, no otherwise. */
enum verdict memory_verdict(double low_gib, double need_gib, double high_gib, double usable_gib);

/* The two halves of memory_estimate, in memory_train.c and memory_infer.c. */
struct memory memory_train(const struct job *job, const struct hardware *hardware,
                           const struct layout *layout, const struct constants *constants);
struct memory memory_infer(const struct job *job, const struct hardware *hardware,
                           const struct layout *layout, const struct constants *constants);

/* Bytes of the whole model as its format stores it, what is downloaded and loaded: embeddings, head,
 * norms and routers in 16 bits unless the format quantises them too. In serving_weights.c. */
double memory_weight_bytes(const struct job *job);

#endif
