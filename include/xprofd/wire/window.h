/* Sequential wire reading of a file of any size through a window of about 1 MB.
 *
 * Walks fields at byte offsets: headers come from the window, payloads are skipped by seeking and
 * read only when asked for. This is the directory pass over an XSpace: its cost is that of read()
 * over the bytes not skipped, its memory is the window. */
#ifndef XPROFD_WIRE_WINDOW_H
#define XPROFD_WIRE_WINDOW_H

#include "xprofd/base/arena.h"
#include "xprofd/wire/source.h"

#define XPD_WINDOW_BYTES (1u << 20)
/* A field's head is a tag and a length or value: two variable-length integers at most. */
#define XPD_FIELD_HEAD_BYTES 20

struct xpd_window {
    const struct xpd_source *source;
    uint8_t *buffer;        /* XPD_WINDOW_BYTES, or NULL when the source lies in memory */
    uint64_t buffer_offset; /* file offset of buffer[0] */
    size_t buffer_size;     /* valid bytes */
    uint64_t offset;        /* next byte to read */
    uint64_t read_bytes;    /* taken from the file so far, for progress */
};

struct xpd_wire_range {
    uint64_t offset, size; /* of a payload in the file */
};

int xpd_window_init(struct xpd_window *window, const struct xpd_source *source,
                    struct xpd_err *err);
void xpd_window_fini(struct xpd_window *window);

/* Reads the next field header inside [window->offset, end). For a length-delimited field `payload`
 * is its range and the window stands at its start: descend (use payload as a new end) or skip
 * (window->offset = payload.offset + payload.size). For others *value is set and the window stands
 * behind it. *number is 0 at the end. XPD_EFORMAT with the offset when the bytes make no sense; a
 * payload that passes `end` is XPD_EFORMAT too, with *payload still filled (truncated files are
 * read up to their end: payload.offset + payload.size is the minimum size of the whole file). */
int xpd_window_field(struct xpd_window *window, uint64_t end, uint32_t *number, uint8_t *wire_type,
                     uint64_t *value, struct xpd_wire_range *payload, struct xpd_err *err);
/* A pointer to `size` bytes at `offset`, valid until the next call; size <= XPD_WINDOW_BYTES.
 * XPD_EFORMAT: the file ends before; XPD_EIO or XPD_ECHANGED if it cannot be read. */
int xpd_window_peek(struct xpd_window *window, uint64_t offset, size_t size, const uint8_t **bytes,
                    struct xpd_err *err);
/* The bytes of the window from `at` on, at most to `end` (inside the file). Reads more if fewer
 * bytes than the head of a field are there. Valid until the next call. Errors as in
 * xpd_window_peek. */
int xpd_window_span(struct xpd_window *window, uint64_t at, uint64_t end, const uint8_t **bytes,
                    size_t *size, struct xpd_err *err);

#endif
