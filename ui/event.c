/* event.c - names of keys and the language of key scripts. */
#include "ui/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/text.h"

static const struct { int key; const char *name; } names[] = {
    {KEY_ESC_, "Esc"}, {KEY_ENTER_, "Enter"}, {KEY_TAB_, "Tab"}, {KEY_BACK_TAB, "Shift-Tab"},
    {KEY_BACKSPACE_, "Backspace"}, {KEY_DELETE, "Delete"}, {KEY_UP_, "Up"}, {KEY_DOWN_, "Down"},
    {KEY_LEFT_, "Left"}, {KEY_RIGHT_, "Right"}, {KEY_PAGE_UP, "PgUp"}, {KEY_PAGE_DOWN, "PgDn"},
    {KEY_HOME_, "Home"}, {KEY_END_, "End"}, {KEY_HELP_, "F1"}, {' ', "Space"},
};
enum { NAMES = sizeof names / sizeof names[0] };

const char *event_key_name(int key, char *text)
{
    for (size_t i = 0; i < NAMES; i++)
        if (names[i].key == key)
            return strcpy(text, names[i].name);
    if (key >= (int)KEY_OF_CTRL && key < (int)KEY_NAMED) {
        snprintf(text, 16, "Ctrl-%c", (key - (int)KEY_OF_CTRL) - 'a' + 'A');
        return text;
    }
    struct strbuf out = {0};
    text_add_char(&out, (uint32_t)key);
    snprintf(text, 16, "%s", strbuf_text(&out));
    strbuf_clear(&out);
    return text;
}

/* One word of a script, not quoted. */
static struct event event_of_word(const char *word, size_t length)
{
    char name[32];
    int a, b;
    if (length >= sizeof name)
        return (struct event){0};
    memcpy(name, word, length);
    name[length] = '\0';
    for (size_t i = 0; i < NAMES; i++)
        if (strcasecmp(names[i].name, name) == 0)
            return event_key(names[i].key);
    if (strncasecmp(name, "Ctrl-", 5) == 0 && name[5] && !name[6])
        return event_key(KEY_CTRL(name[5] | 0x20));
    if (sscanf(name, "resize:%dx%d", &a, &b) == 2 && a > 0 && b > 0 && a < 1000 && b < 1000)
        return (struct event){.kind = EVENT_RESIZE, .row = b, .col = a};
    if (sscanf(name, "click:%d,%d", &a, &b) == 2)
        return (struct event){.kind = EVENT_CLICK, .row = a, .col = b};
    if (sscanf(name, "wheel:%d", &a) == 1)
        return (struct event){.kind = EVENT_WHEEL, .turn = a < 0 ? -1 : 1};
    const char *rest = name;
    uint32_t character = text_next(&rest);
    if (character && !*rest)
        return event_key((int)character);
    return (struct event){0};
}

struct event event_from_script(const char **script, bool *in_quotes)
{
    const char *p = *script;
    for (;;) {
        if (*in_quotes && *p && *p != '"') {
            uint32_t character = text_next(&p);
            *script = p;
            return event_key((int)character);
        }
        if (*p == '"') {
            *in_quotes = !*in_quotes;
            p++;
        } else if (*p == '#') {
            p += strcspn(p, "\n");
        } else if (*p && strchr(" \t\r\n", *p)) {
            p++;
        } else {
            break;
        }
    }
    size_t length = strcspn(p, " \t\r\n\"");
    struct event event = length ? event_of_word(p, length) : (struct event){0};
    *script = event.kind == EVENT_NONE ? p : p + length;
    return event;
}
