/* remedy.c - the smallest changes that make a job fit, cost less or end in time. Each candidate is
 * one answer changed to its next useful value; the plan is computed with it, and what helps is kept. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/offers.h"

/* A change that might help. `value` NULL: a number worked out from the present answer by `next`, told
 * with the field's own label. */
struct candidate {
    enum field_id id;
    unsigned workloads; /* bits by enum workload */
    const char *value;
    double (*next)(const struct job *job); /* NAN = does not apply */
    const char *label;  /* N_() */
    bool saves;         /* also worth a look when there are offers: it may lower the price */
};

enum {
    TRAIN = 1 << WORKLOAD_PRETRAIN | 1 << WORKLOAD_FULL | 1 << WORKLOAD_LORA,
    FULL = 1 << WORKLOAD_FULL,
    LORA = 1 << WORKLOAD_LORA,
    SERVE = 1 << WORKLOAD_INFERENCE,
    ALL = TRAIN | SERVE
};

static double half_length(const struct job *job)
{
    double half = job->workload == WORKLOAD_INFERENCE ? job->context / 2 : job->seq_len / 2;
    return half >= 256 ? floor(half) : NAN;
}

static double half_context(const struct job *job)
{
    double half = half_length(job);
    return half >= job->input_len + job->output_len ? half : NAN;
}

static double half_users(const struct job *job)
{
    return job->concurrency >= 2 ? floor(job->concurrency / 2) : NAN;
}

static double one(const struct job *job)
{
    return scenario_has(job->scenario, FIELD_MICRO_BATCH) && job->scenario->micro_batch > 1 ? 1 : NAN;
}

static double fewer_sequences(const struct job *job)
{
    return job->max_num_seqs > 32 || job->max_num_seqs <= 0 ? 32 : NAN;
}

static double more_nodes(const struct job *job)
{
    double now = scenario_number(job->scenario, FIELD_MAX_NODES, job_usual_nodes(job->workload));
    return now * 2 <= 1024 ? now * 2 : NAN;
}

static double double_latency(const struct job *job)
{
    return job->tpot_ms > 0 ? job->tpot_ms * 2 : NAN;
}

static double double_ttft(const struct job *job)
{
    return job->ttft_ms > 0 ? job->ttft_ms * 2 : NAN;
}

static const struct candidate candidates[] = {
    {FIELD_WEIGHTS, LORA, "nf4", NULL, N_("4-bit base weights (QLoRA)"), true},
    {FIELD_RECOMPUTE, TRAIN, "full", NULL, N_("recompute activations"), false},
    {FIELD_MICRO_BATCH, TRAIN, NULL, one, NULL, false},
    {FIELD_FUSED_LOSS, TRAIN, "yes", NULL, N_("fused loss"), true},
    {FIELD_PRECISION, TRAIN, "bf16", NULL, N_("pure bf16 states"), true},
    {FIELD_PRECISION, TRAIN, "fp16-mixed", NULL, N_("fp16 instead of bf16"), false},
    {FIELD_OPTIMIZER, TRAIN, "adamw-8bit", NULL, N_("8-bit Adam"), false},
    {FIELD_ZERO, TRAIN, "3", NULL, N_("ZeRO-3"), false},
    {FIELD_OFFLOAD, TRAIN, "optimizer", NULL, N_("optimizer in host memory"), false},
    {FIELD_SEQ_LEN, TRAIN, NULL, half_length, NULL, false},
    {FIELD_WORKLOAD, FULL, "lora", NULL, N_("LoRA instead of full fine-tuning"), true},
    {FIELD_WORKLOAD, FULL, "lora weights=nf4", NULL, N_("QLoRA instead of full fine-tuning"), false},
    {FIELD_WEIGHTS, SERVE, "awq-int4", NULL, N_("4-bit weights (AWQ)"), true},
    {FIELD_WEIGHTS, SERVE, "fp8", NULL, N_("fp8 weights"), true},
    {FIELD_KV_CACHE, SERVE, "fp8", NULL, N_("fp8 KV cache"), true},
    {FIELD_CONTEXT, SERVE, NULL, half_context, NULL, true},
    {FIELD_CONCURRENCY, SERVE, NULL, half_users, NULL, false},
    {FIELD_MAX_NUM_SEQS, SERVE, NULL, fewer_sequences, NULL, false},
    {FIELD_TPOT_MS, SERVE, NULL, double_latency, NULL, false},
    {FIELD_TTFT_MS, SERVE, NULL, double_ttft, NULL, false},
    {FIELD_MAX_NODES, ALL, NULL, more_nodes, NULL, false},
    {FIELD_GPUS, ALL, "auto", NULL, N_("any number of GPUs"), false},
    {FIELD_NODES, ALL, "auto", NULL, N_("any number of machines"), false},
    {FIELD_TP, ALL, "auto", NULL, N_("tensor parallelism left open"), false},
    {FIELD_PP, ALL, "auto", NULL, N_("pipeline depth left open"), false},
    {FIELD_ZERO, TRAIN, "auto", NULL, N_("ZeRO stage left open"), false},
    {FIELD_GPU, ALL, "auto", NULL, N_("any GPU"), true},
    {FIELD_INSTANCE, ALL, "auto", NULL, N_("any instance type"), true},
    {FIELD_REGION, ALL, "auto", NULL, N_("any region"), true},
    {FIELD_BILLING, ALL, "auto", NULL, N_("any way of paying"), true},
    {FIELD_REQUIRE_RDMA, ALL, "auto", NULL, N_("without RDMA"), false},
    {FIELD_INCLUDE, ALL, "by_ticket,invitation", NULL, N_("types on request too"), false},
};

static double cheapest_total(const struct plan *plan)
{
    double least = NAN;
    for (size_t i = 0; i < plan->offer_count; i++) {
        const struct cost *cost = plan->offers[i].best;
        if (cost && strcmp(cost->currency, "CNY") == 0 && !(cost->total_cny >= least))
            least = cost->total_cny;
    }
    return least;
}

struct context {
    const struct catalog *catalog;
    const struct constants *constants;
    const struct scenario *scenario;
    const struct plan *plan;   /* NULL for an estimate */
    const struct offer *offer; /* of an estimate */
    const struct job *job;
    const char *today;
    struct arena *arena;
    struct remedy *found;
    int count, room;
};

static bool already_so(const struct context *context, enum field_id id, const char *value)
{
    struct strbuf now = {0};
    scenario_format(context->scenario, id, &now);
    bool same = strcmp(strbuf_text(&now), value) == 0;
    strbuf_clear(&now);
    return same;
}

static void keep(struct context *context, struct remedy remedy, const char *change, const char *label)
{
    if (context->count == context->room)
        return;
    snprintf(remedy.change, sizeof remedy.change, "%s", change);
    snprintf(remedy.label, sizeof remedy.label, "%s", label);
    context->found[context->count++] = remedy;
}

static void keep_if_it_fits(struct context *context, const struct scenario *changed, const char *change,
                            const char *label)
{
    struct offer offer;
    struct job job;
    struct error ignored;
    if (!estimate_compute(context->catalog, context->constants, changed, context->arena, &offer, &job, &ignored) ||
        offer.memory.verdict >= context->offer->memory.verdict)
        return;
    keep(context, (struct remedy){.cheapest_cny = NAN, .verdict = offer.memory.verdict,
                                  .need_gib = offer.memory.need_gib, .usable_gib = offer.memory.usable_gib},
         change, label);
}

/* Computes the plan with the change; keeps it when it brings offers, or a lower price. */
static void try_change(struct context *context, const char *change, const char *label)
{
    struct scenario changed = *context->scenario;
    struct error ignored;
    char pairs[96];
    snprintf(pairs, sizeof pairs, "%s", change);
    for (char *save = NULL, *pair = strtok_r(pairs, " ", &save); pair; pair = strtok_r(NULL, " ", &save))
        if (!scenario_set_pair(&changed, pair, context->catalog, context->arena, &ignored))
            return;
    if (!context->plan) {
        keep_if_it_fits(context, &changed, change, label);
        return;
    }
    struct plan plan;
    if (!plan_compute_brief(context->catalog, context->constants, &changed, context->today, &plan, &ignored))
        return;
    double before = cheapest_total(context->plan), after = cheapest_total(&plan);
    bool helps = context->plan->offer_count == 0 ? plan.offer_count > 0 : after < before * 0.98;
    if (helps)
        keep(context, (struct remedy){.offers = plan.offer_count, .cheapest_cny = after}, change, label);
    plan_clear(&plan);
}

/* The change as "key=value", and as people say it. */
static bool describe(const struct context *context, const struct candidate *candidate, char *change,
                     size_t change_size, char *label, size_t label_size)
{
    const struct field *field = &fields[candidate->id];
    char value[UNITS_TEXT], shown[UNITS_TEXT];
    if (candidate->value) {
        snprintf(label, label_size, "%s", tr(candidate->label));
        if (already_so(context, candidate->id, candidate->value))
            return false;
        snprintf(change, change_size, "%s=%s", field->key, candidate->value);
        return true;
    }
    double number = candidate->next(context->job);
    if (isnan(number))
        return false;
    units_plain(number, value);
    units_thousands(number, shown);
    snprintf(change, change_size, "%s=%s", field->key, value);
    snprintf(label, label_size, "%s %s %s", tr(field->label), shown, *field->unit ? tr(field->unit) : "");
    return true;
}

static void try_candidate(struct context *context, const struct candidate *candidate)
{
    char change[96], label[120];
    bool reset = candidate->value && strcmp(candidate->value, "auto") == 0;
    if (candidate->workloads >> context->job->workload & 1 &&
        field_applies(candidate->id, context->scenario) &&
        (!reset || scenario_has(context->scenario, candidate->id)) &&
        describe(context, candidate, change, sizeof change, label, sizeof label))
        try_change(context, change, label);
}

/* What a limit would have to be: the plan without it tells. */
static void try_limit(struct context *context, enum field_id id)
{
    if (!scenario_has(context->scenario, id) || context->plan->offer_count > 0)
        return;
    struct scenario free_of_it = *context->scenario;
    struct error ignored;
    struct plan plan;
    scenario_unset(&free_of_it, id);
    if (!plan_compute_brief(context->catalog, context->constants, &free_of_it, context->today, &plan, &ignored))
        return;
    double least = INFINITY;
    for (size_t i = 0; i < plan.offer_count; i++) {
        const struct cost *cost = plan.offers[i].best;
        if (!cost)
            continue;
        if (id == FIELD_BUDGET && strcmp(cost->currency, "CNY") != 0)
            continue; /* never converted */
        bool per_hour = scenario_has(context->scenario, FIELD_BUDGET_PER) && context->scenario->budget_per == PER_HOUR;
        bool per_month = scenario_has(context->scenario, FIELD_BUDGET_PER) && context->scenario->budget_per == PER_MONTH;
        double amount = id == FIELD_DEADLINE_H ? cost->wall_h
                        : per_hour             ? cost->per_hour_cny
                        : per_month            ? cost->per_month_cny
                                               : cost->total_cny;
        least = fmin(least, amount);
    }
    plan_clear(&plan);
    if (!isfinite(least))
        return;
    char value[UNITS_TEXT], shown[UNITS_TEXT], change[96], label[120];
    double enough = least < 100 ? ceil(least * 100) / 100 : ceil(least);
    snprintf(change, sizeof change, "%s=%s", fields[id].key, units_plain(enough, value));
    snprintf(label, sizeof label, "%s %s %s", tr(fields[id].label), units_cny(enough, shown), tr(fields[id].unit));
    try_change(context, change, label);
}

/* Two changes together, when no single one helps. */
static void try_pairs(struct context *context)
{
    char first[96], second[96], label_a[120], label_b[120], change[96], label[120];
    size_t count = sizeof candidates / sizeof *candidates;
    for (size_t i = 0; i < count && context->count == 0; i++) {
        const struct candidate *a = &candidates[i];
        if (!(a->workloads >> context->job->workload & 1) || !field_applies(a->id, context->scenario) ||
            !describe(context, a, first, sizeof first, label_a, sizeof label_a))
            continue;
        for (size_t k = i + 1; k < count && context->count < 3; k++) {
            const struct candidate *b = &candidates[k];
            if (b->id == a->id || !(b->workloads >> context->job->workload & 1) ||
                !field_applies(b->id, context->scenario) ||
                !describe(context, b, second, sizeof second, label_b, sizeof label_b))
                continue;
            if (snprintf(change, sizeof change, "%s %s", first, second) >= (int)sizeof change ||
                snprintf(label, sizeof label, "%.57s, %.57s", label_a, label_b) >= (int)sizeof label)
                continue;
            try_change(context, change, label);
        }
    }
}

/* Cheapest first; without a price last. */
static int by_price(const void *a, const void *b)
{
    const struct remedy *x = a, *y = b;
    double cx = isnan(x->cheapest_cny) ? INFINITY : x->cheapest_cny;
    double cy = isnan(y->cheapest_cny) ? INFINITY : y->cheapest_cny;
    return cx < cy ? -1 : cx > cy ? 1 : strcmp(x->change, y->change);
}

int remedies(const struct catalog *catalog, const struct constants *constants,
             const struct scenario *scenario, const struct plan *plan, const char *today,
             struct remedy found[RELAX_MAX])
{
    struct context context = {.catalog = catalog, .constants = constants, .scenario = scenario, .plan = plan,
                              .job = &plan->job, .today = today, .arena = arena_new(), .found = found,
                              .room = RELAX_MAX};
    try_limit(&context, FIELD_BUDGET);
    try_limit(&context, FIELD_DEADLINE_H);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (candidates[i].saves || plan->offer_count == 0)
            try_candidate(&context, &candidates[i]);
    if (context.count == 0 && plan->offer_count == 0)
        try_pairs(&context);
    arena_free(context.arena);
    qsort(found, (size_t)context.count, sizeof *found, by_price);
    return context.count;
}

/* ---- an estimate ---- */

/* Twice as many GPUs, and again, until it fits. */
static void try_more_gpus(struct context *context)
{
    enum { MOST = 64 };
    int before = context->count;
    for (int gpus = 2 * context->offer->hardware.gpus; gpus <= MOST && context->count == before; gpus *= 2) {
        char change[96], label[120];
        snprintf(change, sizeof change, "gpus=%d", gpus);
        snprintf(label, sizeof label, tr("%d GPUs instead of %d"), gpus, context->offer->hardware.gpus);
        try_change(context, change, label);
    }
}

static bool sold_whole(const struct catalog *catalog, const struct gpu *gpu)
{
    for (size_t i = 0; i < catalog->instance_count; i++)
        if (catalog->instances[i].gpu == gpu && catalog->instances[i].gpu_fraction >= 1)
            return true;
    return false;
}

/* The smallest card for rent that is larger than this one and that it fits on. */
static void try_larger_card(struct context *context)
{
    double above = context->offer->memory.usable_gib;
    int before = context->count;
    while (context->count == before) {
        const struct gpu *next = NULL;
        for (size_t i = 0; i < context->catalog->gpu_count; i++) {
            const struct gpu *gpu = &context->catalog->gpus[i];
            if (gpu->usable_gib > above && (!next || gpu->usable_gib < next->usable_gib) && sold_whole(context->catalog, gpu))
                next = gpu;
        }
        if (!next)
            return;
        char change[96], label[120];
        snprintf(change, sizeof change, "gpu=%s", next->id);
        snprintf(label, sizeof label, tr("a larger card: %s"), next->name);
        try_change(context, change, label);
        above = next->usable_gib;
    }
}

/* What is bound to the offers there are says nothing about one given machine. */
static bool of_offers_only(enum field_id id)
{
    return id == FIELD_MAX_NODES || id == FIELD_GPUS || id == FIELD_NODES || id == FIELD_GPU || id == FIELD_INSTANCE ||
           id == FIELD_REGION || id == FIELD_BILLING || id == FIELD_REQUIRE_RDMA || id == FIELD_INCLUDE ||
           id == FIELD_TPOT_MS || id == FIELD_TTFT_MS;
}

int remedies_of_estimate(const struct catalog *catalog, const struct constants *constants,
                         const struct scenario *scenario, const struct offer *offer,
                         const struct job *job, struct remedy found[RELAX_MAX])
{
    if (offer->memory.verdict == VERDICT_FITS)
        return 0;
    struct context context = {.catalog = catalog, .constants = constants, .scenario = scenario, .offer = offer,
                              .job = job, .arena = arena_new(), .found = found, .room = RELAX_MAX - 2};
    struct remedy sorted[RELAX_MAX] = {0};
    int count = 0;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (!of_offers_only(candidates[i].id))
            try_candidate(&context, &candidates[i]);
    context.room = RELAX_MAX;
    try_more_gpus(&context);
    try_larger_card(&context);
    for (int verdict = VERDICT_FITS; verdict < VERDICT_NO; verdict++)
        for (int i = 0; i < context.count; i++)
            if ((int)found[i].verdict == verdict)
                sorted[count++] = found[i];
    memcpy(found, sorted, (size_t)count * sizeof *found);
    arena_free(context.arena);
    return count;
}
