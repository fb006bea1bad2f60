/* Figures of every billing mode, worked out by hand (the sums stand beside them). */
#include "tests/test.h"

#include "base/i18n.h"
#include "base/text.h"
#include "engine/money.h"
#include "engine/storage_cost.h"
#include "engine/unit_price.h"
#include "tests/billing_fixture.h"

#define CNY(cost, mode, fen) assert_int_equal((cost)[mode].total_fen, (fen))

static void money_is_rounded_half_away_from_zero(void **state)
{
    (void)state;
    assert_int_equal(money_fen(1.005), 101);
    assert_int_equal(money_fen(-1.005), -101);
    assert_int_equal(money_fen(2.675), 268);
    assert_int_equal(money_fen(0.0049), 0);
    assert_int_equal(money_fen(NAN), 0);
    assert_int_equal(money_fen(1e300), 90000000000000000);
    assert_int_equal(money_times(3, 0.335), 101); /* 1.005 */
}

/* The worked example of three days of LoRA at 13 CNY an hour and 3,200 a month: 13 x 72 = 936;
 * 3200 / 13 = 246.15 h a month, 8.09 a day. */
static void three_days_of_lora_cost_936_by_the_hour_and_a_whole_month_otherwise(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    f.price.payg_hour = 13;
    f.price.month = 3200;
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    CNY(costs, MODE_PAYG, 93600);
    CNY(costs, MODE_MONTHLY, 320000);
    assert_near(costs[MODE_MONTHLY].break_even_h_per_month, 246.1538, 1e-6);
    assert_near(costs[MODE_MONTHLY].break_even_h_per_day, 8.0928, 1e-4);
    assert_near(costs[MODE_MONTHLY].amortise_months, 3200 / 9490.0, 1e-9); /* 13 x 730 = 9490 */
    assert_near(costs[MODE_MONTHLY].committed_h, 730, 1e-12);
    assert_near(costs[MODE_MONTHLY].per_hour_cny, 44.4444, 1e-5); /* 3200 / 72 */
    assert_false(costs[MODE_PAYG_STOP].available);
    assert_false(costs[MODE_MIXED].available);
    assert_int_equal(billing_cheapest(&f.scenario, costs), MODE_SPOT_UNPROTECTED);
}

static void subscriptions_without_a_quote_follow_the_rules_and_say_so(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    CNY(costs, MODE_MONTHLY, 457565); /* 480 x 9.5326 = 4575.648 */
    CNY(costs, MODE_YEARLY, 4667161); /* 4575.648 x 12 x 0.85 = 46671.6096 */
    CNY(costs, MODE_2YEAR, 7687089);  /* x 24 x 0.70 = 76870.8864 */
    CNY(costs, MODE_3YEAR, 8236166);  /* x 36 x 0.50 = 82361.664 */
    CNY(costs, MODE_5YEAR, 10432477); /* x 60 x 0.38 = 104324.7744 */
    assert_int_equal(costs[MODE_PAYG].basis, BASIS_QUOTED);
    assert_int_equal(costs[MODE_MONTHLY].basis, BASIS_RULE);
    assert_int_equal(costs[MODE_3YEAR].basis, BASIS_ASSUMPTION);
    assert_near(costs[MODE_YEARLY].high_cny, 54907.776, 1e-9); /* no yearly discount: x 12 */
}

static void a_quote_wins_over_a_rule(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    f.price.year = 50000;
    f.price.spot_hour = 2;
    f.price.reserved_hour_1y = 6;
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    CNY(costs, MODE_YEARLY, 5000000);
    CNY(costs, MODE_SPOT, 14400);        /* 72 x 2 */
    CNY(costs, MODE_RESERVED, 5256000);  /* 8760 x 6 */
    assert_int_equal(costs[MODE_SPOT].basis, BASIS_QUOTED);
    assert_string_equal(costs[MODE_YEARLY].lines[0].date, "2026-09-24");
}

static void a_promotion_is_no_base_for_a_year(void **state)
{
    (void)state;
    struct fixture f; /* the T4 month of 1,674 CNY is a promotion; its list month is 480 x 11.63 */
    fixture_run(&f, 72);
    f.price.payg_hour = 11.63;
    f.price.month = 1674;
    f.price.promotion = true;
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    CNY(costs, MODE_MONTHLY, 167400);
    CNY(costs, MODE_YEARLY, 5694048); /* 5582.4 x 12 x 0.85 = 56940.48 */
    assert_true(costs[MODE_MONTHLY].promotion);
}

static void commitments_are_charged_for_the_whole_term_however_they_are_paid(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    struct cost savings = fixture_cost(&f, MODE_SAVINGS);
    assert_int_equal(savings.total_fen, 5486316); /* 9.5326 x 0.657 x 8760 = 54863.1634 */
    assert_near(savings.committed_h, 8760, 1e-12);
    assert_near(savings.upfront_cny[UPFRONT_ALL], 54863.16, 1e-12);
    assert_near(savings.upfront_month_cny[UPFRONT_ALL], 0, 1e-12);
    assert_near(savings.upfront_cny[UPFRONT_PART], 27431.58, 1e-12);
    assert_near(savings.upfront_month_cny[UPFRONT_PART], 2285.965, 1e-9);
    assert_near(savings.upfront_month_cny[UPFRONT_NONE], 4571.93, 1e-9);
    struct cost reserved = fixture_cost(&f, MODE_RESERVED);
    assert_int_equal(reserved.total_fen, 5486316);
    assert_near(reserved.break_even_h_per_month, 479.61, 1e-9); /* 0.657 x 730 */
    assert_near(reserved.low_cny, 46763.12256, 1e-9);  /* x 0.56 */
    assert_near(reserved.high_cny, 65134.34928, 1e-9); /* x 0.78 */
}

static void a_three_year_term_is_taken_when_it_costs_less(void **state)
{
    (void)state;
    struct fixture f;
    fixture_service(&f, 36, 24, 1);
    f.price.savings_hour_1y = 6;
    f.price.savings_hour_3y = 4;
    assert_int_equal(fixture_cost(&f, MODE_SAVINGS).total_fen, 10512000); /* 26280 x 4 */
    f.input.months = 6; /* 8760 x 6 = 52560 against 105120 */
    assert_int_equal(fixture_cost(&f, MODE_SAVINGS).total_fen, 5256000);
}

static void spot_without_losses_is_the_ratio_of_pay_as_you_go(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    assert_int_equal(fixture_cost(&f, MODE_SPOT).total_fen, 20590);            /* 205.90416 */
    assert_int_equal(fixture_cost(&f, MODE_SPOT_UNPROTECTED).total_fen, 18531);/* 185.313744 */
    assert_near(fixture_cost(&f, MODE_SPOT).low_cny, 68.63472, 1e-9);  /* ratio 0.1 */
    assert_near(fixture_cost(&f, MODE_SPOT).high_cny, 411.80832, 1e-9);/* ratio 0.6 */
    f.scenario.spot_price_ratio = 0.5;
    f.price.spot_hour = 2; /* the user's own figure wins even over a quote */
    fixture_give(&f, FIELD_SPOT_PRICE_RATIO);
    struct cost mine = fixture_cost(&f, MODE_SPOT);
    assert_int_equal(mine.total_fen, 34317); /* 343.1736 */
    assert_int_equal(mine.basis, BASIS_ASSUMPTION);
    assert_near(mine.break_even_price_ratio, 1, 1e-12);
    assert_true(mine.may_not_start);
}

/* A10, first tier: in use 24 GB x 1.8 x 3600 s x 0.00012 = 18.6624 CNY/h, kept warm 3.1104. A month
 * at 30 %: 730 x (0.3 x 18.6624 + 0.7 x 3.1104) = 4087.0656 + 1589.4144. */
static void a_function_is_charged_in_use_and_kept_warm(void **state)
{
    (void)state;
    struct fixture f;
    fixture_service(&f, 1, 24, 0.3);
    struct cost cost = fixture_cost(&f, MODE_SERVERLESS);
    assert_int_equal(cost.line_count, 2);
    assert_int_equal(cost.lines[0].amount_fen, 408707);
    assert_int_equal(cost.lines[1].amount_fen, 158941);
    assert_int_equal(cost.total_fen, 567648);
    assert_near(cost.low_cny, 4087.0656, 1e-9); /* scaled to zero */
    assert_near(cost.break_even_busy_share_cold, 0.510792, 1e-5);       /* 9.5326 / 18.6624 */
    assert_near(cost.break_even_busy_share, 0.412950, 1e-5); /* (9.5326 - 3.1104) / 15.552 */
}

static void function_units_fall_into_monthly_tiers(void **state)
{
    (void)state;
    struct fixture f; /* 730 x 3600 x 72 GB x 1.8 = 340,588,800 units: 12000 + 24058.88 a month */
    fixture_service(&f, 2, 24, 1);
    f.input.nodes = 3;
    assert_int_equal(fixture_cost(&f, MODE_SERVERLESS).total_fen, 7211776);
    f.input.instance = &fixture_gn6i;
    assert_string_equal(fixture_cost(&f, MODE_SERVERLESS).why_not, "no function rate for this GPU");
}

static void the_managed_product_has_its_own_price_for_the_type(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    assert_int_equal(fixture_cost(&f, MODE_MANAGED).total_fen, 91512); /* 12.71 x 72 */
    f.input.instance = &fixture_gn6i;
    assert_false(fixture_cost(&f, MODE_MANAGED).available);
}

/* 8 hours a day: 730 / 3 = 243.33 h used. Left on: 730 x 13 = 9490; stopped: 3163.33. The disk of
 * 200 GiB lives all month in both: 200 x 730 x 0.0021 = 306.60. */
static void stopping_saves_hours_but_not_disks(void **state)
{
    (void)state;
    struct fixture f;
    fixture_service(&f, 1, 8, 1);
    f.price.payg_hour = 13;
    f.scenario.disk_gib = 200;
    fixture_give(&f, FIELD_DISK_GIB);
    struct cost left_on = fixture_cost(&f, MODE_PAYG), stopped = fixture_cost(&f, MODE_PAYG_STOP);
    assert_int_equal(left_on.total_fen, 949000 + 30660);
    assert_int_equal(stopped.total_fen, 316333 + 30660);
    assert_near(stopped.storage_cny, 306.60, 1e-12);
    assert_near(stopped.per_month_cny, 3163.3333 + 306.60, 1e-6);
    struct instance local = fixture_gn7i;
    local.local_nvme_gib = 440;
    f.input.instance = &local;
    assert_false(fixture_cost(&f, MODE_PAYG_STOP).available);
}

static void hidden_costs_are_lines_of_the_total_when_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 73);
    f.input.nodes = 2;
    f.price.payg_hour = 10;
    f.scenario.disk = "essd_pl1";
    f.scenario.disk_gib = 200;
    f.scenario.oss_gb = 500;
    f.scenario.cross_region_gb = 1000;
    fixture_give(&f, FIELD_DISK);
    fixture_give(&f, FIELD_DISK_GIB);
    fixture_give(&f, FIELD_OSS_GB);
    fixture_give(&f, FIELD_CROSS_REGION_GB);
    struct cost hourly = fixture_cost(&f, MODE_PAYG), monthly = fixture_cost(&f, MODE_MONTHLY);
    /* 2 x 73 x 10 = 1460; 2 x 200 x 73 x 0.0021 = 61.32; 500 x 0.1 x 0.12 = 6; 1000 x 0.5 = 500 */
    assert_int_equal(hourly.line_count, 4);
    assert_int_equal(hourly.total_fen, 146000 + 6132 + 600 + 50000);
    assert_near(hourly.storage_cny, 567.32, 1e-12);
    /* bought with the machines: 2 x 200 GiB x 1 month x 1.00 = 400 */
    assert_int_equal(monthly.total_fen, 960000 + 40000 + 600 + 50000);
    f.price.currency = "USD";
    struct cost dollars = fixture_cost(&f, MODE_PAYG);
    assert_int_equal(dollars.total_fen, 146000);
    assert_true(dollars.storage_left_out);
    assert_false(fixture_cost(&f, MODE_SERVERLESS).available);
    assert_false(fixture_cost(&f, MODE_MANAGED).available);
}

/* 73 h are a tenth of a month: 1000 GiB of snapshots at 0.12 a month = 12.00; 50 GB to the internet at
 * 0.50 = 25.00, once. The shared file system has no price in this catalog: said, not guessed. */
static void snapshots_and_public_traffic_are_in_the_total_when_asked_for(void **state)
{
    (void)state;
    static const struct service services[] = {
        {.id = "snapshot", .unit = "", .source = "", .date = "", .price_cny = 0.12},
        {.id = "oss_public_egress", .unit = "", .source = "", .date = "", .price_cny = 0.5}};
    struct fixture f;
    fixture_run(&f, 73);
    double before = fixture_cost(&f, MODE_PAYG).total_cny;
    f.catalog.services = services;
    f.catalog.service_count = 2;
    f.scenario.snapshot_gib = 1000;
    f.scenario.public_gb = 50;
    f.scenario.shared_gib = 100;
    fixture_give(&f, FIELD_SNAPSHOT_GIB);
    fixture_give(&f, FIELD_PUBLIC_GB);
    struct cost cost = fixture_cost(&f, MODE_PAYG);
    assert_near(cost.total_cny - before, 37.00, 1e-9);
    assert_near(cost.storage_cny, 37.00, 1e-9);
    assert_false(cost.storage_left_out);
    fixture_give(&f, FIELD_SHARED_GIB);
    cost = fixture_cost(&f, MODE_PAYG);
    assert_near(cost.total_cny - before, 37.00, 1e-9);
    assert_true(cost.storage_left_out);
}

/* 800 h at 13 / h and 3,200 a month: 3200 + 70 x 13 = 4110. 1,000 h: 270 x 13 = 3510 > 3200, so a
 * second month. */
static void a_long_run_mixes_whole_months_with_hours(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 800);
    f.price.payg_hour = 13;
    f.price.month = 3200;
    struct cost cost = fixture_cost(&f, MODE_MIXED);
    assert_int_equal(cost.total_fen, 411000);
    assert_int_equal(cost.commitment, MODE_MONTHLY);
    assert_int_equal(cost.rest, MODE_PAYG);
    fixture_run(&f, 1000);
    f.price.payg_hour = 13;
    f.price.month = 3200;
    assert_int_equal(fixture_cost(&f, MODE_MIXED).total_fen, 640000);
}

/* Four machines at half load on the straight line: needed 1, 3/4, 1/2, 1/4 of the time. u* = 3200 /
 * 9490 = 0.337, so three are committed; the fourth costs 0.25 x 730 x 13 = 2372.50 on demand, or
 * 0.3 of that on spot. */
static void a_service_commits_the_machines_needed_more_than_the_break_even_share(void **state)
{
    (void)state;
    struct fixture f;
    fixture_service(&f, 1, 24, 0.5);
    f.input.nodes = 4;
    f.price.payg_hour = 13;
    f.price.month = 3200;
    f.scenario.spot_price_ratio = 1;
    fixture_give(&f, FIELD_SPOT_PRICE_RATIO);
    struct cost cost = fixture_cost(&f, MODE_MIXED);
    assert_int_equal(cost.committed_machines, 3);
    assert_int_equal(cost.rest, MODE_PAYG);
    assert_int_equal(cost.total_fen, 960000 + 237250);
    f.scenario.spot_price_ratio = 0.3; /* u* is 1.12 against spot: only the base load is committed */
    cost = fixture_cost(&f, MODE_MIXED);
    assert_int_equal(cost.committed_machines, 1);
    assert_int_equal(cost.rest, MODE_SPOT);
    assert_int_equal(cost.total_fen, 320000 + 427050); /* 1.5 x 730 x 3.9 = 4270.50 */
    assert_true(cost.may_not_start);
}

/* The same in replicas of two machines, which come and go together: needed 1 and 1/2 of the time. On
 * spot the second costs 2 x 0.5 x 730 x 3.9 = 2847.00. One replica over all four has no rest: half a
 * model serves nobody, so no machine of it is left to the market. */
static void machines_of_one_replica_are_paid_for_together(void **state)
{
    (void)state;
    struct fixture f;
    fixture_service(&f, 1, 24, 0.5);
    f.input.nodes = 4;
    f.input.replica_nodes = 2;
    f.price.payg_hour = 13;
    f.price.month = 3200;
    f.scenario.spot_price_ratio = 0.3;
    fixture_give(&f, FIELD_SPOT_PRICE_RATIO);
    struct cost cost = fixture_cost(&f, MODE_MIXED);
    assert_int_equal(cost.committed_machines, 2);
    assert_int_equal(cost.total_fen, 640000 + 284700);
    f.input.replica_nodes = 4;
    cost = fixture_cost(&f, MODE_MIXED);
    assert_int_equal(cost.committed_machines, 4);
    assert_int_equal(cost.total_fen, 1280000);
    assert_false(cost.may_not_start);
}

static void no_price_means_not_available_and_a_reason(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    f.input.price = NULL;
    f.catalog.managed_count = 0;
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        assert_false(costs[mode].available);
        assert_true(strlen(costs[mode].why_not) > 0);
        assert_true(isnan(costs[mode].total_cny));
    }
    assert_int_equal(billing_cheapest(&f.scenario, costs), MODE_COUNT);
    fixture_run(&f, 72);
    f.catalog.rule_count = 0; /* a quote of the hour alone, and no rules: the rest stays unknown */
    billing_costs(&f.input, costs);
    assert_true(costs[MODE_PAYG].available);
    assert_false(costs[MODE_MONTHLY].available);
    assert_false(costs[MODE_SPOT].available);
}

static void the_cheapest_is_one_the_answer_allows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 72);
    struct cost costs[MODE_COUNT];
    billing_costs(&f.input, costs);
    const struct { enum billing answer; enum billing_mode mode; } cases[] = {
        {BILLING_PAYG, MODE_PAYG}, {BILLING_MONTHLY, MODE_MONTHLY}, {BILLING_YEARLY, MODE_YEARLY},
        {BILLING_3YEAR, MODE_3YEAR}, {BILLING_SAVINGS, MODE_SAVINGS},
        {BILLING_RESERVED, MODE_RESERVED}, {BILLING_SPOT, MODE_SPOT_UNPROTECTED},
        {BILLING_MIXED, MODE_COUNT}};
    fixture_give(&f, FIELD_BILLING);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        f.scenario.billing = (int)cases[i].answer;
        assert_int_equal(billing_cheapest(&f.scenario, costs), cases[i].mode);
    }
}

static void every_mode_says_what_it_is_in_both_languages(void **state)
{
    (void)state;
    for (int language = LANGUAGE_EN; language <= LANGUAGE_ZH; language++) {
        i18n_set_language((enum language)language);
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            const struct billing_mode_info *info = &billing_modes[mode];
            const char *const texts[] = {info->label, info->charges, info->needs, info->risks, info->formula};
            assert_true(text_width(tr(info->label)) <= 16);
            for (size_t i = 0; i < COUNT_OF(texts); i++) {
                assert_true(strlen(texts[i]) > 0);
                assert_int_equal(strcmp(tr(texts[i]), texts[i]) != 0, language == LANGUAGE_ZH);
            }
        }
    }
    struct fixture f;
    struct strbuf text = {0};
    fixture_run(&f, 72);
    struct cost cost = fixture_cost(&f, MODE_MONTHLY);
    billing_explain(&f.input, &cost, MODE_MONTHLY, &text);
    assert_non_null(strstr(text.data, "1 台月 x 4575.65 = 4575.65 CNY"));
    strbuf_clear(&text);
    i18n_set_language(LANGUAGE_EN);
}

static void an_unknown_amount_of_work_still_has_rates(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, NAN);
    struct cost cost = fixture_cost(&f, MODE_PAYG);
    assert_true(cost.available);
    assert_true(isnan(cost.total_cny));
    assert_near(cost.per_hour_cny, 9.5326, 1e-12);
    assert_near(cost.per_month_cny, 6958.798, 1e-9); /* x 730 */
    assert_near(fixture_cost(&f, MODE_MONTHLY).per_month_cny, 4575.648, 1e-9);
}

static void prices_grow_stale_after_ninety_days(void **state)
{
    (void)state;
    assert_false(billing_stale(NULL, "2026-09-02", "2026-12-01")); /* 90 days */
    assert_true(billing_stale(NULL, "2026-09-01", "2026-12-01"));
    assert_false(billing_stale(NULL, "", "2026-12-01"));
    struct fixture f;
    fixture_run(&f, 72);
    assert_false(fixture_cost(&f, MODE_PAYG).stale);
    f.price.date = "2024-10-09";
    assert_true(fixture_cost(&f, MODE_PAYG).stale);
}

static void a_t4_lists_above_an_a10_per_gib_and_per_tflops(void **state)
{
    (void)state; /* 11.63 / 14.75 = 0.788, 9.5326 / 22.2 = 0.429; / 65 = 0.179, / 125 = 0.0763 */
    assert_near(unit_cny_per_gib_hour(&fixture_gn6i, 11.63), 0.78847, 1e-4);
    assert_near(unit_cny_per_gib_hour(&fixture_gn7i, 9.5326), 0.42940, 1e-4);
    assert_near(unit_cny_per_tflops_hour(&fixture_gn6i, 11.63), 0.17892, 1e-4);
    assert_near(unit_cny_per_tflops_hour(&fixture_gn7i, 9.5326), 0.07626, 1e-4);
}

static void unit_prices_divide_and_never_give_infinity(void **state)
{
    (void)state;
    assert_near(unit_cny_per_mtok(36, 1000), 10, 1e-12); /* 3.6 M tokens an hour */
    assert_near(unit_cny_per_1000_samples(936, 52000), 18, 1e-12);
    assert_near(unit_cny_per_run(936, 3), 312, 1e-12);
    assert_true(isnan(unit_cny_per_mtok(36, 0)));
    assert_true(isnan(unit_cny_per_1000_samples(936, NAN)));
}

/* 1,000 CNY at 9.5326 an hour are 104.903 h, and one month of subscription is out of reach. */
/* 36 CNY an hour at 1,000 tokens written a second is 10 a million, prompts paid. A quarter of the
 * time goes to prompts of 2,000 tokens for answers of 500: a million read costs 0.25 x 10 x 500 /
 * 2000 = 0.625, a million written 7.50, and a request of both 2000 x 0.625 + 500 x 7.5 = 500 x 10. */
static void an_hour_is_charged_once_to_prompts_and_answers(void **state)
{
    (void)state;
    struct token_price price = unit_token_price(36, 1000, 0.25, 2000, 500);
    assert_near(price.input, 0.625, 1e-12);
    assert_near(price.output, 7.5, 1e-12);
    assert_near(2000 * price.input + 500 * price.output, 500 * 10, 1e-12);
    price = unit_token_price(36, 1000, NAN, 2000, 500); /* prefill not modelled */
    assert_true(isnan(price.input));
    assert_near(price.output, 10, 1e-12);
}

static void a_budget_buys_hours_days_and_tokens(void **state)
{
    (void)state;
    struct fixture f;
    struct budget_answer answer;
    fixture_run(&f, 72);
    assert_true(billing_budget(&f.input, MODE_PAYG, 1000, 1000, &answer));
    assert_near(answer.wall_h, 104.9032, 1e-5);
    assert_near(answer.days, 4.37097, 1e-5);
    assert_near(answer.tokens, 377651500, 1e-5);
    assert_true(answer.whole_job);
    assert_false(billing_budget(&f.input, MODE_MONTHLY, 1000, 0, &answer));
    assert_true(billing_budget(&f.input, MODE_MONTHLY, 10000, 0, &answer)); /* two months */
    assert_near(answer.wall_h, 1460, 1e-9);
    fixture_service(&f, 3, 24, 1);
    assert_true(billing_budget(&f.input, MODE_MONTHLY, 10000, 0, &answer));
    assert_near(answer.months, 2, 1e-9);
    assert_false(answer.whole_job);
}

/* 10 minutes before the first useful step of 72 hours on two machines: 2 x 13 x (72 + 1/6). */
static void a_run_pays_its_start_on_every_machine(void **state)
{
    (void)state;
    struct fixture f;
    struct cost costs[MODE_COUNT];
    fixture_run(&f, 72);
    f.input.nodes = 2;
    f.price = fixture_hour(13);
    fixture_add_rule(&f, "start_min", 10);
    billing_costs(&f.input, costs);
    CNY(costs, MODE_PAYG, 187200 + 433); /* 2 x 13 x 72 and 4.33 */
    assert_int_equal(costs[MODE_PAYG].line_count, 2);
}

/* A service on spot alone goes down with the market: only the user may say so. */
static void spot_carries_a_service_only_when_it_was_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    struct cost costs[MODE_COUNT];
    fixture_service(&f, 3, 24, 1);
    billing_costs(&f.input, costs);
    assert_true(costs[MODE_SPOT].available && costs[MODE_SPOT].refused_alone);
    assert_true(billing_cheapest(&f.scenario, costs) != MODE_SPOT_UNPROTECTED);
    f.scenario.billing = BILLING_SPOT;
    fixture_give(&f, FIELD_BILLING);
    billing_costs(&f.input, costs);
    assert_int_equal(billing_cheapest(&f.scenario, costs), MODE_SPOT_UNPROTECTED);
}

TEST_MAIN(cmocka_unit_test(a_run_pays_its_start_on_every_machine),
          cmocka_unit_test(spot_carries_a_service_only_when_it_was_asked_for),
          cmocka_unit_test(money_is_rounded_half_away_from_zero),
          cmocka_unit_test(three_days_of_lora_cost_936_by_the_hour_and_a_whole_month_otherwise),
          cmocka_unit_test(subscriptions_without_a_quote_follow_the_rules_and_say_so),
          cmocka_unit_test(a_quote_wins_over_a_rule),
          cmocka_unit_test(a_promotion_is_no_base_for_a_year),
          cmocka_unit_test(commitments_are_charged_for_the_whole_term_however_they_are_paid),
          cmocka_unit_test(a_three_year_term_is_taken_when_it_costs_less),
          cmocka_unit_test(spot_without_losses_is_the_ratio_of_pay_as_you_go),
          cmocka_unit_test(a_function_is_charged_in_use_and_kept_warm),
          cmocka_unit_test(function_units_fall_into_monthly_tiers),
          cmocka_unit_test(the_managed_product_has_its_own_price_for_the_type),
          cmocka_unit_test(stopping_saves_hours_but_not_disks),
          cmocka_unit_test(hidden_costs_are_lines_of_the_total_when_asked_for),
          cmocka_unit_test(snapshots_and_public_traffic_are_in_the_total_when_asked_for),
          cmocka_unit_test(a_long_run_mixes_whole_months_with_hours),
          cmocka_unit_test(a_service_commits_the_machines_needed_more_than_the_break_even_share),
          cmocka_unit_test(machines_of_one_replica_are_paid_for_together),
          cmocka_unit_test(no_price_means_not_available_and_a_reason),
          cmocka_unit_test(the_cheapest_is_one_the_answer_allows),
          cmocka_unit_test(every_mode_says_what_it_is_in_both_languages),
          cmocka_unit_test(an_unknown_amount_of_work_still_has_rates),
          cmocka_unit_test(prices_grow_stale_after_ninety_days),
          cmocka_unit_test(a_t4_lists_above_an_a10_per_gib_and_per_tflops),
          cmocka_unit_test(unit_prices_divide_and_never_give_infinity),
          cmocka_unit_test(an_hour_is_charged_once_to_prompts_and_answers),
          cmocka_unit_test(a_budget_buys_hours_days_and_tokens))
