/* Comparison of two executed programs by operation: before and after a change, two runs, or two
 * sets of steps.
 *
 * Operations are matched in groups: scope without numbers and markers, pass, opcode, shape. In a
 * group, operations of equal scope with its numbers are paired first, the others in program
 * order; the rest have no pair. An operation without HLO is identified by its name without its
 * number.
 *
 * Times are self times of one step of one device: sums over the steps by their number, in whole
 * picoseconds, rounded so that those of all operations add up to `mean_ps` of the side. So the
 * differences add up to the difference of the sums in any grouping, to the picosecond. */
#ifndef XPROFD_TRACE_OP_COMPARE_H
#define XPROFD_TRACE_OP_COMPARE_H

#include "xprofd/hlo/scope.h"
#include "xprofd/trace/step_spans.h"

enum { XPD_BEFORE, XPD_AFTER };

struct xpd_op_kin {
    struct xpd_str scope;         /* "block_*\/attention" */
    enum xpd_phase phase;         /* of the first that was met; none and forward are one pass */
    struct xpd_str opcode, shape; /* opcode: for an operation without HLO, its name */
    uint32_t ops[2];
    int64_t mean_ps[2];
};
struct xpd_op_pair {
    uint32_t op[2]; /* of the program; XPD_NO_INDEX: none */
    uint32_t group;
};
struct xpd_op_compare {
    struct xpd_op_kin *group; /* as they are met, before first */
    uint32_t group_count;
    struct xpd_op_pair *pair; /* by group */
    uint32_t pair_count;
    uint32_t ops[2];        /* that ran */
    uint32_t unpaired[2];   /* of them */
    int64_t mean_ps[2];     /* of all: the sums over steps, by their number, rounded down */
    int64_t *op_mean_ps[2]; /* by op */
    uint64_t *op_count[2];  /* executions, likewise */
};
/* Both sides ran in at least one span. Texts and tables are copies in the arena. False: no memory.
 */
bool xpd_op_compare_make(struct xpd_op_compare *out, const struct xpd_ran_ops side[2],
                         struct xpd_arena *arena);

#endif
