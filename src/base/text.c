#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

enum { REPLACEMENT = 0xFFFD };

/* Length in bytes of the well-formed sequence at `s` (Unicode 15, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF); 0 when ill-formed. */
static size_t sequence_length(const unsigned char *s)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] == 0xE0)
        low = 0xA0;
    else if (s[0] == 0xED)
        high = 0x9F;
    else if (s[0] == 0xF0)
        low = 0x90;
    else if (s[0] == 0xF4)
        high = 0x8F;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

uint32_t text_next(const char **text)
{
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *s = (const unsigned char *)*text;
    if (!*s)
        return 0;
    size_t length = sequence_length(s);
    if (length == 0) {
        ++*text;
        return REPLACEMENT;
    }
    uint32_t code_point = s[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        code_point = code_point << 6 | (s[i] & 0x3F);
    *text += length;
    return code_point;
}

bool text_valid(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t length = sequence_length(s);
        if (length == 0)
            return false;
        s += length;
    }
    return true;
}

/* What may never reach a terminal: control characters, and the marks that reorder text. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

int text_width(const char *text)
{
    int width = 0;
    for (uint32_t c; (c = text_next(&text)) != 0;)
        width += text_char_width(c);
    return width;
}

void text_add_char(struct strbuf *out, uint32_t c)
{
    char bytes[4];
    size_t length = 0;
    if (c < 0x80) {
        bytes[length++] = (char)c;
    } else if (c < 0x800) {
        bytes[length++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        bytes[length++] = (char)(0xE0 | c >> 12);
        bytes[length++] = (char)(0x80 | (c >> 6 & 0x3F));
    } else {
        bytes[length++] = (char)(0xF0 | c >> 18);
        bytes[length++] = (char)(0x80 | (c >> 12 & 0x3F));
        bytes[length++] = (char)(0x80 | (c >> 6 & 0x3F));
    }
    if (c >= 0x80)
        bytes[length++] = (char)(0x80 | (c & 0x3F));
    strbuf_add_n(out, bytes, length);
}

void text_drop_controls(struct strbuf *text, size_t from)
{
    if (from >= text->length)
        return;
    struct strbuf kept = {0};
    const char *rest = text->data + from;
    for (uint32_t c; (c = text_next(&rest)) != 0;)
        if (c == '\n' || !is_control(c))
            text_add_char(&kept, c);
    text->length = from;
    text->data[from] = '\0';
    strbuf_add(text, strbuf_text(&kept));
    strbuf_clear(&kept);
}

int text_add_clipped(struct strbuf *out, const char *text, int cells, bool ascii)
{
    if (cells <= 0)
        return 0;
    bool cut = text_width(text) > cells;
    int room = cut ? cells - 1 : cells, used = 0;
    for (uint32_t c; (c = text_next(&text)) != 0;) {
        int width = text_char_width(c);
        if (used + width > room)
            break;
        if (is_control(c))
            continue;
        text_add_char(out, c);
        used += width;
    }
    if (cut)
        strbuf_add(out, ascii ? "~" : "…");
    return used + cut;
}

static void add_spaces(struct strbuf *out, int count)
{
    while (count-- > 0)
        strbuf_add_n(out, " ", 1);
}

void text_add_padded(struct strbuf *out, const char *text, int cells, enum text_align align)
{
    int width = text_width(text), free_cells = width < cells ? cells - width : 0;
    int before = align == TEXT_RIGHT ? free_cells : align == TEXT_CENTRE ? free_cells / 2 : 0;
    add_spaces(out, before);
    int used = before + text_add_clipped(out, text, cells - before, false);
    add_spaces(out, cells - used);
}

/* ---- wrapping ------------------------------------------------------------------------------- */

/* Kinsoku: what may not begin a line, and what may not end one. */
static const char *const no_line_start = "，。、；：？！）」』】》〉”’…—·％℃,.;:?!)]}%>";
static const char *const no_line_end = "（「『【《〈“‘([{<¥￥$";

static bool is_among(uint32_t code_point, const char *set)
{
    for (uint32_t c; (c = text_next(&set)) != 0;)
        if (c == code_point)
            return true;
    return false;
}

/* May a line end between two characters, neither of them a space? */
static bool breaks_between(uint32_t before, uint32_t after)
{
    return (text_char_width(before) == 2 || text_char_width(after) == 2) &&
           !is_among(after, no_line_start) && !is_among(before, no_line_end);
}

size_t text_wrap(const char *text, int cells)
{
    const char *at = text, *last_break = NULL;
    uint32_t before = 0;
    int used = 0;
    while (*at) {
        const char *start = at;
        uint32_t c = text_next(&at);
        int width = text_char_width(c);
        if (c == '\n')
            return start > text ? (size_t)(start - text) : 1;
        if (c == ' ') {
            if (before != 0 && before != ' ')
                last_break = start;
        } else if (width > 0 && before != 0 && before != ' ' && breaks_between(before, c)) {
            last_break = start;
        }
        if (used + width > cells && start > text)
            return (size_t)((last_break ? last_break : start) - text);
        used += width;
        if (width > 0)
            before = c;
    }
    return (size_t)(at - text);
}

/* ---- searching ------------------------------------------------------------------------------ */

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

const char *text_find(const char *text, const char *part)
{
    for (;; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (!part[i])
            return text;
        if (!*text)
            return NULL;
    }
}

int text_distance(const char *a, const char *b)
{
    size_t width = strlen(b);
    int *row = xrealloc(NULL, width + 1, sizeof *row);
    for (size_t j = 0; j <= width; j++)
        row[j] = (int)j;
    for (int i = 1; *a; a++, i++) {
        int diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            int changed = diagonal + (lower(*a) != lower(b[j - 1]));
            diagonal = row[j];
            if (diagonal + 1 < changed)
                changed = diagonal + 1;
            if (row[j - 1] + 1 < changed)
                changed = row[j - 1] + 1;
            row[j] = changed;
        }
    }
    int distance = row[width];
    free(row);
    return distance;
}

bool text_alike(const char *name, const char *word)
{
    return text_distance(name, word) <= 1 + (int)strlen(name) / 3;
}
