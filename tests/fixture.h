/* fixture.h - what most tests of the engine start from: the data of this tree, loaded once for all tests
 * of a program, and scenarios written as on the command line.
 *
 *     cmocka_run_group_tests(tests, fixture_load, fixture_unload) */
#ifndef GPUWIZ_TESTS_FIXTURE_H
#define GPUWIZ_TESTS_FIXTURE_H

#include "base/arena.h"
#include "data/catalog.h"
#include "data/scenario.h"
#include "engine/constants.h"

/* Of data/, without any overlay or installed copy; from fixture_load to fixture_unload. */
extern struct catalog catalog;
extern struct constants constants;
/* Lives as long; texts of scenarios are in it. */
extern struct arena *arena;

/* Set-up and tear-down of a group of cmocka tests. A failure is printed with its place. */
int fixture_load(void **state);
int fixture_unload(void **state);

/* The scenario of "key=value key=value ..."; fails the test on a pair that is refused. */
struct scenario answers(const char *pairs);

#endif
