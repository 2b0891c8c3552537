/* From an event's number to its place, its stats and its duration by the device's clock. */
#include "../load/core.h"

#include "xprofd/trace/join.h"

bool xpd_trace_find(const struct xpd_trace *trace, uint64_t event, const struct xpd_depth **depth,
                    uint32_t *index)
{
    if (event >= trace->event_count)
        return false;
    uint32_t low = 0, high = trace->depth_count; /* the last that begins at or before it */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->depth[middle].first_event <= event)
            low = middle;
        else
            high = middle;
    }
    *depth = &trace->depth[low];
    *index = (uint32_t)(event - trace->depth[low].first_event);
    return *index < trace->depth[low].count;
}

int64_t xpd_trace_device_ps(const struct xpd_trace *trace, const struct xpd_depth *depth,
                            uint32_t i)
{
    if (!depth->device_delta_ps)
        return -1;
    if (depth->device_delta_ps[i] != INT32_MIN)
        return depth->duration_ps[i] - depth->device_delta_ps[i];
    uint64_t event = depth->first_event + i, low = 0, high = trace->far_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (trace->far[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->far_count && trace->far[low].event == event ? trace->far[low].device_ps
                                                                    : -1;
}

int xpd_trace_stats(const struct xpd_trace *trace, uint64_t event, struct xpd_arena *scratch,
                    struct xpd_stat_value **out, uint32_t *count, uint32_t *from_metadata,
                    struct xpd_err *err)
{
    const struct xpd_depth *depth;
    uint32_t i, own_count = 0;
    struct xpd_stat_value *shared = NULL, *own = NULL;
    struct xpd_wire_range range;
    *out = NULL;
    *count = *from_metadata = 0;
    if (!xpd_trace_find(trace, event, &depth, &i))
        return xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                        "There is no event %llu; the host has %llu.", (unsigned long long)event,
                        (unsigned long long)trace->event_count);
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_trace_stats(part->trace, event - part->first_event, scratch, out, count,
                               from_metadata, err);
    }
    const struct xpd_event_name *name = &trace->name[depth->name[i]];
    const struct xpd_plane_tables *tables = &trace->tables[name->plane];
    int rc = xpd_source_check(trace->source, err);
    if (rc == XPD_OK && name->metadata != XPD_NO_METADATA)
        rc = xpd_stats_decode(trace->source, tables->event[name->metadata].range, 5, tables,
                              &trace->names, scratch, &shared, from_metadata, err);
    const struct xpd_plane *plane = &trace->space->plane[name->plane];
    if (rc == XPD_OK)
        rc = xpd_event_range(trace->source, xpd_depth_where(depth, i),
                             plane->range.offset + plane->range.size, &range, err);
    if (rc == XPD_OK)
        rc = xpd_stats_decode(trace->source, range, 4, tables, &trace->names, scratch, &own,
                              &own_count, err);
    if (rc != XPD_OK)
        return rc;
    *count = *from_metadata + own_count;
    *out = XPD_NEW_ARRAY(scratch, struct xpd_stat_value, *count);
    if (!*out)
        return xpd_fail(err, XPD_ELIMIT, "event", XPD_NO_OFFSET,
                        "The stats of this event do not fit the memory of a request.");
    if (*from_metadata != 0)
        memcpy(*out, shared, *from_metadata * sizeof *shared);
    if (own_count != 0)
        memcpy(*out + *from_metadata, own, own_count * sizeof *own);
    return XPD_OK;
}
