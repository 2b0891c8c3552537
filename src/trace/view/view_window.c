/* The boxes of a depth: binary search for the window, then the pyramid, never sampling.
 *
 * In: a frozen depth and a window. Out: boxes in order of time. Whole cells inside of the window
 * come from the coarsest level that is not coarser than the cell asked for, what is cut by the
 * window's edges from the events themselves. */
#include "xprofd/trace/window.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

uint8_t xpd_cell_shift(int64_t window_ps, uint32_t px)
{
    int64_t pixel = px ? window_ps / px : window_ps;
    return pixel > 1 ? (uint8_t)(63 - __builtin_clzll((uint64_t)pixel)) : 0;
}

/* First index at or behind `low` whose start is at least `from_ps`. */
static uint32_t first_start(const struct xpd_depth *depth, int64_t from_ps)
{
    uint32_t low = 0, high = depth->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (xpd_depth_start(depth, middle) < from_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Nothing before `start_ps - longest` reaches that far, also when events overlap. */
static uint32_t first_overlapping(const struct xpd_depth *depth, int64_t from_ps)
{
    bool overflow = false;
    int64_t reach = xpd_add_i64(from_ps, -depth->longest_ps, &overflow);
    uint32_t i = first_start(depth, reach);
    while (i < depth->count && xpd_depth_end(depth, i) < from_ps)
        i++;
    return i;
}

uint32_t xpd_depth_first_touching(const struct xpd_depth *depth, int64_t from_ps)
{
    if (depth->overlapping)
        return first_overlapping(depth, from_ps);
    if (depth->count != 0 && xpd_depth_end(depth, 0) >= from_ps)
        return 0;                          /* as with every depth when all of a trace is in view */
    uint32_t low = 0, high = depth->count; /* ends are sorted as starts are */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (xpd_depth_end(depth, middle) < from_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t xpd_depth_first_after(const struct xpd_depth *depth, int64_t to_ps)
{
    bool all = depth->count == 0 || xpd_depth_start(depth, depth->count - 1) <= to_ps;
    return all ? depth->count : first_start(depth, to_ps + 1);
}

struct drawing {
    const struct xpd_depth *depth;
    xpd_box_fn fn;
    void *user;
    uint64_t boxes;
    uint8_t shift;
    int64_t cell_ps, cell; /* cell: of the box in the making */
    struct xpd_box box;    /* count 0 = none */
    int64_t longest_ps;    /* of box.longest; -1 = none, NOT_READ = see longest_of */
    int64_t vote;
};

/* The longest of an entry of the pyramid lies far away in memory: it is looked at only when another
 * one is to be compared with it. */
#define NOT_READ (-2)
static inline int64_t longest_of(const struct drawing *drawing)
{
    return drawing->longest_ps == NOT_READ
               ? xpd_depth_duration(drawing->depth, drawing->box.longest)
               : drawing->longest_ps;
}

static void flush(struct drawing *drawing)
{
    struct xpd_box *box = &drawing->box;
    if (box->count == 0)
        return;
    if (box->busy_ps > box->end_ps - box->start_ps) /* overlapping events */
        box->busy_ps = box->end_ps - box->start_ps;
    drawing->fn(drawing->user, box);
    drawing->boxes++;
    box->count = 0;
}

/* Without branches, because the winner changes at nearly every event. */
static inline void vote(struct drawing *drawing, uint32_t name, int64_t weight)
{
    struct xpd_box *box = &drawing->box;
    int64_t left = drawing->vote + (box->name == name ? weight : -weight);
    box->name = left < 0 ? name : box->name;
    drawing->vote = left < 0 ? -left : left;
}

/* Begins a box at event i unless one of the same cell is in the making. */
static inline void enter(struct drawing *drawing, uint32_t i, int64_t cell, uint32_t name)
{
    if (drawing->box.count != 0 && drawing->cell == cell)
        return;
    flush(drawing);
    drawing->cell = cell;
    drawing->vote = 0;
    drawing->longest_ps = -1;
    drawing->box = (struct xpd_box){.start_ps = xpd_depth_start(drawing->depth, i),
                                    .end_ps = xpd_depth_start(drawing->depth, i),
                                    .first = i,
                                    .longest = i,
                                    .name = name};
}

static inline void stretch(struct xpd_box *box, int64_t end_ps)
{
    box->end_ps = end_ps > box->end_ps ? end_ps : box->end_ps;
}

static inline void draw_long(struct drawing *drawing, uint32_t i)
{
    const struct xpd_depth *depth = drawing->depth;
    int64_t start = xpd_depth_start(depth, i), duration = xpd_depth_duration(depth, i);
    flush(drawing);
    struct xpd_box box = {.start_ps = start,
                          .end_ps = start + duration,
                          .busy_ps = duration,
                          .count = 1,
                          .first = i,
                          .longest = i,
                          .name = depth->name[i]};
    drawing->fn(drawing->user, &box);
    drawing->boxes++;
}

/* Events shorter than a cell, from `i` on as far as they begin in the cell of the first; returns
 * where it stopped. Most events of a row that is zoomed out pass through here, so it is compiled
 * for depths that have columns of times, and for others. */
static inline __attribute__((always_inline)) uint32_t
draw_short_of(struct drawing *drawing, uint32_t i, uint32_t end, const bool columns)
{
    const struct xpd_depth *depth = drawing->depth;
    const int64_t *starts_ps = depth->start_ps, *durations_ps = depth->duration_ps;
    const uint32_t *name = depth->name;
    uint8_t shift = drawing->shift;
    int64_t start_ps = columns ? starts_ps[i] : xpd_depth_start(depth, i);
    int64_t duration = columns ? durations_ps[i] : xpd_depth_duration(depth, i);
    int64_t cell = start_ps >> shift, cell_ps = drawing->cell_ps;
    enter(drawing, i, cell, name[i]);
    struct xpd_box box = drawing->box;
    int64_t longest_ps = longest_of(drawing), lead = drawing->vote;
    uint32_t first = i;
    do {
        int64_t stop = start_ps + duration;
        int64_t left = lead + (box.name == name[i] ? duration : -duration);
        box.name = left < 0 ? name[i] : box.name; /* as in vote() */
        lead = left < 0 ? -left : left;
        box.longest = duration > longest_ps ? i : box.longest;
        longest_ps = duration > longest_ps ? duration : longest_ps;
        box.end_ps = stop > box.end_ps ? stop : box.end_ps;
        box.busy_ps += duration;
        if (++i == end)
            break;
        start_ps = columns ? starts_ps[i] : xpd_depth_start(depth, i);
        duration = columns ? durations_ps[i] : xpd_depth_duration(depth, i);
    } while (start_ps >> shift == cell && duration < cell_ps);
    box.count += i - first;
    drawing->box = box;
    drawing->longest_ps = longest_ps;
    drawing->vote = lead;
    return i;
}

static uint32_t draw_short(struct drawing *drawing, uint32_t i, uint32_t end)
{
    return drawing->depth->start_ps ? draw_short_of(drawing, i, end, true)
                                    : draw_short_of(drawing, i, end, false);
}

static void draw_events(struct drawing *drawing, uint32_t first, uint32_t end)
{
    while (first < end)
        if (xpd_depth_duration(drawing->depth, first) >= drawing->cell_ps)
            draw_long(drawing, first++);
        else
            first = draw_short(drawing, first, end);
}

/* All events of one entry of the pyramid, [first, end). Depths that have one have columns. */
static void draw_entry(struct drawing *drawing, const struct xpd_mip_level *level, uint32_t entry,
                       uint32_t first, uint32_t end)
{
    const struct xpd_depth *depth = drawing->depth;
    uint32_t last = end - 1;
    bool long_last = depth->duration_ps[last] >= INT64_C(1) << level->shift;
    uint32_t small = end - first - long_last;
    if (small != 0) {
        uint32_t name = level->dominating[entry], longest = level->longest[entry];
        uint32_t small_last = last - long_last;
        enter(drawing, first, depth->start_ps[first] >> drawing->shift, name);
        struct xpd_box *box = &drawing->box;
        stretch(box, depth->start_ps[small_last] + depth->duration_ps[small_last]);
        int64_t busy = (int64_t)level->small_busy_ps[entry];
        box->busy_ps += busy;
        box->count += small;
        vote(drawing, name, busy);
        if (drawing->longest_ps == -1) {
            drawing->longest_ps = NOT_READ;
            box->longest = longest;
        } else if (depth->duration_ps[longest] > longest_of(drawing)) {
            drawing->longest_ps = depth->duration_ps[longest];
            box->longest = longest;
        }
    }
    if (long_last)
        draw_events(drawing, last, end);
}

static const struct xpd_mip_level *pick_level(const struct xpd_depth *depth, uint8_t shift)
{
    const struct xpd_mip_level *best = NULL;
    for (uint32_t i = 0; i < depth->mip_count && depth->mip[i].shift <= shift; i++)
        best = &depth->mip[i];
    return best;
}

static uint32_t first_entry(const struct xpd_mip_level *level, uint32_t event)
{
    uint32_t low = 0;
    XPD_BISECT(low, level->count, middle, level->first[middle] < event);
    return low;
}

#define AHEAD 12 /* entries; the events they name are far apart in memory */

static uint32_t draw_entries(struct drawing *drawing, const struct xpd_mip_level *level,
                             uint32_t first, uint32_t end)
{
    const struct xpd_depth *depth = drawing->depth;
    uint32_t entry = first_entry(level, first);
    uint32_t from = entry < level->count && level->first[entry] < end ? level->first[entry] : end;
    draw_events(drawing, first, from);
    first = from;
    bool merges = level->shift < drawing->shift; /* several entries to a box */
    for (; entry < level->count; entry++) {
        uint32_t next = entry + 1 < level->count ? level->first[entry + 1] : depth->count;
        if (next > end)
            break;
        if (entry + AHEAD < level->count) {
            uint32_t soon = level->first[entry + AHEAD], longest = level->longest[entry + AHEAD];
            __builtin_prefetch(&depth->start_ps[soon]);
            __builtin_prefetch(&depth->duration_ps[soon - 1]); /* the last of the one before */
            if (merges)
                __builtin_prefetch(&depth->duration_ps[longest < depth->count ? longest : soon]);
        }
        draw_entry(drawing, level, entry, first, next);
        first = next;
    }
    return first;
}

uint64_t xpd_depth_boxes(const struct xpd_depth *depth, const struct xpd_trace_window *window,
                         xpd_box_fn fn, void *user)
{
    uint32_t first = xpd_depth_first_touching(depth, window->from_ps);
    uint32_t end = xpd_depth_first_after(depth, window->to_ps);
    struct drawing drawing = {.depth = depth,
                              .fn = fn,
                              .user = user,
                              .shift = window->cell_shift,
                              .cell_ps = INT64_C(1) << window->cell_shift};
    const struct xpd_mip_level *level = pick_level(depth, window->cell_shift);
    if (level && first < end)
        first = draw_entries(&drawing, level, first, end);
    if (!depth->overlapping)
        draw_events(&drawing, first, end);
    else
        for (; first < end; first++) /* some may have ended before the window */
            if (xpd_depth_end(depth, first) >= window->from_ps)
                draw_events(&drawing, first, first + 1);
    flush(&drawing);
    return drawing.boxes;
}
