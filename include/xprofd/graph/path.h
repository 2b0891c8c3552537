/* Paths through a program: the shortest between two instructions, the longest, and the instructions
 * within a few steps of one. Data flow only: operands, and into and out of called computations.
 *
 * A value goes from an operand to its user; from an operand of a fusion, call, async or while to
 * the body's parameter of that number (while: the one parameter of body and condition), of a
 * conditional from operand k + 1 to branch k; and from a body's root to its caller. Computations of
 * two scalars (an addition of a reduce) are not entered. */
#ifndef XPROFD_GRAPH_PATH_H
#define XPROFD_GRAPH_PATH_H

#include "xprofd/graph/index.h"

struct xpd_path {
    bool found, reversed; /* reversed: the value goes from `to` to `from`, and so do the steps */
    uint32_t count;
    uint32_t *instruction;
    uint32_t *operand; /* operand that the previous step is; XPD_NO_INDEX = through a body's root,
                        * or the first step */
};
/* The first of the shortest paths from `from` to `to`, else from `to` to `from`. XPD_ENOMEM.
 */
int xpd_graph_path(struct xpd_path *path, struct xpd_arena *arena,
                   const struct xpd_graph_index *index, uint32_t from, uint32_t to,
                   struct xpd_err *err);

struct xpd_critical {
    bool by_cycles; /* else each instruction counts 1 */
    int64_t length; /* cycles, or instructions */
    uint32_t count;
    uint32_t *instruction; /* first to last */
    int64_t *own;          /* of each; a while or call: the critical path inside it, once */
};
/* The longest chain of operands in a computation, by the compiler's cycles where it gives any.
 * Parameters, constants, tuples and their elements and bitcasts take no time. XPD_ENOMEM. */
int xpd_graph_critical(struct xpd_critical *critical, struct xpd_arena *arena,
                       const struct xpd_graph_index *index, const int64_t *cycles,
                       uint32_t computation, struct xpd_err *err);

enum xpd_reach_ways { XPD_REACH_OPERANDS = 1, XPD_REACH_USERS = 2, XPD_REACH_BODIES = 4 };
struct xpd_reach {
    uint32_t count, left_out;
    uint32_t *instruction, *distance; /* nearest first, then in file order */
};
/* Instructions within `radius` steps, without folding, at most `most`. XPD_ENOMEM.
 */
int xpd_graph_reach(struct xpd_reach *reach, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, uint32_t instruction, uint32_t radius,
                    uint32_t ways, uint32_t most, struct xpd_err *err);

/* ---- one step of a value ---- */

struct xpd_graph_flow {
    uint32_t to, operand; /* as in struct xpd_path */
};
/* Where the result of `i` goes next: calls `put` for each. */
void xpd_graph_flow(const struct xpd_graph_index *index, uint32_t i, bool bodies,
                    void (*put)(void *self, struct xpd_graph_flow step), void *self);

#endif
