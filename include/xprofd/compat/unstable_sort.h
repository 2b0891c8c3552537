/* XProf sorts with std::sort, which leaves equal elements in an order of its own; rows of Host
 * Offload and requests of equal length depend on it. */
#ifndef XPROFD_COMPAT_UNSTABLE_SORT_H
#define XPROFD_COMPAT_UNSTABLE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpd_unstable { /* by start, then duration; the rest goes along */
    int64_t start_ps, duration_ps;
    uint64_t event;
    uint32_t name;
    bool async;
};
void xpd_unstable_sort(struct xpd_unstable *at, size_t count);

#endif
