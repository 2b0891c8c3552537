/* Natural order: keys of two texts, ranks of many, by hand. */
#include "xprofd/base/natural.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int order_of(const char *a, const char *b)
{
    struct xpd_strbuf x = {0}, y = {0};
    xpd_natural_key(&x, xpd_str_of(a));
    xpd_natural_key(&y, xpd_str_of(b));
    int order = xpd_str_order((struct xpd_str){x.data, x.size}, (struct xpd_str){y.data, y.size});
    xpd_strbuf_fini(&x);
    xpd_strbuf_fini(&y);
    return order;
}

static void numbers_count(void **state)
{
    (void)state;
    assert_true(order_of("fusion.2", "fusion.10") < 0);
    assert_true(order_of("fusion.10", "fusion.9") > 0);
    assert_int_equal(order_of("a1", "a01"), 0);
    assert_true(order_of("a1b2", "a1b10") < 0);
    assert_true(order_of("a", "a0") < 0);
    assert_true(order_of("x999999999", "x1000000000") < 0); /* nine digits, ten */
}

/* Texts that differ only behind sixteen bytes, and equal ones. */
static void ranks_are_dense(void **state)
{
    (void)state;
    static const char *const text[] = {"",
                                       "copy.10",
                                       "copy.2",
                                       "copy.002",
                                       "add",
                                       "a_name_of_sixteen_bytes_and.10",
                                       "a_name_of_sixteen_bytes_and.9"};
    static const uint32_t expected[] = {0, 5, 4, 4, 3, 2, 1};
    enum { TEXTS = sizeof text / sizeof *text };
    struct xpd_arena arena = {0};
    struct xpd_intern table;
    xpd_intern_init(&table, &arena);
    for (uint32_t i = 0; i < TEXTS; i++)
        assert_int_equal(xpd_intern_put(&table, text[i], strlen(text[i])), i);
    const uint32_t *rank = xpd_natural_ranks(&table, &arena);
    assert_non_null(rank);
    for (uint32_t i = 0; i < TEXTS; i++)
        assert_int_equal(rank[i], expected[i]);
    xpd_intern_fini(&table);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_count),
        cmocka_unit_test(ranks_are_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
