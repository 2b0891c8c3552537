/* Links in order: those with a node first, then by kind, category, key and process, ends that
 * follow before ends that are followed.
 *
 * A GPU's profile has one link for each event, and qsort would take as much memory again. Here they
 * change places in their array: by kind and category, then by ranges of keys, until few are left.
 */
#include "links_sort.h"
#include "xprofd/base/order.h"

#include <stdlib.h>

enum { BUCKETS = 1024, FEW = 256 };

/* What events name as their context is of one process, where they say which; what was launched is
 * of any. */
static uint64_t process_of(const struct xpd_link *link)
{
    return link->kind == XPD_LINK_CONTEXT && link->has_pid ? (uint64_t)link->pid + 1 : 0;
}

int xpd_links_order(const struct xpd_link *a, const struct xpd_link *b)
{
    if (a->kind != b->kind)
        return XPD_ORDER(a->kind, b->kind);
    if (a->group_category != b->group_category)
        return XPD_ORDER(a->group_category, b->group_category);
    if (a->key != b->key)
        return XPD_ORDER(a->key, b->key);
    return XPD_ORDER(process_of(a), process_of(b));
}

static int by_context(const void *a, const void *b)
{
    const struct xpd_link *x = a, *y = b;
    int order = xpd_links_order(x, y);
    if (order == 0)
        order = XPD_ORDER(y->ends & XPD_FLOW_IN, x->ends & XPD_FLOW_IN);
    return order ? order : XPD_ORDER(x->node, y->node);
}

struct range { /* of keys; else links go by kind and category */
    uint64_t least;
    unsigned shift;
    bool by_key;
};

static uint32_t bucket_of(const struct range *range, const struct xpd_link *link)
{
    if (range->by_key)
        return (uint32_t)((link->key - range->least) >> range->shift);
    return (uint32_t)(link->node == XPD_NO_NODE) << 9 | (uint32_t)link->kind << 6 |
           (uint32_t)link->group_category;
}

/* Each link goes to its bucket, in place; end[b] is then behind the last one of bucket b. */
static void place(struct xpd_link *link, size_t count, const struct range *range,
                  size_t end[BUCKETS])
{
    size_t next[BUCKETS] = {0}, before = 0;
    for (size_t i = 0; i < count; i++)
        next[bucket_of(range, &link[i])]++;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        size_t own = next[b];
        next[b] = before;
        before += own;
        end[b] = before;
    }
    for (uint32_t b = 0; b < BUCKETS; b++)
        while (next[b] < end[b]) {
            struct xpd_link moved = link[next[b]];
            for (uint32_t to = bucket_of(range, &moved); to != b; to = bucket_of(range, &moved)) {
                struct xpd_link other = link[next[to]];
                link[next[to]++] = moved;
                moved = other;
            }
            link[next[b]++] = moved;
        }
}

/* Links of one kind and category. Each call leaves a thousandth of the range of keys. */
static void sort_keys(struct xpd_link *link, size_t count)
{
    struct range range = {.by_key = true, .least = UINT64_MAX};
    uint64_t most = 0;
    size_t end[BUCKETS], first = 0;
    for (size_t i = 0; i < count && count > FEW; i++) {
        range.least = link[i].key < range.least ? link[i].key : range.least;
        most = link[i].key > most ? link[i].key : most;
    }
    if (count <= FEW || range.least == most) {
        if (count > 1)
            qsort(link, count, sizeof *link, by_context);
        return;
    }
    while ((most - range.least) >> range.shift >= BUCKETS)
        range.shift++;
    place(link, count, &range, end);
    for (uint32_t b = 0; b < BUCKETS; first = end[b++])
        sort_keys(link + first, end[b] - first);
}

void xpd_links_sort(struct xpd_link *link, size_t count)
{
    struct range range = {.by_key = false};
    size_t end[BUCKETS], first = 0;
    place(link, count, &range, end);
    for (uint32_t b = 0; b < BUCKETS; first = end[b++])
        sort_keys(link + first, end[b] - first);
}
