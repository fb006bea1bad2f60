/* billing_fixture.h - a small catalog written by hand, so that every expected figure can be worked
 * out on paper. Prices are those of the public lists of 2024-10 and 2026-09 where named so. */
#ifndef GPUWIZ_BILLING_FIXTURE_H
#define GPUWIZ_BILLING_FIXTURE_H

#include <string.h>
#include "engine/billing.h"

static const struct billing_rule fixture_rules[] = {
    {.id = "month_hours", .value = 480, .basis = "derived", .source = "quote", .date = "2026-09-24"},
    {.id = "year_ratio", .value = 0.85, .minimum = 0.85, .maximum = 1, .basis = "derived", .source = "", .date = ""},
    {.id = "year2_ratio", .value = 0.70, .basis = "assumption", .source = "", .date = ""},
    {.id = "year3_ratio", .value = 0.50, .basis = "assumption", .source = "", .date = ""},
    {.id = "year5_ratio", .value = 0.38, .basis = "assumption", .source = "", .date = ""},
    {.id = "savings_ratio_1y", .value = 0.657, .minimum = 0.56, .maximum = 0.78, .basis = "assumption", .source = "", .date = ""},
    {.id = "reserved_ratio_1y", .value = 0.657, .minimum = 0.56, .maximum = 0.78, .basis = "assumption", .source = "", .date = ""},
    {.id = "partial_upfront_share", .value = 0.5, .basis = "derived", .source = "", .date = ""},
    {.id = "spot_price_ratio", .value = 0.3, .minimum = 0.1, .maximum = 0.6, .basis = "assumption", .source = "", .date = ""},
    {.id = "spot_unprotected_ratio", .value = 0.9, .basis = "derived", .source = "", .date = ""},
};

static const struct disk fixture_disks[] = {
    {.id = "essd_pl0", .name = "PL0", .source = "", .date = "", .cny_gib_month = 0.5, .cny_gib_hour = 0.001,
     .iops_base = 1800, .iops_per_gib = 12, .iops_max = 10000, .mbps_base = 100, .mbps_per_gib = 0.25,
     .mbps_max = 180, .min_gib = 40, .max_gib = 32768},
    {.id = "essd_pl1", .name = "PL1", .source = "", .date = "2026-09-24", .cny_gib_month = 1, .cny_gib_hour = 0.0021,
     .iops_base = 1800, .iops_per_gib = 50, .iops_max = 50000, .mbps_base = 120, .mbps_per_gib = 0.5,
     .mbps_max = 350, .min_gib = 20, .max_gib = 32768},
    {.id = "essd_pl3", .name = "PL3", .source = "", .date = "", .cny_gib_month = 4, .cny_gib_hour = NAN,
     .iops_base = 1800, .iops_per_gib = 50, .iops_max = 1e6, .mbps_base = 120, .mbps_per_gib = 0.5,
     .mbps_max = 4000, .min_gib = 1261, .max_gib = 32768},
};

static const struct service fixture_services[] = {
    {.id = "oss_standard_lrs", .name = "OSS", .unit = "CNY/GB/month", .source = "", .date = "", .price_cny = 0.12},
    {.id = "oss_cross_region_replication", .name = "", .unit = "CNY/GB", .source = "", .date = "", .price_cny = 0.5},
    {.id = "snapshot", .name = "", .unit = "CNY/GiB/month", .source = "", .date = "", .price_cny = 0.12},
    {.id = "public_bandwidth", .name = "", .unit = "CNY/GB", .source = "", .date = "", .price_cny = 0.8},
};

static const struct serverless_rate fixture_functions[] = {
    {.series = "ampere", .gpu = "a10", .source = "", .date = "", .note = "", .card_gb = 24,
     .active_cu_per_gb_s = 1.8, .idle_cu_per_gb_s = 0.3},
};
static const struct serverless_tier fixture_tiers[] = {
    {"", "", 1e8, 0.00012}, {"", "", 5e8, 0.0001}, {"", "", NAN, 0.00008}};

static const struct managed_price fixture_managed[] = {
    {.product = "EAS", .gpu = "a10", .type = "ecs.gn7i-c8g1.2xlarge", .source = "", .date = "2026-06", .note = "", .cny_hour = 12.71},
};

static const struct gpu fixture_a10 = {.id = "a10", .name = "A10", .fp16_tflops = 125, .bf16_tflops = 125, .bf16 = true, .usable_gib = 22.2};
static const struct gpu fixture_t4 = {.id = "t4", .name = "T4", .fp16_tflops = 65, .bf16_tflops = NAN, .usable_gib = 14.75};

static const struct instance fixture_gn7i = {
    .type = "ecs.gn7i-c8g1.2xlarge", .family = "gn7i", .provider = "p", .status = STATUS_CURRENT,
    .gpu = &fixture_a10, .gpu_count = 1, .gpu_fraction = 1, .gpu_usable_gib = 22.2};
static const struct instance fixture_gn6i = {
    .type = "ecs.gn6i-c4g1.xlarge", .family = "gn6i", .provider = "p", .status = STATUS_CURRENT,
    .gpu = &fixture_t4, .gpu_count = 1, .gpu_fraction = 1, .gpu_usable_gib = 14.75};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct fixture {
    struct billing_rule rules[COUNT_OF(fixture_rules) + 8];
    struct catalog catalog;
    struct scenario scenario;
    struct price price;
    struct billing_input input;
};

/* A price with nothing quoted but the hour. */
static inline struct price fixture_hour(double hour)
{
    return (struct price){.type = "ecs.gn7i-c8g1.2xlarge", .region = "", .source = "list", .date = "2026-09-24",
                          .currency = "CNY", .payg_hour = hour, .month = NAN, .year = NAN, .year2 = NAN,
                          .year3 = NAN, .year5 = NAN, .spot_hour = NAN, .savings_hour_1y = NAN,
                          .savings_hour_3y = NAN, .reserved_hour_1y = NAN, .reserved_hour_3y = NAN,
                          .layer = "built in"};
}

static inline void fixture_add_rule(struct fixture *f, const char *id, double value)
{
    f->rules[f->catalog.rule_count++] =
        (struct billing_rule){.id = id, .name = "", .unit = "", .note = "", .value = value, .basis = "assumption", .source = "", .date = ""};
}

static inline void fixture_give(struct fixture *f, enum field_id id)
{
    f->scenario.given[id / 64] |= UINT64_C(1) << (id % 64);
}

/* A run of `hours` on one A10 at 9.5326 CNY/h; no losses until a test adds the rules. */
static inline void fixture_run(struct fixture *f, double hours)
{
    memset(f, 0, sizeof *f);
    memcpy(f->rules, fixture_rules, sizeof fixture_rules);
    for (size_t i = 0; i < COUNT_OF(fixture_rules); i++)
        f->rules[i].name = f->rules[i].unit = f->rules[i].note = "";
    f->catalog = (struct catalog){
        .rules = f->rules, .rule_count = COUNT_OF(fixture_rules),
        .disks = fixture_disks, .disk_count = COUNT_OF(fixture_disks),
        .services = fixture_services, .service_count = COUNT_OF(fixture_services),
        .serverless = fixture_functions, .serverless_count = COUNT_OF(fixture_functions),
        .serverless_tiers = fixture_tiers, .serverless_tier_count = COUNT_OF(fixture_tiers),
        .managed = fixture_managed, .managed_count = COUNT_OF(fixture_managed)};
    f->price = fixture_hour(9.5326);
    f->input = (struct billing_input){.catalog = &f->catalog, .instance = &fixture_gn7i, .price = &f->price,
                                      .nodes = 1, .scenario = &f->scenario, .compute_h = {hours, hours, hours},
                                      .today = "2026-12-01"};
}

static inline void fixture_service(struct fixture *f, double months, double hours_per_day, double busy)
{
    fixture_run(f, 0);
    f->input.service = true;
    f->input.months = months;
    f->input.hours_per_day = hours_per_day;
    f->input.busy_share = busy;
}

static inline struct cost fixture_cost(const struct fixture *f, enum billing_mode mode)
{
    struct cost cost;
    billing_cost(&f->input, mode, &cost);
    return cost;
}

#endif
