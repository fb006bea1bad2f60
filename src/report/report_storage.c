/* report_storage.c - disks and what else a bill holds: what storage this job really needs, and what
 * is charged beside the machines. */
#include "report/report_parts.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/storage_cost.h"
#include "report/columns.h"

#define SECONDS_PER_HOUR 3600.0
/* A disk whose advertised IOPS stand for more than this many GiB is a trap for small jobs. */
#define TRAP_TIMES 4.0

static void add_need(struct report *report, const struct billing_input *paid)
{
    double nodes = paid->nodes;
    if (paid->checkpoint_bytes > 0)
        report_addf(report, BLOCK_TEXT,
                    tr("Each machine needs %s GiB: system, weights of %s GB, two checkpoints of %s "
                       "GB. Text is read at megabytes a second, not terabytes an hour."),
                    FIGURE(thousands, storage_need_gib(paid)),
                    FIGURE(gib, paid->load_bytes / nodes / GB),
                    FIGURE(gib, paid->checkpoint_bytes / nodes / GB));
    else
        report_addf(report, BLOCK_TEXT, tr("Each machine needs %s GiB: system and weights of %s GB."),
                    FIGURE(thousands, storage_need_gib(paid)),
                    FIGURE(gib, paid->load_bytes / nodes / GB));
}

static void add_disks(struct report *report, const struct report_input *input,
                      const struct storage_option *options, int count, bool checkpoints)
{
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Disk"), TEXT_LEFT);
    table_column(table, NULL, tr("GiB"), TEXT_RIGHT);
    table_column(table, NULL, tr("MB/s"), TEXT_RIGHT);
    table_column(table, NULL, "IOPS", TEXT_RIGHT);
    table_column(table, NULL, tr("Load"), TEXT_RIGHT);
    if (checkpoints)
        table_column(table, NULL, tr("Checkpoint"), TEXT_RIGHT);
    table_column(table, NULL, tr("A month"), TEXT_RIGHT);
    for (int i = 0; i < count; i++) {
        const struct storage_option *option = &options[i];
        bool old = billing_stale(input->catalog, option->disk->date, input->today);
        table_text(table, option->disk->name);
        table_text(table, FIGURE(thousands, option->gib));
        table_text(table, FIGURE(thousands,
                                 billing_disk_bytes_per_s(option->disk, option->gib) / 1e6));
        table_text(table, FIGURE(thousands, option->iops));
        table_text(table, FIGURE(hours, option->load_s / SECONDS_PER_HOUR));
        if (checkpoints)
            table_text(table, FIGURE(hours, option->checkpoint_s / SECONDS_PER_HOUR));
        table_text(table, isnan(option->cny_month)
                              ? "-"
                              : arena_printf(report->arena, "%s%s", MONEY(NULL, option->cny_month),
                                             old ? "*" : ""));
    }
}

/* "A million IOPS" is sold by the GiB. */
static void add_trap(struct report *report, const struct report_input *input,
                     const struct storage_option *options, int count)
{
    const struct storage_option *worst = NULL;
    for (int i = 0; i < count; i++)
        if (options[i].full_iops_gib > TRAP_TIMES * options[i].gib &&
            isfinite(options[i].full_iops_cny_month) &&
            (!worst || options[i].full_iops_gib > worst->full_iops_gib))
            worst = &options[i];
    if (worst)
        report_addf(report, BLOCK_TEXT,
                    tr("The %s IOPS advertised for %s take %s GiB, %s a month; loading and "
                       "checkpoints are large blocks and need MB/s, not IOPS."),
                    FIGURE(thousands, worst->disk->iops_max), worst->disk->name,
                    FIGURE(thousands, worst->full_iops_gib),
                    MONEY(NULL, worst->full_iops_cny_month));
}

static void add_hidden(struct report *report, const struct report_input *input,
                       const struct billing_input *paid)
{
    struct hidden_cost costs[HIDDEN_COSTS];
    int count = storage_hidden_costs(paid, costs);
    struct table *table = report_add_table(report);
    table_column(table, NULL, tr("Beside the machines"), TEXT_LEFT);
    table_column(table, NULL, tr("Quantity"), TEXT_RIGHT);
    table_column(table, NULL, tr("Cost"), TEXT_RIGHT);
    table_column(table, NULL, tr("When"), TEXT_LEFT);
    for (int i = 0; i < count; i++) {
        const struct hidden_cost *cost = &costs[i];
        if (!(cost->quantity > 0))
            continue;
        bool old = cost->service &&
                   billing_stale(input->catalog, cost->service->date, input->today);
        table_text(table, tr(cost->label));
        table_text(table, arena_printf(report->arena, "%s %s", FIGURE(thousands, cost->quantity),
                                       tr(cost->unit)));
        table_text(table, isnan(cost->cny)
                              ? "-"
                              : arena_printf(report->arena, cost->per_month ? tr("%s%s a month")
                                                                            : tr("%s%s once"),
                                             MONEY(NULL, cost->cny), old ? "*" : ""));
        table_text(table, tr(cost->note));
    }
}

void report_storage(struct report *report, const struct report_input *input, const struct job *job,
                    const struct offer *offer, enum billing_mode mode)
{
    struct storage_option options[STORAGE_OPTIONS];
    const struct cost *cost = offer_cost(offer, mode);
    bool foreign = offer->price && strcmp(offer->price->currency, "CNY") != 0; /* disks are in CNY */
    if (!offer->instance || !cost || foreign || input->catalog->disk_count == 0)
        return;
    struct billing_input paid = offer_billing_input(input->catalog, job, offer, input->today);
    int count = storage_options(&paid, options);
    report_add(report, BLOCK_HEADING, tr("Storage and what else is charged"));
    add_need(report, &paid);
    add_disks(report, input, options, count, paid.checkpoint_bytes > 0);
    add_trap(report, input, options, count);
    add_hidden(report, input, &paid);
    if (cost->storage_cny > 0)
        report_addf(report, BLOCK_TEXT, tr("In the total above: %s of it, as asked."),
                    MONEY(offer, cost->storage_cny));
    else
        report_addf(report, BLOCK_TEXT,
                    tr("None of it is in the total above; disk_gib, oss_gb, snapshot_gib, shared_gib, "
                      "cross_region_gb and public_gb put it there. Prices per machine and month; * = older than %.0f days."),
                    billing_stale_days(input->catalog));
}
