/* All events in XProf's order: start, longest first, process, events with a row first, row.
 * Only those that start in the same picosecond are held at a time. */
#include "viewer_private.h"
#include "xprofd/trace/window.h"

struct walk {
    const struct xpd_xprof *xprof;
    const struct xpd_xprof_query *query;
    struct xpd_visible *visible; /* NULL = everything is */
    xpd_xprof_fn fn;
    void *user;
    XPD_VEC(struct xpd_xprof_event) same; /* of one start */
    struct xpd_map64 stream_of;           /* address of a depth -> stream */
    unsigned last_level;                  /* events of later stores are not read */
    bool whole;                           /* the window must not cut the walk short */
    bool failed, stopped;
};

/* Of several flows of an event XProf keeps the one it read last. */
static void set_flow(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    const struct xpd_flows *flows = xprof->input.flows;
    int rank = -1;
    if (!flows)
        return;
    for (uint64_t i = xpd_flows_first(flows, event->event);
         i < flows->point_count && flows->point[flows->by_event[i]].event == event->event; i++) {
        const struct xpd_flow_point *point = &flows->point[flows->by_event[i]];
        if (point->rank < rank || (point->rank > 0 && xprof->without_derived))
            continue; /* to a file that was grouped before XProf adds none */
        if (point->rank == 0 && xprof->input.old)
            continue; /* an argument like any other */
        rank = point->rank;
        if (point->async && !xprof->input.old)
            event->kind = XPD_XPROF_ASYNC;
        event->flow = point->flow;
        event->ends = point->ends;
        event->category = point->category;
        event->in_flow = true;
    }
    const struct xpd_flow_point *still =
        event->in_flow || xprof->input.old ? NULL : xpd_flows_without_end(flows, event->event);
    if (!still)
        return;
    event->kind = still->async ? XPD_XPROF_ASYNC : event->kind;
    event->flow = still->flow;
    event->category = still->category;
    event->in_flow = true;
}

static void set_measured(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    const struct xpd_xprof_input *input = &xprof->input;
    const struct xpd_event_name *name = &input->trace->name[event->name_number];
    event->name = xpd_xprof_step_name_of(input->derived, event->event);
    event->unfound = event->name.size == 0 && name->unfound;
    if (event->name.size == 0)
        event->name = xpd_intern_get(&input->trace->names, name->caption);
    set_flow(xprof, event);
    if (name->async && event->in_flow && !input->old)
        event->kind = XPD_XPROF_ASYNC;
}

uint32_t xpd_xprof_group(const struct xpd_xprof *xprof, const struct xpd_xprof_event *event)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[event->stream];
    if (stream->group)
        return stream->group[event->place];
    return event->offload ? XPD_NO_GROUP : xpd_group_of(xprof->input.derived, event->event);
}

/* XProf calls a counter by its full name, be it shown otherwise. */
static struct xpd_str counter_name(const struct xpd_xprof *xprof, uint32_t name)
{
    const struct xpd_trace *trace = xprof->input.trace;
    return xpd_intern_get(&trace->names, trace->name[name].name);
}

/* False: XProf drops it. */
static bool make_event(const struct walk *walk, const struct xpd_merged *merged,
                       struct xpd_xprof_event *event)
{
    const struct xpd_xprof *xprof = walk->xprof;
    uint32_t number = xpd_map64_get(&walk->stream_of, (uint64_t)(uintptr_t)merged->depth);
    const struct xpd_xprof_stream *stream = &xprof->stream[number];
    if (xpd_xprof_hides(xprof, stream, merged->name))
        return false;
    *event = (struct xpd_xprof_event){.pid = stream->pid,
                                      .tid = stream->tid,
                                      .start_ps = merged->start_ps,
                                      .duration_ps = merged->duration_ps,
                                      .event = stream->event ? stream->event[merged->index]
                                                             : merged->event,
                                      .event2 = merged->event,
                                      .name_number = merged->name,
                                      .stream = number,
                                      .place = merged->index};
    switch (stream->source) {
    case XPD_FROM_TRACE: set_measured(xprof, event); break;
    case XPD_FROM_COUNTER:
        event->kind = XPD_XPROF_COUNTER;
        event->name = counter_name(xprof, merged->name);
        break;
    case XPD_FROM_DERIVED: {
        const struct xpd_derived *derived = xprof->input.derived;
        event->name_number = merged->name - derived->trace->name_count;
        event->name = xpd_intern_get(&derived->names, derived->name[event->name_number].caption);
        break;
    }
    case XPD_FROM_OFFLOAD:
        event->offload = true;
        event->event2 = stream->event2[merged->index];
        event->name = xpd_intern_get(stream->keys, stream->key[merged->index]);
        break;
    }
    event->copy = !xprof->input.old && stream->tpu && event->ends == (XPD_FLOW_IN | XPD_FLOW_OUT);
    return true;
}

static int by_order(const void *a, const void *b)
{
    const struct xpd_xprof_event *x = a, *y = b;
    if (x->duration_ps != y->duration_ps)
        return x->duration_ps > y->duration_ps ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    bool x_row = x->kind == XPD_XPROF_SLICE, y_row = y->kind == XPD_XPROF_SLICE;
    if (x_row != y_row)
        return x_row ? -1 : 1;
    if (x_row && x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    int names = x_row ? 0 : xpd_str_order(x->name, y->name);
    if (names != 0)
        return names;
    return (x->event > y->event) - (x->event < y->event); /* as in the file */
}

static bool touches(const struct xpd_xprof_query *query, const struct xpd_xprof_event *event)
{
    return !query->windowed || (event->start_ps <= query->to_ps &&
                                event->start_ps + event->duration_ps >= query->from_ps);
}

/* Whether XProf reads it from its stores at all. */
static bool is_read(const struct walk *walk, uint32_t stream, uint32_t place, int64_t start_ps)
{
    const struct xpd_xprof_query *query = walk->query;
    unsigned level = xpd_xprof_level(walk->xprof->input.levels, stream, place);
    return level <= walk->last_level &&
           (!query->windowed ||
            (start_ps <= query->to_ps && start_ps >= xpd_xprof_level_begin(level, query->from_ps)));
}

static void give(struct walk *walk, const struct xpd_xprof_event *event)
{
    const struct xpd_xprof_query *query = walk->query;
    bool yes = true;
    if (event->copy && !query->full_dma)
        return;
    if (!is_read(walk, event->stream, event->place, event->start_ps))
        return;
    if (!query->instant && (!event->copy || !query->dma_anywhere)) {
        if (!touches(query, event))
            return;
        if (walk->visible && !xpd_visible_ask(walk->visible, event, &yes)) {
            walk->failed = true;
            return;
        }
    }
    if (yes && !walk->fn(walk->user, event))
        walk->stopped = true;
}

static void give_same(struct walk *walk)
{
    if (walk->same.count > 1)
        qsort(walk->same.at, walk->same.count, sizeof *walk->same.at, by_order);
    for (size_t i = 0; i < walk->same.count && !walk->failed && !walk->stopped; i++) {
        walk->same.at[i].serial = i > UINT32_MAX ? UINT32_MAX : (uint32_t)i;
        give(walk, &walk->same.at[i]);
    }
    walk->same.count = 0;
}

static void walk_all(struct walk *walk)
{
    const struct xpd_xprof *xprof = walk->xprof;
    struct xpd_merge merge;
    struct xpd_merged merged;
    xpd_merge_init(&merge, true);
    for (uint32_t s = 0; s < xprof->stream_count; s++) {
        const struct xpd_xprof_stream *stream = &xprof->stream[s];
        bool bisect = walk->query->windowed && !walk->whole && !stream->overlaps;
        xpd_map64_put(&walk->stream_of, (uint64_t)(uintptr_t)stream->depth, s);
        xpd_merge_add(&merge, stream->depth,
                      bisect ? xpd_depth_first_touching(stream->depth, walk->query->from_ps) : 0);
    }
    walk->failed |= walk->stream_of.failed;
    while (!walk->failed && !walk->stopped && xpd_merge_next(&merge, &merged)) {
        struct xpd_xprof_event event;
        if (walk->same.count > 0 && walk->same.at[0].start_ps != merged.start_ps)
            give_same(walk);
        if (walk->query->windowed && merged.start_ps > walk->query->to_ps)
            break;
        if (!make_event(walk, &merged, &event))
            continue;
        XPD_PUSH(&walk->same, event);
        walk->failed |= walk->same.failed;
    }
    if (!walk->failed && !walk->stopped)
        give_same(walk);
    walk->failed |= merge.failed;
    xpd_merge_fini(&merge);
}

/* From many events on what is closer than the resolution is left out. NULL: nothing is. */
static struct xpd_visible *new_visible(const struct xpd_xprof *xprof,
                                       const struct xpd_xprof_query *query, bool *failed)
{
    if (query->resolution_ps <= 0 || xprof->event_count < XPD_XPROF_VISIBILITY_EVENTS)
        return NULL;
    struct xpd_visible *visible = xpd_visible_new(query->resolution_ps);
    *failed = !visible;
    return visible;
}

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory to put events in order");
}

int xpd_xprof_each(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                   xpd_xprof_fn fn, void *user, struct xpd_err *err)
{
    struct walk walk = {.xprof = xprof,
                        .query = query,
                        .fn = fn,
                        .user = user,
                        .whole = query->instant || (query->dma_anywhere && xprof->has_tpu)};
    walk.visible = new_visible(xprof, query, &walk.failed);
    walk.last_level = xpd_xprof_last_level(walk.visible ? query->resolution_ps : 0);
    if (!walk.failed)
        walk_all(&walk);
    xpd_visible_free(walk.visible);
    xpd_map64_fini(&walk.stream_of);
    XPD_VEC_FINI(&walk.same);
    return walk.failed ? no_room(err) : XPD_OK;
}

int xpd_xprof_each_counter(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                           xpd_xprof_fn fn, void *user, struct xpd_err *err)
{
    bool failed = false, stopped = false;
    struct xpd_visible *visible = new_visible(xprof, query, &failed);
    struct walk walk = {.xprof = xprof,
                        .query = query,
                        .last_level = xpd_xprof_last_level(visible ? query->resolution_ps : 0)};
    for (uint32_t s = 0; s < xprof->stream_count && !failed && !stopped; s++) {
        const struct xpd_xprof_stream *stream = &xprof->stream[s];
        const struct xpd_depth *depth = stream->depth;
        if (stream->source != XPD_FROM_COUNTER)
            continue;
        for (uint32_t i = 0; i < depth->count && !failed && !stopped; i++) {
            bool yes = true;
            struct xpd_xprof_event event = {.kind = XPD_XPROF_COUNTER,
                                            .pid = stream->pid,
                                            .tid = stream->tid,
                                            .start_ps = depth->start_ps[i],
                                            .duration_ps = depth->duration_ps[i],
                                            .name = counter_name(xprof, depth->name[i]),
                                            .event = depth->first_event + i,
                                            .name_number = depth->name[i],
                                            .value = depth->value ? depth->value[i] : 0};
            if (!is_read(&walk, s, i, event.start_ps) ||
                (!query->instant && !touches(query, &event)))
                continue;
            failed = visible && !query->instant && !xpd_visible_ask(visible, &event, &yes);
            stopped = yes && !failed && !fn(user, &event);
        }
    }
    xpd_visible_free(visible);
    return failed ? no_room(err) : XPD_OK;
}
