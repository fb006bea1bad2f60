/* offer_view.c - parts that show an offer or the lack of one. */
#include "ui/offer_view.h"

#include <math.h>
#include <stdio.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/storage_cost.h"
#include "ui/widgets.h"

enum { MODE_LABEL = 18, MODE_TOTAL = 13, MODE_HOUR = 12, MODE_NOTE = 26 };

/* Where a way of paying starts or stops to win, in MODE_NOTE cells. */
static void break_even_note(const struct cost *cost, int mode, char *text, size_t size)
{
    char number[UNITS_TEXT];
    if (!isnan(cost->break_even_h_per_month) && cost->break_even_h_per_month > 0)
        snprintf(text, size, tr("wins above %s h/month"),
                 units_plain(round(cost->break_even_h_per_month), number));
    else if (!isnan(cost->break_even_busy_share))
        snprintf(text, size, tr("wins below %.0f%% busy"), cost->break_even_busy_share * 100);
    else if (mode == MODE_MIXED && cost->commitment < MODE_COUNT)
        snprintf(text, size, tr("%d on: %s"), cost->committed_machines,
                 tr(billing_modes[cost->commitment].label));
    else if (!isnan(cost->break_even_price_ratio))
        snprintf(text, size, tr("pays below %.2f of list"), cost->break_even_price_ratio);
}

static void mode_note(const struct cost *cost, int mode, char *text, size_t size)
{
    *text = '\0';
    break_even_note(cost, mode, text, size);
    if (cost->misses_deadline)
        snprintf(text, size, "%s", tr("misses the deadline"));
    else if (cost->refused_alone)
        snprintf(text, size, "%s", tr("not to rely on alone"));
    else if (cost->may_not_start && !*text)
        snprintf(text, size, "%s", tr("may not get a machine"));
}

/* "~5,637*": by rule or assumption; a price that is old, "?" one that nothing confirms. The place of the star is kept. */
static void marked_total(const struct cost *cost, char *text, size_t size)
{
    char number[UNITS_TEXT];
    snprintf(text, size, "%s%s%s", cost->basis == BASIS_QUOTED ? "" : "~",
             units_cny(cost->total_cny, number),
             cost->low_confidence ? "?" : cost->stale ? "*" : " ");
    if (text_width(text) > MODE_TOTAL - 1) /* a sum comes before its marks */
        snprintf(text, size, "%s", number);
}

static int by_total(const struct offer *offer, int modes[MODE_COUNT])
{
    int count = 0;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (!offer->costs[mode].available)
            continue;
        int at = count++;
        for (; at > 0 && offer->costs[modes[at - 1]].total_cny > offer->costs[mode].total_cny; at--)
            modes[at] = modes[at - 1];
        modes[at] = mode;
    }
    return count;
}

static void draw_mode(struct canvas *canvas, struct rect area, int row, const struct offer *offer,
                      int mode, double most, enum billing_mode marked)
{
    const struct cost *cost = &offer->costs[mode];
    char number[UNITS_TEXT], text[96];
    bool best = mode == (int)offer->cheapest;
    enum role role = best ? ROLE_ACCENT : mode == (int)marked ? ROLE_TITLE : ROLE_TEXT;
    int col = area.col;
    canvas_text(canvas, row, col, MODE_LABEL - 1, role, tr(billing_modes[mode].label));
    marked_total(cost, text, sizeof text);
    canvas_field(canvas, row, col + MODE_LABEL, MODE_TOTAL - 1, TEXT_RIGHT, role, text);
    canvas_field(canvas, row, col + MODE_LABEL + MODE_TOTAL, MODE_HOUR - 1, TEXT_RIGHT, ROLE_DIM, units_cny(cost->per_hour_cny, number));
    int room = area.cols - MODE_LABEL - MODE_TOTAL - MODE_HOUR - 1;
    int bar = room < 70 ? room - MODE_NOTE : room * 2 / 5;
    struct bar_part part = {cost->total_cny, best ? ROLE_ACCENT : ROLE_BAR_COST, canvas->ascii ? '#' : 0x2588};
    col += MODE_LABEL + MODE_TOTAL + MODE_HOUR + 1;
    if (bar > 3 && most > 0)
        bar_draw(canvas, row, col, bar - 1, &part, 1, most / (bar - 1));
    if (bar > 3 && cost->total_cny > most * 1.001)
        canvas_put(canvas, row, col + bar - 2, 0x25B6, ROLE_BAR_COST, ROLE_TEXT);
    mode_note(cost, mode, text, sizeof text);
    col += bar + 1;
    canvas_text(canvas, row, col, area.col + area.cols - col, cost->misses_deadline || cost->refused_alone ? ROLE_WARN : ROLE_DIM, text);
}

int modes_draw(struct canvas *canvas, struct rect area, const struct offer *offer, enum billing_mode marked)
{
    int modes[MODE_COUNT];
    int count = by_total(offer, modes);
    char heading[200];
    if (area.rows <= 1)
        return 0;
    offer_name(offer, heading, sizeof heading);
    if (count == 0) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, heading);
        canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_WARN, tr("no public price: ask sales"));
        return 2;
    }
    canvas_text(canvas, area.row, area.col, MODE_LABEL + 8, ROLE_DIM, tr("ways of paying"));
    canvas_field(canvas, area.row, area.col + MODE_LABEL, MODE_TOTAL - 1, TEXT_RIGHT, ROLE_DIM, tr("CNY"));
    canvas_field(canvas, area.row, area.col + MODE_LABEL + MODE_TOTAL, MODE_HOUR - 1, TEXT_RIGHT, ROLE_DIM, tr("CNY/h"));
    int col = MODE_LABEL + MODE_TOTAL + MODE_HOUR + 1;
    canvas_text(canvas, area.row, area.col + col, area.cols - col, ROLE_TITLE, heading);
    double most = offer->costs[modes[count - 1]].total_cny;
    /* one long commitment must not flatten the bars of the others */
    double cap = offer->costs[modes[0]].total_cny * 8;
    int rows = count < area.rows - 1 ? count : area.rows - 1;
    for (int i = 0; i < rows; i++)
        draw_mode(canvas, area, area.row + 1 + i, offer, modes[i], fmin(most, cap), marked);
    bool marks = false;
    for (int i = 0; i < count; i++)
        marks |= offer->costs[modes[i]].stale || offer->costs[modes[i]].basis != BASIS_QUOTED;
    if (!marks || rows + 1 >= area.rows)
        return rows + 1;
    canvas_text(canvas, area.row + rows + 1, area.col, area.cols, ROLE_DIM,
                tr("~ by rule or assumption   * an old price   ? unconfirmed"));
    return rows + 2;
}

/* Two columns of "Disks left behind   115 a month". */
int beside_draw(struct canvas *canvas, struct rect area, const struct billing_input *paid)
{
    enum { COLUMNS = 2, LABEL = 20 };
    struct hidden_cost costs[HIDDEN_COSTS];
    int count = storage_hidden_costs(paid, costs), shown = 0, width = area.cols / COLUMNS;
    if (area.rows < 2)
        return 0;
    canvas_text(canvas, area.row, area.col, area.cols, ROLE_DIM,
                tr("charged beside machines: not in the totals unless asked for"));
    for (int i = 0; i < count; i++) {
        char number[UNITS_TEXT], text[64];
        int row = 1 + shown / COLUMNS, col = area.col + shown % COLUMNS * width;
        if (!(costs[i].cny > 0) || row >= area.rows)
            continue;
        snprintf(text, sizeof text, costs[i].per_month ? tr("%s a month") : tr("%s once"),
                 units_cny(costs[i].cny, number));
        canvas_text(canvas, area.row + row, col, LABEL - 1, ROLE_DIM, tr(costs[i].label));
        canvas_text(canvas, area.row + row, col + LABEL, width - LABEL - 1, ROLE_TEXT, text);
        shown++;
    }
    return 1 + (shown + COLUMNS - 1) / COLUMNS;
}

void offer_name(const struct offer *offer, char *text, size_t size)
{
    if (offer->nodes > 1)
        snprintf(text, size, "%d x %s", offer->nodes, offer->instance->type);
    else
        snprintf(text, size, "%s", offer->instance->type);
}

int funnel_draw(struct canvas *canvas, struct rect area, const struct plan *plan)
{
    struct strbuf text = {0};
    strbuf_printf(&text, tr("%d types"), plan->types);
    for (int i = 0; i < plan->funnel_count; i++)
        strbuf_printf(&text, "  %s %s %d", canvas->ascii ? "->" : "→", tr(exclusion_labels[plan->funnel[i].reason]),
                      plan->funnel[i].left);
    canvas_text(canvas, area.row, area.col, area.cols, ROLE_BAD, tr("Nothing can do this job."));
    int rows = 1 + canvas_wrapped(canvas, rect_below(area, 1), 0, ROLE_TEXT, strbuf_text(&text));
    strbuf_clear(&text);
    return rows;
}

int remedies_draw(struct canvas *canvas, struct rect area, const struct remedy *found, int count, int cursor,
                  double now_cny)
{
    int saving = now_cny > 0 ? 8 : 0; /* cells */
    int row = 0;
    if (count == 0) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_DIM, tr("No single change helps."));
        return 1;
    }
    for (int i = 0; i < count && row < area.rows; i++, row++) {
        char number[UNITS_TEXT], text[64];
        int line = area.row + row;
        canvas_printf(canvas, line, area.col, 2, ROLE_KEY, "%d", i + 1);
        canvas_text(canvas, line, area.col + 3, area.cols - 3 - 34 - saving, ROLE_TEXT, found[i].label);
        snprintf(text, sizeof text, tr("%zu offers"), found[i].offers);
        canvas_field(canvas, line, area.col + area.cols - 32 - saving, 14, TEXT_RIGHT, ROLE_DIM, text);
        bool priced = !isnan(found[i].cheapest_cny);
        if (priced)
            snprintf(text, sizeof text, "%s%s", yuan_sign(canvas), units_cny(found[i].cheapest_cny, number));
        canvas_field(canvas, line, area.col + area.cols - 17 - saving, 16, TEXT_RIGHT, priced ? ROLE_ACCENT : ROLE_DIM,
                     priced ? text : tr("no public price"));
        if (saving && found[i].cheapest_cny > 0) {
            snprintf(text, sizeof text, "%+.0f%%", (found[i].cheapest_cny / now_cny - 1) * 100);
            canvas_field(canvas, line, area.col + area.cols - saving, saving - 1, TEXT_RIGHT,
                         found[i].cheapest_cny < now_cny ? ROLE_GOOD : ROLE_WARN, text);
        }
        if (i == cursor) {
            canvas_select(canvas, line, area.col, area.cols);
            canvas_cursor(canvas, line, area.col, false);
        }
    }
    return row;
}
