/* screen.h - the table of screens. A new screen is one file, one id, one row in screens.c, and its
 * keys in keymap.c. */
#ifndef GPUWIZ_UI_SCREEN_H
#define GPUWIZ_UI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include "data/scenario.h"
#include "ui/canvas.h"
#include "ui/event.h"

struct app;

enum screen_id {
    SCREEN_FORM,      /* the questions of a step */
    SCREEN_PICK,      /* one question with few choices */
    SCREEN_SEARCH,    /* one question with many choices: typing narrows them */
    SCREEN_EDIT,      /* one question answered by typing */
    SCREEN_INSTANCES, /* the table of offers */
    SCREEN_FILTER,    /* typing a filter for that table */
    SCREEN_DETAIL,    /* one offer */
    SCREEN_COMPARE,   /* the marked offers side by side */
    SCREEN_EXCLUDED,  /* what was left out, and why */
    SCREEN_REMEDIES,  /* the smallest changes that help */
    SCREEN_SUMMARY,   /* the page that is printed */
    SCREEN_HELP,
    SCREEN_PATH,      /* a file to save to or open */
    SCREEN_ASK,       /* yes or no */
    SCREEN_WHATIF,    /* knobs turned against the answers as they were */
    SCREEN_CHART,     /* the table's rows as points, and their frontier */
    SCREEN_MATRIX,    /* memory by length and batch, by GPU and method */
    SCREEN_EXPLAIN,   /* how a figure comes about */
    SCREEN_LESSONS,   /* the course */
    SCREEN_LESSON,    /* one lesson */
    SCREEN_REPLY,     /* typing an answer in it */
    SCREEN_COUNT
};

/* What a screen can do; members may be NULL. `state` is `state_size` zeroed bytes of the screen's
 * own, freed when it closes. Only draw is called to draw, and it changes nothing. */
struct screen {
    const char *name;    /* N_() */
    size_t state_size;
    bool live;           /* has the live pane */
    bool over;           /* leaves the screen below it visible */
    void (*open)(struct app *app, void *state, int argument);
    void (*close)(struct app *app, void *state);
    /* Whenever answers, plan or size may have changed, before drawing. */
    void (*update)(struct app *app, void *state);
    void (*draw)(const struct app *app, const void *state, struct canvas *canvas, struct rect area);
    /* An enum action of the keymap; false = not handled, the general meaning applies. */
    bool (*act)(struct app *app, void *state, int action, const struct event *event);
    /* A character, Backspace or Delete where letters are typed. */
    void (*type)(struct app *app, void *state, const struct event *event);
    void (*click)(struct app *app, void *state, struct rect area, int row, int col);
    /* N_(): what Enter does at this place, no wider than its label in the footer; NULL = that label. */
    const char *(*enter)(const void *state);
    /* The answers to compute before they are taken; false = the answers as they are. */
    bool (*preview)(const struct app *app, const void *state, struct scenario *scenario);
};
extern const struct screen *const screens[SCREEN_COUNT];

#endif
