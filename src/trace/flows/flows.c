/* Flows out of links: every end of a flow gets the same id, then the ends are put in order.
 *
 * XProf keeps one flow of an event (the one read last); here an event may have any number. */
#include "links.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/buckets.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/order.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/threads.h"

#include <assert.h>
#include <stdatomic.h>

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

/* An end of a flow before flows have numbers: it takes the place of its link. */
struct end {
    uint64_t id;
    uint64_t event;
    uint32_t turn; /* as they were read */
    uint8_t ends, category, rank;
    bool async;
};
static_assert(sizeof(struct end) == XPD_RECORD_BYTES && offsetof(struct end, id) == 0,
              "as xpd_buckets_sort takes them");
static_assert(sizeof(struct end) <= sizeof(struct xpd_link) &&
                  sizeof(struct xpd_flow_point) <= sizeof(struct end),
              "in place");

static struct end end_of(const struct xpd_link *link, uint64_t host, uint32_t turn)
{
    return (struct end){.id = flow_id(link, host),
                        .event = link->event,
                        .turn = turn,
                        .ends = link->ends,
                        .category = safe_category(link->category),
                        .rank = rank_of(link),
                        .async = link->async};
}

static struct xpd_flow_point point_of(const struct end *end, uint32_t flow)
{
    return (struct xpd_flow_point){.event = end->event,
                                   .flow = flow,
                                   .ends = end->ends,
                                   .category = end->category,
                                   .rank = end->rank,
                                   .async = end->async};
}

static int by_id(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return x->id != y->id ? XPD_ORDER(x->id, y->id) : XPD_ORDER(x->turn, y->turn);
}

/* ---- the ends of each flow by time; many have but one ---- */

struct ordered { /* an end with what it is sorted by */
    struct end end;
    int64_t start_ps;
};

static int by_start(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return XPD_ORDER(x->start_ps, y->start_ps);
    if (x->end.event != y->end.event)
        return XPD_ORDER(x->end.event, y->end.event);
    if (x->end.ends != y->end.ends)
        return XPD_ORDER(x->end.ends, y->end.ends);
    return XPD_ORDER(x->end.turn, y->end.turn);
}

enum { PIECES = 64 };
struct sorting {
    struct end *end;
    const struct xpd_trace *trace;
    uint64_t first[PIECES + 1]; /* of each piece: flows are whole */
    _Atomic bool failed;
};

static void sort_two(const struct sorting *sorting, struct end *end)
{
    struct ordered two[2] = {{end[0], start_of(sorting->trace, end[0].event)},
                             {end[1], start_of(sorting->trace, end[1].event)}};
    if (by_start(&two[0], &two[1]) > 0) {
        end[0] = two[1].end;
        end[1] = two[0].end;
    }
}

static void sort_piece(void *context, uint32_t piece, uint32_t thread)
{
    struct sorting *sorting = context;
    XPD_VEC(struct ordered) of = {0};
    struct end *end = sorting->end;
    uint64_t all = sorting->first[piece + 1];
    (void)thread;
    for (uint64_t first = sorting->first[piece], next; first < all && !of.failed; first = next) {
        for (next = first + 1; next < all && end[next].id == end[first].id;)
            next++;
        if (next - first == 2) { /* usually its producer and its consumer */
            sort_two(sorting, &end[first]);
            continue;
        }
        of.count = 0;
        for (uint64_t i = first; i < next && next - first > 1; i++)
            XPD_PUSH(&of, ((struct ordered){end[i], start_of(sorting->trace, end[i].event)}));
        if (of.count > 1 && !of.failed)
            qsort(of.at, of.count, sizeof *of.at, by_start);
        for (size_t i = 0; i < of.count && !of.failed; i++)
            end[first + i] = of.at[i].end;
    }
    if (of.failed)
        atomic_store(&sorting->failed, true);
    XPD_VEC_FINI(&of);
}

static bool sort_ends(struct end *end, uint64_t count, const struct xpd_trace *trace)
{
    struct sorting sorting = {.end = end, .trace = trace};
    xpd_buckets_sort(end, count, by_id);
    for (uint32_t piece = 1; piece <= PIECES; piece++) {
        uint64_t at = count * piece / PIECES;
        while (at > 0 && at < count && end[at].id == end[at - 1].id)
            at++;
        sorting.first[piece] = at;
    }
    xpd_threads_each(0, PIECES, sort_piece, &sorting);
    return !sorting.failed;
}

/* ---- points: they take the place of the ends ---- */

static uint32_t count_flows(struct xpd_flows *flows, const struct end *end, uint64_t count)
{
    uint32_t all = 0;
    for (uint64_t i = 0; i < count; all++) {
        unsigned ends = 0;
        uint64_t id = end[i].id;
        for (; i < count && end[i].id == id; i++)
            ends |= end[i].ends;
        if (ends == (XPD_FLOW_IN | XPD_FLOW_OUT))
            flows->matched_count++;
        else
            flows->open_count++;
    }
    return all;
}

static void make_points(struct xpd_flows *flows, const struct end *end, uint64_t count)
{
    struct xpd_flow_point *point = (void *)end;
    for (uint64_t i = 0; i < count; i++) {
        struct end at = end[i];
        if (flows->flow_count == 0 || flows->id[flows->flow_count - 1] != at.id)
            flows->id[flows->flow_count++] = at.id;
        point[i] = point_of(&at, flows->flow_count - 1);
    }
    struct xpd_flow_point *fitted = realloc(point, (count + 1) * sizeof *point);
    flows->point = fitted ? fitted : point;
    flows->point_count = count;
    flows->point_flows = flows->flow_count;
}

/* ---- stats "flow" without a direction: they have no partner ---- */

static int by_event(const void *a, const void *b)
{
    const struct xpd_flow_point *x = a, *y = b;
    return XPD_ORDER(x->event, y->event);
}

/* Each has the number of a flow that has points, where the id is the same; the others get numbers
 * of their own. */
static bool make_still(struct xpd_flows *flows, const struct end *end, uint32_t count)
{
    struct xpd_map64 own = {0};
    flows->still = XPD_NEW_ARRAY(&flows->arena, struct xpd_flow_point, count);
    for (uint32_t i = 0; flows->still && i < count; i++) {
        uint32_t flow = 0;
        XPD_BISECT(flow, flows->point_flows, middle, flows->id[middle] < end[i].id);
        if (flow == flows->point_flows || flows->id[flow] != end[i].id)
            flow = xpd_map64_get(&own, end[i].id);
        if (flow == XPD_NO_INDEX) {
            flow = flows->flow_count++;
            flows->id[flow] = end[i].id;
            xpd_map64_put(&own, end[i].id, flow);
        }
        flows->still[flows->still_count++] = point_of(&end[i], flow);
        flows->async |= end[i].async;
    }
    if (flows->still_count > 1)
        qsort(flows->still, flows->still_count, sizeof *flows->still, by_event);
    bool fine = flows->still && !own.failed;
    xpd_map64_fini(&own);
    return fine;
}

/* ---- by event ---- */

/* The numbers of the points by event, those of one in the order they have: malloc'ed, or NULL. */
static uint32_t *points_by_event(const struct xpd_flows *flows)
{
    uint32_t count = (uint32_t)flows->point_count;
    uint64_t *key = malloc(((size_t)count + 1) * sizeof *key);
    uint32_t *number = malloc(((size_t)count + 1) * sizeof *number);
    for (uint32_t i = 0; key && number && i < count; i++) {
        key[i] = flows->point[i].event;
        number[i] = i;
    }
    bool fine = key && number && xpd_radix_sort_u64(key, number, count);
    free(key);
    if (!fine)
        free(number);
    return fine ? number : NULL;
}

/* A block of events leaves few to look at. */
static void fill_blocks(struct xpd_flows *flows, const uint32_t *by_event)
{
    uint64_t b = 0;
    for (uint32_t i = 0; i < flows->point_count; i++) {
        const struct xpd_flow_point *point = &flows->point[by_event[i]];
        while (b <= point->event / XPD_FLOW_BLOCK)
            flows->block[b++] = i;
        flows->in_block[i] = (uint8_t)(point->event % XPD_FLOW_BLOCK);
        flows->of_event[i] = (struct xpd_flow_of){point->flow, point->ends, point->category,
                                                  point->rank, point->async};
        flows->async |= point->async;
    }
    flows->block[flows->block_count] = (uint32_t)flows->point_count;
}

static void fill_first(struct xpd_flows *flows)
{
    for (uint64_t i = flows->point_count; i-- > 0;)
        flows->first[flows->point[i].flow] = (uint32_t)i;
    flows->first[flows->point_flows] = (uint32_t)flows->point_count;
}

bool xpd_flows_index(struct xpd_flows *flows)
{
    uint64_t count = flows->point_count;
    uint32_t *by_event = points_by_event(flows);
    if (by_event && count > 0)
        flows->block_count = flows->point[by_event[count - 1]].event / XPD_FLOW_BLOCK + 1;
    flows->first = XPD_NEW_ROOM(&flows->arena, uint32_t, (uint64_t)flows->point_flows + 1);
    flows->of_event = XPD_NEW_ROOM(&flows->arena, struct xpd_flow_of, count + 1);
    flows->block = XPD_NEW_ROOM(&flows->arena, uint32_t, flows->block_count + 1);
    flows->in_block = XPD_NEW_ROOM(&flows->arena, uint8_t, count + 1);
    bool fine = by_event && flows->first && flows->of_event && flows->block && flows->in_block;
    if (fine) {
        fill_blocks(flows, by_event);
        fill_first(flows);
    }
    free(by_event);
    return fine;
}

/* ---- all ---- */

/* The points get the memory of the links. `still`: room for what has no direction. */
static bool make_all(struct xpd_flows *flows, struct xpd_links *links,
                     const struct xpd_trace *trace, struct end *still, size_t still_count)
{
    const struct xpd_link *link = links->link.at;
    struct end *end = (void *)links->link.at;
    uint64_t host = host_of(trace);
    uint32_t count = 0, other = 0;
    for (uint32_t i = 0; i < links->link.count; i++) {
        struct end at = end_of(&link[i], host, i);
        if (at.ends != 0)
            end[count++] = at;
        else
            still[other++] = at;
    }
    if (!sort_ends(end, count, trace))
        return false;
    uint64_t ids = count_flows(flows, end, count) + (uint64_t)still_count + 1;
    flows->id = XPD_NEW_ROOM(&flows->arena, uint64_t, ids);
    if (!flows->id)
        return false;
    links->link.at = NULL;
    links->link.count = links->link.capacity = 0;
    make_points(flows, end, count);
    return make_still(flows, still, other) && xpd_flows_index(flows);
}

static bool fill(struct xpd_flows *flows, struct xpd_links *links, const struct xpd_trace *trace)
{
    size_t still_count = 0;
    for (size_t i = 0; i < links->link.count; i++)
        still_count += links->link.at[i].ends == 0;
    struct end *still = malloc((still_count + 1) * sizeof *still);
    bool fine = still && links->link.count < UINT32_MAX &&
                make_all(flows, links, trace, still, still_count);
    free(still);
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

void xpd_flows_of(const struct xpd_flows *flows, uint64_t event, uint64_t *first, uint64_t *end)
{
    uint64_t block = event / XPD_FLOW_BLOCK;
    uint8_t in_block = (uint8_t)(event % XPD_FLOW_BLOCK);
    *first = *end = 0;
    if (block >= flows->block_count)
        return;
    uint64_t low = flows->block[block], all = flows->block[block + 1];
    XPD_BISECT(low, all, middle, flows->in_block[middle] < in_block);
    *first = *end = low;
    while (*end < all && flows->in_block[*end] == in_block)
        ++*end;
}

const struct xpd_flow_point *xpd_flows_without_end(const struct xpd_flows *flows, uint64_t event)
{
    uint32_t low = 0;
    XPD_BISECT(low, flows->still_count, middle, flows->still[middle].event < event);
    return low < flows->still_count && flows->still[low].event == event ? &flows->still[low] : NULL;
}
