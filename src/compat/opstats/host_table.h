/* Tables made once of one host's events and kept beside the run, for XProf's tools that share them.
 */
#ifndef XPROFD_COMPAT_OPSTATS_HOST_TABLE_H
#define XPROFD_COMPAT_OPSTATS_HOST_TABLE_H

#include "xprofd/tools/tool.h"

enum xpd_host_table_kind { XPD_HOST_STEP_OPS = 251, XPD_HOST_DUTY, XPD_HOST_STEPS, XPD_HOST_OPS };
struct xpd_host_table {
    enum xpd_host_table_kind kind; /* each its own */
    size_t size;
    /* Fills *table, zeroed, with memory of the arena alone. Host number run.host_count is all hosts
     * together. */
    int (*make)(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err);
};

/* That of a host, made when it is asked for the first time; fails as `make` does. */
int xpd_host_table(const struct xpd_tool_ctx *ctx, uint32_t host, const struct xpd_host_table *kind,
                   const void **table, struct xpd_err *err);
/* Makes some of each host that host= means, on several threads, to be there when they are asked
 * for. What fails then fails again for whoever asks. */
void xpd_host_tables_ahead(const struct xpd_tool_ctx *ctx, const struct xpd_host_table *const *kind,
                           uint32_t count);

#endif
