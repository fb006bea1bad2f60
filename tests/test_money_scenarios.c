/* Three typical jobs from their files to the page and the JSON: what each way of paying costs, worked
 * out by hand from the quoted prices and the hours the engine gives:
 *
 *   ecs.gn7i-c8g1.2xlarge   9.5326 CNY an hour, 4,575.66 a month (2026-09)
 *   ecs.ebmgn7ex.32xlarge   270.8333 CNY an hour (2024-10), no month quoted
 *   rules                   a month 480 hours, a year 0.85 of 12 months, savings plan 0.66 and
 *                           spot 0.30 of the hour
 */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "data/yaml.h"
#include "engine/money.h"
#include "report/report.h"
#include "tests/sandbox.h"

#define FOLDER "tests/data/scenarios/"
#define A10_HOUR 9.5326
#define A100_HOUR 270.8333

static const char *const files[] = {FOLDER "lora-3-days.yaml", FOLDER "service-3-months.yaml",
                                    FOLDER "pretrain-40-days.yaml"};
enum { JOBS = sizeof files / sizeof *files };
enum { LORA, SERVICE, PRETRAIN };

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;
static struct scenario scenarios[JOBS];
static struct plan plans[JOBS];
static const char *const today = "2026-12-01";

static int load(void **state)
{
    struct error error = {0};
    sandbox_begin(state);
    arena = arena_new();
    bool good = catalog_load(NULL, &catalog, &error) && constants_load(NULL, arena, &constants, &error);
    for (int i = 0; good && i < JOBS; i++)
        good = scenario_read(&scenarios[i], files[i], &catalog, arena, &error) &&
               plan_compute(&catalog, &constants, &scenarios[i], today, &plans[i], &error);
    if (!good)
        print_error("%s:%d: %s\n", error.file, error.line, error.message);
    return good ? 0 : -1;
}

static int unload(void **state)
{
    for (int i = 0; i < JOBS; i++)
        plan_clear(&plans[i]);
    arena_free(arena);
    catalog_clear(&catalog);
    return sandbox_end(state);
}

static const struct offer *offer_of(int job)
{
    assert_int_equal(plans[job].offer_count, 1);
    return &plans[job].offers[0];
}

static const struct cost *cost_of(int job, enum billing_mode mode)
{
    const struct cost *cost = &offer_of(job)->costs[mode];
    if (!cost->available)
        fail_msg("%s: %s", billing_modes[mode].key, cost->why_not);
    return cost;
}

static void expect_refused(int job, enum billing_mode mode, const char *part)
{
    const struct cost *cost = &offer_of(job)->costs[mode];
    assert_false(cost->available);
    assert_non_null(strstr(cost->why_not, part));
}

/* Whole fen, as money.h rounds each line. */
static double fen(double cny)
{
    return money_cny(money_fen(cny));
}

static void three_days_of_lora_are_cheapest_by_the_hour(void **state)
{
    (void)state;
    const struct cost *payg = cost_of(LORA, MODE_PAYG), *spot = cost_of(LORA, MODE_SPOT);
    double wall = payg->wall_h, start = 10.0 / 60; /* ten minutes of start are paid too */
    assert_in_range((int)wall, 48, 96);
    assert_near(payg->total_cny, fen(wall * A10_HOUR) + fen(start * A10_HOUR), 2e-5);
    assert_near(spot->total_cny,
                fen(spot->wall_h * 0.3 * A10_HOUR) + fen(start * 0.3 * A10_HOUR), 2e-5);
    assert_near(cost_of(LORA, MODE_MONTHLY)->total_cny, 4575.66, 1e-9);
    assert_near(cost_of(LORA, MODE_YEARLY)->total_cny, 46671.73, 1e-9);   /* x 12 x 0.85 */
    assert_near(cost_of(LORA, MODE_SAVINGS)->total_cny, 55113.68, 1e-9);  /* x 0.66 x 8760 h */
    assert_near(cost_of(LORA, MODE_SAVINGS)->upfront_cny[UPFRONT_PART], 27556.84, 1e-9);
    assert_near(cost_of(LORA, MODE_MONTHLY)->break_even_h_per_month, 480.0, 0.01);
    assert_near(cost_of(LORA, MODE_MONTHLY)->break_even_h_per_day, 15.78, 0.01); /* 480 x 12 / 365 */
    assert_near(cost_of(LORA, MODE_YEARLY)->break_even_h_per_month, 408.0, 0.01);
    /* spot stops paying where its longer wall time eats the discount */
    assert_near(spot->break_even_price_ratio, wall / spot->wall_h, 1e-9);
    assert_true(spot->break_even_price_ratio > 0.3 && spot->break_even_price_ratio < 1);
    expect_refused(LORA, MODE_PAYG_STOP, "no idle hours");
    expect_refused(LORA, MODE_SERVERLESS, "training");
    expect_refused(LORA, MODE_MIXED, "shorter");
    assert_true(offer_of(LORA)->cheapest == MODE_SPOT || offer_of(LORA)->cheapest == MODE_SPOT_UNPROTECTED);
    assert_int_equal(payg->basis, BASIS_QUOTED);
    assert_int_equal(spot->basis, BASIS_ASSUMPTION);
}

/* 24 GB x 3600 s x (1.8 units busy, 0.3 idle) over 730 hours, the first 1e8 units at 0.00012 CNY. */
static double function_month_cny(double busy)
{
    double units = 730.0 * 3600 * 24 * (1.8 * busy + 0.3 * (1 - busy));
    return units <= 1e8 ? units * 0.00012 : 12000 + (units - 1e8) * 0.0001;
}

static void a_service_at_30_percent_load_is_cheapest_by_the_month(void **state)
{
    (void)state;
    const struct offer *offer = offer_of(SERVICE);
    struct billing_input input = offer_billing_input(&catalog, &plans[SERVICE].job, offer, today);
    assert_near(input.load_share, 0.4 / offer->speed.requests_per_s, 1e-12);
    assert_true(input.load_share > 0.25 && input.load_share < 0.35);
    /* requests stay many seconds: though the load is 30 %, some request is nearly always there */
    assert_near(input.busy_share, 1 - exp(-0.4 * offer->speed.request_s), 1e-9);
    assert_true(input.busy_share > 0.9);
    assert_near(cost_of(SERVICE, MODE_PAYG)->total_cny, 20876.39, 1e-9);   /* 2190 h x 9.5326 */
    assert_near(cost_of(SERVICE, MODE_MONTHLY)->total_cny, 13726.98, 1e-9);/* 3 x 4575.66 */
    assert_near(cost_of(SERVICE, MODE_YEARLY)->total_cny, 46671.73, 1e-9); /* a whole year */
    assert_near(cost_of(SERVICE, MODE_MONTHLY)->amortise_months, 13726.98 / 6958.80, 1e-4);
    assert_near(cost_of(SERVICE, MODE_SERVERLESS)->total_cny,
                3 * function_month_cny(input.busy_share), 2e-6);
    /* (9.5326 / 3600 / 24 / 0.00012 - 0.3) / 1.5 = 0.41295 */
    assert_near(cost_of(SERVICE, MODE_SERVERLESS)->break_even_busy_share, 0.41295, 1e-4);
    assert_int_equal(offer->cheapest, MODE_MONTHLY);
    assert_true(cost_of(SERVICE, MODE_SPOT)->refused_alone); /* cheaper, but users would wait */
}

static void prices_of_tokens_add_up_to_the_price_of_a_request(void **state)
{
    (void)state;
    const struct offer *offer = offer_of(SERVICE);
    const struct job *job = &plans[SERVICE].job;
    const struct token_price *prices = offer->token_prices;
    double requests = 0.4 * 3600 * 2190; /* in three months of 730 hours */
    assert_near((prices[LOAD_ASKED].input * job->input_len + prices[LOAD_ASKED].output * job->output_len) / 1e6,
                13726.98 / requests, 1e-4);
    assert_true(prices[LOAD_SINGLE].output > prices[LOAD_ASKED].output);
    assert_true(prices[LOAD_ASKED].output > prices[LOAD_SATURATED].output);
    assert_true(prices[LOAD_SATURATED].input < prices[LOAD_SATURATED].output);
}

static void forty_days_of_pretraining_mix_a_month_with_hours(void **state)
{
    (void)state;
    const struct cost *payg = cost_of(PRETRAIN, MODE_PAYG), *mixed = cost_of(PRETRAIN, MODE_MIXED);
    double wall = payg->wall_h;
    assert_in_range((int)(wall / 24), 35, 45);
    assert_near(payg->total_cny, fen(2 * wall * A100_HOUR) + fen(2 * A100_HOUR / 6), 2e-6);
    /* two machines for two months of 480 hours each: 4 x 129,999.984 */
    assert_near(cost_of(PRETRAIN, MODE_MONTHLY)->total_cny, 519999.94, 1e-9);
    assert_int_equal(cost_of(PRETRAIN, MODE_MONTHLY)->basis, BASIS_RULE);
    /* two machines for the first month, the rest of the hours on demand */
    assert_int_equal(mixed->commitment, MODE_MONTHLY);
    assert_int_equal(mixed->rest, MODE_PAYG);
    assert_near(mixed->total_cny, fen(2 * 129999.984) + fen(2 * (wall - 730) * A100_HOUR), 2e-6);
    assert_true(mixed->total_cny < payg->total_cny);
    assert_true(payg->stale && mixed->stale); /* a list of 2024-10 in 2026-12 */
    /* the wall holds rework: two machines that each fail every 6,250 hours and save now and then */
    assert_true(payg->goodput < 1 && payg->goodput > 0.98);
}

/* Without a load the busy share is the assumption of the data, 0.3, and marked; sequences always in
 * flight keep the machine busy all the time. */
static void an_unknown_load_is_an_assumption_and_marked(void **state)
{
    (void)state;
    struct scenario scenario = scenarios[SERVICE];
    struct plan plan;
    struct error error;
    scenario_unset(&scenario, FIELD_REQUESTS_PER_S);
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    const struct cost *cost = &plan.offers[0].costs[MODE_SERVERLESS];
    assert_int_equal(cost->basis, BASIS_ASSUMPTION);
    assert_near(cost->total_cny, 3 * function_month_cny(0.3), 1e-6);
    plan_clear(&plan);
    assert_true(scenario_set_pair(&scenario, "concurrency=4", &catalog, arena, &error));
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    cost = &plan.offers[0].costs[MODE_SERVERLESS];
    assert_int_equal(cost->basis, BASIS_QUOTED);
    assert_near(cost->total_cny, 3 * function_month_cny(1), 1e-6);
    plan_clear(&plan);
}

/* ---- in every form ------------------------------------------------------------------------- */

static void page_of(int job, struct strbuf *out)
{
    struct report report;
    struct report_input input = {.catalog = &catalog, .constants = &constants,
                                 .scenario = &scenarios[job], .plan = &plans[job], .today = today};
    strbuf_reset(out);
    report_plan(&input, arena, &report);
    report_write_text(&report, out);
}

static void the_page_has_every_way_of_paying_side_by_side_and_in_words(void **state)
{
    (void)state;
    struct strbuf page = {0};
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        for (int job = 0; job < JOBS; job++) {
            page_of(job, &page);
            for (int mode = 0; mode < MODE_COUNT; mode++) {
                char line[100];
                snprintf(line, sizeof line, "\n  - %s", tr(billing_modes[mode].label));
                if (!strstr(page.data, line)) /* each is explained, or says why it is not to be had */
                    fail_msg("%s: no \"%s\"", files[job], line);
            }
            for (const char *at = page.data; *at; at += strcspn(at, "\n") + 1) {
                char line[400];
                snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
                if (text_width(line) > REPORT_WIDTH && !strstr(line, "://"))
                    fail_msg("%s: \"%s\"", files[job], line);
            }
        }
    }
    i18n_set_language(LANGUAGE_EN);
    page_of(SERVICE, &page);
    static const char *const parts[] = {"480 h", "15.8 a day", "¥13,727", "Beside the machines",
                                        "A million tokens", "The 1,000,000 IOPS", "19,964 GiB"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page.data, parts[i]))
            fail_msg("no \"%s\" in\n%s", parts[i], page.data);
    strbuf_clear(&page);
}

static double number_at(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *node = yaml_get(map, key);
    if (!node)
        fail_msg("no %s", key);
    return strtod(node->text, NULL);
}

static void expect_lines_add_up(const struct yaml_node *cost)
{
    int64_t sum = 0;
    for (const struct yaml_node *line = yaml_get(cost, "lines")->first; line; line = line->next)
        sum += money_fen(number_at(line, "amount"));
    assert_int_equal(sum, money_fen(number_at(cost, "total")));
}

static void expect_json_adds_up(const struct report_input *input)
{
    struct strbuf text = {0};
    struct yaml_document document;
    struct error error;
    struct arena *mine = arena_new();
    report_write_plan_json(input, &text);
    if (!yaml_parse(mine, "plan.json", text.data, text.length, (size_t)64 << 20, &document, &error))
        fail_msg("%d: %s", error.line, error.message);
    for (const struct yaml_node *offer = yaml_get(document.root, "offers")->first; offer; offer = offer->next)
        for (const struct yaml_node *cost = yaml_get(offer, "costs")->first; cost; cost = cost->next)
            if (cost->kind == YAML_MAP)
                expect_lines_add_up(cost);
    strbuf_clear(&text);
    arena_free(mine);
}

/* Answers drawn at random: totals are the sums of their lines in the plan and in the JSON, the
 * cheapest is the least of those allowed, and no amount is below nothing. */
static void totals_are_the_sums_of_their_lines_whatever_was_asked(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "workload=lora model=qwen2.5-7b samples", "workload=inference model=qwen2.5-7b requests_per_s=0.7 months",
        "workload=full model=qwen2.5-1.5b samples", "workload=pretrain model=llama-3.2-1b tokens_b"};
    static const char *const tails[] = {
        "", " disk=essd_pl1 oss_gb=333", " budget=50000", " region=cn-beijing", " billing=spot spot_price_ratio=0.43",
        " cross_region_gb=77 disk_gib=411", " billing=monthly", " deadline_h=500"};
    unsigned seed = 20261201;
    for (int i = 0; i < 24; i++) {
        struct scenario scenario = {0};
        struct plan plan;
        struct error error;
        char pairs[200];
        seed = seed * 1103515245u + 12345u;
        int amount = i % 4 == 0 || i % 4 == 2 ? 1000 + (int)(seed >> 16) % 99000 : 1 + (int)(seed >> 16) % 24;
        snprintf(pairs, sizeof pairs, "%s=%d%s", heads[i % 4], amount, tails[(seed >> 8) % 8]);
        for (char *save = NULL, *pair = strtok_r(pairs, " ", &save); pair; pair = strtok_r(NULL, " ", &save))
            if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
                fail_msg("%s: %s", pair, error.message);
        if (!plan_compute(&catalog, &constants, &scenario, today, &plan, &error))
            fail_msg("%s", error.message);
        for (size_t k = 0; k < plan.offer_count; k++)
            for (int mode = 0; mode < MODE_COUNT; mode++) {
                const struct cost *cost = &plan.offers[k].costs[mode];
                int64_t sum = 0;
                for (int line = 0; cost->available && line < cost->line_count; line++) {
                    sum += cost->lines[line].amount_fen;
                    assert_true(cost->lines[line].amount_fen >= 0);
                }
                assert_true(!cost->available || sum == cost->total_fen);
                if (cost->available && !cost->misses_deadline && !cost->refused_alone &&
                    billing_allowed(&scenario, (enum billing_mode)mode))
                    assert_true(plan.offers[k].costs[plan.offers[k].cheapest].total_cny <= cost->total_cny);
            }
        struct report_input input = {.catalog = &catalog, .constants = &constants, .scenario = &scenario,
                                     .plan = &plan, .today = today};
        if (i < 8)
            expect_json_adds_up(&input);
        plan_clear(&plan);
    }
}

/* V100 of 32 GB are priced in Hangzhou, A10 are not: the one is offered, the other left out for the
 * region and for nothing else. In Virginia the H20 has a price in USD and is not offered as spot. */
static void a_region_leaves_out_what_has_no_price_there(void **state)
{
    (void)state;
    struct scenario scenario = {0};
    struct plan plan;
    struct error error;
    static const char *const pairs[] = {"workload=lora", "model=qwen2.5-7b", "samples=1000", "region=cn-hangzhou"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(scenario_set_pair(&scenario, pairs[i], &catalog, arena, &error));
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    assert_true(plan.offer_count > 0);
    for (size_t i = 0; i < plan.offer_count; i++)
        assert_string_equal(plan.offers[i].price->region, "cn-hangzhou");
    int a10 = 0;
    for (size_t i = 0; i < plan.excluded_count; i++)
        if (strcmp(plan.excluded[i].instance->type, "ecs.gn7i-c8g1.2xlarge") == 0) {
            a10++;
            assert_int_equal(plan.excluded[i].reason, EXCLUDED_REGION);
            assert_string_equal(plan.excluded[i].detail, "no price in this region");
        }
    assert_int_equal(a10, 1);
    plan_clear(&plan);
    assert_true(scenario_set_pair(&scenario, "region=us-east-1", &catalog, arena, &error));
    assert_true(scenario_set_pair(&scenario, "instance=ecs.gn8v-8x.48xlarge", &catalog, arena, &error));
    assert_true(plan_compute(&catalog, &constants, &scenario, today, &plan, &error));
    assert_int_equal(plan.offer_count, 1);
    const struct cost *costs = plan.offers[0].costs;
    assert_string_equal(costs[MODE_PAYG].currency, "USD");
    assert_near(costs[MODE_PAYG].lines[0].rate_cny, 55.08, 1e-9);
    assert_false(costs[MODE_SPOT].available);
    assert_false(costs[MODE_SERVERLESS].available); /* priced in CNY: never beside USD */
    plan_clear(&plan);
}

/* ---- what is assumed can be changed ----------------------------------------------------------- */

static void plan_with(const struct catalog *own, int job, struct plan *plan)
{
    struct error error;
    if (!plan_compute(own, &constants, &scenarios[job], today, plan, &error))
        fail_msg("%s", error.message);
}

/* Spot 0.5 instead of 0.3 of the hour, said to be quoted: the row costs 5/3, and its rate loses the
 * mark of an assumption; a month of 400 hours, said to be assumed, gains it. */
static void a_rule_in_an_overlay_changes_totals_and_their_mark(void **state)
{
    (void)state;
    struct catalog own;
    struct plan plan;
    struct error error;
    sandbox_write("config/gpuwiz/mine.yaml",
                  "schema: gpuwiz.catalog/1\ncompiled: 2026-12-01\n"
                  "sources: {me: {date: 2026-11-30, text: my contract}}\n"
                  "billing_rules:\n"
                  "- {id: spot_price_ratio, name: spot price, unit: of pay-as-you-go, value: 0.5,\n"
                  "   minimum: 0.4, maximum: 0.6, basis: quoted, source: me}\n"
                  "- {id: month_hours, name: price of a month in hours, unit: x hourly price, value: 400,\n"
                  "   minimum: 400, maximum: 400, basis: assumption, source: me}\n");
    if (!catalog_load(NULL, &own, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    plan_with(&own, PRETRAIN, &plan);
    const struct cost *before = cost_of(PRETRAIN, MODE_SPOT), *spot = &plan.offers[0].costs[MODE_SPOT];
    assert_near(spot->total_cny / before->total_cny, 5.0 / 3, 1e-6);
    assert_int_equal(before->lines[0].basis, BASIS_ASSUMPTION);
    assert_true(spot->lines[0].basis != BASIS_ASSUMPTION);
    assert_int_equal(spot->basis, BASIS_ASSUMPTION); /* how often it is lost is one still */
    assert_non_null(strstr(spot->lines[0].source, "my contract"));
    const struct cost *month = &plan.offers[0].costs[MODE_MONTHLY];
    assert_near(month->total_cny, fen(4 * 400 * A100_HOUR), 1e-9); /* two machines, two months */
    assert_int_equal(month->basis, BASIS_ASSUMPTION);
    plan_clear(&plan);
    catalog_clear(&own);
    remove(sandbox_path("config/gpuwiz/mine.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_days_of_lora_are_cheapest_by_the_hour),
        cmocka_unit_test(a_service_at_30_percent_load_is_cheapest_by_the_month),
        cmocka_unit_test(an_unknown_load_is_an_assumption_and_marked),
        cmocka_unit_test(prices_of_tokens_add_up_to_the_price_of_a_request),
        cmocka_unit_test(forty_days_of_pretraining_mix_a_month_with_hours),
        cmocka_unit_test(the_page_has_every_way_of_paying_side_by_side_and_in_words),
        cmocka_unit_test(totals_are_the_sums_of_their_lines_whatever_was_asked),
        cmocka_unit_test(a_region_leaves_out_what_has_no_price_there),
        cmocka_unit_test(a_rule_in_an_overlay_changes_totals_and_their_mark),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
