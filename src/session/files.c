/* Data shared by the slots of one run: a run may be loaded whole and, beside it, a
 * selection of its hosts (xpd_store_acquire_part), without reading a file twice. In:
 * hosts that a slot has read. Out: their reference-counted directories, and the slot that
 * makes the parts of their events. A slot only ever borrows from one that was ready
 * before it was loaded, so that holds and locks go one way, from the younger to the
 * older. */
#include "session_internal.h"

#include <stdlib.h>
#include <string.h>

bool xpd_file_new(struct xpd_host_part *part, struct xpd_xspace *space)
{
    struct xpd_file *file = calloc(1, sizeof *file);
    if (!file)
        return false;
    xpd_arena_init(&file->arena, 0);
    file->kept = XPD_NEW_ARRAY(&file->arena, const uint8_t *, (size_t)space->hlo_count + 1);
    if (!file->kept) {
        xpd_arena_fini(&file->arena);
        free(file);
        return false;
    }
    atomic_store(&file->holders, 1);
    file->space = space;
    part->file = file;
    return true;
}

void xpd_file_release(struct xpd_file *file)
{
    if (!file || atomic_fetch_sub(&file->holders, 1) != 1)
        return;
    xpd_xspace_free(file->space);
    xpd_arena_fini(&file->arena);
    free(file);
}

static bool same_file(const struct xpd_input *a, const struct xpd_input *b)
{
    return strcmp(a->name, b->name) == 0 && xpd_identity_eq(&a->identity, &b->identity);
}

/* Under the store lock. */
static bool borrow_from(struct xpd_run_slot *other, const struct xpd_input *input,
                        struct xpd_host_part *part)
{
    for (uint32_t i = 0; i < other->parts_read; i++) {
        struct xpd_host_part *theirs = &other->part[i];
        if (!theirs->file || !same_file(other->run.host[i].input, input))
            continue;
        part->file = theirs->file;
        atomic_fetch_add(&part->file->holders, 1);
        if (other->state != XPD_SLOT_READY)
            return true;
        part->lender = other;
        part->host = i;
        xpd_lender(&part->lender, &part->host);
        part->lender->holders++;
        part->lender->jobs++; /* no client holds it by this */
        return true;
    }
    return false;
}

bool xpd_file_borrow(struct xpd_store *store, const struct xpd_run_slot *slot,
                     const struct xpd_input *input, struct xpd_host_part *part)
{
    bool found = false;
    if (input->format != XPD_INPUT_XPLANE || input->problem)
        return false;
    pthread_mutex_lock(&store->lock);
    for (struct xpd_run_slot *other = store->slot; other && !found; other = other->next)
        if (other != slot && strcmp(other->id, slot->id) == 0)
            found = borrow_from(other, input, part);
    pthread_mutex_unlock(&store->lock);
    return found;
}

void xpd_files_show(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    slot->parts_read = slot->run.host_count;
    slot->reading = NULL;
    pthread_mutex_unlock(&store->lock);
}

void xpd_files_hide(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    slot->parts_read = 0;
    slot->reading = NULL;
    pthread_mutex_unlock(&store->lock);
}

bool xpd_only_has(const char *only, const char *host)
{
    size_t size = strlen(host);
    if (only[0] == '\0')
        return true;
    for (const char *at = only;; at++) {
        size_t next = strcspn(at, ",");
        if (next == size && memcmp(at, host, size) == 0)
            return true;
        at += next;
        if (*at == '\0')
            return false;
    }
}

bool xpd_store_gives_up(struct xpd_store *store, struct xpd_run_slot *slot)
{
    pthread_mutex_lock(&store->lock);
    bool wanted = !slot->in_parts || slot->holders > 1 ||
                  xpd_now_ns() - slot->asked_ns < (int64_t)XPD_GIVE_UP_MS * 1000000;
    if (!wanted) {
        slot->given_up = true;
        slot->listed = false;
    }
    pthread_mutex_unlock(&store->lock);
    return !wanted;
}
