/* Which buffer holds what an instruction gives (memory/holder.h). */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_HOLDERS_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_HOLDERS_H

#include "tools_tables.h"

struct xpd_holders {
    const uint32_t *of_instruction; /* XPD_NO_INDEX: none is known */
};
const struct xpd_holders *xpd_table_holders(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
