/* screen.h - the program in a pseudo-terminal, with a terminal emulator (libvterm) on the other side:
 * type real keys, read real cells. */
#ifndef GPUWIZ_TEST_SCREEN_H
#define GPUWIZ_TEST_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"

struct screen_under_test;

struct screen_options {
    int rows, cols;              /* 0 = 24 x 80 */
    const char *term;            /* NULL = xterm-256color */
    const char *locale;          /* NULL = C.UTF-8 */
    const char *const *set;      /* more environment: "NAME=value" ..., NULL-terminated; "NAME=" unsets */
    const char *const *arguments;/* of the program, NULL-terminated; NULL = none */
    const char *home;            /* HOME and all XDG folders lie below; must be given */
};

/* Starts $GPUWIZ_PROGRAM; fails the test when it cannot. */
struct screen_under_test *screen_start(const struct screen_options *options);

/* Waits up to `seconds` until a text stands on the screen; false when it never does. */
bool screen_wait(struct screen_under_test *screen, const char *text, double seconds);
/* Reads what comes until nothing has come for `ms`. */
void screen_settle(struct screen_under_test *screen, int ms);

/* Presses keys by the names of a key script: "Down Enter \"7b\" Ctrl-S". Settles after each. */
void screen_keys(struct screen_under_test *screen, const char *keys);
/* Sends bytes as they are. */
void screen_send(struct screen_under_test *screen, const char *bytes);
void screen_click(struct screen_under_test *screen, int row, int col);
void screen_resize(struct screen_under_test *screen, int rows, int cols);
void screen_signal(struct screen_under_test *screen, int number);

/* The text of a row without trailing blanks; of all rows. Appended. */
void screen_row(struct screen_under_test *screen, int row, struct strbuf *out);
void screen_text(struct screen_under_test *screen, struct strbuf *out);
bool screen_has(struct screen_under_test *screen, const char *text);
/* The row that holds a text, and the column in cells where it begins; -1 = none. */
int screen_find(struct screen_under_test *screen, const char *text, int *col);

struct screen_cell {
    uint32_t character;   /* 0xFFFFFFFF: right half of a wide one */
    int width;
    int fg, bg;           /* palette index; -1 = the terminal's own */
    bool bold, reverse, underline;
};
struct screen_cell screen_cell_at(struct screen_under_test *screen, int row, int col);

bool screen_is_alternate(const struct screen_under_test *screen);
unsigned long screen_bytes(const struct screen_under_test *screen); /* received so far */
/* The terminal's own settings: canonical input and echo are on. */
bool screen_is_sane(const struct screen_under_test *screen);

/* Waits for the end; the status as waitpid gives it, -1 when it does not end within 5 s. */
int screen_end(struct screen_under_test *screen);
/* Ends the program if need be and frees everything. */
void screen_free(struct screen_under_test *screen);

/* Draws the cells as an SVG picture: text by runs, blocks and lines as shapes. */
void screen_picture(struct screen_under_test *screen, int rows, int cols, struct strbuf *svg);

#endif
