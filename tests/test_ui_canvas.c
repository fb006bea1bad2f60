#include "tests/test.h"

#include <string.h>
#include "ui/canvas.h"
#include "ui/widgets.h"

/* The text of one row of a fresh canvas after `draw`. */
static void row_is(const struct canvas *canvas, int row, const char *expected)
{
    struct strbuf text = {0};
    canvas_row_text(canvas, row, &text);
    assert_string_equal(strbuf_text(&text), expected);
    strbuf_clear(&text);
}

static int width_in_cells(const struct canvas *canvas, int row)
{
    int cells = 0;
    for (int col = 0; col < canvas->cols; col++)
        cells += canvas_cell(canvas, row, col)->width;
    return cells;
}

static void chinese_takes_two_cells_and_is_never_cut_in_half(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 1, 10);
    /* three characters are six cells; five leave room for two and the mark */
    assert_int_equal(canvas_text(&canvas, 0, 0, 5, ROLE_TEXT, "显存占"), 5);
    row_is(&canvas, 0, "显存…");
    assert_int_equal(canvas_cell(&canvas, 0, 0)->width, 2);
    assert_int_equal(canvas_cell(&canvas, 0, 1)->width, 0);
    canvas_clear(&canvas);
    assert_int_equal(canvas_text(&canvas, 0, 0, 4, ROLE_TEXT, "显存占"), 3);
    row_is(&canvas, 0, "显…");
    canvas_free(&canvas);
}

static void writing_over_half_a_wide_character_removes_its_other_half(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 1, 6);
    canvas_text(&canvas, 0, 0, 6, ROLE_TEXT, "显存占");
    canvas_text(&canvas, 0, 1, 1, ROLE_TEXT, "x");
    assert_int_equal(width_in_cells(&canvas, 0), 6);
    row_is(&canvas, 0, " x存占");
    canvas_text(&canvas, 0, 4, 1, ROLE_TEXT, "y");
    row_is(&canvas, 0, " x存y");
    assert_int_equal(width_in_cells(&canvas, 0), 6);
    canvas_free(&canvas);
}

static void combining_marks_join_the_cell_before_them(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 1, 10);
    assert_int_equal(canvas_text(&canvas, 0, 0, 10, ROLE_TEXT, "e\xCC\x81x"), 2);
    assert_int_equal(canvas_cell(&canvas, 0, 0)->chars[1], 0x301);
    assert_int_equal(canvas_cell(&canvas, 0, 1)->chars[0], 'x');
    canvas_free(&canvas);
}

static void control_characters_never_reach_a_cell(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 1, 40);
    /* CSI, C1 CSI, tab, delete, right-to-left override, zero-width space, BOM */
    assert_int_equal(canvas_text(&canvas, 0, 0, 40, ROLE_TEXT,
                                 "a\033[31mb\xC2\x9B" "c\td\177e\xE2\x80\xAE" "f\xE2\x80\x8Bg\xEF\xBB\xBFh"), 12);
    row_is(&canvas, 0, "a[31mbcdefgh");
    canvas_free(&canvas);
}

static void ascii_mode_leaves_no_symbol(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 2, 20);
    canvas.ascii = true;
    canvas_text(&canvas, 0, 0, 20, ROLE_TEXT, "▸ ¥1 → 2 · ✓ ▲ …");
    canvas_rule(&canvas, (struct rect){1, 0, 1, 20});
    for (int row = 0; row < 2; row++)
        for (int col = 0; col < 20; col++)
            assert_true(canvas_cell(&canvas, row, col)->chars[0] < 0x80);
    row_is(&canvas, 1, "--------------------");
    canvas_free(&canvas);
}

static void a_field_is_exactly_as_wide_as_asked(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "显存", "a显b存c", "0123456789", "显存显存显存"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int cells = 1; cells <= 12; cells++) {
            struct canvas canvas = {0};
            canvas_resize(&canvas, 1, 20);
            canvas_text(&canvas, 0, cells, 1, ROLE_TEXT, "|");
            canvas_field(&canvas, 0, 0, cells, TEXT_RIGHT, ROLE_TEXT, texts[i]);
            assert_int_equal(canvas_cell(&canvas, 0, cells)->chars[0], '|');
            assert_int_equal(width_in_cells(&canvas, 0), 20);
            canvas_free(&canvas);
        }
}

static void drawing_outside_changes_nothing_and_does_not_crash(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    canvas_resize(&canvas, 2, 4);
    canvas_text(&canvas, -1, 0, 4, ROLE_TEXT, "up");
    canvas_text(&canvas, 2, 0, 4, ROLE_TEXT, "down");
    canvas_text(&canvas, 0, -2, 8, ROLE_TEXT, "显存显存");
    canvas_text(&canvas, 1, 3, 8, ROLE_TEXT, "显");
    canvas_select(&canvas, 1, -5, 20);
    assert_int_equal(width_in_cells(&canvas, 0), 4);
    row_is(&canvas, 1, "");
    canvas_free(&canvas);
}

/* 10 GiB of 16 on 16 cells: 10 cells. 5.5 + 4.5: the first part ends half-way into the sixth cell. */
static void stacked_parts_meet_inside_a_cell_in_both_colours(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    const struct bar_part parts[] = {{5.5, ROLE_BAR_WEIGHTS, '#'}, {4.5, ROLE_BAR_LOGITS, '='}};
    canvas_resize(&canvas, 1, 16);
    bar_draw(&canvas, 0, 0, 16, parts, 2, 1.0);
    row_is(&canvas, 0, "█████▌████");
    assert_int_equal(canvas_cell(&canvas, 0, 5)->role, ROLE_BAR_WEIGHTS);
    assert_int_equal(canvas_cell(&canvas, 0, 5)->back, ROLE_BAR_LOGITS);
    canvas_clear(&canvas);
    canvas.ascii = true;
    bar_draw(&canvas, 0, 0, 16, parts, 2, 1.0);
    row_is(&canvas, 0, "######===="); /* half and half goes to the part on the left */
    canvas_free(&canvas);
}

static void the_smallest_part_still_shows(void **state)
{
    (void)state;
    struct canvas canvas = {0};
    const struct bar_part part = {0.001, ROLE_BAR_WEIGHTS, '#'};
    canvas_resize(&canvas, 1, 16);
    bar_draw(&canvas, 0, 0, 16, &part, 1, 1.0);
    row_is(&canvas, 0, "▏");
    canvas_free(&canvas);
}

TEST_MAIN(cmocka_unit_test(chinese_takes_two_cells_and_is_never_cut_in_half),
          cmocka_unit_test(writing_over_half_a_wide_character_removes_its_other_half),
          cmocka_unit_test(combining_marks_join_the_cell_before_them),
          cmocka_unit_test(control_characters_never_reach_a_cell),
          cmocka_unit_test(ascii_mode_leaves_no_symbol),
          cmocka_unit_test(a_field_is_exactly_as_wide_as_asked),
          cmocka_unit_test(drawing_outside_changes_nothing_and_does_not_crash),
          cmocka_unit_test(stacked_parts_meet_inside_a_cell_in_both_colours),
          cmocka_unit_test(the_smallest_part_still_shows))
