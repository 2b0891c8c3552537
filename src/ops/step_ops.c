/* Operations of steps. In: what an operation took of the steps, its row (ops.h). Out: what the
 * peaks allow of that; the same operation of several hosts as one. */
#include "xprofd/ops/step_ops.h"

#include "xprofd/base/checked.h"

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
static double moved_by(const struct xpd_hlo *hlo, const struct xpd_op_row *row,
                       const struct xpd_step_op *op)
{
    bool copies = op->part >= XPD_PART_COPY_IN && op->part <= XPD_PART_COPY;
    if (!copies || !row || row->instruction == XPD_NO_INDEX)
        return -1;
    if (xpd_str_ends(xpd_hlo_text(hlo, hlo->instructions.opcode[row->instruction]), "-start"))
        return -1;
    return (double)xpd_shape_bytes(hlo->instructions.shape[row->instruction]) * (double)op->count;
}

void xpd_step_op_judge(struct xpd_step_op *op, const struct xpd_ops_program *program,
                       const struct xpd_op_row *row)
{
    op->ideal_ps = ideal_of(row, op);
    op->flops = op->hbm_bytes = -1;
    op->moved_bytes = moved_by(row ? program[row->program].hlo : NULL, row, op);
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

void xpd_step_op_add(struct xpd_step_op *to, const struct xpd_step_op *op)
{
    to->ideal_ps = to->ideal_ps < 0 || op->ideal_ps < 0 ? -1 : to->ideal_ps + op->ideal_ps;
    xpd_grow_i64(&to->time_ps, op->time_ps);
    xpd_grow_i64(&to->self_ps, op->self_ps);
    to->count += op->count;
    grow(&to->flops, op->flops);
    grow(&to->hbm_bytes, op->hbm_bytes);
    grow(&to->moved_bytes, op->moved_bytes);
}

void xpd_same_ops_init(struct xpd_same_ops *same, struct xpd_arena *arena)
{
    *same = (struct xpd_same_ops){0};
    xpd_intern_init(&same->text, arena);
}

void xpd_same_ops_fini(struct xpd_same_ops *same)
{
    xpd_intern_fini(&same->text);
    xpd_map64_fini(&same->at);
}

uint64_t xpd_same_ops_key(struct xpd_same_ops *same, struct xpd_str program,
                          const struct xpd_step_op *op)
{
    bool held = op->place.module != XPD_NO_INDEX;
    uint64_t number =
        held ? op->place.module * (uint64_t)2
             : xpd_intern_put(&same->text, program.data, program.size) * (uint64_t)2 + 1;
    xpd_name_id name = xpd_intern_put(&same->text, op->name.data, op->name.size);
    return (number * XPD_PART_COUNT + op->part) << 32 | name;
}
