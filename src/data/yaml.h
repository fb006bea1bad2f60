/* yaml.h - YAML (and so JSON) read into a tree of nodes that know where they stood. The only
 * module that knows libyaml. Refused, with file:line:column: anchors, aliases, tags, more than one
 * document, duplicate keys, depth over 16, files over `max_bytes`, ill-formed UTF-8, no content. */
#ifndef GPUWIZ_YAML_H
#define GPUWIZ_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/error.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

/* Children of a list or map form a chain; under a map each child carries its key. */
struct yaml_node {
    enum yaml_kind kind;
    bool quoted;               /* a scalar in quotes is text, never a number, yes/no or null */
    const char *key;           /* NULL under a list */
    int key_line, key_column;  /* from 1 */
    const char *text;          /* scalar; "" for lists and maps */
    int line, column;          /* from 1 */
    int count;                 /* children */
    struct yaml_node *first, *next;
};

struct yaml_document {
    const char *file; /* as it is to be shown in errors */
    const struct yaml_node *root;
};

enum { YAML_MAX_BYTES = 1 << 20 };

/* All nodes live in `arena`. `max_bytes` 0 means YAML_MAX_BYTES. */
bool yaml_parse(struct arena *arena, const char *file, const char *bytes, size_t length,
                size_t max_bytes, struct yaml_document *document, struct error *error);

/* Reads the file first; "-" is standard input. */
bool yaml_read_file(struct arena *arena, const char *path, size_t max_bytes,
                    struct yaml_document *document, struct error *error);

/* The child of a map, NULL when absent. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* Null is an unquoted empty scalar, ~ or null. */
bool yaml_is_null(const struct yaml_node *node);

/* Typed readings; on a wrong type they fill `error` with the place and what was expected. */
bool yaml_number(const struct yaml_document *document, const struct yaml_node *node, double *value,
                 struct error *error);
bool yaml_bool(const struct yaml_document *document, const struct yaml_node *node, bool *value,
               struct error *error); /* yes/no/true/false */
bool yaml_text(const struct yaml_document *document, const struct yaml_node *node,
               const char **value, struct error *error);

/* An error at the node (or, `at_key`, at its key). Returns false. */
bool yaml_error(const struct yaml_document *document, const struct yaml_node *node, bool at_key,
                struct error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* One key of a record: how a map becomes a plain struct. A table of these ends with key NULL. */
enum yaml_field_type {
    YAML_FIELD_NUMBER,   /* double */
    YAML_FIELD_INT,      /* int */
    YAML_FIELD_COUNT,    /* uint64_t */
    YAML_FIELD_BOOL,     /* bool */
    YAML_FIELD_TEXT,     /* const char * in the arena */
    YAML_FIELD_CHOICE,   /* int: index into `choices` */
    YAML_FIELD_NODE      /* const struct yaml_node *: read further by the caller */
};

struct yaml_field {
    const char *key;
    enum yaml_field_type type;
    size_t offset;
    bool required;
    double minimum, maximum;     /* numbers; both 0 = any */
    const char *const *choices;  /* NULL-terminated */
};

/* Fills `record` from the map by the table. Unknown keys (with the nearest known one as a hint),
 * missing required keys, wrong types and values out of range are errors. Null leaves a member as
 * the caller initialised it (a required key may not be null). */
bool yaml_record(const struct yaml_document *document, const struct yaml_node *map,
                 const struct yaml_field *fields, void *record, struct error *error);

#endif
