/* screen_explain.c - how each figure of an offer comes about: a list of figures, and for the marked
 * one the formula, the numbers, what is copied on every GPU, the source and the band. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "engine/explain.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

enum { TOPICS_MAX = 80, LIST_CELLS = 34, LABEL_CELLS = 13, GAP = 2, WIDE = 100 };

struct explain_view {
    struct arena *arena; /* holds the explanations; made anew at each update */
    struct offer own;    /* where nothing is offered: one large GPU */
    char name[200];
    struct explanation all[TOPICS_MAX];
    int shown[TOPICS_MAX]; /* topics that this job has figures of */
    int count;
    struct list list;     /* over `shown` */
    int wanted;           /* the topic asked for, or the last marked one */
    int top, lines, rows; /* of the text */
    bool ok;
};

/* ---- which figure ---- */

static int topic_index(const char *id)
{
    const struct explain_topic *topic = explain_topic_find(id);
    return topic ? (int)(topic - explain_topics) : 0;
}

int explain_topic_of_field(enum field_id id)
{
    static const struct {
        enum field_id id;
        const char *topic;
    } map[] = {
        {FIELD_WEIGHTS, "memory.weights"},
        {FIELD_PRECISION, "memory.weights"},
        {FIELD_OPTIMIZER, "memory.optimizer"},
        {FIELD_OPTIMIZER_IN_BACKWARD, "memory.gradients"},
        {FIELD_LORA_RANK, "memory.adapter"},
        {FIELD_LORA_TARGETS, "memory.adapter"},
        {FIELD_TRAIN_EMBEDDINGS, "memory.adapter"},
        {FIELD_SEQ_LEN, "memory.activations"},
        {FIELD_MICRO_BATCH, "memory.activations"},
        {FIELD_RECOMPUTE, "memory.activations"},
        {FIELD_FLASH_ATTENTION, "speed.attention"},
        {FIELD_FUSED_LOSS, "memory.logits"},
        {FIELD_ZERO, "memory.optimizer"},
        {FIELD_OFFLOAD, "memory.host_ram"},
        {FIELD_TP, "speed.tensor_parallel"},
        {FIELD_PP, "speed.pipeline"},
        {FIELD_DP, "speed.data_parallel"},
        {FIELD_EP, "speed.expert_parallel"},
        {FIELD_GLOBAL_BATCH, "speed.step"},
        {FIELD_KV_CACHE, "memory.kv_cache"},
        {FIELD_CONTEXT, "memory.kv_cache"},
        {FIELD_CONCURRENCY, "memory.kv_tokens"},
        {FIELD_INPUT_LEN, "speed.ttft"},
        {FIELD_OUTPUT_LEN, "speed.tpot"},
        {FIELD_TTFT_MS, "speed.ttft"},
        {FIELD_TPOT_MS, "speed.tpot"},
        {FIELD_REQUESTS_PER_S, "speed.tokens_per_s"},
        {FIELD_SATURATED, "speed.tokens_per_s"},
        {FIELD_ENGINE, "memory.reserved"},
        {FIELD_MEMORY_UTILIZATION, "memory.reserved"},
        {FIELD_MAX_NUM_SEQS, "memory.logits"},
        {FIELD_TOKENS_B, "speed.hours"},
        {FIELD_SAMPLES, "speed.hours"},
        {FIELD_MEAN_LEN, "speed.hours"},
        {FIELD_EPOCHS, "speed.hours"},
        {FIELD_DEADLINE_H, "speed.hours"},
        {FIELD_BUDGET, "cost.payg"},
        {FIELD_BUDGET_PER, "cost.payg"},
        {FIELD_BILLING, "cost.payg"},
        {FIELD_SPOT_PRICE_RATIO, "cost.spot"},
        {FIELD_SPOT_HOURS_BETWEEN_LOSSES, "cost.spot"},
        {FIELD_CHECKPOINT_MINUTES, "cost.spot"},
    };
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (map[i].id == id)
            return topic_index(map[i].topic);
    return topic_index("memory.need");
}

int explain_topic_of_column(const char *column, enum billing_mode mode)
{
    static const struct {
        const char *column, *topic;
    } map[] = {{"memory_percent", "memory.verdict"},
               {"verdict", "memory.verdict"},
               {"usable_gib", "memory.verdict"},
               {"tokens_per_s", "speed.tokens_per_s"},
               {"tokens_per_s_per_gpu", "speed.tokens_per_s"},
               {"hours", "speed.hours"},
               {"cny_per_mtok", "cost.per_mtok"},
               {"mfu_percent", "speed.mfu"},
               {"ttft_ms", "speed.ttft"},
               {"tpot_ms", "speed.tpot"},
               {"max_concurrency", "memory.kv_tokens"},
               {"ram_gib", "memory.host_ram"},
               {"payg_cny_per_hour", "cost.payg"}};
    static const char *const of_mode[] = {"cost_cny", "cheapest", "cny_per_hour", "cny_per_month"};
    char id[64];
    snprintf(id, sizeof id, "cost.%s", mode < MODE_COUNT ? billing_modes[mode].key : "payg");
    for (size_t i = 0; i < sizeof of_mode / sizeof *of_mode; i++)
        if (strcmp(of_mode[i], column) == 0)
            return topic_index(id);
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (strcmp(map[i].column, column) == 0)
            return topic_index(map[i].topic);
    return topic_index("memory.need");
}

/* ---- whose figures ---- */

/* Figures of hardware that is not offered; NULL where the job cannot be laid out on it at all. */
static const struct offer *own_offer(struct app *app, struct explain_view *view,
                                     const struct hardware *hardware)
{
    const struct constants *constants = app->compute.constants;
    const struct job *job = &app_plan(app)->job;
    struct job on_gpu = job_for_gpu(job, hardware->gpu);
    struct offer *own = &view->own;
    enum exclusion reason;
    char detail[160];
    *own = (struct offer){.nodes = hardware->nodes,
                          .hardware = *hardware,
                          .cheapest = MODE_COUNT,
                          .hours = {NAN, NAN, NAN}};
    layout_search(job, hardware, constants, &own->layout, &own->memory, &own->speed, &reason,
                  detail, sizeof detail);
    if (own->layout.tp < 1)
        return NULL;
    own->speed = speed_estimate(&on_gpu, hardware, &own->layout, &own->memory, constants);
    return own;
}

/* A type that was left out: the layout that comes nearest on one machine of it says why. */
static const struct offer *left_out(struct app *app, struct explain_view *view,
                                    const struct excluded *excluded)
{
    snprintf(view->name, sizeof view->name, tr("%s: %s"), excluded->instance->type, excluded->detail);
    if (!excluded->instance->gpu)
        return NULL;
    struct hardware hardware = hardware_of_instance(&app_plan(app)->job, excluded->instance, 1);
    return own_offer(app, view, &hardware);
}

/* Where nothing is offered, the figures of one large GPU say what stands in the way. */
static const struct offer *unoffered(struct app *app, struct explain_view *view)
{
    struct reference reference = compute_reference(&app->compute, &app->shown, FIELD_COUNT);
    if (!reference.ok || !app_plan(app))
        return NULL;
    snprintf(view->name, sizeof view->name, tr("nothing fits; the figures of one %s"),
             reference.hardware.gpu->name);
    return own_offer(app, view, &reference.hardware);
}

static const struct offer *find_offer(struct app *app, struct explain_view *view)
{
    const struct plan *plan = app_plan(app);
    const struct excluded *excluded = excluded_marked(app);
    const struct offer *offer = instances_marked(app);
    if (excluded)
        return left_out(app, view, excluded);
    if (!offer && plan->offer_count)
        offer = live_best(plan) ? live_best(plan) : plan->offers;
    if (!offer)
        return unoffered(app, view);
    offer_name(offer, view->name, sizeof view->name);
    return offer;
}

/* ---- state ---- */

static void explain_open(struct app *app, void *state, int argument)
{
    struct explain_view *view = state;
    (void)app;
    view->arena = arena_new();
    view->wanted = argument;
}

static void explain_close(struct app *app, void *state)
{
    (void)app;
    arena_free(((struct explain_view *)state)->arena);
}

static struct rect text_area(struct rect area)
{
    struct rect text = rect_below(area, 2);
    if (area.cols >= WIDE) {
        text.col += LIST_CELLS + GAP;
        text.cols -= LIST_CELLS + GAP;
    }
    return text;
}

static int draw_text(const struct explanation *explanation, int top, struct canvas *canvas,
                     struct rect area);

static void explain_update(struct app *app, void *state)
{
    struct explain_view *view = state;
    arena_reset(view->arena);
    const struct plan *plan = app_plan(app);
    const struct offer *offer = plan ? find_offer(app, view) : NULL;
    view->ok = offer != NULL;
    view->count = 0;
    if (!view->ok)
        return;
    const struct explain_input input = {.catalog = app->compute.catalog,
                                        .constants = app->compute.constants,
                                        .job = &plan->job,
                                        .offer = offer,
                                        .today = app->compute.today};
    for (int i = 0; i < explain_topic_count && i < TOPICS_MAX; i++) {
        view->all[i] = explain(&input, &explain_topics[i], view->arena);
        bool has = explain_has_figure(&view->all[i]);
        if (i == view->wanted)
            view->list.cursor = view->count;
        if (has || i == view->wanted)
            view->shown[view->count++] = i;
    }
    struct rect text = text_area(app_area(app));
    list_keep(&view->list, view->count, text.rows);
    view->rows = text.rows;
    view->lines = draw_text(&view->all[view->wanted], 0, NULL, text);
    int last = view->lines > text.rows ? view->lines - text.rows : 0;
    view->top = view->top < 0 ? 0 : view->top > last ? last : view->top;
}

/* The word of the glossary for a topic: the end of its id, "memory.kv_cache", or the whole. */
static int word_of_topic(const struct app *app, int topic)
{
    const char *id = explain_topics[topic].id, *dot = strrchr(id, '.');
    int word = help_about(app, dot ? dot + 1 : id);
    return word ? word : help_about(app, explain_topics[topic].label);
}

static bool explain_act(struct app *app, void *state, int action, const struct event *event)
{
    struct explain_view *view = state;
    int page = view->rows > 2 ? view->rows - 1 : 1;
    (void)app;
    (void)event;
    switch (action) {
    case ACTION_PAGE_UP:
        view->top -= page;
        return true;
    case ACTION_PAGE_DOWN:
        view->top += page;
        return true;
    case ACTION_LEFT:
        action = ACTION_UP;
        break;
    case ACTION_RIGHT:
        action = ACTION_DOWN;
        break;
    case ACTION_HELP:
        if (!view->ok || view->list.cursor >= view->count)
            return false;
        app_open(app, SCREEN_HELP, word_of_topic(app, view->shown[view->list.cursor]));
        return true;
    default:
        break;
    }
    if (!view->ok || !list_act(&view->list, action, view->count, 1))
        return false;
    view->wanted = view->shown[view->list.cursor];
    view->top = 0;
    return true;
}

static void explain_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct explain_view *view = state;
    int index = view->list.top + row - area.row - 2;
    (void)app;
    if (area.cols < WIDE || col >= area.col + LIST_CELLS || row < area.row + 2 ||
        index >= view->count)
        return;
    view->list.cursor = index;
    view->wanted = view->shown[index];
    view->top = 0;
}

/* ---- drawing ---- */

static enum role part_role(enum explain_part part)
{
    static const enum role roles[] = {
        [EXPLAIN_FORMULA] = ROLE_TEXT, [EXPLAIN_NUMBERS] = ROLE_ACCENT,
        [EXPLAIN_TEXT] = ROLE_TEXT,    [EXPLAIN_COPIED] = ROLE_WARN,
        [EXPLAIN_BAND] = ROLE_TEXT,    [EXPLAIN_ASSUMED] = ROLE_DIM,
        [EXPLAIN_SOURCE] = ROLE_DIM};
    return roles[part];
}

/* A label and its text beside it, `top` lines left out; with canvas NULL it only counts. Returns
 * the lines of the whole. */
static int draw_text(const struct explanation *explanation, int top, struct canvas *canvas,
                     struct rect area)
{
    struct rect body = {area.row, area.col + LABEL_CELLS, 10000, area.cols - LABEL_CELLS};
    enum explain_part before = EXPLAIN_TEXT;
    int at = 0;
    for (const struct explain_line *line = explanation->first; line;
         before = line->part, line = line->next) {
        int lines = canvas_wrapped(NULL, body, 0, ROLE_TEXT, line->text);
        int hidden = at < top ? top - at : 0, row = at - top + hidden;
        if (canvas && hidden < lines && row < area.rows) {
            struct rect place = {area.row + row, body.col, area.rows - row, body.cols};
            const char *label = explain_part_labels[line->part];
            if (*label && !hidden && line->part != before)
                canvas_text(canvas, place.row, area.col, LABEL_CELLS - 1, ROLE_DIM, tr(label));
            canvas_wrapped(canvas, place, hidden, part_role(line->part), line->text);
        }
        at += lines;
    }
    return at;
}

static void draw_list(const struct explain_view *view, struct canvas *canvas, struct rect area)
{
    for (int i = 0; i < area.rows && view->list.top + i < view->count; i++) {
        int index = view->list.top + i;
        const struct explanation *explanation = &view->all[view->shown[index]];
        char figure[EXPLAIN_FIGURE];
        explain_figure(explanation->figure, explanation->unit, figure);
        int cells = text_width(figure), row = area.row + i;
        canvas_text(canvas, row, area.col + 1, LIST_CELLS - cells - 3, ROLE_TEXT,
                    explanation->title);
        canvas_text(canvas, row, area.col + LIST_CELLS - cells - 1, cells, ROLE_DIM, figure);
        if (index == view->list.cursor) {
            canvas_select(canvas, row, area.col, LIST_CELLS);
            canvas_cursor(canvas, row, area.col, false);
        }
    }
}

static void draw_heading(const struct explain_view *view, struct canvas *canvas, struct rect area)
{
    const struct explanation *explanation = &view->all[view->wanted];
    char figure[EXPLAIN_FIGURE], text[200], place[32];
    snprintf(text, sizeof text, isnan(explanation->figure) ? "%s" : tr("%s: %s"),
             explanation->title, explain_figure(explanation->figure, explanation->unit, figure));
    int used = canvas_text(canvas, area.row, area.col, area.cols - 10, ROLE_TITLE, text);
    snprintf(place, sizeof place, tr("%d of %d"), view->list.cursor + 1, view->count);
    int cells = text_width(place);
    canvas_text(canvas, area.row, area.col + area.cols - cells, cells, ROLE_DIM, place);
    canvas_text(canvas, area.row, area.col + used + 3, area.cols - used - cells - 5, ROLE_DIM,
                view->name);
    if (area.cols < WIDE)
        canvas_cursor(canvas, area.row, area.col, false);
}

static void explain_draw(const struct app *app, const void *state, struct canvas *canvas,
                         struct rect area)
{
    const struct explain_view *view = state;
    char text[700];
    if (!view->ok) {
        const char *why = app->computed && !app->computed->ok
                              ? error_text(&app->computed->error, text, sizeof text)
                          : *view->name ? view->name
                                        : tr("There is nothing to explain yet.");
        canvas_wrapped(canvas, area, 0, ROLE_BAD, why);
        return;
    }
    struct rect body = text_area(area);
    draw_heading(view, canvas, area);
    if (area.cols >= WIDE)
        draw_list(view, canvas, rect_below(area, 2));
    draw_text(&view->all[view->wanted], view->top, canvas, body);
    if (view->top + body.rows < view->lines)
        canvas_field(canvas, area.row + 1, body.col, body.cols, TEXT_RIGHT, ROLE_DIM,
                     tr("PgDn: more"));
}

const struct screen explain_screen = {
    .name = N_("Explain"),
    .state_size = sizeof(struct explain_view),
    .open = explain_open,
    .close = explain_close,
    .update = explain_update,
    .draw = explain_draw,
    .act = explain_act,
    .click = explain_click,
};
