#include "tests/test.h"

#include <stdint.h>
#include <string.h>
#include "data/catalog_records.h"
#include "tests/sandbox.h"

static struct catalog catalog;
static struct error error;

static int load(void **state)
{
    return sandbox_begin(state) == 0 && catalog_load("data", &catalog, &error) ? 0 : -1;
}

static int unload(void **state)
{
    catalog_clear(&catalog);
    return sandbox_end(state);
}

/* The records of a section, from wherever they came. */
static const char *records(const struct section *section, size_t *count)
{
    const void *array;
    memcpy(&array, (const char *)&catalog + section->records, sizeof array);
    memcpy(count, (const char *)&catalog + section->count, sizeof *count);
    return array;
}

static const char *text_at(const char *record, size_t offset)
{
    const char *text;
    memcpy(&text, record + offset, sizeof text);
    return text;
}

static void every_record_has_a_source_and_a_date(void **state)
{
    (void)state;
    for (int i = 0; i < SECTION_COUNT; i++) {
        const struct section *section = &catalog_sections[i];
        size_t count;
        const char *record = records(section, &count);
        if (count == 0)
            fail_msg("no %s", section->key);
        for (size_t k = 0; k < count && section->source != SIZE_MAX; k++, record += section->size) {
            const char *source = text_at(record, section->source);
            const char *date = text_at(record, section->date);
            if (!source || strlen(source) < 15)
                fail_msg("%s number %zu: source '%s'", section->key, k + 1, source ? source : "");
            if (!date || isnan(catalog_age_days(date, "2026-12-01")))
                fail_msg("%s number %zu: date '%s'", section->key, k + 1, date ? date : "");
            if (catalog_age_days(date, catalog.date) < 0)
                fail_msg("%s number %zu: %s is after the day the file was compiled", section->key,
                         k + 1, date);
        }
    }
}

static void every_model_says_where_its_shape_was_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < catalog.model_count; i++)
        if (!catalog.models[i].source[0])
            fail_msg("%s has no source", catalog.models[i].id);
}

/* The words by which a reader can tell a looked-up figure from a remembered one. */
static void what_is_recalled_says_so(void **state)
{
    (void)state;
    assert_non_null(strstr(catalog_gpu(&catalog, "rtx-3090")->source, "recalled"));
    assert_non_null(strstr(catalog_gpu(&catalog, "rtx-4000-ada")->source, "recalled"));
    assert_null(strstr(catalog_service(&catalog, "public_bandwidth")->source, "recalled"));
    assert_null(strstr(catalog_price(&catalog, "ecs.gn7i-c8g1.2xlarge", "")->source, "recalled"));
}

static void rows_of_the_public_crawl_name_it_and_its_licence(void **state)
{
    (void)state;
    const char *source = catalog_instance(&catalog, "ecs.gn7i-c8g1.2xlarge")->source;
    assert_non_null(strstr(source, "SpareCores/sc-data-dumps"));
    assert_non_null(strstr(source, "CC BY-SA 4.0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_has_a_source_and_a_date),
        cmocka_unit_test(every_model_says_where_its_shape_was_read),
        cmocka_unit_test(what_is_recalled_says_so),
        cmocka_unit_test(rows_of_the_public_crawl_name_it_and_its_licence),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
