/* screen_help.c - what the marked word means (glossary), the keys of the screen below, then those that
 * count everywhere; typing narrows them and looks words up, Enter does what the marked line says. */
#include "ui/screens.h"

#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "ui/app.h"
#include "ui/widgets.h"

enum { ROWS_MAX = 64, KEY_CELLS = 20 };

struct help {
    enum screen_id about;
    const struct key_row *found[ROWS_MAX];
    int count, own; /* the first `own` are of this screen alone */
    struct input query;
    struct list list;
    const struct glossary_entry *asked, *word; /* at the start; now */
};

int help_about(const struct app *app, const char *word)
{
    const struct glossary_entry *entry = glossary_find(&app->glossary, word);
    return entry ? (int)(entry - app->glossary.entries) + 1 : 0;
}

/* The word that is typed, or begins so; without one the word that was asked about. */
static void look_up(const struct app *app, struct help *help)
{
    help->word = *help->query.text ? glossary_search(&app->glossary, help->query.text) : help->asked;
}

/* Rows of the explanation, a blank one included. */
static int word_rows(const struct help *help, struct rect area)
{
    if (!help->word || area.rows < 12)
        return 0;
    struct rect text = {0, 0, area.rows, area.cols};
    return 2 + canvas_wrapped(NULL, text, 0, ROLE_TEXT, bilingual_text(&help->word->meaning)) +
           canvas_wrapped(NULL, text, 0, ROLE_TEXT, bilingual_text(&help->word->rule));
}

static void draw_word(const struct help *help, struct canvas *canvas, struct rect area)
{
    int row = area.row;
    if (word_rows(help, area) == 0)
        return;
    canvas_text(canvas, row++, area.col, area.cols, ROLE_ACCENT, bilingual_text(&help->word->name));
    row += canvas_wrapped(canvas, (struct rect){row, area.col, area.rows, area.cols}, 0, ROLE_TEXT,
                          bilingual_text(&help->word->meaning));
    canvas_wrapped(canvas, (struct rect){row, area.col, area.rows, area.cols}, 0, ROLE_DIM,
                   bilingual_text(&help->word->rule));
}

static bool matches(const struct key_row *row, const char *query)
{
    char keys[48];
    return !*query || text_find(tr(row->help), query) || strstr(tr(row->help), query) || text_find(keymap_keys(row, keys), query);
}

static void narrow(struct help *help)
{
    help->count = help->own = 0;
    for (int global = 0; global < 2; global++)
        for (int i = 0; i < keymap_rows; i++) {
            const struct key_row *row = &keymap[i];
            if (!(row->screens & ON(help->about)) || keymap_is_global(row) != (bool)global || !matches(row, help->query.text) ||
                help->count == ROWS_MAX)
                continue;
            help->found[help->count++] = row;
            help->own += !global;
        }
    list_keep(&help->list, help->count, 1);
}

static int help_rows(const struct help *help, struct rect area)
{
    int rows = area.rows - 4 - word_rows(help, area);
    return rows > 1 ? rows : 1;
}

static void help_open(struct app *app, void *state, int argument)
{
    struct help *help = state;
    if (argument > 0 && argument <= (int)app->glossary.count)
        help->asked = &app->glossary.entries[argument - 1];
    help->about = app->views[app->depth - 2].screen;
    narrow(help);
    look_up(app, help);
}

static void help_update(struct app *app, void *state)
{
    struct help *help = state;
    list_keep(&help->list, help->count, help_rows(help, app_area(app)));
}

static bool help_act(struct app *app, void *state, int action, const struct event *event)
{
    struct help *help = state;
    if (list_act(&help->list, action, help->count, help_rows(help, app_area(app))))
        return true;
    if (action == ACTION_BACK && *help->query.text) {
        input_set(&help->query, "");
        narrow(help);
        look_up(app, help);
        return true;
    }
    if (action != ACTION_ENTER)
        return false;
    if (help->count) {
        struct event key = event_key(help->found[help->list.cursor]->keys[0]);
        app_close(app);
        app_handle(app, &key);
    }
    (void)event;
    return true;
}

static void help_type(struct app *app, void *state, const struct event *event)
{
    struct help *help = state;
    input_event(&help->query, event);
    help->list = (struct list){0};
    narrow(help);
    look_up(app, help);
}

static void help_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct help *help = state;
    int words = word_rows(help, area), rows = help_rows(help, area);
    char title[120];
    (void)app;
    draw_word(help, canvas, area);
    area.row += words;
    area.rows -= words;
    snprintf(title, sizeof title, tr("%s: %s"), tr("Keys"), tr(screens[help->about]->name));
    int used = canvas_text(canvas, area.row, area.col, area.cols, ROLE_TITLE, title);
    used += 2 + canvas_text(canvas, area.row, area.col + used + 2, area.cols - used - 2, ROLE_DIM, tr("type to narrow:"));
    if (area.cols - used > 8)
        input_draw(&help->query, canvas, area.row, area.col + used + 1, area.cols - used - 2 < 24 ? area.cols - used - 2 : 24);
    for (int i = 0; i < rows && help->list.top + i < help->count; i++) {
        int index = help->list.top + i, row = area.row + 2 + i;
        const struct key_row *key = help->found[index];
        char keys[48];
        canvas_text(canvas, row, area.col + 2, KEY_CELLS - 1, ROLE_KEY, keymap_keys(key, keys));
        canvas_text(canvas, row, area.col + 2 + KEY_CELLS, area.cols - KEY_CELLS - 2, index < help->own ? ROLE_TEXT : ROLE_DIM, tr(key->help));
        if (index == help->list.cursor)
            canvas_select(canvas, row, area.col, area.cols);
    }
    list_position(canvas, area.row + 2 + rows, area.col + area.cols, &help->list, help->count, rows);
}

const struct screen help_screen = {
    .name = N_("Help"), .state_size = sizeof(struct help), .open = help_open, .update = help_update,
    .draw = help_draw, .act = help_act, .type = help_type,
};
