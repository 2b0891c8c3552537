/* Sums by group.
 *
 * In: a view, rows, a range. Out: groups in the order in which the rows asked for meet them.
 * Threads take pieces of depths in that order and add up tallies of their own; totals_groups.c
 * makes groups of them at the end, on one thread: the answer does not depend on how many threads
 * there were. Invariant: a group's self times add up to the time its rows are busy in it, as far as
 * events nest. */
#include "xprofd/trace/totals.h"

#include "totals_work.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"

#include <stdlib.h>

struct making {
    struct xpd_totals *out;
    const struct xpd_totals_ask *ask;
    struct xpd_totals_plan plan;
    struct xpd_totals_worker worker[XPD_THREADS_MAX];
    uint32_t threads;
    struct xpd_name_work *work_of_name; /* NULL: none has any, or not needed */
};

bool xpd_totals_lacks_device(const struct xpd_totals_ask *ask)
{
    for (uint32_t r = 0; r < ask->row_count; r++)
        for (uint32_t d = 0; d < xpd_view_row(ask->view, ask->row[r])->depth_count; d++) {
            const struct xpd_depth *depth = xpd_view_depth(ask->view, ask->row[r], d);
            uint32_t first, end;
            if (depth->device_delta_ps || xpd_totals_numbers(ask->view, depth) != 0)
                continue;
            xpd_view_range(ask->view, depth, ask->range, &first, &end);
            if (first < end)
                return true;
        }
    return false;
}

static bool find_work(struct making *making)
{
    const struct xpd_view *view = making->ask->view;
    uint32_t count = xpd_view_names(view);
    bool any = false;
    if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_NAMES)
        return true;
    for (uint32_t i = 0; i < count && !any; i++)
        any = xpd_view_name(view, i)->flops > 0 || xpd_view_name(view, i)->bytes > 0;
    if (!any)
        return true;
    making->work_of_name = malloc((size_t)count * sizeof *making->work_of_name);
    for (uint32_t i = 0; making->work_of_name && i < count; i++)
        making->work_of_name[i] = xpd_name_work_of(xpd_view_name(view, i));
    return making->work_of_name != NULL;
}

static void add_piece(void *context, uint32_t piece, uint32_t thread)
{
    struct making *making = context;
    if (!making->worker[thread].failed)
        xpd_totals_add_piece(&making->worker[thread], &making->plan.piece.at[piece]);
}

static bool add_all(struct making *making)
{
    bool fine = true;
    uint32_t room = 0;
    if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_NAMES)
        room = xpd_view_names(making->ask->view);
    else if (xpd_totals_mode(making->ask->by) == XPD_TOTALS_ROWS)
        room = (uint32_t)making->out->grouping->group.count;
    for (uint32_t i = 0; i < making->threads; i++)
        fine &=
            xpd_totals_worker_init(&making->worker[i], &making->plan, room, making->work_of_name);
    if (fine)
        xpd_threads_each(making->threads, (uint32_t)making->plan.piece.count, add_piece, making);
    for (uint32_t i = 0; i < making->threads; i++)
        fine &= !making->worker[i].failed;
    return fine;
}

static void free_workers(struct making *making)
{
    for (uint32_t i = 0; i < making->threads; i++)
        xpd_totals_worker_fini(&making->worker[i]);
}

/* How many pairs an answer looks up in the file is limited. Which ones those are must not depend on
 * the threads: beyond the limit one thread does all of it again. */
static bool looked_up_too_much(const struct making *making)
{
    uint64_t reads = 0;
    for (uint32_t i = 0; i < making->threads; i++)
        reads += XPD_NESTING_READS_MAX - making->worker[i].nesting.reads_left +
                 making->worker[i].nesting.unchecked;
    return making->threads > 1 && reads > XPD_NESTING_READS_MAX;
}

static bool make(struct making *making)
{
    struct xpd_totals *out = making->out;
    int64_t known_ps = 0;
    out->grouping = calloc(1, sizeof *out->grouping);
    if (!out->grouping || !xpd_grouping_init(out->grouping, making->ask->view, making->ask->by) ||
        !xpd_totals_plan(&making->plan, making->ask, out->grouping, &known_ps) ||
        !find_work(making))
        return false;
    making->threads = xpd_totals_threads(&making->plan);
    bool fine = add_all(making);
    if (fine && looked_up_too_much(making)) {
        free_workers(making);
        making->threads = 1;
        fine = add_all(making);
    }
    fine = fine && xpd_totals_groups(out, making->worker, making->threads);
    out->busy_ps = known_ps;
    for (uint32_t i = 0; i < making->threads; i++) {
        xpd_grow_i64(&out->busy_ps, making->worker[i].busy_ps);
        out->unchecked += making->worker[i].nesting.unchecked;
    }
    free_workers(making);
    return fine;
}

int xpd_totals_make(struct xpd_totals *out, const struct xpd_totals_ask *ask, struct xpd_err *err)
{
    struct making making = {.out = out, .ask = ask};
    *out = (struct xpd_totals){0};
    bool fine = make(&making);
    out->piece = making.plan.piece.at;
    out->piece_count = making.plan.piece.count;
    out->event_count = making.plan.events;
    free(making.work_of_name);
    if (fine)
        return XPD_OK;
    xpd_totals_fini(out);
    return xpd_no_memory(err, NULL, "for these totals");
}

void xpd_totals_fini(struct xpd_totals *totals)
{
    if (totals->grouping)
        xpd_grouping_fini(totals->grouping); /* the groups, too */
    free(totals->grouping);
    free(totals->piece);
    *totals = (struct xpd_totals){0};
}
