/* Layers in the making: where an operation stands in the model's code, and the parts that follow
 * from it. */
#ifndef XPD_TRACE_LAYERS_PARTS_H
#define XPD_TRACE_LAYERS_PARTS_H

#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/layers.h"

/* layers_tree.c */
#define XPD_LAYERS_PARTS_MAX 32 /* of a scope that is looked at; what is deeper is one part */
struct xpd_layers_path {
    struct xpd_str part[XPD_LAYERS_PARTS_MAX]; /* of the scope, outer first, without marks */
    uint32_t count;
    struct xpd_str op; /* "dot_general"; the opcode where no name says more */
    enum xpd_phase phase;
};
/* Of an instruction. Texts lie in the HLO and in `text`, which is cleared. */
void xpd_layers_path_of(struct xpd_layers_path *path, struct xpd_strbuf *text,
                        const struct xpd_hlo *hlo, uint32_t instruction);
/* Writes the first `count` parts with slashes between; `fold`: numbers at their ends as "*". */
void xpd_layers_put_path(struct xpd_strbuf *out, const struct xpd_layers_path *path, uint32_t count,
                         bool fold);
/* Operations that ran in a computation, in the order of its schedule; how many. `op_of`: by
 * instruction. `out` has room for the computation's instructions. */
uint32_t xpd_layers_order(uint32_t *out, const struct xpd_hlo *hlo, uint32_t computation,
                          const uint32_t *op_of);
/* Marks what a while runs: [computation] = true. False: no memory. */
bool xpd_layers_loop_body(bool *inside, const struct xpd_hlo *hlo, uint32_t loop);
uint32_t xpd_layers_body_of(const struct xpd_hlo *hlo, uint32_t loop);
/* By instruction: op of the program, XPD_NO_INDEX. NULL: no memory. */
uint32_t *xpd_layers_ops(const struct xpd_ran_ops *in, struct xpd_arena *arena);
bool xpd_layers_is(const struct xpd_hlo *hlo, uint32_t instruction, const char *opcode);

/* layers_tree.c: parts as they are found, then in order. */
struct xpd_layers_node {
    struct xpd_layers_part part;
    int64_t group_ps[XPD_OP_GROUP_COUNT];
};
struct xpd_layers_met { /* a cell */
    uint32_t node, layer, ops;
    int64_t self_ps;
};
struct xpd_layers_tree {
    struct xpd_intern names;
    XPD_VEC(struct xpd_layers_node) node; /* a part before those in it */
    XPD_VEC(struct xpd_layers_met) met;
    struct xpd_map64 node_of, met_of;
};
void xpd_layers_tree_init(struct xpd_layers_tree *tree, struct xpd_arena *arena);
void xpd_layers_tree_fini(struct xpd_layers_tree *tree);
bool xpd_layers_tree_failed(const struct xpd_layers_tree *tree);
/* The part of that name in another, made when new. `salt` tells apart parts of one name. */
uint32_t xpd_layers_node_put(struct xpd_layers_tree *tree, uint32_t parent,
                             enum xpd_layers_part_kind kind, struct xpd_str name,
                             enum xpd_phase phase, uint32_t salt);
/* Adds an operation's time in a layer to its part and all around it. */
void xpd_layers_node_add(struct xpd_layers_tree *tree, uint32_t node, uint32_t layer,
                         enum xpd_op_group group, int64_t self_ps);
/* Parts and cells of `out`, in order; place[node] = its part. NULL: no memory. */
uint32_t *xpd_layers_tree_freeze(struct xpd_layers_tree *tree, struct xpd_layers *out,
                                 struct xpd_arena *arena);

#endif
