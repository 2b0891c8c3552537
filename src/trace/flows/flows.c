/* Flows out of links: every end of a flow gets the same id, then the ends are put in order.
 *
 * XProf keeps one flow of an event (the one read last); here an event may have any number. */
#include "links.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"

#include <assert.h>

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

/* XProf treats an unknown type as the generic one. */
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
    uint64_t key = link->no_flow_key ? 0 : link->key;
    if (link->kind == XPD_LINK_FLOW)
        return key;
    uint64_t text[4] = {host, link->kind, safe_category(link->category), key};
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
    return xpd_trace_find(trace, event, &depth, &index) ? xpd_depth_start(depth, index) : 0;
}

struct ordered { /* a point with what it is sorted by */
    struct xpd_flow_point point;
    int64_t start_ps;
    uint32_t turn;
};

static int by_start(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->point.event != y->point.event)
        return x->point.event < y->point.event ? -1 : 1;
    if (x->point.ends != y->point.ends)
        return (int)x->point.ends - (int)y->point.ends;
    return (x->turn > y->turn) - (x->turn < y->turn);
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

/* A point without a direction has no partner. */
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

/* The numbers of the points by flow, or by event: those that are equal in the order they have. */
static uint32_t *numbers_by(const struct xpd_flow_point *point, uint32_t count, bool by_event,
                            uint32_t *number)
{
    uint64_t *key = malloc(((size_t)count + 1) * sizeof *key);
    for (uint32_t i = 0; key && number && i < count; i++) {
        key[i] = by_event ? point[i].event : point[i].flow;
        number[i] = i;
    }
    bool fine = key && number && xpd_radix_sort_u64(key, number, count);
    free(key);
    return fine ? number : NULL;
}

/* The ends of each flow by time; many have but one. */
static bool sort_ends(struct xpd_flows *flows, const struct xpd_trace *trace)
{
    XPD_VEC(struct ordered) of = {0};
    for (uint64_t first = 0, end; first < flows->point_count && !of.failed; first = end) {
        const struct xpd_flow_point *point = flows->point;
        for (end = first + 1; end < flows->point_count && point[end].flow == point[first].flow;)
            end++;
        if (end - first == 2) { /* usually its producer and its consumer */
            struct ordered two[2] = {
                {point[first], start_of(trace, point[first].event), 0},
                {point[first + 1], start_of(trace, point[first + 1].event), 1}};
            if (by_start(&two[0], &two[1]) > 0) {
                flows->point[first] = two[1].point;
                flows->point[first + 1] = two[0].point;
            }
            continue;
        }
        of.count = 0;
        for (uint64_t i = first; i < end && end - first > 1; i++) {
            struct ordered at = {point[i], start_of(trace, point[i].event), (uint32_t)(i - first)};
            XPD_PUSH(&of, at);
        }
        if (of.count > 1 && !of.failed)
            qsort(of.at, of.count, sizeof *of.at, by_start);
        for (size_t i = 0; i < of.count && !of.failed; i++)
            flows->point[first + i] = of.at[i].point;
    }
    bool fine = !of.failed;
    XPD_VEC_FINI(&of);
    return fine;
}

/* The points take the place of the links, whose memory they keep. */
static bool take_points(struct xpd_flows *flows, struct xpd_links *links, uint64_t host)
{
    static_assert(sizeof(struct xpd_flow_point) <= sizeof(struct xpd_link), "in place");
    const struct xpd_link *link = links->link.at;
    struct xpd_flow_point *point = (void *)links->link.at;
    size_t count = 0;
    for (size_t i = 0; i < links->link.count; i++)
        if (link[i].ends != 0) {
            struct xpd_flow_point made = point_of(&link[i], host);
            point[count++] = made;
        }
    void *fitted = realloc(point, (count + 1) * sizeof *point);
    flows->point = fitted ? fitted : point;
    flows->point_count = count;
    links->link.at = NULL;
    links->link.count = links->link.capacity = 0;
    return fitted != NULL;
}

/* Moves each point to its place: number[i] is the one that comes to place i. Takes the numbers
 * apart. */
static void move_points(struct xpd_flow_point *point, uint32_t *number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct xpd_flow_point first = point[i];
        uint32_t to = i, from;
        for (; (from = number[to]) != i; to = from) {
            point[to] = point[from];
            number[to] = to;
        }
        point[to] = first;
        number[to] = to;
    }
}

/* XProf's route asks for the flows of every event: a block of events leaves few to look at. */
bool xpd_flows_index(struct xpd_flows *flows)
{
    const struct xpd_flow_point *point = flows->point;
    uint64_t count = flows->point_count, b = 0;
    if (count > 0)
        flows->block_count = point[flows->by_event[count - 1]].event / XPD_FLOW_BLOCK + 1;
    flows->block = XPD_NEW_ROOM(&flows->arena, uint32_t, flows->block_count + 1);
    if (!flows->block)
        return false;
    for (uint32_t i = 0; i < count; i++)
        while (b <= point[flows->by_event[i]].event / XPD_FLOW_BLOCK)
            flows->block[b++] = i;
    flows->block[flows->block_count] = (uint32_t)count;
    return true;
}

static bool fill(struct xpd_flows *flows, struct xpd_links *links, const struct xpd_trace *trace)
{
    uint64_t host = host_of(trace);
    size_t still = 0;
    for (size_t i = 0; i < links->link.count; i++)
        still += links->link.at[i].ends == 0;
    if (links->link.count >= UINT32_MAX || !fill_still(flows, links, still, host) ||
        !take_points(flows, links, host))
        return false;
    uint32_t count = (uint32_t)flows->point_count;
    flows->by_event = XPD_NEW_ROOM(&flows->arena, uint32_t, count);
    if (!numbers_by(flows->point, count, false, flows->by_event))
        return false;
    move_points(flows->point, flows->by_event, count);
    if (!sort_ends(flows, trace) || !numbers_by(flows->point, count, true, flows->by_event))
        return false;
    count_flows(flows);
    return xpd_flows_index(flows);
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
        rc = xpd_no_memory(err, NULL, "for the ends of flows");
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
    free(flows->point);
    xpd_arena_fini(&flows->arena);
    free(flows);
}

uint64_t xpd_flows_first(const struct xpd_flows *flows, uint64_t event)
{
    uint64_t block = event / XPD_FLOW_BLOCK;
    if (block >= flows->block_count)
        return flows->point_count;
    uint64_t low = flows->block[block], end = flows->block[block + 1];
    XPD_BISECT(low, end, middle, flows->point[flows->by_event[middle]].event < event);
    return low;
}

const struct xpd_flow_point *xpd_flows_without_end(const struct xpd_flows *flows, uint64_t event)
{
    uint32_t low = 0;
    XPD_BISECT(low, flows->still_count, middle, flows->still[middle].event < event);
    return low < flows->still_count && flows->still[low].event == event ? &flows->still[low] : NULL;
}
