/* Shared by the files of report/. */
#ifndef XPROFD_SRC_REPORT_INTERNAL_H
#define XPROFD_SRC_REPORT_INTERNAL_H

#include "xprofd/report/report.h"

/* Addresses of a heap that exactly one tenancy ever has, as ascending ranges. */
struct xpd_own {
    int64_t *from, *to;
    int64_t *before; /* own bytes below from[i] */
    uint32_t count;
};
/* `by_address`: all tenancies, by offset. The ranges live in the arena. */
bool xpd_own_make(struct xpd_own *own, struct xpd_report_addresses *addresses,
                  const struct xpd_mem_space *space, const uint32_t *by_address,
                  struct xpd_arena *arena);
/* Own addresses in [offset, offset + size). */
int64_t xpd_own_bytes(const struct xpd_own *own, int64_t offset, int64_t size);

#endif
