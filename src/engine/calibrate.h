/* calibrate.h - one run of the user's own makes later estimates for that stack and GPU his. */
#ifndef GPUWIZ_CALIBRATE_H
#define GPUWIZ_CALIBRATE_H

#include "engine/offers.h"

/* What was measured; NAN = not measured. */
struct measured {
    double memory_gib;   /* highest memory in use on the most loaded GPU, as nvidia-smi shows it */
    double tokens_per_s; /* trained, or input + output tokens served, by all GPUs together */
};

/* Reads "memory_gib=21.3" and "tokens_per_s=3500" into `measured`. */
bool measured_set(struct measured *measured, const char *pair, struct error *error);

/* Compares the run with the uncalibrated estimate of `scenario` and adds the ratios to the overlay
 * file (created when missing, the rest of it kept). `report` receives what was learnt, translated.
 * False when the scenario does not say which card it ran on, when the figures cannot be of this
 * job (less than the model states alone, 5 times off), or when the file cannot be written. */
bool calibrate(const struct catalog *catalog, const struct constants *constants,
               const struct scenario *scenario, const struct measured *measured, const char *today,
               const char *overlay_path, struct strbuf *report, struct error *error);

#endif
