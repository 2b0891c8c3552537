/* From a request target to an answer. Independent of libmicrohttpd. */
#ifndef XPROFD_SRC_SERVER_ROUTER_H
#define XPROFD_SRC_SERVER_ROUTER_H

#include "assets.h"
#include "result_cache.h"

struct xpd_metrics;

struct xpd_site { /* data for requests; everything outlives them */
    struct xpd_store *store;
    struct xpd_assets *assets;
    struct xpd_results *results;
    struct xpd_metrics *metrics;
    int64_t hbm_override_bytes;
    const char *source_url, *doctor_config;
};

/* `target` is path and query as sent. Always makes an answer. */
void xpd_route(const struct xpd_site *site, struct xpd_str target,
               const struct xpd_request_headers *headers, struct xpd_response *out);

#endif
