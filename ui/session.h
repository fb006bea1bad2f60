/* session.h - what is kept from one run to the next, in $XDG_STATE_HOME/gpuwiz: the answers
 * (last.yaml) and the colours (theme). */
#ifndef GPUWIZ_UI_SESSION_H
#define GPUWIZ_UI_SESSION_H

#include "data/scenario.h"

/* Writes them; a crash or a full disk leaves the former file whole. */
bool session_keep(const struct scenario *scenario, struct error *error);

/* False when there are none, or none that can still be read. */
bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena);

/* The colours chosen last, kept beside them; THEME_DEFAULT when none were. What cannot be kept is no
 * reason to complain. */
int session_theme(void);
void session_keep_theme(int theme);

/* Writes a scenario file that `gpuwiz plan` and Ctrl-O read back. */
bool session_save(const struct scenario *scenario, const char *path, bool overwrite, struct error *error);

#endif
