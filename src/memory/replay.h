/* The plan the replay follows and its state; internal to trace_plan.c, untraced.c and replay*.c. */
#ifndef XPROFD_SRC_MEMORY_REPLAY_H
#define XPROFD_SRC_MEMORY_REPLAY_H

#include "memory_internal.h"

#include "xprofd/base/vec.h"

struct xpd_space_plan {
    uint32_t steps, lanes, tenancies, untraced; /* tenancies: at most, without the untraced */
};
struct xpd_trace_plan {
    bool *skipped;  /* by trace */
    uint32_t *home; /* by trace: space with most of its events */
    bool *traced;   /* by buffer: some ALLOC or SHARE_WITH names it */
    struct xpd_space_plan *space;
};
bool xpd_trace_plan_make(struct xpd_mem_build *b, struct xpd_trace_plan *plan);

/* Fills the whole-program tenancies at the front of each space, by offset, and totals.untraced. */
bool xpd_untraced_place(struct xpd_mem_build *b, const struct xpd_trace_plan *plan);
/* Puts a tenancy that starts at step 0 to its place among the untraced ones. */
void xpd_untraced_merge(struct xpd_mem *mem, struct xpd_mem_space *space, uint32_t untraced);

struct xpd_replay_value { /* of one logical buffer while one trace is replayed */
    uint32_t trace;       /* trace + 1 that last touched it: older content counts as zero */
    uint32_t parent;
    uint32_t refs;          /* holders of the storage, on its root */
    uint32_t holds;         /* ALLOCs and SHARE_WITHs of this value without their FREE */
    uint32_t tenancy;       /* open one, on the root */
    bool was_held, is_root; /* of others */
};

struct xpd_channel { /* one space while a trace is replayed */
    uint32_t trace;  /* trace + 1 of the open lane */
    uint32_t step, lane;
    uint32_t lane_tenancy; /* first tenancy of the open lane */
    uint32_t running;
    int64_t live, listed, unpadded;
    XPD_VEC(struct xpd_growth) growth;
};

struct xpd_replay {
    struct xpd_mem_build *b;
    struct xpd_mem *mem;
    const struct xpd_hlo *hlo;
    struct xpd_replay_value *value;
    struct xpd_channel *channel;
    uint32_t *last_tenancy;      /* of a storage over all lanes, by root buffer */
    uint32_t trace, event;       /* now */
    uint32_t *lanes, lane_count; /* spaces of the lanes of this trace */
    uint32_t held;               /* values held now */
    bool relinked;               /* a root became a sharer: roots noted before are stale */
};

#endif
