#include "engine/calibrate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/units.h"

bool measured_set(struct measured *measured, const char *pair, struct error *error)
{
    static const struct { const char *key; size_t offset; } keys[] = {
        {"memory_gib=", offsetof(struct measured, memory_gib)},
        {"tokens_per_s=", offsetof(struct measured, tokens_per_s)}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i].key);
        double value;
        if (strncmp(pair, keys[i].key, length) != 0)
            continue;
        if (!units_parse(pair + length, false, &value) || !(value > 0)) {
            error_set(error, tr("'%s' is not a positive number"), pair + length);
            return false;
        }
        *(double *)((char *)measured + keys[i].offset) = value;
        return true;
    }
    error_set(error, tr("'%s' is not a measurement"), pair);
    return error_hint(error, "memory_gib=21.3 tokens_per_s=3500");
}

/* Measured over estimated; a factor of five is a different job, not a different machine. */
static bool ratio(const char *what, double measured, double estimated, double *result, struct error *error)
{
    *result = measured / estimated;
    if (*result >= 0.2 && *result <= 5)
        return true;
    error_set(error, tr("%s: measured %.4g, estimated %.4g: not the same job"), what, measured, estimated);
    return error_hint(error, tr("check units, length, batch and the number of GPUs"));
}

/* The new record goes under the heading `calibrations:`, which is made where it is missing. */
static bool add_record(const char *path, const char *record, struct error *error)
{
    static const char heading[] = "calibrations:\n";
    struct strbuf old = {0}, text = {0};
    if (access(path, F_OK) == 0 && !file_read(path, 1 << 20, &old, error)) {
        strbuf_clear(&old);
        return false;
    }
    const char *before = strbuf_text(&old), *at = strstr(before, heading);
    while (at && at != before && at[-1] != '\n')
        at = strstr(at + 1, heading);
    size_t keep = at ? (size_t)(at - before) + strlen(heading) : old.length;
    const char *rest = before + keep;
    /* records of one list stand together: after those already there */
    while (at && strncmp(rest, "- ", 2) == 0) {
        const char *end = strchr(rest, '\n');
        rest = end ? end + 1 : rest + strlen(rest);
    }
    strbuf_add_n(&text, before, (size_t)(rest - before));
    if (text.length && text.data[text.length - 1] != '\n')
        strbuf_add(&text, "\n");
    if (!at)
        strbuf_add(&text, heading);
    strbuf_add(&text, record);
    strbuf_add(&text, rest);
    bool done = file_write(path, text.data, text.length, true, error);
    strbuf_clear(&old);
    strbuf_clear(&text);
    return done;
}

bool calibrate(const struct catalog *catalog, const struct constants *constants,
               const struct scenario *scenario, const struct measured *measured, const char *today,
               const char *overlay_path, struct strbuf *report, struct error *error)
{
    if (!scenario_has(scenario, FIELD_GPU) && !scenario_has(scenario, FIELD_INSTANCE)) {
        error_set(error, tr("which card was it? gpu or instance is not given"));
        return false;
    }
    if (isnan(measured->memory_gib) && isnan(measured->tokens_per_s)) {
        error_set(error, tr("nothing was measured"));
        return error_hint(error, "--measured memory_gib=21.3 tokens_per_s=3500");
    }
    struct constants plain = *constants;
    plain.calibration_count = 0;
    struct arena *arena = arena_new();
    struct offer offer;
    struct job job;
    bool done = estimate_compute(catalog, &plain, scenario, arena, &offer, &job, error);
    double memory_ratio = 1, speed_ratio = 1, states = offer.memory.model_states_gib;
    if (done && !isnan(measured->memory_gib)) {
        done = measured->memory_gib > states
                   ? ratio("memory_gib", measured->memory_gib - states, offer.memory.need_gib - states,
                           &memory_ratio, error)
                   : error_set(error, tr("memory_gib: %.4g measured, but the model states alone take %.4g"),
                               measured->memory_gib, states);
    }
    if (done && !isnan(measured->tokens_per_s))
        done = isnan(offer.speed.tokens_per_s)
                   ? error_set(error, tr("speed is not modelled for this card or engine"))
                   : ratio("tokens_per_s", measured->tokens_per_s, offer.speed.tokens_per_s, &speed_ratio, error);
    if (done) {
        const char *stack = job.workload == WORKLOAD_INFERENCE ? engine_names[job.engine] : stack_names[job.stack];
        char *record = arena_printf(arena, "- {stack: %s, gpu: %s, date: %s, memory_ratio: %.4f, speed_ratio: %.4f}\n",
                                    stack, offer.hardware.gpu->id, today, memory_ratio, speed_ratio);
        done = add_record(overlay_path, record, error);
        if (done)
            strbuf_printf(report, tr("%s on %s: memory besides model states x %.2f, speed x %.2f; written to %s\n"),
                          stack, offer.hardware.gpu->id, memory_ratio, speed_ratio, overlay_path);
    }
    arena_free(arena);
    return done;
}
