/* Random traces: what each key holds, own and shared addresses, gaps, tenants, conflicts, each
 * against the plainest count there is. */
#include "../memory/naive_case.h"
#include "xprofd/report/report.h"

enum { ROUNDS = 600 };

static struct naive n;
static struct mem_case c;
static struct xpd_report report;

static int tenants_of(const struct xpd_mem_space *space, int64_t at)
{
    int count = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        count += t->offset_bytes <= at && at < t->offset_bytes + t->size_bytes;
    }
    return count;
}

/* S1.44: own, shared and unused counted byte by byte. */
static void check_addresses(const struct xpd_mem_space *space)
{
    int64_t own = 0, shared = 0, unused = 0, tenants = 0;
    for (int64_t at = 0; at < space->heap_bytes; at++) {
        int count = tenants_of(space, at);
        own += count == 1;
        unused += count == 0;
        shared += count > 1;
        tenants += count > 1 ? count : 0;
    }
    assert_int_equal(report.addresses.own_bytes, own);
    assert_int_equal(report.addresses.shared_bytes, shared);
    assert_int_equal(report.addresses.unused_bytes, unused);
    assert_int_equal(report.addresses.shared_tenant_bytes, tenants);
}

/* At each step: all rows under one key, by value's parity under two, at own addresses. */
static void check_bytes(const struct xpd_mem_space *space)
{
    int s = (int)space->color;
    uint32_t *one = XPD_NEW_ARRAY(&c.arena, uint32_t, report.row_count + 1);
    uint32_t *parity = XPD_NEW_ARRAY(&c.arena, uint32_t, report.row_count + 1);
    uint32_t *step = XPD_NEW_ARRAY(&c.arena, uint32_t, space->step_count + 1);
    for (uint32_t i = 0; i < report.row_count; i++)
        parity[i] = (uint32_t)(c.hlo->buffers.id[report.row[i].buffer] & 1);
    for (uint32_t i = 0; i < space->step_count; i++)
        step[i] = i;
    struct xpd_report_steps steps = {step, space->step_count};
    int64_t *all = xpd_report_bytes(&report, one, 1, steps, &c.arena);
    int64_t *two = xpd_report_bytes(&report, parity, 2, steps, &c.arena);
    int64_t *own = xpd_report_own_bytes(&report, one, 1, steps, &c.arena);
    int64_t *count = xpd_report_counts(&report, one, 1, steps, &c.arena);
    for (uint32_t i = 0; i < space->step_count; i++) {
        int64_t listed = 0, own_bytes = 0;
        for (int k = 0; k < n.step[s][i].count; k++) {
            const struct naive_held *h = &n.step[s][i].held[k];
            listed += h->size;
            for (int64_t at = h->offset; at < h->offset + h->size; at++)
                own_bytes += tenants_of(space, at) == 1;
        }
        assert_int_equal(all[i], listed);
        if (!space->live_is_union)
            assert_int_equal(all[i], space->live_bytes[i]);
        assert_int_equal(two[i] + two[space->step_count + i], all[i]);
        assert_int_equal(own[i], own_bytes);
        assert_int_equal(count[i], n.step[s][i].count);
    }
}

static void check_gaps(const struct xpd_mem_space *space)
{
    for (uint32_t i = 0; i < space->step_count; i += 5) {
        struct xpd_report_gaps gaps;
        assert_int_equal(xpd_report_gaps_at(&gaps, &report, i, &c.arena, NULL), XPD_OK);
        assert_int_equal(gaps.holes_bytes + gaps.above_bytes + gaps.idle_bytes,
                         space->heap_bytes - space->live_bytes[i]);
        int64_t top = 0, holes = 0, above = 0, listed = 0;
        for (int64_t at = space->heap_bytes; at-- > 0;) {
            bool held = false, live = false;
            for (uint32_t k = 0; k < space->tenancy_count; k++) {
                const struct xpd_tenancy *t = &space->tenancy[k];
                bool here = t->offset_bytes <= at && at < t->offset_bytes + t->size_bytes &&
                            t->start_step <= i && i < t->end_step;
                held |= here;
                live |= here && !(t->flags & XPD_TENANCY_UNTRACED);
            }
            if (live && top == 0)
                top = at + 1;
            holes += !held && at < top;
            above += !held && at >= top;
        }
        for (uint32_t k = 0; k < gaps.hole_count; k++)
            listed += gaps.hole[k].size_bytes;
        assert_int_equal(gaps.top_bytes, top);
        assert_int_equal(gaps.above_bytes, above);
        assert_int_equal(gaps.holes_bytes, holes);
        assert_int_equal(listed, holes);
        assert_true((gaps.hole_count == 0) == (gaps.largest == XPD_NO_INDEX));
    }
}

/* The value whose storage a buffer holds last; the plain model forgets it where a trace begins. */
static int root_of(uint32_t buffer)
{
    return (int)c.hlo->buffers.id[c.mem->buffer[buffer].root];
}

/* Bytes that a storage holds after a step, by the plainest count. */
static int64_t held_of(int space, int step, int root)
{
    for (int k = 0; k < n.step[space][step].count; k++)
        if (n.step[space][step].held[k].root == root)
            return n.step[space][step].held[k].size;
    return 0;
}

/* S1.15: every value chosen; each curve is its storage's bytes inside of its lives and 0 outside,
 * and the pieces say the same. A storage counts once, under the first that names it. */
static void check_chosen(const struct xpd_mem_space *space)
{
    int s = (int)space->color;
    struct xpd_report_chosen chosen[NAIVE_VALUES];
    struct xpd_report_piece piece[NAIVE_STEPS * 4];
    uint32_t *key = XPD_NEW_ARRAY(&c.arena, uint32_t, report.row_count + 1);
    uint32_t *step = XPD_NEW_ARRAY(&c.arena, uint32_t, space->step_count + 1);
    uint32_t count = c.hlo->buffers.count;
    for (uint32_t i = 0; i < space->step_count; i++)
        step[i] = i;
    for (uint32_t i = 0; i < count; i++)
        chosen[i].buffer = count - 1 - i;
    xpd_report_choose(&report, chosen, count, key);
    struct xpd_report_steps steps = {step, space->step_count};
    int64_t *bytes = xpd_report_bytes(&report, key, count, steps, &c.arena);
    uint32_t pieces = xpd_report_pieces(&report, key, count, piece, NAIVE_STEPS * 4);
    assert_in_range(pieces, 0, NAIVE_STEPS * 4);
    assert_int_equal(xpd_report_pieces(&report, key, count, NULL, 0), pieces);
    for (uint32_t k = 0; k < count; k++) {
        int value = (int)c.hlo->buffers.id[chosen[k].buffer];
        uint32_t twin = chosen[k].twin;
        if (n.value[value].space != s) {
            assert_int_equal(chosen[k].state, XPD_CHOSEN_ELSEWHERE);
            continue;
        }
        int root = root_of(chosen[k].buffer);
        if (twin != XPD_NO_INDEX) {
            assert_true(twin < k);
            assert_int_equal(root, root_of(chosen[twin].buffer));
        }
        for (uint32_t i = 0; i < space->step_count; i++) {
            int64_t drawn = 0;
            for (uint32_t p = 0; p < pieces; p++)
                if (piece[p].of == k && piece[p].from <= i && i < piece[p].to)
                    drawn += piece[p].bytes;
            int64_t here = bytes[(size_t)k * space->step_count + i];
            assert_int_equal(drawn, here);
            assert_int_equal(here, twin == XPD_NO_INDEX ? held_of(s, (int)i, root) : 0);
        }
    }
}

/* S1.37: tenants of a range against a scan over all of them. */
static void check_reuse(const struct xpd_mem_space *space)
{
    struct xpd_report_reuse reuse;
    assert_int_equal(xpd_report_reuse_make(&reuse, space, &c.arena, NULL), XPD_OK);
    for (int64_t from = 0; from < space->heap_bytes; from += 7)
        for (int64_t to = from; to <= from + 24; to += 3) {
            uint32_t count = 0;
            for (uint32_t i = 0; i < space->tenancy_count; i++) {
                const struct xpd_tenancy *t = &space->tenancy[i];
                count += from < to && t->size_bytes > 0 && t->offset_bytes < to &&
                         from < t->offset_bytes + t->size_bytes;
            }
            assert_int_equal(xpd_report_reuse_of(&reuse, from, to), count);
        }
}

static bool together(const struct xpd_tenancy *a, const struct xpd_tenancy *b)
{
    return a->start_step < b->end_step && b->start_step < a->end_step;
}

/* S1.80, S1.92, S1.94: equal to a scan over all pairs. */
static void check_places(const struct xpd_mem_space *space)
{
    uint32_t out[NAIVE_STEPS];
    int64_t bytes;
    for (int64_t at = 0; at < space->heap_bytes; at += 3) {
        uint32_t count = xpd_report_tenants(space, at, out, NAIVE_STEPS);
        assert_int_equal(count, tenants_of(space, at));
        for (uint32_t i = 1; i < count; i++)
            assert_true(space->tenancy[out[i - 1]].start_step <= space->tenancy[out[i]].start_step);
        assert_int_equal(xpd_report_tenants(space, at, NULL, 0), count);
    }
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        uint32_t conflicts = 0, before = 0;
        int64_t conflict_bytes = 0, before_bytes = 0;
        for (uint32_t k = 0; k < space->tenancy_count; k++) {
            const struct xpd_tenancy *o = &space->tenancy[k];
            if (k == i)
                continue;
            bool meet = false;
            for (int64_t at = o->offset_bytes; at < o->offset_bytes + o->size_bytes; at++)
                meet |= t->offset_bytes <= at && at < t->offset_bytes + t->size_bytes;
            if (together(t, o) && o->start_step < o->end_step) {
                conflicts++;
                conflict_bytes += o->size_bytes;
            }
            if (!together(t, o) && meet) {
                before++;
                before_bytes += o->size_bytes;
            }
        }
        assert_int_equal(xpd_report_conflicts(space, i, out, NAIVE_STEPS, &bytes), conflicts);
        assert_int_equal(bytes, conflict_bytes);
        assert_int_equal(xpd_report_predecessors(space, i, out, NAIVE_STEPS, &bytes), before);
        assert_int_equal(bytes, before_bytes);
    }
}

static void rounds(bool damage)
{
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        naive_open(&n, &c, seed, damage);
        for (int s = 0; s < NAIVE_SPACES; s++) {
            const struct xpd_mem_space *space = mem_space(&c, s);
            assert_int_equal(xpd_report_make(&report, c.mem, space, NULL, &c.arena, NULL), XPD_OK);
            check_addresses(space);
            check_bytes(space);
            check_gaps(space);
            check_places(space);
            check_chosen(space);
            check_reuse(space);
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
