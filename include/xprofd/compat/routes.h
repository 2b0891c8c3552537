/* XProf's routes, with its shapes and its numbers. No analysis of its own: memory/xprof.h has the
 * numbers. */
#ifndef XPROFD_COMPAT_ROUTES_H
#define XPROFD_COMPAT_ROUTES_H

#include "xprofd/tools/tool.h"

/* Routes "/runs", "/run_tools", "/hosts", "/module_list", "/data", "/data_csv", "/version",
 * "/config",
 * "/capture_profile": the caller strips the prefix /data/plugin/profile. */
const struct xpd_tool *const *xpd_compat_routes(uint32_t *count);
const struct xpd_tool *xpd_compat_find(struct xpd_str path);

#endif
