#include "data/catalog.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/strbuf.h"
#include "data/catalog_records.h"
#include "data/data_files.h"

#define SCHEMA "gpuwiz.catalog/1"

/* ---- sources and dates --------------------------------------------------------------------- */

/* What one id of `sources` stands for, appended; `newest` becomes its date when that is later. `at`
 * is where the id stands. */
static bool add_source(const struct loader *loader, const struct yaml_node *at, bool at_key,
                       const char *id, struct strbuf *out, const char **newest,
                       struct error *error)
{
    const struct yaml_node *node = loader->sources ? yaml_get(loader->sources, id) : NULL;
    if (!node) {
        yaml_error(&loader->document, at, at_key, error, tr("unknown source '%s'"), id);
        return error_hint(error, "%s", tr("the file's own `sources` says what each id stands for"));
    }
    const struct yaml_node *date = yaml_get(node, "date");
    const struct yaml_node *text = node->kind == YAML_MAP ? yaml_get(node, "text") : node;
    if (!text || text->kind != YAML_SCALAR || !*text->text)
        return yaml_error(&loader->document, node, true, error, "%s",
                          tr("a source is a text, or {date: ..., text: ...}"));
    strbuf_add(out, out->length > 0 ? "; " : "");
    strbuf_add(out, text->text);
    if (date && strcmp(date->text, *newest) > 0)
        *newest = date->text;
    return true;
}

/* Ids with spaces between them. */
static bool add_sources(const struct loader *loader, const struct yaml_node *node,
                        struct strbuf *out, const char **newest, struct error *error)
{
    for (const char *next = node->text; *next; next += strspn(next, " ")) {
        char id[64];
        size_t length = strcspn(next, " ");
        snprintf(id, sizeof id, "%.*s", (int)length, next);
        next += length;
        if (!add_source(loader, node, false, id, out, newest, error))
            return false;
    }
    return true;
}

/* The texts behind `source`: ids, or a map of id: the figures that are from it. */
static bool resolve_source(struct loader *loader, struct raw *raw, struct error *error)
{
    const struct yaml_node *node = raw->source;
    struct strbuf text = {0};
    const char *newest = "";
    bool good = node->kind == YAML_SCALAR ? add_sources(loader, node, &text, &newest, error)
                                          : node->kind == YAML_MAP;
    for (const struct yaml_node *part = node->first; good && part; part = part->next) {
        good = add_source(loader, part, true, part->key, &text, &newest, error);
        strbuf_printf(&text, " (%s)", part->text);
    }
    if (node->kind == YAML_LIST || (good && text.length == 0))
        good = yaml_error(&loader->document, node, false, error, "%s",
                          tr("`source` is ids with spaces between them, or a map of id: figures"));
    if (good)
        loader->source = arena_strdup(loader->catalog->arena, strbuf_text(&text));
    strbuf_clear(&text);
    loader->date = raw->date ? raw->date : newest;
    return good;
}

static bool check_date(const struct loader *loader, const struct yaml_node *entry,
                       struct error *error)
{
    const char *date = loader->date;
    if (!isnan(catalog_age_days(date, date)))
        return true;
    const struct yaml_node *node = yaml_get(entry, "date");
    yaml_error(&loader->document, node ? node : entry, false, error,
               *date ? tr("'%s' is no date") : tr("neither the record nor its source has a date%s"),
               date);
    return error_hint(error, "%s", tr("2026-09-24, 2026-09 or 2026"));
}

/* Leaves source and date of the record in the loader. Most records share them with the one before:
 * the types of a family, the regions of a price. */
static bool resolve_origin(struct loader *loader, const struct yaml_node *entry, struct raw *raw,
                           struct error *error)
{
    if (raw->source == loader->origin && raw->date == loader->origin_date)
        return true;
    loader->origin = raw->source;
    loader->origin_date = raw->date;
    return resolve_source(loader, raw, error) && check_date(loader, entry, error);
}

/* ---- adding records ------------------------------------------------------------------------ */

static struct row *new_row(struct loader *loader, enum section_id id)
{
    if (loader->counts[id] == loader->capacities[id]) {
        loader->capacities[id] = loader->capacities[id] ? 2 * loader->capacities[id] : 128;
        loader->rows[id] = xrealloc(loader->rows[id], loader->capacities[id], sizeof(struct row));
    }
    return &loader->rows[id][loader->counts[id]++];
}

bool loader_add(struct loader *loader, const struct section *section,
                const struct yaml_node *entry, struct raw *raw, struct error *error)
{
    char *record = arena_alloc(loader->catalog->arena, 1, section->size);
    bool sourced = section->source != SIZE_MAX;
    if (sourced && !resolve_origin(loader, entry, raw, error))
        return false;
    if (section->finish && !section->finish(&loader->document, entry, raw, error))
        return false;
    memcpy(record, &raw->as, section->size);
    if (sourced) {
        memcpy(record + section->source, &loader->source, sizeof loader->source);
        memcpy(record + section->date, &loader->date, sizeof loader->date);
    }
    enum section_id id = (enum section_id)(section - catalog_sections);
    struct row *row = new_row(loader, id);
    *row = (struct row){record, raw->gpu_id, loader->document.file, entry->line, entry->column,
                        loader->layer_number, loader->counts[id]};
    return true;
}

/* ---- one file ------------------------------------------------------------------------------ */

struct top { /* a file's top level */
    const char *schema, *compiled, *provider, *note;
    const struct yaml_node *sources, *sections[SECTION_COUNT];
};

static const struct yaml_field top_keys[] = {
    {"schema", YAML_FIELD_TEXT, offsetof(struct top, schema), false, 0, 0, NULL},
    {"compiled", YAML_FIELD_TEXT, offsetof(struct top, compiled), false, 0, 0, NULL},
    {"provider", YAML_FIELD_TEXT, offsetof(struct top, provider), false, 0, 0, NULL},
    {"sources", YAML_FIELD_NODE, offsetof(struct top, sources), false, 0, 0, NULL},
};
enum { TOP_KEYS = sizeof top_keys / sizeof *top_keys };

static bool read_top(const struct yaml_document *document, struct top *top, struct error *error)
{
    struct yaml_field fields[TOP_KEYS + SECTION_COUNT + 1] = {0};
    memcpy(fields, top_keys, sizeof top_keys);
    for (int i = 0; i < SECTION_COUNT; i++)
        fields[TOP_KEYS + i] = (struct yaml_field){
            .key = catalog_sections[i].key, .type = YAML_FIELD_NODE,
            .offset = offsetof(struct top, sections) + (size_t)i * sizeof top->sections[0]};
    *top = (struct top){.schema = SCHEMA, .compiled = "", .provider = ""};
    if (!yaml_record(document, document->root, fields, top, error))
        return false;
    if (strcmp(top->schema, SCHEMA) != 0) {
        yaml_error(document, yaml_get(document->root, "schema"), false, error,
                   tr("schema '%s' is not the one this program reads"), top->schema);
        return error_hint(error, "%s", SCHEMA);
    }
    if (top->sources && top->sources->kind != YAML_MAP)
        return yaml_error(document, top->sources, false, error, "%s",
                          tr("`sources` is a map of ids and what they stand for"));
    return true;
}

static bool read_section(struct loader *loader, const struct section *section,
                         const struct yaml_node *list, struct error *error)
{
    if (list->kind != YAML_LIST)
        return yaml_error(&loader->document, list, false, error, tr("`%s` is a list of records"),
                          section->key);
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next) {
        if (entry->kind != YAML_MAP)
            return yaml_error(&loader->document, entry, false, error,
                              tr("an entry of `%s` is a record: {key: value, ...}"), section->key);
        if (!section->read(loader, section, entry, error))
            return false;
    }
    return true;
}

static bool read_document(struct loader *loader, const char *layer, struct error *error)
{
    struct top top;
    if (!read_top(&loader->document, &top, error))
        return false;
    loader->sources = top.sources;
    loader->provider = top.provider;
    loader->layer = layer;
    if (strcmp(top.compiled, loader->catalog->date) > 0)
        loader->catalog->date = top.compiled;
    for (int i = 0; i < SECTION_COUNT; i++)
        if (top.sections[i] && !read_section(loader, &catalog_sections[i], top.sections[i], error))
            return false;
    return true;
}

/* ---- merging the layers -------------------------------------------------------------------- */

/* qsort has no argument for its comparison. Loading is not re-entrant; nothing else here is shared. */
static const struct section *sorting;

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = sorting->compare(x->record, y->record);
    if (order == 0)
        order = x->layer - y->layer;
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Keeps the last layer's row of each identity, at the place of the first. */
static bool merge(struct loader *loader, enum section_id id, struct error *error)
{
    struct row *rows = loader->rows[id];
    size_t kept = 0;
    sorting = &catalog_sections[id];
    qsort(rows, loader->counts[id], sizeof *rows, compare_rows);
    for (size_t i = 0; i < loader->counts[id]; i++) {
        if (kept > 0 && sorting->compare(rows[kept - 1].record, rows[i].record) == 0) {
            if (rows[kept - 1].layer == rows[i].layer) {
                error_at(error, rows[i].file, rows[i].line, rows[i].column, "%s",
                         tr("this record is given twice"));
                return error_hint(error, tr("first at line %d of %s"), rows[kept - 1].line,
                                  rows[kept - 1].file);
            }
            rows[i].order = rows[kept - 1].order;
            rows[kept - 1] = rows[i];
        } else {
            rows[kept++] = rows[i];
        }
    }
    loader->counts[id] = kept;
    if (!sorting->sorted)
        qsort(rows, kept, sizeof *rows, compare_order);
    return true;
}

/* Copies the rows together into the catalog. */
static void publish(struct loader *loader, enum section_id id)
{
    const struct section *section = &catalog_sections[id];
    size_t count = loader->counts[id];
    char *records = arena_alloc(loader->catalog->arena, count + 1, section->size);
    for (size_t i = 0; i < count; i++) {
        memcpy(records + i * section->size, loader->rows[id][i].record, section->size);
        loader->rows[id][i].record = records + i * section->size;
    }
    void *array = records;
    memcpy((char *)loader->catalog + section->records, &array, sizeof array);
    memcpy((char *)loader->catalog + section->count, &count, sizeof count);
}

/* ---- references between records ------------------------------------------------------------ */

static bool fail_reference(const struct row *row, const struct catalog *catalog, const char *what,
                           const char *id, struct error *error)
{
    struct error unknown;
    catalog_unknown(catalog, what, id, &unknown);
    error_at(error, row->file, row->line, row->column, "%s", unknown.message);
    return error_hint(error, "%s", unknown.hint);
}

static bool link_instances(struct loader *loader, struct error *error)
{
    const struct catalog *catalog = loader->catalog;
    for (size_t i = 0; i < loader->counts[SECTION_INSTANCES]; i++) {
        const struct row *row = &loader->rows[SECTION_INSTANCES][i];
        struct instance *instance = row->record;
        instance->gpu = catalog_gpu(catalog, row->reference);
        if (!instance->gpu)
            return fail_reference(row, catalog, "gpu", row->reference, error);
        if (isnan(instance->gpu_usable_gib))
            instance->gpu_usable_gib = instance->gpu_fraction * instance->gpu->usable_gib;
        size_t which = (size_t)(instance->gpu - catalog->gpus);
        ((struct gpu *)loader->rows[SECTION_GPUS][which].record)->sold = true;
    }
    return true;
}

static bool region_of(const struct catalog *catalog, const char *provider, const char *id)
{
    for (size_t i = 0; i < catalog->region_count; i++)
        if (strcmp(catalog->regions[i].id, id) == 0 &&
            strcmp(catalog->regions[i].provider, provider) == 0)
            return true;
    return false;
}

static bool check_prices(struct loader *loader, struct error *error)
{
    struct catalog *catalog = loader->catalog;
    const struct instance *instance = NULL; /* prices come sorted by type */
    for (size_t i = 0; i < catalog->price_count; i++) {
        const struct price *price = &catalog->prices[i];
        const struct row *row = &loader->rows[SECTION_PRICES][i];
        if (!instance || strcmp(instance->type, price->type) != 0)
            instance = catalog_instance(catalog, price->type);
        if (!instance)
            return fail_reference(row, catalog, "instance", price->type, error);
        if (*price->region && !region_of(catalog, instance->provider, price->region))
            return fail_reference(row, catalog, "region", price->region, error);
        if (strcmp(price->date, catalog->price_date) > 0)
            catalog->price_date = price->date;
    }
    return true;
}

static bool check_products(struct loader *loader, struct error *error)
{
    const struct catalog *catalog = loader->catalog;
    for (size_t i = 0; i < catalog->serverless_count; i++) {
        const char *gpu = catalog->serverless[i].gpu;
        if (*gpu && !catalog_gpu(catalog, gpu))
            return fail_reference(&loader->rows[SECTION_SERVERLESS][i], catalog, "gpu", gpu, error);
    }
    for (size_t i = 0; i < catalog->managed_count; i++) {
        const struct managed_price *managed = &catalog->managed[i];
        const struct row *row = &loader->rows[SECTION_MANAGED][i];
        if (!catalog_gpu(catalog, managed->gpu))
            return fail_reference(row, catalog, "gpu", managed->gpu, error);
        if (*managed->type && !catalog_instance(catalog, managed->type))
            return fail_reference(row, catalog, "instance", managed->type, error);
    }
    return true;
}

static bool is_real_name(const struct catalog *catalog, const char *name)
{
    if (catalog_instance(catalog, name) || catalog_gpu(catalog, name))
        return true;
    for (size_t i = 0; i < catalog->instance_count; i++)
        if (strcmp(catalog->instances[i].family, name) == 0)
            return true;
    return false;
}

/* An answer that does not exist either would send people from one wrong name to the next. */
static bool check_aliases(struct loader *loader, struct error *error)
{
    const struct catalog *catalog = loader->catalog;
    for (size_t i = 0; i < catalog->alias_count; i++) {
        const char *next = catalog->aliases[i].answer;
        while (*next) {
            char name[80];
            size_t length = strcspn(next, " ");
            snprintf(name, sizeof name, "%.*s", (int)length, next);
            if (!is_real_name(catalog, name)) {
                const struct row *row = &loader->rows[SECTION_ALIASES][i];
                error_at(error, row->file, row->line, row->column,
                         tr("the answer '%s' is no type, family or GPU of the catalog"), name);
                return false;
            }
            next += length;
            next += strspn(next, " ");
        }
    }
    return true;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static const char *const file_names[] = {"regions.yaml",  "gpus.yaml",     "instances.yaml",
                                         "prices.yaml",   "services.yaml", "weights.yaml",
                                         "aliases.yaml",  "models.yaml",   NULL};

static bool owns_key(const char *key)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(catalog_sections[i].key, key) == 0)
            return true;
    return strcmp(key, "provider") == 0 || strcmp(key, "sources") == 0;
}

static bool check(const struct yaml_document *document, const char *folder, struct error *error);

const struct data_kind catalog_kind = {SCHEMA, owns_key, check};

/* Other kinds of files share the folder of overlays; a catalog of another version is an error. */
static bool is_overlay(const struct yaml_document *document)
{
    const struct yaml_node *schema = yaml_get(document->root, "schema");
    return data_is_kind(document, &catalog_kind) ||
           (schema && strncmp(schema->text, SCHEMA, strlen(SCHEMA) - 1) == 0);
}

static bool read_layers(struct loader *loader, const char *folder, struct error *error)
{
    struct arena *arena = loader->catalog->arena;
    for (size_t i = 0; file_names[i]; i++)
        if (!data_parse(folder, file_names[i], arena, &loader->document, error) ||
            !read_document(loader, N_("built in"), error))
            return false;
    size_t count;
    const char *const *overlays = data_overlays(arena, &count);
    for (size_t i = 0; i < count; i++) {
        loader->layer_number++;
        if (!yaml_read_file(arena, overlays[i], 0, &loader->document, error) ||
            (is_overlay(&loader->document) && !read_document(loader, overlays[i], error)))
            return false;
    }
    return true;
}

static bool merge_layers(struct loader *loader, struct error *error)
{
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (!merge(loader, (enum section_id)i, error))
            return false;
        publish(loader, (enum section_id)i);
    }
    return link_instances(loader, error) && check_prices(loader, error) &&
           check_products(loader, error) && check_aliases(loader, error);
}

/* `extra`, when not NULL, is one more layer on top of all others. */
static bool load(const char *folder, const struct yaml_document *extra, struct catalog *catalog,
                 struct error *error)
{
    *catalog = (struct catalog){.arena = arena_new(), .date = "", .price_date = ""};
    struct loader loader = {.catalog = catalog};
    bool good = read_layers(&loader, folder, error);
    if (good && extra) {
        loader.document = *extra;
        loader.layer_number++;
        good = read_document(&loader, extra->file, error);
    }
    good = good && merge_layers(&loader, error);
    for (int i = 0; i < SECTION_COUNT; i++)
        free(loader.rows[i]);
    if (!good)
        catalog_clear(catalog);
    return good;
}

bool catalog_load(const char *folder, struct catalog *catalog, struct error *error)
{
    return load(folder, NULL, catalog, error);
}

static bool check(const struct yaml_document *document, const char *folder, struct error *error)
{
    struct catalog catalog;
    bool good = load(folder, document, &catalog, error);
    if (good)
        catalog_clear(&catalog);
    return good;
}
