/* Reads the stat core_details of a plane. */
#include "core_place.h"

#include "xprofd/wire/cursor.h"

bool xpd_core_place_of(const struct xpd_trace *trace, uint32_t plane, struct xpd_core_place *out)
{
    enum { BYTES_MAX = 4096, ORDINAL = 2, CHIP = 4, SPARSE = 7 };
    const struct xpd_xspace *space = trace->space;
    const struct xpd_plane *of = &space->plane[plane];
    uint8_t bytes[BYTES_MAX];
    struct xpd_err unread = {0};
    *out = (struct xpd_core_place){.core = (uint32_t)of->id};
    for (uint32_t i = 0; i < of->stat_count; i++) {
        const struct xpd_stat *stat = &of->stat[i];
        struct xpd_cursor cursor;
        struct xpd_field field;
        if (stat->type != XPD_STAT_BYTES || stat->bytes.size > BYTES_MAX ||
            !xpd_str_eq(xpd_intern_get(&space->names, stat->name), XPD_STR("core_details")) ||
            xpd_source_read(trace->source, stat->bytes.offset, bytes, (size_t)stat->bytes.size,
                            &unread) != XPD_OK)
            continue;
        xpd_cursor_init(&cursor, bytes, (size_t)stat->bytes.size, stat->bytes.offset);
        while (xpd_cursor_next(&cursor, &field)) {
            out->ordinal = field.number == ORDINAL ? (uint32_t)field.value : out->ordinal;
            out->chip = field.number == CHIP ? (uint32_t)field.value : out->chip;
            out->sparse |= field.number == SPARSE && field.value;
        }
        return xpd_cursor_status(&cursor, "core_details", &unread) == XPD_OK;
    }
    return false;
}
