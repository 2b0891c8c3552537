/* Which buffers an instruction defines.
 *
 * In: the buffers' instructions. Out: the same turned round, by counting: how many each has, where
 * they begin, then each into its place. */
#include "xprofd/hlo/module.h"

bool xpd_hlo_buffers_of(struct xpd_buffers_of *of, const struct xpd_hlo *hlo,
                        struct xpd_arena *arena)
{
    const uint32_t *owner = hlo->buffers.instruction;
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)hlo->instructions.count + 2);
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, hlo->buffers.count);
    if (!first || !at)
        return false;
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            first[owner[i] + 2]++; /* one further than its end: the filling moves it down */
    for (uint32_t i = 2; i < hlo->instructions.count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            at[first[owner[i] + 1]++] = i;
    of->first = first;
    of->at = at;
    return true;
}
