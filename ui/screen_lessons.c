/* screen_lessons.c - the course: its lessons in their order, and how they were solved. */
#include "ui/screens.h"

#include <stdio.h>
#include "base/i18n.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/lessons.h"
#include "ui/widgets.h"

struct lessons {
    struct arena *arena;
    struct lesson *all;
    size_t count;
    struct learn_progress progress;
    struct list list;
    char error[500];
};

static int list_rows(struct rect area)
{
    return area.rows > 3 ? area.rows - 3 : 1;
}

static void lessons_open(struct app *app, void *state, int argument)
{
    struct lessons *lessons = state;
    struct error error = {0};
    lessons->arena = arena_new();
    if (!lesson_load_all(app->data_folder, lessons->arena, &lessons->all, &lessons->count,
                         &error) ||
        !learn_progress_load(lessons->arena, &lessons->progress, &error)) {
        lessons->count = 0;
        error_text(&error, lessons->error, sizeof lessons->error);
    }
    lessons->list.cursor = argument;
}

static void lessons_close(struct app *app, void *state)
{
    (void)app;
    arena_free(((struct lessons *)state)->arena);
}

static void lessons_update(struct app *app, void *state)
{
    struct lessons *lessons = state;
    list_keep(&lessons->list, (int)lessons->count, list_rows(app_area(app)));
}

static bool lessons_act(struct app *app, void *state, int action, const struct event *event)
{
    struct lessons *lessons = state;
    (void)event;
    if (list_act(&lessons->list, action, (int)lessons->count, list_rows(app_area(app))))
        return true;
    if (action != ACTION_ENTER)
        return false;
    if (lessons->count)
        app_open(app, SCREEN_LESSON, lessons->list.cursor);
    return true;
}

static void lessons_click(struct app *app, void *state, struct rect area, int row, int col)
{
    struct lessons *lessons = state;
    int index = lessons->list.top + row - area.row - 2;
    (void)col;
    if (row >= area.row + 2 && index >= 0 && index < (int)lessons->count &&
        index < lessons->list.top + list_rows(area)) {
        lessons->list.cursor = index;
        app_open(app, SCREEN_LESSON, index);
    }
}

enum { MINUTES_CELLS = 8, SCORE_CELLS = 22 };

static void draw_lesson_row(const struct lessons *lessons, int index, struct canvas *canvas,
                            struct rect area, int row)
{
    const struct lesson *lesson = &lessons->all[index];
    const struct learn_record *record = learn_progress_find(&lessons->progress, lesson->name);
    char minutes[UNITS_TEXT], text[80];
    snprintf(text, sizeof text, tr("%s min"), units_plain(lesson->minutes, minutes));
    canvas_text(canvas, row, area.col, 2, ROLE_GOOD, record ? "✓" : " ");
    canvas_field(canvas, row, area.col + 2, MINUTES_CELLS - 1, TEXT_RIGHT, ROLE_DIM, text);
    canvas_text(canvas, row, area.col + 3 + MINUTES_CELLS,
                area.cols - MINUTES_CELLS - 3 - (record ? SCORE_CELLS + 1 : 0), ROLE_TEXT,
                bilingual_text(&lesson->title));
    if (record) {
        snprintf(text, sizeof text, tr("predicted %d/%d, did %d/%d"), record->score.right,
                 record->score.predictions, record->score.reached, record->score.goals);
        canvas_field(canvas, row, area.col + area.cols - SCORE_CELLS, SCORE_CELLS, TEXT_RIGHT,
                     ROLE_DIM, text);
    }
    if (index == lessons->list.cursor) {
        canvas_select(canvas, row, area.col, area.cols);
        canvas_cursor(canvas, row, area.col, false);
    }
}

static void lessons_draw(const struct app *app, const void *state, struct canvas *canvas,
                         struct rect area)
{
    const struct lessons *lessons = state;
    int rows = list_rows(area);
    double minutes = 0;
    char text[UNITS_TEXT];
    (void)app;
    if (lessons->error[0]) {
        canvas_wrapped(canvas, area, 0, ROLE_BAD, lessons->error);
        return;
    }
    for (size_t i = 0; i < lessons->count; i++)
        minutes += lessons->all[i].minutes;
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr("Learn sizing"));
    canvas_printf(canvas, area.row, area.col + used + 2, area.cols - used - 2, ROLE_DIM,
                  tr("%zu lessons, %s in all; every figure comes from the engine"), lessons->count,
                  units_hours(minutes / 60, text));
    for (int i = 0; i < rows && lessons->list.top + i < (int)lessons->count; i++)
        draw_lesson_row(lessons, lessons->list.top + i, canvas, area, area.row + 2 + i);
    list_position(canvas, area.row + 2 + rows, area.col + area.cols, &lessons->list,
                  (int)lessons->count, rows);
}

const struct screen lessons_screen = {
    .name = N_("Lessons"),
    .state_size = sizeof(struct lessons),
    .open = lessons_open,
    .close = lessons_close,
    .update = lessons_update,
    .draw = lessons_draw,
    .act = lessons_act,
    .click = lessons_click,
};

const struct lesson *lessons_at(const struct app *app, int index)
{
    const struct lessons *lessons = app_state_of(app, SCREEN_LESSONS);
    return lessons && index >= 0 && index < (int)lessons->count ? &lessons->all[index] : NULL;
}

struct learn_progress *lessons_progress(const struct app *app)
{
    struct lessons *lessons = app_state_of(app, SCREEN_LESSONS);
    return lessons ? &lessons->progress : NULL;
}
