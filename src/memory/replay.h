/* The plan the replay follows; internal to trace_plan.c, untraced.c and replay.c. */
#ifndef XPROFD_SRC_MEMORY_REPLAY_H
#define XPROFD_SRC_MEMORY_REPLAY_H

#include "internal.h"

struct xpd_space_plan {
    uint32_t steps, lanes, tenancies, untraced; /* tenancies: at most, without the untraced */
};
struct xpd_trace_plan {
    bool *skipped;   /* by trace */
    uint32_t *home;  /* by trace: space with most of its events */
    bool *traced;    /* by buffer: some ALLOC or SHARE_WITH names it */
    struct xpd_space_plan *space;
};
bool xpd_trace_plan_make(struct xpd_mem_build *b, struct xpd_trace_plan *plan);

/* Fills the whole-program tenancies at the front of each space, by offset, and totals.untraced. */
bool xpd_untraced_place(struct xpd_mem_build *b, const struct xpd_trace_plan *plan);
/* Puts a tenancy that starts at step 0 to its place among the untraced ones. */
void xpd_untraced_merge(struct xpd_mem *mem, struct xpd_mem_space *space, uint32_t untraced);

#endif
