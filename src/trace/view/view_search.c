/* In: flags by name. Out: counts by name in one pass over the name columns, then one page of hits:
 * the depths are sorted, so a heap of them gives the order of time without keeping all hits. */
#include "xprofd/trace/search.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct lane { /* a depth and its next hit */
    uint32_t row, depth, next, end;
    const struct xpd_depth *at;
};
struct search {
    const struct xpd_search_ask *ask;
    struct xpd_search_found *out;
    struct lane *lane; /* a heap once the counting is done */
    uint32_t lane_count;
    double columns_per_ps;
};

static void flag_columns(struct search *search, int64_t start_ps, int64_t duration_ps)
{
    const struct xpd_search_ask *ask = search->ask;
    double from = ((double)start_ps - (double)ask->range.from_ps) * search->columns_per_ps;
    double to = from + (double)duration_ps * search->columns_per_ps;
    double last = (double)(ask->columns - 1);
    uint32_t first = from <= 0 ? 0 : from >= last ? ask->columns - 1 : (uint32_t)from;
    uint32_t end = to <= 0 ? 0 : to >= last ? ask->columns - 1 : (uint32_t)to;
    for (uint32_t i = first; i <= end; i++)
        search->out->flag[i] = 1;
}

static inline bool is_hit(const struct xpd_search_ask *ask, const struct xpd_depth *depth,
                          uint32_t i)
{
    return ask->wanted[depth->name[i]] ||
           (ask->args && xpd_arg_hit(ask->args, depth->first_event + i));
}

static void count_lane(struct search *search, struct lane *lane)
{
    const uint32_t *name = lane->at->name;
    uint32_t first_hit = lane->end;
    for (uint32_t i = lane->next; i < lane->end; i++) {
        if (!is_hit(search->ask, lane->at, i))
            continue;
        first_hit = i < first_hit ? i : first_hit;
        int64_t duration_ps = xpd_depth_duration(lane->at, i);
        search->out->count++;
        search->out->name_count[name[i]]++;
        xpd_grow_i64(&search->out->total_ps, duration_ps);
        xpd_grow_i64(&search->out->name_ps[name[i]], duration_ps);
        if (search->ask->columns > 0)
            flag_columns(search, xpd_depth_start(lane->at, i), duration_ps);
    }
    lane->next = first_hit;
}

static bool before(const struct lane *a, const struct lane *b)
{
    int64_t x = xpd_depth_start(a->at, a->next), y = xpd_depth_start(b->at, b->next);
    if (x != y)
        return x < y;
    return a->row != b->row ? a->row < b->row : a->depth < b->depth;
}

static void sink(struct search *search, uint32_t at)
{
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;
        for (uint32_t child = left; child < left + 2 && child < search->lane_count; child++)
            if (before(&search->lane[child], &search->lane[least]))
                least = child;
        if (least == at)
            return;
        struct lane kept = search->lane[at];
        search->lane[at] = search->lane[least];
        search->lane[least] = kept;
        at = least;
    }
}

/* The next hit in order of time; the lane moves on to its next one. */
static struct xpd_event take(struct search *search)
{
    struct lane *lane = &search->lane[0];
    struct xpd_event event =
        xpd_view_event_at(search->ask->view, lane->row, lane->depth, lane->next);
    do
        lane->next++;
    while (lane->next < lane->end && !is_hit(search->ask, lane->at, lane->next));
    if (lane->next == lane->end)
        *lane = search->lane[--search->lane_count];
    if (search->lane_count > 0)
        sink(search, 0);
    return event;
}

static void list_page(struct search *search, struct xpd_event *hit, uint64_t room)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->lane_count; i++)
        if (search->lane[i].next < search->lane[i].end)
            search->lane[kept++] = search->lane[i];
    search->lane_count = kept;
    for (uint32_t i = kept / 2; i-- > 0;)
        sink(search, i);
    for (uint64_t i = 0; i < search->ask->offset && search->lane_count > 0; i++)
        take(search);
    while (search->out->hit_count < room && search->lane_count > 0)
        hit[search->out->hit_count++] = take(search);
    search->out->hit = hit;
}

static bool find_lanes(struct search *search, struct xpd_arena *arena)
{
    const struct xpd_search_ask *ask = search->ask;
    size_t depths = 0;
    for (uint32_t r = 0; r < ask->row_count; r++)
        depths += xpd_view_row(ask->view, ask->row[r])->depth_count;
    search->lane = XPD_NEW_ARRAY(arena, struct lane, depths);
    if (!search->lane)
        return false;
    for (uint32_t r = 0; r < ask->row_count; r++)
        for (uint32_t d = 0; d < xpd_view_row(ask->view, ask->row[r])->depth_count; d++) {
            struct lane lane = {
                .row = ask->row[r], .depth = d, .at = xpd_view_depth(ask->view, ask->row[r], d)};
            xpd_view_range(ask->view, lane.at, ask->range, &lane.next, &lane.end);
            if (lane.next < lane.end)
                search->lane[search->lane_count++] = lane;
        }
    return true;
}

int xpd_search_events(struct xpd_search_found *out, const struct xpd_search_ask *ask,
                      struct xpd_arena *arena, struct xpd_err *err)
{
    struct search search = {.ask = ask, .out = out};
    *out = (struct xpd_search_found){0};
    out->name_count = XPD_NEW_ARRAY(arena, uint64_t, xpd_view_names(ask->view));
    out->name_ps = XPD_NEW_ARRAY(arena, int64_t, xpd_view_names(ask->view));
    out->flag = XPD_NEW_ARRAY(arena, uint8_t, ask->columns);
    if (!out->name_count || !out->name_ps || !out->flag || !find_lanes(&search, arena))
        return xpd_no_memory(err, NULL, "for this search");
    double width_ps = (double)ask->range.to_ps - (double)ask->range.from_ps;
    search.columns_per_ps = width_ps > 0 ? (double)ask->columns / width_ps : 0;
    for (uint32_t i = 0; i < search.lane_count; i++)
        count_lane(&search, &search.lane[i]);
    uint64_t room = out->count > ask->offset ? out->count - ask->offset : 0;
    room = room < ask->limit ? room : ask->limit;
    struct xpd_event *hit = XPD_NEW_ARRAY(arena, struct xpd_event, room);
    if (!hit)
        return xpd_no_memory(err, NULL, "for this search");
    list_page(&search, hit, room);
    return XPD_OK;
}
