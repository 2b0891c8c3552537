/* Costs of the instructions of a module (hlo/cost.h), once a module. */
#ifndef XPROFD_SRC_TOOLS_TABLES_TABLE_COSTS_H
#define XPROFD_SRC_TOOLS_TABLES_TABLE_COSTS_H

#include "../common/common.h"
#include "xprofd/hlo/cost.h"

/* Read from the module's bytes when first asked; NULL with err when that fails. */
const struct xpd_costs *xpd_tools_costs(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
