/* The operations of the steps asked about. In: executions of the steps, the rows of operations with
 * their rooflines (ops/ops.h). Out: one entry an operation, with what it takes of the steps and
 * what of that the peaks allow. */
#include "../trace/ops_rows.h"
#include "overview.h"

static bool is_asked(const struct xpd_overviewing *o, uint32_t lane)
{
    return o->chip == XPD_NO_INDEX || o->chip == lane;
}

/* By op of the host's times: of the steps asked about. */
static const struct xpd_split_op *sums_of(const struct xpd_overviewing *o,
                                          const struct xpd_step_table *table, struct xpd_err *err)
{
    struct xpd_step_parts parts;
    if (!o->selected && o->chip == XPD_NO_INDEX)
        return table->op;
    struct xpd_split_op *sums =
        XPD_NEW_ARRAY(o->ctx->arena, struct xpd_split_op, table->times->op_count);
    uint32_t first = o->selected ? o->selected->first : 0;
    uint32_t end = o->selected ? first + o->selected->count : o->steps.cell_count;
    for (uint32_t i = first; sums && i < end; i++) {
        const struct xpd_run_lane *lane = &o->steps.lane[o->steps.cell[i].lane];
        if (lane->table == table && is_asked(o, o->steps.cell[i].lane))
            xpd_step_split(&parts, &lane->of->of, &o->steps.cell[i].of->span, sums);
    }
    if (!sums)
        xpd_tools_no_memory(err);
    return sums;
}

static int add_host(struct xpd_overviewing *o, uint32_t host, const struct xpd_step_table *table,
                    struct xpd_err *err)
{
    struct xpd_ops_found found = {0};
    struct xpd_tool_ctx ask;
    if (!xpd_tools_ops_ask(&ask, o->ctx, NULL, o->ctx->run->host[host].name))
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_ops(&found, &ask, err);
    if (rc != XPD_OK)
        return rc;
    o->memory_wrong |= xpd_tools_ops_is_beyond(&found, true);
    o->compute_wrong |= xpd_tools_ops_is_beyond(&found, false);
    const struct xpd_split_op *sums = sums_of(o, table, err);
    const struct xpd_op_row **row =
        XPD_NEW_ARRAY(o->ctx->arena, const struct xpd_op_row *, table->times->op_count);
    if (!sums || !row)
        return xpd_tools_no_memory(err);
    size_t next = 0, first = o->op.count; /* of other hosts are those before */
    for (uint32_t i = 0; i < found.ops.count; i++)
        if (found.program[found.ops.row[i].program].times == table->times)
            row[found.ops.row[i].op - table->times->op] = &found.ops.row[i];
    for (uint32_t i = 0; i < table->times->op_count; i++) {
        if (sums[i].count == 0)
            continue;
        struct xpd_step_op op = {.name =
                                     xpd_intern_get(&table->times->names, table->times->op[i].name),
                                 .part = table->places.part[i],
                                 .place = table->places.place[i],
                                 .time_ps = sums[i].time_ps,
                                 .self_ps = sums[i].self_ps,
                                 .count = (int64_t)sums[i].count};
        xpd_step_op_judge(&op, found.program, row[i]);
        if (!xpd_step_op_add_to_same(o->op.at, first, &op, &next))
            XPD_PUSH(&o->op, op);
    }
    return o->op.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

int xpd_step_ops_make(struct xpd_overviewing *o, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (uint32_t l = 0; rc == XPD_OK && l < o->steps.lane_count; l++)
        if (l == 0 || o->steps.lane[l].table != o->steps.lane[l - 1].table)
            rc = add_host(o, o->steps.lane[l].host, o->steps.lane[l].table, err);
    return rc;
}
