/* A plan that grows and shrinks, with its peak known after each change.
 *
 * The curve is kept in blocks of steps, each with its highest value, so that a change costs its two
 * ends and a peak costs the blocks: trying a dozen changes on half a million steps takes no second
 * pass over them. What was added after a mark can be taken back, to the byte. */
#ifndef XPROFD_MEMORY_TRIAL_H
#define XPROFD_MEMORY_TRIAL_H

#include "xprofd/memory/plan.h"

struct xpd_trial {
    struct xpd_plan plan;
    int64_t *bytes;   /* temporaries after each step, without `raised` of their block */
    int64_t *raised;  /* by block: added to all its steps */
    int64_t *highest; /* by block, `raised` included */
    uint32_t *stays;  /* by tenancy: until when an input stays; 0 = as it was */
    uint32_t *stayed; /* by place in plan.longer: `stays` before it */
    uint32_t stayed_capacity;
    uint32_t blocks, changes_in, longer_in; /* of the plan's, so many are in the curve */
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
/* What was always there included; *step may be NULL. Needs scratch memory in spaces whose live
 * bytes are a union of addresses only. */
int64_t xpd_trial_peak(struct xpd_trial *trial, uint32_t *step);
/* Temporaries after a step. */
int64_t xpd_trial_at(const struct xpd_trial *trial, uint32_t step);
/* The same of all steps; NULL in spaces whose live bytes are a union. Valid until the next change.
 */
const int64_t *xpd_trial_curve(struct xpd_trial *trial);

struct xpd_trial_mark xpd_trial_mark(const struct xpd_trial *trial);
void xpd_trial_back(struct xpd_trial *trial, struct xpd_trial_mark mark);

#endif
