/* Writing protobuf into a buffer: fields one after another, messages inside messages. A message's
 * length is put before it when it ends; one byte is reserved for it, longer ones move the message.
 * Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_WIRE_OUT_H
#define XPROFD_SRC_HLO_WIRE_OUT_H

#include "xprofd/base/strbuf.h"

enum { XPD_VARINT_MOST = 10 };

static inline size_t xpd_out_encode(char *to, uint64_t value)
{
    size_t n = 0;
    for (; value >= 128; value >>= 7)
        to[n++] = (char)(uint8_t)(value | 128);
    to[n++] = (char)(uint8_t)value;
    return n;
}

static inline size_t xpd_out_varint_size(uint64_t value)
{
    return value < 128 ? 1 : ((size_t)(63 - __builtin_clzll(value)) / 7) + 1;
}

static inline void xpd_out_varint(struct xpd_strbuf *out, uint64_t value)
{
    if (value < 128) {
        xpd_strbuf_putc(out, (char)value);
        return;
    }
    char bytes[XPD_VARINT_MOST];
    size_t n = xpd_out_encode(bytes, value);
    xpd_strbuf_add(out, bytes, n);
}

static inline void xpd_out_tag(struct xpd_strbuf *out, uint32_t field, uint32_t wire_type)
{
    xpd_out_varint(out, (uint64_t)field << 3 | wire_type);
}

static inline void xpd_out_int(struct xpd_strbuf *out, uint32_t field, int64_t value)
{
    xpd_out_tag(out, field, 0);
    xpd_out_varint(out, (uint64_t)value);
}

static inline void xpd_out_text(struct xpd_strbuf *out, uint32_t field, struct xpd_str text)
{
    xpd_out_tag(out, field, 2);
    xpd_out_varint(out, text.size);
    xpd_strbuf_add(out, text.data, text.size);
}

static inline void xpd_out_fixed64(struct xpd_strbuf *out, uint32_t field, uint64_t bits)
{
    xpd_out_tag(out, field, 1);
    xpd_strbuf_add(out, &bits, sizeof bits);
}

static inline void xpd_out_double(struct xpd_strbuf *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    xpd_out_fixed64(out, field, bits);
}

static inline void xpd_out_float(struct xpd_strbuf *out, uint32_t field, float value)
{
    xpd_out_tag(out, field, 5);
    xpd_strbuf_add(out, &value, sizeof value);
}

/* Begins a message (or packed numbers) and returns its position for xpd_out_end. */
static inline size_t xpd_out_begin(struct xpd_strbuf *out, uint32_t field)
{
    xpd_out_tag(out, field, 2);
    xpd_strbuf_putc(out, 0);
    return out->size;
}

static inline void xpd_out_end(struct xpd_strbuf *out, size_t begin)
{
    if (out->failed)
        return;
    size_t size = out->size - begin, more = xpd_out_varint_size(size) - 1;
    if (more != 0) {
        static const char room[XPD_VARINT_MOST];
        xpd_strbuf_add(out, room, more);
        if (out->failed)
            return;
        memmove(out->data + begin + more, out->data + begin, size);
    }
    (void)xpd_out_encode(out->data + begin - 1, size);
}

#endif
