/* Where each host stands on the common axis. In: starts by each host's clock. Out: shifts. */
#include "xprofd/trace/join.h"

#include "xprofd/base/checked.h"
#include <stdlib.h>

/* Further apart than 13 days nothing of one capture is. Events lie within 26 days of their host's
 * start, so that starts, ends and their differences still fit 64 bits when a host is moved by it.
 */
#define FAR_PS (INT64_C(1) << 60)
#define FAR_NS (FAR_PS / 1000)

const char *xpd_placed_word(enum xpd_placed placed)
{
    static const char *const word[] = {"clock", "no_clock", "apart"};
    return word[placed];
}

int64_t xpd_trace_zero_ns(const struct xpd_trace *trace)
{
    return trace->origin_ns != 0 ? trace->origin_ns : trace->profile_start_ns;
}

struct span { /* of a host by its clock, from the earliest start */
    int64_t from_ps, to_ps;
    uint32_t host;
};

static int by_time(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->from_ps != y->from_ps)
        return x->from_ps < y->from_ps ? -1 : 1;
    return (x->host > y->host) - (x->host < y->host);
}

static bool has_clock(const struct xpd_place *place)
{
    return !place->empty && place->zero_ns > 0;
}

/* Spans of hosts whose clock speaks; those too far from the earliest are left out. */
static uint32_t find_spans(const struct xpd_place *place, uint32_t count, struct span *span)
{
    int64_t least = INT64_MAX;
    uint32_t n = 0;
    bool overflow = false;
    for (uint32_t i = 0; i < count; i++)
        if (has_clock(&place[i]) && place[i].zero_ns < least)
            least = place[i].zero_ns;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_clock(&place[i]) || place[i].zero_ns - least > FAR_NS)
            continue;
        int64_t at_ps = (place[i].zero_ns - least) * 1000;
        span[n++] = (struct span){xpd_add_i64(place[i].first_ps, at_ps, &overflow),
                                  xpd_add_i64(place[i].end_ps, at_ps, &overflow), i};
    }
    if (n > 1)
        qsort(span, n, sizeof *span, by_time);
    return n;
}

/* The longest run of spans without a gap: [*first, *end), the earliest of equal ones. */
static void largest_set(const struct span *span, uint32_t n, uint32_t *first, uint32_t *end)
{
    *first = *end = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t from = i;
        int64_t until_ps = span[i].to_ps;
        for (i++; i < n && span[i].from_ps <= until_ps; i++)
            until_ps = span[i].to_ps > until_ps ? span[i].to_ps : until_ps;
        if (i - from > *end - *first) {
            *first = from;
            *end = i;
        }
    }
}

/* Those of the set by their clock; returns where their events begin on the axis. */
static int64_t place_set(struct xpd_place *place, const struct span *span, uint32_t first,
                         uint32_t end, int64_t *zero_ns)
{
    int64_t begin_ps = INT64_MAX;
    *zero_ns = INT64_MAX;
    for (uint32_t i = first; i < end; i++)
        if (place[span[i].host].zero_ns < *zero_ns)
            *zero_ns = place[span[i].host].zero_ns;
    for (uint32_t i = first; i < end; i++) {
        struct xpd_place *at = &place[span[i].host];
        bool overflow = false;
        at->shift_ps = (at->zero_ns - *zero_ns) * 1000;
        at->placed = XPD_PLACED_CLOCK;
        int64_t from_ps = xpd_add_i64(at->first_ps, at->shift_ps, &overflow);
        begin_ps = from_ps < begin_ps ? from_ps : begin_ps;
    }
    return begin_ps;
}

bool xpd_join_place(struct xpd_place *place, uint32_t count, int64_t *zero_ns)
{
    struct span *span = calloc((size_t)count + 1, sizeof *span);
    uint32_t first = 0, end = 0, clocks = 0;
    int64_t begin_ps = 0;
    bool any = false;
    *zero_ns = 0;
    if (!span)
        return false;
    uint32_t n = find_spans(place, count, span);
    largest_set(span, n, &first, &end);
    for (uint32_t i = 0; i < count; i++) {
        clocks += has_clock(&place[i]);
        place[i].placed = has_clock(&place[i]) ? XPD_PLACED_APART : XPD_PLACED_NO_CLOCK;
        place[i].shift_ps = 0;
        if (!any && !place[i].empty) {
            begin_ps = place[i].first_ps;
            any = true;
        }
    }
    /* A single host overlaps none, unless no other host has a clock. */
    if (end - first > 1 || (end - first == 1 && clocks == 1))
        begin_ps = place_set(place, span, first, end, zero_ns);
    for (uint32_t i = 0; i < count; i++) {
        if (place[i].empty || place[i].placed == XPD_PLACED_CLOCK)
            continue;
        int64_t shift_ps;
        if (!__builtin_sub_overflow(begin_ps, place[i].first_ps, &shift_ps) &&
            shift_ps >= -FAR_PS && shift_ps <= FAR_PS) /* else from its own 0 */
            place[i].shift_ps = shift_ps;
    }
    free(span);
    return true;
}
