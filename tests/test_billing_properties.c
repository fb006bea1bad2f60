/* What must hold for any job, checked over many made-up ones (fixed seed), and with the data that
 * ships. */
#include "tests/test.h"

#include <stdlib.h>
#include <time.h>
#include "base/units.h"
#include "tests/billing_fixture.h"

enum { JOBS = 3000 };

static uint64_t seed;

static double uniform(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static bool chance(double share)
{
    return uniform(0, 1) < share;
}

static void maybe(struct fixture *f, enum field_id id, double *member, double value)
{
    if (chance(0.3)) {
        *member = value;
        fixture_give(f, id);
    }
}

static void any_job(struct fixture *f)
{
    bool service = chance(0.5);
    fixture_run(f, exp(uniform(-2, 9)));
    if (service)
        fixture_service(f, uniform(0.1, 40), uniform(1, 24), uniform(0.01, 1));
    f->price.payg_hour = exp(uniform(0, 6));
    const double months[] = {480, 144, 600};
    if (chance(0.3))
        f->price.month = f->price.payg_hour * months[(int)uniform(0, 3)];
    if (chance(0.2))
        f->price.reserved_hour_1y = f->price.payg_hour * uniform(0.3, 0.9);
    f->input.nodes = 1 + (int)uniform(0, 16);
    fixture_add_rule(f, "gpu_hours_between_failures", 50000);
    fixture_add_rule(f, "restart_min", 15);
    fixture_add_rule(f, "spot_hours_between_losses", exp(uniform(0, 5)));
    fixture_add_rule(f, "spot_protected_h", 1);
    f->input.checkpoint_bytes = service ? 0 : exp(uniform(18, 28));
    f->input.load_bytes = exp(uniform(20, 27));
    maybe(f, FIELD_SPOT_PRICE_RATIO, &f->scenario.spot_price_ratio, uniform(0.1, 1));
    maybe(f, FIELD_DISK_GIB, &f->scenario.disk_gib, uniform(40, 4000));
    maybe(f, FIELD_OSS_GB, &f->scenario.oss_gb, uniform(0, 1e4));
    maybe(f, FIELD_CROSS_REGION_GB, &f->scenario.cross_region_gb, uniform(0, 1e4));
    maybe(f, FIELD_CHECKPOINT_MINUTES, &f->scenario.checkpoint_minutes, uniform(5, 600));
}

#define FOR_ANY_JOB(f) \
    seed = 20261201; \
    for (int job = 0; job < JOBS; job++) \
        if (any_job(&(f)), true)

static void a_total_is_the_sum_of_its_lines_to_the_fen(void **state)
{
    (void)state;
    struct fixture f;
    struct cost costs[MODE_COUNT];
    FOR_ANY_JOB(f) {
        billing_costs(&f.input, costs);
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            const struct cost *cost = &costs[mode];
            if (!cost->available)
                continue;
            int64_t sum = 0;
            for (int i = 0; i < cost->line_count; i++)
                sum += cost->lines[i].amount_fen;
            assert_int_equal(sum, cost->total_fen);
            assert_true(cost->total_cny == (double)sum / 100);
            assert_true(cost->line_count >= 1 && cost->line_count <= COST_LINES);
            assert_true(cost->low_cny <= cost->total_cny && cost->total_cny <= cost->high_cny);
            assert_true(cost->goodput > 0 && cost->goodput <= 1);
        }
    }
}

/* A mode may disappear (a mix needs a term's length) but never gets cheaper. One fen a line is left
 * for rounding. */
static void longer_is_never_cheaper(void **state)
{
    (void)state;
    struct fixture f;
    struct cost shorter[MODE_COUNT], longer[MODE_COUNT];
    FOR_ANY_JOB(f) {
        billing_costs(&f.input, shorter);
        double factor = exp(uniform(0, 2));
        f.input.months *= factor;
        for (int i = 0; i < 3; i++)
            f.input.compute_h[i] *= factor;
        billing_costs(&f.input, longer);
        for (int mode = 0; mode < MODE_COUNT; mode++)
            if (shorter[mode].available && longer[mode].available)
                assert_true(longer[mode].total_fen >= shorter[mode].total_fen - COST_LINES);
    }
}

static void more_machines_are_never_cheaper_an_hour(void **state)
{
    (void)state;
    struct fixture f;
    struct cost fewer[MODE_COUNT], more[MODE_COUNT];
    FOR_ANY_JOB(f) {
        billing_costs(&f.input, fewer);
        f.input.nodes++;
        billing_costs(&f.input, more);
        for (int mode = 0; mode < MODE_COUNT; mode++)
            if (fewer[mode].available && more[mode].available)
                assert_true(more[mode].per_month_cny >= fewer[mode].per_month_cny - 0.05);
    }
}

static void spot_without_losses_costs_the_ratio_of_pay_as_you_go(void **state)
{
    (void)state;
    struct fixture f;
    FOR_ANY_JOB(f) {
        f.catalog.rule_count = COUNT_OF(fixture_rules); /* no rule of losses */
        f.scenario.spot_price_ratio = uniform(0.1, 1);
        fixture_give(&f, FIELD_SPOT_PRICE_RATIO);
        struct cost spot = fixture_cost(&f, MODE_SPOT);
        struct cost payg = fixture_cost(&f, f.input.service ? MODE_PAYG_STOP : MODE_PAYG);
        assert_true(fabs((double)spot.lines[0].amount_fen -
                         f.scenario.spot_price_ratio * (double)payg.lines[0].amount_fen) <= 1);
    }
}

/* Just below the hours said, stopped pay-as-you-go is cheaper than a month's commitment; just above,
 * the commitment is. */
static void a_break_even_is_where_the_totals_cross(void **state)
{
    (void)state;
    struct fixture f;
    FOR_ANY_JOB(f) {
        if (!f.input.service)
            continue;
        memset(f.scenario.given, 0, sizeof f.scenario.given);
        f.input.months = 1;
        f.input.hours_per_day = 24;
        struct cost costs[MODE_COUNT];
        billing_costs(&f.input, costs);
        double hours = billing_break_even_hours(costs, MODE_MONTHLY, MODE_PAYG_STOP);
        assert_near(hours, costs[MODE_MONTHLY].break_even_h_per_month, 1e-12);
        assert_true(hours > 0 && hours < HOURS_PER_MONTH);
        for (int above = 0; above < 2; above++) {
            f.input.hours_per_day = hours / HOURS_PER_MONTH * 24 * (above ? 1.01 : 0.99);
            int64_t stopped = fixture_cost(&f, MODE_PAYG_STOP).total_fen;
            int64_t month = fixture_cost(&f, MODE_MONTHLY).total_fen;
            assert_true(above ? stopped > month : stopped < month);
        }
    }
}

static void functions_win_below_their_break_even_share_only(void **state)
{
    (void)state;
    struct fixture f;
    FOR_ANY_JOB(f) {
        if (!f.input.service)
            continue;
        memset(f.scenario.given, 0, sizeof f.scenario.given);
        f.input.months = 1;
        struct cost cost = fixture_cost(&f, MODE_SERVERLESS);
        double share = cost.break_even_busy_share;
        if (share < 0.02 || share > 0.98)
            continue;
        int64_t machines = fixture_cost(&f, MODE_PAYG_STOP).total_fen;
        f.input.busy_share = share * 0.99;
        assert_true(fixture_cost(&f, MODE_SERVERLESS).total_fen <= machines);
        f.input.busy_share = share * 1.01;
        assert_true(fixture_cost(&f, MODE_SERVERLESS).total_fen >= machines);
    }
}

static void a_mix_is_never_dearer_than_its_parts(void **state)
{
    (void)state;
    struct fixture f;
    struct cost costs[MODE_COUNT];
    FOR_ANY_JOB(f) {
        memset(f.scenario.given, 0, sizeof f.scenario.given);
        billing_costs(&f.input, costs);
        if (!costs[MODE_MIXED].available)
            continue;
        const enum billing_mode parts[] = {MODE_PAYG, MODE_PAYG_STOP, MODE_MONTHLY, MODE_YEARLY,
                                           MODE_2YEAR, MODE_3YEAR, MODE_5YEAR};
        for (size_t i = 0; i < COUNT_OF(parts); i++)
            if (costs[parts[i]].available)
                assert_true(costs[MODE_MIXED].total_fen <= costs[parts[i]].total_fen + COST_LINES);
    }
}

static void a_budget_is_spent_but_never_exceeded(void **state)
{
    (void)state;
    struct fixture f;
    seed = 7;
    for (int job = 0; job < 200; job++) {
        any_job(&f);
        double budget = exp(uniform(3, 14));
        struct budget_answer answer;
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            if (!billing_budget(&f.input, (enum billing_mode)mode, budget, 0, &answer))
                continue;
            struct billing_input bought = f.input;
            for (int i = 0; i < 3 && !bought.service; i++)
                bought.compute_h[i] = answer.useful_h;
            bought.months = answer.months;
            struct cost cost;
            billing_cost(&bought, (enum billing_mode)mode, &cost);
            assert_true(cost.total_cny <= budget);
            for (int i = 0; i < 3 && !bought.service; i++)
                bought.compute_h[i] *= 1.02;
            bought.months *= 1.02;
            billing_cost(&bought, (enum billing_mode)mode, &cost);
            assert_true(cost.total_cny > budget * 0.97); /* what is left buys less than 2 % more */
        }
    }
}

/* The three jobs of the billing panel, with the data that ships: every mode either has a price or
 * says why not, and each explanation names a source and ends with the risk. */
static void every_mode_is_explained_for_three_typical_jobs(void **state)
{
    (void)state;
    struct catalog catalog;
    struct error error;
    if (!catalog_load(NULL, &catalog, &error))
        fail_msg("%s", error.message);
    const struct instance *a10 = catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarge");
    assert_non_null(a10);
    for (int job = 0; job < 3; job++) {
        struct fixture f;
        if (job == 1)
            fixture_service(&f, 3, 24, 0.3);
        else
            fixture_run(&f, job == 0 ? 72 : 960);
        f.input.catalog = &catalog;
        f.input.instance = a10;
        f.input.price = catalog_price(&catalog, a10->type, "");
        f.input.nodes = job == 2 ? 16 : 1;
        f.input.checkpoint_bytes = job == 1 ? 0 : 98e9;
        struct cost costs[MODE_COUNT];
        billing_costs(&f.input, costs);
        assert_true(billing_cheapest(&f.scenario, costs) < MODE_COUNT);
        int available = 0;
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            struct strbuf text = {0};
            billing_explain(&f.input, &costs[mode], (enum billing_mode)mode, &text);
            available += costs[mode].available;
            assert_non_null(strstr(text.data, costs[mode].available ? "Risk: " : "Not available: "));
            for (int i = 0; i < costs[mode].line_count; i++) { /* dated, or marked as assumed */
                const struct cost_line *line = &costs[mode].lines[i];
                assert_true(*line->date || line->basis == BASIS_ASSUMPTION);
                assert_non_null(strstr(text.data, *line->date ? line->date : "assumption"));
                assert_non_null(strstr(text.data, line->source));
            }
            if (getenv("SHOW"))
                print_message("---- job %d %s\n%s\n", job, billing_modes[mode].key, text.data);
            strbuf_clear(&text);
        }
        assert_true(available >= 9);
    }
    catalog_clear(&catalog);
}

/* A plan asks for some 500 offers; 20 microseconds each is the bound, 10 times that is given here
 * for sanitizers and busy machines. */
static void pricing_an_offer_is_cheap(void **state)
{
    (void)state;
    struct catalog catalog;
    struct error error;
    assert_true(catalog_load(NULL, &catalog, &error));
    enum { TIMES = 2000 };
    struct fixture f;
    struct cost costs[MODE_COUNT];
    fixture_service(&f, 3, 12, 0.5);
    f.input.catalog = &catalog;
    f.input.nodes = 16;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < TIMES; i++) {
        f.input.busy_share = 0.3 + i * 1e-4;
        billing_costs(&f.input, costs);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double each = ((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec)) / TIMES;
    print_message("billing_costs: %.2f us\n", each * 1e6);
    assert_true(each < 200e-6);
    catalog_clear(&catalog);
}

TEST_MAIN(cmocka_unit_test(a_total_is_the_sum_of_its_lines_to_the_fen),
          cmocka_unit_test(longer_is_never_cheaper),
          cmocka_unit_test(more_machines_are_never_cheaper_an_hour),
          cmocka_unit_test(spot_without_losses_costs_the_ratio_of_pay_as_you_go),
          cmocka_unit_test(a_break_even_is_where_the_totals_cross),
          cmocka_unit_test(functions_win_below_their_break_even_share_only),
          cmocka_unit_test(a_mix_is_never_dearer_than_its_parts),
          cmocka_unit_test(a_budget_is_spent_but_never_exceeded),
          cmocka_unit_test(every_mode_is_explained_for_three_typical_jobs),
          cmocka_unit_test(pricing_an_offer_is_cheap))
