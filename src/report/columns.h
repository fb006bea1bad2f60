/* columns.h - the one table of the columns of an offers table, for screen, text, Markdown, CSV,
 * JSON and HTML alike. */
#ifndef GPUWIZ_COLUMNS_H
#define GPUWIZ_COLUMNS_H

#include "base/text.h"
#include "engine/offers.h"

/* `mode` everywhere below: the way of paying that cost columns speak of; MODE_COUNT = each offer's
 * cheapest. */
struct column {
    const char *id;        /* key in CSV and --sort */
    const char *heading;   /* N_() */
    const char *unit;      /* N_(), "" = none */
    int width;             /* cells, the sort mark included, enough for either language */
    enum text_align align;
    int priority;          /* lower stays longer when room is short */
    /* Sign of a - b by value, unknown values last; ties are broken by the caller by type name. */
    int (*compare)(const struct offer *a, const struct offer *b, enum billing_mode mode);
    /* Appends the cell's text for people, not padded. */
    void (*format)(const struct offer *offer, enum billing_mode mode, struct strbuf *out);
    /* The value for machines; NAN and NULL = text column, use `format`. */
    double (*number)(const struct offer *offer, enum billing_mode mode);
};
extern const struct column columns[];
extern const int column_count;
const struct column *column_find(const char *id);

/* The cost an offer has under `mode`; NULL when it cannot be paid for that way. */
const struct cost *offer_cost(const struct offer *offer, enum billing_mode mode);

/* "fits", "tight", "no fit", translated. */
const char *verdict_label(enum verdict verdict);

/* The mode that a scenario's `billing` answer names; MODE_COUNT where it leaves a choice, which the
 * offer's cheapest made. */
enum billing_mode billing_mode_of_choice(const struct scenario *scenario);

/* "TP2 PP4 DP8 ZeRO-3", or "-" when one GPU does all. */
void layout_format(const struct layout *layout, struct strbuf *out);

/* Sorts in place by a column; descending when `reverse`. Unknown values stay last, ties go by
 * instance type and number of machines. */
void offers_sort(struct offer *offers, size_t count, const struct column *column, bool reverse,
                 enum billing_mode mode);

#endif
