#include "tests/test.h"

#include "base/i18n.h"
#include "base/units.h"

static void numbers_are_read_with_their_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool binary_k;
        double value;
    } known[] = {
        {"512", false, 512}, {" 7e9 ", false, 7e9}, {"-3", false, -3}, {".5", false, 0.5},
        {"70b", false, 70e9}, {"70B", false, 70e9}, {"0.5b", false, 0.5e9}, {"1.5k", false, 1500},
        {"1.5k", true, 1536}, {"32k", true, 32768}, {"32K", true, 32768}, {"32k", false, 32000},
        {"2M", true, 2e6}, {"1T", false, 1e12}, {"80G", false, 80e9}, {"80GB", false, 80e9},
        {"80GiB", false, 80 * 1073741824.0}, {"80 GiB", false, 80 * 1073741824.0},
        {"4Ki", false, 4096}, {"1Mi", false, 1048576}, {"50%", false, 0.5}, {"1e3k", false, 1e6},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value = 0;
        if (!units_parse(known[i].text, known[i].binary_k, &value))
            fail_msg("\"%s\" was refused", known[i].text);
        assert_near(value, known[i].value, 1e-15);
    }
}

static void what_is_not_wholly_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", " ", "k", "GiB", "abc", "1.2.3", "1e", "12x", "1,000", "0x10", "inf", "nan", "1e999",
        "--1", "5 6", "80GiBs", "80Gi b", "50%%", "1 k k", ".", "1kk", "1e308k",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 42;
        if (units_parse(bad[i], false, &value))
            fail_msg("\"%s\" was read as %g", bad[i], value);
        assert_true(value == 42); /* and nothing was changed */
    }
}

/* Each writer against texts worked out by hand. */
static void expect(char *(*write)(double, char *), double value, const char *expected)
{
    char text[UNITS_TEXT];
    assert_string_equal(write(value, text), expected);
}

static void gib_have_three_significant_digits(void **state)
{
    (void)state;
    expect(units_gib, 14.24, "14.2");
    expect(units_gib, 0.05, "0.05");
    expect(units_gib, 0, "0.00");
    expect(units_gib, 9.996, "10.0");
    expect(units_gib, 99.96, "100");
    expect(units_gib, 1024, "1,024");
    expect(units_gib, NAN, "-");
}

static void money_has_fen_below_a_hundred(void **state)
{
    (void)state;
    expect(units_cny, 9.53, "9.53");
    expect(units_cny, 99.99, "99.99");
    expect(units_cny, 99.996, "100");
    expect(units_cny, 1234.4, "1,234");
    expect(units_cny, -1234567, "-1,234,567");
    expect(units_cny, NAN, "-");
}

static void small_prices_keep_three_decimals(void **state)
{
    (void)state;
    expect(units_rate, 0.0764, "0.076");
    expect(units_rate, 1.25, "1.25");
    expect(units_rate, 0.9996, "1.00");
    expect(units_rate, NAN, "-");
}

static void counts_have_a_suffix(void **state)
{
    (void)state;
    expect(units_count, 7615616512.0, "7.62B");
    expect(units_count, 32768, "32.8k");
    expect(units_count, 512, "512");
    expect(units_count, 999.6, "1k");
    expect(units_count, 999999, "1M");
    expect(units_count, 70e9, "70B");
    expect(units_count, 1e12, "1T");
    expect(units_count, 2e15, "2,000T");
    expect(units_count, 2.5, "2.5");
    expect(units_count, 0, "0");
    expect(units_count, NAN, "-");
}

static void hours_choose_the_unit_that_reads_best(void **state)
{
    (void)state;
    expect(units_hours, 0.01, "36 s");
    expect(units_hours, 35.0 / 60, "35 min");
    expect(units_hours, 59.6 / 60, "1.0 h");
    expect(units_hours, 3.2, "3.2 h");
    expect(units_hours, 47.99, "2.0 d");
    expect(units_hours, 300, "12.5 d");
    expect(units_hours, 24000, "1,000 d");
    expect(units_hours, NAN, "-");
    expect(units_hours, INFINITY, "-");
    i18n_set_language(LANGUAGE_ZH);
    expect(units_hours, 3.2, "3.2 小时");
    i18n_set_language(LANGUAGE_EN);
}

static void plain_numbers_read_back_the_same(void **state)
{
    (void)state;
    expect(units_plain, 0.1, "0.1");
    expect(units_plain, -0.0, "0");
    expect(units_plain, 7615616512.0, "7615616512");
    expect(units_plain, 1e20, "100000000000000000000");
    expect(units_plain, 1.0 / 3, "0.3333333333333333");
    expect(units_plain, 0.00001234, "0.00001234");
    expect(units_plain, NAN, "-");
}

static void numbers_for_programs_do_not_show_the_last_bit(void **state)
{
    (void)state;
    expect(units_machine, 0.1 + 0.2, "0.3");
    expect(units_machine, 7615616512.0, "7615616512");
    expect(units_machine, 11.0 / 6, "1.83333333");
}

static void thousands_are_set_apart(void **state)
{
    (void)state;
    expect(units_thousands, 0.4, "0");
    expect(units_thousands, -0.4, "0");
    expect(units_thousands, 999, "999");
    expect(units_thousands, 1000, "1,000");
    expect(units_thousands, 1234567.6, "1,234,568");
    expect(units_thousands, INFINITY, "-");
}

TEST_MAIN(cmocka_unit_test(numbers_are_read_with_their_units),
          cmocka_unit_test(what_is_not_wholly_a_number_is_refused),
          cmocka_unit_test(gib_have_three_significant_digits),
          cmocka_unit_test(money_has_fen_below_a_hundred),
          cmocka_unit_test(small_prices_keep_three_decimals),
          cmocka_unit_test(counts_have_a_suffix),
          cmocka_unit_test(hours_choose_the_unit_that_reads_best),
          cmocka_unit_test(plain_numbers_read_back_the_same),
          cmocka_unit_test(numbers_for_programs_do_not_show_the_last_bit),
          cmocka_unit_test(thousands_are_set_apart))
