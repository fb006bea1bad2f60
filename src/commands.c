/* commands.c - what each command of the program does. */
#include "command_session.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "data/data_files.h"
#include "data/import.h"
#include "engine/calibrate.h"
#include "engine/constants.h"
#include "engine/explain.h"
#include "engine/learn.h"
#include "report/columns.h"
#include "report/lists.h"
#include "report/report.h"
#include "report/report_matrix.h"
#include "ui/wizard.h"

/* ---- saying what went wrong ------------------------------------------------------------------ */

/* An error quotes what it was given: control characters of a file must not reach the terminal. */
static void add_line(struct strbuf *out, const char *start, const char *text)
{
    strbuf_add(out, start);
    text_add_clipped(out, text, INT_MAX, false);
    strbuf_add(out, "\n");
}

enum exit_status cli_fail(const struct error *error, enum exit_status status)
{
    struct error without_hint = *error;
    struct strbuf lines = {0};
    char text[800];
    without_hint.hint[0] = '\0';
    add_line(&lines, "gpuwiz: ", error_text(&without_hint, text, sizeof text));
    if (error->hint[0])
        add_line(&lines, "        ", error->hint);
    fputs(strbuf_text(&lines), stderr);
    strbuf_clear(&lines);
    return status;
}

/* ---- dates ---------------------------------------------------------------------------------- */

/* YYYY-MM-DD of a day that exists: the calendar gives the same text back. */
static bool is_date(const char *text)
{
    struct tm date = {0};
    char back[16] = "";
    const char *end = strptime(text, "%Y-%m-%d", &date);
    time_t day = timegm(&date);
    return end && !*end && gmtime_r(&day, &date) &&
           strftime(back, sizeof back, "%Y-%m-%d", &date) && strcmp(back, text) == 0;
}

/* Seconds since 1970 of a day that has a date of four digits for its year. */
static bool read_epoch(const char *text, struct tm *date)
{
    char *end;
    errno = 0;
    time_t seconds = (time_t)strtoll(text, &end, 10);
    return errno == 0 && end > text && !*end && gmtime_r(&seconds, date) && date->tm_year >= 70 &&
           date->tm_year < 8100;
}

/* --date, else SOURCE_DATE_EPOCH (reproducible-builds.org), else the clock. */
static bool find_today(struct session *session)
{
    const char *option = session->cli->values[OPTION_DATE], *epoch = getenv("SOURCE_DATE_EPOCH");
    char text[16] = "";
    struct tm date;
    time_t now = time(NULL);
    if (option && !is_date(option)) {
        error_set(&session->error, tr("--date %s is no date"), option);
        return error_hint(&session->error, tr("as in 2026-12-01"));
    }
    if (epoch && *epoch && !option && !read_epoch(epoch, &date))
        return error_at(&session->error, "SOURCE_DATE_EPOCH", 0, 0,
                        tr("'%s' is not a positive number"), epoch);
    if ((epoch && *epoch) || localtime_r(&now, &date))
        strftime(text, sizeof text, "%Y-%m-%d", &date);
    session->today = option ? option : arena_strdup(session->arena, text);
    return true;
}

/* ---- sessions ------------------------------------------------------------------------------- */

static const struct data_kind *const data_kinds[] = {&catalog_kind, &constants_kind, &lesson_kind,
                                                     &glossary_kind, NULL};

bool session_open(struct session *session, const struct cli *cli)
{
    *session = (struct session){.cli = cli, .arena = arena_new()};
    return find_today(session) &&
           catalog_load(cli->values[OPTION_DATA], &session->catalog, &session->error) &&
           constants_load(cli->values[OPTION_DATA], session->arena, &session->constants,
                          &session->error) &&
           data_overlays_known(data_kinds, session->arena, &session->error);
}

/* The scenario file that stands as argument number `at`, then the answers of --set, in their order. */
static bool session_answers(struct session *session, int at)
{
    const struct cli *cli = session->cli;
    if (cli->argument_count > at &&
        !scenario_read(&session->scenario, cli->arguments[at], &session->catalog, session->arena,
                       &session->error))
        return false;
    for (int i = 0; i < cli->set_count; i++)
        if (!scenario_set_pair(&session->scenario, cli->sets[i], &session->catalog, session->arena,
                               &session->error))
            return false;
    return true;
}

enum exit_status session_close(struct session *session, enum exit_status status)
{
    if (status == EXIT_ERROR && session->error.message[0])
        cli_fail(&session->error, status);
    catalog_clear(&session->catalog);
    arena_free(session->arena);
    return status;
}

/* ---- output --------------------------------------------------------------------------------- */

static const char *const endings[FORMAT_COUNT] = {".txt", ".md", ".csv", ".json", ".html"};

/* From the last dot of the file's own name; NULL when it has none. */
static const char *file_ending(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strrchr(slash ? slash + 1 : path, '.');
}

bool session_format(struct session *session, enum format *format)
{
    const char *name = session->cli->values[OPTION_FORMAT],
               *file = session->cli->values[OPTION_OUTPUT];
    const char *ending = file && strcmp(file, "-") != 0 ? file_ending(file) : NULL;
    *format = FORMAT_TEXT;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (name ? strcmp(name, cli_formats[i]) == 0 : ending && strcmp(ending, endings[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    if (!ending)
        return true;
    error_set(&session->error, tr("the ending of %s names no format"), file);
    return error_hint(&session->error, tr("use .txt, .md, .csv, .json or .html, or --format"));
}

/* Spreadsheets need a byte-order mark in files; pipes do not want one. */
static bool goes_to_file(const struct session *session)
{
    const char *file = session->cli->values[OPTION_OUTPUT];
    return file && strcmp(file, "-") != 0;
}

bool session_ascii(const struct session *session)
{
    return session->cli->values[OPTION_ASCII] || (!goes_to_file(session) && !i18n_utf8());
}

/* A file that --force would overwrite; a folder or a device is none. */
static bool is_kept(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? S_ISREG(status.st_mode) : lstat(path, &status) == 0;
}

/* A folder that is misspelled is not made: nobody would look for the file there. */
static bool has_folder(struct session *session, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat status;
    if (!slash || slash == path)
        return true;
    const char *folder = arena_strndup(session->arena, path, (size_t)(slash - path));
    return (stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) ||
           error_at(&session->error, folder, 0, 0, "%s", tr("there is no such folder"));
}

bool session_write(struct session *session, const struct strbuf *text)
{
    const char *file = session->cli->values[OPTION_OUTPUT];
    bool force = session->cli->values[OPTION_FORCE] != NULL;
    if (goes_to_file(session))
        return has_folder(session, file) &&
               (file_write(file, strbuf_text(text), text->length, force, &session->error) ||
                (!force && is_kept(file) &&
                 error_hint(&session->error, tr("--force overwrites it"))));
    if (fwrite(strbuf_text(text), 1, text->length, stdout) != text->length || fflush(stdout) != 0)
        return error_set(&session->error, "%s", tr("standard output cannot be written"));
    return true;
}

void session_report(const struct report *report, enum format format, struct strbuf *out)
{
    static void (*const writers[FORMAT_COUNT])(const struct report *, struct strbuf *) = {
        [FORMAT_TEXT] = report_write_text,
        [FORMAT_MARKDOWN] = report_write_markdown,
        [FORMAT_HTML] = report_write_html,
    };
    writers[format](report, out);
}

/* ---- plan and estimate ----------------------------------------------------------------------- */

/* --explain names a topic, and goes with the formats that people read. */
static bool explain_wanted(struct session *session, enum format format)
{
    const char *what = session->cli->values[OPTION_EXPLAIN];
    if (!what)
        return true;
    if (format == FORMAT_CSV || format == FORMAT_JSON)
        return error_set(&session->error, "%s", tr("explanations are sentences: use text, md or html"));
    return explain_check(what, &session->error);
}

static void write_plan(struct session *session, const struct plan *plan, enum format format,
                       struct strbuf *out)
{
    struct remedy found[RELAX_MAX];
    struct report_input input = {.catalog = &session->catalog,
                                 .constants = &session->constants,
                                 .scenario = &session->scenario,
                                 .plan = plan,
                                 .remedies = found,
                                 .today = session->today,
                                 .explain = session->cli->values[OPTION_EXPLAIN],
                                 .ascii = session_ascii(session)};
    if (format == FORMAT_CSV) {
        struct table table;
        report_offers_table(plan, billing_mode_of_choice(&session->scenario), session->arena,
                            &table);
        table_write_csv(&table, goes_to_file(session), out);
        return;
    }
    input.remedy_count = remedies(&session->catalog, &session->constants, &session->scenario, plan,
                                  session->today, found);
    if (format == FORMAT_JSON) {
        report_write_plan_json(&input, out);
        return;
    }
    struct report report;
    report_plan(&input, session->arena, &report);
    session_report(&report, format, out);
}

enum exit_status command_plan(const struct cli *cli)
{
    struct session session;
    struct plan plan;
    struct strbuf out = {0};
    enum format format;
    if (!session_open(&session, cli) || !session_answers(&session, 0) ||
        !session_format(&session, &format) || !explain_wanted(&session, format) ||
        !plan_compute(&session.catalog, &session.constants, &session.scenario, session.today, &plan,
                      &session.error))
        return session_close(&session, EXIT_ERROR);
    enum exit_status status = plan.offer_count ? EXIT_DONE : EXIT_NOTHING_FITS;
    write_plan(&session, &plan, format, &out);
    if (!session_write(&session, &out))
        status = EXIT_ERROR;
    strbuf_clear(&out);
    plan_clear(&plan);
    return session_close(&session, status);
}

enum exit_status command_estimate(const struct cli *cli)
{
    struct session session;
    struct offer offer;
    struct job job;
    struct strbuf out = {0};
    enum format format;
    bool done =
        session_open(&session, cli) && session_answers(&session, 0) &&
        session_format(&session, &format) && explain_wanted(&session, format);
    if (done && format == FORMAT_CSV)
        done = error_set(&session.error, "%s",
                         tr("an estimate is one record: use text, md, html or json"));
    done = done && estimate_compute(&session.catalog, &session.constants, &session.scenario,
                                    session.arena, &offer, &job, &session.error);
    if (done) {
        struct remedy found[RELAX_MAX];
        struct report_input input = {.catalog = &session.catalog,
                                     .constants = &session.constants,
                                     .scenario = &session.scenario,
                                     .remedies = found,
                                     .offer = &offer,
                                     .job = &job,
                                     .today = session.today,
                                     .explain = cli->values[OPTION_EXPLAIN],
                                     .ascii = session_ascii(&session)};
        struct report report;
        input.remedy_count = remedies_of_estimate(&session.catalog, &session.constants,
                                                  &session.scenario, &offer, &job, found);
        if (format == FORMAT_JSON) {
            report_write_estimate_json(&input, &out);
        } else {
            report_estimate(&input, session.arena, &report);
            session_report(&report, format, &out);
        }
        done = session_write(&session, &out);
        strbuf_clear(&out);
    }
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}

/* ---- matrix --------------------------------------------------------------------------------- */

enum exit_status command_matrix(const struct cli *cli)
{
    struct session session;
    struct matrix matrix;
    struct strbuf out = {0};
    enum format format;
    enum matrix_kind kind = strcmp(cli->arguments[0], matrix_names[MATRIX_METHODS]) == 0 ? MATRIX_METHODS : MATRIX_LENGTHS;
    bool done = session_open(&session, cli) && session_answers(&session, 1) && session_format(&session, &format) &&
                matrix_compute(kind, &session.catalog, &session.constants, &session.scenario, session.today,
                               session.arena, &matrix, &session.error);
    if (done && (format == FORMAT_CSV || format == FORMAT_JSON)) {
        struct table table;
        report_matrix_table(&matrix, session.arena, &table);
        if (format == FORMAT_CSV)
            table_write_csv(&table, goes_to_file(&session), &out);
        else
            table_write_json(&table, &out);
    } else if (done) {
        struct report report;
        report_matrix(&matrix, session.arena, &report);
        session_report(&report, format, &out);
    }
    done = done && session_write(&session, &out);
    strbuf_clear(&out);
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}

/* ---- list ----------------------------------------------------------------------------------- */

/* Cells of a line on the terminal, or of $COLUMNS; whole rows for a file, a pipe or a pager. */
static int line_cells(const struct session *session)
{
    const char *columns_asked = getenv("COLUMNS");
    struct winsize size;
    if (goes_to_file(session))
        return INT_MAX;
    if (columns_asked && atoi(columns_asked) > 0)
        return atoi(columns_asked);
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
               ? size.ws_col
               : INT_MAX;
}

enum { SENTENCE_CELLS = 30 }; /* sentences in less are a ladder of words */

/* As many of the first columns as a line holds; a column of sentences wraps in what is left. */
static void write_list_text(struct session *session, const struct table *table, struct strbuf *out)
{
    struct table narrow;
    int cells = line_cells(session), used = 0, count = 0;
    while (count < table->column_count && used + table_width(table, count) <= cells)
        used += table_width(table, count++) + 2;
    if (count < table->column_count && table->columns[count].align == TEXT_LEFT &&
        cells - used >= SENTENCE_CELLS)
        count++;
    table_first_columns(table, count ? count : 1, &narrow);
    table_write_text(&narrow, cells, 0, out);
}

enum exit_status command_list(const struct cli *cli)
{
    struct session session;
    struct table table;
    struct strbuf out = {0};
    enum format format;
    const char *filter = cli->argument_count > 1 ? cli->arguments[1] : NULL;
    bool done = session_open(&session, cli) && session_format(&session, &format) &&
                list_fill(cli->arguments[0], filter, format == FORMAT_CSV || format == FORMAT_JSON,
                          cli->values[OPTION_DATA], &session.catalog, session.today, session.arena,
                          &table, &session.error);
    if (done) {
        switch (format) {
        case FORMAT_TEXT:
            write_list_text(&session, &table, &out);
            break;
        case FORMAT_MARKDOWN:
            table_write_markdown(&table, &out);
            break;
        case FORMAT_HTML:
            table_write_html(&table, &out);
            break;
        case FORMAT_JSON:
            table_write_json(&table, &out);
            break;
        default:
            table_write_csv(&table, goes_to_file(&session), &out);
        }
        done = session_write(&session, &out);
        strbuf_clear(&out);
    }
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}

/* ---- check ---------------------------------------------------------------------------------- */

/* A data file names its schema or has a list of records under a key that is no question. */
static bool is_data_file(const struct yaml_document *document)
{
    for (const struct yaml_node *node = document->root->first; node; node = node->next) {
        const struct field *field = node->key ? field_find(node->key) : NULL;
        if (node->key && strcmp(node->key, "schema") == 0)
            return true;
        if (node->key && node->kind == YAML_LIST && !field)
            return true;
    }
    return false;
}

static bool check_scenario(struct session *session, const struct yaml_document *document)
{
    struct scenario scenario = {0};
    return scenario_read_node(&scenario, document, document->root, &session->catalog,
                              session->arena, &session->error) &&
           scenario_check(&scenario, &session->catalog, NULL, &session->error);
}

static bool check_file(struct session *session, const char *path)
{
    struct yaml_document document;
    if (!yaml_read_file(session->arena, path, 0, &document, &session->error))
        return false;
    if (is_data_file(&document))
        return data_check_document(&document, session->cli->values[OPTION_DATA], data_kinds,
                                   &session->error);
    return check_scenario(session, &document);
}

enum exit_status command_check(const struct cli *cli)
{
    struct session session;
    enum exit_status status = EXIT_DONE;
    if (!session_open(&session, cli))
        return session_close(&session, EXIT_ERROR);
    for (int i = 0; i < cli->argument_count; i++) {
        if (check_file(&session, cli->arguments[i]))
            printf("%s: %s\n", cli->arguments[i], tr("good"));
        else
            status = cli_fail(&session.error, EXIT_ERROR);
    }
    session.error = (struct error){0}; /* all were told */
    return session_close(&session, status);
}

/* ---- import --------------------------------------------------------------------------------- */

enum exit_status command_import(const struct cli *cli)
{
    struct session session;
    struct strbuf out = {0};
    bool done = session_open(&session, cli);
    const char *overlay = done ? import_overlay_path(session.arena) : NULL;
    if (done && !overlay)
        done = error_set(&session.error, "%s", tr("there is no home folder to keep the prices in"));
    const struct import_options asked = {.type = cli->values[OPTION_TYPE],
                                         .region = cli->values[OPTION_REGION],
                                         .period = cli->values[OPTION_PERIOD],
                                         .today = session.today};
    done = done && import_files(&session.catalog, cli->arguments, cli->argument_count, &asked,
                                overlay, &out, &session.error);
    if (done)
        fputs(strbuf_text(&out), stdout);
    strbuf_clear(&out);
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}

/* ---- calibrate ------------------------------------------------------------------------------ */

enum exit_status command_calibrate(const struct cli *cli)
{
    struct session session;
    struct measured measured = {NAN, NAN};
    struct strbuf out = {0};
    bool done = session_open(&session, cli) && session_answers(&session, 0);
    for (int i = 0; done && i < cli->measured_count; i++)
        done = measured_set(&measured, cli->measured[i], &session.error);
    if (done && cli->measured_count == 0)
        done = error_set(&session.error, "%s",
                         tr("say what was measured: --measured memory_gib=.. tokens_per_s=.."));
    const char *overlay = done ? constants_overlay_path(session.arena) : NULL;
    if (done && !overlay)
        done = error_set(&session.error, "%s",
                         tr("there is no home folder to keep the calibration in"));
    done = done && calibrate(&session.catalog, &session.constants, &session.scenario, &measured,
                             session.today, overlay, &out, &session.error);
    if (done)
        fputs(strbuf_text(&out), stdout);
    strbuf_clear(&out);
    return session_close(&session, done ? EXIT_DONE : EXIT_ERROR);
}

/* ---- wizard --------------------------------------------------------------------------------- */

enum exit_status command_wizard(const struct cli *cli)
{
    struct session session;
    const char *colour = cli->values[OPTION_COLOR];
    if (!session_open(&session, cli) || !session_answers(&session, 0))
        return session_close(&session, EXIT_ERROR);
    struct wizard_options wizard = {
        .catalog = &session.catalog,
        .constants = &session.constants,
        .today = session.today,
        .data_folder = cli->values[OPTION_DATA],
        .scenario = cli->argument_count + cli->set_count > 0 ? &session.scenario : NULL,
        .plain = cli->values[OPTION_PLAIN] != NULL,
        .ascii = cli->values[OPTION_ASCII] != NULL,
        .no_mouse = cli->values[OPTION_NO_MOUSE] != NULL,
        .colour = !colour || strcmp(colour, "auto") == 0 ? COLOUR_AUTO
                  : strcmp(colour, "always") == 0        ? COLOUR_ALWAYS
                                                         : COLOUR_NEVER,
        .script = cli->values[OPTION_SCRIPT],
        .dump = cli->values[OPTION_DUMP_SCREEN],
        .size = cli->values[OPTION_SIZE]};
    int status = wizard_run(&wizard);
    session.error = (struct error){0}; /* the wizard told its own */
    return session_close(&session, (enum exit_status)status);
}
