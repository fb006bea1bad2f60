/* frame.c - what stands on every screen: step bar, answers so far, message line, footer. */
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"

const char *const step_labels[STEP_COUNT] = {N_("Workload"), N_("Model"), N_("Method"), N_("Work"),
                                             N_("Budget"), N_("Instances"), N_("Summary")};

/* Cells of one entry of the step bar, "1 Workload": shorter than its label where all do not fit. */
struct step_bar {
    int cols[STEP_COUNT], cells[STEP_COUNT];
};

static struct step_bar step_bar_layout(const struct app *app, int cells)
{
    struct step_bar bar;
    int total = 0, spare;
    for (int i = 0; i < STEP_COUNT; i++) {
        bar.cells[i] = 2 + text_width(tr(step_labels[i]));
        total += bar.cells[i];
    }
    spare = cells - total - 2 * (STEP_COUNT - 1);
    for (int i = STEP_COUNT - 1; i >= 0 && spare < 0; i--)
        if (i != (int)app->step) {
            spare += bar.cells[i] - 1;
            bar.cells[i] = 1;
        }
    int gap = spare >= STEP_COUNT - 1 ? 3 : spare >= 0 ? 2 : 1;
    int col = 0;
    for (int i = 0; i < STEP_COUNT; i++) {
        bar.cols[i] = col;
        col += bar.cells[i] + gap;
    }
    return bar;
}

int frame_step_at(const struct app *app, int col, int cells)
{
    struct step_bar bar = step_bar_layout(app, cells);
    for (int i = 0; i < STEP_COUNT; i++)
        if (col >= bar.cols[i] && col < bar.cols[i] + bar.cells[i])
            return i;
    return -1;
}

static void draw_steps(const struct app *app, struct canvas *canvas, struct rect area)
{
    struct step_bar bar = step_bar_layout(app, area.cols);
    for (int i = 0; i < STEP_COUNT; i++) {
        bool current = i == (int)app->step;
        bool holds = app_step_holds(app, (enum field_step)i);
        enum role role = current ? ROLE_SELECTED : !holds ? ROLE_WARN : app->visited[i] ? ROLE_ACCENT : ROLE_DIM;
        char text[64];
        snprintf(text, sizeof text, "%d%c%s", i + 1, holds ? ' ' : '!', tr(step_labels[i]));
        int cells = bar.cells[i] < area.cols - bar.cols[i] ? bar.cells[i] : area.cols - bar.cols[i];
        if (cells == 1)
            canvas_printf(canvas, area.row, area.col + bar.cols[i], 1, role, "%d", i + 1);
        else
            canvas_text(canvas, area.row, area.col + bar.cols[i], cells, role, text);
        if (current)
            canvas_select(canvas, area.row, area.col + bar.cols[i] - 1, cells + 2);
    }
    int last = bar.cols[STEP_COUNT - 1] + bar.cells[STEP_COUNT - 1];
    if (area.cols - last > 10)
        canvas_field(canvas, area.row, area.col + area.cols - 8, 8, TEXT_RIGHT, ROLE_DIM, "gpuwiz");
}

static void add_part(struct strbuf *out, const char *text)
{
    if (*text)
        strbuf_printf(out, "%s%s", out->length ? " \xc2\xb7 " : "", text);
}

void app_answers(const struct scenario *scenario, struct strbuf *out)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        struct strbuf value = {0};
        char part[160], number[UNITS_TEXT];
        if (!scenario_has(scenario, (enum field_id)i) || !field_applies((enum field_id)i, scenario))
            continue;
        bool numeric = fields[i].kind == FIELD_KIND_INT || fields[i].kind == FIELD_KIND_NUMBER;
        scenario_format(scenario, (enum field_id)i, &value);
        if (numeric)
            snprintf(part, sizeof part, "%s %s", tr(fields[i].label),
                     units_count(*(const double *)((const char *)scenario + fields[i].offset), number));
        else if (fields[i].kind == FIELD_KIND_BOOL)
            snprintf(part, sizeof part, tr("%s: %s"), tr(fields[i].label), tr(strbuf_text(&value)));
        else
            snprintf(part, sizeof part, "%s", strbuf_text(&value));
        add_part(out, part);
        strbuf_clear(&value);
    }
}

static void draw_answers(const struct app *app, struct canvas *canvas, struct rect area)
{
    struct strbuf text = {0};
    app_answers(&app->scenario, &text);
    if (text.length)
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_DIM, strbuf_text(&text));
    else
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_DIM,
                    tr("Which GPUs does your job need, and what do they cost? Enter takes the mark."));
    strbuf_clear(&text);
}

static void draw_message(const struct app *app, struct canvas *canvas, struct rect area)
{
    char text[700];
    if (app->message[0]) {
        canvas_text(canvas, area.row, area.col, area.cols, app->message_bad ? ROLE_BAD : ROLE_ACCENT, app->message);
    } else if (app->has_fault) {
        canvas_printf(canvas, area.row, area.col, area.cols, ROLE_BAD, tr("! %s: %s"),
                      tr(fields[app->fault].label), error_text(&app->fault_error, text, sizeof text));
    } else if (app->has_last_session && app->step == STEP_WORKLOAD) {
        struct strbuf answers = {0};
        char key[16];
        app_answers(&app->last_session, &answers);
        canvas_printf(canvas, area.row, area.col, area.cols, ROLE_ACCENT, tr("%s  %s: %s"), event_key_name('o', key),
                      tr("continue the last session"), strbuf_text(&answers));
        strbuf_clear(&answers);
    }
}

static void draw_footer(const struct app *app, struct canvas *canvas, struct rect area)
{
    struct footer_item items[FOOTER_MAX];
    const struct view *view = &app->views[app->depth - 1];
    const struct screen *screen = screens[view->screen];
    int count = footer_layout(view->screen, area.cols, items);
    for (int i = 0; i < count; i++) {
        char name[16];
        const char *label = items[i].row->action == ACTION_ENTER && screen->enter ? screen->enter(view->state) : NULL;
        int col = area.col + items[i].col;
        int used = canvas_text(canvas, area.row, col, items[i].cells, ROLE_KEY, keymap_footer_key(items[i].row, name));
        canvas_text(canvas, area.row, col + used + 1, items[i].cells - used - 1, ROLE_DIM,
                    tr(label ? label : items[i].row->label));
    }
}

void frame_draw(const struct app *app, const struct frame *frame, struct canvas *canvas)
{
    draw_steps(app, canvas, frame->steps);
    draw_answers(app, canvas, frame->answers);
    canvas_rule(canvas, frame->top_rule);
    draw_message(app, canvas, frame->message);
    draw_footer(app, canvas, frame->footer);
}
