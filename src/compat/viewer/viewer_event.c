/* One event as in XProf: the entry at a position of a stream. */
#include "viewer_private.h"

/* Of several flows of an event XProf keeps the one it read last. */
static void set_flow(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    const struct xpd_flows *flows = xprof->input.flows;
    int rank = -1;
    if (!flows || !xprof->linked || !(xprof->linked[event->event / 8] >> event->event % 8 & 1))
        return;
    uint64_t i, end;
    xpd_flows_of(flows, event->event, &i, &end);
    for (; i < end; i++) {
        const struct xpd_flow_of *of = &flows->of_event[i];
        if (of->rank < rank || (of->rank > 0 && xprof->without_derived))
            continue; /* to a file that was grouped before XProf adds none */
        if (of->rank == 0 && xprof->input.old)
            continue; /* an argument like any other */
        rank = of->rank;
        if (of->async && !xprof->input.old)
            event->kind = XPD_XPROF_ASYNC;
        event->flow_number = of->flow;
        event->ends = of->ends;
        event->category = of->category;
        event->in_flow = true;
    }
    const struct xpd_flow_point *still =
        event->in_flow || xprof->input.old ? NULL : xpd_flows_without_end(flows, event->event);
    if (!still)
        return;
    event->kind = still->async ? XPD_XPROF_ASYNC : event->kind;
    event->flow_number = still->flow;
    event->category = still->category;
    event->in_flow = true;
}

static void name_measured(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    const struct xpd_xprof_input *input = &xprof->input;
    const struct xpd_event_name *name = &input->trace->name[event->name_number];
    event->name = xpd_xprof_step_name_of(input->derived, event->event);
    event->unfound = event->name.size == 0 && name->unfound;
    if (event->name.size == 0)
        event->name = xpd_intern_get(&input->trace->names, name->caption);
}

static void set_measured(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    set_flow(xprof, event);
    if (event->in_flow && !xprof->input.old && xprof->input.trace->name[event->name_number].async)
        event->kind = XPD_XPROF_ASYNC;
}

uint32_t xpd_xprof_group(const struct xpd_xprof *xprof, const struct xpd_xprof_event *event)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[event->stream];
    if (stream->group)
        return stream->group[event->place];
    if (stream->source == XPD_FROM_TRACE && !stream->event)
        return xpd_groups_at(xprof->input.derived->groups, xprof->input.trace, stream->depth,
                             event->place);
    return event->offload ? XPD_NO_GROUP : xpd_group_of(xprof->input.derived, event->event);
}

/* XProf calls a counter by its full name, be it shown otherwise. */
struct xpd_str xpd_xprof_counter_name(const struct xpd_xprof *xprof, uint32_t name)
{
    const struct xpd_trace *trace = xprof->input.trace;
    return xpd_intern_get(&trace->names, trace->name[name].name);
}

void xpd_xprof_name_event(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[event->stream];
    const struct xpd_derived *derived = xprof->input.derived;
    switch (stream->source) {
    case XPD_FROM_TRACE: name_measured(xprof, event); break;
    case XPD_FROM_COUNTER: event->name = xpd_xprof_counter_name(xprof, event->name_number); break;
    case XPD_FROM_DERIVED:
        event->name = xpd_intern_get(&derived->names, derived->name[event->name_number].caption);
        break;
    case XPD_FROM_OFFLOAD:
        event->name = xpd_intern_get(stream->keys, stream->key[event->place]);
        break;
    }
}

void xpd_xprof_set_flow_id(const struct xpd_xprof *xprof, struct xpd_xprof_event *event)
{
    if (event->in_flow)
        event->flow = xprof->input.flows->id[event->flow_number];
}

void xpd_xprof_place_event(const struct xpd_xprof *xprof, uint32_t number, uint32_t place,
                           struct xpd_xprof_event *event)
{
    const struct xpd_xprof_stream *stream = &xprof->stream[number];
    const struct xpd_depth *depth = stream->depth;
    *event = (struct xpd_xprof_event){.pid = stream->pid,
                                      .tid = stream->tid,
                                      .start_ps = xpd_depth_start(depth, place),
                                      .duration_ps = xpd_depth_duration(depth, place),
                                      .event = stream->event ? stream->event[place]
                                                             : depth->first_event + place,
                                      .event2 = depth->first_event + place,
                                      .name_number = depth->name[place],
                                      .stream = number,
                                      .place = place};
    switch (stream->source) {
    case XPD_FROM_TRACE: set_measured(xprof, event); break;
    case XPD_FROM_COUNTER: event->kind = XPD_XPROF_COUNTER; break;
    case XPD_FROM_DERIVED: event->name_number -= xprof->input.trace->name_count; break;
    case XPD_FROM_OFFLOAD:
        event->offload = true;
        event->event2 = stream->event2[place];
        break;
    }
    event->copy = !xprof->input.old && stream->tpu && event->ends == (XPD_FLOW_IN | XPD_FLOW_OUT);
    if (event->kind != XPD_XPROF_SLICE)
        xpd_xprof_name_event(xprof, event);
}
