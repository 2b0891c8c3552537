/* Tenancies that begin or end in a range of steps: their number, bytes, and the largest.
 *
 * Made once for a space: sums and maxima of XPD_FLOW_BLOCK tenancies each, in order of their
 * starts and of their ends. A query reads the blocks inside its range and the tenancies at its
 * ends. Tenancies without heap events neither begin nor end. */
#ifndef XPROFD_MEMORY_FLOW_H
#define XPROFD_MEMORY_FLOW_H

#include "xprofd/memory/query.h"

#define XPD_FLOW_BLOCK 64u

struct xpd_flow_sum {
    uint32_t count;
    int64_t bytes; /* stays at INT64_MAX when it does not fit */
};
struct xpd_flow_block {
    struct xpd_flow_sum sum;
    int64_t largest_bytes; /* -1 = none */
};
struct xpd_flow {
    const struct xpd_mem_space *space;    /* must outlive this */
    const struct xpd_flow_block *started; /* by XPD_FLOW_BLOCK tenancies of the space */
    const uint32_t *by_end;               /* tenancies that were freed, by their end */
    uint32_t end_count;
    const int64_t *ended_bytes; /* by XPD_FLOW_BLOCK of by_end */
};

/* O(steps + tenancies); 4 bytes a tenancy stay, 4 bytes a step are scratch. False without memory.
 */
bool xpd_flow_make(struct xpd_flow *flow, const struct xpd_mem_space *space, struct xpd_arena *keep,
                   struct xpd_arena *scratch);
/* Tenancies that begin in the window, and those freed in it. */
struct xpd_flow_sum xpd_flow_started(const struct xpd_flow *flow, struct xpd_step_window window);
struct xpd_flow_sum xpd_flow_ended(const struct xpd_flow *flow, struct xpd_step_window window);
/* The largest of those that begin in the window, of equal ones the first; returns how many were
 * written, at most `capacity`. */
uint32_t xpd_flow_largest(const struct xpd_flow *flow, struct xpd_step_window window, uint32_t *out,
                          uint32_t capacity);

#endif
