/* What is drawn of single boxes. In: a picture. Out: samples, waits, exact times, by box. */
#include "xprofd/trace/picture_boxes.h"

#include <math.h>

#define WIDE_CELLS 8 /* a box of fewer has no room for its time */

/* The boxes of a picture in order, each with its events. */
struct walk {
    const struct xpd_picture *picture;
    uint32_t merged, merged_box; /* the next box of more than one event: among them, in all */
    const struct xpd_picture_run *run;
    const struct xpd_depth *depth;
    uint64_t index;  /* in the depth, of the first event of the box */
    uint64_t events; /* of the box */
};

static struct walk begin(const struct xpd_picture *picture)
{
    return (struct walk){.picture = picture,
                         .merged_box = picture->merged_count ? (uint32_t)picture->at[0] : 0};
}

static void enter_run(struct walk *walk, size_t run)
{
    walk->run = &walk->picture->run.at[run];
    walk->depth = xpd_view_depth(walk->picture->view, walk->run->row, walk->run->depth);
    walk->index = walk->run->first_event - walk->depth->first_event;
    walk->events = 0;
}

/* Boxes in ascending order; all of a run, or none. */
static void enter_box(struct walk *walk, uint32_t box)
{
    const struct xpd_picture *picture = walk->picture;
    walk->index += walk->events;
    while (walk->merged < picture->merged_count && walk->merged_box < box) {
        if (++walk->merged < picture->merged_count)
            walk->merged_box += (uint32_t)picture->at[walk->merged];
    }
    bool merged = walk->merged < picture->merged_count && walk->merged_box == box;
    walk->events = merged ? (uint64_t)picture->count[walk->merged] : 1;
}

/* ---- counters ---- */

static struct xpd_box_samples samples_of(const struct walk *walk, uint32_t box)
{
    const double *value = walk->depth->value + walk->index;
    struct xpd_box_samples of = {box, xpd_depth_start(walk->depth, walk->index),
                                 value[walk->events - 1], value[0], value[0]};
    for (uint64_t i = 1; i < walk->events; i++) {
        of.least = fmin(of.least, value[i]); /* of the known ones */
        of.most = fmax(of.most, value[i]);
    }
    return of;
}

const struct xpd_box_samples *xpd_picture_samples(const struct xpd_picture *picture,
                                                  struct xpd_arena *arena, uint32_t *count)
{
    size_t boxes = 0;
    struct walk walk = begin(picture);
    for (size_t r = 0; r < picture->run.count; r++) {
        const struct xpd_picture_run *run = &picture->run.at[r];
        if (xpd_view_depth(picture->view, run->row, run->depth)->value)
            boxes += run->box_count;
    }
    struct xpd_box_samples *at = XPD_NEW_ARRAY(arena, struct xpd_box_samples, boxes);
    *count = 0;
    for (size_t r = 0; at && r < picture->run.count; r++) {
        enter_run(&walk, r);
        for (uint32_t i = 0; walk.depth->value && i < walk.run->box_count; i++) {
            enter_box(&walk, walk.run->first_box + i);
            at[(*count)++] = samples_of(&walk, walk.run->first_box + i);
        }
    }
    return at;
}

/* ---- asynchronous operations: how long the core waits at their end ---- */

const struct xpd_box_wait *xpd_picture_waits(const struct xpd_picture *picture,
                                             struct xpd_arena *arena, uint32_t *count)
{
    const struct xpd_view *view = picture->view;
    size_t boxes = 0;
    struct walk walk = begin(picture);
    for (size_t r = 0; r < picture->run.count; r++)
        if (xpd_view_row(view, picture->run.at[r].row)->kind == XPD_ROW_OFFLOAD)
            boxes += picture->run.at[r].box_count;
    struct xpd_box_wait *at = XPD_NEW_ARRAY(arena, struct xpd_box_wait, boxes + 1);
    *count = 0;
    for (size_t r = 0; at && r < picture->run.count; r++) {
        enter_run(&walk, r);
        if (xpd_view_row(view, walk.run->row)->kind != XPD_ROW_OFFLOAD)
            continue;
        for (uint32_t i = 0; i < walk.run->box_count; i++) {
            struct xpd_box_wait *wait = &at[*count];
            wait->box = walk.run->first_box + i;
            enter_box(&walk, wait->box);
            struct xpd_event event =
                xpd_view_event_at(view, walk.run->row, walk.run->depth, (uint32_t)walk.index);
            *count += walk.events == 1 && xpd_async_pair_of(view, &event, &wait->pair);
        }
    }
    return at;
}

/* ---- wide boxes: their times to the picosecond ---- */

static uint32_t count_wide(const struct xpd_picture *picture, int64_t wide)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < picture->box_count; i++)
        n += picture->length[i] >= wide;
    return n;
}

/* Not of one too far away to be drawn in place. */
static void put_time(struct xpd_box_times *out, const struct walk *walk, uint32_t box,
                     int64_t start)
{
    uint8_t shift = walk->picture->quantum_shift;
    uint64_t drawn = (uint64_t)walk->picture->from_ps + ((uint64_t)start << shift);
    uint64_t beyond = (uint64_t)xpd_depth_start(walk->depth, walk->index) - drawn;
    out->box[out->count] = box;
    out->beyond_ps[out->count] = (int64_t)beyond;
    out->duration_ps[out->count] = xpd_depth_duration(walk->depth, walk->index);
    out->count += beyond >> shift == 0;
}

bool xpd_picture_times(struct xpd_box_times *out, const struct xpd_picture *picture,
                       struct xpd_arena *arena)
{
    int64_t wide = (int64_t)WIDE_CELLS << (picture->cell_shift - picture->quantum_shift);
    uint32_t most = picture->quantum_shift > 0 ? count_wide(picture, wide) : 0;
    struct walk walk = begin(picture);
    *out = (struct xpd_box_times){.box = XPD_NEW_ARRAY(arena, int64_t, (size_t)most + 1),
                                  .beyond_ps = XPD_NEW_ARRAY(arena, int64_t, (size_t)most + 1),
                                  .duration_ps = XPD_NEW_ARRAY(arena, int64_t, (size_t)most + 1)};
    if (!out->box || !out->beyond_ps || !out->duration_ps)
        return false;
    for (size_t r = 0; most > 0 && r < picture->run.count; r++) {
        int64_t start = 0;
        enter_run(&walk, r);
        for (uint32_t i = 0; i < walk.run->box_count; i++) {
            uint32_t box = walk.run->first_box + i;
            enter_box(&walk, box);
            start += picture->start[box];
            if (walk.events == 1 && picture->length[box] >= wide)
                put_time(out, &walk, box, start);
        }
    }
    return true;
}
