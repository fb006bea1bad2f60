/* doubtful.h - published rows that say less than they need, or contradict another source. The case
 * files stay as they were collected; what is doubted about them is kept here. */
#ifndef GPUWIZ_DOUBTFUL_H
#define GPUWIZ_DOUBTFUL_H

#include <stdbool.h>
#include <stddef.h>

struct doubtful {
    const char *id;
    const char *measures; /* the figures meant, as named in the tables; NULL = all */
    bool admitted;        /* the row's own notes say so: printed, not judged */
    const char *why;
};
extern const struct doubtful doubtful_rows[];
extern const size_t doubtful_count;

/* The row about `measure` of a case (NULL = any), or NULL. */
const struct doubtful *doubtful_find(const char *id, const char *measure);

#endif
