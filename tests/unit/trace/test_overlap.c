/* Overlap and gaps by hand; its sums against a count moment by moment, on work made by chance. */
#include "core_space.h"
#include "derive_space.h"
#include "xprofd/trace/copy_way.h"
#include "xprofd/trace/gaps.h"
#include "xprofd/trace/idle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define END_PS 40000
#define OPS    6000
#define PAIRS  60

struct made { /* of a written file */
    struct core_trace core;
    struct xpd_derived *derived;
    struct xpd_view view;
    struct xpd_overlap_table table;
    struct xpd_arena arena;
};

static void make(struct made *made, const struct pbw *w)
{
    *made = (struct made){.core = core_load(w->data, w->len, 1)};
    assert_int_equal(xpd_derived_make(&made->derived, made->core.trace, 0, NULL), XPD_OK);
    made->view = (struct xpd_view){.trace = made->core.trace, .derived = made->derived};
    assert_int_equal(xpd_overlap_table_make(&made->table, &made->view, &made->arena, NULL), XPD_OK);
}

static void end(struct made *made, struct pbw *w)
{
    xpd_arena_fini(&made->arena);
    xpd_derived_free(made->derived);
    core_free(&made->core);
    pbw_free(w);
}

struct moments {
    bool compute[END_PS], comm[END_PS];
};

static uint64_t seed = 7;
static int64_t chance(int64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)below);
}

static void mark(bool *at, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        at[i] = true;
}

static int by_start(const void *a, const void *b)
{
    const struct core_event *x = a, *y = b;
    return (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

/* Work in small pieces, one in nine a collective; PAIRS asynchronous ones besides. */
static size_t make_ops(struct core_event *op, struct moments *truth)
{
    size_t n = 0;
    for (; n < OPS; n++) {
        int64_t start = chance(END_PS - 8), length = 1 + chance(7);
        uint64_t name = chance(9) != 0 ? 1 : 2;
        op[n] = (struct core_event){start, length, name};
        mark(name == 1 ? truth->compute : truth->comm, start, (int64_t)start + length);
    }
    for (uint64_t i = 0; i < PAIRS; i++) {
        int64_t start = chance(END_PS - 600), done = start + 1 + chance(500);
        op[n++] = (struct core_event){start, 1, 3 + 2 * i};
        op[n++] = (struct core_event){done, 2, 4 + 2 * i};
        mark(truth->comm, start, done + 2);
    }
    qsort(op, n, sizeof *op, by_start);
    return n;
}

/* Each idle moment is in a short gap, in a wait for input, or in neither. */
static void check_idle(const struct xpd_view *view, const struct xpd_overlap_table *table,
                       const struct moments *truth, int64_t from, int64_t to)
{
    const int64_t start_ps[] = {0, 9000, 20000}, end_ps[] = {5000, 15000, END_PS}, limit = 4;
    const struct xpd_input_waits input = {start_ps, end_ps, 3, XPD_NO_INDEX};
    struct xpd_idle idle;
    uint64_t count = 0;
    int64_t short_ps = 0, input_ps = 0;
    for (int64_t i = from, since = from; i <= to; i++) {
        if (i < to && !truth->comm[i] && !truth->compute[i])
            continue;
        count += i > since && i - since < limit;
        short_ps += i - since < limit ? i - since : 0;
        for (int64_t k = since; i - since >= limit && k < i; k++)
            for (int w = 0; w < 3; w++)
                input_ps += k >= start_ps[w] && k < end_ps[w];
        since = i + 1;
    }
    assert_int_equal(
        xpd_idle_of(&idle, view, table, 0, (struct xpd_time_range){from, to}, limit, &input, NULL),
        XPD_OK);
    assert_int_equal(idle.short_count, count);
    assert_int_equal(idle.short_ps, short_ps);
    assert_int_equal(idle.input_ps, input_ps);
}

/* The gaps of the chip are the stretches without compute and communication. */
static void check_gaps(const struct xpd_view *view, const struct xpd_overlap_table *table,
                       const struct moments *truth, int64_t from, int64_t to)
{
    uint32_t chip = 0;
    struct xpd_gaps gaps;
    struct xpd_gaps_ask ask = {view, table, &chip, 1, {from, to}, 20};
    int64_t count = 0, idle_ps = 0, longest_ps = 0;
    for (int64_t i = from, since = from; i <= to; i++) {
        if (i < to && !truth->comm[i] && !truth->compute[i])
            continue;
        count += i > since;
        idle_ps += i - since;
        longest_ps = i - since > longest_ps ? i - since : longest_ps;
        since = i + 1;
    }
    assert_int_equal(xpd_gaps_make(&gaps, &ask, NULL), XPD_OK);
    assert_int_equal(gaps.of_count, 1);
    assert_int_equal(gaps.of[0].count, count);
    assert_int_equal(gaps.of[0].idle_ps, idle_ps);
    assert_int_equal(gaps.count, count < 20 ? count : 20);
    for (uint32_t g = 0; g < gaps.count; g++) {
        const struct xpd_gap *gap = &gaps.gap[g];
        struct xpd_event event;
        for (int64_t i = gap->start_ps; i < gap->end_ps; i++)
            assert_false(truth->comm[i] || truth->compute[i]);
        if (xpd_view_event(view, gap->before, &event))
            assert_true(event.start_ps + event.duration_ps <= gap->start_ps);
        if (gap->start_ps > from)
            assert_int_equal(event.start_ps + event.duration_ps, gap->start_ps);
        if (xpd_view_event(view, gap->after, &event))
            assert_true(event.start_ps >= gap->end_ps);
        if (gap->end_ps < to)
            assert_int_equal(event.start_ps, gap->end_ps);
    }
    assert_true(count == 0 || gaps.gap[0].end_ps - gaps.gap[0].start_ps == longest_ps);
    xpd_gaps_fini(&gaps);
}

static void check(const struct xpd_view *view, const struct xpd_overlap_table *table,
                  const struct moments *truth, int64_t from, int64_t to)
{
    struct xpd_overlap sum, expected = {0};
    for (int64_t i = from; i < to; i++) {
        expected.compute_ps += truth->compute[i];
        expected.comm_overlapped_ps += truth->comm[i] && truth->compute[i];
        expected.comm_exposed_ps += truth->comm[i] && !truth->compute[i];
        expected.idle_ps += !truth->comm[i] && !truth->compute[i];
    }
    assert_int_equal(xpd_overlap_in(view, table, 0, (struct xpd_time_range){from, to}, &sum, NULL),
                     XPD_OK);
    assert_int_equal(sum.compute_ps, expected.compute_ps);
    assert_int_equal(sum.comm_overlapped_ps, expected.comm_overlapped_ps);
    assert_int_equal(sum.comm_exposed_ps, expected.comm_exposed_ps);
    assert_int_equal(sum.idle_ps, expected.idle_ps);
    check_gaps(view, table, truth, from, to);
    check_idle(view, table, truth, from, to);
}

static void ranges_of_all_lengths(void **state)
{
    (void)state;
    static struct moments truth;
    static struct core_event op[OPS + 2 * PAIRS];
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 3, "XLA Ops", op, make_ops(op, &truth));
    core_name(&w, 4, 1, "fusion.1");
    core_name(&w, 4, 2, "all-reduce.2");
    for (uint64_t i = 0; i < PAIRS; i++) {
        char name[64];
        snprintf(name, sizeof name, "all-reduce-start.%d", (int)i + 3);
        core_name(&w, 4, 3 + 2 * i, name);
        snprintf(name, sizeof name, "all-reduce-done.%d", (int)i + 3);
        core_name(&w, 4, 4 + 2 * i, name);
    }
    pbw_end(&w, plane);
    struct made made;
    make(&made, &w);
    assert_true(made.table.cut_first[1] > 10); /* sums are at work */
    check(&made.view, &made.table, &truth, 0, END_PS);
    for (int i = 0; i < 500; i++) {
        int64_t from = chance(END_PS - 1);
        check(&made.view, &made.table, &truth, from, from + chance(END_PS - from));
    }
    end(&made, &w);
}

/* Forty pieces of compute, ten of each twenty; two copies are looked for among them: 95..135 is
 * under two of them, 801..811 under none. */
static void few_copies_beside_much_compute(void **state)
{
    (void)state;
    enum { PIECES = 40 };
    struct core_event ops[PIECES + 2];
    for (int i = 0; i < PIECES; i++)
        ops[i] = (struct core_event){20 * i, 10, 1};
    ops[PIECES] = (struct core_event){95, 40, 2};
    ops[PIECES + 1] = (struct core_event){801, 10, 2};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 3, "XLA Ops", ops, PIECES + 2);
    core_name(&w, 4, 1, "fusion.1");
    core_name(&w, 4, 2, "copy.2");
    pbw_end(&w, plane);
    struct made made;
    make(&made, &w);
    struct xpd_overlap overlap;
    struct xpd_time_range all = {0, 1000};
    assert_int_equal(xpd_overlap_in(&made.view, &made.table, 0, all, &overlap, NULL), XPD_OK);
    assert_int_equal(overlap.compute_ps, 400);
    assert_int_equal(overlap.copy_overlapped_ps, 20);
    assert_int_equal(overlap.copy_exposed_ps, 30);
    assert_int_equal(overlap.idle_ps, 1000 - 430);
    end(&made, &w);
}

/* One step 0..1000. Compute 100..300 and 500..600; an asynchronous all-reduce from 200 (start) to
 * 560 (end of done), a synchronous one 700..800: 460 of communication, 160 of it under compute. */
static void overlap_of_a_step(void **state)
{
    (void)state;
    static const char *const name[] = {"fusion.1", "all-reduce-start.2", "all-reduce-done.2",
                                       "all-reduce.7", "step"};
    static const struct core_event steps[] = {{0, 1000, 5}};
    static const struct core_event ops[] = {
        {100, 200, 1}, {200, 1, 2}, {500, 100, 1}, {550, 10, 3}, {700, 100, 4}};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 1, "Steps", steps, 1);
    core_line(&w, 3, "XLA Ops", ops, 5);
    for (uint64_t i = 0; i < 5; i++)
        core_name(&w, 4, i + 1, name[i]);
    pbw_end(&w, plane);
    struct made made;
    make(&made, &w);
    struct xpd_overlap overlap;
    assert_int_equal(made.derived->step_count, 1);
    assert_int_equal(xpd_overlap_of(&made.view, &made.table, NULL, 0, 1, &overlap, NULL), XPD_OK);
    assert_int_equal(overlap.compute_ps, 300);
    assert_int_equal(overlap.comm_overlapped_ps, 160);
    assert_int_equal(overlap.comm_exposed_ps, 300);
    assert_int_equal(overlap.copy_exposed_ps + overlap.copy_overlapped_ps, 0);
    assert_int_equal(overlap.idle_ps, 1000 - 500 - 100); /* busy 100..600 and 700..800 */
    /* Each by itself: of 200..560 all but 200..300 and 500..560 is exposed; 700..800 is. */
    struct xpd_overlap_collective *one;
    uint32_t n;
    struct xpd_time_range all = {0, 1000}, half = {0, 400};
    assert_int_equal(xpd_overlap_collectives(&made.view, &made.table, 0, all, &one, &n, NULL),
                     XPD_OK);
    assert_int_equal(n, 2);
    assert_true(
        xpd_str_eq(xpd_view_caption(&made.view, one[0].name), XPD_STR("all-reduce-start.2")));
    assert_int_equal(one[0].count, 1);
    assert_int_equal(one[0].total_ps, 360);
    assert_int_equal(one[0].exposed_ps, 200);
    assert_int_equal(one[0].most_ps, 200);
    assert_true(xpd_str_eq(xpd_view_caption(&made.view, one[1].name), XPD_STR("all-reduce.7")));
    assert_int_equal(one[1].total_ps, 100);
    assert_int_equal(one[1].exposed_ps, 100);
    assert_int_equal(one[0].exposed_ps + one[1].exposed_ps, overlap.comm_exposed_ps);
    free(one);
    assert_int_equal(xpd_overlap_collectives(&made.view, &made.table, 0, half, &one, &n, NULL),
                     XPD_OK);
    assert_int_equal(n, 1); /* what is left of it in the range */
    assert_int_equal(one[0].total_ps, 200);
    assert_int_equal(one[0].exposed_ps, 100);
    free(one);
    end(&made, &w);
}

/* The collectives of a chip in 0..100000; the caller frees them. */
static struct xpd_overlap_collective *collectives_of(struct made *made, const struct pbw *w,
                                                     uint32_t *count)
{
    struct xpd_overlap_collective *of;
    make(made, w);
    assert_int_equal(xpd_overlap_collectives(&made->view, &made->table, 0,
                                             (struct xpd_time_range){0, 100000}, &of, count, NULL),
                     XPD_OK);
    return of;
}

/* An all-gather of 100 in each of six steps of 1000; the second step's done is lost. Those after it
 * stay what they are. */
static void a_done_that_was_lost(void **state)
{
    (void)state;
    struct core_event op[12];
    size_t count = 0;
    for (int i = 0; i < 6; i++) {
        op[count++] = (struct core_event){1000 * i, 1, 1};
        if (i != 1)
            op[count++] = (struct core_event){1000 * i + 90, 10, 2};
    }
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 3, "XLA Ops", op, count);
    core_name(&w, 4, 1, "all-gather-start.3");
    core_name(&w, 4, 2, "all-gather-done.3");
    pbw_end(&w, plane);
    struct made made;
    uint32_t n;
    struct xpd_overlap_collective *of = collectives_of(&made, &w, &n);
    assert_int_equal(n, 1);
    assert_int_equal(of[0].count, 5);
    assert_int_equal(of[0].total_ps, 500);
    assert_int_equal(of[0].most_ps, 100);
    assert_int_equal(made.table.lone_halves, 1);
    free(of);
    end(&made, &w);
}

/* A loop starts the transfer of its next round before it waits for that of this one: nothing is
 * lost, and the k-th start belongs to the k-th done. */
static void two_in_flight(void **state)
{
    (void)state;
    static const struct core_event op[] = {{0, 1, 1},    {1000, 1, 1},  {1010, 10, 2},
                                           {2000, 1, 1}, {2010, 10, 2}, {3010, 10, 2}};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/device:TPU:0");
    core_line(&w, 3, "XLA Ops", op, 6);
    core_name(&w, 4, 1, "collective-permute-start.3");
    core_name(&w, 4, 2, "collective-permute-done.3");
    pbw_end(&w, plane);
    struct made made;
    uint32_t n;
    struct xpd_overlap_collective *of = collectives_of(&made, &w, &n);
    assert_int_equal(of[0].count, 3);
    assert_int_equal(of[0].total_ps, 3 * 1020);
    assert_int_equal(made.table.lone_halves, 0);
    free(of);
    end(&made, &w);
}

/* Steps of three chips in one question: each is measured by the work of its own chip, the k-th of
 * which computes for k times 100. */
static void chips_one_after_another(void **state)
{
    enum { CHIPS = 3 };
    (void)state;
    static const struct core_event step[] = {{0, 1000, 2}};
    struct pbw w = {0};
    for (int i = 0; i < CHIPS; i++) {
        const struct core_event op[] = {{100, 100 * (i + 1), 1}};
        char name[64];
        snprintf(name, sizeof name, "/device:TPU:%d", i);
        size_t plane = core_plane(&w, name);
        core_line(&w, 1, "Steps", step, 1);
        core_line(&w, 3, "XLA Ops", op, 1);
        core_name(&w, 4, 1, "fusion.1");
        core_name(&w, 4, 2, "step");
        pbw_end(&w, plane);
    }
    struct made made;
    make(&made, &w);
    struct xpd_overlap overlap[CHIPS];
    assert_int_equal(made.derived->step_count, CHIPS);
    assert_int_equal(xpd_overlap_of(&made.view, &made.table, NULL, 0, CHIPS, overlap, NULL),
                     XPD_OK);
    for (uint32_t i = 0; i < CHIPS; i++) {
        assert_int_equal(made.derived->step[i].process, i);
        assert_int_equal(overlap[i].compute_ps, 100 * (i + 1));
        assert_int_equal(overlap[i].idle_ps, 1000 - 100 * (i + 1));
    }
    end(&made, &w);
}

/* What process 0 does in 0..1000. */
static struct xpd_overlap overlap_of_all(struct dspace *d)
{
    struct xpd_overlap_table table;
    struct xpd_overlap overlap;
    struct xpd_arena arena = {0};
    if (!d->trace)
        dspace_load(d);
    struct xpd_view view = {.trace = d->trace, .derived = d->derived};
    assert_int_equal(xpd_overlap_table_make(&table, &view, &arena, NULL), XPD_OK);
    assert_int_equal(
        xpd_overlap_in(&view, &table, 0, (struct xpd_time_range){0, 1000}, &overlap, NULL), XPD_OK);
    xpd_arena_fini(&arena);
    return overlap;
}

#define KERNEL(op)                                                                                 \
    ((const struct dstat[]){{"kernel_details", 0, "grid:1,1,1"},                                   \
                            {"hlo_op", 0, op},                                                     \
                            {"hlo_module", 0, "jit_f"},                                            \
                            {"program_id", 4, NULL},                                               \
                            {0}})
#define COPY       ((const struct dstat[]){{"memcpy_details", 0, "size:4"}, {0}})
#define SAYS(what) ((const struct dstat[]){{what, 0, "x"}, {0}})

/* The core waits in infeed, outfeed and in transfers to and from the host, as in the parts of a
 * step (op_parts.c): none of it is compute. A send between chips is communication. */
static void feeds_are_waits(void **state)
{
    (void)state;
    static const struct dstat host[] = {{"hlo_category", 0, "host recv"}, {0}};
    struct dspace d = {0};
    dspace_plane(&d, "/device:TPU:0", 1);
    uint32_t infeed = dspace_name(&d, "infeed.1", "", NO_STATS);
    uint32_t fusion = dspace_name(&d, "fusion.2", "", NO_STATS);
    uint32_t outfeed = dspace_name(&d, "outfeed.3", "", NO_STATS);
    uint32_t recv = dspace_name(&d, "recv.4", "", host);
    uint32_t send = dspace_name(&d, "send.5", "", NO_STATS);
    dspace_line(&d, "XLA Ops", 3);
    dspace_event(&d, infeed, 0, 400, NO_STATS);
    dspace_event(&d, fusion, 400, 300, NO_STATS);
    dspace_event(&d, outfeed, 700, 50, NO_STATS);
    dspace_event(&d, recv, 750, 50, NO_STATS);
    dspace_event(&d, send, 800, 100, NO_STATS);
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_int_equal(overlap.compute_ps, 300);
    assert_int_equal(overlap.comm_exposed_ps, 100);
    assert_int_equal(overlap.idle_ps, 1000 - 400);
    dspace_free(&d);
}

/* Streams: kernels at 100..300 and 400..500 (of one operation: the row of operations that we derive
 * is one bar over the gap), one more at 250..350 on another stream; a kernel of NCCL 450..600; one
 * that some other library runs for a collective 700..720; copies 800..850 and, under a kernel,
 * 120..140, zeroes 860..870; what is not work: an allocation. The file's own line of operations
 * says 0..1000. */
static void streams_of_a_gpu(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "gemm", "", NO_STATS);
    uint32_t copy = dspace_name(&d, "vendor copy", "", NO_STATS);
    uint32_t zero = dspace_name(&d, "Memset", "", NO_STATS);
    uint32_t nccl = dspace_name(&d, "ncclDevKernel_AllReduce_Sum_f32(x)", "", NO_STATS);
    uint32_t other = dspace_name(&d, "one_shot_kernel", "", NO_STATS);
    uint32_t room = dspace_name(&d, "MemoryAlloc", "", NO_STATS);
    dspace_line(&d, "Stream #1(Compute)", 1);
    dspace_event(&d, kernel, 100, 200, KERNEL("fusion.1"));
    dspace_event(&d, kernel, 400, 100, KERNEL("fusion.1"));
    dspace_event(&d, nccl, 450, 150, KERNEL("all-reduce-start.1"));
    dspace_event(&d, other, 700, 20, KERNEL("all-gather.1"));
    dspace_event(&d, room, 900, 50, SAYS("memalloc_details"));
    dspace_line(&d, "Stream #2(Compute,Memcpy)", 2);
    dspace_event(&d, copy, 120, 20, COPY);
    dspace_event(&d, kernel, 250, 100, KERNEL("fusion.2"));
    dspace_event(&d, copy, 800, 50, COPY);
    dspace_event(&d, zero, 860, 10, NO_STATS);
    dspace_line(&d, "XLA Ops", 77);
    dspace_event(&d, kernel, 0, 1000, KERNEL("fusion.1"));
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_non_null(dspace_row(&d, "XLA Ops - from #1", 0));
    assert_int_equal(overlap.compute_ps, 250 + 100);
    assert_int_equal(overlap.comm_overlapped_ps, 50);
    assert_int_equal(overlap.comm_exposed_ps, 100 + 20);
    assert_int_equal(overlap.copy_overlapped_ps, 20);
    assert_int_equal(overlap.copy_exposed_ps, 50 + 10);
    assert_int_equal(overlap.idle_ps, 1000 - 250 - 200 - 20 - 50 - 10);
    dspace_free(&d);
}

/* A GPU that only copies computes nothing; a profiler that tells no kernels apart is believed. */
static void copies_are_no_compute(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t copy = dspace_name(&d, "MemcpyH2D", "", NO_STATS);
    dspace_line(&d, "Stream #1(MemcpyH2D)", 1);
    dspace_event(&d, copy, 100, 200, NO_STATS);
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_int_equal(overlap.compute_ps, 0);
    assert_int_equal(overlap.copy_exposed_ps, 200);
    dspace_free(&d);

    d = (struct dspace){0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "saxpy", "", NO_STATS);
    dspace_line(&d, "Stream #1", 1);
    dspace_event(&d, kernel, 100, 200, NO_STATS);
    assert_int_equal(overlap_of_all(&d).compute_ps, 200);
    dspace_free(&d);
}

#define WAY(details) ((const struct dstat[]){{"memcpy_details", 0, details}, {0}})

/* In 100..200, out 150..300 (the first half beside the one in), within the device 300..320; under
 * the name "Memcpy" once each way at 400..410 and 500..510, which leaves the way of both open; of
 * what comes in only what no kernel (180..190) hides counts. */
static void copies_go_one_way(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t in = dspace_name(&d, "MemcpyH2D", "", NO_STATS);
    uint32_t out = dspace_name(&d, "vendor copy", "", NO_STATS);
    uint32_t on = dspace_name(&d, "MemcpyD2D", "", NO_STATS);
    uint32_t any = dspace_name(&d, "Memcpy", "", NO_STATS);
    uint32_t kernel = dspace_name(&d, "gemm", "", NO_STATS);
    dspace_line(&d, "Stream #1(Memcpy)", 1);
    dspace_event(&d, in, 100, 100, COPY);
    dspace_event(&d, on, 300, 20, COPY);
    dspace_event(&d, any, 400, 10, WAY("kind_src:pageable kind_dst:device size:4"));
    dspace_event(&d, any, 500, 10, WAY("kind_src:device kind_dst:pinned size:4"));
    dspace_line(&d, "Stream #2(Memcpy)", 2);
    dspace_event(&d, out, 150, 150, WAY("kind_src:device kind_dst:pinned size:4 dest:0 async:1"));
    dspace_line(&d, "Stream #3(Compute)", 3);
    dspace_event(&d, kernel, 180, 10, KERNEL("fusion.1"));
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_int_equal(overlap.copy_in_ps, 90);
    assert_int_equal(overlap.copy_out_ps, 100);
    assert_int_equal(overlap.copy_exposed_ps, 90 + 100 + 20 + 10 + 10);
    assert_int_equal(overlap.copy_overlapped_ps, 10);
    dspace_free(&d);
}

static void ways_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum xpd_copy_way way;
    } name[] = {{"MemcpyH2D", XPD_COPY_IN},
                {"MEMORY_COPY_HOST_TO_DEVICE", XPD_COPY_IN},
                {"CopyDeviceToHost", XPD_COPY_OUT},
                {"[CUDA memcpy Device-to-Host]", XPD_COPY_OUT},
                {"MemcpyP2P", XPD_COPY_ON},
                {"MemcpyD2D", XPD_COPY_ON},
                {"Memset", XPD_COPY_ON},
                {"MemcpyH2H", XPD_COPY_UNKNOWN},
                {"Memcpy", XPD_COPY_UNKNOWN},
                {"", XPD_COPY_UNKNOWN}};
    static const struct {
        const char *details;
        enum xpd_copy_way way;
    } details[] = {{"kind_src:pinned kind_dst:device size:4 dest:0 async:1", XPD_COPY_IN},
                   {"kind_src:device kind_dst:pageable size:4", XPD_COPY_OUT},
                   {"kind_src:device kind_dst:device size:4", XPD_COPY_ON},
                   {"kind_src:managed kind_dst:device size:4", XPD_COPY_UNKNOWN},
                   {"kind_src:pinned", XPD_COPY_UNKNOWN},
                   {"kind:HtoD size:4", XPD_COPY_IN},
                   {"kind:Unknown size:0 dest:512 async:1", XPD_COPY_UNKNOWN},
                   {"size:4 dest:6 async:1", XPD_COPY_UNKNOWN},
                   {"kind_src:", XPD_COPY_UNKNOWN},
                   {"", XPD_COPY_UNKNOWN}};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        assert_int_equal(xpd_copy_way_of_name(xpd_str_of(name[i].name)), name[i].way);
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        assert_int_equal(xpd_copy_way_of_details(xpd_str_of(details[i].details)), details[i].way);
}

/* Operations that threads of the host ran compute, where there is no chip: a loop where nothing
 * else runs, not while it waits for a collective of its body or of its neighbour; a copy is work of
 * the thread, and what a thread does besides is nothing of it. */
static void threads_of_the_cpu(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t loop = dspace_name(&d, "while.1", "", NO_STATS);
    uint32_t dot = dspace_name(&d, "dot.2", "", NO_STATS);
    uint32_t copy = dspace_name(&d, "copy.3", "", NO_STATS);
    uint32_t reduce = dspace_name(&d, "all-reduce.4", "", NO_STATS);
    uint32_t call = dspace_name(&d, "ThunkExecutor::Execute", "", NO_STATS);
    dspace_line(&d, "tf_XLAEigen/1", 5);
    dspace_event(&d, call, 0, 1000, NO_STATS);
    dspace_event(&d, loop, 100, 400, KERNEL("while.1"));
    dspace_event(&d, dot, 150, 100, KERNEL("dot.2"));
    dspace_event(&d, copy, 600, 50, KERNEL("copy.3"));
    dspace_event(&d, loop, 700, 60, KERNEL("while.1"));
    dspace_event(&d, loop, 780, 120, KERNEL("while.1"));
    dspace_line(&d, "tf_XLAEigen/2", 6);
    dspace_event(&d, dot, 200, 100, KERNEL("dot.2"));
    dspace_event(&d, reduce, 280, 100, KERNEL("all-reduce.4"));
    dspace_event(&d, reduce, 740, 60, KERNEL("all-reduce.4"));
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_true(xpd_trace_computes(d.trace, 0));
    const int64_t loops_ps = 50 + 120 + 40 + 100, operations_ps = 150 + 50;
    assert_int_equal(overlap.compute_ps, operations_ps + loops_ps);
    assert_int_equal(overlap.comm_overlapped_ps, 20);
    assert_int_equal(overlap.comm_exposed_ps, 80 + 60);
    assert_int_equal(overlap.copy_exposed_ps + overlap.copy_overlapped_ps, 0);
    assert_int_equal(overlap.idle_ps, 1000 - operations_ps - loops_ps - 80 - 60);
    dspace_free(&d);
}

/* Whether an event is an operation, it says itself: another one of its name on the same thread,
 * before or after it, may be none. */
static void operations_beside_others_of_their_name(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t dot = dspace_name(&d, "dot.2", "", NO_STATS);
    uint32_t add = dspace_name(&d, "add.1", "", NO_STATS);
    uint32_t tells = dspace_name(&d, "fusion", "", NO_STATS);
    dspace_line(&d, "tf_XLAEigen/1", 5);
    dspace_event(&d, dot, 0, 100, NO_STATS); /* its name comes first without an operation */
    dspace_event(&d, dot, 200, 50, KERNEL("dot.2"));
    dspace_event(&d, add, 300, 10, KERNEL("add.1"));
    dspace_event(&d, add, 400, 100, NO_STATS);
    dspace_event(&d, tells, 600, 20, KERNEL("fusion.7"));
    dspace_event(&d, tells, 700, 40, KERNEL("all-reduce.8"));
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_int_equal(overlap.compute_ps, 50 + 10 + 20);
    assert_int_equal(overlap.comm_exposed_ps, 40);
    assert_int_equal(overlap.idle_ps, 1000 - 80 - 40);
    dspace_free(&d);
}

/* An operation of a CPU thread is in the step in whose time it began, as one of a chip, also when
 * nothing says which call led to it. */
static void operations_in_steps(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/host:CPU", 1);
    uint32_t train = dspace_name(&d, "train", "", NO_STATS);
    uint32_t dot = dspace_name(&d, "dot.2", "", NO_STATS);
    uint32_t other = dspace_name(&d, "Await", "", NO_STATS);
    dspace_line(&d, "python", 4);
    dspace_event(&d, train, 100, 400,
                 ((const struct dstat[]){{"_r", 1, NULL}, {"step_num", 7, NULL}, {0}}));
    dspace_line(&d, "tf_XLAEigen/1", 5);
    dspace_event(&d, dot, 200, 50, KERNEL("dot.2"));
    dspace_event(&d, other, 300, 50, NO_STATS);
    dspace_event(&d, dot, 700, 50, KERNEL("dot.2"));
    dspace_load(&d);
    uint32_t step = xpd_step_of(d.derived, dspace_find(&d, "tf_XLAEigen/1", 200));
    assert_true(step != XPD_NO_INDEX);
    assert_int_equal(d.derived->step[step].number, 7);
    assert_int_equal(xpd_step_of(d.derived, dspace_find(&d, "tf_XLAEigen/1", 300)), XPD_NO_INDEX);
    assert_int_equal(xpd_step_of(d.derived, dspace_find(&d, "tf_XLAEigen/1", 700)), XPD_NO_INDEX);
    dspace_free(&d);
}

static void check_kind(const struct dspace *d, uint64_t event, const char *category,
                       enum xpd_op_group group)
{
    struct xpd_view view = {.trace = d->trace, .derived = d->derived};
    struct xpd_event at;
    assert_true(xpd_view_event(&view, event, &at));
    const struct xpd_event_name *name = xpd_view_name(&view, at.name);
    struct xpd_str said = xpd_intern_get(&d->trace->names, name->category);
    if (!xpd_str_eq(said, xpd_str_of(category)) || name->group != group)
        fail_msg("%.*s, %s: not %s", (int)said.size, said.data,
                 xpd_op_group_word((enum xpd_op_group)name->group), category);
}

/* The colour of an event follows its category: that of its operation, on a GPU as on the CPU, else
 * what its name says of a copy, of NCCL or of a library's matrix product. */
static void one_category_and_its_colour(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    const char *const name[] = {"gemm_bf16",          "MemcpyD2H",
                                "MemcpyD2D",          "Memset",
                                "ncclKernel1",        "volta_sgemm_128x64_nn",
                                "input_reduce_fusion"};
    uint32_t id[7];
    for (size_t i = 0; i < 7; i++)
        id[i] = dspace_name(&d, name[i], "", NO_STATS);
    dspace_line(&d, "Stream #1", 1);
    dspace_event(&d, id[0], 0, 10, KERNEL("all-gather.1"));
    for (int i = 1; i < 6; i++)
        dspace_event(&d, id[i], 100 * i, 10, NO_STATS);
    dspace_event(&d, id[6], 600, 10, KERNEL("input_reduce_fusion.4"));
    dspace_load(&d);
    check_kind(&d, dspace_find(&d, "Stream #1", 0), "all-gather", XPD_OP_COLLECTIVE);
    check_kind(&d, dspace_find(&d, "Stream #1", 100), "host transfer", XPD_OP_HOST);
    check_kind(&d, dspace_find(&d, "Stream #1", 200), "memory copy", XPD_OP_MOVE);
    check_kind(&d, dspace_find(&d, "Stream #1", 300), "memset", XPD_OP_MOVE);
    check_kind(&d, dspace_find(&d, "Stream #1", 400), "collective", XPD_OP_COLLECTIVE);
    check_kind(&d, dspace_find(&d, "Stream #1", 500), "", XPD_OP_MATMUL);
    check_kind(&d, dspace_find(&d, "Stream #1", 600), "input fusion", XPD_OP_REDUCE);
    dspace_free(&d);
}

/* What runs on a line of a GPU ran there, whatever the profiler calls the line. */
static void streams_of_any_name(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "sgemm", "", NO_STATS);
    uint32_t copy = dspace_name(&d, "MemcpyH2D", "", NO_STATS);
    dspace_line(&d, "stream #20(Compute)", 20);
    dspace_event(&d, kernel, 100, 200, SAYS("kernel_details"));
    dspace_line(&d, "Queue 7", 21);
    dspace_event(&d, copy, 500, 50, COPY);
    dspace_line(&d, "TensorFlow Ops", 0xdeadbeef);
    dspace_event(&d, kernel, 0, 1000, NO_STATS);
    struct xpd_overlap overlap = overlap_of_all(&d);
    assert_int_equal(overlap.compute_ps, 200);
    assert_int_equal(overlap.copy_exposed_ps, 50);
    dspace_free(&d);
}

/* The same threads beside a chip launch its work and compute nothing. */
static void a_host_beside_a_chip(void **state)
{
    (void)state;
    struct dspace d = {0};
    dspace_plane(&d, "/device:GPU:0", 1);
    uint32_t kernel = dspace_name(&d, "gemm", "", NO_STATS);
    dspace_line(&d, "Stream #1", 1);
    dspace_event(&d, kernel, 100, 200, KERNEL("dot.2"));
    dspace_plane(&d, "/host:CPU", 2);
    uint32_t call = dspace_name(&d, "cuLaunchKernel", "", NO_STATS);
    dspace_line(&d, "python", 5);
    dspace_event(&d, call, 0, 50, KERNEL("dot.2"));
    dspace_load(&d);
    assert_true(xpd_trace_computes(d.trace, 0));
    assert_false(xpd_trace_computes(d.trace, 1));
    dspace_free(&d);
}

/* A thread with a call in a call, another one that runs meanwhile: 0..100 outer, in it 10..60
 * inner; then nothing until 400; the other one is in outer 50..300 and there in inner 100..180. */
static void gaps_of_a_row(void **state)
{
    (void)state;
    static const struct core_event one[] = {{0, 100, 1}, {10, 50, 2}, {400, 100, 1}};
    static const struct core_event two[] = {{50, 250, 1}, {100, 80, 2}};
    struct pbw w = {0};
    size_t plane = core_plane(&w, "/host:CPU");
    core_line(&w, 1, "one", one, 3);
    core_line(&w, 2, "two", two, 2);
    core_name(&w, 4, 1, "outer");
    core_name(&w, 4, 2, "inner");
    pbw_end(&w, plane);
    struct made made;
    make(&made, &w);
    uint32_t row[] = {0, 1};
    struct xpd_gaps gaps;
    struct xpd_gaps_ask ask = {&made.view, NULL, row, 2, {0, 500}, 2};
    assert_int_equal(xpd_gaps_make(&gaps, &ask, NULL), XPD_OK);
    assert_int_equal(gaps.of_count, 2);
    assert_int_equal(gaps.of[0].count, 1);
    assert_int_equal(gaps.of[0].idle_ps, 300);
    assert_int_equal(gaps.of[1].count, 2); /* 0..50 and 300..500 */
    assert_int_equal(gaps.of[1].idle_ps, 250);
    assert_int_equal(gaps.count, 2); /* the longest two */
    assert_int_equal(gaps.gap[0].row, 0);
    assert_int_equal(gaps.gap[0].start_ps, 100);
    assert_int_equal(gaps.gap[0].end_ps, 400);
    assert_int_equal(gaps.gap[1].row, 1);
    assert_true(gaps.gap[1].after == UINT64_MAX); /* the trace ends */
    struct xpd_meanwhile other[XPD_MEANWHILE_MOST];
    struct xpd_meanwhile_budget budget = {100};
    uint32_t n;
    assert_int_equal(xpd_gap_meanwhile(&made.view, &gaps.gap[0], other, &n, &budget, NULL), XPD_OK);
    assert_int_equal(n, 2);
    assert_int_equal(other[0].self_ps, 120); /* outer 100..300 less inner */
    assert_int_equal(other[1].self_ps, 80);
    assert_int_equal(other[1].row, 1);
    budget.events_left = 1; /* fewer than there are to look at: nothing is said */
    assert_int_equal(xpd_gap_meanwhile(&made.view, &gaps.gap[0], other, &n, &budget, NULL), XPD_OK);
    assert_int_equal(n, UINT32_MAX);
    xpd_gaps_fini(&gaps);
    end(&made, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_of_all_lengths),
        cmocka_unit_test(few_copies_beside_much_compute),
        cmocka_unit_test(overlap_of_a_step),
        cmocka_unit_test(feeds_are_waits),
        cmocka_unit_test(a_done_that_was_lost),
        cmocka_unit_test(two_in_flight),
        cmocka_unit_test(chips_one_after_another),
        cmocka_unit_test(streams_of_a_gpu),
        cmocka_unit_test(copies_are_no_compute),
        cmocka_unit_test(copies_go_one_way),
        cmocka_unit_test(ways_of_names),
        cmocka_unit_test(threads_of_the_cpu),
        cmocka_unit_test(a_host_beside_a_chip),
        cmocka_unit_test(gaps_of_a_row),
        cmocka_unit_test(operations_beside_others_of_their_name),
        cmocka_unit_test(streams_of_any_name),
        cmocka_unit_test(operations_in_steps),
        cmocka_unit_test(one_category_and_its_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
