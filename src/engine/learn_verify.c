/* learn_verify.c - plays a lesson by its recorded keys, so that a lesson that cannot be solved, or
 * solves itself, is refused with its place in the file. */
#include "engine/learn.h"

#include <string.h>
#include "data/scenario.h"
#include "engine/explain.h"

static bool fault(const struct learn *learn, const struct yaml_node *node, struct error *error,
                  const char *message)
{
    return yaml_error(&learn->lesson->document, node, false, error, "%s", message);
}

/* Fills a text and throws the result away. */
static bool can_fill(struct learn *learn, const struct bilingual *text, struct error *error)
{
    struct strbuf out = {0};
    bool good = learn_fill(learn, text, &out, error);
    strbuf_clear(&out);
    return good;
}

static bool verify_choices(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    struct strbuf solution = {0};
    bool found = learn_solution(learn, &solution, error);
    int right = 0, wrong_key = 0;
    strbuf_clear(&solution);
    if (!found)
        return false;
    for (int i = 0; i < step->choice_count; i++) {
        char key[2] = {(char)('1' + i), '\0'};
        struct strbuf reply = {0};
        enum learn_verdict verdict = learn_answer(learn, key, &reply);
        strbuf_clear(&reply);
        if (!can_fill(learn, &step->choices[i].text, error) ||
            !can_fill(learn, &step->choices[i].because, error))
            return false;
        right += verdict == LEARN_RIGHT;
        wrong_key += verdict == LEARN_RIGHT && strcmp(step->key, key) != 0;
    }
    if (right != 1)
        return fault(learn, step->node, error, tr("exactly one choice must be right"));
    return !wrong_key ||
           fault(learn, step->node, error, tr("the recorded key is not the right answer"));
}

static bool verify_number(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    struct strbuf solution = {0}, reply = {0};
    bool good = learn_solution(learn, &solution, error) && can_fill(learn, &step->low, error) &&
                can_fill(learn, &step->high, error);
    enum learn_verdict verdict = good ? learn_answer(learn, step->key, &reply) : LEARN_UNREADABLE;
    if (good && verdict != LEARN_RIGHT) {
        good = fault(learn, step->node, error, tr("the recorded key is not the right answer"));
        error_hint(error, "%s", strbuf_text(&solution));
    }
    strbuf_clear(&solution);
    strbuf_clear(&reply);
    return good;
}

static bool verify_knobs(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    for (int i = 0; i < step->knob_count; i++) {
        const struct field *field = field_find(step->knobs[i]);
        if (!field) {
            yaml_error(&learn->lesson->document, step->node, false, error,
                       tr("no question has the key %s"), step->knobs[i]);
            const struct field *nearest = field_nearest(step->knobs[i]);
            return nearest && error_hint(error, tr("did you mean %s?"), nearest->key);
        }
    }
    return true;
}

static bool verify_watch(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    const struct expression_scope scope = {.now = &learn->results,
                                           .names = learn->lesson->variant_names,
                                           .variants = learn->variants,
                                           .count = learn->variants_ready};
    for (int i = 0; i < step->watch_count; i++) {
        struct error cause = {0};
        if (!expression_check(step->watch[i].text, &scope, &cause))
            return fault(learn, step->watch[i].node, error, cause.message);
    }
    return true;
}

static bool verify_try(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    if (!verify_knobs(learn, step, error) || !verify_watch(learn, step, error) ||
        !can_fill(learn, &step->hint, error))
        return false;
    if (learn->reached)
        return fault(learn, step->goal.node, error,
                     tr("this goal holds before anything is turned"));
    for (int i = 0; i < step->key_count; i++) {
        struct strbuf reply = {0};
        bool turned = learn_turn(learn, step->keys[i], &reply);
        if (!turned)
            yaml_error(&learn->lesson->document, step->node, false, error, "%s: %s", step->keys[i],
                       strbuf_text(&reply));
        strbuf_clear(&reply);
        if (!turned)
            return false;
    }
    return learn->reached ||
           fault(learn, step->goal.node, error, tr("the recorded keys do not reach this goal"));
}

/* A figure that this job does not have would explain nothing. */
static bool verify_figure(struct learn *learn, const struct lesson_step *step, struct error *error)
{
    const struct explain_topic *topic = explain_topic_find(step->figure);
    struct error cause = {0};
    if (!topic) {
        explain_check(step->figure, &cause);
        fault(learn, step->node, error, cause.message);
        return error_hint(error, "%s", cause.hint);
    }
    const struct explain_input input = {learn->world->catalog, learn->world->constants,
                                        &learn->results.job, &learn->results.offer,
                                        learn->world->today};
    struct explanation explanation = explain(&input, topic, learn->arena);
    return explain_has_figure(&explanation) ||
           fault(learn, step->node, error, tr("this job has no such figure to explain"));
}

static bool verify_step(struct learn *learn, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    if (!can_fill(learn, &step->text, error))
        return false;
    switch (step->kind) {
    case LESSON_PREDICT:
        return step->choice_count ? verify_choices(learn, step, error)
                                  : verify_number(learn, step, error);
    case LESSON_TRY:
        return verify_try(learn, step, error);
    case LESSON_EXPLAIN:
        return verify_figure(learn, step, error);
    default:
        return true;
    }
}

static bool play(const struct learn_world *world, const struct lesson *lesson, struct error *error)
{
    struct learn learn;
    if (!learn_start(&learn, world, lesson, error))
        return false;
    bool good = true;
    learn.strict = true;
    while (good && learn_step(&learn))
        good = verify_step(&learn, error) && learn_next(&learn, error);
    learn_clear(&learn);
    return good;
}

bool lesson_verify(const struct learn_world *world, const struct lesson *lesson,
                   struct error *error)
{
    enum language spoken = i18n_language();
    bool good = true;
    for (int language = LANGUAGE_EN; good && language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        good = play(world, lesson, error);
    }
    i18n_set_language(spoken);
    return good;
}

/* ---- gpuwiz check --------------------------------------------------------------------------- */

static bool owns_key(const char *key)
{
    return strcmp(key, "steps") == 0;
}

static bool check(const struct yaml_document *document, const char *folder, struct error *error)
{
    struct arena *arena = arena_new();
    struct catalog catalog;
    struct constants constants;
    struct lesson lesson;
    struct learn_world world = {&catalog, &constants, "", false};
    bool good = catalog_load(folder, &catalog, error);
    if (good) {
        world.today = catalog.date; /* the course is the same on every day */
        good = constants_load(folder, arena, &constants, error) &&
               lesson_read(document, "lesson", arena, &lesson, error) &&
               lesson_verify(&world, &lesson, error);
        catalog_clear(&catalog);
    }
    arena_free(arena);
    return good;
}

const struct data_kind lesson_kind = {lesson_schema, owns_key, check};
