/* The part of the summary that compares with other programs. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_SUMMARY_H
#define XPROFD_SRC_TOOLS_MEMORY_SUMMARY_H

#include "table_facts.h"

/* "xprof":{...}, "jax":{...}, "xla_report":{...} */
void xpd_summary_others(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_facts *facts);

#endif
