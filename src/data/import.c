/* import.c - from files to rows: splitting pages, merging with what is known, and the report. */
#include "data/import_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"
#include "data/data_files.h"

/* A year of spot prices of every type is some megabytes. */
#define IMPORT_MAX_BYTES ((size_t)64 << 20)
#define STALE_DAYS 90.0 /* without the rule stale_days */

#define AMOUNT(member) {#member, offsetof(struct price, member)}
const struct import_amount import_amounts[] = {
    AMOUNT(payg_hour), AMOUNT(month), AMOUNT(year), AMOUNT(year2), AMOUNT(year3), AMOUNT(year5),
    AMOUNT(spot_hour), AMOUNT(savings_hour_1y), AMOUNT(savings_hour_3y), AMOUNT(reserved_hour_1y),
    AMOUNT(reserved_hour_3y), {NULL, 0}};

const char *const import_periods[] = {"hour", "month", "year", "year2", "year3", "year5", "spot",
                                      NULL};

double *import_amount(struct price *price, int index)
{
    return (double *)(void *)((char *)price + import_amounts[index].offset);
}

int import_amount_index(const char *key)
{
    int index = 0;
    while (import_amounts[index].key && strcmp(import_amounts[index].key, key) != 0)
        index++;
    return index;
}

const char *import_overlay_path(struct arena *arena)
{
    const char *folder = data_config_folder(arena);
    return folder ? arena_printf(arena, "%s/imported.yaml", folder) : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double stale_days(const struct catalog *catalog)
{
    const struct billing_rule *rule = catalog_rule(catalog, "stale_days");
    return rule ? rule->value : STALE_DAYS;
}

/* A row is dated by its oldest figure, often the hour of the data that came with the program; what
 * an import brought into it is as fresh as that import, whose day ends its mark. */
static const char *brought_in_on(const struct import *import, const struct price *known)
{
    const char *mark = strstr(known->source, IMPORT_MARK);
    size_t length = mark ? strcspn(mark, ";") : 0;
    return length > sizeof "YYYY-MM-DD"
               ? arena_printf(import->arena, "%.10s", mark + length - 10)
               : known->date;
}

static bool fresh(const struct import *import, const char *date)
{
    return catalog_age_days(date, import->options->today) <= stale_days(import->catalog);
}

/* What the replaced row knows and the files may not: all of it while it is fresh, else the hour. */
static void keep_known(struct import *import, struct import_price *row, const struct price *known)
{
    const char *brought = brought_in_on(import, known);
    bool fresh_row = fresh(import, known->date), all = fresh_row || fresh(import, brought);
    struct price copy = *known;
    for (int i = 0; import_amounts[i].key; i++) {
        double amount = *import_amount(&copy, i);
        if (isnan(amount) || (!all && import_amounts[i].offset != offsetof(struct price, payg_hour)))
            continue;
        *import_amount(&row->price, i) = amount;
        row->kept |= 1u << i;
    }
    if (all)
        row->price.spot_released_percent = known->spot_released_percent;
    row->hour_date = known->date;
    row->kept_date = fresh_row ? known->date : brought;
    row->price.source = known->source;
    row->price.low_confidence = known->low_confidence;
}

struct import_price *import_price_row(struct import *import, const char *type, const char *region,
                                      const char *currency)
{
    for (size_t i = 0; i < import->price_count; i++) {
        struct import_price *row = &import->prices[i];
        if (strcmp(row->price.type, type) == 0 && strcmp(row->price.region, region) == 0)
            return row;
    }
    if (import->price_count == import->price_capacity) {
        import->price_capacity = import->price_capacity ? 2 * import->price_capacity : 64;
        import->prices = xrealloc(import->prices, import->price_capacity, sizeof *import->prices);
    }
    struct import_price *row = &import->prices[import->price_count++];
    *row = (struct import_price){.price = {.type = arena_strdup(import->arena, type),
                                           .region = arena_strdup(import->arena, region),
                                           .currency = arena_strdup(import->arena, currency),
                                           .source = "", .date = import->options->today, .note = ""},
                                 .hour_date = "", .kept_date = ""};
    for (int i = 0; import_amounts[i].key; i++)
        *import_amount(&row->price, i) = NAN;
    row->price.spot_released_percent = NAN;
    const struct price *known = catalog_price(import->catalog, type, region);
    if (known && strcmp(known->region, region) == 0 && strcmp(known->currency, currency) == 0)
        keep_known(import, row, known);
    import->counts.prices++;
    return row;
}

/* Adds "imported: ..." to a source text once. */
static const char *add_source(struct import *import, const char *source, const char *api,
                              const char *region)
{
    const char *mark = arena_printf(import->arena, IMPORT_MARK "aliyun ecs %s%s%s, %s", api,
                                    *region ? ", " : "", region, import->options->today);
    if (strstr(source, mark))
        return source;
    return *source ? arena_printf(import->arena, "%s; %s", source, mark) : mark;
}

void import_set_amount(struct import *import, struct import_price *row, int index, double amount,
                       const char *api)
{
    *import_amount(&row->price, index) = amount;
    row->kept &= ~(1u << index);
    if (!row->kept) { /* nothing of the replaced row is left */
        const char *mark = strstr(row->price.source, IMPORT_MARK);
        row->price.source = mark ? mark : "";
        row->price.low_confidence = false;
    }
    row->price.source = add_source(import, row->price.source, api, row->price.region);
    bool hour = row->kept & 1u << import_amount_index("payg_hour");
    row->price.date = !row->kept ? import->options->today : hour ? row->hour_date : row->kept_date;
}

struct import_type *import_type_row(struct import *import, const struct instance *instance,
                                    const char *api)
{
    for (size_t i = 0; i < import->type_count; i++)
        if (strcmp(import->types[i].instance.type, instance->type) == 0)
            return &import->types[i];
    if (import->type_count == import->type_capacity) {
        import->type_capacity = import->type_capacity ? 2 * import->type_capacity : 64;
        import->types = xrealloc(import->types, import->type_capacity, sizeof *import->types);
    }
    struct import_type *row = &import->types[import->type_count++];
    row->instance = *instance;
    row->instance.source = add_source(import, instance->source, api, "");
    row->instance.date = import->options->today;
    return row;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The end of the JSON value that starts at `at` (an object or a list); NULL when it has none. */
static const char *value_end(const char *at)
{
    int depth = 0;
    for (bool quoted = false; *at; at++) {
        if (quoted) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == '"')
                quoted = false;
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return NULL;
}

static bool read_value(struct import *import, const struct yaml_document *document,
                       const struct yaml_node *value, struct error *error)
{
    if (value->kind != YAML_LIST)
        return import_read_page(import, document, value, error);
    for (const struct yaml_node *page = value->first; page; page = page->next)
        if (!import_read_page(import, document, page, error))
            return false;
    return true;
}

/* Lines before a value are kept as empty lines, so that errors name the line of the file. */
static bool parse_value(struct import *import, const char *text, const char *start,
                        const char *end, struct error *error)
{
    struct strbuf blank = {0};
    for (const char *at = text; at < start; at++)
        if (*at == '\n')
            strbuf_add(&blank, "\n");
    strbuf_add_n(&blank, start, (size_t)(end - start));
    struct arena *arena = arena_new();
    struct yaml_document document;
    bool read = yaml_parse(arena, import->file, blank.data, blank.length, IMPORT_MAX_BYTES,
                           &document, error) &&
                read_value(import, &document, document.root, error);
    strbuf_clear(&blank);
    arena_free(arena);
    return read;
}

static bool not_json(const struct import *import, struct error *error)
{
    error_at(error, import->file, 1, 1, "%s", tr("this is not the JSON of a command"));
    return error_hint(error, "%s", tr("save it with: aliyun ecs DescribeInstanceTypes > FILE.json"));
}

static bool read_text(struct import *import, const char *text, struct error *error)
{
    const char *at = text;
    int values = 0;
    for (;; values++) {
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            break;
        const char *end = *at == '{' || *at == '[' ? value_end(at) : NULL;
        if (!end)
            return not_json(import, error);
        if (!parse_value(import, text, at, end, error))
            return false;
        at = end;
    }
    return values > 0 || not_json(import, error);
}

static bool read_file(struct import *import, const char *path, struct error *error)
{
    struct strbuf text = {0};
    import->file = path;
    bool read = file_read(path, IMPORT_MAX_BYTES, &text, error) &&
                read_text(import, strbuf_text(&text), error);
    strbuf_clear(&text);
    return read;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void tell(const struct import *import, const char *overlay_path, struct strbuf *report)
{
    const struct import_counts *counts = &import->counts;
    const struct { int count; const char *text; } lines[] = {
        {counts->pages, N_("pages read")},
        {counts->prices, N_("rows of prices imported")},
        {counts->types, N_("instance types new or changed")},
        {counts->unchanged, N_("instance types that agree with the catalog")},
        {counts->stock, N_("notes of stock")},
        {counts->unknown, N_("left out: types without GPUs, or not in the catalog")},
        {counts->unlinked, N_("GPU types left out: no type of their family is known to take the GPU "
                              "and the links from")},
        {counts->no_hour, N_("spot shares left out: no hourly price in that region to take them "
                             "of")},
        {counts->no_region, N_("spot prices left out: regions the catalog does not know")},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].count > 0)
            strbuf_printf(report, "%6d  %s\n", lines[i].count, tr(lines[i].text));
    strbuf_printf(report, tr("Written: %s\n"), overlay_path);
}

/* Written under another name first and read back as the catalog would: an overlay that does not load
 * would leave the program without any data. */
static bool write_checked(const struct import *import, const char *path,
                          const struct strbuf *overlay, struct error *error)
{
    static const struct data_kind *const kinds[] = {&catalog_kind, NULL};
    const char *trial = arena_printf(import->arena, "%s.new", path);
    bool good = file_write(trial, overlay->data, overlay->length, true, error) &&
                data_check_file(trial, NULL, kinds, error);
    unlink(trial);
    return good && file_write(path, overlay->data, overlay->length, true, error);
}

bool import_files(const struct catalog *catalog, const char *const *paths, int count,
                  const struct import_options *options, const char *overlay_path,
                  struct strbuf *report, struct error *error)
{
    struct import import = {.catalog = catalog, .options = options, .arena = arena_new()};
    bool done = true;
    for (int i = 0; done && i < count; i++)
        done = read_file(&import, paths[i], error);
    import_set_spot(&import);
    if (done && import.price_count + import.type_count == 0) {
        if (import.counts.unchanged > 0)
            strbuf_add(report, tr("Nothing new: the catalog says the same.\n"));
        else
            done = error_set(error, "%s",
                             tr("nothing in these files is about a GPU type of the catalog"));
    } else if (done) {
        struct strbuf overlay = {0};
        import_write(&import, &overlay);
        done = write_checked(&import, overlay_path, &overlay, error);
        strbuf_clear(&overlay);
        if (done)
            tell(&import, overlay_path, report);
    }
    free(import.prices);
    free(import.types);
    free(import.zones);
    arena_free(import.arena);
    return done;
}
