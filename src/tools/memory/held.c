/* What a row of xpd_held_at saves. In: a row. Out: how far the peak falls without it. */
#include "xprofd/tools/held.h"
#include "../common/common.h"

int64_t xpd_held_saving(const struct xpd_held *row, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    if (row->buffer == XPD_NO_INDEX)
        return row->tenancy == XPD_NO_INDEX ? row->size_bytes : 0;
    return xpd_tools_saving_of(mem, space, row->buffer, arena);
}
