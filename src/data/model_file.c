/* model_file.c - finds out what kind of file a path is, and puts together what stands in it and
 * beside it. */
#include "data/model_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/i18n.h"
#include "data/model_readers.h"

enum {
    CONFIG_BYTES = 4 << 20, /* a quantised model lists its modules: 3 MB has been seen */
    INDEX_BYTES = 64 << 20
};

static const char config_name[] = "config.json";
static const char index_name[] = "model.safetensors.index.json";
static const char weights_name[] = "model.safetensors";

/* ---- paths ----------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), n = strlen(end);
    return length >= n && strcmp(text + length - n, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static const char *in_folder(struct arena *arena, const char *folder, const char *name)
{
    return arena_printf(arena, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", name);
}

static const char *folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : "./";
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The first .gguf of a folder by name, NULL when there is none. */
static const char *first_gguf(struct arena *arena, const char *folder)
{
    const char *first = NULL;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (ends_with(entry->d_name, ".gguf") && (!first || strcmp(entry->d_name, first) < 0))
            first = arena_strdup(arena, entry->d_name);
    if (directory)
        closedir(directory);
    return first ? in_folder(arena, folder, first) : NULL;
}

/* ---- whole files, without reading the weights ------------------------------------------------ */

struct view {
    unsigned char *bytes;
    size_t length;
};

static bool view_open(const char *path, struct view *view, struct error *error)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *view = (struct view){0};
    if (file < 0 || fstat(file, &status) != 0) {
        error_at(error, path, 0, 0, tr("cannot be opened: %s"), tr(strerror(errno)));
    } else if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
        error_at(error, path, 0, 0, "%s", tr("the file has no content"));
    } else {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes == MAP_FAILED)
            error_at(error, path, 0, 0, tr("cannot be read: %s"), tr(strerror(errno)));
        else
            *view = (struct view){bytes, (size_t)status.st_size};
    }
    if (file >= 0)
        close(file);
    return view->bytes != NULL;
}

static void view_close(struct view *view)
{
    munmap(view->bytes, view->length);
}

static bool read_gguf(const char *path, struct arena *arena, struct model *model,
                      struct error *error)
{
    struct view view;
    if (!view_open(path, &view, error))
        return false;
    bool good = gguf_read(path, view.bytes, view.length, arena, model, error);
    view_close(&view);
    return good;
}

/* ---- a config.json and the weights beside it ------------------------------------------------- */

static bool read_weights(const char *path, struct arena *arena, struct weights_size *size,
                         struct error *error)
{
    struct yaml_document document;
    if (ends_with(path, ".json"))
        return yaml_read_file(arena, path, INDEX_BYTES, &document, error)
               && safetensors_index_read(&document, size, error);
    struct view view;
    if (!view_open(path, &view, error))
        return false;
    bool good = safetensors_read(path, view.bytes, view.length, arena, size, error);
    view_close(&view);
    return good;
}

/* `weights` NULL: what lies beside the configuration is used, when anything does. */
static bool read_config(const char *config, const char *weights, struct arena *arena,
                        struct model *model, struct error *error)
{
    struct yaml_document document;
    if (!yaml_read_file(arena, config, CONFIG_BYTES, &document, error)
        || !hf_config_read(&document, model, error))
        return false;
    const char *folder = folder_of(arena, config);
    const char *beside[] = {weights, in_folder(arena, folder, index_name),
                            in_folder(arena, folder, weights_name)};
    struct weights_size size = {0};
    for (int i = weights ? 0 : 1; i < 3; i++) {
        if (!weights && access(beside[i], F_OK) != 0)
            continue;
        if (!read_weights(beside[i], arena, &size, error))
            return false;
        break;
    }
    model->file_bytes = size.bytes;
    return true;
}

/* Weights alone do not say how many heads a model has: its configuration must lie beside them. */
static bool read_beside_weights(const char *weights, struct arena *arena, struct model *model,
                                struct error *error)
{
    const char *config = in_folder(arena, folder_of(arena, weights), config_name);
    if (access(config, F_OK) != 0) {
        error_at(error, weights, 0, 0, "%s", tr("the weights do not say the model's shape"));
        return error_hint(error, tr("put its config.json into the same folder"));
    }
    return read_config(config, weights, arena, model, error);
}

static bool read_folder(const char *folder, struct arena *arena, struct model *model,
                        struct error *error)
{
    const char *config = in_folder(arena, folder, config_name);
    if (access(config, F_OK) == 0)
        return read_config(config, NULL, arena, model, error);
    const char *gguf = first_gguf(arena, folder);
    if (gguf)
        return read_gguf(gguf, arena, model, error);
    const char *index = in_folder(arena, folder, index_name);
    if (access(index, F_OK) == 0)
        return read_beside_weights(index, arena, model, error);
    error_at(error, folder, 0, 0, "%s", tr("the folder holds no model"));
    return error_hint(error, tr("a config.json or a .gguf file is looked for"));
}

bool model_read_file(const char *path, struct arena *arena, const struct model **model,
                     struct error *error)
{
    struct model *read = ARENA_NEW(arena, struct model);
    bool good = is_folder(path)                 ? read_folder(path, arena, read, error)
                : ends_with(path, ".gguf")        ? read_gguf(path, arena, read, error)
                : ends_with(path, ".safetensors") || ends_with(path, ".index.json")
                    ? read_beside_weights(path, arena, read, error)
                    : read_config(path, NULL, arena, read, error);
    if (!good)
        return false;
    read->id = arena_strdup(arena, name_of(path));
    read->source = arena_strdup(arena, path);
    *model = read;
    return true;
}
