/* The global array of a sharding.
 *
 * In an SPMD program shapes are those of one device. A sharding `devices=[4,1,2]<=[8]
 * last_tile_dim_replicate` cuts dimension 0 into 4 parts and keeps 2 copies: the global shape is
 * the local one times the tile dims. A local size is rounded up, so the product is the most
 * the global size can be. Rules of the text: XLA's HloSharding::ToString. */
#ifndef XPROFD_HLO_SHARDING_H
#define XPROFD_HLO_SHARDING_H

#include "xprofd/base/arena.h"
#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/hlo/shape.h"

enum xpd_sharding_kind {
    XPD_SHARDING_NONE, /* not understood, or a tuple's */
    XPD_SHARDING_REPLICATED,
    XPD_SHARDING_ONE_DEVICE, /* maximal */
    XPD_SHARDING_MANUAL,
    XPD_SHARDING_TILED
};
enum { XPD_SHARDING_RANK = 32 };

struct xpd_sharding {
    enum xpd_sharding_kind kind;
    uint32_t rank; /* tile dims of the array */
    int64_t tiles[XPD_SHARDING_RANK];
    int64_t copies; /* devices that hold the same part */
    int64_t device; /* ONE_DEVICE */
};

void xpd_sharding_parse(struct xpd_sharding *out, struct xpd_str text);
/* dims of the global array for a local one; false when ranks differ or on overflow. */
bool xpd_sharding_global(const struct xpd_sharding *sharding, const struct xpd_shape *local,
                         int64_t dims[XPD_SHARDING_RANK]);
/* One sentence; `local` may be NULL. */
void xpd_sharding_words(struct xpd_strbuf *out, const struct xpd_sharding *sharding,
                        const struct xpd_shape *local);

#endif
