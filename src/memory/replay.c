/* Replays the heap traces: lanes, tenancies, and the three curves.
 *
 * In: the plan. Out, per space: event[], live_bytes[], listed_bytes[], unpadded_bytes[], lane[],
 * tenancy[] and the growths. Damage becomes a warning with the event number and the replay goes on.
 * live_bytes of colours 1 and 3 are replaced by the union afterwards. */
#include "replay.h"
#include "xprofd/base/checked.h"
#include <inttypes.h>
#include <stdlib.h>

/* Effect of one event: the holders of a storage, and their lifetimes.
 *
 * In: an event of a buffer in a temp allocation. Out: tenancies opened, grown and closed, the sums
 * of the space. Reference counts live on the root of a sharing group; parents are followed with
 * path halving. Invariants: a storage has at most one open tenancy; a value holds its storage once
 * however often it is ALLOCed; a parent is always the root it had when the link was made, and never
 * a value of the value's own group, so there are no rings. */

static void xpd_replay_complain(struct xpd_replay *r, const char *code, const char *what)
{
    xpd_warn(&r->mem->warnings, XPD_WARNING, code, XPD_NO_OFFSET,
             "Heap trace %" PRIu32 ", event %" PRIu32 ", buffer %" PRId64 ": %s.", r->trace,
             r->event - r->hlo->trace[r->trace].first, r->hlo->events.buffer_id[r->event], what);
}

static struct xpd_replay_value *touch(struct xpd_replay *r, uint32_t buffer)
{
    struct xpd_replay_value *v = &r->value[buffer];
    if (v->trace != r->trace + 1)
        *v = (struct xpd_replay_value){
            .trace = r->trace + 1, .parent = buffer, .tenancy = XPD_NO_INDEX};
    return v;
}

/* Parents are always touched: a link is made to a root that was. */
static uint32_t xpd_replay_root(struct xpd_replay *r, uint32_t buffer)
{
    while (r->value[buffer].parent != buffer) {
        uint32_t parent = r->value[buffer].parent;
        r->value[buffer].parent = r->value[parent].parent;
        buffer = parent;
    }
    return buffer;
}

static void open_tenancy(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                         uint32_t root, uint32_t holder, uint32_t flags)
{
    const struct xpd_mem_buffer *buffer = &r->mem->buffer[holder];
    uint32_t index = space->tenancy_count++;
    space->tenancy[index] =
        (struct xpd_tenancy){.buffer = holder,
                             .start_step = c->step,
                             .end_step = XPD_NO_STEP,
                             .lane = c->lane,
                             .flags = flags,
                             .next_of_buffer = XPD_NO_INDEX,
                             .offset_bytes = xpd_add_i64(r->b->heap_base[buffer->allocation],
                                                         buffer->offset_bytes, &r->b->overflow),
                             .size_bytes = buffer->size_bytes,
                             .listed_bytes = r->mem->buffer[root].size_bytes,
                             .unpadded_bytes = buffer->unpadded_bytes};
    c->live = xpd_add_i64(c->live, buffer->size_bytes, &r->b->overflow);
    c->listed = xpd_add_i64(c->listed, r->mem->buffer[root].size_bytes, &r->b->overflow);
    c->unpadded = xpd_add_i64(c->unpadded, buffer->unpadded_bytes, &r->b->overflow);
    r->value[root].tenancy = index;
    if (r->last_tenancy[root] != XPD_NO_INDEX)
        space->tenancy[r->last_tenancy[root]].next_of_buffer = index;
    r->last_tenancy[root] = index;
    if (r->mem->buffer[root].storage_tenancy == XPD_NO_INDEX)
        r->mem->buffer[root].storage_tenancy = index;
}

static void close_tenancy(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                          uint32_t root)
{
    struct xpd_tenancy *t = &space->tenancy[r->value[root].tenancy];
    t->end_step = c->step;
    r->value[root].tenancy = XPD_NO_INDEX;
    /* after an overflow the sums are saturated: keep them above 0 */
    c->live = c->live > t->size_bytes ? c->live - t->size_bytes : 0;
    c->listed = c->listed > t->listed_bytes ? c->listed - t->listed_bytes : 0;
    c->unpadded = c->unpadded > t->unpadded_bytes ? c->unpadded - t->unpadded_bytes : 0;
}

/* A value begins to hold the storage of `root`, which is held already or was just opened. */
static void hold(struct xpd_replay *r, struct xpd_channel *c, uint32_t buffer, uint32_t root)
{
    struct xpd_mem_buffer *m = &r->mem->buffer[buffer];
    r->held += r->value[buffer].holds++ == 0;
    r->value[buffer].was_held = true;
    r->value[root].refs++;
    m->root = root;
    if (m->first_step == XPD_NO_STEP)
        m->first_step = c->step;
    if (m->first_tenancy == XPD_NO_INDEX)
        m->first_tenancy = r->value[root].tenancy;
}

static void grow(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                 uint32_t tenancy, uint32_t buffer)
{
    struct xpd_tenancy *t = &space->tenancy[tenancy];
    const struct xpd_mem_buffer *m = &r->mem->buffer[buffer];
    if (m->size_bytes <= t->size_bytes)
        return;
    XPD_PUSH(&c->growth, ((struct xpd_growth){.tenancy = tenancy,
                                              .step = c->step,
                                              .before_bytes = t->size_bytes,
                                              .after_bytes = m->size_bytes}));
    c->live = xpd_add_i64(c->live, m->size_bytes - t->size_bytes, &r->b->overflow);
    c->unpadded = xpd_add_i64(c->unpadded, m->unpadded_bytes - t->unpadded_bytes, &r->b->overflow);
    t->size_bytes = m->size_bytes;
    t->unpadded_bytes = m->unpadded_bytes;
}

static void on_alloc(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                     uint32_t buffer)
{
    struct xpd_replay_value *v = touch(r, buffer);
    if (v->holds > 0) {
        xpd_replay_complain(r, "alloc_twice", "allocated while it is held; it counts once");
        hold(r, c, buffer, xpd_replay_root(r, buffer));
        return;
    }
    v->parent = buffer; /* its earlier storage has been freed */
    if (v->refs > 0)
        xpd_replay_complain(r, "alloc_shared", "allocated while another value holds its storage");
    else
        open_tenancy(r, space, c, buffer, buffer, 0);
    hold(r, c, buffer, buffer);
}

static void on_share(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                     uint32_t buffer)
{
    uint32_t canonical = r->hlo->events.canonical[r->event];
    if (canonical == XPD_NO_INDEX || canonical == buffer ||
        r->b->space_of_buffer[canonical] != r->b->space_of_buffer[buffer]) {
        xpd_replay_complain(
            r, "unknown_canonical",
            "shares the storage of a buffer that is not there; it counts for itself");
        on_alloc(r, space, c, buffer);
        return;
    }
    struct xpd_replay_value *v = touch(r, buffer);
    touch(r, canonical);
    uint32_t root = xpd_replay_root(r, canonical);
    if (v->holds > 0 || (v->parent == buffer && v->refs > 0 && root != buffer)) {
        xpd_replay_complain(r, "share_while_held",
                            "shares a storage while it holds another; it keeps its own");
        hold(r, c, buffer, xpd_replay_root(r, buffer));
        return;
    }
    if (root != buffer) {
        v->parent = root;
        r->relinked = r->relinked || v->is_root;
        r->value[root].is_root = true;
    }
    if (r->value[root].refs == 0) {
        if (!r->value[root].was_held && r->value[root].tenancy == XPD_NO_INDEX &&
            r->last_tenancy[root] == XPD_NO_INDEX)
            xpd_replay_complain(r, "share_unallocated",
                                "shares a storage that was never allocated");
        open_tenancy(r, space, c, root, buffer, XPD_TENANCY_TAKEN_OVER);
    } else {
        space->tenancy[r->value[root].tenancy].flags |= XPD_TENANCY_SHARED;
        grow(r, space, c, r->value[root].tenancy, buffer);
    }
    hold(r, c, buffer, root);
}

static void on_free(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                    uint32_t buffer)
{
    struct xpd_replay_value *v = touch(r, buffer);
    if (v->holds == 0) {
        if (v->was_held)
            xpd_replay_complain(r, "double_free", "freed again");
        else
            xpd_replay_complain(r, "free_before_alloc", "freed before it is allocated");
        return;
    }
    uint32_t root = xpd_replay_root(r, buffer);
    if (--v->holds == 0) {
        r->held--;
        r->mem->buffer[buffer].end_step = c->step;
    }
    if (--r->value[root].refs == 0)
        close_tenancy(r, space, c, root);
}

/* One event of a known buffer in its space. */
static void xpd_replay_apply(struct xpd_replay *r, struct xpd_mem_space *space,
                             struct xpd_channel *c, uint32_t buffer)
{
    switch (r->hlo->events.kind[r->event]) {
    case XPD_EVENT_ALLOC: on_alloc(r, space, c, buffer); break;
    case XPD_EVENT_FREE: on_free(r, space, c, buffer); break;
    case XPD_EVENT_SHARE_WITH: on_share(r, space, c, buffer); break;
    default: xpd_replay_complain(r, "unknown_event_kind", "the event is of no known kind"); break;
    }
}

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

/* Ends all remaining tenancies with their lane; the next lane starts empty. */
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

/* Notes on a peak: that it is from one of several simulations, or from none. */
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
