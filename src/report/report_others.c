/* report_others.c - the choice that was made beside its alternatives on the same GPUs: another ZeRO
 * stage, another split, other weights. Memory and speed stand apart, since one may gain what the
 * other loses. */
#include "report/report_parts.h"

#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "report/columns.h"

struct others {
    const struct report_input *input;
    const struct job *job;
    const struct offer *offer;
    struct report *report;
    struct table *table; /* NULL until there is an alternative */
    bool serving;
};

static void add_row(struct others *others, const char *choice, const struct memory *memory,
                    const struct speed *speed)
{
    struct report *report = others->report;
    table_text(others->table, choice);
    table_text(others->table, FIGURE(gib, memory->need_gib));
    table_text(others->table, verdict_label(memory->verdict));
    table_text(others->table, FIGURE(count, speed->tokens_per_s));
    if (others->serving)
        table_text(others->table, FIGURE(gib, 1000 / speed->tpot_ms));
}

static const char *layout_text(struct report *report, const struct layout *layout)
{
    struct strbuf text = {0};
    layout_format(layout, &text);
    const char *words = arena_strdup(report->arena, strbuf_text(&text));
    strbuf_clear(&text);
    return words;
}

static void begin_table(struct others *others)
{
    const struct layout *now = &others->offer->layout;
    const char *planned = others->offer->hardware.gpus == 1
                              ? tr("as planned")
                              : arena_printf(others->report->arena, tr("%s, as planned"),
                                             layout_text(others->report, now));
    report_add(others->report, BLOCK_HEADING, tr("Other choices on the same GPUs"));
    others->table = report_add_table(others->report);
    table_column(others->table, NULL, tr("Choice"), TEXT_LEFT);
    table_column(others->table, NULL, tr("Need GiB"), TEXT_RIGHT);
    table_column(others->table, NULL, tr("Verdict"), TEXT_LEFT);
    table_column(others->table, NULL, tr("Tokens/s"), TEXT_RIGHT);
    if (others->serving)
        table_column(others->table, NULL, tr("One user"), TEXT_RIGHT);
    add_row(others, planned, &others->offer->memory, &others->offer->speed);
}

static bool set(const struct others *others, struct scenario *scenario, const char *pairs)
{
    struct error ignored;
    char words[200];
    snprintf(words, sizeof words, "%s", pairs);
    for (char *save = NULL, *pair = strtok_r(words, " ", &save); pair; pair = strtok_r(NULL, " ", &save))
        if (!scenario_set_pair(scenario, pair, others->input->catalog, others->report->arena, &ignored))
            return false;
    return true;
}

/* The answers with the offer's machines and layout pinned. */
static bool as_planned(const struct others *others, struct scenario *scenario)
{
    static const enum field_id hardware[] = {FIELD_GPU, FIELD_GPUS, FIELD_NODES, FIELD_MAX_NODES};
    const struct offer *offer = others->offer;
    const struct layout *now = &offer->layout;
    struct arena *arena = others->report->arena;
    *scenario = *others->input->scenario;
    if (offer->instance) {
        for (size_t i = 0; i < sizeof hardware / sizeof *hardware; i++)
            scenario_unset(scenario, hardware[i]);
        if (!set(others, scenario, arena_printf(arena, "instance=%s nodes=%d", offer->instance->type, offer->nodes)))
            return false;
    }
    return set(others, scenario,
               others->serving
                   ? arena_printf(arena, "tp=%d pp=%d", now->tp, now->pp)
                   : arena_printf(arena, "tp=%d pp=%d zero=%d micro_batch=%d recompute=%s offload=%s stack=%s", now->tp,
                                  now->pp, now->zero, now->micro_batch, recompute_names[now->recompute],
                                  offload_names[now->offload], stack_names[others->job->stack]));
}

/* A row for the job with `pairs` instead, when it can be run at all. Without `choice` the layout names
 * it. */
static void try_choice(struct others *others, const char *pairs, const char *choice)
{
    struct scenario scenario;
    struct offer other;
    struct job other_job;
    struct error ignored;
    char why[200];
    struct report *report = others->report;
    if (!as_planned(others, &scenario) || !set(others, &scenario, pairs) ||
        !estimate_compute(others->input->catalog, others->input->constants, &scenario, report->arena, &other,
                          &other_job, &ignored) ||
        layout_reason(&other_job, &other.hardware, &other.layout, why, sizeof why))
        return;
    if (!choice)
        choice = layout_text(report, &other.layout);
    if (!others->table)
        begin_table(others);
    add_row(others, choice, &other.memory, &other.speed);
}

/* ZeRO stages where replicas share out states; and activations kept or computed again. */
static void try_training(struct others *others)
{
    const struct layout *now = &others->offer->layout;
    struct arena *arena = others->report->arena;
    int most = now->pp > 1 ? 1 : 3; /* pipelines reuse gradients over micro-batches: stage 1 only */
    for (int zero = 0; zero <= most && now->dp > 1; zero++)
        if (zero != now->zero)
            try_choice(others, arena_printf(arena, "zero=%d", zero), NULL);
    const char *recompute = recompute_names[now->recompute == RECOMPUTE_FULL ? RECOMPUTE_NONE : RECOMPUTE_FULL];
    try_choice(others, arena_printf(arena, "recompute=%s", recompute),
               arena_printf(arena, "%s %s", tr("recompute"), recompute));
}

/* Twice and half the tensor parallelism, the stages of the pipeline the other way round. */
static void try_splits(struct others *others)
{
    const struct layout *now = &others->offer->layout;
    struct arena *arena = others->report->arena;
    if (now->pp % 2 == 0)
        try_choice(others, arena_printf(arena, "tp=%d pp=%d", now->tp * 2, now->pp / 2), NULL);
    if (now->tp % 2 == 0)
        try_choice(others, arena_printf(arena, "tp=%d pp=%d", now->tp / 2, now->pp * 2), NULL);
}

static void try_weights(struct others *others)
{
    static const char *const served[] = {"bf16", "fp8", "awq-int4", NULL},
                             *const trained[] = {"bf16", "nf4", NULL};
    const char *const *formats = others->serving ? served : trained;
    for (; *formats && !others->job->weights->gguf; formats++)
        if (strcmp(others->job->weights->id, *formats) != 0)
            try_choice(others, arena_printf(others->report->arena, "weights=%s", *formats),
                       arena_printf(others->report->arena, tr("weights %s"), *formats));
}

void report_others(const struct report_input *input, const struct job *job,
                   const struct offer *offer, struct report *report)
{
    struct others others = {.input = input, .job = job, .offer = offer, .report = report,
                            .serving = job->workload == WORKLOAD_INFERENCE};
    if (!input->constants)
        return;
    if (others.serving)
        try_splits(&others);
    else
        try_training(&others);
    if (others.serving || job->workload == WORKLOAD_LORA)
        try_weights(&others);
    if (others.table)
        report_add(report, BLOCK_TEXT,
                   tr("Memory of one GPU, speed of all; everything else as planned."));
}
