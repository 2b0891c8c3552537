/* What is made once of the events of a host and kept as long as its run: the trace itself, and
 * what is derived from it. The store makes, counts and frees such a part, tells how far it is, and
 * joins those of all hosts; of what is in it the store knows nothing. */
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
struct xpd_part_hosts { /* those with events, in the order of the run */
    const char *const *name;
    const void *const *made; /* this part of each */
    uint32_t count;
    const void *need[XPD_PART_NEEDS_MAX]; /* as kind->needs, joined */
    uint64_t room_bytes;
};

/* Its address says which part it is. */
struct xpd_part_kind {
    const char *doing; /* what who waits for it reads: "adding up the instructions" */
    const struct xpd_part_kind *needs[XPD_PART_NEEDS_MAX]; /* made first; NULL behind the last */
    bool reads_file;
    /* Of all hosts it is made as of one, from what it needs of all of them: no host makes its own
     * for that. Reads no file, and has no `join`. */
    bool from_needs;
    uint32_t event_bytes, joined_event_bytes; /* about what it takes an event, to make room for */
    int (*make)(void **out, const struct xpd_part_from *from, struct xpd_err *err);
    /* Of all hosts, above theirs; NULL without from_needs: it is of one host alone. */
    int (*join)(void **out, const struct xpd_part_hosts *hosts, struct xpd_err *err);
    uint64_t (*bytes)(const void *made);
    void (*free)(void *made); /* NULL is legal */
};

#endif
