/* screen_path.c - the name of a file to save to or open, and the yes-or-no question. */
#include "ui/screens.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/file.h"
#include "base/i18n.h"
#include "ui/app.h"
#include "ui/page.h"
#include "ui/session.h"
#include "ui/widgets.h"

enum { ENTRIES_MAX = 400 };

struct path {
    int purpose; /* ACTION_SAVE, ACTION_OPEN, ACTION_SAVE_REPORT or, for a table of memory, ACTION_MATRIX */
    struct input input;
    bool overwrite; /* asked once already */
    bool proposed;  /* the name is ours and was not touched: what is typed takes its place */
    /* the folder of what is typed */
    char folder[sizeof(((struct input *)0)->text)];
    char *entries[ENTRIES_MAX]; /* folders end in '/' */
    int count;
    struct list list;
    bool browsing; /* an entry is marked */
};

static const char *purpose_title(int purpose)
{
    return purpose == ACTION_OPEN   ? tr("Open a scenario file")
           : purpose == ACTION_SAVE ? tr("Save the answers as a scenario file")
           : purpose == ACTION_MATRIX ? tr("Save this table as text (.txt) or CSV (.csv)")
                                    : tr("Save this page as text");
}

/* ---- the folder ---- */

static void forget_entries(struct path *path)
{
    for (int i = 0; i < path->count; i++)
        free(path->entries[i]);
    path->count = 0;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

/* Folders, and the files that this purpose is about; nothing hidden. */
static bool wanted(const struct path *path, const char *name, bool folder)
{
    if (name[0] == '.')
        return folder && strcmp(name, "..") == 0;
    if (path->purpose == ACTION_SAVE_REPORT || path->purpose == ACTION_MATRIX)
        return folder || ends_with(name, ".txt") || (path->purpose == ACTION_MATRIX && ends_with(name, ".csv"));
    return folder || ends_with(name, ".yaml") || ends_with(name, ".yml") || ends_with(name, ".json");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The length of the folder part of a path, its slash included. */
static size_t folder_length(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash ? (size_t)(slash - text) + 1 : 0;
}

static void read_folder(struct path *path, const char *folder)
{
    DIR *directory = opendir(*folder ? folder : ".");
    forget_entries(path);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) && path->count < ENTRIES_MAX;) {
        struct strbuf name = {0};
        struct stat status;
        strbuf_printf(&name, "%s%s", folder, entry->d_name);
        bool is_folder = stat(name.data, &status) == 0 && S_ISDIR(status.st_mode);
        if (wanted(path, entry->d_name, is_folder)) {
            strbuf_reset(&name);
            strbuf_printf(&name, "%s%s", entry->d_name, is_folder ? "/" : "");
            path->entries[path->count++] = name.data;
        } else {
            strbuf_clear(&name);
        }
    }
    closedir(directory);
    qsort(path->entries, (size_t)path->count, sizeof *path->entries, by_name);
}

/* "~/x" as the shell would read it. */
static const char *expanded(struct app *app, const char *text)
{
    const char *home = getenv("HOME");
    return text[0] == '~' && text[1] == '/' && home ? arena_printf(app->arena, "%s%s", home, text + 1) : text;
}

static void path_open(struct app *app, void *state, int argument)
{
    struct path *path = state;
    (void)app;
    path->purpose = argument;
    path->proposed = true;
    path->folder[0] = '?'; /* none was read yet */
    input_set(&path->input, argument == ACTION_SAVE_REPORT ? "gpuwiz-plan.txt" : argument == ACTION_SAVE ? "gpuwiz.yaml" : "");
}

static void path_close(struct app *app, void *state)
{
    (void)app;
    forget_entries(state);
}

static int entry_rows(struct rect area)
{
    return area.rows > 8 ? area.rows - 7 : 1;
}

static void path_update(struct app *app, void *state)
{
    struct path *path = state;
    char folder[sizeof path->folder];
    snprintf(folder, sizeof folder, "%.*s", (int)folder_length(path->input.text), path->input.text);
    if (strcmp(folder, path->folder) != 0) {
        memcpy(path->folder, folder, sizeof folder);
        read_folder(path, expanded(app, folder));
        path->list = (struct list){0};
        path->browsing = false;
    }
    list_keep(&path->list, path->count, entry_rows(app_area(app)));
}

/* Moving in the folder puts the marked name into the line. */
static bool browse(struct app *app, struct path *path, int action)
{
    path->proposed = false;
    bool first = !path->browsing && action == ACTION_DOWN;
    struct strbuf text = {0};
    if (path->count == 0 || (!first && !list_act(&path->list, action, path->count, entry_rows(app_area(app)))))
        return action == ACTION_UP || action == ACTION_DOWN;
    path->browsing = true;
    strbuf_printf(&text, "%s%s", path->folder, path->entries[path->list.cursor]);
    if (text.data[text.length - 1] == '/')
        text.data[--text.length] = '\0'; /* the folder itself, until Enter goes into it */
    input_set(&path->input, text.data);
    strbuf_clear(&text);
    return true;
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

/* Not by opening it: a pipe would wait for its other end. */
static bool exists(const char *name)
{
    struct stat status;
    return stat(name, &status) == 0;
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

static bool enter_folder(struct app *app, struct path *path)
{
    struct stat status;
    const char *name = expanded(app, path->input.text);
    if (stat(name, &status) != 0 || !S_ISDIR(status.st_mode))
        return false;
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s", path->input.text, ends_with(path->input.text, "/") ? "" : "/");
    input_set(&path->input, text.data);
    strbuf_clear(&text);
    return true;
}

static bool path_act(struct app *app, void *state, int action, const struct event *event)
{
    struct path *path = state;
    (void)event;
    if (action == ACTION_UP || action == ACTION_DOWN || action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN)
        return browse(app, path, action);
    if (action != ACTION_ENTER || !*path->input.text)
        return action == ACTION_ENTER;
    if (enter_folder(app, path))
        return true;
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
    bool text = event->kind == EVENT_PASTE || (event->key >= ' ' && event->key < (int)KEY_OF_CTRL);
    if (path->proposed && text)
        input_set(&path->input, "");
    path->proposed = false;
    if (input_event(&path->input, event))
        path->overwrite = path->browsing = false;
}

static void path_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct path *path = state;
    (void)app;
    canvas_text(canvas, area.row + 1, area.col, area.cols, ROLE_TITLE, purpose_title(path->purpose));
    for (int i = 0; i < entry_rows(area) && path->list.top + i < path->count; i++) {
        const char *name = path->entries[path->list.top + i];
        int row = area.row + 5 + i;
        canvas_text(canvas, row, area.col + 2, area.cols - 2, ends_with(name, "/") ? ROLE_ACCENT : ROLE_TEXT, name);
        if (path->browsing && path->list.top + i == path->list.cursor)
            canvas_select(canvas, row, area.col, area.cols);
    }
    list_position(canvas, area.row + 5 + entry_rows(area), area.col + area.cols, &path->list, path->count, entry_rows(area));
    input_draw(&path->input, canvas, area.row + 3, area.col, area.cols < 60 ? area.cols : 60);
}

const struct screen path_screen = {
    .name = N_("File"), .state_size = sizeof(struct path), .open = path_open, .close = path_close,
    .update = path_update, .draw = path_draw,
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
