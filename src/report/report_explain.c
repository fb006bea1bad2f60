/* report_explain.c - how the figures of the page come about. */
#include "report/report_parts.h"

#include "base/i18n.h"
#include "engine/explain.h"

static void add_explanation(struct report *report, const struct explanation *explanation)
{
    char figure[EXPLAIN_FIGURE];
    report_addf(report, BLOCK_TEXT, tr("%s: %s"), explanation->title,
                explain_figure(explanation->figure, explanation->unit, figure));
    for (const struct explain_line *line = explanation->first; line; line = line->next) {
        const char *label = explain_part_labels[line->part];
        if (*label)
            report_addf(report, BLOCK_ITEM, tr("%s: %s"), tr(label), line->text);
        else
            report_add(report, BLOCK_ITEM, line->text);
    }
}

void report_explain(const struct report_input *input, const struct job *job,
                    const struct offer *offer, struct report *report)
{
    if (!input->explain)
        return;
    const struct explain_input figures = {.catalog = input->catalog,
                                          .constants = input->constants,
                                          .job = job,
                                          .offer = offer,
                                          .today = input->today};
    bool one = explain_topic_find(input->explain) != NULL;
    report_add(report, BLOCK_HEADING, tr("How the figures come about"));
    for (int i = 0; i < explain_topic_count; i++) {
        if (!explain_means(&explain_topics[i], input->explain))
            continue;
        struct explanation explanation = explain(&figures, &explain_topics[i], report->arena);
        if (one || explain_has_figure(&explanation)) /* what was asked for by name says why it is not there */
            add_explanation(report, &explanation);
    }
}
