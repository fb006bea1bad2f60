/* report_run.c - what the job takes on one offer: memory of a GPU part by part, memory by length,
 * speed and time. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/matrix.h"
#include "report/columns.h"

/* ---- memory --------------------------------------------------------------------------------- */

static void add_memory_bar(struct report *report, const struct memory *memory)
{
    struct bar bar = {0};
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        if (!(memory->components_gib[i] > 0))
            continue;
        bar.segments[bar.count++] = (struct bar_segment){
            arena_printf(report->arena, "%s %s", tr(components[i].label),
                         FIGURE(gib, memory->components_gib[i])),
            components[i].ascii, memory->components_gib[i] / memory->usable_gib};
    }
    report_add_bar(report, &bar);
}

static void add_memory_table(struct report *report, const struct memory *memory)
{
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Part"), TEXT_LEFT);
    table_column(table, NULL, tr("GiB"), TEXT_RIGHT);
    table_column(table, NULL, tr("copied"), TEXT_RIGHT);
    table_column(table, NULL, tr("What it is"), TEXT_LEFT);
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        if (!(memory->components_gib[i] > 0))
            continue;
        table_text(table, tr(components[i].label));
        table_text(table, FIGURE(gib, memory->components_gib[i]));
        table_text(table, FIGURE(gib, memory->replicated_gib[i]));
        table_text(table, tr(components[i].help));
    }
    table_text(table, tr("Need"));
    table_text(table, FIGURE(gib, memory->need_gib));
    table_text(table, FIGURE(gib, memory->replicated_total_gib));
    table_text(table,
               arena_printf(report->arena, tr("%s to %s, of %s usable: %s"),
                            FIGURE(gib, memory->low_gib), FIGURE(gib, memory->high_gib),
                            FIGURE(gib, memory->usable_gib), verdict_label(memory->verdict)));
}

static void add_peaks(struct report *report, const struct memory *memory)
{
    struct strbuf text = {0};
    char figure[UNITS_TEXT];
    for (int i = 0; i < PEAK_COUNT; i++)
        if (memory->peaks_gib[i] > 0)
            strbuf_printf(&text, "%s%s %s", text.length ? tr(", ") : "", tr(peak_labels[i]),
                          units_gib(memory->peaks_gib[i], figure));
    if (text.length)
        report_addf(report, BLOCK_TEXT, tr("Peaks in GiB: %s."), strbuf_text(&text));
    strbuf_clear(&text);
}

void report_memory(struct report *report, const struct offer *offer)
{
    const struct memory *memory = &offer->memory;
    report_addf(report, BLOCK_HEADING, tr("Memory of one GPU (%s, %s GiB usable)"),
                offer->hardware.gpu->name, FIGURE(gib, memory->usable_gib));
    add_memory_bar(report, memory);
    add_memory_table(report, memory);
    report_add(report, BLOCK_TEXT,
               tr("copied = the part that other GPUs hold, too, byte for byte; of the rest each "
                  "GPU holds its own share. GiB = 2^30 bytes."));
    add_peaks(report, memory);
    if (memory->calibrated)
        report_addf(report, BLOCK_TEXT, tr("Calibrated by your run of %s."), memory->calibrated);
    if (memory->reserved_gib > 1.001 * memory->need_gib)
        report_addf(report, BLOCK_TEXT,
                    tr("The engine reserves %s GiB at start: nvidia-smi shows that, not "
                       "the need."),
                    FIGURE(gib, memory->reserved_gib));
    if (memory->host_ram_gib > 0 && offer->hardware.ram_gib > 0)
        report_addf(report, BLOCK_TEXT, tr("Host memory: %s GiB of %s in each machine."),
                    FIGURE(gib, memory->host_ram_gib), FIGURE(gib, offer->hardware.ram_gib));
    else if (memory->host_ram_gib > 0)
        report_addf(report, BLOCK_TEXT, tr("Host memory: %s GiB in each machine."),
                    FIGURE(gib, memory->host_ram_gib));
}

/* ---- memory by length ----------------------------------------------------------------------- */

enum { SHORTEST = 1024, LONGEST = 1 << 20, LENGTH_ROWS = 8 };

/* The length asked for stands among lengths that double. */
static void add_length_rows(const struct report_input *input, const struct job *job,
                            const struct offer *offer, double asked, double least, double most,
                            struct table *table, struct report *report)
{
    int rows = 0;
    bool told = false, turned_down = false, falls = false;
    double before_gib = 0;
    for (double length = least; length <= most && rows < LENGTH_ROWS; rows++) {
        bool insert = !told && asked <= length;
        double shown = insert ? asked : length;
        struct memory need = matrix_need_at(job, offer, input->constants, shown, 0);
        enum verdict verdict =
            matrix_memory_at(job, offer, input->constants, shown, 0).verdict;
        table_text(table, FIGURE(thousands, shown));
        table_text(table, FIGURE(gib, need.need_gib));
        table_text(table, arena_printf(report->arena, "%s - %s", FIGURE(gib, need.low_gib),
                                       FIGURE(gib, need.high_gib)));
        table_text(table, arena_printf(report->arena, "%s%s", verdict_label(verdict),
                                       shown == asked ? tr(" (asked)") : ""));
        turned_down |= verdict == VERDICT_TIGHT && need.need_gib > offer->hardware.usable_gib;
        falls |= need.need_gib < before_gib;
        before_gib = need.need_gib;
        told |= insert;
        if (shown == length)
            length *= 2;
    }
    if (turned_down)
        report_add(report, BLOCK_TEXT, tr("tight over the usable GiB: it starts with the engine's "
                                          "limits turned down, or sequences wait."));
    if (falls && job->engine == ENGINE_VLLM)
        report_add(report, BLOCK_TEXT, tr("Up to 32,768 tokens vLLM may read a prompt whole and sets "
                                          "memory aside for it; longer ones it reads in pieces."));
}

void report_lengths(const struct report_input *input, const struct job *job,
                    const struct offer *offer, struct report *report)
{
    bool serving = job->workload == WORKLOAD_INFERENCE;
    double asked = serving ? job->context : job->seq_len;
    double least = fmin(SHORTEST, asked);
    while (serving && least < job->input_len + job->output_len)
        least *= 2;
    double most = job->model->max_context > 0 ? job->model->max_context : LONGEST;
    if (!input->constants || most < least)
        return;
    report_add(report, BLOCK_HEADING,
               serving ? tr("Memory by context, same users and layout")
                       : tr("Memory by length, same batch and layout"));
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Tokens"), TEXT_RIGHT);
    table_column(table, NULL, tr("Need GiB"), TEXT_RIGHT);
    table_column(table, NULL, tr("Band"), TEXT_RIGHT);
    table_column(table, NULL, tr("Verdict"), TEXT_LEFT);
    add_length_rows(input, job, offer, asked, least, most, table, report);
    double longest = matrix_longest(job, offer, input->constants, 0, least, most);
    if (longest >= floor(most / MATRIX_STEP) * MATRIX_STEP)
        report_addf(report, BLOCK_TEXT, tr("All lengths up to the model's %s tokens fit."),
                    FIGURE(thousands, most));
    else if (longest > 0)
        report_addf(report, BLOCK_TEXT, tr("The longest that fits: %s tokens."),
                    FIGURE(thousands, longest));
    else
        report_add(report, BLOCK_TEXT, tr("No length fits with room to spare on this layout."));
}

/* ---- speed ---------------------------------------------------------------------------------- */

void report_speed(struct report *report, const struct offer *offer, const struct job *job)
{
    const struct speed *speed = &offer->speed;
    bool serving = job->workload == WORKLOAD_INFERENCE;
    const struct {
        const char *label;
        double value;
        char *(*write)(double, char *);
        const char *unit;
    } figures[] = {
        {serving ? N_("Reading and writing") : N_("Speed"), speed->tokens_per_s, units_count,
         N_("tokens/s, all GPUs together")},
        {N_("Per GPU"), speed->tokens_per_s_per_gpu, units_count, N_("tokens/s")},
        {N_("One user sees"), serving ? 1000 / speed->tpot_ms : NAN, units_gib, N_("tokens/s")},
        {N_("One decode step"), serving ? 1000 * speed->step_s : NAN, units_gib, N_("ms")},
        {N_("One optimizer step"), serving ? NAN : speed->step_s, units_gib, N_("s")},
        {N_("Model FLOPs utilisation"), 100 * speed->mfu, units_gib, "%"},
        {N_("Prefill"), speed->prefill_tokens_per_s, units_count, N_("tokens/s")},
        {N_("Decoding, all sequences"), speed->decode_tokens_per_s, units_count, N_("tokens/s")},
        {N_("Time to first token"), speed->ttft_ms, units_gib, N_("ms")},
        {N_("Time per output token"), speed->tpot_ms, units_gib, N_("ms")},
        {N_("Requests kept up with"), speed->requests_per_s, units_gib, N_("a second")},
        {N_("Cache holds"), offer->memory.kv_tokens, units_count, N_("tokens")},
        {N_("Sequences at full context"), offer->memory.max_concurrency, units_gib, ""},
    };
    report_add(report, BLOCK_HEADING, tr("Speed and time"));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (isfinite(figures[i].value) && figures[i].value > 0)
            report_addf(report, BLOCK_ITEM, tr("%s: %s %s"), tr(figures[i].label),
                        report_figure(report, figures[i].write, figures[i].value),
                        tr(figures[i].unit));
    if (isfinite(speed->tokens_per_s))
        report_addf(report, BLOCK_ITEM, tr("Band: %s to %s tokens/s (%s), bound by %s"),
                    FIGURE(count, speed->low_tokens_per_s), FIGURE(count, speed->high_tokens_per_s),
                    speed->measured ? tr("measured basis") : tr("estimate"),
                    tr(bound_names[speed->bound_by]));
    if (speed->calibrated)
        report_addf(report, BLOCK_ITEM, tr("Calibrated by your run of %s"), speed->calibrated);
    if (job->samples > 0)
        report_addf(report, BLOCK_ITEM, tr("Work: %s samples x %s tokens x %s epochs = %s tokens"),
                    FIGURE(thousands, job->samples), FIGURE(thousands, job->mean_len),
                    FIGURE(count, job->epochs), FIGURE(count, job->train_tokens));
    if (!serving && isfinite(offer->hours[1]))
        report_addf(report, BLOCK_ITEM, tr("Time: %s tokens / %s tokens/s = %s (%s to %s)"),
                    FIGURE(count, job->train_tokens), FIGURE(count, speed->tokens_per_s),
                    FIGURE(hours, offer->hours[1]), FIGURE(hours, offer->hours[0]),
                    FIGURE(hours, offer->hours[2]));
}
