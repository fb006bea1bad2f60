/* screen_instances.c - the table of offers, its filter, and what stands below it: the ways of paying
 * for the marked row. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

enum fit { FIT_ALL, FIT_ROOMY, FIT_BUDGET, FIT_COUNT };
static const char *const fit_labels[FIT_COUNT] = {N_("all"), N_("fits"), N_("within budget")};

enum { COLUMNS_MAX = 64, COLUMN_GAP = 2 };

struct table_state {
    unsigned long serial;          /* of the plan the rows are of */
    const struct offer **rows;     /* sorted and filtered */
    int count;
    struct list list;
    int sort;                      /* column; -1 = as ranked */
    bool reverse;
    enum fit fit;
    int first_column;              /* scrolled by h and l; the first column stays */
    struct input filter;
    struct mark { const struct instance *instance; int nodes; } marks[MARKS_MAX];
    int mark_count;
    bool only_marked;
    struct remedy remedies[RELAX_MAX];
    int remedy_count;
    unsigned long remedies_serial;
};

/* ---- which rows ---- */

static int mark_of(const struct table_state *table, const struct offer *offer)
{
    for (int i = 0; i < table->mark_count; i++)
        if (table->marks[i].instance == offer->instance && table->marks[i].nodes == offer->nodes)
            return i;
    return -1;
}

static bool row_matches(const struct table_state *table, const struct offer *offer, enum billing_mode mode)
{
    struct strbuf all = {0};
    bool found;
    if (table->fit == FIT_ROOMY && offer->memory.verdict != VERDICT_FITS)
        return false;
    if (table->fit == FIT_BUDGET && !offer->within_budget)
        return false;
    if (table->only_marked && mark_of(table, offer) < 0)
        return false;
    if (!*table->filter.text)
        return true;
    for (int i = 0; i < column_count; i++) {
        columns[i].format(offer, mode, &all);
        strbuf_add(&all, " ");
    }
    found = text_find(strbuf_text(&all), table->filter.text) != NULL;
    strbuf_clear(&all);
    return found;
}

/* Insertion keeps equal rows in their former order; offers are few. */
static void sort_rows(struct table_state *table, enum billing_mode mode)
{
    if (table->sort < 0)
        return;
    const struct column *column = &columns[table->sort];
    for (int i = 1; i < table->count; i++) {
        const struct offer *moved = table->rows[i];
        int k = i;
        for (; k > 0; k--) {
            const struct offer *other = table->rows[k - 1];
            bool unknown = column->number && isnan(column->number(moved, mode));
            bool other_unknown = column->number && isnan(column->number(other, mode));
            int sign = column->compare(other, moved, mode);
            if (unknown || (!other_unknown && (table->reverse ? -sign : sign) <= 0))
                break;
            table->rows[k] = other;
        }
        table->rows[k] = moved;
    }
}

static void collect(const struct app *app, struct table_state *table)
{
    const struct plan *plan = app_plan(app);
    size_t count = plan ? plan->offer_count : 0;
    table->rows = xrealloc(table->rows, count + 1, sizeof *table->rows);
    table->count = 0;
    for (size_t i = 0; i < count; i++)
        if (row_matches(table, &plan->offers[i], app->mode))
            table->rows[table->count++] = &plan->offers[i];
    sort_rows(table, app->mode);
    table->serial = app->computed->serial;
}

static int panel_rows(struct rect area)
{
    return area.rows >= 22 ? 9 : area.rows >= 17 ? 7 : area.rows >= 14 ? 5 : 0;
}

static int table_rows(struct rect area)
{
    int rows = area.rows - 2 - panel_rows(area);
    return rows > 1 ? rows : 1;
}

static void table_open(struct app *app, void *state, int argument)
{
    struct table_state *table = state;
    (void)app;
    (void)argument;
    table->sort = -1;
}

static void table_close(struct app *app, void *state)
{
    (void)app;
    free(((struct table_state *)state)->rows);
}

static void table_update(struct app *app, void *state)
{
    struct table_state *table = state;
    const struct plan *plan = app_plan(app);
    collect(app, table);
    list_keep(&table->list, table->count, table_rows(app_area(app)));
    bool seen = app_top(app) == &instances_screen; /* not while knobs are turned above it */
    if (seen && plan && plan->offer_count == 0 && table->remedies_serial != app->computed->serial) {
        table->remedy_count = remedies(app->compute.catalog, app->compute.constants, &app->shown, plan,
                                       app->compute.today, table->remedies);
        table->remedies_serial = app->computed->serial;
    }
}

/* ---- which columns ---- */

/* Serving has no end and training no first token: a column in which no row has a value is left out. */
static bool says_nothing(const struct table_state *table, int i)
{
    if (!columns[i].number)
        return false;
    for (int row = 0; row < table->count; row++)
        if (!isnan(columns[i].number(table->rows[row], MODE_COUNT)))
            return false;
    return table->count > 0;
}

/* The columns that fit, in the table's order: the first always, then by priority; scrolled to the
 * right they are simply the next ones. Returns how many. */
static int choose_columns(const struct table_state *table, int cells, int chosen[COLUMNS_MAX])
{
    bool taken[COLUMNS_MAX] = {false};
    int room = cells - columns[0].width, count = 0;
    taken[0] = true;
    if (table->first_column > 0) {
        for (int i = table->first_column + 1; i < column_count && i < COLUMNS_MAX; i++) {
            if (says_nothing(table, i))
                continue;
            if (columns[i].width + COLUMN_GAP > room)
                break;
            taken[i] = true;
            room -= columns[i].width + COLUMN_GAP;
        }
    } else {
        for (int priority = 0; priority < COLUMNS_MAX; priority++)
            for (int i = 1; i < column_count && i < COLUMNS_MAX; i++)
                if (columns[i].priority == priority && columns[i].width + COLUMN_GAP <= room && !says_nothing(table, i)) {
                    taken[i] = true;
                    room -= columns[i].width + COLUMN_GAP;
                }
    }
    for (int i = 0; i < column_count && i < COLUMNS_MAX; i++)
        if (taken[i])
            chosen[count++] = i;
    return count;
}

/* ---- actions ---- */

static void next_sort(const struct app *app, struct table_state *table)
{
    int chosen[COLUMNS_MAX];
    int count = choose_columns(table, app_area(app).cols, chosen);
    for (int i = 0; i < count; i++)
        if (chosen[i] > table->sort) {
            table->sort = chosen[i];
            table->reverse = false;
            return;
        }
    table->sort = -1;
    table->reverse = false;
}

static void toggle_mark(struct app *app, struct table_state *table)
{
    if (!table->count)
        return;
    const struct offer *offer = table->rows[table->list.cursor];
    int at = mark_of(table, offer);
    if (at >= 0)
        table->marks[at] = table->marks[--table->mark_count];
    else if (table->mark_count == MARKS_MAX)
        app_say(app, true, tr("Four are marked already; Space on one of them frees a place."));
    else
        table->marks[table->mark_count++] = (struct mark){offer->instance, offer->nodes};
    if (table->only_marked && table->mark_count == 0)
        table->only_marked = false;
}

static void next_mode(struct app *app, const struct table_state *table)
{
    (void)table;
    for (int tries = 0; tries <= MODE_COUNT; tries++) {
        app->mode = app->mode == MODE_COUNT ? (enum billing_mode)0 : (enum billing_mode)(app->mode + 1);
        const struct plan *plan = app_plan(app);
        bool used = app->mode == MODE_COUNT;
        for (size_t i = 0; plan && i < plan->offer_count && !used; i++)
            used = plan->offers[i].costs[app->mode].available;
        if (used)
            break;
    }
    app_say(app, false, tr("Costs: %s"), app->mode == MODE_COUNT ? tr("the cheapest of each") : tr(billing_modes[app->mode].label));
}

/* Where nothing fits the digits are those of the changes that help, not of steps. */
static bool apply_numbered(struct app *app, const struct table_state *table, int index)
{
    const struct plan *plan = app_plan(app);
    bool offered = plan && plan->offer_count == 0 && table->remedies_serial == app->computed->serial;
    if (!offered || index < 0 || index >= table->remedy_count)
        return false;
    remedy_apply(app, &table->remedies[index]);
    return true;
}

static bool table_act(struct app *app, void *state, int action, const struct event *event)
{
    struct table_state *table = state;
    (void)event;
    if (list_act(&table->list, action, table->count, table_rows(app_area(app))))
        return true;
    switch (action) {
    case ACTION_ENTER:
        if (table->count)
            app_open(app, SCREEN_DETAIL, table->list.cursor);
        else
            app_open(app, SCREEN_REMEDIES, 0);
        return true;
    case ACTION_SORT: next_sort(app, table); return true;
    case ACTION_SORT_REVERSE: table->reverse = !table->reverse; return true;
    case ACTION_FILTER: app_open(app, SCREEN_FILTER, 0); return true;
    case ACTION_FIT:
        table->fit = (enum fit)((table->fit + 1) % FIT_COUNT);
        app_say(app, false, tr("Rows: %s"), tr(fit_labels[table->fit]));
        return true;
    case ACTION_BILLING: next_mode(app, table); return true;
    case ACTION_TOGGLE:
        toggle_mark(app, table);
        if (table->list.cursor + 1 < table->count)
            table->list.cursor++;
        return true;
    case ACTION_ONLY_MARKED:
        table->only_marked = !table->only_marked && table->mark_count > 0;
        app_say(app, false, table->only_marked ? tr("Only the marked offers.") : tr("All offers; Space marks one."));
        return true;
    case ACTION_COMPARE:
        if (table->count)
            app_open(app, SCREEN_COMPARE, 0);
        return true;
    case ACTION_CHART: app_open(app, SCREEN_CHART, 0); return true;
    case ACTION_EXCLUDED: app_open(app, SCREEN_EXCLUDED, 0); return true;
    case ACTION_STEP: return apply_numbered(app, table, event->key - '1');
    case ACTION_REMEDY:
        if (!apply_numbered(app, table, event->key - '1'))
            app_say(app, false, tr("No change has this number; r shows those that help."));
        return true;
    case ACTION_REMEDIES: app_open(app, SCREEN_REMEDIES, 0); return true;
    case ACTION_HELP:
        app_open(app, SCREEN_HELP, table->sort < 0 ? 0 : help_about(app, columns[table->sort].id));
        return true;
    case ACTION_EXPLAIN:
        app_open(app, SCREEN_EXPLAIN, explain_topic_of_column(table->sort < 0 ? "" : columns[table->sort].id, app->mode));
        return true;
    case ACTION_LEFT:
        table->first_column -= table->first_column > 0;
        return true;
    case ACTION_RIGHT:
        table->first_column += table->first_column < column_count - 3;
        return true;
    case ACTION_BACK:
        if (!*table->filter.text)
            return false;
        input_set(&table->filter, "");
        return true;
    default: return false;
    }
}

/* ---- drawing ---- */

static void draw_heading(const struct table_state *table, struct canvas *canvas, struct rect area,
                         const int *chosen, int count)
{
    int col = area.col;
    for (int i = 0; i < count; i++) {
        const struct column *column = &columns[chosen[i]];
        struct strbuf text = {0};
        bool sorted = chosen[i] == table->sort;
        bool money = strcmp(column->id, "cost_cny") == 0; /* the one figure that says no unit by itself */
        strbuf_printf(&text, "%s%s%s%s", tr(column->heading), money ? " " : "", money ? tr(column->unit) : "", sorted ? table->reverse ? "▼" : "▲" : "");
        canvas_field(canvas, area.row, col, column->width, column->align, sorted ? ROLE_ACCENT : ROLE_TITLE, strbuf_text(&text));
        col += column->width + COLUMN_GAP;
        strbuf_clear(&text);
    }
}

static enum role cell_role(const struct column *column, const struct offer *offer)
{
    if (strcmp(column->id, "verdict") == 0)
        return verdict_role(offer->memory.verdict);
    if (strcmp(column->id, "cost_cny") == 0)
        return offer->within_budget ? ROLE_ACCENT : ROLE_WARN;
    return ROLE_TEXT;
}

static void draw_rows(const struct app *app, const struct table_state *table, struct canvas *canvas,
                      struct rect area, const int *chosen, int count)
{
    int rows = table_rows(area);
    for (int i = 0; i < rows && table->list.top + i < table->count; i++) {
        const struct offer *offer = table->rows[table->list.top + i];
        int row = area.row + 1 + i, col = area.col;
        bool marked = mark_of(table, offer) >= 0;
        for (int k = 0; k < count; k++) {
            const struct column *column = &columns[chosen[k]];
            struct strbuf text = {0};
            column->format(offer, app->mode, &text);
            canvas_field(canvas, row, col, column->width, column->align, marked && k == 0 ? ROLE_ACCENT : cell_role(column, offer),
                         strbuf_text(&text));
            if (marked && k == 0)
                canvas_text(canvas, row, col + column->width, 1, ROLE_ACCENT, "✓");
            col += column->width + COLUMN_GAP;
            strbuf_clear(&text);
        }
        if (table->list.top + i == table->list.cursor) {
            canvas_select(canvas, row, area.col, area.cols);
            canvas_cursor(canvas, row, area.col, false);
        }
    }
}

static void draw_nothing(const struct app *app, const struct table_state *table, struct canvas *canvas, struct rect area)
{
    const struct plan *plan = app_plan(app);
    char text[700];
    if (!plan) {
        canvas_wrapped(canvas, area, 0, ROLE_BAD, error_text(&app->computed->error, text, sizeof text));
        return;
    }
    if (plan->offer_count) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_WARN, tr("No row passes the filter; Esc clears it, f shows all."));
        return;
    }
    int row = funnel_draw(canvas, area, plan);
    row += remedies_draw(canvas, rect_below(area, row + 1), table->remedies, table->remedy_count, -1, NAN) + 1;
    canvas_text(canvas, area.row + row + 1, area.col, area.cols, ROLE_KEY, tr("A number applies its change, u takes it back; x shows what was left out"));
}

static void draw_status(const struct app *app, const struct table_state *table, struct canvas *canvas, struct rect area, int row)
{
    struct strbuf text = {0};
    const struct plan *plan = app_plan(app);
    size_t all = plan ? plan->offer_count : 0;
    if ((size_t)table->count != all || table->count <= table_rows(area))
        strbuf_printf(&text, tr("%d of %zu offers"), table->count, all);
    if (table->sort < 0)
        strbuf_printf(&text, "%s%s", text.length ? "   " : "", tr("recommended first"));
    strbuf_printf(&text, tr("%s%s: %s"), text.length ? "   " : "", tr("costs"),
                  app->mode == MODE_COUNT ? tr("the cheapest of each") : tr(billing_modes[app->mode].label));
    if (table->mark_count)
        strbuf_printf(&text, tr("   %d marked"), table->mark_count);
    if (table->fit != FIT_ALL)
        strbuf_printf(&text, "   %s", tr(fit_labels[table->fit]));
    if (*table->filter.text)
        strbuf_printf(&text, "   /%s", table->filter.text);
    bool all_shown = table->count <= table_rows(area);
    canvas_text(canvas, row, area.col, all_shown ? area.cols : area.cols - 16, ROLE_DIM, strbuf_text(&text));
    list_position(canvas, row, area.col + area.cols, &table->list, table->count, table_rows(area));
    strbuf_clear(&text);
}

static void table_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct table_state *table = state;
    int chosen[COLUMNS_MAX];
    if (table->count == 0) {
        draw_nothing(app, table, canvas, area);
        return;
    }
    int count = choose_columns(table, area.cols, chosen);
    draw_heading(table, canvas, area, chosen, count);
    draw_rows(app, table, canvas, area, chosen, count);
    int rows = table->count < table_rows(area) ? table->count : table_rows(area);
    draw_status(app, table, canvas, area, area.row + 1 + rows);
    struct rect panel = rect_below(area, rows + 2);
    if (panel_rows(area))
        modes_draw(canvas, panel, table->rows[table->list.cursor], app->mode);
}

static void table_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct table_state *table = state;
    int chosen[COLUMNS_MAX], at = area.col;
    int count = choose_columns(table, area.cols, chosen);
    if (row == area.row) {
        for (int i = 0; i < count; i++) {
            if (col >= at && col < at + columns[chosen[i]].width) {
                table->reverse = table->sort == chosen[i] && !table->reverse;
                table->sort = chosen[i];
            }
            at += columns[chosen[i]].width + COLUMN_GAP;
        }
        return;
    }
    int index = table->list.top + row - area.row - 1;
    if (row - area.row > table_rows(area) || index >= table->count)
        return;
    if (index == table->list.cursor)
        app_open(app, SCREEN_DETAIL, index);
    else
        table->list.cursor = index;
}

const struct screen instances_screen = {
    .name = N_("Instances"), .state_size = sizeof(struct table_state), .open = table_open, .close = table_close,
    .update = table_update, .draw = table_draw, .act = table_act, .click = table_click,
};

int instances_compared(const struct app *app, const struct offer *offers[MARKS_MAX])
{
    const struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    int count = 0;
    for (int i = 0; table && i < table->count && count < MARKS_MAX; i++)
        if (table->mark_count ? mark_of(table, table->rows[i]) >= 0 : i >= table->list.cursor)
            offers[count++] = table->rows[i];
    return count;
}

const struct offer *instances_marked(const struct app *app)
{
    const struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    return table && table->count ? table->rows[table->list.cursor] : NULL;
}

int instances_shown(const struct app *app, const struct offer *const **rows)
{
    const struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    *rows = table ? table->rows : NULL;
    return table ? table->count : 0;
}

void instances_place(struct app *app, const struct offer *offer)
{
    struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    for (int i = 0; table && i < table->count; i++)
        if (table->rows[i] == offer)
            table->list.cursor = i;
}

/* ---- typing the filter ---- */

static void filter_type(struct app *app, void *state, const struct event *event)
{
    struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    (void)state;
    input_event(&table->filter, event);
}

static bool filter_act(struct app *app, void *state, int action, const struct event *event)
{
    struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    (void)state;
    (void)event;
    if (action == ACTION_BACK)
        input_set(&table->filter, "");
    if (action == ACTION_ENTER || action == ACTION_BACK)
        app_close(app);
    return action == ACTION_ENTER || action == ACTION_BACK;
}

static void filter_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct table_state *table = app_state_of(app, SCREEN_INSTANCES);
    int row = area.row + area.rows;
    (void)state;
    int used = canvas_text(canvas, row, area.col, area.cols, ROLE_KEY, tr("filter:"));
    input_draw(&table->filter, canvas, row, area.col + used + 1, area.cols - used - 2 < 40 ? area.cols - used - 2 : 40);
}

const struct screen filter_screen = {
    .name = N_("Filter"), .state_size = 1, .over = true, .draw = filter_draw, .act = filter_act, .type = filter_type,
};
