/* Tables made once of one host's events and kept beside the run, for XProf's tools that share them.
 */
#ifndef XPROFD_COMPAT_OPSTATS_HOST_TABLE_H
#define XPROFD_COMPAT_OPSTATS_HOST_TABLE_H

#include "xprofd/tools/tool.h"

enum xpd_host_table_kind { XPD_HOST_STEP_OPS = 251, XPD_HOST_DUTY, XPD_HOST_STEPS, XPD_HOST_OPS };
typedef int xpd_host_table_fn(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                              uint32_t host, struct xpd_err *err);
/* `make` fills *table, zeroed, with memory of the arena alone. Number run.host_count is all hosts
 * together. Fails as `make` does. */
int xpd_host_table(const struct xpd_tool_ctx *ctx, uint32_t host, enum xpd_host_table_kind kind,
                   size_t size, xpd_host_table_fn *make, const void **table, struct xpd_err *err);

/* Makes a table of a host, to be there when it is asked for. What fails then fails again for
 * whoever asks. */
typedef void xpd_host_ahead(const struct xpd_tool_ctx *ctx, uint32_t host);
/* Calls each of the makers for each host that host= means, on several threads. */
void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, xpd_host_ahead *const *make,
                           uint32_t count);

#endif
