/* Run slots: creation on the first request, their memory when loaded, and whether they are up to
 * date. */
#include "session_internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct xpd_run_slot *xpd_run_slot_new(struct xpd_store *store, struct xpd_str id,
                                      struct xpd_str only, struct xpd_catalog *catalog,
                                      const struct xpd_run_entry *entry)
{
    struct xpd_run_slot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return NULL;
    slot->store = store;
    slot->id = strndup(id.data, id.size);
    slot->only = strndup(only.size ? only.data : "", only.size);
    bool locks = slot->id && slot->only && pthread_mutex_init(&slot->lock, NULL) == 0;
    if (!locks || xpd_cond_init(&slot->changed) != 0) {
        if (locks)
            pthread_mutex_destroy(&slot->lock);
        free(slot->id);
        free(slot->only);
        free(slot);
        return NULL;
    }
    slot->catalog = xpd_catalog_hold(catalog);
    slot->run.entry = entry;
    slot->fingerprint = entry->fingerprint;
    slot->checked_generation = catalog->generation;
    slot->checked_ms = xpd_now_ns() / 1000000;
    slot->state = XPD_SLOT_QUEUED;
    return slot;
}

/* A file that two slots share counts in both: rather too much than too little. */
uint64_t xpd_run_slot_bytes(const struct xpd_run_slot *slot)
{
    uint64_t bytes = sizeof *slot + slot->arena.used_bytes;
    for (uint32_t i = 0; i < slot->run.host_count; i++)
        if (slot->part[i].file)
            bytes += xpd_xspace_memory_bytes(slot->part[i].file->space) +
                     slot->part[i].file->arena.used_bytes;
    return bytes;
}

bool xpd_run_files_changed(const struct xpd_run_entry *entry)
{
    for (uint32_t i = 0; i < entry->input_count; i++) {
        const struct xpd_input *input = &entry->input[i];
        struct xpd_identity now;
        if (input->bytes)
            continue;
        if (!xpd_identity_of(input->path, &now) ||
            !xpd_identity_eq(&now, input->archive ? input->archive : &input->identity))
            return true;
    }
    return false;
}

int64_t xpd_run_folder_ns(const struct xpd_run_entry *entry)
{
    char folder[PATH_MAX];
    struct stat st;
    if (entry->input_count == 0 || entry->input[0].bytes)
        return 0;
    const char *path = entry->input[0].path, *end = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - path) : 1, end ? path : ".");
    if (stat(folder[0] ? folder : "/", &st) != 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}
