/* Guard in front of protobuf-c, and unpacking into an arena.
 *
 * In: bytes and the descriptor they are said to follow. Out: refusal with the offset, or the
 * promise that protobuf-c nests at most max_depth calls and takes at most the estimated bytes.
 * Invariants: frame[0 .. depth] are the open messages, the outermost counts as depth 1; the
 * estimate only grows. It is made of every allocation of protobuf-c 1.4, none of which an arena
 * gets back: messages, arrays, texts, unknown fields, the scan's tables, and arrays joined when a
 * field comes twice. */
#include "xprofd/wire/guard.h"

#include "xprofd/wire/cursor.h"

#define DEEPEST    128u /* what max_depth may ask for: about 200 kB of protobuf-c's stack */
#define MAX_FIELDS 512  /* of one message type; the largest in HLO has about 100 */
#define ROUNDING   15   /* the arena aligns each piece to 16 bytes */

/* protobuf-c notes the fields of a message in tables of 16 (on the stack), 32, 64 ... entries. */
#define SCAN_ENTRY_BYTES 32u
#define SCAN_FIRST_TABLE 16u

struct frame {
    struct xpd_cursor cursor;
    const ProtobufCMessageDescriptor *type;
    uint64_t fields;      /* read so far */
    uint64_t tables_hold; /* fields the scan tables have room for */
    uint64_t next_table;  /* entries of the table after those */
    uint64_t seen[MAX_FIELDS / 64];
};

struct walk {
    uint32_t max_depth;
    uint64_t limit_bytes, bytes;
    const char *where;
    struct xpd_err *err;
    uint32_t depth; /* of the open message: an index into frame */
    struct frame frame[DEEPEST];
};

static int charge(struct walk *walk, uint64_t bytes, uint64_t offset)
{
    if (__builtin_add_overflow(walk->bytes, bytes, &walk->bytes))
        walk->bytes = UINT64_MAX;
    if (walk->limit_bytes == 0 || walk->bytes <= walk->limit_bytes)
        return XPD_OK;
    return xpd_fail(walk->err, XPD_ELIMIT, walk->where, offset,
                    "Unpacked, the message takes more than the limit of %llu bytes.",
                    (unsigned long long)walk->limit_bytes);
}

static int open_message(struct walk *walk, uint32_t depth, const ProtobufCMessageDescriptor *type,
                        const struct xpd_cursor *cursor)
{
    if (type->n_fields > MAX_FIELDS)
        return xpd_fail(walk->err, XPD_EINTERNAL, walk->where, cursor->start_offset,
                        "The message type %s has more than %d fields.", type->name, MAX_FIELDS);
    struct frame *frame = &walk->frame[depth];
    *frame = (struct frame){
        .cursor = *cursor,
        .type = type,
        .tables_hold = SCAN_FIRST_TABLE,
        .next_table = 2 * SCAN_FIRST_TABLE,
    };
    walk->depth = depth;
    /* The bitmap of required fields is allocated for large types only. */
    uint64_t bitmap = type->n_fields > 128 ? (type->n_fields + 7) / 8 + ROUNDING : 0;
    return charge(walk, type->sizeof_message + ROUNDING + bitmap, cursor->start_offset);
}

/* True from the second time on. */
static bool seen_before(struct frame *frame, const ProtobufCFieldDescriptor *field)
{
    size_t index = (size_t)(field - frame->type->fields);
    uint64_t bit = UINT64_C(1) << (index % 64);
    bool before = (frame->seen[index / 64] & bit) != 0;
    frame->seen[index / 64] |= bit;
    return before;
}

static unsigned element_bytes(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_ENUM: return 4;
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    default: return 8;
    }
}

static uint8_t wire_type_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT: return PROTOBUF_C_WIRE_TYPE_32BIT;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return PROTOBUF_C_WIRE_TYPE_64BIT;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE: return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    default: return PROTOBUF_C_WIRE_TYPE_VARINT;
    }
}

static int bad_field(const struct walk *walk, const struct xpd_field *field,
                     const ProtobufCFieldDescriptor *type, const char *what)
{
    return xpd_fail(walk->err, XPD_EFORMAT, walk->where, field->offset,
                    "The field %s of %s %s; the file is damaged.", type->name,
                    walk->frame[walk->depth].type->name, what);
}

static int packed(struct walk *walk, const struct xpd_field *field,
                  const ProtobufCFieldDescriptor *type, uint8_t element_wire_type)
{
    uint64_t count = 0;
    if (element_wire_type == PROTOBUF_C_WIRE_TYPE_VARINT) {
        for (uint64_t i = 0; i < field->size; i++)
            count += field->bytes[i] < 0x80;
        if (field->size != 0 && field->bytes[field->size - 1] >= 0x80)
            return bad_field(walk, field, type, "ends inside a number");
        if (type->type == PROTOBUF_C_TYPE_BOOL)
            count = field->size; /* so protobuf-c counts these */
    } else {
        uint64_t size = element_wire_type == PROTOBUF_C_WIRE_TYPE_64BIT ? 8 : 4;
        if (field->size % size != 0)
            return bad_field(walk, field, type, "ends inside a number");
        count = field->size / size;
    }
    return charge(walk, count * element_bytes(type->type), field->offset);
}

static int nested(struct walk *walk, const struct xpd_field *field,
                  const ProtobufCFieldDescriptor *type, bool again)
{
    const struct xpd_cursor *cursor = &walk->frame[walk->depth].cursor;
    int rc = XPD_OK;
    /* A single message that comes twice is joined: its arrays are allocated anew, at most 16 bytes
     * for each byte of what may have been read into them, which is all of this message so far. */
    if (again && type->label != PROTOBUF_C_LABEL_REPEATED)
        rc = charge(walk, 16 * (uint64_t)(cursor->at - cursor->start), field->offset);
    if (rc != XPD_OK)
        return rc;
    if (walk->depth + 1 >= walk->max_depth)
        return xpd_fail(walk->err, XPD_ELIMIT, walk->where, field->offset,
                        "Messages nest deeper than the limit of %u.", walk->max_depth);
    struct xpd_cursor inner = xpd_cursor_sub(field);
    return open_message(walk, walk->depth + 1, type->descriptor, &inner);
}

static int known_field(struct walk *walk, const struct xpd_field *field,
                       const ProtobufCFieldDescriptor *type)
{
    bool again = seen_before(&walk->frame[walk->depth], type);
    uint8_t wanted = wire_type_of(type->type);
    int rc = XPD_OK;
    if (type->label == PROTOBUF_C_LABEL_REPEATED) {
        if (!again)
            rc = charge(walk, ROUNDING, field->offset);
        if (rc == XPD_OK && field->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
            wanted != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
            return packed(walk, field, type, wanted);
        if (rc == XPD_OK)
            rc = charge(walk, element_bytes(type->type), field->offset);
    }
    if (rc != XPD_OK)
        return rc;
    if (field->wire_type != wanted)
        return bad_field(walk, field, type, "has the wrong wire type");
    switch (type->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES: return charge(walk, field->size + 1 + ROUNDING, field->offset);
    case PROTOBUF_C_TYPE_MESSAGE: return nested(walk, field, type, again);
    default: return XPD_OK;
    }
}

static int one_field(struct walk *walk, const struct xpd_field *field)
{
    struct frame *frame = &walk->frame[walk->depth];
    if (frame->fields++ == frame->tables_hold) {
        int rc = charge(walk, frame->next_table * SCAN_ENTRY_BYTES, field->offset);
        if (rc != XPD_OK)
            return rc;
        frame->tables_hold += frame->next_table;
        frame->next_table *= 2;
    }
    const ProtobufCFieldDescriptor *type =
        protobuf_c_message_descriptor_get_field(frame->type, field->number);
    if (type)
        return known_field(walk, field, type);
    /* Unknown fields are kept with their bytes: the value or the length (10 at most) and what
     * follows it. */
    return charge(walk, sizeof(ProtobufCMessageUnknownField) + 10 + field->size + 2 * ROUNDING,
                  field->offset);
}

int xpd_guard_check(const struct xpd_guard *guard, const ProtobufCMessageDescriptor *type,
                    const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                    struct xpd_err *err)
{
    /* Counts of protobuf-c are unsigned int: beyond this its arrays would be too short. */
    if (size > INT32_MAX)
        return xpd_fail(err, XPD_ELIMIT, where, file_offset,
                        "The message of %zu bytes is larger than the limit of %d bytes.", size,
                        INT32_MAX);
    struct walk walk; /* not zeroed: a frame is set when it is opened */
    walk.max_depth = guard->max_depth;
    if (walk.max_depth == 0 || walk.max_depth > DEEPEST)
        walk.max_depth = DEEPEST;
    walk.limit_bytes = guard->max_unpacked_bytes;
    walk.bytes = 0;
    walk.where = where;
    walk.err = err;
    walk.depth = 0;

    struct xpd_cursor cursor;
    xpd_cursor_init(&cursor, bytes, size, file_offset);
    int rc = open_message(&walk, 0, type, &cursor);
    while (rc == XPD_OK) {
        struct frame *frame = &walk.frame[walk.depth];
        struct xpd_field field;
        if (xpd_cursor_next(&frame->cursor, &field)) {
            rc = one_field(&walk, &field);
            continue;
        }
        rc = xpd_cursor_status(&frame->cursor, where, err);
        if (walk.depth == 0)
            break;
        walk.depth--;
    }
    return rc;
}

static void *arena_alloc(void *arena, size_t size)
{
    return xpd_arena_calloc(arena, 1, size);
}

static void arena_free(void *arena, void *piece)
{
    (void)arena;
    (void)piece;
}

ProtobufCAllocator xpd_pb_allocator(struct xpd_arena *arena)
{
    return (ProtobufCAllocator){
        .alloc = arena_alloc,
        .free = arena_free,
        .allocator_data = arena,
    };
}

void *xpd_pb_unpack(const struct xpd_guard *guard, const ProtobufCMessageDescriptor *type,
                    const uint8_t *bytes, size_t size, uint64_t file_offset, const char *where,
                    struct xpd_arena *arena, struct xpd_err *err)
{
    if (xpd_guard_check(guard, type, bytes, size, file_offset, where, err) != XPD_OK)
        return NULL;
    bool failed_before = arena->failed;
    arena->failed = false;
    ProtobufCAllocator allocator = xpd_pb_allocator(arena);
    void *message = protobuf_c_message_unpack(type, &allocator, size, bytes);
    bool no_room = arena->failed;
    arena->failed = no_room || failed_before;
    if (message)
        return message;
    if (no_room && arena->budget_bytes != 0)
        xpd_fail(err, XPD_ELIMIT, where, file_offset,
                 "Unpacked, the message does not fit the memory budget of %llu bytes.",
                 (unsigned long long)arena->budget_bytes);
    else if (no_room)
        xpd_fail(err, XPD_ENOMEM, where, file_offset, "Not enough memory to unpack the message.");
    else
        xpd_fail(err, XPD_EFORMAT, where, file_offset,
                 "The bytes are not a message of the type %s; the file is damaged.", type->name);
    return NULL;
}
