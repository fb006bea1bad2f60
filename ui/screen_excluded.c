/* screen_excluded.c - what was left out and why, and the smallest changes that help. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* ---- the list of what was left out ---- */

struct excluded_state {
    struct list list;
};

enum { TYPE_CELLS = 30, GPU_CELLS = 14, REASON_CELLS = 14 };

static int excluded_rows(struct rect area)
{
    return area.rows > 3 ? area.rows - 3 : 1;
}

static int excluded_count(const struct app *app)
{
    const struct plan *plan = app_plan(app);
    return plan ? (int)plan->excluded_count : 0;
}

static void excluded_update(struct app *app, void *state)
{
    list_keep(&((struct excluded_state *)state)->list, excluded_count(app), excluded_rows(app_area(app)));
}

static bool excluded_act(struct app *app, void *state, int action, const struct event *event)
{
    (void)event;
    return list_act(&((struct excluded_state *)state)->list, action, excluded_count(app), excluded_rows(app_area(app)));
}

static void excluded_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct list *list = &((const struct excluded_state *)state)->list;
    const struct plan *plan = app_plan(app);
    int rows = excluded_rows(area), count = excluded_count(app);
    canvas_printf(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr("Left out: %d of %d types"), count, plan ? plan->types : 0);
    for (int i = 0; i < rows && list->top + i < count; i++) {
        const struct excluded *excluded = &plan->excluded[list->top + i];
        int row = area.row + 1 + i, col = area.col;
        canvas_text(canvas, row, col, TYPE_CELLS - 1, ROLE_TEXT, excluded->instance->type);
        col += TYPE_CELLS;
        if (area.cols >= 100) {
            canvas_text(canvas, row, col, GPU_CELLS - 1, ROLE_DIM, excluded->instance->gpu ? excluded->instance->gpu->name : "-");
            col += GPU_CELLS;
        }
        canvas_text(canvas, row, col, REASON_CELLS - 1, ROLE_WARN, tr(exclusion_labels[excluded->reason]));
        col += REASON_CELLS;
        canvas_text(canvas, row, col, area.col + area.cols - col, ROLE_DIM, excluded->detail);
        if (list->top + i == list->cursor) {
            canvas_select(canvas, row, area.col, area.cols);
            canvas_cursor(canvas, row, area.col, false);
        }
    }
    list_position(canvas, area.row + 1 + rows, area.col + area.cols, list, count, rows);
}

const struct screen excluded_screen = {
    .name = N_("Left out"), .state_size = sizeof(struct excluded_state), .update = excluded_update,
    .draw = excluded_draw, .act = excluded_act,
};

const struct excluded *excluded_marked(const struct app *app)
{
    const struct excluded_state *view = app_state_of(app, SCREEN_EXCLUDED);
    return view && view->list.cursor < excluded_count(app) ? &app_plan(app)->excluded[view->list.cursor] : NULL;
}

/* ---- the changes that help ---- */

struct remedies_state {
    struct remedy found[RELAX_MAX];
    int count;
    struct list list;
    bool nothing_fits;
};

static void remedies_open(struct app *app, void *state, int argument)
{
    struct remedies_state *view = state;
    const struct plan *plan = app_plan(app);
    (void)argument;
    if (!plan)
        return;
    view->nothing_fits = plan->offer_count == 0;
    view->count = remedies(app->compute.catalog, app->compute.constants, &app->shown, plan, app->compute.today, view->found);
}

bool remedy_apply(struct app *app, const struct remedy *remedy)
{
    struct scenario changed;
    struct error error;
    char text[sizeof remedy->change], whole[700], label[sizeof remedy->label];
    memcpy(&changed, &app->scenario, sizeof changed);
    snprintf(text, sizeof text, "%s", remedy->change);
    snprintf(label, sizeof label, "%s", remedy->label);
    char *rest = text;
    for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
        if (!scenario_set_pair(&changed, pair, app->compute.catalog, app->arena, &error)) {
            app_say(app, true, "%s", error_text(&error, whole, sizeof whole));
            return false;
        }
    app_commit(app, &changed);
    app_say(app, false, tr("Done: %s. u takes it back."), label);
    return true;
}

static bool remedies_act(struct app *app, void *state, int action, const struct event *event)
{
    struct remedies_state *view = state;
    if (list_act(&view->list, action, view->count, RELAX_MAX))
        return true;
    int at = action == ACTION_REMEDY ? event->key - '1' : view->list.cursor;
    if (action != ACTION_REMEDY && action != ACTION_ENTER)
        return false;
    if (at >= 0 && at < view->count && remedy_apply(app, &view->found[at]))
        app_close(app);
    return true;
}

static void remedies_draw_screen(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct remedies_state *view = state;
    const struct plan *plan = app_plan(app);
    double now_cny = NAN;
    for (size_t i = 0; plan && i < plan->offer_count; i++)
        now_cny = fmin(now_cny, offer_cny(&plan->offers[i])); /* fmin passes over NAN */
    char number[UNITS_TEXT];
    int row = 0;
    if (view->nothing_fits && plan)
        row = funnel_draw(canvas, area, plan) + 1;
    canvas_text(canvas, area.row + row, area.col, area.cols, ROLE_TITLE,
                view->nothing_fits ? tr("The smallest changes that make it fit") : tr("Changes that make it cheaper or quicker"));
    row++;
    if (!isnan(now_cny))
        canvas_printf(canvas, area.row + row++, area.col, area.cols, ROLE_DIM, tr("now %zu offers, from %s%s"),
                      plan->offer_count, yuan_sign(canvas), units_cny(now_cny, number));
    row += remedies_draw(canvas, rect_below(area, row), view->found, view->count, view->list.cursor, now_cny);
    if (view->count)
        canvas_text(canvas, area.row + row + 1, area.col, area.cols, ROLE_DIM,
                    tr("The price is that of the cheapest offer with the change made. u takes it back."));
}

static void remedies_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct remedies_state *view = state;
    (void)app;
    (void)col;
    int index = row - area.row - 2; /* below the title and what is now */
    if (!view->nothing_fits && index >= 0 && index < view->count)
        view->list.cursor = index;
}

const struct screen remedies_screen = {
    .name = N_("Remedies"), .state_size = sizeof(struct remedies_state), .open = remedies_open,
    .draw = remedies_draw_screen, .act = remedies_act, .click = remedies_click,
};
