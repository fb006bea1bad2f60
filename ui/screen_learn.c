/* screen_learn.c - one lesson: read, predict, try, see why. The lesson itself is run by
 * engine/learn.h; this file draws it and turns keys into answers. */
#include "ui/screens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "ui/app.h"
#include "ui/knob.h"
#include "ui/lessons.h"
#include "ui/widgets.h"

/* ---- one lesson ----------------------------------------------------------------------------- */

enum { LINES_MAX = 300 };

/* What is on the page: wrapped lines, some of them choices or knobs. */
struct page_line {
    enum role role;
    int item; /* of the choice or knob; -1 = none */
    char *text;
};

struct lesson_view {
    struct learn_world world;
    struct learn learn;
    bool started;
    char error[500];
    int item, items; /* the marked choice or knob */
    struct strbuf asked[LANGUAGE_ZH + 1]; /* the step's text with the figures it began with, in each language */
    struct strbuf reply;
    enum role reply_role;
    bool hinted;
    struct page_line lines[LINES_MAX];
    int count, top;
    struct input typed; /* in SCREEN_REPLY */
};

static void forget_lines(struct lesson_view *view)
{
    for (int i = 0; i < view->count; i++)
        free(view->lines[i].text);
    view->count = 0;
}

/* Wraps a text to the page; `indent` from the second line on. */
static void add_lines(struct lesson_view *view, int cells, enum role role, int item, int indent,
                      const char *text)
{
    for (bool first = true; *text && view->count < LINES_MAX; first = false) {
        size_t line_end = strcspn(text, "\n"),
               length = text_wrap(text, first ? cells : cells - indent);
        if (line_end < length)
            length = line_end;
        struct strbuf line = {0};
        strbuf_printf(&line, "%*s", first ? 0 : indent, "");
        strbuf_add_n(&line, text, length);
        view->lines[view->count++] = (struct page_line){role, item, line.data};
        text += length;
        text += strspn(text, " ");
        text += *text == '\n';
    }
}

static void add_blank(struct lesson_view *view)
{
    if (view->count == LINES_MAX)
        return;
    char *empty = xrealloc(NULL, 1, 1);
    *empty = '\0';
    view->lines[view->count++] = (struct page_line){ROLE_TEXT, -1, empty};
}

static void fill(struct lesson_view *view, const struct bilingual *text, struct strbuf *out)
{
    struct error error = {0};
    if (!learn_fill(&view->learn, text, out, &error))
        strbuf_add(out, error.message);
}

static void add_filled(struct lesson_view *view, int cells, enum role role, int item,
                       const char *before, const struct bilingual *text)
{
    struct strbuf out = {0};
    strbuf_add(&out, before);
    fill(view, text, &out);
    add_lines(view, cells, role, item, text_width(before), strbuf_text(&out));
    strbuf_clear(&out);
}

static void add_choices(struct lesson_view *view, int cells, const struct lesson_step *step)
{
    char before[32];
    add_blank(view);
    for (int i = 0; i < step->choice_count; i++) {
        snprintf(before, sizeof before, "%s %d  ", view->item == i ? "▸" : " ", i + 1);
        add_filled(view, cells, ROLE_TEXT, i, before, &step->choices[i].text);
    }
    if (!step->choice_count && !view->learn.answered)
        add_lines(view, cells, ROLE_KEY, -1, 0, tr("Enter: type your guess"));
}

static void add_knobs(struct lesson_view *view, int cells, const struct lesson_step *step)
{
    struct strbuf text = {0};
    add_blank(view);
    for (int i = 0; i < step->knob_count; i++) {
        enum field_id id = field_id(field_find(step->knobs[i]));
        strbuf_reset(&text);
        strbuf_printf(&text, "%s ", view->item == i ? "▸" : " ");
        text_add_padded(&text, tr(fields[id].label), 24, TEXT_LEFT);
        knob_value(NULL, &view->learn.now, id, &text);
        add_lines(view, cells, ROLE_TEXT, i, 2, strbuf_text(&text));
    }
    add_blank(view);
    strbuf_reset(&text);
    learn_watch(&view->learn, &text);
    add_lines(view, cells, ROLE_ACCENT, -1, 0, strbuf_text(&text));
    strbuf_clear(&text);
    if (view->hinted)
        add_filled(view, cells, ROLE_KEY, -1, tr("Hint: "), &step->hint);
}

static void add_explanation(struct lesson_view *view, int cells)
{
    struct strbuf text = {0};
    learn_explain(&view->learn, cells, &text);
    add_blank(view);
    add_lines(view, cells, ROLE_DIM, -1, 0, strbuf_text(&text));
    strbuf_clear(&text);
}

static void add_end(struct lesson_view *view, int cells)
{
    struct strbuf line = {0};
    learn_scoreboard(&view->learn, &line);
    add_lines(view, cells, ROLE_TITLE, -1, 0, tr("The lesson is done."));
    add_blank(view);
    add_lines(view, cells, ROLE_ACCENT, -1, 0, strbuf_text(&line));
    strbuf_clear(&line);
}

static void build_page(struct lesson_view *view, int cells)
{
    const struct lesson_step *step = learn_step(&view->learn);
    forget_lines(view);
    if (!step) {
        add_end(view, cells);
        return;
    }
    if (view->learn.step == 0)
        add_filled(view, cells, ROLE_DIM, -1, "", &view->learn.lesson->summary);
    if (view->learn.step == 0)
        add_blank(view);
    add_lines(view, cells, ROLE_TEXT, -1, 0, strbuf_text(&view->asked[i18n_language()]));
    view->items = step->kind == LESSON_TRY ? step->knob_count : step->choice_count;
    if (step->kind == LESSON_PREDICT)
        add_choices(view, cells, step);
    if (step->kind == LESSON_TRY)
        add_knobs(view, cells, step);
    if (step->kind == LESSON_EXPLAIN)
        add_explanation(view, cells);
    if (view->reply.length) {
        add_blank(view);
        add_lines(view, cells, view->reply_role, -1, 0, strbuf_text(&view->reply));
    }
}

static struct rect page_area(struct rect area)
{
    return rect_below(area, 2);
}

static int first_line_of(const struct lesson_view *view, int item)
{
    for (int i = 0; i < view->count; i++)
        if (view->lines[i].item == item)
            return i;
    return -1;
}

static void lesson_update(struct app *app, void *state)
{
    struct lesson_view *view = state;
    struct rect page = page_area(app_area(app));
    if (!view->started)
        return;
    build_page(view, page.cols);
    int most = view->count - page.rows;
    view->top = view->top > most ? most : view->top;
    view->top = view->top < 0 ? 0 : view->top;
}

static void see_item(struct app *app, struct lesson_view *view)
{
    struct rect page = page_area(app_area(app));
    build_page(view, page.cols);
    int line = first_line_of(view, view->item);
    if (line >= 0)
        view->top = scroll_top(view->top, line, view->count, page.rows);
}

/* The end of the page is where the reply stands. */
static void see_reply(struct app *app, struct lesson_view *view, enum role role)
{
    view->reply_role = role;
    build_page(view, page_area(app_area(app)).cols);
    view->top = view->count;
}

/* A task must not change its figures while knobs are turned, but its language when that changes. */
static void ask(struct lesson_view *view)
{
    const struct lesson_step *step = learn_step(&view->learn);
    enum language now = i18n_language();
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        strbuf_reset(&view->asked[language]);
        i18n_set_language((enum language)language);
        if (step)
            fill(view, &step->text, &view->asked[language]);
    }
    i18n_set_language(now);
}

static void lesson_open(struct app *app, void *state, int argument)
{
    struct lesson_view *view = state;
    const struct lesson *lesson = lessons_at(app, argument);
    struct error error = {0};
    view->world = (struct learn_world){app->compute.catalog, app->compute.constants,
                                       app->compute.today, app->ascii};
    view->started = lesson && learn_start(&view->learn, &view->world, lesson, &error);
    if (!view->started)
        error_text(&error, view->error, sizeof view->error);
    else
        ask(view);
}

static void lesson_close(struct app *app, void *state)
{
    struct lesson_view *view = state;
    (void)app;
    forget_lines(view);
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++)
        strbuf_clear(&view->asked[language]);
    strbuf_clear(&view->reply);
    if (view->started)
        learn_clear(&view->learn);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void keep_progress(struct app *app, struct lesson_view *view)
{
    struct learn_progress *progress = lessons_progress(app);
    struct error error = {0};
    char text[700];
    if (app->keep_session && progress && !learn_progress_keep(progress, &view->learn, &error))
        app_say(app, true, "%s", error_text(&error, text, sizeof text));
}

static void go_on(struct app *app, struct lesson_view *view)
{
    struct error error = {0};
    if (!learn_step(&view->learn)) {
        app_close(app);
        return;
    }
    if (!learn_next(&view->learn, &error))
        app_say(app, true, "%s", error.message);
    ask(view);
    strbuf_reset(&view->reply);
    view->item = view->top = 0;
    view->hinted = false;
    if (!learn_step(&view->learn))
        keep_progress(app, view);
}

static void answer(struct app *app, struct lesson_view *view, const char *text)
{
    strbuf_reset(&view->reply);
    enum learn_verdict verdict = learn_answer(&view->learn, text, &view->reply);
    see_reply(app, view, verdict == LEARN_RIGHT ? ROLE_GOOD : ROLE_WARN);
}

static void choose(struct app *app, struct lesson_view *view, int index)
{
    char text[16];
    view->item = index;
    snprintf(text, sizeof text, "%d", index + 1);
    answer(app, view, text);
}

static void turn(struct app *app, struct lesson_view *view, const char *pair)
{
    struct strbuf reply = {0};
    bool turned = learn_turn(&view->learn, pair, &reply);
    strbuf_reset(&view->reply);
    if (!turned)
        strbuf_add(&view->reply, strbuf_text(&reply));
    else
        strbuf_add(&view->reply, view->learn.reached ? tr("The goal is reached. Enter goes on.")
                                                     : tr("Not yet."));
    strbuf_clear(&reply);
    see_reply(app, view, !turned ? ROLE_WARN : view->learn.reached ? ROLE_GOOD : ROLE_DIM);
}

/* A step with Left or Right; answers that have no steps are typed. */
static void turn_step(struct app *app, struct lesson_view *view, const struct lesson_step *step,
                      int direction)
{
    struct scenario turned = view->learn.now;
    enum field_id id = field_id(field_find(step->knobs[view->item]));
    struct strbuf pair = {0};
    if (!knob_turn(&app->compute, NULL, view->learn.arena, &turned, id, direction)) {
        app_say(app, false, tr("Enter: type a value"));
        return;
    }
    strbuf_printf(&pair, "%s=", fields[id].key);
    scenario_format(&turned, id, &pair);
    turn(app, view, strbuf_text(&pair));
    strbuf_clear(&pair);
}

static bool predicting(const struct lesson_view *view, const struct lesson_step *step)
{
    return step && step->kind == LESSON_PREDICT && !view->learn.answered;
}

static bool turning(const struct lesson_view *view, const struct lesson_step *step)
{
    return step && step->kind == LESSON_TRY && !view->learn.reached;
}

/* The footer's word for what enter does. */
static const char *lesson_enter(const void *state)
{
    const struct lesson_view *view = state;
    const struct lesson_step *step = view->started ? learn_step(&view->learn) : NULL;
    return predicting(view, step) || turning(view, step) ? NULL : N_("go on");
}

static void enter(struct app *app, struct lesson_view *view, const struct lesson_step *step)
{
    bool predicts = predicting(view, step), turns = turning(view, step);
    if (predicts && step->choice_count)
        choose(app, view, view->item);
    else if (predicts || turns)
        app_open(app, SCREEN_REPLY, 0);
    else
        go_on(app, view);
}

static bool move(struct app *app, struct lesson_view *view, int direction)
{
    const struct lesson_step *step = learn_step(&view->learn);
    bool marks = step && view->items > 0 && (step->kind == LESSON_TRY || !view->learn.answered);
    int rows = page_area(app_area(app)).rows;
    if (marks && view->item + direction >= 0 && view->item + direction < view->items) {
        view->item += direction;
        see_item(app, view);
    } else if (!marks || view->count > rows) {
        view->top += direction;
    }
    return true;
}

/* The knob at hand, or the figure that is explained. */
static int word_of_step(const struct app *app, const struct lesson_view *view,
                        const struct lesson_step *step)
{
    const char *dot = step && step->figure ? strrchr(step->figure, '.') : NULL;
    if (step && step->kind == LESSON_TRY)
        return help_about(app, step->knobs[view->item]);
    return dot ? help_about(app, dot + 1) : 0;
}

static bool lesson_act(struct app *app, void *state, int action, const struct event *event)
{
    struct lesson_view *view = state;
    const struct lesson_step *step = view->started ? learn_step(&view->learn) : NULL;
    int rows = page_area(app_area(app)).rows;
    struct error error = {0};
    if (!view->started)
        return false;
    switch (action) {
    case ACTION_UP:
        return move(app, view, -1);
    case ACTION_DOWN:
        return move(app, view, 1);
    case ACTION_PAGE_UP:
        view->top -= rows;
        return true;
    case ACTION_PAGE_DOWN:
        view->top += rows;
        return true;
    case ACTION_FIRST:
        view->top = 0;
        return true;
    case ACTION_LAST:
        view->top = view->count;
        return true;
    case ACTION_ENTER:
        enter(app, view, step);
        return true;
    case ACTION_HELP:
        app_open(app, SCREEN_HELP, word_of_step(app, view, step));
        return true;
    case ACTION_NEXT_STEP:
        go_on(app, view);
        return true;
    case ACTION_HINT:
        view->hinted = !view->hinted;
        return true;
    case ACTION_AUTO:
        strbuf_reset(&view->reply);
        if (!learn_reset(&view->learn, &error))
            app_say(app, true, "%s", error.message);
        return true;
    case ACTION_REMEDY:
        if (step && step->kind == LESSON_PREDICT && event->key - '1' < step->choice_count &&
            !view->learn.answered)
            choose(app, view, event->key - '1');
        return true;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        if (step && step->kind == LESSON_TRY)
            turn_step(app, view, step, action == ACTION_LEFT ? -1 : 1);
        return true;
    default:
        return false;
    }
}

/* ---- drawing -------------------------------------------------------------------------------- */

static const char *const kind_labels[LESSON_KINDS] = {[LESSON_TEXT] = N_("read this"),
                                                      [LESSON_PREDICT] = N_("predict"),
                                                      [LESSON_TRY] = N_("try"),
                                                      [LESSON_EXPLAIN] = N_("see why"),
                                                      [LESSON_REVEAL] = N_("remember")};

static void draw_title(const struct lesson_view *view, struct canvas *canvas, struct rect area)
{
    const struct lesson_step *step = learn_step(&view->learn);
    const struct lesson *lesson = view->learn.lesson;
    char place[60] = "";
    if (step)
        snprintf(place, sizeof place, "%s  %d/%d", tr(kind_labels[step->kind]),
                 view->learn.step + 1, lesson->step_count);
    canvas_text(canvas, area.row, area.col, area.cols - 20, ROLE_TITLE,
                bilingual_text(&lesson->title));
    canvas_field(canvas, area.row, area.col + area.cols - 20, 20, TEXT_RIGHT, ROLE_ACCENT, place);
}

static void lesson_draw(const struct app *app, const void *state, struct canvas *canvas,
                        struct rect area)
{
    const struct lesson_view *view = state;
    struct rect page = page_area(area);
    const struct list seen = {0, view->top};
    (void)app;
    if (!view->started) {
        canvas_wrapped(canvas, area, 0, ROLE_BAD, view->error);
        return;
    }
    draw_title(view, canvas, area);
    for (int i = 0; i < page.rows && view->top + i < view->count; i++) {
        const struct page_line *line = &view->lines[view->top + i];
        bool marked = line->item >= 0 && line->item == view->item && view->items > 0;
        canvas_text(canvas, page.row + i, page.col, page.cols, marked ? ROLE_ACCENT : line->role,
                    line->text);
        if (marked)
            canvas_cursor(canvas, page.row + i, page.col, false);
    }
    list_position(canvas, area.row + 1, area.col + area.cols, &seen, view->count, page.rows);
}

static void lesson_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct lesson_view *view = state;
    int line = view->top + row - page_area(area).row;
    (void)col;
    if (!view->started || line < 0 || line >= view->count || view->lines[line].item < 0)
        return;
    view->item = view->lines[line].item;
    enter(app, view, learn_step(&view->learn));
}

const struct screen lesson_screen = {
    .name = N_("Lesson"),
    .state_size = sizeof(struct lesson_view),
    .open = lesson_open,
    .close = lesson_close,
    .update = lesson_update,
    .draw = lesson_draw,
    .enter = lesson_enter,
    .act = lesson_act,
    .click = lesson_click,
};

/* ---- typing an answer ----------------------------------------------------------------------- */

static void reply_open(struct app *app, void *state, int argument)
{
    struct lesson_view *view = app_state_of(app, SCREEN_LESSON);
    (void)state;
    (void)argument;
    input_set(&view->typed, "");
}

static void reply_type(struct app *app, void *state, const struct event *event)
{
    struct lesson_view *view = app_state_of(app, SCREEN_LESSON);
    (void)state;
    input_event(&view->typed, event);
}

static bool reply_act(struct app *app, void *state, int action, const struct event *event)
{
    struct lesson_view *view = app_state_of(app, SCREEN_LESSON);
    const struct lesson_step *step = learn_step(&view->learn);
    char pair[400];
    (void)state;
    (void)event;
    if (action != ACTION_ENTER)
        return false;
    snprintf(pair, sizeof pair, "%s=%s", step->kind == LESSON_TRY ? step->knobs[view->item] : "",
             view->typed.text);
    app_close(app);
    if (step->kind == LESSON_TRY)
        turn(app, view, pair);
    else
        answer(app, view, strchr(pair, '=') + 1);
    return true;
}

static void reply_draw(const struct app *app, const void *state, struct canvas *canvas,
                       struct rect area)
{
    const struct lesson_view *view = app_state_of(app, SCREEN_LESSON);
    const struct lesson_step *step = learn_step(&view->learn);
    int row = area.row + area.rows - 1;
    char label[120];
    (void)state;
    if (step->kind == LESSON_TRY)
        snprintf(label, sizeof label, "%s =", step->knobs[view->item]);
    else if (*step->unit)
        snprintf(label, sizeof label, tr("your guess in %s:"), tr(step->unit));
    else
        snprintf(label, sizeof label, "%s", tr("your guess:"));
    canvas_blank(canvas, (struct rect){row, area.col, 1, area.cols});
    int used = canvas_text(canvas, row, area.col, area.cols, ROLE_KEY, label);
    input_draw(&view->typed, canvas, row, area.col + used + 1,
               area.cols - used - 2 < 40 ? area.cols - used - 2 : 40);
}

const struct screen reply_screen = {
    .name = N_("Your answer"),
    .state_size = 1,
    .over = true,
    .open = reply_open,
    .draw = reply_draw,
    .act = reply_act,
    .type = reply_type,
};
