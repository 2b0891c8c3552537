/* Times by instruction. In: a frozen trace. Out: programs, their ops, each op's share of every
 * device, sorted, in one arena.
 *
 * The executions are found by op_rows.c and op_scan.c. Invariant: an op's sums are those of its
 * shares. */
#include "op_times.h"

#include <stdlib.h>

int xpd_op_times_make(struct xpd_op_times **out, const struct xpd_trace *trace,
                      uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_op_times *times = calloc(1, sizeof *times);
    *out = NULL;
    if (!times)
        return xpd_op_no_memory(err);
    xpd_arena_init(&times->arena, arena_budget_bytes);
    xpd_intern_init(&times->names, &times->arena);
    struct xpd_op_build build = {.trace = trace, .out = times};
    int rc = xpd_op_rows(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_scan(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_freeze(&build, err);
    xpd_op_build_fini(&build);
    if (rc == XPD_OK)
        *out = times;
    else
        xpd_op_times_free(times);
    return rc;
}

void xpd_op_times_free(struct xpd_op_times *times)
{
    if (!times)
        return;
    xpd_intern_fini(&times->names);
    xpd_arena_fini(&times->arena);
    free(times);
}

uint64_t xpd_op_times_memory_bytes(const struct xpd_op_times *times)
{
    const struct xpd_intern *names = &times->names;
    return sizeof *times + times->arena.used_bytes +
           names->capacity * (uint64_t)(sizeof *names->text + sizeof *names->hash) +
           names->slot_count * (uint64_t)sizeof *names->slot;
}
