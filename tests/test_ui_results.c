/* What-if, chart, tables of memory and changes that help, through events and cells. */
#include "tests/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/file.h"
#include "base/i18n.h"
#include "engine/advice.h"
#include "tests/fixture.h"
#include "tests/sandbox.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/page.h"
#include "ui/session.h"

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

static struct app *start(int rows, int cols, bool ascii, const char *pairs, const char *keys)
{
    struct app *app = malloc(sizeof *app);
    struct scenario scenario = answers(pairs);
    struct app_options options = {.catalog = &catalog,
                                  .constants = &constants,
                                  .today = "2026-12-01",
                                  .scenario = &scenario,
                                  .rows = rows,
                                  .cols = cols,
                                  .colours = 256,
                                  .ascii = ascii};
    app_init(app, &options);
    press(app, keys);
    return app;
}

static void finish(struct app *app)
{
    app_clear(app);
    free(app);
}

static char *picture(const struct app *app, struct strbuf *text)
{
    struct canvas canvas = {0};
    strbuf_reset(text);
    app_draw(app, &canvas);
    canvas_dump(&canvas, text);
    canvas_free(&canvas);
    return text->data;
}

static bool shows(const struct app *app, const char *text)
{
    struct strbuf all = {0};
    bool found = strstr(picture(app, &all), text) != NULL;
    strbuf_clear(&all);
    return found;
}

#define LORA "workload=lora model=qwen2.5-7b"
#define SERVING "workload=inference model=qwen2.5-7b concurrency=32"
#define PRETRAIN "workload=pretrain model=qwen2.5-7b"
#define TOO_BIG "workload=full model=llama-3.1-70b gpu=a10"

static const struct {
    const char *keys, *title, *also;
} screens_here[] = {{"6 w", "WHAT-IF", "as answered"},
                    {"6 g", "Cost against", "on the frontier"},
                    {"6 m", "Memory of qwen2.5-7b by length", "longest"},
                    {"6 m m", "by GPU and method", "a100-80"}};

static void every_screen_is_whole_at_every_size(void **state)
{
    (void)state;
    static const struct {
        int rows, cols;
    } sizes[] = {{24, 80}, {20, 60}, {45, 140}};
    static const char *const jobs[] = {LORA, SERVING, PRETRAIN};
    for (size_t screen = 0; screen < sizeof screens_here / sizeof *screens_here; screen++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (size_t job = 0; job < sizeof jobs / sizeof *jobs; job++)
                for (int ascii = 0; ascii <= 1; ascii++) {
                    struct strbuf text = {0};
                    struct app *app = start(sizes[size].rows, sizes[size].cols, ascii, jobs[job],
                                            screens_here[screen].keys);
                    picture(app, &text);
                    if (!strstr(text.data, screens_here[screen].title) ||
                        !strstr(text.data, screens_here[screen].also))
                        fail_msg("%s at %dx%d:\n%s", screens_here[screen].keys, sizes[size].cols,
                                 sizes[size].rows, text.data);
                    for (const char *p = text.data; ascii && *p; p++)
                        assert_true((unsigned char)*p < 0x80);
                    strbuf_clear(&text);
                    finish(app);
                }
}

static void they_keep_within_any_window(void **state)
{
    (void)state;
    for (size_t screen = 0; screen < sizeof screens_here / sizeof *screens_here; screen++) {
        struct app *app = start(24, 80, false, LORA, screens_here[screen].keys);
        struct canvas canvas = {0};
        for (int rows = 1; rows <= 70; rows += 7)
            for (int cols = 1; cols <= 220; cols += 19) {
                struct event event = {.kind = EVENT_RESIZE, .row = rows, .col = cols};
                app_handle(app, &event);
                press(app, "Down Right");
                app_draw(app, &canvas);
                for (int row = 0; row < rows; row++) {
                    int cells = 0;
                    for (int col = 0; col < cols; col++)
                        cells += canvas_cell(&canvas, row, col)->width;
                    assert_int_equal(cells, cols);
                }
            }
        canvas_free(&canvas);
        finish(app);
    }
}

/* ---- what-if ---- */

static void a_turned_knob_changes_nothing_until_enter(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 w");
    struct scenario before;
    memcpy(&before, &app->scenario, sizeof before);
    double need = app_plan(app)->offers[0].memory.need_gib;
    press(app, "Right Right");
    assert_true(answers_equal(&before, &app->scenario));
    assert_near(app->shown.seq_len, 8192, 0); /* 2,048 doubled twice */
    assert_true(app_plan(app)->offers[0].memory.need_gib != need || app_plan(app)->offer_count > 0);
    assert_true(shows(app, "was auto"));
    press(app, "Esc");
    assert_true(answers_equal(&before, &app->scenario));
    assert_false(shows(app, "WHAT-IF"));
    press(app, "w Right Enter");
    assert_near(app->scenario.seq_len, 4096, 0);
    press(app, "u");
    assert_true(answers_equal(&before, &app->scenario));
    finish(app);
}

static void a_knob_comes_back_to_what_it_was(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA " seq_len=3000", "6 w Right Right Delete");
    assert_near(app->shown.seq_len, 3000, 0);
    for (int i = 0; i < 12; i++) /* 1500, 750, 375, 187, 93, 46, 23, 11, 5, 2, 1, auto */
        press(app, "Left");
    assert_false(scenario_has(&app->shown, FIELD_SEQ_LEN)); /* left of one token it is auto */
    press(app, "Delete Enter");
    assert_near(app->scenario.seq_len, 3000, 0);
    finish(app);
}

static void every_knob_turns_both_ways_without_a_contradiction(void **state)
{
    (void)state;
    static const char *const jobs[] = {LORA, SERVING, "workload=full model=llama-3.1-8b"};
    for (size_t job = 0; job < sizeof jobs / sizeof *jobs; job++)
        for (int knob = 0; knob < 10; knob++) {
            struct app *app = start(40, 120, false, jobs[job], "6 w");
            for (int i = 0; i < knob; i++)
                press(app, "Down");
            for (int i = 0; i < 12; i++)
                press(app, i % 2 ? "Left" : "Right Right");
            assert_non_null(app->computed);
            assert_true(shows(app, "WHAT-IF"));
            finish(app);
        }
}

/* ---- chart ---- */

static void walking_the_frontier_pays_less_for_more_time(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 g Home");
    double hours = 0, cost = INFINITY;
    for (int i = 0; i < 30; i++) {
        press(app, "Enter"); /* the detail of the selected one */
        const struct offer *offer = instances_marked(app);
        assert_non_null(offer);
        assert_true(offer->hours[1] >= hours && offer_cny(offer) <= cost);
        hours = offer->hours[1];
        cost = offer_cny(offer);
        press(app, "Esc Right");
    }
    for (size_t i = 0; i < app_plan(app)->offer_count;
         i++) /* the last one is the cheapest of all */
        assert_false(offer_cny(&app_plan(app)->offers[i]) < cost);
    finish(app);
}

static void the_chart_speaks_of_the_rows_of_the_table(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 / \"gn7i\" Enter g Home");
    for (int i = 0; i < 5; i++) {
        press(app, "Enter");
        assert_non_null(strstr(instances_marked(app)->instance->type, "gn7i"));
        press(app, "Esc Right");
    }
    finish(app);
}

/* ---- detail ---- */

/* What a screen shows as one line of words, so that wrapped sentences can be looked for. */
static char *words(const struct app *app, struct strbuf *text)
{
    char *out = picture(app, text);
    size_t length = 0;
    for (const char *in = text->data; *in; in++)
        if (!strchr(" \n", *in) || (length && out[length - 1] != ' '))
            out[length++] = *in == '\n' ? ' ' : *in;
    out[length] = '\0';
    return out;
}

static void the_detail_gives_the_advice_for_its_offer(void **state)
{
    (void)state;
    static const char *const jobs[] = {LORA, SERVING, "workload=full model=llama-3.1-70b"};
    for (size_t job = 0; job < sizeof jobs / sizeof *jobs; job++) {
        struct strbuf text = {0};
        struct advice found[ADVICE_MAX];
        struct app *app = start(220, 120, false, jobs[job], "6 Down Enter");
        struct advice_input input = {.catalog = &catalog, .constants = &constants, .scenario = &app->scenario,
                                     .plan = app_plan(app), .job = &app_plan(app)->job, .offer = instances_marked(app),
                                     .mode = MODE_COUNT, .today = "2026-12-01", .arena = arena};
        int count = advice_collect(&input, found);
        assert_true(count > 3);
        words(app, &text);
        for (int i = 0; i < count; i++)
            if (!strstr(text.data, found[i].why))
                fail_msg("%s: \"%s\" is not in: %s", jobs[job], found[i].why, text.data);
        strbuf_clear(&text);
        finish(app);
    }
}

static void all_advice_can_be_scrolled_to_on_a_small_screen(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, "workload=full model=llama-3.1-70b", "6 Enter Right Right");
    struct strbuf first = {0}, now = {0};
    picture(app, &first);
    assert_non_null(strstr(first.data, "advice  "));
    assert_non_null(strstr(first.data, "1-17 of "));
    const char *of = strstr(first.data, "1-17 of ") + 8;
    char last[32];
    snprintf(last, sizeof last, "%d-%d of", atoi(of) - 16, atoi(of));
    press(app, "PgDn PgDn PgDn PgDn PgDn PgDn");
    assert_true(shows(app, last)); /* at the end it stays at the end */
    press(app, "PgUp PgUp PgUp PgUp PgUp PgUp");
    assert_string_equal(picture(app, &now), first.data);
    press(app, "Down PgDn Down");
    assert_true(shows(app, "1-17 of")); /* another offer is read from its first line */
    press(app, "Left Left");
    assert_true(shows(app, "memory of one GPU"));
    strbuf_clear(&first);
    strbuf_clear(&now);
    finish(app);
}

static void an_old_price_has_its_star_in_the_detail(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 Enter");
    char dated[40];
    snprintf(dated, sizeof dated, "%s* an old price", instances_marked(app)->price->date);
    assert_true(shows(app, dated) == billing_stale(&catalog, instances_marked(app)->price->date, "2026-12-01"));
    app->compute.today = "2027-12-01"; /* no price of the catalog is of the last 90 days */
    assert_true(shows(app, dated));
    app->compute.today = instances_marked(app)->price->date;
    assert_false(shows(app, dated));
    finish(app);
}

/* ---- tables of memory ---- */

static void a_cell_is_taken_over_as_answers(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 m Home Enter");
    assert_near(app->scenario.seq_len, 1024, 0);
    assert_true(scenario_has(&app->scenario, FIELD_MICRO_BATCH));
    press(app, "u m m Right Right Enter"); /* the last method is QLoRA */
    assert_string_equal(app->scenario.weights, "nf4");
    assert_int_equal(app->scenario.workload, WORKLOAD_LORA);
    finish(app);
}

static void a_table_is_written_as_text_or_csv(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 m");
    struct strbuf text = {0}, csv = {0};
    assert_true(matrix_page(app, "x.txt", &text));
    assert_non_null(strstr(text.data, "batch 1"));
    assert_true(matrix_page(app, "x.csv", &csv));
    assert_non_null(strstr(csv.data, "tokens,micro_batch,gpus,need_gib"));
    strbuf_clear(&text);
    strbuf_clear(&csv);
    finish(app);
}

/* ---- the mouse ---- */

/* Clicks on the first place where a text stands on the screen. */
static void click_on(struct app *app, const char *text, int more_cols)
{
    struct strbuf all = {0};
    char *line = picture(app, &all), *at = strstr(line, text);
    struct event event = {.kind = EVENT_CLICK};
    if (!at)
        fail_msg("\"%s\" is not on the screen", text);
    *at = '\0';
    for (char *end; (end = strchr(line, '\n')); line = end + 1)
        event.row++;
    event.col = text_width(line) + more_cols;
    app_handle(app, &event);
    strbuf_clear(&all);
}

static void a_click_selects_what_it_hits(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, LORA, "6 m");
    click_on(app, "4,096", 13); /* the cell right of the length, in the first column */
    press(app, "Enter");
    assert_near(app->scenario.seq_len, 4096, 0);
    assert_near(app->scenario.micro_batch, 1, 0);
    press(app, "u g Home");
    click_on(app, "○", 0); /* a point that is beaten selects the nearest that is not */
    assert_true(shows(app, "on the frontier"));
    press(app, "Esc w");
    click_on(app, "auto (2,048)", -3); /* right of the knob on its track: a step up */
    assert_near(app->shown.seq_len, 4096, 0);
    finish(app);
}

/* ---- changes that help ---- */

static void a_digit_applies_a_change_where_nothing_fits(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, TOO_BIG, "6");
    struct scenario before;
    memcpy(&before, &app->scenario, sizeof before);
    assert_int_equal(app_plan(app)->offer_count, 0);
    press(app, "1");
    assert_true(app_plan(app)->offer_count > 0);
    assert_int_equal(app->step, STEP_INSTANCES);
    press(app, "u");
    assert_true(answers_equal(&before, &app->scenario));
    press(app, "r 1");
    assert_true(app_plan(app)->offer_count > 0);
    press(app, "1"); /* something fits now: the digit is a step again */
    assert_int_equal(app->step, STEP_WORKLOAD);
    finish(app);
}

static double cheapest(const struct plan *plan)
{
    double least = INFINITY;
    for (size_t i = 0; i < plan->offer_count; i++)
        if (offer_cny(&plan->offers[i]) < least)
            least = offer_cny(&plan->offers[i]);
    return least;
}

static void cheaper_ways_are_told_where_something_fits(void **state)
{
    (void)state;
    struct app *app = start(24, 80, false, "workload=full model=qwen2.5-7b", "6");
    double cost = cheapest(app_plan(app));
    press(app, "r");
    assert_true(shows(app, "cheaper"));
    assert_true(shows(app, "now "));
    press(app, "1");
    assert_true(cheapest(app_plan(app)) < cost);
    finish(app);
}

/* ---- nothing is lost ---- */

static void an_answer_that_no_longer_counts_is_kept_and_marked(void **state)
{
    (void)state;
    struct app *app = start(45, 140, false, LORA " lora_rank=16", "3");
    assert_false(shows(app, "3!Method"));
    press(app, "1 Home Enter"); /* pretraining has no adapter */
    assert_int_equal(app->scenario.workload, WORKLOAD_PRETRAIN);
    assert_near(app->scenario.lora_rank, 16, 0);
    assert_true(app_plan(app)->offer_count > 0); /* nor does it stand in the way */
    press(app, "Esc Esc Tab Tab");
    assert_int_equal(app->step, STEP_METHOD);
    assert_true(shows(app, "3!Method"));
    assert_true(shows(app, "does not count for pretrain"));
    finish(app);
}

/* 28 heads cannot be split over three GPUs. */
static void an_answer_that_contradicts_is_marked_with_its_reason(void **state)
{
    (void)state;
    struct app *app = start(45, 140, false, LORA " tp=3", "3");
    char why[400];
    assert_true(app_fault(app, FIELD_TP, why, sizeof why));
    assert_true(shows(app, "3!Method"));
    assert_true(shows(app, why) || shows(app, "heads"));
    finish(app);
}

/* A disk without room: writing fails as it does when the file-size limit is zero. */
static void a_full_disk_leaves_the_former_answers_whole(void **state)
{
    (void)state;
    struct scenario first = answers(LORA), second = answers(SERVING), read;
    struct error error = {0};
    struct rlimit limit, none;
    assert_true(session_keep(&first, &error));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
    bool kept = session_keep(&second, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_false(kept);
    assert_true(*error.message != '\0');
    memset(&read, 0, sizeof read);
    assert_true(session_load(&read, &catalog, arena));
    assert_true(answers_equal(&read, &first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_screen_is_whole_at_every_size),
        cmocka_unit_test(they_keep_within_any_window),
        cmocka_unit_test(a_turned_knob_changes_nothing_until_enter),
        cmocka_unit_test(a_knob_comes_back_to_what_it_was),
        cmocka_unit_test(every_knob_turns_both_ways_without_a_contradiction),
        cmocka_unit_test(walking_the_frontier_pays_less_for_more_time),
        cmocka_unit_test(the_chart_speaks_of_the_rows_of_the_table),
        cmocka_unit_test(the_detail_gives_the_advice_for_its_offer),
        cmocka_unit_test(all_advice_can_be_scrolled_to_on_a_small_screen),
        cmocka_unit_test(an_old_price_has_its_star_in_the_detail),
        cmocka_unit_test(a_cell_is_taken_over_as_answers),
        cmocka_unit_test(a_table_is_written_as_text_or_csv),
        cmocka_unit_test(a_click_selects_what_it_hits),
        cmocka_unit_test(a_digit_applies_a_change_where_nothing_fits),
        cmocka_unit_test(cheaper_ways_are_told_where_something_fits),
        cmocka_unit_test(an_answer_that_no_longer_counts_is_kept_and_marked),
        cmocka_unit_test(an_answer_that_contradicts_is_marked_with_its_reason),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_former_answers_whole, sandbox_begin,
                                        sandbox_end),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
