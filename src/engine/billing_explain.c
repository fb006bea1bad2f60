/* billing_explain.c - how a total comes about, in words, as a formula, and with the user's numbers. */
#include "engine/billing_internal.h"

#include <math.h>
#include <stdio.h>
#include "base/i18n.h"
#include "base/units.h"

static const char *basis_text(enum cost_basis basis)
{
    switch (basis) {
    case BASIS_QUOTED:
        return tr("quoted");
    case BASIS_RULE:
        return tr("by rule, not quoted");
    default:
        return tr("assumption");
    }
}

/* Rates keep the digits they were quoted with; amounts have two decimals. */
static const char *amount(double cny, char *text)
{
    snprintf(text, UNITS_TEXT, "%.2f", cny);
    return text;
}

static void explain_line(const struct billing_input *input, const struct cost *cost,
                         const struct cost_line *line, struct strbuf *out)
{
    char quantity[UNITS_TEXT], rate[UNITS_TEXT], total[UNITS_TEXT];
    snprintf(quantity, sizeof quantity, "%.10g", line->quantity);
    snprintf(rate, sizeof rate, "%.6g", line->rate_cny);
    strbuf_printf(out, "%s: %s %s x %s = %s %s (%s", tr(line->label), quantity, tr(line->unit),
                  rate, amount(line->amount_cny, total), cost->currency, basis_text(line->basis));
    if (*line->date)
        strbuf_printf(out, ", %s", line->date);
    if (billing_stale(input->catalog, line->date, input->today))
        strbuf_printf(out, ", %s", tr("stale: look it up again"));
    if (*line->source)
        strbuf_printf(out, ", %s", line->source);
    strbuf_add(out, ")\n");
}

static void explain_time(const struct billing_input *input, const struct cost *cost,
                         enum billing_mode mode, struct strbuf *out)
{
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
    if (input->service || isinf(cost->mtbf_h) || isnan(cost->wall_h))
        return;
    strbuf_printf(out, tr("Wall time = M e^(R/M) (e^((t+C)/M) - 1) x T/t (Daly 2006, eq. 20): T = %s "
                          "of computing takes %s, goodput %.1f %%.\n"),
                  units_hours(input->compute_h[1], a), units_hours(cost->wall_h, b),
                  cost->goodput * 100);
    strbuf_printf(out, tr("M = %s between losses of any of %d machines"),
                  units_hours(cost->mtbf_h, a), input->nodes);
    bool spot = mode == MODE_SPOT || mode == MODE_SPOT_UNPROTECTED;
    strbuf_printf(out, " (%s); ", spot ? tr("spot losses and hardware failures, assumption")
                                       : tr("hardware failures: one in 50,000 GPU-hours, Llama 3"));
    strbuf_printf(out, tr("checkpoint C = %s every t = %s, restart R = %s.\n"),
                  units_hours(cost->checkpoint_h, a), units_hours(cost->interval_h, b),
                  units_hours(cost->restart_h, c));
}

static void explain_break_even(const struct cost *cost, struct strbuf *out)
{
    char a[UNITS_TEXT];
    if (!isnan(cost->break_even_h_per_month)) {
        strbuf_printf(out, tr("Cheaper than pay-as-you-go above %.0f hours a month (%.1f a day)"),
                      cost->break_even_h_per_month, cost->break_even_h_per_day);
        if (cost->break_even_h_per_month > HOURS_PER_MONTH)
            strbuf_printf(out, ": %s", tr("never, a month has 730"));
        strbuf_add(out, ".\n");
    }
    if (!isnan(cost->amortise_months))
        strbuf_printf(out, tr("The term is paid back after %s months of this use.\n"),
                      units_gib(cost->amortise_months, a));
    if (!isnan(cost->break_even_price_ratio))
        strbuf_printf(out, tr("Spot stops paying at %.2f of the hourly price.\n"),
                      cost->break_even_price_ratio);
    if (!isnan(cost->break_even_busy_share))
        strbuf_printf(out, tr("Functions cost less below %.0f %% busy when kept warm, below %.0f %% "
                              "when scaled to zero.\n"),
                      cost->break_even_busy_share * 100, cost->break_even_busy_share_cold * 100);
}

static void explain_warnings(const struct cost *cost, struct strbuf *out)
{
    const struct { bool holds; const char *text; } warnings[] = {
        {cost->refused_alone,
         N_("Not to be relied on alone: too much is lost to rework, or the deadline is nearer than "
            "one and a half times the wall time.")},
        {cost->misses_deadline, N_("Misses the deadline.")},
        {cost->may_not_start,
         N_("May not start when asked: stock, quota or an invitation stands in between.")},
        {cost->stale, N_("A price is older than 90 days: import a new one.")},
        {cost->low_confidence, N_("The quote has no region or date of its own: low confidence.")},
        {cost->promotion, N_("The quote is a promotion, not the list price.")},
        {cost->storage_left_out,
         N_("Storage or traffic was asked for but has no price; it is not in the total.")},
    };
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (warnings[i].holds)
            strbuf_printf(out, "! %s\n", tr(warnings[i].text));
}

static void explain_mix(const struct billing_input *input, const struct cost *cost,
                        struct strbuf *out)
{
    if (cost->commitment < MODE_COUNT)
        strbuf_printf(out, tr("%d of %d machines on: %s.\n"), cost->committed_machines,
                      input->nodes, tr(billing_modes[cost->commitment].label));
    if (cost->rest < MODE_COUNT)
        strbuf_printf(out, tr("The rest on: %s.\n"), tr(billing_modes[cost->rest].label));
}

static void explain_payment(const struct cost *cost, struct strbuf *out)
{
    char first[UNITS_TEXT], month[UNITS_TEXT];
    if (!(cost->upfront_cny[UPFRONT_ALL] > 0))
        return;
    for (int i = 0; i < UPFRONT_COUNT; i++)
        strbuf_printf(out, tr("Paid %s: %s at once, %s a month.\n"), tr(upfront_labels[i]),
                      amount(cost->upfront_cny[i], first),
                      amount(cost->upfront_month_cny[i], month));
}

void billing_explain(const struct billing_input *input, const struct cost *cost,
                     enum billing_mode mode, struct strbuf *out)
{
    const struct billing_mode_info *info = &billing_modes[mode];
    char low[UNITS_TEXT], total[UNITS_TEXT], high[UNITS_TEXT];
    strbuf_printf(out, "%s: %s\n", tr(info->label), tr(info->charges));
    if (!cost->available) {
        strbuf_printf(out, tr("Not available: %s.\n"), tr(cost->why_not));
        return;
    }
    strbuf_printf(out, tr("Total = %s.\n"), tr(info->formula));
    for (int i = 0; i < cost->line_count; i++)
        explain_line(input, cost, &cost->lines[i], out);
    if (!isnan(cost->total_cny))
        strbuf_printf(out, tr("Sum of the lines, each rounded to the fen: %s %s (%s to %s).\n"),
                      amount(cost->total_cny, total), cost->currency, amount(cost->low_cny, low),
                      amount(cost->high_cny, high));
    explain_mix(input, cost, out);
    explain_payment(cost, out);
    explain_time(input, cost, mode, out);
    explain_break_even(cost, out);
    explain_warnings(cost, out);
    strbuf_printf(out, tr("Needs: %s\n"), tr(info->needs));
    strbuf_printf(out, tr("Risk: %s\n"), tr(info->risks));
}
