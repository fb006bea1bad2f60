/* text.h - UTF-8 text measured in terminal cells. Bytes, code points and cells are three things. */
#ifndef GPUWIZ_TEXT_H
#define GPUWIZ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"

/* Decodes the code point at *text and moves *text past it. Ill-formed bytes, one at a time, give
 * U+FFFD. 0 at the end of the text. */
uint32_t text_next(const char **text);

/* Cells of one code point: 0 combining or control, 1, or 2 for East Asian wide; ambiguous-width
 * characters count 1. Own table (Unicode 15), so it does not depend on the locale. */
int text_char_width(uint32_t code_point);

/* Cells of a whole text; control characters count 0. */
int text_width(const char *text);

/* Appends code point as UTF-8. */
void text_add_char(struct strbuf *out, uint32_t code_point);

/* Appends `text` without control characters, cut to at most `cells`; a cut text ends in a one-cell
 * mark ("…", or "~" when `ascii`), and is never cut inside a wide character. Returns the cells
 * written. */
int text_add_clipped(struct strbuf *out, const char *text, int cells, bool ascii);

enum text_align { TEXT_LEFT, TEXT_RIGHT, TEXT_CENTRE };

/* Appends `text` clipped and filled with spaces to exactly `cells`. */
void text_add_padded(struct strbuf *out, const char *text, int cells, enum text_align align);

/* Takes out of what stands in `text` from byte `from` on all that a terminal might obey: names in it may
 * come from files. Newlines stay. */
void text_drop_controls(struct strbuf *text, size_t from);

/* The length in bytes of the longest first line of `text` that fits `cells`: English breaks at
 * spaces, Chinese between any characters but not before closing or after opening punctuation.
 * At least one character is taken. The caller skips the spaces that follow. 0 at the end. */
size_t text_wrap(const char *text, int cells);

/* True when all of `text` is well-formed UTF-8. */
bool text_valid(const char *text);

/* ASCII case-insensitive search; NULL when not found. */
const char *text_find(const char *text, const char *part);

/* Edits (a byte put in, taken out or changed; Levenshtein 1966) that turn one name into the other, ASCII
 * letters without regard to case: for "did you mean". */
int text_distance(const char *a, const char *b);

/* Like enough to ask "did you mean `name`?": beyond a third of its letters a likeness is an accident. */
bool text_alike(const char *name, const char *word);

#endif
