#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/text.h"
#include "data/scenario.h"
#include "engine/job.h"
#include "tests/fixture.h"

static void every_field_has_label_help_and_room_for_its_label(void **state)
{
    (void)state;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct field *field = &fields[i];
        assert_non_null(field->key);
        assert_true(text_width(field->label) > 0 && text_width(field->label) <= 22);
        assert_true(strlen(field->help) > 20);
        assert_ptr_equal(field_find(field->key), field);
        assert_int_equal(field_id(field), i);
        bool number = field->kind == FIELD_KIND_INT || field->kind == FIELD_KIND_NUMBER;
        assert_int_equal(number, field->minimum < field->maximum);
        int choices = 0, helps = 0;
        for (; field->choices && field->choices[choices]; choices++) {
        }
        assert_int_equal(field->kind == FIELD_KIND_CHOICE || field->kind == FIELD_KIND_FLAGS, choices > 0);
        for (; field->choice_help && helps < choices; helps++)
            assert_non_null(field->choice_help[helps]);
    }
}

/* Set, written to a file, read back: nothing may be lost. One value for each kind of field. */
static void a_scenario_survives_its_own_file(void **state)
{
    (void)state;
    static const char *const pairs[] = {
        "workload=lora", "model=qwen2.5-7b", "weights=nf4", "lora_targets=q_proj,down_proj", "lora_rank=16",
        "seq_len=32k", "zero=3", "flash_attention=no", "epochs=2.5", "region=cn-beijing", "budget=5000",
        "budget_per=month", "include=by_ticket,unpriced", "billing=3year", "memory_utilization=0.9"};
    struct scenario scenario = {0}, again = {0};
    struct error error = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!scenario_set_pair(&scenario, pairs[i], &catalog, arena, &error))
            fail_msg("%s: %s", pairs[i], error.message);
    assert_int_equal(scenario.seq_len, 32768);
    char path[] = "/tmp/gpuwiz-scenario-XXXXXX";
    int fd = mkstemp(path);
    struct strbuf text = {0}, text_again = {0};
    scenario_write(&scenario, &text);
    assert_int_equal(write(fd, text.data, text.length), text.length);
    close(fd);
    if (!scenario_read(&again, path, &catalog, arena, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    scenario_write(&again, &text_again);
    assert_string_equal(text.data, text_again.data);
    unlink(path);
    strbuf_clear(&text);
    strbuf_clear(&text_again);
}

static void an_architecture_survives_too(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct error error = {0};
    const char *map = "architecture={layers: 32, hidden_size: 4096, heads: 32, ffn_size: 11008, vocab_size: 32000}";
    if (!scenario_set_pair(&scenario, map, &catalog, arena, &error))
        fail_msg("%s", error.message);
    struct strbuf text = {0};
    scenario_format(&scenario, FIELD_ARCHITECTURE, &text);
    assert_string_equal(text.data, strchr(map, '=') + 1);
    strbuf_clear(&text);
    /* Llama-2-7B without its inverse frequencies: 6,738,415,616 */
    struct job job;
    scenario_set_pair(&scenario, "workload=full", &catalog, arena, &error);
    assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
    assert_int_equal(job.params.total, 6738415616);
}

static void naming_a_model_anew_drops_the_old_name(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct error error;
    assert_true(scenario_set_pair(&scenario, "params_b=7", &catalog, arena, &error));
    assert_true(scenario_set_pair(&scenario, "model=qwen2.5-7b", &catalog, arena, &error));
    assert_false(scenario_has(&scenario, FIELD_PARAMS_B));
    assert_true(scenario_set_pair(&scenario, "params_b=8", &catalog, arena, &error));
    assert_false(scenario_has(&scenario, FIELD_MODEL));
}

/* What is wrong, and a hint at what would be right; the scenario stays as it was. */
static void bad_values_are_refused_with_a_hint(void **state)
{
    (void)state;
    static const struct { const char *pair, *says, *hint; } bad[] = {
        {"worklod=lora", "unknown key 'worklod'", "workload"},
        {"workload=train", "workload cannot be 'train'", "pretrain, full, lora, inference"},
        {"lora_rank=0", "out of range", "from 1 to 4096"},
        {"lora_rank=2.5", "whole number", "nearest: 3"},
        {"seq_len=many", "is a number", "from 1"},
        {"flash_attention=maybe", "yes or no", ""},
        {"weights=nf5", "nf5", "nf4"},
        {"gpu=a100", "a100", "a100-80"},
        {"model=qwen2.5-8b", "qwen2.5-8b", "qwen2.5-7b"},
        {"lora_targets=qx", "qx", "qv"},
        {"region=mars", "mars", ""},
        {"budget", "key=value", ""},
        {"memory_utilization=1.5", "out of range", "to 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scenario scenario = {0}, before = {0};
        struct error error = {0};
        if (scenario_set_pair(&scenario, bad[i].pair, &catalog, arena, &error))
            fail_msg("%s was accepted", bad[i].pair);
        if (!strstr(error.message, bad[i].says) || !strstr(error.hint, bad[i].hint))
            fail_msg("%s: '%s' ('%s')", bad[i].pair, error.message, error.hint);
        assert_memory_equal(&scenario, &before, sizeof scenario);
    }
}

static void read_text(const char *text, struct error *error, bool expected)
{
    char path[] = "/tmp/gpuwiz-scenario-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    struct scenario scenario = {0};
    *error = (struct error){0};
    bool done = scenario_read(&scenario, path, &catalog, arena, error);
    unlink(path);
    if (done != expected)
        fail_msg("'%s' was %s: %s", text, done ? "accepted" : "refused", error->message);
}

static void file_errors_name_line_and_column(void **state)
{
    (void)state;
    static const struct { const char *text; int line, column; const char *says; } bad[] = {
        {"workload: lora\nlora_rnk: 8\n", 2, 1, "unknown key 'lora_rnk'"},
        {"workload: lora\nlora_rank: x\n", 2, 12, "is a number"},
        {"workload: lora\nworkload: full\n", 2, 1, "workload"},
        {"workload: lora\nmodel: qwen2.5-7b\nparams_b: 7\n", 3, 1, "both given"},
        {"model: llama-3.1-8b\nworkload: full\ntp: 3\n", 3, 1, "does not divide the 32 attention heads"},
        {"model: llama-3.1-8b\nworkload: full\npp: 4\nvp: 9\n", 4, 1, "vp is out of range: 9"}, /* 32 / 4 */
        {"instance: ecs.gn7e-c16g1.32xlarge\ngpus: 12\n", 2, 1, "12 GPUs are not 2 machines with 8 each"},
        {"workload: full\ntokens_b: 1\nsamples: 5\n", 3, 1, "both given"},
        {"workload: full\ngpus: 8\ntp: 2\ndp: 8\n", 4, 1, "does not agree"},
        {"workload: full\ngpus: 16\ntp: 2\npp: 2\ncp: 1\ndp: 2\n", 6, 1, "does not agree"},
        {"workload: full\ngpus: 8\ntp: 3\n", 3, 1, "cannot be split"},
        {"workload: inference\nmodel: qwen2.5-7b\nep: 4\n", 3, 1, "no experts"},
        {"workload: inference\ninput_len: 9000\ncontext: 8192\n", 3, 1, "does not fit into context"},
        {"workload: inference\noutput_len: 8193\ncontext: 8192\n", 3, 1, "does not fit into context"},
        {"instance: ecs.gn7i-c8g1.2xlarge\ngpu: t4\n", 2, 1, "has the GPU a10"},
        {"workload: [lora]\n", 1, 11, "single value"},
        {"- lora\n", 1, 1, "key: value"},
    };
    struct error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read_text(bad[i].text, &error, false);
        if (error.line != bad[i].line || error.column != bad[i].column || !strstr(error.message, bad[i].says))
            fail_msg("%s -> %d:%d %s", bad[i].text, error.line, error.column, error.message);
    }
    read_text("{\"workload\": \"lora\", \"model\": \"qwen2.5-7b\", \"lora_targets\": [\"q_proj\", \"v_proj\"]}", &error, true);
    read_text("workload: lora\nlora_rank: null\n", &error, true);
    /* the whole context may be answered: published runs are given so */
    read_text("workload: inference\noutput_len: 8192\ncontext: 8192\n", &error, true);
    read_text("model: llama-3.1-8b\nworkload: full\ntp: 3\n", &error, false);
    assert_string_equal(error.hint, "1, 2, 4, 8, 16, 32");
    /* DeepSeek-V2.5 has 160 = 2^5 x 5 experts: each power of two to 32, and five times that */
    read_text("model: deepseek-v2.5\nworkload: inference\nep: 3\n", &error, false);
    assert_string_equal(error.hint, "1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 80, 160");
    /* 128 GPUs as 32 copies of 4: tensor parallelism is left to the search */
    read_text("workload: pretrain\ngpus: 128\npp: 1\ndp: 32\n", &error, true);
}

static void a_job_says_what_it_assumed_and_nothing_that_was_given(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct error error;
    struct job job;
    struct strbuf text = {0};
    scenario_set_pair(&scenario, "workload=inference", &catalog, arena, &error);
    scenario_set_pair(&scenario, "model=qwen2.5-7b", &catalog, arena, &error);
    scenario_set_pair(&scenario, "context=4096", &catalog, arena, &error);
    assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
    job_assumptions(&job, &text);
    assert_non_null(strstr(text.data, "engine=vllm"));
    assert_non_null(strstr(text.data, "weights=bf16"));
    assert_null(strstr(text.data, "context"));
    strbuf_clear(&text);
}

static void prompt_and_answer_always_fit_into_the_context(void **state)
{
    (void)state;
    static const char *const contexts[] = {"1", "2", "100", "1024", "2048", "131072"};
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) {
        struct scenario scenario = {0};
        struct error error;
        struct job job;
        scenario_set_pair(&scenario, "workload=inference", &catalog, arena, &error);
        scenario_set_pair(&scenario, "model=llama-3.1-8b", &catalog, arena, &error);
        scenario_set(&scenario, FIELD_CONTEXT, contexts[i], &catalog, arena, &error);
        assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
        assert_true(job.input_len >= 1 && job.output_len >= 1);
        assert_true(job.input_len + job.output_len <= fmax(job.context, 2));
        /* a prompt of three quarters leaves a quarter for the answer */
        scenario_set_pair(&scenario, "input_len=1", &catalog, arena, &error);
        scenario.input_len = fmax(1, floor(scenario.context * 0.75));
        assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
        assert_true(job.input_len + job.output_len <= fmax(job.context, 2));
    }
}

static void a_gpu_without_bf16_takes_fp16_only_when_precision_was_left_open(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct error error;
    struct job job;
    const struct gpu *v100 = catalog_gpu(&catalog, "v100-32");
    scenario_set_pair(&scenario, "workload=full", &catalog, arena, &error);
    scenario_set_pair(&scenario, "params_b=1", &catalog, arena, &error);
    assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
    assert_int_equal(job.precision, PRECISION_BF16_MIXED);
    assert_int_equal(job_for_gpu(&job, v100).precision, PRECISION_FP16_MIXED);
    assert_string_equal(job_for_gpu(&job, v100).weights->id, "fp16");
    scenario_set_pair(&scenario, "precision=bf16-mixed", &catalog, arena, &error);
    assert_true(job_resolve(&scenario, &catalog, arena, &job, &error));
    assert_int_equal(job_for_gpu(&job, v100).precision, PRECISION_BF16_MIXED);
}

static void the_command_line_repeats_the_scenario(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct error error;
    scenario_set_pair(&scenario, "workload=lora", &catalog, arena, &error);
    scenario_set_pair(&scenario, "architecture={layers: 2, hidden_size: 64, heads: 2, ffn_size: 8, vocab_size: 9}",
                      &catalog, arena, &error);
    struct strbuf text = {0};
    scenario_command(&scenario, &text);
    assert_string_equal(text.data, " --set workload=lora --set 'architecture={layers: 2, hidden_size: 64, "
                                   "heads: 2, ffn_size: 8, vocab_size: 9}'");
    strbuf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_label_help_and_room_for_its_label),
        cmocka_unit_test(a_scenario_survives_its_own_file),
        cmocka_unit_test(an_architecture_survives_too),
        cmocka_unit_test(naming_a_model_anew_drops_the_old_name),
        cmocka_unit_test(bad_values_are_refused_with_a_hint),
        cmocka_unit_test(file_errors_name_line_and_column),
        cmocka_unit_test(a_job_says_what_it_assumed_and_nothing_that_was_given),
        cmocka_unit_test(prompt_and_answer_always_fit_into_the_context),
        cmocka_unit_test(a_gpu_without_bf16_takes_fp16_only_when_precision_was_left_open),
        cmocka_unit_test(the_command_line_repeats_the_scenario),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
