/* Executions of instructions in the making. One pass over the events finds them: op_times.c those
 * of rows whose names tell program and instruction, op_scan.c those that the file names one by one.
 * What comes of it is sums, and of the latter the executions themselves, too. */
#ifndef XPD_TRACE_OP_TIMES_H
#define XPD_TRACE_OP_TIMES_H

#include "../totals/totals_loop.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/op_runs.h"

struct xpd_op_slot { /* an op on a device */
    uint32_t program, device;
    xpd_name_id name;
    struct xpd_op_sums sums;
    uint64_t most_count;  /* as struct xpd_op has it, on this device */
    xpd_name_id category; /* likewise */
    uint8_t group;
    bool said;
    uint32_t number; /* among the slots as they were made */
};
struct xpd_op_run {            /* one execution */
    int64_t start_ps, host_ps; /* host-aligned: where it begins, how long it is */
    int64_t own_ps, inside_ps; /* of it, and of those inside, by the device's clock where known */
    uint32_t slot;
    bool device; /* own_ps is by that clock */
    bool nested; /* some other counts it in its inside_ps */
};
struct xpd_op_piece { /* executions in order of start: a depth of a row, or a line of the file */
    uint32_t first, end;
    size_t inside;    /* the first of kept->inside in it */
    int64_t start_ps; /* of `first` */
};
struct xpd_op_kept { /* executions of a device, in pieces */
    XPD_VEC(struct xpd_op_run) run;
    XPD_VEC(struct xpd_op_inside) inside;
    XPD_VEC(struct xpd_op_piece) piece;
    uint64_t piece_number;
    bool clockless; /* some have no device clock */
};
struct xpd_op_named_run { /* a run that its events name */
    uint32_t device;
    struct xpd_op_program_run run;
};
struct xpd_op_build {
    const struct xpd_trace *trace;
    struct xpd_op_times *out;
    XPD_VEC(struct xpd_op_program) program;
    XPD_VEC(struct xpd_op_device) device;
    XPD_VEC(struct xpd_op_slot) slot;
    bool host_clock;                          /* as struct xpd_op_times has it */
    XPD_VEC(struct xpd_op_kept) kept;         /* by device, of the process in work */
    XPD_VEC(struct xpd_op_device_runs) found; /* by device: columns, with slots for operations */
    XPD_VEC(struct xpd_op_named_run) named;
    uint64_t piece_number; /* of the one in work, counted from 1 */
    struct xpd_map64 program_of_id, program_of_name, device_of, slot_of, named_of;
    uint32_t loose_program[XPD_LOOSE_COPIES + 1]; /* index + 1; 0 = none yet */
    const uint32_t *program_place; /* by program of the build: of build->out; when frozen */
    uint32_t *op_of_slot;          /* by its number; when frozen */
};

/* op_build.c */
int xpd_op_no_memory(struct xpd_err *err);
/* Indexes, made when new; XPD_NO_INDEX after a failure. */
uint32_t xpd_op_program_put(struct xpd_op_build *build, bool has_id, uint64_t id, xpd_name_id name);
uint32_t xpd_op_loose_put(struct xpd_op_build *build, enum xpd_op_loose loose);
uint32_t xpd_op_device_put(struct xpd_op_build *build, uint32_t process, int64_t number);
uint32_t xpd_op_slot_put(struct xpd_op_build *build, uint32_t program, xpd_name_id name,
                         uint32_t device);
/* The run of a program on a device that an event names by a number. */
uint32_t xpd_op_named_run_put(struct xpd_op_build *build, uint32_t program, uint32_t device,
                              uint64_t run_id);
/* What events or names say of the op of a slot. */
void xpd_op_slot_kind(struct xpd_op_build *build, uint32_t slot, struct xpd_str category,
                      uint8_t group, bool said);
/* Adds an execution to the sums of its instruction. */
static inline void xpd_op_sum(struct xpd_op_sums *sums, const struct xpd_op_run *run)
{
    int64_t self_ps = run->own_ps - run->inside_ps;
    sums->count++;
    sums->device_count += run->device;
    xpd_grow_i64(&sums->total_ps, run->own_ps);
    xpd_grow_i64(&sums->self_ps, self_ps > 0 ? self_ps : 0);
    xpd_grow_i64(&sums->host_total_ps, run->host_ps);
    sums->min_ps = run->own_ps < sums->min_ps ? run->own_ps : sums->min_ps;
    sums->max_ps = run->own_ps > sums->max_ps ? run->own_ps : sums->max_ps;
}
/* The same, and keeps it; those of a piece (build->piece_number) come in order of start. */
void xpd_op_take(struct xpd_op_build *build, const struct xpd_op_run *run);
bool xpd_op_build_failed(const struct xpd_op_build *build);
/* As xpd_op_times_make, none by the device's clock. */
int xpd_op_times_by_host(struct xpd_op_times **out, const struct xpd_trace *trace,
                         uint64_t arena_budget_bytes, struct xpd_err *err);
/* The device of a process with that number, in times->device; XPD_NO_INDEX: it ran nothing. */
uint32_t xpd_op_device_of(const struct xpd_op_times *times, uint32_t process, int64_t number);

/* op_found.c: what was kept of a process becomes columns, which take half as much. False: no
 * memory.
 */
bool xpd_op_end_process(struct xpd_op_build *build);
/* The columns become those of build->out, which is frozen. */
bool xpd_op_keep_found(struct xpd_op_build *build);

void xpd_op_kept_fini(struct xpd_op_kept *kept);
void xpd_op_build_fini(struct xpd_op_build *build);

/* op_build.c: what was added up becomes build->out. */
int xpd_op_freeze(struct xpd_op_build *build, struct xpd_err *err);

/* op_times.c: rows of operations of chips, depth by depth. Their times (op_times.c) and their
 * executions (op_row_runs.c) are read from the same pass, so that both agree. */
struct xpd_op_reader {
    const struct xpd_trace *trace;
    bool host_clock; /* as struct xpd_op_times has it */
    struct xpd_view view;
    struct xpd_totals_ask ask;
    struct xpd_totals_plan plan;
    struct xpd_totals_worker worker; /* only for how often the file is looked into */
};
/* It points into itself and stays where it is. */
void xpd_op_reader_init(struct xpd_op_reader *rows, const struct xpd_trace *trace, bool host_clock);

/* Of a row of operations. All of its events are read, in order: also those before time 0, which the
 * bounds of the trace leave out. */
struct xpd_op_depth {
    const struct xpd_op_reader *rows;
    const struct xpd_depth *depth, *above, *child; /* NULL: none */
    struct xpd_totals_loop loop;
    uint32_t up, below; /* how far `above` and `child` are read */
};
typedef void xpd_op_depth_fn(void *user, struct xpd_op_depth *at);
/* All depths of a process of a TPU, in order. Returns the pairs whose nesting nothing tells. */
uint64_t xpd_op_reader_each(struct xpd_op_reader *rows, uint32_t process, xpd_op_depth_fn *fn,
                            void *user);

/* Time of the executions nested in event i. To be asked for each event, in order. */
static inline int64_t xpd_op_inside_ps(struct xpd_op_depth *at, uint32_t i)
{
    /* measured: the columns say it all */
    const struct xpd_totals_asked asked = {&at->rows->ask, 0};
    return at->child ? xpd_totals_inside_ps(&at->loop, i, &at->below, true, &asked) : 0;
}

/* op_row_runs.c: the executions of chips whose names tell instruction and program: where they stand
 * in the trace. `runs` has its times, and its arena is given back to its maker. */
int xpd_op_row_runs(struct xpd_op_runs *runs, const struct xpd_trace *trace, struct xpd_err *err);

/* op_scan.c: the events whose own stats name an instruction. */
int xpd_op_scan(struct xpd_op_build *build, struct xpd_err *err);

#endif
