/* holds.c - answers that no longer hold: nothing that was answered is ever wiped, so an answer may
 * contradict a later one, or belong to a job that is no longer asked about. */
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "ui/app.h"

/* True when the answer would count were only the workload another one. */
static bool belongs_to_another_workload(const struct scenario *scenario, enum field_id id)
{
    struct scenario other;
    memcpy(&other, scenario, sizeof other);
    for (other.workload = WORKLOAD_PRETRAIN; other.workload <= (int)WORKLOAD_INFERENCE;
         other.workload++)
        if (scenario_has(scenario, FIELD_WORKLOAD) && field_applies(id, &other))
            return true;
    return false;
}

bool app_fault(const struct app *app, enum field_id id, char *text, int size)
{
    if (!scenario_has(&app->scenario, id))
        return false;
    if (app->has_fault && app->fault == id) {
        error_text(&app->fault_error, text, size);
        return true;
    }
    if (field_applies(id, &app->scenario))
        return false;
    if (belongs_to_another_workload(&app->scenario, id))
        snprintf(text, (size_t)size, tr("kept, does not count for %s"),
                 tr(workload_names[app->scenario.workload]));
    else
        snprintf(text, (size_t)size, "%s", tr("kept, does not count with the other answers"));
    return true;
}

bool app_step_holds(const struct app *app, enum field_step step)
{
    char text[400];
    for (int i = 0; i < FIELD_COUNT; i++)
        if (fields[i].step == step && app_fault(app, (enum field_id)i, text, sizeof text))
            return false;
    return true;
}
