/* The loop of totals by name over events that are not cut: the question asked of
 * everything, 25 million times an answer.
 *
 * In: a piece whose sums cannot overflow (the caller knows). Out: tallies by name, equal to those
 * of the general loop in totals_work.c. Compiled once for each kind of depth, with all columns in
 * locals: what a depth does not have costs nothing. */
#include "totals_work.h"

#include "xprofd/trace/window.h"

#define ALWAYS inline __attribute__((always_inline))

struct columns { /* of one depth */
    const int64_t *start_ps, *duration_ps;
    const int32_t *delta_ps; /* NULL: no device clock */
    uint32_t count;
};

struct loop {
    struct xpd_totals_worker *worker;
    const struct xpd_depth *depth, *child;
    struct columns at, below; /* below.count 0: nothing nested */
};

/* What a duration is on the device's clock; -1 = it is not given. */
static ALWAYS int64_t device_ps(const struct columns *at, uint32_t i)
{
    int32_t delta_ps = at->delta_ps[i];
    return delta_ps == INT32_MIN ? -1 : at->duration_ps[i] - delta_ps;
}

static ALWAYS int64_t clock_ps(const struct columns *at, uint32_t i, const bool device)
{
    int64_t ps = device ? device_ps(at, i) : -1;
    return ps >= 0 ? ps : at->duration_ps[i];
}

/* Where clocks jump, the host-aligned starts do not say who is inside: the file does. */
static __attribute__((noinline)) bool jumped_inside(const struct loop *loop, uint32_t i, uint32_t c,
                                                    bool drawn)
{
    return xpd_nesting_holds(loop->worker->plan->ask->view, loop->depth, i, loop->child, c, drawn,
                             &loop->worker->nesting);
}

/* Time of the events one depth below that lie inside; *below moves on with the parents. */
static ALWAYS int64_t inside_ps(const struct loop *loop, uint32_t i, uint32_t *below,
                                const bool device)
{
    const struct columns in = loop->below;
    int64_t start_ps = loop->at.start_ps[i], end_ps = start_ps + loop->at.duration_ps[i];
    int64_t sum_ps = 0;
    uint32_t c = *below;
    bool jumps = device && xpd_clock_jumps(loop->depth, i);
    while (c < in.count && in.start_ps[c] < start_ps)
        c++;
    uint32_t after = c;
    for (; c < in.count && in.start_ps[c] <= end_ps; c++) {
        bool inside = in.start_ps[c] + in.duration_ps[c] <= end_ps;
        if (device && (jumps || xpd_clock_jumps(loop->child, c)))
            inside = jumped_inside(loop, i, c, inside);
        if (!inside)
            continue;
        sum_ps += clock_ps(&in, c, device);
        after = c + 1;
    }
    *below = after;
    return sum_ps;
}

static __attribute__((noinline)) void meet(struct xpd_totals_worker *worker, uint32_t name,
                                           uint64_t place)
{
    worker->first[name] = place;
    worker->tally[name].min_ps = INT64_MAX;
    XPD_PUSH(&worker->met, name);
}

static ALWAYS void add(const struct loop *loop, const struct xpd_totals_piece *piece,
                       uint64_t place, const bool nested, const bool column, const bool device)
{
    struct xpd_tally *const all = loop->worker->tally;
    const uint32_t *const name = loop->depth->name;
    const struct columns at = loop->at;
    uint32_t below = nested ? xpd_depth_first_touching(loop->child, at.start_ps[piece->first]) : 0;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        int64_t host_ps = at.duration_ps[i], by_device_ps = column ? device_ps(&at, i) : -1;
        int64_t ps = device && by_device_ps >= 0 ? by_device_ps : host_ps;
        int64_t self_ps = nested ? ps - inside_ps(loop, i, &below, device) : ps;
        struct xpd_tally *tally = &all[name[i]];
        if (tally->count++ == 0)
            meet(loop->worker, name[i], place | i);
        tally->total_ps += ps;
        tally->self_ps += self_ps > 0 ? self_ps : 0;
        tally->host_ps += host_ps;
        tally->min_ps = ps < tally->min_ps ? ps : tally->min_ps;
        tally->max_ps = ps > tally->max_ps ? ps : tally->max_ps;
        if (column && by_device_ps >= 0) {
            tally->device_ps += by_device_ps;
            tally->device_count++;
        }
    }
}

static struct columns columns_of(const struct xpd_depth *depth)
{
    return (struct columns){depth->start_ps, depth->duration_ps, depth->device_delta_ps,
                            depth->count};
}

void xpd_totals_add_names(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece,
                          const struct xpd_depth *depth, const struct xpd_depth *child,
                          uint64_t place)
{
    struct loop loop = {.worker = worker, .depth = depth, .child = child, .at = columns_of(depth)};
    if (child)
        loop.below = columns_of(child);
    bool column = depth->device_delta_ps != NULL;
    bool device = column && worker->plan->ask->clock == XPD_CLOCK_DEVICE;
    if (device && child)
        add(&loop, piece, place, true, true, true);
    else if (device)
        add(&loop, piece, place, false, true, true);
    else if (column && child)
        add(&loop, piece, place, true, true, false);
    else if (column)
        add(&loop, piece, place, false, true, false);
    else if (child)
        add(&loop, piece, place, true, false, false);
    else
        add(&loop, piece, place, false, false, false);
    worker->failed |= worker->met.failed;
}
