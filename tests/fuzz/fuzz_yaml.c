/* fuzz_yaml.c - any bytes as YAML: as a tree, as a model's shape, as a config.json. Whatever is
 * accepted must be countable. `make fuzz` runs it. */
#include <math.h>
#include <stdlib.h>
#include "data/model_readers.h"
#include "engine/model.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

static void use(const struct model *model)
{
    struct param_counts counts = model_count(model);
    if (counts.active > counts.total || !isfinite(model_kv_bytes(model, 4096, 2, 8)))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct arena *arena = arena_new();
    struct yaml_document document;
    struct model model;
    struct error error = {0};
    char text[800];
    if (yaml_parse(arena, "x", (const char *)bytes, length, 0, &document, &error)) {
        if (hf_config_read(&document, &model, &error))
            use(&model);
        if (model_read_map(&document, document.root, true, arena, &model, &error))
            use(&model);
    }
    error_text(&error, text, sizeof text);
    arena_free(arena);
    return 0;
}
