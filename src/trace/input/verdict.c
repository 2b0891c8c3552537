/* Whether the run is input bound. In: sums over its steps. Out: a verdict with its
 * numbers. Unexplained time (no class, no device busy) might be waiting for input. If
 * no event is about input, the verdict is "no" only if even that time would not change
 * it. */
#include "xprofd/trace/input.h"

#include <math.h>

static int64_t input_ps(const struct xpd_input_step *sum)
{
    return sum->part_ps[XPD_INPUT_WAIT] + sum->part_ps[XPD_INPUT_LOAD] +
           sum->part_ps[XPD_INPUT_PREPROCESS];
}

static double share_of(int64_t part_ps, int64_t all_ps)
{
    return all_ps > 0 ? (double)part_ps / (double)all_ps : 0;
}

static enum xpd_input_says says(const struct xpd_input_run *in, const struct xpd_input_verdict *v)
{
    if (v->share >= XPD_INPUT_BOUND)
        return XPD_INPUT_YES;
    if (!in->told && v->most_share >= XPD_INPUT_PARTLY)
        return XPD_INPUT_UNKNOWN;
    return v->share >= XPD_INPUT_PARTLY ? XPD_INPUT_SOME : XPD_INPUT_NO;
}

static enum xpd_input_side side(const struct xpd_input_run *in, const struct xpd_input_verdict *v)
{
    const int64_t *part = in->sum.part_ps;
    if (v->says == XPD_INPUT_NO || v->says == XPD_INPUT_UNKNOWN)
        return XPD_INPUT_NO_SIDE;
    if (v->from_infeed)
        return XPD_INPUT_INFEED;
    if (part[XPD_INPUT_LOAD] + part[XPD_INPUT_PREPROCESS] > part[XPD_INPUT_WAIT])
        return XPD_INPUT_ITSELF;
    if (in->loaders == 0 || v->batch_ps <= 0)
        return XPD_INPUT_NO_SIDE;
    if (v->full_share >= XPD_INPUT_RESTS)
        return XPD_INPUT_ASKS_LATE;
    /* Together the loaders could have worked all the time. */
    double worked = v->batch_ps * in->step_count / ((double)in->length_ps * in->loaders);
    return worked >= 0.5 ? XPD_INPUT_SLOW : XPD_INPUT_LOADER_WAITS;
}

void xpd_input_judge(struct xpd_input_verdict *out, const struct xpd_input_run *in)
{
    *out = (struct xpd_input_verdict){
        .says = XPD_INPUT_UNKNOWN, .batch_ps = -1, .needed = -1, .full_share = -1};
    if (in->step_count == 0 || in->length_ps <= 0)
        return;
    const struct xpd_input_step *sum = &in->sum;
    double steps = in->step_count;
    out->from_infeed = sum->infeed_ps > input_ps(sum);
    out->wait_ps = out->from_infeed ? sum->infeed_ps : input_ps(sum);
    out->share = share_of(out->wait_ps, in->length_ps);
    out->most_share = share_of(out->wait_ps + sum->part_ps[XPD_INPUT_OTHER], in->length_ps);
    out->step_ps = (double)in->length_ps / steps;
    out->free_ps = (double)(in->length_ps - out->wait_ps) / steps;
    if (in->loaders > 0) {
        out->batch_ps = (double)(sum->load_ps + sum->preprocess_ps) / steps;
        out->full_share = (double)sum->full_ps / ((double)in->length_ps * in->loaders);
    }
    out->says = says(in, out);
    out->side = side(in, out);
    if (out->batch_ps > 0 && out->free_ps > 0 && out->batch_ps / out->free_ps < 1e9)
        out->needed = (int64_t)ceil(out->batch_ps / out->free_ps);
}
