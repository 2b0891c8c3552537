/* A joined trace: whose file an event or a process is of, and what that says of it. */
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
