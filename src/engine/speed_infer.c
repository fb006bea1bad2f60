/* speed_infer.c - latency and throughput of a served model at the load asked for. */
#include "engine/serving.h"

#include <math.h>

static struct speed not_modelled(void)
{
    struct speed speed = {.tokens_per_s = NAN,
                          .tokens_per_s_per_gpu = NAN,
                          .low_tokens_per_s = NAN,
                          .high_tokens_per_s = NAN,
                          .step_s = NAN,
                          .mfu = NAN,
                          .tflops_per_gpu = NAN,
                          .prefill_tokens_per_s = NAN,
                          .decode_tokens_per_s = NAN,
                          .output_tokens_per_s = NAN,
                          .ttft_ms = NAN,
                          .tpot_ms = NAN,
                          .request_s = NAN,
                          .requests_per_s = NAN,
                          .batch = NAN,
                          .replicas = 1,
                          .meets_latency = true,
                          .bound_by = BOUND_BANDWIDTH};
    for (int i = 0; i < TERM_COUNT; i++)
        speed.terms_s[i] = NAN;
    return speed;
}

static enum bound largest_part(const double terms[TERM_COUNT])
{
    double parts[] = {
        [BOUND_COMPUTE] = terms[TERM_GEMM],
        [BOUND_BANDWIDTH] = terms[TERM_READ_WEIGHTS] + terms[TERM_READ_KV] + terms[TERM_DEQUANT],
        [BOUND_NETWORK] = terms[TERM_TP],
        [BOUND_HOST] = terms[TERM_HOST] + terms[TERM_LATENCY],
    };
    enum bound worst = BOUND_COMPUTE;
    for (int i = BOUND_BANDWIDTH; i <= BOUND_HOST; i++)
        if (parts[i] > parts[worst])
            worst = (enum bound)i;
    return worst;
}

/* Prompts that come independently, `rate` a second, and go through one at a time: M/D/1 (Pollaczek
 * 1930: rho / (2 (1 - rho)) services), after the step that is running. What prompts share when they
 * go through together (launches, reading the weights) does not add up. NAN when they come faster
 * than that. */
static double queue_s(const struct serving_load *load, double rate)
{
    double service = load->prompt_s > 0 ? load->prompt_s : load->prefill_s, busy = rate * service;
    return busy < 1 ? service * busy / (2 * (1 - busy)) + load->step_s / 2 : NAN;
}

/* A number of sequences without more is a benchmark: all start at once, each followed by another
 * when it ends. LMDeploy's profiler and who multiplies a batch by hand send them in rounds. */
bool serving_in_rounds(const struct job *job)
{
    bool bare = !job->saturated && job->requests_per_s <= 0 && job->ttft_ms <= 0;
    return bare && (!engine_rules[job->engine].paged || job->engine == ENGINE_LMDEPLOY);
}

/* In rounds everybody waits for most of the others' prompts. With continuous batching only the
 * first wave does, for half of them on average; after that prompts come one by one, spread over a
 * generation. */
static double prompts_wait_s(const struct serving *serving, const struct serving_load *load)
{
    const struct serving_constants *shared = &serving->constants->serving;
    double others = load->batch - 1;
    if (others <= 0 || isnan(load->prefill_s))
        return 0;
    if (serving_in_rounds(serving->job))
        return others * shared->burst * load->prompt_s;
    double generation = load->prefill_s + serving->job->output_len * load->tpot_s;
    double later = queue_s(load, load->batch / generation);
    double first = others / 2 * load->prompt_s;
    return shared->first_wave * first + (1 - shared->first_wave) * (isnan(later) ? first : later);
}

/* Who finds no room waits for the sequences before to end: in rounds for one generation after the
 * other, where as many are let in as the cache holds with their prompts and `grown` of their output
 * (LMDeploy, Llama-2-7B and 13B, 64 sequences of 2048 + 2048 tokens: 39 and 190 s); with continuous
 * batching, by Little's law, for as long as it takes to serve the queue. */
static double room_wait_s(const struct serving *serving, const struct serving_load *load,
                          const struct memory *memory, double most)
{
    const double grown = 0.4;
    const struct job *job = serving->job;
    double asked = serving_concurrency(job, serving->layout);
    double generation = job->output_len * load->step_s, waits = 0;
    if (!serving_in_rounds(job))
        return asked > most ? (asked / most - 1) * job->output_len * load->tpot_s : 0;
    double room = fmax(1, floor(memory->kv_tokens / (job->input_len + grown * job->output_len)));
    for (double wave = 1; wave * room < asked && wave < 1000; wave++)
        waits += asked - wave * room;
    return waits / asked * generation;
}

/* The wait for the first token besides the prompt's own prefill. Requests at a rate, and a number
 * of users with a target for the first token, are a service: they come when they like. */
static double first_token_wait_s(const struct serving *serving, const struct serving_load *load,
                                 const struct memory *memory, double most)
{
    const struct job *job = serving->job;
    double generation = load->prefill_s + job->output_len * load->tpot_s;
    if (job->saturated)
        return load->step_s;
    if (job->requests_per_s > 0)
        return queue_s(load, job->requests_per_s / fmax(1, serving->layout->dp));
    double room = room_wait_s(serving, load, memory, most);
    if (job->ttft_ms > 0)
        return room + (load->batch > 1 ? queue_s(load, load->batch / generation) : 0);
    return room + prompts_wait_s(serving, load);
}

/* How far a service may be loaded before its queue grows without bound in practice. */
static const double usable_load = 0.8;

static void set_capacity(const struct serving *serving, double most, struct speed *speed)
{
    const struct job *job = serving->job;
    struct serving_load full = serving_at(serving, most);
    double per_replica = full.output_tokens_per_s / job->output_len * usable_load;
    speed->requests_per_s = per_replica * serving->layout->dp;
    speed->replicas =
        job->requests_per_s > 0 ? (int)ceil(fmin(1e6, job->requests_per_s / per_replica)) : 1;
    speed->meets_latency =
        (job->ttft_ms <= 0 || isnan(speed->ttft_ms) || speed->ttft_ms <= job->ttft_ms) &&
        (job->tpot_ms <= 0 || speed->tpot_ms <= job->tpot_ms) &&
        (job->requests_per_s <= 0 || job->requests_per_s <= speed->requests_per_s);
}

static void set_band(const struct serving *serving, struct speed *speed)
{
    const struct serving_constants *shared = &serving->constants->serving;
    double half = !serving->measured ? shared->estimate_band
                  : speed->batch > 1 ? shared->batch_band
                                     : shared->band;
    speed->low_tokens_per_s = speed->tokens_per_s * (1 - half);
    speed->high_tokens_per_s = speed->tokens_per_s * (1 + half);
    speed->measured = serving->measured;
}

struct speed speed_infer(const struct job *job, const struct hardware *hardware,
                         const struct layout *layout, const struct memory *memory,
                         const struct constants *constants)
{
    struct speed speed = not_modelled();
    struct serving serving = serving_on(job, hardware, layout, constants);
    if (!serving.known)
        return speed;
    double most = serving_largest_batch(&serving, hardware, memory);
    double batch = serving_load_batch(&serving, most);
    struct serving_load load = serving_at(&serving, batch);
    double dp = fmax(1, layout->dp);
    /* Fewer requests than replicas: the others stand idle. */
    double replicas =
        job->saturated || job->requests_per_s > 0 ? dp : fmin(dp, fmax(1, job->concurrency));

    for (int i = 0; i < TERM_COUNT; i++)
        speed.terms_s[i] = 0;
    speed.step_s =
        serving_step_s(&serving, batch, job->input_len + job->output_len / 2, speed.terms_s);
    speed.bound_by = largest_part(speed.terms_s);
    speed.batch = batch;
    speed.decode_tokens_per_s = replicas * batch / speed.step_s;
    speed.prefill_tokens_per_s = replicas * job->input_len / load.prefill_s;
    speed.output_tokens_per_s = replicas * load.output_tokens_per_s;
    if (job->requests_per_s > 0 && !job->saturated)
        speed.output_tokens_per_s =
            fmin(speed.output_tokens_per_s, job->requests_per_s * job->output_len);
    speed.tokens_per_s =
        speed.output_tokens_per_s * (job->input_len + job->output_len) / job->output_len;
    /* in rounds prompts come before all decoding, not in between */
    speed.tpot_ms = (serving_in_rounds(job) ? load.step_s : load.tpot_s) * 1e3;
    speed.ttft_ms = (load.prefill_s + first_token_wait_s(&serving, &load, memory, most)) * 1e3;
    speed.request_s =
        ((isnan(load.prefill_s) ? 0 : speed.ttft_ms) + job->output_len * speed.tpot_ms) / 1e3;
    set_capacity(&serving, most, &speed);
    double flops = 2 * (double)job->params.matmul_active *
                   (isnan(load.prefill_s) ? speed.output_tokens_per_s : speed.tokens_per_s);
    speed.tflops_per_gpu = flops / 1e12 / hardware->gpus;
    speed.mfu = speed.tflops_per_gpu / (hardware->gpu->fp16_tflops * hardware->gpu_fraction);
    speed.tokens_per_s_per_gpu = speed.tokens_per_s / hardware->gpus;
    set_band(&serving, &speed);
    return speed;
}
