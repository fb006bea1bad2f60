#include "tests/test.h"

#include "engine/comm.h"
#include "engine/flops.h"
#include "engine/offers.h"
#include "engine/speed.h"

/* Hand-worked values stand on an ideal world: a card of 100 TFLOP/s (200 at fp8) and 1000 GB/s, and
 * constants that take nothing away. What a test is about is then switched on. The model is
 * Llama-2-7B: a layer has 4 * 4096^2 + 3 * 4096 * 11008 = 202,375,168 matrix elements, 32 of them
 * 6,476,005,376, the head 32000 * 4096 = 131,072,000. */
#define LAYER 202375168.0
#define LAYERS 6476005376.0
#define HEAD 131072000.0

static struct scenario nothing_said;
static struct weight_format bf16 = {.id = "bf16", .bits_per_weight = 16};
static struct weight_format nf4 = {.id = "nf4", .bits_per_weight = 4.5, .quantised = true};
static struct weight_format gptq = {.id = "gptq-int4", .bits_per_weight = 4.25, .quantised = true};

static struct gpu card(void)
{
    return (struct gpu){.id = "ideal",
                        .name = "ideal",
                        .arch = ARCH_AMPERE,
                        .bandwidth_gbs = 1000,
                        .fp32_tflops = 10,
                        .fp16_tflops = 100,
                        .bf16_tflops = 100,
                        .fp8_tflops = 200,
                        .nvlink_gbs = 600,
                        .pcie_gen = 4,
                        .bf16 = true,
                        .fp8 = true,
                        .compute_capability = 8.0,
                        .tdp_w = 400};
}

static struct model llama_7b(void)
{
    return (struct model){.id = "llama",
                          .layers = 32,
                          .hidden_size = 4096,
                          .heads = 32,
                          .kv_heads = 32,
                          .head_dim = 128,
                          .ffn_size = 11008,
                          .vocab_size = 32000,
                          .ffn_gated = true,
                          .norms_per_layer = 2};
}

/* One thing to time, with everything it borrows. */
struct bench {
    struct gpu gpu;
    struct model model;
    struct job job;
    struct hardware hardware;
    struct layout layout;
    struct constants constants;
};

static struct constants ideal(void)
{
    struct constants constants = {.global = {.fp8_gemm = 1,
                                             .ga10x_tflops_per_watt = 1,
                                             .achieved_bandwidth = 1,
                                             .eager_attention = 1,
                                             .compiled_share = 1,
                                             .moe_gemm = 1,
                                             .nvlink = 1,
                                             .pcie = 0.5,
                                             .pcie_switch = 0.65,
                                             .rdma = 1,
                                             .tcp = 0.5}};
    for (int i = 0; i < ARCH_COUNT; i++)
        constants.arch[i] =
            (struct arch_constants){.gemm = 1, .measured = true, .tflops_per_watt = 9};
    for (int i = 0; i < STACK_COUNT; i++)
        constants.stack[i] = (struct stack_constants){.attention_hopper = 1,
                                                      .attention_ampere = 1,
                                                      .zero3 = 1,
                                                      .reduce_bytes = 2,
                                                      .tcp_slowdown = 1,
                                                      .measured_ampere = true,
                                                      .measured_hopper = true};
    return constants;
}

static void on_model(struct bench *bench, struct model model)
{
    bench->model = model;
    bench->job.model = &bench->model;
    bench->job.params = model_count(&bench->model);
    bench->job.kv = model_kv_layers(&bench->model);
    bench->job.trainable_params = bench->job.params.total;
}

/* One GPU, one micro-batch of one sequence of 2048 tokens. */
static void begin(struct bench *bench)
{
    *bench = (struct bench){
        .gpu = card(),
        .job = {.scenario = &nothing_said,
                .workload = WORKLOAD_PRETRAIN,
                .weights = &bf16,
                .stack = STACK_FSDP,
                .seq_len = 2048},
        .hardware = {.gpus = 1,
                     .gpus_per_node = 1,
                     .nodes = 1,
                     .link = LINK_NVLINK,
                     .link_gbs = 600,
                     .gpu_fraction = 1},
        .layout = {.tp = 1,
                   .pp = 1,
                   .vp = 1,
                   .cp = 1,
                   .ep = 1,
                   .dp = 1,
                   .micro_batch = 1,
                   .micro_batches = 1,
                   .flash_attention = true},
        .constants = ideal(),
    };
    bench->hardware.gpu = &bench->gpu;
    on_model(bench, llama_7b());
}

static void on_machines(struct bench *bench, int nodes, double gbps, bool rdma)
{
    bench->hardware.gpus_per_node = 8;
    bench->hardware.nodes = nodes;
    bench->hardware.gpus = 8 * nodes;
    bench->hardware.network_gbps = gbps;
    bench->hardware.rdma = rdma;
    bench->layout.dp = 8 * nodes / (bench->layout.tp * bench->layout.pp);
}

static struct speed timed(const struct bench *bench)
{
    return speed_train(&bench->job, &bench->hardware, &bench->layout, &bench->constants);
}

static double term(const struct bench *bench, enum speed_term which)
{
    return timed(bench).terms_s[which];
}

/* ---- FLOPs ---------------------------------------------------------------------------------- */

/* 6 * 6.476e9 * 2048 = 7.9577e13 FLOPs at 1e14 a second; recomputation makes 8 of the 6. */
static void a_token_costs_six_flops_a_parameter_and_eight_with_recomputation(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    assert_near(term(&bench, TERM_GEMM), 0.795771540602880, 1e-9);
    bench.layout.recompute = RECOMPUTE_FULL;
    assert_near(term(&bench, TERM_GEMM), 1.06102872080384, 1e-9);
    assert_near(term(&bench, TERM_HEAD), 6 * HEAD * 2048 / 1e14, 1e-9); /* never recomputed */
}

static void lora_skips_the_weight_gradients_of_frozen_matrices(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.job.workload = WORKLOAD_LORA;
    bench.job.trainable_params = 0;
    assert_near(term(&bench, TERM_GEMM), 4 * LAYERS * 2048 / 1e14, 1e-9);
    bench.layout.recompute = RECOMPUTE_FULL;
    assert_near(term(&bench, TERM_GEMM), 6 * LAYERS * 2048 / 1e14, 1e-9);
    assert_near(term(&bench, TERM_HEAD), 4 * HEAD * 2048 / 1e14, 1e-9);
    bench.job.train_embeddings = true; /* one table of 131,072,000 elements, the other the head */
    bench.job.trainable_params = 2 * (uint64_t)HEAD;
    assert_near(term(&bench, TERM_HEAD), 6 * HEAD * 2048 / 1e14, 1e-9);
    assert_near(term(&bench, TERM_GEMM), 6 * LAYERS * 2048 / 1e14, 1e-9);
}

/* Causal forward 2 * L * h * s = 5.3687e8 FLOPs a token, 1.0995e12 for 2048 of them: 3.5 times with
 * the flash backward pass, 4.5 with recomputation. */
static void flash_attention_executes_half_the_square_three_and_a_half_times(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    assert_near(term(&bench, TERM_ATTENTION), 3.5 * 1.099511627776e12 / 1e14, 1e-9);
    bench.layout.recompute = RECOMPUTE_FULL;
    assert_near(term(&bench, TERM_ATTENTION), 4.5 * 1.099511627776e12 / 1e14, 1e-9);
}

/* The whole square, 3 times; 32 layers * 32 heads * 2048^2 = 4.295e9 scores at 10 bytes: 42.9 ms.
 */
static void without_flash_attention_every_score_passes_through_memory(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.layout.flash_attention = false;
    bench.constants.global.score_traffic = 10;
    double eager = 6 * 1.099511627776e12 / 1e14 + 4.294967296e10 / 1e12;
    assert_near(term(&bench, TERM_ATTENTION), eager, 1e-9);
    bench.layout.flash_attention = true;
    bench.gpu.arch = ARCH_VOLTA; /* it does not run there, whatever is asked for */
    assert_near(term(&bench, TERM_ATTENTION), eager, 1e-9);
}

/* A window of 1024 in 4096 tokens: the average query sees 1024 - 1024^2 / 8192 = 896 keys, not
 * 2048. */
static void a_sliding_window_costs_what_it_sees(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.job.seq_len = 4096;
    double whole = term(&bench, TERM_ATTENTION);
    struct model local = llama_7b();
    local.attention.window = 1024;
    local.attention.local_layers = 32;
    on_model(&bench, local);
    assert_near(term(&bench, TERM_ATTENTION) / whole, 896.0 / 2048, 1e-9);
}

/* 6 * (6,476,005,376 + 131,072,000) + 12 * 32 * 4096 * 2048 = 42,863,689,728 a token. */
static void mfu_counts_as_the_literature_does(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    assert_near(flops_model(&bench.job), 42863689728.0, 1e-12);
    bench.layout.recompute = RECOMPUTE_FULL; /* repeated work is no model FLOP */
    struct speed speed = timed(&bench);
    assert_near(speed.mfu, speed.tokens_per_s_per_gpu * 42863689728.0 / 1e14, 1e-9);
    assert_near(speed.tflops_per_gpu, speed.mfu * 100, 1e-9);
}

/* 8 experts of which 2 are met: 2 * 3 * 4096 * 11008 and a router of 8 * 4096 beside attention. */
static void a_token_meets_only_its_experts(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    struct model mixture = llama_7b();
    mixture.ffn_size = 0;
    mixture.moe.experts = 8;
    mixture.moe.top_k = 2;
    mixture.moe.ffn_size = 11008;
    mixture.moe.every = 1;
    on_model(&bench, mixture);
    double met = 4 * 4096.0 * 4096 + 2 * 3 * 4096.0 * 11008 + 8 * 4096;
    assert_near(term(&bench, TERM_GEMM), 6 * 32 * met * 2048 / 1e14, 1e-9);
}

static void fp8_doubles_the_layers_but_not_the_head(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    struct speed half = timed(&bench);
    bench.job.precision = PRECISION_FP8_MIXED;
    struct speed eighth = timed(&bench);
    assert_near(eighth.terms_s[TERM_GEMM], half.terms_s[TERM_GEMM] / 2, 1e-9);
    assert_near(eighth.terms_s[TERM_HEAD], half.terms_s[TERM_HEAD], 1e-9);
    assert_near(eighth.terms_s[TERM_ATTENTION], half.terms_s[TERM_ATTENTION], 1e-9);
}

/* ---- floors --------------------------------------------------------------------------------- */

static void a_small_micro_batch_leaves_the_tensor_cores_waiting(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.constants.global.half_tokens = 512;
    bench.job.seq_len = 512; /* half the rate */
    assert_near(term(&bench, TERM_GEMM), 2 * 6 * LAYERS * 512 / 1e14, 1e-9);
}

/* 10 ms a layer, 32 layers, 3 of 4 passes: 0.24 s, whatever the 0.05 s of work on the device. */
static void a_slow_host_sets_a_floor_under_short_sequences(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.constants.stack[STACK_FSDP].host_s_per_layer = 0.01;
    bench.job.seq_len = 128;
    struct speed speed = timed(&bench);
    assert_near(speed.step_s - speed.terms_s[TERM_HEAD], 0.24, 0.001);
    assert_int_equal(speed.bound_by, BOUND_HOST);
    bench.job.seq_len = 8192; /* 3.8 s of work hide it */
    assert_true(term(&bench, TERM_HOST) < 0.001);
}

/* 6.476e9 weights * 20 bytes * 2 passes / 1 TB/s = 0.259 s beside 0.530 s of products: half of it
 * hides. */
static void four_bit_weights_are_unpacked_before_every_product(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.job.workload = WORKLOAD_LORA;
    bench.job.trainable_params = 0;
    bench.job.weights = &nf4;
    bench.constants.global.dequant_nf4 = 20;
    bench.constants.global.dequant_int4 = 40;
    bench.constants.global.dequant_overlap = 0.5;
    struct speed speed = timed(&bench);
    double busy = speed.terms_s[TERM_GEMM] + speed.terms_s[TERM_ATTENTION];
    assert_near(speed.terms_s[TERM_DEQUANT],
                LAYERS * 20 / 1e12 + hypot(busy, LAYERS * 20 / 1e12) - busy, 1e-9);
    bench.job.weights = &gptq;
    assert_near(term(&bench, TERM_DEQUANT),
                LAYERS * 40 / 1e12 + hypot(busy, LAYERS * 40 / 1e12) - busy, 1e-9);
    bench.job.weights = &bf16;
    assert_near(term(&bench, TERM_DEQUANT), 0, 0);
}

/* ---- links and networks --------------------------------------------------------------------- */

/* One all-reduce of 4096 tokens at h = 4096 over 8 GPUs moves 2 * 7/8 * 4096 * 4096 * 2 = 58.7 MB a
 * GPU; 128 of them 7.516 GB: 25 ms at 300 GB/s of NVLink, 470 ms at 16 GB/s of PCIe 4. */
static void tensor_parallelism_over_pcie_costs_19_times_what_nvlink_does(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.layout.tp = 8;
    bench.job.seq_len = 4096;
    on_machines(&bench, 1, 0, false);
    assert_near(term(&bench, TERM_TP), 7516192768.0 / 300e9, 1e-9);
    bench.hardware.link = LINK_PCIE;
    bench.hardware.link_gbs = 0;
    assert_near(term(&bench, TERM_TP), 7516192768.0 / 16e9, 1e-9);
    assert_int_equal(timed(&bench).bound_by, BOUND_NETWORK);
    bench.gpu.pcie_gen = 3;
    assert_near(term(&bench, TERM_TP), 7516192768.0 / 8e9, 1e-9);
    bench.hardware.link = LINK_PCIE_SWITCH;
    assert_near(term(&bench, TERM_TP), 7516192768.0 / (16e9 * 0.65), 1e-9);
}

/* In fp32 every element that is sent has 4 bytes: twice the 25 ms above, and of gradients 2 * 4 bytes
 * for each of the 6,738,415,616 parameters (an all-reduce passes everything twice). */
static void fp32_sends_twice_the_bytes(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.layout.tp = 8;
    bench.job.seq_len = 4096;
    bench.job.precision = PRECISION_FP32;
    on_machines(&bench, 1, 0, false);
    assert_near(term(&bench, TERM_TP), 2 * 7516192768.0 / 300e9, 1e-9);
    bench.layout.tp = 1;
    bench.layout.dp = 8;
    /* 7/8 of 53.9 GB at 300 GB/s, nothing hidden */
    assert_near(term(&bench, TERM_DATA_PARALLEL), 8 * 6738415616.0 * 0.875 / 300e9, 1e-9);
}

/* 16 ranks on 2 machines: each machine lacks half of the payload; at 400 Gbit/s that is 10 ps a
 * byte, twice as much over TCP that reaches half its rate. Inside one machine only the link counts.
 */
static void a_collective_between_machines_waits_for_the_network(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    on_machines(&bench, 2, 400, true);
    assert_near(comm_ring_s_per_byte(&bench.hardware, &bench.constants, 16, 1), 0.5 / 50e9, 1e-9);
    bench.hardware.rdma = false;
    assert_near(comm_ring_s_per_byte(&bench.hardware, &bench.constants, 16, 1), 0.5 / 25e9, 1e-9);
    /* tp = 8: two ranks, one on each machine, and eight such pairs share its network */
    assert_near(comm_ring_s_per_byte(&bench.hardware, &bench.constants, 2, 8), 8 * 0.5 / 25e9,
                1e-9);
    on_machines(&bench, 1, 0, false);
    assert_near(comm_ring_s_per_byte(&bench.hardware, &bench.constants, 8, 1), 7.0 / 8 / 300e9,
                1e-9);
    assert_near(comm_ring_s_per_byte(&bench.hardware, &bench.constants, 1, 1), 0, 0);
}

/* Bytes of a step for each of 6,738,415,616 parameters, at 10 ps a byte: ZeRO-1 4 once, ZeRO-2 2
 * once and 2 in each of 4 micro-batches, ZeRO-3 6 in each. */
static void zero_3_sends_six_bytes_a_parameter_in_every_micro_batch(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    on_machines(&bench, 2, 400, true);
    bench.layout.micro_batches = 4;
    const struct {
        int zero;
        double bytes;
    } cases[] = {{0, 4}, {1, 4}, {2, 10}, {3, 24}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench.layout.zero = cases[i].zero;
        assert_near(term(&bench, TERM_DATA_PARALLEL), cases[i].bytes * 6738415616.0 * 1e-11, 1e-9);
    }
}

static void lora_gathers_frozen_weights_under_zero_3_and_next_to_nothing_without(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    on_machines(&bench, 2, 400, true);
    bench.job.workload = WORKLOAD_LORA;
    bench.job.trainable_params = 20000000;
    assert_near(term(&bench, TERM_DATA_PARALLEL), 4 * 20e6 * 1e-11, 1e-9);
    bench.layout.zero = 3;
    assert_near(term(&bench, TERM_DATA_PARALLEL), (4 * 6738415616.0 + 2 * 20e6) * 1e-11, 1e-9);
    bench.job.weights = &nf4;
    bench.job.stack = STACK_HF; /* DeepSpeed holds quantised weights whole on every rank */
    assert_near(term(&bench, TERM_DATA_PARALLEL), 2 * 20e6 * 1e-11, 1e-9);
}

/* Overlap hides at most what compute takes, and what overlaps still adds: 3 beside 4 make 5. */
static void overlapped_traffic_adds_like_the_sides_of_a_right_angle(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    on_machines(&bench, 2, 400, true);
    double compute =
        term(&bench, TERM_GEMM) + term(&bench, TERM_HEAD) + term(&bench, TERM_ATTENTION);
    double alone = term(&bench, TERM_DATA_PARALLEL);
    bench.hardware.network_gbps =
        400 * alone / (0.75 * compute); /* traffic of 3/4 of the compute time */
    bench.constants.stack[STACK_FSDP].overlap = 1;
    assert_near(term(&bench, TERM_DATA_PARALLEL), 0.25 * compute, 1e-6);
    bench.constants.stack[STACK_FSDP].overlap = 0;
    assert_near(term(&bench, TERM_DATA_PARALLEL), 0.75 * compute, 1e-6);
}

static void tensor_parallelism_never_crosses_machines_joined_by_tcp(void **state)
{
    (void)state;
    struct bench bench;
    char text[200];
    begin(&bench);
    on_machines(&bench, 2, 100, false);
    bench.layout.tp = 16;
    bench.layout.dp = 1;
    assert_non_null(layout_reason(&bench.job, &bench.hardware, &bench.layout, text, sizeof text));
    double tcp = term(&bench, TERM_TP);
    bench.hardware.rdma = true;
    assert_null(layout_reason(&bench.job, &bench.hardware, &bench.layout, text, sizeof text));
    assert_near(tcp / term(&bench, TERM_TP), 2, 1e-9);
    bench.hardware.rdma = false;
    bench.layout.tp = 8;
    bench.layout.dp = 2;
    assert_null(layout_reason(&bench.job, &bench.hardware, &bench.layout, text, sizeof text));
}

/* (pp - 1) / v micro-batches: 8 stages and 8 micro-batches take 15/8 of the time without a bubble,
 * 23/16 in two chunks; the ratio 1.30 against 1.28 measured (pytorch/torchtitan, Llama 3.1 405B,
 * table 5). */
static void a_pipeline_waits_for_its_stages_once_a_step(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.layout.pp = 8;
    bench.layout.micro_batches = 8;
    on_machines(&bench, 1, 0, false);
    bench.hardware.link_gbs = 1e9; /* transfers take no time here */
    bench.model.vocab_size = 1;    /* nor does the head */
    struct speed plain = timed(&bench);
    double work = plain.terms_s[TERM_GEMM] + plain.terms_s[TERM_ATTENTION];
    assert_near(plain.terms_s[TERM_BUBBLE] / work, 7.0 / 8, 1e-4);
    bench.layout.vp = 2;
    struct speed interleaved = timed(&bench);
    assert_near(plain.step_s / interleaved.step_s, 30.0 / 23, 1e-3);
}

/* The last of 4 stages has the head besides its 8 layers: 3 micro-batches wait for it. */
static void the_last_stage_with_the_head_sets_the_pace(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.layout.pp = 4;
    assert_near(term(&bench, TERM_HEAD), 6 * HEAD * 2048 / 1e14, 1e-9);
    assert_near(term(&bench, TERM_GEMM), 6 * LAYERS / 4 * 2048 / 1e14, 1e-9);
}

/* 2048 tokens * 4096 * 2 bytes to 7/8 of 2 experts, 4 times in each of 32 layers, at 300 GB/s. */
static void experts_on_other_gpus_cost_an_exchange_in_every_layer(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    struct model mixture = llama_7b();
    mixture.moe.experts = 8;
    mixture.moe.top_k = 2;
    mixture.moe.ffn_size = 2048;
    mixture.moe.every = 1;
    on_model(&bench, mixture);
    on_machines(&bench, 1, 0, false);
    assert_near(term(&bench, TERM_EXPERTS), 0, 0);
    bench.layout.ep = 8;
    assert_near(term(&bench, TERM_EXPERTS), 4 * 32 * 2048.0 * 4096 * 2 * 2 * 0.875 / 300e9, 1e-9);
}

/* Two machines with 8 experts each of 16: the token's 2 experts lie on 2 * (1 - 1/4) = 1.5
 * machines, half of them the other one: 0.75 vectors cross the network, which 8 GPUs share. */
static void experts_on_other_machines_get_one_copy_for_all_of_them(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    struct model mixture = llama_7b();
    mixture.moe.experts = 16;
    mixture.moe.top_k = 2;
    mixture.moe.ffn_size = 2048;
    mixture.moe.every = 1;
    on_model(&bench, mixture);
    on_machines(&bench, 2, 400, true);
    bench.layout.ep = 16;
    double vector = 2048.0 * 4096 * 2;
    assert_near(term(&bench, TERM_EXPERTS),
                4 * 32 * vector * (2 * 15.0 / 16 / 300e9 + 0.75 * 8 / 50e9), 1e-9);
}

/* 16 ranks, experts on 8 GPUs of each machine: a pair of copies for each, 8 pairs over the same
 * network, against one ring for the weights that all ranks hold. */
static void gradients_of_spread_experts_share_the_network_of_a_machine(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    struct model mixture = llama_7b();
    mixture.moe.experts = 8;
    mixture.moe.top_k = 2;
    mixture.moe.ffn_size = 2048;
    mixture.moe.every = 1;
    on_model(&bench, mixture);
    on_machines(&bench, 2, 400, true);
    bench.layout.ep = 8;
    double experts = (double)bench.job.params.experts / 8;
    double common = (double)(bench.job.params.total - bench.job.params.experts);
    assert_near(term(&bench, TERM_DATA_PARALLEL),
                4 * common * 0.5 / 50e9 + 4 * experts * 8 * 0.5 / 50e9, 1e-9);
}

/* ---- the step ------------------------------------------------------------------------------- */

/* AdamW: 36 bytes for each of 6,738,415,616 parameters at 1 TB/s; a 16th of it under ZeRO over 16.
 */
static void zero_divides_the_optimizer_step(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.constants.global.optimizer_bytes = 36;
    assert_near(term(&bench, TERM_OPTIMIZER), 6738415616.0 * 36 / 1e12, 1e-9);
    on_machines(&bench, 2, 400, true);
    bench.layout.zero = 1;
    assert_near(term(&bench, TERM_OPTIMIZER), 6738415616.0 * 36 / 1e12 / 16, 1e-9);
}

/* 4 bytes a parameter over 16 GB/s of PCIe 4 and 0.25 s of Adam per billion parameters on the host.
 */
static void an_offloaded_optimizer_pays_the_host_link_and_the_host(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.constants.global.cpu_adam_s = 0.25;
    bench.layout.offload = OFFLOAD_OPTIMIZER;
    struct speed speed = timed(&bench);
    assert_near(speed.terms_s[TERM_OFFLOAD], 6.738415616 * (4 / 16.0 + 0.25), 1e-9);
    assert_near(speed.terms_s[TERM_OPTIMIZER], 0, 0);
    bench.layout.offload =
        OFFLOAD_PARAMS; /* and the weights twice in a micro-batch, 2 bytes each */
    assert_near(term(&bench, TERM_OFFLOAD), 6.738415616 * (4 / 16.0 + 0.25 + 4 / 16.0), 1e-9);
}

static void the_terms_add_up_to_the_step(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    assert_true(bench.layout.flash_attention);
    bench.constants.stack[STACK_FSDP].elementwise_bytes = 300;
    bench.constants.stack[STACK_FSDP].speed_band = 0.25;
    bench.layout.micro_batches = 3;
    bench.layout.zero = 3;
    on_machines(&bench, 2, 400, true);
    struct speed speed = timed(&bench);
    double total = 0;
    for (int i = 0; i < TERM_COUNT; i++)
        total += speed.terms_s[i];
    assert_near(total, speed.step_s, 1e-12);
    assert_near(speed.tokens_per_s, 3 * 16 * 2048 / speed.step_s, 1e-12);
    assert_near(speed.tokens_per_s_per_gpu, speed.tokens_per_s / 16, 1e-12);
    /* recomputation and batch are left open: 4 % each on top of the stack's 25 % */
    assert_near(speed.high_tokens_per_s, 1.25 * 1.04 * 1.04 * speed.tokens_per_s, 1e-12);
    assert_near(speed.low_tokens_per_s, speed.tokens_per_s / (1.25 * 1.04 * 1.04), 1e-12);
    bench.job.global_batch = 40; /* the last round of micro-batches is not full */
    assert_near(timed(&bench).tokens_per_s, 40 * 2048 / speed.step_s, 1e-12);
}

/* ---- cards ---------------------------------------------------------------------------------- */

static void a_card_without_the_precision_or_the_figures_has_no_speed(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    bench.gpu.bf16_tflops = NAN; /* V100, T4 */
    assert_true(isnan(timed(&bench).tokens_per_s));
    assert_false(timed(&bench).measured);
    bench.job.precision = PRECISION_FP16_MIXED;
    assert_true(timed(&bench).tokens_per_s > 0);
    bench.gpu.fp16_tflops = bench.gpu.bandwidth_gbs = bench.gpu.compute_capability = NAN;
    assert_true(isnan(timed(&bench).tokens_per_s));
    assert_true(isnan(timed(&bench).high_tokens_per_s));
    assert_false(timed(&bench).measured);
}

/* The data file's constants. */
static struct constants shipped(struct arena *arena)
{
    struct constants constants;
    struct error error = {0};
    if (!constants_load(NULL, arena, &constants, &error))
        fail_msg("%s", error.message);
    constants.calibration_count = 0;
    return constants;
}

/* A board's power limit over its sheet value: A10 0.45 * 150 / 125, T4 0.45 * 70 / 65, L4 0.75 * 72
 * / 121, L40S 0.75 * 350 / 362; an L20 has 275 W for 119 TFLOPS and is not held back. */
static void boards_are_held_back_by_their_power_limit(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct constants constants = shipped(arena);
    const struct gpu a10 = {
        .arch = ARCH_AMPERE, .fp16_tflops = 125, .tdp_w = 150, .compute_capability = 8.6};
    const struct gpu t4 = {
        .arch = ARCH_TURING, .fp16_tflops = 65, .tdp_w = 70, .compute_capability = 7.5};
    const struct gpu l4 = {
        .arch = ARCH_ADA, .fp16_tflops = 121, .tdp_w = 72, .compute_capability = 8.9};
    const struct gpu l40s = {
        .arch = ARCH_ADA, .fp16_tflops = 362, .tdp_w = 350, .compute_capability = 8.9};
    const struct gpu l20 = {
        .arch = ARCH_ADA, .fp16_tflops = 119, .tdp_w = 275, .compute_capability = 8.9};
    const struct gpu unknown = {
        .arch = ARCH_ADA, .fp16_tflops = 119, .tdp_w = NAN, .compute_capability = 8.9};
    assert_near(speed_gemm_share(&a10, &constants), 0.54, 0.01);
    assert_near(speed_gemm_share(&t4, &constants), 0.485, 0.01);
    assert_near(speed_gemm_share(&l4, &constants), 0.446, 0.01);
    assert_near(speed_gemm_share(&l40s, &constants), 0.725, 0.01);
    assert_near(speed_gemm_share(&l20, &constants), constants.arch[ARCH_ADA].gemm, 1e-12);
    assert_near(speed_gemm_share(&unknown, &constants), constants.arch[ARCH_ADA].gemm, 1e-12);
    arena_free(arena);
}

static void only_cards_of_published_figures_are_called_measured(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct constants constants = shipped(arena);
    const struct gpu a100 = {
        .arch = ARCH_AMPERE, .fp16_tflops = 312, .bandwidth_gbs = 2039, .compute_capability = 8.0};
    const struct gpu a10 = {
        .arch = ARCH_AMPERE, .fp16_tflops = 125, .bandwidth_gbs = 600, .compute_capability = 8.6};
    const struct gpu h100 = {
        .arch = ARCH_HOPPER, .fp16_tflops = 989, .bandwidth_gbs = 3350, .compute_capability = 9.0};
    const struct gpu h20 = {
        .arch = ARCH_HOPPER, .fp16_tflops = 148, .bandwidth_gbs = 4000, .compute_capability = 9.0};
    const struct gpu l20 = {
        .arch = ARCH_ADA, .fp16_tflops = 119, .bandwidth_gbs = 864, .compute_capability = 8.9};
    const struct gpu v100 = {
        .arch = ARCH_VOLTA, .fp16_tflops = 125, .bandwidth_gbs = 900, .compute_capability = 7.0};
    assert_true(speed_train_measured(&a100, STACK_FSDP, &constants));
    assert_true(speed_train_measured(&a100, STACK_HF, &constants));
    assert_true(speed_train_measured(&h100, STACK_NEMO, &constants));
    assert_true(speed_train_measured(&v100, STACK_MEGATRON, &constants));
    assert_false(
        speed_train_measured(&h100, STACK_HF, &constants)); /* fine-tuning was measured on A100 */
    assert_false(speed_train_measured(&a10, STACK_FSDP, &constants));
    assert_false(speed_train_measured(&h20, STACK_NEMO, &constants));
    assert_false(speed_train_measured(&l20, STACK_FSDP, &constants));
    assert_false(speed_train_measured(&a100, STACK_TORCHTUNE, &constants));
    arena_free(arena);
}

/* What everybody should know about networks, with the shipped constants: an 8B on two machines of 8
 * A100, full fine-tuning with recomputation, 4 micro-batches of 4096 tokens. */
static void slow_networks_ruin_zero_3_long_before_zero_1(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct bench bench;
    begin(&bench);
    bench.constants = shipped(arena);
    bench.gpu.fp16_tflops = bench.gpu.bf16_tflops = 312;
    bench.gpu.bandwidth_gbs = 2039;
    bench.job.workload = WORKLOAD_FULL;
    bench.job.seq_len = 4096;
    bench.layout.recompute = RECOMPUTE_FULL;
    bench.layout.micro_batches = 4;
    bench.layout.zero = 1;
    on_machines(&bench, 1, 0, false);
    double alone = timed(&bench).tokens_per_s_per_gpu;
    const struct {
        double gbps;
        bool rdma;
    } networks[] = {{1600, true}, {400, true}, {64, true}, {64, false}, {10, false}};
    double previous[2] = {alone, alone};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        double rate[2];
        for (int k = 0; k < 2; k++) {
            bench.layout.zero = k ? 3 : 1;
            on_machines(&bench, 2, networks[i].gbps, networks[i].rdma);
            rate[k] = timed(&bench).tokens_per_s_per_gpu;
            assert_true(rate[k] < previous[k]);
            previous[k] = rate[k];
        }
        assert_true(rate[1] < rate[0]);
    }
    assert_true(previous[1] <
                0.1 * alone);           /* ZeRO-3 over 10 Gbit/s: not worth the second machine */
    bench.job.workload = WORKLOAD_LORA; /* adapters alone cross any network */
    bench.job.trainable_params = 20000000;
    bench.layout.zero = 0;
    double tcp = timed(&bench).tokens_per_s_per_gpu;
    on_machines(&bench, 1, 0, false);
    assert_true(tcp > 0.95 * timed(&bench).tokens_per_s_per_gpu);
    arena_free(arena);
}

static void a_run_of_the_users_own_moves_later_estimates(void **state)
{
    (void)state;
    struct bench bench;
    begin(&bench);
    double before = timed(&bench).tokens_per_s;
    const struct calibration run = {"fsdp", "ideal", "2026-11-30", 1, 0.8};
    bench.constants.calibrations = &run;
    bench.constants.calibration_count = 1;
    struct speed after =
        speed_estimate(&bench.job, &bench.hardware, &bench.layout, NULL, &bench.constants);
    assert_near(after.tokens_per_s, 0.8 * before, 1e-9);
    assert_near(after.step_s, 2048 / (0.8 * before), 1e-9);
    assert_string_equal(after.calibrated, "2026-11-30");
    assert_true(after.low_tokens_per_s < after.tokens_per_s &&
                after.tokens_per_s < after.high_tokens_per_s);
}

TEST_MAIN(cmocka_unit_test(a_token_costs_six_flops_a_parameter_and_eight_with_recomputation),
          cmocka_unit_test(lora_skips_the_weight_gradients_of_frozen_matrices),
          cmocka_unit_test(flash_attention_executes_half_the_square_three_and_a_half_times),
          cmocka_unit_test(without_flash_attention_every_score_passes_through_memory),
          cmocka_unit_test(a_sliding_window_costs_what_it_sees),
          cmocka_unit_test(mfu_counts_as_the_literature_does),
          cmocka_unit_test(a_token_meets_only_its_experts),
          cmocka_unit_test(fp8_doubles_the_layers_but_not_the_head),
          cmocka_unit_test(a_small_micro_batch_leaves_the_tensor_cores_waiting),
          cmocka_unit_test(a_slow_host_sets_a_floor_under_short_sequences),
          cmocka_unit_test(four_bit_weights_are_unpacked_before_every_product),
          cmocka_unit_test(tensor_parallelism_over_pcie_costs_19_times_what_nvlink_does),
          cmocka_unit_test(fp32_sends_twice_the_bytes),
          cmocka_unit_test(a_collective_between_machines_waits_for_the_network),
          cmocka_unit_test(zero_3_sends_six_bytes_a_parameter_in_every_micro_batch),
          cmocka_unit_test(lora_gathers_frozen_weights_under_zero_3_and_next_to_nothing_without),
          cmocka_unit_test(overlapped_traffic_adds_like_the_sides_of_a_right_angle),
          cmocka_unit_test(tensor_parallelism_never_crosses_machines_joined_by_tcp),
          cmocka_unit_test(a_pipeline_waits_for_its_stages_once_a_step),
          cmocka_unit_test(the_last_stage_with_the_head_sets_the_pace),
          cmocka_unit_test(experts_on_other_gpus_cost_an_exchange_in_every_layer),
          cmocka_unit_test(experts_on_other_machines_get_one_copy_for_all_of_them),
          cmocka_unit_test(gradients_of_spread_experts_share_the_network_of_a_machine),
          cmocka_unit_test(zero_divides_the_optimizer_step),
          cmocka_unit_test(an_offloaded_optimizer_pays_the_host_link_and_the_host),
          cmocka_unit_test(the_terms_add_up_to_the_step),
          cmocka_unit_test(a_card_without_the_precision_or_the_figures_has_no_speed),
          cmocka_unit_test(boards_are_held_back_by_their_power_limit),
          cmocka_unit_test(only_cards_of_published_figures_are_called_measured),
          cmocka_unit_test(slow_networks_ruin_zero_3_long_before_zero_1),
          cmocka_unit_test(a_run_of_the_users_own_moves_later_estimates))
