/* A trace in the making. One thread plans (processes, rows, names), several fill rows, one puts the
 * rows together; what is shared while they fill is named below. */
#ifndef XPD_TRACE_CORE_H
#define XPD_TRACE_CORE_H

#include "load_blocks.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/trace.h"
#include <pthread.h>

struct xpd_columns { /* events of a row, in one piece of memory */
    int64_t *start_ps, *duration_ps;
    uint32_t *name, *where_low;
    int32_t *device_delta_ps; /* NULL = no device clock */
    uint8_t *where_high;      /* NULL = the file is below 4 GiB */
    int64_t *device_start_ps; /* as struct xpd_event_columns has it, in memory of the worker: not
                                 laid with the others, since it is packed when the row is placed */
    uint32_t count;
};
enum { XPD_WITH_DEVICE = 1, XPD_WITH_HIGH = 2 }; /* which of the last two there are */
static inline unsigned xpd_columns_with(const struct xpd_columns *columns)
{
    return (columns->device_delta_ps ? XPD_WITH_DEVICE : 0u) |
           (columns->where_high ? XPD_WITH_HIGH : 0u);
}
static inline uint64_t xpd_columns_where(const struct xpd_columns *columns, uint32_t i)
{
    uint64_t high = columns->where_high ? columns->where_high[i] : 0;
    return high << 32 | columns->where_low[i];
}
static inline size_t xpd_columns_bytes(uint64_t count, unsigned with)
{
    size_t each = 2 * sizeof(int64_t) + 2 * sizeof(uint32_t);
    each += with & XPD_WITH_DEVICE ? sizeof(int32_t) : 0;
    each += with & XPD_WITH_HIGH ? 1 : 0;
    return (size_t)count * each;
}
struct xpd_columns xpd_columns_lay(void *memory, uint32_t count, unsigned with);
struct xpd_columns xpd_columns_part(const struct xpd_columns *columns, uint32_t first,
                                    uint32_t count);

struct xpd_line_ref {
    uint32_t plane, line;
};
struct xpd_row_made {         /* one row as it will be in the trace */
    struct xpd_trace_row row; /* depths counted from `depth` */
    struct xpd_depth *depth;
};
struct xpd_far { /* in the row's columns until the rows are in their places */
    int64_t device_ps;
    uint64_t where;
};
struct xpd_row_unit { /* lines that share a display id: a row, or several */
    uint32_t process;
    int64_t id;
    xpd_name_id caption;
    enum xpd_row_kind kind;
    uint32_t first_ref, ref_count;
    uint64_t event_count;
    struct xpd_row_made *made; /* malloc'ed: the row, its internal events, or counters */
    uint32_t made_count;
    XPD_VEC(struct xpd_far) far;
};

/* What single events say otherwise than their names do: of TensorCores up to _a, of GPUs and of
 * hosts without chips the last three (one kernel runs for operations of many programs), of others
 * the first only. */
enum xpd_single {
    XPD_SINGLE_STEP_NAME,
    XPD_SINGLE_TF_OP,
    XPD_SINGLE_SOURCE,
    XPD_SINGLE_ASYNC,
    XPD_SINGLE_HLO_MODULE,
    XPD_SINGLE_PROGRAM_ID,
    XPD_SINGLE_HLO_OP,
    XPD_SINGLE_COUNT
};
struct xpd_plane_names { /* how a plane's metadata become names of the trace */
    uint32_t first;      /* name of metadata 0; `unknown` stands behind the last */
    uint32_t unknown;
    bool has_internal;
    struct xpd_events_wanted wanted;
    uint64_t single_id[XPD_SINGLE_COUNT]; /* of the stats below, those that the plane knows */
    uint8_t single[XPD_SINGLE_COUNT];     /* enum xpd_single of each; _a stands last */
    bool wants_async;
};

struct xpd_op_kind {      /* of an instruction, as its HLO says */
    xpd_name_id category; /* "" = none */
    uint8_t group;        /* enum xpd_op_group */
    bool feed;            /* xpd_trace_is_feed */
};

struct xpd_trace_build {
    struct xpd_trace *trace;
    struct xpd_progress *progress;
    struct xpd_line_ref *ref; /* by unit */
    XPD_VEC(struct xpd_row_unit) unit;
    uint32_t *order; /* units, largest first; small ones in the order of the file */
    uint32_t large_count;
    struct xpd_plane_names *plane; /* by plane */

    /* Shared while rows are filled. */
    _Atomic uint32_t next;
    pthread_mutex_t lock; /* what stands below, and the trace's names and warnings */
    XPD_VEC(struct xpd_event_name) single;
    struct xpd_map64 single_of; /* hash of all that it says -> index */
    bool *read_hlo;             /* by space->hlo; NULL: none was asked about */
    struct xpd_map64 kind_of;   /* hash of an instruction of these -> index in `kind` */
    XPD_VEC(struct xpd_op_kind) kind;
    uint64_t odd_count, aggregated_count, unknown_count, overflow_count, unknown_samples;
    int rc; /* the first failure ends all */
    struct xpd_err err;
};

/* load_rows.c: processes, and which lines make which row. */
int xpd_trace_plan(struct xpd_trace_build *build, struct xpd_err *err);
enum xpd_row_kind xpd_trace_row_kind(struct xpd_str line_name, int64_t id,
                                     enum xpd_process_kind process);
/* A line of a device that the profiler or XProf made from others, and left in the file: known by
 * its id or its name ("XLA Ops", "Source code - from #12"). Nothing ran there. */
bool xpd_trace_line_is_made(struct xpd_str line_name, int64_t id);
/* TensorFlow ran operations itself, without XLA, on the threads of this plane. */
bool xpd_trace_plane_runs_tf(const struct xpd_trace *trace, uint32_t plane);
/* group.c: the category of what ran on a GPU for no operation that is told, by its name; "" = that
 * says nothing. */
struct xpd_str xpd_trace_kernel_category(struct xpd_str caption);
/* group.c: the category of an operation by the name that XLA gives it, in XProf's words, where the
 * file does not hold its HLO, which knows better: fusions are called by their kind, what is not an
 * opcode is the name of a call. */
struct xpd_str xpd_trace_op_category(struct xpd_str op);
/* load_names.c: the table of names, all planes one after another. */
int xpd_trace_names(struct xpd_trace_build *build, struct xpd_err *err);
/* What the offsets of a line's events count from. Unix times are made relative to the origin of the
 * trace, so that they fit. */
static inline int64_t xpd_trace_line_ns(const struct xpd_trace *trace, const struct xpd_line *line)
{
    bool unix_time = trace->origin_ns != 0 && line->timestamp_ns >= trace->origin_ns;
    return unix_time ? line->timestamp_ns - trace->origin_ns : line->timestamp_ns;
}
struct xpd_worker {
    struct xpd_trace_build *build;
    struct xpd_window window;
    struct xpd_pen pen;
    struct xpd_marks marks;
    struct xpd_arena scratch;   /* stats of single events */
    struct xpd_single_met *met; /* those met lately, so that most are read once; NULL: none yet */
    uint32_t met_slots, met_count;
    struct xpd_fit *fit;
    void *small, *large; /* scratch columns of rows below XPD_LARGE_BYTES, and of larger ones */
    size_t small_bytes, large_bytes;
    int64_t *starts; /* of the row in work, by the device's clock */
    size_t starts_capacity;
    struct xpd_err err;
};
/* single.c: *name of the event at `where`, whose wanted stats are marked in [mark, mark + count),
 * becomes one that says what these do: step_name as caption, tf_op, source, _a, and so on. `all`:
 * each of them that the event has is marked. Takes the lock, but for what was met lately. */
int xpd_trace_single(struct xpd_worker *worker, uint32_t plane, uint64_t where,
                     const struct xpd_marked_stat *mark, size_t count, bool all, uint32_t *name);

/* load_hlo.c: of an instruction of the program at that index in space->hlo; NULL: its HLO is not in
 * the file, is damaged, or has no such instruction. While rows are filled, under the lock; valid
 * until it is called again. */
const struct xpd_op_kind *xpd_trace_op_kind(struct xpd_trace_build *build, uint32_t program,
                                            struct xpd_str op);

/* load_hlo.c: the HLO in the file of a program, by its id, else the only one of that name: index in
 * space->hlo; XPD_NO_INDEX: none. */
uint32_t xpd_trace_hlo_of(const struct xpd_xspace *space, uint64_t id, struct xpd_str module);
/* Of the trace of one host; NULL: it is damaged, or has more than 256 MiB. */
struct xpd_hlo *xpd_trace_hlo(const struct xpd_trace *trace, uint32_t program);

/* load_lines.c: fills one unit. */
int xpd_unit_fill(struct xpd_worker *worker, struct xpd_row_unit *unit);
/* room.c: XPD_ELIMIT, and says what to raise. */
int xpd_worker_no_room(struct xpd_worker *worker);

/* load_order.c: sorts by (key, start, -duration), equal ones as they are; `key` may be NULL. Takes
 * 48 bytes an event while it works. False: out of memory. */
bool xpd_columns_sorted(const struct xpd_columns *columns);
bool xpd_columns_sort(struct xpd_trace_blocks *blocks, struct xpd_columns *columns,
                      const uint32_t *key, bool *moved);

/* depths.c: places sorted events. With `memory` not NULL (the piece that holds these columns and
 * little else) it may keep that piece and sets it to NULL. */
struct xpd_fit;
struct xpd_fit *xpd_fit_new(void);
void xpd_fit_free(struct xpd_fit *fit);
int xpd_row_place(struct xpd_worker *worker, const struct xpd_columns *columns, void **memory,
                  struct xpd_row_made *made);

/* mip.c: aggregates of a depth whose columns are filled. */
bool xpd_mip_build(struct xpd_trace_blocks *blocks, struct xpd_pen *pen, struct xpd_depth *depth);

#endif
