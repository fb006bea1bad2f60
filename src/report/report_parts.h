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

/* report_others.c; only with input->constants */
void report_others(const struct report_input *input, const struct job *job,
                   const struct offer *offer, struct report *report);

/* report_money.c */
void report_shortlist(struct report *report, const struct report_input *input,
                      enum billing_mode mode);
void report_payments(struct report *report, const struct report_input *input, const struct job *job,
                     const struct offer *offer);
void report_cost_lines(struct report *report, const struct report_input *input,
                       const struct offer *offer, enum billing_mode mode);

/* report_explain.c; nothing without input->explain, which explain_check has passed. */
void report_explain(const struct report_input *input, const struct job *job,
                    const struct offer *offer, struct report *report);
/* report_units.c: per token, sample, GiB and TFLOPS; what the budget buys of each offer of the plan */
void report_units(struct report *report, const struct report_input *input, const struct job *job,
                  const struct offer *offer);
void report_budget(struct report *report, const struct report_input *input, const struct plan *plan);
/* A plan of the same job without its budget, for what a budget buys that no offer keeps; false when
 * there is none to be made. The caller clears it and keeps the scenario until then. */
bool report_beyond_budget(const struct report_input *input, struct scenario *scenario,
                          struct plan *plan);
/* True when a budget in total was given. */
bool report_budget_asked(const struct scenario *scenario);
/* The way of paying by which the budget buys most of the job; MODE_COUNT: it buys nothing. */
enum billing_mode report_budget_mode(const struct report_input *input, const struct job *job,
                                     const struct offer *offer, struct budget_answer *best);

/* report_storage.c */
void report_storage(struct report *report, const struct report_input *input, const struct job *job,
                    const struct offer *offer, enum billing_mode mode);

#endif
