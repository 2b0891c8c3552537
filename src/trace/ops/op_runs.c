/* Every execution of every instruction. In: a frozen trace and its times of instructions. Out:
 * columns by device, in order of start.
 *
 * Those of TPUs stay where they stand in the trace (op_row_runs.c). The others were found in the
 * pass of the times, which have their columns (op_found.c). */
#include "op_times.h"

#include "xprofd/base/bisect.h"

#include <stdlib.h>

int xpd_op_runs_make(struct xpd_op_runs **out, const struct xpd_trace *trace,
                     const struct xpd_op_times *times, uint64_t arena_budget_bytes,
                     struct xpd_err *err)
{
    struct xpd_op_runs *runs = calloc(1, sizeof *runs);
    *out = NULL;
    if (!runs)
        return xpd_op_no_memory(err);
    xpd_arena_init(&runs->arena, arena_budget_bytes);
    runs->times = times;
    runs->device_count = times->device_count;
    runs->device = XPD_NEW_ARRAY(&runs->arena, struct xpd_op_device_runs, times->device_count);
    for (uint32_t d = 0; runs->device && times->found && d < times->device_count; d++)
        runs->device[d] = times->found[d];
    int rc = runs->device ? xpd_op_row_runs(runs, trace, err) : xpd_op_no_memory(err);
    if (rc == XPD_OK)
        *out = runs;
    else
        xpd_op_runs_free(runs);
    return rc;
}

void xpd_op_runs_free(struct xpd_op_runs *runs)
{
    if (!runs)
        return;
    for (uint32_t i = 0; i < runs->own_count; i++)
        xpd_op_runs_free(runs->own[i]);
    xpd_arena_fini(&runs->arena);
    free(runs);
}

uint64_t xpd_op_runs_memory_bytes(const struct xpd_op_runs *runs)
{
    uint64_t bytes = sizeof *runs + runs->arena.used_bytes;
    for (uint32_t i = 0; i < runs->own_count; i++)
        bytes += runs->own[i] ? xpd_op_runs_memory_bytes(runs->own[i]) : 0;
    return bytes;
}

/* ---- asking ---- */

void xpd_op_runs_range(const struct xpd_op_device_runs *device, int64_t from_ps, int64_t to_ps,
                       uint32_t *first, uint32_t *end)
{
    uint32_t low = 0;
    XPD_BISECT(low, device->count, middle, xpd_op_run_start_ps(device, middle) < from_ps);
    *first = low;
    XPD_BISECT(low, device->count, middle, xpd_op_run_start_ps(device, middle) < to_ps);
    *end = low;
}
