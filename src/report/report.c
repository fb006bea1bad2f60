/* report.c - what stands on the page, in the order it is read: the verdict in three lines, what was
 * asked and assumed, memory, speed, the shortlist, what would change the answer, risks, sources,
 * and the command that repeats it. */
#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/report_parts.h"

/* ---- blocks --------------------------------------------------------------------------------- */

static struct report_block *add_block(struct report *report, enum block_kind kind)
{
    struct report_block *block = ARENA_NEW(report->arena, struct report_block);
    block->kind = kind;
    block->text = "";
    if (report->last)
        report->last->next = block;
    else
        report->first = block;
    report->last = block;
    return block;
}

void report_add(struct report *report, enum block_kind kind, const char *text)
{
    add_block(report, kind)->text = arena_strdup(report->arena, text);
}

void report_addf(struct report *report, enum block_kind kind, const char *format, ...)
{
    va_list arguments;
    char text[1000];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_add(report, kind, text);
}

struct table *report_add_table(struct report *report)
{
    struct table *table = ARENA_NEW(report->arena, struct table);
    table_init(table, report->arena);
    add_block(report, BLOCK_TABLE)->table = table;
    return table;
}

void report_add_bar(struct report *report, const struct bar *bar)
{
    struct bar *copy = ARENA_NEW(report->arena, struct bar);
    *copy = *bar;
    add_block(report, BLOCK_BAR)->bar = copy;
}

/* ---- words ---------------------------------------------------------------------------------- */

const char *report_figure(const struct report *report, char *(*write)(double, char *), double value)
{
    char text[UNITS_TEXT];
    return arena_strdup(report->arena, write(value, text));
}

const char *report_money(const struct report_input *input, const struct report *report,
                         const struct offer *offer, double amount)
{
    const char *currency =
        offer && offer->price && offer->price->currency ? offer->price->currency : "CNY";
    bool yen = strcmp(currency, "CNY") == 0 && !input->ascii;
    char text[UNITS_TEXT];
    if (!isfinite(amount))
        return "-";
    return arena_printf(report->arena, "%s%s%s", yen ? "¥" : currency, yen ? "" : " ",
                        units_cny(amount, text));
}

const char *report_model(const struct job *job)
{
    return job->model->id;
}

const char *report_machines(const struct report *report, const struct offer *offer)
{
    if (offer->instance)
        return arena_printf(report->arena, "%d x %s", offer->nodes, offer->instance->type);
    return arena_printf(report->arena, "%d x %s", offer->hardware.gpus, offer->hardware.gpu->name);
}

static const char *const workload_titles[] = {
    [WORKLOAD_PRETRAIN] = N_("Pretraining"),
    [WORKLOAD_FULL] = N_("Full fine-tuning"),
    [WORKLOAD_LORA] = N_("LoRA fine-tuning"),
    [WORKLOAD_INFERENCE] = N_("Serving"),
};

static const char *layout_words(const struct report *report, const struct layout *layout)
{
    struct strbuf text = {0};
    layout_format(layout, &text);
    const char *words =
        strcmp(strbuf_text(&text), "-") == 0 ? tr("one GPU does all") : strbuf_text(&text);
    words = arena_strdup(report->arena, words);
    strbuf_clear(&text);
    return words;
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static void add_title(struct report *report, const struct job *job)
{
    report_addf(report, BLOCK_TITLE, tr("gpuwiz: %s of %s"), tr(workload_titles[job->workload]),
                report_model(job));
}

static void add_cost_line(struct report *report, const struct report_input *input,
                          const struct offer *offer, enum billing_mode mode)
{
    const struct cost *cost = offer_cost(offer, mode);
    if (!cost) {
        report_add(report, BLOCK_LEAD, tr("Cost: no public price; ask the provider's sales."));
        return;
    }
    const struct cost *payg = offer_cost(offer, MODE_PAYG);
    enum billing_mode used = mode == MODE_COUNT ? offer->cheapest : mode;
    const char *mark = cost->basis == BASIS_QUOTED ? "" : "~"; /* as in the tables below */
    const char *total = arena_printf(report->arena, "%s%s", mark, MONEY(offer, cost->total_cny));
    const char *hour = arena_printf(report->arena, "%s%s", mark, MONEY(offer, cost->per_hour_cny));
    if (isnan(cost->total_cny)) /* no amount of work was given */
        report_addf(report, BLOCK_LEAD, tr("Cost: %s an hour (%s), %s a month."), hour,
                    tr(billing_modes[used].label), MONEY(offer, cost->per_month_cny));
    else if (payg && payg != cost)
        report_addf(report, BLOCK_LEAD, tr("Cost: %s in all (%s), %s an hour; pay-as-you-go %s."),
                    total, tr(billing_modes[used].label), hour, MONEY(offer, payg->total_cny));
    else
        report_addf(report, BLOCK_LEAD, tr("Cost: %s in all (%s), %s an hour."), total,
                    tr(billing_modes[used].label), hour);
}

static void add_why_line(struct report *report, const struct report_input *input,
                         const struct offer *offer)
{
    const struct memory *memory = &offer->memory;
    const char *need = FIGURE(gib, memory->need_gib), *usable = FIGURE(gib, memory->usable_gib);
    const char *verdict = verdict_label(memory->verdict);
    if (input->plan)
        report_addf(report, BLOCK_LEAD,
                    tr("Why:  %s of %s GiB a GPU (%s); best of %zu offers, %d types."), need,
                    usable, verdict, input->plan->offer_count, input->plan->types);
    else
        report_addf(report, BLOCK_LEAD, tr("Memory: needs %s GiB of %s usable on each GPU: %s."),
                    need, usable, verdict);
}

/* What is cheaper by a fifth and more, but tight: some will take the risk, and should know of it. */
static void add_tight_line(struct report *report, const struct report_input *input,
                           const struct offer *offer)
{
    const struct plan *plan = input->plan;
    const struct offer *tight = NULL;
    for (size_t i = 0; offer->best && i < plan->offer_count; i++) {
        const struct offer *other = &plan->offers[i];
        if (other->best && other->memory.verdict == VERDICT_TIGHT &&
            strcmp(other->best->currency, offer->best->currency) == 0 &&
            other->best->total_cny < 0.8 * (tight ? tight->best->total_cny / 0.8 : offer->best->total_cny))
            tight = other;
    }
    if (tight && offer->memory.verdict == VERDICT_FITS)
        report_addf(report, BLOCK_LEAD, tr("Or:   %s for %s in all, but tight: %s of %s GiB a GPU."),
                    report_machines(report, tight), MONEY(tight, tight->best->total_cny),
                    FIGURE(gib, tight->memory.need_gib), FIGURE(gib, tight->memory.usable_gib));
}

static void add_verdict(struct report *report, const struct report_input *input,
                        const struct offer *offer, enum billing_mode mode)
{
    const char *machines = report_machines(report, offer);
    const struct job *job = &input->plan->job;
    if (job->workload == WORKLOAD_INFERENCE)
        report_addf(report, BLOCK_LEAD, tr("Rent: %s (%d x %s) for %s, %s h a day."), machines,
                    offer->hardware.gpus, offer->hardware.gpu->id,
                    FIGURE(hours, job->months * HOURS_PER_MONTH), FIGURE(plain, job->hours_per_day));
    else if (isnan(offer->hours[1]))
        report_addf(report, BLOCK_LEAD, tr("Rent: %s (%d x %s)."), machines, offer->hardware.gpus,
                    offer->hardware.gpu->id);
    else
        report_addf(report, BLOCK_LEAD, tr("Rent: %s (%d x %s) for %s."), machines,
                    offer->hardware.gpus, offer->hardware.gpu->id, FIGURE(hours, offer->hours[1]));
    add_cost_line(report, input, offer, mode);
    add_why_line(report, input, offer);
    add_tight_line(report, input, offer);
}

/* "117 types -> memory 9 -> region 4 -> budget 0" */
static void add_funnel(struct report *report, const struct plan *plan)
{
    struct strbuf text = {0};
    strbuf_printf(&text, tr("%d types"), plan->types);
    for (int i = 0; i < plan->funnel_count; i++)
        strbuf_printf(&text, " -> %s %d", tr(exclusion_labels[plan->funnel[i].reason]),
                      plan->funnel[i].left);
    report_add(report, BLOCK_LEAD, strbuf_text(&text));
    strbuf_clear(&text);
}

/* The types that came nearest to being offered, and what stood in their way. */
static void add_excluded(struct report *report, const struct plan *plan)
{
    enum { EXCLUDED_ROWS = 12 };
    if (plan->excluded_count == 0)
        return;
    report_add(report, BLOCK_HEADING, tr("What stands in the way"));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Instance"), TEXT_LEFT);
    table_column(table, NULL, tr("Because of"), TEXT_LEFT);
    table_column(table, NULL, tr("In detail"), TEXT_LEFT);
    /* the later a constraint stands in the funnel, the nearer the type came */
    for (int stage = plan->funnel_count - 1; stage >= 0; stage--)
        for (size_t i = 0; i < plan->excluded_count && table_rows(table) < EXCLUDED_ROWS; i++) {
            const struct excluded *excluded = &plan->excluded[i];
            if (excluded->reason != plan->funnel[stage].reason)
                continue;
            table_text(table, excluded->instance->type);
            table_text(table, tr(exclusion_labels[excluded->reason]));
            table_text(table, excluded->detail);
        }
    if (plan->excluded_count > EXCLUDED_ROWS)
        report_addf(report, BLOCK_TEXT, tr("%zu more were left out; --format json tells them all."),
                    plan->excluded_count - EXCLUDED_ROWS);
}

/* ---- what was asked, what was assumed -------------------------------------------------------- */

static void add_answers(struct report *report, const struct scenario *scenario,
                        const struct job *job)
{
    struct strbuf value = {0};
    report_add(report, BLOCK_HEADING, tr("Answers and assumptions"));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Question"), TEXT_LEFT);
    table_column(table, NULL, tr("Answer"), TEXT_LEFT);
    for (int id = 0; id < FIELD_COUNT; id++) {
        if (!scenario_has(scenario, (enum field_id)id))
            continue;
        strbuf_reset(&value);
        scenario_format(scenario, (enum field_id)id, &value);
        if (*fields[id].unit)
            strbuf_printf(&value, " %s", tr(fields[id].unit));
        table_text(table, tr(fields[id].label));
        table_text(table, strbuf_text(&value));
    }
    table_text(table, tr("Parameters"));
    table_text(table, FIGURE(thousands, (double)job->params.total));
    strbuf_reset(&value);
    job_assumptions(job, &value);
    if (value.length)
        report_addf(report, BLOCK_TEXT, tr("Assumed: %s."), strbuf_text(&value));
    strbuf_clear(&value);
}

static void add_layout(struct report *report, const struct layout *layout, const struct job *job)
{
    const char *words = layout_words(report, layout);
    if (job->workload == WORKLOAD_INFERENCE)
        report_addf(report, BLOCK_TEXT, tr("Chosen layout: %s."), words);
    else
        report_addf(report, BLOCK_TEXT, tr("Chosen layout: %s; %s %d, %s %s, %s %s."), words,
                    tr("micro-batch"), layout->micro_batch, tr("recompute"),
                    recompute_names[layout->recompute], tr("offload"),
                    offload_names[layout->offload]);
}

/* ---- the rest of the page -------------------------------------------------------------------- */

static void add_remedies(struct report *report, const struct report_input *input)
{
    if (input->remedy_count == 0)
        return;
    report_add(report, BLOCK_HEADING, tr("What would change the answer"));
    for (int i = 0; i < input->remedy_count; i++) {
        const struct remedy *remedy = &input->remedies[i];
        if (!input->plan)
            report_addf(report, BLOCK_ITEM, tr("%s (%s): needs %s of %s GiB, %s"), remedy->label,
                        remedy->change, FIGURE(gib, remedy->need_gib), FIGURE(gib, remedy->usable_gib),
                        verdict_label(remedy->verdict));
        else if (isnan(remedy->cheapest_cny))
            report_addf(report, BLOCK_ITEM, tr("%s (%s): %zu offers, none with a public price"),
                        remedy->label, remedy->change, remedy->offers);
        else
            report_addf(report, BLOCK_ITEM, tr("%s (%s): %zu offers, from %s"), remedy->label,
                        remedy->change, remedy->offers, MONEY(NULL, remedy->cheapest_cny));
    }
}

static const char *source_words(struct report *report, const char *source)
{
    struct strbuf words = {0};
    catalog_source_words(source, &words);
    const char *text = arena_strdup(report->arena, strbuf_text(&words));
    strbuf_clear(&words);
    return text;
}

static void add_sources(struct report *report, const struct report_input *input,
                        const struct offer *offer)
{
    report_add(report, BLOCK_HEADING, tr("Sources and dates"));
    if (offer && offer->price)
        report_addf(report, BLOCK_ITEM, tr("Price of %s, %s: %s%s (%s; %s)"), offer->instance->type,
                    *offer->price->region ? offer->price->region : tr("usual list price"),
                    offer->price->date,
                    billing_stale(input->catalog, offer->price->date, input->today) ? "*" : "",
                    source_words(report, offer->price->source), tr(offer->price->layer));
    if (offer && offer->price && offer->price->note && *offer->price->note)
        report_addf(report, BLOCK_ITEM, tr("On that price: %s"), tr(offer->price->note));
    if (offer && offer->instance)
        report_addf(report, BLOCK_ITEM, tr("Instance type: %s"),
                    source_words(report, offer->instance->source));
    if (offer && offer->instance && offer->instance->note && *offer->instance->note)
        report_addf(report, BLOCK_ITEM, tr("On that type: %s"), tr(offer->instance->note));
    if (offer)
        report_addf(report, BLOCK_ITEM, tr("GPU %s: %s"), offer->hardware.gpu->id,
                    source_words(report, offer->hardware.gpu->source));
    report_addf(report, BLOCK_ITEM, tr("Catalog of %s, newest price of %s; this page of %s"),
                input->catalog->date, input->catalog->price_date, input->today);
}

static void add_closing(struct report *report, const struct report_input *input,
                        const char *command)
{
    struct strbuf text = {0};
    report_add(report, BLOCK_HEADING, tr("To repeat this"));
    strbuf_printf(&text, "gpuwiz %s", command);
    scenario_command(input->scenario, &text);
    strbuf_printf(&text, " --date %s", input->today);
    report_add(report, BLOCK_COMMAND, strbuf_text(&text));
    strbuf_clear(&text);
    report_addf(report, BLOCK_TEXT,
                tr("gpuwiz %s. Prices are list prices of the dates named, without "
                   "contract discounts; speeds and sizes are estimates with the bands "
                   "given. Check both before you sign."),
                GPUWIZ_VERSION);
}

void report_plan(const struct report_input *input, struct arena *arena, struct report *report)
{
    const struct plan *plan = input->plan;
    const struct offer *offer = input->offer        ? input->offer
                                : plan->offer_count ? plan->offers
                                                    : NULL;
    enum billing_mode mode = billing_mode_of_choice(input->scenario);
    *report = (struct report){.arena = arena};
    if (offer && !offer_cost(offer, mode))
        mode = MODE_COUNT;
    struct job job = offer ? job_for_gpu(&plan->job, offer->hardware.gpu) : plan->job;
    add_title(report, &plan->job);
    if (offer) {
        add_verdict(report, input, offer, mode);
    } else {
        report_addf(report, BLOCK_LEAD,
                    tr("Nothing fits: none of %d instance types can do this job."), plan->types);
        add_funnel(report, plan);
    }
    add_answers(report, input->scenario, &job);
    if (offer) {
        add_layout(report, &offer->layout, &plan->job);
        report_memory(report, offer);
        report_lengths(input, &plan->job, offer, report);
        report_speed(report, offer, &plan->job);
        report_others(input, &plan->job, offer, report);
        report_shortlist(report, input, mode);
        report_payments(report, input, &plan->job, offer);
        report_cost_lines(report, input, offer, mode);
        report_units(report, input, &plan->job, offer);
        report_budget(report, input, plan);
        report_storage(report, input, &plan->job, offer, mode);
    } else {
        struct scenario unbound;
        struct plan beyond;
        if (report_beyond_budget(input, &unbound, &beyond)) {
            report_budget(report, input, &beyond);
            plan_clear(&beyond);
        }
        add_excluded(report, plan);
    }
    add_remedies(report, input);
    if (offer)
        report_risks(input, &plan->job, offer, report);
    if (offer)
        report_explain(input, &plan->job, offer, report);
    add_sources(report, input, offer);
    add_closing(report, input, "plan");
}

void report_estimate(const struct report_input *input, struct arena *arena, struct report *report)
{
    const struct offer *offer = input->offer;
    *report = (struct report){.arena = arena};
    add_title(report, input->job);
    report_addf(report, BLOCK_LEAD, tr("On:   %s, %s."), report_machines(report, offer),
                layout_words(report, &offer->layout));
    if (input->explain) {
        report_explain(input, input->job, offer, report);
        return;
    }
    add_why_line(report, input, offer);
    if (input->remedy_count)
        report_addf(report, BLOCK_LEAD, tr("Or:   %s (%s)."), input->remedies[0].label,
                    input->remedies[0].change);
    add_answers(report, input->scenario, input->job);
    add_layout(report, &offer->layout, input->job);
    report_memory(report, offer);
    report_lengths(input, input->job, offer, report);
    report_speed(report, offer, input->job);
    report_others(input, input->job, offer, report);
    add_remedies(report, input);
    report_risks(input, input->job, offer, report);
    add_sources(report, input, offer);
    add_closing(report, input, "estimate");
}
