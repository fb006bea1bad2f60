/* lists.h - what the catalog holds, as tables: `gpuwiz list`. */
#ifndef GPUWIZ_LISTS_H
#define GPUWIZ_LISTS_H

#include "data/catalog.h"
#include "report/table.h"

/* NULL-terminated: "models", "gpus", ... */
extern const char *const list_names[];

/* Fills `table` with the list of that name: all of it, or only the rows in which some cell holds
 * `filter` (upper and lower case alike). A filter that is a name nobody sells, or that no row holds,
 * is an error that says what comes near. `sources` adds where each record comes from.
 * `folder` is that of --data, where lessons and glossary are looked for first.
 * Dates of prices that are stale on the day `today` have a star. */
bool list_fill(const char *name, const char *filter, bool sources, const char *folder,
               const struct catalog *catalog, const char *today, struct arena *arena,
               struct table *table, struct error *error);

#endif
