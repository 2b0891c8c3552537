/* See opstats_record.h. */
#include "opstats_record.h"

#include "xprofd/base/strbuf.h"

#include <inttypes.h>

struct xpd_ops_times xpd_ops_times_of(const struct xpd_ops_metrics *op)
{
    struct xpd_ops_times t = {.occurrences = (double)(uint32_t)op->occurrences,
                              .total_us = (double)op->time_ps / 1e6,
                              .self_us = (double)op->self_ps / 1e6};
    t.avg_us = xpd_ops_divide(t.total_us, t.occurrences);
    t.avg_self_us = xpd_ops_divide(t.self_us, t.occurrences);
    return t;
}

struct traffic {
    uint64_t hbm, on_chip[XPD_OPS_ON_CHIP];
};

static struct traffic traffic_of(const struct xpd_ops_metrics *op)
{
    struct traffic t = {0};
    for (uint32_t i = 0; i < op->access_count; i++) {
        const struct xpd_ops_access *access = &op->access[i];
        bool read = access->operation == XPD_OPS_READ, write = access->operation == XPD_OPS_WRITE;
        int at = access->space == XPD_OPS_CMEM ? XPD_OPS_CMEM_READ : XPD_OPS_VMEM_READ;
        if (access->space == XPD_OPS_HBM)
            t.hbm += access->bytes;
        else if ((access->space == XPD_OPS_CMEM || access->space == XPD_OPS_VMEM) &&
                 (read || write))
            t.on_chip[at + write] += access->bytes;
    }
    if (op->access_count == 0) /* old profiles: everything is HBM */
        t.hbm = op->bytes;
    return t;
}

static double gib_per_s(double bytes, double ns)
{
    return xpd_ops_divide(bytes, ns) / XPD_OPS_GIBI;
}

/* Which resource would be used up first. */
struct bound {
    double best;
    struct xpd_ops_rates *rates;
};

static void try_bound(struct bound *bound, const char *name, double rate, double peak,
                      double intensity)
{
    double share = xpd_ops_divide(rate, peak);
    if (!(bound->best < share))
        return;
    bound->best = share;
    bound->rates->bound_by = xpd_str_of(name);
    bound->rates->bottleneck_intensity = intensity;
}

static double peak_of(const struct xpd_op_stats *stats, uint32_t place)
{
    return stats->peaks.count > place ? stats->peaks.gb_per_s[place] : 0;
}

static void find_bound(struct xpd_ops_rates *r, const struct traffic *traffic,
                       const struct xpd_op_stats *stats)
{
    static const char *const names[] = {"CMEM Read", "CMEM Write", "VMEM Read", "VMEM Write"};
    struct bound bound = {.rates = r};
    r->bound_by = XPD_STR("Unknown");
    try_bound(&bound, "Compute", r->flop_rate, stats->peaks.tflops * 1000.0, r->intensity);
    try_bound(&bound, "HBM", r->hbm_bw, peak_of(stats, XPD_BW_HBM) / XPD_OPS_GIBI,
              r->hbm_intensity);
    for (uint32_t i = 0; stats->hardware == XPD_OPS_TPU && i < XPD_OPS_ON_CHIP; i++)
        if (traffic->on_chip[i] && peak_of(stats, XPD_BW_CMEM_RD + i) != 0)
            try_bound(&bound, names[i], r->bw[i], peak_of(stats, XPD_BW_CMEM_RD + i) / XPD_OPS_GIBI,
                      r->on_chip_intensity[i]);
    double shared = peak_of(stats, XPD_BW_SRAM_WR);
    if (stats->hardware == XPD_OPS_GPU && shared != 0)
        try_bound(&bound, "Shm/L1", r->hbm_bw, shared / XPD_OPS_GIBI, r->hbm_intensity);
}

struct xpd_ops_rates xpd_ops_rates_of(const struct xpd_ops_metrics *op,
                                      const struct xpd_op_stats *stats)
{
    double ns = (double)op->time_ps / 1e3;
    struct traffic traffic = traffic_of(op);
    struct xpd_ops_rates r = {.flop_rate = xpd_ops_divide(op->flops_v2, ns),
                              .model_flop_rate = xpd_ops_divide(op->model_flops_v2, ns),
                              .memory_bw = gib_per_s((double)op->bytes, ns),
                              .hbm_bw = gib_per_s((double)traffic.hbm, ns),
                              .intensity = xpd_ops_divide(op->flops_v2, (double)op->bytes),
                              .hbm_intensity = xpd_ops_divide(op->flops_v2, (double)traffic.hbm)};
    for (int i = 0; i < XPD_OPS_ON_CHIP; i++) {
        r.bw[i] = gib_per_s((double)traffic.on_chip[i], ns);
        r.on_chip_intensity[i] = xpd_ops_divide(op->flops_v2, (double)traffic.on_chip[i]);
    }
    find_bound(&r, &traffic, stats);
    return r;
}

static void put_escaped(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        switch (text.data[i]) {
        case '&': xpd_strbuf_puts(out, "&amp;"); break;
        case '<': xpd_strbuf_puts(out, "&lt;"); break;
        case '>': xpd_strbuf_puts(out, "&gt;"); break;
        case '"': xpd_strbuf_puts(out, "&quot;"); break;
        case '\'': xpd_strbuf_puts(out, "&#39;"); break;
        default: xpd_strbuf_putc(out, text.data[i]);
        }
}

struct xpd_str xpd_ops_source_cell(struct xpd_arena *arena, const struct xpd_ops_metrics *op)
{
    struct xpd_strbuf text = {0};
    if (op->file.size == 0 || op->line == -1)
        return XPD_STR("");
    xpd_strbuf_puts(&text, "<div class='source-info-cell' title='");
    put_escaped(&text, op->stack);
    xpd_strbuf_puts(&text, "'>");
    put_escaped(&text, op->file);
    xpd_strbuf_printf(&text, ":%" PRId32 "</div>", op->line);
    const char *kept = text.failed ? NULL : xpd_arena_strndup(arena, text.data, text.size);
    struct xpd_str out = {kept ? kept : "", kept ? text.size : 0};
    xpd_strbuf_fini(&text);
    return out;
}

struct xpd_str xpd_ops_u64_text(struct xpd_arena *arena, uint64_t value)
{
    const char *text = xpd_arena_printf(arena, "%" PRIu64, value);
    return xpd_str_of(text ? text : "");
}
