/* explain_cost.c - money: the lines of a way of paying, and the price of a million tokens. */
#include "engine/explain_internal.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static bool priced(struct explainer *explainer)
{
    if (explainer->input->offer->instance && explainer->input->offer->price)
        return true;
    explain_say(
        explainer, EXPLAIN_TEXT, "%s",
        explainer->input->offer->instance
            ? tr("There is no public price for this instance type: ask sales.")
            : tr("An estimate of one piece of hardware has no price; gpuwiz plan has prices."));
    return false;
}

/* The lines of a total add up to it. */
static void explain_lines(struct explainer *explainer, const struct cost *cost)
{
    double values[COST_LINES];
    struct strbuf formula = {0};
    for (int i = 0; i < cost->line_count; i++) {
        strbuf_printf(&formula, "%s{%s}", i ? " + " : "", tr(cost->lines[i].label));
        values[i] = cost->lines[i].amount_cny;
    }
    if (cost->line_count > 0 && !isnan(cost->total_cny))
        explain_formula(explainer, strbuf_text(&formula), values, cost->total_cny, cost->currency);
    strbuf_clear(&formula);
}

void explain_mode(struct explainer *explainer, int mode)
{
    const struct explain_input *input = explainer->input;
    if (!priced(explainer))
        return;
    const struct cost *cost = &input->offer->costs[mode];
    if (cost->available)
        explain_set_figure(explainer, cost->total_cny, cost->currency);
    explain_lines(explainer, cost);
    struct billing_input billing =
        offer_billing_input(input->catalog, input->job, input->offer, input->today);
    struct strbuf text = {0};
    billing_explain(&billing, cost, (enum billing_mode)mode, &text);
    for (const char *line = strbuf_text(&text); *line;) {
        line += strspn(line, " ");
        size_t length = strcspn(line, "\n");
        explain_say(explainer, EXPLAIN_TEXT, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    strbuf_clear(&text);
}

void explain_per_mtok(struct explainer *explainer, int item)
{
    const struct offer *offer = explainer->input->offer;
    const struct job *job = &explainer->job;
    (void)item;
    if (!priced(explainer))
        return;
    explain_set_figure(explainer, offer->cny_per_mtok, "CNY");
    if (isnan(offer->cny_per_mtok) || offer->cheapest == MODE_COUNT) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Not known: the speed, the amount of work or the price is missing."));
        return;
    }
    const struct cost *cost = &offer->costs[offer->cheapest];
    explain_set_figure(explainer, offer->cny_per_mtok, cost->currency);
    if (job->workload == WORKLOAD_INFERENCE) {
        EXPLAIN(explainer, tr("{cost of an hour} / 3,600 / {output tokens/s} x 1,000,000"),
                offer->cny_per_mtok, cost->currency, cost->per_hour_cny,
                offer->speed.output_tokens_per_s);
        char in[UNITS_TEXT], one[UNITS_TEXT];
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("Output tokens at the load asked for. Input tokens cost %s, output tokens "
                       "of a single user %s."),
                    units_rate(offer->cny_per_mtok_input, in),
                    units_rate(offer->cny_per_mtok_batch1, one));
    } else {
        EXPLAIN(explainer, tr("{total} / {tokens} x 1,000,000"), offer->cny_per_mtok,
                cost->currency, cost->total_cny, job->train_tokens);
    }
    explain_say(explainer, EXPLAIN_ASSUMED, tr("The cheapest way of paying: %s."),
                tr(billing_modes[offer->cheapest].label));
}
