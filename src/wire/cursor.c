/* Wire cursor.
 *
 * In: the bytes of one message. Out: its fields one by one, payloads borrowed. Invariants: at never
 * passes end; after an error it stays at the field that is wrong, whose first byte is error_offset.
 */
#include "xprofd/wire/cursor.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, GROUP = 3, GROUP_END = 4, FIXED32 = 5 };

static const char CUT[] = "The field is cut short";
static const char TOO_LONG[] = "A variable-length integer takes more than 10 bytes";
static const char NO_NUMBER[] = "The field number is not between 1 and 536870911";
static const char OLD_GROUP[] = "The field is a group, which no file of this kind contains";
static const char NO_TYPE[] = "The field has a wire type that does not exist";
static const char PAST_END[] = "The length of the field passes the end of its message";

void xpd_cursor_init(struct xpd_cursor *cursor, const void *bytes, size_t size,
                     uint64_t start_offset)
{
    static const uint8_t nothing[1];
    const uint8_t *start = bytes ? bytes : nothing;
    *cursor = (struct xpd_cursor){
        .at = start,
        .end = start + (bytes ? size : 0),
        .start = start,
        .start_offset = start_offset,
        .error_offset = XPD_NO_OFFSET,
    };
}

struct xpd_cursor xpd_cursor_sub(const struct xpd_field *field)
{
    struct xpd_cursor cursor;
    xpd_cursor_init(&cursor, field->bytes, (size_t)field->size, field->offset);
    return cursor;
}

/* Why it cannot be read; NULL: it can. What does not fit into 64 bits is dropped, as every protobuf
 * reader does. */
static const char *long_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    uint64_t result = 0;
    const uint8_t *p = *at;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p == end)
            return CUT;
        uint8_t byte = *p++;
        result |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *at = p;
            *value = result;
            return NULL;
        }
    }
    return TOO_LONG;
}

static inline const char *varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    return xpd_varint(at, end, value) ? NULL : long_varint(at, end, value);
}

bool xpd_long_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    return long_varint(at, end, value) == NULL;
}

static inline uint64_t little_endian(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Reads everything after the tag, at p. Returns an error or NULL. */
static inline const char *payload(struct xpd_cursor *cursor, const uint8_t *p,
                                  struct xpd_field *field)
{
    const char *error = NULL;
    uint64_t size;
    switch (field->wire_type) {
    case VARINT:
        field->offset = cursor->start_offset + (uint64_t)(p - cursor->start);
        error = varint(&p, cursor->end, &field->value);
        break;
    case LENGTH:
        if ((error = varint(&p, cursor->end, &size)) != NULL)
            break;
        if (size > (uint64_t)(cursor->end - p))
            return PAST_END;
        field->offset = cursor->start_offset + (uint64_t)(p - cursor->start);
        field->bytes = p;
        field->size = size;
        p += size;
        break;
    case FIXED64:
    case FIXED32:
        size = field->wire_type == FIXED64 ? 8 : 4;
        if (size > (uint64_t)(cursor->end - p))
            return CUT;
        field->offset = cursor->start_offset + (uint64_t)(p - cursor->start);
        field->value = size == 8 ? little_endian(p, 8) : little_endian(p, 4);
        p += size;
        break;
    case GROUP:
    case GROUP_END: return OLD_GROUP;
    default: return NO_TYPE;
    }
    if (!error)
        cursor->at = p;
    return error;
}

bool xpd_cursor_next(struct xpd_cursor *cursor, struct xpd_field *field)
{
    if (cursor->error_text || cursor->at == cursor->end)
        return false;
    const uint8_t *p = cursor->at;
    uint64_t tag;
    const char *error = varint(&p, cursor->end, &tag);
    if (!error && (tag > UINT32_MAX || tag >> 3 == 0))
        error = NO_NUMBER;
    if (!error) {
        *field = (struct xpd_field){.number = (uint32_t)(tag >> 3), .wire_type = tag & 7};
        error = payload(cursor, p, field);
    }
    if (!error)
        return true;
    cursor->error_text = error;
    cursor->error_offset = cursor->start_offset + (uint64_t)(cursor->at - cursor->start);
    return false;
}

int xpd_cursor_status(const struct xpd_cursor *cursor, const char *where, struct xpd_err *err)
{
    if (!cursor->error_text)
        return XPD_OK;
    return xpd_fail(err, XPD_EFORMAT, where, cursor->error_offset,
                    "%s; the file is damaged or incomplete.", cursor->error_text);
}

bool xpd_field_ints(const struct xpd_field *field, int64_t *out, size_t capacity, size_t *count)
{
    if (field->wire_type != LENGTH) {
        if (*count < capacity)
            out[*count] = (int64_t)field->value;
        (*count)++;
        return true;
    }
    const uint8_t *at = field->bytes, *end = at + field->size;
    while (at < end) {
        uint64_t value;
        if (varint(&at, end, &value) != NULL)
            return false;
        if (*count < capacity)
            out[*count] = (int64_t)value;
        (*count)++;
    }
    return true;
}
