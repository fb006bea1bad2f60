/* scenario.c - reading, checking and writing answers by the table of fields.c. */
#include "data/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "data/model_file.h"
#include "data/yaml.h"

bool scenario_has(const struct scenario *scenario, enum field_id id)
{
    return scenario->given[id / 64] >> (id % 64) & 1;
}

static void mark(struct scenario *scenario, enum field_id id, bool given)
{
    uint64_t bit = UINT64_C(1) << (id % 64);
    if (given)
        scenario->given[id / 64] |= bit;
    else
        scenario->given[id / 64] &= ~bit;
}

/* The member a field stands for. */
static void *member(struct scenario *scenario, enum field_id id)
{
    return (char *)scenario + fields[id].offset;
}

double scenario_number(const struct scenario *scenario, enum field_id id, double otherwise)
{
    return scenario_has(scenario, id) ? *(const double *)((const char *)scenario + fields[id].offset) : otherwise;
}

static size_t member_size(enum field_kind kind)
{
    static const size_t sizes[] = {
        [FIELD_KIND_CHOICE] = sizeof(int),     [FIELD_KIND_BOOL] = sizeof(int),
        [FIELD_KIND_INT] = sizeof(double),     [FIELD_KIND_NUMBER] = sizeof(double),
        [FIELD_KIND_FLAGS] = sizeof(unsigned), [FIELD_KIND_ID] = sizeof(const char *),
        [FIELD_KIND_MAP] = sizeof(const struct model *)};
    return sizes[kind];
}

void scenario_unset(struct scenario *scenario, enum field_id id)
{
    if (!scenario_has(scenario, id))
        return; /* a shape may belong to the model that is given */
    memset(member(scenario, id), 0, member_size(fields[id].kind));
    if (id == FIELD_MODEL || id == FIELD_ARCHITECTURE)
        scenario->architecture = NULL; /* of the map, or of the file that `model` names */
    mark(scenario, id, false);
}

/* ---- one value from text ---- */

static int choice_index(const char *const *choices, const char *text)
{
    for (int i = 0; choices[i]; i++)
        if (strcmp(choices[i], text) == 0)
            return i;
    return -1;
}

static bool bad_choice(const struct field *field, const char *text, struct error *error)
{
    struct strbuf all = {0};
    for (int i = 0; field->choices[i]; i++)
        strbuf_printf(&all, "%s%s", i ? ", " : "", field->choices[i]);
    error_set(error, tr("%s cannot be '%s'"), field->key, text);
    error_hint(error, tr("one of: %s"), strbuf_text(&all));
    strbuf_clear(&all);
    return false;
}

static bool set_choice(struct scenario *s, enum field_id id, const char *text, struct error *error)
{
    int index = choice_index(fields[id].choices, text);
    if (index < 0)
        return bad_choice(&fields[id], text, error);
    *(int *)member(s, id) = index;
    return true;
}

static bool set_bool(struct scenario *s, enum field_id id, const char *text, struct error *error)
{
    static const char *const words[] = {"no", "yes", "false", "true", NULL};
    int index = choice_index(words, text);
    if (index < 0) {
        error_set(error, tr("%s is yes or no, not '%s'"), fields[id].key, text);
        return false;
    }
    *(int *)member(s, id) = index % 2;
    return true;
}

static bool set_number(struct scenario *s, enum field_id id, const char *text, struct error *error)
{
    const struct field *field = &fields[id];
    bool tokens = strcmp(field->unit, "tokens") == 0;
    double value;
    char low[UNITS_TEXT], high[UNITS_TEXT];
    units_plain(field->minimum, low);
    units_plain(field->maximum, high);
    if (!units_parse(text, tokens, &value)) {
        error_set(error, tr("%s is a number, not '%s'"), field->key, text);
        return error_hint(error, tr("from %s to %s"), low, high);
    }
    if (field->kind == FIELD_KIND_INT && value != floor(value)) {
        error_set(error, tr("%s is a whole number, not %s"), field->key, text);
        char nearest[UNITS_TEXT];
        return error_hint(error, tr("nearest: %s"), units_plain(fmax(field->minimum, round(value)), nearest));
    }
    if (!(value >= field->minimum && value <= field->maximum)) {
        error_set(error, tr("%s is out of range: %s"), field->key, text);
        return error_hint(error, tr("from %s to %s"), low, high);
    }
    *(double *)member(s, id) = value;
    return true;
}

/* A comma-separated list of names, each standing for bits. */
static bool set_flags(struct scenario *s, enum field_id id, const char *text, struct error *error)
{
    const struct field *field = &fields[id];
    unsigned bits = 0;
    for (const char *part = text; *part;) {
        size_t length = strcspn(part, ",");
        const char *next = part + length + (part[length] == ',');
        while (length && *part == ' ')
            part++, length--;
        while (length && part[length - 1] == ' ')
            length--;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), part);
        int index = choice_index(field->choices, name);
        if (index < 0)
            return bad_choice(field, name, error);
        bits |= field->choice_bits[index];
        part = next;
    }
    if (!bits)
        return bad_choice(field, text, error);
    *(unsigned *)member(s, id) = bits;
    return true;
}

/* A node as one line of flow YAML: how an inline shape is written back. */
static void add_flow(const struct yaml_node *node, struct strbuf *out)
{
    if (node->kind == YAML_SCALAR) {
        scenario_add_scalar(out, node->text);
        return;
    }
    strbuf_add(out, node->kind == YAML_MAP ? "{" : "[");
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        strbuf_printf(out, "%s%s%s", child == node->first ? "" : ", ", child->key ? child->key : "",
                      child->key ? ": " : "");
        add_flow(child, out);
    }
    strbuf_add(out, node->kind == YAML_MAP ? "}" : "]");
}

static bool set_architecture_node(struct scenario *s, const struct yaml_document *document,
                                  const struct yaml_node *node, struct arena *arena, struct error *error)
{
    struct model *model = ARENA_NEW(arena, struct model);
    if (!model_read_map(document, node, false, arena, model, error))
        return false;
    struct strbuf text = {0};
    add_flow(node, &text);
    s->architecture = model;
    s->architecture_text = arena_strdup(arena, strbuf_text(&text));
    strbuf_clear(&text);
    return true;
}

static bool set_architecture(struct scenario *s, const char *text, struct arena *arena, struct error *error)
{
    struct yaml_document document;
    return yaml_parse(arena, "architecture", text, strlen(text), 0, &document, error) &&
           set_architecture_node(s, &document, document.root, arena, error);
}

static bool looks_like_path(const char *text)
{
    struct stat status;
    return strchr(text, '/') || strstr(text, ".json") || strstr(text, ".gguf") ||
           strstr(text, ".safetensors") || (strcmp(text, ".") == 0) || stat(text, &status) == 0;
}

static bool set_model(struct scenario *s, const char *text, const struct catalog *catalog,
                      struct arena *arena, struct error *error)
{
    const struct model *shape = NULL;
    if (!catalog_model(catalog, text)) {
        if (!looks_like_path(text))
            return catalog_unknown(catalog, "model", text, error);
        if (!model_read_file(text, arena, &shape, error))
            return false;
    }
    s->model = arena_strdup(arena, text);
    s->architecture = shape;
    return true;
}

static bool region_known(const struct catalog *catalog, const char *id)
{
    for (size_t i = 0; i < catalog->region_count; i++)
        if (strcmp(catalog->regions[i].id, id) == 0)
            return true;
    return false;
}

static bool set_id(struct scenario *s, enum field_id id, const char *text, const struct catalog *catalog,
                   struct arena *arena, struct error *error)
{
    if (id == FIELD_MODEL)
        return set_model(s, text, catalog, arena, error);
    bool known = id == FIELD_WEIGHTS    ? catalog_format(catalog, text) != NULL
                 : id == FIELD_GPU      ? catalog_gpu(catalog, text) != NULL
                 : id == FIELD_INSTANCE ? catalog_instance(catalog, text) != NULL
                 : id == FIELD_DISK     ? catalog_disk(catalog, text) != NULL
                                        : region_known(catalog, text);
    if (!known)
        return catalog_unknown(catalog, fields[id].key, text, error);
    *(const char **)member(s, id) = arena_strdup(arena, text);
    return true;
}

/* A model is named in one of three ways; the newest answer wins. */
static void drop_other_models(struct scenario *s, enum field_id id)
{
    static const enum field_id ways[] = {FIELD_MODEL, FIELD_ARCHITECTURE, FIELD_PARAMS_B};
    bool one_of_them = id == FIELD_MODEL || id == FIELD_ARCHITECTURE || id == FIELD_PARAMS_B;
    for (size_t i = 0; one_of_them && i < sizeof ways / sizeof *ways; i++)
        if (ways[i] != id && scenario_has(s, ways[i]))
            scenario_unset(s, ways[i]);
}

bool scenario_set(struct scenario *scenario, enum field_id id, const char *text,
                  const struct catalog *catalog, struct arena *arena, struct error *error)
{
    if (strcmp(text, "auto") == 0) {
        scenario_unset(scenario, id);
        return true;
    }
    struct scenario changed = *scenario;
    drop_other_models(&changed, id);
    bool done = false;
    switch (fields[id].kind) {
    case FIELD_KIND_CHOICE: done = set_choice(&changed, id, text, error); break;
    case FIELD_KIND_BOOL: done = set_bool(&changed, id, text, error); break;
    case FIELD_KIND_INT:
    case FIELD_KIND_NUMBER: done = set_number(&changed, id, text, error); break;
    case FIELD_KIND_FLAGS: done = set_flags(&changed, id, text, error); break;
    case FIELD_KIND_ID: done = set_id(&changed, id, text, catalog, arena, error); break;
    case FIELD_KIND_MAP: done = set_architecture(&changed, text, arena, error); break;
    }
    if (!done)
        return false;
    mark(&changed, id, true);
    *scenario = changed;
    return true;
}

static bool hint_at_key(const char *key, struct error *error)
{
    const struct field *nearest = field_nearest(key);
    return nearest ? error_hint(error, tr("did you mean '%s'?"), nearest->key)
                   : error_hint(error, tr("gpuwiz(1) lists the keys"));
}

static bool unknown_key(const char *key, struct error *error)
{
    error_set(error, tr("unknown key '%s'"), key);
    return hint_at_key(key, error);
}

bool scenario_set_pair(struct scenario *scenario, const char *pair, const struct catalog *catalog,
                       struct arena *arena, struct error *error)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair) {
        error_set(error, tr("'%s' is not key=value"), pair);
        return false;
    }
    char *key = arena_strndup(arena, pair, (size_t)(equals - pair));
    const struct field *field = field_find(key);
    if (!field)
        return unknown_key(key, error);
    return scenario_set(scenario, field_id(field), equals + 1, catalog, arena, error);
}

/* ---- from YAML ---- */

/* A list becomes the comma-separated text that --set takes. */
static bool node_text(const struct yaml_document *document, const struct yaml_node *node,
                      const struct field *field, struct strbuf *text, struct error *error)
{
    if (node->kind == YAML_SCALAR) {
        strbuf_add(text, node->text);
        return true;
    }
    if (node->kind != YAML_LIST || field->kind != FIELD_KIND_FLAGS)
        return yaml_error(document, node, false, error, tr("%s takes a single value"), field->key);
    for (const struct yaml_node *item = node->first; item; item = item->next) {
        if (item->kind != YAML_SCALAR)
            return yaml_error(document, item, false, error, tr("%s is a list of names"), field->key);
        strbuf_printf(text, "%s%s", item == node->first ? "" : ",", item->text);
    }
    return true;
}

static bool read_field(struct scenario *s, const struct yaml_document *document,
                       const struct yaml_node *node, const struct catalog *catalog,
                       struct arena *arena, struct error *error)
{
    const struct field *field = field_find(node->key);
    if (!field) {
        yaml_error(document, node, true, error, tr("unknown key '%s'"), node->key);
        return hint_at_key(node->key, error);
    }
    if (field->kind == FIELD_KIND_MAP && node->kind == YAML_MAP) {
        drop_other_models(s, FIELD_ARCHITECTURE);
        if (!set_architecture_node(s, document, node, arena, error))
            return false;
        mark(s, FIELD_ARCHITECTURE, true);
        return true;
    }
    if (yaml_is_null(node)) {
        scenario_unset(s, field_id(field));
        return true;
    }
    struct strbuf text = {0};
    struct error why = {0};
    bool done = node_text(document, node, field, &text, error);
    if (done && !scenario_set(s, field_id(field), strbuf_text(&text), catalog, arena, &why)) {
        if (why.line > 0 && field->kind != FIELD_KIND_MAP)
            *error = why; /* inside the model file it names */
        else {
            bool names_file = why.file[0] && field->kind != FIELD_KIND_MAP;
            yaml_error(document, node, false, error, "%s%s%s", names_file ? why.file : "",
                       names_file ? ": " : "", why.message);
            error_hint(error, "%s", why.hint);
        }
        done = false;
    }
    strbuf_clear(&text);
    return done;
}

/* Null and auto leave a question open. */
static bool is_answered(const struct yaml_node *node)
{
    return node && !yaml_is_null(node) && strcmp(node->text, "auto") != 0;
}

bool scenario_read_node(struct scenario *scenario, const struct yaml_document *document,
                        const struct yaml_node *map, const struct catalog *catalog,
                        struct arena *arena, struct error *error)
{
    if (map->kind != YAML_MAP)
        return yaml_error(document, map, false, error, tr("a scenario is a list of 'key: value' lines"));
    static const char *const models[] = {"model", "architecture", "params_b"};
    const struct yaml_node *first = NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct yaml_node *node = yaml_get(map, models[i]);
        if (!is_answered(node))
            continue;
        if (first)
            return yaml_error(document, node, true, error, tr("%s and %s are both given"), first->key, node->key) ||
                   error_hint(error, tr("exactly one of model, architecture, params_b"));
        first = node;
    }
    struct scenario changed = *scenario;
    for (const struct yaml_node *node = map->first; node; node = node->next)
        if (!read_field(&changed, document, node, catalog, arena, error))
            return false;
    struct error why = {0};
    enum field_id which;
    if (!scenario_check(&changed, catalog, &which, &why)) {
        const struct yaml_node *at = yaml_get(map, fields[which].key);
        yaml_error(document, at ? at : map, at != NULL, error, "%s", why.message);
        return error_hint(error, "%s", why.hint);
    }
    *scenario = changed;
    return true;
}

bool scenario_read(struct scenario *scenario, const char *path, const struct catalog *catalog,
                   struct arena *arena, struct error *error)
{
    struct yaml_document document;
    return yaml_read_file(arena, path, 0, &document, error) &&
           scenario_read_node(scenario, &document, document.root, catalog, arena, error);
}
