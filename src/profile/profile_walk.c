/* Fields at byte positions.
 *
 * In: a position and where its message ends. Out: the field, or why there is none. A payload that
 * fits its message but not the file means that the file was cut; one that does not fit its message
 * means damage. */
#include "profile_walk.h"

#include <string.h>

#define TEXT_BYTES       ((uint64_t)64 << 10)
#define LARGEST_CREDIBLE ((uint64_t)1 << 42) /* 4 TiB: a longer payload is damage, not a cut */

enum { LENGTH = 2 };

/* The meaning of the window's XPD_EFORMAT here. */
static enum xpd_walk verdict(const struct xpd_reader *reader, uint64_t at, uint64_t end,
                             const struct xpd_walk_field *field)
{
    if (field->number == 0) /* not even a header */
        return end > reader->size && reader->size - at < XPD_FIELD_HEAD_BYTES ? XPD_WALK_CUT
                                                                              : XPD_WALK_BAD;
    uint64_t payload_end = xpd_range_end(field->payload);
    if (field->payload.size > LARGEST_CREDIBLE || payload_end > end)
        return XPD_WALK_BAD;
    return payload_end > reader->size ? XPD_WALK_CUT : XPD_WALK_BAD;
}

enum xpd_walk xpd_walk_next(struct xpd_reader *reader, uint64_t *at, uint64_t end,
                            struct xpd_walk_field *field, struct xpd_err *err)
{
    *field = (struct xpd_walk_field){0};
    if (*at >= end || (end == XPD_WALK_TOP && *at >= reader->size))
        return XPD_WALK_END;
    if (*at >= reader->size)
        return XPD_WALK_CUT;
    struct xpd_err local = {0};
    reader->window.offset = *at;
    int rc = xpd_window_field(&reader->window, end, &field->number, &field->type, &field->value,
                              &field->payload, &local);
    if (rc == XPD_EFORMAT)
        return verdict(reader, *at, end, field);
    if (rc != XPD_OK) {
        if (err)
            *err = local;
        return XPD_WALK_FAILED;
    }
    if (field->number == 0)
        return XPD_WALK_END;
    *at = field->type == LENGTH ? xpd_range_end(field->payload) : reader->window.offset;
    return XPD_WALK_FIELD;
}

void xpd_walk_damage(struct xpd_reader *reader, enum xpd_walk verdict_, uint64_t at,
                     const char *what, xpd_name_id plane)
{
    if (verdict_ == XPD_WALK_CUT)
        reader->cut = true;
    else if (verdict_ != XPD_WALK_BAD)
        return;
    if (reader->damage_offset != XPD_NO_OFFSET && reader->damage_offset <= at)
        return;
    reader->damage_offset = at;
    reader->damage = what;
    reader->damage_name = plane;
}

int xpd_walk_span(struct xpd_reader *reader, uint64_t at, uint64_t end, const uint8_t **bytes,
                  size_t *size, struct xpd_err *err)
{
    return xpd_window_span(&reader->window, at, end < reader->size ? end : reader->size, bytes,
                           size, err);
}

xpd_name_id xpd_walk_text(struct xpd_reader *reader, struct xpd_wire_range range, bool *failed,
                          struct xpd_err *err)
{
    const uint8_t *bytes;
    size_t size = (size_t)(range.size < TEXT_BYTES ? range.size : TEXT_BYTES);
    if (size == 0)
        return 0;
    if (xpd_window_peek(&reader->window, range.offset, size, &bytes, err) != XPD_OK) {
        *failed = true;
        return 0;
    }
    struct xpd_intern *names = &reader->space->names;
    xpd_name_id id = xpd_intern_put(names, (const char *)bytes, size);
    if (names->failed) {
        *failed = true;
        xpd_fail(err, XPD_ELIMIT, xpd_source_name(reader->window.source), range.offset,
                 "The names of this profile do not fit the memory budget of %llu bytes; raise "
                 "--memory-limit.",
                 (unsigned long long)reader->space->arena.budget_bytes);
    }
    return id;
}

bool xpd_walk_is(struct xpd_reader *reader, struct xpd_wire_range range, const char *text)
{
    const uint8_t *bytes;
    size_t size = strlen(text);
    return range.size == size &&
           xpd_window_peek(&reader->window, range.offset, size, &bytes, NULL) == XPD_OK &&
           memcmp(bytes, text, size) == 0;
}

int xpd_walk_progress(struct xpd_reader *reader, uint64_t at, struct xpd_err *err)
{
    struct xpd_progress *progress = reader->progress;
    if (!progress)
        return XPD_OK;
    atomic_store_explicit(&progress->done_bytes, at, memory_order_relaxed);
    if (atomic_load_explicit(&progress->stop, memory_order_relaxed))
        return xpd_fail(err, XPD_EBUSY, xpd_source_name(reader->window.source), at,
                        "Reading was stopped on request.");
    return XPD_OK;
}
