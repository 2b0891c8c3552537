/* The Host check and the security headers. */
#include "security.h"

#include <arpa/inet.h>
#include <strings.h>

/* No other origin, no inline script or style, no eval, no framing. */
const struct xpd_header xpd_security_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {NULL, NULL},
};

const char xpd_layout_policy[] =
    "default-src 'none'; script-src 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

bool xpd_is_layout_worker(struct xpd_str name)
{
    return xpd_str_starts(name, "layout.") && xpd_str_ends(name, ".js");
}

static bool same_text(struct xpd_str text, const char *other)
{
    return text.size == strlen(other) && strncasecmp(text.data, other, text.size) == 0;
}

static bool is_port(struct xpd_str text)
{
    if (text.size > 5)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

bool xpd_host_name(struct xpd_str host, struct xpd_str *name)
{
    struct xpd_str rest;
    if (host.size > 0 && host.data[0] == '[') {
        const char *close = memchr(host.data, ']', host.size);
        if (!close)
            return false;
        *name = (struct xpd_str){host.data + 1, (size_t)(close - host.data) - 1};
        rest = (struct xpd_str){close + 1, host.size - name->size - 2};
    } else {
        const char *colon = memchr(host.data, ':', host.size);
        size_t size = colon ? (size_t)(colon - host.data) : host.size;
        *name = (struct xpd_str){host.data, size};
        rest = (struct xpd_str){host.data + size, host.size - size};
    }
    if (rest.size > 0) {
        if (rest.data[0] != ':' || !is_port((struct xpd_str){rest.data + 1, rest.size - 1}))
            return false;
    }
    if (name->size > 1 && name->data[name->size - 1] == '.') /* "localhost." is the same name */
        name->size--;
    return name->size > 0;
}

static bool parse_address(struct xpd_str name, int family, void *address)
{
    char copy[INET6_ADDRSTRLEN];
    if (name.size >= sizeof copy)
        return false;
    memcpy(copy, name.data, name.size);
    copy[name.size] = '\0';
    return inet_pton(family, copy, address) == 1;
}

bool xpd_host_is_loopback(struct xpd_str name)
{
    static const struct xpd_str local = {".localhost", sizeof ".localhost" - 1};
    struct in_addr v4;
    struct in6_addr v6;
    if (same_text(name, "localhost"))
        return true;
    if (name.size > local.size &&
        strncasecmp(name.data + name.size - local.size, local.data, local.size) == 0)
        return true;
    if (parse_address(name, AF_INET, &v4))
        return (ntohl(v4.s_addr) >> 24) == 127;
    return parse_address(name, AF_INET6, &v6) && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool in_list(const char *list, struct xpd_str name)
{
    while (list && *list) {
        size_t size = strcspn(list, ", ");
        if (size == name.size && strncasecmp(list, name.data, size) == 0)
            return true;
        list += size;
        list += strspn(list, ", ");
    }
    return false;
}

int xpd_host_check(const struct xpd_host_rule *rule, const char *host, struct xpd_err *err)
{
    struct xpd_str name = {NULL, 0};
    bool fine = host && xpd_host_name(xpd_str_of(host), &name);
    if (rule->any)
        return XPD_OK;
    if (!fine)
        return xpd_fail(
            err, XPD_EINVAL, "Host", XPD_NO_OFFSET,
            "the request has no usable Host header, so it is refused (protection against "
            "DNS rebinding)");
    if (xpd_host_is_loopback(name) || same_text(name, rule->bind) || in_list(rule->allowed, name))
        return XPD_OK;
    int shown = (int)(name.size < 100 ? name.size : 100);
    return xpd_fail(
        err, XPD_EINVAL, "Host", XPD_NO_OFFSET,
        "the request came for the host name \"%.*s\", which this server does not know, so it is "
        "refused (protection against DNS rebinding); if you use that name on purpose, start xprofd "
        "with --allow-host=%.*s",
        shown, name.data, shown, name.data);
}
