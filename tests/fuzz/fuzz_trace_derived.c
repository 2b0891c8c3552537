/* Derived rows, groups, steps and flows of a profile, and XProf's picture of it.
 *
 * Whatever the bytes are: derived events refer to measured ones, depths are in order, steps lie in
 * processes, every flow point has an end, and the walk in XProf's order never goes back in time. */
#include "must.h"

#include "xprofd/compat/viewer.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/op_times.h"

#include <string.h>

enum { ARENA = 64 << 20 };

static void check_rows(const struct xpd_derived *derived)
{
    const struct xpd_trace *trace = derived->trace;
    uint64_t events = 0;
    for (uint32_t r = 0; r < derived->row_count; r++) {
        const struct xpd_trace_row *row = &derived->row[r];
        MUST(row->process < trace->process_count);
        MUST(row->derived && row->how);
        MUST(row->first_depth + row->depth_count <= derived->depth_count);
    }
    for (uint32_t d = 0; d < derived->depth_count; d++) {
        const struct xpd_depth *depth = &derived->depth[d];
        MUST(depth->row < derived->row_count);
        MUST(depth->first_event == trace->event_count + events);
        for (uint32_t i = 0; i < depth->count; i++) {
            struct xpd_derived_fact fact = xpd_derived_fact_of(derived, depth->first_event + i);
            MUST(depth->name[i] - trace->name_count < derived->name_count);
            MUST(fact.event < trace->event_count && fact.event2 < trace->event_count);
            MUST(i == 0 || xpd_depth_start(depth, i - 1) <= xpd_depth_start(depth, i));
            (void)xpd_step_of(derived, depth->first_event + i);
        }
        events += depth->count;
    }
    MUST(events == derived->event_count);
    for (uint32_t i = 0; i < derived->step_count; i++) {
        MUST(derived->step[i].process < trace->process_count);
        MUST(derived->step[i].event < trace->event_count);
    }
}

static void check_flows(const struct xpd_flows *flows, const struct xpd_trace *trace)
{
    for (uint64_t i = 0; i < flows->point_count; i++) {
        MUST(flows->point[i].event < trace->event_count);
        MUST(flows->point[i].ends != 0);
        MUST(i == 0 || flows->point[i - 1].flow <= flows->point[i].flow);
        MUST(flows->point[i].flow < flows->point_flows);
        MUST(flows->first[flows->point[i].flow] <= i);
        uint64_t first, end;
        xpd_flows_of(flows, flows->point[i].event, &first, &end);
        while (first < end && flows->of_event[first].flow != flows->point[i].flow)
            first++;
        MUST(first < end);
        (void)xpd_flow_category_word(flows->point[i].category);
    }
}

struct order {
    int64_t start_ps;
    uint64_t count;
    bool any;
};

static bool check_event(void *user, const struct xpd_xprof_event *event)
{
    struct order *order = user;
    MUST(!order->any || order->start_ps <= event->start_ps);
    MUST(event->pid != 0);
    order->start_ps = event->start_ps;
    order->any = true;
    order->count++;
    return true;
}

/* A window without length shows a part of what begins up to it. */
static void check_levels(struct xpd_xprof *xprof)
{
    struct xpd_xprof_levels *levels;
    if (xpd_xprof_levels_make(&levels, xprof, ARENA, NULL) != XPD_OK)
        return;
    xprof->input.levels = levels;
    struct order all = {0}, part = {0};
    struct xpd_xprof_query query = {.full_dma = true};
    MUST(xpd_xprof_each(xprof, &query, check_event, &all, NULL) == XPD_OK);
    MUST(all.count == xprof->event_count);
    query.windowed = query.instant = true;
    query.from_ps = query.to_ps = xprof->first_ps / 2 + xprof->end_ps / 2;
    MUST(xpd_xprof_each(xprof, &query, check_event, &part, NULL) == XPD_OK);
    MUST(part.count <= all.count && (!part.any || part.start_ps <= query.to_ps));
    xpd_xprof_levels_free(levels);
}

static void check_xprof(const struct xpd_trace *trace, const struct xpd_derived *derived,
                        const struct xpd_flows *flows)
{
    struct xpd_xprof_input input = {
        .trace = trace, .derived = derived, .flows = flows, .host = "h", .pid_base = 1000};
    struct xpd_xprof *xprof;
    if (xpd_xprof_open(&xprof, &input, ARENA, NULL) != XPD_OK)
        return;
    struct order all = {0}, part = {0};
    struct xpd_xprof_query query = {.full_dma = true};
    MUST(xpd_xprof_each(xprof, &query, check_event, &all, NULL) == XPD_OK);
    MUST(all.count == xprof->event_count);
    query = (struct xpd_xprof_query){.windowed = true,
                                     .from_ps = xprof->first_ps,
                                     .to_ps = xprof->first_ps / 2 + xprof->end_ps / 2};
    MUST(xpd_xprof_each(xprof, &query, check_event, &part, NULL) == XPD_OK);
    MUST(part.count <= all.count);
    check_levels(xprof);
    xpd_xprof_close(xprof);
}

static void add_sums(struct xpd_op_sums *all, const struct xpd_op_sums *sums)
{
    MUST(sums->count > 0 && sums->device_count <= sums->count);
    MUST(sums->min_ps <= sums->max_ps && sums->self_ps >= 0 && sums->self_ps <= sums->total_ps);
    all->count += sums->count;
}

static void check_op_times(const struct xpd_trace *trace)
{
    struct xpd_op_times *times = NULL;
    if (xpd_op_times_make(&times, trace, ARENA, NULL) != XPD_OK)
        return;
    for (uint32_t p = 0; p < times->program_count; p++) {
        const struct xpd_op_program *program = &times->program[p];
        struct xpd_op_sums all = {0};
        for (uint32_t i = 0; i < program->op_count; i++) {
            const struct xpd_op *op = &times->op[program->first_op + i];
            struct xpd_op_sums shares = {0};
            for (uint32_t k = 0; k < op->share_count; k++)
                add_sums(&shares, &times->share[op->first_share + k].sums);
            MUST(shares.count == op->sums.count);
            add_sums(&all, &op->sums);
            MUST(xpd_op_of(times, program, xpd_intern_get(&times->names, op->name)) == op);
        }
        MUST(all.count == program->count);
    }
    xpd_op_times_free(times);
}

/* The profile as two hosts, the second as far apart as its bytes say. */
static void check_joined(struct xpd_trace *trace, const struct xpd_derived *derived,
                         const struct xpd_flows *flows)
{
    const struct xpd_join_host host[] = {{"a", trace}, {"b", trace}};
    const struct xpd_derived *const both[] = {derived, derived};
    const struct xpd_flows *const flow[] = {flows, flows};
    struct xpd_trace *joined;
    struct xpd_derived *rows = NULL;
    struct xpd_flows *points = NULL;
    if (xpd_join_trace(&joined, host, 2, ARENA, NULL) != XPD_OK)
        return;
    MUST(joined->event_count == 2 * trace->event_count);
    MUST(joined->first_ps <= joined->end_ps);
    if (xpd_join_derived(&rows, joined, both, ARENA, NULL) == XPD_OK) {
        check_rows(rows);
        MUST(rows->event_count == 2 * derived->event_count);
    }
    if (xpd_join_flows(&points, joined, flow, ARENA, NULL) == XPD_OK) {
        check_flows(points, joined);
        MUST(points->matched_count == 2 * flows->matched_count);
    }
    xpd_flows_free(points);
    xpd_derived_free(rows);
    xpd_trace_free(joined);
}

/* Where two hosts stand, of times that come as they like. */
static void check_places(const uint8_t *data, size_t size)
{
    struct xpd_place place[4];
    int64_t number[12], zero_ns;
    if (size < sizeof number)
        return;
    memcpy(number, data, sizeof number);
    for (size_t i = 0; i < 4; i++)
        place[i] = (struct xpd_place){.empty = number[3 * i] % 5 == 0,
                                      .zero_ns = number[3 * i],
                                      .first_ps = number[3 * i + 1],
                                      .end_ps = number[3 * i + 2]};
    MUST(xpd_join_place(place, 4, &zero_ns));
    for (size_t i = 0; i < 4; i++)
        MUST(place[i].shift_ps >= -(INT64_C(1) << 60) && place[i].shift_ps <= INT64_C(1) << 60);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_source *source, *again;
    struct xpd_xspace *space = NULL;
    struct xpd_trace *trace = NULL;
    struct xpd_derived *derived = NULL;
    struct xpd_flows *flows = NULL;
    check_places(data, size);
    if (xpd_source_open_memory(&source, data, size, "fuzz", NULL) != XPD_OK)
        return 0;
    struct xpd_trace_options options = {.threads = 1};
    if (xpd_xspace_load(&space, source, NULL, ARENA, NULL) == XPD_OK &&
        xpd_source_open_memory(&again, data, size, "fuzz", NULL) == XPD_OK &&
        xpd_trace_load(&trace, space, again, &options, NULL, ARENA, NULL) == XPD_OK) {
        if (xpd_derived_make(&derived, trace, ARENA, NULL) == XPD_OK)
            check_rows(derived);
        if (xpd_flows_make(&flows, trace, ARENA, NULL) == XPD_OK)
            check_flows(flows, trace);
        check_op_times(trace);
        if (derived && flows) {
            check_xprof(trace, derived, flows);
            check_joined(trace, derived, flows);
        }
    }
    xpd_flows_free(flows);
    xpd_derived_free(derived);
    xpd_trace_free(trace);
    xpd_xspace_free(space);
    xpd_source_close(source);
    return 0;
}
