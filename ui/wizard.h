/* wizard.h - the way in from main.c: the wizard on a terminal, line by line, or from a key script. */
#ifndef GPUWIZ_UI_WIZARD_H
#define GPUWIZ_UI_WIZARD_H

#include "engine/constants.h"
#include "engine/offers.h"

enum wizard_colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct wizard_options {
    const struct catalog *catalog;
    const struct constants *constants;
    const struct scenario *scenario; /* answers already given; NULL = none */
    const char *today;               /* YYYY-MM-DD */
    bool plain;                      /* one question a line */
    bool ascii;
    bool no_mouse;
    enum wizard_colour colour;
    const char *data_folder;         /* of --data; NULL = none */
    const char *lesson;              /* start with this lesson; NULL = without */
    const char *script;              /* file of keys ("-" = standard input); no terminal is used */
    const char *dump;                /* where the last screen is written as text; NULL = standard output */
    const char *size;                /* "100x30" for a script; NULL = 80x24 */
};

/* Returns the exit status: 0 done, 1 error (told on standard error), 3 nothing fits (--plain). Falls
 * back to plain when there is no usable terminal. When a signal ended it the terminal is restored and
 * the signal raised again. */
int wizard_run(const struct wizard_options *options);

/* The wizard line by line, on standard input and output. */
int plain_run(const struct wizard_options *options);

#endif
