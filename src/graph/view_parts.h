/* Shared by the parts of the folded neighbourhood. */
#ifndef XPROFD_SRC_GRAPH_VIEW_PARTS_H
#define XPROFD_SRC_GRAPH_VIEW_PARTS_H

#include "xprofd/base/vec.h"
#include "xprofd/graph/view.h"

struct xpd_view_near { /* one node next to another */
    uint32_t node;     /* instruction that represents it */
    uint32_t value;    /* instruction whose result goes between them */
    uint32_t operand;  /* number at the user */
    int64_t element;
};

struct xpd_view_work {
    struct xpd_graph_view *view;
    const struct xpd_view_options *options;
    const struct xpd_graph_index *index;
    struct xpd_arena *arena;
    uint32_t self;     /* the centre, or the start of the pair it ends; never folded */
    uint32_t *node_of; /* by instruction: its node + 1, 0 = none */
    bool *draws;       /* by computation: drawn as a fusion's body */
    XPD_VEC(struct xpd_view_node) node;
    XPD_VEC(struct xpd_graph_cluster) cluster;
    XPD_VEC(struct xpd_view_edge) edge;
    XPD_VEC(struct xpd_view_stub) stub;
    XPD_VEC(struct xpd_view_near) near; /* of the instruction looked at */
    XPD_VEC(uint32_t) stack;
    uint32_t *stamp, stamp_now; /* by instruction: to take each once */
};

/* view_fold.c: the instruction that represents another. */
/* The instruction that stands for `i`; *element gets the tuple element that was folded on the way.
 * Bodies that are drawn are entered when `inside`. XPD_NO_INDEX when the way leads to nothing. */
uint32_t xpd_view_stands_for(const struct xpd_view_work *w, uint32_t i, bool inside,
                             int64_t *element);
/* A constant, or a scalar spread inside a fusion: a line in its users. */
bool xpd_view_is_line(const struct xpd_view_work *w, uint32_t i);
/* Operands (users) of the node that `i` stands for, into w->near, each node of theirs once for
 * users, each operand for operands; returns their number. */
uint32_t xpd_view_operands(struct xpd_view_work *w, uint32_t i, bool inside);
uint32_t xpd_view_users(struct xpd_view_work *w, uint32_t i);
/* The next instruction that the node of `i` stands for too, XPD_NO_INDEX at the end; `i` first. */
uint32_t xpd_view_next_member(const struct xpd_view_work *w, uint32_t first, uint32_t i);

/* view_walk.c: which nodes. */
int xpd_view_walk(struct xpd_view_work *w);
/* Lines between the result of `from` and its use by `to`; 0 when the place says nothing, as of a
 * parameter. */
uint32_t xpd_view_lines_between(const struct xpd_view_work *w, uint32_t from, uint32_t to);
bool xpd_view_is_far(const struct xpd_view_work *w, uint32_t from, uint32_t to);
uint32_t xpd_view_cap(const struct xpd_view_work *w, uint32_t i, uint32_t fallback);

#endif
