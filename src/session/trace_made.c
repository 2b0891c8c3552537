/* Finished parts of a host, and the progress of others. Starts nothing.
 */
#include "session_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct xpd_made *xpd_made_place(struct xpd_trace_slot *trace, const struct xpd_part_kind *kind)
{
    for (struct xpd_made *made = trace->made; made; made = made->next)
        if (made->kind == kind)
            return made;
    for (int i = 0; i < XPD_PART_NEEDS_MAX && kind->needs[i]; i++)
        if (!xpd_made_place(trace, kind->needs[i]))
            return NULL;
    struct xpd_made *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->kind = kind;
    made->next = trace->made;
    trace->made = made;
    return made;
}

const void *xpd_made_of(struct xpd_run_slot *slot, uint32_t host, const struct xpd_part_kind *kind)
{
    struct xpd_run_slot *at = slot;
    const void *found = NULL;
    xpd_lender(&at, &host);
    if (at != slot)
        pthread_mutex_lock(&at->lock);
    for (const struct xpd_made *made = at->trace[host].made; made; made = made->next)
        if (made->kind == kind && made->state == XPD_WORK_DONE)
            found = made->at;
    if (at != slot)
        pthread_mutex_unlock(&at->lock);
    return found;
}

static uint64_t bytes_read_of(struct xpd_run_slot *slot, uint32_t host)
{
    bool whole = xpd_made_of(slot, host, &xpd_part_trace) != NULL;
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

/* The part that is being made now for a requested part. */
static const struct xpd_part_kind *under_way(struct xpd_run_slot *slot, uint32_t host,
                                             const struct xpd_part_kind *kind)
{
    for (int i = 0; i < XPD_PART_NEEDS_MAX && kind->needs[i]; i++)
        if (!xpd_made_of(slot, host, kind->needs[i]))
            return under_way(slot, host, kind->needs[i]);
    return kind;
}

void xpd_made_state(struct xpd_run_slot *slot, uint32_t host, const struct xpd_part_kind *kind,
                    struct xpd_load_state *state)
{
    char title[64];
    kind = under_way(slot, host, kind);
    xpd_host_title(&slot->run, host, title, sizeof title);
    state->total_bytes = xpd_host_file_bytes(&slot->run, host);
    state->done_bytes = kind->reads_file ? bytes_read(slot, host) : state->total_bytes;
    snprintf(state->what, sizeof state->what, "%s of %s", kind->doing, title);
}
