/* See program_text.h: the body of a custom call that is a kernel of its own. */
#include "xprofd/hlo/kernel.h"
#include "xprofd/tools/program_text.h"

int xpd_program_kernel(const struct xpd_tool_ctx *ctx, struct xpd_str config, bool as_bytes,
                       struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str bytes;
    if (config.size == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET, "Backend config not found");
    int rc = xpd_kernel_bytes(&bytes, ctx->arena, config, err);
    if (rc != XPD_OK)
        return rc;
    out->type = as_bytes ? XPD_BODY_BYTES : XPD_BODY_TEXT;
    if (!as_bytes)
        return xpd_kernel_text(&out->body, ctx->arena, bytes, err);
    xpd_strbuf_add(&out->body, bytes.data, bytes.size);
    return XPD_OK;
}
