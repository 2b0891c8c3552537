/* The events of one host as XProf 2.24.2 shows them in trace_viewer@: its pids
 * and tids, its order and serial numbers, its own Host Offload rows, its rule of what is visible.
 * Made from the frozen trace; events are made one by one as they are handed out in XProf's order.
 * That order takes four bytes an event: kept with the levels, or made for one query. */
#ifndef XPROFD_COMPAT_VIEWER_H
#define XPROFD_COMPAT_VIEWER_H

#include "xprofd/trace/derived.h"

/* From this number of events on XProf leaves out what is shorter than the resolution. */
#define XPD_XPROF_VISIBILITY_EVENTS 500000u

/* All events in XProf's order, and in which of its 13 stores each lies, 0 = that of
 * the coarsest windows: a window reads only as many of them as its resolution needs. Five bytes an
 * event. */
struct xpd_xprof_levels;

struct xpd_xprof_input {
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
    const struct xpd_flows *flows;
    const char *host;  /* stands before the names of processes; NULL = not shown */
    uint32_t pid_base; /* 1000 for the first host of the request, 2000 for the second ... */
    bool old;          /* as the old trace_viewer: one host plane, custom planes where there is no
                          device, counters as threads, lines "Async XLA Ops" empty */
    const struct xpd_xprof_levels *levels; /* of the same trace; NULL = all events in the first */
};

enum xpd_xprof_kind { XPD_XPROF_SLICE, XPD_XPROF_ASYNC, XPD_XPROF_COUNTER };

struct xpd_xprof_event {
    enum xpd_xprof_kind kind;
    uint32_t pid, tid;
    int64_t start_ps, duration_ps;
    struct xpd_str name;
    uint64_t event;       /* number in the trace, or of a derived event; offload: the start */
    uint64_t event2;      /* offload rows: the done; else the same */
    uint32_t name_number; /* index in trace->name or derived->name as depths have it */
    bool offload;         /* of XProf's own Host Offload rows: event and event2 are measured */
    uint32_t serial;      /* among events that start in the same picosecond; 0 = first */
    uint64_t flow;
    uint8_t ends, category;
    uint32_t flow_number;   /* below flow_count of the flows */
    bool in_flow;           /* it may have no direction: ends 0 */
    bool unfound;           /* by XProf's search */
    bool copy;              /* on a TPU, in the middle of a flow: XProf hides it */
    double value;           /* counters */
    uint32_t stream, place; /* private: where it lies */
};

struct xpd_xprof_thread {
    uint32_t pid, tid;
    struct xpd_str caption;
};

struct xpd_xprof_process {
    uint32_t pid;
    const char *name;
    uint32_t first_thread, thread_count;
    uint64_t order; /* private: of several planes with one pid the last one names it */
};

struct xpd_xprof {
    struct xpd_arena arena;
    struct xpd_intern keys; /* names of the offload rows */
    struct xpd_xprof_input input;
    struct xpd_xprof_process *process; /* by pid */
    uint32_t process_count;
    struct xpd_xprof_thread *thread; /* by pid, tid */
    uint32_t thread_count;
    struct xpd_xprof_stream *stream; /* private */
    uint32_t stream_count;
    uint32_t *stream_of;  /* private: for each 2^12 places, the stream that the first is in */
    uint64_t event_count; /* all that XProf would store */
    int64_t first_ps, end_ps;
    bool has_tpu, without_derived; /* without: the file was processed before */
    bool without_groups;           /* loops of TensorFlow: nothing is grouped */
    uint8_t *linked;    /* private: a bit for each measured event that has a flow; NULL: none has */
    const bool *hidden; /* private: by index in trace->name, of planes that are not the host's; NULL
                           = none */
};

/* The inputs must outlive it. Free with xpd_xprof_close. XPD_ENOMEM, also over the budget. */
int xpd_xprof_open(struct xpd_xprof **out, const struct xpd_xprof_input *input,
                   uint64_t arena_budget_bytes, struct xpd_err *err);
/* What was opened without a host's name and a base of pids, as a request asks for it: with the name
 * before those of processes, and pids from `pid_base` on. It shares what `kept` has, which must
 * outlive it. XPD_ENOMEM. */
int xpd_xprof_share(struct xpd_xprof **out, const struct xpd_xprof *kept, const char *host,
                    uint32_t pid_base, struct xpd_err *err);
void xpd_xprof_close(struct xpd_xprof *xprof);
uint64_t xpd_xprof_bytes(const struct xpd_xprof *xprof);

/* Needed where events are many (below) and a resolution is asked for, and where a query says so.
 * Several threads. XPD_ENOMEM, XPD_ELIMIT. */
int xpd_xprof_levels_make(struct xpd_xprof_levels **out, const struct xpd_xprof *xprof,
                          uint64_t budget_bytes, struct xpd_err *err);
void xpd_xprof_levels_free(struct xpd_xprof_levels *levels);
/* Whether windows need the levels regardless of their resolution: some row has events that stand in
 * the file in another order than that of time, of two lines with one id, or of one line. */
bool xpd_xprof_is_shuffled(const struct xpd_xprof *xprof);
uint64_t xpd_xprof_levels_bytes(const struct xpd_xprof_levels *levels);

struct xpd_xprof_query {
    bool windowed; /* events that touch [from, to] */
    int64_t from_ps, to_ps;
    bool instant; /* a window without length, which XProf takes for none: what its stores hold
                     around `from` (needs the levels) */
    int64_t resolution_ps; /* 0 = all; else the visibility rule, from 500,000 events on */
    bool full_dma;         /* events of TPUs in the middle of a flow (asynchronous copies) too */
    bool dma_anywhere;     /* those also where they do not touch the window, as far as XProf reads
                              its stores (needs the levels) */
};
/* A derived row that only we have. */
bool xpd_xprof_lacks(const struct xpd_trace_row *row);
/* XProf's group_id of an event; XPD_NO_GROUP = none. Its bars of Host Offload have none. */
uint32_t xpd_xprof_group(const struct xpd_xprof *xprof, const struct xpd_xprof_event *event);
/* The Steps events of the file that XProf shows as this one, itself among them, or as the one that
 * is so many before it, with none left out between them; 0 = it is not a Steps event of a
 * TensorCore, or there is none. */
uint32_t xpd_xprof_step_members(const struct xpd_xprof *xprof, const struct xpd_xprof_event *event,
                                uint32_t before, const uint64_t **member);
/* False from `fn` ends the walk. XPD_ENOMEM is its only failure. */
typedef bool (*xpd_xprof_fn)(void *user, const struct xpd_xprof_event *event);
int xpd_xprof_each(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                   xpd_xprof_fn fn, void *user, struct xpd_err *err);
/* The counter samples of the walk above, one counter after another. XPD_ENOMEM. */
int xpd_xprof_each_counter(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                           xpd_xprof_fn fn, void *user, struct xpd_err *err);

#endif
