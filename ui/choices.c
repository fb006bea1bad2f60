/* choices.c - what a question may be answered with, each with a line on what it is. */
#include "ui/choices.h"

#include <math.h>
#include <stdio.h>
#include "base/units.h"

static struct choice *add(struct choices *all, const char *value)
{
    if (all->count == CHOICES_MAX)
        return NULL;
    struct choice *choice = &all->items[all->count++];
    *choice = (struct choice){.value = value, .group = "", .need_gib = NAN};
    return choice;
}

const char *attention_word(const struct model *model)
{
    static const char *const words[] = {"MHA", "GQA", "MQA", "MLA", N_("hybrid")};
    return tr(words[model->attention.kind]);
}

static void add_models(struct choices *all, const struct catalog *catalog)
{
    for (int listed = 1; listed >= 0; listed--)
        for (size_t i = 0; i < catalog->model_count; i++) {
            const struct model *model = &catalog->models[i];
            struct choice *choice = model->listed == (bool)listed ? add(all, model->id) : NULL;
            char context[UNITS_TEXT], experts[32] = "";
            if (!choice)
                continue;
            choice->group = model->family;
            if (model->moe.experts)
                snprintf(experts, sizeof experts, tr(", %d/%d experts"), model->moe.top_k, model->moe.experts);
            snprintf(choice->note, sizeof choice->note, tr("%d layers, %s%s, %s context"), model->layers,
                     attention_word(model), experts, units_count(model->max_context, context));
        }
}

static void add_formats(struct choices *all, const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->format_count; i++) {
        const struct weight_format *format = &catalog->formats[i];
        struct choice *choice = add(all, format->id);
        if (choice)
            snprintf(choice->note, sizeof choice->note, "%5.3g %s  %s", format->bits_per_weight, tr("bits"), tr(format->name));
    }
}

static void add_gpus(struct choices *all, const struct catalog *catalog)
{
    for (int sold = 1; sold >= 0; sold--)
        for (size_t i = 0; i < catalog->gpu_count; i++) {
            const struct gpu *gpu = &catalog->gpus[i];
            struct choice *choice = gpu->sold == (bool)sold ? add(all, gpu->id) : NULL;
            char usable[UNITS_TEXT];
            if (choice)
                snprintf(choice->note, sizeof choice->note, "%s GiB  %s%s", units_gib(gpu->usable_gib, usable),
                         gpu->name, sold ? "" : tr("  (not rented out)"));
        }
}

static void add_instances(struct choices *all, const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->instance_count; i++) {
        const struct instance *instance = &catalog->instances[i];
        struct choice *choice = add(all, instance->type);
        char ram[UNITS_TEXT];
        if (choice)
            snprintf(choice->note, sizeof choice->note, "%d x %s  %d vCPU  %s GiB", instance->gpu_count,
                     instance->gpu ? instance->gpu->name : "-", instance->vcpu, units_gib(instance->ram_gib, ram));
    }
}

static void add_ids(struct choices *all, enum field_id id, const struct catalog *catalog)
{
    switch (id) {
    case FIELD_MODEL: add_models(all, catalog); break;
    case FIELD_WEIGHTS: add_formats(all, catalog); break;
    case FIELD_GPU: add_gpus(all, catalog); break;
    case FIELD_INSTANCE: add_instances(all, catalog); break;
    case FIELD_REGION:
        for (size_t i = 0; i < catalog->region_count; i++) {
            struct choice *choice = add(all, catalog->regions[i].id);
            if (choice)
                snprintf(choice->note, sizeof choice->note, "%s", tr(catalog->regions[i].name));
        }
        break;
    default:
        for (size_t i = 0; i < catalog->disk_count; i++) {
            struct choice *choice = add(all, catalog->disks[i].id);
            if (choice)
                snprintf(choice->note, sizeof choice->note, "%s", tr(catalog->disks[i].name));
        }
    }
}

void choices_of(enum field_id id, const struct catalog *catalog, struct choices *all)
{
    const struct field *field = &fields[id];
    all->count = 0;
    all->language = i18n_language();
    if (id != FIELD_WORKLOAD && id != FIELD_MODEL) {
        struct choice *choice = add(all, "auto");
        snprintf(choice->note, sizeof choice->note, "%s", tr("let the program choose"));
    }
    if (field->kind == FIELD_KIND_ID) {
        add_ids(all, id, catalog);
        return;
    }
    if (field->kind == FIELD_KIND_BOOL) {
        add(all, "yes");
        add(all, "no");
        return;
    }
    for (int i = 0; field->choices[i]; i++) {
        struct choice *choice = add(all, field->choices[i]);
        if (choice && field->choice_help)
            snprintf(choice->note, sizeof choice->note, "%s", tr(field->choice_help[i]));
    }
}
