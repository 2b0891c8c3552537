/* What keeps other pages and other machines out: the Host check, the headers of every answer. */
#ifndef XPROFD_SRC_SERVER_SECURITY_H
#define XPROFD_SRC_SERVER_SECURITY_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

struct xpd_header {
    const char *name, *value;
};

/* Sent with every answer; ends with name = NULL. */
extern const struct xpd_header xpd_security_headers[];
/* The policy of the one script that runs Graphviz, in place of the page's. A worker obeys the
 * policy of its own response: it may compile WebAssembly, and nothing else, not even ask the
 * server. */
extern const char xpd_layout_policy[];
/* "layout.3FA9C07B.js", with whatever hash; "layout.js". */
bool xpd_is_layout_worker(struct xpd_str name);

struct xpd_host_rule {
    const char *bind;    /* the address we are bound to, without brackets */
    const char *allowed; /* further names, "a.example,b.example"; NULL = none */
    bool any;
};

/* A page of another site can make its own name point to 127.0.0.1 (DNS rebinding) and read what we
 * serve; its requests carry that name. So the name must be a loopback one, our address or one the
 * user named. The port is free: behind `ssh -L 9000:localhost:6006` it is not ours. XPD_EINVAL with
 * a sentence otherwise; host = NULL when the header is missing. */
int xpd_host_check(const struct xpd_host_rule *rule, const char *host, struct xpd_err *err);
/* The address as written in a header without port and brackets; false when it is malformed. */
bool xpd_host_name(struct xpd_str host, struct xpd_str *name);
/* "localhost", "x.localhost", 127.0.0.0/8, "::1". */
bool xpd_host_is_loopback(struct xpd_str name);

#endif
