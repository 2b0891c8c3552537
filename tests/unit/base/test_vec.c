/* Growable arrays and checked arithmetic. */
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void push(void **state)
{
    (void)state;
    XPD_VEC(int64_t) vec = {0};
    for (int64_t i = 0; i < 10000; i++)
        XPD_PUSH(&vec, i * i);
    assert_int_equal(vec.count, 10000);
    assert_true(vec.capacity >= vec.count && vec.capacity < 2 * vec.count);
    for (size_t i = 0; i < vec.count; i++)
        assert_int_equal(vec.at[i], i * i);
    assert_false(vec.failed);
    XPD_VEC_FINI(&vec);
    assert_null(vec.at);
    XPD_VEC_FINI(&vec);
}

static void grow_refuses_what_cannot_be(void **state)
{
    (void)state;
    XPD_VEC(int64_t) vec = {0};
    XPD_PUSH(&vec, 3);
    size_t capacity = vec.capacity;
    assert_false(xpd_vec_grow((void **)&vec.at, &vec.capacity, SIZE_MAX, sizeof *vec.at));
    assert_false(xpd_vec_grow((void **)&vec.at, &vec.capacity, SIZE_MAX / 4, sizeof *vec.at));
    assert_int_equal(vec.capacity, capacity);
    assert_int_equal(vec.at[0], 3); /* still there */
    assert_true(xpd_vec_grow((void **)&vec.at, &vec.capacity, 1000, sizeof *vec.at));
    assert_true(vec.capacity >= 1000);
    assert_int_equal(vec.at[0], 3);
    XPD_VEC_FINI(&vec);
}

static void sums(void **state)
{
    (void)state;
    bool overflow = false;
    assert_int_equal(xpd_add_i64(INT64_MAX - 1, 1, &overflow), INT64_MAX);
    assert_false(overflow);
    assert_int_equal(xpd_add_i64(INT64_MAX, 1, &overflow), INT64_MAX);
    assert_true(overflow);
    overflow = false;
    assert_int_equal(xpd_add_i64(INT64_MIN, -1, &overflow), INT64_MIN);
    assert_true(overflow);
    assert_int_equal(xpd_add_i64(1, 1, &overflow), 2);
    assert_true(overflow); /* sticky: only set, never cleared */
}

static void products(void **state)
{
    (void)state;
    bool overflow = false;
    assert_int_equal(xpd_mul_i64(3037000499, 3037000499, &overflow), 9223372030926249001);
    assert_false(overflow);
    assert_int_equal(xpd_mul_i64(3037000500, 3037000500, &overflow), INT64_MAX);
    assert_true(overflow);
    overflow = false;
    assert_int_equal(xpd_mul_i64(INT64_MIN, -1, &overflow), INT64_MAX);
    assert_true(overflow);
    overflow = false;
    assert_int_equal(xpd_mul_i64(INT64_MIN, 2, &overflow), INT64_MIN);
    assert_true(overflow);
    overflow = false;
    assert_int_equal(xpd_mul_i64(0, INT64_MIN, &overflow), 0);
    assert_false(overflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push),
        cmocka_unit_test(grow_refuses_what_cannot_be),
        cmocka_unit_test(sums),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
