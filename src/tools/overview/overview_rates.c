/* How much of a chip the steps use. In: operations of the steps, peaks. Out: rates and shares. */
#include "overview.h"

struct work {
    double flops, bytes, moved;           /* of all steps; moved: over the link to the host */
    int64_t flops_time_ps, bytes_time_ps; /* of the operations whose work is known */
    bool any_flops, any_bytes, any_moved, lacks_flops, lacks_bytes;
};

static void add(struct work *work, const struct xpd_step_op *op)
{
    bool host = op->part == XPD_PART_COPY_IN || op->part == XPD_PART_COPY_OUT;
    if (host && op->moved_bytes >= 0) {
        work->moved += op->moved_bytes;
        work->any_moved = true;
    }
    /* What a loop or a call holds is counted where it runs. */
    if (op->part < XPD_PART_COMPUTE || op->part == XPD_PART_COMPUTE + XPD_OP_CONTROL)
        return;
    if (op->flops >= 0) {
        work->flops += op->flops;
        work->flops_time_ps += op->time_ps;
        work->any_flops = true;
    }
    if (op->hbm_bytes >= 0) {
        work->bytes += op->hbm_bytes;
        work->bytes_time_ps += op->time_ps;
        work->any_bytes = true;
    }
    work->lacks_flops |= op->time_ps > 0 && (op->flops < 0 || op->partial);
    work->lacks_bytes |= op->time_ps > 0 && (op->hbm_bytes < 0 || op->partial);
}

static struct xpd_overview_rate rate(const char *what, const char *label, double amount,
                                     int64_t over_ps, double peak)
{
    struct xpd_overview_rate out = {.what = what, .label = label, .per_s = -1, .share = -1};
    out.peak_per_s = peak > 0 ? peak : -1;
    if (over_ps > 0 && amount >= 0)
        out.per_s = amount / ((double)over_ps * 1e-12);
    if (out.per_s >= 0 && peak > 0)
        out.share = out.per_s / peak;
    out.unknown = out.per_s < 0 ? "the work of no operation is known"
                  : peak <= 0   ? "peak unknown"
                                : NULL;
    return out;
}

int xpd_overview_rates(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct xpd_overview_rate *row = XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_rate, 5);
    struct work work = {.lacks_flops = o->unnamed_ps > 0, .lacks_bytes = o->unnamed_ps > 0};
    double flops = o->has_peaks ? o->peaks.flops_per_s : -1;
    double memory = o->has_peaks ? o->peaks.hbm_bytes_per_s : -1;
    const char *unit = xpd_overview_unit(o);
    const char *main =
        xpd_str_eq(xpd_str_of(o->ctx->run->platform), XPD_STR("tpu")) ? "HBM" : "Memory";
    uint32_t n = 0;
    if (!row)
        return xpd_tools_no_memory(err);
    for (size_t i = 0; i < o->op.count; i++)
        add(&work, &o->op.at[i]);
    row[n] = rate("flops", xpd_arena_printf(o->ctx->arena, "FLOPS, whole %s", unit),
                  work.any_flops ? work.flops : -1, o->total_ps, flops);
    row[n++].at_least = work.lacks_flops && work.any_flops;
    if (work.lacks_flops && work.any_flops)
        row[n++] = rate("flops_judged", "FLOPS, known part", work.flops, work.flops_time_ps, flops);
    row[n] =
        rate("hbm", xpd_arena_printf(o->ctx->arena, "%s, whole %s", main, unit),
             work.any_bytes || work.any_moved ? work.bytes + work.moved : -1, o->total_ps, memory);
    row[n].at_least = work.lacks_bytes && row[n].per_s >= 0;
    n++;
    if (work.any_bytes)
        row[n++] = rate("hbm_computing",
                        xpd_arena_printf(o->ctx->arena, "%s, %s", main,
                                         work.lacks_bytes ? "known part" : "while computing"),
                        work.bytes, work.bytes_time_ps, memory);
    if (work.any_moved)
        row[n++] = rate("host_link", "Host link, both ways", work.moved, o->total_ps, -1);
    o->out.utilisation.at = row;
    o->out.utilisation.n = n;
    return XPD_OK;
}
