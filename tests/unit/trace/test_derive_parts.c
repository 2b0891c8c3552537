/* The parts of derived rows that need no profile: the text tf_op, the row builder, XProf's sort and
 * its rule of what is visible.
 */
#include "compat/viewer/viewer_private.h"
#include "trace/derived/derive_builder.h"
#include "xprofd/compat/unstable_sort.h"
#include "xprofd/trace/tf_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void same(struct xpd_str text, const char *wanted)
{
    if (!xpd_str_eq(text, xpd_str_of(wanted)))
        fail_msg("\"%.*s\" instead of \"%s\"", (int)text.size, text.data, wanted);
}

/* "a|b|": each scope and a bar. */
static void scopes_are(struct xpd_str scopes, const char *wanted)
{
    struct xpd_str scope = {0};
    char text[200] = "";
    while (xpd_tf_op_next_scope(&scopes, &scope)) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%.*s|", (int)scope.size, scope.data);
    }
    assert_string_equal(text, wanted);
}

/* V17 and the rules before it. */
static void tf_op_texts(void **state)
{
    (void)state;
    struct xpd_tf_op op = xpd_tf_op_parse(XPD_STR("jit(f)/jit(main)/add:"));
    assert_int_equal(op.kind, XPD_TF_JAX);
    same(op.caption, "add");
    scopes_are(op.scopes, "jit(f)|jit(main)|");
    op = xpd_tf_op_parse(XPD_STR("model/dense/MatMul:MatMul"));
    assert_int_equal(op.kind, XPD_TF_TENSORFLOW);
    same(op.caption, "MatMul");
    scopes_are(op.scopes, "model|dense|");
    op = xpd_tf_op_parse(XPD_STR("MEMCPYHToD"));
    assert_int_equal(op.kind, XPD_TF_MEMCPY);
    same(op.caption, "MemcpyHToD");
    scopes_are(op.scopes, "");
    op = xpd_tf_op_parse(XPD_STR("abc:model/layer/MatMul_1  "));
    assert_int_equal(op.kind, XPD_TF_UNKNOWN);
    same(op.caption, "abc:model/layer/MatMul_1");
    scopes_are(op.scopes, "");
    op = xpd_tf_op_parse(XPD_STR("Iterator:Prefetch::Map"));
    assert_int_equal(op.kind, XPD_TF_DATASET);
    same(op.caption, "Map");
    assert_string_equal(op.prefix, "Iterator::");
    same(xpd_tf_op_parse(XPD_STR("Iterator:Prefetch")).caption, "Iterator:Prefetch");
    same(xpd_tf_op_parse(XPD_STR("Iterator:a:::b")).caption, ":b"); /* cut from the left */
    op = xpd_tf_op_parse(XPD_STR("x/add.3:")); /* no type and not JAX's letters */
    assert_int_equal(op.kind, XPD_TF_TENSORFLOW);
    same(op.caption, "add.3");
    op = xpd_tf_op_parse(XPD_STR("a/scatter-add[dims=(0, 1)]:"));
    same(op.caption, "scatter-add[dims=(0, 1)]"); /* "-" is not a letter of a JAX type */
    op = xpd_tf_op_parse(XPD_STR("a/add_12:"));
    assert_int_equal(op.kind, XPD_TF_JAX);
    same(op.caption, "add");
    op = xpd_tf_op_parse(XPD_STR("a/reduce[x=1]:"));
    assert_int_equal(op.kind, XPD_TF_JAX);
    same(op.caption, "reduce");
    op = xpd_tf_op_parse(XPD_STR("no colon "));
    assert_int_equal(op.kind, XPD_TF_UNKNOWN);
    same(op.caption, "no colon");
    op = xpd_tf_op_parse(XPD_STR(""));
    assert_int_equal(op.kind, XPD_TF_UNKNOWN);
    op = xpd_tf_op_parse(XPD_STR(":"));
    same(op.caption, "");
}

static int64_t measured_start[8], measured_duration[8];
static struct xpd_depth measured = {.start_ps = measured_start, .duration_ps = measured_duration};

/* A measured event, and its span. */
static struct xpd_span span_of(int64_t start_ps, int64_t end_ps, uint32_t group, int64_t scope_id)
{
    uint32_t i = measured.count++ % 8;
    measured_start[i] = start_ps;
    measured_duration[i] = end_ps - start_ps;
    return (struct xpd_span){start_ps, end_ps, &measured, i, group, scope_id};
}

static struct xpd_builder builder(void)
{
    struct xpd_builder row = {0};
    measured.count = 0;
    xpd_builder_from(&row, &measured, 1);
    return row;
}

static void put(struct xpd_builder *row, const uint32_t *name, uint32_t count, int64_t start_ps,
                int64_t end_ps, uint32_t group)
{
    struct xpd_span span = span_of(start_ps, end_ps, group, -1);
    xpd_builder_stack(row, name, count, &span);
}

static size_t drawn(struct xpd_builder *row)
{
    xpd_builder_close(row);
    xpd_builder_settle(row);
    return row->sheet.index.count;
}

static void is(struct xpd_builder *row, size_t i, uint32_t name, int64_t start_ps, int64_t end_ps)
{
    struct xpd_sheet_reader reader = {.sheet = &row->sheet};
    struct xpd_drawn at = {0};
    assert_true(i < drawn(row));
    for (size_t k = 0; k <= i; k++)
        assert_true(xpd_sheet_next(&reader, &at));
    assert_int_equal(at.name, name);
    assert_int_equal(at.start_ps, start_ps);
    assert_int_equal(at.end_ps, end_ps);
    assert_int_equal(at.order, i);
}

/* V15: without a group two spans are one when the gap is at most twice what lasted so far. */
static void merge_of_near_spans(void **state)
{
    (void)state;
    for (int64_t third = 1500; third <= 1501; third++) {
        struct xpd_builder row = builder();
        put(&row, &(uint32_t){7}, 1, 0, 100, XPD_NO_GROUP);
        put(&row, &(uint32_t){7}, 1, 200, 500, XPD_NO_GROUP);
        put(&row, &(uint32_t){7}, 1, third, third + 9, XPD_NO_GROUP);
        assert_int_equal(drawn(&row), third == 1500 ? 1 : 2);
        is(&row, 0, 7, 0, third == 1500 ? 1509 : 500);
        xpd_builder_fini(&row);
    }
}

static void merge_within_groups(void **state)
{
    (void)state;
    struct xpd_builder row = builder();
    put(&row, &(uint32_t){7}, 1, 0, 1, 4);
    put(&row, &(uint32_t){7}, 1, 1000000, 1000001, 4); /* any distance within a step */
    put(&row, &(uint32_t){7}, 1, 1000002, 1000003, 5); /* the next step */
    put(&row, &(uint32_t){8}, 1, 1000004, 1000005, 5);
    assert_int_equal(drawn(&row), 3);
    is(&row, 0, 7, 0, 1000001);
    is(&row, 1, 7, 1000002, 1000003);
    is(&row, 2, 8, 1000004, 1000005);
    xpd_builder_fini(&row);
}

/* V14: scope ids hold apart what they tell apart. */
static void merge_with_scope_ids(void **state)
{
    (void)state;
    for (int64_t other = 1; other <= 2; other++) {
        struct xpd_builder row = builder();
        row.gpu = true;
        struct xpd_span span = span_of(0, 100, XPD_NO_GROUP, 1);
        xpd_builder_one(&row, 3, &span);
        span = span_of(200, 500, XPD_NO_GROUP, other);
        xpd_builder_one(&row, 3, &span);
        assert_int_equal(drawn(&row), other == 1 ? 1 : 2);
        is(&row, 0, 3, 0, other == 1 ? 500 : 100);
        xpd_builder_fini(&row);
    }
}

/* V16: nested scopes; equal spans end 1 ns earlier each level down. */
static void nested_scopes(void **state)
{
    (void)state;
    struct xpd_builder row = builder();
    put(&row, (uint32_t[]){1, 2}, 2, 0, 10000, XPD_NO_GROUP);
    is(&row, 0, 1, 0, 10000);
    is(&row, 1, 2, 0, 9000);
    xpd_builder_fini(&row);

    row = builder();
    put(&row, (uint32_t[]){1, 2, 3}, 3, 0, 10000, XPD_NO_GROUP);  /* a/b/c */
    put(&row, (uint32_t[]){1, 4}, 2, 20000, 50000, XPD_NO_GROUP); /* a/d */
    assert_int_equal(drawn(&row), 4);
    is(&row, 0, 1, 0, 50000);
    is(&row, 1, 2, 0, 10000);
    is(&row, 2, 3, 0, 9000);
    is(&row, 3, 4, 20000, 50000);
    xpd_builder_fini(&row);
}

/* V21: never below 1 ns of the innermost. */
static void shrink_has_a_limit(void **state)
{
    (void)state;
    struct xpd_builder row = builder();
    put(&row, (uint32_t[]){1, 2}, 2, 0, 1500, XPD_NO_GROUP);
    is(&row, 0, 1, 0, 1500);
    is(&row, 1, 2, 0, 1500);
    xpd_builder_fini(&row);
    row = builder();
    put(&row, (uint32_t[]){1, 2, 3}, 3, 0, 3000, XPD_NO_GROUP);
    is(&row, 0, 1, 0, 3000);
    is(&row, 1, 2, 0, 2000);
    is(&row, 2, 3, 0, 1000);
    xpd_builder_fini(&row);
}

static void dependents_close_too(void **state)
{
    (void)state;
    struct xpd_builder ops = builder(), scopes = builder();
    scopes.dependent[0] = &ops;
    put(&ops, &(uint32_t){9}, 1, 0, 100, 1);
    put(&scopes, &(uint32_t){1}, 1, 0, 100, 1);
    put(&scopes, &(uint32_t){2}, 1, 100, 200, 1); /* another scope: the op is another bar */
    put(&ops, &(uint32_t){9}, 1, 100, 200, 1);
    xpd_builder_close(&scopes);
    xpd_builder_settle(&ops);
    assert_int_equal(ops.sheet.index.count, 2);
    xpd_builder_fini(&ops);
    xpd_builder_fini(&scopes);
}

/* Few elements are sorted by insertion and keep their order; many do not. */
static void unstable_sort(void **state)
{
    (void)state;
    struct xpd_unstable at[40];
    for (uint64_t i = 0; i < 40; i++)
        at[i] = (struct xpd_unstable){.event = i};
    xpd_unstable_sort(at, 16);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(at[i].event, i);
    /* what oracle/unstable_sort.py gives for 20 equal elements */
    static const uint64_t equal_20[] = {10, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                        0,  9,  8,  7,  6,  5,  4,  3,  2,  1};
    for (uint64_t i = 0; i < 20; i++)
        at[i] = (struct xpd_unstable){.event = i};
    xpd_unstable_sort(at, 20);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(at[i].event, equal_20[i]);
    xpd_unstable_sort(at, 0);
    xpd_unstable_sort(at, 1);
}

/* Against the oracle's order for a long list with many ties, by a checksum made in Python. */
static void unstable_sort_long(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static struct xpd_unstable at[COUNT];
    uint64_t seed = 1, sum = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648u;
        at[i] = (struct xpd_unstable){.start_ps = (int64_t)(seed >> 8) % 97, .event = i};
    }
    xpd_unstable_sort(at, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        if (i > 0)
            assert_true(at[i - 1].start_ps <= at[i].start_ps);
        sum = (sum * 31 + at[i].event) % 1000000007u;
    }
    assert_int_equal(sum, 617255388);
}

static bool visible(struct xpd_visible *machine, int64_t start_ps, int64_t duration_ps)
{
    struct xpd_xprof_event event = {
        .pid = 1, .tid = 1, .start_ps = start_ps, .duration_ps = duration_ps};
    bool yes = false;
    assert_true(xpd_visible_ask(machine, &event, &yes));
    return yes;
}

/* V6 */
static void visible_on_one_row(void **state)
{
    (void)state;
    struct xpd_visible *machine = xpd_visible_new(&(int64_t){100}, 1, 4);
    assert_true(visible(machine, 950, 50));
    assert_false(visible(machine, 1050, 50));
    assert_true(visible(machine, 1055, 200));
    assert_true(visible(machine, 1355, 50));
    xpd_visible_free(machine);
}

/* V7 */
static void visible_when_nested(void **state)
{
    (void)state;
    struct xpd_visible *machine = xpd_visible_new(&(int64_t){100}, 1, 4);
    assert_true(visible(machine, 1000, 200));
    assert_true(visible(machine, 1200, 190));
    assert_true(visible(machine, 1250, 20));
    assert_false(visible(machine, 1270, 20));
    assert_true(visible(machine, 1290, 100));
    xpd_visible_free(machine);
}

static bool visible_flow(struct xpd_visible *machine, uint32_t tid, uint64_t flow, uint8_t ends,
                         int64_t start_ps, int64_t duration_ps)
{
    struct xpd_xprof_event event = {.pid = 1,
                                    .tid = tid,
                                    .start_ps = start_ps,
                                    .duration_ps = duration_ps,
                                    .flow = flow,
                                    .flow_number = (uint32_t)flow,
                                    .ends = ends,
                                    .in_flow = true};
    bool yes = false;
    assert_true(xpd_visible_ask(machine, &event, &yes));
    return yes;
}

/* V9: in order of time over both rows. */
static void visible_flows(void **state)
{
    (void)state;
    struct xpd_visible *machine = xpd_visible_new(&(int64_t){100}, 1, 4);
    assert_true(visible_flow(machine, 1, 1, XPD_FLOW_OUT, 1000, 50));
    assert_false(visible_flow(machine, 1, 2, XPD_FLOW_OUT, 1050, 50));
    assert_true(visible_flow(machine, 1, 3, XPD_FLOW_OUT, 1100, 50));
    assert_true(visible_flow(machine, 2, 1, XPD_FLOW_IN, 1100, 50));
    assert_false(visible_flow(machine, 2, 2, XPD_FLOW_IN, 1200, 52));
    assert_true(visible_flow(machine, 2, 3, XPD_FLOW_IN, 1252, 10));
    xpd_visible_free(machine);
}

/* V10: what sampling does to a busy row. */
static void visible_samples(void **state)
{
    (void)state;
    struct xpd_visible *machine = xpd_visible_new(&(int64_t){10000000}, 1, 0);
    for (int64_t i = 0; i < 40; i++)
        assert_int_equal(visible(machine, i * 1000000, 1000000), i % 11 == 0);
    xpd_visible_free(machine);
    machine = xpd_visible_new(&(int64_t){10000000}, 1, 0);
    for (int64_t i = 0; i < 40; i++)
        assert_int_equal(visible(machine, i * 2000000, 1000000), i % 6 == 0);
    xpd_visible_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tf_op_texts),          cmocka_unit_test(merge_of_near_spans),
        cmocka_unit_test(merge_within_groups),  cmocka_unit_test(merge_with_scope_ids),
        cmocka_unit_test(nested_scopes),        cmocka_unit_test(shrink_has_a_limit),
        cmocka_unit_test(dependents_close_too), cmocka_unit_test(unstable_sort),
        cmocka_unit_test(unstable_sort_long),   cmocka_unit_test(visible_on_one_row),
        cmocka_unit_test(visible_when_nested),  cmocka_unit_test(visible_flows),
        cmocka_unit_test(visible_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
