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

#endif
