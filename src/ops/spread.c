/* Executions added up. In: the executions of a host, and which of them. Out: sums by operation,
 * percentiles of durations. */
#include "xprofd/ops/spread.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/totals.h"

#include <stdlib.h>

/* Below so many executions the 99th percentile is the longest one. */
#define P99_LEAST 20

/* ---- sums ---- */

static void add_chip(struct xpd_op_chosen *to, double mean_ps, bool sparse)
{
    to->chips++;
    if (to->compared > 0 && sparse && !to->sparse)
        return;
    if (to->sparse && !sparse)
        to->compared = 0;
    bool first = to->compared++ == 0;
    to->sparse = sparse;
    to->slowest_mean_ps = first || mean_ps > to->slowest_mean_ps ? mean_ps : to->slowest_mean_ps;
    to->fastest_mean_ps = first || mean_ps < to->fastest_mean_ps ? mean_ps : to->fastest_mean_ps;
}

struct xpd_op_chosen xpd_op_all(const struct xpd_op_times *times, const struct xpd_op *op)
{
    struct xpd_op_chosen all = {.sums = op->sums, .host_known = true};
    for (uint32_t i = 0; i < op->share_count; i++) {
        const struct xpd_op_share *share = &times->share[op->first_share + i];
        add_chip(&all, xpd_op_mean_ps(&share->sums), times->device[share->device].sparse);
    }
    return all;
}

struct on_chip { /* of one op, of the device that is being added up */
    uint64_t count;
    int64_t total_ps;
};

static void add_run(struct xpd_op_sums *to, int64_t duration_ps, int64_t self_ps, bool device_clock)
{
    if (to->count == 0 || duration_ps < to->min_ps)
        to->min_ps = duration_ps;
    if (to->count == 0 || duration_ps > to->max_ps)
        to->max_ps = duration_ps;
    to->count++;
    to->device_count += device_clock;
    xpd_grow_i64(&to->total_ps, duration_ps);
    xpd_grow_i64(&to->self_ps, self_ps);
}

static void add_range(struct xpd_op_chosen *out, struct on_chip *chip,
                      const struct xpd_op_device_runs *device, const struct xpd_op_range *range)
{
    uint32_t hint = 0;
    XPD_BISECT(hint, device->inside_count, middle, device->inside[middle].at < range->first);
    for (uint32_t at = range->first; at < range->end; at++) {
        uint32_t op = xpd_op_run_op(device, at);
        int64_t duration_ps = xpd_op_run_duration_ps(device, at);
        int64_t self_ps = xpd_op_run_self_of(device, at, duration_ps, &hint);
        add_run(&out[op].sums, duration_ps, self_ps, device->device_clock);
        chip[op].count++;
        xpd_grow_i64(&chip[op].total_ps, duration_ps);
    }
}

static void add_device(struct xpd_op_chosen *out, const struct on_chip *chip, uint32_t op_count,
                       bool sparse)
{
    for (uint32_t op = 0; op < op_count; op++)
        if (chip[op].count > 0)
            add_chip(&out[op], (double)chip[op].total_ps / (double)chip[op].count, sparse);
}

struct xpd_op_chosen *xpd_op_choose(const struct xpd_op_runs *runs,
                                    const struct xpd_op_range *range, uint32_t count,
                                    struct xpd_arena *arena)
{
    uint32_t ops = runs->times->op_count;
    struct xpd_op_chosen *out = XPD_NEW_ARRAY(arena, struct xpd_op_chosen, ops);
    struct on_chip *chip = malloc(((size_t)ops + 1) * sizeof *chip);
    for (uint32_t i = 0; out && chip && i < count;) {
        uint32_t device = range[i].device;
        memset(chip, 0, (size_t)ops * sizeof *chip);
        for (; i < count && range[i].device == device; i++)
            add_range(out, chip, &runs->device[device], &range[i]);
        add_device(out, chip, ops, runs->times->device[device].sparse);
    }
    bool ok = out && chip;
    free(chip);
    return ok ? out : NULL;
}

void xpd_op_ranges_all(struct xpd_op_range *range, const struct xpd_op_runs *runs)
{
    for (uint32_t d = 0; d < runs->device_count; d++)
        range[d] = (struct xpd_op_range){d, 0, runs->device[d].count};
}

/* ---- percentiles ---- */

struct spreading {
    const struct xpd_op_runs *runs;
    const uint32_t *kernels;
    uint64_t *end;        /* by op: where its durations end in `duration_ps` */
    int64_t *duration_ps; /* of executions, by op */
    uint32_t *have;       /* by op: kernels of an execution that is not whole yet */
};

static uint32_t kernels_of(const struct spreading *s, uint32_t op)
{
    return s->kernels && s->kernels[op] > 1 ? s->kernels[op] : 1;
}

static void count_events(struct spreading *s, const struct xpd_op_range *range, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = range[i].first; at < range[i].end; at++)
            s->end[xpd_op_run_op(&s->runs->device[range[i].device], at)]++;
}

/* From counts of events to where the durations of each op begin; one more for all of them. */
static uint64_t place(struct spreading *s, uint32_t ops)
{
    uint64_t all = 0;
    for (uint32_t op = 0; op < ops; op++) {
        uint64_t n = s->end[op];
        s->end[op] = all;
        all += n;
    }
    return all;
}

static void put(struct spreading *s, uint32_t op, int64_t duration_ps)
{
    uint32_t kernels = kernels_of(s, op);
    if (s->have[op] == 0)
        s->duration_ps[s->end[op]++] = duration_ps;
    else
        xpd_grow_i64(&s->duration_ps[s->end[op] - 1], duration_ps);
    if (kernels > 1)
        s->have[op] = (s->have[op] + 1) % kernels;
}

/* An execution does not go on on another device. */
static void put_all(struct spreading *s, const struct xpd_op_range *range, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_op_device_runs *device = &s->runs->device[range[i].device];
        for (uint32_t at = range[i].first; at < range[i].end; at++)
            put(s, xpd_op_run_op(device, at), xpd_op_run_duration_ps(device, at));
    }
}

static struct xpd_op_spread spread_of(int64_t *duration_ps, size_t n)
{
    enum { FEW = 4096 }; /* bins pay above */
    struct xpd_op_spread out = {-1, -1, -1, -1};
    if (n == 0)
        return out;
    size_t rank[] = {xpd_rank_of(0.5, n), n < P99_LEAST ? n - 1 : xpd_rank_of(0.99, n)};
    int64_t found[2];
    out.min_ps = out.max_ps = duration_ps[0];
    for (size_t i = 1; i < n; i++) {
        out.min_ps = duration_ps[i] < out.min_ps ? duration_ps[i] : out.min_ps;
        out.max_ps = duration_ps[i] > out.max_ps ? duration_ps[i] : out.max_ps;
    }
    if (n > FEW)
        xpd_select_durations(duration_ps, n, rank, found, 2);
    for (size_t k = 0; n <= FEW && k < 2; k++)
        found[k] = xpd_select_i64(duration_ps, n, rank[k]);
    out.p50_ps = found[0];
    out.p99_ps = found[1];
    return out;
}

int xpd_op_spread_make(struct xpd_op_spread *out, const struct xpd_op_runs *runs,
                       const struct xpd_op_range *range, uint32_t count, const uint32_t *kernels,
                       struct xpd_err *err)
{
    uint32_t ops = runs->times->op_count;
    struct spreading s = {.runs = runs,
                          .kernels = kernels,
                          .end = calloc((size_t)ops + 1, sizeof *s.end),
                          .have = calloc((size_t)ops + 1, sizeof *s.have)};
    struct xpd_op_range *all = range ? NULL : calloc((size_t)runs->device_count + 1, sizeof *all);
    if (all) {
        xpd_op_ranges_all(all, runs);
        range = all;
        count = runs->device_count;
    }
    bool ok = s.end && s.have && range;
    if (ok) {
        count_events(&s, range, count);
        s.duration_ps = malloc((place(&s, ops) + 1) * sizeof *s.duration_ps);
        ok = s.duration_ps != NULL;
    }
    uint64_t *first = ok ? malloc(((size_t)ops + 1) * sizeof *first) : NULL;
    if (first) {
        memcpy(first, s.end, (size_t)ops * sizeof *first);
        put_all(&s, range, count);
        for (uint32_t op = 0; op < ops; op++)
            out[op] = s.have[op] > 0 ? (struct xpd_op_spread){-1, -1, -1, -1}
                                     : spread_of(s.duration_ps + first[op], s.end[op] - first[op]);
    }
    ok = first != NULL;
    free(all);
    free(first);
    free(s.duration_ps);
    free(s.end);
    free(s.have);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "for the percentiles of operations");
}
