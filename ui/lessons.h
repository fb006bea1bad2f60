/* lessons.h - what the list of lessons lends to the lesson that is open above it. */
#ifndef GPUWIZ_UI_LESSONS_H
#define GPUWIZ_UI_LESSONS_H

#include "engine/learn.h"

struct app;

/* The lesson at a place of the list, which must be below the top screen or be it; NULL when there is
 * none. Lives while the list is open. */
const struct lesson *lessons_at(const struct app *app, int index);

/* Where finished lessons are kept; NULL when the list is not open. */
struct learn_progress *lessons_progress(const struct app *app);

#endif
