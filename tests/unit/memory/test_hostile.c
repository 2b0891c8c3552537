/* Traces that make no sense, sizes and ids at their limits, tight budgets: warnings, never harm. */
#include "mem_test.h"

#include <stdio.h>
#include <string.h>

static uint64_t state;

static int dice(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

static int64_t odd_size(void)
{
    static const int64_t sizes[] = {0,  1,         100, 16384, INT64_MAX, INT64_MAX - 1,
                                    -1, INT64_MIN, 4096};
    return sizes[dice(9)];
}

static void odd_module(struct pbw *out)
{
    struct hb hb;
    int n = 1 + dice(12);
    hb_init(&hb, "odd");
    hb_begin_computation(&hb, "main", 1, false);
    for (int i = 0; i < n; i++) {
        struct hb_shape shape = {.type = (enum hb_type)dice(40), .rank = dice(3)};
        for (int d = 0; d < shape.rank; d++)
            shape.dims[d] = odd_size();
        int64_t operand = 1 + dice(n), called = 1;
        hb_instruction(&hb, &(struct hb_instr){.name = "i",
                                               .opcode = dice(2) ? "while" : "tuple",
                                               .id = 1 + i,
                                               .shape = &shape,
                                               .operands = &operand,
                                               .n_operands = 1,
                                               .called = &called,
                                               .n_called = dice(2)});
    }
    hb_end_computation(&hb, 1 + dice(n));
    for (int i = 0; i < n; i++) {
        int64_t index = dice(4) - 1;
        hb_logical(&hb, &(struct hb_logical){.id = dice(3) ? i : INT64_MIN + i,
                                             .size = odd_size(),
                                             .color = dice(3) ? dice(4) : odd_size(),
                                             .instruction_id = dice(n + 2),
                                             .shape_index = &index,
                                             .n_shape_index = dice(2)});
    }
    for (int a = dice(4); a >= 0; a--) {
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = dice(5),
                                               .size = odd_size(),
                                               .color = dice(4),
                                               .is_thread_local = dice(9) == 0,
                                               .parameter = dice(6) == 0,
                                               .live_out = dice(6) == 0,
                                               .constant = dice(9) == 0});
        for (int i = dice(12); i > 0; i--)
            hb_assign(&hb, dice(n + 2), odd_size(), odd_size());
        hb_alloc_end(&hb);
    }
    for (int t = dice(3); t >= 0; t--) {
        hb_trace_begin(&hb);
        for (int e = dice(40); e > 0; e--)
            hb_event(&hb, (enum hb_event_kind)(dice(20) ? dice(3) : 7), dice(n + 2), "main", "i",
                     dice(n + 1));
        hb_trace_end(&hb, dice(2), dice(3));
    }
    hb_finish(&hb, out);
}

static void ask_everything(struct mem_case *c)
{
    uint32_t out[64], a, b, d, e;
    struct xpd_near_peak near[4];
    struct xpd_curve_column column[5];
    struct xpd_use_span span;
    struct xpd_jax_analysis jax;
    for (uint32_t s = 0; s < c->mem->space_count; s++) {
        const struct xpd_mem_space *space = &c->mem->space[s];
        assert_true(xpd_mem_fragmentation(space) >= -1 && xpd_mem_peak_temp(space) >= -1);
        for (uint32_t step = 0; step <= space->step_count; step++) {
            xpd_live_at(space, step, out, 64);
            xpd_mem_running(c->mem, space, step);
        }
        for (uint32_t t = 0; t <= space->tenancy_count; t++)
            xpd_neighbours(space, t, &a, &b, &d, &e);
        for (uint32_t i = 0; i <= c->hlo->buffers.count; i++) {
            xpd_saving(c->mem, space, &i, 1, NULL, NULL, &c->arena);
            xpd_uses_of(c->mem, space, i, &span);
        }
        xpd_curve(space, (struct xpd_step_window){1, UINT32_MAX}, 5, column);
        xpd_curve(space, (struct xpd_step_window){9, 3}, 5, column);
        xpd_near_peaks(space, 0.1, near, 4);
        xpd_near_peaks(space, -5, near, 0);
        xpd_near_peaks(space, 1e300, near, 4);
        mem_xprof(c, space->color, 0);
        for (uint32_t i = 0; i < space->step_count; i++)
            assert_true(space->live_bytes[i] >= 0 && space->unpadded_bytes[i] >= 0);
    }
    xpd_mem_jax_analysis(c->mem, "tpu", &jax);
    mem_xprof(c, 123456789, 0);
}

static void test_random(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct pbw out = {0};
        struct mem_case c;
        state = seed;
        odd_module(&out);
        mem_open_bytes(&c, out.data, out.len);
        ask_everything(&c);
        mem_close(&c);
        pbw_free(&out);
    }
}

/* A budget that is too small is a limit, whatever the moment it is reached at. */
static void test_budget(void **unused)
{
    struct mem_case c;
    struct xpd_err err;
    size_t refused = 0;
    (void)unused;
    mem_open_vector(&c, "V7");
    uint64_t enough = xpd_mem_memory_bytes(c.mem) + (1 << 20);
    for (uint64_t budget = 1; budget < enough; budget += 997) {
        struct xpd_mem *mem;
        int code = xpd_mem_analyse(&mem, c.hlo, budget, &err);
        assert_true(code == XPD_OK || code == XPD_ELIMIT);
        assert_true((code == XPD_OK) == (mem != NULL));
        refused += code != XPD_OK;
        xpd_mem_free(mem);
    }
    assert_true(refused > 0);
    mem_close(&c);
}

/* Each buffer with a colour of its own, and long chains of sharing: still quick. */
static void test_many(void **unused)
{
    struct hb hb;
    struct mem_case c;
    (void)unused;
    hb_init(&hb, "many");
    for (int64_t i = 0; i < 3000; i++)
        hb_logical(&hb, &(struct hb_logical){.id = i, .size = 8, .color = i});
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = 1 << 20});
    for (int64_t i = 0; i < 3000; i++)
        hb_assign(&hb, i, 8 * i, 8);
    hb_alloc_end(&hb);
    hb_trace_begin(&hb);
    hb_event(&hb, HB_ALLOC, 0, "main", "i", 0);
    for (int64_t i = 1; i < 3000; i++)
        hb_event(&hb, HB_SHARE, i, "main", "i", i - 1);
    hb_trace_end(&hb, true, 0);
    mem_open_builder(&c, &hb);
    assert_int_equal(c.mem->space_count, 3000);
    assert_int_equal(mem_space(&c, 0)->tenancy_count, 1);
    assert_int_equal(mem_space(&c, 0)->peak_live_bytes, 8);
    mem_close(&c);
}

/* Multi-heap: one simulation, attached to two allocations; the same list counts once. */
static void test_multi_heap(void **unused)
{
    struct hb hb;
    struct mem_case c;
    (void)unused;
    hb_init(&hb, "multi");
    hb_buffer(&hb, 0, 100, 100, 0); /* buffer id 0 is a buffer like any other */
    hb_buffer(&hb, 1, 200, 150, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 3, .size = 256}, "0@0");
    hb_alloc(&hb, &(struct hb_alloc){.index = 4, .size = 512}, "1@0");
    hb_trace(&hb, "A0 A1 F0 F1");
    hb_trace(&hb, "A0 A1 F0 F1");
    mem_open_builder(&c, &hb);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->lane_count, 1);
    assert_string_equal(mem_text(space->live_bytes, space->step_count, 0), "100 300 200 0");
    assert_int_equal(space->tenancy[1].offset_bytes, 256);
    assert_int_equal(mem_warned(&c, "same_trace_twice"), 1);
    assert_int_equal(mem_warned(&c, "several_lanes"), 0);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_multi_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
