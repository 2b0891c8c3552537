/* The runs of a program on a device, where nothing marks steps: as its events say, which on a CPU
 * name their run (run_id), else told from how its operations follow each other. */
#ifndef XPROFD_TRACE_PROGRAM_RUNS_H
#define XPROFD_TRACE_PROGRAM_RUNS_H

#include "xprofd/trace/op_runs.h"

struct xpd_run_span { /* host-aligned: its first execution begins, its last one ends */
    int64_t from_ps, to_ps;
};
struct xpd_run_spans {
    struct xpd_run_span *span; /* in order of start; they may overlap */
    uint32_t count;
    uint32_t first_number; /* of span[0]: 1 where the recording has only a part of run 0 */
    int64_t part_from_ps;  /* then: where that part begins */
    uint32_t in_part;      /* runs left out, because the recording has only a part of them: the
                              first, the last */
};
/* `order`, by op of the program: of an operation that each run has its place in the program, of all
 * others (in a branch or loop, say) XPD_NO_INDEX; NULL: not known, then all operations tell runs
 * and none is found to be recorded in part. `device` is of `times`, `of` one of its programs.
 * Columns in the arena. False: no memory. */
bool xpd_run_spans_make(struct xpd_run_spans *out, struct xpd_arena *arena,
                        const struct xpd_op_times *times, const struct xpd_op_device_runs *device,
                        const struct xpd_op_program *of, const uint32_t *order);

#endif
