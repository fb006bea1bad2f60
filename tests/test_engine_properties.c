/* What must hold of every answer whatever the questions: scenarios drawn at random from the table
 * of questions, presets and made-up shapes alike, put through the estimate and the plan. Nothing
 * here knows a single figure. The draws are the same in every run. */
#include "tests/test.h"

#include <string.h>
#include "engine/offers.h"
#include "tests/drawn.h"

enum { ESTIMATES = 4000, PLANS = 60 };

static struct arena *scratch; /* of one draw */
static struct strbuf drawn;   /* the present draw, told when it fails */

static int load(void **state)
{
    scratch = arena_new();
    return fixture_load(state);
}

static int unload(void **state)
{
    strbuf_clear(&drawn);
    arena_free(scratch);
    return fixture_unload(state);
}

#define HOLDS(claim)                                                                               \
    do {                                                                                           \
        if (!(claim))                                                                              \
            fail_msg("%s: not so: %s", strbuf_text(&drawn), #claim);                               \
    } while (0)

static void draw(struct scenario *scenario)
{
    arena_reset(scratch);
    drawn_scenario(scenario, scratch);
    strbuf_clear(&drawn);
    scenario_command(scenario, &drawn);
}

/* ---- what holds ---------------------------------------------------------------------------- */

static bool nan_or_at_least_0(double value)
{
    return isnan(value) || (isfinite(value) && value >= 0);
}

static bool nearly(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void memory_holds(const struct memory *memory)
{
    double sum = 0, copies = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        HOLDS(isfinite(memory->components_gib[i]) && memory->components_gib[i] >= 0);
        HOLDS(memory->replicated_gib[i] >= 0);
        HOLDS(memory->replicated_gib[i] <= memory->components_gib[i] * (1 + 1e-9));
        sum += memory->components_gib[i];
        copies += memory->replicated_gib[i];
    }
    HOLDS(nearly(sum, memory->need_gib));
    HOLDS(nearly(copies, memory->replicated_total_gib));
    HOLDS(memory->low_gib >= 0 && memory->low_gib <= memory->need_gib);
    HOLDS(memory->high_gib >= memory->need_gib && isfinite(memory->high_gib));
    HOLDS(memory->model_states_gib >= 0 && memory->model_states_gib <= memory->need_gib);
    HOLDS(memory->reserved_gib >= memory->need_gib * (1 - 1e-9));
    HOLDS(memory->host_ram_gib > 0 && isfinite(memory->host_ram_gib));
    for (int i = 0; i < PEAK_COUNT; i++)
        HOLDS(memory->peaks_gib[i] >= 0 && memory->peaks_gib[i] <= memory->need_gib * (1 + 1e-9));
    HOLDS(nan_or_at_least_0(memory->kv_tokens) && nan_or_at_least_0(memory->max_concurrency));
}

/* The convention counts attention as if it were not causal, twice what is computed: 6 forward
 * passes for the 3.5 that FlashAttention executes. */
static const double MOST_MFU = 6 / 3.5;

static void speed_holds(const struct speed *speed, const struct hardware *hardware)
{
    double sum = 0;
    const double figures[] = {speed->tokens_per_s,
                              speed->tokens_per_s_per_gpu,
                              speed->step_s,
                              speed->mfu,
                              speed->tflops_per_gpu,
                              speed->prefill_tokens_per_s,
                              speed->decode_tokens_per_s,
                              speed->output_tokens_per_s,
                              speed->ttft_ms,
                              speed->tpot_ms,
                              speed->request_s,
                              speed->requests_per_s,
                              speed->batch};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        HOLDS(nan_or_at_least_0(figures[i]));
    HOLDS(speed->replicas >= 1);
    if (isnan(speed->tokens_per_s))
        return; /* no published rates of this card */
    HOLDS(speed->tokens_per_s > 0);
    HOLDS(speed->low_tokens_per_s <= speed->tokens_per_s && speed->low_tokens_per_s > 0);
    HOLDS(speed->high_tokens_per_s >= speed->tokens_per_s && isfinite(speed->high_tokens_per_s));
    HOLDS(nearly(speed->tokens_per_s_per_gpu * hardware->gpus, speed->tokens_per_s));
    HOLDS(!isnan(speed->tpot_ms) || speed->calibrated || !(speed->mfu > MOST_MFU));
    for (int i = 0; i < TERM_COUNT; i++) {
        HOLDS(speed->terms_s[i] >= 0);
        sum += speed->terms_s[i];
    }
    HOLDS(nearly(sum, speed->step_s));
}

static void layout_holds(const struct layout *layout, const struct hardware *hardware)
{
    HOLDS(hardware->gpus >= 1 && hardware->nodes >= 1 && hardware->gpus_per_node >= 1);
    HOLDS(layout->tp * layout->pp * layout->cp * layout->dp == hardware->gpus);
    HOLDS(layout->tp * layout->cp * layout->dp % layout->ep == 0);
    HOLDS(layout->ep >= 1 && layout->vp >= 1 && layout->micro_batch >= 1 &&
          layout->micro_batches >= 1);
}

static void offer_holds(const struct offer *offer)
{
    memory_holds(&offer->memory);
    speed_holds(&offer->speed, &offer->hardware);
    layout_holds(&offer->layout, &offer->hardware);
    for (int i = 0; i < 3; i++)
        HOLDS(nan_or_at_least_0(offer->hours[i]));
    HOLDS(!(offer->hours[0] > offer->hours[1]) && !(offer->hours[1] > offer->hours[2]));
}

/* ---- the properties ------------------------------------------------------------------------ */

static void no_answer_of_an_estimate_is_absurd(void **state)
{
    (void)state;
    int answered = 0;
    drawn_begin(1);
    for (int i = 0; i < ESTIMATES; i++) {
        struct scenario scenario;
        struct offer offer;
        struct job job;
        struct error error;
        draw(&scenario);
        if (!estimate_compute(&catalog, &constants, &scenario, scratch, &offer, &job, &error))
            continue;
        answered++;
        offer_holds(&offer);
    }
    assert_true(answered > ESTIMATES / 4);
}

/* The row of a plan and the estimate of its instance, machines and region are the same answer. */
static void expect_same_answer(const struct scenario *scenario, const struct offer *row)
{
    struct scenario named = *scenario;
    struct offer offer;
    struct job job;
    struct error error;
    if (row->hardware.apart ||
        !scenario_set(&named, FIELD_INSTANCE, row->instance->type, &catalog, scratch, &error) ||
        !scenario_set(&named, FIELD_NODES, arena_printf(scratch, "%d", row->nodes), &catalog,
                      scratch, &error))
        return;
    HOLDS(estimate_compute(&catalog, &constants, &named, scratch, &offer, &job, &error));
    HOLDS(nearly(offer.memory.need_gib, row->memory.need_gib));
    HOLDS(offer.memory.verdict == row->memory.verdict);
    HOLDS(isnan(row->speed.tokens_per_s) ||
          nearly(offer.speed.tokens_per_s, row->speed.tokens_per_s));
    HOLDS(offer.layout.tp == row->layout.tp && offer.layout.pp == row->layout.pp);
}

static void no_row_of_a_plan_is_absurd(void **state)
{
    (void)state;
    size_t rows = 0;
    drawn_begin(2);
    for (int i = 0; i < PLANS; i++) {
        struct scenario scenario;
        struct plan plan;
        struct error error;
        draw(&scenario);
        if (!plan_compute(&catalog, &constants, &scenario, "2026-12-01", &plan, &error))
            continue;
        for (size_t k = 0; k < plan.offer_count; k++) {
            const struct offer *offer = &plan.offers[k];
            offer_holds(offer);
            HOLDS(offer->memory.verdict != VERDICT_NO);
        }
        HOLDS(plan.excluded_count + plan.offer_count >= (size_t)plan.types);
        if (plan.offer_count > 0)
            expect_same_answer(&scenario, &plan.offers[drawn_below(plan.offer_count)]);
        rows += plan.offer_count;
        plan_clear(&plan);
    }
    assert_true(rows > PLANS);
}

/* Runs of the user's own move the middle, whatever they measured. */
static void no_calibrated_answer_is_absurd(void **state)
{
    (void)state;
    struct constants own = constants;
    struct calibration run = {.date = "2026-01-01"};
    own.calibrations = &run;
    own.calibration_count = 1;
    drawn_begin(3);
    int answered = 0;
    for (int i = 0; i < ESTIMATES / 4; i++) {
        struct scenario scenario;
        struct offer offer;
        struct job job;
        struct error error;
        draw(&scenario);
        if (!estimate_compute(&catalog, &constants, &scenario, scratch, &offer, &job, &error))
            continue;
        run.stack =
            job.workload == WORKLOAD_INFERENCE ? engine_names[job.engine] : stack_names[job.stack];
        run.gpu = offer.hardware.gpu->id;
        run.memory_ratio = drawn_between(0.1, 10);
        run.speed_ratio = drawn_between(0.1, 10);
        if (!estimate_compute(&catalog, &own, &scenario, scratch, &offer, &job, &error))
            continue;
        answered++;
        offer_holds(&offer);
    }
    assert_true(answered > ESTIMATES / 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_answer_of_an_estimate_is_absurd),
        cmocka_unit_test(no_row_of_a_plan_is_absurd),
        cmocka_unit_test(no_calibrated_answer_is_absurd),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
