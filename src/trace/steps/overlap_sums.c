/* Sums over the time of a process. In: the roles and pairs of a view. Out: the times before each of
 * a thousand moments, so that a view of everything costs as much as a thousandth. */
#include "overlap_work.h"

/* Of a process at most; each stands at the start of an event of its fullest row. */
#define CUTS   1024
#define EVENTS 64 /* of that row between two of them at least */

/* For each process its row of work with most events, NULL where it has none. */
static void find_fullest(const struct xpd_depth **most, const struct xpd_view *view)
{
    for (uint32_t r = 0; r < xpd_view_rows(view); r++) {
        uint32_t process = xpd_view_process(view, r);
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < xpd_view_row(view, r)->depth_count;
             d++) {
            const struct xpd_depth *depth = xpd_view_depth(view, r, d);
            if (!most[process] || depth->count > most[process]->count)
                most[process] = depth;
        }
    }
}

static uint32_t cuts_of(const struct xpd_depth *depth)
{
    uint32_t count = depth ? depth->count / EVENTS : 0;
    return count < CUTS ? count : CUTS;
}

/* Returns how many cuts there are: moments that are the same count once. */
static uint32_t sums_of(struct xpd_overlapping *o, uint32_t process, const struct xpd_depth *depth,
                        struct xpd_overlap_cut *cut)
{
    uint32_t cuts = cuts_of(depth), count = 0;
    struct xpd_overlap sum = {.step = XPD_NO_INDEX};
    for (uint32_t i = 0; i < cuts; i++) {
        int64_t at_ps = xpd_depth_start(depth, (uint64_t)depth->count * i / cuts);
        if (count > 0 && at_ps <= cut[count - 1].at_ps)
            continue;
        if (count > 0) {
            struct xpd_overlap piece = {0};
            struct xpd_time_range range = {cut[count - 1].at_ps, at_ps};
            xpd_overlap_measure(o, process, range, &piece);
            xpd_overlap_add(&sum, &piece, 1);
        }
        cut[count++] = (struct xpd_overlap_cut){at_ps, sum};
    }
    return count;
}

bool xpd_overlap_sums_make(struct xpd_overlap_table *out, const struct xpd_view *view,
                           struct xpd_arena *arena)
{
    uint32_t processes = view->trace->process_count, count = 0;
    struct xpd_overlapping o = {.view = view, .table = out};
    struct xpd_arena scratch = {0};
    const struct xpd_depth **fullest = XPD_NEW_ARRAY(&scratch, const struct xpd_depth *, processes);
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)processes + 1);
    struct xpd_overlap_cut *cut = NULL;
    bool fine = fullest && first;
    if (fine) {
        size_t room = 0;
        find_fullest(fullest, view);
        for (uint32_t p = 0; p < processes; p++)
            room += cuts_of(fullest[p]);
        cut = XPD_NEW_ARRAY(arena, struct xpd_overlap_cut, room);
        fine = cut != NULL;
    }
    for (uint32_t p = 0; fine && p < processes; p++) {
        first[p] = count;
        count += sums_of(&o, p, fullest[p], cut + count);
        first[p + 1] = count;
        fine = !xpd_overlap_failed(&o);
    }
    out->cut = cut;
    out->cut_first = first;
    xpd_overlap_close(&o);
    xpd_arena_fini(&scratch);
    return fine;
}
