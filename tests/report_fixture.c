#include "tests/report_fixture.h"

#include <math.h>
#include <string.h>

static const struct gpu gpu = {
    .id = "test-24", .name = "Test GPU 24", .source = "made for this test", .arch = ARCH_AMPERE,
    .usable_gib = 20, .bf16_tflops = 100, .fp16_tflops = 100, .fp8_tflops = NAN, .bf16 = true};

static const struct instance instances[] = {
    {.type = "one.small", .family = "one", .source = "made for this test",
     .vcpu = 8, .ram_gib = 64, .gpu = &gpu,
     .gpu_count = 1, .gpu_fraction = 1, .gpu_usable_gib = 20, .network_gbps = 10},
    {.type = "two.large", .family = "two", .source = "made for this test",
     .vcpu = 16, .ram_gib = 128, .gpu = &gpu,
     .gpu_count = 2, .gpu_fraction = 1, .gpu_usable_gib = 20, .link = LINK_PCIE, .network_gbps = 20},
    {.type = "three.unpriced", .family = "three", .source = "made for this test",
     .vcpu = 8, .ram_gib = 64, .gpu = &gpu,
     .gpu_count = 1, .gpu_fraction = 1, .gpu_usable_gib = 20, .network_gbps = 5},
    {.type = "four.tiny", .family = "four", .source = "made for this test",
     .vcpu = 4, .ram_gib = 32, .gpu = &gpu,
     .gpu_count = 1, .gpu_fraction = 0.5, .gpu_usable_gib = 10, .network_gbps = 5},
};

static const struct price prices[] = {
    {.type = "one.small", .region = "", .source = "a price list", .date = "2026-11-01",
     .currency = "CNY", .payg_hour = 10, .layer = "built in"},
    {.type = "two.large", .region = "", .source = "a price list", .date = "2026-11-01",
     .currency = "CNY", .payg_hour = 24, .layer = "built in"},
};

static const struct model model = {.id = "toy-7b", .layers = 10, .hidden_size = 100, .vocab_size = 1000};
static const struct weight_format format = {.id = "bf16", .bits_per_weight = 16};

static struct memory memory(void)
{
    struct memory memory = {
        .replicated_total_gib = 11, .peaks_gib = {[PEAK_LOAD] = 11, [PEAK_STEP] = 18},
        .model_states_gib = 13, .need_gib = 18, .low_gib = 16, .high_gib = 19, .reserved_gib = 18,
        .usable_gib = 20, .verdict = VERDICT_FITS, .host_ram_gib = 32, .kv_tokens = NAN,
        .max_concurrency = NAN, .measured_basis = true};
    memory.components_gib[COMPONENT_WEIGHTS] = 10;
    memory.components_gib[COMPONENT_GRADIENTS] = 1;
    memory.components_gib[COMPONENT_OPTIMIZER] = 2;
    memory.components_gib[COMPONENT_ACTIVATIONS] = 3;
    memory.components_gib[COMPONENT_LOGITS] = 1;
    memory.components_gib[COMPONENT_RUNTIME] = 1;
    memory.replicated_gib[COMPONENT_WEIGHTS] = 10;
    memory.replicated_gib[COMPONENT_RUNTIME] = 1;
    return memory;
}

static struct speed speed(double tokens_per_s, int gpus)
{
    return (struct speed){
        .tokens_per_s = tokens_per_s, .tokens_per_s_per_gpu = tokens_per_s / gpus,
        .low_tokens_per_s = 0.8 * tokens_per_s, .high_tokens_per_s = 1.25 * tokens_per_s,
        .step_s = 4, .mfu = 0.42, .tflops_per_gpu = 42, .prefill_tokens_per_s = NAN,
        .decode_tokens_per_s = NAN, .output_tokens_per_s = NAN, .ttft_ms = NAN, .tpot_ms = NAN,
        .request_s = NAN, .requests_per_s = NAN, .measured = true, .bound_by = BOUND_COMPUTE};
}

static struct cost cost(double total, double hours, double goodput, enum cost_basis basis)
{
    return (struct cost){
        .available = true, .total_cny = total, .per_hour_cny = total / hours,
        .per_month_cny = total / hours * 730, .wall_h = hours, .goodput = goodput,
        .break_even_h_per_month = NAN, .break_even_price_ratio = NAN, .break_even_h_per_day = NAN,
        .break_even_busy_share = NAN, .break_even_busy_share_cold = NAN, .amortise_months = NAN,
        .machine_hour_cny = NAN, .machine_month_cny = NAN, .mtbf_h = INFINITY, .why_not = "",
        .commitment = MODE_COUNT, .rest = MODE_COUNT, .currency = "CNY", .low_cny = total,
        .high_cny = total, .basis = basis, .line_count = 1,
        .lines = {{.label = "Machines", .quantity = hours, .unit = "h", .rate_cny = total / hours, .amount_cny = total,
                   .basis = basis, .date = "2026-11-01"}}};
}

static struct offer offer(struct arena *arena, int which, int nodes, int gpus, double tokens_per_s)
{
    struct offer offer = {
        .costs = ARENA_ARRAY(arena, struct cost, MODE_COUNT),
        .instance = &instances[which], .nodes = nodes,
        .hardware = {.gpu = &gpu, .usable_gib = 20, .gpus = gpus, .gpus_per_node = gpus / nodes,
                     .nodes = nodes, .network_gbps = instances[which].network_gbps,
                     .ram_gib = instances[which].ram_gib, .gpu_fraction = 1},
        .layout = {1, 1, 1, 1, 1, gpus, .zero = gpus > 1 ? 2 : 0, .micro_batch = 1,
                   .micro_batches = 8, .chosen = CHOSEN_DP | CHOSEN_ZERO},
        .memory = memory(), .speed = speed(tokens_per_s, gpus),
        .hours = {36e6 / (1.25 * tokens_per_s) / 3600, 36e6 / tokens_per_s / 3600,
                  36e6 / (0.8 * tokens_per_s) / 3600},
        .price = which < 2 ? &prices[which] : NULL, .cheapest = MODE_COUNT, .within_budget = true,
        .keeps_deadline = true, .cny_per_mtok = NAN, .cny_per_mtok_input = NAN,
        .cny_per_mtok_output = NAN, .cny_per_mtok_batch1 = NAN};
    for (int mode = 0; mode < MODE_COUNT; mode++)
        offer.costs[mode].why_not = "not part of this test";
    return offer;
}

void fixture_fill(struct report_fixture *f)
{
    struct error error;
    memset(f, 0, sizeof *f);
    f->arena = arena_new();
    f->catalog = (struct catalog){.date = "2026-12-01", .price_date = "2026-11-01"};
    scenario_set(&f->scenario, FIELD_WORKLOAD, "full", &f->catalog, f->arena, &error);
    scenario_set(&f->scenario, FIELD_TOKENS_B, "0.036", &f->catalog, f->arena, &error);
    f->offers[0] = offer(f->arena, 0, 2, 2, 1000);
    f->offers[0].costs[MODE_PAYG] = cost(200, 10, 1, BASIS_QUOTED);
    f->offers[0].costs[MODE_SPOT] = cost(66, 11, 10.0 / 11, BASIS_ASSUMPTION);
    f->offers[0].cheapest = MODE_SPOT;
    f->offers[0].cny_per_mtok = 66.0 / 36;
    f->offers[1] = offer(f->arena, 1, 1, 2, 1000);
    f->offers[1].costs[MODE_PAYG] = cost(240, 10, 1, BASIS_QUOTED);
    f->offers[1].cheapest = MODE_PAYG;
    f->offers[2] = offer(f->arena, 2, 1, 1, 500);
    f->excluded[0] = (struct excluded){&instances[3], EXCLUDED_MEMORY, "needs 18.0 GiB of 10.0 usable"};
    f->remedies[0] = (struct remedy){.change = "weights=nf4", .label = "4-bit weights", .offers = 11, .cheapest_cny = 34.7};
    f->plan = (struct plan){
        .offers = f->offers, .offer_count = 3, .excluded = f->excluded, .excluded_count = 1,
        .funnel = {{EXCLUDED_MEMORY, 3}}, .funnel_count = 1, .types = 4,
        .job = {.scenario = &f->scenario, .catalog = &f->catalog, .model = &model,
                .params = {.total = 7000000000, .active = 7000000000}, .workload = WORKLOAD_FULL,
                .weights = &format, .seq_len = 2048, .train_tokens = 36e6}};
    f->input = (struct report_input){.catalog = &f->catalog, .scenario = &f->scenario, .plan = &f->plan,
                                     .remedies = f->remedies, .remedy_count = 1, .today = "2026-12-01"};
}

void fixture_clear(struct report_fixture *fixture)
{
    arena_free(fixture->arena);
}
