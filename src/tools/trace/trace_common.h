/* What the trace tools share: the events of a host, the parameters `rows`, `from`, `to`, `event`,
 * `clock`, and times relative to the base. */
#ifndef XPROFD_SRC_TOOLS_TRACE_TRACE_COMMON_H
#define XPROFD_SRC_TOOLS_TRACE_TRACE_COMMON_H

#include "../common/common.h"
#include "xprofd/trace/self.h"
#include "xprofd/trace/window.h"

enum xpd_trace_want { XPD_WANT_DERIVED = 1, XPD_WANT_FLOWS = 2 };

struct xpd_trace_of_host;
struct xpd_trace_call {
    const struct xpd_tool_ctx *ctx;
    uint32_t host; /* index in run->host; xpd_run_all_hosts: view.trace->part has them */
    struct xpd_view view;
    const struct xpd_flows *flows; /* with XPD_WANT_FLOWS */
    int64_t base_ps;               /* times of an answer are relative to it */
};
/* The trace of `host`, made when it is not there yet: XPD_EBUSY while it loads. Without a name, or
 * with ALL, of all hosts that have events, side by side. */
int xpd_tools_trace(const struct xpd_tool_ctx *ctx, unsigned want, struct xpd_trace_call *call,
                    struct xpd_err *err);

/* Tables of the run (tables.h) are told apart by host: 0 = all side by side, else one more than the
 * host. */
static inline uint32_t xpd_trace_detail(const struct xpd_trace_call *call)
{
    return call->view.trace->part ? 0 : call->host + 1;
}
static inline uint32_t xpd_trace_detail_host(const struct xpd_tool_ctx *ctx, uint32_t detail)
{
    return detail > 0 ? detail - 1 : xpd_run_all_hosts(ctx->run);
}

/* Which rows stand for "the trace" when none are asked for; all of them where these are none. */
enum xpd_rows_default {
    XPD_ROWS_SHOWN, /* all measured ones that are not hidden */
    XPD_ROWS_WORK   /* where work is measured: the operations of devices, else the threads */
};
/* `rows`: "1,2,5-9". Rows from the trace's on are derived ones: *call gets them. */
int xpd_tools_trace_rows(struct xpd_trace_call *call, enum xpd_rows_default fallback,
                         struct xpd_row_list *rows, struct xpd_err *err);
/* Whether XProf, and the page until asked, leave this row out: internal events, planes of no known
 * kind. */
bool xpd_tools_row_hidden(const struct xpd_view *view, uint32_t row);
/* `from` and `to`, relative to the base; default: the whole trace. XPD_EINVAL unless from <= to. */
int xpd_tools_trace_range(const struct xpd_trace_call *call, struct xpd_time_range *range,
                          struct xpd_err *err);
/* Cuts a range to the trace and divides it into `px` columns: the width of one in ps. The last one
 * ends behind the range. */
int64_t xpd_tools_trace_columns(const struct xpd_trace_call *call, struct xpd_time_range *range,
                                uint32_t px);
/* `event`; derived ones too. */
int xpd_tools_trace_event(struct xpd_trace_call *call, struct xpd_event *event,
                          struct xpd_err *err);
/* `clock`: device unless the query says host. */
enum xpd_clock xpd_tools_clock(const struct xpd_tool_ctx *ctx);

/* A time relative to the base. */
int64_t xpd_tools_at(const struct xpd_trace_call *call, int64_t ps);
void xpd_tools_base(struct xpd_jsonw *w, const struct xpd_trace_call *call); /* "base_ps":"..." */
const char *xpd_tools_process_word(enum xpd_process_kind kind); /* "tpu", "host", ... */
/* "/device:TPU:0"; of several hosts "host1 /device:TPU:0". */
struct xpd_str xpd_tools_process_name(const struct xpd_view *view, uint32_t process);

/* trace_hosts.c */
/* The one that the parameter `host` means. XPD_ENOTFOUND also where none has events. */
int xpd_tools_trace_host(const struct xpd_tool_ctx *ctx, uint32_t *host, struct xpd_err *err);
const char *xpd_tools_host_name(const struct xpd_trace_call *call); /* "ALL" for several */
/* Index in run->host. */
uint32_t xpd_tools_process_host(const struct xpd_trace_call *call, uint32_t process);
/* The plane alone, regardless of the number of hosts. */
struct xpd_str xpd_tools_plane_name(const struct xpd_view *view, uint32_t process);
/* "+12.300 ms by the profile's clock": where a part stands, and by what. */
void xpd_tools_put_placed(struct xpd_strbuf *out, const struct xpd_trace *trace, uint32_t part);
/* One for each host of the run; of several with where each is placed. NULL: no memory. */
const struct xpd_trace_of_host *xpd_tools_hosts(const struct xpd_trace_call *call);

#define XPD_TRACE_PARAM_ROWS                                                                       \
    {                                                                                              \
        .name = "rows", .type = XPD_PARAM_TEXT, .max = 16384,                                      \
        .help = "numbers and ranges: 1,2,5-9"                                                      \
    }
#define XPD_TRACE_PARAM_FROM                                                                       \
    {                                                                                              \
        .name = "from", .type = XPD_PARAM_INT, .min = INT64_MIN, .max = INT64_MAX,                 \
        .help = "start in ps from the base, default: of the trace"                                 \
    }
#define XPD_TRACE_PARAM_TO                                                                         \
    {                                                                                              \
        .name = "to", .type = XPD_PARAM_INT, .min = INT64_MIN, .max = INT64_MAX,                   \
        .help = "end in ps from the base, default: of the trace"                                   \
    }
#define XPD_TRACE_PARAM_PX(most, words) XPD_PARAM_PX(1200, most, words)
#define XPD_TRACE_PARAM_EVENT                                                                      \
    {                                                                                              \
        .name = "event", .type = XPD_PARAM_INT, .required = true, .max = INT64_MAX,                \
        .help = "number of an event"                                                               \
    }
/* ---- fields ---- */

#define XPD_TRACE_BASE_FIELD(FIELD)                                                                \
    FIELD(BIG, base_ps, "start of the trace, since 1970; other times count from here")
/* A host of the run; what follows `error` is of several hosts side by side. */
#define XPD_TRACE_OF_HOST_FIELDS(FIELD)                                                            \
    FIELD(STRING, name, "")                                                                        \
    FIELD(BOOL, has_events, "")                                                                    \
    FIELD(MAYBE(STRING), error, "why the file cannot be read")                                     \
    FIELD(MAYBE(SIGNED), shift_ps, "shift on the common axis")                                     \
    FIELD(MAYBE(WORD("clock no_clock apart")), placed,                                             \
          "by its clock; its file has none; its clock does not overlap the others")                \
    FIELD(MAYBE(BIG), clock_offset_ns, "by its own clock")                                         \
    FIELD(MAYBE(TEXT), said, "both as a sentence")
XPD_RECORD_TYPE(xpd_trace_of_host, XPD_TRACE_OF_HOST_FIELDS)

/* An event by itself, as it is drawn. */
#define XPD_EVENT_AT_FIELDS(FIELD)                                                                 \
    FIELD(INT, event, "its number")                                                                \
    FIELD(INDEX, row, "of trace/rows")                                                             \
    FIELD(INDEX, depth, "depth in its row")                                                        \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")                                                        \
    FIELD(TEXT, caption, "")
XPD_RECORD_TYPE(xpd_event_at, XPD_EVENT_AT_FIELDS)
struct xpd_event_at xpd_tools_event_at(const struct xpd_trace_call *call,
                                       const struct xpd_event *event);

#define XPD_PROCESS_WORDS "tpu sparse_core gpu custom host other" /* of xpd_tools_process_word */
/* What a device did in a span of time (struct xpd_overlap); `kind`: INT or MAYBE(INT). */
#define XPD_OVERLAP_FIELDS(FIELD, kind)                                                            \
    FIELD(kind, compute_ps, "operations other than collectives, copies, waits and wrappers")       \
    FIELD(kind, overlapped_comm_ps, "collectives, from start to done, during compute")             \
    FIELD(kind, exposed_comm_ps, "collectives outside compute")                                    \
    FIELD(kind, overlapped_copy_ps,                                                                \
          "copies to and from host memory during compute or communication")                        \
    FIELD(kind, exposed_copy_ps, "copies outside both")                                            \
    FIELD(kind, idle_ps, "none of these; compute + exposed + idle is the span")
#define XPD_OVERLAP_OF(o)                                                                          \
    (o).compute_ps, (o).comm_overlapped_ps, (o).comm_exposed_ps, (o).copy_overlapped_ps,           \
        (o).copy_exposed_ps, (o).idle_ps
#define XPD_OVERLAP_COLUMNS                                                                        \
    "compute_ps overlapped_comm_ps exposed_comm_ps overlapped_copy_ps exposed_copy_ps idle_ps"

#define XPD_TRACE_PARAM_CLOCK                                                                      \
    {                                                                                              \
        .name = "clock", .type = XPD_PARAM_ENUM, .words = "device host",                           \
        .help = "device (default where every event has a device duration) or host"                 \
    }

#endif
