/* The host of an event or process in a joined trace, and its data. */
#include "xprofd/base/bisect.h"
#include "xprofd/trace/join.h"

/* The last part that begins at or before it; the first begins at 0. */
const struct xpd_trace_host *xpd_part_of_event(const struct xpd_trace *trace, uint64_t event)
{
    uint32_t next = 1;
    XPD_BISECT(next, trace->part_count, middle, trace->part[middle].first_event <= event);
    return &trace->part[next - 1];
}

const struct xpd_trace_host *xpd_part_of_process(const struct xpd_trace *trace, uint32_t process)
{
    uint32_t next = 1;
    XPD_BISECT(next, trace->part_count, middle, trace->part[middle].first_process <= process);
    return &trace->part[next - 1];
}

bool xpd_trace_comparable(const struct xpd_trace *trace, uint32_t process, uint32_t other)
{
    if (!trace->part)
        return true;
    const struct xpd_trace_host *a = xpd_part_of_process(trace, process);
    const struct xpd_trace_host *b = xpd_part_of_process(trace, other);
    return a == b || (a->placed == XPD_PLACED_CLOCK && b->placed == XPD_PLACED_CLOCK);
}

int64_t xpd_first_run(const struct xpd_trace *trace, uint32_t process)
{
    return trace->part ? xpd_part_of_process(trace, process)->first_run : 0;
}

bool xpd_trace_has_devices(const struct xpd_trace *trace)
{
    for (uint32_t p = 0; p < trace->process_count; p++)
        if (xpd_process_is_tpu(trace->process[p].kind) || trace->process[p].kind == XPD_PROCESS_GPU)
            return true;
    return false;
}

bool xpd_trace_process_says(const struct xpd_trace *trace, uint32_t process, struct xpd_str stat)
{
    uint64_t id;
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_process(trace, process);
        return xpd_trace_process_says(part->trace, process - part->first_process, stat);
    }
    return xpd_plane_stat_id(&trace->tables[trace->process[process].plane], &trace->names, stat,
                             &id);
}

static bool has_devices_beside(const struct xpd_trace *trace, uint32_t process)
{
    return xpd_trace_has_devices(trace->part ? xpd_part_of_process(trace, process)->trace : trace);
}

const char *xpd_trace_computes_not(const struct xpd_trace *trace, uint32_t process)
{
    enum xpd_process_kind kind = trace->process[process].kind;
    if (xpd_process_is_chip(kind) || trace->process[process].ran_ops)
        return NULL;
    if (kind != XPD_PROCESS_HOST)
        return "compute and communication are told apart on TensorCores, GPUs and CPU threads only";
    return has_devices_beside(trace, process)
               ? "threads beside chips launch work; what is computed is counted on the chips"
               : "no event is an operation: neither of a program (stat hlo_op) nor of TensorFlow's "
                 "executor; what the threads computed is not known";
}

bool xpd_trace_computes(const struct xpd_trace *trace, uint32_t process)
{
    return !xpd_trace_computes_not(trace, process);
}
