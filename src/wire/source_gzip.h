/* Inflating a whole file; private to source.c. */
#ifndef XPROFD_SRC_WIRE_SOURCE_GZIP_H
#define XPROFD_SRC_WIRE_SOURCE_GZIP_H

#include "xprofd/wire/source.h"

struct xpd_inflated {
    uint8_t *bytes; /* malloc'ed, never NULL on success */
    size_t size;
    bool truncated; /* truncated or damaged: `bytes` holds the part before */
};

/* limit_bytes bounds the result; 0 = no limit. `watch` may be NULL. On failure result->bytes is
 * NULL. */
int xpd_inflate_file(const struct xpd_source *source, uint64_t limit_bytes,
                     const struct xpd_source_watch *watch, struct xpd_inflated *result,
                     struct xpd_err *err);

#endif
