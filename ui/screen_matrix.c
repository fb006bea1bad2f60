/* screen_matrix.c - memory by length and batch on one GPU type, and by GPU and method. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/report_matrix.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/page.h"
#include "ui/widgets.h"

struct matrix_view {
    struct arena *arena; /* of the matrix */
    struct matrix matrix;
    bool filled;
    enum matrix_kind kind;
    unsigned long serial;  /* of the plan it was made from */
    const struct gpu *gpu; /* lengths: the GPU it speaks of; NULL = of the offer that was marked */
    struct list rows;
    int col, first_col;
};

enum { HEAD = 13, CELL = 13, CELL_WITH_COST = 20, CELL_MAX = 24 };

/* ---- what it shows ---- */

/* Lengths: the best offer on the chosen GPU, at first the one marked in the table. */
static const struct offer *shown_offer(const struct app *app, const struct matrix_view *view)
{
    const struct plan *plan = app_plan(app);
    for (int i = 0; view->gpu && i < app->gpu_row_count; i++)
        if (app->gpu_rows[i].gpu == view->gpu && app->gpu_rows[i].offer)
            return app->gpu_rows[i].offer;
    const struct offer *marked = instances_marked(app);
    return marked ? marked : plan && plan->offer_count ? &plan->offers[0] : NULL;
}

static void fill_lengths(struct app *app, struct matrix_view *view)
{
    const struct offer *offer = shown_offer(app, view);
    struct offer estimate;
    struct job job;
    struct error error;
    if (offer) {
        view->gpu = offer->hardware.gpu;
        matrix_lengths(&app_plan(app)->job, offer, app->compute.constants, &view->matrix);
        view->filled = true;
    } else if (estimate_compute(app->compute.catalog, app->compute.constants, &app->shown,
                                view->arena, &estimate, &job, &error)) {
        matrix_lengths(&job, &estimate, app->compute.constants, &view->matrix);
        view->filled = true;
    }
}

/* The cursor starts on what the answers ask for. */
static void place_cursor(const struct app *app, struct matrix_view *view)
{
    const struct plan *plan = app_plan(app);
    const struct gpu *best = plan && plan->offer_count ? plan->offers[0].hardware.gpu : NULL;
    for (int row = 0; row < view->matrix.rows && view->kind == MATRIX_METHODS && best; row++)
        if (strcmp(view->matrix.row_heads[row].name, best->id) == 0)
            view->rows.cursor = row; /* no GPU was asked for: that of the first offer */
    for (int row = 0; row < view->matrix.rows; row++)
        if (view->matrix.row_heads[row].asked)
            view->rows.cursor = row;
    for (int col = 0; col < view->matrix.cols; col++)
        if (view->matrix.col_heads[col].asked)
            view->col = col;
}

static void fill(struct app *app, struct matrix_view *view)
{
    arena_reset(view->arena);
    view->filled = false;
    if (view->kind == MATRIX_METHODS && app_plan(app)) {
        matrix_methods(app->compute.catalog, app->compute.constants, &app->shown,
                       app->compute.today, view->arena, &view->matrix);
        view->filled = view->matrix.cols > 0;
    } else if (view->kind == MATRIX_LENGTHS && app_plan(app)) {
        fill_lengths(app, view);
    }
    view->serial = app->computed->serial;
}

static int body_rows(struct rect area)
{
    return area.rows > 8 ? area.rows - 6 : 2;
}

static void matrix_open(struct app *app, void *state, int argument)
{
    struct matrix_view *view = state;
    (void)argument;
    view->arena = arena_new();
    if (app->computed)
        fill(app, view);
    place_cursor(app, view);
}

static void matrix_close(struct app *app, void *state)
{
    (void)app;
    arena_free(((struct matrix_view *)state)->arena);
}

/* Cells of a column: room for the cost too, where there is any. */
static int cell_width(const struct matrix_view *view, struct rect area)
{
    if (view->kind == MATRIX_LENGTHS || view->matrix.cols < 1)
        return CELL;
    int width = (area.cols - HEAD) / view->matrix.cols;
    return width < CELL ? CELL : width > CELL_MAX ? CELL_MAX : width;
}

/* Columns that fit beside the heads of the rows. */
static int cols_shown(const struct matrix_view *view, struct rect area)
{
    int cols = (area.cols - HEAD) / cell_width(view, area);
    return cols > view->matrix.cols ? view->matrix.cols : cols > 1 ? cols : 1;
}

static void matrix_update(struct app *app, void *state)
{
    struct matrix_view *view = state;
    if (view->serial != app->computed->serial)
        fill(app, view);
    list_keep(&view->rows, view->matrix.rows, body_rows(app_area(app)));
    if (view->col >= view->matrix.cols)
        view->col = view->matrix.cols > 0 ? view->matrix.cols - 1 : 0;
    view->first_col =
        scroll_top(view->first_col, view->col, view->matrix.cols, cols_shown(view, app_area(app)));
}

/* The next GPU that something is offered on. */
static void next_gpu(struct app *app, struct matrix_view *view)
{
    int at = -1;
    for (int i = 0; i < app->gpu_row_count; i++)
        if (app->gpu_rows[i].gpu == view->gpu)
            at = i;
    for (int i = 1; i <= app->gpu_row_count; i++) {
        const struct gpu_row *row = &app->gpu_rows[(at + i) % app->gpu_row_count];
        if (row->offer) {
            view->gpu = row->gpu;
            break;
        }
    }
    fill(app, view);
}

/* The answers with the marked length and batch, or the marked method, put in. */
static bool with_cell(const struct app *app, const struct matrix_view *view,
                      struct scenario *changed, struct error *error)
{
    const struct matrix_head *row = &view->matrix.row_heads[view->rows.cursor],
                             *col = &view->matrix.col_heads[view->col];
    bool serving = view->matrix.workload == WORKLOAD_INFERENCE;
    const struct catalog *catalog = app->compute.catalog;
    char length[UNITS_TEXT], batch[UNITS_TEXT];
    memcpy(changed, &app->scenario, sizeof *changed);
    if (view->kind == MATRIX_LENGTHS)
        return scenario_set(changed, serving ? FIELD_CONTEXT : FIELD_SEQ_LEN,
                            units_plain(row->value, length), catalog, app->arena, error) &&
               scenario_set(changed, serving ? FIELD_CONCURRENCY : FIELD_MICRO_BATCH,
                            units_plain(col->value, batch), catalog, app->arena, error);
    for (int i = 0; i < 2 && col->pairs[i]; i++)
        if (!scenario_set_pair(changed, col->pairs[i], catalog, app->arena, error))
            return false;
    return true;
}

static void take_cell(struct app *app, struct matrix_view *view)
{
    struct scenario changed;
    struct error error;
    if (!view->filled || view->rows.cursor >= view->matrix.rows || view->col >= view->matrix.cols)
        return;
    if (!with_cell(app, view, &changed, &error)) {
        app_say(app, true, "%s", error.message);
        return;
    }
    app_close(app);
    app_commit(app, &changed);
    app_say(app, false, tr("Taken over; u takes it back."));
}

static bool matrix_act(struct app *app, void *state, int action, const struct event *event)
{
    struct matrix_view *view = state;
    (void)event;
    if (list_act(&view->rows, action, view->matrix.rows, body_rows(app_area(app))))
        return true;
    switch (action) {
    case ACTION_LEFT:
        view->col -= view->col > 0;
        return true;
    case ACTION_RIGHT:
        view->col += view->col + 1 < view->matrix.cols;
        return true;
    case ACTION_MATRIX:
        view->kind = (enum matrix_kind)((view->kind + 1) % MATRIX_KINDS);
        fill(app, view);
        place_cursor(app, view);
        return true;
    case ACTION_NEXT_GPU:
        if (view->kind == MATRIX_LENGTHS)
            next_gpu(app, view);
        else
            app_say(app, false, tr("This table has all GPUs; m shows the one by length."));
        return true;
    case ACTION_SAVE_REPORT:
        app_open(app, SCREEN_PATH, ACTION_MATRIX);
        return true;
    case ACTION_ENTER:
        take_cell(app, view);
        return true;
    default:
        return false;
    }
}

/* ---- drawing ---- */

static void draw_cell(const struct matrix_view *view, int row, int col, struct canvas *canvas,
                      struct rect at)
{
    static const char *const marks[] = {"✓", "~", "✗"};
    const struct matrix_cell *cell = &view->matrix.cells[row][col];
    char text[64], number[UNITS_TEXT];
    int line = at.row;
    bool with_cost = view->kind == MATRIX_METHODS && at.cols >= CELL_WITH_COST;
    int need = with_cost ? CELL : at.cols;
    if (!cell->possible) {
        snprintf(text, sizeof text, "- %s",
                 cell->reason < EXCLUDED_COUNT ? tr(exclusion_labels[cell->reason]) : "");
        canvas_field(canvas, line, at.col, need - 1, TEXT_RIGHT, ROLE_DIM, text);
        return;
    }
    if (view->kind == MATRIX_METHODS)
        snprintf(text, sizeof text, "%d x %s", cell->gpus, units_gib(cell->need_gib, number));
    else
        snprintf(text, sizeof text, "%s", units_gib(cell->need_gib, number));
    canvas_field(canvas, line, at.col, need - 3, TEXT_RIGHT,
                 cell->verdict == VERDICT_NO ? ROLE_DIM : ROLE_TEXT, text);
    canvas_text(canvas, line, at.col + need - 2, 1, verdict_role(cell->verdict),
                marks[cell->verdict]);
    if (with_cost && !isnan(cell->cny))
        canvas_field(canvas, line, at.col + need, at.cols - need - 1, TEXT_RIGHT, ROLE_DIM,
                     units_cny(cell->cny, number));
}

static void draw_heads(const struct matrix_view *view, struct canvas *canvas, struct rect area,
                       int cols, int width)
{
    bool lengths = view->kind == MATRIX_LENGTHS;
    canvas_field(canvas, area.row, area.col, HEAD - 2, lengths ? TEXT_RIGHT : TEXT_LEFT, ROLE_DIM,
                 lengths ? tr("tokens") : tr("GPU"));
    for (int i = 0; i < cols; i++) {
        struct strbuf text = {0};
        int col = view->first_col + i;
        matrix_col_text(&view->matrix, col, &text);
        canvas_field(canvas, area.row, area.col + HEAD + i * width, width - 1, TEXT_RIGHT,
                     view->matrix.col_heads[col].asked ? ROLE_ACCENT : ROLE_TITLE,
                     strbuf_text(&text));
        strbuf_clear(&text);
    }
}

static void draw_body(const struct matrix_view *view, struct canvas *canvas, struct rect area,
                      int cols, int width)
{
    const struct matrix *matrix = &view->matrix;
    for (int i = 0; i < area.rows && view->rows.top + i < matrix->rows; i++) {
        struct strbuf text = {0};
        int row = view->rows.top + i, line = area.row + i;
        matrix_row_text(matrix, row, &text);
        canvas_field(canvas, line, area.col, HEAD - 2,
                     view->kind == MATRIX_LENGTHS ? TEXT_RIGHT : TEXT_LEFT,
                     matrix->row_heads[row].asked ? ROLE_ACCENT : ROLE_TITLE, strbuf_text(&text));
        strbuf_clear(&text);
        for (int k = 0; k < cols; k++)
            draw_cell(view, row, view->first_col + k, canvas,
                      (struct rect){line, area.col + HEAD + k * width, 1, width});
        if (row == view->rows.cursor) {
            int at = area.col + HEAD + (view->col - view->first_col) * width;
            canvas_select(canvas, line, at, width);
            canvas_cursor(canvas, line, at, false);
        }
    }
}

/* One sentence about the cell under the cursor. */
static void draw_about(const struct matrix_view *view, struct canvas *canvas, struct rect area)
{
    const struct matrix *matrix = &view->matrix;
    const struct matrix_cell *cell = &matrix->cells[view->rows.cursor][view->col];
    struct strbuf text = {0};
    char need[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], usable[UNITS_TEXT];
    if (cell->possible) {
        strbuf_printf(&text, tr("%s GiB (%s to %s) of %s: %s"), units_gib(cell->need_gib, need),
                      units_gib(cell->low_gib, low), units_gib(cell->high_gib, high),
                      units_gib(cell->usable_gib, usable), verdict_word(cell->verdict));
        if (!isnan(cell->cny))
            strbuf_printf(&text, tr(", %s%s"), yuan_sign(canvas), units_cny(cell->cny, need));
    } else {
        strbuf_add(&text, cell->why);
    }
    canvas_text(canvas, area.row, area.col, area.cols,
                cell->possible ? verdict_role(cell->verdict) : ROLE_WARN, strbuf_text(&text));
    strbuf_clear(&text);
    if (matrix_turned_down(cell)) {
        canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_DIM,
                    tr("tight over the usable GiB: it starts with the engine's limits turned down, "
                       "or sequences wait."));
        return;
    }
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_DIM,
                tr("✓ fits with its whole band   ~ tight: the expected need fits   ✗ too big"));
}

static void draw_longest(const struct matrix_view *view, struct canvas *canvas, int line,
                         struct rect area, int cols)
{
    char text[UNITS_TEXT];
    canvas_field(canvas, line, area.col, HEAD - 2, TEXT_RIGHT, ROLE_DIM, tr("longest"));
    for (int i = 0; i < cols; i++) {
        double longest = view->matrix.longest[view->first_col + i];
        canvas_field(canvas, line, area.col + HEAD + i * CELL, CELL - 3, TEXT_RIGHT,
                     longest > 0 ? ROLE_GOOD : ROLE_DIM,
                     longest > 0 ? units_thousands(longest, text) : "-");
    }
}

static void matrix_draw(const struct app *app, const void *state, struct canvas *canvas,
                        struct rect area)
{
    const struct matrix_view *view = state;
    char text[700];
    struct strbuf basis = {0};
    if (!view->filled) {
        canvas_wrapped(canvas, area, 0, ROLE_BAD,
                       app->computed->ok ? tr("There is nothing to lay out.")
                                         : error_text(&app->computed->error, text, sizeof text));
        return;
    }
    canvas_printf(canvas, area.row, area.col, area.cols, ROLE_TITLE,
                  view->kind == MATRIX_LENGTHS ? tr("Memory of %s by length")
                                               : tr("Memory of %s by GPU and method"),
                  view->matrix.model);
    matrix_basis_text(&view->matrix, &basis);
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_DIM, strbuf_text(&basis));
    strbuf_clear(&basis);
    int cols = cols_shown(view, area), width = cell_width(view, area);
    draw_heads(view, canvas, rect_below(area, 2), cols, width);
    int rows = body_rows(area) < view->matrix.rows ? body_rows(area) : view->matrix.rows;
    draw_body(view, canvas, rect_top(rect_below(area, 3), rows), cols, width);
    int line = area.row + 3 + rows;
    if (view->kind == MATRIX_LENGTHS)
        draw_longest(view, canvas, line, area, cols);
    bool roomy = area.rows - rows > 8;
    draw_about(view, canvas, rect_below(area, line - area.row + 1 + roomy));
    list_position(canvas, area.row, area.col + area.cols, &view->rows, view->matrix.rows, rows);
}

static void matrix_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct matrix_view *view = state;
    (void)app;
    int index = view->rows.top + row - area.row - 3,
        across = view->first_col + (col - area.col - HEAD) / cell_width(view, area);
    if (row - area.row < 3 || row - area.row - 3 >= body_rows(area) || index >= view->matrix.rows)
        return;
    view->rows.cursor = index;
    if (col >= area.col + HEAD && across < view->matrix.cols)
        view->col = across;
}

const struct screen matrix_screen = {
    .name = N_("Table of memory"),
    .state_size = sizeof(struct matrix_view),
    .open = matrix_open,
    .close = matrix_close,
    .update = matrix_update,
    .draw = matrix_draw,
    .act = matrix_act,
    .click = matrix_click,
};

bool matrix_page(const struct app *app, const char *path, struct strbuf *out)
{
    const struct matrix_view *view = app_state_of(app, SCREEN_MATRIX);
    struct arena *arena = arena_new();
    size_t length = strlen(path);
    if (view && view->filled && length > 4 && strcmp(path + length - 4, ".csv") == 0) {
        struct table table;
        report_matrix_table(&view->matrix, arena, &table);
        table_write_csv(&table, true, out);
    } else if (view && view->filled) {
        struct report report;
        report_matrix(&view->matrix, arena, &report);
        report_write_text(&report, out);
    }
    arena_free(arena);
    return out->length > 0;
}
