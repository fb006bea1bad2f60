#include "tests/accuracy/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "engine/serving.h"
#include "tests/accuracy/doubtful.h"

static const char *const files[] = {"training_memory.yaml", "training_speed.yaml", "inference.yaml",
                                    "reports.yaml"};

/* ---- reading ------------------------------------------------------------------------------- */

struct record {
    const char *id, *group, *source, *notes;
    const struct yaml_node *given, *published;
};

static const struct yaml_field record_fields[] = {
    {"id", YAML_FIELD_TEXT, offsetof(struct record, id), true, 0, 0, NULL},
    {"group", YAML_FIELD_TEXT, offsetof(struct record, group), true, 0, 0, NULL},
    {"source", YAML_FIELD_TEXT, offsetof(struct record, source), true, 0, 0, NULL},
    {"notes", YAML_FIELD_TEXT, offsetof(struct record, notes), false, 0, 0, NULL},
    {"given", YAML_FIELD_NODE, offsetof(struct record, given), true, 0, 0, NULL},
    {"published", YAML_FIELD_NODE, offsetof(struct record, published), true, 0, 0, NULL},
    {0},
};

static bool read_case(struct cases *cases, const struct yaml_document *document,
                      const struct yaml_node *node, struct error *error)
{
    struct record record = {.notes = ""};
    if (!yaml_record(document, node, record_fields, &record, error))
        return false;
    if (cases->count == CASES_MAX)
        return yaml_error(document, node, false, error, "more than %d cases", CASES_MAX);
    struct published_case *of = &cases->list[cases->count++];
    *of = (struct published_case){.id = record.id,
                                  .group = record.group,
                                  .source = record.source,
                                  .notes = record.notes,
                                  .given = record.given,
                                  .published = record.published,
                                  .document = document,
                                  .unseen = strstr(record.source, "not seen") != NULL};
    return scenario_read_node(&of->scenario, document, record.given, &cases->catalog, cases->arena,
                              error);
}

static bool read_file(struct cases *cases, const char *path, struct error *error)
{
    struct yaml_document *document = ARENA_NEW(cases->arena, struct yaml_document);
    if (!yaml_read_file(cases->arena, path, 0, document, error))
        return false;
    const struct yaml_node *list = yaml_get(document->root, "cases");
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
        if (!read_case(cases, document, node, error))
            return false;
    return true;
}

bool cases_load(struct cases *cases, const char *folder, struct error *error)
{
    /* what is judged is the data that is shipped, not the corrections of whoever runs this */
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    *cases = (struct cases){.arena = arena_new()};
    if (!catalog_load(NULL, &cases->catalog, error))
        return false;
    cases->list = ARENA_ARRAY(cases->arena, struct published_case, CASES_MAX);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!read_file(cases, arena_printf(cases->arena, "%s/%s", folder, files[i]), error))
            return false;
    return true;
}

void cases_clear(struct cases *cases)
{
    catalog_clear(&cases->catalog);
    arena_free(cases->arena);
}

bool case_held_out(const struct published_case *of)
{
    uint32_t hash = 2166136261u;
    for (const char *p = of->id; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    return (hash >> 8) % 3 == 0;
}

/* ---- what a published figure is compared with ---------------------------------------------- */

struct answer {
    const struct published_case *of;
    struct job job;
    struct offer offer;
};

static bool allocated(const struct answer *a)
{
    const struct yaml_node *basis = yaml_get(a->of->published, "memory_basis");
    return basis && !strcmp(basis->text, "allocated");
}

/* Of one GPU. */
static double whole_memory(const struct answer *a)
{
    return (allocated(a) ? memory_allocated_gib(&a->offer.memory) : a->offer.memory.need_gib) * GIB;
}

/* Some tables print the sum over GPUs under the same name: those of models split by layers, and
 * where the figure is more than one GPU has (clearly more: in one training case the card is a
 * larger one). */
static bool is_total(const struct answer *a, double published_bytes)
{
    bool by_layers = a->job.workload == WORKLOAD_INFERENCE &&
                     engine_rules[a->job.engine].layer_split && a->offer.layout.pp > 1;
    return by_layers || published_bytes > 1.25 * a->offer.memory.usable_gib * GIB;
}

static double states(const struct answer *a)
{
    return a->offer.memory.model_states_gib * GIB;
}
static double saved(const struct answer *a)
{
    return a->offer.memory.components_gib[COMPONENT_ACTIVATIONS] * GIB;
}
static double weights(const struct answer *a)
{
    return a->offer.memory.components_gib[COMPONENT_WEIGHTS] * GIB;
}

/* Where a log prints the GiB of its pool too, the tokens that follow from these: the bytes per
 * token on their own, whatever the engine's settings were. */
static double tokens_of_pool(const struct answer *a)
{
    const struct yaml_node *pool = yaml_get(a->of->published, "kv_gib");
    const struct layout *layout = &a->offer.layout;
    double bytes =
        model_kv_bytes(a->job.model, a->job.context, a->job.kv_element_bytes, layout->tp) /
        layout->pp;
    return pool ? strtod(pool->text, NULL) * GIB / bytes * a->job.context : NAN;
}

static double concurrency(const struct answer *a)
{
    return a->offer.memory.max_concurrency;
}
static double cache_tokens(const struct answer *a)
{
    return a->offer.memory.kv_tokens;
}
static double rate_per_gpu(const struct answer *a)
{
    return a->offer.speed.tokens_per_s_per_gpu;
}
static double step_time(const struct answer *a)
{
    return a->offer.speed.step_s;
}
static double decode_rate(const struct answer *a)
{
    return a->offer.speed.decode_tokens_per_s;
}
static double prefill_rate(const struct answer *a)
{
    return a->offer.speed.prefill_tokens_per_s;
}

/* One published table counts the prompt as well, and says so. */
static double request_rate(const struct answer *a)
{
    bool prompt_too = strstr(a->of->notes, "speed = (prompt + ") != NULL;
    return (a->job.output_len + (prompt_too ? a->job.input_len : 0)) / a->offer.speed.request_s;
}

static double output_rate(const struct answer *a)
{
    return a->offer.speed.output_tokens_per_s;
}
static double total_rate(const struct answer *a)
{
    return a->offer.speed.tokens_per_s;
}
static double requests(const struct answer *a)
{
    return a->offer.speed.requests_per_s;
}
static double first_token(const struct answer *a)
{
    return a->offer.speed.ttft_ms;
}
static double per_token(const struct answer *a)
{
    return a->offer.speed.tpot_ms;
}

enum band { BAND_NONE, BAND_MEMORY, BAND_RATE, BAND_TIME };

/* Columns: key under `published`; what it measures; what one of its units is in those of
 * `estimate`; the other unit that papers write the same way (0 = none); the band it has. */
static const struct figure {
    const char *key, *measure;
    double unit, other_unit;
    double (*estimate)(const struct answer *);
    enum band band;
} figures[] = {
    {"memory_gb", "memory", GB, 0, whole_memory, BAND_MEMORY},
    {"memory_gib", "memory", GIB, 0, whole_memory, BAND_MEMORY},
    {"total_memory_gb", "memory", GB, 0, whole_memory, BAND_MEMORY},
    {"total_memory_gib", "memory", GIB, 0, whole_memory, BAND_MEMORY},
    {"model_states_gb", "states", GB, GIB, states, BAND_NONE},
    {"activations_gb", "activations", GB, GIB, saved, BAND_NONE},
    {"weights_gib", "weights", GIB, 0, weights, BAND_NONE},
    {"kv_tokens", "kv tokens", 1, 0, cache_tokens, BAND_NONE},
    {"kv_blocks", "kv tokens", 16, 0, cache_tokens, BAND_NONE},
    {"kv_tokens", "token bytes", 1, 0, tokens_of_pool, BAND_NONE},
    {"kv_blocks", "token bytes", 16, 0, tokens_of_pool, BAND_NONE},
    {"max_concurrency", "kv tokens", 1, 0, concurrency, BAND_NONE},
    {"tokens_per_s_per_gpu", "tokens/s", 1, 0, rate_per_gpu, BAND_RATE},
    {"step_s", "step", 1, 0, step_time, BAND_TIME},
    {"decode_tps", "decode", 1, 0, decode_rate, BAND_RATE},
    {"prefill_tps", "prefill", 1, 0, prefill_rate, BAND_RATE},
    {"speed_tps", "request", 1, 0, request_rate, BAND_RATE},
    {"output_tps", "output", 1, 0, output_rate, BAND_RATE},
    {"total_tps", "output", 1, 0, total_rate, BAND_RATE},
    {"requests_per_s", "output", 1, 0, requests, BAND_RATE},
    {"ttft_ms", "ttft", 1, 0, first_token, BAND_TIME},
    {"tpot_ms", "tpot", 1, 0, per_token, BAND_TIME},
};

double row_error(const struct row *row)
{
    return fabs(row->estimate / row->published - 1);
}

/* The last digit that was printed: papers round, and some cut off (ZeRO table 1: 2218 for 2218.75).
 */
static double last_digit(const char *text)
{
    const char *point = strchr(text, '.');
    return pow(10, point ? -(double)strlen(point + 1) : 0);
}

static void set_band(struct row *row, enum band band, const struct answer *a)
{
    const struct memory *memory = &a->offer.memory;
    const struct speed *speed = &a->offer.speed;
    double low = NAN, high = NAN;
    if (band == BAND_MEMORY)
        low = memory->low_gib / memory->need_gib, high = memory->high_gib / memory->need_gib;
    else if (band == BAND_RATE)
        low = speed->low_tokens_per_s / speed->tokens_per_s,
        high = speed->high_tokens_per_s / speed->tokens_per_s;
    else if (band == BAND_TIME)
        low = speed->tokens_per_s / speed->high_tokens_per_s,
        high = speed->tokens_per_s / speed->low_tokens_per_s;
    row->low = row->estimate * low;
    row->high = row->estimate * high;
}

static void add_row(struct replay *replay, const struct figure *figure,
                    const struct yaml_node *node, const struct answer *answer)
{
    double value = figure->estimate(answer), printed = strtod(node->text, NULL);
    if (figure->band == BAND_MEMORY && is_total(answer, printed * figure->unit))
        value *= answer->offer.hardware.gpus;
    if (isnan(value) || replay->count == ROWS_MAX)
        return; /* not modelled, null in the output: llama.cpp's prefill */
    const struct doubtful *doubt = doubtful_find(answer->of->id, figure->measure);
    struct row row = {.of = answer->of,
                      .measure = figure->measure,
                      .published = printed,
                      .estimate = value / figure->unit,
                      .judged = !answer->of->unseen && !(doubt && doubt->admitted)};
    set_band(&row, figure->band, answer);
    double digit = last_digit(node->text);
    row.exact = fabs(row.estimate - printed) < digit;
    if (figure->other_unit > 0) {
        double other = value / figure->other_unit;
        if (fabs(other - printed) < fabs(row.estimate - printed)) {
            row.exact = fabs(other - printed) < digit;
            row.estimate = other;
        }
    }
    replay->rows[replay->count++] = row;
}

/* What was measured did fit, whatever its memory was. */
static bool was_timed(const struct published_case *of)
{
    return !strncmp(of->group, "train-speed", strlen("train-speed")) ||
           !strcmp(of->group, "infer-throughput");
}

static void add_verdict(struct replay *replay, const struct answer *answer)
{
    const struct published_case *of = answer->of;
    const struct yaml_node *fits = yaml_get(of->published, "fits");
    const struct doubtful *doubt = doubtful_find(of->id, "verdict");
    bool ran = was_timed(of);
    if (fits ? !yaml_bool(of->document, fits, &ran, NULL) : !ran)
        return;
    const struct memory *memory = &answer->offer.memory;
    replay->verdicts[replay->verdict_count++] =
        (struct verdict_row){.of = of,
                             .ran = ran,
                             .implied = !fits,
                             .judged = !of->unseen && !(doubt && doubt->admitted),
                             .verdict = memory->verdict,
                             .usable_gib = memory->usable_gib,
                             .low_gib = memory->low_gib,
                             .need_gib = memory->need_gib,
                             .high_gib = memory->high_gib};
}

static void add_figures(struct replay *replay, const struct answer *answer)
{
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct yaml_node *node = yaml_get(answer->of->published, figures[i].key);
        bool twice = !strcmp(figures[i].key, "step_s") &&
                     yaml_get(answer->of->published, "tokens_per_s_per_gpu");
        if (node && !twice)
            add_row(replay, &figures[i], node, answer);
    }
    add_verdict(replay, answer);
}

void cases_replay(const struct cases *cases, const struct constants *constants, const char *prefix,
                  struct replay *replay)
{
    struct arena *arena = arena_new();
    struct error error;
    char text[800];
    *replay = (struct replay){0};
    for (size_t i = 0; i < cases->count; i++) {
        struct answer answer = {.of = &cases->list[i]};
        if (strncmp(answer.of->group, prefix, strlen(prefix)) != 0)
            continue;
        arena_reset(arena);
        if (estimate_compute(&cases->catalog, constants, &answer.of->scenario, arena, &answer.offer,
                             &answer.job, &error))
            add_figures(replay, &answer);
        else
            snprintf(replay->refused[replay->refused_count++], sizeof replay->refused[0],
                     "%.60s: %.95s", answer.of->id, error_text(&error, text, sizeof text));
    }
    arena_free(arena);
}
