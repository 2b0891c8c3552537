/* The highest point of what is left, stretch by stretch. */
#include "what_if.h"

#include "xprofd/base/checked.h"

void xpd_rest_take(const struct xpd_mem_space *space, struct xpd_rest *rest, uint32_t from,
                   uint32_t to, int64_t removed_bytes)
{
    if (from >= to)
        return;
    uint32_t step = xpd_live_argmax(space, from, to);
    int64_t left = space->live_bytes[step];
    xpd_grow_i64(&left, removed_bytes == INT64_MIN ? INT64_MAX : -removed_bytes);
    if (rest->step == XPD_NO_STEP || left > rest->bytes) {
        rest->step = step;
        rest->bytes = left;
    }
}
