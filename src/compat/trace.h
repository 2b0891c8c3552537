/* Shared by the files of the two trace viewers. */
#ifndef XPROFD_COMPAT_TRACE_H
#define XPROFD_COMPAT_TRACE_H

#include "compat.h"
#include "xprofd/compat/viewer.h"

/* XProf makes a stack frame of a text longer than this, and a plain argument of others. */
#define XPD_COMPAT_FRAME_BYTES 16
#define XPD_COMPAT_LONG_BYTES  10000 /* long_name is cut here */

struct xpd_compat_picture {  /* of a host, for all requests */
    struct xpd_xprof *xprof; /* without a host's name, pids from 0 */
    bool *named;             /* by name of the trace, then by derived name: some event has it */
};
/* trace_frames.c: fills picture->named; false without memory. */
bool xpd_compat_picture_names(struct xpd_compat_picture *picture);

struct xpd_compat_host { /* one host of the request */
    const struct xpd_host *host;
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
    const struct xpd_flows *flows;
    const struct xpd_compat_picture *picture; /* NULL: the old viewer has none */
    struct xpd_xprof *xprof;
    struct xpd_xprof_query query; /* which of its events are requested */
};
struct xpd_compat_trace {
    const struct xpd_tool_ctx *ctx;
    struct xpd_compat_host *host;
    uint32_t host_count;
};

/* Traces of the hosts that host= or hosts= names; `old` as the old trace_viewer shows them. */
int xpd_compat_open_trace(const struct xpd_tool_ctx *ctx, bool old, struct xpd_compat_trace *out,
                          struct xpd_err *err);
/* XProf's levels of a host, where its query needs them. */
int xpd_compat_need_levels(struct xpd_compat_trace *trace, struct xpd_compat_host *host,
                           struct xpd_err *err);
void xpd_compat_close_trace(struct xpd_compat_trace *trace);

/* One argument of an event. */
struct xpd_compat_arg {
    struct xpd_str name;
    enum xpd_stat_type type;
    double real;
    int64_t integer; /* UINT reinterpreted */
    struct xpd_str text;
    bool is_internal; /* XProf hides it */
};
/* All arguments in XProf's order, group_id not among them. Everything lives in `arena`. */
int xpd_compat_args(const struct xpd_compat_host *host, const struct xpd_xprof_event *event,
                    struct xpd_arena *arena, struct xpd_compat_arg **out, uint32_t *count,
                    struct xpd_err *err);
/* The full name of an event with a caption; false if there is only the caption. The text is not
 * cut. */
/* Rows of a GPU whose events say other things than a long name: XProf's Steps and Launch Stats. */
#define XPD_COMPAT_STEPS_TID  0xdeadbeefu
#define XPD_COMPAT_LAUNCH_TID 0xdeadbef0u
static inline bool xpd_compat_is_summary(const struct xpd_compat_host *host,
                                         const struct xpd_xprof_event *event)
{
    return event->event >= host->trace->event_count &&
           (event->tid == XPD_COMPAT_STEPS_TID || event->tid == XPD_COMPAT_LAUNCH_TID);
}
bool xpd_compat_long_name(const struct xpd_compat_host *host, bool derived, uint32_t name_number,
                          struct xpd_str *text);
/* Cuts long text as XProf does. */
struct xpd_str xpd_compat_cut(struct xpd_str text, struct xpd_arena *arena);
/* "12.5" microseconds, exact. */
void xpd_compat_put_us(struct xpd_strbuf *out, int64_t ps);

#endif
