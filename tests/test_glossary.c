/* The glossary against every word that stands on a screen. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/lesson.h"
#include "report/columns.h"
#include "tests/sandbox.h"

static struct arena *arena;
static struct glossary glossary;

static int begin(void **state)
{
    struct error error = {0};
    arena = arena_new();
    if (sandbox_begin(state) == 0 && glossary_load("data", arena, &glossary, &error))
        return 0;
    print_error("%s:%d: %s\n", error.file, error.line, error.message);
    return -1;
}

static int end(void **state)
{
    arena_free(arena);
    return sandbox_end(state);
}

static void expect_both(const char *key, const char *label)
{
    if (!glossary_find(&glossary, key))
        fail_msg("the glossary lacks the key %s", key);
    if (!glossary_find(&glossary, label))
        fail_msg("the glossary lacks \"%s\" (%s)", label, key);
}

static void every_question_is_explained(void **state)
{
    (void)state;
    for (int id = 0; id < FIELD_COUNT; id++)
        expect_both(fields[id].key, fields[id].label);
}

static void every_memory_component_is_explained(void **state)
{
    (void)state;
    for (int i = 0; i < COMPONENT_COUNT; i++)
        expect_both(components[i].key, components[i].label);
}

static void every_part_of_a_step_is_explained(void **state)
{
    (void)state;
    for (int i = 0; i < TERM_COUNT; i++)
        expect_both(speed_terms[i].key, speed_terms[i].label);
}

static void every_way_of_paying_is_explained(void **state)
{
    (void)state;
    for (int i = 0; i < MODE_COUNT; i++)
        expect_both(billing_modes[i].key, billing_modes[i].label);
}

static void every_column_is_explained(void **state)
{
    (void)state;
    for (int i = 0; i < column_count; i++)
        expect_both(columns[i].id, columns[i].heading);
}

static void words_are_found_by_other_spellings_and_in_chinese(void **state)
{
    (void)state;
    const struct glossary_entry *cache = glossary_find(&glossary, "KV CACHE");
    assert_non_null(cache);
    assert_string_equal(cache->term, "kv_cache");
    assert_ptr_equal(glossary_find(&glossary, "qlora"), glossary_find(&glossary, "LoRA"));
    assert_string_equal(glossary_find(&glossary, "显存占比")->term, "memory_percent");
    assert_null(glossary_find(&glossary, "flux capacitor"));
}

/* Sentences by their ends; a point between digits ends none. */
static int sentences(const char *text, const char *end)
{
    int count = 0;
    size_t length = strlen(end);
    for (const char *at = text; (at = strstr(at, end)) != NULL; at += length)
        count += at[length] == ' ' || at[length] == '\0' || length > 1;
    return count;
}

static void each_meaning_is_about_two_sentences_and_has_a_rule_of_thumb(void **state)
{
    (void)state;
    assert_true(glossary.count > 90);
    for (size_t i = 0; i < glossary.count; i++) {
        const struct glossary_entry *entry = &glossary.entries[i];
        int english = sentences(entry->meaning.text[LANGUAGE_EN], ".");
        int chinese = sentences(entry->meaning.text[LANGUAGE_ZH], "。");
        if (english < 1 || english > 3 || chinese < 1 || chinese > 3)
            fail_msg("%s: %d and %d sentences", entry->term, english, chinese);
        assert_true(strlen(entry->rule.text[LANGUAGE_EN]) > 10);
        assert_true(strlen(entry->rule.text[LANGUAGE_ZH]) > 10);
    }
}

static void a_broken_glossary_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct data_kind *const kinds[] = {&glossary_kind, NULL};
    static const struct {
        const char *text, *message;
        int line;
    } broken[] = {
        {"schema: gpuwiz.glossary/1\nterms:\n- {term: a, name: {en: a, zh: a}, meaning: {en: a, "
         "zh: a}}\n",
         "rule", 3},
        {"schema: gpuwiz.glossary/1\nterms:\n- {term: a, name: {en: a}, meaning: {en: a, zh: a}, "
         "rule: {en: a, zh: a}}\n",
         "zh", 3},
        {"schema: gpuwiz.glossary/1\nterms:\n- {term: a, name: {en: a, zh: a}, meaning: {en: a, "
         "zh: a}, rule: {en: a, zh: a}}\n"
         "- {term: b, also: [A], name: {en: b, zh: b}, meaning: {en: a, zh: a}, rule: {en: a, zh: "
         "a}}\n",
         "twice", 4},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct error error = {0};
        const char *path = sandbox_write("glossary.yaml", broken[i].text);
        assert_false(data_check_file(path, NULL, kinds, &error));
        if (!strstr(error.message, broken[i].message) || error.line != broken[i].line)
            fail_msg("line %d: %s", error.line, error.message);
    }
}

#define GLOSSARY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(GLOSSARY_TEST(every_question_is_explained),
          GLOSSARY_TEST(every_memory_component_is_explained),
          GLOSSARY_TEST(every_part_of_a_step_is_explained),
          GLOSSARY_TEST(every_way_of_paying_is_explained), GLOSSARY_TEST(every_column_is_explained),
          GLOSSARY_TEST(words_are_found_by_other_spellings_and_in_chinese),
          GLOSSARY_TEST(each_meaning_is_about_two_sentences_and_has_a_rule_of_thumb),
          GLOSSARY_TEST(a_broken_glossary_is_refused_with_its_place))
