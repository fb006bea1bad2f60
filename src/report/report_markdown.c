/* report_markdown.c - a report as Markdown whose source reads well too. */
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Characters that Markdown would take as markup. */
static void add_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_<>|#", *text))
            strbuf_add(out, "\\");
        strbuf_add_n(out, *text == '\n' ? " " : text, 1);
    }
}

/* A cell escaped, as a text to measure and pad. */
static const char *escaped_cell(const struct table *table, const char *text)
{
    struct strbuf escaped = {0};
    add_escaped(&escaped, text);
    const char *copy = arena_strdup(table->arena, strbuf_text(&escaped));
    strbuf_clear(&escaped);
    return copy;
}

static void add_rule(struct strbuf *out, const struct table *table, const int *cells)
{
    for (int i = 0; i < table->column_count; i++) {
        bool right = table->columns[i].align == TEXT_RIGHT;
        strbuf_add(out, "| ");
        for (int k = 0; k < cells[i] - right; k++)
            strbuf_add(out, "-");
        strbuf_add(out, right ? ": " : " ");
    }
    strbuf_add(out, "|\n");
}

void table_write_markdown(const struct table *table, struct strbuf *out)
{
    size_t start = out->length;
    int cells[TABLE_COLUMNS];
    size_t rows = table_rows(table), columns = (size_t)table->column_count;
    const char **texts = ARENA_ARRAY(table->arena, const char *, (rows + 1) * columns);
    for (size_t i = 0; i < (rows + 1) * columns; i++)
        texts[i] = escaped_cell(table, i < columns ? table->columns[i].heading
                                                   : table->cells[i - columns].text);
    for (size_t i = 0; i < columns; i++) {
        cells[i] = 3;
        for (size_t row = 0; row <= rows; row++)
            if (text_width(texts[row * columns + i]) > cells[i])
                cells[i] = text_width(texts[row * columns + i]);
    }
    for (size_t row = 0; row <= rows; row++) {
        for (size_t i = 0; i < columns; i++) {
            strbuf_add(out, "| ");
            text_add_padded(out, texts[row * columns + i], cells[i], table->columns[i].align);
            strbuf_add(out, " ");
        }
        strbuf_add(out, "|\n");
        if (row == 0)
            add_rule(out, table, cells);
    }
    text_drop_controls(out, start);
}

static void add_bar(struct strbuf *out, const struct bar *bar)
{
    for (int i = 0; i < bar->count; i++) {
        strbuf_add(out, i ? ", " : "");
        add_escaped(out, bar->segments[i].label);
        strbuf_printf(out, " (%.0f %%)", 100 * bar->segments[i].share);
    }
    strbuf_add(out, "\n");
}

void report_write_markdown(const struct report *report, struct strbuf *out)
{
    size_t start = out->length;
    static const char *const prefixes[] = {
        [BLOCK_TITLE] = "# ", [BLOCK_HEADING] = "## ", [BLOCK_LEAD] = "**",
        [BLOCK_TEXT] = "",    [BLOCK_ITEM] = "- ",
    };
    for (const struct report_block *block = report->first; block; block = block->next) {
        bool list = block->kind == BLOCK_ITEM && block->next && block->next->kind == BLOCK_ITEM;
        switch (block->kind) {
        case BLOCK_TABLE:
            table_write_markdown(block->table, out);
            break;
        case BLOCK_BAR:
            add_bar(out, block->bar);
            break;
        case BLOCK_COMMAND:
            strbuf_printf(out, "```sh\n%s\n```\n", block->text);
            break;
        default:
            strbuf_add(out, prefixes[block->kind]);
            add_escaped(out, block->text);
            strbuf_add(out, block->kind == BLOCK_LEAD ? "**\n" : "\n");
        }
        strbuf_add(out, list || !block->next ? "" : "\n");
    }
    text_drop_controls(out, start);
}
