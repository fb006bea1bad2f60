/* cases.h - published figures (tests/cases) replayed through the engine, for `make accuracy` and
 * `make fit`. */
#ifndef GPUWIZ_CASES_H
#define GPUWIZ_CASES_H

#include "data/yaml.h"
#include "engine/offers.h"

enum { CASES_MAX = 2000, ROWS_MAX = 4000 };

struct published_case {
    const char *id, *group, *source, *notes;
    const struct yaml_node *given, *published;
    const struct yaml_document *document;
    struct scenario scenario;
    bool unseen; /* nobody looked the figure up: reported, not judged */
};

struct cases {
    struct arena *arena;
    struct catalog catalog;
    struct published_case *list;
    size_t count;
};

/* All files of `folder`; false when one cannot be read or a case's scenario is refused. */
bool cases_load(struct cases *cases, const char *folder, struct error *error);
void cases_clear(struct cases *cases);

/* One comparable figure of one case. Ratios are estimate / published. */
struct row {
    const struct published_case *of;
    const char *measure; /* a row of `measures` */
    double published, estimate;
    double low, high; /* the estimate's band; NAN when it has none */
    bool exact;       /* rounds to the digits that were printed */
    bool judged;      /* false: its own source admits that facts are missing (doubtful.h) */
};

/* A verdict against what happened: `fits` in the published figures. A published speed says that its
 * run fitted: implied. */
struct verdict_row {
    const struct published_case *of;
    bool ran, implied, judged;
    enum verdict verdict;
    double usable_gib, low_gib, need_gib, high_gib;
};

struct replay {
    struct row rows[ROWS_MAX];
    int count;
    struct verdict_row verdicts[CASES_MAX];
    int verdict_count;
    char refused[CASES_MAX][160]; /* "id: why" of cases the engine did not answer */
    int refused_count;
};

/* Estimates every case whose group starts with `prefix` ("" = all). */
void cases_replay(const struct cases *cases, const struct constants *constants, const char *prefix,
                  struct replay *replay);

/* A share of cases by hash of the id (FNV-1a): false = the part that constants are fitted on. */
bool case_held_out(const struct published_case *of);

double row_error(const struct row *row); /* |estimate / published - 1| */

#endif
