/* The chart: what is on the frontier, where points stand, and which ticks are shown. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "ui/chart.h"

enum { POINTS = 60 };

/* The same points on every run. */
static unsigned seed = 12345;
static double random_value(void)
{
    seed = seed * 1103515245u + 12345u;
    return pow(10, (double)(seed >> 16 & 0x3FF) / 200.0 - 2);
}

static bool beats(struct chart_point a, struct chart_point b, bool more_x)
{
    double x = more_x ? b.x - a.x : a.x - b.x, y = a.y - b.y;
    return x <= 0 && y <= 0 && (x < 0 || y < 0);
}

/* Worked out by hand: (1,9) and (3,4) and (8,1) stand, (4,4) is beaten by (3,4), (9,9) by all. */
static void the_frontier_is_what_no_other_point_beats(void **state)
{
    (void)state;
    const struct chart_point points[] = {{9, 9}, {3, 4},     {8, 1},  {4, 4},
                                         {1, 9}, {NAN, 0.1}, {0, 0.1}};
    int frontier[7];
    assert_int_equal(chart_frontier(points, 7, false, frontier), 3);
    assert_int_equal(frontier[0], 4);
    assert_int_equal(frontier[1], 1);
    assert_int_equal(frontier[2], 2);
    /* when more x is better (8,1) beats all but (9,9) */
    assert_int_equal(chart_frontier(points, 7, true, frontier), 2);
    assert_int_equal(frontier[0], 2);
    assert_int_equal(frontier[1], 0);
}

static void random_points_have_a_whole_frontier(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct chart_point points[POINTS];
        int frontier[POINTS], count = round % POINTS + 1;
        bool more_x = round % 2;
        double shared = random_value(); /* some points lie on one line */
        for (int i = 0; i < count; i++)
            points[i] = (struct chart_point){random_value(), i % 7 ? random_value() : shared};
        int found = chart_frontier(points, count, more_x, frontier);
        assert_true(found > 0);
        for (int i = 0; i < found; i++) {
            if (i > 0)
                assert_true(points[frontier[i]].x > points[frontier[i - 1]].x);
            for (int k = 0; k < count; k++)
                assert_false(beats(points[k], points[frontier[i]], more_x));
        }
        for (int k = 0; k < count; k++) {
            bool covered = false;
            for (int i = 0; i < found && !covered; i++)
                covered =
                    beats(points[frontier[i]], points[k], more_x) ||
                    (points[frontier[i]].x == points[k].x && points[frontier[i]].y == points[k].y);
            assert_true(covered);
        }
    }
}

static void points_stay_on_the_chart_in_their_order(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        double values[10];
        for (int i = 0; i < 10; i++)
            values[i] = random_value();
        struct chart_axis axis = chart_axis(values, 10);
        assert_true(axis.low > 0 && axis.low < axis.high);
        for (int cells = 1; cells < 200; cells += 13)
            for (int i = 0; i < 10; i++)
                for (int k = 0; k < 10; k++) {
                    int a = chart_cell(axis, values[i], cells),
                        b = chart_cell(axis, values[k], cells);
                    assert_in_range(a, 0, cells - 1);
                    if (values[i] < values[k])
                        assert_true(a <= b);
                }
    }
}

static void a_single_value_has_an_axis(void **state)
{
    (void)state;
    double one = 42, none = NAN;
    struct chart_axis axis = chart_axis(&one, 1);
    assert_true(axis.low < 42 && axis.high > 42);
    axis = chart_axis(&none, 1);
    assert_true(axis.low > 0 && axis.low < axis.high);
}

static void ticks_ascend_apart_and_fit(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        double values[2] = {random_value(), random_value()};
        struct chart_axis axis = chart_axis(values, 2);
        int cells = 8 + round % 150, apart = round % 2 ? 9 : 2;
        bool hours = round % 3 == 0;
        struct chart_tick ticks[CHART_TICKS];
        int count = chart_ticks(axis, cells, apart, hours, ticks);
        assert_in_range(count, 0, CHART_TICKS);
        if (cells > 40)
            assert_true(count >= 1);
        for (int i = 0; i < count; i++) {
            assert_true(ticks[i].value >= axis.low && ticks[i].value <= axis.high);
            assert_in_range(ticks[i].cell, 0, cells - 1);
            assert_true(*ticks[i].label != '\0' && strlen(ticks[i].label) < CHART_LABEL);
            if (i > 0) {
                assert_true(ticks[i].cell - ticks[i - 1].cell >= apart);
                assert_string_not_equal(ticks[i].label, ticks[i - 1].label);
            }
        }
    }
}

static void time_has_the_ticks_that_people_count_in(void **state)
{
    (void)state;
    struct chart_tick ticks[CHART_TICKS];
    struct chart_axis axis = {0.4, 50}; /* 24 minutes to two days */
    const char *const expected[] = {"30 min", "1 h", "2 h", "4 h", "8 h", "12 h", "1 d", "2 d"};
    int count = chart_ticks(axis, 200, 9, true, ticks);
    assert_int_equal(count, 8);
    for (int i = 0; i < count; i++)
        assert_string_equal(ticks[i].label, expected[i]);
}

static void money_has_round_ticks(void **state)
{
    (void)state;
    struct chart_tick ticks[CHART_TICKS];
    struct chart_axis axis = {90000, 3e6};
    int count = chart_ticks(axis, 60, 2, false, ticks);
    const char *const expected[] = {"100k", "200k", "500k", "1M", "2M"};
    assert_int_equal(count, 5);
    for (int i = 0; i < count; i++)
        assert_string_equal(ticks[i].label, expected[i]);
}

TEST_MAIN(cmocka_unit_test(the_frontier_is_what_no_other_point_beats),
          cmocka_unit_test(random_points_have_a_whole_frontier),
          cmocka_unit_test(points_stay_on_the_chart_in_their_order),
          cmocka_unit_test(a_single_value_has_an_axis),
          cmocka_unit_test(ticks_ascend_apart_and_fit),
          cmocka_unit_test(time_has_the_ticks_that_people_count_in),
          cmocka_unit_test(money_has_round_ticks))
