/* plain.c - the wizard line by line: for screen readers, dumb terminals, phones and expect. The same
 * fields, the same page at the end. */
#include "ui/wizard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/page.h"
#include "ui/session.h"

/* One line without its newline; false at the end of input. */
static bool read_line(char *line, int size)
{
    fflush(stdout);
    if (!fgets(line, size, stdin))
        return false;
    size_t length = strcspn(line, "\r\n");
    if (line[length] == '\0') /* longer than any answer: the rest is dropped */
        for (int c; (c = getchar()) != EOF && c != '\n';)
            continue;
    line[length] = '\0';
    if (!isatty(STDIN_FILENO)) /* nobody typed the end of the line */
        putchar('\n');
    return true;
}

static bool has_list(const struct field *field)
{
    return field->kind == FIELD_KIND_CHOICE || field->kind == FIELD_KIND_BOOL;
}

static bool is_number(const struct field *field)
{
    return field->kind == FIELD_KIND_INT || field->kind == FIELD_KIND_NUMBER;
}

static const char *const yes_no[] = {"no", "yes", NULL};

static const char *const *list_of(const struct field *field)
{
    return field->kind == FIELD_KIND_BOOL ? yes_no : field->choices;
}

static void show_choices(const struct field *field)
{
    const char *const *choices = list_of(field);
    for (int i = 0; choices[i]; i++)
        printf("  %d  %s%s%s\n", i + 1, choices[i], field->choice_help ? "  " : "",
               field->choice_help ? tr(field->choice_help[i]) : "");
}

static void show_help(const struct app *app, const struct field *field)
{
    char low[UNITS_TEXT], high[UNITS_TEXT];
    const struct glossary_entry *word = glossary_find(&app->glossary, field->key);
    printf("%s\n", tr(field->help));
    if (word)
        printf("%s\n", bilingual_text(&word->rule));
    if (is_number(field))
        printf(tr("From %s to %s.\n"), units_plain(field->minimum, low), units_plain(field->maximum, high));
    for (int i = 0; field->kind == FIELD_KIND_FLAGS && field->choices[i]; i++)
        printf("  %s\n", field->choices[i]);
    if (field_id(field) == FIELD_MODEL)
        for (size_t i = 0; i < app->compute.catalog->model_count; i++)
            if (app->compute.catalog->models[i].listed)
                printf("  %s\n", app->compute.catalog->models[i].id);
    if (field_id(field) == FIELD_WEIGHTS)
        for (size_t i = 0; i < app->compute.catalog->format_count; i++)
            printf("  %s\n", app->compute.catalog->formats[i].id);
    printf("%s\n", tr("Enter takes the answer in brackets; auto lets the program choose; end ends the questions."));
}

/* A number stands for the choice with that number. */
static const char *meant(const struct field *field, const char *line)
{
    char *end;
    long number = strtol(line, &end, 10);
    if (!has_list(field) || *end || end == line || field_id(field) == FIELD_ZERO)
        return line;
    const char *const *choices = list_of(field);
    for (int i = 0; choices[i]; i++)
        if (i + 1 == number)
            return choices[i];
    return line;
}

static void show_question(const struct app *app, enum field_id id, const char *otherwise)
{
    const struct field *field = &fields[id];
    struct strbuf now = {0}, chosen = {0};
    if (scenario_has(&app->scenario, id))
        scenario_format(&app->scenario, id, &now);
    else
        strbuf_add(&now, otherwise);
    if (has_list(field) && id != FIELD_ZERO)
        show_choices(field);
    printf("%s%s%s", tr(field->label), *field->unit ? tr(", ") : "", *field->unit ? tr(field->unit) : "");
    if (is_number(field) || id == FIELD_ZERO) {
        char low[UNITS_TEXT], high[UNITS_TEXT];
        printf(tr(", %s to %s"), units_plain(field->minimum, low), units_plain(id == FIELD_ZERO ? 3 : field->maximum, high));
    }
    bool open = strcmp(strbuf_text(&now), "auto") == 0 && app->computed && compute_chosen(app->computed, id, &chosen);
    text_drop_controls(&now, 0);
    printf(" [%s%s%s]: ", strbuf_text(&now), open ? " = " : "", open ? strbuf_text(&chosen) : "");
    strbuf_clear(&now);
    strbuf_clear(&chosen);
}

/* Asks until the answer is valid. False when no more questions are wanted. */
static bool ask(struct app *app, enum field_id id, const char *otherwise)
{
    const struct field *field = &fields[id];
    char line[600], text[900];
    struct error error = {0};
    for (;;) {
        show_question(app, id, otherwise);
        if (!read_line(line, sizeof line) || strcmp(line, "end") == 0)
            return false;
        if (strcmp(line, "?") == 0) {
            show_help(app, field);
            continue;
        }
        const char *answer = *line ? meant(field, line) : scenario_has(&app->scenario, id) ? NULL : otherwise;
        struct scenario changed;
        memcpy(&changed, &app->scenario, sizeof changed);
        if (!answer || scenario_set(&changed, id, answer, app->compute.catalog, app->arena, &error)) {
            app_commit(app, &changed);
            app->computed = compute_plan(&app->compute, &app->scenario);
            return true;
        }
        printf("! %s\n", error_text(&error, text, sizeof text));
    }
}

static void ask_all(struct app *app)
{
    struct scenario sketch;
    memcpy(&sketch, &app->scenario, sizeof sketch);
    compute_sketch(&app->compute, &sketch);
    int step = -1;
    for (int i = 0; i < FIELD_COUNT; i++) {
        enum field_id id = (enum field_id)i;
        if (!fields[i].simple || !field_applies(id, &app->scenario))
            continue;
        if (step != (int)fields[i].step) {
            step = (int)fields[i].step;
            printf("\n%d/%d %s\n", step + 1, STEP_COUNT, tr(step_labels[step]));
        }
        const char *otherwise = id == FIELD_WORKLOAD ? workload_names[WORKLOAD_LORA]
                                : id == FIELD_MODEL  ? (sketch.model ? sketch.model : "auto")
                                                     : "auto";
        if (!ask(app, id, otherwise))
            return;
    }
}

int plain_run(const struct wizard_options *options)
{
    struct app_options start = {.catalog = options->catalog, .constants = options->constants, .today = options->today,
                                .scenario = options->scenario, .data_folder = options->data_folder,
                                .rows = 24, .cols = 80, .ascii = true};
    struct app *app = xrealloc(NULL, 1, sizeof *app);
    struct strbuf page = {0};
    app_init(app, &start);
    app->keep_session = true;
    printf("%s\n%s\n", tr("gpuwiz: which GPUs does your job need, and what do they cost?"),
           tr("Enter takes the answer in brackets, ? explains, end ends the questions."));
    ask_all(app);
    struct scenario complete;
    memcpy(&complete, &app->scenario, sizeof complete);
    compute_sketch(&app->compute, &complete);
    memcpy(&app->shown, &complete, sizeof complete);
    app->computed = compute_plan(&app->compute, &app->shown);
    page_write(app, &page);
    printf("\n%s", strbuf_text(&page));
    const struct plan *plan = app_plan(app);
    int status = !plan ? 1 : plan->offer_count ? 0 : 3;
    strbuf_clear(&page);
    app_clear(app);
    free(app);
    return status;
}
