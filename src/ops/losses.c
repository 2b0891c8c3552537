/* Where a step goes, from nothing running to the roofline. In: the parts of the steps, their
 * operations. Out: losses that add up to the steps. */
#include "xprofd/ops/step_ops.h"

#include "xprofd/base/checked.h"

enum xpd_loss xpd_step_op_loss(const struct xpd_step_op *op)
{
    if (op->part < XPD_PART_COMPUTE)
        return (enum xpd_loss)op->part; /* in the same order */
    if (op->ideal_ps < 0)
        return XPD_LOSS_NOT_JUDGED;
    if (op->latency)
        return XPD_LOSS_LATENCY;
    return op->roof && strcmp(op->roof, "compute") == 0 ? XPD_LOSS_COMPUTE : XPD_LOSS_MEMORY;
}

/* What is not an operation's: waits in flight, kernels that name none. */
static void take_parts(struct xpd_losses *out, const int64_t part_ps[XPD_PART_COUNT])
{
    for (uint32_t p = 0; p < XPD_PART_COMPUTE; p++)
        out->ps[p] = part_ps[p];
    for (uint32_t p = XPD_PART_COMPUTE; p < XPD_PART_COUNT; p++)
        xpd_grow_i64(&out->ps[XPD_LOSS_NOT_JUDGED], part_ps[p]);
}

static void take_op(struct xpd_losses *out, const struct xpd_step_op *op)
{
    enum xpd_loss loss = xpd_step_op_loss(op);
    out->ops[loss]++;
    if (loss == XPD_LOSS_NOT_JUDGED && (!out->not_judged || op->time_ps > out->not_judged->time_ps))
        out->not_judged = op;
    if (op->part < XPD_PART_COMPUTE || loss == XPD_LOSS_NOT_JUDGED)
        return;
    out->ps[XPD_LOSS_NOT_JUDGED] -= op->time_ps;
    out->ps[loss] += op->time_ps - op->ideal_ps;
    out->ps[XPD_LOSS_ROOFLINE] += op->ideal_ps;
    out->ops[XPD_LOSS_ROOFLINE]++;
}

void xpd_losses_make(struct xpd_losses *out, const int64_t part_ps[XPD_PART_COUNT],
                     const struct xpd_step_op *op, size_t count)
{
    *out = (struct xpd_losses){0};
    take_parts(out, part_ps);
    for (size_t i = 0; i < count; i++)
        take_op(out, &op[i]);
}

/* ---- what would win it back ---- */

int64_t xpd_step_op_win_ps(const struct xpd_step_op *op)
{
    if (op->part < XPD_PART_COMPUTE)
        return op->time_ps;
    return op->ideal_ps >= 0 ? op->time_ps - op->ideal_ps : -1;
}

enum xpd_op_group xpd_step_op_group(const struct xpd_step_op *op)
{
    static const enum xpd_op_group of_wait[XPD_PART_COMPUTE] = {
        [XPD_PART_COPY_IN] = XPD_OP_HOST, [XPD_PART_COPY_OUT] = XPD_OP_HOST,
        [XPD_PART_COPY] = XPD_OP_MOVE,    [XPD_PART_COLLECTIVE] = XPD_OP_COLLECTIVE,
        [XPD_PART_INFEED] = XPD_OP_HOST,  [XPD_PART_WAIT] = XPD_OP_CONTROL};
    return op->part < XPD_PART_COMPUTE ? of_wait[op->part]
                                       : (enum xpd_op_group)(op->part - XPD_PART_COMPUTE);
}

double xpd_step_op_moved_per_s(const struct xpd_step_op *op)
{
    bool waits = op->count > 0 && op->self_ps / op->count >= XPD_LATENCY_PS;
    return op->moved_bytes > 0 && waits ? op->moved_bytes / ((double)op->self_ps * 1e-12) : -1;
}
