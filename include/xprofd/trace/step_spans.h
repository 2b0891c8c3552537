/* Which executions are of which step: spans of time by device, for everything that is a mean over
 * steps, or of some steps only.
 *
 * An execution is of the step under way when it begins: the last one of its device that began, if
 * that has not ended (as steps.c has it for events). Devices of a host that computes itself take
 * the steps of the thread that marks most of them. */
#ifndef XPROFD_TRACE_STEP_SPANS_H
#define XPROFD_TRACE_STEP_SPANS_H

#include "xprofd/hlo/module.h"
#include "xprofd/trace/op_runs.h"
#include "xprofd/trace/view.h"

struct xpd_step_numbers { /* from 3 to 3, from 7 to 12 */
    int64_t from, to;
};
struct xpd_step_span { /* executions that begin in [from_ps, to_ps), host-aligned */
    int64_t from_ps, to_ps;
    uint32_t step; /* in `number` */
};
struct xpd_step_spans {
    struct xpd_step_span *span; /* by device, then start; disjoint on a device */
    uint32_t *first;            /* by device of the times, and one more */
    uint32_t count;             /* what means are over */
    int64_t *number;            /* of the steps that were chosen and ran, ascending */
    uint32_t step_count;
    bool whole; /* nothing marks steps: one span a device, all of the trace; step_count is 0 */
};
/* Of the steps chosen (0 ranges = all), those of devices in which executions of `program` begin
 * (NULL: of any). Where no step at all has any, `whole`: a program beside the steps is one span a
 * device, too; unless steps are chosen. Columns in the arena. False: no memory. */
bool xpd_step_spans_make(struct xpd_step_spans *out, struct xpd_arena *arena,
                         const struct xpd_view *view, const struct xpd_op_runs *runs,
                         const struct xpd_op_program *program,
                         const struct xpd_step_numbers *chosen, uint32_t chosen_count);

/* A program's operations as they ran in some steps. */
struct xpd_ran_ops {
    const struct xpd_hlo *hlo; /* NULL: not loaded */
    const struct xpd_op_runs *runs;
    const struct xpd_op_program *program; /* of runs->times */
    const uint32_t *instruction;          /* by op of the program; XPD_NO_INDEX = hlo lacks it */
    const struct xpd_step_spans *spans;
};
/* Adds up by op of the program: executions that begin in the spans, and their self times. */
void xpd_ran_sums(const struct xpd_ran_ops *in, uint64_t *count, int64_t *self_ps);

#endif
