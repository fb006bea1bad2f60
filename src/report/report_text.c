/* report_text.c - a report as text of at most 80 cells: no box drawing, no colour, no tabs. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_CELLS = 60, BAR_OVERFLOW = 12, COLUMN_GAP = 2, LEAST_CELLS = 6, WHOLE_CELLS = 8 };

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

/* How columns are laid out: the cells of each, and the spaces between them. */
struct grid {
    int cells[TABLE_COLUMNS];
    int floors[TABLE_COLUMNS]; /* narrower than its longest word a column breaks words */
    int gap;
};

static int longest_word(const char *text)
{
    int longest = 0;
    if (text_width(text) <= WHOLE_CELLS) /* a verdict in two lines is not read as one */
        return text_width(text);
    while (*text) {
        /* Chinese breaks between characters: its words are one character long */
        bool ascii = (unsigned char)*text < 0x80;
        size_t length = ascii ? strcspn(text, " \n") : text_wrap(text, 1);
        char word[200];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (text_width(word) > longest)
            longest = text_width(word);
        text += length;
        text += strspn(text, " \n");
    }
    return longest;
}

static int column_floor(const struct table *table, int column)
{
    int floor = longest_word(table->columns[column].heading);
    for (size_t row = 0; row < table_rows(table); row++) {
        int word = longest_word(table_at(table, row, column)->text);
        floor = word > floor ? word : floor;
    }
    return floor;
}

/* The widest column that is wider than its floor; -1 when there is none. */
static int widest(const struct table *table, const int *cells, const int *floors,
                  enum text_align align)
{
    int found = -1;
    for (int i = 0; i < table->column_count; i++)
        if (table->columns[i].align == align && cells[i] > floors[i] &&
            (found < 0 || cells[i] > cells[found]))
            found = i;
    return found;
}

/* When the whole does not fit, columns of words wrap at spaces; when that is not enough the gaps
 * narrow, words are broken, and at last figures are clipped. */
static void fit_columns(const struct table *table, int width, struct grid *grid)
{
    int total = 0, slack = 0, count = table->column_count, least[TABLE_COLUMNS];
    for (int i = 0; i < count; i++) {
        total += grid->cells[i] = table_width(table, i);
        grid->floors[i] = column_floor(table, i);
        least[i] = LEAST_CELLS;
        if (table->columns[i].align == TEXT_LEFT)
            slack += grid->cells[i] - grid->floors[i];
    }
    grid->gap = total - slack + COLUMN_GAP * (count - 1) > width ? 1 : COLUMN_GAP;
    for (total += grid->gap * (count - 1); total > width; total--) {
        int give = widest(table, grid->cells, grid->floors, TEXT_LEFT);
        if (give < 0)
            give = widest(table, grid->cells, least, TEXT_LEFT);
        if (give < 0)
            give = widest(table, grid->cells, least, TEXT_RIGHT);
        if (give < 0)
            return;
        grid->cells[give]--;
    }
}

/* The next line of a cell, padded; returns what is left of the cell's text. */
static const char *add_cell_line(struct strbuf *out, const char *text, int cells,
                                 enum text_align align)
{
    if (align != TEXT_LEFT) {
        text_add_padded(out, text, cells, align);
        return "";
    }
    size_t length = text_wrap(text, cells), start = out->length;
    strbuf_add_n(out, text, length);
    add_repeated(out, ' ', cells - text_width(strbuf_text(out) + start));
    text += length;
    return text + strspn(text, " \n");
}

/* One row, as many lines as its longest cell of words needs. */
static void add_row(struct strbuf *out, const struct table *table, const char **texts,
                    const struct grid *grid, int indent)
{
    bool more = true;
    while (more) {
        more = false;
        add_repeated(out, ' ', indent);
        for (int i = 0; i < table->column_count; i++) {
            texts[i] = add_cell_line(out, texts[i], grid->cells[i], table->columns[i].align);
            add_repeated(out, ' ', grid->gap);
            more |= *texts[i] != '\0';
        }
        end_line(out);
    }
}

void table_write_text(const struct table *table, int width, int indent, struct strbuf *out)
{
    size_t start = out->length;
    struct grid grid;
    const char *texts[TABLE_COLUMNS];
    if (table->column_count == 0)
        return;
    fit_columns(table, width - indent, &grid);
    for (int i = 0; i < table->column_count; i++)
        texts[i] = table->columns[i].heading;
    add_row(out, table, texts, &grid, indent);
    add_repeated(out, ' ', indent);
    for (int i = 0; i < table->column_count; i++) {
        add_repeated(out, '-', grid.cells[i]);
        add_repeated(out, ' ', grid.gap);
    }
    end_line(out);
    for (size_t row = 0; row < table_rows(table); row++) {
        for (int i = 0; i < table->column_count; i++)
            texts[i] = table_at(table, row, i)->text;
        add_row(out, table, texts, &grid, indent);
    }
    text_drop_controls(out, start);
}

/* ---- the other blocks ------------------------------------------------------------------------ */

/* "# weights 14.2   = optimizer 3.0", whole entries on each line. */
static void add_legend(struct strbuf *out, const struct bar *bar)
{
    int used = 0;
    for (int i = 0; i < bar->count; i++) {
        int width = 2 + text_width(bar->segments[i].label);
        if (used > 0 && used + 3 + width > REPORT_WIDTH) {
            strbuf_add(out, "\n");
            used = 0;
        }
        strbuf_printf(out, "%s%c %s", used ? "   " : "  ", bar->segments[i].fill,
                      bar->segments[i].label);
        used += (used ? 3 : 2) + width;
    }
    strbuf_add(out, "\n");
}

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

    add_legend(out, bar);
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
    size_t start = out->length;
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
        case BLOCK_LEAD:
            add_wrapped(out, "", block->text, REPORT_WIDTH);
            break;
        case BLOCK_TEXT:
            add_wrapped(out, "  ", block->text, REPORT_WIDTH);
            break;
        case BLOCK_ITEM:
            add_wrapped(out, "  - ", block->text, REPORT_WIDTH);
            break;
        case BLOCK_TABLE:
            table_write_text(block->table, REPORT_WIDTH, 2, out);
            break;
        case BLOCK_BAR:
            add_bar(out, block->bar);
            break;
        case BLOCK_COMMAND:
            add_command(out, block->text);
            break;
        }
        before = block->kind;
    }
    text_drop_controls(out, start);
}
