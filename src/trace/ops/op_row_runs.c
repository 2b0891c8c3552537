/* Executions of chips whose names tell program and instruction. In: a frozen trace and its times of
 * instructions. Out: where the executions of each chip stand in the trace, in order of start.
 *
 * The rows are read as for the times (op_times.h). Each depth is in order; those of a chip are
 * merged, but for the usual chip, whose executions are one depth as it stands. */
#include "op_times.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>

struct piece { /* a depth with executions; those before `at` are merged */
    const struct xpd_depth *depth, *above;
    uint32_t number, at, end;
    uint32_t up;         /* how far `above` is read */
    size_t inside, ends; /* of struct taking */
};
struct taking { /* the executions of a process */
    struct xpd_op_runs *runs;
    const struct xpd_trace *trace;
    XPD_VEC(struct piece) piece;
    XPD_VEC(struct xpd_op_inside) inside; /* `at`: in the depth */
    uint64_t count;
    bool clockless; /* some have no time by the chip's clock */
};

/* ---- which events are executions ---- */

static inline bool is_op(const struct taking *taking, uint32_t name)
{
    return taking->runs->times->op_of_name[name] != XPD_NO_INDEX;
}

static void take_depth(void *user, struct xpd_op_depth *at)
{
    struct taking *taking = user;
    const struct xpd_depth *depth = at->depth;
    struct piece piece = {.depth = depth,
                          .above = at->above,
                          .number = (uint32_t)taking->piece.count,
                          .at = depth->count,
                          .inside = taking->inside.count};
    for (uint32_t i = 0; i < depth->count; i++) {
        int64_t inside_ps = xpd_op_inside_ps(at, i);
        if (!is_op(taking, depth->name[i]))
            continue;
        piece.at = piece.at < i ? piece.at : i;
        piece.end = i + 1;
        taking->count++;
        taking->clockless |=
            at->rows->host_clock || xpd_trace_device_ps(taking->trace, depth, i) < 0;
        if (inside_ps > 0)
            XPD_PUSH(&taking->inside, ((struct xpd_op_inside){i, inside_ps}));
    }
    piece.ends = taking->inside.count;
    if (piece.at < piece.end)
        XPD_PUSH(&taking->piece, piece);
}

/* ---- in order of start ---- */

/* Of equal starts that of the outer depth, which was read before. */
static bool before(const struct piece *a, const struct piece *b)
{
    int64_t x_ps = xpd_depth_start(a->depth, a->at), y_ps = xpd_depth_start(b->depth, b->at);
    return x_ps != y_ps ? x_ps < y_ps : a->number < b->number;
}

/* The piece that begins first is on top. */
static void sink(struct piece *piece, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&piece[child + 1], &piece[child]))
            child++;
        if (!before(&piece[child], &piece[at]))
            return;
        struct piece swap = piece[at];
        piece[at] = piece[child];
        piece[child] = swap;
    }
}

struct merging {
    const struct taking *taking;
    struct xpd_op_device_runs *out;
    uint32_t *event; /* NULL: they are one depth as it stands */
    struct xpd_op_inside *inside;
    uint32_t count;
    int64_t covered_ps; /* how far the executions so far reach */
};

/* Whether [start_ps, start_ps + host_ps) is drawn inside an event of `above`; *up moves on. */
static inline bool is_nested(const struct xpd_depth *above, uint32_t *up, int64_t start_ps,
                             int64_t host_ps)
{
    if (!above || above->count == 0)
        return false;
    while (*up + 1 < above->count && above->start_ps[*up + 1] <= start_ps)
        ++*up;
    uint64_t lead_ps = (uint64_t)start_ps - (uint64_t)above->start_ps[*up];
    return above->start_ps[*up] <= start_ps &&
           lead_ps + (uint64_t)host_ps <= (uint64_t)above->duration_ps[*up];
}

/* Time that an execution which is not nested has in common with those before. */
static void add_beside(struct merging *to, struct piece *piece)
{
    int64_t start_ps = xpd_depth_start(piece->depth, piece->at), end_ps = start_ps;
    int64_t host_ps = xpd_depth_duration(piece->depth, piece->at);
    if (is_nested(piece->above, &piece->up, start_ps, host_ps))
        return;
    xpd_grow_i64(&end_ps, host_ps);
    if (to->count > 0 && start_ps < to->covered_ps)
        xpd_grow_i64(&to->out->side_by_side_ps,
                     (end_ps < to->covered_ps ? end_ps : to->covered_ps) - start_ps);
    to->covered_ps = to->count == 0 || end_ps > to->covered_ps ? end_ps : to->covered_ps;
}

static void put(struct merging *to, struct piece *piece)
{
    const struct taking *taking = to->taking;
    add_beside(to, piece);
    if (to->event)
        to->event[to->count] =
            (uint32_t)(piece->depth->first_event - to->out->depth->first_event + piece->at);
    if (piece->inside < piece->ends && taking->inside.at[piece->inside].at == piece->at)
        to->inside[to->out->inside_count++] =
            (struct xpd_op_inside){to->count, taking->inside.at[piece->inside++].inside_ps};
    to->count++;
    do
        piece->at++;
    while (piece->at < piece->end && !is_op(taking, piece->depth->name[piece->at]));
}

static void merge(struct merging *to, struct piece *piece, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sink(piece, count, i);
    while (count > 0) {
        put(to, &piece[0]);
        if (piece[0].at == piece[0].end)
            piece[0] = piece[--count];
        sink(piece, count, 0);
    }
}

/* All of them in one depth, one after another and nothing in or beside them. */
static bool is_plain(const struct taking *taking)
{
    const struct piece *only = taking->piece.at;
    return taking->piece.count == 1 && taking->count == only->depth->count && !only->above &&
           !only->depth->overlapping && taking->inside.count == 0;
}

static bool put_device(struct taking *taking, struct xpd_op_device_runs *out)
{
    struct xpd_arena *arena = &taking->runs->arena;
    struct piece *first = taking->piece.at, *last = first + taking->piece.count - 1;
    uint64_t reach = last->depth->first_event + last->depth->count - first->depth->first_event;
    bool whole = first == last && taking->count == first->depth->count;
    struct merging to = {.taking = taking, .out = out};
    if (reach > UINT32_MAX) /* where an execution stands is kept as a number of 32 bits */
        return false;
    out->count = (uint32_t)taking->count;
    out->trace = taking->trace;
    out->depth = first->depth;
    out->depth_count = (uint32_t)(last->depth - first->depth) + 1;
    out->op_of_name = taking->runs->times->op_of_name;
    out->host_clock = taking->runs->times->host_clock;
    out->device_clock = !taking->clockless;
    if (is_plain(taking))
        return true;
    out->event = to.event = whole ? NULL : XPD_NEW_ROOM(arena, uint32_t, taking->count);
    out->inside = to.inside = XPD_NEW_ROOM(arena, struct xpd_op_inside, taking->inside.count);
    if (arena->failed)
        return false;
    merge(&to, first, taking->piece.count);
    return true;
}

static bool take_process(struct taking *taking, struct xpd_op_reader *rows, uint32_t process)
{
    taking->piece.count = taking->inside.count = 0;
    taking->count = 0;
    taking->clockless = false;
    xpd_op_reader_each(rows, process, take_depth, taking);
    if (taking->piece.failed || taking->inside.failed)
        return false;
    uint32_t device =
        xpd_op_device_of(taking->runs->times, process, taking->trace->process[process].device);
    return taking->count == 0 || put_device(taking, &taking->runs->device[device]);
}

int xpd_op_row_runs(struct xpd_op_runs *runs, const struct xpd_trace *trace, struct xpd_err *err)
{
    struct taking taking = {.runs = runs, .trace = trace};
    struct xpd_op_reader rows;
    bool fine = true;
    xpd_op_reader_init(&rows, trace, runs->times->host_clock);
    for (uint32_t p = 0; fine && p < trace->process_count; p++)
        if (xpd_process_is_tpu(trace->process[p].kind))
            fine = take_process(&taking, &rows, p);
    runs->op_of_name = runs->times->op_of_name;
    XPD_VEC_FINI(&taking.piece);
    XPD_VEC_FINI(&taking.inside);
    return fine ? XPD_OK : xpd_op_no_memory(err);
}
