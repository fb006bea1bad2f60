#include "data/data_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/embedded.h"
#include "base/i18n.h"
#include "base/strbuf.h"

/* ---- places -------------------------------------------------------------------------------- */

/* The value of an XDG variable, or `fallback` under the home folder; NULL when there is neither. */
static const char *xdg_folder(struct arena *arena, const char *variable, const char *fallback)
{
    const char *value = getenv(variable), *home = getenv("HOME");
    if (value && value[0] == '/')
        return value;
    return home && home[0] == '/' ? arena_printf(arena, "%s/%s", home, fallback) : NULL;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool found_in(const char *folder, const char *name, struct arena *arena,
                     struct data_file *file)
{
    const char *path = arena_printf(arena, "%s/%s", folder, name);
    if (access(path, R_OK) != 0)
        return false;
    *file = (struct data_file){.path = path};
    return true;
}

/* A folder that somebody named must be there: a typing error shall not pass for the default. */
static bool named_folder(const char *folder, const char *name, struct arena *arena,
                         struct data_file *file, bool *found, struct error *error)
{
    if (!folder || !*folder)
        return true;
    if (!is_folder(folder)) {
        error_at(error, folder, 0, 0, "%s", tr("there is no such data folder"));
        return error_hint(error, "%s", tr("--data and GPUWIZ_DATA name a folder of data files"));
    }
    *found = found_in(folder, name, arena, file);
    return true;
}

static bool found_in_xdg_dirs(const char *name, struct arena *arena, struct data_file *file)
{
    const char *dirs = getenv("XDG_DATA_DIRS");
    if (!dirs || !*dirs)
        dirs = "/usr/local/share:/usr/share";
    while (*dirs) {
        size_t length = strcspn(dirs, ":");
        if (*dirs == '/') {
            const char *folder = arena_printf(arena, "%.*s/gpuwiz", (int)length, dirs);
            if (found_in(folder, name, arena, file))
                return true;
        }
        dirs += length + (dirs[length] == ':');
    }
    return false;
}

static bool found_embedded(const char *name, struct arena *arena, struct data_file *file)
{
    for (const struct embedded_file *copy = embedded_files; copy->name; copy++) {
        if (strcmp(copy->name, name) == 0) {
            *file = (struct data_file){arena_printf(arena, "built in: %s", name),
                                       (const char *)copy->bytes,
                                       (size_t)(copy->end - copy->bytes)};
            return true;
        }
    }
    return false;
}

bool data_find(const char *folder, const char *name, struct arena *arena, struct data_file *file,
               struct error *error)
{
    bool found = false;
    if (!named_folder(folder, name, arena, file, &found, error) ||
        (!found && !named_folder(getenv("GPUWIZ_DATA"), name, arena, file, &found, error)))
        return false;
    const char *home = xdg_folder(arena, "XDG_DATA_HOME", ".local/share");
    if (found || (home && found_in(arena_printf(arena, "%s/gpuwiz", home), name, arena, file)) ||
        found_in_xdg_dirs(name, arena, file) || found_in(GPUWIZ_DATADIR, name, arena, file) ||
        found_embedded(name, arena, file))
        return true;
    return error_at(error, name, 0, 0, "%s", tr("this data file was not found anywhere"));
}

bool data_parse(const char *folder, const char *name, struct arena *arena,
                struct yaml_document *document, struct error *error)
{
    struct data_file file;
    if (!data_find(folder, name, arena, &file, error))
        return false;
    if (file.bytes)
        return yaml_parse(arena, file.path, file.bytes, file.length, 0, document, error);
    return yaml_read_file(arena, file.path, 0, document, error);
}

/* ---- listing ------------------------------------------------------------------------------- */

static int is_data_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

/* By bytes, not by locale: the order decides which overlay wins. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Names found so far; grown as needed, freed by data_list. */
struct names {
    const char **items;
    size_t count, capacity;
};

static void add_name(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? 2 * names->capacity : 32;
        names->items = xrealloc(names->items, names->capacity, sizeof *names->items);
    }
    names->items[names->count++] = name;
}

static void add_folder(struct names *names, const char *folder, const char *under, struct arena *arena)
{
    struct dirent **entries = NULL;
    if (!folder || !*folder)
        return;
    int n = scandir(arena_printf(arena, "%s/%s", folder, under), &entries, is_data_name, compare_names);
    for (int i = 0; i < n; i++) {
        add_name(names, arena_printf(arena, "%s/%s", under, entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
}

static void add_embedded(struct names *names, const char *under)
{
    size_t length = strlen(under);
    for (const struct embedded_file *copy = embedded_files; copy->name; copy++)
        if (strncmp(copy->name, under, length) == 0 && copy->name[length] == '/')
            add_name(names, copy->name);
}

static int compare_texts(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

const char *const *data_list(const char *folder, const char *under, struct arena *arena, size_t *count)
{
    struct names names = {NULL, 0, 0};
    const char *home = xdg_folder(arena, "XDG_DATA_HOME", ".local/share");
    const char *dirs = getenv("XDG_DATA_DIRS");
    add_folder(&names, folder, under, arena);
    add_folder(&names, getenv("GPUWIZ_DATA"), under, arena);
    if (home)
        add_folder(&names, arena_printf(arena, "%s/gpuwiz", home), under, arena);
    for (dirs = dirs && *dirs ? dirs : "/usr/local/share:/usr/share"; *dirs;) {
        size_t length = strcspn(dirs, ":");
        if (*dirs == '/')
            add_folder(&names, arena_printf(arena, "%.*s/gpuwiz", (int)length, dirs), under, arena);
        dirs += length + (dirs[length] == ':');
    }
    add_folder(&names, GPUWIZ_DATADIR, under, arena);
    add_embedded(&names, under);
    const char **list = ARENA_ARRAY(arena, const char *, names.count + 1);
    if (names.count > 0) {
        memcpy(list, names.items, names.count * sizeof *list);
        qsort(list, names.count, sizeof *list, compare_texts);
    }
    *count = names.count;
    free(names.items);
    return list;
}

/* ---- overlays ------------------------------------------------------------------------------ */

const char *data_config_folder(struct arena *arena)
{
    const char *config = xdg_folder(arena, "XDG_CONFIG_HOME", ".config");
    return config ? arena_printf(arena, "%s/gpuwiz", config) : NULL;
}

/* The answers of the last session are no overlay, where configuration and state share a folder. */
static int is_overlay_name(const struct dirent *entry)
{
    return is_data_name(entry) && strcmp(entry->d_name, "last.yaml") != 0;
}

const char *const *data_overlays(struct arena *arena, size_t *count)
{
    const char *folder = data_config_folder(arena);
    struct dirent **entries = NULL;
    int n = folder ? scandir(folder, &entries, is_overlay_name, compare_names) : 0;
    *count = n > 0 ? (size_t)n : 0;
    const char **paths = ARENA_ARRAY(arena, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        paths[i] = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return paths;
}

/* ---- kinds --------------------------------------------------------------------------------- */

bool data_is_kind(const struct yaml_document *document, const struct data_kind *kind)
{
    const struct yaml_node *schema = yaml_get(document->root, "schema");
    if (schema)
        return strcmp(schema->text, kind->schema) == 0;
    for (const struct yaml_node *node = document->root->first; node; node = node->next)
        if (node->key && kind->owns_key(node->key))
            return true;
    return false;
}

static bool unknown_kind(const struct yaml_document *document,
                         const struct data_kind *const *kinds, struct error *error)
{
    const struct yaml_node *schema = yaml_get(document->root, "schema");
    struct strbuf known = {0};
    for (size_t i = 0; kinds[i]; i++)
        strbuf_printf(&known, "%s%s", i > 0 ? ", " : "", kinds[i]->schema);
    if (schema)
        yaml_error(document, schema, false, error, tr("unknown schema '%s'"), schema->text);
    else
        yaml_error(document, document->root, false, error, "%s",
                   tr("this is no data file: it has no `schema` and no section that is known"));
    error_hint(error, tr("known: %s"), strbuf_text(&known));
    strbuf_clear(&known);
    return false;
}

bool data_check_document(const struct yaml_document *document, const char *folder,
                         const struct data_kind *const *kinds, struct error *error)
{
    size_t i = 0;
    while (kinds[i] && !data_is_kind(document, kinds[i]))
        i++;
    return kinds[i] ? kinds[i]->check(document, folder, error)
                    : unknown_kind(document, kinds, error);
}

bool data_check_file(const char *path, const char *folder, const struct data_kind *const *kinds,
                     struct error *error)
{
    struct arena *arena = arena_new();
    struct yaml_document document;
    bool good = yaml_read_file(arena, path, 0, &document, error) &&
                data_check_document(&document, folder, kinds, error);
    arena_free(arena);
    return good;
}

/* What the program itself keeps under XDG_STATE_HOME and XDG_DATA_HOME, which may be the same folder. */
static bool is_kept_by_program(const char *path)
{
    static const char *const names[] = {"/last.yaml", "/progress.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(path), end = strlen(names[i]);
        if (length > end && strcmp(path + length - end, names[i]) == 0)
            return true;
    }
    return false;
}

bool data_overlays_known(const struct data_kind *const *kinds, struct arena *arena,
                         struct error *error)
{
    size_t count;
    const char *const *paths = data_overlays(arena, &count);
    for (size_t i = 0; i < count; i++) {
        struct yaml_document document;
        const struct data_kind *const *kind = kinds;
        if (is_kept_by_program(paths[i]))
            continue;
        if (!yaml_read_file(arena, paths[i], 0, &document, error))
            return false;
        while (*kind && !data_is_kind(&document, *kind))
            kind++;
        if (!*kind)
            return unknown_kind(&document, kinds, error);
    }
    return true;
}
