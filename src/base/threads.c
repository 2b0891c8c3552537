/* Starts threads, works itself, waits for them. In: a function and how many. Out: nothing is left
 * running. */
#include "xprofd/base/threads.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

struct part {
    void (*fn)(void *context, uint32_t thread);
    void *context;
    uint32_t number;
};

static void *run(void *argument)
{
    const struct part *part = argument;
    part->fn(part->context, part->number);
    return NULL;
}

uint32_t xpd_threads_count(uint32_t wanted)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (wanted == 0)
        wanted = processors > 0 ? (uint32_t)processors : 1;
    return wanted < XPD_THREADS_MAX ? wanted : XPD_THREADS_MAX;
}

void xpd_threads_run(uint32_t count, void (*fn)(void *context, uint32_t thread), void *context)
{
    pthread_t thread[XPD_THREADS_MAX];
    struct part part[XPD_THREADS_MAX];
    uint32_t started = 1;
    for (; started < count && started < XPD_THREADS_MAX; started++) {
        part[started] = (struct part){fn, context, started};
        if (pthread_create(&thread[started], NULL, run, &part[started]) != 0)
            break;
    }
    fn(context, 0);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
}

struct sharing {
    void (*fn)(void *context, uint32_t item, uint32_t thread);
    void *context;
    uint32_t count;
    _Atomic uint32_t next;
};

static void take_items(void *context, uint32_t thread)
{
    struct sharing *sharing = context;
    uint32_t item;
    while ((item = atomic_fetch_add_explicit(&sharing->next, 1, memory_order_relaxed)) <
           sharing->count)
        sharing->fn(sharing->context, item, thread);
}

void xpd_threads_each(uint32_t threads, uint32_t count,
                      void (*fn)(void *context, uint32_t item, uint32_t thread), void *context)
{
    struct sharing sharing = {.fn = fn, .context = context, .count = count};
    threads = xpd_threads_count(threads);
    xpd_threads_run(threads < count ? threads : count, take_items, &sharing);
}

int xpd_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int rc = pthread_condattr_init(&attributes);
    if (rc != 0)
        return rc;
    rc = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (rc == 0)
        rc = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return rc;
}
