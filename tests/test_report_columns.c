#include "tests/test.h"

#include <string.h>
#include "base/i18n.h"
#include "report/columns.h"
#include "tests/report_fixture.h"

static void ids_are_unique_and_every_column_can_do_its_work(void **state)
{
    (void)state;
    bool priorities[100] = {false};
    for (int i = 0; i < column_count; i++) {
        assert_ptr_equal(column_find(columns[i].id), &columns[i]);
        assert_non_null(columns[i].compare);
        assert_non_null(columns[i].format);
        assert_false(priorities[columns[i].priority]);
        priorities[columns[i].priority] = true;
    }
    assert_null(column_find("nothing"));
    assert_int_equal(columns[0].priority, 0); /* the instance always stays */
}

static void headings_leave_room_for_the_sort_mark_in_both_languages(void **state)
{
    (void)state;
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        for (int i = 0; i < column_count; i++)
            if (text_width(tr(columns[i].heading)) + 1 > columns[i].width)
                fail_msg("%s needs %d cells", tr(columns[i].heading), text_width(tr(columns[i].heading)) + 1);
    }
    i18n_set_language(LANGUAGE_EN);
}

static const char *names_in_order(const struct report_fixture *fixture)
{
    static char text[100];
    text[0] = '\0';
    for (size_t i = 0; i < 3; i++)
        strcat(text, fixture->offers[i].instance->type);
    return text;
}

static void unknown_values_stay_last_whichever_way_it_is_sorted(void **state)
{
    (void)state;
    struct report_fixture fixture;
    fixture_fill(&fixture);
    const struct column *cost = column_find("cost_cny");
    offers_sort(fixture.offers, 3, cost, false, MODE_COUNT); /* 66, 240, none */
    assert_string_equal(names_in_order(&fixture), "one.smalltwo.largethree.unpriced");
    offers_sort(fixture.offers, 3, cost, true, MODE_COUNT);
    assert_string_equal(names_in_order(&fixture), "two.largeone.smallthree.unpriced");
    offers_sort(fixture.offers, 3, cost, true, MODE_PAYG); /* 200, 240, none */
    assert_string_equal(names_in_order(&fixture), "two.largeone.smallthree.unpriced");
    offers_sort(fixture.offers, 3, cost, false, MODE_SPOT); /* 66, none, none: by name */
    assert_string_equal(names_in_order(&fixture), "one.smallthree.unpricedtwo.large");
    fixture_clear(&fixture);
}

static void ties_go_by_type_and_then_by_machines(void **state)
{
    (void)state;
    struct report_fixture fixture;
    fixture_fill(&fixture);
    fixture.offers[1].instance = fixture.offers[2].instance = fixture.offers[0].instance;
    fixture.offers[0].nodes = 4;
    fixture.offers[1].nodes = 2;
    fixture.offers[2].nodes = 1;
    offers_sort(fixture.offers, 3, column_find("verdict"), true, MODE_COUNT); /* all fit */
    for (int i = 0; i < 3; i++)
        assert_int_equal(fixture.offers[i].nodes, 1 << i);
    offers_sort(fixture.offers, 0, column_find("cost_cny"), true, MODE_COUNT); /* nothing is no crash */
    fixture_clear(&fixture);
}

static void expect_cell(const struct offer *offer, const char *id, enum billing_mode mode,
                        const char *expected)
{
    struct strbuf text = {0};
    column_find(id)->format(offer, mode, &text);
    if (strcmp(strbuf_text(&text), expected) != 0)
        fail_msg("%s is \"%s\", not \"%s\"", id, strbuf_text(&text), expected);
    strbuf_clear(&text);
}

static void cells_are_written_for_people(void **state)
{
    (void)state;
    struct report_fixture fixture;
    fixture_fill(&fixture);
    const struct offer *offer = &fixture.offers[0];
    expect_cell(offer, "layout", MODE_COUNT, "DP2 ZeRO-2");
    expect_cell(offer, "memory_percent", MODE_COUNT, "90"); /* 18 of 20 GiB */
    expect_cell(offer, "hours", MODE_COUNT, "10.0 h");
    expect_cell(offer, "cost_cny", MODE_COUNT, "~66.00");
    expect_cell(offer, "cost_cny", MODE_PAYG, "200");
    expect_cell(offer, "cost_cny", MODE_YEARLY, "-");
    expect_cell(offer, "cny_per_hour", MODE_PAYG, "20.00"); /* 200 / 10 h */
    expect_cell(offer, "cny_per_mtok", MODE_COUNT, "1.83"); /* 66 / 36 */
    expect_cell(offer, "cny_per_gib_hour", MODE_COUNT, "0.500"); /* 10 / 20 GiB */
    expect_cell(offer, "cny_per_tflops_hour", MODE_COUNT, "0.100"); /* 10 / 100 TFLOPS */
    expect_cell(&fixture.offers[1], "cny_per_gib_hour", MODE_COUNT, "0.600"); /* 24 / (2 x 20) */
    expect_cell(&fixture.offers[2], "price_date", MODE_COUNT, "-");
    expect_cell(&fixture.offers[2], "layout", MODE_COUNT, "-");
    fixture_clear(&fixture);
}

static void the_billing_answer_names_a_mode(void **state)
{
    (void)state;
    struct report_fixture fixture;
    struct error error;
    fixture_fill(&fixture);
    assert_int_equal(billing_mode_of_choice(&fixture.scenario), MODE_COUNT);
    static const struct { /* payg, yearly, 3year and spot stand for two ways each */
        const char *answer;
        enum billing_mode mode;
    } known[] = {{"any", MODE_COUNT}, {"payg", MODE_COUNT}, {"monthly", MODE_MONTHLY},
                 {"yearly", MODE_COUNT}, {"3year", MODE_COUNT}, {"savings", MODE_SAVINGS},
                 {"reserved", MODE_RESERVED}, {"spot", MODE_COUNT}, {"mixed", MODE_MIXED}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(scenario_set(&fixture.scenario, FIELD_BILLING, known[i].answer, &fixture.catalog,
                                 fixture.arena, &error));
        assert_int_equal(billing_mode_of_choice(&fixture.scenario), known[i].mode);
    }
    fixture_clear(&fixture);
}

TEST_MAIN(cmocka_unit_test(ids_are_unique_and_every_column_can_do_its_work),
          cmocka_unit_test(headings_leave_room_for_the_sort_mark_in_both_languages),
          cmocka_unit_test(unknown_values_stay_last_whichever_way_it_is_sorted),
          cmocka_unit_test(ties_go_by_type_and_then_by_machines),
          cmocka_unit_test(cells_are_written_for_people),
          cmocka_unit_test(the_billing_answer_names_a_mode))
