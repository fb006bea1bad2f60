/* What people wrote and what happened to them: each has an answer in a rule or a lesson, or a
 * reason why it is not repeated (tests/data/claims.yaml). */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/lesson.h"
#include "engine/advice.h"

static struct arena *arena;
static struct yaml_document document;

static int load(void **state)
{
    (void)state;
    struct error error = {0};
    arena = arena_new();
    if (yaml_read_file(arena, "tests/data/claims.yaml", 0, &document, &error))
        return 0;
    print_error("%s:%d: %s\n", error.file, error.line, error.message);
    return -1;
}

static int unload(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static bool is_lesson(const char *name)
{
    size_t count;
    const char *const *names = data_list("data", "lessons", arena, &count);
    const char *file = arena_printf(arena, "lessons/%s.yaml", name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], file) == 0)
            return true;
    return false;
}

/* Returns how many answers the entry has. */
static int check_entry(const struct yaml_node *entry)
{
    const struct yaml_node *rule = yaml_get(entry, "rule"), *lesson = yaml_get(entry, "lesson");
    const struct yaml_node *reason = yaml_get(entry, "not_repeated");
    if (rule && !advice_rule_find(rule->text))
        fail_msg("line %d: there is no rule %s", rule->line, rule->text);
    if (lesson && !is_lesson(lesson->text))
        fail_msg("line %d: there is no lesson %s", lesson->line, lesson->text);
    if (reason && (rule || lesson || strlen(reason->text) < 10))
        fail_msg("line %d: a reason stands alone and says something", reason->line);
    return (rule != NULL) + (lesson != NULL) + (reason != NULL);
}

static int check_list(const char *key, const char *words)
{
    int count = 0;
    const struct yaml_node *list = yaml_get(document.root, key);
    assert_non_null(list);
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next) {
        const struct yaml_node *said = yaml_get(entry, words);
        assert_non_null(said);
        if (check_entry(entry) == 0)
            fail_msg("line %d has no answer: %s", entry->line, said->text);
        count++;
    }
    return count;
}

static void each_report_is_answered_by_a_rule_or_a_lesson(void **state)
{
    (void)state;
    assert_int_equal(check_list("reports", "what"), 31); /* as many as were collected */
    for (const struct yaml_node *entry = yaml_get(document.root, "reports")->first; entry;
         entry = entry->next) {
        assert_non_null(yaml_get(entry, "source"));
        assert_null(yaml_get(entry, "not_repeated"));
    }
}

static void each_claim_is_answered_or_left_out_for_a_reason(void **state)
{
    (void)state;
    assert_true(check_list("articles", "claim") > 90);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(each_report_is_answered_by_a_rule_or_a_lesson, load,
                                          unload),
          cmocka_unit_test_setup_teardown(each_claim_is_answered_or_left_out_for_a_reason, load,
                                          unload))
