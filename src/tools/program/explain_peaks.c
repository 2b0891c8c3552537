/* The peaks of the device a program ran on or was compiled for. In: the run. Out: peaks and where
 * they are from. */
#include "explain.h"

static double real_of(const struct xpd_xspace *space, const struct xpd_plane *plane,
                      struct xpd_str name)
{
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        const struct xpd_stat *stat = &plane->stat[i];
        if (xpd_str_eq(xpd_intern_get(&space->names, stat->name), name) &&
            stat->type == XPD_STAT_DOUBLE && stat->real > 0 && stat->real < 1e12)
            return stat->real;
    }
    return -1;
}

/* The first device plane that says what its chip can do. */
static bool of_planes(const struct xpd_run *run, struct xpd_peaks *out)
{
    for (uint32_t h = 0; h < run->host_count; h++) {
        const struct xpd_xspace *space = run->host[h].space;
        for (uint32_t p = 0; space && p < space->plane_count; p++) {
            double flops = real_of(space, &space->plane[p], XPD_STR("peak_teraflops_per_second"));
            double hbm =
                real_of(space, &space->plane[p], XPD_STR("peak_hbm_bw_gigabytes_per_second"));
            if (flops <= 0 || hbm <= 0)
                continue;
            out->flops_per_s = flops * 1e12;
            out->hbm_bytes_per_s = hbm * 1e9;
            return true;
        }
    }
    return false;
}

bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out)
{
    struct xpd_str type = XPD_STR("");
    if (ctx->hlo)
        type = xpd_hlo_text(ctx->hlo, ctx->hlo->device_type);
    if (type.size == 0 && ctx->run)
        type = xpd_str_of(ctx->run->device_type);
    const struct xpd_peaks *found = xpd_peaks_find(type);
    *out = found ? *found : (struct xpd_peaks){"", -1, -1, -1, -1, NULL};
    if (ctx->run && of_planes(ctx->run, out)) {
        out->source = "the profile's device planes";
        if (!found)
            out->device = type.size ? xpd_arena_strndup(ctx->arena, type.data, type.size) : "";
        return true;
    }
    return found != NULL;
}
