/* The chips of a run side by side over the steps that all of them have: one table, on one clock. */
#ifndef XPROFD_SRC_TOOLS_TRACE_STEPS_CHIPS_H
#define XPROFD_SRC_TOOLS_TRACE_STEPS_CHIPS_H

#include "trace_common.h"
#include "xprofd/trace/step_chips.h"

#define XPD_STEPS_CHIP_FIELDS(FIELD)                                                               \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(COUNT, steps, "all its steps")                                                           \
    FIELD(INT, duration_ps, "sum over the common steps, as are the next six")                      \
    FIELD(                                                                                         \
        INT, work_ps,                                                                              \
        "duration without exposed communication and idle time: time not spent waiting for others") \
    FIELD(INT, compute_ps, "")                                                                     \
    FIELD(INT, exposed_comm_ps, "")                                                                \
    FIELD(INT, exposed_copy_ps, "")                                                                \
    FIELD(INT, idle_ps, "")                                                                        \
    FIELD(COUNT, most_work, "steps in which this chip had the most work")                          \
    FIELD(COUNT, came_last, "steps in which this chip ended last")                                 \
    FIELD(INT, skew_ps, "mean delay of its starts after the first chip's, host-aligned")
XPD_RECORD_TYPE(xpd_steps_chip, XPD_STEPS_CHIP_FIELDS)

#define XPD_STEPS_CHIPS_FIELDS(FIELD)                                                              \
    FIELD(COUNT, common, "steps that every chip has once, listed or not, the basis of the sums")   \
    FIELD(MAYBE(INDEX), straggler,                                                                 \
          "process that works at least 1 % longer than the median chip, and longest in more than " \
          "half of at least 5 steps; null: none does")                                             \
    FIELD(STRING, why, "one sentence, with or without a straggler")                                \
    FIELD(INLINE(xpd_steps_chip), rows, "the chips")
XPD_RECORD_TYPE(xpd_steps_chips, XPD_STEPS_CHIPS_FIELDS)

/* `at`: steps of chips; reordered. What *out points to lives in the arena of the call. XPD_ENOMEM.
 */
int xpd_steps_chips_make(struct xpd_steps_chips *out, const struct xpd_trace_call *call,
                         struct xpd_measured_step *at, uint32_t count, struct xpd_err *err);

#endif
