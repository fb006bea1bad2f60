/* worksheet.h - a lesson on paper: what to read, what to predict, what to try, with room for
 * answers; or the trainer's answer sheet of it, with the answers that the engine gives. */
#ifndef GPUWIZ_WORKSHEET_H
#define GPUWIZ_WORKSHEET_H

#include "engine/learn.h"
#include "report/report.h"

/* Builds the blocks in `arena`. False when the lesson cannot be run. */
bool worksheet_build(const struct learn_world *world, const struct lesson *lesson, bool answers,
                     struct arena *arena, struct report *report, struct error *error);

#endif
