/* Every text for people against the Chinese catalogue inside the program. The list of texts is the
 * one that `make po` gathers from the sources and the data, build/gpuwiz.pot. */
#include "tests/test.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "data/catalog.h"
#include "data/lesson.h"
#include "engine/billing.h"
#include "engine/memory.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/keymap.h"

/* ---- the list of texts -------------------------------------------------------------------------- */

enum { TEXTS_MAX = 4000 };
static struct {
    char *english;
    bool is_format; /* a printf format, as xgettext says */
} texts[TEXTS_MAX];
static int text_count;

/* Appends what stands between the quotation marks of a line. */
static void add_quoted(struct strbuf *out, const char *line)
{
    const char *p = strchr(line, '"');
    for (p = p ? p + 1 : ""; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            strbuf_add_n(out, *++p == 'n' ? "\n" : *p == 't' ? "\t" : p, 1);
        else
            strbuf_add_n(out, p, 1);
    }
}

static int read_texts(void **state)
{
    (void)state;
    const char *program = getenv("GPUWIZ_PROGRAM");
    char folder[512], path[600], message[1024];
    snprintf(folder, sizeof folder, "%s", program ? program : "build/gpuwiz");
    snprintf(path, sizeof path, "%s/gpuwiz.pot", dirname(folder));
    struct strbuf pot = {0}, text = {0};
    struct error error;
    if (!file_read(path, 4 << 20, &pot, &error)) {
        print_error("%s\n", error_text(&error, message, sizeof message));
        return 1;
    }
    bool inside = false, is_format = false;
    char *save = NULL;
    for (char *line = strtok_r(pot.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "msgid ", 6) == 0)
            inside = true;
        if (inside && strncmp(line, "msgstr ", 7) == 0) {
            assert_true(text_count < TEXTS_MAX);
            if (text.length) { /* not the header */
                texts[text_count].english = xrealloc(NULL, text.length + 1, 1);
                texts[text_count].is_format = is_format;
                strcpy(texts[text_count++].english, text.data);
            }
            strbuf_reset(&text);
            inside = is_format = false;
        }
        if (strncmp(line, "#,", 2) == 0)
            is_format = strstr(line, " c-format") != NULL;
        if (inside)
            add_quoted(&text, line);
    }
    strbuf_clear(&pot);
    strbuf_clear(&text);
    i18n_set_language(LANGUAGE_ZH);
    return 0;
}

static int forget_texts(void **state)
{
    (void)state;
    for (int i = 0; i < text_count; i++)
        free(texts[i].english);
    i18n_set_language(LANGUAGE_EN);
    return 0;
}

/* ---- all are there, and keep what a program needs ------------------------------------------------ */

/* msgfmt leaves fuzzy entries out, so they are missed here as well. */
static void every_text_has_a_translation(void **state)
{
    (void)state;
    int missing = 0;
    assert_true(text_count > 1000);
    for (int i = 0; i < text_count; i++)
        if (tr(texts[i].english) == texts[i].english) {
            print_error("not translated: %s\n", texts[i].english);
            missing++;
        }
    if (missing)
        fail_msg("%d texts are not in data/zh_CN.po; `make po` adds them for the translator", missing);
}

/* The conversions of a format one after another, "%" and flags to the letter: "%s%.1f%%". */
static const char *conversions(const char *format, char *text, size_t size)
{
    size_t used = 0;
    for (const char *p = format; (p = strchr(p, '%')) != NULL;) {
        size_t length = 1 + strspn(p + 1, "0123456789.*-+# hlzjt") + 1;
        used += (size_t)snprintf(text + used, size - used, "%.*s", (int)length, p);
        if (used >= size)
            break;
        p += length;
    }
    text[used < size ? used : size - 1] = '\0';
    return text;
}

static void formats_keep_their_conversions(void **state)
{
    (void)state;
    char english[200], chinese[200];
    int formats = 0;
    for (int i = 0; i < text_count; i++) {
        if (!texts[i].is_format)
            continue;
        formats++;
        conversions(texts[i].english, english, sizeof english);
        conversions(tr(texts[i].english), chinese, sizeof chinese);
        if (strcmp(english, chinese) != 0)
            fail_msg("\"%s\" has %s, its translation %s", texts[i].english, english, chinese);
    }
    assert_true(formats > 200);
}

static int count_of(const char *text, char c)
{
    int count = 0;
    for (; *text; text++)
        count += *text == c;
    return count;
}

/* "{need} / {usable}": the figures are put in by their order. */
static void formulas_keep_their_figures(void **state)
{
    (void)state;
    for (int i = 0; i < text_count; i++)
        if (count_of(texts[i].english, '{') != count_of(tr(texts[i].english), '{'))
            fail_msg("other figures: %s", tr(texts[i].english));
}

static bool ends_line(const char *text)
{
    return *text && text[strlen(text) - 1] == '\n';
}

static void lines_end_where_they_did(void **state)
{
    (void)state;
    for (int i = 0; i < text_count; i++)
        if (ends_line(texts[i].english) != ends_line(tr(texts[i].english)))
            fail_msg("the end of line differs: %s", tr(texts[i].english));
}

/* Chinese is punctuated in full width; half-width marks stand in code and between Latin words. */
static void chinese_words_are_followed_by_chinese_punctuation(void **state)
{
    (void)state;
    for (int i = 0; i < text_count; i++) {
        const char *chinese = tr(texts[i].english);
        uint32_t before = 0;
        for (uint32_t c; (c = text_next(&chinese)) != 0; before = c)
            if (before >= 0x4E00 && before <= 0x9FFF && c < 0x80 && strchr(",;!?", (int)c))
                fail_msg("half-width '%c' in %s", (char)c, tr(texts[i].english));
    }
}

static int expect_explained(const struct glossary *glossary, const char *english)
{
    if (glossary_find(glossary, tr(english)))
        return 0;
    print_error("data/glossary.yaml has no entry for \"%s\"\n", tr(english));
    return 1;
}

/* `? WORD` in a lesson answers to the words of the screen. */
static void the_glossary_explains_what_the_screen_says(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct glossary glossary;
    struct error error;
    int missing = 0;
    assert_true(glossary_load("data", arena, &glossary, &error));
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        for (int id = 0; id < FIELD_COUNT; id++)
            missing += expect_explained(&glossary, fields[id].label);
        for (int i = 0; i < COMPONENT_COUNT; i++)
            missing += expect_explained(&glossary, components[i].label);
        for (int i = 0; i < TERM_COUNT; i++)
            missing += expect_explained(&glossary, speed_terms[i].label);
        for (int i = 0; i < MODE_COUNT; i++)
            missing += expect_explained(&glossary, billing_modes[i].label);
        for (int i = 0; i < column_count; i++)
            missing += expect_explained(&glossary, columns[i].heading);
    }
    arena_free(arena);
    assert_int_equal(missing, 0);
}

/* Known sources in Chinese, the figures they are for and a user's own source as they stand. */
static void sources_of_a_record_are_translated_one_by_one(void **state)
{
    (void)state;
    const char *known = "recalled, not looked up", *same = "recalled: missing from the source table";
    char source[200], expected[300];
    struct strbuf words = {0};
    snprintf(source, sizeof source, "%s (usable_gib); a quote of mine; %s", known, same);
    snprintf(expected, sizeof expected, "%s (usable_gib)%sa quote of mine%s%s", tr(known), tr("; "), tr("; "), tr(same));
    catalog_source_words(source, &words);
    assert_string_equal(words.data, expected);
    assert_string_not_equal(words.data, source);
    strbuf_clear(&words);
    i18n_set_language(LANGUAGE_EN);
    catalog_source_words(source, &words);
    assert_string_equal(words.data, source);
    strbuf_clear(&words);
    i18n_set_language(LANGUAGE_ZH);
}

/* ---- room ---------------------------------------------------------------------------------------- */

static void expect_cells(const char *english, int most)
{
    if (text_width(tr(english)) > most)
        fail_msg("\"%s\" takes %d cells of %d", tr(english), text_width(tr(english)), most);
}

/* The budgets are those that the headers promise. */
static void labels_keep_to_their_cells_in_both_languages(void **state)
{
    (void)state;
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        for (int id = 0; id < FIELD_COUNT; id++)
            expect_cells(fields[id].label, 22);
        for (int i = 0; i < COMPONENT_COUNT; i++)
            expect_cells(components[i].label, 12);
        for (int i = VERDICT_FITS; i <= VERDICT_NO; i++)
            expect_cells(verdict_labels[i], 8);
        for (int i = 0; i < MODE_COUNT; i++)
            expect_cells(billing_modes[i].label, 16);
        for (int i = 0; i < STEP_COUNT; i++)
            expect_cells(step_labels[i], 10);
        for (int i = 0; i < column_count; i++)
            expect_cells(columns[i].heading, columns[i].width - 1); /* the sort mark */
        for (int i = 0; i < keymap_rows; i++)
            if (keymap[i].label)
                expect_cells(keymap[i].label, 12);
    }
}

/* Eighty columns show as many keys in Chinese as in English, help among them. */
static void the_footer_shows_no_fewer_keys_in_chinese(void **state)
{
    (void)state;
    struct footer_item items[FOOTER_MAX];
    for (int screen = 0; screen < SCREEN_COUNT; screen++) {
        i18n_set_language(LANGUAGE_EN);
        int english = footer_layout((enum screen_id)screen, 80, items);
        i18n_set_language(LANGUAGE_ZH);
        int chinese = footer_layout((enum screen_id)screen, 80, items);
        if (chinese < english)
            fail_msg("screen %d: %d keys instead of %d", screen, chinese, english);
    }
}

#define TEST(function) cmocka_unit_test(function)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_text_has_a_translation), TEST(formats_keep_their_conversions),
        TEST(formulas_keep_their_figures), TEST(lines_end_where_they_did),
        TEST(chinese_words_are_followed_by_chinese_punctuation),
        TEST(sources_of_a_record_are_translated_one_by_one),
        TEST(the_glossary_explains_what_the_screen_says),
        TEST(labels_keep_to_their_cells_in_both_languages),
        TEST(the_footer_shows_no_fewer_keys_in_chinese)};
    return cmocka_run_group_tests(tests, read_texts, forget_texts);
}
