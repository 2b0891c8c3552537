/* Gaps of rows or chips in a range of time, on the host-aligned clock.
 *
 * A gap of a row is a time without its events; a gap of a chip is a time without compute,
 * communication and copies (overlap.h). Cut to the range, the gaps of a row add up to the range
 * minus its busy time, those of a chip to its idle time. */
#ifndef XPROFD_TRACE_GAPS_H
#define XPROFD_TRACE_GAPS_H

#include "xprofd/trace/overlap.h"

struct xpd_gap {
    uint32_t process, row; /* row: XPD_NO_INDEX = of the whole chip */
    int64_t start_ps, end_ps;
    uint64_t before, after; /* the events it lies between, also outside of the range; UINT64_MAX =
                               none: the trace begins or ends */
};
struct xpd_gaps_of { /* a requested row or chip */
    uint32_t process, row;
    uint64_t count;
    int64_t idle_ps;
};
struct xpd_gaps {
    struct xpd_gap *gap; /* longest first, equal ones by start, then by row */
    uint32_t count;
    struct xpd_gaps_of *of;
    uint32_t of_count;
};
struct xpd_gaps_ask {
    const struct xpd_view *view;
    const struct xpd_overlap_table *table; /* of chips; NULL: of rows */
    const uint32_t *at;                    /* rows, or processes */
    uint32_t at_count;
    struct xpd_time_range range;
    uint32_t most; /* gaps kept */
};
/* XPD_ENOMEM. Free with xpd_gaps_fini. */
int xpd_gaps_make(struct xpd_gaps *out, const struct xpd_gaps_ask *ask, struct xpd_err *err);
/* How many there are, kept or not. */
uint64_t xpd_gaps_all(const struct xpd_gaps *gaps);
void xpd_gaps_fini(struct xpd_gaps *gaps);

/* Names on other rows of the host during a gap: threads, and operations of its other devices. */
struct xpd_meanwhile {
    uint32_t row, name;
    uint64_t event;  /* the one with the longest part inside of the gap */
    int64_t self_ps; /* inside of the gap, without nested events */
};
#define XPD_MEANWHILE_MOST 3
struct xpd_meanwhile_budget {
    uint64_t events_left; /* to look at */
};
/* The largest ones, at most XPD_MEANWHILE_MOST. *count is UINT32_MAX if the budget is spent.
 * XPD_ENOMEM. */
int xpd_gap_meanwhile(const struct xpd_view *view, const struct xpd_gap *gap,
                      struct xpd_meanwhile *out, uint32_t *count,
                      struct xpd_meanwhile_budget *budget, struct xpd_err *err);

#endif
