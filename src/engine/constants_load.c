/* constants_load.c - reads data/engine.yaml and the user's corrections of it. */
#include <string.h>

#include "base/i18n.h"
#include "data/data_files.h"
#include "data/yaml.h"
#include "engine/constants.h"

enum { CONSTANT_ROWS_MAX = 200 }; /* rows of constant_table, at most */

static const struct constant_info *find(enum constant_group group, const char *key)
{
    for (const struct constant_info *info = constant_table; info->key; info++)
        if (info->group == group && !strcmp(info->key, key))
            return info;
    return NULL;
}

static int find_member(enum constant_group group, const char *name)
{
    for (int i = 0; i < constant_members(group); i++)
        if (!strcmp(constant_member_name(group, i), name))
            return i;
    return -1;
}

/* What is being read, and where to. */
struct reader {
    const struct yaml_document *document;
    struct constants *constants;
    struct constant_fitted *fitted; /* NULL = not wanted */
    size_t *fitted_count;
    unsigned long *seen; /* by row of constant_table: bits of the members given */
    struct error *error;
};

/* One record of engine.yaml: a constant with its value for each member of the group. */
struct record {
    int group;
    const char *key, *unit, *source;
    const struct yaml_node *values, *fitted;
};

static const struct yaml_field record_fields[] = {
    {"group", YAML_FIELD_CHOICE, offsetof(struct record, group), true, 0, 0, constant_group_names},
    {"key", YAML_FIELD_TEXT, offsetof(struct record, key), true, 0, 0, NULL},
    {"unit", YAML_FIELD_TEXT, offsetof(struct record, unit), false, 0, 0, NULL},
    {"source", YAML_FIELD_TEXT, offsetof(struct record, source), false, 0, 0, NULL},
    {"values", YAML_FIELD_NODE, offsetof(struct record, values), true, 0, 0, NULL},
    {"fitted", YAML_FIELD_NODE, offsetof(struct record, fitted), false, 0, 0, NULL},
    {0},
};

static bool read_value(struct reader *reader, const struct constant_info *info, int member,
                       const struct yaml_node *node)
{
    double value;
    bool flag;
    if (info->is_bool) {
        if (!yaml_bool(reader->document, node, &flag, reader->error))
            return false;
        value = flag;
    } else if (!yaml_number(reader->document, node, &value, reader->error)) {
        return false;
    }
    if (!(value >= info->minimum && value <= info->maximum))
        return yaml_error(reader->document, node, false, reader->error,
                          tr("%s of %s lies outside %g to %g"), info->key,
                          constant_member_name(info->group, member), info->minimum, info->maximum);
    constant_set(reader->constants, info, member, value);
    if (reader->seen)
        reader->seen[info - constant_table] |= 1ul << member;
    return true;
}

/* Each child's key names a member: {hf: 0.06, deepspeed: 0.08}; a global has one: {value: 3}. */
static bool read_values(struct reader *reader, const struct constant_info *info,
                        const struct yaml_node *values)
{
    if (values->kind != YAML_MAP)
        return yaml_error(reader->document, values, false, reader->error,
                          tr("expected a map of names of %s and values"),
                          constant_group_names[info->group]);
    for (const struct yaml_node *node = values->first; node; node = node->next) {
        int member = find_member(info->group, node->key);
        if (member < 0)
            return yaml_error(reader->document, node, true, reader->error, tr("unknown %s \"%s\""),
                              constant_group_names[info->group], node->key);
        if (!read_value(reader, info, member, node))
            return false;
    }
    return true;
}

static bool read_fitted(struct reader *reader, const struct constant_info *info,
                        const struct yaml_node *list)
{
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        int member = find_member(info->group, node->text);
        if (member < 0)
            return yaml_error(reader->document, node, false, reader->error, tr("unknown %s \"%s\""),
                              constant_group_names[info->group], node->text);
        if (reader->fitted && *reader->fitted_count < CONSTANT_FITTED_MAX)
            reader->fitted[(*reader->fitted_count)++] = (struct constant_fitted){info, member};
    }
    return true;
}

static bool read_record(struct reader *reader, const struct yaml_node *node)
{
    struct record record = {.unit = NULL, .source = ""};
    if (!yaml_record(reader->document, node, record_fields, &record, reader->error))
        return false;
    const struct constant_info *info = find((enum constant_group)record.group, record.key);
    if (!info)
        return yaml_error(reader->document, yaml_get(node, "key"), false, reader->error,
                          tr("unknown constant \"%s\" of group %s"), record.key,
                          constant_group_names[record.group]);
    if (record.unit && strcmp(record.unit, info->unit))
        return yaml_error(reader->document, yaml_get(node, "unit"), false, reader->error,
                          tr("%s is measured in %s"), info->key, info->unit);
    return read_values(reader, info, record.values) && read_fitted(reader, info, record.fitted);
}

/* A missing constant would silently be 0. */
static bool check_complete(struct reader *reader)
{
    for (const struct constant_info *info = constant_table; info->key; info++)
        for (int i = 0; i < constant_members(info->group); i++)
            if (!(reader->seen[info - constant_table] >> i & 1))
                return yaml_error(reader->document, reader->document->root, false, reader->error,
                                  tr("the constant %s has no value for %s %s"), info->key,
                                  constant_group_names[info->group],
                                  constant_member_name(info->group, i));
    return true;
}

static bool read_list(struct reader *reader, const struct yaml_node *list)
{
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        if (!read_record(reader, node))
            return false;
    return true;
}

struct file_keys {
    const char *schema, *date;
    const struct yaml_node *constants, *calibrations;
};

static const struct yaml_field file_fields[] = {
    {"schema", YAML_FIELD_TEXT, offsetof(struct file_keys, schema), false, 0, 0, NULL},
    {"date", YAML_FIELD_TEXT, offsetof(struct file_keys, date), false, 0, 0, NULL},
    {"constants", YAML_FIELD_NODE, offsetof(struct file_keys, constants), false, 0, 0, NULL},
    {"calibrations", YAML_FIELD_NODE, offsetof(struct file_keys, calibrations), false, 0, 0, NULL},
    {0},
};

/* Reads constants of a whole file; every one must be there. */
static bool read_document(const struct yaml_document *document, struct constants *constants,
                          struct constant_fitted *fitted, size_t *fitted_count, struct error *error)
{
    struct file_keys keys = {0};
    unsigned long seen[CONSTANT_ROWS_MAX] = {0};
    *constants = (struct constants){0};
    if (fitted_count)
        *fitted_count = 0;
    if (!yaml_record(document, document->root, file_fields, &keys, error))
        return false;
    struct reader reader = {document, constants, fitted, fitted_count, seen, error};
    return read_list(&reader, keys.constants) && check_complete(&reader);
}

bool constants_read(const char *file, const char *text, size_t length, struct arena *arena,
                    struct constants *constants, struct constant_fitted *fitted,
                    size_t *fitted_count, struct error *error)
{
    struct yaml_document document;
    return yaml_parse(arena, file, text, length, 0, &document, error) &&
           read_document(&document, constants, fitted, fitted_count, error);
}

static const struct yaml_field calibration_fields[] = {
    {"stack", YAML_FIELD_TEXT, offsetof(struct calibration, stack), true, 0, 0, NULL},
    {"gpu", YAML_FIELD_TEXT, offsetof(struct calibration, gpu), true, 0, 0, NULL},
    {"date", YAML_FIELD_TEXT, offsetof(struct calibration, date), true, 0, 0, NULL},
    {"memory_ratio", YAML_FIELD_NUMBER, offsetof(struct calibration, memory_ratio), false, 0.1, 10,
     NULL},
    {"speed_ratio", YAML_FIELD_NUMBER, offsetof(struct calibration, speed_ratio), false, 0.1, 10,
     NULL},
    {0},
};

/* Appends the file's runs to those already known. */
static bool read_calibrations(const struct yaml_document *document, const struct yaml_node *list,
                              struct arena *arena, struct constants *constants, struct error *error)
{
    size_t known = constants->calibration_count, count = list ? (size_t)list->count : 0;
    struct calibration *rows = ARENA_ARRAY(arena, struct calibration, known + count + 1);
    for (size_t i = 0; i < known; i++)
        rows[i] = constants->calibrations[i];
    for (const struct yaml_node *node = count ? list->first : NULL; node; node = node->next) {
        rows[known] = (struct calibration){.memory_ratio = 1, .speed_ratio = 1};
        if (!yaml_record(document, node, calibration_fields, &rows[known++], error))
            return false;
    }
    constants->calibrations = rows;
    constants->calibration_count = known;
    return true;
}

static bool overlay(const struct yaml_document *document, struct arena *arena,
                    struct constants *constants, struct error *error)
{
    struct file_keys keys = {0};
    struct constants changed = *constants;
    struct reader reader = {document, &changed, NULL, NULL, NULL, error};
    if (!yaml_record(document, document->root, file_fields, &keys, error) ||
        !read_list(&reader, keys.constants) ||
        !read_calibrations(document, keys.calibrations, arena, &changed, error))
        return false;
    *constants = changed;
    return true;
}

bool constants_overlay(const char *file, const char *text, size_t length, struct arena *arena,
                       struct constants *constants, struct error *error)
{
    struct yaml_document document;
    return yaml_parse(arena, file, text, length, 0, &document, error) &&
           overlay(&document, arena, constants, error);
}

const char *constants_overlay_path(struct arena *arena)
{
    const char *folder = data_config_folder(arena);
    return folder ? arena_printf(arena, "%s/calibration.yaml", folder) : NULL;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool owns_key(const char *key)
{
    return !strcmp(key, "constants") || !strcmp(key, "calibrations");
}

/* `gpuwiz check`: an own file is read over the constants it corrects. */
static bool check(const struct yaml_document *document, const char *folder, struct error *error)
{
    struct arena *arena = arena_new();
    struct yaml_document base;
    struct constants constants;
    bool done = data_parse(folder, "engine.yaml", arena, &base, error) &&
                read_document(&base, &constants, NULL, NULL, error) &&
                overlay(document, arena, &constants, error);
    arena_free(arena);
    return done;
}

const struct data_kind constants_kind = {"gpuwiz.engine/1", owns_key, check};

bool constants_load(const char *folder, struct arena *arena, struct constants *constants,
                    struct error *error)
{
    struct yaml_document document;
    if (!data_parse(folder, "engine.yaml", arena, &document, error) ||
        !read_document(&document, constants, NULL, NULL, error))
        return false;
    size_t count;
    const char *const *overlays = data_overlays(arena, &count);
    for (size_t i = 0; i < count; i++) {
        if (!yaml_read_file(arena, overlays[i], 0, &document, error))
            return false;
        if (data_is_kind(&document, &constants_kind) &&
            !overlay(&document, arena, constants, error))
            return false;
    }
    return true;
}
