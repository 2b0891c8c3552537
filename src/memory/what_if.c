/* How far the peak falls without some storages (A4), exact for live bytes. In: buffers of
 * any class. Out: the saving and the remaining peak. A buffer represents its whole storage:
 * all its tenancies, all values that share it. In summed spaces a storage is a few pieces
 * of constant size; between their ends the curve keeps its shape, so its range maxima
 * suffice. In union spaces (VMEM, CMEM) only bytes that no other buffer covers count:
 * what_if.c. */
#include "memory_internal.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/query.h"
#include <stdlib.h>

struct xpd_removed { /* removed tenancies */
    uint32_t *tenancy;
    uint32_t count;
};
struct xpd_rest { /* the highest remaining point */
    uint32_t step;
    int64_t bytes;
};

/* The saving where live bytes are a union of address ranges.
 *
 * In: removed tenancies. Out: the highest point without them. Only tenancies that overlap the
 * removed ones in time and address matter. Two covers are swept in parallel, one with all of them
 * and one without the removed ones; their difference is held by the removed ones alone. */

struct box { /* a tenancy, or its growth by a larger holder */
    uint32_t from, to;
    int64_t low, high;
    bool removed;
};

struct edge {
    uint32_t step, box;
    int add;
};

static int by_step(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    return (a->step > b->step) - (a->step < b->step);
}

static int64_t end_of(const struct xpd_tenancy *t, int64_t bytes)
{
    bool overflow = false;
    return xpd_add_i64(t->offset_bytes, bytes, &overflow);
}

static uint32_t add_boxes(const struct xpd_mem_space *space, uint32_t tenancy, bool removed,
                          struct box *out)
{
    const struct xpd_tenancy *t = &space->tenancy[tenancy];
    uint32_t count = 1, growths, first = xpd_growths_of(space->index, tenancy, &growths);
    int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
    out[0] = (struct box){t->start_step, t->end_step, t->offset_bytes, end_of(t, size), removed};
    for (uint32_t k = first; k < first + growths; k++) {
        const struct xpd_growth *g = &space->index->growth[k];
        out[count++] = (struct box){g->step, t->end_step, end_of(t, g->before_bytes),
                                    end_of(t, g->after_bytes), removed};
    }
    return count;
}

static uint32_t gather(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                       const bool *is_removed, struct box *box)
{
    uint32_t from = UINT32_MAX, to = 0, count = 0;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < removed->count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[removed->tenancy[i]];
        from = t->start_step < from ? t->start_step : from;
        to = t->end_step > to ? t->end_step : to;
        low = t->offset_bytes < low ? t->offset_bytes : low;
        high = end_of(t, t->size_bytes) > high ? end_of(t, t->size_bytes) : high;
    }
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &space->tenancy[i];
        if ((t->flags & XPD_TENANCY_UNTRACED) || t->start_step >= to || t->end_step <= from ||
            t->offset_bytes >= high || end_of(t, t->size_bytes) <= low)
            continue;
        count += add_boxes(space, i, is_removed[i], box + count);
    }
    return count;
}

static void xpd_rest_take(const struct xpd_mem_space *space, struct xpd_rest *rest, uint32_t from,
                          uint32_t to, int64_t removed_bytes);

static bool xpd_rest_of_union(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                              struct xpd_arena *scratch, struct xpd_rest *rest)
{
    size_t most = (size_t)space->tenancy_count + space->index->growth_count;
    bool *is_removed = XPD_NEW_ARRAY(scratch, bool, space->tenancy_count);
    struct box *box = XPD_NEW_ARRAY(scratch, struct box, most);
    if (!is_removed || !box)
        return false;
    for (uint32_t i = 0; i < removed->count; i++)
        is_removed[removed->tenancy[i]] = true;
    uint32_t boxes = gather(space, removed, is_removed, box);
    struct edge *edge = XPD_NEW_ARRAY(scratch, struct edge, 2 * (size_t)boxes);
    int64_t *address = XPD_NEW_ARRAY(scratch, int64_t, 2 * (size_t)boxes);
    if (!edge || !address)
        return false;
    for (uint32_t i = 0; i < boxes; i++) {
        edge[2 * i] = (struct edge){box[i].from, i, 1};
        edge[2 * i + 1] = (struct edge){box[i].to, i, -1};
        address[2 * i] = box[i].low;
        address[2 * i + 1] = box[i].high;
    }
    if (boxes > 0)
        qsort(edge, 2 * (size_t)boxes, sizeof *edge, by_step);
    uint32_t addresses = xpd_cover_sort(address, 2 * boxes), from = 0;
    struct xpd_cover all, others;
    if (!xpd_cover_init(&all, address, addresses, scratch) ||
        !xpd_cover_init(&others, address, addresses, scratch))
        return false;
    for (uint32_t i = 0; i < 2 * boxes; i++) {
        xpd_rest_take(space, rest, from, edge[i].step,
                      xpd_cover_bytes(&all) - xpd_cover_bytes(&others));
        from = edge[i].step;
        const struct box *b = &box[edge[i].box];
        xpd_cover_change(&all, b->low, b->high, edge[i].add);
        if (!b->removed)
            xpd_cover_change(&others, b->low, b->high, edge[i].add);
    }
    xpd_rest_take(space, rest, from, space->step_count,
                  xpd_cover_bytes(&all) - xpd_cover_bytes(&others));
    return true;
}

/* The highest remaining point, range by range. */

static void xpd_rest_take(const struct xpd_mem_space *space, struct xpd_rest *rest, uint32_t from,
                          uint32_t to, int64_t removed_bytes)
{
    if (from >= to)
        return;
    uint32_t step = xpd_live_argmax(space, from, to);
    int64_t left = space->live_bytes[step];
    xpd_grow_i64(&left, removed_bytes == INT64_MIN ? INT64_MAX : -removed_bytes);
    if (rest->step == XPD_NO_STEP || left > rest->bytes) {
        rest->step = step;
        rest->bytes = left;
    }
}

struct once { /* numbers seen once; a table when there are many, else the list itself */
    uint32_t *item, count;
    bool *seen; /* NULL: look through the list */
};

static bool once_init(struct once *o, uint32_t count, uint32_t numbers, struct xpd_arena *scratch)
{
    *o = (struct once){.item = XPD_NEW_ARRAY(scratch, uint32_t, count)};
    if (count > 64)
        o->seen = XPD_NEW_ARRAY(scratch, bool, numbers);
    return o->item && (count <= 64 || o->seen);
}

static void once_add(struct once *o, uint32_t number)
{
    if (o->seen && o->seen[number])
        return;
    for (uint32_t i = 0; !o->seen && i < o->count; i++)
        if (o->item[i] == number)
            return;
    if (o->seen)
        o->seen[number] = true;
    o->item[o->count++] = number;
}

/* Splits the set into resident allocations (their bytes) and storages (their tenancies). */
static bool collect(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                    const uint32_t *buffer, uint32_t count, struct xpd_arena *scratch,
                    int64_t *resident, struct xpd_removed *removed)
{
    const struct xpd_hlo *hlo = mem->hlo;
    struct once allocation, root;
    uint32_t tenancies = 0;
    bool overflow = false;
    *resident = 0;
    if (!once_init(&allocation, count, hlo->allocation_count, scratch) ||
        !once_init(&root, count, hlo->buffers.count, scratch))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (buffer[i] >= hlo->buffers.count)
            continue;
        uint32_t a = mem->buffer[buffer[i]].allocation;
        if (a == XPD_NO_INDEX || hlo->allocation[a].color != space->color)
            continue;
        if (xpd_mem_resident(hlo->allocation[a].flags))
            once_add(&allocation, a);
        else if (!xpd_mem_indefinite(hlo->allocation[a].flags))
            once_add(&root, mem->buffer[buffer[i]].root);
    }
    for (uint32_t i = 0; i < allocation.count; i++)
        if (hlo->allocation[allocation.item[i]].size_bytes > 0)
            *resident =
                xpd_add_i64(*resident, hlo->allocation[allocation.item[i]].size_bytes, &overflow);
    for (uint32_t i = 0; i < root.count; i++)
        for (uint32_t t = mem->buffer[root.item[i]].storage_tenancy; t != XPD_NO_INDEX;
             t = space->tenancy[t].next_of_buffer)
            tenancies++;
    removed->tenancy = XPD_NEW_ARRAY(scratch, uint32_t, tenancies);
    if (!removed->tenancy)
        return false;
    for (uint32_t i = 0; i < root.count; i++)
        for (uint32_t t = mem->buffer[root.item[i]].storage_tenancy; t != XPD_NO_INDEX;
             t = space->tenancy[t].next_of_buffer)
            if (!(space->tenancy[t].flags & XPD_TENANCY_UNTRACED))
                removed->tenancy[removed->count++] = t;
    return true;
}

struct change { /* from this step on the sum of the removed differs by so much */
    uint32_t step;
    int64_t bytes;
};

static int by_first_step(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    return (a->step > b->step) - (a->step < b->step);
}

/* Sums that do not fit are cut at the limit, as those of the curve are. */
static int64_t plus(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_add_i64(a, b, &overflow);
}

static int64_t minus(int64_t a, int64_t b)
{
    return plus(a, b == INT64_MIN ? INT64_MAX : -b);
}

/* Changes of one tenancy: at most 2 and one per growth. */
static uint32_t list_changes(const struct xpd_mem_space *space, uint32_t tenancy,
                             struct change *out)
{
    const struct xpd_tenancy *t = &space->tenancy[tenancy];
    uint32_t count = 0, growths, first = xpd_growths_of(space->index, tenancy, &growths);
    int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
    out[count++] = (struct change){t->start_step, size};
    for (uint32_t k = first; k < first + growths; k++) {
        const struct xpd_growth *g = &space->index->growth[k];
        out[count++] = (struct change){g->step, g->after_bytes - g->before_bytes};
    }
    out[count++] = (struct change){t->end_step, -t->size_bytes};
    return count;
}

static void rest_by_ranges(const struct xpd_mem_space *space, struct change *change, uint32_t count,
                           struct xpd_rest *rest)
{
    int64_t gone = 0;
    uint32_t from = 0;
    if (count > 1)
        qsort(change, count, sizeof *change, by_first_step);
    for (uint32_t i = 0; i < count; i++) {
        xpd_rest_take(space, rest, from, change[i].step, gone);
        from = change[i].step;
        gone = plus(gone, change[i].bytes);
    }
    xpd_rest_take(space, rest, from, space->step_count, gone);
}

/* Many: one pass over all steps. */
static bool rest_by_pass(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                         struct change *change, struct xpd_arena *scratch, struct xpd_rest *rest)
{
    int64_t *delta = XPD_NEW_ARRAY(scratch, int64_t, (size_t)space->step_count + 1);
    if (!delta)
        return false;
    for (uint32_t i = 0; i < removed->count; i++) {
        uint32_t count = list_changes(space, removed->tenancy[i], change);
        for (uint32_t k = 0; k < count; k++)
            delta[change[k].step] += change[k].bytes;
    }
    int64_t gone = 0;
    for (uint32_t i = 0; i < space->step_count; i++) {
        gone += delta[i];
        if (rest->step == XPD_NO_STEP || space->live_bytes[i] - gone > rest->bytes) {
            rest->step = i;
            rest->bytes = space->live_bytes[i] - gone;
        }
    }
    return true;
}

static bool rest_of_sum(const struct xpd_mem_space *space, const struct xpd_removed *removed,
                        struct xpd_arena *scratch, struct xpd_rest *rest)
{
    bool many = removed->count > 64 && removed->count > space->step_count / 64;
    size_t most = (many ? 0 : 2 * (size_t)removed->count) + space->index->growth_count + 2;
    struct change *change = XPD_NEW_ARRAY(scratch, struct change, most);
    uint32_t count = 0;
    if (!change)
        return false;
    if (many)
        return rest_by_pass(space, removed, change, scratch, rest);
    for (uint32_t i = 0; i < removed->count; i++)
        count += list_changes(space, removed->tenancy[i], change + count);
    rest_by_ranges(space, change, count, rest);
    return true;
}

/* The highest live bytes without these buffers, and what they hold for the whole run. False: out
 * of memory. */
static bool take_away(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                      const uint32_t *buffer, uint32_t count, struct xpd_arena *scratch,
                      int64_t *resident_bytes, struct xpd_rest *rest)
{
    struct xpd_removed removed = {0};
    if (!collect(mem, space, buffer, count, scratch, resident_bytes, &removed))
        return false;
    if (removed.count == 0)
        return true;
    *rest = (struct xpd_rest){.step = XPD_NO_STEP};
    return space->live_is_union ? xpd_rest_of_union(space, &removed, scratch, rest)
                                : rest_of_sum(space, &removed, scratch, rest);
}

int64_t xpd_saving(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                   const uint32_t *buffer, uint32_t count, int64_t *new_peak_bytes,
                   uint32_t *new_step, struct xpd_arena *arena)
{
    const struct xpd_rest all = {.step = space->peak_step, .bytes = space->peak_live_bytes};
    struct xpd_rest rest = all;
    struct xpd_arena scratch;
    int64_t resident = 0;
    xpd_arena_init(&scratch, arena->budget_bytes);
    if (!take_away(mem, space, buffer, count, &scratch, &resident, &rest)) {
        resident = 0; /* no room to compute: claim nothing */
        rest = all;
    }
    arena->failed |= scratch.failed;
    xpd_arena_fini(&scratch);
    int64_t saving = plus(minus(space->peak_live_bytes, rest.bytes), resident);
    if (saving < 0) /* only after an overflow */
        saving = 0;
    if (saving > space->peak_bytes)
        saving = space->peak_bytes;
    if (new_peak_bytes)
        *new_peak_bytes = space->peak_bytes - saving;
    if (new_step)
        *new_step = rest.step;
    return saving;
}

/* The peak stays where it is, and as high, unless the storage is held there. */
static bool is_held_at_peak(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                            uint32_t buffer)
{
    uint32_t at = mem->buffer[mem->buffer[buffer].root].storage_tenancy;
    for (; at < space->tenancy_count; at = space->tenancy[at].next_of_buffer)
        if (space->tenancy[at].start_step <= space->peak_step &&
            space->peak_step < space->tenancy[at].end_step)
            return true;
    return false;
}

int64_t xpd_saving_of(const struct xpd_mem *mem, const struct xpd_mem_space *space, uint32_t buffer,
                      struct xpd_arena *arena)
{
    uint32_t allocation = mem->buffer[buffer].allocation;
    if (allocation == XPD_NO_INDEX || mem->hlo->allocation[allocation].color != space->color)
        return 0;
    if (mem->buffer[buffer].mem_class == XPD_CLASS_TEMPORARY &&
        !is_held_at_peak(mem, space, buffer))
        return 0;
    return xpd_saving(mem, space, &buffer, 1, NULL, NULL, arena);
}
