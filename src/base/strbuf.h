/* strbuf.h - a text that grows. Zero-initialise it; `data` is NUL-terminated once anything was added. */
#ifndef GPUWIZ_STRBUF_H
#define GPUWIZ_STRBUF_H

#include <stddef.h>

struct strbuf {
    char *data;
    size_t length, capacity;
};

void strbuf_add(struct strbuf *buffer, const char *text);
void strbuf_add_n(struct strbuf *buffer, const char *bytes, size_t length);
void strbuf_printf(struct strbuf *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text, "" when nothing was added; borrowed until the next change. */
const char *strbuf_text(const struct strbuf *buffer);
/* Empties the text but keeps its memory. */
void strbuf_reset(struct strbuf *buffer);
/* Frees the memory and leaves an empty buffer. */
void strbuf_clear(struct strbuf *buffer);

#endif
