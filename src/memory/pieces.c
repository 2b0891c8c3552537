/* How large a tenancy is at which steps. In: a frozen space. Out: pieces of equal size. */
#include "xprofd/memory/query.h"

#include "memory_internal.h"

uint32_t xpd_tenancy_pieces(const struct xpd_mem_space *space, uint32_t tenancy,
                            struct xpd_tenancy_piece *out, uint32_t capacity)
{
    const struct xpd_tenancy *t = &space->tenancy[tenancy];
    uint32_t growths, first = xpd_growths_of(space->index, tenancy, &growths), from = t->start_step;
    int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
    for (uint32_t k = 0; k <= growths; k++) {
        const struct xpd_growth *g = k < growths ? &space->index->growth[first + k] : NULL;
        if (k < capacity)
            out[k] = (struct xpd_tenancy_piece){from, g ? g->step : t->end_step, size};
        if (g) {
            from = g->step;
            size = g->after_bytes;
        }
    }
    return growths + 1;
}
