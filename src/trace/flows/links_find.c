/* From the bytes of events to their numbers in the trace; what lies in no row is dropped. */
#include "links.h"

/* where -> first entry with it; entries of one event follow each other. */
static bool index_where(struct xpd_map64 *map, const uint64_t *where, size_t count)
{
    if (!xpd_map64_reserve(map, (uint32_t)count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || where[i] != where[i - 1])
            xpd_map64_put(map, where[i], (uint32_t)i);
    return !map->failed;
}

struct places { /* of the bytes of the events, by link and by root */
    const uint64_t *link, *root;
};

static void name_events(struct xpd_links *links, const struct xpd_trace *trace,
                        struct places where_of, const struct xpd_map64 *link_of,
                        const struct xpd_map64 *root_of)
{
    for (uint32_t d = 0; d < trace->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[d];
        for (uint32_t i = 0; depth->where_low && i < depth->count; i++) {
            uint64_t where = xpd_depth_where(depth, i), event = depth->first_event + i;
            for (uint32_t k = xpd_map64_get(link_of, where);
                 k < links->link.count && where_of.link[k] == where; k++)
                links->link.at[k].event = event;
            for (uint32_t k = xpd_map64_get(root_of, where);
                 k < links->root.count && where_of.root[k] == where; k++)
                links->root.at[k].event = event;
        }
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

int xpd_links_find(struct xpd_links *links, const struct xpd_trace *trace,
                   const uint64_t *link_where, const uint64_t *root_where, struct xpd_err *err)
{
    struct xpd_map64 link_of = {0}, root_of = {0};
    for (size_t i = 0; i < links->link.count; i++)
        links->link.at[i].event = UINT64_MAX;
    for (size_t i = 0; i < links->root.count; i++)
        links->root.at[i].event = UINT64_MAX;
    bool fine = links->link.count < UINT32_MAX && links->root.count < UINT32_MAX &&
                index_where(&link_of, link_where, links->link.count) &&
                index_where(&root_of, root_where, links->root.count);
    if (fine && (links->link.count > 0 || links->root.count > 0)) {
        name_events(links, trace, (struct places){link_where, root_where}, &link_of, &root_of);
        drop_lost(links);
    }
    xpd_map64_fini(&link_of);
    xpd_map64_fini(&root_of);
    return fine ? XPD_OK
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                           "no memory for the links between %zu events", links->link.count);
}
