/* Goes through the rows of operations of a chip. In: a frozen trace. Out: its depths, one by one.
 */
#include "op_rows.h"
#include "xprofd/trace/window.h"

void xpd_op_reader_init(struct xpd_op_reader *rows, const struct xpd_trace *trace, bool host_clock)
{
    *rows =
        (struct xpd_op_reader){.trace = trace, .host_clock = host_clock, .view = {.trace = trace}};
    rows->ask = (struct xpd_totals_ask){.view = &rows->view,
                                        .clock = host_clock ? XPD_CLOCK_HOST : XPD_CLOCK_DEVICE,
                                        .range = xpd_view_all(&rows->view)};
    rows->plan.ask = &rows->ask;
    rows->worker.plan = &rows->plan;
}

static struct xpd_op_depth open_depth(struct xpd_op_reader *rows, uint32_t row, uint32_t d)
{
    struct xpd_op_depth at = {.rows = rows, .depth = xpd_view_depth(&rows->view, row, d)};
    at.above = d > 0 ? at.depth - 1 : NULL;
    at.child = d + 1 < xpd_view_row(&rows->view, row)->depth_count ? at.depth + 1 : NULL;
    at.loop = xpd_totals_loop_of(&rows->worker, at.depth, at.child);
    xpd_view_range(&rows->view, at.depth, rows->ask.range, &at.first, &at.end);
    if (at.child && at.first < at.end)
        at.below = xpd_depth_first_touching(at.child, xpd_depth_start(at.depth, at.first));
    return at;
}

uint64_t xpd_op_reader_each(struct xpd_op_reader *rows, uint32_t process, xpd_op_depth_fn *fn,
                            void *user)
{
    const struct xpd_trace *trace = rows->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    rows->worker.nesting = (struct xpd_nesting){.reads_left = XPD_NESTING_READS_MAX};
    for (uint32_t r = at->first_row; r < at->first_row + at->row_count; r++)
        for (uint32_t d = 0; trace->row[r].kind == XPD_ROW_OPS && d < trace->row[r].depth_count;
             d++) {
            struct xpd_op_depth depth = open_depth(rows, r, d);
            fn(user, &depth);
        }
    return rows->worker.nesting.unchecked;
}
