/* The neighbourhood of an instruction for drawing: trivial instructions are folded, and everything
 * left out is counted.
 *
 * Folded: get-tuple-element and bitcast into the edge, a start and its done into one node, equal
 * slices of one array into one node, constants into lines of their users. A fusion whose body is
 * drawn stays as the head of a cluster; its operands lead to the instructions that read them. Edges
 * over more than `far_lines` lines are not followed: they become stubs, which name the other end.
 * Control predecessors are edges between shown nodes and are not followed, as in XProf.
 *
 * Pure function of the index of a module; its cost depends on the nodes it visits, not on the size
 * of the module (except for four cleared bytes an instruction). */
#ifndef XPROFD_GRAPH_VIEW_H
#define XPROFD_GRAPH_VIEW_H

#include "xprofd/graph/graph.h"

#define XPD_VIEW_RADIUS_MAX   10
#define XPD_VIEW_USERS_MAX    4096 /* highest cap of users and operands that are followed */
#define XPD_VIEW_OPERANDS     64   /* operands of one instruction that are followed by default */
#define XPD_VIEW_NODES_MAX    5000 /* highest limit of nodes */
#define XPD_VIEW_FAR_LINES    300  /* edges over more lines are stubs */
#define XPD_VIEW_REACH_MAX    5000 /* instructions counted beyond the limit of nodes */
#define XPD_VIEW_EDGES_A_NODE 64   /* edges between the same two nodes */

struct xpd_view_more { /* for one instruction: a higher cap */
    uint32_t instruction, cap;
};
struct xpd_view_keep { /* an edge that is drawn at any distance */
    uint32_t from, to;
};

struct xpd_view_options {
    uint32_t radius;
    bool
        merge_fusions; /* only the fusions of `expand` show their body; so in a whole computation */
    uint32_t users;    /* of one instruction that are followed */
    uint32_t limit;    /* of nodes */
    uint32_t far_lines; /* 0 = no edge is cut */
    const uint32_t *expand;
    const struct xpd_view_more *more;
    const struct xpd_view_keep *keep;
    uint32_t expand_count, more_count, keep_count;
};

struct xpd_view_node {
    uint32_t instruction; /* the first of those it stands for */
    uint32_t cluster;     /* it lies in, XPD_NO_INDEX = outermost */
    uint32_t body;        /* cluster drawn in its place, XPD_NO_INDEX = none */
    uint32_t distance;    /* steps from the centre; that of the caller inside a body */
    uint32_t pair;        /* the done, XPD_NO_INDEX = no pair */
    uint32_t times;       /* equal slices it stands for, 1 = itself */
    uint32_t operands, operands_hidden; /* with a node of their own; not shown and no stub */
    uint32_t users, users_hidden;
    uint8_t state;    /* enum xpd_graph_state */
    bool can_expand;  /* calls computations that are not drawn */
    const char *note; /* "" or a sentence */
};

struct xpd_view_edge {
    uint32_t from, to; /* nodes */
    uint32_t value;    /* instruction whose result it carries */
    uint32_t operand;  /* number at the user */
    int64_t element;   /* of the producer's tuple, -1 = all of it */
    uint32_t lines;    /* between the two in the text */
    uint8_t kind;      /* enum xpd_graph_edge_kind */
};

struct xpd_view_stub {
    uint32_t node;
    uint32_t other; /* instruction that is not drawn, or too far away to draw a line to */
    uint32_t value; /* instruction whose result it carries */
    bool is_user;   /* the other one is a user of the node, else an operand */
};

struct xpd_graph_view {
    const struct xpd_graph_index *index;
    uint32_t computation, center; /* center: XPD_NO_INDEX = a whole computation */
    uint32_t center_node;         /* the node that shows it */
    struct xpd_view_node *node;
    struct xpd_graph_cluster *cluster;
    struct xpd_view_edge *edge;
    struct xpd_view_stub *stub;
    uint32_t node_count, cluster_count, edge_count, stub_count;
    uint32_t reached;         /* nodes without the limit, excluding bodies */
    bool reached_is_least;    /* XPD_VIEW_REACH_MAX ended the count */
    uint32_t cut_edges;       /* that became stubs */
    uint32_t edges_dropped;   /* beyond XPD_VIEW_EDGES_A_NODE */
    uint32_t bodies_left_out; /* that the limit of nodes had no room for */
};

/* Around an instruction, or of a whole computation (`instruction` = XPD_NO_INDEX). Everything lives
 * in the arena. XPD_ENOMEM. */
int xpd_view_make(struct xpd_graph_view *view, struct xpd_arena *arena,
                  const struct xpd_graph_index *index, uint32_t instruction, uint32_t computation,
                  const struct xpd_view_options *options, struct xpd_err *err);

/* The same without folding: XProf's node set (graph.h), at most `limit` nodes. A fusion
 * whose body is drawn also has a node, the head of its cluster. `view` lives in the arena.
 * XPD_ENOMEM. */
int xpd_view_of_graph(struct xpd_graph_view *view, struct xpd_arena *arena,
                      const struct xpd_graph *graph, uint32_t limit, struct xpd_err *err);

/* Operands shown as text lines of the node rather than as nodes: "operand 1 = f32[] 0.5". Calls
 * `put` for at most 32, and returns the total number. `elements`: includes tuple elements, for
 * drawings without folding. */
uint32_t xpd_view_lines(const struct xpd_graph_index *index, uint32_t instruction, bool elements,
                        void (*put)(void *to, struct xpd_str line), void *to);

/* The path of a parameter in the caller's program: params['blocks'][0]['up'] is
 * "params.blocks[0].up". Appends nothing when the instruction is not a parameter with a name. */
void xpd_view_parameter_path(struct xpd_strbuf *out, const struct xpd_graph_index *index,
                             uint32_t instruction);

#endif
