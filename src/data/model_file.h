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
 * ffn_gated = true, tied_embeddings = false; layers, hidden_size, heads and vocab_size are
 * required, ffn_size too unless every layer is a mixture of experts. Presets may hold more keys
 * (id, hf_id, ...: gpuwiz-data(5)). */
bool model_read_map(const struct yaml_document *document, const struct yaml_node *map,
                    bool preset, struct arena *arena, struct model *model, struct error *error);

/* A model of nothing: texts "", and the defaults named above. */
void model_init(struct model *model);

/* Fills in what follows from the rest (kv_heads, head_dim, the kind of attention) and returns what
 * is wrong with the shape as a translated text, NULL when nothing is. After NULL every division
 * the engine makes is safe and no parameter count overflows 64 bits. */
const char *model_finish(struct model *model);

#endif
