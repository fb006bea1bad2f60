/* csv.c - tables for spreadsheets (RFC 4180). */
#include "report/table.h"

#include <math.h>
#include <string.h>
#include "base/units.h"

/* A cell that starts like this is run as a formula by spreadsheets (OWASP, "CSV injection"). */
static bool looks_like_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text) && strcmp(text, "-") != 0;
}

static void add_field(struct strbuf *out, const char *text)
{
    const char *escape = looks_like_formula(text) ? "'" : "";
    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_printf(out, "%s%s", escape, text);
        return;
    }
    strbuf_printf(out, "\"%s", escape);
    for (; *text; text++)
        strbuf_add_n(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_add(out, "\"");
}

void table_write_csv(const struct table *table, bool bom, struct strbuf *out)
{
    if (bom)
        strbuf_add(out, "\xEF\xBB\xBF");
    for (int i = 0; i < table->column_count; i++) {
        strbuf_add(out, i ? "," : "");
        add_field(out, table->columns[i].key);
    }
    strbuf_add(out, "\r\n");
    for (size_t row = 0; row < table_rows(table); row++) {
        for (int i = 0; i < table->column_count; i++) {
            const struct table_cell *cell = table_at(table, row, i);
            char number[UNITS_TEXT];
            strbuf_add(out, i ? "," : "");
            if (!cell->numeric)
                add_field(out, cell->word ? cell->word : cell->text);
            else if (isfinite(cell->number))
                strbuf_add(out, units_machine(cell->number, number));
        }
        strbuf_add(out, "\r\n");
    }
}
