/* The JSON of the provider's command line, in its documented form, becomes an overlay that the
 * catalog takes. The catalog is the one that ships; each test has a configuration folder of its own. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "data/import.h"

#define A10 "ecs.gn7i-c8g1.2xlarge"
#define FILES "tests/data/import/"

static struct catalog catalog;
static char folder[64], overlay[128];
static struct strbuf report;
static struct error error;

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gpuwiz-import-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    setenv("XDG_CONFIG_HOME", folder, 1);
    snprintf(overlay, sizeof overlay, "%s/gpuwiz/imported.yaml", folder);
    return catalog_load(NULL, &catalog, &error) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char path[200];
    catalog_clear(&catalog);
    strbuf_clear(&report);
    unlink(overlay);
    snprintf(path, sizeof path, "%s/in.json", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/gpuwiz", folder);
    rmdir(path);
    return rmdir(folder);
}

static bool import_on(const char *path, const struct import_options *options)
{
    strbuf_reset(&report);
    return import_files(&catalog, &path, 1, options, overlay, &report, &error);
}

static bool import(const char *path)
{
    return import_on(path, &(struct import_options){.today = "2026-12-01"});
}

/* Imports and loads the catalog anew, as the next start does. */
static void import_and_reload(const char *path, const struct import_options *options)
{
    struct import_options plain = {.today = "2026-12-01"};
    if (!import_on(path, options ? options : &plain))
        fail_msg("%s (%s)", error.message, error.hint);
    catalog_clear(&catalog);
    if (!catalog_load(NULL, &catalog, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
}

static bool import_text(const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/in.json", folder);
    assert_true(file_write(path, text, strlen(text), true, &error));
    return import(path);
}

/* 9.74 with the disk of the request; the machine alone is 8.57934 after 10 % off 9.5326. */
static void a_price_is_that_of_the_machine_alone_as_paid(void **state)
{
    (void)state;
    import_and_reload(FILES A10 "-cn-beijing-hour.json", NULL);
    const struct price *price = catalog_price(&catalog, A10, "cn-beijing");
    assert_non_null(price);
    assert_near(price->payg_hour, 8.57934, 1e-12);
    assert_string_equal(price->date, "2026-12-01");
    assert_non_null(strstr(price->layer, "imported.yaml"));
    assert_non_null(strstr(price->source, "imported: aliyun ecs DescribePrice, cn-beijing, 2026-12-01"));
    assert_non_null(strstr(price->note, "list price 9.5326, 10.0 % off"));
    assert_near(catalog_price(&catalog, A10, "")->payg_hour, 9.5326, 1e-12); /* the list stays */
}

static void a_price_says_nothing_of_type_region_or_period_so_the_user_does(void **state)
{
    (void)state;
    assert_false(import(FILES "year.json"));
    assert_non_null(strstr(error.message, "which type"));
    assert_non_null(strstr(error.hint, "--type"));
    struct import_options options = {.type = A10, .region = "cn-beijing", .today = "2026-12-01"};
    import_and_reload(FILES "year.json", &options); /* "year" is in the name */
    assert_near(catalog_price(&catalog, A10, "cn-beijing")->year, 3712.8, 1e-12);
    options.period = "year3";
    import_and_reload(FILES "year.json", &options);
    const struct price *price = catalog_price(&catalog, A10, "cn-beijing");
    assert_near(price->year3, 3712.8, 1e-12);
    assert_near(price->year, 3712.8, 1e-12); /* of the import before */
    options.region = "cn-atlantis";
    assert_false(import_on(FILES "year.json", &options));
    options = (struct import_options){.type = "ecs.gn7i-c8g1.2xlarg", .region = "cn-beijing", .today = "2026-12-01"};
    assert_false(import_on(FILES "year.json", &options));
    assert_non_null(strstr(error.message, "ecs.gn7i-c8g1.2xlarg"));
}

/* The row of cn-beijing in the data is older than 90 days: its hour is kept and dates the row. */
static void a_kept_figure_keeps_its_date(void **state)
{
    (void)state;
    char before[32];
    snprintf(before, sizeof before, "%s", catalog_price(&catalog, A10, "cn-beijing")->date);
    struct import_options options = {.type = A10, .region = "cn-beijing", .period = "month", .today = "2027-12-01"};
    import_and_reload(FILES "year.json", &options);
    const struct price *price = catalog_price(&catalog, A10, "cn-beijing");
    assert_near(price->month, 3712.8, 1e-12);
    assert_near(price->payg_hour, 9.5326, 1e-12);
    assert_string_equal(price->date, before);
    options.period = "hour"; /* now everything in the row is of this day */
    import_and_reload(FILES "year.json", &options);
    assert_string_equal(catalog_price(&catalog, A10, "cn-beijing")->date, "2027-12-01");
}

/* Zone f: (3.0 + 4.0) / 2 over two pages; zone e: 4.5. The CPU type is left out. */
static void spot_history_gives_the_mean_of_the_cheapest_zone_over_all_pages(void **state)
{
    (void)state;
    import_and_reload(FILES "spot-history.json", NULL);
    const struct price *price = catalog_price(&catalog, A10, "cn-shenzhen");
    assert_near(price->spot_hour, 3.5, 1e-12);
    assert_near(price->payg_hour, 9.5, 1e-12);
    assert_non_null(strstr(price->note, "cn-shenzhen-f"));
    assert_string_equal(price->source, "imported: aliyun ecs DescribeSpotPriceHistory, cn-shenzhen, 2026-12-01");
    assert_non_null(strstr(report.data, "1  left out"));
}

/* 25 % of the hour of cn-beijing, 9.5326: the cheaper zone. The other type has no hour there. */
static void spot_advice_is_a_share_of_the_regions_own_hour(void **state)
{
    (void)state;
    import_and_reload(FILES "spot-advice.json", NULL);
    const struct price *price = catalog_price(&catalog, A10, "cn-beijing");
    assert_near(price->spot_hour, 2.38315, 1e-9);
    assert_non_null(strstr(price->note, "0-3% released"));
    assert_near(price->spot_released_percent, 1, 1e-9); /* the InterruptionRate of that zone */
    assert_non_null(strstr(report.data, "1  spot shares left out"));
}

static void types_are_compared_added_from_their_family_or_left_out(void **state)
{
    (void)state;
    size_t before = catalog.instance_count;
    import_and_reload(FILES "types-two-pages.json", NULL);
    assert_non_null(strstr(report.data, "2  pages read"));
    assert_non_null(strstr(report.data, "1  instance types new or changed"));
    assert_non_null(strstr(report.data, "2  instance types that agree"));
    assert_non_null(strstr(report.data, "1  GPU types left out"));
    assert_int_equal(catalog.instance_count, before + 1);
    const struct instance *added = catalog_instance(&catalog, "ecs.gn7e-c24g1.48xlarge");
    assert_non_null(added);
    assert_string_equal(added->gpu->id, "a100-80");
    assert_int_equal(added->gpu_count, 8);
    assert_int_equal(added->link, LINK_NVLINK);
    assert_near(added->network_gbps, 64, 1e-12); /* 65,536,000 / 1,024,000 */
    assert_int_equal(added->status, STATUS_API_ONLY);
    assert_null(catalog_instance(&catalog, "ecs.gn99z.xlarge"));
}

static void stock_is_a_note_that_the_next_import_replaces(void **state)
{
    (void)state;
    struct instance old = *catalog_instance(&catalog, A10);
    char note[400];
    snprintf(note, sizeof note, "%s", old.note);
    import_and_reload(FILES "stock.json", NULL);
    const struct instance *now = catalog_instance(&catalog, A10);
    assert_non_null(strstr(now->note, "[stock 2026-12-01: cn-beijing-i in stock, cn-beijing-l out of stock]"));
    assert_int_equal(strncmp(now->note, note, strlen(note)), 0);
    assert_int_equal(now->vcpu, old.vcpu);
    assert_near(now->gpu_usable_gib, old.gpu_usable_gib, 1e-9);
    assert_int_equal(now->status, old.status);
    struct import_options options = {.today = "2026-12-24"};
    import_and_reload(FILES "stock.json", &options);
    now = catalog_instance(&catalog, A10);
    assert_non_null(strstr(now->note, "[stock 2026-12-24"));
    assert_null(strstr(now->note, "2026-12-01"));
}

static void earlier_imports_stay(void **state)
{
    (void)state;
    import_and_reload(FILES "spot-history.json", NULL);
    import_and_reload(FILES "types-two-pages.json", NULL);
    import_and_reload(FILES A10 "-cn-beijing-hour.json", NULL);
    assert_near(catalog_price(&catalog, A10, "cn-shenzhen")->spot_hour, 3.5, 1e-12);
    assert_non_null(catalog_instance(&catalog, "ecs.gn7e-c24g1.48xlarge"));
    assert_near(catalog_price(&catalog, A10, "cn-beijing")->payg_hour, 8.57934, 1e-12);
}

static void what_is_not_an_answer_is_refused_and_nothing_is_written(void **state)
{
    (void)state;
    const char *const bad[] = {
        "", "   \n", "hello", "{", "{\"InstanceTypes\": ", "[1, 2]", "{\"Other\": 1}",
        "{\"InstanceTypes\": {\"InstanceType\": 3}}", "{\"SpotPrices\": 7}",
        "{\"InstanceTypes\": {\"InstanceType\": [{\"InstanceTypeId\": \"x\", \"GPUAmount\": \"many\"}]}}",
        "{\"InstanceTypes\": {\"InstanceType\": [{\"GPUAmount\": 1}]}}",
        "{\"Code\": \"Forbidden\", \"Message\": \"User not authorized\"}",
        "{\"InstanceTypes\": {\"InstanceType\": []}}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct error){0};
        if (import_text(bad[i]))
            fail_msg("taken: %s", bad[i]);
        assert_true(strlen(error.message) > 0);
        assert_int_equal(access(overlay, F_OK), -1);
    }
    assert_false(import_text("{\"Code\": \"Forbidden\", \"Message\": \"User not authorized\"}"));
    assert_non_null(strstr(error.message, "User not authorized"));
    assert_false(import("no/such/file.json"));
}

static void an_overlay_that_would_not_load_is_not_written(void **state)
{
    (void)state; /* no currency of three letters */
    assert_false(import_text("{\"Currency\": \"yuan\", \"SpotPrices\": {\"SpotPriceType\": [{\"ZoneId\": \"cn-beijing-i\", "
                             "\"InstanceType\": \"" A10 "\", \"SpotPrice\": 3}]}}"));
    assert_non_null(strstr(error.message, "yuan"));
    assert_int_equal(access(overlay, F_OK), -1);
}

static void an_error_on_a_later_page_names_its_line(void **state)
{
    (void)state;
    assert_false(import_text("{\"SpotPrices\": {\"SpotPriceType\": []}}\n\n\n{\"Other\":\n 1}\n"));
    assert_int_equal(error.line, 4);
}

static void quotes_and_control_characters_cannot_break_the_overlay(void **state)
{
    (void)state;
    assert_true(import_text("{\"RegionId\": \"cn-beijing\", \"AvailableSpotZones\": {\"AvailableSpotZone\": [{\"ZoneId\": "
                            "\"it's: {\\u0007}\", \"AvailableSpotResources\": {\"AvailableSpotResource\": [{\"InstanceType\": \""
                            A10 "\", \"AverageSpotDiscount\": 50, \"InterruptRateDesc\": \"#'\\\"\"}]}}]}}"));
    catalog_clear(&catalog);
    assert_true(catalog_load(NULL, &catalog, &error));
    assert_non_null(strstr(catalog_price(&catalog, A10, "cn-beijing")->note, "it's: {}"));
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

TEST_MAIN(IN_A_FOLDER(a_price_is_that_of_the_machine_alone_as_paid),
          IN_A_FOLDER(a_price_says_nothing_of_type_region_or_period_so_the_user_does),
          IN_A_FOLDER(a_kept_figure_keeps_its_date),
          IN_A_FOLDER(spot_history_gives_the_mean_of_the_cheapest_zone_over_all_pages),
          IN_A_FOLDER(spot_advice_is_a_share_of_the_regions_own_hour),
          IN_A_FOLDER(types_are_compared_added_from_their_family_or_left_out),
          IN_A_FOLDER(stock_is_a_note_that_the_next_import_replaces),
          IN_A_FOLDER(earlier_imports_stay),
          IN_A_FOLDER(what_is_not_an_answer_is_refused_and_nothing_is_written),
          IN_A_FOLDER(an_overlay_that_would_not_load_is_not_written),
          IN_A_FOLDER(an_error_on_a_later_page_names_its_line),
          IN_A_FOLDER(quotes_and_control_characters_cannot_break_the_overlay))
