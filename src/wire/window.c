/* Sequential wire reading through a window.
 *
 * In: a source of any size. Out: field headers at byte offsets, payloads on request. Invariants:
 * the buffer holds the bytes [buffer_offset, buffer_offset + buffer_size) of the file; offset is
 * where the next header starts. A refill starts where it is needed: what a skip jumped over is not
 * read. */
#include "xprofd/wire/window.h"

#include "xprofd/wire/cursor.h"
#include <stdlib.h>
#include <string.h>

/* First read after a jump. It doubles as long as reading goes on forward: a file of large payloads
 * costs a small read per payload, a file of small fields large reads. */
#define FIRST_FILL ((size_t)64 << 10)
/* And the largest one for what is read on and on: the bytes are still in the cache of the core when
 * they are looked at. */
#define LARGEST_FILL ((size_t)256 << 10)

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

int xpd_window_init(struct xpd_window *window, const struct xpd_source *source, struct xpd_err *err)
{
    *window = (struct xpd_window){.source = source};
    if (xpd_source_memory(source))
        return XPD_OK;
    window->buffer = malloc(XPD_WINDOW_BYTES);
    if (!window->buffer)
        return xpd_no_memory(err, xpd_source_name(source), "for a window of %u bytes",
                             XPD_WINDOW_BYTES);
    return XPD_OK;
}

void xpd_window_fini(struct xpd_window *window)
{
    free(window->buffer);
    *window = (struct xpd_window){0};
}

static inline bool holds(const struct xpd_window *window, uint64_t offset, size_t size)
{
    return offset >= window->buffer_offset &&
           offset - window->buffer_offset <= window->buffer_size &&
           size <= window->buffer_size - (offset - window->buffer_offset);
}

/* Makes the buffer start at `offset` and hold at least `size` bytes; the file has them. */
static int refill(struct xpd_window *window, uint64_t offset, size_t size, struct xpd_err *err)
{
    size_t wanted = FIRST_FILL, kept = 0;
    if (holds(window, offset, 0)) { /* reading on: keep the tail and double */
        wanted = 2 * window->buffer_size;
        kept = (size_t)(window->buffer_offset + window->buffer_size - offset);
        memmove(window->buffer, window->buffer + (window->buffer_size - kept), kept);
    }
    if (wanted < FIRST_FILL)
        wanted = FIRST_FILL;
    if (wanted > LARGEST_FILL)
        wanted = LARGEST_FILL;
    if (wanted < size)
        wanted = size;
    if (wanted > XPD_WINDOW_BYTES)
        wanted = XPD_WINDOW_BYTES;
    uint64_t left = xpd_source_size(window->source) - offset;
    if (wanted > left)
        wanted = (size_t)left;
    window->buffer_offset = offset;
    window->buffer_size = kept;
    int rc =
        xpd_source_read(window->source, offset + kept, window->buffer + kept, wanted - kept, err);
    if (rc != XPD_OK)
        return rc;
    window->buffer_size = wanted;
    window->read_bytes += wanted - kept;
    return XPD_OK;
}

int xpd_window_peek(struct xpd_window *window, uint64_t offset, size_t size, const uint8_t **bytes,
                    struct xpd_err *err)
{
    const char *name = xpd_source_name(window->source);
    uint64_t file_size = xpd_source_size(window->source);
    if (size > XPD_WINDOW_BYTES)
        return xpd_fail(err, XPD_EINVAL, name, offset, "%zu bytes do not fit a window of %u.", size,
                        XPD_WINDOW_BYTES);
    if (offset > file_size || size > file_size - offset)
        return xpd_fail(err, XPD_EFORMAT, name, offset,
                        "The file ends at byte %llu, before the %zu bytes that should be here.",
                        (unsigned long long)file_size, size);
    const uint8_t *memory = xpd_source_memory(window->source);
    if (memory) {
        *bytes = memory + offset;
        return XPD_OK;
    }
    if (!holds(window, offset, size)) {
        int rc = refill(window, offset, size, err);
        if (rc != XPD_OK)
            return rc;
    }
    *bytes = window->buffer + (offset - window->buffer_offset);
    return XPD_OK;
}

int xpd_window_span(struct xpd_window *window, uint64_t at, uint64_t end, const uint8_t **bytes,
                    size_t *size, struct xpd_err *err)
{
    uint64_t left = end - at;
    size_t head = left < XPD_FIELD_HEAD_BYTES ? (size_t)left : XPD_FIELD_HEAD_BYTES;
    int rc = xpd_window_peek(window, at, head, bytes, err);
    if (rc != XPD_OK)
        return rc;
    if (!xpd_source_memory(window->source)) {
        uint64_t held = window->buffer_offset + window->buffer_size - at;
        left = held < left ? held : left;
    }
    *size = left < SIZE_MAX ? (size_t)left : SIZE_MAX;
    return XPD_OK;
}

static int bad_field(const struct xpd_window *window, const char *what, struct xpd_err *err)
{
    return xpd_fail(err, XPD_EFORMAT, xpd_source_name(window->source), window->offset,
                    "%s; the file is damaged or incomplete.", what);
}

/* The value or range after a tag. Returns an error or NULL; moves *p past it. */
static const char *decode_value(const uint8_t **p, const uint8_t *end, uint8_t wire_type,
                                uint64_t *value)
{
    unsigned size = wire_type == FIXED64 ? 8 : 4;
    switch (wire_type) {
    case VARINT:
    case LENGTH:
        return xpd_varint(p, end, value) ? NULL : "The field's value or length is cut or too long";
    case FIXED64:
    case FIXED32:
        if (end - *p < (ptrdiff_t)size)
            return "The field is cut short";
        *value = 0;
        for (unsigned i = 0; i < size; i++)
            *value |= (uint64_t)(*p)[i] << (8 * i);
        *p += size;
        return NULL;
    default: return "The field has a wire type that no file of this kind contains";
    }
}

int xpd_window_field(struct xpd_window *window, uint64_t end, uint32_t *number, uint8_t *wire_type,
                     uint64_t *value, struct xpd_wire_range *payload, struct xpd_err *err)
{
    *number = 0;
    *wire_type = 0;
    *value = 0;
    *payload = (struct xpd_wire_range){0};
    if (window->offset >= end)
        return XPD_OK;

    uint64_t file_size = xpd_source_size(window->source);
    if (window->offset >= file_size)
        return bad_field(window, "The file ends inside a message", err);
    uint64_t left = (end < file_size ? end : file_size) - window->offset;
    size_t size = left < XPD_FIELD_HEAD_BYTES ? (size_t)left : XPD_FIELD_HEAD_BYTES;
    const uint8_t *start = NULL;
    int rc = xpd_window_peek(window, window->offset, size, &start, err);
    if (rc != XPD_OK)
        return rc;

    const uint8_t *p = start;
    uint64_t tag;
    if (!xpd_varint(&p, start + size, &tag))
        return bad_field(window, "The field's tag is cut or too long", err);
    if (tag > UINT32_MAX || tag >> 3 == 0)
        return bad_field(window, "The field number is not between 1 and 536870911", err);
    const char *wrong = decode_value(&p, start + size, tag & 7, value);
    if (wrong)
        return bad_field(window, wrong, err);
    uint64_t header = (uint64_t)(p - start);
    if ((tag & 7) == LENGTH && *value > INT64_MAX)
        return bad_field(window, "The field's length is more than any file has", err);

    *number = (uint32_t)(tag >> 3);
    *wire_type = tag & 7;
    if (*wire_type == LENGTH) {
        *payload = (struct xpd_wire_range){window->offset + header, *value};
        *value = 0;
        if (payload->size > left - header)
            rc = bad_field(window, "The field's length passes the end of its message", err);
    }
    window->offset += header;
    return rc;
}
