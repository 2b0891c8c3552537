/* Other x axes for the curve of a space: the position of each step when x counts instructions, or
 * their weight (measured time), instead of heap events.
 *
 * Instructions stand in schedule order, called computations right before their caller. A step
 * belongs to the instruction that runs at it (xpd_mem_running) and takes its share of that
 * instruction's width; the last one lasts until the next instruction that allocates. Positions
 * never decrease: a step whose instruction is before that of the previous step keeps the previous
 * position and is counted in `moved_count`. Lanes follow each other, each from its first
 * instruction that allocates to the end of the program. */
#ifndef XPROFD_MEMORY_AXIS_H
#define XPROFD_MEMORY_AXIS_H

#include "xprofd/memory/query.h"

struct xpd_axis {
    double *begin;        /* step_count + 1 places, never falling; the last is the end */
    uint32_t order_count; /* instructions in the schedule */
    uint32_t moved_count; /* steps that would have gone back */
};

/* Why a space has no axis of instructions; NULL: it has. */
const char *xpd_axis_no_instructions(const struct xpd_mem *mem, const struct xpd_mem_space *space);
/* `weight` by instruction, none negative; NULL: each is 1. False without memory. */
bool xpd_axis_make(struct xpd_axis *axis, const struct xpd_mem *mem,
                   const struct xpd_mem_space *space, const double *weight,
                   struct xpd_arena *arena);

/* As xpd_curve, with columns of the window's width on this axis: one step, or several that lie
 * within one column's width together. At most 2 * columns + 1 of them. */
uint32_t xpd_axis_curve(const struct xpd_mem_space *space, const struct xpd_axis *axis,
                        struct xpd_step_window window, uint32_t columns,
                        struct xpd_curve_column *out);

#endif
