/* compute.h - plans for the answers on screen, kept so that going back and forth costs nothing, and
 * the memory each choice would need. */
#ifndef GPUWIZ_UI_COMPUTE_H
#define GPUWIZ_UI_COMPUTE_H

#include "engine/constants.h"
#include "engine/offers.h"

/* A plan, or the reason why there is none. */
struct computed {
    struct scenario scenario; /* what it was computed for */
    struct plan plan;         /* plan.job.scenario points to the member above */
    bool ok, filled;
    struct error error;
    unsigned long used;       /* when it was last asked for */
    unsigned long serial;     /* differs for each plan ever computed */
};

enum { COMPUTE_CACHE = 8 };
struct compute {
    const struct catalog *catalog;
    const struct constants *constants;
    const char *today;        /* YYYY-MM-DD */
    struct computed cache[COMPUTE_CACHE];
    unsigned long clock;
};

/* True when both hold the same answers. */
bool answers_equal(const struct scenario *a, const struct scenario *b);

/* The plan for these answers; borrowed until COMPUTE_CACHE other ones were asked for. */
const struct computed *compute_plan(struct compute *compute, const struct scenario *scenario);
void compute_clear(struct compute *compute);

/* What the choices of a question are compared on: one large GPU that holds everything; for the
 * splits the best offer's hardware and layout. */
struct reference {
    bool ok;
    struct hardware hardware;
    struct layout layout;
};
struct reference compute_reference(struct compute *compute, const struct scenario *scenario, enum field_id id);

/* GiB that one GPU needs for these answers on the reference, its pins applied; NAN when the answers
 * contradict each other or the layout is impossible there. */
double compute_need_gib(const struct compute *compute, const struct scenario *scenario,
                        const struct reference *reference);

/* Fills in a workload and a model where there is none yet, so that there is something to show;
 * true when it did. */
bool compute_sketch(const struct compute *compute, struct scenario *scenario);

/* One row of the live pane: a GPU of the catalog and the best that was found for it. */
struct gpu_row {
    const struct gpu *gpu;
    const struct offer *offer;       /* fewest GPUs, then cheapest; NULL = none */
    const struct excluded *excluded; /* why its largest machine cannot, when there is no offer */
};
enum { GPU_ROWS_MAX = 64 };
/* All GPUs that can be rented as whole cards, smallest memory first; returns how many. */
int compute_gpu_rows(const struct catalog *catalog, const struct plan *plan,
                     struct gpu_row rows[GPU_ROWS_MAX]);

/* What an offer costs at its cheapest mode; NAN when unpriced. */
double offer_cny(const struct offer *offer);

/* What the program chose for a question left open ("2,048", "bf16-mixed"); false = nothing to show. */
bool compute_chosen(const struct computed *computed, enum field_id id, struct strbuf *out);

#endif
