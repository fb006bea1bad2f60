#include "tests/test.h"

#include <string.h>
#include "base/embedded.h"
#include "engine/constants.h"

static struct arena *arena;
static const char *shipped; /* data/engine.yaml */
static size_t shipped_length;

static int load(void **state)
{
    (void)state;
    arena = arena_new();
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (!strcmp(file->name, "engine.yaml")) {
            shipped = (const char *)file->bytes;
            shipped_length = (size_t)(file->end - file->bytes);
        }
    return shipped ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const struct constant_info *row(const char *key)
{
    const struct constant_info *info = constant_table;
    while (info->key && strcmp(info->key, key) != 0)
        info++;
    assert_non_null(info->key);
    return info;
}

static bool read_shipped(struct constants *constants, struct constant_fitted *fitted, size_t *count)
{
    struct error error = {0};
    bool done = constants_read("engine.yaml", shipped, shipped_length, arena, constants, fitted,
                               count, &error);
    if (!done)
        print_error("%d: %s\n", error.line, error.message);
    return done;
}

/* The shipped file with one piece of text replaced; the text must be there. */
static const char *shipped_with(const char *old, const char *new, size_t *length)
{
    char *text = arena_strndup(arena, shipped, shipped_length);
    char *at = strstr(text, old);
    assert_non_null(at);
    *at = '\0';
    const char *changed = arena_printf(arena, "%s%s%s", text, new, at + strlen(old));
    *length = strlen(changed);
    return changed;
}

static void the_shipped_file_holds_every_constant_within_its_range(void **state)
{
    (void)state;
    struct constants constants;
    assert_true(read_shipped(&constants, NULL, NULL));
    for (const struct constant_info *info = constant_table; info->key; info++)
        for (int i = 0; i < constant_members(info->group); i++) {
            double value = constant_get(&constants, info, i);
            assert_true(value >= info->minimum && value <= info->maximum);
        }
}

static void a_constant_is_written_where_it_is_read(void **state)
{
    (void)state;
    struct constants constants = {0};
    constant_set(&constants, row("slack"), STACK_NEMO, 0.25);
    constant_set(&constants, row("memory_measured"), STACK_HF, 1);
    assert_near(constants.stack[STACK_NEMO].slack, 0.25, 0);
    assert_true(constants.stack[STACK_HF].memory_measured);
    assert_false(constants.stack[STACK_NEMO].memory_measured);
    assert_near(constant_get(&constants, row("slack"), STACK_NEMO), 0.25, 0);
}

static void what_may_be_fitted_is_named_in_the_file(void **state)
{
    (void)state;
    struct constants constants;
    struct constant_fitted fitted[CONSTANT_FITTED_MAX];
    size_t count;
    assert_true(read_shipped(&constants, fitted, &count));
    assert_true(count > 10);
    bool kappa = false;
    for (size_t i = 0; i < count; i++)
        kappa |= fitted[i].info == row("logit_bytes") && fitted[i].member == STACK_HF;
    assert_true(kappa);
}

static void a_bad_file_is_refused_where_it_is_bad(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *says;
    } bad[] = {{"key: slack", "key: slak", "slak"},
               {"unit: share", "unit: GiB", "slack is measured in share"},
               {"values: {hf: ", "values: {tensorflow: 0.1, hf: ", "tensorflow"},
               {"values: {hf: ", "values: {hf: -", "lies outside"},
               {"constants:", "constantz:", "constantz"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct constants constants;
        struct error error = {0};
        size_t length;
        const char *text = shipped_with(bad[i].old, bad[i].new, &length);
        assert_false(
            constants_read("engine.yaml", text, length, arena, &constants, NULL, NULL, &error));
        if (!strstr(error.message, bad[i].says))
            fail_msg("%s: %s", bad[i].says, error.message);
        assert_true(error.line > 0);
    }
}

/* A constant that is not there would silently be 0. */
static void a_missing_constant_is_named(void **state)
{
    (void)state;
    static const char text[] = "constants: []\n";
    struct constants constants;
    struct error error = {0};
    assert_false(
        constants_read("x.yaml", text, strlen(text), arena, &constants, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "slack has no value for stack hf"));
}

static bool overlay(struct constants *constants, const char *text, struct error *error)
{
    return constants_overlay("own.yaml", text, strlen(text), arena, constants, error);
}

static void an_overlay_corrects_one_value_and_leaves_the_rest(void **state)
{
    (void)state;
    struct constants constants;
    struct error error = {0};
    assert_true(read_shipped(&constants, NULL, NULL));
    double deepspeed = constants.stack[STACK_DEEPSPEED].slack;
    assert_true(overlay(&constants,
                        "constants:\n- {group: stack, key: slack, values: {hf: 0.31}}\n", &error));
    assert_near(constants.stack[STACK_HF].slack, 0.31, 0);
    assert_near(constants.stack[STACK_DEEPSPEED].slack, deepspeed, 0);
    /* a bad one changes nothing */
    assert_false(overlay(&constants,
                         "constants:\n- {group: stack, key: slack, values: {hf: 0.1, fsdp: 7}}\n",
                         &error));
    assert_near(constants.stack[STACK_HF].slack, 0.31, 0);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.file, "own.yaml");
}

static void the_newest_run_on_a_stack_and_card_counts(void **state)
{
    (void)state;
    struct constants constants;
    struct error error = {0};
    assert_true(read_shipped(&constants, NULL, NULL));
    assert_true(
        overlay(&constants,
                "calibrations:\n"
                "- {stack: hf, gpu: a10, date: 2026-10-01, memory_ratio: 1.1, speed_ratio: 0.9}\n"
                "- {stack: vllm, gpu: a10, date: 2026-10-02, speed_ratio: 1.3}\n",
                &error));
    assert_true(overlay(
        &constants, "calibrations:\n- {stack: hf, gpu: a10, date: 2026-11-01, memory_ratio: 1.2}\n",
        &error));
    assert_int_equal(constants.calibration_count, 3);
    const struct calibration *own = constants_calibration(&constants, "hf", "a10");
    assert_string_equal(own->date, "2026-11-01");
    assert_near(own->memory_ratio, 1.2, 0);
    assert_near(own->speed_ratio, 1, 0);
    assert_near(constants_calibration(&constants, "vllm", "a10")->speed_ratio, 1.3, 0);
    assert_null(constants_calibration(&constants, "hf", "a100-80"));
    assert_false(overlay(
        &constants, "calibrations:\n- {stack: hf, gpu: a10, date: 2026-11-01, memory_ratio: 99}\n",
        &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_file_holds_every_constant_within_its_range),
        cmocka_unit_test(a_constant_is_written_where_it_is_read),
        cmocka_unit_test(what_may_be_fitted_is_named_in_the_file),
        cmocka_unit_test(a_bad_file_is_refused_where_it_is_bad),
        cmocka_unit_test(a_missing_constant_is_named),
        cmocka_unit_test(an_overlay_corrects_one_value_and_leaves_the_rest),
        cmocka_unit_test(the_newest_run_on_a_stack_and_card_counts),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
