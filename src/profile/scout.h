/* A second thread that counts events ahead of the directory pass.
 *
 * The start of an event follows from the one before, so one thread counts a line; but lines
 * have their lengths. The pass reads the planes from the first on; the scout reads them from
 * the last and leaves its counts for the pass. The result is the same with and without the
 * scout. */
#ifndef XPD_PROFILE_SCOUT_H
#define XPD_PROFILE_SCOUT_H

#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/wire/window.h"

#include <pthread.h>
#include <stdatomic.h>

#define XPD_SCOUT_FILE_BYTES (UINT64_C(32) << 20) /* smaller files are read at once anyhow */
#define XPD_SCOUT_LINE_BYTES (UINT64_C(64) << 10) /* smaller lines are left to the pass */

struct xpd_event_run { /* consecutive events of a line */
    uint64_t from, at; /* where they begin and end */
    uint64_t count;
};
struct xpd_scout {
    const struct xpd_source *source;
    _Atomic uint64_t pass_at; /* how far the pass is */
    _Atomic bool done;        /* the pass has ended */
    pthread_mutex_t lock;     /* what stands below */
    struct xpd_map64 run_of;  /* offset of a line -> index */
    XPD_VEC(struct xpd_event_run) run;
};
bool xpd_scout_init(struct xpd_scout *scout, const struct xpd_source *source);
void xpd_scout_fini(struct xpd_scout *scout);
/* On a thread of its own; returns when there is nothing left, or soon after `done`. */
void xpd_scout_work(struct xpd_scout *scout);
/* scout_runs.c: what a line's events were counted to be, left for the pass, and found by it. */
void xpd_scout_leave(struct xpd_scout *scout, uint64_t line, const struct xpd_event_run *run);
/* For the pass: the counts of a line's events from `from` on. */
bool xpd_scout_ask(struct xpd_scout *scout, uint64_t line, uint64_t from,
                   struct xpd_event_run *run);

#endif
