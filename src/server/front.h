/* What a request passes before the router: the host name, the prefix of a proxy, the token; and the
 * client. */
#ifndef XPROFD_SRC_SERVER_FRONT_H
#define XPROFD_SRC_SERVER_FRONT_H

#include "response.h"
#include "security.h"

struct xpd_front { /* frozen while a server runs */
    struct xpd_host_rule host_rule;
    const char *base_path; /* "/profiles", as xpd_server_options; "" = none */
    const char *token;     /* NULL = everybody may ask */
    bool takes_pastes;     /* only this machine can connect, or a token is needed (paste.h) */
    bool trusts_proxy;     /* X-Forwarded-For, -Host and -Proto are true */
};

struct xpd_asked {      /* of a request; any header may be NULL */
    const char *target; /* path and query as sent */
    const char *host, *authorization, *cookie, *accept, *page;
    const char *forwarded_for, *forwarded_host, *forwarded_proto;
};

#define XPD_CLIENT_BYTES 48 /* an IPv6 address with its zone */

/* The target without the prefix; data = NULL if it has another prefix. */
struct xpd_str xpd_front_inner(const struct xpd_front *front, const char *target);
/* True for /healthz, which answers every client: it reveals nothing. */
bool xpd_front_is_health(const struct xpd_front *front, const char *target);
/* False: *out names the unexpected host. */
bool xpd_front_takes_host(const struct xpd_front *front, const struct xpd_asked *asked,
                          struct xpd_response *out);
/* False: *out is the answer: a redirect, 401 or 404. */
bool xpd_front_lets_in(const struct xpd_front *front, const struct xpd_asked *asked,
                       struct xpd_response *out);
void xpd_front_respond_health(struct xpd_response *out);
/* The address that a trusted proxy names, else `peer`. */
void xpd_front_client(const struct xpd_front *front, const struct xpd_asked *asked,
                      const char *peer, char client[XPD_CLIENT_BYTES]);
/* "/api/v1/runs?token=SECRET&x=1" as a log may show it: the token is left out. */
void xpd_front_shown(const char *target, struct xpd_strbuf *out);

#endif
