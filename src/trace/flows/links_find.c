/* From the bytes of events to their numbers in the trace; what lies in no row is dropped.
 *
 * Links are sorted by the places of their events. Events of a depth mostly stand in the file in the
 * order of time, so each is looked for a little behind the one before. */
#include "links.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

struct places { /* of links, or of roots: sorted, those of one event beside each other */
    uint64_t *where;
    uint32_t *number; /* in the links */
    uint32_t count;
};

struct finding {
    struct xpd_links *links;
    const struct xpd_trace *trace;
    struct places link, root;
    _Atomic uint32_t next_depth;
};

static bool sort_places(struct places *places, uint64_t *where, size_t count)
{
    if (count >= UINT32_MAX)
        return false;
    *places = (struct places){where, malloc((count + 1) * sizeof *places->number), (uint32_t)count};
    for (uint32_t i = 0; places->number && i < count; i++)
        places->number[i] = i;
    return places->number && xpd_radix_sort_u64(where, places->number, places->count);
}

/* The first place that is not before `where`; `near` is where the event before was found. */
static uint32_t seek(const struct places *places, uint32_t near, uint64_t where)
{
    uint32_t low = near, high = places->count;
    if (near > 0 && places->where[near - 1] >= where) {
        low = 0;
        high = near;
    } else {
        for (uint32_t step = 1; low < high; step *= 2) {
            uint32_t at = high - low > step ? low + step - 1 : high - 1;
            if (places->where[at] >= where) {
                high = at;
                break;
            }
            low = at + 1;
        }
    }
    XPD_BISECT(low, high, middle, places->where[middle] < where);
    return low;
}

/* The links of a depth get its numbers: no other depth has the same events. */
static void name_depth(const struct finding *finding, const struct xpd_depth *depth)
{
    const struct places *link = &finding->link, *root = &finding->root;
    uint32_t l = 0, r = 0;
    for (uint32_t i = 0; i < depth->count; i++) {
        uint64_t where = xpd_depth_where(depth, i), event = depth->first_event + i;
        l = seek(link, l, where);
        r = seek(root, r, where);
        for (; l < link->count && link->where[l] == where; l++)
            finding->links->link.at[link->number[l]].event = event;
        for (; r < root->count && root->where[r] == where; r++)
            finding->links->root.at[root->number[r]].event = event;
    }
}

static void name_depths(void *context, uint32_t thread)
{
    struct finding *finding = context;
    (void)thread;
    for (;;) {
        uint32_t d = atomic_fetch_add(&finding->next_depth, 1);
        if (d >= finding->trace->depth_count)
            return;
        if (finding->trace->depth[d].where_low)
            name_depth(finding, &finding->trace->depth[d]);
    }
}

/* Entries whose event is in no row go. */
static void drop_lost(struct xpd_links *links)
{
    size_t kept = 0;
    for (size_t i = 0; i < links->link.count; i++)
        if (links->link.at[i].event != UINT64_MAX)
            links->link.at[kept++] = links->link.at[i];
        else
            links->lost_count++;
    links->link.count = kept;
    kept = 0;
    for (size_t i = 0; i < links->root.count; i++)
        if (links->root.at[i].event != UINT64_MAX)
            links->root.at[kept++] = links->root.at[i];
    links->root.count = kept;
}

int xpd_links_find(struct xpd_links *links, const struct xpd_trace *trace, uint64_t *link_where,
                   uint64_t *root_where, struct xpd_err *err)
{
    struct finding finding = {.links = links, .trace = trace};
    for (size_t i = 0; i < links->link.count; i++)
        links->link.at[i].event = UINT64_MAX;
    for (size_t i = 0; i < links->root.count; i++)
        links->root.at[i].event = UINT64_MAX;
    bool fine = sort_places(&finding.link, link_where, links->link.count) &&
                sort_places(&finding.root, root_where, links->root.count);
    if (fine && finding.link.count + finding.root.count > 0) {
        xpd_threads_run(xpd_threads_count(0), name_depths, &finding);
        drop_lost(links);
    }
    free(finding.link.number);
    free(finding.root.number);
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                           "no memory for the links between %zu events", links->link.count);
}
