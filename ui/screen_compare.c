/* screen_compare.c - the marked offers side by side, every column of the table as a line, the best
 * value of each line marked. */
#include "ui/screens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "report/columns.h"
#include "ui/app.h"
#include "ui/offer_view.h"
#include "ui/widgets.h"

/* Columns of which one end is better; the others are only shown. */
static const struct { const char *column; int sign; } better[] = {
    {"memory_percent", -1}, {"tokens_per_s", 1}, {"hours", -1}, {"cost_cny", -1}, {"cny_per_mtok", -1},
    {"network_gbps", 1}, {"cny_per_hour", -1}, {"cny_per_month", -1}, {"tokens_per_s_per_gpu", 1}, {"ttft_ms", -1},
    {"tpot_ms", -1}, {"max_concurrency", 1}, {"cny_per_gib_hour", -1}, {"cny_per_tflops_hour", -1},
};

enum { LABEL_CELLS = 14, OFFER_CELLS_MIN = 14, OFFER_CELLS_MAX = 34, HEADING_ROWS = 2 };

struct compare {
    struct list list; /* the first line shown */
};

static int page_rows(struct rect area)
{
    return area.rows > 4 ? area.rows - HEADING_ROWS - 1 : 1;
}

static bool compare_act(struct app *app, void *state, int action, const struct event *event)
{
    struct compare *compare = state;
    int rows = page_rows(app_area(app));
    if (action == ACTION_BILLING)
        return instances_screen.act(app, app_state_of(app, SCREEN_INSTANCES), action, event);
    return list_act(&compare->list, action, column_count, rows);
}

/* Which of the offers has the best value of a column; -1 when none stands out. */
static int best_of(const struct column *column, const struct offer *const *offers, int count, enum billing_mode mode)
{
    int best = -1, sign = 0;
    for (size_t i = 0; i < sizeof better / sizeof *better; i++)
        if (strcmp(better[i].column, column->id) == 0)
            sign = better[i].sign;
    if (!sign || !column->number)
        return -1;
    bool apart = false;
    for (int i = 0; i < count; i++) {
        double value = column->number(offers[i], mode);
        if (isnan(value))
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        double now = column->number(offers[best], mode);
        apart |= fabs(value - now) > 0.005 * fabs(now); /* less is not seen in three digits */
        if ((value - now) * sign > 0)
            best = i;
    }
    return apart ? best : -1;
}

static void draw_line(const struct app *app, const struct offer *const *offers, int count, int index,
                      struct canvas *canvas, struct rect area, int row, int cells)
{
    const struct column *column = &columns[index];
    int best = best_of(column, offers, count, app->mode);
    canvas_text(canvas, row, area.col, LABEL_CELLS - 1, ROLE_DIM, tr(column->heading));
    for (int i = 0; i < count; i++) {
        struct strbuf text = {0};
        enum role role = i == best ? ROLE_GOOD : strcmp(column->id, "verdict") == 0 ? verdict_role(offers[i]->memory.verdict) : ROLE_TEXT;
        int col = area.col + LABEL_CELLS + i * cells;
        column->format(offers[i], app->mode, &text);
        canvas_field(canvas, row, col, cells - 2, TEXT_RIGHT, role, strbuf_text(&text));
        if (i == best)
            canvas_text(canvas, row, col + cells - 2, 1, ROLE_GOOD, "✓");
        strbuf_clear(&text);
    }
}

/* A name in two lines where one is too short, broken behind a separator. */
static void draw_name(const struct offer *offer, struct canvas *canvas, int row, int col, int cells)
{
    char name[160], first[160] = "";
    offer_name(offer, name, sizeof name);
    int length = (int)strlen(name), at = 0;
    for (int i = 0; i < length && length > cells && i < cells; i++)
        if (strchr(" -.", name[i]) && (length - i - 1 <= cells || at == 0))
            at = i + 1;
    memcpy(first, name, (size_t)at);
    canvas_field(canvas, row, col, cells, TEXT_RIGHT, ROLE_TITLE, first);
    canvas_field(canvas, row + 1, col, cells, TEXT_RIGHT, ROLE_TITLE, name + at);
}

static void compare_draw(const struct app *app, const void *state, struct canvas *canvas, struct rect area)
{
    const struct compare *compare = state;
    const struct offer *offers[MARKS_MAX];
    int count = instances_compared(app, offers);
    int rows = page_rows(area);
    if (count == 0) {
        canvas_text(canvas, area.row, area.col, area.cols, ROLE_WARN, tr("no marked offer is left: the answers changed"));
        return;
    }
    int room = (area.cols - LABEL_CELLS) / OFFER_CELLS_MIN;
    if (count > room)
        canvas_printf(canvas, area.row + HEADING_ROWS + rows, area.col, area.cols - 21, ROLE_WARN,
                      tr("%d of %d offers: a wider window shows all"), room, count);
    count = count < room ? count : room;
    int cells = (area.cols - LABEL_CELLS) / count;
    cells = cells > OFFER_CELLS_MAX ? OFFER_CELLS_MAX : cells;
    for (int i = 0; i < count; i++)
        draw_name(offers[i], canvas, area.row, area.col + LABEL_CELLS + i * cells, cells - 2);
    for (int i = 0; i < rows && compare->list.top + i + 1 < column_count; i++)
        draw_line(app, offers, count, compare->list.top + i + 1, canvas, area, area.row + HEADING_ROWS + i, cells);
    list_position(canvas, area.row + HEADING_ROWS + rows, area.col + area.cols, &compare->list, column_count - 1, rows);
    canvas_text(canvas, area.row + 1, area.col, LABEL_CELLS - 1, ROLE_DIM, tr("✓ best"));
    canvas_cursor(canvas, area.row, area.col, false);
}

const struct screen compare_screen = {
    .name = N_("Compare"), .state_size = sizeof(struct compare), .draw = compare_draw, .act = compare_act,
};
