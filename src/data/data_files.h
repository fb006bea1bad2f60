/* data_files.h - where data files are looked for, and how one is recognised. The order, for each
 * file by itself (gpuwiz-data(5)): the folder given with --data, $GPUWIZ_DATA,
 * $XDG_DATA_HOME/gpuwiz (~/.local/share/gpuwiz), gpuwiz/ in each of $XDG_DATA_DIRS, the folder
 * compiled in, and the copy inside the program. Relative XDG values are ignored, as the XDG base
 * directory specification asks. */
#ifndef GPUWIZ_DATA_FILES_H
#define GPUWIZ_DATA_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/error.h"
#include "data/yaml.h"

struct data_file {
    const char *path;  /* as shown to a person; "built in: gpus.yaml" for the copy in the program */
    const char *bytes; /* the copy in the program, not NUL-terminated; NULL = read `path` */
    size_t length;
};

/* Finds the file by its name ("gpus.yaml", "lessons/memory.yaml", "zh_CN.mo"). A folder that was
 * named (`folder`, $GPUWIZ_DATA) and does not exist is an error, so is a file found nowhere. */
bool data_find(const char *folder, const char *name, struct arena *arena, struct data_file *file,
               struct error *error);

/* Finds and parses a YAML file; nodes live in `arena`. */
bool data_parse(const char *folder, const char *name, struct arena *arena,
                struct yaml_document *document, struct error *error);

/* The *.yaml files under the folder `under` ("lessons") of any of those places, as names for data_find
 * ("lessons/memory.yaml"), each once, sorted. */
const char *const *data_list(const char *folder, const char *under, struct arena *arena, size_t *count);

/* $XDG_CONFIG_HOME/gpuwiz (~/.config/gpuwiz): the user's overlays. NULL when there is no home. */
const char *data_config_folder(struct arena *arena);

/* The paths of the *.yaml files in that folder, sorted by name; later ones win. */
const char *const *data_overlays(struct arena *arena, size_t *count);

/* One kind of data file, such as catalog_kind of data/catalog.h. It is recognised by the value of its
 * `schema` key or, where it has none, by top-level keys that no other kind has. Lessons and engine
 * constants bring their own. */
struct data_kind {
    const char *schema; /* "gpuwiz.catalog/1" */
    bool (*owns_key)(const char *key);
    bool (*check)(const struct yaml_document *document, const char *folder, struct error *error);
};

/* False, with its place, when an overlay is of no known kind: one misspelled section, and a user's
 * figures would be left out without a word. */
bool data_overlays_known(const struct data_kind *const *kinds, struct arena *arena,
                         struct error *error);

/* Validates a data file by the first of the `kinds` (ends with NULL) that it belongs to, against
 * the data found from `folder` (NULL = the usual order). A file of no known kind is an error. */
bool data_check_file(const char *path, const char *folder, const struct data_kind *const *kinds,
                     struct error *error);

/* The same for a file that was read already: standard input can be read only once. */
bool data_check_document(const struct yaml_document *document, const char *folder,
                         const struct data_kind *const *kinds, struct error *error);

/* True when the document belongs to the kind. */
bool data_is_kind(const struct yaml_document *document, const struct data_kind *kind);

#endif
