/* picture.c - the cells of a screen under test as SVG. Words and wide characters stand at their own x,
 * blocks and lines are shapes, so no font can shift a column. */
#include "tests/test.h"

#include <string.h>
#include "base/text.h"
#include "tests/screen.h"

enum { CELL_W = 9, CELL_H = 19, MARGIN = 10, BASELINE = 14 };

static const char *const basic[16] = {"#1d1f21", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd",
                                      "#56b6c2", "#d0d4da", "#7f848e", "#f0868f", "#b5d99c", "#f0d399",
                                      "#8cc8f5", "#d9a0e8", "#7fd0d9", "#ffffff"};
static const char *const ground = "#1b1d23", *const ink = "#d6d9df";

static void colour_text(int index, const char *otherwise, char text[16])
{
    static const int steps[] = {0, 95, 135, 175, 215, 255};
    if (index < 0)
        snprintf(text, 16, "%s", otherwise);
    else if (index >= 0x1000000)
        snprintf(text, 16, "#%06x", (unsigned)index & 0xFFFFFF);
    else if (index < 16)
        snprintf(text, 16, "%s", basic[index]);
    else if (index >= 232)
        snprintf(text, 16, "#%06x", (unsigned)(8 + (index - 232) * 10) * 0x10101u & 0xFFFFFF);
    else
        snprintf(text, 16, "#%06x", (unsigned)(steps[(index - 16) / 36] << 16 | steps[(index - 16) / 6 % 6] << 8 |
                                               steps[(index - 16) % 6]) & 0xFFFFFF);
}

static void rect(struct strbuf *svg, double x, double y, double w, double h, const char *fill, double opacity)
{
    strbuf_printf(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"", x, y, w, h, fill);
    strbuf_printf(svg, opacity < 1 ? " opacity=\"%.2f\"/>\n" : "/>\n", opacity);
}

/* True when the character was drawn as a shape. */
static bool draw_shape(struct strbuf *svg, uint32_t c, double x, double y, const char *fill)
{
    if (c >= 0x2588 && c <= 0x258F)
        rect(svg, x, y + 2, CELL_W * (double)(0x2590 - c) / 8, CELL_H - 4, fill, 1);
    else if (c >= 0x2591 && c <= 0x2593)
        rect(svg, x, y + 2, CELL_W, CELL_H - 4, fill, 0.3 * (double)(c - 0x2590));
    else if (c == 0x2500)
        rect(svg, x, y + CELL_H / 2.0 - 0.5, CELL_W, 1, fill, 1);
    else if (c == 0x2502)
        rect(svg, x + CELL_W / 2.0 - 0.5, y, 1, CELL_H, fill, 1);
    else
        return false;
    return true;
}

static void add_escaped(struct strbuf *svg, uint32_t c)
{
    if (c == '<')
        strbuf_add(svg, "&lt;");
    else if (c == '>')
        strbuf_add(svg, "&gt;");
    else if (c == '&')
        strbuf_add(svg, "&amp;");
    else
        text_add_char(svg, c);
}

static bool same_look(const struct screen_cell *a, const struct screen_cell *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->reverse == b->reverse && a->underline == b->underline;
}

static bool is_plain(uint32_t c)
{
    return c > ' ' && c < 0x2500;
}

static void draw_row(struct screen_under_test *screen, int row, int cols, struct strbuf *svg)
{
    double y = MARGIN + row * CELL_H;
    for (int col = 0; col < cols; col++) {
        struct screen_cell cell = screen_cell_at(screen, row, col);
        char fg[16], bg[16];
        double x = MARGIN + col * CELL_W;
        if (cell.character == (uint32_t)-1)
            continue;
        colour_text(cell.fg, ink, fg);
        colour_text(cell.bg, ground, bg);
        if (cell.reverse) {
            char swap[16];
            memcpy(swap, fg, sizeof swap);
            memcpy(fg, bg, sizeof swap);
            memcpy(bg, swap, sizeof swap);
        }
        if (strcmp(bg, ground) != 0) {
            bool block = cell.character >= 0x2588 && cell.character <= 0x258F;
            rect(svg, x, y + (block ? 2 : 0), CELL_W * cell.width + 0.3, CELL_H - (block ? 4 : 0), bg, 1);
        }
        if (cell.underline)
            rect(svg, x, y + CELL_H - 3, CELL_W * cell.width, 1, fg, 1);
        if (cell.character <= ' ' || draw_shape(svg, cell.character, x, y, fg))
            continue;
        strbuf_printf(svg, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\"%s>", x, y + BASELINE, fg, cell.bold ? " font-weight=\"bold\"" : "");
        add_escaped(svg, cell.character);
        while (cell.width == 1 && is_plain(cell.character) && col + 1 < cols) {
            struct screen_cell next = screen_cell_at(screen, row, col + 1);
            if (next.width != 1 || !is_plain(next.character) || !same_look(&cell, &next))
                break;
            if (strcmp(bg, ground) != 0)
                break;
            if (next.underline)
                break;
            add_escaped(svg, next.character);
            col++;
        }
        strbuf_add(svg, "</text>\n");
    }
}

void screen_picture(struct screen_under_test *screen, int rows, int cols, struct strbuf *svg)
{
    int width = cols * CELL_W + 2 * MARGIN, height = rows * CELL_H + 2 * MARGIN;
    strbuf_printf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                       "font-family=\"DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace\" font-size=\"14.9\">\n",
                  width, height, width, height);
    strbuf_printf(svg, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\"/>\n", width, height, ground);
    for (int row = 0; row < rows; row++)
        draw_row(screen, row, cols, svg);
    strbuf_add(svg, "</svg>\n");
}
