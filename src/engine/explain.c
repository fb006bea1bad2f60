/* explain.c - the table of topics, and how the lines of an explanation are put together. */
#include "engine/explain_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/arith.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

const char *const explain_part_labels[] = {[EXPLAIN_FORMULA] = N_("Formula"),
                                           [EXPLAIN_NUMBERS] = N_("Here"),
                                           [EXPLAIN_TEXT] = "",
                                           [EXPLAIN_COPIED] = N_("On each GPU"),
                                           [EXPLAIN_BAND] = N_("How sure"),
                                           [EXPLAIN_ASSUMED] = N_("Rests on"),
                                           [EXPLAIN_SOURCE] = N_("Source")};

const struct explain_topic explain_topics[] = {
    {"memory.need", N_("memory of one GPU"), EXPLAIN_OF_MEMORY, explain_need, 0},
    {"memory.verdict", N_("does it fit"), EXPLAIN_OF_MEMORY, explain_verdict, 0},
    {"memory.weights", N_("weights"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_WEIGHTS},
    {"memory.adapter", N_("adapter"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_ADAPTER},
    {"memory.gradients", N_("gradients"), EXPLAIN_OF_MEMORY, explain_component,
     COMPONENT_GRADIENTS},
    {"memory.optimizer", N_("optimizer"), EXPLAIN_OF_MEMORY, explain_component,
     COMPONENT_OPTIMIZER},
    {"memory.activations", N_("activations"), EXPLAIN_OF_MEMORY, explain_component,
     COMPONENT_ACTIVATIONS},
    {"memory.logits", N_("logits"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_LOGITS},
    {"memory.kv_cache", N_("KV cache"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_KV_CACHE},
    {"memory.buffers", N_("buffers"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_BUFFERS},
    {"memory.runtime", N_("runtime"), EXPLAIN_OF_MEMORY, explain_component, COMPONENT_RUNTIME},
    {"memory.peak.load", N_("at load"), EXPLAIN_OF_MEMORY, explain_peak, PEAK_LOAD},
    {"memory.peak.step", N_("longest step"), EXPLAIN_OF_MEMORY, explain_peak, PEAK_STEP},
    {"memory.peak.optimizer", N_("optimizer step"), EXPLAIN_OF_MEMORY, explain_peak,
     PEAK_OPTIMIZER},
    {"memory.peak.save", N_("at save"), EXPLAIN_OF_MEMORY, explain_peak, PEAK_SAVE},
    {"memory.reserved", N_("reserved"), EXPLAIN_OF_MEMORY, explain_reserved, 0},
    {"memory.kv_tokens", N_("cache tokens"), EXPLAIN_OF_MEMORY, explain_kv_tokens, 0},
    {"memory.host_ram", N_("host memory"), EXPLAIN_OF_MEMORY, explain_host_ram, 0},
    {"speed.tokens_per_s", N_("speed"), EXPLAIN_OF_TIME, explain_tokens_per_s, 0},
    {"speed.step", N_("time of a step"), EXPLAIN_OF_TIME, explain_step, 0},
    {"speed.mfu", "MFU", EXPLAIN_OF_TIME, explain_mfu, 0},
    {"speed.ttft", N_("first token"), EXPLAIN_OF_TIME, explain_ttft, 0},
    {"speed.tpot", N_("next tokens"), EXPLAIN_OF_TIME, explain_tpot, 0},
    {"speed.gemm", N_("matrix products"), EXPLAIN_OF_TIME, explain_term, TERM_GEMM},
    {"speed.head", N_("output head, loss"), EXPLAIN_OF_TIME, explain_term, TERM_HEAD},
    {"speed.attention", N_("attention"), EXPLAIN_OF_TIME, explain_term, TERM_ATTENTION},
    {"speed.elementwise", N_("norms, activations"), EXPLAIN_OF_TIME, explain_term,
     TERM_ELEMENTWISE},
    {"speed.dequant", N_("dequantisation"), EXPLAIN_OF_TIME, explain_term, TERM_DEQUANT},
    {"speed.host", N_("Python, launches"), EXPLAIN_OF_TIME, explain_term, TERM_HOST},
    {"speed.tensor_parallel", N_("tensor parallel"), EXPLAIN_OF_TIME, explain_term, TERM_TP},
    {"speed.expert_parallel", N_("expert exchange"), EXPLAIN_OF_TIME, explain_term, TERM_EXPERTS},
    {"speed.pipeline", N_("pipeline bubble"), EXPLAIN_OF_TIME, explain_term, TERM_BUBBLE},
    {"speed.data_parallel", N_("gradients, ZeRO"), EXPLAIN_OF_TIME, explain_term,
     TERM_DATA_PARALLEL},
    {"speed.optimizer", N_("optimizer step"), EXPLAIN_OF_TIME, explain_term, TERM_OPTIMIZER},
    {"speed.latency", N_("latency, stragglers"), EXPLAIN_OF_TIME, explain_term, TERM_LATENCY},
    {"speed.offload", N_("offload to host"), EXPLAIN_OF_TIME, explain_term, TERM_OFFLOAD},
    {"speed.read_weights", N_("reading weights"), EXPLAIN_OF_TIME, explain_term, TERM_READ_WEIGHTS},
    {"speed.read_kv", N_("reading KV cache"), EXPLAIN_OF_TIME, explain_term, TERM_READ_KV},
    {"speed.hours", N_("time"), EXPLAIN_OF_TIME, explain_hours, 0},
    {"cost.per_mtok", N_("per million tokens"), EXPLAIN_OF_MONEY, explain_per_mtok, 0},
    {"cost.payg", N_("Pay-as-you-go"), EXPLAIN_OF_MONEY, explain_mode, MODE_PAYG},
    {"cost.payg_stop", N_("PAYG, stopped"), EXPLAIN_OF_MONEY, explain_mode, MODE_PAYG_STOP},
    {"cost.monthly", N_("Monthly"), EXPLAIN_OF_MONEY, explain_mode, MODE_MONTHLY},
    {"cost.yearly", N_("1 year"), EXPLAIN_OF_MONEY, explain_mode, MODE_YEARLY},
    {"cost.2year", N_("2 years"), EXPLAIN_OF_MONEY, explain_mode, MODE_2YEAR},
    {"cost.3year", N_("3 years"), EXPLAIN_OF_MONEY, explain_mode, MODE_3YEAR},
    {"cost.5year", N_("5 years"), EXPLAIN_OF_MONEY, explain_mode, MODE_5YEAR},
    {"cost.savings", N_("Savings plan"), EXPLAIN_OF_MONEY, explain_mode, MODE_SAVINGS},
    {"cost.reserved", N_("Reserved"), EXPLAIN_OF_MONEY, explain_mode, MODE_RESERVED},
    {"cost.spot", N_("Spot"), EXPLAIN_OF_MONEY, explain_mode, MODE_SPOT},
    {"cost.spot_unprotected", N_("Spot unprotected"), EXPLAIN_OF_MONEY, explain_mode,
     MODE_SPOT_UNPROTECTED},
    {"cost.serverless", N_("GPU function"), EXPLAIN_OF_MONEY, explain_mode, MODE_SERVERLESS},
    {"cost.managed", N_("Managed"), EXPLAIN_OF_MONEY, explain_mode, MODE_MANAGED},
    {"cost.mixed", N_("Mixed"), EXPLAIN_OF_MONEY, explain_mode, MODE_MIXED},
};
const int explain_topic_count = sizeof explain_topics / sizeof *explain_topics;

const struct explain_topic *explain_topic_find(const char *id)
{
    const struct explain_topic *found = NULL;
    size_t length = strlen(id);
    for (int i = 0; i < explain_topic_count; i++) {
        const struct explain_topic *topic = &explain_topics[i];
        size_t whole = strlen(topic->id);
        if (strcmp(topic->id, id) == 0)
            return topic;
        bool ends = whole > length && topic->id[whole - length - 1] == '.' &&
                    strcmp(topic->id + whole - length, id) == 0;
        if (ends && found)
            return NULL;
        if (ends)
            found = topic;
    }
    return found;
}

bool explain_means(const struct explain_topic *topic, const char *what)
{
    size_t group = strcspn(topic->id, ".");
    return strcmp(what, "all") == 0 ||
           (strlen(what) == group && strncmp(topic->id, what, group) == 0) ||
           explain_topic_find(what) == topic;
}

bool explain_check(const char *what, struct error *error)
{
    const char *nearest = explain_topics[0].id;
    for (int i = 0; i < explain_topic_count; i++) {
        const char *id = explain_topics[i].id, *end = strchr(id, '.') + 1;
        if (explain_means(&explain_topics[i], what))
            return true;
        if (text_distance(what, end) < text_distance(what, strchr(nearest, '.') + 1))
            nearest = id;
    }
    error_set(error, tr("there is no topic '%s' to explain"), what);
    if (!text_alike(strchr(nearest, '.') + 1, what) && !text_alike(nearest, what))
        return error_hint(error, tr("memory, speed, cost and all stand for several"));
    return error_hint(error, tr("did you mean %s? memory, speed, cost and all stand for several"),
                      nearest);
}

/* ---- figures and numbers -------------------------------------------------------------------- */

char *explain_figure(double value, const char *unit, char *text)
{
    char number[UNITS_TEXT];
    if (isnan(value))
        return strcpy(text, "-");
    if (strcmp(unit, "h") == 0)
        snprintf(text, EXPLAIN_FIGURE, "%s", units_hours(value, number));
    else if (strcmp(unit, "s") == 0 && value < 1)
        snprintf(text, EXPLAIN_FIGURE, "%s %s", units_gib(value * 1000, number), tr("ms"));
    else if (strcmp(unit, "%") == 0)
        snprintf(text, EXPLAIN_FIGURE, "%s %%", units_gib(value * 100, number));
    else if (strcmp(unit, "GiB") == 0 || strcmp(unit, "s") == 0)
        snprintf(text, EXPLAIN_FIGURE, "%s %s", units_gib(value, number), tr(unit));
    else if (strlen(unit) == 3 && strspn(unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3) /* a currency */
        snprintf(text, EXPLAIN_FIGURE, "%s %s", units_cny(value, number), tr(unit));
    else
        snprintf(text, EXPLAIN_FIGURE, "%s%s%s", units_count(value, number), *unit ? " " : "",
                 tr(unit));
    return text;
}

static int decimals_for(double value, int digits)
{
    int before = (int)floor(log10(fabs(value))) + 1;
    return digits > before ? digits - before : 0;
}

/* "70576.35" as "70,576.35". */
static void add_grouped(struct strbuf *out, const char *number)
{
    size_t whole = strcspn(number, "."), sign = *number == '-';
    for (size_t i = 0; i < whole; i++) {
        if (i > sign && (whole - i) % 3 == 0)
            strbuf_add(out, ",");
        strbuf_add_n(out, &number[i], 1);
    }
    strbuf_add(out, number + whole);
}

/* A number with so many significant digits, without trailing zeros; counts below a million whole.
 */
static void add_number(struct strbuf *out, double value, int digits)
{
    static const struct {
        double from;
        char suffix;
    } scales[] = {{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}, {0, '\0'}};
    char text[64];
    size_t scale = 0;
    if (value == 0 || !isfinite(value)) {
        strbuf_add(out, value == 0 ? "0" : "-");
        return;
    }
    if (fabs(value) < 1e-3) {
        strbuf_printf(out, "%.*e", digits - 1, value);
        return;
    }
    while (fabs(value) < scales[scale].from)
        scale++;
    if (scales[scale].suffix)
        value /= scales[scale].from;
    bool counts = !scales[scale].suffix && value == floor(value);
    snprintf(text, sizeof text, "%.*f", counts ? 0 : decimals_for(value, digits), value);
    if (strchr(text, '.')) {
        size_t end = strlen(text);
        while (text[end - 1] == '0')
            end--;
        text[end - (text[end - 1] == '.')] = '\0';
    }
    add_grouped(out, text);
    if (scales[scale].suffix)
        strbuf_add_n(out, &scales[scale].suffix, 1);
}

/* The formula with its names, or with its values. */
static void add_expression(struct strbuf *out, const char *formula, const double *values,
                           int digits)
{
    for (const char *at = formula; *at;) {
        size_t plain = strcspn(at, "{");
        strbuf_add_n(out, at, plain);
        at += plain;
        if (!*at)
            break;
        size_t name = strcspn(at + 1, "}");
        if (digits)
            add_number(out, *values++, digits);
        else
            strbuf_add_n(out, at + 1, name);
        at += 1 + name + (at[1 + name] == '}');
    }
}

/* Fills `out` with the numbers and true when they come to `result` as it is printed. */
static bool add_numbers(struct strbuf *out, const char *formula, const double *values,
                        double result, const char *unit)
{
    enum { FEWEST = 4, MOST = 12 };
    char wanted[EXPLAIN_FIGURE], got[EXPLAIN_FIGURE];
    explain_figure(result, unit, wanted);
    for (int digits = FEWEST; digits <= MOST; digits++) {
        double value;
        strbuf_reset(out);
        add_expression(out, formula, values, digits);
        if (arith_evaluate(strbuf_text(out), &value) &&
            (strcmp(explain_figure(value, unit, got), wanted) == 0 ||
             fabs(value - result) <= 1e-9 * fabs(result))) { /* halves may round either way */
            strbuf_printf(out, " = %s", wanted);
            return true;
        }
    }
    strbuf_printf(out, " = %s", wanted);
    return false;
}

/* ---- putting lines together ----------------------------------------------------------------- */

static struct explain_line *add_line(struct explainer *explainer, enum explain_part part,
                                     const char *text)
{
    struct explanation *out = explainer->out;
    struct explain_line *line = ARENA_NEW(explainer->arena, struct explain_line);
    *line = (struct explain_line){.part = part, .text = text, .result = NAN, .unit = ""};
    *(out->first ? &out->last->next : &out->first) = line;
    out->last = line;
    return line;
}

static void add_formula(struct explainer *explainer, const char *formula, const char *numbers,
                        double result, const char *unit)
{
    struct strbuf words = {0};
    add_expression(&words, formula, NULL, 0);
    add_line(explainer, EXPLAIN_FORMULA, arena_strdup(explainer->arena, strbuf_text(&words)));
    strbuf_clear(&words);
    struct explain_line *line =
        add_line(explainer, EXPLAIN_NUMBERS, arena_strdup(explainer->arena, numbers));
    line->result = result;
    line->unit = unit;
}

void explain_set_figure(struct explainer *explainer, double figure, const char *unit)
{
    explainer->out->figure = figure;
    explainer->out->unit = unit;
}

void explain_formula(struct explainer *explainer, const char *formula, const double *values,
                     double result, const char *unit)
{
    struct strbuf numbers = {0};
    add_numbers(&numbers, formula, values, result, unit);
    add_formula(explainer, formula, strbuf_text(&numbers), result, unit);
    strbuf_clear(&numbers);
}

bool explain_detail(struct explainer *explainer, const char *formula, const double *values,
                    double result, const char *unit)
{
    struct strbuf numbers = {0};
    bool holds = add_numbers(&numbers, formula, values, result, unit);
    if (holds)
        add_formula(explainer, formula, strbuf_text(&numbers), result, unit);
    strbuf_clear(&numbers);
    return holds;
}

void explain_say(struct explainer *explainer, enum explain_part part, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_line(explainer, part, arena_strdup(explainer->arena, text));
}

void explain_own_run(struct explainer *explainer, double before, double ratio, const char *unit)
{
    if (ratio == 1)
        return;
    EXPLAIN(explainer, tr("{as computed} x {measured in your own run, of the estimate}"),
            before * ratio, unit, before, ratio);
}

/* ---- the whole ------------------------------------------------------------------------------ */

struct explanation explain(const struct explain_input *input, const struct explain_topic *topic,
                           struct arena *arena)
{
    const struct offer *offer = input->offer;
    struct explanation out = {.title = tr(topic->label), .figure = NAN, .unit = ""};
    struct explainer explainer = {.input = input,
                                  .arena = arena,
                                  .out = &out,
                                  .job = job_for_gpu(input->job, offer->hardware.gpu),
                                  .hardware = &offer->hardware,
                                  .layout = &offer->layout,
                                  .memory = &offer->memory,
                                  .speed = &offer->speed,
                                  .constants = input->constants,
                                  .memory_ratio = 1,
                                  .speed_ratio = 1};
    bool serves = explainer.job.workload == WORKLOAD_INFERENCE;
    const struct calibration *own = constants_calibration(
        input->constants,
        serves ? engine_names[explainer.job.engine] : stack_names[explainer.job.stack],
        offer->hardware.gpu->id);
    if (own) {
        explainer.memory_ratio = own->memory_ratio;
        explainer.speed_ratio = own->speed_ratio;
    }
    topic->fill(&explainer, topic->item);
    return out;
}

/* What prints as zero is none. */
bool explain_has_figure(const struct explanation *explanation)
{
    double scale = strcmp(explanation->unit, "s") == 0   ? 1000 /* small ones print as ms */
                   : strcmp(explanation->unit, "%") == 0 ? 100
                                                         : 1;
    return !isnan(explanation->figure) && fabs(explanation->figure) * scale >= 0.005;
}

/* ---- as text -------------------------------------------------------------------------------- */

static void write_line(const char *label, const char *text, int cells, struct strbuf *out)
{
    enum { INDENT = 2 };
    struct strbuf whole = {0};
    if (*label)
        strbuf_printf(&whole, tr("%s: "), label);
    strbuf_add(&whole, text);
    const char *rest = strbuf_text(&whole);
    for (bool first = true; *rest; first = false) {
        int indent = first ? INDENT : 2 * INDENT;
        size_t length = text_wrap(rest, cells - indent);
        strbuf_printf(out, "%*s%.*s\n", indent, "", (int)length, rest);
        rest += length;
        rest += strspn(rest, " ");
    }
    strbuf_clear(&whole);
}

void explain_write(const struct explanation *explanation, int cells, struct strbuf *out)
{
    char figure[EXPLAIN_FIGURE];
    if (isnan(explanation->figure))
        strbuf_printf(out, "%s\n", explanation->title);
    else
        strbuf_printf(out, tr("%s: %s\n"), explanation->title,
                      explain_figure(explanation->figure, explanation->unit, figure));
    for (const struct explain_line *line = explanation->first; line; line = line->next)
        write_line(*explain_part_labels[line->part] ? tr(explain_part_labels[line->part]) : "",
                   line->text, cells, out);
}
