/* Entries of a plane's event_metadata and stat_metadata maps, one by one, without a table of them.
 */
#ifndef XPD_PROFILE_METADATA_H
#define XPD_PROFILE_METADATA_H

#include "profile_walk.h"

enum { XPD_EVENT_METADATA = 4, XPD_STAT_METADATA = 5 }; /* field numbers in XPlane */

struct xpd_metadata_region { /* from the first entry of a map to the end of the last */
    uint64_t at, end;        /* empty when at == end */
};

struct xpd_metadata {
    uint64_t id; /* map key, else the id inside */
    struct xpd_wire_range name;
    struct xpd_wire_range body; /* the XEventMetadata or XStatMetadata */
};

/* The next entry of the map `number`; the region's start moves behind it. Entries that make no
 * sense are left out. */
enum xpd_walk xpd_metadata_next(struct xpd_reader *reader, struct xpd_metadata_region *region,
                                uint32_t number, struct xpd_metadata *entry, struct xpd_err *err);

#endif
