/* Arena: alignment, zeroing, budget, growth, reset. Holds with and without XPD_DEBUG_ARENA. */
#include "xprofd/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void zeroed_arena_is_valid(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    xpd_arena_fini(&arena);
    xpd_arena_fini(&arena);
    xpd_arena_reset(&arena);
    assert_null(arena.head);
    assert_int_equal(arena.used_bytes, 0);
    int *one = XPD_NEW(&arena, int);
    assert_non_null(one);
    assert_int_equal(*one, 0);
    xpd_arena_fini(&arena);
    xpd_arena_fini(&arena);
    assert_null(arena.head);
}

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    (void)state;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 0);
    unsigned char *piece[300];
    for (size_t i = 0; i < 300; i++) {
        char *odd = xpd_arena_bytes(&arena, 1 + i % 7); /* puts the next one off balance */
        assert_non_null(odd);
        memset(odd, 0xEE, 1 + i % 7);
        piece[i] = xpd_arena_calloc(&arena, i + 1, 3);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < 3 * (i + 1); k++)
            assert_int_equal(piece[i][k], 0);
        memset(piece[i], (int)(i & 0xFF), 3 * (i + 1));
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < 3 * (i + 1); k++)
            assert_int_equal(piece[i][k], i & 0xFF);
    assert_false(arena.failed);
    xpd_arena_fini(&arena);
}

static void size_zero_gives_a_pointer(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    assert_non_null(xpd_arena_calloc(&arena, 0, 8));
    assert_non_null(xpd_arena_calloc(&arena, 8, 0));
    assert_non_null(xpd_arena_bytes(&arena, 0));
    assert_false(arena.failed);
    xpd_arena_fini(&arena);
}

static void room_is_aligned_and_apart(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    unsigned char *byte = xpd_arena_bytes(&arena, 1);
    for (size_t n = 1; n < 100000; n *= 7) {
        uint64_t *room = XPD_NEW_ROOM(&arena, uint64_t, n);
        assert_non_null(room);
        assert_int_equal((uintptr_t)room % _Alignof(max_align_t), 0);
        *byte = 7;
        for (size_t i = 0; i < n; i++)
            room[i] = i;
        assert_int_equal(*byte, 7);
        byte = xpd_arena_bytes(&arena, 1);
        *byte = 8;
        assert_int_equal(room[n - 1], n - 1);
    }
    assert_null(xpd_arena_room(&arena, SIZE_MAX / 2, 4));
    assert_true(arena.failed);
    xpd_arena_fini(&arena);
}

static void arrays_are_copied(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    uint16_t from[] = {3, 1, 4, 1, 5};
    uint16_t *copy = XPD_COPY_ARRAY(&arena, from, 5);
    assert_memory_equal(copy, from, sizeof from);
    from[0] = 9;
    assert_int_equal(copy[0], 3);
    assert_non_null(xpd_arena_copy(&arena, NULL, 0, 8));
    assert_null(xpd_arena_copy(&arena, from, SIZE_MAX / 2, 4)); /* nothing is read */
    assert_true(arena.failed);
    xpd_arena_fini(&arena);
}

static void product_overflow_is_refused(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    assert_null(xpd_arena_calloc(&arena, SIZE_MAX / 2 + 1, 2)); /* wraps to 0 */
    assert_true(arena.failed);
    assert_int_equal(arena.used_bytes, 0);
    arena.failed = false;
    assert_null(xpd_arena_calloc(&arena, SIZE_MAX, 1)); /* no room for a header */
    assert_true(arena.failed);
    arena.failed = false;
    assert_null(xpd_arena_bytes(&arena, SIZE_MAX - 3));
    assert_true(arena.failed);
    arena.failed = false;
    assert_null(xpd_arena_strndup(&arena, "x", SIZE_MAX));
    assert_true(arena.failed);
    assert_int_equal(arena.used_bytes, 0);
    xpd_arena_fini(&arena);
}

static void budget_is_kept(void **state)
{
    (void)state;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 1000000);
    size_t got = 0;
    while (xpd_arena_bytes(&arena, 10000)) {
        got++;
        assert_true(arena.used_bytes <= 1000000);
    }
    assert_true(arena.failed);
    /* 100 pieces are the budget itself; headers and ends of blocks take some, not a tenth. */
    assert_in_range(got, 90, 99);
    /* A refusal takes nothing, and what still fits is given. */
    uint64_t used = arena.used_bytes;
    assert_null(xpd_arena_bytes(&arena, 2000000));
    assert_int_equal(arena.used_bytes, used);
    assert_non_null(xpd_arena_bytes(&arena, 100));
    assert_true(arena.failed); /* sticky all the same */
    xpd_arena_fini(&arena);
    assert_int_equal(arena.used_bytes, 0);
    assert_int_equal(arena.budget_bytes, 1000000);
}

static void small_budget_is_usable(void **state)
{
    (void)state;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 1000); /* far below one block */
    char *text = xpd_arena_strndup(&arena, "hello", 5);
    assert_string_equal(text, "hello");
    assert_true(arena.used_bytes <= 1000);
    assert_null(xpd_arena_bytes(&arena, 1001));
    assert_true(arena.failed);
    assert_string_equal(text, "hello");
    xpd_arena_fini(&arena);
}

#ifndef XPD_DEBUG_ARENA
static void blocks_grow(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    assert_non_null(xpd_arena_bytes(&arena, 1));
    assert_int_equal(arena.used_bytes, 65536);
    for (int i = 0; i < 1000; i++) /* 16 MiB in pieces of 16 KiB */
        assert_non_null(xpd_arena_bytes(&arena, 16384));
    assert_in_range(arena.used_bytes, 1000u * 16384u, 1000u * 16384u + (5u << 20));

    /* A piece of its own size leaves the newest block to go on with. */
    uint64_t before = arena.used_bytes;
    assert_non_null(xpd_arena_bytes(&arena, 100u << 20));
    assert_in_range(arena.used_bytes - before, 100u << 20, (100u << 20) + 64);
    before = arena.used_bytes;
    assert_non_null(xpd_arena_bytes(&arena, 100));
    assert_int_equal(arena.used_bytes, before);

    xpd_arena_reset(&arena);
    assert_int_equal(arena.used_bytes, 4u << 20); /* the one block kept, the large one is gone */
    assert_non_null(xpd_arena_bytes(&arena, 4000000));
    assert_int_equal(arena.used_bytes, 4u << 20);
    xpd_arena_fini(&arena);
}
#endif

static void reset_starts_again(void **state)
{
    (void)state;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 300000);
    for (int round = 0; round < 50; round++) {
        unsigned char *piece = xpd_arena_calloc(&arena, 200000, 1);
        assert_non_null(piece);
        assert_int_equal(piece[0] | piece[199999], 0); /* zeroed although used before */
        memset(piece, 0xFF, 200000);
        assert_null(xpd_arena_bytes(&arena, 200000));
        assert_true(arena.failed);
        xpd_arena_reset(&arena);
        assert_false(arena.failed);
    }
    xpd_arena_fini(&arena);
}

static void text_is_copied(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    char source[] = {'a', '\0', 'b', 'c'};
    char *copy = xpd_arena_strndup(&arena, source, 3);
    assert_memory_equal(copy, "a\0b\0", 4);
    assert_string_equal(xpd_arena_strndup(&arena, NULL, 0), "");
    assert_string_equal(xpd_arena_printf(&arena, "%s-%d", "x", -7), "x--7");
    char *wide = xpd_arena_printf(&arena, "%0300d|", 5); /* longer than the buffer it tries first */
    assert_int_equal(strlen(wide), 301);
    assert_int_equal(wide[298], '0');
    assert_string_equal(wide + 299, "5|");
    assert_int_equal(strlen(xpd_arena_printf(&arena, "%0255d", 1)), 255);
    assert_int_equal(strlen(xpd_arena_printf(&arena, "%0256d", 1)), 256);
    xpd_arena_fini(&arena);

    xpd_arena_init(&arena, 400);
    assert_null(xpd_arena_printf(&arena, "%0900d", 1));
    assert_true(arena.failed);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_arena_is_valid),
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(size_zero_gives_a_pointer),
        cmocka_unit_test(room_is_aligned_and_apart),
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(product_overflow_is_refused),
        cmocka_unit_test(budget_is_kept),
        cmocka_unit_test(small_budget_is_usable),
#ifndef XPD_DEBUG_ARENA
        cmocka_unit_test(blocks_grow),
#endif
        cmocka_unit_test(reset_starts_again),
        cmocka_unit_test(text_is_copied),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
