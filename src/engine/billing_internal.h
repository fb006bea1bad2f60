/* billing_internal.h - what the billing files share while they price one offer. */
#ifndef GPUWIZ_BILLING_INTERNAL_H
#define GPUWIZ_BILLING_INTERNAL_H

#include "engine/billing.h"
#include "engine/storage_cost.h"

/* Rules and assumptions of the data that stand in for quoted prices or measured rates. */
enum rule_id {
    RULE_MONTH_HOURS,        /* a month costs so many hourly prices */
    RULE_YEAR, RULE_YEAR2, RULE_YEAR3, RULE_YEAR5, /* of as many months' price */
    RULE_SAVINGS_1Y, RULE_SAVINGS_3Y, RULE_RESERVED_1Y, RULE_RESERVED_3Y, /* of the hourly price */
    RULE_PART_UPFRONT,       /* share due at once */
    RULE_SPOT,               /* of the hourly price */
    RULE_SPOT_UNPROTECTED,   /* of the protected spot price */
    RULE_SPOT_LOSS_HOURS,    /* mean hours until one spot machine is taken away */
    RULE_PROTECTED_HOURS,    /* during which it is not */
    RULE_FAILURE_GPU_HOURS,  /* mean GPU-hours between hardware failures */
    RULE_RESTART_MINUTES,    /* a new machine, its image, warm-up; reading back is added from sizes */
    RULE_START_MINUTES,      /* charged before the first useful step */
    RULE_BUSY_SHARE,         /* of a service whose load is not known */
    RULE_LEAST_GOODPUT,      /* below it spot is refused as the only plan */
    RULE_STALE_DAYS,
    RULE_COUNT
};

/* A rate and how far it can be trusted. `value` NAN: there is none, and `why_not` says why. */
struct rate {
    double value, low, high;
    enum cost_basis basis;
    const char *date, *source, *why_not;
};

/* How the work is interrupted. */
struct losses {
    double mtbf_h, interval_h, checkpoint_h, restart_h;
    double wall_h[3]; /* of compute_h */
    double goodput;
};
enum loss_kind { LOSSES_HARDWARE, LOSSES_SPOT, LOSSES_SPOT_PROTECTED, LOSSES_COUNT };

struct billing_context {
    const struct billing_input *input;
    const struct billing_rule *rules[RULE_COUNT];
    struct disk_plan disk;
    struct losses losses[LOSSES_COUNT];
    double used_h;   /* service: hours at which it is up; run: not used */
    double period_h; /* service: hours of all its months */
    double busy_share, load_share;
    bool busy_assumed; /* the two are the data's assumption */
    bool sized;      /* the length of the job is known */
    bool other_currency; /* the price is not in the currency of the services */
};

void billing_context_init(struct billing_context *context, const struct billing_input *input);

/* rates.c: finds all rules in one pass; the rate of one machine, per hour, or per term for the
 * modes that are paid by the term. */
void rates_find_rules(const struct catalog *catalog,
                      const struct billing_rule *rules[RULE_COUNT]);
struct rate rate_of_mode(const struct billing_context *context, enum billing_mode mode);
struct rate rate_rule(const struct billing_context *context, enum rule_id id);
/* The value of a rule, `without` when the data have none. */
double rule_value(const struct billing_context *context, enum rule_id id, double without);
/* Savings plan and reserved instance for a term of 12 or 36 months. */
struct rate rate_of_term(const struct billing_context *context, enum billing_mode mode,
                         int term_months);

/* spot.c */
bool spot_loss_reported(const struct price *price); /* by the provider, for this type and region */
void losses_estimate(struct billing_context *context);
enum loss_kind losses_of_mode(enum billing_mode mode);

/* billing.c: adds a line and its amount to the total. The longest bill, a mix with storage, has nine
 * of the COST_LINES. */
void cost_add(struct cost *cost, const char *label, double quantity, const char *unit,
              const struct rate *rate);
void cost_refuse(struct cost *cost, const char *why_not);

/* storage_cost.c: the hidden costs that were asked for. Disks are kept for `disk_h` hours, or
 * bought for `disk_months` months when that is not 0; `span_h` is how long object storage lies. */
void storage_add_lines(const struct billing_context *context, double disk_h, double disk_months,
                       double span_h, struct cost *cost);
/* The same, for one month of keeping it. */
double storage_month_cny(const struct billing_context *context, bool by_hour);

void serverless_cost(const struct billing_context *context, struct cost *cost);
void mixed_cost(const struct billing_context *context, struct cost *cost);

/* break_even.c: fills the break-even members from the prices the cost already holds. */
void break_even_fill(const struct billing_context *context, enum billing_mode mode,
                     struct cost *cost);

#endif
