/* XProf's group ids: which step an event belongs to. On TPUs by the grouping row
 * (Steps, else modules) numbered in lock-step; on hosts and GPUs by a forest of nested and linked
 * events whose roots carry the stat `_r`. */
#ifndef XPROFD_TRACE_GROUPS_H
#define XPROFD_TRACE_GROUPS_H

#include "../flows/links.h"
#include "xprofd/trace/groups.h"

struct xpd_group_root { /* an explicit root: a step of a host */
    uint64_t event;
    int64_t number;
    uint32_t group;
};
struct xpd_groups_made { /* where it puts things */
    struct xpd_arena *arena;
    struct xpd_intern *names;
    struct xpd_warnings *warnings;
    XPD_VEC(struct xpd_step_name) named;
    XPD_VEC(struct xpd_group_root) root;
    XPD_VEC(xpd_name_id) group_name; /* by group, of those that hosts begin */
};

/* Everything lives in the arena. */
int xpd_groups_make(struct xpd_event_groups **out, const struct xpd_trace *trace,
                    struct xpd_groups_made *made, struct xpd_err *err);

/* The array of a row, made on first use; NULL without memory. */
uint32_t *xpd_groups_row(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                         uint32_t row, struct xpd_arena *arena);

/* The forest; private to groups*.c. Fills groups->of_row and the groups of device lines; puts the
 * links in an order of its own. */
int xpd_forest_group(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                     struct xpd_links *links, struct xpd_groups_made *made, bool *any_device,
                     struct xpd_err *err);
/* groups_steps.c: merges and names the Steps events, whose groups are known. */
void xpd_groups_settle(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       struct xpd_groups_made *made);

#endif
