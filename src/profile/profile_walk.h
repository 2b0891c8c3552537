/* The directory pass's way of reading: fields at byte positions, with one verdict for each way a
 * file can end.
 *
 * A range is as long as the file says it is, even when the file itself ends earlier: that is how a
 * cut file is told from a damaged one. Positions are explicit, so walks nest freely. */
#ifndef XPD_PROFILE_WALK_H
#define XPD_PROFILE_WALK_H

#include "scout.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/profile/xspace.h"

enum xpd_walk {
    XPD_WALK_FIELD, /* *field is filled, *at is after it */
    XPD_WALK_END,   /* the message ends here */
    XPD_WALK_CUT,   /* the file ends inside the field at *at */
    XPD_WALK_BAD,   /* the bytes at *at make no sense */
    XPD_WALK_FAILED /* the system failed; err is filled */
};

struct xpd_walk_field {
    uint32_t number;
    uint8_t type;
    uint64_t value;                /* types 0, 1, 5 */
    struct xpd_wire_range payload; /* type 2 */
};

struct xpd_program_runs { /* events on "XLA Modules" lines */
    uint64_t program_id, count;
};

/* State of one directory pass. */
struct xpd_reader {
    struct xpd_window window;
    struct xpd_xspace *space;
    struct xpd_progress *progress; /* may be NULL */
    struct xpd_scout *scout;       /* counts ahead; NULL = none */
    uint64_t size;                 /* of the file */
    uint64_t damage_offset;        /* first byte that could not be used, XPD_NO_OFFSET = none */
    const char *damage;            /* what was being read: "line", "event metadata", ... */
    xpd_name_id damage_name;       /* of the plane it is in */
    bool cut;
    uint64_t line_count, empty_line_count; /* of all planes: with events, without */
    XPD_VEC(struct xpd_hlo_ref) hlo;
    struct xpd_map64 hlo_seen; /* program id -> index */
    XPD_VEC(struct xpd_program_runs) runs;
    struct xpd_map64 runs_of;                       /* program id -> index */
    bool has_module_lines;                          /* some device has "XLA Modules" */
    int64_t gpu_memory_bytes, event_capacity_bytes; /* -1 = not said */
    const char *hlo_platform;                       /* from the programs themselves, "" = unknown */
};

/* What a real profile never reaches; a hostile file of tiny messages must not fill the memory. */
#define XPD_LINES_MAX       (1u << 20) /* of all planes, with events */
#define XPD_EMPTY_LINES_MAX (1u << 16) /* that are listed */
#define XPD_PLANES_MAX      (1u << 16)
#define XPD_PROGRAMS_MAX    (1u << 17)

/* Top of the file: its end is where the file ends. */
#define XPD_WALK_TOP UINT64_MAX

enum xpd_walk xpd_walk_next(struct xpd_reader *reader, uint64_t *at, uint64_t end,
                            struct xpd_walk_field *field, struct xpd_err *err);
/* Remembers the first damage; CUT and BAD only. */
void xpd_walk_damage(struct xpd_reader *reader, enum xpd_walk verdict, uint64_t at,
                     const char *what, xpd_name_id plane);
/* All bytes the window has from `at` on, at least one and at most to `end`. */
int xpd_walk_span(struct xpd_reader *reader, uint64_t at, uint64_t end, const uint8_t **bytes,
                  size_t *size, struct xpd_err *err);
/* Interned text of a whole payload (its first 64 KiB); *failed is set and err filled on failure. */
xpd_name_id xpd_walk_text(struct xpd_reader *reader, struct xpd_wire_range range, bool *failed,
                          struct xpd_err *err);
/* True when the payload is this text; false also when it cannot be read. */
bool xpd_walk_is(struct xpd_reader *reader, struct xpd_wire_range range, const char *text);
/* XPD_EBUSY if the loader should stop; reports the progress. */
int xpd_walk_progress(struct xpd_reader *reader, uint64_t at, struct xpd_err *err);

static inline uint64_t xpd_range_end(struct xpd_wire_range range)
{
    return range.offset + range.size; /* the window refuses lengths that could wrap */
}

#endif
