/* keys.h - the benchmark of single keys, for bench.c. */
#ifndef GPUWIZ_BENCH_KEYS_H
#define GPUWIZ_BENCH_KEYS_H

#include "engine/offers.h"

/* Walks through all screens with these answers and prints the time from a key to the finished cells. */
void keys_bench(const char *name, const struct catalog *catalog, const struct constants *constants,
                const struct scenario *scenario);

#endif
