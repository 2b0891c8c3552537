/* Counting ahead of the directory pass.
 *
 * In: a file that the pass reads too. Out: runs of events by line. It reports no errors: anything
 * other than planes, lines and events is left to the pass. */
#include "scout.h"

#include "plane.h"

enum { LENGTH = 2, PLANES_MAX = 4096, LOOK_EVERY = 1024 };

static bool ended(const struct xpd_scout *scout)
{
    return atomic_load_explicit(&scout->done, memory_order_relaxed);
}

/* The pass comes from the front and keeps what it has begun. */
static bool is_behind(void *context, uint64_t line)
{
    const struct xpd_scout *scout = context;
    return !ended(scout) && atomic_load_explicit(&scout->pass_at, memory_order_relaxed) < line;
}

static void count_plane(struct xpd_scout *scout, struct xpd_reader *reader,
                        struct xpd_wire_range plane)
{
    struct xpd_walk_field field;
    uint64_t at = plane.offset, end = xpd_range_end(plane);
    uint32_t fields = 0;
    while (xpd_walk_next(reader, &at, end, &field, NULL) == XPD_WALK_FIELD) {
        struct xpd_event_run run;
        bool line =
            field.number == 3 && field.type == LENGTH && field.payload.size >= XPD_SCOUT_LINE_BYTES;
        if (line && is_behind(scout, field.payload.offset) &&
            xpd_line_run(reader, field.payload, is_behind, scout, &run))
            xpd_scout_leave(scout, field.payload.offset, &run);
        if (++fields % LOOK_EVERY == 0 && ended(scout))
            return;
    }
}

void xpd_scout_work(struct xpd_scout *scout)
{
    struct xpd_reader reader = {.size = xpd_source_size(scout->source)};
    XPD_VEC(struct xpd_wire_range) plane = {0};
    struct xpd_walk_field field;
    uint64_t at = 0;
    if (xpd_window_init(&reader.window, scout->source, NULL) == XPD_OK) {
        while (plane.count < PLANES_MAX && !ended(scout) && !plane.failed &&
               xpd_walk_next(&reader, &at, XPD_WALK_TOP, &field, NULL) == XPD_WALK_FIELD)
            if (field.number == 1 && field.type == LENGTH &&
                field.payload.size >= XPD_SCOUT_LINE_BYTES)
                XPD_PUSH(&plane, field.payload);
        for (size_t i = plane.count; i-- > 0 && is_behind(scout, xpd_range_end(plane.at[i]));)
            count_plane(scout, &reader, plane.at[i]);
    }
    XPD_VEC_FINI(&plane);
    xpd_window_fini(&reader.window);
}
