/* Shared by the files that make XProf's view of a trace. */
#ifndef XPROFD_COMPAT_VIEWER_PRIVATE_H
#define XPROFD_COMPAT_VIEWER_PRIVATE_H

#include "xprofd/base/bisect.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/compat/viewer.h"
#include "xprofd/trace/groups.h"
#include "xprofd/trace/merge.h"
#include "xprofd/trace/offload.h"

enum xpd_xprof_source { XPD_FROM_TRACE, XPD_FROM_DERIVED, XPD_FROM_OFFLOAD, XPD_FROM_COUNTER };

struct xpd_xprof_stream { /* one depth with its place in XProf's picture */
    const struct xpd_depth *depth;
    enum xpd_xprof_source source;
    uint32_t pid, tid;
    bool tpu;                       /* of a TPU's core */
    bool overlaps;                  /* not disjoint: a window cannot be bisected */
    const uint64_t *event, *event2; /* numbers of events where not those of the depth; offload:
                                       start and done of each */
    const uint32_t *group;          /* if different from the events': regions of thread pools */
    const xpd_name_id *key;         /* offload: name, in the table below */
    const struct xpd_intern *keys;
    uint64_t first; /* the place of its first event: places go on from stream to stream */
};

/* XProf's Host Offload rows of one TensorCore: streams and threads are appended. */
struct xpd_xprof_parts {
    /* Of a GPU: which place each line of the plane has in XProf's order (XPD_NO_INDEX: none), and
     * which row the n-th stream of derived rows is of; else NULL. */
    const uint32_t *place_of, *derived_from;
    XPD_VEC(struct xpd_xprof_stream) stream;
    XPD_VEC(struct xpd_xprof_thread) thread;
};
/* A stream like another, of columns made for XProf's picture; they lie in the arena of the view,
 * and so do the numbers of their events. Without memory the view fails as a whole. */
static inline void xpd_xprof_add_columns(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                                         const struct xpd_xprof_stream *like,
                                         struct xpd_depth columns, const uint64_t *event)
{
    struct xpd_xprof_stream stream = *like;
    struct xpd_depth *depth = XPD_NEW(&xprof->arena, struct xpd_depth);
    if (!depth)
        return;
    *depth = columns;
    stream.depth = depth;
    stream.overlaps = true;
    stream.event = event;
    XPD_PUSH(&parts->stream, stream);
}

/* xprof_tids.c. The lines of a GPU, before its rows are asked for; false without memory. */
bool xpd_xprof_number_lines(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                            uint32_t process);
uint32_t xpd_xprof_row_tid(const struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts,
                           uint32_t number);
/* False: a row that XProf lacks. */
bool xpd_xprof_derived_tid(const struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts,
                           const struct xpd_trace_row *row, uint32_t *tid);
bool xpd_xprof_offload(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t process,
                       uint32_t pid);

/* xprof_pids.c: processes. */
struct xpd_xprof_planes { /* all of the file, be they without lines */
    bool gpu, tpu;        /* there are such devices */
    uint32_t *hosts; /* by plane: "/host:CPU..." whose names come before its own, when it is one */
};
/* In the arena of the view; false without memory. */
bool xpd_xprof_find_planes(struct xpd_xprof *xprof, struct xpd_xprof_planes *planes);
struct xpd_str xpd_xprof_plane_name(const struct xpd_trace *trace, uint32_t plane);
/* False: XProf does not show this process. */
bool xpd_xprof_pid(const struct xpd_xprof *xprof, uint32_t plane, enum xpd_process_kind kind,
                   const struct xpd_xprof_planes *planes, uint32_t *pid);

/* XProf drops internal events on planes of all kinds; on the host's they are in rows of their own.
 */
static inline bool xpd_xprof_hides(const struct xpd_xprof *xprof,
                                   const struct xpd_xprof_stream *stream, uint32_t name)
{
    return xprof->hidden && stream->source == XPD_FROM_TRACE &&
           name < xprof->input.trace->name_count && xprof->hidden[name];
}

/* A row Steps in which XProf makes one event of several, or drops some: appended as it is then.
 * False: as in the file. */
bool xpd_xprof_merged_steps(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t row,
                            const struct xpd_xprof_stream *like);

/* A GPU's derived row Steps where XProf's has other ends. False: as it is. */
bool xpd_xprof_gpu_steps(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t row,
                         const struct xpd_xprof_stream *like);

/* The groups of the samples of a GPU's counters, which are in the streams from `first` on. */
void xpd_xprof_sample_groups(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                             uint32_t process, size_t first);

/* Whether a measured event has a flow, be it one without direction. */
static inline bool xpd_xprof_is_linked(const struct xpd_xprof *xprof,
                                       const struct xpd_xprof_stream *stream, uint64_t event)
{
    return stream->source == XPD_FROM_TRACE && xprof->linked &&
           (xprof->linked[event / 8] >> event % 8 & 1) != 0;
}

/* How many flows there are: event->flow_number is below it. */
static inline uint32_t xpd_xprof_flow_count(const struct xpd_xprof *xprof)
{
    return xprof->input.flows ? xprof->input.flows->flow_count : 0;
}

/* viewer_event.c: the entry at a position of a stream, with serial number 0. Slices have no name
 * yet, because most are never shown. */
void xpd_xprof_place_event(const struct xpd_xprof *xprof, uint32_t stream, uint32_t place,
                           struct xpd_xprof_event *event);
void xpd_xprof_name_event(const struct xpd_xprof *xprof, struct xpd_xprof_event *event);
/* Sets event->flow, which only shown events need. */
void xpd_xprof_set_flow_id(const struct xpd_xprof *xprof, struct xpd_xprof_event *event);

struct xpd_str xpd_xprof_counter_name(const struct xpd_xprof *xprof, uint32_t name);

/* viewer_order.c. Places in XProf's order. What starts in the same picosecond as the one before is
 * marked, so that serial numbers are known without looking at the events. */
#define XPD_XPROF_SAME (UINT32_C(1) << 31)
struct xpd_xprof_order {
    uint32_t *at; /* malloc'ed */
    uint64_t count;
};
struct xpd_viewer_span { /* events [begin, end) of a stream */
    uint32_t stream, begin, end;
};
/* Those that a query may show (NULL: all); `whole`: also what ends before its window. False without
 * memory, or with 2^31 events. */
bool xpd_xprof_order_make(struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                          const struct xpd_xprof_query *query, bool whole);
/* The first entry that starts at or after a time. */
uint64_t xpd_xprof_order_from(const struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                              int64_t from_ps);
/* The entry of a place that is in the order; `first`: the first one that starts with it. */
uint64_t xpd_xprof_order_find(const struct xpd_xprof_order *order, const struct xpd_xprof *xprof,
                              uint32_t place, uint64_t *first);
/* Puts some spans in order, into `out`, which has room for all of them. */
bool xpd_xprof_sort(const struct xpd_xprof *xprof, const struct xpd_viewer_span *span,
                    uint32_t span_count, uint32_t *out, uint32_t *count);
/* The stream a place is in. */
#define XPD_XPROF_BLOCK_BITS 12
static inline uint32_t xpd_xprof_stream_at(const struct xpd_xprof *xprof, uint32_t place)
{
    uint32_t stream = xprof->stream_of[place >> XPD_XPROF_BLOCK_BITS];
    while (place - xprof->stream[stream].first >= xprof->stream[stream].depth->count)
        stream++;
    return stream;
}

/* xprof_regions.c. In the place of a derived row of thread pools; false without memory. */
bool xpd_xprof_regions(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                       const struct xpd_trace_row *row, const struct xpd_xprof_stream *like);

#define XPD_XPROF_LEVELS 13
struct xpd_xprof_levels {
    struct xpd_xprof_order order; /* all events */
    uint8_t *level;               /* by place */
    /* XProf takes the events of a row as they stand in the file and stores them so. Where that is
       not the order of time: all places as its stores have them, store k from store_first[k] on;
       else NULL. */
    uint32_t *store;
    uint64_t store_first[XPD_XPROF_LEVELS + 1];
    uint64_t bytes;
};

/* Marks the entries that XProf reads from its stores for a window, down to a level: bits by
 * position, 0 before. Only if levels->store is not NULL. */
void xpd_xprof_read_stores(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                           unsigned last_level, uint8_t *read);

/* The store that is read last at a resolution. */
unsigned xpd_xprof_last_level(int64_t resolution_ps);
/* From where on XProf reads a store for a window that begins at `from`. */
int64_t xpd_xprof_level_begin(unsigned level, int64_t from_ps);

/* What is visible in a row at one resolution, by nesting depth: the least end of the last visible
 * events down to it. Ends fall with depth, so the first one that is not behind a time is found by
 * bisection. */
struct xpd_ends {
    XPD_VEC(int64_t) at_ps;
};
static inline size_t xpd_ends_depth(const struct xpd_ends *ends, int64_t start_ps)
{
    size_t low = 0;
    XPD_BISECT(low, ends->at_ps.count, middle, ends->at_ps.at[middle] > start_ps);
    return low;
}
/* The rule: an event is long enough to be seen, nothing visible is before it, or that is far away.
 */
static inline bool xpd_ends_show(const struct xpd_ends *ends, size_t depth, int64_t start_ps,
                                 int64_t duration_ps, int64_t resolution_ps)
{
    return duration_ps >= resolution_ps || depth == ends->at_ps.count ||
           start_ps - ends->at_ps.at[depth] >= resolution_ps;
}
/* One more visible event; false without memory. */
static inline bool xpd_ends_set(struct xpd_ends *ends, size_t depth, int64_t end_ps)
{
    ends->at_ps.count = depth;
    if (depth > 0 && ends->at_ps.at[depth - 1] < end_ps)
        end_ps = ends->at_ps.at[depth - 1];
    XPD_PUSH(&ends->at_ps, end_ps);
    return !ends->at_ps.failed;
}

/* XProf's rule for visibility, at up to XPD_XPROF_LEVELS resolutions from coarse to fine: it
 * samples. What is visible at one is at all finer ones. */
struct xpd_visible;
struct xpd_visible *xpd_visible_new(const int64_t *resolution_ps, unsigned count,
                                    uint32_t flow_count);
void xpd_visible_free(struct xpd_visible *visible);
/* The first resolution at which an event is visible, `count` if at none; events in XProf's order.
 * False without memory. */
bool xpd_visible_first(struct xpd_visible *visible, const struct xpd_xprof_event *event,
                       unsigned *first);
/* The same of one resolution. */
bool xpd_visible_ask(struct xpd_visible *visible, const struct xpd_xprof_event *event, bool *yes);
/* An event without a row is visible from a resolution on, whatever the rule says. False without
 * memory. */
bool xpd_visible_from(struct xpd_visible *visible, const struct xpd_xprof_event *event,
                      unsigned first);

/* The order in which GNU's std::sort leaves elements, equal ones included. */
#endif
