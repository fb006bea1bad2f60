/* command_session.h - what the files with commands share: the data, the answers, the output. */
#ifndef GPUWIZ_COMMAND_SESSION_H
#define GPUWIZ_COMMAND_SESSION_H

#include "base/strbuf.h"
#include "commands.h"
#include "data/scenario.h"
#include "engine/constants.h"
#include "report/report.h"

/* What a command works with. */
struct session {
    const struct cli *cli;
    struct arena *arena;
    struct catalog catalog;
    struct constants constants;
    struct scenario scenario;
    const char *today;
    struct error error;
};

enum format { FORMAT_TEXT, FORMAT_MARKDOWN, FORMAT_CSV, FORMAT_JSON, FORMAT_HTML, FORMAT_COUNT };

/* Loads catalog and constants and finds today. session_close must follow in any case; it tells
 * session->error when `status` is EXIT_ERROR, and returns `status`. */
bool session_open(struct session *session, const struct cli *cli);
enum exit_status session_close(struct session *session, enum exit_status status);

/* --format, else by the ending of -o, else text. */
bool session_format(struct session *session, enum format *format);

/* To -o, else to standard output. */
bool session_write(struct session *session, const struct strbuf *text);

/* --ascii, or what goes to a terminal or pipe whose characters are not UTF-8; files always are. */
bool session_ascii(const struct session *session);

/* A report as text, Markdown or HTML. */
void session_report(const struct report *report, enum format format, struct strbuf *out);

#endif
