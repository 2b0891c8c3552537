/* Steps on an axis of instructions: places by hand, and the same maximum on every axis. */
#include "mem_test.h"

#include "xprofd/memory/axis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *places(const struct xpd_axis *axis, uint32_t steps)
{
    static char text[400];
    size_t size = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i <= steps && size < sizeof text; i++)
        size +=
            (size_t)snprintf(text + size, sizeof text - size, "%s%g", i ? " " : "", axis->begin[i]);
    return text;
}

/* Six instructions op.1 ... op.6 in file order; op.1 and op.6 have no event. */
static void open_six(struct mem_case *c, const char *events)
{
    struct hb hb;
    hb_init(&hb, "six");
    for (int64_t id = 1; id <= 6; id++)
        hb_buffer(&hb, id, 100 * id, 10, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 4096}, "2@0 3@200 4@500 5@900");
    hb_trace(&hb, events);
    mem_open_builder(c, &hb);
}

static void test_places(void **state)
{
    struct mem_case c;
    struct xpd_axis axis;
    (void)state;
    open_six(&c, "A2 A3 F2 A5 F3 F5");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_true(xpd_axis_make(&axis, c.mem, space, NULL, &c.arena));
    /* A2 runs op.2 (place 1); A3 and F2 share op.3; A5 F3 F5 share op.5; op.6 is the end */
    assert_string_equal(places(&axis, space->step_count), "1 2 2.5 4 4.33333 4.66667 6");
    assert_int_equal(axis.order_count, 6);
    assert_int_equal(axis.moved_count, 0);
    const double weight[] = {7, 1, 10, 0, 3, 2};
    assert_true(xpd_axis_make(&axis, c.mem, space, weight, &c.arena));
    assert_string_equal(places(&axis, space->step_count), "7 8 13 18 19 20 23");
    mem_close(&c);
}

static void test_never_back(void **state)
{
    struct mem_case c;
    struct xpd_axis axis;
    (void)state;
    open_six(&c, "A4 A3 A5 F4 F3 F5"); /* op.3 stands before op.4 in the schedule */
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_true(xpd_axis_make(&axis, c.mem, space, NULL, &c.arena));
    assert_string_equal(places(&axis, space->step_count), "3 3.5 4 4.25 4.5 4.75 6");
    assert_int_equal(axis.moved_count, 1);
    mem_close(&c);
}

/* Columns: each step in exactly one, several only within one column's width, at most twice as many
 * as asked for, the maximum in one of them. */
static void check_columns(const struct mem_case *c, struct xpd_arena *arena, uint32_t px)
{
    for (uint32_t s = 0; s < c->mem->space_count; s++) {
        const struct xpd_mem_space *space = &c->mem->space[s];
        struct xpd_axis axis;
        if (space->step_count == 0)
            continue;
        assert_true(xpd_axis_make(&axis, c->mem, space, NULL, arena));
        for (uint32_t i = 0; i < space->step_count; i++)
            assert_true(axis.begin[i] <= axis.begin[i + 1]);
        struct xpd_curve_column *column = calloc(2 * px + 1, sizeof *column);
        uint32_t n = xpd_axis_curve(space, &axis, (struct xpd_step_window){0, space->step_count},
                                    px, column),
                 at = 0;
        double width = (axis.begin[space->step_count] - axis.begin[0]) / px;
        int64_t highest = INT64_MIN;
        assert_in_range(n, 1, 2 * px + 1);
        for (uint32_t k = 0; k < n; k++) {
            assert_int_equal(column[k].first_step, at);
            at += column[k].step_count;
            assert_true(column[k].step_count == 1 || k == 2 * px ||
                        axis.begin[at] - axis.begin[column[k].first_step] <= width * 1.000001);
            if (column[k].max_live > highest)
                highest = column[k].max_live;
        }
        assert_int_equal(at, space->step_count);
        assert_int_equal(highest, space->peak_live_bytes);
        free(column);
    }
}

static void test_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_vectors; i++) {
        struct mem_case c;
        struct pbw hlo = {0};
        vectors[i].build(&hlo);
        mem_open_bytes(&c, hlo.data, hlo.len);
        check_columns(&c, &c.arena, 2);
        check_columns(&c, &c.arena, 50);
        mem_close(&c);
        pbw_free(&hlo);
    }
}

static void test_real(void **state)
{
    static const char *const sets[] = {"tpu_transformer_noremat", "tpu_padded_oom", "mlp_train"};
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct xspace_hlos hlos;
        if (!mem_hlos(&hlos, sets[s]))
            skip();
        for (size_t i = 0; i < hlos.count; i++) {
            struct mem_case c;
            mem_open_bytes(&c, hlos.at[i].bytes, hlos.at[i].size);
            check_columns(&c, &c.arena, 300);
            mem_close(&c);
        }
        xspace_hlos_free(&hlos);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_never_back),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
