/* report_text.c - a report as text of at most 80 cells: no box drawing, no colour, no tabs. */
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { BAR_CELLS = 60, BAR_OVERFLOW = 12, COLUMN_GAP = 2, LEAST_CELLS = 6 };

static void add_repeated(struct strbuf *out, char c, int count)
{
    while (count-- > 0)
        strbuf_add_n(out, &c, 1);
}

/* Ends a line: spaces before the newline are of no use to anybody. */
static void end_line(struct strbuf *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    strbuf_add(out, "\n");
}

/* `text` wrapped: the first line after `first`, the others under its text. */
static void add_wrapped(struct strbuf *out, const char *first, const char *text, int width)
{
    int indent = text_width(first);
    strbuf_add(out, first);
    for (size_t length; (length = text_wrap(text, width - indent)) > 0;) {
        strbuf_add_n(out, text, length);
        end_line(out);
        text += length;
        text += strspn(text, " \n");
        if (*text)
            add_repeated(out, ' ', indent);
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The cells each column gets so that the whole fits: the last column of words gives way first, then
 * the widest of the others. */
static void fit_columns(const struct table *table, int width, int *cells)
{
    int last = table->column_count - 1, total = COLUMN_GAP * last;
    for (int i = 0; i <= last; i++)
        total += cells[i] = table_width(table, i);
    while (total > width) {
        int give = 0;
        for (int i = 1; i <= last; i++)
            if (cells[i] > cells[give])
                give = i;
        if (table->columns[last].align == TEXT_LEFT && cells[last] > 4 * LEAST_CELLS)
            give = last;
        if (cells[give] <= LEAST_CELLS)
            break;
        cells[give]--;
        total--;
    }
}

/* One row; the last column's words continue on further lines. */
static void add_row(struct strbuf *out, const struct table *table, const char *const *texts,
                    const int *cells, int indent)
{
    int last = table->column_count - 1, before = indent;
    const char *rest = texts[last];
    bool wraps = table->columns[last].align == TEXT_LEFT;
    add_repeated(out, ' ', indent);
    for (int i = 0; i < last + !wraps; i++) {
        text_add_padded(out, texts[i], cells[i], table->columns[i].align);
        add_repeated(out, ' ', COLUMN_GAP);
        before += cells[i] + COLUMN_GAP;
    }
    while (wraps && *rest) {
        size_t length = text_wrap(rest, cells[last]);
        strbuf_add_n(out, rest, length);
        rest += length;
        rest += strspn(rest, " \n");
        if (*rest) {
            end_line(out);
            add_repeated(out, ' ', before);
        }
    }
    end_line(out);
}

void table_write_text(const struct table *table, int width, int indent, struct strbuf *out)
{
    int cells[TABLE_COLUMNS];
    const char *texts[TABLE_COLUMNS];
    if (table->column_count == 0)
        return;
    fit_columns(table, width - indent, cells);
    for (int i = 0; i < table->column_count; i++)
        texts[i] = table->columns[i].heading;
    add_row(out, table, texts, cells, indent);
    add_repeated(out, ' ', indent);
    for (int i = 0; i < table->column_count; i++) {
        add_repeated(out, '-', cells[i]);
        add_repeated(out, ' ', COLUMN_GAP);
    }
    end_line(out);
    for (size_t row = 0; row < table_rows(table); row++) {
        for (int i = 0; i < table->column_count; i++)
            texts[i] = table_at(table, row, i)->text;
        add_row(out, table, texts, cells, indent);
    }
}

/* ---- the other blocks ------------------------------------------------------------------------ */

/* "[####==--......]"; what is over the capacity stands right of the bracket. */
static void add_bar(struct strbuf *out, const struct bar *bar)
{
    double share = 0;
    int used = 0, segment = 0;
    strbuf_add(out, "  [");
    for (; segment < bar->count; segment++) {
        share += bar->segments[segment].share;
        int end = (int)fmin(rint(share * BAR_CELLS), BAR_CELLS + BAR_OVERFLOW);
        for (; used < end; used++) {
            if (used == BAR_CELLS)
                strbuf_add(out, "]");
            strbuf_add_n(out, &bar->segments[segment].fill, 1);
        }
    }
    add_repeated(out, '.', BAR_CELLS - used);
    strbuf_add(out, used > BAR_CELLS ? "" : "]");
    end_line(out);

    struct strbuf legend = {0};
    for (int i = 0; i < bar->count; i++)
        strbuf_printf(&legend, "%s%c %s", i ? "   " : "", bar->segments[i].fill,
                      bar->segments[i].label);
    add_wrapped(out, "  ", strbuf_text(&legend), REPORT_WIDTH);
    strbuf_clear(&legend);
}

/* Bytes up to the next place where a shell command may be broken: a space outside quotes before
 * an option, or a space inside quotes (a map of YAML, which does not mind a newline). */
static size_t command_part(const char *command, bool *quoted)
{
    size_t length = 0;
    do {
        *quoted ^= command[length] == '\'';
        length++;
    } while (command[length] &&
             !(command[length] == ' ' && (*quoted || strncmp(command + length, " --", 3) == 0)));
    return length;
}

static void add_command(struct strbuf *out, const char *command)
{
    int used = 0;
    bool quoted = false;
    while (*command) {
        bool inside = quoted;
        size_t length = command_part(command, &quoted);
        if (used > 0 && used + (int)length > REPORT_WIDTH - 2) {
            strbuf_add(out, inside ? "\n" : " \\\n");
            used = 0;
            command++; /* the space */
            length--;
        }
        if (used == 0) {
            strbuf_add(out, "  ");
            used = 2;
        }
        strbuf_add_n(out, command, length);
        used += (int)length;
        command += length;
    }
    strbuf_add(out, "\n");
}

void report_write_text(const struct report *report, struct strbuf *out)
{
    enum block_kind before = BLOCK_TITLE;
    for (const struct report_block *block = report->first; block; block = block->next) {
        if (out->length && (block->kind == BLOCK_HEADING || block->kind == BLOCK_TABLE) &&
            before != BLOCK_HEADING)
            strbuf_add(out, "\n");
        switch (block->kind) {
        case BLOCK_TITLE:
            add_wrapped(out, "", block->text, REPORT_WIDTH);
            add_repeated(out, '=', REPORT_WIDTH - 1);
            strbuf_add(out, "\n");
            break;
        case BLOCK_HEADING:
            add_wrapped(out, "", block->text, REPORT_WIDTH);
            add_repeated(out, '-', REPORT_WIDTH - 1);
            strbuf_add(out, "\n");
            break;
        case BLOCK_LEAD: add_wrapped(out, "", block->text, REPORT_WIDTH); break;
        case BLOCK_TEXT: add_wrapped(out, "  ", block->text, REPORT_WIDTH); break;
        case BLOCK_ITEM: add_wrapped(out, "  - ", block->text, REPORT_WIDTH); break;
        case BLOCK_TABLE: table_write_text(block->table, REPORT_WIDTH, 2, out); break;
        case BLOCK_BAR: add_bar(out, block->bar); break;
        case BLOCK_COMMAND: add_command(out, block->text); break;
        }
        before = block->kind;
    }
}
