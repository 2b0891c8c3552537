/* Protobuf wire cursor: walks the fields of one message without copying or allocating.
 *
 * Source: the protobuf wire format (tag = field number << 3 | wire type; types 0 varint, 1 fixed64,
 * 2 length-delimited, 5 fixed32; groups 3/4 are refused). Errors are sticky: after the first one
 * xpd_cursor_next returns false and `error_text` says why at `error_offset`. */
#ifndef XPROFD_WIRE_CURSOR_H
#define XPROFD_WIRE_CURSOR_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

struct xpd_cursor {
    const uint8_t *at, *end, *start;
    uint64_t start_offset;  /* byte offset of `start` in the file, for messages */
    const char *error_text; /* NULL while all is well; static storage */
    uint64_t error_offset;
};

struct xpd_field {
    uint32_t number;
    uint8_t wire_type;
    uint64_t value;       /* wire types 0, 1, 5 */
    const uint8_t *bytes; /* wire type 2: borrowed from the message */
    uint64_t size;        /* wire type 2 */
    uint64_t offset;      /* file offset of the payload (`bytes`) or of the value */
};

void xpd_cursor_init(struct xpd_cursor *cursor, const void *bytes, size_t size,
                     uint64_t start_offset);
/* A cursor over the payload of a length-delimited field. */
struct xpd_cursor xpd_cursor_sub(const struct xpd_field *field);
/* True and the next field, or false at the end or after an error. */
bool xpd_cursor_next(struct xpd_cursor *cursor, struct xpd_field *field);
/* Fills err from the sticky error and returns XPD_EFORMAT, or XPD_OK when there was none. */
int xpd_cursor_status(const struct xpd_cursor *cursor, const char *where, struct xpd_err *err);

/* A varint of three bytes and more, or at the very end. */
bool xpd_long_varint(const uint8_t **at, const uint8_t *end, uint64_t *value);
/* Reads one varint (at most 10 bytes); false when cut short or too long. Nearly all tags and most
 * values take one or two bytes. */
static inline bool xpd_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    const uint8_t *p = *at;
    if (end - p < 2 || (p[0] >= 0x80 && p[1] >= 0x80))
        return xpd_long_varint(at, end, value);
    bool two = p[0] >= 0x80;
    *value = two ? (uint64_t)(p[0] & 0x7F) | (uint64_t)p[1] << 7 : p[0];
    *at = p + 1 + two;
    return true;
}

/* Repeated integers, packed or not: calls for each field of that number; *count grows. Values are
 * written to out[] while *count < capacity, counted beyond (so one dry call with capacity 0 sizes
 * the array). False when a packed payload is cut. */
bool xpd_field_ints(const struct xpd_field *field, int64_t *out, size_t capacity, size_t *count);

static inline struct xpd_str xpd_field_str(const struct xpd_field *field)
{
    return (struct xpd_str){(const char *)field->bytes, (size_t)field->size};
}

#endif
