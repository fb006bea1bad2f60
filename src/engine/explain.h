/* explain.h - how a figure comes about: the formula, the same formula with this user's numbers,
 * what every GPU holds a copy of, where the formula and its constants come from, and how sure it
 * is.
 *
 * explain.c         the table of topics, how lines are put together and written
 * explain_memory.c  components of training memory        explain_serving.c  those of a served model
 * explain_need.c    need, verdict, reserved, host memory, cache tokens
 * explain_speed.c   terms of a training step and of a decode step
 * explain_rate.c    tokens/s, MFU, latency, hours         explain_cost.c     money */
#ifndef GPUWIZ_EXPLAIN_H
#define GPUWIZ_EXPLAIN_H

#include "engine/offers.h"

/* Whose figures are explained. All borrowed. */
struct explain_input {
    const struct catalog *catalog;
    const struct constants *constants;
    const struct job *job;
    const struct offer *offer; /* of a plan or an estimate; without prices money is left out */
    const char *today;         /* YYYY-MM-DD */
};

enum explain_part {
    EXPLAIN_FORMULA, /* in words */
    EXPLAIN_NUMBERS, /* the same with numbers, "= result unit" at the end */
    EXPLAIN_TEXT,    /* a sentence */
    EXPLAIN_COPIED,  /* what every GPU holds a copy of and what is split */
    EXPLAIN_BAND,
    EXPLAIN_ASSUMED, /* an answer or a constant it rests on, with its basis */
    EXPLAIN_SOURCE   /* paper and equation, or repository and file */
};
extern const char *const explain_part_labels[]; /* N_(), "" where a line needs none */

struct explain_line {
    enum explain_part part;
    const char *text; /* translated; wrap it */
    double result;    /* EXPLAIN_NUMBERS: what the expression must come to */
    const char *unit;
    struct explain_line *next;
};

struct explanation {
    const char *title; /* translated */
    double figure;     /* what is explained; NAN where this job has no such figure */
    const char *unit;  /* "GiB", "s", "tokens/s", "%", "h", "CNY", ... */
    struct explain_line *first, *last;
};

enum explain_group { EXPLAIN_OF_MEMORY, EXPLAIN_OF_TIME, EXPLAIN_OF_MONEY };

struct explainer;
/* The one table: the command line, the wizard and the tests loop over it. Ids end in the key of the
 * component, speed term or billing mode. */
struct explain_topic {
    const char *id;
    const char *label; /* N_() */
    enum explain_group group;
    void (*fill)(struct explainer *explainer, int item);
    int item; /* enum component, enum speed_term, enum billing_mode, ... */
};
extern const struct explain_topic explain_topics[];
extern const int explain_topic_count;

/* By id, or by its end where that is the only one ("kv_cache"); NULL when unknown. */
const struct explain_topic *explain_topic_find(const char *id);

/* Whether `what` of --explain means this topic: its id or end, "memory", "speed", "cost" or "all".
 */
bool explain_means(const struct explain_topic *topic, const char *what);
/* False with an error that names the nearest topic. */
bool explain_check(const char *what, struct error *error);

/* The explanation of one topic, in `arena`. Never empty: a figure that this job does not have says
 * why not. */
struct explanation explain(const struct explain_input *input, const struct explain_topic *topic,
                           struct arena *arena);

/* Whether there is a figure to show: known, and not zero as it is printed. Full training has no
 * adapter, one GPU no traffic. */
bool explain_has_figure(const struct explanation *explanation);

/* "14.2 GiB", "1.25 s", "38.0 %": the figure as it is printed. `text` holds EXPLAIN_FIGURE bytes.
 */
enum { EXPLAIN_FIGURE = 80 };
char *explain_figure(double value, const char *unit, char *text);

/* Appends it as text, wrapped at `cells`: title, then a line for each part, continued indented. */
void explain_write(const struct explanation *explanation, int cells, struct strbuf *out);

#endif
