/* Between the loop over events and the decoder of rare ones (both events.c). */
#ifndef XPD_PROFILE_DECODE_H
#define XPD_PROFILE_DECODE_H

#include "xprofd/profile/events.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
enum { /* tags of XEvent */
       TAG_METADATA = 1 << 3 | VARINT,
       TAG_OFFSET = 2 << 3 | VARINT,
       TAG_DURATION = 3 << 3 | VARINT,
       TAG_STAT = 4 << 3 | LENGTH,
       TAG_OCCURRENCES = 5 << 3 | VARINT,
       TAG_EVENT = 4 << 3 | LENGTH /* of XLine */
};
enum { MARKS_MAX = 16 };

struct xpd_decode {
    struct xpd_event_columns *columns;
    uint64_t capacity;
    const struct xpd_plane_tables *tables;
    const struct xpd_events_wanted *wanted;
    uint64_t wanted_bits[2]; /* bit n: the stat id n is wanted */
    bool wanted_high;        /* some wanted id is 128 or more */
    bool any_wanted;
    /* Of device duration and start, where wanted, different and no mark as well; else UINT32_MAX.
     */
    uint32_t device_id, device_start_id;
    struct xpd_marks *marks;
    int64_t base_ps, last_start_ps, last_duration_ps;
    int64_t timestamp_ns;
    uint64_t plain_below; /* offset and duration below this keep the time limit; 0 = not known */
    bool
        far_line; /* its beginning in picoseconds is not an int64: events one by one, in 128 bits */
    bool damaged;
    bool pext; /* the processor moves bits together in one instruction */
};
struct xpd_wire_event { /* as written */
    uint64_t metadata_id, offset_ps, duration_ps, device_ps, device_start_ps;
    bool aggregated, has_device, has_device_start;
};

#endif
