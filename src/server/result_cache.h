/* Answers of tools, kept by question: equal questions at the same time are computed once, and what
 * was computed stays within a byte budget (least recently used goes first). Thread safe. The lock
 * is never held while an answer is made or compressed. */
#ifndef XPROFD_SRC_SERVER_RESULT_CACHE_H
#define XPROFD_SRC_SERVER_RESULT_CACHE_H

#include "response.h"

struct xpd_results;

struct xpd_result {     /* frozen once made, counted */
    struct xpd_err err; /* code XPD_OK: the body below; XPD_EBUSY: `loading` */
    struct xpd_load_state loading;
    int status;
    const char *type; /* static storage */
    char *body;       /* malloc'ed */
    size_t size;
    char tag[48];
    char file_name[96];
    char note[XPD_NOTE_BYTES];
    /* the rest belongs to result_cache.c */
    char *gzip;
    size_t gzip_size;
    bool gzip_useless;
    _Atomic uint32_t holders;
};

struct xpd_results *xpd_results_new(size_t limit_bytes); /* NULL: no memory */
void xpd_results_free(struct xpd_results *results);      /* what is still held stays valid */

/* The answer to `key`, made by make(ctx, answer) unless it is there or being made; while another
 * thread makes it, it is waited for up to wait_ms. Only answers with err.code XPD_OK and status 200
 * are kept. An empty key is made and never kept. Release it. NULL: still being made (*busy), or no
 * memory. */
struct xpd_result *xpd_results_get(struct xpd_results *results, struct xpd_str key, int wait_ms,
                                   void (*make)(void *ctx, struct xpd_result *out), void *ctx,
                                   bool *busy);
void xpd_result_release(void *result);
/* The body as gzip, made on first demand; false when it is not worth it. */
bool xpd_result_gzip(struct xpd_results *results, struct xpd_result *result, const void **bytes,
                     size_t *size);

struct xpd_results_stats {
    uint64_t made, found, evicted;
    size_t bytes, limit_bytes;
    uint32_t count;
};
void xpd_results_stats(struct xpd_results *results, struct xpd_results_stats *out);

#endif
