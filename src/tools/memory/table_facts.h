/* What the headline says of a space besides the analysis itself: the peak taken apart, what holds
 * most of it, what would help, XProf's numbers and JAX's. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H

#include "../tables/tables.h"
#include "split.h"
#include "xprofd/memory/xprof.h"

#define XPD_FACTS_PEAKS 16

struct xpd_facts {
    struct xpd_xprof_memory xprof; /* its numbers and error; no lists */
    const char *peak_reason;       /* why XProf's peak differs, where it does */
    struct xpd_jax_analysis jax;
    struct xpd_near_peak near_peak[XPD_FACTS_PEAKS];
    uint32_t near_peak_count;
    struct xpd_peak_split split;
    struct xpd_str largest, savings; /* their JSON */
};
/* NULL without memory. */
const struct xpd_facts *xpd_table_facts(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
