/* table.h - rows and columns of text and numbers on their way to a page or to another program.
 * Built once, written as aligned text, Markdown, HTML, CSV or JSON by the files beside this one. */
#ifndef GPUWIZ_TABLE_H
#define GPUWIZ_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/text.h"

enum { TABLE_COLUMNS = 48 };

struct table_column {
    const char *key;      /* in CSV and JSON; NULL in tables that are only for people */
    const char *heading;  /* translated */
    enum text_align align;
};

struct table_cell {
    const char *text;     /* for people */
    const char *word;     /* for machines instead of it; NULL = the same */
    double number;        /* for machines, when `numeric`; NAN = not known */
    bool numeric;
};

struct table {
    struct arena *arena;
    struct table_column columns[TABLE_COLUMNS];
    int column_count;
    struct table_cell *cells; /* row after row */
    size_t cell_count, capacity;
};

/* An empty table; everything added is copied into `arena`. */
void table_init(struct table *table, struct arena *arena);

/* All columns first, then cells from left to right, row after row. */
void table_column(struct table *table, const char *key, const char *heading, enum text_align align);
void table_text(struct table *table, const char *text);     /* NULL = "" */
void table_word(struct table *table, const char *word, const char *text); /* key, and in words */
void table_number(struct table *table, double number, const char *text);
void table_plain(struct table *table, double number); /* four digits for people unless it is whole */

size_t table_rows(const struct table *table);
const struct table_cell *table_at(const struct table *table, size_t row, int column);

/* The same rows with the first `count` columns only. */
void table_first_columns(const struct table *table, int count, struct table *out);

/* The widest text of a column in cells, its heading included. */
int table_width(const struct table *table, int column);

/* ---- writers -------------------------------------------------------------------------------- */

/* Aligned columns, at most `width` cells a line: columns of words wrap, figures are clipped when
 * nothing else helps. Each line starts with `indent` spaces. */
void table_write_text(const struct table *table, int width, int indent, struct strbuf *out);

/* A pipe table, padded so that its source can be read too. */
void table_write_markdown(const struct table *table, struct strbuf *out);

void table_write_html(const struct table *table, struct strbuf *out);

/* RFC 4180 with a header row and CRLF. `bom` starts it with a byte-order mark, which spreadsheets
 * need to see UTF-8 in a file. Words that a spreadsheet would run as a formula get a leading '. */
void table_write_csv(const struct table *table, bool bom, struct strbuf *out);

/* One array of objects; an unknown number is null. */
void table_write_json(const struct table *table, struct strbuf *out);

#endif
