/* budget.c - the question turned round: what an amount of money buys. */
#include "engine/billing_internal.h"

#include <math.h>
#include "base/units.h"

/* The total of a job of `amount` (useful hours of a run, months of a service); NAN = no price. */
static double total_of(struct billing_input *input, enum billing_mode mode, double amount,
                       struct cost *cost)
{
    if (input->service)
        input->months = amount;
    else
        input->compute_h[0] = input->compute_h[1] = input->compute_h[2] = amount;
    billing_cost(input, mode, cost);
    return cost->available ? cost->total_cny : NAN;
}

/* The total never falls with the amount, so the largest amount within the budget is found by
 * doubling and halving: this holds for hours, whole terms and tiers alike. */
bool billing_budget(const struct billing_input *input, enum billing_mode mode, double budget_cny,
                    double tokens_per_s, struct budget_answer *answer)
{
    enum { DOUBLINGS = 40, HALVINGS = 60 };
    *answer = (struct budget_answer){.tokens = NAN};
    struct billing_input trial = *input;
    struct cost cost;
    billing_cost(input, mode, &cost);
    answer->whole_job = cost.available && cost.total_cny <= budget_cny;
    double low = input->service ? 1.0 / 30 : 1.0 / 60, high = low;
    double total = total_of(&trial, mode, low, &cost);
    /* a mix exists only from its shortest term on */
    if (isnan(total) || total > budget_cny)
        return false;
    for (int i = 0; i < DOUBLINGS && total <= budget_cny; i++) {
        low = high;
        high *= 2;
        total = total_of(&trial, mode, high, &cost);
    }
    for (int i = 0; i < HALVINGS && total > 0; i++) {
        double middle = (low + high) / 2;
        bool affordable = total_of(&trial, mode, middle, &cost) <= budget_cny;
        *(affordable ? &low : &high) = middle;
    }
    total_of(&trial, mode, low, &cost);
    answer->wall_h = cost.wall_h;
    answer->useful_h = input->service ? cost.wall_h : low;
    answer->days = cost.wall_h / 24;
    answer->months = input->service ? low : cost.wall_h / HOURS_PER_MONTH;
    if (tokens_per_s > 0)
        answer->tokens = answer->useful_h * 3600 * tokens_per_s;
    return true;
}
