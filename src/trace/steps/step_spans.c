/* Steps as spans of time. In: derived steps and the executions of devices. Out: disjoint spans by
 * device, those in which something ran. */
#include "xprofd/trace/step_spans.h"
#include "../derived/derive.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/order.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/view.h"
#include <stdlib.h>

/* Duration of a step on the device's own clock.
 *
 * In: a step. Out: the duration its own event says, else (runs of a program say none) the time from
 * the first to the last of its operations by their raw offsets. Host-aligned times only tell which
 * operations are the first and the last: in each depth the outermost two that start inside. */

struct span {
    uint64_t from_ps, to_ps;
    bool any;
};

/* What an event says of its device's clock: the index keeps it of rows of work, else its stats say
 * it. */
static bool device_times(const struct xpd_trace *trace, uint64_t event, uint64_t *offset,
                         uint64_t *duration)
{
    const struct xpd_depth *depth;
    uint32_t i;
    if (!xpd_trace_find(trace, event, &depth, &i) || !depth->device_later_ps.block)
        return xpd_event_stat(trace, event, "device_offset_ps", offset) &&
               xpd_event_stat(trace, event, "device_duration_ps", duration);
    int64_t device_ps = xpd_trace_device_ps(trace, depth, i);
    *offset = (uint64_t)xpd_depth_device_start(depth, i);
    *duration = (uint64_t)device_ps;
    return device_ps >= 0;
}

static void take(struct span *span, const struct xpd_trace *trace, uint64_t event)
{
    uint64_t offset, duration;
    if (!device_times(trace, event, &offset, &duration) || offset > INT64_MAX / 2 ||
        duration > INT64_MAX / 2)
        return;
    if (!span->any || offset < span->from_ps)
        span->from_ps = offset;
    if (!span->any || offset + duration > span->to_ps)
        span->to_ps = offset + duration;
    span->any = true;
}

/* First event that starts at or after a time. */
static uint32_t first_from(const struct xpd_depth *depth, int64_t at_ps)
{
    uint32_t low = 0;
    XPD_BISECT(low, depth->count, middle, xpd_depth_start(depth, middle) < at_ps);
    return low;
}

bool xpd_step_device_range(const struct xpd_view *view, const struct xpd_step *step,
                           struct xpd_time_range *range)
{
    struct span span = {0};
    if (step->device_ps >= 0) { /* its event says how long, and when */
        take(&span, view->trace, step->event);
        *range = (struct xpd_time_range){(int64_t)span.from_ps, (int64_t)span.to_ps};
        return span.any;
    }
    uint32_t number = xpd_view_row_of_kind(view, step->process, XPD_ROW_OPS);
    const struct xpd_trace_row *row = number == XPD_NO_INDEX ? NULL : xpd_view_row(view, number);
    if (!row || !row->has_device_clock || row->derived)
        return false;
    for (uint32_t d = 0; d < row->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, number, d);
        uint32_t first = first_from(depth, step->start_ps), end = first_from(depth, step->end_ps);
        if (first == end)
            continue;
        take(&span, view->trace, depth->first_event + first);
        take(&span, view->trace, depth->first_event + end - 1);
    }
    *range = (struct xpd_time_range){(int64_t)span.from_ps, (int64_t)span.to_ps};
    return span.any;
}

int64_t xpd_step_device_ps(const struct xpd_view *view, const struct xpd_step *step)
{
    struct xpd_time_range range;
    if (step->device_ps >= 0)
        return step->device_ps;
    return xpd_step_device_range(view, step, &range) ? range.to_ps - range.from_ps : -1;
}

struct spans {
    const struct xpd_view *view;
    const struct xpd_op_runs *runs;
    const struct xpd_op_program *program;
    const struct xpd_step_numbers *chosen;
    uint32_t chosen_count;
    uint32_t *threads; /* by row: how many steps it marks */
    XPD_VEC(struct xpd_step_span) span;
    XPD_VEC(int64_t) number; /* of each span */
};

static bool is_chosen(const struct spans *spans, int64_t number)
{
    bool found = spans->chosen_count == 0;
    for (uint32_t i = 0; !found && i < spans->chosen_count; i++)
        found = number >= spans->chosen[i].from && number <= spans->chosen[i].to;
    return found;
}

static bool is_of(const struct xpd_op_program *program, uint32_t op)
{
    return !program || (op >= program->first_op && op - program->first_op < program->op_count);
}

static bool runs_in(const struct spans *spans, const struct xpd_op_device_runs *device,
                    int64_t from_ps, int64_t to_ps)
{
    uint32_t first, end;
    xpd_op_runs_range(device, from_ps, to_ps, &first, &end);
    while (first < end && !is_of(spans->program, xpd_op_run_op(device, first)))
        first++;
    return first < end;
}

/* The thread whose marks are the steps of a process: the one with most; XPD_NO_INDEX: a device
 * has its own. */
static uint32_t thread_of(struct spans *spans, uint32_t first, uint32_t end)
{
    const struct xpd_step *step = spans->view->derived->step;
    uint32_t most = XPD_NO_INDEX;
    for (uint32_t i = first; i < end; i++) {
        if (step[i].thread == XPD_NO_INDEX)
            return XPD_NO_INDEX;
        spans->threads[step[i].thread]++;
    }
    for (uint32_t i = first; i < end; i++)
        if (most == XPD_NO_INDEX || spans->threads[step[i].thread] > spans->threads[most])
            most = step[i].thread;
    for (uint32_t i = first; i < end; i++)
        spans->threads[step[i].thread] = 0;
    return most;
}

static void push(struct spans *spans, int64_t from_ps, int64_t to_ps, int64_t number)
{
    struct xpd_step_span span = {from_ps, to_ps, 0};
    XPD_PUSH(&spans->span, span);
    XPD_PUSH(&spans->number, number);
}

static void add_device(struct spans *spans, uint32_t d)
{
    const struct xpd_step *step = spans->view->derived->step;
    const struct xpd_op_device_runs *device = &spans->runs->device[d];
    uint32_t first, end, last = XPD_NO_INDEX;
    xpd_steps_of(spans->view->derived, spans->runs->times->device[d].process, &first, &end);
    uint32_t thread = thread_of(spans, first, end);
    for (uint32_t i = end; i-- > first;) { /* from the last one, which ends those before it */
        if (step[i].thread != thread)
            continue;
        int64_t to_ps = step[i].end_ps;
        if (last != XPD_NO_INDEX && step[last].start_ps < to_ps)
            to_ps = step[last].start_ps;
        last = i;
        if (is_chosen(spans, step[i].number) && runs_in(spans, device, step[i].start_ps, to_ps))
            push(spans, step[i].start_ps, to_ps, step[i].number);
    }
}

static void turn_round(struct spans *spans, size_t first)
{
    for (size_t low = first, high = spans->span.count; low + 1 < high; low++) {
        high--;
        struct xpd_step_span span = spans->span.at[low];
        int64_t number = spans->number.at[low];
        spans->span.at[low] = spans->span.at[high];
        spans->number.at[low] = spans->number.at[high];
        spans->span.at[high] = span;
        spans->number.at[high] = number;
    }
}

/* Numbers of spans become indexes of the different ones. */
static bool number_steps(struct xpd_step_spans *out, struct spans *spans, struct xpd_arena *arena)
{
    size_t count = spans->number.count;
    struct xpd_map64 index = {0};
    out->number = xpd_arena_copy(arena, spans->number.at, count, sizeof *out->number);
    if (!out->number)
        return false;
    if (count > 1)
        qsort(out->number, count, sizeof *out->number, xpd_order_i64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || out->number[i] != out->number[i - 1]) {
            xpd_map64_put(&index, (uint64_t)out->number[i], out->step_count);
            out->number[out->step_count++] = out->number[i];
        }
    for (size_t i = 0; i < count && !index.failed; i++)
        spans->span.at[i].step = xpd_map64_get(&index, (uint64_t)spans->number.at[i]);
    bool fine = !index.failed;
    xpd_map64_fini(&index);
    return fine;
}

static void add_all(struct xpd_step_spans *out, struct spans *spans, bool whole)
{
    uint32_t devices = spans->runs->device_count;
    for (uint32_t d = 0; d < devices; d++) {
        out->first[d] = (uint32_t)spans->span.count;
        if (whole && runs_in(spans, &spans->runs->device[d], INT64_MIN, INT64_MAX))
            push(spans, INT64_MIN, INT64_MAX, 0);
        else if (!whole)
            add_device(spans, d);
        turn_round(spans, out->first[d]);
    }
    out->first[devices] = (uint32_t)spans->span.count;
}

bool xpd_step_spans_make(struct xpd_step_spans *out, struct xpd_arena *arena,
                         const struct xpd_view *view, const struct xpd_op_runs *runs,
                         const struct xpd_op_program *program,
                         const struct xpd_step_numbers *chosen, uint32_t chosen_count)
{
    struct spans spans = {.view = view,
                          .runs = runs,
                          .program = program,
                          .chosen = chosen,
                          .chosen_count = chosen_count};
    *out = (struct xpd_step_spans){0};
    out->first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)runs->device_count + 1);
    spans.threads = XPD_NEW_ARRAY(arena, uint32_t, view->trace->row_count);
    if (!out->first || !spans.threads)
        return false;
    add_all(out, &spans, false);
    out->whole = spans.span.count == 0 && chosen_count == 0;
    if (out->whole)
        add_all(out, &spans, true);
    bool fine = !spans.span.failed && !spans.number.failed;
    if (fine && !out->whole)
        fine = number_steps(out, &spans, arena);
    out->count = (uint32_t)spans.span.count;
    out->span = fine ? XPD_COPY_VEC(arena, &spans.span) : NULL;
    XPD_VEC_FINI(&spans.span);
    XPD_VEC_FINI(&spans.number);
    return out->span != NULL;
}

void xpd_ran_sums(const struct xpd_ran_ops *in, uint64_t *count, int64_t *self_ps)
{
    for (uint32_t d = 0; d < in->runs->device_count; d++)
        for (uint32_t s = in->spans->first[d]; s < in->spans->first[d + 1]; s++) {
            const struct xpd_op_device_runs *device = &in->runs->device[d];
            uint32_t i, end, hint = 0;
            xpd_op_runs_range(device, in->spans->span[s].from_ps, in->spans->span[s].to_ps, &i,
                              &end);
            for (; i < end; i++) {
                uint32_t o = xpd_op_run_op(device, i) - in->program->first_op;
                if (o >= in->program->op_count)
                    continue;
                count[o]++;
                xpd_grow_i64(&self_ps[o], xpd_op_run_self_ps(device, i, &hint));
            }
        }
}
