/* command_learn.c - `gpuwiz learn`: the list of lessons, one lesson line by line, or its worksheet.
 */
#include "command_session.h"

#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/worksheet.h"
#include "ui/term.h"
#include "ui/wizard.h"

enum { LINE_CELLS = 78, LINE_BYTES = 300 };

/* ---- the list ------------------------------------------------------------------------------- */

static void add_row(struct table *table, const struct lesson *lesson,
                    const struct learn_record *record)
{
    char text[UNITS_TEXT];
    table_text(table, lesson->name);
    table_number(table, lesson->minutes, units_plain(lesson->minutes, text));
    table_text(table, bilingual_text(&lesson->title));
    table_text(table, !record ? ""
                              : arena_printf(table->arena, "%d/%d, %d/%d", record->score.right,
                                             record->score.predictions, record->score.reached,
                                             record->score.goals));
}

static bool write_list(struct session *session, struct strbuf *out)
{
    struct lesson *lessons;
    size_t count;
    struct learn_progress progress;
    struct table table;
    double minutes = 0, done = 0;
    char text[UNITS_TEXT];
    if (!lesson_load_all(session->cli->values[OPTION_DATA], session->arena, &lessons, &count,
                         &session->error) ||
        !learn_progress_load(session->arena, &progress, &session->error))
        return false;
    table_init(&table, session->arena);
    table_column(&table, "lesson", tr("Lesson"), TEXT_LEFT);
    table_column(&table, "minutes", tr("Minutes"), TEXT_RIGHT);
    table_column(&table, "title", tr("What it is about"), TEXT_LEFT);
    table_column(&table, "score", tr("Your score"), TEXT_LEFT);
    for (size_t i = 0; i < count; i++) {
        const struct learn_record *record = learn_progress_find(&progress, lessons[i].name);
        add_row(&table, &lessons[i], record);
        minutes += lessons[i].minutes;
        done += record != NULL;
    }
    table_write_text(&table, LINE_CELLS, 0, out);
    strbuf_printf(out,
                  tr("\n%.0f of %zu lessons done; all together %s. Start one: gpuwiz learn NAME\n"),
                  done, count, units_hours(minutes / 60, text));
    return true;
}

/* ---- one lesson, line by line --------------------------------------------------------------- */

/* Paragraphs wrapped to the width of a terminal. */
static void say(const char *text)
{
    for (size_t length; *text; text += length + strspn(text + length, " ")) {
        size_t line_end = strcspn(text, "\n");
        length = text_wrap(text, LINE_CELLS);
        if (line_end < length)
            length = line_end;
        printf("%.*s\n", (int)length, text);
        if (text[length] == '\n')
            length++;
    }
}

static bool say_text(struct learn *learn, const struct bilingual *text, struct error *error)
{
    struct strbuf out = {0};
    bool good = learn_fill(learn, text, &out, error);
    if (good)
        say(strbuf_text(&out));
    strbuf_clear(&out);
    return good;
}

/* One line after a prompt; false at the end of input or on "q". */
static bool read_line(char *line)
{
    fputs("> ", stdout);
    fflush(stdout);
    if (!fgets(line, LINE_BYTES, stdin)) {
        putchar('\n');
        return false;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return strcmp(line, "q") != 0;
}

/* "? kv_cache" anywhere: what the word means. */
static bool looked_up(const struct glossary *glossary, const char *line)
{
    if (*line != '?')
        return false;
    const char *term = line + 1 + strspn(line + 1, " ");
    const struct glossary_entry *entry = glossary_find(glossary, term);
    if (!*term)
        say(tr("? WORD explains a word; q leaves; an empty line goes on."));
    else if (!entry)
        printf(tr("The glossary has no \"%s\".\n"), term);
    else {
        printf(tr("%s: "), bilingual_text(&entry->name));
        say(bilingual_text(&entry->meaning));
        say(bilingual_text(&entry->rule));
    }
    return true;
}

/* False = the learner leaves. */
static bool ask_prediction(struct learn *learn, const struct glossary *glossary,
                           struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    char line[LINE_BYTES];
    for (int i = 0; i < step->choice_count; i++) {
        printf("  %d. ", i + 1);
        if (!say_text(learn, &step->choices[i].text, error))
            return false;
    }
    for (;;) {
        struct strbuf reply = {0};
        if (!read_line(line))
            return false;
        if (looked_up(glossary, line))
            continue;
        if (!*line)
            return true;
        enum learn_verdict verdict = learn_answer(learn, line, &reply);
        say(strbuf_text(&reply));
        strbuf_clear(&reply);
        if (verdict != LEARN_UNREADABLE)
            return true;
    }
}

static void show_knobs(const struct learn *learn, const struct lesson_step *step)
{
    struct strbuf value = {0};
    for (int i = 0; i < step->knob_count; i++) {
        strbuf_reset(&value);
        scenario_format(&learn->now, field_id(field_find(step->knobs[i])), &value);
        printf("  %s=%s\n", step->knobs[i], strbuf_text(&value));
    }
    strbuf_clear(&value);
}

static bool let_try(struct learn *learn, const struct glossary *glossary, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    char line[LINE_BYTES];
    struct strbuf text = {0};
    show_knobs(learn, step);
    learn_watch(learn, &text);
    say(strbuf_text(&text));
    strbuf_clear(&text);
    say(tr("Type key=value to turn a knob; hint, reset; an empty line goes on."));
    for (;;) {
        struct strbuf reply = {0};
        if (!read_line(line))
            return false;
        if (looked_up(glossary, line))
            continue;
        if (!*line)
            return true;
        if (strcmp(line, "hint") == 0) {
            if (!say_text(learn, &step->hint, error))
                return false;
            continue;
        }
        if (strcmp(line, "reset") == 0) {
            if (!learn_reset(learn, error))
                return false;
            show_knobs(learn, step);
            continue;
        }
        learn_turn(learn, line, &reply);
        say(strbuf_text(&reply));
        strbuf_clear(&reply);
        if (learn->reached)
            return true;
    }
}

static void say_explanation(struct learn *learn)
{
    struct strbuf out = {0};
    learn_explain(learn, LINE_CELLS, &out);
    printf("\n%s", strbuf_text(&out));
    strbuf_clear(&out);
}

static bool show_step(struct learn *learn, const struct glossary *glossary, struct error *error)
{
    const struct lesson_step *step = learn_step(learn);
    printf("\n");
    if (step->kind == LESSON_PREDICT)
        printf("[%s]\n", tr("Predict"));
    if (step->kind == LESSON_TRY)
        printf("[%s]\n", tr("Try"));
    if (!say_text(learn, &step->text, error))
        return false;
    if (step->kind == LESSON_EXPLAIN)
        say_explanation(learn);
    if (step->kind == LESSON_PREDICT)
        return ask_prediction(learn, glossary, error);
    if (step->kind == LESSON_TRY)
        return let_try(learn, glossary, error);
    return true;
}

static bool run_lesson(struct session *session, const struct learn_world *world,
                       const struct lesson *lesson)
{
    struct learn learn;
    struct glossary glossary;
    struct learn_progress progress;
    struct strbuf line = {0};
    if (!glossary_load(session->cli->values[OPTION_DATA], session->arena, &glossary,
                       &session->error) ||
        !learn_progress_load(session->arena, &progress, &session->error) ||
        !learn_start(&learn, world, lesson, &session->error))
        return false;
    printf("%s\n", bilingual_text(&lesson->title));
    bool good = say_text(&learn, &lesson->summary, &session->error);
    while (good && learn_step(&learn))
        good = show_step(&learn, &glossary, &session->error) && learn_next(&learn, &session->error);
    learn_scoreboard(&learn, &line);
    printf("\n%s\n", strbuf_text(&line));
    strbuf_clear(&line);
    if (good)
        good = learn_progress_keep(&progress, &learn, &session->error);
    learn_clear(&learn);
    return good || session->error.message[0] == '\0'; /* to leave is no failure */
}

/* ---- worksheets ----------------------------------------------------------------------------- */

static bool write_worksheet(struct session *session, const struct learn_world *world,
                            const struct lesson *lesson, struct strbuf *out)
{
    struct report report;
    enum format format;
    if (!session_format(session, &format))
        return false;
    if (format == FORMAT_CSV || format == FORMAT_JSON)
        return error_set(&session->error, "%s", tr("a worksheet is a page: use text, md or html"));
    if (!worksheet_build(world, lesson, session->cli->values[OPTION_ANSWERS] != NULL,
                         session->arena, &report, &session->error))
        return false;
    session_report(&report, format, out);
    return true;
}

/* ---- on the screen -------------------------------------------------------------------------- */

/* A file of one's own is not in the list, and runs line by line. */
static bool is_own_file(const char *lesson)
{
    return strstr(lesson, ".yaml") != NULL;
}

static bool on_screen(const struct cli *cli)
{
    return !cli->values[OPTION_PLAIN] && !is_own_file(cli->arguments[0]) && term_usable();
}

static int run_on_screen(struct session *session, const struct lesson *lesson)
{
    const struct cli *cli = session->cli;
    const char *colour = cli->values[OPTION_COLOR];
    struct wizard_options wizard = {.catalog = &session->catalog,
                                    .constants = &session->constants,
                                    .today = session->today,
                                    .data_folder = cli->values[OPTION_DATA],
                                    .lesson = lesson->name,
                                    .ascii = cli->values[OPTION_ASCII] != NULL,
                                    .no_mouse = cli->values[OPTION_NO_MOUSE] != NULL,
                                    .colour = !colour || strcmp(colour, "auto") == 0 ? COLOUR_AUTO
                                              : strcmp(colour, "always") == 0        ? COLOUR_ALWAYS
                                                                              : COLOUR_NEVER};
    return wizard_run(&wizard);
}

enum exit_status command_learn(const struct cli *cli)
{
    struct session session;
    struct lesson lesson;
    struct strbuf out = {0};
    bool sheet = cli->values[OPTION_WORKSHEET] || cli->values[OPTION_ANSWERS];
    bool done = session_open(&session, cli);
    if (done && sheet && cli->argument_count == 0) {
        done = error_set(&session.error, "%s", tr("which lesson?"));
        error_hint(&session.error, "gpuwiz learn --worksheet NAME -o FILE");
    } else if (done && cli->argument_count == 0) {
        done = write_list(&session, &out) && session_write(&session, &out);
    } else if (done) {
        const struct learn_world world = {&session.catalog, &session.constants, session.today,
                                          session_ascii(&session)};
        done = lesson_load(cli->values[OPTION_DATA], cli->arguments[0], session.arena, &lesson,
                           &session.error);
        if (is_own_file(cli->arguments[0])) /* a class should not be where its faults come out */
            done = done && lesson_verify(&world, &lesson, &session.error);
        if (done && sheet)
            done =
                write_worksheet(&session, &world, &lesson, &out) && session_write(&session, &out);
        else if (done && !on_screen(cli))
            done = run_lesson(&session, &world, &lesson);
        else if (done)
            return session_close(&session, (enum exit_status)run_on_screen(&session, &lesson));
    }
    strbuf_clear(&out);
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}
