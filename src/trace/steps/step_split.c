/* Parts of a step. In: the executions that begin in it, and the union of intervals. Out: parts that
 * add up. */
#include "xprofd/trace/step_split.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#include <stdlib.h>

enum class {
    CLASS_COMPUTE,
    CLASS_COLLECTIVE,
    CLASS_COPY_IN, /* as the parts of copies stand in a row */
    CLASS_COPY_OUT,
    CLASS_COPY,
    CLASS_OTHER,
    CLASS_COUNT
};

static enum class class_of(uint32_t part) {
    return part >= XPD_PART_COMPUTE      ? CLASS_COMPUTE
           : part == XPD_PART_COLLECTIVE ? CLASS_COLLECTIVE
           : part == XPD_PART_INFEED || part == XPD_PART_WAIT
               ? CLASS_OTHER
               : CLASS_COPY_IN + (part - XPD_PART_COPY_IN);
}

/* Self times of a class, and the time they are scaled to. */
struct scale {
    int64_t raw_ps, to_ps;
    int64_t seen_ps, given_ps; /* so far: rounding never adds up */
};

static int64_t scaled(struct scale *scale, int64_t self_ps)
{
    if (scale->raw_ps == scale->to_ps)
        return self_ps;
    xpd_grow_i64(&scale->seen_ps, self_ps);
    int64_t upto_ps =
        scale->seen_ps >= scale->raw_ps
            ? scale->to_ps
            : (int64_t)((double)scale->seen_ps * (double)scale->to_ps / (double)scale->raw_ps);
    upto_ps = upto_ps > scale->to_ps ? scale->to_ps : upto_ps;
    int64_t ps = upto_ps - scale->given_ps;
    scale->given_ps = upto_ps;
    return ps;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct split {
    const struct xpd_split_lane *lane;
    const struct xpd_split_span *span;
    struct scale scale[CLASS_COUNT];
    struct xpd_step_parts *out;
    struct xpd_split_op *ops;
};

struct stretch { /* executions of a device: [first, own) may reach into the span, [own, end) begin
                    in it */
    uint32_t first, own, end;
    uint32_t hint; /* of xpd_op_run_self_ps */
};

static struct stretch stretch_of(const struct split *split, const struct xpd_op_device_runs *device)
{
    const struct xpd_split_span *span = split->span;
    struct stretch of = {0};
    int64_t before_ps;
    xpd_op_runs_range(device, span->from_ps, span->to_ps, &of.own, &of.end);
    of.first = of.own;
    if (span->cuts) {
        if (__builtin_sub_overflow(span->from_ps, split->lane->longest_ps, &before_ps))
            before_ps = INT64_MIN;
        xpd_op_runs_range(device, before_ps, span->from_ps, &of.first, &of.own);
    }
    XPD_BISECT(of.hint, device->inside_count, middle, device->inside[middle].at < of.first);
    return of;
}

/* What the span has of the self time of an execution. */
static int64_t self_in(const struct xpd_split_span *span, const struct xpd_op_device_runs *device,
                       uint32_t i, uint32_t *hint)
{
    int64_t self_ps = xpd_op_run_self_ps(device, i, hint);
    if (!span->cuts)
        return self_ps;
    int64_t from_ps = xpd_op_run_start_ps(device, i), all_ps = xpd_op_run_duration_ps(device, i);
    int64_t to_ps = from_ps;
    xpd_grow_i64(&to_ps, all_ps);
    from_ps = from_ps > span->from_ps ? from_ps : span->from_ps;
    to_ps = smaller(to_ps, span->to_ps);
    int64_t part_ps = to_ps > from_ps ? to_ps - from_ps : 0;
    return part_ps < all_ps ? (int64_t)((double)self_ps * (double)part_ps / (double)all_ps)
                            : self_ps;
}

/* Self times as they are. */
static void add_device(struct split *split, const struct xpd_op_device_runs *device)
{
    struct stretch of = stretch_of(split, device);
    for (uint32_t i = of.first; i < of.end; i++) {
        uint32_t op = xpd_op_run_op(device, i);
        int64_t self_ps = self_in(split->span, device, i, &of.hint);
        xpd_grow_i64(&split->out->ps[split->lane->part[op]], self_ps);
        if (split->ops) {
            xpd_grow_i64(&split->ops[op].time_ps, self_ps);
            xpd_grow_i64(&split->ops[op].self_ps, self_ps);
            split->ops[op].count += i >= of.own;
        }
    }
}

/* Where a class is scaled, from the self time of each of its executions to its part of the step. */
static void scale_device(struct split *split, const struct xpd_op_device_runs *device)
{
    struct stretch of = stretch_of(split, device);
    for (uint32_t i = of.first; i < of.end; i++) {
        uint32_t op = xpd_op_run_op(device, i), part = split->lane->part[op];
        int64_t self_ps = self_in(split->span, device, i, &of.hint);
        int64_t more_ps = scaled(&split->scale[class_of(part)], self_ps) - self_ps;
        xpd_grow_i64(&split->out->ps[part], more_ps);
        if (split->ops)
            xpd_grow_i64(&split->ops[op].time_ps, more_ps);
    }
}

static bool any_scaled(const struct split *split)
{
    for (int c = 0; c < CLASS_COUNT; c++)
        if (split->scale[c].raw_ps != split->scale[c].to_ps)
            return true;
    return false;
}

static void sum_classes(struct split *split)
{
    for (uint32_t p = XPD_PART_IDLE + 1; p < XPD_PART_COUNT; p++)
        xpd_grow_i64(&split->scale[class_of(p)].raw_ps, split->out->ps[p]);
}

/* One operation at a time: self times as they are, unless they are more than the step. */
static void take_self(struct scale *scale, int64_t duration_ps)
{
    struct scale all = {.to_ps = duration_ps};
    for (int c = 0; c < CLASS_COUNT; c++)
        xpd_grow_i64(&all.raw_ps, scale[c].raw_ps);
    if (all.raw_ps < duration_ps)
        all.to_ps = all.raw_ps;
    for (int c = 0; c < CLASS_COUNT; c++)
        scale[c].to_ps = scaled(&all, scale[c].raw_ps);
}

static bool tells_way(const struct xpd_overlap *of)
{
    return of->copy_in_ps > 0 || of->copy_out_ps > 0;
}

/* Where the events tell the way, each way is what they say; else the operations that wait share
 * what copies took, regardless of the source. */
static void take_copies(struct scale *scale, const struct xpd_overlap *of)
{
    struct scale all = {.to_ps = of->copy_exposed_ps};
    if (tells_way(of)) {
        const int64_t way_ps[] = {of->copy_in_ps, of->copy_out_ps,
                                  of->copy_exposed_ps - of->copy_in_ps - of->copy_out_ps};
        for (int c = CLASS_COPY_IN; c <= CLASS_COPY; c++)
            scale[c].to_ps = scale[c].raw_ps > 0 ? way_ps[c - CLASS_COPY_IN] : 0;
        return;
    }
    for (int c = CLASS_COPY_IN; c <= CLASS_COPY; c++)
        xpd_grow_i64(&all.raw_ps, scale[c].raw_ps);
    for (int c = CLASS_COPY_IN; all.raw_ps > 0 && c <= CLASS_COPY; c++)
        scale[c].to_ps = scaled(&all, scale[c].raw_ps);
}

static void take_union(struct scale *scale, const struct xpd_split_span *span)
{
    const struct xpd_overlap *of = span->measured;
    bool up = span->stretch && scale[CLASS_COMPUTE].raw_ps > 0;
    scale[CLASS_COMPUTE].to_ps =
        up ? of->compute_ps : smaller(of->compute_ps, scale[CLASS_COMPUTE].raw_ps);
    scale[CLASS_COLLECTIVE].to_ps = scale[CLASS_COLLECTIVE].raw_ps > 0 ? of->comm_exposed_ps : 0;
    take_copies(scale, of);
    scale[CLASS_OTHER].to_ps = smaller(of->idle_ps, scale[CLASS_OTHER].raw_ps);
}

/* Time of the union beyond executions of known operations. */
static void add_unnamed(struct xpd_step_parts *out, const struct scale *scale,
                        const struct xpd_overlap *of)
{
    out->unnamed_ps = of->compute_ps - scale[CLASS_COMPUTE].to_ps;
    out->ps[XPD_PART_COMPUTE + XPD_OP_NONE] += out->unnamed_ps;
    out->ps[XPD_PART_COLLECTIVE] += of->comm_exposed_ps - scale[CLASS_COLLECTIVE].to_ps;
    int64_t unnamed_ps = of->copy_exposed_ps;
    for (int c = CLASS_COPY_IN; c <= CLASS_COPY; c++)
        unnamed_ps -= scale[c].to_ps;
    if (tells_way(of)) {
        int64_t in_ps = of->copy_in_ps - scale[CLASS_COPY_IN].to_ps;
        int64_t out_ps = of->copy_out_ps - scale[CLASS_COPY_OUT].to_ps;
        out->ps[XPD_PART_COPY_IN] += in_ps;
        out->ps[XPD_PART_COPY_OUT] += out_ps;
        unnamed_ps -= in_ps + out_ps;
    }
    out->ps[XPD_PART_COPY] += unnamed_ps;
}

void xpd_step_split(struct xpd_step_parts *out, const struct xpd_split_lane *lane,
                    const struct xpd_split_span *span, struct xpd_split_op *ops)
{
    struct split split = {.lane = lane, .span = span, .out = out, .ops = ops};
    *out = (struct xpd_step_parts){0};
    for (uint32_t d = 0; d < lane->device_count; d++)
        add_device(&split, lane->device[d]);
    sum_classes(&split);
    if (span->measured)
        take_union(split.scale, span);
    else
        take_self(split.scale, span->duration_ps);
    for (uint32_t d = 0; any_scaled(&split) && d < lane->device_count; d++)
        scale_device(&split, lane->device[d]);
    if (span->measured)
        add_unnamed(out, split.scale, span->measured);
    out->ps[XPD_PART_IDLE] = span->duration_ps;
    for (uint32_t p = XPD_PART_IDLE + 1; p < XPD_PART_COUNT; p++)
        out->ps[XPD_PART_IDLE] -= out->ps[p];
}
