/* learn.c - see learn.h: the state of a lesson in progress, and its judge. */
#include "engine/learn.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "base/units.h"
#include "engine/explain.h"

/* ---- scenarios ------------------------------------------------------------------------------ */

static bool read_answers(struct learn *learn, const struct yaml_node *map,
                         struct scenario *scenario, struct error *error)
{
    return !map || scenario_read_node(scenario, &learn->lesson->document, map,
                                      learn->world->catalog, learn->arena, error);
}

/* An error of the engine, told at the part of the lesson that asked for it. */
static bool blame(const struct learn *learn, const struct yaml_node *node, struct error *error)
{
    struct error cause = *error;
    yaml_error(&learn->lesson->document, node, false, error, "%s", cause.message);
    return cause.hint[0] ? error_hint(error, "%s", cause.hint) : false;
}

static bool compute(struct learn *learn, const struct scenario *scenario,
                    const struct yaml_node *node, struct results *results, struct error *error)
{
    return results_compute(learn->world->catalog, learn->world->constants, scenario,
                           learn->world->today, learn->arena, results, error) ||
           blame(learn, node, error);
}

static bool compute_variants(struct learn *learn, struct error *error)
{
    for (int i = 0; i < learn->lesson->variant_count; i++) {
        const struct yaml_node *node = learn->lesson->variants[i];
        learn->variant_answers[i] = learn->base;
        if (!read_answers(learn, node, &learn->variant_answers[i], error) ||
            !compute(learn, &learn->variant_answers[i], node, &learn->variants[i], error))
            return false;
        learn->variants_ready++;
    }
    return true;
}

static struct expression_scope scope_of(struct learn *learn)
{
    return (struct expression_scope){.now = &learn->results,
                                     .names = learn->lesson->variant_names,
                                     .variants = learn->variants,
                                     .count = learn->variants_ready,
                                     .ascii = learn->world->ascii,
                                     .lenient = !learn->strict};
}

static bool goal_holds(struct learn *learn, bool *holds, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    struct expression_scope scope = scope_of(learn);
    double value = 0;
    *holds = false;
    if (!step || step->kind != LESSON_TRY)
        return true;
    if (!expression_value(step->goal.text, &scope, &value, error)) {
        int column = error->column;
        blame(learn, step->goal.node, error);
        error->column += column > 0 ? column - 1 : 0;
        return false;
    }
    *holds = value > 0;
    return true;
}

/* Begins the step at hand: the lesson's scenario with what this step changes. */
static bool begin_step(struct learn *learn, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    learn->answered = false;
    learn->reached = false;
    results_clear(&learn->results);
    learn->now = learn->base;
    const struct yaml_node *node = step && step->with ? step->with : learn->lesson->scenario;
    return (!step || read_answers(learn, step->with, &learn->now, error)) &&
           compute(learn, &learn->now, node, &learn->results, error) &&
           goal_holds(learn, &learn->reached, error);
}

/* ---- life ----------------------------------------------------------------------------------- */

bool learn_start(struct learn *learn, const struct learn_world *world, const struct lesson *lesson,
                 struct error *error)
{
    *learn = (struct learn){.world = world, .lesson = lesson, .arena = arena_new()};
    for (int i = 0; i < lesson->step_count; i++) {
        learn->score.predictions += lesson->steps[i].kind == LESSON_PREDICT;
        learn->score.goals += lesson->steps[i].kind == LESSON_TRY;
    }
    if (read_answers(learn, lesson->scenario, &learn->base, error) &&
        compute_variants(learn, error) && begin_step(learn, error))
        return true;
    learn_clear(learn);
    return false;
}

void learn_clear(struct learn *learn)
{
    results_clear(&learn->results);
    for (int i = 0; i < LESSON_VARIANTS; i++)
        results_clear(&learn->variants[i]);
    arena_free(learn->arena);
    learn->arena = NULL;
}

const struct lesson_step *learn_step(const struct learn *learn)
{
    return learn->step < learn->lesson->step_count ? &learn->lesson->steps[learn->step] : NULL;
}

bool learn_next(struct learn *learn, struct error *error)
{
    if (learn->step < learn->lesson->step_count)
        learn->step++;
    return begin_step(learn, error);
}

bool learn_reset(struct learn *learn, struct error *error)
{
    return begin_step(learn, error);
}

bool learn_fill(struct learn *learn, const struct bilingual *text, struct strbuf *out,
                struct error *error)
{
    struct expression_scope scope = scope_of(learn);
    enum language language = i18n_language();
    if (!text->text[language])
        return true;
    return expression_fill(text->text[language], &scope, out, error) ||
           blame(learn, text->node[language], error);
}

void learn_explain(struct learn *learn, int cells, struct strbuf *out)
{
    const struct lesson_step *step = learn_step(learn);
    const struct explain_topic *topic =
        step && step->figure ? explain_topic_find(step->figure) : NULL;
    if (!topic || !learn->results.has_offer)
        return;
    const struct explain_input input = {learn->world->catalog, learn->world->constants,
                                        &learn->results.job, &learn->results.offer,
                                        learn->world->today};
    struct explanation explanation = explain(&input, topic, learn->arena);
    explain_write(&explanation, cells, out);
}

/* ---- predictions ---------------------------------------------------------------------------- */

/* A text of the lesson as part of a reply; what cannot be filled is caught by lesson_verify. */
static void say(struct learn *learn, const struct bilingual *text, struct strbuf *reply)
{
    struct error error = {0};
    struct strbuf filled = {0};
    strbuf_add(reply,
               learn_fill(learn, text, &filled, &error) ? strbuf_text(&filled) : error.message);
    strbuf_clear(&filled);
}

/* The same after a first sentence: Chinese sentences have no space between them. */
static void say_after(struct learn *learn, const char *first, const struct bilingual *text,
                      struct strbuf *reply)
{
    struct strbuf rest = {0};
    say(learn, text, &rest);
    strbuf_printf(reply, tr("%s %s"), first, strbuf_text(&rest));
    strbuf_clear(&rest);
}

static bool number_of(struct learn *learn, const struct lesson_expression *expression,
                      double *value, struct error *error)
{
    struct expression_scope scope = scope_of(learn);
    if (expression_value(expression->text, &scope, value, error))
        return true;
    int column = error->column;
    blame(learn, expression->node, error);
    error->column += column > 0 ? column - 1 : 0;
    return false;
}

/* "2", "b" or "B" -> 1; -1 when it is none of the choices. */
static int choice_index(const struct lesson_step *step, const char *text)
{
    while (*text == ' ')
        text++;
    int index = isdigit((unsigned char)*text)   ? *text - '1'
                : isalpha((unsigned char)*text) ? tolower((unsigned char)*text) - 'a'
                                                : -1;
    const char *rest = *text ? text + 1 : text;
    rest += strspn(rest, " )\n");
    return *rest == '\0' && index >= 0 && index < step->choice_count ? index : -1;
}

static enum learn_verdict judge_choice(struct learn *learn, const char *text, struct strbuf *reply)
{
    const struct lesson_step *step = learn_step(learn);
    struct error error = {0};
    double right = 0;
    int index = choice_index(step, text);
    if (index < 0) {
        strbuf_printf(reply, tr("Type a number from 1 to %d."), step->choice_count);
        return LEARN_UNREADABLE;
    }
    if (!number_of(learn, &step->choices[index].right, &right, &error)) {
        strbuf_add(reply, error.message);
        return LEARN_UNREADABLE;
    }
    say_after(learn, right > 0 ? tr("Right.") : tr("No."), &step->choices[index].because, reply);
    return right > 0 ? LEARN_RIGHT : LEARN_WRONG;
}

/* Whole numbers as such, others with three digits. */
static char *write_answer(double value, char *text)
{
    return value == floor(value) ? units_thousands(value, text) : units_gib(value, text);
}

static enum learn_verdict judge_number(struct learn *learn, const char *text, struct strbuf *reply)
{
    const struct lesson_step *step = learn_step(learn);
    struct error error = {0};
    char figure[UNITS_TEXT], number[64];
    double answer = NAN, guess = NAN;
    snprintf(number, sizeof number, "%s", text);
    number[strcspn(number, "\n")] = '\0';
    if (!units_parse(number, true, &guess)) {
        strbuf_printf(reply, tr("Type a number%s%s."), *step->unit ? tr(", ") : "", tr(step->unit));
        return LEARN_UNREADABLE;
    }
    if (!number_of(learn, &step->answer, &answer, &error)) {
        strbuf_add(reply, error.message);
        return LEARN_UNREADABLE;
    }
    bool right = fabs(guess - answer) <= step->tolerance * fabs(answer);
    struct strbuf told = {0};
    strbuf_printf(&told, right ? tr("Right: it is %s%s%s.") : tr("No: it is %s%s%s."),
                  write_answer(answer, figure), *step->unit ? " " : "", tr(step->unit));
    if (right)
        strbuf_add(reply, strbuf_text(&told));
    else
        say_after(learn, strbuf_text(&told), guess < answer ? &step->low : &step->high, reply);
    strbuf_clear(&told);
    return right ? LEARN_RIGHT : LEARN_WRONG;
}

enum learn_verdict learn_answer(struct learn *learn, const char *text, struct strbuf *reply)
{
    const struct lesson_step *step = learn_step(learn);
    enum learn_verdict verdict =
        step->choice_count ? judge_choice(learn, text, reply) : judge_number(learn, text, reply);
    if (verdict == LEARN_UNREADABLE)
        return verdict;
    learn->score.right += !learn->answered && verdict == LEARN_RIGHT;
    learn->answered = true;
    return verdict;
}

bool learn_solution(struct learn *learn, struct strbuf *out, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    char figure[UNITS_TEXT];
    double value = NAN;
    for (int i = 0; i < step->choice_count; i++) {
        if (!number_of(learn, &step->choices[i].right, &value, error))
            return false;
        if (value > 0) {
            strbuf_printf(out, "%d. ", i + 1);
            return learn_fill(learn, &step->choices[i].text, out, error);
        }
    }
    if (step->kind == LESSON_TRY) {
        for (int i = 0; i < step->key_count; i++)
            strbuf_printf(out, "%s%s", i ? ", " : "", step->keys[i]);
        return true;
    }
    if (step->choice_count > 0)
        return yaml_error(&learn->lesson->document, step->node, false, error, "%s",
                          tr("exactly one choice must be right"));
    if (!number_of(learn, &step->answer, &value, error))
        return false;
    strbuf_printf(out, tr("%s%s%s (± %.0f %%)"), write_answer(value, figure), *step->unit ? " " : "",
                  tr(step->unit), 100 * step->tolerance);
    return true;
}

/* ---- knobs ---------------------------------------------------------------------------------- */

static bool is_knob(const struct lesson_step *step, const char *pair)
{
    size_t length = strcspn(pair, "=");
    for (int i = 0; i < step->knob_count; i++)
        if (strncmp(step->knobs[i], pair, length) == 0 && !step->knobs[i][length])
            return true;
    return false;
}

static void say_knobs(const struct lesson_step *step, struct strbuf *reply)
{
    strbuf_add(reply, tr("Turn one of these, as in key=value: "));
    for (int i = 0; i < step->knob_count; i++)
        strbuf_printf(reply, "%s%s", i ? " " : "", step->knobs[i]);
}

void learn_watch(struct learn *learn, struct strbuf *out)
{
    const struct lesson_step *step = learn_step(learn);
    struct expression_scope scope = scope_of(learn);
    for (int i = 0; step && i < step->watch_count; i++) {
        struct error error = {0};
        struct strbuf figure = {0}, expression = {0};
        strbuf_printf(&expression, "{%s}", step->watch[i].text);
        bool known = expression_fill(strbuf_text(&expression), &scope, &figure, &error);
        strbuf_printf(out, "%s%s = %s", i ? "\n" : "", step->watch[i].text,
                      known ? strbuf_text(&figure) : "-");
        strbuf_clear(&figure);
        strbuf_clear(&expression);
    }
}

/* An answer is tried on a copy: what the engine refuses leaves everything as it was. */
bool learn_turn(struct learn *learn, const char *pair, struct strbuf *reply)
{
    const struct lesson_step *step = learn_step(learn);
    struct scenario tried = learn->now, before = learn->now;
    struct results results;
    struct error error = {0};
    if (!is_knob(step, pair)) {
        say_knobs(step, reply);
        return false;
    }
    if (!scenario_set_pair(&tried, pair, learn->world->catalog, learn->arena, &error)) {
        strbuf_printf(reply, "%s%s%s", error.message, error.hint[0] ? tr(". ") : "", error.hint);
        return false;
    }
    learn->now = tried;
    if (!results_compute(learn->world->catalog, learn->world->constants, &learn->now,
                         learn->world->today, learn->arena, &results, &error)) {
        learn->now = before;
        strbuf_printf(reply, "%s%s%s", error.message, error.hint[0] ? tr(". ") : "", error.hint);
        return false;
    }
    results_clear(&learn->results);
    learn->results = results;
    learn->score.turns++;
    learn_watch(learn, reply);
    bool was = learn->reached;
    goal_holds(learn, &learn->reached, &error);
    learn->score.reached += learn->reached && !was && !learn->answered;
    learn->answered |= learn->reached; /* a goal counts once */
    strbuf_printf(reply, "\n%s", learn->reached ? tr("The goal is reached.") : tr("Not yet."));
    return true;
}

/* ---- the end -------------------------------------------------------------------------------- */

void learn_scoreboard(const struct learn *learn, struct strbuf *out)
{
    const struct learn_score *score = &learn->score;
    strbuf_printf(out, tr("gpuwiz learn %s: predictions %d/%d, goals %d/%d in %d turns, %s"),
                  learn->lesson->name, score->right, score->predictions, score->reached,
                  score->goals, score->turns, learn->world->today);
}
