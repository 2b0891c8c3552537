/* Events in XProf's order: start, longest first, process, events with a row first, row. Rows are
 * merged in file order: if a shorter event precedes a longer one with the same start, the longer
 * one is taken after the shorter.
 *
 * Streams are sorted by start. They are cut into slices of time; each slice is gathered and sorted
 * by start, and events that start together by the other keys. Slices are shared by threads and need
 * memory for their own events only. */
#include "viewer_private.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/window.h"

#include <stdatomic.h>

#define SLICE_EVENTS 262144u /* about; more where they start together */
#define SAMPLES      64u     /* starts looked at for each slice */
#define SMALL        16u     /* events that start together are mostly few */

/* ---- events that start together ---- */

struct tie {
    int64_t duration_ps;
    uint64_t event;
    uint32_t pid, tid, place; /* place: in all streams */
    bool slice, measured;
    struct xpd_str name; /* where it has no row */
};

static int by_order(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;
    if (x->duration_ps != y->duration_ps)
        return x->duration_ps > y->duration_ps ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->slice != y->slice)
        return x->slice ? -1 : 1;
    if (x->slice && x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    int names = x->slice ? 0 : xpd_str_order(x->name, y->name);
    if (names != 0)
        return names;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1; /* as in the file */
    return (x->place > y->place) - (x->place < y->place);
}

static struct tie tie_of(const struct xpd_xprof *xprof, uint32_t place)
{
    uint32_t number = xpd_xprof_stream_at(xprof, place);
    const struct xpd_xprof_stream *stream = &xprof->stream[number];
    uint32_t i = (uint32_t)(place - stream->first);
    struct tie tie = {.duration_ps = xpd_depth_duration(stream->depth, i),
                      .event = stream->event ? stream->event[i] : stream->depth->first_event + i,
                      .pid = stream->pid,
                      .tid = stream->tid,
                      .place = place,
                      .measured = stream->source == XPD_FROM_TRACE && !stream->event,
                      .slice = true};
    if (stream->source == XPD_FROM_COUNTER ||
        (xpd_xprof_is_linked(xprof, stream, tie.event) &&
         (xprof->input.flows->async || xprof->input.trace->name[stream->depth->name[i]].async))) {
        struct xpd_xprof_event event;
        xpd_xprof_place_event(xprof, number, i, &event);
        tie.slice = event.kind == XPD_XPROF_SLICE;
        tie.name = event.name;
    }
    return tie;
}

/* ---- rows that have several of them ---- */

enum { TOGETHER_MOST = 256 }; /* of more XProf shows these; they are all here, longest first */

struct seat { /* of an event in its row; those derived of a GPU's kernels: in the order of these,
                 shortest first */
    int64_t kernel_ps; /* -1 = measured */
    uint64_t where;
    uint32_t row, tie; /* row: the first tie of it */
    bool taken;
};

static bool is_one_row(const struct tie *a, const struct tie *b)
{
    return a->pid == b->pid && a->slice == b->slice &&
           (a->slice ? a->tid == b->tid : xpd_str_eq(a->name, b->name));
}

static struct seat seat_of(const struct xpd_xprof *xprof, const struct tie *tie)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[xpd_xprof_stream_at(xprof, tie->place)];
    const struct xpd_depth *depth = stream->depth;
    uint32_t index = (uint32_t)(tie->place - stream->first);
    struct seat seat = {.kernel_ps = INT64_MAX, .where = UINT64_MAX};
    if (stream->source == XPD_FROM_TRACE && !stream->event) {
        seat.kernel_ps = -1;
        seat.where = xpd_depth_where(depth, index);
    } else if (stream->source == XPD_FROM_DERIVED && !xprof->has_tpu && !stream->event &&
               !stream->group &&
               xpd_trace_find(xprof->input.trace,
                              xpd_derived_fact_of(xprof->input.derived, tie->event).event, &depth,
                              &index)) {
        seat.kernel_ps = xpd_depth_duration(depth, index);
        seat.where = xpd_depth_where(depth, index);
    }
    return seat;
}

static bool sits_before(const struct seat *a, const struct seat *b)
{
    if (a->kernel_ps != b->kernel_ps)
        return a->kernel_ps < b->kernel_ps;
    return a->where != b->where ? a->where < b->where : a->tie < b->tie;
}

/* False: all rows have their events longest first, as the ties are. */
static bool find_seats(const struct xpd_xprof *xprof, const struct tie *tie, uint32_t count,
                       struct seat *seat)
{
    bool moved = false;
    for (uint32_t i = 0; i < count; i++) {
        seat[i] = seat_of(xprof, &tie[i]);
        seat[i].row = seat[i].tie = i;
        for (uint32_t k = i; k-- > 0 && seat[i].row == i;)
            if (is_one_row(&tie[k], &tie[i])) {
                seat[i].row = seat[k].row;
                moved |= sits_before(&seat[i], &seat[k]);
            }
    }
    return moved;
}

/* The first one left of the row of a tie. */
static uint32_t first_left(const struct seat *seat, uint32_t count, uint32_t row)
{
    uint32_t first = XPD_NO_INDEX;
    for (uint32_t i = row; i < count; i++)
        if (seat[i].row == row && !seat[i].taken &&
            (first == XPD_NO_INDEX || sits_before(&seat[i], &seat[first])))
            first = i;
    return first;
}

/* Ties in order of by_order, rows among them as they stand in the file. */
static void merge_rows(const struct xpd_xprof *xprof, struct tie *tie, uint32_t count)
{
    struct seat seat[TOGETHER_MOST];
    uint32_t front[TOGETHER_MOST]; /* by row */
    struct tie merged[TOGETHER_MOST];
    if (!find_seats(xprof, tie, count, seat))
        return;
    for (uint32_t i = 0; i < count; i++)
        front[i] = seat[i].row == i ? first_left(seat, count, i) : XPD_NO_INDEX;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t next = XPD_NO_INDEX;
        for (uint32_t i = 0; i < count; i++)
            if (front[i] != XPD_NO_INDEX && front[i] < next) /* ties are in order */
                next = front[i];
        merged[n] = tie[next];
        seat[next].taken = true;
        front[seat[next].row] = first_left(seat, count, seat[next].row);
    }
    memcpy(tie, merged, count * sizeof *tie);
}

/* Most rows have one each. */
static bool may_move(const struct tie *tie, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tie[i].measured && tie[k].measured && is_one_row(&tie[i], &tie[k]))
                return true;
    return false;
}

static int64_t start_at(const struct xpd_xprof *xprof, uint32_t entry)
{
    uint32_t place = entry & ~XPD_XPROF_SAME, stream = xpd_xprof_stream_at(xprof, place);
    return xpd_depth_start(xprof->stream[stream].depth, place - xprof->stream[stream].first);
}

uint64_t xpd_xprof_order_from(const struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                              int64_t from_ps)
{
    uint64_t low = 0;
    XPD_BISECT(low, order->count, middle, start_at(xprof, order->at[middle]) < from_ps);
    return low;
}

uint64_t xpd_xprof_order_find(const struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                              uint32_t place, uint64_t *first)
{
    int64_t start_ps = start_at(xprof, place);
    struct tie wanted = tie_of(xprof, place);
    *first = xpd_xprof_order_from(order, xprof, start_ps);
    uint64_t low = *first, end = order->count;
    if (start_ps < INT64_MAX)
        end = xpd_xprof_order_from(order, xprof, start_ps + 1);
    while (low < end) {
        uint64_t middle = low + (end - low) / 2;
        struct tie tie = tie_of(xprof, order->at[middle] & ~XPD_XPROF_SAME);
        if (by_order(&tie, &wanted) < 0)
            low = middle + 1;
        else
            end = middle;
    }
    if (low < order->count && (order->at[low] & ~XPD_XPROF_SAME) == place)
        return low;
    for (low = *first; low + 1 < order->count && (order->at[low] & ~XPD_XPROF_SAME) != place;)
        low++; /* rows were merged */
    return low;
}

static void sort_few(struct tie *tie, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct tie moved = tie[i];
        uint32_t at = i;
        for (; at > 0 && by_order(&tie[at - 1], &moved) > 0; at--)
            tie[at] = tie[at - 1];
        tie[at] = moved;
    }
}

/* False without memory. */
static bool sort_ties(const struct xpd_xprof *xprof, uint32_t *place, uint32_t count)
{
    struct tie few[SMALL], *tie = few;
    if (count > SMALL && !(tie = malloc(count * sizeof *tie)))
        return false;
    for (uint32_t i = 0; i < count; i++)
        tie[i] = tie_of(xprof, place[i]);
    if (count > SMALL)
        qsort(tie, count, sizeof *tie, by_order);
    else
        sort_few(tie, count);
    if (count <= TOGETHER_MOST && may_move(tie, count))
        merge_rows(xprof, tie, count);
    for (uint32_t i = 0; i < count; i++)
        place[i] = tie[i].place | (i > 0 ? XPD_XPROF_SAME : 0);
    if (tie != few)
        free(tie);
    return true;
}

/* ---- a slice ---- */

bool xpd_xprof_sort(const struct xpd_xprof *xprof, const struct xpd_viewer_span *span,
                    uint32_t span_count, uint32_t *out, uint32_t *count)
{
    uint64_t all = 0, last = 0;
    uint32_t kept = 0;
    bool sorted = true; /* as the events of one stream are */
    for (uint32_t s = 0; s < span_count; s++)
        all += span[s].end - span[s].begin;
    uint64_t *start = all < XPD_XPROF_SAME ? malloc((all + 1) * sizeof *start) : NULL;
    if (!start)
        return false;
    for (uint32_t s = 0; s < span_count; s++) {
        const struct xpd_xprof_stream *stream = &xprof->stream[span[s].stream];
        for (uint32_t i = span[s].begin; i < span[s].end; i++) {
            if (xpd_xprof_hides(xprof, stream, stream->depth->name[i]))
                continue;
            start[kept] = xpd_radix_key(xpd_depth_start(stream->depth, i));
            sorted = sorted && start[kept] >= last;
            last = start[kept];
            out[kept++] = (uint32_t)stream->first + i;
        }
    }
    bool fine = sorted || xpd_radix_sort_u64(start, out, kept);
    for (uint32_t first = 0, end; fine && first < kept; first = end) {
        for (end = first + 1; end < kept && start[end] == start[first];)
            end++;
        if (end - first > 1)
            fine = sort_ties(xprof, out + first, end - first);
    }
    free(start);
    *count = kept;
    return fine;
}

/* ---- all slices ---- */

struct sorting {
    const struct xpd_xprof *xprof;
    const struct xpd_viewer_span *span; /* by stream: the request */
    int64_t *from_ps;                   /* where each slice begins, but for the first */
    uint64_t *first;                    /* where each is in the result; count + 1 */
    uint32_t *kept, count;
    uint32_t *out;
    _Atomic bool failed;
};

static uint32_t first_from(const struct xpd_depth *depth, const struct xpd_viewer_span *span,
                           int64_t from_ps)
{
    uint32_t low = span->begin;
    XPD_BISECT(low, span->end, middle, xpd_depth_start(depth, middle) < from_ps);
    return low;
}

static uint32_t begin_in(const struct sorting *sorting, uint32_t stream, uint32_t slice)
{
    const struct xpd_viewer_span *span = &sorting->span[stream];
    if (slice == 0)
        return span->begin;
    if (slice == sorting->count)
        return span->end;
    return first_from(sorting->xprof->stream[stream].depth, span, sorting->from_ps[slice]);
}

static void sort_slice(void *context, uint32_t slice, uint32_t thread)
{
    struct sorting *sorting = context;
    const struct xpd_xprof *xprof = sorting->xprof;
    struct xpd_viewer_span *span = malloc(((size_t)xprof->stream_count + 1) * sizeof *span);
    uint32_t count = 0;
    (void)thread;
    for (uint32_t s = 0; span && s < xprof->stream_count; s++) {
        struct xpd_viewer_span part = {s, begin_in(sorting, s, slice),
                                       begin_in(sorting, s, slice + 1)};
        if (part.begin < part.end)
            span[count++] = part;
    }
    if (!span || !xpd_xprof_sort(xprof, span, count, sorting->out + sorting->first[slice],
                                 &sorting->kept[slice]))
        atomic_store(&sorting->failed, true);
    free(span);
}

/* Where slices begin: starts of events, taken evenly. */
static bool choose_slices(struct sorting *sorting, uint64_t all)
{
    const struct xpd_xprof *xprof = sorting->xprof;
    uint64_t step = all / ((uint64_t)sorting->count * SAMPLES) + 1, count = 0, until = 0;
    uint64_t *start = malloc((all / step + 1) * sizeof *start);
    for (uint32_t s = 0; start && s < xprof->stream_count; s++) {
        const struct xpd_viewer_span *span = &sorting->span[s];
        uint64_t i = span->begin + until;
        for (; i < span->end; i += step)
            start[count++] = xpd_radix_key(xpd_depth_start(xprof->stream[s].depth, i));
        until = i - span->end;
    }
    bool fine = start && xpd_radix_sort_u64(start, NULL, (uint32_t)count);
    for (uint32_t k = 1; fine && k < sorting->count; k++)
        sorting->from_ps[k] = xpd_radix_value(start[count * k / sorting->count]);
    free(start);
    for (uint32_t k = 0; fine && k <= sorting->count; k++)
        for (uint32_t s = 0; s < xprof->stream_count; s++)
            sorting->first[k] += begin_in(sorting, s, k) - sorting->span[s].begin;
    return fine;
}

/* Slices in which something is hidden are shorter than planned. */
static uint64_t close_gaps(const struct sorting *sorting)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < sorting->count; k++) {
        if (at != sorting->first[k])
            memmove(sorting->out + at, sorting->out + sorting->first[k],
                    sorting->kept[k] * sizeof *sorting->out);
        at += sorting->kept[k];
    }
    return at;
}

/* What a query may show of a stream; a window is read from what touches its begin. */
static struct xpd_viewer_span span_of(const struct xpd_xprof *xprof, uint32_t number,
                                      const struct xpd_xprof_query *query, bool whole)
{
    const struct xpd_depth *depth = xprof->stream[number].depth;
    struct xpd_viewer_span span = {number, 0, depth->count};
    if (!query || !query->windowed)
        return span;
    if (!whole && !xprof->stream[number].overlaps)
        span.begin = xpd_depth_first_touching(depth, query->from_ps);
    uint32_t end = span.begin;
    XPD_BISECT(end, span.end, middle, xpd_depth_start(depth, middle) <= query->to_ps);
    span.end = end;
    return span;
}

bool xpd_xprof_order_make(struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                          const struct xpd_xprof_query *query, bool whole)
{
    struct xpd_viewer_span *span = malloc(((size_t)xprof->stream_count + 1) * sizeof *span);
    uint64_t all = 0;
    *order = (struct xpd_xprof_order){0};
    for (uint32_t s = 0; span && s < xprof->stream_count; s++) {
        span[s] = span_of(xprof, s, query, whole);
        all += span[s].end - span[s].begin;
    }
    struct sorting sorting = {.xprof = xprof,
                              .span = span,
                              .count = (uint32_t)(all / SLICE_EVENTS) + 1,
                              .out = all < XPD_XPROF_SAME ? malloc((all + 1) * sizeof *order->at)
                                                          : NULL};
    sorting.from_ps = calloc((size_t)sorting.count + 1, sizeof *sorting.from_ps);
    sorting.first = calloc((size_t)sorting.count + 1, sizeof *sorting.first);
    sorting.kept = calloc((size_t)sorting.count + 1, sizeof *sorting.kept);
    bool fine = span && sorting.out && sorting.from_ps && sorting.first && sorting.kept &&
                choose_slices(&sorting, all);
    if (fine) {
        xpd_threads_each(0, sorting.count, sort_slice, &sorting);
        fine = !sorting.failed;
    }
    if (fine)
        *order = (struct xpd_xprof_order){sorting.out, close_gaps(&sorting)};
    else
        free(sorting.out);
    free(span);
    free(sorting.from_ps);
    free(sorting.first);
    free(sorting.kept);
    return fine;
}
