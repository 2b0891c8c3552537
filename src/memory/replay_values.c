/* What one event does: who holds which storage, from when to when.
 *
 * In: an event of a buffer in a temp allocation. Out: tenancies opened, grown and closed, the sums
 * of the space. Reference counts live on the root of a sharing group; parents are followed with
 * path halving. Invariants: a storage has at most one open tenancy; a value holds its storage once
 * however often it is ALLOCed; a parent is always the root it had when the link was made, and never
 * a value of the value's own group, so there are no rings. */
#include "replay.h"

#include "xprofd/base/checked.h"

#include <inttypes.h>

void xpd_replay_complain(struct xpd_replay *r, const char *code, const char *what)
{
    xpd_warn(&r->mem->warnings, XPD_WARNING, code, XPD_NO_OFFSET,
             "Heap trace %" PRIu32 ", event %" PRIu32 ", buffer %" PRId64 ": %s.", r->trace,
             r->event - r->hlo->trace[r->trace].first, r->hlo->events.buffer_id[r->event], what);
}

static struct xpd_replay_value *touch(struct xpd_replay *r, uint32_t buffer)
{
    struct xpd_replay_value *v = &r->value[buffer];
    if (v->trace != r->trace + 1)
        *v = (struct xpd_replay_value){
            .trace = r->trace + 1, .parent = buffer, .tenancy = XPD_NO_INDEX};
    return v;
}

/* Parents are always touched: a link is made to a root that was. */
uint32_t xpd_replay_root(struct xpd_replay *r, uint32_t buffer)
{
    while (r->value[buffer].parent != buffer) {
        uint32_t parent = r->value[buffer].parent;
        r->value[buffer].parent = r->value[parent].parent;
        buffer = parent;
    }
    return buffer;
}

static void open_tenancy(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                         uint32_t root, uint32_t holder, uint32_t flags)
{
    const struct xpd_mem_buffer *buffer = &r->mem->buffer[holder];
    uint32_t index = space->tenancy_count++;
    space->tenancy[index] =
        (struct xpd_tenancy){.buffer = holder,
                             .start_step = c->step,
                             .end_step = XPD_NO_STEP,
                             .lane = c->lane,
                             .flags = flags,
                             .next_of_buffer = XPD_NO_INDEX,
                             .offset_bytes = xpd_add_i64(r->b->heap_base[buffer->allocation],
                                                         buffer->offset_bytes, &r->b->overflow),
                             .size_bytes = buffer->size_bytes,
                             .listed_bytes = r->mem->buffer[root].size_bytes,
                             .unpadded_bytes = buffer->unpadded_bytes};
    c->live = xpd_add_i64(c->live, buffer->size_bytes, &r->b->overflow);
    c->listed = xpd_add_i64(c->listed, r->mem->buffer[root].size_bytes, &r->b->overflow);
    c->unpadded = xpd_add_i64(c->unpadded, buffer->unpadded_bytes, &r->b->overflow);
    r->value[root].tenancy = index;
    if (r->last_tenancy[root] != XPD_NO_INDEX)
        space->tenancy[r->last_tenancy[root]].next_of_buffer = index;
    r->last_tenancy[root] = index;
    if (r->mem->buffer[root].storage_tenancy == XPD_NO_INDEX)
        r->mem->buffer[root].storage_tenancy = index;
}

static void close_tenancy(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                          uint32_t root)
{
    struct xpd_tenancy *t = &space->tenancy[r->value[root].tenancy];
    t->end_step = c->step;
    r->value[root].tenancy = XPD_NO_INDEX;
    /* after an overflow the sums are saturated: never let them fall below nothing */
    c->live = c->live > t->size_bytes ? c->live - t->size_bytes : 0;
    c->listed = c->listed > t->listed_bytes ? c->listed - t->listed_bytes : 0;
    c->unpadded = c->unpadded > t->unpadded_bytes ? c->unpadded - t->unpadded_bytes : 0;
}

/* A value begins to hold the storage of `root`, which is held already or was just opened. */
static void hold(struct xpd_replay *r, struct xpd_channel *c, uint32_t buffer, uint32_t root)
{
    struct xpd_mem_buffer *m = &r->mem->buffer[buffer];
    r->held += r->value[buffer].holds++ == 0;
    r->value[buffer].was_held = true;
    r->value[root].refs++;
    m->root = root;
    if (m->first_step == XPD_NO_STEP)
        m->first_step = c->step;
    if (m->first_tenancy == XPD_NO_INDEX)
        m->first_tenancy = r->value[root].tenancy;
}

static void grow(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                 uint32_t tenancy, uint32_t buffer)
{
    struct xpd_tenancy *t = &space->tenancy[tenancy];
    const struct xpd_mem_buffer *m = &r->mem->buffer[buffer];
    if (m->size_bytes <= t->size_bytes)
        return;
    XPD_PUSH(&c->growth, ((struct xpd_growth){.tenancy = tenancy,
                                              .step = c->step,
                                              .before_bytes = t->size_bytes,
                                              .after_bytes = m->size_bytes}));
    c->live = xpd_add_i64(c->live, m->size_bytes - t->size_bytes, &r->b->overflow);
    c->unpadded = xpd_add_i64(c->unpadded, m->unpadded_bytes - t->unpadded_bytes, &r->b->overflow);
    t->size_bytes = m->size_bytes;
    t->unpadded_bytes = m->unpadded_bytes;
}

static void on_alloc(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                     uint32_t buffer)
{
    struct xpd_replay_value *v = touch(r, buffer);
    if (v->holds > 0) {
        xpd_replay_complain(r, "alloc_twice", "allocated while it is held; it counts once");
        hold(r, c, buffer, xpd_replay_root(r, buffer));
        return;
    }
    v->parent = buffer; /* whatever it shared before has been freed */
    if (v->refs > 0)
        xpd_replay_complain(r, "alloc_shared", "allocated while another value holds its storage");
    else
        open_tenancy(r, space, c, buffer, buffer, 0);
    hold(r, c, buffer, buffer);
}

static void on_share(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                     uint32_t buffer)
{
    uint32_t canonical = r->hlo->events.canonical[r->event];
    if (canonical == XPD_NO_INDEX || canonical == buffer ||
        r->b->space_of_buffer[canonical] != r->b->space_of_buffer[buffer]) {
        xpd_replay_complain(
            r, "unknown_canonical",
            "shares the storage of a buffer that is not there; it counts for itself");
        on_alloc(r, space, c, buffer);
        return;
    }
    struct xpd_replay_value *v = touch(r, buffer);
    touch(r, canonical);
    uint32_t root = xpd_replay_root(r, canonical);
    if (v->holds > 0 || (v->parent == buffer && v->refs > 0 && root != buffer)) {
        xpd_replay_complain(r, "share_while_held",
                            "shares a storage while it holds another; it keeps its own");
        hold(r, c, buffer, xpd_replay_root(r, buffer));
        return;
    }
    if (root != buffer) {
        v->parent = root;
        r->relinked = r->relinked || v->is_root;
        r->value[root].is_root = true;
    }
    if (r->value[root].refs == 0) {
        if (!r->value[root].was_held && r->value[root].tenancy == XPD_NO_INDEX &&
            r->last_tenancy[root] == XPD_NO_INDEX)
            xpd_replay_complain(r, "share_unallocated",
                                "shares a storage that was never allocated");
        open_tenancy(r, space, c, root, buffer, XPD_TENANCY_TAKEN_OVER);
    } else {
        space->tenancy[r->value[root].tenancy].flags |= XPD_TENANCY_SHARED;
        grow(r, space, c, r->value[root].tenancy, buffer);
    }
    hold(r, c, buffer, root);
}

static void on_free(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                    uint32_t buffer)
{
    struct xpd_replay_value *v = touch(r, buffer);
    if (v->holds == 0) {
        if (v->was_held)
            xpd_replay_complain(r, "double_free", "freed again");
        else
            xpd_replay_complain(r, "free_before_alloc", "freed before it is allocated");
        return;
    }
    uint32_t root = xpd_replay_root(r, buffer);
    if (--v->holds == 0) {
        r->held--;
        r->mem->buffer[buffer].end_step = c->step;
    }
    if (--r->value[root].refs == 0)
        close_tenancy(r, space, c, root);
}

void xpd_replay_apply(struct xpd_replay *r, struct xpd_mem_space *space, struct xpd_channel *c,
                      uint32_t buffer)
{
    switch (r->hlo->events.kind[r->event]) {
    case XPD_EVENT_ALLOC: on_alloc(r, space, c, buffer); break;
    case XPD_EVENT_FREE: on_free(r, space, c, buffer); break;
    case XPD_EVENT_SHARE_WITH: on_share(r, space, c, buffer); break;
    default: xpd_replay_complain(r, "unknown_event_kind", "the event is of no known kind"); break;
    }
}
