/* A few threads for one piece of work; the caller waits. */
#ifndef XPROFD_BASE_THREADS_H
#define XPROFD_BASE_THREADS_H

#include <pthread.h>
#include <stdint.h>

#define XPD_THREADS_MAX 8

/* `wanted`, or with 0 the processors of this machine; at most XPD_THREADS_MAX, at least 1. */
uint32_t xpd_threads_count(uint32_t wanted);
/* Calls fn(context, 0) here and fn(context, 1 .. count - 1) on threads of their own, and returns
 * when all have. A thread that cannot be started is left out. The calls share one counter of work,
 * so even a single thread does all of it. `count` <= XPD_THREADS_MAX. */
void xpd_threads_run(uint32_t count, void (*fn)(void *context, uint32_t thread), void *context);
/* Calls fn(context, item, thread) once for each item from 0 to count - 1, given out in that order
 * to xpd_threads_count(threads) threads, but not to more than there are items. `thread` is below
 * that number; calls with the same one never overlap, and 0 is the caller's. */
void xpd_threads_each(uint32_t threads, uint32_t count,
                      void (*fn)(void *context, uint32_t item, uint32_t thread), void *context);
/* A condition whose timed waits end at a time of CLOCK_MONOTONIC. 0, or the error number. */
int xpd_cond_init(pthread_cond_t *condition);

#endif
