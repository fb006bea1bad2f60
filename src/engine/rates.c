/* rates.c - the rate of every billing mode: the quoted price where there is one, else a rule or
 * assumption of the data. Without a price by the hour or the term nothing is made up. */
#include "engine/billing_internal.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"

static const char *const rule_ids[RULE_COUNT] = {
    [RULE_MONTH_HOURS] = "month_hours",
    [RULE_YEAR] = "year_ratio",
    [RULE_YEAR2] = "year2_ratio",
    [RULE_YEAR3] = "year3_ratio",
    [RULE_YEAR5] = "year5_ratio",
    [RULE_SAVINGS_1Y] = "savings_ratio_1y",
    [RULE_SAVINGS_3Y] = "savings_ratio_3y",
    [RULE_RESERVED_1Y] = "reserved_ratio_1y",
    [RULE_RESERVED_3Y] = "reserved_ratio_3y",
    [RULE_PART_UPFRONT] = "partial_upfront_share",
    [RULE_SPOT] = "spot_price_ratio",
    [RULE_SPOT_UNPROTECTED] = "spot_unprotected_ratio",
    [RULE_SPOT_LOSS_HOURS] = "spot_hours_between_losses",
    [RULE_PROTECTED_HOURS] = "spot_protected_h",
    [RULE_FAILURE_GPU_HOURS] = "gpu_hours_between_failures",
    [RULE_RESTART_MINUTES] = "restart_min",
    [RULE_START_MINUTES] = "start_min",
    [RULE_BUSY_SHARE] = "busy_share",
    [RULE_LEAST_GOODPUT] = "refuse_goodput_below",
    [RULE_STALE_DAYS] = "stale_days",
};

void rates_find_rules(const struct catalog *catalog, const struct billing_rule *rules[RULE_COUNT])
{
    memset(rules, 0, RULE_COUNT * sizeof *rules);
    for (size_t i = 0; i < catalog->rule_count; i++)
        for (int id = 0; id < RULE_COUNT; id++)
            if (!rules[id] && strcmp(catalog->rules[i].id, rule_ids[id]) == 0) {
                rules[id] = &catalog->rules[i];
                break;
            }
}

double rule_value(const struct billing_context *context, enum rule_id id, double without)
{
    const struct billing_rule *rule = context->rules[id];
    return rule ? rule->value : without;
}

static struct rate no_rate(const char *why_not)
{
    return (struct rate){.value = NAN, .low = NAN, .high = NAN, .date = "", .source = "",
                         .why_not = why_not};
}

static struct rate quoted(const struct price *price, double value)
{
    return (struct rate){value, value, value, BASIS_QUOTED, price->date, price->source, ""};
}

struct rate rate_rule(const struct billing_context *context, enum rule_id id)
{
    const struct billing_rule *rule = context->rules[id];
    if (!rule)
        return no_rate(N_("no quote, and no rule for it in the data"));
    struct rate rate = {.value = rule->value, .low = rule->value, .high = rule->value,
                        .date = rule->date, .source = rule->source, .why_not = ""};
    if (rule->minimum < rule->maximum) {
        rate.low = fmin(rule->minimum, rule->value);
        rate.high = fmax(rule->maximum, rule->value);
    }
    rate.basis = strcmp(rule->basis, "assumption") == 0 ? BASIS_ASSUMPTION : BASIS_RULE;
    return rate;
}

/* A rate that follows from another: `base` times a rule, the weaker basis of the two; the date is
 * that of the price, which is what grows old. */
static struct rate scaled(struct rate base, struct rate factor)
{
    if (isnan(base.value))
        return base;
    if (isnan(factor.value))
        return factor;
    base.value *= factor.value;
    base.low *= factor.low;
    base.high *= factor.high;
    if (factor.basis > base.basis)
        base.basis = factor.basis;
    base.source = factor.source;
    return base;
}

static struct rate times(struct rate rate, double factor)
{
    rate.value *= factor;
    rate.low *= factor;
    rate.high *= factor;
    return rate;
}

static struct rate hourly(const struct billing_context *context)
{
    const struct price *price = context->input->price;
    if (isnan(price->payg_hour))
        return no_rate(N_("no public hourly price: ask sales"));
    return quoted(price, price->payg_hour);
}

static struct rate monthly_rule(const struct billing_context *context)
{
    return scaled(hourly(context), rate_rule(context, RULE_MONTH_HOURS));
}

static struct rate monthly(const struct billing_context *context)
{
    const struct price *price = context->input->price;
    return isnan(price->month) ? monthly_rule(context) : quoted(price, price->month);
}

/* A term of years: quoted, else so many months at the rule's ratio. A promotional month is no base
 * for a year: the list month by rule is. */
static struct rate yearly(const struct billing_context *context, double quote, enum rule_id id,
                          int years)
{
    const struct price *price = context->input->price;
    if (!isnan(quote))
        return quoted(price, quote);
    struct rate month = price->promotion ? monthly_rule(context) : monthly(context);
    return times(scaled(month, rate_rule(context, id)), 12.0 * years);
}

struct rate rate_of_term(const struct billing_context *context, enum billing_mode mode,
                         int term_months)
{
    const struct price *price = context->input->price;
    bool savings = mode == MODE_SAVINGS, one_year = term_months == 12;
    double quote = savings ? (one_year ? price->savings_hour_1y : price->savings_hour_3y)
                           : (one_year ? price->reserved_hour_1y : price->reserved_hour_3y);
    if (!isnan(quote))
        return quoted(price, quote);
    enum rule_id id = savings ? (one_year ? RULE_SAVINGS_1Y : RULE_SAVINGS_3Y)
                              : (one_year ? RULE_RESERVED_1Y : RULE_RESERVED_3Y);
    return scaled(hourly(context), rate_rule(context, id));
}

/* The user's own ratio wins over a quote: spot prices move by the hour, and the user has looked. */
static struct rate spot(const struct billing_context *context)
{
    const struct billing_input *input = context->input;
    if (input->price->no_spot)
        return no_rate(N_("not offered as spot in this region"));
    if (scenario_has(input->scenario, FIELD_SPOT_PRICE_RATIO)) {
        double ratio = input->scenario->spot_price_ratio;
        return scaled(hourly(context),
                      (struct rate){ratio, ratio, ratio, BASIS_ASSUMPTION, "", "", ""});
    }
    if (!isnan(input->price->spot_hour))
        return quoted(input->price, input->price->spot_hour);
    return scaled(hourly(context), rate_rule(context, RULE_SPOT));
}

/* The managed product sells the same machine under its own price. */
static struct rate managed(const struct billing_context *context)
{
    const struct catalog *catalog = context->input->catalog;
    for (size_t i = 0; i < catalog->managed_count; i++) {
        const struct managed_price *price = &catalog->managed[i];
        if (!isnan(price->cny_hour) && strcmp(price->type, context->input->instance->type) == 0)
            return (struct rate){price->cny_hour, price->cny_hour, price->cny_hour, BASIS_QUOTED,
                                 price->date, price->source, ""};
    }
    return no_rate(N_("no price found for this type on the managed product"));
}

struct rate rate_of_mode(const struct billing_context *context, enum billing_mode mode)
{
    const struct price *price = context->input->price;
    if (mode == MODE_MANAGED && !context->other_currency)
        return managed(context);
    if (!price)
        return no_rate(N_("no public price: ask sales"));
    switch (mode) {
    case MODE_PAYG:
    case MODE_PAYG_STOP:
        return hourly(context);
    case MODE_MONTHLY:
        return monthly(context);
    case MODE_YEARLY:
        return yearly(context, price->year, RULE_YEAR, 1);
    case MODE_2YEAR:
        return yearly(context, price->year2, RULE_YEAR2, 2);
    case MODE_3YEAR:
        return yearly(context, price->year3, RULE_YEAR3, 3);
    case MODE_5YEAR:
        return yearly(context, price->year5, RULE_YEAR5, 5);
    case MODE_SAVINGS:
    case MODE_RESERVED:
        return rate_of_term(context, mode, 12);
    case MODE_SPOT:
        return spot(context);
    case MODE_SPOT_UNPROTECTED:
        return scaled(spot(context), rate_rule(context, RULE_SPOT_UNPROTECTED));
    default:
        return no_rate(N_("priced in another currency"));
    }
}
