/* What must hold of every answer whatever the questions: scenarios drawn at random from the table
 * of questions, presets and made-up shapes alike, put through the estimate and the plan. Nothing
 * here knows a single figure. The draws are the same in every run. */
#include "tests/test.h"

#include <string.h>
#include "engine/offers.h"
#include "tests/fixture.h"

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

/* ---- drawing ------------------------------------------------------------------------------- */

static uint64_t seed;

/* splitmix64 (Steele et al. 2014): the same numbers on every machine. */
static uint64_t next_bits(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t count)
{
    return (size_t)(next_bits() % count);
}

static bool one_in(size_t count)
{
    return below(count) == 0;
}

/* Between the limits on a logarithmic scale; the limits themselves now and then. */
static double between(double low, double high)
{
    size_t edge = below(12);
    if (edge < 2)
        return edge ? high : low;
    double from = low > 0 ? log(low) : 0;
    return exp(from + (log(high) - from) * (double)(next_bits() >> 11) * 0x1p-53);
}

static int power_of_two(int most)
{
    return 1 << below((size_t)most + 1);
}

static bool set(struct scenario *scenario, enum field_id id, const char *text)
{
    struct error error;
    return scenario_set(scenario, id, text, &catalog, scratch, &error);
}

static const char *some_id(enum field_id id)
{
    switch (id) {
    case FIELD_MODEL:
        return catalog.models[below(catalog.model_count)].id;
    case FIELD_WEIGHTS:
        return catalog.formats[below(catalog.format_count)].id;
    case FIELD_GPU:
        return catalog.gpus[below(catalog.gpu_count)].id;
    case FIELD_INSTANCE:
        return catalog.instances[below(catalog.instance_count)].type;
    default:
        return NULL; /* regions and disks are a matter of prices */
    }
}

static const char *some_value(const struct field *field)
{
    static const enum field_id splits[] = {FIELD_TP,   FIELD_PP,    FIELD_VP,
                                           FIELD_CP,   FIELD_EP,    FIELD_DP,
                                           FIELD_GPUS, FIELD_NODES, FIELD_GPUS_PER_NODE};
    size_t count = 0;
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        if (field_id(field) == splits[i])
            return arena_printf(scratch, "%d", one_in(5) ? (int)below(12) + 1 : power_of_two(6));
    switch (field->kind) {
    case FIELD_KIND_BOOL:
        return one_in(2) ? "yes" : "no";
    case FIELD_KIND_INT:
        return arena_printf(scratch, "%.0f", between(field->minimum, field->maximum));
    case FIELD_KIND_NUMBER:
        return arena_printf(scratch, "%.6g", between(field->minimum, field->maximum));
    case FIELD_KIND_ID:
        return some_id(field_id(field));
    case FIELD_KIND_CHOICE:
    case FIELD_KIND_FLAGS:
        while (field->choices[count])
            count++;
        return field->choices[below(count)];
    case FIELD_KIND_MAP:
        break;
    }
    return NULL;
}

/* A shape of one layer or many, dense or of experts, grouped, latent, hybrid or with local layers.
 */
static const char *some_shape(void)
{
    int kv_heads = power_of_two(4), heads = kv_heads * power_of_two(3), head_dim = 8 << below(5);
    int layers = one_in(3) ? 1 : (int)below(99) + 1;
    const char *attention = "", *moe = "";
    switch (below(5)) {
    case 0:
        attention =
            arena_printf(scratch,
                         ", attention: {kv_lora_rank: %d, q_lora_rank: %d, "
                         "qk_nope_head_dim: %d, qk_rope_head_dim: 8, v_head_dim: %d}",
                         power_of_two(9), one_in(2) ? 0 : power_of_two(10), head_dim, head_dim);
        break;
    case 1:
        attention = arena_printf(scratch,
                                 ", attention: {linear: gated-deltanet, full_attention_every: %d, "
                                 "linear_key_heads: %d, linear_value_heads: %d, "
                                 "linear_key_dim: 16, linear_value_dim: 32, linear_conv: 4}",
                                 (int)below(6) + 1, power_of_two(5), power_of_two(5));
        break;
    case 2:
        attention = arena_printf(scratch, ", attention: {window: %d, local_layers: %d}",
                                 power_of_two(14), (int)below((size_t)layers) + 1);
        break;
    default:
        break;
    }
    if (one_in(2))
        moe = arena_printf(scratch,
                           ", moe: {experts: %d, top_k: 1, ffn_size: %d, shared_ffn_size: %d, "
                           "every: %d, first_dense: %d}",
                           power_of_two(8), power_of_two(12), one_in(2) ? 0 : 64, (int)below(3) + 1,
                           (int)below((size_t)layers + 1));
    return arena_printf(scratch,
                        "{layers: %d, hidden_size: %d, heads: %d, kv_heads: %d, head_dim: %d, "
                        "ffn_size: %d, vocab_size: %d, tied_embeddings: %s, ffn_gated: %s%s%s%s}",
                        layers, power_of_two(14), heads, kv_heads, head_dim, power_of_two(15),
                        one_in(3) ? 1 : power_of_two(18), one_in(2) ? "yes" : "no",
                        one_in(2) ? "yes" : "no", one_in(2) ? "" : ", max_context: 1", attention,
                        moe);
}

/* Which model, then every other question with the same chance. */
static void draw(struct scenario *scenario)
{
    arena_reset(scratch);
    *scenario = (struct scenario){0};
    set(scenario, FIELD_WORKLOAD, workload_names[below(4)]);
    switch (below(4)) {
    case 0:
        set(scenario, FIELD_PARAMS_B, some_value(&fields[FIELD_PARAMS_B]));
        break;
    case 1:
        set(scenario, FIELD_ARCHITECTURE, some_shape());
        break;
    default:
        set(scenario, FIELD_MODEL, some_id(FIELD_MODEL));
    }
    size_t rarity = 3 + below(12);
    for (int i = FIELD_PRECISION; i < FIELD_COUNT; i++) {
        bool hardware = (i == FIELD_GPU || i == FIELD_INSTANCE);
        const char *value = one_in(hardware ? 3 : rarity) ? some_value(&fields[i]) : NULL;
        struct scenario before = *scenario;
        struct error error;
        if (value && field_applies((enum field_id)i, scenario) &&
            (!set(scenario, (enum field_id)i, value) ||
             !scenario_check(scenario, &catalog, NULL, &error)))
            *scenario = before; /* contradicts what was drawn before */
    }
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
    seed = 1;
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
    if (row->hardware.apart || !set(&named, FIELD_INSTANCE, row->instance->type) ||
        !set(&named, FIELD_NODES, arena_printf(scratch, "%d", row->nodes)))
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
    seed = 2;
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
            expect_same_answer(&scenario, &plan.offers[below(plan.offer_count)]);
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
    seed = 3;
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
        run.memory_ratio = between(0.1, 10);
        run.speed_ratio = between(0.1, 10);
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
