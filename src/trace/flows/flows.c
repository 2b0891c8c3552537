/* Flows out of links: every end of a flow gets the same id, then the ends are put in order.
 *
 * XProf keeps one flow of an event (the one read last); here an event may have any number. */
#include "links.h"
#include "xprofd/base/bisect.h"

#define XPD_LAST_CATEGORY 17u /* SparseCore offload */

const char *xpd_flow_category_word(uint8_t category)
{
    static const char *const words[] = {"",
                                        "",
                                        "tf_exec",
                                        "tfrt_exec",
                                        "batch_sched",
                                        "PjRt",
                                        "as_batch_sched",
                                        "tfrt_rt",
                                        "tpu_embed",
                                        "gpu_launch",
                                        "batcher",
                                        "tpu_stream",
                                        "tpu_launch",
                                        "pathways_exec",
                                        "pjrt_library_call",
                                        "threadpool_event",
                                        "jax_serving",
                                        "sparsecore_offload"};
    return category < sizeof words / sizeof *words ? words[category] : "";
}

/* XProf takes a type it does not know for the generic one. */
static uint8_t safe_category(uint8_t category)
{
    return category <= XPD_LAST_CATEGORY ? category : 0;
}

/* Flows of two hosts are two, unless the profile does not say which host it is of. */
static uint64_t host_of(const struct xpd_trace *trace)
{
    const struct xpd_xspace *space = trace->space;
    if (space->hostname_count == 0)
        return 0;
    struct xpd_str name = xpd_intern_get(&space->names, space->hostname[0]);
    return name.size > 0 ? xpd_hash(name.data, name.size) : 0;
}

/* 56 bits, as a flow id of the file has; equal for equal (host, kind, category, key). */
static uint64_t flow_id(const struct xpd_link *link, uint64_t host)
{
    if (link->kind == XPD_LINK_FLOW)
        return link->flow_key;
    uint64_t text[4] = {host, link->kind, safe_category(link->category), link->flow_key};
    return xpd_hash(text, sizeof text) & ((UINT64_C(1) << 56) - 1);
}

/* XProf reads a flow of the file first, then those it appends: correlation, producer, consumer. */
static uint8_t rank_of(const struct xpd_link *link)
{
    if (link->kind == XPD_LINK_FLOW)
        return 0;
    if (link->kind == XPD_LINK_CORRELATION)
        return 1;
    return link->ends == XPD_FLOW_OUT ? 2 : 3;
}

static int64_t start_of(const struct xpd_trace *trace, uint64_t event)
{
    const struct xpd_depth *depth;
    uint32_t index;
    return xpd_trace_find(trace, event, &depth, &index) ? depth->start_ps[index] : 0;
}

struct ordered { /* a point with what it is sorted by */
    struct xpd_flow_point point;
    int64_t start_ps;
};

static int by_flow(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->point.flow != y->point.flow)
        return x->point.flow < y->point.flow ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->point.event != y->point.event)
        return x->point.event < y->point.event ? -1 : 1;
    return (int)x->point.ends - (int)y->point.ends;
}

struct by_event { /* point number under its event */
    uint64_t event;
    uint32_t point;
};

static int by_event(const void *a, const void *b)
{
    const struct by_event *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static void count_flows(struct xpd_flows *flows)
{
    for (uint64_t i = 0; i < flows->point_count;) {
        unsigned ends = 0;
        uint64_t flow = flows->point[i].flow;
        for (; i < flows->point_count && flows->point[i].flow == flow; i++)
            ends |= flows->point[i].ends;
        if (ends == (XPD_FLOW_IN | XPD_FLOW_OUT))
            flows->matched_count++;
        else
            flows->open_count++;
    }
}

static struct xpd_flow_point point_of(const struct xpd_link *link, uint64_t host)
{
    return (struct xpd_flow_point){.flow = flow_id(link, host),
                                   .event = link->event,
                                   .ends = link->ends,
                                   .category = safe_category(link->category),
                                   .rank = rank_of(link),
                                   .async = link->async};
}

static int by_number(const void *a, const void *b)
{
    const struct xpd_flow_point *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

/* What has no direction stands by itself. */
static bool fill_still(struct xpd_flows *flows, const struct xpd_links *links, size_t count,
                       uint64_t host)
{
    flows->still = XPD_NEW_ARRAY(&flows->arena, struct xpd_flow_point, count);
    for (size_t i = 0; flows->still && i < links->link.count; i++)
        if (links->link.at[i].ends == 0)
            flows->still[flows->still_count++] = point_of(&links->link.at[i], host);
    if (flows->still_count > 1)
        qsort(flows->still, flows->still_count, sizeof *flows->still, by_number);
    return flows->still != NULL;
}

static bool fill(struct xpd_flows *flows, const struct xpd_links *links,
                 const struct xpd_trace *trace)
{
    size_t all = links->link.count, count = 0;
    uint64_t host = host_of(trace);
    for (size_t i = 0; i < all; i++)
        count += links->link.at[i].ends != 0;
    if (all - count >= UINT32_MAX || !fill_still(flows, links, all - count, host))
        return false;
    flows->point = XPD_NEW_ARRAY(&flows->arena, struct xpd_flow_point, count);
    flows->by_event = XPD_NEW_ARRAY(&flows->arena, uint32_t, count);
    struct ordered *order = malloc((count + 1) * sizeof *order);
    struct by_event *event = malloc((count + 1) * sizeof *event);
    bool fine = flows->point && flows->by_event && order && event;
    for (size_t i = 0, at = 0; fine && i < all; i++) {
        const struct xpd_link *link = &links->link.at[i];
        if (link->ends == 0)
            continue;
        order[at].point = point_of(link, host);
        order[at++].start_ps = start_of(trace, link->event);
    }
    if (fine) {
        qsort(order, count, sizeof *order, by_flow);
        for (size_t i = 0; i < count; i++) {
            flows->point[i] = order[i].point;
            event[i] = (struct by_event){.event = order[i].point.event, .point = (uint32_t)i};
        }
        qsort(event, count, sizeof *event, by_event);
        for (size_t i = 0; i < count; i++)
            flows->by_event[i] = event[i].point;
        flows->point_count = count;
        count_flows(flows);
    }
    free(order);
    free(event);
    return fine;
}

int xpd_flows_make(struct xpd_flows **out, const struct xpd_trace *trace,
                   uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_links links;
    int rc = xpd_links_scan(&links, trace, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_flows *flows = calloc(1, sizeof *flows);
    if (flows)
        xpd_arena_init(&flows->arena, arena_budget_bytes);
    if (!flows || !fill(flows, &links, trace)) {
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for %zu ends of flows",
                      links.link.count);
        xpd_flows_free(flows);
        flows = NULL;
    }
    xpd_links_fini(&links);
    *out = flows;
    return rc;
}

void xpd_flows_free(struct xpd_flows *flows)
{
    if (!flows)
        return;
    xpd_arena_fini(&flows->arena);
    free(flows);
}

uint64_t xpd_flows_first(const struct xpd_flows *flows, uint64_t event)
{
    uint64_t low = 0;
    XPD_BISECT(low, flows->point_count, middle,
               flows->point[flows->by_event[middle]].event < event);
    return low;
}

const struct xpd_flow_point *xpd_flows_without_end(const struct xpd_flows *flows, uint64_t event)
{
    uint32_t low = 0;
    XPD_BISECT(low, flows->still_count, middle, flows->still[middle].event < event);
    return low < flows->still_count && flows->still[low].event == event ? &flows->still[low] : NULL;
}
