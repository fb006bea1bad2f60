/* layout.h - where things stand on a screen of any size. Pure: rectangles from a size. */
#ifndef GPUWIZ_UI_LAYOUT_H
#define GPUWIZ_UI_LAYOUT_H

#include <stdbool.h>

struct rect {
    int row, col, rows, cols;
};

enum {
    FRAME_MIN_ROWS = 20, FRAME_MIN_COLS = 60, /* smaller: a message and q */
    FRAME_WIDE_COLS = 100                     /* from here the live pane stands at the right */
};

/* The zones of a screen; a zone that is not there has no rows. */
struct frame {
    bool too_small;      /* only `main` is there: the whole screen */
    bool wide;           /* live pane beside `main`, else below it */
    struct rect steps;   /* the step bar */
    struct rect answers; /* one line: the answers so far */
    struct rect top_rule;
    struct rect main;    /* form, list, table, text */
    struct rect rule;    /* between main and live: one row, or one column when wide */
    struct rect live;
    struct rect message; /* results and errors */
    struct rect footer;  /* keys */
};

/* `live`: the screen has a live pane. */
struct frame frame_layout(int rows, int cols, bool live);

bool rect_has(struct rect rect, int row, int col);

/* The first `rows` rows of a rectangle, and what is left below them. */
struct rect rect_top(struct rect rect, int rows);
struct rect rect_below(struct rect rect, int rows);

/* First visible row so that `cursor` of `count` rows is seen in a window of `rows`; `top` is the
 * former one and changes as little as possible. */
int scroll_top(int top, int cursor, int count, int rows);

#endif
