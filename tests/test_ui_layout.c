#include "tests/test.h"

#include "ui/layout.h"

static bool inside(struct rect rect, int rows, int cols)
{
    return rect.row >= 0 && rect.col >= 0 && rect.rows >= 0 && rect.cols >= 0 && rect.row + rect.rows <= rows &&
           rect.col + rect.cols <= cols;
}

static bool overlap(struct rect a, struct rect b)
{
    return a.rows > 0 && b.rows > 0 && a.cols > 0 && b.cols > 0 && a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static void zones_lie_inside_and_apart_at_every_size(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 80; rows++)
        for (int cols = 1; cols <= 250; cols++)
            for (int live = 0; live < 2; live++) {
                struct frame f = frame_layout(rows, cols, live);
                const struct rect zones[] = {f.steps, f.answers, f.top_rule, f.main, f.rule, f.live, f.message, f.footer};
                enum { COUNT = sizeof zones / sizeof *zones };
                for (int i = 0; i < COUNT; i++) {
                    assert_true(inside(zones[i], rows, cols));
                    for (int k = i + 1; k < COUNT; k++)
                        assert_false(overlap(zones[i], zones[k]));
                }
                assert_true(f.main.rows > 0 && f.main.cols > 0);
            }
}

static void from_60x20_every_zone_is_there_and_useful(void **state)
{
    (void)state;
    for (int rows = 20; rows <= 80; rows++)
        for (int cols = 60; cols <= 250; cols++) {
            struct frame f = frame_layout(rows, cols, true);
            assert_false(f.too_small);
            assert_true(f.main.rows >= 7 && f.main.cols >= 38);
            assert_true(f.live.rows >= 6 && f.live.cols >= 50);
            assert_int_equal(f.wide, cols >= 100);
        }
    assert_true(frame_layout(19, 200, true).too_small);
    assert_true(frame_layout(60, 59, true).too_small);
}

static void the_cursor_is_always_in_the_window(void **state)
{
    (void)state;
    for (int rows = 1; rows < 12; rows++)
        for (int count = 1; count < 30; count++) {
            int top = 0;
            for (int i = 0; i < 3 * count; i++) {
                int cursor = i * 7 % count;
                top = scroll_top(top, cursor, count, rows);
                assert_true(top >= 0 && cursor >= top && cursor < top + rows);
                assert_true(count <= rows ? top == 0 : top + rows <= count);
            }
        }
}

TEST_MAIN(cmocka_unit_test(zones_lie_inside_and_apart_at_every_size),
          cmocka_unit_test(from_60x20_every_zone_is_there_and_useful),
          cmocka_unit_test(the_cursor_is_always_in_the_window))
