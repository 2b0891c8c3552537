/* What an open file is; shared by source.c, which opens it, and source_read.c, which reads it. */
#ifndef XPROFD_WIRE_SOURCE_INTERNAL_H
#define XPROFD_WIRE_SOURCE_INTERNAL_H

#include "xprofd/wire/source.h"

struct xpd_source {
    int fd;                /* -1: everything is in memory */
    const uint8_t *memory; /* NULL: read through fd */
    uint8_t *owned;        /* inflated bytes */
    uint64_t size;
    struct xpd_identity identity;
    bool truncated_gzip;
    char *path; /* NULL: not a file */
    char *name; /* last part of path, or the name given */
};

#endif
