/* All hosts of a run together (trace/join.h), above the traces of each.
 *
 * In: a loaded run, its hosts read (trace_slot.c). Out: what a job of all hosts makes. */
#include "internal.h"
#include "xprofd/trace/join.h"

#include <stdlib.h>

/* What an event takes: of a host that is not loaded yet, and in the join (copied starts, names and
 * the pyramid of a host that is not the first). */
#define LOAD_EVENT_BYTES 32u
#define JOIN_EVENT_BYTES 16u
#define JOIN_BYTES       ((uint64_t)4 << 20)

int xpd_join_room(struct xpd_store *store, struct xpd_run_slot *slot, struct xpd_err *err)
{
    const struct xpd_run *run = &slot->run;
    uint64_t wanted = JOIN_BYTES, events = 0;
    pthread_mutex_lock(&slot->lock);
    for (uint32_t i = 0; i < run->host_count; i++) {
        struct xpd_made made;
        bool loaded = xpd_made_of(slot, i, &made) == XPD_WORK_DONE;
        uint64_t of_host = xpd_host_events(&run->host[i]);
        events += of_host;
        wanted += of_host * (JOIN_EVENT_BYTES + (loaded ? 0u : LOAD_EVENT_BYTES));
    }
    pthread_mutex_unlock(&slot->lock);
    uint64_t room = xpd_store_room(store, wanted);
    if (room >= wanted)
        return XPD_OK;
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "The %llu events of %u hosts side by side need about %llu MB of memory, %llu "
                    "are free: ask for one with host=, close other runs, or raise --memory-limit.",
                    (unsigned long long)events, xpd_run_traced_hosts(run),
                    (unsigned long long)(wanted / 1000000), (unsigned long long)(room / 1000000));
}

struct hosts { /* those with events, in the order of the run */
    struct xpd_join_host *host;
    const struct xpd_derived **derived;
    const struct xpd_flows **flows;
    uint32_t count;
    uint64_t events;
};

static void hosts_fini(struct hosts *hosts)
{
    free(hosts->host);
    free(hosts->derived);
    free(hosts->flows);
}

/* What they made is frozen, and lives as long as the run. */
static bool hosts_init(struct hosts *hosts, struct xpd_run_slot *slot)
{
    const struct xpd_run *run = &slot->run;
    size_t count = (size_t)run->host_count + 1;
    hosts->host = calloc(count, sizeof *hosts->host);
    hosts->derived = calloc(count, sizeof *hosts->derived);
    hosts->flows = calloc(count, sizeof *hosts->flows);
    if (!hosts->host || !hosts->derived || !hosts->flows)
        return false;
    pthread_mutex_lock(&slot->lock);
    for (uint32_t i = 0; i < run->host_count; i++) {
        struct xpd_made at;
        if (!xpd_host_has_events(&run->host[i]))
            continue;
        (void)xpd_made_of(slot, i, &at);
        hosts->host[hosts->count] = (struct xpd_join_host){run->host[i].name, at.trace};
        hosts->derived[hosts->count] = at.derived;
        hosts->flows[hosts->count++] = at.flows;
        hosts->events += at.trace->event_count;
    }
    pthread_mutex_unlock(&slot->lock);
    return true;
}

int xpd_join_make(struct xpd_store *store, struct xpd_run_slot *slot, enum xpd_trace_part part,
                  struct xpd_made *made, struct xpd_err *err)
{
    const struct xpd_trace *joined = slot->trace[xpd_run_all_hosts(&slot->run)].trace;
    struct hosts hosts = {0};
    uint64_t used = 0;
    int rc = hosts_init(&hosts, slot)
                 ? XPD_OK
                 : xpd_fail(err, XPD_ENOMEM, slot->id, XPD_NO_OFFSET, "out of memory");
    uint64_t wanted = part == XPD_PART_TRACE ? JOIN_EVENT_BYTES * hosts.events : hosts.events;
    uint64_t room = rc == XPD_OK ? xpd_store_room(store, wanted + JOIN_BYTES) : 0;
    if (rc == XPD_OK && part == XPD_PART_TRACE) {
        rc = xpd_join_trace(&made->trace, hosts.host, hosts.count, room, err);
        used = rc == XPD_OK ? made->trace->memory_bytes : 0;
    } else if (rc == XPD_OK && part == XPD_PART_DERIVED) {
        rc = xpd_join_derived(&made->derived, joined, hosts.derived, room, err);
        used = rc == XPD_OK ? xpd_derived_bytes(made->derived) : 0;
    } else if (rc == XPD_OK) {
        rc = xpd_join_flows(&made->flows, joined, hosts.flows, room, err);
        used = rc == XPD_OK ? sizeof *made->flows + made->flows->arena.used_bytes : 0;
    }
    xpd_store_account(store, slot, (int64_t)used);
    hosts_fini(&hosts);
    return rc;
}
