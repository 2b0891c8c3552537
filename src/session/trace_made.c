/* What is made of the events of a host by now, and how far it is for one who waits. Starts nothing.
 */
#include "internal.h"

#include <stdio.h>

struct xpd_made xpd_made_parts(const struct xpd_trace_slot *trace)
{
    return (struct xpd_made){trace->trace, trace->derived, trace->flows, trace->op_times,
                             trace->levels};
}

enum xpd_work_state xpd_made_of(struct xpd_run_slot *slot, uint32_t host, struct xpd_made *made)
{
    struct xpd_run_slot *at = slot;
    xpd_lender(&at, &host);
    if (at != slot)
        pthread_mutex_lock(&at->lock);
    const struct xpd_trace_slot *trace = &at->trace[host];
    enum xpd_work_state state = trace->state[XPD_PART_TRACE];
    *made = xpd_made_parts(trace);
    if (at != slot)
        pthread_mutex_unlock(&at->lock);
    return state;
}

static uint64_t bytes_read_of(struct xpd_run_slot *slot, uint32_t host)
{
    struct xpd_made made;
    bool whole = xpd_made_of(slot, host, &made) == XPD_WORK_DONE;
    uint64_t bytes = xpd_host_file_bytes(&slot->run, host);
    xpd_lender(&slot, &host);
    uint64_t done = atomic_load(&slot->trace[host].progress.done_bytes);
    return whole || done > bytes ? bytes : done;
}

static uint64_t bytes_read(struct xpd_run_slot *slot, uint32_t host)
{
    uint64_t bytes = 0;
    if (host != xpd_run_all_hosts(&slot->run))
        return bytes_read_of(slot, host);
    for (uint32_t i = 0; i < slot->run.host_count; i++)
        bytes += xpd_host_has_events(&slot->run.host[i]) ? bytes_read_of(slot, i) : 0;
    return bytes;
}

void xpd_made_state(struct xpd_run_slot *slot, uint32_t host, enum xpd_trace_part part,
                    struct xpd_load_state *state)
{
    static const char *const doing[XPD_PART_COUNT] = {
        "reading the events", "deriving rows", "following the flows", "adding up the instructions",
        "putting the events in levels"};
    char title[64];
    bool reading = slot->trace[host].state[XPD_PART_TRACE] != XPD_WORK_DONE;
    xpd_host_title(&slot->run, host, title, sizeof title);
    state->total_bytes = xpd_host_file_bytes(&slot->run, host);
    state->done_bytes = reading ? bytes_read(slot, host) : state->total_bytes;
    snprintf(state->what, sizeof state->what, "%s of %s", doing[reading ? XPD_PART_TRACE : part],
             title);
}
