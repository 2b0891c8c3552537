/* Buffers that are equal but for numbers in their op names: those of layer 0 and of layer 12. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_EQUAL_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_EQUAL_H

#include "tools_tables.h"

struct xpd_equals {
    const uint32_t *group;  /* by buffer */
    const uint32_t *first;  /* by group, and one more: into member[] */
    const uint32_t *member; /* buffers, ascending in each group */
};
/* Equal: memory space, class, size, element type, dimensions, and op name but for its numbers. */
const struct xpd_equals *xpd_table_equals(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
