/* The parts of reading one plane. Each returns XPD_OK or a failure that ends the whole pass; damage
 * inside the plane is remembered in the reader. */
#ifndef XPD_PROFILE_PLANE_H
#define XPD_PROFILE_PLANE_H

#include "metadata.h"

struct xpd_raw_stat {
    uint64_t metadata_id, value; /* value: varint, fixed64 bits or ref id */
    uint32_t kind;               /* field number in XStat: 2 double ... 7 ref; 0 = none */
    struct xpd_wire_range bytes; /* kinds 5, 6 */
};

struct xpd_plane_read { /* one plane under construction */
    struct xpd_plane *plane;
    struct xpd_metadata_region events, stats; /* of the two maps */
    XPD_VEC(struct xpd_line) line;
    XPD_VEC(struct xpd_raw_stat) stat;
    enum xpd_walk verdict; /* how the plane ends: END, CUT or BAD */
    uint64_t stop;         /* where, when it does not end whole */
};

/* Reads the plane at `range` into *plane; *verdict is the outcome. */
int xpd_plane_load(struct xpd_reader *reader, struct xpd_wire_range range, struct xpd_plane *plane,
                   enum xpd_walk *verdict, struct xpd_err *err);
/* Reads one XLine; its range is cut to the intact part. */
int xpd_line_load(struct xpd_reader *reader, struct xpd_wire_range range, struct xpd_line *line,
                  enum xpd_walk *verdict, uint64_t *stop, struct xpd_err *err);
/* The payload of an event (field 4) at `at` whose head is as writers write it: its size in one byte
 * or two, all of it before `stop`. NULL: anything else. */
static inline const uint8_t *xpd_plain_event(const uint8_t *at, const uint8_t *stop, size_t *size)
{
    enum { EVENT_TAG = 4 << 3 | 2 };
    if (stop - at < 3 || at[0] != EVENT_TAG)
        return NULL;
    size_t length = at[1], head = 2;
    if (length >= 0x80) {
        if (at[2] >= 0x80)
            return NULL; /* 16 KiB and more: rare */
        length = (length & 0x7F) | (size_t)at[2] << 7;
        head = 3;
    }
    *size = length;
    return length > (size_t)(stop - at) - head ? NULL : at + head;
}

/* For the scout: the events of a line directly after its first one. False if there are none, or
 * go_on returned false. */
bool xpd_line_run(struct xpd_reader *reader, struct xpd_wire_range range,
                  bool (*go_on)(void *context, uint64_t line), void *context,
                  struct xpd_event_run *run);
/* One XStat. False if it is invalid; XPD_WALK_FAILED goes to *step. */
bool xpd_stat_read(struct xpd_reader *reader, struct xpd_wire_range range,
                   struct xpd_raw_stat *stat, enum xpd_walk *step, struct xpd_err *err);
/* Names and texts of the plane's own stats. */
int xpd_stats_resolve(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err);
/* "/host:metadata": adds what it finds to reader->hlo. */
int xpd_hlo_refs_read(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err);
/* "/device:...": counts the events on its "XLA Modules" lines into reader->runs. */
int xpd_runs_count(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err);
/* Once all planes are read and none has a line "XLA Modules": counts executions into reader->hlo
 * from the events of host and GPU planes. */
int xpd_run_ids_count(struct xpd_reader *reader, const struct xpd_plane *plane, size_t plane_count,
                      struct xpd_err *err);
/* "/host:CPU": whether there are memory events, and their capacity. */
int xpd_memory_events(struct xpd_reader *reader, struct xpd_plane_read *read, struct xpd_err *err);
/* Capacity, device type, platform and number of devices, once all planes are read. */
void xpd_device_facts(struct xpd_reader *reader);
/* Fills space->versions. */
void xpd_read_versions(struct xpd_xspace *space);

#endif
