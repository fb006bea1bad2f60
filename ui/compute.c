/* compute.c - a small cache of plans, and memory by choice. */
#include "ui/compute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static bool same_text(const char **a, const char **b)
{
    bool equal = *a == *b || (*a && *b && strcmp(*a, *b) == 0);
    *a = *b = NULL;
    return equal;
}

/* Scenarios start zeroed and are copied whole, so apart from their texts equal bytes are equal
 * answers. */
bool answers_equal(const struct scenario *a, const struct scenario *b)
{
    struct scenario x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return same_text(&x.model, &y.model) && same_text(&x.weights, &y.weights) && same_text(&x.gpu, &y.gpu) &&
           same_text(&x.instance, &y.instance) && same_text(&x.region, &y.region) && same_text(&x.disk, &y.disk) &&
           same_text(&x.architecture_text, &y.architecture_text) && memcmp(&x, &y, sizeof x) == 0;
}

const struct computed *compute_plan(struct compute *compute, const struct scenario *scenario)
{
    struct computed *oldest = &compute->cache[0];
    compute->clock++;
    for (int i = 0; i < COMPUTE_CACHE; i++) {
        struct computed *entry = &compute->cache[i];
        if (entry->filled && answers_equal(&entry->scenario, scenario)) {
            entry->used = compute->clock;
            return entry;
        }
        if (entry->used < oldest->used)
            oldest = entry;
    }
    if (oldest->ok)
        plan_clear(&oldest->plan);
    *oldest = (struct computed){.filled = true, .used = compute->clock, .serial = compute->clock};
    memcpy(&oldest->scenario, scenario, sizeof *scenario);
    oldest->ok = plan_compute(compute->catalog, compute->constants, &oldest->scenario, compute->today,
                              &oldest->plan, &oldest->error);
    return oldest;
}

void compute_clear(struct compute *compute)
{
    for (int i = 0; i < COMPUTE_CACHE; i++)
        if (compute->cache[i].ok)
            plan_clear(&compute->cache[i].plan);
    memset(compute->cache, 0, sizeof compute->cache);
}

/* More in the id than family and size: tuned for code, distilled from another model, ... */
static bool is_variant(const struct model *model)
{
    size_t length = strlen(model->family);
    return strncmp(model->id, model->family, length) != 0 || model->id[length] != '-' ||
           strchr(model->id + length + 1, '-') != NULL;
}

bool compute_sketch(const struct compute *compute, struct scenario *scenario)
{
    const struct catalog *catalog = compute->catalog;
    bool sketched = false;
    struct error ignored;
    if (!scenario_has(scenario, FIELD_WORKLOAD))
        sketched = scenario_set(scenario, FIELD_WORKLOAD, workload_names[WORKLOAD_LORA], catalog,
                                catalog->arena, &ignored);
    if (scenario_has(scenario, FIELD_MODEL) || scenario_has(scenario, FIELD_ARCHITECTURE) ||
        scenario_has(scenario, FIELD_PARAMS_B))
        return sketched;
    /* the newest listed dense language model of seven to eight billion parameters: what newcomers
     * start with */
    const struct model *best = NULL;
    for (size_t i = 0; i < catalog->model_count; i++) {
        const struct model *model = &catalog->models[i];
        double params = (double)(model->published_params ? model->published_params : model->stated_params);
        if (model->listed && !is_variant(model) && model->moe.experts == 0 && model->extra.vision == 0 &&
            params >= 7e9 && params < 8e9 && (!best || strcmp(model->released, best->released) > 0))
            best = model;
    }
    if (!best && catalog->model_count)
        best = &catalog->models[0];
    return best && scenario_set(scenario, FIELD_MODEL, best->id, catalog, catalog->arena, &ignored);
}

/* Everything on one large GPU, one sequence at a time: what a choice takes in all. */
static struct reference one_gpu(const struct computed *computed)
{
    struct reference reference = {.layout = {.tp = 1, .pp = 1, .vp = 1, .cp = 1, .ep = 1, .dp = 1,
                                             .micro_batch = 1, .micro_batches = 1, .flash_attention = true}};
    struct error ignored;
    const struct plan *plan = &computed->plan;
    if (plan->offer_count)
        reference.layout.recompute = plan->offers[0].layout.recompute;
    reference.ok = hardware_pinned(&plan->job, &reference.hardware, &ignored);
    reference.hardware.gpus = reference.hardware.gpus_per_node = reference.hardware.nodes = 1;
    return reference;
}

/* Splits show their effect on more than one GPU only: there the best offer's layout is taken. */
static bool is_split(enum field_id id)
{
    return id == FIELD_ZERO || id == FIELD_SP || id == FIELD_OFFLOAD || id == FIELD_RECOMPUTE ||
           (id >= FIELD_TP && id <= FIELD_DP);
}

struct reference compute_reference(struct compute *compute, const struct scenario *scenario, enum field_id id)
{
    struct scenario complete;
    memcpy(&complete, scenario, sizeof complete);
    compute_sketch(compute, &complete);
    const struct computed *computed = compute_plan(compute, &complete);
    if (!computed->ok)
        return (struct reference){0};
    struct reference reference = one_gpu(computed);
    if (is_split(id) && computed->plan.offer_count) {
        reference.hardware = computed->plan.offers[0].hardware;
        reference.layout = computed->plan.offers[0].layout;
    }
    return reference;
}

static void pin(const struct scenario *scenario, enum field_id id, double value, int *member)
{
    if (scenario_has(scenario, id))
        *member = (int)value;
}

/* The reference layout with the layout answers of a scenario put in. */
static struct layout pinned_layout(const struct scenario *s, struct layout layout)
{
    pin(s, FIELD_TP, s->tp, &layout.tp);
    pin(s, FIELD_PP, s->pp, &layout.pp);
    pin(s, FIELD_VP, s->vp, &layout.vp);
    pin(s, FIELD_CP, s->cp, &layout.cp);
    pin(s, FIELD_EP, s->ep, &layout.ep);
    pin(s, FIELD_DP, s->dp, &layout.dp);
    pin(s, FIELD_ZERO, s->zero, &layout.zero);
    pin(s, FIELD_MICRO_BATCH, s->micro_batch, &layout.micro_batch);
    if (scenario_has(s, FIELD_RECOMPUTE))
        layout.recompute = (enum recompute)s->recompute;
    if (scenario_has(s, FIELD_OFFLOAD))
        layout.offload = (enum offload)s->offload;
    if (scenario_has(s, FIELD_FLASH_ATTENTION))
        layout.flash_attention = s->flash_attention;
    if (scenario_has(s, FIELD_SP))
        layout.sp = s->sp;
    return layout;
}

double compute_need_gib(const struct compute *compute, const struct scenario *scenario,
                        const struct reference *reference)
{
    if (!reference->ok)
        return NAN;
    struct scenario complete;
    memcpy(&complete, scenario, sizeof complete);
    compute_sketch(compute, &complete);
    struct arena *arena = arena_new();
    struct job job;
    struct error ignored;
    char text[160];
    double need = NAN;
    if (job_resolve(&complete, compute->catalog, arena, &job, &ignored)) {
        struct hardware hardware = reference->hardware;
        job = job_for_gpu(&job, hardware.gpu);
        struct layout layout = pinned_layout(&complete, reference->layout);
        layout.micro_batch = layout.micro_batch > 0 ? layout.micro_batch : 1;
        layout.micro_batches = layout.micro_batches > 0 ? layout.micro_batches : 1;
        int group = layout.tp * layout.pp * layout.cp;
        hardware.gpus = group * layout.dp > hardware.gpus ? group * layout.dp : hardware.gpus;
        if (!layout_reason(&job, &hardware, &layout, text, sizeof text))
            need = memory_estimate(&job, &hardware, &layout, compute->constants).need_gib;
    }
    arena_free(arena);
    return need;
}

double offer_cny(const struct offer *offer)
{
    return offer->cheapest < MODE_COUNT ? offer->costs[offer->cheapest].total_cny : NAN;
}

/* Fewer GPUs first, then the cheaper; an unpriced one never wins over a priced one. */
static bool better(const struct offer *a, const struct offer *b)
{
    if (!b)
        return true;
    double cost_a = offer_cny(a), cost_b = offer_cny(b);
    if (isnan(cost_a) != isnan(cost_b))
        return isnan(cost_b);
    if (a->hardware.gpus != b->hardware.gpus)
        return a->hardware.gpus < b->hardware.gpus;
    return cost_a < cost_b;
}

/* The largest machine with whole cards came nearest to doing it. */
static bool tells_more(const struct excluded *a, const struct excluded *b)
{
    if (a->instance->gpu_fraction < 1)
        return false;
    return !b || a->instance->gpu_count > b->instance->gpu_count;
}

static int by_memory(const void *a, const void *b)
{
    const struct gpu *x = ((const struct gpu_row *)a)->gpu, *y = ((const struct gpu_row *)b)->gpu;
    if (x->usable_gib != y->usable_gib)
        return x->usable_gib < y->usable_gib ? -1 : 1;
    return strcmp(x->id, y->id);
}

static bool whole_card_sold(const struct catalog *catalog, const struct gpu *gpu)
{
    for (size_t i = 0; i < catalog->instance_count; i++)
        if (catalog->instances[i].gpu == gpu && catalog->instances[i].gpu_fraction >= 1)
            return true;
    return false;
}

int compute_gpu_rows(const struct catalog *catalog, const struct plan *plan,
                     struct gpu_row rows[GPU_ROWS_MAX])
{
    int count = 0;
    for (size_t i = 0; i < catalog->gpu_count && count < GPU_ROWS_MAX; i++)
        if (whole_card_sold(catalog, &catalog->gpus[i]))
            rows[count++] = (struct gpu_row){.gpu = &catalog->gpus[i]};
    for (int row = 0; row < count; row++) {
        for (size_t i = 0; i < plan->offer_count; i++)
            if (plan->offers[i].hardware.gpu == rows[row].gpu && plan->offers[i].instance->gpu_fraction >= 1 &&
                better(&plan->offers[i], rows[row].offer))
                rows[row].offer = &plan->offers[i];
        for (size_t i = 0; i < plan->excluded_count && !rows[row].offer; i++)
            if (plan->excluded[i].instance->gpu == rows[row].gpu && tells_more(&plan->excluded[i], rows[row].excluded))
                rows[row].excluded = &plan->excluded[i];
    }
    qsort(rows, (size_t)count, sizeof *rows, by_memory);
    return count;
}

/* Questions whose settled value stands in struct job. */
static bool chosen_in_job(const struct job *job, enum field_id id, struct strbuf *out)
{
    char text[UNITS_TEXT];
    const struct { enum field_id id; double value; } numbers[] = {
        {FIELD_LORA_RANK, job->lora_rank}, {FIELD_SEQ_LEN, job->seq_len},
        {FIELD_TOKENS_B, job->samples > 0 ? 0 : job->train_tokens / 1e9},
        {FIELD_SAMPLES, job->samples}, {FIELD_MEAN_LEN, job->mean_len}, {FIELD_EPOCHS, job->epochs},
        {FIELD_GLOBAL_BATCH, job->global_batch}, {FIELD_INPUT_LEN, job->input_len},
        {FIELD_OUTPUT_LEN, job->output_len}, {FIELD_CONTEXT, job->context},
        {FIELD_CONCURRENCY, job->concurrency}, {FIELD_HOURS_PER_DAY, job->hours_per_day},
        {FIELD_MONTHS, job->months}, {FIELD_MAX_NUM_SEQS, job->max_num_seqs}, {FIELD_SAMPLES, job->samples},
        {FIELD_MEAN_LEN, job->samples > 0 ? job->mean_len : 0}, {FIELD_EPOCHS, job->samples > 0 ? job->epochs : 0},
        {FIELD_TOKENS_B, job->samples > 0 ? 0 : round(job->train_tokens / 1e8) / 10},
        {FIELD_MEMORY_UTILIZATION, job->memory_utilization}};
    const struct { enum field_id id; const char *name; } names[] = {
        {FIELD_PRECISION, precision_names[job->precision]},
        {FIELD_OPTIMIZER, optimizer_names[job->optimizer]}, {FIELD_STACK, stack_names[job->stack]},
        {FIELD_ENGINE, engine_names[job->engine]}, {FIELD_KV_CACHE, kv_format_names[job->kv_cache]},
        {FIELD_WEIGHTS, job->weights ? job->weights->id : NULL},
        {FIELD_FUSED_LOSS, job->fused_loss ? "yes" : "no"}, {FIELD_COMPILE, job->compile ? "yes" : "no"},
        {FIELD_BILLING, billing_names[BILLING_ANY]},
        {FIELD_LORA_TARGETS, job->workload == WORKLOAD_LORA ? "all-linear" : NULL},
        /* limits that were not given */
        {FIELD_DEADLINE_H, tr("none")}, {FIELD_BUDGET, tr("no limit")}, {FIELD_REGION, tr("any")},
        {FIELD_BUDGET_PER, budget_per_names[PER_TOTAL]}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].id == id && numbers[i].value > 0) {
            bool whole = numbers[i].value == floor(numbers[i].value);
            strbuf_add(out, whole ? units_thousands(numbers[i].value, text) : units_plain(numbers[i].value, text));
            return true;
        }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].id == id && names[i].name) {
            strbuf_add(out, names[i].name);
            return true;
        }
    return false;
}

/* Questions whose settled value stands in the layout of the best offer. */
static bool chosen_in_layout(const struct layout *layout, enum field_id id, struct strbuf *out)
{
    const struct { enum field_id id; int value; } numbers[] = {
        {FIELD_TP, layout->tp}, {FIELD_PP, layout->pp}, {FIELD_VP, layout->vp}, {FIELD_CP, layout->cp},
        {FIELD_EP, layout->ep}, {FIELD_DP, layout->dp}, {FIELD_ZERO, layout->zero},
        {FIELD_MICRO_BATCH, layout->micro_batch}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].id == id) {
            strbuf_printf(out, "%d", numbers[i].value);
            return true;
        }
    const char *name = id == FIELD_RECOMPUTE         ? recompute_names[layout->recompute]
                       : id == FIELD_OFFLOAD         ? offload_names[layout->offload]
                       : id == FIELD_FLASH_ATTENTION ? (layout->flash_attention ? "yes" : "no")
                       : id == FIELD_SP              ? (layout->sp ? "yes" : "no")
                                                     : NULL;
    if (name)
        strbuf_add(out, name);
    return name != NULL;
}

bool compute_chosen(const struct computed *computed, enum field_id id, struct strbuf *out)
{
    if (!computed->ok)
        return false;
    if (chosen_in_job(&computed->plan.job, id, out))
        return true;
    return computed->plan.offer_count && chosen_in_layout(&computed->plan.offers[0].layout, id, out);
}
