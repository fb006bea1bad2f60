/* speed.c - tables of terms and bounds, what cards reach, and the dispatch between the halves. */
#include "engine/speed.h"

#include <math.h>
#include "base/i18n.h"

const char *const bound_names[] = {N_("compute"), N_("bandwidth"), N_("network"), N_("host"), NULL};

const struct term_info speed_terms[TERM_COUNT] = {
    [TERM_GEMM] = {"gemm", N_("matrix products")},
    [TERM_HEAD] = {"head", N_("output head, loss")},
    [TERM_ATTENTION] = {"attention", N_("attention")},
    [TERM_ELEMENTWISE] = {"elementwise", N_("norms, activations")},
    [TERM_DEQUANT] = {"dequant", N_("dequantisation")},
    [TERM_HOST] = {"host", N_("Python, launches")},
    [TERM_TP] = {"tensor_parallel", N_("tensor parallel")},
    [TERM_EXPERTS] = {"expert_parallel", N_("expert exchange")},
    [TERM_BUBBLE] = {"pipeline", N_("pipeline bubble")},
    [TERM_DATA_PARALLEL] = {"data_parallel", N_("gradients, ZeRO")},
    [TERM_OPTIMIZER] = {"optimizer", N_("optimizer step")},
    [TERM_LATENCY] = {"latency", N_("latency, stragglers")},
    [TERM_OFFLOAD] = {"offload", N_("offload to host")},
    [TERM_READ_WEIGHTS] = {"read_weights", N_("reading weights")},
    [TERM_READ_KV] = {"read_kv", N_("reading KV cache")},
};

double speed_peak_flops(const struct gpu *gpu, enum precision precision)
{
    switch (precision) {
    case PRECISION_FP32:
        return gpu->fp32_tflops * 1e12;
    case PRECISION_FP16_MIXED:
        return gpu->fp16_tflops * 1e12;
    case PRECISION_FP8_MIXED:
        return gpu->fp8_tflops * 1e12;
    default:
        return gpu->bf16_tflops * 1e12;
    }
}

/* GA10x boards (compute capability 8.6) are another process and another power limit than GA100. */
static double power_limit(const struct gpu *gpu, const struct constants *constants)
{
    bool ga10x = gpu->arch == ARCH_AMPERE && gpu->compute_capability > 8.05;
    double per_watt = ga10x ? constants->global.ga10x_tflops_per_watt
                            : constants->arch[gpu->arch].tflops_per_watt;
    double limit = per_watt * gpu->tdp_w / gpu->fp16_tflops;
    return limit > 0 ? limit : 1; /* without a stated power or rate there is none to derate */
}

double speed_gemm_share(const struct gpu *gpu, const struct constants *constants)
{
    return fmin(constants->arch[gpu->arch].gemm, power_limit(gpu, constants));
}

/* The measured cards are the large dies (V100, A100, H100, H200 and their export versions with full
 * rates), all with 139 to 412 FLOPs for a byte of memory traffic. The boards of the same generation
 * (A10, A40) have another die; an H20 has 37 FLOPs for a byte and no published training figure. */
bool speed_train_measured(const struct gpu *gpu, enum stack stack,
                          const struct constants *constants)
{
    const struct stack_constants *of_stack = &constants->stack[stack];
    bool large_die = fmod(gpu->compute_capability, 1) < 0.05;
    bool balanced = gpu->fp16_tflops * 1e3 / gpu->bandwidth_gbs >= 100;
    return constants->arch[gpu->arch].measured && large_die && balanced &&
           (gpu->arch >= ARCH_HOPPER ? of_stack->measured_hopper : of_stack->measured_ampere);
}

enum { CALIBRATED_PERCENT = 10 }; /* run-to-run scatter left after a run of the user's own */

static void apply_run(const struct calibration *run, struct speed *speed)
{
    double rate = run->speed_ratio;
    speed->calibrated = run->date;
    if (rate == 1)
        return; /* only memory was measured */
    double *const rates[] = {
        &speed->tokens_per_s,        &speed->tokens_per_s_per_gpu, &speed->mfu,
        &speed->tflops_per_gpu,      &speed->prefill_tokens_per_s, &speed->decode_tokens_per_s,
        &speed->output_tokens_per_s, &speed->requests_per_s};
    double *const times[] = {&speed->step_s, &speed->ttft_ms, &speed->tpot_ms, &speed->request_s};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        *rates[i] *= rate;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] /= rate;
    for (int i = 0; i < TERM_COUNT; i++)
        speed->terms_s[i] /= rate;
    speed->low_tokens_per_s = speed->tokens_per_s / (1 + CALIBRATED_PERCENT / 100.0);
    speed->high_tokens_per_s = speed->tokens_per_s * (1 + CALIBRATED_PERCENT / 100.0);
}

struct speed speed_estimate(const struct job *job, const struct hardware *hardware,
                            const struct layout *layout, const struct memory *memory,
                            const struct constants *constants)
{
    bool serve = job->workload == WORKLOAD_INFERENCE;
    struct speed speed = serve ? speed_infer(job, hardware, layout, memory, constants)
                               : speed_train(job, hardware, layout, constants);
    const char *software = serve ? engine_names[job->engine] : stack_names[job->stack];
    const struct calibration *run = constants_calibration(constants, software, hardware->gpu->id);
    if (run)
        apply_run(run, &speed);
    return speed;
}
