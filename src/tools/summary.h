/* The part of the summary that compares with other programs. */
#ifndef XPROFD_SRC_TOOLS_SUMMARY_H
#define XPROFD_SRC_TOOLS_SUMMARY_H

#include "common.h"

/* "xprof":{...}, "jax":{...}, "xla_report":{...} */
int xpd_summary_others(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct xpd_err *err);

#endif
