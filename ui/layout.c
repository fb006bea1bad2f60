/* layout.c - rectangles from a size. */
#include "ui/layout.h"

enum { GUTTER = 3, LIVE_MIN_COLS = 54, LIVE_MAX_COLS = 96, LIVE_ROWS_MAX = 12 };

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

struct frame frame_layout(int rows, int cols, bool live)
{
    struct frame frame = {0};
    if (rows < FRAME_MIN_ROWS || cols < FRAME_MIN_COLS) {
        frame.too_small = true;
        frame.main = (struct rect){0, 0, rows, cols};
        return frame;
    }
    frame.steps = (struct rect){0, 1, 1, cols - 2};
    frame.answers = (struct rect){1, 1, 1, cols - 2};
    frame.top_rule = (struct rect){2, 0, 1, cols};
    frame.message = (struct rect){rows - 2, 1, 1, cols - 2};
    frame.footer = (struct rect){rows - 1, 1, 1, cols - 2};
    struct rect middle = {3, 1, rows - 5, cols - 2};
    frame.main = middle;
    if (!live)
        return frame;
    frame.wide = cols >= FRAME_WIDE_COLS;
    if (frame.wide) {
        int width = clamp(middle.cols / 2, LIVE_MIN_COLS, LIVE_MAX_COLS);
        frame.main.cols = middle.cols - width - GUTTER;
        frame.rule = (struct rect){middle.row, middle.col + frame.main.cols + 1, middle.rows, 1};
        frame.live = (struct rect){middle.row, middle.col + frame.main.cols + GUTTER, middle.rows, width};
    } else {
        int height = clamp(middle.rows * 9 / 19, 7, LIVE_ROWS_MAX);
        frame.main.rows = middle.rows - height - 1;
        frame.rule = (struct rect){middle.row + frame.main.rows, 0, 1, cols};
        frame.live = (struct rect){frame.rule.row + 1, middle.col, height, middle.cols};
    }
    return frame;
}

bool rect_has(struct rect rect, int row, int col)
{
    return row >= rect.row && row < rect.row + rect.rows && col >= rect.col &&
           col < rect.col + rect.cols;
}

struct rect rect_top(struct rect rect, int rows)
{
    rect.rows = clamp(rows, 0, rect.rows);
    return rect;
}

struct rect rect_below(struct rect rect, int rows)
{
    rows = clamp(rows, 0, rect.rows);
    rect.row += rows;
    rect.rows -= rows;
    return rect;
}

int scroll_top(int top, int cursor, int count, int rows)
{
    if (rows <= 0)
        return 0;
    if (cursor < top)
        top = cursor;
    if (cursor >= top + rows)
        top = cursor - rows + 1;
    return clamp(top, 0, count > rows ? count - rows : 0);
}
