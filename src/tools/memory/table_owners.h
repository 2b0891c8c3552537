/* What a filter reads of the instructions that made the buffers of a space. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_OWNERS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_OWNERS_H

#include "../tables/tables.h"

struct xpd_owner_rest {
    xpd_name_id opcode;
    uint32_t source; /* node of xpd_path_table */
};

/* Owners are the instructions with rows, in the order of their first row: fewer than a module's
 * instructions, and rows find theirs near that of the row before. */
struct xpd_row_owners {
    const uint32_t *owner_of; /* by place in xpd_all_rows; `count` = none */
    uint32_t count;
    const uint32_t *instruction;       /* by owner */
    const uint32_t *op_name;           /* by owner: node of xpd_path_table */
    const uint32_t *rest_of;           /* by owner: index into rest */
    const struct xpd_owner_rest *rest; /* distinct ones */
    uint32_t rest_count;
    const uint32_t *odd; /* owners with a text that xpd_path_table does not hold: node 0 above */
    uint32_t odd_count;
};
const struct xpd_row_owners *xpd_table_owners(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
