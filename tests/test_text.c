#include "tests/test.h"

#include <string.h>
#include "base/text.h"

/* Widths by hand from EastAsianWidth.txt 15.0 and UnicodeData.txt. */
static void characters_have_their_unicode_width(void **state)
{
    (void)state;
    static const struct {
        uint32_t c;
        int width;
    } known[] = {
        {'a', 1}, {0x1B, 0}, {0x7F, 0}, {0x85, 0}, {0xE9, 1},
        {0x300, 0}, {0x36F, 0}, {0x370, 1}, {0x200B, 0}, {0x200D, 0}, {0xFE0F, 0}, {0xE0101, 0},
        {0x115F, 2}, {0x1160, 0}, {0x11FF, 0}, {0x1200, 1}, /* Hangul: a syllable is 2 cells in all */
        {0x4E2D, 2}, {0x3000, 2}, {0x303F, 1}, {0xFF0C, 2}, {0xFF61, 1}, {0xFFE5, 2}, {0xAC00, 2},
        {0x302A, 0}, {0x3099, 0}, {0x20000, 2}, {0x3FFFD, 2}, {0x1F600, 2}, {0x1FAE8, 2},
        {0xA5, 1}, {0x2026, 1}, {0x2588, 1}, {0x2500, 1}, {0x4DC0, 1}, /* ambiguous or narrow: 1 */
        {0x10FFFD, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_char_width(known[i].c) != known[i].width)
            fail_msg("U+%04X is not %d cells", (unsigned)known[i].c, known[i].width);
}

static void every_code_point_survives_encoding_and_decoding(void **state)
{
    (void)state;
    struct strbuf text = {0};
    for (uint32_t c = 1; c <= 0x10FFFF; c = c == 0xD7FF ? 0xE000 : c + 1) {
        strbuf_reset(&text);
        text_add_char(&text, c);
        const char *at = text.data;
        if (text_next(&at) != c || *at || !text_valid(text.data))
            fail_msg("U+%04X", (unsigned)c);
    }
    strbuf_clear(&text);
}

static void ill_formed_bytes_become_replacement_characters_one_at_a_time(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80", "\xFF", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE4\xB8", "\xF0\x9F\x98",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = bad[i];
        size_t count = 0;
        assert_false(text_valid(bad[i]));
        for (uint32_t c; (c = text_next(&at)) != 0; count++)
            assert_int_equal(c, 0xFFFD);
        assert_int_equal(count, strlen(bad[i]));
    }
    const char *at = "\xE4\xB8" "A"; /* a cut character does not swallow the next one */
    assert_int_equal(text_next(&at), 0xFFFD);
    assert_int_equal(text_next(&at), 0xFFFD);
    assert_int_equal(text_next(&at), 'A');
}

/* A base letter with two marks, Chinese, ASCII, an emoji: 1 + 4 + 3 + 2 = 10 cells. */
static const char mixed[] = "e\xCC\x81\xCC\x82" "显存" "abc" "\xF0\x9F\x98\x80";

static void width_counts_cells_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(text_width(mixed), 10);
    assert_int_equal(text_width("\x1B[31m"), 4); /* the escape character itself has no cell */
}

static void clipped_text_never_exceeds_its_cells_at_any_width(void **state)
{
    (void)state;
    struct strbuf out = {0};
    for (int cells = -1; cells <= 12; cells++)
        for (int ascii = 0; ascii < 2; ascii++) {
            strbuf_reset(&out);
            int used = text_add_clipped(&out, mixed, cells, ascii);
            assert_int_equal(used, text_width(strbuf_text(&out)));
            assert_true(used <= (cells > 0 ? cells : 0));
            assert_true(cells < 1 || used >= (cells < 10 ? cells - 1 : 10));
            assert_true(text_valid(strbuf_text(&out)));
        }
    strbuf_clear(&out);
}

static void a_clip_ends_in_a_mark_and_keeps_wide_characters_whole(void **state)
{
    (void)state;
    static const struct {
        int cells;
        const char *text, *clipped;
    } cases[] = {
        {6, "显存占用", "显存…"}, {5, "显存占用", "显存…"}, {4, "显存占用", "显…"}, {1, "显存", "…"},
        {8, "显存占用", "显存占用"}, {3, "abcd", "ab…"}, {4, "abcd", "abcd"}, {2, "e\xCC\x81xyz", "e\xCC\x81…"},
        {9, "a\x1B[31mb", "a[31mb"},
        {9, "a\xE2\x80\xAE" "b", "ab"}, /* U+202E would reverse what follows */
    };
    struct strbuf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strbuf_reset(&out);
        text_add_clipped(&out, cases[i].text, cases[i].cells, false);
        assert_string_equal(strbuf_text(&out), cases[i].clipped);
    }
    strbuf_reset(&out);
    text_add_clipped(&out, "显存占用", 5, true);
    assert_string_equal(out.data, "显存~");
    strbuf_clear(&out);
}

static void padded_text_takes_exactly_its_cells(void **state)
{
    (void)state;
    struct strbuf out = {0};
    for (int cells = 0; cells <= 15; cells++)
        for (int align = TEXT_LEFT; align <= TEXT_CENTRE; align++) {
            strbuf_reset(&out);
            text_add_padded(&out, mixed, cells, (enum text_align)align);
            assert_int_equal(text_width(strbuf_text(&out)), cells);
        }
    strbuf_reset(&out);
    text_add_padded(&out, "显", 5, TEXT_RIGHT);
    text_add_padded(&out, "x", 4, TEXT_CENTRE);
    assert_string_equal(out.data, "   显 x  ");
    strbuf_clear(&out);
}

static void expect_lines(const char *text, int cells, const char *const *lines)
{
    for (; *lines; lines++) {
        size_t length = text_wrap(text, cells);
        if (length != strlen(*lines) || strncmp(text, *lines, length) != 0)
            fail_msg("at %d cells: \"%.*s\" instead of \"%s\"", cells, (int)length, text, *lines);
        text += length;
        text += strspn(text, " ");
    }
    assert_int_equal(text_wrap(text, cells), 0);
}

#define EXPECT_LINES(text, cells, ...) \
    expect_lines(text, cells, (const char *const[]){__VA_ARGS__, NULL})

static void english_wraps_at_spaces_and_cuts_only_words_that_fit_no_line(void **state)
{
    (void)state;
    EXPECT_LINES("the quick brown fox", 9, "the quick", "brown fox");
    EXPECT_LINES("the quick brown fox", 8, "the", "quick", "brown", "fox");
    EXPECT_LINES("a ecs.gn7i-c8g1 b", 6, "a", "ecs.gn", "7i-c8g", "1 b");
    EXPECT_LINES("two  spaces", 4, "two", "spac", "es");
}

static void chinese_wraps_anywhere_but_beside_punctuation(void **state)
{
    (void)state;
    EXPECT_LINES("显存占用很高", 5, "显存", "占用", "很高");
    EXPECT_LINES("显存占用，很高。", 8, "显存占", "用，很", "高。"); /* no line starts with ， or 。 */
    EXPECT_LINES("参数（见下）", 6, "参数", "（见", "下）");
    EXPECT_LINES("租用gn7i两台", 6, "租用", "gn7i两", "台"); /* Latin words stay whole */
    EXPECT_LINES("价格¥12元", 5, "价格", "¥12元"); /* not between ¥ and its figure */
}

static void a_newline_ends_a_line_and_one_character_is_always_taken(void **state)
{
    (void)state;
    assert_int_equal(text_wrap("ab\ncd", 10), 2);
    assert_int_equal(text_wrap("\ncd", 10), 1);
    assert_int_equal(text_wrap("显存", 1), 3);
    assert_int_equal(text_wrap("", 10), 0);
}

static void wrapping_loses_nothing_at_any_width(void **state)
{
    (void)state;
    const char *text = "LoRA 微调 Qwen2.5-7B（rank 16），显存 21.4 GiB：装得下 e\xCC\x81t\xCC\x80.";
    for (int cells = 2; cells < 70; cells++) {
        const char *at = text;
        size_t kept = 0;
        for (size_t n; (n = text_wrap(at, cells)) > 0; at += n, at += strspn(at, " ")) {
            char line[200];
            snprintf(line, sizeof line, "%.*s", (int)n, at);
            assert_true(text_width(line) <= cells);
            assert_true(text_valid(line));
            for (size_t i = 0; i < n; i++)
                kept += at[i] != ' ';
        }
        size_t whole = 0;
        for (const char *p = text; *p; p++)
            whole += *p != ' ';
        assert_int_equal(kept, whole);
    }
}

static void search_ignores_ascii_case_and_distance_counts_edits(void **state)
{
    (void)state;
    const char *text = "NVIDIA A100 显存";
    assert_ptr_equal(text_find(text, "a100"), text + 7);
    assert_ptr_equal(text_find(text, "显"), text + 12);
    assert_ptr_equal(text_find(text, ""), text);
    assert_null(text_find(text, "a1000"));
    assert_int_equal(text_distance("kitten", "sitting"), 3); /* Levenshtein's own example */
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("L20", "l20"), 0);
    assert_true(text_alike("optimizer", "optimzer"));
    assert_false(text_alike("zero", "foo")); /* three of four letters differ */
}

TEST_MAIN(cmocka_unit_test(characters_have_their_unicode_width),
          cmocka_unit_test(every_code_point_survives_encoding_and_decoding),
          cmocka_unit_test(ill_formed_bytes_become_replacement_characters_one_at_a_time),
          cmocka_unit_test(width_counts_cells_not_bytes),
          cmocka_unit_test(clipped_text_never_exceeds_its_cells_at_any_width),
          cmocka_unit_test(a_clip_ends_in_a_mark_and_keeps_wide_characters_whole),
          cmocka_unit_test(padded_text_takes_exactly_its_cells),
          cmocka_unit_test(english_wraps_at_spaces_and_cuts_only_words_that_fit_no_line),
          cmocka_unit_test(chinese_wraps_anywhere_but_beside_punctuation),
          cmocka_unit_test(a_newline_ends_a_line_and_one_character_is_always_taken),
          cmocka_unit_test(wrapping_loses_nothing_at_any_width),
          cmocka_unit_test(search_ignores_ascii_case_and_distance_counts_edits))
