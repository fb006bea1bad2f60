/* matrix.h - what a job takes laid out as a table: memory by length and batch (or users) on the
 * hardware of one offer, and by GPU and method over the whole catalog. */
#ifndef GPUWIZ_MATRIX_H
#define GPUWIZ_MATRIX_H

#include "engine/offers.h"

enum matrix_kind { MATRIX_LENGTHS, MATRIX_METHODS, MATRIX_KINDS };
extern const char *const matrix_names[]; /* "lengths", "methods"; ends with NULL */

enum { MATRIX_ROWS = 32, MATRIX_COLS = 8 };

/* One end of a row or column: a number of tokens, sequences or users, or a name. */
struct matrix_head {
    double value;     /* NAN where it is a name */
    const char *name; /* a GPU's id; a method, translated when shown: N_() */
    const char *const *pairs; /* of a method: two for scenario_set_pair, NULL = no more */
    double usable_gib; /* of the GPU */
    bool asked;        /* the answers ask for this one */
};

struct matrix_cell {
    bool possible;         /* false: nothing sold can do it; `reason` and `why` say so */
    enum exclusion reason; /* EXCLUDED_COUNT = the answers contradict each other */
    const char *why;       /* translated */
    enum verdict verdict;
    double need_gib, low_gib, high_gib, usable_gib; /* of one GPU */
    int gpus;
    double cny; /* at its cheapest; NAN = no price, or not asked for */
};

struct matrix {
    enum matrix_kind kind;
    enum workload workload;
    const char *model;
    int rows, cols;
    struct matrix_head row_heads[MATRIX_ROWS], col_heads[MATRIX_COLS];
    struct matrix_cell cells[MATRIX_ROWS][MATRIX_COLS];
    /* MATRIX_LENGTHS: the hardware and layout that all cells share, and the longest length that
     * fits with its whole band in each column, to MATRIX_STEP tokens; 0 = none does. */
    const struct gpu *gpu;
    const struct instance *instance; /* NULL = hardware of one's own */
    int gpus, nodes;
    struct layout layout;
    double longest[MATRIX_COLS], most;
};

enum { MATRIX_STEP = 256 };

/* Memory of the same job on the offer's hardware and layout at another length: of a sample, or of
 * what one sequence may hold when serving. `batch`: the micro-batch; or the users, each of whom then
 * holds `length` tokens; 0 = batch or users as they are. */
struct memory matrix_memory_at(const struct job *job, const struct offer *offer,
                               const struct constants *constants, double length, double batch);

/* The same without the engine's limits turned down, which memory_estimate does where a card is just
 * too small: the need at the defaults, on a card of the same class with room. */
struct memory matrix_need_at(const struct job *job, const struct offer *offer,
                             const struct constants *constants, double length, double batch);

/* The longest length that fits with room for the band, to MATRIX_STEP tokens; 0 = none from `least`
 * on. Need may fall where an engine reads longer prompts in pieces, so all doublings are looked at. */
double matrix_longest(const struct job *job, const struct offer *offer,
                      const struct constants *constants, double batch, double least, double most);

/* Lengths that double, and the one asked for, by micro-batches (training) or users (serving): the
 * offer's hardware and layout are kept. */
void matrix_lengths(const struct job *job, const struct offer *offer,
                    const struct constants *constants, struct matrix *matrix);

/* All GPUs sold as whole cards by full fine-tuning, LoRA and QLoRA, or by weight format when
 * serving: the fewest GPUs that can do it, then the cheapest. Each method is planned like an
 * answer. */
void matrix_methods(const struct catalog *catalog, const struct constants *constants,
                    const struct scenario *scenario, const char *today, struct arena *arena,
                    struct matrix *matrix);

/* Either from the answers alone; lengths are those of the offer to recommend, or of the hardware
 * named (one A100-80 when none is) when nothing sold can do the job. False when they contradict. */
bool matrix_compute(enum matrix_kind kind, const struct catalog *catalog,
                    const struct constants *constants, const struct scenario *scenario,
                    const char *today, struct arena *arena, struct matrix *matrix,
                    struct error *error);

#endif
