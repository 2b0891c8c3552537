/* Lives of allocations. In: one allocator's events by time. Out: pairs of allocations and frees,
 * bytes of each event, bytes held before, and allocations live at an instant. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#define NEAR_PEAK 0.99 /* of the peak: use this high counts as being at it */

uint32_t xpd_alloc_at(const struct xpd_allocator *of, int64_t at_ps)
{
    uint32_t after = 0;
    XPD_BISECT(after, of->count, middle, of->event[middle].at_ps <= at_ps);
    return after > 0 ? after - 1 : XPD_NO_INDEX;
}

int64_t xpd_alloc_end_ps(const struct xpd_alloc_lives *lives, uint32_t event)
{
    uint32_t end = lives->partner[event];
    return end == XPD_NO_INDEX ? INT64_MAX : lives->of->event[end].at_ps;
}

bool xpd_alloc_is_live(const struct xpd_alloc_lives *lives, uint32_t event, int64_t at_ps)
{
    const struct xpd_allocation *e = &lives->of->event[event];
    return !e->frees && e->has_address && e->at_ps <= at_ps &&
           xpd_alloc_end_ps(lives, event) > at_ps;
}

/* Reserved + allocated + free: the most that an event adds up to; -1 = free memory is not said. */
static int64_t capacity_of(const struct xpd_allocator *of)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < of->count; i++) {
        if (of->event[i].available_bytes < 0)
            continue;
        int64_t sum = xpd_allocation_in_use(&of->event[i]);
        xpd_grow_i64(&sum, of->event[i].available_bytes);
        most = sum > most ? sum : most;
    }
    return most;
}

/* ---- pairs ---- */

static bool find_partners(struct xpd_alloc_lives *lives)
{
    const struct xpd_allocator *of = lives->of;
    struct xpd_map64 live_at = {0}; /* address -> allocation + 1; 0 = free */
    for (uint32_t i = 0; i < of->count; i++) {
        const struct xpd_allocation *e = &of->event[i];
        lives->partner[i] = XPD_NO_INDEX;
        if (!e->has_address) {
            lives->without_address++;
            continue;
        }
        uint32_t held = xpd_map64_put(&live_at, e->address, e->frees ? 0 : i + 1);
        bool known = held != XPD_NO_INDEX && held != 0;
        if (known) {
            lives->partner[held - 1] = i;
            if (e->frees)
                lives->partner[i] = held - 1;
            else
                lives->replaced++;
        } else if (e->frees) {
            lives->unknown_frees++;
        }
    }
    bool fine = !live_at.failed;
    xpd_map64_fini(&live_at);
    return fine;
}

/* How much the heap changed with this event, in its direction; -1 = not said, or the other way. */
static int64_t heap_change(const struct xpd_allocator *of, uint32_t i)
{
    int64_t after = of->event[i].allocated_bytes;
    int64_t before = i > 0 ? of->event[i - 1].allocated_bytes : -1;
    if (after < 0 || before < 0)
        return -1;
    int64_t change = of->event[i].frees ? before - after : after - before;
    return change >= 0 ? change : -1;
}

static void find_bytes(struct xpd_alloc_lives *lives)
{
    const struct xpd_allocator *of = lives->of;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct xpd_allocation *e = &of->event[i];
        int64_t said = e->given_bytes >= 0 ? e->given_bytes : e->requested_bytes;
        bool pair = e->frees && lives->partner[i] != XPD_NO_INDEX;
        if (pair) /* the partner comes first */
            said = lives->bytes[lives->partner[i]];
        lives->bytes[i] = said >= 0 ? said : heap_change(of, i);
    }
}

/* ---- facts ---- */

static void find_before(struct xpd_alloc_lives *lives)
{
    const struct xpd_allocation *first = &lives->of->event[0];
    lives->before_bytes = XPD_ALLOC_UNKNOWN;
    if (first->allocated_bytes < 0 || lives->bytes[0] < 0)
        return;
    bool overflow = false;
    lives->before_bytes = xpd_add_i64(first->allocated_bytes,
                                      first->frees ? lives->bytes[0] : -lives->bytes[0], &overflow);
}

/* Between two times, in ascending order. */
static int64_t span_ps(int64_t from_ps, int64_t to_ps)
{
    uint64_t ps = (uint64_t)to_ps - (uint64_t)from_ps;
    return ps > INT64_MAX ? INT64_MAX : (int64_t)ps;
}

static void find_peaks(struct xpd_alloc_lives *lives)
{
    const struct xpd_allocator *of = lives->of;
    double near = (double)of->most_bytes * NEAR_PEAK;
    lives->heap_most_bytes = lives->peak_ever_bytes = -1;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct xpd_allocation *e = &of->event[i];
        if (e->allocated_bytes > lives->heap_most_bytes) {
            lives->heap_most_bytes = e->allocated_bytes;
            lives->heap_most = i;
        }
        if (e->peak_bytes > lives->peak_ever_bytes)
            lives->peak_ever_bytes = e->peak_bytes;
        if (i + 1 < of->count && (double)xpd_allocation_in_use(e) >= near)
            xpd_grow_i64(&lives->near_peak_ps, span_ps(e->at_ps, of->event[i + 1].at_ps));
    }
}

bool xpd_alloc_lives_make(struct xpd_alloc_lives *out, const struct xpd_allocator *of,
                          struct xpd_arena *arena)
{
    *out = (struct xpd_alloc_lives){.of = of,
                                    .partner = XPD_NEW_ARRAY(arena, uint32_t, of->count),
                                    .bytes = XPD_NEW_ARRAY(arena, int64_t, of->count)};
    if (!out->partner || !out->bytes || !find_partners(out))
        return false;
    out->capacity_bytes = capacity_of(of);
    find_bytes(out);
    find_peaks(out);
    if (of->count > 0)
        find_before(out);
    return true;
}

uint32_t xpd_alloc_nearest(const struct xpd_allocator *of, int64_t heap_bytes)
{
    uint32_t nearest = XPD_NO_INDEX;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < of->count; i++) {
        int64_t heap = of->event[i].allocated_bytes;
        if (heap < 0)
            continue; /* not said */
        uint64_t apart = heap > heap_bytes ? (uint64_t)heap - (uint64_t)heap_bytes
                                           : (uint64_t)heap_bytes - (uint64_t)heap;
        if (apart < least) {
            least = apart;
            nearest = i;
        }
    }
    return nearest;
}

/* ---- at an instant ---- */

struct xpd_alloc_sum xpd_alloc_sum_at(const struct xpd_alloc_lives *lives, int64_t at_ps)
{
    const struct xpd_allocator *of = lives->of;
    struct xpd_alloc_sum sum = {.event = xpd_alloc_at(of, at_ps),
                                .before_bytes = XPD_ALLOC_UNKNOWN,
                                .heap_bytes = -1,
                                .closes_by = XPD_ALLOC_UNKNOWN};
    bool overflow = false;
    int64_t gone = 0;
    if (sum.event == XPD_NO_INDEX)
        return sum;
    for (uint32_t i = 0; i <= sum.event; i++) {
        const struct xpd_allocation *e = &of->event[i];
        int64_t bytes = lives->bytes[i] > 0 ? lives->bytes[i] : 0;
        if (xpd_alloc_is_live(lives, i, at_ps)) {
            sum.listed_bytes = xpd_add_i64(sum.listed_bytes, bytes, &overflow);
            sum.listed_count++;
            sum.unsized_count += lives->bytes[i] < 0;
        } else if (!e->has_address) {
            sum.without_address_bytes =
                xpd_add_i64(sum.without_address_bytes, e->frees ? -bytes : bytes, &overflow);
        } else if (e->frees && lives->partner[i] == XPD_NO_INDEX) {
            gone = xpd_add_i64(gone, bytes, &overflow);
        }
    }
    sum.heap_bytes = of->event[sum.event].allocated_bytes;
    if (lives->before_bytes != XPD_ALLOC_UNKNOWN)
        sum.before_bytes = xpd_add_i64(lives->before_bytes, -gone, &overflow);
    if (sum.before_bytes < 0 && sum.before_bytes != XPD_ALLOC_UNKNOWN)
        sum.before_bytes = 0; /* frees whose allocations were lost: closes_by says so */
    if (sum.heap_bytes >= 0 && sum.before_bytes != XPD_ALLOC_UNKNOWN) {
        int64_t all = xpd_add_i64(sum.listed_bytes, sum.before_bytes, &overflow);
        all = xpd_add_i64(all, sum.without_address_bytes, &overflow);
        int64_t by = all == INT64_MIN ? 0 : xpd_add_i64(sum.heap_bytes, -all, &overflow);
        if (!overflow && all != INT64_MIN)
            sum.closes_by = by;
    }
    return sum;
}
