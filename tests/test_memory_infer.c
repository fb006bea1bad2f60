/* Memory of served models against start-up logs, published tables and sums done by hand. */
#include "base/units.h"
#include "tests/serving_fixture.h"

static double component(const struct served *served, enum component which)
{
    return served->memory.components_gib[which];
}

/* ---- weights -------------------------------------------------------------------------------- */

/* vLLM logs: 5.2032 GiB for Qwen2.5-7B AWQ; "parameters times half a byte" would give 3.55. */
static void four_bit_weights_keep_their_embeddings_in_sixteen(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen2.5-7b", "weights=awq-int4", "gpu=a100-80");
    assert_near(component(s, COMPONENT_WEIGHTS), 5.2032, 0.01);
    served_free(s);
}

/* llama.cpp quantize README (8B: 4.58 and 7.95 GiB) and the 70B Q2_K file (24.56 GiB). */
static void gguf_files_have_their_published_sizes(void **state)
{
    (void)state;
    struct served *small = SERVED("model=llama-3.1-8b", "weights=gguf-q4_k_m", "gpu=a100-80");
    struct served *eight = SERVED("model=llama-3.1-8b", "weights=gguf-q8_0", "gpu=a100-80");
    struct served *large = SERVED("model=llama-3-70b", "weights=gguf-q2_k", "gpu=a100-80");
    assert_near(component(small, COMPONENT_WEIGHTS), 4.58, 0.005);
    assert_near(component(eight, COMPONENT_WEIGHTS), 7.95, 0.005);
    assert_near(component(large, COMPONENT_WEIGHTS), 24.56, 0.01);
    assert_near(memory_weight_bytes(&large->job) / GIB, 24.56, 0.01); /* what is downloaded */
    served_free(small);
    served_free(eight);
    served_free(large);
}

/* vllm issues 22331 and 23278: 64.38 GiB, more than the file's 60.8. */
static void padded_experts_take_more_than_their_file(void **state)
{
    (void)state;
    struct served *s = SERVED("model=gpt-oss-120b", "weights=mxfp4", "gpu=h100-80");
    assert_near(component(s, COMPONENT_WEIGHTS), 64.38, 0.01);
    assert_int_equal(s->memory.verdict, VERDICT_TIGHT); /* does not start at the defaults */
    served_free(s);
}

/* Reading fewer experts must not shrink what is stored, nor the other way round. */
static void stored_experts_and_read_experts_are_two_figures(void **state)
{
    (void)state;
    struct served *s = SERVED("model=mixtral-8x7b", "weights=bf16", "gpu=h200-141");
    double stored = serving_weights(&s->job, &s->layout).stored,
           read = serving_read_bytes(&s->job, 1);
    struct model fewer = *s->job.model;
    fewer.moe.top_k = 1;
    s->job.model = &fewer;
    assert_true(serving_weights(&s->job, &s->layout).stored == stored);
    assert_true(serving_read_bytes(&s->job, 1) < 0.7 * read);
    served_free(s);
}

/* 32 layers of 8 experts, 3 x 4096 x 14336 parameters of 2 bytes each: 90.19 GB. A token takes 2 of
 * 8; four tokens at random 8 (1 - 0.75^4) = 5.469 of 8. The difference is 3.469 / 8 of all. */
static void a_batch_reads_the_experts_that_its_tokens_choose(void **state)
{
    (void)state;
    struct served *s = SERVED("model=mixtral-8x7b", "weights=bf16", "gpu=h200-141");
    double experts = 32.0 * 8 * 3 * 4096 * 14336 * 2;
    assert_near(serving_read_bytes(&s->job, 4) - serving_read_bytes(&s->job, 1),
                experts * 3.46875 / 8, 1e-9);
    served_free(s);
}

/* vllm PR 14447: 21.21 GiB on each of 16 GPUs. An even split of 671B in 4.156 bits would be 20.5:
 * the routers and the down-projections of the latent are on every GPU. */
static void what_tensor_parallelism_cannot_split_is_counted_on_every_gpu(void **state)
{
    (void)state;
    struct served *s =
        SERVED("model=deepseek-v3", "weights=gptq-int4", "gpu=rtx-3090", "gpus=16", "tp=16");
    assert_near(component(s, COMPONENT_WEIGHTS), 21.21, 0.01);
    assert_true(s->memory.replicated_gib[COMPONENT_WEIGHTS] > 0.4);
    served_free(s);
}

/* ---- cache ---------------------------------------------------------------------------------- */

/* 61 layers x (512 + 64) elements x 2 bytes = 70,272 bytes a token, on each of the eight GPUs. */
static void a_latent_cache_is_not_divided_by_tensor_parallelism(void **state)
{
    (void)state;
    struct served *s = SERVED("model=deepseek-v3", "weights=fp8", "gpu=h200-141", "gpus=8", "tp=8",
                              "context=32768");
    assert_near(component(s, COMPONENT_KV_CACHE), 70272.0 * 32768 / GIB, 1e-9);
    assert_near(s->memory.replicated_gib[COMPONENT_KV_CACHE], 70272.0 * 32768 / GIB, 1e-9);
    served_free(s);
}

/* Qwen3-235B has four KV heads: eight GPUs hold as much each as four do. */
static void kv_heads_are_repeated_when_gpus_outnumber_them(void **state)
{
    (void)state;
    struct served *four = SERVED("model=qwen3-235b-a22b", "weights=fp8", "gpu=h200-141", "gpus=4",
                                 "tp=4", "context=8192");
    struct served *eight = SERVED("model=qwen3-235b-a22b", "weights=fp8", "gpu=h200-141", "gpus=8",
                                  "tp=8", "context=8192");
    assert_near(component(four, COMPONENT_KV_CACHE), 94.0 * 2 * 128 * 2 * 8192 / GIB, 1e-9);
    assert_near(component(eight, COMPONENT_KV_CACHE), component(four, COMPONENT_KV_CACHE), 1e-9);
    served_free(four);
    served_free(eight);
}

/* gpt-oss-120b: 18 layers keep 8192 tokens, 18 keep 128; 2 x 8 x 64 elements of 2 bytes each. */
static void sliding_window_layers_hold_their_window_only(void **state)
{
    (void)state;
    struct served *s = SERVED("model=gpt-oss-120b", "gpu=h100-80", "context=8192");
    assert_near(component(s, COMPONENT_KV_CACHE), 18.0 * 2048 * (8192 + 128) / GIB, 1e-9);
    served_free(s);
}

static void half_the_bytes_per_element_hold_twice_the_tokens(void **state)
{
    (void)state;
    struct served *wide =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "kv_cache=bf16");
    struct served *narrow =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "kv_cache=fp8");
    assert_near(narrow->memory.kv_tokens, 2 * wide->memory.kv_tokens, 0.001);
    served_free(wide);
    served_free(narrow);
}

/* ---- pool, profile, reservation
 * ------------------------------------------------------------------ */

/* vllm issue 10517: 2.07 GiB of activations, 1952 blocks of 16 tokens, concurrency 1.56. */
static void the_pool_matches_a_vllm_start_up_log(void **state)
{
    (void)state;
    struct served *s =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090", "context=20000");
    assert_near(component(s, COMPONENT_ACTIVATIONS), 2.07, 0.01);
    assert_near(s->memory.kv_tokens, 1952 * 16, 0.02);
    assert_near(s->memory.max_concurrency, 1.56, 0.02);
    served_free(s);
}

/* 256 slots x 128,256 entries x 38 bytes = 1.162 GiB; a quarter of the slots, a quarter of it,
 * until the prefill of 2048 tokens (2048 x 2 x 55,296 bytes = 0.211 GiB) is the larger. */
static void the_sampler_workspace_follows_slots_and_vocabulary(void **state)
{
    (void)state;
    struct served *usual =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090", "context=2048");
    struct served *fewer = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090",
                                  "context=2048", "max_num_seqs=64");
    assert_near(component(usual, COMPONENT_LOGITS), 256.0 * 128256 * 38 / GIB, 1e-9);
    assert_near(component(fewer, COMPONENT_LOGITS), 64.0 * 128256 * 38 / GIB, 1e-9);
    served_free(usual);
    served_free(fewer);
}

static void what_is_needed_and_what_is_reserved_are_two_figures(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen2.5-7b", "weights=bf16", "gpu=a100-80", "context=4096");
    assert_true(s->memory.need_gib < 25);
    assert_true(s->memory.reserved_gib > 0.89 * 79.35);
    assert_int_equal(s->memory.verdict, VERDICT_FITS);
    served_free(s);
}

static void components_add_up_to_the_need(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen3-30b-a3b", "weights=fp8", "gpu=h20-96", "concurrency=16",
                              "context=16384");
    double sum = 0;
    for (int i = 0; i < COMPONENT_COUNT; i++)
        sum += s->memory.components_gib[i];
    assert_near(s->memory.need_gib, sum, 1e-12);
    assert_near(s->memory.peaks_gib[PEAK_STEP], sum, 1e-12);
    assert_true(s->memory.peaks_gib[PEAK_LOAD] < sum);
    assert_true(s->memory.low_gib <= sum && sum <= s->memory.high_gib);
    served_free(s);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

/* QwenLM speed benchmark: needs gpu_memory_utilization 0.98 and eager mode at 4096 tokens. */
static void a_run_that_needs_its_limits_turned_down_is_tight(void **state)
{
    (void)state;
    struct served *s = SERVED("model=qwen2.5-72b", "weights=bf16", "gpu=a100-80", "gpus=2", "tp=2",
                              "context=4096");
    assert_int_equal(s->memory.verdict, VERDICT_TIGHT);
    assert_true(s->memory.need_gib <= s->memory.usable_gib);
    served_free(s);
}

/* vllm issue 10517: 29,000 tokens do not start, 35,000 do, for prompts are cut above 32,768. */
static void a_prompt_in_one_piece_can_be_too_long_where_a_longer_one_is_cut(void **state)
{
    (void)state;
    struct served *whole =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090", "context=29000");
    struct served *cut =
        SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090", "context=35000");
    assert_int_not_equal(whole->memory.verdict, VERDICT_FITS);
    assert_int_equal(cut->memory.verdict, VERDICT_FITS);
    served_free(whole);
    served_free(cut);
}

/* XiongjieDai: 8B in F16 on a 16 GB card runs with 4096 tokens and runs out with 8192. */
static void llama_cpp_fills_a_small_card_to_the_brim(void **state)
{
    (void)state;
    struct served *runs = SERVED("model=llama-3-8b", "weights=fp16", "engine=llama.cpp",
                                 "gpu=rtx-4080", "context=4096");
    struct served *out = SERVED("model=llama-3-8b", "weights=fp16", "engine=llama.cpp",
                                "gpu=rtx-4080", "context=8192");
    assert_int_equal(runs->memory.verdict, VERDICT_TIGHT);
    assert_int_equal(out->memory.verdict, VERDICT_NO);
    served_free(runs);
    served_free(out);
}

/* QwenLM/Qwen README, Qwen-7B, 1024 tokens: 48.7 GB at batch 32; out of memory at batch 64, though
 * weights and cache together are 46 GiB. */
static void transformers_holds_its_cache_twice(void **state)
{
    (void)state;
    static const char shape[] =
        "architecture={layers: 32, hidden_size: 4096, heads: 32, kv_heads: 32, "
        "ffn_size: 11008, vocab_size: 151936, tied_embeddings: no, ffn_gated: yes}";
    struct served *half = SERVED(shape, "weights=bf16", "engine=transformers", "gpu=a100-80",
                                 "output_len=1024", "context=1024", "concurrency=32");
    struct served *full = SERVED(shape, "weights=bf16", "engine=transformers", "gpu=a100-80",
                                 "output_len=1024", "context=1024", "concurrency=64");
    assert_near(half->memory.need_gib, 48.7e9 / GIB, 0.05);
    assert_int_not_equal(full->memory.verdict, VERDICT_FITS);
    served_free(half);
    served_free(full);
}

/* vllm issue 17327: 470 GB of weights do not go on four cards of 96 GB, and do on eight. */
static void all_experts_must_be_stored(void **state)
{
    (void)state;
    struct served *four =
        SERVED("model=qwen3-235b-a22b", "weights=bf16", "gpu=h20-96", "gpus=4", "tp=4");
    struct served *eight =
        SERVED("model=qwen3-235b-a22b", "weights=bf16", "gpu=h20-96", "gpus=8", "tp=8");
    assert_int_equal(four->memory.verdict, VERDICT_NO);
    assert_int_equal(eight->memory.verdict, VERDICT_FITS);
    served_free(four);
    served_free(eight);
}

static void replicas_share_the_requests(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "gpus=4",
                              "concurrency=64", "context=4096");
    double alone = component(s, COMPONENT_KV_CACHE);
    s->layout.dp = 4;
    served_recompute(s);
    assert_near(component(s, COMPONENT_KV_CACHE), alone / 4, 1e-9);
    assert_near(s->memory.replicated_gib[COMPONENT_WEIGHTS], component(s, COMPONENT_WEIGHTS),
                1e-12);
    served_free(s);
}

static void a_saturated_server_fills_its_pool(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "saturated=yes",
                              "context=4096");
    double pool =
        s->memory.kv_tokens * 131072.0 / GIB; /* 32 layers x 2 x 8 x 128 x 2 bytes a token */
    assert_near(component(s, COMPONENT_KV_CACHE), pool, 0.001);
    assert_int_equal(s->memory.verdict, VERDICT_FITS);
    served_free(s);
}

/* Start-up logs of vLLM: 14.9888 GiB for Llama-3.1-8B (131,072 positions x 128 x 2 bytes = 2^25
 * more than its parameters), 14.96 for Llama-3-8B with 8192. */
static void sines_of_all_positions_are_kept_beside_the_weights(void **state)
{
    (void)state;
    struct served *served = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=rtx-3090");
    assert_near(component(served, COMPONENT_WEIGHTS), 14.9888, 1e-5);
    assert_near(component(served, COMPONENT_WEIGHTS), 8030261248.0 * 2 / GIB + 33554432.0 / GIB,
                1e-9);
    served_free(served);
}

/* vllm EngineArgs.get_batch_defaults: 1024 sequences and 8192 tokens from 70 GiB on, A100 left out.
 */
static void defaults_for_large_cards_leave_a100_out(void **state)
{
    (void)state;
    struct served *a100 = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80");
    struct served *h100 = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=h100-80");
    assert_near(serving_slots(&a100->job, &a100->hardware), 256, 1e-12);
    assert_near(serving_chunk(&a100->job, &a100->hardware), 2048, 1e-12);
    assert_near(serving_slots(&h100->job, &h100->hardware), 1024, 1e-12);
    assert_near(serving_chunk(&h100->job, &h100->hardware), 8192, 1e-12);
    served_free(a100);
    served_free(h100);
}

/* vllm issue 21348, the same four H100 and Qwen3-235B in fp8: 178,880 tokens with vLLM at its
 * defaults, 367,404 with SGLang at 0.93. */
static void two_engines_leave_the_pools_of_their_logs(void **state)
{
    (void)state;
    struct served *vllm = SERVED("model=qwen3-235b-a22b", "weights=fp8", "gpu=h100-80", "gpus=4",
                                 "tp=4", "engine=vllm");
    struct served *sglang = SERVED("model=qwen3-235b-a22b", "weights=fp8", "gpu=h100-80", "gpus=4",
                                   "tp=4", "engine=sglang", "memory_utilization=0.93");
    assert_near(vllm->memory.kv_tokens, 178880, 0.02);
    assert_near(sglang->memory.kv_tokens, 367404, 0.02);
    served_free(vllm);
    served_free(sglang);
}

/* 100 + 600 tokens x 56 KiB (28 layers x 2 x 4 heads x 128 x 2 bytes) x 50 sequences: 1.87 GiB. The
 * default context of 8192 tokens is what one may reach, not what each takes; asked for, it is. */
static void a_paged_cache_holds_what_sequences_have(void **state)
{
    (void)state;
    struct served *used = SERVED("model=qwen2.5-7b", "weights=bf16", "gpu=a40", "concurrency=50",
                                 "input_len=100", "output_len=600");
    struct served *asked =
        SERVED("model=qwen2.5-7b", "weights=bf16", "gpu=a100-80", "concurrency=50", "input_len=100",
               "output_len=600", "context=8192");
    assert_near(component(used, COMPONENT_KV_CACHE), 50 * 700 * 57344.0 / GIB, 1e-9);
    assert_near(component(asked, COMPONENT_KV_CACHE), 50 * 8192 * 57344.0 / GIB, 1e-9);
    assert_int_equal(used->memory.verdict, VERDICT_FITS); /* databasemart ran it on an A40 */
    served_free(used);
    served_free(asked);
}

/* text-generation-inference issue 734: two A100-80 ran out of memory, four work well. */
static void weights_that_fill_four_fifths_are_a_tight_fit(void **state)
{
    (void)state;
    struct served *two =
        SERVED("model=llama-2-70b", "weights=fp16", "gpu=a100-80", "gpus=2", "tp=2");
    struct served *four =
        SERVED("model=llama-2-70b", "weights=fp16", "gpu=a100-80", "gpus=4", "tp=4");
    assert_int_equal(two->memory.verdict, VERDICT_TIGHT);
    assert_int_equal(four->memory.verdict, VERDICT_FITS);
    served_free(two);
    served_free(four);
}

static void a_run_of_the_users_own_moves_what_is_not_weights(void **state)
{
    (void)state;
    struct served *s = SERVED("model=llama-3.1-8b", "weights=bf16", "gpu=a100-80", "context=4096");
    struct memory before = s->memory;
    struct calibration own = {"vllm", "a100-80", "2026-11-30", 1.5, 1};
    s->constants.calibrations = &own;
    s->constants.calibration_count = 1;
    served_recompute(s);
    double states = before.model_states_gib;
    assert_near(s->memory.need_gib - states, 1.5 * (before.need_gib - states), 1e-9);
    assert_string_equal(s->memory.calibrated, "2026-11-30");
    /* a run that took a quarter leaves a quarter of every part, and less than nothing of none */
    own.memory_ratio = 0.25;
    served_recompute(s);
    assert_near(s->memory.need_gib - states, 0.25 * (before.need_gib - states), 1e-9);
    for (int i = COMPONENT_ADAPTER; i < COMPONENT_COUNT; i++)
        assert_near(s->memory.components_gib[i], 0.25 * before.components_gib[i], 1e-9);
    served_free(s);
}

TEST_MAIN(cmocka_unit_test(four_bit_weights_keep_their_embeddings_in_sixteen),
          cmocka_unit_test(gguf_files_have_their_published_sizes),
          cmocka_unit_test(padded_experts_take_more_than_their_file),
          cmocka_unit_test(stored_experts_and_read_experts_are_two_figures),
          cmocka_unit_test(a_batch_reads_the_experts_that_its_tokens_choose),
          cmocka_unit_test(what_tensor_parallelism_cannot_split_is_counted_on_every_gpu),
          cmocka_unit_test(a_latent_cache_is_not_divided_by_tensor_parallelism),
          cmocka_unit_test(kv_heads_are_repeated_when_gpus_outnumber_them),
          cmocka_unit_test(sliding_window_layers_hold_their_window_only),
          cmocka_unit_test(half_the_bytes_per_element_hold_twice_the_tokens),
          cmocka_unit_test(the_pool_matches_a_vllm_start_up_log),
          cmocka_unit_test(the_sampler_workspace_follows_slots_and_vocabulary),
          cmocka_unit_test(what_is_needed_and_what_is_reserved_are_two_figures),
          cmocka_unit_test(components_add_up_to_the_need),
          cmocka_unit_test(a_run_that_needs_its_limits_turned_down_is_tight),
          cmocka_unit_test(a_prompt_in_one_piece_can_be_too_long_where_a_longer_one_is_cut),
          cmocka_unit_test(llama_cpp_fills_a_small_card_to_the_brim),
          cmocka_unit_test(transformers_holds_its_cache_twice),
          cmocka_unit_test(all_experts_must_be_stored),
          cmocka_unit_test(replicas_share_the_requests),
          cmocka_unit_test(a_saturated_server_fills_its_pool),
          cmocka_unit_test(sines_of_all_positions_are_kept_beside_the_weights),
          cmocka_unit_test(defaults_for_large_cards_leave_a100_out),
          cmocka_unit_test(two_engines_leave_the_pools_of_their_logs),
          cmocka_unit_test(a_paged_cache_holds_what_sequences_have),
          cmocka_unit_test(weights_that_fill_four_fifths_are_a_tight_fit),
          cmocka_unit_test(a_run_of_the_users_own_moves_what_is_not_weights))
