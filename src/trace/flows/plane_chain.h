/* Planes of one name are one process: from a plane to the others of its name, without comparing
 * each with all. */
#ifndef XPROFD_TRACE_PLANE_CHAIN_H
#define XPROFD_TRACE_PLANE_CHAIN_H

#include "xprofd/base/map64.h"
#include "xprofd/trace/trace.h"

struct xpd_plane_chain {
    struct xpd_map64
        first;      /* name -> lowest plane with it; names are interned: equal text, equal id */
    uint32_t *next; /* the next plane of the same name, or XPD_NO_INDEX; malloc'ed */
};

/* False without memory; fini is legal then too. */
bool xpd_plane_chain_init(struct xpd_plane_chain *chain, const struct xpd_xspace *space);
/* The planes of a name in order: first, then next[] of each, until XPD_NO_INDEX. */
uint32_t xpd_plane_chain_first(const struct xpd_plane_chain *chain, xpd_name_id name);
void xpd_plane_chain_fini(struct xpd_plane_chain *chain);

#endif
