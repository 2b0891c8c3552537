/* One buffer between a writer's thread and a reader: the writer waits while it is full, the reader
 * while it is empty. */
#include "xprofd/base/pump.h"

#include <pthread.h>
#include <stdlib.h>

struct xpd_pump {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct xpd_strbuf ready; /* under the lock, as all below */
    bool ended, closed;
    int rc;
    struct xpd_err err;
    xpd_pump_writer writer;
    void *self;
};

static void *run(void *argument)
{
    struct xpd_pump *pump = argument;
    struct xpd_err err = {0};
    int rc = pump->writer(pump->self, pump, &err);
    pthread_mutex_lock(&pump->lock);
    pump->rc = rc;
    pump->err = err;
    pump->ended = true;
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
    return NULL;
}

int xpd_pump_start(struct xpd_pump **out, xpd_pump_writer writer, void *self, struct xpd_err *err)
{
    struct xpd_pump *pump = calloc(1, sizeof *pump);
    *out = NULL;
    if (pump) {
        pump->writer = writer;
        pump->self = self;
        pthread_mutex_init(&pump->lock, NULL);
        pthread_cond_init(&pump->changed, NULL);
        if (pthread_create(&pump->thread, NULL, run, pump) == 0) {
            *out = pump;
            return XPD_OK;
        }
        pthread_mutex_destroy(&pump->lock);
        pthread_cond_destroy(&pump->changed);
        free(pump);
    }
    return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                    "A thread for this answer cannot be started.");
}

bool xpd_pump_push(struct xpd_pump *pump, struct xpd_strbuf *piece)
{
    pthread_mutex_lock(&pump->lock);
    while (pump->ready.size >= XPD_PUMP_BYTES && !pump->closed)
        pthread_cond_wait(&pump->changed, &pump->lock);
    if (!pump->closed && piece->size > 0)
        xpd_strbuf_add(&pump->ready, piece->data, piece->size);
    bool fine = !pump->closed && !pump->ready.failed && !piece->failed;
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
    xpd_strbuf_clear(piece);
    return fine;
}

int xpd_pump_next(struct xpd_pump *pump, struct xpd_strbuf *out, struct xpd_err *err)
{
    pthread_mutex_lock(&pump->lock);
    while (pump->ready.size == 0 && !pump->ended)
        pthread_cond_wait(&pump->changed, &pump->lock);
    int rc = pump->ready.size > 0 ? XPD_OK : pump->rc;
    if (rc != XPD_OK && err)
        *err = pump->err;
    if (pump->ready.size > 0)
        xpd_strbuf_add(out, pump->ready.data, pump->ready.size);
    if (pump->ready.failed)
        rc = xpd_no_memory(err, NULL, "for this answer");
    xpd_strbuf_clear(&pump->ready);
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
    return rc;
}

void xpd_pump_close(struct xpd_pump *pump)
{
    if (!pump)
        return;
    pthread_mutex_lock(&pump->lock);
    pump->closed = true;
    pthread_cond_broadcast(&pump->changed);
    pthread_mutex_unlock(&pump->lock);
    pthread_join(pump->thread, NULL);
    pthread_mutex_destroy(&pump->lock);
    pthread_cond_destroy(&pump->changed);
    xpd_strbuf_fini(&pump->ready);
    free(pump);
}
