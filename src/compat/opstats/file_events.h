/* The events of a plane as its file has them: line by line, in file order. Rows of a trace are
 * sorted by time and join lines; XProf's tables walk lines as they stand, and some of their numbers
 * follow from that order. */
#ifndef XPROFD_COMPAT_OPSTATS_FILE_EVENTS_H
#define XPROFD_COMPAT_OPSTATS_FILE_EVENTS_H

#include "xprofd/tools/tool.h"

struct xpd_file_host { /* one host's events and derived data */
    const struct xpd_host *host;
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
};
#define XPD_COMPAT_WAIT_MS 55000 /* XProf's clients cannot ask again: they wait for the answer */

/* Waits for the events of run->host[number]; valid as long as the run is held. */
int xpd_file_host_open(const struct xpd_tool_ctx *ctx, uint32_t number, struct xpd_file_host *out,
                       struct xpd_err *err);
/* Which hosts of the run host= means, [first, end): one, or all where it is ALL_HOSTS or absent.
 * XPD_ENOTFOUND in XProf's words. */
int xpd_file_hosts_meant(const struct xpd_tool_ctx *ctx, uint32_t *first, uint32_t *end,
                         struct xpd_err *err);

/* The same, by number, in the order in which XProf takes them; of the request's arena. */
int xpd_file_hosts(const struct xpd_tool_ctx *ctx, const uint32_t **number, uint32_t *count,
                   struct xpd_err *err);

/* XPD_ENOTFOUND, in XProf's words. */
int xpd_file_no_host(const struct xpd_tool_ctx *ctx, struct xpd_str name, struct xpd_err *err);

struct xpd_file_event {
    const struct xpd_depth *depth;
    uint32_t index; /* in it */
};
struct xpd_file_line {
    const struct xpd_line *line;
    struct xpd_str name; /* XLine.name, not its display name */
    struct xpd_file_event *event;
    uint32_t count;
};
struct xpd_file_plane {
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
    const struct xpd_plane *plane;
    uint32_t number; /* in space->plane */
    struct xpd_file_line *line;
    uint32_t line_count;
};

/* Which names to keep, by index in trace->name; NULL = all. */
typedef bool (*xpd_file_wants)(const struct xpd_trace *trace, uint32_t name);

/* The lines of space->plane[number]; everything lives in `arena`. XPD_ELIMIT without memory. */
int xpd_file_plane_open(struct xpd_file_plane *out, const struct xpd_file_host *host,
                        uint32_t number, xpd_file_wants wants, struct xpd_arena *arena,
                        struct xpd_err *err);
/* The first plane of this name; XPD_NO_INDEX = none. */
uint32_t xpd_file_plane_called(const struct xpd_trace *trace, const char *name);

static inline int64_t xpd_file_start_ps(const struct xpd_file_event *event)
{
    return xpd_depth_start(event->depth, event->index);
}
static inline int64_t xpd_file_duration_ps(const struct xpd_file_event *event)
{
    return xpd_depth_duration(event->depth, event->index);
}
/* The event of the line at file offset `where`, searched from *at on, which is moved there; NULL:
 * not in the trace. For reading the file in parallel with the events of a trace. */
static inline const struct xpd_file_event *xpd_file_event_at(const struct xpd_file_line *line,
                                                             uint32_t *at, uint64_t where)
{
    while (*at < line->count &&
           xpd_depth_where(line->event[*at].depth, line->event[*at].index) < where)
        ++*at;
    return *at < line->count &&
                   xpd_depth_where(line->event[*at].depth, line->event[*at].index) == where
               ? &line->event[*at]
               : NULL;
}
/* XEventMetadata.name. */
struct xpd_str xpd_file_name(const struct xpd_file_plane *plane,
                             const struct xpd_file_event *event);
/* XProf's group_id from grouping; -1 = none. */
int64_t xpd_file_group(const struct xpd_file_plane *plane, const struct xpd_file_event *event);
/* The same of the event at file offset `where`. */
int64_t xpd_file_group_at(const struct xpd_file_plane *plane, uint64_t where);
/* From the start of its line, as in the file. */
int64_t xpd_file_offset_ps(const struct xpd_file_plane *plane, const struct xpd_file_line *line,
                           const struct xpd_file_event *event);
/* Its own stats, without those of its metadata. */
int xpd_file_stats(const struct xpd_file_plane *plane, const struct xpd_file_event *event,
                   struct xpd_arena *scratch, struct xpd_stat_value **out, uint32_t *count,
                   struct xpd_err *err);
/* Some event of the plane may have a stat of that name. */
bool xpd_file_knows(const struct xpd_file_plane *plane, const char *stat);

/* Where a TPU's core is, as its plane says: the proto CoreDetails in the stat core_details. */
struct xpd_core_place {
    uint32_t core; /* the plane's id; of several hosts, as steps number cores */
    uint32_t ordinal, chip;
    bool sparse;
};
/* False: it says nothing. */
bool xpd_core_place_of(const struct xpd_trace *trace, uint32_t plane, struct xpd_core_place *out);

/* XProf's reading of a number or text: only a stat of that type, else 0 or "". */
static inline int64_t xpd_stat_int(const struct xpd_stat_value *stat)
{
    return stat->type == XPD_STAT_INT ? stat->integer : 0;
}
static inline struct xpd_str xpd_stat_text(const struct xpd_stat_value *stat)
{
    return stat->type == XPD_STAT_TEXT ? stat->text : XPD_STR("");
}

#endif
