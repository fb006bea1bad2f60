/* app.h - the whole state of the wizard. app_handle changes it, app_draw only reads it; neither
 * knows a terminal, so a test presses keys and reads cells without one. */
#ifndef GPUWIZ_UI_APP_H
#define GPUWIZ_UI_APP_H

#include "data/lesson.h"
#include "ui/compute.h"
#include "ui/keymap.h"
#include "ui/screen.h"

enum { APP_DEPTH = 8, APP_UNDO = 200 };

/* A screen that is open. */
struct view {
    enum screen_id screen;
    void *state;
};

/* Answers as they were, to go back and forward to. */
struct history {
    struct scenario steps[APP_UNDO];
    int count, at; /* steps[at] are the answers now */
};

struct app {
    struct arena *arena;       /* texts of answers */
    struct scenario scenario;  /* the answers */
    struct history history;
    struct scenario last_session; /* answers of the former run, offered at the start */
    bool has_last_session;

    struct compute compute;
    struct scenario shown;     /* the answers the screen shows results for: a marked choice included */
    const struct computed *computed; /* for `shown`; NULL before the first update */
    bool sketched;             /* `shown` holds a model or workload nobody chose yet */
    struct gpu_row gpu_rows[GPU_ROWS_MAX];
    int gpu_row_count;
    enum field_id fault;       /* the answer at fault when has_fault */
    bool has_fault;
    struct error fault_error;

    enum field_step step;
    bool visited[STEP_COUNT];
    struct view views[APP_DEPTH]; /* [0] is the step's own screen */
    int depth;

    /* kept between steps and screens */
    int form_cursor[STEP_COUNT];
    bool all_rows;
    enum billing_mode mode;    /* costs in the table; MODE_COUNT = the cheapest of each */

    const char *data_folder;   /* given with --data; NULL = the usual places */
    struct glossary glossary;

    int rows, cols, theme, colours;
    bool ascii;                /* line art in ASCII */
    bool bytes_only;           /* the terminal's character set is not UTF-8 */
    bool keep_session;         /* write the answers to the state folder after each change */
    char message[200];
    bool message_bad;
    bool done;                 /* the wizard is to end */
    bool changed;              /* answers that no file holds: quitting asks */
    bool repaint;              /* paint everything anew once */
    bool ignored;              /* the last action was taken by nobody: the key table lies */
    char leave_note[300];      /* told on the terminal after the end: where something was saved */
};

struct app_options {
    const struct catalog *catalog;
    const struct constants *constants;
    const char *today;
    const struct scenario *scenario; /* NULL = none given */
    const char *data_folder;         /* of --data; NULL = none */
    int rows, cols, theme, colours;
    bool ascii;                /* line art in ASCII */
    bool bytes_only;           /* the terminal's character set is not UTF-8 */
};

/* `app` must stay where it is. */
void app_init(struct app *app, const struct app_options *options);
void app_clear(struct app *app);

void app_handle(struct app *app, const struct event *event);
void app_draw(const struct app *app, struct canvas *canvas);

/* ---- for the screens ---- */

/* Opens a screen above, or closes the top one. The step's own screen never closes. */
void app_open(struct app *app, enum screen_id screen, int argument);
void app_close(struct app *app);
void app_go(struct app *app, enum field_step step);
void app_next(struct app *app);
void app_back(struct app *app);

const struct screen *app_top(const struct app *app);
/* The state of the nearest open screen of this kind below the top; NULL = not open. */
void *app_state_of(const struct app *app, enum screen_id screen);
/* Where the top screen draws. */
struct rect app_area(const struct app *app);

/* Takes new answers: remembered for undo, kept on disk, checked. */
void app_commit(struct app *app, const struct scenario *scenario);
/* Sets one answer from text; false with a message when it is refused. */
bool app_set(struct app *app, enum field_id id, const char *text);
void app_undo(struct app *app, int direction);

void app_say(struct app *app, bool bad, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The answers so far in one line: "LoRA · qwen2.5-7b · nf4 · 2,048 tokens". */
void app_answers(const struct scenario *scenario, struct strbuf *out);

/* True when an answer no longer holds: it contradicts the others, or does not count with them; `text`
 * says which. A step holds when all its answers do. */
bool app_fault(const struct app *app, enum field_id id, char *text, int size);
bool app_step_holds(const struct app *app, enum field_step step);

/* The plan of the answers on screen; NULL when there is none. */
const struct plan *app_plan(const struct app *app);

extern const char *const step_labels[STEP_COUNT]; /* N_(), at most 10 cells in either language */

/* frame.c: step bar, answers, message line, footer. */
void frame_draw(const struct app *app, const struct frame *frame, struct canvas *canvas);
/* The step under a column of the step bar; -1 = none. */
int frame_step_at(const struct app *app, int col, int cells);

/* live.c: memory by GPU, counts and what is recommended. */
void live_draw(const struct app *app, struct canvas *canvas, struct rect area);
/* The first of the ranking: what the summary tells to rent, and whose memory the pane tells apart;
 * NULL when there is no offer. */
const struct offer *live_best(const struct plan *plan);

#endif
