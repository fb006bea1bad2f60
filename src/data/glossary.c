/* glossary.c - the words on screen, in two sentences and a rule of thumb each: glossary.yaml. */
#include "data/lesson.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"

static const char schema[] = "gpuwiz.glossary/1";

struct raw_entry {
    const char *term;
    const struct yaml_node *also, *name, *meaning, *rule;
};

static const struct yaml_field entry_keys[] = {
    {"term", YAML_FIELD_TEXT, offsetof(struct raw_entry, term), true, 0, 0, NULL},
    {"also", YAML_FIELD_NODE, offsetof(struct raw_entry, also), false, 0, 0, NULL},
    {"name", YAML_FIELD_NODE, offsetof(struct raw_entry, name), true, 0, 0, NULL},
    {"meaning", YAML_FIELD_NODE, offsetof(struct raw_entry, meaning), true, 0, 0, NULL},
    {"rule", YAML_FIELD_NODE, offsetof(struct raw_entry, rule), true, 0, 0, NULL},
    {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};

static bool read_languages(const struct yaml_document *document, const struct yaml_node *node,
                           struct bilingual *out, struct error *error)
{
    static const char *const keys[] = {[LANGUAGE_EN] = "en", [LANGUAGE_ZH] = "zh"};
    for (int i = 0; i < 2; i++) {
        out->node[i] = yaml_get(node, keys[i]);
        if (!out->node[i])
            return yaml_error(document, node, true, error, tr("%s: %s is missing"),
                              node->key ? node->key : "-", keys[i]);
        if (!yaml_text(document, out->node[i], &out->text[i], error))
            return false;
    }
    if (node->count != 2)
        return yaml_error(document, node, true, error, tr("%s: only en and zh are expected"),
                          node->key ? node->key : "-");
    return true;
}

static const char *const *read_spellings(const struct yaml_document *document,
                                         const struct yaml_node *list, struct arena *arena,
                                         struct error *error)
{
    int count = list ? list->count : 0, i = 0;
    const char **spellings = ARENA_ARRAY(arena, const char *, (size_t)count + 1);
    if (list && list->kind != YAML_LIST) {
        yaml_error(document, list, false, error, tr("%s: a list is expected"), list->key);
        return NULL;
    }
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        if (!yaml_text(document, node, &spellings[i++], error))
            return NULL;
    return spellings;
}

static bool read_entry(const struct yaml_document *document, const struct yaml_node *node,
                       struct arena *arena, struct glossary_entry *entry, struct error *error)
{
    struct raw_entry raw = {NULL, NULL, NULL, NULL, NULL};
    if (!yaml_record(document, node, entry_keys, &raw, error))
        return false;
    entry->term = raw.term;
    entry->also = read_spellings(document, raw.also, arena, error);
    return entry->also && read_languages(document, raw.name, &entry->name, error) &&
           read_languages(document, raw.meaning, &entry->meaning, error) &&
           read_languages(document, raw.rule, &entry->rule, error);
}

/* A spelling itself, or as screens show it in the language of the moment. */
static bool is_spelling(const char *spelling, const char *term)
{
    return strcasecmp(spelling, term) == 0 || strcmp(tr(spelling), term) == 0;
}

static bool is_called(const struct glossary_entry *entry, const char *term)
{
    for (size_t i = 0; entry->also[i]; i++)
        if (is_spelling(entry->also[i], term))
            return true;
    return strcasecmp(entry->term, term) == 0 ||
           is_spelling(entry->name.text[LANGUAGE_EN], term) ||
           strcmp(entry->name.text[LANGUAGE_ZH], term) == 0;
}

/* Two entries of one name: `?` would find the first only. */
static bool check_unique(const struct yaml_document *document, const struct yaml_node *node,
                         const struct glossary *glossary, const struct glossary_entry *entry,
                         struct error *error)
{
    const struct glossary_entry *other = glossary_find(glossary, entry->term);
    for (size_t i = 0; !other && entry->also[i]; i++)
        other = glossary_find(glossary, entry->also[i]);
    return !other || yaml_error(document, node, false, error, tr("%s is explained twice (%s)"),
                                entry->term, other->term);
}

static bool read_all(const struct yaml_document *document, struct arena *arena,
                     struct glossary *glossary, struct error *error)
{
    struct raw {
        const char *schema;
        const struct yaml_node *terms;
    } raw = {NULL, NULL};
    static const struct yaml_field keys[] = {
        {"schema", YAML_FIELD_TEXT, offsetof(struct raw, schema), true, 0, 0, NULL},
        {"terms", YAML_FIELD_NODE, offsetof(struct raw, terms), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    *glossary = (struct glossary){NULL, 0};
    if (!yaml_record(document, document->root, keys, &raw, error))
        return false;
    if (strcmp(raw.schema, schema) != 0)
        return yaml_error(document, yaml_get(document->root, "schema"), false, error,
                          tr("unknown schema '%s'"), raw.schema);
    if (raw.terms->kind != YAML_LIST)
        return yaml_error(document, raw.terms, false, error, tr("%s: a list is expected"),
                          raw.terms->key);
    struct glossary_entry *entries =
        ARENA_ARRAY(arena, struct glossary_entry, (size_t)raw.terms->count + 1);
    glossary->entries = entries;
    for (const struct yaml_node *node = raw.terms->first; node; node = node->next) {
        struct glossary_entry *entry = &entries[glossary->count];
        if (!read_entry(document, node, arena, entry, error) ||
            !check_unique(document, node, glossary, entry, error))
            return false;
        glossary->count++;
    }
    return true;
}

bool glossary_load(const char *folder, struct arena *arena, struct glossary *glossary,
                   struct error *error)
{
    struct yaml_document document;
    *glossary = (struct glossary){NULL, 0};
    return data_parse(folder, "glossary.yaml", arena, &document, error) &&
           read_all(&document, arena, glossary, error);
}

const struct glossary_entry *glossary_find(const struct glossary *glossary, const char *term)
{
    for (size_t i = 0; i < glossary->count; i++)
        if (is_called(&glossary->entries[i], term))
            return &glossary->entries[i];
    return NULL;
}

static bool begins_so(const struct glossary_entry *entry, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; entry->also[i]; i++)
        if (strncasecmp(entry->also[i], word, length) == 0)
            return true;
    return strncasecmp(entry->term, word, length) == 0 ||
           strncasecmp(entry->name.text[LANGUAGE_EN], word, length) == 0 ||
           strncmp(entry->name.text[LANGUAGE_ZH], word, length) == 0;
}

const struct glossary_entry *glossary_search(const struct glossary *glossary, const char *word)
{
    const struct glossary_entry *entry = glossary_find(glossary, word);
    for (size_t i = 0; !entry && *word && i < glossary->count; i++)
        if (begins_so(&glossary->entries[i], word))
            entry = &glossary->entries[i];
    return entry;
}

static bool owns_key(const char *key)
{
    return strcmp(key, "terms") == 0;
}

static bool check(const struct yaml_document *document, const char *folder, struct error *error)
{
    struct arena *arena = arena_new();
    struct glossary glossary;
    (void)folder;
    bool good = read_all(document, arena, &glossary, error);
    arena_free(arena);
    return good;
}

const struct data_kind glossary_kind = {schema, owns_key, check};
