/* Lessons and the glossary on the screen, without a terminal. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "tests/sandbox.h"
#include "ui/app.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;

static int begin(void **state)
{
    struct error error;
    arena = arena_new();
    i18n_set_language(LANGUAGE_EN);
    return sandbox_begin(state) == 0 && catalog_load("data", &catalog, &error) &&
                   constants_load("data", arena, &constants, &error)
               ? 0
               : -1;
}

static int end(void **state)
{
    catalog_clear(&catalog);
    arena_free(arena);
    return sandbox_end(state);
}

static struct app *start(void)
{
    struct app *app = malloc(sizeof *app);
    struct app_options options = {.catalog = &catalog,
                                  .constants = &constants,
                                  .today = "2026-12-01",
                                  .data_folder = "data",
                                  .rows = 24,
                                  .cols = 80,
                                  .colours = 256};
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

static void expect(const struct app *app, const char *text, bool there)
{
    struct canvas canvas = {0};
    struct strbuf all = {0};
    app_draw(app, &canvas);
    canvas_dump(&canvas, &all);
    if ((strstr(strbuf_text(&all), text) != NULL) != there)
        fail_msg("%s \"%s\":\n%s", there ? "no" : "there is", text, strbuf_text(&all));
    canvas_free(&canvas);
    strbuf_clear(&all);
}

static void the_course_is_listed_in_its_order(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n");
    expect(app, "20 lessons", true);
    expect(app, "Where GPU memory goes", true);
    press(app, "End");
    expect(app, "Capstone", true);
    press(app, "Esc");
    expect(app, "Learn sizing", false);
    finish(app);
}

/* Qwen2.5-7B in bf16 takes 14.2 GiB: 7,615,616,512 parameters of two bytes. */
static void a_wrong_choice_gets_its_reason_in_figures(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n Enter Enter 1");
    expect(app, "No. They exist only for what is trained", true);
    expect(app, "14.2", true);
    press(app, "2"); /* answered once */
    expect(app, "No. They exist", true);
    finish(app);
}

static void a_number_is_typed_and_judged(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n Down Enter Enter Enter");
    expect(app, "your guess in GiB:", true);
    press(app, "\"9\" Enter");
    expect(app, "No: it is 14.2 GiB.", true);
    finish(app);
}

static void knobs_are_turned_until_the_goal_is_reached(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n Enter Enter 2 Enter Enter 3 Enter");
    expect(app, "try  5/6", true);
    expect(app, "Hint:", false);
    press(app, "i");
    expect(app, "Hint:", true);
    press(app, "i Left Left Left"); /* 8,192 -> 1,024 tokens */
    expect(app, "1,024", true);
    expect(app, "Not yet.", true);
    expect(app, "With 8,192 tokens the job needs", true); /* the task stays as it was set */
    press(app, "Down Down Right Right"); /* fused loss: no, yes */
    expect(app, "The goal is reached", true);
    press(app, "Enter Enter");
    expect(app, "The lesson is done.", true);
    expect(app, "gpuwiz learn memory: predictions 2/2, goals 1/1", true);
    finish(app);
}

static void a_finished_lesson_is_marked_and_kept(void **state)
{
    (void)state;
    struct app *app = start();
    app->keep_session = true;
    press(app, "n Enter Tab Tab Tab Tab Tab Tab");
    expect(app, "predictions 0/2", true);
    press(app, "Enter");
    expect(app, "predicted 0/2, did 0/1", true);
    finish(app);
    app = start();
    press(app, "n");
    expect(app, "predicted 0/2, did 0/1", true);
    finish(app);
}

static void lessons_are_there_in_chinese(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n Enter L");
    expect(app, "显存都用到哪里去了", true);
    press(app, "L");
    expect(app, "Where GPU memory goes", true);
    finish(app);
}

static void help_explains_the_marked_question(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "3 Down ?");
    expect(app, "The number formats of training.", true); /* Precision is the second line */
    expect(app, "Keys: Questions", true);
    press(app, "Esc 6 s ?");
    expect(app, "Keys: Instances", true);
    finish(app);
}

static void help_explains_the_knob_of_a_lesson(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "n Enter Tab Tab Tab Tab ?");
    expect(app, "Tokens of the longest training sample.", true); /* Sequence length */
    expect(app, "Keys: Lesson", true);
    press(app, "Esc Down ?");
    expect(app, "The inner width of the two matrices", true); /* LoRA rank */
    finish(app);
}

static void help_looks_words_up_as_they_are_typed(void **state)
{
    (void)state;
    struct app *app = start();
    press(app, "? \"mla\"");
    expect(app, "one compressed vector", true);
    press(app, "Esc \"recomp\"");
    expect(app, "Throws activations away", true);
    finish(app);
}

#define UI_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(UI_TEST(the_course_is_listed_in_its_order),
          UI_TEST(a_wrong_choice_gets_its_reason_in_figures), UI_TEST(a_number_is_typed_and_judged),
          UI_TEST(knobs_are_turned_until_the_goal_is_reached),
          UI_TEST(a_finished_lesson_is_marked_and_kept), UI_TEST(lessons_are_there_in_chinese),
          UI_TEST(help_explains_the_marked_question), UI_TEST(help_explains_the_knob_of_a_lesson),
          UI_TEST(help_looks_words_up_as_they_are_typed))
