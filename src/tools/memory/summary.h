/* The part of the summary that compares with other programs. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_SUMMARY_H
#define XPROFD_SRC_TOOLS_MEMORY_SUMMARY_H

#include "table_facts.h"

#define XPD_DIFFERS_ROW_FIELDS(FIELD)                                                              \
    FIELD(STRING, what, "key of the number in `xprof`")                                            \
    FIELD(INT, ours, "bytes")                                                                      \
    FIELD(INT, xprof, "bytes")                                                                     \
    FIELD(STRING, reason, "why they differ")
XPD_RECORD_TYPE(xpd_differs_row, XPD_DIFFERS_ROW_FIELDS)

#define XPD_SUMMARY_XPROF_FIELDS(FIELD)                                                            \
    FIELD(SIGNED, peak_bytes, "")                                                                  \
    FIELD(SIGNED, total_bytes, "")                                                                 \
    FIELD(SIGNED, unpadded_peak_bytes, "")                                                         \
    FIELD(SIGNED, argument_bytes, "")                                                              \
    FIELD(SIGNED, temp_bytes, "")                                                                  \
    FIELD(SIGNED, temp_with_fragmentation_bytes, "")                                               \
    FIELD(REAL, fragmentation_percent, "")                                                         \
    FIELD(INT, peak_position, "in its list of steps")                                              \
    FIELD(MAYBE(STRING), error, "what it says where it fails")                                     \
    FIELD(LIST(xpd_differs_row), differs, "numbers that are not ours")
XPD_RECORD_TYPE(xpd_summary_xprof, XPD_SUMMARY_XPROF_FIELDS)

#define XPD_SUMMARY_JAX_FIELDS(FIELD)                                                              \
    FIELD(SIGNED, argument_bytes, "")                                                              \
    FIELD(SIGNED, output_bytes, "")                                                                \
    FIELD(SIGNED, alias_bytes, "")                                                                 \
    FIELD(SIGNED, temp_bytes, "")                                                                  \
    FIELD(SIGNED, peak_bytes, "")                                                                  \
    FIELD(SIGNED, host_argument_bytes, "")                                                         \
    FIELD(SIGNED, host_output_bytes, "")                                                           \
    FIELD(SIGNED, host_alias_bytes, "")                                                            \
    FIELD(SIGNED, host_temp_bytes, "")
XPD_RECORD_TYPE(xpd_summary_jax, XPD_SUMMARY_JAX_FIELDS)

#define XPD_XLA_REPORT_FIELDS(FIELD) FIELD(INT, total_bytes, "with thread-local allocations")
XPD_RECORD_TYPE(xpd_xla_report, XPD_XLA_REPORT_FIELDS)

/* NULL without memory. */
const struct xpd_summary_xprof *xpd_summary_xprof_of(const struct xpd_tool_ctx *ctx,
                                                     const struct xpd_facts *facts);
const struct xpd_summary_jax *xpd_summary_jax_of(const struct xpd_tool_ctx *ctx,
                                                 const struct xpd_facts *facts);
const struct xpd_xla_report *xpd_xla_report_of(const struct xpd_tool_ctx *ctx);

#endif
