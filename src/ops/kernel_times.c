/* Time by kernel. In: executions of a host in order of start, its trace. Out: the self time of each
 * operation by the name of the event that an execution is. */
#include "xprofd/ops/op_kernels.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"

struct cursor { /* in the events of one depth of a stream */
    const struct xpd_depth *depth;
    uint32_t at;
};

struct by_kernel {
    const struct xpd_op_row *const *row; /* by op of the host's times */
    const struct xpd_trace *trace;
    struct xpd_map64 found; /* by op and name */
    XPD_VEC(struct cursor) cursor;
    struct xpd_op_kernel_times *to;
};

static void open_streams(struct by_kernel *k, uint32_t process)
{
    const struct xpd_trace_process *of = &k->trace->process[process];
    k->cursor.count = 0;
    for (uint32_t r = of->first_row; r < of->first_row + of->row_count; r++) {
        const struct xpd_trace_row *row = &k->trace->row[r];
        for (uint32_t d = 0; !row->derived && row->kind == XPD_ROW_STREAM && d < row->depth_count;
             d++)
            XPD_PUSH(&k->cursor, ((struct cursor){&k->trace->depth[row->first_depth + d], 0}));
    }
}

/* What the event is called that the execution is, among the names of the trace. Executions come in
 * order of start, so that each depth is gone through once; of several events that begin together
 * the one of the same length. */
static xpd_name_id take_event(struct by_kernel *k, int64_t start_ps, int64_t duration_ps)
{
    struct cursor *taken = NULL;
    for (size_t c = 0; c < k->cursor.count; c++) {
        struct cursor *at = &k->cursor.at[c];
        while (at->at < at->depth->count && xpd_depth_start(at->depth, at->at) < start_ps)
            at->at++;
        if (at->at == at->depth->count || xpd_depth_start(at->depth, at->at) != start_ps)
            continue;
        bool same = xpd_depth_duration(at->depth, at->at) == duration_ps;
        taken = !taken || same ? at : taken;
        if (same)
            break;
    }
    return taken ? k->trace->name[taken->depth->name[taken->at++]].caption : XPD_NO_NAME;
}

static void add_time(struct by_kernel *k, uint32_t op, xpd_name_id name, int64_t self_ps)
{
    uint64_t key = (uint64_t)op << 32 | name;
    uint32_t at = xpd_map64_get(&k->found, key);
    if (at == XPD_NO_INDEX) {
        struct xpd_str kernel = {NULL, 0};
        if (name != XPD_NO_NAME)
            kernel = xpd_intern_get(&k->trace->names, name);
        at = (uint32_t)k->to->time.count;
        XPD_PUSH(&k->to->time, ((struct xpd_op_kernel_time){k->row[op], kernel, 0}));
        xpd_map64_put(&k->found, key, at);
    }
    if (!k->to->time.failed)
        xpd_grow_i64(&k->to->time.at[at].self_ps, self_ps);
}

static void add_range_times(struct by_kernel *k, const struct xpd_op_device_runs *device,
                            uint32_t first, uint32_t end)
{
    uint32_t hint = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t op = xpd_op_run_op(device, i);
        int64_t self_ps = xpd_op_run_self_ps(device, i, &hint);
        if (k->row[op])
            add_time(
                k, op,
                take_event(k, xpd_op_run_start_ps(device, i), xpd_op_run_duration_ps(device, i)),
                self_ps);
    }
}

bool xpd_op_kernel_times_add(struct xpd_op_kernel_times *to, const struct xpd_op_row *const *row,
                             const struct xpd_trace *trace, const struct xpd_op_runs *runs,
                             const struct xpd_op_range *range, uint32_t count)
{
    struct by_kernel k = {.row = row, .trace = trace, .to = to};
    for (uint32_t d = 0; d < runs->device_count; d++) {
        open_streams(&k, runs->times->device[d].process);
        if (!range)
            add_range_times(&k, &runs->device[d], 0, runs->device[d].count);
        for (uint32_t i = 0; range && i < count; i++)
            if (range[i].device == d)
                add_range_times(&k, &runs->device[d], range[i].first, range[i].end);
    }
    bool ok = !to->time.failed && !k.cursor.failed && !k.found.failed;
    xpd_map64_fini(&k.found);
    XPD_VEC_FINI(&k.cursor);
    return ok;
}
