/* Sums of overlap against a count moment by moment, on work made by chance. */
#include "core_space.h"
#include "xprofd/trace/overlap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define END_PS 40000
#define OPS    6000
#define PAIRS  60

struct moments {
    bool compute[END_PS], comm[END_PS];
};

static uint64_t seed = 7;
static int64_t chance(int64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)below);
}

static void mark(bool *at, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        at[i] = true;
}

static int by_start(const void *a, const void *b)
{
    const struct core_event *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* Work in small pieces, one in nine a collective; PAIRS asynchronous ones besides. */
static size_t make_ops(struct core_event *op, struct moments *truth)
{
    size_t n = 0;
    for (; n < OPS; n++) {
        int64_t start = chance(END_PS - 8), length = 1 + chance(7);
        uint64_t name = chance(9) != 0 ? 1 : 2;
        op[n] = (struct core_event){start, length, name};
        mark(name == 1 ? truth->compute : truth->comm, start, (int64_t)start + length);
    }
    for (uint64_t i = 0; i < PAIRS; i++) {
        int64_t start = chance(END_PS - 600), done = start + 1 + chance(500);
        op[n++] = (struct core_event){start, 1, 3 + 2 * i};
        op[n++] = (struct core_event){done, 2, 4 + 2 * i};
        mark(truth->comm, start, done + 2);
    }
    qsort(op, n, sizeof *op, by_start);
    return n;
}

static void check(const struct xpd_view *view, const struct xpd_overlap_table *table,
                  const struct moments *truth, int64_t from, int64_t to)
{
    struct xpd_overlap sum, expected = {0};
    for (int64_t i = from; i < to; i++) {
        expected.compute_ps += truth->compute[i];
        expected.comm_overlapped_ps += truth->comm[i] && truth->compute[i];
        expected.comm_exposed_ps += truth->comm[i] && !truth->compute[i];
        expected.idle_ps += !truth->comm[i] && !truth->compute[i];
    }
    assert_int_equal(xpd_overlap_in(view, table, 0, (struct xpd_time_range){from, to}, &sum, NULL),
                     XPD_OK);
    assert_int_equal(sum.compute_ps, expected.compute_ps);
    assert_int_equal(sum.comm_overlapped_ps, expected.comm_overlapped_ps);
    assert_int_equal(sum.comm_exposed_ps, expected.comm_exposed_ps);
    assert_int_equal(sum.idle_ps, expected.idle_ps);
}

static void ranges_of_all_lengths(void **state)
{
    (void)state;
    static struct moments truth;
    static struct core_event op[OPS + 2 * PAIRS];
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 3, "XLA Ops", op, make_ops(op, &truth));
    core_name(&w, 4, 1, "fusion.1");
    core_name(&w, 4, 2, "all-reduce.2");
    for (uint64_t i = 0; i < PAIRS; i++) {
        char name[64];
        snprintf(name, sizeof name, "all-reduce-start.%d", (int)i + 3);
        core_name(&w, 4, 3 + 2 * i, name);
        snprintf(name, sizeof name, "all-reduce-done.%d", (int)i + 3);
        core_name(&w, 4, 4 + 2 * i, name);
    }
    pbw_end(&w, plane);
    struct core_trace core = core_load(w.data, w.len, 1);
    struct xpd_derived *derived;
    assert_int_equal(xpd_derived_make(&derived, core.trace, 0, NULL), XPD_OK);
    struct xpd_view view = {.trace = core.trace, .derived = derived};
    struct xpd_overlap_table table;
    struct xpd_arena arena = {0};
    assert_int_equal(xpd_overlap_table_make(&table, &view, &arena, NULL), XPD_OK);
    assert_true(table.cut_first[1] > 10); /* sums are at work */
    check(&view, &table, &truth, 0, END_PS);
    for (int i = 0; i < 500; i++) {
        int64_t from = chance(END_PS - 1);
        check(&view, &table, &truth, from, from + chance(END_PS - from));
    }
    xpd_arena_fini(&arena);
    xpd_derived_free(derived);
    core_free(&core);
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_of_all_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
