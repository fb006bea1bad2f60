/* error.h - errors as values: what was wrong, where, and what would be right. */
#ifndef GPUWIZ_ERROR_H
#define GPUWIZ_ERROR_H

#include <stdbool.h>

/* One failure. `line` and `column` count from 1; 0 means "not about a place in a file".
 * Texts longer than a member are cut at a character boundary and end in "...". */
struct error {
    char message[400];
    char hint[240];  /* what would be right; empty when there is nothing to suggest */
    char file[240];  /* empty when the error is not about a file */
    int line, column;
};

/* Fills `error` (which may be NULL) and returns false, so that a failing function can say
 * `return error_set(error, ...)`. Any former content is replaced. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As error_set, about a place in a file. */
bool error_at(struct error *error, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds what would be right to an error that was set. Returns false. */
bool error_hint(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes "file:line:column: message (hint)" into `text`; returns `text`. */
const char *error_text(const struct error *error, char *text, int size);

#endif
