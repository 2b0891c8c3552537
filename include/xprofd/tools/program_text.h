/* A whole program written out: its HLO text, or its HloProto as bytes, text or JSON. Small ones as
 * a body that can be kept, large ones while they are sent, so that memory does not grow with them.
 */
#ifndef XPROFD_TOOLS_PROGRAM_TEXT_H
#define XPROFD_TOOLS_PROGRAM_TEXT_H

#include "xprofd/tools/tool.h"

/* A program of more HloProto bytes than this is not kept whole. */
#define XPD_PROGRAM_LARGE_BYTES ((uint64_t)2 << 20)

enum xpd_program_form {
    XPD_PROGRAM_HLO, /* `flags` of hlo/print.h */
    XPD_PROGRAM_PB,
    XPD_PROGRAM_PBTXT,
    XPD_PROGRAM_JSON
};

/* Module `module` of ctx->run. A source when ctx->may_stream, else a body; XPD_ELIMIT for a large
 * one without may_stream. Sets out->type. */
int xpd_program_write(const struct xpd_tool_ctx *ctx, uint32_t module, enum xpd_program_form form,
                      uint32_t flags, struct xpd_tool_result *out, struct xpd_err *err);

/* The kernel in a backend config (hlo/kernel.h) as text, or as its bytes. XPD_ENOTFOUND when the
 * config is empty or holds none. */
int xpd_program_kernel(const struct xpd_tool_ctx *ctx, struct xpd_str config, bool as_bytes,
                       struct xpd_tool_result *out, struct xpd_err *err);

#endif
