/* What one buffer saves. In: a buffer, or a row of what is held. Out: how far the peak falls
 * without it. */
#include "xprofd/memory/held.h"

/* The peak stays where it is, and as high, unless the storage is held there. */
static bool is_held_at_peak(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                            uint32_t buffer)
{
    uint32_t at = mem->buffer[mem->buffer[buffer].root].storage_tenancy;
    for (; at < space->tenancy_count; at = space->tenancy[at].next_of_buffer)
        if (space->tenancy[at].start_step <= space->peak_step &&
            space->peak_step < space->tenancy[at].end_step)
            return true;
    return false;
}

int64_t xpd_saving_of(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                      struct xpd_arena *arena)
{
    uint32_t allocation = mem->buffer[buffer].allocation;
    if (allocation == XPD_NO_INDEX || mem->hlo->allocation[allocation].color != space->color)
        return 0;
    if (mem->buffer[buffer].mem_class == XPD_CLASS_TEMPORARY &&
        !is_held_at_peak(mem, space, buffer))
        return 0;
    return xpd_saving(mem, space, &buffer, 1, NULL, NULL, arena);
}

int64_t xpd_held_saving(const struct xpd_held *row, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    if (row->buffer == XPD_NO_INDEX)
        return row->tenancy == XPD_NO_INDEX ? row->size_bytes : 0;
    return xpd_saving_of(mem, space, row->buffer, arena);
}
