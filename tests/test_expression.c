/* Figures by name and sums over them. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "engine/expression.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;
static struct scenario scenario;
static struct results results, variant;

static int load(void **state)
{
    (void)state;
    struct error error = {0};
    static struct scenario other;
    arena = arena_new();
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    if (catalog_load(NULL, &catalog, &error) && constants_load(NULL, arena, &constants, &error) &&
        scenario_set_pair(&scenario, "workload=lora", &catalog, arena, &error) &&
        scenario_set_pair(&scenario, "model=qwen2.5-7b", &catalog, arena, &error) &&
        scenario_set_pair(&scenario, "instance=ecs.gn7i-c8g1.2xlarge", &catalog, arena, &error) &&
        scenario_set_pair(&scenario, "seq_len=1024", &catalog, arena, &error) &&
        (other = scenario, true) &&
        scenario_set_pair(&other, "weights=nf4", &catalog, arena, &error) &&
        results_compute(&catalog, &constants, &scenario, "2026-12-01", arena, &results, &error) &&
        results_compute(&catalog, &constants, &other, "2026-12-01", arena, &variant, &error))
        return 0;
    print_error("%s:%d: %s\n", error.file, error.line, error.message);
    return -1;
}

static int unload(void **state)
{
    (void)state;
    results_clear(&results);
    results_clear(&variant);
    arena_free(arena);
    catalog_clear(&catalog);
    return 0;
}

static struct expression_scope scope(void)
{
    static const char *const names[] = {"q"};
    return (struct expression_scope){
        .now = &results, .names = names, .variants = &variant, .count = 1};
}

static double value_of(const char *text)
{
    struct expression_scope where = scope();
    struct error error = {0};
    double value;
    if (!expression_value(text, &where, &value, &error))
        fail_msg("%s: %s", text, error.message);
    return value;
}

static void sums_are_worked_out_by_the_rules_of_arithmetic(void **state)
{
    (void)state;
    assert_near(value_of("2 + 3 * 4"), 14, 0);
    assert_near(value_of("(2 + 3) * 4"), 20, 0);
    assert_near(value_of("10 - 2 - 3"), 5, 0);
    assert_near(value_of("-2 * -3"), 6, 0);
    assert_near(value_of("16 / 2 / 4"), 2, 0);
    assert_near(value_of("min(3, 2) + max(3, 2) + ceil(1.2) + floor(1.8) + sqrt(9)"), 11, 0);
    assert_near(value_of("1e3 / 8"), 125, 0);
}

static void comparisons_are_one_or_zero(void **state)
{
    (void)state;
    assert_near(value_of("1 < 2 and not 2 < 1"), 1, 0);
    assert_near(value_of("1 > 2 or 2 >= 2"), 1, 0);
    assert_near(value_of("1 == 1 and 1 != 1"), 0, 0);
    assert_near(value_of("not (1 == 1 or 0)"), 0, 0);
}

/* Qwen2.5-7B: 7,615,616,512 parameters (model card), 28 layers, 4 KV heads of 128: 56 KiB of bf16
 * cache a token; bf16 weights are twice the parameters. */
static void names_give_the_engines_figures(void **state)
{
    (void)state;
    assert_near(value_of("model.params"), 7615616512.0, 0);
    assert_near(value_of("memory.weights"), 7615616512.0 * 2 / 1073741824, 0.001);
    assert_near(value_of("memory.need"), results.offer.memory.need_gib, 0);
    assert_near(value_of("price.hour"), 9.5326, 0); /* the list price of 2024-10 */
    assert_near(value_of("cost.payg.hour"), 9.53, 0.001);
    assert_near(value_of("rule.month_hours"), 480, 0);
    assert_near(value_of("ask.seq_len"), 1024, 0);
    assert_near(value_of("gpu.bandwidth"), 600, 0);
    assert_true(value_of("memory.weights@q") < 0.5 * value_of("memory.weights"));
    assert_near(value_of("advice.no-bf16"), 0, 0);
    assert_near(value_of("advice.check-software - 1"), 0, 0);
}

static void what_is_not_known_is_never_greater_nor_less(void **state)
{
    (void)state;
    assert_true(isnan(value_of("gpu.fp8_tflops"))); /* an A10 has none */
    assert_near(value_of("gpu.fp8_tflops > 0 or gpu.fp8_tflops <= 0"), 0, 0);
    assert_near(value_of("cost.mixed.total < 1"), 0, 0);
}

static void every_name_of_the_table_can_be_found(void **state)
{
    (void)state;
    for (const struct result_name *row = result_names; row->name; row++) {
        struct error error = {0};
        enum result_form form;
        const char *words;
        double value;
        if (strpbrk(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            continue; /* stands for many */
        if (!result_find(&results, row->name, &value, &words, &form, &error))
            fail_msg("%s: %s", row->name, error.message);
        assert_int_equal(form, row->form);
    }
}

static void every_name_is_in_the_manual(void **state)
{
    (void)state;
    struct strbuf page = {0};
    struct error error = {0};
    assert_true(file_read("man/gpuwiz-data.5", 1 << 20, &page, &error));
    for (const struct result_name *row = result_names; row->name; row++) {
        char item[100];
        snprintf(item, sizeof item, "\n.It Cm %s\n", row->name);
        if (!strstr(strbuf_text(&page), item))
            fail_msg("gpuwiz-data(5) lacks %s", row->name);
    }
    strbuf_clear(&page);
}

static void expect_error(const char *text, const char *message, int column)
{
    struct expression_scope where = scope();
    struct error error = {0};
    double value;
    assert_false(expression_value(text, &where, &value, &error));
    if (!strstr(error.message, message) || error.column != column)
        fail_msg("%s: \"%s\" in column %d", text, error.message, error.column);
}

static void mistakes_are_told_with_their_column(void **state)
{
    (void)state;
    expect_error("memory.wieghts > 1", "memory.wieghts", 1);
    expect_error("1 + memory.wieghts", "memory.wieghts", 5);
    expect_error("memory.need@r", "no variant called r", 1);
    expect_error("(1 + 2", ") is missing", 7);
    expect_error("1 +", "is missing", 4);
    expect_error("1 2", "not understood", 3);
    expect_error("gpu.name", "words", 0);
    expect_error("cost.cash.total", "cost.cash.total", 1);
    expect_error("ask.model", "ask.model", 1);
}

static void a_hundred_brackets_are_refused_and_do_no_harm(void **state)
{
    (void)state;
    char text[300] = "";
    memset(text, '(', 200);
    struct expression_scope where = scope();
    struct error error = {0};
    double value;
    assert_false(expression_value(text, &where, &value, &error));
}

static void expect_filled(const char *text, const char *expected)
{
    struct expression_scope where = scope();
    struct strbuf out = {0};
    struct error error = {0};
    if (!expression_fill(text, &where, &out, &error))
        fail_msg("%s: %s", text, error.message);
    assert_string_equal(strbuf_text(&out), expected);
    strbuf_clear(&out);
}

static void texts_are_filled_in_the_form_of_each_figure(void **state)
{
    (void)state;
    expect_filled("no figure", "no figure");
    expect_filled("{model.params} of {model.vocab}", "7.62B of 152,064");
    expect_filled("{gpu.name} for {price.hour}", "NVIDIA A10 for ¥9.53");
    expect_filled("{2 * 4.5}, {1 / 4|percent}, {1500|whole}, {1500|count}, {12|cny}, {2|hours}",
                  "9.00, 25.0 %, 1,500, 1.5k, ¥12.00, 2.0 h");
}

static void a_figure_that_is_not_known_is_a_dash_where_that_is_allowed(void **state)
{
    (void)state;
    struct expression_scope where = scope();
    struct strbuf out = {0};
    struct error error = {0};
    where.lenient = true;
    assert_true(expression_fill("it has {gpu.fp8_tflops}", &where, &out, &error));
    assert_string_equal(strbuf_text(&out), "it has -");
    assert_false(expression_fill("{gpu.fp8_tflop}", &where, &out, &error));
    strbuf_clear(&out);
}

static void a_figure_that_is_not_known_is_never_printed(void **state)
{
    (void)state;
    struct expression_scope where = scope();
    struct strbuf out = {0};
    struct error error = {0};
    assert_false(expression_fill("it has {gpu.fp8_tflops}", &where, &out, &error));
    assert_non_null(strstr(error.message, "gpu.fp8_tflops"));
    assert_false(expression_fill("{model.params", &where, &out, &error));
    assert_false(expression_fill("{1|furlong}", &where, &out, &error));
    strbuf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_worked_out_by_the_rules_of_arithmetic),
        cmocka_unit_test(comparisons_are_one_or_zero),
        cmocka_unit_test(names_give_the_engines_figures),
        cmocka_unit_test(what_is_not_known_is_never_greater_nor_less),
        cmocka_unit_test(every_name_of_the_table_can_be_found),
        cmocka_unit_test(every_name_is_in_the_manual),
        cmocka_unit_test(mistakes_are_told_with_their_column),
        cmocka_unit_test(a_hundred_brackets_are_refused_and_do_no_harm),
        cmocka_unit_test(texts_are_filled_in_the_form_of_each_figure),
        cmocka_unit_test(a_figure_that_is_not_known_is_never_printed),
        cmocka_unit_test(a_figure_that_is_not_known_is_a_dash_where_that_is_allowed),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
