/* report_matrix.c - memory by length and batch, and by GPU and method, on a page. */
#include "report/report_matrix.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"

/* ---- texts ---------------------------------------------------------------------------------- */

void matrix_row_text(const struct matrix *matrix, int row, struct strbuf *out)
{
    const struct matrix_head *head = &matrix->row_heads[row];
    char text[UNITS_TEXT];
    strbuf_add(out, head->name ? head->name : units_thousands(head->value, text));
}

void matrix_col_text(const struct matrix *matrix, int col, struct strbuf *out)
{
    const struct matrix_head *head = &matrix->col_heads[col];
    char text[UNITS_TEXT];
    if (head->name)
        strbuf_add(out, tr(head->name));
    else if (matrix->workload == WORKLOAD_INFERENCE)
        strbuf_printf(out, head->value == 1 ? tr("%s user") : tr("%s users"),
                      units_thousands(head->value, text));
    else
        strbuf_printf(out, tr("batch %s"), units_thousands(head->value, text));
}

/* Six batches leave no room for words within 80 cells. */
static const char verdict_marks[] = {[VERDICT_FITS] = '+', [VERDICT_TIGHT] = '~', [VERDICT_NO] = 'x'};

void matrix_cell_text(const struct matrix *matrix, int row, int col, struct strbuf *out)
{
    const struct matrix_cell *cell = &matrix->cells[row][col];
    char text[UNITS_TEXT];
    if (!cell->possible) {
        strbuf_printf(out, "- %s",
                      cell->reason < EXCLUDED_COUNT ? tr(exclusion_labels[cell->reason]) : "");
        return;
    }
    if (matrix->kind == MATRIX_METHODS)
        strbuf_printf(out, "%d x %s %s", cell->gpus, units_gib(cell->need_gib, text),
                      verdict_label(cell->verdict));
    else
        strbuf_printf(out, "%s %c", units_gib(cell->need_gib, text), verdict_marks[cell->verdict]);
}

void matrix_basis_text(const struct matrix *matrix, struct strbuf *out)
{
    if (matrix->kind == MATRIX_METHODS) {
        strbuf_add(out, tr("GPUs x GiB of each, CNY in all: the fewest GPUs, then the cheapest."));
        return;
    }
    strbuf_printf(out, tr("GiB on each of %d x %s"), matrix->gpus, matrix->gpu->id);
    if (matrix->instance && matrix->nodes > 1)
        strbuf_printf(out, tr(", %d x %s"), matrix->nodes, matrix->instance->type);
    else if (matrix->instance)
        strbuf_printf(out, tr(", %s"), matrix->instance->type);
    if (matrix->gpus > 1) {
        strbuf_add(out, ", ");
        layout_format(&matrix->layout, out);
    }
    if (matrix->workload == WORKLOAD_INFERENCE)
        strbuf_add(out, tr(", each user's context full"));
    else
        strbuf_printf(out, tr(", recompute %s"), recompute_names[matrix->layout.recompute]);
}

bool matrix_turned_down(const struct matrix_cell *cell)
{
    return cell->possible && cell->verdict == VERDICT_TIGHT && cell->need_gib > cell->usable_gib;
}

static bool any_turned_down(const struct matrix *matrix)
{
    for (int row = 0; row < matrix->rows; row++)
        for (int col = 0; col < matrix->cols; col++)
            if (matrix_turned_down(&matrix->cells[row][col]))
                return true;
    return false;
}

/* A text function's result in the arena. */
static const char *in_arena(struct arena *arena, struct strbuf *text)
{
    const char *copy = arena_strdup(arena, strbuf_text(text));
    strbuf_clear(text);
    return copy;
}

static const char *row_name(const struct matrix *matrix, int row, struct arena *arena)
{
    struct strbuf text = {0};
    matrix_row_text(matrix, row, &text);
    return in_arena(arena, &text);
}

static const char *col_name(const struct matrix *matrix, int col, struct arena *arena)
{
    struct strbuf text = {0};
    matrix_col_text(matrix, col, &text);
    return in_arena(arena, &text);
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_cells(const struct matrix *matrix, int row, struct table *table,
                      struct arena *arena)
{
    for (int col = 0; col < matrix->cols; col++) {
        const struct matrix_cell *cell = &matrix->cells[row][col];
        struct strbuf text = {0};
        char cny[UNITS_TEXT];
        matrix_cell_text(matrix, row, col, &text);
        if (!isnan(cell->cny))
            strbuf_printf(&text, tr(", %s"), units_cny(cell->cny, cny));
        if (matrix->row_heads[row].asked && matrix->col_heads[col].asked)
            strbuf_add(&text, "*");
        table_text(table, in_arena(arena, &text));
    }
}

static void add_longest(const struct matrix *matrix, struct table *table, struct arena *arena)
{
    char text[UNITS_TEXT];
    table_text(table, tr("longest"));
    for (int col = 0; col < matrix->cols; col++)
        table_text(table, matrix->longest[col] > 0
                              ? arena_strdup(arena, units_thousands(matrix->longest[col], text))
                              : "-");
}

void report_matrix(const struct matrix *matrix, struct arena *arena, struct report *report)
{
    bool lengths = matrix->kind == MATRIX_LENGTHS;
    struct strbuf basis = {0};
    *report = (struct report){.arena = arena};
    report_addf(report, BLOCK_TITLE,
                lengths ? tr("Memory of %s by length") : tr("Memory of %s by GPU and method"),
                matrix->model);
    matrix_basis_text(matrix, &basis);
    report_add(report, BLOCK_TEXT, in_arena(arena, &basis));
    struct table *table = report_add_table(report);
    table_column(table, NULL, lengths ? tr("tokens") : tr("GPU"), lengths ? TEXT_RIGHT : TEXT_LEFT);
    for (int col = 0; col < matrix->cols; col++)
        table_column(table, NULL, col_name(matrix, col, arena), lengths ? TEXT_RIGHT : TEXT_LEFT);
    for (int row = 0; row < matrix->rows; row++) {
        table_text(table, row_name(matrix, row, arena));
        add_cells(matrix, row, table, arena);
    }
    if (lengths) {
        add_longest(matrix, table, arena);
        report_add(report, BLOCK_TEXT,
                   tr("longest = the most tokens that fit with room for the uncertainty. * = what "
                      "the answers ask for."));
    }
    report_add(report, BLOCK_TEXT,
               lengths ? tr("+ fits: the whole band fits; ~ tight: the expected need fits, the "
                            "band does not; x no fit: too big.")
                       : tr("fits: the whole band fits; tight: the expected need fits, the band "
                            "does not; no fit: too big."));
    if (any_turned_down(matrix))
        report_add(report, BLOCK_TEXT,
                   tr("tight over the usable GiB: it starts with the engine's "
                      "limits turned down, or sequences wait."));
}

/* ---- for programs --------------------------------------------------------------------------- */

void report_matrix_table(const struct matrix *matrix, struct arena *arena, struct table *table)
{
    bool lengths = matrix->kind == MATRIX_LENGTHS;
    table_init(table, arena);
    table_column(table, lengths ? "tokens" : "gpu", lengths ? tr("tokens") : tr("GPU"),
                 lengths ? TEXT_RIGHT : TEXT_LEFT);
    const char *across = !lengths                                 ? "method"
                         : matrix->workload == WORKLOAD_INFERENCE ? "concurrency"
                                                                  : "micro_batch";
    table_column(table, across, across, lengths ? TEXT_RIGHT : TEXT_LEFT);
    table_column(table, "gpus", tr("GPUs"), TEXT_RIGHT);
    table_column(table, "need_gib", tr("Need"), TEXT_RIGHT);
    table_column(table, "low_gib", tr("low"), TEXT_RIGHT);
    table_column(table, "high_gib", tr("high"), TEXT_RIGHT);
    table_column(table, "usable_gib", tr("Usable"), TEXT_RIGHT);
    table_column(table, "verdict", tr("Verdict"), TEXT_LEFT);
    table_column(table, "cost_cny", tr("Cost"), TEXT_RIGHT);
    table_column(table, "reason", tr("Reason"), TEXT_LEFT);
    for (int row = 0; row < matrix->rows; row++)
        for (int col = 0; col < matrix->cols; col++) {
            const struct matrix_cell *cell = &matrix->cells[row][col];
            if (lengths) {
                table_plain(table, matrix->row_heads[row].value);
                table_plain(table, matrix->col_heads[col].value);
            } else {
                table_text(table, matrix->row_heads[row].name);
                table_text(table, matrix->col_heads[col].name);
            }
            const double figures[] = {cell->gpus, cell->need_gib, cell->low_gib, cell->high_gib,
                                      cell->usable_gib};
            for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
                table_plain(table, cell->possible ? figures[i] : NAN);
            table_text(table, cell->possible ? verdict_names[cell->verdict] : "");
            table_plain(table, cell->cny);
            table_text(table, cell->why);
        }
}
