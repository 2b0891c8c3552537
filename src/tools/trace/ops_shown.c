/* Rows of operations as answers show them. In: rows. Out: declared ones. */
#include "ops_shown.h"
#include "ops_hosts.h"
#include "ops_sum.h"

XPD_RECORD_TABLE(xpd_ops_row, XPD_OPS_ROW_FIELDS)

static double rate(int64_t amount, double mean_ps)
{
    return amount >= 0 && mean_ps > 0 ? (double)amount / mean_ps * 1e12 : -1;
}

static double flops_peak(const struct xpd_ops_found *found, const struct xpd_op_row *row)
{
    double peak =
        found->has_peaks && row->flops_per_s > 0 ? xpd_work_peak(&row->amounts, &found->peaks) : -1;
    return peak > 0 ? peak : -1;
}

static void show_hosts(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                       const struct xpd_op_row *row)
{
    const struct xpd_ops_hosts *hosts = found->hosts ? &found->hosts[row - found->ops.row] : NULL;
    to->hosts_self_ps = hosts ? hosts->self_ps : -1;
    to->host_spread = -1;
    if (!hosts || hosts->count < 2)
        return;
    to->slowest_host = found->run->host[hosts->slowest].name;
    if (hosts->fastest_ps > 0)
        to->host_spread = hosts->slowest_ps / hosts->fastest_ps;
}

void xpd_ops_show(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                  const struct xpd_op_row *row)
{
    int64_t all_ps = found->ops.self_ps;
    *to = (struct xpd_ops_row){
        .name = row->name,
        .module = found->source[row->program].name,
        .group = xpd_op_group_word(row->group),
        .phase = xpd_phase_word(row->phase),
        .operations = 1,
        .count = row->count,
        .executions = row->executions,
        .total_ps = row->total_ps,
        .self_ps = row->self_ps,
        .self_share = all_ps > 0 ? (double)row->self_ps / (double)all_ps : 0,
        .mean_ps = row->mean_ps,
        .p50_ps = row->p50_ps,
        .p99_ps = row->p99_ps,
        .min_ps = row->min_ps,
        .max_ps = row->max_ps,
        .other_total_ps = row->other_total_ps,
        .wait_total_ps = row->wait_total_ps,
        .chips = row->chips,
        .chip_spread = row->chip_spread,
        .flops = row->amounts.flops,
        .moved_bytes = row->bytes,
        .hbm_bytes = row->hbm_bytes,
        .vmem_bytes = row->vmem_bytes,
        .vmem_read_bytes = row->vmem_bytes < 0 ? -1 : row->amounts.vmem_read_bytes,
        .cmem_bytes = row->cmem_bytes,
        .cmem_read_bytes = row->cmem_bytes < 0 ? -1 : row->amounts.cmem_read_bytes,
        .other_bytes = row->other_bytes,
        .flops_per_s = row->flops_per_s,
        .flops_peak_per_s = flops_peak(found, row),
        .hbm_bytes_per_s = row->hbm_bytes_per_s,
        .vmem_bytes_per_s = rate(row->vmem_bytes, row->mean_ps),
        .intensity = row->intensity,
        .place = xpd_ops_place_word(row->place),
        .bound = xpd_ops_bound_word(row->bound),
        .bound_reason = row->why_unknown,
        .roof = row->roof,
        .roofline_ps = row->roofline_ps,
        .roofline_share = row->roofline_share,
        .lost_ps = row->lost_ps,
        .lost_against = xpd_ops_against_word(row->lost_against),
        .cycles = row->amounts.cycles,
    };
    show_hosts(to, found, row);
}

void xpd_ops_show_texts(struct xpd_ops_row *to, const struct xpd_ops_found *found,
                        const struct xpd_op_row *row, struct xpd_strbuf *scratch,
                        struct xpd_arena *arena)
{
    const struct {
        enum xpd_op_text column;
        struct xpd_str *to;
    } text[] = {{XPD_OPS_OPCODE, &to->opcode}, {XPD_OPS_CATEGORY, &to->category},
                {XPD_OPS_SCOPE, &to->scope},   {XPD_OPS_SHAPE, &to->shape},
                {XPD_OPS_DTYPE, &to->dtype},   {XPD_OPS_SOURCE, &to->source}};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        xpd_op_row_text(scratch, text[i].column, row, &found->program[row->program]);
        *text[i].to = xpd_strbuf_keep(scratch, arena);
    }
}
