/* term.h - the terminal: the only module that knows ncurses. Whatever way the program ends, the
 * terminal is given back as it was. */
#ifndef GPUWIZ_UI_TERM_H
#define GPUWIZ_UI_TERM_H

#include <stdbool.h>
#include "base/error.h"
#include "ui/canvas.h"
#include "ui/event.h"

/* False when TERM says that nothing can be drawn, or standard output is no terminal: then the
 * wizard asks line by line. */
bool term_usable(void);

/* True when the locale's character set is UTF-8. Sets the locale on the first call. */
bool term_utf8(void);

/* Takes the terminal: standard input and output, /dev/tty when input is piped. */
bool term_open(bool mouse, bool colour, struct error *error);

/* Gives it back, then writes what went to standard error meanwhile. Safe to call twice. */
void term_close(void);

int term_colours(void); /* 0, 8 or 256 */
void term_size(int *rows, int *cols);

/* Waits for the next event. EVENT_END: a signal asked for the end (see term_signal), or the terminal
 * is gone. Ctrl-Z stops the program and repaints when it goes on. */
struct event term_read(void);

/* The signal that asked for the end; 0 = none. */
int term_signal(void);

/* Shows a canvas; only what changed is sent. `anew`: everything. */
void term_paint(const struct canvas *canvas, int theme, bool anew);

#endif
