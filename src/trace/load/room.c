/* The memory for decoding lines, and the error when it is exhausted. */
#include "load_lines.h"

#include <stdlib.h>

int xpd_worker_no_room(struct xpd_worker *worker)
{
    return xpd_fail(&worker->err, XPD_ELIMIT, xpd_source_name(worker->build->trace->source),
                    XPD_NO_OFFSET,
                    "The events of this profile do not fit the memory budget; raise "
                    "--memory-limit.");
}

/* Fresh pages cost more than decoding into them: a piece is used for the next row too, unless that
 * one needs less than half of it. */
static bool reserve_large(struct xpd_filling *filling)
{
    struct xpd_worker *worker = filling->worker;
    struct xpd_trace_blocks *blocks = worker->build->trace->blocks;
    bool fits = worker->large_bytes >= filling->bytes && worker->large_bytes / 2 < filling->bytes;
    if (!fits) {
        xpd_blocks_give_back(blocks, worker->large, worker->large_bytes);
        worker->large = xpd_blocks_take_large(blocks, filling->bytes);
        worker->large_bytes = worker->large ? filling->bytes : 0;
    }
    filling->memory = worker->large;
    return filling->memory != NULL;
}

/* Rows of work (xpd_view_executes): of others nobody asks when they began by the device's clock. */
static bool wants_starts(const struct xpd_filling *filling)
{
    const struct xpd_trace_build *build = filling->worker->build;
    const struct xpd_row_unit *unit = filling->unit;
    bool any = false;
    for (uint32_t i = 0; i < unit->ref_count; i++)
        any |= build->plane[build->ref[unit->first_ref + i].plane].wanted.has_device_start;
    return any && (unit->kind == XPD_ROW_OPS || unit->kind == XPD_ROW_STREAM ||
                   unit->kind == XPD_ROW_LINE);
}

/* The columns in that piece of memory. */
static int lay(struct xpd_filling *filling, void *memory)
{
    struct xpd_worker *worker = filling->worker;
    filling->all = xpd_columns_lay(memory, filling->capacity, filling->with);
    filling->all.count = 0;
    if (!wants_starts(filling))
        return XPD_OK;
    if (!xpd_vec_grow((void **)&worker->starts, &worker->starts_capacity, filling->capacity,
                      sizeof *worker->starts))
        return xpd_worker_no_room(worker);
    filling->all.device_start_ps = worker->starts;
    return XPD_OK;
}

int xpd_fill_reserve(struct xpd_filling *filling)
{
    struct xpd_worker *worker = filling->worker;
    const struct xpd_trace_build *build = worker->build;
    const struct xpd_row_unit *unit = filling->unit;
    if (unit->event_count >= UINT32_MAX)
        return xpd_fail(&worker->err, XPD_ELIMIT, xpd_source_name(build->trace->source),
                        XPD_NO_OFFSET, "A row has %llu events, more than the %u that fit one.",
                        (unsigned long long)unit->event_count, UINT32_MAX - 1);
    for (uint32_t i = 0; i < unit->ref_count; i++)
        if (build->plane[build->ref[unit->first_ref + i].plane].wanted.has_device)
            filling->with |= XPD_WITH_DEVICE;
    if (build->trace->space->file_bytes > UINT32_MAX)
        filling->with |= XPD_WITH_HIGH;
    filling->capacity = (uint32_t)unit->event_count;
    filling->bytes = xpd_columns_bytes(filling->capacity, filling->with);
    if (filling->bytes >= XPD_LARGE_BYTES) {
        if (!reserve_large(filling))
            return xpd_worker_no_room(worker);
        return lay(filling, filling->memory);
    }
    if (filling->bytes > worker->small_bytes) {
        free(worker->small);
        worker->small_bytes = XPD_LARGE_BYTES;
        worker->small = malloc(worker->small_bytes);
        if (!worker->small) {
            worker->small_bytes = 0;
            return xpd_worker_no_room(worker);
        }
    }
    return lay(filling, worker->small);
}
