#include "tests/test.h"

#include <string.h>
#include "data/catalog.h"
#include "tests/sandbox.h"

static struct catalog catalog;

static int load(void **state)
{
    struct error error;
    char text[800];
    if (sandbox_begin(state) != 0)
        return -1;
    if (catalog_load("data", &catalog, &error))
        return 0;
    print_error("%s\n", error_text(&error, text, sizeof text));
    return -1;
}

static int unload(void **state)
{
    catalog_clear(&catalog);
    return sandbox_end(state);
}

/* ---- what is there -------------------------------------------------------------------------- */

static void the_catalog_holds_what_was_published(void **state)
{
    (void)state;
    assert_int_equal(catalog.instance_count, 125); /* the public types of the provider's pages */
    assert_int_equal(catalog.gpu_count, 35 + 13);  /* cards by the pages and the API; reference */
    assert_int_equal(catalog.region_count, 22);
    assert_int_equal(catalog.disk_count, 5);
    assert_true(catalog.model_count >= 100);
    assert_string_equal(catalog.date, "2026-12-01");
    assert_string_equal(catalog.price_date, "2026-09-24"); /* the newest quote */
}

/* Usable GiB: MiB of the Karpenter table / 1024: 15109, 22731, 81251, 45056. */
static void usable_memory_is_the_measured_one_not_the_label(void **state)
{
    (void)state;
    assert_near(catalog_gpu(&catalog, "t4")->usable_gib, 14.75, 0.001);
    assert_near(catalog_gpu(&catalog, "a10")->usable_gib, 22.2, 0.001);
    assert_near(catalog_gpu(&catalog, "a100-80")->usable_gib, 79.35, 0.0001);
    assert_near(catalog_gpu(&catalog, "l20")->usable_gib, 44.0, 0);
    assert_false(catalog_gpu(&catalog, "l20")->usable_assumed);
}

static void unknown_usable_memory_is_planned_by_the_rule_and_marked(void **state)
{
    (void)state;
    const struct gpu *pro = catalog_gpu(&catalog, "bw-72");
    assert_near(pro->usable_gib, 0.985 * 73415 / 1024, 1e-9); /* 70.6 */
    assert_true(pro->usable_assumed);
    const struct gpu *mi308x = catalog_gpu(&catalog, "mi308x-192"); /* only the label, 192 GB */
    assert_near(mi308x->usable_gib, 0.985 * 192, 1e-9);
    assert_true(mi308x->usable_assumed);
    /* "GPU 0 has a total capacity of 95.0x GiB": what PyTorch says on an H20 of 97871 MiB */
    const struct gpu *h20 = catalog_gpu(&catalog, "h20-96");
    assert_near(h20->usable_gib, 95, 1e-9);
    assert_false(h20->usable_assumed);
}

static void rates_are_dense_and_missing_ones_are_nan(void **state)
{
    (void)state;
    const struct gpu *h100 = catalog_gpu(&catalog, "h100-80");
    assert_near(h100->bf16_tflops, 989, 0); /* NVIDIA prints 1979 with sparsity */
    assert_near(h100->fp8_tflops, 1979, 0);
    assert_false(h100->sold);
    const struct gpu *v100 = catalog_gpu(&catalog, "v100-32");
    assert_true(isnan(v100->bf16_tflops));
    assert_true(isnan(v100->fp8_tflops));
    assert_false(v100->bf16);
    assert_int_equal(v100->arch, ARCH_VOLTA);
    assert_true(v100->sold);
    assert_true(isnan(catalog_gpu(&catalog, "ppu810-96")->bandwidth_gbs));
}

static void instances_are_what_the_family_page_says(void **state)
{
    (void)state;
    const struct instance *a10 = catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarge");
    assert_string_equal(a10->family, "gn7i");
    assert_ptr_equal(a10->gpu, catalog_gpu(&catalog, "a10"));
    assert_int_equal(a10->vcpu, 8);
    assert_near(a10->ram_gib, 30, 0);
    assert_int_equal(a10->link, LINK_NONE);
    assert_near(a10->gpu_usable_gib, 22.2, 0);
    const struct instance *a100 = catalog_instance(&catalog, "ecs.ebmgn7ex.32xlarge");
    assert_int_equal(a100->gpu_count, 8);
    assert_int_equal(a100->link, LINK_NVLINK);
    assert_near(a100->link_gbs, 600, 0);
    assert_int_equal(a100->rdma, RDMA_ERDMA);
    assert_near(a100->rdma_gbps, 160, 0);
    assert_true(a100->bare_metal);
    assert_int_equal(catalog_instance(&catalog, "ecs.sccgn6.24xlarge")->status, STATUS_RETIRED);
    assert_near(catalog_instance(&catalog, "ecs.gn5-c8g1.14xlarge")->local_nvme_gib, 3520, 0);
    assert_near(a100->local_nvme_gib, 0, 0);
}

/* Half a T4 measured: 7611 MiB; half an A10 not: half of 22.2 GiB. */
static void a_slice_has_its_share_of_the_card(void **state)
{
    (void)state;
    const struct instance *t4 = catalog_instance(&catalog, "ecs.vgn6i-m8-vws.2xlarge");
    assert_near(t4->gpu_fraction, 0.5, 0);
    assert_near(t4->gpu_usable_gib, 7611.0 / 1024, 0.0001);
    const struct instance *a10 = catalog_instance(&catalog, "ecs.vgn7i-vws-m12.3xlarge");
    assert_near(a10->gpu_usable_gib, 11.1, 1e-9);
    assert_near(catalog_instance(&catalog, "ecs.sgn7i-vws-m2.xlarge")->gpu_fraction, 1.0 / 12, 1e-9);
}

static void lookups_are_exact(void **state)
{
    (void)state;
    assert_null(catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarg"));
    assert_null(catalog_instance(&catalog, "ECS.GN7I-C8G1.2XLARGE"));
    assert_null(catalog_gpu(&catalog, ""));
    assert_null(catalog_gpu(&catalog, NULL));
    assert_non_null(catalog_format(&catalog, "nf4-dq"));
    assert_non_null(catalog_model(&catalog, "qwen2.5-7b"));
    assert_non_null(catalog_disk(&catalog, "essd_pl1"));
    assert_non_null(catalog_service(&catalog, "oss_public_egress"));
    assert_non_null(catalog_region(&catalog, "cn-wulanchabu"));
}

/* ---- prices --------------------------------------------------------------------------------- */

static void prices_are_the_published_ones(void **state)
{
    (void)state;
    const struct price *a10 = catalog_price(&catalog, "ecs.gn7i-c8g1.2xlarge", "");
    assert_near(a10->payg_hour, 9.5326, 0);
    assert_near(a10->month, 4575.66, 0);
    assert_near(a10->month, 480 * a10->payg_hour, 0.00001); /* the rule, to the cent */
    assert_true(isnan(a10->year));
    assert_string_equal(a10->currency, "CNY");
    assert_string_equal(a10->layer, "built in");
    assert_near(catalog_price(&catalog, "ecs.gn7e-c16g1.32xlarge", "")->payg_hour, 277.933, 0);
    assert_null(catalog_price(&catalog, "ecs.gn7-c12g1.3xlarge", "")); /* no public price */
}

static void a_region_has_its_own_price_or_none(void **state)
{
    (void)state;
    const char *type = "ecs.gn7i-c8g1.2xlarge";
    const struct price *cheap = catalog_price(&catalog, type, "cn-wulanchabu");
    assert_near(cheap->payg_hour, 8.5794, 0);
    assert_true(isnan(cheap->month)); /* quoted for the list price, not for this region */
    assert_near(catalog_price(&catalog, type, "us-east-1")->payg_hour, 15.1442, 0);
    assert_null(catalog_price(&catalog, type, "us-west-1"));
    assert_null(catalog_price(&catalog, "ecs.gn5-c28g1.7xlarge", ""));
    assert_near(catalog_price(&catalog, "ecs.gn5-c28g1.7xlarge", "us-west-1")->payg_hour, 20.59, 0);
}

static void promotions_never_pass_for_the_list_price(void **state)
{
    (void)state;
    const struct price *list = catalog_price(&catalog, "ecs.gn6i-c4g1.xlarge", "");
    assert_false(list->promotion);
    assert_near(list->payg_hour, 11.63, 0);
    assert_true(isnan(list->month)); /* 1674 is the promotion */
    assert_true(list[1].promotion);
    assert_near(list[1].month, 1674, 0);
}

static void foreign_currency_and_hearsay_say_so(void **state)
{
    (void)state;
    const struct price *abroad = catalog_price(&catalog, "ecs.gn8v-8x.48xlarge", "us-east-1");
    assert_string_equal(abroad->currency, "USD");
    assert_near(abroad->month, 36.22 * 730, 1e-6);
    assert_null(catalog_price(&catalog, "ecs.gn8v-8x.48xlarge", ""));
    assert_true(catalog_price(&catalog, "ecs.gn8v.4xlarge", "")->low_confidence);
    assert_false(catalog_price(&catalog, "ecs.gn8is.2xlarge", "")->low_confidence);
}

static void prices_are_sorted_by_type_and_region(void **state)
{
    (void)state;
    for (size_t i = 1; i < catalog.price_count; i++) {
        const struct price *a = &catalog.prices[i - 1], *b = a + 1;
        int order = strcmp(a->type, b->type);
        assert_true(order < 0 || (order == 0 && strcmp(a->region, b->region) < 0) ||
                    (order == 0 && strcmp(a->region, b->region) == 0 && !a->promotion && b->promotion));
    }
}

static void billing_rules_carry_their_span_and_basis(void **state)
{
    (void)state;
    const struct billing_rule *month = catalog_rule(&catalog, "month_hours");
    assert_near(month->value, 480, 0);
    assert_string_equal(month->basis, "derived");
    const struct billing_rule *spot = catalog_rule(&catalog, "spot_price_ratio");
    assert_near(spot->value, 0.3, 0);
    assert_near(spot->minimum, 0.1, 0);
    assert_near(spot->maximum, 0.6, 0);
    assert_string_equal(spot->basis, "assumption");
    assert_near(catalog_rule(&catalog, "year_ratio")->value, 0.85, 0);
    assert_near(catalog_rule(&catalog, "spot_unprotected_ratio")->value, 0.9, 0);
}

/* One million IOPS of PL3: (1e6 - 1800) / 50 = 19964 GiB. */
static void disks_carry_their_formulas(void **state)
{
    (void)state;
    const struct disk *pl3 = catalog_disk(&catalog, "essd_pl3");
    assert_near(pl3->iops_base + pl3->iops_per_gib * 19964, pl3->iops_max, 0);
    assert_true(pl3->hour_assumed);
    assert_false(catalog_disk(&catalog, "essd_pl1")->hour_assumed);
    assert_near(catalog_disk(&catalog, "essd_pl1")->cny_gib_hour, 0.0021, 0);
    assert_true(isnan(catalog_disk(&catalog, "cloud_ssd")->cny_gib_month));
    assert_near(catalog.serverless_tiers[0].up_to_cu, 1e8, 0);
    assert_true(isnan(catalog.serverless_tiers[2].up_to_cu));
}

/* ---- weight formats ------------------------------------------------------------------------- */

static void every_form_that_a_scenario_may_name_is_there(void **state)
{
    (void)state;
    static const char *const ids[] = {
        "bf16", "fp16", "fp32", "fp8", "int8", "gptq-int8", "gptq-int4", "awq-int4", "int4-g32", "nf4",
        "nf4-dq", "mxfp4", "gguf-q2_k", "gguf-q2_k_s", "gguf-q3_k_s", "gguf-q3_k_m", "gguf-q3_k_l",
        "gguf-q4_0", "gguf-q4_k_s", "gguf-q4_k_m", "gguf-q5_k_s", "gguf-q5_k_m", "gguf-q6_k",
        "gguf-q8_0", "gguf-iq1_s", "gguf-iq4_xs", "gguf-iq4_nl"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!catalog_format(&catalog, ids[i]))
            fail_msg("%s is missing", ids[i]);
}

static void bits_per_weight_follow_from_the_layout(void **state)
{
    (void)state;
    assert_near(catalog_format(&catalog, "gptq-int4")->bits_per_weight, 4 + 20.0 / 128, 1e-9);
    assert_near(catalog_format(&catalog, "gptq-int8")->bits_per_weight, 8 + 24.0 / 128, 1e-9);
    assert_near(catalog_format(&catalog, "nf4")->bits_per_weight, 4 + 32.0 / 64, 1e-9);
    assert_near(catalog_format(&catalog, "nf4-dq")->bits_per_weight, 4 + 8.0 / 64 + 32.0 / 16384, 1e-4);
    assert_near(catalog_format(&catalog, "mxfp4")->bits_per_weight, 17 * 8.0 / 32, 1e-9);
    assert_near(catalog_format(&catalog, "fp8")->bits_per_weight, 8 + 32.0 / 16384, 1e-9);
    assert_near(catalog_format(&catalog, "gguf-q4_k_m")->bits_whole_file, 4.8944, 1e-9);
    assert_near(catalog_format(&catalog, "gguf-q6_k")->bits_per_weight, 210 * 8.0 / 256, 1e-9);
    assert_true(isnan(catalog_format(&catalog, "nf4")->bits_whole_file));
}

static void the_parts_left_in_16_bits_are_known(void **state)
{
    (void)state;
    const struct weight_format *nf4 = catalog_format(&catalog, "nf4");
    assert_int_equal(nf4->kept_16bit, KEPT_EMBEDDINGS | KEPT_HEAD | KEPT_NORMS);
    assert_false(nf4->experts_only);
    const struct weight_format *mxfp4 = catalog_format(&catalog, "mxfp4");
    assert_true(mxfp4->experts_only);
    assert_true(mxfp4->kept_16bit & KEPT_ATTENTION);
    assert_false(catalog_format(&catalog, "bf16")->quantised);
    assert_int_equal(catalog_format(&catalog, "gguf-q4_k_m")->kept_16bit, 0);
}

/* ---- unknown names -------------------------------------------------------------------------- */

static void names_of_articles_are_answered(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"gn8i", "gn8is"},          {"gn7v", "gn8v"},
        {"ecs.gn7v", "gn8v"},       {"gn7i-c1g1xlarge", "ecs.gn7i-c8g1.2xlarge"},
        {"ecs.gn7i-c1g1xlarge", "ecs.gn7i-c8g1.2xlarge"},
        {"gn6i-c4g1", "ecs.gn6i-c4g1.xlarge"},
        {"L4", "gn8is"},            {"L40S", "l40s"},
        {"H100", "h100-80"},        {"GPU H", "h20-96"},
        {"ecs.gn8i.8xlarge", "gn8is"}, {"ecs.gn7v-c16g1.4xlarge", "gn8v"},
        {"ecs.gn8te.4xlarge", "g49e-48"}, {"gpu h-e", "h20-141"},     {"gn7i", "ecs.gn7i-c8g1.2xlarge"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct alias *alias = catalog_alias(&catalog, pairs[i][0]);
        if (!alias || !strstr(alias->answer, pairs[i][1]))
            fail_msg("%s is not answered by %s", pairs[i][0], pairs[i][1]);
    }
    assert_null(catalog_alias(&catalog, "gn7vv"));
    assert_null(catalog_alias(&catalog, "xgn7v"));
    /* a wrong size of a family that exists: the nearest type says more than the family */
    assert_null(catalog_alias(&catalog, "ecs.gn7i-c9g1.2xlarge"));
}

static void an_alias_answers_before_the_nearest_name(void **state)
{
    (void)state;
    struct error error;
    assert_false(catalog_unknown(&catalog, "instance", "ecs.gn8i", &error));
    assert_string_equal(error.message, "unknown instance 'ecs.gn8i'");
    assert_non_null(strstr(error.hint, "gn8is gn8v"));
    assert_non_null(strstr(error.hint, "H100"));
}

static void a_misspelt_id_gets_the_nearest(void **state)
{
    (void)state;
    struct error error;
    assert_false(catalog_unknown(&catalog, "gpu", "h20-69", &error));
    assert_non_null(strstr(error.hint, "h20-96"));
    catalog_unknown(&catalog, "instance", "gn7i-c8g1.2xlarge", &error);
    assert_non_null(strstr(error.hint, "did you mean ecs.gn7i-c8g1.2xlarge"));
    catalog_unknown(&catalog, "gpu", "zzzzzzzzzzzzzzzzzzzzzz", &error);
    assert_null(strstr(error.hint, "did you mean"));
    assert_true(error.hint[0] != '\0');
}

/* ---- dates ---------------------------------------------------------------------------------- */

/* 2024-10-09 to 2026-09-24: 22 days left of October, 61 to the end of the year, 365 of 2025 and 267
 * to September 24 (31+28+31+30+31+30+31+31+24): 715. */
static void ages_count_days(void **state)
{
    (void)state;
    assert_near(catalog_age_days("2024-10-09", "2026-09-24"), 715, 0);
    assert_near(catalog_age_days("2024-02-28", "2024-03-01"), 2, 0); /* a leap year */
    assert_near(catalog_age_days("2026-06", "2026-06-11"), 10, 0);
    assert_near(catalog_age_days("2026", "2026-02-01"), 31, 0);
    assert_near(catalog_age_days("2026-02-01", "2026-01-01"), -31, 0);
    static const char *const bad[] = {"", "seed", "2026-13", "2026-1", "26-01-01", "2026-01-01x", "2026-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!isnan(catalog_age_days(bad[i], "2026-01-01")))
            fail_msg("'%s' was taken for a date", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_catalog_holds_what_was_published),
        cmocka_unit_test(usable_memory_is_the_measured_one_not_the_label),
        cmocka_unit_test(unknown_usable_memory_is_planned_by_the_rule_and_marked),
        cmocka_unit_test(rates_are_dense_and_missing_ones_are_nan),
        cmocka_unit_test(instances_are_what_the_family_page_says),
        cmocka_unit_test(a_slice_has_its_share_of_the_card),
        cmocka_unit_test(lookups_are_exact),
        cmocka_unit_test(prices_are_the_published_ones),
        cmocka_unit_test(a_region_has_its_own_price_or_none),
        cmocka_unit_test(promotions_never_pass_for_the_list_price),
        cmocka_unit_test(foreign_currency_and_hearsay_say_so),
        cmocka_unit_test(prices_are_sorted_by_type_and_region),
        cmocka_unit_test(billing_rules_carry_their_span_and_basis),
        cmocka_unit_test(disks_carry_their_formulas),
        cmocka_unit_test(every_form_that_a_scenario_may_name_is_there),
        cmocka_unit_test(bits_per_weight_follow_from_the_layout),
        cmocka_unit_test(the_parts_left_in_16_bits_are_known),
        cmocka_unit_test(names_of_articles_are_answered),
        cmocka_unit_test(an_alias_answers_before_the_nearest_name),
        cmocka_unit_test(a_misspelt_id_gets_the_nearest),
        cmocka_unit_test(ages_count_days),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
