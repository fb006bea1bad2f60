/* cli.c - parsing the command line by the tables of options and commands. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/text.h"
#include "data/import.h"

const char *const cli_formats[] = {"text", "md", "csv", "json", "html", NULL};
const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};
static const char *const languages[] = {"en", "zh", NULL};
static const char *const color_choices[] = {"auto", "always", "never", NULL};

#define WIZARD (1u << COMMAND_WIZARD)
#define PLAN (1u << COMMAND_PLAN)
#define ESTIMATE (1u << COMMAND_ESTIMATE)
#define LIST (1u << COMMAND_LIST)
#define IMPORT (1u << COMMAND_IMPORT)
#define CALIBRATE (1u << COMMAND_CALIBRATE)
#define LEARN (1u << COMMAND_LEARN)
#define MATRIX (1u << COMMAND_MATRIX)
#define ALL ((1u << COMMAND_COUNT) - 1)

/* clang-format off */
const struct option_info options[OPTION_COUNT] = {
    [OPTION_SET] = {"set", 's', "KEY=VALUE", NULL, WIZARD | PLAN | ESTIMATE | MATRIX | CALIBRATE,
                    N_("answer a question; may be repeated")},
    [OPTION_FORMAT] = {"format", 'f', "FORMAT", cli_formats, PLAN | ESTIMATE | MATRIX | LIST | LEARN,
                       N_("form of the output: text, md, csv, json or html")},
    [OPTION_OUTPUT] = {"output", 'o', "FILE", NULL, PLAN | ESTIMATE | MATRIX | LIST | LEARN,
                       N_("write to a file; its ending chooses the format")},
    [OPTION_FORCE] = {"force", 0, NULL, NULL, PLAN | ESTIMATE | MATRIX | LIST | LEARN, N_("overwrite that file")},
    [OPTION_EXPLAIN] = {"explain", 0, "TOPIC", NULL, PLAN | ESTIMATE,
                        N_("how a figure comes about: memory.weights, speed, cost, all, ...")},
    [OPTION_MEASURED] = {"measured", 'm', "KEY=VALUE...", NULL, CALIBRATE,
                         N_("what you measured: memory_gib, tokens_per_s")},
    [OPTION_WORKSHEET] = {"worksheet", 'w', NULL, NULL, LEARN, N_("write the lesson as a page to fill in")},
    [OPTION_ANSWERS] = {"answers", 0, NULL, NULL, LEARN, N_("write its answer sheet instead")},
    [OPTION_TYPE] = {"type", 0, "TYPE", NULL, IMPORT, N_("instance type that DescribePrice was asked about")},
    [OPTION_REGION] = {"region", 0, "REGION", NULL, IMPORT, N_("region that DescribePrice was asked about")},
    [OPTION_PERIOD] = {"period", 0, "PERIOD", import_periods, IMPORT,
                       N_("what was asked for: hour, month, year, ... or spot")},
    [OPTION_LANG] = {"lang", 0, "LANGUAGE", languages, ALL, N_("en or zh")},
    [OPTION_DATA] = {"data", 0, "FOLDER", NULL, ALL, N_("read the data files of this folder")},
    [OPTION_DATE] = {"date", 0, "YYYY-MM-DD", NULL, ALL, N_("the date to count as today")},
    [OPTION_ASCII] = {"ascii", 0, NULL, NULL, WIZARD | PLAN | ESTIMATE | LEARN, N_("no characters beyond ASCII")},
    [OPTION_COLOR] = {"color", 0, "WHEN", color_choices, WIZARD | LEARN, N_("auto, always or never")},
    [OPTION_PLAIN] = {"plain", 0, NULL, NULL, WIZARD | LEARN, N_("one question a line, no screen")},
    [OPTION_NO_MOUSE] = {"no-mouse", 0, NULL, NULL, WIZARD | LEARN, N_("leave the mouse to the terminal")},
    [OPTION_SCRIPT] = {"script", 0, "FILE", NULL, WIZARD,
                       N_("press the keys named in a file, without a terminal")},
    [OPTION_DUMP_SCREEN] = {"dump-screen", 0, "FILE", NULL, WIZARD,
                            N_("where --script writes the last screen")},
    [OPTION_SIZE] = {"size", 0, "COLUMNSxROWS", NULL, WIZARD, N_("size of that screen; 80x24")},
    [OPTION_COMPLETIONS] = {"completions", 0, "SHELL", cli_shells, WIZARD,
                            N_("print completions for bash, zsh or fish")},
    [OPTION_VERSION] = {"version", 'V', NULL, NULL, ALL, N_("print the version")},
    [OPTION_HELP] = {"help", 'h', NULL, NULL, ALL, N_("print this help")},
};
/* clang-format on */

/* ---- finding -------------------------------------------------------------------------------- */

static const struct option_info *find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strncmp(options[i].name, name, length) == 0 && !options[i].name[length])
            return &options[i];
    return NULL;
}

static const struct option_info *find_letter(char letter)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].letter == letter)
            return &options[i];
    return NULL;
}

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (*name && strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static bool is_value(const char *const *values, const char *text)
{
    for (; *values; values++)
        if (strcmp(*values, text) == 0)
            return true;
    return false;
}

static const char *list_values(const char *const *values, struct strbuf *text)
{
    strbuf_reset(text);
    for (int i = 0; values[i]; i++)
        strbuf_printf(text, "%s%s", i ? ", " : "", values[i]);
    return strbuf_text(text);
}

/* ---- errors --------------------------------------------------------------------------------- */

static bool unknown_option(const char *word, size_t length, struct error *error)
{
    const char *nearest = options[0].name;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (int i = 1; i < OPTION_COUNT; i++)
        if (text_distance(options[i].name, name) < text_distance(nearest, name))
            nearest = options[i].name;
    error_set(error, tr("unknown option --%s"), name);
    return text_alike(nearest, name) ? error_hint(error, tr("did you mean --%s?"), nearest)
                                     : error_hint(error, tr("gpuwiz --help lists the options"));
}

static bool unknown_command(const char *word, struct error *error)
{
    const char *nearest = commands[1].name;
    for (int i = 2; i < COMMAND_COUNT; i++)
        if (text_distance(commands[i].name, word) < text_distance(nearest, word))
            nearest = commands[i].name;
    error_set(error, tr("\"%s\" is neither a command nor a file"), word);
    if (text_distance(nearest, word) > 2)
        return error_hint(error, tr("gpuwiz --help lists the commands"));
    return error_hint(error, tr("did you mean \"%s\"?"), nearest);
}

static bool wrong_value(const char *what, const char *value, const char *const *values,
                        struct error *error)
{
    struct strbuf text = {0};
    error_set(error, tr("%s cannot be \"%s\""), what, value);
    error_hint(error, tr("one of: %s"), list_values(values, &text));
    strbuf_clear(&text);
    return false;
}

/* ---- parsing -------------------------------------------------------------------------------- */

struct parser {
    char **words; /* what is left of the command line */
    struct cli *cli;
    const char **arguments, **sets, **measured;
};

/* Stores one option; `attached` is the text after "=" or the letter, NULL when there was none. */
static bool take_option(struct parser *parser, const struct option_info *option,
                        const char *attached, struct error *error)
{
    struct cli *cli = parser->cli;
    if (!option->argument && attached)
        return error_set(error, tr("--%s takes no value"), option->name);
    const char *value = attached ? attached : "";
    if (option->argument && !attached) {
        if (!*parser->words)
            return error_set(error, tr("--%s needs a value: %s"), option->name, option->argument);
        value = *parser->words++;
    }
    if (option->argument && !*value && !option->values) /* "$FOLDER" that was never set */
        return error_set(error, tr("--%s needs a value: %s"), option->name, option->argument);
    if (option->values && !is_value(option->values, value)) {
        char what[32];
        snprintf(what, sizeof what, "--%s", option->name);
        return wrong_value(what, value, option->values, error);
    }
    cli->values[option - options] = value;
    if (option == &options[OPTION_SET])
        parser->sets[cli->set_count++] = value;
    if (option == &options[OPTION_MEASURED])
        parser->measured[cli->measured_count++] = value;
    return true;
}

/* "--name", "--name=value", "-o", "-oFILE" */
static bool take_dashed(struct parser *parser, const char *word, struct error *error)
{
    const struct option_info *option;
    const char *attached = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_option(word + 2, length);
        if (!option)
            return unknown_option(word + 2, length, error);
        attached = word[2 + length] ? word + 2 + length + 1 : NULL;
    } else {
        option = find_letter(word[1]);
        if (!option) {
            error_set(error, tr("unknown option -%c"), word[1]);
            return error_hint(error, tr("gpuwiz --help lists them all"));
        }
        attached = word[2] ? word + 2 : NULL;
    }
    return take_option(parser, option, attached, error);
}

static bool take_argument(struct parser *parser, const char *word, struct error *error)
{
    struct cli *cli = parser->cli;
    const struct command *command = find_command(word);
    if (!cli->command && command) {
        cli->command = command;
        return true;
    }
    if (!cli->command) {
        if (strcmp(word, "-") != 0 && access(word, F_OK) != 0)
            return unknown_command(word, error);
        cli->command = &commands[COMMAND_WIZARD];
    }
    if (cli->command == &commands[COMMAND_CALIBRATE] && cli->measured_count > 0 &&
        strchr(word, '='))
        parser->measured[cli->measured_count++] = word;
    else
        parser->arguments[cli->argument_count++] = word;
    return true;
}

/* The number of arguments, their values, and whether the options belong to the command. */
static bool check(const struct cli *cli, struct error *error)
{
    const struct command *command = cli->command;
    if (cli->argument_count > command->most)
        return error_set(error, tr("too many arguments: \"%s\""), cli->arguments[command->most]);
    if (cli->argument_count < command->least) {
        error_set(error, tr("an argument is missing"));
        return error_hint(error, "gpuwiz %s %s", command->name, command->arguments);
    }
    if (command->values && cli->argument_count > 0 && !is_value(command->values, cli->arguments[0]))
        return wrong_value(command->name, cli->arguments[0], command->values, error);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (cli->values[i] && !(options[i].commands >> (command - commands) & 1))
            return error_set(error, tr("--%s has no meaning for gpuwiz %s"), options[i].name,
                             command->name);
    return true;
}

const char *cli_language(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--lang=", 7) == 0)
            return argv[i] + 7;
        if (strcmp(argv[i], "--lang") == 0)
            return argv[i + 1];
    }
    return NULL;
}

bool cli_parse(int argc, char **argv, const char **store, struct cli *cli, struct error *error)
{
    *cli = (struct cli){0};
    struct parser parser = {argv + (argc > 0), cli, store, store + argc, store + 2 * argc};
    bool options_end = false;
    cli->arguments = parser.arguments;
    cli->sets = parser.sets;
    cli->measured = parser.measured;
    while (*parser.words) {
        const char *word = *parser.words++;
        bool dashed = !options_end && word[0] == '-' && word[1];
        if (dashed && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (dashed ? !take_dashed(&parser, word, error) : !take_argument(&parser, word, error))
            return false;
    }
    bool asks = cli->values[OPTION_HELP] || cli->values[OPTION_VERSION];
    if (!cli->command && !asks)
        cli->command = &commands[COMMAND_WIZARD];
    return asks || check(cli, error);
}

/* ---- help ----------------------------------------------------------------------------------- */

enum { HELP_LEFT = 26, HELP_WIDTH = 80 };

/* Two columns: the words, then the help wrapped. */
static void add_entry(struct strbuf *out, const char *left, const char *help)
{
    strbuf_add(out, "  ");
    if (text_width(left) < HELP_LEFT)
        text_add_padded(out, left, HELP_LEFT, TEXT_LEFT);
    else
        strbuf_printf(out, "%s\n%*s", left, HELP_LEFT + 2, "");
    for (size_t length; (length = text_wrap(help, HELP_WIDTH - HELP_LEFT - 2)) > 0;) {
        strbuf_add_n(out, help, length);
        strbuf_add(out, "\n");
        help += length;
        help += strspn(help, " ");
        if (*help)
            strbuf_printf(out, "%*s", HELP_LEFT + 2, "");
    }
}

static void add_options(unsigned mask, struct strbuf *out)
{
    strbuf_printf(out, "\n%s\n", tr("Options:"));
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *option = &options[i];
        char left[64], letter[8] = "    ";
        if (!(option->commands & mask))
            continue;
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        add_entry(out, left, tr(option->help));
    }
}

void cli_help(const struct command *command, struct strbuf *out)
{
    if (command && *command->name) {
        strbuf_printf(out, "%s gpuwiz %s %s\n\n%s\n", tr("Usage:"), command->name,
                      command->arguments, tr(command->help));
        add_options(1u << (command - commands), out);
        return;
    }
    strbuf_printf(out, "%s\n\n%s\n", tr("gpuwiz - which cloud GPUs to rent for a language model"),
                  tr("Usage:"));
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "gpuwiz %s%s%s", commands[i].name, *commands[i].name ? " " : "",
                 commands[i].arguments);
        add_entry(out, left, tr(commands[i].help));
    }
    add_options(ALL, out);
    strbuf_printf(out, "\n%s\n",
                  tr("Exit status: 0 done, 1 error, 2 wrong usage, 3 nothing fits."));
}
