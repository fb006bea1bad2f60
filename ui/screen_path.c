/* screen_path.c - the name of a file to save to or open, and the yes-or-no question. */
#include "ui/screens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/i18n.h"
#include "ui/app.h"
#include "ui/page.h"
#include "ui/session.h"
#include "ui/widgets.h"

struct path {
    int purpose; /* ACTION_SAVE, ACTION_OPEN or ACTION_SAVE_REPORT */
    struct input input;
    bool overwrite; /* asked once already */
};

static const char *purpose_title(int purpose)
{
    return purpose == ACTION_OPEN   ? tr("Open a scenario file")
           : purpose == ACTION_SAVE ? tr("Save the answers as a scenario file")
           : purpose == ACTION_MATRIX ? tr("Save this table as text (.txt) or CSV (.csv)")
                                    : tr("Save this page as text");
}

static void path_open(struct app *app, void *state, int argument)
{
    struct path *path = state;
    (void)app;
    path->purpose = argument;
    input_set(&path->input, argument == ACTION_SAVE_REPORT ? "gpuwiz-plan.txt" : argument == ACTION_MATRIX ? "gpuwiz-memory.csv" : "gpuwiz.yaml");
}

/* "~/x" as the shell would read it. */
static const char *expanded(struct app *app, const char *text)
{
    const char *home = getenv("HOME");
    return text[0] == '~' && text[1] == '/' && home ? arena_printf(app->arena, "%s%s", home, text + 1) : text;
}

static bool write_path(struct app *app, const struct path *path, const char *name, struct error *error)
{
    if (path->purpose == ACTION_SAVE)
        return session_save(&app->scenario, name, path->overwrite, error);
    struct strbuf text = {0};
    if (path->purpose == ACTION_MATRIX)
        matrix_page(app, name, &text);
    else
        page_write(app, &text);
    bool done = file_write(name, strbuf_text(&text), text.length, path->overwrite, error);
    strbuf_clear(&text);
    return done;
}

static bool exists(const char *name)
{
    FILE *file = fopen(name, "r");
    if (file)
        fclose(file);
    return file != NULL;
}

static void save(struct app *app, struct path *path)
{
    struct error error = {0};
    char whole[700];
    const char *name = expanded(app, path->input.text);
    if (exists(name) && !path->overwrite) {
        path->overwrite = true;
        app_say(app, true, tr("%s exists already: Enter once more replaces it"), name);
        return;
    }
    if (!write_path(app, path, name, &error)) {
        app_say(app, true, "%s", error_text(&error, whole, sizeof whole));
        return;
    }
    if (path->purpose == ACTION_SAVE)
        app->changed = false;
    app_say(app, false, tr("Written to %s"), name);
    snprintf(app->leave_note, sizeof app->leave_note, tr("Written to %s"), name);
    app_close(app);
}

static void load(struct app *app, struct path *path)
{
    struct scenario read;
    struct error error = {0};
    char whole[700];
    memset(&read, 0, sizeof read);
    const char *name = expanded(app, path->input.text);
    if (!scenario_read(&read, name, app->compute.catalog, app->arena, &error)) {
        app_say(app, true, "%s", error_text(&error, whole, sizeof whole));
        return;
    }
    app_close(app);
    app_commit(app, &read);
    app_go(app, app->step);
    app_say(app, false, tr("Opened; u takes it back."));
}

static bool path_act(struct app *app, void *state, int action, const struct event *event)
{
    struct path *path = state;
    (void)event;
    if (action != ACTION_ENTER || !*path->input.text)
        return action == ACTION_ENTER;
    if (path->purpose == ACTION_OPEN)
        load(app, path);
    else
        save(app, path);
    return true;
}

static void path_type(struct app *app, void *state, const struct event *event)
{
    struct path *path = state;
    (void)app;
    if (input_event(&path->input, event))
        path->overwrite = false;
}

static void path_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct path *path = state;
    (void)app;
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_TITLE, purpose_title(path->purpose));
    input_draw(&path->input, canvas, area.row + 3, area.col, area.cols < 60 ? area.cols : 60);
}

const struct screen path_screen = {
    .name = N_("File"), .state_size = sizeof(struct path), .open = path_open, .draw = path_draw,
    .act = path_act, .type = path_type,
};

/* ---- yes or no ---- */

static void ask_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    (void)app;
    (void)state;
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_TITLE, tr("Quit without saving the answers?"));
    canvas_text(canvas, area.row + 3, area.col, area.cols, ROLE_DIM, tr("They could not be kept for the next start. n, then Ctrl-S, saves them."));
    canvas_cursor(canvas, area.row + 1, area.col, false);
}

static bool ask_act(struct app *app, void *state, int action, const struct event *event)
{
    (void)state;
    (void)event;
    if (action == ACTION_ENTER)
        app->done = true;
    return action == ACTION_ENTER;
}

const struct screen ask_screen = {.name = N_("Question"), .state_size = 1, .draw = ask_draw, .act = ask_act};
