/* data_texts.c - prints, as C that xgettext reads, the texts that no source file holds and people
 * meet all the same: those of the data files, of the system and of libyaml. They pass through tr()
 * where they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include "data/catalog.h"
#include "data/yaml.h"

static void text(const char *english)
{
    if (!*english)
        return;
    fputs("/* xgettext:no-c-format */ N_(\"", stdout); /* a "%" is a percent sign */
    for (; *english; english++)
        printf(*english == '"' || *english == '\\' ? "\\%c" : "%c", *english);
    puts("\")");
}

#define TEXTS(records, count, member) \
    for (size_t i = 0; i < (count); i++) \
        text((records)[i].member)

/* What opening, reading and writing a file fails of, in the words of the C library. */
static const char *const file_problems[] = {
    "Permission denied", "File exists", "Invalid argument", "Input/output error", "Is a directory",
    "Too many levels of symbolic links", "Too many open files", "File name too long", "No such file or directory",
    "Cannot allocate memory", "No space left on device", "Not a directory", "Operation not permitted",
    "Read-only file system"};

/* What is wrong with a file that is not YAML (libyaml 0.2.5, src/scanner.c and src/parser.c). */
static const char *const yaml_problems[] = {
    "block collection entry not allowed in this context", "block sequence entries are not allowed in this context",
    "could not find expected ':'", "did not find expected '-' indicator", "did not find expected ',' or ']'",
    "did not find expected ',' or '}'", "did not find expected <document start>",
    "did not find expected alphabetic or numeric character", "did not find expected comment or line break",
    "did not find expected digit or comment or line break", "did not find expected hexdecimal number",
    "did not find expected key", "did not find expected node content", "found a tab character that violates indentation",
    "found a tab character where an indentation space is expected",
    "found character that cannot start any token", "found invalid Unicode character escape code",
    "found undefined tag handle", "found unexpected ':'", "found unexpected document indicator",
    "found unexpected end of stream", "found unknown escape character", "mapping keys are not allowed in this context",
    "mapping values are not allowed in this context"};

/* The texts behind the source ids of a data file. */
static bool print_sources(struct arena *arena, const char *path, struct error *error)
{
    struct yaml_document document;
    if (!yaml_read_file(arena, path, 0, &document, error))
        return false;
    const struct yaml_node *sources = yaml_get(document.root, "sources");
    for (const struct yaml_node *source = sources ? sources->first : NULL; source; source = source->next) {
        const struct yaml_node *words = source->kind == YAML_MAP ? yaml_get(source, "text") : source;
        text(words ? words->text : "");
    }
    return true;
}

/* Arguments: the data files, in the folder data. */
int main(int argc, char **argv)
{
    struct catalog catalog;
    struct error error;
    bool good = catalog_load("data", &catalog, &error);
    for (int i = 1; good && i < argc; i++)
        good = print_sources(catalog.arena, argv[i], &error);
    if (!good) {
        char message[1024];
        fprintf(stderr, "data_texts: %s\n", error_text(&error, message, sizeof message));
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof file_problems / sizeof *file_problems; i++)
        text(file_problems[i]);
    for (size_t i = 0; i < sizeof yaml_problems / sizeof *yaml_problems; i++)
        text(yaml_problems[i]);
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
    TEXTS(catalog.prices, catalog.price_count, note);
    TEXTS(catalog.instances, catalog.instance_count, note);
    catalog_clear(&catalog);
    return EXIT_SUCCESS;
}
