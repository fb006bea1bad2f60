#include "engine/calibrate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/units.h"
#include "data/yaml.h"

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

/* The start of line `line` (from 1) of a text; its end when it has fewer. */
static const char *line_start(const char *text, int line)
{
    while (--line > 0 && *text)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != '\0');
    return text;
}

/* Where the records end: before the key that follows their list, or at the end of the file. */
static const char *records_end(const char *text, const struct yaml_node *list)
{
    return list->next ? line_start(text, list->next->key_line) : text + strlen(text);
}

/* Appends the record to the list `calibrations` of an own file, which may be written by hand: what
 * stands there stays to the letter, and a heading is made where it is missing. */
static void insert_record(const char *old, const struct yaml_node *list, const char *record,
                          struct strbuf *text)
{
    static const char heading[] = "calibrations:\n";
    const char *end = list ? records_end(old, list) : old + strlen(old);
    int indent = 0;
    if (list && list->count > 0)
        indent = (int)strspn(line_start(old, list->first->line), " ");
    if (list && list->count == 0) { /* nothing, null or [] stands behind the heading */
        strbuf_add_n(text, old, (size_t)(line_start(old, list->key_line) - old));
        strbuf_add(text, heading);
        end = line_start(old, list->key_line + 1);
    } else {
        strbuf_add_n(text, old, (size_t)(end - old));
        if (text->length && text->data[text->length - 1] != '\n')
            strbuf_add(text, "\n");
        if (!list)
            strbuf_add(text, heading);
    }
    strbuf_printf(text, "%*s%s%s", indent, "", record, end);
}

/* The file with the record in it is read before it takes the place of the old one: a form that a line
 * cannot be put into is refused where it stands, never spoilt. */
static bool add_record(const char *path, const char *record, struct arena *arena, struct error *error)
{
    struct strbuf old = {0}, text = {0};
    struct yaml_document before = {0}, after;
    int lock = file_lock(path); /* runs that end at the same time keep each other's records */
    bool exists = access(path, F_OK) == 0, done = !exists || file_read(path, YAML_MAX_BYTES, &old, error);
    if (done && strspn(strbuf_text(&old), " \r\n") < old.length)
        done = yaml_parse(arena, path, strbuf_text(&old), old.length, 0, &before, error);
    const struct yaml_node *list = done ? yaml_get(before.root, "calibrations") : NULL;
    int known = list ? list->count : 0;
    if (done)
        insert_record(strbuf_text(&old), list, record, &text);
    done = done && yaml_parse(arena, path, text.data, text.length, 0, &after, error);
    list = done ? yaml_get(after.root, "calibrations") : NULL;
    if (done && (!list || list->count != known + 1))
        done = yaml_error(&after, list ? list : after.root, false, error,
                          tr("%s: expected %s, found %s"), "calibrations", tr("a list"),
                          list ? list->text : "");
    done = done && file_write(path, text.data, text.length, true, error);
    file_unlock(lock);
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
        done = add_record(overlay_path, record, arena, error);
        if (done)
            strbuf_printf(report, tr("%s on %s: memory besides model states x %.2f, speed x %.2f; written to %s\n"),
                          stack, offer.hardware.gpu->id, memory_ratio, speed_ratio, overlay_path);
    }
    arena_free(arena);
    return done;
}
