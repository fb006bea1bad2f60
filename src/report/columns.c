#include "report/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/i18n.h"
#include "base/units.h"
#include "engine/unit_price.h"

const struct cost *offer_cost(const struct offer *offer, enum billing_mode mode)
{
    if (mode == MODE_COUNT)
        mode = offer->cheapest;
    return mode < MODE_COUNT && offer->costs && offer->costs[mode].available ? &offer->costs[mode]
                                                                             : NULL;
}

const char *verdict_label(enum verdict verdict)
{
    return tr(verdict_labels[verdict]);
}

enum billing_mode billing_mode_of_choice(const struct scenario *scenario)
{
    if (!scenario_has(scenario, FIELD_BILLING) || scenario->billing == BILLING_ANY)
        return MODE_COUNT;
    enum billing_mode named = MODE_COUNT;
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if ((int)billing_modes[mode].choice != scenario->billing)
            continue;
        if (named != MODE_COUNT)
            return MODE_COUNT; /* spot with and without its hour: the offer's cheapest of both */
        named = (enum billing_mode)mode;
    }
    return named;
}

void layout_format(const struct layout *layout, struct strbuf *out)
{
    const struct {
        const char *name;
        int degree;
    } parts[] = {{"TP", layout->tp},
                 {"PP", layout->pp},
                 {"CP", layout->cp},
                 {"EP", layout->ep},
                 {"DP", layout->dp}};
    const char *space = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].degree > 1) {
            strbuf_printf(out, "%s%s%d", space, parts[i].name, parts[i].degree);
            space = " ";
        }
    }
    if (layout->zero > 0) {
        strbuf_printf(out, "%sZeRO-%d", space, layout->zero);
        space = " ";
    }
    if (!*space)
        strbuf_add(out, "-");
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* Sign of a - b, NAN last. */
static int order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* A column of numbers: its value and its order from one expression in `offer` and `mode`. */
#define NUMBER_COLUMN(name, expression)                                                            \
    static double name##_number(const struct offer *offer, enum billing_mode mode)                 \
    {                                                                                              \
        (void)mode;                                                                                \
        return expression;                                                                         \
    }                                                                                              \
    static int name##_compare(const struct offer *a, const struct offer *b,                        \
                              enum billing_mode mode)                                              \
    {                                                                                              \
        return order(name##_number(a, mode), name##_number(b, mode));                              \
    }

/* A column of words. */
#define TEXT_COLUMN(name, expression)                                                              \
    static const char *name##_text(const struct offer *offer, enum billing_mode mode)              \
    {                                                                                              \
        (void)mode;                                                                                \
        return expression;                                                                         \
    }                                                                                              \
    static int name##_compare(const struct offer *a, const struct offer *b,                        \
                              enum billing_mode mode)                                              \
    {                                                                                              \
        return strcmp(name##_text(a, mode), name##_text(b, mode));                                 \
    }                                                                                              \
    static void name##_format(const struct offer *offer, enum billing_mode mode,                   \
                              struct strbuf *out)                                                  \
    {                                                                                              \
        strbuf_add(out, name##_text(offer, mode));                                                 \
    }

/* How a number column is written: one of the writers of units.h. */
#define FORMAT(name, writer)                                                                       \
    static void name##_format(const struct offer *offer, enum billing_mode mode,                   \
                              struct strbuf *out)                                                  \
    {                                                                                              \
        char text[UNITS_TEXT];                                                                     \
        strbuf_add(out, writer(name##_number(offer, mode), text));                                 \
    }

/* ---- the columns' values --------------------------------------------------------------------- */

static double cost_member(const struct cost *cost, size_t offset)
{
    return cost ? *(const double *)(const void *)((const char *)cost + offset) : NAN;
}

#define COST(member) cost_member(offer_cost(offer, mode), offsetof(struct cost, member))

/* Pay-as-you-go list price of one machine an hour; NAN without one. */
static double list_price(const struct offer *offer)
{
    return offer->price ? offer->price->payg_hour : NAN;
}

static const char *mode_key(const struct offer *offer)
{
    return offer->cheapest < MODE_COUNT ? tr(billing_modes[offer->cheapest].label) : "-";
}

static const char *price_date(const struct offer *offer)
{
    return offer->price && offer->price->date ? offer->price->date : "-";
}

TEXT_COLUMN(instance, offer->instance->type)
TEXT_COLUMN(gpu, offer->hardware.gpu->id)
NUMBER_COLUMN(gpus, offer->hardware.gpus)
FORMAT(gpus, units_thousands)
NUMBER_COLUMN(nodes, offer->nodes)
FORMAT(nodes, units_thousands)

/* From loose to close coupling; within it, by degree. */
NUMBER_COLUMN(layout, offer->layout.tp * 1e6 + offer->layout.pp * 1e3 + offer->layout.zero)
static void layout_column_format(const struct offer *offer, enum billing_mode mode,
                                 struct strbuf *out)
{
    (void)mode;
    layout_format(&offer->layout, out);
}

NUMBER_COLUMN(memory, 100 * offer->memory.need_gib / offer->memory.usable_gib)
FORMAT(memory, units_thousands)
NUMBER_COLUMN(need_gib, offer->memory.need_gib)
FORMAT(need_gib, units_gib)
NUMBER_COLUMN(usable_gib, offer->memory.usable_gib)
FORMAT(usable_gib, units_gib)

NUMBER_COLUMN(verdict, offer->memory.verdict)
static void verdict_format(const struct offer *offer, enum billing_mode mode, struct strbuf *out)
{
    (void)mode;
    strbuf_add(out, verdict_label(offer->memory.verdict));
}

NUMBER_COLUMN(speed, offer->speed.tokens_per_s)
FORMAT(speed, units_count)
NUMBER_COLUMN(hours, offer->hours[1])
FORMAT(hours, units_hours)
NUMBER_COLUMN(cost, COST(total_cny))
/* "~" where a rule or an assumption stands behind the sum, as on the page and in the detail. */
static void cost_format(const struct offer *offer, enum billing_mode mode, struct strbuf *out)
{
    const struct cost *cost = offer_cost(offer, mode);
    char text[UNITS_TEXT];
    bool assumed = cost && isfinite(cost->total_cny) && cost->basis != BASIS_QUOTED;
    strbuf_printf(out, "%s%s", assumed ? "~" : "", units_cny(cost_number(offer, mode), text));
}
NUMBER_COLUMN(cny_hour, COST(per_hour_cny))
FORMAT(cny_hour, units_cny)
NUMBER_COLUMN(cny_month, COST(per_month_cny))
FORMAT(cny_month, units_cny)
TEXT_COLUMN(cheapest, mode_key(offer))
NUMBER_COLUMN(cny_mtok, offer->cny_per_mtok)
FORMAT(cny_mtok, units_cny)
NUMBER_COLUMN(network, offer->hardware.network_gbps)
FORMAT(network, units_plain)
TEXT_COLUMN(rdma, tr(rdma_kind_labels[offer->instance->rdma]))
/* "2024-10-09*" when the price is to be looked up again. */
static void price_date_format(const struct offer *offer, enum billing_mode mode, struct strbuf *out)
{
    (void)mode;
    bool stale = offer->costs && offer->costs[MODE_PAYG].available && offer->costs[MODE_PAYG].stale;
    strbuf_printf(out, "%s%s", price_date(offer), stale ? "*" : "");
}
static int price_date_compare(const struct offer *a, const struct offer *b, enum billing_mode mode)
{
    (void)mode;
    return strcmp(price_date(a), price_date(b));
}
NUMBER_COLUMN(gpu_speed, offer->speed.tokens_per_s_per_gpu)
FORMAT(gpu_speed, units_count)
NUMBER_COLUMN(mfu, 100 * offer->speed.mfu)
FORMAT(mfu, units_gib)
NUMBER_COLUMN(ttft, offer->speed.ttft_ms)
FORMAT(ttft, units_gib)
NUMBER_COLUMN(tpot, offer->speed.tpot_ms)
FORMAT(tpot, units_gib)
NUMBER_COLUMN(concurrency, offer->memory.max_concurrency)
FORMAT(concurrency, units_gib)
NUMBER_COLUMN(payg_hour, list_price(offer))
FORMAT(payg_hour, units_cny)
NUMBER_COLUMN(gib_price, unit_cny_per_gib_hour(offer->instance, list_price(offer)))
FORMAT(gib_price, units_rate)
NUMBER_COLUMN(tflops_price, unit_cny_per_tflops_hour(offer->instance, list_price(offer)))
FORMAT(tflops_price, units_rate)
NUMBER_COLUMN(vcpu, offer->instance->vcpu)
FORMAT(vcpu, units_thousands)
NUMBER_COLUMN(ram, offer->instance->ram_gib)
FORMAT(ram, units_thousands)
TEXT_COLUMN(link, tr(link_kind_labels[offer->instance->link]))
TEXT_COLUMN(status, tr(sale_status_labels[offer->instance->status]))

/* ---- the table ------------------------------------------------------------------------------ */

#define NUMERIC(name)                                                                              \
    TEXT_RIGHT, .compare = name##_compare, .format = name##_format, .number = name##_number
#define WORDS(name) TEXT_LEFT, .compare = name##_compare, .format = name##_format

/* In the order of the screen; the priority says which stay when room is short. A heading, its unit
 * left out, and the sort mark fit `width`. */
/* clang-format off */
const struct column columns[] = {
    {"instance", N_("Instance"), "", 26, WORDS(instance), .priority = 0},
    {"gpu", N_("GPU"), "", 14, WORDS(gpu), .priority = 6},
    {"gpus", N_("GPUs"), "", 6, NUMERIC(gpus), .priority = 5},
    {"nodes", N_("Nodes"), "", 7, NUMERIC(nodes), .priority = 3},
    {"layout", N_("Layout"), "", 20, TEXT_LEFT, .priority = 9, .compare = layout_compare,
     .format = layout_column_format},
    {"memory_percent", N_("Mem %"), N_("%"), 7, NUMERIC(memory), .priority = 4},
    {"verdict", N_("Verdict"), "", 9, TEXT_LEFT, .priority = 7, .compare = verdict_compare,
     .format = verdict_format},
    {"tokens_per_s", N_("Tokens/s"), N_("tokens/s"), 10, NUMERIC(speed), .priority = 8},
    {"hours", N_("Time"), N_("h"), 10, NUMERIC(hours), .priority = 2},
    {"cost_cny", N_("Cost"), N_("CNY"), 12, NUMERIC(cost), .priority = 1},
    {"cheapest", N_("Cheapest"), "", 17, WORDS(cheapest), .priority = 10},
    {"cny_per_mtok", N_("CNY/Mtok"), N_("CNY per million tokens"), 10, NUMERIC(cny_mtok), .priority = 11},
    {"network_gbps", N_("Network"), N_("Gbit/s"), 9, NUMERIC(network), .priority = 12},
    {"rdma", N_("RDMA"), "", 7, WORDS(rdma), .priority = 13},
    {"price_date", N_("Price of"), "", 12, WORDS(price_date), .priority = 14},
    {"cny_per_hour", N_("CNY/h"), N_("CNY/h"), 9, NUMERIC(cny_hour), .priority = 15},
    {"cny_per_month", N_("CNY/month"), N_("CNY/month"), 11, NUMERIC(cny_month), .priority = 16},
    {"need_gib", N_("Need"), N_("GiB per GPU"), 8, NUMERIC(need_gib), .priority = 17},
    {"usable_gib", N_("Usable"), N_("GiB per GPU"), 8, NUMERIC(usable_gib), .priority = 18},
    {"tokens_per_s_per_gpu", N_("Per GPU"), N_("tokens/s"), 9, NUMERIC(gpu_speed), .priority = 19},
    {"mfu_percent", N_("MFU %"), N_("%"), 7, NUMERIC(mfu), .priority = 20},
    {"ttft_ms", N_("TTFT"), N_("ms"), 9, NUMERIC(ttft), .priority = 21},
    {"tpot_ms", N_("TPOT"), N_("ms"), 8, NUMERIC(tpot), .priority = 22},
    {"max_concurrency", N_("Sequences"), "", 11, NUMERIC(concurrency), .priority = 23},
    {"payg_cny_per_hour", N_("List price"), N_("CNY/h"), 11, NUMERIC(payg_hour), .priority = 24},
    {"cny_per_gib_hour", N_("CNY/GiB-h"), N_("CNY per GiB-hour"), 11, NUMERIC(gib_price), .priority = 25},
    {"cny_per_tflops_hour", N_("CNY/TFLOPS-h"), N_("CNY per dense 16-bit TFLOPS-hour"), 14,
     NUMERIC(tflops_price), .priority = 26},
    {"vcpu", N_("vCPU"), "", 7, NUMERIC(vcpu), .priority = 27},
    {"ram_gib", N_("RAM"), N_("GiB"), 8, NUMERIC(ram), .priority = 28},
    {"link", N_("GPU link"), "", 12, WORDS(link), .priority = 29},
    {"status", N_("Status"), "", 16, WORDS(status), .priority = 30},
};
/* clang-format on */
const int column_count = sizeof columns / sizeof *columns;

const struct column *column_find(const char *id)
{
    for (int i = 0; i < column_count; i++)
        if (strcmp(columns[i].id, id) == 0)
            return &columns[i];
    return NULL;
}

/* ---- sorting -------------------------------------------------------------------------------- */

struct sort_key {
    const struct offer *offer;
    const struct column *column;
    bool reverse;
    enum billing_mode mode;
};

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    const struct column *column = a->column;
    int sign = column->compare(a->offer, b->offer, a->mode);
    bool unknown = column->number && (isnan(column->number(a->offer, a->mode)) ||
                                      isnan(column->number(b->offer, b->mode)));
    if (a->reverse && !unknown)
        sign = -sign;
    if (sign == 0)
        sign = strcmp(a->offer->instance->type, b->offer->instance->type);
    if (sign == 0)
        sign = a->offer->nodes - b->offer->nodes;
    return sign ? sign : (a->offer > b->offer) - (a->offer < b->offer);
}

/* An offer is some kilobytes: pointers are sorted, then each offer is moved once. */
void offers_sort(struct offer *offers, size_t count, const struct column *column, bool reverse,
                 enum billing_mode mode)
{
    struct sort_key *keys = xrealloc(NULL, count, sizeof *keys);
    struct offer *sorted = xrealloc(NULL, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct sort_key){&offers[i], column, reverse, mode};
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *keys[i].offer;
    if (count > 0)
        memcpy(offers, sorted, count * sizeof *sorted);
    free(sorted);
    free(keys);
}
