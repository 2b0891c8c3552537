/* The second pass of totals: data of groups whose percentiles are requested. */
#ifndef XPD_TRACE_TOTALS_PERCENTILES_H
#define XPD_TRACE_TOTALS_PERCENTILES_H

#include "totals_work.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

#define XPD_PERC_KEEP 64 /* values of a slot that a thread keeps back */

struct xpd_perc_slot { /* of one requested group */
    uint32_t group, kept;
    int64_t *value;               /* exact: room for all of them; NULL = binned */
    _Atomic uint64_t value_count; /* places given out */
};
struct xpd_perc_kept {
    int64_t value[XPD_PERC_KEEP];
    uint32_t count;
};
struct xpd_perc_hand { /* of one thread */
    struct xpd_perc_kept *kept;
    uint64_t *bins;
    struct xpd_grouping grouping;          /* with XPD_TOTALS_TIMES */
    XPD_VEC(uint32_t) slot_of_local_group; /* + 1; 0 = not known yet */
    bool failed;
};
struct xpd_percentiles {
    struct xpd_totals *totals;
    const struct xpd_totals_ask *ask;
    struct xpd_totals_plan plan;
    enum xpd_totals_mode mode;
    struct xpd_perc_slot *slot;
    uint32_t *slot_of_group, *slot_of_name;
    int64_t *values;
    uint32_t count, exact, kept_count, threads;
    struct xpd_perc_hand hand[XPD_THREADS_MAX];
};

/* totals_collect.c: the durations of a piece; `context` is a struct xpd_percentiles. */
void xpd_totals_collect(void *context, uint32_t piece, uint32_t thread);
/* Those that a thread kept back, after its last piece. */
void xpd_totals_put_kept(struct xpd_percentiles *p, const struct xpd_perc_hand *hand);

#endif
