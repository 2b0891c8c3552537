/* XProf's rule of visibility (trace_events_filter, 2.24.2) at one resolution. It keeps the first
 * event of a stretch and drops those that follow within the resolution: sampling, which is why the
 * page does not use it. */
#include "viewer_private.h"
#include "xprofd/base/bisect.h"

struct visible_row {
    /* By nesting depth: the least end of the last visible events down to it. It falls with depth,
     * so the first end that is not behind a time is found by bisection. */
    XPD_VEC(int64_t) end;
    int64_t flow_end_ps;
    bool has_flow;
};

/* Two bits of each machine for a flow, at its `shift`: 0 unseen, 1 hidden, 2 visible. Machines that
 * share them ask for the same flow one after another: the last one is at hand. */
struct flow_states {
    struct xpd_map64 of; /* flow -> bits */
    uint64_t flow;
    uint32_t bits;
    bool any, changed;
};

struct xpd_visible {
    int64_t resolution_ps;
    struct xpd_map64 row_of;     /* pid, tid -> row */
    XPD_VEC(uint32_t) of_stream; /* row + 1 of the queried streams; 0 = not yet */
    XPD_VEC(struct visible_row) row;
    struct xpd_map64 free_of; /* pid, name -> last: asynchronous events and counters */
    XPD_VEC(int64_t) last;
    struct flow_states own_flows, *flow_of;
    unsigned shift;
    bool failed;
};

struct xpd_visible *xpd_visible_new(int64_t resolution_ps)
{
    struct xpd_visible *visible = calloc(1, sizeof *visible);
    if (visible) {
        visible->resolution_ps = resolution_ps;
        visible->flow_of = &visible->own_flows;
    }
    return visible;
}

void xpd_visible_free(struct xpd_visible *visible)
{
    if (!visible)
        return;
    for (size_t i = 0; i < visible->row.count; i++)
        XPD_VEC_FINI(&visible->row.at[i].end);
    XPD_VEC_FINI(&visible->row);
    XPD_VEC_FINI(&visible->of_stream);
    XPD_VEC_FINI(&visible->last);
    xpd_map64_fini(&visible->row_of);
    xpd_map64_fini(&visible->free_of);
    xpd_map64_fini(&visible->own_flows.of);
    free(visible);
}

static struct visible_row *find_row(struct xpd_visible *visible,
                                    const struct xpd_xprof_event *event)
{
    uint64_t key = (uint64_t)event->pid << 32 | event->tid;
    uint32_t at = xpd_map64_get(&visible->row_of, key);
    if (at == XPD_NO_INDEX) {
        struct visible_row row = {0};
        at = (uint32_t)visible->row.count;
        XPD_PUSH(&visible->row, row);
        xpd_map64_put(&visible->row_of, key, at);
        if (visible->row.failed || visible->row_of.failed) {
            visible->failed = true;
            return NULL;
        }
    }
    while (visible->of_stream.count <= event->stream && !visible->of_stream.failed)
        XPD_PUSH(&visible->of_stream, 0);
    if (visible->of_stream.failed) {
        visible->failed = true;
        return NULL;
    }
    visible->of_stream.at[event->stream] = at + 1;
    return &visible->row.at[at];
}

/* A stream is of one row. */
static struct visible_row *row_of(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint32_t known =
        event->stream < visible->of_stream.count ? visible->of_stream.at[event->stream] : 0;
    return known ? &visible->row.at[known - 1] : find_row(visible, event);
}

/* Events without a row: by the start of the last visible one of the same name. */
static bool ask_free(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint64_t key = xpd_hash(event->name.data, event->name.size) ^ ((uint64_t)event->pid << 32);
    uint32_t at = xpd_map64_get(&visible->free_of, key);
    if (at == XPD_NO_INDEX) {
        xpd_map64_put(&visible->free_of, key, (uint32_t)visible->last.count);
        XPD_PUSH(&visible->last, event->start_ps);
        visible->failed |= visible->last.failed || visible->free_of.failed;
        return true;
    }
    if (event->start_ps - visible->last.at[at] < visible->resolution_ps)
        return false;
    visible->last.at[at] = event->start_ps;
    return true;
}

void xpd_visible_share(struct xpd_visible *visible, struct xpd_visible *with, unsigned number)
{
    visible->flow_of = with->flow_of;
    visible->shift = 2 * number;
}

static uint32_t *flow_bits(struct xpd_visible *visible, uint64_t flow)
{
    struct flow_states *states = visible->flow_of;
    if (states->any && states->flow == flow)
        return &states->bits;
    if (states->changed)
        xpd_map64_put(&states->of, states->flow, states->bits);
    visible->failed |= states->of.failed;
    uint32_t bits = xpd_map64_get(&states->of, flow);
    states->flow = flow;
    states->bits = bits == XPD_NO_INDEX ? 0 : bits;
    states->any = true;
    states->changed = false;
    return &states->bits;
}

static uint32_t flow_state(struct xpd_visible *visible, uint64_t flow)
{
    return *flow_bits(visible, flow) >> visible->shift & 3;
}

static void set_flow_state(struct xpd_visible *visible, uint64_t flow, uint32_t state)
{
    uint32_t *bits = flow_bits(visible, flow);
    *bits = (*bits & ~(UINT32_C(3) << visible->shift)) | state << visible->shift;
    visible->flow_of->changed = true;
}

/* All ends of a flow are visible or none; the first one decides. */
static bool ask_flow(struct xpd_visible *visible, const struct visible_row *row,
                     const struct xpd_xprof_event *event, bool yes)
{
    int64_t end_ps = event->start_ps + event->duration_ps;
    uint32_t decided = flow_state(visible, event->flow);
    if (decided == 0) {
        bool shown = yes || !row->has_flow || end_ps - row->flow_end_ps >= visible->resolution_ps;
        decided = shown ? 2 : 1;
        set_flow_state(visible, event->flow, decided);
    }
    if (event->ends == XPD_FLOW_IN)
        set_flow_state(visible, event->flow, 0);
    return yes || decided == 2;
}

static void set_end(struct xpd_visible *visible, struct visible_row *row, size_t depth,
                    const struct xpd_xprof_event *event)
{
    int64_t end_ps = event->start_ps + event->duration_ps;
    if (event->in_flow) {
        row->flow_end_ps = end_ps;
        row->has_flow = true;
    }
    row->end.count = depth;
    if (depth > 0 && row->end.at[depth - 1] < end_ps)
        end_ps = row->end.at[depth - 1];
    XPD_PUSH(&row->end, end_ps);
    visible->failed |= row->end.failed;
}

static size_t first_ended(const struct visible_row *row, int64_t start_ps)
{
    size_t low = 0;
    XPD_BISECT(low, row->end.count, middle, row->end.at[middle] > start_ps);
    return low;
}

static bool ask_row(struct xpd_visible *visible, struct visible_row *row,
                    const struct xpd_xprof_event *event)
{
    size_t depth = first_ended(row, event->start_ps);
    bool yes = event->duration_ps >= visible->resolution_ps || depth == row->end.count ||
               event->start_ps - row->end.at[depth] >= visible->resolution_ps;
    if (event->in_flow)
        yes = ask_flow(visible, row, event, yes);
    if (!yes)
        return false;
    set_end(visible, row, depth, event);
    return true;
}

bool xpd_visible_ask(struct xpd_visible *visible, const struct xpd_xprof_event *event, bool *yes)
{
    if (event->kind != XPD_XPROF_SLICE) {
        *yes = ask_free(visible, event);
        return !visible->failed;
    }
    struct visible_row *row = row_of(visible, event);
    if (row)
        *yes = ask_row(visible, row, event);
    return !visible->failed;
}

static void set_free(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint64_t key = xpd_hash(event->name.data, event->name.size) ^ ((uint64_t)event->pid << 32);
    uint32_t at = xpd_map64_get(&visible->free_of, key);
    if (at != XPD_NO_INDEX) {
        visible->last.at[at] = event->start_ps;
        return;
    }
    xpd_map64_put(&visible->free_of, key, (uint32_t)visible->last.count);
    XPD_PUSH(&visible->last, event->start_ps);
    visible->failed |= visible->last.failed || visible->free_of.failed;
}

static void set_flow(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    if (event->ends == XPD_FLOW_IN)
        set_flow_state(visible, event->flow, 0);
    else if (flow_state(visible, event->flow) == 0)
        set_flow_state(visible, event->flow, 2);
}

bool xpd_visible_set(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    if (event->kind != XPD_XPROF_SLICE) {
        set_free(visible, event);
        return !visible->failed;
    }
    struct visible_row *row = row_of(visible, event);
    if (!row)
        return false;
    if (event->in_flow)
        set_flow(visible, event);
    set_end(visible, row, first_ended(row, event->start_ps), event);
    return !visible->failed;
}
