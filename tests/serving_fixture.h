/* serving_fixture.h - a served model on hardware, from "key=value" answers, for the tests of memory
 * and speed. */
#ifndef GPUWIZ_SERVING_FIXTURE_H
#define GPUWIZ_SERVING_FIXTURE_H

#include "engine/serving.h"
#include "tests/test.h"

struct served {
    struct arena *arena;
    struct catalog catalog;
    struct constants constants;
    struct scenario scenario;
    struct job job;
    struct hardware hardware;
    struct layout layout;
    struct memory memory;
    struct speed speed;
};

static inline void served_recompute(struct served *served)
{
    served->memory =
        memory_infer(&served->job, &served->hardware, &served->layout, &served->constants);
    served->speed = speed_infer(&served->job, &served->hardware, &served->layout, &served->memory,
                                &served->constants);
}

/* `pairs` ends with NULL; tp and pp of the layout are taken from them, the rest is dp = 1. */
static inline struct served *served_new(const char *const *pairs)
{
    struct arena *arena = arena_new();
    struct served *served = ARENA_NEW(arena, struct served);
    struct error error = {.message = ""};
    served->arena = arena;
    assert_true(catalog_load(NULL, &served->catalog, &error));
    assert_true(constants_load(NULL, arena, &served->constants, &error));
    assert_true(scenario_set_pair(&served->scenario, "workload=inference", &served->catalog, arena,
                                  &error));
    for (; *pairs; pairs++)
        if (!scenario_set_pair(&served->scenario, *pairs, &served->catalog, arena, &error))
            fail_msg("%s: %s", *pairs, error.message);
    if (!job_resolve(&served->scenario, &served->catalog, arena, &served->job, &error) ||
        !hardware_pinned(&served->job, &served->hardware, &error))
        fail_msg("%s", error.message);
    served->layout = (struct layout){
        .tp = scenario_has(&served->scenario, FIELD_TP) ? (int)served->scenario.tp : 1,
        .pp = scenario_has(&served->scenario, FIELD_PP) ? (int)served->scenario.pp : 1,
        .cp = 1,
        .ep = 1,
        .dp = 1,
        .vp = 1};
    served_recompute(served);
    return served;
}
#define SERVED(...) served_new((const char *const[]){__VA_ARGS__, NULL})

static inline void served_free(struct served *served)
{
    struct arena *arena = served->arena;
    catalog_clear(&served->catalog);
    arena_free(arena);
}

#endif
