/* billing.h - what a job costs under every way of paying. CNY (or the price's own currency, which
 * is never mixed); hours are wall-clock hours.
 *
 *   money.h         whole fen and the rounding rule
 *   rates.c         the rate of each mode: quoted first, else a rule of the data, marked as such
 *   spot.c          losses, checkpoints, restarts: from useful hours to wall hours
 *   storage_cost.h  disks, object storage, traffic: hidden costs and what storage a job needs
 *   serverless.c    GPU functions;  mixed.c  base load on a commitment, the rest on demand
 *   break_even.c    where one way of paying overtakes another
 *   unit_price.h    per million tokens, per sample, per GiB-hour, per TFLOPS-hour
 *   billing_explain.c  each line as formula and as numbers */
#ifndef GPUWIZ_BILLING_H
#define GPUWIZ_BILLING_H

#include "base/strbuf.h"
#include "data/catalog.h"
#include "data/scenario.h"

/* The one table of billing modes: panel, columns, reports and JSON loop over it. */
enum billing_mode {
    MODE_PAYG,          /* pay-as-you-go; a service is left running day and night */
    MODE_PAYG_STOP,     /* the same, stopped economically while idle */
    MODE_MONTHLY, MODE_YEARLY, MODE_2YEAR, MODE_3YEAR, MODE_5YEAR, /* subscriptions */
    MODE_SAVINGS,       /* savings plan */
    MODE_RESERVED,      /* reserved instance */
    MODE_SPOT,          /* with the protected hour */
    MODE_SPOT_UNPROTECTED,
    MODE_SERVERLESS,    /* GPU function */
    MODE_MANAGED,       /* managed training or serving product */
    MODE_MIXED,         /* base load on a commitment, the rest on demand or spot */
    MODE_COUNT
};

struct billing_mode_info {
    const char *key;     /* as in JSON: "payg", "monthly", ... */
    const char *label;   /* N_(), at most 16 cells in either language */
    const char *charges; /* N_(): what it charges */
    const char *needs;   /* N_(): what it needs */
    const char *risks;   /* N_(): what it risks */
    const char *formula; /* N_(): of the total, in words and symbols */
    enum billing choice; /* the `billing` answer that allows it (besides `any`) */
    double term_months;  /* paid in whole terms of so many months; 0 = by the hour */
};
extern const struct billing_mode_info billing_modes[MODE_COUNT];

enum cost_basis { BASIS_QUOTED, BASIS_RULE, BASIS_ASSUMPTION };
extern const char *const cost_basis_names[];

/* One line of a total. Amounts add up to the total exactly: everything is kept in whole fen. */
struct cost_line {
    const char *label;      /* N_(), formatted with nothing */
    double quantity; const char *unit; /* e.g. 72.5 "h"; the unit is N_() */
    double rate_cny;
    double amount_cny;      /* amount_fen / 100 */
    enum cost_basis basis;
    const char *date;       /* of the rate; "" for assumptions */
    int64_t amount_fen;     /* money.h: rounded once, half away from zero */
    const char *source;     /* where the rate comes from; "" = the user's own figure */
    bool storage;           /* a hidden cost: disk, object storage, traffic */
};
enum { COST_LINES = 12 };

/* How a savings plan or reserved instance may be paid; no source gives GPU discounts for paying
 * sooner, so the total is the same and only the days of payment differ. */
enum upfront { UPFRONT_NONE, UPFRONT_PART, UPFRONT_ALL, UPFRONT_COUNT };
extern const char *const upfront_labels[UPFRONT_COUNT]; /* N_() */

struct cost {
    bool available;
    const char *why_not;    /* N_() reason when not available, "" otherwise */
    double total_cny;       /* of the whole job or period, hidden costs included when asked; NAN
                             * when the job has no known length */
    double per_hour_cny;    /* total / wall hours (service: / hours paid for) */
    double per_month_cny;   /* what a month of it costs */
    double wall_h;          /* expected rework included */
    double goodput;         /* useful share of wall time, 0..1 */
    double committed_h;     /* hours paid whether used or not */
    double break_even_h_per_month; /* busy hours a month above which it beats pay-as-you-go; NAN */
    double break_even_price_ratio; /* spot: the ratio at which it stops paying; NAN */
    double low_cny, high_cny;
    bool misses_deadline, may_not_start, refused_alone;
    enum cost_basis basis;  /* the weakest of its lines */
    struct cost_line lines[COST_LINES];
    int line_count;

    int64_t total_fen;      /* sum of lines[].amount_fen */
    double storage_cny;     /* the part of the total that is hidden costs */
    double break_even_h_per_day;   /* the same over 365 / 12 days; NAN */
    double amortise_months; /* commitments: months of this use after which paying by the hour would
                             * have cost as much as the whole term; NAN */
    double break_even_busy_share;  /* serverless: cheaper below this busy share, kept warm; NAN */
    double break_even_busy_share_cold; /* the same when idle time is scaled to zero; NAN */
    double machine_hour_cny;  /* one machine, one wall hour; NAN where paid by the term */
    double machine_month_cny; /* one machine, one month of a commitment; NAN where paid by the hour */
    double upfront_cny[UPFRONT_COUNT], upfront_month_cny[UPFRONT_COUNT]; /* due at once, and each
                             * month of the term; savings plan and reserved instance, else 0 */
    double checkpoint_h, interval_h, restart_h, mtbf_h; /* of the loss model; interval 0 = none */
    int committed_machines; /* mixed: on the commitment; the rest is on demand or spot */
    enum billing_mode commitment, rest; /* mixed: what it is made of; MODE_COUNT = none */
    bool stale;             /* a rate is older than `stale_days` of the data, 90 */
    bool low_confidence, promotion; /* of the quote */
    bool storage_left_out;  /* asked for, but without a price in this currency */
    const char *currency;   /* "CNY", ... of every amount above */
};

/* What is to be paid for. */
struct billing_input {
    const struct catalog *catalog;
    const struct instance *instance;
    const struct price *price;    /* of the instance in the region; NULL = unpriced */
    int nodes;
    const struct scenario *scenario;
    bool service;                 /* runs `months` at hours_per_day; else a run of compute_h */
    double compute_h[3];          /* training: low, mid, high hours of useful computing; NAN = no
                                   * amount of work is known: rates and months are still answered */
    double months, hours_per_day; /* service */
    double busy_share;            /* service: share of running hours with a request in flight,
                                   * 0..1, which functions charge for; 0 = not known: the data's
                                   * assumption */
    double load_share;            /* service: load over what the machines carry, 0..1, which says
                                   * how many of them are needed; 0 = as busy_share */
    int replica_nodes;            /* service: machines that one replica of the model spans and that
                                   * are of use together only; 0 = 1 */
    double deadline_h;            /* 0 = none */
    double checkpoint_bytes;      /* written each time; 0 = stateless */
    double load_bytes;            /* read at each start, all machines */
    const char *today;            /* YYYY-MM-DD */
};

/* Fills costs[MODE_COUNT]; modes that cannot be priced are marked so and why. */
void billing_costs(const struct billing_input *input, struct cost costs[MODE_COUNT]);

/* One mode alone, as billing_costs fills it. */
void billing_cost(const struct billing_input *input, enum billing_mode mode, struct cost *cost);

/* True when the answer `billing` of the scenario (any, when not given) allows the mode. */
bool billing_allowed(const struct scenario *scenario, enum billing_mode mode);

/* The cheapest available mode that the scenario's `billing` answer allows and that keeps the
 * deadline and is not refused as the only plan; MODE_COUNT when there is none. */
enum billing_mode billing_cheapest(const struct scenario *scenario,
                                   const struct cost costs[MODE_COUNT]);

/* Days after which a price is to be looked up again: the rule `stale_days` of the data, 90. */
double billing_stale_days(const struct catalog *catalog);

/* True for a price older than `stale_days`, which is to be marked wherever it shows. */
bool billing_stale(const struct catalog *catalog, const char *date, const char *today);

/* ---- time (spot.c) ---- */

/* Expected wall hours of `compute_h` useful hours with checkpoints of `checkpoint_h` every
 * `interval_h` (0 = the optimum, Young 1974 / Daly 2006), restart `restart_h` and exponential losses
 * with mean `mtbf_h` between them; exact form, Daly 2006 eq. 20. */
double billing_wall_hours(double compute_h, double checkpoint_h, double interval_h,
                          double restart_h, double mtbf_h);
double billing_checkpoint_interval(double checkpoint_h, double mtbf_h);

/* ---- break-even (break_even.c) ---- */

/* Hours of use a month above which `commitment` is cheaper than `on_demand`, both as billing_costs
 * filled them, hidden costs left aside; NAN when either has no such price. May exceed the 730 hours
 * of a month: then the commitment never wins. */
double billing_break_even_hours(const struct cost costs[MODE_COUNT], enum billing_mode commitment,
                                enum billing_mode on_demand);

/* ---- budget (budget.c) ---- */

/* What an amount of money buys under one mode. */
struct budget_answer {
    double wall_h, useful_h; /* of all machines together, hidden costs paid */
    double days;             /* wall_h / 24 */
    double months;           /* services: months of it */
    double tokens;           /* at the speed given; NAN without one */
    bool whole_job;          /* the job asked for fits the budget */
};
/* False when the mode has no price, or the budget does not even buy its smallest unit (an hour, or
 * one term). */
bool billing_budget(const struct billing_input *input, enum billing_mode mode, double budget_cny,
                    double tokens_per_s, struct budget_answer *answer);

/* ---- explanation (billing_explain.c) ---- */

/* Appends how the total of a mode comes about: what it charges, the formula, the formula with the
 * user's numbers, each line with source, date and what is a rule or assumption, what it needs and
 * risks. Translated paragraphs, one a line; the caller wraps. */
void billing_explain(const struct billing_input *input, const struct cost *cost,
                     enum billing_mode mode, struct strbuf *out);

/* The figures of a mode for this job without its formula: where it starts or stops to win, what a mix
 * is made of, how a commitment may be paid. Translated sentences, one a line; "" when there are
 * none. */
void billing_figures(const struct billing_input *input, const struct cost *cost,
                     enum billing_mode mode, struct strbuf *out);

/* Disk figures at a size: bytes per second (1e6-byte MB in the data) and IOPS. */
double billing_disk_bytes_per_s(const struct disk *disk, double gib);
double billing_disk_iops(const struct disk *disk, double gib);

#endif
