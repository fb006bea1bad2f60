/* session.h - answers on disk: the last session, and scenario files. Files are written beside their
 * name and moved over it, so a crash or a full disk leaves the old one whole. */
#ifndef GPUWIZ_UI_SESSION_H
#define GPUWIZ_UI_SESSION_H

#include "data/scenario.h"

/* Writes a whole file; with `force` false an existing one is an error. */
bool file_write(const char *path, const char *bytes, size_t length, bool force, struct error *error);

/* The last session lies in $XDG_STATE_HOME/gpuwiz (or ~/.local/state/gpuwiz). */
bool session_keep(const struct scenario *scenario, struct error *error);

/* False when there is none, or none that can still be read. */
bool session_load(struct scenario *scenario, const struct catalog *catalog, struct arena *arena);

#endif
