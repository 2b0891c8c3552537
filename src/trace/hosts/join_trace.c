/* The rows of several hosts as those of one trace.
 *
 * In: frozen traces. Out: a frozen trace that borrows their columns. Starts are copied where the
 * host is moved, and numbers of names where others stand before them; the pyramid, which uses an
 * absolute grid, is then computed again. */
#include "../load/core.h"
#include "join.h"
#include "xprofd/base/checked.h"
#include <stdio.h>
#include <stdlib.h>

/* What each of several hosts says, in the texts and warnings of all of them.
 *
 * In: texts, names and warnings of one host. Out: the same among those of all. */

bool xpd_join_texts_init(struct xpd_join_texts *texts, struct xpd_intern *to,
                         const struct xpd_intern *from)
{
    *texts = (struct xpd_join_texts){
        .to = to, .from = from, .id = calloc((size_t)from->count + 1, sizeof *texts->id)};
    return texts->id != NULL;
}

void xpd_join_texts_fini(struct xpd_join_texts *texts)
{
    free(texts->id);
}

xpd_name_id xpd_join_text(struct xpd_join_texts *texts, xpd_name_id id)
{
    if (id >= texts->from->count)
        return 0;
    if (texts->id[id] == 0) {
        struct xpd_str at = xpd_intern_get(texts->from, id);
        texts->id[id] = xpd_intern_put(texts->to, at.data, at.size) + 1;
    }
    return texts->id[id] - 1;
}

struct xpd_event_name xpd_join_name(struct xpd_join_texts *texts, const struct xpd_event_name *from)
{
    struct xpd_event_name name = *from;
    name.caption = xpd_join_text(texts, from->caption);
    name.name = xpd_join_text(texts, from->name);
    name.category = xpd_join_text(texts, from->category);
    name.tf_op = xpd_join_text(texts, from->tf_op);
    name.source = xpd_join_text(texts, from->source);
    name.program = xpd_join_text(texts, from->program);
    return name;
}

void xpd_join_warnings(struct xpd_warnings *list, const char *host, const struct xpd_warnings *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (list->count == XPD_WARNINGS_MAX) {
            list->dropped++;
            continue;
        }
        struct xpd_warning *item = &list->item[list->count];
        *item = from->item[i];
        item->text = xpd_arena_printf(list->arena, "%s: %s", host, from->item[i].text);
        list->count += item->text != NULL;
    }
    list->dropped += from->dropped;
}

struct joining {
    struct xpd_trace *trace;
    const struct xpd_trace_host *part;
    struct xpd_join_texts texts;
    struct xpd_pen pen;
};

/* ---- sizes ---- */

struct sizes {
    uint64_t processes, rows, depths, names, far, planes;
};

static struct sizes sizes_of(const struct xpd_join_host *host, uint32_t count)
{
    struct sizes sizes = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_trace *trace = host[i].trace;
        sizes.processes += trace->process_count;
        sizes.rows += trace->row_count;
        sizes.depths += trace->depth_count;
        sizes.names += trace->name_count;
        sizes.far += trace->far_count;
        sizes.planes += trace->space->plane_count;
    }
    return sizes;
}

static bool fits(const struct sizes *sizes)
{
    uint64_t most = XPD_NO_INDEX;
    return sizes->processes < most && sizes->rows < most && sizes->depths < most &&
           sizes->names < most && sizes->planes < most;
}

/* ---- one host ---- */

static void add_names(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    for (uint32_t i = 0; i < from->name_count; i++) {
        struct xpd_event_name *name = &j->trace->name[j->part->first_name + i];
        *name = xpd_join_name(&j->texts, &from->name[i]);
        if (name->plane != XPD_NO_INDEX)
            name->plane += j->part->first_plane;
    }
}

/* As XProf calls them: "<host> <plane>". */
static bool add_processes(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    for (uint32_t i = 0; i < from->process_count; i++) {
        struct xpd_trace_process *process = &j->trace->process[j->part->first_process + i];
        struct xpd_str plane = xpd_intern_get(&from->names, from->process[i].name);
        const char *name =
            xpd_arena_printf(&j->trace->arena, "%s %.*s", j->part->host,
                             (int)(plane.size < 4096 ? plane.size : 4096), plane.data);
        if (!name)
            return false;
        *process = from->process[i];
        process->name = xpd_intern_put(&j->trace->names, name, strlen(name));
        process->plane += j->part->first_plane;
        process->first_row += j->part->first_row;
    }
    return true;
}

static void add_rows(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    for (uint32_t i = 0; i < from->row_count; i++) {
        struct xpd_trace_row *row = &j->trace->row[j->part->first_row + i];
        *row = from->row[i];
        row->process += j->part->first_process;
        row->caption = xpd_join_text(&j->texts, row->caption);
        row->first_depth += j->part->first_depth;
        if (row->depth_count > 0) {
            bool overflow = false;
            row->first_ps = xpd_add_i64(row->first_ps, j->part->shift_ps, &overflow);
            row->end_ps = xpd_add_i64(row->end_ps, j->part->shift_ps, &overflow);
        }
    }
}

static const int64_t *moved(struct joining *j, const struct xpd_depth *depth)
{
    int64_t *start = xpd_blocks_take(j->trace->blocks, &j->pen, depth->count * sizeof *start);
    for (uint32_t i = 0; start && i < depth->count; i++) {
        bool overflow = false;
        start[i] = xpd_add_i64(depth->start_ps[i], j->part->shift_ps, &overflow);
    }
    return start;
}

static const uint32_t *renamed(struct joining *j, const struct xpd_depth *depth)
{
    uint32_t *name = xpd_blocks_take(j->trace->blocks, &j->pen, depth->count * sizeof *name);
    for (uint32_t i = 0; name && i < depth->count; i++)
        name[i] = depth->name[i] + j->part->first_name;
    return name;
}

static bool add_depths(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    bool moves = j->part->shift_ps != 0, renames = j->part->first_name != 0;
    for (uint32_t i = 0; i < from->depth_count; i++) {
        struct xpd_depth *depth = &j->trace->depth[j->part->first_depth + i];
        *depth = from->depth[i];
        depth->row += j->part->first_row;
        depth->first_event += j->part->first_event;
        if (depth->count == 0 || (!moves && !renames))
            continue;
        if (moves)
            depth->start_ps = moved(j, depth);
        depth->moved_ps = j->part->shift_ps;
        if (renames)
            depth->name = renamed(j, depth);
        depth->mip = NULL;
        depth->mip_count = 0;
        if (!depth->start_ps || !depth->name || !xpd_mip_build(j->trace->blocks, &j->pen, depth))
            return false;
    }
    return true;
}

static void add_far(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    for (uint64_t i = 0; i < from->far_count; i++) {
        struct xpd_far_duration *far = &j->trace->far[j->trace->far_count++];
        *far = from->far[i];
        far->event += j->part->first_event;
    }
}

static bool add_part(struct joining *j)
{
    const struct xpd_trace *from = j->part->trace;
    bool fine = xpd_join_texts_init(&j->texts, &j->trace->names, &from->names);
    if (fine) {
        add_names(j);
        fine = add_processes(j);
    }
    if (fine) {
        add_rows(j);
        add_far(j);
        fine = add_depths(j);
    }
    xpd_join_texts_fini(&j->texts);
    j->trace->hidden_count += from->hidden_count;
    return fine;
}

/* ---- facts about hosts ---- */

/* "b", or "b and 2 more hosts"; false when none is placed so. */
static bool name_them(const struct xpd_trace *trace, enum xpd_placed placed, char *text,
                      size_t size)
{
    const char *first = NULL;
    uint32_t more = 0;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        if (trace->part[i].placed != placed)
            continue;
        more += first != NULL;
        first = first ? first : trace->part[i].host;
    }
    if (more > 0)
        snprintf(text, size, "%.100s and %u more host%s", first, more, more > 1 ? "s" : "");
    else
        snprintf(text, size, "%.100s", first ? first : "");
    return first != NULL;
}

static void tell(struct xpd_trace *trace)
{
    for (uint32_t i = 0; i < trace->part_count; i++)
        xpd_join_warnings(&trace->warnings, trace->part[i].host, &trace->part[i].trace->warnings);
    char named[2][160];
    if (name_them(trace, XPD_PLACED_NO_CLOCK, named[0], sizeof named[0]))
        xpd_warn(&trace->warnings, XPD_WARNING, "hosts_without_clock", XPD_NO_OFFSET,
                 "No start time in the profile of %s: drawn from the same beginning as the others. "
                 "Times there cannot be compared with those of other hosts.",
                 named[0]);
    if (name_them(trace, XPD_PLACED_APART, named[1], sizeof named[1]))
        xpd_warn(&trace->warnings, XPD_WARNING, "hosts_apart", XPD_NO_OFFSET,
                 "Clocks disagree, or hosts were captured one after another; no instant in common "
                 "with the others by the profile's clock: %s. Drawn from the same beginning; times "
                 "there cannot be compared with those of other hosts.",
                 named[1]);
}

/* ---- main ---- */

static bool is_empty(const struct xpd_trace *trace)
{
    for (uint32_t i = 0; i < trace->row_count; i++)
        if (trace->row[i].depth_count > 0)
            return false;
    return true;
}

static bool make_parts(struct xpd_trace *trace, const struct xpd_join_host *host, uint32_t count,
                       struct xpd_trace_host *part)
{
    struct xpd_place *place = XPD_NEW_ARRAY(&trace->arena, struct xpd_place, count);
    if (!place)
        return false;
    for (uint32_t i = 0; i < count; i++)
        place[i] = (struct xpd_place){.empty = is_empty(host[i].trace),
                                      .zero_ns = xpd_trace_zero_ns(host[i].trace),
                                      .first_ps = host[i].trace->first_ps,
                                      .end_ps = host[i].trace->end_ps};
    if (!xpd_join_place(place, count, &trace->profile_start_ns))
        return false;
    struct xpd_trace_host next = {0};
    for (uint32_t i = 0; i < count; i++) {
        next.host = xpd_arena_strndup(&trace->arena, host[i].name, strlen(host[i].name));
        next.trace = host[i].trace;
        next.shift_ps = place[i].shift_ps;
        next.placed = place[i].placed;
        part[i] = next;
        if (!next.host)
            return false;
        next.first_process += next.trace->process_count;
        next.first_row += next.trace->row_count;
        next.first_depth += next.trace->depth_count;
        next.first_name += next.trace->name_count;
        next.first_plane += next.trace->space->plane_count;
        next.first_event += next.trace->event_count;
    }
    trace->part = part;
    trace->part_count = count;
    trace->process_count = next.first_process;
    trace->row_count = next.first_row;
    trace->depth_count = next.first_depth;
    trace->name_count = next.first_name;
    trace->event_count = next.first_event;
    return true;
}

static void find_bounds(struct xpd_trace *trace)
{
    int64_t first = INT64_MAX, end = INT64_MIN;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        const struct xpd_trace_host *part = &trace->part[i];
        bool overflow = false;
        if (is_empty(part->trace))
            continue;
        int64_t from = xpd_add_i64(part->trace->first_ps, part->shift_ps, &overflow);
        int64_t to = xpd_add_i64(part->trace->end_ps, part->shift_ps, &overflow);
        first = from < first ? from : first;
        end = to > end ? to : end;
    }
    trace->first_ps = first == INT64_MAX ? 0 : first;
    trace->end_ps = end < trace->first_ps ? trace->first_ps : end;
}

static bool build(struct xpd_trace *trace, const struct xpd_join_host *host, uint32_t count,
                  const struct sizes *sizes)
{
    struct xpd_arena *arena = &trace->arena;
    trace->name = XPD_NEW_ARRAY(arena, struct xpd_event_name, sizes->names);
    trace->process = XPD_NEW_ARRAY(arena, struct xpd_trace_process, sizes->processes);
    trace->row = XPD_NEW_ARRAY(arena, struct xpd_trace_row, sizes->rows);
    trace->depth = XPD_NEW_ARRAY(arena, struct xpd_depth, sizes->depths);
    trace->far = XPD_NEW_ARRAY(arena, struct xpd_far_duration, sizes->far);
    struct xpd_trace_host *part = XPD_NEW_ARRAY(arena, struct xpd_trace_host, count);
    struct joining joining = {.trace = trace};
    bool fine = !arena->failed && make_parts(trace, host, count, part);
    for (uint32_t i = 0; fine && i < count; i++) {
        joining.part = &trace->part[i];
        fine = add_part(&joining);
    }
    xpd_pen_close(trace->blocks, &joining.pen);
    if (!fine || trace->names.failed || arena->failed)
        return false;
    find_bounds(trace);
    tell(trace);
    if (!xpd_join_runs(trace, part))
        return false;
    trace->memory_bytes = sizeof *trace + arena->used_bytes + xpd_blocks_used(trace->blocks);
    return true;
}

int xpd_join_trace(struct xpd_trace **out, const struct xpd_join_host *host, uint32_t count,
                   uint64_t budget_bytes, struct xpd_err *err)
{
    struct sizes sizes = sizes_of(host, count);
    *out = NULL;
    if (count == 0 || count > XPD_JOIN_HOSTS_MAX || !fits(&sizes))
        return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                        "%u hosts are too many to be shown side by side, the most is %u: ask for "
                        "one with host=.",
                        count, XPD_JOIN_HOSTS_MAX);
    struct xpd_trace *trace = calloc(1, sizeof *trace);
    if (trace && (trace->blocks = xpd_blocks_new(budget_bytes))) {
        xpd_arena_init(&trace->arena, budget_bytes);
        xpd_intern_init(&trace->names, &trace->arena);
        trace->warnings.arena = &trace->arena;
        if (build(trace, host, count, &sizes)) {
            *out = trace;
            return XPD_OK;
        }
        xpd_trace_free(trace);
    } else {
        free(trace);
    }
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "The events of %u hosts side by side do not fit the memory budget: ask for one "
                    "with host=, or raise --memory-limit.",
                    count);
}
