/* Events of a profile: metadata tables of a plane, and the events of a line as columns.
 *
 * Hand-written cursor over a pread window, one pass, no allocation per event. Stats stay in the
 * file and are decoded on demand (stat_values.h). XEvent{metadata_id 1, offset_ps 2, duration_ps 3,
 * stats 4, num_occurrences 5}; start = XLine.timestamp_ns * 1000 + offset_ps. */
#ifndef XPROFD_PROFILE_EVENTS_H
#define XPROFD_PROFILE_EVENTS_H

#include "xprofd/base/map64.h"
#include "xprofd/profile/xspace.h"

struct xpd_event_metadata {
    uint64_t id;
    xpd_name_id name, display_name; /* display_name 0 = none */
    struct xpd_wire_range range;    /* of the XEventMetadata in the file */
};

/* Names of one plane. Texts go into a table shared by all planes of the profile. */
struct xpd_plane_tables {
    struct xpd_event_metadata *event; /* in file order; the last of equal ids wins */
    uint32_t event_count;
    struct xpd_map64 event_of; /* id -> index */
    uint32_t *dense;           /* the same for ids below dense_count, XPD_NO_METADATA = none: */
    uint32_t dense_count;      /* nearly all planes number their metadata from 1 */
    xpd_name_id *stat_name;
    uint32_t stat_count;
    struct xpd_map64 stat_of; /* id -> index */
};
/* Reads both maps of a plane. Event names are cut at 64 KiB, with a warning. XPD_ELIMIT over the
 * arena's budget; XPD_EIO, XPD_ECHANGED or XPD_EFORMAT if the file cannot be read. */
int xpd_plane_tables_load(struct xpd_plane_tables *tables, const struct xpd_source *source,
                          const struct xpd_plane *plane, struct xpd_intern *names,
                          struct xpd_arena *arena, struct xpd_warnings *warnings,
                          struct xpd_err *err);
void xpd_plane_tables_fini(struct xpd_plane_tables *tables);
/* Id of the stat called `name` in this plane; false when the plane has none. */
bool xpd_plane_stat_id(const struct xpd_plane_tables *tables, const struct xpd_intern *names,
                       struct xpd_str name, uint64_t *id);

#define XPD_NO_METADATA UINT32_MAX /* an event whose metadata id is in no table */
#define XPD_WHERE_BITS  40         /* files above 1 TiB are refused with a message */

/* A stat worth remembering while decoding (step_name, _r, _a, flow ...), in order of the events. */
struct xpd_marked_stat {
    uint32_t event; /* index in the line, file order */
    uint8_t mark;   /* which of the wanted ids: its index; or XPD_MARK_DEVICE_DURATION */
    uint8_t field;  /* of XStat, that holds the value: 3 and 4 numbers, 7 a reference; 0 none */
    uint64_t value; /* varint or fixed64 as written; texts: 0 */
};
#define XPD_MARK_DEVICE_DURATION 255 /* device_duration_ps that device_delta_ps cannot hold */

/* 26 days: a later line time counts from 1970, not from a start. */
#define XPD_UNIX_TIME_NS (INT64_C(1) << 51)
/* One line, in file order. Filled by the caller's arrays; `count` events at most as many as the
 * directory pass counted. */
#define XPD_TIME_LIMIT_PS                                                                          \
    (INT64_C(1) << 61) /* 26 days: differences of two times never overflow                         \
                        */
struct xpd_event_columns {
    int64_t *start_ps;        /* from the origin of the profile, within +-XPD_TIME_LIMIT_PS */
    int64_t *duration_ps;     /* >= 0; start + duration stays within the limit too */
    uint32_t *metadata;       /* wanted->metadata_base + index in tables->event, or
                                 XPD_NO_METADATA */
    uint32_t *where_low;      /* file offset of the XEvent payload, 40 bits */
    uint8_t *where_high;      /* NULL = not wanted: the file is below 4 GiB */
    int32_t *device_delta_ps; /* duration_ps - device_duration_ps, NULL = not wanted; INT32_MIN =
                                 not given, or out of range and a mark says it */
    int64_t *device_start_ps; /* device_offset_ps, from an origin of the device's own; NULL = not
                                 wanted; -1 = not given, or beyond INT64_MAX / 2 */
    uint64_t count;
    uint64_t odd_count; /* events with a negative duration, made 0, or a time beyond the limit, made
                           it */
    uint64_t device_count;     /* events with a device duration */
    uint64_t unknown_count;    /* events with XPD_NO_METADATA */
    uint64_t aggregated_count; /* num_occurrences instead of a position: placed at the origin */
    bool sorted;               /* by (start asc, duration desc) */
    bool cut;                  /* the file ends or is damaged inside this line */
};
struct xpd_events_wanted {
    const uint64_t *mark_id; /* stat metadata ids to remember, at most 16 */
    uint32_t mark_count;
    uint32_t metadata_base;      /* added to each index of metadata */
    uint64_t device_duration_id; /* of the stat device_duration_ps; 0 with has_device = false */
    bool has_device;
    bool has_device_start;
    uint64_t device_offset_id; /* of the stat device_offset_ps, likewise */
    bool portable;             /* with no instruction that some processors lack: for tests */
};
/* Decodes a line into columns->..., arrays of `capacity` elements each. Marked stats are appended
 * to *marks (malloc'ed, grown), those of one event behind each other. Damage ends the line
 * (columns->cut), it is not an error. */
struct xpd_marks {
    struct xpd_marked_stat *at;
    size_t count, capacity;
    bool failed;
    /* Not NULL: called with whole events each time a window of the file is decoded, and at the end;
     * then the list is emptied, so that it never holds a whole line. Its code ends the line. */
    int (*take)(void *context);
    void *context;
};
int xpd_events_decode(struct xpd_event_columns *columns, uint64_t capacity,
                      struct xpd_window *window, const struct xpd_line *line,
                      const struct xpd_plane_tables *tables, const struct xpd_events_wanted *wanted,
                      struct xpd_marks *marks, struct xpd_err *err);

/* Stats of one event or of one metadata entry, decoded on demand. Texts are copied into `scratch`,
 * refs are resolved to the text they stand for. */
struct xpd_stat_value {
    struct xpd_str name;     /* "" when the id is in no table */
    uint64_t id;             /* of the stat metadata */
    enum xpd_stat_type type; /* XPD_STAT_NONE: no value */
    double real;
    int64_t integer;     /* INT; UINT reinterpreted */
    struct xpd_str text; /* TEXT, and BYTES (raw) */
    uint64_t size_bytes; /* of text as the file has it; more than text.size when it was cut */
};
#define XPD_STAT_TEXT_MAX                                                                          \
    ((uint64_t)1 << 20) /* bytes kept of one text; XPD_STATS_MAX of one event */
#define XPD_STATS_MAX 4096
/* `range`: an XEvent (stats are field 4) or an XEventMetadata (field 5). *out has *count values in
 * `scratch`. Errors as in xpd_plane_tables_load. */
int xpd_stats_decode(const struct xpd_source *source, struct xpd_wire_range range,
                     uint32_t stats_field, const struct xpd_plane_tables *tables,
                     const struct xpd_intern *names, struct xpd_arena *scratch,
                     struct xpd_stat_value **out, uint32_t *count, struct xpd_err *err);
/* The size of an event's payload, of which `size` bytes from before it are given (11 are enough, or
 * all there are); false: no event can begin there. */
bool xpd_event_size(const uint8_t *before, size_t size, uint64_t *payload);
/* The range of the XEvent whose payload starts at `where`. Its length comes before the payload, so
 * the caller passes the end of its line as an upper bound. XPD_EFORMAT: no event starts there;
 * XPD_EIO or XPD_ECHANGED if the file cannot be read. */
int xpd_event_range(const struct xpd_source *source, uint64_t where, uint64_t line_end,
                    struct xpd_wire_range *range, struct xpd_err *err);

#endif
