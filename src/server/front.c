/* The host name, the prefix and the token of a request. In: its target and headers. Out: a request
 * for the router, or an answer. Pure; without sockets. */
#include "front.h"

#include <stdio.h>
#include <strings.h>

#define COOKIE_SECONDS 2592000 /* 30 days */
#define COOKIE_NAME    24

static const struct xpd_str token_mark = {"token=", sizeof "token=" - 1};

/* ---- prefix ---- */

static size_t path_size(struct xpd_str target)
{
    const char *mark = memchr(target.data, '?', target.size);
    return mark ? (size_t)(mark - target.data) : target.size;
}

struct xpd_str xpd_front_inner(const struct xpd_front *front, const char *target)
{
    struct xpd_str base = xpd_str_of(front->base_path), all = xpd_str_of(target);
    if (all.size <= base.size || memcmp(all.data, base.data, base.size) != 0 ||
        all.data[base.size] != '/')
        return base.size == 0 ? all : (struct xpd_str){NULL, 0};
    return (struct xpd_str){all.data + base.size, all.size - base.size};
}

bool xpd_front_is_health(const struct xpd_front *front, const char *target)
{
    struct xpd_str inner = xpd_front_inner(front, target);
    if (!inner.data)
        inner = xpd_str_of(target); /* local clients use no prefix */
    inner.size = path_size(inner);
    return xpd_str_eq(inner, XPD_STR("/healthz"));
}

void xpd_front_respond_health(struct xpd_response *out)
{
    *out = (struct xpd_response){.status = 200,
                                 .type = "text/plain; charset=utf-8",
                                 .body = "ok\n",
                                 .size = 3,
                                 .caching = XPD_CACHE_NEVER};
}

/* "/profiles" and "/profiles?x" to "/profiles/": the links of the page are relative. The answer is
 * relative, too, so that it holds behind one more proxy. */
static void respond_outside(const struct xpd_front *front, struct xpd_str target,
                            struct xpd_response *out)
{
    struct xpd_str base = xpd_str_of(front->base_path);
    struct xpd_str path = {target.data, path_size(target)};
    bool is_root = xpd_str_eq(path, XPD_STR("/"));
    if (xpd_str_eq(path, base) || is_root) {
        const char *last = is_root ? base.data + 1 : strrchr(base.data, '/') + 1;
        char location[sizeof out->location];
        int size = snprintf(location, sizeof location, "%s/%.*s", last,
                            (int)(target.size - path.size), target.data + path.size);
        if (size > 0 && (size_t)size < sizeof location) {
            xpd_respond_redirect(out, location);
            return;
        }
    }
    struct xpd_err err = {0};
    xpd_fail(&err, XPD_ENOTFOUND, "url", XPD_NO_OFFSET, "all pages are below %s/ (--base-path)",
             base.data);
    xpd_respond_error(out, 0, &err);
}

/* ---- host ---- */

bool xpd_front_takes_host(const struct xpd_front *front, const struct xpd_asked *asked,
                          struct xpd_response *out)
{
    struct xpd_err err = {0};
    int rc = xpd_host_check(&front->host_rule, asked->host, &err);
    /* In addition to Host, not instead of it: a page can also send this header. */
    if (rc == XPD_OK && front->trusts_proxy && asked->forwarded_host)
        rc = xpd_host_check(&front->host_rule, asked->forwarded_host, &err);
    if (rc != XPD_OK)
        xpd_respond_error(out, asked->host ? 421 : 400, &err);
    return rc == XPD_OK;
}

/* ---- token ---- */

/* Takes as long for every text of one length, so that the time tells nothing of the token. */
static bool is_token(struct xpd_str text, const char *token)
{
    size_t size = strlen(token);
    volatile unsigned differs = text.size != size;
    for (size_t i = 0; i < text.size; i++)
        differs |= (unsigned char)text.data[i] ^ (unsigned char)token[i % size];
    return differs == 0;
}

/* Cookies ignore ports: servers on one machine, or behind tunnels to localhost, need different
 * names. */
static void cookie_name(const char *token, char name[COOKIE_NAME])
{
    snprintf(name, COOKIE_NAME, "xprofd-%08x",
             (unsigned)(xpd_hash(token, strlen(token)) & UINT32_MAX));
}

static bool has_cookie(const char *cookies, const char *token)
{
    char name[COOKIE_NAME];
    cookie_name(token, name);
    size_t size = strlen(name);
    for (const char *at = cookies; at && *at;) {
        at += strspn(at, "; ");
        size_t part = strcspn(at, ";");
        if (part > size && memcmp(at, name, size) == 0 && at[size] == '=' &&
            is_token(xpd_str_trim((struct xpd_str){at + size + 1, part - size - 1}), token))
            return true;
        at += part;
    }
    return false;
}

static bool has_bearer(const char *authorization, const char *token)
{
    return authorization && strncasecmp(authorization, "Bearer ", 7) == 0 &&
           is_token(xpd_str_trim(xpd_str_of(authorization + 7)), token);
}

/* The next part of a query up to '&' off *rest; false at the end. */
static bool next_part(struct xpd_str *rest, struct xpd_str *part)
{
    if (rest->size == 0)
        return false;
    const char *mark = memchr(rest->data, '&', rest->size);
    size_t size = mark ? (size_t)(mark - rest->data) : rest->size;
    *part = (struct xpd_str){rest->data, size};
    size += mark != NULL;
    *rest = (struct xpd_str){rest->data + size, rest->size - size};
    return true;
}

static bool is_token_part(struct xpd_str part)
{
    return part.size >= token_mark.size && memcmp(part.data, token_mark.data, token_mark.size) == 0;
}

static struct xpd_str query_of(struct xpd_str target)
{
    size_t size = path_size(target);
    size += size < target.size;
    return (struct xpd_str){target.data + size, target.size - size};
}

/* The value of "token=" in the query; data = NULL: none. */
static struct xpd_str token_in(struct xpd_str target)
{
    struct xpd_str rest = query_of(target), part;
    while (next_part(&rest, &part))
        if (is_token_part(part))
            return (struct xpd_str){part.data + token_mark.size, part.size - token_mark.size};
    return (struct xpd_str){NULL, 0};
}

/* "?a=1&b=2" without the token; nothing when nothing is left. */
static void put_other_parts(struct xpd_str target, struct xpd_strbuf *out)
{
    struct xpd_str rest = query_of(target), part;
    const char *before = "?";
    while (next_part(&rest, &part)) {
        if (is_token_part(part))
            continue;
        xpd_strbuf_puts(out, before);
        xpd_strbuf_add(out, part.data, part.size);
        before = "&";
    }
}

void xpd_front_shown(const char *target, struct xpd_strbuf *out)
{
    struct xpd_str all = xpd_str_of(target);
    xpd_strbuf_add(out, all.data, path_size(all));
    put_other_parts(all, out);
}

/* To the same place without the token, which the browser keeps as a cookie from now on. The cookie
 * has no path: the browser's default is right behind a proxy that hides its prefix.
 */
static void respond_cookie(const struct xpd_front *front, const struct xpd_asked *asked,
                           struct xpd_response *out)
{
    struct xpd_str target = xpd_str_of(asked->target);
    size_t size = path_size(target), begin = size;
    while (begin > 0 && target.data[begin - 1] != '/')
        begin--;
    struct xpd_strbuf location = {0};
    xpd_strbuf_puts(&location, "./");
    xpd_strbuf_add(&location, target.data + begin, size - begin);
    put_other_parts(target, &location);
    if (location.failed || location.size >= sizeof out->location) {
        struct xpd_err err = {0};
        xpd_fail(&err, XPD_ELIMIT, "url", XPD_NO_OFFSET,
                 "the URL is too long to take the token out; send it as Authorization: Bearer");
        xpd_respond_error(out, 414, &err);
    } else {
        char name[COOKIE_NAME];
        bool https = front->trusts_proxy && asked->forwarded_proto &&
                     strcasecmp(asked->forwarded_proto, "https") == 0;
        cookie_name(front->token, name);
        xpd_respond_redirect(out, location.data);
        snprintf(out->cookie, sizeof out->cookie, "%s=%s; Max-Age=%d; HttpOnly; SameSite=Lax%s",
                 name, front->token, COOKIE_SECONDS, https ? "; Secure" : "");
    }
    xpd_strbuf_fini(&location);
}

#define FORM(words)                                                                                \
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"                              \
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>xprofd: token</title>\n"      \
    "<h1>This server needs a token</h1>\n<p>" words                                                \
    "</p>\n<form>\n<label>Token <input name=\"token\" type=\"password\" "                          \
    "autocomplete=\"current-password\" required autofocus></label>\n<button>Open</button>\n"       \
    "</form>\n</html>\n"

/* A person gets a form, a program an error as everywhere. */
static void respond_401(const struct xpd_asked *asked, bool was_wrong, struct xpd_response *out)
{
    static const char ask[] =
        FORM("Ask the person who started it for the token, or for a link that contains it.");
    static const char wrong[] = FORM("This token is wrong.");
    struct xpd_err err = {0};
    if (asked->accept && strstr(asked->accept, "text/html")) {
        *out = (struct xpd_response){.status = 401,
                                     .type = "text/html; charset=utf-8",
                                     .body = was_wrong ? wrong : ask,
                                     .size = (was_wrong ? sizeof wrong : sizeof ask) - 1,
                                     .policy = "default-src 'none'; form-action 'self'; base-uri "
                                               "'none'; frame-ancestors 'none'",
                                     .caching = XPD_CACHE_NEVER};
    } else {
        xpd_fail(&err, XPD_EINVAL, "token", XPD_NO_OFFSET,
                 "%s; send the header \"Authorization: Bearer TOKEN\", or open the page once with "
                 "?token=TOKEN",
                 was_wrong ? "the token is wrong" : "this server needs a token");
        xpd_respond_error(out, 401, &err);
    }
    out->challenge = "Bearer realm=\"xprofd\"";
}

/* False: *out is the answer. */
static bool passes_token(const struct xpd_front *front, const struct xpd_asked *asked,
                         struct xpd_response *out)
{
    struct xpd_str sent = token_in(xpd_str_of(asked->target));
    if (sent.data && is_token(sent, front->token)) {
        respond_cookie(front, asked, out);
        return false;
    }
    if (!sent.data &&
        (has_bearer(asked->authorization, front->token) || has_cookie(asked->cookie, front->token)))
        return true;
    respond_401(asked, sent.data || asked->authorization, out);
    return false;
}

bool xpd_front_lets_in(const struct xpd_front *front, const struct xpd_asked *asked,
                       struct xpd_response *out)
{
    if (!xpd_front_inner(front, asked->target).data)
        respond_outside(front, xpd_str_of(asked->target), out);
    else
        return !front->token || passes_token(front, asked, out);
    return false;
}

/* ---- the client ---- */

void xpd_front_client(const struct xpd_front *front, const struct xpd_asked *asked,
                      const char *peer, char client[XPD_CLIENT_BYTES])
{
    const char *list = front->trusts_proxy ? asked->forwarded_for : NULL;
    const char *comma = list ? strrchr(list, ',') : NULL;
    /* The last one is from our proxy; those before are claims of its client. */
    struct xpd_str last = xpd_str_trim(xpd_str_of(comma ? comma + 1 : list ? list : ""));
    bool fits = last.size > 0 && last.size < XPD_CLIENT_BYTES;
    for (size_t i = 0; fits && i < last.size; i++)
        fits = last.data[i] > ' ' && last.data[i] < 127;
    snprintf(client, XPD_CLIENT_BYTES, "%.*s", fits ? (int)last.size : XPD_CLIENT_BYTES - 1,
             fits ? last.data : peer);
}
