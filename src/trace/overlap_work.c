/* Intervals of work. In: a view with derived rows. Out: compute, collectives and copies of a range.
 * Asynchronous pairs are found once for each process, all else inside of the range only. */
#include "overlap_work.h"

#include "xprofd/trace/async.h"
#include "xprofd/trace/window.h"

#include <stdlib.h>

enum role { UNKNOWN, NEITHER, COMPUTE, COMM, COMM_START, COMM_DONE };

/* "all-reduce-start.7": the opcode, and which half it is. */
static struct xpd_str stem_of(struct xpd_str caption, struct xpd_str *number)
{
    size_t end = caption.size;
    while (end > 0 && caption.data[end - 1] >= '0' && caption.data[end - 1] <= '9')
        end--;
    *number = (struct xpd_str){caption.data + end, caption.size - end};
    if (end > 0 && end < caption.size && caption.data[end - 1] == '.')
        end--;
    else
        end = caption.size;
    return (struct xpd_str){caption.data, end};
}

static uint32_t key_of(struct xpd_overlapping *o, struct xpd_str stem, size_t cut,
                       struct xpd_str number, uint64_t program)
{
    struct xpd_strbuf text = {0};
    xpd_strbuf_add(&text, stem.data, stem.size - cut);
    xpd_strbuf_putc(&text, '.');
    xpd_strbuf_add(&text, number.data, number.size);
    xpd_strbuf_putc(&text, ' ');
    xpd_strbuf_u64(&text, program);
    uint32_t key = xpd_intern_put(&o->keys, text.data ? text.data : "", text.size);
    xpd_strbuf_fini(&text);
    return key;
}

static bool is_copy(struct xpd_str stem)
{
    return xpd_str_eq(stem, XPD_STR("copy")) || xpd_str_eq(stem, XPD_STR("copy-start")) ||
           xpd_str_eq(stem, XPD_STR("copy-done"));
}

static enum role role_of(struct xpd_overlapping *o, uint32_t name)
{
    const struct xpd_event_name *at = xpd_view_name(o->view, name);
    struct xpd_str number, stem = stem_of(xpd_view_caption(o->view, name), &number);
    if (at->group == XPD_OP_COLLECTIVE) {
        bool start = xpd_str_ends(stem, "-start"), done = xpd_str_ends(stem, "-done");
        struct xpd_str of = xpd_async_start_name(xpd_view_text(o->view, name, at->name));
        if (done && of.size != 0)
            stem = stem_of(of, &number);
        if (start || done)
            o->key[name] =
                key_of(o, stem, xpd_str_ends(stem, "-done") ? 5 : 6, number, at->program_id);
        return start ? COMM_START : done ? COMM_DONE : COMM;
    }
    bool neither =
        at->wait || at->group == XPD_OP_CONTROL || is_copy(stem) || xpd_str_ends(stem, "-start");
    return neither ? NEITHER : COMPUTE;
}

static enum role role(struct xpd_overlapping *o, uint32_t name)
{
    if (o->role[name] == UNKNOWN)
        o->role[name] = (uint8_t)role_of(o, name);
    return (enum role)o->role[name];
}

static bool has_work(const struct xpd_view *view, uint32_t row)
{
    enum xpd_row_kind kind = xpd_view_row(view, row)->kind;
    return kind == XPD_ROW_OPS || kind == XPD_ROW_STREAM;
}

/* ---- asynchronous pairs: the k-th start with the k-th done of one instruction ---- */

struct half {
    uint32_t key, name;
    bool done;
    int64_t start_ps, end_ps;
};
struct halves {
    struct half *at;
    size_t count, capacity;
    bool failed;
};

static int by_key(const void *a, const void *b)
{
    const struct half *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (int)x->done - (int)y->done;
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_overlap_named *x = a, *y = b;
    return (x->at.start_ps > y->at.start_ps) - (x->at.start_ps < y->at.start_ps);
}

static void collect_halves(struct xpd_overlapping *o, const struct xpd_depth *depth,
                           struct halves *halves)
{
    for (uint32_t i = 0; i < depth->count; i++) {
        enum role which = role(o, depth->name[i]);
        if (which != COMM_START && which != COMM_DONE)
            continue;
        struct half half = {o->key[depth->name[i]], depth->name[i], which == COMM_DONE,
                            depth->start_ps[i], depth->start_ps[i] + depth->duration_ps[i]};
        XPD_PUSH(halves, half);
    }
}

/* Within one key: a queue of starts; a done takes the oldest. */
static void pair_halves(struct xpd_overlapping *o, const struct halves *halves)
{
    size_t oldest = 0;
    for (size_t i = 0; i < halves->count; i++) {
        const struct half *half = &halves->at[i];
        if (i == 0 || halves->at[i - 1].key != half->key)
            oldest = i;
        if (!half->done)
            continue;
        while (oldest < i && halves->at[oldest].done)
            oldest++;
        if (oldest == i)
            continue;
        const struct half *start = &halves->at[oldest++];
        struct xpd_overlap_named pair = {{start->start_ps, half->end_ps}, start->name};
        XPD_PUSH(&o->pair, pair);
    }
    if (o->pair.count > 0)
        qsort(o->pair.at, o->pair.count, sizeof *o->pair.at, by_start);
}

static void find_pairs(struct xpd_overlapping *o, uint32_t process)
{
    struct halves halves = {0};
    o->process = process;
    o->ready = true;
    o->pair.count = o->first_pair = 0;
    for (uint32_t r = 0; r < o->view->trace->row_count; r++)
        if (xpd_view_process(o->view, r) == process && has_work(o->view, r))
            for (uint32_t d = 0; d < xpd_view_row(o->view, r)->depth_count; d++)
                collect_halves(o, xpd_view_depth(o->view, r, d), &halves);
    if (halves.count > 0)
        qsort(halves.at, halves.count, sizeof *halves.at, by_key);
    pair_halves(o, &halves);
    o->pair.failed |= halves.failed;
    XPD_VEC_FINI(&halves);
}

/* ---- one step ---- */

static void put(struct xpd_intervals *list, struct xpd_time_range range, int64_t start_ps,
                int64_t end_ps)
{
    struct xpd_interval at = {start_ps > range.from_ps ? start_ps : range.from_ps,
                              end_ps < range.to_ps ? end_ps : range.to_ps};
    if (at.end_ps > at.start_ps)
        XPD_PUSH(list, at);
}

static void put_collective(struct xpd_overlapping *o, struct xpd_time_range range,
                           struct xpd_overlap_named one)
{
    put(&o->comm, range, one.at.start_ps, one.at.end_ps);
    one.at.start_ps = one.at.start_ps > range.from_ps ? one.at.start_ps : range.from_ps;
    one.at.end_ps = one.at.end_ps < range.to_ps ? one.at.end_ps : range.to_ps;
    if (one.at.end_ps > one.at.start_ps)
        XPD_PUSH(&o->each, one);
}

static void put_work(struct xpd_overlapping *o, const struct xpd_depth *depth,
                     struct xpd_time_range range)
{
    uint32_t first, end;
    xpd_view_range(o->view, depth, range, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        enum role which = role(o, depth->name[i]);
        int64_t start_ps = depth->start_ps[i], end_ps = start_ps + depth->duration_ps[i];
        if (which == COMPUTE)
            put(&o->compute, range, start_ps, end_ps);
        else if (which == COMM)
            put_collective(o, range,
                           (struct xpd_overlap_named){{start_ps, end_ps}, depth->name[i]});
    }
}

static void put_copies(struct xpd_overlapping *o, const struct xpd_depth *depth,
                       struct xpd_time_range range)
{
    uint32_t first, end;
    xpd_view_range(o->view, depth, range, &first, &end);
    for (uint32_t i = first; i < end; i++)
        put(&o->copy, range, depth->start_ps[i], depth->start_ps[i] + depth->duration_ps[i]);
}

/* Steps of a process come in order, so pairs that ended before one are of no use to the next. */
static void put_pairs(struct xpd_overlapping *o, struct xpd_time_range range)
{
    while (o->first_pair < o->pair.count && o->pair.at[o->first_pair].at.end_ps <= range.from_ps)
        o->first_pair++;
    for (size_t i = o->first_pair; i < o->pair.count && o->pair.at[i].at.start_ps < range.to_ps;
         i++)
        put_collective(o, range, o->pair.at[i]);
}

void xpd_overlap_collect(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range)
{
    o->compute.count = o->comm.count = o->copy.count = o->all.count = o->each.count = 0;
    if (!o->ready || o->process != process)
        find_pairs(o, process);
    for (uint32_t r = 0; r < xpd_view_rows(o->view); r++) {
        const struct xpd_trace_row *row = xpd_view_row(o->view, r);
        if (row->process != process || (!has_work(o->view, r) && row->kind != XPD_ROW_OFFLOAD))
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            if (row->kind == XPD_ROW_OFFLOAD)
                put_copies(o, xpd_view_depth(o->view, r, d), range);
            else
                put_work(o, xpd_view_depth(o->view, r, d), range);
        }
    }
    put_pairs(o, range);
}

bool xpd_overlap_failed(const struct xpd_overlapping *o)
{
    return o->pair.failed || o->compute.failed || o->comm.failed || o->copy.failed ||
           o->all.failed || o->each.failed || o->keys.failed;
}

bool xpd_overlap_open(struct xpd_overlapping *o, const struct xpd_view *view)
{
    *o = (struct xpd_overlapping){.view = view};
    xpd_intern_init(&o->keys, &o->arena);
    o->role = calloc((size_t)xpd_view_names(view) + 1, sizeof *o->role);
    o->key = calloc((size_t)xpd_view_names(view) + 1, sizeof *o->key);
    return o->role && o->key;
}

void xpd_overlap_close(struct xpd_overlapping *o)
{
    free(o->role);
    free(o->key);
    XPD_VEC_FINI(&o->pair);
    XPD_VEC_FINI(&o->each);
    XPD_VEC_FINI(&o->compute);
    XPD_VEC_FINI(&o->comm);
    XPD_VEC_FINI(&o->copy);
    XPD_VEC_FINI(&o->all);
    xpd_intern_fini(&o->keys);
    xpd_arena_fini(&o->arena);
}
