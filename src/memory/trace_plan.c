/* Which traces are simulated, and which space each of their events belongs to.
 *
 * In: the traces and space_of_buffer. Out: struct xpd_trace_plan with a home space per trace and,
 * per space, how many steps, lanes and tenancies the replay will need at most. A trace that repeats
 * an earlier one event by event (multi-heap: the full list is attached to each allocation) is left
 * out. Events of no temp allocation stay in the home space as steps without effect, so that the
 * steps of a trace in one space are the events XProf counts. */
#include "replay.h"

#include <inttypes.h>

static bool same_events(const struct xpd_hlo *hlo, uint32_t a, uint32_t b)
{
    const struct xpd_hlo_events *e = &hlo->events;
    const struct xpd_hlo_trace *x = &hlo->trace[a], *y = &hlo->trace[b];
    if (x->count != y->count)
        return false;
    for (uint32_t i = 0; i < x->count; i++)
        if (e->kind[x->first + i] != e->kind[y->first + i] ||
            e->buffer_id[x->first + i] != e->buffer_id[y->first + i] ||
            e->canonical[x->first + i] != e->canonical[y->first + i])
            return false;
    return true;
}

static uint64_t hash_events(const struct xpd_hlo *hlo, const struct xpd_hlo_trace *trace)
{
    uint64_t h = trace->count;
    for (uint32_t i = trace->first; i < trace->first + trace->count; i++) {
        h = (h ^ (uint64_t)hlo->events.buffer_id[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (h >> 29) ^ hlo->events.kind[i]) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return h;
}

/* Fills plan->home for traces that are simulated, XPD_NO_INDEX for the rest. */
static bool drop_repeated(struct xpd_mem_build *b, struct xpd_trace_plan *plan)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    struct xpd_map64 seen = {0};
    for (uint32_t t = 0; t < hlo->trace_count; t++) {
        plan->skipped[t] = hlo->trace[t].count == 0;
        if (plan->skipped[t] || hlo->trace_count == 1)
            continue;
        uint64_t hash = hash_events(hlo, &hlo->trace[t]);
        uint32_t other = xpd_map64_get(&seen, hash);
        if (other == XPD_NO_INDEX)
            xpd_map64_put(&seen, hash, t);
        else if (same_events(hlo, other, t)) {
            plan->skipped[t] = true;
            xpd_warn(&b->mem->warnings, XPD_NOTE, "same_trace_twice", XPD_NO_OFFSET,
                     "Heap trace %" PRIu32 " repeats trace %" PRIu32
                     " event by event (one simulation, several allocations); it is replayed once.",
                     t, other);
        }
    }
    bool ok = !seen.failed;
    xpd_map64_fini(&seen);
    return ok;
}

struct tally { /* of one space while a trace is read */
    uint32_t stamp, events;
};

static void count_trace(struct xpd_mem_build *b, struct xpd_trace_plan *plan, uint32_t t,
                        struct tally *tally)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    uint32_t first = hlo->trace[t].first, end = first + hlo->trace[t].count;
    uint32_t home = XPD_NO_INDEX, orphans = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t buffer = hlo->events.buffer[i];
        uint32_t s = buffer == XPD_NO_INDEX ? XPD_NO_INDEX : b->space_of_buffer[buffer];
        if (s == XPD_NO_INDEX) {
            orphans++;
            continue;
        }
        if (tally[s].stamp != t + 1) {
            tally[s] = (struct tally){.stamp = t + 1};
            plan->space[s].lanes++;
        }
        tally[s].events++;
        plan->space[s].steps++;
        if (hlo->events.kind[i] == XPD_EVENT_ALLOC || hlo->events.kind[i] == XPD_EVENT_SHARE_WITH) {
            plan->space[s].tenancies++;
            plan->traced[buffer] = true;
            uint32_t canonical = hlo->events.canonical[i];
            if (hlo->events.kind[i] == XPD_EVENT_SHARE_WITH && canonical != XPD_NO_INDEX &&
                b->space_of_buffer[canonical] == s)
                plan->traced[canonical] = true; /* its storage is in the trace */
        }
        if (home == XPD_NO_INDEX || tally[s].events > tally[home].events ||
            (tally[s].events == tally[home].events && s < home))
            home = s;
    }
    plan->home[t] = home;
    if (home != XPD_NO_INDEX) {
        plan->space[home].steps += orphans;
        return;
    }
    plan->skipped[t] = true;
    xpd_warn(&b->mem->warnings, XPD_WARNING, "trace_of_nothing", XPD_NO_OFFSET,
             "Heap trace %" PRIu32 " (%" PRIu32
             " events) names no buffer of a temporary allocation; it is left out.",
             t, hlo->trace[t].count);
}

bool xpd_trace_plan_make(struct xpd_mem_build *b, struct xpd_trace_plan *plan)
{
    const struct xpd_hlo *hlo = b->mem->hlo;
    plan->skipped = XPD_NEW_ARRAY(&b->scratch, bool, hlo->trace_count);
    plan->home = XPD_NEW_ARRAY(&b->scratch, uint32_t, hlo->trace_count);
    plan->traced = XPD_NEW_ARRAY(&b->scratch, bool, hlo->buffers.count);
    plan->space = XPD_NEW_ARRAY(&b->scratch, struct xpd_space_plan, b->mem->space_count);
    struct tally *tally = XPD_NEW_ARRAY(&b->scratch, struct tally, b->mem->space_count);
    if (!plan->skipped || !plan->home || !plan->traced || !plan->space || !tally ||
        !drop_repeated(b, plan))
        return false;
    for (uint32_t t = 0; t < hlo->trace_count; t++)
        if (!plan->skipped[t])
            count_trace(b, plan, t, tally);
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (!plan->traced[i] && b->space_of_buffer[i] != XPD_NO_INDEX)
            plan->space[b->space_of_buffer[i]].untraced++;
    return true;
}
