/* The events of a line in file order, each with the wanted stats: for a pass over all stats.
 * Without allocation or copies. */
#ifndef XPROFD_PROFILE_EVENT_READ_H
#define XPROFD_PROFILE_EVENT_READ_H

#include "xprofd/profile/events.h"

#define XPD_STAT_IDS_MAX 32

/* Which stats of a plane are wanted, by their index in the caller's list of names. */
struct xpd_stat_ids {
    uint64_t id[XPD_STAT_IDS_MAX];
    uint32_t known;    /* bit set of those that the plane has */
    uint8_t slot[256]; /* id -> index + 1, 0 = not wanted: most ids are below 100 */
    bool high;         /* some wanted id is beyond the slots */
};
/* Asks for the stat with this id as number `index`. */
void xpd_stat_ids_want(struct xpd_stat_ids *ids, uint32_t index, uint64_t id);
void xpd_stat_ids_init(struct xpd_stat_ids *ids, const struct xpd_plane_tables *tables,
                       const struct xpd_intern *names, const char *const *name, uint32_t count);

enum { /* fields of XStat that hold a value */
       XPD_SAID_DOUBLE = 2,
       XPD_SAID_UINT = 3,
       XPD_SAID_INT = 4,
       XPD_SAID_TEXT = 5,
       XPD_SAID_BYTES = 6,
       XPD_SAID_REF = 7
};
struct xpd_said {
    uint32_t field;      /* 0 = no value */
    uint64_t value;      /* of UINT, INT, REF (an id of stat metadata); of DOUBLE its bits */
    struct xpd_str text; /* of TEXT and BYTES, in the file's bytes */
};
struct xpd_event_said {
    struct xpd_wire_range range; /* of the XEvent */
    uint64_t metadata, offset_ps, duration_ps;
    bool aggregated;      /* num_occurrences, not an offset: of both, the last one counts */
    uint64_t occurrences; /* 0 with an offset */
    bool damaged;         /* damaged: the rest of its bytes cannot be parsed */
    uint32_t has;         /* bit set of the stats below; the others hold anything */
    struct xpd_said stat[XPD_STAT_IDS_MAX];
};

/* Fills `event`, except its range, from the bytes of an XEvent. */
void xpd_event_read(const struct xpd_stat_ids *ids, const uint8_t *bytes, size_t size,
                    struct xpd_event_said *event);
/* The text that a stat of this plane holds (TEXT) or names (REF); "" for others. */
struct xpd_str xpd_said_text(const struct xpd_said *said, const struct xpd_plane_tables *tables,
                             const struct xpd_intern *names);

/* A stat that is an integer, signed or not; false: it has none of that index. */
static inline bool xpd_said_integer(const struct xpd_event_said *event, uint32_t index,
                                    uint64_t *value)
{
    const struct xpd_said *said = &event->stat[index];
    if (!(event->has >> index & 1) || (said->field != XPD_SAID_UINT && said->field != XPD_SAID_INT))
        return false;
    *value = said->value;
    return true;
}

/* Returning false ends the line. The event is valid during the call; the window must not be used
 * meanwhile. */
typedef bool xpd_event_said_fn(void *user, const struct xpd_event_said *event);
/* Calls for each event of the line, in file order, up to the first damage. An event larger than a
 * window is left out. */
void xpd_line_each_event(struct xpd_window *window, const struct xpd_line *line,
                         const struct xpd_stat_ids *ids, xpd_event_said_fn *fn, void *user);

#endif
