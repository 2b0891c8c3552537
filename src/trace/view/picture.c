/* A window of the trace as columns.
 *
 * In: rows and a window. Out: their boxes, read by two threads when they are many, and again on a
 * coarser grid while they are too many: columns of numbers, ready to be written. A box is not
 * stored: its columns are computed at once, while it is in registers. */
#include "xprofd/trace/picture.h"

#include "xprofd/base/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 64
struct depth_at {
    uint32_t row, depth;
};
struct plan {
    struct depth_at *depth;
    uint32_t depth_count, part_count, threads; /* one thread: one part */
    uint32_t part[PARTS + 1];                  /* where each begins; the last one is the end */
};
/* ---- boxes, as they come ---- */

static int64_t floor_shift(int64_t ps, uint8_t shift)
{
    return ps >> shift; /* arithmetic on every compiler we build with: rounds down */
}

/* Of a time that is added up with others, so that none of the sum is lost by rounding down. */
static int64_t nearest_shift(int64_t ps, uint8_t shift)
{
    return shift > 0 ? ((ps >> (shift - 1)) + 1) >> 1 : ps;
}

/* An edge in quanta from the window's start. */
static int64_t edge(const struct xpd_picture *picture, int64_t ps)
{
    int64_t distance;
    if (__builtin_sub_overflow(ps, picture->from_ps, &distance))
        distance = ps < 0 ? INT64_MIN : INT64_MAX;
    return floor_shift(distance, picture->quantum_shift);
}

/* Of a name of the view in the table; put there when new. */
static uint32_t place_of(struct xpd_picture *picture, uint32_t name)
{
    if (picture->place[name] == 0) {
        XPD_PUSH(&picture->used_name, name);
        picture->place[name] = (uint32_t)picture->used_name.count;
    }
    return picture->place[name] - 1;
}

/* Boxes of a depth follow each other without a gap in event numbers; else a new run begins. */
static struct xpd_picture_run *run_of(struct xpd_picture *picture, uint64_t event)
{
    struct xpd_picture_run *last =
        picture->run.count ? &picture->run.at[picture->run.count - 1] : NULL;
    if (last && last->row == picture->row && last->depth == picture->depth &&
        event == picture->next_event)
        return last;
    struct xpd_picture_run run = {picture->row, picture->depth, picture->box_count, 0, event};
    XPD_PUSH(&picture->run, run);
    picture->before = 0;
    return picture->run.failed ? NULL : &picture->run.at[picture->run.count - 1];
}

static void take_box(void *user, const struct xpd_box *box)
{
    struct xpd_picture *picture = user;
    uint32_t i = picture->box_count;
    if (picture->too_many || i >= XPD_BOXES_MAX) {
        picture->too_many = true;
        return;
    }
    uint64_t event = picture->first_event + box->first;
    struct xpd_picture_run *run = run_of(picture, event);
    if (!run)
        return;
    int64_t start = edge(picture, box->start_ps);
    picture->start[i] = start - picture->before;
    picture->length[i] = edge(picture, box->end_ps) - start;
    picture->name[i] = place_of(picture, box->name);
    picture->before = start;
    if (box->count > 1) {
        uint32_t m = picture->merged_count++;
        picture->at[m] = i - picture->last_merged;
        picture->count[m] = box->count;
        picture->busy[m] = nearest_shift(box->busy_ps, xpd_picture_busy_shift(picture));
        picture->longest[m] = box->longest - box->first;
        picture->last_merged = i;
    }
    run->box_count++;
    picture->next_event = event + box->count;
    picture->events += box->count;
    picture->box_count = i + 1;
}

static void begin(struct xpd_picture *picture, uint8_t cell_shift)
{
    for (size_t i = 0; i < picture->used_name.count; i++)
        picture->place[picture->used_name.at[i]] = 0;
    picture->used_name.count = picture->run.count = 0;
    picture->box_count = picture->merged_count = picture->last_merged = 0;
    picture->events = 0;
    picture->too_many = false;
    picture->cell_shift = cell_shift;
    picture->quantum_shift = cell_shift > 2 ? (uint8_t)(cell_shift - 2) : 0;
}

/* Depths lie all over memory, and many have few boxes: the ends of one are asked for while the
 * boxes of another are made. */
static void come_near(const struct xpd_picture *picture, const struct depth_at *at)
{
    const struct xpd_depth *depth = xpd_view_depth(picture->view, at->row, at->depth);
    if (depth->count == 0 || !depth->start_ps)
        return;
    __builtin_prefetch(depth->start_ps);
    __builtin_prefetch(depth->duration_ps);
    __builtin_prefetch(depth->start_ps + depth->count - 1);
}

/* The boxes of some depths behind those that are there, until they are too many. */
static void read_depths(struct xpd_picture *picture, const struct depth_at *depth, uint32_t count,
                        const struct xpd_trace_window *window)
{
    for (uint32_t i = 0; i < count && !picture->too_many; i++) {
        const struct xpd_depth *at = xpd_view_depth(picture->view, depth[i].row, depth[i].depth);
        if (i + 1 < count)
            come_near(picture, &depth[i + 1]);
        picture->row = depth[i].row;
        picture->depth = depth[i].depth;
        picture->first_event = at->first_event;
        xpd_depth_boxes(at, window, take_box, picture);
    }
}

/* ---- two threads: one takes parts from the front, the other one from the back, until they meet;
 * how many boxes a part has is not known before it is read. The outcome is the picture that one
 * thread would read: boxes in the order of the rows, names numbered as they are first met ---- */

/* Which part of a row's time is in the window. */
static double share_of(const struct xpd_trace_row *row, const struct xpd_trace_window *window)
{
    double from = (double)row->first_ps, to = (double)row->end_ps, all = to - from;
    from = (double)window->from_ps > from ? (double)window->from_ps : from;
    to = (double)window->to_ps < to ? (double)window->to_ps : to;
    return all > 0 ? (to - from) / all : 1;
}

/* How many boxes a depth may have, about: as many as cells or events. */
static double boxes_of(const struct xpd_view *view, const struct depth_at *at,
                       const struct xpd_trace_window *window)
{
    const struct xpd_trace_row *row = xpd_view_row(view, at->row);
    double cells = ldexp((double)row->end_ps - (double)row->first_ps, -(int)window->cell_shift);
    double count = xpd_view_depth(view, at->row, at->depth)->count, most = 2 * cells + 2;
    return (count < most ? count : most) * share_of(row, window);
}

static void cut(struct plan *plan, const struct xpd_view *view,
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
        if (sum > all * plan->part_count / PARTS && plan->part_count < PARTS)
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

/* All depths of the rows, cut into parts for two threads. In the arena; false: out of memory. */
static bool make_plan(struct plan *plan, const struct xpd_view *view,
                      const struct xpd_row_list *rows, bool flat,
                      const struct xpd_trace_window *window, struct xpd_arena *arena)
{
    size_t count = 0;
    *plan = (struct plan){0};
    for (uint32_t i = 0; i < rows->count; i++)
        count += depths_of(view, rows->at[i], flat, window);
    plan->depth = XPD_NEW_ARRAY(arena, struct depth_at, count + 1);
    if (!plan->depth)
        return false;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t depths = depths_of(view, rows->at[i], flat, window);
        for (uint32_t d = 0; d < depths; d++)
            plan->depth[plan->depth_count++] = (struct depth_at){rows->at[i], d};
    }
    cut(plan, view, window);
    return true;
}

struct segment { /* what of its picture is of one part: [first, end) */
    uint32_t thread;
    uint32_t first_box, first_merged, end_box, end_merged;
    uint32_t last_before, last_merged; /* merged boxes: the last one before, the last one in it */
    size_t first_run, end_run;
};

struct reading {
    struct xpd_picture *picture[2]; /* by thread */
    const struct plan *plan;
    const struct xpd_trace_window *window;
    _Atomic uint32_t taken; /* parts */
    _Atomic uint32_t boxes; /* of both pictures */
    struct segment segment[PARTS];
};

static void read_part(struct reading *reading, uint32_t thread, uint32_t part)
{
    struct xpd_picture *picture = reading->picture[thread];
    const struct plan *plan = reading->plan;
    struct segment *segment = &reading->segment[part];
    *segment = (struct segment){.thread = thread,
                                .first_box = picture->box_count,
                                .first_merged = picture->merged_count,
                                .last_before = picture->last_merged,
                                .first_run = picture->run.count};
    read_depths(picture, plan->depth + plan->part[part], plan->part[part + 1] - plan->part[part],
                reading->window);
    segment->end_box = picture->box_count;
    segment->end_merged = picture->merged_count;
    segment->last_merged = picture->last_merged;
    segment->end_run = picture->run.count;
    uint32_t boxes = segment->end_box - segment->first_box;
    if (atomic_fetch_add_explicit(&reading->boxes, boxes, memory_order_relaxed) + boxes >
        XPD_BOXES_MAX)
        picture->too_many = true;
}

/* Each part is given out once: the threads from the front and from the back meet, but never read
 * the same one. */
static void read_parts(void *context, uint32_t thread)
{
    struct reading *reading = context;
    uint32_t count = reading->plan->part_count, front = 0, back = count;
    while (atomic_fetch_add_explicit(&reading->taken, 1, memory_order_relaxed) < count &&
           atomic_load_explicit(&reading->boxes, memory_order_relaxed) <= XPD_BOXES_MAX)
        read_part(reading, thread, thread == 0 ? front++ : --back);
}

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
            *known = place_of(to, more->used_name.at[more->name[segment->first_box + i]]) + 1;
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

/* `more` is of the second thread, and is not looked at with one. The first picture becomes that of
 * both, unless there are too many boxes. */
static void read_all(struct xpd_picture *picture, struct xpd_picture *more, const struct plan *plan,
                     const struct xpd_trace_window *window)
{
    struct reading reading = {.picture = {picture, more}, .plan = plan, .window = window};
    bool both = plan->threads > 1;
    begin(picture, window->cell_shift);
    if (both)
        begin(more, window->cell_shift);
    xpd_threads_run(plan->threads, read_parts, &reading);
    if (!both)
        return;
    picture->too_many |= more->too_many;
    picture->run.failed |= more->run.failed;
    picture->used_name.failed |= more->used_name.failed;
    if (!picture->too_many && !picture->run.failed && !picture->used_name.failed)
        join(&reading);
}

/* ---- the picture ---- */

enum { COLUMNS = 7 };

/* Room for as many as there may be: what is not used is never touched. */
static bool make_room(struct xpd_picture *picture, struct xpd_arena *arena)
{
    int64_t **column[COLUMNS] = {&picture->start, &picture->length, &picture->name,   &picture->at,
                                 &picture->count, &picture->busy,   &picture->longest};
    picture->memory = malloc((size_t)COLUMNS * XPD_BOXES_MAX * sizeof *picture->memory);
    picture->place = XPD_NEW_ARRAY(arena, uint32_t, xpd_view_names(picture->view));
    for (size_t i = 0; picture->memory && i < COLUMNS; i++)
        *column[i] = picture->memory + i * XPD_BOXES_MAX;
    return picture->memory && picture->place;
}

int xpd_picture_read(struct xpd_picture *picture, const struct xpd_view *view,
                     const struct xpd_row_list *rows, bool flat,
                     const struct xpd_trace_window *window, struct xpd_arena *arena,
                     struct xpd_err *err)
{
    struct xpd_picture more = {.view = view, .from_ps = window->from_ps}; /* the second's */
    struct plan plan;
    struct xpd_trace_window at = *window;
    *picture = more;
    bool fine = make_plan(&plan, view, rows, flat, window, arena) && make_room(picture, arena) &&
                (plan.threads == 1 || make_room(&more, arena));
    for (; fine; at.cell_shift++) {
        read_all(picture, &more, &plan, &at);
        if (!picture->too_many || at.cell_shift >= 62)
            break;
    }
    xpd_picture_fini(&more);
    return !fine || picture->run.failed || picture->used_name.failed
               ? xpd_no_memory(err, NULL, "for the picture")
               : XPD_OK;
}

void xpd_picture_fini(struct xpd_picture *picture)
{
    free(picture->memory);
    XPD_VEC_FINI(&picture->run);
    XPD_VEC_FINI(&picture->used_name);
    *picture = (struct xpd_picture){0};
}
