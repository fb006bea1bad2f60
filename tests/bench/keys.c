/* keys.c - how long the wizard takes from a key to the finished sheet of cells, without a terminal.
 */
#include "tests/bench/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ui/app.h"

/* Every screen, its lists walked, answers changed and taken back: the step to begin at, and the
 * keys. */
static const struct {
    enum field_step step;
    const char *keys;
} walk[] = {
    {STEP_WORKLOAD, "Down Down Up n Down Enter Down Enter Esc Esc"},
    {STEP_MODEL, "Down Down \"qwen\" Down PgDn Up"},
    {STEP_METHOD,
     "Down Down Right Right Left a Down Down Down Right Enter Down Esc u u u u Ctrl-R u"},
    {STEP_WORK, "Down Down Right Down Enter \"12\" Esc"},
    {STEP_BUDGET, "Down Right Left Down Right u"},
    {STEP_INSTANCES,
     "Down Down s s S PgDn End Home l l h b b f f f / \"gn7\" Esc Space Down Space c Down b Esc"},
    {STEP_INSTANCES,
     "Enter Down Down Right Left e Right Right Left Esc Esc g Right Right Left Enter Esc Esc"},
    {STEP_INSTANCES, "x Down Down Esc r Down Esc w Right Right Down Right Left Down Right Esc"},
    {STEP_INSTANCES,
     "m Right Right Down n m Down Right Esc ? Down \"memory\" Esc T T T T L Down L"},
    {STEP_SUMMARY, "PgDn PgDn End Home c Esc L L"},
    {STEP_INSTANCES, "resize:160x50 Down Enter e Esc Esc g Esc resize:80x24 Down"},
};
enum { PARTS = sizeof walk / sizeof *walk };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct press {
    double ms;
    const char *screen;
    struct event event;
};

static int slowest_first(const void *a, const void *b)
{
    double x = ((const struct press *)a)->ms, y = ((const struct press *)b)->ms;
    return (x < y) - (x > y);
}

void keys_bench(const char *name, const struct catalog *catalog, const struct constants *constants,
                const struct scenario *scenario)
{
    enum { PRESSES = 500, WORST = 3 };
    static struct press presses[PRESSES];
    static struct app app;
    struct app_options options = {.catalog = catalog,
                                  .constants = constants,
                                  .today = "2026-12-01",
                                  .scenario = scenario,
                                  .rows = 24,
                                  .cols = 80,
                                  .colours = 256};
    struct canvas canvas = {0};
    bool in_quotes = false, seen[SCREEN_COUNT] = {false};
    int count = 0, screens_seen = 0;
    app_init(&app, &options);
    for (int part = 0; part < PARTS; part++) {
        const char *script = walk[part].keys;
        app_go(&app, walk[part].step);
        for (struct event event = event_from_script(&script, &in_quotes);
             event.kind != EVENT_NONE && count < PRESSES;
             event = event_from_script(&script, &in_quotes)) {
            enum screen_id screen = app.views[app.depth - 1].screen;
            double start = now_ms();
            app_handle(&app, &event);
            app_draw(&app, &canvas);
            presses[count++] = (struct press){now_ms() - start, screens[screen]->name, event};
            screens_seen += !seen[screen];
            seen[screen] = true;
        }
    }
    app_clear(&app);
    canvas_free(&canvas);
    qsort(presses, (size_t)count, sizeof *presses, slowest_first);
    printf("  %-34s median %6.2f ms   99 %% %6.2f ms   (%d keys, %d screens;", name,
           presses[count / 2].ms, presses[count / 100].ms, count, screens_seen);
    for (int i = 0; i < WORST; i++) {
        char key[16];
        printf("%s %.1f ms %s on %s", i ? "," : " slowest", presses[i].ms,
               presses[i].event.kind == EVENT_RESIZE ? "resize"
                                                     : event_key_name(presses[i].event.key, key),
               presses[i].screen);
    }
    puts(")");
}
