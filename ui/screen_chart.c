/* screen_chart.c - the rows of the table as points: cost against time, or cost of a million tokens
 * against the speed one user sees; the frontier drawn, and walked along. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/chart.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* What the axes are, by what the plan has to tell. */
static const struct kind {
    const char *title, *x_name, *y_name; /* N_() */
    bool more_x, hours;
} kinds[] = {
    {N_("Cost against time"), N_("time"), N_("CNY"), false, true},
    {N_("Cost against speed"), N_("tokens/s"), N_("CNY/Mtok"), true, false},
    {N_("Cost against speed for one user"), N_("tokens/s for one user"), N_("CNY/Mtok"), true,
     false},
};
enum { KIND_TIME, KIND_RATE, KIND_USER };

struct chart_view {
    const struct offer **offers; /* the rows of the table */
    struct chart_point *points;
    int *frontier;
    int count, frontier_count;
    int kind;
    int at;                          /* on the frontier */
    const struct instance *instance; /* of the selected one, to find it again */
    int nodes;
};

/* ---- points ---- */

static int kind_of(const struct plan *plan)
{
    if (plan->job.workload == WORKLOAD_INFERENCE)
        return KIND_USER;
    return plan->offer_count && !isnan(plan->offers[0].hours[1]) ? KIND_TIME : KIND_RATE;
}

static struct chart_point point_of(const struct offer *offer, int kind, enum billing_mode mode)
{
    struct chart_point none = {NAN, NAN};
    const struct cost *cost = offer_cost(offer, mode), *cheapest = offer_cost(offer, MODE_COUNT);
    if (!cost || !cheapest)
        return none;
    if (kind == KIND_TIME)
        return (struct chart_point){offer->hours[1], cost->total_cny};
    /* the price of a million tokens is that of the cheapest way of paying */
    double price = mode == MODE_COUNT
                       ? offer->cny_per_mtok
                       : offer->cny_per_mtok * cost->per_hour_cny / cheapest->per_hour_cny;
    return (struct chart_point){
        kind == KIND_USER ? 1000 / offer->speed.tpot_ms : offer->speed.tokens_per_s, price};
}

/* The point of the frontier that stands for an offer: itself, or the nearest one. */
static int nearest(const struct chart_view *view, struct chart_point point)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < view->frontier_count && chart_shows(point); i++) {
        const struct chart_point *other = &view->points[view->frontier[i]];
        double distance = fabs(log(other->x / point.x)) + fabs(log(other->y / point.y));
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static void chart_open(struct app *app, void *state, int argument)
{
    struct chart_view *view = state;
    const struct offer *marked = instances_marked(app);
    (void)argument;
    view->instance = marked ? marked->instance : NULL;
    view->nodes = marked ? marked->nodes : 0;
}

static void chart_close(struct app *app, void *state)
{
    struct chart_view *view = state;
    (void)app;
    free(view->offers);
    free(view->points);
    free(view->frontier);
}

static void chart_update(struct app *app, void *state)
{
    struct chart_view *view = state;
    const struct offer *const *rows;
    struct chart_point selected = {NAN, NAN};
    view->count = instances_shown(app, &rows);
    view->kind = app_plan(app) ? kind_of(app_plan(app)) : KIND_TIME;
    size_t room = (size_t)view->count + 1;
    view->offers = xrealloc(view->offers, room, sizeof *view->offers);
    view->points = xrealloc(view->points, room, sizeof *view->points);
    view->frontier = xrealloc(view->frontier, room, sizeof *view->frontier);
    for (int i = 0; i < view->count; i++) {
        view->offers[i] = rows[i];
        view->points[i] = point_of(rows[i], view->kind, app->mode);
        if (rows[i]->instance == view->instance && rows[i]->nodes == view->nodes)
            selected = view->points[i];
    }
    view->frontier_count =
        chart_frontier(view->points, view->count, kinds[view->kind].more_x, view->frontier);
    view->at = nearest(view, selected);
}

/* ---- events ---- */

static const struct offer *selected_offer(const struct chart_view *view)
{
    return view->frontier_count ? view->offers[view->frontier[view->at]] : NULL;
}

static void go_to(struct chart_view *view, int at)
{
    if (!view->frontier_count)
        return;
    view->at = at < 0 ? 0 : at >= view->frontier_count ? view->frontier_count - 1 : at;
    view->instance = selected_offer(view)->instance;
    view->nodes = selected_offer(view)->nodes;
}

static bool chart_act(struct app *app, void *state, int action, const struct event *event)
{
    struct chart_view *view = state;
    int up = kinds[view->kind].more_x ? 1 : -1; /* where a higher cost lies */
    switch (action) {
    case ACTION_LEFT:
        go_to(view, view->at - 1);
        return true;
    case ACTION_RIGHT:
        go_to(view, view->at + 1);
        return true;
    case ACTION_UP:
        go_to(view, view->at + up);
        return true;
    case ACTION_DOWN:
        go_to(view, view->at - up);
        return true;
    case ACTION_PAGE_UP:
    case ACTION_FIRST:
        go_to(view, 0);
        return true;
    case ACTION_PAGE_DOWN:
    case ACTION_LAST:
        go_to(view, view->frontier_count - 1);
        return true;
    case ACTION_BILLING:
        return instances_screen.act(app, app_state_of(app, SCREEN_INSTANCES), action, event);
    case ACTION_ENTER:
        if (selected_offer(view)) {
            instances_place(app, selected_offer(view));
            app_open(app, SCREEN_DETAIL, 0);
        }
        return true;
    case ACTION_EXPLAIN:
        if (selected_offer(view)) {
            enum billing_mode mode =
                app->mode == MODE_COUNT ? selected_offer(view)->cheapest : app->mode;
            instances_place(app, selected_offer(view));
            app_open(app, SCREEN_EXPLAIN, explain_topic_of_column("cost_cny", mode));
        }
        return true;
    default:
        return false;
    }
}

/* ---- drawing ---- */

enum { Y_LABELS = 9, ABOVE = 2, BELOW = 5, X_APART = 9, Y_APART = 2 };

static struct rect plot_of(struct rect area)
{
    return (struct rect){area.row + ABOVE, area.col + Y_LABELS + 1, area.rows - ABOVE - BELOW,
                         area.cols - Y_LABELS - 1};
}

struct axes {
    struct chart_axis x, y;
    struct rect plot;
};

static struct axes axes_of(const struct chart_view *view, struct rect area)
{
    double *values = xrealloc(NULL, (size_t)view->count + 1, sizeof *values);
    struct axes axes = {.plot = plot_of(area)};
    for (int i = 0; i < view->count; i++)
        values[i] = chart_shows(view->points[i]) ? view->points[i].x : NAN;
    axes.x = chart_axis(values, view->count);
    for (int i = 0; i < view->count; i++)
        values[i] = chart_shows(view->points[i]) ? view->points[i].y : NAN;
    axes.y = chart_axis(values, view->count);
    free(values);
    return axes;
}

static int row_of(const struct axes *axes, double y)
{
    return axes->plot.row + axes->plot.rows - 1 - chart_cell(axes->y, y, axes->plot.rows);
}

static int col_of(const struct axes *axes, double x)
{
    return axes->plot.col + chart_cell(axes->x, x, axes->plot.cols);
}

static void draw_axes(const struct axes *axes, const struct kind *kind, struct canvas *canvas,
                      struct rect area)
{
    struct chart_tick ticks[CHART_TICKS];
    struct rect plot = axes->plot;
    int bottom = plot.row + plot.rows, right = plot.col + plot.cols;
    for (int row = plot.row; row < bottom; row++)
        canvas_put(canvas, row, plot.col - 1, 0x2502, ROLE_RULE, ROLE_TEXT);
    for (int col = plot.col; col < right; col++)
        canvas_put(canvas, bottom, col, 0x2500, ROLE_RULE, ROLE_TEXT);
    canvas_put(canvas, bottom, plot.col - 1, 0x2514, ROLE_RULE, ROLE_TEXT);
    int count = chart_ticks(axes->y, plot.rows, Y_APART, false, ticks);
    for (int i = 0; i < count; i++) {
        int row = bottom - 1 - ticks[i].cell;
        canvas_put(canvas, row, plot.col - 1, 0x2524, ROLE_RULE, ROLE_TEXT);
        canvas_field(canvas, row, area.col, Y_LABELS - 1, TEXT_RIGHT, ROLE_DIM, ticks[i].label);
    }
    count = chart_ticks(axes->x, plot.cols, X_APART, kind->hours, ticks);
    for (int i = 0; i < count; i++) {
        int col = plot.col + ticks[i].cell, width = text_width(ticks[i].label),
            from = col - width / 2;
        canvas_put(canvas, bottom, col, 0x252C, ROLE_RULE, ROLE_TEXT);
        from = from + width > right ? right - width : from;
        canvas_text(canvas, bottom + 1, from < area.col ? area.col : from, width, ROLE_DIM,
                    ticks[i].label);
    }
    canvas_field(canvas, plot.row - 1, area.col, Y_LABELS - 1, TEXT_RIGHT, ROLE_TEXT,
                 tr(kind->y_name));
    canvas_field(canvas, bottom + 2, plot.col + plot.cols / 2, plot.cols - plot.cols / 2,
                 TEXT_RIGHT, ROLE_TEXT, tr(kind->x_name));
}

/* From one point of the frontier to the next: along the worse one's line, then to it. */
static void draw_step(struct canvas *canvas, int from_row, int from_col, int to_row, int to_col,
                      bool rising)
{
    int corner_row = rising ? to_row : from_row, corner_col = rising ? from_col : to_col;
    for (int col = from_col; col <= to_col; col++)
        canvas_put(canvas, corner_row, col, 0x2500, ROLE_ACCENT, ROLE_TEXT);
    int top = from_row < to_row ? from_row : to_row, end = from_row < to_row ? to_row : from_row;
    for (int row = top; row <= end; row++)
        canvas_put(canvas, row, corner_col, 0x2502, ROLE_ACCENT, ROLE_TEXT);
    if (from_row != to_row && from_col != to_col)
        canvas_put(canvas, corner_row, corner_col, rising ? 0x250C : 0x2510, ROLE_ACCENT,
                   ROLE_TEXT);
}

static void draw_points(const struct chart_view *view, const struct axes *axes,
                        struct canvas *canvas)
{
    bool rising = kinds[view->kind].more_x;
    for (int i = 0; i + 1 < view->frontier_count; i++) {
        const struct chart_point *a = &view->points[view->frontier[i]],
                                 *b = &view->points[view->frontier[i + 1]];
        draw_step(canvas, row_of(axes, a->y), col_of(axes, a->x), row_of(axes, b->y),
                  col_of(axes, b->x), rising);
    }
    for (int i = 0; i < view->count; i++)
        if (chart_shows(view->points[i]))
            canvas_put(canvas, row_of(axes, view->points[i].y), col_of(axes, view->points[i].x),
                       canvas->ascii ? '.' : 0x25CB, ROLE_DIM, ROLE_TEXT);
    for (int i = 0; i < view->frontier_count; i++) {
        const struct chart_point *point = &view->points[view->frontier[i]];
        canvas_put(canvas, row_of(axes, point->y), col_of(axes, point->x),
                   canvas->ascii ? 'o' : 0x25CF, ROLE_ACCENT, ROLE_TEXT);
    }
    if (view->frontier_count) {
        const struct chart_point *point = &view->points[view->frontier[view->at]];
        int row = row_of(axes, point->y), col = col_of(axes, point->x);
        canvas_put(canvas, row, col, canvas->ascii ? '@' : 0x25C6, ROLE_KEY, ROLE_TEXT);
        canvas_select(canvas, row, col, 1);
        canvas_cursor(canvas, row, col, false);
    }
}

/* The selected one in two lines. */
static void draw_caption(const struct app *app, const struct chart_view *view,
                         struct canvas *canvas, struct rect area)
{
    const struct offer *offer = selected_offer(view);
    char name[200], text[200], cny[UNITS_TEXT], x[UNITS_TEXT], gpu[40];
    const struct kind *kind = &kinds[view->kind];
    if (!offer)
        return;
    struct chart_point point = view->points[view->frontier[view->at]];
    enum billing_mode mode = app->mode == MODE_COUNT ? offer->cheapest : app->mode;
    offer_name(offer, name, sizeof name);
    canvas_put(canvas, area.row, area.col, canvas->ascii ? '@' : 0x25C6, ROLE_KEY, ROLE_TEXT);
    int used = 2 + canvas_text(canvas, area.row, area.col + 2, area.cols - 2, ROLE_TITLE, name);
    snprintf(text, sizeof text, "%d x %s", offer->hardware.gpus,
             gpu_short(offer->hardware.gpu, gpu));
    used += 3 + canvas_text(canvas, area.row, area.col + used + 3, area.cols - used - 3, ROLE_TEXT,
                            text);
    canvas_text(canvas, area.row, area.col + used + 3, area.cols - used - 3,
                verdict_role(offer->memory.verdict), verdict_word(offer->memory.verdict));
    bool assumed = mode < MODE_COUNT && offer->costs[mode].basis != BASIS_QUOTED;
    char sign[16];
    snprintf(sign, sizeof sign, "%s%s", assumed ? "~" : "", yuan_sign(canvas));
    if (kind->hours)
        snprintf(text, sizeof text, tr("%s   %s%s   %s"), units_hours(point.x, x),
                 sign, units_cny(point.y, cny), tr(billing_modes[mode].label));
    else
        snprintf(text, sizeof text, tr("%s tokens/s   %s%s a million tokens   %s"),
                 units_count(point.x, x), sign, units_rate(point.y, cny),
                 tr(billing_modes[mode].label));
    canvas_text(canvas, area.row + 1, area.col + 2, area.cols - 2, ROLE_TEXT, text);
}

static void chart_draw(const struct app *app, const void *state, struct canvas *canvas,
                       struct rect area)
{
    const struct chart_view *view = state;
    const struct kind *kind = &kinds[view->kind];
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr(kind->title));
    if (!view->frontier_count) {
        canvas_text(canvas, area.row + 2, area.col, area.cols, ROLE_WARN,
                    tr("No offer in the table has both a price and a speed."));
        return;
    }
    canvas_field(canvas, area.row, area.col + used + 2, area.cols - used - 2, TEXT_RIGHT, ROLE_DIM,
                 canvas->ascii ? tr("o not beaten by any other   . others   @ this one")
                               : tr("● not beaten by any other   ○ others   ◆ this one"));
    struct axes axes = axes_of(view, area);
    draw_axes(&axes, kind, canvas, area);
    draw_points(view, &axes, canvas);
    canvas_printf(canvas, area.row + area.rows - 3, axes.plot.col, axes.plot.cols / 2, ROLE_DIM,
                  tr("%d of %d on the frontier"), view->at + 1, view->frontier_count);
    draw_caption(app, view, canvas, rect_below(area, area.rows - 2));
}

static void chart_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct chart_view *view = state;
    struct axes axes = axes_of(view, area);
    int best = view->at, least = 1000;
    (void)app;
    for (int i = 0; i < view->frontier_count; i++) {
        const struct chart_point *point = &view->points[view->frontier[i]];
        int distance = abs(row_of(&axes, point->y) - row) + abs(col_of(&axes, point->x) - col);
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    go_to(view, best);
}

const struct screen chart_screen = {
    .name = N_("Chart"),
    .state_size = sizeof(struct chart_view),
    .open = chart_open,
    .close = chart_close,
    .update = chart_update,
    .draw = chart_draw,
    .act = chart_act,
    .click = chart_click,
};
