/* Bars at XProf's peak and its boxes of the allocation timeline.
 *
 * In: the log of the simulation. Out: bar[], by_size[], block[]. Boxes are of allocations with a
 * trace, thread-local ones too, one upon the other by index. */
#include "xprof_work.h"

#include "xprofd/base/checked.h"

#include <string.h>

static int64_t plus(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_add_i64(a, b, &overflow);
}

static void add_bar(struct xpd_xprof_work *w, struct xpd_xprof_memory *out, uint32_t buffer,
                    int64_t *small)
{
    int64_t size = w->mem->hlo->buffers.size_bytes[buffer];
    if (size < w->small_bytes) {
        *small = plus(*small, size);
        return;
    }
    out->bar[out->bar_count++] =
        (struct xpd_xprof_bar){.buffer = buffer,
                               .size_bytes = size,
                               .unpadded_bytes = w->mem->buffer[buffer].xprof_unpadded_bytes};
}

static void indefinite_bars(struct xpd_xprof_work *w, struct xpd_xprof_memory *out, int64_t *small)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t i = 0; i < out->indefinite_count; i++) {
        const struct xpd_hlo_allocation *a = &hlo->allocation[out->indefinite[i]];
        uint32_t best = XPD_NO_INDEX;
        int64_t most = 0;
        for (uint32_t k = a->assigned_first; k < a->assigned_first + a->assigned_count; k++) {
            uint32_t b = hlo->assigned[k].buffer;
            if (xpd_xprof_has_record(w->mem, b) && hlo->buffers.size_bytes[b] > most) {
                most = hlo->buffers.size_bytes[b];
                best = b;
            }
        }
        if (best == XPD_NO_INDEX)
            continue;
        /* A buffer in two allocations counts for the later one. */
        a = &hlo->allocation[w->mem->buffer[best].allocation];
        out->indefinite_bytes = plus(out->indefinite_bytes, a->size_bytes);
        if (w->color == 0)
            add_bar(w, out, best, small);
    }
}

static bool make_bars(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    int64_t small = 0;
    uint32_t peak = (uint32_t)out->peak_position, n = w->mem->hlo->buffers.count;
    bool any = out->peak_bytes > 0;
    size_t most = (size_t)out->indefinite_count + 1;
    for (uint32_t i = 0; any && i < w->entry_count && w->entry[i].step <= peak; i++)
        most += w->entry[i].end > peak;
    uint32_t *shown = XPD_NEW_ARRAY(w->arena, uint32_t, n);
    out->bar = XPD_NEW_ARRAY(w->arena, struct xpd_xprof_bar, most);
    if (!shown || !out->bar)
        return false;
    memset(shown, 0xff, n * sizeof *shown);
    for (uint32_t i = 0; any && i < w->shown_count && w->shown[i].step <= peak; i++)
        shown[w->shown[i].root] = w->shown[i].buffer;
    indefinite_bars(w, out, &small);
    for (uint32_t i = 0; any && i < w->entry_count && w->entry[i].step <= peak; i++) {
        uint32_t b = w->entry[i].buffer;
        if (w->entry[i].end > peak)
            add_bar(w, out, shown[b] == XPD_NO_INDEX ? b : shown[b], &small);
    }
    if (small != 0)
        out->bar[out->bar_count++] =
            (struct xpd_xprof_bar){.buffer = XPD_NO_INDEX, .size_bytes = small};
    out->by_size = XPD_NEW_ARRAY(w->arena, uint32_t, out->bar_count);
    if (!out->by_size)
        return false;
    for (uint32_t i = 0; i < out->bar_count; i++)
        out->by_size[i] = i;
    xpd_xprof_sort_by_size(out->bar, out->by_size, out->bar_count);
    return true;
}

static void boxes_of(struct xpd_xprof_work *w, struct xpd_xprof_memory *out, uint32_t allocation,
                     int64_t base, uint32_t steps)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    const struct xpd_hlo_allocation *a = &hlo->allocation[allocation];
    out->block[out->block_count++] = (struct xpd_xprof_block){.buffer = XPD_NO_INDEX,
                                                              .allocation = allocation,
                                                              .offset_bytes = base,
                                                              .size_bytes = a->size_bytes,
                                                              .end_step = (int32_t)steps};
    for (uint32_t k = a->assigned_first; k < a->assigned_first + a->assigned_count; k++) {
        uint32_t b = hlo->assigned[k].buffer;
        if (!xpd_xprof_has_record(w->mem, b) || w->span_start[b] < 0)
            continue;
        out->block[out->block_count++] =
            (struct xpd_xprof_block){.buffer = b,
                                     .allocation = allocation,
                                     .offset_bytes = plus(base, w->mem->buffer[b].offset_bytes),
                                     .size_bytes = hlo->buffers.size_bytes[b],
                                     .start_step = w->span_start[b],
                                     .end_step = w->span_end[b]};
    }
}

/* Ids of buffers have 32 bits here: a trace that begins with a larger one draws nothing. */
static bool has_boxes(const struct xpd_xprof_work *w, uint32_t allocation)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    uint32_t trace = w->trace_of[allocation];
    return !xpd_mem_resident(hlo->allocation[allocation].flags) && trace != XPD_NO_INDEX &&
           hlo->buffers.id[hlo->events.buffer[hlo->trace[trace].first]] <= INT32_MAX;
}

static bool make_blocks(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    uint32_t steps = 0;
    int64_t total = 0, base = 0;
    size_t most = 0;
    for (uint32_t i = 0; i < w->allocation_count; i++) {
        const struct xpd_hlo_allocation *a = &hlo->allocation[w->allocation[i]];
        if (!has_boxes(w, w->allocation[i]))
            continue;
        uint32_t count = hlo->trace[w->trace_of[w->allocation[i]]].count;
        most += (size_t)a->assigned_count + 1;
        total = plus(total, a->size_bytes);
        steps = count > steps ? count : steps;
    }
    if (steps == 0 || total == 0)
        return true;
    out->block = XPD_NEW_ARRAY(w->arena, struct xpd_xprof_block, most);
    if (!out->block)
        return false;
    for (uint32_t i = 0; i < w->allocation_count; i++) {
        if (!has_boxes(w, w->allocation[i]))
            continue;
        boxes_of(w, out, w->allocation[i], base, steps);
        base = plus(base, hlo->allocation[w->allocation[i]].size_bytes);
    }
    return true;
}

int xpd_xprof_memory(struct xpd_xprof_memory *out, const struct xpd_mem *mem, int64_t color,
                     int64_t small_bytes, struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_xprof_work w = {
        .mem = mem, .arena = arena, .color = color, .small_bytes = small_bytes};
    *out = (struct xpd_xprof_memory){.trace = XPD_NO_INDEX, .scoped_instruction = XPD_NO_INDEX};
    if (xpd_xprof_prepare(&w, out) && xpd_xprof_simulate(&w, out) && make_bars(&w, out) &&
        make_blocks(&w, out))
        return XPD_OK;
    return xpd_fail(err, arena->budget_bytes ? XPD_ELIMIT : XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                    "There is not enough memory for XProf's view of the module.");
}
