/* billing.h - what a job costs under every way of paying. CNY (or the price's own currency, which
 * is never mixed); hours are wall-clock hours. */
#ifndef GPUWIZ_BILLING_H
#define GPUWIZ_BILLING_H

#include "data/catalog.h"
#include "data/scenario.h"

/* The one table of billing modes: panel, columns, reports and JSON loop over it. */
enum billing_mode {
    MODE_PAYG,          /* pay-as-you-go */
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
    enum billing choice; /* the `billing` answer that allows it (besides `any`) */
};
extern const struct billing_mode_info billing_modes[MODE_COUNT];

enum cost_basis { BASIS_QUOTED, BASIS_RULE, BASIS_ASSUMPTION };
extern const char *const cost_basis_names[];

/* One line of a total. Amounts add up to the total exactly: everything is kept in whole fen. */
struct cost_line {
    const char *label;      /* N_(), formatted with nothing */
    double quantity; const char *unit; /* e.g. 72.5 "h" */
    double rate_cny;
    double amount_cny;
    enum cost_basis basis;
    const char *date;       /* of the rate; "" for assumptions */
};
enum { COST_LINES = 12 };

struct cost {
    bool available;
    const char *why_not;    /* N_() reason when not available, "" otherwise */
    double total_cny;       /* of the whole job or period, hidden costs included when asked */
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
};

/* What is to be paid for. */
struct billing_input {
    const struct catalog *catalog;
    const struct instance *instance;
    const struct price *price;    /* of the instance in the region; NULL = unpriced */
    int nodes;
    const struct scenario *scenario;
    bool service;                 /* runs `months` at hours_per_day; else a run of compute_h */
    double compute_h[3];          /* training: low, mid, high hours of useful computing */
    double months, hours_per_day; /* service */
    double busy_share;            /* service: share of running hours with requests to answer, 0..1 */
    double deadline_h;            /* 0 = none */
    double checkpoint_bytes;      /* written each time; 0 = stateless */
    double load_bytes;            /* read at each start, all machines */
    const char *today;            /* YYYY-MM-DD */
};

/* Fills costs[MODE_COUNT]; modes that cannot be priced are marked so and why. */
void billing_costs(const struct billing_input *input, struct cost costs[MODE_COUNT]);

/* The cheapest available mode that the scenario's `billing` answer allows and that keeps the
 * deadline; MODE_COUNT when there is none. */
enum billing_mode billing_cheapest(const struct scenario *scenario,
                                   const struct cost costs[MODE_COUNT]);

/* Expected wall hours of `compute_h` useful hours with checkpoints of `checkpoint_h` every
 * `interval_h` (0 = the optimum, Young 1974 / Daly 2006), restart `restart_h` and exponential losses
 * with mean `mtbf_h` between them; exact form, Daly 2006 eq. 20. */
double billing_wall_hours(double compute_h, double checkpoint_h, double interval_h,
                          double restart_h, double mtbf_h);
double billing_checkpoint_interval(double checkpoint_h, double mtbf_h);

/* Disk figures at a size: bytes per second (1e6-byte MB in the data) and IOPS. */
double billing_disk_bytes_per_s(const struct disk *disk, double gib);
double billing_disk_iops(const struct disk *disk, double gib);

#endif
