/* app.c - state, dispatch and drawing of the wizard. */
#include "ui/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "ui/session.h"

static struct view *top_view(struct app *app)
{
    return &app->views[app->depth - 1];
}

const struct screen *app_top(const struct app *app)
{
    return screens[app->views[app->depth - 1].screen];
}

void *app_state_of(const struct app *app, enum screen_id screen)
{
    for (int i = app->depth - 1; i >= 0; i--)
        if (app->views[i].screen == screen)
            return app->views[i].state;
    return NULL;
}

struct rect app_area(const struct app *app)
{
    return frame_layout(app->rows, app->cols, app_top(app)->live).main;
}

const struct plan *app_plan(const struct app *app)
{
    return app->computed && app->computed->ok ? &app->computed->plan : NULL;
}

void app_say(struct app *app, bool bad, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(app->message, sizeof app->message, format, args);
    va_end(args);
    app->message_bad = bad;
}

/* ---- opening and closing ---- */

static void close_top(struct app *app)
{
    struct view *view = top_view(app);
    if (screens[view->screen]->close)
        screens[view->screen]->close(app, view->state);
    free(view->state);
    *view = (struct view){0};
    app->depth--;
}

void app_open(struct app *app, enum screen_id screen, int argument)
{
    if (app->depth == APP_DEPTH)
        return;
    void *state = xrealloc(NULL, screens[screen]->state_size + 1, 1);
    memset(state, 0, screens[screen]->state_size + 1);
    app->views[app->depth++] = (struct view){screen, state};
    if (screens[screen]->open)
        screens[screen]->open(app, state, argument);
}

void app_close(struct app *app)
{
    if (app->depth > 1)
        close_top(app);
}

/* The first screen of a step, and the question it is about where it is about one. */
static enum screen_id step_screen(enum field_step step, int *argument)
{
    static const struct { enum screen_id screen; enum field_id field; } table[STEP_COUNT] = {
        [STEP_WORKLOAD] = {SCREEN_PICK, FIELD_WORKLOAD}, [STEP_MODEL] = {SCREEN_SEARCH, FIELD_MODEL},
        [STEP_METHOD] = {SCREEN_FORM, 0}, [STEP_WORK] = {SCREEN_FORM, 0},
        [STEP_BUDGET] = {SCREEN_FORM, 0}, [STEP_INSTANCES] = {SCREEN_INSTANCES, 0},
        [STEP_SUMMARY] = {SCREEN_SUMMARY, 0}};
    *argument = (int)table[step].field;
    return table[step].screen;
}

static void app_update(struct app *app);

void app_go(struct app *app, enum field_step step)
{
    int argument;
    while (app->depth > 0)
        close_top(app);
    app->visited[app->step] = true;
    app->step = step;
    enum screen_id screen = step_screen(step, &argument);
    app_open(app, screen, argument);
}

void app_next(struct app *app)
{
    if (app->step < STEP_SUMMARY)
        app_go(app, (enum field_step)(app->step + 1));
}

void app_back(struct app *app)
{
    if (app->depth > 1)
        app_close(app);
    else if (app->step > STEP_WORKLOAD)
        app_go(app, (enum field_step)(app->step - 1));
    else
        app_say(app, false, tr("This is the first step. q quits."));
}

/* ---- answers ---- */

static void remember(struct app *app)
{
    struct history *history = &app->history;
    if (history->count && history->at == APP_UNDO - 1) {
        memmove(history->steps, history->steps + 1, sizeof history->steps - sizeof *history->steps);
        history->at--;
    }
    history->at = history->count ? history->at + 1 : 0;
    memcpy(&history->steps[history->at], &app->scenario, sizeof app->scenario);
    history->count = history->at + 1;
}

static void keep(struct app *app)
{
    struct error error = {0};
    app->changed = !app->keep_session || !session_keep(&app->scenario, &error);
    if (app->keep_session && app->changed)
        app_say(app, true, tr("Not kept for the next start: %s"), error.message);
}

/* Answers that a new one leaves without a use are kept, and named. */
static void tell_unused(struct app *app, const struct scenario *after)
{
    struct strbuf names = {0};
    for (int i = 0; i < FIELD_COUNT; i++) {
        enum field_id id = (enum field_id)i;
        if (scenario_has(after, id) && field_applies(id, &app->scenario) && !field_applies(id, after))
            strbuf_printf(&names, "%s%s", names.length ? ", " : "", tr(fields[i].label));
    }
    if (names.length)
        app_say(app, false, tr("Kept, but without a use now: %s"), names.data);
    strbuf_clear(&names);
}

void app_commit(struct app *app, const struct scenario *scenario)
{
    if (answers_equal(&app->scenario, scenario))
        return;
    tell_unused(app, scenario);
    memcpy(&app->scenario, scenario, sizeof *scenario);
    remember(app);
    keep(app);
}

bool app_set(struct app *app, enum field_id id, const char *text)
{
    struct scenario changed;
    struct error error = {0};
    char whole[600];
    memcpy(&changed, &app->scenario, sizeof changed);
    if (!scenario_set(&changed, id, text, app->compute.catalog, app->arena, &error)) {
        app_say(app, true, "%s", error_text(&error, whole, sizeof whole));
        return false;
    }
    app_commit(app, &changed);
    return true;
}

void app_undo(struct app *app, int direction)
{
    struct history *history = &app->history;
    int at = history->at + direction;
    if (at < 0 || at >= history->count) {
        app_say(app, false, direction < 0 ? tr("Nothing to undo.") : tr("Nothing to do again."));
        return;
    }
    history->at = at;
    memcpy(&app->scenario, &history->steps[at], sizeof app->scenario);
    keep(app);
    app_say(app, false, direction < 0 ? tr("Undone.") : tr("Done again."));
}

/* ---- what follows from the answers ---- */

static void check_answers(struct app *app)
{
    app->fault_error = (struct error){0};
    struct scenario complete;
    memcpy(&complete, &app->scenario, sizeof complete);
    compute_sketch(&app->compute, &complete);
    app->has_fault = !scenario_check(&complete, app->compute.catalog, &app->fault, &app->fault_error);
}

/* Computes what the screen shows: the answers with the marked choice taken. */
static void compute_shown(struct app *app)
{
    struct scenario shown;
    bool previewing = false;
    memcpy(&shown, &app->scenario, sizeof shown);
    for (int i = app->depth - 1; i >= 0 && !previewing; i--) {
        const struct view *view = &app->views[i];
        if (screens[view->screen]->preview)
            previewing = screens[view->screen]->preview(app, view->state, &shown);
    }
    app->sketched = compute_sketch(&app->compute, &shown);
    memcpy(&app->shown, &shown, sizeof shown);
    app->computed = compute_plan(&app->compute, &app->shown);
    app->gpu_row_count = app->computed->ok
                             ? compute_gpu_rows(app->compute.catalog, &app->computed->plan, app->gpu_rows)
                             : 0;
}

static void app_update(struct app *app)
{
    check_answers(app);
    compute_shown(app);
    for (int i = 0; i < app->depth; i++)
        if (screens[app->views[i].screen]->update)
            screens[app->views[i].screen]->update(app, app->views[i].state);
}

/* ---- events ---- */

static bool general_act(struct app *app, enum action action, const struct event *event)
{
    switch (action) {
    case ACTION_STEP: app_go(app, (enum field_step)(event->key - '1')); return true;
    case ACTION_NEXT_STEP: app_next(app); return true;
    case ACTION_PREVIOUS_STEP:
        if (app->step > STEP_WORKLOAD)
            app_go(app, (enum field_step)(app->step - 1));
        return true;
    case ACTION_BACK: app_back(app); return true;
    case ACTION_UNDO: app_undo(app, -1); return true;
    case ACTION_REDO: app_undo(app, 1); return true;
    case ACTION_LANGUAGE:
        if (app->bytes_only) {
            app_say(app, true, tr("Chinese needs a UTF-8 terminal."));
            return true;
        }
        i18n_set_language(i18n_language() == LANGUAGE_EN ? LANGUAGE_ZH : LANGUAGE_EN);
        app->message[0] = '\0';
        compute_clear(&app->compute); /* reasons are texts */
        return true;
    case ACTION_THEME:
        app->theme = (app->theme + 1) % THEME_COUNT;
        if (app->keep_session)
            session_keep_theme(app->theme);
        app->repaint = true;
        app_say(app, false, tr("Colours: %s"), tr(theme_labels[app->theme]));
        return true;
    case ACTION_REDRAW: app->repaint = true; return true;
    case ACTION_WHATIF: app_open(app, SCREEN_WHATIF, 0); return true;
    case ACTION_EXPLAIN: app_open(app, SCREEN_EXPLAIN, 0); return true;
    case ACTION_MATRIX: app_open(app, SCREEN_MATRIX, 0); return true;
    case ACTION_LEARN: app_open(app, SCREEN_LESSONS, 0); return true;
    case ACTION_HELP: app_open(app, SCREEN_HELP, 0); return true;
    case ACTION_SAVE: app_open(app, SCREEN_PATH, ACTION_SAVE); return true;
    case ACTION_OPEN: app_open(app, SCREEN_PATH, ACTION_OPEN); return true;
    case ACTION_QUIT:
        if (app->changed)
            app_open(app, SCREEN_ASK, ACTION_QUIT);
        else
            app->done = true;
        return true;
    case ACTION_RESUME:
        if (app->has_last_session) {
            app_commit(app, &app->last_session);
            app->has_last_session = false;
            app_say(app, false, tr("Answers of the last session taken; u takes them back."));
            app_go(app, app->step);
        } else {
            app_say(app, false, tr("There is no former session."));
        }
        return true;
    default: return false;
    }
}

static void do_action(struct app *app, enum action action, const struct event *event)
{
    struct view *view = top_view(app);
    const struct screen *screen = screens[view->screen];
    app->ignored = !(screen->act && screen->act(app, view->state, (int)action, event)) && !general_act(app, action, event);
}

static void handle_key(struct app *app, const struct event *event)
{
    struct view *view = top_view(app);
    const struct screen *screen = screens[view->screen];
    struct event plain = *event;
    app->message[0] = '\0';
    plain.key = event_folded(event->key);
    const struct key_row *row = keymap_find(view->screen, plain.key);
    if (row)
        do_action(app, row->action, &plain);
    else if (screen->type)
        screen->type(app, view->state, event);
}

static void handle_click(struct app *app, const struct event *event)
{
    struct frame frame = frame_layout(app->rows, app->cols, app_top(app)->live);
    struct view *view = top_view(app);
    app->message[0] = '\0';
    if (rect_has(frame.footer, event->row, event->col)) {
        struct footer_item items[FOOTER_MAX];
        int count = footer_layout(view->screen, frame.footer.cols, items);
        for (int i = 0; i < count; i++) {
            int col = event->col - frame.footer.col - items[i].col;
            if (col >= 0 && col < items[i].cells) {
                struct event key = event_key(items[i].row->keys[0]);
                do_action(app, items[i].row->action, &key);
                return;
            }
        }
    } else if (rect_has(frame.steps, event->row, event->col)) {
        int step = frame_step_at(app, event->col - frame.steps.col, frame.steps.cols);
        if (step >= 0)
            app_go(app, (enum field_step)step);
    } else if (rect_has(frame.main, event->row, event->col) && screens[view->screen]->click) {
        screens[view->screen]->click(app, view->state, frame.main, event->row, event->col);
    }
}

/* A line being typed is an answer too when the end comes: what can be taken is. */
static void keep_typed(struct app *app)
{
    struct event enter = event_key(KEY_ENTER_);
    if (top_view(app)->screen == SCREEN_EDIT)
        do_action(app, ACTION_ENTER, &enter);
    app->done = true;
}

void app_handle(struct app *app, const struct event *event)
{
    struct view *view = top_view(app);
    switch (event->kind) {
    case EVENT_KEY: {
        bool too_small = frame_layout(app->rows, app->cols, false).too_small;
        if (event->key == KEY_CTRL('c') || (too_small && event->key == 'q'))
            keep_typed(app);
        else if (!too_small)
            handle_key(app, event);
        break;
    }
    case EVENT_PASTE: /* pasted text is never a command */
        if (screens[view->screen]->type)
            screens[view->screen]->type(app, view->state, event);
        break;
    case EVENT_CLICK: handle_click(app, event); break;
    case EVENT_WHEEL:
        for (int i = 0; i < 3; i++)
            do_action(app, event->turn < 0 ? ACTION_UP : ACTION_DOWN, event);
        break;
    case EVENT_RESIZE:
        app->rows = event->row;
        app->cols = event->col;
        break;
    case EVENT_END: keep_typed(app); break;
    case EVENT_NONE: return;
    }
    if (!app->done)
        app_update(app);
}

/* ---- drawing ---- */

static void draw_too_small(const struct app *app, struct canvas *canvas)
{
    canvas_printf(canvas, 0, 0, app->cols, ROLE_TEXT, tr("%dx%d is too small"), app->cols, app->rows);
    canvas_printf(canvas, 1, 0, app->cols, ROLE_DIM, tr("needs %dx%d"), FRAME_MIN_COLS, FRAME_MIN_ROWS);
    canvas_text(canvas, 2, 0, app->cols, ROLE_DIM, tr("q quits"));
}

void app_draw(const struct app *app, struct canvas *canvas)
{
    if (canvas->rows != app->rows || canvas->cols != app->cols)
        canvas_resize(canvas, app->rows, app->cols);
    canvas_clear(canvas);
    canvas->ascii = app->ascii;
    canvas->patterns = theme_needs_patterns(app->theme, app->colours);
    struct frame frame = frame_layout(app->rows, app->cols, app_top(app)->live);
    if (frame.too_small) {
        draw_too_small(app, canvas);
        return;
    }
    int first = app->depth - 1;
    while (first > 0 && screens[app->views[first].screen]->over)
        first--;
    frame_draw(app, &frame, canvas);
    for (int i = first; i < app->depth; i++)
        screens[app->views[i].screen]->draw(app, app->views[i].state, canvas, frame.main);
    if (frame.live.rows > 0) {
        canvas_rule(canvas, frame.rule);
        live_draw(app, canvas, frame.live);
    }
}

/* ---- beginning and end ---- */

void app_init(struct app *app, const struct app_options *options)
{
    memset(app, 0, sizeof *app);
    app->arena = arena_new();
    app->compute.catalog = options->catalog;
    app->compute.constants = options->constants;
    app->compute.today = options->today;
    app->rows = options->rows;
    app->cols = options->cols;
    app->theme = options->theme;
    app->colours = options->colours;
    app->ascii = options->ascii;
    app->bytes_only = options->bytes_only;
    app->data_folder = options->data_folder;
    struct error ignored; /* without a glossary the help has keys only */
    glossary_load(options->data_folder, app->arena, &app->glossary, &ignored);
    app->mode = MODE_COUNT;
    if (options->scenario)
        memcpy(&app->scenario, options->scenario, sizeof app->scenario);
    remember(app);
    app_go(app, STEP_WORKLOAD);
    app->visited[STEP_WORKLOAD] = false;
    app_update(app);
}

void app_clear(struct app *app)
{
    while (app->depth > 0)
        close_top(app);
    compute_clear(&app->compute);
    arena_free(app->arena);
}
