/* test.h - what every test file starts with. Tests are named as sentences and check values worked
 * out by hand or published. */
#ifndef GPUWIZ_TEST_H
#define GPUWIZ_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

/* Within a share of the expected value; prints both when not. */
#define assert_near(actual, expected, share) \
    assert_near_at((actual), (expected), (share), #actual, __FILE__, __LINE__)

static inline void __attribute__((unused))
assert_near_at(double actual, double expected, double share, const char *what, const char *file, int line)
{
    if (!(fabs(actual - expected) <= share * fabs(expected) + 1e-12)) {
        print_error("%s = %.10g, expected %.10g within %g %%\n", what, actual, expected, share * 100);
        _fail(file, line);
    }
}

#define TEST_MAIN(...) \
    int main(void) \
    { \
        const struct CMUnitTest tests[] = {__VA_ARGS__}; \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif
