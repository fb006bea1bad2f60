/* report_fixture.h - a plan made by hand with round numbers, so that the reason for every figure of
 * a report is known:
 *
 *   job        36M tokens: at 1,000 tokens/s 10 h, at 1,250 8 h, at 800 12.5 h
 *   memory     10 weights + 1 gradients + 2 optimizer + 3 activations + 1 logits + 1 runtime = 18 GiB
 *              of 20 usable = 90 %; copied: 10 weights + 1 runtime = 11; band 16 to 19
 *   offer 1    2 machines of one GPU at CNY 10.00/h list: 2 x 10 x 10 h = CNY 200;
 *              spot at 3.00/h for 11 h (1 h of rework, 10 of 11 useful = 91 %) = CNY 66
 *   offer 2    1 machine with 2 GPUs at CNY 24.00/h, 10 h = CNY 240; no spot
 *   offer 3    1 machine, no public price, 500 tokens/s: 20 h
 */
#ifndef GPUWIZ_REPORT_FIXTURE_H
#define GPUWIZ_REPORT_FIXTURE_H

#include "report/report.h"

struct report_fixture {
    struct arena *arena;
    struct catalog catalog;
    struct scenario scenario;
    struct plan plan;
    struct offer offers[3];
    struct excluded excluded[1];
    struct remedy remedies[1];
    struct report_input input;
};

void fixture_fill(struct report_fixture *fixture);
void fixture_clear(struct report_fixture *fixture);

#endif
