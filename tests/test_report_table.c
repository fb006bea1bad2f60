#include "tests/test.h"

#include <string.h>
#include "report/json.h"
#include "report/table.h"

/* Two machines, one of them with a name that is trouble everywhere. */
static struct arena *fill(struct table *table)
{
    struct arena *arena = arena_new();
    table_init(table, arena);
    table_column(table, "name", "Name", TEXT_LEFT);
    table_column(table, "gib", "GiB", TEXT_RIGHT);
    table_column(table, "note", "Note", TEXT_LEFT);
    table_text(table, "ecs.a");
    table_number(table, 1234.5, "1,234");
    table_text(table, "plain");
    table_text(table, "=显存|\"x\"<b>");
    table_number(table, NAN, "-");
    table_text(table, "a,b\nc");
    return arena;
}

static void csv_follows_rfc_4180_and_never_holds_a_formula(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = fill(&table);
    table_write_csv(&table, false, &out);
    assert_string_equal(strbuf_text(&out), "name,gib,note\r\n"
                                           "ecs.a,1234.5,plain\r\n"
                                           "\"'=显存|\"\"x\"\"<b>\",,\"a,b\nc\"\r\n");
    strbuf_reset(&out);
    table_write_csv(&table, true, &out);
    assert_memory_equal(out.data, "\xEF\xBB\xBFname,", 8);
    strbuf_clear(&out);
    arena_free(arena);
}

static void every_formula_start_is_escaped(void **state)
{
    (void)state;
    static const char *const texts[] = {"=1", "+1", "-1", "@a", "\tx"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct table table;
        struct strbuf out = {0};
        char expected[32];
        struct arena *arena = arena_new();
        table_init(&table, arena);
        table_column(&table, "k", "K", TEXT_LEFT);
        table_text(&table, texts[i]);
        table_write_csv(&table, false, &out);
        snprintf(expected, sizeof expected, "k\r\n'%s\r\n", texts[i]);
        assert_string_equal(strbuf_text(&out), expected);
        strbuf_clear(&out);
        arena_free(arena);
    }
}

static void json_has_numbers_as_numbers_and_null_for_the_unknown(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = fill(&table);
    table_write_json(&table, &out);
    assert_string_equal(strbuf_text(&out),
                        "[{\"name\":\"ecs.a\",\"gib\":1234.5,\"note\":\"plain\"}\n,"
                        "{\"name\":\"=显存|\\\"x\\\"<b>\",\"gib\":null,\"note\":\"a,b\\nc\"}]\n");
    strbuf_clear(&out);
    arena_free(arena);
}

static void json_text_is_always_valid_and_numbers_keep_whole_values(void **state)
{
    (void)state;
    struct strbuf out = {0};
    struct json json = {.out = &out};
    json_open(&json, NULL, '[');
    json_text(&json, NULL, "\x01\xFF\\");
    json_text(&json, NULL, NULL);
    json_number(&json, NULL, 7615616512.0);
    json_number(&json, NULL, 0.1 + 0.2);
    json_number(&json, NULL, INFINITY);
    json_bool(&json, NULL, true);
    json_open(&json, NULL, '{');
    json_close(&json, '}');
    json_number(&json, NULL, -2);
    json_close(&json, ']');
    assert_string_equal(strbuf_text(&out),
                        "[\"\\u0001\xEF\xBF\xBD\\\\\",null,7615616512,0.3,null,true,{},-2]");
    strbuf_clear(&out);
}

static void markdown_pads_by_cells_and_escapes_pipes(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = fill(&table);
    table_write_markdown(&table, &out);
    /* "=显存\|"x"\<b\>" takes 15 cells: 1 + 4 + 2 + 3 + 2 + 1 + 2 */
    assert_string_equal(strbuf_text(&out), "| Name            |   GiB | Note  |\n"
                                           "| --------------- | ----: | ----- |\n"
                                           "| ecs.a           | 1,234 | plain |\n"
                                           "| =显存\\|\"x\"\\<b\\> |     - | a,b c |\n");
    strbuf_clear(&out);
    arena_free(arena);
}

static void html_escapes_all_markup(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = fill(&table);
    table_write_html(&table, &out);
    assert_non_null(strstr(out.data, "=显存|&quot;x&quot;&lt;b&gt;"));
    assert_null(strstr(out.data, "<b>"));
    assert_non_null(strstr(out.data, "<td class=\"r\">1,234</td>"));
    strbuf_clear(&out);
    arena_free(arena);
}

static void text_columns_stand_under_each_other(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = arena_new();
    table_init(&table, arena);
    table_column(&table, NULL, "部分", TEXT_LEFT);
    table_column(&table, NULL, "GiB", TEXT_RIGHT);
    table_column(&table, NULL, "What", TEXT_LEFT);
    table_text(&table, "权重");
    table_text(&table, "14.2");
    table_text(&table, "the model itself, as it is stored");
    table_text(&table, "KV");
    table_text(&table, "1.0");
    table_text(&table, "cache");
    table_write_text(&table, 40, 2, &out);
    assert_string_equal(strbuf_text(&out), "  部分   GiB  What\n"
                                           "  ----  ----  --------------------------\n"
                                           "  权重  14.2  the model itself, as it is\n"
                                           "              stored\n"
                                           "  KV     1.0  cache\n");
    strbuf_clear(&out);
    arena_free(arena);
}

/* "Fits" in Chinese: the space between columns gives way before its three characters do. */
static void a_short_cell_stays_in_one_line(void **state)
{
    (void)state;
    struct table table;
    struct strbuf out = {0};
    struct arena *arena = arena_new();
    table_init(&table, arena);
    table_column(&table, NULL, "GPU", TEXT_LEFT);
    table_column(&table, NULL, "结论", TEXT_LEFT);
    table_column(&table, NULL, "GiB", TEXT_RIGHT);
    table_text(&table, "a100-80");
    table_text(&table, "放得下");
    table_text(&table, "49.6");
    table_write_text(&table, 20, 0, &out); /* 7 + 6 + 4 cells and two spaces are 19 */
    assert_string_equal(strbuf_text(&out), "GPU     结论    GiB\n"
                                           "------- ------ ----\n"
                                           "a100-80 放得下 49.6\n");
    strbuf_clear(&out);
    arena_free(arena);
}

static void no_text_line_is_wider_than_asked(void **state)
{
    (void)state;
    for (int width = 40; width <= 100; width++) {
        struct table table;
        struct strbuf out = {0};
        struct arena *arena = arena_new();
        table_init(&table, arena);
        for (int i = 0; i < 5; i++)
            table_column(&table, NULL, "实例 heading", i % 2 ? TEXT_RIGHT : TEXT_LEFT);
        for (int i = 0; i < 10; i++)
            table_text(&table, i == 9 ? "a long text of several words that wraps" : "显存占用 12,345.67");
        table_write_text(&table, width, 2, &out);
        for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
            if (text_width(line) > width)
                fail_msg("%d cells at width %d: %s", text_width(line), width, line);
        strbuf_clear(&out);
        arena_free(arena);
    }
}

TEST_MAIN(cmocka_unit_test(csv_follows_rfc_4180_and_never_holds_a_formula),
          cmocka_unit_test(every_formula_start_is_escaped),
          cmocka_unit_test(json_has_numbers_as_numbers_and_null_for_the_unknown),
          cmocka_unit_test(json_text_is_always_valid_and_numbers_keep_whole_values),
          cmocka_unit_test(markdown_pads_by_cells_and_escapes_pipes),
          cmocka_unit_test(html_escapes_all_markup),
          cmocka_unit_test(text_columns_stand_under_each_other),
          cmocka_unit_test(a_short_cell_stays_in_one_line),
          cmocka_unit_test(no_text_line_is_wider_than_asked))
