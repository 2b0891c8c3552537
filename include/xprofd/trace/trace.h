/* One host's events, frozen: processes (planes), rows (threads of the picture), depths (disjoint,
 * sorted runs of events), and a pyramid of aggregates over each depth.
 *
 * A *row* is what a person sees as one thread: all lines of a plane with one display id. Inside a
 * row events are sorted by (start, -duration) and placed by first fit into *depths*: each depth is
 * sorted and disjoint, so a viewport is a bisection. An *event* is known by one number in
 * [0, event_count): depths follow each other. Nothing is dropped: hidden internal events stand
 * in a row of their own, counters in counter rows. */
#ifndef XPROFD_TRACE_TRACE_H
#define XPROFD_TRACE_TRACE_H

#include "xprofd/base/packed.h"
#include "xprofd/base/ranks.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/profile/events.h"

enum xpd_process_kind { /* by plane name; also the order on the page */
                        XPD_PROCESS_TPU,
                        XPD_PROCESS_SPARSE_CORE,
                        XPD_PROCESS_GPU,
                        XPD_PROCESS_CUSTOM,
                        XPD_PROCESS_HOST,
                        XPD_PROCESS_OTHER /* shown last; XProf hides these */
};

#define XPD_DERIVED_ID  INT64_C(0xdeadbeef) /* XProf's first id of a row made from others */
#define XPD_DERIVED_IDS 0x10000             /* so many from there on are such ids in a file */

static inline bool xpd_process_is_tpu(enum xpd_process_kind kind)
{
    return kind == XPD_PROCESS_TPU || kind == XPD_PROCESS_SPARSE_CORE;
}
/* A chip whose program runs in steps: a TPU, without the SparseCores beside it, or a GPU. */
static inline bool xpd_process_is_chip(enum xpd_process_kind kind)
{
    return kind == XPD_PROCESS_TPU || kind == XPD_PROCESS_GPU;
}

enum xpd_row_kind {
    XPD_ROW_LINE, /* a thread, a stream, a line of a name we do not know */
    XPD_ROW_STEPS,
    XPD_ROW_MODULES,
    XPD_ROW_OPS,
    XPD_ROW_ASYNC_OPS,
    XPD_ROW_TRACEME,
    XPD_ROW_STREAM,   /* GPU */
    XPD_ROW_INTERNAL, /* hidden internal events of one thread */
    XPD_ROW_COUNTER,  /* one series of a "_counters_" line */
    /* derived rows (derived.h) */
    XPD_ROW_NAME_SCOPE,
    XPD_ROW_FRAMEWORK_OPS,
    XPD_ROW_SOURCE,
    XPD_ROW_OFFLOAD,
    XPD_ROW_LAUNCH_STATS,
    XPD_ROW_COMMAND_BUFFERS,
    XPD_ROW_KIND_COUNT
};
const char *xpd_row_kind_word(enum xpd_row_kind kind); /* "line", "steps", "xla_modules", ... */

/* What all events of one metadata entry share. Index = `name` of an event. */
struct xpd_event_name {
    xpd_name_id caption; /* display_name, else name; or step_name */
    xpd_name_id name;    /* full: HLO text on TPU op lines */
    uint32_t plane;      /* index in space->plane; XPD_NO_INDEX for derived names */
    uint32_t metadata;   /* index in the plane's tables; XPD_NO_METADATA = unknown id or derived */
    uint8_t group;       /* enum xpd_op_group (hlo/source_info.h): colour */
    bool wait;           /* hatched: waits, does not work */
    bool half : 1;       /* start or done of asynchronous work, which takes its time elsewhere */
    bool internal : 1;   /* XProf drops it on host planes */
    bool async : 1;      /* metadata carries _a */
    bool unfound : 1;    /* a stat step_name without text: XProf's search does not find it */
    bool displayed : 1;  /* derived: XProf gives it a display name, be it the name itself */
    bool op : 1;         /* its events say that they are operations of programs (hlo_op) */
    bool tf : 1;         /* TensorFlow's operation, computed by a thread of a host without chips */
    /* From the stats of the metadata; 0 or -1 = not given. */
    xpd_name_id category, tf_op, source, program; /* program: "name(id)" of the module when known */
    uint64_t program_id;                          /* 0 = unknown */
    int64_t flops, bytes;                         /* per execution, compiler's estimate; -1 */
};

/* By hlo_category and the instruction's name on device planes; by name on host planes. */
enum xpd_op_group xpd_trace_group(struct xpd_str category, struct xpd_str caption, bool device);
/* Waiting, not working: copy-done and other -done operations, barriers, semaphores,
 * dependency-wait.
 */
bool xpd_trace_is_wait(struct xpd_str caption, bool device);
/* Infeed, outfeed, and a send or recv of group HOST with its done: the core waits for the program
 * on the host. By opcode, or by the instruction's name. */
bool xpd_trace_is_feed(struct xpd_str op, enum xpd_op_group group);
/* "copy-start.3", "all-reduce-done". */
bool xpd_trace_is_half(struct xpd_str caption);

/* Aggregates of one depth on the absolute grid of 4^level ps: entry i covers the events that START
 * in its cell; cells without events have no entry. Only levels with at most count/8 entries are
 * kept; below, the events themselves are scanned. */
struct xpd_mip_level {
    uint8_t shift; /* cell = 2^shift ps, shift even */
    uint32_t count;
    uint32_t *first;         /* index in the depth of the first event of the cell */
    uint32_t *longest;       /* longest of those shorter than the cell; UINT32_MAX = none */
    uint32_t *dominating;    /* name with most time among those shorter than the cell */
    uint64_t *small_busy_ps; /* sum of durations of those shorter than the cell */
};

/* Of a derived depth: the measured event that each of its events begins with. Those that end when
 * it does, which are nearly all, need no times of their own. */
struct xpd_depth;
struct xpd_depth_from {
    const struct xpd_depth *depth; /* measured ones */
    const uint32_t *index;         /* of each event: in its measured depth, which is ... */
    const uint8_t *near;           /* ... this one of `depth`; NULL: of more than 256, `far` */
    const uint32_t *far;
    struct xpd_ranks own;  /* those that end at a time of their own */
    const int64_t *own_ps; /* their durations */
};

struct xpd_depth {
    uint32_t row, depth; /* depth 0 = outermost */
    uint32_t count;
    uint64_t first_event;                  /* number of the first one in the whole trace */
    const int64_t *start_ps, *duration_ps; /* NULL: they stand in `from` (xpd_depth_start) */
    const uint32_t *name;                  /* index in trace->name */
    const struct xpd_depth_from *from;     /* NULL for measured events */
    const uint32_t *where_low;             /* NULL for derived events */
    const uint8_t *where_high;             /* NULL: 0 for all, in files below 4 GiB */
    const int32_t *device_delta_ps;        /* NULL = this row has no device clock */
    struct xpd_packed device_later_ps;     /* see xpd_depth_device_start; without blocks: some event
                                              does not say it, or it is no row of work */
    int64_t moved_ps;                      /* of several hosts: added to the starts of this one */
    const double *value;             /* counter rows: of each sample, NaN = unknown; else NULL */
    const struct xpd_mip_level *mip; /* coarsest last */
    uint32_t mip_count;
    int64_t longest_ps; /* of its events */
    bool overlapping;   /* the last depth of a row that has more than XPD_DEPTHS_MAX */
};

/* The measured depth that a derived event begins in. */
static inline const struct xpd_depth *xpd_depth_behind(const struct xpd_depth *depth, uint64_t i)
{
    const struct xpd_depth_from *from = depth->from;
    return &from->depth[from->near ? from->near[i] : from->far[i]];
}
/* When event i of any depth starts, and how long it takes. */
static inline int64_t xpd_depth_start(const struct xpd_depth *depth, uint64_t i)
{
    return depth->start_ps ? depth->start_ps[i]
                           : xpd_depth_behind(depth, i)->start_ps[depth->from->index[i]];
}
static inline int64_t xpd_depth_duration(const struct xpd_depth *depth, uint64_t i)
{
    const struct xpd_depth_from *from = depth->from;
    if (depth->duration_ps)
        return depth->duration_ps[i];
    if (xpd_ranks_has(&from->own, i))
        return from->own_ps[xpd_ranks_of(&from->own, i)];
    return xpd_depth_behind(depth, i)->duration_ps[from->index[i]];
}
static inline int64_t xpd_depth_end(const struct xpd_depth *depth, uint64_t i)
{
    return xpd_depth_start(depth, i) + xpd_depth_duration(depth, i);
}

/* Whether all events of a depth say when they began by the device's own clock (the stat
 * device_offset_ps, from an origin of its own): only rows in which something runs are asked. */
static inline bool xpd_depth_has_device_starts(const struct xpd_depth *depth)
{
    return depth->count == 0 || depth->device_later_ps.block != NULL;
}
/* When that was; all events of the depth say it. Kept as the difference to the host-aligned start,
 * which neighbours have nearly in common. */
static inline int64_t xpd_depth_device_start(const struct xpd_depth *depth, uint64_t i)
{
    return xpd_depth_start(depth, i) - depth->moved_ps + xpd_packed_at(&depth->device_later_ps, i);
}

struct xpd_trace_row {
    uint32_t process;
    int64_t id;          /* XLine.display_id, else id; derived: 0xdeadbeef + n */
    xpd_name_id caption; /* display_name, else name of the (last) line */
    enum xpd_row_kind kind;
    bool derived;
    const char *how;           /* derived: one sentence how; NULL = measured */
    uint32_t line, line_count; /* first line in the plane and how many share the row */
    uint32_t first_depth, depth_count;
    uint64_t event_count;     /* shown in this row */
    uint64_t overflow_count;  /* events without a free depth below XPD_DEPTHS_MAX: they overlap in
                               * the last one; a warning counts them */
    int64_t first_ps, end_ps; /* of its events; 0, 0 when empty */
    int64_t busy_ps;          /* union of the events, host-aligned clock */
    int64_t device_busy_ps;   /* sum of device durations of the outermost; -1 = not of all known */
    bool has_device_clock;
    bool cut; /* the file ends inside one of its lines */
};
#define XPD_DEPTHS_MAX 4096 /* of one row */
/* Whether events of a row may touch [from_ps, to_ps]; if not, its depths need not be
 * read. */
static inline bool xpd_row_touches(const struct xpd_trace_row *row, int64_t from_ps, int64_t to_ps)
{
    return row->end_ps >= from_ps && row->first_ps <= to_ps;
}

struct xpd_trace_process {
    uint32_t plane; /* in space->plane; merged planes (one name) keep the first */
    xpd_name_id name;
    enum xpd_process_kind kind;
    int64_t device;                /* N of "/device:TPU:N", -1 = none */
    uint32_t first_row, row_count; /* in order of the page: rows of known names first */
    uint64_t event_count;
    bool ran_ops; /* a host without chips: some of its events are operations (`op`, `tf`) */
    double peak_flops_per_s, peak_bytes_per_s; /* plane stats, 0 = unknown */
};

struct xpd_far_duration { /* a device duration that device_delta_ps cannot hold */
    uint64_t event;
    int64_t device_ps;
};

struct xpd_trace_host; /* one host in a trace of several: join.h */

struct xpd_trace {
    struct xpd_arena arena;
    struct xpd_intern names;
    struct xpd_warnings warnings;
    const struct xpd_xspace *space;    /* must outlive this; NULL for several hosts: see `part` */
    struct xpd_source *source;         /* open as long as this lives: stats are read from it */
    struct xpd_plane_tables *tables;   /* by plane */
    const struct xpd_trace_host *part; /* several hosts side by side; NULL: one host */
    uint32_t part_count;
    xpd_name_id main_program; /* of several hosts: with most time on their TPUs; else unused */
    struct xpd_event_name *name;
    uint32_t name_count;
    struct xpd_trace_process *process;
    uint32_t process_count;
    struct xpd_trace_row *row; /* by process, in page order */
    uint32_t row_count;
    struct xpd_depth *depth; /* by row */
    uint32_t depth_count;
    uint64_t event_count;
    uint64_t hidden_count;    /* internal ones among them */
    int64_t first_ps, end_ps; /* bounds over shown events; starts above 2^63 do not count */
    int64_t profile_start_ns; /* unix; 0 = not said (plane "Task Environment") */
    int64_t origin_ns;        /* subtracted from lines whose timestamps are unix time; mostly 0 */
    struct xpd_far_duration *far; /* by event */
    uint64_t far_count;
    uint64_t memory_bytes;
    struct xpd_trace_blocks *blocks; /* columns */
};

struct xpd_trace_options {
    uint32_t threads; /* 0 = number of processors, at most 8 */
};
/* Takes ownership of `source`, also on failure. A damaged space gives its intact part. XPD_ELIMIT
 * over the budget; XPD_EIO, XPD_ECHANGED or XPD_EFORMAT if the file cannot be read; XPD_ENOMEM.
 * Free with xpd_trace_free. */
int xpd_trace_load(struct xpd_trace **out, const struct xpd_xspace *space,
                   struct xpd_source *source, const struct xpd_trace_options *options,
                   struct xpd_progress *progress, uint64_t arena_budget_bytes, struct xpd_err *err);
void xpd_trace_free(struct xpd_trace *trace);

/* Some chip has events; events on the host are then not executions on a device. */
bool xpd_trace_has_devices(const struct xpd_trace *trace);
/* Whether compute and communication are known for a process: chips, and a host without chips whose
 * threads ran operations of programs. */
bool xpd_trace_computes(const struct xpd_trace *trace, uint32_t process);
/* Why not, in one sentence; NULL = known. */
const char *xpd_trace_computes_not(const struct xpd_trace *trace, uint32_t process);
/* Whether events of a process may have a stat of this name, by the metadata of its plane. */
bool xpd_trace_process_says(const struct xpd_trace *trace, uint32_t process, struct xpd_str stat);

/* The depth of an event number and its index there; false if out of range. */
bool xpd_trace_find(const struct xpd_trace *trace, uint64_t event, const struct xpd_depth **depth,
                    uint32_t *index);
static inline uint64_t xpd_depth_where(const struct xpd_depth *depth, uint32_t i)
{
    uint64_t high = depth->where_high ? depth->where_high[i] : 0;
    return depth->where_low ? high << 32 | depth->where_low[i] : UINT64_MAX;
}
/* Of an event whose duration by the device's clock no delta holds; -1 = not given. */
int64_t xpd_trace_far_ps(const struct xpd_trace *trace, const struct xpd_depth *depth, uint32_t i);
/* Duration of an event by the device's own clock, -1 = not given. */
static inline int64_t xpd_trace_device_ps(const struct xpd_trace *trace,
                                          const struct xpd_depth *depth, uint32_t i)
{
    if (!depth->device_delta_ps)
        return -1;
    if (depth->device_delta_ps[i] != INT32_MIN)
        return xpd_depth_duration(depth, i) - depth->device_delta_ps[i];
    return xpd_trace_far_ps(trace, depth, i);
}
/* Stats of an event: of its metadata first, then its own. Decoded from the file;
 * XPD_ECHANGED when the file is another one by now. Derived events have none (derived.h). */
int xpd_trace_stats(const struct xpd_trace *trace, uint64_t event, struct xpd_arena *scratch,
                    struct xpd_stat_value **out, uint32_t *count, uint32_t *from_metadata,
                    struct xpd_err *err);

/* The kind of a plane by its name; *device: N of "/device:TPU:N", -1 = none. */
enum xpd_process_kind xpd_trace_process_kind(struct xpd_str plane_name, int64_t *device);
/* Whether events of this name are the profiler's own, which XProf leaves out. */
bool xpd_trace_is_internal(struct xpd_str name);

#endif
