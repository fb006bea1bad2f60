/* report_json.c - the offers and estimates for other programs: units in the names, numbers as
 * numbers, null where a figure is not modelled. The documents are described in gpuwiz(1). */
#include "report/report.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "report/columns.h"
#include "report/json.h"
#include "report/report_parts.h"
#include "engine/storage_cost.h"

static void add_layout(struct json *json, const struct layout *layout)
{
    const struct {
        const char *key;
        int value;
    } degrees[] = {{"tp", layout->tp},
                   {"pp", layout->pp},
                   {"vp", layout->vp},
                   {"dp", layout->dp},
                   {"ep", layout->ep},
                   {"cp", layout->cp},
                   {"zero", layout->zero},
                   {"micro_batch", layout->micro_batch},
                   {"micro_batches", layout->micro_batches}};
    json_open(json, "layout", '{');
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        json_number(json, degrees[i].key, degrees[i].value);
    json_bool(json, "sp", layout->sp);
    json_bool(json, "flash_attention", layout->flash_attention);
    json_text(json, "recompute", recompute_names[layout->recompute]);
    json_text(json, "offload", offload_names[layout->offload]);
    json_close(json, '}');
}

static void add_memory(struct json *json, const struct memory *memory)
{
    json_open(json, "memory", '{');
    json_open(json, "components_gib", '{');
    for (int i = 0; i < COMPONENT_COUNT; i++)
        json_number(json, components[i].key, memory->components_gib[i]);
    json_close(json, '}');
    json_open(json, "replicated_components_gib", '{');
    for (int i = 0; i < COMPONENT_COUNT; i++)
        json_number(json, components[i].key, memory->replicated_gib[i]);
    json_close(json, '}');
    json_number(json, "replicated_gib", memory->replicated_total_gib);
    json_open(json, "peaks_gib", '{');
    for (int i = 0; i < PEAK_COUNT; i++) /* serving has no optimizer step and saves nothing */
        json_number(json, peak_names[i], memory->peaks_gib[i] > 0 ? memory->peaks_gib[i] : NAN);
    json_close(json, '}');
    json_number(json, "model_states_gib", memory->model_states_gib);
    json_number(json, "need_gib", memory->need_gib);
    json_number(json, "low_gib", memory->low_gib);
    json_number(json, "high_gib", memory->high_gib);
    json_number(json, "reserved_gib", memory->reserved_gib);
    json_number(json, "usable_gib", memory->usable_gib);
    json_text(json, "verdict", verdict_names[memory->verdict]);
    json_number(json, "host_ram_gib", memory->host_ram_gib);
    json_text(json, "basis", memory->measured_basis ? "measured" : "estimate");
    json_text(json, "calibrated", memory->calibrated);
    json_close(json, '}');
    json_open(json, "capacity", '{');
    json_number(json, "kv_tokens", memory->kv_tokens);
    json_number(json, "max_concurrency", memory->max_concurrency);
    json_close(json, '}');
}

static void add_speed(struct json *json, const struct speed *speed)
{
    json_open(json, "speed", '{');
    json_number(json, "tokens_per_s", speed->tokens_per_s);
    json_number(json, "tokens_per_s_per_gpu", speed->tokens_per_s_per_gpu);
    json_number(json, "step_s", speed->step_s);
    json_number(json, "mfu", speed->mfu);
    json_number(json, "tflops_per_gpu", speed->tflops_per_gpu);
    json_number(json, "prefill_tokens_per_s", speed->prefill_tokens_per_s);
    json_number(json, "decode_tokens_per_s", speed->decode_tokens_per_s);
    json_number(json, "output_tokens_per_s", speed->output_tokens_per_s);
    json_number(json, "ttft_ms", speed->ttft_ms);
    json_number(json, "tpot_ms", speed->tpot_ms);
    json_number(json, "request_s", speed->request_s);
    json_number(json, "requests_per_s", speed->requests_per_s);
    json_number(json, "low_tokens_per_s", speed->low_tokens_per_s);
    json_number(json, "high_tokens_per_s", speed->high_tokens_per_s);
    json_text(json, "basis", speed->measured ? "measured" : "estimate");
    json_text(json, "calibrated", speed->calibrated);
    json_text(json, "bound_by",
              isfinite(speed->tokens_per_s) ? bound_names[speed->bound_by] : NULL);
    json_close(json, '}');
}

static void add_hours(struct json *json, const double hours[3])
{
    static const char *const names[] = {"low", "mid", "high"};
    json_open(json, "hours", '{');
    for (int i = 0; i < 3; i++)
        json_number(json, names[i], hours[i]);
    json_close(json, '}');
}

static void add_lines(struct json *json, const struct cost *cost)
{
    json_open(json, "lines", '[');
    for (int i = 0; i < cost->line_count; i++) {
        const struct cost_line *line = &cost->lines[i];
        json_open(json, NULL, '{');
        json_text(json, "item", line->label);
        json_number(json, "quantity", line->quantity);
        json_text(json, "unit", line->unit);
        json_number(json, "rate", line->rate_cny);
        json_number(json, "amount", line->amount_cny);
        json_text(json, "basis", cost_basis_names[line->basis]);
        json_text(json, "date", *line->date ? line->date : NULL);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static const char *mode_key(enum billing_mode mode)
{
    return mode < MODE_COUNT ? billing_modes[mode].key : NULL;
}

/* Savings plans and reserved instances: what is due at once and each month of the term. */
static void add_upfront(struct json *json, const struct cost *cost)
{
    static const char *const names[UPFRONT_COUNT] = {"none", "part", "all"};
    if (!(cost->upfront_cny[UPFRONT_ALL] > 0))
        return;
    json_open(json, "upfront", '{');
    for (int i = 0; i < UPFRONT_COUNT; i++) {
        json_open(json, names[i], '{');
        json_number(json, "at_once", cost->upfront_cny[i]);
        json_number(json, "per_month", cost->upfront_month_cny[i]);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void add_cost(struct json *json, enum billing_mode mode, const struct cost *cost)
{
    const struct {
        const char *key;
        double value;
    } figures[] = {{"low", cost->low_cny},
                   {"high", cost->high_cny},
                   {"per_hour", cost->per_hour_cny},
                   {"per_month", cost->per_month_cny},
                   {"wall_h", cost->wall_h},
                   {"goodput", cost->goodput},
                   {"storage", cost->storage_cny},
                   {"break_even_h_per_month", cost->break_even_h_per_month},
                   {"break_even_h_per_day", cost->break_even_h_per_day},
                   {"break_even_price_ratio", cost->break_even_price_ratio},
                   {"break_even_busy_share", cost->break_even_busy_share},
                   {"break_even_busy_share_cold", cost->break_even_busy_share_cold},
                   {"amortise_months", cost->amortise_months}};
    json_open(json, billing_modes[mode].key, '{');
    json_number(json, "total", cost->total_cny);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_number(json, figures[i].key, figures[i].value);
    if (mode == MODE_MIXED) {
        json_number(json, "committed_machines", cost->committed_machines);
        json_text(json, "commitment", mode_key(cost->commitment));
        json_text(json, "rest", mode_key(cost->rest));
    }
    add_upfront(json, cost);
    json_text(json, "basis", cost_basis_names[cost->basis]);
    json_bool(json, "stale", cost->stale);
    json_bool(json, "low_confidence", cost->low_confidence);
    json_bool(json, "misses_deadline", cost->misses_deadline);
    json_bool(json, "refused_alone", cost->refused_alone);
    json_bool(json, "may_not_start", cost->may_not_start);
    json_text(json, "currency", cost->currency);
    add_lines(json, cost);
    json_close(json, '}');
}

static void add_costs(struct json *json, const struct offer *offer)
{
    json_open(json, "costs", '{');
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (offer->costs[mode].available)
            add_cost(json, (enum billing_mode)mode, &offer->costs[mode]);
        else
            json_text(json, billing_modes[mode].key, NULL);
    }
    json_close(json, '}');
    json_open(json, "not_available", '{');
    for (int mode = 0; mode < MODE_COUNT; mode++)
        if (!offer->costs[mode].available)
            json_text(json, billing_modes[mode].key, offer->costs[mode].why_not);
    json_close(json, '}');
}

static void add_token_prices(struct json *json, const struct offer *offer)
{
    json_open(json, "cny_per_mtok_by_load", '{');
    for (int i = 0; i < LOAD_POINTS; i++) {
        json_open(json, load_point_names[i], '{');
        json_number(json, "input", offer->token_prices[i].input);
        json_number(json, "output", offer->token_prices[i].output);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* What the budget buys of this offer, by the way of paying that goes furthest. */
static void add_budget(struct json *json, const struct report_input *input, const struct job *job,
                       const struct offer *offer)
{
    struct budget_answer answer;
    if (!report_budget_asked(input->scenario) || !offer->price ||
        strcmp(offer->price->currency, "CNY") != 0)
        return;
    enum billing_mode mode = report_budget_mode(input, job, offer, &answer);
    if (mode == MODE_COUNT) {
        json_text(json, "budget_buys", NULL);
        return;
    }
    json_open(json, "budget_buys", '{');
    json_text(json, "paid_by", billing_modes[mode].key);
    json_number(json, "useful_h", answer.useful_h);
    json_number(json, "wall_h", answer.wall_h);
    json_number(json, "days", answer.days);
    json_number(json, "months", answer.months);
    json_number(json, "tokens", answer.tokens);
    json_bool(json, "whole_job", answer.whole_job);
    json_close(json, '}');
}

/* Where no offer keeps the budget: the first few that do the job without it, and how far it goes. */
static void add_beyond_budget(struct json *json, const struct report_input *input)
{
    enum { BEYOND = 5 };
    struct scenario unbound;
    struct plan beyond;
    if (!report_beyond_budget(input, &unbound, &beyond))
        return;
    json_open(json, "beyond_budget", '[');
    for (size_t i = 0; i < beyond.offer_count && i < BEYOND; i++) {
        const struct offer *offer = &beyond.offers[i];
        const struct cost *cost = offer_cost(offer, MODE_COUNT);
        json_open(json, NULL, '{');
        json_text(json, "instance", offer->instance->type);
        json_number(json, "nodes", offer->nodes);
        json_number(json, "cheapest_total", cost ? cost->total_cny : NAN);
        add_budget(json, input, &beyond.job, offer);
        json_close(json, '}');
    }
    json_close(json, ']');
    plan_clear(&beyond);
}

/* Beside the machines: what the bill may hold, whether it was asked for or not. */
static void add_hidden(struct json *json, const struct report_input *input,
                       const struct offer *offer)
{
    struct hidden_cost costs[HIDDEN_COSTS];
    if (offer->price && strcmp(offer->price->currency, "CNY") != 0)
        return; /* services are priced in CNY: never beside another currency */
    struct billing_input paid =
        offer_billing_input(input->catalog, &input->plan->job, offer, input->today);
    int count = storage_hidden_costs(&paid, costs);
    json_open(json, "beside", '[');
    for (int i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "item", costs[i].label);
        json_number(json, "quantity", costs[i].quantity);
        json_text(json, "unit", costs[i].unit);
        json_number(json, "cny", costs[i].cny);
        json_bool(json, "per_month", costs[i].per_month);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The rules behind the report's risks, so that every form of output warns of the same. */
static void add_advice(struct json *json, const char *key, const struct report_input *input,
                       const struct job *job, const struct offer *offer)
{
    struct arena *arena = arena_new();
    struct advice found[ADVICE_MAX];
    int count = report_advice(input, job, offer, arena, found);
    json_open(json, key, '[');
    for (int i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "id", found[i].rule->id);
        json_text(json, "weight", advice_weight_names[found[i].rule->weight]);
        json_text(json, "why", found[i].why);
        json_text(json, "do", found[i].what);
        json_close(json, '}');
    }
    json_close(json, ']');
    arena_free(arena);
}

static void add_offer(struct json *json, const struct report_input *input,
                      const struct offer *offer)
{
    json_open(json, NULL, '{');
    json_text(json, "instance", offer->instance->type);
    json_number(json, "nodes", offer->nodes);
    json_text(json, "gpu", offer->hardware.gpu->id);
    json_number(json, "gpus", offer->hardware.gpus);
    add_layout(json, &offer->layout);
    add_memory(json, &offer->memory);
    add_speed(json, &offer->speed);
    add_hours(json, offer->hours);
    add_costs(json, offer);
    json_text(json, "cheapest",
              offer->cheapest < MODE_COUNT ? billing_modes[offer->cheapest].key : NULL);
    json_number(json, "cny_per_mtok", offer->cny_per_mtok);
    json_number(json, "cny_per_mtok_input", offer->cny_per_mtok_input);
    json_number(json, "cny_per_mtok_output", offer->cny_per_mtok_output);
    if (input->plan->job.workload == WORKLOAD_INFERENCE)
        add_token_prices(json, offer);
    add_budget(json, input, &input->plan->job, offer);
    add_hidden(json, input, offer);
    json_bool(json, "within_budget", offer->within_budget);
    json_bool(json, "keeps_deadline", offer->keeps_deadline);
    json_text(json, "price_date", offer->price ? offer->price->date : NULL);
    json_text(json, "price_source", offer->price ? offer->price->source : NULL);
    add_advice(json, "advice", input, &input->plan->job, offer);
    json_close(json, '}');
    strbuf_add(json->out, "\n");
}

/* The answers as they were given: numbers as numbers, yes and no as booleans. */
static void add_scenario(struct json *json, const struct scenario *scenario)
{
    struct strbuf value = {0};
    json_open(json, "scenario", '{');
    for (int id = 0; id < FIELD_COUNT; id++) {
        const struct field *field = &fields[id];
        const char *member = (const char *)scenario + field->offset;
        if (!scenario_has(scenario, (enum field_id)id))
            continue;
        strbuf_reset(&value);
        scenario_format(scenario, (enum field_id)id, &value);
        if (field->kind == FIELD_KIND_INT || field->kind == FIELD_KIND_NUMBER)
            json_number(json, field->key, *(const double *)(const void *)member);
        else if (field->kind == FIELD_KIND_BOOL)
            json_bool(json, field->key, strcmp(strbuf_text(&value), "yes") == 0);
        else
            json_text(json, field->key, strbuf_text(&value));
    }
    json_close(json, '}');
    strbuf_clear(&value);
}

static void add_excluded(struct json *json, const struct plan *plan)
{
    json_open(json, "excluded", '[');
    for (size_t i = 0; i < plan->excluded_count; i++) {
        const struct excluded *excluded = &plan->excluded[i];
        json_open(json, NULL, '{');
        json_text(json, "instance", excluded->instance->type);
        json_text(json, "reason", exclusion_names[excluded->reason]);
        json_text(json, "detail", excluded->detail);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_relax(struct json *json, const struct report_input *input)
{
    json_open(json, "relax", '[');
    for (int i = 0; i < input->remedy_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "change", input->remedies[i].change);
        json_number(json, "offers", (double)input->remedies[i].offers);
        json_number(json, "cheapest_total", input->remedies[i].cheapest_cny);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Of the offers' amounts; one catalog holds one currency unless an overlay brings another. */
static const char *currency(const struct plan *plan)
{
    for (size_t i = 0; i < plan->offer_count; i++)
        if (plan->offers[i].price)
            return plan->offers[i].price->currency;
    return "CNY";
}

void report_write_plan_json(const struct report_input *input, struct strbuf *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_number(&json, "schema", 1);
    add_scenario(&json, input->scenario);
    json_open(&json, "catalog", '{');
    json_text(&json, "date", input->catalog->date);
    json_text(&json, "price_date", input->catalog->price_date);
    json_close(&json, '}');
    json_text(&json, "currency", currency(input->plan));
    json_open(&json, "offers", '[');
    for (size_t i = 0; i < input->plan->offer_count; i++)
        add_offer(&json, input, &input->plan->offers[i]);
    json_close(&json, ']');
    add_excluded(&json, input->plan);
    add_relax(&json, input);
    add_beyond_budget(&json, input);
    json_close(&json, '}');
    strbuf_add(out, "\n");
}

static void add_model(struct json *json, const struct job *job)
{
    json_open(json, "model", '{');
    json_text(json, "id", job->model->id);
    json_number(json, "params", (double)job->params.total);
    json_number(json, "active_params", (double)job->params.active);
    json_number(json, "trainable_params",
                job->workload == WORKLOAD_INFERENCE ? NAN : (double)job->trainable_params);
    json_close(json, '}');
}

static void add_chosen(struct json *json, unsigned chosen)
{
    json_open(json, "chosen", '[');
    for (int bit = 0; chosen_names[bit]; bit++)
        if (chosen >> bit & 1)
            json_text(json, NULL, chosen_names[bit]);
    json_close(json, ']');
}

void report_write_estimate_json(const struct report_input *input, struct strbuf *out)
{
    const struct offer *offer = input->offer;
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_number(&json, "schema", 1);
    add_model(&json, input->job);
    json_text(&json, "instance", offer->instance ? offer->instance->type : NULL);
    json_text(&json, "gpu", offer->hardware.gpu->id);
    json_number(&json, "gpus", offer->hardware.gpus);
    json_number(&json, "nodes", offer->nodes);
    add_layout(&json, &offer->layout);
    add_memory(&json, &offer->memory);
    add_speed(&json, &offer->speed);
    add_hours(&json, offer->hours);
    add_chosen(&json, offer->layout.chosen);
    add_advice(&json, "warnings", input, input->job, offer);
    json_close(&json, '}');
    strbuf_add(out, "\n");
}
