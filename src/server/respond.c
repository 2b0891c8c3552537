/* Makes answers: statuses, error and progress bodies, tags, gzip. */
#include "response.h"

#include "xprofd/tools/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

#define JSON_TYPE "application/json"

int xpd_status_of(int code)
{
    static const int status[XPD_CODE_COUNT] = {
        [XPD_OK] = 200,     [XPD_EINVAL] = 400, [XPD_ENOTFOUND] = 404, [XPD_EFORMAT] = 422,
        [XPD_ELIMIT] = 413, [XPD_ENOMEM] = 503, [XPD_EIO] = 500,       [XPD_ECHANGED] = 409,
        [XPD_EBUSY] = 503,  [XPD_EWRITE] = 500, [XPD_EINTERNAL] = 500,
    };
    return code >= 0 && code < XPD_CODE_COUNT ? status[code] : 500;
}

/* ---- Accept-Encoding, If-None-Match ---- */

/* Takes the next part up to `separator` off *rest; false at the end. */
static bool next_part(const char **rest, char separator, struct xpd_str *part)
{
    if (!*rest)
        return false;
    const char *end = strchr(*rest, separator);
    *part = xpd_str_trim((struct xpd_str){*rest, end ? (size_t)(end - *rest) : strlen(*rest)});
    *rest = end ? end + 1 : NULL;
    return true;
}

/* "gzip;q=0.5": the name in *part, false when q is 0 or no number. */
static bool is_wanted(struct xpd_str *part)
{
    const char *semicolon = memchr(part->data, ';', part->size);
    if (!semicolon)
        return true;
    struct xpd_str q = {semicolon + 1, part->size - (size_t)(semicolon - part->data) - 1};
    part->size = (size_t)(semicolon - part->data);
    *part = xpd_str_trim(*part);
    q = xpd_str_trim(q);
    if (q.size < 3 || (q.data[0] != 'q' && q.data[0] != 'Q') || q.data[1] != '=')
        return false;
    bool positive = false;
    for (size_t i = 2; i < q.size; i++) {
        if (q.data[i] != '.' && (q.data[i] < '0' || q.data[i] > '9'))
            return false;
        positive = positive || (q.data[i] >= '1' && q.data[i] <= '9');
    }
    return positive;
}

static bool is_word(struct xpd_str text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.data, word, text.size) == 0;
}

bool xpd_accepts_gzip(const char *accept_encoding)
{
    bool by_star = false;
    struct xpd_str part;
    while (next_part(&accept_encoding, ',', &part)) {
        bool wanted = is_wanted(&part);
        if (is_word(part, "gzip") || is_word(part, "x-gzip"))
            return wanted;
        if (is_word(part, "*"))
            by_star = wanted;
    }
    return by_star;
}

bool xpd_accepts_brotli(const char *accept_encoding)
{
    struct xpd_str part;
    while (next_part(&accept_encoding, ',', &part)) {
        bool wanted = is_wanted(&part);
        if (is_word(part, "br"))
            return wanted;
    }
    return false;
}

/* The inner text of W/"x", "x-gz" or "x-br": x. */
static struct xpd_str tag_core(struct xpd_str tag)
{
    if (tag.size >= 2 && tag.data[0] == 'W' && tag.data[1] == '/') {
        tag.data += 2;
        tag.size -= 2;
    }
    if (tag.size < 2 || tag.data[0] != '"' || tag.data[tag.size - 1] != '"')
        return (struct xpd_str){tag.data, 0};
    tag.data++;
    tag.size -= 2;
    if (xpd_str_ends(tag, "-gz") || xpd_str_ends(tag, "-br"))
        tag.size -= 3;
    return tag;
}

bool xpd_tag_matches(const char *if_none_match, const char *tag)
{
    struct xpd_str ours = tag_core(xpd_str_of(tag)), part;
    if (ours.size == 0)
        return false;
    while (next_part(&if_none_match, ',', &part))
        if (is_word(part, "*") || xpd_str_eq(tag_core(part), ours))
            return true;
    return false;
}

void xpd_tag_of(const void *bytes, size_t size, char tag[48])
{
    snprintf(tag, 48, "\"%016" PRIx64 "\"", xpd_hash(bytes, size));
}

void xpd_tag_mark(char tag[48], const char mark[2])
{
    size_t size = strlen(tag);
    if (size >= 2 && size + 4 <= 48)
        snprintf(tag + size - 1, 48 - size + 1, "-%.2s\"", mark);
}

/* ---- gzip ---- */

bool xpd_gzip(const void *bytes, size_t size, struct xpd_strbuf *out)
{
    z_stream z = {0};
    if (size > UINT32_MAX / 2 ||
        deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t room = size - size / 16; /* less than that is not worth it */
    bool done = false;
    if (xpd_strbuf_reserve(out, room)) {
        z.next_in = (Bytef *)(uintptr_t)bytes; /* zlib does not write there */
        z.avail_in = (uInt)size;
        z.next_out = (Bytef *)out->data + out->size;
        z.avail_out = (uInt)room;
        done = deflate(&z, Z_FINISH) == Z_STREAM_END;
        if (done) {
            out->size += z.total_out;
            out->data[out->size] = '\0';
        }
    }
    deflateEnd(&z);
    return done;
}

struct packing { /* a body on its way */
    struct xpd_body_source from;
    struct xpd_strbuf plain;
    z_stream z;
    bool ended;
};

static bool pack_piece(struct packing *packing, struct xpd_strbuf *out)
{
    enum { ROOM = 65536 };
    z_stream *z = &packing->z;
    z->next_in = (Bytef *)packing->plain.data;
    z->avail_in = (uInt)packing->plain.size;
    do {
        if (!xpd_strbuf_reserve(out, ROOM))
            return false;
        z->next_out = (Bytef *)out->data + out->size;
        z->avail_out = ROOM;
        (void)deflate(z, packing->ended ? Z_FINISH : Z_NO_FLUSH);
        out->size += ROOM - z->avail_out;
        out->data[out->size] = '\0';
    } while (z->avail_out == 0);
    return true;
}

/* Goes on until a piece is full enough for the compressor to give something out. */
static int next_packed(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct packing *packing = self;
    size_t before = out->size;
    while (out->size == before && !packing->ended) {
        xpd_strbuf_clear(&packing->plain);
        int rc = packing->from.next(packing->from.self, &packing->plain, err);
        if (rc != XPD_OK)
            return rc;
        packing->ended = packing->plain.size == 0;
        if (packing->plain.failed || packing->plain.size > UINT32_MAX || !pack_piece(packing, out))
            return xpd_no_memory(err, NULL, "for this answer");
    }
    return XPD_OK;
}

static void close_packed(void *self)
{
    struct packing *packing = self;
    packing->from.close(packing->from.self);
    deflateEnd(&packing->z);
    xpd_strbuf_fini(&packing->plain);
    free(packing);
}

bool xpd_gzip_source(struct xpd_body_source *source)
{
    struct packing *packing = calloc(1, sizeof *packing);
    if (!packing ||
        deflateInit2(&packing->z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packing);
        return false;
    }
    packing->from = *source;
    *source = (struct xpd_body_source){.next = next_packed, .close = close_packed, .self = packing};
    return true;
}

/* ---- answers ---- */

void xpd_respond_text(struct xpd_response *out, int status, const char *type,
                      struct xpd_strbuf *buf)
{
    static const char no_memory[] =
        "{\"error\":{\"code\":\"no_memory\",\"message\":\"not enough memory for this "
        "answer\",\"where\":\"\",\"offset\":null}}";
    *out = (struct xpd_response){.status = status, .type = type, .caching = XPD_CACHE_NEVER};
    if (buf->failed) {
        xpd_strbuf_fini(buf);
        out->status = 503;
        out->type = JSON_TYPE;
        out->body = no_memory;
        out->size = sizeof no_memory - 1;
        return;
    }
    out->owner = xpd_strbuf_take(buf, &out->size);
    out->body = out->owner;
    out->release = free;
}

void xpd_respond_error(struct xpd_response *out, int status, const struct xpd_err *err)
{
    struct xpd_strbuf buf = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &buf);
    xpd_json_error(&w, err);
    xpd_respond_text(out, status ? status : xpd_status_of(err->code), JSON_TYPE, &buf);
}

void xpd_respond_refusal(struct xpd_response *out, int status, int code, const char *where,
                         const char *text)
{
    struct xpd_err err = {0};
    xpd_fail(&err, code, where, XPD_NO_OFFSET, "%s", text);
    xpd_respond_error(out, status, &err);
}

static uint64_t percent_of(const struct xpd_load_state *state)
{
    if (state->total_bytes == 0)
        return 0;
    if (state->done_bytes >= state->total_bytes)
        return 100;
    return (uint64_t)((double)state->done_bytes / (double)state->total_bytes * 100.0);
}

void xpd_respond_loading(struct xpd_response *out, const struct xpd_load_state *state)
{
    struct xpd_strbuf buf = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &buf);
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "state", "loading");
    xpd_json_ktext(&w, "what", state->what);
    xpd_json_ku64(&w, "done_bytes", state->done_bytes);
    xpd_json_ku64(&w, "total_bytes", state->total_bytes);
    xpd_json_ku64(&w, "percent", percent_of(state));
    xpd_json_obj_end(&w);
    xpd_respond_text(out, 202, JSON_TYPE, &buf);
}

void xpd_respond_redirect(struct xpd_response *out, const char *location)
{
    *out = (struct xpd_response){
        .status = 302, .type = "text/plain; charset=utf-8", .body = "", .size = 0};
    snprintf(out->location, sizeof out->location, "%s", location);
}

void xpd_respond_if_changed(struct xpd_response *out, const struct xpd_request_headers *headers)
{
    if (out->status != 200 || !xpd_tag_matches(headers->if_none_match, out->tag))
        return;
    xpd_response_release(out);
    out->status = 304;
    out->body = "";
    out->size = 0;
    out->encoding = NULL;
    out->file_name[0] = '\0';
}

void xpd_response_release(struct xpd_response *response)
{
    if (response->release)
        response->release(response->owner);
    if (response->source.next)
        response->source.close(response->source.self);
    response->release = NULL;
    response->owner = NULL;
    response->source = (struct xpd_body_source){0};
}
