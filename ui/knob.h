/* knob.h - answers that are turned step by step: in the forms with Left and Right, in the what-if.
 */
#ifndef GPUWIZ_UI_KNOB_H
#define GPUWIZ_UI_KNOB_H

#include "ui/compute.h"

/* Turns one answer of `scenario` a step: choices go round through auto, numbers are doubled and
 * halved from what is in force, a share moves by 0.05; left of its least value a number is auto
 * again. `computed` knows what auto stands for; NULL = nothing does. False, `scenario` unchanged,
 * when there is no step to take. Texts go to `arena`. */
bool knob_turn(const struct compute *compute, const struct computed *computed, struct arena *arena,
               struct scenario *scenario, enum field_id id, int direction);

/* The number that is in force: the answer, or what was chosen for it; NAN = not known. */
double knob_number(const struct computed *computed, const struct scenario *scenario,
                   enum field_id id);

/* "2,048", "auto (2,048)", "nf4"; appended. */
void knob_value(const struct computed *computed, const struct scenario *scenario, enum field_id id,
                struct strbuf *out);

#endif
