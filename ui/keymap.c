/* keymap.c - the table of keys and its readers. */
#include "ui/keymap.h"

#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "base/text.h"
#include "ui/event.h"

enum {
    STEPS = ON(SCREEN_FORM) | ON(SCREEN_PICK) | ON(SCREEN_INSTANCES) | ON(SCREEN_SUMMARY),
    /* screens where letters are typed, not commands */
    TYPING = ON(SCREEN_SEARCH) | ON(SCREEN_EDIT) | ON(SCREEN_FILTER) | ON(SCREEN_HELP) | ON(SCREEN_PATH) |
             ON(SCREEN_REPLY),
    ALL = ON(SCREEN_COUNT) - 1,
    COMMANDS = ALL & ~TYPING,
    CALM = COMMANDS & ~ON(SCREEN_ASK),
    LISTS = ALL & ~(ON(SCREEN_EDIT) | ON(SCREEN_ASK) | ON(SCREEN_FILTER) | ON(SCREEN_REPLY)),
    LINES = LISTS & TYPING & ~ON(SCREEN_PATH),
    /* where figures of the whole plan are at hand */
    RESULTS = ON(SCREEN_FORM) | ON(SCREEN_INSTANCES) | ON(SCREEN_DETAIL) | ON(SCREEN_SUMMARY),
    /* what is opened on offers; the steps are a digit away from there, too */
    OFFERS = ON(SCREEN_DETAIL) | ON(SCREEN_COMPARE) | ON(SCREEN_CHART) | ON(SCREEN_EXPLAIN) | ON(SCREEN_MATRIX) |
             ON(SCREEN_EXCLUDED),
    ANSWERS = ON(SCREEN_FORM) | ON(SCREEN_PICK) | ON(SCREEN_SEARCH),
};

const struct key_row keymap[] = {
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_FORM), N_("go on"), N_("change this answer; on the first line go to the next step")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_PICK) | ON(SCREEN_SEARCH), N_("take"), N_("take the marked choice")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_EDIT), N_("accept"), N_("accept what was typed; an empty line means auto")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_FILTER), N_("keep"), N_("keep the filter and return to the table")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_INSTANCES), N_("detail"), N_("show this offer: memory, speed and all ways of paying")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_REMEDIES), N_("apply"), N_("apply this change; u takes it back")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_HELP), N_("do it"), N_("close the help and do what the marked line says")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_ASK), N_("yes"), N_("go ahead")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_PATH), N_("accept"), N_("go ahead")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_CHART), N_("detail"), N_("show the selected offer: memory, speed and all ways of paying")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_CHART), N_("walk"), N_("to the next offer on the left that no other one beats")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_CHART), NULL, N_("to the next offer on the right that no other one beats")},
    {{'y', 'Y'}, ACTION_ENTER, ON(SCREEN_ASK), NULL, N_("go ahead")},
    {{'n', 'N'}, ACTION_BACK, ON(SCREEN_ASK), N_("no"), N_("leave everything as it is")},
    {{'1', '2', '3', '4', '5', '6', '7', '8', '9'}, ACTION_REMEDY, ON(SCREEN_REMEDIES), N_("apply"), N_("apply the change with this number")},
    {{' '}, ACTION_TOGGLE, ON(SCREEN_PICK), NULL, N_("mark a choice where several may be taken together")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_FORM), N_("previous"), N_("take the previous choice of this answer at once")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_FORM), N_("next"), N_("take the next choice of this answer at once")},
    {{'a'}, ACTION_ALL_ROWS, ON(SCREEN_FORM), N_("all rows"), N_("show every question of this step, or only the few that matter most")},
    {{KEY_DELETE, KEY_BACKSPACE_, '-'}, ACTION_AUTO, ON(SCREEN_FORM), N_("auto"), N_("let the program choose this answer")},
    {{'s'}, ACTION_SORT, ON(SCREEN_INSTANCES), N_("sort"), N_("sort by the next column")},
    {{'S'}, ACTION_SORT_REVERSE, ON(SCREEN_INSTANCES), NULL, N_("turn the sorting round")},
    {{'/'}, ACTION_FILTER, ON(SCREEN_INSTANCES), N_("filter"), N_("keep the rows that contain a text")},
    {{'f'}, ACTION_FIT, ON(SCREEN_INSTANCES), N_("fit"), N_("all that can do it, only those that fit with room to spare, only those within the budget")},
    {{'b'}, ACTION_BILLING, ON(SCREEN_INSTANCES) | ON(SCREEN_CHART) | ON(SCREEN_DETAIL) | ON(SCREEN_COMPARE), N_("billing"), N_("the way of paying that costs are shown for")},
    {{'x'}, ACTION_EXCLUDED, ON(SCREEN_INSTANCES), N_("left out"), N_("show the instance types that were left out, and why")},
    {{'r'}, ACTION_REMEDIES, ON(SCREEN_FORM) | ON(SCREEN_INSTANCES), N_("remedies"), N_("show the smallest changes that make it fit, or cheaper")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_DETAIL), NULL, N_("the page before: memory and speed, or all ways of paying")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_DETAIL), NULL, N_("the next page: all ways of paying, or advice")},
    {{KEY_PAGE_UP}, ACTION_PAGE_UP, ON(SCREEN_DETAIL), NULL, N_("scroll the advice up")},
    {{KEY_PAGE_DOWN}, ACTION_PAGE_DOWN, ON(SCREEN_DETAIL), NULL, N_("scroll the advice down")},
    {{' '}, ACTION_TOGGLE, ON(SCREEN_INSTANCES), NULL, N_("mark this offer, or take its mark away; up to four")},
    {{'c'}, ACTION_COMPARE, ON(SCREEN_INSTANCES), N_("compare"), N_("show the marked offers side by side")},
    {{'t'}, ACTION_ONLY_MARKED, ON(SCREEN_INSTANCES), NULL, N_("only the marked offers, or all again")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_INSTANCES), NULL, N_("scroll the columns to the left")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_INSTANCES), NULL, N_("scroll the columns to the right")},
    {{'g'}, ACTION_CHART, ON(SCREEN_INSTANCES), N_("chart"), N_("show the rows as a chart: cost against time or speed")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_WHATIF), N_("take over"), N_("take the turned knobs over as answers; u takes it back")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_WHATIF), N_("less"), N_("turn this knob a step back: numbers are halved")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_WHATIF), N_("more"), N_("turn this knob a step on: numbers are doubled")},
    {{KEY_DELETE, KEY_BACKSPACE_, '-'}, ACTION_AUTO, ON(SCREEN_WHATIF), N_("as it was"), N_("turn this knob back to the answer as it was")},
    {{'8', '9'}, ACTION_REMEDY, ON(SCREEN_INSTANCES), NULL, N_("where nothing fits: apply the change with this number, 1 to 9")},
    {{'w'}, ACTION_WHATIF, RESULTS, N_("what-if"), N_("turn the main knobs and see what changes, against the answers as they are")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_MATRIX), N_("take over"), N_("take this length and batch, or this method, over as answers; u takes it back")},
    {{'m'}, ACTION_MATRIX, ON(SCREEN_MATRIX), N_("other table"), N_("by length and batch, or by GPU and method")},
    {{'n'}, ACTION_NEXT_GPU, ON(SCREEN_MATRIX), N_("next GPU"), N_("the same table on the next GPU that something is offered on")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_MATRIX), NULL, N_("one column to the left")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_MATRIX), NULL, N_("one column to the right")},
    {{'s'}, ACTION_SAVE_REPORT, ON(SCREEN_MATRIX), N_("save"), N_("write this table to a file: text, or CSV when its name ends in .csv")},
    {{'e'}, ACTION_EXPLAIN, RESULTS | ON(SCREEN_CHART) | ON(SCREEN_COMPARE) | ON(SCREEN_EXCLUDED), N_("explain"), N_("how the marked figure comes about: formula, your numbers, source")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_EXPLAIN), N_("previous"), N_("the figure before")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_EXPLAIN), N_("next"), N_("the next figure")},
    {{'m'}, ACTION_MATRIX, RESULTS, N_("table"), N_("tables of memory: by length and batch, by GPU and method")},
    {{'s'}, ACTION_SAVE_REPORT, ON(SCREEN_SUMMARY), N_("save"), N_("write this page to a file")},
    {{'p'}, ACTION_PRINT, ON(SCREEN_SUMMARY), N_("print"), N_("send this page to the printer (lp)")},
    {{'c'}, ACTION_COMMAND, ON(SCREEN_SUMMARY), N_("command"), N_("show the command line that repeats this plan")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_LESSONS), N_("start"), N_("start this lesson")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_LESSON), N_("answer"), N_("answer with the marked line, type an answer, or go on")},
    {{KEY_ENTER_}, ACTION_ENTER, ON(SCREEN_REPLY), N_("accept"), N_("answer with what was typed")},
    {{'1', '2', '3', '4', '5', '6', '7', '8', '9'}, ACTION_REMEDY, ON(SCREEN_LESSON), NULL, N_("answer with the choice of this number")},
    {{KEY_LEFT_, 'h'}, ACTION_LEFT, ON(SCREEN_LESSON), N_("less"), N_("turn this knob of the lesson a step back")},
    {{KEY_RIGHT_, 'l'}, ACTION_RIGHT, ON(SCREEN_LESSON), N_("more"), N_("turn this knob of the lesson a step on")},
    {{'i'}, ACTION_HINT, ON(SCREEN_LESSON), N_("hint"), N_("show the hint, or hide it")},
    {{KEY_DELETE, KEY_BACKSPACE_, '-'}, ACTION_AUTO, ON(SCREEN_LESSON), NULL, N_("turn all knobs back to where the lesson set them")},
    {{KEY_TAB_, 'n'}, ACTION_NEXT_STEP, ON(SCREEN_LESSON), N_("go on"), N_("go on to the next part of the lesson")},
    {{'n'}, ACTION_LEARN, STEPS, N_("learn"), N_("lessons in sizing, run on this engine")},
    {{'o'}, ACTION_RESUME, ON(SCREEN_PICK) | ON(SCREEN_FORM), NULL, N_("take the answers of the last session")},
    {{KEY_ESC_}, ACTION_BACK, ALL, N_("back"), N_("one step back; never quits")},
    {{KEY_TAB_}, ACTION_NEXT_STEP, STEPS | ON(SCREEN_SEARCH), N_("next step"), N_("go to the next step")},
    {{KEY_BACK_TAB}, ACTION_PREVIOUS_STEP, STEPS | ON(SCREEN_SEARCH), NULL, N_("go to the step before")},
    {{'1', '2', '3', '4', '5', '6', '7'}, ACTION_STEP, STEPS | OFFERS, NULL, N_("go to the step with this number; on a question that takes a number, begin to type it")},
    {{'u'}, ACTION_UNDO, CALM & ~(ON(SCREEN_WHATIF) | ON(SCREEN_LESSON)), NULL, N_("take back the last change of an answer")},
    {{KEY_CTRL('r')}, ACTION_REDO, CALM & ~(ON(SCREEN_WHATIF) | ON(SCREEN_LESSON)), NULL, N_("make the change again that was taken back")},
    {{KEY_UP_, 'k'}, ACTION_UP, LISTS & ~TYPING, NULL, N_("up")},
    {{KEY_DOWN_, 'j'}, ACTION_DOWN, LISTS & ~TYPING, NULL, N_("down")},
    {{KEY_UP_}, ACTION_UP, LISTS & TYPING, NULL, N_("up")},
    {{KEY_DOWN_}, ACTION_DOWN, LISTS & TYPING, NULL, N_("down")},
    {{KEY_PAGE_UP}, ACTION_PAGE_UP, LISTS & ~ON(SCREEN_DETAIL), NULL, N_("a page up")},
    {{KEY_PAGE_DOWN}, ACTION_PAGE_DOWN, LISTS & ~ON(SCREEN_DETAIL), NULL, N_("a page down")},
    {{KEY_HOME_}, ACTION_FIRST, LINES, NULL, N_("to the first line")},
    {{KEY_END_}, ACTION_LAST, LINES, NULL, N_("to the last line")},
    {{KEY_HOME_, 'g'}, ACTION_FIRST, LISTS & ~(TYPING | ON(SCREEN_INSTANCES)), NULL, N_("to the first line")},
    {{KEY_END_, 'G'}, ACTION_LAST, LISTS & ~TYPING, NULL, N_("to the last line")},
    {{KEY_CTRL('s')}, ACTION_SAVE, ALL & ~(ON(SCREEN_PATH) | ON(SCREEN_ASK)), NULL, N_("save the answers to a scenario file")},
    {{KEY_CTRL('o')}, ACTION_OPEN, ALL & ~(ON(SCREEN_PATH) | ON(SCREEN_ASK)), NULL, N_("open a scenario file")},
    {{'L'}, ACTION_LANGUAGE, CALM, NULL, N_("change the language: English, Chinese")},
    {{'T'}, ACTION_THEME, CALM, NULL, N_("change the colours: default, light, colour-blind safe, monochrome")},
    {{KEY_CTRL('l')}, ACTION_REDRAW, ALL, NULL, N_("paint the screen anew")},
    {{'q'}, ACTION_QUIT, COMMANDS & ~ON(SCREEN_ASK), N_("quit"), N_("quit; answers are kept for the next start")},
    {{KEY_CTRL('q')}, ACTION_QUIT, ALL & ~ON(SCREEN_ASK), NULL, N_("quit from anywhere")},
    {{'?', KEY_HELP_}, ACTION_HELP, COMMANDS & ~ON(SCREEN_ASK), N_("help"), N_("this help")},
    {{KEY_HELP_, '?'}, ACTION_HELP, ON(SCREEN_SEARCH), N_("help"), N_("this help")},
    {{KEY_HELP_}, ACTION_HELP, TYPING & ~(ON(SCREEN_SEARCH) | ON(SCREEN_HELP)), N_("help"), N_("this help")},
};
const int keymap_rows = sizeof keymap / sizeof keymap[0];

static bool row_has(const struct key_row *row, int key)
{
    for (const int *k = row->keys; *k; k++)
        if (*k == key)
            return true;
    return false;
}

const struct key_row *keymap_find(enum screen_id screen, int key)
{
    for (int i = 0; i < keymap_rows; i++)
        if (keymap[i].screens & ON(screen) && row_has(&keymap[i], key))
            return &keymap[i];
    return NULL;
}

bool keymap_is_global(const struct key_row *row)
{
    int count = 0;
    for (unsigned bits = row->screens; bits; bits &= bits - 1)
        count++;
    return count > 3;
}

const char *keymap_keys(const struct key_row *row, char *text)
{
    char name[16];
    int count = 0;
    while (row->keys[count])
        count++;
    if (count > 3) {
        snprintf(text, 48, "%c-%c", row->keys[0], row->keys[count - 1]);
        return text;
    }
    *text = '\0';
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), 48 - strlen(text), "%s%s", i ? " " : "", event_key_name(row->keys[i], name));
    return text;
}

const char *keymap_footer_key(const struct key_row *row, char *text)
{
    char all[48];
    if (row->keys[1] && row->keys[2] && row->keys[3]) {
        snprintf(text, 16, "%.15s", keymap_keys(row, all));
        return text;
    }
    return event_key_name(row->keys[0], text);
}

/* Cells of "key label"; the keys that are not shown are in the help. */
static int item_cells(const struct key_row *row)
{
    char name[16];
    return text_width(keymap_footer_key(row, name)) + 1 + text_width(tr(row->label));
}

int footer_layout(enum screen_id screen, int cells, struct footer_item items[FOOTER_MAX])
{
    enum { GAP = 2 };
    int count = 0, col = 0, right = cells;
    const struct key_row *help = NULL;
    for (int i = 0; i < keymap_rows; i++)
        if (keymap[i].action == ACTION_HELP && keymap[i].screens & ON(screen))
            help = &keymap[i];
    if (help) {
        right = cells - item_cells(help);
        items[count++] = (struct footer_item){help, right > 0 ? right : 0, item_cells(help)};
        right -= GAP;
    }
    for (int i = 0; i < keymap_rows && count < FOOTER_MAX; i++) {
        const struct key_row *row = &keymap[i];
        if (!(row->screens & ON(screen)) || !row->label || row == help)
            continue;
        int width = item_cells(row);
        if (col + width > right)
            break;
        items[count++] = (struct footer_item){row, col, width};
        col += width + GAP;
    }
    return count;
}
