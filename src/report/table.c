#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

void table_init(struct table *table, struct arena *arena)
{
    *table = (struct table){.arena = arena};
}

void table_column(struct table *table, const char *key, const char *heading, enum text_align align)
{
    if (table->column_count < TABLE_COLUMNS)
        table->columns[table->column_count++] =
            (struct table_column){key, arena_strdup(table->arena, heading), align};
}

static void add(struct table *table, struct table_cell cell)
{
    if (table->cell_count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 256;
        struct table_cell *cells = ARENA_ARRAY(table->arena, struct table_cell, capacity);
        if (table->cells)
            memcpy(cells, table->cells, table->cell_count * sizeof *cells);
        table->cells = cells;
        table->capacity = capacity;
    }
    table->cells[table->cell_count++] = cell;
}

void table_text(struct table *table, const char *text)
{
    add(table, (struct table_cell){.text = arena_strdup(table->arena, text ? text : "")});
}

void table_word(struct table *table, const char *word, const char *text)
{
    add(table, (struct table_cell){.text = arena_strdup(table->arena, text),
                                   .word = arena_strdup(table->arena, word)});
}

void table_number(struct table *table, double number, const char *text)
{
    add(table, (struct table_cell){
                   .text = arena_strdup(table->arena, text), .number = number, .numeric = true});
}

void table_plain(struct table *table, double number)
{
    char text[UNITS_TEXT];
    double shown = number;
    if (isfinite(number) && number != rint(number)) {
        snprintf(text, sizeof text, "%.4g", number);
        shown = strtod(text, NULL);
    }
    table_number(table, number, units_plain(shown, text));
}

size_t table_rows(const struct table *table)
{
    return table->column_count ? table->cell_count / (size_t)table->column_count : 0;
}

const struct table_cell *table_at(const struct table *table, size_t row, int column)
{
    return &table->cells[row * (size_t)table->column_count + (size_t)column];
}

int table_width(const struct table *table, int column)
{
    int widest = text_width(table->columns[column].heading);
    for (size_t row = 0; row < table_rows(table); row++) {
        int width = text_width(table_at(table, row, column)->text);
        if (width > widest)
            widest = width;
    }
    return widest;
}

void table_first_columns(const struct table *table, int count, struct table *out)
{
    table_init(out, table->arena);
    for (int i = 0; i < count; i++)
        out->columns[out->column_count++] = table->columns[i];
    for (size_t row = 0; row < table_rows(table); row++)
        for (int i = 0; i < count; i++)
            add(out, *table_at(table, row, i));
}
