/* What the files of this folder share. */
#ifndef XPROFD_COMPAT_COMPAT_H
#define XPROFD_COMPAT_COMPAT_H

#include "xprofd/compat/routes.h"
#include "xprofd/memory/xprof.h"

/* XProf's version whose answers these routes give. */
#define XPD_XPROF_VERSION "2.24.2"

/* The memory of one module as the query asks for it: module_name or program_id, and memory_space.
 */
struct xpd_compat_memory {
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    int64_t color;
    struct xpd_xprof_memory numbers;
};

/* XPD_EINVAL (no module named), XPD_ENOTFOUND (no such host or module, no buffer assignment), or
 * whatever loading the module said; XPD_EFORMAT when XProf itself gives up on the heap trace. */
int xpd_compat_open_memory(const struct xpd_tool_ctx *ctx, struct xpd_compat_memory *out,
                           struct xpd_err *err);

/* `host=` of the query names a host of the run, or is absent; else XPD_ENOTFOUND in XProf's words.
 */
int xpd_compat_check_host(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

/* memory_viewer as proto3 JSON. */
int xpd_compat_memory_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                             struct xpd_err *err);
/* What the "timeline" link shows: the boxes as a plain page without scripts. */
int xpd_compat_memory_timeline(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                               struct xpd_err *err);
int xpd_compat_memory_csv(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                          struct xpd_err *err);

#endif
