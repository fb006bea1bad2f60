/* explain_speed.c - the parts of a training step and of a decode step. */
#include "engine/explain_internal.h"

#include <math.h>
#include "base/i18n.h"
#include "engine/activations.h"
#include "engine/comm.h"
#include "engine/serving.h"
#include "engine/train_step.h"

/* A training step and the figures on the way to it. */
struct view {
    struct explainer *explainer;
    struct train_step step;
    struct train_notes notes;
    double terms_s[TERM_COUNT]; /* before the user's own run is applied */
    double m;                   /* micro-batches */
};

static void source(const struct view *view, const char *text)
{
    explain_say(view->explainer, EXPLAIN_SOURCE, "%s", text);
}

/* ---- compute -------------------------------------------------------------------------------- */

static void explain_gemm(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    double weights =
        step->shape.dense_weights + step->shape.expert_weights / step->global->moe_gemm;
    EXPLAIN(
        view->explainer,
        tr("2 x {tokens of a micro-batch} x {layers of a stage} / {tensor ranks} x ({weights of a "
           "layer} x {passes} + {adapter weights} x {passes}) / {FLOP/s} x {micro-batches}"),
        result, "s", step->tokens, step->layers, step->layout->tp, weights, step->passes,
        step->shape.adapter_weights, 3 + step->repeated, step->layer_gemm, view->m);
    EXPLAIN_DETAIL(view->explainer,
                   tr("{peak of the card} x {share that large products reach} x {tokens} / "
                      "({tokens} + {tokens at half the rate})"),
                   step->layer_gemm, N_("FLOP/s"), step->peak,
                   speed_gemm_share(step->hardware->gpu, step->constants), step->tokens,
                   step->tokens, step->global->half_tokens);
    explain_say(view->explainer, EXPLAIN_TEXT,
                tr("%.2g passes: one forward, one or two backward (frozen weights need one), and "
                   "what recomputation repeats."),
                step->passes);
    source(view, tr("2 FLOPs for each weight, token and pass: Narayanan et al. 2021, arXiv "
                    "2104.04473, appendix; LoRA: arXiv 2106.09685. Shares: data/engine.yaml, gemm, "
                    "tflops_per_watt, half_tokens."));
}

static void explain_head(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    const struct layout *layout = step->layout;
    bool trained = step->weight_gradients > 0 || step->job->train_embeddings;
    double bytes = step->global->logit_traffic * (step->job->fused_loss ? 1.0 / 3 : 1) *
                   step->job->model->vocab_size;
    double share = layout->pp > 1 && step->job->model->layers % layout->pp != 0 ? layout->pp : 1;
    EXPLAIN(view->explainer,
            tr("{tokens of a micro-batch} / {tensor ranks} x (2 x {vocabulary x hidden size} x "
               "{passes} / {FLOP/s} + {bytes of scores} / {bytes/s of memory}) / {stages that even "
               "it out} x {micro-batches}"),
            result, "s", step->tokens, layout->tp, step->shape.head_weights, trained ? 3 : 2,
            step->gemm, bytes, step->memory, share, view->m);
    source(view, tr("data/engine.yaml, logit_traffic: bytes that the loss moves for each score."));
}

static void explain_attention(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    const struct gpu *gpu = step->hardware->gpu;
    double split = (double)step->layout->tp * step->layout->pp;
    if (!keeps_no_scores(step->hardware, step->layout)) {
        double again = step->layout->recompute == RECOMPUTE_NONE ? 3 : 4;
        EXPLAIN(view->explainer,
                tr("{tokens of a micro-batch} / {tensor and pipeline ranks} x (2 x {FLOPs of a "
                   "token} x {passes} / {FLOP/s} + {bytes of its scores} / {bytes/s of memory}) x "
                   "{micro-batches}"),
                result, "s", step->tokens, split, step->shape.score_flops, again,
                step->peak * step->global->eager_attention,
                step->global->score_traffic * step->shape.score_elements, step->memory, view->m);
        explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                    tr("Without FlashAttention (it needs Ampere or newer) every score passes "
                       "through memory, and both triangles are computed."));
        return;
    }
    double kernel =
        gpu->arch >= ARCH_HOPPER ? step->stack->attention_hopper : step->stack->attention_ampere;
    double derated = speed_gemm_share(gpu, step->constants) / step->constants->arch[gpu->arch].gemm;
    EXPLAIN(view->explainer,
            tr("{tokens of a micro-batch} / {tensor and pipeline ranks} x {FLOPs of a token} x "
               "{passes} / {FLOP/s} x {micro-batches}"),
            result, "s", step->tokens, split, step->shape.score_flops,
            step->layout->recompute == RECOMPUTE_FULL ? 4.5 : 3.5, step->peak * kernel * derated,
            view->m);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("The FLOPs of a token grow with the length: twice the length is twice the "
                   "attention for each token."));
    source(view, tr("FlashAttention-2, arXiv 2307.08691, section 3.1: 1 forward, 2.5 backward, 1 "
                    "more when recomputed."));
}

static void explain_elementwise(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    double passed = step->tokens * step->layers * step->passes / 3 * view->m;
    EXPLAIN(view->explainer,
            tr("{tokens of a micro-batch} x {layers of a stage} x {passes} / 3 x {bytes moved for "
               "a token and layer} / {bytes/s of memory} x {micro-batches}"),
            result, "s", step->tokens, step->layers, step->passes, result * step->memory / passed,
            step->memory, view->m);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Bound by memory bandwidth, not by computing."));
    source(view, tr("data/engine.yaml, elementwise_bytes and achieved_bandwidth, fitted."));
}

static void explain_dequant(const struct view *view, double result)
{
    double hidden = view->step.global->dequant_overlap;
    EXPLAIN(view->explainer,
            tr("((1 - {share that can hide}) x {dequantising} + sqrt({other work}^2 + ({share that "
               "can hide} x {dequantising})^2) - {other work}) x {micro-batches}"),
            result, "s", hidden, view->notes.dequant_s, view->notes.busy_s, hidden,
            view->notes.dequant_s, view->notes.busy_s, view->m);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Quantised weights save memory, not time: each is turned back to 16 bits before "
                   "every product. That is why 4-bit training is slower."));
    source(view, tr("QLoRA, arXiv 2305.14314, equation 5."));
}

static void explain_host(const struct view *view, double result)
{
    EXPLAIN(view->explainer,
            tr("(({work on the GPU}^4 + {Python and launches}^4)^0.25 - {work on the GPU}) x "
               "{micro-batches}"),
            result, "s", view->notes.device_s, view->notes.host_s, view->notes.device_s, view->m);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("The CPU runs ahead while the GPU has more to do. Small micro-batches leave the "
                   "GPU waiting for it."));
}

/* ---- traffic -------------------------------------------------------------------------------- */

static void say_link(const struct view *view)
{
    const struct hardware *hardware = view->step.hardware;
    double link = comm_link_bytes_per_s(hardware, view->step.constants) / 1e9;
    explain_say(view->explainer, EXPLAIN_TEXT,
                hardware->link == LINK_NVLINK
                    ? tr("Inside the machine: NVLink, %.0f GB/s reached in one direction.")
                    : tr("Inside the machine: PCIe, %.0f GB/s reached in one direction. Without "
                         "NVLink tensor parallelism over many cards can cost more than it gains."),
                link);
    if (hardware->nodes > 1)
        explain_say(view->explainer, EXPLAIN_TEXT,
                    hardware->rdma ? tr("Between machines: RDMA, %.1f GB/s for a whole machine.")
                                   : tr("Between machines: TCP, %.1f GB/s for a whole machine. One "
                                        "machine is often faster than two."),
                    comm_network_bytes_per_s(hardware, view->step.constants) / 1e9);
}

static void explain_tensor(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    double n = step->layout->tp;
    if (step->layout->cp > 1)
        EXPLAIN(view->explainer,
                tr("{all-reduces, and the ring of keys and values, not hidden} x {micro-batches}"),
                result, "s", result / view->m, view->m);
    else
        EXPLAIN(view->explainer,
                tr("{all-reduces of a layer} x {layers of a stage} x 2 x ({ranks} - 1) / {ranks} x "
                   "{tokens of a micro-batch} x {hidden size} x {bytes of an element} / {bytes/s} x "
                   "{share not hidden} x {micro-batches}"),
                result, "s", step->repeated >= 1 ? 6 : 4, step->layers, n, n, step->tokens,
                step->job->model->hidden_size, step->element_bytes, step->link,
                1 - step->stack->tp_overlap, view->m);
    say_link(view);
    source(view, tr("Megatron-LM, arXiv 1909.08053, section 3: two all-reduces forward, two "
                    "backward, two more when recomputed."));
}

static void explain_exchange(const struct view *view, double result)
{
    EXPLAIN(view->explainer, tr("{exchange of a micro-batch, not hidden} x {micro-batches}"),
            result, "s", result / view->m, view->m);
    say_link(view);
    source(view, tr("GShard, arXiv 2006.16668: each token goes to its experts and back, forward "
                    "and backward."));
}

static void explain_bubble(const struct view *view, double result)
{
    const struct layout *layout = view->step.layout;
    double chunks = layout->vp > 1 ? layout->vp : 1;
    double bubble = view->notes.micro_batch_s * (layout->pp - 1) / chunks;
    EXPLAIN(
        view->explainer,
        tr("{a micro-batch} x ({stages} - 1) / {chunks of a stage} + {transfers between stages}"),
        result, "s", view->notes.micro_batch_s, layout->pp, chunks, result - bubble);
    explain_say(
        view->explainer, EXPLAIN_TEXT,
        tr("%d micro-batches share the bubble: more of them make it a smaller part of the step."),
        layout->micro_batches);
    source(view, tr("Narayanan et al. 2021, arXiv 2104.04473, section 2.2."));
}

static void explain_data_parallel(const struct view *view, double result)
{
    const struct train_notes *notes = &view->notes;
    double overlap = view->step.stack->overlap, compute = notes->micro_batch_s * view->m;
    EXPLAIN(view->explainer,
            tr("(1 - {share that can hide}) x {traffic} + sqrt({computing}^2 + ({share that can "
               "hide} x {traffic})^2) - {computing}"),
            result, "s", overlap, notes->sent_s, compute, overlap, notes->sent_s, compute);
    EXPLAIN(view->explainer, tr("{bytes to be exchanged} / {bytes/s reached}"), notes->sent_s, "s",
            notes->sent_bytes, notes->sent_bytes / notes->sent_s);
    explain_say(view->explainer, EXPLAIN_TEXT,
                view->step.layout->zero >= 3
                    ? tr("ZeRO-3 gathers all weights twice in each micro-batch: less memory for "
                         "more traffic.")
                    : tr("Gradients are reduced over all data-parallel GPUs; weights are copied, "
                         "or gathered once a step."));
    say_link(view);
    source(view,
           tr("ZeRO, arXiv 1910.02054, section 7; ring over n ranks: Patarasuk and Yuan 2009."));
}

static void explain_waiting(const struct view *view, double result)
{
    const struct train_notes *notes = &view->notes;
    EXPLAIN(view->explainer,
            tr("{latency of the collectives} + {rest of the step} x {share lost to waiting}"),
            result, "s", notes->collectives_s, notes->before_s, notes->slower);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Machines wait for the slowest of them; over TCP also for the CPU."));
    source(view, tr("data/engine.yaml: collective_s, straggler, tcp_slowdown, fitted."));
}

/* ---- once a step ---------------------------------------------------------------------------- */

static void explain_optimizer(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    EXPLAIN(view->explainer,
            tr("{parameters this GPU updates} x ({bytes moved for each} / {bytes/s of memory} + {s "
               "for each})"),
            result, "s", view->notes.stepped_params, view->notes.step_bytes,
            step->memory / step->global->achieved_bandwidth, step->stack->optimizer_s / 1e9);
    explain_say(view->explainer, EXPLAIN_TEXT, "%s",
                tr("Once a step, however many micro-batches there are."));
}

static void explain_offload(const struct view *view, double result)
{
    const struct train_step *step = &view->step;
    double link = comm_host_bytes_per_s(step->hardware, step->constants),
           n = view->notes.stepped_params;
    if (!EXPLAIN_DETAIL(view->explainer,
                        tr("{parameters this GPU updates} x (4 / {bytes/s to the host} + {GPUs of "
                           "a machine} x {s for each on the CPU})"),
                        result, "s", n, link, step->hardware->gpus_per_node,
                        step->global->cpu_adam_s / 1e9))
        EXPLAIN(view->explainer, tr("{transfers and work on the CPU that nothing hides}"), result,
                "s", result);
    source(view, tr("ZeRO-Offload, arXiv 2101.06840; ZeRO-Infinity, arXiv 2104.07857."));
}

static void explain_train_term(struct explainer *explainer, int term)
{
    static void (*const fill[TERM_COUNT])(const struct view *, double) = {
        [TERM_GEMM] = explain_gemm,           [TERM_HEAD] = explain_head,
        [TERM_ATTENTION] = explain_attention, [TERM_ELEMENTWISE] = explain_elementwise,
        [TERM_DEQUANT] = explain_dequant,     [TERM_HOST] = explain_host,
        [TERM_TP] = explain_tensor,           [TERM_EXPERTS] = explain_exchange,
        [TERM_BUBBLE] = explain_bubble,       [TERM_DATA_PARALLEL] = explain_data_parallel,
        [TERM_OPTIMIZER] = explain_optimizer, [TERM_LATENCY] = explain_waiting,
        [TERM_OFFLOAD] = explain_offload};
    struct view view = {.explainer = explainer,
                        .m = explainer->layout->micro_batches,
                        .step = train_step_begin(&explainer->job, explainer->hardware,
                                                 explainer->layout, explainer->constants)};
    train_terms(&view.step, view.terms_s, &view.notes);
    fill[term](&view, view.terms_s[term]);
    explain_own_run(explainer, view.terms_s[term], 1 / explainer->speed_ratio, "s");
}

/* ---- a decode step -------------------------------------------------------------------------- */

static void explain_serving_term(struct explainer *explainer, int term)
{
    const struct job *job = &explainer->job;
    const struct layout *layout = explainer->layout;
    struct serving serving = serving_on(job, explainer->hardware, layout, explainer->constants);
    double result = explainer->speed->terms_s[term] * explainer->speed_ratio,
           batch = explainer->speed->batch;
    double at_once = engine_rules[job->engine].layer_split ? batch : fmax(1, batch / layout->pp);
    const char *engine = engine_names[job->engine];
    switch (term) {
    case TERM_READ_WEIGHTS:
        EXPLAIN(explainer, tr("{bytes of weights read} / {tensor ranks} / {bytes/s reached}"),
                result, "s", serving_read_bytes(job, at_once), layout->tp, serving.weight_rate);
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("Each step reads the weights once for all sequences: more users cost little "
                       "until computing or the cache takes over. Fewer bits are fewer bytes: this "
                       "is where quantisation is faster."));
        explain_say(
            explainer, EXPLAIN_ASSUMED,
            tr("Bandwidth that %s reaches: data/engine.yaml, bandwidth and sm_bytes, fitted."),
            engine);
        break;
    case TERM_READ_KV:
        EXPLAIN(explainer, tr("{bytes of cache read} / {bytes/s reached}"), result, "s",
                result * serving_cache_rate(&serving, at_once),
                serving_cache_rate(&serving, at_once));
        explain_say(explainer, EXPLAIN_TEXT, tr("%.3g sequences, half of the answer written."),
                    at_once);
        break;
    case TERM_GEMM:
        EXPLAIN(explainer,
                tr("2 x {active parameters} x {sequences} / {tensor ranks} x {s for a FLOP of "
                   "prefill} / {share of its rate in thin batches}"),
                result, "s", (double)job->params.matmul_active, at_once, layout->tp, serving.flop_s,
                explainer->constants->serving.batch_gemm);
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("This batch is so large that computing takes longer than reading the "
                       "weights. Quantised weights no longer help."));
        break;
    case TERM_DEQUANT:
        EXPLAIN(explainer, tr("{time to bring the weights to 16 bits}"), result, "s", result);
        explain_say(explainer, EXPLAIN_TEXT, "%s",
                    tr("NF4 weights are written out at 16 bits and read again: smaller, but "
                       "slower. AWQ and GPTQ kernels do not do that."));
        break;
    case TERM_TP:
        EXPLAIN(explainer,
                tr("{latency of the all-reduces} + {time for each sequence} x {sequences}"), result,
                "s", serving.allreduce_s, (result - serving.allreduce_s) / at_once, at_once);
        explain_say(explainer, EXPLAIN_TEXT,
                    explainer->hardware->link == LINK_NVLINK
                        ? tr("Two all-reduces a layer, over NVLink.")
                        : tr("Two all-reduces a layer, over PCIe: from some number of cards on "
                             "they cost more than the cards save."));
        break;
    case TERM_HOST:
        EXPLAIN(explainer, tr("{Python and launches that nothing hides}"), result, "s", result);
        explain_say(explainer, EXPLAIN_ASSUMED,
                    tr("Fixed part of a step and part of each layer of %s: data/engine.yaml, "
                       "step_s and layer_s."),
                    engine);
        break;
    default:
        EXPLAIN(explainer, tr("{hops between pipeline stages}"), result, "s", result);
    }
    explain_own_run(explainer, result, 1 / explainer->speed_ratio, "s");
}

static const char *why_none(const struct explainer *explainer, int term)
{
    static const struct {
        int term;
        const char *text;
    } reasons[] = {
        {TERM_TP, N_("Nothing: there is no tensor parallelism here.")},
        {TERM_EXPERTS, N_("Nothing: experts are not spread over GPUs here.")},
        {TERM_BUBBLE, N_("Nothing: there is one pipeline stage.")},
        {TERM_DATA_PARALLEL, N_("Nothing: no two GPUs hold the same weights.")},
        {TERM_LATENCY, N_("Nothing: all in one machine.")},
        {TERM_OFFLOAD, N_("Nothing: all stays on the GPUs.")},
        {TERM_DEQUANT, N_("Nothing: the weights are computed with as they are stored.")},
        {TERM_OPTIMIZER, N_("Nothing: no optimizer step runs on the GPUs.")},
    };
    if (isnan(explainer->speed->terms_s[term]))
        return tr("Not modelled: no rates are published for this card.");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].term == term)
            return tr(reasons[i].text);
    return tr("Nothing: not a part of this kind of work.");
}

void explain_term(struct explainer *explainer, int term)
{
    double value = explainer->speed->terms_s[term];
    explain_set_figure(explainer, value, "s");
    if (isnan(value) || value == 0) {
        explain_say(explainer, EXPLAIN_TEXT, "%s", why_none(explainer, term));
        return;
    }
    if (explainer->job.workload == WORKLOAD_INFERENCE)
        explain_serving_term(explainer, term);
    else
        explain_train_term(explainer, term);
    if (term == TERM_TP || term == TERM_LATENCY || term == TERM_DATA_PARALLEL)
        explain_fewer(explainer);
    char share[EXPLAIN_FIGURE];
    explain_say(explainer, EXPLAIN_TEXT, tr("%s of the step."),
                explain_figure(value / explainer->speed->step_s, "%", share));
}
