/* Sums of a space, its peak, and compiled.memory_analysis() rebuilt from them.
 *
 * In: allocations and finished curves. Out: totals, peak_*, xpd_jax_analysis. Thread-local
 * allocations count nowhere but in their own total: a program holds them only while a computation
 * runs on a thread. */
#include "memory_internal.h"

#include "xprofd/base/checked.h"

#include <string.h>

/* Bytes of a resident allocation without padding: those of its largest member (the others share its
 * place), or all if unknown. */
static int64_t without_padding(const struct xpd_mem *mem,
                               const struct xpd_hlo_allocation *allocation, int64_t size)
{
    const struct xpd_mem_buffer *best = NULL;
    for (uint32_t k = 0; k < allocation->assigned_count; k++) {
        uint32_t i = mem->hlo->assigned[allocation->assigned_first + k].buffer;
        if (i != XPD_NO_INDEX && (!best || mem->buffer[i].size_bytes > best->size_bytes))
            best = &mem->buffer[i];
    }
    return best && best->unpadded_bytes < size ? best->unpadded_bytes : size;
}

void xpd_mem_build_totals(struct xpd_mem_build *b)
{
    struct xpd_mem *mem = b->mem;
    for (uint32_t a = 0; a < mem->hlo->allocation_count; a++) {
        const struct xpd_hlo_allocation *allocation = &mem->hlo->allocation[a];
        struct xpd_mem_totals *t = &mem->space[b->space_of_allocation[a]].totals;
        int64_t size = allocation->size_bytes;
        if (size < 0) {
            xpd_warn(&mem->warnings, XPD_WARNING, "negative_size", XPD_NO_OFFSET,
                     "Allocation %lld has a negative size; it counts as 0.",
                     (long long)allocation->index);
            size = 0;
        }
        int64_t *sum = &t->temp;
        if (allocation->flags & XPD_ALLOC_THREAD_LOCAL)
            sum = &t->thread_local_;
        else if (allocation->flags & XPD_ALLOC_PARAMETER)
            sum = &t->argument;
        else if (allocation->flags & XPD_ALLOC_LIVE_OUT)
            sum = &t->output;
        else if (allocation->flags & XPD_ALLOC_CONSTANT)
            sum = &t->constant;
        *sum = xpd_add_i64(*sum, size, &b->overflow);
        if (sum == &t->argument && (allocation->flags & XPD_ALLOC_LIVE_OUT)) {
            t->alias = xpd_add_i64(t->alias, size, &b->overflow);
            t->output = xpd_add_i64(t->output, size, &b->overflow);
        }
        if (!xpd_mem_resident(allocation->flags))
            continue;
        t->resident = xpd_add_i64(t->resident, size, &b->overflow);
        t->resident_unpadded =
            xpd_add_i64(t->resident_unpadded, without_padding(mem, allocation, size), &b->overflow);
    }
    for (uint32_t s = 0; s < mem->space_count; s++) {
        struct xpd_mem_totals *t = &mem->space[s].totals;
        t->reserved = xpd_add_i64(t->resident, t->temp, &b->overflow);
    }
}

void xpd_mem_build_peak(struct xpd_mem_space *space)
{
    for (uint32_t l = 0; l < space->lane_count; l++) {
        struct xpd_lane *lane = &space->lane[l];
        for (uint32_t i = lane->first_step; i < lane->first_step + lane->step_count; i++) {
            if (space->live_bytes[i] > lane->peak_live_bytes)
                lane->peak_live_bytes = space->live_bytes[i];
            if (space->peak_step == XPD_NO_STEP || space->live_bytes[i] > space->peak_live_bytes) {
                space->peak_step = i;
                space->peak_live_bytes = space->live_bytes[i];
            }
        }
    }
    bool overflow = false;
    space->peak_bytes = xpd_add_i64(space->totals.resident, space->peak_live_bytes, &overflow);
    space->peak_unpadded_bytes = space->totals.resident_unpadded;
    if (space->peak_step != XPD_NO_STEP)
        space->peak_unpadded_bytes = xpd_add_i64(
            space->totals.resident_unpadded, space->unpadded_bytes[space->peak_step], &overflow);
}

/* Kernels may hold memory that no heap event names: a heap without events is not an empty one. */
static bool heap_is_unknown(const struct xpd_mem_space *space)
{
    return space->step_count == 0 && space->heap_bytes > 0;
}

int64_t xpd_mem_peak_temp(const struct xpd_mem_space *space)
{
    return heap_is_unknown(space) ? -1 : space->peak_live_bytes;
}

int64_t xpd_mem_fragmentation(const struct xpd_mem_space *space)
{
    bool overflow = false;
    int64_t bytes = xpd_add_i64(space->totals.reserved, -space->peak_bytes, &overflow);
    return heap_is_unknown(space) || overflow || bytes < 0 ? -1 : bytes;
}

static int64_t highest_listed(const struct xpd_mem_space *space)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < space->step_count; i++)
        most = space->listed_bytes[i] > most ? space->listed_bytes[i] : most;
    return most;
}

/* XLA hands out the temp heap of a TPU in pieces of 16 KiB, and none without a heap trace. */
static int64_t tpu_temp(const struct xpd_mem_space *space)
{
    bool overflow = false;
    int64_t size = space->step_count ? space->totals.temp : 0;
    return size > INT64_MAX - 16383 ? size : xpd_add_i64(size, 16383, &overflow) / 16384 * 16384;
}

void xpd_mem_jax_analysis(const struct xpd_mem *mem, const char *platform,
                          struct xpd_jax_analysis *out)
{
    bool overflow = false, tpu = platform && strcmp(platform, "tpu") == 0;
    bool cpu = platform && strcmp(platform, "cpu") == 0;
    int64_t resident = 0, highest = 0;
    *out = (struct xpd_jax_analysis){0};
    for (uint32_t s = 0; s < mem->space_count; s++) {
        const struct xpd_mem_space *space = &mem->space[s];
        const struct xpd_mem_totals *t = &space->totals;
        bool host = space->color == 5;
        int64_t *argument = host ? &out->host_argument : &out->argument;
        int64_t *output = host ? &out->host_output : &out->output;
        int64_t *alias = host ? &out->host_alias : &out->alias;
        int64_t *temp = host ? &out->host_temp : &out->temp;
        *argument = xpd_add_i64(*argument, t->argument, &overflow);
        *output = xpd_add_i64(*output, t->output, &overflow);
        *alias = xpd_add_i64(*alias, t->alias, &overflow);
        if (tpu && !host)
            *temp = xpd_add_i64(*temp, space->color == 0 ? tpu_temp(space) : 0, &overflow);
        else
            *temp = xpd_add_i64(*temp, t->temp, &overflow);
        resident = xpd_add_i64(resident, t->resident, &overflow);
        int64_t listed = highest_listed(space);
        highest = listed > highest ? listed : highest;
    }
    out->peak = cpu ? resident : xpd_add_i64(resident, highest, &overflow);
}
