/* chart.h - points on two logarithmic axes: the frontier, where things stand, and ticks that can be
 * read. Pure, as layout.h is. */
#ifndef GPUWIZ_UI_CHART_H
#define GPUWIZ_UI_CHART_H

#include <stdbool.h>

struct chart_point {
    double x, y; /* not positive or NAN: the point is not on the chart */
};

bool chart_shows(struct chart_point point);

/* The points that no other one beats: less y is better, and less x, or more x when `more_x`. Writes
 * their indices into `frontier` (room for `count`) in the order of x; returns how many. Of equal
 * points only the first counts. */
int chart_frontier(const struct chart_point *points, int count, bool more_x, int *frontier);

struct chart_axis {
    double low, high; /* 0 < low < high */
};

/* An axis that holds all values, with some room at both ends. */
struct chart_axis chart_axis(const double *values, int count);

/* The cell of a value among `cells`, 0 = the low end. */
int chart_cell(struct chart_axis axis, double value, int cells);

enum { CHART_TICKS = 24, CHART_LABEL = 16 };
struct chart_tick {
    double value;
    int cell;
    char label[CHART_LABEL];
};

/* Round values along the axis, at most one in `apart` cells: 1, 2, 5, 10, ... or, for hours,
 * minutes, hours and days as people count them; finer ones when the axis is short. */
int chart_ticks(struct chart_axis axis, int cells, int apart, bool hours,
                struct chart_tick ticks[CHART_TICKS]);

#endif
