/* The peaks of the device a program ran on or was compiled for. In: the run. Out: peaks and where
 * they are from: typed in, else of the device planes, else of the table of chips. */
#include "explain_peaks.h"

#include <stdlib.h>

/* The first device plane that says what its chip can do; else the first that names its chip. */
static bool of_planes(const struct xpd_run *run, struct xpd_peaks *out)
{
    struct xpd_peaks named = XPD_PEAKS_UNKNOWN;
    for (uint32_t h = 0; h < run->host_count; h++) {
        const struct xpd_xspace *space = run->host[h].space;
        for (uint32_t p = 0; space && p < space->plane_count; p++) {
            if (xpd_peaks_of_plane(out, space, &space->plane[p]))
                return true;
            if (named.device[0] == '\0')
                named = *out;
        }
    }
    *out = named;
    return false;
}

bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    struct xpd_str type = XPD_STR("");
    if (ctx->hlo)
        type = xpd_hlo_text(ctx->hlo, ctx->hlo->device_type);
    if (type.size == 0 && ctx->run)
        type = xpd_str_of(ctx->run->device_type);
    *out = (struct xpd_peaks)XPD_PEAKS_UNKNOWN;
    bool said = ctx->run && of_planes(ctx->run, out);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(out->device));
    sheet = sheet ? sheet : xpd_peaks_find(type);
    if (!sheet)
        out->device = said && type.size ? xpd_arena_strndup(ctx->arena, type.data, type.size) : "";
    else if (xpd_peaks_complete(out, sheet))
        out->source =
            said ? "the profile's device plane, completed by the table of chips" : sheet->source;
    return said || sheet;
}

static double typed(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    const char *digits = xpd_arena_strndup(ctx->arena, text.data, text.size);
    double value = text.size > 0 && digits ? strtod(digits, NULL) : -1;
    return value > 0 && value < 1e21 ? value : -1;
}

#define SAME 1e-9 /* a page sends all figures of a box, with 12 digits */

/* Puts what is typed over what is known. A figure typed as it was known is not typed. */
static uint32_t put_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    uint32_t count = 0;
    for (int i = 0; i < XPD_PEAKS; i++) {
        enum xpd_peak peak = (enum xpd_peak)i;
        double value = typed(ctx, xpd_peak_param(peak)), known = xpd_peak_of(out, peak);
        if (value <= 0 || (value >= known * (1 - SAME) && value <= known * (1 + SAME)))
            continue;
        *xpd_peak_at(out, peak) = value;
        out->from[peak] = XPD_FROM_TYPED;
        for (int k = 0; peak == XPD_PEAK_FLOPS && k < XPD_NUMBERS; k++)
            out->number_flops_per_s[k] = -1;
        count++;
    }
    return count;
}

const char *xpd_peak_param(enum xpd_peak peak)
{
    static const char *const name[XPD_PEAKS] = {
        "peak_flops",      "peak_vector",    "peak_bandwidth",  "peak_shared", "peak_vmem_read",
        "peak_vmem_write", "peak_cmem_read", "peak_cmem_write", "peak_link"};
    return name[peak];
}

bool xpd_explain_peaks_said(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    const struct xpd_peaks *asked = xpd_peaks_find(xpd_param_text(ctx, "device"));
    if (!asked)
        return xpd_explain_peaks(ctx, out);
    *out = (struct xpd_peaks)XPD_PEAKS_UNKNOWN;
    (void)xpd_peaks_complete(out, asked);
    out->source = asked->source;
    return true;
}

bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    bool known = xpd_explain_peaks_said(ctx, out);
    uint32_t count = put_typed(ctx, out);
    bool both =
        out->from[XPD_PEAK_FLOPS] == XPD_FROM_TYPED && out->from[XPD_PEAK_HBM] == XPD_FROM_TYPED;
    if (count > 0)
        out->source = both         ? "entered by hand"
                      : count == 1 ? "one of them entered by hand"
                                   : "some of them entered by hand";
    return known || count > 0;
}
