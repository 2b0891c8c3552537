/* The allocators' events of an XSpace of any bytes: in order of time, never negative beside -1,
 * each counted once. */
#include "must.h"

#include "xprofd/trace/allocators.h"

#include <math.h>

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

/* Pairs are pairs, what is live began and has not ended, growth says nothing of one step. */
static void check_lives(const struct xpd_allocator *a, struct xpd_arena *arena)
{
    struct xpd_alloc_lives lives;
    struct xpd_alloc_growth growth;
    struct xpd_alloc_never never;
    struct xpd_alloc_span span[] = {{0, a->event[0].at_ps, a->event[a->count - 1].at_ps}};
    struct xpd_alloc_spans spans = {.at = span, .count = 1};
    if (!xpd_alloc_lives_make(&lives, a, arena))
        return;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t partner = lives.partner[i];
        MUST(lives.bytes[i] >= -1);
        MUST(partner == XPD_NO_INDEX || (partner < a->count && partner != i));
        MUST(!a->event[i].frees || partner == XPD_NO_INDEX || lives.partner[partner] == i);
    }
    struct xpd_alloc_sum sum = xpd_alloc_sum_at(&lives, a->event[a->count / 2].at_ps);
    MUST(sum.event < a->count && sum.listed_bytes >= 0 && sum.unsized_count <= sum.listed_count);
    if (xpd_alloc_growth_make(&growth, &lives, &spans, 0, arena))
        MUST(growth.verdict == XPD_ALLOC_FEW_STEPS && isnan(growth.slope_bytes));
    if (xpd_alloc_never_make(&never, &lives, &spans, 0, arena))
        MUST(never.made == never.kept + never.freed_in_step + never.freed_later);
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
        int rc = xpd_allocations_read(&all, source, space, &arena, &err);
        if (rc == XPD_OK)
            check(&all);
        for (uint32_t i = 0; rc == XPD_OK && i < all.count; i++)
            check_lives(&all.allocator[i], &arena);
        MUST(rc == XPD_OK || err.text[0]);
    }
    xpd_arena_fini(&arena);
    xpd_xspace_free(space);
    xpd_source_close(source);
    return 0;
}
