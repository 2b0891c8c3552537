/* Which spans of time growth is held against. In: the steps and the modules of a trace. Out: steps,
 * else runs of one program, else tenths. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

#define TENTHS 10

struct lane { /* of whom the steps are */
    uint32_t process, row, count;
};

static bool of_lane(const struct xpd_step *step, const struct lane *lane)
{
    return step->process == lane->process && step->thread == lane->row;
}

/* The lane with most steps, those of `process` before any other. */
static bool best_lane(struct lane *best, const struct xpd_derived *derived, uint32_t process)
{
    struct xpd_map64 count_of = {0};
    *best = (struct lane){XPD_NO_INDEX, XPD_NO_INDEX, 0};
    for (uint32_t i = 0; i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        uint64_t key = (uint64_t)step->process << 32 | step->thread;
        uint32_t seen = xpd_map64_get(&count_of, key);
        uint32_t count = seen == XPD_NO_INDEX ? 1 : seen + 1;
        xpd_map64_put(&count_of, key, count);
        bool own = step->process == process, best_own = best->process == process;
        if (own != best_own ? own : count > best->count)
            *best = (struct lane){step->process, step->thread, count};
    }
    bool fine = !count_of.failed;
    xpd_map64_fini(&count_of);
    return fine;
}

static int by_time(const void *a, const void *b)
{
    const struct xpd_alloc_span *x = a, *y = b;
    if (x->from_ps != y->from_ps)
        return x->from_ps < y->from_ps ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool take_steps(struct xpd_alloc_spans *out, const struct xpd_derived *derived,
                       const struct lane *lane, struct xpd_arena *arena)
{
    out->at = XPD_NEW_ARRAY(arena, struct xpd_alloc_span, lane->count);
    if (!out->at)
        return false;
    for (uint32_t i = 0; i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        if (of_lane(step, lane))
            out->at[out->count++] =
                (struct xpd_alloc_span){step->number, step->start_ps, step->end_ps};
    }
    out->what = XPD_ALLOC_STEPS_MARKED;
    out->process = lane->process;
    out->row = lane->row;
    return true;
}

/* ---- runs ---- */

/* The name of the modules of a row that took most time; XPD_NO_INDEX: none ran. */
static uint32_t longest_name(const struct xpd_view *view, uint32_t row, uint32_t *count)
{
    const struct xpd_depth *depth = xpd_view_depth(view, row, 0);
    uint32_t names = xpd_view_names(view), best = XPD_NO_INDEX;
    int64_t *total_ps = calloc((size_t)names + 1, sizeof *total_ps);
    for (uint32_t i = 0; total_ps && i < depth->count; i++) {
        xpd_grow_i64(&total_ps[depth->name[i]], xpd_depth_duration(depth, i));
        if (best == XPD_NO_INDEX || total_ps[depth->name[i]] > total_ps[best])
            best = depth->name[i];
    }
    free(total_ps);
    *count = 0;
    for (uint32_t i = 0; best != XPD_NO_INDEX && i < depth->count; i++)
        *count += depth->name[i] == best;
    return best;
}

static bool take_runs(struct xpd_alloc_spans *out, const struct xpd_view *view, uint32_t process,
                      struct xpd_arena *arena)
{
    uint32_t row = process == XPD_NO_INDEX ? XPD_NO_INDEX
                                           : xpd_view_row_of_kind(view, process, XPD_ROW_MODULES);
    if (row == XPD_NO_INDEX || xpd_view_row(view, row)->depth_count == 0)
        return true;
    const struct xpd_depth *depth = xpd_view_depth(view, row, 0);
    uint32_t count, name = longest_name(view, row, &count);
    out->at = XPD_NEW_ARRAY(arena, struct xpd_alloc_span, count);
    if (!out->at)
        return false;
    for (uint32_t i = 0; name != XPD_NO_INDEX && i < depth->count; i++) {
        bool overflow = false;
        int64_t end_ps =
            xpd_add_i64(xpd_depth_start(depth, i), xpd_depth_duration(depth, i), &overflow);
        if (depth->name[i] == name) {
            out->at[out->count] =
                (struct xpd_alloc_span){out->count, xpd_depth_start(depth, i), end_ps};
            out->count++;
        }
    }
    out->what = XPD_ALLOC_STEPS_RUNS;
    out->process = process;
    out->row = row;
    out->program = name == XPD_NO_INDEX ? XPD_STR("") : xpd_view_caption(view, name);
    return true;
}

/* ---- tenths ---- */

static bool take_tenths(struct xpd_alloc_spans *out, const struct xpd_allocator *of,
                        int64_t shift_ps, struct xpd_arena *arena)
{
    bool overflow = false;
    out->what = XPD_ALLOC_STEPS_TENTHS;
    out->process = out->row = XPD_NO_INDEX;
    out->at = XPD_NEW_ARRAY(arena, struct xpd_alloc_span, TENTHS);
    if (!out->at || of->count == 0)
        return out->at != NULL;
    int64_t from_ps = xpd_add_i64(of->event[0].at_ps, shift_ps, &overflow);
    int64_t to_ps = xpd_add_i64(of->event[of->count - 1].at_ps, shift_ps, &overflow);
    uint64_t length_ps = (uint64_t)to_ps - (uint64_t)from_ps;
    for (uint64_t k = 0; k < TENTHS; k++)
        out->at[out->count++] = (struct xpd_alloc_span){
            (int64_t)k, (int64_t)((uint64_t)from_ps + length_ps / TENTHS * k),
            k + 1 < TENTHS ? (int64_t)((uint64_t)from_ps + length_ps / TENTHS * (k + 1)) : to_ps};
    return true;
}

bool xpd_alloc_spans_make(struct xpd_alloc_spans *out, const struct xpd_view *view,
                          uint32_t process, const struct xpd_allocator *of, int64_t shift_ps,
                          struct xpd_arena *arena)
{
    struct lane lane = {0};
    *out = (struct xpd_alloc_spans){.process = XPD_NO_INDEX, .row = XPD_NO_INDEX};
    bool fine = !view->derived || best_lane(&lane, view->derived, process);
    if (fine && lane.count > 0)
        fine = take_steps(out, view->derived, &lane, arena);
    if (fine && out->count == 0)
        fine = take_runs(out, view, process, arena);
    if (fine && out->count == 0)
        fine = take_tenths(out, of, shift_ps, arena);
    if (fine && out->count > 1)
        qsort(out->at, out->count, sizeof *out->at, by_time);
    return fine;
}
