/* Growth of an allocator's use. In: its lives, the spans of steps. Out: minimum and maximum of each
 * step, the line through the minima with its verdict, and allocations never freed. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#include <math.h>
#include <stdlib.h>

/* A leak: rising, linear and significant. */
#define LEAK_R2          0.9
#define LEAK_BYTES       1048576.0 /* over all steps */
#define LEAK_SHARE       0.01      /* of the lowest use */
#define PERFECT_RESIDUAL 1e-9      /* share of the spread left by rounding */

/* ---- one step ---- */

static uint32_t first_from(const struct xpd_allocator *of, int64_t at_ps)
{
    uint32_t first = 0;
    XPD_BISECT(first, of->count, middle, of->event[middle].at_ps < at_ps);
    return first;
}

static int64_t earlier(int64_t ps, int64_t by_ps)
{
    bool overflow = false;
    return xpd_add_i64(ps, by_ps == INT64_MIN ? INT64_MAX : -by_ps, &overflow);
}

static void look(struct xpd_alloc_step *step, const struct xpd_allocation *e)
{
    int64_t bytes = xpd_allocation_in_use(e);
    step->least_bytes =
        step->least_bytes < 0 || bytes < step->least_bytes ? bytes : step->least_bytes;
    step->most_bytes = bytes > step->most_bytes ? bytes : step->most_bytes;
}

static struct xpd_alloc_step step_of(const struct xpd_alloc_lives *lives,
                                     const struct xpd_alloc_span *span, int64_t shift_ps)
{
    const struct xpd_allocator *of = lives->of;
    struct xpd_alloc_step step = {.number = span->number,
                                  .from_ps = span->from_ps,
                                  .to_ps = span->to_ps,
                                  .least_bytes = -1,
                                  .most_bytes = -1};
    int64_t from_ps = earlier(span->from_ps, shift_ps), to_ps = earlier(span->to_ps, shift_ps);
    uint32_t held = xpd_alloc_at(of, from_ps);
    if (held != XPD_NO_INDEX)
        look(&step, &of->event[held]);
    for (uint32_t i = first_from(of, from_ps); i < of->count && of->event[i].at_ps < to_ps; i++) {
        const struct xpd_allocation *e = &of->event[i];
        int64_t bytes = lives->bytes[i] > 0 ? lives->bytes[i] : 0;
        if (e->at_ps > from_ps)
            look(&step, e);
        xpd_grow_i64(e->frees ? &step.freed_bytes : &step.allocated_bytes, bytes);
        if (!e->frees && e->has_address && xpd_alloc_end_ps(lives, i) >= to_ps)
            xpd_grow_i64(&step.left_bytes, bytes);
    }
    return step;
}

/* ---- the line ---- */

static void fit(struct xpd_alloc_growth *g)
{
    double n = g->known, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    g->slope_bytes = g->intercept_bytes = g->r2 = NAN;
    if (g->known < 2)
        return;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->step[i].least_bytes >= 0) {
            x += (double)g->step[i].number / n;
            y += (double)g->step[i].least_bytes / n;
        }
    for (uint32_t i = 0; i < g->count; i++)
        if (g->step[i].least_bytes >= 0) {
            double dx = (double)g->step[i].number - x, dy = (double)g->step[i].least_bytes - y;
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
        }
    if (!(xx > 0))
        return;
    g->slope_bytes = xy / xx;
    g->intercept_bytes = y - g->slope_bytes * x;
    if (yy > PERFECT_RESIDUAL)
        g->r2 = xy * xy / (xx * yy);
}

static void judge(struct xpd_alloc_growth *g, const struct xpd_alloc_lives *lives)
{
    const struct xpd_allocator *of = lives->of;
    double all = g->slope_bytes * g->known;
    g->full_in_steps = NAN;
    g->verdict = g->known < XPD_ALLOC_STEPS_MIN ? XPD_ALLOC_FEW_STEPS : XPD_ALLOC_NO_GROWTH;
    if (g->verdict == XPD_ALLOC_FEW_STEPS || !(g->slope_bytes > 0) || !(g->r2 >= LEAK_R2) ||
        all < LEAK_BYTES || all < (double)g->lowest_bytes * LEAK_SHARE)
        return;
    g->verdict = XPD_ALLOC_LEAK;
    if (lives->capacity_bytes >= 0)
        g->full_in_steps = ((double)lives->capacity_bytes -
                            (double)xpd_allocation_in_use(&of->event[of->count - 1])) /
                           g->slope_bytes;
}

bool xpd_alloc_growth_make(struct xpd_alloc_growth *out, const struct xpd_alloc_lives *lives,
                           const struct xpd_alloc_spans *spans, int64_t shift_ps,
                           struct xpd_arena *arena)
{
    *out =
        (struct xpd_alloc_growth){.step = XPD_NEW_ARRAY(arena, struct xpd_alloc_step, spans->count),
                                  .count = spans->count,
                                  .lowest_bytes = -1};
    if (!out->step)
        return false;
    for (uint32_t i = 0; i < spans->count; i++) {
        out->step[i] = step_of(lives, &spans->at[i], shift_ps);
        int64_t least = out->step[i].least_bytes;
        out->known += least >= 0;
        if (least >= 0 && (out->lowest_bytes < 0 || least < out->lowest_bytes))
            out->lowest_bytes = least;
    }
    fit(out);
    judge(out, lives);
    return true;
}

/* ---- never freed ---- */

/* The step that holds a time: the last that began, if it has not ended. */
static uint32_t span_at(const struct xpd_alloc_spans *spans, int64_t at_ps)
{
    uint32_t after = 0;
    XPD_BISECT(after, spans->count, middle, spans->at[middle].from_ps <= at_ps);
    return after > 0 && at_ps < spans->at[after - 1].to_ps ? after - 1 : XPD_NO_INDEX;
}

static void add_kept(struct xpd_alloc_kept *group, const struct xpd_alloc_lives *lives,
                     uint32_t event)
{
    int64_t asked = lives->of->event[event].requested_bytes;
    group->last = event;
    group->count++;
    if (lives->bytes[event] < 0 || group->size_bytes < 0)
        group->size_bytes = -1;
    else
        xpd_grow_i64(&group->size_bytes, lives->bytes[event]);
    if (asked < 0 || group->requested_bytes < 0)
        group->requested_bytes = -1;
    else
        xpd_grow_i64(&group->requested_bytes, asked);
}

static int by_size(const void *a, const void *b)
{
    const struct xpd_alloc_kept *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes > y->size_bytes ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static bool keep(struct xpd_alloc_never *out, struct xpd_map64 *group_of,
                 const struct xpd_alloc_lives *lives, uint32_t event)
{
    const struct xpd_allocation *e = &lives->of->event[event];
    uint64_t key = (uint64_t)e->op << 32 | e->shape;
    uint32_t at = xpd_map64_get(group_of, key);
    if (at == XPD_NO_INDEX) {
        at = out->group_count++;
        xpd_map64_put(group_of, key, at);
        out->group[at] = (struct xpd_alloc_kept){.first = event};
    }
    add_kept(&out->group[at], lives, event);
    out->kept++;
    if (lives->bytes[event] > 0)
        xpd_grow_i64(&out->kept_bytes, lives->bytes[event]);
    return !group_of->failed;
}

bool xpd_alloc_never_make(struct xpd_alloc_never *out, const struct xpd_alloc_lives *lives,
                          const struct xpd_alloc_spans *spans, int64_t shift_ps,
                          struct xpd_arena *arena)
{
    const struct xpd_allocator *of = lives->of;
    struct xpd_map64 group_of = {0};
    bool overflow = false, fine = true;
    *out =
        (struct xpd_alloc_never){.group = XPD_NEW_ARRAY(arena, struct xpd_alloc_kept, of->count)};
    for (uint32_t i = 0; out->group && fine && i < of->count; i++) {
        const struct xpd_allocation *e = &of->event[i];
        uint32_t made = e->frees || !e->has_address
                            ? XPD_NO_INDEX
                            : span_at(spans, xpd_add_i64(e->at_ps, shift_ps, &overflow));
        if (made == XPD_NO_INDEX)
            continue;
        out->made++;
        int64_t end_ps = xpd_alloc_end_ps(lives, i);
        if (end_ps == INT64_MAX)
            fine = keep(out, &group_of, lives, i);
        else if (span_at(spans, xpd_add_i64(end_ps, shift_ps, &overflow)) == made)
            out->freed_in_step++;
        else
            out->freed_later++;
    }
    xpd_map64_fini(&group_of);
    if (!out->group || !fine)
        return false;
    if (out->group_count > 1)
        qsort(out->group, out->group_count, sizeof *out->group, by_size);
    return true;
}

bool xpd_alloc_grows_more(const struct xpd_alloc_growth *x, const struct xpd_alloc_growth *y)
{
    bool leaks = x->verdict == XPD_ALLOC_LEAK, other = y->verdict == XPD_ALLOC_LEAK;
    if (leaks != other)
        return leaks;
    return x->slope_bytes > y->slope_bytes || (isnan(y->slope_bytes) && !isnan(x->slope_bytes));
}
