#include "tests/memory_fixture.h"

/* Expected values are worked out by hand in the comments, or published. */

/* ---- activations of a layer ---------------------------------------------------------------- */

/* Korthikanti et al. 2022, table 3 */
static const struct model gpt_22b = {.id = "gpt-22b",
                                     .layers = 48,
                                     .hidden_size = 6144,
                                     .heads = 64,
                                     .kv_heads = 64,
                                     .head_dim = 96,
                                     .ffn_size = 24576,
                                     .vocab_size = 51200,
                                     .tied_embeddings = true,
                                     .norms_per_layer = 2,
                                     .moe.every = 1};

/* The job on another shape. */
static void use_shape(struct set *set, const struct model *model)
{
    set->job.model = model;
    set->job.params = model_count(model);
}

static struct layer_activations layer_of(const char *pairs, bool flash)
{
    struct set *set = set_up(pairs);
    return layer_activations(&set->job, &constants, flash, set->job.seq_len);
}

static void a_gpt_layer_keeps_34h_and_5as(void **state)
{
    (void)state;
    struct set *set = set_up("workload=pretrain stack=hf seq_len=2048 model=gpt2-small");
    use_shape(set, &gpt_22b);
    struct layer_activations layer = layer_activations(&set->job, &constants, false, 2048);
    assert_near(layer.whole, 10.0 * 6144, 1e-12); /* Korthikanti et al. 2022, table 2: 10 ... */
    assert_near(layer.split, 24.0 * 6144, 1e-12); /* ... + 24 / t */
    assert_near(layer.scores, 5.0 * 64 * 2048, 1e-12);
}

static void a_llama_layer_keeps_8h_4q_4k_8f(void **state)
{
    (void)state;
    /* h = q = k = 4096, f = 11008: 16 * 4096 + 8 * 11008 = 153,600 = 37.5 h */
    struct layer_activations layer =
        layer_of("workload=pretrain stack=torchtitan model=llama-2-7b", true);
    assert_near(layer.whole + layer.split, 153600, 1e-12);
    /* Llama 3: k = 1024, f = 14336: 32,768 + 16,384 + 4,096 + 114,688 = 167,936 = 41 h */
    layer = layer_of("workload=pretrain stack=torchtitan model=llama-3.1-8b", true);
    assert_near(layer.whole + layer.split, 167936, 1e-12);
    assert_near(layer.scores, 0, 0);
}

static void megatrons_fused_swiglu_keeps_gate_and_up_only(void **state)
{
    (void)state;
    /* of 153,600: 2f = 22,016 less */
    struct layer_activations layer =
        layer_of("workload=pretrain stack=nemo model=llama-2-7b", true);
    assert_near(layer.whole + layer.split, 131584, 1e-12);
}

static void published_recipes_without_dropout_keep_no_masks(void **state)
{
    (void)state;
    /* llm-foundry: 34h - 2h of masks */
    struct set *set = set_up("workload=pretrain stack=fsdp model=llama-2-7b");
    use_shape(set, &gpt_22b);
    struct layer_activations layer = layer_activations(&set->job, &constants, true, 2048);
    assert_near(layer.whole + layer.split, 32 * 6144, 1e-12);
}

static void pretraining_code_brings_its_own_loss(void **state)
{
    (void)state;
    struct stack_constants *fsdp = bare(STACK_FSDP);
    fsdp->logit_bytes = 18;
    static const char job[] = "stack=fsdp model=qwen2.5-0.5b recompute=none seq_len=4096 workload=";
    struct memory tuned = memory_of(arena_printf(arena, "%sfull", job));
    struct memory pretrained = memory_of(arena_printf(arena, "%spretrain", job));
    assert_near(tuned.components_gib[COMPONENT_LOGITS], 18.0 * 4096 * 151936 / GIB, 1e-9);
    assert_near(pretrained.components_gib[COMPONENT_LOGITS], 4.0 * 4096 * 151936 / GIB, 1e-9);
}

static void transformer_engine_keeps_inputs_in_one_byte(void **state)
{
    (void)state;
    /* Llama-2-7B, of 153,600: inputs of QKV and FFN 4h -> 2h, of the last product 2f -> f, the
     * activation 2f -> 0, the projection's input once more in fp8 + h: -h - 3f = 153,600 - 4096 -
     * 33,024 = 116,480 */
    struct layer_activations layer = layer_of(
        "workload=pretrain stack=nemo model=llama-2-7b precision=fp8-mixed gpu=h100-80", true);
    assert_near(layer.whole + layer.split, 116480, 1e-12);
    layer = layer_of(
        "workload=pretrain stack=torchtitan model=llama-2-7b precision=fp8-mixed gpu=h100-80",
        true);
    assert_near(layer.whole + layer.split, 153600, 1e-12);
}

static void a_frozen_layer_without_adapters_keeps_no_inputs(void **state)
{
    (void)state;
    bare(STACK_HF);
    /* adapters on q and v: norms 4h, Q 2h, K and V 4h, output 2h, gated 6f, the one shared input
     * 2h: 14 * 4096 + 6 * 11008 = 123,392 */
    struct layer_activations layer =
        layer_of("workload=lora stack=hf model=llama-2-7b lora_targets=qv lora_rank=8", true);
    assert_near(layer.whole + layer.split, 123392, 1e-12);
}

static void experts_count_by_those_a_token_visits(void **state)
{
    (void)state;
    /* Mixtral: h = q = 4096, k = 1024, two of eight experts of 14336: 8h + 4q + 4k + 2 * 6 * 14336
     */
    struct layer_activations layer =
        layer_of("workload=pretrain stack=nemo model=mixtral-8x7b", true);
    assert_near(layer.whole + layer.split, 12 * 4096 + 4 * 1024 + 12 * 14336, 1e-12);
}

/* ---- activations of a run ------------------------------------------------------------------ */

static void scores_are_kept_where_flash_attention_does_not_run(void **state)
{
    (void)state;
    bare(STACK_HF);
    static const char job[] =
        "workload=full stack=hf model=llama-2-7b precision=fp16-mixed seq_len=2048 "
        "recompute=none ";
    struct memory a100 = memory_of(arena_printf(arena, "%s gpu=a100-80", job));
    /* 5 bytes x 32 heads x 2048^2 x 32 layers = 20 GiB */
    const char *const old[] = {"v100-32", "t4"};
    for (int i = 0; i < 2; i++) {
        struct memory memory = memory_of(arena_printf(arena, "%s gpu=%s", job, old[i]));
        assert_near(memory.components_gib[COMPONENT_ACTIVATIONS] -
                        a100.components_gib[COMPONENT_ACTIVATIONS],
                    20, 1e-9);
    }
    struct memory off = memory_of(arena_printf(arena, "%s gpu=a100-80 flash_attention=no", job));
    assert_near(off.components_gib[COMPONENT_ACTIVATIONS] -
                    a100.components_gib[COMPONENT_ACTIVATIONS],
                20, 1e-9);
}

static void published_activations_of_megatron_are_met(void **state)
{
    (void)state;
    /* arXiv 2205.05198, figure 7 and table 2, GiB a GPU: 22B at tp 8 and 4 x 2048 tokens */
    static const struct {
        const char *with;
        double gib;
    } published[] = {{"recompute=none sp=no", 59.25},
                     {"recompute=none sp=yes", 39.56},
                     {"recompute=selective sp=yes", 9.56},
                     {"recompute=full sp=no", 4.5}};
    for (int i = 0; i < 4; i++) {
        struct set *set = set_up(arena_printf(arena,
                                              "workload=pretrain stack=hf precision=fp16-mixed "
                                              "seq_len=2048 micro_batch=4 tp=8 gpus=8 "
                                              "flash_attention=no gpu=a100-80 model=llama-2-7b %s",
                                              published[i].with));
        use_shape(set, &gpt_22b);
        struct memory memory = memory_estimate(&set->job, &set->hardware, &set->layout, &constants);
        assert_near(memory.components_gib[COMPONENT_ACTIVATIONS], published[i].gib, 1e-3);
    }
}

static void full_recomputation_keeps_the_input_of_each_layer(void **state)
{
    (void)state;
    bare(STACK_HF);
    /* LoRA as well: 2 bytes x 8192 tokens x 4096 x 32 layers = 2 GiB */
    struct memory memory =
        memory_of("workload=lora stack=hf model=llama-2-7b seq_len=8192 recompute=full");
    assert_near(memory.components_gib[COMPONENT_ACTIVATIONS], 2, 1e-9);
    struct memory without =
        memory_of("workload=lora stack=hf model=llama-2-7b seq_len=8192 recompute=none");
    assert_true(without.components_gib[COMPONENT_ACTIVATIONS] > 10 * 2);
}

static void logits_follow_the_loss(void **state)
{
    (void)state;
    bare(STACK_HF)->logit_bytes = 12;
    /* 12 bytes x 8192 tokens x 151,936 entries = 13.9 GiB (Qwen's vocabulary) */
    static const char job[] =
        "workload=lora stack=hf model=qwen2.5-0.5b seq_len=8192 recompute=full";
    struct memory memory = memory_of(job);
    assert_near(memory.components_gib[COMPONENT_LOGITS], 13.91, 1e-3);
    memory = memory_of(arena_printf(arena, "%s fused_loss=yes", job));
    assert_near(memory.components_gib[COMPONENT_LOGITS], 13.91 / 12, 1e-3);
    /* a cap few samples reach: (8192 / 2048)^-0.5 = 1/2 of it, and no less at a longer one */
    bare(STACK_HF)->length_exponent = 0.5;
    double half = memory_of(job).components_gib[COMPONENT_LOGITS];
    assert_near(half, 4.0 / 2 * 8192 * 151936 / GIB, 1e-9);
    memory = memory_of("workload=lora stack=hf model=qwen2.5-0.5b seq_len=32768 recompute=full");
    assert_near(memory.components_gib[COMPONENT_LOGITS], 4 * half, 1e-9);
    /* the vocabulary-parallel loss of Megatron: 4 bytes, divided by tp */
    bare(STACK_MEGATRON);
    memory = memory_of(
        "workload=lora stack=megatron model=qwen2.5-0.5b seq_len=8192 recompute=full tp=2 gpus=2");
    assert_near(memory.components_gib[COMPONENT_LOGITS], 13.91 / 12 * 4 / 2, 1e-3);
}

/* ---- pipelines ----------------------------------------------------------------------------- */

static void the_first_stage_holds_a_micro_batch_for_each_stage(void **state)
{
    (void)state;
    bare(STACK_NEMO);
    static const char job[] =
        "workload=pretrain stack=nemo model=llama-2-7b seq_len=4096 recompute=none "
        "gpu=h100-80 fused_loss=yes ";
    struct memory one = memory_of(job);
    struct memory four = memory_of(arena_printf(arena, "%s pp=4 gpus=4", job));
    /* four micro-batches of a quarter of the layers: as much as all layers once */
    assert_int_equal(four.worst_stage, 0);
    assert_near(four.components_gib[COMPONENT_ACTIVATIONS],
                one.components_gib[COMPONENT_ACTIVATIONS], 1e-9);
    /* interleaved: 1 + 3 / (4 x 2) times as much (Korthikanti et al., section 4.2.3) */
    struct memory interleaved = memory_of(arena_printf(arena, "%s pp=4 vp=2 gpus=4", job));
    assert_near(interleaved.components_gib[COMPONENT_ACTIVATIONS] /
                    four.components_gib[COMPONENT_ACTIVATIONS],
                1.375, 1e-9);
    /* fewer micro-batches than stages: no more than there are */
    struct set *few = set_up(arena_printf(arena, "%s pp=4 gpus=4", job));
    few->layout.micro_batches = 2;
    struct memory two = memory_estimate(&few->job, &few->hardware, &few->layout, &constants);
    assert_near(two.components_gib[COMPONENT_ACTIVATIONS],
                four.components_gib[COMPONENT_ACTIVATIONS] / 2, 1e-9);
}

static void the_last_stage_holds_the_logits(void **state)
{
    (void)state;
    bare(STACK_NEMO)->pretrain_logit_bytes = 20;
    /* recomputed layers are small, 20 x 16384 x 151,936 bytes of logits are not */
    struct memory memory =
        memory_of("workload=pretrain stack=nemo model=qwen2.5-0.5b seq_len=16384 "
                  "recompute=full pp=2 gpus=2 gpu=h100-80");
    assert_int_equal(memory.worst_stage, 1);
    assert_near(memory.components_gib[COMPONENT_LOGITS], 20.0 * 16384 * 151936 / GIB, 1e-9);
}

static void dtensor_saves_gathered_inputs_and_megatron_does_not(void **state)
{
    (void)state;
    static const char job[] = "workload=pretrain model=llama-2-7b tp=8 sp=yes gpus=8 micro_batch=1 "
                              "recompute=none seq_len=4096 fused_loss=yes stack=";
    bare(STACK_TORCHTITAN);
    struct memory torch = memory_of(arena_printf(arena, "%storchtitan", job));
    bare(STACK_NEMO);
    struct memory nemo = memory_of(arena_printf(arena, "%snemo", job));
    /* 4h on 7/8 of the tokens, and 2f of the activation that Megatron works out again */
    double more = 4 * 4096 * 7.0 / 8 + 2 * 11008.0 / 8;
    assert_near(
        (torch.components_gib[COMPONENT_ACTIVATIONS] - nemo.components_gib[COMPONENT_ACTIVATIONS]) *
            GIB,
        32.0 * 4096 * more, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_gpt_layer_keeps_34h_and_5as),
        TEST(a_llama_layer_keeps_8h_4q_4k_8f),
        TEST(megatrons_fused_swiglu_keeps_gate_and_up_only),
        TEST(published_recipes_without_dropout_keep_no_masks),
        TEST(pretraining_code_brings_its_own_loss),
        TEST(transformer_engine_keeps_inputs_in_one_byte),
        TEST(a_frozen_layer_without_adapters_keeps_no_inputs),
        TEST(experts_count_by_those_a_token_visits),
        TEST(scores_are_kept_where_flash_attention_does_not_run),
        TEST(published_activations_of_megatron_are_met),
        TEST(full_recomputation_keeps_the_input_of_each_layer),
        TEST(logits_follow_the_loss),
        TEST(the_first_stage_holds_a_micro_batch_for_each_stage),
        TEST(the_last_stage_holds_the_logits),
        TEST(dtensor_saves_gathered_inputs_and_megatron_does_not),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
