/* The boxes of one depth in a window at a resolution: every event of at least `cell_ps` is its own
 * box, shorter ones that start in the same cell of the absolute power-of-two grid are one box with
 * their true busy time. Never sampled. Cost: O(log n + boxes). */
#ifndef XPROFD_TRACE_WINDOW_H
#define XPROFD_TRACE_WINDOW_H

#include "xprofd/trace/trace.h"

struct xpd_box {
    int64_t start_ps, end_ps; /* of the first and of the last event in it */
    int64_t busy_ps;          /* sum of durations (the depth is disjoint) */
    uint32_t count;           /* events merged; 1 = an event of its own */
    uint32_t first;           /* index in the depth of the first event */
    uint32_t longest;         /* index in the depth */
    uint32_t name;            /* the event's; for merged events the name with most time, by weighted
                               * majority vote: exact if one name has over half of the time */
};
struct xpd_trace_window {
    int64_t from_ps, to_ps; /* events that touch [from, to] */
    uint8_t cell_shift;     /* cell = 2^shift ps; 0: only instants of one picosecond merge */
};
/* The largest power of two that is at most a pixel: window of px pixels. */
uint8_t xpd_cell_shift(int64_t window_ps, uint32_t px);

typedef void (*xpd_box_fn)(void *user, const struct xpd_box *box);
/* Calls for each box in order of time; returns how many. */
uint64_t xpd_depth_boxes(const struct xpd_depth *depth, const struct xpd_trace_window *window,
                         xpd_box_fn fn, void *user);
/* Index of the first event that ends at or after a time; depth->count when there is none. */
uint32_t xpd_depth_first_touching(const struct xpd_depth *depth, int64_t from_ps);
/* Index of the first event that starts after a time; depth->count when there is none. */
uint32_t xpd_depth_first_after(const struct xpd_depth *depth, int64_t to_ps);

#endif
