/* Decoding of paths and queries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "server/query.h"

static struct xpd_arena arena;

static int setup(void **state)
{
    (void)state;
    xpd_arena_init(&arena, 1 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    xpd_arena_fini(&arena);
    return 0;
}

static void expect_text(struct xpd_str text, const char *wanted)
{
    assert_int_equal(text.size, strlen(wanted));
    assert_memory_equal(text.data, wanted, text.size);
}

static void expect_decoded(const char *text, bool plus, const char *wanted)
{
    struct xpd_str out;
    struct xpd_err err;
    assert_int_equal(xpd_percent_decode(&arena, xpd_str_of(text), plus, &out, &err), XPD_OK);
    expect_text(out, wanted);
    assert_int_equal(out.data[out.size], 0);
}

static void test_percent(void **state)
{
    (void)state;
    expect_decoded("", true, "");
    expect_decoded("a%20b+c", true, "a b c");
    expect_decoded("a%20b+c", false, "a b+c");
    expect_decoded("%41%7e%7E", false, "A~~");
    expect_decoded("%25%2b", true, "%+");
    expect_decoded("%E2%82%AC", false, "\xe2\x82\xac");
    static const char *const bad[] = {"%",    "%4",  "%4g",   "%g4",  "a%",
                                      "%%41", "%00", "a%00b", "% 41", "%+1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct xpd_str out;
        struct xpd_err err;
        assert_int_equal(xpd_percent_decode(&arena, xpd_str_of(bad[i]), true, &out, &err),
                         XPD_EINVAL);
        assert_string_equal(err.where, "url");
    }
    struct xpd_str out;
    assert_int_equal(xpd_percent_decode(&arena, (struct xpd_str){"a\0b", 3}, true, &out, NULL),
                     XPD_EINVAL);
}

static void test_query(void **state)
{
    (void)state;
    struct xpd_query query;
    assert_int_equal(xpd_query_decode(&arena,
                                      xpd_str_of("run=a%2Fb&&module=x(1)&flag&q=a=b&=v&q=second"),
                                      &query, NULL),
                     XPD_OK);
    assert_int_equal(query.count, 6);
    expect_text(xpd_query_get(&query, "run"), "a/b");
    expect_text(xpd_query_get(&query, "module"), "x(1)");
    expect_text(xpd_query_get(&query, "flag"), "");
    expect_text(xpd_query_get(&query, "q"), "a=b");
    expect_text(xpd_query_get(&query, ""), "v");
    expect_text(xpd_query_get(&query, "nothing"), "");
    assert_int_equal(xpd_query_decode(&arena, XPD_STR(""), &query, NULL), XPD_OK);
    assert_int_equal(query.count, 0);
    assert_int_equal(xpd_query_decode(&arena, XPD_STR("a=1&b=%"), &query, NULL), XPD_EINVAL);
    assert_int_equal(xpd_query_decode(&arena, XPD_STR("%zz=1"), &query, NULL), XPD_EINVAL);
}

static void test_limit(void **state)
{
    (void)state;
    char text[XPD_QUERY_MAX_PARAMS * 2 + 3];
    struct xpd_query query;
    struct xpd_err err;
    for (size_t i = 0; i <= XPD_QUERY_MAX_PARAMS; i++)
        memcpy(text + 2 * i, "a&", 2);
    assert_int_equal(
        xpd_query_decode(&arena, (struct xpd_str){text, 2 * XPD_QUERY_MAX_PARAMS}, &query, &err),
        XPD_OK);
    assert_int_equal(xpd_query_decode(&arena, (struct xpd_str){text, 2 * XPD_QUERY_MAX_PARAMS + 2},
                                      &query, &err),
                     XPD_ELIMIT);
    struct xpd_arena small;
    xpd_arena_init(&small, 1);
    assert_int_equal(xpd_query_decode(&small, XPD_STR("a=1"), &query, &err), XPD_ENOMEM);
    xpd_arena_fini(&small);
}

static bool same_key(const char *a, const char *b)
{
    struct xpd_query one, two;
    struct xpd_strbuf x = {0}, y = {0};
    assert_int_equal(xpd_query_decode(&arena, xpd_str_of(a), &one, NULL), XPD_OK);
    assert_int_equal(xpd_query_decode(&arena, xpd_str_of(b), &two, NULL), XPD_OK);
    xpd_query_canonical(&one, &x);
    xpd_query_canonical(&two, &y);
    bool same = x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
    xpd_strbuf_fini(&x);
    xpd_strbuf_fini(&y);
    return same;
}

static void test_canonical(void **state)
{
    (void)state;
    assert_true(same_key("a=1&b=2", "b=2&a=1"));
    assert_true(same_key("a=%31&b=2", "&b=2&&a=1"));
    assert_true(same_key("a=1&a=2", "a=1&a=3")); /* the first one counts */
    assert_true(same_key("", "&&"));
    assert_false(same_key("a=1&a=2", "a=2&a=1"));
    assert_false(same_key("a=1", "a=2"));
    assert_false(same_key("a=1", "a=1&b"));
    assert_false(same_key("ab=c", "a=bc"));
    assert_false(same_key("a=1%261:b1:2", "a=1&b=2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_percent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_query, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_canonical, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
