/* The merged call tree of some rows in a range of time: nested events, with equal paths added up.
 * Times are host-aligned and cut at the range, so that they add up to it. */
#ifndef XPROFD_TRACE_FLAME_H
#define XPROFD_TRACE_FLAME_H

#include "xprofd/trace/view.h"

#define XPD_FLAME_NODES_MAX 1000000 /* distinct paths; events beyond are counted in `lost` */

struct xpd_flame_node {
    uint32_t name;   /* of the view */
    uint32_t parent; /* a smaller index, XPD_NO_INDEX = outermost */
    uint64_t count, first_event;
    int64_t total_ps, self_ps;
};
struct xpd_flame {
    struct xpd_flame_node *node; /* malloc'ed; parents stand before their children */
    uint32_t node_count;
    uint64_t lost;
};
int xpd_flame_make(struct xpd_flame *out, const struct xpd_view *view, const uint32_t *row,
                   uint32_t row_count, struct xpd_time_range range, struct xpd_err *err);
void xpd_flame_fini(struct xpd_flame *flame);

#endif
