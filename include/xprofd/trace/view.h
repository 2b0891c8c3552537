/* One host's events under one numbering: the measured rows, then the derived ones. Tools read
 * views; a trace alone (derived = NULL) is a view of its measured rows. */
#ifndef XPROFD_TRACE_VIEW_H
#define XPROFD_TRACE_VIEW_H

#include "xprofd/trace/derived.h"

struct xpd_view {
    const struct xpd_trace *trace;
    const struct xpd_derived *derived; /* NULL = measured rows only */
};

struct xpd_event { /* an event and its position */
    uint64_t number;
    uint32_t row, depth; /* of the view */
    uint32_t index;      /* in *at */
    uint32_t name;
    const struct xpd_depth *at;
    int64_t start_ps, duration_ps;
};

static inline uint32_t xpd_view_rows(const struct xpd_view *view)
{
    return view->trace->row_count + (view->derived ? view->derived->row_count : 0);
}
static inline uint32_t xpd_view_names(const struct xpd_view *view)
{
    return view->trace->name_count + (view->derived ? view->derived->name_count : 0);
}
static inline uint64_t xpd_view_events(const struct xpd_view *view)
{
    return view->trace->event_count + (view->derived ? view->derived->event_count : 0);
}

/* `row` < xpd_view_rows. */
const struct xpd_trace_row *xpd_view_row(const struct xpd_view *view, uint32_t row);
/* `depth` < row->depth_count. */
const struct xpd_depth *xpd_view_depth(const struct xpd_view *view, uint32_t row, uint32_t depth);
/* The first row of a process of this kind, XPD_NO_INDEX = none. */
uint32_t xpd_view_row_of_kind(const struct xpd_view *view, uint32_t process,
                              enum xpd_row_kind kind);
/* False for numbers from xpd_view_events on. */
bool xpd_view_event(const struct xpd_view *view, uint64_t number, struct xpd_event *event);
/* The event at `index` of a depth of the view. */
struct xpd_event xpd_view_event_at(const struct xpd_view *view, uint32_t row, uint32_t depth,
                                   uint32_t index);
/* Operations ran in this row: a TPU's line of operations, a GPU's stream, a thread of a host that
 * computes itself. Derived rows, made here or in the file, do not count. */
bool xpd_view_executes(const struct xpd_view *view, uint32_t row);
/* The process of a row, in trace->process. */
uint32_t xpd_view_process(const struct xpd_view *view, uint32_t row);

/* `name` < xpd_view_names. */
const struct xpd_event_name *xpd_view_name(const struct xpd_view *view, uint32_t name);
/* The text of an id of that name: derived names use another text table. */
struct xpd_str xpd_view_text(const struct xpd_view *view, uint32_t name, xpd_name_id text);
/* The caption of events of that name. */
struct xpd_str xpd_view_caption(const struct xpd_view *view, uint32_t name);
/* The name scopes of its operation in the user's program, from its tf_op, outer first:
 * "jit(f)/layer_1"; "" when it has none. A bar of the row Framework Ops has those of its
 * operations.
 */
struct xpd_str xpd_view_scope(const struct xpd_view *view, uint32_t name);
/* Of this event: "train 3" where it begins a step. */
struct xpd_str xpd_view_caption_of(const struct xpd_view *view, const struct xpd_event *event);
struct xpd_str xpd_view_row_caption(const struct xpd_view *view, uint32_t row);

/* The device clock's duration of an event, -1 = it has none. */
int64_t xpd_view_device_ps(const struct xpd_view *view, const struct xpd_event *event);

/* How a range of time applies to the events of a depth: those that touch it count whole, or are cut
 * at its edges. An event that only ends at from_ps is outside, as is one that starts at to_ps (but
 * at the very end of the trace). */
struct xpd_time_range {
    int64_t from_ps, to_ps;
};
/* The events [*first, *end) of a depth in a range; equal if there are none. */
void xpd_view_range(const struct xpd_view *view, const struct xpd_depth *depth,
                    struct xpd_time_range range, uint32_t *first, uint32_t *end);
/* The whole time of the trace. */
struct xpd_time_range xpd_view_all(const struct xpd_view *view);

/* Duration of a step by the device's own clock, -1 = unknown: from its event, else from its first
 * to its last operation (read from the file). */
int64_t xpd_step_device_ps(const struct xpd_view *view, const struct xpd_step *step);
/* Start and end on that clock; false = unknown. */
bool xpd_step_device_range(const struct xpd_view *view, const struct xpd_step *step,
                           struct xpd_time_range *range);

struct xpd_row_list { /* of a view */
    uint32_t *at;     /* ascending, each once */
    uint32_t count;
};

#endif
