/* All events of a query in XProf's order, by the order that is kept with the levels, or one that is
 * made for the query. */
#include "viewer_private.h"
#include "xprofd/trace/window.h"

struct walk {
    const struct xpd_xprof *xprof;
    const struct xpd_xprof_query *query;
    const struct xpd_xprof_order *order;
    struct xpd_visible *visible; /* NULL = everything is */
    xpd_xprof_fn fn;
    void *user;
    unsigned last_level; /* events of later stores are not read */
    bool whole;          /* events that end before the window count too */
    uint8_t *read;       /* bits by position: entries read from its stores; NULL = by time */
    bool failed, stopped;
};

static bool touches(const struct xpd_xprof_query *query, const struct xpd_xprof_event *event)
{
    return !query->windowed || (event->start_ps <= query->to_ps &&
                                event->start_ps + event->duration_ps >= query->from_ps);
}

static unsigned level_of(const struct xpd_xprof *xprof, uint32_t place)
{
    return xprof->input.levels ? xprof->input.levels->level[place] : 0;
}

/* Whether XProf reads it from its stores at all. */
static bool is_read(const struct walk *walk, uint32_t place, int64_t start_ps)
{
    const struct xpd_xprof_query *query = walk->query;
    unsigned level = level_of(walk->xprof, place);
    if (walk->read)
        return walk->read[place / 8] >> place % 8 & 1;
    return level <= walk->last_level &&
           (!query->windowed ||
            (start_ps <= query->to_ps && start_ps >= xpd_xprof_level_begin(level, query->from_ps)));
}

/* Where rows do not stand in order of time, a window is read as the stores are. */
static void read_stores(struct walk *walk)
{
    const struct xpd_xprof *xprof = walk->xprof;
    if (!xprof->input.levels || !xprof->input.levels->store || !walk->query->windowed ||
        xprof->stream_count == 0)
        return;
    const struct xpd_xprof_stream *last = &xprof->stream[xprof->stream_count - 1];
    walk->read = calloc((last->first + last->depth->count) / 8 + 1, 1);
    walk->failed |= !walk->read;
    if (walk->read)
        xpd_xprof_read_stores(xprof, walk->query, walk->last_level, walk->read);
}

static void give(struct walk *walk, struct xpd_xprof_event *event)
{
    const struct xpd_xprof_query *query = walk->query;
    bool yes = true;
    if (event->copy && !query->full_dma)
        return;
    if (!query->instant && (!event->copy || !query->dma_anywhere)) {
        if (!touches(query, event))
            return;
        if (walk->visible && !xpd_visible_ask(walk->visible, event, &yes)) {
            walk->failed = true;
            return;
        }
    }
    if (!yes)
        return;
    if (event->kind == XPD_XPROF_SLICE)
        xpd_xprof_name_event(walk->xprof, event);
    xpd_xprof_set_flow_id(walk->xprof, event);
    walk->stopped = !walk->fn(walk->user, event);
}

static void visit(struct walk *walk, uint32_t place, uint64_t serial)
{
    struct xpd_xprof_event event;
    uint32_t stream = xpd_xprof_stream_at(walk->xprof, place);
    uint32_t i = (uint32_t)(place - walk->xprof->stream[stream].first);
    if (!is_read(walk, place, xpd_depth_start(walk->xprof->stream[stream].depth, i)))
        return;
    xpd_xprof_place_event(walk->xprof, stream, i, &event);
    event.serial = serial > UINT32_MAX ? UINT32_MAX : (uint32_t)serial;
    give(walk, &event);
}

/* What the order has from `begin` to `end`; nothing in front starts with the first. */
static void walk_part(struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct xpd_xprof_levels *levels = walk->xprof->input.levels;
    uint64_t serial = 0;
    for (uint64_t i = begin; i < end && !walk->failed && !walk->stopped; i++) {
        uint32_t place = walk->order->at[i] & ~XPD_XPROF_SAME;
        serial = walk->order->at[i] & XPD_XPROF_SAME ? serial + 1 : 0;
        if (!levels || levels->level[place] <= walk->last_level)
            visit(walk, place, serial);
    }
}

/* ---- a window in the order of all events ---- */

struct before {
    uint64_t entry, serial; /* in the order; among those that start together */
};

static int by_entry(const void *a, const void *b)
{
    const struct before *x = a, *y = b;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static struct before before_at(const struct walk *walk, uint32_t place)
{
    uint64_t first;
    uint64_t entry = xpd_xprof_order_find(walk->order, walk->xprof, place, &first);
    return (struct before){entry, entry - first};
}

/* What begins before the window and reaches into it, in order: of a stream whose events are
 * disjoint it is one. */
static void walk_before(struct walk *walk)
{
    const struct xpd_xprof *xprof = walk->xprof;
    XPD_VEC(struct before) before = {0};
    for (uint32_t s = 0; s < xprof->stream_count; s++) {
        const struct xpd_xprof_stream *stream = &xprof->stream[s];
        const struct xpd_depth *depth = stream->depth;
        uint32_t i = stream->overlaps ? 0 : xpd_depth_first_touching(depth, walk->query->from_ps);
        for (; i < depth->count && xpd_depth_start(depth, i) < walk->query->from_ps; i++)
            if (xpd_depth_end(depth, i) >= walk->query->from_ps &&
                level_of(xprof, (uint32_t)stream->first + i) <= walk->last_level &&
                !xpd_xprof_hides(xprof, stream, depth->name[i]))
                XPD_PUSH(&before, before_at(walk, (uint32_t)stream->first + i));
    }
    walk->failed |= before.failed;
    if (before.count > 1)
        qsort(before.at, before.count, sizeof *before.at, by_entry);
    for (size_t k = 0; k < before.count && !walk->failed && !walk->stopped; k++)
        visit(walk, walk->order->at[before.at[k].entry] & ~XPD_XPROF_SAME, before.at[k].serial);
    XPD_VEC_FINI(&before);
}

static void walk_kept(struct walk *walk)
{
    const struct xpd_xprof_query *query = walk->query;
    uint64_t begin = 0, end = walk->order->count;
    if (query->windowed && query->to_ps < INT64_MAX)
        end = xpd_xprof_order_from(walk->order, walk->xprof, query->to_ps + 1);
    if (query->windowed && !walk->whole) {
        walk_before(walk);
        begin = xpd_xprof_order_from(walk->order, walk->xprof, query->from_ps);
    }
    walk_part(walk, begin, end);
}

/* From many events on what is closer than the resolution is left out. NULL: nothing is. */
static struct xpd_visible *new_visible(const struct xpd_xprof *xprof,
                                       const struct xpd_xprof_query *query, bool *failed)
{
    if (query->resolution_ps <= 0 || xprof->event_count < XPD_XPROF_VISIBILITY_EVENTS)
        return NULL;
    struct xpd_visible *visible =
        xpd_visible_new(&query->resolution_ps, 1, xpd_xprof_flow_count(xprof));
    *failed = !visible;
    return visible;
}

static int no_room(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "to put events in order");
}

int xpd_xprof_each(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                   xpd_xprof_fn fn, void *user, struct xpd_err *err)
{
    struct walk walk = {.xprof = xprof,
                        .query = query,
                        .fn = fn,
                        .user = user,
                        .whole = query->instant || (query->dma_anywhere && xprof->has_tpu)};
    struct xpd_xprof_order own = {0};
    walk.visible = new_visible(xprof, query, &walk.failed);
    walk.last_level = xpd_xprof_last_level(walk.visible ? query->resolution_ps : 0);
    read_stores(&walk);
    if (xprof->input.levels) {
        walk.order = &xprof->input.levels->order;
        if (!walk.failed)
            walk_kept(&walk);
    } else {
        walk.order = &own;
        walk.failed = walk.failed || !xpd_xprof_order_make(&own, xprof, query, walk.whole);
        if (!walk.failed)
            walk_part(&walk, 0, own.count);
        free(own.at);
    }
    xpd_visible_free(walk.visible);
    free(walk.read);
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
    read_stores(&walk);
    failed |= walk.failed;
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
                                            .start_ps = xpd_depth_start(depth, i),
                                            .duration_ps = xpd_depth_duration(depth, i),
                                            .name = xpd_xprof_counter_name(xprof, depth->name[i]),
                                            .event = depth->first_event + i,
                                            .name_number = depth->name[i],
                                            .value = depth->value ? depth->value[i] : 0};
            if (!is_read(&walk, (uint32_t)stream->first + i, event.start_ps) ||
                (!query->instant && !touches(query, &event)))
                continue;
            failed = visible && !query->instant && !xpd_visible_ask(visible, &event, &yes);
            stopped = yes && !failed && !fn(user, &event);
        }
    }
    xpd_visible_free(visible);
    free(walk.read);
    return failed ? no_room(err) : XPD_OK;
}
