/* canvas.c - the cell buffer and its one writer. */
#include "ui/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

static const struct cell blank = {.chars = {' '}, .width = 1};

void canvas_resize(struct canvas *canvas, int rows, int cols)
{
    canvas->rows = rows > 0 ? rows : 0;
    canvas->cols = cols > 0 ? cols : 0;
    canvas->cells = xrealloc(canvas->cells, (size_t)canvas->rows * (size_t)canvas->cols + 1,
                             sizeof *canvas->cells);
    canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
    for (int i = 0; i < canvas->rows * canvas->cols; i++)
        canvas->cells[i] = blank;
    canvas->cursor_row = canvas->cursor_col = 0;
    canvas->cursor_shown = false;
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

static struct cell *cell_at(const struct canvas *canvas, int row, int col)
{
    if (row < 0 || row >= canvas->rows || col < 0 || col >= canvas->cols)
        return NULL;
    return &canvas->cells[row * canvas->cols + col];
}

const struct cell *canvas_cell(const struct canvas *canvas, int row, int col)
{
    return cell_at(canvas, row, col);
}

/* Characters that would move, reorder or hide other text: controls, zero-width and bidi marks. */
static bool must_be_dropped(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE01EF);
}

/* What stands for a symbol where only ASCII may be sent. */
static uint32_t ascii_of(uint32_t c)
{
    static const struct { uint32_t symbol; char ascii; } map[] = {
        {0x2026, '~'}, {0x00A5, 'Y'}, {0x00B7, '.'}, {0x00D7, 'x'}, {0x2192, '>'}, {0x2190, '<'},
        {0x2191, '^'}, {0x2193, 'v'}, {0x2013, '-'}, {0x2014, '-'}, {0x2212, '-'}, {0x2264, '<'},
        {0x2265, '>'}, {0x2248, '~'}, {0x2713, '*'}, {0x2717, 'x'}, {0x25B2, '^'}, {0x25BC, 'v'},
        {0x25B6, '>'}, {0x25B8, '>'}, {0x25C0, '<'}, {0x25CF, '*'}, {0x25CB, 'o'}, {0x2022, '*'},
        {0x25C6, '*'}, {0x2591, '.'}, {0x2592, '-'}, {0x2593, '='}, {0x00B1, '~'}, {0x203A, '>'},
        {0x00B2, '2'},
    };
    if (c < 0x80)
        return c;
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        if (map[i].symbol == c)
            return (uint32_t)(unsigned char)map[i].ascii;
    if (c == 0x2502 || c == 0x2503 || c == 0x258F)
        return '|';
    if (c >= 0x2500 && c <= 0x257F)
        return c == 0x2500 || c == 0x2501 || c == 0x254C || c == 0x2504 ? '-' : '+';
    if (c >= 0x2580 && c <= 0x2590)
        return '#';
    return c;
}

/* Empties a cell; the other half of a wide character must not be left behind. */
static void cell_clear(struct canvas *canvas, int row, int col)
{
    struct cell *cell = cell_at(canvas, row, col);
    if (!cell)
        return;
    struct cell *left = cell->width == 0 ? cell_at(canvas, row, col - 1) : NULL;
    struct cell *right = cell->width == 2 ? cell_at(canvas, row, col + 1) : NULL;
    *cell = blank;
    if (left)
        *left = blank;
    if (right)
        *right = blank;
}

static void cell_write(struct canvas *canvas, int row, int col, uint32_t c, int width,
                       enum role role, enum role back)
{
    for (int i = 0; i < width; i++)
        cell_clear(canvas, row, col + i);
    struct cell *cell = cell_at(canvas, row, col);
    struct cell *half = width == 2 ? cell_at(canvas, row, col + 1) : NULL;
    if (!cell || (width == 2 && !half))
        return;
    *cell = (struct cell){.chars = {c}, .width = (uint8_t)width, .role = (uint8_t)role,
                          .back = (uint8_t)back};
    if (half)
        *half = (struct cell){.width = 0, .role = (uint8_t)role, .back = (uint8_t)back};
}

static void cell_combine(struct canvas *canvas, int row, int col, uint32_t mark)
{
    struct cell *cell = cell_at(canvas, row, col);
    if (cell && cell->width == 0)
        cell = cell_at(canvas, row, col - 1);
    if (!cell || canvas->ascii)
        return;
    for (size_t i = 1; i < sizeof cell->chars / sizeof cell->chars[0]; i++)
        if (!cell->chars[i]) {
            cell->chars[i] = mark;
            return;
        }
}

/* Cells that the writer will use: what text_width says, less the characters it drops. */
static int written_width(const char *text)
{
    int width = 0;
    for (uint32_t c; (c = text_next(&text));)
        width += must_be_dropped(c) ? 0 : text_char_width(c);
    return width;
}

int canvas_text(struct canvas *canvas, int row, int col, int cells, enum role role, const char *text)
{
    int used = 0;
    bool cut = written_width(text) > cells;
    int room = cut ? cells - 1 : cells;
    if (cells <= 0)
        return 0;
    for (uint32_t c; (c = text_next(&text));) {
        if (must_be_dropped(c))
            continue;
        int width = text_char_width(c);
        if (canvas->ascii)
            c = ascii_of(c);
        if (width == 0) {
            if (used > 0)
                cell_combine(canvas, row, col + used - 1, c);
            continue;
        }
        if (used + width > room)
            break;
        cell_write(canvas, row, col + used, c, width, role, ROLE_TEXT);
        used += width;
    }
    if (cut) {
        cell_write(canvas, row, col + used, canvas->ascii ? '~' : 0x2026, 1, role, ROLE_TEXT);
        used++;
    }
    return used;
}

int canvas_printf(struct canvas *canvas, int row, int col, int cells, enum role role,
                  const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return canvas_text(canvas, row, col, cells, role, text);
}

void canvas_field(struct canvas *canvas, int row, int col, int cells, enum text_align align,
                  enum role role, const char *text)
{
    int width = written_width(text);
    int spare = width < cells ? cells - width : 0;
    int shift = align == TEXT_RIGHT ? spare : align == TEXT_CENTRE ? spare / 2 : 0;
    canvas_text(canvas, row, col + shift, cells - shift, role, text);
}

int canvas_wrapped(struct canvas *canvas, struct rect rect, int skip, enum role role, const char *text)
{
    int lines = 0;
    if (rect.cols <= 0)
        return 0;
    while (*text) {
        size_t paragraph = strcspn(text, "\n");
        char *copy = xrealloc(NULL, paragraph + 1, 1);
        memcpy(copy, text, paragraph);
        copy[paragraph] = '\0';
        const char *rest = copy;
        do {
            size_t length = *rest ? text_wrap(rest, rect.cols) : 0;
            if (canvas && lines >= skip && lines - skip < rect.rows) {
                char saved = rest[length];
                copy[(size_t)(rest - copy) + length] = '\0';
                canvas_text(canvas, rect.row + lines - skip, rect.col, rect.cols, role, rest);
                copy[(size_t)(rest - copy) + length] = saved;
            }
            lines++;
            rest += length;
            rest += strspn(rest, " ");
        } while (*rest);
        free(copy);
        text += paragraph;
        if (*text == '\n')
            text++;
    }
    return lines;
}

void canvas_put(struct canvas *canvas, int row, int col, uint32_t character, enum role role,
                enum role back)
{
    cell_write(canvas, row, col, canvas->ascii ? ascii_of(character) : character, 1, role, back);
}

void canvas_blank(struct canvas *canvas, struct rect rect)
{
    for (int row = rect.row; row < rect.row + rect.rows; row++)
        for (int col = rect.col; col < rect.col + rect.cols; col++)
            cell_clear(canvas, row, col);
}

void canvas_select(struct canvas *canvas, int row, int col, int cells)
{
    for (int i = 0; i < cells; i++) {
        struct cell *cell = cell_at(canvas, row, col + i);
        if (cell)
            cell->selected = true;
    }
}

void canvas_rule(struct canvas *canvas, struct rect rect)
{
    bool upright = rect.rows > rect.cols;
    for (int i = 0; i < (upright ? rect.rows : rect.cols); i++)
        canvas_put(canvas, rect.row + (upright ? i : 0), rect.col + (upright ? 0 : i),
                   upright ? 0x2502 : 0x2500, ROLE_RULE, ROLE_TEXT);
}

void canvas_cursor(struct canvas *canvas, int row, int col, bool shown)
{
    canvas->cursor_row = row;
    canvas->cursor_col = col;
    canvas->cursor_shown = shown;
}

void canvas_row_text(const struct canvas *canvas, int row, struct strbuf *out)
{
    int end = canvas->cols;
    const struct cell *cells = canvas_cell(canvas, row, 0);
    if (!cells)
        return;
    while (end > 0 && cells[end - 1].width == 1 && cells[end - 1].chars[0] == ' ')
        end--;
    for (int col = 0; col < end; col++)
        for (int i = 0; i < 3 && cells[col].chars[i]; i++)
            text_add_char(out, cells[col].chars[i]);
}

void canvas_dump(const struct canvas *canvas, struct strbuf *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row_text(canvas, row, out);
        strbuf_add(out, "\n");
    }
}
