/* Memory events of the runtime's allocators in a profile.
 *
 * Instant events "MemoryAllocation" and "MemoryDeallocation" of the plane "/host:CPU" (recorded
 * with host tracer level 2 and above), told apart by allocator: the text of
 * allocator_name (GPU and host pools: BFC), else index_on_host or device_ordinal (TPU runtime). In
 * use = reserved + allocated; on TPU what is reserved is the heap of the running program. The only
 * reader of these events: the doctor (D28, D29) and the trace's allocator track both ask it. */
#ifndef XPROFD_PROFILE_ALLOCATIONS_H
#define XPROFD_PROFILE_ALLOCATIONS_H

#include "xprofd/profile/events.h"

#define XPD_ALLOCATIONS_MAX 4000000 /* events kept; further ones are counted */
#define XPD_ALLOCATORS_MAX  256     /* distinct allocators */

struct xpd_allocation {
    int64_t at_ps; /* as the trace's: timestamp of the line * 1000 + offset */
    bool frees;    /* MemoryDeallocation */
    /* After the event. -1 = not said, never negative otherwise. */
    int64_t reserved_bytes, allocated_bytes, available_bytes;
    int64_t requested_bytes, given_bytes; /* requested, and after the allocator's rounding; -1 */
    int64_t peak_bytes;   /* the most in use since the process began, as the runtime says; -1 */
    double fragmentation; /* 1 - largest free piece / all free; -1 = not said, or nothing is free */
    bool has_address;
    uint64_t address;
    /* Of what was allocated, places in `text`; 0 = not said. */
    xpd_name_id op, region, shape;
    int32_t data_type; /* TensorFlow's number; -1 = not said */
    int64_t thread;    /* display id of its line, else the id: the row of the trace */
    uint64_t where;    /* its XEvent in the file, as xpd_depth_where has it */
};
struct xpd_allocator {
    struct xpd_str name;          /* "0", "1" (TPU), "GPU_0_bfc", ... */
    struct xpd_allocation *event; /* by time; events of one time in the file's order */
    uint32_t count;
    uint32_t most;         /* the event with the most in use, the first of equals */
    int64_t most_bytes;    /* reserved + allocated there */
    int64_t request_bytes; /* the largest request; -1 = unknown */
    uint64_t free_count;   /* deallocations */
};
struct xpd_allocations {
    struct xpd_allocator *allocator; /* in order of names; those of digits by number */
    uint32_t count;
    uint64_t dropped;  /* events beyond the limits, or without allocator and size */
    bool cut;          /* the file is damaged within these lines: later events are missing */
    int64_t origin_ns; /* taken off lines that count from 1970, so that they fit; mostly 0 */
    const struct xpd_str *text; /* of op, region and shape; text[0] is "" */
    uint32_t text_count;
};
/* Reads all of them into the arena. A profile without such events gives count 0. XPD_ELIMIT over
 * the arena's budget; XPD_EIO, XPD_ECHANGED or XPD_EFORMAT if the file cannot be read. */
int xpd_allocations_read(struct xpd_allocations *out, const struct xpd_source *source,
                         const struct xpd_xspace *space, struct xpd_arena *arena,
                         struct xpd_err *err);
/* "float", "int32_ref"; 0 is "INVALID": TensorFlow's DataType in words. */
struct xpd_str xpd_allocation_type(int32_t data_type, struct xpd_arena *arena);
/* reserved + allocated; unknown values count as 0. */
int64_t xpd_allocation_in_use(const struct xpd_allocation *event);
/* The largest free piece: available * (1 - fragmentation); -1 = not known. */
int64_t xpd_allocation_largest_free(const struct xpd_allocation *event);
/* Whether the name is that of an allocator of host memory (pools for transfers, the CPU's). */
bool xpd_allocator_is_host(struct xpd_str name);

#endif
