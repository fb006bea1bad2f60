/* fit.c - `make fit`: moves the constants that data/engine.yaml lists under `fitted` so that two
 * thirds of the published cases are met better, and reports the error on the others too. It writes
 * nothing: the rows it prints are pasted into the file when they are an improvement on both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "tests/accuracy/cases.h"

enum { STEPS = 12, ROUNDS = 2 };

struct fitting {
    struct cases cases;
    struct constants constants;
    struct constant_fitted fitted[CONSTANT_FITTED_MAX];
    size_t fitted_count;
    const char *prefix; /* of the groups fitted to */
};

static struct replay replay;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean and 90th percentile of |ln(estimate / published)| on one part. */
static void errors(const struct fitting *fitting, bool held_out, double *mean, double *p90,
                   int *count)
{
    static double all[ROWS_MAX];
    double sum = 0;
    int n = 0;
    cases_replay(&fitting->cases, &fitting->constants, fitting->prefix, &replay);
    for (int i = 0; i < replay.count; i++) {
        const struct row *row = &replay.rows[i];
        double error = fabs(log(row->estimate / row->published));
        if (row->of->suspect || case_held_out(row->of) != held_out || !isfinite(error))
            continue;
        all[n++] = error;
        sum += error;
    }
    qsort(all, (size_t)n, sizeof *all, compare);
    *mean = n ? sum / n : 0;
    *p90 = n ? all[(int)(0.9 * (n - 1))] : 0;
    *count = n;
}

/* The 90th percentile counts for a third: a few figures that nothing explains must not decide. */
static double loss(const struct fitting *fitting)
{
    double mean, p90;
    int count;
    errors(fitting, false, &mean, &p90, &count);
    return mean + p90 / 3;
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

static void report(const struct fitting *fitting, const char *when)
{
    for (int part = 0; part < 2; part++) {
        double mean, p90;
        int count;
        errors(fitting, part == 1, &mean, &p90, &count);
        printf("# %-7s %-8s n %3d  mean %5.1f %%  90th percentile %5.1f %%\n", when,
               part ? "held out" : "fitted", count, 100 * mean, 100 * p90);
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
    double best = loss(&fitting);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < fitting.fitted_count; i++)
            best = improve(&fitting, fitting.fitted[i], best);
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
    cases_clear(&fitting.cases);
    return 0;
}
