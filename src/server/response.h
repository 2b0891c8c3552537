/* An answer before it goes out: what the router makes and http.c sends. */
#ifndef XPROFD_SRC_SERVER_RESPONSE_H
#define XPROFD_SRC_SERVER_RESPONSE_H

#include "xprofd/base/error.h"
#include "xprofd/base/strbuf.h"
#include "xprofd/tools/tool.h"

#define XPD_GZIP_MIN_BYTES 1024 /* smaller bodies are sent uncompressed */

enum xpd_caching {
    XPD_CACHE_NEVER,     /* errors, progress */
    XPD_CACHE_CHECK,     /* data and index.html: ask again with the tag */
    XPD_CACHE_IMMUTABLE, /* files with a hash in their name */
};

struct xpd_response {
    int status;
    const char *type; /* static storage */
    const void *body;
    size_t size;
    void (*release)(
        void *owner); /* called once when the body is no longer needed; NULL = static bytes */
    void *owner;
    struct xpd_body_source source; /* instead of the body: sent piece by piece */
    const char *encoding;          /* of the body, static: "gzip", "br"; NULL = uncompressed */
    bool varies;                   /* another Accept-Encoding gives another body */
    enum xpd_caching caching;
    const char *policy;        /* Content-Security-Policy, static; NULL = that of the page */
    const char *allow;         /* 405 */
    char tag[48];              /* ETag with its quotes, "" = none */
    char file_name[96];        /* download, "" = shown in place */
    char note[XPD_NOTE_BYTES]; /* "" = none */
    char location[1024];       /* 302, relative, "" = none */
    char cookie[384];          /* Set-Cookie, "" = none */
    const char *challenge;     /* 401, static: WWW-Authenticate; NULL = none */
    int retry_after_seconds;   /* 503; 0 = not sent */
    /* With 202: the question is to be asked again until there is an answer. Without: the client
     * gets the 202 when its patience ends. */
    bool ask_again;
};

struct xpd_request_headers { /* any may be NULL */
    const char *accept_encoding, *if_none_match;
    int wait_ms; /* how long this call may wait for its data */
};

/* The HTTP status of enum xpd_code, as in docs/API.md. */
int xpd_status_of(int code);
/* Whether the client takes gzip: "gzip", "x-gzip" or "*" with q > 0. NULL = no. */
bool xpd_accepts_gzip(const char *accept_encoding);
/* "br" with q > 0. */
bool xpd_accepts_brotli(const char *accept_encoding);
/* If-None-Match against our tag: "*", a list, weak or strong, with or without a mark. */
bool xpd_tag_matches(const char *if_none_match, const char *tag);
/* A tag for these bytes: 16 hexadecimal digits in quotes. */
void xpd_tag_of(const void *bytes, size_t size, char tag[48]);
/* Marks the tag as that of a packed body: "x" becomes "x-gz", "x-br". */
void xpd_tag_mark(char tag[48], const char mark[2]);
/* gzip, level 1; false when it did not get smaller or memory ran out. */
bool xpd_gzip(const void *bytes, size_t size, struct xpd_strbuf *out);

/* The same of a body that is made while it is sent; false without memory: it stays as it is. */
bool xpd_gzip_source(struct xpd_body_source *source);

/* The body of `buf` becomes that of the answer. */
void xpd_respond_text(struct xpd_response *out, int status, const char *type,
                      struct xpd_strbuf *buf);
/* status = 0: by code. */
void xpd_respond_error(struct xpd_response *out, int status, const struct xpd_err *err);
/* The same of a sentence: what is wrong with `where`, an option, a header or a parameter. */
void xpd_respond_refusal(struct xpd_response *out, int status, int code, const char *where,
                         const char *text);
void xpd_respond_loading(struct xpd_response *out, const struct xpd_load_state *state);
void xpd_respond_redirect(struct xpd_response *out, const char *location);
/* Turns the answer into 304 when the client has it already. Call last. */
void xpd_respond_if_changed(struct xpd_response *out, const struct xpd_request_headers *headers);
void xpd_response_release(struct xpd_response *response);

#endif
