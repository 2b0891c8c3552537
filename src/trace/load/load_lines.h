/* One row while it is filled (load_lines.c; those of counters: load_counters.c). */
#ifndef XPD_TRACE_LINES_H
#define XPD_TRACE_LINES_H

#include "core.h"

struct xpd_filling {
    struct xpd_worker *worker;
    struct xpd_row_unit *unit;
    struct xpd_columns all; /* events decoded so far; arrays for all of the unit's */
    void *memory;           /* of them, when large: the worker's, until a row keeps it */
    size_t bytes;
    uint32_t capacity;
    unsigned with; /* of XPD_WITH_ */
    bool sorted, cut;
    uint64_t unknown, odd, aggregated, device_count;
};

/* room.c: columns for all events of the unit; XPD_ELIMIT over the budget. */
int xpd_fill_reserve(struct xpd_filling *filling);
/* fill_row.c: places these columns (of filling->all, or others) as the unit's next row. */
int xpd_fill_row(struct xpd_filling *filling, struct xpd_columns columns, enum xpd_row_kind kind,
                 xpd_name_id caption);
/* load_counters.c: the decoded samples of a "_counters_" line, one row for each series. */
int xpd_fill_counters(struct xpd_filling *filling);

#endif
