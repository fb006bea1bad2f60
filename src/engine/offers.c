/* offers.c - from a scenario to a ranked list: every type, every sensible number of machines. */
#include "engine/offers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/serving.h"

const char *const exclusion_names[] = {"memory", "precision", "layout", "network", "status", "region",
                                       "unpriced", "deadline", "latency", "budget", NULL};
const char *const exclusion_labels[] = {
    N_("memory"), N_("precision"), N_("layout"), N_("network"), N_("not for sale"), N_("region"),
    N_("no price"), N_("deadline"), N_("latency"), N_("budget"), NULL};

/* The order in which constraints are told in the funnel. */
static const enum exclusion funnel_order[] = {
    EXCLUDED_STATUS, EXCLUDED_REGION, EXCLUDED_UNPRICED, EXCLUDED_PRECISION, EXCLUDED_LAYOUT,
    EXCLUDED_MEMORY, EXCLUDED_NETWORK, EXCLUDED_LATENCY, EXCLUDED_DEADLINE, EXCLUDED_BUDGET};

/* Layouts depend on the hardware, not on the price: types alike in it share one search. */
struct solved {
    struct hardware hardware;
    bool fits;
    struct layout layout;
    struct memory memory;
    struct speed speed;
    enum exclusion reason;
    char detail[160];
};

struct search {
    const struct catalog *catalog;
    const struct constants *constants;
    const char *today;
    struct plan *plan;
    struct solved *solved;
    size_t solved_count, solved_size, offers_size;
    struct cost *costs; /* of the offer being made; kept only when it becomes one */
    bool brief;         /* or not even then: see plan_compute_brief */
};

static bool same_hardware(const struct hardware *a, const struct hardware *b)
{
    return a->gpu == b->gpu && a->usable_gib == b->usable_gib && a->gpus == b->gpus &&
           a->gpus_per_node == b->gpus_per_node && a->link == b->link && a->link_gbs == b->link_gbs &&
           a->gpu_fraction == b->gpu_fraction && a->rdma == b->rdma && a->apart == b->apart &&
           (a->nodes == 1 || a->network_gbps == b->network_gbps);
}

static const struct solved *solve(struct search *search, const struct hardware *hardware)
{
    for (size_t i = search->solved_count; i-- > 0;)
        if (same_hardware(&search->solved[i].hardware, hardware))
            return &search->solved[i];
    if (search->solved_count == search->solved_size) {
        search->solved_size = search->solved_size ? search->solved_size * 2 : 128;
        search->solved = xrealloc(search->solved, search->solved_size, sizeof *search->solved);
    }
    struct solved *solved = &search->solved[search->solved_count++];
    *solved = (struct solved){.hardware = *hardware};
    solved->fits = layout_search(&search->plan->job, hardware, search->constants, &solved->layout,
                                 &solved->memory, &solved->speed, &solved->reason, solved->detail,
                                 sizeof solved->detail);
    return solved;
}

static double worked_hours(const struct job *job, double tokens_per_s)
{
    return job->train_tokens > 0 && tokens_per_s > 0 ? job->train_tokens / tokens_per_s / 3600 : NAN;
}

/* Bytes of one checkpoint: 14 a trained parameter (16-bit weight, 32-bit master and two moments;
 * BLOOM-176B's 2.3 TB is 13.1). */
static double checkpoint_bytes(const struct job *job)
{
    return 14.0 * (double)job->trainable_params;
}

/* A machine of a service is in use while any request is in flight. Requests that come at random and
 * each stay request_s seconds leave it empty a share exp(-in flight) of the time, however many it
 * takes at once (M/G/infinity queue, Poisson occupancy). Nothing is known when no load was given. */
struct service_load { double busy_share, load_share; };

static struct service_load service_load(const struct job *job, const struct offer *offer)
{
    const struct speed *speed = &offer->speed;
    if (job->requests_per_s > 0 && speed->requests_per_s > 0) {
        double in_flight = job->requests_per_s * speed->request_s / fmax(1, offer->layout.dp);
        return (struct service_load){-expm1(-in_flight),
                                     fmin(1, job->requests_per_s / speed->requests_per_s)};
    }
    if (job->saturated || scenario_has(job->scenario, FIELD_CONCURRENCY))
        return (struct service_load){1, 1}; /* always as many in flight as were asked for */
    return (struct service_load){0, 0};
}

static int machines_of_replica(const struct offer *offer)
{
    int gpus = offer->layout.tp * offer->layout.pp, each = offer->hardware.gpus_per_node;
    return each > 0 ? (gpus + each - 1) / each : 1;
}

struct billing_input offer_billing_input(const struct catalog *catalog, const struct job *job,
                                         const struct offer *offer, const char *today)
{
    bool serve = job->workload == WORKLOAD_INFERENCE;
    struct service_load load = {0};
    if (serve)
        load = service_load(job, offer);
    return (struct billing_input){
        .catalog = catalog,
        .instance = offer->instance,
        .price = offer->price,
        .nodes = offer->nodes,
        .scenario = job->scenario,
        .service = serve,
        .compute_h = {offer->hours[0], offer->hours[1], offer->hours[2]},
        .months = job->months,
        .hours_per_day = job->hours_per_day,
        .busy_share = load.busy_share,
        .load_share = load.load_share,
        .replica_nodes = serve ? machines_of_replica(offer) : 1,
        .deadline_h = job->deadline_h,
        .checkpoint_bytes = serve ? 0 : checkpoint_bytes(job),
        .load_bytes = memory_weight_bytes(job) * offer->nodes,
        .today = today,
    };
}

static void price_offer(const struct search *search, struct offer *offer)
{
    const struct job *job = &search->plan->job;
    struct billing_input input = offer_billing_input(search->catalog, job, offer, search->today);
    billing_costs(&input, offer->costs);
    offer->cheapest = billing_cheapest(job->scenario, offer->costs);
    offer->best = offer->cheapest < MODE_COUNT ? &offer->costs[offer->cheapest] : NULL;
}

const char *const load_point_names[LOAD_POINTS] = {"single", "asked", "saturated"};
const char *const load_point_labels[LOAD_POINTS] = {
    N_("one request at a time"), N_("at the load asked for"), N_("as many as fit")};

/* What an hour of being up costs; a run or service of unknown length has its rate only. */
static double cny_per_hour_up(const struct cost *cost)
{
    return isnan(cost->total_cny) ? cost->per_hour_cny : cost->total_cny / cost->wall_h;
}

static void serving_unit_costs(const struct search *search, const struct cost *cost,
                               struct offer *offer)
{
    const struct job *job = &search->plan->job;
    struct serving_rates rates = serving_rates(job, &offer->hardware, &offer->layout, &offer->memory,
                                               search->constants);
    double dp = fmax(1, offer->layout.dp), hour = cny_per_hour_up(cost);
    const double speeds[LOAD_POINTS] = {rates.batch1_output_tokens_per_s * dp,
                                        offer->speed.output_tokens_per_s,
                                        rates.saturated_output_tokens_per_s * dp};
    const double prompts[LOAD_POINTS] = {rates.batch1_prompt_share, rates.load_prompt_share,
                                         rates.saturated_prompt_share};
    for (int i = 0; i < LOAD_POINTS; i++)
        offer->token_prices[i] =
            unit_token_price(hour, speeds[i], prompts[i], job->input_len, job->output_len);
    offer->cny_per_mtok = unit_cny_per_mtok(hour, speeds[LOAD_ASKED]);
    offer->cny_per_mtok_batch1 = unit_cny_per_mtok(hour, speeds[LOAD_SINGLE]);
    offer->cny_per_mtok_input = offer->token_prices[LOAD_ASKED].input;
    offer->cny_per_mtok_output = offer->token_prices[LOAD_ASKED].output;
}

static void unit_costs(const struct search *search, struct offer *offer)
{
    const struct job *job = &search->plan->job;
    offer->cny_per_mtok = offer->cny_per_mtok_input = offer->cny_per_mtok_output = NAN;
    offer->cny_per_mtok_batch1 = NAN;
    for (int i = 0; i < LOAD_POINTS; i++)
        offer->token_prices[i] = (struct token_price){NAN, NAN};
    if (offer->cheapest == MODE_COUNT)
        return;
    const struct cost *cost = offer->best;
    if (job->workload == WORKLOAD_INFERENCE)
        serving_unit_costs(search, cost, offer);
    else if (job->train_tokens > 0)
        offer->cny_per_mtok = cost->total_cny / (job->train_tokens / 1e6);
}

/* 0 priced in CNY, 1 in another currency (never converted, so not comparable), 2 unpriced. */
static int price_class(const struct offer *offer)
{
    return !offer->best ? 2 : strcmp(offer->best->currency, "CNY") != 0;
}

static bool affordable(const struct job *job, const struct offer *offer)
{
    const struct scenario *s = job->scenario;
    if (!scenario_has(s, FIELD_BUDGET))
        return true;
    if (price_class(offer) != 0)
        return false;
    const struct cost *cost = offer->best;
    enum budget_per per = scenario_has(s, FIELD_BUDGET_PER) ? (enum budget_per)s->budget_per : PER_TOTAL;
    double spent = per == PER_TOTAL ? cost->total_cny : per == PER_MONTH ? cost->per_month_cny : cost->per_hour_cny;
    return spent <= s->budget;
}

/* The furthest an offer of this type came, for the reason shown when it is excluded. */
struct miss { bool any; enum exclusion reason; double cny; char detail[160]; };

static int stage_of(enum exclusion reason)
{
    for (int i = 0; i < EXCLUDED_COUNT; i++)
        if (funnel_order[i] == reason)
            return i;
    return 0;
}

static void miss_note(struct miss *miss, enum exclusion reason, const char *detail)
{
    if (miss->any && stage_of(reason) < stage_of(miss->reason))
        return;
    miss->any = true;
    miss->reason = reason;
    snprintf(miss->detail, sizeof miss->detail, "%s", detail);
}

/* What people will wait for when no limit was given: a first token within ten seconds (Nielsen 1993,
 * the limit for keeping attention), then five tokens a second, about the speed of reading. */
enum { USABLE_TTFT_MS = 10000, USABLE_TPOT_MS = 200 };

static bool usable_speed(const struct job *job, const struct speed *speed)
{
    return speed->meets_latency &&
           (job->saturated || ((job->ttft_ms > 0 || !(speed->ttft_ms > USABLE_TTFT_MS)) &&
                               (job->tpot_ms > 0 || !(speed->tpot_ms > USABLE_TPOT_MS))));
}

/* Constraints that need the finished figures. True when the offer keeps them all. */
static bool keeps_constraints(const struct search *search, const struct offer *offer, struct miss *miss)
{
    const struct job *job = &search->plan->job;
    char detail[160], a[UNITS_TEXT], b[UNITS_TEXT];
    if (job->workload == WORKLOAD_INFERENCE) {
        if (!usable_speed(job, &offer->speed)) {
            snprintf(detail, sizeof detail, tr("first token %s ms, next %s ms"),
                     units_thousands(offer->speed.ttft_ms, a), units_gib(offer->speed.tpot_ms, b));
            miss_note(miss, EXCLUDED_LATENCY, detail);
            return false;
        }
        if (job->requests_per_s > 0 && offer->speed.requests_per_s < job->requests_per_s) {
            snprintf(detail, sizeof detail, tr("keeps %s of %s requests a second"),
                     units_gib(offer->speed.requests_per_s, a), units_gib(job->requests_per_s, b));
            miss_note(miss, EXCLUDED_LATENCY, detail);
            return false;
        }
    }
    if (!offer->keeps_deadline) {
        snprintf(detail, sizeof detail, tr("takes %s (x %d)"), units_hours(offer->hours[1], a), offer->nodes);
        miss_note(miss, EXCLUDED_DEADLINE, detail);
        return false;
    }
    if (offer->cheapest == MODE_COUNT && scenario_has(job->scenario, FIELD_BUDGET)) {
        miss_note(miss, EXCLUDED_UNPRICED, tr("no public price: ask sales"));
        return scenario_has(job->scenario, FIELD_INCLUDE) && (job->scenario->include & INCLUDE_UNPRICED);
    }
    if (!offer->within_budget) { /* of several numbers of machines the cheapest came nearest */
        const struct cost *cost = offer->best;
        snprintf(detail, sizeof detail, tr("%s %s (x %d)"), cost ? cost->currency : "CNY",
                 units_cny(cost ? cost->total_cny : NAN, a), offer->nodes);
        double cny = cost ? cost->total_cny : INFINITY;
        if (!miss->any || miss->reason != EXCLUDED_BUDGET || cny < miss->cny) {
            miss_note(miss, EXCLUDED_BUDGET, detail);
            miss->cny = cny;
        }
        return false;
    }
    return true;
}

static bool deadline_kept(const struct job *job, const struct offer *offer)
{
    if (job->deadline_h <= 0)
        return true;
    double wall = offer->best ? offer->best->wall_h : offer->hours[1];
    return wall <= job->deadline_h;
}

/* The room of the other costs is used again for the next offer. */
static void keep_best(struct plan *plan, struct offer *offer)
{
    if (offer->best) {
        struct cost *best = ARENA_NEW(plan->arena, struct cost);
        *best = *offer->best;
        offer->best = best;
    }
    offer->costs = NULL;
}

/* Room for one more; it counts once offer_count is raised. */
static struct offer *next_offer(struct search *search)
{
    struct plan *plan = search->plan;
    if (plan->offer_count == search->offers_size) {
        search->offers_size = search->offers_size ? search->offers_size * 2 : 64;
        struct offer *more = ARENA_ARRAY(plan->arena, struct offer, search->offers_size);
        if (plan->offer_count)
            memcpy(more, plan->offers, plan->offer_count * sizeof *more);
        plan->offers = more;
    }
    if (!search->costs)
        search->costs = ARENA_ARRAY(plan->arena, struct cost, MODE_COUNT);
    return &plan->offers[plan->offer_count];
}

/* A model is spread over machines only of a family's largest type, and only of whole cards: anything
 * else is better served by the next size up. */
static bool largest_of_family(const struct search *search, const struct instance *instance)
{
    if (instance->gpu_fraction < 1)
        return false;
    for (size_t i = 0; i < search->catalog->instance_count; i++) {
        const struct instance *other = &search->catalog->instances[i];
        if (other->gpu_count > instance->gpu_count && strcmp(other->family, instance->family) == 0)
            return false;
    }
    return true;
}

/* One type with one number of machines, `apart` when no model may span them; true when it became an
 * offer. */
static bool try_nodes(struct search *search, const struct instance *instance, const struct price *price,
                      int nodes, bool apart, struct miss *miss)
{
    const struct job *job = &search->plan->job;
    struct hardware hardware = hardware_of_instance(job, instance, nodes);
    hardware.apart = apart;
    if (scenario_has(job->scenario, FIELD_GPUS) && hardware.gpus != (int)job->scenario->gpus) {
        miss_note(miss, EXCLUDED_LAYOUT, tr("not the number of GPUs asked for"));
        return false;
    }
    const struct solved *solved = solve(search, &hardware);
    if (!solved->fits) {
        miss_note(miss, solved->reason, solved->detail);
        return false;
    }
    struct offer *offer = next_offer(search);
    *offer = (struct offer){.instance = instance, .nodes = nodes, .hardware = hardware,
                            .layout = solved->layout, .memory = solved->memory,
                            .speed = solved->speed, .price = price, .costs = search->costs};
    offer->memory.host_ram_short = !isnan(hardware.ram_gib) && offer->memory.host_ram_gib > hardware.ram_gib;
    offer->hours[0] = worked_hours(job, offer->speed.high_tokens_per_s);
    offer->hours[1] = worked_hours(job, offer->speed.tokens_per_s);
    offer->hours[2] = worked_hours(job, offer->speed.low_tokens_per_s);
    price_offer(search, offer);
    unit_costs(search, offer);
    offer->within_budget = affordable(job, offer);
    offer->keeps_deadline = deadline_kept(job, offer);
    if (!keeps_constraints(search, offer, miss))
        return false;
    search->plan->offer_count++;
    if (search->brief)
        keep_best(search->plan, offer);
    else
        search->costs = NULL;
    return true;
}

static bool status_wanted(const struct scenario *s, const struct instance *instance)
{
    unsigned include = scenario_has(s, FIELD_INCLUDE) ? s->include : 0;
    if (scenario_has(s, FIELD_INSTANCE)) /* named outright */
        return true;
    switch (instance->status) {
    case STATUS_CURRENT:
    case STATUS_LIMITED_REGIONS: return true;
    case STATUS_BY_TICKET: return include & INCLUDE_BY_TICKET;
    case STATUS_INVITATION: return include & INCLUDE_INVITATION;
    case STATUS_NOT_RECOMMENDED: return include & INCLUDE_NOT_RECOMMENDED;
    case STATUS_API_ONLY:
    case STATUS_RETIRED: return false;
    }
    return false;
}

/* Who names a number of GPUs means it: only a limit of his own keeps it from being tried. */
static int most_nodes(const struct job *job)
{
    if (scenario_has(job->scenario, FIELD_MAX_NODES))
        return (int)job->scenario->max_nodes;
    return scenario_has(job->scenario, FIELD_GPUS) ? (int)job->scenario->gpus : job_usual_nodes(job->workload);
}

static bool network_wanted(const struct job *job, const struct instance *instance)
{
    return !(scenario_has(job->scenario, FIELD_REQUIRE_RDMA) && job->scenario->require_rdma) ||
           instance->rdma != RDMA_NO;
}

static void exclude(struct search *search, const struct instance *instance, const struct miss *miss)
{
    struct plan *plan = search->plan;
    struct excluded *excluded = &plan->excluded[plan->excluded_count++];
    excluded->instance = instance;
    excluded->reason = miss->reason;
    snprintf(excluded->detail, sizeof excluded->detail, "%s", miss->detail);
}

/* The first number of machines to try, each next one twice as many: one, or as many as give the GPUs
 * that were named. */
static int first_nodes(const struct job *job, const struct instance *instance)
{
    int gpus = scenario_has(job->scenario, FIELD_GPUS) ? (int)job->scenario->gpus : 0;
    return gpus > 0 && gpus % instance->gpu_count == 0 ? gpus / instance->gpu_count : 1;
}

static void try_instance(struct search *search, const struct instance *instance)
{
    const struct job *job = &search->plan->job;
    const struct scenario *s = job->scenario;
    struct miss miss = {0};
    const char *region = scenario_has(s, FIELD_REGION) ? s->region : "";
    const struct price *price = catalog_price(search->catalog, instance->type, region);
    bool any = false;
    if (!status_wanted(s, instance)) {
        miss_note(&miss, EXCLUDED_STATUS, tr(sale_status_labels[instance->status]));
    } else if (*region && !price) {
        miss_note(&miss, EXCLUDED_REGION, tr("no price in this region"));
    } else if (scenario_has(s, FIELD_NODES)) {
        any = try_nodes(search, instance, price, (int)s->nodes, false, &miss);
    } else {
        bool largest = largest_of_family(search, instance);
        int most = largest || job->workload == WORKLOAD_INFERENCE ? most_nodes(job) : 1;
        if (most > 1 && !network_wanted(job, instance)) {
            most = 1;
            miss_note(&miss, EXCLUDED_NETWORK, tr("no RDMA between machines"));
        }
        int first = first_nodes(job, instance);
        if (first > most)
            miss_note(&miss, EXCLUDED_LAYOUT, tr("not the number of GPUs asked for"));
        for (int nodes = first; nodes <= most; nodes *= 2) {
            bool offered = try_nodes(search, instance, price, nodes, nodes > 1 && !largest, &miss);
            any |= offered;
            if (offered && job->workload == WORKLOAD_INFERENCE)
                break; /* the fewest that serve the load */
        }
    }
    if (!any)
        exclude(search, instance, &miss);
}

static bool named(const struct scenario *s, const struct instance *instance)
{
    return (!scenario_has(s, FIELD_INSTANCE) || strcmp(instance->type, s->instance) == 0) &&
           (!scenario_has(s, FIELD_GPU) || strcmp(instance->gpu->id, s->gpu) == 0);
}

/* Types left after each constraint, in the order they are told. */
static void tell_funnel(struct plan *plan)
{
    int left = plan->types;
    for (int i = 0; i < EXCLUDED_COUNT; i++) {
        int lost = 0;
        for (size_t k = 0; k < plan->excluded_count; k++)
            lost += plan->excluded[k].reason == funnel_order[i];
        if (lost == 0)
            continue;
        left -= lost;
        plan->funnel[plan->funnel_count++] = (struct funnel_stage){funnel_order[i], left};
    }
}

/* Runs longer than a quarter are not recommended before shorter ones: the longest published ones take
 * one to three months (Llama 3 405B: 54 days). A deadline of one's own says more. */
enum { USABLE_RUN_H = 90 * 24 };

/* The smaller first; what is not known last. */
static int ascending(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Unpriced last; usable runs first; fitting before tight; then the cheaper, the faster, the name. */
static int by_recommendation(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    bool long_x = x->hours[1] > USABLE_RUN_H, long_y = y->hours[1] > USABLE_RUN_H;
    if (price_class(x) != price_class(y))
        return price_class(x) - price_class(y);
    if (long_x != long_y)
        return long_x - long_y;
    if (x->memory.verdict != y->memory.verdict)
        return (int)x->memory.verdict - (int)y->memory.verdict;
    double cost_x = x->best ? x->best->total_cny : 0, cost_y = y->best ? y->best->total_cny : 0;
    int order = ascending(cost_x, cost_y);
    if (order == 0)
        order = ascending(-x->speed.tokens_per_s, -y->speed.tokens_per_s);
    if (order != 0)
        return order;
    int names = strcmp(x->instance->type, y->instance->type);
    return names ? names : x->nodes - y->nodes;
}

static bool compute(const struct catalog *catalog, const struct constants *constants,
                    const struct scenario *scenario, const char *today, bool brief,
                    struct plan *plan, struct error *error)
{
    *plan = (struct plan){.arena = arena_new()};
    struct scenario *answers = ARENA_NEW(plan->arena, struct scenario);
    *answers = *scenario; /* the caller may go on changing his */
    if (!job_resolve(answers, catalog, plan->arena, &plan->job, error)) {
        plan_clear(plan);
        return false;
    }
    struct search search = {.catalog = catalog, .constants = constants, .today = today, .plan = plan,
                            .brief = brief};
    plan->excluded = ARENA_ARRAY(plan->arena, struct excluded, catalog->instance_count);
    for (size_t i = 0; i < catalog->instance_count; i++) {
        if (!named(scenario, &catalog->instances[i]))
            continue;
        plan->types++;
        try_instance(&search, &catalog->instances[i]);
    }
    free(search.solved);
    if (plan->offer_count)
        qsort(plan->offers, plan->offer_count, sizeof *plan->offers, by_recommendation);
    tell_funnel(plan);
    return true;
}

bool plan_compute(const struct catalog *catalog, const struct constants *constants,
                  const struct scenario *scenario, const char *today, struct plan *plan,
                  struct error *error)
{
    return compute(catalog, constants, scenario, today, false, plan, error);
}

bool plan_compute_brief(const struct catalog *catalog, const struct constants *constants,
                        const struct scenario *scenario, const char *today, struct plan *plan,
                        struct error *error)
{
    return compute(catalog, constants, scenario, today, true, plan, error);
}

void plan_clear(struct plan *plan)
{
    arena_free(plan->arena);
    *plan = (struct plan){0};
}

bool estimate_compute(const struct catalog *catalog, const struct constants *constants,
                      const struct scenario *scenario, struct arena *arena, struct offer *offer,
                      struct job *job, struct error *error)
{
    *offer = (struct offer){.nodes = 1, .cheapest = MODE_COUNT, .costs = ARENA_ARRAY(arena, struct cost, MODE_COUNT)};
    if (!job_resolve(scenario, catalog, arena, job, error) ||
        !hardware_pinned(job, &offer->hardware, error))
        return false;
    *job = job_for_gpu(job, offer->hardware.gpu);
    offer->nodes = offer->hardware.nodes;
    if (scenario_has(scenario, FIELD_INSTANCE))
        offer->instance = catalog_instance(catalog, scenario->instance);
    enum exclusion reason;
    char detail[160];
    if (!layout_search(job, &offer->hardware, constants, &offer->layout, &offer->memory, &offer->speed,
                       &reason, detail, sizeof detail)) {
        offer->memory.verdict = VERDICT_NO;
        if (reason != EXCLUDED_MEMORY) {
            error_set(error, "%s", detail);
            return false;
        }
    }
    offer->memory.host_ram_short = offer->memory.host_ram_gib > offer->hardware.ram_gib;
    offer->hours[0] = worked_hours(job, offer->speed.high_tokens_per_s);
    offer->hours[1] = worked_hours(job, offer->speed.tokens_per_s);
    offer->hours[2] = worked_hours(job, offer->speed.low_tokens_per_s);
    return true;
}
