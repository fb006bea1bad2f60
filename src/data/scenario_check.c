/* scenario_check.c - answers that cannot be true together. */
#include "data/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static bool contradiction(enum field_id id, enum field_id *which)
{
    if (which)
        *which = id;
    return false;
}

/* GPUs pinned by the scenario, 0 = open. */
static double pinned_gpus(const struct scenario *s, const struct catalog *catalog)
{
    if (scenario_has(s, FIELD_GPUS))
        return s->gpus;
    const struct instance *instance =
        scenario_has(s, FIELD_INSTANCE) ? catalog_instance(catalog, s->instance) : NULL;
    double per_node = instance ? instance->gpu_count
                      : scenario_has(s, FIELD_GPUS_PER_NODE) ? s->gpus_per_node : 0;
    return scenario_has(s, FIELD_NODES) ? s->nodes * per_node : 0;
}

static bool check_parallel(const struct scenario *s, const struct catalog *catalog,
                           enum field_id *which, struct error *error)
{
    double gpus = pinned_gpus(s, catalog);
    double split = scenario_number(s, FIELD_TP, 1) * scenario_number(s, FIELD_PP, 1) * scenario_number(s, FIELD_CP, 1);
    if (gpus > 0 && fmod(gpus, split) != 0) {
        error_set(error, tr("%g GPUs cannot be split into tp x pp x cp = %g"), gpus, split);
        error_hint(error, tr("tp x pp x cp must divide the GPUs"));
        return contradiction(scenario_has(s, FIELD_TP) ? FIELD_TP : scenario_has(s, FIELD_PP) ? FIELD_PP : FIELD_CP, which);
    }
    bool all_given = scenario_has(s, FIELD_TP) && scenario_has(s, FIELD_PP) && scenario_has(s, FIELD_CP);
    if (scenario_has(s, FIELD_DP) && gpus > 0 &&
        (fmod(gpus, s->dp * split) != 0 || (all_given && gpus != s->dp * split))) {
        error_set(error, tr("dp = %g does not agree with %g GPUs over tp x pp x cp = %g"), s->dp, gpus, split);
        error_hint(error, tr("dp = %g, or leave it out"), gpus / split);
        return contradiction(FIELD_DP, which);
    }
    return true;
}

/* The numbers that divide `whole`, as a list; those of a count of heads or experts are few. */
static bool divisors_hint(struct error *error, int whole)
{
    char list[sizeof error->hint] = "";
    size_t length = 0;
    for (int i = 1; i <= whole && length < sizeof list; i++)
        if (whole % i == 0)
            length += (size_t)snprintf(list + length, sizeof list - length, i > 1 ? ", %d" : "%d", i);
    return error_hint(error, "%s", list);
}

static bool check_shape(const struct scenario *s, const struct model *model, enum field_id *which,
                        struct error *error)
{
    if (scenario_has(s, FIELD_TP) && model->nominal_params <= 0 && fmod(model->heads, s->tp) != 0) {
        error_set(error, tr("tp = %g does not divide the %d attention heads"), s->tp, model->heads);
        divisors_hint(error, model->heads);
        return contradiction(FIELD_TP, which);
    }
    if (scenario_has(s, FIELD_PP) && s->pp > model->layers) {
        error_set(error, tr("pp = %g is more than the %d layers"), s->pp, model->layers);
        return contradiction(FIELD_PP, which);
    }
    double stage_layers = floor(model->layers / scenario_number(s, FIELD_PP, 1));
    if (scenario_has(s, FIELD_VP) && s->vp > stage_layers) {
        char vp[UNITS_TEXT], most[UNITS_TEXT];
        error_set(error, tr("%s is out of range: %s"), "vp", units_plain(s->vp, vp));
        error_hint(error, tr("from %s to %s"), "1", units_plain(stage_layers, most));
        return contradiction(FIELD_VP, which);
    }
    if (scenario_has(s, FIELD_EP) && s->ep > 1) {
        if (model->moe.experts == 0) {
            error_set(error, tr("ep = %g, but the model has no experts"), s->ep);
            return contradiction(FIELD_EP, which);
        }
        if (fmod(model->moe.experts, s->ep) != 0) {
            error_set(error, tr("ep = %g does not divide the %d experts"), s->ep, model->moe.experts);
            divisors_hint(error, model->moe.experts);
            return contradiction(FIELD_EP, which);
        }
    }
    return true;
}

static bool check_work(const struct scenario *s, enum field_id *which, struct error *error)
{
    if (scenario_has(s, FIELD_TOKENS_B) && scenario_has(s, FIELD_SAMPLES)) {
        error_set(error, tr("tokens_b and samples are both given"));
        error_hint(error, tr("tokens_b, or samples with mean_len and epochs"));
        return contradiction(FIELD_SAMPLES, which);
    }
    if (scenario_has(s, FIELD_MEAN_LEN) && scenario_has(s, FIELD_SEQ_LEN) && s->mean_len > s->seq_len) {
        error_set(error, tr("mean_len %g is longer than seq_len %g"), s->mean_len, s->seq_len);
        return contradiction(FIELD_MEAN_LEN, which);
    }
    if (scenario_has(s, FIELD_CONTEXT) && scenario_has(s, FIELD_INPUT_LEN) && s->input_len > s->context) {
        error_set(error, tr("input_len %g does not fit into context %g"), s->input_len, s->context);
        error_hint(error, tr("context holds prompt and answer"));
        return contradiction(FIELD_CONTEXT, which);
    }
    if (scenario_has(s, FIELD_CONTEXT) && scenario_has(s, FIELD_OUTPUT_LEN) && s->output_len > s->context) {
        error_set(error, tr("output_len %g does not fit into context %g"), s->output_len, s->context);
        error_hint(error, tr("context holds prompt and answer"));
        return contradiction(FIELD_CONTEXT, which);
    }
    if (scenario_has(s, FIELD_GLOBAL_BATCH) && scenario_has(s, FIELD_MICRO_BATCH) &&
        s->micro_batch > s->global_batch) {
        error_set(error, tr("micro_batch %g is more than global_batch %g"), s->micro_batch, s->global_batch);
        return contradiction(FIELD_MICRO_BATCH, which);
    }
    return true;
}

static bool check_hardware(const struct scenario *s, const struct catalog *catalog,
                           enum field_id *which, struct error *error)
{
    const struct instance *instance =
        scenario_has(s, FIELD_INSTANCE) ? catalog_instance(catalog, s->instance) : NULL;
    if (instance && scenario_has(s, FIELD_GPU) && strcmp(instance->gpu->id, s->gpu) != 0) {
        error_set(error, tr("%s has the GPU %s, not %s"), s->instance, instance->gpu->id, s->gpu);
        return contradiction(FIELD_GPU, which);
    }
    double per_node = instance ? instance->gpu_count
                      : scenario_has(s, FIELD_GPUS_PER_NODE) ? s->gpus_per_node : 0;
    if (scenario_has(s, FIELD_GPUS) && scenario_has(s, FIELD_NODES) && per_node > 0 &&
        s->gpus != s->nodes * per_node) {
        error_set(error, tr("%g GPUs are not %g machines with %g each"), s->gpus, s->nodes, per_node);
        return contradiction(FIELD_GPUS, which);
    }
    if (scenario_has(s, FIELD_GPUS) && instance && fmod(s->gpus, per_node) != 0) {
        error_set(error, tr("%g GPUs are not %g machines with %g each"), s->gpus, ceil(s->gpus / per_node), per_node);
        return contradiction(FIELD_GPUS, which);
    }
    if (scenario_has(s, FIELD_GPUS) && scenario_has(s, FIELD_NODES) && fmod(s->gpus, s->nodes) != 0) {
        error_set(error, tr("%g GPUs cannot be spread evenly over %g machines"), s->gpus, s->nodes);
        return contradiction(FIELD_NODES, which);
    }
    return true;
}

bool scenario_check(const struct scenario *scenario, const struct catalog *catalog,
                    enum field_id *which, struct error *error)
{
    const struct model *model = scenario_has(scenario, FIELD_PARAMS_B) ? NULL
                                : scenario->architecture ? scenario->architecture
                                : scenario_has(scenario, FIELD_MODEL) ? catalog_model(catalog, scenario->model) : NULL;
    return check_work(scenario, which, error) && check_hardware(scenario, catalog, which, error) &&
           check_parallel(scenario, catalog, which, error) &&
           (!model || check_shape(scenario, model, which, error));
}
