/* Overlap by hand; its sums against a count moment by moment, on work made by chance. */
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

struct made { /* of a written file */
    struct core_trace core;
    struct xpd_derived *derived;
    struct xpd_view view;
    struct xpd_overlap_table table;
    struct xpd_arena arena;
};

static void make(struct made *made, const struct pbw *w)
{
    *made = (struct made){.core = core_load(w->data, w->len, 1)};
    assert_int_equal(xpd_derived_make(&made->derived, made->core.trace, 0, NULL), XPD_OK);
    made->view = (struct xpd_view){.trace = made->core.trace, .derived = made->derived};
    assert_int_equal(xpd_overlap_table_make(&made->table, &made->view, &made->arena, NULL), XPD_OK);
}

static void end(struct made *made, struct pbw *w)
{
    xpd_arena_fini(&made->arena);
    xpd_derived_free(made->derived);
    core_free(&made->core);
    pbw_free(w);
}

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
    struct made made;
    make(&made, &w);
    assert_true(made.table.cut_first[1] > 10); /* sums are at work */
    check(&made.view, &made.table, &truth, 0, END_PS);
    for (int i = 0; i < 500; i++) {
        int64_t from = chance(END_PS - 1);
        check(&made.view, &made.table, &truth, from, from + chance(END_PS - from));
    }
    end(&made, &w);
}

/* One step 0..1000. Compute 100..300 and 500..600; an asynchronous all-reduce from 200 (start) to
 * 560 (end of done), a synchronous one 700..800: 460 of communication, 160 of it under compute. */
static void overlap_of_a_step(void **state)
{
    (void)state;
    static const char *const name[] = {"fusion.1", "all-reduce-start.2", "all-reduce-done.2",
                                       "all-reduce.7", "step"};
    static const struct core_event steps[] = {{0, 1000, 5}};
    static const struct core_event ops[] = {
        {100, 200, 1}, {200, 1, 2}, {500, 100, 1}, {550, 10, 3}, {700, 100, 4}};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 1, "Steps", steps, 1);
    core_line(&w, 3, "XLA Ops", ops, 5);
    for (uint64_t i = 0; i < 5; i++)
        core_name(&w, 4, i + 1, name[i]);
    pbw_end(&w, plane);
    struct made made;
    make(&made, &w);
    struct xpd_overlap overlap;
    assert_int_equal(made.derived->step_count, 1);
    assert_int_equal(xpd_overlap_of(&made.view, &made.table, 0, 1, &overlap, NULL), XPD_OK);
    assert_int_equal(overlap.compute_ps, 300);
    assert_int_equal(overlap.comm_overlapped_ps, 160);
    assert_int_equal(overlap.comm_exposed_ps, 300);
    assert_int_equal(overlap.copy_exposed_ps + overlap.copy_overlapped_ps, 0);
    assert_int_equal(overlap.idle_ps, 1000 - 500 - 100); /* busy 100..600 and 700..800 */
    /* Each by itself: of 200..560 all but 200..300 and 500..560 is exposed; 700..800 is. */
    struct xpd_overlap_collective *one;
    uint32_t n;
    struct xpd_time_range all = {0, 1000}, half = {0, 400};
    assert_int_equal(xpd_overlap_collectives(&made.view, &made.table, 0, all, &one, &n, NULL),
                     XPD_OK);
    assert_int_equal(n, 2);
    assert_true(
        xpd_str_eq(xpd_view_caption(&made.view, one[0].name), XPD_STR("all-reduce-start.2")));
    assert_int_equal(one[0].count, 1);
    assert_int_equal(one[0].total_ps, 360);
    assert_int_equal(one[0].exposed_ps, 200);
    assert_int_equal(one[0].most_ps, 200);
    assert_true(xpd_str_eq(xpd_view_caption(&made.view, one[1].name), XPD_STR("all-reduce.7")));
    assert_int_equal(one[1].total_ps, 100);
    assert_int_equal(one[1].exposed_ps, 100);
    assert_int_equal(one[0].exposed_ps + one[1].exposed_ps, overlap.comm_exposed_ps);
    free(one);
    assert_int_equal(xpd_overlap_collectives(&made.view, &made.table, 0, half, &one, &n, NULL),
                     XPD_OK);
    assert_int_equal(n, 1); /* what is left of it in the range */
    assert_int_equal(one[0].total_ps, 200);
    assert_int_equal(one[0].exposed_ps, 100);
    free(one);
    end(&made, &w);
}

/* Steps of three chips in one question: each is measured by the work of its own chip, the k-th of
 * which computes for k times 100. */
static void chips_one_after_another(void **state)
{
    enum { CHIPS = 3 };
    (void)state;
    static const struct core_event step[] = {{0, 1000, 2}};
    struct pbw w = {0};
    for (int i = 0; i < CHIPS; i++) {
        const struct core_event op[] = {{100, 100 * (i + 1), 1}};
        char name[64];
        snprintf(name, sizeof name, "/device:TPU:%d", i);
        size_t plane = core_plane(&w, name);
        core_line(&w, 1, "Steps", step, 1);
        core_line(&w, 3, "XLA Ops", op, 1);
        core_name(&w, 4, 1, "fusion.1");
        core_name(&w, 4, 2, "step");
        pbw_end(&w, plane);
    }
    struct made made;
    make(&made, &w);
    struct xpd_overlap overlap[CHIPS];
    assert_int_equal(made.derived->step_count, CHIPS);
    assert_int_equal(xpd_overlap_of(&made.view, &made.table, 0, CHIPS, overlap, NULL), XPD_OK);
    for (uint32_t i = 0; i < CHIPS; i++) {
        assert_int_equal(made.derived->step[i].process, i);
        assert_int_equal(overlap[i].compute_ps, 100 * (i + 1));
        assert_int_equal(overlap[i].idle_ps, 1000 - 100 * (i + 1));
    }
    end(&made, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_all_lengths),
        cmocka_unit_test(overlap_of_a_step),
        cmocka_unit_test(chips_one_after_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
