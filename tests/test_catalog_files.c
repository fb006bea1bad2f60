#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "data/catalog.h"
#include "data/data_files.h"
#include "engine/constants.h"
#include "tests/sandbox.h"

/* What a small overlay of one's own starts with. */
#define TOP "provider: Mine\nsources:\n  me: {date: 2026-11-01, text: my own notes}\n"

static struct catalog catalog;
static struct error error;

static void load(void)
{
    char text[800];
    if (!catalog_load("data", &catalog, &error))
        fail_msg("%s", error_text(&error, text, sizeof text));
}

/* ---- overlays ------------------------------------------------------------------------------- */

static void an_overlay_wins_row_by_row(void **state)
{
    (void)state;
    sandbox_write("config/gpuwiz/prices.yaml",
                  TOP "prices:\n"
                      "- {type: ecs.gn7i-c8g1.2xlarge, payg_hour: 7, source: me}\n"
                      "- {type: ecs.gn7-c12g1.3xlarge, payg_hour: 20, region: cn-beijing, source: me}\n");
    load();
    const struct price *mine = catalog_price(&catalog, "ecs.gn7i-c8g1.2xlarge", "");
    assert_near(mine->payg_hour, 7, 0);
    assert_true(isnan(mine->month)); /* the row is replaced, nothing of the old one shines through */
    assert_string_equal(mine->source, "my own notes");
    assert_string_equal(mine->date, "2026-11-01");
    assert_string_equal(mine->layer, sandbox_path("config/gpuwiz/prices.yaml"));
    assert_string_equal(catalog.price_date, "2026-11-01");
    /* other regions and other types keep theirs */
    const struct price *other = catalog_price(&catalog, "ecs.gn7i-c8g1.2xlarge", "cn-wulanchabu");
    assert_near(other->payg_hour, 8.5794, 0);
    assert_string_equal(other->layer, "built in");
    assert_near(catalog_price(&catalog, "ecs.gn7-c12g1.3xlarge", "cn-beijing")->payg_hour, 20, 0);
    catalog_clear(&catalog);
}

static void a_later_file_wins_over_an_earlier_one(void **state)
{
    (void)state;
    const char *const row = TOP "prices:\n- {type: ecs.gn7i-c8g1.2xlarge, payg_hour: %d, source: me}\n";
    char text[300];
    snprintf(text, sizeof text, row, 5);
    sandbox_write("config/gpuwiz/b.yaml", text);
    snprintf(text, sizeof text, row, 6);
    sandbox_write("config/gpuwiz/a.yaml", text);
    load();
    assert_near(catalog_price(&catalog, "ecs.gn7i-c8g1.2xlarge", "")->payg_hour, 5, 0);
    catalog_clear(&catalog);
}

static void a_replaced_gpu_keeps_its_place_and_its_instances(void **state)
{
    (void)state;
    load();
    ptrdiff_t place = catalog_gpu(&catalog, "a10") - catalog.gpus;
    size_t count = catalog.gpu_count;
    catalog_clear(&catalog);
    sandbox_write("config/gpuwiz/mine.yaml",
                  TOP "gpus:\n- {id: a10, name: My A10, arch: ampere, marketed_gb: 24, usable_gib: 21, source: me}\n");
    load();
    const struct gpu *a10 = catalog_gpu(&catalog, "a10");
    assert_string_equal(a10->name, "My A10");
    assert_int_equal(a10 - catalog.gpus, place);
    assert_int_equal(catalog.gpu_count, count);
    const struct instance *instance = catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarge");
    assert_ptr_equal(instance->gpu, a10);
    assert_near(instance->gpu_usable_gib, 21, 0);
    catalog_clear(&catalog);
}

static void files_of_other_kinds_beside_the_overlays_are_left_alone(void **state)
{
    (void)state;
    sandbox_write("config/gpuwiz/calibration.yaml", "calibrations: []\n");
    sandbox_write("config/gpuwiz/lesson.yaml", "schema: gpuwiz.lesson/1\nanything: 1\n");
    sandbox_write("config/gpuwiz/notes.txt", "not: [yaml\n");
    load();
    catalog_clear(&catalog);
}

static void a_second_provider_stands_beside_the_first(void **state)
{
    (void)state;
    load();
    size_t instances = catalog.instance_count;
    catalog_clear(&catalog);
    char text[8192];
    FILE *file = fopen("tests/data/second_provider.yaml", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    sandbox_write("config/gpuwiz/example.yaml", text);
    load();
    assert_int_equal(catalog.instance_count, instances + 3);
    const struct instance *large = catalog_instance(&catalog, "x1.large");
    assert_string_equal(large->provider, "Example Cloud");
    assert_string_equal(catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarge")->provider, "Alibaba Cloud");
    assert_true(catalog_gpu(&catalog, "example-64")->sold);
    assert_int_equal(large->rdma, RDMA_ROCE);
    assert_near(catalog_instance(&catalog, "y1.half")->gpu_usable_gib, 14.75 / 2, 0.001);
    const struct price *price = catalog_price(&catalog, "x1.large", "");
    assert_string_equal(price->currency, "EUR");
    assert_near(price->month, 9000, 0);
    assert_near(catalog_price(&catalog, "x1.small", "us-east-1")->payg_hour, 2.75, 0);
    int same_id = 0;
    for (size_t i = 0; i < catalog.region_count; i++)
        same_id += strcmp(catalog.regions[i].id, "us-east-1") == 0;
    assert_int_equal(same_id, 2);
    catalog_clear(&catalog);
}

/* ---- what is refused ------------------------------------------------------------------------ */

/* Text after TOP, what stands at the place that the error names, and what message and hint hold. */
struct bad {
    const char *text, *at, *message, *hint;
};

/* The place of a part of a text, from 1. */
static void find_place(const char *text, const char *part, int *line, int *column)
{
    *line = *column = 1;
    for (const char *p = strstr(text, part); p && text < p; text++) {
        *line += *text == '\n';
        *column = *text == '\n' ? 1 : *column + 1;
    }
}

#define GPU "{id: g, name: G, arch: ada, marketed_gb: 24, source: me"
#define FAMILY "{family: f, status: current, gpu: a10, source: me, types: ["
#define ROW "type: t, vcpu: 8, ram_gib: 30, gpus: 1, network_gbps: 5"

static const struct bad bad_files[] = {
    {"gpu: []\n", "gpu: []", "unknown key 'gpu'", "gpus"},
    {"gpus: 5\n", "5\n", "`gpus` is a list", ""},
    {"gpus: [a10]\n", "a10]", "record", ""},
    {"gpus:\n- {id: g, name: G, marketed_gb: 24, source: me}\n", "{id: g, name: G, marketed_gb", "arch", ""},
    {"gpus:\n- " GPU ", bandwith_gbs: 600}\n", "bandwith_gbs", "unknown key 'bandwith_gbs'", "bandwidth_gbs"},
    {"gpus:\n- " GPU ", bandwidth_gbs: fast}\n", "fast", "a number", ""},
    {"gpus:\n- " GPU ", pcie_gen: 16}\n", "16}", "outside 1 to 9", ""},
    {"gpus:\n- {id: g, name: G, arch: lovelace, marketed_gb: 24, source: me}\n", "lovelace", "lovelace", "ada"},
    {"gpus:\n- {id: g, name: G, arch: ada, marketed_gb: 24, source: you}\n", "you}", "unknown source 'you'", "sources"},
    {"gpus:\n- {id: g, name: G, arch: ada, marketed_gb: 24, source: {you: x}}\n", "you: x", "unknown source 'you'", ""},
    {"gpus:\n- {id: g, name: G, arch: ada, marketed_gb: 24}\n", "{id: g", "source", ""},
    {"gpus:\n- " GPU ", date: soon}\n", "soon", "'soon' is no date", "2026-09-24"},
    {"gpus:\n- " GPU "}\n- " GPU ", bf16: yes}\n", GPU ", bf16", "twice", "line 5"},
    {"instances:\n- " FAMILY "]}\n", "[]}", "types", ""},
    {"instances:\n- " FAMILY "{type: t, vcpu: 8}]}\n", "{type: t", "ram_gib", ""},
    {"instances:\n- " FAMILY "{" ROW ", gpu: a11}]}\n", "{type: t", "unknown gpu 'a11'", "a10"},
    {"instances:\n- " FAMILY "{" ROW ", gpu_fraction: 1/x}]}\n", "1/x", "'1/x' is no fraction", ""},
    {"instances:\n- " FAMILY "{" ROW ", gpu_fraction: 3}]}\n", "3}", "'3' is no fraction", ""},
    {"instances:\n- " FAMILY "{type: t, vcpu: 8, ram_gib: 30, gpus: 2, network_gbps: 5}]}\n", "{type: t, vcpu: 8, ram_gib: 30, gpus: 2", "no `link`", ""},
    {"prices:\n- {type: ecs.gn7i, payg_hour: 5, source: me}\n", "{type: ecs", "unknown instance 'ecs.gn7i'", "A10"},
    {"prices:\n- {type: ecs.gn7i-c8g1.2xlarge, source: me}\n", "{type: ecs", "at least one amount", ""},
    {"prices:\n- {type: ecs.gn7i-c8g1.2xlarge, payg_hour: -1, source: me}\n", "-1, source", "outside", ""},
    {"prices:\n- {type: ecs.gn7i-c8g1.2xlarge, payg_hour: 1, region: cn-bejing, source: me}\n", "{type: ecs", "unknown region 'cn-bejing'", "cn-beijing"},
    {"prices:\n- {type: ecs.gn7i-c8g1.2xlarge, regions: {cn-beijing: 0}, source: me}\n", "0}", "above 0", ""},
    {"prices:\n- {type: ecs.gn7i-c8g1.2xlarge, payg_hour: 1, currency: yuan, source: me}\n", "yuan", "no currency", ""},
    {"billing_rules:\n- {id: r, name: R, unit: x, value: 3, minimum: 1, maximum: 2, basis: quoted, source: me}\n", "value", "outside its minimum..maximum", ""},
    {"billing_rules:\n- {id: r, name: R, unit: x, value: 1, minimum: 1, maximum: 2, basis: felt, source: me}\n", "felt", "unknown basis 'felt'", "assumption"},
    {"weight_formats:\n- {id: w, name: W, bits_per_weight: 4, compute_bits: 16, keep_16bit: [head], source: me}\n", "head]", "unknown part 'head'", "lm_head"},
    {"weight_formats:\n- {id: w, name: W, bits_per_weight: 4, compute_bits: 16, keep_16bit: norms, source: me}\n",
     "norms", "list of parts", ""},
    {"aliases:\n- {name: n, answer: gn99, note: N, source: me}\n", "{name", "'gn99'", ""},
    {"models:\n- {id: m, layers: 2}\n", "{id: m", "", ""},
    {"schema: gpuwiz.catalog/2\n", "gpuwiz.catalog/2", "gpuwiz.catalog/2", "gpuwiz.catalog/1"},
};

static void bad_files_are_refused_with_place_and_reason(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const struct bad *bad = &bad_files[i];
        char text[1000];
        snprintf(text, sizeof text, TOP "%s", bad->text);
        const char *path = sandbox_write("config/gpuwiz/bad.yaml", text);
        int line, column;
        find_place(text, bad->at, &line, &column);
        error = (struct error){0};
        if (catalog_load("data", &catalog, &error))
            fail_msg("accepted: %s", bad->text);
        assert_null(catalog.arena); /* nothing is half loaded */
        if (strcmp(error.file, path) != 0 || error.line != line || error.column != column ||
            !strstr(error.message, bad->message) || !strstr(error.hint, bad->hint)) {
            print_error("%s%s\n", bad->text, error_text(&error, text, sizeof text));
            failed++;
        }
    }
    assert_int_equal(failed, 0);
}

static void rows_of_instances_need_a_provider(void **state)
{
    (void)state;
    sandbox_write("config/gpuwiz/bad.yaml",
                  "sources: {me: {date: 2026, text: notes}}\n"
                  "instances: [" FAMILY "{" ROW "}]}]\n");
    assert_false(catalog_load("data", &catalog, &error));
    assert_non_null(strstr(error.message, "provider"));
    assert_int_equal(error.line, 2);
}

/* ---- gpuwiz check --------------------------------------------------------------------------- */

static const struct data_kind *const kinds[] = {&catalog_kind, &constants_kind, NULL};

static void every_shipped_file_passes_the_check(void **state)
{
    (void)state;
    static const char *const names[] = {"regions", "gpus",    "instances", "prices",
                                        "services", "weights", "aliases",  "models",
                                        "engine"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[80], text[800];
        snprintf(path, sizeof path, "data/%s.yaml", names[i]);
        if (!data_check_file(path, "data", kinds, &error))
            fail_msg("%s", error_text(&error, text, sizeof text));
    }
    assert_true(data_check_file("tests/data/second_provider.yaml", "data", kinds, &error));
}

static void a_checked_file_is_judged_against_the_catalog(void **state)
{
    (void)state;
    const char *path = sandbox_write("p.yaml", TOP "prices: [{type: x, payg_hour: 1, source: me}]\n");
    assert_false(data_check_file(path, "data", kinds, &error));
    assert_string_equal(error.file, path);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 10);
}

static void a_file_of_no_known_kind_is_an_error(void **state)
{
    (void)state;
    assert_false(data_check_file(sandbox_write("a.yaml", "price: []\n"), "data", kinds, &error));
    assert_non_null(strstr(error.hint, "gpuwiz.catalog/1"));
    assert_false(data_check_file(sandbox_write("b.yaml", "schema: gpuwiz.dog/1\n"), "data", kinds, &error));
    assert_non_null(strstr(error.message, "gpuwiz.dog/1"));
    assert_int_equal(error.column, 9);
    assert_false(data_check_file(sandbox_path("none.yaml"), "data", kinds, &error));
}

#define IN_SANDBOX(test) cmocka_unit_test_setup_teardown(test, sandbox_begin, sandbox_end)

TEST_MAIN(IN_SANDBOX(an_overlay_wins_row_by_row),
          IN_SANDBOX(a_later_file_wins_over_an_earlier_one),
          IN_SANDBOX(a_replaced_gpu_keeps_its_place_and_its_instances),
          IN_SANDBOX(files_of_other_kinds_beside_the_overlays_are_left_alone),
          IN_SANDBOX(a_second_provider_stands_beside_the_first),
          IN_SANDBOX(bad_files_are_refused_with_place_and_reason),
          IN_SANDBOX(rows_of_instances_need_a_provider),
          IN_SANDBOX(every_shipped_file_passes_the_check),
          IN_SANDBOX(a_checked_file_is_judged_against_the_catalog),
          IN_SANDBOX(a_file_of_no_known_kind_is_an_error))
