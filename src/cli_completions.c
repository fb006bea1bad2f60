/* cli_completions.c - completion scripts for three shells, from the tables of the command line and
 * the table of questions. Names of models and the like are asked of gpuwiz itself. */
#include "cli.h"

#include <string.h>
#include "base/i18n.h"
#include "data/scenario.h"

static void add_words(struct strbuf *out, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        strbuf_printf(out, "%s%s", i ? " " : "", words[i]);
}

static void add_command_names(struct strbuf *out)
{
    for (int i = 1; i < COMMAND_COUNT; i++)
        strbuf_printf(out, "%s%s", i > 1 ? " " : "", commands[i].name);
}

static void add_option_names(struct strbuf *out, unsigned command)
{
    const char *space = "";
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!(options[i].commands >> command & 1))
            continue;
        strbuf_printf(out, "%s--%s", space, options[i].name);
        space = " ";
    }
}

/* "key=" for each question, or "key=value" where the values are few. */
static void add_answers(struct strbuf *out)
{
    for (int id = 0; id < FIELD_COUNT; id++) {
        if (fields[id].kind == FIELD_KIND_BOOL)
            strbuf_printf(out, "%s%s=yes %s=no", id ? " " : "", fields[id].key, fields[id].key);
        else if (!fields[id].choices)
            strbuf_printf(out, "%s%s=", id ? " " : "", fields[id].key);
        else
            for (int i = 0; fields[id].choices[i]; i++)
                strbuf_printf(out, "%s%s=%s", id || i ? " " : "", fields[id].key,
                              fields[id].choices[i]);
    }
}

/* ---- bash ----------------------------------------------------------------------------------- */

/* A branch of a case statement that completes from fixed words. */
static void add_branch(struct strbuf *out, const char *dashes, const char *pattern,
                       const char *const *words)
{
    strbuf_printf(out, "    %s%s) COMPREPLY=($(compgen -W \"", dashes, pattern);
    add_words(out, words);
    strbuf_add(out, "\" -- \"$cur\")); return;;\n");
}

/* What may follow the word before: values of an option, a question, what a command works on. */
static void bash_after_word(struct strbuf *out)
{
    strbuf_add(out, "    case $prev in\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].values)
            add_branch(out, "--", options[i].name, options[i].values);
    for (int i = 1; i < COMMAND_COUNT; i++)
        if (commands[i].values)
            add_branch(out, "", commands[i].name, commands[i].values);
    strbuf_add(out, "    --set|-s) compopt -o nospace; COMPREPLY=($(compgen -S = -W \"");
    for (int id = 0; id < FIELD_COUNT; id++)
        strbuf_printf(out, "%s%s", id ? " " : "", fields[id].key);
    strbuf_add(out, "\" -- \"$cur\")); return;;\n    esac\n");
}

/* The options of the command that was typed. */
static void bash_options(struct strbuf *out)
{
    strbuf_add(out, "    if [[ $cur == -* ]]; then\n        case $command in\n");
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        const char *name = *commands[i].name ? commands[i].name : "\"\"";
        strbuf_printf(out, "        %s) COMPREPLY=($(compgen -W \"", name);
        add_option_names(out, i);
        strbuf_add(out, "\" -- \"$cur\"));;\n");
    }
    strbuf_add(out, "        esac\n        return\n    fi\n");
}

/* The answers that a question may have. */
static void bash_answers(struct strbuf *out)
{
    strbuf_add(out, "_gpuwiz_values()\n{\n    case $1 in\n");
    for (int id = 0; id < FIELD_COUNT; id++) {
        if (fields[id].kind == FIELD_KIND_BOOL) {
            strbuf_printf(out, "    %s) echo yes no auto;;\n", fields[id].key);
        } else if (fields[id].choices) {
            strbuf_printf(out, "    %s) echo ", fields[id].key);
            add_words(out, fields[id].choices);
            strbuf_add(out, " auto;;\n");
        }
    }
    strbuf_add(out,
               "    model|gpu|instance|weights|region|disk|lesson)\n"
               "        \"${COMP_WORDS[0]}\" list \"${1%s}s\" --format csv 2>/dev/null | sed '1d; s/,.*//';;\n"
               "    esac\n}\n");
}

static void bash(struct strbuf *out)
{
    strbuf_add(out, "# bash completion for gpuwiz\n"
                    "_gpuwiz()\n{\n"
                    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                    "    local word command= key=${COMP_WORDS[COMP_CWORD-2]:-}\n"
                    "    COMPREPLY=()\n"
                    "    if [[ $prev == = ]]; then # \"key=value\" comes as three words\n"
                    "        COMPREPLY=($(compgen -W \"$(_gpuwiz_values \"$key\")\" -- \"$cur\"))\n"
                    "        return\n    fi\n"
                    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                    "        case $word in ");
    for (int i = 1; i < COMMAND_COUNT; i++)
        strbuf_printf(out, "%s%s", i > 1 ? "|" : "", commands[i].name);
    strbuf_add(out, ") command=$word;; esac\n    done\n");
    bash_after_word(out);
    bash_options(out);
    strbuf_add(out, "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                    "    [[ $command ]] || COMPREPLY+=($(compgen -W \"");
    add_command_names(out);
    strbuf_add(out, "\" -- \"$cur\"))\n"
                    "    [[ $command != learn ]] ||\n"
                    "        COMPREPLY+=($(compgen -W \"$(_gpuwiz_values lesson)\" -- \"$cur\"))\n"
                    "}\n\n");
    bash_answers(out);
    strbuf_add(out, "complete -F _gpuwiz gpuwiz\n");
}

/* The lessons of the moment, a trainer's own among them. */
#define LESSON_NAMES "gpuwiz list lessons --format csv 2>/dev/null | sed \"1d; s/,.*//\""

/* ---- zsh ------------------------------------------------------------------------------------ */

/* A text inside single quotes and brackets. */
static void add_zsh_help(struct strbuf *out, const char *help)
{
    for (; *help; help++) {
        if (strchr("[]:\\", *help))
            strbuf_add(out, "\\");
        if (*help == '\'')
            strbuf_add(out, "'\\'");
        strbuf_add_n(out, help, 1);
    }
}

static void zsh(struct strbuf *out)
{
    strbuf_add(out, "#compdef gpuwiz\n\n_gpuwiz() {\n    local -a answers=(");
    add_answers(out);
    strbuf_add(out, ")\n    _arguments -s \\\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *option = &options[i];
        bool repeats = i == OPTION_SET || i == OPTION_MEASURED;
        strbuf_printf(out, "        '%s--%s[", repeats ? "*" : "", option->name);
        add_zsh_help(out, tr(option->help));
        strbuf_add(out, "]");
        if (option->values) {
            strbuf_printf(out, ":%s:(", option->argument);
            add_words(out, option->values);
            strbuf_add(out, ")");
        } else if (i == OPTION_SET) {
            strbuf_add(out, ":answer:compadd -S \"\" -a answers");
        } else if (option->argument) {
            strbuf_printf(out, ":%s:%s", option->argument,
                          i == OPTION_DATA     ? "_files -/"
                          : i == OPTION_OUTPUT ? "_files"
                                               : "");
        }
        strbuf_add(out, "' \\\n");
    }
    strbuf_add(out, "        '1:command or scenario:_gpuwiz_first' \\\n        "
                    "'*::argument:_gpuwiz_rest'\n}\n\n"
                    "_gpuwiz_first() {\n    compadd ");
    add_command_names(out);
    strbuf_add(out, "\n    _files\n}\n\n_gpuwiz_rest() {\n    case $words[1] in\n");
    for (int i = 1; i < COMMAND_COUNT; i++) {
        if (!commands[i].values)
            continue;
        strbuf_printf(out, "    %s) compadd ", commands[i].name);
        add_words(out, commands[i].values);
        strbuf_add(out, ";;\n");
    }
    strbuf_add(out, "    learn) compadd $(" LESSON_NAMES "); _files;;\n    *) _files;;\n    esac\n}\n\n_gpuwiz \"$@\"\n");
}

/* ---- fish ----------------------------------------------------------------------------------- */

static void add_fish_quoted(struct strbuf *out, const char *text)
{
    strbuf_add(out, "'");
    for (; *text; text++) {
        if (strchr("'\\", *text))
            strbuf_add(out, "\\");
        strbuf_add_n(out, text, 1);
    }
    strbuf_add(out, "'");
}

static void fish(struct strbuf *out)
{
    strbuf_add(out, "# fish completion for gpuwiz\n");
    for (int i = 1; i < COMMAND_COUNT; i++) {
        strbuf_printf(out, "complete -c gpuwiz -n __fish_use_subcommand -a %s -d ",
                      commands[i].name);
        add_fish_quoted(out, tr(commands[i].help));
        strbuf_add(out, "\n");
        if (commands[i].values) {
            strbuf_printf(out, "complete -c gpuwiz -f -n '__fish_seen_subcommand_from %s' -a '",
                          commands[i].name);
            add_words(out, commands[i].values);
            strbuf_add(out, "'\n");
        }
    }
    strbuf_add(out, "complete -c gpuwiz -n '__fish_seen_subcommand_from learn' -a '(" LESSON_NAMES
                    ")'\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *option = &options[i];
        strbuf_printf(out, "complete -c gpuwiz -l %s", option->name);
        if (option->letter)
            strbuf_printf(out, " -s %c", option->letter);
        strbuf_add(out, " -d ");
        add_fish_quoted(out, tr(option->help));
        if (option->values || i == OPTION_SET) {
            strbuf_add(out, " -x -a '");
            if (option->values)
                add_words(out, option->values);
            else
                add_answers(out);
            strbuf_add(out, "'");
        } else if (option->argument) {
            strbuf_add(out, " -r");
        }
        strbuf_add(out, "\n");
    }
}

void cli_completions(const char *shell, struct strbuf *out)
{
    static void (*const writers[])(struct strbuf *) = {bash, zsh, fish};
    for (int i = 0; cli_shells[i]; i++)
        if (strcmp(cli_shells[i], shell) == 0)
            writers[i](out);
}
