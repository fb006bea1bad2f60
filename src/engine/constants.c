#include "engine/constants.h"

#include <string.h>

const char *const constant_group_names[] = {"stack", "engine", "arch", "global", NULL};

#define STACK(member, unit, minimum, maximum, help) \
    {GROUP_STACK, #member, unit, offsetof(struct stack_constants, member), false, minimum, maximum, help}
#define STACK_FLAG(member, help) \
    {GROUP_STACK, #member, "yes/no", offsetof(struct stack_constants, member), true, 0, 1, help}
#define GLOBAL(member, unit, minimum, maximum, help) \
    {GROUP_GLOBAL, #member, unit, offsetof(struct constants, global.member), false, minimum, maximum, help}
#define ENGINE(member, unit, minimum, maximum, help) \
    {GROUP_ENGINE, #member, unit, offsetof(struct engine_constants, member), false, minimum, maximum, help}
#define ARCH(member, unit, minimum, maximum, help) \
    {GROUP_ARCH, #member, unit, offsetof(struct arch_constants, member), false, minimum, maximum, help}
#define SERVING(member, unit, minimum, maximum, help) \
    {GROUP_GLOBAL, "serving_" #member, unit, offsetof(struct constants, serving.member), false, minimum, maximum, help}
#define ARCH_FLAG(member, help) \
    {GROUP_ARCH, #member, "yes/no", offsetof(struct arch_constants, member), true, 0, 1, help}

/* Columns: member (also the key in engine.yaml), unit, smallest and largest value, meaning. */
const struct constant_info constant_table[] = {
    /* training memory */
    STACK(slack, "share", 0, 0.6, "allocator slack over what is allocated besides model states"),
    STACK(context_gib, "GiB", 0, 4, "CUDA context and first communicator of one GPU"),
    STACK(logit_bytes, "bytes", 0, 24, "per token and vocabulary entry without a fused loss"),
    STACK(pretrain_logit_bytes, "bytes", 0, 24, "the same in pretraining"),
    STACK(fused_logit_bytes, "bytes", 0, 4, "per token and vocabulary entry with a fused loss"),
    STACK(length_exponent, "exponent", 0, 0.6, "how much less than a long cap real samples grow"),
    STACK(norm_bytes, "bytes", 0, 16, "extra per token, layer and hidden element (fp32 norms)"),
    STACK(adapter_input_bytes, "bytes", 0, 5, "per token and input element of an adapted layer"),
    STACK(dequant_saved_bytes, "bytes", 0, 4, "per token and element, kept for quantised layers"),
    STACK(dequant_copies, "copies", 0, 4, "of a head-sized 16-bit matrix while dequantising"),
    STACK(backward_share, "share", 0, 4, "of a layer's activations, live while it is recomputed"),
    STACK(selective_share, "share", 0, 1, "of the activations, kept under selective recomputation"),
    STACK(compile_share, "share", 0.5, 1, "of the activations, left by torch.compile"),
    STACK(gradient_bytes, "bytes", 2, 4, "of a gradient in mixed precision"),
    STACK(foreach_share, "share", 0, 1.5, "of the 16-bit weights, copied at the optimizer step"),
    STACK(live_units, "layers", 1, 4, "gathered at a time under ZeRO-3 or FSDP"),
    STACK(live_params_b, "1e9", 0, 100, "parameters gathered at most; 0 = no limit"),
    STACK(root_copies, "copies", 0, 6, "of embedding and head gathered with them"),
    STACK(bucket_gib, "GiB", 0, 10, "communication buckets in the backward pass"),
    STACK(step_gib, "GiB", 0, 16, "buckets at the optimizer step"),
    STACK(step_bytes, "bytes", 0, 4, "fp32 copy of the gradients at the optimizer step"),
    STACK_FLAG(shards_quantised, "ZeRO-3 or FSDP splits quantised weights too"),
    STACK(band_low, "share", 0, 1, "band below what is needed besides model states"),
    STACK(band_high, "share", 0, 2, "band above what is needed besides model states"),
    STACK_FLAG(memory_measured, "fitted to measurements of this stack"),
    GLOBAL(states_band, "share", 0, 0.2, "band around model states"),
    GLOBAL(communicator_gib, "GiB", 0, 2, "each further group of communicating GPUs"),
    /* training speed */
    STACK(overlap, "share", 0, 1, "data-parallel traffic hidden behind compute"),
    STACK(tp_overlap, "share", 0, 1, "tensor-parallel traffic hidden behind compute"),
    STACK(host_s_per_layer, "s", 0, 0.1, "Python and launch floor of one layer, forward + backward"),
    STACK(attention_hopper, "share", 0.01, 1, "attention efficiency on Hopper and newer"),
    STACK(attention_ampere, "share", 0.01, 1, "attention efficiency before Hopper"),
    STACK(elementwise_bytes, "bytes", 10, 3000, "traffic per token, layer and unit of width"),
    STACK(fp8_bytes, "bytes", 0, 1000, "traffic added by unfused fp8 casts"),
    STACK(adapter_bytes, "bytes", 0, 3000, "traffic added by LoRA adapters"),
    STACK(autocast_bytes, "bytes", 0, 3000, "traffic added to adapters by mixed precision"),
    STACK(host_s_per_expert, "s", 0, 0.1, "launch floor of one expert looped over in Python"),
    STACK(selective_gemm, "share", 0, 1, "matrix products repeated by selective recomputation"),
    STACK(zero3, "share", 0.01, 1, "achieved share of link or network in ZeRO-3"),
    STACK(reduce_bytes, "bytes", 1, 4, "of a gradient element in ZeRO-2 and 3 reductions"),
    STACK(optimizer_s, "s/1e9", 0, 5, "fixed cost of an optimizer step, per billion parameters"),
    STACK(tcp_slowdown, "ratio", 1, 5, "step time between machines joined by TCP"),
    STACK_FLAG(measured_ampere, "measured on Ampere and older cards"),
    STACK_FLAG(measured_hopper, "measured on Hopper cards"),
    STACK(speed_band, "share", 0, 3, "half width of the band around a measured speed"),
    GLOBAL(half_tokens, "tokens", 0, 5000, "micro-batch at half the matrix rate"),
    GLOBAL(fp8_gemm, "share", 0.1, 1, "fp8 matrix efficiency relative to 16-bit"),
    GLOBAL(ga10x_tflops_per_watt, "TFLOPS/W", 0.05, 5, "power limit of GA10x boards"),
    GLOBAL(achieved_bandwidth, "share", 0.1, 1, "memory bandwidth in elementwise kernels"),
    GLOBAL(logit_traffic, "bytes", 0, 200, "moved per logit by the unfused loss"),
    GLOBAL(eager_attention, "share", 0.01, 1, "peak share of attention products without flash"),
    GLOBAL(score_traffic, "bytes", 0, 400, "moved per attention score without flash"),
    GLOBAL(compiled_share, "share", 0.1, 1, "elementwise traffic left under torch.compile"),
    GLOBAL(moe_gemm, "share", 0.05, 1, "grouped expert products relative to dense ones"),
    GLOBAL(moe_bytes, "bytes", 0, 3000, "traffic per routed token and hidden element"),
    GLOBAL(dequant_int4, "bytes", 0, 200, "per GPTQ or AWQ weight and pass"),
    GLOBAL(dequant_nf4, "bytes", 0, 200, "per bitsandbytes weight and pass"),
    GLOBAL(dequant_overlap, "share", 0, 1, "share of dequantisation that hides behind products"),
    GLOBAL(optimizer_bytes, "bytes", 1, 200, "AdamW traffic per parameter"),
    GLOBAL(nvlink, "share", 0.05, 1, "achieved share of NVLink"),
    GLOBAL(pcie, "share", 0.05, 1, "achieved share of PCIe through the host"),
    GLOBAL(pcie_switch, "share", 0.05, 1, "achieved share of PCIe under one switch"),
    GLOBAL(rdma, "share", 0.05, 1, "achieved share of an RDMA network"),
    GLOBAL(tcp, "share", 0.05, 1, "achieved share of a TCP network"),
    GLOBAL(collective_s, "s", 0, 0.001, "latency of a collective, per rank"),
    GLOBAL(straggler, "share", 0, 0.1, "step time added per doubling of the machines"),
    GLOBAL(cpu_adam_s, "s/1e9", 0, 100, "optimizer step on the host, per billion parameters"),
    GLOBAL(unmeasured_band, "share", 0, 3, "widens the band of unmeasured cards and stacks"),
    /* serving */
    ENGINE(step_s, "s", 0, 1, "fixed part of a decode step"),
    ENGINE(layer_s, "s", 0, 0.1, "part of a decode step per layer"),
    ENGINE(moe_layer_s, "s", 0, 0.1, "what routing adds per layer with experts"),
    ENGINE(moe_launch_s, "s", 0, 0.1, "prefill of a layer with experts at least takes on the host"),
    ENGINE(packed_layer_s, "s", 0, 0.1, "what kernels of GPTQ and AWQ weights add per layer"),
    ENGINE(kv_sm_bytes, "bytes", 1, 100, "taken in by one multiprocessor per clock, cache of a sequence"),
    ENGINE(prefill_exposed, "share", 0, 1, "of the shorter of reading and multiplying in a prefill"),
    ENGINE(bandwidth, "share", 0.01, 1, "achieved share of memory bandwidth, reading weights"),
    ENGINE(kv_bandwidth, "share", 0.01, 1, "achieved share of memory bandwidth, reading the cache"),
    ENGINE(sm_bytes, "bytes", 1, 100, "taken in by one multiprocessor per clock, reading weights"),
    SERVING(gemm, "share", 0.1, 1, "of the dense peak, prefill GEMMs without their memory traffic"),
    SERVING(flop_bytes, "bytes", 0, 0.01, "memory traffic that comes with each FLOP of prefill"),
    SERVING(large_cache, "share", 0.1, 1, "of that traffic on Ada, with its large level-2 cache"),
    SERVING(expert_gemm, "share", 0.1, 1, "of prefill's rate, the GEMMs of experts"),
    SERVING(batch_gemm, "share", 0.1, 1, "of prefill's rate, the GEMMs of a decode batch"),
    SERVING(low_power, "share", 0.1, 1, "of the peak, cards below 300 W"),
    SERVING(int4, "share", 0.1, 1, "of the bandwidth share, 4-bit kernels"),
    SERVING(int4_old, "share", 0.1, 1, "of the bandwidth share, 4-bit kernels before Ampere"),
    SERVING(nf4_passes, "passes", 0, 10, "over a 16-bit copy to dequantise NF4"),
    SERVING(kv_copies, "passes", 1, 10, "over the repeated heads' cache in transformers' attention"),
    SERVING(nvlink, "share", 0.1, 1, "of one direction of NVLink, all-reduce"),
    SERVING(nvlink_latency_s, "s", 0, 0.001, "of one all-reduce over NVLink"),
    SERVING(pcie_latency_s, "s", 0, 0.001, "of one all-reduce over PCIe"),
    SERVING(network_latency_s, "s", 0, 0.01, "of one all-reduce between machines"),
    SERVING(tcp_latency_s, "s", 0, 0.01, "of one all-reduce between machines without RDMA"),
    SERVING(pcie_gbs, "GB/s", 1, 64, "all-reduce over PCIe 4.0 x16"),
    SERVING(burst, "share", 0, 1, "of the other requests' prefill that a request waits for"),
    SERVING(first_wave, "share", 0, 1, "of a benchmark's requests, those that start all at once"),
    SERVING(nccl_small, "ratio", 1, 20, "NCCL all-reduces of few tokens, cost of a byte"),
    SERVING(nccl_large_s, "s", 0, 0.001, "NCCL all-reduces of many tokens, longer to start"),
    SERVING(sampler_bytes, "bytes", 0, 100, "vLLM, per sequence slot and vocabulary entry"),
    SERVING(memory_band, "share", 0, 0.5, "half width of the band around the memory need"),
    SERVING(band, "share", 0, 1, "half width of the speed band, one user"),
    SERVING(batch_band, "share", 0, 1, "half width of the speed band, batches"),
    SERVING(estimate_band, "share", 0, 1, "half width of the speed band, cards not measured"),
    /* hardware */
    ARCH(gemm, "share", 0.01, 1, "achieved share of the dense peak, large matrices"),
    ARCH_FLAG(measured, "gemm was measured on this generation, not assumed"),
    ARCH(tflops_per_watt, "TFLOPS/W", 0.01, 20, "16-bit products the power limit sustains"),
    {0},
};

int constant_members(enum constant_group group)
{
    static const int members[GROUP_COUNT] = {STACK_COUNT, ENGINE_COUNT, ARCH_COUNT, 1};
    return members[group];
}

const char *constant_member_name(enum constant_group group, int member)
{
    switch (group) {
    case GROUP_STACK: return stack_names[member];
    case GROUP_ENGINE: return engine_names[member];
    case GROUP_ARCH: return gpu_arch_names[member];
    default: return "value";
    }
}

/* Where a constant stands in `constants`, as an offset from its start. */
static size_t place(const struct constant_info *info, int member)
{
    size_t index = (size_t)member;
    switch (info->group) {
    case GROUP_STACK:
        return offsetof(struct constants, stack) + index * sizeof(struct stack_constants) + info->offset;
    case GROUP_ENGINE:
        return offsetof(struct constants, engine) + index * sizeof(struct engine_constants) + info->offset;
    case GROUP_ARCH:
        return offsetof(struct constants, arch) + index * sizeof(struct arch_constants) + info->offset;
    default:
        return info->offset;
    }
}

double constant_get(const struct constants *constants, const struct constant_info *info, int member)
{
    const char *at = (const char *)constants + place(info, member);
    bool flag;
    double value;
    if (info->is_bool) {
        memcpy(&flag, at, sizeof flag);
        return flag ? 1 : 0;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

void constant_set(struct constants *constants, const struct constant_info *info, int member,
                  double value)
{
    char *at = (char *)constants + place(info, member);
    bool flag = value != 0;
    if (info->is_bool)
        memcpy(at, &flag, sizeof flag);
    else
        memcpy(at, &value, sizeof value);
}

const struct calibration *constants_calibration(const struct constants *constants,
                                                const char *stack, const char *gpu)
{
    for (size_t i = constants->calibration_count; i-- > 0;)
        if (!strcmp(constants->calibrations[i].stack, stack)
            && !strcmp(constants->calibrations[i].gpu, gpu))
            return &constants->calibrations[i];
    return NULL;
}
