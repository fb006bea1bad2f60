/* Each rule of advice speaks when its figures are there and is silent when they are not. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include "engine/advice.h"
#include "tests/fixture.h"

/* What a case says besides answers: how it is paid for, which day it is, which offer is looked at.
 */
struct setting {
    enum billing_mode mode;
    const char *today, *type;
};

static enum billing_mode mode_named(const char *key)
{
    int mode = 0;
    while (mode < MODE_COUNT && strcmp(billing_modes[mode].key, key) != 0)
        mode++;
    return (enum billing_mode)mode;
}

/* Takes "pay=MODE", "today=DATE" and "offer=TYPE" from the front. */
static const char *read_setting(const char *pairs, struct setting *setting)
{
    char word[64], value[64];
    int used;
    *setting = (struct setting){MODE_COUNT, "2026-12-01", NULL};
    while (sscanf(pairs, "%15[a-z]=%63s %n", word, value, &used) == 2) {
        if (strcmp(word, "pay") == 0)
            setting->mode = mode_named(value);
        else if (strcmp(word, "today") == 0)
            setting->today = arena_strdup(arena, value);
        else if (strcmp(word, "offer") == 0)
            setting->type = arena_strdup(arena, value);
        else
            break;
        pairs += used;
    }
    return pairs;
}

static const struct offer *find_offer(const struct plan *plan, const char *type)
{
    for (size_t i = 0; i < plan->offer_count; i++)
        if (!type || strcmp(plan->offers[i].instance->type, type) == 0)
            return &plan->offers[i];
    return NULL;
}

/* What the rules say: to an estimate where a card is named, else to an offer of the plan. */
static int advice_on(const char *pairs, struct advice found[ADVICE_MAX])
{
    struct error error = {0};
    struct setting setting;
    struct plan plan;
    struct offer offer;
    struct job job;
    struct scenario *scenario = ARENA_NEW(arena, struct scenario);
    *scenario = answers(read_setting(pairs, &setting));
    struct advice_input input = {.catalog = &catalog,
                                 .scenario = scenario,
                                 .mode = setting.mode,
                                 .today = setting.today,
                                 .arena = arena};
    if (scenario_has(scenario, FIELD_GPU)) {
        if (!estimate_compute(&catalog, &constants, scenario, arena, &offer, &job, &error))
            fail_msg("%s: %s", pairs, error.message);
        input.job = &job;
        input.offer = &offer;
        return advice_collect(&input, found);
    }
    if (!plan_compute(&catalog, &constants, scenario, setting.today, &plan, &error))
        fail_msg("%s: %s", pairs, error.message);
    input.plan = &plan;
    input.job = &plan.job;
    input.offer = find_offer(&plan, setting.type);
    if (!input.offer)
        fail_msg("%s: no such offer (%s)", pairs,
                 plan.excluded_count ? plan.excluded[0].detail : "");
    int count = advice_collect(&input, found);
    plan_clear(&plan);
    return count;
}

static const struct advice *said(const struct advice found[], int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (strcmp(found[i].rule->id, id) == 0)
            return &found[i];
    return NULL;
}

#define LORA "workload=lora model=qwen2.5-7b "
#define FULL "workload=full model=qwen2.5-7b "
#define SERVE "workload=inference model=qwen2.5-7b context=4096 concurrency=4 "
#define A10 "instance=ecs.gn7i-c8g1.2xlarge "
#define A100X8 "instance=ecs.gn7e-c16g1.32xlarge "

/* One scenario that triggers the rule and one, as near as can be, that does not. */
static const struct rule_case {
    const char *id, *speaks, *silent;
} cases[] = {
    {"no-fit", FULL "gpu=a10", LORA "gpu=a10 weights=nf4 seq_len=512"},
    {"host-ram-short", FULL "gpu=a100-80 instance=ecs.gn7e-c16g1.4xlarge offload=optimizer",
     LORA "gpu=a100-80 instance=ecs.gn7e-c16g1.4xlarge"},
    {"deadline-missed",
     "pay=spot " FULL A100X8 "samples=1000000 mean_len=1000 epochs=3 deadline_h=34 "
     "spot_hours_between_losses=2",
     "pay=spot " FULL A100X8 "samples=1000000 mean_len=1000 epochs=3 deadline_h=34 "
     "spot_hours_between_losses=200"},
    {"refused-alone",
     "pay=spot " FULL A100X8 "samples=1000000 mean_len=1000 epochs=3 spot_hours_between_losses=0.2",
     "pay=spot " FULL A100X8 "samples=1000000 mean_len=1000 epochs=3"},
    {"memory-tight", "workload=lora model=qwen2.5-14b weights=nf4 seq_len=2048 " A10,
     "workload=lora model=qwen2.5-14b weights=nf4 seq_len=256 fused_loss=yes " A10},
    {"copies", "workload=lora model=qwen2.5-14b gpu=a10 gpus=4 zero=0",
     "workload=lora model=qwen2.5-14b gpu=a100-80 gpus=4 zero=0"},
    {"host-ram-lean",
     "workload=inference model=qwen2.5-14b weights=awq-int4 context=2048 concurrency=1 "
     "instance=ecs.gn6i-c4g1.xlarge",
     "workload=inference model=qwen2.5-14b weights=awq-int4 context=2048 concurrency=1 " A10},
    {"cache-short", "workload=inference model=qwen2.5-7b context=8192 concurrency=16 gpu=a10",
     "workload=inference model=qwen2.5-7b context=8192 concurrency=4 gpu=a10"},
    {"no-bf16", LORA "precision=fp16-mixed gpu=v100-32", LORA "precision=fp16-mixed gpu=a10"},
    {"no-flash-attention", LORA "precision=fp16-mixed gpu=v100-32 seq_len=4096",
     LORA "precision=fp16-mixed gpu=v100-32 seq_len=1024"},
    {"no-fp8", SERVE "kv_cache=fp8 gpu=a10", SERVE "kv_cache=fp8 gpu=l20"},
    {"few-vcpu", LORA "weights=nf4 precision=fp16-mixed seq_len=512 instance=ecs.gn6i-c4g1.xlarge",
     LORA "weights=nf4 precision=fp16-mixed seq_len=512 instance=ecs.gn6i-c8g1.2xlarge"},
    {"no-rdma", FULL "gpu=a100-80 gpus=16 gpus_per_node=8 nodes=2 node_network_gbps=64 rdma=no",
     FULL "gpu=a100-80 gpus=16 gpus_per_node=8 nodes=2 node_network_gbps=800 rdma=yes"},
    {"zero-across-machines",
     FULL "gpu=a100-80 gpus=16 gpus_per_node=8 nodes=2 node_network_gbps=64 rdma=no zero=3",
     FULL "gpu=a100-80 gpus=16 gpus_per_node=8 nodes=2 node_network_gbps=64 rdma=no zero=1"},
    {"single-card-machines",
     LORA "weights=nf4 gpu=a10 gpus=2 gpus_per_node=1 nodes=2 node_network_gbps=16",
     LORA "weights=nf4 gpu=a10 gpus=2 gpus_per_node=2 nodes=1"},
    {"rdma-unused",
     FULL "gpu=a100-80 gpus=16 gpus_per_node=8 nodes=2 node_network_gbps=800 rdma=yes",
     FULL "gpu=a100-80 gpus=8"},
    {"tp-over-pcie", SERVE "gpu=a10 gpus=2 tp=2", SERVE "gpu=a100-80 gpus=2 tp=2"},
    {"tp-across-machines",
     "workload=inference model=qwen2.5-72b context=4096 concurrency=1 gpu=a100-80 gpus=2 "
     "gpus_per_node=1 nodes=2 tp=2 node_network_gbps=160 rdma=yes",
     "workload=inference model=qwen2.5-72b context=4096 concurrency=1 gpu=a100-80 gpus=2 tp=2"},
    {"latency-missed", SERVE "gpu=a10 tpot_ms=5", SERVE "gpu=a10 tpot_ms=500"},
    {"load-missed", SERVE "gpu=a10 requests_per_s=50", SERVE "gpu=a10 requests_per_s=0.1"},
    {"slow-checkpoints", FULL A100X8, LORA A100X8},
    {"disk-small", FULL A100X8 "disk_gib=100", FULL A100X8 "disk_gib=1000"},
    {"local-disk",
     "workload=inference model=qwen2.5-0.5b context=2048 concurrency=1 engine=llama.cpp "
     "weights=gguf-q8_0 include=not_recommended,unpriced "
     "instance=ecs.gn5-c4g1.xlarge",
     SERVE A10},
    {"cross-region-data", LORA A100X8 "cross_region_gb=500", LORA A100X8 "cross_region_gb=0"},
    {"stale-price", LORA A100X8, "today=2024-11-01 " LORA A100X8},
    {"weak-price", SERVE "instance=ecs.gn8v.4xlarge", SERVE A10},
    {"no-price",
     "workload=lora model=qwen2.5-0.5b seq_len=512 include=unpriced "
     "instance=ecs.ebmgn7i.32xlarge",
     LORA A100X8},
    {"payment-risk", "pay=monthly " SERVE A10 "months=1", "pay=managed " LORA "gpu=a10"},
    {"rework", "pay=spot " FULL A100X8 "tokens_b=1",
     "pay=payg " LORA "weights=nf4 tokens_b=0.01 " A10},
    {"not-quoted", "pay=spot " FULL A100X8 "tokens_b=1", "pay=monthly " SERVE A10 "months=1"},
    {"spot-plan", "pay=spot " FULL A100X8 "tokens_b=1", "pay=payg " FULL A100X8 "tokens_b=1"},
    {"spot-checkpoints", "pay=spot " FULL A100X8 "tokens_b=1 checkpoint_minutes=1000",
     "pay=spot " FULL A100X8 "tokens_b=1 checkpoint_minutes=60"},
    {"spot-service", "pay=spot " SERVE A10 "months=1", "pay=payg " SERVE A10 "months=1"},
    {"spot-old-family",
     "pay=spot " LORA "weights=nf4 precision=fp16-mixed seq_len=512 "
     "instance=ecs.gn6i-c8g1.2xlarge tokens_b=0.01",
     "pay=spot " LORA "weights=nf4 seq_len=512 tokens_b=0.01 " A10},
    {"stopped-not-free", "pay=payg_stop " SERVE A10 "months=1 hours_per_day=8",
     "pay=payg " SERVE A10 "months=1 hours_per_day=8"},
    {"stock", "pay=spot " FULL A100X8 "tokens_b=1", "pay=monthly " SERVE A10 "months=1"},
    {"quota", FULL A100X8, SERVE A10},
    {"not-recommended",
     "workload=inference model=qwen2.5-0.5b context=2048 concurrency=1 engine=llama.cpp "
     "weights=gguf-q8_0 include=not_recommended,unpriced "
     "instance=ecs.gn5-c4g1.xlarge",
     SERVE A10},
    {"ask-sales", SERVE "include=unpriced instance=ecs.gn8is.2xlarge", SERVE A10},
    {"bigger-for-less", SERVE "instance=ecs.gn6i-c24g1.6xlarge weights=awq-int4", SERVE A10},
    {"better-card-for-less", SERVE "weights=awq-int4 instance=ecs.gn6i-c4g1.xlarge", SERVE A10},
    {"fallback", "workload=lora model=qwen2.5-7b weights=nf4", LORA A100X8},
    {"serverless-wins", "pay=payg " SERVE A10 "months=1 requests_per_s=0.02",
     "pay=payg_stop " SERVE A10 "months=1 hours_per_day=4"},
    {"managed-wins", "pay=payg " SERVE "weights=awq-int4 instance=ecs.gn6i-c16g1.4xlarge months=1",
     "pay=payg " SERVE A10 "months=1"},
    {"slice-enough",
     "workload=inference model=qwen2.5-0.5b context=2048 concurrency=1 memory_utilization=0.2 " A10,
     SERVE A10},
    {"scale-with-load", SERVE "gpu=a10 gpus=4 requests_per_s=2", SERVE "gpu=a10 gpus=4"},
    {"promotion", SERVE "weights=awq-int4 instance=ecs.gn6i-c4g1.xlarge", SERVE A10},
    {"pool-not-need", SERVE "gpu=a100-80", SERVE "gpu=a100-80 engine=transformers"},
    {"mixture", "workload=inference model=qwen3-30b-a3b context=4096 concurrency=4 gpu=a100-80",
     SERVE "gpu=a100-80"},
    {"dequantised", "workload=lora model=qwen2.5-14b weights=nf4 gpu=a10 seq_len=1024",
     "workload=lora model=qwen2.5-14b gpu=l20 seq_len=1024"},
    {"not-measured", LORA "weights=nf4 gpu=t4 precision=fp16-mixed seq_len=512",
     FULL "gpu=a100-80 gpus=8"},
    {"usable-assumed", SERVE "gpu=a30", SERVE "gpu=a10"},
    {"slow-load",
     "workload=inference model=deepseek-v3 context=4096 concurrency=4 "
     "include=unpriced instance=ecs.ebmgn8v.48xlarge nodes=2 max_nodes=2",
     "workload=inference model=qwen2.5-0.5b context=2048 concurrency=1 " A10},
    {"iops-by-size", LORA A100X8 "disk=essd_pl3 disk_gib=1261",
     LORA A100X8 "disk=essd_pl1 disk_gib=1000"},
    {"data-rate", LORA A100X8 "disk=essd_pl3", LORA A100X8},
    {"check-links", FULL A100X8, FULL "gpu=a100-80 gpus=8"},
    {"check-disk", FULL A100X8,
     "workload=inference model=qwen2.5-0.5b context=2048 concurrency=1 " A10},
    {"check-software", SERVE A10, SERVE "gpu=a10"},
    {"watch-gpu", FULL "gpu=a100-80 gpus=8", LORA "weights=nf4 gpu=a10"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void every_rule_speaks_when_it_should_and_only_then(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct advice found[ADVICE_MAX];
        const struct advice *advice = said(found, advice_on(cases[i].speaks, found), cases[i].id);
        if (!advice)
            fail_msg("%s is not said to: %s", cases[i].id, cases[i].speaks);
        assert_true(advice->why[0] != '\0');
        if (said(found, advice_on(cases[i].silent, found), cases[i].id))
            fail_msg("%s is said to: %s", cases[i].id, cases[i].silent);
    }
}

static void every_rule_has_a_case(void **state)
{
    (void)state;
    for (int i = 0; i < advice_rule_count; i++) {
        int k = 0;
        while (k < CASES && strcmp(cases[k].id, advice_rules[i].id) != 0)
            k++;
        if (k == CASES)
            fail_msg("no case triggers %s", advice_rules[i].id);
        assert_ptr_equal(advice_rule_find(advice_rules[i].id), &advice_rules[i]);
    }
    assert_null(advice_rule_find("no-such-rule"));
}

static void advice_stands_from_the_heaviest_to_the_lightest(void **state)
{
    (void)state;
    for (int i = 1; i < advice_rule_count; i++)
        assert_true(advice_rules[i].weight >= advice_rules[i - 1].weight);
}

TEST_MAIN(cmocka_unit_test_setup_teardown(every_rule_speaks_when_it_should_and_only_then, fixture_load,
                                          fixture_unload),
          cmocka_unit_test(every_rule_has_a_case),
          cmocka_unit_test(advice_stands_from_the_heaviest_to_the_lightest))
