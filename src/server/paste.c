/* Checks of a POST, and its answer. In: its headers, then its body. Out: an answer. A
 * page of another site must not be able to send one. The browser marks such requests
 * (Origin, Sec-Fetch-Site), and asks before it sends this Content-Type, which a form
 * cannot have; that preflight (OPTIONS) is refused like any other method. Host was
 * checked before. */
#include "paste.h"

#include <stdio.h>
#include <strings.h>

#include "xprofd/json/writer.h"

#define PASTE_TYPE "text/x-hlo"

bool xpd_paste_is(const struct xpd_front *front, const char *target)
{
    struct xpd_str inner = xpd_front_inner(front, target);
    const char *mark = inner.data ? memchr(inner.data, '?', inner.size) : NULL;
    if (mark)
        inner.size = (size_t)(mark - inner.data);
    return inner.data && xpd_str_eq(inner, XPD_STR("/api/v1/paste"));
}

static bool refuse(struct xpd_response *out, int status, int code, const char *where,
                   const char *text)
{
    xpd_respond_refusal(out, status, code, where, text);
    return false;
}

/* "http://localhost:9000" for the host "localhost:9000". */
static bool is_own_origin(const char *origin, const char *host)
{
    const char *name = strstr(origin, "://");
    return name && host && strcasecmp(name + 3, host) == 0;
}

static bool is_foreign(const struct xpd_front *front, const struct xpd_asked *asked,
                       const struct xpd_pasting *p)
{
    bool own = !p->origin || is_own_origin(p->origin, asked->host) ||
               (front->trusts_proxy && asked->forwarded_host &&
                is_own_origin(p->origin, asked->forwarded_host));
    return !own || (p->fetch_site && strcmp(p->fetch_site, "same-origin") != 0 &&
                    strcmp(p->fetch_site, "none") != 0);
}

static bool is_hlo_type(const char *type)
{
    size_t size = sizeof PASTE_TYPE - 1;
    return type && strncasecmp(type, PASTE_TYPE, size) == 0 &&
           (type[size] == '\0' || type[size] == ';' || type[size] == ' ');
}

bool xpd_paste_takes(const struct xpd_front *front, const struct xpd_asked *asked,
                     const struct xpd_pasting *p, size_t *size, struct xpd_response *out)
{
    uint64_t length = 0;
    char text[160];
    if (strcmp(p->method, "POST") != 0) {
        refuse(out, 405, XPD_EINVAL, "method", "a program is pasted with POST");
        out->allow = "POST";
        return false;
    }
    if (is_foreign(front, asked, p))
        return refuse(out, 403, XPD_EINVAL, "Origin",
                      "refused: the request comes from a page of another site");
    if (!front->takes_pastes)
        return refuse(out, 403, XPD_EINVAL, "paste",
                      "pasting needs a server that only this machine can reach, or a token "
                      "(--token); other machines can reach this server, and it has no token");
    if (!is_hlo_type(p->type))
        return refuse(out, 415, XPD_EINVAL, "Content-Type",
                      "send an HLO module with Content-Type: " PASTE_TYPE);
    if (p->encoding || !p->length || !xpd_str_to_u64(xpd_str_of(p->length), &length))
        return refuse(out, 411, XPD_EINVAL, "Content-Length",
                      "the header Content-Length is missing");
    if (length > XPD_PASTE_MAX_BYTES) {
        snprintf(text, sizeof text,
                 "the text has %llu bytes; the limit is %d (16 MiB). Save it in the logdir instead",
                 (unsigned long long)length, XPD_PASTE_MAX_BYTES);
        return refuse(out, 413, XPD_ELIMIT, "body", text);
    }
    *size = (size_t)length;
    return true;
}

void xpd_paste_respond(const struct xpd_site *site, struct xpd_str text, struct xpd_response *out)
{
    struct xpd_err err = {0};
    char id[XPD_PASTE_ID_BYTES];
    int rc = xpd_store_paste(site->store, text, id, &err);
    if (rc != XPD_OK) {
        xpd_respond_error(out, 0, &err);
        return;
    }
    struct xpd_strbuf body = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &body);
    xpd_json_obj(&w);
    xpd_json_kstr(&w, "run", xpd_str_of(id));
    xpd_json_obj_end(&w);
    xpd_respond_text(out, 201, "application/json", &body);
}
