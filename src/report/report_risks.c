/* report_risks.c - what may go wrong with an offer, what to check: the rules of engine/advice.h. */
#include "report/report.h"

#include "base/i18n.h"
#include "engine/advice.h"
#include "report/columns.h"

int report_advice(const struct report_input *input, const struct job *job,
                  const struct offer *offer, struct arena *arena, struct advice found[ADVICE_MAX])
{
    enum billing_mode mode = billing_mode_of_choice(input->scenario);
    struct advice_input rules = {.catalog = input->catalog,
                                 .constants = input->constants,
                                 .scenario = input->scenario,
                                 .plan = input->plan,
                                 .job = job,
                                 .offer = offer,
                                 .mode = offer_cost(offer, mode) ? mode : MODE_COUNT,
                                 .today = input->today,
                                 .ascii = input->ascii,
                                 .arena = arena};
    return advice_collect(&rules, found);
}

static void add_items(const struct advice *found, int count, bool notes, struct report *report)
{
    for (int i = 0; i < count; i++)
        if ((found[i].rule->weight == ADVICE_NOTE) == notes)
            report_add(report, BLOCK_ITEM,
                       *found[i].what ? arena_printf(report->arena, tr("%s %s"), found[i].why,
                                                     found[i].what)
                                      : found[i].why);
}

void report_risks(const struct report_input *input, const struct job *job,
                  const struct offer *offer, struct report *report)
{
    struct advice found[ADVICE_MAX];
    int count = report_advice(input, job, offer, report->arena, found), notes = 0;
    for (int i = 0; i < count; i++)
        notes += found[i].rule->weight == ADVICE_NOTE;
    report_add(report, BLOCK_HEADING, tr("Risks"));
    add_items(found, count, false, report);
    if (notes == count)
        report_add(report, BLOCK_ITEM, tr("None that these answers trigger."));
    if (notes == 0)
        return;
    report_add(report, BLOCK_HEADING, tr("To know and to check"));
    add_items(found, count, true, report);
}
