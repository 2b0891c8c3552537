/* A part is made once from the events of a host and kept as long as its run: the trace itself, and
 * data derived from it. The store makes, counts and frees parts, reports their progress, and joins
 * those of all hosts. It does not know their contents. */
#ifndef XPROFD_SESSION_PART_H
#define XPROFD_SESSION_PART_H

#include "xprofd/profile/xspace.h"

#define XPD_PART_NEEDS_MAX 3

struct xpd_part_from {
    const struct xpd_xspace *space;       /* of the host; NULL: of all (from_needs) */
    struct xpd_source *source;            /* its file, for a part that reads it: to be taken over */
    struct xpd_progress *progress;        /* of that reading */
    const void *need[XPD_PART_NEEDS_MAX]; /* as kind->needs, of the same host */
    uint64_t room_bytes;                  /* budget; XPD_ELIMIT above */
};
struct xpd_part_hosts { /* the hosts with events, in the order of the run */
    const char *const *name;
    const void *const *made; /* this part of each */
    uint32_t count;
    const void *need[XPD_PART_NEEDS_MAX]; /* as kind->needs, joined */
    uint64_t room_bytes;
};

/* Its address identifies the part. */
struct xpd_part_kind {
    const char *doing; /* progress text: "adding up the instructions" */
    const struct xpd_part_kind *needs[XPD_PART_NEEDS_MAX]; /* made first; NULL behind the last */
    bool reads_file;
    /* For all hosts it is made like for one, from the joined parts it needs; no host makes its own.
     * Reads no file, and has no `join`. */
    bool from_needs;
    uint32_t event_bytes, joined_event_bytes; /* approximate bytes per event, to reserve memory */
    int (*make)(void **out, const struct xpd_part_from *from, struct xpd_err *err);
    /* Joins the parts of all hosts; NULL without from_needs: the part exists for one host only. */
    int (*join)(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err);
    uint64_t (*bytes)(const void *made);
    void (*free)(void *made); /* NULL is legal */
};

#endif
