/* model_file.h - model shapes from the files people have: a Hugging Face config.json, a .gguf, a
 * safetensors index, or a folder holding them. */
#ifndef GPUWIZ_MODEL_FILE_H
#define GPUWIZ_MODEL_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "data/model.h"
#include "data/yaml.h"

/* Reads the shape; a folder is searched for config.json, then *.gguf, then the safetensors index.
 * An architecture this program does not know, a null where a number is needed or a per-layer list
 * it cannot represent is an error that names the key; nothing is guessed. */
bool model_read_file(const char *path, struct arena *arena, const struct model **model,
                     struct error *error);

/* A preset or inline `architecture` map. Missing kv_heads = heads, head_dim = hidden / heads,
 * ffn_gated = true, tied_embeddings = false; layers, hidden_size, heads, ffn_size and vocab_size
 * are required. Preset files may hold more keys (id, hf_id, ...: gpuwiz-data(5)). */
bool model_read_map(const struct yaml_document *document, const struct yaml_node *map,
                    bool preset, struct arena *arena, struct model *model, struct error *error);

#endif
