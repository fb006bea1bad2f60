/* canvas.h - a sheet of cells that screens draw on. All text reaches the terminal through its one
 * width-aware writer, which drops control characters; tests and --dump-screen read the same cells
 * that the terminal shows. */
#ifndef GPUWIZ_UI_CANVAS_H
#define GPUWIZ_UI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "base/text.h"
#include "ui/layout.h"
#include "ui/theme.h"

struct cell {
    uint32_t chars[3];  /* the character and up to two combining ones, 0 = none */
    uint8_t width;      /* 1 or 2; 0 = right half of a wide character */
    uint8_t role;       /* enum role: the foreground */
    uint8_t back;       /* enum role whose foreground fills the background; 0 = none */
    bool selected;
};

struct canvas {
    int rows, cols;
    struct cell *cells;
    bool ascii;         /* line art and symbols are replaced by ASCII */
    bool patterns;      /* no colours: bars tell their parts apart by pattern */
    int cursor_row, cursor_col; /* where the real cursor stands: the selected row, for screen readers */
    bool cursor_shown;
};

void canvas_resize(struct canvas *canvas, int rows, int cols);
void canvas_clear(struct canvas *canvas); /* blanks all cells */
void canvas_free(struct canvas *canvas);

/* NULL outside. */
const struct cell *canvas_cell(const struct canvas *canvas, int row, int col);

/* Writes `text` from (row, col) over at most `cells` cells; too long a text ends in "…". Parts outside
 * the canvas are left out. Returns the cells used. */
int canvas_text(struct canvas *canvas, int row, int col, int cells, enum role role, const char *text);
int canvas_printf(struct canvas *canvas, int row, int col, int cells, enum role role,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The same, aligned in a field of exactly `cells`. */
void canvas_field(struct canvas *canvas, int row, int col, int cells, enum text_align align,
                  enum role role, const char *text);

/* Text wrapped into a rectangle, `skip` lines left out at the top; returns the number of lines the
 * whole text has. With canvas NULL it only counts. */
int canvas_wrapped(struct canvas *canvas, struct rect rect, int skip, enum role role, const char *text);

/* One character, with a second role as its background (0 = none): for bars. */
void canvas_put(struct canvas *canvas, int row, int col, uint32_t character, enum role role,
                enum role back);

void canvas_blank(struct canvas *canvas, struct rect rect);
void canvas_select(struct canvas *canvas, int row, int col, int cells); /* marks cells as selected */
void canvas_rule(struct canvas *canvas, struct rect rect); /* a line along the longer side */

/* Puts the real cursor; `shown` in text entry. */
void canvas_cursor(struct canvas *canvas, int row, int col, bool shown);

/* The text of one row without trailing blanks, or of all rows, each ended by a newline; appended. */
void canvas_row_text(const struct canvas *canvas, int row, struct strbuf *out);
void canvas_dump(const struct canvas *canvas, struct strbuf *out);

#endif
