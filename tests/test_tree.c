/* The shape of the source tree, read from the sources: who may include whom, where the outside
 * libraries are known, who may end the program, and what no file says. */
#include "tests/test.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/file.h"
#include "base/strbuf.h"

/* Folders from left to right; a file may include those of its own layer and of those before it. */
static const char *const layers[] = {"base/", "data/", "engine/", "report/", "ui/", "main"};
enum { UI = 4, MAIN = 5, LAYERS = 6 };

static int failures, files_seen;

static void complain(const char *path, const char *what, const char *line)
{
    print_error("%s: %s: %.*s\n", path, what, (int)strcspn(line, "\n"), line);
    failures++;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), n = strlen(with);
    return length >= n && strcmp(text + length - n, with) == 0;
}

/* ---- walking --------------------------------------------------------------------------------- */

/* Calls `look` with each text file of a folder and those below it. */
static void walk(const char *folder, void (*look)(const char *path, const char *text))
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[512];
        struct stat status;
        struct strbuf text = {0};
        struct error error;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(stat(path, &status), 0);
        if (S_ISDIR(status.st_mode)) {
            walk(path, look);
        } else if (file_read(path, 64 << 20, &text, &error)) {
            files_seen++;
            if (!memchr(strbuf_text(&text), 0, text.length))
                look(path, strbuf_text(&text));
        }
        strbuf_clear(&text);
    }
    closedir(directory);
}

static void look_at_one(const char *path, void (*look)(const char *path, const char *text))
{
    struct strbuf text = {0};
    struct error error;
    assert_true(file_read(path, 1 << 20, &text, &error));
    look(path, strbuf_text(&text));
    strbuf_clear(&text);
}

/* Each line in turn; NULL after the last. */
static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

static bool is_c(const char *path)
{
    return ends(path, ".c") || ends(path, ".h");
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* The layer of "src/data/yaml.c" is that of "data/"; files of src/ itself are the last. */
static int layer_of(const char *path)
{
    if (starts(path, "src/"))
        path += 4;
    for (int i = 0; i < MAIN; i++)
        if (starts(path, layers[i]))
            return i;
    return MAIN;
}

static void look_at_includes(const char *path, const char *text)
{
    static const char own[] = "#include \"", outside[] = "#include <";
    if (!is_c(path))
        return;
    for (const char *line = text; line; line = next_line(line)) {
        if (starts(line, own) && layer_of(line + strlen(own)) > layer_of(path))
            complain(path, "includes what stands right of it", line);
        if (starts(line, own) && starts(line + strlen(own), "tests/"))
            complain(path, "the program includes a test", line);
        if (!starts(line, outside))
            continue;
        const char *name = line + strlen(outside);
        bool screen = starts(name, "ncurses") || starts(name, "curses") || starts(name, "term.h");
        if (screen && layer_of(path) != UI)
            complain(path, "only ui/ knows ncurses", line);
        if (starts(name, "yaml.h") && strcmp(path, "src/data/yaml.c") != 0)
            complain(path, "only src/data/yaml.c knows libyaml", line);
    }
}

static void includes_point_to_the_left_only(void **state)
{
    (void)state;
    failures = files_seen = 0;
    walk("src", look_at_includes);
    walk("ui", look_at_includes);
    assert_true(files_seen > 150);
    assert_int_equal(failures, 0);
}

/* ---- ends of the program --------------------------------------------------------------------- */

/* A call of `name`, and not of a function whose name ends so. */
static const char *call_of(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    size_t length = strcspn(line, "\n");
    while (at && at < line + length && at > line && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z')))
        at = strstr(at + 1, name);
    return at && at < line + length ? at : NULL;
}

/* A child between fork and exec leaves with _exit; abort is for memory that ran out. */
static void look_at_exits(const char *path, const char *text)
{
    for (const char *line = text; is_c(path) && line; line = next_line(line)) {
        if (call_of(line, "exit(") && strcmp(path, "src/main.c") != 0)
            complain(path, "ends the program", line);
        if (call_of(line, "abort(") && strcmp(path, "src/base/arena.c") != 0)
            complain(path, "ends the program", line);
    }
}

static void no_function_ends_the_program(void **state)
{
    (void)state;
    failures = 0;
    walk("src", look_at_exits);
    walk("ui", look_at_exits);
    assert_int_equal(failures, 0);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void look_at_words(const char *path, const char *text)
{
    /* put together here, so that this file holds none of them */
    static const char *const unfinished[] = {"TO" "DO", "FIX" "ME", "HA" "CK:", "NOT IMPLE" "MENTED",
                                             "not imple" "mented", "lorem " "ipsum"};
    static const char *const places[] = {"/ho" "me/", "/ro" "ot/", "/wo" "rk/", "C:" "\\Users"};
    for (const char *line = text; line; line = next_line(line)) {
        size_t length = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++) {
            const char *at = strstr(line, unfinished[i]);
            if (at && at < line + length)
                complain(path, "unfinished", line);
        }
        for (size_t i = 0; !starts(path, "tests/") && i < sizeof places / sizeof *places; i++) {
            const char *at = strstr(line, places[i]);
            bool inside = at && at > line && at[-1] != ' ' && at[-1] != '"' && at[-1] != '\'';
            if (at && at < line + length && !inside)
                complain(path, "a folder of one machine", line);
        }
    }
}

static void no_file_is_unfinished_or_bound_to_one_machine(void **state)
{
    (void)state;
    static const char *const folders[] = {"src", "ui", "data", "man", "tests"};
    static const char *const files[] = {"Makefile", "README.md"};
    failures = files_seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        walk(folders[i], look_at_words);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        look_at_one(files[i], look_at_words);
    assert_true(files_seen > 300);
    assert_int_equal(failures, 0);
}

/* ---- form ------------------------------------------------------------------------------------ */

static void look_at_form(const char *path, const char *text)
{
    if (!is_c(path))
        return;
    size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '\n')
        complain(path, "the last line has no end", "");
    for (const char *line = text; line; line = next_line(line)) {
        size_t end = strcspn(line, "\n");
        if (memchr(line, '\t', end) || memchr(line, '\r', end))
            complain(path, "a tab or carriage return", line);
        if (end > 0 && line[end - 1] == ' ')
            complain(path, "ends in a space", line);
    }
    if (ends(path, ".h") && !strstr(text, "#ifndef GPUWIZ_"))
        complain(path, "has no include guard", text);
    if (ends(path, ".h") && !starts(text, "/*"))
        complain(path, "does not start with what it is", text);
}

static void sources_have_one_form(void **state)
{
    (void)state;
    failures = 0;
    walk("src", look_at_form);
    walk("ui", look_at_form);
    walk("tests", look_at_form);
    assert_int_equal(failures, 0);
}

/* ---- goals of the Makefile ---------------------------------------------------------------------- */

/* What `make help` says of every goal that is no file; `all` and `check` are other names. */
static void help_names_every_goal(void **state)
{
    (void)state;
    struct strbuf text = {0};
    struct error error;
    assert_true(file_read("Makefile", 1 << 20, &text, &error));
    char *goals = strstr(text.data, "\n.PHONY:");
    assert_non_null(goals);
    goals += strlen("\n.PHONY:");
    goals[strcspn(goals, ".")] = '\0';
    int count = 0;
    for (char *goal = strtok(goals, " \\\n"); goal; goal = strtok(NULL, " \\\n"), count++) {
        char line[64];
        snprintf(line, sizeof line, "make %s", goal);
        if (strcmp(goal, "all") != 0 && strcmp(goal, "check") != 0 && strcmp(goal, "help") != 0 &&
            !strstr(text.data, line))
            fail_msg("make help does not say what `make %s` does", goal);
    }
    assert_true(count > 15);
    strbuf_clear(&text);
}

#define TEST(name) cmocka_unit_test(name)

TEST_MAIN(TEST(includes_point_to_the_left_only), TEST(no_function_ends_the_program),
          TEST(no_file_is_unfinished_or_bound_to_one_machine), TEST(sources_have_one_form),
          TEST(help_names_every_goal))
