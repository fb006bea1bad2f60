/* i18n.c - translations from the .mo catalogue inside the program. The format is GNU gettext's
 * (manual, "The Format of GNU MO Files"): two tables of (length, offset), the first of English
 * texts in byte order, read here without the gettext run time and without any locale. */
#include "base/i18n.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/embedded.h"

enum {
    MO_MAGIC_AT = 0,
    MO_COUNT_AT = 8,
    MO_ENGLISH_AT = 12,
    MO_TRANSLATED_AT = 16,
    MO_HEADER = 28
};
#define MO_MAGIC 0x950412DEu

static enum language current = LANGUAGE_EN;

/* Little-endian, as msgfmt writes by default. */
static uint32_t word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* The catalogue, found once; NULL when the program was built without it. */
static const unsigned char *catalogue(void)
{
    static const unsigned char *found;
    static bool searched;
    for (const struct embedded_file *file = embedded_files; !searched && file->name; file++)
        if (strcmp(file->name, "zh_CN.mo") == 0 && file->end - file->bytes >= MO_HEADER &&
            word(file->bytes + MO_MAGIC_AT) == MO_MAGIC)
            found = file->bytes;
    searched = true;
    return found;
}

/* Text number `index` of one of the two tables. */
static const char *entry(const unsigned char *mo, int table_at, uint32_t index)
{
    return (const char *)mo + word(mo + word(mo + table_at) + 8 * (size_t)index + 4);
}

const char *tr(const char *english)
{
    const unsigned char *mo = current == LANGUAGE_ZH && *english ? catalogue() : NULL;
    uint32_t low = 0, high = mo ? word(mo + MO_COUNT_AT) : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(english, entry(mo, MO_ENGLISH_AT, middle));
        if (order == 0)
            return entry(mo, MO_TRANSLATED_AT, middle);
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return english;
}

void i18n_set_language(enum language language)
{
    current = language;
}

enum language i18n_language(void)
{
    return current;
}

/* ---- which language ------------------------------------------------------------------------- */

/* The first of the variables that is set and not empty; "" when none is. */
static const char *first_set(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return value;
    }
    return "";
}

static bool is_utf8(const char *locale)
{
    const char *dot = strchr(locale, '.');
    return dot && (strncasecmp(dot + 1, "utf-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
}

static bool names_language(const char *locale, const char *language)
{
    size_t length = strcspn(locale, "_.@:-");
    return length == strlen(language) && strncasecmp(locale, language, length) == 0;
}

bool i18n_utf8(void)
{
    return is_utf8(first_set((const char *const[]){"LC_ALL", "LC_CTYPE", "LANG", NULL}));
}

/* LANGUAGE lists languages, the best first, and stands above the locale unless that is "C". */
static enum language from_environment(void)
{
    const char *messages = first_set((const char *const[]){"LC_ALL", "LC_MESSAGES", "LANG", NULL});
    const char *list = first_set((const char *const[]){"LANGUAGE", NULL});
    if (!i18n_utf8())
        return LANGUAGE_EN;
    for (; *list; list += strcspn(list, ":"), list += *list == ':') {
        if (names_language(list, "zh"))
            return LANGUAGE_ZH;
        if (names_language(list, "en"))
            return LANGUAGE_EN;
    }
    return names_language(messages, "zh") ? LANGUAGE_ZH : LANGUAGE_EN;
}

bool i18n_choose(const char *option)
{
    if (!option)
        current = from_environment();
    else if (strcmp(option, "zh") == 0)
        current = LANGUAGE_ZH;
    else if (strcmp(option, "en") == 0)
        current = LANGUAGE_EN;
    else
        return false;
    return true;
}
