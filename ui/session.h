/* session.h - the answers of the last session, kept in $XDG_STATE_HOME/gpuwiz/last.yaml. */
#ifndef GPUWIZ_UI_SESSION_H
#define GPUWIZ_UI_SESSION_H

#include "data/scenario.h"

/* Writes them; a crash or a full disk leaves the former file whole. */
bool session_keep(const struct scenario *scenario, struct error *error);

/* False when there are none, or none that can still be read. */
bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena);

/* Writes a scenario file that `gpuwiz plan` and Ctrl-O read back. */
bool session_save(const struct scenario *scenario, const char *path, bool overwrite, struct error *error);

#endif
