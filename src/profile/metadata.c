/* Metadata entries.
 *
 * In: a region of a plane. Out: id, name and body of each entry of one map. Both maps have the same
 * shape: entry {key 1, value 2}, value {id 1, name 2, ...}. A plane may have 100,000 of them, and
 * most questions need a few: they are walked again for each question rather than kept. */
#include "metadata.h"

enum { VARINT = 0, LENGTH = 2 };

static enum xpd_walk read_body(struct xpd_reader *reader, struct xpd_metadata *entry,
                               struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = entry->body.offset, end = xpd_range_end(entry->body), id = 0;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &at, end, &field, err)) == XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            id = field.value;
        else if (field.number == 2 && field.type == LENGTH)
            entry->name = field.payload;
        else if (field.number > 2 && entry->name.size != 0)
            break; /* writers keep the order of the numbers; what follows may be large */
    }
    if (entry->id == 0)
        entry->id = id;
    return step == XPD_WALK_FIELD ? XPD_WALK_END : step;
}

static enum xpd_walk read_entry(struct xpd_reader *reader, struct xpd_wire_range range,
                                struct xpd_metadata *entry, struct xpd_err *err)
{
    struct xpd_walk_field field;
    uint64_t at = range.offset;
    enum xpd_walk step;
    *entry = (struct xpd_metadata){0};
    while ((step = xpd_walk_next(reader, &at, xpd_range_end(range), &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number == 1 && field.type == VARINT)
            entry->id = field.value;
        else if (field.number == 2 && field.type == LENGTH)
            entry->body = field.payload;
    }
    return step == XPD_WALK_END ? read_body(reader, entry, err) : step;
}

enum xpd_walk xpd_metadata_next(struct xpd_reader *reader, struct xpd_metadata_region *region,
                                uint32_t number, struct xpd_metadata *entry, struct xpd_err *err)
{
    struct xpd_walk_field field;
    enum xpd_walk step;
    while ((step = xpd_walk_next(reader, &region->at, region->end, &field, err)) ==
           XPD_WALK_FIELD) {
        if (field.number != number || field.type != LENGTH)
            continue;
        step = read_entry(reader, field.payload, entry, err);
        if (step == XPD_WALK_END)
            return XPD_WALK_FIELD;
        if (step == XPD_WALK_FAILED)
            return step;
    }
    return step == XPD_WALK_FAILED ? step : XPD_WALK_END;
}
