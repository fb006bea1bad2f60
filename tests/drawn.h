/* drawn.h - scenarios drawn at random from the table of questions, with presets and made-up shapes
 * alike; the same in every run of a program. For properties that hold of any answer. */
#ifndef GPUWIZ_TESTS_DRAWN_H
#define GPUWIZ_TESTS_DRAWN_H

#include "tests/fixture.h"

/* The next draws are those of `seed`. */
void drawn_begin(uint64_t seed);

/* A scenario that passes scenario_check; its texts are in `room`. Needs the catalog of fixture.h.
 */
void drawn_scenario(struct scenario *scenario, struct arena *room);

/* A number from `low` to `high` on a logarithmic scale, the ends now and then. */
double drawn_between(double low, double high);

/* A number from 0, less than `count`. */
size_t drawn_below(size_t count);

#endif
