/* report_csv.c - the offers as one table: every column, then the total by every way of paying. */
#include "report/report.h"

#include <math.h>
#include "base/i18n.h"
#include "report/columns.h"

/* JSON and CSV name verdict, cheapest mode and the like by key, whatever the language. */
static const char *key_of(const struct column *column, const struct offer *offer)
{
    if (column == column_find("verdict"))
        return verdict_names[offer->memory.verdict];
    if (column == column_find("cheapest"))
        return offer->cheapest < MODE_COUNT ? billing_modes[offer->cheapest].key : "";
    if (column == column_find("price_date"))
        return offer->price && offer->price->date ? offer->price->date : "-";
    if (column == column_find("link"))
        return link_kind_names[offer->instance->link];
    if (column == column_find("rdma"))
        return rdma_kind_names[offer->instance->rdma];
    if (column == column_find("status"))
        return sale_status_names[offer->instance->status];
    return NULL;
}

void report_offers_table(const struct plan *plan, enum billing_mode mode, struct arena *arena,
                         struct table *table)
{
    struct strbuf text = {0};
    table_init(table, arena);
    for (int i = 0; i < column_count; i++)
        table_column(table, columns[i].id, tr(columns[i].heading), columns[i].align);
    for (int k = 0; k < MODE_COUNT; k++)
        table_column(table, arena_printf(arena, "total_%s_cny", billing_modes[k].key),
                     tr(billing_modes[k].label), TEXT_RIGHT);
    for (size_t row = 0; row < plan->offer_count; row++) {
        const struct offer *offer = &plan->offers[row];
        for (int i = 0; i < column_count; i++) {
            const char *key = key_of(&columns[i], offer);
            strbuf_reset(&text);
            columns[i].format(offer, mode, &text);
            if (columns[i].number && !key)
                table_number(table, columns[i].number(offer, mode), strbuf_text(&text));
            else
                table_text(table, key ? key : strbuf_text(&text));
        }
        for (int k = 0; k < MODE_COUNT; k++) {
            const struct cost *cost = offer_cost(offer, (enum billing_mode)k);
            table_plain(table, cost ? cost->total_cny : NAN);
        }
    }
    strbuf_clear(&text);
}
