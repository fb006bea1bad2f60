/* screen_detail.c - one offer: memory, speed, all ways of paying, and what one who knows would say of
 * it. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/advice.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* What shows at a time: a wide screen has one page; else the advice has a page of its own, and on a
 * small screen the ways of paying, too. */
enum page { PAGE_FIGURES, PAGE_PAYING, PAGE_ADVICE };
static const char *const page_labels[] = {N_("memory and speed"), N_("all ways of paying"), N_("advice")};

enum { NAME_CELLS = 20, TALL_ROWS = 30, WIDE_COLS = 150 };

struct detail {
    enum page page;
    struct arena *arena; /* holds the advice */
    struct advice advice[ADVICE_MAX];
    int count;
    int top, lines, rows; /* the advice as it is scrolled: first line, lines in all, lines seen */
    /* what the advice was collected for */
    unsigned long serial;
    const struct offer *offer;
    enum billing_mode mode;
};

/* A line "name  value", wrapped where it is too long; returns the next row. */
static int fact(struct canvas *canvas, struct rect area, int row, const char *name, const char *value)
{
    if (!*value)
        return row;
    struct rect place = rect_below(area, row);
    place.col += NAME_CELLS;
    place.cols -= NAME_CELLS;
    if (place.rows > 0)
        canvas_text(canvas, place.row, area.col, NAME_CELLS - 1, ROLE_DIM, name);
    return row + canvas_wrapped(canvas, place, 0, ROLE_TEXT, value);
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

/* Behind the words: what is needed of the machine's memory. Too little of it kills a run as surely. */
static void draw_host_bar(struct canvas *canvas, struct rect row, int used, const struct memory *memory, double ram_gib)
{
    enum { CELLS = 24 };
    int col = row.col + NAME_CELLS + used + 2;
    if (row.rows < 1 || !(ram_gib > 0) || col + CELLS > row.col + row.cols)
        return;
    double needed = fmin(memory->host_ram_gib, ram_gib);
    const struct bar_part parts[] = {
        {needed, memory->host_ram_short ? ROLE_BAD : ROLE_BAR_COST, canvas->ascii ? '#' : 0x2588},
        {ram_gib - needed, ROLE_RULE, canvas->ascii ? '.' : 0x2591}};
    bar_draw(canvas, row.row, col, CELLS, parts, 2, ram_gib / CELLS);
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
        draw_host_bar(canvas, rect_below(area, row), text_width(text), memory, offer->hardware.ram_gib);
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

static int draw_machine(struct canvas *canvas, struct rect area, int row, const struct offer *offer, bool stale)
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
        snprintf(text, sizeof text, "%s%s%s%s", offer->price->date, stale ? tr("* an old price") : "",
                 offer->price->promotion ? tr(", promotion") : "", offer->price->low_confidence ? tr(", low confidence") : "");
        row = fact(canvas, area, row, tr("price of"), text);
    }
    return row;
}

/* Ways of paying and, where room is left, what is charged beside the machines; returns the rows used. */
static int draw_paying(struct canvas *canvas, struct rect area, const struct app *app,
                       const struct offer *offer)
{
    int used = modes_draw(canvas, area, offer, app->mode);
    const struct plan *plan = app_plan(app);
    bool foreign = offer->price && strcmp(offer->price->currency, "CNY") != 0; /* services are in CNY */
    if (!plan || foreign || used == 0)
        return used;
    struct billing_input paid =
        offer_billing_input(app->compute.catalog, &plan->job, offer, app->compute.today);
    used += area.rows > used + 4;
    return used + beside_draw(canvas, rect_below(area, used), &paid);
}

/* ---- advice ---- */

static void collect_advice(struct app *app, struct detail *detail, const struct offer *offer)
{
    bool same = detail->serial == app->computed->serial && detail->offer == offer && detail->mode == app->mode;
    if (same)
        return;
    arena_free(detail->arena);
    detail->arena = arena_new();
    detail->serial = app->computed->serial;
    detail->offer = offer;
    detail->mode = app->mode;
    detail->top = 0;
    struct advice_input input = {.catalog = app->compute.catalog,
                                 .constants = app->compute.constants,
                                 .scenario = &app->computed->scenario,
                                 .plan = app_plan(app),
                                 .job = &app_plan(app)->job,
                                 .offer = offer,
                                 .mode = offer_cost(offer, app->mode) ? app->mode : MODE_COUNT,
                                 .today = app->compute.today,
                                 .ascii = app->ascii,
                                 .arena = detail->arena};
    detail->count = advice_collect(&input, detail->advice);
}

/* The lines of all advice, those from `top` on drawn; the sign in front tells the weight without colour. */
static int draw_items(const struct detail *detail, struct canvas *canvas, struct rect area, int top)
{
    static const struct { const char *sign; enum role role; } weights[ADVICE_WEIGHTS] = {
        [ADVICE_STOP] = {"✗", ROLE_BAD}, [ADVICE_WARN] = {"!", ROLE_WARN}, [ADVICE_NOTE] = {"·", ROLE_TEXT}};
    int lines = 0;
    for (int i = 0; i < detail->count; i++) {
        const struct advice *advice = &detail->advice[i];
        enum role role = weights[advice->rule->weight].role;
        int row = lines - top; /* may lie above what is seen */
        struct rect place = rect_below(area, row > 0 ? row : 0);
        struct strbuf text = {0};
        strbuf_printf(&text, *advice->what ? tr("%s %s") : "%s", advice->why, advice->what);
        if (row >= 0 && place.rows > 0)
            canvas_text(canvas, place.row, area.col, 1, role, weights[advice->rule->weight].sign);
        place.col += 2;
        place.cols -= 2;
        lines += canvas_wrapped(canvas, place, row < 0 ? -row : 0, role, strbuf_text(&text));
        strbuf_clear(&text);
    }
    return lines;
}

static void draw_advice(const struct detail *detail, struct canvas *canvas, struct rect area)
{
    if (area.rows < 2)
        return;
    struct list seen = {.top = detail->top};
    canvas_text(canvas, area.row, area.col, area.cols, ROLE_DIM, tr("advice"));
    list_position(canvas, area.row, area.col + area.cols, &seen, detail->lines, area.rows - 1);
    area = rect_below(area, 1);
    if (detail->count == 0)
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_TEXT, tr("None that these answers trigger."));
    draw_items(detail, canvas, area, detail->top);
}

/* ---- the pages ---- */

static bool has_page(struct rect area, enum page page)
{
    return page == PAGE_FIGURES || (area.cols < WIDE_COLS && (page != PAGE_PAYING || area.rows < TALL_ROWS));
}

/* The page before or after; the same one where there is none. */
static enum page page_beside(struct rect area, enum page page, int direction)
{
    for (int next = (int)page + direction; next >= PAGE_FIGURES && next <= PAGE_ADVICE; next += direction)
        if (has_page(area, (enum page)next))
            return (enum page)next;
    return page;
}

/* Draws all but the advice and returns the room for that. On an empty canvas it only measures. */
static struct rect draw_parts(const struct app *app, const struct detail *detail, const struct offer *offer,
                              struct canvas *canvas, struct rect area)
{
    struct rect body = rect_below(area, 1 + (area.rows > 20));
    if (detail->page == PAGE_ADVICE)
        return body;
    if (detail->page == PAGE_PAYING) {
        draw_paying(canvas, body, app, offer);
        return rect_top(body, 0);
    }
    bool wide = area.cols >= WIDE_COLS;
    struct rect facts = body;
    if (wide) {
        facts.cols = area.cols * 2 / 5;
        struct rect paying = {body.row, body.col + facts.cols + 3, body.rows, area.cols - facts.cols - 3};
        draw_paying(canvas, paying, app, offer);
    }
    bool stale = offer->price && billing_stale(app->compute.catalog, offer->price->date, app->compute.today);
    int row = draw_memory(canvas, facts, 0, offer);
    row += area.rows > 24;
    row = draw_speed(canvas, facts, row, offer);
    row += area.rows > 24;
    row = draw_machine(canvas, facts, row, offer, stale) + 1;
    if (!wide) /* on a small screen the cheapest ways only: the others have their page */
        row += draw_paying(canvas, rect_below(facts, row), app, offer) + 1;
    return rect_below(facts, row);
}

/* What Left and Right show, in what the name of the offer leaves of its line. */
static void draw_hint(const struct detail *detail, struct canvas *canvas, struct rect area, int used)
{
    enum page left = page_beside(area, detail->page, -1), right = page_beside(area, detail->page, 1);
    struct strbuf hint = {0};
    if (left != detail->page)
        strbuf_printf(&hint, tr("Left: %s"), tr(page_labels[left]));
    strbuf_add(&hint, hint.length && right != detail->page ? "   " : "");
    if (right != detail->page)
        strbuf_printf(&hint, tr("Right: %s"), tr(page_labels[right]));
    canvas_field(canvas, area.row, area.col + used, area.cols - used, TEXT_RIGHT, ROLE_DIM, strbuf_text(&hint));
    strbuf_clear(&hint);
}

static void detail_update(struct app *app, void *state)
{
    const struct offer *offer = instances_marked(app);
    struct detail *detail = state;
    struct canvas nothing = {0};
    struct rect area = app_area(app);
    if (!has_page(area, detail->page))
        detail->page = PAGE_FIGURES;
    if (!offer)
        return;
    collect_advice(app, detail, offer);
    struct rect place = rect_below(draw_parts(app, detail, offer, &nothing, area), 1);
    detail->rows = place.rows;
    detail->lines = draw_items(detail, &nothing, place, 0);
    int last = detail->lines > place.rows ? detail->lines - place.rows : 0;
    detail->top = detail->top < 0 ? 0 : detail->top > last ? last : detail->top;
}

static void detail_close(struct app *app, void *state)
{
    (void)app;
    arena_free(((struct detail *)state)->arena);
}

static void detail_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct offer *offer = instances_marked(app);
    const struct detail *detail = state;
    char name[200];
    canvas_cursor(canvas, area.row, area.col, false);
    if (!offer) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_WARN, tr("this offer is gone: the answers changed"));
        return;
    }
    offer_name(offer, name, sizeof name);
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, name);
    draw_hint(detail, canvas, area, used + 2);
    draw_advice(detail, canvas, draw_parts(app, detail, offer, canvas, area));
}

/* Up and down walk through the table while the detail is open; a page up or down scrolls the advice. */
static bool detail_act(struct app *app, void *state, int action, const struct event *event)
{
    struct detail *detail = state;
    if (action == ACTION_LEFT || action == ACTION_RIGHT) {
        detail->page = page_beside(app_area(app), detail->page, action == ACTION_RIGHT ? 1 : -1);
        return true;
    }
    if (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN) {
        int page = detail->rows > 2 ? detail->rows - 1 : 1;
        detail->top += action == ACTION_PAGE_DOWN ? page : -page;
        return true;
    }
    void *table = app_state_of(app, SCREEN_INSTANCES);
    if (action == ACTION_EXPLAIN) { /* the way of paying that is shown, else the memory on top */
        app_open(app, SCREEN_EXPLAIN, explain_topic_of_column(app->mode < MODE_COUNT ? "cost_cny" : "", app->mode));
        return true;
    }
    bool moves = action == ACTION_UP || action == ACTION_DOWN || action == ACTION_FIRST || action == ACTION_LAST || action == ACTION_BILLING;
    return moves && table && instances_screen.act(app, table, action, event);
}

const struct screen detail_screen = {
    .name = N_("Offer"), .state_size = sizeof(struct detail), .close = detail_close, .update = detail_update,
    .draw = detail_draw, .act = detail_act,
};
