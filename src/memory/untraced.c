/* Members of temp allocations that no heap event names: they hold their bytes the whole program.
 *
 * In: the plan. Out: the first tenancies of each space, by offset, and totals.untraced (the union
 * of their address ranges, since several values may lie in one place). */
#include "replay.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>
#include <string.h>

static int by_offset(const void *x, const void *y)
{
    const struct xpd_tenancy *a = x, *b = y;
    if (a->offset_bytes != b->offset_bytes)
        return a->offset_bytes < b->offset_bytes ? -1 : 1;
    return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

bool xpd_untraced_place(struct xpd_mem_build *b, const struct xpd_trace_plan *plan)
{
    struct xpd_mem *mem = b->mem;
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++) {
        uint32_t s = b->space_of_buffer[i];
        if (s == XPD_NO_INDEX || plan->traced[i])
            continue;
        struct xpd_mem_space *space = &mem->space[s];
        struct xpd_mem_buffer *buffer = &mem->buffer[i];
        int64_t size = buffer->size_bytes > buffer->assigned_bytes ? buffer->size_bytes
                                                                   : buffer->assigned_bytes;
        space->tenancy[space->tenancy_count++] =
            (struct xpd_tenancy){.buffer = i,
                                 .end_step = space->step_count,
                                 .lane = XPD_NO_INDEX,
                                 .flags = XPD_TENANCY_UNTRACED,
                                 .next_of_buffer = XPD_NO_INDEX,
                                 .offset_bytes = xpd_add_i64(b->heap_base[buffer->allocation],
                                                             buffer->offset_bytes, &b->overflow),
                                 .size_bytes = size,
                                 .listed_bytes = buffer->size_bytes,
                                 .unpadded_bytes = buffer->unpadded_bytes};
    }
    for (uint32_t s = 0; s < mem->space_count; s++) {
        struct xpd_mem_space *space = &mem->space[s];
        qsort(space->tenancy, space->tenancy_count, sizeof *space->tenancy, by_offset);
        int64_t top = INT64_MIN;
        for (uint32_t i = 0; i < space->tenancy_count; i++) {
            const struct xpd_tenancy *t = &space->tenancy[i];
            mem->buffer[t->buffer].first_tenancy = mem->buffer[t->buffer].storage_tenancy = i;
            int64_t end = xpd_add_i64(t->offset_bytes, t->size_bytes, &b->overflow);
            int64_t from = t->offset_bytes > top ? t->offset_bytes : top;
            if (end > from)
                space->totals.untraced =
                    xpd_add_i64(space->totals.untraced, end - from, &b->overflow);
            top = end > top ? end : top;
        }
    }
    return true;
}

void xpd_untraced_merge(struct xpd_mem *mem, struct xpd_mem_space *space, uint32_t untraced)
{
    if (untraced == 0 || untraced >= space->tenancy_count ||
        space->tenancy[untraced].start_step != 0)
        return;
    struct xpd_tenancy moved = space->tenancy[untraced];
    uint32_t place = 0;
    while (place < untraced && space->tenancy[place].offset_bytes <= moved.offset_bytes)
        place++;
    if (place == untraced)
        return;
    memmove(space->tenancy + place + 1, space->tenancy + place,
            (untraced - place) * sizeof *space->tenancy);
    space->tenancy[place] = moved;
    /* Only this tenancy and the untraced ones behind its place changed their number; values that
     * share it are found among the buffers of this space. */
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++) {
        struct xpd_mem_buffer *buffer = &mem->buffer[i];
        if (buffer->allocation == XPD_NO_INDEX ||
            mem->hlo->allocation[buffer->allocation].color != space->color)
            continue;
        if (buffer->first_tenancy == untraced)
            buffer->first_tenancy = place;
        if (buffer->storage_tenancy == untraced)
            buffer->storage_tenancy = place;
    }
    for (uint32_t i = place + 1; i <= untraced; i++) {
        struct xpd_mem_buffer *buffer = &mem->buffer[space->tenancy[i].buffer];
        buffer->first_tenancy = buffer->storage_tenancy = i;
    }
}
