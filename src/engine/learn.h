/* learn.h - runs a lesson without a screen: read, predict, try, see why. Plain mode, the ncurses
 * screen and the worksheet are three faces of it. Every answer is judged by the engine. */
#ifndef GPUWIZ_LEARN_H
#define GPUWIZ_LEARN_H

#include "data/lesson.h"
#include "engine/expression.h"

/* What lessons run on. Borrowed. */
struct learn_world {
    const struct catalog *catalog;
    const struct constants *constants;
    const char *today; /* YYYY-MM-DD */
    bool ascii;
};

struct learn_score {
    int right, predictions, reached, goals, turns;
};

struct learn {
    const struct learn_world *world;
    const struct lesson *lesson;
    struct arena *arena;       /* own */
    struct scenario base, now; /* of the lesson; of this step, with the knobs as they are turned */
    struct scenario variant_answers[LESSON_VARIANTS];
    struct results results, variants[LESSON_VARIANTS];
    int variants_ready; /* how many of them are computed */
    int step;           /* index; lesson->step_count at the end */
    bool answered;      /* this prediction, for better or worse */
    bool reached;       /* the goal of this step */
    bool strict;        /* a figure that is not known is an error: when the lesson is checked */
    struct learn_score score;
};

/* Starts at the first step. False when the lesson's scenario is at fault; then nothing is to be
 * cleared. `learn` must not move afterwards. */
bool learn_start(struct learn *learn, const struct learn_world *world, const struct lesson *lesson,
                 struct error *error);
void learn_clear(struct learn *learn);

/* The step at hand; NULL at the end. */
const struct lesson_step *learn_step(const struct learn *learn);

/* Goes on to the next step: any step may be passed over. */
bool learn_next(struct learn *learn, struct error *error);

/* Appends a text of the lesson with the figures of this step filled in. */
bool learn_fill(struct learn *learn, const struct bilingual *text, struct strbuf *out,
                struct error *error);

/* In an explain step: how the figure comes about, wrapped at `cells`. Other steps have nothing. */
void learn_explain(struct learn *learn, int cells, struct strbuf *out);

enum learn_verdict { LEARN_RIGHT, LEARN_WRONG, LEARN_UNREADABLE };

/* Judges a prediction: the number of a choice or its letter, or a number. `reply` receives what is
 * to be said. The first answer counts for the score. */
enum learn_verdict learn_answer(struct learn *learn, const char *text, struct strbuf *reply);

/* Turns a knob ("weights=nf4"); `reply` receives what the engine says then, or why it cannot be.
 * True when it was turned; learn->reached tells whether the goal holds now. */
bool learn_turn(struct learn *learn, const char *pair, struct strbuf *reply);

/* Sets the knobs as the lesson set them. */
bool learn_reset(struct learn *learn, struct error *error);

/* The figures to watch in a try step, one a line: "memory.need 14.2". */
void learn_watch(struct learn *learn, struct strbuf *out);

/* The right answer of a prediction in words or figures, for the answer sheet. */
bool learn_solution(struct learn *learn, struct strbuf *out, struct error *error);

/* One line that can be copied into a list of a class. */
void learn_scoreboard(const struct learn *learn, struct strbuf *out);

/* Plays the lesson in both languages by its recorded keys: every text can be filled, one choice is
 * right and the key names it, every goal is false at first and true in the end. What is wrong is
 * told with its place in the file. */
bool lesson_verify(const struct learn_world *world, const struct lesson *lesson,
                   struct error *error);

/* How `gpuwiz check` validates a lesson: structure, then lesson_verify. */
extern const struct data_kind lesson_kind;

/* ---- progress ------------------------------------------------------------------------------- */

/* One finished lesson. */
struct learn_record {
    const char *name, *date;  /* YYYY-MM-DD */
    struct learn_score score; /* the best so far */
};
struct learn_progress {
    struct arena *arena; /* not own */
    const char *path;    /* NULL = no home: nothing is kept */
    struct learn_record *records;
    size_t count;
};

/* From $XDG_DATA_HOME/gpuwiz/progress.yaml; a file that is not there is no progress. */
bool learn_progress_load(struct arena *arena, struct learn_progress *progress, struct error *error);
const struct learn_record *learn_progress_find(const struct learn_progress *progress,
                                               const char *name);

/* Adds the score of a lesson that was finished, and writes the file. */
bool learn_progress_keep(struct learn_progress *progress, const struct learn *learn,
                         struct error *error);

#endif
