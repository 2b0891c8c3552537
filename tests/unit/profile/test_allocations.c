/* The allocators' events: what each field becomes, allocators apart and in time, damage, and a real
 * profile held against XProf's memory_profile. */
#include "profile_test.h"

#include "xprofd/profile/allocations.h"

#include "../../support/xspace_hlo.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ALLOC = 4, FREE = 5, OTHER = 6 };
enum { NAME = 1, INDEX, RESERVED, ALLOCATED, AVAILABLE, REQUESTED, GIVEN, FRAGMENTATION, ADDRESS };

struct made { /* -1: not written */
    const char *name;
    int64_t index, at_ps, reserved, allocated, available, requested;
    double fragmentation;
    bool frees;
};

static void put_stat(struct pbw *w, uint64_t id, int64_t value)
{
    size_t stat = pbw_begin(w, 4);
    pbw_uint(w, 1, id);
    pbw_uint(w, 4, (uint64_t)value);
    pbw_end(w, stat);
}

static void put_event(struct pbw *w, const struct made *e)
{
    size_t event = pbw_begin(w, 4), stat;
    uint64_t bits;
    pbw_uint(w, 1, e->frees ? FREE : ALLOC);
    pbw_uint(w, 2, (uint64_t)e->at_ps);
    if (e->name) {
        stat = pbw_begin(w, 4);
        pbw_uint(w, 1, NAME);
        pbw_str(w, 5, e->name);
        pbw_end(w, stat);
    }
    const int64_t value[] = {e->index, e->reserved, e->allocated, e->available, e->requested};
    for (int i = 0; i < 5; i++)
        if (value[i] >= 0)
            put_stat(w, (uint64_t)(INDEX + i), value[i]);
    put_stat(w, ADDRESS, 4096);
    memcpy(&bits, &e->fragmentation, sizeof bits);
    stat = pbw_begin(w, 4);
    pbw_uint(w, 1, FRAGMENTATION);
    unsigned char fixed[9] = {2 << 3 | 1};
    for (int i = 0; i < 8; i++)
        fixed[i + 1] = (unsigned char)(bits >> 8 * i);
    pbw_raw(w, fixed, sizeof fixed);
    pbw_end(w, stat);
    pbw_end(w, event);
}

static void put_plane(struct pbw *w, const struct made *e, size_t n)
{
    static const char *const stats[] = {"allocator_name",   "index_on_host",   "bytes_reserved",
                                        "bytes_allocated",  "bytes_available", "requested_bytes",
                                        "allocation_bytes", "fragmentation",   "addr"};
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, "/host:CPU");
    for (int l = 0; l < 2; l++) { /* odd events on a second line that begins 7 ns later */
        size_t line = pt_line(w, l + 1, "thread");
        pbw_int(w, 3, l * 7);
        for (size_t i = (size_t)l; i < n; i += 2) {
            pt_event(w, OTHER, 1, 1);
            put_event(w, &e[i]);
        }
        pbw_end(w, line);
    }
    pt_metadata(w, 4, ALLOC, "MemoryAllocation");
    pt_metadata(w, 4, FREE, "MemoryDeallocation");
    pt_metadata(w, 4, OTHER, "MemoryAllocationOfSomethingElse");
    for (int i = 0; i < 9; i++)
        pt_metadata(w, 5, (uint64_t)i + 1, stats[i]);
    pbw_end(w, plane);
}

static struct xpd_allocations read_all(struct pt_loaded *got, struct xpd_arena *arena)
{
    struct xpd_allocations all;
    struct xpd_err err = {0};
    if (xpd_allocations_read(&all, got->source, got->space, arena, &err) != XPD_OK)
        fail_msg("%s", err.text);
    return all;
}

static void by_allocator_and_time(void **state)
{
    (void)state;
    static const struct made e[] = {
        {NULL, 10, 9000, 100, 20, 80, 64, 0.25, false},
        {NULL, 2, 1000, 0, 5, -1, 5, -7, false}, /* at 8,000: the second line */
        {NULL, 2, 5000, 0, 9, 10, 4, 0, false},
        {"GPU_0_bfc", -1, 500, -1, 7, 3, 7, 1, false},
        {NULL, 10, 1000, 100, 21, 79, 1, 0.5, false},
        {NULL, 2, 2000, 0, 4, 15, -1, 0.4, true}, /* 9,000 */
        {NULL, -1, 1, 1, 1, 1, 1, 0, false},      /* of no allocator */
        {NULL, 2, 1, -1, -1, 1, 1, 0, false},     /* says no size */
    };
    struct pbw w = {0};
    struct xpd_arena arena = {0};
    put_plane(&w, e, sizeof e / sizeof *e);
    struct pt_loaded got = pt_load(w.data, w.len);
    struct xpd_allocations all = read_all(&got, &arena);
    assert_int_equal(all.count, 3);
    assert_int_equal(all.dropped, 2);
    assert_false(all.cut);
    const struct xpd_allocator *two = &all.allocator[0], *ten = &all.allocator[1],
                               *gpu = &all.allocator[2];
    assert_true(xpd_str_eq(two->name, XPD_STR("2")));
    assert_true(xpd_str_eq(ten->name, XPD_STR("10"))); /* by number, not as text */
    assert_true(xpd_str_eq(gpu->name, XPD_STR("GPU_0_bfc")));
    assert_int_equal(two->count, 3);
    assert_int_equal(two->event[0].at_ps, 5000);
    assert_int_equal(two->event[1].at_ps, 8000);
    assert_int_equal(two->event[2].at_ps, 9000);
    assert_int_equal(two->event[1].available_bytes, -1);
    assert_true(two->event[1].fragmentation < 0); /* -7 is not a share */
    assert_true(two->event[2].frees && two->free_count == 1);
    assert_int_equal(two->most_bytes, 9);
    assert_int_equal(two->most, 0);
    assert_int_equal(two->request_bytes, 5);
    assert_int_equal(ten->most, 0); /* 1,000 ps: 121 bytes; later 120 */
    assert_int_equal(ten->most_bytes, 121);
    assert_int_equal(ten->event[0].at_ps, 1000);
    assert_int_equal(xpd_allocation_largest_free(&ten->event[1]), 60); /* 80 * (1 - 0.25) */
    assert_int_equal(xpd_allocation_largest_free(&two->event[1]), -1);
    assert_int_equal(gpu->most_bytes, 7); /* reserved is not said */
    assert_int_equal(gpu->event[0].address, 4096);
    assert_false(xpd_allocator_is_host(gpu->name));
    assert_true(xpd_allocator_is_host(XPD_STR("gpu_host_bfc")));
    xpd_arena_fini(&arena);
    pt_free(&got);
    pbw_free(&w);
}

/* Any cut gives some of the events and says that some are missing, or is refused as a profile. */
static void cut_anywhere(void **state)
{
    (void)state;
    struct made e[12];
    struct pbw w = {0};
    for (int i = 0; i < 12; i++)
        e[i] = (struct made){NULL, i % 3, i * 10, 1, i, 100, i, 0.1, i % 2 == 1};
    put_plane(&w, e, 12);
    for (size_t size = 0; size <= w.len; size++) {
        struct xpd_arena arena = {0};
        struct pt_loaded got = pt_load(w.data, size);
        if (got.space) {
            struct xpd_allocations all = read_all(&got, &arena);
            uint64_t events = all.dropped;
            for (uint32_t i = 0; i < all.count; i++)
                events += all.allocator[i].count;
            assert_true(events <= 12);
            assert_true(size < w.len || events == 12);
        }
        xpd_arena_fini(&arena);
        pt_free(&got);
    }
    pbw_free(&w);
}

static void no_memory_is_said(void **state)
{
    (void)state;
    struct made e[12];
    struct pbw w = {0};
    for (int i = 0; i < 12; i++)
        e[i] = (struct made){NULL, 0, i, 1, i, 100, i, 0.1, false};
    put_plane(&w, e, 12);
    struct pt_loaded got = pt_load(w.data, w.len);
    struct xpd_arena arena = {0};
    struct xpd_allocations all;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 64);
    assert_int_not_equal(xpd_allocations_read(&all, got.source, got.space, &arena, &err), XPD_OK);
    assert_non_null(strstr(err.text, "memory"));
    xpd_arena_fini(&arena);
    pt_free(&got);
    pbw_free(&w);
}

/* XProf 2.24.2's memory_profile of this file: 4 allocators, their events and peaks. */
static void as_xprof(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t count;
        int64_t reserved, allocated, available;
        double fragmentation;
        int64_t peak;
    } xprof[] = {
        {"0", 234, 21491712000, 857216, 12057668480, 0, 21492569216},
        {"1", 224, 21491712000, 959104, 12057566592, 0.109555, 21492671104},
        {"2", 224, 21491712000, 959104, 12057566592, 0.109555, 21492671104},
        {"3", 224, 21491712000, 857216, 12057668480, 0, 21492569216},
    };
    char path[1024];
    if (!shared_xplane("tpu-v6e-offload", path, sizeof path))
        skip();
    struct pt_loaded got = {0};
    struct xpd_arena arena = {0};
    assert_int_equal(xpd_source_open(&got.source, path, 1u << 30, &got.err), XPD_OK);
    assert_int_equal(xpd_xspace_load(&got.space, got.source, NULL, 0, &got.err), XPD_OK);
    struct xpd_allocations all = read_all(&got, &arena);
    assert_int_equal(all.count, 4);
    assert_int_equal(all.dropped, 0);
    for (int i = 0; i < 4; i++) {
        const struct xpd_allocator *a = &all.allocator[i];
        const struct xpd_allocation *most = &a->event[a->most];
        assert_true(xpd_str_eq(a->name, xpd_str_of(xprof[i].name)));
        assert_int_equal(a->count, xprof[i].count);
        assert_int_equal(a->free_count, xprof[i].count / 2);
        assert_int_equal(a->most_bytes, xprof[i].peak);
        assert_int_equal(most->reserved_bytes, xprof[i].reserved);
        assert_int_equal(a->request_bytes, INT64_C(5368709120));
        bool as_told = false; /* several events reach the peak, XProf keeps the last of them */
        for (uint32_t k = 0; k < a->count; k++)
            as_told |= xpd_allocation_in_use(&a->event[k]) == xprof[i].peak &&
                       a->event[k].allocated_bytes == xprof[i].allocated &&
                       a->event[k].available_bytes == xprof[i].available &&
                       a->event[k].fragmentation > xprof[i].fragmentation - 1e-6 &&
                       a->event[k].fragmentation < xprof[i].fragmentation + 1e-6;
        assert_true(as_told);
    }
    xpd_arena_fini(&arena);
    pt_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_allocator_and_time),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(as_xprof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
