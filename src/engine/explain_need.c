/* explain_need.c - what one GPU needs in all, whether that fits, what is copied on every GPU, and
 * the memory of the machine beside it. */
#include "engine/explain_internal.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/memory_parts.h"

static bool serves(const struct explainer *explainer)
{
    return explainer->job.workload == WORKLOAD_INFERENCE;
}

/* ---- copied and split ----------------------------------------------------------------------- */

/* Activations and logits of training are of each GPU's own samples. */
static bool of_own_samples(const struct explainer *explainer, int component)
{
    return !serves(explainer) &&
           (component == COMPONENT_ACTIVATIONS || component == COMPONENT_LOGITS);
}

static const char *how_to_split(const struct explainer *explainer, int component)
{
    static const char *const by_component[COMPONENT_COUNT] = {
        [COMPONENT_WEIGHTS] = N_("zero=3, tp or pp split them."),
        [COMPONENT_GRADIENTS] = N_("zero=2 splits them."),
        [COMPONENT_OPTIMIZER] = N_("zero=1 splits them."),
        [COMPONENT_ACTIVATIONS] = N_("sp=yes splits them."),
    };
    const struct job *job = &explainer->job;
    const char *text = serves(explainer) ? NULL : by_component[component];
    if (component == COMPONENT_WEIGHTS && job->workload == WORKLOAD_LORA &&
        job->weights->quantised && !explainer->constants->stack[job->stack].shards_quantised)
        text =
            N_("tp or pp split them; zero=3 does not, packed weights stay whole (stack=fsdp splits "
               "them).");
    return text ? tr(text) : "";
}

static void say_copied(struct explainer *explainer, int component)
{
    const struct memory *memory = explainer->memory;
    double all = memory->components_gib[component], copied = memory->replicated_gib[component];
    char a[UNITS_TEXT], b[UNITS_TEXT];
    if (all <= 0)
        return;
    if (explainer->hardware->gpus <= 1)
        explain_say(explainer, EXPLAIN_COPIED, "%s", tr("There is one GPU: it holds all of it."));
    else if (copied >= all * 0.995)
        explain_say(explainer, EXPLAIN_COPIED,
                    tr("Copied: each of the %d GPUs holds all %s GiB. More GPUs do not make it "
                       "smaller. %s"),
                    explainer->hardware->gpus, units_gib(all, a),
                    how_to_split(explainer, component));
    else if (copied > 0.005)
        explain_say(
            explainer, EXPLAIN_COPIED,
            tr("Copied: %s of %s GiB are the same on each of the %d GPUs; the rest is split."),
            units_gib(copied, a), units_gib(all, b), explainer->hardware->gpus);
    else if (of_own_samples(explainer, component))
        explain_say(explainer, EXPLAIN_COPIED, "%s",
                    tr("Nothing is copied, but each GPU has samples of its own: more GPUs take "
                       "more samples, not less memory each."));
    else
        explain_say(explainer, EXPLAIN_COPIED, "%s",
                    tr("Nothing is copied: this is the part of one GPU."));
}

/* ---- how sure ------------------------------------------------------------------------------- */

static void say_basis(struct explainer *explainer)
{
    const struct memory *memory = explainer->memory;
    const char *software =
        serves(explainer) ? engine_names[explainer->job.engine] : stack_names[explainer->job.stack];
    if (memory->calibrated)
        explain_say(explainer, EXPLAIN_BAND, tr("Calibrated by your run of %s."),
                    memory->calibrated);
    else if (memory->measured_basis)
        explain_say(explainer, EXPLAIN_BAND,
                    tr("The constants of %s are fitted to published measurements."), software);
    else
        explain_say(explainer, EXPLAIN_BAND,
                    tr("Nobody published measurements of %s that the constants could be fitted to: "
                       "an estimate."),
                    software);
}

static void say_band(struct explainer *explainer)
{
    const struct memory *memory = explainer->memory;
    char low[UNITS_TEXT], need[UNITS_TEXT], high[UNITS_TEXT];
    explain_say(explainer, EXPLAIN_BAND, tr("Expected %s GiB, at least %s, at most %s."),
                units_gib(memory->need_gib, need), units_gib(memory->low_gib, low),
                units_gib(memory->high_gib, high));
}

/* The answers that a figure in a paper or a forum most often differs in. */
static void say_answers(struct explainer *explainer)
{
    const struct job *job = &explainer->job;
    const struct layout *layout = explainer->layout;
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
    if (serves(explainer)) {
        explain_say(explainer, EXPLAIN_ASSUMED,
                    tr("%s with %s weights, %s tokens in and %s out, %s sequences at a time."),
                    engine_names[job->engine], job->weights->id, units_thousands(job->input_len, a),
                    units_thousands(job->output_len, b), units_thousands(job->concurrency, c));
        return;
    }
    explain_say(explainer, EXPLAIN_ASSUMED,
                tr("%s tokens, micro-batch %d, recompute=%s, FlashAttention %s, %s, optimizer=%s, "
                   "zero=%d."),
                units_thousands(job->seq_len, a), layout->micro_batch,
                recompute_names[layout->recompute], layout->flash_attention ? tr("yes") : tr("no"),
                precision_names[job->precision], optimizer_names[job->optimizer], layout->zero);
    if (job->workload == WORKLOAD_LORA)
        explain_say(explainer, EXPLAIN_ASSUMED, tr("LoRA of rank %d on %s weights."),
                    job->lora_rank, job->weights->id);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("Does a page say less? Compare these answers with its own: length, batch, "
                   "recomputation, rank, attention and precision are what differs."));
}

/* ---- components ----------------------------------------------------------------------------- */

static const char *what_it_is(const struct explainer *explainer, int component)
{
    if (serves(explainer) && component == COMPONENT_ACTIVATIONS)
        return N_("What is live while prompts are read; nothing is kept for later.");
    if (serves(explainer) && component == COMPONENT_BUFFERS)
        return N_("Steps of decoding that were recorded once and are replayed.");
    return components[component].help;
}

void explain_component(struct explainer *explainer, int component)
{
    double figure = explainer->memory->components_gib[component];
    explain_set_figure(explainer, figure, "GiB");
    explain_say(explainer, EXPLAIN_TEXT, "%s", tr(what_it_is(explainer, component)));
    if (serves(explainer))
        explain_serving_component(explainer, component);
    else
        explain_train_component(explainer, component);
    say_copied(explainer, component);
    if (figure > 0)
        say_basis(explainer);
}

/* ---- the sum -------------------------------------------------------------------------------- */

/* "{weights} + {gradients} + ..." of what is there. */
static void explain_sum_of_components(struct explainer *explainer)
{
    double values[COMPONENT_COUNT];
    struct strbuf formula = {0};
    int count = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++) {
        if (explainer->memory->components_gib[i] <= 0)
            continue;
        strbuf_printf(&formula, "%s{%s}", count ? " + " : "", tr(components[i].label));
        values[count++] = explainer->memory->components_gib[i];
    }
    explain_formula(explainer, strbuf_text(&formula), values, explainer->memory->need_gib, "GiB");
    strbuf_clear(&formula);
}

/* Why the sum of the cards is not what counts. */
static void say_cards(struct explainer *explainer)
{
    const struct memory *memory = explainer->memory;
    int gpus = explainer->hardware->gpus;
    char sum[UNITS_TEXT], need[UNITS_TEXT], copied[UNITS_TEXT];
    if (gpus <= 1)
        return;
    explain_say(
        explainer, EXPLAIN_TEXT,
        tr("%d GPUs have %s GiB together, but each must hold its own %s: memory is not pooled."),
        gpus, units_thousands(gpus * memory->usable_gib, sum), units_gib(memory->need_gib, need));
    struct strbuf names = {0};
    for (int i = 0; i < COMPONENT_COUNT; i++)
        if (memory->replicated_gib[i] > 0.05)
            strbuf_printf(&names, "%s%s %s", names.length ? ", " : "", tr(components[i].label),
                          units_gib(memory->replicated_gib[i], sum));
    if (names.length)
        explain_say(explainer, EXPLAIN_COPIED,
                    tr("Copied on every GPU: %s GiB (%s). The rest is split, or of each GPU's own "
                       "samples."),
                    units_gib(memory->replicated_total_gib, copied), strbuf_text(&names));
    else
        explain_say(
            explainer, EXPLAIN_COPIED, "%s",
            tr("Nothing large is copied: all of it is split, or of each GPU's own samples."));
    strbuf_clear(&names);
}

static void say_peaks(struct explainer *explainer)
{
    const double *peaks = explainer->memory->peaks_gib;
    char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT], d[UNITS_TEXT];
    if (serves(explainer))
        explain_say(explainer, EXPLAIN_TEXT, tr("%s GiB at load, %s GiB at work."),
                    units_gib(peaks[PEAK_LOAD], a), units_gib(peaks[PEAK_STEP], b));
    else
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("At load %s, on the longest sample %s, at the optimizer step %s, at save %s "
                       "GiB: the highest counts. A run that fails late met a longer sample, the "
                       "first optimizer step or the first save."),
                    units_gib(peaks[PEAK_LOAD], a), units_gib(peaks[PEAK_STEP], b),
                    units_gib(peaks[PEAK_OPTIMIZER], c), units_gib(peaks[PEAK_SAVE], d));
}

void explain_need(struct explainer *explainer, int item)
{
    (void)item;
    explain_set_figure(explainer, explainer->memory->need_gib, "GiB");
    explain_sum_of_components(explainer);
    say_cards(explainer);
    say_peaks(explainer);
    if (explainer->layout->pp > 1 && !serves(explainer))
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("These are the figures of pipeline stage %d of %d, the fullest."),
                    explainer->memory->worst_stage + 1, explainer->layout->pp);
    say_answers(explainer);
    say_band(explainer);
    say_basis(explainer);
}

void explain_verdict(struct explainer *explainer, int item)
{
    const struct memory *memory = explainer->memory;
    (void)item;
    explain_set_figure(explainer, memory->need_gib / memory->usable_gib, "%");
    EXPLAIN(explainer, tr("{need} / {usable}"), memory->need_gib / memory->usable_gib, "%",
            memory->need_gib, memory->usable_gib);
    explain_say(explainer, EXPLAIN_TEXT,
                tr("Verdict: %s. fits: the whole band is below what is usable. tight: the expected "
                   "need is, the band is not. no fit: not even that."),
                tr(verdict_labels[memory->verdict]));
    explain_say(
        explainer, EXPLAIN_TEXT,
        tr("Usable is what the driver gives, not the number on the label: %.1f GiB of this %s."),
        memory->usable_gib, explainer->hardware->gpu->name);
    say_cards(explainer);
    say_band(explainer);
}

/* ---- peaks ---------------------------------------------------------------------------------- */

void explain_peak(struct explainer *explainer, int peak)
{
    static const char *const what[PEAK_COUNT] = {
        [PEAK_LOAD] = N_("Weights in place, nothing computed yet."),
        [PEAK_STEP] = N_("Forward and backward on the longest sample: activations, then logits at "
                         "the loss or the layer being recomputed."),
        [PEAK_OPTIMIZER] =
            N_("Gradients complete, activations gone; the optimizer makes copies and buckets."),
        [PEAK_SAVE] =
            N_("Weights and optimizer states in place; split ones are gathered to be written."),
    };
    const struct memory *memory = explainer->memory;
    explain_set_figure(explainer, memory->peaks_gib[peak] > 0 ? memory->peaks_gib[peak] : NAN,
                       "GiB");
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                serves(explainer) && peak == PEAK_STEP
                    ? tr("At work: weights, cache, and a prefill or the sampler.")
                    : tr(what[peak]));
    if (isnan(explainer->out->figure)) {
        explain_say(explainer, EXPLAIN_TEXT, "%s", tr("Serving has no such moment."));
        return;
    }
    if (memory->peaks_gib[peak] >= memory->need_gib) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("This is the highest moment: its components are those of the bar."));
        explain_sum_of_components(explainer);
    } else {
        EXPLAIN(explainer, tr("{highest moment} - {less at this one}"), memory->peaks_gib[peak],
                "GiB", memory->need_gib, memory->need_gib - memory->peaks_gib[peak]);
    }
}

/* ---- what an engine reserves ---------------------------------------------------------------- */

void explain_reserved(struct explainer *explainer, int item)
{
    const struct memory *memory = explainer->memory;
    const struct job *job = &explainer->job;
    char a[UNITS_TEXT], b[UNITS_TEXT];
    (void)item;
    if (!serves(explainer) || !engine_rules[job->engine].paged) {
        explain_say(explainer, EXPLAIN_TEXT, "%s", tr("Nothing is set aside beyond the need."));
        return;
    }
    explain_set_figure(explainer, memory->reserved_gib, "GiB");
    struct serving_parts parts =
        serving_parts(job, explainer->hardware, explainer->layout, explainer->constants);
    EXPLAIN(explainer,
            tr("max({need}, min({usable}, {weights} + {pool for cache} + {prefill or sampler} + "
               "{runtime} + {graphs}))"),
            memory->reserved_gib, "GiB", memory->need_gib, memory->usable_gib,
            GIB_OF(parts.weights.stored), GIB_OF(parts.pool),
            GIB_OF(fmax(parts.prefill, parts.sampler)), GIB_OF(parts.runtime),
            GIB_OF(parts.graphs));
    explain_say(explainer, EXPLAIN_TEXT,
                tr("nvidia-smi shows %s GiB, this job needs %s. %s takes %.0f %% of the card at "
                   "start and keeps it as cache for more requests: full is normal, not a leak."),
                units_gib(memory->reserved_gib, a), units_gib(memory->need_gib, b),
                engine_names[job->engine], parts.share * 100);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("To take less: lower gpu_memory_utilization (vLLM), mem_fraction_static "
                   "(SGLang) or cache_max_entry_count (LMDeploy)."));
    explain_say(explainer, EXPLAIN_SOURCE, "%s",
                tr("Defaults of the engines' own documentation (vLLM EngineArgs, SGLang server "
                   "arguments, TensorRT-LLM KvCacheConfig, LMDeploy)."));
}

void explain_kv_tokens(struct explainer *explainer, int item)
{
    const struct memory *memory = explainer->memory;
    char a[UNITS_TEXT], b[UNITS_TEXT];
    (void)item;
    explain_set_figure(explainer, memory->kv_tokens, N_("tokens"));
    if (!serves(explainer)) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Training keeps no cache: all tokens of a sequence pass at once."));
        return;
    }
    struct serving_parts parts = serving_parts(&explainer->job, explainer->hardware,
                                               explainer->layout, explainer->constants);
    double context = serving_context(&explainer->job);
    EXPLAIN(explainer,
            tr("floor({GiB left for cache} / {GiB of one sequence} x {tokens of a sequence} / 16) "
               "x 16"),
            memory->kv_tokens, N_("tokens"), GIB_OF(parts.pool), GIB_OF(parts.sequence), context);
    explain_say(explainer, EXPLAIN_TEXT,
                tr("That is %s users of %s tokens each at once, or fewer with longer ones. More "
                   "than that wait, or the context must be shorter."),
                units_gib(memory->max_concurrency, a), units_thousands(context, b));
    explain_say(explainer, EXPLAIN_SOURCE, "%s",
                tr("PagedAttention, arXiv 2309.06180: cache in blocks of 16 tokens."));
}

/* ---- memory of the machine ------------------------------------------------------------------ */

static void train_host_ram(struct explainer *explainer)
{
    struct train_stage stage =
        train_stage_of(&explainer->job, explainer->hardware, explainer->layout,
                       explainer->constants, explainer->memory->worst_stage);
    EXPLAIN(explainer,
            tr("{system and processes} + max({reading the checkpoint}, {writing it, and what is "
               "offloaded})"),
            explainer->memory->host_ram_gib, "GiB", GIB_OF(stage.host_fixed),
            GIB_OF(stage.host_load), GIB_OF(stage.host_save));
    if (explainer->layout->zero < 3 && explainer->hardware->gpus_per_node > 1)
        explain_say(explainer, EXPLAIN_COPIED, "%s",
                    tr("Copied: each process of the machine reads the whole 16-bit checkpoint "
                       "before it keeps its part; zero=3 reads it once."));
    explain_say(explainer, EXPLAIN_SOURCE, "%s",
                tr("Roblox/FAI-RL issue 66 (230 GB for each rank of a 30B model); DeepSpeed "
                   "memory.rst (x 1.5 for pinned buffers)."));
}

void explain_host_ram(struct explainer *explainer, int item)
{
    enum { PROCESS_GIB = 3 };
    const struct memory *memory = explainer->memory;
    char need[UNITS_TEXT], has[UNITS_TEXT];
    (void)item;
    explain_set_figure(explainer, memory->host_ram_gib, "GiB");
    if (serves(explainer)) {
        double ranks = explainer->hardware->gpus_per_node, each = memory->host_ram_gib / ranks;
        EXPLAIN(explainer,
                tr("{GPUs of a machine} x ({a process} + {shard of the file being read, and swap "
                   "space})"),
                memory->host_ram_gib, "GiB", ranks, PROCESS_GIB, each - PROCESS_GIB);
        explain_say(explainer, EXPLAIN_SOURCE, "%s",
                    tr("huggingface_hub: shards of 5 GB; vLLM --swap-space: 4 GiB for each GPU."));
    } else {
        train_host_ram(explainer);
    }
    if (memory->host_ram_short)
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("The machine has %s GiB, %s are needed: the system kills the process (exit "
                       "-9, \"Killed\")."),
                    units_gib(explainer->hardware->ram_gib, has),
                    units_gib(memory->host_ram_gib, need));
    else if (!isnan(explainer->hardware->ram_gib) && explainer->hardware->ram_gib > 0)
        explain_say(explainer, EXPLAIN_TEXT, tr("The machine has %s GiB: enough."),
                    units_gib(explainer->hardware->ram_gib, has));
    else
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("A machine with less kills the process (exit -9, \"Killed\")."));
}
