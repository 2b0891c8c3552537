/* Which rows of operations a filter lets through, and where rows stand in a hierarchy. Two
 * operations of TensorFlow without a program, one that only has a name. */
#include "xprofd/ops/filter.h"
#include "xprofd/ops/paths.h"
#include "xprofd/trace/op_loose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 3 };
static const struct xpd_op_program loose = {.loose = XPD_LOOSE_KERNELS}, bare;
static const struct xpd_op_times times; /* and no text */
static const struct xpd_ops_program program[] = {
    {.name = "TensorFlow", .program = &loose, .times = &times},
    {.name = "jit_f", .program = &bare, .times = &times}};
static const struct xpd_op ran; /* nothing said of it */
static struct xpd_op_row row[ROWS];
static const struct xpd_op_rows rows = {.row = row, .count = ROWS, .self_ps = 1000};

static int fill(void **state)
{
    (void)state;
    const struct xpd_op_row unknown = {.op = &ran,
                                       .instruction = XPD_NO_INDEX,
                                       .p50_ps = -1,
                                       .hbm_bytes = -1,
                                       .roofline_share = -1,
                                       .intensity = -1,
                                       .chip_spread = -1,
                                       .lost_ps = -1};
    for (int i = 0; i < ROWS; i++)
        row[i] = unknown;
    row[0].name = XPD_STR("model/dense_1/MatMul:MatMul");
    row[0].group = XPD_OP_MATMUL;
    row[0].self_ps = 600;
    row[0].hbm_bytes = 4096;
    row[1].name = XPD_STR("model/dense_2/Relu:Relu");
    row[1].group = XPD_OP_ELEMENTWISE;
    row[1].self_ps = 300;
    row[1].p50_ps = 20000000;
    row[2].name = XPD_STR("fusion.3");
    row[2].program = 1;
    row[2].self_ps = 100;
    row[2].roofline_share = 0.25;
    return 0;
}

/* "abc": one letter a row that passes. */
static void passes(const char *typed, const char *expected)
{
    struct xpd_arena arena = {0};
    struct xpd_op_filter filter;
    char out[ROWS + 1] = "";
    assert_int_equal(xpd_op_filter_init(&filter, xpd_str_of(typed), &rows, program, &arena, NULL),
                     XPD_OK);
    for (int i = 0, n = 0; i < ROWS; i++)
        if (xpd_op_filter_test(&filter, &row[i]))
            out[n++] = (char)('a' + i);
    assert_true(xpd_op_filter_fini(&filter));
    assert_string_equal(out, expected);
    xpd_arena_fini(&arena);
}

static void texts_words_and_numbers(void **state)
{
    (void)state;
    passes("", "abc");
    passes("dense", "ab");
    passes("name:fusion", "c");
    passes("group:matmul", "a");
    passes("group:mat", ""); /* a word is whole */
    passes("group:/mat/", "a");
    passes("scope:model/dense_*", "ab");
    passes("module:jit", "c");
    passes("-module:jit op:Relu", "b");
    passes("self>25%", "ab");
    passes("self<=300ps", "bc");
    passes("roofline<50", "c"); /* unknown passes no comparison */
    passes("p50>10us | hbm>=4KiB", "ab");
}

static void an_expression_that_is_none(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_op_filter filter;
    struct xpd_err err = {0};
    assert_int_equal(
        xpd_op_filter_init(&filter, XPD_STR("self>much"), &rows, program, &arena, &err),
        XPD_EINVAL);
    assert_true(xpd_op_filter_fini(&filter));
    xpd_arena_fini(&arena);
}

/* The path of a row, its parts separated by " > ". */
static void path_is(int by, uint32_t count, uint32_t of, const char *expected)
{
    struct xpd_ops_paths paths;
    char out[200] = "";
    xpd_ops_paths_init(&paths, program, by);
    for (uint32_t i = 0; i < count; i++)
        xpd_ops_paths_look(&paths, &row[i]);
    xpd_ops_path_of(&paths, &row[of]);
    for (uint32_t i = 0; i < paths.count; i++)
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s%.*s", i ? " > " : "",
                 (int)paths.part[i].size, paths.part[i].data);
    assert_true(xpd_ops_paths_fini(&paths));
    assert_string_equal(out, expected);
}

static void hierarchies(void **state)
{
    (void)state;
    path_is(-1, 2, 0, "model > dense_1");              /* scopes are there; one program */
    path_is(-1, 3, 0, "TensorFlow > model > dense_1"); /* of two programs each is a part */
    path_is(-1, 3, 2, "jit_f");
    path_is(XPD_OPS_BY_LAYER, 2, 1, "model/dense_* > dense_2");
    path_is(XPD_OPS_BY_LAYER, 3, 2, "jit_f > outside of layers");
    path_is(XPD_OPS_BY_GROUP, 3, 0, "matmul > MatMul");
    path_is(XPD_OPS_BY_SOURCE, 3, 0, "no source recorded");
    path_is(XPD_OPS_BY_PROGRAM, 3, 2, "jit_f > no category");
    path_is(XPD_OPS_BY_KERNEL, 2, 0, "");
}

static void rows_of_a_box(void **state)
{
    (void)state;
    struct xpd_ops_paths paths;
    xpd_ops_paths_init(&paths, program, XPD_OPS_BY_SCOPE);
    for (uint32_t i = 0; i < 2; i++)
        xpd_ops_paths_look(&paths, &row[i]);
    assert_true(xpd_ops_path_below(&paths, &row[0], XPD_STR("model")));
    assert_true(xpd_ops_path_below(&paths, &row[0], XPD_STR("model/dense_1")));
    assert_false(xpd_ops_path_below(&paths, &row[1], XPD_STR("model/dense_1")));
    assert_false(xpd_ops_path_below(&paths, &row[0], XPD_STR("model/dense"))); /* whole labels */
    assert_true(
        xpd_ops_path_below(&paths, &row[1], XPD_STR("model/dense_2/model/dense_2/Relu:Relu")));
    assert_true(xpd_ops_paths_fini(&paths));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_words_and_numbers),
        cmocka_unit_test(an_expression_that_is_none),
        cmocka_unit_test(hierarchies),
        cmocka_unit_test(rows_of_a_box),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
