/* Latency and throughput of served models: sums done by hand with round constants, published orders
 * of size, and what must hold whatever the constants are. */
#include "tests/serving_fixture.h"

/* A machine whose steps can be worked out on paper: 1 ms + 0.05 ms a layer, 80 % of the bandwidth
 * for weights, half of it for the cache, nothing bound by the number of multiprocessors. */
static void set_round_constants(struct served *served)
{
    struct engine_constants *engine = &served->constants.engine[served->job.engine];
    *engine = (struct engine_constants){.step_s = 1e-3,
                                        .layer_s = 50e-6,
                                        .bandwidth = 0.8,
                                        .kv_bandwidth = 0.5,
                                        .sm_bytes = 100,
                                        .kv_sm_bytes = 100};
    served_recompute(served);
}

/* Llama-2-7B in fp16 on A100-80 (2039 GB/s), 1000 + 2000 tokens, 2000 held half way.
 * Weights but the input table: (6,738,415,616 - 131,072,000 - 266,240 in norms) x 2 bytes
 *   = 13.2142 GB / (0.8 x 2039 GB/s)                                    = 8.1010 ms
 * Cache: 2000 x 32 layers x 8192 elements x 2 bytes = 1.04858 GB / (0.5 x 2039) = 1.0285 ms
 * Host: 1 + 32 x 0.05                                                   = 2.6 ms */
static void a_decode_step_is_bytes_over_bandwidth_and_launches(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-2-7b", "weights=fp16", "kv_cache=fp16", "gpu=a100-80",
                              "input_len=1000", "output_len=2000");
    set_round_constants(s);
    assert_near(s->speed.terms_s[TERM_READ_WEIGHTS], 8.1010e-3, 1e-4);
    assert_near(s->speed.terms_s[TERM_READ_KV], 1.0285e-3, 1e-4);
    assert_near(s->speed.terms_s[TERM_HOST], 2.6e-3, 1e-9);
    assert_near(s->speed.step_s, 11.7295e-3, 1e-4);
    assert_near(s->speed.tpot_ms, 11.7295, 1e-4);
    assert_near(s->speed.decode_tokens_per_s, 85.255, 1e-4);
    assert_int_equal(s->speed.bound_by, BOUND_BANDWIDTH);
    served_free(s);
}

/* Two all-reduces in each of 32 layers; one token of 4096 elements of 2 bytes moves 2 (n - 1) / n
 * times its size. PCIe 4.0: 64 x (30 us + 8192 bytes / 17 GB/s) = 1.9508 ms for n = 2. */
static void tensor_parallelism_pays_for_its_all_reduces(void **state)
{
    (void)state;
    struct served *pcie = SERVED("model=llama-2-7b", "weights=fp16", "gpu=a10", "gpus=2", "tp=2");
    struct served *nvlink =
        SERVED("model=llama-2-7b", "weights=fp16", "gpu=a100-80", "gpus=2", "tp=2");
    pcie->constants.serving.pcie_latency_s = 30e-6;
    pcie->constants.serving.pcie_gbs = 17;
    served_recompute(pcie);
    assert_near(pcie->speed.terms_s[TERM_TP], 64 * (30e-6 + 8192 / 17e9), 1e-6);
    assert_true(nvlink->speed.terms_s[TERM_TP] < 0.5 * pcie->speed.terms_s[TERM_TP]);
    served_free(pcie);
    served_free(nvlink);
}

/* A batch of 1024 does 2 x 6.6e9 x 1024 FLOP, 43 ms of the peak of an A100: more than the read. */
static void large_batches_are_bound_by_compute(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-2-7b", "weights=fp16", "gpu=a100-80");
    struct serving serving = serving_on(&s->job, &s->hardware, &s->layout, &s->constants);
    double terms[TERM_COUNT] = {0};
    serving_step_s(&serving, 1024, 100, terms);
    assert_true(terms[TERM_GEMM] > 2 * 6.6e9 * 1024 / 312e12);
    assert_true(terms[TERM_READ_WEIGHTS] == 0);
    served_free(s);
}

/* llama.cpp's prompt kernels differ by 50 times between cards and formats (XiongjieDai tables). */
static void llama_cpp_prompts_are_not_modelled(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3-8b", "weights=gguf-q4_k_m", "gpu=l40s");
    assert_true(isnan(s->speed.prefill_tokens_per_s) && isnan(s->speed.ttft_ms));
    assert_near(s->speed.decode_tokens_per_s, 113.6, 0.15); /* published */
    served_free(s);
}

static void an_unknown_bandwidth_gives_no_figure(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3-8b", "weights=bf16", "gpu=a100-80");
    struct gpu unknown = *s->hardware.gpu;
    unknown.bandwidth_gbs = NAN;
    s->hardware.gpu = &unknown;
    served_recompute(s);
    assert_true(isnan(s->speed.decode_tokens_per_s) && isnan(s->speed.tokens_per_s) &&
                isnan(s->speed.tpot_ms));
    struct serving_rates rates =
        serving_rates(&s->job, &s->hardware, &s->layout, &s->memory, &s->constants);
    assert_true(isnan(rates.saturated_output_tokens_per_s));
    served_free(s);
}

/* Qwen speed benchmark: Qwen3-8B on one H20 decodes 81.7 tokens/s, though its memory is twice as
 * fast as that of an A100 (Qwen2.5-7B: 84 tokens/s). */
static void few_multiprocessors_cannot_use_fast_memory(void **state)
{
    (void)state;
    struct served *h20 = SERVED("model=qwen3-8b", "weights=bf16", "engine=sglang", "gpu=h20-96",
                                "input_len=1", "output_len=2048");
    assert_near(h20->speed.decode_tokens_per_s, 81.73, 0.12);
    served_free(h20);
}

/* Baichuan2-13B under transformers: 38 tokens/s in bf16, 18 in 4 bits (Baichuan2 issue 70). */
static void nf4_is_smaller_and_slower(void **state)
{
    (void)state;
    struct served *plain =
        SERVED("model=baichuan2-13b", "weights=bf16", "engine=transformers", "gpu=a100-80");
    struct served *nf4 =
        SERVED("model=baichuan2-13b", "weights=nf4", "engine=transformers", "gpu=a100-80");
    assert_true(nf4->memory.need_gib < 0.6 * plain->memory.need_gib);
    assert_true(nf4->speed.decode_tokens_per_s < plain->speed.decode_tokens_per_s);
    served_free(plain);
    served_free(nf4);
}

/* A100 has no FP8: weights are read in 8 bits and multiplied in 16. */
static void weights_without_kernels_are_multiplied_in_sixteen_bits(void **state)
{
    (void)state;
    struct served *a100 =
        SERVED("model=llama-3.1-8b", "weights=fp8", "gpu=a100-80", "input_len=4096");
    struct served *plain =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "input_len=4096");
    struct served *h100 =
        SERVED("model=llama-3.1-8b", "weights=fp8", "gpu=h100-80", "input_len=4096");
    struct served *h100_plain =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=h100-80", "input_len=4096");
    a100->constants.engine[ENGINE_VLLM].prefill_exposed = 0; /* of the reading, which is shorter */
    plain->constants.engine[ENGINE_VLLM].prefill_exposed = 0;
    served_recompute(a100);
    served_recompute(plain);
    assert_near(a100->speed.prefill_tokens_per_s, plain->speed.prefill_tokens_per_s, 1e-9);
    assert_true(h100->speed.prefill_tokens_per_s > 1.3 * h100_plain->speed.prefill_tokens_per_s);
    served_free(a100);
    served_free(plain);
    served_free(h100);
    served_free(h100_plain);
}

static void the_largest_batch_keeps_the_time_per_token(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "saturated=yes",
                              "tpot_ms=25", "context=4096");
    struct serving serving = serving_on(&s->job, &s->hardware, &s->layout, &s->constants);
    assert_true(s->speed.batch > 1);
    assert_true(s->speed.tpot_ms <= 25);
    assert_true(serving_at(&serving, s->speed.batch + 1).tpot_s > 24.9e-3);
    assert_true(s->speed.meets_latency);
    served_free(s);
}

/* N = rate x time in the system (Little 1961). */
static void concurrency_follows_from_the_request_rate(void **state)
{
    (void)state;
    struct served *s =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "requests_per_s=2",
               "input_len=500", "output_len=500", "context=4096");
    struct serving serving = serving_on(&s->job, &s->hardware, &s->layout, &s->constants);
    struct serving_load load = serving_at(&serving, s->speed.batch);
    assert_near(s->speed.batch, 2 * (load.prefill_s + 500 * load.tpot_s), 0.02);
    assert_near(s->speed.output_tokens_per_s, 1000, 0.05);
    assert_near(s->speed.tokens_per_s, 2 * s->speed.output_tokens_per_s, 1e-9);
    served_free(s);
}

static void ten_times_the_requests_need_ten_times_the_replicas(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80",
                              "requests_per_s=100", "context=4096");
    int few = s->speed.replicas;
    assert_true(few > 1 && !s->speed.meets_latency);
    s->job.requests_per_s = 1000;
    served_recompute(s);
    assert_true(s->speed.replicas > 9 * few && s->speed.replicas <= 10 * few);
    assert_near(s->speed.replicas, ceil(1000 / s->speed.requests_per_s), 1e-9);
    served_free(s);
}

static void replicas_multiply_a_saturated_rate(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "gpus=4",
                              "saturated=yes", "context=4096");
    double alone = s->speed.output_tokens_per_s;
    s->layout.dp = 4;
    served_recompute(s);
    assert_near(s->speed.output_tokens_per_s, 4 * alone, 1e-9);
    served_free(s);
}

static void requests_that_find_no_room_wait(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-2-13b", "weights=fp16", "engine=lmdeploy", "gpu=a100-80",
                              "concurrency=64", "input_len=128", "output_len=2048", "context=2176");
    assert_true(s->speed.batch < 64);
    assert_near(s->speed.tpot_ms, 45, 0.12); /* LMDeploy a100_fp16.md */
    assert_near(s->speed.output_tokens_per_s, 998.86, 0.12);
    assert_true(s->speed.ttft_ms > 3000); /* published 7805: far more than 64 prefills */
    served_free(s);
}

/* A target for the first token makes users of the sequences: they do not all come at once. */
static void users_wait_less_than_a_benchmark_that_starts_together(void **state)
{
    (void)state;
    struct served *bench = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80",
                                  "concurrency=32", "input_len=2000", "context=4096");
    struct served *users =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "concurrency=32",
               "input_len=2000", "context=4096", "ttft_ms=1000");
    assert_true(users->speed.ttft_ms < 0.5 * bench->speed.ttft_ms);
    assert_true(users->speed.meets_latency);
    served_free(bench);
    served_free(users);
}

/* Prompts of 8000 tokens take an A100 more than half a second each: five a second never end. */
static void more_prompts_than_can_be_read_have_no_first_token_time(void **state)
{
    (void)state;
    struct served *s =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "requests_per_s=5",
               "input_len=8000", "output_len=100", "context=8192");
    assert_true(isnan(s->speed.ttft_ms));
    assert_false(s->speed.meets_latency);
    assert_true(s->speed.replicas > 2);
    served_free(s);
}

static void cards_without_published_figures_have_a_wider_band(void **state)
{
    (void)state;
    static const char *const cards[] = {"t4", "a10", "l20", "l4", "v100-32"};
    struct served *s = SERVED("model=llama-3.2-1b", "weights=fp16", "gpu=a100-80");
    double known = s->speed.high_tokens_per_s / s->speed.tokens_per_s;
    assert_true(s->speed.measured);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        s->hardware.gpu = catalog_gpu(&s->catalog, cards[i]);
        assert_non_null(s->hardware.gpu);
        served_recompute(s);
        assert_false(s->speed.measured);
        assert_true(s->speed.high_tokens_per_s / s->speed.tokens_per_s > known);
    }
    served_free(s);
}

static void the_rates_for_billing_are_those_of_the_estimate(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen3-30b-a3b", "weights=fp8", "gpu=h100-80", "concurrency=32",
                              "context=4096");
    struct serving_rates rates =
        serving_rates(&s->job, &s->hardware, &s->layout, &s->memory, &s->constants);
    assert_near(rates.load_output_tokens_per_s, s->speed.output_tokens_per_s, 1e-12);
    assert_true(rates.batch1_output_tokens_per_s < rates.load_output_tokens_per_s);
    assert_true(rates.load_output_tokens_per_s < rates.saturated_output_tokens_per_s);
    assert_true(rates.saturated_batch > 32);
    s->job.saturated = true;
    served_recompute(s);
    assert_near(rates.saturated_output_tokens_per_s, s->speed.output_tokens_per_s, 1e-9);
    served_free(s);
}

/* Terms are the parts of the step, none left out. */
static void the_terms_add_up_to_the_step(void **state)
{
    (void)state;
    struct served *s = SERVED("model=deepseek-v3", "weights=fp8", "gpu=h100-80", "gpus=16", "tp=8",
                              "pp=2", "concurrency=16");
    double sum = 0;
    for (int i = 0; i < TERM_COUNT; i++)
        sum += s->speed.terms_s[i];
    assert_near(sum, s->speed.step_s, 1e-12);
    assert_true(s->speed.terms_s[TERM_LATENCY] > 0);
    served_free(s);
}

/* InternLM/lmdeploy docs/en/benchmark/a100_fp16.md, Llama-2-13B: rounds of 64 and 32 sequences. Of
 * 2048
 * + 2048 tokens not all have room: 38.7 s for 32, with 47 ms a step; of 128 + 128 all have: 0.70 s.
 */
static void rounds_wait_for_all_prompts_and_for_room(void **state)
{
    (void)state;
    struct served *roomy =
        SERVED("model=llama-2-13b", "weights=fp16", "engine=lmdeploy", "gpu=a100-80",
               "concurrency=64", "input_len=128", "output_len=128", "context=256");
    struct served *cramped =
        SERVED("model=llama-2-13b", "weights=fp16", "engine=lmdeploy", "gpu=a100-80",
               "concurrency=32", "input_len=2048", "output_len=2048", "context=4096");
    assert_near(roomy->speed.ttft_ms, 703, 0.4);
    assert_near(cramped->speed.ttft_ms, 38725, 0.15);
    assert_near(cramped->speed.tpot_ms, 47, 0.1);
    served_free(roomy);
    served_free(cramped);
}

/* SemiAnalysisAI/InferenceX issue 870, DeepSeek-R1 on 8 H200: 331 ms for 8 users, 423 for 64. Eight
 * times the users do not wait eight times as long. */
static void a_stream_of_prompts_hardly_waits(void **state)
{
    (void)state;
    struct served *s =
        SERVED("model=deepseek-v3", "weights=fp8", "engine=sglang", "gpu=h200-141", "gpus=8",
               "tp=8", "concurrency=8", "input_len=1024", "output_len=1024", "context=2048");
    double few = s->speed.ttft_ms;
    assert_near(few, 330.6, 0.25);
    s->job.concurrency = 64;
    served_recompute(s);
    assert_near(s->speed.ttft_ms, 423.1, 0.25);
    assert_true(s->speed.ttft_ms < 1.5 * few);
    served_free(s);
}

/* tenstorrent/tt-inference-server issue 356, 16 H100 in two machines: 23.1 ms a token over
 * InfiniBand, 31.2 without. */
static void all_reduces_between_machines_cost_most_of_a_step(void **state)
{
    (void)state;
    struct served *s = SERVED("model=deepseek-v3", "weights=fp8", "engine=sglang", "gpu=h100-80",
                              "gpus=16", "tp=16", "rdma=yes", "input_len=128", "output_len=128");
    assert_near(s->speed.tpot_ms, 23.1, 0.1);
    s->hardware.rdma = false;
    served_recompute(s);
    assert_near(s->speed.tpot_ms, 31.2, 0.1);
    served_free(s);
}

/* Half of an A10 has half of its 125 TFLOPS: the model FLOPs are set against these. */
static void a_slice_is_measured_against_its_own_peak(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen2.5-1.5b", "weights=bf16", "gpu=a10");
    s->hardware.gpu_fraction = 0.5;
    served_recompute(s);
    assert_near(s->speed.mfu, s->speed.tflops_per_gpu / 62.5, 1e-9);
    served_free(s);
}

TEST_MAIN(cmocka_unit_test(a_slice_is_measured_against_its_own_peak),
          cmocka_unit_test(a_decode_step_is_bytes_over_bandwidth_and_launches),
          cmocka_unit_test(tensor_parallelism_pays_for_its_all_reduces),
          cmocka_unit_test(large_batches_are_bound_by_compute),
          cmocka_unit_test(llama_cpp_prompts_are_not_modelled),
          cmocka_unit_test(an_unknown_bandwidth_gives_no_figure),
          cmocka_unit_test(few_multiprocessors_cannot_use_fast_memory),
          cmocka_unit_test(nf4_is_smaller_and_slower),
          cmocka_unit_test(weights_without_kernels_are_multiplied_in_sixteen_bits),
          cmocka_unit_test(the_largest_batch_keeps_the_time_per_token),
          cmocka_unit_test(concurrency_follows_from_the_request_rate),
          cmocka_unit_test(ten_times_the_requests_need_ten_times_the_replicas),
          cmocka_unit_test(replicas_multiply_a_saturated_rate),
          cmocka_unit_test(requests_that_find_no_room_wait),
          cmocka_unit_test(users_wait_less_than_a_benchmark_that_starts_together),
          cmocka_unit_test(more_prompts_than_can_be_read_have_no_first_token_time),
          cmocka_unit_test(cards_without_published_figures_have_a_wider_band),
          cmocka_unit_test(the_rates_for_billing_are_those_of_the_estimate),
          cmocka_unit_test(the_terms_add_up_to_the_step),
          cmocka_unit_test(rounds_wait_for_all_prompts_and_for_room),
          cmocka_unit_test(a_stream_of_prompts_hardly_waits),
          cmocka_unit_test(all_reduces_between_machines_cost_most_of_a_step))
