/* screen_pick.c - one question with its choices, each with its consequence beside it. With many
 * choices typing narrows them; a size ("13b") or a path typed for the model is a choice too. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/model.h"
#include "ui/app.h"
#include "ui/choices.h"
#include "ui/widgets.h"

struct pick {
    enum field_id field;
    struct choices all;
    int found[CHOICES_MAX], found_count; /* those that the typed text leaves */
    struct list list;
    struct input query;
    char typed_value[300];               /* the query itself as an answer */
    enum field_id typed_field;
    bool typed;                          /* it is the first row */
    struct reference reference;
    double now_gib;
    bool step;                           /* the step's own screen */
    char about[300];                     /* the model under the cursor, in numbers */
    struct scenario answers;             /* the consequences are for */
};

/* ---- consequences ---- */

/* Questions that change what one GPU must hold. */
static bool changes_memory(enum field_id id)
{
    return fields[id].step <= STEP_METHOD;
}

static void compute_needs(struct app *app, struct pick *pick)
{
    memcpy(&pick->answers, &app->scenario, sizeof pick->answers);
    if (!changes_memory(pick->field))
        return;
    pick->reference = compute_reference(&app->compute, &app->scenario, pick->field);
    pick->now_gib = compute_need_gib(&app->compute, &app->scenario, &pick->reference);
    for (int i = 0; i < pick->all.count; i++) {
        struct scenario with;
        struct error ignored;
        memcpy(&with, &app->scenario, sizeof with);
        if (scenario_set(&with, pick->field, pick->all.items[i].value, app->compute.catalog, app->arena, &ignored))
            pick->all.items[i].need_gib = compute_need_gib(&app->compute, &with, &pick->reference);
    }
}

/* ---- narrowing ---- */

/* A query that is an answer by itself: a size in billions, or a path. */
static void read_typed(struct pick *pick)
{
    double value;
    size_t length = strlen(pick->query.text);
    pick->typed = false;
    if (pick->field != FIELD_MODEL || length == 0)
        return;
    bool path = strchr(pick->query.text, '/') || pick->query.text[0] == '.' || pick->query.text[0] == '~';
    if (path) {
        pick->typed_field = FIELD_MODEL;
        snprintf(pick->typed_value, sizeof pick->typed_value, "%s", pick->query.text);
        pick->typed = true;
    } else if (units_parse(pick->query.text, false, &value) && value > 0) {
        char text[UNITS_TEXT];
        pick->typed_field = FIELD_PARAMS_B;
        snprintf(pick->typed_value, sizeof pick->typed_value, "%s", units_plain(value >= 1e6 ? value / 1e9 : value, text));
        pick->typed = true;
    }
}

static void narrow(struct pick *pick)
{
    read_typed(pick);
    pick->found_count = 0;
    if (pick->typed)
        pick->found[pick->found_count++] = -1;
    for (int i = 0; i < pick->all.count; i++)
        if (!*pick->query.text || text_find(pick->all.items[i].value, pick->query.text) ||
            text_find(pick->all.items[i].group, pick->query.text) || text_find(pick->all.items[i].note, pick->query.text))
            pick->found[pick->found_count++] = i;
    /* a named preset is meant rather than a shape made from a size */
    if (pick->typed && pick->found_count > 1 && pick->typed_field == FIELD_PARAMS_B) {
        memmove(pick->found, pick->found + 1, (size_t)(pick->found_count - 1) * sizeof *pick->found);
        pick->found[pick->found_count - 1] = -1;
    }
    list_keep(&pick->list, pick->found_count, 1);
}

static const char *marked_value(const struct pick *pick, enum field_id *id)
{
    *id = pick->field;
    if (pick->list.cursor >= pick->found_count)
        return NULL;
    int at = pick->found[pick->list.cursor];
    if (at >= 0)
        return pick->all.items[at].value;
    *id = pick->typed_field;
    return pick->typed_value;
}

static void place_cursor(struct app *app, struct pick *pick)
{
    struct strbuf now = {0};
    scenario_format(&app->scenario, pick->field, &now);
    const char *wanted = strbuf_text(&now);
    if (pick->field == FIELD_WORKLOAD && !scenario_has(&app->scenario, FIELD_WORKLOAD))
        wanted = workload_names[WORKLOAD_LORA];
    struct scenario sketch;
    memcpy(&sketch, &app->scenario, sizeof sketch);
    if (pick->field == FIELD_MODEL && compute_sketch(&app->compute, &sketch) && sketch.model)
        wanted = sketch.model;
    for (int i = 0; i < pick->found_count; i++)
        if (pick->found[i] >= 0 && strcmp(pick->all.items[pick->found[i]].value, wanted) == 0)
            pick->list.cursor = i;
    strbuf_clear(&now);
}

static void pick_open(struct app *app, void *state, int argument)
{
    struct pick *pick = state;
    pick->field = (enum field_id)argument;
    pick->step = app->depth == 1;
    pick->now_gib = NAN;
    choices_of(pick->field, app->compute.catalog, &pick->all);
    const struct field *field = &fields[pick->field];
    if (field->kind == FIELD_KIND_FLAGS && scenario_has(&app->scenario, pick->field)) {
        unsigned bits = *(const unsigned *)((const char *)&app->scenario + field->offset);
        for (int i = 1; i < pick->all.count; i++)
            pick->all.items[i].marked = (bits & field->choice_bits[i - 1]) == field->choice_bits[i - 1];
    }
    narrow(pick);
    place_cursor(app, pick);
    compute_needs(app, pick);
}

static int list_rows(struct rect area)
{
    int rows = area.rows - (area.rows > 12 ? 5 : 2);
    return rows > 1 ? rows : 1;
}

/* "7,615,616,512 parameters, all active; 28 layers of 3,584, 28 heads, 4 KV heads, ..." */
static void describe_model(const struct model *model, char *text, size_t size)
{
    struct param_counts counts = model_count(model);
    char total[UNITS_TEXT], active[UNITS_TEXT], hidden[UNITS_TEXT], vocabulary[UNITS_TEXT], experts[80] = "";
    if (model->moe.experts)
        snprintf(experts, sizeof experts, tr(", %s active; %d experts, %d at a time"), units_count((double)counts.active, active),
                 model->moe.experts, model->moe.top_k);
    snprintf(text, size, tr("%s parameters%s; %d layers of %s, %d heads, %d KV heads (%s), vocabulary %s%s"),
             units_thousands((double)counts.total, total), experts, model->layers, units_thousands(model->hidden_size, hidden),
             model->heads, model->kv_heads, attention_word(model), units_thousands(model->vocab_size, vocabulary),
             model->tied_embeddings ? tr(", tied") : "");
}

/* After another language was chosen, or an answer was changed or taken back. */
static void refresh(struct app *app, struct pick *pick)
{
    bool spoken = pick->all.language == i18n_language();
    if (spoken && answers_equal(&pick->answers, &app->scenario))
        return;
    if (!spoken) {
        bool marked[CHOICES_MAX];
        for (int i = 0; i < pick->all.count; i++)
            marked[i] = pick->all.items[i].marked;
        choices_of(pick->field, app->compute.catalog, &pick->all);
        for (int i = 0; i < pick->all.count; i++)
            pick->all.items[i].marked = marked[i];
        narrow(pick);
    }
    compute_needs(app, pick);
}

static void pick_update(struct app *app, void *state)
{
    struct pick *pick = state;
    refresh(app, pick);
    list_keep(&pick->list, pick->found_count, list_rows(app_area(app)));
    enum field_id id;
    const char *value = marked_value(pick, &id);
    const struct model *model = pick->field == FIELD_MODEL && value ? catalog_model(app->compute.catalog, value) : NULL;
    pick->about[0] = '\0';
    if (model)
        describe_model(model, pick->about, sizeof pick->about);
}

/* ---- taking one ---- */

/* The marked flags as one text, or the choice under the cursor. */
static void value_to_take(const struct pick *pick, enum field_id *id, struct strbuf *out)
{
    for (int i = 0; i < pick->all.count; i++)
        if (pick->all.items[i].marked)
            strbuf_printf(out, "%s%s", out->length ? "," : "", pick->all.items[i].value);
    const char *value = marked_value(pick, id);
    if (!out->length && value)
        strbuf_add(out, value);
}

static void take(struct app *app, struct pick *pick)
{
    struct strbuf value = {0};
    enum field_id id;
    bool step = pick->step;
    value_to_take(pick, &id, &value);
    bool done = value.length && app_set(app, id, value.data);
    strbuf_clear(&value);
    if (done && step)
        app_next(app);
    else if (done)
        app_close(app);
}

static bool pick_act(struct app *app, void *state, int action, const struct event *event)
{
    struct pick *pick = state;
    (void)event;
    if (list_act(&pick->list, action, pick->found_count, list_rows(app_area(app))))
        return true;
    switch (action) {
    case ACTION_ENTER: take(app, pick); return true;
    case ACTION_HELP: app_open(app, SCREEN_HELP, help_about(app, fields[pick->field].key)); return true;
    case ACTION_TOGGLE:
        if (fields[pick->field].kind == FIELD_KIND_FLAGS && pick->list.cursor > 0)
            pick->all.items[pick->found[pick->list.cursor]].marked ^= true;
        return true;
    case ACTION_BACK:
        if (!*pick->query.text)
            return false;
        input_set(&pick->query, "");
        narrow(pick);
        place_cursor(app, pick);
        return true;
    default: return false;
    }
}

static void pick_type(struct app *app, void *state, const struct event *event)
{
    struct pick *pick = state;
    char before[sizeof pick->query.text];
    memcpy(before, pick->query.text, sizeof before);
    input_event(&pick->query, event);
    if (strcmp(before, pick->query.text) != 0) {
        pick->list = (struct list){0};
        narrow(pick);
        if (!*pick->query.text)
            place_cursor(app, pick);
    }
}

static bool pick_preview(const struct app *app, const void *state, struct scenario *scenario)
{
    const struct pick *pick = state;
    enum field_id id;
    struct error ignored;
    const char *value = marked_value(pick, &id);
    /* a file is read when it is taken, not at each key */
    if (!value || (id == FIELD_MODEL && pick->typed && value == pick->typed_value))
        return false;
    return scenario_set(scenario, id, value, app->compute.catalog, app->arena, &ignored);
}

/* ---- drawing ---- */

enum { NEED = 8, DELTA = 7 };

static void draw_need(const struct pick *pick, const struct choice *choice, struct canvas *canvas, int row, int right)
{
    char number[UNITS_TEXT], delta[32];
    if (isnan(choice->need_gib)) {
        if (changes_memory(pick->field) && pick->reference.ok)
            canvas_field(canvas, row, right - NEED - DELTA, NEED, TEXT_RIGHT, ROLE_DIM, "-");
        return;
    }
    canvas_field(canvas, row, right - NEED - DELTA, NEED, TEXT_RIGHT, ROLE_TEXT, units_gib(choice->need_gib, number));
    double change = choice->need_gib / pick->now_gib - 1;
    if (isnan(change) || fabs(change) < 0.005)
        return;
    snprintf(delta, sizeof delta, change > 9.99 ? "x%.0f" : "%+.0f%%", change > 9.99 ? change + 1 : change * 100);
    canvas_field(canvas, row, right - DELTA + 1, DELTA - 1, TEXT_RIGHT, change < 0 ? ROLE_GOOD : ROLE_WARN, delta);
}

static void draw_choice(const struct app *app, const struct pick *pick, int index, struct canvas *canvas,
                        struct rect area, int row, int name_cells)
{
    int at = pick->found[index];
    bool cursor = index == pick->list.cursor;
    int right = area.col + area.cols, notes = right - (changes_memory(pick->field) ? NEED + DELTA + 1 : 0);
    struct strbuf now = {0};
    scenario_format(&app->scenario, pick->field, &now);
    canvas_text(canvas, row, area.col, 1, ROLE_ACCENT, cursor ? "▸" : " ");
    if (at < 0) {
        const char *what = pick->typed_field == FIELD_PARAMS_B ? tr("billion parameters: a plausible dense shape")
                                                               : tr("read this file");
        int used = canvas_text(canvas, row, area.col + 2, area.cols - 2, ROLE_ACCENT, pick->typed_value);
        canvas_text(canvas, row, area.col + 3 + used, area.cols - 3 - used, ROLE_DIM, what);
    } else {
        const struct choice *choice = &pick->all.items[at];
        bool taken = choice->marked || (scenario_has(&app->scenario, pick->field) && strcmp(strbuf_text(&now), choice->value) == 0);
        canvas_text(canvas, row, area.col + 2, name_cells, taken ? ROLE_ACCENT : ROLE_TEXT, choice->value);
        if (taken)
            canvas_text(canvas, row, area.col + 2 + name_cells + 1, 1, ROLE_ACCENT, "✓");
        int col = area.col + name_cells + 5;
        if (notes - col > 8)
            canvas_text(canvas, row, col, notes - col, ROLE_DIM, choice->note);
        draw_need(pick, choice, canvas, row, right);
    }
    if (cursor) {
        canvas_select(canvas, row, area.col, area.cols);
        canvas_cursor(canvas, row, area.col, false);
    }
    strbuf_clear(&now);
}

static int name_column(const struct pick *pick, int cells)
{
    int widest = 6;
    for (int i = 0; i < pick->found_count; i++)
        if (pick->found[i] >= 0) {
            int width = text_width(pick->all.items[pick->found[i]].value);
            widest = width > widest ? width : widest;
        }
    int most = cells * 45 / 100;
    return widest < most ? widest : most;
}

static void draw_title(const struct pick *pick, struct canvas *canvas, struct rect area, bool search)
{
    const struct field *field = &fields[pick->field];
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr(field->label));
    if (search) {
        int col = area.col + used + 2, cells = area.cols - used - 2 - NEED - DELTA - 10;
        int label = text_width(tr("type to narrow:")) + 1;
        if (cells - label < 16)
            label = 0;
        else
            canvas_text(canvas, area.row, col, cells, ROLE_DIM, tr("type to narrow:"));
        if (cells - label > 4)
            input_draw(&pick->query, canvas, area.row, col + label, cells - label);
    }
    if (changes_memory(pick->field) && pick->reference.ok) {
        canvas_field(canvas, area.row, area.col + area.cols - DELTA - NEED - 14, NEED + 14, TEXT_RIGHT, ROLE_DIM,
                     pick->reference.hardware.gpus == 1 ? tr("GiB on one GPU") : tr("GiB per GPU"));
    }
}

static void draw_pick(const struct app *app, const struct pick *pick, struct canvas *canvas, struct rect area, bool search)
{
    int rows = list_rows(area), names = name_column(pick, area.cols);
    draw_title(pick, canvas, area, search);
    for (int i = 0; i < rows && pick->list.top + i < pick->found_count; i++)
        draw_choice(app, pick, pick->list.top + i, canvas, area, area.row + 1 + i, names);
    if (pick->found_count == 0)
        canvas_text(canvas, area.row + 1, area.col + 2, area.cols - 2, ROLE_WARN, tr("nothing by this name; Esc clears it"));
    list_position(canvas, area.row + 1 + rows, area.col + area.cols, &pick->list, pick->found_count, rows);
    const char *help = *pick->about ? pick->about : tr(fields[pick->field].help);
    if (area.rows > 12 || pick->found_count + 1 < rows)
        canvas_wrapped(canvas, rect_below(area, pick->found_count < rows ? pick->found_count + 2 : rows + 2), 0, ROLE_DIM, help);
    else
        canvas_text(canvas, area.row + rows + 1, area.col, area.cols - (pick->found_count > rows ? 17 : 0), ROLE_DIM, help);
    if (search && !canvas->cursor_shown)
        canvas_cursor(canvas, area.row, area.col, false);
}

static void pick_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    draw_pick(app, state, canvas, area, false);
}

static void search_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    draw_pick(app, state, canvas, area, true);
}

static void pick_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct pick *pick = state;
    int index = pick->list.top + row - area.row - 1;
    (void)col;
    if (row == area.row || index >= pick->found_count || row - area.row > list_rows(area))
        return;
    if (index == pick->list.cursor)
        take(app, pick);
    else
        pick->list.cursor = index;
}

#define PICK_SCREEN \
    .state_size = sizeof(struct pick), .live = true, .open = pick_open, .update = pick_update, .act = pick_act, \
    .click = pick_click, .preview = pick_preview

const struct screen pick_screen = {.name = N_("Choice"), PICK_SCREEN, .draw = pick_draw};
const struct screen search_screen = {.name = N_("Search"), PICK_SCREEN, .draw = search_draw, .type = pick_type};
