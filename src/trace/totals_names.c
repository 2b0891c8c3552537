/* The loop of totals by name over events that are not cut: the question asked of
 * everything, 25 million times an answer.
 *
 * In: a piece whose sums cannot overflow (the caller knows). Out: tallies by name, equal to those
 * of the general loop in totals_work.c. Compiled once for each kind of depth, with all columns in
 * locals: what a depth does not have costs nothing. */
#include "totals_loop.h"

#include "xprofd/trace/window.h"

bool xpd_totals_jumped_inside(const struct xpd_totals_loop *loop, uint32_t i, uint32_t c,
                              bool drawn)
{
    return xpd_nesting_holds(loop->worker->plan->ask->view, loop->depth, i, loop->child, c, drawn,
                             &loop->worker->nesting);
}

static __attribute__((noinline)) void meet(struct xpd_totals_worker *worker, uint32_t name,
                                           uint64_t place)
{
    worker->first[name] = place;
    worker->tally[name].min_ps = INT64_MAX;
    XPD_PUSH(&worker->met, name);
}

static XPD_ALWAYS void add(const struct xpd_totals_loop *loop, const struct xpd_totals_piece *piece,
                           uint64_t place, const bool nested, const bool column, const bool device)
{
    struct xpd_tally *const all = loop->worker->tally;
    const uint32_t *const name = loop->depth->name;
    const struct xpd_totals_columns at = loop->at;
    uint32_t below = nested ? xpd_depth_first_touching(loop->child, at.start_ps[piece->first]) : 0;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        xpd_read_ahead(&name[i]);
        xpd_read_ahead(&at.duration_ps[i]);
        if (column)
            xpd_read_ahead(&at.delta_ps[i]);
        int64_t host_ps = at.duration_ps[i],
                by_device_ps = column ? xpd_column_device_ps(&at, i) : -1;
        int64_t ps = device && by_device_ps >= 0 ? by_device_ps : host_ps;
        int64_t self_ps = nested ? ps - xpd_totals_inside_ps(loop, i, &below, device) : ps;
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

void xpd_totals_add_names(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece,
                          const struct xpd_depth *depth, const struct xpd_depth *child,
                          uint64_t place)
{
    struct xpd_totals_loop loop = xpd_totals_loop_of(worker, depth, child);
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
