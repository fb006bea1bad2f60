/* report_parts.h - the sections of a page; report.c puts them in order. */
#ifndef GPUWIZ_REPORT_PARTS_H
#define GPUWIZ_REPORT_PARTS_H

#include "report/report.h"

/* A figure or an amount as a text that lives as long as the report. */
#define FIGURE(write, value) report_figure(report, units_##write, value)
#define MONEY(offer, amount) report_money(input, report, offer, amount)

/* report_run.c */
void report_memory(struct report *report, const struct offer *offer);
/* Only with input->constants. */
void report_lengths(const struct report_input *input, const struct job *job,
                    const struct offer *offer, struct report *report);
void report_speed(struct report *report, const struct offer *offer, const struct job *job);

/* report_money.c */
void report_shortlist(struct report *report, const struct report_input *input,
                      enum billing_mode mode);
void report_payments(struct report *report, const struct report_input *input,
                     const struct offer *offer);
void report_cost_lines(struct report *report, const struct report_input *input,
                       const struct offer *offer, enum billing_mode mode);

/* report_explain.c; nothing without input->explain, which explain_check has passed. */
void report_explain(const struct report_input *input, const struct job *job,
                    const struct offer *offer, struct report *report);

#endif
