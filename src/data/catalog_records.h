/* catalog_records.h - the tables that turn the sections of a data file into the catalog's records.
 * Only catalog_load.c, and the test that compares them with gpuwiz-data(5), need them. */
#ifndef GPUWIZ_CATALOG_RECORDS_H
#define GPUWIZ_CATALOG_RECORDS_H

#include "data/catalog.h"
#include "data/yaml.h"

/* A record while it is read: itself, and the parts that mean something only together with the rest
 * of the file (source ids, nested lists). Field tables hold offsets into this struct. */
struct raw {
    union {
        struct gpu gpu;
        struct instance instance;
        struct price price;
        struct disk disk;
        struct service service;
        struct serverless_rate serverless;
        struct serverless_tier tier;
        struct managed_price managed;
        struct billing_rule rule;
        struct weight_format format;
        struct model model;
        struct alias alias;
        struct region region;
    } as;
    const struct yaml_node *source; /* ids of the file's `sources`, or a map of id: figures */
    const char *date;               /* of the record; NULL = the newest of its sources */
    const char *gpu_id;             /* instance: resolved when all files are read */
    const struct yaml_node *types, *fraction; /* instance */
    const struct yaml_node *regions;          /* price: region -> price of an hour */
    const struct yaml_node *kept;             /* weight format */
};

struct loader;

/* One section of a data file: a list of records under its key. */
struct section {
    const char *key;
    size_t size;                     /* of a record in the catalog */
    size_t records, count;           /* offsets into struct catalog */
    size_t source, date;             /* offsets into the record; SIZE_MAX = has none of its own */
    const struct yaml_field *fields; /* into struct raw */
    const struct yaml_field *nested; /* of the rows under `types`, NULL when there are none */
    /* Reads one entry and hands its records to loader_add. */
    bool (*read)(struct loader *loader, const struct section *section,
                 const struct yaml_node *entry, struct error *error);
    /* Completes a record and checks what one record can check; NULL = nothing to do. */
    bool (*finish)(const struct yaml_document *document, const struct yaml_node *entry,
                   struct raw *raw, struct error *error);
    /* Orders two records by identity: equal ones replace each other, later layers win. */
    int (*compare)(const void *a, const void *b);
    bool sorted;                     /* kept in that order, not in the order of the files */
};

enum section_id { /* in the order in which references can be checked */
    SECTION_REGIONS, SECTION_GPUS, SECTION_INSTANCES, SECTION_PRICES, SECTION_DISKS,
    SECTION_SERVICES, SECTION_SERVERLESS_TIERS, SECTION_SERVERLESS, SECTION_MANAGED,
    SECTION_RULES, SECTION_FORMATS, SECTION_MODELS, SECTION_ALIASES, SECTION_COUNT
};
extern const struct section catalog_sections[SECTION_COUNT];

/* The file being read, and where its records go. */
struct loader {
    struct catalog *catalog;
    struct yaml_document document;
    const struct yaml_node *sources; /* id -> text, or id -> {date, text} */
    const char *provider;            /* "" when the file names none */
    const char *layer;               /* "built in", or the overlay */
    int layer_number;
    const struct yaml_node *origin;  /* the last record's `source` and `date` as they stood */
    const char *origin_date;
    const char *source, *date;       /* and what they came to */
    struct row *rows[SECTION_COUNT];
    size_t counts[SECTION_COUNT], capacities[SECTION_COUNT];
};

/* Where a record stood, until all layers are merged. */
struct row {
    void *record;
    const char *reference; /* instance: the id of its GPU */
    const char *file;
    int line, column;
    int layer;
    size_t order;
};

/* Resolves source and date, finishes the record and adds it to its section. */
bool loader_add(struct loader *loader, const struct section *section,
                const struct yaml_node *entry, struct raw *raw, struct error *error);

/* Reads a record by a table: numbers start as NAN, texts as "". */
bool raw_read(const struct yaml_document *document, const struct yaml_node *entry,
              const struct yaml_field *fields, struct raw *raw, struct error *error);

#endif
