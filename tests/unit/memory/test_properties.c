/* Random traces against the naive model: curves, live sets, savings, holes, neighbours, near peaks,
 * windows. Both a summed space (colour 0) and a union space (colour 1), one or two lanes, with and
 * without damage. */
#include "naive_case.h"

#include <string.h>

enum { ROUNDS = 1500 };

static struct naive n;
static struct mem_case c;

static int space_no(const struct xpd_mem_space *space)
{
    return (int)space->color;
}

/* A storage that a larger value shares later: its first size without padding is only bounded. */
static bool grows_later(int s, int step, const struct naive_held *held)
{
    for (int i = step + 1; i < n.steps[s]; i++)
        for (int k = 0; k < n.step[s][i].count; k++) {
            const struct naive_held *later = &n.step[s][i].held[k];
            if (later->root == held->root && later->start == held->start &&
                later->size > held->size)
                return true;
        }
    return false;
}

/* Of a union space: addresses in the part without padding of anything held, counted one by one. */
static void check_unpadded_union(const struct xpd_mem_space *space, int s, int step)
{
    static bool held[NAIVE_BYTES];
    int64_t bytes = 0;
    bool exact = true;
    memset(held, 0, sizeof held);
    for (int k = 0; k < n.step[s][step].count; k++) {
        const struct naive_held *h = &n.step[s][step].held[k];
        for (int64_t at = 0; at < h->unpadded && at < h->size; at++)
            held[h->offset + at] = true;
        exact &= !grows_later(s, step, h);
    }
    for (int at = 0; at < NAIVE_BYTES; at++)
        bytes += held[at];
    assert_true(space->unpadded_bytes[step] <= space->live_bytes[step]);
    if (exact)
        assert_int_equal(space->unpadded_bytes[step], bytes);
}

static void check_curve(const struct xpd_mem_space *space)
{
    int s = space_no(space);
    assert_int_equal(space->step_count, n.steps[s]);
    for (int i = 0; i < n.steps[s]; i++) {
        int64_t unpadded = 0;
        for (int k = 0; k < n.step[s][i].count; k++)
            unpadded += n.step[s][i].held[k].unpadded;
        assert_int_equal(space->live_bytes[i], naive_live(&n, s, i, NULL));
        if (space->live_is_union)
            check_unpadded_union(space, s, i);
        else
            assert_int_equal(space->unpadded_bytes[i], unpadded);
    }
}

static void check_live(const struct xpd_mem_space *space)
{
    int s = space_no(space);
    uint32_t live[NAIVE_VALUES * 2];
    for (int i = 0; i < n.steps[s]; i++) {
        const struct naive_step *step = &n.step[s][i];
        uint32_t count = xpd_live_at(space, (uint32_t)i, live, NAIVE_VALUES * 2), traced = 0;
        for (uint32_t k = 0; k < count; k++) {
            const struct xpd_tenancy *t = &space->tenancy[live[k]];
            if (t->flags & XPD_TENANCY_UNTRACED)
                continue;
            const struct naive_held *h = &step->held[traced++];
            assert_int_equal(t->start_step, h->start);
            assert_int_equal(t->offset_bytes, h->offset);
            assert_true(t->size_bytes >= h->size);
            assert_int_equal(t->end_step, naive_end(&n, s, h->root, h->start));
        }
        assert_int_equal(traced, step->count);
    }
}

static void check_saving(const struct xpd_mem_space *space, uint32_t seed)
{
    int s = space_no(space);
    bool gone[NAIVE_VALUES] = {false};
    uint32_t set[NAIVE_VALUES], count = 0;
    int64_t peak = 0, left = 0, new_peak;
    for (int v = 0; v < n.values; v++)
        if ((seed & 1) == 0 ? (int)(seed / 2) % n.values == v : ((seed >> (v % 13)) & 2u) != 0) {
            set[count++] = mem_buffer(&c, v);
            int root = (int)c.hlo->buffers.id[c.mem->buffer[mem_buffer(&c, v)].root];
            if (n.value[v].space == s)
                gone[root] = true;
        }
    for (int i = 0; i < n.steps[s]; i++) {
        int64_t live = naive_live(&n, s, i, NULL), rest = naive_live(&n, s, i, gone);
        peak = live > peak ? live : peak;
        left = rest > left ? rest : left;
    }
    int64_t saving = xpd_saving(c.mem, space, set, count, &new_peak, NULL, &c.arena);
    assert_int_equal(saving, peak - left);
    assert_int_equal(new_peak, left);
}

static void check_near(const struct xpd_mem_space *space)
{
    int s = space_no(space), expected = 0;
    struct xpd_near_peak near[NAIVE_STEPS];
    int64_t peak = space->peak_bytes;
    for (int i = 0; i < n.steps[s];) {
        int best = -1;
        for (int end = n.lane_end[s][i]; i < end; i++) {
            int64_t live = naive_live(&n, s, i, NULL);
            if ((double)(peak - live) > (double)peak * 0.25 + 1 - 1e-9 ||
                peak - live > (peak + 3) / 4) {
                if (best >= 0)
                    break;
                continue;
            }
            if (best < 0 || live > naive_live(&n, s, best, NULL))
                best = i;
        }
        expected += best >= 0;
    }
    uint32_t count = xpd_near_peaks(space, 0.25, near, NAIVE_STEPS);
    assert_int_equal(count, expected);
    if (count > 0)
        assert_int_equal(near[0].step, space->peak_step);
    for (uint32_t i = 1; i < count; i++)
        assert_true(near[i].bytes <= near[i - 1].bytes);
    assert_int_equal(xpd_near_peaks(space, 0.25, near, 1), count);
}

/* Reserved is what is live at the peak and fragmentation, in every program that can be. */
static void check_sums(const struct xpd_mem_space *space)
{
    int64_t fragmentation = xpd_mem_fragmentation(space);
    if (fragmentation >= 0)
        assert_int_equal(space->peak_bytes + fragmentation, space->totals.reserved);
    else
        assert_true(space->step_count == 0 || space->peak_live_bytes > space->heap_bytes);
    assert_int_equal(space->totals.temp, space->heap_bytes);
}

static bool overlap(const struct xpd_tenancy *a, const struct xpd_tenancy *b)
{
    return a->offset_bytes < b->offset_bytes + b->size_bytes &&
           b->offset_bytes < a->offset_bytes + a->size_bytes && a->size_bytes > 0 &&
           b->size_bytes > 0;
}

static void check_neighbours(const struct xpd_mem_space *space)
{
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        uint32_t before, before_more, after, after_more, befores = 0, afters = 0;
        int latest = -1, earliest = NAIVE_STEPS + 1;
        for (uint32_t k = 0; k < space->tenancy_count; k++) {
            const struct xpd_tenancy *o = &space->tenancy[k];
            if (k == i || ((o->flags | t->flags) & XPD_TENANCY_UNTRACED) || o->lane != t->lane ||
                !overlap(o, t))
                continue;
            if (o->end_step <= t->start_step) {
                befores++;
                latest = (int)o->end_step > latest ? (int)o->end_step : latest;
            } else if (o->start_step >= t->end_step) {
                afters++;
                earliest = (int)o->start_step < earliest ? (int)o->start_step : earliest;
            }
        }
        xpd_neighbours(space, i, &before, &before_more, &after, &after_more);
        assert_int_equal(before == XPD_NO_INDEX ? 0 : before_more + 1, befores);
        assert_int_equal(after == XPD_NO_INDEX ? 0 : after_more + 1, afters);
        if (befores)
            assert_int_equal(space->tenancy[before].end_step, latest);
        if (afters)
            assert_int_equal(space->tenancy[after].start_step, earliest);
    }
}

static void check_windows(const struct xpd_mem_space *space, uint32_t seed)
{
    struct xpd_curve_column column[NAIVE_STEPS];
    uint32_t from = seed % (space->step_count + 1), to = from + seed / 7 % (space->step_count + 2);
    uint32_t columns = 1 + seed % 9;
    uint32_t end = to < space->step_count ? to : space->step_count, at = from, wanted = 0;
    uint32_t made = xpd_curve(space, (struct xpd_step_window){from, to}, columns, column);
    assert_int_equal(made, end - from < columns ? end - from : columns);
    for (uint32_t i = 0; i < made; i++) {
        const struct xpd_curve_column *k = &column[i];
        int64_t low = INT64_MAX, high = INT64_MIN, unpadded = INT64_MIN;
        assert_int_equal(k->first_step, at);
        for (; at < k->first_step + k->step_count; at++) {
            low = space->live_bytes[at] < low ? space->live_bytes[at] : low;
            unpadded = space->unpadded_bytes[at] > unpadded ? space->unpadded_bytes[at] : unpadded;
            if (space->live_bytes[at] > high) {
                high = space->live_bytes[at];
                wanted = at;
            }
        }
        assert_int_equal(k->min_live, low);
        assert_int_equal(k->max_live, high);
        assert_int_equal(k->max_step, wanted);
        assert_int_equal(k->max_unpadded, unpadded);
    }
    if (made > 0)
        assert_int_equal(at, end);
}

/* Sorted, whole-program members in place, every member of the allocation somewhere. */
static void check_order(const struct xpd_mem_space *space)
{
    int64_t untraced = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        untraced += (t->flags & XPD_TENANCY_UNTRACED) ? t->size_bytes : 0;
        if (i > 0)
            assert_true(space->tenancy[i - 1].start_step < t->start_step ||
                        (space->tenancy[i - 1].start_step == t->start_step &&
                         space->tenancy[i - 1].offset_bytes <= t->offset_bytes));
        if (t->flags & XPD_TENANCY_UNTRACED)
            assert_int_equal(c.mem->buffer[t->buffer].first_tenancy, i);
        if (space->lane_count > 1)
            continue; /* a value may belong to other groups in other lanes */
        uint32_t root = c.mem->buffer[t->buffer].root, at = c.mem->buffer[root].storage_tenancy;
        while (at != i && at != XPD_NO_INDEX)
            at = space->tenancy[at].next_of_buffer;
        assert_int_equal(at, i);
    }
    assert_true(space->totals.untraced <= untraced);
}

static void rounds(bool damage)
{
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        naive_open(&n, &c, seed, damage);
        for (int s = 0; s < NAIVE_SPACES; s++) {
            const struct xpd_mem_space *space = mem_space(&c, s);
            check_order(space);
            check_curve(space);
            check_live(space);
            for (uint32_t k = 0; k < 6; k++)
                check_saving(space, seed * 6 + k);
            check_near(space);
            check_sums(space);
            check_neighbours(space);
            check_windows(space, seed * 31);
        }
        mem_close(&c);
    }
}

static void test_sound(void **state)
{
    (void)state;
    rounds(false);
}

static void test_damaged(void **state)
{
    (void)state;
    rounds(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sound),
                                       cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
