/* The listening socket. */
#ifndef XPROFD_SRC_SERVER_LISTEN_H
#define XPROFD_SRC_SERVER_LISTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "xprofd/base/error.h"

struct xpd_listener {
    int fd; /* the caller closes it */
    uint16_t port;
    bool is_loopback;
};

/* XPD_EBUSY: port in use. XPD_EINVAL: not an address of this machine. XPD_EIO: anything else. */
int xpd_listen(struct xpd_listener *out, const char *bind, uint16_t port, struct xpd_err *err);

/* Both 127.0.0.1 and ::1 on one port: browsers take "localhost" for either. *v6 has fd -1 when this
 * machine has no ::1, or when another program holds the port there (which is logged). */
int xpd_listen_loopbacks(struct xpd_listener *v4, struct xpd_listener *v6, uint16_t port,
                         struct xpd_err *err);

/* A unix socket at this path, for its owner and group (0660). One that no server holds any more is
 * replaced; XPD_EBUSY: a server answers there, XPD_EINVAL: the path is none for a socket. */
int xpd_listen_unix(struct xpd_listener *out, const char *path, struct xpd_err *err);

#endif
