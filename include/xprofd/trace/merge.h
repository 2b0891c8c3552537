/* Merges the events of many depths in order of time, with a heap over the next event of each. */
#ifndef XPROFD_TRACE_MERGE_H
#define XPROFD_TRACE_MERGE_H

#include "xprofd/trace/trace.h"

struct xpd_merged {
    int64_t start_ps, duration_ps;
    uint64_t event;
    uint32_t name, index;          /* index in its depth */
    const struct xpd_depth *depth; /* where it lies */
};

/* Ties of start are in order of duration (or against it), then of the depths as they were added. */
struct xpd_merge {
    struct xpd_merge_head {
        const struct xpd_depth *depth;
        int64_t start_ps; /* of its event `next` */
        uint32_t next, rank;
    } * head; /* a binary heap, earliest first */
    uint32_t count, capacity;
    bool longest_first;
    bool failed; /* no memory */
};

void xpd_merge_init(struct xpd_merge *merge, bool longest_first);
void xpd_merge_fini(struct xpd_merge *merge);
/* Add all of them, then take. */
void xpd_merge_add(struct xpd_merge *merge, const struct xpd_depth *depth);
/* From its event `first` on. */
void xpd_merge_add_from(struct xpd_merge *merge, const struct xpd_depth *depth, uint32_t first);
void xpd_merge_add_row(struct xpd_merge *merge, const struct xpd_trace *trace, uint32_t row);
/* The next event, false at the end (or after a failure). */
bool xpd_merge_next(struct xpd_merge *merge, struct xpd_merged *out);

#endif
