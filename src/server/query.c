/* Decodes paths and queries. In: raw bytes of the request line. Out: names and values, or a
 * sentence about what is wrong with them. */
#include "query.h"

#include <inttypes.h>
#include <stdlib.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* The byte of "%XX" at text[at], or -1. */
static int escaped_byte(struct xpd_str text, size_t at)
{
    if (text.size - at < 3)
        return -1;
    int high = hex_digit(text.data[at + 1]), low = hex_digit(text.data[at + 2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

int xpd_percent_decode(struct xpd_arena *arena, struct xpd_str text, bool plus_is_space,
                       struct xpd_str *out, struct xpd_err *err)
{
    *out = XPD_STR("");
    char *to = xpd_arena_bytes(arena, text.size + 1);
    if (!to)
        return xpd_no_memory(err, NULL, "for the request");
    size_t used = 0;
    for (size_t at = 0; at < text.size; at++) {
        int byte = (unsigned char)text.data[at];
        if (byte == '%') {
            byte = escaped_byte(text, at);
            if (byte < 0)
                return xpd_fail(err, XPD_EINVAL, "url", XPD_NO_OFFSET,
                                "the URL has a %% without two hexadecimal digits after it");
            at += 2;
        } else if (byte == '+' && plus_is_space) {
            byte = ' ';
        }
        if (byte == 0)
            return xpd_fail(err, XPD_EINVAL, "url", XPD_NO_OFFSET, "the URL has a NUL byte");
        to[used++] = (char)byte;
    }
    to[used] = '\0';
    *out = (struct xpd_str){to, used};
    return XPD_OK;
}

static int add_param(struct xpd_arena *arena, struct xpd_str part, struct xpd_query *out,
                     struct xpd_err *err)
{
    if (out->count == XPD_QUERY_MAX_PARAMS)
        return xpd_fail(err, XPD_ELIMIT, "url", XPD_NO_OFFSET,
                        "the URL has more than %d parameters", XPD_QUERY_MAX_PARAMS);
    const char *equals = memchr(part.data, '=', part.size);
    size_t name_size = equals ? (size_t)(equals - part.data) : part.size;
    struct xpd_str name = {part.data, name_size};
    struct xpd_str value =
        equals ? (struct xpd_str){equals + 1, part.size - name_size - 1} : XPD_STR("");
    struct xpd_param *param = &out->param[out->count];
    int rc = xpd_percent_decode(arena, name, true, &param->name, err);
    if (rc == XPD_OK)
        rc = xpd_percent_decode(arena, value, true, &param->value, err);
    if (rc == XPD_OK)
        out->count++;
    return rc;
}

int xpd_query_decode(struct xpd_arena *arena, struct xpd_str text, struct xpd_query *out,
                     struct xpd_err *err)
{
    out->count = 0;
    while (text.size > 0) {
        const char *end = memchr(text.data, '&', text.size);
        size_t size = end ? (size_t)(end - text.data) : text.size;
        if (size > 0) {
            int rc = add_param(arena, (struct xpd_str){text.data, size}, out, err);
            if (rc != XPD_OK)
                return rc;
        }
        size_t skip = end ? size + 1 : size;
        text.data += skip;
        text.size -= skip;
    }
    return XPD_OK;
}

struct xpd_str xpd_query_get(const struct xpd_query *query, const char *name)
{
    for (uint32_t i = 0; i < query->count; i++)
        if (xpd_str_eq(query->param[i].name, xpd_str_of(name)))
            return query->param[i].value;
    return XPD_STR("");
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_param *const *left = a, *const *right = b;
    struct xpd_str x = (*left)->name, y = (*right)->name;
    int order = xpd_str_order(x, y);
    if (order != 0)
        return order;
    return *left < *right ? -1 : *left > *right; /* the first one sent counts */
}

static void put_text(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_u64(out, text.size);
    xpd_strbuf_putc(out, ':');
    xpd_strbuf_add(out, text.data, text.size);
}

void xpd_query_canonical(const struct xpd_query *query, struct xpd_strbuf *out)
{
    const struct xpd_param *sorted[XPD_QUERY_MAX_PARAMS];
    for (uint32_t i = 0; i < query->count; i++)
        sorted[i] = &query->param[i];
    qsort(sorted, query->count, sizeof *sorted, by_name);
    for (uint32_t i = 0; i < query->count; i++) {
        if (i > 0 && xpd_str_eq(sorted[i]->name, sorted[i - 1]->name))
            continue;
        put_text(out, sorted[i]->name);
        put_text(out, sorted[i]->value);
    }
}
