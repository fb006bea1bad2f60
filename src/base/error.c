#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"

/* Marks a text that was cut, never in the middle of a UTF-8 character. */
static void mark_cut(char *text, size_t size)
{
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, "...", 4);
}

static void __attribute__((format(printf, 3, 0)))
fill(char *text, size_t size, const char *format, va_list arguments)
{
    int n = vsnprintf(text, size, format, arguments);
    if (n < 0)
        text[0] = '\0';
    else if ((size_t)n >= size)
        mark_cut(text, size);
}

bool error_set(struct error *error, const char *format, ...)
{
    if (error) {
        va_list arguments;
        *error = (struct error){0};
        va_start(arguments, format);
        fill(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool error_at(struct error *error, const char *file, int line, int column, const char *format, ...)
{
    if (error) {
        va_list arguments;
        *error = (struct error){.line = line, .column = column};
        if (file && snprintf(error->file, sizeof error->file, "%s", file) >= (int)sizeof error->file)
            mark_cut(error->file, sizeof error->file);
        va_start(arguments, format);
        fill(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool error_hint(struct error *error, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        fill(error->hint, sizeof error->hint, format, arguments);
        va_end(arguments);
    }
    return false;
}

const char *error_text(const struct error *error, char *text, int size)
{
    char place[300] = "";
    if (error->file[0] && error->line > 0)
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->file[0])
        snprintf(place, sizeof place, "%s: ", error->file);
    int n = error->hint[0] ? snprintf(text, (size_t)size, tr("%s%s (%s)"), place, error->message,
                                      error->hint)
                           : snprintf(text, (size_t)size, "%s%s", place, error->message);
    if (n >= size && size >= 4)
        mark_cut(text, (size_t)size);
    return text;
}
