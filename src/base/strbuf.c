#include "base/strbuf.h"
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct strbuf *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;
    if (need <= buffer->capacity)
        return;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < need)
        capacity *= 2;
    buffer->data = xrealloc(buffer->data, capacity, 1);
    buffer->capacity = capacity;
}

void strbuf_add_n(struct strbuf *buffer, const char *bytes, size_t length)
{
    reserve(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void strbuf_add(struct strbuf *buffer, const char *text)
{
    strbuf_add_n(buffer, text, strlen(text));
}

void strbuf_printf(struct strbuf *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    reserve(buffer, (size_t)length);
    va_start(arguments, format);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
}

const char *strbuf_text(const struct strbuf *buffer)
{
    return buffer->data ? buffer->data : "";
}

void strbuf_reset(struct strbuf *buffer)
{
    buffer->length = 0;
    if (buffer->data)
        buffer->data[0] = '\0';
}

void strbuf_clear(struct strbuf *buffer)
{
    free(buffer->data);
    *buffer = (struct strbuf){0};
}
