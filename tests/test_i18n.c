#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"

static void english_is_returned_as_it_is(void **state)
{
    (void)state;
    i18n_set_language(LANGUAGE_EN);
    const char *text = "min";
    assert_ptr_equal(tr(text), text);
}

static void chinese_comes_from_the_catalogue_inside_the_program(void **state)
{
    (void)state;
    i18n_set_language(LANGUAGE_ZH);
    assert_string_equal(tr("s"), "秒");
    assert_string_equal(tr("min"), "分钟");
    assert_string_equal(tr("h"), "小时");
    assert_string_equal(tr("d"), "天");
    i18n_set_language(LANGUAGE_EN);
}

static void what_has_no_translation_stays_english(void **state)
{
    (void)state;
    i18n_set_language(LANGUAGE_ZH);
    assert_string_equal(tr("no such text in the catalogue"), "no such text in the catalogue");
    assert_string_equal(tr("\x01 before all"), "\x01 before all");
    assert_string_equal(tr("\xFF after all"), "\xFF after all");
    assert_string_equal(tr(""), ""); /* not the catalogue's header */
    i18n_set_language(LANGUAGE_EN);
}

static void the_option_is_en_or_zh(void **state)
{
    (void)state;
    assert_true(i18n_choose("zh"));
    assert_int_equal(i18n_language(), LANGUAGE_ZH);
    assert_false(i18n_choose("fr"));
    assert_false(i18n_choose(""));
    assert_int_equal(i18n_language(), LANGUAGE_ZH); /* a refused option changes nothing */
    assert_true(i18n_choose("en"));
    assert_int_equal(i18n_language(), LANGUAGE_EN);
}

static void the_environment_chooses_and_chinese_needs_utf8(void **state)
{
    (void)state;
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG", "LANGUAGE"};
    static const struct {
        const char *values[5]; /* in the order of `names`, NULL = not set */
        enum language language;
    } cases[] = {
        {{NULL, NULL, NULL, NULL, NULL}, LANGUAGE_EN},
        {{NULL, NULL, NULL, "zh_CN.UTF-8", NULL}, LANGUAGE_ZH},
        {{NULL, NULL, NULL, "zh_CN.utf8", NULL}, LANGUAGE_ZH},
        {{NULL, NULL, NULL, "zh.UTF-8", NULL}, LANGUAGE_ZH},
        {{NULL, NULL, NULL, "zh_CN.GBK", NULL}, LANGUAGE_EN},
        {{NULL, NULL, NULL, "zh_CN", NULL}, LANGUAGE_EN}, /* means GB2312 */
        {{NULL, NULL, NULL, "zha_CN.UTF-8", NULL}, LANGUAGE_EN}, /* another language */
        {{"en_US.UTF-8", NULL, NULL, "zh_CN.UTF-8", NULL}, LANGUAGE_EN},
        {{"", "zh_CN.UTF-8", NULL, "en_US.UTF-8", NULL}, LANGUAGE_ZH}, /* empty = not set */
        {{NULL, "zh_CN.UTF-8", "C", NULL, NULL}, LANGUAGE_EN},
        {{NULL, NULL, NULL, "C.UTF-8", "zh_CN:en"}, LANGUAGE_ZH},
        {{NULL, NULL, NULL, "zh_CN.UTF-8", "en"}, LANGUAGE_EN},
        {{NULL, NULL, NULL, "C.UTF-8", "fr:zh:en"}, LANGUAGE_ZH},
        {{NULL, NULL, NULL, "C", "zh_CN"}, LANGUAGE_EN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < 5; k++)
            if (cases[i].values[k])
                setenv(names[k], cases[i].values[k], 1);
            else
                unsetenv(names[k]);
        assert_true(i18n_choose(NULL));
        if (cases[i].language == LANGUAGE_ZH)
            assert_true(i18n_utf8()); /* elsewhere the yen sign would come out as two characters */
        if (i18n_language() != cases[i].language)
            fail_msg("case %zu", i);
    }
    assert_false(i18n_utf8()); /* LANG=C */
}

TEST_MAIN(cmocka_unit_test(english_is_returned_as_it_is),
          cmocka_unit_test(chinese_comes_from_the_catalogue_inside_the_program),
          cmocka_unit_test(what_has_no_translation_stays_english),
          cmocka_unit_test(the_option_is_en_or_zh),
          cmocka_unit_test(the_environment_chooses_and_chinese_needs_utf8))
