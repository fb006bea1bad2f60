/* widgets.h - the small parts that screens share: a line of text being typed, a list position, bars. */
#ifndef GPUWIZ_UI_WIDGETS_H
#define GPUWIZ_UI_WIDGETS_H

#include "engine/memory.h"
#include "ui/canvas.h"
#include "ui/event.h"

/* A line being typed; the cursor counts bytes and stands between characters. */
struct input {
    char text[256];
    int length, cursor;
};
void input_set(struct input *input, const char *text);
/* Takes a character, Backspace, Delete, Left, Right, Home, End or a paste; false when it was none. */
bool input_event(struct input *input, const struct event *event);
/* Draws it in `cells` cells, scrolled so that the cursor is seen, and places the real cursor. */
void input_draw(const struct input *input, struct canvas *canvas, int row, int col, int cells);

/* A position in a list of `count` rows seen through a window. */
struct list {
    int cursor, top;
};
/* Moves by an enum action; false when it is no movement. */
bool list_act(struct list *list, int action, int count, int page);
void list_keep(struct list *list, int count, int rows); /* back into range after a change */

/* "12-24 of 117" at the right end of a row, when not all rows are seen. */
void list_position(struct canvas *canvas, int row, int right, const struct list *list, int count, int rows);

/* One part of a stacked bar. Without colours parts are told apart by glyph. */
struct bar_part {
    double value;
    enum role role;
    uint32_t glyph;
};
/* Stacks parts from the left in eighths of a cell; `per_cell` is the value of one cell. */
void bar_draw(struct canvas *canvas, int row, int col, int cells, const struct bar_part *parts,
              int count, double per_cell);

/* Memory of one GPU against its capacity: components, the band as a thin tail, the pre-allocated pool
 * in a second shade, and what is past the capacity mark in a third. The mark stands at 4/5. */
void bar_memory(struct canvas *canvas, int row, int col, int cells, const struct memory *memory);

/* "A10: █ weights 14.2  ▓ activations 2.1 ..." in as many rows as needed up to rect.rows; returns
 * them. Without a name when `gpu` is NULL. */
int bar_legend(struct canvas *canvas, struct rect rect, const struct gpu *gpu, const struct memory *memory);

/* The short name of a GPU as people write it: "A100-80". At least 32 bytes. Returns `text`. */
const char *gpu_short(const struct gpu *gpu, char *text);

/* "¥" or "CNY ", to be put before an amount. */
const char *yuan_sign(const struct canvas *canvas);

/* The role in which a verdict is shown; its word always stands beside it. */
enum role verdict_role(enum verdict verdict);
const char *verdict_word(enum verdict verdict); /* translated */

#endif
