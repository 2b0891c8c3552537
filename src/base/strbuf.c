/* Growable byte string.
 *
 * In: pieces of text. Out: one NUL-terminated string. Invariants: size < capacity while data is not
 * NULL, data[size] is NUL, capacity <= limit_bytes + 1 when there is a limit: what fits into the
 * capacity keeps the limit. An append that cannot be done
 * whole adds nothing and sets `failed`; from then on all appends are refused, until clear. */
#include "xprofd/base/strbuf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xpd_strbuf_fini(struct xpd_strbuf *buf)
{
    free(buf->data);
    buf->data = NULL;
    buf->size = buf->capacity = 0;
    buf->failed = false;
}

void xpd_strbuf_clear(struct xpd_strbuf *buf)
{
    buf->size = 0;
    buf->failed = false;
    if (buf->data)
        buf->data[0] = '\0';
}

static bool grow(struct xpd_strbuf *buf, size_t need)
{
    size_t capacity = buf->capacity < 256 ? 256 : buf->capacity;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    if (buf->limit_bytes != 0 && capacity - 1 > buf->limit_bytes)
        capacity = buf->limit_bytes + 1;
    char *data = realloc(buf->data, capacity);
    if (!data && capacity > need) /* doubling was too much: the least may still be there */
        data = realloc(buf->data, capacity = need);
    if (!data)
        return false;
    xpd_prefer_huge_pages(data, capacity);
    if (!buf->data)
        data[0] = '\0';
    buf->data = data;
    buf->capacity = capacity;
    return true;
}

bool xpd_strbuf_reserve(struct xpd_strbuf *buf, size_t n)
{
    if (buf->failed)
        return false;
    if (n < buf->capacity - buf->size)
        return true;
    bool fits = n < PTRDIFF_MAX - buf->size &&
                (buf->limit_bytes == 0 ||
                 (buf->size <= buf->limit_bytes && n <= buf->limit_bytes - buf->size));
    if (fits && grow(buf, buf->size + n + 1))
        return true;
    buf->failed = true;
    return false;
}

void xpd_strbuf_add_slow(struct xpd_strbuf *buf, const void *bytes, size_t n)
{
    if (!xpd_strbuf_reserve(buf, n))
        return;
    if (n != 0)
        memcpy(buf->data + buf->size, bytes, n);
    buf->size += n;
    buf->data[buf->size] = '\0';
}

static const char pairs[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/* Writes the digits before `end`, two at a time, and returns where they start. */
static inline char *digits_before(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + 2 * value, 2);
    } else {
        *--end = (char)('0' + value);
    }
    return end;
}

/* Writes the digits at `at` and returns their end. Columns are mostly of small numbers; for others
 * WIDE bytes at `at` may be written. */
enum { WIDE = 20 };
static inline char *digits_at(char *at, uint64_t value)
{
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 100) {
        memcpy(at, pairs + 2 * value, 2);
        return at + 2;
    }
    if (value < 10000) {
        uint32_t high = (uint32_t)value / 100, low = (uint32_t)value % 100, one = high < 10;
        at[0] = pairs[2 * high + one]; /* of "07" the second */
        at[1] = pairs[2 * high + 1];
        at += 2 - one;
        memcpy(at, pairs + 2 * low, 2);
        return at + 2;
    }
    char text[2 * WIDE];
    const char *start = digits_before(text + WIDE, value);
    memcpy(at, start, WIDE); /* more than the digits: a copy of known size */
    return at + (text + WIDE - start);
}

void xpd_strbuf_u64(struct xpd_strbuf *buf, uint64_t value)
{
    char text[20];
    char *start = digits_before(text + sizeof text, value);
    xpd_strbuf_add(buf, start, (size_t)(text + sizeof text - start));
}

void xpd_strbuf_i64(struct xpd_strbuf *buf, int64_t value)
{
    char text[21];
    /* 0 - value in unsigned arithmetic: INT64_MIN has no positive counterpart. */
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char *start = digits_before(text + sizeof text, magnitude);
    if (value < 0)
        *--start = '-';
    xpd_strbuf_add(buf, start, (size_t)(text + sizeof text - start));
}

void xpd_strbuf_double(struct xpd_strbuf *buf, double value)
{
    /* Whole numbers of up to 15 digits are what %.15g would write; -0 keeps its sign below. */
    if (fabs(value) < 1e15 && trunc(value) == value && !(value == 0 && signbit(value))) {
        xpd_strbuf_i64(buf, (int64_t)value);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (char *comma = text; *comma; comma++)
        if (*comma == ',') /* a library may have set another locale */
            *comma = '.';
    xpd_strbuf_puts(buf, text);
}

/* Reserves memory once for many numbers. Near a limit they are appended one by one, so that only
 * those beyond it are refused. */
void xpd_strbuf_i64_list(struct xpd_strbuf *buf, const int64_t *value, size_t count)
{
    enum { PIECE = 256, WIDEST = 2 + WIDE };
    for (size_t i = 0; i < count;) {
        size_t end = count - i < PIECE ? count : i + PIECE;
        bool roomy = !buf->failed &&
                     (buf->limit_bytes == 0 || (buf->size <= buf->limit_bytes &&
                                                buf->limit_bytes - buf->size > PIECE * WIDEST));
        if (!roomy || !xpd_strbuf_reserve(buf, PIECE * WIDEST)) {
            for (; i < end; i++) {
                if (i > 0)
                    xpd_strbuf_putc(buf, ',');
                xpd_strbuf_i64(buf, value[i]);
            }
            continue;
        }
        char *at = buf->data + buf->size;
        for (; i < end; i++) {
            uint64_t magnitude = value[i] < 0 ? 0 - (uint64_t)value[i] : (uint64_t)value[i];
            *at = ',';
            at += i > 0;
            *at = '-';
            at += value[i] < 0;
            at = digits_at(at, magnitude);
        }
        buf->size = (size_t)(at - buf->data);
        buf->data[buf->size] = '\0';
    }
}

void xpd_strbuf_printf(struct xpd_strbuf *buf, const char *fmt, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int size = vsnprintf(small, sizeof small, fmt, args);
    if (size < 0) {
        buf->failed = true;
    } else if ((size_t)size < sizeof small) {
        xpd_strbuf_add(buf, small, (size_t)size);
    } else if (xpd_strbuf_reserve(buf, (size_t)size)) {
        vsnprintf(buf->data + buf->size, (size_t)size + 1, fmt, again);
        buf->size += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

struct xpd_str xpd_strbuf_keep(struct xpd_strbuf *buf, struct xpd_arena *arena)
{
    struct xpd_str kept = xpd_arena_str(arena, (struct xpd_str){buf->data, buf->size});
    arena->failed |= buf->failed;
    xpd_strbuf_clear(buf);
    return kept;
}

char *xpd_strbuf_take(struct xpd_strbuf *buf, size_t *size)
{
    /* NULL, never a part, after a failure; `failed` stays for the caller to see. */
    char *data = NULL;
    if (!buf->failed && xpd_strbuf_reserve(buf, 0))
        data = buf->data;
    else
        free(buf->data);
    if (size)
        *size = data ? buf->size : 0;
    buf->data = NULL;
    buf->size = buf->capacity = 0;
    return data;
}
