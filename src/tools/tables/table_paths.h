/* Op names and source lines of a module as a tree of their parts, so that a pattern reads what they
 * share once. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_PATHS_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_PATHS_H

#include "tables.h"
#include "xprofd/match/match.h"

struct xpd_path_table {
    struct xpd_part_tree tree;
    /* By instruction: the node; 0 = no text, XPD_NO_INDEX = longer than XPD_MATCH_TEXT_MAX or with
     * a zero byte, to be tried by itself. */
    const uint32_t *of_op_name, *of_source;
};
const struct xpd_path_table *xpd_table_paths(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* By node: whether its text matches. NULL: each text has to be tried (no automaton, no memory). */
const uint8_t *xpd_paths_found(const struct xpd_path_table *paths, struct xpd_match *match,
                               struct xpd_arena *arena);

#endif
