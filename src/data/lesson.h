/* lesson.h - lessons and the glossary: what the data files under lessons/ and glossary.yaml say.
 * The format is described in gpuwiz-data(5); engine/learn.h runs a lesson. */
#ifndef GPUWIZ_LESSON_H
#define GPUWIZ_LESSON_H

#include "base/i18n.h"
#include "data/data_files.h"

/* A text in both languages, and where each stands in its file. */
struct bilingual {
    const char *text[2]; /* by enum language */
    const struct yaml_node *node[2];
};
/* In the language that is spoken now. */
const char *bilingual_text(const struct bilingual *bilingual);

/* An expression of engine/expression.h and where it stands. */
struct lesson_expression {
    const char *text; /* NULL = none */
    const struct yaml_node *node;
};

enum lesson_kind {
    LESSON_TEXT,
    LESSON_PREDICT,
    LESSON_TRY,
    LESSON_EXPLAIN,
    LESSON_REVEAL,
    LESSON_KINDS
};
extern const char *const lesson_kind_names[]; /* the keys of steps; NULL-terminated */

enum {
    LESSON_CHOICES = 6,
    LESSON_KNOBS = 8,
    LESSON_KEYS = 8,
    LESSON_STEPS = 24,
    LESSON_VARIANTS = 8
};

struct lesson_choice {
    struct bilingual text;
    struct lesson_expression right; /* true for exactly one choice */
    struct bilingual because;       /* said to who chose it, when it is wrong */
};

struct lesson_step {
    enum lesson_kind kind;
    struct bilingual text;        /* the text, the question, the task */
    const struct yaml_node *with; /* answers that differ in this step; NULL = none */
    const struct yaml_node *node;

    /* predict: choices, or a number */
    struct lesson_choice choices[LESSON_CHOICES];
    int choice_count;
    struct lesson_expression answer; /* a number */
    double tolerance;                /* share of the answer that a guess may be off */
    const char *unit;
    struct bilingual low, high; /* said when the guess is too low, too high */
    const char *key;            /* a right answer as it would be typed: recorded for the tests */

    /* try */
    const char *knobs[LESSON_KNOBS]; /* keys of answers that may be changed */
    int knob_count;
    struct lesson_expression goal;
    struct lesson_expression watch[LESSON_KNOBS]; /* figures shown after each turn */
    int watch_count;
    const char *keys[LESSON_KEYS]; /* "key=value" that reach the goal, in order */
    int key_count;
    struct bilingual hint;

    /* explain */
    const char *figure; /* a topic of engine/explain.h: "memory.weights" */
};

struct lesson {
    const char *name; /* of the file, without .yaml */
    struct yaml_document document;
    struct bilingual title, summary;
    double order, minutes; /* place in the course; how long it takes */
    const struct yaml_node *scenario;
    const char *variant_names[LESSON_VARIANTS];
    const struct yaml_node *variants[LESSON_VARIANTS]; /* answers that differ from the scenario */
    int variant_count;
    struct lesson_step steps[LESSON_STEPS];
    int step_count;
};

/* Reads one lesson; all texts live in `arena`. Strict: file:line:column of the first thing wrong.
 */
bool lesson_read(const struct yaml_document *document, const char *name, struct arena *arena,
                 struct lesson *lesson, struct error *error);

/* Finds lessons/NAME.yaml by the look-up order of data_files.h. `name` may also be a path that ends
 * in .yaml. An unknown name is an error with the nearest one. */
bool lesson_load(const char *folder, const char *name, struct arena *arena, struct lesson *lesson,
                 struct error *error);

/* All lessons that can be found, a trainer's own among them, sorted by `order`, then name. */
bool lesson_load_all(const char *folder, struct arena *arena, struct lesson **lessons,
                     size_t *count, struct error *error);

/* True for files of lessons, in the sense of data_files.h. */
extern const char lesson_schema[];

/* ---- glossary ------------------------------------------------------------------------------- */

struct glossary_entry {
    const char *term;               /* "kv_cache": a word, a field, component, column or mode key */
    const char *const *also;        /* other spellings and keys, NULL-terminated */
    struct bilingual name, meaning; /* two sentences */
    struct bilingual rule;          /* a rule of thumb */
};
struct glossary {
    const struct glossary_entry *entries;
    size_t count;
};

bool glossary_load(const char *folder, struct arena *arena, struct glossary *glossary,
                   struct error *error);

/* By term, other spelling or name in either language, upper and lower case alike; NULL when
 * unknown. */
const struct glossary_entry *glossary_find(const struct glossary *glossary, const char *term);

/* The same for a word that is being typed: else the first entry one of whose names begins so. */
const struct glossary_entry *glossary_search(const struct glossary *glossary, const char *word);

extern const struct data_kind glossary_kind;

#endif
