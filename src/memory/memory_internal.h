/* Shared by the files of memory/ only. */
#ifndef XPROFD_SRC_MEMORY_INTERNAL_H
#define XPROFD_SRC_MEMORY_INTERNAL_H

#include "xprofd/memory/memory.h"

#define XPD_BLOCK_STEPS 32u /* steps per block of extremes */

static inline bool xpd_mem_indefinite(uint32_t flags)
{
    return (flags & (XPD_ALLOC_THREAD_LOCAL | XPD_ALLOC_PARAMETER | XPD_ALLOC_LIVE_OUT |
                     XPD_ALLOC_CONSTANT)) != 0;
}

static inline bool xpd_mem_resident(uint32_t flags)
{
    return xpd_mem_indefinite(flags) && !(flags & XPD_ALLOC_THREAD_LOCAL);
}

/* Colours in which live bytes are the union of address ranges (VMEM, CMEM). */
static inline bool xpd_mem_is_union(int64_t color)
{
    return color == 1 || color == 3;
}

/* The largest of at least one value; in four lanes, as no comparison then waits for the one before.
 */
static inline int64_t xpd_mem_highest(const int64_t *value, uint32_t count)
{
    int64_t best[4] = {value[0], value[0], value[0], value[0]};
    uint32_t i = 0;
    for (; count - i >= 4; i += 4)
        for (uint32_t lane = 0; lane < 4; lane++)
            best[lane] = value[i + lane] > best[lane] ? value[i + lane] : best[lane];
    for (; i < count; i++)
        best[0] = value[i] > best[0] ? value[i] : best[0];
    for (uint32_t lane = 1; lane < 4; lane++)
        best[0] = best[lane] > best[0] ? best[lane] : best[0];
    return best[0];
}

struct xpd_growth { /* a larger value joined a storage that was held already */
    uint32_t tenancy, step;
    int64_t before_bytes, after_bytes;
};

struct xpd_checkpoint { /* tenancies held after `step`, in order of start */
    uint32_t step;
    uint32_t first, count; /* in member[] */
    uint32_t next_tenancy; /* first one that starts later */
};

struct xpd_block { /* extremes of XPD_BLOCK_STEPS steps */
    int64_t min_live, max_live, min_unpadded, max_unpadded;
};

struct xpd_live_index {
    /* columns of the tenancies: what a scan needs, without the rest of the struct */
    uint32_t *start, *end;
    int64_t *offset, *size;
    uint32_t untraced_count;
    struct xpd_growth *growth; /* by (tenancy, step) */
    uint32_t growth_count;
    uint32_t *running; /* step -> step of the last ALLOC or SHARE_WITH of the lane, XPD_NO_STEP */
    struct xpd_checkpoint *checkpoint;
    uint32_t checkpoint_count;
    uint32_t *member;
    struct xpd_block *block;
    uint32_t block_count, level_count;
    uint32_t **level; /* level[k][i]: first step of the maximum of blocks i .. i + 2^k - 1 */
};

/* Scratch of one analysis; dies with it. */
struct xpd_mem_build {
    struct xpd_mem *mem;
    struct xpd_arena scratch;
    uint32_t *allocation_order; /* by ascending index, ties in file order */
    uint32_t *space_of_allocation;
    uint32_t *space_of_buffer; /* of the temp allocation it lies in, else XPD_NO_INDEX */
    int64_t *heap_base;        /* by allocation */
    bool overflow;             /* some sum did not fit */
};

bool xpd_mem_build_assignment(struct xpd_mem_build *b); /* assignment.c: buffers */
bool xpd_mem_build_spaces(struct xpd_mem_build *b); /* spaces.c: spaces, heaps, buffer to space */
void xpd_mem_build_totals(struct xpd_mem_build *b); /* memory_totals.c */
bool xpd_mem_build_replay(struct xpd_mem_build *b); /* replay.c: lanes, curves, tenancies */
bool xpd_mem_build_union(struct xpd_mem_build *b, struct xpd_mem_space *space); /* union.c */
void xpd_mem_build_peak(struct xpd_mem_space *space); /* memory_totals.c */
bool xpd_mem_build_index(struct xpd_mem_build *b, struct xpd_mem_space *space); /* live_index.c */
bool xpd_mem_build_uses(struct xpd_mem_build *b);                               /* uses_build.c */

/* Extremes by step, live_index.c. First step of the maximum of live bytes in [from, to), from < to.
 */
uint32_t xpd_live_argmax(const struct xpd_mem_space *space, uint32_t from, uint32_t to);
/* Growths of one tenancy: first index and count. */
uint32_t xpd_growths_of(const struct xpd_live_index *index, uint32_t tenancy, uint32_t *count);

/* How many bytes some range covers while ranges come and go; union.c. */
struct xpd_cover {
    uint32_t leaf_count; /* coordinate_count - 1 */
    const int64_t *coordinate;
    uint32_t coordinate_count;
    uint32_t *times;  /* by node: ranges that cover the whole node */
    int64_t *covered; /* by node */
};
/* Sorts and makes unique in place; returns the new count. */
uint32_t xpd_cover_sort(int64_t *coordinate, uint32_t count);
bool xpd_cover_init(struct xpd_cover *cover, const int64_t *coordinate, uint32_t count,
                    struct xpd_arena *arena);
/* add = +1 or -1; both ends must be coordinates. */
void xpd_cover_change(struct xpd_cover *cover, int64_t from, int64_t to, int add);
int64_t xpd_cover_bytes(const struct xpd_cover *cover);

/* Order of execution and users of instructions; uses_build.c. */
struct xpd_uses_space { /* ALLOC and SHARE_WITH steps of a space by order of their instruction */
    uint32_t count;
    uint32_t *order, *step; /* ascending (order, step) */
};
enum xpd_use_kind {                /* how an instruction passes its operands on */
                    XPD_USE_READS, /* everything not named below */
                    XPD_USE_TUPLE,
                    XPD_USE_ELEMENT,
                    XPD_USE_SAME,
                    XPD_USE_WHILE,
                    XPD_USE_CALL,
                    XPD_USE_CONDITIONAL,
                    XPD_USE_ASYNC_START,
                    XPD_USE_START_AT_1,
                    XPD_USE_START_AT_0,
                    XPD_USE_GATHER_START,
                    XPD_USE_DONE_FROM_0,
                    XPD_USE_DONE_FROM_1,
                    XPD_USE_RECV_DONE
};
struct xpd_uses {
    uint8_t *kind;                   /* by instruction */
    uint32_t *user_first, *user;     /* instruction -> instructions that read it, file order */
    uint32_t *caller_first, *caller; /* computation -> instructions that call it */
    uint32_t *parameter_first, *parameter; /* computation -> parameter instruction by number */
    uint32_t *order;                       /* instruction -> place in the flattened schedule */
    struct xpd_uses_space *space;          /* by space */
};

#endif
