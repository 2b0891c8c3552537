/* Executions of operations, what a step is made of, rows of operations: the joins under Overview,
 * Ops and Roofline. The input is that of fuzz_trace.
 *
 * Whatever the bytes are: executions add up to the times of their operation on each device,
 * whatever ranges are chosen; the parts of a span are not negative and are the span; rows lose no
 * time. */
#include "must.h"

#include "xprofd/base/checked.h"
#include "xprofd/ops/roofs.h"
#include "xprofd/trace/program_runs.h"
#include "xprofd/trace/step_split.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA = 64 << 20, SPANS = 40 };

struct made {
    struct xpd_view view;
    struct xpd_op_times *times;
    struct xpd_op_runs *runs;
    struct xpd_overlap_table overlap;
    struct xpd_arena arena;
    uint8_t *part; /* by op */
    bool has_overlap;
};

/* ---- executions ---- */

static void check_device(const struct made *made, uint32_t d, struct xpd_op_sums *sums)
{
    const struct xpd_op_device_runs *device = &made->runs->device[d];
    uint32_t hint = 0;
    for (uint32_t i = 0; i < device->count; i++) {
        MUST(xpd_op_run_op(device, i) < made->times->op_count &&
             xpd_op_run_duration_ps(device, i) >= 0);
        MUST(i == 0 || xpd_op_run_start_ps(device, i - 1) <= xpd_op_run_start_ps(device, i));
        struct xpd_op_sums *at = &sums[xpd_op_run_op(device, i)];
        int64_t self_ps = xpd_op_run_self_ps(device, i, &hint);
        MUST(self_ps >= 0 && self_ps <= xpd_op_run_duration_ps(device, i));
        at->count++;
        xpd_grow_i64(&at->total_ps, xpd_op_run_duration_ps(device, i));
        xpd_grow_i64(&at->self_ps, self_ps);
    }
}

static void check_runs(const struct made *made)
{
    const struct xpd_op_times *times = made->times;
    for (uint32_t d = 0; d < times->device_count; d++) {
        struct xpd_op_sums *sums = calloc((size_t)times->op_count + 1, sizeof *sums);
        MUST(sums);
        check_device(made, d, sums);
        for (uint32_t o = 0; o < times->op_count; o++)
            for (uint32_t s = 0; s < times->op[o].share_count; s++) {
                const struct xpd_op_share *share = &times->share[times->op[o].first_share + s];
                if (share->device != d)
                    continue;
                MUST(sums[o].count == share->sums.count);
                MUST(sums[o].total_ps == share->sums.total_ps);
                MUST(sums[o].self_ps == share->sums.self_ps);
                sums[o].count = 0;
            }
        for (uint32_t o = 0; o < times->op_count; o++)
            MUST(sums[o].count == 0);
        free(sums);
    }
}

/* ---- parts of a span ---- */

static void check_span(const struct made *made, const struct xpd_split_lane *lane,
                       const struct xpd_split_span *span)
{
    struct xpd_step_parts parts;
    struct xpd_split_op *ops = calloc((size_t)made->times->op_count + 1, sizeof *ops);
    int64_t sum_ps = 0, of_ops_ps = 0, named_ps = 0;
    MUST(ops);
    xpd_step_split(&parts, lane, span, ops);
    for (uint32_t p = 0; p < XPD_PART_COUNT; p++) {
        MUST(parts.ps[p] >= 0);
        sum_ps += parts.ps[p];
        named_ps += p > XPD_PART_IDLE ? parts.ps[p] : 0;
    }
    MUST(sum_ps == span->duration_ps);
    for (uint32_t o = 0; o < made->times->op_count; o++) {
        MUST(ops[o].time_ps >= 0 && ops[o].self_ps >= 0);
        of_ops_ps += ops[o].time_ps;
    }
    MUST(of_ops_ps <= named_ps && parts.unnamed_ps >= 0);
    free(ops);
}

/* By self times, and by union of intervals, of a range on the host's clock. */
static void check_range(const struct made *made, uint32_t process, struct xpd_split_lane *lane,
                        struct xpd_time_range range)
{
    struct xpd_overlap measured;
    int64_t length_ps;
    if (__builtin_sub_overflow(range.to_ps, range.from_ps, &length_ps) || length_ps < 0)
        return;
    struct xpd_split_span span = {
        .from_ps = range.from_ps, .to_ps = range.to_ps, .duration_ps = length_ps};
    check_span(made, lane, &span);
    span.duration_ps = length_ps / 3;
    check_span(made, lane, &span);
    if (!made->has_overlap ||
        xpd_overlap_in(&made->view, &made->overlap, process, range, &measured, NULL) != XPD_OK)
        return;
    MUST(measured.copy_in_ps >= 0 && measured.copy_out_ps >= 0);
    MUST(measured.copy_in_ps + measured.copy_out_ps <= measured.copy_exposed_ps);
    MUST(measured.compute_ps + measured.comm_exposed_ps + measured.copy_exposed_ps +
             measured.idle_ps ==
         measured.length_ps);
    span.duration_ps = length_ps;
    span.measured = &measured;
    check_span(made, lane, &span);
    span.stretch = true;
    check_span(made, lane, &span);
}

static void check_process(const struct made *made, uint32_t process)
{
    const struct xpd_derived *derived = made->view.derived;
    const struct xpd_trace *trace = made->view.trace;
    const struct xpd_op_device_runs *device[8];
    struct xpd_split_lane lane = {.device = device, .part = made->part};
    uint32_t first, end;
    for (uint32_t d = 0; d < made->runs->device_count && lane.device_count < 8; d++)
        if (made->times->device[d].process == process)
            device[lane.device_count++] = &made->runs->device[d];
    xpd_steps_of(derived, process, &first, &end);
    for (uint32_t i = first; i < end && i < first + SPANS; i++)
        check_range(made, process, &lane,
                    (struct xpd_time_range){derived->step[i].start_ps, derived->step[i].end_ps});
    int64_t middle_ps = trace->first_ps / 2 + trace->end_ps / 2;
    check_range(made, process, &lane, (struct xpd_time_range){trace->first_ps, trace->end_ps});
    check_range(made, process, &lane, (struct xpd_time_range){trace->first_ps, middle_ps});
    check_range(made, process, &lane, (struct xpd_time_range){middle_ps, middle_ps});
}

static void check_program_runs(struct made *made)
{
    for (uint32_t p = 0; p < made->times->program_count; p++)
        for (uint32_t d = 0; d < made->runs->device_count; d++) {
            const struct xpd_op_program *of = &made->times->program[p];
            uint32_t *order = XPD_NEW_ROOM(&made->arena, uint32_t, of->op_count);
            struct xpd_run_spans runs;
            for (uint32_t o = 0; order && o < of->op_count; o++)
                order[o] = o % 3 == 2 ? XPD_NO_INDEX : of->op_count - o;
            for (int known = 0; known < 2; known++) {
                MUST(xpd_run_spans_make(&runs, &made->arena, made->times, &made->runs->device[d],
                                        of, known ? order : NULL));
                MUST(runs.in_part <= 2 && runs.first_number <= 1);
                for (uint32_t i = 1; i < runs.count; i++)
                    MUST(runs.span[i - 1].from_ps <= runs.span[i].from_ps);
            }
        }
}

/* ---- rows ---- */

static void check_rows(struct made *made)
{
    const struct xpd_peaks peaks = {.flops_per_s = 1e12, .hbm_bytes_per_s = 1e9};
    struct xpd_op_rows rows = {0};
    struct xpd_roofs roofs;
    int64_t self_ps = 0, place_ps = 0;
    uint32_t n = made->times->program_count;
    struct xpd_ops_program *program = XPD_NEW_ARRAY(&made->arena, struct xpd_ops_program, n);
    MUST(program);
    for (uint32_t p = 0; p < n; p++)
        program[p] =
            (struct xpd_ops_program){.times = made->times, .program = &made->times->program[p]};
    if (xpd_ops_make(&rows, &made->arena, program, n, &peaks, NULL) != XPD_OK)
        return;
    for (uint32_t i = 0; i < rows.count; i++) {
        MUST(rows.row[i].executions > 0 && rows.row[i].self_ps >= 0);
        MUST(rows.row[i].lost_against == XPD_LOST_UNKNOWN || rows.row[i].lost_ps >= 0);
        xpd_grow_i64(&self_ps, rows.row[i].self_ps);
    }
    MUST(self_ps == rows.self_ps && rows.judged_ps <= rows.self_ps);
    xpd_roofs_make(&roofs, &rows, &peaks, &peaks);
    for (int p = 0; p < XPD_PLACE_COUNT; p++)
        xpd_grow_i64(&place_ps, roofs.place[p].self_ps);
    MUST(place_ps == rows.self_ps);
}

static void check_spread(struct made *made)
{
    uint32_t n = made->runs->device_count;
    struct xpd_op_range *range = XPD_NEW_ARRAY(&made->arena, struct xpd_op_range, n);
    struct xpd_op_spread *spread =
        XPD_NEW_ARRAY(&made->arena, struct xpd_op_spread, made->times->op_count);
    MUST(range && spread);
    xpd_op_ranges_all(range, made->runs);
    struct xpd_op_chosen *chosen = xpd_op_choose(made->runs, range, n, &made->arena);
    if (!chosen || xpd_op_spread_make(spread, made->runs, range, n, NULL, NULL) != XPD_OK)
        return;
    for (uint32_t o = 0; o < made->times->op_count; o++) {
        MUST(chosen[o].sums.count == made->times->op[o].sums.count);
        MUST(chosen[o].sums.self_ps == made->times->op[o].sums.self_ps);
        MUST(spread[o].min_ps <= spread[o].p50_ps && spread[o].p50_ps <= spread[o].p99_ps);
        MUST(spread[o].p99_ps <= spread[o].max_ps);
    }
}

/* Parts by the bytes of names: any of them, but idle. */
static bool choose_parts(struct made *made)
{
    made->part = XPD_NEW_ARRAY(&made->arena, uint8_t, made->times->op_count);
    for (uint32_t o = 0; made->part && o < made->times->op_count; o++) {
        struct xpd_str name = xpd_intern_get(&made->times->names, made->times->op[o].name);
        uint8_t byte = name.size > 0 ? (uint8_t)name.data[name.size - 1] : 0;
        made->part[o] = (uint8_t)(XPD_PART_IDLE + 1 + byte % (XPD_PART_COUNT - 1));
    }
    return made->part != NULL;
}

static void check(const struct xpd_trace *trace, const struct xpd_derived *derived)
{
    struct made made = {.view = {.trace = trace, .derived = derived}};
    if (xpd_op_times_make(&made.times, trace, ARENA, NULL) == XPD_OK &&
        xpd_op_runs_make(&made.runs, trace, made.times, ARENA, NULL) == XPD_OK &&
        choose_parts(&made)) {
        made.has_overlap =
            xpd_overlap_table_make(&made.overlap, &made.view, &made.arena, NULL) == XPD_OK;
        check_runs(&made);
        check_program_runs(&made);
        check_rows(&made);
        check_spread(&made);
        for (uint32_t p = 0; p < trace->process_count; p++)
            check_process(&made, p);
    }
    xpd_op_runs_free(made.runs);
    xpd_op_times_free(made.times);
    xpd_arena_fini(&made.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_source *source, *again;
    struct xpd_xspace *space = NULL;
    struct xpd_trace *trace = NULL;
    struct xpd_derived *derived = NULL;
    struct xpd_trace_options options = {.threads = 1};
    if (xpd_source_open_memory(&source, data, size, "fuzz", NULL) != XPD_OK)
        return 0;
    if (xpd_xspace_load(&space, source, NULL, ARENA, NULL) == XPD_OK &&
        xpd_source_open_memory(&again, data, size, "fuzz", NULL) == XPD_OK &&
        xpd_trace_load(&trace, space, again, &options, NULL, ARENA, NULL) == XPD_OK &&
        xpd_derived_make(&derived, trace, ARENA, NULL) == XPD_OK)
        check(trace, derived);
    xpd_derived_free(derived);
    xpd_trace_free(trace);
    xpd_xspace_free(space);
    xpd_source_close(source);
    return 0;
}
