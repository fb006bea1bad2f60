/* widgets.c - text entry, lists and bars. */
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/keymap.h"

/* ---- a line being typed ---- */

/* What has no room is left out by whole characters. */
void input_set(struct input *input, const char *text)
{
    size_t length = strlen(text);
    if (length >= sizeof input->text)
        for (length = sizeof input->text - 1; ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    memcpy(input->text, text, length);
    input->text[length] = '\0';
    input->length = input->cursor = (int)length;
}

static int previous(const struct input *input, int at)
{
    do
        at--;
    while (at > 0 && ((unsigned char)input->text[at] & 0xC0) == 0x80);
    return at > 0 ? at : 0;
}

static int next(const struct input *input, int at)
{
    if (at < input->length)
        at++;
    while (at < input->length && ((unsigned char)input->text[at] & 0xC0) == 0x80)
        at++;
    return at;
}

static void cut(struct input *input, int from, int to)
{
    memmove(input->text + from, input->text + to, (size_t)(input->length - to + 1));
    input->length -= to - from;
    input->cursor = from;
}

static void insert(struct input *input, const char *bytes, size_t length)
{
    if ((size_t)input->length + length >= sizeof input->text)
        return;
    memmove(input->text + input->cursor + length, input->text + input->cursor,
            (size_t)(input->length - input->cursor + 1));
    memcpy(input->text + input->cursor, bytes, length);
    input->length += (int)length;
    input->cursor += (int)length;
}

static void insert_text(struct input *input, const char *text)
{
    for (uint32_t c; (c = text_next(&text)) && c != '\n';) {
        struct strbuf one = {0};
        if (c >= 0x20 && c != 0x7F)
            text_add_char(&one, c);
        insert(input, strbuf_text(&one), one.length);
        strbuf_clear(&one);
    }
}

bool input_event(struct input *input, const struct event *event)
{
    if (event->kind == EVENT_PASTE) {
        insert_text(input, event->text);
        return true;
    }
    switch (event->key) {
    case KEY_BACKSPACE_: cut(input, previous(input, input->cursor), input->cursor); return true;
    case KEY_DELETE: cut(input, input->cursor, next(input, input->cursor)); return true;
    case KEY_LEFT_: input->cursor = previous(input, input->cursor); return true;
    case KEY_RIGHT_: input->cursor = next(input, input->cursor); return true;
    case KEY_HOME_: input->cursor = 0; return true;
    case KEY_END_: input->cursor = input->length; return true;
    case KEY_CTRL('u'): cut(input, 0, input->cursor); return true;
    case KEY_CTRL('w'): {
        int at = input->cursor;
        while (at > 0 && input->text[at - 1] == ' ')
            at--;
        while (at > 0 && input->text[at - 1] != ' ' && input->text[at - 1] != '/')
            at--;
        cut(input, at, input->cursor);
        return true;
    }
    default: break;
    }
    if (event->key < 0x20 || event->key >= (int)KEY_OF_CTRL)
        return false;
    struct strbuf one = {0};
    text_add_char(&one, (uint32_t)event->key);
    insert(input, one.data, one.length);
    strbuf_clear(&one);
    return true;
}

void input_draw(const struct input *input, struct canvas *canvas, int row, int col, int cells)
{
    char before[sizeof input->text];
    memcpy(before, input->text, (size_t)input->cursor);
    before[input->cursor] = '\0';
    int from = 0;
    while (text_width(before + from) >= cells && from < input->cursor)
        from = next(input, from);
    for (int i = 0; i < cells; i++)
        canvas_put(canvas, row, col + i, ' ', ROLE_INPUT, ROLE_TEXT);
    canvas_text(canvas, row, col, cells, ROLE_INPUT, input->text + from);
    canvas_cursor(canvas, row, col + text_width(before + from), true);
}

/* ---- lists ---- */

bool list_act(struct list *list, int action, int count, int page)
{
    page = page > 1 ? page - 1 : 1;
    switch (action) {
    case ACTION_UP: list->cursor--; break;
    case ACTION_DOWN: list->cursor++; break;
    case ACTION_PAGE_UP: list->cursor -= page; break;
    case ACTION_PAGE_DOWN: list->cursor += page; break;
    case ACTION_FIRST: list->cursor = 0; break;
    case ACTION_LAST: list->cursor = count - 1; break;
    default: return false;
    }
    list_keep(list, count, page + 1);
    return true;
}

void list_keep(struct list *list, int count, int rows)
{
    if (list->cursor >= count)
        list->cursor = count - 1;
    if (list->cursor < 0)
        list->cursor = 0;
    list->top = scroll_top(list->top, list->cursor, count, rows);
}

void list_position(struct canvas *canvas, int row, int right, const struct list *list, int count, int rows)
{
    char text[48];
    if (count <= rows)
        return;
    snprintf(text, sizeof text, tr("%d-%d of %d"), list->top + 1,
             list->top + rows < count ? list->top + rows : count, count);
    canvas_field(canvas, row, right - 20, 20, TEXT_RIGHT, ROLE_DIM, text);
}

/* ---- bars ---- */

enum { EIGHTHS = 8, BAR_PARTS = COMPONENT_COUNT + 2 };

/* Where each part ends, in eighths of a cell. A part that is there shows at least one eighth. */
static void part_ends(const struct bar_part *parts, int count, double per_cell, int ends[BAR_PARTS])
{
    double sum = 0;
    int end = 0;
    for (int i = 0; i < count; i++) {
        sum += parts[i].value;
        int exact = (int)lround(fmin(sum / per_cell * EIGHTHS, 1e6));
        if (parts[i].value > 0 && exact <= end)
            exact = end + 1;
        end = exact > end ? exact : end;
        ends[i] = end;
    }
}

/* The part that holds most of a cell; -1 when that is none. */
static int main_part(const int ends[BAR_PARTS], int count, int from, int to)
{
    int best = -1, most = 0, start = 0;
    for (int i = 0; i < count; i++) {
        int low = start > from ? start : from;
        int high = ends[i] < to ? ends[i] : to;
        if (high - low > most) {
            most = high - low;
            best = i;
        }
        start = ends[i];
    }
    return best;
}

static int part_at(const int ends[BAR_PARTS], int count, int eighth)
{
    for (int i = 0; i < count; i++)
        if (eighth < ends[i])
            return i;
    return -1;
}

void bar_draw(struct canvas *canvas, int row, int col, int cells, const struct bar_part *parts,
              int count, double per_cell)
{
    int ends[BAR_PARTS];
    part_ends(parts, count, per_cell, ends);
    for (int i = 0; i < cells; i++) {
        int from = i * EIGHTHS, to = from + EIGHTHS;
        if (canvas->ascii || canvas->patterns) {
            int part = main_part(ends, count, from, to);
            if (part < 0 && i == 0 && count && ends[count - 1] > 0)
                part = 0;
            if (part >= 0)
                canvas_put(canvas, row, col + i, parts[part].glyph, parts[part].role, ROLE_TEXT);
            continue;
        }
        int left = part_at(ends, count, from), right = part_at(ends, count, to - 1);
        if (left < 0)
            break;
        if (left == right) {
            canvas_put(canvas, row, col + i, 0x2588, parts[left].role, ROLE_TEXT);
            continue;
        }
        int filled = ends[left] - from;
        canvas_put(canvas, row, col + i, (uint32_t)(0x2590 - filled), parts[left].role,
                   right >= 0 ? parts[right].role : ROLE_TEXT);
    }
}

/* First character of a glyph, or the ASCII one. */
static uint32_t component_glyph(const struct canvas *canvas, int component)
{
    const char *glyph = components[component].glyph;
    return canvas->ascii ? (uint32_t)(unsigned char)components[component].ascii : text_next(&glyph);
}

void bar_memory(struct canvas *canvas, int row, int col, int cells, const struct memory *memory)
{
    int capacity = cells * 4 / 5;
    struct bar_part parts[BAR_PARTS];
    int count = 0;
    if (capacity < 2 || !(memory->usable_gib > 0))
        return;
    double per_cell = memory->usable_gib / capacity;
    for (int i = 0; i < COMPONENT_COUNT; i++)
        if (memory->components_gib[i] > 0)
            parts[count++] = (struct bar_part){memory->components_gib[i],
                                               (enum role)(ROLE_BAR_WEIGHTS + i), component_glyph(canvas, i)};
    bar_draw(canvas, row, col, cells, parts, count, per_cell);
    int need = (int)ceil(memory->need_gib / per_cell);
    int high = (int)ceil(memory->high_gib / per_cell), reserved = (int)ceil(memory->reserved_gib / per_cell);
    for (int i = need; i < cells && i < reserved; i++)
        canvas_put(canvas, row, col + i, canvas->ascii ? ':' : 0x2591, ROLE_BAR_RESERVED, ROLE_TEXT);
    for (int i = need; i < cells && i < high; i++)
        canvas_put(canvas, row, col + i, 0x2500, ROLE_BAR_BAND, ROLE_TEXT);
    for (int i = capacity + 1; i < cells && i < need; i++)
        canvas_put(canvas, row, col + i, canvas->ascii ? '!' : 0x2593, ROLE_BAR_OVER, ROLE_TEXT);
    canvas_put(canvas, row, col + capacity, 0x2502, need > capacity ? ROLE_BAR_OVER : ROLE_DIM, ROLE_TEXT);
    if (need > cells)
        canvas_put(canvas, row, col + cells - 1, 0x25B6, ROLE_BAR_OVER, ROLE_TEXT);
}

const char *gpu_short(const struct gpu *gpu, char *text)
{
    snprintf(text, 32, "%s", gpu->id);
    for (char *p = text; *p; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 'a' + 'A');
    return text;
}

int bar_legend(struct canvas *canvas, struct rect rect, const struct gpu *gpu, const struct memory *memory)
{
    char name[40];
    int row = 0, col = 0;
    if (gpu)
        col = 1 + canvas_printf(canvas, rect.row, rect.col, rect.cols, ROLE_DIM, "%s:", gpu_short(gpu, name));
    for (int i = 0; i < COMPONENT_COUNT && row < rect.rows; i++) {
        char number[UNITS_TEXT], text[96];
        if (!(memory->components_gib[i] >= 0.005))
            continue;
        snprintf(text, sizeof text, "%s %s", tr(components[i].label), units_gib(memory->components_gib[i], number));
        int width = 2 + text_width(text);
        if (col > 0 && col + width > rect.cols) {
            row++;
            col = 0;
        }
        if (row >= rect.rows)
            break;
        bool pattern = canvas->patterns || canvas->ascii;
        canvas_put(canvas, rect.row + row, rect.col + col, pattern ? component_glyph(canvas, i) : 0x2588,
                   (enum role)(ROLE_BAR_WEIGHTS + i), ROLE_TEXT);
        canvas_text(canvas, rect.row + row, rect.col + col + 2, rect.cols - col - 2, ROLE_TEXT, text);
        col += width + 2;
    }
    return row + (col > 0);
}

const char *yuan_sign(const struct canvas *canvas)
{
    return canvas->ascii ? "CNY " : "¥";
}

enum role verdict_role(enum verdict verdict)
{
    return verdict == VERDICT_FITS ? ROLE_GOOD : verdict == VERDICT_TIGHT ? ROLE_WARN : ROLE_BAD;
}

const char *verdict_word(enum verdict verdict)
{
    static const char *const words[] = {N_("fits"), N_("tight"), N_("too big")};
    return tr(words[verdict]);
}
