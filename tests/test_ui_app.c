/* The wizard without a terminal: events in, cells out. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/i18n.h"
#include "tests/sandbox.h"
#include "ui/app.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;

static int load(void **state)
{
    struct error error;
    (void)state;
    arena = arena_new();
    return catalog_load("data", &catalog, &error) && constants_load("data", arena, &constants, &error) ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    catalog_clear(&catalog);
    arena_free(arena);
    return 0;
}

static struct app *start(int rows, int cols)
{
    struct app *app = malloc(sizeof *app);
    struct app_options options = {.catalog = &catalog, .constants = &constants, .today = "2026-12-01",
                                  .rows = rows, .cols = cols, .colours = 256};
    app_init(app, &options);
    return app;
}

static void finish(struct app *app)
{
    app_clear(app);
    free(app);
}

static void press(struct app *app, const char *keys)
{
    bool in_quotes = false;
    for (;;) {
        struct event event = event_from_script(&keys, &in_quotes);
        if (event.kind == EVENT_NONE)
            break;
        app_handle(app, &event);
    }
    assert_string_equal(keys, "");
}

static bool shows(const struct app *app, const char *text)
{
    struct canvas canvas = {0};
    struct strbuf all = {0};
    app_draw(app, &canvas);
    canvas_dump(&canvas, &all);
    bool found = strstr(strbuf_text(&all), text) != NULL;
    canvas_free(&canvas);
    strbuf_clear(&all);
    return found;
}

/* How to reach each screen from the start. */
static const struct { enum screen_id screen; const char *keys; } ways[] = {
    {SCREEN_FORM, "3"}, {SCREEN_PICK, ""}, {SCREEN_SEARCH, "2"}, {SCREEN_EDIT, "3 Down Down Down Enter"},
    {SCREEN_INSTANCES, "6"}, {SCREEN_FILTER, "6 /"}, {SCREEN_DETAIL, "6 Enter"}, {SCREEN_COMPARE, "6 Space Space c"}, {SCREEN_EXCLUDED, "6 x"},
    {SCREEN_REMEDIES, "6 r"}, {SCREEN_SUMMARY, "7"}, {SCREEN_HELP, "?"}, {SCREEN_PATH, "Ctrl-O"},
    {SCREEN_EXPLAIN, "6 e"}, {SCREEN_WHATIF, "3 w"}, {SCREEN_CHART, "6 g"}, {SCREEN_MATRIX, "3 m"},
    {SCREEN_LESSONS, "n"}, {SCREEN_LESSON, "n Enter"}, {SCREEN_REPLY, "n Down Enter Enter Enter"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static struct app *start_at(int way)
{
    struct app *app = start(24, 80);
    press(app, ways[way].keys);
    assert_int_equal(app->views[app->depth - 1].screen, ways[way].screen);
    return app;
}

static void every_screen_is_tried_here(void **state)
{
    (void)state;
    for (int screen = 0; screen < SCREEN_COUNT; screen++) {
        bool tried = screen == SCREEN_ASK; /* only where nothing can be kept: tried in a terminal */
        for (int way = 0; way < WAYS; way++)
            tried |= ways[way].screen == (enum screen_id)screen;
        if (!tried)
            print_error("no way to screen %d\n", screen);
        assert_true(tried);
    }
}

static void every_key_in_footer_and_help_is_taken_on_its_screen(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < keymap_rows; i++) {
            const struct key_row *row = &keymap[i];
            if (!(row->screens & ON(ways[way].screen)) || row->action == ACTION_PRINT)
                continue;
            for (const int *key = row->keys; *key; key++) {
                struct app *app = start_at(way);
                struct event event = event_key(*key);
                assert_ptr_equal(keymap_find(ways[way].screen, *key), row); /* no row hides another */
                app_handle(app, &event);
                if (app->ignored)
                    print_error("screen %d, key %x: nobody takes it\n", way, (unsigned)*key);
                assert_false(app->ignored);
                finish(app);
            }
        }
    i18n_set_language(LANGUAGE_EN);
}

static void a_key_that_is_in_no_table_changes_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        struct app *app = start_at(way);
        struct canvas before = {0}, after = {0};
        app_draw(app, &before);
        for (int key = '!'; key <= '~' && !screens[ways[way].screen]->type; key++)
            if (!keymap_find(ways[way].screen, key)) {
                struct event event = event_key(key);
                app_handle(app, &event);
                app_draw(app, &after);
                assert_memory_equal(before.cells, after.cells, sizeof *before.cells * 24 * 80);
            }
        canvas_free(&before);
        canvas_free(&after);
        finish(app);
    }
}

static void help_is_in_every_footer_at_every_width_in_both_languages(void **state)
{
    (void)state;
    for (int language = 0; language < 2; language++) {
        i18n_set_language(language ? LANGUAGE_ZH : LANGUAGE_EN);
        for (int screen = 0; screen < SCREEN_COUNT; screen++)
            for (int cells = 40; cells < 250; cells++) {
                struct footer_item items[FOOTER_MAX];
                int count = footer_layout((enum screen_id)screen, cells, items);
                bool help = screen == SCREEN_HELP || screen == SCREEN_ASK;
                for (int i = 0; i < count; i++) {
                    help |= items[i].row->action == ACTION_HELP;
                    assert_true(items[i].col >= 0 && items[i].col + items[i].cells <= cells);
                    for (int k = 0; k < i; k++)
                        assert_true(items[k].col + items[k].cells < items[i].col || items[i].col + items[i].cells < items[k].col);
                }
                assert_true(help);
            }
    }
    i18n_set_language(LANGUAGE_EN);
}

static void labels_keep_their_budget_in_both_languages(void **state)
{
    (void)state;
    for (int language = 0; language < 2; language++) {
        i18n_set_language(language ? LANGUAGE_ZH : LANGUAGE_EN);
        for (int i = 0; i < keymap_rows; i++)
            if (keymap[i].label)
                assert_in_range(text_width(tr(keymap[i].label)), 1, 12);
        for (int i = 0; i < STEP_COUNT; i++)
            assert_in_range(text_width(tr(step_labels[i])), 1, 10);
        for (int i = 0; i < FIELD_COUNT; i++)
            assert_in_range(text_width(tr(fields[i].label)), 1, 22);
    }
    i18n_set_language(LANGUAGE_EN);
}

/* Any keys at any size: rows stay exactly as wide as the screen, and nothing breaks. */
static void a_monkey_cannot_break_it(void **state)
{
    (void)state;
    static const int keys[] = {KEY_UP_, KEY_DOWN_, KEY_LEFT_, KEY_RIGHT_, KEY_ENTER_, KEY_ENTER_, KEY_ESC_, KEY_TAB_,
                               KEY_BACK_TAB, KEY_PAGE_DOWN, KEY_PAGE_UP, KEY_HOME_, KEY_END_, KEY_BACKSPACE_, KEY_DELETE,
                               '1', '2', '3', '4', '5', '6', '7', 'a', 's', 'S', 'f', 'b', 'x', 'r', 'h', 'l', 'u', 'c', '/', 'w', 'm', 'e', 'g', 't',
                               ' ', '?', 'L', 'T', 'n', 'i', KEY_CTRL('r'), KEY_CTRL('l'), 0x663E, '-', '9', '.'};
    struct app *app = start(24, 80);
    struct canvas canvas = {0};
    unsigned seed = 1;
    for (int i = 0; i < 1500; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned draw = seed >> 8;
        struct event event = event_key(keys[draw % (sizeof keys / sizeof *keys)]);
        if (draw % 37 == 0)
            event = (struct event){.kind = EVENT_RESIZE, .row = (int)(draw / 37 % 60) + 1, .col = (int)(draw / 3700 % 160) + 1};
        else if (draw % 41 == 0)
            event = (struct event){.kind = EVENT_CLICK, .row = (int)(draw / 41 % 30), .col = (int)(draw / 4100 % 100)};
        app_handle(app, &event);
        app_draw(app, &canvas);
        for (int row = 0; row < canvas.rows; row++) {
            int cells = 0;
            for (int col = 0; col < canvas.cols; col++)
                cells += canvas_cell(&canvas, row, col)->width;
            assert_int_equal(cells, canvas.cols);
        }
    }
    canvas_free(&canvas);
    finish(app);
    i18n_set_language(LANGUAGE_EN);
}

static void undo_and_redo_walk_through_all_answers(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "Enter \"llama-3.1-8b\" Enter Down Right");
    assert_true(scenario_has(&app->scenario, FIELD_MODEL));
    press(app, "u u u");
    assert_false(scenario_has(&app->scenario, FIELD_WORKLOAD));
    press(app, "u");
    assert_true(shows(app, "Nothing to undo."));
    press(app, "Ctrl-R Ctrl-R");
    assert_string_equal(app->scenario.model, "llama-3.1-8b");
    finish(app);
}

static void the_marked_choice_is_computed_before_it_is_taken(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "Enter \"llama-3.1-8b\" Enter Down Down Enter \"nf4\"");
    assert_false(scenario_has(&app->scenario, FIELD_WEIGHTS));
    assert_string_equal(app_plan(app)->job.weights->id, "nf4");
    press(app, "Esc Esc");
    assert_string_not_equal(app_plan(app)->job.weights->id, "nf4");
    finish(app);
}

/* 8.03e9 parameters x 2 bytes = 15.0 GiB of weights in bf16: LoRA on a T4 (14.8 usable) cannot be. */
static void what_does_not_fit_says_why_and_what_would_help(void **state)
{
    (void)state;
    struct app *app = start(40, 120);
    struct error error;
    struct scenario scenario;
    memset(&scenario, 0, sizeof scenario);
    static const char *const pairs[] = {"workload=lora", "model=llama-3.1-8b", "weights=bf16", "gpu=t4", "gpus=1"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(scenario_set_pair(&scenario, pairs[i], &catalog, arena, &error));
    app_commit(app, &scenario);
    press(app, "6");
    assert_int_equal(app_plan(app)->offer_count, 0);
    assert_true(shows(app, "Nothing can do this job."));
    assert_true(shows(app, "types"));
    press(app, "r 1");
    assert_true(app_plan(app)->offer_count > 0);
    press(app, "u");
    assert_int_equal(app_plan(app)->offer_count, 0);
    finish(app);
}

static void another_language_reaches_everything_on_the_screen(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    const char *english = "serve a finished model to users";
    assert_true(shows(app, english));
    press(app, "L");
    assert_false(shows(app, english));
    assert_true(shows(app, tr(english)));
    press(app, "L");
    assert_true(shows(app, english));
    press(app, "n Enter L"); /* a lesson under way, too */
    struct canvas canvas = {0};
    struct strbuf chinese = {0};
    app_draw(app, &canvas);
    for (int row = 3; row < 20; row++)
        canvas_row_text(&canvas, row, &chinese);
    press(app, "L");
    assert_null(strstr(chinese.data, " the "));
    assert_true(shows(app, " the "));
    strbuf_clear(&chinese);
    canvas_free(&canvas);
    finish(app);
}

static void an_answer_without_a_use_is_kept_and_named(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "Enter \"llama-3.1-8b\" Enter Down Down Down Enter \"64\" Enter Home 1 Home Down Enter"); /* full */
    assert_true(shows(app, "Kept, but without a use now: LoRA rank"));
    assert_true(app_plan(app) != NULL);
    press(app, "Shift-Tab Down Enter Tab"); /* lora again */
    assert_true(shows(app, "64"));
    finish(app);
}

/* 20,000 on the row of the samples once went to step 2 and named a model "0000". */
static void a_number_typed_on_its_question_is_its_answer(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "Enter \"llama-3.1-8b\" Enter 4 Down Down");
    assert_true(shows(app, "Enter edit"));
    press(app, "2 0 0 0 0 Enter");
    assert_int_equal(app->step, STEP_WORK);
    assert_true(app->scenario.samples == 20000);
    press(app, "３ ０ Enter"); /* as a Chinese input method gives it */
    assert_true(app->scenario.samples == 30);
    press(app, "Home"); /* a digit on the line that leads on goes to its step */
    assert_true(shows(app, "Enter go on"));
    press(app, "6");
    assert_int_equal(app->step, STEP_INSTANCES);
    assert_string_equal(app->scenario.model, "llama-3.1-8b");
    finish(app);
}

static void a_typed_name_takes_the_place_of_the_proposed_one(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "Enter \"llama-3.1-8b\" Enter Ctrl-S");
    assert_true(shows(app, "gpuwiz.yaml"));
    press(app, "\"/tmp/x\"");
    assert_false(shows(app, "gpuwiz.yaml"));
    assert_true(shows(app, "/tmp/x"));
    press(app, "Esc Ctrl-S Left Left Left Left Left \"2\""); /* an edited one stays */
    assert_true(shows(app, "gpuwiz2.yaml"));
    finish(app);
}

/* Opening a pipe to see whether it is there would wait for ever. */
static void saving_a_table_lists_tables_and_never_waits_for_a_pipe(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    char keys[600];
    sandbox_write("out/memory.csv", "x\n");
    sandbox_write("out/answers.yaml", "x\n");
    assert_int_equal(mkfifo(sandbox_path("out/pipe"), 0600), 0);
    snprintf(keys, sizeof keys, "6 m s \"%s/\"", sandbox_path("out"));
    press(app, keys);
    assert_int_equal(app->views[app->depth - 1].screen, SCREEN_PATH);
    assert_true(shows(app, "memory.csv"));
    assert_false(shows(app, "answers.yaml"));
    press(app, "\"pipe\" Enter");
    assert_true(shows(app, "exists already"));
    finish(app);
}

static void a_digit_goes_to_its_step_from_what_lies_over_the_offers(void **state)
{
    (void)state;
    static const char *const over[] = {"6 Enter", "6 g", "6 e", "6 m", "6 x", "6 Space Space c"};
    for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
        struct app *app = start(24, 80);
        press(app, over[i]);
        assert_true(app->depth > 1);
        press(app, "7");
        assert_int_equal(app->step, STEP_SUMMARY);
        assert_int_equal(app->depth, 1);
        finish(app);
    }
}

/* 20,000 samples of 512 tokens, thrice: the defaults that job.h names. */
static void an_open_answer_shows_what_is_counted_with(void **state)
{
    (void)state;
    struct app *app = start(40, 140);
    press(app, "Enter \"llama-3.1-8b\" Enter 4");
    assert_true(shows(app, "auto (20,000)"));
    assert_true(shows(app, "auto (512) tokens"));
    assert_true(shows(app, "auto (3)"));
    assert_true(shows(app, "auto (none)"));
    press(app, "5");
    assert_true(shows(app, "auto (no limit)"));
    finish(app);
}

static void full_width_letters_are_commands_too(void **state)
{
    (void)state;
    struct app *app = start(24, 80);
    press(app, "６"); /* as a Chinese input method gives it */
    assert_int_equal(app->step, STEP_INSTANCES);
    press(app, "？");
    assert_true(shows(app, "Keys:"));
    finish(app);
}

static void sorting_by_cost_puts_unpriced_types_last_both_ways(void **state)
{
    (void)state;
    struct app *app = start(60, 160);
    press(app, "6");
    for (int i = 0; i < 40 && !shows(app, "Cost CNY▲"); i++)
        press(app, "s");
    assert_true(shows(app, "Cost CNY▲"));
    press(app, "S End");
    assert_true(shows(app, "no public price: ask sales"));
    press(app, "S End");
    assert_true(shows(app, "no public price: ask sales"));
    finish(app);
}

static void marked_offers_stand_side_by_side_with_the_best_of_each_line_marked(void **state)
{
    (void)state;
    struct app *app = start(40, 140);
    press(app, "Enter \"llama-3.1-8b\" Enter 6 Space Space c");
    const struct plan *plan = app_plan(app);
    assert_true(shows(app, plan->offers[0].instance->type));
    assert_true(shows(app, plan->offers[1].instance->type));
    assert_true(shows(app, "✓"));
    press(app, "Esc t");
    assert_true(shows(app, "2 of "));
    press(app, "t Home Space");
    assert_true(shows(app, "1 marked"));
    finish(app);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sandbox_begin, sandbox_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_screen_is_tried_here),
        TEST(every_key_in_footer_and_help_is_taken_on_its_screen),
        TEST(a_key_that_is_in_no_table_changes_nothing),
        TEST(help_is_in_every_footer_at_every_width_in_both_languages),
        TEST(labels_keep_their_budget_in_both_languages),
        TEST(a_monkey_cannot_break_it),
        TEST(undo_and_redo_walk_through_all_answers),
        TEST(the_marked_choice_is_computed_before_it_is_taken),
        TEST(what_does_not_fit_says_why_and_what_would_help),
        TEST(another_language_reaches_everything_on_the_screen),
        TEST(an_answer_without_a_use_is_kept_and_named),
        TEST(a_number_typed_on_its_question_is_its_answer),
        TEST(a_typed_name_takes_the_place_of_the_proposed_one),
        TEST(saving_a_table_lists_tables_and_never_waits_for_a_pipe),
        TEST(a_digit_goes_to_its_step_from_what_lies_over_the_offers),
        TEST(an_open_answer_shows_what_is_counted_with),
        TEST(full_width_letters_are_commands_too),
        TEST(marked_offers_stand_side_by_side_with_the_best_of_each_line_marked),
        TEST(sorting_by_cost_puts_unpriced_types_last_both_ways),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
