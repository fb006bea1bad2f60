/* screen_summary.c - the page that is printed: read it, save it, print it, or copy the command. */
#include "ui/screens.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/i18n.h"
#include "report/report.h"
#include "ui/app.h"
#include "ui/page.h"
#include "ui/widgets.h"

struct summary {
    struct strbuf text;
    unsigned long serial;
    int lines, top;
    bool command; /* the command is shown instead of the page */
};

void page_write(const struct app *app, struct strbuf *out)
{
    const struct plan *plan = app_plan(app);
    char text[700];
    if (!plan) {
        strbuf_printf(out, "%s\n", error_text(&app->computed->error, text, sizeof text));
        return;
    }
    struct remedy found[RELAX_MAX];
    int count = remedies(app->compute.catalog, app->compute.constants, &app->shown, plan, app->compute.today, found);
    struct report_input input = {.catalog = app->compute.catalog, .constants = app->compute.constants,
                                 .scenario = &app->shown, .plan = plan,
                                 .remedies = found, .remedy_count = count, .today = app->compute.today, .ascii = app->ascii};
    struct arena *arena = arena_new();
    struct report report;
    report_plan(&input, arena, &report);
    report_write_text(&report, out);
    arena_free(arena);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void summary_update(struct app *app, void *state)
{
    struct summary *summary = state;
    if (summary->serial != app->computed->serial) {
        strbuf_reset(&summary->text);
        page_write(app, &summary->text);
        summary->lines = count_lines(strbuf_text(&summary->text));
        summary->serial = app->computed->serial;
    }
    summary->top = scroll_top(summary->top, summary->top, summary->lines, app_area(app).rows);
}

static void summary_close(struct app *app, void *state)
{
    (void)app;
    strbuf_clear(&((struct summary *)state)->text);
}

/* Pipes the page into lp. True when lp took it. */
static bool print_page(const char *text, size_t length)
{
    int pipe_ends[2], status = 1;
    if (pipe(pipe_ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[0], STDIN_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        int nowhere = open("/dev/null", O_WRONLY); /* freopen would write out what stdout still holds */
        if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
            _exit(126);
        execlp("lp", "lp", "-t", "gpuwiz", (char *)NULL);
        _exit(127);
    }
    close(pipe_ends[0]);
    while (child > 0 && length > 0) {
        ssize_t written = write(pipe_ends[1], text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        length -= (size_t)written;
    }
    close(pipe_ends[1]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && length == 0;
}

static bool scroll(struct summary *summary, int action, int rows)
{
    int page = rows > 2 ? rows - 1 : 1;
    switch (action) {
    case ACTION_UP: summary->top--; break;
    case ACTION_DOWN: summary->top++; break;
    case ACTION_PAGE_UP: summary->top -= page; break;
    case ACTION_PAGE_DOWN: summary->top += page; break;
    case ACTION_FIRST: summary->top = 0; break;
    case ACTION_LAST: summary->top = summary->lines; break;
    default: return false;
    }
    int last = summary->lines > rows ? summary->lines - rows : 0;
    summary->top = summary->top < 0 ? 0 : summary->top > last ? last : summary->top;
    return true;
}

static bool summary_act(struct app *app, void *state, int action, const struct event *event)
{
    struct summary *summary = state;
    (void)event;
    if (scroll(summary, action, app_area(app).rows)) {
        summary->command = false;
        return true;
    }
    switch (action) {
    case ACTION_SAVE_REPORT: app_open(app, SCREEN_PATH, ACTION_SAVE_REPORT); return true;
    case ACTION_PRINT:
        if (print_page(strbuf_text(&summary->text), summary->text.length))
            app_say(app, false, tr("Sent to the printer."));
        else
            app_say(app, true, tr("lp could not print it; s saves the page to a file."));
        return true;
    case ACTION_COMMAND: summary->command = !summary->command; return true;
    case ACTION_BACK:
        if (!summary->command)
            return false;
        summary->command = false;
        return true;
    default: return false;
    }
}

static bool is_rule(const char *line)
{
    size_t length = strspn(line, "-=");
    return length > 20 && (line[length] == '\n' || !line[length]);
}

/* The verdict, the headings and the rules under them are told apart by where they stand. */
static enum role line_role(const char *line, size_t length, int index)
{
    if (is_rule(line))
        return ROLE_RULE;
    if (index < 3 || (line[length] && is_rule(line + length + 1)))
        return ROLE_TITLE;
    return ROLE_TEXT;
}

static void draw_page(const struct summary *summary, struct canvas *canvas, struct rect area)
{
    if (area.cols < REPORT_WIDTH) { /* the page is as wide as the smallest usual terminal */
        area.col--;
        area.cols += 2;
    }
    const char *line = strbuf_text(&summary->text);
    int indent = area.cols > REPORT_WIDTH + 8 ? (area.cols - REPORT_WIDTH) / 2 : 0;
    for (int i = 0; *line; i++) {
        size_t length = strcspn(line, "\n");
        if (i >= summary->top && i < summary->top + area.rows) {
            char *text = xrealloc(NULL, length + 1, 1);
            memcpy(text, line, length);
            text[length] = '\0';
            canvas_text(canvas, area.row + i - summary->top, area.col + indent, area.cols - indent, line_role(line, length, i), text);
            free(text);
        }
        line += length + (line[length] == '\n');
    }
}

static void summary_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct summary *summary = state;
    if (summary->command) {
        struct strbuf command = {0};
        strbuf_add(&command, "gpuwiz plan ");
        scenario_command(&app->scenario, &command);
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, tr("The command that repeats this plan"));
        canvas_wrapped(canvas, rect_below(area, 2), 0, ROLE_ACCENT, strbuf_text(&command));
        strbuf_clear(&command);
        return;
    }
    draw_page(summary, canvas, area);
    canvas_cursor(canvas, area.row, area.col, false);
}

const struct screen summary_screen = {
    .name = N_("Summary"), .state_size = sizeof(struct summary), .close = summary_close, .update = summary_update,
    .draw = summary_draw, .act = summary_act,
};
