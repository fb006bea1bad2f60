#include "engine/model_states.h"

#include <math.h>
#include <string.h>

enum {
    GALORE_RANK = 128, /* default of GaLore (arXiv 2403.03507) and ms-swift */
    LISA_LAYERS = 2    /* layers trained at a time: LISA (arXiv 2403.17919), section 4 */
};

/* bitsandbytes keeps one fp32 scale for each 256 (blockwise, 2 states): Dettmers et al. 2022,
 * arXiv 2110.02861, section 2. */
static const double eight_bit_states = 2 * (1 + 4.0 / 256);

/* ---- bytes per parameter ------------------------------------------------------------------- */

/* What an optimizer keeps besides weights and gradients, in bytes per parameter: states with 32-bit
 * and with 16-bit parameters, and whether mixed precision adds a 32-bit master copy.
 *   Adam m + v: ZeRO (arXiv 1910.02054), section 3.1: K = 12 with the master copy.
 *   SGD with momentum: 4 bytes in all, LOMO (arXiv 2306.09782), table 1.
 *   Adafactor, GaLore, LISA: see optimizer_bytes, they depend on the shape.
 *   LOMO updates while it goes backward: nothing is kept. */
static const struct recipe {
    double states_32, states_16;
    bool master;
} recipes[] = {
    [OPTIMIZER_ADAMW] = {8, 4, true},         [OPTIMIZER_ADAMW_BF16] = {4, 4, false},
    [OPTIMIZER_ADAMW_8BIT] = {0, 0, true},    [OPTIMIZER_PAGED_ADAMW] = {8, 8, true},
    [OPTIMIZER_ADAFACTOR] = {0, 0, true},     [OPTIMIZER_SGD] = {0, 0, false},
    [OPTIMIZER_SGD_MOMENTUM] = {4, 4, false}, [OPTIMIZER_LOMO] = {0, 0, false},
    [OPTIMIZER_GALORE] = {0, 0, true},        [OPTIMIZER_LISA] = {8, 4, true},
};

struct parameter_bytes parameter_bytes(enum precision precision, enum optimizer optimizer,
                                       double gradient_bytes)
{
    const struct recipe *recipe = &recipes[optimizer];
    if (precision == PRECISION_FP32)
        return (struct parameter_bytes){4, 4, 0, recipe->states_32};
    if (precision == PRECISION_BF16)
        return (struct parameter_bytes){2, 2, 0, recipe->states_16};
    return (struct parameter_bytes){2, gradient_bytes, recipe->master ? 4 : 0, recipe->states_32};
}

bool is_gptq(const struct weight_format *format)
{
    return strncmp(format->id, "gptq", strlen("gptq")) == 0;
}

double stored_bytes_per_weight(const struct weight_format *format)
{
    return format->bits_per_weight / 8;
}

/* ---- parameters of a stage ----------------------------------------------------------------- */

int expert_shards(const struct layout *layout)
{
    return layout->ep > 1 ? layout->ep : layout->tp;
}

/* LitGPT stores a tied head a second time (Lightning-AI/litgpt, class GPT: lm_head of its own). */
static double head_params(const struct job *job, const struct layout *layout, int stage)
{
    bool copy = job->stack == STACK_LITGPT || (layout->pp > 1 && stage == layout->pp - 1);
    double tied = copy ? (double)job->model->vocab_size * job->model->hidden_size : 0;
    return job->model->tied_embeddings ? tied : (double)job->params.head;
}

struct stage_params stage_params(const struct job *job, const struct layout *layout, int stage)
{
    const struct param_counts *params = &job->params;
    double share = 1.0 / layout->pp;
    bool first = stage == 0, last = stage == layout->pp - 1;
    struct stage_params result = {0};
    result.ends =
        ((first ? (double)params->embedding : 0) + (last ? head_params(job, layout, stage) : 0)) /
        layout->tp;
    result.sharded =
        (double)(params->attention + params->dense_ffn) * share / layout->tp + result.ends;
    result.experts = (double)params->experts * share / expert_shards(layout);
    result.replicated = (double)(params->router + params->norms_biases) * share;
    result.total = result.sharded + result.experts + result.replicated;
    return result;
}

/* Routed experts are copied less often than the rest: a data-parallel group of experts has
 * dp * cp * tp / ep members. */
static double expert_copies(const struct layout *layout)
{
    return fmax(1, (double)layout->dp * layout->cp * layout->tp / expert_shards(layout));
}

/* A quantity kept for every parameter, after ZeRO split it or not; `factor` bytes each. */
static double zero_split(const struct stage_params *params, const struct layout *layout,
                         double factor, bool split)
{
    if (!split)
        return params->total * factor;
    double copies = (double)layout->dp * layout->cp;
    return ((params->sharded + params->replicated) / copies +
            params->experts / expert_copies(layout)) *
           factor;
}

/* ---- full training ------------------------------------------------------------------------- */

/* The largest tensor of the stage: all that an optimizer that steps in the backward pass holds as a
 * gradient (LOMO table 1: 0.24 GiB for Llama-7B, its embedding). */
double largest_tensor(const struct job *job, const struct layout *layout)
{
    double table = (double)job->model->vocab_size * job->model->hidden_size;
    double ffn = (double)job->model->ffn_size * job->model->hidden_size;
    return fmax(table, ffn) / layout->tp;
}

/* Under 8-bit optimizers the transformers Trainer leaves the states of embeddings in 32 bits
 * (register_module_override); others do not. */
static bool keeps_wide_embeddings(enum stack stack)
{
    return stack == STACK_HF || stack == STACK_DEEPSPEED || stack == STACK_UNSLOTH;
}

/* Optimizer states of full training in bytes per parameter, master copy included, where they follow
 * from the shape. `ends` is the share of embedding and head. */
static double optimizer_bytes(const struct job *job, struct parameter_bytes bytes, double ends)
{
    double h = job->model->hidden_size, own = job->precision == PRECISION_BF16 ? 2 : 4;
    switch (job->optimizer) {
    case OPTIMIZER_ADAMW_8BIT:
        return bytes.master + ends * (keeps_wide_embeddings(job->stack) ? 8 : eight_bit_states) +
               (1 - ends) * eight_bit_states;
    case OPTIMIZER_ADAFACTOR:
        /* one row and one column instead of a matrix (arXiv 1804.04235): (in + out) / (in * out) */
        return bytes.master + 4 * 2 / h;
    case OPTIMIZER_GALORE:
        /* a projection and two states of its rank; embeddings are not projected */
        return bytes.master + ends * 2 * own + (1 - ends) * 3 * fmin(1, GALORE_RANK / h) * own;
    default:
        return bytes.master + bytes.states;
    }
}

/* LISA trains embedding, head and a few layers at a time. */
static double trained_share(const struct job *job, double ends)
{
    double layers = fmin(1, (double)LISA_LAYERS / job->model->layers);
    return job->optimizer == OPTIMIZER_LISA ? ends + (1 - ends) * layers : 1;
}

static struct model_states full_states(const struct job *job, const struct layout *layout,
                                       const struct stack_constants *constants, int stage)
{
    struct stage_params params = stage_params(job, layout, stage);
    struct parameter_bytes bytes =
        parameter_bytes(job->precision, job->optimizer, constants->gradient_bytes);
    double ends = params.ends / params.total, trained = trained_share(job, ends);
    bool immediate = job->optimizer_in_backward || job->optimizer == OPTIMIZER_LOMO;
    bool plain = bytes.master == 0;
    struct model_states states = {.trainable = params.total * trained};
    states.weights = zero_split(&params, layout, bytes.weights, layout->zero >= 3);
    states.gradients =
        immediate ? bytes.weights * largest_tensor(job, layout)
                  : zero_split(&params, layout, bytes.gradients * trained, layout->zero >= 2);
    states.optimizer =
        zero_split(&params, layout, optimizer_bytes(job, bytes, ends) * trained, layout->zero >= 1);
    /* torch's foreach optimizers make a copy of what they update; only seen where there is no
     * master copy, and never with the step inside the backward pass */
    if (plain && !immediate && job->optimizer != OPTIMIZER_GALORE)
        states.step_extra = constants->foreach_share * trained *
                            zero_split(&params, layout, bytes.weights, layout->zero >= 3);
    return states;
}

/* ---- adapters on frozen weights ------------------------------------------------------------ */

/* DeepSpeed's ZeRO-3 cannot split weights that bitsandbytes or GPTQ packed: every rank holds them
 * whole (axolotl 1129, 1717). FSDP can (Answer.AI's fsdp_qlora). */
static bool weights_split(const struct job *job, const struct layout *layout,
                          const struct stack_constants *constants)
{
    return layout->zero >= 3 && (!job->weights->quantised || constants->shards_quantised);
}

static struct model_states lora_states(const struct job *job, const struct layout *layout,
                                       const struct stack_constants *constants, int stage)
{
    struct stage_params params = stage_params(job, layout, stage);
    double plain = job->precision == PRECISION_FP32 ? 4 : 2;
    double copies = (double)layout->dp * layout->cp;
    bool immediate = job->optimizer_in_backward || job->optimizer == OPTIMIZER_LOMO;
    struct model_states states = {0};

    /* frozen base: block matrices in their stored format, the ends and norms in 16 bits */
    double block = params.sharded - params.ends, format = plain;
    if (job->weights->quantised)
        format = stored_bytes_per_weight(job->weights);
    bool experts_only = job->weights->quantised && job->weights->experts_only;
    states.weights = block * (experts_only ? plain : format) + params.experts * format +
                     (params.ends + params.replicated) * plain;
    states.weights /= weights_split(job, layout, constants) ? copies : 1;

    /* PEFT keeps adapters in 32 bits unless all is bf16; embeddings trained beside them stay in the
     * model's own 16 bits (QwenLM/Qwen README: 11 bytes per parameter with the step's copy) */
    double adapter = (double)model_lora_params(job->model, job->lora_targets, job->lora_rank) /
                     layout->pp / layout->tp;
    double ends = job->train_embeddings ? params.ends : 0;
    bool pure = job->precision == PRECISION_BF16;
    struct parameter_bytes small =
        parameter_bytes(pure ? PRECISION_BF16 : PRECISION_FP32, job->optimizer, 4);
    struct parameter_bytes wide = parameter_bytes(
        job->precision == PRECISION_FP32 ? PRECISION_FP32 : PRECISION_BF16, job->optimizer, 2);
    states.trainable = adapter + ends;
    states.adapter = adapter * small.weights + ends * wide.weights;
    states.gradients = immediate ? fmin(adapter, largest_tensor(job, layout)) * small.gradients
                                 : adapter * small.gradients + ends * wide.gradients;
    states.optimizer =
        adapter * optimizer_bytes(job, small, 0) + ends * optimizer_bytes(job, wide, 1);
    states.step_extra = constants->foreach_share * ends * wide.weights;
    states.optimizer /= layout->zero >= 1 ? copies : 1;
    states.gradients /= layout->zero >= 2 ? copies : 1;
    states.adapter /= layout->zero >= 3 ? copies : 1;
    return states;
}

/* ---- both ---------------------------------------------------------------------------------- */

/* What is kept in host memory: DeepSpeed ZeRO-Offload moves optimizer and, from stage 2 on, the
 * gradients as they are made; paged optimizers live in unified memory. */
static void move_to_host(const struct job *job, const struct layout *layout,
                         struct model_states *states)
{
    bool params = layout->offload == OFFLOAD_PARAMS;
    if (params || layout->offload == OFFLOAD_OPTIMIZER || job->optimizer == OPTIMIZER_PAGED_ADAMW) {
        states->host_optimizer = states->optimizer;
        states->optimizer = 0;
        states->step_extra = 0;
    }
    if (params || (layout->offload == OFFLOAD_OPTIMIZER && layout->zero >= 2)) {
        states->host_optimizer += states->gradients;
        states->gradients = 0;
    }
    if (params) {
        states->host_weights = states->weights + states->adapter;
        states->weights = states->adapter = 0;
    }
}

struct model_states model_states(const struct job *job, const struct layout *layout,
                                 const struct constants *all, int stage)
{
    const struct stack_constants *constants = &all->stack[job->stack];
    bool lora = job->workload == WORKLOAD_LORA;
    struct model_states states = lora ? lora_states(job, layout, constants, stage)
                                      : full_states(job, layout, constants, stage);
    move_to_host(job, layout, &states);
    if (layout->dp * layout->cp > 1) {
        bool split[4] = {lora ? weights_split(job, layout, constants) : layout->zero >= 3,
                         layout->zero >= 3, layout->zero >= 2, layout->zero >= 1};
        double parts[4] = {states.weights, states.adapter, states.gradients, states.optimizer};
        for (int i = 0; i < 4; i++)
            states.replicated[i] = split[i] ? 0 : parts[i];
    }
    return states;
}
