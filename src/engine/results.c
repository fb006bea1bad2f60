/* results.c - the table that gives the engine's figures their names. A new figure is one row. */
#include "engine/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/advice.h"
#include "engine/flops.h"
#include "engine/model_states.h"
#include "engine/storage_cost.h"
#include "engine/unit_price.h"

/* ---- computing ------------------------------------------------------------------------------ */

/* The estimate of named hardware, with its costs where it is an instance type that has a price. */
static bool compute_named(struct results *results, struct error *error)
{
    const struct scenario *scenario = results->scenario;
    struct offer *offer = &results->offer;
    if (!estimate_compute(results->catalog, results->constants, scenario, results->arena, offer,
                          &results->job, error))
        return false;
    results->has_offer = true;
    if (!offer->instance)
        return true;
    offer->price = catalog_price(results->catalog, offer->instance->type,
                                 scenario_has(scenario, FIELD_REGION) ? scenario->region : "");
    struct billing_input input =
        offer_billing_input(results->catalog, &results->job, offer, results->today);
    billing_costs(&input, offer->costs);
    offer->cheapest = billing_cheapest(scenario, offer->costs);
    return true;
}

static bool compute_plan(struct results *results, struct error *error)
{
    if (results->plan)
        return true;
    struct plan *plan = ARENA_NEW(results->arena, struct plan);
    if (!plan_compute(results->catalog, results->constants, results->scenario, results->today, plan,
                      error))
        return false;
    results->plan = plan;
    return true;
}

bool results_compute(const struct catalog *catalog, const struct constants *constants,
                     const struct scenario *scenario, const char *today, struct arena *arena,
                     struct results *results, struct error *error)
{
    *results = (struct results){.catalog = catalog,
                                .constants = constants,
                                .scenario = scenario,
                                .today = today,
                                .arena = arena};
    if (scenario_has(scenario, FIELD_GPU) || scenario_has(scenario, FIELD_INSTANCE))
        return compute_named(results, error);
    if (!compute_plan(results, error))
        return false;
    results->job = results->plan->job;
    results->has_offer = results->plan->offer_count > 0;
    if (results->has_offer)
        results->offer = results->plan->offers[0];
    return true;
}

void results_clear(struct results *results)
{
    if (results->plan)
        plan_clear(results->plan);
    results->plan = NULL;
}

/* ---- figures -------------------------------------------------------------------------------- */

static struct billing_input bill(const struct results *r)
{
    return offer_billing_input(r->catalog, &r->job, &r->offer, r->today);
}

static struct disk_plan disk_of(const struct results *r)
{
    struct billing_input input = bill(r);
    return storage_disk(&input);
}

static double disk_full_gib(const struct disk *disk)
{
    return (disk->iops_max - disk->iops_base) / disk->iops_per_gib;
}

static struct parameter_bytes each_parameter(const struct results *r)
{
    return parameter_bytes(r->job.precision, r->job.optimizer,
                           r->constants->stack[r->job.stack].gradient_bytes);
}

static double kv_token_bytes(const struct job *job)
{
    return model_kv_bytes(job->model, 1, job->kv_element_bytes, 1);
}

static double dense_16bit(const struct gpu *gpu)
{
    return gpu->bf16 && !isnan(gpu->bf16_tflops) ? gpu->bf16_tflops : gpu->fp16_tflops;
}

static double excluded(const struct results *r, enum exclusion reason)
{
    double count = 0;
    for (size_t i = 0; i < r->plan->excluded_count; i++)
        count += r->plan->excluded[i].reason == reason;
    return count;
}

static double best_total(const struct results *r)
{
    const struct plan *plan = r->plan;
    if (plan->offer_count == 0 || plan->offers[0].cheapest == MODE_COUNT)
        return NAN;
    return plan->offers[0].costs[plan->offers[0].cheapest].total_cny;
}

static double own_total(const struct results *r)
{
    return r->offer.cheapest < MODE_COUNT ? r->offer.costs[r->offer.cheapest].total_cny : NAN;
}

#define MODEL (r->job.model)
#define PARAMS (r->job.params)
#define MEMORY (r->offer.memory)
#define SPEED (r->offer.speed)
#define HARD (r->offer.hardware)
#define GPU (r->offer.hardware.gpu)
#define LAYOUT (r->offer.layout)

enum needs { NEEDS_JOB, NEEDS_OFFER, NEEDS_RENTED, NEEDS_PLAN };

/* clang-format off */
/* id, name, form, what must be there, the figure, help */
#define RESULTS \
    R(model_params, "model.params", COUNT, JOB, (double)PARAMS.total, "parameters") \
    R(model_active, "model.active", COUNT, JOB, \
      (double)PARAMS.active, "parameters used for one token") \
    R(model_trainable, "model.trainable", COUNT, JOB, \
      (double)r->job.trainable_params, "parameters that are trained") \
    R(model_ends, "model.ends", COUNT, JOB, \
      (double)(PARAMS.embedding + PARAMS.head), "parameters of embedding and head") \
    R(model_quantisable, "model.quantisable", COUNT, JOB, \
      (double)PARAMS.quantisable, "parameters that a 4- or 8-bit format touches") \
    R(model_layers, "model.layers", PLAIN, JOB, MODEL->layers, "layers") \
    R(model_hidden, "model.hidden", PLAIN, JOB, MODEL->hidden_size, "hidden size") \
    R(model_heads, "model.heads", PLAIN, JOB, MODEL->heads, "attention heads") \
    R(model_kv_heads, "model.kv_heads", PLAIN, JOB, MODEL->kv_heads, "heads of keys and values") \
    R(model_head_dim, "model.head_dim", PLAIN, JOB, MODEL->head_dim, "width of a head") \
    R(model_vocab, "model.vocab", WHOLE, JOB, MODEL->vocab_size, "entries of the vocabulary") \
    R(model_experts, "model.experts", PLAIN, JOB, MODEL->moe.experts, "experts in a layer") \
    R(model_top_k, "model.top_k", PLAIN, JOB, MODEL->moe.top_k, "experts that one token visits") \
    R(model_stored_gib, "model.stored_gib", GIB, JOB, \
      memory_weight_bytes(&r->job) / GIB, "GiB of the weights as stored") \
    R(model_kv_kib, "model.kv_kib", GIB, JOB, \
      kv_token_bytes(&r->job) / 1024, "KiB of cache for one token") \
    R(bytes_weights, "bytes.weights", PLAIN, JOB, \
      each_parameter(r).weights, "bytes a trained parameter: weight") \
    R(bytes_gradients, "bytes.gradients", PLAIN, JOB, \
      each_parameter(r).gradients, "bytes a trained parameter: gradient") \
    R(bytes_master, "bytes.master", PLAIN, JOB, \
      each_parameter(r).master, "bytes a trained parameter: 32-bit copy") \
    R(bytes_states, "bytes.states", PLAIN, JOB, \
      each_parameter(r).states, "bytes a trained parameter: optimizer states") \
    R(bytes_total, "bytes.total", PLAIN, JOB, \
      each_parameter(r).weights + each_parameter(r).gradients + each_parameter(r).master + \
        each_parameter(r).states, \
      "bytes a trained parameter, all four") \
    R(format_bits, "format.bits", GIB, JOB, \
      r->job.weights->bits_per_weight, "bits a quantised weight takes, scales included") \
    R(job_seq_len, "job.seq_len", WHOLE, JOB, r->job.seq_len, "longest sample, tokens") \
    R(job_context, "job.context", WHOLE, JOB, \
      r->job.context, "tokens that one conversation may hold") \
    R(job_input_len, "job.input_len", WHOLE, JOB, r->job.input_len, "prompt tokens") \
    R(job_output_len, "job.output_len", WHOLE, JOB, r->job.output_len, "answer tokens") \
    R(job_concurrency, "job.concurrency", WHOLE, JOB, r->job.concurrency, "sequences in flight") \
    R(job_tokens, "job.tokens", COUNT, JOB, r->job.train_tokens, "tokens to train on") \
    R(job_lora_rank, "job.lora_rank", PLAIN, JOB, r->job.lora_rank, "LoRA rank") \
    R(job_tflop_per_token, "job.tflop_per_token", GIB, JOB, \
      flops_model(&r->job) / 1e12, "TFLOP of one trained token") \
    R(memory_need, "memory.need", GIB, OFFER, MEMORY.need_gib, "GiB needed on the fullest GPU") \
    R(memory_low, "memory.low", GIB, OFFER, MEMORY.low_gib, "lower end of its band") \
    R(memory_high, "memory.high", GIB, OFFER, MEMORY.high_gib, "upper end of its band") \
    R(memory_usable, "memory.usable", GIB, OFFER, MEMORY.usable_gib, "GiB that can be allocated") \
    R(memory_reserved, "memory.reserved", GIB, OFFER, \
      MEMORY.reserved_gib, "GiB that nvidia-smi will show") \
    R(memory_share, "memory.share", PERCENT, OFFER, \
      MEMORY.need_gib / MEMORY.usable_gib, "need over usable") \
    R(memory_states, "memory.states", GIB, OFFER, \
      MEMORY.model_states_gib, "weights, adapter, gradients, optimizer") \
    R(memory_replicated, "memory.replicated", GIB, OFFER, \
      MEMORY.replicated_total_gib, "GiB of which every GPU has a copy") \
    R(memory_host_ram, "memory.host_ram", GIB, OFFER, \
      MEMORY.host_ram_gib, "GiB of host memory a machine") \
    R(memory_peak_load, "memory.peak_load", GIB, OFFER, \
      MEMORY.peaks_gib[PEAK_LOAD], "peak while loading") \
    R(memory_peak_step, "memory.peak_step", GIB, OFFER, \
      MEMORY.peaks_gib[PEAK_STEP], "peak with the longest sample") \
    R(memory_peak_optimizer, "memory.peak_optimizer", GIB, OFFER, \
      MEMORY.peaks_gib[PEAK_OPTIMIZER], "peak at the optimizer step") \
    R(memory_kv_tokens, "memory.kv_tokens", COUNT, OFFER, \
      MEMORY.kv_tokens, "tokens that the cache holds") \
    R(memory_max_concurrency, "memory.max_concurrency", GIB, OFFER, \
      MEMORY.max_concurrency, "sequences at full context") \
    R(memory_fits, "memory.fits", PLAIN, OFFER, \
      MEMORY.verdict == VERDICT_FITS, "1 when the whole band fits") \
    R(memory_runs, "memory.runs", PLAIN, OFFER, \
      MEMORY.verdict != VERDICT_NO, "1 when it fits or is tight") \
    R(memory_host_short, "memory.host_short", PLAIN, OFFER, \
      MEMORY.host_ram_short, "1 when host memory is short") \
    R(speed_tokens_per_s, "speed.tokens_per_s", COUNT, OFFER, \
      SPEED.tokens_per_s, "tokens a second, all GPUs") \
    R(speed_per_gpu, "speed.per_gpu", COUNT, OFFER, \
      SPEED.tokens_per_s_per_gpu, "tokens a second and GPU") \
    R(speed_low, "speed.low", COUNT, OFFER, SPEED.low_tokens_per_s, "lower end of the band") \
    R(speed_high, "speed.high", COUNT, OFFER, SPEED.high_tokens_per_s, "upper end of the band") \
    R(speed_step_s, "speed.step_s", GIB, OFFER, SPEED.step_s, "seconds of an optimizer step") \
    R(speed_step_ms, "speed.step_ms", GIB, OFFER, 1000 * SPEED.step_s, "milliseconds of a step") \
    R(speed_mfu, "speed.mfu", PERCENT, OFFER, SPEED.mfu, "model FLOPs over the dense peak") \
    R(speed_tflops, "speed.tflops", GIB, OFFER, SPEED.tflops_per_gpu, "model TFLOPS a GPU") \
    R(speed_prefill, "speed.prefill", COUNT, OFFER, \
      SPEED.prefill_tokens_per_s, "prompt tokens a second") \
    R(speed_decode, "speed.decode", COUNT, OFFER, \
      SPEED.decode_tokens_per_s, "output tokens a second, all sequences") \
    R(speed_ttft_ms, "speed.ttft_ms", WHOLE, OFFER, \
      SPEED.ttft_ms, "milliseconds to the first token") \
    R(speed_tpot_ms, "speed.tpot_ms", GIB, OFFER, \
      SPEED.tpot_ms, "milliseconds for each further token") \
    R(speed_user_tokens_per_s, "speed.user_tokens_per_s", GIB, OFFER, \
      1000 / SPEED.tpot_ms, "tokens a second that one user sees") \
    R(speed_requests_per_s, "speed.requests_per_s", GIB, OFFER, \
      SPEED.requests_per_s, "requests a second that are kept up with") \
    R(speed_batch, "speed.batch", GIB, OFFER, SPEED.batch, "sequences decoded together") \
    R(speed_by_compute, "speed.by_compute", PLAIN, OFFER, \
      SPEED.bound_by == BOUND_COMPUTE, "1 when compute binds") \
    R(speed_by_bandwidth, "speed.by_bandwidth", PLAIN, OFFER, \
      SPEED.bound_by == BOUND_BANDWIDTH, "1 when memory bandwidth binds") \
    R(speed_by_network, "speed.by_network", PLAIN, OFFER, \
      SPEED.bound_by == BOUND_NETWORK, "1 when the network binds") \
    R(hours_mid, "hours.mid", HOURS, OFFER, r->offer.hours[1], "hours of the run") \
    R(hours_low, "hours.low", HOURS, OFFER, r->offer.hours[0], "lower end of its band") \
    R(hours_high, "hours.high", HOURS, OFFER, r->offer.hours[2], "upper end of its band") \
    R(layout_tp, "layout.tp", PLAIN, OFFER, LAYOUT.tp, "tensor-parallel size") \
    R(layout_pp, "layout.pp", PLAIN, OFFER, LAYOUT.pp, "pipeline stages") \
    R(layout_dp, "layout.dp", PLAIN, OFFER, LAYOUT.dp, "data-parallel copies, or replicas") \
    R(layout_ep, "layout.ep", PLAIN, OFFER, LAYOUT.ep, "expert-parallel size") \
    R(layout_zero, "layout.zero", PLAIN, OFFER, LAYOUT.zero, "ZeRO stage") \
    R(layout_micro_batch, "layout.micro_batch", PLAIN, OFFER, \
      LAYOUT.micro_batch, "sequences a micro-batch") \
    R(gpus, "gpus", PLAIN, OFFER, HARD.gpus, "GPUs in all") \
    R(nodes, "nodes", PLAIN, OFFER, HARD.nodes, "machines") \
    R(machine_gpus, "machine.gpus", PLAIN, OFFER, HARD.gpus_per_node, "GPUs of a machine") \
    R(machine_network_gbps, "machine.network_gbps", PLAIN, OFFER, \
      HARD.network_gbps, "Gbit/s between machines") \
    R(machine_rdma, "machine.rdma", PLAIN, OFFER, HARD.rdma, "1 with RDMA") \
    R(machine_ram, "machine.ram", GIB, OFFER, HARD.ram_gib, "GiB of host memory") \
    R(machine_vcpu, "machine.vcpu", PLAIN, OFFER, HARD.vcpu, "vCPUs") \
    R(machine_link_gbs, "machine.link_gbs", PLAIN, OFFER, \
      HARD.link_gbs, "GB/s between GPUs of a machine") \
    R(gpu_usable, "gpu.usable", GIB, OFFER, GPU->usable_gib, "GiB that can be allocated") \
    R(gpu_marketed, "gpu.marketed", PLAIN, OFFER, GPU->marketed_gb, "GB on the label") \
    R(gpu_bandwidth, "gpu.bandwidth", WHOLE, OFFER, GPU->bandwidth_gbs, "GB/s of memory") \
    R(gpu_tflops, "gpu.tflops", GIB, OFFER, dense_16bit(GPU), "dense 16-bit TFLOPS") \
    R(gpu_fp32_tflops, "gpu.fp32_tflops", GIB, OFFER, GPU->fp32_tflops, "32-bit TFLOPS") \
    R(gpu_fp8_tflops, "gpu.fp8_tflops", GIB, OFFER, GPU->fp8_tflops, "dense fp8 TFLOPS") \
    R(gpu_nvlink, "gpu.nvlink", WHOLE, OFFER, GPU->nvlink_gbs, "GB/s of NVLink") \
    R(gpu_bf16, "gpu.bf16", PLAIN, OFFER, GPU->bf16, "1 with bf16") \
    R(gpu_fp8, "gpu.fp8", PLAIN, OFFER, GPU->fp8, "1 with fp8") \
    R(gpu_capability, "gpu.capability", TENTHS, OFFER, \
      GPU->compute_capability, "compute capability") \
    R(gpu_balance, "gpu.balance", WHOLE, OFFER, \
      1000 * dense_16bit(GPU) / GPU->bandwidth_gbs, "FLOP for each byte read") \
    R(price_hour, "price.hour", CNY, RENTED, \
      r->offer.price ? r->offer.price->payg_hour * r->offer.nodes : NAN, "an hour, on demand") \
    R(price_gib_hour, "price.gib_hour", CNY, RENTED, \
      r->offer.price ? unit_cny_per_gib_hour(r->offer.instance, r->offer.price->payg_hour) : NAN, \
      "an hour of a GiB of GPU memory") \
    R(price_tflops_hour, "price.tflops_hour", CNY, RENTED, \
      r->offer.price ? unit_cny_per_tflops_hour(r->offer.instance, r->offer.price->payg_hour) \
        : NAN, \
      "an hour of a dense TFLOPS") \
    R(cost_best, "cost.best", CNY, RENTED, own_total(r), "total of the cheapest way of paying") \
    R(cost_mtok, "cost.mtok", CNY, RENTED, r->offer.cny_per_mtok, "a million tokens") \
    R(storage_checkpoint_gb, "storage.checkpoint_gb", GIB, RENTED, \
      bill(r).checkpoint_bytes / GB, "GB of a checkpoint") \
    R(storage_load_gb, "storage.load_gb", GIB, RENTED, \
      bill(r).load_bytes / GB, "GB read at each start") \
    R(storage_read_gb_per_h, "storage.read_gb_per_h", GIB, OFFER, \
      SPEED.tokens_per_s * 4 * 3600 / GB, "GB of tokens read an hour") \
    R(storage_disk_gib, "storage.disk_gib", WHOLE, RENTED, \
      disk_of(r).gib, "GiB of a machine's disk") \
    R(storage_mbps, "storage.mbps", WHOLE, RENTED, \
      disk_of(r).bytes_per_s / 1e6, "MB/s of that disk") \
    R(storage_iops, "storage.iops", WHOLE, RENTED, \
      billing_disk_iops(disk_of(r).disk, disk_of(r).gib), "its IOPS") \
    R(storage_iops_max, "storage.iops_max", WHOLE, RENTED, \
      disk_of(r).disk->iops_max, "the IOPS advertised") \
    R(storage_full_gib, "storage.full_gib", WHOLE, RENTED, \
      disk_full_gib(disk_of(r).disk), "GiB at which they are reached") \
    R(storage_full_cny, "storage.full_cny", CNY, RENTED, \
      disk_full_gib(disk_of(r).disk) * disk_of(r).disk->cny_gib_month, "a month of that size") \
    R(storage_disk_cny, "storage.disk_cny", CNY, RENTED, \
      disk_of(r).gib * disk_of(r).disk->cny_gib_month, "a month of the disk") \
    R(storage_checkpoint_s, "storage.checkpoint_s", WHOLE, RENTED, \
      bill(r).checkpoint_bytes / disk_of(r).bytes_per_s / r->offer.nodes, \
      "seconds to write a checkpoint") \
    R(storage_load_s, "storage.load_s", WHOLE, RENTED, \
      bill(r).load_bytes / disk_of(r).bytes_per_s / r->offer.nodes, \
      "seconds to read the weights") \
    R(plan_offers, "plan.offers", PLAIN, PLAN, (double)r->plan->offer_count, "offers") \
    R(plan_types, "plan.types", PLAIN, PLAN, r->plan->types, "instance types looked at") \
    R(plan_no_memory, "plan.no_memory", PLAIN, PLAN, \
      excluded(r, EXCLUDED_MEMORY), "types left out for memory") \
    R(plan_no_precision, "plan.no_precision", PLAIN, PLAN, \
      excluded(r, EXCLUDED_PRECISION), "types left out for precision") \
    R(plan_over_budget, "plan.over_budget", PLAIN, PLAN, \
      excluded(r, EXCLUDED_BUDGET), "types left out for the budget") \
    R(plan_too_late, "plan.too_late", PLAIN, PLAN, \
      excluded(r, EXCLUDED_DEADLINE), "types left out for the deadline") \
    R(plan_best_total, "plan.best_total", CNY, PLAN, best_total(r), "total of the best offer")

#define WORDS \
    W(model_name, "model.name", JOB, MODEL->id, "the model") \
    W(gpu_name, "gpu.name", OFFER, GPU->name, "the card") \
    W(gpu_id, "gpu.id", OFFER, GPU->id, "its id") \
    W(format_name, "format.name", JOB, r->job.weights->name, "the stored form") \
    W(speed_bound, "speed.bound", OFFER, bound_names[SPEED.bound_by], "what binds the speed") \
    W(instance_type, "instance.type", RENTED, r->offer.instance->type, "the instance type") \
    W(instance_family, "instance.family", RENTED, r->offer.instance->family, "its family") \
    W(cost_cheapest, "cost.cheapest", RENTED, \
      r->offer.cheapest < MODE_COUNT ? tr(billing_modes[r->offer.cheapest].label) : "-", \
      "the cheapest way of paying") \
    W(plan_best, "plan.best", PLAN, \
      r->plan->offer_count ? r->plan->offers[0].instance->type : "-", "the best offer's type") \
    W(price_date, "price.date", RENTED, \
      r->offer.price ? r->offer.price->date : "-", "date of the price")
/* clang-format on */

/* One getter for each row. */
#define R(id, name, form, needs, expression, help)                                                 \
    static double id##_of(const struct results *r)                                                 \
    {                                                                                              \
        return (expression);                                                                       \
    }
#define W(id, name, needs, expression, help)                                                       \
    static const char *id##_words(const struct results *r)                                         \
    {                                                                                              \
        return (expression);                                                                       \
    }
RESULTS
WORDS
#undef R
#undef W

static const struct row {
    const char *name;
    enum result_form form;
    enum needs needs;
    double (*number)(const struct results *r);
    const char *(*words)(const struct results *r);
} rows[] = {
#define R(id, name, form, needs, expression, help)                                                 \
    {name, FORM_##form, NEEDS_##needs, id##_of, NULL},
#define W(id, name, needs, expression, help) {name, FORM_TEXT, NEEDS_##needs, NULL, id##_words},
    RESULTS WORDS
#undef R
#undef W
};

const struct result_name result_names[] = {
#define R(id, name, form, needs, expression, help) {name, FORM_##form, help},
#define W(id, name, needs, expression, help) {name, FORM_TEXT, help},
    RESULTS WORDS
#undef R
#undef W
    {"memory.COMPONENT", FORM_GIB,
     "GiB of one part: weights, adapter, gradients, optimizer, activations, logits, kv_cache, "
     "buffers, runtime"},
    {"copied.COMPONENT", FORM_GIB, "what of it every GPU has a copy of"},
    {"time.TERM", FORM_GIB,
     "seconds of a step: gemm, attention, host, data_parallel, read_weights, ..."},
    {"part.TERM", FORM_PERCENT, "the same as a share of the step"},
    {"cost.MODE.total", FORM_CNY,
     "total under payg, monthly, yearly, savings, spot, serverless, ..."},
    {"cost.MODE.month", FORM_CNY, "a month of it"},
    {"cost.MODE.hour", FORM_CNY, "an hour of it"},
    {"cost.MODE.wall_h", FORM_HOURS, "hours until it is done, rework included"},
    {"cost.MODE.goodput", FORM_PERCENT, "useful share of the hours"},
    {"cost.MODE.break_even_h", FORM_WHOLE, "hours a month from which it beats paying by the hour"},
    {"cost.MODE.interval_h", FORM_HOURS, "hours between checkpoints"},
    {"ask.KEY", FORM_PLAIN, "an answer of the scenario: a number, or 1 and 0 for yes and no"},
    {"rule.ID", FORM_PLAIN, "a billing rule of the data"},
    {"service.ID", FORM_PLAIN, "the price of a service of the data"},
    {"advice.ID", FORM_PLAIN, "1 when that rule of advice speaks"},
    {NULL, FORM_PLAIN, NULL},
};

/* ---- groups of names ------------------------------------------------------------------------ */

/* A figure of a group by what follows the dot; false = there is no such name. */
typedef bool (*group_get)(struct results *r, const char *rest, double *value,
                          enum result_form *form);

static bool component_of(const double *gib, const char *rest, double *value)
{
    for (int i = 0; i < COMPONENT_COUNT; i++)
        if (strcmp(components[i].key, rest) == 0) {
            *value = gib[i];
            return true;
        }
    return false;
}

static bool get_component(struct results *r, const char *rest, double *value,
                          enum result_form *form)
{
    *form = FORM_GIB;
    return component_of(r->offer.memory.components_gib, rest, value);
}

static bool get_copied(struct results *r, const char *rest, double *value, enum result_form *form)
{
    *form = FORM_GIB;
    return component_of(r->offer.memory.replicated_gib, rest, value);
}

static bool get_time(struct results *r, const char *rest, double *value, enum result_form *form)
{
    *form = FORM_GIB;
    for (int i = 0; i < TERM_COUNT; i++)
        if (strcmp(speed_terms[i].key, rest) == 0) {
            *value = r->offer.speed.terms_s[i];
            return true;
        }
    return false;
}

static bool get_part(struct results *r, const char *rest, double *value, enum result_form *form)
{
    bool found = get_time(r, rest, value, form);
    *value /= r->offer.speed.step_s;
    *form = FORM_PERCENT;
    return found;
}

static const struct {
    const char *name;
    size_t offset;
    enum result_form form;
} cost_figures[] = {
    {"total", offsetof(struct cost, total_cny), FORM_CNY},
    {"month", offsetof(struct cost, per_month_cny), FORM_CNY},
    {"hour", offsetof(struct cost, per_hour_cny), FORM_CNY},
    {"wall_h", offsetof(struct cost, wall_h), FORM_HOURS},
    {"goodput", offsetof(struct cost, goodput), FORM_PERCENT},
    {"break_even_h", offsetof(struct cost, break_even_h_per_month), FORM_WHOLE},
    {"interval_h", offsetof(struct cost, interval_h), FORM_HOURS},
};

static bool get_cost(struct results *r, const char *rest, double *value, enum result_form *form)
{
    size_t length = strcspn(rest, ".");
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (strncmp(billing_modes[mode].key, rest, length) != 0 ||
            billing_modes[mode].key[length] || !rest[length])
            continue;
        for (size_t i = 0; i < sizeof cost_figures / sizeof *cost_figures; i++) {
            if (strcmp(cost_figures[i].name, rest + length + 1) != 0)
                continue;
            const struct cost *cost = &r->offer.costs[mode];
            *form = cost_figures[i].form;
            *value =
                cost->available
                    ? *(const double *)(const void *)((const char *)cost + cost_figures[i].offset)
                    : NAN;
            return true;
        }
    }
    return false;
}

static bool get_answer(struct results *r, const char *rest, double *value, enum result_form *form)
{
    const struct field *field = field_find(rest);
    *form = FORM_PLAIN;
    if (!field || field->kind == FIELD_KIND_ID || field->kind == FIELD_KIND_MAP)
        return false;
    const void *member = (const char *)r->scenario + field->offset;
    bool number = field->kind == FIELD_KIND_INT || field->kind == FIELD_KIND_NUMBER;
    *value = !scenario_has(r->scenario, field_id(field)) ? NAN
             : number                                    ? *(const double *)member
                                                         : *(const int *)member;
    return true;
}

static bool get_rule(struct results *r, const char *rest, double *value, enum result_form *form)
{
    const struct billing_rule *rule = catalog_rule(r->catalog, rest);
    *form = FORM_PLAIN;
    *value = rule ? rule->value : NAN;
    return rule != NULL;
}

static bool get_service(struct results *r, const char *rest, double *value, enum result_form *form)
{
    const struct service *service = catalog_service(r->catalog, rest);
    *form = FORM_PLAIN;
    *value = service ? service->price_cny : NAN;
    return service != NULL;
}

static bool get_advice(struct results *r, const char *rest, double *value, enum result_form *form)
{
    const struct advice_rule *rule = advice_rule_find(rest);
    struct advice_input input = {.catalog = r->catalog,
                                 .constants = r->constants,
                                 .scenario = r->scenario,
                                 .plan = r->plan,
                                 .job = &r->job,
                                 .offer = &r->offer,
                                 .mode = MODE_COUNT,
                                 .today = r->today,
                                 .arena = r->arena};
    struct advice advice = {.rule = rule};
    *form = FORM_PLAIN;
    *value = rule && rule->triggered(&input, &advice);
    return rule != NULL;
}

static const struct {
    const char *prefix;
    enum needs needs;
    group_get get;
} groups[] = {
    {"memory.", NEEDS_OFFER, get_component}, {"copied.", NEEDS_OFFER, get_copied},
    {"time.", NEEDS_OFFER, get_time},        {"part.", NEEDS_OFFER, get_part},
    {"cost.", NEEDS_RENTED, get_cost},       {"ask.", NEEDS_JOB, get_answer},
    {"rule.", NEEDS_JOB, get_rule},          {"service.", NEEDS_JOB, get_service},
    {"advice.", NEEDS_OFFER, get_advice},
};

/* ---- looking up ----------------------------------------------------------------------------- */

static bool unknown_name(const char *name, struct error *error)
{
    const char *nearest = result_names[0].name;
    for (const struct result_name *row = result_names; row->name; row++)
        if (text_distance(row->name, name) < text_distance(nearest, name))
            nearest = row->name;
    error_set(error, tr("there is no figure called %s"), name);
    return text_alike(nearest, name) && error_hint(error, tr("did you mean %s?"), nearest);
}

/* Makes sure that what a figure is read from is there; `*there` says so. */
static bool provide(struct results *r, enum needs needs, bool *there, struct error *error)
{
    *there = needs == NEEDS_JOB || needs == NEEDS_PLAN ||
             (r->has_offer && (needs == NEEDS_OFFER || r->offer.instance));
    return needs != NEEDS_PLAN || compute_plan(r, error);
}

bool result_find(struct results *r, const char *name, double *value, const char **text,
                 enum result_form *form, struct error *error)
{
    bool there;
    *text = NULL;
    *value = NAN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        if (!provide(r, rows[i].needs, &there, error))
            return false;
        *form = rows[i].form;
        if (rows[i].words)
            *text = there ? rows[i].words(r) : "-";
        else if (there)
            *value = rows[i].number(r);
        return true;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        size_t length = strlen(groups[i].prefix);
        if (strncmp(groups[i].prefix, name, length) != 0)
            continue;
        if (!provide(r, groups[i].needs, &there, error))
            return false;
        if (!there) /* the name is checked by an offer of zeros */
            r->offer.costs = ARENA_ARRAY(r->arena, struct cost, MODE_COUNT);
        if (!there && groups[i].get == get_advice)
            return advice_rule_find(name + length) ? true : unknown_name(name, error);
        if (groups[i].get(r, name + length, value, form)) {
            *value = there ? *value : NAN;
            return true;
        }
    }
    return unknown_name(name, error);
}
