/* safetensors.c - the exact size of weights: from a file's own header (8 bytes of length, then
 * JSON; huggingface/safetensors README, "Format"), or from the index of a model in several files.
 */
#include "data/model_readers.h"

#include <string.h>
#include "base/i18n.h"

enum { MAX_HEADER_BYTES = 100000000 }; /* the format's own limit */

/* Stored bits by dtype. */
static const struct {
    const char *name;
    int bits;
} dtypes[] = {
    {"F64", 64}, {"I64", 64}, {"U64", 64}, {"F32", 32},    {"I32", 32},     {"U32", 32},
    {"F16", 16}, {"BF16", 16}, {"I16", 16}, {"U16", 16},   {"F8_E4M3", 8},  {"F8_E5M2", 8},
    {"F8_E8M0", 8}, {"I8", 8}, {"U8", 8},  {"BOOL", 8},    {"F4", 4},
};

static int bits_of(const char *dtype)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(dtypes[i].name, dtype) == 0)
            return dtypes[i].bits;
    return 0;
}

static bool read_elements(const struct yaml_document *document, const struct yaml_node *shape,
                          uint64_t *elements, struct error *error)
{
    double product = 1;
    for (const struct yaml_node *node = shape->first; node; node = node->next) {
        double length;
        if (!yaml_number(document, node, &length, error))
            return false;
        product *= length;
        if (!(length >= 0 && product < 281474976710656.0)) /* 2^48 */
            return yaml_error(document, node, false, error, tr("a tensor has an absurd size"));
    }
    *elements = (uint64_t)product;
    return true;
}

static bool read_tensor(const struct yaml_document *document, const struct yaml_node *node,
                        struct weights_size *size, struct error *error)
{
    const struct yaml_node *dtype = yaml_get(node, "dtype"), *shape = yaml_get(node, "shape");
    uint64_t elements = 0;
    if (!dtype || !shape || shape->kind != YAML_LIST)
        return yaml_error(document, node, true, error, tr("a tensor needs dtype and shape"));
    int bits = bits_of(dtype->text);
    if (bits == 0)
        return yaml_error(document, dtype, false, error, tr("dtype '%s' is not known here"),
                          dtype->text);
    if (!read_elements(document, shape, &elements, error))
        return false;
    size->elements += elements;
    size->bytes += (elements * (uint64_t)bits + 7) / 8;
    return true;
}

bool safetensors_read(const char *file, const unsigned char *bytes, size_t length,
                      struct arena *arena, struct weights_size *size, struct error *error)
{
    uint64_t header = 0;
    for (int i = 8; i-- > 0 && length >= 8;)
        header = header << 8 | bytes[i];
    if (length < 8 || header == 0 || header > MAX_HEADER_BYTES || header > length - 8)
        return error_at(error, file, 0, 0, "%s",
                        tr("this is not a .safetensors file, or it ends too early"));
    struct yaml_document document;
    if (!yaml_parse(arena, file, (const char *)bytes + 8, (size_t)header, MAX_HEADER_BYTES,
                    &document, error))
        return false;
    if (document.root->kind != YAML_MAP)
        return yaml_error(&document, document.root, false, error, tr("a map is needed here"));
    *size = (struct weights_size){0};
    for (const struct yaml_node *node = document.root->first; node; node = node->next)
        if (strcmp(node->key, "__metadata__") != 0 && !read_tensor(&document, node, size, error))
            return false;
    return true;
}

bool safetensors_index_read(const struct yaml_document *document, struct weights_size *size,
                            struct error *error)
{
    const struct yaml_node *node = yaml_get(yaml_get(document->root, "metadata"), "total_size");
    double bytes;
    if (!node)
        return yaml_error(document, document->root, false, error,
                          tr("the file does not say total_size"));
    if (!yaml_number(document, node, &bytes, error))
        return false;
    if (!(bytes > 0 && bytes < 9007199254740992.0))
        return yaml_error(document, node, false, error, tr("total_size is absurd"));
    *size = (struct weights_size){.bytes = (uint64_t)bytes};
    return true;
}
