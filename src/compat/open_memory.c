/* The memory of the module that a question names, with the numbers XProf has for it. */
#include "compat.h"

#include <string.h>

/* As XProf reads numbers: blanks around one and a plus before it do not count; what it cannot read
 * it takes for 0. */
static int64_t number_of(struct xpd_str text)
{
    static const char blank[] = {' ', '\t', '\n', '\v', '\f', '\r'};
    int64_t number = 0;
    while (text.size && memchr(blank, text.data[0], sizeof blank))
        text = (struct xpd_str){text.data + 1, text.size - 1};
    while (text.size && memchr(blank, text.data[text.size - 1], sizeof blank))
        text.size--;
    if (text.size > 1 && text.data[0] == '+' && text.data[1] != '-')
        text = (struct xpd_str){text.data + 1, text.size - 1};
    return xpd_str_to_i64(text, &number) ? number : 0;
}

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
    out->color = number_of(xpd_param_text(ctx, "memory_space"));
    rc = xpd_xprof_memory(&out->numbers, out->mem, out->color, XPD_XPROF_SMALL_BYTES, ctx->arena,
                          err);
    if (rc == XPD_OK && out->numbers.error_text)
        rc = xpd_fail(
            err, XPD_EFORMAT, ctx->run->module[module].key, XPD_NO_OFFSET,
            "XProf gives up on this module: %s. The page and /api/v1/memory/summary show it",
            out->numbers.error_text);
    return rc;
}
