/* The groups of a trace, put together: by the grouping rows of devices, by the forest of events
 * (groups_forest.c), or as the file itself says. groups_find.c looks them up. */
#include "trace_groups.h"
#include "xprofd/trace/merge.h"

static bool is_called(const struct xpd_trace *trace, const struct xpd_trace_row *row,
                      const char *name)
{
    return xpd_str_eq(xpd_intern_get(&trace->names, row->caption), xpd_str_of(name));
}

/* Steps when it has events, else the modules. */
static uint32_t grouping_row(const struct xpd_trace *trace, const struct xpd_trace_process *process)
{
    uint32_t modules = XPD_NO_INDEX;
    for (uint32_t i = 0; i < process->row_count; i++) {
        uint32_t number = process->first_row + i;
        const struct xpd_trace_row *row = &trace->row[number];
        if (row->event_count == 0)
            continue;
        if (row->kind == XPD_ROW_STEPS || is_called(trace, row, "Sparse Core Steps"))
            return number;
        if (modules == XPD_NO_INDEX &&
            (row->kind == XPD_ROW_MODULES || is_called(trace, row, "Sparse Core Modules")))
            modules = number;
    }
    return modules;
}

static bool line_init(struct xpd_group_line *line, const struct xpd_trace *trace, uint32_t row,
                      struct xpd_arena *arena)
{
    uint64_t count = trace->row[row].event_count + trace->row[row].overflow_count;
    struct xpd_merge merge;
    struct xpd_merged event;
    if (count >= UINT32_MAX)
        return false;
    line->row = row;
    line->start_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    line->end_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    line->last_end_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    line->event = XPD_NEW_ARRAY(arena, uint64_t, count);
    line->group = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (arena->failed)
        return false;
    int64_t last_ps = INT64_MIN;
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (line->count < count && xpd_merge_next(&merge, &event)) {
        uint32_t i = line->count++;
        line->start_ps[i] = event.start_ps;
        line->end_ps[i] = event.start_ps + event.duration_ps;
        last_ps = line->end_ps[i] > last_ps ? line->end_ps[i] : last_ps;
        line->last_end_ps[i] = last_ps;
        line->event[i] = event.event;
        line->group[i] = XPD_NO_GROUP;
    }
    bool fine = !merge.failed;
    xpd_merge_fini(&merge);
    return fine;
}

/* Nothing links the chips to steps of the host: each TensorCore counts its own, behind the groups
 * of the hosts. */
static void number_lock_step(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                             uint32_t first)
{
    for (uint32_t p = 0; p < trace->process_count; p++)
        for (uint32_t i = 0; trace->process[p].kind == XPD_PROCESS_TPU && i < groups->line[p].count;
             i++) {
            groups->line[p].group[i] = first + i;
            groups->known = groups->known > first + i ? groups->known : first + i + 1;
        }
}

/* An event with its own group number. */
struct said {
    uint64_t event;
    uint32_t group;
    const struct xpd_depth *depth; /* where it stands */
    uint32_t index;                /* in its depth */
};

/* The next such event among the roots, from *at on; events of no row are passed over. */
static bool next_said(struct said *said, size_t *at, const struct xpd_trace *trace,
                      const struct xpd_links *links)
{
    while (*at < links->root.count) {
        const struct xpd_link_root *root = &links->root.at[(*at)++];
        said->event = root->event;
        said->group = root->group;
        if (root->group != XPD_NO_GROUP &&
            xpd_trace_find(trace, root->event, &said->depth, &said->index))
            return true;
    }
    return false;
}

/* The file already has groups: each event has its own. */
static void take_from_file(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                           const struct xpd_links *links, struct xpd_arena *arena)
{
    struct said said;
    for (size_t at = 0; next_said(&said, &at, trace, links);) {
        uint32_t row = said.depth->row;
        uint32_t *of = xpd_groups_row(groups, trace, row, arena);
        if (!of)
            return;
        of[said.event - groups->row_event[row]] = said.group;
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        struct xpd_group_line *line = &groups->line[p];
        const uint32_t *of = line->count ? groups->of_row[line->row] : NULL;
        for (uint32_t i = 0; of && i < line->count; i++)
            line->group[i] = of[line->event[i] - groups->row_event[line->row]];
    }
}

bool xpd_trace_may_group(const struct xpd_trace *trace)
{
    static const char *const names[] = {"TraceContext", "BatchingSessionRun", "ProcessBatch",
                                        "OrbaxServing::ProcessBatch"};
    static const char *const stats[] = {"_r",       "group_id", "graph_type",
                                        "step_num", "iter_num", "is_func"};
    uint64_t id;
    for (uint32_t i = 0; i < trace->process_count; i++)
        for (size_t k = 0; k < sizeof stats / sizeof *stats; k++)
            if (trace->process[i].kind != XPD_PROCESS_OTHER &&
                xpd_plane_stat_id(&trace->tables[trace->process[i].plane], &trace->names,
                                  xpd_str_of(stats[k]), &id))
                return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_intern_find(&trace->names, xpd_str_of(names[i])) != XPD_NO_NAME)
            return true;
    return false;
}

/* SparseCores have their steps from the TensorCores that start them. */
static bool may_have_launched(const struct xpd_trace *trace)
{
    uint64_t id;
    for (uint32_t i = 0; i < trace->process_count; i++)
        if (trace->process[i].kind == XPD_PROCESS_SPARSE_CORE &&
            xpd_plane_stat_id(&trace->tables[trace->process[i].plane], &trace->names, XPD_STR("_c"),
                              &id))
            return true;
    return false;
}

/* TensorFlow loops number their own steps; XProf leaves such profiles alone. */
static bool has_loop_events(const struct xpd_trace *trace)
{
    static const char *const names[] = {"WhileOp-EvalCond", "WhileOp-StartBody", "ForOp",
                                        "ParallelForOp", "ForeverOp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_intern_find(&trace->names, xpd_str_of(names[i])) != XPD_NO_NAME)
            return true;
    return false;
}

/* The row as it stands: the group of each of its events, by time so far, kept by event. */
static uint32_t *row_as_found(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                              uint32_t row, struct xpd_arena *arena)
{
    if (groups->of_row[row])
        return groups->of_row[row];
    uint32_t *of = xpd_groups_row(groups, trace, row, arena);
    groups->of_row[row] = NULL; /* so that it is asked by time */
    for (uint32_t d = 0; of && d < trace->row[row].depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[trace->row[row].first_depth + d];
        for (uint32_t i = 0; i < depth->count; i++)
            of[depth->first_event + i - groups->row_event[row]] =
                xpd_groups_at(groups, trace, depth, i);
    }
    return groups->of_row[row] = of;
}

/* Only some planes were grouped before: what an event says itself holds where nothing gives it a
 * group. First the grouping events, whose groups others take. */
static void keep_said_of_lines(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                               const struct xpd_links *links)
{
    struct said said;
    for (size_t at = 0; next_said(&said, &at, trace, links);) {
        struct xpd_group_line *line = &groups->line[trace->row[said.depth->row].process];
        uint32_t place =
            line->count > 0 && line->row == said.depth->row
                ? xpd_group_line_place(line, said.event, xpd_depth_start(said.depth, said.index))
                : XPD_NO_INDEX;
        if (place != XPD_NO_INDEX && line->group[place] == XPD_NO_GROUP)
            line->group[place] = said.group;
    }
}

/* Then, when those have given theirs away, all others. */
static void keep_said(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                      const struct xpd_links *links, struct xpd_arena *arena)
{
    struct said said;
    for (size_t at = 0; next_said(&said, &at, trace, links);) {
        uint32_t row = said.depth->row;
        if (xpd_groups_at(groups, trace, said.depth, said.index) != XPD_NO_GROUP)
            continue;
        uint32_t *of = row_as_found(groups, trace, row, arena);
        if (!of)
            return;
        of[said.event - groups->row_event[row]] = said.group;
    }
}

static bool groups_init(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                        struct xpd_arena *arena)
{
    groups->line = XPD_NEW_ARRAY(arena, struct xpd_group_line, trace->process_count);
    groups->of_row = XPD_NEW_ARRAY(arena, uint32_t *, trace->row_count);
    groups->row_event = XPD_NEW_ARRAY(arena, uint64_t, trace->row_count);
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < trace->row_count; i++)
        if (trace->row[i].depth_count > 0)
            groups->row_event[i] = trace->depth[trace->row[i].first_depth].first_event;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        uint32_t row = xpd_process_is_tpu(trace->process[p].kind)
                           ? grouping_row(trace, &trace->process[p])
                           : XPD_NO_INDEX;
        if (row != XPD_NO_INDEX && !line_init(&groups->line[p], trace, row, arena))
            return false;
    }
    return true;
}

int xpd_groups_make(struct xpd_event_groups **out, const struct xpd_trace *trace,
                    struct xpd_groups_made *made, struct xpd_err *err)
{
    struct xpd_event_groups *groups = XPD_NEW(made->arena, struct xpd_event_groups);
    if (!groups || !groups_init(groups, trace, made->arena))
        return xpd_no_memory(err, NULL, "for the groups of events");
    *out = groups;
    bool any_device = false;
    struct xpd_links links = {0};
    int rc = XPD_OK;
    groups->none = has_loop_events(trace);
    if (groups->none)
        return XPD_OK;
    if (xpd_trace_may_group(trace) || may_have_launched(trace))
        rc = xpd_links_scan(&links, trace, err);
    for (size_t i = 0; i < links.root.count; i++)
        groups->own_roots |= links.root.at[i].is_root && links.root.at[i].level == -1;
    if (rc == XPD_OK && links.grouped) { /* everything is as in the file */
        take_from_file(groups, trace, &links, made->arena);
        groups->from_file = true;
    } else if (rc == XPD_OK) {
        rc = xpd_forest_group(groups, trace, &links, made, &any_device, err);
        if (!any_device)
            number_lock_step(groups, trace, (uint32_t)made->group_name.count);
        if (groups->known < made->group_name.count)
            groups->known = (uint32_t)made->group_name.count;
        keep_said_of_lines(groups, trace, &links);
        xpd_groups_settle(groups, trace, made);
        keep_said(groups, trace, &links, made->arena);
    }
    xpd_links_fini(&links);
    if (rc == XPD_OK && (made->arena->failed || made->named.failed || made->group_name.failed))
        rc = xpd_no_memory(err, NULL, "for the groups of events");
    return rc;
}
