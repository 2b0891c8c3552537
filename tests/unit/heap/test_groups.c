/* Sums of heap files: rows, growth over a series, trees; each closes with what the file holds. */
#include "heap_build.h"

#include "xprofd/base/map64.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct xpd_heap_filter all_samples;

static int64_t sum(const int64_t *column, const struct xpd_heap_groups *g, uint32_t member)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < g->row_count; i++)
        total += column[(size_t)i * g->member_count + member];
    return total;
}

struct series {
    struct xpd_arena arena;
    struct xpd_pprof heap[4];
    struct xpd_heap_member member[4];
};

static void read_series(struct series *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(hb_load_step(&s->heap[i], &s->arena, 20 * (i + 1)), XPD_OK);
        s->member[i] = hb_member(&s->heap[i], &s->arena);
    }
}

/* design/mock/heap.md: 400.8 MiB at train.py:41, 2.00 MiB a step; 64.0 at train.py:48, 0.80. */
static void test_lines(void **state)
{
    static const int64_t step[] = {20, 40, 60, 80};
    struct series s;
    struct xpd_heap_groups g;
    struct xpd_err err = {0};
    (void)state;
    read_series(&s);
    assert_int_equal(
        xpd_heap_group(&g, s.member, 4, XPD_HEAP_BY_LINE, &all_samples, &s.arena, &err), XPD_OK);
    assert_int_equal(g.total[3], 739943696);
    assert_int_equal(g.buffers[3], 2376);
    uint32_t row = hb_row(&g, "/train.py:41");
    assert_int_not_equal(row, XPD_NO_INDEX);
    assert_int_equal(g.value[row * 4 + 3], 420291856);
    assert_int_equal(g.count[row * 4 + 3], 1472);
    struct xpd_heap_growth growth = xpd_heap_growth_of(g.value + row * 4, step, 4);
    assert_int_equal(growth.verdict, XPD_HEAP_GROWS);
    assert_true(fabs(growth.last_per_step / (2 << 20) - 1) < 1e-3 && growth.r2 > 0.999);
    growth = xpd_heap_growth_of(g.value + hb_row(&g, "/train.py:48") * 4, step, 4);
    assert_int_equal(growth.verdict, XPD_HEAP_GROWS);
    /* grew once and stayed: no leak */
    growth = xpd_heap_growth_of(g.value + hb_row(&g, "/train.py:53") * 4, step, 4);
    assert_int_equal(growth.verdict, XPD_HEAP_STEADY);
    growth = xpd_heap_growth_of(g.value + hb_row(&g, "/state.py:18") * 4, step, 4);
    assert_int_equal(growth.verdict, XPD_HEAP_STEADY);
    assert_true(xpd_heap_same_program(&g, 0, 3));
    xpd_arena_fini(&s.arena);
}

static void test_every_group_closes(void **state)
{
    struct series s;
    struct xpd_err err = {0};
    (void)state;
    read_series(&s);
    for (int by = XPD_HEAP_BY_LINE; by <= XPD_HEAP_BY_KIND; by++) {
        struct xpd_heap_groups g;
        assert_int_equal(
            xpd_heap_group(&g, s.member, 4, (enum xpd_heap_by)by, &all_samples, &s.arena, &err),
            XPD_OK);
        for (uint32_t m = 0; m < 4; m++) {
            assert_int_equal(sum(g.value, &g, m), g.total[m]);
            assert_int_equal(sum(g.count, &g, m), g.total_count[m]);
        }
        assert_int_equal(g.total[3], 739943696);
    }
    /* the parts of a filter add up to the whole */
    int64_t devices = 0;
    for (int d = 0; d < 4; d++) {
        char name[8] = {'c', 'p', 'u', ':', (char)('0' + d), '\0'};
        struct xpd_heap_filter filter = {.device = xpd_str_of(name)};
        struct xpd_heap_groups g;
        assert_int_equal(
            xpd_heap_group(&g, &s.member[3], 1, XPD_HEAP_BY_LINE, &filter, &s.arena, &err), XPD_OK);
        devices += g.total[0];
    }
    assert_int_equal(devices, 739943696);
    xpd_arena_fini(&s.arena);
}

/* A row by line asked for by its key has that row's sum, by whatever it is split. */
static void test_line_filter(void **state)
{
    struct series s;
    struct xpd_heap_groups lines, sizes;
    struct xpd_err err = {0};
    (void)state;
    read_series(&s);
    assert_int_equal(
        xpd_heap_group(&lines, &s.member[3], 1, XPD_HEAP_BY_LINE, &all_samples, &s.arena, &err),
        XPD_OK);
    for (uint32_t i = 0; i < lines.row_count; i++) {
        struct xpd_heap_filter filter = {.line = lines.row[i].key};
        assert_int_equal(
            xpd_heap_group(&sizes, &s.member[3], 1, XPD_HEAP_BY_SIZE, &filter, &s.arena, &err),
            XPD_OK);
        assert_int_equal(sizes.total[0], lines.value[i]);
        assert_int_equal(sizes.total_count[0], lines.count[i]);
    }
    xpd_arena_fini(&s.arena);
}

static void check_tree(const struct xpd_heap_tree *tree)
{
    int64_t *below = calloc(tree->count, sizeof *below),
            *grown = calloc(tree->count, sizeof *grown);
    assert_true(below && grown);
    for (uint32_t i = tree->count; i-- > 1;) {
        assert_true(tree->node[i].parent < i);
        below[tree->node[i].parent] += tree->node[i].value;
        grown[tree->node[i].parent] += tree->node[i].grown;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct xpd_heap_node *n = &tree->node[i];
        if (n->left_out == 0)
            assert_int_equal(n->value, n->self + below[i]);
        assert_true(n->grown >= grown[i]);
    }
    free(below);
    free(grown);
}

static void test_tree(void **state)
{
    struct series s;
    struct xpd_heap_tree folded, open, again, zoomed;
    struct xpd_err err = {0};
    (void)state;
    read_series(&s);
    struct xpd_heap_tree_want want = {
        .of = s.member[3], .base = &s.member[0], .fold = true, .max_nodes = 5000};
    assert_int_equal(xpd_heap_tree_make(&folded, &want, &s.arena, &err), XPD_OK);
    assert_int_equal(folded.node[0].value, 739943696);
    assert_int_equal(folded.node[0].base_value, 479609168);
    assert_int_equal(folded.count, folded.all);
    check_tree(&folded);
    want.fold = false;
    assert_int_equal(xpd_heap_tree_make(&open, &want, &s.arena, &err), XPD_OK);
    assert_true(open.count > folded.count);
    assert_int_equal(open.node[0].grown, folded.node[0].grown);
    check_tree(&open);
    want.innermost_first = true;
    assert_int_equal(xpd_heap_tree_make(&again, &want, &s.arena, &err), XPD_OK);
    assert_int_equal(again.node[0].value, 739943696);
    check_tree(&again);

    /* a folded run opens by its key, in place */
    want = (struct xpd_heap_tree_want){.of = s.member[3], .fold = true, .max_nodes = 5000};
    uint32_t run = 0;
    while (run < folded.count && !folded.node[run].folded)
        run++;
    assert_true(run < folded.count && folded.node[run].library_frames >= 2);
    want.open = &folded.node[run].key;
    want.open_count = 1;
    assert_int_equal(xpd_heap_tree_make(&again, &want, &s.arena, &err), XPD_OK);
    assert_true(again.all >= folded.all + folded.node[run].library_frames - 1 - 20);
    for (uint32_t i = 0; i < again.count; i++)
        assert_true(again.node[i].key != folded.node[run].key);
    check_tree(&again);

    /* few nodes: the largest, and the rest is counted; a zoom has its way from the root */
    want.open_count = 0;
    want.max_nodes = 4;
    assert_int_equal(xpd_heap_tree_make(&again, &want, &s.arena, &err), XPD_OK);
    assert_int_equal(again.count, 4);
    assert_int_equal(again.all, folded.all);
    want.base = &s.member[0]; /* as `folded` was made: some paths are of that file alone */
    want.zoom = folded.node[folded.count - 1].key;
    assert_int_equal(xpd_heap_tree_make(&zoomed, &want, &s.arena, &err), XPD_OK);
    assert_true(!zoomed.zoom_missing && zoomed.node[0].parent == XPD_NO_INDEX);
    want.zoom = 12345;
    assert_int_equal(xpd_heap_tree_make(&zoomed, &want, &s.arena, &err), XPD_OK);
    assert_true(zoomed.zoom_missing);
    xpd_arena_fini(&s.arena);
}

/* A path that grew beside one that shrank: their difference is 0, what grew is not. */
static void test_grown_is_not_a_difference(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap[2];
    struct xpd_heap_tree tree;
    struct xpd_err err = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hb b;
        hb_begin_jax(&b);
        hb_frame(&b, 1, "a", "/home/me/t.py", 1);
        hb_frame(&b, 2, "b", "/home/me/t.py", 2);
        hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", 1, i ? 30 : 10);
        hb_sample(&b, (uint64_t[]){2, 0}, "buffer", "tpu:0", 1, i ? 10 : 30);
        hb_end(&b);
        assert_int_equal(hb_load(&heap[i], &arena, &b, &err), XPD_OK);
        hb_free(&b);
    }
    struct xpd_heap_member before = hb_member(&heap[0], &arena);
    struct xpd_heap_tree_want want = {
        .of = hb_member(&heap[1], &arena), .base = &before, .max_nodes = 10};
    assert_int_equal(xpd_heap_tree_make(&tree, &want, &arena, &err), XPD_OK);
    assert_int_equal(tree.node[0].value - tree.node[0].base_value, 0);
    assert_int_equal(tree.node[0].grown, 20);
    xpd_arena_fini(&arena);
}

/* Rows that stand for no line: executables, and samples without a stack. */
static void test_rows_without_lines(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct xpd_heap_groups g;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    hb_frame(&b, 1, "call", "/x/site-packages/jax/p.py", 5);
    hb_sample(&b, (uint64_t[]){1, 0}, "executable", NULL, 1, 7000);
    hb_sample(&b, (uint64_t[]){0}, "buffer", "tpu:0", 1, 300);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", 1, 20);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    struct xpd_heap_member m = hb_member(&heap, &arena);
    assert_int_equal(xpd_heap_group(&g, &m, 1, XPD_HEAP_BY_LINE, &all_samples, &arena, &err),
                     XPD_OK);
    assert_int_equal(g.row_count, 3);
    uint32_t executables = hb_row(&g, "(executables)"), none = hb_row(&g, "(no stack)");
    assert_true(g.row[executables].executables && g.value[executables] == 7000);
    assert_int_equal(g.value[none], 300);
    assert_int_equal(g.value[hb_row(&g, "p.py:5")], 20); /* no own frame: the innermost */
    assert_int_equal(g.buffers[0], 2);
    hb_free(&b);
    xpd_arena_fini(&arena);
}

static void test_growth(void **state)
{
    static const int64_t step[] = {10, 20, 40};
    (void)state;
    assert_int_equal(xpd_heap_growth_of((int64_t[]){5}, step, 1).verdict, XPD_HEAP_UNKNOWN);
    assert_int_equal(xpd_heap_growth_of((int64_t[]){5, 9}, step, 2).verdict, XPD_HEAP_GREW);
    assert_int_equal(xpd_heap_growth_of((int64_t[]){5, 9, 9}, step, 3).verdict, XPD_HEAP_STEADY);
    assert_int_equal(xpd_heap_growth_of((int64_t[]){9, 5, 7}, step, 3).verdict, XPD_HEAP_GREW);
    assert_int_equal(xpd_heap_growth_of((int64_t[]){5, 9, 7}, step, 3).verdict, XPD_HEAP_SHRANK);
    struct xpd_heap_growth g = xpd_heap_growth_of((int64_t[]){10, 20, 40}, step, 3);
    assert_int_equal(g.verdict, XPD_HEAP_GROWS);
    assert_true(fabs(g.per_step - 1) < 1e-12 && fabs(g.last_per_step - 1) < 1e-12 &&
                g.r2 > 0.999999);
    g = xpd_heap_growth_of((int64_t[]){7, 7, 7}, step, 3);
    assert_true(g.per_step == 0 && g.r2 == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_every_group_closes),
        cmocka_unit_test(test_line_filter),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_grown_is_not_a_difference),
        cmocka_unit_test(test_rows_without_lines),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
