/* advice_storage.c - rules about disks and data: from bytes of weights, checkpoints and tokens. */
#include "engine/advice_internal.h"

#include <math.h>
#include "engine/storage_cost.h"

/* Writing a checkpoint for longer than this, or loading for longer than that, is worth a sentence.
 */
#define SLOW_CHECKPOINT_S 120.0
#define SLOW_LOAD_S 120.0
#define SECONDS_PER_HOUR 3600.0
/* A token in a data file: 4 bytes as an integer (Megatron-LM's indexed data sets use 2 or 4). */
#define TOKEN_BYTES 4.0
/* Advertised IOPS that the size of the disk does not reach. */
#define IOPS_REACHED 0.5

static struct billing_input paid(const struct advice_input *input)
{
    return offer_billing_input(input->catalog, input->job, input->offer, input->today);
}

static bool rented(const struct advice_input *input)
{
    return input->offer->instance != NULL;
}

/* Seconds that all machines together take to move the bytes; NAN without a disk. */
static double disk_seconds(const struct advice_input *input, const struct disk_plan *disk,
                           double bytes)
{
    return disk->disk ? bytes / (disk->bytes_per_s * input->offer->nodes) : NAN;
}

RULE(advice_checkpoint_disk)
{
    if (!rented(input) || input->job->workload == WORKLOAD_INFERENCE)
        return false;
    struct billing_input bill = paid(input);
    struct disk_plan disk = storage_disk(&bill);
    double seconds = disk_seconds(input, &disk, bill.checkpoint_bytes);
    return seconds > SLOW_CHECKPOINT_S &&
           WHY(tr("A checkpoint of %s GB takes %s on %s of %s GiB (%s MB/s a machine)."),
               FIGURE(gib, bill.checkpoint_bytes / GB), FIGURE(hours, seconds / SECONDS_PER_HOUR),
               tr(disk.disk->name), FIGURE(thousands, disk.gib),
               FIGURE(thousands, disk.bytes_per_s / 1e6));
}

/* What the machines cost while they only read. */
RULE(advice_load_disk)
{
    if (!rented(input))
        return false;
    struct billing_input bill = paid(input);
    struct disk_plan disk = storage_disk(&bill);
    double seconds = disk_seconds(input, &disk, bill.load_bytes);
    if (!(seconds > SLOW_LOAD_S))
        return false;
    double hour = input->offer->price ? input->offer->price->payg_hour * input->offer->nodes : NAN;
    const char *cost =
        isfinite(hour) ? advice_money(input, hour * seconds / SECONDS_PER_HOUR) : "-";
    return WHY(
        tr("Loading %s GB takes %s from %s at %s MB/s, each time it starts: %s paid for waiting."),
        FIGURE(gib, bill.load_bytes / GB), FIGURE(hours, seconds / SECONDS_PER_HOUR),
        tr(disk.disk->name), FIGURE(thousands, disk.bytes_per_s / 1e6), cost);
}

RULE(advice_disk_small)
{
    if (!rented(input) || !scenario_has(input->scenario, FIELD_DISK_GIB))
        return false;
    struct billing_input bill = paid(input);
    double need = storage_need_gib(&bill);
    return input->scenario->disk_gib < need &&
           WHY(tr("The disk has %s GiB; system, weights and two checkpoints need %s in each "
                  "machine."),
               FIGURE(thousands, input->scenario->disk_gib), FIGURE(thousands, need));
}

RULE(advice_iops)
{
    if (!rented(input) || !scenario_has(input->scenario, FIELD_DISK))
        return false;
    struct billing_input bill = paid(input);
    struct disk_plan disk = storage_disk(&bill);
    if (!disk.disk || disk.disk->iops_per_gib <= 0)
        return false;
    double iops = billing_disk_iops(disk.disk, disk.gib);
    double full = (disk.disk->iops_max - disk.disk->iops_base) / disk.disk->iops_per_gib;
    return iops < IOPS_REACHED * disk.disk->iops_max &&
           WHY(tr("%s of %s GiB gives %s IOPS; the advertised %s need %s GiB, %s a month."),
               tr(disk.disk->name), FIGURE(thousands, disk.gib), FIGURE(thousands, iops),
               FIGURE(thousands, disk.disk->iops_max), FIGURE(thousands, full),
               advice_money(input, full * disk.disk->cny_gib_month));
}

RULE(advice_check_disk)
{
    if (!rented(input))
        return false;
    struct billing_input bill = paid(input);
    struct disk_plan disk = storage_disk(&bill);
    double bytes = fmax(bill.checkpoint_bytes, bill.load_bytes);
    return disk_seconds(input, &disk, bytes) > SLOW_LOAD_S / 2 &&
           WHY(tr("The plan counts on %s MB/s from the disk of each machine."),
               FIGURE(thousands, disk.bytes_per_s / 1e6));
}

RULE(advice_local_disk)
{
    return rented(input) && input->offer->instance->local_nvme_gib > 0 &&
           WHY(tr("What is on the local disk (%s GiB) is lost when the machine is released, moved "
                  "or reclaimed."),
               FIGURE(thousands, input->offer->instance->local_nvme_gib));
}

RULE(advice_cross_region)
{
    const struct service *traffic = catalog_service(input->catalog, "oss_cross_region_replication");
    double gb =
        scenario_has(input->scenario, FIELD_CROSS_REGION_GB) ? input->scenario->cross_region_gb : 0;
    return gb > 0 && traffic && isfinite(traffic->price_cny) &&
           WHY(tr("%s GB from another region cost %s a reading, at %s CNY a GB."),
               FIGURE(thousands, gb), advice_money(input, gb * traffic->price_cny),
               FIGURE(rate, traffic->price_cny));
}

/* "Training loads terabytes an hour" is not so for text. */
RULE(advice_data_rate)
{
    const struct speed *speed = &input->offer->speed;
    if (!rented(input) || input->job->workload == WORKLOAD_INFERENCE ||
        !isfinite(speed->tokens_per_s))
        return false;
    double bytes_per_h = speed->tokens_per_s * TOKEN_BYTES * SECONDS_PER_HOUR;
    return scenario_has(input->scenario, FIELD_DISK) &&
           WHY(tr("This job reads %s GB of tokens an hour, not terabytes."),
               FIGURE(gib, bytes_per_h / GB));
}
