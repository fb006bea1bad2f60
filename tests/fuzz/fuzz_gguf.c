/* fuzz_gguf.c - any bytes as a .gguf and as a .safetensors. Whatever is accepted must be countable.
 * `make fuzz` runs it. */
#include <math.h>
#include <stdlib.h>
#include "data/model_readers.h"
#include "engine/model.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
    struct arena *arena = arena_new();
    struct model model;
    struct weights_size size;
    struct error error = {0};
    if (gguf_read("x", bytes, length, arena, &model, &error)) {
        struct param_counts counts = model_count(&model);
        if (counts.active > counts.total || !isfinite(model_kv_bytes(&model, 4096, 2, 8)))
            abort();
    }
    safetensors_read("x", bytes, length, arena, &size, &error);
    arena_free(arena);
    return 0;
}
