/* explain_rate.c - what the parts of a step come to: tokens per second, utilisation, latency,
 * hours. */
#include "engine/explain_internal.h"

#include <math.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/flops.h"
#include "engine/serving.h"

static bool serves(const struct explainer *explainer)
{
    return explainer->job.workload == WORKLOAD_INFERENCE;
}

static bool not_modelled(struct explainer *explainer, double figure)
{
    if (!isnan(figure))
        return false;
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("Not modelled: no rates are published for this card, or nobody measured this "
                   "engine there."));
    return true;
}

/* ---- how sure ------------------------------------------------------------------------------- */

static void say_band(struct explainer *explainer)
{
    const struct speed *speed = explainer->speed;
    char low[UNITS_TEXT], high[UNITS_TEXT];
    explain_say(explainer, EXPLAIN_BAND, tr("%s to %s tokens/s is normal."),
                units_count(speed->low_tokens_per_s, low),
                units_count(speed->high_tokens_per_s, high));
    if (speed->calibrated)
        explain_say(explainer, EXPLAIN_BAND, tr("Calibrated by your run of %s."),
                    speed->calibrated);
    else
        explain_say(explainer, EXPLAIN_BAND, "%s",
                    speed->measured ? tr("The constants of this card and software are fitted to "
                                         "published measurements.")
                                    : tr("Nobody published measurements of this card with this "
                                         "software: an estimate with a wider band."));
}

/* What binds, and how much of a step is traffic and waiting. */
static void say_bound(struct explainer *explainer)
{
    static const char *const bounds[] = {
        [BOUND_COMPUTE] = N_("Bound by computing: a card with more FLOP/s is faster."),
        [BOUND_BANDWIDTH] =
            N_("Bound by memory bandwidth: a card with more of it is faster, FLOP/s do not help."),
        [BOUND_NETWORK] = N_("Bound by the traffic between GPUs: fewer GPUs, NVLink or RDMA help, "
                             "faster cards do not."),
        [BOUND_HOST] = N_(
            "Bound by the CPU, by Python and launches: larger batches help, faster cards do not.")};
    static const enum speed_term traffic[] = {TERM_TP, TERM_EXPERTS, TERM_BUBBLE,
                                              TERM_DATA_PARALLEL, TERM_LATENCY};
    const struct speed *speed = explainer->speed;
    double sent = 0;
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++)
        sent += speed->terms_s[traffic[i]];
    explain_say(explainer, EXPLAIN_TEXT, "%s", tr(bounds[speed->bound_by]));
    if (explainer->hardware->gpus > 1)
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("%.0f %% of a step is traffic between GPUs and waiting for each other: what "
                       "more cards cost."),
                    sent / speed->step_s * 100);
}

/* ---- with fewer ----------------------------------------------------------------------------- */

/* Speed of the job laid out otherwise; NAN where that does not fit. */
static double otherwise(const struct explainer *explainer, const struct hardware *hardware,
                        const struct layout *layout)
{
    struct memory memory = memory_estimate(&explainer->job, hardware, layout, explainer->constants);
    if (memory.verdict == VERDICT_NO)
        return NAN;
    return speed_estimate(&explainer->job, hardware, layout, &memory, explainer->constants)
        .tokens_per_s;
}

/* Half the tensor group and twice the replicas, on the same GPUs. */
static void say_smaller_group(struct explainer *explainer)
{
    struct layout layout = *explainer->layout;
    char now[UNITS_TEXT], then[UNITS_TEXT];
    if (layout.tp < 2 || layout.tp % 2 != 0 || layout.ep > 1)
        return;
    layout.tp /= 2;
    layout.dp *= 2;
    layout.micro_batches = layout.micro_batches > 1 ? layout.micro_batches / 2 : 1;
    double speed = otherwise(explainer, explainer->hardware, &layout);
    if (isnan(speed))
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("Groups of half the size (tp=%d) would not have the memory."), layout.tp);
    else
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("On the same GPUs tp=%d with twice the replicas would reach %s tokens/s in "
                       "all; tp=%d reaches %s."),
                    layout.tp, units_count(speed, then), explainer->layout->tp,
                    units_count(explainer->speed->tokens_per_s, now));
}

/* One machine of several, with the micro-batches of all. */
static void say_one_machine(struct explainer *explainer)
{
    struct hardware hardware = *explainer->hardware;
    struct layout layout = *explainer->layout;
    char alone[UNITS_TEXT];
    int machines = hardware.nodes;
    if (machines < 2 || layout.dp % machines != 0 || layout.ep > 1)
        return;
    hardware.nodes = 1;
    hardware.gpus = hardware.gpus_per_node;
    layout.dp /= machines;
    layout.micro_batches *= machines;
    double speed = otherwise(explainer, &hardware, &layout);
    if (isnan(speed))
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("One machine alone would not have the memory for this."));
    else
        explain_say(explainer, EXPLAIN_TEXT,
                    tr("One machine alone would reach %s tokens/s: %d machines are %.1f times as "
                       "fast."),
                    units_count(speed, alone), machines, explainer->speed->tokens_per_s / speed);
}

void explain_fewer(struct explainer *explainer)
{
    say_smaller_group(explainer);
    say_one_machine(explainer);
}

/* ---- a step --------------------------------------------------------------------------------- */

void explain_step(struct explainer *explainer, int item)
{
    const struct speed *speed = explainer->speed;
    double values[TERM_COUNT];
    struct strbuf formula = {0};
    int count = 0;
    (void)item;
    explain_set_figure(explainer, speed->step_s, "s");
    if (not_modelled(explainer, speed->step_s))
        return;
    for (int i = 0; i < TERM_COUNT; i++) {
        if (!(speed->terms_s[i] != 0))
            continue;
        strbuf_printf(&formula, "%s{%s}", count ? " + " : "", tr(speed_terms[i].label));
        values[count++] = speed->terms_s[i];
    }
    explain_formula(explainer, strbuf_text(&formula), values, speed->step_s, "s");
    strbuf_clear(&formula);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                serves(explainer)
                    ? tr("One step gives every sequence of the batch its next token.")
                    : tr("One step of the optimizer, all its micro-batches included."));
    say_bound(explainer);
}

/* ---- tokens per second ---------------------------------------------------------------------- */

static void train_tokens_per_s(struct explainer *explainer)
{
    const struct speed *speed = explainer->speed;
    const struct layout *layout = explainer->layout;
    double sequences = speed->tokens_per_s * speed->step_s / explainer->job.seq_len;
    EXPLAIN(explainer, tr("{sequences of a step} x {length} / {seconds of a step}"),
            speed->tokens_per_s, N_("tokens/s"), round(sequences), explainer->job.seq_len,
            speed->step_s);
    explain_say(explainer, EXPLAIN_TEXT,
                tr("%d micro-batches of %d sequences on %d data-parallel ranks."),
                layout->micro_batches, layout->micro_batch, layout->dp);
}

static void serving_tokens_per_s(struct explainer *explainer)
{
    const struct job *job = &explainer->job;
    const struct speed *speed = explainer->speed;
    char one[UNITS_TEXT], full[UNITS_TEXT], batch[UNITS_TEXT];
    EXPLAIN(explainer,
            tr("{output tokens/s} x ({input tokens} + {output tokens}) / {output tokens}"),
            speed->tokens_per_s, N_("tokens/s"), speed->output_tokens_per_s, job->input_len,
            job->output_len, job->output_len);
    struct serving serving =
        serving_on(job, explainer->hardware, explainer->layout, explainer->constants);
    struct serving_load load = serving_at(&serving, speed->batch);
    double prefill = isnan(load.prefill_s) ? 0 : load.prefill_s / explainer->speed_ratio;
    double one_replica = speed->batch / (speed->tpot_ms / 1e3 + prefill / job->output_len);
    EXPLAIN_DETAIL(
        explainer,
        tr("{replicas at work} x {sequences} / ({seconds a token} + {prefill} / {output tokens})"),
        speed->output_tokens_per_s, N_("tokens/s"), round(speed->output_tokens_per_s / one_replica),
        speed->batch, speed->tpot_ms / 1e3, prefill, job->output_len);
    struct serving_rates rates = serving_rates(job, explainer->hardware, explainer->layout,
                                               explainer->memory, explainer->constants);
    explain_say(explainer, EXPLAIN_TEXT,
                tr("One user alone gets %s output tokens/s; a full batch of %s gives %s to all of "
                   "them together."),
                units_count(rates.batch1_output_tokens_per_s * explainer->speed_ratio, one),
                units_count(rates.saturated_batch, batch),
                units_count(rates.saturated_output_tokens_per_s * explainer->speed_ratio, full));
}

void explain_tokens_per_s(struct explainer *explainer, int item)
{
    (void)item;
    explain_set_figure(explainer, explainer->speed->tokens_per_s, N_("tokens/s"));
    if (not_modelled(explainer, explainer->speed->tokens_per_s))
        return;
    if (serves(explainer))
        serving_tokens_per_s(explainer);
    else
        train_tokens_per_s(explainer);
    say_bound(explainer);
    explain_fewer(explainer);
    say_band(explainer);
}

void explain_mfu(struct explainer *explainer, int item)
{
    const struct speed *speed = explainer->speed;
    const struct job *job = &explainer->job;
    const struct gpu *gpu = explainer->hardware->gpu;
    (void)item;
    explain_set_figure(explainer, speed->mfu, "%");
    if (not_modelled(explainer, speed->mfu))
        return;
    if (serves(explainer)) {
        struct serving serving =
            serving_on(job, explainer->hardware, explainer->layout, explainer->constants);
        bool prompts = !isnan(serving_prefill_s(&serving, job->input_len));
        double counted = prompts ? speed->tokens_per_s : speed->output_tokens_per_s;
        EXPLAIN(explainer, tr("2 x {active parameters} x {tokens/s} / {GPUs} / {peak FLOP/s}"),
                speed->mfu, "%", (double)job->params.matmul_active, counted,
                explainer->hardware->gpus,
                gpu->fp16_tflops * 1e12 * explainer->hardware->gpu_fraction);
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Low is normal here: decoding waits for memory, not for computing."));
        return;
    }
    EXPLAIN(explainer, tr("{tokens/s of one GPU} x {FLOPs of a token} / {peak FLOP/s}"), speed->mfu,
            "%", speed->tokens_per_s_per_gpu, flops_model(job),
            speed_peak_flops(gpu, job->precision) * explainer->hardware->gpu_fraction);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("FLOPs that the model needs, not those that recomputation adds; dense peak, not "
                   "the sparse one of the label."));
    explain_say(explainer, EXPLAIN_SOURCE, "%s",
                tr("6 for each parameter a token meets (4 under LoRA) + 12 x layers x hidden size "
                   "x length: PaLM, arXiv 2204.02311, appendix B."));
}

/* ---- latency -------------------------------------------------------------------------------- */

/* The forms of the wait: a queue, rounds of prompts that start at once, and a steady stream of
 * them. Formulas are shown where they are the whole of it: not where sequences wait for room. */
static void explain_wait(struct explainer *explainer, double wait)
{
    const struct job *job = &explainer->job;
    struct serving serving =
        serving_on(job, explainer->hardware, explainer->layout, explainer->constants);
    struct serving_load load = serving_at(&serving, explainer->speed->batch);
    double ratio = explainer->speed_ratio, prompt = load.prompt_s / ratio;
    double generation = load.prefill_s + job->output_len * load.tpot_s;
    double rate = job->requests_per_s > 0 ? job->requests_per_s / fmax(1, explainer->layout->dp)
                                          : load.batch / generation;
    double busy = rate * load.prompt_s;
    if (job->requests_per_s > 0 || job->ttft_ms > 0) {
        EXPLAIN_DETAIL(explainer,
                       tr("{prefill} x {share of the time that prefills take} / (2 x (1 - {that "
                          "share})) + {a decode step} / 2"),
                       wait, "s", prompt, busy, busy, load.step_s / ratio);
        explain_say(
            explainer, EXPLAIN_TEXT, "%s",
            tr("The wait is that of a queue whose prompts go through one at a time, after the "
               "step that is running."));
        explain_say(explainer, EXPLAIN_SOURCE, "%s", tr("Queue M/D/1: Pollaczek 1930."));
        return;
    }
    EXPLAIN_DETAIL(explainer,
                   tr("({sequences} - 1) x {share of the others that is waited for} x {prefill}"),
                   wait, "s", load.batch, explainer->constants->serving.burst, prompt);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("The wait is that of prompts that all start at once, as in a benchmark. With "
                   "requests_per_s it is that of a queue."));
}

void explain_ttft(struct explainer *explainer, int item)
{
    const struct speed *speed = explainer->speed;
    (void)item;
    explain_set_figure(explainer, serves(explainer) ? speed->ttft_ms / 1e3 : NAN, "s");
    if (!serves(explainer)) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Training answers nobody: there is no latency."));
        return;
    }
    if (not_modelled(explainer, speed->ttft_ms))
        return;
    struct serving serving =
        serving_on(&explainer->job, explainer->hardware, explainer->layout, explainer->constants);
    double prefill = serving_prefill_s(&serving, explainer->job.input_len) / explainer->speed_ratio;
    double wait = speed->ttft_ms / 1e3 - prefill;
    if (fabs(wait) < 1e-9) /* a difference of equals */
        wait = 0;
    EXPLAIN(explainer, tr("{prefill of the prompt} + {wait for others}"), speed->ttft_ms / 1e3, "s",
            prefill, wait);
    explain_wait(explainer, wait);
    explain_say(
        explainer, EXPLAIN_SOURCE, "%s",
        tr("Prefill: 2 FLOPs a weight and token, and causal attention (Narayanan et al. 2021, "
           "arXiv 2104.04473)."));
    say_band(explainer);
}

void explain_tpot(struct explainer *explainer, int item)
{
    const struct speed *speed = explainer->speed;
    const struct job *job = &explainer->job;
    (void)item;
    explain_set_figure(explainer, serves(explainer) ? speed->tpot_ms / 1e3 : NAN, "s");
    if (!serves(explainer)) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Training answers nobody: there is no latency."));
        return;
    }
    if (not_modelled(explainer, speed->tpot_ms))
        return;
    struct serving serving =
        serving_on(job, explainer->hardware, explainer->layout, explainer->constants);
    struct serving_load load = serving_at(&serving, speed->batch);
    double stages =
        engine_rules[job->engine].layer_split ? 1 : fmin(explainer->layout->pp, speed->batch);
    if (serving_in_rounds(job)) {
        EXPLAIN(explainer, tr("{a decode step}"), speed->tpot_ms / 1e3, "s", speed->step_s);
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Sequences start and end together: all prompts come before the first step."));
        say_bound(explainer);
        say_band(explainer);
        return;
    }
    EXPLAIN(explainer,
            tr("{a decode step} + ({sequences} - 1) x {what one more prompt adds} / {pipeline "
               "stages} / {output tokens}"),
            speed->tpot_ms / 1e3, "s", speed->step_s, speed->batch,
            load.prompt_s / explainer->speed_ratio, stages, job->output_len);
    explain_say(explainer, EXPLAIN_TEXT, "%s",
                tr("While a sequence writes its answer, each of the others is replaced once, and "
                   "its prompt slows a step down."));
    explain_say(explainer, EXPLAIN_SOURCE, "%s",
                tr("Continuous batching: Orca (Yu et al. 2022); mixed steps: arXiv 2308.16369."));
    say_bound(explainer);
    say_band(explainer);
}

/* ---- hours ---------------------------------------------------------------------------------- */

void explain_hours(struct explainer *explainer, int item)
{
    const double *hours = explainer->input->offer->hours;
    const struct job *job = &explainer->job;
    char low[UNITS_TEXT], high[UNITS_TEXT];
    (void)item;
    explain_set_figure(explainer, hours[1], "h");
    if (isnan(hours[1])) {
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    serves(explainer)
                        ? tr("A service has no end: it is paid for the hours it runs.")
                        : tr("No amount of work was given: samples or tokens_b."));
        return;
    }
    EXPLAIN(explainer, tr("{tokens} / {tokens/s} / 3,600"), hours[1], "h", job->train_tokens,
            explainer->speed->tokens_per_s);
    if (job->samples > 0)
        EXPLAIN(explainer, tr("{samples} x {mean length} x {epochs}"), job->train_tokens,
                N_("tokens"), job->samples, job->mean_len, job->epochs);
    explain_say(explainer, EXPLAIN_BAND,
                tr("%s to %s. Losses and restarts are in the wall time of each way of paying."),
                units_hours(hours[0], low), units_hours(hours[2], high));
}
