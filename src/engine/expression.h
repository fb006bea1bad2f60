/* expression.h - figures of the engine by name, and small sums over them: the live numbers of a
 * lesson's text (`{memory.weights}`), the answers it accepts and the goals it sets.
 *
 *   expression   = or over and over not over comparison: < <= > >= == !=
 *   sum          = + - * / over numbers, names, ( ), min(a, b), max(a, b), round ceil floor sqrt
 *   name         = group.figure, or group.figure@variant for the same under another scenario
 *
 * True is 1, false 0; a comparison with a figure that is not known is false. */
#ifndef GPUWIZ_EXPRESSION_H
#define GPUWIZ_EXPRESSION_H

#include "engine/offers.h"

/* Everything the engine says about one scenario. Where a GPU or an instance type is named the
 * figures are of that hardware, else of the best offer. */
struct results {
    const struct catalog *catalog;
    const struct constants *constants;
    const struct scenario *scenario;
    const char *today;
    struct arena *arena;
    struct job job;
    struct offer offer;
    bool has_offer;    /* false: nothing fits, and no hardware was named */
    struct plan *plan; /* computed when a name needs it */
};

/* Fills `results`; what it makes lives in `arena` until results_clear. `scenario` is borrowed.
 * False for a scenario that contradicts itself. */
bool results_compute(const struct catalog *catalog, const struct constants *constants,
                     const struct scenario *scenario, const char *today, struct arena *arena,
                     struct results *results, struct error *error);
void results_clear(struct results *results);

/* How a figure is written for people. */
enum result_form {
    FORM_PLAIN,   /* shortest: 3, 0.25 */
    FORM_GIB,     /* three digits: 14.2 */
    FORM_COUNT,   /* 7.62B, 32.8k */
    FORM_WHOLE,   /* 1,234 */
    FORM_PERCENT, /* a share as 42 % */
    FORM_CNY,     /* with the yen sign */
    FORM_HOURS,   /* 35 min, 3.2 h */
    FORM_TENTHS,  /* 8.0 */
    FORM_TEXT
};

/* The names of one group, for the man page and for "did you mean". */
struct result_name {
    const char *name;
    enum result_form form;
    const char *help;
};
/* Plain names; those that stand for many (memory.COMPONENT, cost.MODE.total, ...) are written with
 * the part that varies in capitals. Ends with name NULL. */
extern const struct result_name result_names[];

/* The figure itself; an unknown name is an error with the nearest one. `*text` is set instead when
 * the name stands for words (gpu.name), else NULL. NAN = not known. */
bool result_find(struct results *results, const char *name, double *value, const char **text,
                 enum result_form *form, struct error *error);

/* Where names are looked up: the scenario of the moment, and its named variants. */
struct expression_scope {
    struct results *now;
    const char *const *names; /* of the variants */
    struct results *variants;
    int count;
    bool ascii;   /* CNY instead of the yen sign */
    bool lenient; /* a figure that is not known is filled in as "-" */
};

/* On failure `error->column` counts from 1 within `text`. */
bool expression_value(const char *text, const struct expression_scope *scope, double *value,
                      struct error *error);

/* True when the text can be read and all its names exist, whether they are known here or not. */
bool expression_check(const char *text, const struct expression_scope *scope, struct error *error);

/* Appends `text` with every {expression} replaced by its figure; {expression|form} chooses plain,
 * gib, count, whole, percent, cny, hours. A figure that is not known is an error. */
bool expression_fill(const char *text, const struct expression_scope *scope, struct strbuf *out,
                     struct error *error);

#endif
