/* model_readers.h - the readers behind model_read_file, one per kind of file. */
#ifndef GPUWIZ_MODEL_READERS_H
#define GPUWIZ_MODEL_READERS_H

#include <stddef.h>
#include <stdint.h>
#include "data/model_file.h"

/* A parsed config.json. Texts in `model` are constants or live as long as the document. */
bool hf_config_read(const struct yaml_document *document, struct model *model, struct error *error);

/* A .gguf file (versions 1 to 3), of which only the head is looked at. `file` is for errors. */
bool gguf_read(const char *file, const unsigned char *bytes, size_t length, struct arena *arena,
               struct model *model, struct error *error);

/* The exact size of the weights: bytes, and stored elements where shapes are given (else 0). */
struct weights_size {
    uint64_t bytes, elements;
};

/* A .safetensors file, of which only the header is looked at. */
bool safetensors_read(const char *file, const unsigned char *bytes, size_t length,
                      struct arena *arena, struct weights_size *size, struct error *error);

/* A parsed model.safetensors.index.json. */
bool safetensors_index_read(const struct yaml_document *document, struct weights_size *size,
                            struct error *error);

#endif
