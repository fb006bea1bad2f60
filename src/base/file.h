/* file.h - whole files, read and written so that nothing is ever half there. */
#ifndef GPUWIZ_FILE_H
#define GPUWIZ_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"

/* What errors call it: the path, or "standard input" for "-". */
const char *file_name(const char *path);

/* Reads a file of at most `max_bytes` into `text`; "-" is standard input. False when it cannot be
 * read or is longer. */
bool file_read(const char *path, size_t max_bytes, struct strbuf *text, struct error *error);

/* Writes beside `path` and renames, so that the old file stays whole until the new one is: mkstemp,
 * fsync, rename. Folders that are missing on the way are made (0700). Refuses an existing file unless
 * `overwrite`. A file that was there keeps its mode and a link stays a link; a device or pipe is
 * written to, never replaced. */
bool file_write(const char *path, const char *bytes, size_t length, bool overwrite,
                struct error *error);

/* For files that are read, changed and written back: whoever else asks for the lock of a file in the
 * same folder waits until file_unlock. -1 when there is no lock to be had (some network folders): no
 * reason not to go on. The folder is made where it is missing. */
int file_lock(const char *path);
void file_unlock(int lock);

/* `folder`/gpuwiz/`name` under an XDG base folder: the environment variable when it is an absolute
 * path, else $HOME/`fallback`. NULL without a home. file_xdg(a, "XDG_CONFIG_HOME", ".config", "x"). */
const char *file_xdg(struct arena *arena, const char *variable, const char *fallback, const char *name);

#endif
