/* Text table: ids in order, equality by bytes, growth, failure. */
#include "xprofd/base/intern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void ids_in_order(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_intern table;
    xpd_intern_init(&table, &arena);
    assert_int_equal(table.count, 1);
    assert_int_equal(xpd_intern_put(&table, "", 0), 0);
    assert_int_equal(xpd_intern_put(&table, NULL, 0), 0);
    assert_int_equal(xpd_intern_put(&table, "b", 1), 1);
    assert_int_equal(xpd_intern_put(&table, "a", 1), 2);
    assert_int_equal(xpd_intern_put(&table, "b", 1), 1);
    assert_int_equal(xpd_intern_put(&table, "a\0x", 3), 3);
    assert_int_equal(xpd_intern_put(&table, "a\0y", 3), 4);
    assert_int_equal(xpd_intern_put(&table, "\0", 1), 5); /* a NUL is not "" */
    assert_int_equal(table.count, 6);

    assert_int_equal(xpd_intern_find(&table, XPD_STR("")), 0);
    assert_int_equal(xpd_intern_find(&table, XPD_STR("a\0y")), 4);
    assert_int_equal(xpd_intern_find(&table, XPD_STR("c")), XPD_NO_NAME);
    assert_int_equal(table.count, 6); /* find adds nothing */

    struct xpd_str text = xpd_intern_get(&table, 3);
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.data, "a\0x\0", 4);
    assert_string_equal(xpd_intern_get(&table, 0).data, "");
    assert_string_equal(xpd_intern_get(&table, 6).data, "");
    assert_string_equal(xpd_intern_get(&table, XPD_NO_NAME).data, "");
    xpd_intern_fini(&table);
    xpd_arena_fini(&arena);
}

static void text_is_copied(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_intern table;
    xpd_intern_init(&table, &arena);
    char text[] = "one";
    xpd_name_id id = xpd_intern_put(&table, text, 3);
    text[0] = 'X';
    assert_string_equal(xpd_intern_get(&table, id).data, "one");
    assert_int_equal(xpd_intern_find(&table, XPD_STR("Xne")), XPD_NO_NAME);
    xpd_intern_fini(&table);
    xpd_arena_fini(&arena);
}

static void many(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct xpd_arena arena = {0};
    struct xpd_intern table;
    xpd_intern_init(&table, &arena);
    char name[40];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++) {
            int size = snprintf(name, sizeof name, "fusion.%d", i);
            assert_int_equal(xpd_intern_put(&table, name, (size_t)size), i + 1);
        }
    }
    assert_int_equal(table.count, COUNT + 1);
    assert_true(table.slot_count >= 2 * table.count);
    assert_false(table.failed);
    for (int i = 0; i < COUNT; i += 997) {
        snprintf(name, sizeof name, "fusion.%d", i);
        assert_string_equal(xpd_intern_get(&table, (xpd_name_id)i + 1).data, name);
        assert_int_equal(xpd_intern_find(&table, xpd_str_of(name)), i + 1);
    }
    xpd_intern_fini(&table);
    xpd_arena_fini(&arena);
}

static void failure_is_sticky(void **state)
{
    (void)state;
    struct xpd_arena arena;
    struct xpd_intern table;
    xpd_arena_init(&arena, 5000);
    xpd_intern_init(&table, &arena);
    static const char large[6000];
    assert_int_equal(xpd_intern_put(&table, "kept", 4), 1);
    assert_int_equal(xpd_intern_put(&table, large, sizeof large), 0);
    assert_true(table.failed);
    assert_int_equal(xpd_intern_put(&table, "more", 4), 0);
    assert_int_equal(table.count, 2);
    assert_int_equal(xpd_intern_find(&table, XPD_STR("kept")),
                     1); /* what is there stays readable */
    xpd_intern_fini(&table);
    xpd_intern_fini(&table);
    assert_int_equal(xpd_intern_find(&table, XPD_STR("kept")), XPD_NO_NAME);
    assert_string_equal(xpd_intern_get(&table, 1).data, "");
    xpd_arena_fini(&arena);
}

static void frozen(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_intern table, kept;
    char name[16];
    xpd_intern_init(&table, &arena);
    for (int i = 0; i < 300; i++)
        xpd_intern_put(&table, name, (size_t)snprintf(name, sizeof name, "name.%d", i));
    assert_true(xpd_intern_freeze(&kept, &table));
    xpd_intern_fini(&table);
    assert_int_equal(xpd_intern_find(&kept, XPD_STR("name.0")), 1);
    assert_int_equal(xpd_intern_find(&kept, XPD_STR("name.299")), 300);
    assert_int_equal(xpd_intern_find(&kept, XPD_STR("name.300")), XPD_NO_NAME);
    assert_string_equal(xpd_intern_get(&kept, 300).data, "name.299");
    xpd_arena_fini(&arena);
    table = (struct xpd_intern){.failed = true};
    assert_false(xpd_intern_freeze(&kept, &table));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_in_order), cmocka_unit_test(text_is_copied),    cmocka_unit_test(many),
        cmocka_unit_test(frozen),       cmocka_unit_test(failure_is_sticky),
    };
    return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
