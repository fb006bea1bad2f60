/* screens.c - the table of screens. */
#include "ui/screens.h"

const struct screen *const screens[SCREEN_COUNT] = {
    [SCREEN_FORM] = &form_screen,
    [SCREEN_PICK] = &pick_screen,
    [SCREEN_SEARCH] = &search_screen,
    [SCREEN_EDIT] = &edit_screen,
    [SCREEN_INSTANCES] = &instances_screen,
    [SCREEN_FILTER] = &filter_screen,
    [SCREEN_DETAIL] = &detail_screen,
    [SCREEN_COMPARE] = &compare_screen,
    [SCREEN_EXCLUDED] = &excluded_screen,
    [SCREEN_REMEDIES] = &remedies_screen,
    [SCREEN_SUMMARY] = &summary_screen,
    [SCREEN_HELP] = &help_screen,
    [SCREEN_PATH] = &path_screen,
    [SCREEN_ASK] = &ask_screen,
    [SCREEN_WHATIF] = &whatif_screen,
    [SCREEN_CHART] = &chart_screen,
    [SCREEN_MATRIX] = &matrix_screen,
    [SCREEN_EXPLAIN] = &explain_screen,
    [SCREEN_LESSONS] = &lessons_screen,
    [SCREEN_LESSON] = &lesson_screen,
    [SCREEN_REPLY] = &reply_screen,
};
