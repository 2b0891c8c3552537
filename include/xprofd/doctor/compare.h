/* Comparison of two programs at their peaks.
 *
 * Rows at the two peaks are put into groups by class, opcode, type, dimensions, scope and shape
 * index (never by names or ids of the compiler, which shift with every compile), as multisets. The
 * scope drops jit, jvp, transpose, checkpoint, rematted_computation and numbers, so that a
 * recomputed array is the same array. Groups in only one program are then matched by class, type
 * and dimensions before they count as new or gone. The differences of all groups add up to the
 * difference of the peaks, to the byte. */
#ifndef XPROFD_DOCTOR_COMPARE_H
#define XPROFD_DOCTOR_COMPARE_H

#include "xprofd/memory/held.h"

enum xpd_compare_state {
    XPD_COMPARE_SAME,        /* equal bytes at both peaks */
    XPD_COMPARE_CHANGED,     /* at both peaks, with different bytes */
    XPD_COMPARE_ONLY_BEFORE, /* not in the other program at all */
    XPD_COMPARE_ONLY_AFTER,
    XPD_COMPARE_LEFT, /* in both programs, at the peak of the first only */
    XPD_COMPARE_ENTERED,
    XPD_COMPARE_STATES
};
const char *xpd_compare_state_word(enum xpd_compare_state state); /* "same","changed",... */

struct xpd_compare_side {
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
};

struct xpd_compare_group {
    enum xpd_compare_state state;
    uint32_t buffer[2]; /* one of it in each program; XPD_NO_INDEX = none */
    enum xpd_mem_class mem_class;
    uint32_t count[2];      /* at the peaks */
    uint32_t in_program[2]; /* buffers of this kind in the whole program */
    int64_t bytes[2];       /* at the peaks */
    bool overlap;           /* not a group: bytes that lie on one another (VMEM, CMEM), negative */
};

struct xpd_compare {
    struct xpd_compare_group *group; /* by |difference|, then bytes */
    uint32_t group_count, different_count;
    int64_t peak[2], difference;
    int64_t reserved[2], padding[2];
    int64_t fragmentation[2]; /* -1 = unknown */
    int64_t sum[2];
    bool closes; /* sums are the peaks */
};
/* The result is in the arena. XPD_ENOMEM only. */
int xpd_compare_run(struct xpd_compare *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err);

/* One buffer of each program, or a buffer that has no partner. */
struct xpd_compare_pair {
    enum xpd_compare_state state;
    enum xpd_mem_class mem_class;
    uint32_t buffer[2]; /* XPD_NO_INDEX = none, or an allocation without a logical buffer */
    bool has[2];
    int64_t bytes[2], padding[2];
    bool overlap; /* not a buffer: bytes that lie on one another (VMEM, CMEM), negative */
};
struct xpd_compare_pairs {
    struct xpd_compare_pair *at; /* by |difference|, then bytes */
    uint32_t count;
    uint32_t states[XPD_COMPARE_STATES]; /* how many of each */
    int64_t bytes[2];                    /* sums over `at`: of the peaks they are the peaks */
};
/* Pairs of buffers: those held at the two peaks (`whole_program` false), or all of the two spaces.
 * There are four passes: (1) equal keys, the k-th largest with the k-th largest; (2) buffers that
 * the other program has, but not at its peak, have left the peak or come into it; (3) equal class,
 * opcode and scope with any shape, then equal class, type and dimensions with any origin; (4) the
 * rest is in one program only. Exchanging the two programs only exchanges the sides of the answer.
 */
int xpd_compare_buffers(struct xpd_compare_pairs *out, const struct xpd_compare_side side[2],
                        bool whole_program, struct xpd_arena *arena, struct xpd_err *err);

/* Appends the key that equal buffers share. `mem_class`: the class at the peak. `with_index`:
 * results of one instruction at different shape indexes have different keys. */
void xpd_group_key(struct xpd_strbuf *out, const struct xpd_mem *mem, uint32_t buffer,
                   enum xpd_mem_class mem_class, bool with_index);
/* Types and dimensions of arguments and result: equal for two compiles of one program. */
void xpd_program_signature(struct xpd_strbuf *out, const struct xpd_hlo *hlo);

struct xpd_opcode_count {
    struct xpd_str opcode;
    uint32_t count[2];
};
struct xpd_opcode_change {
    uint32_t same;     /* opcodes whose count is equal */
    uint32_t count[2]; /* instructions outside fusions */
};
/* By opcode, outside fusions, only those that differ, the largest difference first. */
int xpd_compare_opcodes(struct xpd_opcode_count **out, uint32_t *count,
                        struct xpd_opcode_change *totals, const struct xpd_hlo *before,
                        const struct xpd_hlo *after, struct xpd_arena *arena, struct xpd_err *err);

#endif
