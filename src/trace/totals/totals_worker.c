/* What a thread adds up while it takes pieces: tallies by name or group, where each began.
 *
 * In: a plan. Out: room for its sums, which grows while groups are found, and how often it may
 * look into the file. */
#include "totals_loop.h"

#include <stdlib.h>

bool xpd_totals_worker_init(struct xpd_totals_worker *worker, struct xpd_totals_plan *plan,
                            uint32_t room, const struct xpd_name_work *work_of_name)
{
    const struct xpd_totals_ask *ask = plan->ask;
    *worker = (struct xpd_totals_worker){.plan = plan,
                                         .mode = xpd_totals_mode(ask->by),
                                         .work_of_name = work_of_name,
                                         .room = room,
                                         .nesting = {.reads_left = XPD_NESTING_READS_MAX}};
    bool fine = true;
    if (worker->mode == XPD_TOTALS_TIMES)
        fine = xpd_grouping_init(&worker->grouping, ask->view, ask->by);
    if (worker->mode == XPD_TOTALS_NAMES) { /* not moved later: may stand on lines of the cache */
        size_t bytes = ((size_t)room + 1) * sizeof *worker->tally;
        worker->tally = aligned_alloc(sizeof *worker->tally, bytes);
        if (worker->tally)
            memset(worker->tally, 0, bytes);
    } else {
        worker->tally = calloc((size_t)room + 1, sizeof *worker->tally);
    }
    worker->first = calloc((size_t)room + 1, sizeof *worker->first);
    if (worker->mode != XPD_TOTALS_NAMES)
        worker->work = calloc((size_t)room + 1, sizeof *worker->work);
    return fine && worker->tally && worker->first &&
           (worker->mode == XPD_TOTALS_NAMES || worker->work);
}

void xpd_totals_worker_fini(struct xpd_totals_worker *worker)
{
    if (worker->mode == XPD_TOTALS_TIMES)
        xpd_grouping_fini(&worker->grouping);
    XPD_VEC_FINI(&worker->met);
    free(worker->tally);
    free(worker->first);
    free(worker->work);
}

bool xpd_totals_make_room(struct xpd_totals_worker *worker, uint32_t slot)
{
    if (slot == XPD_NO_INDEX)
        return false;
    uint32_t room = worker->room > 0 ? worker->room : 64;
    while (room <= slot)
        room = room > UINT32_MAX / 2 ? UINT32_MAX : room * 2;
    struct xpd_tally *tally = realloc(worker->tally, ((size_t)room + 1) * sizeof *tally);
    worker->tally = tally ? tally : worker->tally;
    uint64_t *first = realloc(worker->first, ((size_t)room + 1) * sizeof *first);
    worker->first = first ? first : worker->first;
    struct xpd_totals_work *work = realloc(worker->work, ((size_t)room + 1) * sizeof *work);
    worker->work = work ? work : worker->work;
    if (!tally || !first || !work)
        return false;
    memset(tally + worker->room, 0, (size_t)(room + 1 - worker->room) * sizeof *tally);
    memset(work + worker->room, 0, (size_t)(room + 1 - worker->room) * sizeof *work);
    worker->room = room;
    return true;
}

bool xpd_totals_jumped_inside(const struct xpd_totals_loop *loop, uint32_t i, uint32_t c,
                              bool drawn)
{
    return xpd_nesting_holds(loop->worker->plan->ask->view, loop->depth, i, loop->child, c, drawn,
                             &loop->worker->nesting);
}
