/* explain_serving.c - components of a served model's memory. */
#include "engine/explain_internal.h"

#include <math.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/memory_parts.h"

struct view {
    struct explainer *explainer;
    const struct job *job;
    const struct layout *layout;
    struct serving_parts parts;
};

static void explain_weights(const struct view *view, double result)
{
    const struct param_counts *params = &view->job->params;
    const struct weight_format *format = view->job->weights;
    const struct layout *layout = view->layout;
    double group = (double)layout->tp * layout->pp, total = (double)params->total;
    double bytes = format->bits_per_weight / 8, plain = format->quantised ? 2 : bytes;
    double small = (double)(params->router + params->norms_biases);
    double tables = (double)(params->embedding + params->head),
           block = (double)(params->attention + params->dense_ffn);
    bool shown =
        layout->pp == 1 && params->experts == 0 &&
        EXPLAIN_DETAIL(view->explainer,
                       tr("(({block matrices} x {bytes each} + {embedding and head} x {bytes "
                          "each}) / {GPUs that split it} + {norms, biases} x {bytes each}) / 2^30"),
                       result, "GiB", block, bytes, tables, plain, layout->tp, small, plain);
    if (!shown)
        EXPLAIN(view->explainer,
                tr("{parameters, all experts too} x {bytes each on average, copies included} / "
                   "{GPUs that split it} / 2^30"),
                result, "GiB", total, result * GIB * group / total, group);
    if (params->experts > 0)
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("All experts are stored, those of a token alone are read: total parameters "
                       "decide memory, active ones speed."));
    if (!format->quantised)
        return;
    char now[UNITS_TEXT], before[UNITS_TEXT];
    explain_say(view->explainer, EXPLAIN_TEXT,
                tr("Memory: %s instead of %s GiB with 16 bits. Embedding, head and norms mostly "
                   "stay at 16 bits."),
                units_gib(result, now), units_gib(GIB_OF(total * 2 / group), before));
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Speed: one user gains, fewer bytes are read for each token. A full batch gains "
                   "little or loses, it is bound by computing."));
}

static void explain_cache(const struct view *view, double result)
{
    const struct job *job = view->job;
    const struct serving_parts *parts = &view->parts;
    double layers = job->kv.full;
    double heads = fmin(view->layout->tp, job->kv.kv_heads);
    EXPLAIN(view->explainer, tr("{sequences in flight} x {GiB of one sequence}"), result, "GiB",
            parts->kv / parts->held, GIB_OF(parts->held));
    if (job->kv.local == 0 && job->kv.linear == 0 && view->layout->pp == 1)
        EXPLAIN_DETAIL(view->explainer,
                       tr("{tokens} x {layers} x {elements of a token and layer} x {bytes each} / "
                          "{GPUs that split it} / 2^30"),
                       GIB_OF(parts->held), "GiB", parts->held_tokens, layers,
                       job->kv.full_elements, job->kv_element_bytes, heads);
    else
        explain_say(view->explainer, EXPLAIN_TEXT,
                    tr("%d layers cache the whole context, %d no more than %d tokens, %d keep a "
                       "fixed state."),
                    job->kv.full, job->kv.local, job->kv.window, job->kv.linear);
    explain_say(view->explainer, EXPLAIN_ASSUMED,
                tr("%.0f tokens are planned for each sequence (context), %.3g bytes an element "
                   "(kv_cache)."),
                parts->held_tokens, job->kv_element_bytes);
    if (job->kv.mla)
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("Latent attention (MLA) caches one latent for all heads: small, but copied "
                       "on every GPU of a tensor group."));
    else if (view->layout->tp > job->kv.kv_heads)
        explain_say(view->explainer, EXPLAIN_TEXT,
                    tr("There are %d KV heads for %d GPUs: some heads are copied."),
                    job->kv.kv_heads, view->layout->tp);
    if (parts->sequences * parts->held > parts->kv * 1.001)
        explain_say(view->explainer, EXPLAIN_TEXT,
                    tr("%.0f sequences were asked for; those beyond the memory wait their turn."),
                    parts->sequences);
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("Pope et al. 2022, arXiv 2211.05102, section 3.3; grouped queries: arXiv "
                   "2305.13245; latent attention: DeepSeek-V2, arXiv 2405.04434, section 2.1."));
}

static void explain_prefill(const struct view *view, double result)
{
    const struct serving_parts *parts = &view->parts;
    if (result <= 0) {
        explain_say(
            view->explainer, EXPLAIN_TEXT,
            tr("A prefill takes %.2f GiB, less than the sampler, and the two never live together."),
            GIB_OF(parts->prefill));
        return;
    }
    if (!EXPLAIN_DETAIL(view->explainer,
                        tr("{prompt tokens at a time} x {elements of a token} x {bytes each} / "
                           "{GPUs that split it} / 2^30"),
                        result, "GiB", parts->prompt_tokens, parts->token_elements, 2,
                        view->layout->tp))
        EXPLAIN(
            view->explainer,
            tr("{prompt tokens at a time} x {bytes of a token, scores and logits included} / 2^30"),
            result, "GiB", parts->prompt_tokens, parts->prefill / parts->prompt_tokens);
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("Profile of vLLM 0.6 for Llama-3.1-8B: 55,399 elements a token, 3 x FFN + 3 x "
                   "hidden gives 55,296 (vllm issue 10517)."));
}

static void explain_sampler(const struct view *view, double result)
{
    const struct serving_parts *parts = &view->parts;
    double vocabulary = view->job->model->vocab_size;
    if (result <= 0) {
        explain_say(
            view->explainer, EXPLAIN_TEXT,
            tr("The sampler takes %.2f GiB, less than a prefill, and the two never live together."),
            GIB_OF(parts->sampler));
        return;
    }
    double slots = serving_slots(view->job, view->explainer->hardware);
    if (parts->limits == LIMITS_LOW)
        slots = parts->sequences;
    EXPLAIN(view->explainer, tr("{sequence slots} x {vocabulary} x {bytes each} / 2^30"), result,
            "GiB", slots, vocabulary, parts->sampler / vocabulary / slots);
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("vLLM samples all max_num_seqs slots at start: 32-bit scores, their sorted copy "
                   "with indices, two arrays of probabilities."));
}

static void explain_runtime(const struct view *view, double result)
{
    double context = GIB_OF(view->parts.runtime), blocks = GIB_OF(view->parts.slack);
    EXPLAIN(view->explainer,
            tr("{CUDA context and communicators} + {blocks the allocator cannot use again}"), result,
            "GiB", context, blocks);
}

void explain_serving_component(struct explainer *explainer, int component)
{
    struct view view = {.explainer = explainer,
                        .job = &explainer->job,
                        .layout = explainer->layout,
                        .parts = serving_parts(&explainer->job, explainer->hardware,
                                               explainer->layout, explainer->constants)};
    double own = component >= COMPONENT_ACTIVATIONS ? explainer->memory_ratio : 1;
    double result = explainer->memory->components_gib[component] / own;
    const char *engine = engine_names[view.job->engine];
    switch (component) {
    case COMPONENT_WEIGHTS:
        explain_weights(&view, result);
        break;
    case COMPONENT_KV_CACHE:
        explain_cache(&view, result);
        break;
    case COMPONENT_ACTIVATIONS:
        explain_prefill(&view, result);
        break;
    case COMPONENT_LOGITS:
        explain_sampler(&view, result);
        break;
    case COMPONENT_BUFFERS:
        explain_say(explainer, EXPLAIN_TEXT, tr("CUDA graphs that %s records at start: %.2f GiB."),
                    engine, result);
        break;
    case COMPONENT_RUNTIME:
        explain_runtime(&view, result);
        explain_say(explainer, EXPLAIN_SOURCE, "%s",
                    tr("Start-up logs of vLLM (non-torch memory): 0.03 to 0.35 GiB on one GPU, up "
                       "to 1.8 on several."));
        break;
    default:
        explain_say(
            explainer, EXPLAIN_TEXT, "%s",
            tr("Serving trains nothing: no gradients, no optimizer, no adapter in training."));
    }
    if (result > 0)
        explain_own_run(explainer, result, own, "GiB");
}
