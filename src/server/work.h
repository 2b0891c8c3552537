/* The threads that answer, and the queues in which requests wait for them. Thread safe.
 *
 * Clients take turns; the jobs of one client run in the order in which they came. A client takes
 * another thread only while more are free than it has already, so that one with many slow requests
 * leaves threads to the others (of 16 threads the first gets 8, the second 4, ...). A job that has
 * to wait for something else (a file that is being read, an answer that another request makes) goes
 * back into its queue and takes no thread meanwhile. */
#ifndef XPROFD_SRC_SERVER_WORK_H
#define XPROFD_SRC_SERVER_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct xpd_work;

struct xpd_job {
    /* Called by one thread at a time. True: done, and the job may be freed already. False: call
     * again, XPD_WORK_RETRY_MS later. */
    bool (*run)(struct xpd_job *job);
    uint64_t client;      /* equal for the jobs of one client */
    struct xpd_job *next; /* belongs to the queue */
};

#define XPD_WORK_RETRY_MS 20

/* threads = 0: as many as suit this machine. NULL: no memory, or not one thread can be started. */
struct xpd_work *xpd_work_new(uint32_t threads);
/* The job is in the queue until its run returns true. After xpd_work_end it runs right here. */
void xpd_work_put(struct xpd_work *work, struct xpd_job *job);
/* Jobs that wait for a thread. */
uint32_t xpd_work_waiting(struct xpd_work *work);
/* Whether one more job of this client may wait: fewer of its jobs do than places of `most` are
 * free. So one client takes half of the places at the most, and leaves some to the next. */
bool xpd_work_has_room(struct xpd_work *work, uint64_t client, uint32_t most);
/* Whether a thread has nothing to do, so that another may sleep. */
bool xpd_work_is_idle(struct xpd_work *work);
/* From now on jobs should give up what they wait for: the server ends. All others still run. */
void xpd_work_give_up(struct xpd_work *work);
bool xpd_work_gives_up(const struct xpd_work *work);
/* Gives up, runs what is in the queue to its end and joins the threads. */
void xpd_work_end(struct xpd_work *work);
void xpd_work_free(struct xpd_work *work); /* after xpd_work_end; NULL: nothing */

#endif
