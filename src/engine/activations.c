#include "engine/activations.h"

#include <math.h>

#include "engine/model_states.h"

bool keeps_no_scores(const struct hardware *hardware, const struct layout *layout)
{
    enum gpu_arch arch = hardware->gpu->arch;
    return layout->flash_attention && arch >= ARCH_AMPERE && arch != ARCH_OTHER;
}

/* ---- one layer ----------------------------------------------------------------------------- */

/* Widths of the average layer: what attention and FFN hold of a token, in elements. */
struct widths {
    double query, key, value, output, latent, ffn;
};

static struct widths widths(const struct model *model)
{
    double heads = model->heads, dim = model->head_dim;
    struct widths w = {.query = heads * dim,
                       .key = model->kv_heads * dim,
                       .value = model->kv_heads * dim,
                       .output = heads * dim};
    if (model->attention.kv_lora_rank > 0) {
        /* multi-head latent attention: keys and values are expanded to all heads */
        w.query = w.key =
            heads * (model->attention.qk_nope_head_dim + model->attention.qk_rope_head_dim);
        w.value = w.output = heads * model->attention.v_head_dim;
        w.latent = model->attention.q_lora_rank + model->attention.kv_lora_rank;
    }
    double routed = (double)model->moe.top_k * model->moe.ffn_size + model->moe.shared_ffn_size;
    w.ffn = ((double)model_dense_layers(model) * model->ffn_size +
             model_moe_layers(model) * routed) / model->layers;
    return w;
}

/* Pretraining code of GPT-2's line (LayerNorm-era blocks, a plain FFN) drops out after attention
 * and FFN: two masks of one byte per element. Llama's line has no dropout, nor have the recipes of
 * llm-foundry (resid_pdrop: 0) and torchtitan. */
static bool has_dropout(const struct job *job)
{
    bool recipe = job->stack != STACK_FSDP && job->stack != STACK_TORCHTITAN;
    return job->workload == WORKLOAD_PRETRAIN && recipe && !job->model->ffn_gated;
}

/* Llama's line has RMSNorm, worked out in 32 bits, and rotary embeddings, which some stacks keep
 * intermediate results of; GPT-2's line has neither. */
static bool has_wide_norms(const struct model *model)
{
    return model->ffn_gated;
}

/* Korthikanti et al. 2022 (arXiv 2205.05198), section 4.1 and table 2, written for grouped queries
 * and gated FFNs, 16-bit elements, per token:
 *   whole    4h   inputs of the two norms            split    2q   queries
 *            4h   inputs of the first linear layers           4k   keys and values
 *            2h   dropout masks, where there are any          2q   attention output
 *                                                             8f   gate, up, activation, product
 *                                                                  (4f without a gate)
 * With q = k = h, f = 4h, no gate and dropout: 34h, as the paper has it. */
static struct layer_activations trained_layer(const struct job *job,
                                              const struct stack_constants *constants,
                                              const struct widths *w)
{
    double h = job->model->hidden_size,
           norm = has_wide_norms(job->model) ? constants->norm_bytes : 0;
    return (struct layer_activations){.whole = (8 + norm + (has_dropout(job) ? 2 : 0)) * h,
                                      .split = 2 * w->query + 2 * w->key + 2 * w->value +
                                               2 * w->output + 4 * w->latent +
                                               (job->model->ffn_gated ? 8 : 4) * w->ffn};
}

/* Under LoRA a frozen linear layer needs no saved input; an adapted one keeps its input once
 * (shared by the layers that read it) and, for each adapter, the copy after dropout. Quantised
 * weights keep more: bitsandbytes saves inputs for all of its linear layers. */
static struct layer_activations adapted_layer(const struct job *job,
                                              const struct stack_constants *constants,
                                              const struct widths *w)
{
    double h = job->model->hidden_size, q = w->output, f = w->ffn;
    unsigned targets = job->lora_targets;
    bool gated = job->model->ffn_gated;
    struct layer_activations layer = trained_layer(job, constants, w);
    layer.whole -= 4 * h;
    layer.split -= 2 * f; /* the product is an input only */
    double whole_inputs = 0, split_inputs = 0, adapters_whole = 0, adapters_split = 0;
    const struct {
        unsigned module;
        bool exists;
    } on_hidden[] = {
        {LORA_Q, true}, {LORA_K, true}, {LORA_V, true}, {LORA_GATE, gated}, {LORA_UP, true}};
    for (size_t i = 0; i < sizeof on_hidden / sizeof *on_hidden; i++)
        if (on_hidden[i].exists && (targets & on_hidden[i].module))
            adapters_whole += h;
    whole_inputs += targets & (LORA_Q | LORA_K | LORA_V) ? h : 0;
    whole_inputs += targets & (LORA_GATE | LORA_UP) ? h : 0;
    if (targets & LORA_O)
        split_inputs += q, adapters_split += q;
    if (targets & LORA_DOWN)
        split_inputs += f, adapters_split += f;
    double saved = job->weights->quantised ? constants->dequant_saved_bytes : 0;
    layer.whole += 2 * whole_inputs + constants->adapter_input_bytes * adapters_whole + saved * h;
    layer.split += 2 * split_inputs + constants->adapter_input_bytes * adapters_split + saved * f;
    return layer;
}

/* Megatron-core's fused SwiGLU (fused_bias_swiglu.py) keeps gate and up and works the activation
 * out again. */
static bool fuses_swiglu(const struct job *job)
{
    return job->model->ffn_gated && (job->stack == STACK_NEMO || job->stack == STACK_MEGATRON);
}

/* Transformer Engine (its FP8 primer) keeps the inputs of linear layers in one byte, the
 * projection's beside the 16-bit output that flash attention needs itself. torchtitan casts on the
 * fly and keeps 16 bits. Frozen layers keep no inputs. */
static void keep_in_fp8(const struct job *job, const struct widths *w,
                        struct layer_activations *layer)
{
    bool engine =
        job->stack == STACK_NEMO || job->stack == STACK_MEGATRON || job->stack == STACK_FSDP;
    if (job->precision != PRECISION_FP8_MIXED || !engine || job->workload == WORKLOAD_LORA)
        return;
    layer->whole -= 2.0 * job->model->hidden_size;
    layer->split += w->output - w->ffn;
}

/* Attention scores: softmax output 2, dropout mask 1 and dropout output 2 bytes for each head and
 * pair of tokens (Korthikanti et al. section 4.1: 5as); eager attention without dropout measures
 * the same (ms-swift benchmark, Qwen-7B with FlashAttention on and off: 5.0). */
static const double score_bytes = 5;

struct layer_activations layer_activations(const struct job *job, const struct constants *constants,
                                           bool flash, double seq_len)
{
    const struct stack_constants *stack = &constants->stack[job->stack];
    struct widths w = widths(job->model);
    struct layer_activations layer = job->workload == WORKLOAD_LORA ? adapted_layer(job, stack, &w)
                                                                    : trained_layer(job, stack, &w);
    if (fuses_swiglu(job))
        layer.split -= 2 * w.ffn;
    keep_in_fp8(job, &w, &layer);
    double share = job->compile ? stack->compile_share : 1;
    double wide = job->precision == PRECISION_FP32 ? 2 : 1; /* elements of 4 bytes */
    layer.whole *= share * wide;
    layer.split *= share * wide;
    layer.scores = flash ? 0 : score_bytes * wide * job->model->heads * seq_len;
    return layer;
}

/* Bytes of a token and layer that sequence parallelism does not split: Megatron gathers the inputs
 * of the first linear layers (4h) again in the backward pass (Korthikanti et al. section 4.2.2);
 * with torch's DTensor, torchtitan's linear layers save them gathered. */
static double unsplit_inputs(const struct job *job, const struct layout *layout)
{
    bool keeps = job->stack == STACK_TORCHTITAN && job->workload != WORKLOAD_LORA;
    return keeps && layout->sp ? 4.0 * job->model->hidden_size : 0;
}

/* ---- a stage ------------------------------------------------------------------------------- */

/* Micro-batches whose activations stage `stage` holds at once, in units of its own layers: 1F1B
 * holds pp - stage; interleaving adds (pp - 1) / (pp vp) on the first stage (Korthikanti et al.
 * section 4.2.3). */
static double in_flight(const struct layout *layout, int stage)
{
    double held = fmin(layout->micro_batches, layout->pp - stage);
    if (layout->vp > 1 && layout->micro_batches >= layout->pp)
        held *= 1 + (layout->pp - 1.0) / ((double)layout->pp * layout->vp);
    return held;
}

/* Bytes per token and layer that stay until the backward pass. */
static struct layer_activations kept(const struct job *job, const struct layout *layout,
                                     const struct stack_constants *constants, bool flash,
                                     struct layer_activations layer)
{
    switch (layout->recompute) {
    case RECOMPUTE_FULL: /* the input of each layer: 2 sbh (Korthikanti et al. section 5) */
        return (struct layer_activations){.whole = 2.0 * job->model->hidden_size};
    case RECOMPUTE_SELECTIVE: /* without flash attention the scores are what is recomputed */
        if (flash) {
            layer.whole *= constants->selective_share;
            layer.split *= constants->selective_share;
        }
        layer.scores = 0;
        return layer;
    default:
        return layer;
    }
}

/* Bytes per token and vocabulary entry that the loss needs at its peak. Long caps are reached by
 * few samples of real data: on some stacks published figures grow less than the cap does, up to the
 * longest cap that was published; there they are near the 11 to 12 bytes of a loss that copies
 * nothing (trl pull request 6858), and no lower. */
static double loss_bytes(const struct job *job, const struct stack_constants *constants,
                         double seq_len)
{
    if (job->fused_loss)
        return constants->fused_logit_bytes;
    enum { USUAL_CAP = 2048, LONGEST_CAP = 8192 };
    double kappa = job->workload == WORKLOAD_PRETRAIN ? constants->pretrain_logit_bytes
                                                      : constants->logit_bytes;
    double cap = fmin(fmax(seq_len, USUAL_CAP), LONGEST_CAP);
    /* a GPTQ base in fp16 is fp16 throughout, the loss too: half of each 32-bit copy */
    bool half = job->workload == WORKLOAD_LORA && is_gptq(job->weights) &&
                job->precision == PRECISION_FP16_MIXED;
    return (half ? 0.5 : 1) * kappa * pow(cap / USUAL_CAP, -constants->length_exponent);
}

struct activations activations(const struct job *job, const struct hardware *hardware,
                               const struct layout *layout, const struct constants *all, int stage)
{
    const struct stack_constants *constants = &all->stack[job->stack];
    bool flash = keeps_no_scores(hardware, layout);
    double tokens = job->seq_len * layout->micro_batch / layout->cp, tp = layout->tp;
    double layers = (double)job->model->layers / layout->pp;
    double whole_share = layout->sp ? 1 / tp : 1; /* sequence parallelism */
    struct layer_activations layer = layer_activations(job, all, flash, job->seq_len);
    struct layer_activations keep = kept(job, layout, constants, flash, layer);
    struct activations result = {0};

    double held = tokens * layers * in_flight(layout, stage);
    if (layout->offload == OFFLOAD_ACTIVATIONS)
        held = tokens * 2; /* the layer in use and the one being fetched */
    result.tokens = tokens;
    result.layer_tokens = held;
    double inputs = unsplit_inputs(job, layout) * (1 - whole_share);
    result.layer_bytes = layer.whole * whole_share + inputs + (layer.split + layer.scores) / tp;
    result.kept_bytes = keep.whole * whole_share + (keep.split + keep.scores) / tp;
    if (layout->recompute != RECOMPUTE_FULL)
        result.kept_bytes += inputs * keep.whole / layer.whole;
    result.saved = held * result.kept_bytes;
    result.saved_copies = layout->sp || tp == 1 ? 0 : held * keep.whole;
    double again =
        result.layer_bytes - (layout->recompute == RECOMPUTE_FULL ? 0 : result.kept_bytes);
    result.live = tokens * constants->backward_share * again; /* of what is not kept */
    if (layout->recompute == RECOMPUTE_NONE)
        result.live = 0;
    if (stage == layout->pp - 1) {
        double entries = tokens * job->model->vocab_size / tp;
        result.loss_bytes = loss_bytes(job, constants, job->seq_len);
        result.logits = entries * result.loss_bytes;
        result.logits_longest = entries * loss_bytes(job, constants, 0);
        if (!job->fused_loss) /* input and its gradient, 2h each */
            result.head_input = tokens * unsplit_inputs(job, layout) * (1 - whole_share);
    }
    return result;
}
