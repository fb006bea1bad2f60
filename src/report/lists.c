#include "report/lists.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/i18n.h"
#include "data/lesson.h"
#include "engine/billing.h"
#include "engine/model.h"

/* What is listed, and the day that the age of prices is counted to. */
struct listed {
    const struct catalog *catalog;
    const char *today;
};

/* One list: its columns, and a function that adds the cells of record number `index`, in the order
 * of the columns. `what` is what catalog_unknown calls one of its names. */
struct list {
    const char *name, *what;
    struct list_column {
        const char *key;
        const char *heading; /* N_() */
        enum text_align align;
    } columns[20];
    size_t (*count)(const struct catalog *catalog);
    void (*add)(const struct listed *from, size_t index, struct table *table);
};

/* Zero stands for "not known" in some figures of the catalog. */
static double known(double value)
{
    return value > 0 ? value : NAN;
}

static void yes_no(struct table *table, bool value)
{
    table_word(table, value ? "yes" : "no", value ? tr("yes") : tr("no"));
}

/* The source, where the table has a column for it. */
static void add_source(struct table *table, const char *source)
{
    struct strbuf words = {0};
    catalog_source_words(source, &words);
    for (int i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].key, "source") == 0)
            table_word(table, source, strbuf_text(&words));
    strbuf_clear(&words);
}

/* "2024-10-09*" when it is to be looked up again; programs get the date alone. */
static void add_price_date(const struct listed *from, const struct price *price,
                           struct table *table)
{
    char date[32];
    bool old = price && billing_stale(from->catalog, price->date, from->today);
    snprintf(date, sizeof date, "%.20s%s", price ? price->date : "", old ? "*" : "");
    table_word(table, price ? price->date : "", date);
}

/* ---- the records ---------------------------------------------------------------------------- */

static void add_model(const struct listed *from, size_t index, struct table *table)
{
    const struct model *model = &from->catalog->models[index];
    struct param_counts params = model_count(model);
    table_text(table, model->id);
    table_text(table, model->family);
    table_plain(table, (double)params.total);
    table_plain(table, (double)params.active);
    table_plain(table, model->layers);
    table_plain(table, model->hidden_size);
    table_plain(table, model->heads);
    table_plain(table, model->kv_heads);
    table_plain(table, model->vocab_size);
    table_plain(table, known(model->max_context));
    table_plain(table, model->moe.experts);
    table_text(table, model->native_dtype);
    table_text(table, model->licence);
    table_text(table, model->hf_id);
}

static void add_gpu(const struct listed *from, size_t index, struct table *table)
{
    const struct gpu *gpu = &from->catalog->gpus[index];
    table_text(table, gpu->id);
    table_text(table, gpu->name);
    table_text(table, gpu_arch_names[gpu->arch]);
    table_plain(table, gpu->marketed_gb);
    table_plain(table, gpu->usable_gib);
    table_plain(table, gpu->bandwidth_gbs);
    table_plain(table, gpu->fp16_tflops);
    table_plain(table, gpu->bf16_tflops);
    table_plain(table, gpu->fp8_tflops);
    table_plain(table, gpu->int8_tops);
    table_plain(table, gpu->nvlink_gbs);
    yes_no(table, gpu->bf16);
    yes_no(table, gpu->fp8);
    yes_no(table, gpu->sold);
    add_source(table, gpu->source);
}

static void add_instance(const struct listed *from, size_t index, struct table *table)
{
    const struct instance *instance = &from->catalog->instances[index];
    const struct price *price = catalog_price(from->catalog, instance->type, "");
    table_text(table, instance->type);
    table_text(table, instance->gpu->id);
    table_plain(table, instance->gpu_count);
    table_plain(table, instance->gpu_fraction);
    table_plain(table, instance->gpu_usable_gib);
    table_plain(table, instance->vcpu);
    table_plain(table, instance->ram_gib);
    table_word(table, link_kind_names[instance->link], tr(link_kind_labels[instance->link]));
    table_plain(table, instance->network_gbps);
    table_word(table, rdma_kind_names[instance->rdma], tr(rdma_kind_labels[instance->rdma]));
    table_plain(table, known(instance->rdma_gbps));
    table_word(table, sale_status_names[instance->status],
               tr(sale_status_labels[instance->status]));
    table_plain(table, price ? price->payg_hour : NAN);
    add_price_date(from, price, table);
    table_word(table, instance->provider, tr(instance->provider));
    add_source(table, instance->source);
}

static void add_price(const struct listed *from, size_t index, struct table *table)
{
    const struct price *price = &from->catalog->prices[index];
    table_text(table, price->type);
    table_text(table, price->region);
    table_text(table, price->currency);
    table_plain(table, price->payg_hour);
    table_plain(table, price->month);
    table_plain(table, price->year);
    table_plain(table, price->year3);
    table_plain(table, price->spot_hour);
    yes_no(table, price->promotion);
    add_price_date(from, price, table);
    add_source(table, price->source);
    table_word(table, price->layer, tr(price->layer));
}

static void add_format(const struct listed *from, size_t index, struct table *table)
{
    const struct weight_format *format = &from->catalog->formats[index];
    table_text(table, format->id);
    table_word(table, format->name, tr(format->name));
    table_plain(table, format->bits_per_weight);
    yes_no(table, format->quantised);
    table_plain(table, known(format->group));
    add_source(table, format->source);
}

static void add_alias(const struct listed *from, size_t index, struct table *table)
{
    const struct alias *alias = &from->catalog->aliases[index];
    table_text(table, alias->name);
    table_text(table, alias->answer);
    table_word(table, alias->note, tr(alias->note));
}

static void add_region(const struct listed *from, size_t index, struct table *table)
{
    const struct region *region = &from->catalog->regions[index];
    table_text(table, region->id);
    table_word(table, region->name, tr(region->name));
    table_word(table, region->provider, tr(region->provider));
    yes_no(table, region->mainland);
}

static void add_disk(const struct listed *from, size_t index, struct table *table)
{
    const struct disk *disk = &from->catalog->disks[index];
    table_text(table, disk->id);
    table_word(table, disk->name, tr(disk->name));
    table_plain(table, disk->cny_gib_month);
    table_plain(table, disk->iops_max);
    table_plain(table, disk->mbps_max);
    table_plain(table, disk->min_gib);
    table_plain(table, disk->max_gib);
    table_text(table, disk->date);
    add_source(table, disk->source);
}

static void add_service(const struct listed *from, size_t index, struct table *table)
{
    const struct service *service = &from->catalog->services[index];
    table_text(table, service->id);
    table_word(table, service->name, tr(service->name));
    table_plain(table, service->price_cny);
    table_word(table, service->unit, tr(service->unit));
    table_text(table, service->date);
    add_source(table, service->source);
}

/* ---- the table of lists ---------------------------------------------------------------------- */

#define COUNT(function, member)                                                                    \
    static size_t function(const struct catalog *catalog)                                          \
    {                                                                                              \
        return catalog->member;                                                                    \
    }
COUNT(count_models, model_count)
COUNT(count_gpus, gpu_count)
COUNT(count_instances, instance_count)
COUNT(count_prices, price_count)
COUNT(count_formats, format_count)
COUNT(count_aliases, alias_count)
COUNT(count_regions, region_count)
COUNT(count_disks, disk_count)
COUNT(count_services, service_count)

#define WORD(key, heading)                                                                         \
    {                                                                                              \
        key, heading, TEXT_LEFT                                                                    \
    }
#define FIGURE(key, heading)                                                                       \
    {                                                                                              \
        key, heading, TEXT_RIGHT                                                                   \
    }

/* clang-format off */
static const struct list lists[] = {
    {"models", "model",
     {WORD("id", N_("Model")), WORD("family", N_("Family")), FIGURE("params", N_("Parameters")),
      FIGURE("active_params", N_("Active")), FIGURE("layers", N_("Layers")),
      FIGURE("hidden_size", N_("Hidden")), FIGURE("heads", N_("Heads")),
      FIGURE("kv_heads", N_("KV heads")), FIGURE("vocab_size", N_("Vocabulary")),
      FIGURE("max_context", N_("Context")), FIGURE("experts", N_("Experts")),
      WORD("native_dtype", N_("Stored as")), WORD("licence", N_("Licence")), WORD("hf_id", "Hugging Face")},
     count_models, add_model},
    {"gpus", "gpu",
     {WORD("id", N_("GPU")), WORD("name", N_("Name")), WORD("arch", N_("Generation")),
      FIGURE("marketed_gb", N_("Label GB")), FIGURE("usable_gib", N_("Usable GiB")),
      FIGURE("bandwidth_gbs", N_("GB/s")), FIGURE("fp16_tflops", "fp16 TFLOPS"),
      FIGURE("bf16_tflops", "bf16 TFLOPS"), FIGURE("fp8_tflops", "fp8 TFLOPS"),
      FIGURE("int8_tops", "int8 TOPS"), FIGURE("nvlink_gbs", "NVLink GB/s"), WORD("bf16", "bf16"),
      WORD("fp8", "fp8"), WORD("sold", N_("Sold")), WORD("source", N_("Source"))},
     count_gpus, add_gpu},
    {"instances", "instance",
     {WORD("type", N_("Instance")), WORD("gpu", N_("GPU")), FIGURE("gpus", N_("GPUs")),
      FIGURE("gpu_fraction", N_("Share of a GPU")), FIGURE("gpu_usable_gib", N_("Usable GiB")),
      FIGURE("vcpu", N_("vCPU")), FIGURE("ram_gib", N_("RAM GiB")), WORD("link", N_("GPU link")),
      FIGURE("network_gbps", N_("Gbit/s")), WORD("rdma", N_("RDMA")),
      FIGURE("rdma_gbps", N_("RDMA Gbit/s")), WORD("status", N_("Status")),
      FIGURE("payg_hour", N_("List price/h")), WORD("price_date", N_("Price of")),
      WORD("provider", N_("Provider")), WORD("source", N_("Source"))},
     count_instances, add_instance},
    {"prices", "instance",
     {WORD("type", N_("Instance")), WORD("region", N_("Region")), WORD("currency", N_("Currency")),
      FIGURE("payg_hour", N_("Hour")), FIGURE("month", N_("Month")), FIGURE("year", N_("Year")),
      FIGURE("year3", N_("3 years")), FIGURE("spot_hour", N_("Spot hour")),
      WORD("promotion", N_("Promotion")), WORD("date", N_("Date")), WORD("source", N_("Source")),
      WORD("layer", N_("Read from"))},
     count_prices, add_price},
    {"weights", "weights",
     {WORD("id", N_("Format")), WORD("name", N_("Name")), FIGURE("bits_per_weight", N_("Bits")),
      WORD("quantised", N_("Quantised")), FIGURE("group", N_("Group")), WORD("source", N_("Source"))},
     count_formats, add_format},
    {"regions", "region",
     {WORD("id", N_("Region")), WORD("name", N_("Name")), WORD("provider", N_("Provider")),
      WORD("mainland", N_("List price"))},
     count_regions, add_region},
    {"disks", "disk",
     {WORD("id", N_("Disk")), WORD("name", N_("Name")), FIGURE("cny_gib_month", N_("CNY/GiB-month")),
      FIGURE("iops_max", "IOPS"), FIGURE("mbps_max", "MB/s"), FIGURE("min_gib", N_("Least GiB")),
      FIGURE("max_gib", N_("Most GiB")), WORD("date", N_("Date")), WORD("source", N_("Source"))},
     count_disks, add_disk},
    {"services", "service",
     {WORD("id", N_("Service")), WORD("name", N_("Name")), FIGURE("price_cny", N_("CNY")),
      WORD("unit", N_("Unit")), WORD("date", N_("Date")), WORD("source", N_("Source"))},
     count_services, add_service},
    {"aliases", "instance",
     {WORD("name", N_("Name")), WORD("answer", N_("Instead")), WORD("note", N_("Why"))},
     count_aliases, add_alias},
};
/* clang-format on */

const char *const list_names[] = {"models",  "gpus",  "instances", "prices",  "weights",
                                  "regions", "disks", "services",  "aliases", "lessons",
                                  "glossary", NULL};

static bool row_matches(const struct table *table, size_t first_cell, const char *filter)
{
    for (size_t i = first_cell; i < table->cell_count; i++) {
        const struct table_cell *cell = &table->cells[i];
        if (text_find(cell->text, filter) || (cell->word && text_find(cell->word, filter)))
            return true;
    }
    return false;
}

/* Some aliases explain a family that exists. */
static bool is_family(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->instance_count; i++)
        if (strcmp(catalog->instances[i].family, name) == 0)
            return true;
    return false;
}

/* ---- the course ----------------------------------------------------------------------------- */

static bool fill_lessons(const char *folder, struct table *table, struct error *error)
{
    struct lesson *lessons;
    size_t count;
    if (!lesson_load_all(folder, table->arena, &lessons, &count, error))
        return false;
    table_column(table, "name", tr("Lesson"), TEXT_LEFT);
    table_column(table, "minutes", tr("Minutes"), TEXT_RIGHT);
    table_column(table, "title", tr("What it is about"), TEXT_LEFT);
    table_column(table, "summary", tr("Summary"), TEXT_LEFT);
    for (size_t i = 0; i < count; i++) {
        table_text(table, lessons[i].name);
        table_plain(table, lessons[i].minutes);
        table_text(table, bilingual_text(&lessons[i].title));
        table_text(table, bilingual_text(&lessons[i].summary));
    }
    return true;
}

static bool fill_glossary(const char *folder, struct table *table, struct error *error)
{
    struct glossary glossary;
    if (!glossary_load(folder, table->arena, &glossary, error))
        return false;
    table_column(table, "term", tr("Term"), TEXT_LEFT);
    table_column(table, "name", tr("Name"), TEXT_LEFT);
    table_column(table, "meaning", tr("Meaning"), TEXT_LEFT);
    table_column(table, "rule", tr("Rule of thumb"), TEXT_LEFT);
    for (size_t i = 0; i < glossary.count; i++) {
        table_text(table, glossary.entries[i].term);
        table_text(table, bilingual_text(&glossary.entries[i].name));
        table_text(table, bilingual_text(&glossary.entries[i].meaning));
        table_text(table, bilingual_text(&glossary.entries[i].rule));
    }
    return true;
}

/* Keeps the rows in which some cell holds the filter. */
static bool keep_matching(struct table *table, const char *filter, struct error *error)
{
    size_t kept = 0, columns = (size_t)table->column_count;
    for (size_t row = 0; row < table_rows(table); row++) {
        struct table_cell *cells = &table->cells[row * columns];
        bool matches = false;
        for (size_t i = 0; i < columns; i++)
            matches |= text_find(cells[i].text, filter) != NULL || strstr(cells[i].text, filter) != NULL;
        if (matches)
            memmove(&table->cells[kept++ * columns], cells, columns * sizeof *cells);
    }
    table->cell_count = kept * columns;
    return kept > 0 || error_set(error, tr("nothing here has \"%s\" in it"), filter);
}

bool list_fill(const char *name, const char *filter, bool sources, const char *folder,
               const struct catalog *catalog, const char *today, struct arena *arena,
               struct table *table, struct error *error)
{
    const struct list *list = lists;
    bool is_lessons = strcmp(name, "lessons") == 0;
    if (is_lessons || strcmp(name, "glossary") == 0) {
        table_init(table, arena);
        return (is_lessons ? fill_lessons : fill_glossary)(folder, table, error) &&
               (!filter || keep_matching(table, filter, error));
    }
    while (strcmp(list->name, name) != 0)
        list++;
    if (filter && list->add != add_alias && strcmp(list->what, "instance") == 0 &&
        catalog_alias(catalog, filter) && !is_family(catalog, filter))
        return catalog_unknown(catalog, list->what, filter, error);
    table_init(table, arena);
    for (const struct list_column *column = list->columns; column->key; column++)
        if (sources || strcmp(column->key, "source") != 0)
            table_column(table, column->key, tr(column->heading), column->align);
    for (size_t i = 0; i < list->count(catalog); i++) {
        size_t before = table->cell_count;
        list->add(&(struct listed){catalog, today}, i, table);
        if (filter && !row_matches(table, before, filter))
            table->cell_count = before;
    }
    return table->cell_count > 0 || !filter || catalog_unknown(catalog, list->what, filter, error);
}
