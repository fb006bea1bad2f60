/* import_write.c - the overlay as YAML that catalog_load takes: rows of this import, then those of
 * earlier ones that no new row replaces. */
#include "data/import_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every text is quoted: a note may hold anything. */
static void add_text(struct strbuf *out, const char *text)
{
    strbuf_add(out, "'");
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_add(out, "'");
        if ((unsigned char)*text >= ' ')
            strbuf_add_n(out, text, 1);
    }
    strbuf_add(out, "'");
}

/* ---- sources, each under one id --------------------------------------------------------------- */

struct sources { const char **texts; int count, capacity; };

static int source_id(struct sources *sources, const char *text)
{
    for (int i = 0; i < sources->count; i++)
        if (strcmp(sources->texts[i], text) == 0)
            return i;
    if (sources->count == sources->capacity) {
        sources->capacity = sources->capacity ? 2 * sources->capacity : 16;
        sources->texts = xrealloc(sources->texts, (size_t)sources->capacity, sizeof *sources->texts);
    }
    sources->texts[sources->count] = text;
    return sources->count++;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void write_price(const struct price *price, struct sources *sources, struct strbuf *out)
{
    struct price copy = *price;
    strbuf_add(out, "- {type: ");
    add_text(out, price->type);
    strbuf_printf(out, ", region: %s, currency: ", price->region);
    add_text(out, price->currency);
    for (int i = 0; import_amounts[i].key; i++)
        if (!isnan(*import_amount(&copy, i)))
            strbuf_printf(out, ", %s: %.10g", import_amounts[i].key, *import_amount(&copy, i));
    if (price->spot_released_percent > 0)
        strbuf_printf(out, ", spot_released_percent: %.10g", price->spot_released_percent);
    if (price->no_spot)
        strbuf_add(out, ", no_spot: yes");
    if (price->low_confidence)
        strbuf_add(out, ", low_confidence: yes");
    if (*price->note) {
        strbuf_add(out, ",\n   note: ");
        add_text(out, price->note);
    }
    strbuf_printf(out, ",\n   source: s%d, date: %s}\n", source_id(sources, price->source),
                  price->date);
}

static void write_type(const struct instance *instance, struct sources *sources, struct strbuf *out)
{
    strbuf_printf(out, "- {family: %s, status: %s, gpu: %s, gpu_fraction: %.10g, gpu_usable_gib: %.10g",
                  instance->family, sale_status_names[instance->status], instance->gpu->id,
                  instance->gpu_fraction, instance->gpu_usable_gib);
    strbuf_printf(out, ",\n   link: %s, rdma: %s, bare_metal: %s", link_kind_names[instance->link],
                  rdma_kind_names[instance->rdma], instance->bare_metal ? "yes" : "no");
    if (instance->link_gbs > 0)
        strbuf_printf(out, ", link_gbs: %.10g", instance->link_gbs);
    if (instance->rdma_gbps > 0)
        strbuf_printf(out, ", rdma_gbps: %.10g", instance->rdma_gbps);
    if (*instance->note) {
        strbuf_add(out, ",\n   note: ");
        add_text(out, instance->note);
    }
    strbuf_printf(out, ",\n   source: s%d, date: %s,\n   types: [{type: ",
                  source_id(sources, instance->source), instance->date);
    add_text(out, instance->type);
    strbuf_printf(out, ", vcpu: %d, ram_gib: %.10g, gpus: %d, network_gbps: %.10g", instance->vcpu,
                  instance->ram_gib, instance->gpu_count, instance->network_gbps);
    if (instance->local_nvme_gib > 0)
        strbuf_printf(out, ", local_nvme_gib: %.10g", instance->local_nvme_gib);
    strbuf_add(out, "}]}\n");
}

static bool price_replaced(const struct import *import, const struct price *price)
{
    for (size_t i = 0; i < import->price_count; i++)
        if (strcmp(import->prices[i].price.type, price->type) == 0 &&
            strcmp(import->prices[i].price.region, price->region) == 0)
            return true;
    return false;
}

static bool type_replaced(const struct import *import, const struct instance *instance)
{
    for (size_t i = 0; i < import->type_count; i++)
        if (strcmp(import->types[i].instance.type, instance->type) == 0)
            return true;
    return false;
}

static void write_types(const struct import *import, struct sources *sources, struct strbuf *out)
{
    const struct catalog *catalog = import->catalog;
    for (size_t i = 0; i < import->type_count; i++)
        write_type(&import->types[i].instance, sources, out);
    for (size_t i = 0; i < catalog->instance_count; i++)
        if (strstr(catalog->instances[i].source, IMPORT_MARK) &&
            !type_replaced(import, &catalog->instances[i]))
            write_type(&catalog->instances[i], sources, out);
}

static void write_prices(const struct import *import, struct sources *sources, struct strbuf *out)
{
    const struct catalog *catalog = import->catalog;
    for (size_t i = 0; i < import->price_count; i++)
        write_price(&import->prices[i].price, sources, out);
    for (size_t i = 0; i < catalog->price_count; i++)
        if (strstr(catalog->prices[i].source, IMPORT_MARK) && !catalog->prices[i].promotion &&
            !price_replaced(import, &catalog->prices[i]))
            write_price(&catalog->prices[i], sources, out);
}

/* An instance file says whose types they are; all rows of one command are one provider's. */
static const char *provider_of(const struct import *import)
{
    return import->type_count > 0            ? import->types[0].instance.provider
           : import->catalog->instance_count ? import->catalog->instances[0].provider
                                             : "";
}

void import_write(const struct import *import, struct strbuf *out)
{
    struct strbuf types = {0}, prices = {0};
    struct sources sources = {0};
    write_types(import, &sources, &types);
    write_prices(import, &sources, &prices);
    strbuf_add(out, "# Written by `gpuwiz import`, anew each time; delete it to go back to the data that\n"
                    "# came with the program. All keys are described in gpuwiz-data(5).\n\n");
    strbuf_printf(out, "schema: gpuwiz.catalog/1\ncompiled: %s\nprovider: ", import->options->today);
    add_text(out, provider_of(import));
    strbuf_add(out, "\n\nsources:\n");
    for (int i = 0; i < sources.count; i++) {
        strbuf_printf(out, "  s%d: ", i);
        add_text(out, sources.texts[i]);
        strbuf_add(out, "\n");
    }
    if (types.length > 0)
        strbuf_printf(out, "\ninstances:\n%s", types.data);
    if (prices.length > 0)
        strbuf_printf(out, "\nprices:\n%s", prices.data);
    strbuf_clear(&types);
    strbuf_clear(&prices);
    free(sources.texts);
}
