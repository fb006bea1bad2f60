/* memory_fixture.h - a training job on hardware, from "key=value" answers, and its memory, for the
 * tests of its parts. Each test has the constants afresh and may take away what was fitted. */
#ifndef GPUWIZ_MEMORY_FIXTURE_H
#define GPUWIZ_MEMORY_FIXTURE_H

#include "tests/test.h"

#include <string.h>
#include "base/units.h"
#include "engine/activations.h"
#include "engine/memory.h"
#include "engine/model_states.h"

static struct catalog catalog;
static struct constants shipped, constants; /* `constants`: what a test changes, afresh for each */
static struct arena *arena;

static inline int load(void **state)
{
    (void)state;
    struct error error = {0};
    char text[800];
    arena = arena_new();
    if (!catalog_load(NULL, &catalog, &error) || !constants_load(NULL, arena, &shipped, &error)) {
        print_error("%s\n", error_text(&error, text, sizeof text));
        return -1;
    }
    return 0;
}

static inline int unload(void **state)
{
    (void)state;
    arena_free(arena);
    catalog_clear(&catalog);
    return 0;
}

static inline int afresh(void **state)
{
    (void)state;
    constants = shipped;
    return 0;
}

struct set {
    struct scenario scenario;
    struct job job;
    struct hardware hardware;
    struct layout layout;
};

/* "workload=full model=llama-2-7b ...": the layout is what is pinned, 1 or none otherwise. */
static inline struct set *set_up(const char *pairs)
{
    struct set *set = ARENA_NEW(arena, struct set);
    struct error error = {0};
    char text[800], *copy = arena_strdup(arena, pairs), *rest = copy;
    for (char *pair; (pair = strtok_r(rest, " ", &rest));)
        if (!scenario_set_pair(&set->scenario, pair, &catalog, arena, &error))
            fail_msg("%s", error_text(&error, text, sizeof text));
    if (!job_resolve(&set->scenario, &catalog, arena, &set->job, &error) ||
        !hardware_pinned(&set->job, &set->hardware, &error))
        fail_msg("%s: %s", pairs, error_text(&error, text, sizeof text));
    const struct scenario *s = &set->scenario;
    struct layout *layout = &set->layout;
    *layout = (struct layout){.tp = 1,
                              .pp = 1,
                              .vp = 1,
                              .cp = 1,
                              .ep = 1,
                              .micro_batch = 1,
                              .micro_batches = 8,
                              .flash_attention =
                                  !scenario_has(s, FIELD_FLASH_ATTENTION) || s->flash_attention};
    const struct {
        enum field_id id;
        double value;
        int *into;
    } splits[] = {
        {FIELD_TP, s->tp, &layout->tp}, {FIELD_PP, s->pp, &layout->pp},
        {FIELD_VP, s->vp, &layout->vp}, {FIELD_CP, s->cp, &layout->cp},
        {FIELD_EP, s->ep, &layout->ep}, {FIELD_MICRO_BATCH, s->micro_batch, &layout->micro_batch}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        if (scenario_has(s, splits[i].id))
            *splits[i].into = (int)splits[i].value;
    layout->sp = s->sp;
    layout->zero = s->zero;
    layout->recompute = (enum recompute)s->recompute;
    layout->offload = (enum offload)s->offload;
    layout->dp = set->hardware.gpus / (layout->tp * layout->pp * layout->cp);
    return set;
}

static inline struct memory memory_of(const char *pairs)
{
    struct set *set = set_up(pairs);
    return memory_estimate(&set->job, &set->hardware, &set->layout, &constants);
}

/* Takes everything fitted away from a stack, so that what is left can be worked out by hand. */
static inline struct stack_constants *bare(enum stack stack)
{
    constants.stack[stack] = (struct stack_constants){.logit_bytes = 4,
                                                      .pretrain_logit_bytes = 4,
                                                      .fused_logit_bytes = 1,
                                                      .live_units = 2,
                                                      .root_copies = 1,
                                                      .gradient_bytes = 2,
                                                      .compile_share = 1,
                                                      .selective_share = 1};
    constants.global.communicator_gib = 0;
    return &constants.stack[stack];
}

#define TEST(name) cmocka_unit_test_setup(name, afresh)

#endif
