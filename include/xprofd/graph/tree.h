/* A program as a tree: computations, in them name scopes with repeated layers folded, in them
 * operations. One level at a time; the rows of a level add up to their parent.
 *
 * Every instruction is counted once: those in computations of a while, conditional or call below
 * their caller; those of fusions, reductions and similar regions, and asynchronous wrappers in
 * separate groups, whose costs count at their callers. */
#ifndef XPROFD_GRAPH_TREE_H
#define XPROFD_GRAPH_TREE_H

#include "xprofd/graph/index.h"
#include "xprofd/hlo/cost.h"

#define XPD_OUTLINE_ROWS_MAX 500 /* of a level; the last one then stands for the rest */

enum xpd_outline_class { /* of a computation */
                         XPD_OUTLINE_ENTRY,
                         XPD_OUTLINE_NESTED, /* called by while, conditional, call */
                         XPD_OUTLINE_FUSION,
                         XPD_OUTLINE_REGION, /* called by anything else: reduce, sort, scatter, ...
                                              */
                         XPD_OUTLINE_ASYNC,
                         XPD_OUTLINE_OTHER /* called by nothing */
};

struct xpd_outline_sum {
    int64_t ops, cycles, bytes, flops; /* negative: unknown for all of them */
};

struct xpd_outline_index {                /* made once for a module, beside the graph's index */
    const uint8_t *class_of;              /* by computation */
    const struct xpd_outline_sum *inside; /* by computation: with all below it */
    /* By instruction, from 1 to `likes`: equal for operations that are the same in repeated layers:
     * opcode, shape, kind of fusion, and the op_name with the numbers of its scopes left out. */
    const uint32_t *likeness;
    uint32_t likes;
};
int xpd_outline_index_make(struct xpd_outline_index *tree, struct xpd_arena *arena,
                           const struct xpd_graph_index *index, const struct xpd_costs *costs,
                           struct xpd_err *err);

enum xpd_outline_kind {
    XPD_OUTLINE_ROW_COMPUTATION,
    XPD_OUTLINE_ROW_SCOPE,
    XPD_OUTLINE_ROW_FOLD, /* equal scopes or operations, `repeat` times */
    XPD_OUTLINE_ROW_OP,
    XPD_OUTLINE_ROW_GROUP
};

struct xpd_outline_row {
    struct xpd_str key, label;
    uint8_t kind, group; /* group: enum xpd_op_group that has most of it */
    bool has_children;
    uint32_t repeat;
    uint32_t instruction; /* the only or first one; of a computation XPD_NO_INDEX */
    uint32_t computation; /* of a computation's row, else XPD_NO_INDEX */
    struct xpd_outline_sum sum;
};

struct xpd_outline {
    struct xpd_outline_row *row;
    uint32_t count, left_out; /* rows that the last one stands for */
};

/* The rows below a key, "" = top. XPD_ENOTFOUND for an unknown key. */
int xpd_outline_level(struct xpd_outline *level, struct xpd_arena *arena,
                      const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                      const struct xpd_costs *costs, struct xpd_str key, struct xpd_err *err);

/* ---- the most expensive operations ---- */

struct xpd_heavy {
    uint32_t first, last, repeat; /* of equal operations of repeated layers */
    int64_t weight;               /* of all of them: time measured, else cycles, else bytes moved */
    struct xpd_outline_sum sum;
};
struct xpd_heaviest {
    struct xpd_heavy *at; /* heaviest first */
    uint32_t count;
    bool by_time, by_cycles;
};
/* `time_ps`: measured self time of each instruction; NULL: not measured. Results are in the arena.
 * XPD_ENOMEM. */
int xpd_graph_heaviest(struct xpd_heaviest *heaviest, struct xpd_arena *arena,
                       const struct xpd_graph_index *index, const struct xpd_outline_index *tree,
                       const struct xpd_costs *costs, const int64_t *time_ps, uint32_t most,
                       struct xpd_err *err);

/* Mixes one more value into a hash (the finalizer of splitmix64). */
static inline uint64_t xpd_outline_mix(uint64_t hash, uint64_t value)
{
    uint64_t x = hash ^ (value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2));
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}
/* Unknown values add nothing; sums saturate at INT64_MAX. */
static inline void xpd_outline_add_to(int64_t *to, int64_t more)
{
    if (more < 0)
        return;
    if (__builtin_add_overflow(*to < 0 ? 0 : *to, more, to))
        *to = INT64_MAX;
}
static inline void xpd_outline_add(struct xpd_outline_sum *to, const struct xpd_outline_sum *more)
{
    xpd_outline_add_to(&to->ops, more->ops);
    xpd_outline_add_to(&to->cycles, more->cycles);
    xpd_outline_add_to(&to->bytes, more->bytes);
    xpd_outline_add_to(&to->flops, more->flops);
}
struct xpd_outline_sum xpd_outline_sum_of_caller(const struct xpd_graph_index *index,
                                                 const struct xpd_outline_index *tree,
                                                 const struct xpd_costs *costs,
                                                 uint32_t instruction);
/* One instruction including its called computations. */
static inline struct xpd_outline_sum xpd_outline_sum_of(const struct xpd_graph_index *index,
                                                        const struct xpd_outline_index *tree,
                                                        const struct xpd_costs *costs, uint32_t i)
{
    const uint32_t *called = index->hlo->instructions.called_first;
    if (called[i] < called[i + 1])
        return xpd_outline_sum_of_caller(index, tree, costs, i);
    return (struct xpd_outline_sum){1, costs->cycles[i], costs->bytes[i], costs->flops[i]};
}

#endif
