/* A figure that is said in two places is the same in both. What the JSON of the program says of the
 * first offer is looked for, as people read it, on every screen and in every other form of the
 * output. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "tests/program.h"
#include "ui/app.h"

static struct catalog catalog;
static struct constants constants;
static struct arena *arena;

static int load(void **state)
{
    struct error error;
    (void)state;
    arena = arena_new();
    return catalog_load("data", &catalog, &error) &&
                   constants_load("data", arena, &constants, &error)
               ? 0
               : -1;
}

static int unload(void **state)
{
    (void)state;
    catalog_clear(&catalog);
    arena_free(arena);
    return 0;
}

/* ---- the figures, scraped from JSON ---- */

/* Where a figure of the first offer stands in the JSON: the keys on the way to it, "$" for the key
 * of its cheapest way of paying; its column of the CSV, NULL = none; and how people read it. */
enum figure {
    NEED,
    LOW,
    HIGH,
    USABLE,
    WEIGHTS,
    LOGITS,
    RUNTIME,
    AT_LOAD,
    AT_STEP,
    SPEED,
    SPEED_LOW,
    SPEED_HIGH,
    HOURS,
    TTFT,
    TPOT,
    COST,
    AN_HOUR,
    PAYG,
    FIGURES
};
static const struct {
    const char *path[3];
    const char *column;
    char *(*write)(double, char *);
} figures[FIGURES] = {
    [NEED] = {{"memory", "need_gib"}, "need_gib", units_gib},
    [LOW] = {{"memory", "low_gib"}, NULL, units_gib},
    [HIGH] = {{"memory", "high_gib"}, NULL, units_gib},
    [USABLE] = {{"memory", "usable_gib"}, "usable_gib", units_gib},
    [WEIGHTS] = {{"memory", "components_gib", "weights"}, NULL, units_gib},
    [LOGITS] = {{"memory", "components_gib", "logits"}, NULL, units_gib},
    [RUNTIME] = {{"memory", "components_gib", "runtime"}, NULL, units_gib},
    [AT_LOAD] = {{"memory", "peaks_gib", "load"}, NULL, units_gib},
    [AT_STEP] = {{"memory", "peaks_gib", "step"}, NULL, units_gib},
    [SPEED] = {{"speed", "tokens_per_s"}, "tokens_per_s", units_count},
    [SPEED_LOW] = {{"speed", "low_tokens_per_s"}, NULL, units_count},
    [SPEED_HIGH] = {{"speed", "high_tokens_per_s"}, NULL, units_count},
    [HOURS] = {{"hours", "mid"}, "hours", units_hours},
    [TTFT] = {{"speed", "ttft_ms"}, "ttft_ms", units_gib},
    [TPOT] = {{"speed", "tpot_ms"}, "tpot_ms", units_gib},
    [COST] = {{"costs", "$", "total"}, "cost_cny", units_cny},
    [AN_HOUR] = {{"costs", "$", "per_hour"}, "cny_per_hour", units_cny},
    [PAYG] = {{"costs", "payg", "total"}, "total_payg_cny", units_cny},
};

/* The value behind the keys of a path, from `at` on; keys come in this order in the document. */
static const char *follow(const char *at, const char *const *path, int length, const char *cheapest)
{
    for (int i = 0; i < length && path[i]; i++) {
        char key[64];
        snprintf(key, sizeof key, "\"%s\":", strcmp(path[i], "$") == 0 ? cheapest : path[i]);
        at = strstr(at, key);
        if (!at)
            fail_msg("no %s in the JSON", key);
        at += strlen(key);
    }
    return at;
}

struct said {
    double value[FIGURES]; /* NAN = null */
    char instance[64], cheapest[32], cheapest_label[64];
};

static struct said scrape_json(const char *json)
{
    struct said said;
    const char *offer = strstr(json, "\"offers\":["), *end;
    assert_non_null(offer);
    sscanf(strstr(offer, "\"instance\":\"") + 12, "%63[^\"]", said.instance);
    sscanf(strstr(offer, "\"cheapest\":\"") + 12, "%31[^\"]", said.cheapest);
    for (int mode = 0; mode < MODE_COUNT; mode++)
        if (strcmp(billing_modes[mode].key, said.cheapest) == 0)
            snprintf(said.cheapest_label, sizeof said.cheapest_label, "%s",
                     billing_modes[mode].label);
    for (int i = 0; i < FIGURES; i++) {
        const char *at = follow(offer, figures[i].path, 3, said.cheapest);
        said.value[i] = strtod(at, (char **)&end);
        if (end == at)
            said.value[i] = NAN;
    }
    return said;
}

/* ---- where they are said ---- */

enum place { FORM, IN_TABLE, DETAIL, EXPLAIN, WHATIF, SUMMARY, TEXT, MARKDOWN, HTML, PLACES };
static const struct {
    const char *name, *keys, *format; /* of a screen, or of the program */
} places[PLACES] = {
    [FORM] = {"live pane", "3", NULL},      [IN_TABLE] = {"table", "6", NULL},
    [DETAIL] = {"detail", "6 Enter", NULL}, [EXPLAIN] = {"explain", "6 e", NULL},
    [WHATIF] = {"what-if", "6 w", NULL},    [SUMMARY] = {"summary", "7", NULL},
    [TEXT] = {"text", NULL, "text"},        [MARKDOWN] = {"Markdown", NULL, "md"},
    [HTML] = {"HTML", NULL, "html"},
};

/* Each figure stands in a line of that place that holds the label, too; "@" is the instance type,
 * "$" the cheapest way of paying. */
static const struct {
    enum place place;
    const char *label;
    enum figure figure;
} sayings[] = {
    {FORM, "@", COST},
    {IN_TABLE, "@", SPEED},
    {IN_TABLE, "@", HOURS},
    {IN_TABLE, "@", COST},
    {IN_TABLE, "$", COST},
    {IN_TABLE, "$", AN_HOUR},
    {IN_TABLE, "Pay-as-you-go", PAYG},
    {DETAIL, "memory of one GPU", NEED},
    {DETAIL, "memory of one GPU", USABLE},
    {DETAIL, "memory of one GPU", LOW},
    {DETAIL, "memory of one GPU", HIGH},
    {DETAIL, "weights", WEIGHTS},
    {DETAIL, "logits", LOGITS},
    {DETAIL, "runtime", RUNTIME},
    {DETAIL, "peaks", AT_LOAD},
    {DETAIL, "peaks", AT_STEP},
    {DETAIL, "speed ", SPEED},
    {DETAIL, "speed ", SPEED_LOW},
    {DETAIL, "speed ", SPEED_HIGH},
    {DETAIL, "time ", HOURS},
    {DETAIL, "latency", TTFT},
    {DETAIL, "latency", TPOT},
    {DETAIL, "$", COST},
    {DETAIL, "$", AN_HOUR},
    {DETAIL, "Pay-as-you-go", PAYG},
    {EXPLAIN, "memory of one GPU", NEED},
    {EXPLAIN, "weights ", WEIGHTS},
    {EXPLAIN, "logits ", LOGITS},
    {EXPLAIN, "runtime ", RUNTIME},
    {EXPLAIN, "at load", AT_LOAD},
    {EXPLAIN, "longest step", AT_STEP},
    {EXPLAIN, "How sure", LOW},
    {EXPLAIN, "How sure", HIGH},
    {EXPLAIN, "speed ", SPEED},
    {EXPLAIN, "time ", HOURS},
    {EXPLAIN, "first token", TTFT},
    {EXPLAIN, "next tokens", TPOT},
    {EXPLAIN, "$", COST},
    {EXPLAIN, "Pay-as-you-go", PAYG},
    {WHATIF, "GiB per GPU", NEED},
    {WHATIF, "tokens/s", SPEED},
    {WHATIF, "time", HOURS},
    {WHATIF, "cost in CNY", COST},
    {SUMMARY, "Why:", NEED},
    {SUMMARY, "Why:", USABLE},
    {SUMMARY, "Cost:", COST},
    {SUMMARY, "Cost:", AN_HOUR},
    {SUMMARY, "Cost:", PAYG},
    {SUMMARY, "weights ", WEIGHTS},
    {SUMMARY, "logits ", LOGITS},
    {SUMMARY, "runtime ", RUNTIME},
    {SUMMARY, "Need ", LOW},
    {SUMMARY, "Need ", HIGH},
    {SUMMARY, "Band:", SPEED_LOW},
    {SUMMARY, "Band:", SPEED_HIGH},
    {TEXT, "Why:", NEED},
    {TEXT, "Why:", USABLE},
    {TEXT, "Need ", LOW},
    {TEXT, "Peaks", AT_LOAD},
    {TEXT, "Cost:", COST},
    {TEXT, "Cost:", AN_HOUR},
    {TEXT, "Cost:", PAYG},
    {TEXT, "@", SPEED},
    {TEXT, "@", HOURS},
    {TEXT, "@", COST},
    {TEXT, "$ ", COST},
    {TEXT, "$ ", AN_HOUR},
    {TEXT, "Time to first token", TTFT},
    {TEXT, "Time per output token", TPOT},
    {TEXT, "Time: ", HOURS},
    {TEXT, "Band:", SPEED_LOW},
    {MARKDOWN, "Why:", NEED},
    {MARKDOWN, "Why:", USABLE},
    {MARKDOWN, "Need ", HIGH},
    {MARKDOWN, "Cost:", COST},
    {MARKDOWN, "| weights", WEIGHTS},
    {MARKDOWN, "| logits", LOGITS},
    {MARKDOWN, "@", SPEED},
    {MARKDOWN, "@", HOURS},
    {MARKDOWN, "$ ", AN_HOUR},
    {MARKDOWN, "Band:", SPEED_HIGH},
    {HTML, "Why:", NEED},
    {HTML, "Why:", USABLE},
    {HTML, ">Need<", HIGH},
    {HTML, "Cost:", COST},
    {HTML, ">weights<", WEIGHTS},
    {HTML, ">logits<", LOGITS},
    {HTML, ">@<", SPEED},
    {HTML, ">@<", HOURS},
    {HTML, ">$<", AN_HOUR},
    {HTML, "Band:", SPEED_HIGH},
};

/* "1.2" is not said by "11.2" or "1.25". */
static bool holds(const char *line, size_t length, const char *figure)
{
    size_t size = strlen(figure);
    for (const char *at = line; at + size <= line + length; at++)
        if (strncmp(at, figure, size) == 0 && !(at > line && strchr("0123456789.,", at[-1])) &&
            !(strchr("0123456789", at[size]) && at[size]) &&
            !(at[size] == '.' && at[size + 1] >= '0' && at[size + 1] <= '9'))
            return true;
    return false;
}

static void expect_said(const char *text, const char *label, const char *figure, const char *where)
{
    bool labelled = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *at = strstr(line, label);
        if (at && at < line + length) {
            labelled = true;
            if (holds(line, length, figure))
                return;
        }
        line += length + (line[length] == '\n');
    }
    fail_msg("%s: %s \"%s\"%s:\n%s", where, figure, label,
             labelled ? " is another figure" : " is not there", text);
}

/* `template` with the instance type for "@" and the cheapest way of paying for "$". */
static void fill_label(const char *template, const struct said *said, char *label, size_t size)
{
    size_t length = strcspn(template, "@$");
    const char *name = template[length] == '@' ? said->instance
                       : template[length]      ? said->cheapest_label
                                               : "";
    snprintf(label, size, "%.*s%s%s", (int)length, template, name,
             template[length] ? template + length + 1 : "");
}

/* ---- taking them ---- */

static void take_screen(const char *pairs, const char *keys, struct strbuf *out)
{
    struct app *app = malloc(sizeof *app);
    struct scenario scenario;
    struct canvas canvas = {0};
    struct error error = {0};
    bool in_quotes = false;
    memset(&scenario, 0, sizeof scenario);
    char *copy = arena_strdup(arena, pairs);
    for (char *save = NULL, *pair = strtok_r(copy, " ", &save); pair;
         pair = strtok_r(NULL, " ", &save))
        if (!scenario_set_pair(&scenario, pair, &catalog, arena, &error))
            fail_msg("%s: %s", pair, error.message);
    struct app_options options = {.catalog = &catalog,
                                  .constants = &constants,
                                  .today = "2026-12-01",
                                  .scenario = &scenario,
                                  .rows = 400,
                                  .cols = 140,
                                  .colours = 256};
    app_init(app, &options);
    for (struct event event; (event = event_from_script(&keys, &in_quotes)).kind != EVENT_NONE;)
        app_handle(app, &event);
    app_draw(app, &canvas);
    canvas_dump(&canvas, out);
    canvas_free(&canvas);
    app_clear(app);
    free(app);
}

static void take_output(const char *pairs, const char *format, struct strbuf *out)
{
    struct strbuf arguments = {0};
    strbuf_printf(&arguments, "plan --date 2026-12-01 --lang en --format %s", format);
    char *copy = arena_strdup(arena, pairs);
    for (char *save = NULL, *pair = strtok_r(copy, " ", &save); pair;
         pair = strtok_r(NULL, " ", &save))
        strbuf_printf(&arguments, " --set %s", pair);
    assert_int_equal(program_run(out, strbuf_text(&arguments)), 0);
    strbuf_clear(&arguments);
}

static const char *const jobs[] = {
    "workload=lora model=qwen2.5-7b",
    "workload=full model=llama-3.1-8b",
    "workload=pretrain model=llama-3.1-70b tokens_b=1000 nodes=128",
    "workload=inference model=qwen2.5-7b concurrency=32",
    "workload=inference model=deepseek-v3",
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void every_place_says_what_the_json_says(void **state)
{
    (void)state;
    for (int job = 0; job < JOBS; job++) {
        struct strbuf text = {0};
        take_output(jobs[job], "json", &text);
        struct said said = scrape_json(strbuf_text(&text));
        assert_true(said.value[NEED] > 0 && said.value[COST] > 0);
        for (int place = 0; place < PLACES; place++) {
            char where[200];
            snprintf(where, sizeof where, "%s of %s", places[place].name, jobs[job]);
            strbuf_reset(&text);
            if (places[place].keys)
                take_screen(jobs[job], places[place].keys, &text);
            else
                take_output(jobs[job], places[place].format, &text);
            for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
                char label[120], number[UNITS_TEXT];
                double value = said.value[sayings[i].figure];
                if (sayings[i].place != (enum place)place || !(value > 0))
                    continue;
                fill_label(sayings[i].label, &said, label, sizeof label);
                expect_said(strbuf_text(&text), label,
                            figures[sayings[i].figure].write(value, number), where);
            }
        }
        strbuf_clear(&text);
    }
}

/* The first row of the CSV, which holds no quoted field before the last one looked for. */
static void the_columns_of_csv_are_the_values_of_json(void **state)
{
    (void)state;
    for (int job = 0; job < JOBS; job++) {
        struct strbuf json = {0}, csv = {0};
        take_output(jobs[job], "json", &json);
        take_output(jobs[job], "csv", &csv);
        struct said said = scrape_json(strbuf_text(&json));
        char *header = csv.data, *row = strchr(header, '\n') + 1;
        row[-1] = '\0';
        row[strcspn(row, "\n")] = '\0';
        int compared = 0;
        for (char *name; (name = strsep(&header, ",")) && row;) {
            char *field = strsep(&row, ",");
            for (int i = 0; i < FIGURES; i++)
                if (figures[i].column && strcmp(figures[i].column, name) == 0 &&
                    !isnan(said.value[i])) {
                    assert_near(strtod(field, NULL), said.value[i], 1e-8);
                    compared++;
                }
        }
        assert_true(compared >= 6);
        strbuf_clear(&json);
        strbuf_clear(&csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_says_what_the_json_says),
        cmocka_unit_test(the_columns_of_csv_are_the_values_of_json),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
