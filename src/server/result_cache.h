/* Answers of tools, kept by question: equal questions at the same time are computed once, and
 * results stay within a byte budget (least recently used first out). A streamed answer is kept
 * as sent, compressed. Thread safe. The lock is never held while an answer is made or
 * compressed. */
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
    bool packed; /* the body is gzip, as it was sent: of xpd_results_gather alone, without a tag */
    bool streamed; /* there is no body: it is sent while it is made, by who made this; not kept */
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
void xpd_results_free(struct xpd_results *results);      /* held answers stay valid */

/* The answer to `key`, made by make(ctx, answer) unless it is there or being made; while another
 * thread makes it, it is waited for up to wait_ms. Only answers with err.code XPD_OK and status 200
 * are kept. An empty key is made and never kept. Release it. NULL: still being made (*busy), or no
 * memory. */
struct xpd_result *xpd_results_get(struct xpd_results *results, struct xpd_str key, int wait_ms,
                                   void (*make)(void *ctx, struct xpd_result *out), void *ctx,
                                   bool *busy);
void xpd_result_release(void *result);
/* The answer under `key` when it is there: nothing is made or waited for. Release it. */
struct xpd_result *xpd_results_find(struct xpd_results *results, struct xpd_str key);
/* Puts a source in front of *source that gathers the bytes it sends. Once all are sent they are
 * the packed body under `key`, with type, file name and note of `like`. Answers being gathered take
 * at most a quarter of the budget: larger ones are sent and not kept. Without memory *source stays
 * as it is. `results` must outlive the source. */
void xpd_results_gather(struct xpd_results *results, struct xpd_str key,
                        const struct xpd_result *like, struct xpd_body_source *source);
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
