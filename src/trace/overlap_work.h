/* What of a process computes, communicates and copies in a range of time, as lists of intervals. */
#ifndef XPROFD_TRACE_OVERLAP_WORK_H
#define XPROFD_TRACE_OVERLAP_WORK_H

#include "intervals.h"
#include "xprofd/trace/overlap.h"

struct xpd_overlap_named { /* one execution of a collective */
    struct xpd_interval at;
    uint32_t name;
};

struct xpd_overlapping {
    const struct xpd_view *view;
    uint8_t *role; /* by name of the view */
    uint32_t *key; /* by name: pairs have one */
    struct xpd_arena arena;
    struct xpd_intern keys;
    uint32_t process;
    bool ready;                             /* the pairs below are those of `process` */
    XPD_VEC(struct xpd_overlap_named) pair; /* by start */
    XPD_VEC(struct xpd_overlap_named) each; /* the collectives of the range */
    struct xpd_intervals compute, comm, copy, all;
    size_t first_pair;
};

/* False without memory; close it all the same. */
bool xpd_overlap_open(struct xpd_overlapping *o, const struct xpd_view *view);
/* Fills compute, comm, copy and each; ranges of one process come in order. */
void xpd_overlap_collect(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range);
bool xpd_overlap_failed(const struct xpd_overlapping *o); /* no memory for a list */
void xpd_overlap_close(struct xpd_overlapping *o);

#endif
