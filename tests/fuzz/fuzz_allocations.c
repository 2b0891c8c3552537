/* The allocators' events of an XSpace of any bytes: in order of time, never negative beside -1,
 * each counted once. */
#include "must.h"

#include "xprofd/profile/allocations.h"

enum { ARENA = 64 << 20 };

static void check(const struct xpd_allocations *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const struct xpd_allocator *a = &all->allocator[i];
        MUST(a->count > 0 && a->most < a->count && a->free_count <= a->count);
        MUST(a->most_bytes == xpd_allocation_in_use(&a->event[a->most]));
        for (uint32_t k = 0; k < a->count; k++) {
            const struct xpd_allocation *event = &a->event[k];
            MUST(k == 0 || event[-1].at_ps <= event->at_ps);
            MUST(event->reserved_bytes >= -1 && event->allocated_bytes >= -1);
            MUST(event->available_bytes >= -1 && event->requested_bytes >= -1);
            MUST(event->fragmentation == -1 ||
                 (event->fragmentation >= 0 && event->fragmentation <= 1));
            MUST(xpd_allocation_in_use(event) <= a->most_bytes);
            MUST(xpd_allocation_largest_free(event) <= event->available_bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_source *source = NULL;
    struct xpd_xspace *space = NULL;
    struct xpd_allocations all;
    struct xpd_arena arena;
    struct xpd_err err = {0};
    if (xpd_source_open_memory(&source, data, size, "fuzz", &err) != XPD_OK)
        return 0;
    xpd_arena_init(&arena, ARENA);
    if (xpd_xspace_load(&space, source, NULL, ARENA, &err) == XPD_OK) {
        space->has_memory_events = true; /* whatever the first pass saw */
        if (xpd_allocations_read(&all, source, space, &arena, &err) == XPD_OK)
            check(&all);
        else
            MUST(err.text[0]);
    }
    xpd_arena_fini(&arena);
    xpd_xspace_free(space);
    xpd_source_close(source);
    return 0;
}
