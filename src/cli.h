/* cli.h - the words of the command line. Two tables, commands and options, drive parsing, --help,
 * the check of the man page and the completions. */
#ifndef GPUWIZ_CLI_H
#define GPUWIZ_CLI_H

#include <stdbool.h>
#include "base/error.h"
#include "base/strbuf.h"

enum exit_status { EXIT_DONE, EXIT_ERROR, EXIT_USAGE, EXIT_NOTHING_FITS };

enum option_id {
    OPTION_SET, OPTION_FORMAT, OPTION_OUTPUT, OPTION_FORCE, OPTION_EXPLAIN, OPTION_MEASURED, OPTION_WORKSHEET, OPTION_ANSWERS,
    OPTION_TYPE, OPTION_REGION, OPTION_PERIOD,
    OPTION_LANG, OPTION_DATA, OPTION_DATE, OPTION_ASCII, OPTION_COLOR, OPTION_PLAIN,
    OPTION_NO_MOUSE, OPTION_SCRIPT, OPTION_DUMP_SCREEN, OPTION_SIZE, OPTION_COMPLETIONS, OPTION_VERSION, OPTION_HELP,
    OPTION_COUNT
};

struct option_info {
    const char *name;              /* without the dashes */
    char letter;                   /* 0 = none */
    const char *argument;          /* "FILE"; NULL = a switch */
    const char *const *values;     /* what the argument may be, NULL = anything */
    unsigned commands;             /* bits of 1 << enum command_id */
    const char *help;              /* N_() */
};
extern const struct option_info options[OPTION_COUNT];

enum command_id {
    COMMAND_WIZARD, COMMAND_PLAN, COMMAND_ESTIMATE, COMMAND_LIST, COMMAND_CHECK, COMMAND_IMPORT,
    COMMAND_CALIBRATE, COMMAND_LEARN, COMMAND_MATRIX,
    COMMAND_COUNT
};

struct cli;
struct command {
    const char *name;              /* "" = the wizard, started without a word */
    const char *arguments;         /* as --help shows them */
    int least, most;               /* arguments */
    const char *const *values;     /* what the first argument may be, NULL = anything */
    const char *help;              /* N_() */
    enum exit_status (*run)(const struct cli *cli);
};
extern const struct command commands[COMMAND_COUNT];

/* A command line that was understood. Texts are borrowed from argv. */
struct cli {
    const struct command *command;
    const char *values[OPTION_COUNT];  /* NULL = not given; "" for a switch */
    const char *const *arguments;      int argument_count;
    const char *const *sets;           int set_count;
    const char *const *measured;       int measured_count;
};

/* The value of --lang wherever it stands, so that even a wrong command line is answered in it; NULL
 * when it is not given. */
const char *cli_language(int argc, char **argv);

/* Splits the command line; the lists live in `store`, which has room for 3 * argc pointers. */
bool cli_parse(int argc, char **argv, const char **store, struct cli *cli, struct error *error);

/* The text of --help: of one command, or of all when `command` is NULL. */
void cli_help(const struct command *command, struct strbuf *out);

/* A completion script for "bash", "zsh" or "fish". */
void cli_completions(const char *shell, struct strbuf *out);

extern const char *const cli_formats[], *const cli_shells[];

#endif
