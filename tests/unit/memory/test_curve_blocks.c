/* Peaks of a curve in blocks: written down by hand, and against a plain walk over all steps. */
#include "mem_test.h"
#include "xprofd/memory/curve_blocks.h"
#include "xprofd/memory/plan.h"

#include <math.h>
#include <stdlib.h>

#define STEPS 3000
#define PEAKS 6

static uint32_t seed = 11;
static uint32_t next_random(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void measure_all(struct xpd_curve_blocks *curve)
{
    for (uint32_t b = 0; b < curve->count; b++)
        xpd_curve_block_measure(curve, b);
}

static uint32_t peaks_of(const int64_t *bytes, uint32_t steps, double share,
                         struct xpd_near_peak *out, uint32_t capacity)
{
    struct xpd_arena arena = {0};
    struct xpd_curve_blocks curve;
    assert_true(xpd_curve_blocks_init(&curve, bytes, steps, &arena));
    measure_all(&curve);
    uint32_t found = xpd_curve_peaks(&curve, share, out, capacity);
    xpd_arena_fini(&arena);
    return found;
}

static void peaks_of_a_curve(void **state)
{
    (void)state;
    static const int64_t curve[] = {0, 50, 100, 99, 60, 90, 80, 89, 20, 95, 0};
    struct xpd_near_peak peak[8];
    /* valleys of 15: 100 (60) 90 (20) 95; the dip from 90 to 80 is too shallow */
    assert_int_equal(peaks_of(curve, 11, 0.15, peak, 8), 3);
    assert_int_equal(peak[0].step, 2);
    assert_int_equal(peak[0].bytes, 100);
    assert_int_equal(peak[1].step, 9);
    assert_int_equal(peak[2].step, 5);
    assert_int_equal(peaks_of(curve, 11, 0.15, peak, 1), 3); /* counted beyond */
    assert_int_equal(peak[0].step, 2);
    assert_int_equal(peaks_of(curve, 0, 0.15, peak, 8), 0);
    /* a top at the beginning, one at the end, one that stays; nothing below zero is one */
    static const int64_t ends[] = {9, 3, 3, 8}, flat[] = {7, 7, 7}, low[] = {-9, INT64_MIN, -1, 0};
    assert_int_equal(peaks_of(ends, 4, 0.15, peak, 8), 2);
    assert_int_equal(peak[0].step, 0);
    assert_int_equal(peak[1].step, 3);
    assert_int_equal(peaks_of(flat, 3, 0.15, peak, 8), 1);
    assert_int_equal(peak[0].step, 0);
    assert_int_equal(peaks_of(low, 4, 0.15, peak, 8), 0);
}

/* Up to a top, until the curve falls by a valley; down until it rises by one; all tops. */
static uint32_t plain_peaks(const int64_t *bytes, uint32_t steps, int64_t valley,
                            struct xpd_near_peak *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < steps;) {
        uint32_t top = i;
        for (; i < steps && bytes[i] > bytes[top] - valley; i++)
            top = bytes[i] > bytes[top] ? i : top;
        for (int64_t low = INT64_MAX; i < steps; i++) {
            low = bytes[i] < low ? bytes[i] : low;
            if (bytes[i] >= low + valley)
                break;
        }
        if (bytes[top] > 0)
            out[found++] = (struct xpd_near_peak){.step = top, .bytes = bytes[top]};
    }
    return found;
}

static int higher_first(const void *a, const void *b)
{
    const struct xpd_near_peak *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->step > y->step) - (x->step < y->step);
}

/* Stairs, saws, plains and noise, of any length. */
static void draw(int64_t *bytes, uint32_t steps)
{
    int64_t at = next_random(5000);
    for (uint32_t i = 0; i < steps;) {
        uint32_t end = i + 1 + next_random(700), kind = next_random(5), noise = 1 + next_random(60);
        for (; i < steps && i < end; i++) {
            at += kind == 0   ? (int64_t)next_random(20)
                  : kind == 1 ? -(int64_t)next_random(20)
                  : kind == 2 ? (int64_t)next_random(2 * noise + 1) - noise
                  : kind == 3 ? (int64_t)next_random(3) - 1
                              : 0;
            bytes[i] = at;
        }
    }
}

static void check_curve(const struct xpd_curve_blocks *curve, const int64_t *bytes, double share)
{
    static struct xpd_near_peak want[STEPS];
    struct xpd_near_peak got[PEAKS];
    int64_t most = 0;
    for (uint32_t i = 0; i < curve->steps; i++) {
        assert_int_equal(xpd_curve_at(curve, i), bytes[i]);
        most = bytes[i] > most ? bytes[i] : most;
    }
    int64_t valley = (int64_t)ceil((double)most * share);
    uint32_t wanted = plain_peaks(bytes, curve->steps, valley > 0 ? valley : 1, want);
    qsort(want, wanted, sizeof *want, higher_first);
    assert_int_equal(xpd_curve_peaks(curve, share, got, PEAKS), wanted);
    for (uint32_t i = 0; i < wanted && i < PEAKS; i++) {
        assert_int_equal(got[i].step, want[i].step);
        assert_int_equal(got[i].bytes, want[i].bytes);
    }
}

static void random_curves(void **state)
{
    (void)state;
    static int64_t bytes[STEPS], changed[STEPS];
    static const double share[] = {0.0001, 0.005, 0.015, 0.1, 0.5};
    for (uint32_t round = 0; round < 600; round++) {
        struct xpd_arena arena = {0};
        struct xpd_curve_blocks curve;
        uint32_t steps = 1 + next_random(STEPS);
        draw(bytes, steps);
        assert_true(xpd_curve_blocks_init(&curve, bytes, steps, &arena));
        measure_all(&curve);
        check_curve(&curve, bytes, share[round % 5]);
        for (uint32_t i = 0; i < steps; i++) { /* some blocks raised as a whole */
            uint32_t block = i / XPD_CURVE_BLOCK;
            if (i % XPD_CURVE_BLOCK == 0)
                curve.raised[block] = next_random(3) ? 0 : (int64_t)next_random(4000) - 2000;
            changed[i] = bytes[i] + curve.raised[block];
        }
        measure_all(&curve);
        check_curve(&curve, changed, share[round % 5]);
        xpd_arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_of_a_curve),
        cmocka_unit_test(random_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
