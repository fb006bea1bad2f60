/* Losses, checkpoints and restarts. Published or worked-out figures stand beside each case. */
#include "tests/test.h"

#include "base/units.h"
#include "engine/storage_cost.h"
#include "tests/billing_fixture.h"

#define MINUTES 60.0

static double waste(double checkpoint_h, double restart_h, double mtbf_h)
{
    return 1 - 1 / (billing_wall_hours(1000, checkpoint_h, 0, restart_h, mtbf_h) / 1000);
}

/* A 7B model on one spot machine (30 s to save, 10 min to restart, 24 h between losses): every 37
 * min, 3.3 % lost. On 16 machines, 1.5 h between losses: 20 % by the exact form (22 % linear). */
static void the_exact_form_gives_the_waste_of_the_worked_examples(void **state)
{
    (void)state;
    assert_near(billing_checkpoint_interval(30 / 3600.0, 24) * MINUTES, 37.6, 0.005);
    assert_near(waste(30 / 3600.0, 1 / 6.0, 24), 0.033, 0.01);
    assert_near(billing_checkpoint_interval(30 / 3600.0, 1.5) * MINUTES, 9.15, 0.005);
    assert_near(waste(30 / 3600.0, 1 / 6.0, 1.5), 0.20, 0.025);
    assert_near(waste(4 / 60.0, 1 / 6.0, 1.5), 0.35, 0.02);
}

/* By hand: M = 10, R = 1, C = 0.5, t = 2, T = 100:
 * 10 x e^0.1 x (e^0.25 - 1) x 50 = 10 x 1.1051709 x 0.2840254 x 50 = 156.9484 */
static void wall_hours_follow_daly_equation_20(void **state)
{
    (void)state;
    assert_near(billing_wall_hours(100, 0.5, 2, 1, 10), 156.9484, 1e-6);
}

static void the_interval_chosen_cannot_be_bettered_by_a_tenth_of_a_percent(void **state)
{
    (void)state;
    for (double checkpoint = 0.001; checkpoint < 0.5; checkpoint *= 2)
        for (double mtbf = 1; mtbf < 1e4; mtbf *= 3) {
            double chosen = billing_wall_hours(1e4, checkpoint, 0, 0.1, mtbf), best = INFINITY;
            double interval = billing_checkpoint_interval(checkpoint, mtbf);
            for (double k = 0.5; k < 2; k += 0.01)
                best = fmin(best, billing_wall_hours(1e4, checkpoint, k * interval, 0.1, mtbf));
            assert_true(chosen <= best * 1.001);
        }
}

static void no_losses_means_no_rework(void **state)
{
    (void)state;
    assert_near(billing_wall_hours(72, 0, 0, 1, INFINITY), 72, 1e-12);
    assert_near(billing_wall_hours(72, 0.1, 0, 1, INFINITY), 72.1, 1e-12); /* saved once, at the end */
    assert_near(billing_wall_hours(72, 0.1, 0.9, 1, INFINITY), 80, 1e-12); /* 80 saves of 0.1 h */
    assert_near(billing_wall_hours(72, 0, 0, 1, 10), 72 * exp(0.1), 1e-12); /* saved all the time */
}

static void a_short_job_is_one_segment(void **state)
{
    (void)state; /* 10 x e^0.1 x (e^0.06 - 1), T = 0.5 < the interval, C = 0.1 */
    assert_near(billing_wall_hours(0.5, 0.1, 5, 1, 10), 10 * exp(0.1) * expm1(0.06), 1e-12);
}

/* Llama 3: one failure in 50,000 GPU-hours; 2,048 machines of 8 fail every 3.05 h, as reported. */
static void hardware_fails_as_often_as_the_llama_3_report_says(void **state)
{
    (void)state;
    struct fixture f;
    struct instance eight = fixture_gn7i;
    eight.gpu_count = 8;
    fixture_run(&f, 100);
    fixture_add_rule(&f, "gpu_hours_between_failures", 50000);
    f.input.instance = &eight;
    f.input.nodes = 2048;
    assert_near(fixture_cost(&f, MODE_PAYG).mtbf_h, 3.0518, 1e-4);
}

/* 98 GB on one level-1 disk of 283 GiB: min(120 + 0.5 x 283, 350) = 261.5 MB/s, 374.8 s. */
static void a_checkpoint_takes_as_long_as_the_disk_needs(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 1000);
    fixture_add_rule(&f, "gpu_hours_between_failures", 50000);
    fixture_add_rule(&f, "restart_min", 15);
    f.input.checkpoint_bytes = 98e9; /* 2 x 91.27 GiB + 100 = 283 GiB */
    struct cost cost = fixture_cost(&f, MODE_PAYG);
    assert_near(cost.checkpoint_h * 3600, 98e9 / 261.5e6, 1e-9);
    assert_near(cost.restart_h, 0.25 + cost.checkpoint_h, 1e-12);
    f.scenario.disk = "essd_pl3";
    f.scenario.disk_gib = 8000; /* min(120 + 4000, 4000) = 4000 MB/s: 24.5 s */
    fixture_give(&f, FIELD_DISK);
    fixture_give(&f, FIELD_DISK_GIB);
    assert_near(fixture_cost(&f, MODE_PAYG).checkpoint_h * 3600, 24.5, 1e-9);
    f.input.nodes = 4; /* each writes its part */
    assert_near(fixture_cost(&f, MODE_PAYG).checkpoint_h * 3600, 6.125, 1e-9);
}

static void fixture_spot(struct fixture *f, double hours, double between_losses)
{
    fixture_run(f, hours);
    fixture_add_rule(f, "restart_min", 15);
    fixture_add_rule(f, "spot_protected_h", 1);
    f->input.checkpoint_bytes = 98e9;
    f->scenario.spot_hours_between_losses = between_losses;
    fixture_give(f, FIELD_SPOT_HOURS_BETWEEN_LOSSES);
}

static void the_protected_hour_makes_losses_rarer(void **state)
{
    (void)state;
    struct fixture f;
    fixture_spot(&f, 100, 3);
    struct cost with = fixture_cost(&f, MODE_SPOT), without = fixture_cost(&f, MODE_SPOT_UNPROTECTED);
    assert_near(with.mtbf_h, 4, 1e-12);
    assert_near(without.mtbf_h, 3, 1e-12);
    assert_true(with.wall_h < without.wall_h);
    f.input.nodes = 2;
    assert_near(fixture_cost(&f, MODE_SPOT).mtbf_h, 2, 1e-12);
}

/* 9.52 % of machines released in 30 days: 720 h / -ln(0.9048) = 7197 h between losses of one. The
 * user's own figure still wins over it, and it over the rule. */
static void the_providers_release_rate_becomes_hours_between_losses(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 100);
    fixture_add_rule(&f, "spot_hours_between_losses", 24);
    assert_near(fixture_cost(&f, MODE_SPOT_UNPROTECTED).mtbf_h, 24, 1e-9);
    f.price.spot_released_percent = 9.52;
    assert_near(fixture_cost(&f, MODE_SPOT_UNPROTECTED).mtbf_h, 7197, 1);
    f.scenario.spot_hours_between_losses = 10;
    fixture_give(&f, FIELD_SPOT_HOURS_BETWEEN_LOSSES);
    assert_near(fixture_cost(&f, MODE_SPOT_UNPROTECTED).mtbf_h, 10, 1e-9);
}

static void spot_is_refused_alone_below_half_goodput(void **state)
{
    (void)state;
    struct fixture f;
    struct cost costs[MODE_COUNT];
    fixture_spot(&f, 100, 24);
    billing_costs(&f.input, costs);
    assert_false(costs[MODE_SPOT].refused_alone);
    fixture_spot(&f, 100, 0.2);
    billing_costs(&f.input, costs);
    assert_true(costs[MODE_SPOT_UNPROTECTED].goodput < 0.5);
    assert_true(costs[MODE_SPOT_UNPROTECTED].refused_alone);
    fixture_give(&f, FIELD_BILLING);
    f.scenario.billing = BILLING_SPOT;
    f.input.nodes = 16;
    billing_costs(&f.input, costs);
    assert_int_equal(billing_cheapest(&f.scenario, costs), MODE_COUNT);
}

static void spot_is_refused_alone_without_half_as_much_time_again(void **state)
{
    (void)state;
    struct fixture f;
    fixture_spot(&f, 100, 1e6);
    f.input.deadline_h = 140;
    assert_true(fixture_cost(&f, MODE_SPOT).refused_alone);
    assert_false(fixture_cost(&f, MODE_SPOT).misses_deadline);
    assert_false(fixture_cost(&f, MODE_PAYG).refused_alone);
    f.input.deadline_h = 160;
    assert_false(fixture_cost(&f, MODE_SPOT).refused_alone);
    f.input.deadline_h = 90;
    assert_true(fixture_cost(&f, MODE_PAYG).misses_deadline);
}

/* Spot at exactly the ratio said to be its limit costs what pay-as-you-go does. */
static void the_spot_limit_is_where_both_cost_the_same(void **state)
{
    (void)state;
    struct fixture f;
    fixture_spot(&f, 300, 6);
    fixture_add_rule(&f, "gpu_hours_between_failures", 50000);
    f.scenario.spot_price_ratio = fixture_cost(&f, MODE_SPOT).break_even_price_ratio;
    assert_true(f.scenario.spot_price_ratio < 1);
    fixture_give(&f, FIELD_SPOT_PRICE_RATIO);
    assert_near(fixture_cost(&f, MODE_SPOT).total_cny, fixture_cost(&f, MODE_PAYG).total_cny, 1e-5);
}

static void the_users_own_interval_is_kept(void **state)
{
    (void)state;
    struct fixture f;
    fixture_spot(&f, 300, 6);
    double best = fixture_cost(&f, MODE_SPOT).wall_h;
    f.scenario.checkpoint_minutes = 240;
    fixture_give(&f, FIELD_CHECKPOINT_MINUTES);
    struct cost cost = fixture_cost(&f, MODE_SPOT);
    assert_near(cost.interval_h, 4, 1e-12);
    assert_true(cost.wall_h > best);
}

/* Size formulas of the block storage page: level 3 at its minimum of 1,261 GiB gives 64,850 IOPS and
 * 750.5 MB/s; a million IOPS needs (1,000,000 - 1,800) / 50 = 19,964 GiB, 79,856 CNY a month. */
static void the_million_iops_of_level_3_are_bought_by_size(void **state)
{
    (void)state;
    const struct disk *disk = &fixture_disks[2];
    assert_near(billing_disk_iops(disk, 1261), 64850, 1e-12);
    assert_near(billing_disk_bytes_per_s(disk, 1261), 750.5e6, 1e-12);
    struct fixture f;
    fixture_run(&f, 100);
    struct storage_option options[STORAGE_OPTIONS];
    assert_int_equal(storage_options(&f.input, options), 3);
    assert_near(options[2].gib, 1261, 1e-12);
    assert_near(options[2].cny_month, 5044, 1e-12);
    assert_near(options[2].full_iops_gib, 19964, 1e-12);
    assert_near(options[2].full_iops_cny_month, 79856, 1e-12);
}

static void storage_is_sized_by_checkpoints_and_weights(void **state)
{
    (void)state;
    struct fixture f;
    fixture_run(&f, 100);
    f.input.nodes = 2;
    f.input.checkpoint_bytes = 100 * GIB;
    f.input.load_bytes = 20 * GIB;
    assert_near(storage_need_gib(&f.input), 210, 1e-12); /* 100 + (200 + 20) / 2 */
    struct hidden_cost costs[HIDDEN_COSTS];
    int count = storage_hidden_costs(&f.input, costs);
    assert_true(count >= 6);
    assert_near(costs[0].cny, 420, 1e-12);        /* two disks of 210 GiB at 1.00 */
    assert_near(costs[1].cny, 420 * 0.12, 1e-12); /* their first snapshots */
    assert_near(costs[3].cny, 20 * GIB / 1e9 * 0.5, 1e-12); /* weights read from another region */
    assert_true(isnan(costs[5].cny));             /* no shared file system in this catalog */
}

TEST_MAIN(cmocka_unit_test(the_exact_form_gives_the_waste_of_the_worked_examples),
          cmocka_unit_test(wall_hours_follow_daly_equation_20),
          cmocka_unit_test(the_interval_chosen_cannot_be_bettered_by_a_tenth_of_a_percent),
          cmocka_unit_test(no_losses_means_no_rework),
          cmocka_unit_test(a_short_job_is_one_segment),
          cmocka_unit_test(hardware_fails_as_often_as_the_llama_3_report_says),
          cmocka_unit_test(a_checkpoint_takes_as_long_as_the_disk_needs),
          cmocka_unit_test(the_protected_hour_makes_losses_rarer),
          cmocka_unit_test(the_providers_release_rate_becomes_hours_between_losses),
          cmocka_unit_test(spot_is_refused_alone_below_half_goodput),
          cmocka_unit_test(spot_is_refused_alone_without_half_as_much_time_again),
          cmocka_unit_test(the_spot_limit_is_where_both_cost_the_same),
          cmocka_unit_test(the_users_own_interval_is_kept),
          cmocka_unit_test(the_million_iops_of_level_3_are_bought_by_size),
          cmocka_unit_test(storage_is_sized_by_checkpoints_and_weights))
