/* The wire readers on any bytes: cursor, repeated integers, window, guard.
 *
 * The cursor and the window must see the same fields at the same offsets; nothing may point outside
 * of the message; an error stays. The guard must be at least as strict as protobuf-c: what it lets
 * through, protobuf-c unpacks into the arena. */
#include "must.h"

#include "hlo.pb-c.h"
#include "xprofd/wire/cursor.h"
#include "xprofd/wire/guard.h"
#include "xprofd/wire/window.h"

#include <string.h>

enum { DEPTH = 12, SLOTS = 5 };

/* In one call and in two (a dry one first): the same count, the same values, nothing beyond. */
static void check_ints(const struct xpd_field *field)
{
    int64_t all[64], some[SLOTS + 1];
    size_t dry = 0, count = 0, few = 0;
    some[SLOTS] = 0x5eed;
    bool good = xpd_field_ints(field, NULL, 0, &dry);
    MUST(xpd_field_ints(field, all, 64, &count) == good && count == dry);
    MUST(xpd_field_ints(field, some, SLOTS, &few) == good && few == dry);
    MUST(some[SLOTS] == 0x5eed);
    for (size_t i = 0; i < count && i < SLOTS; i++)
        MUST(all[i] == some[i]);
    MUST(field->wire_type == 2 || count == 1);
    MUST(field->wire_type != 2 || count <= field->size);
}

static void check_field(const struct xpd_cursor *cursor, const struct xpd_field *field)
{
    uint64_t size = (uint64_t)(cursor->end - cursor->start);
    MUST(field->number >= 1 && field->number < 1u << 29);
    MUST(field->offset >= cursor->start_offset && field->offset <= cursor->start_offset + size);
    check_ints(field);
    if (field->wire_type != 2) {
        MUST(field->wire_type == 0 || field->wire_type == 1 || field->wire_type == 5);
        return;
    }
    MUST(field->bytes >= cursor->start && field->bytes <= cursor->end);
    MUST(field->size <= (uint64_t)(cursor->end - field->bytes));
    MUST(field->offset - cursor->start_offset == (uint64_t)(field->bytes - cursor->start));
    MUST(xpd_field_str(field).size == field->size);
}

/* Every payload is read as a message too, whatever it is. */
static void walk(struct xpd_cursor cursor, int depth, int *budget)
{
    struct xpd_field field;
    struct xpd_err err = {0};
    while (*budget > 0 && xpd_cursor_next(&cursor, &field)) {
        --*budget;
        check_field(&cursor, &field);
        if (field.wire_type == 2 && depth < DEPTH)
            walk(xpd_cursor_sub(&field), depth + 1, budget);
    }
    if (*budget <= 0)
        return;
    int rc = xpd_cursor_status(&cursor, "input", &err);
    MUST(rc == (cursor.error_text ? XPD_EFORMAT : XPD_OK) && rc == err.code);
    MUST(cursor.error_text || cursor.at == cursor.end);
    if (rc == XPD_OK)
        return;
    MUST(err.offset == cursor.error_offset && err.text[0] && strcmp(err.where, "input") == 0);
    MUST(!xpd_cursor_next(&cursor, &field) && xpd_cursor_status(&cursor, NULL, NULL) == rc);
}

static void same_by_window(const uint8_t *data, size_t size)
{
    struct xpd_source *source = NULL;
    struct xpd_window window;
    struct xpd_cursor cursor;
    struct xpd_field field;
    struct xpd_err err = {0};
    MUST(xpd_source_open_memory(&source, data, size, "input", &err) == XPD_OK);
    MUST(xpd_window_init(&window, source, &err) == XPD_OK);
    xpd_cursor_init(&cursor, data, size, 0);
    for (;;) {
        uint32_t number;
        uint8_t wire_type;
        uint64_t value;
        struct xpd_wire_range payload;
        bool more = xpd_cursor_next(&cursor, &field);
        int rc = xpd_window_field(&window, size, &number, &wire_type, &value, &payload, &err);
        MUST((rc == XPD_OK) == (cursor.error_text == NULL));
        if (!more) {
            MUST(rc != XPD_OK || number == 0);
            break;
        }
        MUST(number == field.number && wire_type == field.wire_type && value == field.value);
        if (wire_type != 2)
            continue;
        MUST(payload.offset == field.offset && payload.size == field.size);
        window.offset = payload.offset + payload.size;
    }
    xpd_window_fini(&window);
    xpd_source_close(source);
}

static void guard_then_unpack(const uint8_t *data, size_t size)
{
    struct xpd_guard guard = {.max_depth = 64, .max_unpacked_bytes = 16u << 20};
    struct xpd_arena arena;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 64u << 20);
    int rc = xpd_guard_check(&guard, &xla__hlo_proto__descriptor, data, size, 0, "input", &err);
    MUST(rc == XPD_OK || rc == XPD_EFORMAT || rc == XPD_ELIMIT);
    MUST(rc == err.code);
    void *message =
        xpd_pb_unpack(&guard, &xla__hlo_proto__descriptor, data, size, 0, "input", &arena, &err);
    MUST(rc == XPD_OK || !message);
    xpd_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_cursor cursor;
    int budget = 20000;
    xpd_cursor_init(&cursor, data, size, 1000);
    walk(cursor, 0, &budget);
    same_by_window(data, size);
    guard_then_unpack(data, size);
    return 0;
}
