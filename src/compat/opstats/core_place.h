/* Where a TPU's core is, as its plane says: the proto CoreDetails in the stat core_details. */
#ifndef XPROFD_COMPAT_OPSTATS_CORE_PLACE_H
#define XPROFD_COMPAT_OPSTATS_CORE_PLACE_H

#include "xprofd/trace/trace.h"

struct xpd_core_place {
    uint32_t core; /* the plane's id; of several hosts, as steps number cores */
    uint32_t ordinal, chip;
    bool sparse;
};
/* False: it says nothing. */
bool xpd_core_place_of(const struct xpd_trace *trace, uint32_t plane, struct xpd_core_place *out);

#endif
