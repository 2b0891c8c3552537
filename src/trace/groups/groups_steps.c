/* What becomes of the grouping events of devices once they have their groups: Steps events that
 * follow each other in one group are one and are called by it. */
#include "trace_groups.h"

#include <stdio.h>

static bool is_steps(const struct xpd_group_line *line, const struct xpd_trace *trace)
{
    return line->count > 0 && trace->row[line->row].kind == XPD_ROW_STEPS;
}

/* Each Steps event has the group it was given, regardless of what it touches. */
static void keep_own_groups(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                            const struct xpd_group_line *line, struct xpd_arena *arena)
{
    uint32_t *of = xpd_groups_row(groups, trace, line->row, arena);
    for (uint32_t i = 0; of && i < line->count; i++)
        of[line->event[i] - groups->row_event[line->row]] = line->group[i];
}

/* Runs are grouped as what lies beside them is: each takes the group of the first run that it
 * touches, one without a group keeps it for those behind it; one that has a group and touches one
 * without keeps its own. */
static void spread_runs(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                        struct xpd_group_line *line, struct xpd_arena *arena)
{
    bool keeps = false;
    for (uint32_t i = 0; i < line->count; i++) {
        uint32_t touched = xpd_group_line_of(line, line->start_ps[i], line->end_ps[i]);
        keeps |= line->group[i] != XPD_NO_GROUP && touched == XPD_NO_GROUP;
        if (line->group[i] == XPD_NO_GROUP)
            line->group[i] = touched;
    }
    uint32_t *of = keeps ? xpd_groups_row(groups, trace, line->row, arena) : NULL;
    for (uint32_t i = 0; of && i < line->count; i++) {
        uint32_t touched = xpd_group_line_of(line, line->start_ps[i], line->end_ps[i]);
        of[line->event[i] - groups->row_event[line->row]] =
            touched == XPD_NO_GROUP ? line->group[i] : touched;
    }
}

/* Which events each step is made of, before the steps are moved together. */
static bool keep_members(struct xpd_group_line *line, struct xpd_arena *arena)
{
    line->member = XPD_NEW_ARRAY(arena, uint64_t, line->count);
    line->member_first = XPD_NEW_ARRAY(arena, uint32_t, line->count);
    line->member_end = XPD_NEW_ARRAY(arena, uint32_t, line->count);
    if (arena->failed)
        return false;
    memcpy(line->member, line->event, line->count * sizeof *line->event);
    return true;
}

static void move_step(struct xpd_group_line *line, uint32_t to, uint32_t from)
{
    line->start_ps[to] = line->start_ps[from];
    line->end_ps[to] = line->end_ps[from];
    line->event[to] = line->event[from];
    line->group[to] = line->group[from];
}

/* Steps events of one group that follow each other are one step; what has no group is none, unless
 * nothing has one. */
static void merge_steps(struct xpd_group_line *line, struct xpd_arena *arena)
{
    if (!keep_members(line, arena))
        return;
    uint32_t kept = 0;
    bool open = false; /* the last kept one goes on */
    for (uint32_t i = 0; i < line->count; i++) {
        if (line->group[i] == XPD_NO_GROUP) {
            open = false;
        } else if (open && line->group[kept - 1] == line->group[i]) {
            line->end_ps[kept - 1] = line->end_ps[i];
            line->member_end[kept - 1] = i + 1;
        } else {
            line->member_first[kept] = i;
            line->member_end[kept] = i + 1;
            move_step(line, kept++, i);
            open = true;
        }
    }
    if (kept == 0 || kept == line->count)
        return;
    line->merged = true;
    line->count = kept;
    int64_t last_ps = INT64_MIN;
    for (uint32_t i = 0; i < kept; i++) {
        last_ps = line->end_ps[i] > last_ps ? line->end_ps[i] : last_ps;
        line->last_end_ps[i] = last_ps;
    }
}

/* What a group is called: "train 3" where a host begins it, else its number. */
static xpd_name_id group_name(struct xpd_groups_made *made, uint32_t group)
{
    char text[16];
    if (group < made->group_name.count)
        return made->group_name.at[group];
    int size = snprintf(text, sizeof text, "%u", group);
    return xpd_intern_put(made->names, text, (size_t)size);
}

void xpd_groups_settle(struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       struct xpd_groups_made *made)
{
    for (uint32_t p = 0; p < trace->process_count; p++) {
        struct xpd_group_line *line = &groups->line[p];
        if (!is_steps(line, trace)) {
            spread_runs(groups, trace, line, made->arena);
            continue;
        }
        keep_own_groups(groups, trace, line, made->arena);
        merge_steps(line, made->arena);
        line->steps = true;
        for (uint32_t i = 0; i < line->count; i++) {
            if (line->group[i] == XPD_NO_GROUP || line->group[i] >= groups->known)
                continue; /* one that only the file knows has no name */
            struct xpd_step_name name = {.event = line->event[i],
                                         .name = group_name(made, line->group[i]),
                                         .xprof_only = true};
            XPD_PUSH(&made->named, name);
        }
    }
}
