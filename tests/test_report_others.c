/* The table of other choices: each row is what `estimate` says with that choice pinned. */
#include "tests/test.h"

#include <string.h>
#include "base/units.h"
#include "engine/offers.h"
#include "report/columns.h"
#include "report/report.h"
#include "tests/fixture.h"

static void estimate(const char *pairs, struct scenario *scenario, struct offer *offer, struct job *job)
{
    struct error error;
    *scenario = answers(pairs);
    if (!estimate_compute(&catalog, &constants, scenario, arena, offer, job, &error))
        fail_msg("%s: %s", pairs, error.message);
}

/* The page of `pairs` has a row that begins with `choice` and holds the need, the verdict and the
 * speed of an estimate with `pinned`, too. */
static void expect_row(const char *pairs, const char *pinned, const char *choice)
{
    struct scenario scenario, other_scenario;
    struct offer offer, other;
    struct job job, other_job;
    struct report report;
    struct strbuf page = {0};
    char need[UNITS_TEXT], speed[UNITS_TEXT], line[200];
    estimate(pairs, &scenario, &offer, &job);
    estimate(arena_printf(arena, "%s %s", pairs, pinned), &other_scenario, &other, &other_job);
    struct report_input input = {.catalog = &catalog, .constants = &constants, .scenario = &scenario,
                                 .offer = &offer, .job = &job, .today = "2026-12-01"};
    report_estimate(&input, arena, &report);
    report_write_text(&report, &page);
    const char *table = strstr(strbuf_text(&page), "Other choices on the same GPUs");
    assert_non_null(table);
    const char *row = strstr(table, arena_printf(arena, "\n  %s  ", choice));
    if (!row)
        fail_msg("no row %s in\n%.900s", choice, table);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(row + 1, "\n"), row + 1);
    if (!strstr(line, units_gib(other.memory.need_gib, need)) || !strstr(line, verdict_label(other.memory.verdict)) ||
        !strstr(line, units_count(other.speed.tokens_per_s, speed)))
        fail_msg("%s: not %s GiB, %s, %s tokens/s", line, need, verdict_label(other.memory.verdict), speed);
    strbuf_clear(&page);
}

static void each_choice_is_what_an_estimate_says_of_it(void **state)
{
    (void)state;
    const char *full = "workload=full model=llama-3.1-8b gpu=a100-80 gpus=8 zero=3 stack=hf micro_batch=1 recompute=full";
    expect_row(full, "", "DP8 ZeRO-3, as planned");
    expect_row(full, "zero=1", "DP8 ZeRO-1");
    expect_row(full, "zero=0", "DP8");
    expect_row(full, "recompute=none", "recompute none");
    expect_row("workload=lora model=llama-3.1-8b gpu=a100-80 micro_batch=1", "weights=nf4", "weights nf4");
    const char *serve = "workload=inference model=llama-3.1-70b gpu=h100-80 gpus=4 tp=4";
    expect_row(serve, "weights=fp8", "weights fp8");
    expect_row(serve, "tp=2 pp=2", "TP2 PP2");
}

/* bf16 weights are no choice on a T4: nothing is offered that cannot be run. */
static void what_cannot_be_run_is_no_choice(void **state)
{
    (void)state;
    struct scenario scenario;
    struct offer offer;
    struct job job;
    struct report report;
    struct strbuf page = {0};
    estimate("workload=inference model=qwen2.5-7b gpu=t4 gpus=2 weights=fp16", &scenario, &offer, &job);
    struct report_input input = {.catalog = &catalog, .constants = &constants, .scenario = &scenario,
                                 .offer = &offer, .job = &job, .today = "2026-12-01"};
    report_estimate(&input, arena, &report);
    report_write_text(&report, &page);
    assert_null(strstr(strbuf_text(&page), "weights fp8"));
    assert_non_null(strstr(strbuf_text(&page), "weights awq-int4"));
    strbuf_clear(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_choice_is_what_an_estimate_says_of_it),
        cmocka_unit_test(what_cannot_be_run_is_no_choice),
    };
    return cmocka_run_group_tests(tests, fixture_load, fixture_unload);
}
