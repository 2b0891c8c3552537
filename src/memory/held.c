/* The rows of what is held after a step. In: a frozen space and a step. Out: rows whose sizes add
 * up to the curve. */
#include "xprofd/memory/held.h"

#include "xprofd/base/checked.h"

#include <string.h>

static int no_memory(struct xpd_err *err)
{
    return xpd_no_memory(err, NULL, "for the list of what is held at a step");
}

struct faces {
    uint32_t largest; /* first of the largest: the unpadded size in the totals */
    uint32_t shown;   /* the same, or a parameter of that size: it has a name the user knows */
};

static struct faces faces_of(const struct xpd_mem *mem, const struct xpd_hlo_allocation *allocation)
{
    const struct xpd_hlo *hlo = mem->hlo;
    struct faces faces = {XPD_NO_INDEX, XPD_NO_INDEX};
    xpd_name_id parameter = allocation->flags & XPD_ALLOC_PARAMETER
                                ? xpd_intern_find(&hlo->names, XPD_STR("parameter"))
                                : XPD_NO_NAME;
    bool is_named = false;
    for (uint32_t i = 0; i < allocation->assigned_count; i++) {
        uint32_t buffer = hlo->assigned[allocation->assigned_first + i].buffer;
        if (buffer == XPD_NO_INDEX)
            continue;
        uint32_t instruction = mem->buffer[buffer].instruction;
        bool named = instruction != XPD_NO_INDEX && parameter != XPD_NO_NAME &&
                     hlo->instructions.opcode[instruction] == parameter;
        int64_t size = mem->buffer[buffer].size_bytes;
        int64_t best = faces.largest == XPD_NO_INDEX ? -1 : mem->buffer[faces.largest].size_bytes;
        if (size > best) {
            faces.largest = faces.shown = buffer;
            is_named = named;
        } else if (size == best && named && !is_named) {
            faces.shown = buffer;
            is_named = true;
        }
    }
    return faces;
}

bool xpd_held_resident(struct xpd_held *row, const struct xpd_mem *mem,
                       const struct xpd_mem_space *space, uint32_t allocation)
{
    const struct xpd_hlo_allocation *from = &mem->hlo->allocation[allocation];
    enum xpd_mem_class mem_class = xpd_mem_class_of(from->flags);
    if (from->color != space->color || mem_class == XPD_CLASS_TEMPORARY ||
        (from->flags & XPD_ALLOC_THREAD_LOCAL))
        return false;
    struct faces faces = faces_of(mem, from);
    *row = (struct xpd_held){.buffer = faces.shown,
                             .tenancy = XPD_NO_INDEX,
                             .allocation = allocation,
                             .end = space->step_count,
                             .mem_class = mem_class,
                             .size_bytes = from->size_bytes > 0 ? from->size_bytes : 0,
                             .offset_bytes = -1};
    row->unpadded_bytes = row->size_bytes;
    if (faces.largest != XPD_NO_INDEX &&
        mem->buffer[faces.largest].unpadded_bytes < row->size_bytes)
        row->unpadded_bytes = mem->buffer[faces.largest].unpadded_bytes;
    return true;
}

/* A storage that larger values joined later held less before: its size at a step is that of the
 * largest value so far. Such storages are few; one pass over the events since the start of the
 * oldest one finds all. */
static int shrink_to_step(struct xpd_held_list *list, const struct xpd_mem *mem,
                          const struct xpd_mem_space *space, uint32_t step, struct xpd_arena *arena,
                          struct xpd_err *err)
{
    uint32_t oldest = XPD_NO_STEP;
    uint32_t *row_of = NULL; /* by root: row + 1 */
    for (uint32_t i = list->resident_count; i < list->count; i++) {
        struct xpd_held *row = &list->at[i];
        const struct xpd_mem_buffer *first = &mem->buffer[row->buffer];
        if (!(space->tenancy[row->tenancy].flags & XPD_TENANCY_SHARED) ||
            row->size_bytes == first->size_bytes)
            continue;
        if (!row_of && !(row_of = XPD_NEW_ARRAY(arena, uint32_t, mem->hlo->buffers.count)))
            return no_memory(err);
        row_of[first->root] = i + 1;
        oldest = row->start < oldest ? row->start : oldest;
        row->size_bytes = first->size_bytes;
        row->unpadded_bytes = first->unpadded_bytes;
    }
    for (uint32_t s = oldest; row_of && s <= step; s++) {
        uint32_t event = space->event[s], buffer = mem->hlo->events.buffer[event];
        if (mem->hlo->events.kind[event] != XPD_EVENT_SHARE_WITH || buffer == XPD_NO_INDEX ||
            row_of[mem->buffer[buffer].root] == 0)
            continue;
        struct xpd_held *row = &list->at[row_of[mem->buffer[buffer].root] - 1];
        if (s <= row->start || mem->buffer[buffer].size_bytes <= row->size_bytes)
            continue;
        row->size_bytes = mem->buffer[buffer].size_bytes;
        row->unpadded_bytes = mem->buffer[buffer].unpadded_bytes;
    }
    return XPD_OK;
}

static void add_tenancy(struct xpd_held_list *list, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, uint32_t index)
{
    const struct xpd_tenancy *tenancy = &space->tenancy[index];
    if (tenancy->flags & XPD_TENANCY_UNTRACED) {
        list->untraced_count++;
        xpd_grow_i64(&list->untraced_bytes, tenancy->size_bytes);
        return;
    }
    list->at[list->count++] =
        (struct xpd_held){.buffer = tenancy->buffer,
                          .tenancy = index,
                          .allocation = mem->buffer[tenancy->buffer].allocation,
                          .start = tenancy->start_step,
                          .end = tenancy->end_step,
                          .mem_class = XPD_CLASS_TEMPORARY,
                          .size_bytes = tenancy->size_bytes,
                          .unpadded_bytes = tenancy->unpadded_bytes,
                          .offset_bytes = tenancy->offset_bytes};
}

int xpd_held_at(struct xpd_held_list *list, const struct xpd_mem *mem,
                const struct xpd_mem_space *space, uint32_t step, struct xpd_arena *arena,
                struct xpd_err *err)
{
    memset(list, 0, sizeof *list);
    uint32_t live = step == XPD_NO_STEP ? 0 : xpd_live_at(space, step, NULL, 0);
    uint32_t *tenancy = XPD_NEW_ARRAY(arena, uint32_t, live);
    list->at = XPD_NEW_ARRAY(arena, struct xpd_held, (size_t)live + mem->hlo->allocation_count);
    if (!tenancy || !list->at)
        return no_memory(err);
    if (live > 0)
        xpd_live_at(space, step, tenancy, live);
    for (uint32_t i = 0; i < mem->hlo->allocation_count; i++) {
        struct xpd_held *row = &list->at[list->count];
        if (!xpd_held_resident(row, mem, space, i))
            continue;
        list->count++;
    }
    list->resident_count = list->count;
    for (uint32_t i = 0; i < live; i++)
        add_tenancy(list, mem, space, tenancy[i]);
    int rc = shrink_to_step(list, mem, space, step, arena, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t i = 0; i < list->count; i++)
        xpd_grow_i64(&list->listed_bytes, list->at[i].size_bytes);
    list->bytes = space->totals.resident;
    list->unpadded_bytes = space->totals.resident_unpadded;
    if (step != XPD_NO_STEP) {
        xpd_grow_i64(&list->bytes, space->live_bytes[step]);
        xpd_grow_i64(&list->unpadded_bytes, space->unpadded_bytes[step]);
    }
    return XPD_OK;
}

int64_t xpd_held_saving(const struct xpd_held *row, const struct xpd_mem *mem,
                        const struct xpd_mem_space *space, struct xpd_arena *arena)
{
    if (row->buffer == XPD_NO_INDEX)
        return row->tenancy == XPD_NO_INDEX ? row->size_bytes : 0;
    return xpd_saving_of(mem, space, row->buffer, arena);
}

void xpd_peak_split_of(struct xpd_peak_split *out, const struct xpd_mem_space *space,
                       const struct xpd_held_list *peak)
{
    const struct xpd_mem_totals *totals = &space->totals;
    *out = (struct xpd_peak_split){.argument = totals->argument,
                                   .output = totals->output - totals->alias,
                                   .alias = totals->alias,
                                   .constant = totals->constant,
                                   .temp = xpd_mem_peak_temp(space),
                                   .thread_local_ = totals->thread_local_,
                                   .untraced = totals->untraced,
                                   .fragmentation = xpd_mem_fragmentation(space)};
    for (uint32_t i = 0; i < peak->count; i++)
        out->padding[peak->at[i].mem_class] += xpd_held_padding(&peak->at[i]);
    /* Overlapping rows count shared bytes twice; the curve does not. */
    out->padding[XPD_CLASS_TEMPORARY] -= peak->listed_bytes - peak->bytes;
    if (out->padding[XPD_CLASS_TEMPORARY] < 0)
        out->padding[XPD_CLASS_TEMPORARY] = 0;
}
