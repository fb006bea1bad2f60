/* report.h - the printable answer: one list of blocks, built once from a plan or an estimate and
 * written as text, Markdown or HTML; and the same figures as CSV and JSON for other programs. */
#ifndef GPUWIZ_REPORT_H
#define GPUWIZ_REPORT_H

#include "engine/advice.h"
#include "report/table.h"

/* What a report is made of. Everything is borrowed. */
struct report_input {
    const struct catalog *catalog;
    const struct constants *constants; /* NULL = no table of memory by length */
    const struct scenario *scenario;
    const struct plan *plan;        /* NULL for an estimate */
    const struct offer *offer;      /* the estimate; with a plan NULL = its first offer */
    const struct job *job;          /* of the estimate; with a plan NULL */
    const struct remedy *remedies;
    int remedy_count;
    const char *today;              /* YYYY-MM-DD */
    bool ascii;                     /* "CNY 12" instead of the yen sign */
    const char *explain;            /* topics of explain.h to be explained; NULL = none */
};

enum block_kind {
    BLOCK_TITLE, BLOCK_HEADING,
    BLOCK_LEAD,     /* a line of the verdict */
    BLOCK_TEXT, BLOCK_ITEM,
    BLOCK_TABLE,
    BLOCK_BAR,      /* memory of one GPU; `bar` */
    BLOCK_COMMAND   /* to be copied into a shell */
};

struct bar_segment {
    const char *label;     /* translated, its figure included */
    char fill;
    double share;          /* of the capacity */
};

struct bar {
    struct bar_segment segments[COMPONENT_COUNT];
    int count;
};

struct report_block {
    enum block_kind kind;
    const char *text;
    const struct table *table;
    const struct bar *bar;
    struct report_block *next;
};

struct report {
    struct arena *arena;
    struct report_block *first, *last;
};

/* Build the blocks in `arena`. A plan without offers gives the page that says why and what helps. */
void report_plan(const struct report_input *input, struct arena *arena, struct report *report);
void report_estimate(const struct report_input *input, struct arena *arena, struct report *report);

/* At most 80 cells a line, no box drawing, no colour: fit for a ticket, a chat or lp. The only
 * longer lines are words of a command that cannot be broken. */
enum { REPORT_WIDTH = 80 };
void report_write_text(const struct report *report, struct strbuf *out);
void report_write_markdown(const struct report *report, struct strbuf *out);
/* One file, no scripts, with a print style sheet. */
void report_write_html(const struct report *report, struct strbuf *out);

/* The offers as a table of all columns and of the total under every way of paying. */
void report_offers_table(const struct plan *plan, enum billing_mode mode, struct arena *arena,
                         struct table *table);

/* The JSON documents of gpuwiz(1), "schema": 1. */
void report_write_plan_json(const struct report_input *input, struct strbuf *out);
void report_write_estimate_json(const struct report_input *input, struct strbuf *out);

/* ---- for the files that build the blocks ----------------------------------------------------- */

void report_add(struct report *report, enum block_kind kind, const char *text);
void report_addf(struct report *report, enum block_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct table *report_add_table(struct report *report);
void report_add_bar(struct report *report, const struct bar *bar);

/* An amount with its currency: "¥1,234", "CNY 1,234", "USD 9.50". Lives in the arena. */
const char *report_money(const struct report_input *input, const struct report *report,
                         const struct offer *offer, double amount);

/* One figure of units.h in the arena, so that several fit one sentence. */
const char *report_figure(const struct report *report, char *(*write)(double, char *), double value);

/* The model, in words: "qwen2.5-7b". The hardware: "2 x ecs.gn7i-c8g1.2xlarge". */
const char *report_model(const struct job *job);
const char *report_machines(const struct report *report, const struct offer *offer);

/* The rules of advice that the answers and this offer trigger (report_risks.c); returns how many.
 * report_risks writes them as items: risks first, then what to know and to check. */
int report_advice(const struct report_input *input, const struct job *job, const struct offer *offer,
                  struct arena *arena, struct advice found[ADVICE_MAX]);
void report_risks(const struct report_input *input, const struct job *job,
                  const struct offer *offer, struct report *report);

#endif
