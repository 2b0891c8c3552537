/* The loop of totals by name over events that are not cut: what whole traces are asked for, with 25
 * million events in one answer.
 *
 * In: a piece whose sums cannot overflow (the caller knows). Out: tallies by name, equal to those
 * of the general loop in totals_work.c. Compiled once for each kind of depth, with all columns in
 * locals: what a depth does not have costs nothing. */
#include "totals_loop.h"

#include "xprofd/trace/window.h"

static __attribute__((noinline)) void meet(struct xpd_totals_worker *worker, uint32_t name,
                                           uint64_t place)
{
    worker->first[name] = place;
    worker->tally[name].min_ps = INT64_MAX;
    XPD_PUSH(&worker->met, name);
}

struct part { /* of a depth */
    const struct xpd_totals_piece *piece;
    uint64_t place; /* of its events: with index 0 */
};

static XPD_ALWAYS void add(const struct xpd_totals_loop *loop, const struct part *part,
                           const bool nested, const bool column, const bool device)
{
    struct xpd_tally *const all = loop->worker->tally;
    const uint32_t *const name = loop->depth->name;
    const struct xpd_totals_columns at = loop->at;
    const struct xpd_totals_piece *const piece = part->piece;
    const uint64_t place = part->place;
    uint32_t below = nested ? xpd_depth_first_touching(loop->child, at.start_ps[piece->first]) : 0;
    for (uint32_t i = piece->first; i < piece->end; i++) {
        xpd_read_ahead(&name[i]);
        xpd_read_ahead(&at.duration_ps[i]);
        if (column)
            xpd_read_ahead(&at.delta_ps[i]);
        int64_t host_ps = at.duration_ps[i],
                by_device_ps = column ? xpd_column_device_ps(&at, i) : -1;
        int64_t ps = device && by_device_ps >= 0 ? by_device_ps : host_ps;
        int64_t self_ps = nested ? ps - xpd_totals_inside_ps(loop, i, &below, device, NULL) : ps;
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
    struct part part = {piece, place};
    XPD_TOTALS_BY_KIND(add, &loop, &part);
    worker->failed |= worker->met.failed;
}
