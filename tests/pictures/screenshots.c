/* screenshots.c - the pictures of README.md, drawn from the cells of the real program in a terminal
 * emulator: `make screenshots` writes man/pictures/NAME.svg. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "tests/sandbox.h"
#include "tests/screen.h"

/* One picture: what was answered before the start, and the keys that lead to it. */
static const struct picture {
    const char *name;
    int rows, cols;
    const char *const *arguments;
    const char *keys;
    const char *mark; /* on the screen when it is there */
} pictures[] = {
    {"model", 24, 80, (const char *const[]){"--set", "workload=lora", "--set", "model=qwen2.5-7b", NULL}, "2 \"14b\"", "14b"},
    {"instances", 32, 110,
     (const char *const[]){"--set", "workload=lora", "--set", "model=qwen2.5-14b", "--set", "weights=nf4", NULL}, "6",
     "ecs."},
    {"instances-zh", 32, 110,
     (const char *const[]){"--lang", "zh", "--set", "workload=lora", "--set", "model=qwen2.5-14b", "--set", "weights=nf4", NULL},
     "6", "ecs."},
    {"what-if", 24, 80, (const char *const[]){"--set", "workload=lora", "--set", "model=qwen2.5-7b", NULL},
     "6 w Right Down Right", "WHAT-IF"},
    {"chart", 30, 100, (const char *const[]){"--set", "workload=pretrain", "--set", "model=qwen2.5-7b", NULL}, "6 g Home Right Right",
     "frontier"},
};

static void every_picture_is_drawn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        const struct picture *picture = &pictures[i];
        struct screen_options options = {.rows = picture->rows, .cols = picture->cols,
                                         .arguments = picture->arguments, .home = sandbox_path("home")};
        struct screen_under_test *screen = screen_start(&options);
        screen_settle(screen, 300);
        screen_keys(screen, picture->keys);
        if (!screen_wait(screen, picture->mark, 5))
            fail_msg("%s: '%s' is not on the screen", picture->name, picture->mark);
        struct strbuf svg = {0};
        struct error error = {0};
        char path[120];
        screen_picture(screen, picture->rows, picture->cols, &svg);
        snprintf(path, sizeof path, "man/pictures/%s.svg", picture->name);
        if (!file_write(path, svg.data, svg.length, true, &error))
            fail_msg("%s: %s", path, error.message);
        print_message("%s\n", path);
        strbuf_clear(&svg);
        screen_free(screen);
    }
}

TEST_MAIN(cmocka_unit_test_setup_teardown(every_picture_is_drawn, sandbox_begin, sandbox_end))
