/* Rows computed from measured ones, the steps, and the flows: made once, on first demand, beside
 * the frozen trace. Event numbers of derived rows continue after the trace's own. */
#ifndef XPROFD_TRACE_DERIVED_H
#define XPROFD_TRACE_DERIVED_H

#include "xprofd/trace/trace.h"

#define XPD_NO_GROUP UINT32_MAX

struct xpd_step { /* of one process: a Steps event, or a run of the main program */
    uint32_t process;
    uint32_t thread;      /* row of the thread that marked it; XPD_NO_INDEX: a step of a device */
    int64_t number;       /* equal for the same step on all chips: aligned by (program, k-th
                             execution) */
    uint32_t xprof_group; /* XProf's group_id, lock-step; XPD_NO_GROUP = none */
    xpd_name_id name;     /* "train 3", or the number as text */
    int64_t start_ps, end_ps;
    uint64_t event;    /* the grouping event */
    int64_t device_ps; /* its device duration, -1 = unknown */
};

struct xpd_derived_fact {   /* of one derived event */
    uint32_t group;         /* XProf's group_id or XPD_NO_GROUP */
    uint64_t event, event2; /* measured events it stands for: first; offload: start and done */
    int64_t device_ps;      /* its duration on the device clock, -1 = unknown */
};
struct xpd_derived_pair {   /* facts of only some derived events */
    uint64_t event, event2; /* event2: the second measured one it stands for, else the first */
    int64_t device_ps;      /* -1 = unknown */
    uint64_t graph_id;      /* of a command buffer; 0 = none */
    int64_t launch_id;      /* its correlation_id, -1 = unknown */
};

struct xpd_step_name { /* caption of a measured event that begins a step: "train 3" */
    uint64_t event;
    xpd_name_id name; /* in derived->names */
    bool xprof_only;  /* XProf names a Steps event by its group; xprofd as in the file */
};

struct xpd_launch_stats { /* of one event of a row Launch Stats */
    uint64_t event;       /* the first launch: what the derived event stands for */
    uint64_t count;
    int64_t longest_ps;
    double sum_ps;
};

struct xpd_derived {
    struct xpd_arena arena;
    struct xpd_intern names; /* texts of derived rows and names: their ids are of this table */
    const struct xpd_trace *trace;
    struct xpd_event_name *name; /* index = name - trace->name_count */
    uint32_t name_count;
    struct xpd_trace_row *row; /* process as in the trace; order inside it by id */
    uint32_t row_count;
    struct xpd_depth *depth;
    uint32_t depth_count;
    struct xpd_derived_pair *pair; /* by event */
    uint64_t pair_count;
    uint64_t event_count;
    struct xpd_step *step; /* by process, then start */
    uint32_t step_count;
    struct xpd_step_name *step_name; /* by event */
    uint32_t step_name_count;
    struct xpd_launch_stats *launch; /* by event; of one host only */
    uint32_t launch_count;
    struct xpd_event_groups *groups; /* group ids of measured events */
    struct xpd_warnings warnings;
};
/* Derived rows of a GPU: the k-th of the n-th line has id n * 6 + k behind these. */
#define XPD_STREAM_IDS     290
#define XPD_IDS_A_STREAM   6
#define XPD_OWN_STREAM_IDS 1000000 /* added for rows that XProf does not have */
/* The lines of a GPU in XProf's order, each as its first row; row: at least as many as the process
 * has rows. False without memory. */
bool xpd_gpu_lines(const struct xpd_trace *trace, uint32_t process, uint32_t *row, uint32_t *count);

/* Of one loaded trace, which must outlive it. XPD_ENOMEM, XPD_ELIMIT (the budget; 0 = none), or the
 * error from reading the stats in its file. Free with xpd_derived_free. */
int xpd_derived_make(struct xpd_derived **out, const struct xpd_trace *trace,
                     uint64_t arena_budget_bytes, struct xpd_err *err);
void xpd_derived_free(struct xpd_derived *derived);
/* Facts of a derived event by its number; one that does not exist has no group and event
 * UINT64_MAX. */
struct xpd_derived_fact xpd_derived_fact_of(const struct xpd_derived *derived, uint64_t event);
/* NULL: it is not an event of a row Launch Stats. */
const struct xpd_launch_stats *xpd_launch_stats_of(const struct xpd_derived *derived,
                                                   uint64_t event);
/* Its own facts; NULL: none. */
const struct xpd_derived_pair *xpd_derived_pair_of(const struct xpd_derived *derived,
                                                   uint64_t event);
/* Its device_ps, without a search for its group. */
int64_t xpd_derived_device_ps(const struct xpd_derived *derived, uint64_t event);
/* Whether any event in [first, end) has a device_ps. */
bool xpd_derived_any_device(const struct xpd_derived *derived, uint64_t first, uint64_t end);
/* XProf's group_id of an event, XPD_NO_GROUP = none. */
uint32_t xpd_group_of(const struct xpd_derived *derived, uint64_t event);
/* The same of a measured one by its place. */
uint32_t xpd_group_at(const struct xpd_derived *derived, const struct xpd_depth *depth,
                      uint32_t index);
/* A task of a thread pool as XProf groups it: from the start that names its consumer to each stop
 * after it. False past the last number. */
struct xpd_group_span {
    uint32_t row, group; /* of the trace; XPD_NO_GROUP = in none */
    int64_t start_ps, end_ps;
};
bool xpd_derived_region(const struct xpd_derived *derived, uint32_t number,
                        struct xpd_group_span *out);
/* The file already has groups: XProf uses them and derives no rows. */
bool xpd_groups_said(const struct xpd_derived *derived);
/* Whether any event may begin a group, by the metadata tables of the file. */
bool xpd_trace_may_group(const struct xpd_trace *trace);
/* A Steps event of a core that is none of XProf's steps: it has no group, and others of its core
 * have one. */
bool xpd_step_is_left_out(const struct xpd_derived *derived, const struct xpd_depth *depth,
                          uint32_t index);
/* Whether XProf tells from the events around them which events TensorFlow ran op by op. Else, where
 * the groups are as the file says or there are none, the file's own stat `is_eager` counts. */
bool xpd_eager_is_told(const struct xpd_derived *derived);
/* Then, of the event whose bytes stand at `where` in the file: an operation of TensorFlow, or what
 * a device ran for a launch. */
bool xpd_event_is_eager(const struct xpd_derived *derived, uint64_t where);
/* Whether the group was made here and so has a name; other groups come from the file. */
bool xpd_group_is_named(const struct xpd_derived *derived, uint32_t group);
/* The name of the group that begins with this event, which is its caption; "": none. */
struct xpd_str xpd_step_name_of(const struct xpd_derived *derived, uint64_t event);
/* The same as XProf's routes call it. */
struct xpd_str xpd_xprof_step_name_of(const struct xpd_derived *derived, uint64_t event);
/* Runs of a program on a chip, by the names or ids of its row of modules, numbered from 0 in their
 * order: at most `room` are written. Returns the total number; XPD_NO_INDEX: out of memory. */
uint32_t xpd_runs_of_program(const struct xpd_trace *trace, uint32_t process, struct xpd_str key,
                             uint64_t id, struct xpd_step *out, uint32_t room);
/* The steps of a process: [first, end) of derived->step, by start. */
void xpd_steps_of(const struct xpd_derived *derived, uint32_t process, uint32_t *first,
                  uint32_t *end);
/* Marks of steps for the pixels of a window: each step that fills a cell, and one mark for all
 * others that begin in it. */
struct xpd_step_mark {
    uint32_t step, count; /* the first of them, in derived->step; how many */
    uint32_t last;        /* the last of them */
    int64_t start_ps, end_ps;
};
/* Of steps `at` in order of start, in cells from `from_ps` on; those that began before share one.
 * `out` has room for `count`; the number of marks, at most two a cell. */
uint32_t xpd_step_marks(const struct xpd_derived *derived, const uint32_t *at, uint32_t count,
                        int64_t from_ps, int64_t cell_ps, struct xpd_step_mark *out);
/* Our step of an event: index in derived->step, XPD_NO_INDEX = none. */
uint32_t xpd_step_of(const struct xpd_derived *derived, uint64_t event);
/* The same of a measured event whose place is known, and whose process has steps [first, end). */
uint32_t xpd_step_at(const struct xpd_derived *derived, const struct xpd_depth *depth,
                     uint32_t index, uint32_t first, uint32_t end);

/* Flows. */
enum xpd_flow_end { XPD_FLOW_OUT = 1, XPD_FLOW_IN = 2 }; /* XFlow bits */
struct xpd_flow_point {
    uint64_t event;
    uint32_t flow;    /* its number, below flow_count; equal at all ends of one flow */
    uint8_t ends;     /* enum xpd_flow_end */
    uint8_t category; /* ContextType */
    uint8_t rank;     /* XProf shows the flow of an event that has the highest */
    bool async;       /* its event is an asynchronous span */
};
/* A flow of an event: what XProf's route asks of each event, side by side in order of events. */
struct xpd_flow_of {
    uint32_t flow;
    uint8_t ends, category, rank; /* as of its point */
    bool async;
};
enum { XPD_FLOW_BLOCK = 64 }; /* events */
struct xpd_flows {
    struct xpd_arena arena;
    struct xpd_flow_point *point; /* by (flow, start of the event); malloc'ed */
    uint64_t point_count;
    uint64_t *id;                       /* by flow: as the file has it, or made of what it says */
    uint32_t *first;                    /* by flow: its first point; then point_count */
    struct xpd_flow_of *of_event;       /* of each point, in order of (event, flow) */
    uint32_t *block;                    /* by event / XPD_FLOW_BLOCK: its first place in of_event */
    uint64_t block_count;               /* of which block has one more */
    uint8_t *in_block;                  /* by place in of_event: event % XPD_FLOW_BLOCK */
    uint64_t matched_count, open_count; /* flows with both ends; with one */
    struct xpd_flow_point *still;       /* stats "flow" without a direction, by event */
    uint32_t still_count;
    uint32_t point_flows; /* flows that have points come first, in order of id */
    uint32_t flow_count;  /* and those of `still` alone: an id counts once */
    bool async;           /* some event with a flow says that it is an asynchronous span */
};
/* As xpd_derived_make; XPD_ENOMEM. Free with xpd_flows_free. */
int xpd_flows_make(struct xpd_flows **out, const struct xpd_trace *trace,
                   uint64_t arena_budget_bytes, struct xpd_err *err);
/* Fills `first`, `of_event` and their index; points are in order and have their flows. False: no
 * memory. */
bool xpd_flows_index(struct xpd_flows *flows);
void xpd_flows_free(struct xpd_flows *flows);
/* The places in of_event of an event: [*first, *end). */
void xpd_flows_of(const struct xpd_flows *flows, uint64_t event, uint64_t *first, uint64_t *end);
/* Its stat "flow", which has no direction; NULL = none. Not drawn as a flow; only for XProf's
 * routes. */
const struct xpd_flow_point *xpd_flows_without_end(const struct xpd_flows *flows, uint64_t event);
const char *xpd_flow_category_word(uint8_t category); /* XProf's: "", "tf_exec", "PjRt", ... */

#endif
