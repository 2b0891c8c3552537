/* XProf's 13 stores of events: the resolution of each, which ones a window reads, and from where.
 * xprof_levels_make.c assigns events to stores. */
#include "viewer_private.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

/* xprof_levels.c. What is shorter is not in this store, 1 s in the first, 1 ps in the last. */
static int64_t xpd_xprof_level_resolution(unsigned level)
{
    int64_t resolution_ps = 1000000000000;
    while (level-- > 0)
        resolution_ps /= 10;
    return resolution_ps;
}

unsigned xpd_xprof_last_level(int64_t resolution_ps)
{
    unsigned level = 0;
    while (level + 1 < XPD_XPROF_LEVELS && xpd_xprof_level_resolution(level) > resolution_ps)
        level++;
    return level;
}

int64_t xpd_xprof_level_begin(unsigned level, int64_t from_ps)
{
    return level > 0 && from_ps > 0 ? from_ps - xpd_xprof_level_resolution(level - 1) : INT64_MIN;
}

void xpd_xprof_levels_free(struct xpd_xprof_levels *levels)
{
    if (!levels)
        return;
    free(levels->order.at);
    free(levels->level);
    free(levels->store);
    free(levels);
}

uint64_t xpd_xprof_levels_bytes(const struct xpd_xprof_levels *levels)
{
    return levels->bytes;
}

/* XProf stores each event once, in one of 13 stores: level k holds what is visible
 * at a resolution of 10^(12-k) ps and at none coarser. A window of a large profile reads the levels
 * down to its resolution, so what it shows depends on them. An event is visible at every level
 * behind its own.
 *
 * Two sets of machines: one over the events with flows alone, in the order of all, which says at
 * which level a flow is first visible; and one over the rows. Rows know nothing of each other, so
 * threads share them.
 */

#define MACHINES (XPD_XPROF_LEVELS - 1)           /* what none of them shows is in the last store */
enum { LEVEL = 0x1F, KNOWN = 0x80, FREE = 0x40 }; /* of a flow; an event that has no row */

/* ---- events with flows, and those without rows ---- */

struct sorting {
    struct xpd_xprof_levels *levels;
    const struct xpd_xprof *xprof;
    struct xpd_visible *flows, *rows; /* rows: events without one */
    uint8_t *seen; /* by flow: 1 + first level where it is visible; 0 = not met */
    bool failed;
};

static unsigned first_visible(struct sorting *sorting, struct xpd_visible *visible,
                              const struct xpd_xprof_event *event)
{
    unsigned first = MACHINES;
    sorting->failed |= !xpd_visible_first(visible, event, &first);
    return first;
}

/* Both ends of a flow are at one level, but for ends that are long enough to be at an earlier one.
 */
static unsigned flow_level(struct sorting *sorting, const struct xpd_xprof_event *event)
{
    unsigned first = first_visible(sorting, sorting->flows, event), level = 0;
    uint8_t *seen = &sorting->seen[event->flow_number];
    if (*seen == 0)
        *seen = (uint8_t)(1 + first);
    while (level + 1 < *seen && event->duration_ps < xpd_xprof_level_resolution(level))
        level++;
    if (event->kind != XPD_XPROF_SLICE)
        sorting->failed |= !xpd_visible_from(sorting->rows, event, level);
    return level;
}

/* Those that the order of all decides about: with a flow, or of a counter. */
static uint64_t mark_ordered(const struct sorting *sorting)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < sorting->xprof->stream_count; s++) {
        const struct xpd_xprof_stream *stream = &sorting->xprof->stream[s];
        const struct xpd_depth *depth = stream->depth;
        bool counter = stream->source == XPD_FROM_COUNTER;
        for (uint32_t i = 0; i < depth->count && (counter || sorting->xprof->linked); i++) {
            uint64_t event = stream->event ? stream->event[i] : depth->first_event + i;
            bool marked = counter || xpd_xprof_is_linked(sorting->xprof, stream, event);
            sorting->levels->level[stream->first + i] = marked ? KNOWN : 0;
            count += marked;
        }
    }
    return count;
}

static void sort_one(struct sorting *sorting, uint32_t place)
{
    const struct xpd_xprof *xprof = sorting->xprof;
    uint32_t stream = xpd_xprof_stream_at(xprof, place);
    struct xpd_xprof_event event;
    xpd_xprof_place_event(xprof, stream, (uint32_t)(place - xprof->stream[stream].first), &event);
    if (!event.in_flow && event.kind == XPD_XPROF_SLICE) {
        sorting->levels->level[place] = 0; /* its row decides */
        return;
    }
    unsigned level =
        event.in_flow ? flow_level(sorting, &event) : first_visible(sorting, sorting->rows, &event);
    sorting->levels->level[place] =
        (uint8_t)(KNOWN | level | (event.kind == XPD_XPROF_SLICE ? 0 : FREE));
}

static void sort_ordered(struct sorting *sorting)
{
    const struct xpd_xprof_order *order = &sorting->levels->order;
    uint64_t left = mark_ordered(sorting);
    for (uint64_t k = 0; k < order->count && left > 0 && !sorting->failed; k++) {
        uint32_t place = order->at[k] & ~XPD_XPROF_SAME;
        if (sorting->levels->level[place] != KNOWN)
            continue;
        sort_one(sorting, place);
        left--;
    }
}

static bool sort_flows(struct sorting *sorting)
{
    int64_t resolution_ps[MACHINES];
    for (unsigned k = 0; k < MACHINES; k++)
        resolution_ps[k] = xpd_xprof_level_resolution(k);
    uint32_t flow_count = xpd_xprof_flow_count(sorting->xprof);
    sorting->flows = xpd_visible_new(resolution_ps, MACHINES, flow_count);
    sorting->rows = xpd_visible_new(resolution_ps, MACHINES, 0);
    sorting->seen = calloc((size_t)flow_count + 1, 1);
    sorting->failed = !sorting->flows || !sorting->rows || !sorting->seen;
    if (!sorting->failed)
        sort_ordered(sorting);
    xpd_visible_free(sorting->flows);
    xpd_visible_free(sorting->rows);
    free(sorting->seen);
    return !sorting->failed;
}

/* ---- rows ---- */

struct late { /* earlier than `after`, which comes before it in its row and store */
    uint32_t place, after, number;
};

struct row_work {
    struct xpd_xprof_levels *levels;
    pthread_mutex_t late_lock;
    XPD_VEC(struct late) late;
    const struct xpd_xprof *xprof;
    uint32_t *stream; /* by row */
    uint32_t *first;  /* row k has stream[first[k]] to stream[first[k + 1] - 1] */
    uint32_t row_count;
    _Atomic bool failed;
};

/* The level of one event of a row. `known`: that of its flow, or MACHINES + 1. */
static unsigned row_level(struct xpd_ends ends[MACHINES], const int64_t resolution_ps[MACHINES],
                          unsigned known, int64_t start_ps, int64_t duration_ps, bool *failed)
{
    unsigned level = known;
    for (unsigned k = known > MACHINES ? 0 : known; k < MACHINES; k++) {
        size_t depth = xpd_ends_depth(&ends[k], start_ps);
        bool yes = level <= MACHINES ||
                   xpd_ends_show(&ends[k], depth, start_ps, duration_ps, resolution_ps[k]);
        if (!yes)
            continue;
        level = level <= MACHINES ? level : k;
        *failed |= !xpd_ends_set(&ends[k], depth, start_ps + duration_ps);
    }
    return level <= MACHINES ? level : MACHINES;
}

/* File offset of an event; UINT64_MAX: in a derived line, which XProf puts after those of the file;
 * 0: none. */
static uint64_t where_at(const struct xpd_xprof *xprof, uint32_t place)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[xpd_xprof_stream_at(xprof, place)];
    if (stream->source == XPD_FROM_DERIVED && !stream->event && !stream->group)
        return UINT64_MAX;
    if (stream->source != XPD_FROM_TRACE || stream->event)
        return 0;
    uint64_t where = xpd_depth_where(stream->depth, (uint32_t)(place - stream->first));
    return where == UINT64_MAX ? 0 : where;
}

/* Reorders events in order of time into file order, if different; *moved is then set. False: out of
 * memory. */
static bool put_as_in_file(const struct xpd_xprof *xprof, uint32_t *place, uint32_t count,
                           bool *moved)
{
    uint64_t *where = malloc(((size_t)count + 1) * sizeof *where), highest = 0;
    bool later = false, known = true, measured = false;
    for (uint32_t i = 0; where && i < count && known; i++) {
        where[i] = where_at(xprof, place[i] & ~XPD_XPROF_SAME);
        known = where[i] != 0;
        measured |= where[i] != UINT64_MAX;
        where[i] -= where[i] == UINT64_MAX ? count - i : 0; /* in order of time */
        later |= where[i] < highest && !(place[i] & XPD_XPROF_SAME);
        highest = where[i] > highest ? where[i] : highest;
    }
    *moved = later && known && measured;
    bool fine = where && (!*moved || xpd_radix_sort_u64(where, place, count));
    free(where);
    return fine;
}

static void put_late(struct row_work *work, uint32_t place, uint32_t after)
{
    pthread_mutex_lock(&work->late_lock);
    XPD_PUSH(&work->late, ((struct late){place, after, (uint32_t)work->late.count}));
    pthread_mutex_unlock(&work->late_lock);
}

static int by_after(const void *a, const void *b)
{
    const struct late *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The stores one after another: in order of time, with late events after the ones they follow in
 * the file. False: out of memory. */
static bool make_store(struct xpd_xprof_levels *levels, struct late *late, uint32_t count,
                       uint64_t places)
{
    struct xpd_map64 late_to = {0}; /* position -> first of `late` after it */
    const struct xpd_xprof_order *order = &levels->order;
    uint8_t *is_late = calloc((size_t)places + 1, 1);
    uint64_t next[XPD_XPROF_LEVELS] = {0};
    levels->store = malloc((order->count + 1) * sizeof *levels->store);
    qsort(late, count, sizeof *late, by_after);
    for (uint32_t i = count; i-- > 0 && is_late;) {
        xpd_map64_put(&late_to, late[i].after, i);
        is_late[late[i].place] = 1;
    }
    bool fine = levels->store && is_late && !late_to.failed;
    for (uint64_t k = 0; fine && k < order->count; k++)
        levels->store_first[levels->level[order->at[k] & ~XPD_XPROF_SAME] + 1]++;
    for (unsigned k = 0; k < XPD_XPROF_LEVELS; k++) {
        levels->store_first[k + 1] += levels->store_first[k];
        next[k] = levels->store_first[k];
    }
    for (uint64_t k = 0; fine && k < order->count; k++) {
        uint32_t place = order->at[k] & ~XPD_XPROF_SAME;
        if (is_late[place])
            continue;
        levels->store[next[levels->level[place]]++] = place;
        for (uint32_t i = xpd_map64_get(&late_to, place); i < count && late[i].after == place; i++)
            levels->store[next[levels->level[place]]++] = late[i].place;
    }
    levels->bytes += fine ? order->count * sizeof *levels->store : 0;
    xpd_map64_fini(&late_to);
    free(is_late);
    return fine;
}

/* ---- how XProf reads its stores ---- */

static int64_t start_at(const struct xpd_xprof *xprof, uint32_t place)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[xpd_xprof_stream_at(xprof, place)];
    return xpd_depth_start(stream->depth, place - stream->first);
}

/* The first entry of a store from a time on, as a table of LevelDB finds it: by binary search over
 * every 16th entry of all stores, then one by one. Entries out of order have the same effect as
 * there. */
static uint64_t seek(const struct xpd_xprof *xprof, unsigned level, int64_t from_ps)
{
    enum { RESTART = 16 };
    const struct xpd_xprof_levels *levels = xprof->input.levels;
    uint64_t count = levels->store_first[XPD_XPROF_LEVELS], low = 0,
             high = count > 0 ? (count - 1) / RESTART : 0;
    while (low < high) {
        uint64_t middle = (low + high + 1) / 2, at = middle * RESTART;
        uint32_t place = levels->store[at];
        unsigned other = levels->level[place];
        if (other < level || (other == level && start_at(xprof, place) < from_ps))
            low = middle;
        else
            high = middle - 1;
    }
    uint64_t at = low * RESTART;
    while (at < count && (levels->level[levels->store[at]] < level ||
                          (levels->level[levels->store[at]] == level &&
                           start_at(xprof, levels->store[at]) < from_ps)))
        at++;
    return at;
}

void xpd_xprof_read_stores(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                           unsigned last_level, uint8_t *read)
{
    const struct xpd_xprof_levels *levels = xprof->input.levels;
    for (unsigned level = 0; level <= last_level; level++) {
        uint64_t at = seek(xprof, level, xpd_xprof_level_begin(level, query->from_ps));
        for (; at < levels->store_first[level + 1] &&
               start_at(xprof, levels->store[at]) <= query->to_ps;
             at++)
            read[levels->store[at] / 8] |= (uint8_t)(1u << levels->store[at] % 8);
    }
}

/* ---- rows ---- */

/* Whether one of a depth starts with one of the depth around it and stands before it in the file;
 * `any`: or anywhere. */
static bool ties_move(const struct xpd_depth *outer, const struct xpd_depth *inner, bool any)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < inner->count; i++) {
        while (k < outer->count && xpd_depth_start(outer, k) < xpd_depth_start(inner, i))
            k++;
        if (k < outer->count && xpd_depth_start(outer, k) == xpd_depth_start(inner, i) &&
            (any || xpd_depth_where(inner, i) < xpd_depth_where(outer, k)))
            return true;
    }
    return false;
}

/* Events of a row that are not in order of time, longest first, or on another line; for a GPU's
 * kernels that start together, derived rows are shortest first. */
static bool is_disordered(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    const struct xpd_plane *plane = &trace->space->plane[trace->process[row->process].plane];
    bool gpu = trace->process[row->process].kind == XPD_PROCESS_GPU;
    const struct xpd_wire_range *line =
        row->line < plane->line_count ? &plane->line[row->line].range : NULL;
    for (uint32_t d = 0; line && d < row->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
        uint64_t last = 0;
        if (d > 0 && depth->where_low && ties_move(depth - 1, depth, gpu))
            return true;
        for (uint32_t i = 0; depth->where_low && i < depth->count; i++) {
            uint64_t where = xpd_depth_where(depth, i);
            bool together = i > 0 && xpd_depth_start(depth, i) == xpd_depth_start(depth, i - 1) &&
                            xpd_depth_duration(depth, i) != xpd_depth_duration(depth, i - 1);
            if (where < last || together || where - line->offset >= line->size)
                return true;
            last = where;
        }
    }
    return false;
}

bool xpd_xprof_is_shuffled(const struct xpd_xprof *xprof)
{
    const struct xpd_trace *trace = xprof->input.trace;
    struct xpd_map64 row_of = {0}; /* pid, tid -> row of the trace */
    bool shuffled = false;
    for (uint32_t s = 0; s < xprof->stream_count && !shuffled; s++) {
        const struct xpd_xprof_stream *stream = &xprof->stream[s];
        if (stream->source != XPD_FROM_TRACE || stream->event)
            continue;
        uint32_t row = stream->depth->row, known;
        known = xpd_map64_put(&row_of, (uint64_t)stream->pid << 32 | stream->tid, row);
        shuffled = known == XPD_NO_INDEX ? is_disordered(trace, &trace->row[row]) : known != row;
    }
    shuffled |= row_of.failed; /* the levels are always right */
    xpd_map64_fini(&row_of);
    return shuffled;
}

static void sort_row(void *context, uint32_t row, uint32_t thread)
{
    struct row_work *work = context;
    const struct xpd_xprof *xprof = work->xprof;
    const uint32_t *stream = work->stream + work->first[row];
    uint32_t count = work->first[row + 1] - work->first[row];
    struct xpd_ends ends[MACHINES] = {0};
    int64_t resolution_ps[MACHINES];
    uint64_t all = 0;
    int64_t highest_ps[XPD_XPROF_LEVELS]; /* by store */
    uint32_t highest[XPD_XPROF_LEVELS] = {0};
    uint32_t kept = 0;
    bool failed = false, moved = false;
    (void)thread;
    for (unsigned k = 0; k < XPD_XPROF_LEVELS; k++)
        highest_ps[k] = INT64_MIN;
    for (unsigned k = 0; k < MACHINES; k++)
        resolution_ps[k] = xpd_xprof_level_resolution(k);
    for (uint32_t s = 0; s < count; s++)
        all += xprof->stream[stream[s]].depth->count;
    struct xpd_viewer_span *span = malloc(count * sizeof *span);
    uint32_t *place = malloc((all + 1) * sizeof *place);
    for (uint32_t s = 0; span && s < count; s++)
        span[s] = (struct xpd_viewer_span){stream[s], 0, xprof->stream[stream[s]].depth->count};
    failed = !span || !place || !xpd_xprof_sort(xprof, span, count, place, &kept) ||
             !put_as_in_file(xprof, place, kept, &moved);
    for (uint32_t i = 0; i < kept && !failed; i++) {
        uint32_t at = place[i] & ~XPD_XPROF_SAME, number = xpd_xprof_stream_at(xprof, at);
        const struct xpd_depth *depth = xprof->stream[number].depth;
        uint64_t k = at - xprof->stream[number].first;
        uint8_t said = work->levels->level[at];
        if (said & FREE)
            continue;
        unsigned level =
            row_level(ends, resolution_ps, said & KNOWN ? said & LEVEL : MACHINES + 1,
                      xpd_depth_start(depth, k), xpd_depth_duration(depth, k), &failed);
        work->levels->level[at] = (uint8_t)level;
        if (moved && xpd_depth_start(depth, k) < highest_ps[level])
            put_late(work, at, highest[level]);
        else {
            highest_ps[level] = xpd_depth_start(depth, k);
            highest[level] = at;
        }
    }
    for (unsigned k = 0; k < MACHINES; k++)
        XPD_VEC_FINI(&ends[k].at_ps);
    free(span);
    free(place);
    if (failed)
        atomic_store(&work->failed, true);
}

struct by_row {
    uint32_t pid, tid, stream;
};

static int by_row(const void *a, const void *b)
{
    const struct by_row *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

/* Streams of one pid and tid are one row. */
static bool find_rows(struct row_work *work)
{
    const struct xpd_xprof *xprof = work->xprof;
    size_t room = (size_t)xprof->stream_count + 1;
    struct by_row *order = malloc(room * sizeof *order);
    work->stream = malloc(room * sizeof *work->stream);
    work->first = malloc(room * sizeof *work->first);
    uint32_t count = 0;
    bool fine = order && work->stream && work->first;
    for (uint32_t s = 0; fine && s < xprof->stream_count; s++)
        if (xprof->stream[s].source != XPD_FROM_COUNTER)
            order[count++] = (struct by_row){xprof->stream[s].pid, xprof->stream[s].tid, s};
    if (fine && count > 1)
        qsort(order, count, sizeof *order, by_row);
    for (uint32_t i = 0; fine && i < count; i++) {
        work->stream[i] = order[i].stream;
        if (i == 0 || order[i].pid != order[i - 1].pid || order[i].tid != order[i - 1].tid)
            work->first[work->row_count++] = i;
    }
    if (fine)
        work->first[work->row_count] = count;
    free(order);
    return fine;
}

static void clear_marks(struct xpd_xprof_levels *levels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        levels->level[i] &= LEVEL;
}

static bool sort_all(struct xpd_xprof_levels *levels, const struct xpd_xprof *xprof, uint64_t count)
{
    struct sorting sorting = {.levels = levels, .xprof = xprof};
    struct row_work work = {
        .levels = levels, .xprof = xprof, .late_lock = PTHREAD_MUTEX_INITIALIZER};
    bool fine = sort_flows(&sorting) && find_rows(&work);
    if (fine)
        xpd_threads_each(0, work.row_count, sort_row, &work);
    free(work.stream);
    free(work.first);
    clear_marks(levels, count);
    fine = fine && !work.failed && !work.late.failed &&
           (work.late.count == 0 ||
            make_store(levels, work.late.at, (uint32_t)work.late.count, count));
    XPD_VEC_FINI(&work.late);
    return fine;
}

static int fill(struct xpd_xprof_levels *levels, const struct xpd_xprof *xprof,
                uint64_t budget_bytes, struct xpd_err *err)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < xprof->stream_count; s++)
        count += xprof->stream[s].depth->count;
    levels->bytes = sizeof *levels + count * (1 + sizeof *levels->order.at);
    if (budget_bytes > 0 && levels->bytes > budget_bytes)
        return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET, "no room for XProf's levels");
    levels->level = calloc((size_t)count + 1, 1);
    if (levels->level && xpd_xprof_order_make(&levels->order, xprof, NULL, true) &&
        sort_all(levels, xprof, count))
        return XPD_OK;
    return xpd_no_memory(err, NULL, "for XProf's levels");
}

int xpd_xprof_levels_make(struct xpd_xprof_levels **out, const struct xpd_xprof *xprof,
                          uint64_t budget_bytes, struct xpd_err *err)
{
    struct xpd_xprof_levels *levels = calloc(1, sizeof *levels);
    int rc = levels ? fill(levels, xprof, budget_bytes, err)
                    : xpd_no_memory(err, NULL, "for XProf's levels");
    if (rc != XPD_OK) {
        xpd_xprof_levels_free(levels);
        levels = NULL;
    }
    *out = levels;
    return rc;
}
