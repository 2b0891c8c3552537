/* Loads the events of one host.
 *
 * In: the frozen directory of a profile and its source. Out: a frozen trace. Plan (processes, rows,
 * names) on one thread; rows filled by several, largest first; then the rows are put into their
 * order and numbered. What failed on any thread ends the load. */
#include "core.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/tf_op.h"
#include <stdlib.h>

#define SMALL_BATCH 64 /* units that a worker takes at once when they are small */

static int no_memory(const struct xpd_trace *trace, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, xpd_source_name(trace->source), XPD_NO_OFFSET,
                    "The events of this profile do not fit the memory budget; raise "
                    "--memory-limit.");
}

/* ---- times ---- */

static int64_t profile_start_ns(const struct xpd_xspace *space)
{
    for (uint32_t p = 0; p < space->plane_count; p++) {
        const struct xpd_plane *plane = &space->plane[p];
        if (!xpd_str_eq(xpd_intern_get(&space->names, plane->name), XPD_STR("Task Environment")))
            continue;
        for (uint32_t i = 0; i < plane->stat_count; i++)
            if (xpd_str_eq(xpd_intern_get(&space->names, plane->stat[i].name),
                           XPD_STR("profile_start_time")))
                return plane->stat[i].integer;
    }
    return 0;
}

/* Lines count from the start of the profile. One that was never normalised has unix times, which
 * do not fit picoseconds: its own beginning, or the profile's, becomes the origin. */
static void find_origin(struct xpd_trace *trace)
{
    const struct xpd_xspace *space = trace->space;
    int64_t least = INT64_MAX;
    trace->profile_start_ns = profile_start_ns(space);
    for (uint32_t p = 0; p < space->plane_count; p++)
        for (uint32_t l = 0; l < space->plane[p].line_count; l++) {
            const struct xpd_line *line = &space->plane[p].line[l];
            if (line->event_count != 0 && line->timestamp_ns >= XPD_UNIX_TIME_NS &&
                line->timestamp_ns < least)
                least = line->timestamp_ns;
        }
    if (least == INT64_MAX)
        return;
    bool known = trace->profile_start_ns >= XPD_UNIX_TIME_NS && trace->profile_start_ns <= least;
    trace->origin_ns = known ? trace->profile_start_ns : least;
    xpd_warn(&trace->warnings, XPD_NOTE, "unix_times", XPD_NO_OFFSET,
             "Lines of this profile carry unix times; they are shown from %s on.",
             known ? "the start of the profile" : "the first of them");
}

/* ---- threads ---- */

static void fail_all(struct xpd_trace_build *build, int rc, const struct xpd_err *err)
{
    pthread_mutex_lock(&build->lock);
    if (build->rc == XPD_OK) {
        build->rc = rc;
        build->err = *err;
    }
    pthread_mutex_unlock(&build->lock);
    atomic_store(&build->next, (uint32_t)build->unit.count);
}

/* The next units in the order of work: [*first, end). */
static uint32_t take_units(struct xpd_trace_build *build, uint32_t *first)
{
    uint32_t count = (uint32_t)build->unit.count, at = atomic_load(&build->next), end;
    do {
        if (at >= count)
            return *first = count;
        end = at < build->large_count ? at + 1 : at + SMALL_BATCH;
        end = end < count ? end : count;
    } while (!atomic_compare_exchange_weak(&build->next, &at, end));
    *first = at;
    return end;
}

static void work(void *context, uint32_t thread)
{
    (void)thread;
    struct xpd_trace_build *build = context;
    struct xpd_worker worker = {.build = build, .fit = xpd_fit_new()};
    int rc = worker.fit ? xpd_window_init(&worker.window, build->trace->source, &worker.err)
                        : xpd_worker_no_room(&worker);
    uint32_t first, end;
    while (rc == XPD_OK && (end = take_units(build, &first)) > first)
        for (; first < end && rc == XPD_OK; first++)
            rc = xpd_unit_fill(&worker, &build->unit.at[build->order[first]]);
    if (rc != XPD_OK)
        fail_all(build, rc, &worker.err);
    xpd_blocks_give_back(build->trace->blocks, worker.large, worker.large_bytes);
    xpd_pen_close(build->trace->blocks, &worker.pen);
    xpd_window_fini(&worker.window);
    xpd_fit_free(worker.fit);
    xpd_arena_fini(&worker.scratch);
    free(worker.marks.at);
    free(worker.met);
    free(worker.small);
    free(worker.starts);
}

static int fill_rows(struct xpd_trace_build *build, const struct xpd_trace_options *options,
                     struct xpd_err *err)
{
    uint32_t wanted = xpd_threads_count(options ? options->threads : 0);
    uint32_t units = (uint32_t)build->unit.count;
    xpd_threads_run(wanted < units ? wanted : units, work, build);
    if (build->rc != XPD_OK && err)
        *err = build->err;
    return build->rc;
}

/* ---- putting together ---- */

static bool take_single_names(struct xpd_trace_build *build)
{
    struct xpd_trace *trace = build->trace;
    size_t more = build->single.count;
    if (more == 0)
        return true;
    struct xpd_event_name *name =
        XPD_NEW_ARRAY(&trace->arena, struct xpd_event_name, trace->name_count + more);
    if (!name)
        return false;
    memcpy(name, trace->name, trace->name_count * sizeof *name);
    memcpy(name + trace->name_count, build->single.at, more * sizeof *name);
    trace->name = name;
    trace->name_count += (uint32_t)more;
    return true;
}

static bool row_ran_tf(const struct xpd_trace *trace, const struct xpd_trace_row *row)
{
    if (row->kind != XPD_ROW_LINE ||
        xpd_tf_is_data_thread(xpd_intern_get(&trace->names, row->caption)))
        return false;
    for (uint32_t d = row->first_depth; d < row->first_depth + row->depth_count; d++)
        for (uint32_t i = 0; i < trace->depth[d].count; i++)
            if (trace->name[trace->depth[d].name[i]].tf)
                return true;
    return false;
}

/* What tf.data's threads ran has names like what other threads did: of TensorFlow's operations
 * events tell it, where there are any. */
static void find_ops(struct xpd_trace *trace)
{
    const struct xpd_plane *plane = trace->space->plane;
    bool tf = false;
    for (uint32_t i = 0; i < trace->name_count; i++) {
        tf |= trace->name[i].tf;
        for (uint32_t p = 0; trace->name[i].op && p < trace->process_count; p++)
            trace->process[p].ran_ops |=
                trace->process[p].kind == XPD_PROCESS_HOST &&
                plane[trace->process[p].plane].name == plane[trace->name[i].plane].name;
    }
    for (uint32_t r = 0; tf && r < trace->row_count; r++) {
        bool *ran = &trace->process[trace->row[r].process].ran_ops;
        *ran = *ran || row_ran_tf(trace, &trace->row[r]);
    }
}

static bool allocate(struct xpd_trace_build *build)
{
    struct xpd_trace *trace = build->trace;
    uint64_t rows = 0, depths = 0, far = 0;
    for (size_t i = 0; i < build->unit.count; i++) {
        const struct xpd_row_unit *unit = &build->unit.at[i];
        rows += unit->made_count;
        far += unit->far.count;
        for (uint32_t k = 0; k < unit->made_count; k++)
            depths += unit->made[k].row.depth_count;
    }
    if (rows > UINT32_MAX / 2 || depths > UINT32_MAX / 2)
        return false;
    trace->row = XPD_NEW_ARRAY(&trace->arena, struct xpd_trace_row, (size_t)rows);
    trace->depth = XPD_NEW_ARRAY(&trace->arena, struct xpd_depth, (size_t)depths);
    trace->far = XPD_NEW_ARRAY(&trace->arena, struct xpd_far_duration, (size_t)far);
    return trace->row && trace->depth && trace->far;
}

/* Device durations that no delta holds, now by event number: `far` is in order of the file, the
 * events are looked through once. */
static void number_far(struct xpd_trace *trace, const struct xpd_row_unit *unit,
                       const struct xpd_depth *depth)
{
    if (!depth->device_delta_ps || unit->far.count == 0)
        return;
    for (uint32_t i = 0; i < depth->count; i++) {
        if (depth->device_delta_ps[i] != INT32_MIN)
            continue;
        uint64_t where = xpd_depth_where(depth, i);
        size_t low = 0;
        XPD_BISECT(low, unit->far.count, middle, unit->far.at[middle].where < where);
        if (low < unit->far.count && unit->far.at[low].where == where)
            trace->far[trace->far_count++] =
                (struct xpd_far_duration){depth->first_event + i, unit->far.at[low].device_ps};
    }
}

static int by_where(const void *x, const void *y)
{
    const struct xpd_far *a = x, *b = y;
    return (a->where > b->where) - (a->where < b->where);
}

static void add_row(struct xpd_trace *trace, const struct xpd_row_unit *unit,
                    const struct xpd_row_made *made)
{
    struct xpd_trace_row *row = &trace->row[trace->row_count];
    struct xpd_trace_process *process = &trace->process[unit->process];
    *row = made->row;
    row->first_depth = trace->depth_count;
    for (uint32_t d = 0; d < row->depth_count; d++) {
        struct xpd_depth *depth = &trace->depth[trace->depth_count++];
        *depth = made->depth[d];
        depth->row = trace->row_count;
        depth->first_event = trace->event_count;
        trace->event_count += depth->count;
        number_far(trace, unit, depth);
    }
    if (process->row_count++ == 0)
        process->first_row = trace->row_count;
    process->event_count += row->event_count;
    trace->hidden_count += row->kind == XPD_ROW_INTERNAL ? row->event_count : 0;
    trace->row_count++;
}

/* From the first to the last of what is shown; times before the origin do not count (XProf takes
 * them for times after year 292). */
static void find_bounds(struct xpd_trace *trace)
{
    int64_t first = INT64_MAX, end = INT64_MIN;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        if (row->kind == XPD_ROW_INTERNAL)
            continue;
        for (uint32_t d = row->first_depth; d < row->first_depth + row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[d];
            uint32_t i = 0;
            while (i < depth->count && depth->start_ps[i] < 0)
                i++;
            if (i == depth->count)
                continue;
            first = depth->start_ps[i] < first ? depth->start_ps[i] : first;
        }
        end = row->end_ps > end ? row->end_ps : end;
    }
    trace->first_ps = first == INT64_MAX ? 0 : first;
    trace->end_ps = first == INT64_MAX || end < first ? trace->first_ps : end;
}

/* The row of internal events comes after its thread, whichever was made first. */
static void put_together(struct xpd_trace_build *build)
{
    struct xpd_trace *trace = build->trace;
    for (size_t i = 0; i < build->unit.count; i++) {
        struct xpd_row_unit *unit = &build->unit.at[i];
        if (unit->far.count > 1)
            qsort(unit->far.at, unit->far.count, sizeof *unit->far.at, by_where);
        for (uint32_t k = 0; k < unit->made_count; k++)
            add_row(trace, unit, &unit->made[k]);
    }
    find_bounds(trace);
}

static void tell(struct xpd_trace_build *build)
{
    struct xpd_trace *trace = build->trace;
    struct xpd_warnings *warnings = &trace->warnings;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < trace->row_count; i++)
        cut += trace->row[i].cut;
    if (cut != 0)
        xpd_warn(warnings, XPD_ERROR, "rows_cut", XPD_NO_OFFSET,
                 "%u row%s early: the file is cut or damaged inside %s. What is before that is "
                 "shown.",
                 cut, cut == 1 ? " ends" : "s end", cut == 1 ? "it" : "them");
    if (build->odd_count != 0)
        xpd_warn(warnings, XPD_WARNING, "odd_times", XPD_NO_OFFSET,
                 "%llu events have a negative duration, shown as none, or lie more than 26 days "
                 "away, shown at that limit.",
                 (unsigned long long)build->odd_count);
    if (build->aggregated_count != 0)
        xpd_warn(warnings, XPD_WARNING, "aggregated_events", XPD_NO_OFFSET,
                 "%llu events are sums without a time of their own; they stand at the beginning "
                 "of their rows.",
                 (unsigned long long)build->aggregated_count);
    if (build->unknown_count != 0)
        xpd_warn(warnings, XPD_WARNING, "unknown_events", XPD_NO_OFFSET,
                 "%llu events refer to names that the profile does not have.",
                 (unsigned long long)build->unknown_count);
    if (build->unknown_samples != 0)
        xpd_warn(warnings, XPD_WARNING, "samples_without_numbers", XPD_NO_OFFSET,
                 "%llu samples of counters have no number that can be read; what the counter holds "
                 "then is shown as unknown.",
                 (unsigned long long)build->unknown_samples);
    if (build->overflow_count != 0)
        xpd_warn(warnings, XPD_WARNING, "too_deep", XPD_NO_OFFSET,
                 "%llu events lie deeper than %d; they are drawn over each other in the last "
                 "depth.",
                 (unsigned long long)build->overflow_count, XPD_DEPTHS_MAX);
}

static uint64_t memory_of(const struct xpd_trace *trace)
{
    uint64_t bytes = sizeof *trace + trace->arena.used_bytes + xpd_blocks_used(trace->blocks) +
                     xpd_intern_memory_bytes(&trace->names);
    for (uint32_t i = 0; i < trace->space->plane_count; i++) {
        const struct xpd_plane_tables *tables = &trace->tables[i];
        bytes += ((uint64_t)tables->event_of.slot_count + tables->stat_of.slot_count) *
                 (sizeof(uint64_t) + sizeof(uint32_t));
    }
    return bytes + (xpd_source_memory(trace->source) ? xpd_source_size(trace->source) : 0);
}

/* ---- main ---- */

static int build_trace(struct xpd_trace_build *build, const struct xpd_trace_options *options,
                       struct xpd_err *err)
{
    struct xpd_trace *trace = build->trace;
    const struct xpd_xspace *space = trace->space;
    trace->tables = XPD_NEW_ARRAY(&trace->arena, struct xpd_plane_tables, space->plane_count);
    build->plane = XPD_NEW_ARRAY(&trace->arena, struct xpd_plane_names, space->plane_count);
    if (!trace->tables || !build->plane)
        return no_memory(trace, err);
    find_origin(trace);
    int rc = xpd_trace_plan(build, err);
    if (rc == XPD_OK)
        rc = xpd_trace_names(build, err);
    if (rc == XPD_OK)
        rc = fill_rows(build, options, err);
    if (rc == XPD_OK && !(allocate(build) && take_single_names(build)))
        rc = no_memory(trace, err);
    if (rc != XPD_OK)
        return rc;
    put_together(build);
    find_ops(trace);
    tell(build);
    trace->memory_bytes = memory_of(trace);
    return xpd_source_check(trace->source, err);
}

static void free_build(struct xpd_trace_build *build)
{
    for (size_t i = 0; i < build->unit.count; i++) {
        free(build->unit.at[i].made);
        XPD_VEC_FINI(&build->unit.at[i].far);
    }
    XPD_VEC_FINI(&build->unit);
    XPD_VEC_FINI(&build->single);
    xpd_map64_fini(&build->single_of);
    xpd_map64_fini(&build->kind_of);
    XPD_VEC_FINI(&build->kind);
    free(build->read_hlo);
    free(build->ref);
    free(build->order);
    pthread_mutex_destroy(&build->lock);
}

static void begin_progress(struct xpd_progress *progress, const struct xpd_xspace *space)
{
    if (!progress)
        return;
    atomic_store(&progress->done_bytes, 0);
    atomic_store(&progress->total_bytes, space->file_bytes);
}

int xpd_trace_load(struct xpd_trace **out, const struct xpd_xspace *space,
                   struct xpd_source *source, const struct xpd_trace_options *options,
                   struct xpd_progress *progress, uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_trace *trace = calloc(1, sizeof *trace);
    struct xpd_trace_build build = {.trace = trace, .progress = progress};
    struct xpd_err local = {0};
    err = err ? err : &local;
    *out = NULL;
    if (!trace || !(trace->blocks = xpd_blocks_new(arena_budget_bytes)) ||
        pthread_mutex_init(&build.lock, NULL) != 0) {
        xpd_blocks_free(trace ? trace->blocks : NULL);
        free(trace);
        int rc = xpd_no_memory(err, xpd_source_name(source), "for a trace");
        xpd_source_close(source);
        return rc;
    }
    trace->space = space;
    trace->source = source;
    xpd_arena_init(&trace->arena, arena_budget_bytes);
    xpd_intern_init(&trace->names, &trace->arena);
    trace->warnings.arena = &trace->arena;
    begin_progress(progress, space);
    int rc = build_trace(&build, options, err);
    free_build(&build);
    if (rc == XPD_OK && progress)
        atomic_store(&progress->done_bytes, space->file_bytes);
    if (rc == XPD_OK)
        *out = trace;
    else
        xpd_trace_free(trace);
    return rc;
}

void xpd_trace_free(struct xpd_trace *trace)
{
    if (!trace)
        return;
    for (uint32_t i = 0; trace->tables && i < trace->space->plane_count; i++)
        xpd_plane_tables_fini(&trace->tables[i]);
    xpd_blocks_free(trace->blocks);
    xpd_intern_fini(&trace->names);
    xpd_arena_fini(&trace->arena);
    xpd_source_close(trace->source);
    free(trace);
}
