#include "tests/test.h"

#include <string.h>
#include "base/units.h"
#include "engine/memory.h"
#include "tests/fixture.h"

/* What holds for every stack, precision, optimizer, ZeRO stage, recomputation and offload, without
 * knowing a single figure. */

static const char *const jobs[] = {"pretrain llama-3.1-8b bf16",  "pretrain qwen3-30b-a3b bf16",
                                   "full qwen2.5-7b bf16",        "full mixtral-8x7b bf16",
                                   "lora llama-3.1-70b bf16",     "lora qwen2.5-7b nf4",
                                   "lora qwen3-30b-a3b gptq-int4"};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* One point of the grid, and the estimate there. */
struct point {
    struct job job;
    struct hardware hardware;
    struct layout layout;
};

static struct memory memory_at(const struct point *point)
{
    return memory_estimate(&point->job, &point->hardware, &point->layout, &constants);
}

static void describe(const struct point *point, char *text, size_t size)
{
    const struct layout *layout = &point->layout;
    snprintf(
        text, size, "%s %s %s %s %s zero %d, recompute %s, offload %s, %d GPUs, %g tokens, rank %d",
        workload_names[point->job.workload], point->job.model->id, stack_names[point->job.stack],
        precision_names[point->job.precision], optimizer_names[point->job.optimizer], layout->zero,
        recompute_names[layout->recompute], offload_names[layout->offload], point->hardware.gpus,
        point->job.seq_len, point->job.lora_rank);
}

static void set_gpus(struct point *point, int gpus)
{
    point->hardware.gpus = gpus;
    point->hardware.gpus_per_node = gpus < 8 ? gpus : 8;
    point->hardware.nodes = (gpus + 7) / 8;
    point->layout.dp = gpus;
}

/* "workload model weights" on a stack, on eight H100. */
static void start(struct point *point, struct scenario *scenario, const char *words,
                  enum stack stack)
{
    char text[120], workload[20], model[60], weights[20];
    struct error error = {0};
    snprintf(text, sizeof text, "%s", words);
    if (sscanf(text, "%19s %59s %19s", workload, model, weights) != 3)
        fail_msg("%s", words);
    const char *pairs[] = {arena_printf(arena, "workload=%s", workload),
                           arena_printf(arena, "model=%s", model),
                           arena_printf(arena, "weights=%s", weights),
                           "gpu=h100-80",
                           "gpus=8",
                           arena_printf(arena, "stack=%s", stack_names[stack])};
    *scenario = (struct scenario){0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if ((i != 2 || strcmp(workload, "lora") == 0) &&
            !scenario_set_pair(scenario, pairs[i], &catalog, arena, &error))
            fail_msg("%s: %s", pairs[i], error.message);
    if (!job_resolve(scenario, &catalog, arena, &point->job, &error) ||
        !hardware_pinned(&point->job, &point->hardware, &error))
        fail_msg("%s: %s", words, error.message);
    point->layout = (struct layout){.tp = 1,
                                    .pp = 1,
                                    .vp = 1,
                                    .cp = 1,
                                    .ep = 1,
                                    .dp = 8,
                                    .micro_batch = 1,
                                    .micro_batches = 8,
                                    .flash_attention = true};
}

/* Calls `check` at every point of the grid. */
static void everywhere(void (*check)(struct point *))
{
    struct scenario scenario;
    for (enum stack stack = 0; stack < STACK_COUNT; stack++)
        for (int j = 0; j < JOBS; j++) {
            struct point start_point;
            start(&start_point, &scenario, jobs[j], stack);
            for (int precision = 0; precision_names[precision]; precision++)
                for (int optimizer = 0; optimizer_names[optimizer]; optimizer++)
                    for (int zero = 0; zero <= 3; zero++)
                        for (int recompute = 0; recompute_names[recompute]; recompute++)
                            for (int offload = 0; offload_names[offload]; offload++) {
                                struct point point = start_point;
                                point.job.precision = (enum precision)precision;
                                point.job.optimizer = (enum optimizer)optimizer;
                                point.layout.zero = zero;
                                point.layout.recompute = (enum recompute)recompute;
                                point.layout.offload = (enum offload)offload;
                                check(&point);
                            }
        }
}

/* Fails unless the second needs no more than the first. */
static void expect_no_more(const char *why, const struct point *point, double more, double less)
{
    char text[300];
    describe(point, text, sizeof text);
    if (!(less <= more * (1 + 1e-12)))
        fail_msg("%s: %s: %.6f GiB, then %.6f", why, text, more, less);
}

/* ---- the properties ------------------------------------------------------------------------ */

static void check_sums(struct point *point)
{
    struct memory memory = memory_at(point);
    double sum = 0, copies = 0, highest = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        expect_no_more("no component is negative", point, memory.components_gib[i], 0);
        expect_no_more("copies are part of it", point, memory.components_gib[i],
                       memory.replicated_gib[i]);
        sum += memory.components_gib[i];
        copies += memory.replicated_gib[i];
    }
    for (int i = 0; i < PEAK_COUNT; i++)
        highest = fmax(highest, memory.peaks_gib[i]);
    assert_near(sum, memory.need_gib, 1e-9);
    assert_near(copies, memory.replicated_total_gib, 1e-9);
    assert_near(highest, memory.need_gib, 1e-9);
    expect_no_more("low", point, memory.need_gib, memory.low_gib);
    expect_no_more("high", point, memory.high_gib, memory.need_gib);
    expect_no_more("states", point, memory.need_gib, memory.model_states_gib);
    assert_true(memory.low_gib > 0 && memory.host_ram_gib > 0);
}

static void components_sum_to_the_need_inside_its_band(void **state)
{
    (void)state;
    everywhere(check_sums);
}

static void check_gpus(struct point *point)
{
    if (point->layout.zero == 0)
        return;
    double before = INFINITY;
    for (int gpus = 2; gpus <= 64; gpus *= 2) {
        set_gpus(point, gpus);
        double need = memory_at(point).need_gib;
        expect_no_more("more GPUs", point, before, need);
        before = need;
    }
}

static void more_gpus_under_zero_never_need_more_each(void **state)
{
    (void)state;
    everywhere(check_gpus);
}

static void check_stages(struct point *point)
{
    if (point->layout.zero > 0)
        return;
    double before = INFINITY;
    for (int zero = 0; zero <= 3; zero++) {
        point->layout.zero = zero;
        double states = memory_at(point).model_states_gib;
        expect_no_more("a higher stage", point, before, states);
        before = states;
    }
}

static void a_higher_zero_stage_never_keeps_more_states(void **state)
{
    (void)state;
    everywhere(check_stages);
}

static void check_length(struct point *point)
{
    struct memory before = {0};
    for (double tokens = 64; tokens <= 262144; tokens *= 2) {
        point->job.seq_len = tokens;
        struct memory memory = memory_at(point);
        expect_no_more("longer", point, memory.need_gib, before.need_gib);
        expect_no_more("longer, at most", point, memory.high_gib, before.high_gib);
        before = memory;
    }
    point->job.seq_len = 2048;
    before = memory_at(point);
    point->layout.micro_batch = 2;
    expect_no_more("two at a time", point, memory_at(point).need_gib, before.need_gib);
}

static void more_tokens_never_need_less(void **state)
{
    (void)state;
    everywhere(check_length);
}

static void check_recompute(struct point *point)
{
    /* with activations offloaded two layers are on the card in any case */
    if (point->layout.recompute != RECOMPUTE_NONE || point->layout.offload == OFFLOAD_ACTIVATIONS)
        return;
    double before = INFINITY;
    for (enum recompute recompute = RECOMPUTE_NONE; recompute <= RECOMPUTE_FULL; recompute++) {
        point->layout.recompute = recompute;
        double need = memory_at(point).need_gib;
        expect_no_more("more is recomputed", point, before, need);
        before = need;
    }
}

static void recomputation_never_needs_more(void **state)
{
    (void)state;
    everywhere(check_recompute);
}

static void check_rank(struct point *point)
{
    if (point->job.workload != WORKLOAD_LORA)
        return;
    double before = 0;
    for (int rank = 1; rank <= 256; rank *= 4) {
        point->job.lora_rank = rank;
        struct memory memory = memory_at(point);
        expect_no_more("a higher rank", point, memory.need_gib, before);
        before = memory.need_gib;
    }
}

static void a_higher_rank_never_needs_less(void **state)
{
    (void)state;
    everywhere(check_rank);
}

static void check_offload(struct point *point)
{
    if (point->layout.offload != OFFLOAD_NONE)
        return;
    struct memory kept = memory_at(point);
    for (enum offload offload = OFFLOAD_OPTIMIZER; offload_names[offload]; offload++) {
        point->layout.offload = offload;
        struct memory moved = memory_at(point);
        expect_no_more("states move", point, kept.model_states_gib, moved.model_states_gib);
        expect_no_more("into host memory", point, moved.host_ram_gib, kept.host_ram_gib);
        if (offload != OFFLOAD_PARAMS) /* which gathers what it fetches, even on one GPU */
            expect_no_more("offload", point, kept.need_gib, moved.need_gib);
    }
}

static void offload_moves_memory_to_the_host(void **state)
{
    (void)state;
    everywhere(check_offload);
}

/* Mixed precision with AdamW on N GPUs: 2 bytes of weights, g of gradients, 12 of optimizer, split
 * from stage 3, 2 and 1 on (ZeRO, arXiv 1910.02054, section 5). */
static void check_states(struct point *point)
{
    const struct stack_constants *stack = &constants.stack[point->job.stack];
    double n = point->hardware.gpus, p = (double)point->job.params.total;
    int zero = point->layout.zero;
    if (point->job.workload == WORKLOAD_LORA || point->job.precision != PRECISION_BF16_MIXED ||
        point->job.optimizer != OPTIMIZER_ADAMW || point->layout.offload != OFFLOAD_NONE ||
        point->job.model->tied_embeddings || point->job.params.experts > 0)
        return;
    double bytes = 2 * p / (zero >= 3 ? n : 1) + stack->gradient_bytes * p / (zero >= 2 ? n : 1) +
                   12 * p / (zero >= 1 ? n : 1);
    assert_near(memory_at(point).model_states_gib * GIB, bytes, 1e-9);
}

static void states_are_those_of_the_zero_paper(void **state)
{
    (void)state;
    everywhere(check_states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_sum_to_the_need_inside_its_band),
        cmocka_unit_test(more_gpus_under_zero_never_need_more_each),
        cmocka_unit_test(a_higher_zero_stage_never_keeps_more_states),
        cmocka_unit_test(more_tokens_never_need_less),
        cmocka_unit_test(recomputation_never_needs_more),
        cmocka_unit_test(a_higher_rank_never_needs_less),
        cmocka_unit_test(offload_moves_memory_to_the_host),
        cmocka_unit_test(states_are_those_of_the_zero_paper),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
