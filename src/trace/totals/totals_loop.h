/* Shared by the loops of totals: columns in locals, and the time of nested events. Everything
 * is inlined, so that a loop compiled for one kind of depth pays for nothing that the depth does
 * not have. */
#ifndef XPD_TRACE_TOTALS_LOOP_H
#define XPD_TRACE_TOTALS_LOOP_H

#include "totals_work.h"
#include "xprofd/base/ahead.h"

#define XPD_ALWAYS inline __attribute__((always_inline))

struct xpd_totals_columns { /* of one depth */
    const int64_t *start_ps, *duration_ps;
    const int32_t *delta_ps; /* NULL: no device clock */
    uint32_t count;
};

struct xpd_totals_loop {
    struct xpd_totals_worker *worker;
    const struct xpd_depth *depth, *child;
    struct xpd_totals_columns at, below; /* below.count 0: nothing nested */
};

static inline struct xpd_totals_columns xpd_totals_columns_of(const struct xpd_depth *depth)
{
    return (struct xpd_totals_columns){depth->start_ps, depth->duration_ps, depth->device_delta_ps,
                                       depth->count};
}

/* `child`: the depth below, NULL = none. */
static inline struct xpd_totals_loop xpd_totals_loop_of(struct xpd_totals_worker *worker,
                                                        const struct xpd_depth *depth,
                                                        const struct xpd_depth *child)
{
    struct xpd_totals_loop loop = {worker, depth, child, xpd_totals_columns_of(depth), {0}};
    if (child)
        loop.below = xpd_totals_columns_of(child);
    return loop;
}

/* What a duration is on the device's clock; -1 = it is not given. */
static XPD_ALWAYS int64_t xpd_column_device_ps(const struct xpd_totals_columns *at, uint32_t i)
{
    int32_t delta_ps = at->delta_ps[i];
    return delta_ps == INT32_MIN ? -1 : at->duration_ps[i] - delta_ps;
}

static XPD_ALWAYS int64_t xpd_column_clock_ps(const struct xpd_totals_columns *at, uint32_t i,
                                              const bool device)
{
    int64_t ps = device ? xpd_column_device_ps(at, i) : -1;
    return ps >= 0 ? ps : at->duration_ps[i];
}

/* totals_worker.c: where clocks jump, the host-aligned starts do not say who is inside: the file
 * does. */
bool xpd_totals_jumped_inside(const struct xpd_totals_loop *loop, uint32_t i, uint32_t c,
                              bool drawn);

/* Where an event's times are looked up that do not stand in its columns. */
struct xpd_totals_asked {
    const struct xpd_totals_ask *ask;
    uint64_t numbers; /* xpd_totals_numbers of the depth below */
};

/* Time of the events one depth below that lie inside of event i; *below moves on with the parents.
 * `device`: by the device's clock, whose jumps the host-aligned starts do not show. `asked`: NULL
 * where the columns have all times. */
static XPD_ALWAYS int64_t xpd_totals_inside_ps(const struct xpd_totals_loop *loop, uint32_t i,
                                               uint32_t *below, const bool device,
                                               const struct xpd_totals_asked *asked)
{
    const struct xpd_totals_columns in = loop->below;
    int64_t start_ps = asked ? xpd_depth_start(loop->depth, i) : loop->at.start_ps[i];
    int64_t end_ps = asked ? xpd_depth_end(loop->depth, i) : start_ps + loop->at.duration_ps[i];
    int64_t sum_ps = 0, device_ps;
    uint32_t c = *below;
    bool jumps = device && xpd_clock_jumps(loop->depth, i);
    while (c < in.count && (asked ? xpd_depth_start(loop->child, c) : in.start_ps[c]) < start_ps)
        c++;
    uint32_t after = c;
    for (; c < in.count; c++) {
        int64_t child_ps = asked ? xpd_depth_start(loop->child, c) : in.start_ps[c];
        if (child_ps > end_ps)
            break;
        if (!asked || in.start_ps) {
            xpd_read_ahead(&in.start_ps[c]);
            xpd_read_ahead(&in.duration_ps[c]);
        }
        bool inside =
            child_ps + (asked ? xpd_depth_duration(loop->child, c) : in.duration_ps[c]) <= end_ps;
        if (device && (jumps || xpd_clock_jumps(loop->child, c)))
            inside = xpd_totals_jumped_inside(loop, i, c, inside);
        if (!inside)
            continue;
        sum_ps +=
            asked ? xpd_totals_duration(asked->ask, loop->child, c, asked->numbers + c, &device_ps)
                  : xpd_column_clock_ps(&in, c, device);
        after = c + 1;
    }
    *below = after;
    return sum_ps;
}

/* add(loop, of, nested, column, device) with constants that say what the depth has: nested events
 * below, a column of the device's durations, and whether these are asked for. Each kind of depth so
 * has a loop compiled for it. */
#define XPD_TOTALS_BY_KIND(add, loop, of)                                                          \
    do {                                                                                           \
        bool nested_ = (loop)->child != NULL, column_ = (loop)->at.delta_ps != NULL;               \
        bool device_ = column_ && (loop)->worker->plan->ask->clock == XPD_CLOCK_DEVICE;            \
        if (device_ && nested_)                                                                    \
            add(loop, of, true, true, true);                                                       \
        else if (device_)                                                                          \
            add(loop, of, false, true, true);                                                      \
        else if (column_ && nested_)                                                               \
            add(loop, of, true, true, false);                                                      \
        else if (column_)                                                                          \
            add(loop, of, false, true, false);                                                     \
        else if (nested_)                                                                          \
            add(loop, of, true, false, false);                                                     \
        else                                                                                       \
            add(loop, of, false, false, false);                                                    \
    } while (0)

#endif
