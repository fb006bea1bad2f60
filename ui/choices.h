/* choices.h - the choices of a question, from its table or from the catalog. */
#ifndef GPUWIZ_UI_CHOICES_H
#define GPUWIZ_UI_CHOICES_H

#include "base/i18n.h"
#include "data/scenario.h"

enum { CHOICES_MAX = 640 };

struct choice {
    const char *value;  /* as scenario_set takes it */
    const char *group;  /* models: the family; "" = none */
    char note[120];     /* one line on what it is */
    double need_gib;    /* NAN = not known */
    bool marked;        /* flags: taken together */
};

struct choices {
    struct choice items[CHOICES_MAX];
    int count;
    enum language language; /* of the notes */
};

/* Fills `all`; "auto" comes first where it is a choice. Needs and marks are left open. */
void choices_of(enum field_id id, const struct catalog *catalog, struct choices *all);

/* "GQA", "MLA", ... */
const char *attention_word(const struct model *model);

#endif
