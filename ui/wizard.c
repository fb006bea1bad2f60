/* wizard.c - the loop: events in, cells out. */
#include "ui/wizard.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "ui/app.h"
#include "ui/lessons.h"
#include "ui/session.h"
#include "ui/term.h"

static bool no_colour_wanted(const struct wizard_options *options)
{
    const char *no_color = getenv("NO_COLOR");
    if (options->colour != COLOUR_AUTO)
        return options->colour == COLOUR_NEVER;
    return no_color && *no_color;
}

static int complain(const struct error *error)
{
    char text[900];
    struct strbuf line = {0};
    strbuf_add(&line, error_text(error, text, sizeof text));
    text_drop_controls(&line, 0); /* names from files give the terminal no orders */
    fprintf(stderr, "gpuwiz: %s\n", strbuf_text(&line));
    strbuf_clear(&line);
    return 1;
}

static struct app_options options_for_app(const struct wizard_options *options)
{
    if (!term_utf8()) /* English is better than question marks */
        i18n_set_language(LANGUAGE_EN);
    return (struct app_options){.catalog = options->catalog, .constants = options->constants, .today = options->today,
                                .data_folder = options->data_folder, .scenario = options->scenario,
                                .ascii = options->ascii || !term_utf8(), .bytes_only = !term_utf8()};
}

/* Opens the lesson that was asked for; its name was checked. */
static void open_lesson(struct app *app, const char *name)
{
    const struct lesson *lesson;
    int index = 0;
    if (!name)
        return;
    app_open(app, SCREEN_LESSONS, 0);
    while ((lesson = lessons_at(app, index)) != NULL && strcmp(lesson->name, name) != 0)
        index++;
    app_close(app);
    app_open(app, SCREEN_LESSONS, lesson ? index : 0);
    if (lesson)
        app_open(app, SCREEN_LESSON, index);
    app_handle(app, &(struct event){.kind = EVENT_RESIZE, .row = app->rows, .col = app->cols});
}

/* ---- from a key script ---- */

static int write_screen(const struct app *app, const char *path, struct error *error)
{
    struct canvas canvas = {0};
    struct strbuf text = {0};
    int status = 0;
    app_draw(app, &canvas);
    canvas_dump(&canvas, &text);
    if (!path || strcmp(path, "-") == 0)
        fwrite(strbuf_text(&text), 1, text.length, stdout);
    else if (!file_write(path, strbuf_text(&text), text.length, true, error))
        status = complain(error);
    canvas_free(&canvas);
    strbuf_clear(&text);
    return status;
}

/* "100x30", and nothing after it. */
static bool read_size(const char *text, int *cols, int *rows)
{
    int length = 0;
    return sscanf(text, "%4dx%4d%n", cols, rows, &length) == 2 && text[length] == '\0' &&
           *cols >= 1 && *cols <= 1000 && *rows >= 1 && *rows <= 1000;
}

static int script_run(const struct wizard_options *options)
{
    struct strbuf keys = {0};
    struct error error = {0};
    struct app_options start = options_for_app(options);
    bool in_quotes = false;
    start.rows = 24;
    start.cols = 80;
    start.theme = no_colour_wanted(options) ? THEME_MONO : THEME_DEFAULT;
    start.colours = no_colour_wanted(options) ? 0 : 256;
    if (options->size && !read_size(options->size, &start.cols, &start.rows)) {
        error_set(&error, tr("--size is columns x rows, like 100x30, not '%s'"), options->size);
        return complain(&error);
    }
    if (!file_read(options->script, 1 << 20, &keys, &error))
        return complain(&error);
    struct app *app = xrealloc(NULL, 1, sizeof *app);
    app_init(app, &start);
    open_lesson(app, options->lesson);
    const char *next = strbuf_text(&keys);
    int status = 0;
    while (!app->done) {
        struct event event = event_from_script(&next, &in_quotes);
        if (event.kind == EVENT_NONE)
            break;
        app_handle(app, &event);
    }
    if (!app->done && *next) {
        error_set(&error, tr("%s: unknown key '%.20s'"), options->script, next);
        status = complain(&error);
    } else {
        status = write_screen(app, options->dump, &error);
    }
    app_clear(app);
    free(app);
    strbuf_clear(&keys);
    return status;
}

/* ---- on a terminal ---- */

static void loop(struct app *app)
{
    struct canvas canvas = {0};
    while (!app->done) {
        app_draw(app, &canvas);
        term_paint(&canvas, app->theme, app->repaint);
        app->repaint = false;
        struct event event = term_read();
        app_handle(app, &event);
    }
    canvas_free(&canvas);
}

static int screen_run(const struct wizard_options *options)
{
    struct error error = {0};
    struct app_options start = options_for_app(options);
    if (!term_open(!options->no_mouse, !no_colour_wanted(options), &error)) {
        complain(&error);
        return plain_run(options);
    }
    term_size(&start.rows, &start.cols);
    start.colours = term_colours();
    start.theme = start.colours ? session_theme() : THEME_MONO;
    struct app *app = xrealloc(NULL, 1, sizeof *app);
    app_init(app, &start);
    app->keep_session = true;
    if (!options->scenario)
        app->has_last_session = session_load(&app->last_session, options->catalog, app->arena);
    open_lesson(app, options->lesson);
    loop(app);
    term_close();
    if (app->leave_note[0]) {
        struct strbuf note = {0};
        strbuf_add(&note, app->leave_note);
        text_drop_controls(&note, 0);
        puts(strbuf_text(&note));
        strbuf_clear(&note);
    }
    app_clear(app);
    free(app);
    if (term_signal())
        raise(term_signal());
    return 0;
}

int wizard_run(const struct wizard_options *options)
{
    term_utf8();
    if (options->script)
        return script_run(options);
    if (options->plain || !term_usable())
        return plain_run(options);
    return screen_run(options);
}
