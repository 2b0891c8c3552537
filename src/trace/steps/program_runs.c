/* Where runs of a program begin and end. In: the executions on a device. Out: spans of time. */
#include "xprofd/trace/program_runs.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>

struct cutting {
    XPD_VEC(struct xpd_run_span) run;
    int64_t end_ps;                   /* of the executions so far */
    int64_t gap_ps, before_ps, at_ps; /* the longest since an operation that tells runs: it begins
                                         at before_ps, the next execution at at_ps */
};

static void begin_run(struct cutting *c, int64_t start_ps, int64_t before_ps)
{
    struct xpd_run_span run = {.from_ps = start_ps};
    if (c->run.count > 0)
        c->run.at[c->run.count - 1].to_ps = before_ps;
    XPD_PUSH(&c->run, run);
}

static void note_gap(struct cutting *c, int64_t start_ps)
{
    if (c->at_ps != INT64_MIN && start_ps - c->end_ps <= c->gap_ps)
        return;
    c->gap_ps = start_ps - c->end_ps;
    c->before_ps = c->end_ps;
    c->at_ps = start_ps;
}

/* Ends the last run and gives all to `out`. */
static bool keep_runs(struct xpd_run_spans *out, struct xpd_arena *arena, struct cutting *c)
{
    if (c->run.count > 0 && !c->run.failed)
        c->run.at[c->run.count - 1].to_ps = c->end_ps;
    out->span = XPD_COPY_VEC(arena, &c->run);
    out->count = (uint32_t)c->run.count;
    bool fine = !c->run.failed && out->span;
    XPD_VEC_FINI(&c->run);
    return fine;
}

/* By run: how many of the operations that each run has begin in its time. malloc'ed; NULL: no
 * memory. */
static uint32_t *kinds_of(const struct xpd_run_spans *runs, const struct xpd_op_device_runs *device,
                          const struct xpd_op_program *of, const uint32_t *order)
{
    uint32_t *kinds = calloc((size_t)runs->count + 1, sizeof *kinds);
    uint32_t *seen = calloc((size_t)of->op_count + 1, sizeof *seen); /* last run that had it, + 1 */
    for (uint32_t run = 0; kinds && seen && run < runs->count; run++) {
        uint32_t first, end;
        int64_t to_ps = runs->span[run].to_ps;
        to_ps += to_ps < INT64_MAX; /* the last one may take no time */
        xpd_op_runs_range(device, runs->span[run].from_ps, to_ps, &first, &end);
        for (uint32_t i = first; i < end; i++) {
            uint32_t o = xpd_op_run_op(device, i) - of->first_op;
            if (o >= of->op_count || order[o] == XPD_NO_INDEX || seen[o] == run + 1)
                continue;
            seen[o] = run + 1;
            kinds[run]++;
        }
    }
    if (!seen) {
        free(kinds);
        kinds = NULL;
    }
    free(seen);
    return kinds;
}

/* ---- by the order of operations in the program ---- */

struct ranked {
    uint32_t order, op;
};

static int by_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Of the operations that each run has, those that ran: rank[o], from 0 to one less than their
 * number, which is returned; XPD_NO_INDEX for all others. */
static bool rank_ops(uint32_t *rank, uint32_t *ranks, const struct xpd_op_device_runs *device,
                     const struct xpd_op_program *of, const uint32_t *order)
{
    XPD_VEC(struct ranked) ran = {0};
    for (uint32_t o = 0; o < of->op_count; o++)
        rank[o] = XPD_NO_INDEX;
    for (uint32_t i = 0; i < device->count && !ran.failed; i++) {
        uint32_t o = xpd_op_run_op(device, i) - of->first_op; /* wraps for programs before */
        if (o >= of->op_count || order[o] == XPD_NO_INDEX || rank[o] != XPD_NO_INDEX)
            continue;
        struct ranked one = {order[o], o};
        XPD_PUSH(&ran, one);
        rank[o] = 0;
    }
    if (ran.count > 1 && !ran.failed)
        qsort(ran.at, ran.count, sizeof *ran.at, by_order);
    for (uint32_t k = 0; k < ran.count && !ran.failed; k++)
        rank[ran.at[k].op] = k;
    *ranks = (uint32_t)ran.count;
    bool fine = !ran.failed;
    XPD_VEC_FINI(&ran);
    return fine;
}

/* A run goes from the first rank to the last, but for operations side by side on streams. So where
 * the rank falls by half of all a run begins, and one that jumps as far ahead is a late one of the
 * run before. */
static bool falls(uint32_t from, uint32_t to, uint32_t ranks)
{
    return from > to && (uint64_t)(from - to) * 2 >= ranks;
}

static void cut_at_falls(struct cutting *c, const struct xpd_op_device_runs *device,
                         const struct xpd_op_program *of, const uint32_t *rank, uint32_t ranks,
                         uint32_t *run_of)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < device->count && !c->run.failed; i++) {
        uint32_t o = xpd_op_run_op(device, i) - of->first_op, run = (uint32_t)c->run.count;
        if (o >= of->op_count)
            continue;
        int64_t start_ps = xpd_op_run_start_ps(device, i);
        int64_t end_ps = start_ps;
        xpd_grow_i64(&end_ps, xpd_op_run_duration_ps(device, i));
        if (run == 0) {
            begin_run(c, start_ps, start_ps);
            reached = rank[o] != XPD_NO_INDEX ? rank[o] : 0;
        } else {
            note_gap(c, start_ps);
        }
        bool late = rank[o] != XPD_NO_INDEX && run > 1 && run_of[o] + 1 < run &&
                    falls(rank[o], reached, ranks);
        if (rank[o] != XPD_NO_INDEX && !late) {
            if (run > 0 && falls(reached, rank[o], ranks)) {
                begin_run(c, c->at_ps, c->before_ps);
                reached = rank[o];
            }
            reached = rank[o] > reached ? rank[o] : reached;
            run_of[o] = (uint32_t)c->run.count;
            c->at_ps = INT64_MIN;
        }
        if (late)
            c->run.at[run - 2].to_ps = end_ps;
        c->end_ps = c->end_ps > end_ps ? c->end_ps : end_ps;
    }
}

/* Every run between the first and the last has most of them: a few events may be missing, or not
 * name their operation. Otherwise they run in another order than the program has them in. */
static bool order_holds(const struct xpd_run_spans *runs, const uint32_t *kinds, uint32_t ranks)
{
    for (uint32_t i = 1; i + 1 < runs->count; i++)
        if ((uint64_t)kinds[i] * 2 <= ranks)
            return false;
    return true;
}

static bool from_order(struct xpd_run_spans *out, struct xpd_arena *arena,
                       const struct xpd_op_device_runs *device, const struct xpd_op_program *of,
                       const uint32_t *order, uint32_t *ranks)
{
    uint32_t *rank = malloc(((size_t)of->op_count + 1) * sizeof *rank);
    uint32_t *run_of = calloc((size_t)of->op_count + 1, sizeof *run_of);
    struct cutting c = {.end_ps = INT64_MIN, .at_ps = INT64_MIN};
    bool fine = rank && run_of && rank_ops(rank, ranks, device, of, order);
    if (fine && *ranks > 1)
        cut_at_falls(&c, device, of, rank, *ranks, run_of);
    fine = keep_runs(out, arena, &c) && fine;
    free(rank);
    free(run_of);
    return fine;
}

/* ---- by how often operations ran ---- */

/* Executions of the operations on this device that tell runs; of the one that ran least, not never.
 */
static uint64_t least_of(const struct xpd_op_device_runs *device, const struct xpd_op_program *of,
                         const uint32_t *order, uint64_t *count)
{
    uint64_t least = 0;
    for (uint32_t i = 0; i < device->count; i++) {
        uint32_t o = xpd_op_run_op(device, i) - of->first_op; /* wraps for programs before */
        if (o < of->op_count && (!order || order[o] != XPD_NO_INDEX))
            count[o]++;
    }
    for (uint32_t o = 0; o < of->op_count; o++)
        if (count[o] > 0 && (least == 0 || count[o] < least))
            least = count[o];
    return least;
}

/* Each operation that ran least often is once in each run; runs are cut at the longest gap between
 * the last such operation of one and the first of the next. */
static void cut_runs(struct cutting *c, const struct xpd_op_device_runs *device,
                     const struct xpd_op_program *of, const uint64_t *count, uint64_t least)
{
    uint64_t kinds = 0, in_run = 0;
    for (uint32_t o = 0; o < of->op_count; o++)
        kinds += count[o] == least;
    for (uint32_t i = 0; i < device->count && !c->run.failed; i++) {
        uint32_t o = xpd_op_run_op(device, i) - of->first_op;
        if (o >= of->op_count)
            continue;
        int64_t start_ps = xpd_op_run_start_ps(device, i);
        int64_t end_ps = start_ps;
        xpd_grow_i64(&end_ps, xpd_op_run_duration_ps(device, i));
        if (c->run.count == 0)
            begin_run(c, start_ps, start_ps);
        else if (in_run == kinds)
            note_gap(c, start_ps);
        if (count[o] == least && in_run == kinds) {
            begin_run(c, c->at_ps, c->before_ps);
            in_run = 0;
        }
        if (count[o] == least) {
            in_run++;
            c->at_ps = INT64_MIN;
        }
        c->end_ps = c->end_ps > end_ps ? c->end_ps : end_ps;
    }
}

static bool from_counts(struct xpd_run_spans *out, struct xpd_arena *arena,
                        const struct xpd_op_device_runs *device, const struct xpd_op_program *of,
                        const uint32_t *order)
{
    uint64_t *count = calloc((size_t)of->op_count + 1, sizeof *count);
    uint64_t least = count ? least_of(device, of, order, count) : 0;
    struct cutting c = {.end_ps = INT64_MIN, .at_ps = INT64_MIN};
    if (least > 0)
        cut_runs(&c, device, of, count, least);
    bool fine = keep_runs(out, arena, &c) && count;
    free(count);
    return fine;
}

/* The recording may have begun in the first run, and ended in the last. */
static void leave_parts_out(struct xpd_run_spans *out, const uint32_t *kinds)
{
    uint32_t most = 0, first = kinds[0], last = kinds[out->count - 1];
    for (uint32_t i = 0; i < out->count; i++)
        most = kinds[i] > most ? kinds[i] : most;
    if (last < most) {
        out->count--;
        out->in_part++;
    }
    if (first < most) {
        out->count--;
        out->in_part++;
        out->part_from_ps = out->span->from_ps;
        out->span++;
        out->first_number = 1;
    }
}

/* As events name them. */
static bool from_events(struct xpd_run_spans *out, struct xpd_arena *arena,
                        const struct xpd_op_device_runs *device, uint32_t program)
{
    out->span = XPD_NEW_ROOM(arena, struct xpd_run_span, device->run_count);
    for (uint32_t i = 0; out->span && i < device->run_count; i++)
        if (device->run[i].program == program)
            out->span[out->count++] =
                (struct xpd_run_span){device->run[i].from_ps, device->run[i].to_ps};
    return out->span != NULL;
}

bool xpd_run_spans_make(struct xpd_run_spans *out, struct xpd_arena *arena,
                        const struct xpd_op_times *times, const struct xpd_op_device_runs *device,
                        const struct xpd_op_program *of, const uint32_t *order)
{
    uint32_t ranks = 0; /* of runs that are found by the order */
    *out = (struct xpd_run_spans){0};
    bool fine = from_events(out, arena, device, (uint32_t)(of - times->program));
    if (fine && out->count == 0 && order)
        fine = from_order(out, arena, device, of, order, &ranks);
    if (fine && out->count > 0 && order) {
        uint32_t *kinds = kinds_of(out, device, of, order);
        fine = kinds != NULL;
        if (fine && ranks > 0 && !order_holds(out, kinds, ranks))
            out->count = 0;
        else if (fine)
            leave_parts_out(out, kinds);
        free(kinds);
    }
    if (fine && out->count == 0)
        fine = from_counts(out, arena, device, of, order);
    return fine;
}
