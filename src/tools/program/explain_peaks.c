/* The peaks of the device a program ran on or was compiled for. In: the run. Out: peaks and where
 * they are from: typed in, else of the device planes, else of the table of chips. */
#include "explain_peaks.h"

#include <stdlib.h>

void xpd_explain_kdouble(struct xpd_jsonw *w, const char *key, double value)
{
    if (value < 0)
        xpd_json_knull(w, key);
    else
        xpd_json_kdouble(w, key, value);
}

/* The first device plane that says what its chip can do; else the first that names its chip. */
static bool of_planes(const struct xpd_run *run, struct xpd_peaks *out)
{
    struct xpd_peaks named = {"", -1, -1, -1, -1, NULL};
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

/* What a plane does not say, from the table. */
static void fill(struct xpd_peaks *out, const struct xpd_peaks *sheet)
{
    bool rates = out->flops_per_s < 0 || out->hbm_bytes_per_s < 0;
    out->flops_per_s = out->flops_per_s > 0 ? out->flops_per_s : sheet->flops_per_s;
    out->hbm_bytes_per_s = out->hbm_bytes_per_s > 0 ? out->hbm_bytes_per_s : sheet->hbm_bytes_per_s;
    out->link_bytes_per_s = sheet->link_bytes_per_s;
    out->clock_hz = sheet->clock_hz;
    out->device = sheet->device;
    if (rates)
        out->source = "the profile's device plane, completed by the table of chips";
}

bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    struct xpd_str type = XPD_STR("");
    if (ctx->hlo)
        type = xpd_hlo_text(ctx->hlo, ctx->hlo->device_type);
    if (type.size == 0 && ctx->run)
        type = xpd_str_of(ctx->run->device_type);
    *out = (struct xpd_peaks){"", -1, -1, -1, -1, NULL};
    bool said = ctx->run && of_planes(ctx->run, out);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(out->device));
    sheet = sheet ? sheet : xpd_peaks_find(type);
    if (said && sheet)
        fill(out, sheet);
    else if (said)
        out->device = type.size ? xpd_arena_strndup(ctx->arena, type.data, type.size) : "";
    else if (sheet)
        *out = *sheet;
    return said || sheet;
}

static double typed(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    const char *digits = xpd_arena_strndup(ctx->arena, text.data, text.size);
    double value = text.size > 0 && digits ? strtod(digits, NULL) : -1;
    return value > 0 && value < 1e21 ? value : -1;
}

bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    double flops = typed(ctx, "peak_flops"), bytes = typed(ctx, "peak_bandwidth");
    const struct xpd_peaks *asked = xpd_peaks_find(xpd_param_text(ctx, "device"));
    bool known = asked || xpd_explain_peaks(ctx, out);
    if (asked)
        *out = *asked;
    out->flops_per_s = flops > 0 ? flops : out->flops_per_s;
    out->hbm_bytes_per_s = bytes > 0 ? bytes : out->hbm_bytes_per_s;
    if (flops > 0 || bytes > 0)
        out->source = flops > 0 && bytes > 0 ? "entered by hand" : "one of them entered by hand";
    return known || flops > 0 || bytes > 0;
}
