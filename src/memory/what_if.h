/* Parts of what_if.c that what_if_union.c needs; internal. */
#ifndef XPROFD_SRC_MEMORY_WHAT_IF_H
#define XPROFD_SRC_MEMORY_WHAT_IF_H

#include "internal.h"
#include "xprofd/memory/query.h"

struct xpd_removed { /* tenancies that are gone */
    uint32_t *tenancy;
    uint32_t count;
};
struct xpd_rest { /* the highest point of what is left */
    uint32_t step;
    int64_t bytes;
};
/* Takes steps [from, to), in which the removed hold a constant number of bytes, into account. */
void xpd_rest_take(const struct xpd_mem_space *space, struct xpd_rest *rest, uint32_t from,
                   uint32_t to, int64_t removed_bytes);
bool xpd_rest_of_union(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                       struct xpd_arena *scratch, struct xpd_rest *rest);

#endif
