/* What the headline says of a space besides the analysis itself: the peak taken apart, what holds
 * most of it, what would help, XProf's numbers and JAX's. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H
#define XPROFD_SRC_TOOLS_MEMORY_TABLE_FACTS_H

#include "../tables/tools_tables.h"
#include "largest.h"
#include "xprofd/memory/held.h"
#include "xprofd/memory/xprof.h"

#define XPD_FACTS_PEAKS 16

/* The peak taken apart (memory/held.h), as answers show it. */
#define XPD_SPLIT_PADDING_FIELDS(FIELD)                                                            \
    FIELD(INT, argument_bytes, "")                                                                 \
    FIELD(INT, output_bytes, "")                                                                   \
    FIELD(INT, constant_bytes, "")                                                                 \
    FIELD(INT, temp_bytes, "")
XPD_RECORD_TYPE(xpd_split_padding, XPD_SPLIT_PADDING_FIELDS)

#define XPD_SPLIT_FIELDS(FIELD)                                                                    \
    FIELD(INT, argument_bytes, "arguments")                                                        \
    FIELD(INT, output_bytes, "outputs that are not written into arguments")                        \
    FIELD(INT, alias_bytes, "outputs written into arguments: in `argument_bytes`")                 \
    FIELD(INT, constant_bytes, "constants")                                                        \
    FIELD(INT, thread_local_bytes, "not included in reserved")                                     \
    FIELD(MAYBE(INT), temp_bytes, "temporaries live at the peak; null without a heap trace")       \
    FIELD(INT, untraced_bytes, "in the heap without events: in `fragmentation_bytes`")             \
    FIELD(MAYBE(INT), fragmentation_bytes, "reserved minus the peak")                              \
    FIELD(OBJECT(xpd_split_padding), padding, "padding in each part")
XPD_RECORD_TYPE(xpd_summary_split, XPD_SPLIT_FIELDS)
/* NULL without memory. */
const struct xpd_summary_split *xpd_peak_split_answer(const struct xpd_peak_split *split,
                                                      struct xpd_arena *arena);

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
