#include "xspace_parts.h"

enum { PLANES = 1, LINES = 3, EVENT_NAMES = 4, STAT_NAMES = 5 }; /* fields of XSpace and XPlane */
enum { EVENTS = 4, STATS = 4 };                                  /* of XLine and XEvent */

size_t xsp_plane(struct pbw *space, const char *name)
{
    size_t plane = pbw_begin(space, PLANES);
    pbw_str(space, 2, name);
    return plane;
}

size_t xsp_line(struct pbw *plane, int64_t id, const char *name, int64_t timestamp_ns)
{
    size_t line = pbw_begin(plane, LINES);
    pbw_int(plane, 1, id);
    pbw_str(plane, 2, name);
    pbw_int(plane, 3, timestamp_ns);
    return line;
}

size_t xsp_event(struct pbw *line, uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps)
{
    size_t event = pbw_begin(line, EVENTS);
    pbw_uint(line, 1, metadata);
    pbw_uint(line, 2, offset_ps);
    pbw_uint(line, 3, duration_ps);
    return event;
}

void xsp_put_event(struct pbw *line, uint64_t metadata, uint64_t offset_ps, uint64_t duration_ps)
{
    pbw_end(line, xsp_event(line, metadata, offset_ps, duration_ps));
}

void xsp_stat_int(struct pbw *event, uint64_t id, int64_t value)
{
    size_t stat = pbw_begin(event, STATS);
    pbw_uint(event, 1, id);
    pbw_uint(event, 4, (uint64_t)value);
    pbw_end(event, stat);
}

void xsp_stat_text(struct pbw *event, uint64_t id, const char *text)
{
    size_t stat = pbw_begin(event, STATS);
    pbw_uint(event, 1, id);
    pbw_str(event, 5, text);
    pbw_end(event, stat);
}

void xsp_stat_ref(struct pbw *event, uint64_t id, uint64_t ref)
{
    size_t stat = pbw_begin(event, STATS);
    pbw_uint(event, 1, id);
    pbw_uint(event, 7, ref);
    pbw_end(event, stat);
}

static void put_name(struct pbw *plane, uint32_t field, uint64_t id, const char *name)
{
    size_t entry = pbw_begin(plane, field);
    pbw_uint(plane, 1, id);
    size_t value = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_str(plane, 2, name);
    pbw_end(plane, value);
    pbw_end(plane, entry);
}

void xsp_event_name(struct pbw *plane, uint64_t id, const char *name)
{
    put_name(plane, EVENT_NAMES, id, name);
}

void xsp_stat_name(struct pbw *plane, uint64_t id, const char *name)
{
    put_name(plane, STAT_NAMES, id, name);
}
