/* How far the files of a run are: for a page that waits for them, and for one that shows which are
 * there. Starts nothing.
 *
 * In: a run and a choice of its hosts. Out: one row a file. Nothing is held over it but the slot,
 * where its run is loaded. */
#include "session_internal.h"

#include <stdio.h>
#include <string.h>

static uint32_t host_of(const struct xpd_run *run, uint32_t count, const struct xpd_input *input)
{
    for (uint32_t i = 0; i < count; i++)
        if (run->host[i].input == input)
            return i;
    return XPD_NO_INDEX;
}

static void put_read(const struct xpd_host *host, struct xpd_file_progress *file)
{
    file->done_bytes = file->size_bytes;
    file->state = host->error.code == XPD_OK ? XPD_FILE_READ : XPD_FILE_UNREADABLE;
    file->counted = host->space != NULL;
    file->events = xpd_host_events(host);
    file->modules = host->space ? host->space->hlo_count : 0;
}

/* The pass over inflated bytes counts in `inflated`. */
static void put_reading(struct xpd_run_slot *slot, struct xpd_file_progress *file)
{
    const struct xpd_progress *at = &slot->progress;
    if (xpd_str_ends(xpd_str_of(file->name), ".gz"))
        at = &slot->inflated;
    uint64_t done = atomic_load(&slot->progress.done_bytes);
    file->state = XPD_FILE_READING;
    file->done_bytes = done < file->size_bytes ? done : file->size_bytes;
    file->events = atomic_load(&at->events);
    file->modules = atomic_load(&at->modules);
    file->counted =
        file->events + file->modules > 0; /* else no plane is read yet, or none counts */
}

/* Under the store lock; slot may be NULL. */
static void put_file(struct xpd_run_slot *slot, const struct xpd_input *input,
                     struct xpd_file_progress *file)
{
    if (!slot || slot->state == XPD_SLOT_FAILED)
        return;
    uint32_t host = host_of(&slot->run, slot->parts_read, input);
    if (host != XPD_NO_INDEX)
        put_read(&slot->run.host[host], file);
    else if (slot->reading == input)
        put_reading(slot, file);
    else if (input->format == XPD_INPUT_REPORT_TEXT && slot->state == XPD_SLOT_READY)
        file->state = XPD_FILE_READ; /* with its program, if requested */
}

/* For a loaded, held run: the parts being made. */
static void put_events(struct xpd_run_slot *slot, const struct xpd_run_entry *entry,
                       struct xpd_file_progress *file)
{
    for (uint32_t i = 0; i < entry->input_count; i++) {
        uint32_t host = host_of(&slot->run, slot->run.host_count, &entry->input[i]);
        if (host == XPD_NO_INDEX || !xpd_host_has_events(&slot->run.host[host]))
            continue;
        struct xpd_run_slot *at = slot;
        uint64_t whole = slot->run.host[host].space->file_bytes;
        xpd_lender(&at, &host);
        struct xpd_trace_slot *trace = &at->trace[host];
        pthread_mutex_lock(&at->lock);
        const struct xpd_made *made = xpd_made_place(trace, &xpd_part_trace);
        enum xpd_work_state state = made ? made->state : XPD_WORK_NONE;
        pthread_mutex_unlock(&at->lock);
        uint64_t done = atomic_load(&trace->progress.done_bytes);
        file[i].events_read = state == XPD_WORK_DONE;
        file[i].events_total_bytes = state == XPD_WORK_NONE ? 0 : whole;
        if (state == XPD_WORK_BUSY)
            file[i].events_done_bytes = done < whole ? done : whole;
        else if (state == XPD_WORK_DONE)
            file[i].events_done_bytes = whole;
    }
}

static const char *kept(struct xpd_arena *arena, const char *text)
{
    const char *copy = xpd_arena_strndup(arena, text, strlen(text));
    return copy ? copy : "";
}

static void put_names(const struct xpd_run_entry *entry, const char *only, struct xpd_arena *arena,
                      struct xpd_file_progress *file)
{
    for (uint32_t i = 0; i < entry->input_count; i++) {
        const struct xpd_input *input = &entry->input[i];
        bool out = input->format == XPD_INPUT_XPLANE && !xpd_only_has(only, input->host);
        file[i] = (struct xpd_file_progress){.name = kept(arena, input->name),
                                             .host = kept(arena, input->host),
                                             .size_bytes = input->identity.size_bytes,
                                             .state = out ? XPD_FILE_LEFT_OUT : XPD_FILE_WAITS};
    }
}

/* The newest slot of that choice, under the store lock. */
static struct xpd_run_slot *find(struct xpd_store *store, struct xpd_str id, const char *only)
{
    for (struct xpd_run_slot *slot = store->slot; slot; slot = slot->next)
        if (slot->listed && xpd_str_eq(id, xpd_str_of(slot->id)) && strcmp(only, slot->only) == 0)
            return slot;
    return NULL;
}

static enum xpd_run_state state_of(const struct xpd_run_slot *slot)
{
    if (!slot || slot->state == XPD_SLOT_FAILED)
        return XPD_RUN_NOT_LOADED;
    if (slot->state == XPD_SLOT_READY)
        return XPD_RUN_LOADED;
    return slot->state == XPD_SLOT_QUEUED ? XPD_RUN_WAITS : XPD_RUN_LOADING;
}

/* Takes over the hold of `catalog`. */
static int progress_of(struct xpd_store *store, struct xpd_catalog *catalog, struct xpd_str id,
                       const char *only, struct xpd_arena *arena, struct xpd_run_progress *out,
                       struct xpd_err *err)
{
    pthread_mutex_lock(&store->lock);
    struct xpd_run_slot *slot = find(store, id, only);
    const struct xpd_run_entry *entry = catalog ? xpd_catalog_find(catalog, id) : NULL;
    if (slot) {
        xpd_catalog_release(catalog);
        catalog = xpd_catalog_hold(slot->catalog); /* whose inputs it reads */
        entry = slot->run.entry;
        slot->holders++;
    }
    if (entry)
        out->file = XPD_NEW_ARRAY(arena, struct xpd_file_progress, (size_t)entry->input_count + 1);
    if (entry && out->file) {
        out->state = state_of(slot);
        put_names(entry, only, arena, out->file);
        out->file_count = entry->input_count;
        for (uint32_t i = 0; i < entry->input_count; i++)
            put_file(slot, &entry->input[i], &out->file[i]);
        if (out->state == XPD_RUN_LOADING)
            snprintf(out->what, sizeof out->what, "%s", slot->what);
    }
    pthread_mutex_unlock(&store->lock);
    if (entry && out->file && out->state == XPD_RUN_LOADED)
        put_events(slot, entry, out->file);
    int rc = XPD_OK;
    if (!entry)
        rc = xpd_fail(err, XPD_ENOTFOUND, "run", XPD_NO_OFFSET, "There is no run \"%.*s\".",
                      (int)(id.size < 80 ? id.size : 80), id.data);
    else if (!out->file || arena->failed)
        rc = xpd_no_memory(err, "run", "for this answer");
    if (slot)
        xpd_store_release(store, &slot->run);
    xpd_catalog_release(catalog);
    return rc;
}

int xpd_store_progress(struct xpd_store *store, struct xpd_str run_id, struct xpd_str only,
                       struct xpd_arena *arena, struct xpd_run_progress *out, struct xpd_err *err)
{
    const char *hosts = xpd_arena_strndup(arena, only.size ? only.data : "", only.size);
    *out = (struct xpd_run_progress){.state = XPD_RUN_NOT_LOADED};
    if (!hosts)
        return xpd_no_memory(err, "only", "for this answer");
    struct xpd_catalog *catalog = xpd_store_catalog(store, 1000);
    if (store->samples && catalog && !xpd_catalog_find(catalog, run_id)) {
        xpd_catalog_release(catalog);
        catalog = xpd_catalog_hold(store->samples);
    }
    return progress_of(store, catalog, run_id, hosts, arena, out, err);
}
