/* A picture of many rows is read by two threads: one takes parts from the front, the other one from
 * the back, until they meet. How many boxes a part has is not known before it is read.
 *
 * In: rows and a window. Out: the picture that one thread would read: boxes in the order of the
 * rows, names numbered as they are first met. */
#include "trace_picture.h"
#include "xprofd/base/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plan ---- */

/* Which part of a row's time is in the window. */
static double share_of(const struct xpd_trace_row *row, const struct xpd_trace_window *window)
{
    double from = (double)row->first_ps, to = (double)row->end_ps, all = to - from;
    from = (double)window->from_ps > from ? (double)window->from_ps : from;
    to = (double)window->to_ps < to ? (double)window->to_ps : to;
    return all > 0 ? (to - from) / all : 1;
}

/* How many boxes a depth may have, about: as many as cells or events. */
static double boxes_of(const struct xpd_view *view, const struct xpd_picture_depth *at,
                       const struct xpd_trace_window *window)
{
    const struct xpd_trace_row *row = xpd_view_row(view, at->row);
    double cells = ldexp((double)row->end_ps - (double)row->first_ps, -(int)window->cell_shift);
    double count = xpd_view_depth(view, at->row, at->depth)->count, most = 2 * cells + 2;
    return (count < most ? count : most) * share_of(row, window);
}

static void cut(struct xpd_picture_plan *plan, const struct xpd_view *view,
                const struct xpd_trace_window *window)
{
    double all = 0, sum = 0;
    plan->threads = plan->part_count = 1;
    plan->part[0] = 0;
    plan->part[1] = plan->depth_count;
    if (plan->depth_count < 2 || xpd_threads_count(0) < 2)
        return;
    for (uint32_t i = 0; i < plan->depth_count; i++)
        all += boxes_of(view, &plan->depth[i], window);
    if (all < XPD_PICTURE_THREAD_FROM)
        return;
    plan->threads = 2;
    for (uint32_t i = 0; i < plan->depth_count; i++) {
        if (sum > all * plan->part_count / XPD_PICTURE_PARTS &&
            plan->part_count < XPD_PICTURE_PARTS)
            plan->part[plan->part_count++] = i;
        sum += boxes_of(view, &plan->depth[i], window);
    }
    plan->part[plan->part_count] = plan->depth_count;
}

/* Of rows with events in the window. */
static uint32_t depths_of(const struct xpd_view *view, uint32_t row, bool flat,
                          const struct xpd_trace_window *window)
{
    const struct xpd_trace_row *at = xpd_view_row(view, row);
    if (!xpd_row_touches(at, window->from_ps, window->to_ps))
        return 0;
    return flat && at->depth_count > 1 ? 1 : at->depth_count;
}

bool xpd_picture_plan(struct xpd_picture_plan *plan, const struct xpd_trace_call *call,
                      const struct xpd_row_list *rows, bool flat,
                      const struct xpd_trace_window *window)
{
    const struct xpd_view *view = &call->view;
    size_t count = 0;
    *plan = (struct xpd_picture_plan){0};
    for (uint32_t i = 0; i < rows->count; i++)
        count += depths_of(view, rows->at[i], flat, window);
    plan->depth = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_picture_depth, count + 1);
    if (!plan->depth)
        return false;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t depths = depths_of(view, rows->at[i], flat, window);
        for (uint32_t d = 0; d < depths; d++)
            plan->depth[plan->depth_count++] = (struct xpd_picture_depth){rows->at[i], d};
    }
    cut(plan, view, window);
    return true;
}

/* ---- reading ---- */

struct segment { /* what of its picture is of one part: [first, end) */
    uint32_t thread;
    uint32_t first_box, first_merged, end_box, end_merged;
    uint32_t last_before, last_merged; /* merged boxes: the last one before, the last one in it */
    size_t first_run, end_run;
};

struct reading {
    struct xpd_picture *picture[2]; /* by thread */
    const struct xpd_picture_plan *plan;
    const struct xpd_trace_window *window;
    _Atomic uint32_t taken; /* parts */
    _Atomic uint32_t boxes; /* of both pictures */
    struct segment segment[XPD_PICTURE_PARTS];
};

static void read_part(struct reading *reading, uint32_t thread, uint32_t part)
{
    struct xpd_picture *picture = reading->picture[thread];
    const struct xpd_picture_plan *plan = reading->plan;
    struct segment *segment = &reading->segment[part];
    *segment = (struct segment){.thread = thread,
                                .first_box = picture->box_count,
                                .first_merged = picture->merged_count,
                                .last_before = picture->last_merged,
                                .first_run = picture->run.count};
    xpd_picture_read_depths(picture, plan->depth + plan->part[part],
                            plan->part[part + 1] - plan->part[part], reading->window);
    segment->end_box = picture->box_count;
    segment->end_merged = picture->merged_count;
    segment->last_merged = picture->last_merged;
    segment->end_run = picture->run.count;
    uint32_t boxes = segment->end_box - segment->first_box;
    if (atomic_fetch_add_explicit(&reading->boxes, boxes, memory_order_relaxed) + boxes >
        XPD_BOXES_MAX)
        picture->too_many = true;
}

/* As many parts are given out as there are: who comes from the front and who comes from the back
 * meet, but never read the same one. */
static void read_parts(void *context, uint32_t thread)
{
    struct reading *reading = context;
    uint32_t count = reading->plan->part_count, front = 0, back = count;
    while (atomic_fetch_add_explicit(&reading->taken, 1, memory_order_relaxed) < count &&
           atomic_load_explicit(&reading->boxes, memory_order_relaxed) <= XPD_BOXES_MAX)
        read_part(reading, thread, thread == 0 ? front++ : --back);
}

/* ---- both as one ---- */

static void append_numbers(struct xpd_picture *to, const struct xpd_picture *more,
                           const struct segment *segment)
{
    uint32_t n = to->box_count, boxes = segment->end_box - segment->first_box;
    uint32_t m = to->merged_count, merged = segment->end_merged - segment->first_merged;
    memcpy(to->start + n, more->start + segment->first_box, boxes * sizeof *to->start);
    memcpy(to->length + n, more->length + segment->first_box, boxes * sizeof *to->length);
    memcpy(to->at + m, more->at + segment->first_merged, merged * sizeof *to->at);
    memcpy(to->count + m, more->count + segment->first_merged, merged * sizeof *to->count);
    memcpy(to->busy + m, more->busy + segment->first_merged, merged * sizeof *to->busy);
    memcpy(to->longest + m, more->longest + segment->first_merged, merged * sizeof *to->longest);
    if (merged == 0)
        return;
    /* its distance is from the last one before, which is another one now */
    to->at[m] += (int64_t)segment->last_before - segment->first_box + n - to->last_merged;
    to->last_merged = segment->last_merged - segment->first_box + n;
}

/* A segment of `more` behind what is in `to`. `place`: by place in `more`, that in `to` plus one; 0
 * where the name was not met yet. */
static void append(struct xpd_picture *to, const struct xpd_picture *more,
                   const struct segment *segment, uint32_t *place)
{
    uint32_t n = to->box_count, boxes = segment->end_box - segment->first_box;
    append_numbers(to, more, segment);
    for (uint32_t i = 0; i < boxes; i++) {
        uint32_t *known = &place[more->name[segment->first_box + i]];
        if (*known == 0)
            *known =
                xpd_picture_place(to, more->used_name.at[more->name[segment->first_box + i]]) + 1;
        to->name[n + i] = *known - 1;
    }
    for (size_t i = segment->first_run; i < segment->end_run; i++) {
        struct xpd_picture_run run = more->run.at[i];
        run.first_box = run.first_box - segment->first_box + n;
        XPD_PUSH(&to->run, run);
    }
    to->box_count += boxes;
    to->merged_count += segment->end_merged - segment->first_merged;
}

static void join(struct reading *reading)
{
    struct xpd_picture *to = reading->picture[0], *more = reading->picture[1];
    uint32_t *place = calloc(more->used_name.count + 1, sizeof *place);
    to->used_name.failed |= !place;
    for (uint32_t i = 0; place && i < reading->plan->part_count; i++)
        if (reading->segment[i].thread == 1)
            append(to, more, &reading->segment[i], place);
    to->events += more->events;
    free(place);
}

void xpd_picture_read_parts(struct xpd_picture *picture, struct xpd_picture *more,
                            const struct xpd_picture_plan *plan,
                            const struct xpd_trace_window *window)
{
    struct reading reading = {.picture = {picture, more}, .plan = plan, .window = window};
    bool both = plan->threads > 1;
    xpd_picture_begin(picture, window->cell_shift);
    if (both)
        xpd_picture_begin(more, window->cell_shift);
    xpd_threads_run(plan->threads, read_parts, &reading);
    if (!both)
        return;
    picture->too_many |= more->too_many;
    picture->run.failed |= more->run.failed;
    picture->used_name.failed |= more->used_name.failed;
    if (!picture->too_many && !picture->run.failed && !picture->used_name.failed)
        join(&reading);
}
