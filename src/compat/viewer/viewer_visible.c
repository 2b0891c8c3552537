/* XProf's rule of visibility (trace_events_filter, 2.24.2). It keeps the first event of a stretch
 * and drops those that follow within the resolution: sampling, which is why the page does not use
 * it. */
#include "viewer_private.h"

#define NEVER INT64_MIN
enum { UNSEEN, HIDDEN, VISIBLE }; /* a flow, in two bits for each resolution */

struct xpd_visible {
    int64_t resolution_ps[XPD_XPROF_LEVELS];
    unsigned count;
    struct xpd_map64 row_of;     /* pid, tid -> row */
    XPD_VEC(uint32_t) of_stream; /* row + 1 of the queried streams; 0 = not yet */
    /* `count` for each row: what is visible, and the end of the last one with a flow, or NEVER. */
    XPD_VEC(struct xpd_ends) ends;
    XPD_VEC(int64_t) flow_end_ps;
    struct xpd_map64 free_of; /* pid, name: asynchronous events and counters */
    XPD_VEC(int64_t)
    last_ps;        /* `count` for each of them: the start of the last visible, or NEVER */
    uint32_t *flow; /* by number: bits */
    bool failed;
};

struct xpd_visible *xpd_visible_new(const int64_t *resolution_ps, unsigned count,
                                    uint32_t flow_count)
{
    struct xpd_visible *visible = calloc(1, sizeof *visible);
    if (visible)
        visible->flow = calloc((size_t)flow_count + 1, sizeof *visible->flow);
    if (!visible || !visible->flow) {
        free(visible);
        return NULL;
    }
    visible->count = count;
    memcpy(visible->resolution_ps, resolution_ps, count * sizeof *resolution_ps);
    return visible;
}

void xpd_visible_free(struct xpd_visible *visible)
{
    if (!visible)
        return;
    for (size_t i = 0; i < visible->ends.count; i++)
        XPD_VEC_FINI(&visible->ends.at[i].at_ps);
    XPD_VEC_FINI(&visible->ends);
    XPD_VEC_FINI(&visible->flow_end_ps);
    XPD_VEC_FINI(&visible->of_stream);
    XPD_VEC_FINI(&visible->last_ps);
    xpd_map64_fini(&visible->row_of);
    xpd_map64_fini(&visible->free_of);
    free(visible->flow);
    free(visible);
}

/* ---- events of rows ---- */

static uint32_t find_row(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint64_t key = (uint64_t)event->pid << 32 | event->tid;
    uint32_t row = xpd_map64_get(&visible->row_of, key);
    if (row == XPD_NO_INDEX) {
        row = visible->row_of.count;
        xpd_map64_put(&visible->row_of, key, row);
        for (unsigned k = 0; k < visible->count; k++) {
            XPD_PUSH(&visible->ends, (struct xpd_ends){0});
            XPD_PUSH(&visible->flow_end_ps, NEVER);
        }
    }
    while (visible->of_stream.count <= event->stream && !visible->of_stream.failed)
        XPD_PUSH(&visible->of_stream, 0);
    visible->failed |= visible->ends.failed || visible->flow_end_ps.failed ||
                       visible->row_of.failed || visible->of_stream.failed;
    if (!visible->failed)
        visible->of_stream.at[event->stream] = row + 1;
    return row;
}

/* A stream is of one row. */
static uint32_t row_of(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint32_t known =
        event->stream < visible->of_stream.count ? visible->of_stream.at[event->stream] : 0;
    return known ? known - 1 : find_row(visible, event);
}

/* All ends of a flow are visible or none; the first one decides. `yes`: this end is anyway. */
static bool ask_flow(uint32_t *bits, unsigned k, bool yes, bool far, bool last)
{
    uint32_t state = *bits >> 2 * k & 3;
    if (state == UNSEEN)
        state = yes || far ? VISIBLE : HIDDEN;
    *bits = (*bits & ~(UINT32_C(3) << 2 * k)) | (last ? UNSEEN : state) << 2 * k;
    return yes || state == VISIBLE;
}

static unsigned first_of_row(struct xpd_visible *visible, uint32_t row,
                             const struct xpd_xprof_event *event)
{
    struct xpd_ends *ends = &visible->ends.at[(size_t)row * visible->count];
    int64_t *flow_end_ps = &visible->flow_end_ps.at[(size_t)row * visible->count];
    int64_t end_ps = event->start_ps + event->duration_ps;
    uint32_t *bits = &visible->flow[event->in_flow ? event->flow_number : 0];
    unsigned first = visible->count;
    for (unsigned k = 0; k < visible->count; k++) {
        int64_t resolution_ps = visible->resolution_ps[k];
        size_t depth = xpd_ends_depth(&ends[k], event->start_ps);
        bool yes = first < k || xpd_ends_show(&ends[k], depth, event->start_ps, event->duration_ps,
                                              resolution_ps);
        if (event->in_flow)
            yes = ask_flow(bits, k, yes,
                           flow_end_ps[k] == NEVER || end_ps - flow_end_ps[k] >= resolution_ps,
                           event->ends == XPD_FLOW_IN);
        if (!yes)
            continue;
        if (event->in_flow)
            flow_end_ps[k] = end_ps;
        visible->failed |= !xpd_ends_set(&ends[k], depth, end_ps);
        first = k < first ? k : first;
    }
    return first;
}

/* ---- events without a row: by the start of the last visible one of the same name ---- */

/* NULL without memory. */
static int64_t *last_of(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    uint64_t key = xpd_hash(event->name.data, event->name.size) ^ ((uint64_t)event->pid << 32);
    uint32_t at = xpd_map64_get(&visible->free_of, key);
    if (at == XPD_NO_INDEX) {
        at = visible->free_of.count;
        xpd_map64_put(&visible->free_of, key, at);
        for (unsigned k = 0; k < visible->count; k++)
            XPD_PUSH(&visible->last_ps, NEVER);
    }
    visible->failed |= visible->last_ps.failed || visible->free_of.failed;
    return visible->failed ? NULL : &visible->last_ps.at[(size_t)at * visible->count];
}

static unsigned first_of_name(struct xpd_visible *visible, const struct xpd_xprof_event *event)
{
    int64_t *last_ps = last_of(visible, event);
    unsigned first = visible->count;
    for (unsigned k = 0; last_ps && k < visible->count; k++) {
        if (first == visible->count && last_ps[k] != NEVER &&
            event->start_ps - last_ps[k] < visible->resolution_ps[k])
            continue;
        last_ps[k] = event->start_ps;
        first = k < first ? k : first;
    }
    return first;
}

bool xpd_visible_first(struct xpd_visible *visible, const struct xpd_xprof_event *event,
                       unsigned *first)
{
    if (event->kind != XPD_XPROF_SLICE) {
        *first = first_of_name(visible, event);
        return !visible->failed;
    }
    uint32_t row = row_of(visible, event);
    if (!visible->failed)
        *first = first_of_row(visible, row, event);
    return !visible->failed;
}

bool xpd_visible_from(struct xpd_visible *visible, const struct xpd_xprof_event *event,
                      unsigned first)
{
    int64_t *last_ps = last_of(visible, event);
    for (unsigned k = first; last_ps && k < visible->count; k++)
        last_ps[k] = event->start_ps;
    return last_ps != NULL;
}

bool xpd_visible_ask(struct xpd_visible *visible, const struct xpd_xprof_event *event, bool *yes)
{
    unsigned first = 0;
    bool fine = xpd_visible_first(visible, event, &first);
    *yes = first == 0;
    return fine;
}
