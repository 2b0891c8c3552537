/* The threads that answer, and the queue in which requests wait for them. Thread safe.
 *
 * Jobs run in the order in which they came. One that has to wait for something else (a file that is
 * being read, an answer that another request makes) goes back into the queue and takes no thread
 * meanwhile. */
#ifndef XPROFD_SRC_SERVER_WORK_H
#define XPROFD_SRC_SERVER_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct xpd_work;

struct xpd_job {
    /* Called by one thread at a time. True: done, and the job may be freed already. False: call
     * again, XPD_WORK_RETRY_MS later. */
    bool (*run)(struct xpd_job *job);
    struct xpd_job *next; /* belongs to the queue */
};

#define XPD_WORK_RETRY_MS 20

/* threads = 0: as many as suit this machine. NULL: no memory, or not one thread can be started. */
struct xpd_work *xpd_work_new(uint32_t threads);
/* The job is in the queue until its run returns true. After xpd_work_end it runs right here. */
void xpd_work_put(struct xpd_work *work, struct xpd_job *job);
/* Jobs that wait for a thread. */
uint32_t xpd_work_waiting(struct xpd_work *work);
/* Whether a thread has nothing to do, so that another may sleep. */
bool xpd_work_is_idle(struct xpd_work *work);
/* From now on jobs should give up: what they wait for will not come. */
bool xpd_work_ends(const struct xpd_work *work);
/* Runs what is in the queue to its end and joins the threads. */
void xpd_work_end(struct xpd_work *work);
void xpd_work_free(struct xpd_work *work); /* after xpd_work_end; NULL: nothing */

#endif
