#include "engine/flops.h"

/* Keys an average query of a causal layer sees: s / 2, or the window once it is full. */
static double mean_context(double seq_len, int window)
{
    if (window <= 0 || window >= seq_len)
        return seq_len / 2;
    return window - (double)window * window / (2 * seq_len);
}

/* Two products, QK' and AV, of 2 FLOPs (Vaswani et al. 2017, equation 1). A linear layer updates
 * and reads a state of key_dim x value_dim for each value head: 3 products of 2 FLOPs. */
static double score_flops(const struct job *job)
{
    const struct model *model = job->model;
    bool mla = model->attention.kv_lora_rank > 0;
    int own = model->head_dim;
    int global = model->attention.global_head_dim > 0 ? model->attention.global_head_dim : own;
    double dims = mla ? model->attention.qk_nope_head_dim + model->attention.qk_rope_head_dim +
                            model->attention.v_head_dim
                      : 2.0 * global;
    double state = (double)model->attention.linear_value_heads * model->attention.linear_key_dim *
                   model->attention.linear_value_dim;
    return job->kv.full * 2 * dims * model->heads * mean_context(job->seq_len, 0) +
           job->kv.local * 4.0 * own * model->heads * mean_context(job->seq_len, job->kv.window) +
           job->kv.linear * 6 * state;
}

/* Embeddings trained beside an adapter are no products of the layers: the head is counted as such. */
static double adapter_weights(const struct job *job)
{
    if (job->workload != WORKLOAD_LORA)
        return 0;
    uint64_t beside = job->train_embeddings ? job->params.embedding + job->params.head : 0;
    return (double)(job->trainable_params - beside);
}

struct shape flops_shape(const struct job *job)
{
    const struct model *model = job->model;
    const struct param_counts *params = &job->params;
    double layers = model->layers, h = model->hidden_size;
    double matrices = model->ffn_gated ? 3 : 2;
    double met = model->moe.experts > 0 ? (double)model->moe.top_k / model->moe.experts : 0;
    double experts = (double)params->experts * met / layers;
    double ffn = ((double)params->dense_ffn / layers + experts) / (matrices * h);
    double moe_layers = model_moe_layers(model);
    return (struct shape){
        .layers = layers,
        .dense_weights = (double)(params->attention + params->dense_ffn + params->router) / layers,
        .expert_weights = experts,
        .adapter_weights = adapter_weights(job) / layers,
        .head_weights = (double)model->vocab_size * h,
        .width = (4 * h + ffn * (model->ffn_gated ? 1.5 : 1)) / 8,
        .routed_width = model->moe.top_k * h * moe_layers / layers,
        .moe_layers = moe_layers,
        .score_flops = score_flops(job),
        .score_elements = (double)(job->kv.full + job->kv.local) * model->heads * job->seq_len,
        .kv_width = 2.0 * model->kv_heads * model->head_dim,
    };
}

double flops_model(const struct job *job)
{
    double per_weight = job->workload == WORKLOAD_LORA ? 4 : 6;
    return per_weight * (double)job->params.matmul_active + 3 * 2 * score_flops(job);
}
