/* What was derived from each of several hosts, as derived from them together.
 *
 * In: a joined trace, the derived rows of each of its hosts. Out: the same rows under the numbers
 * of the joined trace. Only steps are made anew: they count over the chips of all hosts. */
#include "../derived/derive.h"
#include "join.h"
#include "xprofd/base/checked.h"

#include <stdlib.h>

struct joining {
    struct xpd_derived *out;
    struct xpd_deriving deriving; /* of the steps */
    const struct xpd_trace_host *part;
    const struct xpd_derived *from;
    struct xpd_join_texts texts;
    uint32_t first_row, first_depth, first_name; /* where the part begins in `out` */
    uint64_t first_event; /* of all numbers: the part's first derived event */
};

static int64_t at(const struct joining *j, int64_t ps)
{
    bool overflow = false;
    return xpd_add_i64(ps, j->part->shift_ps, &overflow);
}

/* A number of the host, measured or derived, among those of all. */
static uint64_t event(const struct joining *j, uint64_t number)
{
    uint64_t measured = j->part->trace->event_count;
    return number < measured ? number + j->part->first_event : number - measured + j->first_event;
}

/* ---- rows ---- */

static void add_names(struct joining *j)
{
    for (uint32_t i = 0; i < j->from->name_count; i++) {
        struct xpd_event_name *name = &j->out->name[j->first_name + i];
        *name = xpd_join_name(&j->texts, &j->from->name[i]);
    }
}

static void add_rows(struct joining *j)
{
    for (uint32_t i = 0; i < j->from->row_count; i++) {
        struct xpd_trace_row *row = &j->out->row[j->first_row + i];
        *row = j->from->row[i];
        row->process += j->part->first_process;
        row->caption = xpd_join_text(&j->texts, row->caption);
        row->first_depth += j->first_depth;
        row->first_ps = at(j, row->first_ps);
        row->end_ps = at(j, row->end_ps);
    }
}

/* Names of one depth, and the measured depths of the joined trace behind it: its times follow. */
static bool add_columns(struct joining *j, struct xpd_depth *depth)
{
    struct xpd_arena *arena = &j->out->arena;
    uint32_t n = depth->count;
    uint32_t *name = XPD_NEW_ROOM(arena, uint32_t, n);
    struct xpd_depth_from *from = XPD_COPY_ARRAY(arena, depth->from, 1);
    if (!name || !from)
        return false;
    uint32_t names = j->part->trace->name_count;
    for (uint32_t i = 0; i < n; i++)
        name[i] = depth->name[i] - names + j->out->trace->name_count + j->first_name;
    from->depth =
        &j->out->trace->depth[j->part->first_depth + (size_t)(from->depth - j->part->trace->depth)];
    depth->name = name;
    depth->from = from;
    return true;
}

static bool add_depths(struct joining *j)
{
    for (uint32_t i = 0; i < j->from->depth_count; i++) {
        struct xpd_depth *depth = &j->out->depth[j->first_depth + i];
        *depth = j->from->depth[i];
        depth->row += j->first_row;
        depth->first_event = event(j, depth->first_event);
        if (!add_columns(j, depth))
            return false;
    }
    return true;
}

static void add_pairs(struct joining *j)
{
    for (uint64_t i = 0; i < j->from->pair_count; i++) {
        struct xpd_derived_pair *pair = &j->out->pair[j->out->pair_count++];
        *pair = j->from->pair[i];
        pair->event = event(j, pair->event);
        pair->event2 = event(j, pair->event2);
    }
}

/* ---- groups and steps ---- */

static bool add_line(struct joining *j, const struct xpd_group_line *from,
                     struct xpd_group_line *line)
{
    struct xpd_arena *arena = &j->out->arena;
    int64_t *time = XPD_NEW_ARRAY(arena, int64_t, 3 * (uint64_t)from->count);
    uint64_t *number = XPD_NEW_ARRAY(arena, uint64_t, from->count);
    if (!time || !number)
        return false;
    *line = (struct xpd_group_line){.row = from->row + j->part->first_row,
                                    .count = from->count,
                                    .start_ps = time,
                                    .end_ps = time + from->count,
                                    .last_end_ps = time + 2 * (size_t)from->count,
                                    .event = number,
                                    .group = from->group};
    for (uint32_t i = 0; i < from->count; i++) {
        line->start_ps[i] = at(j, from->start_ps[i]);
        line->end_ps[i] = at(j, from->end_ps[i]);
        line->last_end_ps[i] = at(j, from->last_end_ps[i]);
        line->event[i] = event(j, from->event[i]);
    }
    return true;
}

static bool add_groups(struct joining *j)
{
    const struct xpd_event_groups *from = j->from->groups;
    struct xpd_event_groups *out = j->out->groups;
    const struct xpd_trace_host *part = j->part;
    for (uint32_t r = 0; r < part->trace->row_count; r++) {
        out->of_row[part->first_row + r] = from->of_row[r];
        out->row_event[part->first_row + r] = from->row_event[r] + part->first_event;
    }
    for (uint32_t p = 0; p < part->trace->process_count; p++)
        if (from->line[p].count > 0 &&
            !add_line(j, &from->line[p], &out->line[part->first_process + p]))
            return false;
    return true;
}

static void add_steps(struct joining *j)
{
    for (uint32_t i = 0; i < j->from->step_count; i++) {
        struct xpd_step step = j->from->step[i];
        enum xpd_process_kind kind = j->part->trace->process[step.process].kind;
        if (kind == XPD_PROCESS_TPU ||
            (kind == XPD_PROCESS_GPU &&
             xpd_steps_row(j->part->trace, step.process) != XPD_NO_INDEX))
            continue; /* made anew */
        step.process += j->part->first_process;
        if (step.thread != XPD_NO_INDEX)
            step.thread += j->part->first_row;
        step.name = xpd_join_text(&j->texts, step.name);
        step.start_ps = at(j, step.start_ps);
        step.end_ps = at(j, step.end_ps);
        step.event = event(j, step.event);
        XPD_PUSH(&j->deriving.step, step);
    }
    for (uint32_t i = 0; i < j->from->step_name_count; i++) {
        struct xpd_step_name *name = &j->out->step_name[j->out->step_name_count++];
        *name = j->from->step_name[i];
        name->name = xpd_join_text(&j->texts, name->name);
        name->event = event(j, name->event);
    }
}

/* ---- main ---- */

static bool add_part(struct joining *j)
{
    bool fine = xpd_join_texts_init(&j->texts, &j->out->names, &j->from->names);
    if (fine) {
        add_names(j);
        add_rows(j);
        add_pairs(j);
        add_steps(j);
        fine = add_depths(j) && add_groups(j);
    }
    xpd_join_texts_fini(&j->texts);
    xpd_join_warnings(&j->out->warnings, j->part->host, &j->from->warnings);
    j->first_row += j->from->row_count;
    j->first_depth += j->from->depth_count;
    j->first_name += j->from->name_count;
    j->first_event += j->from->event_count;
    return fine;
}

static bool make_room(struct xpd_derived *out, const struct xpd_derived *const *of)
{
    uint64_t rows = 0, depths = 0, names = 0, pairs = 0, steps = 0, most = XPD_NO_INDEX;
    const struct xpd_trace *trace = out->trace;
    for (uint32_t i = 0; i < trace->part_count; i++) {
        rows += of[i]->row_count;
        depths += of[i]->depth_count;
        names += of[i]->name_count;
        pairs += of[i]->pair_count;
        steps += of[i]->step_name_count;
        out->event_count += of[i]->event_count;
    }
    if (rows + trace->row_count >= most || names + trace->name_count >= most || depths >= most)
        return false;
    out->row = XPD_NEW_ARRAY(&out->arena, struct xpd_trace_row, rows);
    out->depth = XPD_NEW_ARRAY(&out->arena, struct xpd_depth, depths);
    out->name = XPD_NEW_ARRAY(&out->arena, struct xpd_event_name, names);
    out->pair = XPD_NEW_ARRAY(&out->arena, struct xpd_derived_pair, pairs);
    out->step_name = XPD_NEW_ARRAY(&out->arena, struct xpd_step_name, steps);
    out->groups = XPD_NEW(&out->arena, struct xpd_event_groups);
    if (!out->groups)
        return false;
    out->groups->line = XPD_NEW_ARRAY(&out->arena, struct xpd_group_line, trace->process_count);
    out->groups->of_row = XPD_NEW_ARRAY(&out->arena, uint32_t *, trace->row_count);
    out->groups->row_event = XPD_NEW_ARRAY(&out->arena, uint64_t, trace->row_count);
    out->row_count = (uint32_t)rows;
    out->depth_count = (uint32_t)depths;
    out->name_count = (uint32_t)names;
    return !out->arena.failed;
}

static bool build(struct xpd_derived *out, const struct xpd_derived *const *of)
{
    struct joining joining = {.out = out,
                              .deriving = {.out = out, .trace = out->trace},
                              .first_event = out->trace->event_count};
    bool fine = make_room(out, of);
    for (uint32_t i = 0; fine && i < out->trace->part_count; i++) {
        joining.part = &out->trace->part[i];
        joining.from = of[i];
        fine = add_part(&joining);
    }
    if (fine)
        xpd_derive_steps(&joining.deriving);
    fine = fine && !joining.deriving.failed && !joining.deriving.step.failed;
    XPD_VEC_FINI(&joining.deriving.step);
    return fine && !out->arena.failed && !out->names.failed;
}

int xpd_join_derived(struct xpd_derived **out, const struct xpd_trace *joined,
                     const struct xpd_derived *const *of, uint64_t budget_bytes,
                     struct xpd_err *err)
{
    struct xpd_derived *derived = calloc(1, sizeof *derived);
    *out = NULL;
    if (derived) {
        xpd_arena_init(&derived->arena, budget_bytes);
        xpd_intern_init(&derived->names, &derived->arena);
        derived->warnings.arena = &derived->arena;
        derived->trace = joined;
        if (build(derived, of)) {
            *out = derived;
            return XPD_OK;
        }
        xpd_derived_free(derived);
    }
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "The derived rows of %u hosts side by side do not fit the memory budget: ask "
                    "for one with host=, or raise --memory-limit.",
                    joined->part_count);
}

/* ---- flows ---- */

#define HOST_SHIFT 56 /* a flow id has 56 bits */

/* Points of a host stay in their order, and its flows together: hosts follow each other by id. */
static void add_flows(struct xpd_flows *out, const struct xpd_trace_host *part, uint64_t host,
                      const struct xpd_flows *from)
{
    uint64_t first = out->point_count;
    for (uint64_t i = 0; i < from->point_count; i++) {
        struct xpd_flow_point *point = &out->point[first + i];
        *point = from->point[i];
        point->event += part->first_event;
        point->flow += out->point_flows;
    }
    for (uint32_t i = 0; i < from->point_flows; i++)
        out->id[out->point_flows + i] =
            (from->id[i] & ((UINT64_C(1) << HOST_SHIFT) - 1)) | host << HOST_SHIFT;
    out->point_count += from->point_count;
    out->point_flows += from->point_flows;
    out->flow_count = out->point_flows;
    out->matched_count += from->matched_count;
    out->open_count += from->open_count;
}

int xpd_join_flows(struct xpd_flows **out, const struct xpd_trace *joined,
                   const struct xpd_flows *const *of, uint64_t budget_bytes, struct xpd_err *err)
{
    uint64_t points = 0, ids = 0;
    for (uint32_t i = 0; i < joined->part_count; i++) {
        points += of[i]->point_count;
        ids += of[i]->point_flows;
    }
    bool fits = points < UINT32_MAX &&
                (budget_bytes == 0 || points <= budget_bytes / sizeof(struct xpd_flow_point));
    struct xpd_flows *flows = fits ? calloc(1, sizeof *flows) : NULL;
    *out = NULL;
    if (flows) {
        xpd_arena_init(&flows->arena, budget_bytes);
        flows->point = malloc((points + 1) * sizeof *flows->point);
        flows->id = XPD_NEW_ROOM(&flows->arena, uint64_t, ids + 1);
        if (flows->point && flows->id) {
            for (uint32_t i = 0; i < joined->part_count; i++)
                add_flows(flows, &joined->part[i], i, of[i]);
            *out = xpd_flows_index(flows) ? flows : NULL;
        }
        if (*out)
            return XPD_OK;
        xpd_flows_free(flows);
    }
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "The flows of %u hosts do not fit the memory budget: ask for one with host=, "
                    "or raise --memory-limit.",
                    joined->part_count);
}
