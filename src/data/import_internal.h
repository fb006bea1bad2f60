/* import_internal.h - what the reading and the writing half of the import share. */
#ifndef GPUWIZ_IMPORT_INTERNAL_H
#define GPUWIZ_IMPORT_INTERNAL_H

#include "data/import.h"
#include "data/yaml.h"

/* How a source text of a row that came from an import begins; earlier rows are known by it. */
#define IMPORT_MARK "imported: "

struct import_price {
    struct price price;
    unsigned kept;           /* bits of amounts that are the replaced row's */
    const char *hour_date, *kept_date; /* of the hour kept, of everything else kept */
};

struct import_type { struct instance instance; };

/* Spot prices of one type in one zone, over all pages. */
struct import_zone { const char *type, *zone, *currency; double sum, hour; int count; };

struct import_counts {
    int pages, prices, types, unchanged, stock, unknown, unlinked, no_hour, no_region;
};

struct import {
    const struct catalog *catalog;
    const struct import_options *options;
    struct arena *arena;
    const char *file;
    struct import_price *prices; size_t price_count, price_capacity;
    struct import_type *types;   size_t type_count, type_capacity;
    struct import_zone *zones;   size_t zone_count, zone_capacity;
    struct import_counts counts;
};

/* Names and places of the amounts of a price, as in price files. */
struct import_amount { const char *key; size_t offset; };
extern const struct import_amount import_amounts[]; /* ends with key NULL */
double *import_amount(struct price *price, int index);
int import_amount_index(const char *key);

/* The row of a type in a region, made from the catalog's row (or empty) when it is the first time. */
struct import_price *import_price_row(struct import *import, const char *type, const char *region,
                                      const char *currency);
void import_set_amount(struct import *import, struct import_price *row, int index, double amount,
                       const char *api);
struct import_type *import_type_row(struct import *import, const struct instance *instance,
                                    const char *api);

/* One page, of whichever call it is (import_read.c). */
bool import_read_page(struct import *import, const struct yaml_document *document,
                      const struct yaml_node *page, struct error *error);

/* Turns the spot prices of all pages into rows, when the last page is read. */
void import_set_spot(struct import *import);

/* The overlay as YAML: new rows and the rows of earlier imports (import_write.c). */
void import_write(const struct import *import, struct strbuf *out);

#endif
