/* screen_whatif.c - the main knobs of the job turned freely, the results beside those of the
 * answers as they were when it opened. Nothing is changed until Enter. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/knob.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

enum {
    TRAINING = 1 << WORKLOAD_PRETRAIN | 1 << WORKLOAD_FULL | 1 << WORKLOAD_LORA,
    SERVING = 1 << WORKLOAD_INFERENCE
};

/* The knobs in their order, and the ends of their tracks; numbers but shares run by doubling.
 * Choices have no ends. */
static const struct knob {
    enum field_id id;
    double low, high;
    unsigned workloads; /* bits by enum workload; the optimizer of an adapter hardly counts */
} knobs[] = {
    {FIELD_SEQ_LEN, 256, 131072, TRAINING},
    {FIELD_MICRO_BATCH, 1, 64, TRAINING},
    {FIELD_CONCURRENCY, 1, 1024, SERVING},
    {FIELD_CONTEXT, 512, 131072, SERVING},
    {FIELD_WEIGHTS, 0, 0, SERVING | 1 << WORKLOAD_LORA},
    {FIELD_KV_CACHE, 0, 0, SERVING},
    {FIELD_LORA_RANK, 1, 512, 1 << WORKLOAD_LORA},
    {FIELD_INPUT_LEN, 16, 65536, SERVING},
    {FIELD_OUTPUT_LEN, 16, 16384, SERVING},
    {FIELD_OPTIMIZER, 0, 0, 1 << WORKLOAD_PRETRAIN | 1 << WORKLOAD_FULL},
    {FIELD_RECOMPUTE, 0, 0, TRAINING},
    {FIELD_ZERO, 0, 0, TRAINING},
    {FIELD_NODES, 1, 128, TRAINING | SERVING},
    {FIELD_SPOT_PRICE_RATIO, 0.1, 1, TRAINING | SERVING},
};
enum { KNOBS = sizeof knobs / sizeof *knobs };

/* What is compared, copied so that it outlives the plan. */
struct figures {
    bool ok; /* false: the answers contradict each other; `error` says how */
    char error[300];
    const struct instance *instance; /* of the offer to recommend; NULL = nothing can do it */
    int nodes;
    struct offer offer; /* its layout, memory and speed; costs are not kept */
    double cny;
    size_t offers;
};

struct whatif {
    struct scenario before, now;
    struct figures was, is;
    double same_need, same_cny; /* on the machine of `was`, when another one is recommended now */
    enum verdict same_verdict;
    bool same;            /* it is still offered */
    unsigned long serial; /* of the plan that `is` speaks of */
    enum field_id rows[KNOBS];
    int count;
    struct list list;
};

/* ---- figures ---- */

static void take_figures(const struct computed *computed, struct figures *figures)
{
    *figures = (struct figures){.ok = computed->ok};
    if (!computed->ok) {
        error_text(&computed->error, figures->error, sizeof figures->error);
        return;
    }
    const struct plan *plan = &computed->plan;
    figures->offers = plan->offer_count;
    if (!plan->offer_count)
        return;
    figures->offer = plan->offers[0];
    figures->instance = plan->offers[0].instance;
    figures->nodes = plan->offers[0].nodes;
    figures->cny = offer_cny(&plan->offers[0]);
    figures->offer.costs = NULL;
    figures->offer.price = NULL;
}

/* The machine of the baseline under the turned knobs. */
static void take_same(const struct computed *computed, struct whatif *whatif)
{
    whatif->same = false;
    for (size_t i = 0; computed->ok && i < computed->plan.offer_count; i++) {
        const struct offer *offer = &computed->plan.offers[i];
        if (offer->instance != whatif->was.instance || offer->nodes != whatif->was.nodes)
            continue;
        whatif->same = true;
        whatif->same_need = offer->memory.need_gib;
        whatif->same_verdict = offer->memory.verdict;
        whatif->same_cny = offer_cny(offer);
        return;
    }
}

static void collect(struct whatif *whatif)
{
    whatif->count = 0;
    for (int i = 0; i < KNOBS; i++)
        if (knobs[i].workloads & 1u << whatif->now.workload &&
            field_applies(knobs[i].id, &whatif->now))
            whatif->rows[whatif->count++] = knobs[i].id;
}

/* ---- layout ---- */

enum { FIGURES = 6, BARS = 2 };

static int knob_rows(const struct whatif *whatif, struct rect area)
{
    int room = area.rows - 2 - FIGURES - 1;
    if (room - BARS >= whatif->count || room - BARS >= 6)
        room -= BARS;
    return whatif->count < room ? whatif->count : room > 1 ? room : 1;
}

/* ---- events ---- */

static void whatif_open(struct app *app, void *state, int argument)
{
    struct whatif *whatif = state;
    (void)argument;
    memcpy(&whatif->before, &app->scenario, sizeof whatif->before);
    compute_sketch(&app->compute, &whatif->before);
    memcpy(&whatif->now, &whatif->before, sizeof whatif->now);
    take_figures(compute_plan(&app->compute, &whatif->before), &whatif->was);
    whatif->is = whatif->was;
    collect(whatif);
}

static void whatif_update(struct app *app, void *state)
{
    struct whatif *whatif = state;
    if (whatif->serial != app->computed->serial) {
        take_figures(app->computed, &whatif->is);
        take_same(app->computed, whatif);
        whatif->serial = app->computed->serial;
    }
    collect(whatif);
    list_keep(&whatif->list, whatif->count, knob_rows(whatif, app_area(app)));
}

static bool whatif_preview(const struct app *app, const void *state, struct scenario *scenario)
{
    (void)app;
    memcpy(scenario, &((const struct whatif *)state)->now, sizeof *scenario);
    return true;
}

/* The answer as it was. */
static void reset(struct app *app, struct whatif *whatif, enum field_id id)
{
    struct strbuf text = {0};
    struct error ignored;
    scenario_format(&whatif->before, id, &text);
    scenario_set(&whatif->now, id, strbuf_text(&text), app->compute.catalog, app->arena, &ignored);
    strbuf_clear(&text);
}

static bool whatif_act(struct app *app, void *state, int action, const struct event *event)
{
    struct whatif *whatif = state;
    (void)event;
    if (list_act(&whatif->list, action, whatif->count, knob_rows(whatif, app_area(app))))
        return true;
    enum field_id id =
        whatif->list.cursor < whatif->count ? whatif->rows[whatif->list.cursor] : FIELD_COUNT;
    if (id == FIELD_COUNT)
        return false;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_RIGHT:
        if (!knob_turn(&app->compute, app->computed, app->arena, &whatif->now, id,
                       action == ACTION_LEFT ? -1 : 1))
            app_say(app, false, tr("%s goes no further."), tr(fields[id].label));
        return true;
    case ACTION_HELP:
        app_open(app, SCREEN_HELP, help_about(app, fields[id].key));
        return true;
    case ACTION_AUTO:
        reset(app, whatif, id);
        return true;
    case ACTION_ENTER: {
        struct scenario taken;
        bool changed = !answers_equal(&whatif->before, &whatif->now);
        memcpy(&taken, &whatif->now, sizeof taken);
        app_close(app);
        if (changed)
            app_commit(app, &taken);
        app_say(app, false,
                changed ? tr("Taken over; u takes it back.") : tr("Nothing was turned."));
        return true;
    }
    default:
        return false;
    }
}

/* ---- drawing the knobs ---- */

enum { NAME_CELLS = 20, TRACK_CELLS = 16 };

/* Where on its track a value stands, from 0 to 1; NAN = not on it. */
static double position(const struct app *app, const struct scenario *scenario, enum field_id id)
{
    const struct field *field = &fields[id];
    if (field->kind == FIELD_KIND_CHOICE) {
        int count = 0;
        while (field->choices[count])
            count++;
        return scenario_has(scenario, id)
                   ? (*(const int *)((const char *)scenario + field->offset) + 1.0) / count
                   : 0;
    }
    double value = field->kind == FIELD_KIND_ID ? NAN : knob_number(app->computed, scenario, id);
    for (int i = 0; i < KNOBS && !isnan(value); i++)
        if (knobs[i].id == id) {
            double place = knobs[i].low < 1
                               ? (value - knobs[i].low) / (knobs[i].high - knobs[i].low)
                               : log(value / knobs[i].low) / log(knobs[i].high / knobs[i].low);
            return fmin(fmax(place, 0), 1);
        }
    return NAN;
}

static void draw_track(const struct app *app, const struct whatif *whatif, enum field_id id,
                       struct canvas *canvas, int row, int col)
{
    double at = position(app, &whatif->now, id);
    bool turned = scenario_has(&whatif->now, id);
    for (int i = 0; i < TRACK_CELLS; i++)
        canvas_put(canvas, row, col + i, 0x2500, ROLE_RULE, ROLE_TEXT);
    if (!isnan(at))
        canvas_put(canvas, row, col + (int)lround(at * (TRACK_CELLS - 1)), turned ? 0x25CF : 0x25CB,
                   turned ? ROLE_ACCENT : ROLE_TEXT, ROLE_TEXT);
}

static void draw_knob(const struct app *app, const struct whatif *whatif, int index,
                      struct canvas *canvas, struct rect area, int row)
{
    enum field_id id = whatif->rows[index];
    struct strbuf was = {0}, is = {0}, plain_was = {0}, plain_is = {0};
    bool cursor = index == whatif->list.cursor;
    scenario_format(&whatif->before, id, &plain_was);
    scenario_format(&whatif->now, id, &plain_is);
    bool turned = strcmp(strbuf_text(&plain_was), strbuf_text(&plain_is)) != 0;
    canvas_text(canvas, row, area.col, 1, ROLE_ACCENT, cursor ? "▸" : " ");
    canvas_text(canvas, row, area.col + 2, NAME_CELLS - 1, turned ? ROLE_ACCENT : ROLE_TEXT,
                tr(fields[id].label));
    int col = area.col + 2 + NAME_CELLS;
    draw_track(app, whatif, id, canvas, row, col);
    col += TRACK_CELLS + 2;
    knob_value(app->computed, &whatif->now, id, &is);
    int used = canvas_text(canvas, row, col, area.col + area.cols - col,
                           turned ? ROLE_ACCENT : ROLE_TEXT, strbuf_text(&is));
    if (turned) {
        strbuf_printf(&was, tr("was %s"),
                      scenario_has(&whatif->before, id) ? strbuf_text(&plain_was) : tr("auto"));
        canvas_text(canvas, row, col + used + 2, area.col + area.cols - col - used - 2, ROLE_DIM,
                    strbuf_text(&was));
    }
    if (cursor) {
        canvas_select(canvas, row, area.col, area.cols);
        canvas_cursor(canvas, row, area.col, false);
    }
    strbuf_clear(&was);
    strbuf_clear(&is);
    strbuf_clear(&plain_was);
    strbuf_clear(&plain_is);
}

/* ---- drawing the figures ---- */

/* A line of the comparison: how it is read off an offer, and whether more of it is better (1) or
 * worse (-1). */
struct line {
    const char *label; /* N_() */
    double (*value)(const struct figures *figures);
    char *(*write)(double value, char *text);
    int sign;
    unsigned workloads;
};

static double need(const struct figures *f)
{
    return f->instance ? f->offer.memory.need_gib : NAN;
}
static double speed(const struct figures *f)
{
    return f->instance ? f->offer.speed.tokens_per_s : NAN;
}
static double hours(const struct figures *f)
{
    return f->instance ? f->offer.hours[1] : NAN;
}
static double latency(const struct figures *f)
{
    return f->instance && f->offer.speed.tpot_ms > 0 ? f->offer.speed.tpot_ms : NAN;
}
static double cost(const struct figures *f)
{
    return f->instance ? f->cny : NAN;
}
static double offers(const struct figures *f)
{
    return f->ok ? (double)f->offers : NAN;
}

static const struct line lines[] = {
    {N_("GiB per GPU"), need, units_gib, -1, TRAINING | SERVING},
    {N_("tokens/s"), speed, units_count, 1, TRAINING | SERVING},
    {N_("time"), hours, units_hours, -1, TRAINING},
    {N_("ms per token"), latency, units_gib, -1, SERVING},
    {N_("cost in CNY"), cost, units_cny, -1, TRAINING | SERVING},
    {N_("offers"), offers, units_thousands, 1, TRAINING | SERVING},
};

struct columns_at {
    int was, is, change, cells, change_cells;
};

static struct columns_at columns_at(struct rect area)
{
    enum { LABEL = 16, CHANGE = 15 };
    int cells = (area.cols - LABEL - CHANGE) / 2;
    cells = cells > 30 ? 30 : cells;
    return (struct columns_at){.was = area.col + LABEL,
                               .is = area.col + LABEL + cells,
                               .change = area.col + LABEL + 2 * cells,
                               .cells = cells,
                               .change_cells = CHANGE};
}

/* "+12.3  +48%"; nothing when it is the same. */
static void draw_change(const struct line *line, double was, double is, struct canvas *canvas,
                        int row, struct columns_at at)
{
    char number[UNITS_TEXT], text[80];
    if (isnan(was) || isnan(is) || was == is)
        return;
    int sign = is > was ? 1 : -1;
    int used = snprintf(text, sizeof text, "%s%s", sign > 0 ? "+" : "-",
                        line->write(fabs(is - was), number));
    if (was > 0 && is / was < 9.995)
        snprintf(text + used, sizeof text - (size_t)used, " %+.0f%%", (is / was - 1) * 100);
    else if (was > 0)
        snprintf(text + used, sizeof text - (size_t)used, " x%.0f", is / was);
    canvas_field(canvas, row, at.change, at.change_cells, TEXT_RIGHT,
                 sign == line->sign ? ROLE_GOOD : ROLE_WARN, text);
}

static void draw_machines(const struct whatif *whatif, struct canvas *canvas, int row,
                          struct rect area, struct columns_at at)
{
    const struct figures *both[] = {&whatif->was, &whatif->is};
    canvas_text(canvas, row, area.col, at.was - area.col - 1, ROLE_DIM, tr("first offer"));
    for (int i = 0; i < 2; i++) {
        char name[200];
        if (both[i]->instance)
            offer_name(&both[i]->offer, name, sizeof name);
        else
            snprintf(name, sizeof name, "%s", both[i]->ok ? tr("none fits") : tr("contradiction"));
        canvas_field(canvas, row, i ? at.is : at.was, at.cells - 1, TEXT_RIGHT,
                     !both[i]->instance ? ROLE_BAD
                     : i                ? ROLE_TITLE
                                        : ROLE_TEXT,
                     name);
    }
    bool other =
        whatif->is.instance != whatif->was.instance || whatif->is.nodes != whatif->was.nodes;
    if (other && whatif->is.instance)
        canvas_field(canvas, row, at.change, at.change_cells, TEXT_RIGHT, ROLE_WARN,
                     tr("another type"));
}

static int draw_figures(const struct whatif *whatif, struct canvas *canvas, struct rect area)
{
    struct columns_at at = columns_at(area);
    int row = area.row;
    unsigned workload = 1u << whatif->now.workload;
    canvas_field(canvas, row, at.was, at.cells - 1, TEXT_RIGHT, ROLE_DIM, tr("as answered"));
    canvas_field(canvas, row, at.is, at.cells - 1, TEXT_RIGHT, ROLE_WHATIF, tr("WHAT-IF"));
    canvas_field(canvas, row, at.change, at.change_cells, TEXT_RIGHT, ROLE_DIM, tr("change"));
    draw_machines(whatif, canvas, ++row, area, at);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[UNITS_TEXT];
        if (!(lines[i].workloads & workload))
            continue;
        double was = lines[i].value(&whatif->was), is = lines[i].value(&whatif->is);
        canvas_text(canvas, ++row, area.col, at.was - area.col - 1, ROLE_DIM, tr(lines[i].label));
        bool same = was == is || (isnan(was) && isnan(is));
        canvas_field(canvas, row, at.was, at.cells - 1, TEXT_RIGHT, ROLE_TEXT,
                     lines[i].write(was, text));
        canvas_field(canvas, row, at.is, at.cells - 1, TEXT_RIGHT, same ? ROLE_TEXT : ROLE_TITLE,
                     lines[i].write(is, text));
        draw_change(&lines[i], was, is, canvas, row, at);
    }
    return row + 1 - area.row;
}

static void draw_bars(const struct whatif *whatif, struct canvas *canvas, struct rect area)
{
    const struct figures *both[] = {&whatif->was, &whatif->is};
    for (int i = 0; i < 2 && i < area.rows; i++) {
        char name[40];
        if (!both[i]->instance)
            continue;
        canvas_text(canvas, area.row + i, area.col, 15, i ? ROLE_TITLE : ROLE_DIM,
                    gpu_short(both[i]->offer.hardware.gpu, name));
        bar_memory(canvas, area.row + i, area.col + 16, area.cols - 16 - 10,
                   &both[i]->offer.memory);
        canvas_text(canvas, area.row + i, area.col + area.cols - 9, 9,
                    verdict_role(both[i]->offer.memory.verdict),
                    verdict_word(both[i]->offer.memory.verdict));
    }
}

/* What became of the machine that was recommended before. */
static void draw_same(const struct whatif *whatif, struct canvas *canvas, struct rect area)
{
    char name[200], gib[UNITS_TEXT], cny[UNITS_TEXT];
    if (area.rows < 1 || !whatif->was.instance ||
        (whatif->is.instance == whatif->was.instance && whatif->is.nodes == whatif->was.nodes))
        return;
    offer_name(&whatif->was.offer, name, sizeof name);
    if (whatif->same)
        canvas_printf(canvas, area.row, area.col, area.cols, ROLE_DIM,
                      tr("%s would need %s GiB (%s), %s%s"), name,
                      units_gib(whatif->same_need, gib), verdict_word(whatif->same_verdict),
                      yuan_sign(canvas), units_cny(whatif->same_cny, cny));
    else
        canvas_printf(canvas, area.row, area.col, area.cols, ROLE_WARN,
                      tr("%s can no longer do it"), name);
}

static void whatif_draw(const struct app *app, const void *state, struct canvas *canvas,
                        struct rect area)
{
    const struct whatif *whatif = state;
    int rows = knob_rows(whatif, area);
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_WHATIF, tr(" WHAT-IF "));
    canvas_text(canvas, area.row, area.col + used + 2, area.cols - used - 2, ROLE_DIM,
                tr("turn the knobs; nothing changes until Enter, Esc drops it"));
    list_position(canvas, area.row, area.col + area.cols, &whatif->list, whatif->count, rows);
    for (int i = 0; i < rows && whatif->list.top + i < whatif->count; i++)
        draw_knob(app, whatif, whatif->list.top + i, canvas, area, area.row + 1 + i);
    struct rect below = rect_below(area, 1 + rows + (area.rows - rows > 2 + FIGURES + BARS));
    if (!whatif->is.ok) {
        canvas_wrapped(canvas, rect_below(below, 1), 0, ROLE_BAD, whatif->is.error);
        return;
    }
    below = rect_below(below, draw_figures(whatif, canvas, below));
    if (below.rows >= BARS) {
        draw_bars(whatif, canvas, below);
        below = rect_below(below, BARS);
    }
    draw_same(whatif, canvas, below);
}

static void whatif_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct whatif *whatif = state;
    int index = whatif->list.top + row - area.row - 1, track = col - area.col - 2 - NAME_CELLS;
    if (row <= area.row || row - area.row > knob_rows(whatif, area) || index >= whatif->count)
        return;
    whatif->list.cursor = index;
    double at = position(app, &whatif->now, whatif->rows[index]);
    if (track >= 0 && track < TRACK_CELLS && !isnan(at))
        whatif_act(app, whatif, track < lround(at * (TRACK_CELLS - 1)) ? ACTION_LEFT : ACTION_RIGHT,
                   NULL);
}

const struct screen whatif_screen = {
    .name = N_("What-if"),
    .state_size = sizeof(struct whatif),
    .open = whatif_open,
    .update = whatif_update,
    .draw = whatif_draw,
    .act = whatif_act,
    .click = whatif_click,
    .preview = whatif_preview,
};
