/* accuracy.c - `make accuracy`: every published figure against the engine, by group, and what is
 * wanted of each. Fails when a group is outside. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/accuracy/cases.h"
#include "tests/accuracy/doubtful.h"

/* What "reproduced" means: largest median and 90th percentile of the absolute error. The published
 * figure lies inside the band in 90 % of the cases, with a median band of at most +-20 %. */
static const struct wanted {
    const char *group, *measure; /* NULL = all of the group's, judged together */
    double median, p90;
    bool exact;
    double reached; /* not met: the 90th percentile that is, which must not get worse */
} wanted[] = {
    {"train-memory-pretrain-theory", NULL, 0, 0, true, 0},
    {"train-memory-qlora-theory", NULL, 0, 0, true, 0},
    {"train-memory-full", "memory", 0.08, 0.25, false, 0},
    {"train-memory-lora", "memory", 0.08, 0.25, false, 0},
    {"train-memory-qlora", "memory", 0.08, 0.25, false, 0},
    {"train-memory-pretrain", "memory", 0.08, 0.25, false, 0},
    {"infer-memory", "weights", 0.01, 0.02, false, 0},
    {"infer-memory", "kv tokens", 0.01, 0.02, false, 0},
    {"infer-memory", "token bytes", 0.01, 0.02, false, 0},
    /* three rows of GLM-4-9B, which doubtful.c lists */
    {"infer-memory", "memory", 0.04, 0.12, false, 0.21},
    {"train-speed-pretrain", NULL, 0.06, 0.25, false, 0},
    {"train-speed-lora", NULL, 0.15, 0.40, false, 0},
    {"train-speed-full", NULL, 0.15, 0.40, false, 0},
    {"infer-throughput", "decode", 0.12, 0.30, false, 0},
    {"infer-throughput", "request", 0.12, 0.30, false, 0},
    /* what is left lies outside the band: short prompts on LMDeploy, DeepSeek-R1 on two machines */
    {"infer-throughput", "ttft", 0.12, 0.30, false, 0.301},
    {"infer-throughput", "tpot", 0.12, 0.30, false, 0},
    {"infer-throughput", "output", 0.20, 0.40, false, 0},
};

/* Verdicts: smallest share right of those that ran and of those that ran out of memory; "" stands
 * for the `fits` of all other groups, "implied" for runs of which only the speed was published. */
static const struct {
    const char *group;
    double share;
} wanted_verdicts[] = {
    {"report-train", 0.85}, {"report-infer", 0.85}, {"infer-fit", 0.95}, {"", 0.95},
    {"implied", 0.98},
};

/* `every` counts the rows as well whose own source admits that facts are missing. */
enum part { PART_JUDGED, PART_FITTED, PART_HELD_OUT, PART_EVERY, PART_COUNT };
static const char *const part_names[PART_COUNT] = {"judged", "fitted", "held out", "every"};

/* A share of a few cases is met by the whole number of cases below it. */
static bool share_met(int right, int count, double share)
{
    return right >= (int)(share * count);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The q-quantile, linear between order statistics; sorts. */
static double quantile(double *values, int count, double q)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    double at = q * (count - 1);
    int below = (int)at;
    return below + 1 < count ? values[below] + (at - below) * (values[below + 1] - values[below])
                             : values[count - 1];
}

static bool belongs(const struct row *row, const struct wanted *want, enum part part)
{
    bool whole = part == PART_JUDGED || part == PART_EVERY;
    return (part == PART_EVERY || row->judged) && !strcmp(row->of->group, want->group) &&
           (!want->measure || !strcmp(want->measure, row->measure)) &&
           (whole || case_held_out(row->of) == (part == PART_HELD_OUT));
}

struct summary {
    int n, banded, inside, exact;
    double median, p90, bias, band;
};

static struct summary summarise(const struct replay *replay, const struct wanted *want,
                                enum part part)
{
    static double errors[ROWS_MAX], signed_errors[ROWS_MAX], widths[ROWS_MAX];
    struct summary s = {0};
    for (int i = 0; i < replay->count; i++) {
        const struct row *row = &replay->rows[i];
        if (!belongs(row, want, part))
            continue;
        errors[s.n] = row_error(row);
        signed_errors[s.n++] = row->estimate / row->published - 1;
        s.exact += row->exact;
        if (isnan(row->low))
            continue;
        widths[s.banded++] = (row->high - row->low) / 2 / row->estimate;
        s.inside += row->low <= row->published && row->published <= row->high;
    }
    if (s.n) {
        s.median = quantile(errors, s.n, 0.5);
        s.p90 = quantile(errors, s.n, 0.9);
        s.bias = quantile(signed_errors, s.n, 0.5);
    }
    s.band = s.banded ? quantile(widths, s.banded, 0.5) : NAN;
    return s;
}

/* Groups judged; one without a single case is not. */
struct tally {
    int passed, failed;
};

static void count(struct tally *tally, bool ok)
{
    tally->passed += ok;
    tally->failed += !ok;
}

static bool meets(const struct summary *s, const struct wanted *want, double p90)
{
    if (want->exact)
        return s->exact == s->n;
    bool banded = !s->banded || s->band <= 0.2;
    bool inside = !s->banded || share_met(s->inside, s->banded, p90 > want->p90 ? 0.8 : 0.9);
    return s->median <= want->median && s->p90 <= p90 && banded && inside;
}

/* Prints one line a part and judges the whole group. */
static void judge(const struct replay *replay, const struct wanted *want, struct tally *tally)
{
    int judged = 0;
    for (enum part part = PART_JUDGED; part < PART_COUNT; part++) {
        struct summary s = summarise(replay, want, part);
        if (part == PART_JUDGED)
            judged = s.n;
        if (!s.n || (part == PART_EVERY && s.n == judged))
            continue;
        double inside = s.banded ? (double)s.inside / s.banded : NAN;
        bool ok = meets(&s, want, want->p90), known = !ok && meets(&s, want, want->reached);
        printf("%-28s %-24s %-8s %4d  %5.1f / %-4.1f  %5.1f / %-4.1f %+6.1f", want->group,
               want->measure ? want->measure : "all", part_names[part], s.n, 100 * s.median,
               100 * want->median, 100 * s.p90, 100 * want->p90, 100 * s.bias);
        if (want->exact)
            printf("   %3d of %d exact", s.exact, s.n);
        else if (s.banded)
            printf("   %3.0f %%  +-%2.0f %%", 100 * inside, 100 * s.band);
        printf("%s\n", part != PART_JUDGED || ok ? ""
                       : known                   ? "   OUTSIDE, as known"
                                                 : "   OUTSIDE");
        if (part == PART_JUDGED)
            count(tally, ok || known);
    }
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static bool right(const struct verdict_row *row)
{
    return row->ran ? row->verdict != VERDICT_NO : row->verdict != VERDICT_FITS;
}

static bool in_verdict_group(const struct verdict_row *row, const char *group)
{
    bool report = !strncmp(row->of->group, "report", 6);
    if (!row->judged || row->implied != !strcmp(group, "implied"))
        return false;
    return row->implied || (*group ? !strcmp(row->of->group, group) : !report);
}

static void judge_verdicts(const struct replay *replay, const char *group, double wanted_share,
                           struct tally *tally)
{
    int all[2] = {0}, correct[2] = {0}, tight[2] = {0};
    for (int i = 0; i < replay->verdict_count; i++) {
        const struct verdict_row *row = &replay->verdicts[i];
        if (!in_verdict_group(row, group))
            continue;
        all[row->ran]++;
        correct[row->ran] += right(row);
        tight[row->ran] += row->verdict == VERDICT_TIGHT;
    }
    if (all[0] + all[1] == 0)
        return;
    bool ok =
        share_met(correct[1], all[1], wanted_share) && share_met(correct[0], all[0], wanted_share);
    printf("%-28s ran: %d of %d right (%d tight); out of memory: %d of %d right (%d tight); wanted "
           "%.0f %%%s\n",
           !*group                     ? "every other `fits`"
           : !strcmp(group, "implied") ? "speed published, so it ran"
                                       : group,
           correct[1], all[1], tight[1], correct[0], all[0], tight[0], 100 * wanted_share,
           ok ? "" : "   OUTSIDE");
    for (int i = 0; i < replay->verdict_count; i++) {
        const struct verdict_row *row = &replay->verdicts[i];
        if (in_verdict_group(row, group) && !right(row))
            printf("    %s: %s (%.1f, %.1f to %.1f GiB of %.1f)\n", row->of->id,
                   row->ran ? "said no, but it ran" : "said fits, but it ran out of memory",
                   row->need_gib, row->low_gib, row->high_gib, row->usable_gib);
    }
    count(tally, ok);
}

/* ---- the worst ----------------------------------------------------------------------------- */

static int by_error(const void *a, const void *b)
{
    double x = row_error(a), y = row_error(b);
    return (x < y) - (x > y);
}

static void print_row(const struct row *row)
{
    char band[40] = "";
    if (!isnan(row->low))
        snprintf(band, sizeof band, " (%.4g to %.4g)", row->low, row->high);
    printf("    %-56s %-11s published %8.4g  estimate %8.4g%s  %+.0f %%%s\n", row->of->id,
           row->measure, row->published, row->estimate, band,
           100 * (row->estimate / row->published - 1), row->judged ? "" : "  (not judged)");
}

static void print_worst(struct replay *replay, const char *group, int most)
{
    for (int i = 0, printed = 0; i < replay->count && printed < most; i++)
        if (!*group || !strcmp(replay->rows[i].of->group, group)) {
            print_row(&replay->rows[i]);
            printed++;
        }
}

static bool in_cases(const struct cases *cases, const char *id, const char *group)
{
    for (size_t i = 0; i < cases->count; i++)
        if (!strcmp(cases->list[i].id, id))
            return !strncmp(cases->list[i].group, group, strlen(group));
    return false;
}

static void print_doubtful(const struct cases *cases, const char *group)
{
    printf("\nDoubtful rows (the first kind is not judged: its own notes admit it)\n");
    for (int admitted = 1; admitted >= 0; admitted--)
        for (size_t i = 0; i < doubtful_count; i++) {
            const struct doubtful *row = &doubtful_rows[i];
            if (row->admitted == admitted && in_cases(cases, row->id, group))
                printf("    %-10s %s%s%s: %s\n", admitted ? "not judged" : "judged", row->id,
                       row->measures ? ", " : "", row->measures ? row->measures : "", row->why);
        }
}

int main(int argc, char **argv)
{
    static struct replay replay;
    struct cases cases;
    struct constants constants;
    struct error error;
    char text[800];
    const char *folder = argc > 1 ? argv[1] : "tests/cases", *only = argc > 2 ? argv[2] : "";
    if (!cases_load(&cases, folder, &error) ||
        !constants_load(NULL, cases.arena, &constants, &error)) {
        printf("%s\n", error_text(&error, text, sizeof text));
        return 1;
    }
    cases_replay(&cases, &constants, only, &replay);
    struct tally tally = {0};
    printf("%zu cases, %d figures\n\n", cases.count, replay.count);
    printf("%-28s %-24s %-8s %4s  %-13s %-12s %6s   inside, band\n", "group", "figure", "part", "n",
           "median/want %", "p90/want %", "bias %");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        judge(&replay, &wanted[i], &tally);
    printf("\nVerdicts (right = not the opposite: near the limit both may be called tight)\n");
    for (size_t i = 0; i < sizeof wanted_verdicts / sizeof *wanted_verdicts; i++)
        judge_verdicts(&replay, wanted_verdicts[i].group, wanted_verdicts[i].share, &tally);
    qsort(replay.rows, (size_t)replay.count, sizeof *replay.rows, by_error);
    printf("\nThe worst\n");
    print_worst(&replay, only, *only ? 60 : 10);
    print_doubtful(&cases, only);
    for (int i = 0; i < replay.refused_count; i++)
        printf("    refused: %s\n", replay.refused[i]);
    tally.failed += replay.refused_count > 0;
    cases_clear(&cases);
    printf("\n%d passed, %d failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
