/* Where a step goes, from nothing running to the roofline, and which operations would win it back.
 * In: the parts of the steps, their operations. Out: rows that add up to the steps. */
#include "overview.h"

#include <string.h>

static const struct {
    const char *kind, *label;
    bool always; /* a row of 0 stands there, too */
} loss[XPD_LOSS_COUNT] = {
    {"idle", "nothing running", true},
    {"copies_in", "waits, host \u2192 device", false},
    {"copies_out", "waits, device \u2192 host", false},
    {"copies", "waits, copies", false},
    {"collectives", "waits, collectives", true},
    {"infeed", "waits, infeed", false},
    {"waits", "waits, others", false},
    {"compute_loss", "compute-bound loss", true},
    {"memory_loss", "memory-bound loss", true},
    {"latency", "latency of small kernels", false},
    {"not_judged", "roofline unknown", false},
    {"roofline", "At the roofline", true},
};

/* A TPU's memory has a name of its own. */
static const char *label_of(const struct xpd_overviewing *o, enum xpd_loss row)
{
    bool tpu = xpd_str_eq(xpd_str_of(o->ctx->run->platform), XPD_STR("tpu"));
    if (row == XPD_LOSS_IDLE && o->steps.nothing)
        return "no operations recorded";
    return tpu && row == XPD_LOSS_COPIES_IN    ? "waits, host \u2192 HBM"
           : tpu && row == XPD_LOSS_COPIES_OUT ? "waits, HBM \u2192 host"
                                               : loss[row].label;
}

const char *xpd_overview_loss_of(const struct xpd_step_op *op)
{
    return loss[xpd_step_op_loss(op)].kind;
}

/* `most`: the largest operation that is not judged, NULL = none. */
static const char *why_not_judged(const struct xpd_overviewing *o, const struct xpd_step_op *most)
{
    if (!most || (o->unnamed_ps > most->time_ps))
        return "what ran names no operation of a program";
    if (most->place.loose)
        return "what ran belongs to no XLA program, so its work is unknown";
    if (most->place.module == XPD_NO_INDEX && o->ctx->run->module_count > 0)
        return "the profile has other programs, not the one that ran";
    if (most->place.module == XPD_NO_INDEX)
        return "no HLO in the profile (hlo_proto off)";
    if (!o->has_peaks)
        return "the peaks of this device are unknown; set them";
    return most->why_unknown ? most->why_unknown : "their work is unknown";
}

#define EXCEEDED "an operation is faster than this peak, so it is wrong, and so is the loss"

static const char *why_of(const struct xpd_overviewing *o, enum xpd_loss row,
                          const struct xpd_step_op *not_judged)
{
    return row == XPD_LOSS_NOT_JUDGED                    ? why_not_judged(o, not_judged)
           : row == XPD_LOSS_MEMORY && o->memory_wrong   ? EXCEEDED
           : row == XPD_LOSS_COMPUTE && o->compute_wrong ? EXCEEDED
                                                         : NULL;
}

static bool shown(const struct xpd_overviewing *o, enum xpd_loss row, int64_t ps)
{
    bool direction = row == XPD_LOSS_COPIES_IN || row == XPD_LOSS_COPIES_OUT;
    return ps != 0 || loss[row].always || (direction && !o->steps.side_by_side) ||
           (row == XPD_LOSS_COPIES && o->steps.side_by_side);
}

int xpd_overview_losses(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct xpd_losses losses;
    int64_t rest_ps = o->total_ps;
    uint32_t n = 0;
    struct xpd_overview_loss *row =
        XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_loss, XPD_LOSS_COUNT);
    if (!row)
        return xpd_tools_no_memory(err);
    xpd_losses_make(&losses, o->part_ps, o->op.at, o->op.count);
    for (int k = 0; k < XPD_LOSS_COUNT; k++) {
        int64_t ps = losses.ps[k];
        rest_ps -= ps;
        if (!shown(o, (enum xpd_loss)k, ps))
            continue;
        row[n++] = (struct xpd_overview_loss){
            .kind = loss[k].kind,
            .label = label_of(o, (enum xpd_loss)k),
            .total_ps = ps,
            .mean_ps = xpd_overview_mean(o, ps),
            .share = xpd_overview_share(o, ps),
            .ops = losses.ops[k],
            .why = why_of(o, (enum xpd_loss)k, losses.not_judged),
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

static struct xpd_overview_win win_of(const struct xpd_overviewing *o, const struct xpd_step_op *op)
{
    bool wait = op->part < XPD_PART_COMPUTE, judged = op->ideal_ps >= 0;
    int64_t win_ps = xpd_step_op_win_ps(op);
    return (struct xpd_overview_win){
        .name = op->name,
        .module =
            op->place.module == XPD_NO_INDEX ? NULL : o->ctx->run->module[op->place.module].key,
        .group = xpd_op_group_word(xpd_step_op_group(op)),
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
        .moved_bytes_per_s = xpd_step_op_moved_per_s(op),
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
