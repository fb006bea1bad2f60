#include "tests/fixture.h"

#include <stdlib.h>
#include <string.h>
#include "tests/test.h"

struct catalog catalog;
struct constants constants;
struct arena *arena;

int fixture_load(void **state)
{
    (void)state;
    struct error error = {0};
    char text[800];
    arena = arena_new();
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    if (catalog_load("data", &catalog, &error) && constants_load("data", arena, &constants, &error))
        return 0;
    print_error("%s\n", error_text(&error, text, sizeof text));
    return -1;
}

int fixture_unload(void **state)
{
    (void)state;
    arena_free(arena);
    catalog_clear(&catalog);
    return 0;
}

struct scenario answers(const char *pairs)
{
    struct scenario scenario = {0};
    struct error error = {0};
    char *copy = arena_strdup(arena, pairs);
    for (char *save = NULL, *pair = strtok_r(copy, " ", &save); pair; pair = strtok_r(NULL, " ", &save))
        if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
            fail_msg("%s: %s", pair, error.message);
    return scenario;
}
