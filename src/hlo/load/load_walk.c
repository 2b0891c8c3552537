/* Walks messages of a file that may be truncated or damaged, and parses small
 * ones. In: a field that holds a message. Out: its fields, one by one. A
 * message that claims more bytes than exist is read up to the end if its kind
 * is useful in part, so that a truncated file shows everything before the
 * cut. */
#include "load_internal.h"

static void complain(struct xpd_hlo_walk *walk, const char *code, uint64_t offset, const char *text)
{
    if (walk->warnings)
        xpd_warn(walk->warnings, XPD_ERROR, code, offset,
                 "%s; what was read before byte %llu is kept, the rest of this message is missing",
                 text, (unsigned long long)offset);
}

bool xpd_hlo_walk_rescue(struct xpd_hlo_walk *walk, const uint8_t *before, struct xpd_field *field)
{
    if (walk->ended || !walk->cursor.error_text)
        return false;
    walk->ended = true;
    const uint8_t *at = before, *end = walk->cursor.end;
    uint64_t start = walk->cursor.start_offset + (uint64_t)(before - walk->cursor.start);
    uint64_t tag, size;
    if (!xpd_varint(&at, end, &tag) || (tag & 7) != 2 || !xpd_varint(&at, end, &size) ||
        size <= (uint64_t)(end - at)) {
        complain(walk, "damaged_message", start, walk->cursor.error_text);
        return false;
    }
    complain(walk, "cut_message", start, "a message is longer than the bytes that are there");
    uint64_t number = tag >> 3;
    if (number >= 64 || !(walk->descend & XPD_FIELD_BIT(number)))
        return false;
    *field = (struct xpd_field){.number = (uint32_t)number,
                                .wire_type = 2,
                                .bytes = at,
                                .size = (uint64_t)(end - at),
                                .offset = start + (uint64_t)(at - before)};
    return true;
}

/* The fields that are in the descriptor, one after another, in scratch; the message itself when
 * there is nothing to drop. */
static bool known_fields(struct xpd_hlo_load *load, const ProtobufCMessageDescriptor *type,
                         const struct xpd_field *message, uint32_t without, struct xpd_field *kept)
{
    *kept = *message;
    struct xpd_cursor cursor = xpd_cursor_sub(message);
    struct xpd_field field;
    uint8_t *copy = NULL;
    size_t size = 0;
    for (const uint8_t *before = cursor.at; xpd_cursor_next(&cursor, &field); before = cursor.at) {
        bool known = field.number != without &&
                     protobuf_c_message_descriptor_get_field(type, field.number) != NULL;
        if (known && !copy)
            continue;
        if (!copy) {
            copy = xpd_arena_bytes(&load->scratch, (size_t)message->size);
            if (!copy)
                return false;
            size = (size_t)(before - message->bytes);
            if (size)
                memcpy(copy, message->bytes, size);
        }
        if (known) {
            size_t length = (size_t)(cursor.at - before);
            memcpy(copy + size, before, length);
            size += length;
        }
    }
    if (cursor.error_text) {
        XPD_HLO_WARN(load, XPD_ERROR, "damaged_message", cursor.error_offset,
                     "%s in a %s; it is left out", cursor.error_text, type->name);
        return false;
    }
    if (copy) {
        kept->bytes = copy;
        kept->size = size;
    }
    return true;
}

void *xpd_hlo_unpack(struct xpd_hlo_load *load, const ProtobufCMessageDescriptor *type,
                     const struct xpd_field *message, uint32_t without)
{
    const struct xpd_guard guard = {.max_depth = XPD_HLO_DEPTH,
                                    .max_unpacked_bytes = UINT64_C(1) << 28};
    struct xpd_field kept;
    if (!known_fields(load, type, message, without, &kept))
        return NULL;
    struct xpd_err why = {0};
    void *unpacked = xpd_pb_unpack(&guard, type, kept.bytes, (size_t)kept.size, kept.offset,
                                   load->where, &load->scratch, &why);
    if (!unpacked)
        XPD_HLO_WARN(load, XPD_ERROR, "damaged_message", message->offset, "a %s is left out: %s",
                     type->name, why.text);
    return unpacked;
}

xpd_name_id xpd_hlo_name(struct xpd_hlo_load *load, const struct xpd_field *field)
{
    return xpd_intern_put(&load->hlo->names, (const char *)field->bytes, (size_t)field->size);
}

const int64_t *xpd_hlo_copy_ints(struct xpd_hlo_load *load, const int64_t *values, size_t count)
{
    return count == 0 ? NULL : XPD_COPY_ARRAY(&load->hlo->arena, values, count);
}

bool xpd_hlo_push_ints(int64_t **at, size_t *count, size_t *capacity, const struct xpd_field *field)
{
    /* A packed field holds at most one integer per byte. */
    size_t most = field->wire_type == 2 ? (size_t)field->size : 1;
    if (*capacity - *count < most &&
        !xpd_vec_grow((void **)at, capacity, *count + most, sizeof **at))
        return false;
    xpd_field_ints(field, *at, *capacity, count); /* truncated inner messages are left out */
    return true;
}
