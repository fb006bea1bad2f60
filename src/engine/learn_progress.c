/* learn_progress.c - which lessons were finished and how well, kept between starts. */
#include "engine/learn.h"

#include <string.h>
#include <unistd.h>
#include "base/file.h"

static bool read_number(const struct yaml_document *document, const struct yaml_node *map,
                        const char *key, int *number, struct error *error)
{
    double value = 0;
    const struct yaml_node *node = yaml_get(map, key);
    if (!node)
        return yaml_error(document, map, true, error, tr("%s is missing"), key);
    if (!yaml_number(document, node, &value, error))
        return false;
    *number = value >= 0 && value < 1e6 ? (int)value : 0;
    return true;
}

static bool read_record(const struct yaml_document *document, const struct yaml_node *node,
                        struct learn_record *record, struct error *error)
{
    const struct yaml_node *date = yaml_get(node, "date");
    struct learn_score *score = &record->score;
    record->name = node->key;
    if (!date)
        return yaml_error(document, node, true, error, tr("%s is missing"), "date");
    return yaml_text(document, date, &record->date, error) &&
           read_number(document, node, "right", &score->right, error) &&
           read_number(document, node, "predictions", &score->predictions, error) &&
           read_number(document, node, "reached", &score->reached, error) &&
           read_number(document, node, "goals", &score->goals, error) &&
           read_number(document, node, "turns", &score->turns, error);
}

bool learn_progress_load(struct arena *arena, struct learn_progress *progress, struct error *error)
{
    struct yaml_document document;
    *progress = (struct learn_progress){.arena = arena};
    progress->path = file_xdg(arena, "XDG_DATA_HOME", ".local/share", "progress.yaml");
    if (!progress->path || access(progress->path, F_OK) != 0)
        return true;
    if (!yaml_read_file(arena, progress->path, 0, &document, error))
        return false;
    if (document.root->kind != YAML_MAP)
        return yaml_error(&document, document.root, false, error, tr("%s: a map is expected"),
                          "progress");
    progress->records = ARENA_ARRAY(arena, struct learn_record, (size_t)document.root->count + 1);
    for (const struct yaml_node *node = document.root->first; node; node = node->next)
        if (!read_record(&document, node, &progress->records[progress->count++], error))
            return false;
    return true;
}

const struct learn_record *learn_progress_find(const struct learn_progress *progress,
                                               const char *name)
{
    for (size_t i = 0; i < progress->count; i++)
        if (strcmp(progress->records[i].name, name) == 0)
            return &progress->records[i];
    return NULL;
}

static int points(const struct learn_score *score)
{
    return score->right + score->reached;
}

static void write_records(const struct learn_progress *progress, struct strbuf *out)
{
    strbuf_add(out, "# Lessons that were finished; written by gpuwiz learn.\n");
    for (size_t i = 0; i < progress->count; i++) {
        const struct learn_record *record = &progress->records[i];
        const struct learn_score *score = &record->score;
        strbuf_printf(
            out, "%s: {date: %s, right: %d, predictions: %d, reached: %d, goals: %d, turns: %d}\n",
            record->name, record->date, score->right, score->predictions, score->reached,
            score->goals, score->turns);
    }
}

bool learn_progress_keep(struct learn_progress *progress, const struct learn *learn,
                         struct error *error)
{
    struct learn_record *record =
        (struct learn_record *)learn_progress_find(progress, learn->lesson->name);
    if (!record) {
        struct learn_record *more =
            ARENA_ARRAY(progress->arena, struct learn_record, progress->count + 2);
        if (progress->count > 0)
            memcpy(more, progress->records, progress->count * sizeof *more);
        progress->records = more;
        record = &more[progress->count++];
        record->name = arena_strdup(progress->arena, learn->lesson->name);
    }
    if (!record->date || points(&learn->score) >= points(&record->score)) {
        record->score = learn->score;
        record->date = arena_strdup(progress->arena, learn->world->today);
    }
    if (!progress->path)
        return true;
    struct strbuf out = {0};
    write_records(progress, &out);
    bool good = file_write(progress->path, strbuf_text(&out), out.length, true, error);
    strbuf_clear(&out);
    return good;
}
