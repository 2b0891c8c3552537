/* Unions and intersections of joined lists, each in one pass. */
#include "intervals.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#include <string.h>

/* The end of the stretch in order that begins at `from`. */
static size_t run_end(const struct xpd_intervals *list, size_t from)
{
    size_t end = from + 1;
    while (end < list->count && list->at[end - 1].start_ps <= list->at[end].start_ps)
        end++;
    return end < list->count ? end : list->count;
}

/* Of two neighbouring stretches of `from` one in `to`. */
static void merge(struct xpd_interval *to, const struct xpd_interval *from, size_t first,
                  size_t middle, size_t end)
{
    size_t a = first, b = middle;
    for (size_t i = first; i < end; i++)
        to[i] = b >= end || (a < middle && from[a].start_ps <= from[b].start_ps) ? from[a++]
                                                                                 : from[b++];
}

/* By start. A list comes in a few stretches in order, one a row: they are merged, which is linear
 * in what there is; a stretch less in two each round. */
static void sort(struct xpd_intervals *list)
{
    struct xpd_interval *spare = NULL;
    while (list->count > 1 && run_end(list, 0) < list->count) {
        if (!spare && !(spare = malloc(list->count * sizeof *spare))) {
            list->failed = true;
            return;
        }
        for (size_t first = 0; first < list->count;) {
            size_t middle = run_end(list, first);
            size_t end = middle < list->count ? run_end(list, middle) : middle;
            merge(spare, list->at, first, middle, end);
            first = end;
        }
        memcpy(list->at, spare, list->count * sizeof *spare);
    }
    free(spare);
}

/* How many at the front are joined already: what one row does, one thing after another, is. */
static size_t joined(const struct xpd_intervals *list)
{
    size_t n = 0;
    while (n < list->count && list->at[n].start_ps < list->at[n].end_ps &&
           (n == 0 || list->at[n - 1].end_ps < list->at[n].start_ps))
        n++;
    return n;
}

void xpd_intervals_join(struct xpd_intervals *list)
{
    size_t kept = 0;
    if (joined(list) == list->count)
        return;
    sort(list);
    for (size_t i = 0; i < list->count; i++) {
        struct xpd_interval at = list->at[i];
        if (at.end_ps <= at.start_ps)
            continue;
        if (kept > 0 && at.start_ps <= list->at[kept - 1].end_ps) {
            if (at.end_ps > list->at[kept - 1].end_ps)
                list->at[kept - 1].end_ps = at.end_ps;
        } else {
            list->at[kept++] = at;
        }
    }
    list->count = kept;
}

int64_t xpd_intervals_sum(const struct xpd_intervals *joined)
{
    int64_t sum_ps = 0;
    for (size_t i = 0; i < joined->count; i++)
        xpd_grow_i64(&sum_ps, joined->at[i].end_ps - joined->at[i].start_ps);
    return sum_ps;
}

int64_t xpd_intervals_inside(const struct xpd_intervals *joined, int64_t from_ps, int64_t to_ps)
{
    size_t low = 0;
    int64_t sum_ps = 0;
    XPD_BISECT(low, joined->count, middle, joined->at[middle].end_ps <= from_ps);
    for (; low < joined->count && joined->at[low].start_ps < to_ps; low++) {
        const struct xpd_interval *at = &joined->at[low];
        int64_t from = at->start_ps > from_ps ? at->start_ps : from_ps;
        int64_t to = at->end_ps < to_ps ? at->end_ps : to_ps;
        xpd_grow_i64(&sum_ps, to - from);
    }
    return sum_ps;
}

#define FEW 16 /* times as many in the other list: then each is looked for there */

int64_t xpd_intervals_common(const struct xpd_intervals *a, const struct xpd_intervals *b)
{
    int64_t sum_ps = 0;
    if (b->count < a->count / FEW)
        return xpd_intervals_common(b, a);
    if (a->count < b->count / FEW) {
        for (size_t i = 0; i < a->count; i++)
            xpd_grow_i64(&sum_ps, xpd_intervals_inside(b, a->at[i].start_ps, a->at[i].end_ps));
        return sum_ps;
    }
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        int64_t from =
            a->at[i].start_ps > b->at[j].start_ps ? a->at[i].start_ps : b->at[j].start_ps;
        int64_t to = a->at[i].end_ps < b->at[j].end_ps ? a->at[i].end_ps : b->at[j].end_ps;
        if (to > from)
            xpd_grow_i64(&sum_ps, to - from);
        if (a->at[i].end_ps < b->at[j].end_ps)
            i++;
        else
            j++;
    }
    return sum_ps;
}
