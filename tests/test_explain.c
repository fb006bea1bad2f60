#include "tests/test.h"

#include <string.h>
#include "base/arith.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/explain.h"
#include "tests/drawn.h"

struct given {
    struct scenario scenario;
    struct job job;
    struct offer offer;
    struct explain_input input;
};

static struct scenario scenario_of(const char *pairs)
{
    struct scenario scenario = {0};
    struct error error = {0};
    char text[800], *rest = arena_strdup(arena, pairs);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));)
        if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
            fail_msg("%s", error_text(&error, text, sizeof text));
    return scenario;
}

static struct given *estimate(const char *pairs)
{
    struct given *given = ARENA_NEW(arena, struct given);
    struct error error = {0};
    char text[800];
    given->scenario = scenario_of(pairs);
    if (!estimate_compute(&catalog, &constants, &given->scenario, arena, &given->offer, &given->job,
                          &error))
        fail_msg("%s: %s", pairs, error_text(&error, text, sizeof text));
    given->input = (struct explain_input){.catalog = &catalog,
                                          .constants = &constants,
                                          .job = &given->job,
                                          .offer = &given->offer,
                                          .today = "2026-12-01"};
    return given;
}

static struct explanation explained(const char *pairs, const char *id)
{
    struct given *given = estimate(pairs);
    return explain(&given->input, explain_topic_find(id), arena);
}

/* The text of the first line of a part that contains `word`; NULL when there is none. */
static const char *find_line(const struct explanation *explanation, enum explain_part part,
                             const char *word)
{
    for (const struct explain_line *line = explanation->first; line; line = line->next)
        if (line->part == part && strstr(line->text, word))
            return line->text;
    return NULL;
}

/* ---- every topic of every kind of job ------------------------------------------------------- */

static int wrong; /* told one by one, so that a run shows all of them */

/* "a x b = 3.20 GiB": the expression comes to what stands behind the equals sign. */
static void check_numbers(const char *pairs, const char *id, const struct explain_line *line)
{
    char got[EXPLAIN_FIGURE], expression[600];
    const char *equals = strstr(line->text, " = ");
    double value = NAN;
    assert_non_null(equals);
    snprintf(expression, sizeof expression, "%.*s", (int)(equals - line->text), line->text);
    if (!arith_evaluate(expression, &value))
        wrong++, print_error("%s, %s: cannot work out \"%s\"\n", pairs, id, line->text);
    else if (strcmp(explain_figure(value, line->unit, got), equals + 3) != 0 &&
             fabs(value - line->result) > 1e-9 * fabs(line->result)) /* halves round either way */
        wrong++, print_error("%s, %s: \"%s\" comes to %s\n", pairs, id, line->text, got);
}

static void check_topic(const char *pairs, const struct given *given,
                        const struct explain_topic *topic)
{
    struct explanation explanation = explain(&given->input, topic, arena);
    bool shown =
        topic->group == EXPLAIN_OF_MONEY || isnan(explanation.figure) || explanation.figure == 0;
    char figure[EXPLAIN_FIGURE], got[EXPLAIN_FIGURE];
    assert_non_null(explanation.first);
    explain_figure(explanation.figure, explanation.unit, figure);
    for (const struct explain_line *line = explanation.first; line; line = line->next) {
        assert_true(*line->text && text_valid(line->text));
        assert_null(strchr(line->text, '\n'));
        assert_null(strchr(line->text, '{'));
        if (line->part != EXPLAIN_NUMBERS)
            continue;
        check_numbers(pairs, topic->id, line);
        shown |= strcmp(explain_figure(line->result, line->unit, got), figure) == 0;
    }
    if (!shown && strcmp(topic->id, "memory.buffers") != 0)
        wrong++, print_error("%s, %s: no line comes to %s\n", pairs, topic->id, figure);
}

static const char *const jobs[] = {
    "workload=full model=llama-3.1-8b gpu=a100-80 precision=bf16-mixed",
    "workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=3",
    "workload=full model=qwen2.5-7b gpu=a10 gpus=8 zero=2 offload=optimizer",
    "workload=full model=llama-2-7b gpu=a100-80 optimizer=lomo",
    "workload=full model=llama-2-7b gpu=h20-96 gpus=16 gpus_per_node=8 zero=1 optimizer=adamw-8bit "
    "recompute=full",
    "workload=pretrain model=llama-3.1-70b gpu=h800-80 gpus=64 gpus_per_node=8 stack=megatron tp=8 "
    "pp=4 tokens_b=1000",
    "workload=pretrain model=llama-3.1-8b gpu=h20-96 gpus=8 tp=2 pp=2 stack=megatron "
    "recompute=none micro_batch=1",
    "workload=pretrain model=mixtral-8x7b gpu=h800-80 gpus=32 gpus_per_node=8 stack=megatron tp=2 "
    "pp=2 ep=8",
    "workload=pretrain model=gpt2-small gpu=v100-32 gpus=1 stack=hf",
    "workload=lora model=qwen2.5-7b gpu=a10 samples=10000 mean_len=700 epochs=3",
    "workload=lora model=qwen2.5-14b gpu=a10 gpus=8 zero=3",
    "workload=lora model=qwen2.5-14b gpu=a10 weights=nf4",
    "workload=lora model=qwen2.5-72b gpu=v100-32 gpus=4 weights=nf4 stack=fsdp zero=3",
    "workload=inference model=llama-3.1-8b gpu=a10 concurrency=4",
    "workload=inference model=qwen2.5-72b gpu=a100-80 gpus=4 tp=4 concurrency=16 ttft_ms=2000",
    "workload=inference model=qwen2.5-72b gpu=a10 gpus=8 pp=8 engine=vllm weights=awq-int4",
    "workload=inference model=deepseek-v3 gpu=h20-96 gpus=16 gpus_per_node=8 weights=fp8 "
    "engine=sglang requests_per_s=2",
    "workload=inference model=gemma-3-27b gpu=a100-80 saturated=yes",
    "workload=inference model=qwen2.5-7b gpu=t4 gpus=2 engine=transformers weights=nf4",
    "workload=inference model=qwen2.5-7b gpu=a10 engine=transformers concurrency=4",
    "workload=pretrain model=qwen3-30b-a3b gpu=h800-80 gpus=8 stack=megatron tp=4 pp=2 ep=2 zero=1",
    "workload=full model=llama-3.1-8b gpu=v100-32 gpus=8 zero=3 flash_attention=yes",
    "workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 tp=2 precision=fp32 stack=nemo",
    "workload=inference model=qwen2.5-7b gpu=a10 engine=llama.cpp weights=gguf-q4_k_m",
};

static void every_topic_of_every_job_comes_to_its_figure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct given *given = estimate(jobs[i]);
        for (int k = 0; k < explain_topic_count; k++)
            check_topic(jobs[i], given, &explain_topics[k]);
    }
    assert_int_equal(wrong, 0);
}

/* Every model of the catalog in every way of training and serving that it can be run in. */
static void every_model_comes_to_its_figures(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "workload=full gpu=a100-80 gpus=8",
        "workload=full gpu=h20-96 gpus=16 gpus_per_node=8",
        "workload=full gpu=v100-32 gpus=8 optimizer=galore",
        "workload=full gpu=a100-80 gpus=8 offload=params zero=3",
        "workload=full gpu=a100-80 gpus=8 offload=activations",
        "workload=full gpu=a100-80 gpus=4 optimizer=lisa recompute=selective",
        "workload=full gpu=a100-80 optimizer=adamw-bf16 precision=bf16 compile=yes",
        "workload=lora gpu=a10 gpus=2",
        "workload=lora gpu=l20 weights=nf4 gpus=4 train_embeddings=yes",
        "workload=lora gpu=a100-80 gpus=8 stack=fsdp weights=nf4 zero=3",
        "workload=pretrain gpu=h800-80 gpus=64 gpus_per_node=8",
        "workload=pretrain gpu=h800-80 gpus=64 gpus_per_node=8 cp=2 seq_len=32768",
        "workload=pretrain gpu=h800-80 gpus=32 gpus_per_node=8 stack=megatron pp=2 tp=4",
        "workload=inference gpu=a10",
        "workload=inference gpu=a100-80 gpus=8 tp=4 requests_per_s=3 ttft_ms=3000",
        "workload=inference gpu=a100-80 gpus=4 pp=4 tpot_ms=40 concurrency=64",
        "workload=inference gpu=h20-96 gpus=16 gpus_per_node=8 engine=sglang saturated=yes",
        "workload=inference gpu=a10 gpus=4 engine=lmdeploy weights=awq-int4",
        "workload=inference gpu=l20 gpus=2 engine=tensorrt-llm weights=fp8",
        "workload=inference gpu=a10 gpus=2 engine=transformers weights=nf4",
        "workload=inference gpu=a10 gpus=2 engine=llama.cpp weights=gguf-q4_k_m",
    };
    int estimates = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (size_t k = 0; k < catalog.model_count; k++) {
            struct given *given = ARENA_NEW(arena, struct given);
            struct error error = {0};
            given->scenario = scenario_of(ways[i]);
            assert_true(scenario_set(&given->scenario, FIELD_MODEL, catalog.models[k].id, &catalog,
                                     arena, &error));
            if (!estimate_compute(&catalog, &constants, &given->scenario, arena, &given->offer,
                                  &given->job, &error))
                continue; /* heads that tp does not divide, and the like */
            given->input = (struct explain_input){.catalog = &catalog,
                                                  .constants = &constants,
                                                  .job = &given->job,
                                                  .offer = &given->offer,
                                                  .today = "2026-12-01"};
            for (int t = 0; t < explain_topic_count; t++)
                check_topic(catalog.models[k].id, given, &explain_topics[t]);
            estimates++;
        }
    assert_true(estimates > 1500);
    assert_int_equal(wrong, 0);
}

/* Jobs drawn at random. Beyond thousands of GiB figures have more digits than are printed. */
static void every_topic_of_any_job_comes_to_its_figure(void **state)
{
    (void)state;
    enum { DRAWS = 1500, MOST_GIB = 5000 };
    struct arena *room = arena_new();
    struct strbuf answered = {0};
    drawn_begin(4);
    for (int i = 0; i < DRAWS; i++) {
        struct given given = {0};
        struct error error;
        arena_reset(room);
        drawn_scenario(&given.scenario, room);
        if (!estimate_compute(&catalog, &constants, &given.scenario, room, &given.offer, &given.job,
                              &error) ||
            given.offer.memory.need_gib > MOST_GIB)
            continue;
        given.input = (struct explain_input){.catalog = &catalog,
                                             .constants = &constants,
                                             .job = &given.job,
                                             .offer = &given.offer,
                                             .today = "2026-12-01"};
        strbuf_clear(&answered);
        scenario_command(&given.scenario, &answered);
        for (int k = 0; k < explain_topic_count; k++)
            check_topic(strbuf_text(&answered), &given, &explain_topics[k]);
    }
    strbuf_clear(&answered);
    arena_free(room);
    assert_int_equal(wrong, 0);
}

/* A run of the user's own multiplies what is computed: the explanations say so and still add up. */
static void a_run_of_ones_own_is_in_the_numbers(void **state)
{
    (void)state;
    static const struct calibration runs[] = {{"hf", "a10", "2026-11-30", 1.25, 0.8},
                                              {"vllm", "a10", "2026-11-30", 1.25, 0.8}};
    static const char *const own[] = {
        "workload=lora model=qwen2.5-7b gpu=a10 stack=hf seq_len=1024",
        "workload=inference model=qwen2.5-7b gpu=a10 engine=vllm concurrency=2"};
    struct constants plain = constants;
    constants.calibrations = runs;
    constants.calibration_count = 2;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        struct given *given = estimate(own[i]);
        for (int k = 0; k < explain_topic_count; k++)
            check_topic(own[i], given, &explain_topics[k]);
        struct explanation need = explain(&given->input, explain_topic_find("need"), arena);
        assert_non_null(find_line(&need, EXPLAIN_BAND, "Calibrated by your run of 2026-11-30"));
    }
    struct explanation gemm = explained(own[0], "gemm");
    assert_non_null(find_line(&gemm, EXPLAIN_NUMBERS, " x 1.25 = ")); /* 1 / 0.8 of the time */
    constants = plain;
    assert_int_equal(wrong, 0);
}

/* A translated formula keeps its values in their order: it comes to the same figure. */
static void in_chinese_too(void **state)
{
    i18n_set_language(LANGUAGE_ZH);
    every_topic_of_every_job_comes_to_its_figure(state);
    struct explanation weights =
        explained("workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=3", "weights");
    i18n_set_language(LANGUAGE_EN);
    assert_non_null(find_line(&weights, EXPLAIN_NUMBERS, "8.03B x 2 / 8 / 2^30 = 1.87 GiB"));
}

static void money_of_a_plan_comes_to_its_totals(void **state)
{
    (void)state;
    static const char *const plans[] = {
        "workload=lora model=qwen2.5-7b samples=10000 mean_len=700 epochs=3",
        "workload=inference model=qwen2.5-7b concurrency=8 months=3",
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct scenario scenario = scenario_of(plans[i]);
        struct plan plan;
        struct error error = {0};
        assert_true(plan_compute(&catalog, &constants, &scenario, "2026-12-01", &plan, &error));
        assert_true(plan.offer_count > 3);
        int totals = 0;
        for (int k = 0; k < explain_topic_count; k++) {
            struct given given = {.job = plan.job, .offer = plan.offers[0]};
            given.input = (struct explain_input){.catalog = &catalog,
                                                 .constants = &constants,
                                                 .job = &given.job,
                                                 .offer = &given.offer,
                                                 .today = "2026-12-01"};
            check_topic(plans[i], &given, &explain_topics[k]);
            struct explanation explanation = explain(&given.input, &explain_topics[k], arena);
            if (explain_topics[k].group == EXPLAIN_OF_MONEY && !isnan(explanation.figure))
                totals +=
                    explanation.first->next && explanation.first->next->part == EXPLAIN_NUMBERS;
        }
        assert_true(totals >= 4); /* per million tokens, pay-as-you-go, monthly, ... */
        plan_clear(&plan);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the table ------------------------------------------------------------------------------ */

static void topics_share_their_keys_and_labels_with_the_tables_of_figures(void **state)
{
    (void)state;
    char id[64];
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        snprintf(id, sizeof id, "memory.%s", components[i].key);
        assert_non_null(explain_topic_find(id));
        assert_int_equal(explain_topic_find(id)->item, i);
        assert_string_equal(explain_topic_find(id)->label, components[i].label);
    }
    for (int i = 0; i < PEAK_COUNT; i++) {
        snprintf(id, sizeof id, "memory.peak.%s", peak_names[i]);
        assert_string_equal(explain_topic_find(id)->label, peak_labels[i]);
    }
    for (int i = 0; i < TERM_COUNT; i++) {
        snprintf(id, sizeof id, "speed.%s", speed_terms[i].key);
        assert_non_null(explain_topic_find(id));
        assert_int_equal(explain_topic_find(id)->item, i);
        assert_string_equal(explain_topic_find(id)->label, speed_terms[i].label);
    }
    for (int i = 0; i < MODE_COUNT; i++) {
        snprintf(id, sizeof id, "cost.%s", billing_modes[i].key);
        assert_non_null(explain_topic_find(id));
        assert_int_equal(explain_topic_find(id)->item, i);
        assert_string_equal(explain_topic_find(id)->label, billing_modes[i].label);
    }
}

static void the_end_of_an_id_is_enough_where_it_is_the_only_one(void **state)
{
    (void)state;
    assert_string_equal(explain_topic_find("kv_cache")->id, "memory.kv_cache");
    assert_string_equal(explain_topic_find("tensor_parallel")->id, "speed.tensor_parallel");
    assert_null(explain_topic_find("optimizer")); /* of memory, of a peak, and of speed */
    assert_null(explain_topic_find("cache"));
    assert_null(explain_topic_find(""));
}

/* ---- worked out by hand
 * -------------------------------------------------------------------------- */

/* Llama-3.1-8B has 8,030,261,248 parameters (config.json of meta-llama/Llama-3.1-8B). Mixed
 * precision: weights 2, gradients 2, 32-bit copy 4, Adam 8 bytes: 16 in all, 16 x 8.03e9 / 2^30 =
 * 119.66 GiB. */
static void a_full_fine_tune_of_8b_takes_16_bytes_a_parameter(void **state)
{
    (void)state;
    const char *job = "workload=full model=llama-3.1-8b gpu=a100-80 stack=fsdp "
                      "precision=bf16-mixed optimizer=adamw";
    static const char *const ids[] = {"memory.weights", "memory.gradients", "memory.optimizer"};
    double sum = 0;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        sum += explained(job, ids[i]).figure;
    struct given *given = estimate(job);
    double gradient = constants.stack[STACK_FSDP].gradient_bytes;
    assert_near(sum, (14 + gradient) * 8030261248.0 / GIB, 1e-9);
    struct explanation weights = explain(&given->input, explain_topic_find("weights"), arena);
    assert_near(weights.figure, 14.958, 1e-4); /* 16,060,522,496 / 2^30 */
    assert_non_null(find_line(&weights, EXPLAIN_NUMBERS, "8.03B x 2 / 2^30 = 15.0 GiB"));
    assert_non_null(
        find_line(&weights, EXPLAIN_FORMULA, "parameters of this GPU x bytes each / 2^30"));
    struct explanation optimizer =
        explain(&given->input, explain_topic_find("memory.optimizer"), arena);
    assert_non_null(find_line(&optimizer, EXPLAIN_NUMBERS, "4 + 8 = 12 bytes"));
    assert_near(optimizer.figure, 89.745, 1e-4); /* 96,363,134,976 / 2^30 */
}

/* ZeRO-3 over 8 GPUs: 8,030,261,248 x 2 / 8 / 2^30 = 1.87 GiB, none of it copied; plain data
 * parallelism copies all 14.96 GiB. */
static void zero_3_splits_what_plain_data_parallelism_copies(void **state)
{
    (void)state;
    struct explanation split =
        explained("workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=3", "weights");
    assert_near(split.figure, 1.8698, 1e-4);
    assert_non_null(find_line(&split, EXPLAIN_NUMBERS, "8.03B x 2 / 8 / 2^30 = 1.87 GiB"));
    assert_non_null(find_line(&split, EXPLAIN_COPIED, "Nothing is copied"));
    struct explanation copied =
        explained("workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=0", "weights");
    assert_non_null(
        find_line(&copied, EXPLAIN_COPIED, "Copied: each of the 8 GPUs holds all 15.0 GiB"));
    struct explanation need =
        explained("workload=lora model=qwen2.5-14b gpu=a10 gpus=8 zero=0", "need");
    assert_non_null(find_line(&need, EXPLAIN_TEXT, "8 GPUs have 178 GiB together")); /* 8 x 22.2 */
    assert_non_null(find_line(&need, EXPLAIN_COPIED, "Copied on every GPU"));
}

/* Qwen2.5-7B: 28 layers, 4 KV heads of 128, K and V in 16 bits: 28 x 1,024 x 2 = 57,344 bytes a
 * token; 4 sequences of 8,192 tokens: 1.75 GiB. */
static void a_cache_is_layers_times_elements_times_tokens(void **state)
{
    (void)state;
    struct explanation cache = explained(
        "workload=inference model=qwen2.5-7b gpu=a100-80 engine=vllm context=8192 concurrency=4",
        "kv_cache");
    assert_near(cache.figure, 1.75, 1e-9);
    assert_non_null(
        find_line(&cache, EXPLAIN_NUMBERS, "8,192 x 28 x 1,024 x 2 / 1 / 2^30 = 0.44 GiB"));
    assert_non_null(find_line(&cache, EXPLAIN_NUMBERS, "4 x 0.4375 = 1.75 GiB"));
}

static void vllm_takes_what_it_does_not_need(void **state)
{
    (void)state;
    struct explanation reserved =
        explained("workload=inference model=qwen2.5-7b gpu=a100-80 engine=vllm concurrency=4",
                  "memory.reserved");
    assert_true(reserved.figure > 65); /* 90 % of 79 GiB */
    assert_non_null(find_line(&reserved, EXPLAIN_TEXT, "full is normal"));
}

/* 10,000 samples of 700 tokens; 3 epochs unless told otherwise: 21,000,000 tokens. */
static void hours_show_samples_lengths_and_epochs(void **state)
{
    (void)state;
    struct explanation hours =
        explained("workload=lora model=qwen2.5-7b gpu=a10 samples=10000 mean_len=700", "hours");
    assert_non_null(find_line(&hours, EXPLAIN_NUMBERS, "10,000 x 700 x 3 = 21M tokens"));
    hours = explained("workload=lora model=qwen2.5-7b gpu=a10 samples=10000 mean_len=700 epochs=1",
                      "hours");
    assert_non_null(find_line(&hours, EXPLAIN_NUMBERS, "10,000 x 700 x 1 = 7M tokens"));
    hours =
        explained("workload=pretrain model=llama-3.1-8b gpu=h800-80 gpus=8 tokens_b=100", "hours");
    assert_null(find_line(&hours, EXPLAIN_FORMULA, "epochs"));
}

/* 1F1B: the first of 4 stages holds 4 micro-batches (Narayanan et al. 2021, section 2.2.1). */
static void the_first_stage_holds_a_micro_batch_for_each_stage(void **state)
{
    (void)state;
    struct explanation activations =
        explained("workload=pretrain model=llama-3.1-70b gpu=h800-80 gpus=64 gpus_per_node=8 "
                  "stack=megatron tp=8 pp=4 vp=1 global_batch=512 micro_batch=1",
                  "activations");
    assert_non_null(find_line(&activations, EXPLAIN_TEXT, "20 layers and 4 micro-batches"));
}

/* What another layout would reach is what an estimate of that layout says. */
static void fewer_cards_in_a_group_are_compared(void **state)
{
    (void)state;
    const char *serve =
        "workload=inference model=qwen2.5-3b gpu=t4 gpus=2 weights=fp16 concurrency=8";
    char number[UNITS_TEXT], expected[100];
    struct explanation two = explained(arena_printf(arena, "%s tp=2", serve), "tokens_per_s");
    struct explanation one = explained(arena_printf(arena, "%s tp=1", serve), "tokens_per_s");
    snprintf(expected, sizeof expected, "tp=1 with twice the replicas would reach %s tokens/s",
             units_count(one.figure, number));
    assert_non_null(find_line(&two, EXPLAIN_TEXT, expected));
    const char *train = "workload=full model=llama-3.1-8b gpu=a100-80 gpus_per_node=8 zero=3 "
                        "global_batch=64 micro_batch=1 recompute=full";
    two = explained(arena_printf(arena, "%s gpus=16", train), "tokens_per_s");
    one = explained(arena_printf(arena, "%s gpus=8", train), "tokens_per_s");
    snprintf(expected, sizeof expected, "One machine alone would reach %s tokens/s",
             units_count(one.figure, number));
    assert_non_null(find_line(&two, EXPLAIN_TEXT, expected));
}

static void a_figure_that_a_job_does_not_have_says_why(void **state)
{
    (void)state;
    struct given *given = estimate("workload=full model=llama-3.1-8b gpu=a100-80");
    static const char *const absent[] = {"adapter",         "kv_cache",  "ttft",
                                         "tensor_parallel", "kv_tokens", "payg"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        struct explanation explanation =
            explain(&given->input, explain_topic_find(absent[i]), arena);
        assert_false(explain_has_figure(&explanation));
    }
    struct explanation weights = explain(&given->input, explain_topic_find("weights"), arena);
    assert_true(explain_has_figure(&weights));
    struct explanation none = explain(&given->input, explain_topic_find("tensor_parallel"), arena);
    assert_string_equal(none.first->text, "Nothing: there is no tensor parallelism here.");
}

/* ---- as text
 * -------------------------------------------------------------------------------------- */

static void no_line_is_wider_than_asked_for(void **state)
{
    (void)state;
    struct given *given = estimate("workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=3");
    for (int cells = 30; cells <= 110; cells += 20) {
        struct strbuf out = {0};
        for (int k = 0; k < explain_topic_count; k++) {
            struct explanation explanation = explain(&given->input, &explain_topics[k], arena);
            explain_write(&explanation, cells, &out);
        }
        for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
            assert_true(text_width(line) <= cells || !strchr(line + 4, ' '));
        strbuf_clear(&out);
    }
}

static void expressions_are_worked_out_as_people_do(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"2 + 3 x 4", 14},
        {"(2 + 3) x 4", 20},
        {"8,192 x 2 / 2^10", 16},
        {"8.03B x 2", 16.06e9},
        {"max(1,500, 20 x 80)", 1600},
        {"min(3, 4) + sqrt(16)", 7},
        {"floor(7.9) x 16", 112},
        {"10 - 4 - 3", 3},
        {"12 / 3 / 2", 2},
        {"(3^2 + 4^2)^0.5 - 1", 4},
        {"3.5e-05 x 2", 7e-5},
        {"1.5k + 2M", 2001500},
        {"5% x 200", 10},
    };
    static const char *const bad[] = {
        "",        "2 +", "(2",
        "2)",      "two", "max(1)",
        "2 x x 3", "1 2", "((((((((((((((((((((((((((((((((((((((((1"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(arith_evaluate(good[i].text, &value));
        assert_near(value, good[i].value, 1e-12);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(arith_evaluate(bad[i], &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_worked_out_as_people_do),
        cmocka_unit_test(every_topic_of_every_job_comes_to_its_figure),
        cmocka_unit_test(every_topic_of_any_job_comes_to_its_figure),
        cmocka_unit_test(every_model_comes_to_its_figures),
        cmocka_unit_test(a_run_of_ones_own_is_in_the_numbers),
        cmocka_unit_test(in_chinese_too),
        cmocka_unit_test(money_of_a_plan_comes_to_its_totals),
        cmocka_unit_test(topics_share_their_keys_and_labels_with_the_tables_of_figures),
        cmocka_unit_test(the_end_of_an_id_is_enough_where_it_is_the_only_one),
        cmocka_unit_test(a_full_fine_tune_of_8b_takes_16_bytes_a_parameter),
        cmocka_unit_test(zero_3_splits_what_plain_data_parallelism_copies),
        cmocka_unit_test(a_cache_is_layers_times_elements_times_tokens),
        cmocka_unit_test(vllm_takes_what_it_does_not_need),
        cmocka_unit_test(hours_show_samples_lengths_and_epochs),
        cmocka_unit_test(the_first_stage_holds_a_micro_batch_for_each_stage),
        cmocka_unit_test(fewer_cards_in_a_group_are_compared),
        cmocka_unit_test(a_figure_that_a_job_does_not_have_says_why),
        cmocka_unit_test(no_line_is_wider_than_asked_for),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
