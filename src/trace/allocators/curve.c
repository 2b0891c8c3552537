/* Bytes in use along a window. In: an allocator's events by time. Out: for each column in which
 * something was reported its extremes and what holds at its end; the largest use of all. */
#include "xprofd/trace/allocators.h"

#include "xprofd/base/bisect.h"

struct columns {
    struct xpd_alloc_value *value;
    uint32_t count;
};

static void one(struct columns *columns, int64_t at_ps, const struct xpd_allocation *event)
{
    int64_t bytes = xpd_allocation_in_use(event);
    columns->value[columns->count++] =
        (struct xpd_alloc_value){at_ps, bytes, bytes, bytes, event, event};
}

static uint64_t column_of(const struct xpd_alloc_window *window, int64_t at_ps)
{
    return ((uint64_t)at_ps - (uint64_t)window->from_ps) / (uint64_t)window->cell_ps;
}

/* The events of one column: with what held before, which counts for the part in front of them. */
static uint32_t add_column(struct columns *columns, const struct xpd_alloc_window *window,
                           const struct xpd_allocator *a, uint32_t i)
{
    uint64_t column = column_of(window, a->event[i].at_ps);
    int64_t start_ps = window->from_ps + (int64_t)column * window->cell_ps;
    uint32_t first = i;
    while (i < a->count && a->event[i].at_ps < window->to_ps &&
           column_of(window, a->event[i].at_ps) == column)
        i++;
    if (i - first == 1) {
        one(columns, a->event[first].at_ps, &a->event[first]);
        return i;
    }
    bool held = first > 0 && a->event[first].at_ps > start_ps;
    struct xpd_alloc_value sum = {0};
    for (uint32_t k = held ? first - 1 : first; k < i; k++) {
        int64_t bytes = xpd_allocation_in_use(&a->event[k]);
        if (!sum.peak || bytes > sum.most_bytes) {
            sum.most_bytes = bytes;
            sum.least_bytes = sum.peak ? sum.least_bytes : bytes;
            sum.peak = &a->event[k];
        }
        sum.least_bytes = bytes < sum.least_bytes ? bytes : sum.least_bytes;
        sum.last_bytes = bytes;
        sum.end = &a->event[k];
    }
    sum.at_ps = held ? start_ps : a->event[first].at_ps;
    columns->value[columns->count++] = sum;
    int64_t end_ps = start_ps + window->cell_ps;
    bool next_is_there = i < a->count && a->event[i].at_ps == end_ps;
    if (sum.least_bytes != sum.most_bytes && end_ps < window->to_ps && !next_is_there)
        one(columns, end_ps, &a->event[i - 1]);
    return i;
}

uint32_t xpd_alloc_columns(struct xpd_alloc_value *out, const struct xpd_alloc_window *window,
                           const struct xpd_allocator *a)
{
    struct columns columns = {out, 0};
    uint32_t low = 0;
    XPD_BISECT(low, a->count, middle, a->event[middle].at_ps < window->from_ps);
    if (low > 0 && (low == a->count || a->event[low].at_ps > window->from_ps))
        one(&columns, window->from_ps, &a->event[low - 1]);
    while (low < a->count && a->event[low].at_ps < window->to_ps)
        low = add_column(&columns, window, a, low);
    return columns.count;
}

/* ---- the largest use ---- */

/* Held against the moment of the largest use: a request with room in all, but not in one piece. */
static bool has_no_piece(const struct xpd_allocator *a)
{
    const struct xpd_allocation *at = &a->event[a->most];
    int64_t piece = xpd_allocation_largest_free(at);
    return piece >= 0 && a->request_bytes > piece && a->request_bytes <= at->available_bytes;
}

bool xpd_alloc_peak_add(struct xpd_alloc_peak *peak, const struct xpd_allocator *of)
{
    double share = of->event[of->most].fragmentation;
    bool most = !peak->most || of->most_bytes > peak->most->most_bytes;
    if (most)
        peak->most = of;
    if (share > peak->fragmentation) {
        peak->fragmentation = share;
        peak->pieces = of;
    }
    if (!peak->refused && has_no_piece(of))
        peak->refused = of;
    return most;
}
