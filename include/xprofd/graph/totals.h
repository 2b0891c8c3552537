/* Sums over a program: by opcode, by call tree, and over operations that only change layouts. */
#ifndef XPROFD_GRAPH_TOTALS_H
#define XPROFD_GRAPH_TOTALS_H

#include "xprofd/graph/tree.h"

struct xpd_opcode_total {
    xpd_name_id opcode;
    uint32_t first;             /* instruction */
    struct xpd_outline_sum sum; /* of the instructions themselves, without called computations */
    int64_t result_bytes;
};
struct xpd_opcode_totals {
    struct xpd_opcode_total *at; /* most first */
    uint32_t count;
    uint64_t instructions, edges, fusions; /* edges: operands, each as often as it is used */
};
/* Of one computation, or of all (XPD_NO_INDEX). XPD_ENOMEM. */
int xpd_graph_opcodes(struct xpd_opcode_totals *totals, struct xpd_arena *arena,
                      const struct xpd_graph_index *index, const struct xpd_costs *costs,
                      uint32_t computation, struct xpd_err *err);

struct xpd_call {
    uint32_t computation, depth;
    uint32_t caller;  /* instruction, XPD_NO_INDEX = none */
    uint32_t callers; /* how many instructions call it */
};
struct xpd_calls {
    struct xpd_call *at; /* callers before callees, each computation below its first caller */
    uint32_t count, left_out;
};
int xpd_graph_calls(struct xpd_calls *calls, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, uint32_t most, struct xpd_err *err);

struct xpd_layout_change {
    uint32_t instruction, operand;
    int64_t bytes; /* read and written */
};
struct xpd_layout_changes {
    struct xpd_layout_change *at; /* largest first */
    uint32_t count, total;
    int64_t bytes; /* of all */
};
/* Copies and transposes, and fusions with such a root, whose operand has the same element type and
 * the same dimensions in any order, and another layout: order of dimensions or tiles; and fusions
 * of one array that only transpose, copy and reshape it. Moves between memories that keep the
 * layout do not count. XPD_ENOMEM. */
int xpd_graph_layout_changes(struct xpd_layout_changes *changes, struct xpd_arena *arena,
                             const struct xpd_graph_index *index, const struct xpd_costs *costs,
                             uint32_t most, struct xpd_err *err);

#endif
