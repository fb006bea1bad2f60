/* The manual page against the tables it describes. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/strbuf.h"
#include "data/scenario.h"
#include "report/lists.h"
#include "ui/keymap.h"

/* The page with every line end made a space, so that a sentence is found however it was broken. */
static char *read_page(struct strbuf *page)
{
    struct error error;
    if (!file_read("man/gpuwiz.1", 1 << 20, page, &error))
        fail_msg("%s", error.message);
    for (char *p = page->data; *p; p++)
        if (*p == '\n')
            *p = ' ';
    return page->data;
}

static void expect_on_page(const char *page, const char *text)
{
    if (!strstr(page, text))
        fail_msg("man/gpuwiz.1 lacks: %s", text);
}

static void every_question_and_choice_is_on_the_page(void **state)
{
    (void)state;
    struct strbuf page = {0};
    const char *fields_at = strstr(read_page(&page), ".Sh SCENARIO FIELDS");
    assert_non_null(fields_at);
    for (int id = 0; id < FIELD_COUNT; id++) {
        char item[200];
        snprintf(item, sizeof item, ".It Ic %s ", fields[id].key);
        const char *at = strstr(fields_at, item), *end = at ? strstr(at + 1, ".It Ic ") : NULL;
        if (!at)
            fail_msg("man/gpuwiz.1 lacks the field %s", fields[id].key);
        for (int i = 0; fields[id].choices && fields[id].choices[i]; i++) {
            snprintf(item, sizeof item, ".Cm %s ", fields[id].choices[i]);
            const char *choice = strstr(at, item);
            if (!choice || (end && choice > end))
                fail_msg("man/gpuwiz.1 lacks %s=%s", fields[id].key, fields[id].choices[i]);
        }
        expect_on_page(at, fields[id].help);
    }
    strbuf_clear(&page);
}

/* No entry describes a field that does not exist (any more). */
static void the_page_describes_no_other_fields(void **state)
{
    (void)state;
    struct strbuf page = {0};
    char *at = strstr(read_page(&page), ".Sh SCENARIO FIELDS");
    char *end = strstr(at, ".Sh JSON");
    int count = 0;
    for (at = strstr(at, ".It Ic "); at && at < end; at = strstr(at + 1, ".It Ic ")) {
        char key[40];
        assert_int_equal(sscanf(at, ".It Ic %39s", key), 1);
        if (!field_find(key))
            fail_msg("man/gpuwiz.1 describes %s", key);
        count++;
    }
    assert_int_equal(count, FIELD_COUNT);
    strbuf_clear(&page);
}

static void every_key_of_the_wizard_is_on_the_page(void **state)
{
    (void)state;
    struct strbuf page = {0};
    const char *keys = strstr(read_page(&page), ".Sh KEYS");
    for (int i = 0; i < keymap_rows; i++) {
        char text[64], item[500];
        const char *name = keymap_keys(&keymap[i], text);
        bool escaped = strchr("-.'", *name) != NULL;
        snprintf(item, sizeof item, ".It Ic %s%s %s", escaped ? "\\&" : "", name, keymap[i].help);
        expect_on_page(keys, item);
    }
    strbuf_clear(&page);
}

/* The options are told by the program itself, which prints its table. */
static void every_option_and_command_is_on_the_page(void **state)
{
    (void)state;
    const char *program = getenv("GPUWIZ_PROGRAM");
    struct strbuf page = {0};
    char command[300], line[300], name[64];
    int count = 0;
    read_page(&page);
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
        expect_on_page(page.data, item);
        count++;
    }
    assert_int_equal(pclose(help), 0);
    assert_true(count > 20);
    for (int i = 0; list_names[i]; i++) {
        snprintf(line, sizeof line, ".Cm %s ", list_names[i]);
        expect_on_page(page.data, line);
    }
    strbuf_clear(&page);
}

static void the_page_is_clean_mdoc(void **state)
{
    (void)state;
    char line[300] = "";
    /* other pages need not be installed for this one to be right */
    FILE *lint = popen("mandoc -Tlint man/gpuwiz.1 2>&1 | grep -v 'referenced manual not found'", "r");
    assert_non_null(lint);
    char *complaint = fgets(line, sizeof line, lint);
    pclose(lint);
    if (complaint)
        fail_msg("%s", complaint);
}

TEST_MAIN(cmocka_unit_test(every_question_and_choice_is_on_the_page),
          cmocka_unit_test(the_page_describes_no_other_fields),
          cmocka_unit_test(every_key_of_the_wizard_is_on_the_page),
          cmocka_unit_test(every_option_and_command_is_on_the_page),
          cmocka_unit_test(the_page_is_clean_mdoc))
