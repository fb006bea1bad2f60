/* embedded.h - the copy of data/ inside the program (assembled by the Makefile), so that a copied
 * binary runs anywhere. */
#ifndef GPUWIZ_EMBEDDED_H
#define GPUWIZ_EMBEDDED_H

struct embedded_file {
    const char *name; /* "gpus.yaml", "lessons/memory.yaml", "zh_CN.mo" */
    const unsigned char *bytes, *end;
};

/* Sorted by name; ends with name NULL. */
extern const struct embedded_file embedded_files[];

#endif
