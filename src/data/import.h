/* import.h - the JSON of the provider's own command line (`aliyun ecs Describe...`) turned into an
 * overlay of prices and instance types in the user's configuration folder. Files are read, nothing
 * is ever fetched, and no key is ever asked for. */
#ifndef GPUWIZ_IMPORT_H
#define GPUWIZ_IMPORT_H

#include "base/strbuf.h"
#include "data/catalog.h"

/* What a response does not say of itself. DescribePrice names neither the type nor the region nor
 * the period it was asked for; the others name all they need. */
struct import_options {
    const char *type;    /* "ecs.gn7i-c8g1.2xlarge"; NULL = in the file's name */
    const char *region;  /* "cn-beijing"; NULL = in the file's name */
    const char *period;  /* one of import_periods; NULL = in the file's name, else hour */
    const char *today;   /* YYYY-MM-DD: the date of the quotes */
};
extern const char *const import_periods[]; /* hour, month, year, year2, ..., spot; NULL-terminated */

/* Where the overlay is written: imported.yaml in the configuration folder. NULL without a home. */
const char *import_overlay_path(struct arena *arena);

/* Reads files of DescribeInstanceTypes, DescribePrice, DescribeSpotPriceHistory, DescribeSpotAdvice
 * and DescribeAvailableResource, each told by its keys; a file may hold one page, several pages one
 * after another, or a list of pages. Rows imported earlier stay unless a new row replaces them; a
 * row keeps the figures of the row it replaces that the files do not hold, as long as they are not
 * stale (the price of an hour always), and is dated by its oldest figure. Types that the catalog
 * does not know are counted and left out, never guessed. The overlay is replaced whole or not at
 * all. `report` receives what was learnt, translated, a line each. */
bool import_files(const struct catalog *catalog, const char *const *paths, int count,
                  const struct import_options *options, const char *overlay_path,
                  struct strbuf *report, struct error *error);

#endif
