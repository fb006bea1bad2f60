/* yaml_record.c - what the nodes of a YAML tree say: numbers, texts, and records by a table. */
#include "data/yaml.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/text.h"

/* ---- readings -------------------------------------------------------------------------------- */

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    for (const struct yaml_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

bool yaml_is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && !node->quoted
           && (node->text[0] == '\0' || strcmp(node->text, "~") == 0
               || strcmp(node->text, "null") == 0);
}

bool yaml_error(const struct yaml_document *document, const struct yaml_node *node, bool at_key,
                struct error *error, const char *format, ...)
{
    char message[sizeof error->message + 4]; /* so that error_at sees, and marks, what was cut */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    bool key = at_key && node->key;
    return error_at(error, document->file, key ? node->key_line : node->line,
                    key ? node->key_column : node->column, "%s", message);
}

/* Says what was expected, and what stands there. */
static bool wrong_type(const struct yaml_document *document, const struct yaml_node *node,
                       struct error *error, const char *expected)
{
    const char *found = node->kind == YAML_LIST  ? tr("a list")
                        : node->kind == YAML_MAP ? tr("a map")
                        : yaml_is_null(node)     ? tr("nothing")
                                                 : node->text;
    return node->key ? yaml_error(document, node, false, error, tr("%s: expected %s, found %s"),
                                  node->key, expected, found)
                     : yaml_error(document, node, false, error, tr("expected %s, found %s"),
                                  expected, found);
}

static bool parse_number(const struct yaml_node *node, double *value)
{
    if (node->kind != YAML_SCALAR || node->quoted || node->text[0] == '\0'
        || node->text[strspn(node->text, "0123456789+-.eE")] != '\0')
        return false; /* strtod would take hexadecimal, inf and nan */
    char *end;
    double number = strtod(node->text, &end);
    if (*end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool yaml_number(const struct yaml_document *document, const struct yaml_node *node, double *value,
                 struct error *error)
{
    return parse_number(node, value) || wrong_type(document, node, error, tr("a number"));
}

bool yaml_bool(const struct yaml_document *document, const struct yaml_node *node, bool *value,
               struct error *error)
{
    static const char *const words[] = {"false", "no", "true", "yes"};
    for (int i = 0; i < 4 && node->kind == YAML_SCALAR && !node->quoted; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *value = i >= 2;
            return true;
        }
    }
    return wrong_type(document, node, error, tr("yes or no"));
}

bool yaml_text(const struct yaml_document *document, const struct yaml_node *node,
               const char **value, struct error *error)
{
    if (node->kind != YAML_SCALAR || yaml_is_null(node))
        return wrong_type(document, node, error, tr("text"));
    *value = node->text;
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

/* The name most like `word`, when it is like it at all. */
static const char *nearer(const char *word, const char *name, const char *best, int *distance)
{
    int d = text_distance(word, name);
    if (d >= *distance || !text_alike(name, word))
        return best;
    *distance = d;
    return name;
}

static bool unknown_key(const struct yaml_document *document, const struct yaml_node *node,
                        const struct yaml_field *fields, struct error *error)
{
    const char *best = NULL;
    int distance = INT_MAX;
    for (const struct yaml_field *field = fields; field->key; field++)
        best = nearer(node->key, field->key, best, &distance);
    yaml_error(document, node, true, error, tr("unknown key '%s'"), node->key);
    return best && error_hint(error, tr("did you mean '%s'?"), best);
}

static bool check_range(const struct yaml_document *document, const struct yaml_node *node,
                        const struct yaml_field *field, double value, struct error *error)
{
    if ((field->minimum == 0 && field->maximum == 0)
        || (value >= field->minimum && value <= field->maximum))
        return true;
    return yaml_error(document, node, false, error, tr("%s: %s is outside %.10g to %.10g"),
                      field->key, node->text, field->minimum, field->maximum);
}

static bool read_count(const struct yaml_node *node, uint64_t *value)
{
    double rounded;
    if (!parse_number(node, &rounded) || rounded < 0)
        return false;
    errno = 0; /* a double holds 53 bits: whole numbers are read as such */
    char *end;
    uint64_t count = strtoull(node->text, &end, 10);
    if (*end != '\0' || errno != 0) {
        if (rounded != floor(rounded) || rounded > 9007199254740992.0)
            return false;
        count = (uint64_t)rounded;
    }
    *value = count;
    return true;
}

static bool read_choice(const struct yaml_document *document, const struct yaml_node *node,
                        const struct yaml_field *field, int *value, struct error *error)
{
    if (node->kind != YAML_SCALAR)
        return wrong_type(document, node, error, tr("text"));
    const char *best = NULL;
    int distance = INT_MAX;
    struct strbuf all = {0};
    for (int i = 0; field->choices[i]; i++) {
        if (strcmp(field->choices[i], node->text) == 0) {
            *value = i;
            strbuf_clear(&all);
            return true;
        }
        best = nearer(node->text, field->choices[i], best, &distance);
        strbuf_printf(&all, "%s%s", i > 0 ? ", " : "", field->choices[i]);
    }
    yaml_error(document, node, false, error, tr("%s: '%s' is none of its choices"), field->key,
               node->text);
    if (best)
        error_hint(error, tr("did you mean '%s'?"), best);
    else
        error_hint(error, tr("choices: %s"), strbuf_text(&all));
    strbuf_clear(&all);
    return false;
}

static bool read_field(const struct yaml_document *document, const struct yaml_node *node,
                       const struct yaml_field *field, void *member, struct error *error)
{
    double number = 0;
    switch (field->type) {
    case YAML_FIELD_NUMBER:
        if (!yaml_number(document, node, &number, error)
            || !check_range(document, node, field, number, error))
            return false;
        *(double *)member = number;
        return true;
    case YAML_FIELD_INT:
        if (!parse_number(node, &number) || number != floor(number) || fabs(number) > INT_MAX)
            return wrong_type(document, node, error, tr("a whole number"));
        if (!check_range(document, node, field, number, error))
            return false;
        *(int *)member = (int)number;
        return true;
    case YAML_FIELD_COUNT:
        if (!read_count(node, member))
            return wrong_type(document, node, error, tr("a whole number"));
        return check_range(document, node, field, (double)*(uint64_t *)member, error);
    case YAML_FIELD_BOOL:
        return yaml_bool(document, node, member, error);
    case YAML_FIELD_TEXT:
        return yaml_text(document, node, member, error);
    case YAML_FIELD_CHOICE:
        return read_choice(document, node, field, member, error);
    case YAML_FIELD_NODE:
        *(const struct yaml_node **)member = node;
        return true;
    }
    return false;
}

static bool check_required(const struct yaml_document *document, const struct yaml_node *map,
                           const struct yaml_field *fields, struct error *error)
{
    for (const struct yaml_field *field = fields; field->key; field++) {
        if (!field->required)
            continue;
        const struct yaml_node *node = yaml_get(map, field->key);
        if (!node)
            return yaml_error(document, map, false, error, tr("the key '%s' is missing"),
                              field->key);
        if (yaml_is_null(node))
            return yaml_error(document, node, true, error, tr("%s: a value is needed"), field->key);
    }
    return true;
}

bool yaml_record(const struct yaml_document *document, const struct yaml_node *map,
                 const struct yaml_field *fields, void *record, struct error *error)
{
    if (map->kind != YAML_MAP)
        return wrong_type(document, map, error, tr("a map"));
    const struct yaml_field *field = fields; /* records mostly keep the table's order */
    for (const struct yaml_node *node = map->first; node; node = node->next) {
        if (!field->key || strcmp(field->key, node->key) != 0)
            for (field = fields; field->key && strcmp(field->key, node->key) != 0;)
                field++;
        if (!field->key)
            return unknown_key(document, node, fields, error);
        if (!yaml_is_null(node)
            && !read_field(document, node, field, (char *)record + field->offset, error))
            return false;
        field++;
    }
    return check_required(document, map, fields, error);
}
