/* One unsigned stat of one measured event, read from the file. */
#include "derive.h"
#include "xprofd/trace/join.h"
#include "xprofd/wire/cursor.h"

bool xpd_event_stat(const struct xpd_trace *trace, uint64_t event, struct xpd_str stat,
                    uint64_t *value)
{
    const struct xpd_depth *depth;
    uint32_t index;
    uint8_t bytes[4096];
    struct xpd_wire_range range;
    uint64_t id;
    if (!xpd_trace_find(trace, event, &depth, &index) || !depth->where_low)
        return false;
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_event_stat(part->trace, event - part->first_event, stat, value);
    }
    uint32_t plane = trace->name[depth->name[index]].plane;
    if (plane >= trace->space->plane_count ||
        !xpd_plane_stat_id(&trace->tables[plane], &trace->names, stat, &id) ||
        xpd_event_range(trace->source, xpd_depth_where(depth, index),
                        trace->space->plane[plane].range.offset +
                            trace->space->plane[plane].range.size,
                        &range, NULL) != XPD_OK ||
        range.size > sizeof bytes ||
        xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, NULL) != XPD_OK)
        return false;
    struct xpd_cursor cursor;
    struct xpd_field field, part;
    bool found = false;
    xpd_cursor_init(&cursor, bytes, (size_t)range.size, range.offset);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number != 4 || field.wire_type != 2)
            continue;
        struct xpd_cursor inner = xpd_cursor_sub(&field);
        uint64_t stat_id = 0, number = 0;
        bool is_number = false;
        while (xpd_cursor_next(&inner, &part)) {
            if (part.number == 1 && part.wire_type == 0)
                stat_id = part.value;
            else if ((part.number == 3 || part.number == 4) && part.wire_type == 0) {
                number = part.value;
                is_number = true;
            }
        }
        if (is_number && stat_id == id) {
            *value = number;
            found = true;
        }
    }
    return found;
}
