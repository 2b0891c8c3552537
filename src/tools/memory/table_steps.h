/* What answers about ranges of steps read instead of going over all tenancies, made once a space.
 */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_STEPS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_STEPS_H

#include "../tables/tools_tables.h"
#include "xprofd/memory/flow.h"
#include "xprofd/memory/scopes.h"
#include "xprofd/memory/step_tops.h"

/* The highest held byte by step. */
const struct xpd_step_tops *xpd_table_tops(const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* What begins and ends where. */
const struct xpd_flow *xpd_table_flow(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* Labels of what runs at each step of a space, made once. */
struct xpd_strip_table {
    const uint32_t *of_step; /* number of a label */
    const struct xpd_strip_label *label;
    const struct xpd_str *text;
};
const struct xpd_strip_table *xpd_table_strip(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
