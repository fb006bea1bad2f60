/* keymap.h - the one table of keys. Dispatch, footer, help overlay and the manual all loop over it,
 * so they cannot disagree. */
#ifndef GPUWIZ_UI_KEYMAP_H
#define GPUWIZ_UI_KEYMAP_H

#include <stdbool.h>
#include "ui/layout.h"
#include "ui/screen.h"

enum action {
    ACTION_NONE,
    /* moving about */
    ACTION_UP, ACTION_DOWN, ACTION_PAGE_UP, ACTION_PAGE_DOWN, ACTION_FIRST, ACTION_LAST,
    ACTION_LEFT, ACTION_RIGHT, ACTION_ENTER, ACTION_BACK,
    ACTION_STEP, ACTION_NEXT_STEP, ACTION_PREVIOUS_STEP,
    /* answers */
    ACTION_TOGGLE, ACTION_ALL_ROWS, ACTION_AUTO, ACTION_UNDO, ACTION_REDO, ACTION_RESUME,
    /* the table */
    ACTION_SORT, ACTION_SORT_REVERSE, ACTION_FILTER, ACTION_FIT, ACTION_BILLING, ACTION_EXCLUDED,
    ACTION_COMPARE, ACTION_ONLY_MARKED, ACTION_REMEDIES, ACTION_REMEDY, ACTION_CHART, ACTION_WHATIF, ACTION_MATRIX,
    ACTION_NEXT_GPU,
    /* results */
    ACTION_SAVE_REPORT, ACTION_PRINT, ACTION_COMMAND, ACTION_EXPLAIN,
    /* learning */
    ACTION_LEARN, ACTION_HINT,
    /* everywhere */
    ACTION_SAVE, ACTION_OPEN, ACTION_LANGUAGE, ACTION_THEME, ACTION_REDRAW, ACTION_HELP, ACTION_QUIT
};

enum { KEYS_MAX = 9 };

/* Columns: the keys that do it; what it does; the screens where it counts, as bits; the word in the
 * footer (NULL = not there; at most 12 cells in either language), and the sentence in help and
 * manual. The order of rows is the order of footer and help. */
struct key_row {
    int keys[KEYS_MAX + 1]; /* ends with 0 */
    enum action action;
    unsigned screens;
    const char *label; /* N_() */
    const char *help;  /* N_() */
};
extern const struct key_row keymap[];
extern const int keymap_rows;

#define ON(screen) (1u << (screen))

/* The row that a key has on a screen; NULL when it has none. */
const struct key_row *keymap_find(enum screen_id screen, int key);

/* True when the row counts on this screen only by being a row for nearly all of them. */
bool keymap_is_global(const struct key_row *row);

/* The keys of a row as text: "Enter", "s", "1-7"; `text` holds at least 48 bytes. */
const char *keymap_keys(const struct key_row *row, char *text);

/* What the footer shows for a row: its first key, or a range of many. At least 16 bytes. */
const char *keymap_footer_key(const struct key_row *row, char *text);

/* The footer as placed: help is always there, at the right; the others fill up from the left. */
enum { FOOTER_MAX = 16 };
struct footer_item {
    const struct key_row *row;
    int col, cells; /* from the left end of the footer */
};
int footer_layout(enum screen_id screen, int cells, struct footer_item items[FOOTER_MAX]);

#endif
