/* event.h - what can happen to the wizard: a key, a click, a new size, pasted text, the end. Keys
 * have names, so that key scripts, footers and the manual speak of them in the same words. */
#ifndef GPUWIZ_UI_EVENT_H
#define GPUWIZ_UI_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* A key is a Unicode character or, above all characters, one of these. */
enum key {
    KEY_NONE = 0,
    KEY_OF_CTRL = 0x200000, /* + the letter: KEY_CTRL('s') */
    KEY_NAMED = 0x300000,
    KEY_ESC_ = KEY_NAMED, KEY_ENTER_, KEY_TAB_, KEY_BACK_TAB, KEY_BACKSPACE_, KEY_DELETE, KEY_UP_,
    KEY_DOWN_, KEY_LEFT_, KEY_RIGHT_, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME_, KEY_END_, KEY_HELP_
};
#define KEY_CTRL(letter) ((int)KEY_OF_CTRL + (letter))

enum event_kind { EVENT_NONE, EVENT_KEY, EVENT_CLICK, EVENT_WHEEL, EVENT_RESIZE, EVENT_PASTE, EVENT_END };

struct event {
    enum event_kind kind;
    int key;             /* EVENT_KEY: a character or enum key */
    int row, col;        /* EVENT_CLICK and EVENT_WHEEL: cell from 0; EVENT_RESIZE: the new size */
    int turn;            /* EVENT_WHEEL: -1 up, 1 down */
    const char *text;    /* EVENT_PASTE: one line of it, borrowed until the next event */
};

static inline struct event event_key(int key)
{
    return (struct event){.kind = EVENT_KEY, .key = key};
}

/* Full-width forms, which Chinese input methods give, as the ASCII characters they show. */
static inline int event_folded(int key)
{
    return key >= 0xFF01 && key <= 0xFF5E ? key - 0xFF01 + '!' : key == 0x3000 ? ' ' : key;
}

/* The name of a key as footers and scripts write it ("Enter", "Ctrl-S", "q"); `text` holds at
 * least 16 bytes. Returns `text`. */
const char *event_key_name(int key, char *text);

/* Reads one item of a key script at *script and moves past it: a key name, a single character,
 * "quoted text" (typed character by character, so it stays in place until used up),
 * `resize:COLSxROWS`, `click:ROW,COL`, `wheel:1`; blanks separate, `#` starts a comment. EVENT_NONE
 * at the end; an unknown word gives EVENT_NONE too and leaves *script at it. */
struct event event_from_script(const char **script, bool *in_quotes);

#endif
