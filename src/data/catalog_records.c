#include "data/catalog_records.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/i18n.h"
#include "data/model_file.h"

/* A type of which only the label is known is planned with this share of what the driver reports.
 * Where both are known: T4 0.984, A10 0.987, A100-80 0.992. */
#define USABLE_SHARE 0.985

/* ---- field tables --------------------------------------------------------------------------
 * Columns: key, member, required or optional, least and greatest value of a number. */

enum { OPTIONAL = false, REQUIRED = true };

#define AT(member) offsetof(struct raw, member)
#define TEXT(key, member, need) {key, YAML_FIELD_TEXT, AT(member), need, 0, 0, NULL}
#define NUMBER(key, member, need, least, most) \
    {key, YAML_FIELD_NUMBER, AT(member), need, least, most, NULL}
#define INT(key, member, need, least, most) {key, YAML_FIELD_INT, AT(member), need, least, most, NULL}
#define BOOL(key, member) {key, YAML_FIELD_BOOL, AT(member), OPTIONAL, 0, 0, NULL}
#define CHOICE(key, member, need, names) {key, YAML_FIELD_CHOICE, AT(member), need, 0, 0, names}
#define NODE(key, member, need) {key, YAML_FIELD_NODE, AT(member), need, 0, 0, NULL}
#define ORIGIN NODE("source", source, REQUIRED), TEXT("date", date, OPTIONAL)
#define END {NULL, YAML_FIELD_NODE, 0, false, 0, 0, NULL}

#define GPU_RATE(rate) NUMBER(#rate, as.gpu.rate, OPTIONAL, 0.1, 1e6)
static const struct yaml_field gpu_fields[] = {
    TEXT("id", as.gpu.id, REQUIRED),
    TEXT("name", as.gpu.name, REQUIRED),
    CHOICE("arch", as.gpu.arch, REQUIRED, gpu_arch_names),
    NUMBER("marketed_gb", as.gpu.marketed_gb, REQUIRED, 1, 10000),
    NUMBER("reported_mib", as.gpu.reported_mib, OPTIONAL, 1000, 1e7),
    NUMBER("usable_gib", as.gpu.usable_gib, OPTIONAL, 0.5, 10000),
    NUMBER("bandwidth_gbs", as.gpu.bandwidth_gbs, OPTIONAL, 1, 1e6),
    GPU_RATE(fp32_tflops), GPU_RATE(tf32_tflops), GPU_RATE(fp16_tflops), GPU_RATE(bf16_tflops),
    GPU_RATE(fp8_tflops), GPU_RATE(fp4_tflops), GPU_RATE(int8_tops),
    NUMBER("nvlink_gbs", as.gpu.nvlink_gbs, OPTIONAL, 0, 100000),
    INT("pcie_gen", as.gpu.pcie_gen, OPTIONAL, 1, 9),
    BOOL("bf16", as.gpu.bf16),
    BOOL("fp8", as.gpu.fp8),
    NUMBER("compute_capability", as.gpu.compute_capability, OPTIONAL, 1, 99),
    NUMBER("tdp_w", as.gpu.tdp_w, OPTIONAL, 1, 10000),
    TEXT("note", as.gpu.note, OPTIONAL),
    ORIGIN, END};

/* What a family gives to all its types, and a type may say differently. */
#define INSTANCE_SHARED(need) \
    CHOICE("status", as.instance.status, need, sale_status_names), \
    TEXT("gpu", gpu_id, need), \
    NODE("gpu_fraction", fraction, OPTIONAL), \
    NUMBER("gpu_usable_gib", as.instance.gpu_usable_gib, OPTIONAL, 0.1, 10000), \
    CHOICE("link", as.instance.link, OPTIONAL, link_kind_names), \
    NUMBER("link_gbs", as.instance.link_gbs, OPTIONAL, 1, 100000), \
    CHOICE("rdma", as.instance.rdma, OPTIONAL, rdma_kind_names), \
    NUMBER("rdma_gbps", as.instance.rdma_gbps, OPTIONAL, 1, 100000), \
    BOOL("bare_metal", as.instance.bare_metal), \
    TEXT("note", as.instance.note, OPTIONAL), \
    NODE("source", source, need), \
    TEXT("date", date, OPTIONAL)

static const struct yaml_field family_fields[] = {
    TEXT("family", as.instance.family, REQUIRED),
    INSTANCE_SHARED(REQUIRED),
    NODE("types", types, REQUIRED), END};

static const struct yaml_field type_fields[] = {
    TEXT("type", as.instance.type, REQUIRED),
    INT("vcpu", as.instance.vcpu, REQUIRED, 1, 4096),
    NUMBER("ram_gib", as.instance.ram_gib, REQUIRED, 0.5, 100000),
    INT("gpus", as.instance.gpu_count, REQUIRED, 1, 64),
    NUMBER("network_gbps", as.instance.network_gbps, REQUIRED, 0.1, 100000),
    NUMBER("local_nvme_gib", as.instance.local_nvme_gib, OPTIONAL, 1, 1e6),
    INSTANCE_SHARED(OPTIONAL), END};

#define AMOUNT(member) NUMBER(#member, as.price.member, OPTIONAL, 0.0001, 1e9)
static const struct yaml_field price_fields[] = {
    TEXT("type", as.price.type, REQUIRED),
    TEXT("region", as.price.region, OPTIONAL),
    TEXT("currency", as.price.currency, OPTIONAL),
    AMOUNT(payg_hour), AMOUNT(month), AMOUNT(year), AMOUNT(year2), AMOUNT(year3), AMOUNT(year5),
    AMOUNT(spot_hour), AMOUNT(savings_hour_1y), AMOUNT(savings_hour_3y), AMOUNT(reserved_hour_1y),
    AMOUNT(reserved_hour_3y),
    NUMBER("spot_released_percent", as.price.spot_released_percent, OPTIONAL, 0.01, 99.99),
    NODE("regions", regions, OPTIONAL),
    BOOL("no_spot", as.price.no_spot),
    BOOL("promotion", as.price.promotion),
    BOOL("low_confidence", as.price.low_confidence),
    TEXT("note", as.price.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field disk_fields[] = {
    TEXT("id", as.disk.id, REQUIRED),
    TEXT("name", as.disk.name, REQUIRED),
    NUMBER("cny_gib_month", as.disk.cny_gib_month, OPTIONAL, 0.0001, 1000),
    NUMBER("cny_gib_hour", as.disk.cny_gib_hour, OPTIONAL, 0.000001, 10),
    BOOL("hour_assumed", as.disk.hour_assumed),
    NUMBER("iops_base", as.disk.iops_base, REQUIRED, 0, 1e8),
    NUMBER("iops_per_gib", as.disk.iops_per_gib, REQUIRED, 0, 1e6),
    NUMBER("iops_max", as.disk.iops_max, REQUIRED, 1, 1e9),
    NUMBER("mbps_base", as.disk.mbps_base, REQUIRED, 0, 1e6),
    NUMBER("mbps_per_gib", as.disk.mbps_per_gib, REQUIRED, 0, 1e5),
    NUMBER("mbps_max", as.disk.mbps_max, REQUIRED, 1, 1e7),
    NUMBER("min_gib", as.disk.min_gib, REQUIRED, 1, 1e6),
    NUMBER("max_gib", as.disk.max_gib, REQUIRED, 1, 1e8),
    TEXT("note", as.disk.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field service_fields[] = {
    TEXT("id", as.service.id, REQUIRED),
    TEXT("name", as.service.name, REQUIRED),
    TEXT("unit", as.service.unit, REQUIRED),
    NUMBER("price_cny", as.service.price_cny, OPTIONAL, 0, 1e8),
    TEXT("note", as.service.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field tier_fields[] = {
    NUMBER("up_to_cu", as.tier.up_to_cu, OPTIONAL, 1, 1e15),
    NUMBER("cny_per_cu", as.tier.cny_per_cu, REQUIRED, 1e-9, 100),
    ORIGIN, END};

static const struct yaml_field serverless_fields[] = {
    TEXT("series", as.serverless.series, REQUIRED),
    TEXT("gpu", as.serverless.gpu, OPTIONAL),
    NUMBER("card_gb", as.serverless.card_gb, OPTIONAL, 1, 10000),
    NUMBER("active_cu_per_gb_s", as.serverless.active_cu_per_gb_s, REQUIRED, 0.001, 1000),
    NUMBER("idle_cu_per_gb_s", as.serverless.idle_cu_per_gb_s, REQUIRED, 0, 1000),
    TEXT("note", as.serverless.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field managed_fields[] = {
    TEXT("product", as.managed.product, REQUIRED),
    TEXT("gpu", as.managed.gpu, REQUIRED),
    TEXT("type", as.managed.type, OPTIONAL),
    NUMBER("cny_hour", as.managed.cny_hour, REQUIRED, 0.0001, 1e6),
    TEXT("note", as.managed.note, OPTIONAL),
    ORIGIN, END};

static const char *const basis_names[] = {"quoted", "derived", "assumption", NULL};

static const struct yaml_field rule_fields[] = {
    TEXT("id", as.rule.id, REQUIRED),
    TEXT("name", as.rule.name, REQUIRED),
    TEXT("unit", as.rule.unit, REQUIRED),
    NUMBER("value", as.rule.value, REQUIRED, 0, 1e9),
    NUMBER("minimum", as.rule.minimum, REQUIRED, 0, 1e9),
    NUMBER("maximum", as.rule.maximum, REQUIRED, 0, 1e9),
    TEXT("basis", as.rule.basis, REQUIRED),
    TEXT("note", as.rule.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field format_fields[] = {
    TEXT("id", as.format.id, REQUIRED),
    TEXT("name", as.format.name, REQUIRED),
    NUMBER("bits_per_weight", as.format.bits_per_weight, REQUIRED, 1, 64),
    NUMBER("bits_whole_file", as.format.bits_whole_file, OPTIONAL, 1, 64),
    NUMBER("group", as.format.group, OPTIONAL, 1, 65536),
    NUMBER("compute_bits", as.format.compute_bits, REQUIRED, 4, 32),
    BOOL("quantised", as.format.quantised),
    BOOL("gguf", as.format.gguf),
    BOOL("experts_only", as.format.experts_only),
    NODE("keep_16bit", kept, OPTIONAL),
    TEXT("note", as.format.note, OPTIONAL),
    ORIGIN, END};

static const struct yaml_field alias_fields[] = {
    TEXT("name", as.alias.name, REQUIRED),
    TEXT("answer", as.alias.answer, OPTIONAL),
    TEXT("note", as.alias.note, REQUIRED),
    ORIGIN, END};

static const struct yaml_field region_fields[] = {
    TEXT("id", as.region.id, REQUIRED),
    TEXT("name", as.region.name, REQUIRED),
    BOOL("mainland", as.region.mainland),
    ORIGIN, END};

/* ---- reading ------------------------------------------------------------------------------- */

bool raw_read(const struct yaml_document *document, const struct yaml_node *entry,
              const struct yaml_field *fields, struct raw *raw, struct error *error)
{
    for (const struct yaml_field *field = fields; field->key; field++) {
        char *member = (char *)raw + field->offset;
        if (field->type == YAML_FIELD_NUMBER)
            memcpy(member, &(double){NAN}, sizeof(double));
        else if (field->type == YAML_FIELD_TEXT && field->offset != AT(date))
            memcpy(member, &(const char *){""}, sizeof(const char *));
    }
    return yaml_record(document, entry, fields, raw, error);
}

static bool read_plain(struct loader *loader, const struct section *section,
                       const struct yaml_node *entry, struct error *error)
{
    struct raw raw = {0};
    return raw_read(&loader->document, entry, section->fields, &raw, error) &&
           loader_add(loader, section, entry, &raw, error);
}

static bool read_family(struct loader *loader, const struct section *section,
                        const struct yaml_node *entry, struct error *error)
{
    const struct yaml_document *document = &loader->document;
    struct raw family = {0};
    if (!raw_read(document, entry, section->fields, &family, error))
        return false;
    if (family.types->kind != YAML_LIST || family.types->count == 0)
        return yaml_error(document, family.types, false, error, "%s",
                          tr("`types` is a list of the family's instance types"));
    for (const struct yaml_node *row = family.types->first; row; row = row->next) {
        struct raw raw = family; /* the row says only what is its own, or different */
        raw.as.instance.provider = loader->provider;
        raw.as.instance.local_nvme_gib = NAN;
        if (!yaml_record(document, row, section->nested, &raw, error) ||
            !loader_add(loader, section, row, &raw, error))
            return false;
    }
    return true;
}

/* Offsets of everything that can be quoted. */
static const size_t amounts[] = {
    offsetof(struct price, payg_hour),       offsetof(struct price, month),
    offsetof(struct price, year),            offsetof(struct price, year2),
    offsetof(struct price, year3),           offsetof(struct price, year5),
    offsetof(struct price, spot_hour),       offsetof(struct price, savings_hour_1y),
    offsetof(struct price, savings_hour_3y), offsetof(struct price, reserved_hour_1y),
    offsetof(struct price, reserved_hour_3y)};

static double *amount(struct price *price, size_t i)
{
    return (double *)(void *)((char *)price + amounts[i]);
}

enum { AMOUNTS = sizeof amounts / sizeof *amounts };

static bool anything_quoted(struct price *price)
{
    for (size_t i = 0; i < AMOUNTS; i++)
        if (!isnan(*amount(price, i)))
            return true;
    return false;
}

/* The record itself, then one of the hour alone for each of `regions`. */
static bool read_price(struct loader *loader, const struct section *section,
                       const struct yaml_node *entry, struct error *error)
{
    const struct yaml_document *document = &loader->document;
    struct raw raw = {0};
    if (!raw_read(document, entry, section->fields, &raw, error))
        return false;
    raw.as.price.layer = loader->layer;
    const struct yaml_node *regions = raw.regions;
    bool quoted = anything_quoted(&raw.as.price);
    if (!quoted && (!regions || regions->count == 0))
        return yaml_error(document, entry, false, error, "%s",
                          tr("a price needs at least one amount, such as payg_hour"));
    struct raw copy = raw;
    if (quoted && !loader_add(loader, section, entry, &copy, error))
        return false;
    if (regions && (regions->kind != YAML_MAP || *raw.as.price.region))
        return yaml_error(document, regions, true, error, "%s",
                          tr("`regions` is a map of region: price of an hour, without `region`"));
    for (const struct yaml_node *node = regions ? regions->first : NULL; node; node = node->next) {
        copy = raw;
        for (size_t i = 0; i < AMOUNTS; i++)
            *amount(&copy.as.price, i) = NAN;
        copy.as.price.spot_released_percent = NAN;
        copy.as.price.region = node->key;
        if (!yaml_number(document, node, &copy.as.price.payg_hour, error))
            return false;
        if (!(copy.as.price.payg_hour > 0))
            return yaml_error(document, node, false, error, "%s", tr("a price is above 0"));
        if (!loader_add(loader, section, node, &copy, error))
            return false;
    }
    return true;
}

static bool read_region(struct loader *loader, const struct section *section,
                        const struct yaml_node *entry, struct error *error)
{
    struct raw raw = {0};
    if (!raw_read(&loader->document, entry, section->fields, &raw, error))
        return false;
    raw.as.region.provider = loader->provider;
    return loader_add(loader, section, entry, &raw, error);
}

static bool read_model(struct loader *loader, const struct section *section,
                       const struct yaml_node *entry, struct error *error)
{
    struct raw raw = {0};
    return model_read_map(&loader->document, entry, true, loader->catalog->arena, &raw.as.model,
                          error) &&
           loader_add(loader, section, entry, &raw, error);
}

/* ---- finishing a record -------------------------------------------------------------------- */

static double zero_if_nan(double value)
{
    return isnan(value) ? 0 : value;
}

static bool finish_gpu(const struct yaml_document *document, const struct yaml_node *entry,
                       struct raw *raw, struct error *error)
{
    (void)document, (void)entry, (void)error;
    struct gpu *gpu = &raw->as.gpu;
    gpu->nvlink_gbs = zero_if_nan(gpu->nvlink_gbs);
    gpu->usable_assumed = isnan(gpu->usable_gib);
    if (gpu->usable_assumed) { /* a "24 GB" card holds 24 GiB before the driver takes its part */
        double total_gib = isnan(gpu->reported_mib) ? gpu->marketed_gb : gpu->reported_mib / 1024;
        gpu->usable_gib = USABLE_SHARE * total_gib;
    }
    return true;
}

/* "1", "1/12", or a number up to 1. */
static bool read_fraction(const struct yaml_document *document, const struct yaml_node *node,
                          double *fraction, struct error *error)
{
    *fraction = 1;
    if (!node)
        return true;
    if (strncmp(node->text, "1/", 2) == 0) {
        char *end;
        double parts = strtod(node->text + 2, &end);
        *fraction = *end == '\0' && parts >= 1 ? 1 / parts : NAN;
    } else if (!yaml_number(document, node, fraction, error)) {
        return false;
    }
    if (!(*fraction > 0 && *fraction <= 1))
        return yaml_error(document, node, false, error,
                          tr("'%s' is no fraction of a card: 1/2, 1/12, 0.5"), node->text);
    return true;
}

static bool finish_instance(const struct yaml_document *document, const struct yaml_node *entry,
                            struct raw *raw, struct error *error)
{
    struct instance *instance = &raw->as.instance;
    instance->link_gbs = zero_if_nan(instance->link_gbs);
    instance->rdma_gbps = zero_if_nan(instance->rdma_gbps);
    instance->local_nvme_gib = zero_if_nan(instance->local_nvme_gib);
    if (instance->gpu_count == 1) {
        instance->link = LINK_NONE; /* whatever the family's larger types have */
        instance->link_gbs = 0;
    }
    if (!*instance->provider)
        return yaml_error(document, entry, false, error, "%s",
                          tr("the file needs a `provider` at its top: whose instance types are these?"));
    if (instance->gpu_count > 1 && instance->link == LINK_NONE)
        return yaml_error(document, entry, false, error,
                          tr("'%s' has several GPUs but no `link` between them"), instance->type);
    return read_fraction(document, raw->fraction, &instance->gpu_fraction, error);
}

static bool finish_price(const struct yaml_document *document, const struct yaml_node *entry,
                         struct raw *raw, struct error *error)
{
    struct price *price = &raw->as.price;
    if (!*price->currency)
        price->currency = "CNY";
    if (strlen(price->currency) == 3 && strspn(price->currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
        return true;
    return yaml_error(document, yaml_get(entry, "currency"), false, error,
                      tr("'%s' is no currency: CNY, USD, ..."), price->currency);
}

static bool finish_disk(const struct yaml_document *document, const struct yaml_node *entry,
                        struct raw *raw, struct error *error)
{
    if (raw->as.disk.min_gib <= raw->as.disk.max_gib)
        return true;
    return yaml_error(document, yaml_get(entry, "max_gib"), true, error, "%s",
                      tr("max_gib is below min_gib"));
}

static bool finish_rule(const struct yaml_document *document, const struct yaml_node *entry,
                        struct raw *raw, struct error *error)
{
    const struct billing_rule *rule = &raw->as.rule;
    size_t i = 0;
    while (basis_names[i] && strcmp(basis_names[i], rule->basis) != 0)
        i++;
    if (!basis_names[i]) {
        yaml_error(document, yaml_get(entry, "basis"), false, error, tr("unknown basis '%s'"), rule->basis);
        return error_hint(error, "%s", "quoted, derived, assumption");
    }
    if (rule->minimum <= rule->value && rule->value <= rule->maximum)
        return true;
    return yaml_error(document, yaml_get(entry, "value"), true, error,
                      tr("the value of '%s' is outside its minimum..maximum"), rule->id);
}

static bool finish_format(const struct yaml_document *document, const struct yaml_node *entry,
                          struct raw *raw, struct error *error)
{
    (void)entry;
    raw->as.format.group = zero_if_nan(raw->as.format.group);
    if (raw->kept && raw->kept->kind != YAML_LIST)
        return yaml_error(document, raw->kept, false, error, "%s",
                          tr("`keep_16bit` is a list of parts"));
    for (const struct yaml_node *part = raw->kept ? raw->kept->first : NULL; part; part = part->next) {
        unsigned i = 0;
        while (kept_part_names[i] && strcmp(kept_part_names[i], part->text) != 0)
            i++;
        if (!kept_part_names[i]) {
            yaml_error(document, part, false, error, tr("unknown part '%s'"), part->text);
            return error_hint(error, "%s",
                              "embeddings, lm_head, norms, router, attention, shared_experts, dense_ffn");
        }
        raw->as.format.kept_16bit |= 1u << i;
    }
    return true;
}

static bool finish_region(const struct yaml_document *document, const struct yaml_node *entry,
                          struct raw *raw, struct error *error)
{
    if (*raw->as.region.provider)
        return true;
    return yaml_error(document, entry, false, error, "%s",
                      tr("the file needs a `provider` at its top: whose regions are these?"));
}

/* ---- identity ------------------------------------------------------------------------------ */

/* Records that have one id start with it. */
static int compare_id(const void *a, const void *b)
{
    const char *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return strcmp(x, y);
}

static int compare_price(const void *a, const void *b)
{
    const struct price *x = a, *y = b;
    int order = strcmp(x->type, y->type);
    if (order == 0)
        order = strcmp(x->region, y->region);
    return order != 0 ? order : x->promotion - y->promotion;
}

static int compare_tier(const void *a, const void *b)
{
    double x = ((const struct serverless_tier *)a)->up_to_cu;
    double y = ((const struct serverless_tier *)b)->up_to_cu;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y); /* the tier without an end is the last */
    return (x > y) - (x < y);
}

static int compare_managed(const void *a, const void *b)
{
    const struct managed_price *x = a, *y = b;
    int order = strcmp(x->product, y->product);
    if (order == 0)
        order = strcmp(x->gpu, y->gpu);
    return order != 0 ? order : strcmp(x->type, y->type);
}

static int compare_region(const void *a, const void *b)
{
    int order = strcmp(((const struct region *)a)->provider, ((const struct region *)b)->provider);
    return order != 0 ? order : compare_id(a, b);
}

/* ---- the sections -------------------------------------------------------------------------- */

#define TABLE(type, array, number) \
    .size = sizeof(struct type), .records = offsetof(struct catalog, array), \
    .count = offsetof(struct catalog, number)
#define SOURCED(type, array, number) \
    TABLE(type, array, number), .source = offsetof(struct type, source), \
    .date = offsetof(struct type, date)

const struct section catalog_sections[SECTION_COUNT] = {
    [SECTION_REGIONS] = {"regions", SOURCED(region, regions, region_count), .fields = region_fields,
        .read = read_region, .finish = finish_region, .compare = compare_region},
    [SECTION_GPUS] = {"gpus", SOURCED(gpu, gpus, gpu_count), .fields = gpu_fields,
        .read = read_plain, .finish = finish_gpu, .compare = compare_id},
    [SECTION_INSTANCES] = {"instances", SOURCED(instance, instances, instance_count),
        .fields = family_fields, .nested = type_fields, .read = read_family,
        .finish = finish_instance, .compare = compare_id},
    [SECTION_PRICES] = {"prices", SOURCED(price, prices, price_count), .fields = price_fields,
        .read = read_price, .finish = finish_price, .compare = compare_price, .sorted = true},
    [SECTION_DISKS] = {"disks", SOURCED(disk, disks, disk_count), .fields = disk_fields,
        .read = read_plain, .finish = finish_disk, .compare = compare_id},
    [SECTION_SERVICES] = {"services", SOURCED(service, services, service_count),
        .fields = service_fields, .read = read_plain, .compare = compare_id},
    [SECTION_SERVERLESS_TIERS] = {"serverless_tiers",
        SOURCED(serverless_tier, serverless_tiers, serverless_tier_count), .fields = tier_fields,
        .read = read_plain, .compare = compare_tier, .sorted = true},
    [SECTION_SERVERLESS] = {"serverless", SOURCED(serverless_rate, serverless, serverless_count),
        .fields = serverless_fields, .read = read_plain, .compare = compare_id},
    [SECTION_MANAGED] = {"managed", SOURCED(managed_price, managed, managed_count),
        .fields = managed_fields, .read = read_plain, .compare = compare_managed},
    [SECTION_RULES] = {"billing_rules", SOURCED(billing_rule, rules, rule_count),
        .fields = rule_fields, .read = read_plain, .finish = finish_rule, .compare = compare_id},
    [SECTION_FORMATS] = {"weight_formats", SOURCED(weight_format, formats, format_count),
        .fields = format_fields, .read = read_plain, .finish = finish_format,
        .compare = compare_id},
    [SECTION_MODELS] = {"models", TABLE(model, models, model_count), .source = SIZE_MAX,
        .date = SIZE_MAX, .read = read_model, .compare = compare_id},
    [SECTION_ALIASES] = {"aliases", SOURCED(alias, aliases, alias_count), .fields = alias_fields,
        .read = read_plain, .compare = compare_id},
};
