/* chart.c - frontier and axes. */
#include "ui/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/i18n.h"
#include "base/units.h"

bool chart_shows(struct chart_point point)
{
    return point.x > 0 && point.y > 0 && isfinite(point.x) && isfinite(point.y);
}

/* ---- the frontier ---- */

struct ranked {
    double x, y; /* x turned so that less is better */
    int index;
};

static int by_x(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->index - b->index;
}

int chart_frontier(const struct chart_point *points, int count, bool more_x, int *frontier)
{
    struct ranked *ranked = xrealloc(NULL, (size_t)count + 1, sizeof *ranked);
    int shown = 0, found = 0;
    for (int i = 0; i < count; i++)
        if (chart_shows(points[i]))
            ranked[shown++] = (struct ranked){more_x ? -points[i].x : points[i].x, points[i].y, i};
    qsort(ranked, (size_t)shown, sizeof *ranked, by_x);
    double least = INFINITY;
    for (int i = 0; i < shown; i++)
        if (ranked[i].y < least) {
            least = ranked[i].y;
            frontier[found++] = ranked[i].index;
        }
    for (int i = 0; more_x && i < found / 2; i++) { /* from the least x again */
        int kept = frontier[i];
        frontier[i] = frontier[found - 1 - i];
        frontier[found - 1 - i] = kept;
    }
    free(ranked);
    return found;
}

/* ---- axes ---- */

struct chart_axis chart_axis(const double *values, int count)
{
    struct chart_axis axis = {INFINITY, 0};
    for (int i = 0; i < count; i++)
        if (values[i] > 0 && isfinite(values[i])) {
            axis.low = fmin(axis.low, values[i]);
            axis.high = fmax(axis.high, values[i]);
        }
    if (!(axis.high > 0))
        return (struct chart_axis){1, 10};
    /* a twentieth of the way at each end, and at least half a doubling in all */
    double room = fmax(pow(axis.high / axis.low, 0.05), 1.2);
    axis.low /= room;
    axis.high *= room;
    return axis;
}

int chart_cell(struct chart_axis axis, double value, int cells)
{
    double place = log(value / axis.low) / log(axis.high / axis.low);
    int cell = (int)lround(fmin(fmax(place, 0), 1) * (cells - 1));
    return cell < 0 ? 0 : cell;
}

/* ---- ticks ---- */

static const double tick_hours[] = {1.0 / 60, 2.0 / 60, 5.0 / 60, 10.0 / 60, 20.0 / 60, 0.5,
                                    1,        2,        4,        8,         12,        24,
                                    2 * 24,   4 * 24,   7 * 24,   14 * 24,   30 * 24,   60 * 24,
                                    120 * 24, 365 * 24, 730 * 24};

/* Steps within a decade, from coarse to fine; each ends with 0. */
static const double mantissas[][21] = {
    {1},
    {1, 2, 5},
    {1, 1.5, 2, 3, 4, 5, 6, 8},
    {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9},
};
enum { LEVELS = sizeof mantissas / sizeof *mantissas, WANTED = 3 };

/* Appends a tick when it lies on the axis and far enough from the one before. */
static int add_tick(struct chart_axis axis, int cells, int apart, double value,
                    struct chart_tick *ticks, int count)
{
    if (count == CHART_TICKS || value < axis.low || value > axis.high)
        return count;
    int cell = chart_cell(axis, value, cells);
    if (count && cell - ticks[count - 1].cell < apart)
        return count;
    ticks[count] = (struct chart_tick){.value = value, .cell = cell};
    return count + 1;
}

static int ticks_of_level(struct chart_axis axis, int cells, int apart, int level,
                          struct chart_tick *ticks)
{
    int count = 0;
    for (int power = (int)floor(log10(axis.low)); power <= (int)ceil(log10(axis.high)); power++)
        for (const double *mantissa = mantissas[level]; *mantissa > 0; mantissa++)
            count = add_tick(axis, cells, apart, *mantissa * pow(10, power), ticks, count);
    return count;
}

/* Rounded to three digits, so that units_plain writes no more of them. */
static double three_digits(double value)
{
    double step = pow(10, floor(log10(value)) - 2);
    return step < 1 ? round(value / step) / round(1 / step) : round(value / step) * step;
}

static void write_number(double value, char *label)
{
    char text[UNITS_TEXT];
    if (value >= 10000)
        units_count(value, text);
    else if (value >= 1000)
        units_thousands(value, text);
    else
        units_plain(three_digits(value), text);
    snprintf(label, CHART_LABEL, "%.15s", text);
}

static void write_hours(double value, char *label)
{
    char text[UNITS_TEXT];
    double shown = value < 0.995 ? value * 60 : value < 24 ? value : value / 24;
    units_plain(three_digits(shown), text);
    snprintf(label, CHART_LABEL, "%.6s %.8s", text,
             value < 0.995 ? tr("min")
             : value < 24  ? tr("h")
                           : tr("d"));
}

int chart_ticks(struct chart_axis axis, int cells, int apart, bool hours,
                struct chart_tick ticks[CHART_TICKS])
{
    int count = 0;
    for (size_t i = 0; hours && i < sizeof tick_hours / sizeof *tick_hours; i++)
        count = add_tick(axis, cells, apart, tick_hours[i], ticks, count);
    for (int level = 0; level < LEVELS && count < WANTED; level++) {
        struct chart_tick finer[CHART_TICKS];
        int found = ticks_of_level(axis, cells, apart, level, finer);
        for (int i = 0; found > count && i < found; i++)
            ticks[i] = finer[i];
        count = found > count ? found : count;
    }
    for (int i = 0; i < count; i++)
        (hours ? write_hours : write_number)(ticks[i].value, ticks[i].label);
    return count;
}
