/* Nothing that was answered is lost, however the program ends: the answers in the state folder after
 * signals that come in the midst of typing. */
#include "tests/test.h"

#include <signal.h>
#include <string.h>
#include "base/file.h"
#include "tests/sandbox.h"
#include "tests/screen.h"

/* The answers kept under the home of the test. */
static void read_kept(struct strbuf *text)
{
    struct error error;
    strbuf_reset(text);
    if (!file_read(sandbox_path("home/gpuwiz/last.yaml"), 1 << 20, text, &error))
        fail_msg("%s", error.message);
}

/* LoRA of a 7B; then the sequence length is being typed, and not accepted yet. */
static struct screen_under_test *start_typing(const char *typed)
{
    static const char *const arguments[] = {"--set", "workload=lora", "--set", "model=qwen2.5-7b", NULL};
    struct screen_options options = {.home = sandbox_path("home"), .arguments = arguments};
    struct screen_under_test *screen = screen_start(&options);
    assert_true(screen_wait(screen, "Workload", 5));
    screen_keys(screen, "3 Down Down Down Down Enter");
    assert_true(screen_wait(screen, "Sequence length", 5));
    screen_keys(screen, typed);
    return screen;
}

static void a_line_being_typed_is_kept_when_a_signal_ends_it(void **state)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT};
    static const char *const typed[] = {"\"3001\"", "\"3002\"", "\"3003\""};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct strbuf kept = {0};
        char expected[40];
        struct screen_under_test *screen = start_typing(typed[i]);
        screen_signal(screen, signals[i]);
        assert_int_not_equal(screen_end(screen), -1);
        screen_free(screen);
        read_kept(&kept);
        snprintf(expected, sizeof expected, "seq_len: %d", 3001 + i);
        if (!strstr(kept.data, expected))
            fail_msg("%s is not in:\n%s", expected, kept.data);
        assert_non_null(strstr(kept.data, "model: qwen2.5-7b"));
        strbuf_clear(&kept);
    }
}

/* What is no answer is not kept, and takes nothing else with it. */
static void a_refused_line_leaves_the_other_answers(void **state)
{
    struct strbuf kept = {0};
    (void)state;
    struct screen_under_test *screen = start_typing("\"4096\" Enter Enter \"x\"");
    screen_signal(screen, SIGTERM);
    assert_int_not_equal(screen_end(screen), -1);
    screen_free(screen);
    read_kept(&kept);
    assert_non_null(strstr(kept.data, "seq_len: 4096"));
    strbuf_clear(&kept);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(a_line_being_typed_is_kept_when_a_signal_ends_it,
                                          sandbox_begin, sandbox_end),
          cmocka_unit_test_setup_teardown(a_refused_line_leaves_the_other_answers, sandbox_begin,
                                          sandbox_end))
