/* explain_memory.c - components of training memory: bytes a parameter, tokens and layers kept. */
#include "engine/explain_internal.h"

#include <math.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/memory_parts.h"

/* What the explanations of one job are made of. */
struct view {
    struct explainer *explainer;
    const struct job *job;
    const struct layout *layout;
    const struct stack_constants *stack;
    struct stage_params params;
    struct train_stage stage;
    double copies; /* data-parallel ranks */
    double expert_copies;
};

static struct view view_of(struct explainer *explainer)
{
    const struct layout *layout = explainer->layout;
    int worst = explainer->memory->worst_stage;
    struct view view = {.explainer = explainer,
                        .job = &explainer->job,
                        .layout = layout,
                        .stack = &explainer->constants->stack[explainer->job.stack],
                        .params = stage_params(&explainer->job, layout, worst),
                        .stage = train_stage_of(&explainer->job, explainer->hardware, layout,
                                                explainer->constants, worst),
                        .copies = (double)layout->dp * layout->cp};
    view.expert_copies = fmax(1, view.copies * layout->tp / expert_shards(layout));
    return view;
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* How many parameters this GPU is responsible for. */
static void explain_params(const struct view *view)
{
    const struct param_counts *all = &view->job->params;
    const struct layout *layout = view->layout;
    double ends = view->params.ends * layout->tp, small = (double)(all->norms_biases + all->router);
    double matrices = (double)(all->attention + all->dense_ffn), experts = (double)all->experts;
    if (layout->tp == 1 && layout->pp == 1 && layout->ep == 1)
        EXPLAIN(view->explainer,
                tr("{attention and FFN} + {routed experts} + {embedding and head} + {norms, "
                   "biases, routers}"),
                view->params.total, N_("parameters"), matrices, experts, ends, small);
    else
        EXPLAIN(view->explainer,
                tr("({attention and FFN} / {pipeline stages} + {embedding and head of the stage}) "
                   "/ {tensor ranks} + "
                   "{routed experts} / ({pipeline stages} x {expert ranks}) + {norms, biases, "
                   "routers} / {pipeline stages}"),
                view->params.total, N_("parameters"), matrices, layout->pp, ends, layout->tp,
                experts, layout->pp, expert_shards(layout), small, layout->pp);
}

/* `bytes` for each parameter of the stage, split by ZeRO or not. */
static void explain_kept(const struct view *view, double bytes, bool split, double result)
{
    const struct stage_params *params = &view->params;
    bool mixed = params->experts > 0 && view->expert_copies != view->copies;
    if (!split || (view->copies == 1 && !mixed))
        EXPLAIN(view->explainer, tr("{parameters of this GPU} x {bytes each} / 2^30"),
                GIB_OF(result), "GiB", params->total, bytes);
    else if (!mixed)
        EXPLAIN(view->explainer,
                tr("{parameters of this GPU} x {bytes each} / {GPUs that split it} / 2^30"),
                GIB_OF(result), "GiB", params->total, bytes, view->copies);
    else
        EXPLAIN(view->explainer,
                tr("({all but experts} / {GPUs that split it} + {routed experts} / {GPUs that "
                   "split them}) x {bytes each} / 2^30"),
                GIB_OF(result), "GiB", params->sharded + params->replicated, view->copies,
                params->experts, view->expert_copies, bytes);
}

static double units_of(const struct view *view, bool split)
{
    const struct stage_params *params = &view->params;
    if (!split)
        return params->total;
    return (params->sharded + params->replicated) / view->copies +
           params->experts / view->expert_copies;
}

static void say_offloaded(const struct view *view)
{
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Kept in the memory of the machine: the GPU holds none of it for long."));
}

/* ---- full training -------------------------------------------------------------------------- */

static void zero_source(const struct view *view)
{
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("ZeRO, arXiv 1910.02054, section 3.1: 16-bit weights 2 bytes, gradients 2, and "
                   "4 + 4 + 4 for the 32-bit copy and Adam's two averages."));
}

static void full_weights(const struct view *view, struct parameter_bytes bytes)
{
    explain_params(view);
    explain_kept(view, bytes.weights, view->layout->zero >= 3, view->stage.states.weights);
    zero_source(view);
}

static void full_gradients(const struct view *view, struct parameter_bytes bytes)
{
    double result = view->stage.states.gradients;
    bool split = view->layout->zero >= 2;
    if (view->job->optimizer_in_backward || view->job->optimizer == OPTIMIZER_LOMO) {
        EXPLAIN(view->explainer, tr("{elements of the largest tensor} x {bytes each} / 2^30"),
                GIB_OF(result), "GiB", result / bytes.weights, bytes.weights);
        explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                    tr("LOMO, arXiv 2306.09782, table 1: the step is taken inside the backward "
                       "pass, so that one gradient lives at a time."));
        return;
    }
    explain_kept(view, result / units_of(view, split), split, result);
    explain_say(
        view->explainer, EXPLAIN_ASSUMED,
        tr("%g bytes each: what %s keeps in this precision (data/engine.yaml, gradient_bytes)."),
        bytes.gradients, stack_names[view->job->stack]);
    zero_source(view);
}

static void full_optimizer(const struct view *view, struct parameter_bytes bytes)
{
    double result = view->stage.states.optimizer;
    bool split = view->layout->zero >= 1;
    double each = result / units_of(view, split);
    explain_kept(view, each, split, result);
    if (bytes.master > 0)
        EXPLAIN_DETAIL(view->explainer, tr("{32-bit copy of a weight} + {states of the optimizer}"),
                       each, N_("bytes"), bytes.master, each - bytes.master);
    explain_say(view->explainer, EXPLAIN_ASSUMED,
                tr("optimizer=%s: adamw keeps 12 bytes a parameter in mixed precision, adamw-8bit "
                   "about 6, adafactor about 4."),
                optimizer_names[view->job->optimizer]);
    zero_source(view);
}

/* ---- adapters ------------------------------------------------------------------------------- */

static void frozen_weights(const struct view *view)
{
    const struct stage_params *params = &view->params;
    const struct weight_format *format = view->job->weights;
    double plain = view->job->precision == PRECISION_FP32 ? 4 : 2,
           result = view->stage.states.weights;
    double stored = format->quantised ? stored_bytes_per_weight(format) : plain;
    double ends = params->ends + params->replicated, block = params->sharded - params->ends;
    double rest = block * (format->quantised && format->experts_only ? plain : stored);
    double whole = rest + params->experts * stored + ends * plain, split = round(whole / result);
    explain_params(view);
    EXPLAIN(view->explainer,
            tr("({block matrices} x {bytes each} + {embedding, head, norms} x {bytes each}) / "
               "{GPUs that split it} / 2^30"),
            GIB_OF(result), "GiB", block + params->experts,
            (rest + params->experts * stored) / (block + params->experts), ends, plain, split);
    if (!format->quantised)
        return;
    char now[UNITS_TEXT], before[UNITS_TEXT];
    explain_say(
        view->explainer, EXPLAIN_TEXT,
        tr("Memory: %s instead of %s GiB with 16 bits. Embedding, head and norms stay at 16 bits."),
        units_gib(GIB_OF(result), now), units_gib(GIB_OF(params->total * 2 / split), before));
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Speed: no gain. The weights are turned back to 16 bits before each product; "
                   "see dequantisation."));
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("QLoRA, arXiv 2305.14314, section 3; ZeRO-3 of DeepSpeed does not split packed "
                   "weights (axolotl issues 1129, 1717), FSDP does (Answer.AI fsdp_qlora)."));
}

static double adapter_params(const struct view *view)
{
    const struct job *job = view->job;
    return (double)model_lora_params(job->model, job->lora_targets, job->lora_rank) /
           view->layout->pp / view->layout->tp;
}

static void adapter_part(const struct view *view, double result, bool split)
{
    double adapters = adapter_params(view),
           ends = view->job->train_embeddings ? view->params.ends : 0;
    double trained = adapters + ends, ranks = split ? view->copies : 1;
    if (trained <= 0)
        return;
    EXPLAIN(view->explainer,
            tr("{trained parameters} x {bytes each} / {GPUs that split it} / 2^30"), GIB_OF(result),
            "GiB", trained, result * ranks / trained, ranks);
    explain_say(view->explainer, EXPLAIN_TEXT,
                tr("Rank %d on the chosen modules: rank x (inputs + outputs) for each matrix."),
                view->job->lora_rank);
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("LoRA, arXiv 2106.09685, section 4; PEFT keeps adapters in 32 bits unless all "
                   "is pure bf16."));
}

/* ---- activations and what comes with them --------------------------------------------------- */

static void say_layer(const struct view *view)
{
    const struct job *job = view->job;
    const struct model *model = job->model;
    double h = model->hidden_size, q = (double)model->heads * model->head_dim;
    double kv = (double)model->kv_heads * model->head_dim, f = model->ffn_size;
    double kept = view->stage.activations.kept_bytes;
    double norm = model->ffn_gated ? view->stack->norm_bytes : 0;
    switch (view->layout->recompute) {
    case RECOMPUTE_FULL:
        EXPLAIN_DETAIL(view->explainer, tr("{bytes} x {hidden size}"), kept, N_("bytes"), 2, h);
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("Recomputation keeps the input of each layer only and works the rest out "
                       "again: about a third more computing."));
        break;
    case RECOMPUTE_SELECTIVE:
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("Selective recomputation keeps a part of each layer (data/engine.yaml, "
                       "selective_share)."));
        break;
    case RECOMPUTE_NONE:
        EXPLAIN_DETAIL(view->explainer,
                       tr("{8 and what norms keep} x {hidden size} + 4 x {queries} + 4 x {keys or "
                          "values} + 8 x {FFN size}"),
                       kept, N_("bytes"), 8 + norm, h, q, kv, f);
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("Nothing is worked out again: all of a layer is kept. recompute=full keeps "
                       "2 bytes a token, layer and hidden element."));
        break;
    }
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s",
                tr("Korthikanti et al. 2022, arXiv 2205.05198, section 4.1 and table 2, rewritten "
                   "for grouped queries and gated FFNs."));
}

static void explain_activations(const struct view *view, double result_gib)
{
    const struct activations *parts = &view->stage.activations;
    EXPLAIN(view->explainer,
            tr("{tokens of a micro-batch} x {layers kept} x {bytes of a token and layer} / 2^30"),
            result_gib, "GiB", parts->tokens, parts->layer_tokens / parts->tokens,
            parts->kept_bytes);
    EXPLAIN(view->explainer, tr("{sequences} x {length} / {context ranks}"), parts->tokens,
            N_("tokens"), view->layout->micro_batch, view->job->seq_len, view->layout->cp);
    double held = parts->layer_tokens / parts->tokens * view->layout->pp / view->job->model->layers;
    if (view->layout->pp > 1 && view->layout->offload != OFFLOAD_ACTIVATIONS)
        explain_say(
            view->explainer, EXPLAIN_TEXT,
            tr("This pipeline stage has %d layers and %.3g micro-batches in flight at once."),
            view->job->model->layers / view->layout->pp, held);
    say_layer(view);
    explain_say(view->explainer, EXPLAIN_ASSUMED, "%s",
                keeps_no_scores(view->explainer->hardware, view->layout)
                    ? tr("FlashAttention: no scores of length x length are kept.")
                    : tr("No FlashAttention on this card or in this job: 5 bytes for each head and "
                         "pair of tokens are kept."));
}

static void explain_logits(const struct view *view, double result_gib)
{
    const struct activations *parts = &view->stage.activations;
    if (result_gib <= 0) {
        explain_say(
            view->explainer, EXPLAIN_TEXT,
            tr("Not there at the highest moment of this job. At the loss they take %.2f GiB."),
            GIB_OF(parts->logits));
        return;
    }
    EXPLAIN(view->explainer,
            tr("{tokens of a micro-batch} x {vocabulary} / {tensor ranks} x {bytes each} / 2^30"),
            result_gib, "GiB", parts->tokens, view->job->model->vocab_size, view->layout->tp,
            parts->loss_bytes);
    explain_say(view->explainer, EXPLAIN_ASSUMED,
                tr("%.3g bytes for each score: copies that the loss of %s makes (data/engine.yaml, "
                   "logit_bytes)."),
                parts->loss_bytes, stack_names[view->job->stack]);
    if (!view->job->fused_loss)
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("A fused or chunked loss (fused_loss=yes) needs about a tenth."));
}

/* The buffers of the moment that decides. */
static void explain_buffers(const struct view *view, double result_gib)
{
    const struct memory *memory = view->explainer->memory;
    const struct train_stage *stage = &view->stage;
    const struct activations *parts = &stage->activations;
    if (memory->peaks_gib[PEAK_OPTIMIZER] >= memory->need_gib) {
        EXPLAIN(view->explainer, tr("{copy of the weights} + {buckets at the optimizer step}"),
                result_gib, "GiB", GIB_OF(stage->states.step_extra), GIB_OF(stage->step_bucket));
    } else {
        double live = parts->logits >= parts->live ? 0 : parts->live;
        EXPLAIN(view->explainer,
                tr("{gathered layers} + {16-bit copies of packed weights} + {communication "
                   "buckets} + {layer being recomputed}"),
                result_gib, "GiB", GIB_OF(stage->gathered + parts->head_input),
                GIB_OF(stage->dequantised), GIB_OF(stage->bucket), GIB_OF(live));
        if (stage->gathered > 0 && view->stack->live_params_b > 0)
            explain_say(view->explainer, EXPLAIN_TEXT,
                        tr("DeepSpeed brings %.3g billion parameters together at most, beside the "
                           "matrix in use: on every GPU alike."),
                        view->stack->live_params_b);
        else if (stage->gathered > 0)
            explain_say(view->explainer, EXPLAIN_TEXT,
                        tr("ZeRO-3 and FSDP bring %.3g whole layers together at a time, with "
                           "embedding and head: on every GPU alike."),
                        view->stack->live_units);
    }
    explain_say(view->explainer, EXPLAIN_SOURCE,
                tr("data/engine.yaml: live_units, root_copies, bucket_gib, step_gib of %s."),
                stack_names[view->job->stack]);
}

static void explain_runtime(const struct view *view, double result_gib)
{
    const double *parts = view->explainer->memory->components_gib;
    double ratio = view->explainer->memory_ratio;
    EXPLAIN(view->explainer,
            tr("{CUDA context and communicators} + {allocator slack} x ({activations} + {logits} + "
               "{buffers})"),
            result_gib, "GiB", GIB_OF(view->stage.context), view->stage.slack,
            parts[COMPONENT_ACTIVATIONS] / ratio, parts[COMPONENT_LOGITS] / ratio,
            parts[COMPONENT_BUFFERS] / ratio);
    explain_say(view->explainer, EXPLAIN_ASSUMED,
                tr("Slack of %.0f %% and context as measured for %s (data/engine.yaml: slack, "
                   "context_gib)."),
                view->stage.slack * 100, stack_names[view->job->stack]);
}

static void explain_state(const struct view *view, int component)
{
    const struct model_states *states = &view->stage.states;
    bool lora = view->job->workload == WORKLOAD_LORA;
    struct parameter_bytes bytes =
        parameter_bytes(view->job->precision, view->job->optimizer, view->stack->gradient_bytes);
    const double held[] = {states->weights, states->adapter, states->gradients, states->optimizer};
    if (held[component] <= 0 && (component != COMPONENT_ADAPTER || lora)) {
        say_offloaded(view);
        return;
    }
    switch (component) {
    case COMPONENT_WEIGHTS:
        lora ? frozen_weights(view) : full_weights(view, bytes);
        break;
    case COMPONENT_ADAPTER:
        if (lora)
            adapter_part(view, states->adapter, view->layout->zero >= 3);
        else
            explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                        tr("All weights are trained: there is no adapter."));
        break;
    case COMPONENT_GRADIENTS:
        lora ? adapter_part(view, states->gradients, view->layout->zero >= 2)
             : full_gradients(view, bytes);
        break;
    default:
        lora ? adapter_part(view, states->optimizer, view->layout->zero >= 1)
             : full_optimizer(view, bytes);
    }
}

void explain_train_component(struct explainer *explainer, int component)
{
    struct view view = view_of(explainer);
    double own = component >= COMPONENT_ACTIVATIONS ? explainer->memory_ratio : 1;
    double result = explainer->memory->components_gib[component] / own;
    switch (component) {
    case COMPONENT_ACTIVATIONS:
        if (result > 0)
            explain_activations(&view, result);
        else
            explain_say(explainer, EXPLAIN_TEXT, "%s",
                        tr("The highest moment is another one, when none are held."));
        break;
    case COMPONENT_LOGITS:
        explain_logits(&view, result);
        break;
    case COMPONENT_KV_CACHE:
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Training keeps no cache: all tokens of a sequence pass at once."));
        break;
    case COMPONENT_BUFFERS:
        explain_buffers(&view, result);
        break;
    case COMPONENT_RUNTIME:
        explain_runtime(&view, result);
        break;
    default:
        if (explainer->memory->components_gib[component] <= 0 && component != COMPONENT_ADAPTER &&
            view.layout->offload == OFFLOAD_NONE)
            explain_say(explainer, EXPLAIN_TEXT, "%s",
                        tr("The highest moment is another one, when none are held."));
        else
            explain_state(&view, component);
    }
    if (result > 0)
        explain_own_run(explainer, result, own, "GiB");
}
