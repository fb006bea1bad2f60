/* matrix.c - tables of memory for one job: what trainers ask for before anything else. */
#include "engine/matrix.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

const char *const matrix_names[] = {"lengths", "methods", NULL};

/* ---- by length and batch -------------------------------------------------------------------- */

enum { SHORTEST = 1024, LONGEST = 1 << 20, LENGTHS_MAX = 10 };

/* What stands across the top; the one asked for is put in where it is missing. */
static const double batches[] = {1, 2, 4, 8, 16, 32}, users[] = {1, 4, 16, 64, 256};

struct memory matrix_memory_at(const struct job *job, const struct offer *offer,
                               const struct constants *constants, double length, double batch)
{
    struct job other = job_for_gpu(job, offer->hardware.gpu);
    struct layout layout = offer->layout;
    struct scenario full; /* a context that was asked for is one that is filled */
    if (job->workload == WORKLOAD_INFERENCE) {
        char text[UNITS_TEXT];
        struct error ignored;
        other.context = length;
        memcpy(&full, job->scenario, sizeof full);
        if (batch > 0 && scenario_set(&full, FIELD_CONTEXT, units_plain(length, text), job->catalog,
                                      job->catalog->arena, &ignored)) {
            other.scenario = &full;
            other.concurrency = batch;
            other.saturated = false;
        }
    } else {
        other.seq_len = length;
        if (batch > 0)
            layout.micro_batch = (int)batch;
    }
    return memory_estimate(&other, &offer->hardware, &layout, constants);
}

struct memory matrix_need_at(const struct job *job, const struct offer *offer,
                             const struct constants *constants, double length, double batch)
{
    enum {
        LARGE_CARD_GIB = 70,
        ROOM_GIB = 1 << 20
    }; /* engines take other defaults on large cards */
    struct offer roomy = *offer;
    bool large = offer->hardware.usable_gib >= LARGE_CARD_GIB;
    if (job->workload == WORKLOAD_INFERENCE)
        roomy.hardware.usable_gib = large ? ROOM_GIB : LARGE_CARD_GIB - 0.1;
    return matrix_memory_at(job, &roomy, constants, length, batch);
}

double matrix_longest(const struct job *job, const struct offer *offer,
                      const struct constants *constants, double batch, double least, double most)
{
    double fitting = 0, beyond = most;
    for (double length = least; length <= most; length *= 2)
        if (matrix_memory_at(job, offer, constants, length, batch).verdict == VERDICT_FITS) {
            fitting = length;
            beyond = fmin(2 * length, most);
        }
    if (fitting == 0)
        return 0;
    double low = floor(fitting / MATRIX_STEP), high = floor(beyond / MATRIX_STEP);
    while (high - low >= 1) {
        double middle = ceil((low + high) / 2);
        if (matrix_memory_at(job, offer, constants, middle * MATRIX_STEP, batch).verdict ==
            VERDICT_FITS)
            low = middle;
        else
            high = middle - 1;
    }
    return low * MATRIX_STEP;
}

/* Puts `asked` among ascending heads, or marks the equal one. */
static void add_asked(struct matrix_head *heads, int *count, int most, double asked)
{
    int at = 0;
    while (at < *count && heads[at].value < asked)
        at++;
    if (!(at < *count && heads[at].value == asked)) {
        if (*count == most)
            (*count)--;
        at = at < *count ? at : *count;
        memmove(heads + at + 1, heads + at, (size_t)(*count - at) * sizeof *heads);
        heads[at] = (struct matrix_head){.value = asked};
        (*count)++;
    }
    heads[at].asked = true;
}

static void fill_heads(const struct job *job, const struct offer *offer, struct matrix *matrix)
{
    bool serving = job->workload == WORKLOAD_INFERENCE;
    double length = serving ? job->context : job->seq_len, least = SHORTEST;
    double batch = serving ? fmax(1, job->concurrency) : offer->layout.micro_batch;
    int count =
        serving ? (int)(sizeof users / sizeof *users) : (int)(sizeof batches / sizeof *batches);
    matrix->most = fmax(length, job->model->max_context > 0 ? job->model->max_context : LONGEST);
    while (serving && least < job->input_len + job->output_len)
        least *= 2;
    for (double at = least; at <= matrix->most && matrix->rows < LENGTHS_MAX; at *= 2)
        matrix->row_heads[matrix->rows++] = (struct matrix_head){.value = at};
    if (!serving || scenario_has(job->scenario, FIELD_CONTEXT))
        add_asked(matrix->row_heads, &matrix->rows, LENGTHS_MAX, length);
    for (int i = 0; i < count; i++)
        matrix->col_heads[matrix->cols++] =
            (struct matrix_head){.value = serving ? users[i] : batches[i]};
    if (!(serving && job->saturated))
        add_asked(matrix->col_heads, &matrix->cols, MATRIX_COLS, batch);
}

void matrix_lengths(const struct job *job, const struct offer *offer,
                    const struct constants *constants, struct matrix *matrix)
{
    *matrix = (struct matrix){.kind = MATRIX_LENGTHS,
                              .workload = job->workload,
                              .model = job->model->id,
                              .gpu = offer->hardware.gpu,
                              .instance = offer->instance,
                              .gpus = offer->hardware.gpus,
                              .nodes = offer->nodes,
                              .layout = offer->layout};
    fill_heads(job, offer, matrix);
    for (int col = 0; col < matrix->cols; col++) {
        double batch = matrix->col_heads[col].value;
        for (int row = 0; row < matrix->rows; row++) {
            double length = matrix->row_heads[row].value;
            struct memory need = matrix_need_at(job, offer, constants, length, batch);
            struct memory real = matrix_memory_at(job, offer, constants, length, batch);
            matrix->cells[row][col] = (struct matrix_cell){.possible = true,
                                                           .why = "",
                                                           .verdict = real.verdict,
                                                           .need_gib = need.need_gib,
                                                           .low_gib = need.low_gib,
                                                           .high_gib = need.high_gib,
                                                           .usable_gib = real.usable_gib,
                                                           .gpus = offer->hardware.gpus,
                                                           .cny = NAN};
        }
        matrix->longest[col] =
            matrix_longest(job, offer, constants, batch, matrix->row_heads[0].value, matrix->most);
    }
}

/* ---- by GPU and method ---------------------------------------------------------------------- */

/* A column: answers that are changed, as for scenario_set_pair. */
struct method {
    const char *label;  /* N_() */
    unsigned workloads; /* bits by enum workload that it is a column for */
    const char *pairs[2];
};
enum {
    TRAINING = 1 << WORKLOAD_PRETRAIN | 1 << WORKLOAD_FULL | 1 << WORKLOAD_LORA,
    SERVING = 1 << WORKLOAD_INFERENCE
};
static const struct method methods[] = {
    {N_("Pretraining"), 1 << WORKLOAD_PRETRAIN, {"workload=pretrain", NULL}},
    {N_("Full fine-tuning"), 1 << WORKLOAD_FULL | 1 << WORKLOAD_LORA, {"workload=full", NULL}},
    {N_("LoRA, 16-bit"), TRAINING, {"workload=lora", "weights=bf16"}},
    {N_("QLoRA, 4-bit"), TRAINING, {"workload=lora", "weights=nf4"}},
    {N_("16-bit weights"), SERVING, {"weights=bf16", NULL}},
    {N_("fp8 weights"), SERVING, {"weights=fp8", NULL}},
    {N_("AWQ 4-bit"), SERVING, {"weights=awq-int4", NULL}},
};

static double cheapest_cny(const struct offer *offer)
{
    return offer->best ? offer->best->total_cny : NAN;
}

static bool better(const struct offer *a, const struct offer *b)
{
    if (!b || a->hardware.gpus != b->hardware.gpus)
        return !b || a->hardware.gpus < b->hardware.gpus;
    double x = cheapest_cny(a), y = cheapest_cny(b);
    return isnan(y) ? !isnan(x) : x < y;
}

static bool whole_cards(const struct instance *instance, const struct gpu *gpu)
{
    return instance->gpu == gpu && instance->gpu_fraction >= 1;
}

static struct matrix_cell method_cell(const struct plan *plan, const struct gpu *gpu,
                                      struct arena *arena)
{
    const struct offer *best = NULL;
    for (size_t i = 0; i < plan->offer_count; i++)
        if (whole_cards(plan->offers[i].instance, gpu) && better(&plan->offers[i], best))
            best = &plan->offers[i];
    if (best)
        return (struct matrix_cell){.possible = true,
                                    .why = "",
                                    .verdict = best->memory.verdict,
                                    .need_gib = best->memory.need_gib,
                                    .low_gib = best->memory.low_gib,
                                    .high_gib = best->memory.high_gib,
                                    .usable_gib = best->memory.usable_gib,
                                    .gpus = best->hardware.gpus,
                                    .cny = cheapest_cny(best)};
    struct matrix_cell cell = {
        .reason = EXCLUDED_STATUS, .why = tr("not sold now"), .need_gib = NAN, .cny = NAN};
    for (size_t i = 0; i < plan->excluded_count; i++)
        if (whole_cards(plan->excluded[i].instance, gpu)) {
            cell.reason = plan->excluded[i].reason;
            cell.why = arena_strdup(arena, plan->excluded[i].detail);
            break;
        }
    return cell;
}

static void fill_contradiction(struct matrix *matrix, int col, const char *why)
{
    for (int row = 0; row < matrix->rows; row++)
        matrix->cells[row][col] =
            (struct matrix_cell){.reason = EXCLUDED_COUNT, .why = why, .need_gib = NAN, .cny = NAN};
}

/* The answers with the method put in. */
static bool with_method(const struct scenario *scenario, const struct method *method,
                        const struct catalog *catalog, struct arena *arena,
                        struct scenario *changed, struct error *error)
{
    memcpy(changed, scenario, sizeof *changed);
    for (size_t i = 0; i < sizeof method->pairs / sizeof *method->pairs && method->pairs[i]; i++)
        if (!scenario_set_pair(changed, method->pairs[i], catalog, arena, error))
            return false;
    return true;
}

static bool is_asked(const struct job *job, const struct method *method)
{
    static const char *const keys[] = {"workload=", "weights="};
    const char *now[] = {workload_names[job->workload], job->weights ? job->weights->id : ""};
    for (int i = 0; i < 2 && method->pairs[i]; i++)
        for (int k = 0; k < 2; k++) {
            size_t length = strlen(keys[k]);
            if (strncmp(method->pairs[i], keys[k], length) == 0 &&
                strcmp(method->pairs[i] + length, now[k]) != 0)
                return false;
        }
    return true;
}

/* Smallest memory first, as on the screens. */
static void fill_gpus(const struct catalog *catalog, struct matrix *matrix)
{
    for (size_t i = 0; i < catalog->gpu_count && matrix->rows < MATRIX_ROWS; i++) {
        const struct gpu *gpu = &catalog->gpus[i];
        bool sold = false;
        for (size_t k = 0; k < catalog->instance_count && !sold; k++)
            sold = whole_cards(&catalog->instances[k], gpu);
        if (!sold)
            continue;
        int at = matrix->rows++;
        for (; at > 0 && matrix->row_heads[at - 1].usable_gib > gpu->usable_gib; at--)
            matrix->row_heads[at] = matrix->row_heads[at - 1];
        matrix->row_heads[at] =
            (struct matrix_head){.value = NAN, .name = gpu->id, .usable_gib = gpu->usable_gib};
    }
}

/* GPUs that no answer about the job would bring in are left out. */
static bool worth_a_row(const struct matrix *matrix, int row)
{
    for (int col = 0; col < matrix->cols; col++) {
        const struct matrix_cell *cell = &matrix->cells[row][col];
        if (cell->possible || (cell->reason != EXCLUDED_STATUS && cell->reason != EXCLUDED_REGION &&
                               cell->reason != EXCLUDED_UNPRICED && cell->reason != EXCLUDED_COUNT))
            return true;
    }
    return false;
}

static void drop_rows(struct matrix *matrix)
{
    int kept = 0;
    for (int row = 0; row < matrix->rows; row++)
        if (worth_a_row(matrix, row)) {
            matrix->row_heads[kept] = matrix->row_heads[row];
            memmove(matrix->cells[kept], matrix->cells[row], sizeof matrix->cells[row]);
            kept++;
        }
    matrix->rows = kept;
}

void matrix_methods(const struct catalog *catalog, const struct constants *constants,
                    const struct scenario *scenario, const char *today, struct arena *arena,
                    struct matrix *matrix)
{
    struct job job = {0};
    struct error error = {0};
    bool resolved = job_resolve(scenario, catalog, arena, &job, &error);
    unsigned workload = scenario_has(scenario, FIELD_WORKLOAD) ? 1u << scenario->workload : 0;
    *matrix = (struct matrix){.kind = MATRIX_METHODS,
                              .workload = resolved ? job.workload : WORKLOAD_LORA,
                              .model = resolved ? job.model->id : ""};
    fill_gpus(catalog, matrix);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct scenario changed;
        struct plan plan;
        if (!(methods[i].workloads & workload) || matrix->cols == MATRIX_COLS)
            continue;
        int col = matrix->cols++;
        matrix->col_heads[col] =
            (struct matrix_head){.value = NAN,
                                 .name = methods[i].label,
                                 .pairs = methods[i].pairs,
                                 .asked = resolved && is_asked(&job, &methods[i])};
        error = (struct error){0};
        if (!with_method(scenario, &methods[i], catalog, arena, &changed, &error) ||
            !plan_compute_brief(catalog, constants, &changed, today, &plan, &error)) {
            fill_contradiction(matrix, col, arena_strdup(arena, error.message));
            continue;
        }
        for (int row = 0; row < matrix->rows; row++)
            matrix->cells[row][col] =
                method_cell(&plan, catalog_gpu(catalog, matrix->row_heads[row].name), arena);
        plan_clear(&plan);
    }
    drop_rows(matrix);
}

/* ---- from the answers alone ----------------------------------------------------------------- */

bool matrix_compute(enum matrix_kind kind, const struct catalog *catalog,
                    const struct constants *constants, const struct scenario *scenario,
                    const char *today, struct arena *arena, struct matrix *matrix,
                    struct error *error)
{
    struct plan plan;
    struct offer offer;
    struct job job;
    if (!job_resolve(scenario, catalog, arena, &job, error))
        return false;
    if (kind == MATRIX_METHODS) {
        matrix_methods(catalog, constants, scenario, today, arena, matrix);
        return true;
    }
    if (!plan_compute_brief(catalog, constants, scenario, today, &plan, error))
        return false;
    bool done = true;
    if (plan.offer_count) {
        matrix_lengths(&plan.job, &plan.offers[0], constants, matrix);
        matrix->model = arena_strdup(arena, matrix->model);
    } else {
        done = estimate_compute(catalog, constants, scenario, arena, &offer, &job, error);
        if (done)
            matrix_lengths(&job, &offer, constants, matrix);
    }
    plan_clear(&plan);
    return done;
}
