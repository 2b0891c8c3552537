/* Sums over the events of some rows in a range of time, by name, category, module, step, chip or
 * row.
 *
 * Count, sums, least and most are exact. Percentiles are exact for the groups of an answer as long
 * as their durations together are at most XPD_TOTALS_EXACT (smallest groups first); those of larger
 * groups come from a histogram with 32 bins to a factor of two, which is off by at most 1.6 %, and
 * say so. Nested events count in each `total`; `self` counts every moment once. */
#ifndef XPROFD_TRACE_TOTALS_H
#define XPROFD_TRACE_TOTALS_H

#include "xprofd/base/ahead.h"
#include "xprofd/trace/self.h"

#define XPD_TOTALS_EXACT (UINT64_C(4) << 20)
#define XPD_TOTALS_ERROR 0.016 /* of a percentile from the histogram */

enum xpd_totals_by {
    XPD_BY_NAME, /* caption within its program: the same operation of all chips is one group */
    XPD_BY_CATEGORY,
    XPD_BY_MODULE,
    XPD_BY_STEP,
    XPD_BY_CHIP,
    XPD_BY_ROW,
    XPD_BY_ENTRY /* each name of the trace by itself; not offered to people */
};

struct xpd_totals_ask {
    const struct xpd_view *view;
    enum xpd_totals_by by;
    enum xpd_clock clock; /* of total, self, min, max, percentiles */
    const uint32_t *row;
    uint32_t row_count;
    struct xpd_time_range range;
    bool clip; /* cut events at the edges of the range: host-aligned, and what the device measured
                  in the same proportion */
    uint32_t threads; /* 0 = the processors when there is enough work for them; the answer is the
                         same with any number */
};

struct xpd_total {
    uint32_t key; /* NAME, CATEGORY, MODULE, ENTRY: a name of the group; STEP: index of a step of
                     it, or XPD_NO_INDEX = outside all; CHIP: process; ROW: row */
    uint64_t count, first_event;
    int64_t total_ps, self_ps, min_ps, max_ps;
    int64_t host_ps, device_ps; /* on each clock; device: of those that have it */
    uint64_t device_count;      /* how many have a device duration */
    double flops, bytes;        /* compiler's estimates, summed; < 0: none given */
    int64_t p50_ps, p99_ps;     /* xpd_totals_percentiles; -1 = not asked */
    bool exact;                 /* the percentiles are */
};

struct xpd_totals {
    struct xpd_total *group; /* not sorted; malloc'ed */
    uint32_t group_count;
    struct xpd_total all; /* key and percentiles mean nothing */
    uint64_t unchecked;   /* of struct xpd_nesting: self times may be off where clocks jump */
    int64_t busy_ps; /* union of the events inside of the range, host-aligned, summed over rows */
    struct xpd_grouping *grouping;  /* which event is of which group, for percentiles */
    struct xpd_totals_piece *piece; /* which events were added up, for percentiles too */
    size_t piece_count;
    uint64_t event_count; /* in them */
};
/* true: some event in the range has no duration on the device's clock. It only looks at the
 * columns, so false does not prove the opposite. */
bool xpd_totals_lacks_device(const struct xpd_totals_ask *ask);
/* The only error is XPD_ENOMEM. Free with xpd_totals_fini; the view must outlive the result. */
int xpd_totals_make(struct xpd_totals *out, const struct xpd_totals_ask *ask, struct xpd_err *err);
/* Percentiles of these groups; `ask` is that of xpd_totals_make. XPD_ENOMEM. */
int xpd_totals_percentiles(struct xpd_totals *totals, const struct xpd_totals_ask *ask,
                           const uint32_t *group, uint32_t count, struct xpd_err *err);
void xpd_totals_fini(struct xpd_totals *totals);

/* The k-th smallest of n values (k < n); reorders them. */
int64_t xpd_select_i64(int64_t *value, size_t n, size_t k);
/* The same for several ranks of durations (>= 0; rank[k] < n, ascending): those of one bin below
 * are looked through for each. */
void xpd_select_durations(int64_t *value, size_t n, const size_t *rank, int64_t *found,
                          uint32_t count);
/* Rank of a percentile among n values: nearest rank, p in (0, 1]. */
size_t xpd_rank_of(double p, size_t n);

/* Durations by size: 32 bins to a factor of two, exact below 32. */
#define XPD_DURATION_BINS 2048
#define XPD_DURATION_BITS 5 /* 32 bins to a factor of two */
static inline uint32_t xpd_duration_bin(int64_t duration_ps)
{
    uint64_t value = duration_ps > 0 ? (uint64_t)duration_ps : 0;
    if (value < (1u << XPD_DURATION_BITS))
        return (uint32_t)value;
    uint32_t exponent = 63u - (uint32_t)__builtin_clzll(value);
    uint32_t part =
        (uint32_t)(value >> (exponent - XPD_DURATION_BITS)) & ((1u << XPD_DURATION_BITS) - 1);
    return ((exponent - XPD_DURATION_BITS + 1) << XPD_DURATION_BITS) + part;
}
/* The middle of a bin. */
int64_t xpd_duration_of_bin(uint32_t bin);
/* Adds each value to its bin, of XPD_DURATION_BINS: every other one in `other`, whose sums are the
 * caller's to add up. Neighbours are often alike, and a sum in one place waits for the one before;
 * where values are few, `other` may be `bin`. */
static inline void xpd_count_durations(const int64_t *value, size_t n, uint64_t *bin,
                                       uint64_t *other)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        xpd_read_ahead(&value[i]);
        bin[xpd_duration_bin(value[i])]++;
        other[xpd_duration_bin(value[i + 1])]++;
    }
    if (n % 2 > 0)
        bin[xpd_duration_bin(value[n - 1])]++;
}

#endif
