/* HTTP at one socket: every request is checked, then answered by the router. */
#ifndef XPROFD_SRC_SERVER_HTTP_H
#define XPROFD_SRC_SERVER_HTTP_H

#include "front.h"
#include "listen.h"
#include "server_metrics.h"

struct MHD_Daemon;

struct xpd_http_from { /* frozen while a daemon runs */
    struct xpd_site site;
    struct xpd_front front;
    struct xpd_work *work;
};

/* Takes the socket over. */
int xpd_http_start(struct MHD_Daemon **daemon, const struct xpd_http_from *from,
                   struct xpd_listener *listener, uint32_t max_connections, struct xpd_err *err);
/* Takes no more connections, and closes each after the answer that is under way. Gives the socket
 * back, to be closed after xpd_http_stop. */
void xpd_http_drain(struct MHD_Daemon *daemon, struct xpd_listener *listener);
/* Closes the socket and all connections; the work must have ended before. NULL: none. */
void xpd_http_stop(struct MHD_Daemon *daemon);

#endif
