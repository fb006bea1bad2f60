/* yaml.c - libyaml's events put together to a tree of nodes; yaml_record.c reads the nodes. */
#include "data/yaml.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/strbuf.h"

enum {
    MAX_DEPTH = 16,
    SHORT_MAP = 64 /* keys; longer maps are sorted to find duplicates */
};

/* A list or map that is still open. */
struct frame {
    struct yaml_node *node, *last;
    uint64_t seen;        /* hash bits of the keys so far: most keys need no comparison */
    const char *key;      /* read, its value not yet */
    int key_line, key_column;
};

struct reader {
    yaml_parser_t parser;
    struct arena *arena;
    const char *file, *bytes;
    size_t length;
    struct error *error;
    struct frame stack[MAX_DEPTH];
    int depth;            /* open lists and maps */
    struct yaml_node *root;
};

/* ---- errors ---------------------------------------------------------------------------------- */

static bool fail_at(struct reader *reader, yaml_mark_t mark, const char *message)
{
    return error_at(reader->error, reader->file, (int)mark.line + 1, (int)mark.column + 1, "%s",
                    message);
}

/* The reader stops at a byte offset and sets no mark: count the lines up to it. */
static bool fail_at_offset(struct reader *reader, const char *message)
{
    size_t offset = reader->parser.problem_offset;
    int line = 1, column = 1;
    for (size_t i = 0; i < offset && i < reader->length; i++) {
        if (reader->bytes[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)reader->bytes[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    return error_at(reader->error, reader->file, line, column, "%s", message);
}

static bool fail_parser(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "?";
    if (parser->error == YAML_READER_ERROR) {
        bool control = strstr(problem, "control") != NULL;
        return fail_at_offset(reader, control ? tr("a control character may not stand here")
                                              : tr("this is not UTF-8 text"));
    }
    char message[200];
    snprintf(message, sizeof message, tr("not valid YAML: %s"), tr(problem));
    return fail_at(reader, parser->problem_mark, message);
}

/* ---- the tree -------------------------------------------------------------------------------- */

static uint64_t key_bit(const char *key)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    return UINT64_C(1) << (hash >> 58);
}

static const struct yaml_node *short_map_duplicate(struct frame *frame, const char *key)
{
    uint64_t bit = key_bit(key);
    bool maybe = (frame->seen & bit) != 0;
    frame->seen |= bit;
    return maybe && frame->node->count < SHORT_MAP ? yaml_get(frame->node, key) : NULL;
}

static int compare_keys(const void *a, const void *b)
{
    const struct yaml_node *x = *(const struct yaml_node *const *)a;
    const struct yaml_node *y = *(const struct yaml_node *const *)b;
    int order = strcmp(x->key, y->key);
    if (order == 0)
        order = (x->key_line > y->key_line) - (x->key_line < y->key_line);
    return order != 0 ? order : (x->key_column > y->key_column) - (x->key_column < y->key_column);
}

/* A later key that stands twice in a map of any length, or NULL. */
static const struct yaml_node *long_map_duplicate(const struct yaml_node *map)
{
    const struct yaml_node **keys = xrealloc(NULL, (size_t)map->count, sizeof *keys);
    size_t n = 0;
    for (const struct yaml_node *child = map->first; child; child = child->next)
        keys[n++] = child;
    qsort(keys, n, sizeof *keys, compare_keys);
    const struct yaml_node *found = NULL;
    for (size_t i = 1; i < n && !found; i++)
        if (strcmp(keys[i - 1]->key, keys[i]->key) == 0)
            found = keys[i];
    free(keys);
    return found;
}

static bool fail_duplicate(struct reader *reader, int line, int column, const char *key)
{
    return error_at(reader->error, reader->file, line, column, tr("the key '%s' stands here twice"),
                    key);
}

static bool attach(struct reader *reader, struct yaml_node *node)
{
    if (reader->depth == 0) {
        reader->root = node;
        return true;
    }
    struct frame *frame = &reader->stack[reader->depth - 1];
    if (frame->node->count == INT_MAX)
        return error_set(reader->error, "%s", tr("too many entries"));
    node->key = frame->key;
    node->key_line = frame->key_line;
    node->key_column = frame->key_column;
    frame->key = NULL;
    if (frame->last)
        frame->last->next = node;
    else
        frame->node->first = node;
    frame->last = node;
    frame->node->count++;
    return true;
}

static struct yaml_node *node_new(struct reader *reader, enum yaml_kind kind, yaml_mark_t mark)
{
    struct yaml_node *node = ARENA_NEW(reader->arena, struct yaml_node);
    node->kind = kind;
    node->text = "";
    node->line = (int)mark.line + 1;
    node->column = (int)mark.column + 1;
    return node;
}

static bool waits_for_key(const struct reader *reader)
{
    if (reader->depth == 0)
        return false;
    const struct frame *frame = &reader->stack[reader->depth - 1];
    return frame->node->kind == YAML_MAP && !frame->key;
}

static bool read_key(struct reader *reader, const char *key, yaml_mark_t mark)
{
    struct frame *frame = &reader->stack[reader->depth - 1];
    frame->key = key;
    frame->key_line = (int)mark.line + 1;
    frame->key_column = (int)mark.column + 1;
    return !short_map_duplicate(frame, key)
           || fail_duplicate(reader, frame->key_line, frame->key_column, key);
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length))
        return fail_at(reader, event->start_mark, tr("a control character may not stand here"));
    const char *text = length > 0 ? arena_strndup(reader->arena, value, length) : "";
    if (waits_for_key(reader))
        return read_key(reader, text, event->start_mark);
    struct yaml_node *node = node_new(reader, YAML_SCALAR, event->start_mark);
    node->text = text;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return attach(reader, node);
}

static bool open_collection(struct reader *reader, enum yaml_kind kind, yaml_mark_t mark)
{
    if (waits_for_key(reader))
        return fail_at(reader, mark, tr("a key must be plain text"));
    if (reader->depth == MAX_DEPTH)
        return fail_at(reader, mark,
                       tr("lists and maps are nested too deeply (16 levels at most)"));
    struct yaml_node *node = node_new(reader, kind, mark);
    if (!attach(reader, node))
        return false;
    reader->stack[reader->depth++] = (struct frame){.node = node};
    return true;
}

static bool close_collection(struct reader *reader)
{
    const struct yaml_node *node = reader->stack[--reader->depth].node;
    if (node->kind != YAML_MAP || node->count <= SHORT_MAP)
        return true;
    const struct yaml_node *twice = long_map_duplicate(node);
    return !twice || fail_duplicate(reader, twice->key_line, twice->key_column, twice->key);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool refuse_anchor_and_tag(struct reader *reader, const yaml_event_t *event,
                                  const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor)
        return fail_at(reader, event->start_mark, tr("anchors (&name) are not read here"));
    if (tag)
        return fail_at(reader, event->start_mark, tr("tags (!name) are not read here"));
    return true;
}

static bool handle(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !reader->root || fail_at(reader, event->start_mark,
                                        tr("a second document starts here; only one is read"));
    case YAML_ALIAS_EVENT:
        return fail_at(reader, event->start_mark, tr("aliases (*name) are not read here"));
    case YAML_SCALAR_EVENT:
        return refuse_anchor_and_tag(reader, event, event->data.scalar.anchor,
                                     event->data.scalar.tag)
               && read_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return refuse_anchor_and_tag(reader, event, event->data.sequence_start.anchor,
                                     event->data.sequence_start.tag)
               && open_collection(reader, YAML_LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return refuse_anchor_and_tag(reader, event, event->data.mapping_start.anchor,
                                     event->data.mapping_start.tag)
               && open_collection(reader, YAML_MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(reader);
    default:
        return true;
    }
}

static bool read_events(struct reader *reader)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return fail_parser(reader);
        more = event.type != YAML_STREAM_END_EVENT;
        bool good = handle(reader, &event);
        yaml_event_delete(&event);
        if (!good)
            return false;
    }
    if (!reader->root || (reader->root->kind == YAML_SCALAR && yaml_is_null(reader->root)))
        return error_at(reader->error, reader->file, 1, 1, "%s", tr("the file has no content"));
    return true;
}

bool yaml_parse(struct arena *arena, const char *file, const char *bytes, size_t length,
                size_t max_bytes, struct yaml_document *document, struct error *error)
{
    size_t limit = max_bytes ? max_bytes : YAML_MAX_BYTES;
    if (length > limit)
        return error_at(error, file, 0, 0, tr("the file is larger than %zu bytes"), limit);
    struct reader reader = {
        .arena = arena, .file = file, .bytes = bytes, .length = length, .error = error};
    if (!yaml_parser_initialize(&reader.parser))
        return error_at(error, file, 0, 0, "%s", tr("out of memory"));
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    /* libyaml would count a byte-order mark as a column, which indents the first line alone */
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        reader.bytes = bytes += 3;
        reader.length = length -= 3;
    }
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)bytes, length);
    bool good = read_events(&reader);
    yaml_parser_delete(&reader.parser);
    if (good)
        *document = (struct yaml_document){arena_strdup(arena, file), reader.root};
    return good;
}

bool yaml_read_file(struct arena *arena, const char *path, size_t max_bytes,
                    struct yaml_document *document, struct error *error)
{
    struct strbuf text = {0};
    size_t limit = max_bytes ? max_bytes : YAML_MAX_BYTES;
    bool good = file_read(path, limit, &text, error) &&
                yaml_parse(arena, file_name(path), strbuf_text(&text), text.length, limit, document,
                           error);
    strbuf_clear(&text);
    return good;
}
