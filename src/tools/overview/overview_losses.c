/* Where a step goes, from nothing running to the roofline, and which operations would win it back.
 * In: the parts of the steps, their operations. Out: rows that add up to the steps. */
#include "overview.h"
#include "xprofd/ops/ops.h"

#include <string.h>

enum loss {
    LOSS_IDLE,
    LOSS_COPIES_IN,
    LOSS_COPIES_OUT,
    LOSS_COPIES,
    LOSS_COLLECTIVES,
    LOSS_INFEED,
    LOSS_WAITS,
    LOSS_COMPUTE,
    LOSS_MEMORY,
    LOSS_LATENCY,
    LOSS_NOT_JUDGED,
    LOSS_ROOFLINE,
    LOSS_COUNT
};
static const struct {
    const char *kind, *label;
    bool always; /* a row of 0 stands there, too */
} loss[LOSS_COUNT] = {
    {"idle", "nothing running", true},
    {"copies_in", "waits, host \u2192 device", false},
    {"copies_out", "waits, device \u2192 host", false},
    {"copies", "waits, copies", false},
    {"collectives", "waits, collectives", true},
    {"infeed", "waits, input", false},
    {"waits", "waits, others", false},
    {"compute_loss", "compute-bound loss", true},
    {"memory_loss", "memory-bound loss", true},
    {"latency", "latency of small kernels", false},
    {"not_judged", "roofline unknown", false},
    {"roofline", "At the roofline", true},
};

/* A TPU's memory has a name of its own. */
static const char *label_of(const struct xpd_overviewing *o, enum loss row)
{
    bool tpu = xpd_str_eq(xpd_str_of(o->ctx->run->platform), XPD_STR("tpu"));
    if (row == LOSS_IDLE && o->steps.nothing)
        return "no operations recorded";
    return tpu && row == LOSS_COPIES_IN    ? "waits, host \u2192 HBM"
           : tpu && row == LOSS_COPIES_OUT ? "waits, HBM \u2192 host"
                                           : loss[row].label;
}

static enum loss loss_of(const struct xpd_step_op *op)
{
    if (op->part < XPD_PART_COMPUTE)
        return (enum loss)op->part; /* in the same order */
    if (op->ideal_ps < 0)
        return LOSS_NOT_JUDGED;
    if (op->latency)
        return LOSS_LATENCY;
    return op->roof && strcmp(op->roof, "compute") == 0 ? LOSS_COMPUTE : LOSS_MEMORY;
}

const char *xpd_overview_loss_of(const struct xpd_step_op *op)
{
    return loss[loss_of(op)].kind;
}

/* What is not an operation's: waits in flight, kernels that name none. */
static void take_parts(const struct xpd_overviewing *o, int64_t *ps)
{
    for (uint32_t p = 0; p < XPD_PART_COMPUTE; p++)
        ps[p] = o->part_ps[p];
    for (uint32_t p = XPD_PART_COMPUTE; p < XPD_PART_COUNT; p++)
        xpd_grow_i64(&ps[LOSS_NOT_JUDGED], o->part_ps[p]);
}

static void take_judged(const struct xpd_overviewing *o, int64_t *ps, uint32_t *ops)
{
    for (size_t i = 0; i < o->op.count; i++) {
        const struct xpd_step_op *op = &o->op.at[i];
        enum loss row = loss_of(op);
        ops[row]++;
        if (op->part < XPD_PART_COMPUTE || row == LOSS_NOT_JUDGED)
            continue;
        ps[LOSS_NOT_JUDGED] -= op->time_ps;
        ps[row] += op->time_ps - op->ideal_ps;
        ps[LOSS_ROOFLINE] += op->ideal_ps;
        ops[LOSS_ROOFLINE]++;
    }
}

/* Of the largest operation that is not judged. */
static const char *why_not_judged(const struct xpd_overviewing *o)
{
    const struct xpd_step_op *most = NULL;
    for (size_t i = 0; i < o->op.count; i++)
        if (loss_of(&o->op.at[i]) == LOSS_NOT_JUDGED &&
            (!most || o->op.at[i].time_ps > most->time_ps))
            most = &o->op.at[i];
    if (!most || (o->unnamed_ps > most->time_ps))
        return "what ran names no operation of a program";
    if (most->place.loose)
        return "what ran belongs to no XLA program, so its work is unknown";
    if (most->place.module == XPD_NO_INDEX && o->ctx->run->module_count > 0)
        return "the profile has other programs, not the one that ran";
    if (most->place.module == XPD_NO_INDEX)
        return "no HLO in the profile (hlo_proto off)";
    if (!o->has_peaks)
        return "peaks of this device not known, set them";
    return most->why_unknown ? most->why_unknown : "their work is unknown";
}

#define EXCEEDED "an operation is faster than this peak, so it is wrong, and so is the loss"

static const char *why_of(const struct xpd_overviewing *o, enum loss row)
{
    return row == LOSS_NOT_JUDGED                    ? why_not_judged(o)
           : row == LOSS_MEMORY && o->memory_wrong   ? EXCEEDED
           : row == LOSS_COMPUTE && o->compute_wrong ? EXCEEDED
                                                     : NULL;
}

static bool shown(const struct xpd_overviewing *o, enum loss row, int64_t ps)
{
    bool direction = row == LOSS_COPIES_IN || row == LOSS_COPIES_OUT;
    return ps != 0 || loss[row].always || (direction && !o->steps.side_by_side) ||
           (row == LOSS_COPIES && o->steps.side_by_side);
}

int xpd_overview_losses(struct xpd_overviewing *o, struct xpd_err *err)
{
    int64_t ps[LOSS_COUNT] = {0}, rest_ps = o->total_ps;
    uint32_t ops[LOSS_COUNT] = {0}, n = 0;
    struct xpd_overview_loss *row =
        XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_loss, LOSS_COUNT);
    if (!row)
        return xpd_tools_no_memory(err);
    take_parts(o, ps);
    take_judged(o, ps, ops);
    for (int k = 0; k < LOSS_COUNT; k++) {
        rest_ps -= ps[k];
        if (!shown(o, (enum loss)k, ps[k]))
            continue;
        row[n++] = (struct xpd_overview_loss){
            .kind = loss[k].kind,
            .label = label_of(o, (enum loss)k),
            .total_ps = ps[k],
            .mean_ps = xpd_overview_mean(o, ps[k]),
            .share = xpd_overview_share(o, ps[k]),
            .ops = ops[k],
            .why = why_of(o, (enum loss)k),
        };
    }
    o->out.losses.at = row;
    o->out.losses.n = n;
    o->out.rest_ps = rest_ps;
    o->out.adds_up = (double)(rest_ps < 0 ? -rest_ps : rest_ps) <= 1e-6 * (double)o->total_ps;
    return XPD_OK;
}

/* ---- what would win it back ---- */

#define WINS_MAX 50

static enum xpd_op_group group_of(const struct xpd_step_op *op)
{
    static const enum xpd_op_group of_wait[XPD_PART_COMPUTE] = {
        [XPD_PART_COPY_IN] = XPD_OP_HOST, [XPD_PART_COPY_OUT] = XPD_OP_HOST,
        [XPD_PART_COPY] = XPD_OP_MOVE,    [XPD_PART_COLLECTIVE] = XPD_OP_COLLECTIVE,
        [XPD_PART_INFEED] = XPD_OP_HOST,  [XPD_PART_WAIT] = XPD_OP_CONTROL};
    return op->part < XPD_PART_COMPUTE ? of_wait[op->part]
                                       : (enum xpd_op_group)(op->part - XPD_PART_COMPUTE);
}

/* Over the wait. When a wait is over at once, the bytes were moved before it. */
static double moved_per_s(const struct xpd_step_op *op)
{
    bool waits = op->count > 0 && op->self_ps / op->count >= XPD_LATENCY_PS;
    return op->moved_bytes > 0 && waits ? op->moved_bytes / ((double)op->self_ps * 1e-12) : -1;
}

static struct xpd_overview_win win_of(const struct xpd_overviewing *o, const struct xpd_step_op *op)
{
    bool wait = op->part < XPD_PART_COMPUTE, judged = op->ideal_ps >= 0;
    int64_t win_ps = wait ? op->time_ps : judged ? op->time_ps - op->ideal_ps : -1;
    enum xpd_op_group group = group_of(op);
    return (struct xpd_overview_win){
        .name = op->name,
        .module =
            op->place.module == XPD_NO_INDEX ? NULL : o->ctx->run->module[op->place.module].key,
        .group = xpd_op_group_word(group),
        .wait = wait,
        .count = op->count,
        .mean_ps = xpd_overview_mean(o, op->time_ps),
        .win_ps = win_ps < 0 ? -1 : xpd_overview_mean(o, win_ps),
        .at_most = wait,
        .bound = wait          ? "wait"
                 : !judged     ? NULL
                 : op->latency ? "latency"
                               : op->roof,
        .roofline_share =
            judged && op->time_ps > 0 ? (double)op->ideal_ps / (double)op->time_ps : -1,
        .moved_bytes_per_s = moved_per_s(op),
    };
}

static int by_win(const void *a, const void *b)
{
    const struct xpd_overview_win *x = a, *y = b;
    if (x->win_ps != y->win_ps)
        return x->win_ps < y->win_ps ? 1 : -1;
    if (x->mean_ps != y->mean_ps)
        return x->mean_ps < y->mean_ps ? 1 : -1;
    size_t n = x->name.size < y->name.size ? x->name.size : y->name.size;
    int order = n > 0 ? memcmp(x->name.data, y->name.data, n) : 0;
    return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

int xpd_overview_wins(struct xpd_overviewing *o, struct xpd_err *err)
{
    uint32_t n = (uint32_t)o->op.count;
    struct xpd_overview_win *win = XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_win, n);
    if (!win)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        win[i] = win_of(o, &o->op.at[i]);
        o->out.wins_ps += win[i].win_ps > 0 ? win[i].win_ps : 0;
    }
    if (n > 1)
        qsort(win, n, sizeof *win, by_win);
    o->out.ops = n;
    o->out.wins.at = win;
    o->out.wins.n = n < WINS_MAX ? n : WINS_MAX;
    return XPD_OK;
}
