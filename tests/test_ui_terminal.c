/* The program itself in a pseudo-terminal: real keys in, real cells out. */
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/sandbox.h"
#include "tests/screen.h"

/* Starts with more environment or arguments; waits for the first screen. */
static struct screen_under_test *start_with(int rows, int cols, const char *term, const char *const *set,
                                            const char *const *arguments)
{
    struct screen_options options = {.rows = rows, .cols = cols, .term = term, .set = set, .arguments = arguments,
                                     .home = sandbox_path("home")};
    struct screen_under_test *screen = screen_start(&options);
    assert_true(screen_wait(screen, "Workload", 10));
    return screen;
}

static struct screen_under_test *start(int rows, int cols)
{
    return start_with(rows, cols, NULL, NULL, NULL);
}

static void quit(struct screen_under_test *screen)
{
    screen_keys(screen, "Ctrl-Q");
    int status = screen_end(screen);
    assert_int_equal(status, 0);
    assert_false(screen_is_alternate(screen));
    screen_free(screen);
}

#define ASSERT_SHOWS(screen, text) \
    do { \
        if (!screen_wait(screen, text, 3)) { \
            struct strbuf all_ = {0}; \
            screen_text(screen, &all_); \
            print_error("not on the screen: %s\n%s\n", text, strbuf_text(&all_)); \
            strbuf_clear(&all_); \
            fail(); \
        } \
    } while (0)

static void q_gives_the_terminal_back_as_it_was(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    assert_true(screen_is_alternate(screen));
    assert_false(screen_is_sane(screen));
    screen_keys(screen, "q");
    assert_int_equal(screen_end(screen), 0);
    assert_false(screen_is_alternate(screen));
    assert_true(screen_is_sane(screen));
    screen_free(screen);
}

static void every_signal_gives_the_terminal_back_and_is_the_exit_status(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct screen_under_test *screen = start(24, 80);
        screen_signal(screen, signals[i]);
        int status = screen_end(screen);
#if !defined(__SANITIZE_ADDRESS__)
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
#endif
        assert_int_not_equal(status, -1);
        assert_false(screen_is_alternate(screen));
        assert_true(screen_is_sane(screen));
        screen_free(screen);
    }
}

static void enter_on_every_step_leads_to_a_plan(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_keys(screen, "Enter \"llama-3.1-8b\" Enter");
    ASSERT_SHOWS(screen, "Precision");
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "Training tokens");
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "Budget is");
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "ways of paying");
    screen_keys(screen, "Tab");
    ASSERT_SHOWS(screen, "Rent:");
    screen_keys(screen, "c");
    ASSERT_SHOWS(screen, "--set workload=lora --set model=llama-3.1-8b");
    quit(screen);
}

static void typing_narrows_the_models_and_a_size_is_an_answer(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_keys(screen, "2 \"zzz\"");
    ASSERT_SHOWS(screen, "nothing by this name");
    screen_keys(screen, "Esc \"13.7b\"");
    ASSERT_SHOWS(screen, "13.7");
    ASSERT_SHOWS(screen, "billion parameters: a plausible dense shape");
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "Size 13.7");
    quit(screen);
}

static void a_refused_number_says_why_and_the_right_range(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_keys(screen, "3 Down Down Down Enter \"99999\"");
    ASSERT_SHOWS(screen, "out of range");
    ASSERT_SHOWS(screen, "from 1 to 4096");
    screen_keys(screen, "Enter"); /* refused: still there */
    ASSERT_SHOWS(screen, "out of range");
    screen_keys(screen, "Ctrl-U \"64\"");
    ASSERT_SHOWS(screen, "= 64");
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "LoRA rank 64");
    screen_keys(screen, "u");
    ASSERT_SHOWS(screen, "Undone.");
    ASSERT_SHOWS(screen, "auto (8)");
    quit(screen);
}

static void the_table_sorts_filters_and_tells_what_is_left_out(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(30, 120);
    screen_keys(screen, "6 s");
    ASSERT_SHOWS(screen, "Instance▲");
    screen_keys(screen, "S");
    ASSERT_SHOWS(screen, "Instance▼");
    screen_keys(screen, "/ \"gn7i\" Enter");
    ASSERT_SHOWS(screen, "/gn7i");
    assert_false(screen_has(screen, "ecs.gn6e"));
    screen_keys(screen, "Esc");
    assert_false(screen_has(screen, "/gn7i"));
    screen_keys(screen, "f");
    ASSERT_SHOWS(screen, "Rows: fits");
    assert_false(screen_has(screen, " tight "));
    screen_keys(screen, "x");
    ASSERT_SHOWS(screen, "Left out:");
    ASSERT_SHOWS(screen, "usable");
    screen_keys(screen, "Esc / \"gn7e-c16g1.8x\" Enter Enter");
    ASSERT_SHOWS(screen, "memory of one GPU");
    ASSERT_SHOWS(screen, "Pay-as-you-go");
    quit(screen);
}

static void a_click_presses_what_it_hits(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(30, 120);
    int row, col;
    row = screen_find(screen, "6 Instances", &col);
    screen_click(screen, row, col + 2);
    ASSERT_SHOWS(screen, "ways of paying");
    row = screen_find(screen, "Cost", &col);
    screen_click(screen, row, col);
    ASSERT_SHOWS(screen, "Cost CNY▲");
    screen_click(screen, row, col);
    ASSERT_SHOWS(screen, "Cost CNY▼");
    row = screen_find(screen, "x left out", &col);
    screen_click(screen, row, col + 3);
    ASSERT_SHOWS(screen, "Left out:");
    row = screen_find(screen, "? help", &col);
    screen_click(screen, row, col);
    ASSERT_SHOWS(screen, "Keys:");
    quit(screen);
}

static void no_color_means_not_one_coloured_cell(void **state)
{
    (void)state;
    static const char *const set[] = {"NO_COLOR=1", NULL};
    struct screen_under_test *screen = start_with(24, 80, NULL, set, NULL);
    bool reversed = false;
    screen_keys(screen, "3 Down 6 7 2");
    for (int row = 0; row < 24; row++)
        for (int col = 0; col < 80; col++) {
            struct screen_cell cell = screen_cell_at(screen, row, col);
            assert_int_equal(cell.fg, -1);
            assert_int_equal(cell.bg, -1);
            reversed |= cell.reverse;
        }
    assert_true(reversed); /* the marked row still shows */
    quit(screen);
}

static void ascii_means_not_one_other_character(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--ascii", NULL};
    static const char *const steps[] = {"1", "3", "4", "5", "6", "7", "6", "Enter", "?"};
    struct screen_under_test *screen = start_with(24, 80, NULL, NULL, arguments);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        screen_keys(screen, steps[i]);
        for (int row = 0; row < 24; row++)
            for (int col = 0; col < 80; col++)
                assert_true(screen_cell_at(screen, row, col).character < 0x80);
    }
    quit(screen);
}

static void every_usual_terminal_shows_the_first_screen_and_takes_arrows(void **state)
{
    (void)state;
    static const char *const terms[] = {"xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color", "linux", "vt100"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct screen_under_test *screen = start_with(24, 80, terms[i], NULL, NULL);
        ASSERT_SHOWS(screen, "▸ lora");
        screen_keys(screen, "Down");
        ASSERT_SHOWS(screen, "▸ inference");
        quit(screen);
    }
}

/* Not a UTF-8 terminal: no byte above 127 may be sent, in whatever language. */
static void without_utf8_only_ascii_is_sent(void **state)
{
    (void)state;
    static const char *const terms[] = {"screen", "linux", "vt100"};
    static const char *const set[] = {"LANGUAGE=zh_CN", NULL};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct screen_options options = {.term = terms[i], .locale = "C", .set = set, .home = sandbox_path("home")};
        struct screen_under_test *screen = screen_start(&options);
        ASSERT_SHOWS(screen, "> lora");
        screen_keys(screen, "L");
        ASSERT_SHOWS(screen, "Chinese needs a UTF-8 terminal.");
        screen_keys(screen, "3 6");
        ASSERT_SHOWS(screen, "ecs.");
        for (int row = 0; row < 24; row++)
            for (int col = 0; col < 80; col++)
                assert_true(screen_cell_at(screen, row, col).character < 0x80);
        quit(screen);
    }
}

static void a_dumb_terminal_is_asked_line_by_line(void **state)
{
    (void)state;
    struct screen_options options = {.term = "dumb", .rows = 50, .home = sandbox_path("home")};
    struct screen_under_test *screen = screen_start(&options);
    assert_true(screen_wait(screen, "Enter takes the answer in brackets", 10));
    assert_false(screen_is_alternate(screen));
    screen_keys(screen, "\"5\" Enter");
    ASSERT_SHOWS(screen, "workload cannot be '5'");
    screen_keys(screen, "\"3\" Enter");
    ASSERT_SHOWS(screen, "2/7 Model");
    screen_keys(screen, "\"end\" Enter");
    assert_true(screen_wait(screen, "Rent:", 5) || screen_wait(screen, "gpuwiz plan", 1));
    assert_int_equal(screen_end(screen), 0);
    screen_free(screen);
}

static void any_size_at_any_moment(void **state)
{
    (void)state;
    static const char *const moments[] = {"1", "2", "3", "3 Down Down Down Enter", "6", "6 / \"a100\"", "6 Enter", "7", "?"};
    static const int sizes[][2] = {{24, 80}, {20, 60}, {6, 30}, {1, 1}, {45, 140}, {70, 230}, {24, 80}};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        struct screen_under_test *screen = start(24, 80);
        screen_keys(screen, moments[i]);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            screen_resize(screen, sizes[k][0], sizes[k][1]);
        ASSERT_SHOWS(screen, "1 Workload");
        quit(screen);
    }
}

static void too_small_says_so_and_q_still_quits(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_resize(screen, 12, 50);
    ASSERT_SHOWS(screen, "50x12 is too small");
    screen_keys(screen, "q");
    assert_int_equal(screen_end(screen), 0);
    screen_free(screen);
}

static void the_last_session_is_kept_and_offered(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_keys(screen, "Enter \"llama-3.1-8b\" Enter");
    screen_signal(screen, SIGKILL); /* nothing could be saved at the end */
    screen_end(screen);
    screen_free(screen);
    screen = start(24, 80);
    ASSERT_SHOWS(screen, "continue the last session: lora · llama-3.1-8b");
    screen_keys(screen, "o");
    ASSERT_SHOWS(screen, "Answers of the last session taken");
    ASSERT_SHOWS(screen, "lora · llama-3.1-8b");
    quit(screen);
}

/* The light theme writes keys in colour 24 of the palette, the default theme in 80. */
static void the_chosen_colours_are_kept(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    int col, row = screen_find(screen, "q quit", &col);
    assert_int_equal(screen_cell_at(screen, row, col).fg, 80);
    screen_keys(screen, "T");
    ASSERT_SHOWS(screen, "Colours: light background");
    quit(screen);
    screen = start(24, 80);
    assert_int_equal(screen_cell_at(screen, row, col).fg, 24);
    quit(screen);
}

static void q_asks_only_when_answers_would_be_lost(void **state)
{
    (void)state;
    static const char *const set[] = {"XDG_STATE_HOME=/proc/none", NULL};
    struct screen_under_test *screen = start_with(24, 80, NULL, set, NULL);
    screen_keys(screen, "Enter");
    ASSERT_SHOWS(screen, "Not kept for the next start");
    screen_keys(screen, "Tab q");
    ASSERT_SHOWS(screen, "Quit without saving the answers?");
    screen_keys(screen, "n");
    ASSERT_SHOWS(screen, "Precision");
    char keys[600];
    snprintf(keys, sizeof keys, "Ctrl-S Ctrl-U \"%s\" Enter", sandbox_path("saved.yaml"));
    screen_keys(screen, keys);
    ASSERT_SHOWS(screen, "Written to");
    screen_keys(screen, "q"); /* nothing would be lost now */
    assert_int_equal(screen_end(screen), 0);
    screen_free(screen);
}

static void answers_are_saved_to_a_file_and_opened_again(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    char keys[600];
    snprintf(keys, sizeof keys, "Enter \"llama-3.1-8b\" Enter Ctrl-S Ctrl-U \"%s\" Enter", sandbox_path("mine.yaml"));
    screen_keys(screen, keys);
    ASSERT_SHOWS(screen, "Written to");
    quit(screen);
    screen = start(24, 80);
    snprintf(keys, sizeof keys, "Ctrl-O Ctrl-U \"%s\" Enter", sandbox_path("mine.yaml"));
    screen_keys(screen, keys);
    ASSERT_SHOWS(screen, "lora · llama-3.1-8b");
    quit(screen);
}

static void the_folder_is_browsed_to_open_a_file(void **state)
{
    (void)state;
    char keys[600], folder[400];
    sandbox_write("plans/deep/one.yaml", "workload: full\nmodel: llama-3.1-8b\n");
    sandbox_write("plans/deep/notes.md", "not a scenario\n");
    snprintf(folder, sizeof folder, "%s", sandbox_path("plans"));
    struct screen_under_test *screen = start(24, 80);
    snprintf(keys, sizeof keys, "Ctrl-O \"%s/\"", folder);
    screen_keys(screen, keys);
    ASSERT_SHOWS(screen, "deep/");
    screen_keys(screen, "Down Down Enter"); /* past ".." */
    ASSERT_SHOWS(screen, "one.yaml");
    assert_false(screen_has(screen, "notes.md"));
    screen_keys(screen, "Down Down Enter");
    ASSERT_SHOWS(screen, "full \302\267 llama-3.1-8b");
    quit(screen);
}

static void pasted_text_is_never_a_command(void **state)
{
    (void)state;
    struct screen_under_test *screen = start(24, 80);
    screen_keys(screen, "3");
    screen_send(screen, "\033[200~qqq\033[201~");
    ASSERT_SHOWS(screen, "Precision");
    screen_keys(screen, "2");
    screen_send(screen, "\033[200~llama-3.1-8\033[201~");
    ASSERT_SHOWS(screen, "llama-3.1-8b");
    screen_send(screen, "\033[1;5B"); /* Ctrl-Down, which some terminals send undefined */
    ASSERT_SHOWS(screen, "llama-3.1-8b");
    quit(screen);
}

/* The pty is closed while the program waits for a key: it must end, not spin. */
static void a_terminal_that_goes_away_ends_the_program(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    pid_t child = fork();
    if (child == 0) {
        const char *program = getenv("GPUWIZ_PROGRAM");
        int slave = open(ptsname(master), O_RDWR | O_NOCTTY); /* no hang-up signal: only the read fails */
        for (int fd = 0; fd < 3; fd++)
            dup2(slave, fd);
        close(slave);
        close(master);
        setenv("TERM", "xterm", 1);
        setenv("XDG_STATE_HOME", sandbox_path("home"), 1);
        execl(program ? program : "build/gpuwiz", "gpuwiz", (char *)NULL);
        _exit(127);
    }
    char bytes[65536];
    assert_true(read(master, bytes, sizeof bytes) > 0);
    usleep(300000);
    close(master);
    int status = -1, waited = 0;
    for (int i = 0; i < 50 && !waited; i++) {
        usleep(100000);
        waited = waitpid(child, &status, WNOHANG) == child;
    }
    if (!waited)
        kill(child, SIGKILL);
    assert_true(waited);
}

static void a_key_press_sends_less_than_two_kilobytes(void **state)
{
    (void)state;
    static const char *const before[] = {"1", "3", "6", "7"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        struct screen_under_test *screen = start(24, 80);
        screen_keys(screen, "Enter \"llama-3.1-8b\" Enter");
        screen_keys(screen, before[i]);
        unsigned long bytes = screen_bytes(screen);
        screen_keys(screen, "Down");
        bytes = screen_bytes(screen) - bytes;
        if (i != 0 && i != 3) /* a choice that changes the whole pane, a page that scrolls */
            assert_true(bytes < 1024);
        assert_true(bytes < 2048);
        quit(screen);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_begin, sandbox_end)

TEST_MAIN(TEST(q_gives_the_terminal_back_as_it_was),
          TEST(every_signal_gives_the_terminal_back_and_is_the_exit_status),
          TEST(enter_on_every_step_leads_to_a_plan),
          TEST(typing_narrows_the_models_and_a_size_is_an_answer),
          TEST(a_refused_number_says_why_and_the_right_range),
          TEST(the_table_sorts_filters_and_tells_what_is_left_out),
          TEST(a_click_presses_what_it_hits),
          TEST(no_color_means_not_one_coloured_cell),
          TEST(ascii_means_not_one_other_character),
          TEST(every_usual_terminal_shows_the_first_screen_and_takes_arrows),
          TEST(without_utf8_only_ascii_is_sent),
          TEST(a_dumb_terminal_is_asked_line_by_line),
          TEST(any_size_at_any_moment),
          TEST(too_small_says_so_and_q_still_quits),
          TEST(the_last_session_is_kept_and_offered),
          TEST(the_chosen_colours_are_kept),
          TEST(q_asks_only_when_answers_would_be_lost),
          TEST(answers_are_saved_to_a_file_and_opened_again),
          TEST(the_folder_is_browsed_to_open_a_file),
          TEST(pasted_text_is_never_a_command),
          TEST(a_terminal_that_goes_away_ends_the_program),
          TEST(a_key_press_sends_less_than_two_kilobytes))
