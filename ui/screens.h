/* screens.h - one declaration a screen; screens.c puts them into the table. */
#ifndef GPUWIZ_UI_SCREENS_H
#define GPUWIZ_UI_SCREENS_H

#include "engine/billing.h"
#include "ui/screen.h"

extern const struct screen form_screen, pick_screen, search_screen, edit_screen, instances_screen,
    filter_screen, detail_screen, compare_screen, excluded_screen, remedies_screen, summary_screen, help_screen,
    path_screen, ask_screen, matrix_screen, whatif_screen, chart_screen, explain_screen, lessons_screen,
    lesson_screen, reply_screen;

/* The argument of help_screen: which word of the glossary to explain; 0 = none. */
int help_about(const struct app *app, const char *word);

/* The argument of explain_screen: the index of the topic that explains a question or a column. */
int explain_topic_of_field(enum field_id id);
int explain_topic_of_column(const char *column, enum billing_mode mode);

#endif
