/* When devices were busy, and when threads beside the program fetched. In: events. Out: joined
 * intervals. */
#include "../steps/overlap_work.h"
#include "spans.h"

#include "xprofd/base/checked.h"

bool input_is_loader_pool(struct xpd_str row_caption)
{
    return xpd_str_starts(row_caption, "tf_data");
}

static void put_all(struct xpd_intervals *out, const struct xpd_intervals *more)
{
    for (size_t i = 0; i < more->count; i++)
        XPD_PUSH(out, more->at[i]);
    out->failed |= more->failed;
}

/* Events of a row whose names are wanted, outermost or not. */
static void put_named(struct xpd_intervals *out, const struct xpd_view *view, uint32_t row,
                      const bool *wanted)
{
    const struct xpd_trace_row *of = xpd_view_row(view, row);
    for (uint32_t d = 0; d < of->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(view, row, d);
        for (uint32_t i = 0; i < depth->count; i++) {
            int64_t end_ps = depth->start_ps[i];
            xpd_grow_i64(&end_ps, depth->duration_ps[i]);
            if (wanted[depth->name[i]])
                xpd_intervals_put(out, INT64_MIN, INT64_MAX, depth->start_ps[i], end_ps);
        }
    }
}

/* Without a program that says its operations, TensorFlow's executors are the device. */
static bool add_executors(struct xpd_intervals *out, const struct xpd_view *view)
{
    uint32_t names = view->trace->name_count;
    bool *wanted = calloc((size_t)names + 1, sizeof *wanted), any = false;
    for (uint32_t n = 0; wanted && n < names; n++) {
        wanted[n] = xpd_str_starts(input_full_name(view, n), "ExecutorState::Process");
        any |= wanted[n];
    }
    for (uint32_t row = 0; any && row < view->trace->row_count; row++)
        if (input_is_thread(view, row) && !input_is_loader_pool(xpd_view_row_caption(view, row)))
            put_named(out, view, row, wanted);
    free(wanted);
    return wanted != NULL;
}

int input_busy(struct xpd_intervals *out, const struct xpd_view *view,
               const struct xpd_overlap_table *table, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    bool failed = false;
    for (uint32_t p = 0; p < trace->process_count && !failed; p++) {
        struct xpd_overlapping chip = {.view = view, .table = table};
        if (!xpd_trace_computes(trace, p) || trace->process[p].event_count == 0)
            continue;
        xpd_overlap_collect(&chip, p, xpd_view_all(view));
        put_all(out, &chip.compute);
        put_all(out, &chip.comm);
        put_all(out, &chip.copy);
        failed = xpd_overlap_failed(&chip);
        xpd_overlap_close(&chip);
    }
    if (!failed && out->count == 0 && !xpd_trace_has_devices(trace))
        failed = !add_executors(out, view);
    xpd_intervals_join(out);
    return failed || out->failed
               ? xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for busy times")
               : XPD_OK;
}

bool input_fetches(struct xpd_intervals *out, const struct xpd_view *view,
                   const struct input_name *name, uint32_t program)
{
    uint32_t names = view->trace->name_count;
    bool *wanted = calloc((size_t)names + 1, sizeof *wanted), any = false;
    for (uint32_t n = 0; wanted && n < names; n++) {
        wanted[n] = name[n].kind == KIND_FETCH && !name[n].tf_stage;
        any |= wanted[n];
    }
    for (uint32_t row = 0; any && row < view->trace->row_count; row++)
        if (row != program && input_is_thread(view, row))
            put_named(out, view, row, wanted);
    free(wanted);
    xpd_intervals_join(out);
    return wanted && !out->failed;
}

bool input_without(struct xpd_intervals *out, const struct xpd_intervals *a,
                   const struct xpd_intervals *b)
{
    size_t k = 0;
    for (size_t i = 0; i < a->count; i++) {
        int64_t at_ps = a->at[i].start_ps, end_ps = a->at[i].end_ps;
        while (k < b->count && b->at[k].end_ps <= at_ps)
            k++;
        for (size_t j = k; at_ps < end_ps; j++) {
            bool more = j < b->count && b->at[j].start_ps < end_ps;
            int64_t stop_ps = more ? b->at[j].start_ps : end_ps;
            if (stop_ps > at_ps)
                XPD_PUSH(out, ((struct xpd_interval){at_ps, stop_ps}));
            if (!more)
                break;
            at_ps = b->at[j].end_ps;
        }
    }
    return !out->failed;
}
