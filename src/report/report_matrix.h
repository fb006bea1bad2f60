/* report_matrix.h - the tables of engine/matrix.h on a page, and one row a cell for programs. */
#ifndef GPUWIZ_REPORT_MATRIX_H
#define GPUWIZ_REPORT_MATRIX_H

#include "engine/matrix.h"
#include "report/report.h"

/* "1,024", "a100-80", "QLoRA, 4-bit", "4 users": what stands at the left of a row or above a
 * column. */
void matrix_row_text(const struct matrix *matrix, int row, struct strbuf *out);
void matrix_col_text(const struct matrix *matrix, int col, struct strbuf *out);

/* "38.2 fits", "2 x 20.1 tight", "- memory". */
void matrix_cell_text(const struct matrix *matrix, int row, int col, struct strbuf *out);

/* True when it needs more than the card has at the engine's defaults, and yet starts. */
bool matrix_turned_down(const struct matrix_cell *cell);

/* What all cells share: "One of 2 x A100 SXM4 80GB in ecs.gn7e-c16g1.8xlarge, TP2" for lengths. */
void matrix_basis_text(const struct matrix *matrix, struct strbuf *out);

/* The page, to be written as text, Markdown or HTML. */
void report_matrix(const struct matrix *matrix, struct arena *arena, struct report *report);

/* For CSV and JSON: one row a cell. */
void report_matrix_table(const struct matrix *matrix, struct arena *arena, struct table *table);

#endif
