#include "data/catalog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/text.h"

const char *const gpu_arch_names[] = {"pascal", "volta",  "turing",    "ampere", "ada",
                                      "hopper", "blackwell", "other", NULL};
const char *const link_kind_names[] = {"none", "pcie", "pcie_switch", "nvlink", NULL};
const char *const rdma_kind_names[] = {"no", "erdma", "roce", NULL};
const char *const sale_status_names[] = {"current",         "limited_regions", "by_ticket", "invitation",
                                         "not_recommended", "api_only",        "retired",   NULL};
const char *const link_kind_labels[] = {N_("none"), "PCIe", N_("PCIe switch"), "NVLink"};
const char *const rdma_kind_labels[] = {N_("none"), "eRDMA", "RoCE"};
const char *const sale_status_labels[] = {
    [STATUS_CURRENT] = N_("for sale"),
    [STATUS_LIMITED_REGIONS] = N_("some regions only"),
    [STATUS_BY_TICKET] = N_("only on request by ticket"),
    [STATUS_INVITATION] = N_("by invitation only"),
    [STATUS_NOT_RECOMMENDED] = N_("no longer recommended by the provider"),
    [STATUS_API_ONLY] = N_("in the API, on no public page"),
    [STATUS_RETIRED] = N_("retired")};
const char *const kept_part_names[] = {"embeddings", "lm_head",        "norms",     "router",
                                       "attention",  "shared_experts", "dense_ffn", NULL};

/* ---- look-ups ------------------------------------------------------------------------------ */

/* Every record that can be looked up starts with its id, so that one loop serves all tables. */
static const void *find(const void *records, size_t count, size_t size, const char *id)
{
    const char *record = records;
    for (size_t i = 0; id && i < count; i++, record += size) {
        const char *name;
        memcpy(&name, record, sizeof name);
        if (strcmp(name, id) == 0)
            return record;
    }
    return NULL;
}

#define FIND(table, count, id) find(table, count, sizeof *(table), id)

const struct gpu *catalog_gpu(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->gpus, catalog->gpu_count, id);
}

const struct instance *catalog_instance(const struct catalog *catalog, const char *type)
{
    return FIND(catalog->instances, catalog->instance_count, type);
}

const struct model *catalog_model(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->models, catalog->model_count, id);
}

const struct weight_format *catalog_format(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->formats, catalog->format_count, id);
}

const struct disk *catalog_disk(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->disks, catalog->disk_count, id);
}

const struct service *catalog_service(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->services, catalog->service_count, id);
}

const struct billing_rule *catalog_rule(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->rules, catalog->rule_count, id);
}

const struct region *catalog_region(const struct catalog *catalog, const char *id)
{
    return FIND(catalog->regions, catalog->region_count, id);
}

/* The first `length` bytes of the name, without regard to capitals. */
static const struct alias *find_alias(const struct catalog *catalog, const char *name, size_t length)
{
    for (size_t i = 0; i < catalog->alias_count; i++) {
        const char *known = catalog->aliases[i].name;
        if (strlen(known) == length && strncasecmp(known, name, length) == 0)
            return &catalog->aliases[i];
    }
    return NULL;
}

static bool is_family(const struct catalog *catalog, const char *name, size_t length)
{
    for (size_t i = 0; i < catalog->instance_count; i++) {
        const char *family = catalog->instances[i].family;
        if (strlen(family) == length && strncasecmp(family, name, length) == 0)
            return true;
    }
    return false;
}

/* Past the word that a provider puts before all its families ("ecs." of "ecs.gn7i-..."), if `name`
 * starts with one. */
static const char *without_prefix(const struct catalog *catalog, const char *name)
{
    size_t length = strcspn(name, ".") + 1;
    for (size_t i = 0; i < catalog->instance_count && name[length - 1] == '.'; i++) {
        const struct instance *instance = &catalog->instances[i];
        if (strncasecmp(instance->type, name, length) == 0 &&
            strncmp(instance->type + length, instance->family, strlen(instance->family)) == 0)
            return name + length;
    }
    return name;
}

/* A size of a family that is not sold is answered by the family's alias. A wrong size of a real
 * family is not: the nearest type says more. */
const struct alias *catalog_alias(const struct catalog *catalog, const char *name)
{
    if (!name)
        return NULL;
    name = without_prefix(catalog, name);
    const struct alias *alias = find_alias(catalog, name, strlen(name));
    size_t family = strcspn(name, "-.");
    if (!alias && name[family] != '\0' && !is_family(catalog, name, family))
        alias = find_alias(catalog, name, family);
    return alias;
}

/* Prices are sorted by type, region, then list before promotion. */
static int compare_place(const void *key, const void *record)
{
    const struct price *wanted = key, *price = record;
    int order = strcmp(wanted->type, price->type);
    if (order == 0)
        order = strcmp(wanted->region, price->region);
    return order != 0 ? order : wanted->promotion - price->promotion;
}

const struct price *catalog_price(const struct catalog *catalog, const char *type,
                                  const char *region)
{
    struct price wanted = {.type = type, .region = region ? region : ""};
    if (!type || catalog->price_count == 0)
        return NULL;
    return bsearch(&wanted, catalog->prices, catalog->price_count, sizeof *catalog->prices,
                   compare_place);
}

/* ---- unknown ids --------------------------------------------------------------------------- */

/* The tables an unknown id can be meant for, and what a person calls one of their records. */
struct table {
    const char *what;
    const char *list; /* what `gpuwiz list` calls it; NULL = it is not listed */
    const void *records;
    size_t count, size;
};

enum { TABLES = 8, NEAREST = 3 };

static void list_tables(const struct catalog *catalog, struct table tables[TABLES])
{
    const struct table all[TABLES] = {
        {N_("gpu"), "gpus", catalog->gpus, catalog->gpu_count, sizeof *catalog->gpus},
        {N_("instance"), "instances", catalog->instances, catalog->instance_count,
         sizeof *catalog->instances},
        {N_("model"), "models", catalog->models, catalog->model_count, sizeof *catalog->models},
        {N_("weights"), "weights", catalog->formats, catalog->format_count, sizeof *catalog->formats},
        {N_("disk"), "disks", catalog->disks, catalog->disk_count, sizeof *catalog->disks},
        {N_("service"), "services", catalog->services, catalog->service_count,
         sizeof *catalog->services},
        {N_("region"), "regions", catalog->regions, catalog->region_count, sizeof *catalog->regions},
        {N_("rule"), NULL, catalog->rules, catalog->rule_count, sizeof *catalog->rules},
    };
    memcpy(tables, all, sizeof all);
}

/* Lower is nearer. An id that holds the text, or is held by it, is nearer than any respelling. */
static int distance(const char *id, const char *text)
{
    if (text_find(id, text) || text_find(text, id))
        return 0;
    return text_distance(id, text);
}

static void add_nearest(const struct table *table, const char *text, struct strbuf *out)
{
    const char *best[NEAREST] = {NULL};
    int best_distance[NEAREST];
    int limit = (int)strlen(text) / 2; /* beyond that a likeness is an accident */
    const char *record = table->records;
    for (size_t i = 0; i < table->count; i++, record += table->size) {
        const char *id;
        memcpy(&id, record, sizeof id);
        int d = distance(id, text), place = NEAREST;
        while (place > 0 && (!best[place - 1] || d < best_distance[place - 1]))
            place--;
        if (d > limit || place == NEAREST)
            continue;
        for (int k = NEAREST - 1; k > place; k--) {
            best[k] = best[k - 1];
            best_distance[k] = best_distance[k - 1];
        }
        best[place] = id;
        best_distance[place] = d;
    }
    for (int k = 0; k < NEAREST && best[k]; k++)
        strbuf_printf(out, "%s%s", k > 0 ? ", " : "", best[k]);
}

bool catalog_unknown(const struct catalog *catalog, const char *what, const char *id,
                     struct error *error)
{
    error_set(error, tr("unknown %s '%s'"), tr(what), id);
    const struct alias *alias = catalog_alias(catalog, id);
    if (alias)
        return error_hint(error, "%s%s%s", tr(alias->note), *alias->answer ? tr(": ") : "", alias->answer);
    struct table tables[TABLES];
    struct strbuf nearest = {0};
    list_tables(catalog, tables);
    const char *list = NULL;
    for (int i = 0; i < TABLES; i++)
        if (strcmp(tables[i].what, what) == 0) {
            add_nearest(&tables[i], id, &nearest);
            list = tables[i].list;
        }
    if (nearest.length > 0)
        error_hint(error, tr("did you mean %s?"), strbuf_text(&nearest));
    else if (list)
        error_hint(error, tr("`gpuwiz list %s` prints what is known"), list);
    strbuf_clear(&nearest);
    return false;
}

/* ---- sources ------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Bytes of the longest beginning of `text` that has a translation and ends where one of several
 * sources may: at "; ", before its figures in parentheses, or at the end. 0 when there is none. */
static size_t translated(const char *text, const char **words)
{
    char part[600];
    size_t longest = 0;
    for (size_t length = 1; length < sizeof part; length++) {
        const char *rest = text + length;
        part[length - 1] = text[length - 1];
        part[length] = '\0';
        if (*rest && !starts(rest, "; ") && !starts(rest, " ("))
            continue;
        const char *found = tr(part);
        if (found != part) {
            longest = length;
            *words = found;
        }
        if (!*rest)
            break;
    }
    return longest;
}

void catalog_source_words(const char *source, struct strbuf *out)
{
    while (*source) {
        const char *words = source, *end;
        size_t length = translated(source, &words);
        if (length > 0)
            strbuf_add(out, words);
        source += length;
        end = strstr(source, "; "); /* of what is not translated, or of the figures */
        length = end ? (size_t)(end - source) : strlen(source);
        strbuf_add_n(out, source, length);
        strbuf_add(out, end ? tr("; ") : "");
        source += length + (end ? 2 : 0);
    }
}

/* ---- dates --------------------------------------------------------------------------------- */

/* Days of the proleptic Gregorian calendar since 1970-01-01; H. Hinnant, chrono-Compatible Low-Level
 * Date Algorithms, days_from_civil. */
static double days_from_civil(int year, int month, int day)
{
    year -= month <= 2;
    int era = (year >= 0 ? year : year - 399) / 400;
    int of_era = year - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097.0 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* The `count` digits at *text, and past them; -1 when they are no digits. */
static int read_digits(const char **text, int count)
{
    int value = 0;
    for (; count > 0; count--, (*text)++) {
        if (**text < '0' || **text > '9')
            return -1;
        value = 10 * value + (**text - '0');
    }
    return value;
}

/* Reads "-MM" or "-DD"; 1 at the end of the text, -1 when something else stands there. */
static int read_part(const char **text, int most)
{
    if (**text == '\0')
        return 1;
    if (*(*text)++ != '-')
        return -1;
    int value = read_digits(text, 2);
    return value >= 1 && value <= most ? value : -1;
}

/* "2026-09-24", "2026-09" or "2026". */
static bool read_date(const char *date, double *days)
{
    if (!date)
        return false;
    int year = read_digits(&date, 4);
    int month = year >= 0 ? read_part(&date, 12) : -1;
    int day = month >= 0 ? read_part(&date, 31) : -1;
    if (day < 0 || *date != '\0')
        return false;
    *days = days_from_civil(year, month, day);
    return true;
}

double catalog_age_days(const char *date, const char *today)
{
    double from, to;
    return read_date(date, &from) && read_date(today, &to) ? to - from : NAN;
}

void catalog_clear(struct catalog *catalog)
{
    arena_free(catalog->arena);
    *catalog = (struct catalog){0};
}
