/* Growable byte string with a sticky failure: append freely, test `failed` once at the end. */
#ifndef XPROFD_BASE_STRBUF_H
#define XPROFD_BASE_STRBUF_H

#include "xprofd/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct xpd_strbuf {
    char *data; /* NUL-terminated whenever not NULL */
    size_t size, capacity;
    size_t limit_bytes; /* 0 = none; set before the first append: past it appends are refused and
                           `failed` is set */
    bool failed;
};

void xpd_strbuf_fini(struct xpd_strbuf *buf); /* may be called on a zeroed buffer */
void xpd_strbuf_clear(struct xpd_strbuf *buf);
/* Makes room for n more bytes; false when it cannot. */
bool xpd_strbuf_reserve(struct xpd_strbuf *buf, size_t n);
void xpd_strbuf_add_slow(struct xpd_strbuf *buf, const void *bytes, size_t n);
void xpd_strbuf_i64(struct xpd_strbuf *buf, int64_t value);
void xpd_strbuf_u64(struct xpd_strbuf *buf, uint64_t value);
/* The fewest digits of %.15g, %.16g and %.17g that read back equal. */
void xpd_strbuf_double(struct xpd_strbuf *buf, double value);
/* All values, separated by commas. */
void xpd_strbuf_i64_list(struct xpd_strbuf *buf, const int64_t *value, size_t count);
void xpd_strbuf_printf(struct xpd_strbuf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Inline, because texts are appended a few bytes at a time, millions of
 * times. */
static inline void xpd_strbuf_add(struct xpd_strbuf *buf, const void *bytes, size_t n)
{
    if (buf->failed || n >= buf->capacity - buf->size) {
        xpd_strbuf_add_slow(buf, bytes, n);
        return;
    }
    if (n != 0)
        memcpy(buf->data + buf->size, bytes, n);
    buf->size += n;
    buf->data[buf->size] = '\0';
}

static inline void xpd_strbuf_puts(struct xpd_strbuf *buf, const char *text)
{
    xpd_strbuf_add(buf, text, strlen(text));
}

static inline void xpd_strbuf_putc(struct xpd_strbuf *buf, char c)
{
    if (buf->failed || buf->capacity - buf->size <= 1) {
        xpd_strbuf_add_slow(buf, &c, 1);
        return;
    }
    buf->data[buf->size++] = c;
    buf->data[buf->size] = '\0';
}

/* A copy of the contents in the arena, "" if empty. Clears the buffer, which must still be freed. A
 * failed buffer fails the arena. */
struct xpd_str xpd_strbuf_keep(struct xpd_strbuf *buf, struct xpd_arena *arena);
/* Hands the bytes over (free() them); the buffer is empty afterwards. */
char *xpd_strbuf_take(struct xpd_strbuf *buf, size_t *size);

#endif
