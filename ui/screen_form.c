/* screen_form.c - the questions of a step, and the screen on which one is answered by typing. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/knob.h"
#include "ui/widgets.h"

/* Line 0 leads on to the next step, so that Enter alone walks through the wizard; the questions
 * follow it. */
struct form {
    enum field_id rows[FIELD_COUNT];
    int count;
    struct list list;
};

static bool has_choices(enum field_id id)
{
    enum field_kind kind = fields[id].kind;
    return kind == FIELD_KIND_CHOICE || kind == FIELD_KIND_BOOL || kind == FIELD_KIND_FLAGS || kind == FIELD_KIND_ID;
}

static bool is_number(enum field_id id)
{
    return fields[id].kind == FIELD_KIND_INT || fields[id].kind == FIELD_KIND_NUMBER;
}

/* One answer being typed. */
struct edit {
    enum field_id field;
    struct input input;
    bool refused;
    struct error error;
    struct scenario with; /* the answers with this one, when it is valid */
};
static void edit_type(struct app *app, void *state, const struct event *event);

/* ---- the list of questions ---- */

/* A question is shown when it applies and matters most, or all are wanted, or it was answered: an
 * answer that no longer counts stays in sight. Those that matter most come first, so that `a` adds
 * below and moves nothing. */
static void collect(const struct app *app, struct form *form)
{
    form->count = 0;
    for (int simple = 1; simple >= 0; simple--)
        for (int i = 0; i < FIELD_COUNT; i++) {
            enum field_id id = (enum field_id)i;
            bool wanted = fields[i].simple || app->all_rows || scenario_has(&app->scenario, id);
            if (fields[i].simple == (bool)simple && fields[i].step == app->step && wanted &&
                (field_applies(id, &app->scenario) || scenario_has(&app->scenario, id)))
                form->rows[form->count++] = id;
        }
}

/* The question under the cursor; FIELD_COUNT on the line that leads on. */
static enum field_id under_cursor(const struct form *form)
{
    int at = form->list.cursor - 1;
    return at >= 0 && at < form->count ? form->rows[at] : FIELD_COUNT;
}

enum { HELP_ROWS = 3, ROOMY_ROWS = 12, POSITION_CELLS = 20 };

static int form_rows(struct rect area)
{
    int rows = area.rows - HELP_ROWS - (area.rows > ROOMY_ROWS);
    return rows > 2 ? rows : area.rows > 3 ? area.rows - 2 : 1;
}

static void form_open(struct app *app, void *state, int argument)
{
    struct form *form = state;
    (void)argument;
    collect(app, form);
    form->list.cursor = app->form_cursor[app->step];
}

static void form_close(struct app *app, void *state)
{
    app->form_cursor[app->step] = ((struct form *)state)->list.cursor;
}

static void form_update(struct app *app, void *state)
{
    struct form *form = state;
    enum field_id at = under_cursor(form);
    collect(app, form);
    for (int i = 0; i < form->count; i++)
        if (form->rows[i] == at)
            form->list.cursor = i + 1;
    list_keep(&form->list, form->count + 1, form_rows(app_area(app)));
}

static void open_question(struct app *app, enum field_id id)
{
    if (!has_choices(id))
        app_open(app, SCREEN_EDIT, (int)id);
    else
        app_open(app, id == FIELD_INSTANCE || id == FIELD_GPU || id == FIELD_MODEL || id == FIELD_WEIGHTS ? SCREEN_SEARCH : SCREEN_PICK,
                 (int)id);
}

/* Takes the next value at once; a question that has none to step to is opened. */
static void turn(struct app *app, enum field_id id, int direction)
{
    struct scenario changed;
    memcpy(&changed, &app->scenario, sizeof changed);
    if (knob_turn(&app->compute, app->computed, app->arena, &changed, id, direction))
        app_commit(app, &changed);
    else
        open_question(app, id);
}

/* A digit on a question that takes a number begins the number, and pasted text is the whole answer:
 * who types "20000" there must not be sent to step 2. */
static bool begin_typing(struct app *app, const struct form *form, const struct event *event)
{
    enum field_id id = under_cursor(form);
    int key = event_folded(event->key);
    bool digit = event->kind == EVENT_KEY && ((key >= '0' && key <= '9') || key == '.');
    if (id == FIELD_COUNT || has_choices(id) || !(event->kind == EVENT_PASTE || (digit && is_number(id))))
        return false;
    app_open(app, SCREEN_EDIT, (int)id);
    struct edit *edit = app->views[app->depth - 1].state;
    input_set(&edit->input, "");
    edit_type(app, edit, event);
    return true;
}

static void form_type(struct app *app, void *state, const struct event *event)
{
    begin_typing(app, state, event);
}

static bool form_act(struct app *app, void *state, int action, const struct event *event)
{
    struct form *form = state;
    enum field_id id = under_cursor(form);
    int rows = form_rows(app_area(app));
    if (action == ACTION_STEP && begin_typing(app, form, event))
        return true;
    if (action == ACTION_DOWN && form->list.cursor == form->count)
        action = ACTION_FIRST; /* below the last question stands the line that leads on */
    else if (action == ACTION_UP && form->list.cursor == 0)
        action = ACTION_LAST;
    if (list_act(&form->list, action, form->count + 1, rows))
        return true;
    switch (action) {
    case ACTION_ENTER:
        if (id == FIELD_COUNT)
            app_next(app);
        else
            open_question(app, id);
        return true;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        if (id != FIELD_COUNT)
            turn(app, id, action == ACTION_LEFT ? -1 : 1);
        return true;
    case ACTION_AUTO:
        if (id != FIELD_COUNT)
            app_set(app, id, "auto");
        return true;
    case ACTION_ALL_ROWS: app->all_rows = !app->all_rows; return true;
    case ACTION_EXPLAIN: app_open(app, SCREEN_EXPLAIN, explain_topic_of_field(id)); return true;
    case ACTION_HELP: app_open(app, SCREEN_HELP, id == FIELD_COUNT ? 0 : help_about(app, fields[id].key)); return true;
    case ACTION_REMEDIES: app_open(app, SCREEN_REMEDIES, 0); return true;
    default: return false;
    }
}

enum { LABEL = 23 };

static void draw_question(const struct app *app, const struct form *form, int index, struct canvas *canvas,
                          struct rect area, int row)
{
    enum field_id id = form->rows[index - 1];
    const struct field *field = &fields[id];
    bool given = scenario_has(&app->scenario, id), cursor = index == form->list.cursor;
    char why[400];
    bool fault = app_fault(app, id, why, sizeof why);
    struct strbuf value = {0};
    canvas_text(canvas, row, area.col, 1, fault ? ROLE_WARN : ROLE_ACCENT, fault ? "!" : cursor ? "▸" : " ");
    canvas_text(canvas, row, area.col + 2, LABEL - 1, fault ? ROLE_WARN : ROLE_TEXT, tr(field->label));
    int col = area.col + 2 + LABEL, cells = area.col + area.cols - col;
    if (given || id != FIELD_BILLING)
        knob_value(app->computed, &app->scenario, id, &value);
    else
        strbuf_add(&value, tr("auto"));
    int used = canvas_text(canvas, row, col, cells, given ? ROLE_ACCENT : ROLE_DIM, strbuf_text(&value));
    bool has_number = is_number(id) && !isnan(knob_number(app->computed, &app->scenario, id));
    if (fault)
        canvas_text(canvas, row, col + used + 2, cells - used - 2, ROLE_WARN, why);
    else if (*field->unit && has_number && cells - used > 3)
        canvas_text(canvas, row, col + used + 1, cells - used - 1, ROLE_DIM, tr(field->unit));
    if (cursor) {
        canvas_select(canvas, row, area.col, area.cols);
        canvas_cursor(canvas, row, area.col, false);
    }
    strbuf_clear(&value);
}

static void draw_continue(const struct app *app, const struct form *form, struct canvas *canvas, struct rect area, int row)
{
    bool cursor = form->list.cursor == 0;
    int next = app->step < STEP_SUMMARY ? (int)app->step + 1 : (int)app->step;
    canvas_text(canvas, row, area.col, 1, ROLE_ACCENT, cursor ? "▸" : " ");
    int used = canvas_text(canvas, row, area.col + 2, area.cols - 2, ROLE_TITLE, tr("Go on with these answers"));
    canvas_printf(canvas, row, area.col + 4 + used, area.cols - 4 - used, ROLE_DIM, "%s %d %s", canvas->ascii ? "->" : "→",
                  next + 1, tr(step_labels[next]));
    if (cursor) {
        canvas_select(canvas, row, area.col, area.cols);
        canvas_cursor(canvas, row, area.col, false);
    }
}

static void form_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct form *form = state;
    int rows = form_rows(area);
    for (int i = 0; i < rows && form->list.top + i <= form->count; i++) {
        int index = form->list.top + i;
        if (index == 0)
            draw_continue(app, form, canvas, area, area.row + i);
        else
            draw_question(app, form, index, canvas, area, area.row + i);
    }
    int shown = form->count + 1 < rows ? form->count + 1 : rows;
    list_position(canvas, area.row + rows, area.col + area.cols, &form->list, form->count + 1, rows);
    enum field_id id = under_cursor(form);
    bool roomy = area.rows > ROOMY_ROWS, scrolled = form->count + 1 > rows;
    struct rect help = rect_below(area, roomy ? shown + 1 : rows);
    char why[400];
    help.cols -= scrolled && !roomy ? POSITION_CELLS : 0; /* its place is the end of the first line */
    if (id != FIELD_COUNT && app_fault(app, id, why, sizeof why))
        help = rect_below(help, canvas_wrapped(canvas, help, 0, ROLE_WARN, why));
    canvas_wrapped(canvas, help, 0, ROLE_DIM,
                   id != FIELD_COUNT ? tr(fields[id].help)
                                     : tr("Answers are chosen for you until you give your own: go down to one, then Enter, or Left and Right."));
}

static const char *form_enter(const void *state)
{
    return under_cursor(state) == FIELD_COUNT ? NULL : N_("edit");
}

static void form_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct form *form = state;
    int index = form->list.top + row - area.row;
    (void)col;
    if (row - area.row >= form_rows(area) || index > form->count)
        return;
    if (index != form->list.cursor) {
        form->list.cursor = index;
        return;
    }
    form_act(app, form, ACTION_ENTER, NULL);
}

const struct screen form_screen = {
    .name = N_("Questions"), .state_size = sizeof(struct form), .live = true, .open = form_open, .close = form_close,
    .update = form_update, .draw = form_draw, .act = form_act, .enter = form_enter, .type = form_type, .click = form_click,
};

/* ---- one answer typed ---- */

static void read_edit(struct app *app, struct edit *edit)
{
    memcpy(&edit->with, &app->scenario, sizeof edit->with);
    edit->error = (struct error){0};
    const char *text = *edit->input.text ? edit->input.text : "auto";
    edit->refused = !scenario_set(&edit->with, edit->field, text, app->compute.catalog, app->arena, &edit->error);
}

static void edit_open(struct app *app, void *state, int argument)
{
    struct edit *edit = state;
    struct strbuf now = {0};
    edit->field = (enum field_id)argument;
    if (scenario_has(&app->scenario, edit->field))
        scenario_format(&app->scenario, edit->field, &now);
    input_set(&edit->input, strbuf_text(&now));
    strbuf_clear(&now);
    read_edit(app, edit);
}

static void edit_type(struct app *app, void *state, const struct event *event)
{
    struct edit *edit = state;
    struct event plain = *event;
    if (is_number(edit->field))
        plain.key = event_folded(event->key); /* full-width digits are digits */
    if (input_event(&edit->input, &plain))
        read_edit(app, edit);
}

static bool edit_act(struct app *app, void *state, int action, const struct event *event)
{
    struct edit *edit = state;
    struct scenario taken;
    (void)event;
    if (action != ACTION_ENTER)
        return false;
    if (edit->refused)
        return true; /* the reason stands under the line */
    memcpy(&taken, &edit->with, sizeof taken);
    app_close(app);
    app_commit(app, &taken);
    return true;
}

static bool edit_preview(const struct app *app, const void *state, struct scenario *scenario)
{
    const struct edit *edit = state;
    (void)app;
    if (edit->refused)
        return false;
    memcpy(scenario, &edit->with, sizeof *scenario);
    return true;
}

static void edit_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct edit *edit = state;
    const struct field *field = &fields[edit->field];
    int label = text_width(tr(field->label)) + 2, room = area.cols - label - 1;
    (void)app;
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_TITLE, tr(field->label));
    int unit = field->kind == FIELD_KIND_MAP ? 0 : text_width(tr(field->unit)) + 1;
    int cells = field->kind == FIELD_KIND_MAP ? room : room - unit < 20 ? room - unit : 20;
    input_draw(&edit->input, canvas, area.row + 1, area.col + label, cells);
    if (unit > 1)
        canvas_text(canvas, area.row + 1, area.col + label + cells + 1, unit, ROLE_DIM, tr(field->unit));
    struct rect below = {area.row + 2, area.col + label, 2, area.cols - label};
    char text[700], low[UNITS_TEXT], high[UNITS_TEXT];
    if (edit->refused) {
        canvas_wrapped(canvas, below, 0, ROLE_BAD, error_text(&edit->error, text, sizeof text));
    } else if (is_number(edit->field)) {
        double value = *(const double *)((const char *)&edit->with + field->offset);
        if (*edit->input.text)
            snprintf(text, sizeof text, "= %s", value == floor(value) ? units_thousands(value, low) : units_plain(value, low));
        else
            snprintf(text, sizeof text, tr("empty = auto; from %s to %s"), units_plain(field->minimum, low),
                     units_plain(field->maximum, high));
        canvas_text(canvas, below.row, below.col, below.cols, ROLE_DIM, text);
    }
    canvas_wrapped(canvas, rect_below(area, 5), 0, ROLE_DIM, tr(field->help));
}

const struct screen edit_screen = {
    .name = N_("Answer"), .state_size = sizeof(struct edit), .live = true, .open = edit_open, .draw = edit_draw,
    .act = edit_act, .type = edit_type, .preview = edit_preview,
};
