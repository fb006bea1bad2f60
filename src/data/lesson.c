/* lesson.c - see lesson.h: reads lessons, checks their structure. Whether their expressions and
 * answers hold is checked where the engine is (engine/learn.c). */
#include "data/lesson.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

const char lesson_schema[] = "gpuwiz.lesson/1";
const char *const lesson_kind_names[] = {"text", "predict", "try", "explain", "reveal", NULL};

/* What is read from: the document and where texts are kept. */
struct reader {
    const struct yaml_document *document;
    struct arena *arena;
    struct error *error;
};

const char *bilingual_text(const struct bilingual *bilingual)
{
    const char *text = bilingual->text[i18n_language()];
    return text ? text : "";
}

/* ---- small parts ---------------------------------------------------------------------------- */

static bool read_bilingual(const struct reader *reader, const struct yaml_node *node,
                           struct bilingual *out)
{
    struct languages {
        const char *en, *zh;
    } texts = {NULL, NULL};
    static const struct yaml_field keys[] = {
        {"en", YAML_FIELD_TEXT, offsetof(struct languages, en), true, 0, 0, NULL},
        {"zh", YAML_FIELD_TEXT, offsetof(struct languages, zh), true, 0, 0, NULL},
        {NULL, YAML_FIELD_TEXT, 0, false, 0, 0, NULL}};
    if (!yaml_record(reader->document, node, keys, &texts, reader->error))
        return false;
    out->text[LANGUAGE_EN] = texts.en;
    out->text[LANGUAGE_ZH] = texts.zh;
    out->node[LANGUAGE_EN] = yaml_get(node, "en");
    out->node[LANGUAGE_ZH] = yaml_get(node, "zh");
    return true;
}

/* The same where it may be left out. */
static bool read_optional(const struct reader *reader, const struct yaml_node *node,
                          struct bilingual *out)
{
    return !node || read_bilingual(reader, node, out);
}

static bool read_expression(const struct reader *reader, const struct yaml_node *node,
                            struct lesson_expression *out)
{
    if (!node)
        return true;
    out->node = node;
    return yaml_text(reader->document, node, &out->text, reader->error);
}

static bool expect_list(const struct reader *reader, const struct yaml_node *node, int most)
{
    if (node->kind != YAML_LIST || node->count == 0)
        return yaml_error(reader->document, node, false, reader->error,
                          tr("%s: a list is expected"), node->key);
    if (node->count > most)
        return yaml_error(reader->document, node, false, reader->error,
                          tr("%s: at most %d entries"), node->key, most);
    return true;
}

static bool expect_map(const struct reader *reader, const struct yaml_node *node)
{
    return node->kind == YAML_MAP ||
           yaml_error(reader->document, node, false, reader->error, tr("%s: a map is expected"),
                      node->key ? node->key : "-");
}

static bool read_texts(const struct reader *reader, const struct yaml_node *list,
                       const char **texts, int most, int *count)
{
    if (!list)
        return true;
    if (!expect_list(reader, list, most))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!yaml_text(reader->document, node, &texts[(*count)++], reader->error))
            return false;
    return true;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static bool read_choice(const struct reader *reader, const struct yaml_node *node,
                        struct lesson_choice *choice)
{
    struct raw {
        const struct yaml_node *text, *right, *because;
    } raw = {NULL, NULL, NULL};
    static const struct yaml_field keys[] = {
        {"text", YAML_FIELD_NODE, offsetof(struct raw, text), true, 0, 0, NULL},
        {"right", YAML_FIELD_NODE, offsetof(struct raw, right), true, 0, 0, NULL},
        {"because", YAML_FIELD_NODE, offsetof(struct raw, because), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    return yaml_record(reader->document, node, keys, &raw, reader->error) &&
           read_bilingual(reader, raw.text, &choice->text) &&
           read_expression(reader, raw.right, &choice->right) &&
           read_bilingual(reader, raw.because, &choice->because);
}

static bool read_choices(const struct reader *reader, const struct yaml_node *list,
                         struct lesson_step *step)
{
    if (!expect_list(reader, list, LESSON_CHOICES))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_choice(reader, node, &step->choices[step->choice_count++]))
            return false;
    return step->choice_count > 1 || yaml_error(reader->document, list, false, reader->error, "%s",
                                                tr("a choice needs two answers"));
}

static bool read_predict(const struct reader *reader, const struct yaml_node *node,
                         struct lesson_step *step)
{
    struct raw {
        const struct yaml_node *question, *choices, *answer, *low, *high;
        const char *unit, *key;
        double tolerance;
    } raw = {.unit = "", .tolerance = 0.15};
    static const struct yaml_field keys[] = {
        {"question", YAML_FIELD_NODE, offsetof(struct raw, question), true, 0, 0, NULL},
        {"choices", YAML_FIELD_NODE, offsetof(struct raw, choices), false, 0, 0, NULL},
        {"answer", YAML_FIELD_NODE, offsetof(struct raw, answer), false, 0, 0, NULL},
        {"tolerance", YAML_FIELD_NUMBER, offsetof(struct raw, tolerance), false, 0.001, 2, NULL},
        {"unit", YAML_FIELD_TEXT, offsetof(struct raw, unit), false, 0, 0, NULL},
        {"low", YAML_FIELD_NODE, offsetof(struct raw, low), false, 0, 0, NULL},
        {"high", YAML_FIELD_NODE, offsetof(struct raw, high), false, 0, 0, NULL},
        {"key", YAML_FIELD_TEXT, offsetof(struct raw, key), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    if (!yaml_record(reader->document, node, keys, &raw, reader->error))
        return false;
    step->unit = raw.unit;
    step->key = raw.key;
    step->tolerance = raw.tolerance;
    if ((raw.choices != NULL) == (raw.answer != NULL))
        return yaml_error(reader->document, node, true, reader->error, "%s",
                          tr("give either choices or an answer"));
    if (raw.answer && (!raw.low || !raw.high))
        return yaml_error(reader->document, raw.answer, true, reader->error, "%s",
                          tr("a number needs low and high: what to say to a wrong guess"));
    return read_bilingual(reader, raw.question, &step->text) &&
           (!raw.choices || read_choices(reader, raw.choices, step)) &&
           read_expression(reader, raw.answer, &step->answer) &&
           read_optional(reader, raw.low, &step->low) &&
           read_optional(reader, raw.high, &step->high);
}

static bool read_watch(const struct reader *reader, const struct yaml_node *list,
                       struct lesson_step *step)
{
    if (!list)
        return true;
    if (!expect_list(reader, list, LESSON_KNOBS))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_expression(reader, node, &step->watch[step->watch_count++]))
            return false;
    return true;
}

static bool read_try(const struct reader *reader, const struct yaml_node *node,
                     struct lesson_step *step)
{
    struct raw {
        const struct yaml_node *task, *knobs, *goal, *watch, *keys, *hint;
    } raw = {NULL, NULL, NULL, NULL, NULL, NULL};
    static const struct yaml_field keys[] = {
        {"task", YAML_FIELD_NODE, offsetof(struct raw, task), true, 0, 0, NULL},
        {"knobs", YAML_FIELD_NODE, offsetof(struct raw, knobs), true, 0, 0, NULL},
        {"goal", YAML_FIELD_NODE, offsetof(struct raw, goal), true, 0, 0, NULL},
        {"watch", YAML_FIELD_NODE, offsetof(struct raw, watch), false, 0, 0, NULL},
        {"keys", YAML_FIELD_NODE, offsetof(struct raw, keys), true, 0, 0, NULL},
        {"hint", YAML_FIELD_NODE, offsetof(struct raw, hint), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    return yaml_record(reader->document, node, keys, &raw, reader->error) &&
           read_bilingual(reader, raw.task, &step->text) &&
           read_texts(reader, raw.knobs, step->knobs, LESSON_KNOBS, &step->knob_count) &&
           read_expression(reader, raw.goal, &step->goal) && read_watch(reader, raw.watch, step) &&
           read_texts(reader, raw.keys, step->keys, LESSON_KEYS, &step->key_count) &&
           read_bilingual(reader, raw.hint, &step->hint);
}

static bool read_explain(const struct reader *reader, const struct yaml_node *node,
                         struct lesson_step *step)
{
    struct raw {
        const char *figure;
        const struct yaml_node *text;
    } raw = {NULL, NULL};
    static const struct yaml_field keys[] = {
        {"figure", YAML_FIELD_TEXT, offsetof(struct raw, figure), true, 0, 0, NULL},
        {"text", YAML_FIELD_NODE, offsetof(struct raw, text), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    if (!yaml_record(reader->document, node, keys, &raw, reader->error))
        return false;
    step->figure = raw.figure;
    return read_bilingual(reader, raw.text, &step->text);
}

static bool read_plain(const struct reader *reader, const struct yaml_node *node,
                       struct lesson_step *step)
{
    return read_bilingual(reader, node, &step->text);
}

static bool (*const step_readers[LESSON_KINDS])(const struct reader *, const struct yaml_node *,
                                                struct lesson_step *) = {
    [LESSON_TEXT] = read_plain,
    [LESSON_PREDICT] = read_predict,
    [LESSON_TRY] = read_try,
    [LESSON_EXPLAIN] = read_explain,
    [LESSON_REVEAL] = read_plain};

/* A step is a map with the key of its kind, and `with` beside it. */
static bool read_step(const struct reader *reader, const struct yaml_node *node,
                      struct lesson_step *step)
{
    struct raw {
        const struct yaml_node *part[LESSON_KINDS], *with;
    } raw = {{NULL}, NULL};
    struct yaml_field keys[LESSON_KINDS + 2] = {{NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    int kinds = 0;
    for (int i = 0; i < LESSON_KINDS; i++)
        keys[i] = (struct yaml_field){lesson_kind_names[i],
                                      YAML_FIELD_NODE,
                                      offsetof(struct raw, part) + (size_t)i * sizeof raw.part[0],
                                      false,
                                      0,
                                      0,
                                      NULL};
    keys[LESSON_KINDS] =
        (struct yaml_field){"with", YAML_FIELD_NODE, offsetof(struct raw, with), false, 0, 0, NULL};
    keys[LESSON_KINDS + 1] = (struct yaml_field){NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL};
    if (!yaml_record(reader->document, node, keys, &raw, reader->error) ||
        (raw.with && !expect_map(reader, raw.with)))
        return false;
    *step = (struct lesson_step){.with = raw.with, .node = node, .unit = ""};
    for (int i = 0; i < LESSON_KINDS; i++)
        if (raw.part[i]) {
            kinds++;
            step->kind = (enum lesson_kind)i;
        }
    if (kinds != 1)
        return yaml_error(reader->document, node, false, reader->error, "%s",
                          tr("a step is one of text, predict, try, explain, reveal"));
    return step_readers[step->kind](reader, raw.part[step->kind], step);
}

/* ---- lessons -------------------------------------------------------------------------------- */

static bool read_variants(const struct reader *reader, const struct yaml_node *map,
                          struct lesson *lesson)
{
    if (!map)
        return true;
    if (!expect_map(reader, map))
        return false;
    if (map->count > LESSON_VARIANTS)
        return yaml_error(reader->document, map, false, reader->error, tr("%s: at most %d entries"),
                          map->key, LESSON_VARIANTS);
    for (const struct yaml_node *node = map->first; node; node = node->next) {
        if (!expect_map(reader, node))
            return false;
        lesson->variant_names[lesson->variant_count] = node->key;
        lesson->variants[lesson->variant_count++] = node;
    }
    return true;
}

static bool read_steps(const struct reader *reader, const struct yaml_node *list,
                       struct lesson *lesson)
{
    if (!expect_list(reader, list, LESSON_STEPS))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_step(reader, node, &lesson->steps[lesson->step_count++]))
            return false;
    return true;
}

bool lesson_read(const struct yaml_document *document, const char *name, struct arena *arena,
                 struct lesson *lesson, struct error *error)
{
    const struct reader reader = {document, arena, error};
    struct raw {
        const char *schema;
        const struct yaml_node *title, *summary, *scenario, *variants, *steps;
        double order, minutes;
    } raw = {.schema = ""};
    static const struct yaml_field keys[] = {
        {"schema", YAML_FIELD_TEXT, offsetof(struct raw, schema), true, 0, 0, NULL},
        {"title", YAML_FIELD_NODE, offsetof(struct raw, title), true, 0, 0, NULL},
        {"summary", YAML_FIELD_NODE, offsetof(struct raw, summary), true, 0, 0, NULL},
        {"order", YAML_FIELD_NUMBER, offsetof(struct raw, order), true, 0, 10000, NULL},
        {"minutes", YAML_FIELD_NUMBER, offsetof(struct raw, minutes), true, 1, 240, NULL},
        {"scenario", YAML_FIELD_NODE, offsetof(struct raw, scenario), true, 0, 0, NULL},
        {"variants", YAML_FIELD_NODE, offsetof(struct raw, variants), false, 0, 0, NULL},
        {"steps", YAML_FIELD_NODE, offsetof(struct raw, steps), true, 0, 0, NULL},
        {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}};
    if (!yaml_record(document, document->root, keys, &raw, error))
        return false;
    if (strcmp(raw.schema, lesson_schema) != 0)
        return yaml_error(document, yaml_get(document->root, "schema"), false, error,
                          tr("unknown schema '%s'"), raw.schema);
    *lesson = (struct lesson){.name = arena_strdup(arena, name),
                              .document = *document,
                              .order = raw.order,
                              .minutes = raw.minutes,
                              .scenario = raw.scenario};
    return read_bilingual(&reader, raw.title, &lesson->title) &&
           read_bilingual(&reader, raw.summary, &lesson->summary) &&
           expect_map(&reader, raw.scenario) && read_variants(&reader, raw.variants, lesson) &&
           read_steps(&reader, raw.steps, lesson);
}

/* ---- finding -------------------------------------------------------------------------------- */

static bool ends_in_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

/* "lessons/memory.yaml" -> "memory" */
static const char *bare_name(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return arena_strndup(arena, name, strlen(name) - 5);
}

static bool unknown_lesson(const char *folder, const char *name, struct arena *arena,
                           struct error *error)
{
    size_t count;
    const char *const *names = data_list(folder, "lessons", arena, &count);
    error_set(error, tr("there is no lesson called \"%s\""), name);
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *other = bare_name(names[i], arena);
        if (!nearest || text_distance(other, name) < text_distance(nearest, name))
            nearest = other;
    }
    return nearest && text_alike(nearest, name)
               ? error_hint(error, tr("did you mean \"%s\"? `gpuwiz learn` lists them"), nearest)
               : error_hint(error, tr("`gpuwiz learn` lists them"));
}

bool lesson_load(const char *folder, const char *name, struct arena *arena, struct lesson *lesson,
                 struct error *error)
{
    struct yaml_document document;
    if (ends_in_yaml(name))
        return yaml_read_file(arena, name, 0, &document, error) &&
               lesson_read(&document, bare_name(name, arena), arena, lesson, error);
    size_t count;
    const char *const *names = data_list(folder, "lessons", arena, &count);
    const char *file = arena_printf(arena, "lessons/%s.yaml", name);
    bool known = false;
    for (size_t i = 0; i < count; i++)
        known |= strcmp(names[i], file) == 0;
    if (!known)
        return unknown_lesson(folder, name, arena, error);
    return data_parse(folder, file, arena, &document, error) &&
           lesson_read(&document, name, arena, lesson, error);
}

static int compare_lessons(const void *a, const void *b)
{
    const struct lesson *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return strcmp(left->name, right->name);
}

bool lesson_load_all(const char *folder, struct arena *arena, struct lesson **lessons,
                     size_t *count, struct error *error)
{
    const char *const *names = data_list(folder, "lessons", arena, count);
    *lessons = ARENA_ARRAY(arena, struct lesson, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        struct yaml_document document;
        if (!data_parse(folder, names[i], arena, &document, error) ||
            !lesson_read(&document, bare_name(names[i], arena), arena, &(*lessons)[i], error))
            return false;
    }
    qsort(*lessons, *count, sizeof **lessons, compare_lessons);
    return true;
}
