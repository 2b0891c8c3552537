/* Streaming JSON writer.
 *
 * In: values in order. Out: JSON text, always valid UTF-8 and safe inside a page. Invariants: depth
 * counts the open objects and arrays; need_comma[depth] says that something precedes on this level.
 * Failure is that of the buffer: sticky, tested by the caller once at the end. */
#include "xprofd/json/writer.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXACT_IN_DOUBLE (INT64_C(1) << 53)

void xpd_jsonw_init(struct xpd_jsonw *w, struct xpd_strbuf *out)
{
    *w = (struct xpd_jsonw){.out = out};
}

/* Before any value: a comma, or nothing after a key. */
static inline void before_value(struct xpd_jsonw *w)
{
    if (w->after_key)
        w->after_key = false;
    else if (w->need_comma[w->depth])
        xpd_strbuf_putc(w->out, ',');
    w->need_comma[w->depth] = true;
}

static void begin(struct xpd_jsonw *w, char bracket)
{
    assert(w->depth < XPD_JSON_DEPTH);
    before_value(w);
    if (w->depth >= XPD_JSON_DEPTH) { /* without asserts: no answer rather than a write outside */
        w->out->failed = true;
        return;
    }
    w->need_comma[++w->depth] = false;
    xpd_strbuf_putc(w->out, bracket);
}

static void end(struct xpd_jsonw *w, char bracket)
{
    assert(w->depth > 0 && !w->after_key);
    if (w->depth == 0) {
        w->out->failed = true;
        return;
    }
    w->depth--;
    xpd_strbuf_putc(w->out, bracket);
}

void xpd_json_obj(struct xpd_jsonw *w)
{
    begin(w, '{');
}

void xpd_json_obj_end(struct xpd_jsonw *w)
{
    end(w, '}');
}

void xpd_json_arr(struct xpd_jsonw *w)
{
    begin(w, '[');
}

void xpd_json_arr_end(struct xpd_jsonw *w)
{
    end(w, ']');
}

/* ---- text ---- */

void xpd_json_key(struct xpd_jsonw *w, const char *key)
{
    assert(w->depth > 0 && !w->after_key);
    if (w->need_comma[w->depth])
        xpd_strbuf_putc(w->out, ',');
    w->need_comma[w->depth] = true;
    xpd_json_quote(w->out, key, strlen(key));
    xpd_strbuf_putc(w->out, ':');
    w->after_key = true;
}

/* Comma, quotes and a short text without anything to escape in one go: names, mostly. */
static bool put_plain(struct xpd_jsonw *w, struct xpd_str text)
{
    enum { SHORT = 256 };
    struct xpd_strbuf *out = w->out;
    if (text.size > SHORT || out->failed || out->capacity - out->size < text.size + 4)
        return false;
    if (!xpd_json_is_plain(text.data, text.size))
        return false;
    char *at = out->data + out->size;
    if (w->after_key)
        w->after_key = false;
    else if (w->need_comma[w->depth])
        *at++ = ',';
    w->need_comma[w->depth] = true;
    *at++ = '"';
    if (text.size != 0)
        memcpy(at, text.data, text.size);
    at += text.size;
    *at++ = '"';
    *at = '\0';
    out->size = (size_t)(at - out->data);
    return true;
}

void xpd_json_str(struct xpd_jsonw *w, struct xpd_str text)
{
    if (put_plain(w, text))
        return;
    before_value(w);
    xpd_json_quote(w->out, text.size ? text.data : "", text.size);
}

void xpd_json_text(struct xpd_jsonw *w, const char *text)
{
    if (text)
        xpd_json_str(w, xpd_str_of(text));
    else
        xpd_json_null(w);
}

/* ---- numbers and words ---- */

void xpd_json_i64_string(struct xpd_jsonw *w, int64_t value)
{
    before_value(w);
    xpd_strbuf_putc(w->out, '"');
    xpd_strbuf_i64(w->out, value);
    xpd_strbuf_putc(w->out, '"');
}

void xpd_json_u64_string(struct xpd_jsonw *w, uint64_t value)
{
    before_value(w);
    xpd_strbuf_putc(w->out, '"');
    xpd_strbuf_u64(w->out, value);
    xpd_strbuf_putc(w->out, '"');
}

/* Comma, sign and digits at once where there is room for any number: columns are made of these. */
static inline bool put_number(struct xpd_jsonw *w, uint64_t magnitude, bool negative)
{
    enum { ROOM = 32 };
    struct xpd_strbuf *out = w->out;
    char text[ROOM];
    if (out->failed || out->capacity - out->size < ROOM + 1)
        return false;
    char *start = text + 20, *at = out->data + out->size;
    do
        *--start = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) != 0);
    if (w->after_key)
        w->after_key = false;
    else if (w->need_comma[w->depth])
        *at++ = ',';
    w->need_comma[w->depth] = true;
    if (negative)
        *at++ = '-';
    size_t digits = (size_t)(text + 20 - start);
    memcpy(at, start, digits);
    at += digits;
    *at = '\0';
    out->size = (size_t)(at - out->data);
    return true;
}

void xpd_json_i64(struct xpd_jsonw *w, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value > EXACT_IN_DOUBLE || value < -EXACT_IN_DOUBLE) {
        xpd_json_i64_string(w, value);
        return;
    }
    if (put_number(w, magnitude, value < 0))
        return;
    before_value(w);
    xpd_strbuf_i64(w->out, value);
}

void xpd_json_u64(struct xpd_jsonw *w, uint64_t value)
{
    if (value > (uint64_t)EXACT_IN_DOUBLE) {
        xpd_json_u64_string(w, value);
        return;
    }
    if (put_number(w, value, false))
        return;
    before_value(w);
    xpd_strbuf_u64(w->out, value);
}

void xpd_json_double(struct xpd_jsonw *w, double value)
{
    if (!isfinite(value)) {
        xpd_json_null(w);
        return;
    }
    before_value(w);
    xpd_strbuf_double(w->out, value);
}

void xpd_json_bool(struct xpd_jsonw *w, bool value)
{
    before_value(w);
    if (value)
        xpd_strbuf_add(w->out, "true", 4);
    else
        xpd_strbuf_add(w->out, "false", 5);
}

void xpd_json_null(struct xpd_jsonw *w)
{
    before_value(w);
    xpd_strbuf_add(w->out, "null", 4);
}

/* ---- key and value ---- */

void xpd_json_kstr(struct xpd_jsonw *w, const char *key, struct xpd_str text)
{
    xpd_json_key(w, key);
    xpd_json_str(w, text);
}

void xpd_json_ktext(struct xpd_jsonw *w, const char *key, const char *text)
{
    xpd_json_key(w, key);
    xpd_json_text(w, text);
}

void xpd_json_ki64(struct xpd_jsonw *w, const char *key, int64_t value)
{
    xpd_json_key(w, key);
    xpd_json_i64(w, value);
}

void xpd_json_ku64(struct xpd_jsonw *w, const char *key, uint64_t value)
{
    xpd_json_key(w, key);
    xpd_json_u64(w, value);
}

void xpd_json_kdouble(struct xpd_jsonw *w, const char *key, double value)
{
    xpd_json_key(w, key);
    xpd_json_double(w, value);
}

void xpd_json_kbool(struct xpd_jsonw *w, const char *key, bool value)
{
    xpd_json_key(w, key);
    xpd_json_bool(w, value);
}

void xpd_json_knull(struct xpd_jsonw *w, const char *key)
{
    xpd_json_key(w, key);
    xpd_json_null(w);
}

void xpd_json_col_i64(struct xpd_jsonw *w, const char *key, const int64_t *at, size_t count)
{
    enum { AT_ONCE = 64 }; /* a known number, which compilers make instructions for several of */
    uint64_t bits = 0;     /* of all magnitudes, those of negative numbers less one */
    size_t next = 0;
    for (; count - next >= AT_ONCE; next += AT_ONCE)
        for (size_t i = next; i < next + AT_ONCE; i++)
            bits |= (uint64_t)(at[i] ^ (at[i] >> 63));
    for (; next < count; next++)
        bits |= (uint64_t)(at[next] ^ (at[next] >> 63));
    bool small = bits < (uint64_t)EXACT_IN_DOUBLE; /* none must become a string */
    xpd_json_key(w, key);
    xpd_json_arr(w);
    if (small)
        xpd_strbuf_i64_list(w->out, at, count);
    for (size_t i = 0; !small && i < count; i++)
        xpd_json_i64(w, at[i]);
    xpd_json_arr_end(w);
}

void xpd_json_col_u32(struct xpd_jsonw *w, const char *key, const uint32_t *at, size_t count)
{
    enum { PIECE = 256 };
    int64_t piece[PIECE];
    xpd_json_key(w, key);
    xpd_json_arr(w);
    for (size_t i = 0; i < count; i += PIECE) {
        size_t n = count - i < PIECE ? count - i : PIECE;
        for (size_t k = 0; k < n; k++)
            piece[k] = at[i + k];
        if (i > 0)
            xpd_strbuf_putc(w->out, ',');
        xpd_strbuf_i64_list(w->out, piece, n);
    }
    xpd_json_arr_end(w);
}

void xpd_json_raw(struct xpd_jsonw *w, struct xpd_str json)
{
    before_value(w);
    xpd_strbuf_add(w->out, json.data, json.size);
}
