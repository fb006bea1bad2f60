/* The manual pages, English and Chinese, against the tables they describe. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/strbuf.h"
#include "data/scenario.h"
#include "report/lists.h"
#include "ui/keymap.h"

static const struct page {
    enum language language;
    const char *file, *keys, *fields; /* the sections that tables make */
} pages[] = {
    {LANGUAGE_EN, "man/gpuwiz.1", ".Sh KEYS", ".Sh SCENARIO FIELDS"},
    {LANGUAGE_ZH, "man/zh_CN/gpuwiz.1", ".Sh 按键", ".Sh 场景的键"},
};
enum { PAGES = sizeof pages / sizeof *pages };

/* The page with its line ends made spaces, so that a sentence is found however it was broken. A
 * Chinese one is broken without a space: after a full stop, or anywhere by "\c". */
static char *read_page(const struct page *page, struct strbuf *text)
{
    struct error error;
    struct strbuf lines = {0};
    i18n_set_language(page->language);
    if (!file_read(page->file, 1 << 20, &lines, &error))
        fail_msg("%s", error.message);
    strbuf_reset(text);
    for (const char *p = lines.data; *p; p++) {
        if (strncmp(p, "\\c\n", 3) == 0)
            p += 2;
        else if (strncmp(p, "\\&.", 3) == 0) /* a word with a point before it begins a line */
            p++;
        else if (*p != '\n')
            strbuf_add_n(text, p, 1);
        else if (p - lines.data < 3 || strncmp(p - 3, "。", 3) != 0)
            strbuf_add(text, " ");
    }
    strbuf_clear(&lines);
    return text->data;
}

static void expect_on_page(const struct page *page, const char *part, const char *text)
{
    if (!strstr(part, text))
        fail_msg("%s lacks: %s", page->file, text);
}

/* A test of one page is done for each. */
#define FOR_EACH_PAGE(name)                                                                        \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        for (int i = 0; i < PAGES; i++)                                                            \
            name##_of(&pages[i]);                                                                  \
        i18n_set_language(LANGUAGE_EN);                                                            \
    }

static void every_question_and_choice_is_on_the_page_of(const struct page *page)
{
    struct strbuf text = {0};
    const char *fields_at = strstr(read_page(page, &text), page->fields);
    assert_non_null(fields_at);
    for (int id = 0; id < FIELD_COUNT; id++) {
        char item[200];
        snprintf(item, sizeof item, ".It Ic %s ", fields[id].key);
        const char *at = strstr(fields_at, item), *end = at ? strstr(at + 1, ".It Ic ") : NULL;
        if (!at)
            fail_msg("%s lacks the field %s", page->file, fields[id].key);
        for (int i = 0; fields[id].choices && fields[id].choices[i]; i++) {
            snprintf(item, sizeof item, ".Cm %s ", fields[id].choices[i]);
            const char *choice = strstr(at, item);
            if (!choice || (end && choice > end))
                fail_msg("%s lacks %s=%s", page->file, fields[id].key, fields[id].choices[i]);
        }
        expect_on_page(page, at, tr(fields[id].help));
    }
    strbuf_clear(&text);
}
FOR_EACH_PAGE(every_question_and_choice_is_on_the_page)

/* No entry describes a field that does not exist (any more). */
static void the_page_describes_no_other_fields_of(const struct page *page)
{
    struct strbuf text = {0};
    char *at = strstr(read_page(page, &text), page->fields);
    char *end = strstr(at, ".Sh JSON");
    int count = 0;
    for (at = strstr(at, ".It Ic "); at && at < end; at = strstr(at + 1, ".It Ic ")) {
        char key[40];
        assert_int_equal(sscanf(at, ".It Ic %39s", key), 1);
        if (!field_find(key))
            fail_msg("%s describes %s", page->file, key);
        count++;
    }
    assert_int_equal(count, FIELD_COUNT);
    strbuf_clear(&text);
}
FOR_EACH_PAGE(the_page_describes_no_other_fields)

static void every_key_of_the_wizard_is_on_the_page_of(const struct page *page)
{
    struct strbuf text = {0};
    const char *keys = strstr(read_page(page, &text), page->keys);
    assert_non_null(keys);
    for (int i = 0; i < keymap_rows; i++) {
        char names[64], item[500];
        const char *name = keymap_keys(&keymap[i], names);
        bool escaped = strchr("-.'", *name) != NULL;
        snprintf(item, sizeof item, ".It Ic %s%s %s", escaped ? "\\&" : "", name, tr(keymap[i].help));
        expect_on_page(page, keys, item);
    }
    strbuf_clear(&text);
}
FOR_EACH_PAGE(every_key_of_the_wizard_is_on_the_page)

/* The options are told by the program itself, which prints its table. */
static void every_option_and_command_is_on_the_page_of(const struct page *page)
{
    const char *program = getenv("GPUWIZ_PROGRAM");
    struct strbuf text = {0};
    char command[300], line[300], name[64];
    int count = 0;
    read_page(page, &text);
    snprintf(command, sizeof command, "%s --lang en --help", program ? program : "build/gpuwiz");
    FILE *help = popen(command, "r");
    assert_non_null(help);
    while (fgets(line, sizeof line, help)) {
        const char *option = strstr(line, "--");
        char item[100];
        if (option && option < line + 8 && sscanf(option, "--%63[a-z-]", name) == 1)
            snprintf(item, sizeof item, "Fl Fl %s ", name);
        else if (sscanf(line, "  gpuwiz %63[a-z]", name) == 1)
            snprintf(item, sizeof item, "Nm Cm %s ", name);
        else
            continue;
        expect_on_page(page, text.data, item);
        count++;
    }
    assert_int_equal(pclose(help), 0);
    assert_true(count > 20);
    for (int i = 0; list_names[i]; i++) {
        snprintf(line, sizeof line, ".Cm %s ", list_names[i]);
        expect_on_page(page, text.data, line);
    }
    strbuf_clear(&text);
}
FOR_EACH_PAGE(every_option_and_command_is_on_the_page)

static void the_page_is_clean_mdoc_of(const struct page *page)
{
    char command[200], line[300] = "";
    /* other pages need not be installed for this one to be right */
    snprintf(command, sizeof command, "mandoc -Tlint %s 2>&1 | grep -v 'referenced manual not found'", page->file);
    FILE *lint = popen(command, "r");
    assert_non_null(lint);
    char *complaint = fgets(line, sizeof line, lint);
    pclose(lint);
    if (complaint)
        fail_msg("%s", complaint);
}
FOR_EACH_PAGE(the_page_is_clean_mdoc)

TEST_MAIN(cmocka_unit_test(every_question_and_choice_is_on_the_page),
          cmocka_unit_test(the_page_describes_no_other_fields),
          cmocka_unit_test(every_key_of_the_wizard_is_on_the_page),
          cmocka_unit_test(every_option_and_command_is_on_the_page),
          cmocka_unit_test(the_page_is_clean_mdoc))
