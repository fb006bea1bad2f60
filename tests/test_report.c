#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/i18n.h"
#include "report/columns.h"
#include "tests/report_fixture.h"

typedef void writer(const struct report *report, struct strbuf *out);

static void write_plan(struct report_fixture *fixture, writer *write, struct strbuf *out)
{
    struct report report;
    report_plan(&fixture->input, fixture->arena, &report);
    write(&report, out);
}

static void expect_contains(const struct strbuf *text, const char *const *parts, const char *form)
{
    for (; *parts; parts++)
        if (!strstr(strbuf_text(text), *parts))
            fail_msg("%s lacks \"%s\":\n%s", form, *parts, strbuf_text(text));
}

/* The figures of report_fixture.h as people read them. */
static const char *const figures[] = {
    "¥66.00", "¥200", "¥240", /* totals */
    "¥6.00",                  /* 66 / 11 h */
    "10.0 h", "8.0 h", "12.5 h", "20.0 h",
    "18.0", "16.0", "19.0", "20.0", "11.0", /* need, band, usable, copied */
    "1k", "500", "800", "1.25k",            /* tokens/s */
    "90",                                   /* percent of memory */
    "91",                                   /* percent useful under spot */
    "7,000,000,000", "42.0", "¥34.70", "2026-11-01", "2026-12-01",
    NULL};

static void each_figure_stands_in_every_form_for_people(void **state)
{
    (void)state;
    static writer *const writers[] = {report_write_text, report_write_markdown, report_write_html};
    static const char *const names[] = {"text", "Markdown", "HTML"};
    for (int i = 0; i < 3; i++) {
        struct report_fixture fixture;
        struct strbuf out = {0};
        fixture_fill(&fixture);
        write_plan(&fixture, writers[i], &out);
        expect_contains(&out, figures, names[i]);
        strbuf_clear(&out);
        fixture_clear(&fixture);
    }
}

/* Names come from files: an escape sequence, a bell, a mark that turns the text round. */
static void no_form_for_people_holds_what_a_terminal_obeys(void **state)
{
    (void)state;
    static writer *const writers[] = {report_write_text, report_write_markdown, report_write_html};
    for (int i = 0; i < 3; i++) {
        struct report_fixture fixture;
        struct strbuf out = {0};
        fixture_fill(&fixture);
        fixture.scenario.model = "a\033[31m\007\xE2\x80\xAE" "b\177\xC2\x9B/config.json";
        fixture.scenario.given[FIELD_MODEL / 64] |= UINT64_C(1) << FIELD_MODEL % 64;
        write_plan(&fixture, writers[i], &out);
        assert_non_null(strstr(out.data, "b/config.json"));
        for (const char *p = out.data; *p; p++)
            assert_false(((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7F);
        assert_null(strstr(out.data, "\xE2\x80\xAE"));
        assert_null(strstr(out.data, "\xC2\x9B"));
        strbuf_clear(&out);
        fixture_clear(&fixture);
    }
}

static void each_figure_stands_in_the_forms_for_programs(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    report_write_plan_json(&fixture.input, &out);
    static const char *const in_json[] = {
        "\"schema\":1,\"scenario\":{\"workload\":\"full\",\"tokens_b\":0.036}",
        "\"catalog\":{\"date\":\"2026-12-01\",\"price_date\":\"2026-11-01\"},\"currency\":\"CNY\"",
        "\"instance\":\"one.small\",\"nodes\":2,\"gpu\":\"test-24\",\"gpus\":2",
        "\"need_gib\":18,\"low_gib\":16,\"high_gib\":19", "\"usable_gib\":20,\"verdict\":\"fits\"",
        "\"replicated_gib\":11", "\"kv_tokens\":null", "\"tokens_per_s\":1000",
        "\"low_tokens_per_s\":800,\"high_tokens_per_s\":1250", "\"ttft_ms\":null",
        "\"basis\":\"measured\"", "\"bound_by\":\"compute\"",
        "\"hours\":{\"low\":8,\"mid\":10,\"high\":12.5}",
        "\"payg\":{\"total\":200,\"low\":200,\"high\":200,\"per_hour\":20",
        "\"spot\":{\"total\":66", "\"goodput\":0.909090909", "\"monthly\":null",
        "\"cheapest\":\"spot\"", "\"cheapest\":null", "\"price_date\":\"2026-11-01\"",
        "\"excluded\":[{\"instance\":\"four.tiny\",\"reason\":\"memory\","
        "\"detail\":\"needs 18.0 GiB of 10.0 usable\"}]",
        "\"relax\":[{\"change\":\"weights=nf4\",\"offers\":11,\"cheapest_total\":34.7}]", NULL};
    expect_contains(&out, in_json, "JSON");
    assert_null(strstr(out.data, "nan"));

    struct table table;
    strbuf_reset(&out);
    report_offers_table(&fixture.plan, MODE_COUNT, fixture.arena, &table);
    table_write_csv(&table, false, &out);
    static const char *const in_csv[] = {
        "instance,gpu,gpus,nodes,layout,memory_percent,verdict,tokens_per_s,hours,cost_cny,cheapest,",
        /* 66 / 36M tokens = 1.83 a million; 10 / 20 GiB = 0.5; 10 / 100 TFLOPS = 0.1 */
        "one.small,test-24,2,2,DP2 ZeRO-2,90,fits,1000,10,66,spot,1.83333333,10,no,2026-11-01",
        ",10,0.5,0.1,8,64,none,current,200,", "\r\nthree.unpriced,test-24,1,1,", NULL};
    expect_contains(&out, in_csv, "CSV");
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void expect_narrow(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[400];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (text_width(line) > REPORT_WIDTH || strchr(line, '\t') || (length && text[length - 1] == ' '))
            fail_msg("%d cells: \"%s\"", text_width(line), line);
        text += length + (text[length] == '\n');
    }
}

static void no_text_line_exceeds_80_cells_in_either_language(void **state)
{
    (void)state;
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        struct report_fixture fixture;
        struct strbuf out = {0};
        i18n_set_language((enum language)language);
        fixture_fill(&fixture);
        fixture.offers[0].nodes = fixture.offers[0].hardware.nodes = 128;
        fixture.offers[0].costs[MODE_PAYG].total_cny = 123456789;
        write_plan(&fixture, report_write_text, &out);
        expect_narrow(strbuf_text(&out));
        strbuf_clear(&out);
        fixture_clear(&fixture);
    }
    i18n_set_language(LANGUAGE_EN);
}

static void the_verdict_stands_in_the_first_lines(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    write_plan(&fixture, report_write_text, &out);
    const char *rule = strchr(out.data, '\n') + 1;
    const char *lead = strchr(rule, '\n') + 1;
    static const char expected[] =
        "Rent: 2 x one.small (2 x test-24) for 10.0 h.\n"
        "Cost: ~¥66.00 in all (Spot), ~¥6.00 an hour; pay-as-you-go ¥200.\n"
        "Why:  18.0 of 20.0 GiB a GPU (fits); best of 3 offers, 4 types.\n";
    assert_memory_equal(lead, expected, sizeof expected - 1);
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void a_billing_answer_chooses_the_cost_that_is_told(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    struct error error;
    fixture_fill(&fixture);
    scenario_set(&fixture.scenario, FIELD_BILLING, "payg", &fixture.catalog, fixture.arena, &error);
    fixture.offers[0].cheapest = billing_cheapest(&fixture.scenario, fixture.offers[0].costs);
    write_plan(&fixture, report_write_text, &out);
    assert_non_null(strstr(out.data, "Cost: ¥200 in all (Pay-as-you-go), ¥20.00 an hour.\n"));
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void an_unpriced_offer_is_never_given_a_figure(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    fixture.input.offer = &fixture.offers[2];
    write_plan(&fixture, report_write_text, &out);
    assert_non_null(strstr(out.data, "Cost: no public price; ask the provider's sales.\n"));
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void when_nothing_fits_the_funnel_and_the_way_out_are_told(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    fixture.plan.offer_count = 0;
    fixture.plan.funnel[0].left = 0;
    write_plan(&fixture, report_write_text, &out);
    static const char *const parts[] = {"Nothing fits: none of 4 instance types can do this job.\n"
                                        "4 types -> memory 0\n",
                                        "  four.tiny  memory      needs 18.0 GiB of 10.0 usable\n",
                                        "4-bit weights (weights=nf4): 11 offers, from ¥34.70", NULL};
    expect_contains(&out, parts, "text");
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void ascii_pages_hold_no_other_bytes(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    fixture.input.ascii = true;
    write_plan(&fixture, report_write_text, &out);
    for (size_t i = 0; i < out.length; i++)
        assert_true((unsigned char)out.data[i] < 0x80);
    assert_non_null(strstr(out.data, "CNY 66.00"));
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void a_memory_bar_over_capacity_leaves_its_frame(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct report report = {.arena = arena};
    struct strbuf out = {0};
    struct bar bar = {.segments = {{"weights 15.0", 'W', 0.75}, {"logits 10.0", 'L', 0.5}}, .count = 2};
    report_add_bar(&report, &bar);
    report_write_text(&report, &out);
    /* 60 cells are the capacity: 45 W, 15 L inside; 15 more L are cut to the 12 that are drawn */
    assert_string_equal(strbuf_text(&out),
                        "  [WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWLLLLLLLLLLLLLLL]LLLLLLLLLLLL\n"
                        "  W weights 15.0   L logits 10.0\n");
    strbuf_clear(&out);
    arena_free(arena);
}

static void commands_break_only_where_a_shell_does_not_mind(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct report report = {.arena = arena};
    struct strbuf out = {0};
    report_add(&report, BLOCK_COMMAND,
               "gpuwiz plan --set workload=lora --set model=qwen2.5-7b --set samples=20000 --set epochs=3");
    report_write_text(&report, &out);
    assert_string_equal(strbuf_text(&out),
                        "  gpuwiz plan --set workload=lora --set model=qwen2.5-7b --set samples=20000 \\\n"
                        "  --set epochs=3\n");
    strbuf_clear(&out);
    arena_free(arena);
}

static void expect_golden(const struct strbuf *text, const char *path)
{
    struct strbuf golden = {0};
    struct error error;
    if (getenv("GPUWIZ_WRITE_GOLDEN"))
        assert_true(file_write(path, text->data, text->length, true, &error));
    if (!file_read(path, 1 << 20, &golden, &error))
        fail_msg("%s", error.message);
    if (strcmp(strbuf_text(text), strbuf_text(&golden)) != 0)
        fail_msg("differs from %s:\n%s", path, strbuf_text(text));
    strbuf_clear(&golden);
}

/* Every number of these pages follows from the table at the top of report_fixture.h. Changed wording
 * is taken over by running this test with GPUWIZ_WRITE_GOLDEN=1 and reading the difference. */
static void whole_pages_are_as_they_were_checked_by_hand(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct table table;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    write_plan(&fixture, report_write_text, &out);
    expect_golden(&out, "tests/golden/plan.txt");
    strbuf_reset(&out);
    report_offers_table(&fixture.plan, MODE_COUNT, fixture.arena, &table);
    table_write_csv(&table, false, &out);
    expect_golden(&out, "tests/golden/plan.csv");
    strbuf_reset(&out);
    report_write_plan_json(&fixture.input, &out);
    expect_golden(&out, "tests/golden/plan.json");
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

static void html_needs_nothing_from_elsewhere(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct strbuf out = {0};
    fixture_fill(&fixture);
    write_plan(&fixture, report_write_html, &out);
    assert_null(strstr(out.data, "<script"));
    assert_null(strstr(out.data, "src="));
    assert_null(strstr(out.data, "url("));
    assert_non_null(strstr(out.data, "<html lang=\"en\">"));
    strbuf_clear(&out);
    fixture_clear(&fixture);
}

TEST_MAIN(cmocka_unit_test(each_figure_stands_in_every_form_for_people),
          cmocka_unit_test(no_form_for_people_holds_what_a_terminal_obeys),
          cmocka_unit_test(each_figure_stands_in_the_forms_for_programs),
          cmocka_unit_test(no_text_line_exceeds_80_cells_in_either_language),
          cmocka_unit_test(the_verdict_stands_in_the_first_lines),
          cmocka_unit_test(a_billing_answer_chooses_the_cost_that_is_told),
          cmocka_unit_test(an_unpriced_offer_is_never_given_a_figure),
          cmocka_unit_test(when_nothing_fits_the_funnel_and_the_way_out_are_told),
          cmocka_unit_test(ascii_pages_hold_no_other_bytes),
          cmocka_unit_test(a_memory_bar_over_capacity_leaves_its_frame),
          cmocka_unit_test(commands_break_only_where_a_shell_does_not_mind),
          cmocka_unit_test(whole_pages_are_as_they_were_checked_by_hand),
          cmocka_unit_test(html_needs_nothing_from_elsewhere))
