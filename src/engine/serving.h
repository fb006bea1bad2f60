/* serving.h - throughput of a served model at the loads that cost figures are quoted at. */
#ifndef GPUWIZ_SERVING_H
#define GPUWIZ_SERVING_H

#include "engine/speed.h"

/* Output tokens per second of one replica; NAN = not modelled. */
struct serving_rates {
    double batch1_output_tokens_per_s;    /* one request at a time */
    double load_output_tokens_per_s;      /* at the concurrency or request rate asked for */
    double saturated_output_tokens_per_s; /* as many sequences as fit */
    double prefill_tokens_per_s;          /* prompt tokens, nothing else running */
    double saturated_batch;               /* sequences */
};
struct serving_rates serving_rates(const struct job *job, const struct hardware *hardware,
                                   const struct layout *layout, const struct memory *memory,
                                   const struct constants *constants);

#endif
