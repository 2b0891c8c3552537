/* Roofs: which row counts for which limit, what is faster than it can be, sums by place. */
#include "xprofd/ops/roofs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MATMUL, ADD, COPY, KERNEL, WAIT, LOOP, ROWS };

static void fill(struct xpd_op_row row[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        row[i] = (struct xpd_op_row){.self_ps = 100 + i,
                                     .mean_ps = 1e12,
                                     .executions = 1,
                                     .hbm_bytes = 10,
                                     .amounts = {.hbm_bytes = 10, .flops = 0, .vector = true}};
    row[MATMUL].amounts.flops = 1000;
    row[MATMUL].amounts.vector = false;
    row[MATMUL].amounts.number = XPD_NUMBER_8_INT;
    row[MATMUL].flops_per_s = 1000;
    row[ADD].amounts.flops = 20;
    row[ADD].flops_per_s = 20;
    row[COPY].place = XPD_PLACE_NO_FLOPS;
    row[COPY].amounts.hbm_bytes = row[COPY].hbm_bytes = 30;
    row[KERNEL].place = XPD_PLACE_UNKNOWN;
    row[KERNEL].amounts.flops = -1;
    row[WAIT].place = XPD_PLACE_WAIT;
    row[LOOP].place = XPD_PLACE_NONE;
    row[LOOP].amounts.flops = 1020;
    row[ADD].lost_against = XPD_LOST_ROOFLINE;
    row[ADD].lost_ps = 7;
    row[WAIT].lost_against = XPD_LOST_NOTHING;
    row[WAIT].lost_ps = 104;
}

static bool near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-9;
}

static const struct xpd_roof *of(const struct xpd_roofs *roofs, enum xpd_peak peak)
{
    for (uint32_t i = 0; i < roofs->count; i++)
        if (roofs->roof[i].peak == peak)
            return &roofs->roof[i];
    return NULL;
}

static void each_row_counts_for_its_limits(void **state)
{
    (void)state;
    struct xpd_op_row row[ROWS];
    struct xpd_op_rows rows = {.row = row, .count = ROWS};
    struct xpd_peaks said = XPD_PEAKS_UNKNOWN, peaks;
    struct xpd_roofs roofs;
    fill(row);
    said.flops_per_s = 2000;
    said.number_flops_per_s[XPD_NUMBER_8_INT] = 4000;
    said.vector_flops_per_s = 40;
    said.hbm_bytes_per_s = 20;
    peaks = said;
    peaks.hbm_bytes_per_s = 40;
    xpd_roofs_make(&roofs, &rows, &said, &peaks);
    assert_int_equal(roofs.count, 3); /* no memory that the chip has not, as far as we know */
    assert_int_equal(roofs.roof[0].number, XPD_NUMBER_8_INT);
    assert_true(roofs.roof[0].per_s == 4000 && near(roofs.roof[0].reach, 0.25));
    assert_int_equal(roofs.roof[0].reach_row, MATMUL);
    assert_int_equal(of(&roofs, XPD_PEAK_VECTOR)->operations, 1);
    assert_true(near(of(&roofs, XPD_PEAK_VECTOR)->reach, 0.5));
    const struct xpd_roof *hbm = of(&roofs, XPD_PEAK_HBM);
    assert_int_equal(hbm->operations, 3); /* a wait and a loop move nothing themselves */
    assert_true(near(hbm->reach, 0.75) && hbm->beyond == 0);
    assert_int_equal(hbm->said_beyond, 1);
    assert_true(near(hbm->said_least, 1.5) && near(hbm->said_most, 1.5));
    assert_null(of(&roofs, XPD_PEAK_SHARED));
}

static void parts_add_up(void **state)
{
    (void)state;
    struct xpd_op_row row[ROWS];
    struct xpd_op_rows rows = {.row = row, .count = ROWS};
    struct xpd_roofs roofs;
    struct xpd_roof_sums sums;
    int64_t self_ps = 0;
    uint32_t operations = 0;
    fill(row);
    xpd_roofs_make(&roofs, &rows, NULL, NULL);
    for (int i = 0; i < XPD_PLACE_COUNT; i++) {
        self_ps += roofs.place[i].self_ps;
        operations += roofs.place[i].operations;
    }
    assert_int_equal(self_ps, 100 + 101 + 102 + 103 + 104 + 105);
    assert_int_equal(operations, ROWS);
    assert_int_equal(roofs.judged.operations, 1); /* a wait is not work */
    assert_int_equal(roofs.lost_ps, 7);
    assert_int_equal(roofs.count, 2); /* matrix units and HBM stand there unknown */
    assert_true(roofs.roof[0].per_s < 0 && roofs.roof[0].reach < 0);
    assert_int_equal(roofs.roof[0].operations, 2); /* without vector units known, all FLOPs */
    xpd_roofs_program(&sums, &rows, 0);
    assert_true(sums.flops == 1020 && sums.hbm_bytes == 50);
    assert_int_equal(sums.work_ps, 100 + 101 + 102);
    assert_int_equal(sums.self_ps, 100 + 101 + 102 + 103 + 104);
    xpd_roofs_program(&sums, &rows, 1);
    assert_int_equal(sums.self_ps, 0);
    row[ADD].program = 1;
    xpd_roofs_program(&sums, &rows, XPD_NO_INDEX);
    assert_int_equal(sums.work_ps, 100 + 101 + 102);
}

/* Published figures are rounded: a row may be one percent faster. One without a roofline says
 * nothing. */
static void the_row_furthest_beyond_a_peak(void **state)
{
    (void)state;
    struct xpd_op_row row[ROWS];
    struct xpd_op_rows rows = {.row = row, .count = ROWS};
    struct xpd_peaks peaks = XPD_PEAKS_UNKNOWN;
    fill(row);
    row[COPY].hbm_bytes_per_s = 30;
    peaks.flops_per_s = 900;
    peaks.hbm_bytes_per_s = 29.8;
    assert_ptr_equal(xpd_ops_beyond(&rows, &peaks, XPD_PEAK_FLOPS), &row[MATMUL]);
    assert_null(xpd_ops_beyond(&rows, &peaks, XPD_PEAK_HBM));
    assert_null(xpd_ops_beyond(&rows, NULL, XPD_PEAK_FLOPS));
    peaks.vector_flops_per_s = 10; /* twice that, by vector units */
    assert_ptr_equal(xpd_ops_beyond(&rows, &peaks, XPD_PEAK_FLOPS), &row[ADD]);
    row[ADD].roofline_ps = -1;
    assert_ptr_equal(xpd_ops_beyond(&rows, &peaks, XPD_PEAK_FLOPS), &row[MATMUL]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_counts_for_its_limits),
                                       cmocka_unit_test(parts_add_up),
                                       cmocka_unit_test(the_row_furthest_beyond_a_peak)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
