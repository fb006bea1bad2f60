/* offers.h - every instance type and node count, evaluated, priced, filtered and sorted. */
#ifndef GPUWIZ_OFFERS_H
#define GPUWIZ_OFFERS_H

#include "engine/billing.h"
#include "engine/speed.h"
#include "engine/unit_price.h"

enum exclusion {
    EXCLUDED_MEMORY, EXCLUDED_PRECISION, EXCLUDED_LAYOUT, EXCLUDED_NETWORK, EXCLUDED_STATUS,
    EXCLUDED_REGION, EXCLUDED_UNPRICED, EXCLUDED_DEADLINE, EXCLUDED_LATENCY, EXCLUDED_BUDGET,
    EXCLUDED_COUNT
};
extern const char *const exclusion_names[]; /* keys; labels through tr(exclusion_labels[]) */
extern const char *const exclusion_labels[];

/* At which load a service is looked at. */
enum load_point {
    LOAD_SINGLE,    /* one request at a time on each replica, without a pause */
    LOAD_ASKED,     /* the load asked for, idle time paid too */
    LOAD_SATURATED, /* as many sequences as fit */
    LOAD_POINTS
};
extern const char *const load_point_names[LOAD_POINTS]; /* keys; labels N_() */
extern const char *const load_point_labels[LOAD_POINTS];

struct offer {
    const struct instance *instance;
    int nodes;
    struct hardware hardware;
    struct layout layout;
    struct memory memory;
    struct speed speed;
    double hours[3];           /* low, mid, high; NAN when no amount of work was given */
    const struct price *price; /* NULL = no public price */
    struct cost *costs;        /* MODE_COUNT of them, by enum billing_mode */
    const struct cost *best;   /* the cheapest of them; NULL = none */
    enum billing_mode cheapest; /* MODE_COUNT = none */
    bool within_budget, keeps_deadline;
    double cny_per_mtok;       /* at the cheapest mode; training: per million trained tokens;
                                * serving: per million written at the load asked for, prompts paid */
    double cny_per_mtok_input, cny_per_mtok_output; /* the same split: unit_token_price */
    double cny_per_mtok_batch1; /* written, prompts paid, one request at a time */
    struct token_price token_prices[LOAD_POINTS]; /* serving; NAN otherwise */
};

struct excluded {
    const struct instance *instance;
    enum exclusion reason;
    char detail[160];          /* already translated: "needs 24.1 GiB of 22.2 usable" */
};

struct funnel_stage { enum exclusion reason; int left; }; /* types left after the constraint */

struct plan {
    struct arena *arena;
    struct job job;
    struct offer *offers;      size_t offer_count;   /* the one to recommend first: see plan_compute */
    struct excluded *excluded; size_t excluded_count;
    struct funnel_stage funnel[EXCLUDED_COUNT]; int funnel_count;
    int types;                 /* instance types looked at */
};

/* Evaluates the catalog for a scenario: each type alone and in 2, 4, 8, ... machines, or in as many as
 * the scenario's `nodes` or `gpus` ask for. Offers come in the order of recommendation: runs of at most a
 * quarter before longer ones, those whose whole band fits before tight ones, cheapest first, those
 * without a price last. False only for a scenario that contradicts itself; a plan without offers is a
 * valid answer. The plan owns its arena; plan_clear frees it. `today` is
 * YYYY-MM-DD. */
bool plan_compute(const struct catalog *catalog, const struct constants *constants,
                  const struct scenario *scenario, const char *today, struct plan *plan,
                  struct error *error);
/* The same for a glance at many plans: offers keep `best` and no other cost (`costs` is NULL). */
bool plan_compute_brief(const struct catalog *catalog, const struct constants *constants,
                        const struct scenario *scenario, const char *today, struct plan *plan,
                        struct error *error);
void plan_clear(struct plan *plan);

/* What is to be paid for under an offer: hours of its speed, bytes of its checkpoints and weights. */
struct billing_input offer_billing_input(const struct catalog *catalog, const struct job *job,
                                         const struct offer *offer, const char *today);

/* The best layout of a job on given hardware: highest expected speed among those that fit (tight
 * counts as fitting only when nothing fits). False when none fits; then `layout` and `memory` are
 * those that come nearest, and `reason` says what stands in the way. Pins in the scenario are kept. */
bool layout_search(const struct job *job, const struct hardware *hardware,
                   const struct constants *constants, struct layout *layout,
                   struct memory *memory, struct speed *speed, enum exclusion *reason,
                   char *detail, size_t detail_size);

/* Why a layout cannot be run at all (heads not divisible by tp, experts not by ep, more stages than
 * layers, no bf16 on this GPU, ...): `text`, translated; NULL when it can. */
const char *layout_reason(const struct job *job, const struct hardware *hardware,
                          const struct layout *layout, char *text, size_t size);

/* `estimate`: hardware and layout as pinned, the rest chosen. False with `error` for contradictions
 * and unknown cards. A job that does not fit is an answer (verdict no). */
bool estimate_compute(const struct catalog *catalog, const struct constants *constants,
                      const struct scenario *scenario, struct arena *arena, struct offer *offer,
                      struct job *job, struct error *error);

enum { RELAX_MAX = 9 };
/* A smallest change that helps, and what it would bring. */
struct remedy {
    char change[96];           /* "weights=nf4": pairs for scenario_set_pair, separated by spaces */
    char label[120];           /* translated */
    size_t offers;             /* that remain with it; 0 of an estimate */
    double cheapest_cny;       /* NAN = unpriced, or of an estimate */
    enum verdict verdict;      /* of an estimate, with the memory of one GPU: */
    double need_gib, usable_gib;
};
/* Changes that make it fit, be cheaper or meet the deadline, best first; returns how many. */
int remedies(const struct catalog *catalog, const struct constants *constants,
             const struct scenario *scenario, const struct plan *plan, const char *today,
             struct remedy found[RELAX_MAX]);

/* Changes that make an estimate fit that does not, or only tightly: the smallest first, more GPUs and
 * the next larger card last; what fits stands before what is tight. Returns how many. */
int remedies_of_estimate(const struct catalog *catalog, const struct constants *constants,
                         const struct scenario *scenario, const struct offer *offer,
                         const struct job *job, struct remedy found[RELAX_MAX]);

#endif
