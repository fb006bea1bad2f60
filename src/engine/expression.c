/* expression.c - reads and evaluates expressions in one pass: a parser by recursive descent whose
 * functions return values. Texts are short and evaluated once a redraw, so nothing is compiled. */
#include "engine/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

enum { NAME_BYTES = 80, DEPTH_MAX = 40 };

struct parser {
    const char *start, *at;
    const struct expression_scope *scope;
    struct error *error;
    bool failed;
    int depth;
    int names;             /* how many were read; */
    enum result_form form; /* of the last one */
    const char *words;     /* of the last one, NULL when it is a number */
};

static double fail(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static double fail(struct parser *parser, const char *format, ...)
{
    char message[300];
    va_list arguments;
    if (!parser->failed) {
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        error_set(parser->error, "%s", message);
        if (parser->error)
            parser->error->column = (int)(parser->at - parser->start) + 1;
    }
    parser->failed = true;
    return NAN;
}

/* ---- words and signs ------------------------------------------------------------------------ */

static void skip_spaces(struct parser *parser)
{
    while (*parser->at == ' ')
        parser->at++;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool take(struct parser *parser, const char *sign)
{
    skip_spaces(parser);
    size_t length = strlen(sign);
    bool word = isalpha((unsigned char)*sign);
    if (strncmp(parser->at, sign, length) != 0 || (word && is_name_char(parser->at[length])))
        return false;
    parser->at += length;
    return true;
}

static void need(struct parser *parser, const char *sign)
{
    if (!take(parser, sign))
        fail(parser, tr("%s is missing"), sign);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Ids of rules have hyphens, which elsewhere are minus signs. */
static size_t name_length(const char *text)
{
    bool hyphens = strncmp(text, "advice.", 7) == 0;
    size_t length = 0;
    while (is_name_char(text[length]) || (hyphens && text[length] == '-'))
        length++;
    return length;
}

static struct results *variant(struct parser *parser, const char *name, size_t length)
{
    for (int i = 0; i < parser->scope->count; i++)
        if (strncmp(parser->scope->names[i], name, length) == 0 && !parser->scope->names[i][length])
            return &parser->scope->variants[i];
    fail(parser, tr("there is no variant called %.*s"), (int)length, name);
    return NULL;
}

static double name_value(struct parser *parser)
{
    char name[NAME_BYTES];
    const char *words = NULL;
    double value = NAN;
    size_t length = name_length(parser->at);
    if (length >= sizeof name)
        return fail(parser, "%s", tr("this name is too long"));
    snprintf(name, sizeof name, "%.*s", (int)length, parser->at);
    struct results *results = parser->scope->now;
    const char *end = parser->at + length;
    if (*end == '@') {
        size_t rest = 0;
        while (is_name_char(end[1 + rest]))
            rest++;
        results = variant(parser, end + 1, rest);
        end += 1 + rest;
    }
    struct error error = {0};
    if (!results || !result_find(results, name, &value, &words, &parser->form, &error)) {
        fail(parser, "%s", error.message);
        if (error.hint[0])
            error_hint(parser->error, "%s", error.hint);
        return NAN;
    }
    parser->at = end;
    parser->names++;
    parser->words = words;
    return value;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static double choice(struct parser *parser);

static double smaller(double a, double b)
{
    return fmin(a, b);
}
static double larger(double a, double b)
{
    return fmax(a, b);
}

static const struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {"min", NULL, smaller}, {"max", NULL, larger},  {"round", round, NULL},
    {"ceil", ceil, NULL},   {"floor", floor, NULL}, {"sqrt", sqrt, NULL},
};

static double call(struct parser *parser, const struct function *function)
{
    need(parser, "(");
    double first = choice(parser), second = 0;
    if (function->two) {
        need(parser, ",");
        second = choice(parser);
    }
    need(parser, ")");
    parser->names = 2; /* no longer one name by itself */
    return function->two ? function->two(first, second) : function->one(first);
}

static double primary(struct parser *parser)
{
    skip_spaces(parser);
    if (parser->failed || parser->depth > DEPTH_MAX)
        return fail(parser, "%s", tr("too deep"));
    if (take(parser, "(")) {
        double value = choice(parser);
        need(parser, ")");
        return value;
    }
    if (isdigit((unsigned char)*parser->at)) {
        char *end;
        double value = strtod(parser->at, &end);
        parser->at = end;
        parser->names += 2;
        return value;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (take(parser, functions[i].name))
            return call(parser, &functions[i]);
    if (isalpha((unsigned char)*parser->at))
        return name_value(parser);
    return fail(parser, "%s", tr("a number or a name is missing"));
}

static double signed_value(struct parser *parser)
{
    parser->depth++;
    double value = take(parser, "-") ? -signed_value(parser) : primary(parser);
    parser->depth--;
    return value;
}

static double product(struct parser *parser)
{
    double value = signed_value(parser);
    for (;;) {
        if (take(parser, "*"))
            value *= signed_value(parser);
        else if (take(parser, "/"))
            value /= signed_value(parser);
        else
            return value;
        parser->names += 2;
    }
}

static double sum(struct parser *parser)
{
    double value = product(parser);
    for (;;) {
        if (take(parser, "+"))
            value += product(parser);
        else if (take(parser, "-"))
            value -= product(parser);
        else
            return value;
        parser->names += 2;
    }
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static double comparison(struct parser *parser)
{
    double left = sum(parser);
    static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};
    size_t i = 0, count = sizeof signs / sizeof *signs;
    while (i < count && !take(parser, signs[i]))
        i++;
    if (i == count)
        return left;
    double right = sum(parser);
    if (isnan(left) || isnan(right))
        return 0;
    const bool holds[] = {left <= right, left >= right, left == right, left != right,
                          left<right, left> right};
    return holds[i];
}

static double negation(struct parser *parser)
{
    parser->depth++;
    double value = take(parser, "not") ? !(negation(parser) > 0) : comparison(parser);
    parser->depth--;
    return value;
}

/* Both sides are always read, so that both are checked. */
static double conjunction(struct parser *parser)
{
    double value = negation(parser);
    while (take(parser, "and")) {
        double right = negation(parser);
        value = value > 0 && right > 0;
    }
    return value;
}

static double choice(struct parser *parser)
{
    double value = conjunction(parser);
    while (take(parser, "or")) {
        double right = conjunction(parser);
        value = value > 0 || right > 0;
    }
    return value;
}

static bool evaluate(struct parser *parser, const char *text, const struct expression_scope *scope,
                     double *value, struct error *error)
{
    *parser = (struct parser){.start = text, .at = text, .scope = scope, .error = error};
    *value = choice(parser);
    skip_spaces(parser);
    if (*parser->at)
        fail(parser, tr("\"%s\" is not understood"), parser->at);
    return !parser->failed;
}

bool expression_value(const char *text, const struct expression_scope *scope, double *value,
                      struct error *error)
{
    struct parser parser;
    if (!evaluate(&parser, text, scope, value, error))
        return false;
    if (parser.words)
        return error_set(error, tr("%s stands for words, not for a number"), text);
    return true;
}

bool expression_check(const char *text, const struct expression_scope *scope, struct error *error)
{
    struct parser parser;
    double value;
    return evaluate(&parser, text, scope, &value, error);
}

/* ---- filling texts -------------------------------------------------------------------------- */

static const char *const form_names[] = {"plain",   "gib", "count", "whole",
                                         "percent", "cny", "hours", "tenths"};

static bool form_of(const char *name, enum result_form *form, struct error *error)
{
    for (size_t i = 0; i < sizeof form_names / sizeof *form_names; i++)
        if (strcmp(form_names[i], name) == 0) {
            *form = (enum result_form)i;
            return true;
        }
    error_set(error, tr("there is no form called %s"), name);
    return error_hint(error, "plain, gib, count, whole, percent, cny, hours, tenths");
}

static void write_value(double value, enum result_form form, bool ascii, struct strbuf *out)
{
    char text[UNITS_TEXT];
    switch (form) {
    case FORM_GIB:
        strbuf_add(out, units_gib(value, text));
        break;
    case FORM_COUNT:
        strbuf_add(out, units_count(value, text));
        break;
    case FORM_WHOLE:
        strbuf_add(out, units_thousands(value, text));
        break;
    case FORM_PERCENT:
        strbuf_printf(out, "%s %%", units_gib(100 * value, text));
        break;
    case FORM_CNY:
        strbuf_printf(out, "%s%s", ascii ? "CNY " : "¥", units_cny(value, text));
        break;
    case FORM_HOURS:
        strbuf_add(out, units_hours(value, text));
        break;
    case FORM_TENTHS:
        strbuf_printf(out, "%.1f", value);
        break;
    default:
        strbuf_add(out, units_plain(value, text));
    }
}

static bool fill_one(const char *text, const struct expression_scope *scope, struct strbuf *out,
                     struct error *error)
{
    struct parser parser;
    double value;
    char expression[400];
    snprintf(expression, sizeof expression, "%s", text);
    char *bar = strchr(expression, '|');
    if (bar)
        *bar = '\0';
    if (!evaluate(&parser, expression, scope, &value, error))
        return false;
    enum result_form form = parser.names == 1 ? parser.form : FORM_GIB;
    if (bar && !form_of(bar + 1, &form, error))
        return false;
    if (parser.words)
        strbuf_add(out, parser.words);
    else if (!isfinite(value) && scope->lenient)
        strbuf_add(out, "-");
    else if (!isfinite(value))
        return error_set(error, tr("the figure %s is not known here"), expression);
    else
        write_value(value, form, scope->ascii, out);
    return true;
}

bool expression_fill(const char *text, const struct expression_scope *scope, struct strbuf *out,
                     struct error *error)
{
    const char *start = text;
    for (const char *open; (open = strchr(text, '{')) != NULL;) {
        const char *close = strchr(open, '}');
        char expression[400];
        strbuf_add_n(out, text, (size_t)(open - text));
        size_t length = close ? (size_t)(close - open - 1) : 0;
        if (!close || length >= sizeof expression) {
            error_set(error, "%s", tr("a { is not closed"));
            if (error)
                error->column = (int)(open - start) + 1;
            return false;
        }
        snprintf(expression, sizeof expression, "%.*s", (int)length, open + 1);
        if (!fill_one(expression, scope, out, error)) {
            if (error)
                error->column = (error->column > 0 ? error->column : 1) + (int)(open - start) + 1;
            return false;
        }
        text = close + 1;
    }
    strbuf_add(out, text);
    return true;
}
