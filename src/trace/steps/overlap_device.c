/* When the work of a chip ran by the chip's own clock. In: a view. Out: a start for each event of
 * the rows of work, read from the file in one pass by a few threads, and for each process whether
 * all of them have one. */
#include "../derived/derive.h"
#include "overlap_work.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>
#include <stdlib.h>

struct start_reading {
    const struct xpd_trace *trace;
    bool *asked; /* by depth */
    atomic_uint next_depth;
    atomic_bool *lacks;           /* by process: an event has no start by its clock */
    pthread_mutex_t lock;         /* what stands below */
    struct xpd_packed **later_ps; /* by depth */
    struct xpd_arena *arena;
    bool failed;
};
struct start_room { /* of a thread: the starts of a depth, until they are packed */
    int64_t *at;
    size_t capacity;
};

/* Whether all of its events have a duration by the chip's clock. */
static bool has_durations(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    for (uint32_t i = 0; i < depth->count; i++)
        if (xpd_trace_device_ps(trace, depth, i) < 0)
            return false;
    return true;
}

static bool keep(struct start_reading *reading, uint32_t d, const int64_t *later_ps)
{
    pthread_mutex_lock(&reading->lock);
    struct xpd_packed *packed = XPD_NEW(reading->arena, struct xpd_packed);
    bool fine =
        packed && xpd_packed_make(packed, later_ps, reading->trace->depth[d].count, reading->arena);
    reading->later_ps[d] = fine ? packed : NULL;
    reading->failed |= !fine;
    pthread_mutex_unlock(&reading->lock);
    return fine;
}

/* False: no memory. */
static bool read_depth(struct start_reading *reading, uint32_t d, struct start_room *room)
{
    const struct xpd_depth *depth = &reading->trace->depth[d];
    atomic_bool *lacks = &reading->lacks[reading->trace->row[depth->row].process];
    if (atomic_load(lacks))
        return true;
    if (!xpd_vec_grow((void **)&room->at, &room->capacity, depth->count, sizeof *room->at))
        return false;
    if (!xpd_event_stats(reading->trace, depth, XPD_STR("device_offset_ps"), room->at)) {
        atomic_store(lacks, true);
        return true;
    }
    for (uint32_t i = 0; i < depth->count; i++)
        room->at[i] -= xpd_depth_start(depth, i);
    return keep(reading, d, room->at);
}

static void read_depths(void *context, uint32_t thread)
{
    struct start_reading *reading = context;
    struct start_room room = {0};
    bool fine = true;
    (void)thread;
    for (uint32_t d;
         fine && (d = atomic_fetch_add(&reading->next_depth, 1)) < reading->trace->depth_count;)
        fine = !reading->asked[d] || read_depth(reading, d, &room);
    free(room.at);
    if (fine)
        return;
    pthread_mutex_lock(&reading->lock);
    reading->failed = true;
    pthread_mutex_unlock(&reading->lock);
}

/* Asks for the depths of all rows of work; those without durations by that clock lack theirs. */
static void ask_rows(struct start_reading *reading, const struct xpd_view *view, bool *known)
{
    const struct xpd_trace *trace = view->trace;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        for (uint32_t d = 0; xpd_view_executes(view, r) && d < row->depth_count; d++) {
            uint32_t at = row->first_depth + d;
            known[row->process] = true;
            reading->asked[at] =
                !reading->lacks[row->process] && has_durations(trace, &trace->depth[at]);
            if (!reading->asked[at])
                reading->lacks[row->process] = true;
        }
    }
}

static bool read_rows(struct start_reading *reading)
{
    if (pthread_mutex_init(&reading->lock, NULL) != 0)
        return false;
    xpd_threads_run(xpd_threads_count(0), read_depths, reading);
    pthread_mutex_destroy(&reading->lock);
    return !reading->failed;
}

int xpd_overlap_device_make(struct xpd_overlap_device *out, const struct xpd_view *view,
                            struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    struct xpd_arena scratch = {0};
    struct start_reading reading = {
        .trace = trace,
        .asked = XPD_NEW_ARRAY(&scratch, bool, trace->depth_count),
        .lacks = XPD_NEW_ARRAY(&scratch, atomic_bool, trace->process_count),
        .later_ps = XPD_NEW_ARRAY(arena, struct xpd_packed *, trace->depth_count),
        .arena = arena};
    bool *known = XPD_NEW_ARRAY(arena, bool, trace->process_count);
    bool fine = reading.asked && reading.lacks && reading.later_ps && known;
    if (fine) {
        ask_rows(&reading, view, known);
        fine = read_rows(&reading);
    }
    for (uint32_t p = 0; fine && p < trace->process_count; p++)
        known[p] = known[p] && !reading.lacks[p];
    xpd_arena_fini(&scratch);
    *out = (struct xpd_overlap_device){(const struct xpd_packed *const *)reading.later_ps, known};
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                           "not enough memory for the times of the chips' own clocks");
}

struct xpd_interval xpd_overlap_device_at(const struct xpd_overlap_device *device,
                                          const struct xpd_trace *trace,
                                          const struct xpd_depth *depth, uint32_t i)
{
    bool measured = depth->first_event < trace->event_count;
    const struct xpd_packed *later_ps = measured ? device->later_ps[depth - trace->depth] : NULL;
    if (!later_ps)
        return (struct xpd_interval){0, 0};
    int64_t start_ps = xpd_depth_start(depth, i) + xpd_packed_at(later_ps, i);
    return (struct xpd_interval){start_ps, start_ps + xpd_trace_device_ps(trace, depth, i)};
}

struct xpd_interval xpd_overlap_device_span(const struct xpd_overlap_device *device,
                                            const struct xpd_trace *trace, uint64_t start,
                                            uint64_t done)
{
    const struct xpd_depth *from, *to;
    uint32_t s, d;
    if (!xpd_trace_find(trace, start, &from, &s) || !xpd_trace_find(trace, done, &to, &d))
        return (struct xpd_interval){0, 0};
    return (struct xpd_interval){xpd_overlap_device_at(device, trace, from, s).start_ps,
                                 xpd_overlap_device_at(device, trace, to, d).end_ps};
}
