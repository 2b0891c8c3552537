/* XProf's own Host Offload rows: first start with first done of a name, in the order of its
 * unstable sort; a bar goes to the row whose last end is the earliest that is free.
 */
#include "viewer_private.h"
#include "xprofd/compat/unstable_sort.h"

#define ROWS_MAX 41

struct bar {
    int64_t start_ps, end_ps;
    uint64_t event, event2;
    xpd_name_id key;
    uint32_t row, order;
};

struct waiting { /* starts of one key: a list through `next` */
    uint32_t head, tail;
};

struct offload {
    struct xpd_xprof *xprof;
    const struct xpd_trace *trace;
    uint8_t *half; /* by event name: +1 */
    struct xpd_intern *keys;
    XPD_VEC(struct xpd_unstable) event;
    XPD_VEC(struct bar) bar;
    int64_t frontier_ps[ROWS_MAX];
    uint32_t rows;
};

static enum xpd_offload_half half_of(struct offload *offload, uint32_t name)
{
    if (!offload->half[name])
        offload->half[name] =
            (uint8_t)(1 + xpd_offload_half(offload->trace, &offload->trace->name[name]));
    return (enum xpd_offload_half)(offload->half[name] - 1);
}

/* Whether the plane has any such copy: else there is nothing to sort for. */
static bool gather(struct offload *offload, const struct xpd_trace_process *process)
{
    const struct xpd_trace *trace = offload->trace;
    bool any = false;
    for (uint32_t i = 0; i < process->row_count; i++) {
        const struct xpd_trace_row *row = &trace->row[process->first_row + i];
        for (uint32_t d = 0; !any && d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t k = 0; !any && k < depth->count; k++)
                any = half_of(offload, depth->name[k]) != XPD_OFFLOAD_NONE;
        }
    }
    if (!any)
        return false;
    for (uint32_t i = 0; i < process->row_count; i++) {
        const struct xpd_trace_row *row = &trace->row[process->first_row + i];
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t k = 0; depth->where_low && k < depth->count; k++) {
                struct xpd_unstable event = {.start_ps = xpd_depth_start(depth, k),
                                             .duration_ps = xpd_depth_duration(depth, k),
                                             .event = xpd_depth_where(depth, k),
                                             .name = depth->name[k],
                                             .async = row->kind == XPD_ROW_ASYNC_OPS ||
                                                      trace->name[depth->name[k]].async};
                XPD_PUSH(&offload->event, event);
            }
        }
    }
    return true;
}

static int by_where(const void *a, const void *b)
{
    const struct xpd_unstable *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

static uint32_t pick_row(struct offload *offload, int64_t start_ps, int64_t end_ps)
{
    uint32_t best = UINT32_MAX;
    int64_t least_ps = start_ps;
    for (uint32_t i = 0; i < offload->rows; i++)
        if (offload->frontier_ps[i] <= least_ps) {
            best = i;
            least_ps = offload->frontier_ps[i];
        }
    if (best == UINT32_MAX) {
        best = offload->rows < ROWS_MAX ? offload->rows++ : ROWS_MAX - 1;
        if (offload->frontier_ps[best] < end_ps)
            offload->frontier_ps[best] = end_ps;
        return best;
    }
    if (offload->frontier_ps[best] < end_ps)
        offload->frontier_ps[best] = end_ps;
    return best;
}

static bool pair(struct offload *offload)
{
    XPD_VEC(struct waiting) key = {0};
    size_t count = offload->event.count;
    uint32_t *next = malloc((count + 1) * sizeof *next);
    bool fine = next && count < UINT32_MAX;
    for (uint32_t i = 0; fine && i < count; i++) {
        const struct xpd_unstable *event = &offload->event.at[i];
        enum xpd_offload_half half =
            event->async ? XPD_OFFLOAD_NONE : half_of(offload, event->name);
        if (half == XPD_OFFLOAD_NONE)
            continue;
        char text[512];
        struct xpd_str name = xpd_offload_key(
            xpd_intern_get(&offload->trace->names, offload->trace->name[event->name].caption), text,
            sizeof text);
        xpd_name_id id = xpd_intern_put(offload->keys, name.data, name.size);
        while (key.count <= id && !key.failed)
            XPD_PUSH(&key, ((struct waiting){UINT32_MAX, UINT32_MAX}));
        fine = !key.failed && !offload->keys->failed;
        if (!fine)
            break;
        struct waiting *waiting = &key.at[id];
        next[i] = UINT32_MAX;
        if (half == XPD_OFFLOAD_START) {
            if (waiting->head == UINT32_MAX)
                waiting->head = i;
            else
                next[waiting->tail] = i;
            waiting->tail = i;
        } else if (waiting->head != UINT32_MAX) {
            const struct xpd_unstable *start = &offload->event.at[waiting->head];
            waiting->head = next[waiting->head];
            struct bar bar = {.start_ps = start->start_ps,
                              .end_ps = event->start_ps + event->duration_ps,
                              .event = start->event,
                              .event2 = event->event,
                              .key = id,
                              .order = (uint32_t)offload->bar.count};
            bar.row = pick_row(offload, bar.start_ps, bar.end_ps);
            XPD_PUSH(&offload->bar, bar);
        }
    }
    free(next);
    XPD_VEC_FINI(&key);
    return fine && !offload->bar.failed;
}

static int by_row(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps > y->end_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Until here events were known by their place in the file: which numbers they have. */
static bool number_events(struct offload *offload, const struct xpd_trace_process *process)
{
    struct xpd_map64 start_of = {0}, done_of = {0};
    const struct xpd_trace *trace = offload->trace;
    for (uint32_t i = 0; i < offload->bar.count; i++) {
        xpd_map64_put(&start_of, offload->bar.at[i].event, i);
        xpd_map64_put(&done_of, offload->bar.at[i].event2, i);
    }
    bool fine = !start_of.failed && !done_of.failed;
    for (uint32_t i = 0; fine && i < process->row_count; i++) {
        const struct xpd_trace_row *row = &trace->row[process->first_row + i];
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t k = 0; depth->where_low && k < depth->count; k++) {
                if (half_of(offload, depth->name[k]) == XPD_OFFLOAD_NONE)
                    continue;
                uint64_t where = xpd_depth_where(depth, k);
                uint32_t start = xpd_map64_get(&start_of, where);
                uint32_t done = xpd_map64_get(&done_of, where);
                if (start != XPD_NO_INDEX)
                    offload->bar.at[start].event = depth->first_event + k;
                if (done != XPD_NO_INDEX)
                    offload->bar.at[done].event2 = depth->first_event + k;
            }
        }
    }
    xpd_map64_fini(&start_of);
    xpd_map64_fini(&done_of);
    return fine;
}

static bool push_rows(struct offload *offload, struct xpd_xprof_parts *parts, uint32_t pid)
{
    struct xpd_arena *arena = &offload->xprof->arena;
    size_t count = offload->bar.count;
    int64_t *start_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    int64_t *duration_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    uint32_t *name = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint64_t *event = XPD_NEW_ARRAY(arena, uint64_t, count);
    uint64_t *event2 = XPD_NEW_ARRAY(arena, uint64_t, count);
    if (arena->failed)
        return false;
    if (count > 1)
        qsort(offload->bar.at, count, sizeof *offload->bar.at, by_row);
    for (size_t i = 0; i < count; i++) {
        const struct bar *bar = &offload->bar.at[i];
        start_ps[i] = bar->start_ps;
        duration_ps[i] = bar->end_ps > bar->start_ps ? bar->end_ps - bar->start_ps : 0;
        name[i] = bar->key;
        event[i] = bar->event;
        event2[i] = bar->event2;
    }
    for (size_t first = 0; first < count;) {
        uint32_t row = offload->bar.at[first].row;
        size_t end = first;
        while (end < count && offload->bar.at[end].row == row)
            end++;
        struct xpd_depth columns = {.count = (uint32_t)(end - first),
                                    .start_ps = start_ps + first,
                                    .duration_ps = duration_ps + first,
                                    .name = name + first};
        struct xpd_xprof_stream like = {.source = XPD_FROM_OFFLOAD,
                                        .pid = pid,
                                        .tid = (uint32_t)(XPD_DERIVED_ID + 8 + row),
                                        .event2 = event2 + first,
                                        .key = name + first,
                                        .keys = offload->keys};
        const char *caption = xpd_arena_printf(arena, "Host Offload Ops row %u", row);
        struct xpd_xprof_thread thread = {
            .pid = pid, .tid = like.tid, .caption = xpd_str_of(caption)};
        xpd_xprof_add_columns(offload->xprof, parts, &like, columns, event + first);
        XPD_PUSH(&parts->thread, thread);
        first = end;
    }
    return !arena->failed;
}

bool xpd_xprof_offload(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t process,
                       uint32_t pid)
{
    const struct xpd_trace *trace = xprof->input.trace;
    struct offload offload = {.xprof = xprof, .trace = trace, .keys = &xprof->keys};
    offload.half = calloc((size_t)trace->name_count + 1, 1);
    bool fine = offload.half != NULL;
    if (fine && gather(&offload, &trace->process[process])) {
        fine = !offload.event.failed;
        if (fine && offload.event.count > 0) {
            qsort(offload.event.at, offload.event.count, sizeof *offload.event.at, by_where);
            xpd_unstable_sort(offload.event.at, offload.event.count);
            fine = pair(&offload) && number_events(&offload, &trace->process[process]) &&
                   push_rows(&offload, parts, pid);
        }
    }
    XPD_VEC_FINI(&offload.event);
    XPD_VEC_FINI(&offload.bar);
    free(offload.half);
    return fine;
}
