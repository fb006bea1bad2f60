/* live.c - the live pane: what the answers mean, redrawn as the cursor moves. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* Columns of a row: name, usable GiB, count, bar, percent, verdict. */
enum { NAME = 13, USABLE = 6, COUNT = 5, PERCENT = 6, VERDICT = 9 };

static void draw_row(struct canvas *canvas, struct rect area, int row, const struct gpu_row *gpu)
{
    char number[UNITS_TEXT], text[64];
    int col = area.col, line = area.row + row;
    enum role role = gpu->offer ? ROLE_TEXT : ROLE_DIM;
    canvas_text(canvas, line, col, NAME - 1, role, gpu_short(gpu->gpu, text));
    canvas_field(canvas, line, col + NAME, USABLE - 1, TEXT_RIGHT, ROLE_DIM, units_gib(gpu->gpu->usable_gib, number));
    col += NAME + USABLE;
    if (!gpu->offer) {
        canvas_text(canvas, line, col + 1, COUNT - 1, ROLE_DIM, "-");
        if (gpu->excluded)
            canvas_text(canvas, line, col + COUNT, area.col + area.cols - col - COUNT, ROLE_DIM, gpu->excluded->detail);
        return;
    }
    const struct memory *memory = &gpu->offer->memory;
    snprintf(text, sizeof text, "x%d", gpu->offer->hardware.gpus);
    canvas_field(canvas, line, col, COUNT - 1, TEXT_LEFT, ROLE_TEXT, text);
    int bar = area.cols - NAME - USABLE - COUNT - PERCENT - VERDICT - 1;
    bar_memory(canvas, line, col + COUNT, bar, memory);
    col = area.col + area.cols - PERCENT - VERDICT;
    snprintf(text, sizeof text, "%.0f%%", memory->need_gib / memory->usable_gib * 100);
    canvas_field(canvas, line, col, PERCENT - 1, TEXT_RIGHT, ROLE_TEXT, text);
    canvas_text(canvas, line, col + PERCENT + 1, VERDICT - 1, verdict_role(memory->verdict), verdict_word(memory->verdict));
}

/* GPUs that are out for a reason that no answer about the job would change are not worth a row. */
static bool worth_a_row(const struct gpu_row *row)
{
    if (row->offer)
        return true;
    return row->excluded && row->excluded->reason != EXCLUDED_STATUS && row->excluded->reason != EXCLUDED_REGION &&
           row->excluded->reason != EXCLUDED_UNPRICED;
}

const struct offer *live_best(const struct plan *plan)
{
    return plan->offer_count ? &plan->offers[0] : NULL;
}

/* Which rows are shown when there is not room for all: lower comes first. */
static int rank(const struct gpu_row *row, const struct offer *best)
{
    if (!row->offer)
        return worth_a_row(row) ? 3 : 4;
    if (best && row->gpu == best->hardware.gpu)
        return 0;
    return row->offer->memory.verdict == VERDICT_FITS ? 1 : 2;
}

static int choose_rows(const struct app *app, int room, const struct offer *best,
                       const struct gpu_row *chosen[GPU_ROWS_MAX])
{
    bool shown[GPU_ROWS_MAX] = {false};
    int count = 0;
    for (int level = 0; level < 4; level++)
        for (int i = 0; i < app->gpu_row_count && count < room; i++)
            if (rank(&app->gpu_rows[i], best) == level) {
                shown[i] = true;
                count++;
            }
    count = 0;
    for (int i = 0; i < app->gpu_row_count; i++)
        if (shown[i])
            chosen[count++] = &app->gpu_rows[i];
    return count;
}

static size_t types_offered(const struct plan *plan)
{
    return plan->types > (int)plan->excluded_count ? (size_t)plan->types - plan->excluded_count : 0;
}

/* "~" where a rule or an assumption stands behind the sum. */
static const char *assumed(const struct offer *offer)
{
    return offer->costs[offer->cheapest].basis == BASIS_QUOTED ? "" : "~";
}

static void draw_counts(const struct plan *plan, struct canvas *canvas, struct rect area)
{
    char text[160], cost[UNITS_TEXT];
    if (area.rows <= 0)
        return;
    const struct offer *best = live_best(plan);
    snprintf(text, sizeof text, tr("%zu of %d types can do it"), types_offered(plan), plan->types);
    int used = canvas_text(canvas, area.row, area.col, area.cols, plan->offer_count ? ROLE_TITLE : ROLE_BAD, text);
    if (!plan->offer_count) {
        canvas_text(canvas, area.row, area.col + used + 3, area.cols - used - 3, ROLE_KEY, tr("r shows what would help"));
        return;
    }
    char name[160];
    bool yuan = !best->price || strcmp(best->price->currency, "CNY") == 0;
    offer_name(best, name, sizeof name);
    if (best->cheapest == MODE_COUNT)
        snprintf(text, sizeof text, "%s", tr("no public price: ask sales"));
    else
        snprintf(text, sizeof text, "%s%s%s%s %s", assumed(best), yuan ? yuan_sign(canvas) : best->price->currency,
                 yuan ? "" : " ", units_cny(offer_cny(best), cost), tr(billing_modes[best->cheapest].label));
    int price = text_width(text);
    bool two_rows = area.cols < used + price + 45 && area.rows > 1;
    int line = area.row + (two_rows ? 1 : 0), col = area.col + (two_rows ? 0 : used + 3);
    int right = area.col + area.cols;
    int label = canvas_text(canvas, line, col, right - col, ROLE_DIM, tr("recommended"));
    canvas_text(canvas, line, col + label + 1, right - price - 1 - col - label - 1, ROLE_TEXT, name);
    canvas_field(canvas, line, right - price, price, TEXT_RIGHT, ROLE_ACCENT, text);
}

/* With room to spare: the first offers of the ranking, one line each. */
static void draw_offers(const struct plan *plan, struct canvas *canvas, struct rect area)
{
    enum { COST = 11, TIME = 10, MODE = 18, OFFERS_MAX = 12 };
    int right = area.col + area.cols, names = area.cols - COST - TIME - MODE - 1;
    if (area.rows < 4 || names < 16)
        return;
    canvas_text(canvas, area.row, area.col, names, ROLE_TITLE, tr("First offers"));
    canvas_field(canvas, area.row, right - COST - TIME - MODE, TIME, TEXT_RIGHT, ROLE_DIM, tr("time"));
    canvas_field(canvas, area.row, right - COST - MODE, COST, TEXT_RIGHT, ROLE_DIM, tr("CNY"));
    for (int i = 0; i < (int)plan->offer_count && i + 1 < area.rows && i < OFFERS_MAX; i++) {
        const struct offer *offer = &plan->offers[i];
        int line = area.row + 1 + i;
        char name[160], number[UNITS_TEXT];
        offer_name(offer, name, sizeof name);
        canvas_text(canvas, line, area.col, names - 1, ROLE_TEXT, name);
        if (!isnan(offer->hours[1]))
            canvas_field(canvas, line, right - COST - TIME - MODE, TIME, TEXT_RIGHT, ROLE_DIM, units_hours(offer->hours[1], number));
        if (offer->cheapest == MODE_COUNT)
            continue;
        char cost[UNITS_TEXT + 1];
        snprintf(cost, sizeof cost, "%s%s", assumed(offer), units_cny(offer_cny(offer), number));
        canvas_field(canvas, line, right - COST - MODE, COST, TEXT_RIGHT, ROLE_ACCENT, cost);
        canvas_text(canvas, line, right - MODE + 2, MODE - 2, ROLE_DIM, tr(billing_modes[offer->cheapest].label));
    }
}

static void draw_heading(const struct app *app, struct canvas *canvas, struct rect area)
{
    char text[160];
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr("Memory per GPU"));
    int col = NAME + USABLE - 1 - 3;
    if (used < col)
        canvas_text(canvas, area.row, area.col + col, 3, ROLE_DIM, "GiB");
    if (app->sketched && app->computed->ok) {
        snprintf(text, sizeof text, tr("shown for %s"), app->computed->plan.job.model->id);
        canvas_field(canvas, area.row, area.col + col + 6, area.cols - col - 6, TEXT_RIGHT, ROLE_DIM, text);
    }
}

void live_draw(const struct app *app, struct canvas *canvas, struct rect area)
{
    const struct plan *plan = app_plan(app);
    if (!plan) {
        char text[700];
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr("Memory per GPU"));
        if (app->computed)
            canvas_wrapped(canvas, rect_below(area, 1), 0, ROLE_BAD,
                           error_text(&app->computed->error, text, sizeof text));
        return;
    }
    draw_heading(app, canvas, area);
    const struct offer *best = live_best(plan);
    int counts = area.cols < 84 ? 2 : 1;
    int legend = best ? (area.rows >= 14 ? 3 : area.rows >= 9 ? 2 : 1) : 0;
    int room = area.rows - 1 - counts - legend - (area.rows >= 14 ? 2 : 0);
    const struct gpu_row *rows[GPU_ROWS_MAX];
    int count = choose_rows(app, room, best, rows);
    for (int i = 0; i < count; i++)
        draw_row(canvas, area, 1 + i, rows[i]);
    int line = 1 + count + (area.rows >= 14);
    if (best)
        line += bar_legend(canvas, rect_top(rect_below(area, line), legend), best->hardware.gpu, &best->memory) + (area.rows >= 14);
    draw_counts(plan, canvas, rect_below(area, line));
    if (area.rows >= 14)
        draw_offers(plan, canvas, rect_below(area, line + counts + 1));
}
