/* arena.h - memory that is freed as a whole, and allocation that cannot return NULL. */
#ifndef GPUWIZ_ARENA_H
#define GPUWIZ_ARENA_H

#include <stddef.h>

struct arena;

/* Both abort the program with a message when memory runs out: nothing here can go on without it. */
struct arena *arena_new(void);
void *xrealloc(void *old, size_t count, size_t size); /* overflow-checked; free() it */

/* Frees all that was allocated from it; NULL is allowed. */
void arena_free(struct arena *arena);

/* Forgets all allocations but keeps the memory for the next ones (one frame, one plan). */
void arena_reset(struct arena *arena);

/* Zeroed memory for `count` objects of `size` bytes, aligned for any type; lives until
 * arena_free or arena_reset. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), 1, sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type)))

#endif
