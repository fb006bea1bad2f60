/* arith.h - works out an expression as it is printed for people: "8,030,261,248 x 2 / 2^30". So a
 * formula with numbers in it can be checked against the figure beside it. */
#ifndef GPUWIZ_ARITH_H
#define GPUWIZ_ARITH_H

#include <stdbool.h>

/* + - x / ^ ( ), max(a, b), min(a, b), sqrt(a), floor(a); numbers with thousands separators, the
 * suffixes k M B T of 1000 and its powers, and %. False on anything else. */
bool arith_evaluate(const char *text, double *value);

#endif
