/* XProf's picture of one host: which depths it draws, under which pid and tid (xprof_pids.c). */
#include "viewer_private.h"
#include "xprofd/trace/groups.h"
#include "xprofd/trace/window.h"

static void add_depths(struct xpd_xprof_parts *parts, const struct xpd_depth *depth, uint32_t count,
                       const struct xpd_xprof_stream *like)
{
    for (uint32_t i = 0; i < count; i++) {
        struct xpd_xprof_stream stream = *like;
        stream.depth = &depth[i];
        stream.overlaps = depth[i].overlapping;
        XPD_PUSH(&parts->stream, stream);
    }
}

/* Of the line itself: rows of counters are called by their series. */
static struct xpd_str line_caption(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    const struct xpd_plane *plane = &trace->space->plane[trace->process[row->process].plane];
    if (row->line >= plane->line_count)
        return XPD_STR("");
    const struct xpd_line *line = &plane->line[row->line];
    return xpd_intern_get(&trace->space->names,
                          line->display_name ? line->display_name : line->name);
}

static void add_row(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t number,
                    uint32_t pid)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_trace_row *row = &trace->row[number];
    struct xpd_str caption = xpd_intern_get(&trace->names, row->caption);
    bool async = xpd_str_eq(caption, XPD_STR("Async XLA Ops"));
    bool counter = row->kind == XPD_ROW_COUNTER && !xprof->input.old;
    if (row->kind == XPD_ROW_COUNTER && xprof->input.old)
        caption = line_caption(trace, row);
    if (row->event_count == 0)
        return;
    struct xpd_xprof_stream like = {.source = counter ? XPD_FROM_COUNTER : XPD_FROM_TRACE,
                                    .pid = pid,
                                    .tid = xpd_xprof_row_tid(xprof, parts, number),
                                    .tpu = xpd_process_is_tpu(trace->process[row->process].kind)};
    size_t first = parts->stream.count;
    if (async && xprof->input.old)
        ; /* a thread, but empty */
    else if (row->kind == XPD_ROW_STEPS && xpd_xprof_merged_steps(xprof, parts, number, &like))
        ; /* not in file order */
    else if (row->kind != XPD_ROW_INTERNAL)
        add_depths(parts, &trace->depth[row->first_depth], row->depth_count, &like);
    if (counter)
        return;
    if (row->kind == XPD_ROW_COUNTER && trace->process[row->process].kind == XPD_PROCESS_GPU)
        xpd_xprof_sample_groups(xprof, parts, row->process, first);
    struct xpd_xprof_thread thread = {.pid = pid, .tid = like.tid, .caption = caption};
    XPD_PUSH(&parts->thread, thread);
}

static bool add_derived(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t process,
                        uint32_t pid)
{
    const struct xpd_derived *derived = xprof->input.derived;
    bool fine = true;
    if (xprof->without_derived)
        return true;
    for (uint32_t r = 0; r < derived->row_count; r++) {
        const struct xpd_trace_row *row = &derived->row[r];
        struct xpd_xprof_stream like = {.source = XPD_FROM_DERIVED, .pid = pid};
        if (row->process != process || row->kind == XPD_ROW_OFFLOAD ||
            !xpd_xprof_derived_tid(xprof, parts, row, &like.tid))
            continue;
        if (row->kind == XPD_ROW_LINE) { /* regions: on the existing thread */
            fine = fine && xpd_xprof_regions(xprof, parts, row, &like);
            continue;
        }
        if (!xpd_xprof_gpu_steps(xprof, parts, r, &like))
            add_depths(parts, &derived->depth[row->first_depth], row->depth_count, &like);
        struct xpd_xprof_thread thread = {
            .pid = pid, .tid = like.tid, .caption = xpd_intern_get(&derived->names, row->caption)};
        XPD_PUSH(&parts->thread, thread);
    }
    return fine;
}

/* XProf takes hosts first, in order of their names, then devices and custom planes as the file has
 * them. */
static void add_name(struct xpd_xprof *xprof, uint32_t pid, struct xpd_str name,
                     enum xpd_process_kind kind, uint32_t plane)
{
    uint64_t turn = kind == XPD_PROCESS_HOST ? 0 : kind == XPD_PROCESS_CUSTOM ? 2 : 1;
    xprof->process[xprof->process_count++] = (struct xpd_xprof_process){
        .pid = pid,
        .order = turn << 32 | plane,
        .name = xprof->input.host
                    ? xpd_arena_printf(&xprof->arena, "%s %.*s", xprof->input.host,
                                       (int)(name.size < 4096 ? name.size : 4096), name.data)
                    : xpd_arena_strndup(&xprof->arena, name.data, name.size)};
}

/* The old viewer lists lines without events. */
static void add_empty_lines(const struct xpd_xprof *xprof, struct xpd_xprof_parts *parts,
                            uint32_t plane, uint32_t pid)
{
    const struct xpd_plane *at = &xprof->input.trace->space->plane[plane];
    for (uint32_t i = 0; i < at->line_count; i++) {
        const struct xpd_line *line = &at->line[i];
        if (line->event_count > 0)
            continue;
        struct xpd_xprof_thread thread = {
            .pid = pid,
            .tid = (uint32_t)(line->display_id ? line->display_id : line->id),
            .caption = xpd_intern_get(&xprof->input.trace->space->names,
                                      line->display_name ? line->display_name : line->name)};
        XPD_PUSH(&parts->thread, thread);
    }
}

static bool add_process(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts, uint32_t process,
                        uint32_t pid)
{
    const struct xpd_trace *trace = xprof->input.trace;
    const struct xpd_trace_process *at = &trace->process[process];
    uint32_t full_pid = xprof->input.pid_base + pid;
    if (!xpd_xprof_number_lines(xprof, parts, process))
        return false;
    add_name(xprof, full_pid, xpd_intern_get(&trace->names, at->name), at->kind, at->plane);
    for (uint32_t r = 0; r < at->row_count; r++)
        add_row(xprof, parts, at->first_row + r, full_pid);
    if (xprof->input.old && !xpd_process_is_tpu(at->kind) && at->kind != XPD_PROCESS_GPU)
        add_empty_lines(xprof, parts, at->plane, full_pid);
    bool fine = add_derived(xprof, parts, process, full_pid);
    xprof->has_tpu |= xpd_process_is_tpu(at->kind);
    return fine && (at->kind != XPD_PROCESS_TPU || xprof->without_derived ||
                    xpd_xprof_offload(xprof, parts, process, full_pid));
}

static bool add_processes(struct xpd_xprof *xprof, struct xpd_xprof_parts *parts)
{
    const struct xpd_trace *trace = xprof->input.trace;
    struct xpd_xprof_planes planes;
    bool fine = xpd_xprof_find_planes(xprof, &planes);
    for (uint32_t p = 0; fine && p < trace->process_count; p++) {
        uint32_t pid;
        if (xpd_xprof_pid(xprof, trace->process[p].plane, trace->process[p].kind, &planes, &pid))
            fine = add_process(xprof, parts, p, pid);
    }
    /* XProf skips planes without lines, its old viewer does not; lines without events are enough
     * for a name, except where it derives rows: there it clears them away */
    for (uint32_t p = 0; fine && p < trace->space->plane_count; p++) {
        int64_t device;
        struct xpd_str name = xpd_xprof_plane_name(trace, p);
        enum xpd_process_kind kind = xpd_trace_process_kind(name, &device);
        uint32_t pid;
        bool derives = xpd_process_is_chip(kind);
        if (!xpd_xprof_pid(xprof, p, kind, &planes, &pid) ||
            trace->space->plane[p].event_count > 0 ||
            (!xprof->input.old && (derives || trace->space->plane[p].line_count == 0)))
            continue;
        add_name(xprof, xprof->input.pid_base + pid, name, kind, p);
        if (xprof->input.old && !derives)
            add_empty_lines(xprof, parts, p, pid);
        xprof->has_tpu |= xpd_process_is_tpu(kind);
    }
    return fine;
}

static int by_pid(const void *a, const void *b)
{
    const struct xpd_xprof_process *x = a, *y = b;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Planes with the same pid are one process; the old viewer keeps them separate. */
static void merge_pids(struct xpd_xprof *xprof)
{
    uint32_t kept = 0;
    for (uint32_t p = 0; p < xprof->process_count; p++) {
        bool same = kept > 0 && xprof->process[kept - 1].pid == xprof->process[p].pid;
        xprof->process[same ? kept - 1 : kept++] = xprof->process[p];
    }
    xprof->process_count = kept;
}

struct thread_order { /* the last caption of a tid wins */
    struct xpd_xprof_thread thread;
    size_t order;
};

static int by_tid(const void *a, const void *b)
{
    const struct thread_order *x = a, *y = b;
    if (x->thread.pid != y->thread.pid)
        return x->thread.pid < y->thread.pid ? -1 : 1;
    if (x->thread.tid != y->thread.tid)
        return x->thread.tid < y->thread.tid ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool keep_threads(struct xpd_xprof *xprof, const struct xpd_xprof_parts *parts)
{
    size_t count = parts->thread.count;
    struct thread_order *order = malloc((count + 1) * sizeof *order);
    xprof->thread = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_thread, count);
    if (!order || !xprof->thread) {
        free(order);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (struct thread_order){parts->thread.at[i], i};
    qsort(order, count, sizeof *order, by_tid);
    for (size_t i = 0; i < count; i++) {
        const struct xpd_xprof_thread *thread = &order[i].thread;
        struct xpd_xprof_thread *last =
            xprof->thread_count ? &xprof->thread[xprof->thread_count - 1] : NULL;
        if (last && last->pid == thread->pid && last->tid == thread->tid)
            *last = *thread;
        else
            xprof->thread[xprof->thread_count++] = *thread;
    }
    free(order);
    return true;
}

/* Where the threads of each process are. */
static void link_threads(struct xpd_xprof *xprof)
{
    qsort(xprof->process, xprof->process_count, sizeof *xprof->process, by_pid);
    if (!xprof->input.old)
        merge_pids(xprof);
    uint32_t at = 0;
    for (uint32_t p = 0; p < xprof->process_count; p++) {
        bool again = p > 0 && xprof->process[p].pid == xprof->process[p - 1].pid;
        xprof->process[p].first_thread = again ? xprof->process[p - 1].first_thread : at;
        while (at < xprof->thread_count && xprof->thread[at].pid == xprof->process[p].pid)
            at++;
        xprof->process[p].thread_count = at - xprof->process[p].first_thread;
    }
}

/* Which names are internal though their planes are not the host's; mostly none. */
static bool mark_hidden(struct xpd_xprof *xprof)
{
    const struct xpd_trace *trace = xprof->input.trace;
    bool *hidden = NULL;
    for (uint32_t i = 0; i < trace->name_count; i++) {
        if (trace->name[i].internal || trace->name[i].metadata == XPD_NO_METADATA ||
            !xpd_trace_is_internal(xpd_intern_get(&trace->names, trace->name[i].name)))
            continue;
        if (!hidden)
            hidden = XPD_NEW_ARRAY(&xprof->arena, bool, trace->name_count);
        if (!hidden)
            return false;
        hidden[i] = true;
    }
    xprof->hidden = hidden;
    return true;
}

/* Most events have no flow; a bit per event saves the search. */
static bool mark_linked(struct xpd_xprof *xprof)
{
    const struct xpd_flows *flows = xprof->input.flows;
    if (!flows || flows->point_count + flows->still_count == 0)
        return true;
    xprof->linked = XPD_NEW_ARRAY(&xprof->arena, uint8_t, xprof->input.trace->event_count / 8 + 1);
    if (!xprof->linked)
        return false;
    for (uint64_t i = 0; i < flows->point_count; i++)
        xprof->linked[flows->point[i].event / 8] |= (uint8_t)(1u << flows->point[i].event % 8);
    for (uint32_t i = 0; i < flows->still_count; i++)
        xprof->linked[flows->still[i].event / 8] |= (uint8_t)(1u << flows->still[i].event % 8);
    return true;
}

static bool number_places(struct xpd_xprof *xprof)
{
    uint64_t first = 0, block = 0;
    for (uint32_t s = 0; s < xprof->stream_count; s++) {
        xprof->stream[s].first = first;
        first += xprof->stream[s].depth->count;
    }
    uint64_t blocks = (first >> XPD_XPROF_BLOCK_BITS) + 1;
    xprof->stream_of = XPD_NEW_ARRAY(&xprof->arena, uint32_t, blocks);
    for (uint32_t s = 0; xprof->stream_of && s < xprof->stream_count; s++)
        for (;
             block << XPD_XPROF_BLOCK_BITS < xprof->stream[s].first + xprof->stream[s].depth->count;
             block++)
            xprof->stream_of[block] = s;
    return xprof->stream_of != NULL;
}

/* The bounds of the stream's events, and how many are hidden: of events that are disjoint the last
 * one ends last. */
static void measure_stream(struct xpd_xprof *xprof, const struct xpd_xprof_stream *stream,
                           bool *any)
{
    const struct xpd_depth *depth = stream->depth;
    bool short_cut = !stream->overlaps && !xprof->hidden && depth->count > 1;
    for (uint32_t i = 0; i < depth->count; i += short_cut ? depth->count - 1 : 1) {
        if (xpd_xprof_hides(xprof, stream, depth->name[i])) {
            xprof->event_count--;
            continue;
        }
        int64_t end_ps = xpd_depth_end(depth, i);
        if (!*any || xpd_depth_start(depth, i) < xprof->first_ps)
            xprof->first_ps = xpd_depth_start(depth, i);
        if (!*any || end_ps > xprof->end_ps)
            xprof->end_ps = end_ps;
        *any = true;
    }
}

static void measure(struct xpd_xprof *xprof)
{
    bool any = false;
    for (uint32_t s = 0; s < xprof->stream_count; s++) {
        xprof->event_count += xprof->stream[s].depth->count;
        if (xprof->stream[s].source != XPD_FROM_OFFLOAD)
            measure_stream(xprof, &xprof->stream[s], &any);
    }
}

static bool fill(struct xpd_xprof *xprof)
{
    const struct xpd_trace *trace = xprof->input.trace;
    struct xpd_xprof_parts parts = {0};
    xprof->process = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_process,
                                   (size_t)trace->process_count + trace->space->plane_count);
    bool fine = xprof->process && add_processes(xprof, &parts);
    size_t streams = parts.stream.count;
    xprof->stream = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_stream, streams);
    fine = fine && xprof->process && xprof->stream && !parts.stream.failed &&
           !parts.thread.failed && streams < UINT32_MAX && keep_threads(xprof, &parts);
    if (fine) {
        if (streams > 0)
            memcpy(xprof->stream, parts.stream.at, streams * sizeof *xprof->stream);
        xprof->stream_count = (uint32_t)streams;
        link_threads(xprof);
        fine = number_places(xprof) && mark_hidden(xprof) && mark_linked(xprof);
        measure(xprof);
    }
    XPD_VEC_FINI(&parts.stream);
    XPD_VEC_FINI(&parts.thread);
    return fine && !xprof->arena.failed && !xprof->keys.failed;
}

int xpd_xprof_open(struct xpd_xprof **out, const struct xpd_xprof_input *input,
                   uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_xprof *xprof = calloc(1, sizeof *xprof);
    if (xprof) {
        xpd_arena_init(&xprof->arena, arena_budget_bytes);
        xpd_intern_init(&xprof->keys, &xprof->arena);
        xprof->input = *input;
        xprof->without_derived = input->derived->groups->from_file;
        xprof->without_groups = input->derived->groups->none;
        if (fill(xprof)) {
            *out = xprof;
            return XPD_OK;
        }
    }
    xpd_xprof_close(xprof);
    *out = NULL;
    return xpd_no_memory(err, NULL, "for XProf's view of a trace");
}

static bool share(struct xpd_xprof *xprof, const struct xpd_xprof *kept)
{
    const char *host = xprof->input.host;
    uint32_t base = xprof->input.pid_base;
    xprof->process = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_process, kept->process_count);
    xprof->thread = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_thread, kept->thread_count);
    xprof->stream = XPD_NEW_ARRAY(&xprof->arena, struct xpd_xprof_stream, kept->stream_count);
    if (xprof->arena.failed)
        return false;
    for (uint32_t i = 0; i < kept->process_count; i++) {
        xprof->process[i] = kept->process[i];
        xprof->process[i].pid += base;
        xprof->process[i].name =
            xpd_arena_printf(&xprof->arena, "%s %.4096s", host, kept->process[i].name);
    }
    for (uint32_t i = 0; i < kept->thread_count; i++) {
        xprof->thread[i] = kept->thread[i];
        xprof->thread[i].pid += base;
    }
    for (uint32_t i = 0; i < kept->stream_count; i++) {
        xprof->stream[i] = kept->stream[i];
        xprof->stream[i].pid += base;
    }
    return !xprof->arena.failed;
}

int xpd_xprof_share(struct xpd_xprof **out, const struct xpd_xprof *kept, const char *host,
                    uint32_t pid_base, struct xpd_err *err)
{
    struct xpd_xprof *xprof = malloc(sizeof *xprof);
    *out = xprof;
    if (xprof) {
        *xprof = *kept;
        xpd_arena_init(&xprof->arena, 0);
        xprof->keys = (struct xpd_intern){0};
        xprof->input.host = host;
        xprof->input.pid_base = pid_base;
        if (share(xprof, kept))
            return XPD_OK;
    }
    xpd_xprof_close(xprof);
    *out = NULL;
    return xpd_no_memory(err, NULL, "for XProf's view of a trace");
}

uint64_t xpd_xprof_bytes(const struct xpd_xprof *xprof)
{
    return sizeof *xprof + xprof->arena.used_bytes + xpd_intern_memory_bytes(&xprof->keys);
}

void xpd_xprof_close(struct xpd_xprof *xprof)
{
    if (!xprof)
        return;
    xpd_intern_fini(&xprof->keys);
    xpd_arena_fini(&xprof->arena);
    free(xprof);
}
