/* Links in order: those with a node first, then by kind, category, key and process, ends that
 * follow before ends that are followed. A GPU's profile has one link for each event. */
#include "links_sort.h"
#include "xprofd/base/buckets.h"
#include "xprofd/base/order.h"

#include <assert.h>

static_assert(sizeof(struct xpd_link) == XPD_RECORD_BYTES && offsetof(struct xpd_link, key) == 0,
              "as xpd_buckets_sort takes them");

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

static uint32_t bucket_of(const void *record)
{
    const struct xpd_link *link = record;
    return (uint32_t)(link->node == XPD_NO_NODE) << 9 | (uint32_t)link->kind << 6 |
           (uint32_t)link->group_category;
}

void xpd_links_sort(struct xpd_link *link, size_t count)
{
    size_t end[XPD_BUCKETS], first = 0;
    if (count == 0) /* then there is no array */
        return;
    xpd_buckets_split(link, count, bucket_of, end);
    for (uint32_t b = 0; b < XPD_BUCKETS; first = end[b++])
        xpd_buckets_sort(link + first, end[b] - first, by_context);
}
