/* Links change places in their array: the same order as that of a comparison of any two. */
#include "trace/groups/links_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COUNT = 20000 };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 11;
}

/* Not after the other one. */
static bool in_order(const struct xpd_link *a, const struct xpd_link *b)
{
    if ((a->node == XPD_NO_NODE) != (b->node == XPD_NO_NODE))
        return b->node == XPD_NO_NODE;
    int order = xpd_links_order(a, b);
    if (order != 0)
        return order < 0;
    if ((a->ends & XPD_FLOW_IN) != (b->ends & XPD_FLOW_IN))
        return (a->ends & XPD_FLOW_IN) != 0;
    return a->node <= b->node;
}

/* `keys`: how many different ones; `shift` makes them far apart. */
static void sorts(uint64_t keys, unsigned shift, uint64_t outlier)
{
    struct xpd_link *link = calloc(COUNT, sizeof *link);
    uint64_t state = keys + shift, sum = 0, after = 0;
    assert_non_null(link);
    for (uint32_t i = 0; i < COUNT; i++) {
        link[i].key = i == 7 ? outlier : next(&state) % keys << shift;
        link[i].kind = (unsigned)(next(&state) % 4);
        link[i].group_category = (next(&state) % 3 * 31) & 63;
        link[i].ends = (next(&state) % 3 + 1) & 3;
        link[i].has_pid = (unsigned)(next(&state) % 2);
        link[i].pid = (uint32_t)(next(&state) % 2);
        link[i].node = next(&state) % 9 == 0 ? XPD_NO_NODE : i;
        link[i].event = i;
        sum += i;
    }
    xpd_links_sort(link, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        after += link[i].event;
        assert_true(i == 0 || in_order(&link[i - 1], &link[i]));
    }
    assert_int_equal(after, sum); /* each is there once */
    free(link);
}

static void any_keys(void **state)
{
    (void)state;
    sorts(COUNT, 0, 0);
    sorts(COUNT, 40, UINT64_MAX);
    sorts(1, 0, 0);
    sorts(3, 20, UINT64_MAX);
    sorts(UINT64_C(1) << 53, 11, 1);
}

static void few(void **state)
{
    struct xpd_link link[2] = {{.key = 2, .node = 1}, {.key = 1, .node = 2}};
    (void)state;
    xpd_links_sort(link, 0);
    xpd_links_sort(link, 1);
    assert_int_equal(link[0].key, 2);
    xpd_links_sort(link, 2);
    assert_int_equal(link[0].key, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_keys), cmocka_unit_test(few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
