/* Opens the listening socket. In: an address and a port. Out: a socket, or an error with
 * advice. */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "xprofd/base/log.h"

#define BACKLOG    4096 /* the system takes its own limit where that is lower */
#define PORT_TRIES 16   /* for one that is free at both addresses */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
};

static int resolve(const char *bind_to, uint16_t port, union address *address, socklen_t *size,
                   struct xpd_err *err)
{
    char port_text[8];
    snprintf(port_text, sizeof port_text, "%u", (unsigned)port);
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    int rc = getaddrinfo(bind_to, port_text, &hints, &list);
    if (rc != 0 || !list || list->ai_addrlen > sizeof *address) {
        if (list)
            freeaddrinfo(list);
        return xpd_fail(
            err, XPD_EINVAL, "--bind", XPD_NO_OFFSET,
            "cannot listen on \"%s\": %s; use an address of this machine such as 127.0.0.1, ::1 or "
            "0.0.0.0",
            bind_to, rc != 0 ? gai_strerror(rc) : "no address");
    }
    memcpy(address, list->ai_addr, list->ai_addrlen);
    *size = list->ai_addrlen;
    freeaddrinfo(list);
    return XPD_OK;
}

static int say_why(int error, const char *bind_to, uint16_t port, struct xpd_err *err)
{
    switch (error) {
    case EADDRINUSE:
        return xpd_fail(
            err, XPD_EBUSY, "--port", XPD_NO_OFFSET,
            "port %u on %s is in use, perhaps by another xprofd or by TensorBoard (it also uses "
            "6006); choose another with --port=N, or --port=0 for any free one; `ss "
            "-ltnp 'sport = :%u'` "
            "shows which program uses it",
            (unsigned)port, bind_to, (unsigned)port);
    case EACCES:
        return xpd_fail(err, XPD_EIO, "--port", XPD_NO_OFFSET,
                        "only root may open port %u; choose one above 1023 with --port=N",
                        (unsigned)port);
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return xpd_fail(err, XPD_EINVAL, "--bind", XPD_NO_OFFSET,
                        "%s is not an address of this machine; `ip addr` lists its addresses",
                        bind_to);
    default:
        return xpd_fail(err, XPD_EIO, "--bind", XPD_NO_OFFSET, "cannot listen on %s port %u: %s",
                        bind_to, (unsigned)port, strerror(error));
    }
}

static void describe(const union address *address, struct xpd_listener *out)
{
    if (address->any.sa_family == AF_INET6) {
        out->port = ntohs(address->v6.sin6_port);
        out->is_loopback = IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
    } else {
        out->port = ntohs(address->v4.sin_port);
        out->is_loopback = (ntohl(address->v4.sin_addr.s_addr) >> 24) == 127;
    }
}

int xpd_listen(struct xpd_listener *out, const char *bind_to, uint16_t port, struct xpd_err *err)
{
    *out = (struct xpd_listener){.fd = -1};
    union address address = {0};
    socklen_t size = 0;
    int rc = resolve(bind_to, port, &address, &size, err);
    if (rc != XPD_OK)
        return rc;
    int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return say_why(errno, bind_to, port, err);
    int on = 1, off = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.any.sa_family == AF_INET6) /* "::" takes IPv4 too */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, &address.any, size) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &address.any, &size) != 0) {
        rc = say_why(errno, bind_to, port, err);
        close(fd);
        return rc;
    }
    out->fd = fd;
    describe(&address, out);
    return XPD_OK;
}

int xpd_listen_loopbacks(struct xpd_listener *v4, struct xpd_listener *v6, uint16_t port,
                         struct xpd_err *err)
{
    struct xpd_err why = {0};
    int rc = XPD_OK;
    for (int i = 0; i < PORT_TRIES; i++) {
        rc = xpd_listen(v4, "127.0.0.1", port, err);
        if (rc != XPD_OK)
            return rc;
        rc = xpd_listen(v6, "::1", v4->port, &why);
        if (rc != XPD_EBUSY || port != 0 || i + 1 == PORT_TRIES)
            break;
        close(v4->fd);
    }
    if (rc == XPD_EBUSY)
        xpd_log(XPD_LOG_WARNING,
                "another program uses port %u on ::1: open http://127.0.0.1:%u/, since "
                "\"localhost\" may lead to the other one",
                (unsigned)v4->port, (unsigned)v4->port);
    else if (rc != XPD_OK && rc != XPD_EINVAL) /* EINVAL: there is no ::1 */
        xpd_log(XPD_LOG_WARNING, "not on ::1: %s", why.text);
    return XPD_OK;
}

/* ---- unix ---- */

/* Removes the socket of a killed server; XPD_EBUSY if a server listens. */
static int clear_path(const struct sockaddr_un *address, struct xpd_err *err)
{
    struct stat st;
    if (lstat(address->sun_path, &st) != 0)
        return XPD_OK;
    if (!S_ISSOCK(st.st_mode))
        return xpd_fail(err, XPD_EINVAL, "--socket", XPD_NO_OFFSET, "%s exists and is not a socket",
                        address->sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers =
        fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
                    errno != ECONNREFUSED);
    if (fd >= 0)
        close(fd);
    if (answers)
        return xpd_fail(err, XPD_EBUSY, "--socket", XPD_NO_OFFSET,
                        "another program listens at %s; choose another path", address->sun_path);
    unlink(address->sun_path);
    return XPD_OK;
}

int xpd_listen_unix(struct xpd_listener *out, const char *path, struct xpd_err *err)
{
    *out = (struct xpd_listener){.fd = -1, .is_loopback = true};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof address.sun_path)
        return xpd_fail(err, XPD_EINVAL, "--socket", XPD_NO_OFFSET,
                        "the path of a socket has 1 to %zu bytes", sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    int rc = clear_path(&address, err);
    if (rc != XPD_OK)
        return rc;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t before = umask(0117); /* no other thread makes files yet */
    bool bound = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (!bound || listen(fd, BACKLOG) != 0) {
        rc = xpd_fail(err, XPD_EINVAL, "--socket", XPD_NO_OFFSET, "cannot listen at %s: %s", path,
                      strerror(errno));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    out->fd = fd;
    return XPD_OK;
}
