/* The peak if some buffers were smaller, live shorter or removed: a plan of actions on a
 * frozen analysis.
 *
 * Each action is a set of changes of the curve: a number of bytes less in [from, to). One
 * pass over the steps gives the new curve (a difference array), so a plan costs O(steps +
 * changes). Exact for live bytes. The heap is not predicted, because its packing would
 * change. In spaces whose live bytes are a union of addresses (VMEM, CMEM) only
 * XPD_ACTION_DROP is defined.
 *
 * Offload and recompute free the longest gap between two uses, from after the first to before
 * the second, never the whole lifetime; inputs of a recomputed buffer live until then. */
#ifndef XPROFD_MEMORY_PLAN_H
#define XPROFD_MEMORY_PLAN_H

#include "xprofd/memory/query.h"

enum xpd_action {
    XPD_ACTION_DROP,
    XPD_ACTION_HALVE,  /* the type half as wide */
    XPD_ACTION_UNPAD,  /* without padding */
    XPD_ACTION_DONATE, /* an output: it takes the place of an argument */
    XPD_ACTION_OFFLOAD,
    XPD_ACTION_SHARD, /* over `parts` devices: ceil(size / parts) stays */
    XPD_ACTION_RECOMPUTE,
    XPD_ACTION_COUNT
};
const char *xpd_action_word(enum xpd_action action); /* "drop", "halve", ... */

struct xpd_plan_change {
    uint32_t from, to;
    int64_t less_bytes; /* negative: more */
};
struct xpd_plan_longer { /* an input that must stay */
    uint32_t tenancy, until;
};

struct xpd_plan {
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    struct xpd_arena *arena;
    struct xpd_plan_change *change;
    uint32_t change_count, change_capacity;
    struct xpd_plan_longer *longer;
    uint32_t longer_count, longer_capacity;
    uint32_t *dropped; /* in union spaces: buffers */
    uint32_t dropped_count;
    int64_t resident_less_bytes;
    int64_t moved_bytes;      /* of offloads: out and back */
    int64_t recomputed_bytes; /* results that are computed twice */
    uint32_t *done;           /* by storage (root, or buffers + allocation): seen */
    uint32_t *done_key;       /* those seen, in order */
    uint32_t done_count;
    struct xpd_buffers_of buffers_of; /* made when first needed */
    bool failed;                      /* sticky: no memory */
};

/* Everything lives in the arena. */
void xpd_plan_init(struct xpd_plan *plan, const struct xpd_mem *mem,
                   const struct xpd_mem_space *space, struct xpd_arena *arena);
/* NULL if it was added (or its storage is already in the plan), else the reason: a sentence without
 * a full stop. `parts` of XPD_ACTION_SHARD, at least 2. */
const char *xpd_plan_add(struct xpd_plan *plan, uint32_t buffer, enum xpd_action action,
                         int64_t parts);

struct xpd_plan_result {
    int64_t peak_bytes;   /* resident included */
    uint32_t peak_step;   /* XPD_NO_STEP without steps */
    int64_t saving_bytes; /* negative when the plan needs more */
    int64_t resident_bytes;
    int64_t *live_bytes; /* temporaries after each step; NULL where there are no steps */
};
/* The curve and the peak after all changes of the plan, in its arena. False: out of memory, or a
 * sum does not fit in 64 bits. */
bool xpd_plan_run(struct xpd_plan *plan, struct xpd_plan_result *out);

/* The longest stretch of steps between two at which a buffer is defined or read, without a use
 * between *from and *to; false when there is none. */
bool xpd_longest_gap(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                     uint32_t *from, uint32_t *to);

/* First event in the space of an instruction, or the nearest after it in schedule order. */
uint32_t xpd_mem_step_of(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                         uint32_t instruction);
/* The step at which a buffer begins: that of its own event, 0 for arguments and constants, else
 * that of the instruction that defines it; XPD_NO_STEP = unknown. */
uint32_t xpd_mem_definition_step(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                                 uint32_t buffer);

#endif
