/* The explain screen without a terminal: keys in, cells out. */
#include "tests/test.h"
#include "tests/fixture.h"

#include <stdlib.h>
#include <string.h>
#include "ui/app.h"

/* "workload=full model=llama-3.1-8b", then keys. */
static struct app *start(const char *pairs, const char *keys, int rows, int cols)
{
    struct app *app = malloc(sizeof *app);
    struct scenario scenario = {0};
    struct error error;
    char text[800], *rest = arena_strdup(arena, pairs);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));)
        if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
            fail_msg("%s", error_text(&error, text, sizeof text));
    struct app_options options = {.catalog = &catalog,
                                  .constants = &constants,
                                  .today = "2026-12-01",
                                  .scenario = &scenario,
                                  .rows = rows,
                                  .cols = cols,
                                  .colours = 256};
    app_init(app, &options);
    bool in_quotes = false;
    for (;;) {
        struct event event = event_from_script(&keys, &in_quotes);
        if (event.kind == EVENT_NONE)
            break;
        app_handle(app, &event);
    }
    assert_string_equal(keys, "");
    return app;
}

static void finish(struct app *app)
{
    app_clear(app);
    free(app);
}

static void expect(const struct app *app, const char *text)
{
    struct canvas canvas = {0};
    struct strbuf all = {0};
    app_draw(app, &canvas);
    canvas_dump(&canvas, &all);
    if (!strstr(strbuf_text(&all), text))
        fail_msg("no \"%s\" on\n%s", text, strbuf_text(&all));
    canvas_free(&canvas);
    strbuf_clear(&all);
}

static const char full[] = "workload=full model=llama-3.1-8b samples=10000";

static void e_explains_the_memory_of_the_offer_under_the_cursor(void **state)
{
    (void)state;
    struct app *app = start(full, "6 e", 24, 80);
    expect(app, "memory of one GPU: ");
    expect(app, "weights + gradients + optimizer");
    expect(app, "memory is not pooled");
    finish(app);
}

/* mixed precision: 8,030,261,248 parameters of 2 bytes, in 2^30 = 14.96 GiB over all GPUs */
static void arrows_move_between_figures_and_esc_goes_back(void **state)
{
    (void)state;
    struct app *app = start(full, "6 e Right Right", 24, 80);
    expect(app, "8.03B x 2 / ");
    finish(app);
    app = start(full, "6 e Down Down Up Left Left Left Esc", 24, 80);
    assert_int_equal(app->views[app->depth - 1].screen, SCREEN_INSTANCES);
    finish(app);
}

static void a_wide_screen_lists_the_figures_beside_the_text(void **state)
{
    (void)state;
    struct app *app = start(full, "6 e", 45, 140);
    expect(app, "matrix products");
    expect(app, "Pay-as-you-go");
    expect(app, "Formula");
    struct event click = {.kind = EVENT_CLICK, .row = 7, .col = 4}; /* the third of the list */
    app_handle(app, &click);
    expect(app, "8.03B x 2 / ");
    finish(app);
}

static void a_question_opens_what_it_changes(void **state)
{
    (void)state;
    static const struct {
        const char *field, *title;
    } asked[] = {
        {"seq_len", "activations: "}, {"optimizer", "optimizer: "}, {"recompute", "activations: "}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct app *app = start(full, "3", 24, 80);
        for (int row = 0; row < 30; row++) { /* down to the question */
            struct event down = event_key(KEY_DOWN_), e = event_key('e'),
                         escape = event_key(KEY_ESC_);
            app_handle(app, &e);
            struct canvas canvas = {0};
            struct strbuf all = {0};
            app_draw(app, &canvas);
            canvas_dump(&canvas, &all);
            bool found = strstr(strbuf_text(&all), asked[i].title) != NULL;
            canvas_free(&canvas);
            strbuf_clear(&all);
            if (found)
                break;
            assert_int_not_equal(row, 29);
            app_handle(app, &escape);
            app_handle(app, &down);
        }
        finish(app);
    }
}

/* A 405B does not fit 24 GiB of budget hardware: the figures say what stands in the way. */
static void what_does_not_fit_is_explained_too(void **state)
{
    (void)state;
    struct app *app =
        start("workload=full model=llama-3.1-70b max_nodes=1 instance=ecs.gn7i-c8g1.2xlarge", "6 e",
              24, 80);
    expect(app, "nothing fits; the figures of one");
    expect(app, "memory of one GPU: ");
    finish(app);
}

/* The first type left out for its memory; a full fine-tune of 70B holds 16 bytes a parameter. */
static void a_type_that_was_left_out_says_why(void **state)
{
    (void)state;
    struct app *app = start("workload=full model=llama-3.1-70b max_nodes=1", "6 x e", 45, 140);
    assert_int_equal(app->views[app->depth - 1].screen, SCREEN_EXPLAIN);
    bool found = false;
    for (int i = 0; i < 120 && !found; i++) {
        struct canvas canvas = {0};
        struct strbuf all = {0};
        app_draw(app, &canvas);
        canvas_dump(&canvas, &all);
        found = strstr(strbuf_text(&all), "GiB together, but each must hold its own") != NULL;
        strbuf_clear(&all);
        canvas_free(&canvas);
        struct event back = event_key(KEY_ESC_), down = event_key(KEY_DOWN_), e = event_key('e');
        if (!found) {
            app_handle(app, &back);
            app_handle(app, &down);
            app_handle(app, &e);
        }
    }
    assert_true(found);
    finish(app);
}

static void long_texts_scroll(void **state)
{
    (void)state;
    struct app *app = start(full, "6 e", 20, 60);
    expect(app, "PgDn: more");
    finish(app);
    app = start(full, "6 e PgDn PgDn PgDn PgDn", 20, 60);
    expect(app, "of hf are fitted to published");
    finish(app);
}

/* Every size and topic is drawn, the ones that are too small for it included. */
static void any_size_will_do(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {5, 20}, {20, 60}, {24, 80}, {24, 100}, {60, 250}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct app *app = start(full, "6 e", sizes[i][0], sizes[i][1]);
        struct canvas canvas = {0};
        for (int k = 0; k < 60; k++) {
            struct event down = event_key(KEY_DOWN_);
            app_handle(app, &down);
            app_draw(app, &canvas);
        }
        assert_int_equal(canvas.rows, sizes[i][0]);
        canvas_free(&canvas);
        finish(app);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e_explains_the_memory_of_the_offer_under_the_cursor),
        cmocka_unit_test(arrows_move_between_figures_and_esc_goes_back),
        cmocka_unit_test(a_wide_screen_lists_the_figures_beside_the_text),
        cmocka_unit_test(a_question_opens_what_it_changes),
        cmocka_unit_test(what_does_not_fit_is_explained_too),
        cmocka_unit_test(a_type_that_was_left_out_says_why),
        cmocka_unit_test(long_texts_scroll),
        cmocka_unit_test(any_size_will_do),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
