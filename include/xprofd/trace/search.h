/* Occurrences of some names: counted exactly over all rows, listed in order of time page by page.
 * Which names match is the caller's business: distinct names are few, events are not. */
#ifndef XPROFD_TRACE_SEARCH_H
#define XPROFD_TRACE_SEARCH_H

#include "xprofd/trace/args.h"
#include "xprofd/trace/view.h"

struct xpd_search_ask {
    const struct xpd_view *view;
    const uint8_t *wanted;           /* by name of the view: 1 = matches */
    const struct xpd_arg_hits *args; /* these events too; NULL = none */
    const uint32_t *row;
    uint32_t row_count;
    struct xpd_time_range range;
    uint64_t offset, limit; /* of the hits listed */
    uint32_t columns;       /* of `flag`, 0 = none */
};
struct xpd_search_found {
    uint64_t count;
    int64_t total_ps;     /* host-aligned */
    uint64_t *name_count; /* by name of the view */
    int64_t *name_ps;
    struct xpd_event *hit; /* by start, then row and depth */
    uint64_t hit_count;
    uint8_t *flag; /* column of the range has a hit: 0 or 1 */
};
/* The result lives in the arena. XPD_ENOMEM. */
int xpd_search_events(struct xpd_search_found *out, const struct xpd_search_ask *ask,
                      struct xpd_arena *arena, struct xpd_err *err);

#endif
