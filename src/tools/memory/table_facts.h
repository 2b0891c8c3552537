/* What the headline says of a space besides the analysis itself: the peak taken apart, what holds
 * most of it, what would help, XProf's numbers and JAX's. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H

#include "../tables/tools_tables.h"
#include "largest.h"
#include "xprofd/memory/held.h"
#include "xprofd/memory/xprof.h"

#define XPD_FACTS_PEAKS 16

#define XPD_SAVING_ROW_FIELDS(FIELD)                                                               \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(TEXT, shape, "")                                                                         \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(INT, saving_bytes, "how far the peak falls without it")
XPD_RECORD_TYPE(xpd_saving_row, XPD_SAVING_ROW_FIELDS)

struct xpd_facts {
    struct xpd_xprof_memory xprof; /* its numbers and error; no lists */
    const char *peak_reason;       /* why XProf's peak differs, where it does */
    struct xpd_jax_analysis jax;
    struct xpd_near_peak near_peak[XPD_FACTS_PEAKS];
    uint32_t near_peak_count;
    struct xpd_peak_split split;
    const struct xpd_largest *largest; /* NULL = nothing is held at the peak */
    const struct xpd_saving_row *saving;
    uint32_t saving_count;
};
/* NULL without memory. */
const struct xpd_facts *xpd_table_facts(const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
