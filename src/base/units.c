#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"

/* ---- reading -------------------------------------------------------------------------------- */

static size_t skip_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Bytes of the decimal number at the start of `text`, 0 when there is none. Keeps strtod from
 * reading "inf", "nan" and hexadecimal. */
static size_t number_length(const char *text)
{
    size_t at = *text == '-' || *text == '+';
    size_t whole = skip_digits(text + at), fraction = 0;
    at += whole;
    if (text[at] == '.') {
        fraction = skip_digits(text + at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (text[at] == 'e' || text[at] == 'E') {
        size_t sign = text[at + 1] == '-' || text[at + 1] == '+';
        size_t digits = skip_digits(text + at + 1 + sign);
        if (digits > 0)
            at += 1 + sign + digits;
    }
    return at;
}

/* The factor a suffix such as "k", "GiB" or "b" stands for; 0 when it stands for none. */
static double suffix_factor(const char *suffix, bool binary_k)
{
    static const char prefixes[] = "kmgt";
    if (strcmp(suffix, "") == 0)
        return 1;
    if (strcmp(suffix, "b") == 0 || strcmp(suffix, "B") == 0)
        return 1e9;
    const char *prefix = strchr(prefixes, tolower((unsigned char)*suffix));
    if (!prefix)
        return 0;
    bool binary = suffix[1] == 'i' || (binary_k && *prefix == 'k' && !suffix[1]);
    const char *rest = suffix + 1 + (suffix[1] == 'i');
    if (strcmp(rest, "") != 0 && strcmp(rest, "B") != 0)
        return 0;
    return pow(binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
}

bool units_parse(const char *text, bool binary_k, double *value)
{
    char suffix[4] = "";
    text += strspn(text, " ");
    size_t length = number_length(text);
    const char *rest = text + length + strspn(text + length, " ");
    size_t suffix_length = strcspn(rest, " ");
    if (length == 0 || suffix_length >= sizeof suffix ||
        rest[suffix_length + strspn(rest + suffix_length, " ")])
        return false;
    memcpy(suffix, rest, suffix_length);
    double number = strtod(text, NULL), scale = suffix_factor(suffix, binary_k);
    double result = strcmp(suffix, "%") == 0 ? number / 100 : number * scale;
    if ((scale == 0 && strcmp(suffix, "%") != 0) || !isfinite(result))
        return false;
    *value = result;
    return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

static char *not_known(char *text)
{
    return strcpy(text, "-");
}

char *units_thousands(double value, char *text)
{
    char digits[UNITS_TEXT];
    if (!(fabs(value) < 1e20))
        return not_known(text);
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    char *out = text;
    if (value < 0 && strcmp(digits, "0") != 0)
        *out++ = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

/* Decimals that leave three significant digits; 99.95 rounds up to 100 and then needs none. */
static int decimals(double value)
{
    value = fabs(value);
    return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

char *units_gib(double gib, char *text)
{
    if (isnan(gib))
        return not_known(text);
    if (decimals(gib) == 0)
        return units_thousands(gib, text);
    snprintf(text, UNITS_TEXT, "%.*f", decimals(gib), gib);
    return text;
}

char *units_cny(double cny, char *text)
{
    if (isnan(cny))
        return not_known(text);
    if (fabs(cny) >= 99.995)
        return units_thousands(cny, text);
    snprintf(text, UNITS_TEXT, "%.2f", cny);
    return text;
}

char *units_rate(double cny, char *text)
{
    if (!(fabs(cny) < 0.9995))
        return units_cny(cny, text);
    snprintf(text, UNITS_TEXT, "%.3f", cny);
    return text;
}

static void strip_zeros(char *text)
{
    if (!strchr(text, '.'))
        return;
    size_t end = strlen(text);
    while (text[end - 1] == '0')
        end--;
    text[end - (text[end - 1] == '.')] = '\0';
}

char *units_count(double count, char *text)
{
    static const char *const suffixes[] = {"", "k", "M", "B", "T"};
    size_t step = 0;
    if (isnan(count))
        return not_known(text);
    while (fabs(count) >= 999.5 && step + 1 < sizeof suffixes / sizeof *suffixes) {
        count /= 1000;
        step++;
    }
    if (fabs(count) >= 999.5)
        units_thousands(count, text);
    else
        snprintf(text, UNITS_TEXT - 1, "%.*f", decimals(count), count);
    strip_zeros(text);
    strcat(text, suffixes[step]);
    return text;
}

/* Units of time, each used below `limit_h` hours. */
static const struct {
    double limit_h, per_hour;
    const char *unit;
} time_units[] = {
    {1.0 / 60, 3600, N_("s")},
    {0.9917, 60, N_("min")}, /* 59.5 minutes and more are an hour */
    {47.95, 1, N_("h")},
    {INFINITY, 1.0 / 24, N_("d")},
};

char *units_hours(double hours, char *text)
{
    size_t unit = 0;
    char number[UNITS_TEXT];
    if (!isfinite(hours))
        return not_known(text);
    while (fabs(hours) >= time_units[unit].limit_h)
        unit++;
    double value = hours * time_units[unit].per_hour;
    if (unit < 2 || fabs(value) >= 99.95)
        units_thousands(value, number);
    else
        snprintf(number, sizeof number, "%.1f", value);
    snprintf(text, UNITS_TEXT, "%.20s %s", number, tr(time_units[unit].unit));
    return text;
}

char *units_plain(double value, char *text)
{
    if (isnan(value))
        return not_known(text);
    if (fabs(value) < 1e22 && value == rint(value)) {
        snprintf(text, UNITS_TEXT, "%.0f", value + 0.0); /* + 0.0: no "-0" */
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, UNITS_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (int places = 5; strchr(text, 'e') && fabs(value) < 1e-4 && places < 28; places++) {
        char fixed[UNITS_TEXT];
        snprintf(fixed, sizeof fixed, "%.*f", places, value);
        if (strtod(fixed, NULL) == value)
            strcpy(text, fixed);
    }
    return text;
}

char *units_machine(double value, char *text)
{
    if (isfinite(value) && value != rint(value * 100) / 100) { /* whole fen keep every digit */
        snprintf(text, UNITS_TEXT, "%.9g", value);
        value = strtod(text, NULL);
    }
    return units_plain(value, text);
}
