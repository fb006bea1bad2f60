/* advice.h - what someone who knows would say about an offer: the one list of rules behind the
 * risks of a report, the `advice` of the JSON output and the screens. A rule speaks only when the
 * answers and the offer's own figures trigger it; it says why in those figures, and what to do. */
#ifndef GPUWIZ_ADVICE_H
#define GPUWIZ_ADVICE_H

#include "engine/offers.h"

enum advice_weight {
    ADVICE_STOP, /* it will not work */
    ADVICE_WARN, /* it may go wrong or cost more than it looks */
    ADVICE_NOTE, /* worth knowing or checking */
    ADVICE_WEIGHTS
};
extern const char *const advice_weight_names[ADVICE_WEIGHTS]; /* keys */

/* What a rule looks at. Everything is borrowed; texts are made in `arena`. */
struct advice_input {
    const struct catalog *catalog;
    const struct constants *constants; /* NULL = nothing is tried out for comparison */
    const struct scenario *scenario;
    const struct plan *plan; /* NULL for an estimate */
    const struct job *job;
    const struct offer *offer; /* without an instance type: hardware of one's own */
    enum billing_mode mode;    /* how it is paid for; MODE_COUNT = the offer's cheapest */
    const char *today;         /* YYYY-MM-DD */
    bool ascii;                /* "CNY 12" instead of the yen sign */
    struct arena *arena;
};

struct advice;
struct advice_rule {
    const char *id; /* "no-rdma" */
    enum advice_weight weight;
    /* True when the rule speaks: then advice->why is filled, and advice->what where the answer
     * depends on the figures. */
    bool (*triggered)(const struct advice_input *input, struct advice *advice);
    const char *what; /* N_(): what to do; "" = said with the why */
};
extern const struct advice_rule advice_rules[];
extern const int advice_rule_count;

/* NULL when unknown. */
const struct advice_rule *advice_rule_find(const char *id);

struct advice {
    const struct advice_rule *rule;
    const char *why, *what; /* translated; `what` may be "" */
};

enum { ADVICE_MAX = 80 };

/* All that applies, the heaviest first, in the order of the table; returns how many. */
int advice_collect(const struct advice_input *input, struct advice found[ADVICE_MAX]);

#endif
