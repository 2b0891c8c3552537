/* The chips of a run side by side over the steps that all of them have, on one clock.
 *
 * Chips wait for each other in collectives, so that all take about as long for a step: what tells
 * them apart is their own work, the step without what it waits for others and without idle time. */
#ifndef XPROFD_TRACE_STEP_CHIPS_H
#define XPROFD_TRACE_STEP_CHIPS_H

#include "xprofd/trace/derived.h"
#include "xprofd/trace/overlap.h"

struct xpd_measured_step {
    const struct xpd_step *step;
    const struct xpd_overlap *overlap; /* on the clock of the table */
};
struct xpd_step_chip {
    uint32_t process, steps;       /* all its steps; the sums are of the common ones */
    uint32_t came_last, most_work; /* in so many of them */
    int64_t length_ps, compute_ps, exposed_comm_ps, exposed_copy_ps, idle_ps;
    int64_t late_ps; /* its starts after the first chip's, host-aligned */
};
#define XPD_CHIPS_STEPS_LEAST 5 /* common steps: fewer say nothing */
struct xpd_step_chips {
    struct xpd_step_chip *at;         /* in the order in which they came in */
    uint32_t count, common;           /* common: steps that each chip has once */
    const struct xpd_step_chip *most; /* with most work; NULL: too few chips or common steps */
    /* Where there is one: */
    int64_t median_work_ps; /* of the chip in the middle */
    double ahead;           /* of it, in shares of that work: 0.01 = 1 % more */
    bool straggles;         /* at least 1 % ahead, and longest in more than half of the steps */
};
static inline int64_t xpd_step_chip_work_ps(const struct xpd_step_chip *chip)
{
    return chip->length_ps - chip->exposed_comm_ps - chip->idle_ps;
}
/* `at`: steps of chips, whose processes are below `process_count`; reordered. What *out points to
 * is in `arena`. XPD_ENOMEM. */
int xpd_step_chips_make(struct xpd_step_chips *out, uint32_t process_count,
                        struct xpd_measured_step *at, uint32_t count, struct xpd_arena *arena,
                        struct xpd_err *err);

#endif
