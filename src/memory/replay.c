/* Replays the heap traces: lanes, tenancies, and the three curves.
 *
 * In: the plan. Out, per space: event[], live_bytes[], listed_bytes[], unpadded_bytes[], lane[],
 * tenancy[] and the growths. Damage becomes a warning with the event number and the replay goes on.
 * live_bytes of colours 1 and 3 are replaced by the union afterwards. */
#include "replay.h"

#include <inttypes.h>
#include <stdlib.h>

static void open_lane(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c)
{
    r->lanes[r->lane_count++] = (uint32_t)(space - r->mem->space);
    c->trace = r->trace + 1;
    c->live = c->listed = c->unpadded = 0;
    c->running = XPD_NO_STEP;
    c->lane = space->lane_count;
    c->lane_tenancy = space->tenancy_count;
    space->lane[space->lane_count++] = (struct xpd_lane){.trace = r->trace, .first_step = c->step};
}

static void replay_event(struct xpd_replay *r)
{
    uint32_t buffer = r->hlo->events.buffer[r->event];
    uint32_t s = buffer == XPD_NO_INDEX ? XPD_NO_INDEX : r->b->space_of_buffer[buffer];
    bool counts = s != XPD_NO_INDEX;
    uint8_t kind = r->hlo->events.kind[r->event];
    if (!counts)
        s = r->channel[r->mem->space_count].lane; /* home */
    struct xpd_mem_space *space = &r->mem->space[s];
    struct xpd_channel *c = &r->channel[s];
    if (c->trace != r->trace + 1)
        open_lane(r, space, c);
    if (counts)
        xpd_replay_apply(r, space, c, buffer);
    else if (buffer == XPD_NO_INDEX)
        xpd_replay_complain(r, "unknown_buffer",
                            "there is no such buffer; the event has no effect");
    else if (r->mem->buffer[buffer].allocation == XPD_NO_INDEX)
        xpd_replay_complain(r, "unassigned_buffer",
                            "it lies in no allocation; the event has no effect");
    else
        xpd_replay_complain(
            r, "resident_event",
            "it lies in an allocation that is always there; the event has no effect");
    if (kind == XPD_EVENT_ALLOC || kind == XPD_EVENT_SHARE_WITH)
        c->running = c->step;
    space->event[c->step] = r->event;
    space->live_bytes[c->step] = c->live;
    space->listed_bytes[c->step] = c->listed;
    space->unpadded_bytes[c->step] = c->unpadded;
    space->index->running[c->step] = c->running;
    c->step++;
}

/* Ends what is still held with its lane; the next lane starts empty. */
static void close_lanes(struct xpd_replay *r)
{
    for (uint32_t i = 0; i < r->lane_count; i++) {
        struct xpd_mem_space *space = &r->mem->space[r->lanes[i]];
        struct xpd_channel *c = &r->channel[r->lanes[i]];
        struct xpd_lane *lane = &space->lane[c->lane];
        lane->step_count = c->step - lane->first_step;
        for (uint32_t t = c->lane_tenancy; t < space->tenancy_count; t++)
            if (space->tenancy[t].end_step == XPD_NO_STEP) {
                space->tenancy[t].end_step = c->step;
                space->tenancy[t].flags |= XPD_TENANCY_NEVER_FREED;
            }
    }
}

static void close_values(struct xpd_replay *r, const struct xpd_hlo_trace *trace)
{
    for (uint32_t i = trace->first; i < trace->first + trace->count; i++) {
        uint32_t buffer = r->hlo->events.buffer[i];
        if (buffer == XPD_NO_INDEX || r->value[buffer].trace != r->trace + 1)
            continue;
        if (r->value[buffer].holds > 0) {
            r->mem->buffer[buffer].end_step = r->channel[r->b->space_of_buffer[buffer]].step;
            r->value[buffer].holds = 0;
        }
        if (r->hlo->events.kind[i] == XPD_EVENT_SHARE_WITH)
            r->mem->buffer[buffer].root = xpd_replay_root(r, buffer);
    }
}

static void replay_trace(struct xpd_replay *r)
{
    const struct xpd_hlo_trace *trace = &r->hlo->trace[r->trace];
    r->lane_count = r->held = 0;
    r->relinked = false;
    for (r->event = trace->first; r->event < trace->first + trace->count; r->event++)
        replay_event(r);
    close_lanes(r);
    if (r->held > 0 || r->relinked)
        close_values(r, trace);
}

static bool make_room(struct xpd_mem_build *b, const struct xpd_trace_plan *plan)
{
    struct xpd_arena *arena = &b->mem->arena;
    for (uint32_t s = 0; s < b->mem->space_count; s++) {
        struct xpd_mem_space *space = &b->mem->space[s];
        const struct xpd_space_plan *p = &plan->space[s];
        space->step_count = p->steps;
        space->lane = XPD_NEW_ARRAY(arena, struct xpd_lane, p->lanes);
        space->event = XPD_NEW_ARRAY(arena, uint32_t, p->steps);
        space->live_bytes = XPD_NEW_ARRAY(arena, int64_t, p->steps);
        space->listed_bytes = XPD_NEW_ARRAY(arena, int64_t, p->steps);
        space->unpadded_bytes = XPD_NEW_ARRAY(arena, int64_t, p->steps);
        space->tenancy =
            XPD_NEW_ARRAY(arena, struct xpd_tenancy, (size_t)p->untraced + p->tenancies);
        space->index = XPD_NEW(arena, struct xpd_live_index);
        if (!space->lane || !space->event || !space->live_bytes || !space->listed_bytes ||
            !space->unpadded_bytes || !space->tenancy || !space->index)
            return false;
        space->index->running = XPD_NEW_ARRAY(arena, uint32_t, p->steps);
        space->index->untraced_count = p->untraced;
        if (!space->index->running)
            return false;
    }
    return xpd_untraced_place(b, plan);
}

static int by_tenancy(const void *x, const void *y)
{
    const struct xpd_growth *a = x, *b = y;
    if (a->tenancy != b->tenancy)
        return a->tenancy < b->tenancy ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static bool keep_growths(struct xpd_replay *r)
{
    for (uint32_t s = 0; s < r->mem->space_count; s++) {
        struct xpd_mem_space *space = &r->mem->space[s];
        struct xpd_channel *c = &r->channel[s];
        uint32_t untraced = space->index->untraced_count;
        space->index->growth = XPD_NEW_ARRAY(&r->mem->arena, struct xpd_growth, c->growth.count);
        if (c->growth.failed || !space->index->growth)
            return false;
        space->index->growth_count = (uint32_t)c->growth.count;
        bool first_moves = untraced > 0 && untraced < space->tenancy_count &&
                           space->tenancy[untraced].start_step == 0;
        uint32_t buffer = first_moves ? space->tenancy[untraced].buffer : 0;
        xpd_untraced_merge(r->mem, space, untraced);
        uint32_t place = untraced;
        while (first_moves && place > 0 && !(space->tenancy[place].buffer == buffer))
            place--;
        for (size_t i = 0; i < c->growth.count; i++) {
            space->index->growth[i] = c->growth.at[i];
            if (first_moves && c->growth.at[i].tenancy == untraced)
                space->index->growth[i].tenancy = place;
        }
        if (c->growth.count > 1)
            qsort(space->index->growth, c->growth.count, sizeof *space->index->growth, by_tenancy);
    }
    return true;
}

/* What a peak does not say by itself: that it is one of several simulations, or of none. */
static void note_lanes(struct xpd_mem *mem, const struct xpd_mem_space *space)
{
    const struct xpd_mem_totals *totals = &space->totals;
    if (space->lane_count > 1)
        xpd_warn(&mem->warnings, XPD_NOTE, "several_lanes", XPD_NO_OFFSET,
                 "Memory space %" PRId64 " has %" PRIu32
                 " separate simulations (lanes); its peak is that of the highest one.",
                 space->color, space->lane_count);
    if (space->step_count == 0 && totals->temp > 0)
        xpd_warn(&mem->warnings, XPD_WARNING, "no_heap_trace", XPD_NO_OFFSET,
                 "Memory space %" PRId64 " has %" PRId64
                 " bytes of temporaries and no heap trace: how much of them is held at once is not "
                 "known, the peak is between %" PRId64 " and %" PRId64 " bytes.",
                 space->color, totals->temp, totals->resident, totals->reserved);
}

bool xpd_mem_build_replay(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    uint32_t buffers = mem->hlo->buffers.count;
    struct xpd_trace_plan plan;
    struct xpd_replay r = {.b = b, .mem = mem, .hlo = mem->hlo};
    r.value = XPD_NEW_ARRAY(&b->scratch, struct xpd_replay_value, buffers);
    r.channel = XPD_NEW_ARRAY(&b->scratch, struct xpd_channel, (size_t)mem->space_count + 1);
    r.last_tenancy = XPD_NEW_ARRAY(&b->scratch, uint32_t, buffers);
    r.lanes = XPD_NEW_ARRAY(&b->scratch, uint32_t, mem->space_count);
    if (!r.value || !r.channel || !r.last_tenancy || !r.lanes || !xpd_trace_plan_make(b, &plan) ||
        !make_room(b, &plan))
        return false;
    for (uint32_t i = 0; i < buffers; i++)
        r.last_tenancy[i] = XPD_NO_INDEX;
    for (r.trace = 0; r.trace < mem->hlo->trace_count; r.trace++) {
        if (plan.skipped[r.trace])
            continue;
        r.channel[mem->space_count].lane = plan.home[r.trace];
        replay_trace(&r);
    }
    bool ok = keep_growths(&r);
    for (uint32_t s = 0; s < mem->space_count; s++) {
        XPD_VEC_FINI(&r.channel[s].growth);
        note_lanes(mem, &mem->space[s]);
    }
    return ok;
}
