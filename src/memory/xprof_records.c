/* Records, the choice of the trace and the sums of XProf 2.24.
 *
 * In: an analysis and a colour. Out: struct xpd_xprof_work filled up to the simulation, and the
 * sums. A record exists for a buffer that lies in some allocation and whose instruction is known.
 * Sums wrap nowhere: they are checked and saturate. */
#include "xprof_work.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

bool xpd_xprof_has_record(const struct xpd_mem *mem, uint32_t buffer)
{
    return buffer != XPD_NO_INDEX && mem->buffer[buffer].instruction != XPD_NO_INDEX &&
           mem->buffer[buffer].allocation != XPD_NO_INDEX;
}

/* Traces by their first event's buffer; later traces win. */
static void link_traces(struct xpd_xprof_work *w)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t a = 0; a < hlo->allocation_count; a++)
        w->trace_of[a] = XPD_NO_INDEX;
    for (uint32_t t = 0; t < hlo->trace_count; t++) {
        if (hlo->trace[t].count == 0)
            continue;
        uint32_t buffer = hlo->events.buffer[hlo->trace[t].first];
        if (xpd_xprof_has_record(w->mem, buffer))
            w->trace_of[w->mem->buffer[buffer].allocation] = t;
    }
}

static uint32_t choose_trace(const struct xpd_xprof_work *w)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t i = 0; i < w->allocation_count; i++)
        if (!xpd_mem_indefinite(hlo->allocation[w->allocation[i]].flags) &&
            w->trace_of[w->allocation[i]] != XPD_NO_INDEX)
            return w->trace_of[w->allocation[i]];
    uint32_t best = XPD_NO_INDEX, most = 0;
    for (uint32_t t = 0; t < hlo->trace_count; t++) {
        uint32_t count = 0;
        for (uint32_t i = hlo->trace[t].first; i < hlo->trace[t].first + hlo->trace[t].count; i++) {
            uint32_t buffer = hlo->events.buffer[i];
            count += xpd_xprof_has_record(w->mem, buffer) && hlo->buffers.color[buffer] == w->color;
        }
        if (count > most) {
            most = count;
            best = t;
        }
    }
    return best;
}

static void add_to(int64_t *sum, int64_t bytes)
{
    bool overflow = false;
    *sum = xpd_add_i64(*sum, bytes, &overflow);
}

static void sum_allocations(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t i = 0; i < w->allocation_count; i++) {
        const struct xpd_hlo_allocation *a = &hlo->allocation[w->allocation[i]];
        if (a->flags & XPD_ALLOC_PARAMETER)
            add_to(&out->parameter_bytes, a->size_bytes);
        if (a->flags & (XPD_ALLOC_THREAD_LOCAL | XPD_ALLOC_TUPLE))
            add_to(&out->non_reusable_bytes, a->size_bytes);
        if (a->flags & XPD_ALLOC_LIVE_OUT)
            add_to(&out->live_out_bytes, a->size_bytes);
        if (a->flags & XPD_ALLOC_THREAD_LOCAL)
            continue;
        add_to(&out->total_bytes, a->size_bytes);
        if (!xpd_mem_indefinite(a->flags))
            continue;
        add_to(&out->indefinite_total_bytes, a->size_bytes);
        out->indefinite[out->indefinite_count++] = w->allocation[i];
    }
}

static void find_scoped(const struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    out->scoped_instruction = XPD_NO_INDEX;
    for (uint32_t i = 0; w->color == 1 && i < hlo->scoped_count; i++)
        if (hlo->scoped[i].memory_space == 1 && hlo->scoped[i].size_bytes > out->scoped_bytes) {
            out->scoped_bytes = hlo->scoped[i].size_bytes;
            out->scoped_instruction = hlo->scoped[i].instruction;
        }
}

bool xpd_xprof_prepare(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    w->trace_of = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    w->allocation = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    out->indefinite = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    if (!w->trace_of || !w->allocation || !out->indefinite)
        return false;
    for (uint32_t k = 0; k < hlo->allocation_count; k++)
        if (hlo->allocation[w->mem->allocation_order[k]].color == w->color)
            w->allocation[w->allocation_count++] = w->mem->allocation_order[k];
    link_traces(w);
    out->trace = choose_trace(w);
    sum_allocations(w, out);
    find_scoped(w, out);
    return true;
}
