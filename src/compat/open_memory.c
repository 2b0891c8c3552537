/* The memory of the module that a question names, with the numbers XProf has for it. */
#include "compat.h"

int xpd_compat_open_memory(const struct xpd_tool_ctx *ctx, struct xpd_compat_memory *out,
                           struct xpd_tool_result *result, struct xpd_err *err)
{
    int rc = xpd_compat_check_host(ctx, err);
    uint32_t module = 0;
    if (rc == XPD_OK)
        rc = xpd_compat_pick_module(ctx, "memory_viewer", &module, result, err);
    if (rc == XPD_OK)
        rc = xpd_store_module(ctx->store, ctx->run, module, &out->hlo, &out->mem, err);
    if (rc != XPD_OK)
        return rc;
    /* What XProf cannot read as a number it takes for 0. */
    if (!xpd_str_to_i64(xpd_param_text(ctx, "memory_space"), &out->color))
        out->color = 0;
    rc = xpd_xprof_memory(&out->numbers, out->mem, out->color, XPD_XPROF_SMALL_BYTES, ctx->arena,
                          err);
    if (rc == XPD_OK && out->numbers.error_text)
        rc = xpd_fail(
            err, XPD_EFORMAT, ctx->run->module[module].key, XPD_NO_OFFSET,
            "XProf gives up on this module: %s. The page and /api/v1/memory/summary show it",
            out->numbers.error_text);
    return rc;
}
