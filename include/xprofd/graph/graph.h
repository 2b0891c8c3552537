/* The picture of a part of a program: which instructions are shown around one, how they are
 * grouped, and what leads where. Pure function of a loaded module; no text and no places.
 *
 * Rules: those of XLA's hlo_graph_dumper, which XProf calls, so that equal settings show the same
 * nodes. */
#ifndef XPROFD_GRAPH_GRAPH_H
#define XPROFD_GRAPH_GRAPH_H

#include "xprofd/graph/index.h"

#define XPD_GRAPH_RADIUS_MAX 100
#define XPD_GRAPH_VISITS_MAX                                                                       \
    4000000 /* steps of the walk; more are XPD_ELIMIT (recursive calls)   \ */

struct xpd_graph_options {
    uint32_t radius;    /* 0 to XPD_GRAPH_RADIUS_MAX */
    bool merge_fusions; /* a fusion is one node; else its body is drawn in its place */
};

enum xpd_graph_state {
    XPD_NODE_HIDDEN,
    XPD_NODE_NORMAL,
    XPD_NODE_HIGHLIGHT,
    XPD_NODE_SOME_OPERANDS, /* some operands are left out */
    XPD_NODE_NO_OPERANDS,   /* it has operands, and all are left out */
    XPD_NODE_SOME_USERS     /* more users than are followed */
};

enum xpd_graph_scheme { /* colours by what an instruction does; XProf's names in the reference */
                        XPD_SCHEME_WHITE,
                        XPD_SCHEME_YELLOW,
                        XPD_SCHEME_GREEN,
                        XPD_SCHEME_DARK_BLUE,
                        XPD_SCHEME_PURPLE,
                        XPD_SCHEME_GRAY,
                        XPD_SCHEME_BROWN,
                        XPD_SCHEME_DARK_GREEN,
                        XPD_SCHEME_ORANGE,
                        XPD_SCHEME_DARK_ORANGE
};

struct xpd_graph_node {
    uint32_t instruction;
    uint32_t cluster; /* index, XPD_NO_INDEX = outermost */
    uint8_t state, scheme;
};

struct xpd_graph_cluster { /* the body of a fusion in its place, or a called computation */
    uint32_t computation, caller;
    uint32_t parent; /* cluster, XPD_NO_INDEX = outermost */
    bool is_fusion;
};

enum xpd_graph_edge_kind { XPD_EDGE_OPERAND, XPD_EDGE_CONTROL, XPD_EDGE_BODY };
struct xpd_graph_edge { /* between instructions; BODY: from a body's root to its caller */
    uint32_t from, to;
    uint32_t operand; /* number of the operand */
    uint8_t kind;
    bool is_small; /* the value has fewer than 4,096 elements */
};

struct xpd_graph {
    struct xpd_arena arena;
    const struct xpd_hlo *hlo;
    const struct xpd_graph_index *index;
    uint32_t computation; /* the outermost one */
    uint32_t center;      /* instruction, XPD_NO_INDEX = a whole computation */
    struct xpd_graph_options options;
    struct xpd_graph_node *node; /* in the order of the text, bodies before their caller */
    struct xpd_graph_cluster *cluster;
    struct xpd_graph_edge *edge;
    uint32_t node_count, cluster_count, edge_count;
    uint32_t root_from; /* instruction that the ROOT mark hangs on, XPD_NO_INDEX = none */
    uint8_t *state;     /* by instruction, enum xpd_graph_state */
};

/* The nodes around an instruction, or a whole computation (`instruction` = XPD_NO_INDEX).
 * XPD_ELIMIT over the node limit of the options; XPD_ENOMEM. Free with xpd_graph_free. */
int xpd_graph_make(struct xpd_graph **out, const struct xpd_graph_index *index,
                   uint32_t instruction, uint32_t computation,
                   const struct xpd_graph_options *options, struct xpd_err *err);
void xpd_graph_free(struct xpd_graph *graph);

/* Parts of the rules that a label needs too. */
bool xpd_graph_shows(const struct xpd_graph *graph, uint32_t instruction);
/* Drawn as a line inside its users rather than as a node. */
bool xpd_graph_merges(const struct xpd_graph *graph, uint32_t instruction);
/* The constant that a fusion's parameter always is, XPD_NO_INDEX = none. */
uint32_t xpd_graph_constant_of(const struct xpd_graph *graph, uint32_t instruction);
/* The constant that a broadcast inside a fusion spreads, XPD_NO_INDEX = it is none such. */
uint32_t xpd_graph_broadcast_of(const struct xpd_graph *graph, uint32_t instruction);
bool xpd_graph_draws_body(const struct xpd_graph *graph, uint32_t computation);

/* The colour by opcode alone, for pictures in which nothing is merged into a node. */
enum xpd_graph_scheme xpd_graph_scheme_plain(const struct xpd_graph_index *index, uint32_t i);
const char *xpd_graph_scheme_word(enum xpd_graph_scheme scheme); /* "white", "dark_blue", ... */

#endif
