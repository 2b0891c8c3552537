/* Executions that only stats in the file name (op_scan.c): what a pass kept becomes columns by
 * device, in order of start. Each line of the file is in order, and those of a device are merged.
 */
#include "op_times.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct merge { /* pieces of a device, the one that begins first on top of a heap */
    const struct xpd_op_kept *kept;
    struct xpd_op_piece *piece; /* `first` and `inside` move on */
    size_t count;
};

/* Of equal starts that of the outer depth, which was read before. */
static bool before(const struct merge *merge, size_t a, size_t b)
{
    const struct xpd_op_piece *x = &merge->piece[a], *y = &merge->piece[b];
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps;
    return x->first < y->first;
}

static void sink(struct merge *merge, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < merge->count; at = child) {
        if (child + 1 < merge->count && before(merge, child + 1, child))
            child++;
        if (!before(merge, child, at))
            return;
        struct xpd_op_piece swap = merge->piece[at];
        merge->piece[at] = merge->piece[child];
        merge->piece[child] = swap;
    }
}

struct columns { /* of a device, being written */
    struct xpd_op_device_runs *out;
    uint32_t *op;
    int64_t *start_ps, *duration_ps;
    struct xpd_op_inside *inside;
    int64_t covered_ps; /* how far the executions so far reach */
};

static void put_run(struct columns *to, const struct merge *merge, struct xpd_op_piece *piece)
{
    const struct xpd_op_kept *kept = merge->kept;
    const struct xpd_op_run *run = &kept->run.at[piece->first];
    struct xpd_op_device_runs *out = to->out;
    uint32_t at = out->count++;
    to->op[at] = run->slot; /* until the names of the pass are known */
    to->start_ps[at] = run->start_ps;
    to->duration_ps[at] = run->own_ps;
    if (run->inside_ps > 0)
        to->inside[out->inside_count++] =
            (struct xpd_op_inside){at, kept->inside.at[piece->inside++].inside_ps};
    piece->first++;
    if (run->nested)
        return;
    bool overflow = false;
    int64_t end_ps = xpd_add_i64(run->start_ps, run->host_ps, &overflow);
    if (at > 0 && run->start_ps < to->covered_ps)
        xpd_grow_i64(&out->side_by_side_ps,
                     (end_ps < to->covered_ps ? end_ps : to->covered_ps) - run->start_ps);
    to->covered_ps = at == 0 || end_ps > to->covered_ps ? end_ps : to->covered_ps;
}

static bool merge_device(struct xpd_arena *arena, struct xpd_op_device_runs *out,
                         const struct xpd_op_kept *kept)
{
    size_t count = kept->run.count;
    struct merge merge = {kept, kept->piece.at, kept->piece.count};
    struct columns to = {.out = out,
                         .op = XPD_NEW_ROOM(arena, uint32_t, count),
                         .start_ps = XPD_NEW_ROOM(arena, int64_t, count),
                         .duration_ps = XPD_NEW_ROOM(arena, int64_t, count),
                         .inside = XPD_NEW_ROOM(arena, struct xpd_op_inside, kept->inside.count)};
    if (arena->failed)
        return false;
    for (size_t i = merge.count / 2; i-- > 0;)
        sink(&merge, i);
    while (merge.count > 0) {
        put_run(&to, &merge, &merge.piece[0]);
        if (merge.piece[0].first == merge.piece[0].end)
            merge.piece[0] = merge.piece[--merge.count];
        else
            merge.piece[0].start_ps = kept->run.at[merge.piece[0].first].start_ps;
        sink(&merge, 0);
    }
    out->op = to.op;
    out->start_ps = to.start_ps;
    out->duration_ps = to.duration_ps;
    out->inside = to.inside;
    out->device_clock = !kept->clockless;
    return true;
}

/* ---- from the pass to the times ---- */

bool xpd_op_end_process(struct xpd_op_build *build)
{
    bool fine = true;
    for (size_t i = 0; fine && i < build->kept.count; i++) {
        struct xpd_op_kept *kept = &build->kept.at[i];
        struct xpd_op_device_runs found = {0};
        while (build->found.count <= i && !build->found.failed)
            XPD_PUSH(&build->found, found);
        if (kept->run.count == 0)
            continue;
        fine = !build->found.failed && merge_device(&build->out->arena, &build->found.at[i], kept);
        xpd_op_kept_fini(kept);
        *kept = (struct xpd_op_kept){0};
    }
    return fine;
}

static int by_device(const void *a, const void *b)
{
    const struct xpd_op_named_run *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->run.from_ps != y->run.from_ps)
        return x->run.from_ps < y->run.from_ps ? -1 : 1;
    return (x->run.program > y->run.program) - (x->run.program < y->run.program);
}

/* Runs that events name, under the numbers of the times. */
static bool keep_named(struct xpd_op_build *build, struct xpd_op_device_runs *found)
{
    size_t count = build->named.count;
    struct xpd_op_named_run *named = build->named.at;
    struct xpd_op_program_run *run =
        XPD_NEW_ROOM(&build->out->arena, struct xpd_op_program_run, count);
    if (count > 1)
        qsort(named, count, sizeof *named, by_device);
    for (size_t i = 0; run && i < count; i++) {
        const struct xpd_op_device *device = &build->device.at[named[i].device];
        struct xpd_op_device_runs *of =
            &found[xpd_op_device_of(build->out, device->process, device->number)];
        run[i] = named[i].run;
        run[i].program = build->program_place[run[i].program];
        if (of->run_count++ == 0)
            of->run = &run[i];
    }
    return run != NULL;
}

/* Columns have slots of the pass: they become operations of the times. */
bool xpd_op_keep_found(struct xpd_op_build *build)
{
    struct xpd_op_times *times = build->out;
    if (build->found.count == 0)
        return true;
    struct xpd_op_device_runs *found =
        XPD_NEW_ARRAY(&times->arena, struct xpd_op_device_runs, times->device_count);
    for (size_t i = 0; found && i < build->found.count; i++) {
        const struct xpd_op_device_runs *runs = &build->found.at[i];
        uint32_t *op = (uint32_t *)runs->op; /* still ours */
        for (uint32_t k = 0; k < runs->count; k++)
            op[k] = build->op_of_slot[op[k]];
        if (runs->count > 0)
            found[xpd_op_device_of(times, build->device.at[i].process,
                                   build->device.at[i].number)] = *runs;
    }
    times->found = found;
    return found && keep_named(build, found);
}
