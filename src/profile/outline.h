/* Key fields near the top of an HloProto, without loading it. */
#ifndef XPD_PROFILE_OUTLINE_H
#define XPD_PROFILE_OUTLINE_H

#include "profile_walk.h"

struct xpd_plane_outline {
    struct xpd_wire_range name; /* of the module; size 0 = none found */
    uint64_t module_id;
    const char
        *platform; /* "tpu", "gpu", "cpu" or "": device_type, else tiled layouts mean a TPU */
    bool has_assignment;
};

/* `bare`: the range is an HloModuleProto. XPD_EFORMAT when there is no module name in it. */
int xpd_outline_read(struct xpd_reader *reader, struct xpd_wire_range range, bool bare,
                     struct xpd_plane_outline *out, struct xpd_err *err);

#endif
