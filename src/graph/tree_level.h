/* A level of the tree in the making. Private to src/graph. */
#ifndef XPROFD_SRC_GRAPH_TREE_LEVEL_H
#define XPROFD_SRC_GRAPH_TREE_LEVEL_H

#include "xprofd/base/vec.h"
#include "xprofd/graph/tree.h"
#include "xprofd/hlo/source_info.h"

struct like_count { /* operations of a row that are like each other */
    uint32_t row, count;
};

enum xpd_scope_where { XPD_SCOPE_ELSEWHERE, XPD_SCOPE_HERE, XPD_SCOPE_ROW };

struct xpd_level {
    const struct xpd_graph_index *index;
    const struct xpd_outline_index *tree;
    const struct xpd_costs *costs;
    struct xpd_arena *arena;
    struct xpd_str key, pattern; /* of the level; the scope in it */
    uint32_t like;               /* only operations like this; 0 = all */
    uint32_t computation;
    XPD_VEC(struct xpd_outline_row) row;
    XPD_VEC(int64_t) weight;  /* XPD_OP_GROUP_COUNT a row */
    struct xpd_map64 by_text; /* row of a part or an opcode */
    struct xpd_map64 seen;    /* literal paths, to count how often a row repeats */
    uint32_t *row_of_like;    /* by likeness: row of one of them in this level, from 1 */
    XPD_VEC(struct like_count) like_counts;
    uint32_t *count_of_like; /* by likeness: its entry of `like_counts`, from 1 */
    uint32_t *where_of; /* by op_name, looked at once for all that have it: enum xpd_scope_where, or
                           XPD_SCOPE_ROW + a row; from 1 */
    struct xpd_strbuf scratch, text;
};

/* tree_rows.c: texts live in the level's arena; after a failure the rows mean nothing. */
bool xpd_level_failed(const struct xpd_level *l);
struct xpd_str xpd_level_keep(struct xpd_level *l, struct xpd_str text);
struct xpd_str xpd_level_join(struct xpd_level *l, struct xpd_str a, const char *between,
                              struct xpd_str b);
uint32_t xpd_level_add_row(struct xpd_level *l, uint8_t kind, struct xpd_str key,
                           struct xpd_str label);
void xpd_level_put_into(struct xpd_level *l, uint32_t row, uint32_t instruction);
bool xpd_level_runs_computations(const struct xpd_level *l, uint32_t instruction);
struct xpd_str xpd_level_name_of(const struct xpd_level *l, uint32_t instruction);
void xpd_level_add_op(struct xpd_level *l, uint32_t instruction);
void xpd_level_add_computation(struct xpd_level *l, uint32_t computation);

/* tree_scopes.c */
void xpd_level_add_inside(struct xpd_level *l);
/* Parameters one by one; operations without op_name by opcode, or those of one opcode. */
void xpd_level_add_nameless(struct xpd_level *l, bool parameters, bool by_opcode,
                            struct xpd_str opcode);

#endif
