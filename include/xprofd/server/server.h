/* HTTP: one port (loopback by default) or one unix socket. GET and HEAD, and one POST, which
 * keeps a program in memory (paste.h). Only src/server/http.c includes <microhttpd.h>. */
#ifndef XPROFD_SERVER_SERVER_H
#define XPROFD_SERVER_SERVER_H

#include "xprofd/session/store.h"

struct xpd_server;

struct xpd_server_options {
    const char *bind;    /* "127.0.0.1", "::1", "0.0.0.0", ... */
    bool both_loopbacks; /* instead of `bind`: 127.0.0.1, and ::1 where there is one */
    uint16_t port;       /* 0 = any free one */
    const char
        *web_dir; /* serve the page from this folder instead of the binary; NULL = embedded */
    int64_t hbm_override_bytes; /* -1 = none */
    const char *source_url;
    const char *doctor_config; /* thresholds and muted rules for all findings: a valid text, or
                                * NULL */
    const char *allowed_hosts; /* further Host names, "a.example,b.example"; NULL = none */
    bool allow_any_host;       /* when bound to a wildcard address on purpose */
    const char *socket_path;   /* a unix socket in place of a port; NULL = none */
    const char *base_path; /* prefix of all paths, "/profiles"; xpd_base_path_check. NULL = none */
    const char *token;     /* token that clients must send; xpd_token_check. NULL = none */
    bool trust_proxy;      /* X-Forwarded-For, -Host and -Proto are those of our own proxy */
};

#define XPD_TOKEN_MIN 16
#define XPD_TOKEN_MAX 256
/* XPD_EINVAL: characters other than letters, digits and "-._~", or a length outside of
 * XPD_TOKEN_MIN to XPD_TOKEN_MAX. */
int xpd_token_check(const char *token, struct xpd_err *err);
/* XPD_EINVAL unless the path starts with "/", does not end with one, and has only these characters
 * and single slashes. */
int xpd_base_path_check(const char *path, struct xpd_err *err);
/* Makes log lines JSON. Call it before a server starts. */
void xpd_server_log_json(void);

/* XPD_EBUSY when the port or socket is in use, XPD_EINVAL for an invalid address or path,
 * XPD_ENOTFOUND for a web_dir without a page, XPD_EIO for other failures. The options are copied.
 */
int xpd_server_start(struct xpd_server **out, const struct xpd_server_options *options,
                     struct xpd_store *store, struct xpd_err *err);
uint16_t xpd_server_port(const struct xpd_server *server);
/* False when another machine could reach it. */
bool xpd_server_is_loopback(const struct xpd_server *server);
/* Accepts no more connections and cancels requests that wait for a file; those being computed or
 * sent continue. xpd_server_in_flight then falls to 0. */
void xpd_server_drain(struct xpd_server *server);
/* Requests whose answers are not completely sent. */
uint32_t xpd_server_in_flight(const struct xpd_server *server);
/* Stops accepting, waits for handlers, frees. */
void xpd_server_stop(struct xpd_server *server);

#endif
