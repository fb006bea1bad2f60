/* model_family.h - what a model's type implies beyond what its file says: which matrices have
 * biases, how many norms a layer has, whether the head is tied by default. Files name the type
 * (`model_type` in a config.json, `general.architecture` in a .gguf). */
#ifndef GPUWIZ_MODEL_FAMILY_H
#define GPUWIZ_MODEL_FAMILY_H

#include <stdbool.h>
#include "data/model.h"

enum family_trait {
    FAMILY_UNGATED = 1 << 0,         /* two FFN matrices */
    FAMILY_TIED = 1 << 1,            /* head tied unless the file says otherwise */
    FAMILY_LAYER_NORM = 1 << 2,
    FAMILY_LEARNED = 1 << 3,         /* position table */
    FAMILY_ALIBI = 1 << 4,
    FAMILY_QK_NORM = 1 << 5,         /* a norm per head on Q and K, without a key in the file */
    FAMILY_FFN_4H = 1 << 6,          /* FFN of four times the width when the file gives none */
    FAMILY_QKV_BIAS = 1 << 7,        /* biases without a key */
    FAMILY_O_BIAS = 1 << 8,
    FAMILY_MLP_BIAS = 1 << 9,
    FAMILY_HEAD_BIAS = 1 << 10,
    FAMILY_BIASES = FAMILY_QKV_BIAS | FAMILY_O_BIAS | FAMILY_MLP_BIAS,
    FAMILY_MOE = 1 << 11,
    FAMILY_EXPERT_IS_FFN = 1 << 12,  /* intermediate_size is that of an expert */
    FAMILY_CORRECTION = 1 << 13,     /* a correction bias per expert in the router */
    FAMILY_SHARED_GATE = 1 << 14,
    FAMILY_ALTERNATE = 1 << 15,      /* every other layer is local, beginning with the first */
    FAMILY_GATED_DELTANET = 1 << 16, /* linear layers, and full ones with an output gate */
    FAMILY_OSS = 1 << 17,            /* sinks, biases of experts and router */
    FAMILY_EMBEDDING_NORM = 1 << 18,
    FAMILY_MLA = 1 << 19
};

struct model_family {
    const char *model_type;       /* config.json */
    const char *architecture;     /* .gguf; NULL: none is known */
    unsigned traits;
    int norms_per_layer;
    const char *bias_key;         /* the config key that switches biases on; NULL = none */
    unsigned bias_key_traits;     /* which ones */
};

/* NULL when unknown. */
const struct model_family *model_family_of_type(const char *model_type);
const struct model_family *model_family_of_gguf(const char *architecture);

/* Sets what the family implies; the file's own words come after. */
void model_family_apply(const struct model_family *family, struct model *model);

/* Sets the biases among `traits`. */
void model_family_biases(unsigned traits, struct model *model);

#endif
