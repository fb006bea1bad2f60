/* worksheet.c - see worksheet.h. */
#include "report/worksheet.h"

#include <stdio.h>
#include <string.h>
#include "base/i18n.h"

struct sheet {
    struct learn *learn;
    struct report *report;
    bool answers;
    int number; /* of the exercise */
    struct error *error;
};

/* A text of the lesson, each of its paragraphs a block. */
static bool add_text(struct sheet *sheet, enum block_kind kind, const char *before,
                     const struct bilingual *text)
{
    struct strbuf out = {0};
    strbuf_add(&out, before);
    bool good = learn_fill(sheet->learn, text, &out, sheet->error);
    char *rest = NULL;
    for (char *line = good ? strtok_r(out.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        report_add(sheet->report, kind, line);
    strbuf_clear(&out);
    return good;
}

static void add_blank(struct sheet *sheet, const char *label, const char *unit)
{
    report_addf(sheet->report, BLOCK_TEXT, tr("%s: ______________________________ %s"), label,
                unit);
}

static bool add_solution(struct sheet *sheet)
{
    struct strbuf out = {0};
    bool good = learn_solution(sheet->learn, &out, sheet->error);
    if (good)
        report_addf(sheet->report, BLOCK_LEAD, tr("%s: %s"), tr("Solution"), strbuf_text(&out));
    strbuf_clear(&out);
    return good;
}

/* Why each choice is right or wrong; what to say to a guess that is off. */
static bool add_reasons(struct sheet *sheet, const struct lesson_step *step)
{
    char before[32];
    for (int i = 0; i < step->choice_count; i++) {
        snprintf(before, sizeof before, "%d. ", i + 1);
        if (!add_text(sheet, BLOCK_ITEM, before, &step->choices[i].because))
            return false;
    }
    return step->choice_count > 0 || (add_text(sheet, BLOCK_ITEM, tr("Too low: "), &step->low) &&
                                      add_text(sheet, BLOCK_ITEM, tr("Too high: "), &step->high));
}

static bool add_predict(struct sheet *sheet, const struct lesson_step *step)
{
    char before[32];
    report_addf(sheet->report, BLOCK_HEADING, tr("%d. Predict"), ++sheet->number);
    if (!add_text(sheet, BLOCK_TEXT, "", &step->text))
        return false;
    for (int i = 0; i < step->choice_count; i++) {
        snprintf(before, sizeof before, "( ) %d. ", i + 1);
        if (!add_text(sheet, BLOCK_TEXT, before, &step->choices[i].text))
            return false;
    }
    if (sheet->answers)
        return add_solution(sheet) && add_reasons(sheet, step);
    if (step->choice_count == 0)
        add_blank(sheet, tr("Your guess"), tr(step->unit));
    add_blank(sheet, tr("Because"), "");
    return true;
}

static bool add_try(struct sheet *sheet, const struct lesson_step *step)
{
    struct strbuf text = {0};
    report_addf(sheet->report, BLOCK_HEADING, tr("%d. Try"), ++sheet->number);
    if (!add_text(sheet, BLOCK_TEXT, "", &step->text))
        return false;
    strbuf_printf(&text, tr("%s: "), tr("Knobs"));
    for (int i = 0; i < step->knob_count; i++)
        strbuf_printf(&text, "%s%s", i ? " " : "", step->knobs[i]);
    report_add(sheet->report, BLOCK_TEXT, strbuf_text(&text));
    strbuf_reset(&text);
    scenario_command(&sheet->learn->now, &text);
    report_addf(sheet->report, BLOCK_COMMAND, "gpuwiz estimate%s", strbuf_text(&text));
    strbuf_clear(&text);
    if (sheet->answers)
        return add_solution(sheet) && add_text(sheet, BLOCK_ITEM, "", &step->hint);
    add_blank(sheet, tr("What you turned"), "");
    return true;
}

static bool add_step(struct sheet *sheet, const struct lesson_step *step)
{
    switch (step->kind) {
    case LESSON_PREDICT:
        return add_predict(sheet, step);
    case LESSON_TRY:
        return add_try(sheet, step);
    case LESSON_EXPLAIN: /* on paper the pupil would read it before answering */
    case LESSON_REVEAL:
        return !sheet->answers || add_text(sheet, BLOCK_TEXT, "", &step->text);
    default:
        return add_text(sheet, BLOCK_TEXT, "", &step->text);
    }
}

bool worksheet_build(const struct learn_world *world, const struct lesson *lesson, bool answers,
                     struct arena *arena, struct report *report, struct error *error)
{
    struct learn learn;
    struct sheet sheet = {&learn, report, answers, 0, error};
    *report = (struct report){.arena = arena};
    if (!learn_start(&learn, world, lesson, error))
        return false;
    report_addf(report, BLOCK_TITLE, "%s%s", bilingual_text(&lesson->title),
                answers ? tr(": answers") : "");
    bool good = add_text(&sheet, BLOCK_LEAD, "", &lesson->summary);
    if (!answers)
        add_blank(&sheet, tr("Your name"), "");
    while (good && learn_step(&learn))
        good = add_step(&sheet, learn_step(&learn)) && learn_next(&learn, error);
    learn_clear(&learn);
    report_addf(report, BLOCK_TEXT, tr("gpuwiz %s, catalog of %s."), GPUWIZ_VERSION,
                world->catalog->date);
    return good;
}
