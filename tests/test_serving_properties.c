/* What must hold of every served model on every card, whatever the constants are: the whole catalog
 * of GPUs with six models of different kinds, every engine and the formats that it reads. */
#include <math.h>
#include <stdio.h>
#include "engine/memory_parts.h"
#include "tests/serving_fixture.h"

static const char *const model_ids[] = {"llama-3.1-8b", "qwen2.5-72b",  "deepseek-v3",
                                        "gemma-3-27b",  "gpt-oss-120b", "qwen3-next-80b-a3b"};
static const char *const format_ids[] = {"bf16", "fp16", "fp8", "awq-int4", "nf4", "gguf-q4_k_m"};
static const char *const group_sizes[] = {"1", "8"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One setting; what fails says which. */
struct setting {
    struct served served;
    char name[120];
};

typedef void (*property)(const struct setting *setting);

#define HOLDS(setting, claim)                                                                      \
    do {                                                                                           \
        if (!(claim))                                                                              \
            fail_msg("%s: not so: %s", (setting)->name, #claim);                                   \
    } while (0)

/* False where the engine does not read the format or the model cannot be split. */
static bool set_up(struct setting *setting, const char *gpu, const char *model, const char *engine,
                   const char *format, const char *gpus)
{
    struct served *served = &setting->served;
    const char *pairs[] = {"workload=inference",
                           "input_len=1024",
                           "output_len=512",
                           "context=4096",
                           arena_printf(served->arena, "gpu=%s", gpu),
                           arena_printf(served->arena, "gpus=%s", gpus),
                           arena_printf(served->arena, "tp=%s", gpus),
                           arena_printf(served->arena, "model=%s", model),
                           arena_printf(served->arena, "engine=%s", engine),
                           arena_printf(served->arena, "weights=%s", format)};
    struct error error;
    served->scenario = (struct scenario){0};
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (!scenario_set_pair(&served->scenario, pairs[i], &served->catalog, served->arena,
                               &error))
            fail_msg("%s: %s", pairs[i], error.message);
    if (!job_resolve(&served->scenario, &served->catalog, served->arena, &served->job, &error) ||
        !hardware_pinned(&served->job, &served->hardware, &error))
        return false;
    int tp = (int)served->scenario.tp;
    served->layout = (struct layout){.tp = tp, .pp = 1, .cp = 1, .ep = 1, .dp = 1, .vp = 1};
    snprintf(setting->name, sizeof setting->name, "%s %s %s %s x%s", gpu, model, engine, format,
             gpus);
    served_recompute(served);
    return true;
}

/* `holds` of every setting; each in an arena that is emptied after a card. */
static void for_all(property holds)
{
    struct arena *kept = arena_new(), *arena = arena_new();
    static struct setting setting;
    struct error error;
    int count = 0;
    setting.served = (struct served){.arena = kept};
    assert_true(catalog_load(NULL, &setting.served.catalog, &error));
    assert_true(constants_load(NULL, kept, &setting.served.constants, &error));
    setting.served.arena = arena;
    for (size_t g = 0; g < setting.served.catalog.gpu_count; g++) {
        for (size_t m = 0; m < COUNT(model_ids); m++)
            for (int e = 0; e < ENGINE_COUNT; e++)
                for (size_t f = 0; f < COUNT(format_ids); f++)
                    for (size_t n = 0; n < COUNT(group_sizes); n++)
                        if (set_up(&setting, setting.served.catalog.gpus[g].id, model_ids[m],
                                   engine_names[e], format_ids[f], group_sizes[n])) {
                            holds(&setting);
                            count++;
                        }
        arena_reset(arena);
    }
    assert_true(count > 5000);
    catalog_clear(&setting.served.catalog);
    arena_free(arena);
    arena_free(kept);
}

static struct serving serving_of(const struct served *served)
{
    return serving_on(&served->job, &served->hardware, &served->layout, &served->constants);
}

static bool speeds_known(const struct served *served)
{
    return serving_of(served).known;
}

static void has_every_figure(const struct setting *setting)
{
    const struct memory *memory = &setting->served.memory;
    const struct speed *speed = &setting->served.speed;
    HOLDS(setting, isfinite(memory->need_gib) && memory->need_gib > 0);
    HOLDS(setting, isfinite(memory->kv_tokens) && memory->kv_tokens >= 0);
    HOLDS(setting, isfinite(memory->max_concurrency));
    for (int i = 0; i < COMPONENT_COUNT; i++)
        HOLDS(setting, memory->components_gib[i] >= 0 &&
                           memory->replicated_gib[i] <= memory->components_gib[i] * (1 + 1e-9));
    if (!speeds_known(&setting->served))
        return;
    HOLDS(setting, speed->decode_tokens_per_s > 0 && speed->output_tokens_per_s > 0);
    HOLDS(setting, speed->tpot_ms > 0 && speed->step_s > 0 && isfinite(speed->request_s));
    bool prompts = setting->served.job.engine != ENGINE_LLAMA_CPP;
    HOLDS(setting, prompts == (speed->ttft_ms > 0) && prompts == (speed->prefill_tokens_per_s > 0));
}

static void no_known_card_is_without_a_figure(void **state)
{
    (void)state;
    for_all(has_every_figure);
}

static void bands_hold_their_estimate(const struct setting *setting)
{
    const struct memory *memory = &setting->served.memory;
    const struct speed *speed = &setting->served.speed;
    HOLDS(setting, memory->low_gib <= memory->need_gib && memory->need_gib <= memory->high_gib);
    if (!speeds_known(&setting->served))
        return;
    HOLDS(setting, 0 < speed->low_tokens_per_s && speed->low_tokens_per_s < speed->tokens_per_s);
    HOLDS(setting, speed->tokens_per_s < speed->high_tokens_per_s);
    double half = speed->high_tokens_per_s / speed->tokens_per_s - 1;
    HOLDS(setting, speed->measured ? half <= 0.2 : half > 0.3);
}

static void estimates_lie_in_their_bands_and_unmeasured_ones_in_wider_bands(void **state)
{
    (void)state;
    for_all(bands_hold_their_estimate);
}

/* Nothing is read faster than the sheet's bandwidth nor multiplied faster than its highest rate. */
static void stays_below_the_roofline(const struct setting *setting)
{
    const struct served *served = &setting->served;
    const struct gpu *gpu = served->hardware.gpu;
    struct serving serving = serving_of(served);
    if (!serving.known)
        return;
    double tp = served->layout.tp, bytes = gpu->bandwidth_gbs * 1e9;
    double peak =
        fmax(fmax(gpu->fp16_tflops, gpu->fp32_tflops), fmax(gpu->fp8_tflops, gpu->int8_tops));
    for (double batch = 1; batch <= 1024; batch *= 8) {
        double step = serving_step_s(&serving, batch, 2000, NULL);
        double read = serving_read_bytes(&served->job, batch) / tp;
        double cache = batch * model_kv_bytes(served->job.model, 2000, served->job.kv_element_bytes,
                                              served->layout.tp);
        double flops = 2 * (double)served->job.params.matmul_active * batch / tp;
        HOLDS(setting, step > (read + cache) / bytes);
        HOLDS(setting, step > flops / (peak * 1e12));
    }
    double prompt = 2.0 * ((double)served->job.params.matmul_active -
                           (double)served->job.model->vocab_size * served->job.model->hidden_size);
    double prefill = serving_prefill_s(&serving, 4096);
    HOLDS(setting, isnan(prefill) || prefill > prompt * 4096 / tp / (peak * 1e12));
}

static void nothing_is_faster_than_the_roofline(void **state)
{
    (void)state;
    for_all(stays_below_the_roofline);
}

static void grows_with_the_load(const struct setting *setting)
{
    struct serving serving = serving_of(&setting->served);
    if (!serving.known)
        return;
    double step = 0, rate = 0, longer = 0, prefill = 0;
    for (double batch = 1; batch <= 512; batch *= 4) {
        struct serving_load load = serving_at(&serving, batch);
        HOLDS(setting, load.step_s >= step * (1 - 1e-9) && load.tpot_s >= load.step_s);
        HOLDS(setting, load.output_tokens_per_s >= rate * (1 - 1e-9));
        step = load.step_s;
        rate = load.output_tokens_per_s;
    }
    for (double tokens = 128; tokens <= 131072; tokens *= 4) {
        double now = serving_step_s(&serving, 8, tokens, NULL);
        HOLDS(setting, now >= longer * (1 - 1e-9));
        longer = now;
        double first = serving_prefill_s(&serving, tokens);
        HOLDS(setting, isnan(first) || first >= prefill);
        prefill = isnan(first) ? 0 : first;
    }
}

static void longer_batches_and_contexts_take_longer(void **state)
{
    (void)state;
    for_all(grows_with_the_load);
}

static void gains_from_bandwidth(const struct setting *setting)
{
    struct served faster = setting->served;
    struct gpu gpu = *setting->served.hardware.gpu;
    if (!speeds_known(&setting->served))
        return;
    gpu.bandwidth_gbs *= 1.5;
    faster.hardware.gpu = &gpu;
    served_recompute(&faster);
    HOLDS(setting, faster.speed.tpot_ms <= setting->served.speed.tpot_ms * (1 + 1e-9));
    HOLDS(setting, !(faster.speed.ttft_ms > setting->served.speed.ttft_ms * (1 + 1e-9)));
    HOLDS(setting, faster.memory.need_gib == setting->served.memory.need_gib);
}

static void more_bandwidth_is_never_slower(void **state)
{
    (void)state;
    for_all(gains_from_bandwidth);
}

/* Twice the context: more cache for a sequence, not more sequences; half of the card: a smaller
 * pool. An engine whose limits must be turned down takes the whole card, which may give more. */
static enum limits limits_of(const struct served *served)
{
    return serving_parts(&served->job, &served->hardware, &served->layout, &served->constants)
        .limits;
}

static void pays_for_context(const struct setting *setting)
{
    struct served longer = setting->served, smaller = setting->served;
    const struct memory *memory = &setting->served.memory;
    longer.job.context *= 2;
    served_recompute(&longer);
    if (limits_of(&longer) != limits_of(&setting->served))
        return;
    HOLDS(setting, longer.memory.components_gib[COMPONENT_KV_CACHE] >=
                       memory->components_gib[COMPONENT_KV_CACHE] * (1 - 1e-9));
    HOLDS(setting, longer.memory.max_concurrency <= memory->max_concurrency * (1 + 1e-9));
    smaller.hardware.usable_gib /= 2;
    served_recompute(&smaller);
    HOLDS(setting, smaller.memory.verdict >= memory->verdict);
    if (limits_of(&smaller) != limits_of(&setting->served))
        return;
    HOLDS(setting, smaller.memory.kv_tokens <= memory->kv_tokens);
}

static void context_costs_memory_and_less_memory_holds_less(void **state)
{
    (void)state;
    for_all(pays_for_context);
}

TEST_MAIN(cmocka_unit_test(no_known_card_is_without_a_figure),
          cmocka_unit_test(estimates_lie_in_their_bands_and_unmeasured_ones_in_wider_bands),
          cmocka_unit_test(nothing_is_faster_than_the_roofline),
          cmocka_unit_test(longer_batches_and_contexts_take_longer),
          cmocka_unit_test(more_bandwidth_is_never_slower),
          cmocka_unit_test(context_costs_memory_and_less_memory_holds_less))
