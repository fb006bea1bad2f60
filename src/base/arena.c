#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *first, *current;
};

enum { BLOCK_BYTES = 32 * 1024 };

static void out_of_memory(void)
{
    fputs("gpuwiz: out of memory\n", stderr);
    abort();
}

void *xrealloc(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    void *memory = realloc(old, count > 0 && size > 0 ? count * size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

static struct block *block_new(size_t size)
{
    if (size < BLOCK_BYTES)
        size = BLOCK_BYTES;
    struct block *block = xrealloc(NULL, 1, sizeof *block + size);
    *block = (struct block){.size = size};
    return block;
}

struct arena *arena_new(void)
{
    struct arena *arena = xrealloc(NULL, 1, sizeof *arena);
    arena->first = arena->current = block_new(0);
    return arena;
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

void arena_reset(struct arena *arena)
{
    for (struct block *block = arena->first; block; block = block->next)
        block->used = 0;
    arena->current = arena->first;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size && count > (SIZE_MAX - align) / size)
        out_of_memory();
    size_t bytes = (count * size + align - 1) / align * align;
    struct block *block = arena->current;
    while (block->size - block->used < bytes) {
        if (!block->next || block->next->size < bytes) {
            struct block *fresh = block_new(bytes);
            fresh->next = block->next;
            block->next = fresh;
        }
        block = arena->current = block->next;
    }
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memset(memory, 0, bytes);
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return arena_strdup(arena, "");
    char *text = arena_alloc(arena, (size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
