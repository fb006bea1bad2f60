/* Keys and their names, key scripts, colours by role, text entry. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/sandbox.h"
#include "ui/event.h"
#include "ui/theme.h"
#include "ui/widgets.h"

static struct event only_event(const char *script)
{
    bool in_quotes = false;
    struct event event = event_from_script(&script, &in_quotes);
    assert_int_equal(event_from_script(&script, &in_quotes).kind, EVENT_NONE);
    assert_string_equal(script, "");
    return event;
}

static void every_key_reads_back_from_its_name(void **state)
{
    (void)state;
    for (int key = KEY_ESC_; key <= KEY_HELP_; key++) {
        char name[16];
        assert_int_equal(only_event(event_key_name(key, name)).key, key);
    }
    for (int letter = 'a'; letter <= 'z'; letter++) {
        char name[16];
        assert_int_equal(only_event(event_key_name(KEY_CTRL(letter), name)).key, KEY_CTRL(letter));
    }
    assert_int_equal(only_event("显").key, 0x663E);
    assert_int_equal(only_event("Space").key, ' ');
}

static void scripts_hold_words_quotes_comments_and_places(void **state)
{
    (void)state;
    const char *script = "Down # go down\n\"a b\" resize:100x30 click:3,14 wheel:-1";
    bool in_quotes = false;
    const int keys[] = {KEY_DOWN_, 'a', ' ', 'b'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(event_from_script(&script, &in_quotes).key, keys[i]);
    struct event event = event_from_script(&script, &in_quotes);
    assert_int_equal(event.kind, EVENT_RESIZE);
    assert_int_equal(event.col, 100);
    assert_int_equal(event.row, 30);
    event = event_from_script(&script, &in_quotes);
    assert_int_equal(event.kind, EVENT_CLICK);
    assert_int_equal(event.row * 100 + event.col, 314);
    assert_int_equal(event_from_script(&script, &in_quotes).turn, -1);
}

static void an_unknown_word_stops_the_script_where_it_stands(void **state)
{
    (void)state;
    const char *script = "Up Sideways Down";
    bool in_quotes = false;
    event_from_script(&script, &in_quotes);
    assert_int_equal(event_from_script(&script, &in_quotes).kind, EVENT_NONE);
    assert_string_equal(script, "Sideways Down");
}

/* Nobody knows the terminal's own background, so it is painted only together with a foreground. */
static void no_background_is_painted_without_a_foreground(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEME_COUNT; theme++)
        for (int role = 0; role < ROLE_COUNT; role++)
            for (int colours = 0; colours <= 256; colours = colours ? colours * 32 : 8) {
                struct style style = theme_style(theme, (enum role)role, colours);
                assert_true(style.bg < 0 || style.fg >= 0);
                assert_true(style.fg < (colours ? colours : 1) && style.bg < (colours ? colours : 1));
            }
}

static void without_colours_what_is_marked_or_bad_still_stands_out(void **state)
{
    (void)state;
    static const enum role roles[] = {ROLE_TITLE, ROLE_ACCENT, ROLE_KEY, ROLE_SELECTED, ROLE_INPUT, ROLE_WARN, ROLE_BAD};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        assert_int_not_equal(theme_style(THEME_DEFAULT, roles[i], 0).attributes, 0);
        assert_int_equal(theme_style(THEME_DEFAULT, roles[i], 0).fg, -1);
    }
    assert_int_not_equal(theme_style(THEME_MONO, ROLE_WARN, 256).attributes, theme_style(THEME_MONO, ROLE_BAD, 256).attributes);
    assert_true(theme_needs_patterns(THEME_DEFAULT, 0));
    assert_false(theme_needs_patterns(THEME_DEFAULT, 256));
}

static void every_component_has_a_colour_of_its_own(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEME_MONO; theme++)
        for (int a = ROLE_BAR_WEIGHTS; a <= ROLE_BAR_RUNTIME; a++)
            for (int b = ROLE_BAR_WEIGHTS; b < a; b++)
                assert_int_not_equal(theme_style(theme, (enum role)a, 256).fg, theme_style(theme, (enum role)b, 256).fg);
    assert_int_equal(ROLE_BAR_RUNTIME - ROLE_BAR_WEIGHTS + 1, COMPONENT_COUNT);
}

static void type(struct input *input, int key)
{
    struct event event = event_key(key);
    input_event(input, &event);
}

static void a_line_that_is_too_long_is_cut_between_characters(void **state)
{
    (void)state;
    struct input input = {0};
    char text[400] = "";
    for (int i = 0; i < 100; i++) /* 300 bytes for the 255 that a line holds: "a" and 84 x 3 = 253 */
        strcat(text, i ? "显" : "a");
    input_set(&input, text);
    assert_int_equal(input.length, 253);
    assert_true(text_valid(input.text));
    assert_memory_equal(input.text, text, 253);
}

static void text_is_edited_by_characters_not_bytes(void **state)
{
    (void)state;
    struct input input = {0};
    input_set(&input, "显存7b");
    type(&input, KEY_BACKSPACE_);
    type(&input, KEY_BACKSPACE_);
    type(&input, KEY_BACKSPACE_);
    assert_string_equal(input.text, "显");
    type(&input, KEY_HOME_);
    type(&input, 'x');
    assert_string_equal(input.text, "x显");
    type(&input, KEY_DELETE);
    assert_string_equal(input.text, "x");
    struct event paste = {.kind = EVENT_PASTE, .text = "a\033b\tc\nsecond line"};
    input_event(&input, &paste);
    assert_string_equal(input.text, "xabc");
    for (int i = 0; i < 600; i++)
        type(&input, 0x663E);
    assert_true(strlen(input.text) < sizeof input.text);
    assert_true(text_valid(input.text));
}

/* Runs the program on a key script; its screen in `out`. */
static int run_script(const char *keys, const char *options, struct strbuf *out)
{
    char command[1200], bytes[512];
    const char *program = getenv("GPUWIZ_PROGRAM"), *script = sandbox_write("keys.txt", keys);
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 %s --lang en --script %s %s </dev/null 2>&1", program ? program : "build/gpuwiz",
             script, options);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(bytes, sizeof bytes, pipe))
        strbuf_add(out, bytes);
    return pclose(pipe);
}

static void a_key_script_needs_no_terminal_and_repeats_exactly(void **state)
{
    (void)state;
    struct strbuf first = {0}, second = {0};
    const char *keys = "Enter \"llama-3.1-8b\" Enter 6 s";
    assert_int_equal(run_script(keys, "--size 100x30", &first), 0);
    assert_int_equal(run_script(keys, "--size 100x30", &second), 0);
    static const char *const no_sizes[] = {"80x24x1", "80x24 ", "80x", "80", "0x24", "80x-1", "1001x24"};
    for (size_t i = 0; i < sizeof no_sizes / sizeof *no_sizes; i++) {
        struct strbuf none = {0};
        char size[40];
        snprintf(size, sizeof size, "--size '%s'", no_sizes[i]);
        assert_int_equal(WEXITSTATUS(run_script(keys, size, &none)), 1);
        strbuf_clear(&none);
    }
    assert_string_equal(first.data, second.data);
    assert_non_null(strstr(first.data, "Instance▲"));
    int lines = 0;
    for (const char *p = first.data; *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 30);
    strbuf_reset(&first);
    assert_int_not_equal(run_script("Enter Nonsense", "", &first), 0);
    assert_non_null(strstr(first.data, "unknown key 'Nonsense'"));
    strbuf_clear(&first);
    strbuf_clear(&second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_begin, sandbox_end)

TEST_MAIN(cmocka_unit_test(every_key_reads_back_from_its_name),
          cmocka_unit_test(scripts_hold_words_quotes_comments_and_places),
          cmocka_unit_test(an_unknown_word_stops_the_script_where_it_stands),
          cmocka_unit_test(no_background_is_painted_without_a_foreground),
          cmocka_unit_test(without_colours_what_is_marked_or_bad_still_stands_out),
          cmocka_unit_test(every_component_has_a_colour_of_its_own),
          cmocka_unit_test(a_line_that_is_too_long_is_cut_between_characters),
          cmocka_unit_test(text_is_edited_by_characters_not_bytes),
          TEST(a_key_script_needs_no_terminal_and_repeats_exactly))
