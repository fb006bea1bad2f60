/* Random keys, clicks, pastes and sizes, seeded: whatever is done, the wizard stands, each screen
 * keeps to its place and nothing reaches a cell that a terminal would obey. GPUWIZ_FUZZ_EVENTS sets
 * how many events each start gets, GPUWIZ_FUZZ_SEED the seed; under `make check-asan` the same
 * events look for memory that is used wrongly. */
#include "tests/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "tests/sandbox.h"
#include "ui/app.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;
static uint64_t random_state;
static bool reached[SCREEN_COUNT];

static int load(void **state)
{
    struct error error;
    arena = arena_new();
    if (!catalog_load("data", &catalog, &error) ||
        !constants_load("data", arena, &constants, &error))
        return -1;
    if (sandbox_begin(state) || mkdir(sandbox_path("here"), 0755) || chdir(sandbox_path("here")))
        return -1;
    signal(SIGPIPE, SIG_IGN);
    return setenv("PATH", "/nonexistent", 1); /* a click on "print" finds no printer */
}

static int unload(void **state)
{
    catalog_clear(&catalog);
    arena_free(arena);
    return chdir("/") || sandbox_end(state);
}

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* xorshift64*, Vigna 2016: the same on every machine. */
static int below(int limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (int)((random_state * UINT64_C(0x2545F4914F6CDD1D) >> 33) % (uint64_t)limit);
}

/* Keys of the screen on top for the most part, so that one gets around. */
static int some_key(const struct app *app)
{
    static const int any[] = {0x963F, 0xFF1F,   0xFF11,        0x1F600,       0x0301,       0x200B,
                              0x202E, 0x07,     0x1B,          0x7F,          0x9B,         0xD7FF,
                              0xFFFD, 0x10FFFF, KEY_CTRL('z'), KEY_CTRL('a'), KEY_HELP_ + 1};
    enum screen_id top = app->views[app->depth - 1].screen;
    int kind = below(10);
    if (kind == 0)
        return any[below(sizeof any / sizeof *any)];
    if (kind <= 2)
        return ' ' + below(95);
    const struct key_row *row = &keymap[below(keymap_rows)];
    for (int tries = 0; !(row->screens & ON(top)) && tries < 200; tries++)
        row = &keymap[below(keymap_rows)];
    int keys = 0;
    while (row->keys[keys])
        keys++;
    return row->keys[below(keys)];
}

static struct event some_event(const struct app *app)
{
    static char long_number[400]; /* longer than any line that is typed */
    memset(long_number, '9', sizeof long_number - 1);
    const char *const pasted[] = {"70b",
                                  "1e308",
                                  "-1",
                                  "nan",
                                  "0",
                                  "\033[31mred\033]0;title\007",
                                  "阿里云阿里云阿里云",
                                  "a\tb\r",
                                  "",
                                  "\x80\xFF\xC3",
                                  "e\xCC\x81\xCC\x81\xCC\x81\xCC\x81",
                                  long_number};
    int kind = below(100);
    if (kind < 80)
        return event_key(some_key(app));
    if (kind < 89)
        return (struct event){
            .kind = EVENT_CLICK, .row = below(app->rows + 2) - 1, .col = below(app->cols + 2) - 1};
    if (kind < 93)
        return (struct event){.kind = EVENT_WHEEL,
                              .row = below(app->rows),
                              .col = below(app->cols),
                              .turn = below(2) ? 1 : -1};
    if (kind < 96)
        return (struct event){.kind = EVENT_PASTE,
                              .text = pasted[below(sizeof pasted / sizeof *pasted)]};
    if (below(4) == 0) /* too small, and back soon */
        return (struct event){.kind = EVENT_RESIZE, .row = 1 + below(80), .col = 1 + below(250)};
    return (struct event){.kind = EVENT_RESIZE, .row = 20 + below(60), .col = 60 + below(190)};
}

/* The line of the file screen holds "..", or is not drawn: what stands in other folders differs
 * from one machine to the next, and is nobody's to write over. */
static bool leads_out(const struct app *app, const struct canvas *canvas)
{
    struct frame frame = frame_layout(app->rows, app->cols, app_top(app)->live);
    int dots = 0;
    for (int col = 0; col < app->cols && dots < 2; col++) {
        const struct cell *cell = canvas_cell(canvas, frame.main.row + 3, col);
        dots = cell && cell->chars[0] == '.' ? dots + 1 : 0;
    }
    return frame.too_small || dots == 2;
}

/* What would leave the program: printing, files elsewhere, and the end. */
static bool left_out(const struct app *app, const struct canvas *canvas, const struct event *event)
{
    enum screen_id top = app->views[app->depth - 1].screen;
    bool key = event->kind == EVENT_KEY;
    bool goes_ahead = event->kind == EVENT_CLICK || (key && event->key == KEY_ENTER_);
    if (goes_ahead && top == SCREEN_PATH)
        return leads_out(app, canvas);
    if (goes_ahead && top == SCREEN_HELP && app->depth > 1) /* it does what the marked line says */
        return app->views[app->depth - 2].screen == SCREEN_PATH;
    return key && ((top == SCREEN_SUMMARY && event->key == 'p') ||
                   (top == SCREEN_PATH &&
                    (event->key == '/' || event->key == '~' || event->key == 0xFF0F)));
}

static void assert_whole(const struct canvas *canvas)
{
    for (int row = 0; row < canvas->rows; row++) {
        int cells = 0;
        for (int col = 0; col < canvas->cols; col++) {
            const struct cell *cell = canvas_cell(canvas, row, col);
            const struct cell *next = canvas_cell(canvas, row, col + 1);
            cells += cell->width;
            assert_true(cell->width == 1 || (cell->width == 2) == (next && next->width == 0) ||
                        cell->width == 0);
            assert_true(cell->width == 0 || (cell->chars[0] >= 0x20 &&
                                             (cell->chars[0] < 0x7F || cell->chars[0] > 0x9F)));
            assert_true(cell->role < ROLE_COUNT && cell->back < ROLE_COUNT);
            if (canvas->ascii && i18n_language() == LANGUAGE_EN) /* no line art, no symbols */
                assert_false(cell->chars[0] >= 0x2000 && cell->chars[0] < 0x2C00);
        }
        assert_int_equal(cells, canvas->cols);
    }
    assert_true(canvas->rows == 0 ||
                canvas_cell(canvas, canvas->cursor_row, canvas->cursor_col) != NULL);
}

static const char *outside(const struct canvas *canvas, struct rect area)
{
    static char place[64];
    static const struct cell blank = {.chars = {' '}, .width = 1};
    for (int row = 0; row < canvas->rows; row++)
        for (int col = 0; col < canvas->cols; col++)
            if (!rect_has(area, row, col) &&
                memcmp(canvas_cell(canvas, row, col), &blank, sizeof blank) != 0) {
                snprintf(place, sizeof place, "writes at %d,%d outside %d,%d %dx%d", row, col,
                         area.row, area.col, area.rows, area.cols);
                return place;
            }
    return NULL;
}

/* Where a screen may write: the page of the summary takes the margins in, a filter is typed in the
 * message line. */
static struct rect place_of(enum screen_id screen, const struct frame *frame)
{
    struct rect place = screen == SCREEN_FILTER ? frame->message : frame->main;
    if (screen == SCREEN_SUMMARY)
        place = (struct rect){place.row, place.col - 1, place.rows, place.cols + 2};
    return place;
}

/* The screen on top and the live pane, each alone on an empty sheet. */
static void assert_in_place(const struct app *app, struct canvas *canvas, const char *trail)
{
    struct frame frame = frame_layout(app->rows, app->cols, app_top(app)->live);
    const struct view *top = &app->views[app->depth - 1];
    if (frame.too_small)
        return;
    for (int part = 0; part < 2; part++) {
        canvas_clear(canvas);
        if (part == 0)
            app_top(app)->draw(app, top->state, canvas, frame.main);
        else if (frame.live.rows > 0)
            live_draw(app, canvas, frame.live);
        const char *wrong = outside(canvas, part == 0 ? place_of(top->screen, &frame) : frame.live);
        if (wrong)
            fail_msg("%s at %dx%d, screen \"%s\"%s after %s", wrong, app->cols, app->rows,
                     app_top(app)->name, part ? ", live pane" : "", trail);
    }
}

/* The last events as a key script. */
static void note(struct strbuf *trail, const struct event *event)
{
    char key[16];
    if (trail->length > 1500) {
        memmove(trail->data, trail->data + 500, trail->length - 500 + 1);
        trail->length -= 500;
    }
    if (event->kind == EVENT_KEY)
        strbuf_printf(trail, " %s", event_key_name(event->key, key));
    else if (event->kind == EVENT_RESIZE)
        strbuf_printf(trail, " resize:%dx%d", event->col, event->row);
    else if (event->kind == EVENT_PASTE)
        strbuf_add(trail, " (paste)");
    else
        strbuf_printf(trail, event->kind == EVENT_CLICK ? " click:%d,%d" : " wheel:%d,%d",
                      event->row, event->col);
}

static const char *const starts[] = {
    "",
    "workload=lora model=qwen2.5-7b",
    "workload=pretrain model=llama-3.1-70b tokens_b=1000 nodes=128",
    "workload=inference model=deepseek-v3",
    "workload=full model=llama-3.1-70b gpu=a10",
    "workload=lora model=qwen2.5-7b budget=0.01",
};

/* To each screen from the first step. */
static const char *const ways[] = {"",       "2",   "3",       "3 Down Down Down Enter",
                                   "6",      "6 /", "6 Enter", "6 Space Space c",
                                   "6 x",    "6 r", "7",       "?",
                                   "Ctrl-O", "6 e", "3 w",     "6 g",
                                   "6 m",    "n",   "n Enter", "n Down Enter Enter Enter"};
enum { WAYS = sizeof ways / sizeof *ways };

static void press(struct app *app, const char *keys)
{
    bool in_quotes = false;
    for (struct event event; (event = event_from_script(&keys, &in_quotes)).kind != EVENT_NONE;) {
        app_handle(app, &event);
        reached[app->views[app->depth - 1].screen] = true;
    }
}

static void run_from(const char *pairs, int start, int events)
{
    struct app *app = malloc(sizeof *app);
    struct scenario scenario;
    struct error error = {0};
    struct canvas canvas = {0};
    struct strbuf trail = {0};
    memset(&scenario, 0, sizeof scenario);
    char *copy = arena_strdup(arena, pairs);
    for (char *save = NULL, *pair = strtok_r(copy, " ", &save); pair;
         pair = strtok_r(NULL, " ", &save))
        if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
            fail_msg("%s: %s", pair, error.message);
    i18n_set_language(start % 2 ? LANGUAGE_ZH : LANGUAGE_EN);
    struct app_options options = {.catalog = &catalog,
                                  .constants = &constants,
                                  .today = "2026-12-01",
                                  .scenario = &scenario,
                                  .rows = 24,
                                  .cols = 80,
                                  .colours = start % 3 ? 256 : 0,
                                  .ascii = start == 4,
                                  .bytes_only = start == 4}; /* stays English */
    app_init(app, &options);
    for (int i = 0; i < events; i++) {
        struct event event = some_event(app);
        if (left_out(app, &canvas, &event))
            continue;
        note(&trail, &event);
        if (getenv("GPUWIZ_FUZZ_TRACE"))
            fprintf(stderr, "%d %s\n", i, trail.data + (trail.length > 40 ? trail.length - 40 : 0));
        app_handle(app, &event);
        reached[app->views[app->depth - 1].screen] = true;
        app->done = false;
        app_draw(app, &canvas);
        assert_int_equal(canvas.rows, app->rows);
        assert_int_equal(canvas.cols, app->cols);
        assert_whole(&canvas);
        assert_in_place(app, &canvas, strbuf_text(&trail));
        if (i % 120 == 119) { /* contradictions pile up, and some screens are far */
            app_commit(app, &scenario);
            app_go(app, STEP_WORKLOAD);
            app_handle(app, &(struct event){.kind = EVENT_RESIZE, .row = 24, .col = 80});
            press(app, ways[i / 120 % WAYS]);
        }
        app_draw(app, &canvas); /* the next event looks at it */
    }
    app_clear(app);
    free(app);
    canvas_free(&canvas);
    strbuf_clear(&trail);
}

/* What a folder holds, one name not counted. */
static int entries(const char *folder, const char *not_counted)
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.' && strcmp(entry->d_name, not_counted) != 0;
    closedir(directory);
    return count;
}

static void nothing_that_is_pressed_breaks_a_screen(void **state)
{
    (void)state;
    enum { STARTS = sizeof starts / sizeof *starts };
    int events = setting("GPUWIZ_FUZZ_EVENTS", 3400);
    random_state = (uint64_t)setting("GPUWIZ_FUZZ_SEED", 20261201);
    for (int start = 0; start < STARTS; start++)
        run_from(starts[start], start, events);
    for (int screen = 0; screen < SCREEN_COUNT; screen++)
        if (!reached[screen] && screen != SCREEN_ASK) /* only where nothing can be kept */
            fail_msg("%d events did not get to \"%s\"", events * STARTS, screens[screen]->name);
    i18n_set_language(LANGUAGE_EN);
    assert_int_equal(entries("..", "state"), 1); /* no file beside the folder it works in */
}

TEST_MAIN(cmocka_unit_test_setup_teardown(nothing_that_is_pressed_breaks_a_screen, load, unload))
