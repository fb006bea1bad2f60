/* main.c - the program's start: the language, the command line, and the command it names. */
#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/i18n.h"
#include "cli.h"
#include "commands.h"
#include "engine/matrix.h"
#include "report/lists.h"

/* clang-format off */
const struct command commands[COMMAND_COUNT] = {
    [COMMAND_WIZARD] = {"", "[SCENARIO]", 0, 1, NULL, N_("start the wizard, with these answers given"),
                        command_wizard},
    [COMMAND_PLAN] = {"plan", "[SCENARIO] [--set KEY=VALUE]...", 0, 1, NULL,
                      N_("rank the instances that can do the job"), command_plan},
    [COMMAND_ESTIMATE] = {"estimate", "[SCENARIO] [--set KEY=VALUE]...", 0, 1, NULL,
                          N_("memory and speed on the hardware the scenario names"), command_estimate},
    [COMMAND_MATRIX] = {"matrix", "KIND [SCENARIO] [--set KEY=VALUE]...", 1, 2, matrix_names,
                        N_("a table of memory: lengths by batch or users, or methods by GPU"), command_matrix},
    [COMMAND_LIST] = {"list", "WHAT [FILTER]", 1, 2, list_names,
                      N_("what the catalog holds: models, gpus, instances, prices, weights, ..."),
                      command_list},
    [COMMAND_CHECK] = {"check", "FILE...", 1, 1000, NULL,
                       N_("validate scenario and data files"), command_check},
    [COMMAND_IMPORT] = {"import", "FILE.json...", 1, 1000, NULL,
                        N_("take over prices, types and stock from `aliyun ecs Describe...`"),
                        command_import},
    [COMMAND_CALIBRATE] = {"calibrate", "SCENARIO --measured KEY=VALUE...", 0, 1, NULL,
                           N_("learn from a run of your own"), command_calibrate},
    [COMMAND_LEARN] = {"learn", "[LESSON]", 0, 1, NULL,
                       N_("list the lessons, or start one; worksheets for a class"), command_learn},
};
/* clang-format on */

static enum exit_status print(void (*write)(const struct cli *, struct strbuf *),
                              const struct cli *cli)
{
    struct strbuf out = {0};
    write(cli, &out);
    fputs(strbuf_text(&out), stdout);
    strbuf_clear(&out);
    return EXIT_DONE;
}

static void write_help(const struct cli *cli, struct strbuf *out)
{
    cli_help(cli->command, out);
}

static void write_version(const struct cli *cli, struct strbuf *out)
{
    (void)cli;
    strbuf_add(out, "gpuwiz " GPUWIZ_VERSION "\n");
}

static void write_completions(const struct cli *cli, struct strbuf *out)
{
    cli_completions(cli->values[OPTION_COMPLETIONS], out);
}

static enum exit_status run(const struct cli *cli)
{
    if (cli->values[OPTION_HELP])
        return print(write_help, cli);
    if (cli->values[OPTION_VERSION])
        return print(write_version, cli);
    if (cli->values[OPTION_COMPLETIONS])
        return print(write_completions, cli);
    return cli->command->run(cli);
}

/* Output that never arrived is no success, whichever command wrote it. */
static enum exit_status flush(enum exit_status status)
{
    struct error error;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || status == EXIT_ERROR)
        return status;
    error_set(&error, "%s", tr("standard output cannot be written"));
    return cli_fail(&error, EXIT_ERROR);
}

int main(int argc, char **argv)
{
    const char **store = xrealloc(NULL, 3 * (size_t)argc + 1, sizeof *store);
    struct error error;
    struct cli cli;
    if (!i18n_choose(cli_language(argc, argv)))
        i18n_choose(NULL);
    bool understood = cli_parse(argc, argv, store, &cli, &error);
    enum exit_status status = understood ? flush(run(&cli)) : cli_fail(&error, EXIT_USAGE);
    free(store);
    return (int)status;
}
