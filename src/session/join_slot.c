/* A part joined over all hosts of a run. In: a loaded run
 * with the parts of its hosts (trace_slot.c). Out: the joined
 * part. */
#include "session_internal.h"

#include <stdlib.h>

#define JOIN_BYTES ((uint64_t)4 << 20) /* in addition to its events */

int xpd_join_room(struct xpd_store *store, struct xpd_run_slot *slot,
                  const struct xpd_part_kind *kind, struct xpd_err *err)
{
    const struct xpd_run *run = &slot->run;
    uint64_t wanted = JOIN_BYTES, events = 0;
    pthread_mutex_lock(&slot->lock);
    for (uint32_t i = 0; i < run->host_count; i++) {
        bool loaded = xpd_made_of(slot, i, kind) != NULL;
        uint64_t of_host = xpd_host_events(&run->host[i]);
        events += of_host;
        wanted += of_host * (kind->joined_event_bytes + (loaded ? 0u : kind->event_bytes));
    }
    pthread_mutex_unlock(&slot->lock);
    uint64_t room = xpd_store_room(store, wanted);
    if (room >= wanted)
        return XPD_OK;
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "The %llu events of %u hosts together need about %llu MB of memory, %llu are "
                    "free: select one with host=, close other runs, or raise --memory-limit.",
                    (unsigned long long)events, xpd_run_traced_hosts(run),
                    (unsigned long long)(wanted / 1000000), (unsigned long long)(room / 1000000));
}

struct hosts { /* those with events, in the order of the run */
    const char **name;
    const void **made;
    uint32_t count;
    uint64_t events;
};

static void hosts_fini(struct hosts *hosts)
{
    free(hosts->name);
    free(hosts->made);
}

/* What they made is frozen, and lives as long as the run. */
static bool hosts_init(struct hosts *hosts, struct xpd_run_slot *slot,
                       const struct xpd_part_kind *kind)
{
    const struct xpd_run *run = &slot->run;
    size_t count = (size_t)run->host_count + 1;
    hosts->name = calloc(count, sizeof *hosts->name);
    hosts->made = calloc(count, sizeof *hosts->made);
    if (!hosts->name || !hosts->made)
        return false;
    pthread_mutex_lock(&slot->lock);
    for (uint32_t i = 0; i < run->host_count; i++) {
        if (!xpd_host_has_events(&run->host[i]))
            continue;
        hosts->name[hosts->count] = run->host[i].name;
        hosts->made[hosts->count++] = xpd_made_of(slot, i, kind);
        hosts->events += xpd_host_events(&run->host[i]);
    }
    pthread_mutex_unlock(&slot->lock);
    return true;
}

int xpd_join_make(struct xpd_store *store, struct xpd_run_slot *slot,
                  const struct xpd_part_kind *kind, void **made, struct xpd_err *err)
{
    struct hosts hosts = {0};
    int rc =
        hosts_init(&hosts, slot, kind) ? XPD_OK : xpd_no_memory(err, slot->id, "for this answer");
    if (rc == XPD_OK) {
        struct xpd_part_hosts of = {
            .name = hosts.name,
            .made = hosts.made,
            .count = hosts.count,
            .room_bytes =
                xpd_store_room(store, kind->joined_event_bytes * hosts.events + JOIN_BYTES)};
        pthread_mutex_lock(&slot->lock);
        for (int i = 0; i < XPD_PART_NEEDS_MAX && kind->needs[i]; i++)
            of.need[i] = xpd_made_of(slot, xpd_run_all_hosts(&slot->run), kind->needs[i]);
        pthread_mutex_unlock(&slot->lock);
        rc = kind->join(made, &of, err);
    }
    if (rc == XPD_OK)
        xpd_store_account(store, slot, (int64_t)kind->bytes(*made));
    hosts_fini(&hosts);
    return rc;
}
