/* screen_detail.c - one offer: memory, speed, and all ways of paying. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* On a small screen facts and ways of paying take turns. */
struct detail {
    bool paying;
};

enum { NAME_CELLS = 20, WHOLE_ROWS = 30 };

/* A line "name  value"; returns the next row. */
static int fact(struct canvas *canvas, struct rect area, int row, const char *name, const char *value)
{
    if (row >= 0 && row < area.rows && *value) {
        canvas_text(canvas, area.row + row, area.col, NAME_CELLS - 1, ROLE_DIM, name);
        canvas_text(canvas, area.row + row, area.col + NAME_CELLS, area.cols - NAME_CELLS, ROLE_TEXT, value);
    }
    return row + (*value != '\0');
}

/* What is needed at load, in a step, at the optimizer step and at save, where these differ. */
static int draw_peaks(struct canvas *canvas, struct rect area, int row, const struct memory *memory)
{
    struct strbuf text = {0};
    const char *name = tr("peaks");
    for (int i = 0; i < PEAK_COUNT; i++) {
        char number[UNITS_TEXT], peak[80];
        if (memory->peaks_gib[i] <= 0)
            continue;
        snprintf(peak, sizeof peak, "%s %s", tr(peak_labels[i]), units_gib(memory->peaks_gib[i], number));
        if (text.length && text_width(strbuf_text(&text)) + 3 + text_width(peak) > area.cols - NAME_CELLS) {
            row = fact(canvas, area, row, name, strbuf_text(&text));
            strbuf_reset(&text);
            name = "";
        }
        strbuf_printf(&text, "%s%s", text.length ? "   " : "", peak);
    }
    row = fact(canvas, area, row, name, strbuf_text(&text));
    strbuf_clear(&text);
    return row;
}

static int draw_memory(struct canvas *canvas, struct rect area, int row, const struct offer *offer)
{
    const struct memory *memory = &offer->memory;
    char need[UNITS_TEXT], usable[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], text[200];
    snprintf(text, sizeof text, tr("%s of %s GiB (%s to %s)"), units_gib(memory->need_gib, need),
             units_gib(memory->usable_gib, usable), units_gib(memory->low_gib, low), units_gib(memory->high_gib, high));
    row = fact(canvas, area, row, tr("memory of one GPU"), text);
    if (row < area.rows) {
        bar_memory(canvas, area.row + row, area.col + NAME_CELLS, area.cols - NAME_CELLS - 12, memory);
        canvas_text(canvas, area.row + row, area.col + area.cols - 10, 10, verdict_role(memory->verdict), verdict_word(memory->verdict));
    }
    row++;
    struct rect legend = {area.row + row, area.col + NAME_CELLS, area.rows - row < 3 ? area.rows - row : 3, area.cols - NAME_CELLS};
    if (legend.rows > 0)
        row += bar_legend(canvas, legend, NULL, memory);
    row = draw_peaks(canvas, area, row, memory);
    if (offer->hardware.gpus > 1) {
        snprintf(text, sizeof text, tr("%s GiB the same on other GPUs; the rest is its own"),
                 units_gib(memory->replicated_total_gib, need));
        row = fact(canvas, area, row, tr("copied"), text);
    }
    if (memory->kv_tokens > 0) {
        snprintf(text, sizeof text, tr("%s tokens: %.0f sequences of the context asked for"),
                 units_count(memory->kv_tokens, need), floor(memory->max_concurrency));
        row = fact(canvas, area, row, tr("KV cache holds"), text);
    }
    if (memory->reserved_gib > memory->need_gib * 1.02) {
        snprintf(text, sizeof text, tr("%s GiB: what nvidia-smi will show"), units_gib(memory->reserved_gib, need));
        row = fact(canvas, area, row, tr("reserved"), text);
    }
    if (memory->host_ram_gib > 0) {
        snprintf(text, sizeof text, tr("%s of %s GiB%s"), units_gib(memory->host_ram_gib, need),
                 units_gib(offer->hardware.ram_gib, usable), memory->host_ram_short ? tr(": too little") : "");
        row = fact(canvas, area, row, tr("host memory"), text);
    }
    return row;
}

static void band(double low, double mid, double high, char *(*write)(double, char *), const char *unit, char *text, size_t size)
{
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
    *text = '\0';
    if (isnan(mid) || mid <= 0)
        return;
    snprintf(text, size, tr("%s%s (%s to %s)"), write(mid, a), unit, write(low, b), write(high, c));
}

static int draw_speed(struct canvas *canvas, struct rect area, int row, const struct offer *offer)
{
    const struct speed *speed = &offer->speed;
    char text[200], a[UNITS_TEXT], b[UNITS_TEXT];
    struct strbuf layout = {0};
    layout_format(&offer->layout, &layout);
    bool alone = strcmp(strbuf_text(&layout), "-") == 0;
    row = fact(canvas, area, row, tr("layout"), alone ? tr("one GPU does all") : strbuf_text(&layout));
    strbuf_clear(&layout);
    band(speed->low_tokens_per_s, speed->tokens_per_s, speed->high_tokens_per_s, units_count, tr(" tokens/s"), text, sizeof text);
    bool serving = speed->ttft_ms > 0 && speed->tpot_ms > 0;
    if (serving) /* what one user sees is what people compare */
        snprintf(text + strlen(text), sizeof text - strlen(text), tr(", prompts too; one user sees %s"),
                 units_gib(1000 / speed->tpot_ms, a));
    row = fact(canvas, area, row, tr("speed"), text);
    if (serving) {
        snprintf(text, sizeof text, tr("first token %s ms, then %s ms each"), units_gib(speed->ttft_ms, a), units_gib(speed->tpot_ms, b));
        row = fact(canvas, area, row, tr("latency"), text);
    }
    band(offer->hours[0], offer->hours[1], offer->hours[2], units_hours, "", text, sizeof text);
    row = fact(canvas, area, row, tr("time"), text);
    snprintf(text, sizeof text, tr("%s: %s"), speed->measured ? tr("measured") : tr("estimate"),
             speed->measured ? tr("this software on this GPU")
                             : tr("not measured on this GPU, the band is wider"));
    return fact(canvas, area, row, tr("basis"), text);
}

static int draw_machine(struct canvas *canvas, struct rect area, int row, const struct offer *offer)
{
    const struct instance *instance = offer->instance;
    char text[200], ram[UNITS_TEXT];
    snprintf(text, sizeof text, "%d x %s   %d vCPU   %s GiB", instance->gpu_count, instance->gpu->name, instance->vcpu,
             units_gib(instance->ram_gib, ram));
    row = fact(canvas, area, row, tr("each machine"), text);
    snprintf(text, sizeof text, tr("between GPUs %s   network %g Gbit/s%s%s"), tr(link_kind_labels[instance->link]), instance->network_gbps,
             instance->rdma != RDMA_NO ? "   RDMA " : "", instance->rdma != RDMA_NO ? rdma_kind_labels[instance->rdma] : "");
    row = fact(canvas, area, row, tr("links"), text);
    if (offer->price) {
        snprintf(text, sizeof text, "%s%s%s", offer->price->date, offer->price->promotion ? tr(", promotion") : "",
                 offer->price->low_confidence ? tr(", low confidence") : "");
        row = fact(canvas, area, row, tr("price of"), text);
    }
    return row;
}

/* Ways of paying and, where room is left, what is charged beside the machines. */
static void draw_paying(struct canvas *canvas, struct rect area, const struct app *app,
                        const struct offer *offer)
{
    int used = modes_draw(canvas, area, offer, app->mode);
    const struct plan *plan = app_plan(app);
    bool foreign = offer->price && strcmp(offer->price->currency, "CNY") != 0; /* services are in CNY */
    if (!plan || foreign || used == 0)
        return;
    struct billing_input paid =
        offer_billing_input(app->compute.catalog, &plan->job, offer, app->compute.today);
    beside_draw(canvas, rect_below(area, used + (area.rows > used + 4)), &paid);
}

static void detail_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct offer *offer = instances_marked(app);
    const struct detail *detail = state;
    char name[200];
    if (!offer) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_WARN, tr("this offer is gone: the answers changed"));
        return;
    }
    offer_name(offer, name, sizeof name);
    canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, name);
    bool beside = area.cols >= 150;
    struct rect facts = rect_below(area, 1 + (area.rows > 20));
    struct rect modes;
    if (beside)
        facts.cols = area.cols * 2 / 5;
    if (area.rows < WHOLE_ROWS && !beside)
        canvas_field(canvas, area.row, area.col + area.cols - 34, 34, TEXT_RIGHT, ROLE_DIM,
                     detail->paying ? tr("Left: memory and speed") : tr("Right: all ways of paying"));
    if (area.rows < WHOLE_ROWS && !beside && detail->paying) {
        draw_paying(canvas, rect_below(area, 2), app, offer);
        canvas_cursor(canvas, area.row, area.col, false);
        return;
    }
    int row = draw_memory(canvas, facts, 0, offer);
    row += area.rows > 24;
    row = draw_speed(canvas, facts, row, offer);
    row += area.rows > 24;
    row = draw_machine(canvas, facts, row, offer);
    if (beside)
        modes = (struct rect){facts.row, facts.col + facts.cols + 3, facts.rows, area.cols - facts.cols - 3};
    else
        modes = rect_below(facts, row + (area.rows > 18));
    draw_paying(canvas, modes, app, offer);
    canvas_cursor(canvas, area.row, area.col, false);
}

/* Up and down walk through the table while the detail is open. */
static bool detail_act(struct app *app, void *state, int action, const struct event *event)
{
    if (action == ACTION_LEFT || action == ACTION_RIGHT) {
        ((struct detail *)state)->paying = action == ACTION_RIGHT;
        return true;
    }
    void *table = app_state_of(app, SCREEN_INSTANCES);
    if (action == ACTION_EXPLAIN) { /* the way of paying that is shown, else the memory on top */
        app_open(app, SCREEN_EXPLAIN, explain_topic_of_column(app->mode < MODE_COUNT ? "cost_cny" : "", app->mode));
        return true;
    }
    bool moves = action == ACTION_UP || action == ACTION_DOWN || action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN ||
                 action == ACTION_FIRST || action == ACTION_LAST || action == ACTION_BILLING;
    return moves && table && instances_screen.act(app, table, action, event);
}

const struct screen detail_screen = {
    .name = N_("Offer"), .state_size = sizeof(struct detail), .draw = detail_draw, .act = detail_act,
};
