/* Measured times of the instructions of each program, over all devices of one host, or of several
 * (xpd_join_op_times, join.h).
 *
 * An *op* is (program, instruction name). Where the events come from, by kind of device:
 *  - TPU: rows "XLA Ops" and "Sparse Core Ops"; program and name are those of the event's metadata
 *    (program_id, and the text before " = " of the HLO text, else the short name). Asynchronous
 *    rows are not counted: they show the same copies a second time.
 *  - GPU: the kernels and copies of the streams, by their stats hlo_op (its last part behind "::"),
 *    program_id or hlo_module. One execution of an instruction can be several kernels: `count`
 *    counts events. Lines that the profiler made from others do not count.
 *    Kernels and copies that name no program (TensorFlow without XLA, libraries) are ops, too, of
 *    placeholder programs (enum xpd_op_loose), so that the ops of a GPU are everything that its
 * streams ran. Their names are in xprofd/trace/op_loose.h.
 *  - CPU: the events of /host:CPU that carry hlo_op; the device is the stat device_ordinal. Only
 *    where no chip has events: calls that launch work on a chip carry hlo_op as well, and run
 *    nothing. For the same reason an event with correlation_id never counts there.
 * `total` is by the device's clock (device_duration_ps) where all events of the host have times on
 * it, else host-aligned: a table never mixes clocks. `self` is without the ops that lie inside (the
 * body of a loop); TPU as totals.h does it, on the CPU by the host-aligned clock within one line of
 * the file. Kernels that overlap in a stream are side by side (the nodes of a CUDA graph), not one
 * inside of the other: self is total. */
#ifndef XPROFD_TRACE_OP_TIMES_H
#define XPROFD_TRACE_OP_TIMES_H

#include "xprofd/trace/trace.h"

struct xpd_op_sums { /* at least one event */
    uint64_t count;
    uint64_t device_count; /* of them by the device's clock */
    int64_t total_ps, self_ps, min_ps, max_ps;
    int64_t host_total_ps; /* of the same events by the host-aligned clock */
};
struct xpd_op_share { /* of one op on one device */
    uint32_t device;  /* index in `device` */
    struct xpd_op_sums sums;
};
enum xpd_op_loose {                    /* kind of ops without a program, as in overlap.h */
                    XPD_LOOSE_NOT,     /* they are of a program */
                    XPD_LOOSE_THREADS, /* of TensorFlow, on the threads of a host without chips */
                    XPD_LOOSE_KERNELS,
                    XPD_LOOSE_COLLECTIVES, /* kernels of NCCL and RCCL */
                    XPD_LOOSE_COPIES
};
struct xpd_op {
    xpd_name_id name; /* of the instruction */
    /* As the trace has them (struct xpd_event_name): `said` by the events' metadata, whose category
     * is XProf's; else by the name, for a program without HLO, which knows better. None of loose
     * ops: op_loose.h reads their names. */
    xpd_name_id category;
    uint8_t group; /* enum xpd_op_group */
    bool said;
    struct xpd_op_sums sums;
    /* Of an op without a program: events of its kernel that ran most often. 0 of others. */
    uint64_t most_count;
    uint32_t first_share, share_count; /* in `share`, by device */
};
struct xpd_op_program {
    uint64_t id; /* 0 is one, too */
    bool has_id;
    xpd_name_id name;            /* of its module where events say it, else 0 */
    enum xpd_op_loose loose;     /* a placeholder for ops without a program; without an id */
    uint64_t likeness;           /* of several hosts: xpd_hlo_likeness of its HLO, 0 = not known */
    uint32_t first_op, op_count; /* in `op`, by name as bytes */
    uint64_t count, device_count;
};
struct xpd_op_part { /* a host in the times of several */
    const struct xpd_op_times *times;
    const uint32_t *program; /* by program of `times`: the joined program */
    bool own;                /* made for the join, by the host's clock: those of the host are not */
};
struct xpd_op_device {
    uint32_t process; /* index in trace->process */
    int64_t number;   /* N of "/device:TPU:N", or device_ordinal; -1 = not said */
    bool sparse;      /* a SparseCore: a part of the chip of that number */
};

struct xpd_op_times {
    struct xpd_arena arena;
    struct xpd_intern names;
    struct xpd_op_program *program; /* without an id first, by name, loose ones last; then by id */
    struct xpd_op *op;              /* by program */
    struct xpd_op_share *share;     /* by op */
    struct xpd_op_device *device;   /* by process and number */
    uint32_t program_count, op_count, share_count, device_count;
    const struct xpd_op_part *part; /* as those of the joined trace; NULL: of one host */
    uint32_t part_count;
    /* By name of the trace: the op of its events in rows of chips, XPD_NO_INDEX = none. NULL: no
     * chip's rows tell operations by their names; of several hosts. */
    const uint32_t *op_of_name;
    /* By device: executions that only stats in the file name, for op_runs.h; NULL: none. */
    const struct xpd_op_device_runs *found;
    bool host_clock;    /* some events have no time on the device's clock: none is by it */
    uint64_t unchecked; /* of struct xpd_nesting: self times may be off where clocks jump */
};

/* Pure function of the trace; reads the stats of events from its file where the metadata do not
 * tell (one pass, in the order of the file). XPD_ELIMIT over the budget (0 = none). */
int xpd_op_times_make(struct xpd_op_times **out, const struct xpd_trace *trace,
                      uint64_t arena_budget_bytes, struct xpd_err *err);
void xpd_op_times_free(struct xpd_op_times *times); /* NULL is legal */
uint64_t xpd_op_times_memory_bytes(const struct xpd_op_times *times);

/* The instruction of a name in a device's op row: "%fusion.1 = f32[...] ..." is fusion.1; without
 * such a text, the short name. */
struct xpd_str xpd_op_instruction(const struct xpd_trace *trace, const struct xpd_event_name *name);
/* The last part of a stat hlo_op, "while.1::fusion.2": the innermost instruction. */
struct xpd_str xpd_op_innermost(struct xpd_str hlo_op);

/* NULL = none. */
const struct xpd_op_program *xpd_op_program_of(const struct xpd_op_times *times, uint64_t id);
/* Among programs whose events have no id. */
const struct xpd_op_program *xpd_op_program_named(const struct xpd_op_times *times,
                                                  struct xpd_str name);
/* The same program, or the same kind of loose ops, in other times: of another host or pass. */
const struct xpd_op_program *xpd_op_program_same(const struct xpd_op_times *times,
                                                 const struct xpd_op_program *program,
                                                 struct xpd_str name);
/* The program whose operations have the most self time, loose ones only where there is no other;
 * NULL = nothing ran. */
const struct xpd_op_program *xpd_op_program_busiest(const struct xpd_op_times *times);
/* By op of the program its instruction, XPD_NO_INDEX where `hlo` (may be NULL) has none of that
 * name; in the arena. NULL: no memory. */
uint32_t *xpd_op_instructions(const struct xpd_op_times *times,
                              const struct xpd_op_program *program, const struct xpd_hlo *hlo,
                              struct xpd_arena *arena);
/* NULL = it was not measured. */
const struct xpd_op *xpd_op_of(const struct xpd_op_times *times,
                               const struct xpd_op_program *program, struct xpd_str name);
static inline double xpd_op_mean_ps(const struct xpd_op_sums *sums)
{
    return (double)sums->total_ps / (double)sums->count;
}
/* A program that a GPU's host started more often than the GPUs recorded: the other executions ran
 * after the recording ended, or their kernels were dropped. */
struct xpd_lost_runs {
    struct xpd_str name; /* of the program, in trace->space->names */
    uint64_t started;    /* executions, one for each device */
    uint64_t recorded;   /* at most: events of the operation that has most, over all devices */
    uint32_t others;     /* other programs like it */
};
/* The one with most executions lost; false: none, or not known, as for programs without a kernel
 * and profiles without a GPU. A tenth may be missing: kernels run after their host, and those of
 * the last executions after the recording. Of one host. */
bool xpd_lost_runs_of(struct xpd_lost_runs *out, const struct xpd_trace *trace,
                      const struct xpd_op_times *times);
/* A sentence without a full stop, in the arena; NULL: no memory. */
const char *xpd_lost_runs_text(const struct xpd_lost_runs *lost, struct xpd_arena *arena);
/* "device", "host" or "mixed": the clock of the durations. */
const char *xpd_op_clock(uint64_t count, uint64_t device_count);

#endif
