/* report_money.c - what the offers cost: the shortlist, every way of paying side by side, and how
 * the chosen total adds up. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"

enum { SHORTLIST = 5 };

/* Marks of an amount: ~ by rule or assumption, * an old price, ? a weak one, ! late. */
static const char *marked(const struct report_input *input, const struct report *report,
                          const struct offer *offer, const struct cost *cost)
{
    return arena_printf(report->arena, "%s%s%s%s%s", cost->basis == BASIS_QUOTED ? "" : "~",
                        MONEY(offer, cost->total_cny), cost->stale ? "*" : "",
                        cost->low_confidence ? "?" : "", cost->misses_deadline ? "!" : "");
}

static void explain_marks(struct report *report, const struct report_input *input, size_t rows)
{
    bool rule = false, stale = false, weak = false, late = false;
    for (size_t row = 0; row < rows; row++)
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            const struct cost *cost = offer_cost(&input->plan->offers[row], (enum billing_mode)mode);
            rule |= cost && cost->basis != BASIS_QUOTED;
            stale |= cost && cost->stale;
            weak |= cost && cost->low_confidence;
            late |= cost && cost->misses_deadline;
        }
    if (rule)
        report_add(report, BLOCK_TEXT,
                   tr("~ = rests on a rule or an assumption, not on a quote. Each can be changed: in "
                      "the answers, or in an overlay of billing_rules (gpuwiz-data(5))."));
    if (stale)
        report_addf(report, BLOCK_TEXT, tr("* = a price older than %.0f days: look it up again."),
                    billing_stale_days(input->catalog));
    if (weak)
        report_add(report, BLOCK_TEXT, tr("? = a single report that nothing confirms."));
    if (late)
        report_add(report, BLOCK_TEXT, tr("! = with its interruptions the deadline is missed."));
}

/* ---- shortlist ------------------------------------------------------------------------------ */

static const char *const shortlist_columns[] = {"instance", "nodes",        "memory_percent",
                                                "verdict",  "tokens_per_s", "hours"};

static void add_offer_rows(struct report *report, const struct report_input *input,
                           enum billing_mode mode, size_t rows)
{
    struct strbuf text = {0};
    const struct plan *plan = input->plan;
    struct table *table = report_add_table(report);
    table_column(table, NULL, "#", TEXT_RIGHT);
    for (size_t i = 0; i < sizeof shortlist_columns / sizeof *shortlist_columns; i++) {
        const struct column *column = column_find(shortlist_columns[i]);
        table_column(table, NULL, tr(column->heading), column->align);
    }
    table_column(table, NULL, tr("Cost"), TEXT_RIGHT);
    for (size_t row = 0; row < rows; row++) {
        table_plain(table, (double)(row + 1));
        for (size_t i = 0; i < sizeof shortlist_columns / sizeof *shortlist_columns; i++) {
            strbuf_reset(&text);
            column_find(shortlist_columns[i])->format(&plan->offers[row], mode, &text);
            table_text(table, strbuf_text(&text));
        }
        const struct cost *cost = offer_cost(&plan->offers[row], mode);
        table_text(table, cost ? marked(input, report, &plan->offers[row], cost) : "-");
    }
    strbuf_clear(&text);
}

/* Every way of paying that some offer of the shortlist can use, one row each. */
static void fill_modes(const struct report *report, const struct report_input *input, size_t rows,
                       struct table *table)
{
    const struct plan *plan = input->plan;
    table_init(table, report->arena);
    table_column(table, NULL, tr("Paid by"), TEXT_LEFT);
    for (size_t row = 0; row < rows; row++)
        table_column(table, NULL, arena_printf(report->arena, "#%zu", row + 1), TEXT_RIGHT);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        bool any = false;
        for (size_t row = 0; row < rows; row++)
            any |= plan->offers[row].costs[mode].available;
        if (!any)
            continue;
        table_text(table, tr(billing_modes[mode].label));
        for (size_t row = 0; row < rows; row++) {
            const struct offer *offer = &plan->offers[row];
            const struct cost *cost = offer_cost(offer, (enum billing_mode)mode);
            table_text(table, cost ? marked(input, report, offer, cost) : "-");
        }
    }
}

/* Large sums leave room for fewer offers: figures are never clipped. */
static void add_mode_rows(struct report *report, const struct report_input *input, size_t rows)
{
    struct table table;
    int width;
    do {
        fill_modes(report, input, rows, &table);
        width = 0; /* the indent less a gap */
        for (int i = 0; i < table.column_count; i++)
            width += table_width(&table, i) + 2; /* and a gap, so that no label is wrapped */
    } while (width > REPORT_WIDTH && rows-- > 1);
    *report_add_table(report) = table;
    explain_marks(report, input, rows);
}

void report_shortlist(struct report *report, const struct report_input *input,
                      enum billing_mode mode)
{
    size_t rows = input->plan->offer_count < SHORTLIST ? input->plan->offer_count : SHORTLIST;
    report_addf(report, BLOCK_HEADING, tr("Shortlist: %zu of %zu offers"), rows,
                input->plan->offer_count);
    add_offer_rows(report, input, mode, rows);
    add_mode_rows(report, input, rows);
}

/* "246 h" of use a month; a month has 730. */
static const char *break_even(const struct report *report, double hours)
{
    if (isnan(hours))
        return "-";
    return hours > HOURS_PER_MONTH
               ? tr("never")
               : arena_printf(report->arena, "%s %s", FIGURE(thousands, hours), tr("h"));
}

static void add_payment_row(const struct report *report, const struct report_input *input,
                            const struct offer *offer, enum billing_mode mode, struct table *table)
{
    const struct cost *cost = offer_cost(offer, mode);
    table_text(table, tr(billing_modes[mode].label));
    table_text(table, MONEY(offer, cost->total_cny));
    table_text(table, MONEY(offer, cost->per_hour_cny));
    table_text(table, MONEY(offer, cost->per_month_cny));
    table_text(table, break_even(report, cost->break_even_h_per_month));
    table_text(table, isnan(cost->amortise_months) ? "-" : FIGURE(gib, cost->amortise_months));
    table_text(table, arena_printf(report->arena, "%s%s%s", tr(cost_basis_names[cost->basis]),
                                   cost->stale ? "*" : "", cost->low_confidence ? "?" : ""));
}

/* The lines of a text one after another; Chinese sentences have no space between them. */
static const char *one_line(const struct report *report, char *lines)
{
    char *save = NULL;
    const char *all = strtok_r(lines, "\n", &save);
    for (const char *line; (line = strtok_r(NULL, "\n", &save)) != NULL;)
        all = arena_printf(report->arena, tr("%s %s"), all, line);
    return all;
}

/* Hours of use a month from which each commitment costs less than each way without one. */
static void add_break_even_table(struct report *report, const struct offer *offer)
{
    static const enum billing_mode hourly[] = {MODE_PAYG, MODE_MANAGED, MODE_SPOT,
                                               MODE_SPOT_UNPROTECTED};
    enum { HOURLY = sizeof hourly / sizeof *hourly };
    bool any = false;
    for (int mode = 0; mode < MODE_COUNT; mode++)
        any |= offer->costs[mode].available && !isnan(offer->costs[mode].machine_month_cny);
    if (!any)
        return;
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Hours a month to beat"), TEXT_LEFT);
    for (int i = 0; i < HOURLY; i++)
        if (offer->costs[hourly[i]].available)
            table_column(table, NULL, tr(billing_modes[hourly[i]].label), TEXT_RIGHT);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (!offer->costs[mode].available || isnan(offer->costs[mode].machine_month_cny))
            continue;
        table_text(table, tr(billing_modes[mode].label));
        for (int i = 0; i < HOURLY; i++)
            if (offer->costs[hourly[i]].available)
                table_text(table, break_even(report, billing_break_even_hours(
                                                         offer->costs, (enum billing_mode)mode,
                                                         hourly[i])));
    }
    report_add(report, BLOCK_TEXT, tr("never = a month has 730 hours."));
}

/* What each way charges, needs and risks, and what it comes to here; ways that are not to be had
 * say why. */
static void explain_payments(struct report *report, const struct report_input *input,
                             const struct job *job, const struct offer *offer)
{
    struct billing_input paid = offer_billing_input(input->catalog, job, offer, input->today);
    struct strbuf text = {0};
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct billing_mode_info *info = &billing_modes[mode];
        const struct cost *cost = &offer->costs[mode];
        strbuf_reset(&text);
        if (cost->available) {
            strbuf_printf(&text, tr("%s: %s\n"), tr(info->label), tr(info->charges));
            strbuf_printf(&text, tr("Needs: %s\n"), tr(info->needs));
            billing_figures(&paid, cost, (enum billing_mode)mode, &text);
            strbuf_printf(&text, tr("Risk: %s\n"), tr(info->risks));
        } else {
            strbuf_printf(&text, tr("%s: not available: %s."), tr(info->label), tr(cost->why_not));
        }
        report_add(report, BLOCK_ITEM, one_line(report, text.data));
    }
    strbuf_clear(&text);
}

/* All ways of paying for one offer, side by side, then each in words. */
void report_payments(struct report *report, const struct report_input *input, const struct job *job,
                     const struct offer *offer)
{
    bool any = false, stale = false;
    for (int mode = 0; mode < MODE_COUNT; mode++)
        any |= offer_cost(offer, (enum billing_mode)mode) != NULL;
    if (!any)
        return;
    report_addf(report, BLOCK_HEADING, tr("Ways of paying for %s"), report_machines(report, offer));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Paid by"), TEXT_LEFT);
    table_column(table, NULL, tr("Total"), TEXT_RIGHT);
    table_column(table, NULL, tr("An hour"), TEXT_RIGHT);
    table_column(table, NULL, tr("A month"), TEXT_RIGHT);
    table_column(table, NULL, tr("Wins from"), TEXT_RIGHT);
    table_column(table, NULL, tr("Months"), TEXT_RIGHT);
    table_column(table, NULL, tr("Basis"), TEXT_LEFT);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (!offer->costs[mode].available)
            continue;
        add_payment_row(report, input, offer, (enum billing_mode)mode, table);
        stale |= offer->costs[mode].stale;
    }
    report_add(report, BLOCK_TEXT,
               tr("Wins from = hours of use a month above which it is cheaper than "
                  "pay-as-you-go. Months = of this use, until the term is paid back."));
    report_add(report, BLOCK_TEXT,
               job->workload == WORKLOAD_INFERENCE
                   ? tr("An hour = total by the hours paid for.")
                   : tr("An hour = total by the hours worked, however many are paid for."));
    if (stale)
        report_addf(report, BLOCK_TEXT, tr("* = a price older than %.0f days: look it up again."),
                    billing_stale_days(input->catalog));
    add_break_even_table(report, offer);
    explain_payments(report, input, job, offer);
}

/* How the chosen offer's total adds up. */
void report_cost_lines(struct report *report, const struct report_input *input,
                       const struct offer *offer, enum billing_mode mode)
{
    const struct cost *cost = offer_cost(offer, mode);
    if (!cost || cost->line_count == 0)
        return;
    report_add(report, BLOCK_HEADING, tr("What the total is made of"));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Item"), TEXT_LEFT);
    table_column(table, NULL, tr("Quantity"), TEXT_RIGHT);
    table_column(table, NULL, tr("Rate"), TEXT_RIGHT);
    table_column(table, NULL, tr("Amount"), TEXT_RIGHT);
    table_column(table, NULL, tr("Basis"), TEXT_LEFT);
    for (int i = 0; i < cost->line_count; i++) {
        const struct cost_line *line = &cost->lines[i];
        table_text(table, tr(line->label));
        table_text(table, arena_printf(report->arena, "%s %s", FIGURE(gib, line->quantity),
                                       tr(line->unit)));
        table_text(table, FIGURE(rate, line->rate_cny));
        table_text(table, MONEY(offer, line->amount_cny));
        bool stale = billing_stale(input->catalog, line->date, input->today);
        table_text(table, arena_printf(report->arena, "%s %s%s", tr(cost_basis_names[line->basis]),
                                       line->date, stale ? "*" : ""));
    }
    table_text(table, tr("Total"));
    table_text(table, "");
    table_text(table, "");
    table_text(table, MONEY(offer, cost->total_cny));
    table_text(table, "");
}
