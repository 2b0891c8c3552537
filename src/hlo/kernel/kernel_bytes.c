/* Primitives of MLIR bytecode: numbers, counts, strings. In: bytes. Out: values, and escaped text
 * of binary data. */
#include "kernel_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t xpd_mlir_int(struct xpd_mlir_bytes *from)
{
    uint64_t value = 0;
    if (from->at == from->end || from->failed) {
        from->failed = true;
        return 0;
    }
    unsigned first = *from->at, more = first ? (unsigned)__builtin_ctz(first) : 8;
    if ((size_t)(from->end - from->at) < more + 1) {
        from->failed = true;
        return 0;
    }
    /* Zero bits at the low end count the bytes that follow; of eight, the first byte is only that.
     */
    for (unsigned i = first ? 0 : 1; i <= more; i++)
        value |= (uint64_t)from->at[i] << (8 * (first ? i : i - 1));
    from->at += more + 1;
    return first ? value >> (more + 1) : value;
}

int64_t xpd_mlir_signed(struct xpd_mlir_bytes *from)
{
    uint64_t value = xpd_mlir_int(from);
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

uint32_t xpd_mlir_count(struct xpd_mlir_bytes *from)
{
    enum { COUNT_MOST = 1 << 20 };
    uint64_t count = xpd_mlir_int(from);
    if (count > (uint64_t)(from->end - from->at) || count > COUNT_MOST)
        from->failed = true;
    return from->failed ? 0 : (uint32_t)count;
}

struct xpd_str xpd_mlir_string(const struct xpd_mlir *m, uint64_t index)
{
    return index < m->string_count ? m->string[index] : XPD_STR("?");
}

void xpd_mlir_put(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 32 && c < 127)
            xpd_strbuf_putc(out, (char)c);
        else
            xpd_strbuf_printf(out, "\\%02X", c);
    }
}

/* Numbers as MLIR prints them. Floating point: six digits with an exponent when they are the number
 * exactly, else as many as the type needs, else its bits. In: bits. Out: text. */

static double float_of(struct xpd_mlir_number number, uint64_t bits)
{
    if (number.bits == 64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (number.bits == 32 || number.kind == 'b') {
        uint32_t word = (uint32_t)(number.kind == 'b' ? bits << 16 : bits);
        float value;
        memcpy(&value, &word, sizeof value);
        return (double)value;
    }
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024;
    double size = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(fraction, -14)
                                  : ldexp(1 + fraction, exponent - 15);
    return bits >> 15 & 1 ? -size : size;
}

/* Whether the type has no number nearer to `text` than `value`. */
static bool is_exact(struct xpd_mlir_number number, const char *text, double value)
{
    if (number.bits == 64)
        return strtod(text, NULL) == value;
    if (number.bits == 32)
        return (double)strtof(text, NULL) == value;
    double back = strtod(text, NULL), digits = number.kind == 'b' ? 8 : 11;
    if (value == 0)
        return back == 0;
    /* within half of the last place */
    double step = ldexp(1, ilogb(value) + 1 - (int)digits);
    return fabs(back - value) < step / 2;
}

/* Digits as LLVM's APFloat writes them by default: plain up to three places of padding. */
static void put_digits(struct xpd_strbuf *out, double value, int precision)
{
    char text[64], digits[40];
    int exponent = 0, count = 0;
    snprintf(text, sizeof text, "%.*e", precision - 1, fabs(value));
    for (const char *at = text; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9' && count < (int)sizeof digits - 1)
            digits[count++] = *at;
    const char *e = strchr(text, 'e');
    exponent = e ? atoi(e + 1) : 0; /* of the first digit */
    while (count > 1 && digits[count - 1] == '0')
        count--;
    digits[count] = '\0';
    if (value < 0)
        xpd_strbuf_putc(out, '-');
    if (exponent < -3 || exponent >= precision || exponent - count + 1 > 3) {
        xpd_strbuf_printf(out, "%c.%sE%+d", digits[0], count > 1 ? digits + 1 : "0", exponent);
    } else if (exponent < 0) {
        xpd_strbuf_puts(out, "0.");
        for (int i = -1; i > exponent; i--)
            xpd_strbuf_putc(out, '0');
        xpd_strbuf_puts(out, digits);
    } else {
        for (int i = 0; i < count || i <= exponent; i++) {
            xpd_strbuf_putc(out, i < count ? digits[i] : '0');
            if (i == exponent && i + 1 < count)
                xpd_strbuf_putc(out, '.');
        }
    }
}

static void put_float(struct xpd_strbuf *out, struct xpd_mlir_number number, uint64_t bits)
{
    double value = float_of(number, bits);
    char text[64];
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.5e", value);
        if (is_exact(number, text, value)) { /* six digits, and a seventh that is 0 */
            char *e = strchr(text, 'e');
            xpd_strbuf_printf(out, "%.*s0%s", e ? (int)(e - text) : 0, text, e ? e : "");
            return;
        }
        size_t before = out->size;
        int precision = number.bits == 64 ? 17 : number.bits == 32 ? 9 : number.kind == 'b' ? 4 : 5;
        put_digits(out, value, precision);
        if (memchr(out->data + before, '.', out->size - before))
            return;
        out->size = before;
    }
    xpd_strbuf_printf(out, "0x%llX", (unsigned long long)bits);
}

void xpd_mlir_put_number(struct xpd_strbuf *out, struct xpd_mlir_number number, uint64_t bits)
{
    if (number.bits < 64)
        bits &= (UINT64_C(1) << number.bits) - 1;
    if (number.kind == 'f' || number.kind == 'b') {
        put_float(out, number, bits);
    } else if (number.bits == 1 && number.kind != 'x') {
        xpd_strbuf_puts(out, bits ? "true" : "false");
    } else if (number.kind == 'u') {
        xpd_strbuf_u64(out, bits);
    } else {
        uint64_t sign = number.bits && number.bits < 64 ? UINT64_C(1) << (number.bits - 1) : 0;
        xpd_strbuf_i64(out, (int64_t)((bits ^ sign) - sign));
    }
}

/* The attributes and types of MLIR bytecode: where each lies, and those that are text. In: the
 * sections. Out: entries. */

/* Groups of a dialect: its number, how many entries, of each its size and whether it is encoded. */
void xpd_mlir_read_entries(struct xpd_mlir *m)
{
    struct xpd_mlir_bytes from = m->section[XPD_MLIR_OFFSETS], in = m->section[XPD_MLIR_ENTRIES];
    if (!from.at || !in.at)
        return;
    uint64_t attributes = xpd_mlir_int(&from), types = xpd_mlir_int(&from), at = 0;
    uint64_t most = (uint64_t)(from.end - from.at);
    if (from.failed || attributes > most || types > most - attributes) {
        m->cut = true;
        return;
    }
    struct xpd_mlir_entry *entry =
        XPD_NEW_ARRAY(m->arena, struct xpd_mlir_entry, attributes + types + 1);
    while (entry && at < attributes + types && !from.failed) {
        uint64_t dialect = xpd_mlir_int(&from), count = xpd_mlir_int(&from);
        for (uint64_t i = 0; i < count && at < attributes + types && !from.failed; i++) {
            uint64_t head = xpd_mlir_int(&from), size = head >> 1;
            if (from.failed || size > (uint64_t)(in.end - in.at)) {
                from.failed = true;
                break;
            }
            entry[at++] = (struct xpd_mlir_entry){
                .bytes = {in.at, in.at + size, false},
                .dialect = dialect < m->dialect_count ? m->dialect[dialect] : XPD_STR("?"),
                .encoded = head & 1};
            in.at += size;
        }
    }
    m->attribute = entry;
    m->attribute_count = entry ? (uint32_t)(at < attributes ? at : attributes) : 0;
    m->type = entry ? entry + attributes : NULL;
    m->type_count = entry && at > attributes ? (uint32_t)(at - attributes) : 0;
    m->cut = m->cut || from.failed;
}

void xpd_mlir_put_entry(struct xpd_strbuf *out, struct xpd_mlir *m,
                        const struct xpd_mlir_entry *entry, const char *prefix)
{
    if (!entry) {
        xpd_strbuf_printf(out, "%s?", prefix);
        m->unknown++;
    } else if (entry->encoded) {
        xpd_strbuf_puts(out, prefix);
        xpd_mlir_put(out, entry->dialect);
        xpd_strbuf_printf(out, "<%zu bytes>", (size_t)(entry->bytes.end - entry->bytes.at));
        m->unknown++;
    } else { /* with a NUL behind it */
        size_t size = (size_t)(entry->bytes.end - entry->bytes.at);
        const char *text = (const char *)entry->bytes.at;
        xpd_mlir_put(out, (struct xpd_str){text, size && text[size - 1] == '\0' ? size - 1 : size});
    }
}
