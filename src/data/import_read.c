/* import_read.c - the public response formats of five calls of the ECS API of 2014-05-26, as the
 * API reference and the provider's SDKs (aliyun/alibabacloud-csharp-sdk:ecs-20140526) give them.
 * Keys that are not needed are passed over: responses grow. */
#include "data/import_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define MOST_GPUS 64 /* of one machine, as in instance files */
#define MOST_VCPU 4096
#define KBIT_PER_GBIT 1024000.0 /* the API counts 1,024,000 kbit/s to 1 Gbit/s (ecs.g6.large) */

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The list at a path of keys with '/' between them; NULL when a part is missing. */
static const struct yaml_node *at_path(const struct yaml_node *node, const char *path)
{
    while (node && *path) {
        char key[48];
        size_t length = strcspn(path, "/");
        if (node->kind != YAML_MAP || length >= sizeof key)
            return NULL;
        memcpy(key, path, length);
        key[length] = '\0';
        node = yaml_get(node, key);
        path += length + (path[length] == '/');
    }
    return node;
}

static const char *text_of(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *node = yaml_get(map, key);
    return node && node->kind == YAML_SCALAR && !yaml_is_null(node) ? node->text : "";
}

/* A number, which older SDKs write in quotes; NAN when absent. False only for what is neither. */
static bool number_of(const struct yaml_document *document, const struct yaml_node *map,
                      const char *key, double *value, struct error *error)
{
    const struct yaml_node *node = yaml_get(map, key);
    *value = NAN;
    if (!node || yaml_is_null(node) || (node->kind == YAML_SCALAR && !*node->text))
        return true;
    if (node->kind == YAML_SCALAR && node->quoted && units_parse(node->text, false, value))
        return true;
    return yaml_number(document, node, value, error);
}

static bool needs_list(const struct yaml_document *document, const struct yaml_node *page,
                       const struct yaml_node *list, const char *what, struct error *error)
{
    if (list && list->kind == YAML_LIST)
        return true;
    return yaml_error(document, list ? list : page, false, error, tr("expected the list `%s`"), what);
}

/* "cn-beijing-i" and "us-east-1a" without the zone's letter. */
static const char *region_of_zone(struct import *import, const char *zone)
{
    size_t length = strlen(zone);
    if (length > 0)
        length--;
    if (length > 0 && zone[length - 1] == '-')
        length--;
    return arena_strndup(import->arena, zone, length);
}

/* ---- DescribeInstanceTypes ------------------------------------------------------------------- */

/* A type of the same family from which GPU, links and status can be taken: with several GPUs when
 * the new type has several, and never a slice, since slices of one family differ in size. */
static const struct instance *sibling(const struct catalog *catalog, const char *family, int gpus)
{
    if (strncmp(family, "ecs.", 4) == 0)
        family += 4;
    for (size_t i = 0; i < catalog->instance_count; i++) {
        const struct instance *instance = &catalog->instances[i];
        if (strcmp(instance->family, family) == 0 && instance->gpu_fraction >= 1 &&
            (gpus == 1 || instance->gpu_count > 1))
            return instance;
    }
    return NULL;
}

struct specification { double vcpu, ram_gib, gpus, network_gbps, disks, disk_gib; };

static bool same(const struct instance *instance, const struct specification *said)
{
    return instance->vcpu == (int)said->vcpu && instance->gpu_count == (int)said->gpus &&
           fabs(instance->ram_gib - said->ram_gib) < 0.5 &&
           (isnan(said->network_gbps) || fabs(instance->network_gbps - said->network_gbps) < 0.05);
}

static bool read_type(struct import *import, const struct yaml_document *document,
                      const struct yaml_node *node, struct error *error)
{
    struct specification said;
    double kbit_in, kbit_out;
    if (!number_of(document, node, "CpuCoreCount", &said.vcpu, error) ||
        !number_of(document, node, "MemorySize", &said.ram_gib, error) ||
        !number_of(document, node, "GPUAmount", &said.gpus, error) ||
        !number_of(document, node, "InstanceBandwidthRx", &kbit_in, error) ||
        !number_of(document, node, "InstanceBandwidthTx", &kbit_out, error) ||
        !number_of(document, node, "LocalStorageAmount", &said.disks, error) ||
        !number_of(document, node, "LocalStorageCapacity", &said.disk_gib, error))
        return false;
    const char *type = text_of(node, "InstanceTypeId");
    if (!*type)
        return yaml_error(document, node, false, error, "%s",
                          tr("an instance type without InstanceTypeId"));
    said.network_gbps = fmin(kbit_in, kbit_out) / KBIT_PER_GBIT;
    const struct instance *known = catalog_instance(import->catalog, type);
    if (!(said.gpus >= 1 && said.gpus <= MOST_GPUS) || !(said.vcpu >= 1 && said.vcpu <= MOST_VCPU) ||
        !(said.ram_gib > 0)) {
        import->counts.unknown++;
        return true;
    }
    if (known && same(known, &said)) {
        import->counts.unchanged++;
        return true;
    }
    struct instance instance;
    if (!known) {
        known = sibling(import->catalog, text_of(node, "InstanceTypeFamily"), (int)said.gpus);
        if (!known || isnan(said.network_gbps)) {
            import->counts.unlinked++;
            return true;
        }
        instance = *known;
        instance.status = STATUS_API_ONLY;
        instance.type = arena_strdup(import->arena, type);
        instance.note = "";
        instance.source = "";
    } else {
        instance = *known;
    }
    instance.vcpu = (int)said.vcpu;
    instance.ram_gib = said.ram_gib;
    instance.gpu_count = (int)said.gpus;
    instance.network_gbps = isnan(said.network_gbps) ? known->network_gbps : said.network_gbps;
    if (said.disks > 0 && said.disk_gib > 0)
        instance.local_nvme_gib = said.disks * said.disk_gib;
    import_type_row(import, &instance, "DescribeInstanceTypes");
    import->counts.types++;
    return true;
}

static bool read_types(struct import *import, const struct yaml_document *document,
                       const struct yaml_node *page, struct error *error)
{
    const struct yaml_node *list = at_path(page, "InstanceTypes/InstanceType");
    if (!needs_list(document, page, list, "InstanceTypes.InstanceType", error))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        if (!read_type(import, document, node, error))
            return false;
    return true;
}

/* ---- DescribePrice --------------------------------------------------------------------------- */

/* The longest id of the catalog that stands in the file's name. */
static const char *type_in_name(const struct import *import)
{
    const char *best = NULL;
    for (size_t i = 0; i < import->catalog->instance_count; i++) {
        const char *type = import->catalog->instances[i].type;
        if (strstr(import->file, type) && (!best || strlen(type) > strlen(best)))
            best = type;
    }
    return best;
}

static const char *region_in_name(const struct import *import)
{
    const char *best = NULL;
    for (size_t i = 0; i < import->catalog->region_count; i++) {
        const char *region = import->catalog->regions[i].id;
        if (strstr(import->file, region) && (!best || strlen(region) > strlen(best)))
            best = region;
    }
    return best;
}

static const char *period_in_name(const struct import *import)
{
    const char *name = strrchr(import->file, '/'), *best = "hour";
    name = name ? name : import->file;
    for (int i = 1; import_periods[i]; i++) /* year2 after year: the longer one wins */
        if (strstr(name, import_periods[i]))
            best = import_periods[i];
    return best;
}

static bool price_asked_for(struct import *import, const char **type, const char **region,
                            int *amount, struct error *error)
{
    const struct import_options *options = import->options;
    *type = options->type ? options->type : type_in_name(import);
    *region = options->region ? options->region : region_in_name(import);
    if (!*type || !*region) {
        error_at(error, import->file, 0, 0, "%s",
                 *type ? tr("the answer of DescribePrice does not say which region it is of")
                       : tr("the answer of DescribePrice does not say which type it is of"));
        return error_hint(error, "%s",
                          tr("give --type and --region, or name the file ecs.TYPE-REGION-PERIOD.json"));
    }
    if (!catalog_instance(import->catalog, *type))
        return catalog_unknown(import->catalog, "instance", *type, error);
    if (!catalog_region(import->catalog, *region))
        return catalog_unknown(import->catalog, "region", *region, error);
    const char *period = options->period ? options->period : period_in_name(import);
    const char *key = strcmp(period, "hour") == 0   ? "payg_hour"
                      : strcmp(period, "spot") == 0 ? "spot_hour"
                                                    : period;
    *amount = import_amount_index(key);
    if (!import_amounts[*amount].key)
        return error_set(error, tr("'%s' is no period: hour, month, year, year2, year3, year5, spot"),
                         period);
    return true;
}

/* The machine alone, when the answer itemises it; newer answers say DetailInfo and "instanceType",
 * older ones ResourcePriceModel and "instance". */
static const struct yaml_node *machine_alone(const struct yaml_node *price)
{
    const struct yaml_node *list = at_path(price, "DetailInfos/DetailInfo");
    if (!list)
        list = at_path(price, "DetailInfos/ResourcePriceModel");
    for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next) {
        const char *resource = text_of(node, "Resource");
        if (text_find(resource, "instance") == resource)
            return node;
    }
    return NULL;
}

static bool read_price(struct import *import, const struct yaml_document *document,
                       const struct yaml_node *page, struct error *error)
{
    const struct yaml_node *price = at_path(page, "PriceInfo/Price");
    const char *type, *region;
    int amount = 0;
    if (!price || price->kind != YAML_MAP)
        return yaml_error(document, page, false, error, tr("expected the map `%s`"), "PriceInfo.Price");
    if (!price_asked_for(import, &type, &region, &amount, error))
        return false;
    const struct yaml_node *machine = machine_alone(price);
    double trade, list;
    if (!number_of(document, machine ? machine : price, "TradePrice", &trade, error) ||
        !number_of(document, machine ? machine : price, "OriginalPrice", &list, error))
        return false;
    double paid = isnan(trade) ? list : trade;
    if (!(paid > 0))
        return yaml_error(document, price, false, error, "%s", tr("no price above 0 in this answer"));
    const char *currency = text_of(price, "Currency");
    struct import_price *row = import_price_row(import, type, region, *currency ? currency : "CNY");
    import_set_amount(import, row, amount, paid, "DescribePrice");
    if (!machine) { /* a total holds the disk of the request as well */
        row->price.low_confidence = true;
        row->price.note = "total of the request, its disk included";
    } else if (list > paid * 1.0001) {
        row->price.note = arena_printf(import->arena, "list price %.10g, %.1f %% off", list,
                                       100 * (1 - paid / list));
    }
    return true;
}

/* ---- DescribeSpotPriceHistory ---------------------------------------------------------------- */

static struct import_zone *zone_of(struct import *import, const char *type, const char *zone,
                                   const char *currency)
{
    for (size_t i = 0; i < import->zone_count; i++)
        if (strcmp(import->zones[i].type, type) == 0 && strcmp(import->zones[i].zone, zone) == 0)
            return &import->zones[i];
    if (import->zone_count == import->zone_capacity) {
        import->zone_capacity = import->zone_capacity ? 2 * import->zone_capacity : 64;
        import->zones = xrealloc(import->zones, import->zone_capacity, sizeof *import->zones);
    }
    import->zones[import->zone_count] = (struct import_zone){
        .type = arena_strdup(import->arena, type), .zone = arena_strdup(import->arena, zone),
        .currency = arena_strdup(import->arena, currency), .hour = NAN};
    return &import->zones[import->zone_count++];
}

static bool read_spot_history(struct import *import, const struct yaml_document *document,
                              const struct yaml_node *page, struct error *error)
{
    const struct yaml_node *list = at_path(page, "SpotPrices/SpotPriceType");
    const char *currency = text_of(page, "Currency");
    if (!needs_list(document, page, list, "SpotPrices.SpotPriceType", error))
        return false;
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        double spot, hour;
        if (!number_of(document, node, "SpotPrice", &spot, error) ||
            !number_of(document, node, "OriginPrice", &hour, error))
            return false;
        const char *type = text_of(node, "InstanceType"), *name = text_of(node, "ZoneId");
        if (!(spot > 0) || !*name || !catalog_instance(import->catalog, type)) {
            import->counts.unknown++;
            continue;
        }
        if (!catalog_region(import->catalog, region_of_zone(import, name))) {
            import->counts.no_region++;
            continue;
        }
        struct import_zone *zone = zone_of(import, type, name, *currency ? currency : "CNY");
        zone->sum += spot;
        zone->count++;
        zone->hour = hour;
    }
    return true;
}

/* The mean of the cheapest zone is what a plan can count on. */
static void set_zone(struct import *import, const struct import_zone *zone)
{
    struct import_price *row = import_price_row(import, zone->type,
                                                region_of_zone(import, zone->zone), zone->currency);
    int spot = import_amount_index("spot_hour");
    double mean = zone->sum / zone->count, before = row->price.spot_hour;
    bool fresh = !isnan(before) && !(row->kept & 1u << spot);
    if (!fresh || mean < before) {
        import_set_amount(import, row, spot, mean, "DescribeSpotPriceHistory");
        row->price.note = arena_printf(import->arena, "spot: mean of %d prices in %s", zone->count,
                                       zone->zone);
    }
    if (zone->hour > 0)
        import_set_amount(import, row, import_amount_index("payg_hour"), zone->hour,
                          "DescribeSpotPriceHistory");
}

void import_set_spot(struct import *import)
{
    for (size_t i = 0; i < import->zone_count; i++)
        set_zone(import, &import->zones[i]);
}

/* ---- DescribeSpotAdvice ---------------------------------------------------------------------- */

/* The mean of 30 days, else the upper end of a range such as "0-3%"; NAN without either. */
static bool released_percent(const struct yaml_document *document, const struct yaml_node *node,
                             double *percent, struct error *error)
{
    if (!number_of(document, node, "InterruptionRate", percent, error))
        return false;
    const char *range = text_of(node, "InterruptRateDesc"), *dash = strchr(range, '-');
    if (isnan(*percent) && dash)
        *percent = strtod(dash + 1, NULL);
    if (!(*percent >= 0.01 && *percent <= 99.99))
        *percent = NAN;
    return true;
}

/* A share of the hourly price, 1 to 100 %, mean of 30 days; it needs an hourly price to be one. */
static bool read_advice(struct import *import, const struct yaml_document *document,
                        const struct yaml_node *node, const char *region, const char *zone,
                        struct error *error)
{
    double percent, released;
    if (!number_of(document, node, "AverageSpotDiscount", &percent, error) ||
        !released_percent(document, node, &released, error))
        return false;
    const char *type = text_of(node, "InstanceType");
    if (!(percent > 0 && percent <= 100) || !catalog_instance(import->catalog, type)) {
        import->counts.unknown++;
        return true;
    }
    if (!catalog_region(import->catalog, region)) {
        import->counts.no_region++;
        return true;
    }
    const struct price *known = catalog_price(import->catalog, type, region);
    double hour = known && strcmp(known->region, region) == 0 ? known->payg_hour : NAN;
    for (size_t i = 0; i < import->price_count; i++) { /* or one read a moment ago */
        const struct price *row = &import->prices[i].price;
        if (strcmp(row->type, type) == 0 && strcmp(row->region, region) == 0)
            hour = row->payg_hour, known = row;
    }
    if (isnan(hour)) {
        import->counts.no_hour++;
        return true;
    }
    struct import_price *row = import_price_row(import, type, region, known->currency);
    int spot = import_amount_index("spot_hour");
    bool fresh = !isnan(row->price.spot_hour) && !(row->kept & 1u << spot);
    double amount = hour * percent / 100;
    if (fresh && row->price.spot_hour <= amount)
        return true;
    import_set_amount(import, row, spot, amount, "DescribeSpotAdvice");
    row->price.spot_released_percent = released;
    row->price.note = arena_printf(import->arena,
                                   "spot in %s: %g %% of the hour, %s released in 30 days", zone,
                                   percent, text_of(node, "InterruptRateDesc"));
    return true;
}

static bool read_spot_advice(struct import *import, const struct yaml_document *document,
                             const struct yaml_node *page, struct error *error)
{
    const struct yaml_node *zones = at_path(page, "AvailableSpotZones/AvailableSpotZone");
    if (!needs_list(document, page, zones, "AvailableSpotZones.AvailableSpotZone", error))
        return false;
    for (const struct yaml_node *zone = zones->first; zone; zone = zone->next) {
        const char *name = text_of(zone, "ZoneId"), *region = text_of(page, "RegionId");
        if (!*region)
            region = region_of_zone(import, name);
        const struct yaml_node *list = at_path(zone, "AvailableSpotResources/AvailableSpotResource");
        for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
            if (!read_advice(import, document, node, region, name, error))
                return false;
    }
    return true;
}

/* ---- DescribeAvailableResource --------------------------------------------------------------- */

static const struct { const char *category, *words; } stock_words[] = {
    {"WithStock", "in stock"}, {"ClosedWithStock", "little stock"}, {"WithoutStock", "out of stock"},
    {"ClosedWithoutStock", "no longer stocked"}};

static const char *stock_of(const struct yaml_node *node)
{
    const char *category = text_of(node, "StatusCategory");
    for (size_t i = 0; i < sizeof stock_words / sizeof *stock_words; i++)
        if (strcmp(stock_words[i].category, category) == 0)
            return stock_words[i].words;
    return strcmp(text_of(node, "Status"), "Available") == 0 ? "in stock" : "sold out";
}

/* Stock is a note on the type: "... [stock 2026-12-01: cn-beijing-i in stock]"; an older note of it
 * goes. */
static void note_stock(struct import *import, const char *type, const char *zone, const char *words)
{
    const struct instance *known = catalog_instance(import->catalog, type);
    if (!known) {
        import->counts.unknown++;
        return;
    }
    struct import_type *row = import_type_row(import, known, "DescribeAvailableResource");
    const char *today = arena_printf(import->arena, "[stock %s: ", import->options->today);
    const char *note = row->instance.note, *old = strstr(note, "[stock ");
    if (old && strncmp(old, today, strlen(today)) == 0)
        note = arena_printf(import->arena, "%.*s, %s %s]", (int)strlen(note) - 1, note, zone, words);
    else
        note = arena_printf(import->arena, "%.*s%s%s%s %s]", old ? (int)(old - note) : (int)strlen(note),
                            note, *note && !old ? " " : "", today, zone, words);
    row->instance.note = note;
    import->counts.stock++;
}

static void read_zone(struct import *import, const struct yaml_node *zone)
{
    const struct yaml_node *resources = at_path(zone, "AvailableResources/AvailableResource");
    for (const struct yaml_node *kind = resources ? resources->first : NULL; kind; kind = kind->next) {
        if (strcmp(text_of(kind, "Type"), "InstanceType") != 0)
            continue;
        const struct yaml_node *list = at_path(kind, "SupportedResources/SupportedResource");
        for (const struct yaml_node *node = list ? list->first : NULL; node; node = node->next)
            note_stock(import, text_of(node, "Value"), text_of(zone, "ZoneId"), stock_of(node));
    }
}

static bool read_stock(struct import *import, const struct yaml_document *document,
                       const struct yaml_node *page, struct error *error)
{
    const struct yaml_node *zones = at_path(page, "AvailableZones/AvailableZone");
    if (!needs_list(document, page, zones, "AvailableZones.AvailableZone", error))
        return false;
    for (const struct yaml_node *zone = zones->first; zone; zone = zone->next)
        read_zone(import, zone);
    return true;
}

/* ---- which call it is of --------------------------------------------------------------------- */

static const struct {
    const char *key;
    bool (*read)(struct import *import, const struct yaml_document *document,
                 const struct yaml_node *page, struct error *error);
} calls[] = {
    {"InstanceTypes", read_types},
    {"PriceInfo", read_price},
    {"SpotPrices", read_spot_history},
    {"AvailableSpotZones", read_spot_advice},
    {"AvailableZones", read_stock},
};

bool import_read_page(struct import *import, const struct yaml_document *document,
                      const struct yaml_node *page, struct error *error)
{
    import->counts.pages++;
    for (size_t i = 0; page->kind == YAML_MAP && i < sizeof calls / sizeof *calls; i++)
        if (yaml_get(page, calls[i].key))
            return calls[i].read(import, document, page, error);
    if (page->kind == YAML_MAP && *text_of(page, "Code") && *text_of(page, "Message"))
        return yaml_error(document, page, false, error, tr("the call failed: %s"),
                          text_of(page, "Message"));
    yaml_error(document, page, false, error, "%s", tr("not the answer of a call that can be imported"));
    return error_hint(error, "%s",
                      "DescribeInstanceTypes, DescribePrice, DescribeSpotPriceHistory, "
                      "DescribeSpotAdvice, DescribeAvailableResource");
}
