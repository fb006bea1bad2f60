/* offer_view.h - parts that show an offer or the lack of one, shared by the screens of the results. */
#ifndef GPUWIZ_UI_OFFER_VIEW_H
#define GPUWIZ_UI_OFFER_VIEW_H

#include "engine/offers.h"
#include "ui/canvas.h"
#include "ui/layout.h"

struct app;

/* "ecs.gn7i-c8g1.2xlarge", "4 x ecs.gn7e-c16g1.32xlarge" */
void offer_name(const struct offer *offer, char *text, size_t size);

/* Ways of paying side by side: a bar, total, CNY an hour, break-even. Returns the rows used. */
int modes_draw(struct canvas *canvas, struct rect area, const struct offer *offer, enum billing_mode marked);

/* What the bill may hold beside machines: disks, snapshots, traffic. Returns the rows used. */
int beside_draw(struct canvas *canvas, struct rect area, const struct billing_input *paid);

/* "117 types > memory 9 > region 4 > budget 0", wrapped. Returns the rows used. */
int funnel_draw(struct canvas *canvas, struct rect area, const struct plan *plan);

/* The changes that help, numbered, with what each saves against `now_cny` (NAN = nothing to compare
 * with); `cursor` -1 = none is marked. Returns the rows used. */
int remedies_draw(struct canvas *canvas, struct rect area, const struct remedy *remedies, int count, int cursor,
                  double now_cny);

/* Takes a change over as one step that can be undone. */
bool remedy_apply(struct app *app, const struct remedy *remedy);

/* The marked offers, in the order of the table; without marks the one under the cursor and the next
 * ones. Returns how many. */
enum { MARKS_MAX = 4 };
int instances_compared(const struct app *app, const struct offer *offers[MARKS_MAX]);

/* The offer under the cursor of the table of instances; NULL when there is none. */
const struct offer *instances_marked(const struct app *app);

/* The type under the cursor of the list of those left out, while that is open; NULL otherwise. */
const struct excluded *excluded_marked(const struct app *app);

/* The rows of that table as shown, borrowed until the next update; returns how many. Puts the cursor on
 * one of them. */
int instances_shown(const struct app *app, const struct offer *const **rows);
void instances_place(struct app *app, const struct offer *offer);

#endif
