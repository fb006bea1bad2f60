/* fit.c - `make fit`: moves the constants that data/engine.yaml lists under `fitted` so that two
 * thirds of the published cases are met better, and reports the error on the others too. Then every
 * source is left out once: constants fitted to all others predict it, as a reader's own software
 * would be met. It writes nothing: the rows it prints are pasted into the file when they are an
 * improvement on both parts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "tests/accuracy/cases.h"

enum { STEPS = 12, ROUNDS = 2, SOURCES_MAX = 60, SOURCE_CASES = 4 };

enum selection { FITTED, HELD_OUT, ONE_SOURCE, OTHER_SOURCES };

struct fitting {
    struct cases cases;
    struct constants constants;
    struct constant_fitted fitted[CONSTANT_FITTED_MAX];
    size_t fitted_count;
    const char *prefix;       /* of the groups fitted to */
    const char *source;       /* left out, or NULL */
    enum selection fitted_to; /* FITTED or OTHER_SOURCES */
};

static struct replay replay;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Who published: "modelscope/ms-swift" of "modelscope/ms-swift:docs/Benchmark.md". */
static size_t publisher_length(const char *source)
{
    return strcspn(source, ":(,");
}

static bool same_publisher(const char *a, const char *b)
{
    size_t n = publisher_length(a);
    return n == publisher_length(b) && !strncmp(a, b, n);
}

static bool selected(const struct fitting *fitting, enum selection selection,
                     const struct published_case *of)
{
    switch (selection) {
    case FITTED:
    case HELD_OUT:
        return case_held_out(of) == (selection == HELD_OUT);
    default:
        return same_publisher(of->source, fitting->source) == (selection == ONE_SOURCE);
    }
}

/* Mean and 90th percentile of |ln(estimate / published)|, and the mean with its sign. */
struct misses {
    int count;
    double mean, p90, bias;
};

static struct misses misses_of(const struct fitting *fitting, enum selection selection)
{
    static double all[ROWS_MAX];
    struct misses misses = {0};
    cases_replay(&fitting->cases, &fitting->constants, fitting->prefix, &replay);
    for (int i = 0; i < replay.count; i++) {
        const struct row *row = &replay.rows[i];
        double miss = log(row->estimate / row->published);
        if (!row->judged || !selected(fitting, selection, row->of) || !isfinite(miss))
            continue;
        all[misses.count++] = fabs(miss);
        misses.mean += fabs(miss);
        misses.bias += miss;
    }
    if (misses.count == 0)
        return misses;
    qsort(all, (size_t)misses.count, sizeof *all, compare);
    misses.mean /= misses.count;
    misses.bias /= misses.count;
    misses.p90 = all[(int)(0.9 * (misses.count - 1))];
    return misses;
}

/* The 90th percentile counts for a third: a few figures that nothing explains must not decide. */
static double loss(const struct fitting *fitting)
{
    struct misses misses = misses_of(fitting, fitting->fitted_to);
    return misses.mean + misses.p90 / 3;
}

/* Tries values of one constant around the present one and over its whole range; keeps the best. */
static double improve(struct fitting *fitting, struct constant_fitted which, double best)
{
    const struct constant_info *info = which.info;
    double kept = constant_get(&fitting->constants, info, which.member);
    for (int i = 0; i <= 2 * STEPS; i++) {
        double value = i <= STEPS ? info->minimum + (info->maximum - info->minimum) * i / STEPS
                                  : kept * (0.8 + 0.4 * (i - STEPS) / STEPS);
        value = fmin(info->maximum, fmax(info->minimum, value));
        constant_set(&fitting->constants, info, which.member, value);
        double now = loss(fitting);
        if (now < best - 1e-6) {
            best = now;
            kept = value;
        }
    }
    constant_set(&fitting->constants, info, which.member, kept);
    return best;
}

static void fit(struct fitting *fitting)
{
    double best = loss(fitting);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < fitting->fitted_count; i++)
            best = improve(fitting, fitting->fitted[i], best);
}

static void print_misses(const char *when, int width, const char *what, struct misses misses)
{
    printf("# %-9s %-36.*s n %3d  mean %5.1f %%  90th percentile %5.1f %%  bias %+5.1f %%\n", when,
           width, what, misses.count, 100 * misses.mean, 100 * misses.p90, 100 * misses.bias);
}

static void report(const struct fitting *fitting, const char *when)
{
    print_misses(when, 36, "fitted", misses_of(fitting, FITTED));
    print_misses(when, 36, "held out", misses_of(fitting, HELD_OUT));
}

/* Refits without one publisher after the other and says how far off the left out one is. Where it
 * alone supports its stack nothing moves, and the two lines are equal. */
static void leave_one_out(struct fitting *fitting, const struct constants *start)
{
    const char *seen[SOURCES_MAX];
    int count = 0;
    for (size_t i = 0; i < fitting->cases.count && count < SOURCES_MAX; i++) {
        const char *source = fitting->cases.list[i].source;
        bool known = false;
        for (int k = 0; k < count; k++)
            known |= same_publisher(seen[k], source);
        if (known)
            continue;
        seen[count++] = fitting->source = source;
        fitting->constants = *start;
        fitting->fitted_to = OTHER_SOURCES;
        struct misses before = misses_of(fitting, ONE_SOURCE);
        if (before.count < SOURCE_CASES)
            continue;
        fit(fitting);
        int width = (int)publisher_length(source);
        print_misses("included", width, source, before);
        print_misses("left out", width, source, misses_of(fitting, ONE_SOURCE));
        fflush(stdout);
    }
}

static bool load(struct fitting *fitting, const char *folder, struct error *error)
{
    struct strbuf text = {0};
    const char *file = "data/engine.yaml";
    if (!cases_load(&fitting->cases, folder, error) ||
        !file_read(file, YAML_MAX_BYTES, &text, error))
        return false;
    bool done = constants_read(file, text.data, text.length, fitting->cases.arena,
                               &fitting->constants, fitting->fitted, &fitting->fitted_count, error);
    strbuf_clear(&text);
    return done;
}

int main(int argc, char **argv)
{
    static struct fitting fitting;
    struct error error;
    char text[800];
    fitting.prefix = argc > 2 ? argv[2] : "train-memory";
    if (!load(&fitting, argc > 1 ? argv[1] : "tests/cases", &error)) {
        printf("%s\n", error_text(&error, text, sizeof text));
        return 1;
    }
    struct constants before = fitting.constants;
    report(&fitting, "before");
    fit(&fitting);
    report(&fitting, "after");
    for (size_t i = 0; i < fitting.fitted_count; i++) {
        struct constant_fitted f = fitting.fitted[i];
        double old = constant_get(&before, f.info, f.member),
               now = constant_get(&fitting.constants, f.info, f.member);
        if (fabs(now - old) > 1e-9)
            printf("- {group: %s, key: %s, values: {%s: %.4g}}  # was %.4g\n",
                   constant_group_names[f.info->group], f.info->key,
                   constant_member_name(f.info->group, f.member), now, old);
    }
    leave_one_out(&fitting, &before);
    cases_clear(&fitting.cases);
    return 0;
}
