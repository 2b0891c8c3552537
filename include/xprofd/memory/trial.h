/* A plan with a known peak after each added or removed change.
 *
 * The curve is that of the program, in blocks of steps with their extremes: a change costs
 * its two ends, whose blocks are copied first, and a peak costs the number of blocks, so a
 * dozen trials need no pass over half a million steps. Changes after a mark can be undone
 * exactly. */
#ifndef XPROFD_MEMORY_TRIAL_H
#define XPROFD_MEMORY_TRIAL_H

#include "xprofd/memory/curve_blocks.h"
#include "xprofd/memory/plan.h"

struct xpd_trial {
    struct xpd_plan plan;
    struct xpd_curve_blocks curve; /* temporaries after each step; none where they are a union */
    int64_t **own;    /* by block: the copy that changes are made in, NULL = the space's own */
    uint32_t *stays;  /* by tenancy: new end of an input; 0 = unchanged; NULL: none */
    uint32_t *stayed; /* by place in plan.longer: `stays` before it */
    uint32_t stayed_capacity;
    uint32_t changes_in, longer_in; /* number of the plan's changes in the curve */
};

struct xpd_trial_mark {
    uint32_t changes, longer, done, dropped;
    int64_t resident_less_bytes, moved_bytes, recomputed_bytes;
};

/* Everything lives in the arena. False without memory. */
bool xpd_trial_init(struct xpd_trial *trial, const struct xpd_mem *mem,
                    const struct xpd_mem_space *space, struct xpd_arena *arena);
/* As xpd_plan_add. */
const char *xpd_trial_add(struct xpd_trial *trial, uint32_t buffer, enum xpd_action action,
                          int64_t parts);
/* The peak including resident bytes; *step may be NULL. Needs scratch memory in spaces whose live
 * bytes are a union of addresses only. */
int64_t xpd_trial_peak(struct xpd_trial *trial, uint32_t *step);
/* Lowest and highest of the temporaries in [from, to), from < to; not in spaces whose live bytes
 * are a union. */
void xpd_trial_extremes(const struct xpd_trial *trial, uint32_t from, uint32_t to, int64_t *lowest,
                        int64_t *highest);

/* A mark of the present state, and the return to it, which undoes later changes. */
struct xpd_trial_mark xpd_trial_mark(const struct xpd_trial *trial);
void xpd_trial_back(struct xpd_trial *trial, struct xpd_trial_mark mark);

#endif
