#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/catalog_records.h"
#include "data/data_files.h"
#include "tests/sandbox.h"

static char *page;

static int read_page(void **state)
{
    (void)state;
    FILE *file = fopen("man/gpuwiz-data.5", "r");
    if (!file)
        return -1;
    page = calloc(1, 1 << 18);
    size_t length = fread(page, 1, (1 << 18) - 1, file);
    fclose(file);
    return length > 1000 ? 0 : -1;
}

static int free_page(void **state)
{
    (void)state;
    free(page);
    return 0;
}

/* The text from the heading to the next one. */
static char *under(const char *macro, const char *title)
{
    char heading[80];
    snprintf(heading, sizeof heading, "\n.%s %s\n", macro, title);
    char *start = strstr(page, heading);
    if (!start)
        fail_msg("the page has no '.%s %s'", macro, title);
    char *end = strstr(start + 4, "\n.S");
    return strndup(start, end ? (size_t)(end - start) : strlen(start));
}

/* The line that documents a key, valid until the next call; NULL when there is none. */
static const char *entry(const char *text, const char *key)
{
    static char found[300];
    char start[100];
    snprintf(start, sizeof start, "\n.It Cm %s Pq ", key);
    const char *line = strstr(text, start);
    if (line)
        snprintf(found, sizeof found, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
    return line ? found : NULL;
}

static bool is_common(const char *key)
{
    return strcmp(key, "source") == 0 || strcmp(key, "date") == 0 || strcmp(key, "note") == 0;
}

/* Type, range, choices and whether it is required, as the field table has them. */
static void check_field(const char *section, const char *text, const struct yaml_field *field)
{
    const char *line = entry(text, field->key);
    char range[80];
    if (!line)
        fail_msg("%s: %s is not in the page", section, field->key);
    snprintf(range, sizeof range, "%.10g to %.10g", field->minimum, field->maximum);
    if ((field->minimum != 0 || field->maximum != 0) && !strstr(line, range))
        fail_msg("%s: '%s' should say %s", section, line, range);
    if ((strstr(line, ", required") != NULL) != field->required)
        fail_msg("%s: '%s' is wrong about being required", section, line);
    static const char *const types[] = {"Pq number", "Pq integer", "Pq integer", "Pq yes/no",
                                        "Pq text",   "Pq choice",  "Pq "};
    if (!strstr(line, types[field->type]))
        fail_msg("%s: '%s' should say %s", section, line, types[field->type]);
    for (const char *const *choice = field->choices; choice && *choice; choice++) {
        char item[80];
        snprintf(item, sizeof item, "\n.Cm %s ", *choice);
        if (!strstr(text, item))
            fail_msg("%s: the choice %s is not in the page", section, *choice);
    }
}

static void every_key_of_the_record_tables_is_documented(void **state)
{
    (void)state;
    for (int i = 0; i < SECTION_COUNT; i++) {
        const struct section *section = &catalog_sections[i];
        char *text = under("Ss", section->key);
        for (const struct yaml_field *field = section->fields; field && field->key; field++)
            if (!is_common(field->key))
                check_field(section->key, text, field);
        for (const struct yaml_field *field = section->nested; field && field->key; field++)
            if (!is_common(field->key) && !entry(text, field->key))
                fail_msg("types: %s is not in the page", field->key);
        if (!strstr(text, ".Bd -literal"))
            fail_msg("%s has no example", section->key);
        free(text);
    }
    char *common = under("Ss", "Records");
    static const char *const keys[] = {"source", "date", "note"};
    for (size_t i = 0; i < 3; i++)
        if (!entry(common, keys[i]))
            fail_msg("%s is not in the page", keys[i]);
    free(common);
}

static void no_key_of_the_page_is_unknown_to_the_tables(void **state)
{
    (void)state;
    for (int i = 0; i < SECTION_COUNT; i++) {
        const struct section *section = &catalog_sections[i];
        char *text = under("Ss", section->key);
        const char *line = section->fields ? text : "";
        while ((line = strstr(line, "\n.It Cm "))) {
            char key[64];
            line += 8;
            snprintf(key, sizeof key, "%.*s", (int)strcspn(line, " \n"), line);
            const struct yaml_field *tables[] = {section->fields, section->nested};
            bool known = false;
            for (size_t k = 0; k < 2; k++)
                for (const struct yaml_field *field = tables[k]; field && field->key; field++)
                    known = known || strcmp(field->key, key) == 0;
            if (!known)
                fail_msg("%s: %s is documented but unknown", section->key, key);
        }
        free(text);
    }
}

/* The table of models belongs to another module: the keys that the shipped presets use. */
static void every_key_of_the_model_presets_is_documented(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct yaml_document document;
    struct error error;
    char *text = under("Ss", "models");
    assert_true(yaml_read_file(arena, "data/models.yaml", 0, &document, &error));
    const struct yaml_node *models = yaml_get(document.root, "models");
    for (const struct yaml_node *model = models->first; model; model = model->next) {
        for (const struct yaml_node *node = model->first; node; node = node->next) {
            if (!entry(text, node->key))
                fail_msg("models: %s is not in the page", node->key);
            for (const struct yaml_node *part = node->first; part; part = part->next)
                if (!strstr(text, part->key))
                    fail_msg("models: %s of %s is not in the page", part->key, node->key);
        }
    }
    free(text);
    arena_free(arena);
}

/* Each example as an overlay of its own; the source ids they use stand in front. */
static void every_example_of_the_page_loads(void **state)
{
    static const char *const top = "provider: Alibaba Cloud\n"
                                   "sources: {page: {date: 2026, text: page}, table: {date: 2026, text: t},\n"
                                   "  datasheet: {date: 2026, text: d}, list: {date: 2026, text: l},\n"
                                   "  quote: {date: 2026, text: q}}\n";
    int examples = 0;
    for (const char *block = page; (block = strstr(block, "\n.Bd -literal")); examples++) {
        block = strchr(block + 1, '\n') + 1;
        int length = (int)(strstr(block, ".Ed\n") - block);
        char text[2000], message[800];
        struct catalog catalog;
        struct error error;
        assert_int_equal(sandbox_begin(state), 0);
        bool whole = strstr(block, "sources:") && strstr(block, "sources:") < block + length;
        snprintf(text, sizeof text, "%s%.*s", whole ? "" : top, length, block);
        sandbox_write("config/gpuwiz/example.yaml", text);
        if (!catalog_load("data", &catalog, &error))
            fail_msg("%s\n%s", text, error_text(&error, message, sizeof message));
        catalog_clear(&catalog);
        assert_int_equal(sandbox_end(state), 0);
    }
    assert_true(examples >= SECTION_COUNT);
}

static void the_page_is_clean_mdoc(void **state)
{
    (void)state;
    /* another page need not be installed for this one to be right */
    FILE *lint = popen("mandoc -Tlint man/gpuwiz-data.5 2>&1 | grep -v 'referenced manual not found'", "r");
    assert_non_null(lint);
    char line[300] = "";
    char *complaint = fgets(line, sizeof line, lint);
    pclose(lint);
    if (complaint)
        fail_msg("%s", complaint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_the_record_tables_is_documented),
        cmocka_unit_test(no_key_of_the_page_is_unknown_to_the_tables),
        cmocka_unit_test(every_key_of_the_model_presets_is_documented),
        cmocka_unit_test(every_example_of_the_page_loads),
        cmocka_unit_test(the_page_is_clean_mdoc),
    };
    return cmocka_run_group_tests(tests, read_page, free_page);
}
