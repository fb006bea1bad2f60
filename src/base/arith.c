#include "base/arith.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A position in the text; `bad` stays set once something was not understood. */
struct reader {
    const char *at;
    bool bad;
    int depth;
};

static double sum(struct reader *reader);

static void skip_spaces(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static bool take(struct reader *reader, const char *token)
{
    skip_spaces(reader);
    size_t length = strlen(token);
    if (strncmp(reader->at, token, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* A comma between digits separates thousands; one before a space separates arguments. */
static double number(struct reader *reader)
{
    static const struct {
        char suffix;
        double factor;
    } suffixes[] = {{'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}, {'%', 0.01}};
    char digits[64];
    size_t length = 0;
    const char *at = reader->at;
    while (isdigit((unsigned char)*at) || *at == '.' ||
           (*at == ',' && isdigit((unsigned char)at[1]))) {
        if (*at != ',' && length + 8 < sizeof digits)
            digits[length++] = *at;
        at++;
    }
    if (length && *at == 'e' && (isdigit((unsigned char)at[1]) || at[1] == '-' || at[1] == '+')) {
        digits[length++] = *at++;
        digits[length++] = *at++;
        while (isdigit((unsigned char)*at) && length + 1 < sizeof digits)
            digits[length++] = *at++;
    }
    digits[length] = '\0';
    char *end;
    double value = strtod(digits, &end);
    reader->bad |= length == 0 || *end;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (*at == suffixes[i].suffix) {
            value *= suffixes[i].factor;
            at++;
            break;
        }
    reader->at = at;
    return value;
}

static double primary(struct reader *reader)
{
    static const char *const functions[] = {"max(", "min(", "sqrt(", "floor(", "("};
    enum { MAX, MIN, SQRT, FLOOR, PLAIN, COUNT };
    for (int i = 0; i < COUNT; i++) {
        if (!take(reader, functions[i]))
            continue;
        reader->bad |= ++reader->depth > 32;
        double a = reader->bad ? NAN : sum(reader), b = NAN;
        if (i == MAX || i == MIN) {
            reader->bad |= !take(reader, ",");
            b = reader->bad ? NAN : sum(reader);
        }
        reader->bad |= !take(reader, ")");
        reader->depth--;
        return i == MAX     ? fmax(a, b)
               : i == MIN   ? fmin(a, b)
               : i == SQRT  ? sqrt(a)
               : i == FLOOR ? floor(a)
                            : a;
    }
    return number(reader);
}

static double power(struct reader *reader)
{
    double base = primary(reader);
    return take(reader, "^") ? pow(base, primary(reader)) : base;
}

static double product(struct reader *reader)
{
    double value = power(reader);
    for (;;) {
        if (take(reader, "x "))
            value *= power(reader);
        else if (take(reader, "/"))
            value /= power(reader);
        else
            return value;
        if (reader->bad)
            return NAN;
    }
}

static double sum(struct reader *reader)
{
    double value = product(reader);
    for (;;) {
        if (take(reader, "+"))
            value += product(reader);
        else if (take(reader, "- "))
            value -= product(reader);
        else
            return value;
        if (reader->bad)
            return NAN;
    }
}

bool arith_evaluate(const char *text, double *value)
{
    struct reader reader = {.at = text};
    *value = sum(&reader);
    skip_spaces(&reader);
    return !reader.bad && !*reader.at;
}
