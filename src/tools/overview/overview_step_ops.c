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

/* What the peaks allow of its time, in proportion where it shares its time with others. */
static int64_t ideal_of(const struct xpd_op_row *row, const struct xpd_step_op *op)
{
    if (op->part < XPD_PART_COMPUTE || !row || row->roofline_ps < 0 || op->self_ps <= 0)
        return -1;
    double executions = (double)op->count * (double)row->executions / (double)row->count;
    double ideal_ps =
        (double)row->roofline_ps * executions * (double)op->time_ps / (double)op->self_ps;
    return ideal_ps < (double)op->time_ps ? (int64_t)ideal_ps : op->time_ps;
}

static double amount_of(int64_t one, const struct xpd_op_row *row, int64_t count)
{
    return one < 0 ? -1
                   : (double)one * (double)count * (double)row->executions / (double)row->count;
}

/* The bytes that the second half of a copy, or one that is not asynchronous, moves. */
static double moved_by(const struct xpd_ops_found *found, const struct xpd_op_row *row,
                       const struct xpd_step_op *op)
{
    bool copies = op->part >= XPD_PART_COPY_IN && op->part <= XPD_PART_COPY;
    if (!copies || !row || row->instruction == XPD_NO_INDEX)
        return -1;
    const struct xpd_hlo *hlo = found->program[row->program].hlo;
    if (xpd_str_ends(xpd_hlo_text(hlo, hlo->instructions.opcode[row->instruction]), "-start"))
        return -1;
    return (double)xpd_shape_bytes(hlo->instructions.shape[row->instruction]) * (double)op->count;
}

static void judge(struct xpd_step_op *op, const struct xpd_ops_found *found,
                  const struct xpd_op_row *row)
{
    op->ideal_ps = ideal_of(row, op);
    op->flops = op->hbm_bytes = -1;
    op->moved_bytes = moved_by(found, row, op);
    if (!row)
        return;
    op->flops = amount_of(row->amounts.flops, row, op->count);
    op->hbm_bytes = amount_of(row->hbm_bytes, row, op->count);
    op->partial = row->amounts.partial;
    op->why_unknown = row->why_unknown;
    op->roof = row->roof;
    op->latency = row->bound == XPD_BOUND_LATENCY;
}

static void grow(double *sum, double more)
{
    *sum = *sum < 0 || more < 0 ? -1 : *sum + more;
}

/* The operation of the same program on a host before; false: there is none. Hosts have the same
 * operations in the same order as a rule: the next one is where the last one was found. */
static bool add_to_same(struct xpd_overviewing *o, const struct xpd_step_op *op, size_t before,
                        size_t *next)
{
    for (size_t k = 0; k < before; k++) {
        size_t i = (*next + k) % before;
        struct xpd_step_op *to = &o->op.at[i];
        if (to->place.module != op->place.module || !xpd_str_eq(to->name, op->name) ||
            to->part != op->part)
            continue;
        to->ideal_ps = to->ideal_ps < 0 || op->ideal_ps < 0 ? -1 : to->ideal_ps + op->ideal_ps;
        xpd_grow_i64(&to->time_ps, op->time_ps);
        xpd_grow_i64(&to->self_ps, op->self_ps);
        to->count += op->count;
        grow(&to->flops, op->flops);
        grow(&to->hbm_bytes, op->hbm_bytes);
        grow(&to->moved_bytes, op->moved_bytes);
        *next = i + 1;
        return true;
    }
    return false;
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
        judge(&op, &found, row[i]);
        if (!add_to_same(o, &op, first, &next))
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
