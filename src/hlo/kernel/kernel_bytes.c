/* What MLIR bytecode is made of: numbers, counts, strings. In: bytes. Out: values, and text of what
 * is no text. */
#include "kernel_internal.h"

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
