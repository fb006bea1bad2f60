/* storage_cost.c - see storage_cost.h. Throughput and IOPS of a cloud disk grow with its size:
 * min(base + per GiB x size, maximum), from the provider's block storage page. */
#include "engine/billing_internal.h"

#include <math.h>
#include <string.h>
#include "base/i18n.h"
#include "base/units.h"
#include "engine/money.h"

#define MEGABYTE 1e6
/* Room for the system, drivers and a container image: the size of the system disk in the dated
 * price quotes this program carries. */
#define SYSTEM_GIB 100.0
#define KEPT_CHECKPOINTS 2
/* The least capacity of a shared file system: 3600 GiB in the provider's worked example of a bill. */
#define SHARED_FILES_LEAST_GIB 3600.0
/* An hour of a disk is a 480th of its month, as for machines: 0.0021 against 1.00 CNY for the level
 * quoted both ways. */
#define DISK_MONTH_HOURS 480.0

double billing_disk_bytes_per_s(const struct disk *disk, double gib)
{
    return fmin(disk->mbps_base + disk->mbps_per_gib * gib, disk->mbps_max) * MEGABYTE;
}

double billing_disk_iops(const struct disk *disk, double gib)
{
    return fmin(disk->iops_base + disk->iops_per_gib * gib, disk->iops_max);
}

double storage_hour_cny(const struct disk *disk, double gib, bool *assumed)
{
    *assumed = disk->hour_assumed || isnan(disk->cny_gib_hour);
    return gib * (isnan(disk->cny_gib_hour) ? disk->cny_gib_month / DISK_MONTH_HOURS
                                            : disk->cny_gib_hour);
}

double storage_need_gib(const struct billing_input *input)
{
    double bytes = KEPT_CHECKPOINTS * input->checkpoint_bytes + input->load_bytes;
    return SYSTEM_GIB + ceil(bytes / input->nodes / GIB);
}

static const struct disk *default_disk(const struct catalog *catalog)
{
    const struct disk *best = NULL;
    for (size_t i = 0; i < catalog->disk_count; i++) {
        const struct disk *disk = &catalog->disks[i];
        bool quoted = !isnan(disk->cny_gib_month) && !isnan(disk->cny_gib_hour) &&
                      !disk->hour_assumed;
        if (quoted && (!best || disk->mbps_max > best->mbps_max))
            best = disk;
    }
    return best;
}

static const struct disk *named_disk(const struct catalog *catalog, const char *id)
{
    for (size_t i = 0; i < catalog->disk_count; i++)
        if (strcmp(catalog->disks[i].id, id) == 0)
            return &catalog->disks[i];
    return NULL;
}

struct disk_plan storage_disk(const struct billing_input *input)
{
    const struct scenario *scenario = input->scenario;
    bool named = scenario_has(scenario, FIELD_DISK);
    bool size_given = scenario_has(scenario, FIELD_DISK_GIB);
    struct disk_plan plan = {.asked = named || size_given};
    plan.disk = named ? named_disk(input->catalog, scenario->disk) : default_disk(input->catalog);
    plan.gib = size_given ? scenario->disk_gib : storage_need_gib(input);
    if (plan.disk) {
        plan.gib = fmin(fmax(plan.gib, plan.disk->min_gib), plan.disk->max_gib);
        plan.bytes_per_s = billing_disk_bytes_per_s(plan.disk, plan.gib);
    }
    return plan;
}

/* ---- in the total -------------------------------------------------------------------------- */

/* Services by what they are to this program; the ids are those of the data. */
enum service_id { SERVICE_OBJECTS, SERVICE_CROSS_REGION, SERVICE_SNAPSHOT, SERVICE_EGRESS,
                  SERVICE_SHARED_FILES, SERVICE_COUNT };
static const char *const service_ids[SERVICE_COUNT] = {
    [SERVICE_OBJECTS] = "oss_standard_lrs",
    [SERVICE_CROSS_REGION] = "oss_cross_region_replication",
    [SERVICE_SNAPSHOT] = "snapshot",
    [SERVICE_EGRESS] = "oss_public_egress",
    [SERVICE_SHARED_FILES] = "cpfs_200",
};

static const struct service *find_service(const struct catalog *catalog, enum service_id id)
{
    for (size_t i = 0; i < catalog->service_count; i++)
        if (strcmp(catalog->services[i].id, service_ids[id]) == 0)
            return &catalog->services[i];
    return NULL;
}

static void add(struct cost *cost, const char *label, double quantity, const char *unit,
                const struct rate *rate)
{
    if (isnan(rate->value)) {
        cost->storage_left_out = true;
        return;
    }
    cost_add(cost, label, quantity, unit, rate);
    cost->lines[cost->line_count - 1].storage = true;
}

static struct rate service_rate(const struct billing_context *context, enum service_id id)
{
    const struct service *service = find_service(context->input->catalog, id);
    struct rate rate = {.value = NAN, .date = "", .source = "", .why_not = ""};
    if (service && !context->other_currency) {
        rate.value = service->price_cny;
        rate.date = service->date;
        rate.source = service->source;
    }
    return rate;
}

static struct rate disk_rate(const struct billing_context *context, bool by_hour)
{
    const struct disk *disk = context->disk.disk;
    struct rate rate = {.value = NAN, .date = "", .source = "", .why_not = ""};
    if (!disk || context->other_currency)
        return rate;
    bool assumed = false;
    rate.value = by_hour ? storage_hour_cny(disk, 1, &assumed) : disk->cny_gib_month;
    rate.basis = assumed ? BASIS_RULE : BASIS_QUOTED;
    rate.date = disk->date;
    rate.source = disk->source;
    return rate;
}

/* What a scenario may ask for beside disks. Traffic happens once; the rest lies there by the month. */
struct asked_service {
    enum field_id field;
    enum service_id service;
    const char *label, *unit; /* N_() */
    bool monthly;
    double least;             /* is charged at any rate */
};
static const struct asked_service asked_services[] = {
    {FIELD_OSS_GB, SERVICE_OBJECTS, N_("Object storage"), N_("GB-months"), true, 0},
    {FIELD_SNAPSHOT_GIB, SERVICE_SNAPSHOT, N_("Snapshots"), N_("GiB-months"), true, 0},
    {FIELD_SHARED_GIB, SERVICE_SHARED_FILES, N_("Shared file system"), N_("GiB-months"), true,
     SHARED_FILES_LEAST_GIB},
    {FIELD_CROSS_REGION_GB, SERVICE_CROSS_REGION, N_("Cross-region traffic"), "GB", false, 0},
    {FIELD_PUBLIC_GB, SERVICE_EGRESS, N_("Public traffic"), "GB", false, 0},
};

static double asked_quantity(const struct scenario *scenario, const struct asked_service *asked)
{
    double quantity = scenario_number(scenario, asked->field, 0);
    return quantity > 0 ? fmax(quantity, asked->least) : 0;
}

void storage_add_lines(const struct billing_context *context, double disk_h, double disk_months,
                       double span_h, struct cost *cost)
{
    const struct scenario *scenario = context->input->scenario;
    if (context->disk.asked && disk_h + disk_months > 0) {
        bool by_hour = disk_months <= 0;
        struct rate rate = disk_rate(context, by_hour);
        add(cost, by_hour ? N_("Disks, by the hour") : N_("Disks, with the machines"),
            context->input->nodes * context->disk.gib * (by_hour ? disk_h : disk_months),
            by_hour ? N_("GiB-hours") : N_("GiB-months"), &rate);
    }
    for (size_t i = 0; i < sizeof asked_services / sizeof *asked_services; i++) {
        const struct asked_service *asked = &asked_services[i];
        double quantity = asked_quantity(scenario, asked);
        struct rate rate = service_rate(context, asked->service);
        if (quantity > 0)
            add(cost, asked->label, asked->monthly ? quantity * span_h / HOURS_PER_MONTH : quantity,
                asked->unit, &rate);
    }
}

double storage_month_cny(const struct billing_context *context, bool by_hour)
{
    const struct scenario *scenario = context->input->scenario;
    double cny = 0;
    if (context->disk.asked) {
        double rate = disk_rate(context, by_hour).value;
        cny += isnan(rate) ? 0
                           : context->input->nodes * context->disk.gib * rate *
                                 (by_hour ? HOURS_PER_MONTH : 1);
    }
    for (size_t i = 0; i < sizeof asked_services / sizeof *asked_services; i++) {
        double rate = service_rate(context, asked_services[i].service).value;
        if (asked_services[i].monthly && !isnan(rate))
            cny += asked_quantity(scenario, &asked_services[i]) * rate;
    }
    return cny;
}

/* ---- advice -------------------------------------------------------------------------------- */

int storage_options(const struct billing_input *input,
                    struct storage_option options[STORAGE_OPTIONS])
{
    double need_gib = storage_need_gib(input);
    int count = 0;
    for (size_t i = 0; i < input->catalog->disk_count && count < STORAGE_OPTIONS; i++) {
        const struct disk *disk = &input->catalog->disks[i];
        if (need_gib > disk->max_gib)
            continue;
        double gib = fmax(need_gib, disk->min_gib);
        double bytes_per_s = billing_disk_bytes_per_s(disk, gib) * input->nodes;
        double full_gib = disk->iops_per_gib > 0
                              ? ceil((disk->iops_max - disk->iops_base) / disk->iops_per_gib)
                              : disk->min_gib;
        options[count++] = (struct storage_option){
            .disk = disk, .gib = gib,
            .checkpoint_s = input->checkpoint_bytes / bytes_per_s,
            .load_s = input->load_bytes / bytes_per_s,
            .cny_month = gib * disk->cny_gib_month,
            .iops = billing_disk_iops(disk, gib),
            .full_iops_gib = full_gib,
            .full_iops_cny_month = full_gib * disk->cny_gib_month,
        };
    }
    return count;
}

static double month_of(const struct service *service, double quantity)
{
    return service ? service->price_cny * quantity : NAN;
}

int storage_hidden_costs(const struct billing_input *input, struct hidden_cost costs[HIDDEN_COSTS])
{
    struct disk_plan disk = storage_disk(input);
    const struct catalog *catalog = input->catalog;
    const struct scenario *scenario = input->scenario;
    double all_gib = disk.gib * input->nodes, shared_gib = fmax(all_gib, SHARED_FILES_LEAST_GIB);
    double disk_cny = disk.disk ? all_gib * disk.disk->cny_gib_month : NAN;
    double load_gb = input->load_bytes / GB, checkpoint_gb = input->checkpoint_bytes / GB;
    double kept_gb = load_gb + KEPT_CHECKPOINTS * checkpoint_gb;
    double cross_gb = scenario_number(scenario, FIELD_CROSS_REGION_GB, load_gb);
    const struct service *snapshot = find_service(catalog, SERVICE_SNAPSHOT),
                         *objects = find_service(catalog, SERVICE_OBJECTS),
                         *cross = find_service(catalog, SERVICE_CROSS_REGION),
                         *egress = find_service(catalog, SERVICE_EGRESS),
                         *files = find_service(catalog, SERVICE_SHARED_FILES);
    const struct hidden_cost all[] = {
        {N_("Disks left behind"),
         N_("Charged while machines are stopped, spot machines too, until the disk is deleted."),
         NULL, all_gib, N_("GiB-months"), disk_cny, true},
        {N_("Snapshots"),
         N_("The first copies the whole disk; without a retention rule they only grow."),
         snapshot, all_gib, N_("GiB-months"), month_of(snapshot, all_gib), true},
        {N_("Object storage"), N_("Weights and two checkpoints kept there after the run."),
         objects, kept_gb, N_("GB-months"), month_of(objects, kept_gb), true},
        {N_("Cross-region reads"),
         N_("Keep data in the machine's region: reads inside a region are free."),
         cross, cross_gb, "GB", month_of(cross, cross_gb), false},
        {N_("Public traffic"),
         N_("Downloads to the internet; a fixed public address is charged while stopped too."),
         egress, checkpoint_gb, "GB", month_of(egress, checkpoint_gb), false},
        {N_("Shared file system"),
         N_("Sold by capacity with a minimum of terabytes; a POSIX mount needs management machines "
            "of its own."),
         files, shared_gib, N_("GiB-months"), month_of(files, shared_gib), true},
    };
    int count = (int)(sizeof all / sizeof *all);
    memcpy(costs, all, sizeof all);
    return count;
}
