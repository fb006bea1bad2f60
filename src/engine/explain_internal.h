/* explain_internal.h - what the files that explain share. */
#ifndef GPUWIZ_EXPLAIN_INTERNAL_H
#define GPUWIZ_EXPLAIN_INTERNAL_H

#include "engine/explain.h"

struct explainer {
    const struct explain_input *input;
    struct arena *arena;
    struct explanation *out;
    struct job job; /* as run on this GPU */
    const struct hardware *hardware;
    const struct layout *layout;
    const struct memory *memory;
    const struct speed *speed;
    const struct constants *constants;
    double memory_ratio, speed_ratio; /* of the user's own run, 1 = none */
};

/* The figure that is explained. */
void explain_set_figure(struct explainer *explainer, double figure, const char *unit);

/* A formula and the same with numbers. `formula` is translated and names its values in braces:
 * "{parameters} x {bytes each} / 2^30"; `values` has one number for each, in that order. Numbers
 * are printed with as many digits as it takes to come to `result`. */
void explain_formula(struct explainer *explainer, const char *formula, const double *values,
                     double result, const char *unit);
#define EXPLAIN(explainer, formula, result, unit, ...)                                             \
    explain_formula((explainer), (formula), (const double[]){__VA_ARGS__}, (result), (unit))

/* The same, but nothing is added when the formula does not hold for this job (a detail that is only
 * true of plain cases). */
bool explain_detail(struct explainer *explainer, const char *formula, const double *values,
                    double result, const char *unit);
#define EXPLAIN_DETAIL(explainer, formula, result, unit, ...)                                      \
    explain_detail((explainer), (formula), (const double[]){__VA_ARGS__}, (result), (unit))

/* A line of any other part; `format` is translated. */
void explain_say(struct explainer *explainer, enum explain_part part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the user's own run changed what was computed: that figure times the ratio, as a line. */
void explain_own_run(struct explainer *explainer, double before, double ratio, const char *unit);

#define GIB_OF(bytes) ((bytes) / GIB)

/* explain_memory.c, explain_serving.c */
void explain_train_component(struct explainer *explainer, int component);
void explain_serving_component(struct explainer *explainer, int component);
void explain_component(struct explainer *explainer, int component);
/* explain_need.c */
void explain_need(struct explainer *explainer, int item);
void explain_verdict(struct explainer *explainer, int item);
void explain_reserved(struct explainer *explainer, int item);
void explain_host_ram(struct explainer *explainer, int item);
void explain_kv_tokens(struct explainer *explainer, int item);
void explain_peak(struct explainer *explainer, int peak);
/* explain_speed.c, explain_rate.c */
void explain_term(struct explainer *explainer, int term);
void explain_step(struct explainer *explainer, int item);
void explain_tokens_per_s(struct explainer *explainer, int item);
void explain_mfu(struct explainer *explainer, int item);
void explain_ttft(struct explainer *explainer, int item);
void explain_tpot(struct explainer *explainer, int item);
void explain_hours(struct explainer *explainer, int item);
/* Would smaller groups of cards, or one machine, do better? */
void explain_fewer(struct explainer *explainer);
/* explain_cost.c */
void explain_mode(struct explainer *explainer, int mode);
void explain_per_mtok(struct explainer *explainer, int item);

#endif
