#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/catalog.h"
#include "data/data_files.h"
#include "tests/sandbox.h"

/* A name that no installed file can have. */
#define NAME "sandbox-only.yaml"

static struct error error;

/* Where NAME is found, relative to the sandbox; "" when it is found nowhere. */
static const char *found(struct arena *arena, const char *folder)
{
    struct data_file file;
    if (!data_find(folder, NAME, arena, &file, &error))
        return "";
    assert_null(file.bytes);
    return file.path + strlen(sandbox_path(""));
}

/* Files are added from the last place to the first: each must win over those already there. */
static void places_are_searched_in_the_documented_order(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char dirs[1200];
    snprintf(dirs, sizeof dirs, "relative:%s:%s", sandbox_path("sys1"), sandbox_path("sys2"));
    setenv("XDG_DATA_DIRS", dirs, 1);
    assert_string_equal(found(arena, NULL), "");
    assert_string_equal(error.file, NAME);
    static const char *const places[] = {"sys2/gpuwiz", "sys1/gpuwiz", "share/gpuwiz", "env", "option"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s/%s", places[i], NAME);
        sandbox_write(name, "x: 1\n");
        if (strcmp(places[i], "env") == 0)
            setenv("GPUWIZ_DATA", sandbox_path("env"), 1);
        const char *folder = strcmp(places[i], "option") == 0 ? sandbox_path("option") : NULL;
        assert_string_equal(found(arena, folder), name);
    }
    arena_free(arena);
}

static void without_xdg_variables_the_home_folder_counts(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    unsetenv("XDG_DATA_HOME");
    sandbox_write("home/.local/share/gpuwiz/" NAME, "x: 1\n");
    assert_string_equal(found(arena, NULL), "home/.local/share/gpuwiz/" NAME);
    unsetenv("XDG_CONFIG_HOME");
    assert_string_equal(data_config_folder(arena), sandbox_path("home/.config/gpuwiz"));
    unsetenv("HOME");
    assert_null(data_config_folder(arena));
    size_t count;
    data_overlays(arena, &count);
    assert_int_equal(count, 0);
    arena_free(arena);
}

static void relative_xdg_values_are_ignored(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    setenv("XDG_CONFIG_HOME", "config", 1);
    assert_string_equal(data_config_folder(arena), sandbox_path("home/.config/gpuwiz"));
    arena_free(arena);
}

static void a_named_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct data_file file;
    assert_false(data_find("/nowhere", "gpus.yaml", arena, &file, &error));
    assert_string_equal(error.file, "/nowhere");
    setenv("GPUWIZ_DATA", "/nowhere", 1);
    assert_false(data_find(NULL, "gpus.yaml", arena, &file, &error));
    arena_free(arena);
}

static void the_copy_in_the_program_is_the_last_resort(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct yaml_document document;
    struct data_file file;
    assert_true(data_find(sandbox_path(""), "gpus.yaml", arena, &file, &error));
    if (file.bytes) /* unless this machine has it installed */
        assert_string_equal(file.path, "built in: gpus.yaml");
    assert_true(data_parse(sandbox_path(""), "gpus.yaml", arena, &document, &error));
    assert_non_null(yaml_get(document.root, "gpus"));
    arena_free(arena);
}

/* --data with one file of one's own: the rest still comes from the usual places. */
static void a_folder_may_hold_some_of_the_files(void **state)
{
    (void)state;
    struct catalog catalog;
    sandbox_write("mine/aliases.yaml", "sources: {me: {date: 2026, text: notes}}\n"
                                       "aliases: [{name: zz, note: nothing, source: me}]\n");
    assert_true(catalog_load(sandbox_path("mine"), &catalog, &error));
    assert_int_equal(catalog.alias_count, 1);
    assert_int_equal(catalog.instance_count, 125);
    catalog_clear(&catalog);
}

static void overlays_come_sorted_and_only_yaml(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    static const char *const names[] = {"b.yaml", "a.yaml", "c.yml", ".hidden.yaml", "B.yaml", "x.yaml~"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[100];
        snprintf(name, sizeof name, "config/gpuwiz/%s", names[i]);
        sandbox_write(name, "x: 1\n");
    }
    size_t count;
    const char *const *paths = data_overlays(arena, &count);
    assert_int_equal(count, 3);
    assert_string_equal(paths[0], sandbox_path("config/gpuwiz/B.yaml"));
    assert_string_equal(paths[1], sandbox_path("config/gpuwiz/a.yaml"));
    assert_string_equal(paths[2], sandbox_path("config/gpuwiz/b.yaml"));
    arena_free(arena);
}

static void an_overlay_of_no_known_kind_is_an_error(void **state)
{
    (void)state;
    static const struct data_kind *const kinds[] = {&catalog_kind, NULL};
    struct arena *arena = arena_new();
    sandbox_write("config/gpuwiz/a.yaml", "prices: []\n");
    assert_true(data_overlays_known(kinds, arena, &error));
    sandbox_write("config/gpuwiz/b.yaml", "price: []\n"); /* "prices" was meant */
    assert_false(data_overlays_known(kinds, arena, &error));
    assert_string_equal(error.file, sandbox_path("config/gpuwiz/b.yaml"));
    assert_int_equal(error.line, 1);
    arena_free(arena);
}

#define IN_SANDBOX(test) cmocka_unit_test_setup_teardown(test, sandbox_begin, sandbox_end)

TEST_MAIN(IN_SANDBOX(places_are_searched_in_the_documented_order),
          IN_SANDBOX(without_xdg_variables_the_home_folder_counts),
          IN_SANDBOX(relative_xdg_values_are_ignored),
          IN_SANDBOX(a_named_folder_that_is_not_there_is_an_error),
          IN_SANDBOX(the_copy_in_the_program_is_the_last_resort),
          IN_SANDBOX(a_folder_may_hold_some_of_the_files),
          IN_SANDBOX(overlays_come_sorted_and_only_yaml),
          IN_SANDBOX(an_overlay_of_no_known_kind_is_an_error))
