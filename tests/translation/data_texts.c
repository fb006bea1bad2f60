/* data_texts.c - prints, as C that xgettext reads, the texts of the data files that screens and
 * reports show to people: they pass through tr() where they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include "data/catalog.h"

static void text(const char *english)
{
    if (!*english)
        return;
    fputs("N_(\"", stdout);
    for (; *english; english++)
        printf(*english == '"' || *english == '\\' ? "\\%c" : "%c", *english);
    puts("\")");
}

#define TEXTS(records, count, member) \
    for (size_t i = 0; i < (count); i++) \
        text((records)[i].member)

int main(void)
{
    struct catalog catalog;
    struct error error;
    if (!catalog_load("data", &catalog, &error)) {
        char message[1024];
        fprintf(stderr, "data_texts: %s\n", error_text(&error, message, sizeof message));
        return EXIT_FAILURE;
    }
    TEXTS(catalog.regions, catalog.region_count, name);
    TEXTS(catalog.regions, catalog.region_count, provider);
    TEXTS(catalog.disks, catalog.disk_count, name);
    TEXTS(catalog.services, catalog.service_count, name);
    TEXTS(catalog.services, catalog.service_count, unit);
    TEXTS(catalog.rules, catalog.rule_count, name);
    TEXTS(catalog.rules, catalog.rule_count, unit);
    TEXTS(catalog.rules, catalog.rule_count, basis);
    TEXTS(catalog.formats, catalog.format_count, name);
    TEXTS(catalog.aliases, catalog.alias_count, note);
    catalog_clear(&catalog);
    return EXIT_SUCCESS;
}
