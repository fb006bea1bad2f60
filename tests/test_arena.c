#include "tests/test.h"

#include <stdint.h>
#include <string.h>
#include "base/arena.h"

static void allocations_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    unsigned char *previous = NULL;
    for (size_t i = 1; i < 3000; i++) {
        unsigned char *p = arena_alloc(arena, i, 7);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < i * 7; k++)
            assert_int_equal(p[k], 0);
        memset(p, 0xAB, i * 7);
        if (previous)
            assert_int_equal(previous[0], 0xAB);
        previous = p;
    }
    arena_free(arena);
}

static void reset_reuses_the_memory_and_zeroes_it_again(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char *first = arena_strdup(arena, "first");
    arena_reset(arena);
    char *second = arena_alloc(arena, 6, 1);
    assert_ptr_equal(first, second);
    assert_string_equal(second, "");
    arena_free(arena);
}

static void printf_gives_the_whole_text(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char *text = arena_printf(arena, "%s-%d-%0500d", "x", 7, 1);
    assert_int_equal(strlen(text), 504);
    arena_free(arena);
}

TEST_MAIN(cmocka_unit_test(allocations_are_zeroed_aligned_and_apart),
          cmocka_unit_test(reset_reuses_the_memory_and_zeroes_it_again),
          cmocka_unit_test(printf_gives_the_whole_text))
