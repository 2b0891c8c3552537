/* First and last use of the buffers of a space. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_USES_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_USES_H

#include "../tables/tools_tables.h"

struct xpd_use_steps {
    uint32_t first, last; /* XPD_NO_STEP = none */
};
struct xpd_uses_table {
    const struct xpd_use_steps *by_buffer; /* of the module; of other spaces' buffers: none */
};
const struct xpd_uses_table *xpd_table_uses(const struct xpd_tool_ctx *ctx, struct xpd_err *err);
/* The same when it is made already, else NULL: for answers that need few of them. */
const struct xpd_uses_table *xpd_table_uses_made(const struct xpd_tool_ctx *ctx);
/* Of a buffer of the space (XPD_NO_INDEX: none), out of `made` when that is not NULL. */
struct xpd_use_steps xpd_use_steps_of(const struct xpd_tool_ctx *ctx,
                                      const struct xpd_uses_table *made, uint32_t buffer);

#endif
